/* What follows from the keys of a bearing.
 *
 * With the ball's diameter D = 2 rho, the pitch diameter d_m, groove radii r_i and r_o, the contact
 * angle a_0 of the drawing and the diametral clearance P, the circles in the middle of the grooves
 * have the radii
 *
 *   A_i = d_m/2 + (r_i - rho) cos a_0 - P/4,   A_o = d_m/2 - (r_o - rho) cos a_0 + P/4
 *
 * and stand (r_i - rho) sin a_0 in front of the inner ring's centre, (r_o - rho) sin a_0 behind the
 * outer ring's. Relative curvatures of a race: 1/rho - m.e/(d_m/2 + rho m.e) around the axis,
 * m.e = -cos a on the inner race and cos a on the outer one, and 1/rho - 1/r across.
 *
 * Its shoulder of the height h ends the groove at the angle a_s from its bottom,
 * cos a_s = 1 - h/r. */
#include "base/number.h"
#include "model/bearings/bearing.h"

#include "base/direction.h"
#include "base/error.h"
#include "model/bodies/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const nt_bearing_rings[2] = {"outer", "inner"};
static const int groove_bits[2] = {NT_BEARING_OUTER_GROOVE, NT_BEARING_INNER_GROOVE};

int nt_bearing_count(const char *designation, double balls, char *why, size_t size)
{
    double clearance;
    why[0] = '\0';
    if (balls == 0 && designation) {
        const nt_bearing_size *known = nt_bearing_size_find(designation, &clearance, why, size);
        return known ? known->balls : 0;
    }
    if (balls >= 3 && balls <= NT_MOST_BALLS && floor(balls) == balls)
        return (int)balls;
    snprintf(why, size, "balls: expected a plain number from 3 to %d, or a designation",
             NT_MOST_BALLS);
    return 0;
}

/* ---- sizes ------------------------------------------------------------------------------------
 */

/* A number that has bounds; `from` and `to`: it may be equal to them. */
typedef struct bound {
    const char *key;
    double value, low, high;
    bool from, to;
} bound;

static nt_status check_bounds(const nt_model *model, const nt_element *element, const bound *bounds,
                              int n, nt_error *error)
{
    for (const bound *b = bounds; b < bounds + n; b++) {
        char above[40] = "", below[40] = "";
        if ((b->value > b->low || (b->from && b->value == b->low)) &&
            (b->value < b->high || (b->to && b->value == b->high)))
            continue;
        if (isfinite(b->low))
            snprintf(above, sizeof above, "%s %g", b->from ? "at least" : "above", b->low);
        if (isfinite(b->high))
            snprintf(below, sizeof below, "%s %g", b->to ? "at most" : "below", b->high);
        return nt_load_refuse_key(model, element, b->key, error, "%s is %g, expected %s%s%s",
                                  b->key, b->value, above, above[0] && below[0] ? " and " : "",
                                  below);
    }
    return NT_OK;
}

/* Checks the bounds of one number of a race, whose key stands behind the name of its ring. */
static nt_status check_bound_of_race(const nt_model *model, const nt_element *element, int which,
                                     bound b, nt_error *error)
{
    char key[80];
    snprintf(key, sizeof key, "%s_%s", nt_bearing_rings[which], b.key);
    b.key = key;
    return check_bounds(model, element, &b, 1, error);
}

static nt_status check_material(const nt_model *model, const nt_element *element,
                                const nt_bearing_material *m, nt_error *error)
{
    const double most = (double)INFINITY;
    const bound bounds[] = {{"material.E", m->E, 0, most, false, false},
                            {"material.nu", m->nu, -0.5, 0.5, true, true},
                            {"material.density", m->density, 0, most, false, false}};
    return check_bounds(model, element, bounds, 3, error);
}

