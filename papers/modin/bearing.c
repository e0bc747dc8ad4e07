#include "papers/modin/bearing.h"
#include "papers/common/vector.h"
#include "papers/modin/ring.h"

#include <stdbool.h>
#include <string.h>

/* ---- data ---------------------------------------------------------------------------------------
 *
 * Ball diameter D, pitch d_m, groove radius .52 D, clearance by which the balls have room across
 * the whole bearing. Stiffness Q = K delta^1.5 by Hertz's theory with exact elliptic integrals for
 * steel (E = 207 GPa, nu = .3), contact angle as without load.
 */
static const double D = 9.525e-3, PITCH = 46e-3, CLEARANCE = 10e-6; /* m            */
static const double GROOVE = 0.52 * 9.525e-3;                       /* m            */
static const double K_INNER = 2.789604e10, K_OUTER = 2.951891e10;   /* N/m^1.5      */
static const double DAMPING = 0.2;                                  /* s/m, relative to the force */
static const double FRICTION = 0.05, SLIP = 0.05;                   /* 1, m/s       */
static const double POCKET_ROOM = 1e-4;                             /* m            */
static const double POCKET_STIFFNESS = 1e6, POCKET_DAMPING = 20;    /* N/m, N s/m   */
static const double LOAD = 1000;                                    /* N            */
static const double SPEED = 1e4 * 2 * 3.14159265358979323846 / 60;  /* rad/s        */
static const double RING_MASS = 0.06, RING_INERTIA = 1.5e-5;        /* kg, kg m^2   */
static const double CAGE_MASS = 0.015, CAGE_INERTIA = 8e-6;         /* kg, kg m^2   */
static const double DENSITY = 7800;                                 /* kg/m^3       */
/* Of the outer ring a section of 16 x 4.5 mm, of the cage a ribbon of 1.2 mm. */
static const nt_ring ELASTIC[2] = {{28.75e-3, 0.5616, 25.15, 0.02}, {23e-3, 0.1038, 0.331, 0.02}};
static const double PENALTY = 2 * 3.14159265358979323846 * 1e7; /* rad/s, all critically damped */

enum { RING, CAGE, BALL };

static double ball_mass(void) { return DENSITY * 3.14159265358979323846 / 6 * D * D * D; }
static double mass_of(int body)
{
    return body == RING ? RING_MASS : body == CAGE ? CAGE_MASS : ball_mass();
}
static double inertia_of(int body)
{
    return body == RING ? RING_INERTIA : body == CAGE ? CAGE_INERTIA : 0.1 * ball_mass() * D * D;
}

/* Radii of the circles of the grooves' centres: with clearance, further apart than where a ball
 * fits without play. */
static double outer_circle(void) { return PITCH / 2 - (GROOVE - D / 2) + CLEARANCE / 4; }
static double inner_circle(void) { return PITCH / 2 + (GROOVE - D / 2) - CLEARANCE / 4; }

/* ---- contacts: A --------------------------------------------------------------------------------
 */

/* A ball's neighbourhood: ball, ring, cage. Bends: how far the outer ring's groove and the pocket
 * are moved, and how fast, by what the outer ring and the cage are bent. */
enum { OUTER, POCKET };
typedef struct trio {
    double x[3][3], v[3][3], W[3][3]; /* place, velocity, angular velocity; ground axes */
    double pocket[3];                 /* unit vector from the axis to the ball's pocket    */
    double bend[2][3], bend_rate[2][3];
} trio;

typedef struct trio_forces {
    double force[3][3], moment[3][3]; /* on ring, cage, ball; about their centres */
    double bending[2][3];             /* on the outer ring's groove, on the pocket */
} trio_forces;

/* The ball in a groove of a ring at x with v, W, whose groove's centre runs on a circle of radius
 * a: normal force on the ball towards that centre, damped, never pulling, and traction against the
 * slip of the surfaces. angle: of the line of contact with the plane of the ring. damping (may be
 * NULL): minus the derivative of the force in the relative velocity of the surfaces. */
