/* The keys of joints in the model file. One definition each; a type takes those that it has. */
#include "model/joints/joint_keys.h"

const char *const nt_joint_enforcements[] = {"multiplier", "penalty", NULL};
const char *const nt_impact_laws[] = {[NT_NEWTON] = "Newton", [NT_POISSON] = "Poisson", NULL};

const nt_key nt_joint_friction_keys[] = {
    NT_KEY("dry", NT_KEY_NUMBER, NT_JOINT_FIELD(friction.dry), .bit = 12, .unit = "N m, N",
           .meaning = "moment or force that opposes the rate, whatever its size: "
                      "dry * rate / sqrt(rate^2 + slip^2)"),
    NT_KEY("viscous", NT_KEY_NUMBER, NT_JOINT_FIELD(friction.viscous), .bit = 13,
           .unit = "N m s/rad, N s/m", .meaning = "moment or force per rate"),
    NT_KEY("slip", NT_KEY_NUMBER, NT_JOINT_FIELD(friction.slip), .bit = 14, .needs = "dry",
           .unit = "rad/s, m/s",
           .meaning = "rate below which dry friction turns over smoothly; default 1e-3"),
    NT_KEY("law", NT_KEY_CHOICE, NT_JOINT_FIELD(friction.law), .bit = 26,
           .choices = nt_friction_laws, .needs = "dry",
           .meaning = "`set-valued`: the joint sticks until the moment or force that holds it "
                      "passes `dry`, and slips then with `dry` against the rate; default "
                      "`regularised`"),
    NT_KEY_PART(nt_joint, friction.part, 29, "implicit"),
    {.name = NULL},
};

const nt_key nt_joint_limit_keys[] = {
    NT_KEY("lower", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.lower), .bit = 15, .unit = "rad, m",
           .meaning = "smallest value of the free coordinate"),
    NT_KEY("upper", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.upper), .bit = 16, .unit = "rad, m",
           .meaning = "largest value of the free coordinate"),
    NT_KEY("stiffness", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.stiffness), .bit = 17,
           .required = true, .unit = "N m/rad, N/m", .meaning = "of the spring beyond a stop"),
    NT_KEY("damping", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.damping), .bit = 18,
           .unit = "N m s/rad, N s/m",
           .meaning =
               "of the stop, whose force at penetration g is a (1 + b / sqrt(a^2 + b^2)) with "
               "a = stiffness * g, b = damping * rate of g; it never pulls"),
    NT_KEY_PART(nt_joint, limits.part, 30, "implicit"),
    {.name = NULL},
};

const nt_key nt_joint_point_keys[] = {
    NT_JOINT_KEY_BETWEEN,   NT_JOINT_KEY_AT,      NT_JOINT_KEY_POINTS,  NT_JOINT_KEY_ENFORCE,
    NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING, NT_JOINT_KEYS_COMMON, {.name = NULL},
};

const nt_key nt_joint_axis_keys[] = {
    NT_JOINT_KEY_BETWEEN, NT_JOINT_KEY_AT,      NT_JOINT_KEY_POINTS,    NT_JOINT_KEY_AXIS,
    NT_JOINT_KEY_AXES,    NT_JOINT_KEY_ENFORCE, NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING,
    NT_JOINT_KEYS_COMMON, {.name = NULL},
};

const nt_key nt_joint_two_axes_keys[] = {
    NT_JOINT_KEY_BETWEEN, NT_JOINT_KEY_AT,      NT_JOINT_KEY_POINTS,
    NT_JOINT_KEY_AXES,    NT_JOINT_KEY_ENFORCE, NT_JOINT_KEY_STIFFNESS,
    NT_JOINT_KEY_DAMPING, NT_JOINT_KEYS_COMMON, {.name = NULL},
};

const nt_key nt_joint_free_keys[] = {
    NT_JOINT_FREE_KEYS,
    {.name = NULL},
};

const nt_key nt_joint_moving_keys[] = {
    NT_JOINT_KEY_BETWEEN, NT_JOINT_KEY_AT,        NT_JOINT_KEY_POINTS,   NT_JOINT_KEY_AXIS,
    NT_JOINT_KEY_AXES,    NT_JOINT_KEY_MOTION,    NT_JOINT_KEY_FRICTION, NT_JOINT_KEY_LIMITS,
    NT_JOINT_KEY_ENFORCE, NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING,  NT_JOINT_KEYS_COMMON,
    {.name = NULL},
};

const nt_key nt_joint_distance_keys[] = {
    NT_JOINT_KEY_BETWEEN,   NT_JOINT_KEY_POINTS,  NT_JOINT_KEY_LENGTH,  NT_JOINT_KEY_ENFORCE,
    NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING, NT_JOINT_KEYS_COMMON, {.name = NULL},
};
