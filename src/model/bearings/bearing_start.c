/* How balls and cage begin, and where they lie at rest.
 *
 * At rest a ball between two grooves is held by two forces alone, so they are opposite: its centre
 * lies on the line of the two circles' nearest points P_o and P_i, and
 *
 *   delta_o + delta_i = |P_i - P_o| - (r_o - rho) - (r_i - rho) =: gap,
 *   K_o delta_o^1.5 = K_i delta_i^1.5.
 *
 * Where gap < 0 (no load, clearance) it stands in the middle of its play. The ball keeps the plane
 * through the outer ring's axis in which it stands; P_i follows from where it is, which a few
 * rounds settle.
 *
 * Kinematic speeds of rings that turn with w_i and w_o about the axis, cos a of the contact angle,
 * R the radius of the centre's orbit, gamma = D cos(a)/(2 R):
 *
 *   orbit = (w_i (1 - gamma) + w_o (1 + gamma))/2
 *   w     = w_o axis + (orbit - w_o) (R/rho) t x m        rolls on the outer race without spin
 *
 * t along the orbit, m the normal of the outer race. */
#include "base/number.h"
#include "model/bearings/bearing.h"

#include "model/bodies/body.h"
#include "system/lies.h"

#include <nutate/group.h>

#include <string.h>

/* A ring as it is placed: ground axes. */
typedef struct placed {
    v3 center, origin, axis, mark, v, w;
} placed;

static placed placed_ring(const nt_run *run, const nt_bearing *b, int which)
{
    const nt_body *body = &run->bodies[b->rings[which]];
    const nt_bearing_race *race = &b->races[which];
    m3 R = quat_matrix(body->q0);
    v3 arm = m3_apply(R, race->center);
    return (placed){.center = v3_add(body->x0, arm),
                    .origin = v3_add(body->x0, m3_apply(R, race->origin)),
                    .axis = m3_apply(R, race->axis),
                    .mark = m3_apply(R, race->mark),
                    .v = v3_add(body->v0, v3_cross(body->w0, arm)),
                    .w = body->w0};
}

/* The point of a race's circle that is nearest to c. */
static v3 nearest(const placed *ring, const nt_surface *s, v3 c)
{
    v3 y = v3_sub(c, ring->origin), f = v3_axpy(-v3_dot(ring->axis, y), ring->axis, y);
    double r = v3_norm(f);
    return v3_axpy(r > 0 ? s->circle / r : 0, f, ring->origin);
}

/* The ball in the plane of the outer axis and the radial direction e: its centre from the outer
 * ring's, as (along e, along the axis). */
static v3 balance(const nt_bearing *b, const placed rings[2], v3 e)
{
    const nt_bearing_race *outer = &b->races[NT_OUTER], *inner = &b->races[NT_INNER];
    const placed *base = &rings[NT_OUTER];
    double reach[2] = {outer->surface.offset - outer->surface.radius,
                       inner->surface.offset - inner->surface.radius};
    double share = pow(inner->law.stiffness / outer->law.stiffness, 2.0 / 3); /* delta_o/delta_i */
    double radius = 0.5 * b->pitch_diameter, z = 0;
    for (int round = 0; round < 30; round++) {
        v3 c = v3_axpy(radius, e, v3_axpy(z, base->axis, base->center));
        v3 from = nearest(base, &outer->surface, c);
        v3 way = v3_sub(nearest(&rings[NT_INNER], &inner->surface, c), from);
        double across = v3_dot(way, e), along = v3_dot(way, base->axis);
        double length = sqrt(across * across + along * along);
        double gap = length - reach[0] - reach[1];
        double out = reach[0] + (gap > 0 ? gap * share / (1 + share) : 0.5 * gap);
        double part = length > 0 ? out / length : 0;
        v3 start = v3_sub(from, base->center);
        radius = v3_dot(start, e) + part * across;
        z = v3_dot(start, base->axis) + part * along;
    }
    return v3_of(radius, z, 0);
}

static void place_body(nt_run *run, int index, v3 x, quat q, v3 v, v3 w)
{
    nt_body *body = &run->bodies[index];
    body->x0 = x, body->q0 = q, body->v0 = v, body->w0 = w;
    v3_store(run->initial_q + body->q, x);
    quat_store(run->initial_q + body->q + 3, q);
    v3_store(run->initial_v + body->v, v);
    v3_store(run->initial_v + body->v + 3, w);
}

