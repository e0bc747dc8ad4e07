/* Friction and limits of a joint: a force s along its free coordinate x (angle or displacement).
 *
 * Friction opposes the rate. Near rest the dry part turns over smoothly within the slip rate, so a
 * joint that should stick creeps at a small fraction of it:
 *
 *   s = -(dry x' / sqrt(x'^2 + slip^2) + viscous x')
 *
 * A limit is a stop (stop.h). */
#include "base/error.h"
#include "model/forces/load.h"
#include "model/forces/stop.h"
#include "model/joints/joint.h"

/* rad/s or m/s, where the model gives none. */
static const double DEFAULT_SLIP = 1e-3;

/* A force along a coordinate x. */
typedef struct axis_law {
    double s, s_value, s_rate; /* ds/dx, ds/dx'  */
    double potential, power;   /* J, W           */
} axis_law;

static void add_friction(axis_law *law, const nt_joint *joint, double rate)
{
    double slip = joint->given & NT_GIVEN_SLIP ? joint->friction.slip : DEFAULT_SLIP;
    double dry = joint->friction.dry, viscous = joint->friction.viscous;
    double root = hypot(rate, slip), share = slip / root;
    double s = -(dry * rate / root + viscous * rate);

    law->s += s;
    law->s_rate -= dry * share * share / root + viscous;
    law->power += s * rate;
}

/* side +1: x stays below `limit`; -1: above. g = side (x - limit), see stop.h. */
static void add_stop(axis_law *law, const nt_joint *joint, double side, double limit, double value,
                     double rate)
{
    double k = joint->limits.stiffness, c = joint->limits.damping;
    double g = side * (value - limit), g_rate = side * rate;
    nt_stop stop = nt_stop_of(k * g, c * g_rate);

    law->s -= side * stop.f;
    law->s_value -= k * stop.by_elastic;
    law->s_rate -= c * stop.by_viscous;
    law->potential += g > 0 ? 0.5 * k * g * g : 0;
    law->power -= stop.damping * g_rate;
}

/* Which free coordinate friction and limits belong to: of a cylindrical joint the displacement. */
static bool translates(const nt_joint *joint) { return joint->slides; }

/* Which of NT_GIVEN_FRICTION, NT_GIVEN_LIMITS the joint has in these parts of f. */
static unsigned loads_in(const nt_joint *joint, unsigned parts)
{
    unsigned given = joint->given, loads = 0;
    if (!joint->rotates && !joint->slides)
        return 0;
    if (parts & nt_part_of(given & NT_GIVEN_FRICTION_PART, joint->friction.part, NT_IMPLICIT))
        loads |= given & NT_GIVEN_FRICTION;
    if (parts & nt_part_of(given & NT_GIVEN_LIMIT_PART, joint->limits.part, NT_IMPLICIT))
        loads |= given & NT_GIVEN_LIMITS;
    return loads;
}

static axis_law joint_load_law_of(const nt_joint *joint, unsigned loads, const nt_coordinate *x)
{
    axis_law law = {0};
    if (loads & NT_GIVEN_FRICTION)
        add_friction(&law, joint, x->rate);
    if ((loads & NT_GIVEN_LIMITS) && (joint->given & NT_GIVEN_UPPER))
        add_stop(&law, joint, 1, joint->limits.upper, x->value, x->rate);
    if ((loads & NT_GIVEN_LIMITS) && (joint->given & NT_GIVEN_LOWER))
        add_stop(&law, joint, -1, joint->limits.lower, x->value, x->rate);
    return law;
}

nt_status nt_joint_load_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    unsigned loads = loads_in(joint, view->energy ? NT_ALL_PARTS : view->terms->parts);
    if (!loads)
        return NT_OK;
    nt_coordinate x = nt_joint_coordinate(element, view, translates(joint));
    axis_law law = joint_load_law_of(joint, loads, &x);
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
    return NT_OK;
}

void nt_joint_load_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    unsigned loads = loads_in(joint, NT_ALL_PARTS);
    if (!loads)
        return;
    nt_coordinate x = nt_joint_coordinate(element, view, translates(joint));
    v3 axis = m3_apply(view->motion[element->a].R, joint->e[2]);
    v3 *part = translates(joint) ? force : torque;
    *part = v3_axpy(joint_load_law_of(joint, loads, &x).s, axis, *part);
}

nt_status nt_joint_load_check(const nt_run *run, const nt_element *element, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_joint *joint = nt_joint_of(run, element);
    if (joint->given & NT_GIVEN_FRICTION) {
        if (joint->friction.dry < 0 || joint->friction.viscous < 0)
            return nt_load_refuse(model, element, error, "friction is negative");
        if ((joint->given & NT_GIVEN_SLIP) && !(joint->friction.slip > 0))
            return nt_load_refuse(model, element, error, "slip is %g, expected a positive rate",
                                  joint->friction.slip);
    }
    if (joint->given & NT_GIVEN_LIMITS) {
        unsigned both = NT_GIVEN_LOWER | NT_GIVEN_UPPER;
        if (!(joint->limits.stiffness > 0))
            return nt_load_refuse(model, element, error,
                                  "limits have the stiffness %g, expected a positive number",
                                  joint->limits.stiffness);
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
