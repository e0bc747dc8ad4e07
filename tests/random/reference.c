/* The motion of a mechanism in the coordinates of all bodies, by equations of its own:
 *
 *   [ M  -G^T ] [ a ]   [      f      ]
 *   [ G    0  ] [ l ] = [ -(c'' at a = 0) ]
 *
 * Joints are given by nothing but what stays zero, c. Its derivatives along a motion come by
 * arithmetic with pairs of derivatives (values p, v, a of a quantity and its rates), a row of G
 * from c' at unit velocities. Rows that depend on others are left out by pivots. Time is integrated
 * by extrapolation of the midpoint rule (Gragg, Bulirsch & Stoer), to 1e-13 of each step;
 * constraints are kept at the level of accelerations only, and how far they open is a measure of
 * the error. */
#include "random/mechanism.h"

#include <string.h>

/* ---- quantities with rates ------------------------------------------------------------------ */

typedef struct number { /* a scalar, its rate, the rate of that */
    double p, v, a;
} number;

typedef struct point { /* a vector likewise */
    vec p, v, a;
} point;

static number number_of(double p) { return (number){p, 0, 0}; }
static point point_of(vec p) { return (point){.p = p}; }
static number plus(number x, double s, number y)
{
    return (number){x.p + s * y.p, x.v + s * y.v, x.a + s * y.a};
}
static number times(number x, number y)
{
    return (number){x.p * y.p, x.v * y.p + x.p * y.v, x.a * y.p + 2 * x.v * y.v + x.p * y.a};
}
static number over(number x, number y) /* z = x / y: x = z y */
{
    number z = {.p = x.p / y.p};
    z.v = (x.v - z.p * y.v) / y.p;
    z.a = (x.a - 2 * z.v * y.v - z.p * y.a) / y.p;
    return z;
}
static number root(number x) /* z z = x */
{
    number z = {.p = sqrt(x.p)};
    z.v = x.v / (2 * z.p);
    z.a = (x.a - 2 * z.v * z.v) / (2 * z.p);
    return z;
}
static point sum(point x, double s, point y)
{
    return (point){vec_add(x.p, vec_times(s, y.p)), vec_add(x.v, vec_times(s, y.v)),
                   vec_add(x.a, vec_times(s, y.a))};
}
static number dot(point x, point y)
{
    return (number){vec_dot(x.p, y.p), vec_dot(x.v, y.p) + vec_dot(x.p, y.v),
                    vec_dot(x.a, y.p) + 2 * vec_dot(x.v, y.v) + vec_dot(x.p, y.a)};
}
static point scaled(number s, point x)
{
    point y;
    y.p = vec_times(s.p, x.p);
    y.v = vec_add(vec_times(s.v, x.p), vec_times(s.p, x.v));
    y.a = vec_add(vec_add(vec_times(s.a, x.p), vec_times(2 * s.v, x.v)), vec_times(s.p, x.a));
    return y;
}

/* ---- bodies on their way -------------------------------------------------------------------- */

typedef struct mover {
    point x; /* centre of mass */
    turn R;
    vec w, dw;  /* angular velocity and its rate, ground axes */
    vec center; /* of mass, body axes */
} mover;

/* A direction fixed in the body, given in its axes. */
static point carried(const mover *b, vec e)
{
    vec d = turn_apply(&b->R, e), v = vec_cross(b->w, d);
    return (point){d, v, vec_add(vec_cross(b->dw, d), vec_cross(b->w, v))};
}

/* A point of the body, given in its axes from its origin. */
static point point_on(const mover *b, vec X)
{
    return sum(b->x, 1, carried(b, vec_sub(X, b->center)));
}

typedef struct system_of {
    const mechanism *m;
    mover at[BODIES], start[BODIES]; /* as they are, and as they were placed */
    double t;
} system_of;

static mover mover_of(const mechanism *m, int i, const double *y)
{
    mover b = {.center = m->bodies[i].center};
    const double identity[4] = {1, 0, 0, 0};
    b.R = turn_of(i ? y + 3 : identity);
    if (i == 0)
        return b;
    b.x = (point){vec_of(y[0], y[1], y[2]), vec_of(y[7], y[8], y[9]), vec_of(0, 0, 0)};
    b.w = m->bodies[i].point ? vec_of(0, 0, 0) : turn_apply(&b.R, vec_of(y[10], y[11], y[12]));
    return b;
}

