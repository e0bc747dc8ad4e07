/* Drag and lift on a point of a body.
 *
 * With the velocity u of the air against the point, wind - p', the force at the point is
 *
 *   F = (rho A / 2) |u| (C_D u + C_L s x u),      s the span, a unit vector fixed in the body
 *
 * drag along u and lift across u and the span. The chord c is the body's axis that points ahead,
 * n = c x s is up; the angle of attack is that of the oncoming air from the chord in the plane of c
 * and n: attack = atan2(u . n, -u . c). Lift is along n where the attack is small.
 *
 *   residual   translation -F, rotation -(rho x F)
 *   dF = (rho A / 2) ((C_D u + C_L s x u) u^T / |u| + |u| (C_D I + C_L s~)) du
 *        - (rho A / 2) |u| C_L u~ ds + through functions
 *   du = d(wind) - (dv - rho~ dw - w~ rho~ dtheta),   ds = dtheta x s */
#include "model/elements.h"

#include "base/direction.h"
#include "model/bodies/mass_point.h"
#include "model/events/switches.h"
#include "model/forces/load.h"
#include "model/forces/looks.h"

typedef struct nt_aerodynamic {
    unsigned given;
    int part;
    int on;
    nt_place_of_point at;
    double area, density;
    nt_law drag, lift;
    const nt_expression *wind[3];
    double chord[3], span[3];

    v3 offset;                         /* of the point from the reference point, body axes */
    v3 c, s, n;                        /* chord, span, up; body axes                       */
    const nt_expression *functions[5]; /* wind where given, then drag and lift where functions */
    int n_functions, drag_at, lift_at; /* -1: a number */
    nt_coupling coupling;
} nt_aerodynamic;

enum { AIR_ON, AIR_AT, AIR_AREA, AIR_DENSITY, AIR_DRAG, AIR_LIFT, AIR_WIND, AIR_CHORD, AIR_SPAN };

static const nt_key air_keys[] = {
    {.name = "on",
     .type = NT_KEY_BODY,
     .offset = offsetof(nt_aerodynamic, on),
     .bit = AIR_ON,
     .required = true,
     .meaning = "the body in the air"},
    {.name = "at",
     .type = NT_KEY_POINT,
     .offset = offsetof(nt_aerodynamic, at),
     .bit = AIR_AT,
     .unit = "m",
     .meaning = "the point where drag and lift act: ground axes at the given placement, or a "
                "marker of the body; default the body's origin"},
    {.name = "area",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_aerodynamic, area),
     .bit = AIR_AREA,
     .required = true,
     .unit = "m^2",
     .meaning = "to which the coefficients refer"},
    {.name = "density",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_aerodynamic, density),
     .bit = AIR_DENSITY,
     .unit = "kg/m^3",
     .meaning = "of the air; default 1.225"},
    {.name = "drag",
     .type = NT_KEY_LAW,
     .offset = offsetof(nt_aerodynamic, drag),
     .bit = AIR_DRAG,
     .meaning = "coefficient of the force along the oncoming air, a number or an expression, such "
                "as table(polar, NAME.angle_of_attack, cd); default 0"},
    {.name = "lift",
     .type = NT_KEY_LAW,
     .offset = offsetof(nt_aerodynamic, lift),
     .bit = AIR_LIFT,
     .needs = "span",
     .meaning = "coefficient of the force across the oncoming air and the span; default 0"},
    {.name = "wind",
     .type = NT_KEY_FUNCTIONS,
     .offset = offsetof(nt_aerodynamic, wind),
     .bit = AIR_WIND,
     .high = 3,
     .unit = "m/s",
     .meaning = "velocity of the air, ground axes, three functions of t and parameters; default "
                "the air is at rest"},
    {.name = "chord",
     .type = NT_KEY_NUMBERS,
     .offset = offsetof(nt_aerodynamic, chord),
     .bit = AIR_CHORD,
     .low = 3,
     .high = 3,
     .relative = true,
     .meaning = "axis that points ahead, body axes, perpendicular to the span; default [1, 0, 0]"},
    {.name = "span",
     .type = NT_KEY_NUMBERS,
     .offset = offsetof(nt_aerodynamic, span),
     .bit = AIR_SPAN,
     .low = 3,
     .high = 3,
     .relative = true,
     .meaning =
         "axis to the left, body axes: lift is along chord x span where the attack is small; "
         "default [0, 1, 0]"},
    NT_KEY_PART(nt_aerodynamic, part, NT_BIT_PART, "explicit"),
    {.name = NULL},
};

