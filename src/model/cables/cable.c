/* A cable: n straight segments between n + 1 nodes; the ends are points of bodies.
 *
 *   segment    l = |x1 - x0|, e = (x1 - x0)/l, eps = l/l0 - 1, eps' = e . (v1 - v0)/l0
 *              T = EA max(0, eps + mu eps')     on node 0: T e, on node 1: -T e
 *   inertia    mass m l0 at inner nodes, half of it at the ends
 *   seabed     at inner nodes, and with l0/2 at ends that move, d = h(x, y) - z,
 *              n = (-h_x, -h_y, 1), d' = -n . v, where d > 0:
 *              N = l0 a (1 + b/r), a = k d, b = c d', r = sqrt(a^2 + b^2), which begins at zero
 *              whatever the speed, is l0 (a + b) while b is small beside a, and never pulls;
 *              dN/da = l0 (1 + (b/r)^3), dN/db = l0 (a/r)^3;
 *              force N n, and friction -mu N |n| u/sqrt(u . u + s^2) of the velocity u along
 *              the bed
 *
 * A node's force f has derivatives in places and velocities of nodes. With an end at rho from the
 * body's reference point, dx = dx_b - rho~ dtheta, dv = dv_b - rho~ dw - w~ rho~ dtheta, and the
 * moment rho x f changes by rho~ df + f~ rho~ dtheta. */
#include "model/cables/cable.h"

#include "model/elements.h"
#include "system/lies.h"

#include <math.h>
#include <string.h>

static const nt_section cable_section = {.name = "cables", .word = "cable", .one_type = true};

/* ---- nodes -------------------------------------------------------------------------------------
 */

typedef struct cable_node {
    int body, port; /* of the translation */
    bool end;
    v3 rho, x, v, w;
} cable_node;

static bool is_end(const nt_cable *c, int i) { return i == 0 || i == c->n; }

static int port_of_node(const nt_cable *c, int i)
{
    return i == 0 ? NT_T_A : i == c->n ? NT_T_B : NT_PORTS + 2 * (i - 1);
}

static cable_node node_at(const nt_cable *c, const nt_view *view, int i)
{
    bool end = is_end(c, i);
    int side = i == c->n;
    cable_node n = {.end = end,
                    .body = end ? c->between[side] : c->first_body + i - 1,
                    .port = port_of_node(c, i)};
    const nt_motion *m = &view->motion[n.body];
    n.x = m->x, n.v = m->v;
    if (!end)
        return n;
    n.rho = m3_apply(m->R, c->offset[side]);
    n.w = m->w;
    n.x = v3_add(m->x, n.rho);
    n.v = v3_add(m->v, v3_cross(m->w, n.rho));
    return n;
}

static void push_node(const nt_view *view, const cable_node *n, v3 f)
{
    nt_view_force(view, n->port, f);
    if (n->end)
        nt_view_force(view, n->port + 1, v3_cross(n->rho, f));
}

/* ---- blocks of the tangent ---------------------------------------------------------------------
 *
 * A cable lists its blocks, whose number grows with its nodes as its forces do: a table of all
 * pairs of ports would grow with the square. First come those of each segment, of its two nodes
 * with themselves and with each other; then those of each node with itself, of the bed and its
 * mass. An inner node has one row and column, of its place; an end has another of its body's
 * rotation, and either only where the body has it.
 *
 * An evaluation adds to each block on the list once. Of blocks that other elements add to as well
 * the sums are then the same to the bit, whether all add to the matrix at once or are put aside and
 * added up in the order of the list. */

/* The blocks of a node, or of the nodes of a segment: n rows of n. */
typedef struct coupled {
    int first;      /* of them in the list */
    int n, port[4]; /* of each row, and of each column */
    int row[2][2];  /* of each node: of its place, of its rotation; -1: it has none */
} coupled;

/* Adds the rows of node i. */
static void couple_node(coupled *to, const nt_element *e, const nt_cable *c, int i, int side)
{
    int port = port_of_node(c, i);
    for (int k = 0; k < 2; k++) {
        bool has = (k == 0 || is_end(c, i)) && e->ports[port + k].node >= 0;
        to->row[side][k] = has ? to->n : -1;
        if (has)
            to->port[to->n++] = port + k;
    }
}