/* A place or direction of the ground at the given placement, in the body's axes. */
static vec place_in(const mechanism *m, int b, vec p)
{
    turn R = turn_of(m->bodies[b].orientation);
    return b ? turn_back(&R, vec_sub(p, m->bodies[b].position)) : p;
}
static vec direction_in(const mechanism *m, int b, vec e)
{
    turn R = turn_of(m->bodies[b].orientation);
    return b ? turn_back(&R, e) : e;
}

/* ---- rows of joints ------------------------------------------------------------------------- */

enum { ROWS = 6 * JOINTS };

/* Of a row of velocities c is missing: p is zero, v and a are its value and rate. */
static number of_velocities(double value, double rate) { return (number){0, value, rate}; }

static number driven(const joint *j, double t)
{
    return (number){j->rate * t + j->swing * (1 - cos(2 * t)), j->rate + 2 * j->swing * sin(2 * t),
                    4 * j->swing * cos(2 * t)};
}

/* What rolls: its centre, the way to its lowest point, and that this point stands still. */
static int rolling_rows(const system_of *s, const joint *j, number *c)
{
    const mover *b = &s->at[j->b];
    const point n = point_of(vec_of(0, 0, 1));
    point center = point_on(b, vec_of(0, 0, 0)), a = carried(b, j->axis);
    if (j->type == KNIFE_EDGE) {
        c[0] =
            of_velocities(vec_dot(a.p, center.v), vec_dot(a.v, center.v) + vec_dot(a.p, center.a));
        return 1;
    }
    point arm = sum(point_of(vec_of(0, 0, 0)), -j->radius, n);
    if (j->type == ROLLING_DISK) {
        number lean = dot(a, n), up = root(plus(number_of(1), -1, times(lean, lean)));
        point u = scaled(over(number_of(1), up), sum(n, -1, scaled(lean, a)));
        arm = sum(point_of(vec_of(0, 0, 0)), -j->radius, u);
    }
    c[0] = dot(sum(center, 1, arm), n);
    vec v = vec_add(center.v, vec_cross(b->w, arm.p));
    vec dv = vec_add(center.a, vec_add(vec_cross(b->dw, arm.p), vec_cross(b->w, arm.v)));
    c[1] = of_velocities(v.x, dv.x);
    c[2] = of_velocities(v.y, dv.y);
    return 3;
}

/* The rate of B's angle about the axis of A, and the rate of that. */
static number turning(const system_of *s, const joint *j)
{
    const mover *a = &s->at[j->a], *b = &s->at[j->b];
    point e = carried(a, direction_in(s->m, j->a, j->axis));
    vec w = vec_sub(b->w, a->w), dw = vec_sub(b->dw, a->dw);
    return of_velocities(vec_dot(e.p, w), vec_dot(e.v, w) + vec_dot(e.p, dw));
}

static int rows_of(const system_of *s, const joint *j, number *c)
{
    if (j->type == GEAR) {
        c[0] = plus(turning(s, &s->m->joints[j->a]), -j->radius, turning(s, &s->m->joints[j->b]));
        return 1;
    }
    if (j->type >= ROLLING_DISK)
        return rolling_rows(s, j, c);
    const mechanism *m = s->m;
    const mover *A = &s->at[j->a], *B = &s->at[j->b];
    bool rod = j->type == DISTANCE;
    vec XA = rod ? j->points[0] : place_in(m, j->a, j->at);
    vec XB = rod ? j->points[1] : place_in(m, j->b, j->at);
    point d = sum(point_on(B, XB), -1, point_on(A, XA));
    if (rod) {
        vec d0 = vec_sub(point_on(&s->start[j->b], XB).p, point_on(&s->start[j->a], XA).p);
        c[0] = plus(dot(d, d), -1, number_of(vec_dot(d0, d0)));
        return 1;
    }
    int n = 0;
    if (j->type <= REVOLUTE || j->type == UNIVERSAL)
        for (int k = 0; k < 3; k++)
            c[n++] = dot(d, point_of(vec_of(k == 0, k == 1, k == 2)));
    if (j->type == SPHERICAL)
        return n;
    vec first, second;
    vec_across(j->axis, &first, &second);
    point a[3], b[3];
    const vec e[3] = {first, second, j->axis};
    for (int k = 0; k < 3; k++) {
        a[k] = carried(A, direction_in(m, j->a, e[k]));
        b[k] = carried(B, direction_in(m, j->b, e[k]));
    }
    if (j->type == UNIVERSAL) {
        c[n++] = dot(a[2], carried(B, direction_in(m, j->b, j->other)));
        return n;
    }
    if (j->type == PLANAR)
        c[n++] = dot(d, a[2]);
    if (j->type == PRISMATIC || j->type == CYLINDRICAL || j->type == SCREW || j->type == INLINE) {
        c[n++] = dot(d, a[0]);
        c[n++] = dot(d, a[1]);
    }
    if (j->type != INLINE && !m->bodies[j->b].point) {
        c[n++] = dot(a[2], b[0]);
        c[n++] = dot(a[2], b[1]);
        if (j->type == FIXED || j->type == PRISMATIC)
            c[n++] = dot(a[0], b[1]);
    }
    if (j->type == SCREW) {
        number x = dot(d, a[2]);
        c[n++] = plus(of_velocities(x.v, x.a), -j->radius / 6.283185307179586, turning(s, j));
    }
    if (j->driven && j->type == PRISMATIC)
        c[n++] = plus(dot(d, a[2]), -1, driven(j, s->t));
    if (j->driven && j->type == REVOLUTE) {
        number f = driven(j, s->t);
        c[n++] = plus(turning(s, j), -1, of_velocities(f.v, f.a));
    }
    return n;
}