static nt_status fill_size(const nt_run *run, const nt_element *element, nt_bearing *b,
                           nt_error *error)
{
    char why[256];
    double clearance = 0;
    b->size = NULL;
    if (b->designation) {
        b->size = nt_bearing_size_find(b->designation, &clearance, why, sizeof why);
        if (!b->size)
            return nt_load_refuse_key(run->model, element, "designation", error, "designation: %s",
                                      why);
        if (!nt_bearing_gives(b, NT_BEARING_BALLS))
            b->balls = b->size->balls;
        if (!nt_bearing_gives(b, NT_BEARING_BALL))
            b->ball_diameter = 1e-3 * b->size->ball;
        if (!nt_bearing_gives(b, NT_BEARING_PITCH))
            b->pitch_diameter = 1e-3 * b->size->pitch;
        for (int i = 0; i < 2 && b->size->groove > 0; i++)
            if (!nt_bearing_gives(b, groove_bits[i]))
                b->races[i].groove = b->size->groove;
        if (!nt_bearing_gives(b, NT_BEARING_ANGLE))
            b->contact_angle = b->size->contact_angle * NT_PI / 180;
        if (!nt_bearing_gives(b, NT_BEARING_CLEARANCE))
            b->clearance = b->size->contact_angle > 0 ? 0 : clearance;
    }
    return NT_OK;
}

static nt_status check_cage(const nt_model *model, const nt_element *element, const nt_bearing *b,
                            nt_error *error)
{
    const double most = (double)INFINITY, *J = b->of_cage.inertia;
    const bound bounds[] = {{"cage.mass", b->of_cage.mass, 0, most, false, false},
                            {"cage.inertia", J[0], 0, J[1] + J[2], true, true},
                            {"cage.inertia", J[1], 0, J[2] + J[0], true, true},
                            {"cage.inertia", J[2], 0, J[0] + J[1], true, true}};
    return b->has_cage ? check_bounds(model, element, bounds, 4, error) : NT_OK;
}

static nt_status check_geometry(const nt_run *run, const nt_element *element, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_bearing *b = nt_bearing_of(run, element);
    double D = b->ball_diameter, d_m = b->pitch_diameter;
    nt_status status = check_material(model, element, &b->material, error);
    if (status == NT_OK)
        status = check_cage(model, element, b, error);
    if (status != NT_OK)
        return status;
    if (!b->size &&
        !(nt_bearing_gives(b, NT_BEARING_BALLS) && nt_bearing_gives(b, NT_BEARING_BALL) &&
          nt_bearing_gives(b, NT_BEARING_PITCH)))
        return nt_load_refuse(model, element, error,
                              "expected a designation, or balls, ball_diameter and pitch_diameter");
    if (nt_bearing_gives(b, NT_BEARING_AT) == nt_bearing_gives(b, NT_BEARING_POINTS))
        return nt_load_refuse(model, element, error,
                              "expected either `at` and `axis` or `points` and `axes`");
    if (nt_bearing_gives(b, NT_BEARING_AT) && !nt_bearing_gives(b, NT_BEARING_AXIS))
        return nt_load_refuse(model, element, error, "`at` needs `axis`");
    if (b->rings[NT_OUTER] == b->rings[NT_INNER])
        return nt_load_refuse_key(model, element, "inner", error, "both rings belong to %s",
                                  model->bodies[b->rings[NT_OUTER]].name);
    for (int i = 0; i < 2; i++)
        if (b->rings[i] >= b->first_ball &&
            b->rings[i] <= b->first_ball + b->n_balls - !b->has_cage)
            return nt_load_refuse_key(model, element, nt_bearing_rings[i], error,
                                      "%s is one of its own parts, expected another body",
                                      model->bodies[b->rings[i]].name);
    for (int i = 0; i < 2; i++)
        if (run->bodies[b->rings[i]].point)
            return nt_load_refuse_key(
                model, element, nt_bearing_rings[i], error,
                "%s is a point and carries no ring, expected a body that can turn",
                model->bodies[b->rings[i]].name);
    if (!(D > 0) || !(d_m > D))
        return nt_load_refuse_key(
            model, element,
            D > 0 && nt_bearing_gives(b, NT_BEARING_PITCH) ? "pitch_diameter" : "ball_diameter",
            error,
            "ball_diameter is %g m, pitch_diameter %g m; expected a positive number "
            "and a larger one",
            D, d_m);
    if (!(b->n_balls * asin(D / d_m) <= NT_PI))
        return nt_load_refuse_key(model, element, "balls", error,
                                  "%d balls of %g m do not fit on a pitch diameter of %g m",
                                  b->n_balls, D, d_m);
    for (int i = 0; i < 2 && status == NT_OK; i++) {
        double groove = b->races[i].groove, shoulder = b->races[i].shoulder;
        status = check_bound_of_race(model, element, i,
                                     (bound){"groove", groove, 0.5, 1, false, false}, error);
        if (status == NT_OK)
            status = check_bound_of_race(
                model, element, i, (bound){"shoulder", shoulder, 0, groove, false, true}, error);
    }
    const bound bounds[] = {
        {"contact_angle", b->contact_angle, -NT_PI / 2, NT_PI / 2, false, false},
        {"clearance", b->clearance, -0.1 * D, 0.1 * D, false, false}};
    return status == NT_OK ? check_bounds(model, element, bounds, 2, error) : status;
}