static double groove_force(const trio *s, const double *x, const double *v, const double *W,
                           double a, double K, double force[3], double arm[3], double *angle,
                           double damping[9])
{
    double rel[3], to[3], n[3], point[3], surface[3], slip[3], turn[3];
    subtract(s->x[BALL], x, rel);
    double radius = hypot(rel[0], rel[1]);
    const double offset[3] = {rel[0] * (1 - a / radius), rel[1] * (1 - a / radius), rel[2]};
    double distance = norm(offset), indentation = distance + D / 2 - GROOVE;
    memset(force, 0, 3 * sizeof *force);
    memset(arm, 0, 3 * sizeof *arm);
    if (damping)
        memset(damping, 0, 9 * sizeof *damping);
    *angle = atan2(fabs(offset[2]), fabs(radius - a));
    if (indentation <= 0)
        return 0;
    for (int i = 0; i < 3; i++) {
        n[i] = offset[i] / distance; /* from the groove's centre to the point of contact */
        arm[i] = n[i] * D / 2;
    }
    memcpy(point, rel, sizeof point);
    add(point, 1, arm);
    cross(W, point, surface);
    cross(s->W[BALL], arm, turn);
    subtract(s->v[BALL], v, to);
    for (int i = 0; i < 3; i++)
        slip[i] = to[i] + turn[i] - surface[i];
    double rate = dot(slip, n);
    add(slip, -rate, n);
    double Q = K * pow(indentation, 1.5) * (1 + DAMPING * rate);
    Q = Q > 0 ? Q : 0;
    double size = sqrt(dot(slip, slip) + SLIP * SLIP), traction = FRICTION / size;
    add(force, -Q, n);
    add(force, -traction * Q, slip);
    double by_rate = Q > 0 ? K * pow(indentation, 1.5) * DAMPING : 0;
    for (int i = 0; damping && i < 3; i++)
        for (int j = 0; j < 3; j++)
            damping[3 * i + j] =
                (n[i] + traction * slip[i]) * by_rate * n[j] +
                traction * Q * ((i == j) - n[i] * n[j] - slip[i] * slip[j] / (size * size));
    return Q;
}

/* Along the direction of motion: free for the room in the pocket, then spring and damper that never
 * pull. On the cage. */
static double pocket_force(const trio *s, double direction[3])
{
    const double axis[3] = {0, 0, 1};
    double place[3], rel[3], speed[3], rel_v[3];
    cross(axis, s->pocket, direction);
    for (int i = 0; i < 3; i++)
        place[i] = s->x[CAGE][i] + PITCH / 2 * s->pocket[i] + s->bend[POCKET][i];
    subtract(s->x[BALL], place, rel);
    cross(s->W[CAGE], s->pocket, speed);
    for (int i = 0; i < 3; i++)
        rel_v[i] = s->v[BALL][i] - s->v[CAGE][i] - PITCH / 2 * speed[i] - s->bend_rate[POCKET][i];
    double along = dot(rel, direction), side = along < 0 ? -1 : 1;
    double depth = fabs(along) - POCKET_ROOM, rate = side * dot(rel_v, direction);
    double force = depth > 0 ? POCKET_STIFFNESS * depth + POCKET_DAMPING * rate : 0;
    return force > 0 ? side * force : 0;
}

static void act(trio_forces *f, int body, const double *force, double sign, const double *arm)
{
    double moment[3];
    cross(arm, force, moment);
    add(f->force[body], sign, force);
    add(f->moment[body], sign, moment);
}

static void forces_of(const trio *s, trio_forces *f)
{
    static const double still[3] = {0, 0, 0};
    double force[3], arm[3], from_ring[3], push[3] = {0}, angle;
    memset(f, 0, sizeof *f);
    groove_force(s, s->bend[OUTER], s->bend_rate[OUTER], still, outer_circle(), K_OUTER, force, arm,
                 &angle, NULL);
    act(f, BALL, force, 1, arm);
    add(f->bending[OUTER], -1, force);
    groove_force(s, s->x[RING], s->v[RING], s->W[RING], inner_circle(), K_INNER, force, arm, &angle,
                 NULL);
    act(f, BALL, force, 1, arm);
    subtract(s->x[BALL], s->x[RING], from_ring);
    add(from_ring, 1, arm);
    act(f, RING, force, -1, from_ring);
    double direction[3], P = pocket_force(s, direction);
    add(push, P, direction);
    add(f->bending[POCKET], P, direction);
    double lever[3] = {0};
    add(lever, PITCH / 2, s->pocket);
    act(f, CAGE, push, 1, lever);
    act(f, BALL, push, -1, still);
}

/* Place of ball b and of ring and cage, in the state. */
static int body_of(int which, int ball) { return which == BALL ? BALL + ball : which; }