/* ---- loads ---------------------------------------------------------------------------------- */

typedef struct wrench { /* at the centre of mass, ground axes */
    vec force, moment;
} wrench;

static void push(const system_of *s, wrench *w, int b, vec force, vec p)
{
    w[b].force = vec_add(w[b].force, force);
    w[b].moment = vec_add(w[b].moment, vec_cross(vec_sub(p, s->at[b].x.p), force));
}
static void pair(const system_of *s, wrench *w, int a, int b, vec force, vec p)
{
    push(s, w, b, force, p);
    push(s, w, a, vec_times(-1, force), p);
}
static void turn_by(wrench *w, int b, vec moment) { w[b].moment = vec_add(w[b].moment, moment); }

static double value_of(const system_of *s, const formula *f)
{
    double value = f->c[0] + f->c[1] * sin(f->c[2] * s->t + f->c[3]);
    if (f->a)
        value += f->c[4] * point_on(&s->at[f->a], vec_of(0, 0, 0)).v.x +
                 f->c[5] * point_on(&s->at[f->b], vec_of(0, 0, 0)).p.z;
    return value;
}

/* The rotation vector of a rotation below pi, and T^-1 with moment = T^-1 (conjugate moment). */
static vec vector_of(const turn *R)
{
    vec twice = vec_of(R->e[1].z - R->e[2].y, R->e[2].x - R->e[0].z, R->e[0].y - R->e[1].x);
    double sine = vec_size(twice) / 2, cosine = (R->e[0].x + R->e[1].y + R->e[2].z - 1) / 2;
    double angle = atan2(sine, cosine);
    return vec_times(sine > 1e-9 ? angle / (2 * sine) : 0.5, twice);
}
static vec inverse_tangent(vec psi, double sign, vec x) /* x + sign psi x x / 2 + ... */
{
    double t = vec_size(psi), k = t > 1e-4 ? (1 - t / 2 / tan(t / 2)) / (t * t) : 1.0 / 12;
    vec once = vec_cross(psi, x);
    return vec_add(x, vec_add(vec_times(sign / 2, once), vec_times(k, vec_cross(psi, once))));
}

static void bushing(const system_of *s, const load *l, wrench *w)
{
    const mover *A = &s->at[l->a], *B = &s->at[l->b];
    turn E, F, relative;
    const vec e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        E.e[k] = carried(A, direction_in(s->m, l->a, e[k])).p;
        F.e[k] = carried(B, direction_in(s->m, l->b, e[k])).p;
    }
    for (int k = 0; k < 3; k++)
        relative.e[k] = turn_back(&E, F.e[k]);
    point pB = point_on(B, place_in(s->m, l->b, l->at));
    point d = sum(pB, -1, point_on(A, place_in(s->m, l->a, l->at)));
    vec psi = vector_of(&relative), u = turn_back(&E, d.p);
    vec du = turn_back(&E, vec_sub(d.v, vec_cross(A->w, d.p)));
    vec dpsi = inverse_tangent(psi, -1, turn_back(&E, vec_sub(B->w, A->w)));
    const double *k = l->stiffness, *c = l->damping;
    vec N = vec_of(k[0] * u.x + c[0] * du.x, k[1] * u.y + c[1] * du.y, k[2] * u.z + c[2] * du.z);
    vec M = vec_of(k[3] * psi.x + c[3] * dpsi.x, k[4] * psi.y + c[4] * dpsi.y,
                   k[5] * psi.z + c[5] * dpsi.z);
    pair(s, w, l->a, l->b, vec_times(-1, turn_apply(&E, N)), pB.p);
    vec moment = turn_apply(&E, inverse_tangent(psi, 1, M));
    turn_by(w, l->b, vec_times(-1, moment));
    turn_by(w, l->a, moment);
}