/* The largest slope of a race's surface, whose normal is taken to be that of a round one. */
static const double STEEPEST = 0.1;

static nt_status check_flaws(const nt_model *model, const nt_element *element, const nt_bearing *b,
                             int which, nt_error *error)
{
    const nt_bearing_flaws *flaws = &b->races[which].flaws;
    const char *ring = nt_bearing_rings[which];
    char key[40], width_key[40], depth_key[40];
    int n = flaws->n_depths;
    snprintf(key, sizeof key, "%s_flaw", ring);
    snprintf(width_key, sizeof width_key, "%s_flaw.width", ring);
    snprintf(depth_key, sizeof depth_key, "%s_flaw.depth", ring);
    if (flaws->n_widths != n || (flaws->n_angles != n && flaws->n_angles > 0) ||
        (flaws->n_angles == 0 && n > 1))
        return nt_load_refuse_key(
            model, element, key, error,
            "%s_flaw: %d angles, %d widths and %d depths, expected as many of each", ring,
            flaws->n_angles, flaws->n_widths, n);
    for (int k = 0; k < n; k++) {
        double width = flaws->width[k], depth = flaws->depth[k];
        if (!(width >= 0 && width <= NT_PI) || (depth != 0 && !(width > 0)))
            return nt_load_refuse_key(
                model, element, width_key, error,
                "%s_flaw: width is %g rad, expected positive and at most half a turn", ring, width);
        double slope = depth == 0 ? 0 : NT_PI / 2 * fabs(depth) / (width * 0.5 * b->pitch_diameter);
        if (slope > STEEPEST)
            return nt_load_refuse_key(
                model, element, depth_key, error,
                "%s_flaw: its edge is as steep as %g, expected less than %g: the "
                "normal of the race is taken not to turn in it",
                ring, slope, STEEPEST);
    }
    return NT_OK;
}

/* A wave that does not close has a jump in it; one that is steep turns the normal. */
static nt_status check_waves(const nt_model *model, const nt_element *element, const nt_bearing *b,
                             int which, nt_error *error)
{
    const nt_bearing_waves *waves = &b->races[which].waves;
    const char *ring = nt_bearing_rings[which];
    int n = waves->n_orders;
    double slope = 0;
    char key[40], order_key[40];
    bool in_phases = waves->n_amplitudes == n && waves->n_phases != n && waves->n_phases > 0;
    snprintf(key, sizeof key, "%s_waviness.%s", ring, in_phases ? "phases" : "amplitudes");
    snprintf(order_key, sizeof order_key, "%s_waviness.orders", ring);
    if (waves->n_amplitudes != n || in_phases)
        return nt_load_refuse_key(
            model, element, key, error,
            "%s_waviness: %d orders, %d amplitudes and %d phases, expected as many of each", ring,
            n, waves->n_amplitudes, waves->n_phases);
    for (int k = 0; k < n; k++) {
        if (!(waves->order[k] >= 0) || waves->order[k] != round(waves->order[k]))
            return nt_load_refuse_key(model, element, order_key, error,
                                      "%s_waviness: order %g, expected a whole number of waves "
                                      "around the race",
                                      ring, waves->order[k]);
        slope += fabs(waves->amplitude[k]) * waves->order[k] / (0.5 * b->pitch_diameter);
    }
    if (slope > STEEPEST)
        return nt_load_refuse_key(model, element, key, error,
                                  "%s_waviness: the race is as steep as %g, expected less than %g: "
                                  "its normal is taken not to turn",
                                  ring, slope, STEEPEST);
    return NT_OK;
}

