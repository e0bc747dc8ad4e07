/* What can be recorded of a bearing: of each contact of each ball, of the cage, of the whole. */
#include "model/bearings/bearing.h"

#include "model/quantities/quantity.h"
#include "model/quantities/quantity_kind.h"

#include <stdio.h>
#include <string.h>

/* ---- parts ------------------------------------------------------------------------------------
 */

static const char *const contacts[NT_BALL_CONTACTS] = {"outer", "inner", "pocket"};

int nt_bearing_part_at(const nt_model *model, const nt_element *element, int part, char *name,
                       size_t size)
{
    const nt_bearing *b = nt_model_data(model, element);
    int k = part - NT_BEARING_PARTS;
    if (k >= NT_BALL_CONTACTS * b->n_balls)
        return -1;
    bool of_cage = part == NT_BEARING_OF_CAGE;
    bool pocket = !of_cage && k % NT_BALL_CONTACTS == NT_POCKET;
    if (!b->has_cage && (of_cage || pocket))
        snprintf(name, size, "%s", "");
    else if (of_cage)
        snprintf(name, size, "cage");
    else
        snprintf(name, size, "ball%d.%s", k / NT_BALL_CONTACTS + 1, contacts[k % NT_BALL_CONTACTS]);
    return of_cage ? NT_OF_CAGE : NT_OF_BALL;
}

static const nt_element *element_of(const nt_sampler *s, int object)
{
    return &s->view->model->elements[object % s->view->model->n_elements];
}

/* ---- one contact -------------------------------------------------------------------------------
 */

static nt_ball_touch touch_of(const nt_sampler *s, int object)
{
    int k = nt_quantity_part(s->view->model, object) - NT_BEARING_PARTS;
    return nt_bearing_touch(element_of(s, object), s->view, k / NT_BALL_CONTACTS,
                            k % NT_BALL_CONTACTS);
}

static double number_of(const nt_ball_touch *t, nt_touch_value which)
{
    return nt_touch_number(which, &t->touch, t->law, t->kind.law, t->pose.axis);
}

/* Least thickness of the film of a race; 0 where nothing touches or there is no lubricant. */
static double film_of(const nt_bearing *b, const nt_ball_touch *t)
{
    if (!nt_bearing_gives(b, NT_BEARING_LUBRICANT) || t->surface == &b->pocket ||
        !(t->touch.delta > 0))
        return 0;
    const nt_touch_pose *at = &t->pose;
    v3 mean = nt_touch_mean(&t->touch, t->kind.skeleton, t->surface, at->axis, t->touch.w,
                            v3_sub(at->w_b, at->w_a));
    double rolling = sqrt(v3_dot(mean, mean) + NT_LEAST_ROLLING * NT_LEAST_ROLLING);
    return nt_film_least(&t->law->traction, rolling, t->touch.delta);
}

double nt_bearing_shoulder_margin(const nt_bearing *b, const nt_ball_touch *t)
{
    const nt_bearing_race *race =
        t->body == b->rings[NT_INNER] ? &b->races[NT_INNER] : &b->races[NT_OUTER];
    if (t->surface == &b->pocket)
        return 0;
    return race->last_angle - number_of(t, NT_TOUCH_ANGLE) -
           number_of(t, NT_TOUCH_MAJOR) / race->surface.offset;
}

#define BALL_QUANTITY(name, which)                                                                 \
    void name(const nt_sampler *s, int object, double *out)                                        \
    {                                                                                              \
        nt_ball_touch t = touch_of(s, object);                                                     \
        *out = number_of(&t, which);                                                               \
    }
BALL_QUANTITY(nt_ball_indentation, NT_TOUCH_INDENTATION)
BALL_QUANTITY(nt_ball_force, NT_TOUCH_NORMAL_FORCE)
BALL_QUANTITY(nt_ball_friction_force, NT_TOUCH_FRICTION)
BALL_QUANTITY(nt_ball_sliding_speed, NT_TOUCH_SLIDING)
BALL_QUANTITY(nt_ball_spin_speed, NT_TOUCH_SPIN)
BALL_QUANTITY(nt_ball_angle, NT_TOUCH_ANGLE)
BALL_QUANTITY(nt_ball_pressure, NT_TOUCH_PRESSURE)
BALL_QUANTITY(nt_ball_power, NT_TOUCH_POWER)

void nt_ball_semi_axes(const nt_sampler *s, int object, double *out)
{
    nt_ball_touch t = touch_of(s, object);
    out[0] = number_of(&t, NT_TOUCH_MAJOR);
    out[1] = number_of(&t, NT_TOUCH_MINOR);
}

void nt_ball_film_thickness(const nt_sampler *s, int object, double *out)
{
    nt_ball_touch t = touch_of(s, object);
    *out = film_of(nt_bearing_of(s->view->run, element_of(s, object)), &t);
}

void nt_ball_margin(const nt_sampler *s, int object, double *out)
{
    nt_ball_touch t = touch_of(s, object);
    *out = nt_bearing_shoulder_margin(nt_bearing_of(s->view->run, element_of(s, object)), &t);
}

/* ---- cage and bearing ---------------------------------------------------------------------------
 */

/* Sums over all contacts of some kinds, and their extremes. */
typedef struct summary {
    v3 force, moment; /* on the body of the surfaces, about its reference point */
    double power, pressure, film, margin;
    int ball; /* with the largest pressure, from 1; 0: none */
} summary;

