#include "random/mechanism.h"

#include <string.h>

/* ---- chance --------------------------------------------------------------------------------- */

static uint64_t chance;

static uint64_t next(void)
{
    uint64_t z = (chance += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static int any(int n) { return (int)(next() % (uint64_t)n); }
static bool one_in(int n) { return any(n) == 0; }
static double between(double low, double high)
{
    return low + (high - low) * (double)(next() >> 11) * 0x1p-53;
}
static vec anywhere(double size)
{
    return vec_of(between(-size, size), between(-size, size), between(-size, size));
}
static vec direction(void)
{
    for (;;) {
        vec a = anywhere(1);
        double size = vec_size(a);
        if (size > 0.1 && size < 1)
            return vec_times(1 / size, a);
    }
}

turn turn_of(const double q[4])
{
    double n = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double w = n * q[0], x = n * q[1], y = n * q[2], z = n * q[3];
    return (turn){{vec_of(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
                   vec_of(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
                   vec_of(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))}};
}

void vec_across(vec a, vec *first, vec *second)
{
    vec pick = fabs(a.x) < 0.6 ? vec_of(1, 0, 0) : vec_of(0, 1, 0);
    *first = vec_unit(vec_cross(a, pick));
    *second = vec_cross(a, *first);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static body *add_body(mechanism *m)
{
    body *b = &m->bodies[m->n_bodies++];
    *b = (body){.mass = between(0.5, 4), .position = anywhere(1.5)};
    double a = between(0.02, 0.3), c = between(0.02, 0.3), d = between(0.02, 0.3);
    b->inertia[0] = c + d, b->inertia[1] = a + d, b->inertia[2] = a + c;
    for (int i = 3; i < 6; i++)
        b->inertia[i] = between(-0.01, 0.01);
    b->center = one_in(3) ? anywhere(0.2) : vec_of(0, 0, 0);
    vec turned = anywhere(1);
    const double q[4] = {between(0.3, 1), turned.x, turned.y, turned.z};
    memcpy(b->orientation, q, sizeof q);
    return b;
}

static void move(body *b)
{
    b->moves = true;
    b->velocity = anywhere(1);
    b->angular_velocity = anywhere(2);
}

static formula any_formula(const mechanism *m, double size)
{
    formula f = {.c = {between(-size, size), between(-size, size), between(1, 6), between(-3, 3)}};
    if (m->n_bodies > 1 && one_in(2)) {
        f.a = 1 + any(m->n_bodies - 1), f.b = 1 + any(m->n_bodies - 1);
        f.c[4] = between(-0.3, 0.3) * size, f.c[5] = between(-0.5, 0.5) * size;
    }
    return f;
}

static vec middle(const mechanism *m, int a, int b)
{
    vec p = m->bodies[b].position, o = m->bodies[a].position;
    return vec_add(vec_times(0.5, a ? vec_add(o, p) : vec_times(1.3, p)), anywhere(0.2));
}

static vec into(const mechanism *m, int b, vec p)
{
    turn R = turn_of(m->bodies[b].orientation);
    return turn_back(&R, vec_sub(p, m->bodies[b].position));
}

static joint *add_joint(mechanism *m, kind type, int a, int b)
{
    vec across;
    joint *j = &m->joints[m->n_joints++];
    *j = (joint){.type = type, .a = a, .b = b, .at = middle(m, a, b), .axis = direction()};
    vec_across(j->axis, &j->other, &across);
    if (type == DISTANCE) {
        j->points[0] = into(m, a, vec_add(m->bodies[a].position, anywhere(0.3)));
        j->points[1] = m->bodies[b].point ? vec_of(0, 0, 0) : anywhere(0.2);
    }
    if (type == SCREW)
        j->radius = between(-0.5, 0.5);
    if (m->bodies[b].point)
        j->at = m->bodies[b].position;
    if ((type == REVOLUTE || type == PRISMATIC) && one_in(6)) {
        j->driven = true;
        j->rate = between(-1, 1), j->swing = between(-0.3, 0.3);
    } else if (type == REVOLUTE || type == PRISMATIC || type == CYLINDRICAL) {
        if (type != CYLINDRICAL && one_in(4))
            j->dry = between(0.1, 1), j->slip = between(0.2, 1), j->viscous = between(0, 0.5);
        if (type != CYLINDRICAL && one_in(6)) /* pressed from the start on */
            j->upper = -0.1, j->stiffness = between(50, 200), j->damping = between(0, 1);
    }
    return j;
}

static void add_load(mechanism *m)
{
    load *l = &m->loads[m->n_loads++];
    *l = (load){.type = (load_kind)any(6), .joint = -1};
    l->b = 1 + any(m->n_bodies - 1);
    do
        l->a = any(m->n_bodies);
    while (l->a == l->b);
    l->at = vec_add(m->bodies[l->b].position, anywhere(0.3));
    l->other = vec_add(m->bodies[l->a].position, anywhere(0.3));
    l->turns = one_in(2);
    for (int i = 0; i < 3; i++)
        l->value[i] = any_formula(m, l->type == FORCE ? 5 : 1);
    for (int i = 0; i < 6; i++)
        l->stiffness[i] = between(10, 100), l->damping[i] = between(0, 1);
    l->length = between(0.3, 1);
    bool point = m->bodies[l->b].point || m->bodies[l->a].point;
    if (point && l->type != SPRING)
        l->type = FORCE;
    if (m->bodies[l->b].point)
        l->at = m->bodies[l->b].position, l->turns = false;
    if (m->bodies[l->a].point)
        l->other = m->bodies[l->a].position;
    if (l->type != TORSION_SPRING && l->type != JOINT_LOAD)
        return;
    for (int i = 0; i < m->n_joints; i++)
        if (!m->joints[i].driven && (m->joints[i].type == REVOLUTE ||
                                     (m->joints[i].type == PRISMATIC && l->type == JOINT_LOAD)))
            l->joint = i;
    if (l->joint < 0)
        l->type = FORCE, l->at = m->bodies[l->b].position, l->turns = false;
}

/* ---- whole mechanisms ----------------------------------------------------------------------- */

/* A tree, and a few loops that leave it some freedom. */
static void make_tree(mechanism *m, int bodies, bool loops)
{
    static const kind kinds[] = {SPHERICAL,   REVOLUTE, REVOLUTE, REVOLUTE, UNIVERSAL, PRISMATIC,
                                 CYLINDRICAL, PLANAR,   INLINE,   DISTANCE, FIXED,     SCREW};
    for (int i = 0; i < bodies; i++) {
        body *b = add_body(m);
        int a = one_in(3) ? 0 : any(m->n_bodies - 1), me = m->n_bodies - 1;
        kind type = kinds[any((int)(sizeof kinds / sizeof *kinds))];
        if (one_in(8)) {
            b->point = true;
            b->center = vec_of(0, 0, 0);
            type = one_in(2) ? DISTANCE : one_in(2) ? SPHERICAL : INLINE;
        }
        if (m->bodies[a].point && type != SPHERICAL && type != DISTANCE)
            type = DISTANCE;
        if (m->bodies[a].point && type == SPHERICAL)
            a = 0;
        if (one_in(6)) {
            move(b); /* free */
            if (b->point)
                b->angular_velocity = vec_of(0, 0, 0);
            continue;
        }
        add_joint(m, type, a, me);
        if (one_in(3))
            move(b);
    }
    for (int i = any(3); loops && i > 0 && m->n_bodies > 3; i--) {
        static const kind closers[] = {DISTANCE, DISTANCE, INLINE, SPHERICAL};
        int a = any(m->n_bodies), b = 1 + any(m->n_bodies - 1);
        if (a != b && !m->bodies[a].point && !m->bodies[b].point)
            add_joint(m, closers[any(4)], a, b);
    }
}

/* The first two hinges without motion, geared to each other. */
static void add_gear(mechanism *m)
{
    int found[2], n = 0;
    for (int i = 0; i < m->n_joints && n < 2; i++)
        if (m->joints[i].type == REVOLUTE && !m->joints[i].driven)
            found[n++] = i;
    if (n == 2)
        m->joints[m->n_joints++] =
            (joint){.type = GEAR, .a = found[0], .b = found[1], .radius = between(-2, 2)};
}

/* Bars in a plane between pins whose axes are parallel: each loop says three things twice. */
static void make_planar(mechanism *m)
{
    int bars = 3 + any(3);
    vec normal = direction(), e, f, pin = vec_of(0, 0, 0), to;
    vec_across(normal, &e, &f);
    for (int i = 0; i < bars; i++, pin = to) {
        body *b = add_body(m);
        double angle = 6.28 * i / (bars + 1) + between(0.2, 0.8), length = between(0.5, 1);
        to = vec_add(
            pin, vec_times(length, vec_add(vec_times(cos(angle), e), vec_times(sin(angle), f))));
        b->position = vec_times(0.5, vec_add(pin, to));
        joint *j = add_joint(m, REVOLUTE, i, i + 1);
        *j = (joint){.type = REVOLUTE, .a = i, .b = i + 1, .at = pin, .axis = normal};
    }
    joint *j = add_joint(m, REVOLUTE, 0, bars);
    *j = (joint){.type = REVOLUTE, .a = 0, .b = bars, .at = pin, .axis = normal};
    move(&m->bodies[1]);
}

/* Something that rolls or glides on the ground, with a tree that hangs on it. */
static void make_rolling(mechanism *m)
{
    body *b = add_body(m);
    kind type = ROLLING_DISK + any(3);
    joint *j = add_joint(m, type, 0, 1);
    *j = (joint){.type = type, .b = 1, .radius = between(0.3, 1), .axis = direction()};
    turn R = turn_of(b->orientation);
    double lean = turn_apply(&R, j->axis).z;
    if (fabs(lean) > 0.9 && type != ROLLING_SPHERE) {
        j->axis = turn_back(&R, vec_unit(vec_of(1, between(-1, 1), between(-0.3, 0.3))));
        lean = turn_apply(&R, j->axis).z;
    }
    b->position.z = type == ROLLING_DISK ? j->radius * sqrt(1 - lean * lean) : j->radius;
    if (type == KNIFE_EDGE)
        add_joint(m, PLANAR, 0, 1)->axis = vec_of(0, 0, 1);
    move(b);
    for (int i = any(3); i > 0; i--) {
        add_body(m);
        add_joint(m, one_in(2) ? REVOLUTE : SPHERICAL, any(m->n_bodies - 1), m->n_bodies - 1);
    }
}

/* Balls that press on the ground from the start on. */
static void make_contact(mechanism *m)
{
    make_tree(m, 1 + any(3), false);
    body *b = add_body(m);
    load *l = &m->loads[m->n_loads++];
    *l = (load){.type = CONTACT,
                .b = m->n_bodies - 1,
                .at = one_in(2) ? b->center : anywhere(0.05),
                .radius = between(0.2, 0.5),
                .stiffness = {between(1e3, 1e4)},
                .exponent = one_in(2) ? 1.5 : 1,
                .friction = one_in(3) ? 0 : between(0.1, 0.5),
                .slip = between(0.05, 0.5),
                .damping = {one_in(2) ? 0 : between(0.01, 0.1)}};
    turn R = turn_of(b->orientation);
    b->position.z = l->radius - 0.06 - turn_apply(&R, l->at).z;
    b->moves = true;
    b->velocity = vec_of(between(-0.5, 0.5), between(-0.5, 0.5), 0);
    b->angular_velocity = anywhere(0.3);
    m->duration = 0.02;
}

void mechanism_make(mechanism *m, uint64_t seed)
{
    chance = seed * 0x2545f4914f6cdd1du;
    *m = (mechanism){.n_bodies = 1, .duration = 0.25, .gravity = {0, 0, -9.81}};
    const double upright[4] = {1, 0, 0, 0};
    memcpy(m->bodies[0].orientation, upright, sizeof upright);
    switch (any(6)) {
    case 0:
        make_planar(m);
        break;
    case 1:
        make_rolling(m);
        break;
    case 2:
        make_contact(m);
        break;
    default:
        make_tree(m, 1 + any(7), any(2));
        if (one_in(3))
            add_gear(m);
    }
    for (int i = any(4); i > 0; i--)
        add_load(m);
}

/* ---- the model file ------------------------------------------------------------------------- */

static void write_vec(FILE *to, const char *name, vec a)
{
    fprintf(to, "%s: [%.17g, %.17g, %.17g]", name, a.x, a.y, a.z);
}

static const char *name_of(int b)
{
    static char names[4][16];
    static int used;
    char *name = names[used++ % 4];
    snprintf(name, 16, b ? "b%d" : "ground", b);
    return name;
}

static void write_body(const mechanism *m, int i, FILE *to)
{
    const body *b = &m->bodies[i];
    const double *J = b->inertia, *q = b->orientation;
    fprintf(to, "  b%d: {mass: %.17g, ", i, b->mass);
    if (b->point)
        fputs("point: true, ", to);
    else {
        fprintf(to, "inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], ", J[0], J[1], J[2], J[3],
                J[4], J[5]);
        fprintf(to, "orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}, ", q[0], q[1], q[2],
                q[3]);
        write_vec(to, "center_of_mass", b->center);
        fputs(", ", to);
    }
    write_vec(to, "position", b->position);
    if (b->moves) {
        write_vec(to, ", velocity", b->velocity);
        if (!b->point)
            write_vec(to, ", angular_velocity", b->angular_velocity);
    }
    fputs("}\n", to);
}

static const char *const types[KINDS] = {
    "fixed",  "spherical", "revolute", "prismatic",    "cylindrical",    "screw",      "universal",
    "planar", "inline",    "distance", "rolling_disk", "rolling_sphere", "knife_edge", "gear"};

static void write_joint(const mechanism *m, int i, FILE *to)
{
    const joint *j = &m->joints[i];
    if (j->type == GEAR) {
        fprintf(to, "  j%d: {type: gear, joints: [j%d, j%d], ratio: %.17g}\n", i, j->a, j->b,
                j->radius);
        return;
    }
    fprintf(to, "  j%d: {type: %s, between: [%s, %s]", i, types[j->type], name_of(j->a),
            name_of(j->b));
    if (j->type == DISTANCE) {
        fprintf(to, ", points: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", j->points[0].x,
                j->points[0].y, j->points[0].z, j->points[1].x, j->points[1].y, j->points[1].z);
    } else if (j->type >= ROLLING_DISK) {
        if (j->type != KNIFE_EDGE)
            fprintf(to, ", radius: %.17g", j->radius);
        if (j->type != ROLLING_SPHERE)
            write_vec(to, ", axis", j->axis);
    } else
        write_vec(to, ", at", j->at);
    if (j->type == SCREW)
        fprintf(to, ", pitch: %.17g", j->radius);
    if (j->type == UNIVERSAL)
        fprintf(to, ", axes: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", j->axis.x, j->axis.y,
                j->axis.z, j->other.x, j->other.y, j->other.z);
    else if (j->type >= REVOLUTE && j->type <= INLINE)
        write_vec(to, ", axis", j->axis);
    if (j->driven)
        fprintf(to, ", motion: \"%.17g*t + %.17g*(1 - cos(2*t))\"", j->rate, j->swing);
    if (j->slip > 0)
        fprintf(to, ", friction: {dry: %.17g, viscous: %.17g, slip: %.17g}", j->dry, j->viscous,
                j->slip);
    if (j->stiffness > 0)
        fprintf(to, ", limits: {upper: %.17g, stiffness: %.17g, damping: %.17g}", j->upper,
                j->stiffness, j->damping);
    fputs("}\n", to);
}

static void write_formula(FILE *to, const formula *f)
{
    fprintf(to, "\"%.17g + %.17g*sin(%.17g*t + %.17g)", f->c[0], f->c[1], f->c[2], f->c[3]);
    if (f->a)
        fprintf(to, " + %.17g*b%d.velocity.x + %.17g*b%d.position.z", f->c[4], f->a, f->c[5], f->b);
    fputc('"', to);
}

static void write_six(FILE *to, const char *name, const double *six)
{
    fprintf(to, ", %s: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", name, six[0], six[1], six[2],
            six[3], six[4], six[5]);
}

static void write_load(const mechanism *m, int i, FILE *to)
{
    const load *l = &m->loads[i];
    fprintf(to, "  f%d: {", i);
    switch (l->type) {
    case FORCE:
    case TORQUE:
        fprintf(to, "type: %s, on: b%d", l->type == FORCE ? "force" : "torque", l->b);
        if (l->type == FORCE)
            write_vec(to, ", at", l->at);
        fprintf(to, ", frame: %s, value: [", l->turns ? "body" : "ground");
        for (int k = 0; k < 3; k++) {
            write_formula(to, &l->value[k]);
            fputs(k < 2 ? ", " : "]", to);
        }
        break;
    case SPRING:
        fprintf(to, "type: spring, between: [%s, %s]", name_of(l->a), name_of(l->b));
        fprintf(to, ", at: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", l->other.x, l->other.y,
                l->other.z, l->at.x, l->at.y, l->at.z);
        fprintf(to, ", stiffness: %.17g, damping: %.17g, length: %.17g", l->stiffness[0],
                l->damping[0], l->length);
        break;
    case TORSION_SPRING:
        fprintf(to,
                "type: torsion_spring, joint: j%d, stiffness: %.17g, damping: %.17g, angle: "
                "%.17g",
                l->joint, l->stiffness[0], l->damping[0], l->length);
        break;
    case BUSHING:
        fprintf(to, "type: bushing, between: [%s, %s]", name_of(l->a), name_of(l->b));
        write_vec(to, ", at", l->at);
        write_six(to, "stiffness", l->stiffness);
        write_six(to, "damping", l->damping);
        break;
    case JOINT_LOAD:
        fprintf(to, "type: joint_%s, joint: j%d, value: ",
                m->joints[l->joint].type == REVOLUTE ? "torque" : "force", l->joint);
        write_formula(to, &l->value[0]);
        break;
    case CONTACT:
        fprintf(to, "type: sphere_plane, between: [ground, b%d], plane: {normal: [0, 0, 1]}", l->b);
        write_vec(to, ", at", l->at);
        fprintf(to, ", radius: %.17g, stiffness: %.17g, exponent: %.17g, damping: %.17g", l->radius,
                l->stiffness[0], l->exponent, l->damping[0]);
        if (l->friction > 0)
            fprintf(to, ", friction: {coefficient: %.17g, slip: %.17g}", l->friction, l->slip);
    }
    fputs("}\n", to);
}

void mechanism_write(const mechanism *m, const char *simulation, FILE *to)
{
    fputs("nutate: 1\n", to);
    write_vec(to, "gravity", m->gravity);
    fputs("\nbodies:\n", to);
    for (int i = 1; i < m->n_bodies; i++)
        write_body(m, i, to);
    if (m->n_joints)
        fputs("joints:\n", to);
    for (int i = 0; i < m->n_joints; i++)
        write_joint(m, i, to);
    for (int contacts = 0; contacts < 2; contacts++) {
        bool begun = false;
        for (int i = 0; i < m->n_loads; i++) {
            if ((m->loads[i].type == CONTACT) != contacts)
                continue;
            if (!begun)
                fputs(contacts ? "contacts:\n" : "forces:\n", to);
            begun = true;
            write_load(m, i, to);
        }
    }
    fprintf(to, "initial: {correct: true}\nsimulation: {duration: %.17g, %s}\n", m->duration,
            simulation);
    fprintf(to, "output:\n  every: %.17g\n  record:\n", m->duration);
    for (int i = 1; i < m->n_bodies; i++) {
        fprintf(to, "    - b%d.position\n    - b%d.velocity\n", i, i);
        if (!m->bodies[i].point)
            fprintf(to, "    - b%d.orientation\n    - b%d.angular_velocity\n", i, i);
    }
    for (int i = 0; i < m->n_joints; i++)
        if (m->joints[i].type != GEAR)
            fprintf(to, "    - j%d.force\n", i);
}