/* ---- preparation ---------------------------------------------------------------------------- */

static nt_status air_find_axes(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_aerodynamic *air = nt_element_numbers(run, e);
    double c[3] = {1, 0, 0}, s[3] = {0, 1, 0};
    bool good = !(air->given >> AIR_CHORD & 1) || nt_direction(air->chord, 3, c);
    good = good && (!(air->given >> AIR_SPAN & 1) || nt_direction(air->span, 3, s));
    if (!good)
        return validate ? nt_load_refuse(run->model, e, error, "an axis has the length zero")
                        : NT_BAD_MODEL;
    air->c = v3_load(c), air->s = v3_load(s);
    air->n = v3_cross(air->c, air->s);
    if (validate && fabs(v3_dot(air->c, air->s)) > 1e-9)
        return nt_load_refuse(
            run->model, e, error,
            "its chord is not perpendicular to its span, expected two axes that are");
    return NT_OK;
}

static nt_status air_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_aerodynamic *air = nt_element_numbers(run, e);
    bool point = run->bodies[air->on].point, lifts = air->given >> AIR_LIFT & 1;
    if (validate && air->on == 0)
        return nt_load_refuse(run->model, e, error, "it acts on the ground, expected a body");
    if (validate && point && lifts)
        return nt_load_refuse(run->model, e, error, "%s is a point and has no span for lift",
                              run->bodies[air->on].name);
    if (validate && (air->area < 0 || ((air->given >> AIR_DENSITY & 1) && air->density < 0)))
        return nt_load_refuse(run->model, e, error, "its area or density is negative");
    nt_status status = air_find_axes(run, e, validate, error);
    if (status != NT_OK)
        return status;
    if (!(air->given >> AIR_DENSITY & 1))
        air->density = 1.225; /* at 15 degrees Celsius and the level of the sea */
    air->offset = v3_neg(run->bodies[air->on].reference);
    int first = nt_model_time_variable(run->model) + 1;
    for (int i = 0; validate && air->wind[0] && i < 3; i++)
        for (int k = 0; k < run->model->n_signals; k++)
            if (nt_expression_uses(air->wind[i], first + k) &&
                !nt_signal_is_of_time(run->model, &run->model->signals[k]))
                return nt_load_refuse(run->model, e, error,
                                      "its wind depends on the motion, expected functions of t and "
                                      "parameters");
    return air->given >> AIR_AT & 1
               ? nt_load_point(run, e, &air->at, air->on, validate, &air->offset, error)
               : NT_OK;
}

static nt_status air_declare(nt_model *model, nt_element *e)
{
    nt_aerodynamic *air = nt_element_numbers(model->origin, e);
    for (int i = 0; air->wind[0] && i < 3; i++)
        air->functions[air->n_functions++] = air->wind[i];
    air->drag_at = air->drag.function ? air->n_functions : -1;
    if (air->drag.function)
        air->functions[air->n_functions++] = air->drag.function;
    air->lift_at = air->lift.function ? air->n_functions : -1;
    if (air->lift.function)
        air->functions[air->n_functions++] = air->lift.function;
    nt_status status = nt_coupling_find(&air->coupling, model, e, air->functions, air->n_functions);
    if (status == NT_OK)
        status = nt_load_declare(model, e, NT_MOTION_OF_B, NT_MOTION_OF_B);
    return status == NT_OK ? nt_coupling_declare(&air->coupling, model, e, NT_MOTION_OF_B) : status;
}

static void air_input(void *data, const nt_expression *from, const nt_expression *to)
{
    nt_aerodynamic *air = data;
    for (int i = 0; i < air->n_functions; i++)
        if (air->functions[i] == from)
            air->functions[i] = to;
}

/* ---- the force ------------------------------------------------------------------------------ */

typedef struct air_state {
    nt_spot spot;
    v3 u, s, F;
    double speed, C_D, C_L, half; /* half: rho A / 2 */
} air_state;

static nt_status air_look(const nt_element *e, const nt_view *view, air_state *out)
{
    const nt_aerodynamic *air = nt_element_data(view->run, e);
    const nt_motion *motion = &view->motion[e->b];
    double value[5] = {0};
    nt_status status = NT_OK;
    if (air->n_functions > 0)
        status =
            nt_coupling_evaluate(&air->coupling, view, air->functions, air->n_functions, value);
    if (status != NT_OK)
        return status;
    out->C_D = air->drag_at >= 0 ? value[air->drag_at] : air->drag.value;
    out->C_L = air->lift_at >= 0 ? value[air->lift_at] : air->lift.value;
    out->half = 0.5 * air->density * air->area;
    out->spot = nt_spot_of(motion, air->offset);
    out->s = m3_apply(motion->R, air->s);
    out->u = v3_sub(air->wind[0] ? v3_load(value) : v3_of(0, 0, 0), out->spot.pdot);
    out->speed = v3_norm(out->u);
    v3 along = v3_axpy(out->C_D, out->u, v3_scale(out->C_L, v3_cross(out->s, out->u)));
    out->F = v3_scale(out->half * out->speed, along);
    return isfinite(out->F.x + out->F.y + out->F.z) ? NT_OK : NT_NOT_FINITE;
}

