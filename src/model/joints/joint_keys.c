/* The keys of joints in the model file. One definition each; a type takes those that it has. */
#include "model/joints/joint.h"

#include <stddef.h>

static const char *const enforcements[] = {"multiplier", "penalty", NULL};

#define AT(field) .offset = offsetof(nt_joint, field)

static const nt_key friction_keys[] = {
    {.name = "dry",
     .type = NT_KEY_NUMBER,
     AT(friction.dry),
     .bit = 12,
     .unit = "N m, N",
     .meaning = "moment or force that opposes the rate, whatever its size: "
                "dry * rate / sqrt(rate^2 + slip^2)"},
    {.name = "viscous",
     .type = NT_KEY_NUMBER,
     AT(friction.viscous),
     .bit = 13,
     .unit = "N m s/rad, N s/m",
     .meaning = "moment or force per rate"},
    {.name = "slip",
     .type = NT_KEY_NUMBER,
     AT(friction.slip),
     .bit = 14,
     .needs = "dry",
     .unit = "rad/s, m/s",
     .meaning = "rate below which dry friction turns over smoothly; default 1e-3"},
    NT_KEY_PART(nt_joint, friction.part, 29, "implicit"),
    {.name = NULL},
};

static const nt_key limit_keys[] = {
    {.name = "lower",
     .type = NT_KEY_NUMBER,
     AT(limits.lower),
     .bit = 15,
     .unit = "rad, m",
     .meaning = "smallest value of the free coordinate"},
    {.name = "upper",
     .type = NT_KEY_NUMBER,
     AT(limits.upper),
     .bit = 16,
     .unit = "rad, m",
     .meaning = "largest value of the free coordinate"},
    {.name = "stiffness",
     .type = NT_KEY_NUMBER,
     AT(limits.stiffness),
     .bit = 17,
     .required = true,
     .unit = "N m/rad, N/m",
     .meaning = "of the spring beyond a stop"},
    {.name = "damping",
     .type = NT_KEY_NUMBER,
     AT(limits.damping),
     .bit = 18,
     .unit = "N m s/rad, N s/m",
     .meaning = "of the stop, whose force at penetration g is a (1 + b / sqrt(a^2 + b^2)) with "
                "a = stiffness * g, b = damping * rate of g; it never pulls"},
    NT_KEY_PART(nt_joint, limits.part, 30, "implicit"),
    {.name = NULL},
};

#define KEY_BETWEEN                                                                                \
    {                                                                                              \
        .name = "between", .type = NT_KEY_BODIES, AT(between), .bit = 0, .required = true,         \
        .meaning = "bodies [A, B]; motion, forces and angles are of B relative to A"               \
    }
#define KEY_AT                                                                                     \
    {                                                                                              \
        .name = "at", .type = NT_KEY_POINT, AT(at), .bit = 1, .unit = "m",                         \
        .meaning = "the joint's point: ground axes at the given placement, or a marker"            \
    }
#define KEY_POINTS                                                                                 \
    {                                                                                              \
        .name = "points", .type = NT_KEY_POINTS, AT(points), .bit = 4, .unit = "m",                \
        .meaning = "instead of `at`: the point of A and the point of B, each in its body's own "   \
                   "axes from "                                                                    \
                   "its origin, or markers"                                                        \
    }
#define KEY_AXIS                                                                                   \
    {                                                                                              \
        .name = "axis", .type = NT_KEY_NUMBERS, AT(axis), .bit = 2, .low = 3, .high = 3,           \
        .relative = true,                                                                          \
        .meaning = "the joint's axis, ground axes at the given placement; of any length but zero"  \
    }
#define KEY_AXES                                                                                   \
    {                                                                                              \
        .name = "axes", .type = NT_KEY_AXES, AT(axes), .bit = 3, .relative = true,                 \
        .meaning = "two axes, of A and of B: ground axes with `at`, each body's own with `points`" \
    }
