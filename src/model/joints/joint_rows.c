/* The primitive rows of joints: values and gradients at position, velocity and acceleration level,
 * and the tangent of their forces.
 *
 *   Phi   = u . w
 *   Phi'  = u' . w + u . w'
 *   Phi'' = u'' . w + 2 u' . w' + u . w''
 *
 * for u and w among the directions e_i of A, f_j of B and the distance d = p_B - p_A; and for the
 * distance row with ell = |d|, n = d/ell, P = (I - n n^T)/ell:
 *
 *   Phi = ell - L,  Phi' = n . d',  Phi'' = n . d'' + d' . P d'. */
#include "model/joints/joint_rows.h"
#include "group/rotation.h"

#include <math.h>

/* c[k] multiplies the k-th derivative of a vector's variation. */
typedef struct coefficients {
    v3 c[3];
} coefficients;

/* Coefficients of the variation of (u . w) at a level in the derivatives of u. */
static coefficients product_coefficients(nt_level level, v3 w, v3 w1, v3 w2)
{
    v3 o = v3_of(0, 0, 0);
    switch (level) {
    case NT_POSITION:
        return (coefficients){{w, o, o}};
    case NT_VELOCITY:
        return (coefficients){{w1, w, o}};
    default:
        return (coefficients){{w2, v3_scale(2, w1), w}};
    }
}

static double product(nt_level level, const body_vector *u, v3 w, v3 w1, v3 w2)
{
    switch (level) {
    case NT_POSITION:
        return v3_dot(u->r, w);
    case NT_VELOCITY:
        return v3_dot(u->r1, w) + v3_dot(u->r, w1);
    default:
        return v3_dot(u->r2, w) + 2 * v3_dot(u->r1, w1) + v3_dot(u->r, w2);
    }
}

static coefficients negated(coefficients k)
{
    return (coefficients){{v3_neg(k.c[0]), v3_neg(k.c[1]), v3_neg(k.c[2])}};
}

static void row_add(const joint_geometry *of, body_gradient *g, const nt_motion *m,
                    const body_vector *r, bool point, coefficients k)
{
    if (of->gradients && of->rates) {
        add_gradient(g, m, r, point, k.c[0], k.c[1], k.c[2]);
    } else if (of->gradients) {
        g->theta = v3_add(g->theta, v3_cross(r->arm, k.c[0]));
        g->x = point ? v3_add(g->x, k.c[0]) : g->x;
    }
}

void joint_geometry_of(joint_geometry *g, const nt_element *element, const nt_view *view)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    g->gradients = g->rates = true;
    g->a = &view->motion[element->a];
    g->b = &view->motion[element->b];
    for (int i = 0; i < 3; i++) {
        g->e[i] = body_direction(g->a, joint->e[i]);
        g->f[i] = body_direction(g->b, joint->f[i]);
    }
    g->pa = body_point(g->a, joint->point_a);
    g->pb = body_point(g->b, joint->point_b);
    g->d = v3_sub(g->pb.r, g->pa.r);
    g->d1 = v3_sub(g->pb.r1, g->pa.r1);
    g->d2 = v3_sub(g->pb.r2, g->pa.r2);
}

void joint_positions_of(joint_geometry *g, const nt_element *element, const nt_view *view)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    *g = (joint_geometry){
        .gradients = true, .a = &view->motion[element->a], .b = &view->motion[element->b]};
    for (int i = 0; i < 3; i++) {
        g->e[i].r = g->e[i].arm = m3_apply(g->a->R, joint->e[i]);
        g->f[i].r = g->f[i].arm = m3_apply(g->b->R, joint->f[i]);
    }
    g->pa.arm = m3_apply(g->a->R, joint->point_a);
    g->pb.arm = m3_apply(g->b->R, joint->point_b);
    g->pa.r = v3_add(g->a->x, g->pa.arm);
    g->pb.r = v3_add(g->b->x, g->pb.arm);
    g->d = v3_sub(g->pb.r, g->pa.r);
}