static void air_add_tangent(const nt_element *e, const nt_view *view, const air_state *at)
{
    const nt_aerodynamic *air = nt_element_data(view->run, e);
    const nt_motion *motion = &view->motion[e->b];
    const nt_coupling *coupling = &air->coupling;
    double h = at->half;
    v3 along = v3_axpy(at->C_D, at->u, v3_scale(at->C_L, v3_cross(at->s, at->u)));
    v3 unit = at->speed > 0 ? v3_scale(1 / at->speed, at->u) : v3_of(0, 0, 0);
    m3 by_u = m3_add(m3_dyad(along, unit),
                     m3_scale(at->speed, m3_add(m3_scale(at->C_D, m3_identity()),
                                                m3_scale(at->C_L, m3_skew(at->s)))));
    by_u = m3_scale(h, by_u);
    m3 rho = m3_skew(at->spot.rho);
    nt_pair_derivative force = {0}, moment = {0}; /* of the residual: -dF, -d(rho x F) */
    /* -dF = by_u (dv - rho~ dw - w~ rho~ dtheta) + h |u| C_L u~ ds, ds = -s~ dtheta */
    force.v[NT_T_B] = by_u;
    force.v[NT_R_B] = m3_scale(-1, m3_multiply(by_u, rho));
    force.q[NT_R_B] = m3_scale(-1, m3_multiply(by_u, m3_skew_multiply(motion->w, rho)));
    force.q[NT_R_B] =
        m3_sub(force.q[NT_R_B], m3_scale(h * at->speed * at->C_L, m3_skew_skew(at->u, at->s)));
    nt_pair_accumulate(&moment, rho, &force);
    moment.q[NT_R_B] = m3_sub(moment.q[NT_R_B], m3_skew_skew(at->F, at->spot.rho));
    nt_pair_add(e, view, NT_T_B, &force);
    nt_pair_add(e, view, NT_R_B, &moment);
    for (int k = 0; k < coupling->n; k++) {
        const double *slope = view->scratch + k;
        v3 F_s = v3_of(0, 0, 0);
        if (air->wind[0])
            F_s = m3_apply(by_u, nt_coupling_slope(coupling, view, k));
        if (air->drag_at >= 0)
            F_s = v3_axpy(slope[air->drag_at * coupling->n] * h * at->speed, at->u, F_s);
        if (air->lift_at >= 0)
            F_s = v3_axpy(slope[air->lift_at * coupling->n] * h * at->speed, v3_cross(at->s, at->u),
                          F_s);
        v3 direction[NT_PAIR_NODES] = {
            [NT_T_B] = v3_neg(F_s), [NT_R_B] = v3_cross(F_s, at->spot.rho)};
        nt_coupling_add(coupling, view, k, direction);
    }
}

static nt_status air_evaluate(const nt_element *e, const nt_view *view)
{
    air_state at;
    if (!view->energy && !(view->terms->parts & e->part))
        return NT_OK;
    nt_status status = air_look(e, view, &at);
    if (status != NT_OK)
        return status;
    if (view->energy) {
        view->energy->power += v3_dot(at.F, at.spot.pdot);
        return NT_OK;
    }
    if (view->terms->residual) {
        nt_view_force(view, NT_T_B, v3_neg(at.F));
        nt_view_force(view, NT_R_B, v3_cross(at.F, at.spot.rho));
    }
    if (view->terms->matrix)
        air_add_tangent(e, view, &at);
    return NT_OK;
}

static bool air_depends_on_rates(const nt_run *run, const nt_element *e)
{
    (void)run, (void)e;
    return true;
}

/* In air at rest drag takes energy and lift does no work. */
static bool air_gives_energy(const nt_model *model, const nt_element *e)
{
    const nt_aerodynamic *air = nt_model_data(model, e);
    return air->n_functions > 0 || air->drag.value < 0;
}

/* ---- records -------------------------------------------------------------------------------- */