/* The free coordinate of a revolute or prismatic joint, and what acts along it. */
static number coordinate(const system_of *s, const joint *j, vec *axis)
{
    const mechanism *m = s->m;
    const mover *A = &s->at[j->a], *B = &s->at[j->b];
    point e = carried(A, direction_in(m, j->a, j->axis));
    *axis = e.p;
    if (j->type == PRISMATIC)
        return dot(e, sum(point_on(B, place_in(m, j->b, j->at)), -1,
                          point_on(A, place_in(m, j->a, j->at))));
    vec first, second;
    vec_across(j->axis, &first, &second);
    vec b = carried(B, direction_in(m, j->b, first)).p;
    double c = vec_dot(b, carried(A, direction_in(m, j->a, first)).p);
    double d = vec_dot(b, carried(A, direction_in(m, j->a, second)).p);
    return (number){atan2(d, c), vec_dot(e.p, vec_sub(B->w, A->w)), 0};
}
static void act_along(const system_of *s, const joint *j, vec axis, double value, wrench *w)
{
    if (j->type == PRISMATIC) {
        pair(s, w, j->a, j->b, vec_times(value, axis),
             point_on(&s->at[j->b], place_in(s->m, j->b, j->at)).p);
        return;
    }
    turn_by(w, j->b, vec_times(value, axis));
    turn_by(w, j->a, vec_times(-value, axis));
}

static void contact(const system_of *s, const load *l, wrench *w)
{
    const mover *B = &s->at[l->b];
    const vec n = {0, 0, 1};
    point center = point_on(B, l->at);
    double depth = l->radius - center.p.z, rate = -center.v.z;
    if (depth <= 0)
        return;
    double force = l->stiffness[0] * pow(depth, l->exponent) * (1 + l->damping[0] * rate);
    vec p = vec_sub(center.p, vec_times(l->radius - depth / 2, n));
    vec v = vec_add(B->x.v, vec_cross(B->w, vec_sub(p, B->x.p)));
    vec slide = vec_sub(v, vec_times(vec_dot(v, n), n));
    double speed = vec_dot(slide, slide);
    push(s, w, l->b, vec_times(force, n), p);
    if (l->friction > 0)
        push(s, w, l->b, vec_times(-l->friction * force / sqrt(speed + l->slip * l->slip), slide),
             p);
}

static void add_load(const system_of *s, const load *l, wrench *w)
{
    const mechanism *m = s->m;
    vec axis, value;
    if (l->type == FORCE || l->type == TORQUE) {
        value =
            vec_of(value_of(s, &l->value[0]), value_of(s, &l->value[1]), value_of(s, &l->value[2]));
        value = l->turns ? turn_apply(&s->at[l->b].R, value) : value;
        if (l->type == FORCE)
            push(s, w, l->b, value, point_on(&s->at[l->b], place_in(m, l->b, l->at)).p);
        else
            turn_by(w, l->b, value);
    } else if (l->type == SPRING) {
        point pA = point_on(&s->at[l->a], place_in(m, l->a, l->other));
        point pB = point_on(&s->at[l->b], place_in(m, l->b, l->at)), d = sum(pB, -1, pA);
        number length = root(dot(d, d));
        double pull = l->stiffness[0] * (length.p - l->length) + l->damping[0] * length.v;
        pair(s, w, l->a, l->b, vec_times(-pull / length.p, d.p), pB.p);
    } else if (l->type == TORSION_SPRING || l->type == JOINT_LOAD) {
        const joint *j = &m->joints[l->joint];
        number x = coordinate(s, j, &axis);
        double along = l->type == JOINT_LOAD
                           ? value_of(s, &l->value[0])
                           : -l->stiffness[0] * (x.p - l->length) - l->damping[0] * x.v;
        act_along(s, j, axis, along, w);
    } else if (l->type == BUSHING)
        bushing(s, l, w);
    else
        contact(s, l, w);
}