/* A direction between e1 and e2 that turns by f(t): e = -sin f e1 + cos f e2. */
static body_vector turning_direction(const joint_geometry *g, const double f[3])
{
    double s = sin(f[0]), c = cos(f[0]);
    body_vector u = {0};
    const body_vector *e1 = &g->e[0], *e2 = &g->e[1];
    v3 across = v3_sub(v3_scale(c, e2->r), v3_scale(s, e1->r));        /* the direction */
    v3 along = v3_neg(v3_add(v3_scale(c, e1->r), v3_scale(s, e2->r))); /* d/df of it     */
    u.r = u.arm = across;
    u.r_t = v3_scale(f[1], along);
    u.r_tt = v3_sub(v3_scale(f[2], along), v3_scale(f[1] * f[1], across));
    v3 w = g->a->w;
    u.r1 = v3_add(v3_cross(w, u.r), u.r_t);
    u.r2 = v3_add(v3_add(v3_cross(g->a->alpha, u.r), v3_cross(w, v3_cross(w, u.r))),
                  v3_add(v3_scale(2, v3_cross(w, u.r_t)), u.r_tt));
    return u;
}

/* u . w with u of A, w of B, both directions */
static void directions_row(joint_row *row, const joint_geometry *g, nt_level level,
                           const body_vector *u, const body_vector *w)
{
    row->value = product(level, u, w->r, w->r1, w->r2);
    row->explicit_rate = v3_dot(u->r_t, w->r);
    row_add(g, &row->a, g->a, u, false, product_coefficients(level, w->r, w->r1, w->r2));
    row_add(g, &row->b, g->b, w, false, product_coefficients(level, u->r, u->r1, u->r2));
    row->moment_a = v3_cross(u->r, w->r);
    row->moment_b = v3_neg(row->moment_a);
}

/* e . d with e of A */
static void along_row(joint_row *row, const joint_geometry *g, nt_level level, const body_vector *e)
{
    row->value = product(level, e, g->d, g->d1, g->d2);
    row_add(g, &row->a, g->a, e, false, product_coefficients(level, g->d, g->d1, g->d2));
    coefficients k = product_coefficients(level, e->r, e->r1, e->r2);
    row_add(g, &row->b, g->b, &g->pb, true, k);
    row_add(g, &row->a, g->a, &g->pa, true, negated(k));
    row->force_b = e->r;
    row->force_a = v3_neg(e->r);
    row->moment_b = v3_cross(g->pb.arm, e->r);
    row->moment_a = v3_cross(e->r, v3_add(g->d, g->pa.arm));
}

/* component i of p_A - p_B in ground axes */
static void coincide_row(joint_row *row, const joint_geometry *g, nt_level level, int i)
{
    v3 unit = v3_of(i == 0, i == 1, i == 2), o = v3_of(0, 0, 0);
    const v3 d[3] = {g->d, g->d1, g->d2};
    row->value = -v3_component(d[level], i);
    coefficients k = {{level == NT_POSITION ? unit : o, level == NT_VELOCITY ? unit : o,
                       level == NT_ACCELERATION ? unit : o}};
    row_add(g, &row->a, g->a, &g->pa, true, k);
    row_add(g, &row->b, g->b, &g->pb, true, negated(k));
    row->force_a = unit;
    row->force_b = v3_neg(unit);
    row->moment_a = v3_cross(g->pa.arm, unit);
    row->moment_b = v3_neg(v3_cross(g->pb.arm, unit));
}

/* P y = (y - n (n . y))/ell */
static v3 project(v3 n, double ell, v3 y)
{
    return v3_scale(1 / ell, v3_axpy(-v3_dot(n, y), n, y));
}

static void distance_row(joint_row *row, const joint_geometry *g, nt_level level, double length)
{
    double ell = v3_norm(g->d);
    v3 n = v3_scale(1 / ell, g->d), o = v3_of(0, 0, 0);
    v3 n1 = project(n, ell, g->d1); /* n' = P d' */
    double rate = v3_dot(n, g->d1), turn = v3_dot(g->d1, n1);
    coefficients k;
    if (level == NT_POSITION) {
        row->value = ell - length;
        k = (coefficients){{n, o, o}};
    } else if (level == NT_VELOCITY) {
        row->value = rate;
        k = (coefficients){{n1, n, o}};
    } else {
        /* d(n . d'')/dd = P d'';  d(d' . P d')/dd = -(turn n + 2 rate n')/ell */
        row->value = v3_dot(n, g->d2) + turn;
        v3 c0 = v3_sub(project(n, ell, g->d2),
                       v3_scale(1 / ell, v3_add(v3_scale(turn, n), v3_scale(2 * rate, n1))));
        k = (coefficients){{c0, v3_scale(2, n1), n}};
    }
    row_add(g, &row->b, g->b, &g->pb, true, k);
    row_add(g, &row->a, g->a, &g->pa, true, negated(k));
    row->force_b = n;
    row->force_a = v3_neg(n);
    row->moment_b = v3_cross(g->pb.arm, n);
    row->moment_a = v3_neg(v3_cross(g->pa.arm, n));
}