/* How many rows an end has. */
static int rows_of_end(const nt_element *e, int side)
{
    return (e->ports[side ? NT_T_B : NT_T_A].node >= 0) +
           (e->ports[side ? NT_R_B : NT_R_A].node >= 0);
}

static int square(int rows) { return rows * rows; }

/* Its first block in the list. */
static int first_of_segment(const nt_element *e, int i)
{
    return i == 0 ? 0 : square(rows_of_end(e, 0) + 1) + 4 * (i - 1);
}

static coupled couples_of_segment(const nt_element *e, const nt_cable *c, int i)
{
    coupled of = {.first = first_of_segment(e, i)};
    couple_node(&of, e, c, i, 0);
    couple_node(&of, e, c, i + 1, 1);
    return of;
}

static coupled couples_of_node(const nt_element *e, const nt_cable *c, int i)
{
    int start = rows_of_end(e, 0), end = rows_of_end(e, 1);
    int segments =
        c->n == 1 ? square(start + end) : square(start + 1) + 4 * (c->n - 2) + square(end + 1);
    coupled of = {.first = segments + (i == 0 ? 0 : square(start) + i - 1)};
    couple_node(&of, e, c, i, 0);
    return of;
}

static nt_status list_couples(nt_model *model, nt_element *e, const coupled *of)
{
    nt_status status = NT_OK;
    for (int k = 0; k < square(of->n) && status == NT_OK; k++)
        status = nt_element_list_couple(model, e, of->first + k, of->port[k / of->n],
                                        of->port[k % of->n]);
    return status;
}

/* What an evaluation adds to such blocks, nothing as yet. */
typedef struct tangent {
    coupled of;
    m3 sum[4 * 4]; /* [n][n] */
} tangent;

static void begin_tangent(tangent *t, coupled of)
{
    t->of = of;
    memset(t->sum, 0, (size_t)square(of.n) * sizeof *t->sum);
}

static void put_tangent(const nt_view *view, const tangent *t)
{
    for (int k = 0; k < square(t->of.n); k++)
        nt_view_add_couple(view, t->of.first + k, t->sum[k]);
}

/* Nothing where the row or the column is -1. */
static void add_block(tangent *t, int row, int column, m3 block)
{
    int k = row * t->of.n + column;
    if (row >= 0 && column >= 0)
        t->sum[k] = m3_add(t->sum[k], block);
}

/* What the rows of a node get from a change of its force. */
static void add_rows(tangent *t, const cable_node *a, int side, int column, m3 block)
{
    add_block(t, t->of.row[side][0], column, block);
    if (t->of.row[side][1] >= 0)
        add_block(t, t->of.row[side][1], column, m3_skew_multiply(a->rho, block));
}

/* df_a = K dx_b + C dv_b, of the nodes nodes[a] and nodes[b]. */
static void add_derivative(tangent *t, const nt_view *view, const cable_node *nodes, int a, int b,
                           m3 K, m3 C)
{
    const nt_combination *of = view->terms->combination;
    const cable_node *from = &nodes[a], *to = &nodes[b];
    int place = t->of.row[b][0], turn = t->of.row[b][1];
    if (place >= 0)
        add_rows(t, from, a, place, m3_add(m3_scale(of->stiffness, K), m3_scale(of->damping, C)));
    if (turn < 0)
        return;
    m3 arm = m3_scale(-1, m3_skew(to->rho)); /* dx by dtheta, dv by dw */
    m3 turned = m3_add(K, m3_multiply(C, m3_skew(to->w)));
    m3 rate = nt_rate_map(view, to->body, of->damping, of->stiffness);
    m3 column = m3_scale(of->stiffness, m3_multiply(turned, arm));
    add_rows(t, from, a, turn, m3_add(column, m3_multiply(m3_multiply(C, arm), rate)));
}

/* The blocks of a segment between inner nodes, as most are, which pulls with K dx + C dv. */
static void put_between_inner(const nt_view *view, int first, m3 K, m3 C)
{
    const nt_combination *of = view->terms->combination;
    m3 own = m3_add(m3_scale(of->stiffness, K), m3_scale(of->damping, C));
    m3 other = m3_scale(-1, own);
    nt_view_add_couple(view, first, own);
    nt_view_add_couple(view, first + 1, other);
    nt_view_add_couple(view, first + 2, other);
    nt_view_add_couple(view, first + 3, own);
}