static double pocket_angle(int ball) { return 2 * 3.14159265358979323846 * ball / NT_BALLS; }

static void trio_at(const double *q, const double *v, int ball, trio *s)
{
    double R[9], at = pocket_angle(ball);
    for (int k = RING; k <= BALL; k++) {
        int body = body_of(k, ball);
        memcpy(s->x[k], q + 7 * body, sizeof s->x[k]);
        memcpy(s->v[k], v + 6 * body, sizeof s->v[k]);
        memcpy(s->W[k], v + 6 * body + 3, sizeof s->W[k]);
    }
    nt_so3_matrix(q + 7 * CAGE + 3, R);
    for (int i = 0; i < 3; i++)
        s->pocket[i] = R[3 * i] * cos(at) + R[3 * i + 1] * sin(at);
    memset(s->bend, 0, sizeof s->bend);
    memset(s->bend_rate, 0, sizeof s->bend_rate);
}

/* How far one unit of a mode moves the groove at the ball, or the ball's pocket. */
typedef struct shapes {
    double S[2][NT_BEARING_MODES][3];
} shapes;

static void shapes_at(const nt_bearing *bearing, const trio *s, int ball, shapes *out)
{
    static const double axis[3] = {0, 0, 1};
    double angle = atan2(s->x[BALL][1], s->x[BALL][0]), along[3], of[2];
    const double outwards[3] = {cos(angle), sin(angle), 0}, forwards[3] = {-sin(angle), cos(angle)};
    cross(axis, s->pocket, along);
    for (int j = 0; j < bearing->modes; j++) {
        nt_ring_shape(j, angle, of);
        for (int i = 0; i < 3; i++)
            out->S[OUTER][j][i] = of[0] * outwards[i] + of[1] * forwards[i];
        nt_ring_shape(j, pocket_angle(ball), of);
        for (int i = 0; i < 3; i++)
            out->S[POCKET][j][i] = of[0] * s->pocket[i] + of[1] * along[i];
    }
}

/* The first entry of a ring's modes, in q (of = NT_BEARING_NQ) or v (NT_BEARING_NV). */
static int modes_of(const nt_bearing *bearing, int ring, int of)
{
    return of + ring * bearing->modes;
}

static void bend(const nt_bearing *bearing, const double *q, const double *v, const shapes *shape,
                 trio *s)
{
    for (int ring = OUTER; ring <= POCKET; ring++)
        for (int j = 0; j < bearing->modes; j++) {
            add(s->bend[ring], q[modes_of(bearing, ring, NT_BEARING_NQ) + j], shape->S[ring][j]);
            add(s->bend_rate[ring], v[modes_of(bearing, ring, NT_BEARING_NV) + j],
                shape->S[ring][j]);
        }
}

/* One number of a neighbourhood moved. which: 0-2 place, 3-5 turn, 6-8 velocity, 9-11 angular
 * velocity; of a bend (from BALL + 1 on) 0-2 and 6-8. */
typedef struct change {
    int from, which;
    double by;
} change;

static void move_body(trio *s, const change *c)
{
    double turn[3] = {0}, moved[3];
    int kind = c->which / 3, i = c->which % 3;
    if (kind == 0) {
        s->x[c->from][i] += c->by;
    } else if (kind == 1) { /* only the cage shows how it is turned */
        turn[i] = c->by;
        cross(turn, s->pocket, moved);
        add(s->pocket, c->from == CAGE, moved);
    } else if (kind == 2) {
        s->v[c->from][i] += c->by;
    } else {
        s->W[c->from][i] += c->by;
    }
}

/* What the contacts of a ball do: forces on the trio, and on each mode of outer ring and cage. */
typedef struct ball_forces {
    trio_forces on;
    double mode[2][NT_BEARING_MODES];
} ball_forces;

/* c may be NULL. s and shape: the neighbourhood itself. */
static void forces_on(const nt_bearing *bearing, const nt_point *at, int ball, const change *c,
                      trio *s, shapes *shape, ball_forces *f)
{
    trio_at(at->q, at->v, ball, s);
    if (c && c->from <= BALL)
        move_body(s, c);
    shapes_at(bearing, s, ball, shape);
    bend(bearing, at->q, at->v, shape, s);
    if (c && c->from > BALL)
        (c->which < 3 ? s->bend : s->bend_rate)[c->from - BALL - 1][c->which % 3] += c->by;
    forces_of(s, &f->on);
    for (int ring = OUTER; ring <= POCKET; ring++)
        for (int j = 0; j < bearing->modes; j++)
            f->mode[ring][j] = dot(shape->S[ring][j], f->on.bending[ring]);
}