/* The angle row is sin(angle - f). Beyond a right angle it is continued by 2 - sin, so that the
 * false root at half a turn does not exist: sign and shift of that branch. */
static double angle_branch(const joint_geometry *g, const double f[3], double sine, double *shift)
{
    double cosine =
        v3_dot(g->f[0].r, v3_add(v3_scale(cos(f[0]), g->e[0].r), v3_scale(sin(f[0]), g->e[1].r)));
    *shift = cosine < 0 ? copysign(2, sine) : 0;
    return cosine < 0 ? -1 : 1;
}

static void flip(joint_row *row)
{
    v3 *vectors[] = {&row->a.x,     &row->a.theta,  &row->a.v,     &row->a.w,
                     &row->a.a,     &row->a.alpha,  &row->b.x,     &row->b.theta,
                     &row->b.v,     &row->b.w,      &row->b.a,     &row->b.alpha,
                     &row->force_a, &row->moment_a, &row->force_b, &row->moment_b};
    for (int i = 0; i < (int)(sizeof vectors / sizeof vectors[0]); i++)
        *vectors[i] = v3_neg(*vectors[i]);
    row->value = -row->value;
    row->explicit_rate = -row->explicit_rate;
}

static void angle_row(joint_row *row, const joint_geometry *g, nt_level level, const double f[3])
{
    body_vector u = turning_direction(g, f);
    double shift, sine = v3_dot(u.r, g->f[0].r), sign = angle_branch(g, f, sine, &shift);
    directions_row(row, g, level, &u, &g->f[0]);
    if (sign < 0)
        flip(row);
    if (level == NT_POSITION)
        row->value += shift;
}

/* A direction by its components in a triad. */
static body_vector direction_in(const body_vector triad[3], v3 k)
{
    body_vector u = {0};
    for (int i = 0; i < 3; i++) {
        double c = v3_component(k, i);
        u.r = v3_axpy(c, triad[i].r, u.r);
        u.r1 = v3_axpy(c, triad[i].r1, u.r1);
        u.r2 = v3_axpy(c, triad[i].r2, u.r2);
    }
    u.arm = u.r;
    return u;
}

/* The two directions of a LOCK row, by the rotation vector of f in e: f_j = sum Q_kj e_k, Q =
 * exp(psi~), when it was latched. */
static void lock_directions(const joint_geometry *g, const nt_row_spec *spec, const double psi[3],
                            body_vector *u, body_vector *w)
{
    m3 Q = quat_matrix(so3_exp(v3_load(psi)));
    v3 unit_i = v3_of(spec->i == 0, spec->i == 1, spec->i == 2);
    v3 unit_j = v3_of(spec->j == 0, spec->j == 1, spec->j == 2);
    *u = g->e[spec->i], *w = g->f[spec->j];
    if (spec->kind == NT_ROW_LOCK)
        *u = direction_in(g->e, m3_apply(Q, unit_i));
    else if (spec->kind == NT_ROW_LOCK_A)
        *u = direction_in(g->e, v3_cross(unit_i, m3_apply(Q, unit_j)));
    else
        *w = direction_in(g->f, v3_cross(unit_j, m3_apply_transposed(Q, unit_i)));
}

/* The direction of an ACROSS row, by the d in the axes of A that is latched; across e1 where
 * nothing is. */
static body_vector across_direction(const joint_geometry *g, int i, const double latched[3])
{
    v3 d = v3_load(latched), n = v3_of(1, 0, 0);
    double length = v3_norm(d);
    if (length > 0)
        n = v3_scale(1 / length, d);
    v3 u = nt_joint_perpendicular(n, nt_joint_least_along(n));
    return direction_in(g->e, i == 0 ? u : v3_cross(n, u));
}