#define KEY_ENFORCE                                                                                \
    {                                                                                              \
        .name = "enforce", .type = NT_KEY_CHOICE, AT(enforce), .bit = 5, .choices = enforcements,  \
        .meaning = "exactly, by multipliers (default), or by stiff springs"                        \
    }
#define KEY_STIFFNESS                                                                              \
    {                                                                                              \
        .name = "stiffness", .type = NT_KEY_NUMBER, AT(stiffness), .bit = 6,                       \
        .unit = "N/m, N m/rad", .meaning = "of the penalty, for every equation of the joint"       \
    }
#define KEY_DAMPING                                                                                \
    {                                                                                              \
        .name = "damping", .type = NT_KEY_NUMBER, AT(damping), .bit = 7,                           \
        .unit = "N s/m, N m s/rad", .meaning = "of the penalty, on rates seen from A; default 0"   \
    }
#define KEY_PART NT_KEY_PART(nt_joint, part, NT_BIT_PART, "implicit; only with `enforce: penalty`")
#define KEY_MOTION                                                                                 \
    {                                                                                              \
        .name = "motion", .type = NT_KEY_FUNCTION, AT(motion), .bit = 8, .unit = "rad, m",         \
        .meaning = "drives the free coordinate: a function of t and parameters"                    \
    }
#define KEY_LENGTH                                                                                 \
    {                                                                                              \
        .name = "length", .type = NT_KEY_NUMBER, AT(length), .bit = 9, .unit = "m",                \
        .meaning = "distance to keep; default: that of the given placement"                        \
    }
#define KEY_FRICTION                                                                               \
    {                                                                                              \
        .name = "friction", .type = NT_KEY_GROUP, .bit = 10, .group = friction_keys,               \
        .meaning = "along the free coordinate"                                                     \
    }
#define KEY_LIMITS                                                                                 \
    {                                                                                              \
        .name = "limits", .type = NT_KEY_GROUP, .bit = 11, .group = limit_keys,                    \
        .meaning = "stops of the free coordinate: stiff springs beyond them"                       \
    }

const nt_key nt_joint_point_keys[] = {
    KEY_BETWEEN,   KEY_AT,      KEY_POINTS, KEY_ENFORCE,
    KEY_STIFFNESS, KEY_DAMPING, KEY_PART,   {.name = NULL},
};

const nt_key nt_joint_axis_keys[] = {
    KEY_BETWEEN, KEY_AT,        KEY_POINTS,  KEY_AXIS, KEY_AXES,
    KEY_ENFORCE, KEY_STIFFNESS, KEY_DAMPING, KEY_PART, {.name = NULL},
};

const nt_key nt_joint_two_axes_keys[] = {
    KEY_BETWEEN,   KEY_AT,      KEY_POINTS, KEY_AXES,       KEY_ENFORCE,
    KEY_STIFFNESS, KEY_DAMPING, KEY_PART,   {.name = NULL},
};

const nt_key nt_joint_free_keys[] = {
    KEY_BETWEEN, KEY_AT,      KEY_POINTS,    KEY_AXIS,    KEY_AXES, KEY_FRICTION,
    KEY_LIMITS,  KEY_ENFORCE, KEY_STIFFNESS, KEY_DAMPING, KEY_PART, {.name = NULL},
};

const nt_key nt_joint_moving_keys[] = {
    KEY_BETWEEN, KEY_AT,      KEY_POINTS,    KEY_AXIS,    KEY_AXES, KEY_MOTION,     KEY_FRICTION,
    KEY_LIMITS,  KEY_ENFORCE, KEY_STIFFNESS, KEY_DAMPING, KEY_PART, {.name = NULL},
};

const nt_key nt_joint_distance_keys[] = {
    KEY_BETWEEN,   KEY_POINTS,  KEY_LENGTH, KEY_ENFORCE,
    KEY_STIFFNESS, KEY_DAMPING, KEY_PART,   {.name = NULL},
};