/* The moment rho x f of an end turns with its body. */
static void add_own_turn(tangent *t, const nt_view *view, const cable_node *a, int side, v3 f)
{
    int turn = t->of.row[side][1];
    if (turn >= 0)
        add_block(t, turn, turn,
                  m3_scale(view->terms->combination->stiffness, m3_skew_skew(f, a->rho)));
}

/* ---- segments ----------------------------------------------------------------------------------
 */

typedef struct segment {
    v3 e, v;
    double l, l0, strain, rate, T;
    double elastic; /* what the strain has of T */
} segment;

/* Where the force of a cable begins, in this order: n segments pull; with damping n are strained;
 * n + 1 nodes meet the bed. */
typedef enum cable_onset { PULLED, STRAINED, ON_BED, CABLE_ONSETS } cable_onset;

/* The number of the first of a kind, and, of CABLE_ONSETS, how many there are. */
static int first_onset(const nt_cable *c, cable_onset kind)
{
    int n[CABLE_ONSETS] = {c->n, c->given >> NT_CABLE_DAMPING & 1 ? c->n : 0,
                           c->seabed.height ? c->n + 1 : 0};
    int first = 0;
    for (int k = 0; k < (int)kind; k++)
        first += n[k];
    return first;
}

/* Whether number i of a kind is passed. What is strained is without damping the same as what pulls.
 */
static bool cable_acts(const nt_element *e, const nt_view *view, cable_onset kind, int i, double x)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    bool own = first_onset(c, kind + 1) > first_onset(c, kind);
    int first = first_onset(c, own ? kind : kind - 1);
    return nt_onset_acts(view->run, e, first + i, x);
}

/* Segment i, from node a to node b. */
static segment segment_of(const nt_element *e, const nt_view *view, const cable_node *a,
                          const cable_node *b, int i)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    segment s = {.l0 = c->length / c->n};
    v3 d = v3_sub(b->x, a->x);
    s.l = v3_norm(d);
    s.e = s.l > 0 ? v3_scale(1 / s.l, d) : v3_of(0, 0, 0);
    s.v = v3_sub(b->v, a->v);
    s.strain = s.l / s.l0 - 1;
    s.rate = v3_dot(s.e, s.v) / s.l0;
    double pulled = s.strain + c->damping * s.rate;
    s.T = cable_acts(e, view, PULLED, i, pulled) ? c->stiffness * pulled : 0;
    s.elastic = cable_acts(e, view, STRAINED, i, s.strain) ? c->stiffness * s.strain : 0;
    return s;
}

/* The tension that derivatives are taken under. In static iterations it follows the increments
 * linearly (Newton with independent stresses): a place that is off by little strains a line that
 * hardly stretches by much, or lets it go slack, where its tension hardly changes. What is to go
 * slack and is taut as yet goes by its tension. */
static double tension_of_tangent(const nt_cable *c, const segment *s, int i)
{
    double carried =
        c->carries ? ((const double *)(const void *)((const char *)c + c->carried))[i] : 0;
    return carried > 0 ? carried : s->T;
}

static void add_segment(const nt_element *e, const nt_view *view, const nt_cable *c, int i)
{
    const cable_node nodes[2] = {node_at(c, view, i), node_at(c, view, i + 1)};
    segment s = segment_of(e, view, &nodes[0], &nodes[1], i);
    v3 f = v3_scale(s.T, s.e);
    if (view->terms->residual && s.T != 0) { /* below 0 in differences beside its onset */
        push_node(view, &nodes[0], v3_neg(f));
        push_node(view, &nodes[1], f);
    }
    double T = view->terms->matrix ? tension_of_tangent(c, &s, i) : 0;
    if (!(T > 0 && s.l > 0))
        return;
    m3 across = m3_scale(1 / s.l, m3_sub(m3_identity(), m3_dyad(s.e, s.e)));
    double k = c->stiffness / s.l0;
    v3 slope = v3_axpy(c->damping, m3_apply(across, s.v), s.e);
    m3 K = m3_add(m3_scale(k, m3_dyad(s.e, slope)), m3_scale(T, across));
    m3 C = m3_scale(k * c->damping, m3_dyad(s.e, s.e)), mK = m3_scale(-1, K), mC = m3_scale(-1, C);
    if (!nodes[0].end && !nodes[1].end) {
        put_between_inner(view, first_of_segment(e, i), K, C);
        return;
    }
    tangent t;
    begin_tangent(&t, couples_of_segment(e, c, i));
    add_derivative(&t, view, nodes, 0, 0, K, C);
    add_derivative(&t, view, nodes, 1, 1, K, C);
    add_derivative(&t, view, nodes, 0, 1, mK, mC);
    add_derivative(&t, view, nodes, 1, 0, mK, mC);
    add_own_turn(&t, view, &nodes[0], 0, v3_neg(f));
    add_own_turn(&t, view, &nodes[1], 1, f);
    put_tangent(view, &t);
}

