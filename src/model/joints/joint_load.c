/* Friction and limits of a joint: a force s along its free coordinate x (angle or displacement).
 *
 * Friction opposes the rate. Near rest the dry part turns over smoothly within the slip rate, so a
 * joint that should stick creeps at a small fraction of it:
 *
 *   s = -(dry x' / sqrt(x'^2 + slip^2) + viscous x')
 *
 * or, where it is set-valued, s = -(dry u + viscous x') with u = sign(x') while it slips and, while
 * it sticks, |u| <= 1 such that x' = 0: the sliding mode (sliding.h) of a switch sign(x') of the
 * joint's own.
 *
 * A limit with stiffness is a stop (stop.h); rigid ones are events (events/limits.h). */
#include "base/error.h"
#include "model/events/switches.h"
#include "model/expressions/expression_code.h"
#include "model/forces/load.h"
#include "model/forces/stop.h"
#include "model/joints/joint.h"
#include "model/quantities/signal.h"

#include <stdio.h>

/* rad/s or m/s, where the model gives none. */
static const double DEFAULT_SLIP = 1e-3;

/* A force along a coordinate x. */
typedef struct axis_law {
    double s, s_value, s_rate; /* ds/dx, ds/dx'  */
    double potential, power;   /* J, W           */
} axis_law;

/* side: u of friction that is set-valued */
static void add_friction(axis_law *law, const nt_joint *joint, double rate, double side)
{
    if (nt_joint_sticks(joint)) {
        double f = -(joint->friction.dry * side + joint->friction.viscous * rate);
        law->s += f;
        law->s_rate -= joint->friction.viscous;
        law->power += f * rate;
        return;
    }
    double slip = joint->given & NT_GIVEN_SLIP ? joint->friction.slip : DEFAULT_SLIP;
    double dry = joint->friction.dry, viscous = joint->friction.viscous;
    double root = hypot(rate, slip), share = slip / root;
    double s = -(dry * rate / root + viscous * rate);

    law->s += s;
    law->s_rate -= dry * share * share / root + viscous;
    law->power += s * rate;
}

/* side +1: x stays below `limit`; -1: above. g = side (x - limit), see stop.h; onset: its number.
 */
static void add_stop(axis_law *law, const nt_run *run, const nt_element *e, int onset, double side,
                     double limit, const nt_coordinate *x)
{
    const nt_joint *joint = nt_joint_of(run, e);
    double k = joint->limits.stiffness, c = joint->limits.damping;
    double g = side * (x->value - limit), g_rate = side * x->rate;
    nt_stop stop = nt_stop_of(k * g, c * g_rate, nt_onset_acts(run, e, onset, g));

    law->s -= side * stop.f;
    law->s_value -= k * stop.by_elastic;
    law->s_rate -= c * stop.by_viscous;
    law->potential += g > 0 ? 0.5 * k * g * g : 0;
    law->power -= stop.damping * g_rate;
}

/* Which free coordinate friction and limits belong to: of a cylindrical joint the displacement. */
static bool translates(const nt_joint *joint) { return joint->slides; }

/* Which of NT_GIVEN_FRICTION, NT_GIVEN_LIMITS the joint has in these parts of f, while it holds. */
static unsigned loads_in(const nt_joint *joint, const nt_view *view, unsigned parts)
{
    unsigned given = joint->given, loads = 0;
    if ((!joint->rotates && !joint->slides) ||
        !nt_joint_holds(view->model, joint, view->at->memory))
        return 0;
    if (parts & nt_part_of(given & NT_GIVEN_FRICTION_PART, joint->friction.part, NT_IMPLICIT))
        loads |= given & NT_GIVEN_FRICTION;
    if (parts & nt_part_of(given & NT_GIVEN_LIMIT_PART, joint->limits.part, NT_IMPLICIT))
        loads |= given & NT_GIVEN_LIMIT_STIFFNESS ? given & NT_GIVEN_LIMITS : 0;
    return loads;
}

static axis_law joint_load_law_of(const nt_run *run, const nt_element *e, unsigned loads,
                                  const nt_coordinate *x, double side)
{
    const nt_joint *joint = nt_joint_of(run, e);
    axis_law law = {0};
    int upper = joint->given & NT_GIVEN_LOWER ? 1 : 0;
    if (loads & NT_GIVEN_FRICTION)
        add_friction(&law, joint, x->rate, side);
    if ((loads & NT_GIVEN_LIMITS) && (joint->given & NT_GIVEN_UPPER))
        add_stop(&law, run, e, upper, 1, joint->limits.upper, x);
    if ((loads & NT_GIVEN_LIMITS) && (joint->given & NT_GIVEN_LOWER))
        add_stop(&law, run, e, 0, -1, joint->limits.lower, x);
    return law;
}