static void add_contacts(const nt_bearing *bearing, const nt_point *at, double *residual)
{
    trio s;
    shapes shape;
    ball_forces f;
    residual[6 * RING + 2] -= LOAD;
    for (int b = 0; b < NT_BALLS; b++) {
        forces_on(bearing, at, b, NULL, &s, &shape, &f);
        for (int k = RING; k <= BALL; k++) {
            add(residual + 6 * body_of(k, b), -1, f.on.force[k]);
            add(residual + 6 * body_of(k, b) + 3, -1, f.on.moment[k]);
        }
        for (int ring = OUTER; ring <= POCKET; ring++)
            for (int j = 0; j < bearing->modes; j++)
                residual[modes_of(bearing, ring, NT_BEARING_NV) + j] -= f.mode[ring][j];
    }
}

/* What a rotation's rate and its derivative vary by with its unknowns (nt_combination): c X + k s
 * w~ and, for `mass`, m Y + k s w'~. */
static void rate_map(const nt_combination *c, const nt_point *at, int body, bool mass, double X[9])
{
    const double *w = (mass ? at->vdot : at->v) + 6 * body + 3;
    const double *given = mass && c->map_mass ? c->map_mass : c->map;
    double factor = mass ? c->mass : c->damping, turned = c->stiffness * c->turn;
    const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    for (int i = 0; i < 9; i++)
        X[i] = factor * (given ? given[9 * body + i] : i % 4 == 0) + turned * skew[i];
}

/* n entries of a column of a block of the matrix, from row `first` of the block on. */
static void add_entries(const nt_bearing *bearing, const nt_matrix *matrix, int row, int first,
                        int column, int entry, double factor, const double *values, int n)
{
    int slot = bearing->slot[row][column];
    int width = column < NT_BEARING_BODIES ? 6 : bearing->modes;
    double *block = slot < 0 ? NULL : nt_matrix_block(matrix, slot) + entry;
    for (int i = 0; block && i < n; i++)
        block[width * (first + i)] += factor * values[i];
}

/* A column of what a ball's contacts do: entry `entry` of block `column`. */
static void add_column(const nt_bearing *bearing, const nt_matrix *matrix, int ball, int column,
                       int entry, double factor, const ball_forces *by)
{
    for (int k = RING; k <= BALL; k++) {
        int row = body_of(k, ball);
        add_entries(bearing, matrix, row, 0, column, entry, factor, by->on.force[k], 3);
        add_entries(bearing, matrix, row, 3, column, entry, factor, by->on.moment[k], 3);
    }
    for (int ring = OUTER; ring <= POCKET && bearing->modes; ring++)
        add_entries(bearing, matrix, NT_BEARING_BODIES + ring, 0, column, entry, factor,
                    by->mode[ring], bearing->modes);
}