static void add_segment_energy(const nt_element *e, const nt_view *view, const nt_cable *c, int i)
{
    cable_node a = node_at(c, view, i), b = node_at(c, view, i + 1);
    segment s = segment_of(e, view, &a, &b, i);
    view->energy->potential += 0.5 * s.l0 * s.elastic * s.strain;
    view->energy->power -= (s.T - s.elastic) * s.rate * s.l0;
}

/* How a node moves in an increment, to first order. */
static v3 way_of(const nt_view *view, const cable_node *n, const double *increment)
{
    const nt_body *body = &view->bodies[n->body];
    v3 way = body->t_node >= 0 ? v3_load(increment + body->v) : v3_of(0, 0, 0);
    if (!n->end || body->r_node < 0)
        return way;
    v3 turn = v3_load(increment + body->v + (body->t_node >= 0 ? 3 : 0));
    return v3_add(way, v3_cross(turn, n->rho));
}

static void cable_carry(nt_run *run, const nt_element *e, const nt_view *view,
                        const double *increment)
{
    nt_cable *c = nt_element_numbers(run, e);
    c->carries = increment != NULL;
    for (int i = 0; increment && i < c->n; i++) {
        cable_node a = node_at(c, view, i), b = node_at(c, view, i + 1);
        segment s = segment_of(e, view, &a, &b, i);
        v3 way = v3_sub(way_of(view, &b, increment), way_of(view, &a, increment));
        nt_cable_carried(c)[i] = c->stiffness * (s.strain + v3_dot(s.e, way) / s.l0);
    }
}

/* ---- masses at nodes ---------------------------------------------------------------------------
 */

static double mass_at(const nt_cable *c, int i)
{
    return c->mass * c->length / c->n * (i == 0 || i == c->n ? 0.5 : 1);
}

/* Parts of the equations that masses have terms in. */
enum { OF_MASSES = NT_MASS | NT_GYROSCOPIC | NT_EXPLICIT };

/* As much of it as acts: static paths add gravity by and by. */
static v3 cable_gravity(const nt_view *view)
{
    return v3_scale(view->run->share[NT_SHARE_GRAVITY], v3_load(view->run->gravity));
}

/* m (a - g) of a point at rho from the body's reference point; with a matrix to the tangent of the
 * node. */
static void add_mass(const nt_cable *c, const nt_view *view, int i, const cable_node *node,
                     tangent *t)
{
    const nt_terms *terms = view->terms;
    const cable_node n = *node;
    const nt_motion *m = &view->motion[n.body];
    v3 zero = v3_of(0, 0, 0), a = terms->parts & NT_MASS ? m->a : zero;
    v3 alpha = n.end && terms->parts & NT_MASS ? m->alpha : zero;
    v3 w = n.end && terms->parts & NT_GYROSCOPIC ? m->w : zero;
    v3 g = terms->parts & NT_EXPLICIT ? cable_gravity(view) : zero;
    double mass = mass_at(c, i);
    v3 turning = v3_add(v3_cross(alpha, n.rho), v3_cross(w, v3_cross(w, n.rho)));
    v3 f = v3_scale(mass, v3_sub(v3_add(a, turning), g));
    if (terms->residual)
        push_node(view, node, f);
    if (!terms->matrix)
        return;
    const nt_combination *of = terms->combination;
    add_rows(t, node, 0, t->of.row[0][0], m3_scale(mass * of->mass, m3_identity()));
    if (t->of.row[0][1] < 0)
        return;
    m3 arm = m3_scale(-mass, m3_skew(n.rho));
    m3 by_w = m3_scale(-mass, m3_add(m3_skew(v3_cross(w, n.rho)), m3_skew_skew(w, n.rho)));
    m3 by_turn = m3_multiply(m3_add(m3_skew(alpha), m3_skew_skew(w, w)), arm);
    m3 column = m3_scale(of->stiffness, by_turn);
    column = m3_add(column,
                    m3_multiply(arm, nt_acceleration_map(view, n.body, of->mass, of->stiffness)));
    column =
        m3_add(column, m3_multiply(by_w, nt_rate_map(view, n.body, of->damping, of->stiffness)));
    add_rows(t, node, 0, t->of.row[0][1], column);
    add_own_turn(t, view, node, 0, f);
}

