/* What stops give to a light body that hangs on a heavy one by a joint with one free coordinate:
 * limits of the joint that are springs, and springs and ropes beside it that act on one side only.
 *
 * Along the coordinate x the light body has the inertia I: its mass, or its moment of inertia about
 * the joint's axis. Its equation is I x'' = P + F + S: S of the stop, P of gravity and of the
 * motion of the heavy body, which does not follow it, and F of all else, springs and friction. With
 * d the way of the center of mass for a unit of x, n the axis and v, w the velocities of the heavy
 * body, at the center of the light one,
 *
 *   P = m (g - v').d                              along an axis
 *   P = m (g - v').d - (J n).w' - n.(w x J w)     about an axis, J about the center
 *
 * (what is bilinear in w and x' does no work). S gives back what it has taken and no more. So
 * I (x'_1^2 - x'_0^2)/2 less the work of P, summed up from one moment apart from the stops to the
 * next, is zero or less within the work of F, |F| times the way. How large F is the last steps
 * apart from the stops have shown (method/watches/bounce_watch.c). */
#include "model/joints/stop_bounce.h"

#include "model/element.h"
#include "model/evaluate.h"
#include "model/joints/joint.h"

#include <math.h>

/* The other body, and its moment of inertia, is so many times larger: it does not follow. */
static const double HEAVY = 100;

enum { MOST_ONSETS = 8, REFUSED = -2 };

/* ---- where they are ------------------------------------------------------------------------- */

static double trace(m3 J) { return J.xx + J.yy + J.zz; }

/* Whether it takes no part in the account, beside the joint: it adds forces that give no energy,
 * and begins nowhere at once unless it stands between the same two bodies. */
static bool is_beside(const nt_model *model, const nt_element *e, const nt_element *joint)
{
    bool ends = (e->a == joint->a && e->b == joint->b) || (e->a == joint->b && e->b == joint->a);
    int onsets = nt_element_count_onsets(model->origin, e);
    return !nt_element_joins(e) && !nt_element_touches(e) && !e->type->has_inertia &&
           e->n_rows == 0 && e->n_rates == 0 && e->n_own == 0 &&
           !nt_element_gives_energy(model, e) && (onsets == 0 || (ends && onsets <= MOST_ONSETS));
}

static bool is_light(const nt_run *run, int body, int other)
{
    const nt_body *b = &run->bodies[body], *o = &run->bodies[other];
    v3 way = v3_sub(b->x0, o->x0);
    double around = trace(b->J) + b->mass * v3_dot(way, way);
    return body > 0 && other > 0 && b->mass > 0 && b->t_node >= 0 && !b->carried &&
           o->mass >= HEAVY * b->mass && (o->r_node < 0 || trace(o->J) >= HEAVY * around);
}

static bool slides_or_turns(const nt_joint *joint)
{
    return joint->rotates != joint->slides && joint->enforce == 0 && !joint->motion &&
           !joint->threaded;
}

/* The light bodies that such a joint hangs on a heavy one: joint_of[n_bodies], -1 for none, and
 * REFUSED where there are two. */
static void find_hanging(const nt_model *model, int *joint_of)
{
    for (int i = 0; i < model->n_bodies; i++)
        joint_of[i] = -1;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        const nt_joint *joint = nt_element_as_joint(model->origin, e);
        if (!joint || !slides_or_turns(joint))
            continue;
        int body = is_light(model->origin, e->b, e->a)   ? e->b
                   : is_light(model->origin, e->a, e->b) ? e->a
                                                         : -1;
        if (body >= 0)
            joint_of[body] = joint_of[body] == -1 ? i : REFUSED;
    }
}

/* Leaves out the bodies that more acts on than their joint and what is beside it. */
static void leave_out_held(const nt_model *model, const int *of_node, int *joint_of)
{
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        for (int k = 0; k < e->n_ports; k++) {
            int node = e->ports[k].node;
            int body = node >= 0 && node < model->n_primary ? of_node[node] : -1;
            int joint = body >= 0 ? joint_of[body] : -1;
            if (joint >= 0 && joint != i && nt_element_pushes(e, k) &&
                !is_beside(model, e, &model->elements[joint]))
                joint_of[body] = REFUSED;
        }
    }
}

/* The bodies between whose joint's stops an element is one of them: how many, at most two. */
static int find_stopped(const nt_model *model, int i, const int *joint_of, int bodies[2])
{
    const nt_element *e = &model->elements[i];
    const int ends[2] = {e->a, e->b};
    int n = 0;
    for (int k = 0; k < 2; k++) {
        int joint = ends[k] > 0 ? joint_of[ends[k]] : -1;
        if (joint >= 0 && nt_element_count_onsets(model->origin, e) > 0 &&
            (joint == i || is_beside(model, e, &model->elements[joint])))
            bodies[n++] = ends[k];
    }
    return n;
}