/* G of a force at a point of a ball: with du = dv - arm~ dW, rows of force and moment. */
static void add_at_point(double block[36], double factor, const double G[9], const double arm[3])
{
    const double r[9] = {0, -arm[2], arm[1], arm[2], 0, -arm[0], -arm[1], arm[0], 0};
    double J[18], GJ[18];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            J[6 * i + j] = j < 3 ? i == j : -r[3 * i + j - 3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            GJ[6 * i + j] = G[3 * i] * J[j] + G[3 * i + 1] * J[6 + j] + G[3 * i + 2] * J[12 + j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += J[6 * k + i] * GJ[6 * k + j];
            block[6 * i + j] += factor * sum;
        }
}

/* What each ball's own velocity changes in the forces on it. */
static void add_ball_damping(const nt_bearing *bearing, const nt_point *at, const nt_terms *terms)
{
    static const double still[3] = {0, 0, 0};
    double force[3], arm[3], angle, G[9], direction[3];
    trio s;
    shapes shape;
    for (int b = 0; b < NT_BALLS; b++) {
        int body = body_of(BALL, b);
        double *block = nt_matrix_block(terms->matrix, bearing->slot[body][body]);
        trio_at(at->q, at->v, b, &s);
        shapes_at(bearing, &s, b, &shape);
        bend(bearing, at->q, at->v, &shape, &s);
        groove_force(&s, s.bend[OUTER], s.bend_rate[OUTER], still, outer_circle(), K_OUTER, force,
                     arm, &angle, G);
        add_at_point(block, terms->combination->damping, G, arm);
        groove_force(&s, s.x[RING], s.v[RING], s.W[RING], inner_circle(), K_INNER, force, arm,
                     &angle, G);
        add_at_point(block, terms->combination->damping, G, arm);
        bool pushed = pocket_force(&s, direction) != 0;
        for (int i = 0; pushed && i < 9; i++)
            G[i] = POCKET_DAMPING * direction[i / 3] * direction[i % 3];
        if (pushed)
            add_at_point(block, terms->combination->damping, G, still);
    }
}

/* Half of the difference of what a change does and what its opposite does, over its size. */
static void difference(const nt_bearing *bearing, const nt_point *at, int ball, const change *c,
                       ball_forces *out)
{
    trio s;
    shapes shape;
    ball_forces less;
    const change back = {c->from, c->which, -c->by};
    forces_on(bearing, at, ball, c, &s, &shape, out);
    forces_on(bearing, at, ball, &back, &s, &shape, &less);
    double *d = &out->on.force[0][0];
    const double *e = &less.on.force[0][0];
    for (size_t i = 0; i < sizeof out->on / sizeof *d; i++)
        d[i] = (d[i] - e[i]) / (2 * c->by);
    for (int ring = OUTER; ring <= POCKET; ring++)
        for (int j = 0; j < bearing->modes; j++)
            out->mode[ring][j] = (out->mode[ring][j] - less.mode[ring][j]) / (2 * c->by);
}

/* Central differences, ball by ball: 36 pairs of a trio's forces, and 12 of what the bends do,
 * however many modes make them. Steps: of the indentation, 1e-5 m, and of the speed where traction
 * bends, 0.05 m/s. */
static const double STEP[4] = {1e-9, 1e-7, 1e-5, 1e-3}; /* m, rad, m/s, rad/s */

static void add_body_columns(const nt_bearing *bearing, const nt_point *at, const nt_terms *terms,
                             int ball, int from)
{
    const nt_combination *c = terms->combination;
    int body = body_of(from, ball);
    ball_forces by;
    double X[9];
    rate_map(c, at, body, false, X);
    for (int which = 0; which < 12; which++) {
        double scale = which < 6 ? c->stiffness : c->damping;
        if (scale == 0 && c->turn == 0)
            continue;
        difference(bearing, at, ball, &(change){from, which, STEP[which / 3]}, &by);
        for (int j = 0; which >= 9 && j < 3; j++)
            add_column(bearing, terms->matrix, ball, body, 3 + j, -X[3 * (which - 9) + j], &by);
        if (which < 9)
            add_column(bearing, terms->matrix, ball, body, which % 6, -scale, &by);
    }
}

static void add_bend_columns(const nt_bearing *bearing, const nt_point *at, const nt_terms *terms,
                             int ball, int ring)
{
    const nt_combination *c = terms->combination;
    trio s;
    shapes shape;
    ball_forces by;
    trio_at(at->q, at->v, ball, &s);
    shapes_at(bearing, &s, ball, &shape);
    for (int which = 0; which < 9; which++) {
        double scale = which < 3 ? c->stiffness : c->damping;
        if (which / 3 == 1 || scale == 0)
            continue;
        difference(bearing, at, ball, &(change){BALL + 1 + ring, which, STEP[which / 3]}, &by);
        for (int j = 0; j < bearing->modes; j++)
            add_column(bearing, terms->matrix, ball, NT_BEARING_BODIES + ring, j,
                       -scale * shape.S[ring][j][which % 3], &by);
    }
}

static void add_contact_tangent(const nt_bearing *bearing, const nt_point *at,
                                const nt_terms *terms)
{
    for (int ball = 0; ball < NT_BALLS; ball++) {
        for (int from = RING; from <= BALL; from++)
            add_body_columns(bearing, at, terms, ball, from);
        for (int ring = OUTER; ring <= POCKET && bearing->modes; ring++)
            add_bend_columns(bearing, at, terms, ball, ring);
    }
}

/* ---- penalty constraints: B ---------------------------------------------------------------------
 *
 * Ring: rotation vector psi from where it is driven, psi = log(R Rz(wt)^T), and W - w e_3. Cage:
 * place and velocity; tilt e_3 x R e_3 and W across the axis. Each a critically damped oscillator
 * of PENALTY, k = J PENALTY^2, c = 2 J PENALTY. Tangents at zero deviation, which is at most 1e-9.
 * And the stiffness and damping of bending.
 */
static void add_bending(const nt_bearing *bearing, const nt_point *at, const nt_terms *terms)
{
    const nt_combination *c = terms->combination;
    for (int ring = OUTER; ring <= POCKET && bearing->modes; ring++) {
        int q = modes_of(bearing, ring, NT_BEARING_NQ), v = modes_of(bearing, ring, NT_BEARING_NV);
        int own = bearing->slot[NT_BEARING_BODIES + ring][NT_BEARING_BODIES + ring];
        for (int j = 0; j < bearing->modes; j++) {
            double k = nt_ring_stiffness(&ELASTIC[ring], j), d = nt_ring_damping(&ELASTIC[ring], j);
            if (terms->residual)
                terms->residual[v + j] += k * at->q[q + j] + d * at->v[v + j];
            if (terms->matrix)
                nt_matrix_block(terms->matrix, own)[(bearing->modes + 1) * j] +=
                    c->stiffness * k + c->damping * d;
        }
    }
}

static void add_penalties(const nt_point *at, double *residual)
{
    const double *ring = at->q + 7 * RING + 3, *cage = at->q + 7 * CAGE;
    const double back[4] = {cos(SPEED * at->t / 2), 0, 0, -sin(SPEED * at->t / 2)};
    double rest[4], psi[3], R[9];
    nt_so3_multiply(ring, back, rest);
    nt_so3_log(rest, psi);
    nt_so3_matrix(cage + 3, R);
    const double tilt[3] = {-R[5], R[2], 0}; /* e_3 x R e_3 */
    for (int i = 0; i < 3; i++) {
        double rate = at->v[6 * RING + 3 + i] - (i == 2 ? SPEED : 0);
        residual[6 * RING + 3 + i] += RING_INERTIA * PENALTY * (PENALTY * psi[i] + 2 * rate);
        residual[6 * CAGE + i] +=
            CAGE_MASS * PENALTY * (PENALTY * cage[i] + 2 * at->v[6 * CAGE + i]);
        if (i < 2)
            residual[6 * CAGE + 3 + i] +=
                CAGE_INERTIA * PENALTY * (PENALTY * tilt[i] + 2 * at->v[6 * CAGE + 3 + i]);
    }
}

static void add_penalty_tangent(const nt_bearing *bearing, const nt_point *at,
                                const nt_terms *terms)
{
    const nt_combination *c = terms->combination;
    double g = PENALTY * (PENALTY * c->stiffness + 2 * c->damping), of_ring[9], of_cage[9];
    rate_map(c, at, RING, false, of_ring);
    rate_map(c, at, CAGE, false, of_cage);
    double *ring = nt_matrix_block(terms->matrix, bearing->slot[RING][RING]);
    double *cage = nt_matrix_block(terms->matrix, bearing->slot[CAGE][CAGE]);
    for (int i = 0; i < 3; i++) {
        cage[7 * i] += CAGE_MASS * g;
        for (int j = 0; j < 3; j++) {
            double k = i == j ? PENALTY * c->stiffness : 0;
            ring[6 * (3 + i) + 3 + j] += RING_INERTIA * PENALTY * (k + 2 * of_ring[3 * i + j]);
            if (i < 2)
                cage[6 * (3 + i) + 3 + j] += CAGE_INERTIA * PENALTY * (k + 2 * of_cage[3 * i + j]);
        }
    }
}

/* ---- system ------------------------------------------------------------------------------------
 */

static void add_mass(const nt_bearing *bearing, const nt_point *at, const nt_terms *terms)
{
    for (int ring = OUTER; ring <= POCKET && bearing->modes; ring++)
        for (int j = 0; j < bearing->modes; j++) {
            int v = modes_of(bearing, ring, NT_BEARING_NV) + j;
            int own = bearing->slot[NT_BEARING_BODIES + ring][NT_BEARING_BODIES + ring];
            if (terms->residual)
                terms->residual[v] += bearing->mass[v] * at->vdot[v];
            if (terms->matrix)
                nt_matrix_block(terms->matrix, own)[(bearing->modes + 1) * j] +=
                    terms->combination->mass * bearing->mass[v];
        }
    for (int body = 0; body < NT_BEARING_BODIES; body++) {
        double m = mass_of(body), J = inertia_of(body), Y[9];
        for (int i = 0; terms->residual && i < 6; i++)
            terms->residual[6 * body + i] += (i < 3 ? m : J) * at->vdot[6 * body + i];
        if (!terms->matrix)
            continue;
        double *block = nt_matrix_block(terms->matrix, bearing->slot[body][body]);
        rate_map(terms->combination, at, body, true, Y);
        for (int i = 0; i < 3; i++) {
            block[7 * i] += terms->combination->mass * m;
            for (int j = 0; j < 3; j++)
                block[6 * (3 + i) + 3 + j] += J * Y[3 * i + j];
        }
    }
}

static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    nt_bearing *bearing = self;
    if (terms->parts & NT_MASS)
        add_mass(bearing, at, terms);
    if ((terms->parts & NT_EXPLICIT) && terms->residual) {
        add_contacts(bearing, at, terms->residual);
        bearing->evaluations++;
    }
    if ((terms->parts & NT_EXPLICIT) && terms->matrix && terms->combination->own_blocks)
        add_ball_damping(bearing, at, terms);
    else if ((terms->parts & NT_EXPLICIT) && terms->matrix &&
             (terms->combination->stiffness != 0 || terms->combination->damping != 0)) {
        add_contact_tangent(bearing, at, terms);
        bearing->tangents += terms->combination->stiffness != 0;
    }
    if ((terms->parts & NT_IMPLICIT) && terms->residual)
        add_penalties(at, terms->residual);
    if ((terms->parts & NT_IMPLICIT) && terms->matrix)
        add_penalty_tangent(bearing, at, terms);
    if (terms->parts & NT_IMPLICIT)
        add_bending(bearing, at, terms);
    return NT_OK;
}

