/* Shapes of bodies that have none in the file: from what touches them, their inertia, and links to
 * their joints and markers.
 *
 * A body of mass m whose principal moments are I1, I2, I3 moves as a box with the sides
 *
 *   a1^2 = 6 (I2 + I3 - I1)/m, and so on,
 *
 * or, where two moments are equal, as a cylinder about the third axis with
 *
 *   r^2 = 2 I3/m,  h^2 = 12 I1/m - 3 r^2. */
#include "output/scene.h"

#include "analysis/lapack.h"

#include <float.h>
#include <nutate/group.h>

static const double THIN = 0.012;  /* of the model's length: radius of links        */
static const double LEAST = 0.008; /* of it: smallest half side of a body           */
static const double MOST = 0.25;   /* of it: largest half side                      */
static const double ALIKE = 1e-6;  /* moments that differ less are equal            */
enum { MOST_LINKS = 24 };

static nt_solid *add_solid(nt_sketches *s, nt_solid **list, nt_form form)
{
    nt_solid *solid = NT_TAKE(&s->arena, 1, nt_solid);
    if (!solid) {
        s->failed = true;
        return NULL;
    }
    *solid = (nt_solid){.form = form, .turn = {1, 0, 0, 0}, .next = *list};
    *list = solid;
    return solid;
}

/* The rotation that takes z to a unit vector the short way. */
static quat turn_to(v3 axis)
{
    if (axis.z < -1 + 1e-12)
        return (quat){0, 1, 0, 0};
    return quat_unit((quat){1 + axis.z, -axis.y, axis.x, 0});
}

bool nt_scene_is_solid(nt_drawing drawing)
{
    return drawing == NT_DRAW_SPHERE || drawing == NT_DRAW_DISK || drawing == NT_DRAW_RING;
}