static nt_status check_numbers(const nt_model *model, const nt_element *element,
                               const nt_bearing *b, nt_error *error)
{
    const double most = (double)INFINITY;
    const nt_lubricant *oil = &b->oil;
    const bound bounds[] = {
        {"damping", b->damping, 0, most, true, false},
        {"traction.friction", b->friction, 0, most, true, false},
        {"traction.slip", b->slip, 0, most, false, false},
        {"rolling.resistance", b->rolling, 0, most, true, false},
        {"rolling.slip", b->rolling_slip, 0, most, false, false},
        {"lubricant.viscosity", oil->viscosity, 0, most, false, false},
        {"lubricant.pressure_coefficient", oil->coefficient, 0, most, false, false},
        {"lubricant.stress", oil->stress, 0, most, false, false},
        {"lubricant.limit", oil->limit, 0, most, false, false},
        {"outer_stiffness", b->races[NT_OUTER].stiffness, 0, most,
         !nt_bearing_gives(b, NT_BEARING_OUTER_STIFFNESS), false},
        {"inner_stiffness", b->races[NT_INNER].stiffness, 0, most,
         !nt_bearing_gives(b, NT_BEARING_INNER_STIFFNESS), false},
    };
    const bound of_cage[] = {
        {"cage.pocket_clearance", b->of_cage.clearance, 0, most, false, false},
        {"cage.material.E", b->of_cage.E, 0, most, false, false},
        {"cage.material.nu", b->of_cage.nu, -0.5, 0.5, true, true},
        {"cage.damping", b->of_cage.damping, 0, most, true, false},
        {"cage.stiffness", b->pocket_law.stiffness, 0, most, false, false},
        {"cage.friction", b->of_cage.friction, 0, most, true, false},
        {"cage.slip", b->of_cage.slip, 0, most, false, false},
    };
    nt_status status = check_bounds(model, element, bounds, sizeof bounds / sizeof *bounds, error);
    return status == NT_OK && b->has_cage
               ? check_bounds(model, element, of_cage, sizeof of_cage / sizeof *of_cage, error)
               : status;
}

static nt_status check_laws(const nt_run *run, const nt_element *element, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_bearing *b = nt_bearing_of(run, element);
    if (nt_bearing_gives(b, NT_BEARING_DAMPING) && nt_bearing_gives(b, NT_BEARING_RESTITUTION))
        return nt_load_refuse_key(model, element, "restitution", error,
                                  "both damping and restitution are given, expected one of them");
    const bound impact[] = {
        {"restitution.coefficient", b->restitution, 0, 1, false, true},
        {"restitution.speed", b->restitution_speed, 0, (double)INFINITY, false, false}};
    nt_status status = nt_bearing_gives(b, NT_BEARING_RESTITUTION)
                           ? check_bounds(model, element, impact, 2, error)
                           : NT_OK;
    if (status == NT_OK)
        status = check_numbers(model, element, b, error);
    if (status == NT_OK && b->law == NT_TRACTION_FILM && !nt_bearing_gives(b, NT_BEARING_LUBRICANT))
        status = nt_load_refuse_key(model, element, "traction.law", error,
                                    "traction: a film needs `lubricant`");
    for (int i = 0; i < 2 && status == NT_OK; i++)
        status = check_flaws(model, element, b, i, error);
    for (int i = 0; i < 2 && status == NT_OK; i++)
        status = check_waves(model, element, b, i, error);
    return status;
}