/* Balls touch inner ring and cage, and the modes of outer ring and cage; those of the cage move
 * with it; and nothing else. */
static bool touches(int i, int j)
{
    int low = i < j ? i : j, high = i < j ? j : i;
    if (high < NT_BEARING_BODIES)
        return low == high || (low < BALL && high >= BALL);
    return low == high || (low >= BALL && low < NT_BEARING_BODIES) ||
           (low == CAGE && high == NT_BEARING_BODIES + POCKET);
}

static nt_status make_pattern(nt_bearing *bearing)
{
    int sizes[NT_BEARING_BLOCKS], n = NT_BEARING_BODIES + (bearing->modes ? 2 : 0);
    for (int i = 0; i < n; i++)
        sizes[i] = i < NT_BEARING_BODIES ? 6 : bearing->modes;
    nt_status status = nt_pattern_create(&bearing->pattern, n, n, sizes);
    for (int i = 0; i < n && status == NT_OK; i++)
        for (int j = 0; j < n && status == NT_OK; j++) {
            bool touch = touches(i, j);
            bearing->slot[i][j] = touch ? nt_pattern_add(bearing->pattern, i, j, NT_FULL) : -1;
            status = touch && bearing->slot[i][j] < 0 ? NT_NO_MEMORY : NT_OK;
        }
    return status;
}

