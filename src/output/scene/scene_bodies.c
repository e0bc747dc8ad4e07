/* Shapes of bodies that have none in the file: from what touches them, their inertia, their joints,
 * and links to their joints and markers.
 *
 * A body of mass m whose principal moments are I1, I2, I3 moves as a box with the sides
 *
 *   a1^2 = 6 (I2 + I3 - I1)/m, and so on,
 *
 * or, where two moments are equal, as a cylinder about the third axis with
 *
 *   r^2 = 2 I3/m,  h^2 = 12 I1/m - 3 r^2,
 *
 * or, where all are, as a sphere with r^2 = 5 I/(2 m). What its joints say comes first: bars from
 * joint to joint, rings of gimbals, leaves on a hinge, rotors on a shaft, blocks on a rail. */
#include "output/scene/scene.h"

#include <float.h>
#include <nutate/group.h>

static const double THIN = 0.6;    /* of a joint's radius: that of a link               */
static const double BAR = 1.1;     /* of it: that of a bar from joint to joint          */
static const double LEAST = 0.008; /* of the scene's length: smallest half side         */
static const double MOST = 0.5;    /* of it: largest half side                          */
static const double BLOCK = 0.12;  /* of it: largest half side of a block on a rail     */
static const double BOB = 0.3;     /* of the arm of a pendulum: largest radius          */
static const double INSIDE = 0.85; /* of the way to joints on both sides: largest side  */
static const double THROW = 1.35;  /* of a crank's throw: the radius of its disk        */
static const double HUB = 0.5;     /* of the way to forces around: radius of a frame    */
static const double TOP = 0.75;    /* of a top's height: the radius of its disk         */
static const double ALIKE = 1e-6;  /* moments that differ less are equal                */
enum { MOST_SITES = 32 };

/* Where a joint, a force or a marker is on the body; the axis is zero where there is none. */
typedef struct site {
    nt_drawing drawing;
    v3 at, axis;
} site;

typedef struct portrait {
    nt_sketches *s;
    nt_solid *list;
    const nt_body *body;
    v3 center;
    site site[MOST_SITES]; /* [n] those of joints first */
    int n_joints, n;
    double I[3]; /* about principal axes */
    v3 axes[3];
} portrait;

static nt_solid *add_solid(portrait *p, nt_form form)
{
    nt_solid *solid = NT_TAKE(&p->s->arena, 1, nt_solid);
    if (!solid) {
        p->s->failed = true;
        return NULL;
    }
    *solid = (nt_solid){.form = form, .turn = {1, 0, 0, 0}, .next = p->list};
    p->list = solid;
    return solid;
}

/* The rotation that takes z to a unit vector the short way. */
static quat turn_to(v3 axis)
{
    if (axis.z < -1 + 1e-12)
        return (quat){0, 1, 0, 0};
    return quat_unit((quat){1 + axis.z, -axis.y, axis.x, 0});
}

/* ---- joints, forces and markers ------------------------------------------------------------- */

static void add_site(portrait *p, nt_drawing drawing, v3 at, v3 axis)
{
    if (p->n < MOST_SITES)
        p->site[p->n++] = (site){drawing, at, axis};
}

static void gather(portrait *p, int number)
{
    const nt_run *run = p->s->run;
    if (p->body->t_node < 0 && !p->body->carried) /* a fixed point */
        add_site(p, NT_DRAW_BALL, p->body->reference, v3_of(0, 0, 0));
    for (int joints = 1; joints >= 0; joints--) {
        for (int i = 0; i < p->s->n; i++) {
            const nt_sketch *sketch = &p->s->sketch[i];
            if (nt_scene_is_solid(sketch->drawing) || sketch->drawing == NT_DRAW_CONTACT ||
                nt_scene_is_joint(sketch->drawing) != (joints == 1))
                continue;
            for (int k = 0; k < sketch->n; k++)
                if (sketch->body[k] == number)
                    add_site(p, sketch->drawing, sketch->at[k], sketch->axis[k]);
        }
        if (joints == 1)
            p->n_joints = p->n;
    }
    for (int i = 0; i < run->model->n_markers; i++)
        if (run->markers[i].on == number)
            add_site(p, NT_DRAW_NOTHING, v3_load(run->markers[i].at), v3_of(0, 0, 0));
}

/* Keeps one site of each place among the first n, their order as it was. */
static int distinct(const portrait *p, int n, v3 *at)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        bool again = false;
        for (int j = 0; j < found; j++)
            again |= v3_norm(v3_sub(p->site[i].at, at[j])) < THIN * p->s->size;
        if (!again)
            at[found++] = p->site[i].at;
    }
    return found;
}