/* Friction and stops of joints. */
static void add_joint_loads(const system_of *s, const joint *j, wrench *w, vec *own)
{
    vec axis;
    double value = 0;
    *own = vec_of(0, 0, 0);
    if (j->slip <= 0 && j->stiffness <= 0)
        return;
    number x = coordinate(s, j, &axis);
    if (j->slip > 0)
        value -= j->dry * x.v / sqrt(x.v * x.v + j->slip * j->slip) + j->viscous * x.v;
    if (j->stiffness > 0 && x.p > j->upper) {
        double a = j->stiffness * (x.p - j->upper), b = j->damping * x.v;
        value -= a * (1 + b / sqrt(a * a + b * b));
    }
    act_along(s, j, axis, value, w);
    if (j->type == PRISMATIC)
        *own = vec_times(value, axis);
}

/* ---- accelerations -------------------------------------------------------------------------- */

enum { WIDE = 6 * BODIES };

typedef struct work {
    double G[ROWS][WIDE], MG[ROWS][WIDE], A[ROWS][ROWS + 1], right[ROWS], l[ROWS], f[WIDE], a[WIDE];
    int first[JOINTS + 1]; /* row of each joint */
    int rank, rows;
    vec own[JOINTS];
} work;

static void find_rows(system_of *s, number *c, int *first)
{
    int n = 0;
    for (int i = 0; i < s->m->n_joints; i++) {
        if (first)
            first[i] = n;
        n += rows_of(s, &s->m->joints[i], c + n);
    }
    if (first)
        first[s->m->n_joints] = n;
}

/* x = M^-1 y of a body: 1/m and the inverse of its inertia, body axes; points do not turn. */
static void divide(const body *b, const double *y, double *x)
{
    const double *J = b->inertia;
    for (int k = 0; k < 3; k++)
        x[k] = y[k] / b->mass, x[3 + k] = 0;
    if (b->point)
        return;
    vec r0 = {J[0], J[3], J[4]}, r1 = {J[3], J[1], J[5]}, r2 = {J[4], J[5], J[2]};
    vec right = {y[3], y[4], y[5]}, c0 = vec_cross(r1, r2), c1 = vec_cross(r2, r0),
        c2 = vec_cross(r0, r1);
    double det = vec_dot(r0, c0);
    x[3] = vec_dot(right, c0) / det;
    x[4] = vec_dot(right, c1) / det;
    x[5] = vec_dot(right, c2) / det;
}