static void add_mass_energy(const nt_cable *c, const nt_view *view, int i)
{
    cable_node n = node_at(c, view, i);
    double mass = n.body == 0 ? 0 : mass_at(c, i);
    view->energy->kinetic += 0.5 * mass * v3_dot(n.v, n.v);
    view->energy->potential -= mass * v3_dot(n.x, cable_gravity(view));
}

static void cable_momentum(const nt_element *e, const nt_view *view, v3 *p, v3 *L)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    for (int i = 0; i <= c->n; i++) {
        cable_node n = node_at(c, view, i);
        v3 q = v3_scale(n.body == 0 ? 0 : mass_at(c, i), n.v);
        *p = v3_add(*p, q);
        *L = v3_add(*L, v3_cross(n.x, q));
    }
}

/* ---- seabed ------------------------------------------------------------------------------------
 */

nt_status nt_cable_seabed(const nt_cable *c, const nt_run *run, const double *variables,
                          double *scratch, v3 x, double *height, double slope[2], double second[3])
{
    const nt_model *model = run->model;
    const nt_straight *straight = run->straight;
    int n = nt_model_variable_count(model);
    double *at = scratch, *along = at + n, jet[3];
    memcpy(at, straight ? straight->base : variables, (size_t)n * sizeof *at);
    for (int i = 0; i < 2; i++)
        if (c->variable[i] >= 0)
            at[c->variable[i]] = i == 0 ? x.x : x.y;
    if (straight) {
        nt_expression_jet(c->seabed.height, at, straight->rates, model->zeros, jet);
        *height = straight->share * jet[0] + straight->s * jet[1];
        for (int i = 0; i < n; i++) /* slopes are those of the parameters' values there */
            at[i] += straight->s * straight->rates[i];
    } else {
        *height = nt_expression_value(c->seabed.height, at);
    }
    memset(along, 0, (size_t)n * sizeof *along);
    double all[3][3] = {{0}}; /* along x, y, and both */
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++)
            if (c->variable[i] >= 0)
                along[c->variable[i]] = k == 2 || k == i;
        nt_expression_jet(c->seabed.height, at, along, model->zeros, all[k]);
    }
    slope[0] = all[0][1], slope[1] = all[1][1];
    if (second) {
        second[0] = all[0][2], second[2] = all[1][2];
        second[1] = (all[2][2] - all[0][2] - all[1][2]) / 2;
    }
    return isfinite(*height) && isfinite(slope[0]) && isfinite(slope[1]) ? NT_OK : NT_NOT_FINITE;
}

typedef struct bed {
    bool meets; /* all that follows but d is found there alone */
    double d, rate, N, N_d, N_rate, l0;
    v3 n, u, f;       /* not normalised; velocity along the bed; force on the node */
    double n2, s, mu; /* mu: friction over N, which is less than the force that presses */
    m3 H;             /* second derivatives of the height */
} bed;