/* The first joint of such a drawing; NULL: none. */
static const site *joint_of(const portrait *p, nt_drawing first, nt_drawing last)
{
    for (int i = 0; i < p->n_joints; i++)
        if (p->site[i].drawing >= first && p->site[i].drawing <= last)
            return &p->site[i];
    return NULL;
}

/* How far a line through a site, along its axis, passes the centre of mass; and the foot there. */
static double off_axis(const portrait *p, const site *at, v3 *foot)
{
    v3 d = v3_sub(p->center, at->at);
    *foot = v3_axpy(v3_dot(d, at->axis), at->axis, at->at);
    return v3_norm(v3_sub(p->center, *foot));
}

/* ---- links ---------------------------------------------------------------------------------- */

static void add_link(portrait *p, v3 from, v3 to, double radius)
{
    v3 d = v3_sub(to, from);
    double length = v3_norm(d);
    if (length < 2 * radius)
        return;
    nt_solid *link = add_solid(p, NT_FORM_CAPSULE);
    if (!link)
        return;
    link->at = v3_axpy(0.5, d, from);
    link->turn = turn_to(v3_scale(1 / length, d));
    link->size[0] = radius, link->size[1] = length;
}

/* From the centre of mass to each point of a joint, a force or a marker. */
static void add_links(portrait *p)
{
    v3 ends[MOST_SITES];
    int n = distinct(p, p->n, ends);
    for (int i = 0; i < n; i++)
        add_link(p, p->center, ends[i], THIN * p->s->size);
}

/* Bars from joint to joint, and links from the nearest of them to other points. */
static void add_bars(portrait *p, const v3 *joints, int n_joints)
{
    v3 ends[MOST_SITES];
    int n = distinct(p, p->n, ends);
    for (int i = 0; i < n_joints; i++)
        for (int j = i + 1; j < n_joints; j++)
            add_link(p, joints[i], joints[j], BAR * p->s->size);
    for (int i = n_joints; i < n; i++) {
        v3 from = joints[0];
        for (int j = 1; j < n_joints; j++)
            if (v3_norm(v3_sub(ends[i], joints[j])) < v3_norm(v3_sub(ends[i], from)))
                from = joints[j];
        add_link(p, from, ends[i], BAR * p->s->size);
    }
}

/* ---- solids --------------------------------------------------------------------------------- */

static void add_round(portrait *p, v3 at, v3 z, v3 x, double radius, double half);
static v3 across(v3 axis);

/* What elements say of its solids. */
static bool add_touching(portrait *p, int body)
{
    const nt_sketches *s = p->s;
    bool any = false;
    for (int i = 0; i < s->n; i++) {
        const nt_sketch *sketch = &s->sketch[i];
        if (!nt_scene_is_solid(sketch->drawing) || sketch->body[0] != body)
            continue;
        bool sphere = sketch->drawing == NT_DRAW_SPHERE, ring = sketch->drawing == NT_DRAW_RING;
        bool again = false; /* a sphere that touches more than once */
        for (nt_solid *old = p->list; old && sphere; old = old->next)
            again |= old->form == NT_FORM_SPHERE && old->size[0] == sketch->size[0] &&
                     v3_norm(v3_sub(old->at, sketch->at[0])) < 1e-9 * s->length;
        any = true;
        if (!sphere && !ring) {
            add_round(p, sketch->at[0], sketch->axis[0], across(sketch->axis[0]), sketch->size[0],
                      0.5 * sketch->size[1]);
            continue;
        }
        nt_solid *solid = again ? NULL : add_solid(p, sphere ? NT_FORM_SPHERE : NT_FORM_TUBE);
        if (!solid)
            continue;
        solid->at = sketch->at[0];
        solid->turn = turn_to(sphere ? v3_of(0, 0, 1) : sketch->axis[0]);
        solid->size[0] = sketch->size[0];
        solid->size[1] = ring ? sketch->size[2] : sketch->size[1];
        solid->size[2] = ring ? sketch->size[1] : 0;
    }
    return any;
}

/* The point about which a body turns that no joint holds. */
static void add_fixed_point(portrait *p)
{
    nt_solid *ball = p->body->t_node < 0 ? add_solid(p, NT_FORM_SPHERE) : NULL;
    if (ball)
        ball->at = p->body->reference, ball->size[0] = 1.2 * p->s->size, ball->color = "#4d4d4d";
}

static double within(const portrait *p, double half)
{
    return fmin(fmax(half, LEAST * p->s->length), MOST * p->s->length);
}