/* ---- rings ------------------------------------------------------------------------------------
 */

/* The rotation that takes z to the unit vector a by the shortest way, applied to x. */
static v3 turned_x(v3 a)
{
    if (a.z < -1 + 1e-12)
        return v3_of(-1, 0, 0); /* half a turn about y */
    double s = 1 / (1 + a.z);
    return v3_of(1 - a.x * a.x * s, -a.x * a.y * s, -a.x);
}

static nt_status place_ring(nt_run *run, const nt_element *element, int which, bool validate,
                            nt_error *error)
{
    nt_bearing *b = nt_element_numbers(run, element);
    nt_bearing_race *race = &b->races[which];
    int body = b->rings[which], own = which == NT_INNER ? 0 : 1;
    double axis[3];
    const nt_place_of_point *point = &b->points[own];
    if (!nt_direction(nt_bearing_gives(b, NT_BEARING_AT) ? b->axis : b->axes[own], 3, axis))
        return nt_load_refuse_key(run->model, element,
                                  nt_bearing_gives(b, NT_BEARING_AT) ? "axis" : "axes", error,
                                  "the axis has length zero");
    race->axis = v3_load(axis);
    race->mark = turned_x(race->axis);
    if (nt_bearing_gives(b, NT_BEARING_AT)) {
        m3 R = quat_matrix(run->bodies[body].q0);
        race->axis = m3_apply_transposed(R, race->axis);
        race->mark = m3_apply_transposed(R, race->mark);
        point = &b->at;
    }
    if (nt_bearing_gives(b, NT_BEARING_AT) || point->marker >= 0)
        return nt_load_point(run, element, point, body, validate, &race->center, error);
    race->center = v3_sub(v3_load(point->at), run->bodies[body].reference);
    return NT_OK;
}

/* ---- stiffness --------------------------------------------------------------------------------
 */

static nt_touch_law race_law(const nt_bearing *b, const nt_bearing_race *race, double angle,
                             double side)
{
    double rho = 0.5 * b->ball_diameter, cosine = side * cos(angle);
    double curvature[2] = {1 / rho - cosine / (0.5 * b->pitch_diameter + rho * cosine),
                           1 / rho - 1 / (race->groove * b->ball_diameter)};
    double young[2] = {b->material.E, b->material.E}, nu[2] = {b->material.nu, b->material.nu};
    double compliance = nt_hertz_compliance(young, nu);
    nt_hertz hertz = nt_hertz_find(curvature, compliance, (nt_hertz_formula)b->hertz);
    if (race->stiffness > 0)
        hertz.K = race->stiffness;
    nt_touch_law law = {.stiffness = hertz.K,
                        .exponent = 1.5,
                        .damping = b->damping,
                        .semi_axis = hertz.semi_axis,
                        .ratio = hertz.ratio,
                        .spin_arm = 0.375 * hertz.semi_axis * hertz.E,
                        .rolling = b->rolling,
                        .rolling_slip = b->rolling_slip};
    if (nt_bearing_gives(b, NT_BEARING_RESTITUTION))
        law.damping = nt_restitution_damping(b->restitution, (nt_restitution_relation)b->relation) /
                      b->restitution_speed;
    law.traction = (nt_traction){.friction = b->friction,
                                 .slip = b->slip,
                                 .A = b->curve[0],
                                 .B = b->curve[1],
                                 .C = b->curve[2],
                                 .D = b->curve[3],
                                 .oil = b->oil};
    nt_traction_film(&law.traction, 1 / curvature[0], 1 / curvature[1], compliance, hertz.K,
                     hertz.semi_axis, hertz.ratio);
    return law;
}