bool joint_row_of(joint_row *row, const joint_geometry *g, const nt_row_spec *spec, int component,
                  nt_level level, double length, const double motion[3])
{
    *row = (joint_row){0};
    switch (spec->kind) {
    case NT_ROW_COINCIDE:
        coincide_row(row, g, level, component);
        return true;
    case NT_ROW_ALONG:
        along_row(row, g, level, &g->e[spec->i]);
        return true;
    case NT_ROW_PERPENDICULAR:
        directions_row(row, g, level, &g->e[spec->i], &g->f[spec->j]);
        return true;
    case NT_ROW_DISTANCE:
        distance_row(row, g, level, length);
        return v3_norm(g->d) > 0;
    case NT_ROW_ANGLE:
        angle_row(row, g, level, motion);
        return true;
    case NT_ROW_SLIDE:
        along_row(row, g, level, &g->e[spec->i]);
        row->value -= motion[level];
        row->explicit_rate = -motion[1];
        return true;
    case NT_ROW_ACROSS: {
        body_vector u = across_direction(g, spec->i, motion);
        along_row(row, g, level, &u);
        return true;
    }
    case NT_ROW_LOCK:
    case NT_ROW_LOCK_A:
    case NT_ROW_LOCK_B: {
        body_vector u, w;
        lock_directions(g, spec, motion, &u, &w);
        directions_row(row, g, level, &u, &w);
        return true;
    }
    }
    return false;
}

/* ---- positions by themselves ------------------------------------------------------------------
 */

/* Where a joint's axes and arms are, in ground axes, and d = p_B - p_A. */
typedef struct joint_places {
    v3 e[3], f[3], arm_a, arm_b, d;
} joint_places;

typedef struct joint_push {
    v3 force_a, moment_a, force_b, moment_b;
} joint_push;

static void joint_places_of(joint_places *p, const nt_joint *joint, const nt_motion *a,
                            const nt_motion *b)
{
    for (int i = 0; i < 3; i++) {
        p->e[i] = m3_apply(a->R, joint->e[i]);
        p->f[i] = m3_apply(b->R, joint->f[i]);
    }
    p->arm_a = m3_apply(a->R, joint->point_a);
    p->arm_b = m3_apply(b->R, joint->point_b);
    p->d = v3_sub(v3_add(b->x, p->arm_b), v3_add(a->x, p->arm_a));
}

static void add_moment(joint_push *push, double lambda, v3 u, v3 w)
{
    v3 moment = v3_scale(lambda, v3_cross(u, w));
    push->moment_a = v3_add(push->moment_a, moment);
    push->moment_b = v3_sub(push->moment_b, moment);
}

static bool is_simple(nt_row_kind kind)
{
    return kind == NT_ROW_COINCIDE || kind == NT_ROW_PERPENDICULAR || kind == NT_ROW_ANGLE;
}

/* The directions u of A and w of B of a row of directions. Its value is sign (u . w) + shift. */
typedef struct joint_directions {
    v3 u, w;
    double sign, shift;
} joint_directions;

static joint_directions joint_directions_of(const joint_places *p, const nt_row_spec *spec,
                                            double motion)
{
    if (spec->kind == NT_ROW_PERPENDICULAR)
        return (joint_directions){p->e[spec->i], p->f[spec->j], 1, 0};
    double s = sin(motion), c = cos(motion);
    joint_directions d = {v3_sub(v3_scale(c, p->e[1]), v3_scale(s, p->e[0])), p->f[0], 1, 0};
    if (v3_dot(p->f[0], v3_add(v3_scale(c, p->e[0]), v3_scale(s, p->e[1]))) < 0)
        d.sign = -1, d.shift = copysign(2, v3_dot(d.u, d.w));
    return d;
}

/* The value of a row, or of three, and, where multipliers are given, what these put on the bodies,
 * added: the same numbers as those of joint_row_of. */
static void joint_add_position(joint_push *push, const joint_places *p, const nt_row_spec *spec,
                               double motion, const double *lambda, double *value)
{
    if (spec->kind == NT_ROW_COINCIDE) {
        v3_store(value, v3_neg(p->d));
        if (!lambda)
            return;
        v3 F = v3_load(lambda);
        push->force_a = v3_add(push->force_a, F);
        push->force_b = v3_sub(push->force_b, F);
        push->moment_a = v3_add(push->moment_a, v3_cross(p->arm_a, F));
        push->moment_b = v3_sub(push->moment_b, v3_cross(p->arm_b, F));
        return;
    }
    joint_directions d = joint_directions_of(p, spec, motion);
    *value = d.sign * v3_dot(d.u, d.w) + d.shift;
    if (lambda)
        add_moment(push, d.sign * *lambda, d.u, d.w);
}