nt_status nt_bearing_init(nt_bearing *bearing, int modes)
{
    memset(bearing, 0, sizeof *bearing);
    bearing->modes = modes;
    for (int i = 0; i < NT_BEARING_BODIES; i++) {
        bearing->block[i] = (nt_block){.kind = NT_R3SO3};
        bearing->alone[i] = i >= BALL;
        for (int k = 0; k < 3; k++) {
            bearing->mass[6 * i + k] = mass_of(i);
            bearing->inertia[9 * i + 4 * k] = inertia_of(i);
        }
    }
    for (int ring = OUTER; ring <= POCKET; ring++) {
        bearing->block[NT_BEARING_BODIES + ring] = (nt_block){.kind = NT_RN, .nv = modes};
        for (int j = 0; j < modes; j++)
            bearing->mass[modes_of(bearing, ring, NT_BEARING_NV) + j] =
                nt_ring_mass(&ELASTIC[ring], j);
    }
    nt_status status = make_pattern(bearing);
    bearing->momenta = (nt_momenta){bearing->mass, bearing->inertia};
    bearing->system = (nt_system){
        .name = "ball bearing",
        .frame = NT_INERTIAL,
        .self = bearing,
        .evaluate = evaluate,
        .pattern = bearing->pattern,
        .capabilities = NT_HAS_TANGENT | NT_APPLIES_MAP | NT_HAS_SPLIT | NT_HAS_MOMENTA | NT_AFFINE,
        .momenta = &bearing->momenta,
        .explicit_blocks = bearing->alone,
    };
    nt_space_init(&bearing->system.space, bearing->block, NT_BEARING_BODIES + (modes ? 2 : 0));
    return status;
}