static bool is_round(const nt_bearing_race *race)
{
    for (int k = 0; k < race->flaws.n_depths; k++)
        if (race->flaws.depth[k] != 0)
            return false;
    for (int k = 0; k < NT_MOST_WAVES; k++)
        if (race->waves.amplitude[k] != 0)
            return false;
    return true;
}

/* Where Hertz's theory has long ended: indentations of a part of the ball's radius, on a race where
 * the ellipse is as wide as the groove and steel flows at twice the pressure that it bears, and in
 * a pocket. A stiffness that is given is taken at its word. */
static const double MOST_OF_RACE = 0.05, MOST_OF_POCKET = 0.25;

static double most_force(double stiffness, double rho, double part, bool is_given)
{
    double depth = part * rho;
    return is_given ? (double)INFINITY : stiffness * depth * sqrt(depth);
}

void nt_bearing_fill_races(nt_bearing *b, double angle)
{
    double rho = 0.5 * b->ball_diameter;
    b->settled_angle = angle;
    for (int i = 0; i < 2; i++) {
        nt_bearing_race *race = &b->races[i];
        double outwards = i == NT_INNER ? 1 : -1, groove = race->groove * b->ball_diameter;
        double reach = groove - rho;
        race->surface =
            (nt_surface){.side = -1,
                         .offset = groove,
                         .circle = 0.5 * b->pitch_diameter +
                                   outwards * (reach * cos(b->contact_angle) - 0.25 * b->clearance),
                         .radius = rho};
        race->origin = v3_axpy(outwards * reach * sin(b->contact_angle), race->axis, race->center);
        race->law = race_law(b, race, angle, -outwards);
        race->last_angle = acos(fmax(-1, 1 - race->shoulder / race->groove));
        race->turn_of_last[0] = cos(race->last_angle);
        race->turn_of_last[1] = sin(race->last_angle);
        race->is_round = is_round(race);
        race->most_force = most_force(race->law.stiffness, rho, MOST_OF_RACE, race->stiffness > 0);
    }
}

static void fill_pockets(nt_bearing *b)
{
    double rho = 0.5 * b->ball_diameter, R = rho + 0.5 * b->of_cage.clearance;
    double young[2] = {b->material.E, b->of_cage.E}, nu[2] = {b->material.nu, b->of_cage.nu};
    double gap = 1 / rho - 1 / R, curvature[2] = {gap, b->pocket_shape == 1 ? gap : 1 / rho};
    nt_hertz hertz = nt_hertz_find(curvature, nt_hertz_compliance(young, nu), NT_HERTZ_EXACT);
    b->pocket = (nt_surface){.side = -1, .offset = R, .radius = rho};
    for (int i = 0; i < NT_MOST_BALLS; i++) {
        double psi = 2 * NT_PI * (i < b->n_balls ? i : b->n_balls - 1) / b->n_balls;
        b->turns[0][i] = cos(psi), b->turns[1][i] = sin(psi);
    }
    b->pocket_law = (nt_touch_law){
        .stiffness =
            nt_bearing_gives(b, NT_BEARING_CAGE_STIFFNESS) ? b->of_cage.stiffness : hertz.K,
        .exponent = 1.5,
        .damping = b->of_cage.damping,
        .semi_axis = hertz.semi_axis,
        .ratio = hertz.ratio,
        .rolling_slip = 1,
        .traction = {.friction = nt_bearing_gives(b, NT_BEARING_CAGE_FRICTION) ? b->of_cage.friction
                                                                               : b->friction,
                     .slip = b->of_cage.slip}};
    b->most_pocket_force =
        most_force(hertz.K, rho, MOST_OF_POCKET, nt_bearing_gives(b, NT_BEARING_CAGE_STIFFNESS));
}

/* ---- what is taken for granted ------------------------------------------------------------------
 */

/* " (given)" after a number of the file beside others that are not; "" where none is, or all are.
 */