/* Returns the speed of its orbit. psi: where it stands, from the outer ring's mark. */
static double place_ball(nt_run *run, const nt_bearing *b, const placed rings[2], int ball, v3 e,
                         v3 at)
{
    const placed *outer = &rings[NT_OUTER], *inner = &rings[NT_INNER];
    double rho = 0.5 * b->ball_diameter, R = at.x;
    v3 c = v3_axpy(R, e, v3_axpy(at.y, outer->axis, outer->center));
    v3 t = v3_cross(outer->axis, e), m = v3_sub(c, nearest(outer, &b->races[NT_OUTER].surface, c));
    double l = v3_norm(m), w_o = v3_dot(outer->w, outer->axis), w_i = v3_dot(inner->w, inner->axis);
    m = l > 0 ? v3_scale(1 / l, m) : e;
    double gamma = rho * v3_dot(m, e) / R;
    double orbit = 0.5 * (w_i * (1 - gamma) + w_o * (1 + gamma));
    v3 v = v3_axpy(orbit * R, t, outer->v);
    v3 w = v3_axpy((orbit - w_o) * R / rho, v3_cross(t, m), v3_scale(w_o, outer->axis));
    place_body(run, b->first_ball + ball, c, (quat){1, 0, 0, 0}, v, w);
    return orbit;
}

/* The contact angle of rings that stand so, as if they were parallel. */
static double angle_between(const nt_bearing *b, const placed rings[2])
{
    v3 way = v3_sub(rings[NT_INNER].origin, rings[NT_OUTER].origin);
    double along = fabs(v3_dot(way, rings[NT_OUTER].axis));
    double across = b->races[NT_INNER].surface.circle - b->races[NT_OUTER].surface.circle;
    return across > 0 ? atan2(along, across) : 0;
}

nt_status nt_bearing_settle(nt_run *run, const nt_element *element)
{
    nt_bearing *b = nt_element_numbers(run, element);
    placed rings[2] = {placed_ring(run, b, NT_OUTER), placed_ring(run, b, NT_INNER)};
    const placed *outer = &rings[NT_OUTER];
    nt_bearing_fill_races(b, angle_between(b, rings));
    v3 side = v3_cross(outer->axis, outer->mark), middle = v3_of(0, 0, 0);
    double orbit = 0, turn = 2 * NT_PI / b->n_balls;
    for (int i = 0; i < b->n_balls; i++) {
        v3 e = v3_axpy(cos(turn * i), outer->mark, v3_scale(sin(turn * i), side));
        v3 at = balance(b, rings, e);
        middle = v3_add(middle, v3_axpy(at.x, e, v3_scale(at.y, outer->axis)));
        double psi = turn * i + b->start.irregularity / at.x * cos(2 * i);
        e = v3_axpy(cos(psi), outer->mark, v3_scale(sin(psi), side));
        if (b->start.irregularity != 0)
            at = balance(b, rings, e);
        orbit += place_ball(run, b, rings, i, e, at) / b->n_balls;
    }
    if (b->has_cage) {
        v3 x = outer->mark, y = side, z = outer->axis;
        double R[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}, q[4];
        nt_so3_from_matrix(R, q);
        place_body(run, b->cage, v3_axpy(1.0 / b->n_balls, middle, outer->center),
                   quat_unit(quat_load(q)), outer->v, v3_scale(b->start.cage * orbit, outer->axis));
    }
    return NT_OK;
}

/* At rest nothing but friction keeps balls from running along their grooves and from spinning, and
 * the cage from going with them; regularised, it creeps. Of a ball's place what counts is the axis
 * nearest to its way along the groove. */
void nt_bearing_rests(const nt_element *element, const nt_view *view, unsigned char *lies)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    const nt_motion *outer = &view->motion[b->rings[NT_OUTER]];
    const nt_bearing_race *race = &b->races[NT_OUTER];
    v3 axis = m3_apply(outer->R, race->axis);
    v3 center = v3_add(outer->x, m3_apply(outer->R, race->center));
    for (int i = 0; i < b->n_balls; i++) {
        int body = b->first_ball + i, along = 0;
        double way[3];
        v3_store(way, v3_cross(axis, v3_sub(view->motion[body].x, center)));
        for (int k = 1; k < 3; k++)
            along = fabs(way[k]) > fabs(way[along]) ? k : along;
        lies[view->bodies[body].v + along] = NT_CREEPS;
        memset(lies + view->bodies[body].v + 3, NT_CREEPS, 3);
    }
    if (b->has_cage)
        memset(lies + view->bodies[b->cage].v, NT_CREEPS, 6);
}