void nt_bearing_free(nt_bearing *bearing)
{
    nt_pattern_destroy(bearing->pattern);
    bearing->pattern = NULL;
}

/* ---- start --------------------------------------------------------------------------------------
 */

/* Nine equal balls carry the load, Q = LOAD/(9 sin angle), without centrifugal force: the angle at
 * which indentations fit the distance of the grooves' centres, by bisection. */
static double loaded_angle(void)
{
    double low = 0.01, high = 1; /* rad */
    for (int i = 0; i < 60; i++) {
        double angle = (low + high) / 2, Q = LOAD / (NT_BALLS * sin(angle));
        double sum = pow(Q / K_INNER, 2. / 3) + pow(Q / K_OUTER, 2. / 3);
        if ((inner_circle() - outer_circle()) / cos(angle) > 2 * GROOVE - D + sum)
            high = angle;
        else
            low = angle;
    }
    return low;
}

void nt_bearing_start(const nt_bearing *bearing, double *q, double *v)
{
    double angle = loaded_angle(), Q = LOAD / (NT_BALLS * sin(angle));
    double reach = GROOVE - D / 2 + pow(Q / K_OUTER, 2. / 3);
    double radius = outer_circle() + reach * cos(angle), height = reach * sin(angle);
    double G = D * cos(angle) / (2 * radius), orbit = SPEED * (1 - G) / 2;
    memset(q, 0, (size_t)bearing->system.space.nq * sizeof *q);
    memset(v, 0, (size_t)bearing->system.space.nv * sizeof *v);
    for (int body = 0; body < NT_BEARING_BODIES; body++)
        q[7 * body + 3] = 1;
    q[7 * RING + 2] = (inner_circle() - outer_circle()) * tan(angle);
    v[6 * RING + 5] = SPEED;
    v[6 * CAGE + 5] = 0.95 * orbit;
    for (int b = 0; b < NT_BALLS; b++) {
        /* pockets are not met by all at once: up to 40 um apart, ball 1 in front */
        double at = 2 * 3.14159265358979323846 * b / NT_BALLS + 40e-6 / radius * cos(2.0 * b);
        double *x = q + 7 * (BALL + b), *u = v + 6 * (BALL + b), spin = 2 * orbit * radius / D;
        const double along[3] = {-sin(at), cos(at), 0};
        const double line[3] = {cos(angle) * cos(at), cos(angle) * sin(at), sin(angle)};
        x[0] = radius * cos(at);
        x[1] = radius * sin(at);
        x[2] = height;
        add(u, orbit * radius, along);
        cross(along, line, u + 3); /* rolls on the outer ring: v + W x line D/2 = 0 */
        for (int i = 3; i < 6; i++)
            u[i] *= spin;
    }
}

/* ---- looking ------------------------------------------------------------------------------------
 */

nt_bearing_look nt_bearing_at(const nt_bearing *bearing, const double *q, const double *v)
{
    static const double still[3] = {0, 0, 0};
    double apart = inner_circle() - outer_circle(), fit = 2 * GROOVE - D;
    nt_bearing_look look = {.cage = v[6 * CAGE + 5],
                            .axial = q[7 * RING + 2] - sqrt(fit * fit - apart * apart)};
    double force[3], arm[3], direction[3];
    trio s;
    shapes shape;
    trio_at(q, v, 0, &s);
    shapes_at(bearing, &s, 0, &shape);
    bend(bearing, q, v, &shape, &s);
    look.outer = groove_force(&s, s.bend[OUTER], s.bend_rate[OUTER], still, outer_circle(), K_OUTER,
                              force, arm, &look.outer_angle, NULL);
    look.inner = groove_force(&s, s.x[RING], s.v[RING], s.W[RING], inner_circle(), K_INNER, force,
                              arm, &look.inner_angle, NULL);
    look.pocket = pocket_force(&s, direction);
    look.ball = norm(s.W[BALL]);
    return look;
}