/* Half a segment lies at an end. */
static nt_status bed_under(const nt_element *e, const nt_view *view, int i, const cable_node *node,
                           bed *b)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    double height, slope[2], second[3];
    *b = (bed){.l0 = (node->end ? 0.5 : 1) * c->length / c->n};
    nt_status status = nt_cable_seabed(c, view->run, view->variables, view->scratch, node->x,
                                       &height, slope, second);
    b->d = height - node->x.z;
    b->meets = status == NT_OK && cable_acts(e, view, ON_BED, i, b->d);
    if (!b->meets)
        return status;
    b->n = v3_of(-slope[0], -slope[1], 1);
    b->n2 = v3_dot(b->n, b->n);
    b->H = (m3){second[0], second[1], 0, second[1], second[2], 0, 0, 0, 0};
    b->rate = -v3_dot(b->n, node->v);
    double elastic = c->seabed.stiffness * b->d, damped = c->seabed.damping * b->rate;
    double r = hypot(elastic, damped), p = r > 0 ? elastic / r : 1, q = r > 0 ? damped / r : 0;
    b->N = b->l0 * elastic * (1 + q);
    b->N_d = b->l0 * c->seabed.stiffness * (1 + q * q * q);
    b->N_rate = b->l0 * c->seabed.damping * p * p * p;
    b->u = v3_axpy(-v3_dot(b->n, node->v) / b->n2, b->n, node->v);
    b->s = sqrt(v3_dot(b->u, b->u) + c->seabed.speed * c->seabed.speed);
    b->mu = c->seabed.friction * sqrt(b->n2);
    b->f = v3_axpy(-b->mu * b->N / b->s, b->u, v3_scale(b->N, b->n));
    return NT_OK;
}

static void add_bed_tangent(tangent *t, const nt_view *view, const cable_node *node, const bed *b)
{
    v3 Hv = m3_apply(b->H, node->v);
    v3 N_x = v3_axpy(-b->N_d, b->n, v3_scale(b->N_rate, Hv));
    v3 N_v = v3_scale(-b->N_rate, b->n);
    v3 along = v3_axpy(-b->mu / b->s, b->u, b->n); /* of the normal force */
    m3 K = m3_sub(m3_dyad(along, N_x), m3_scale(b->N, b->H)), C = m3_dyad(along, N_v);
    if (b->mu > 0) {
        m3 E = m3_scale(b->mu * b->N / b->s,
                        m3_sub(m3_identity(), m3_scale(1 / (b->s * b->s), m3_dyad(b->u, b->u))));
        double q = v3_dot(b->n, node->v) / b->n2;
        m3 P = m3_sub(m3_identity(), m3_scale(1 / b->n2, m3_dyad(b->n, b->n)));
        /* dn = -H dx, dq = (dn . v - 2 q n . dn)/n2, du = -n dq - q dn, d|n| = n . dn/|n| */
        v3 q_x = v3_scale(1 / b->n2, v3_axpy(2 * q, m3_apply(b->H, b->n), v3_neg(Hv)));
        m3 u_x = m3_sub(m3_scale(q, b->H), m3_dyad(b->n, q_x));
        C = m3_sub(C, m3_multiply(E, P));
        K = m3_sub(K, m3_multiply(E, u_x));
        v3 steeper = v3_scale(-1 / b->n2, m3_apply(b->H, b->n));
        K = m3_sub(K, m3_scale(b->mu * b->N / b->s, m3_dyad(b->u, steeper)));
    }
    add_derivative(t, view, node, 0, 0, m3_scale(-1, K), m3_scale(-1, C));
    add_own_turn(t, view, node, 0, v3_neg(b->f));
}

static nt_status add_bed(const nt_element *e, const nt_view *view, int i, const cable_node *node,
                         tangent *t)
{
    bed b;
    nt_status status = bed_under(e, view, i, node, &b);
    if (status != NT_OK || !b.meets)
        return status;
    if (view->terms->residual)
        push_node(view, node, v3_neg(b.f));
    if (view->terms->matrix)
        add_bed_tangent(t, view, node, &b);
    return NT_OK;
}

static nt_status add_bed_energy(const nt_element *e, const nt_view *view, const nt_cable *c, int i)
{
    bed b;
    cable_node node = node_at(c, view, i);
    nt_status status = node.body == 0 ? NT_OK : bed_under(e, view, i, &node, &b);
    if (node.body == 0 || status != NT_OK || !b.meets)
        return status;
    double k = b.l0 * c->seabed.stiffness;
    view->energy->potential += 0.5 * k * b.d * b.d;
    double elastic = k * b.d * v3_dot(b.n, node.v);
    view->energy->power += v3_dot(b.f, node.v) - elastic;
    if (node.end && view->run->noting)
        nt_cable_note_depth(e, view, i > 0, b.d);
    return NT_OK;
}