static const char *given_word(const nt_bearing *b, int bit)
{
    return nt_bearing_gives(b, bit) ? " (given)" : "";
}

/* What a number that no key gives is. */
static const char *taken_word(const nt_bearing *b, int bit, const char *word)
{
    return nt_bearing_gives(b, bit) ? "" : word;
}

/* Sizes: of balls and grooves, and where they come from. */
static size_t size_words(const nt_bearing *b, char *text, size_t size)
{
    const nt_bearing_size *known = b->size;
    int n = 0;
    bool own = nt_bearing_gives(b, NT_BEARING_BALLS) && nt_bearing_gives(b, NT_BEARING_BALL) &&
               nt_bearing_gives(b, NT_BEARING_PITCH);
    bool some = nt_bearing_gives(b, NT_BEARING_BALLS) || nt_bearing_gives(b, NT_BEARING_BALL) ||
                nt_bearing_gives(b, NT_BEARING_PITCH);
    if (known && !own)
        n = snprintf(text, size, "%s, %d balls%s of %.6g mm%s on %.6g mm%s: %s%s (%s); ",
                     known->designation, b->n_balls, given_word(b, NT_BEARING_BALLS),
                     1e3 * b->ball_diameter, given_word(b, NT_BEARING_BALL),
                     1e3 * b->pitch_diameter, given_word(b, NT_BEARING_PITCH),
                     some ? "the rest " : "", known->assumed ? "assumed" : "published",
                     known->source);
    size_t used = n < 0 || (size_t)n >= size ? size : (size_t)n;
    const char *groove = known && known->groove > 0 ? " (published)" : " (assumed)";
    n = used == size
            ? 0
            : snprintf(text + used, size - used,
                       "grooves of %.4g%s inside and %.4g%s outside, shoulders of %.4g%s and "
                       "%.4g%s, in ball diameters, clearance %.4g um%s",
                       b->races[NT_INNER].groove, taken_word(b, NT_BEARING_INNER_GROOVE, groove),
                       b->races[NT_OUTER].groove, taken_word(b, NT_BEARING_OUTER_GROOVE, groove),
                       b->races[NT_INNER].shoulder,
                       taken_word(b, NT_BEARING_INNER_SHOULDER, " (assumed)"),
                       b->races[NT_OUTER].shoulder,
                       taken_word(b, NT_BEARING_OUTER_SHOULDER, " (assumed)"), 1e6 * b->clearance,
                       taken_word(b, NT_BEARING_CLEARANCE, " (assumed)"));
    return used + (size_t)n;
}

static const char DEFAULT[] = " (default)";

/* The loss on races, the oil and the cage: the numbers that act, and which of them nobody gave. */
static void law_words(const nt_bearing *b, char *text, size_t size)
{
    char damping[40] = "", oil[130] = "no lubricant", cage[160] = "no cage";
    if (!nt_bearing_gives(b, NT_BEARING_RESTITUTION))
        snprintf(damping, sizeof damping, "damping %.4g s/m%s; ", b->damping,
                 taken_word(b, NT_BEARING_DAMPING, DEFAULT));
    if (nt_bearing_gives(b, NT_BEARING_LUBRICANT))
        snprintf(oil, sizeof oil, "lubricant %.4g Pa s, %.4g/Pa%s, %.4g Pa%s, limit %.4g%s",
                 b->oil.viscosity, b->oil.coefficient,
                 taken_word(b, NT_BEARING_OIL_COEFFICIENT, DEFAULT), b->oil.stress,
                 taken_word(b, NT_BEARING_OIL_STRESS, DEFAULT), b->oil.limit,
                 taken_word(b, NT_BEARING_OIL_LIMIT, DEFAULT));
    if (b->has_cage)
        snprintf(cage, sizeof cage,
                 "cage guided by the balls, friction %.4g%s, slip %.4g m/s%s, damping %.4g s/m%s",
                 b->pocket_law.traction.friction, taken_word(b, NT_BEARING_CAGE_FRICTION, DEFAULT),
                 b->of_cage.slip, taken_word(b, NT_BEARING_CAGE_SLIP, DEFAULT), b->of_cage.damping,
                 taken_word(b, NT_BEARING_CAGE_DAMPING, DEFAULT));
    snprintf(text, size, "%s%s; %s", damping, oil, cage);
}