int nt_joint_onsets(const nt_run *run, const nt_element *element, const nt_view *view,
                    double *beyond)
{
    const nt_joint *joint = nt_joint_of(run, element);
    const unsigned springs = NT_GIVEN_LIMITS | NT_GIVEN_LIMIT_STIFFNESS;
    bool lower = joint->given & NT_GIVEN_LOWER, upper = joint->given & NT_GIVEN_UPPER;
    int n = (joint->given & springs) == springs ? lower + upper : 0;
    if (!beyond || n == 0)
        return n;
    double x = (double)NAN;
    if (loads_in(joint, view, NT_ALL_PARTS) & NT_GIVEN_LIMITS)
        x = nt_joint_coordinate(element, view, translates(joint)).value;
    if (lower)
        beyond[0] = joint->limits.lower - x;
    if (upper)
        beyond[lower] = x - joint->limits.upper;
    return n;
}

static nt_status side_of(const nt_joint *joint, const nt_view *view, double *side)
{
    return nt_joint_sticks(joint) ? nt_coupling_evaluate(&joint->sides, view, &joint->side, 1, side)
                                  : NT_OK;
}

/* The residual holds -s along the direction, and ds/du = -dry. */
static void add_side_tangent(const nt_element *element, const nt_view *view, const nt_joint *joint)
{
    v3 direction[NT_PAIR_NODES];
    nt_axis_load_direction(element, view, translates(joint), direction);
    for (int i = 0; i < NT_PAIR_NODES; i++)
        direction[i] = v3_scale(joint->friction.dry, direction[i]);
    nt_coupling_add(&joint->sides, view, 0, direction);
}

nt_status nt_joint_load_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    unsigned loads = loads_in(joint, view, view->energy ? NT_ALL_PARTS : view->terms->parts);
    if (!loads)
        return NT_OK;
    nt_coordinate x = nt_joint_coordinate(element, view, translates(joint));
    double side = 0;
    nt_status status = side_of(joint, view, &side);
    if (status != NT_OK)
        return status;
    axis_law law = joint_load_law_of(view->run, element, loads, &x, side);
    if (!isfinite(law.s))
        return NT_NOT_FINITE;
    if (view->energy) {
        view->energy->potential += law.potential;
        view->energy->power += law.power;
        return NT_OK;
    }
    double k = law.s_value, c = law.s_rate;
    nt_axis_load load = {
        .translation = translates(joint),
        .s = law.s,
        .s_xa = v3_axpy(k, x.xa, v3_scale(c, x.rate_xa)),
        .s_ra = v3_axpy(k, x.ra, v3_scale(c, x.rate_ra)),
        .s_xb = v3_axpy(k, x.xb, v3_scale(c, x.rate_xb)),
        .s_rb = v3_axpy(k, x.rb, v3_scale(c, x.rate_rb)),
        .s_va = v3_scale(c, x.xa),
        .s_wa = v3_scale(c, x.ra),
        .s_vb = v3_scale(c, x.xb),
        .s_wb = v3_scale(c, x.rb),
    };
    nt_axis_load_add(element, view, &load);
    if (view->terms->matrix && nt_joint_sticks(joint) && (loads & NT_GIVEN_FRICTION))
        add_side_tangent(element, view, joint);
    return NT_OK;
}

void nt_joint_load_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    unsigned loads = loads_in(joint, view, NT_ALL_PARTS);
    if (!loads)
        return;
    nt_coordinate x = nt_joint_coordinate(element, view, translates(joint));
    v3 axis = m3_apply(view->motion[element->a].R, joint->e[2]);
    v3 *part = translates(joint) ? force : torque;
    double side = nt_joint_sticks(joint) ? nt_expression_value(joint->side, view->variables) : 0;
    *part = v3_axpy(joint_load_law_of(view->run, element, loads, &x, side).s, axis, *part);
}