static void add_position_row(const nt_view *view, int port, int r, v3 row)
{
    double *block = nt_view_block(view, NT_ROWS, port);
    if (block)
        v3_accumulate(block + 3 * r, row);
}

/* k times the derivatives of row r, or of three rows from r on: the forces and moments of a
 * multiplier of 1. */
static void joint_add_position_blocks(const nt_view *view, const joint_places *p,
                                      const nt_row_spec *spec, double motion, int r, double k)
{
    if (spec->kind != NT_ROW_COINCIDE) {
        joint_directions d = joint_directions_of(p, spec, motion);
        v3 moment = v3_scale(k * d.sign, v3_cross(d.u, d.w));
        add_position_row(view, nt_view_port(view, NT_R_A), r, moment);
        add_position_row(view, nt_view_port(view, NT_R_B), r, v3_neg(moment));
        return;
    }
    for (int i = 0; i < 3; i++, r++) {
        v3 force = v3_of(i == 0 ? k : 0, i == 1 ? k : 0, i == 2 ? k : 0);
        add_position_row(view, nt_view_port(view, NT_T_A), r, force);
        add_position_row(view, nt_view_port(view, NT_R_A), r, v3_cross(p->arm_a, force));
        add_position_row(view, nt_view_port(view, NT_T_B), r, v3_neg(force));
        add_position_row(view, nt_view_port(view, NT_R_B), r, v3_cross(force, p->arm_b));
    }
}

bool nt_joint_add_positions(const nt_element *e, const nt_view *view, const nt_row_spec *specs,
                            int n, double motion)
{
    const nt_joint *joint = nt_joint_of(view->run, e);
    const nt_terms *terms = view->terms;
    bool reacts = terms->residual && (terms->parts & NT_REACTIONS);
    const double *lambda = reacts ? view->lambda + e->first_row : NULL;
    joint_places places;
    joint_push push = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < n; i++)
        if (!is_simple(specs[i].kind))
            return false;
    joint_places_of(&places, joint, &view->motion[e->a], &view->motion[e->b]);
    for (int i = 0, r = 0; i < n; i++) {
        int count = specs[i].kind == NT_ROW_COINCIDE ? 3 : 1;
        double value[3];
        joint_add_position(&push, &places, &specs[i], motion, lambda ? lambda + r : NULL, value);
        if (terms->matrix)
            joint_add_position_blocks(view, &places, &specs[i], motion, r,
                                      terms->combination->row_stiffness);
        for (int k = 0; k < count; k++, r++)
            if (terms->rows)
                terms->rows[e->first_row + r] = value[k];
    }
    if (reacts) {
        nt_view_force(view, NT_T_A, push.force_a);
        nt_view_force(view, NT_R_A, push.moment_a);
        nt_view_force(view, NT_T_B, push.force_b);
        nt_view_force(view, NT_R_B, push.moment_b);
    }
    return true;
}

/* ---- tangents of row forces ----------------------------------------------------------------- */

static void row_put(const nt_view *view, int i, int j, double s, m3 block)
{
    nt_view_add(view, nt_view_port(view, i), nt_view_port(view, j), m3_scale(s, block));
}

/* lambda (e . d): force lambda e at p_B on B, its opposite at p_B on A */
static void along_tangent(const nt_view *view, const joint_geometry *g, v3 e, double k)
{
    m3 E = m3_skew(e);
    v3 D = v3_add(g->d, g->pa.arm), rho = g->pb.arm;
    row_put(view, NT_T_B, NT_R_A, -k, E);
    row_put(view, NT_T_A, NT_R_A, k, E);
    row_put(view, NT_R_B, NT_R_B, k, m3_skew_skew(e, rho));
    row_put(view, NT_R_B, NT_R_A, -k, m3_skew_skew(rho, e));
    row_put(view, NT_R_A, NT_R_A, k, m3_skew_skew(D, e));
    row_put(view, NT_R_A, NT_T_B, k, E);
    row_put(view, NT_R_A, NT_T_A, -k, E);
    row_put(view, NT_R_A, NT_R_B, -k, m3_skew_skew(e, rho));
}