/* ---- the type ----------------------------------------------------------------------------------
 */

/* Bed and mass of a node, as far as the view asks for them. */
static nt_status add_node(const nt_element *e, const nt_view *view, const nt_cable *c, int i)
{
    cable_node node = node_at(c, view, i);
    nt_status status = NT_OK;
    tangent t;
    if (node.body == 0)
        return NT_OK;
    if (view->terms->matrix)
        begin_tangent(&t, couples_of_node(e, c, i));
    if (view->terms->parts & e->part && c->seabed.height)
        status = add_bed(e, view, i, &node, &t);
    if (view->terms->parts & OF_MASSES)
        add_mass(c, view, i, &node, &t);
    if (view->terms->matrix && status == NT_OK)
        put_tangent(view, &t);
    return status;
}

static nt_status add_energies(const nt_element *e, const nt_view *view, const nt_cable *c)
{
    nt_status status = NT_OK;
    for (int i = 0; i < c->n; i++)
        add_segment_energy(e, view, c, i);
    for (int i = 0; i <= c->n && c->seabed.height && status == NT_OK; i++)
        status = add_bed_energy(e, view, c, i);
    for (int i = 0; i <= c->n; i++)
        add_mass_energy(c, view, i);
    return status;
}

static nt_status cable_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    if (view->energy)
        return add_energies(e, view, c);
    nt_status status = NT_OK;
    bool pulls = view->terms->parts & e->part;
    bool at_nodes = view->terms->parts & OF_MASSES || (pulls && c->seabed.height);
    for (int i = 0; i < c->n && pulls; i++)
        add_segment(e, view, c, i);
    for (int i = 0; i <= c->n && at_nodes && status == NT_OK; i++)
        status = add_node(e, view, c, i);
    return status;
}

static nt_status cable_declare(nt_model *model, nt_element *e)
{
    const nt_cable *c = nt_model_data(model, e);
    size_t scratch = 2 * (size_t)nt_model_variable_count(model);
    model->scratch = scratch > model->scratch ? scratch : model->scratch;
    nt_status status = NT_OK;
    if (c->n > 1)
        status = nt_element_ports_of_bodies(model, e, c->first_body, c->n - 1);
    if (status != NT_OK)
        return status;
    coupled last = couples_of_node(e, c, c->n);
    status = nt_element_begin_couples(model, e, last.first + square(last.n));
    for (int i = 0; i < c->n && status == NT_OK; i++) {
        coupled of = couples_of_segment(e, c, i);
        status = list_couples(model, e, &of);
    }
    for (int i = 0; i <= c->n && status == NT_OK; i++) {
        coupled of = couples_of_node(e, c, i);
        status = list_couples(model, e, &of);
    }
    return status;
}

/* Weight and inertia of the half segment that hangs on an end, and what the bed bears of it. */
static v3 load_of_end(const nt_element *e, const nt_view *view, int i)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    cable_node n = node_at(c, view, i);
    const nt_motion *m = &view->motion[n.body];
    v3 turning = v3_add(v3_cross(m->alpha, n.rho), v3_cross(m->w, v3_cross(m->w, n.rho)));
    v3 g = cable_gravity(view);
    v3 load = v3_scale(mass_at(c, i), v3_sub(g, v3_add(m->a, turning)));
    bed b = {.d = 0};
    if (c->seabed.height && n.body > 0 && bed_under(e, view, i, &n, &b) == NT_OK && b.meets)
        load = v3_add(load, b.f);
    return load;
}

void nt_cable_look(const nt_element *e, const nt_view *view, double ends[2], double *length)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    *length = 0;
    for (int i = 0; i < c->n; i++) {
        cable_node a = node_at(c, view, i), b = node_at(c, view, i + 1);
        segment s = segment_of(e, view, &a, &b, i);
        *length += s.l;
        if (i == 0)
            ends[0] = v3_norm(v3_axpy(s.T, s.e, load_of_end(e, view, 0)));
        if (i == c->n - 1)
            ends[1] = v3_norm(v3_axpy(-s.T, s.e, load_of_end(e, view, c->n)));
    }
}