/* Numbers the bodies that have stops, number[n_bodies] with -1 for the others; all stops. */
static int number_stopped(const nt_model *model, const int *joint_of, int *number, int *n_stops)
{
    int n = 0, bodies[2];
    for (int i = 0; i < model->n_bodies; i++)
        number[i] = -1;
    *n_stops = 0;
    for (int i = 0; i < model->n_elements; i++) {
        int found = find_stopped(model, i, joint_of, bodies);
        *n_stops += found;
        for (int k = 0; k < found; k++)
            if (number[bodies[k]] < 0)
                number[bodies[k]] = n++;
    }
    return n;
}

/* Counts the stops of each two places on, then fills them one place on. */
static void list_stops(nt_model *model, const int *joint_of, const int *number)
{
    struct nt_bounces *b = &model->bounces;
    int bodies[2];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < model->n_elements; i++) {
            int found = find_stopped(model, i, joint_of, bodies);
            for (int k = 0; k < found; k++)
                if (pass == 0)
                    b->first_stop[number[bodies[k]] + 2]++;
                else
                    b->stop[b->first_stop[number[bodies[k]] + 1]++] = i;
        }
        for (int k = 1; pass == 0 && k <= b->n_stops; k++)
            b->first_stop[k + 1] += b->first_stop[k];
    }
}

nt_status nt_model_find_stops(nt_model *model, const int *of_node)
{
    struct nt_bounces *b = &model->bounces;
    int *joint_of = NT_TAKE(&model->arena, model->n_bodies, int);
    int *number = NT_TAKE(&model->arena, model->n_bodies, int), stops = 0;
    if (!joint_of || !number)
        return NT_NO_MEMORY;
    find_hanging(model, joint_of);
    leave_out_held(model, of_node, joint_of);
    b->n_stops = number_stopped(model, joint_of, number, &stops);
    b->joint = NT_TAKE(&model->arena, b->n_stops + 1, int);
    b->light = NT_TAKE(&model->arena, b->n_stops + 1, int);
    b->first_stop = NT_TAKE(&model->arena, b->n_stops + 2, int);
    b->stop = NT_TAKE(&model->arena, stops + 1, int);
    if (!b->joint || !b->light || !b->first_stop || !b->stop)
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_bodies; i++)
        if (number[i] >= 0)
            b->light[number[i]] = i, b->joint[number[i]] = joint_of[i];
    list_stops(model, joint_of, number);
    return NT_OK;
}

/* ---- a step --------------------------------------------------------------------------------- */

/* How many of its stops act, 2 where the joint does not hold; and the coordinate with its rate. */
static int look_at_stops(const nt_view *view, int which, double x[2])
{
    const nt_model *model = view->model;
    const struct nt_bounces *b = &model->bounces;
    const nt_element *e = &model->elements[b->joint[which]];
    const nt_joint *joint = nt_element_as_joint(view->run, e);
    double beyond[MOST_ONSETS];
    int n = 0;
    nt_coordinate coordinate = nt_joint_coordinate(e, view, joint->slides);
    x[0] = coordinate.value, x[1] = coordinate.rate;
    for (int k = b->first_stop[which]; k < b->first_stop[which + 1]; k++) {
        const nt_element *stop = &model->elements[b->stop[k]];
        int found = stop->type->onsets(view->run, stop, view, beyond);
        for (int i = 0; i < found; i++)
            n += beyond[i] > 0;
    }
    return nt_joint_holds(model, joint, view->at->memory) ? n : 2;
}

/* J, of the stops that act now, as where a spring is let go. */
static double held_by_stops(const nt_view *view, int which)
{
    const nt_model *model = view->model;
    const struct nt_bounces *b = &model->bounces;
    nt_energy energy = {0};
    nt_view of_energy = *view;
    of_energy.energy = &energy;
    for (int k = b->first_stop[which]; k < b->first_stop[which + 1]; k++) {
        const nt_element *stop = &model->elements[b->stop[k]];
        nt_local_begin(view->local, stop);
        if (stop->type->evaluate(stop, &of_energy) != NT_OK)
            return (double)NAN;
    }
    return energy.potential;
}

/* The coordinate and its rate at the begin are kept in `way` and `gained` until the end is seen;
 * what the stops hold that act then stands in the place of the force. */
void nt_joint_stops_begin(const nt_view *view, nt_bounce *each)
{
    const struct nt_bounces *b = &view->model->bounces;
    for (int k = 0; k < b->n_stops; k++) {
        each[k] = (nt_bounce){.which = b->joint[k]};
        double x[2];
        each[k].touches[0] = look_at_stops(view, k, x);
        each[k].way = x[0], each[k].gained = x[1];
        if (each[k].touches[0] > 0)
            each[k].force = held_by_stops(view, k);
    }
}