static summary sum_up(const nt_sampler *s, const nt_element *e, int from, int to)
{
    const nt_bearing *b = nt_bearing_of(s->view->run, e);
    summary all = {.margin = fmin(b->races[0].last_angle, b->races[1].last_angle)};
    for (int i = 0; i < b->n_balls; i++)
        for (int which = from; which <= to; which++) {
            if (which == NT_POCKET && !b->has_cage)
                continue;
            nt_ball_touch t = nt_bearing_touch(e, s->view, i, which);
            if (!(t.touch.delta > 0))
                continue;
            v3 moment = v3_add(v3_cross(t.touch.r_a, t.touch.F), t.touch.M);
            all.force = v3_sub(all.force, t.touch.F);
            all.moment = v3_sub(all.moment, moment);
            all.power += t.touch.power;
            double pressure = number_of(&t, NT_TOUCH_PRESSURE), film = film_of(b, &t);
            if (which != NT_POCKET && pressure > all.pressure)
                all.pressure = pressure, all.ball = i + 1;
            all.margin = which == NT_POCKET ? all.margin
                                            : fmin(all.margin, nt_bearing_shoulder_margin(b, &t));
            if (film > 0 && (all.film == 0 || film < all.film))
                all.film = film;
        }
    return all;
}

static v3 axis_of(const nt_sampler *s, const nt_bearing *b, int which)
{
    return m3_apply(s->view->motion[b->rings[which]].R, b->races[which].axis);
}

/* The mean speed at which balls orbit that roll at the rings' present speeds. */
static double kinematic_speed(const nt_sampler *s, const nt_element *e)
{
    const nt_bearing *b = nt_bearing_of(s->view->run, e);
    v3 axis = axis_of(s, b, NT_OUTER);
    double w_o = v3_dot(s->view->motion[b->rings[NT_OUTER]].w, axis);
    double w_i = v3_dot(s->view->motion[b->rings[NT_INNER]].w, axis), sum = 0;
    for (int i = 0; i < b->n_balls; i++) {
        nt_ball_touch t = nt_bearing_touch(e, s->view, i, NT_OUTER);
        double gamma = t.surface->radius * v3_dot(t.touch.m, t.touch.e) / t.touch.r;
        sum += 0.5 * (w_i * (1 - gamma) + w_o * (1 + gamma));
    }
    return sum / b->n_balls;
}

/* A point on the axis of a ring, where its moment is looked at. */
static v3 center_of(const nt_sampler *s, const nt_bearing *b, int which)
{
    const nt_motion *m = &s->view->motion[b->rings[which]];
    return m3_apply(m->R, b->races[which].center);
}

void nt_cage_speed(const nt_sampler *s, int object, double *out)
{
    const nt_bearing *b = nt_bearing_of(s->view->run, element_of(s, object));
    *out = v3_dot(s->view->motion[b->cage].w, axis_of(s, b, NT_OUTER));
}

void nt_cage_slip(const nt_sampler *s, int object, double *out)
{
    double speed, kinematic = kinematic_speed(s, element_of(s, object));
    nt_cage_speed(s, object, &speed);
    *out = kinematic != 0 ? 1 - speed / kinematic : 0;
}

void nt_cage_torque(const nt_sampler *s, int object, double *out)
{
    const nt_bearing *b = nt_bearing_of(s->view->run, element_of(s, object));
    *out = v3_dot(sum_up(s, element_of(s, object), NT_POCKET, NT_POCKET).moment,
                  axis_of(s, b, NT_OUTER));
}

void nt_cage_power(const nt_sampler *s, int object, double *out)
{
    *out = sum_up(s, element_of(s, object), NT_POCKET, NT_POCKET).power;
}

void nt_bearing_load(const nt_sampler *s, int object, double *out)
{
    v3_store(out, sum_up(s, element_of(s, object), NT_INNER, NT_INNER).force);
}

void nt_bearing_torque(const nt_sampler *s, int object, double *out)
{
    const nt_element *e = element_of(s, object);
    const nt_bearing *b = nt_bearing_of(s->view->run, e);
    summary inner = sum_up(s, e, NT_INNER, NT_INNER);
    v3 moment = v3_sub(inner.moment, v3_cross(center_of(s, b, NT_INNER), inner.force));
    *out = v3_dot(moment, axis_of(s, b, NT_INNER));
}

void nt_bearing_power(const nt_sampler *s, int object, double *out)
{
    *out = sum_up(s, element_of(s, object), NT_OUTER, NT_POCKET).power;
}

void nt_bearing_pressure(const nt_sampler *s, int object, double *out)
{
    *out = sum_up(s, element_of(s, object), NT_OUTER, NT_INNER).pressure;
}

void nt_bearing_ball_most(const nt_sampler *s, int object, double *out)
{
    *out = sum_up(s, element_of(s, object), NT_OUTER, NT_INNER).ball;
}

void nt_bearing_film_thickness(const nt_sampler *s, int object, double *out)
{
    *out = sum_up(s, element_of(s, object), NT_OUTER, NT_INNER).film;
}

void nt_bearing_margin(const nt_sampler *s, int object, double *out)
{
    *out = sum_up(s, element_of(s, object), NT_OUTER, NT_INNER).margin;
}