bool nt_bearing_remark(const nt_model *model, const nt_element *element, char *text, size_t size)
{
    const nt_bearing *b = nt_model_data(model, element);
    double gamma = b->ball_diameter / b->pitch_diameter * cos(b->settled_angle);
    char friction[90] = "", laws[340];
    size_t used = size_words(b, text, size);
    if (b->law == NT_TRACTION_COULOMB)
        snprintf(friction, sizeof friction, ", friction %.4g%s", b->friction,
                 taken_word(b, NT_BEARING_FRICTION, DEFAULT));
    if (b->law == NT_TRACTION_FOUR_PARAMETER)
        snprintf(friction, sizeof friction, ", curve %.4g, %.4g, %.4g, %.4g%s", b->curve[0],
                 b->curve[1], b->curve[2], b->curve[3],
                 taken_word(b, NT_BEARING_CURVE, " (assumed)"));
    if (used >= size)
        return true;
    law_words(b, laws, sizeof laws);
    snprintf(text + used, size - used,
             "; per turn of the inner ring: cage %.4f, balls pass the outer race %.4f, the inner "
             "race %.4f times, a ball turns %.4f times; traction: %s%s, slip %.4g m/s%s; %s",
             0.5 * (1 - gamma), 0.5 * b->n_balls * (1 - gamma), 0.5 * b->n_balls * (1 + gamma),
             0.5 * b->pitch_diameter / b->ball_diameter * (1 - gamma * gamma),
             nt_traction_laws[b->law], friction, b->slip, taken_word(b, NT_BEARING_SLIP, DEFAULT),
             laws);
    return true;
}

/* ---- bodies, and the whole ---------------------------------------------------------------------
 */

static void give(nt_body *body, double mass, const double inertia[3], const double place[3])
{
    body->given = NT_GIVEN_MASS | NT_GIVEN_INERTIA | NT_GIVEN_POSITION | NT_GIVEN_VELOCITY |
                  NT_GIVEN_ANGULAR_VELOCITY;
    body->mass = mass;
    body->inertia_count = 3;
    for (int k = 0; k < 3; k++)
        body->inertia[k] = inertia[k], body->position[k] = place[k];
}

/* Where they are and how they move is found when the rings are placed (bearing_start.c); near the
 * outer ring until then. */
nt_status nt_bearing_own_bodies(nt_run *run, const nt_element *element, bool validate,
                                nt_error *error)
{
    nt_bearing *b = nt_element_numbers(run, element);
    const double *place = run->bodies[b->rings[NT_OUTER]].position;
    nt_status status = fill_size(run, element, b, error);
    if (status == NT_OK && validate)
        status = check_geometry(run, element, error);
    if (status != NT_OK)
        return status;
    double D = b->ball_diameter, mass = NT_PI / 6 * D * D * D * b->material.density;
    double inertia[3] = {0.1 * mass * D * D, 0.1 * mass * D * D, 0.1 * mass * D * D};
    for (int i = 0; i < b->n_balls; i++)
        give(&run->bodies[b->first_ball + i], mass, inertia, place);
    if (b->has_cage)
        give(&run->bodies[b->cage], b->of_cage.mass, b->of_cage.inertia, place);
    return NT_OK;
}

nt_status nt_bearing_prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    nt_bearing *b = nt_element_numbers(run, element);
    nt_status status = NT_OK;
    for (int i = 0; i < 2 && status == NT_OK; i++)
        status = place_ring(run, element, i, validate, error);
    if (status != NT_OK)
        return status;
    nt_bearing_fill_races(b, b->settled_angle);
    fill_pockets(b);
    return validate ? check_laws(run, element, error) : NT_OK;
}