static void find_forces(system_of *s, work *k)
{
    const mechanism *m = s->m;
    wrench w[BODIES] = {0};
    for (int i = 0; i < m->n_loads; i++)
        add_load(s, &m->loads[i], w);
    for (int i = 0; i < m->n_joints; i++)
        add_joint_loads(s, &m->joints[i], w, &k->own[i]);
    for (int i = 1; i < m->n_bodies; i++) {
        const double *J = m->bodies[i].inertia;
        vec force = vec_add(w[i].force, vec_times(m->bodies[i].mass, m->gravity));
        vec u = turn_back(&s->at[i].R, s->at[i].w), moment = turn_back(&s->at[i].R, w[i].moment);
        vec h = {J[0] * u.x + J[3] * u.y + J[4] * u.z, J[3] * u.x + J[1] * u.y + J[5] * u.z,
                 J[4] * u.x + J[5] * u.y + J[2] * u.z};
        moment = vec_sub(moment, vec_cross(u, h));
        const double all[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
        memcpy(k->f + 6 * i, all, sizeof all);
    }
}

/* Velocity row k of all rows: c' at unit velocities less c' at rest. */
static void find_matrix(system_of *s, work *k)
{
    static number rest[ROWS], unit[ROWS];
    mover kept[BODIES];
    memcpy(kept, s->at, sizeof kept);
    for (int b = 0; b < s->m->n_bodies; b++)
        s->at[b].x.v = s->at[b].w = vec_of(0, 0, 0);
    find_rows(s, rest, k->first);
    k->rows = k->first[s->m->n_joints];
    for (int b = 1; b < s->m->n_bodies; b++)
        for (int i = 0; i < 6; i++) {
            vec e = vec_of(i % 3 == 0, i % 3 == 1, i % 3 == 2);
            bool turns = i >= 3;
            if (turns)
                s->at[b].w = s->m->bodies[b].point ? vec_of(0, 0, 0) : turn_apply(&s->at[b].R, e);
            else
                s->at[b].x.v = e;
            find_rows(s, unit, NULL);
            for (int r = 0; r < k->rows; r++)
                k->G[r][6 * b + i] = unit[r].v - rest[r].v;
            s->at[b].x.v = s->at[b].w = vec_of(0, 0, 0);
        }
    memcpy(s->at, kept, sizeof kept);
}

/* A row whose pivot falls below this part of the largest depends on the others. */
static const double DEPENDENT = 1e-9;

/* (G M^-1 G^T) l = right, with the largest pivots first; l of dependent rows is zero. */
static void eliminate(work *k)
{
    int n = k->rows, order[ROWS];
    double largest = 0;
    for (int i = 0; i < n; i++)
        order[i] = i, k->l[i] = 0;
    for (k->rank = 0; k->rank < n; k->rank++) {
        int r = k->rank, best = r;
        for (int i = r; i < n; i++)
            if (fabs(k->A[order[i]][order[i]]) > fabs(k->A[order[best]][order[best]]))
                best = i;
        int p = order[best];
        largest = fmax(largest, fabs(k->A[p][p]));
        if (!(fabs(k->A[p][p]) > DEPENDENT * largest))
            break;
        order[best] = order[r], order[r] = p;
        for (int i = r + 1; i < n; i++) {
            double factor = k->A[order[i]][p] / k->A[p][p];
            for (int j = 0; j <= n; j++)
                k->A[order[i]][j] -= factor * k->A[p][j];
        }
    }
    for (int r = k->rank - 1; r >= 0; r--) {
        int p = order[r];
        double sum_of = k->A[p][n];
        for (int i = r + 1; i < k->rank; i++)
            sum_of -= k->A[p][order[i]] * k->l[order[i]];
        k->l[p] = sum_of / k->A[p][p];
    }
}

static void accelerate(system_of *s, work *k)
{
    static number c[ROWS];
    int wide = 6 * s->m->n_bodies;
    find_matrix(s, k);
    find_forces(s, k);
    find_rows(s, c, NULL); /* at accelerations of zero */
    for (int r = 0; r < k->rows; r++)
        for (int b = 1; b < s->m->n_bodies; b++)
            divide(&s->m->bodies[b], k->G[r] + 6 * b, k->MG[r] + 6 * b);
    for (int r = 0; r < k->rows; r++) {
        for (int i = 0; i < k->rows; i++) {
            k->A[r][i] = 0;
            for (int j = 6; j < wide; j++)
                k->A[r][i] += k->G[r][j] * k->MG[i][j];
        }
        k->A[r][k->rows] = -c[r].a;
        for (int j = 6; j < wide; j++)
            k->A[r][k->rows] -= k->MG[r][j] * k->f[j];
    }
    eliminate(k);
    for (int r = 0; r < k->rows; r++)
        for (int j = 6; j < wide; j++)
            k->f[j] += k->G[r][j] * k->l[r];
    for (int b = 1; b < s->m->n_bodies; b++)
        divide(&s->m->bodies[b], k->f + 6 * b, k->a + 6 * b);
}

static void place(system_of *s, const double *y, double t)
{
    s->t = t;
    for (int i = 0; i < s->m->n_bodies; i++)
        s->at[i] = mover_of(s->m, i, y + STATE * i);
}

static void derive(system_of *s, work *k, double t, const double *y, double *dy)
{
    place(s, y, t);
    accelerate(s, k);
    for (int b = 1; b < s->m->n_bodies; b++) {
        const double *q = y + STATE * b + 3, *v = q + 4, *w = v + 3;
        double *d = dy + STATE * b;
        memcpy(d, v, 3 * sizeof *d);
        d[3] = (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]) / 2;
        d[4] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2;
        d[5] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2;
        d[6] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2;
        memcpy(d + 7, k->a + 6 * b, 6 * sizeof *d);
    }
}

/* ---- time ----------------------------------------------------------------------------------- */

enum { ALL = STATE * BODIES, COLUMNS = 8 };
static const double ACCURATE = 1e-13, SHORTEST = 1e-7;