nt_status nt_joint_load_check(const nt_run *run, const nt_element *element, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_joint *joint = nt_joint_of(run, element);
    if (joint->given & NT_GIVEN_FRICTION) {
        if (joint->friction.dry < 0 || joint->friction.viscous < 0)
            return nt_load_refuse(model, element, error, "friction is negative");
        if ((joint->given & NT_GIVEN_SLIP) && nt_joint_sticks(joint))
            return nt_load_refuse(model, element, error,
                                  "slip says nothing of friction that is set-valued");
        if ((joint->given & NT_GIVEN_SLIP) && !(joint->friction.slip > 0))
            return nt_load_refuse(model, element, error, "slip is %g, expected a positive rate",
                                  joint->friction.slip);
    }
    if (joint->given & NT_GIVEN_LIMITS) {
        unsigned both = NT_GIVEN_LOWER | NT_GIVEN_UPPER;
        bool rigid = !(joint->given & NT_GIVEN_LIMIT_STIFFNESS);
        if (!rigid && !(joint->limits.stiffness > 0))
            return nt_load_refuse(model, element, error,
                                  "limits have the stiffness %g, expected a positive number",
                                  joint->limits.stiffness);
        if (!rigid && (joint->given & NT_GIVEN_LIMIT_RESTITUTION))
            return nt_load_refuse(model, element, error,
                                  "limits have a stiffness and a restitution, expected one of "
                                  "them: springs lose energy by `damping`");
        if (rigid && (joint->given & NT_GIVEN_LIMIT_PART))
            return nt_load_refuse(model, element, error,
                                  "limits have a part but no stiffness: the reactions of rigid "
                                  "ones are neither explicit nor implicit");
        if (rigid && (joint->enforce == 1 || joint->motion))
            return nt_load_refuse(model, element, error,
                                  "limits without stiffness are rigid: expected a joint that is "
                                  "enforced by multipliers and has no motion, or a stiffness");
        if (!(joint->limits.restitution >= 0 && joint->limits.restitution <= 1))
            return nt_load_refuse(model, element, error,
                                  "limits have the restitution %g, expected one from 0 to 1",
                                  joint->limits.restitution);
        if (joint->limits.rest_speed < 0)
            return nt_load_refuse(model, element, error, "limits have the negative rest_speed %g",
                                  joint->limits.rest_speed);
        if (joint->limits.damping < 0)
            return nt_load_refuse(model, element, error, "limits have the negative damping %g",
                                  joint->limits.damping);
        if (!(joint->given & both))
            return nt_load_refuse(model, element, error, "limits need lower, upper or both");
        if ((joint->given & both) == both && !(joint->limits.lower < joint->limits.upper))
            return nt_load_refuse(model, element, error, "lower limit %g is not below upper %g",
                                  joint->limits.lower, joint->limits.upper);
    }
    return NT_OK;
}

/* ---- joints that stick ---------------------------------------------------------------------- */

static int variable_of(void *context, const char *name, int length)
{
    (void)name, (void)length;
    return *(const int *)context;
}

/* The expression that is a variable. */
static nt_status take_variable(nt_model *model, int variable, const nt_expression **out)
{
    nt_symbols symbols = {.context = &variable, .resolve = variable_of};
    nt_error error = {0};
    return nt_expression_parse("x", 1, &symbols, &model->arena, out, &error);
}

nt_status nt_joints_add_switches(nt_model *model)
{
    int first = nt_model_time_variable(model) + 1;
    for (int i = 0; i < model->n_joints; i++) {
        const nt_element *e = &model->elements[i];
        char name[200];
        nt_joint *joint = nt_element_numbers(model->origin, e);
        if (!nt_element_as_joint(model->origin, e) || !nt_joint_sticks(joint))
            continue;
        bool slides = e->type->slides, both = slides && e->type->rotates;
        int length =
            snprintf(name, sizeof name, "%s.%s", e->name, both ? "displacement_rate" : "rate");
        int signal = length < (int)sizeof name ? nt_model_signal(model, name, length) : -2;
        const nt_expression *rate;
        if (signal < 0 || take_variable(model, first + signal, &rate) != NT_OK)
            return NT_NO_MEMORY;
        int side = nt_model_switch(model, NT_OP_SIGN, rate, NULL, e->name, e->place);
        if (side < 0 || take_variable(model, side, &joint->side) != NT_OK)
            return NT_NO_MEMORY;
        model->switches[model->n_switches - 1].joint = i;
    }
    return NT_OK;
}

bool nt_joint_is_rough(const nt_run *run, int joint)
{
    return nt_joint_of(run, &run->model->elements[joint])->friction.dry > 0;
}

bool nt_joint_depends_on_rates(const nt_run *run, const nt_element *e)
{
    const nt_joint *joint = nt_joint_of(run, e);
    return (joint->enforce == 1 && joint->damping != 0) || (joint->given & NT_GIVEN_FRICTION) ||
           ((joint->given & NT_GIVEN_LIMITS) && joint->limits.damping != 0);
}
