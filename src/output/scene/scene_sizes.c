/* How large a scene is, and how large joints are drawn in it. */
#include "output/scene/scene.h"

#include "analysis/lapack.h"

#include <float.h>
#include <stdlib.h>

static const double DRAWN = 0.02; /* of the length: radius of a joint's drawing               */
static const double SHORT = 0.12; /* of a link's length: largest radius, for half of the links */
static const double SEEN = 0.004; /* of the length: smallest radius                           */

bool nt_scene_is_solid(nt_drawing drawing)
{
    return drawing == NT_DRAW_SPHERE || drawing == NT_DRAW_DISK || drawing == NT_DRAW_RING;
}

bool nt_scene_is_joint(nt_drawing drawing)
{
    return drawing >= NT_DRAW_WELD && drawing <= NT_DRAW_SCREW;
}

bool nt_scene_moments(const nt_body *body, double moments[3], v3 axes[3])
{
    double inertia[6] = {0};
    for (int i = 0; i < body->inertia_count && i < 6; i++)
        inertia[i] = body->inertia[i];
    double a[9] = {inertia[0], inertia[3], inertia[4], inertia[3], inertia[1],
                   inertia[5], inertia[4], inertia[5], inertia[2]};
    double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, work[64];
    int type = 1, n = 3, room = 64, info = 0;
    if (!(body->mass > 0) || body->point)
        return false;
    if (inertia[3] == 0 && inertia[4] == 0 && inertia[5] == 0) { /* axes of the body as they are */
        for (int i = 0; i < 3; i++)
            moments[i] = inertia[i], axes[i] = v3_load(unit + 3 * i);
    } else {
        dsygv_(&type, "V", "U", &n, a, &n, unit, &n, moments, work, &room, &info, 1, 1);
        for (int i = 0; i < 3; i++)
            axes[i] = v3_load(a + 3 * i);
        axes[2] = v3_cross(axes[0], axes[1]);
    }
    return info == 0 && fmax(moments[0], fmax(moments[1], moments[2])) > 0;
}

/* ---- length --------------------------------------------------------------------------------- */

typedef struct range {
    v3 low, high;
} range;

/* A sphere about a place of a body, as it is at the start; from the body's origin. */
static void include(const nt_sketches *s, range *r, int number, v3 at, double radius)
{
    const nt_body *body = &s->run->bodies[number];
    v3 p = at;
    if (number > 0)
        p = v3_add(body->x0, m3_apply(quat_matrix(body->q0), v3_sub(at, body->reference)));
    r->low = v3_of(fmin(r->low.x, p.x - radius), fmin(r->low.y, p.y - radius),
                   fmin(r->low.z, p.z - radius));
    r->high = v3_of(fmax(r->high.x, p.x + radius), fmax(r->high.y, p.y + radius),
                    fmax(r->high.z, p.z + radius));
}

/* Half the longest side of the box that moves as the body does, m; 0 where it has no rotation.
 * Equal moments are often given where only one matters: they count only where there is nothing
 * else. */
static double half_side(const nt_body *body, bool equal)
{
    double I[3];
    v3 axes[3];
    if (!nt_scene_moments(body, I, axes))
        return 0;
    double least = fmin(I[0], fmin(I[1], I[2])), most = fmax(I[0], fmax(I[1], I[2]));
    if (most - least < 1e-6 * most && !equal)
        return 0;
    return 0.5 * sqrt(fmax(0, 6 * (I[0] + I[1] + I[2] - 2 * least) / body->mass));
}

/* The shapes that the file gives a body; outlines and meshes say less of their size. */
static void include_shapes(const nt_sketches *s, range *r, int number)
{
    const nt_shapes *shapes = s->run->bodies[number].shapes;
    for (int i = 0; shapes && i < shapes->n; i++) {
        const nt_shape *shape = &shapes->shape[i];
        double at[3] = {0, 0, 0}, most = 0;
        bool box = shape->form == NT_FORM_BOX;
        for (int k = 0; k < 3; k++)
            at[k] = shape->at[k] ? nt_expression_value(shape->at[k], s->run->variables) : 0;
        for (int k = 0; k < shape->n_size && shape->form < NT_FORM_POLYGON; k++) {
            double size = nt_expression_value(shape->size[k], s->run->variables);
            bool across = k > 0 && !box && shape->form != NT_FORM_ELLIPSOID;
            most = fmax(most, box || across ? 0.5 * size : size);
        }
        include(s, r, number, v3_load(at), isfinite(most) ? most : 0);
    }
}

/* Whether its shape is known, so that its inertia says nothing more. */
static bool is_shaped(const nt_sketches *s, int body)
{
    bool shaped = s->run->bodies[body].shapes != NULL;
    for (int i = 0; i < s->n; i++)
        shaped |= nt_scene_is_solid(s->sketch[i].drawing) && s->sketch[i].body[0] == body;
    return shaped;
}

static double span_of(const nt_sketches *s, bool equal)
{
    const nt_run *run = s->run;
    range r = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 1; i < run->model->n_bodies; i++) {
        const nt_body *body = &run->bodies[i];
        include(s, &r, i, body->reference, 0);
        include(s, &r, i, v3_add(body->reference, body->center),
                is_shaped(s, i) ? 0 : half_side(body, equal));
    }
    for (int i = 0; i < run->model->n_bodies; i++)
        include_shapes(s, &r, i);
    for (int i = 0; i < s->n; i++) {
        const nt_sketch *sketch = &s->sketch[i];
        double radius = nt_scene_is_solid(sketch->drawing) ? sketch->size[0] : 0;
        for (int k = 0; k < sketch->n && sketch->drawing != NT_DRAW_CONTACT; k++)
            include(s, &r, sketch->body[k], sketch->at[k], radius);
    }
    for (int i = 0; i < run->model->n_markers; i++)
        include(s, &r, run->markers[i].on, v3_load(run->markers[i].at), 0);
    double length = v3_norm(v3_sub(r.high, r.low));
    double rounding = 1e-14 * (v3_norm(r.high) + v3_norm(r.low));
    return length > rounding && isfinite(length) ? length : 0;
}

/* ---- size of joints ------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half of all bodies that have two joints or more have them closer together than this; 0: none. */
static double link_length(nt_sketches *s)
{
    int n = s->run->model->n_bodies, links = 0;
    v3 *first = NT_TAKE(&s->arena, n, v3);
    double *length = NT_TAKE(&s->arena, n, double);
    bool *met = NT_TAKE(&s->arena, n, bool);
    if (!first || !length || !met) {
        s->failed = true;
        return 0;
    }
    for (int i = 0; i < n; i++)
        met[i] = false, length[i] = 0;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->sketch[i].n && nt_scene_is_joint(s->sketch[i].drawing); k++) {
            int body = s->sketch[i].body[k];
            v3 at = s->sketch[i].at[k];
            if (!met[body])
                first[body] = at;
            met[body] = true;
            length[body] = fmax(length[body], v3_norm(v3_sub(at, first[body])));
        }
    for (int i = 1; i < n; i++)
        if (length[i] > 1e-9 * s->length)
            length[links++] = length[i];
    qsort(length, (size_t)links, sizeof *length, by_size);
    return links > 0 ? length[links / 2] : 0;
}

void nt_scene_measure(nt_sketches *s)
{
    s->length = span_of(s, false);
    if (!(s->length > 0))
        s->length = span_of(s, true);
    if (!(s->length > 0))
        s->length = 1;
    double link = link_length(s);
    s->size = DRAWN * s->length;
    if (link > 0)
        s->size = fmin(s->size, fmax(SHORT * link, SEEN * s->length));
}