/* The largest half side along an axis that leaves joints on both sides of the centre in sight;
 * infinite where there are none. */
static double free_along(const portrait *p, v3 axis)
{
    double low = 0, high = 0;
    for (int i = 0; i < p->n_joints; i++) {
        double x = v3_dot(axis, v3_sub(p->site[i].at, p->center));
        low = fmin(low, x), high = fmax(high, x);
    }
    return fmin(-low, high) > 2 * p->s->size ? INSIDE * fmin(-low, high) : (double)INFINITY;
}

static quat turn_of(v3 x, v3 y, v3 z)
{
    const double R[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    double q[4];
    nt_so3_from_matrix(R, q);
    return quat_load(q);
}

/* A cylinder about z, with a bar across it by which one sees it turn. */
static void add_round(portrait *p, v3 at, v3 z, v3 x, double radius, double half)
{
    quat turn = turn_of(x, v3_cross(z, x), z);
    nt_solid *solid = add_solid(p, NT_FORM_CYLINDER);
    if (!solid)
        return;
    solid->at = at, solid->turn = turn;
    solid->size[0] = radius, solid->size[1] = 2 * half;
    if (radius < 2 * LEAST * p->s->length || !(solid = add_solid(p, NT_FORM_BOX)))
        return;
    solid->at = v3_axpy(0.5 * radius, x, at), solid->turn = turn;
    solid->size[0] = 0.7 * radius, solid->size[1] = 0.16 * radius;
    solid->size[2] = 2 * half + 0.1 * radius;
    solid->color = "#f2f2f2";
}

static void add_box(portrait *p, v3 at, const v3 axes[3], const double half[3])
{
    nt_solid *box = add_solid(p, NT_FORM_BOX);
    if (!box)
        return;
    box->at = at, box->turn = turn_of(axes[0], axes[1], axes[2]);
    for (int i = 0; i < 3; i++)
        box->size[i] = 2 * within(p, half[i]);
}

static v3 across(v3 axis)
{
    v3 x = fabs(axis.x) < 0.9 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
    x = v3_axpy(-v3_dot(x, axis), axis, x);
    return v3_scale(1 / v3_norm(x), x);
}

/* A sphere with a belt by which one sees it turn. */
static void add_bob(portrait *p, double radius)
{
    nt_solid *sphere = add_solid(p, NT_FORM_SPHERE), *belt = add_solid(p, NT_FORM_CYLINDER);
    if (!sphere || !belt)
        return;
    sphere->at = belt->at = p->center;
    sphere->size[0] = radius;
    belt->size[0] = 1.01 * radius, belt->size[1] = 0.12 * radius;
    belt->color = "#f2f2f2";
}

/* ---- what a body is ------------------------------------------------------------------------- */

/* Two pins whose axes meet: the ring of a gimbal, of the moment that it has about its normal. */
static bool add_ring(portrait *p)
{
    const site *a = joint_of(p, NT_DRAW_PIN, NT_DRAW_PIN), *b = NULL;
    for (int i = 0; i < p->n_joints; i++)
        if (a && p->site[i].drawing == NT_DRAW_PIN &&
            v3_norm(v3_cross(p->site[i].axis, a->axis)) > 0.5 &&
            v3_norm(v3_sub(p->site[i].at, a->at)) < THIN * p->s->size)
            b = &p->site[i];
    if (!b)
        return false;
    v3 normal = v3_cross(a->axis, b->axis);
    normal = v3_scale(1 / v3_norm(normal), normal);
    double about = 0;
    for (int i = 0; i < 3; i++)
        about += p->I[i] * v3_dot(normal, p->axes[i]) * v3_dot(normal, p->axes[i]);
    double radius = within(p, sqrt(about / p->body->mass));
    nt_solid *ring = add_solid(p, NT_FORM_TUBE);
    if (!ring)
        return true;
    ring->at = a->at, ring->turn = turn_to(normal);
    ring->size[0] = 1.04 * radius, ring->size[1] = 0.94 * radius, ring->size[2] = 0.14 * radius;
    for (int i = 0; i < 4; i++) { /* its pivots */
        v3 axis = v3_scale(i % 2 == 0 ? radius : -radius, i < 2 ? a->axis : b->axis);
        add_link(p, v3_axpy(0.88, axis, a->at), v3_axpy(1.12, axis, a->at), 0.05 * radius);
    }
    return true;
}

/* Joints that lie further apart than its mass does, and moments that are no block's. */
static bool is_linkage(const portrait *p, const v3 *joints, int n)
{
    double span = 0, most = fmax(p->I[0], fmax(p->I[1], p->I[2]));
    double least = fmin(p->I[0], fmin(p->I[1], p->I[2])), slack = ALIKE * most;
    bool alike = fabs(p->I[0] - p->I[1]) <= slack || fabs(p->I[1] - p->I[2]) <= slack ||
                 fabs(p->I[2] - p->I[0]) <= slack;
    for (int i = 1; i < n; i++)
        span = fmax(span, v3_norm(v3_sub(joints[i], joints[0])));
    for (int i = 0; i < n; i++)
        alike &= v3_norm(v3_sub(joints[i], p->center)) <= span;
    return n >= 2 && n <= 3 && alike && least > 0.2 * most &&
           sqrt(most / p->body->mass) <= 1.1 * span;
}

/* All moments equal: a block on a rail, a rotor on its shaft, the bob of a pendulum, a ball. */
static void add_even(portrait *p)
{
    double radius = sqrt(2.5 * p->I[0] / p->body->mass), nearest = INFINITY;
    const site *rail = joint_of(p, NT_DRAW_RAIL, NT_DRAW_SLEEVE), *pin;
    pin = joint_of(p, NT_DRAW_PIN, NT_DRAW_PIN);
    v3 foot;
    if (rail) {
        v3 x = across(rail->axis);
        double half = fmin(0.8 * radius, BLOCK * p->s->length);
        const v3 axes[3] = {x, v3_cross(rail->axis, x), rail->axis};
        if (pin || joint_of(p, NT_DRAW_BALL, NT_DRAW_BALL)) { /* the piston of a rod */
            add_round(p, p->center, rail->axis, x, half, 0.9 * half);
            return;
        }
        add_box(p, p->center, axes, (const double[3]){half, half, 0.7 * half});
        return;
    }
    if (pin && off_axis(p, pin, &foot) < 1e-6 * p->s->length) {
        double scale = fmin(1, BLOCK * p->s->length / radius);
        radius = sqrt(2 * p->I[0] / p->body->mass);
        if (p->n_joints == 1) /* nothing else is there to be seen */
            scale = fmin(1, MOST * p->s->length / radius);
        add_round(p, p->center, pin->axis, across(pin->axis), scale * radius,
                  0.866 * scale * radius);
        return;
    }
    for (int i = 0; i < p->n_joints; i++) {
        double arm = v3_norm(v3_sub(p->site[i].at, p->center));
        nearest = arm > p->s->size ? fmin(nearest, arm) : nearest;
    }
    double limit = p->n_joints > 0 && !isfinite(nearest) ? BLOCK * p->s->length : BOB * nearest;
    add_bob(p, fmin(within(p, radius), limit));
}

/* A block that would reach over the one hinge beside it is drawn as a leaf on that hinge. */
static bool add_leaf(portrait *p, const double half[3])
{
    const site *pin = joint_of(p, NT_DRAW_PIN, NT_DRAW_PIN);
    v3 foot;
    if (!pin || p->n_joints != 1)
        return false;
    double arm = off_axis(p, pin, &foot);
    if (!(arm > 2 * p->s->size))
        return false;
    v3 x = v3_scale(1 / arm, v3_sub(p->center, foot)), y = v3_cross(pin->axis, x);
    double side[3] = {0, 0, 0}; /* along the arm, across the leaf, along the hinge */
    for (int i = 0; i < 3; i++) {
        side[0] = fmax(side[0], half[i] * fabs(v3_dot(p->axes[i], x)));
        side[1] = fmax(side[1], half[i] * fabs(v3_dot(p->axes[i], y)));
        side[2] = fmax(side[2], half[i] * fabs(v3_dot(p->axes[i], pin->axis)));
    }
    if (side[0] < 0.9 * arm || side[1] < 0.4 * fmin(side[0], side[2]))
        return false;
    const v3 axes[3] = {x, y, pin->axis};
    const double leaf[3] = {0.97 * arm, 0.06 * arm, side[2]};
    add_box(p, p->center, axes, leaf);
    return true;
}

/* How far sites are from an axis through the centre: the farthest of joints or of all others. */
static double reach_from(const portrait *p, v3 axis, bool joints, int *n)
{
    double most = 0;
    *n = 0;
    for (int i = joints ? 0 : p->n_joints; i < (joints ? p->n_joints : p->n); i++) {
        v3 d = v3_sub(p->site[i].at, p->center);
        double reach = v3_norm(v3_axpy(-v3_dot(d, axis), axis, d));
        *n += reach > 2 * p->s->size;
        most = fmax(most, reach);
    }
    return most;
}

/* Shows a disk on its shaft as the disk of a crank, a body that forces push all around as a frame
 * with arms, and a top above the point that it stands on. */
static void trim_round(const portrait *p, v3 axis, double *radius, double *half)
{
    int n;
    v3 foot;
    const site *pin = joint_of(p, NT_DRAW_PIN, NT_DRAW_PIN);
    double reach = reach_from(p, axis, true, &n);
    if (pin && off_axis(p, pin, &foot) < 1e-6 * p->s->length && n > 0) {
        *radius = fmin(*radius, THROW * reach);
        *half = fmin(*half, 0.2 * reach);
    }
    reach = reach_from(p, axis, false, &n);
    if (p->n_joints == 0 && n >= 3) {
        *radius = fmin(*radius, HUB * reach);
        *half = fmin(*half, 0.2 * HUB * reach);
    }
    const site *ball = joint_of(p, NT_DRAW_BALL, NT_DRAW_BALL);
    if (ball && p->n_joints == 1) {
        double along = fabs(v3_dot(axis, v3_sub(ball->at, p->center)));
        *radius = along > 2 * p->s->size ? fmin(*radius, TOP * along) : *radius;
        *half = along > 2 * p->s->size ? fmin(*half, 0.5 * TOP * along) : *half;
    }
}

/* A cylinder where two moments are equal and it has real sides. */
static bool add_cylinder(portrait *p)
{
    for (int k = 0; k < 3; k++) {
        double a = p->I[(k + 1) % 3], b = p->I[(k + 2) % 3], slack = ALIKE * fmax(a, b);
        if (!(fabs(a - b) <= slack))
            continue;
        double r2 = 2 * p->I[k] / p->body->mass, h2 = 12 * a / p->body->mass - 3 * r2;
        if (h2 < -1e-6 * r2) /* longer axes than a cylinder has: a box */
            continue;
        double radius = sqrt(r2);
        double half = fmin(0.5 * sqrt(fmax(0, h2)), free_along(p, p->axes[k]));
        trim_round(p, p->axes[k], &radius, &half);
        add_round(p, p->center, p->axes[k], p->axes[(k + 1) % 3], within(p, radius),
                  within(p, half));
        return true;
    }
    return false;
}

/* From inertia and joints; false: the links that it has are all. */
static bool add_inertia(portrait *p)
{
    double half[3], most = 0;
    v3 joints[MOST_SITES];
    int n = distinct(p, p->n_joints, joints);
    if (!nt_scene_moments(p->body, p->I, p->axes))
        p->I[0] = p->I[1] = p->I[2] = 0;
    double slack = ALIKE * fmax(p->I[0], p->I[1]);
    for (int i = 0; i < 3; i++) {
        double sum = p->I[(i + 1) % 3] + p->I[(i + 2) % 3] - p->I[i];
        half[i] = p->body->mass > 0 ? 0.5 * sqrt(fmax(0, 6 * sum / p->body->mass)) : 0;
        most = fmax(most, half[i]);
    }
    if (!(most > LEAST * p->s->length)) {
        nt_solid *sphere = p->body->mass > 0 ? add_solid(p, NT_FORM_SPHERE) : NULL;
        if (sphere)
            sphere->at = p->center, sphere->size[0] = 1.5 * p->s->size;
        return true;
    }
    if (is_linkage(p, joints, n)) {
        add_bars(p, joints, n);
        return false;
    }
    if (add_ring(p))
        return true;
    if (fabs(p->I[0] - p->I[1]) <= slack && fabs(p->I[1] - p->I[2]) <= slack) {
        add_even(p);
        return true;
    }
    if (add_cylinder(p) || add_leaf(p, half))
        return true;
    double scale = fmin(1, MOST * p->s->length / most);
    for (int i = 0; i < 3; i++)
        half[i] = fmin(scale * half[i], free_along(p, p->axes[i]));
    add_box(p, p->center, p->axes, half);
    return true;
}

nt_solid *nt_scene_made(nt_sketches *s, int number)
{
    const nt_body *body = &s->run->bodies[number];
    portrait p = {.s = s, .body = body, .center = v3_add(body->reference, body->center)};
    if (body->carried) { /* by an element: arms to its joints */
        gather(&p, number);
        p.n = p.n_joints;
        add_links(&p);
        return p.list;
    }
    bool touching = add_touching(&p, number);
    if (number == 0)
        return p.list;
    gather(&p, number);
    add_fixed_point(&p);
    if (touching || add_inertia(&p))
        add_links(&p);
    return p.list;
}