/* The light body at an end of a step, past the heavy one. */
typedef struct side {
    v3 axis, way;  /* n and d                                                */
    v3 v, w;       /* of the heavy body at the center of the light one       */
    v3 J_axis, Jw; /* J n and J w                                            */
    double I;
} side;

static side side_of(const nt_run *run, const nt_motion *motion, const nt_joint *joint,
                    const nt_element *e, int light)
{
    const nt_body *body = &run->bodies[light];
    const nt_motion *own = &motion[light], *heavy = &motion[light == e->b ? e->a : e->b];
    v3 c = body->center, toward_center = m3_apply(own->R, c),
       center = v3_add(own->x, toward_center),
       pivot = m3_apply(own->R, light == e->b ? joint->point_b : joint->point_a);
    side s = {.axis = m3_apply(motion[e->a].R, joint->e[2]),
              .v = v3_add(heavy->v, v3_cross(heavy->w, v3_sub(center, heavy->x))),
              .w = heavy->w,
              .I = body->mass};
    s.way = s.axis;
    if (joint->slides)
        return s;
    const v3 of[2] = {s.axis, s.w};
    v3 moment[2];
    for (int k = 0; k < 2; k++) { /* about the center */
        v3 n = m3_apply(m3_transpose(own->R), of[k]);
        v3 about = v3_sub(v3_scale(v3_dot(c, c), n), v3_scale(v3_dot(c, n), c));
        moment[k] = m3_apply(own->R, v3_sub(m3_apply(body->J, n), v3_scale(body->mass, about)));
    }
    s.J_axis = moment[0], s.Jw = moment[1];
    s.way = v3_cross(s.axis, v3_sub(toward_center, pivot));
    s.I = v3_dot(s.axis, s.J_axis) + body->mass * v3_dot(s.way, s.way);
    return s;
}

/* The impulse of P, by the trapezoidal rule, and the size of what it is the sum of. */
static double known_impulse(const nt_run *run, const side *from, const side *to, double mass,
                            double h, double *size)
{
    v3 g = v3_scale(run->share[NT_SHARE_GRAVITY], v3_load(run->gravity)),
       way = v3_scale(0.5, v3_add(from->way, to->way)), change = v3_sub(to->v, from->v);
    double of_gravity = mass * h * v3_dot(g, way), of_way = mass * v3_dot(change, way),
           of_turn = v3_dot(v3_add(from->J_axis, to->J_axis), v3_sub(to->w, from->w)) / 2,
           gyroscopic = h / 2 *
                        (v3_dot(from->axis, v3_cross(from->w, from->Jw)) +
                         v3_dot(to->axis, v3_cross(to->w, to->Jw)));
    *size =
        fabs(of_gravity) + mass * v3_norm(change) * v3_norm(way) + fabs(of_turn) + fabs(gyroscopic);
    return of_gravity - of_way - of_turn - gyroscopic;
}

void nt_joint_stops_end(const nt_view *view, const nt_motion *before, double h, nt_bounce *each)
{
    const nt_model *model = view->model;
    const struct nt_bounces *b = &model->bounces;
    for (int k = 0; k < b->n_stops; k++) {
        nt_bounce *out = &each[k];
        int light = b->light[k];
        const nt_element *e = &model->elements[b->joint[k]];
        const nt_joint *joint = nt_element_as_joint(view->run, e);
        double sign = light == e->b ? 1 : -1, u[2] = {sign * out->gained}, x[2], size;
        out->touches[1] = look_at_stops(view, k, x);
        u[1] = sign * x[1];
        side from = side_of(view->run, before, joint, e, light),
             to = side_of(view->run, view->motion, joint, e, light);
        double known =
            known_impulse(view->run, &from, &to, view->run->bodies[light].mass, h, &size);
        double I = to.I, fastest = fmax(fabs(u[0]), fabs(u[1]));
        /* in short steps the way is rounding */
        double rate = fmax(-fastest, fmin(fastest, sign * (x[0] - out->way) / h));
        out->gained = I / 2 * (u[1] * u[1] - u[0] * u[0]) - known * rate;
        if (out->touches[0] == 0)
            out->force = fabs(I * (u[1] - u[0]) - known) / h;
        out->way = fastest * h;
        out->doubt = out->apart = size * fastest;
        out->toward = out->touches[1] > 0 || u[0] * u[1] < 0 ? I / 2 * u[0] * u[0] : 0;
        out->size = I * fastest * (fastest + v3_norm(to.v));
    }
}