/* What elements say of its solids. */
static bool add_touching(nt_sketches *s, int body, nt_solid **list)
{
    bool any = false;
    for (int i = 0; i < s->n; i++) {
        const nt_sketch *sketch = &s->sketch[i];
        if (!nt_scene_is_solid(sketch->drawing) || sketch->body[0] != body)
            continue;
        bool sphere = sketch->drawing == NT_DRAW_SPHERE, ring = sketch->drawing == NT_DRAW_RING;
        bool again = false; /* a sphere that touches more than once */
        for (nt_solid *old = *list; old && sphere; old = old->next)
            again |= old->form == NT_FORM_SPHERE && old->size[0] == sketch->size[0] &&
                     v3_norm(v3_sub(old->at, sketch->at[0])) < 1e-9 * s->length;
        nt_solid *solid = again ? NULL
                                : add_solid(s, list,
                                            sphere ? NT_FORM_SPHERE
                                            : ring ? NT_FORM_TUBE
                                                   : NT_FORM_CYLINDER);
        any = true;
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

/* Principal moments, ascending, and axes as columns, right-handed; false: LAPACK failed. */
static bool principal(const double *inertia, double moments[3], v3 axes[3])
{
    double a[9] = {inertia[0], inertia[3], inertia[4], inertia[3], inertia[1],
                   inertia[5], inertia[4], inertia[5], inertia[2]};
    double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, work[64];
    int type = 1, n = 3, room = 64, info = 0;
    if (inertia[3] == 0 && inertia[4] == 0 && inertia[5] == 0) { /* axes of the body as they are */
        for (int i = 0; i < 3; i++)
            moments[i] = inertia[i], axes[i] = v3_load(unit + 3 * i);
        return true;
    }
    dsygv_(&type, "V", "U", &n, a, &n, unit, &n, moments, work, &room, &info, 1, 1);
    for (int i = 0; i < 3; i++)
        axes[i] = v3_load(a + 3 * i);
    axes[2] = v3_cross(axes[0], axes[1]);
    return info == 0;
}

static double within(const nt_sketches *s, double half)
{
    return fmin(fmax(half, LEAST * s->length), MOST * s->length);
}

/* A cylinder about axis k, with a bar across it by which one sees it turn. */
static void add_round(nt_sketches *s, nt_solid **list, v3 at, const v3 *axes, int k, double radius,
                      double half)
{
    v3 z = axes[k], x = axes[(k + 1) % 3], y = axes[(k + 2) % 3];
    const double R[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    double q[4];
    nt_so3_from_matrix(R, q);
    nt_solid *solid = add_solid(s, list, NT_FORM_CYLINDER);
    if (!solid)
        return;
    solid->at = at, solid->turn = quat_load(q);
    solid->size[0] = radius, solid->size[1] = 2 * half;
    if (radius < 2 * LEAST * s->length || !(solid = add_solid(s, list, NT_FORM_BOX)))
        return;
    solid->at = v3_axpy(0.5 * radius, x, at), solid->turn = quat_load(q);
    solid->size[0] = 0.7 * radius, solid->size[1] = 0.16 * radius;
    solid->size[2] = 2 * half + 0.1 * radius;
    solid->color = "#f2f2f2";
}

/* A box, a cylinder, or, where all mass is in one place, a sphere. */
static void add_inertia(nt_sketches *s, const nt_body *body, v3 center, nt_solid **list)
{
    double I[3], half[3], inertia[6] = {0}, most = 0;
    v3 axes[3];
    for (int i = 0; i < body->inertia_count && i < 6; i++)
        inertia[i] = body->inertia[i];
    if (!(body->mass > 0) || !principal(inertia, I, axes))
        return;
    for (int i = 0; i < 3; i++) {
        half[i] = 0.5 * sqrt(fmax(0, 6 * (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]) / body->mass));
        most = fmax(most, half[i]);
    }
    if (!(most > LEAST * s->length)) {
        nt_solid *sphere = add_solid(s, list, NT_FORM_SPHERE);
        if (sphere)
            sphere->at = center, sphere->size[0] = 0.03 * s->length;
        return;
    }
    for (int k = 0; k < 3; k++) {
        double a = I[(k + 1) % 3], b = I[(k + 2) % 3], slack = ALIKE * fmax(a, b);
        if (!(fabs(a - b) <= slack) || fabs(I[k] - a) <= slack)
            continue;
        double r2 = 2 * I[k] / body->mass, h2 = 12 * a / body->mass - 3 * r2;
        if (h2 < -1e-6 * r2) /* longer axes than a cylinder has: a box */
            continue;
        add_round(s, list, center, axes, k, within(s, sqrt(r2)),
                  within(s, 0.5 * sqrt(fmax(0, h2))));
        return;
    }
    nt_solid *box = add_solid(s, list, NT_FORM_BOX);
    if (!box)
        return;
    const double R[9] = {axes[0].x, axes[1].x, axes[2].x, axes[0].y, axes[1].y,
                         axes[2].y, axes[0].z, axes[1].z, axes[2].z};
    double q[4];
    nt_so3_from_matrix(R, q);
    box->at = center, box->turn = quat_load(q);
    for (int i = 0; i < 3; i++)
        box->size[i] = 2 * within(s, half[i]);
}

static void add_link(nt_sketches *s, nt_solid **list, v3 from, v3 to)
{
    v3 d = v3_sub(to, from);
    double length = v3_norm(d), radius = THIN * s->length;
    if (length < 2 * radius)
        return;
    nt_solid *link = add_solid(s, list, NT_FORM_CAPSULE);
    if (!link)
        return;
    link->at = v3_axpy(0.5, d, from);
    link->turn = turn_to(v3_scale(1 / length, d));
    link->size[0] = radius, link->size[1] = length;
}

/* From the centre of mass to each point of a joint, a force or a marker. */
static void add_links(nt_sketches *s, int body, v3 center, nt_solid **list)
{
    v3 ends[MOST_LINKS];
    int n = 0;
    const nt_run *run = s->run;
    for (int i = 0; i < s->n + run->model->n_markers; i++) {
        const nt_sketch *sketch = i < s->n ? &s->sketch[i] : NULL;
        const nt_marker *marker = sketch ? NULL : &run->markers[i - s->n];
        if (sketch && (nt_scene_is_solid(sketch->drawing) || sketch->drawing == NT_DRAW_CONTACT))
            continue;
        for (int k = 0; k < (sketch ? sketch->n : 1) && n < MOST_LINKS; k++) {
            if ((sketch ? sketch->body[k] : marker->on) != body)
                continue;
            v3 at = sketch ? sketch->at[k] : v3_load(marker->at);
            bool again = false;
            for (int j = 0; j < n; j++)
                again |= v3_norm(v3_sub(at, ends[j])) < THIN * s->length;
            if (!again)
                add_link(s, list, center, ends[n++] = at);
        }
    }
}

nt_solid *nt_scene_made(nt_sketches *s, int number)
{
    const nt_body *body = &s->run->bodies[number];
    nt_solid *list = NULL;
    if (body->carried)
        return NULL;
    v3 center = v3_add(body->reference, body->center);
    if (!add_touching(s, number, &list) && number > 0)
        add_inertia(s, body, center, &list);
    if (number > 0)
        add_links(s, number, center, &list);
    return list;
}