/* lambda (u . w): moment lambda u x w on A, its opposite on B */
static void directions_tangent(const nt_view *view, v3 u, v3 w, double k)
{
    row_put(view, NT_R_A, NT_R_A, k, m3_skew_skew(w, u));
    row_put(view, NT_R_A, NT_R_B, -k, m3_skew_skew(u, w));
    row_put(view, NT_R_B, NT_R_A, -k, m3_skew_skew(w, u));
    row_put(view, NT_R_B, NT_R_B, k, m3_skew_skew(u, w));
}

/* A force F at p_B on B and -F at p_A on A, with dF = P dd */
static void pair_force_tangent(const nt_view *view, v3 rho_a, v3 rho_b, v3 F, m3 P, double k)
{
    m3 Pa = m3_multiply_skew(P, rho_a), Pb = m3_multiply_skew(P, rho_b);
    m3 aP = m3_skew_multiply(rho_a, P), bP = m3_skew_multiply(rho_b, P);
    row_put(view, NT_T_B, NT_T_B, k, P);
    row_put(view, NT_T_B, NT_T_A, -k, P);
    row_put(view, NT_T_B, NT_R_B, -k, Pb);
    row_put(view, NT_T_B, NT_R_A, k, Pa);
    row_put(view, NT_T_A, NT_T_B, -k, P);
    row_put(view, NT_T_A, NT_T_A, k, P);
    row_put(view, NT_T_A, NT_R_B, k, Pb);
    row_put(view, NT_T_A, NT_R_A, -k, Pa);
    row_put(view, NT_R_B, NT_T_B, k, bP);
    row_put(view, NT_R_B, NT_T_A, -k, bP);
    row_put(view, NT_R_B, NT_R_B, k, m3_sub(m3_skew_skew(F, rho_b), m3_multiply_skew(bP, rho_b)));
    row_put(view, NT_R_B, NT_R_A, k, m3_multiply_skew(bP, rho_a));
    row_put(view, NT_R_A, NT_T_B, -k, aP);
    row_put(view, NT_R_A, NT_T_A, k, aP);
    row_put(view, NT_R_A, NT_R_B, k, m3_multiply_skew(aP, rho_b));
    row_put(view, NT_R_A, NT_R_A, -k, m3_add(m3_skew_skew(F, rho_a), m3_multiply_skew(aP, rho_a)));
}

void joint_row_tangent(const nt_view *view, const joint_geometry *g, const nt_row_spec *spec,
                       int component, const double motion[3], double k)
{
    switch (spec->kind) {
    case NT_ROW_COINCIDE: {
        v3 F = v3_of(component == 0, component == 1, component == 2);
        row_put(view, NT_R_A, NT_R_A, k, m3_skew_skew(F, g->pa.arm));
        row_put(view, NT_R_B, NT_R_B, -k, m3_skew_skew(F, g->pb.arm));
        break;
    }
    case NT_ROW_ALONG:
        along_tangent(view, g, g->e[spec->i].r, k);
        break;
    case NT_ROW_SLIDE:
        along_tangent(view, g, g->e[spec->i].r, k);
        break;
    case NT_ROW_ACROSS:
        along_tangent(view, g, across_direction(g, spec->i, motion).r, k);
        break;
    case NT_ROW_PERPENDICULAR:
        directions_tangent(view, g->e[spec->i].r, g->f[spec->j].r, k);
        break;
    case NT_ROW_ANGLE: {
        body_vector u = turning_direction(g, motion);
        double shift, sign = angle_branch(g, motion, v3_dot(u.r, g->f[0].r), &shift);
        directions_tangent(view, u.r, g->f[0].r, sign * k);
        break;
    }
    case NT_ROW_LOCK:
    case NT_ROW_LOCK_A:
    case NT_ROW_LOCK_B: {
        body_vector u, w;
        lock_directions(g, spec, motion, &u, &w);
        directions_tangent(view, u.r, w.r, k);
        break;
    }
    case NT_ROW_DISTANCE: {
        double ell = v3_norm(g->d);
        v3 n = v3_scale(1 / ell, g->d);
        m3 P = m3_scale(1 / ell, m3_sub(m3_identity(), m3_dyad(n, n)));
        pair_force_tangent(view, g->pa.arm, g->pb.arm, n, P, k);
        break;
    }
    }
}