static int cable_onsets(const nt_run *run, const nt_element *e, const nt_view *view, double *beyond)
{
    const nt_cable *c = nt_cable_of(run, e);
    int strained = first_onset(c, STRAINED), on_bed = first_onset(c, ON_BED);
    for (int i = 0; beyond && i < c->n; i++) {
        cable_node a = node_at(c, view, i), b = node_at(c, view, i + 1);
        segment s = segment_of(e, view, &a, &b, i);
        beyond[i] = s.l0 * (s.strain + c->damping * s.rate);
        if (on_bed > strained)
            beyond[strained + i] = s.l0 * s.strain;
    }
    for (int i = 0; beyond && c->seabed.height && i <= c->n; i++) {
        cable_node node = node_at(c, view, i);
        bed b;
        bool known = node.body > 0 && bed_under(e, view, i, &node, &b) == NT_OK;
        beyond[on_bed + i] = known ? b.d : (double)NAN;
    }
    return first_onset(c, CABLE_ONSETS);
}

static bool cable_depends_on_rates(const nt_run *run, const nt_element *e)
{
    const nt_cable *c = nt_cable_of(run, e);
    return c->damping > 0 ||
           (c->seabed.height && (c->seabed.damping > 0 || c->seabed.friction > 0));
}

/* Slack, and the bed. */
static bool cable_is_smooth(const nt_run *run, const nt_element *e)
{
    (void)run, (void)e;
    return false;
}

/* Inner nodes between two slack segments hang on nothing, alone or as a piece of the line that is
 * taut over the bed: where no end holds it nothing may push it along the bed. */
static void cable_rests(const nt_element *e, const nt_view *view, unsigned char *lies)
{
    const nt_cable *c = nt_cable_of(view->run, e);
    int after = -1; /* the first node behind the last slack segment; -1: the first end holds */
    for (int i = 0; i < c->n; i++) {
        cable_node a = node_at(c, view, i), b = node_at(c, view, i + 1);
        if (segment_of(e, view, &a, &b, i).T > 0)
            continue;
        for (int j = after; after > 0 && j <= i; j++)
            for (int k = 0, v = view->bodies[c->first_body + j - 1].v; k < 3; k++)
                lies[v + k] = NT_LIES;
        after = i + 1;
    }
}

static void cable_draw(const nt_run *run, const nt_element *e, nt_sketch_put *put, void *to)
{
    const nt_cable *c = nt_cable_of(run, e);
    nt_sketch sketch = {.drawing = NT_DRAW_ROPE};
    int most = NT_ROUTE_POINTS - 1, steps = c->n < most ? c->n : most;
    for (int i = 0; i <= steps; i++) {
        int node = i * c->n / steps, side = node == c->n;
        bool end = node == 0 || side;
        v3 at =
            end ? v3_add(c->offset[side], run->bodies[c->between[side]].reference) : v3_of(0, 0, 0);
        nt_sketch_add(&sketch, end ? c->between[side] : c->first_body + node - 1, at,
                      v3_of(0, 0, 1));
    }
    put(to, &sketch);
}

const nt_element_type nt_cable_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &cable_section,
    .name = "cable",
    .summary = "a line with mass that bears tension alone",
    .keys = nt_cable_keys,
    .size = sizeof(nt_cable),
    .part = NT_IMPLICIT,
    .defaults = nt_cable_defaults,
    .own_bodies = nt_cable_own_bodies,
    .settle = nt_cable_settle,
    .has_inertia = true,
    .momentum = cable_momentum,
    .only_takes = true,
    .prepare = nt_cable_prepare,
    .declare = cable_declare,
    .evaluate = cable_evaluate,
    .carry = cable_carry,
    .depends_on_rates = cable_depends_on_rates,
    .onsets = cable_onsets,
    .is_smooth = cable_is_smooth,
    .draw = cable_draw,
    .rests = cable_rests,
    .warning = nt_cable_warning,
    .shows = NT_SHOWS(NT_OF_CABLE) | NT_SHOWS(NT_OF_ELASTIC),
};