static void air_reaction(const nt_element *e, const nt_view *view, v3 *force, v3 *torque)
{
    static const nt_terms none = {.parts = 0};
    nt_view alone = *view;
    air_state at;
    alone.terms = &none, alone.energy = NULL;
    *torque = v3_of(0, 0, 0);
    *force = air_look(e, &alone, &at) == NT_OK ? at.F : v3_of(NAN, NAN, NAN);
}

static void air_draw(const nt_run *run, const nt_element *e, nt_sketch_put *put, void *to)
{
    const nt_aerodynamic *air = nt_element_data(run, e);
    nt_sketch sketch = {.drawing = NT_DRAW_FORCE};
    nt_sketch_add(&sketch, e->b, air->offset, v3_of(0, 0, 0));
    put(to, &sketch);
}

static void air_arrow(const nt_element *e, const nt_view *view, v3 *point, v3 *force)
{
    const nt_aerodynamic *air = nt_element_data(view->run, e);
    v3 torque;
    *point = nt_spot_of(&view->motion[e->b], air->offset).p;
    air_reaction(e, view, force, &torque);
}

static v3 air_against(const nt_element *e, const nt_view *view)
{
    const nt_aerodynamic *air = nt_element_data(view->run, e);
    nt_spot spot = nt_spot_of(&view->motion[e->b], air->offset);
    double wind[3] = {0};
    for (int i = 0; air->wind[0] && i < 3; i++)
        wind[i] = nt_expression_value(air->wind[i], view->variables);
    return v3_sub(v3_load(wind), spot.pdot);
}

/* du = -dv + rho~ dw + w~ rho~ dtheta; the element has the ground for A. Adds by_u . du. */
static void vary_air(const nt_motion *m, v3 rho, v3 by_u, nt_signal_gradient *g)
{
    g->v[1] = v3_sub(g->v[1], by_u);
    g->w[1] = v3_add(g->w[1], v3_cross(by_u, rho));
    g->r[1] = v3_add(g->r[1], v3_cross(v3_cross(by_u, m->w), rho));
}

/* d|u| = du . u / |u|; the wind counts as given. */
double nt_aerodynamic_airspeed(const nt_element *e, const nt_view *view, nt_signal_gradient *g)
{
    const nt_aerodynamic *air = nt_element_data(view->run, e);
    const nt_motion *m = &view->motion[e->b];
    v3 u = air_against(e, view);
    double speed = v3_norm(u);
    if (g && speed > 0)
        vary_air(m, nt_spot_of(m, air->offset).rho, v3_scale(1 / speed, u), g);
    return speed;
}

/* attack = atan2(y, x) with y = u . n, x = -u . c: d attack = (x dy - y dx)/(x^2 + y^2). The wind
 * counts as given. */
double nt_aerodynamic_attack(const nt_element *e, const nt_view *view, nt_signal_gradient *g)
{
    const nt_aerodynamic *air = nt_element_data(view->run, e);
    const nt_motion *m = &view->motion[e->b];
    nt_spot spot = nt_spot_of(m, air->offset);
    v3 u = air_against(e, view), c = m3_apply(m->R, air->c), n = m3_apply(m->R, air->n);
    double x = -v3_dot(u, c), y = v3_dot(u, n), D = x * x + y * y;
    if (!g)
        return D > 0 ? atan2(y, x) : 0;
    v3 by_u = D > 0 ? v3_scale(1 / D, v3_axpy(x, n, v3_scale(y, c))) : v3_of(0, 0, 0);
    v3 by_n = D > 0 ? v3_scale(x / D, u) : v3_of(0, 0, 0);
    v3 by_c = D > 0 ? v3_scale(y / D, u) : v3_of(0, 0, 0);
    vary_air(m, spot.rho, by_u, g);
    g->r[1] = v3_add(g->r[1], v3_add(v3_cross(n, by_n), v3_cross(c, by_c)));
    return atan2(y, x);
}

const nt_element_type nt_force_aerodynamic = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "aerodynamic",
    .summary = "drag and lift on a point of a body",
    .keys = air_keys,
    .size = sizeof(nt_aerodynamic),
    .part = NT_EXPLICIT,
    .prepare = air_prepare,
    .declare = air_declare,
    .input = air_input,
    .evaluate = air_evaluate,
    .depends_on_rates = air_depends_on_rates,
    .only_takes = true,
    .gives_energy = air_gives_energy,
    .reaction = air_reaction,
    .draw = air_draw,
    .arrow = air_arrow,
    .along = NT_ALONG_AIR,
    .is_load = true,
};
