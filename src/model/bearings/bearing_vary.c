/* How the forces of a bearing change with its numbers: each contact's by touch.h.
 *
 * A flaw of the angle phi_0, half width w and depth h takes off h cos^2(x), x = pi (phi - phi_0)/(2
 * w), a wave A cos(X), X = k phi + psi. With the derivatives of the numbers, primed,
 *
 *   lift' = slope phi' + sum [h' cos^2(x) - h sin(2 x) x'] + sum [A' cos(X) - A sin(X) psi'],
 *
 *   x' = -pi phi_0'/(2 w) - x w'/w,   phi = atan2(s.y, m.y),
 *
 * where phi' is that of the mark m and of s = a x m, y where it is: touch.h has what y adds. */
#include "base/number.h"
#include "model/bearings/bearing.h"

#include <math.h>
#include <string.h>

static double vary_flaws(const nt_bearing_flaws *flaws, const nt_bearing_flaws *d, double phi)
{
    double lift = 0;
    for (int k = 0; k < flaws->n_depths; k++) {
        double off = remainder(phi - flaws->angle[k], 2 * NT_PI), width = flaws->width[k];
        if (!(fabs(off) < width))
            continue;
        double x = NT_PI * off / (2 * width);
        double dx = -NT_PI * d->angle[k] / (2 * width) - x * d->width[k] / width;
        lift += d->depth[k] * cos(x) * cos(x) - flaws->depth[k] * sin(2 * x) * dx;
    }
    return lift;
}

static double vary_waves(const nt_bearing_waves *waves, const nt_bearing_waves *d, double phi)
{
    double lift = 0;
    for (int k = 0; k < NT_MOST_WAVES; k++) {
        double X = waves->order[k] * phi + waves->phase[k];
        lift += d->amplitude[k] * cos(X) - waves->amplitude[k] * sin(X) * d->phase[k];
    }
    return lift;
}

/* lift' of a race at y; gradient: of the lift there. */
static double vary_lift(const nt_bearing_race *race, const nt_bearing_race *d, m3 R, v3 y,
                        v3 gradient)
{
    v3 axis = m3_apply(R, race->axis), mark = m3_apply(R, race->mark), side = v3_cross(axis, mark);
    v3 daxis = m3_apply(R, d->axis), dmark = m3_apply(R, d->mark);
    v3 dside = v3_add(v3_cross(daxis, mark), v3_cross(axis, dmark));
    double x = v3_dot(mark, y), z = v3_dot(side, y), square = x * x + z * z, phi = atan2(z, x);
    /* the gradient is slope t/r, along x side - z mark */
    double slope = v3_dot(gradient, v3_axpy(x, side, v3_scale(-z, mark)));
    double turn = (x * v3_dot(dside, y) - z * v3_dot(dmark, y)) / square;
    return slope * turn + vary_flaws(&race->flaws, &d->flaws, phi) +
           vary_waves(&race->waves, &d->waves, phi);
}

static nt_touch_rates rates_of(const nt_bearing *b, const nt_bearing *d, const nt_view *view,
                               int which, const nt_ball_touch *t)
{
    if (which == NT_POCKET)
        return (nt_touch_rates){
            .surface = d->pocket,
            .law = d->pocket_law,
            .origin = v3_scale(b->pocket_shape == 0 ? 0 : 0.5 * d->pitch_diameter, t->pose.axis)};
    const nt_bearing_race *race = &d->races[which];
    m3 R = view->motion[b->rings[which]].R;
    return (nt_touch_rates){.surface = race->surface,
                            .law = race->law,
                            .origin = m3_apply(R, race->origin),
                            .axis = m3_apply(R, race->axis),
                            .lift =
                                vary_lift(&b->races[which], race, R, t->pose.y, t->lift_gradient)};
}

bool nt_bearing_vary(const nt_element *element, const nt_view *view, const void *rates)
{
    const nt_bearing *b = nt_bearing_of(view->run, element), *d = rates;
    unsigned parts = view->terms->parts;
    bool chords = parts == NT_OWN_CHORDS;
    if (!(parts & element->part) && !chords)
        return true;
    bool pockets = b->has_cage && !chords && !(parts & NT_OWN_DAMPERS);
    double lighter =
        -d->material.density / b->material.density - 3 * d->ball_diameter / b->ball_diameter;
    for (int i = 0; i < b->n_balls; i++)
        for (int which = 0; which < (pockets ? NT_BALL_CONTACTS : NT_POCKET); which++) {
            nt_ball_touch t = nt_bearing_touch(element, view, i, which);
            if (!(t.touch.delta > 0))
                continue;
            nt_touch_rates of = rates_of(b, d, view, which, &t);
            nt_view pair = *view;
            pair.pair[0] = nt_bearing_port_of(b, t.body);
            pair.pair[1] = nt_bearing_port_of(b, b->first_ball + i);
            if (chords) {
                nt_bearing_vary_chords(element, &pair, i, &t, &of, lighter);
                continue;
            }
            v3 F, M, p;
            nt_touch_vary_numbers(t.kind, t.surface, t.law, &t.pose, &t.touch, t.lift_gradient, &of,
                                  &F, &M, &p);
            nt_touch_push_change(&pair, &t.touch, F, M, p);
        }
    return true;
}