/* One step of H by extrapolation; the difference of the last two columns. */
static double extrapolate(system_of *s, work *k, double t, double H, const double *y, double *out)
{
    static double table[COLUMNS][ALL], before[ALL], now[ALL], after[ALL], d[ALL];
    int n = STATE * s->m->n_bodies;
    double error = 0;
    for (int row = 0; row < COLUMNS; row++) {
        int parts = 2 * (row + 1);
        double h = H / parts, *T = table[row], below[ALL];
        derive(s, k, t, y, d);
        for (int i = 0; i < n; i++)
            before[i] = y[i], now[i] = y[i] + h * d[i];
        for (int step = 1; step <= parts; step++) {
            derive(s, k, t + step * h, now, d);
            if (step == parts)
                break;
            for (int i = 0; i < n; i++) {
                after[i] = before[i] + 2 * h * d[i];
                before[i] = now[i];
                now[i] = after[i];
            }
        }
        for (int i = 0; i < n; i++) {
            double value = (now[i] + before[i] + h * d[i]) / 2; /* Gragg's last half step */
            below[i] = value;
        }
        for (int column = 1; column <= row; column++) {
            double ratio = (double)parts / (2 * (row - column + 1));
            for (int i = 0; i < n; i++) {
                double value = below[i] + (below[i] - table[column - 1][i]) / (ratio * ratio - 1);
                table[column - 1][i] = below[i];
                below[i] = value;
            }
        }
        for (int i = 0; row == COLUMNS - 1 && i < n; i++)
            error = fmax(error, fabs(below[i] - table[row - 1][i]) / (1 + fabs(below[i])));
        memcpy(T, below, (size_t)n * sizeof *T);
    }
    memcpy(out, table[COLUMNS - 1], (size_t)n * sizeof *out);
    return error;
}

static void begin(system_of *s, const mechanism *m)
{
    memset(s, 0, sizeof *s);
    s->m = m;
    for (int i = 0; i < m->n_bodies; i++) { /* the given placement */
        double y[STATE] = {0};
        turn R = turn_of(m->bodies[i].orientation);
        vec x = vec_add(m->bodies[i].position, turn_apply(&R, m->bodies[i].center));
        y[0] = x.x, y[1] = x.y, y[2] = x.z;
        memcpy(y + 3, m->bodies[i].orientation, 4 * sizeof *y);
        s->start[i] = mover_of(m, i, y);
    }
}

void reference_open(const mechanism *m, const double *y, double *positions, double *rates)
{
    static system_of s;
    static number c[ROWS];
    int first[JOINTS + 1];
    begin(&s, m);
    place(&s, y, 0);
    find_rows(&s, c, first);
    *positions = *rates = 0;
    for (int i = 0; i < first[m->n_joints]; i++) {
        *positions = fmax(*positions, fabs(c[i].p));
        *rates = fmax(*rates, fabs(c[i].v));
    }
}

bool reference_integrate(const mechanism *m, double *y, vec *forces, bool *unique)
{
    static system_of s;
    static work k;
    static double next[ALL], dy[ALL];
    double t = 0, H = m->duration / 8;
    memset(&k, 0, sizeof k);
    begin(&s, m);
    memset(dy, 0, sizeof dy);
    while (t < m->duration) {
        bool last = t + H >= m->duration * (1 - 1e-12);
        double h = last ? m->duration - t : H;
        double error = extrapolate(&s, &k, t, h, y, next);
        if (!(error <= ACCURATE) && h > SHORTEST) {
            H = h / 2;
            continue;
        }
        if (!(error <= 1e-9))
            return false;
        memcpy(y, next, sizeof(double) * STATE * (size_t)m->n_bodies);
        t = last ? m->duration : t + h;
        H = error < 1e-16 ? 2 * h : h;
    }
    derive(&s, &k, m->duration, y, dy);
    *unique = k.rank == k.rows;
    for (int i = 0; i < m->n_joints; i++) {
        forces[i] = k.own[i];
        if (m->joints[i].type == GEAR)
            continue;
        for (int r = k.first[i]; r < k.first[i + 1]; r++) {
            const double *g = k.G[r] + 6 * m->joints[i].b;
            forces[i] = vec_add(forces[i], vec_times(k.l[r], vec_of(g[0], g[1], g[2])));
        }
    }
    return true;
}
