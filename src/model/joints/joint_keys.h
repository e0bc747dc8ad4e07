/* Keys that joints share, for the tables of their types. */
#ifndef NUTATE_MODEL_JOINT_KEYS_H
#define NUTATE_MODEL_JOINT_KEYS_H

#include "model/joints/joint.h"

#include <stddef.h>

extern const char *const nt_joint_enforcements[], *const nt_impact_laws[];
extern const nt_key nt_joint_friction_keys[], nt_joint_limit_keys[];

#define NT_JOINT_FIELD(field) .offset = offsetof(nt_joint, field)
#define NT_JOINT_KEY_BETWEEN                                                                       \
    NT_KEY("between", NT_KEY_BODIES, NT_JOINT_FIELD(between), .bit = 0, .required = true,          \
           .meaning = "bodies [A, B]; motion, forces and angles are of B relative to A")
#define NT_JOINT_KEY_AT                                                                            \
    NT_KEY("at", NT_KEY_POINT, NT_JOINT_FIELD(at), .bit = 1, .unit = "m",                          \
           .meaning = "the joint's point: ground axes at the given placement, or a marker. At a "  \
                      "beam's node it may be left out")
#define NT_JOINT_KEY_POINTS                                                                        \
    NT_KEY("points", NT_KEY_POINTS, NT_JOINT_FIELD(points), .bit = 4, .unit = "m",                 \
           .meaning =                                                                              \
               "instead of `at`: the point of A and the point of B, each in its body's own "       \
               "axes from "                                                                        \
               "its origin, or markers")
#define NT_JOINT_KEY_AXIS                                                                          \
    NT_KEY("axis", NT_KEY_NUMBERS, NT_JOINT_FIELD(axis), .bit = 2, .low = 3, .high = 3,            \
           .relative = true,                                                                       \
           .meaning =                                                                              \
               "the joint's axis, ground axes at the given placement; of any length but zero")
#define NT_JOINT_KEY_AXES                                                                          \
    NT_KEY("axes", NT_KEY_AXES, NT_JOINT_FIELD(axes), .bit = 3, .relative = true,                  \
           .meaning =                                                                              \
               "two axes, of A and of B: ground axes with `at`, each body's own with `points`")
#define NT_JOINT_KEY_ENFORCE                                                                       \
    NT_KEY("enforce", NT_KEY_CHOICE, NT_JOINT_FIELD(enforce), .bit = 5,                            \
           .choices = nt_joint_enforcements,                                                       \
           .meaning = "exactly, by multipliers (default), or by stiff springs")
#define NT_JOINT_KEY_STIFFNESS                                                                     \
    NT_KEY("stiffness", NT_KEY_NUMBER, NT_JOINT_FIELD(stiffness), .bit = 6,                        \
           .unit = "N/m, N m/rad", .meaning = "of the penalty, for every equation of the joint")
#define NT_JOINT_KEY_DAMPING                                                                       \
    NT_KEY("damping", NT_KEY_NUMBER, NT_JOINT_FIELD(damping), .bit = 7,                            \
           .unit = "N s/m, N m s/rad",                                                             \
           .meaning = "of the penalty, on rates seen from A; default 0")
#define NT_JOINT_KEY_ACTIVE                                                                        \
    NT_KEY("active", NT_KEY_BOOLEAN, NT_JOINT_FIELD(active), .bit = 23,                            \
           .meaning = "whether it holds at first; false: until an event engages it")
#define NT_JOINT_KEYS_COMMON                                                                       \
    NT_KEY_PART(nt_joint, part, NT_BIT_PART, "implicit; only with `enforce: penalty`"),            \
        NT_JOINT_KEY_ACTIVE,                                                                       \
        NT_KEY("restitution", NT_KEY_NUMBER, NT_JOINT_FIELD(restitution), .bit = 24,               \
               .meaning = "where it is engaged or latched: 0 (default): it holds; up to 1: the "   \
                          "bodies rebound with this part of the speed at which they meet, and it " \
                          "does not hold"),                                                        \
        NT_KEY("rest_speed", NT_KEY_NUMBER, NT_JOINT_FIELD(rest_speed), .bit = 25,                 \
               .needs = "restitution", .unit = "m/s, rad/s",                                       \
               .meaning = "below this speed there is no rebound, and it holds; default 1e-3"),     \
        NT_KEY("impact_law", NT_KEY_CHOICE, NT_JOINT_FIELD(impact_law), .bit = 27,                 \
               .choices = nt_impact_laws, .needs = "restitution",                                  \
               .meaning = "`Newton` (default): restitution is of speeds; `Poisson`: of impulses, " \
                          "which a second phase of the impact gives back")
#define NT_JOINT_KEY_MOTION                                                                        \
    NT_KEY("motion", NT_KEY_FUNCTION, NT_JOINT_FIELD(motion), .bit = 8, .unit = "rad, m",          \
           .meaning =                                                                              \
               "drives the free coordinate: a function of t and parameters. An angle is 0 at "     \
               "the given placement; where the motion begins with another value it turns "         \
               "bodies whose place is not given, or that may be corrected (`initial`)")
#define NT_JOINT_KEY_LENGTH                                                                        \
    NT_KEY("length", NT_KEY_NUMBER, NT_JOINT_FIELD(length), .bit = 9, .unit = "m",                 \
           .meaning = "distance to keep; default: that of the given placement")
#define NT_JOINT_KEY_FRICTION                                                                      \
    NT_KEY("friction", NT_KEY_GROUP, .bit = 10, .group = nt_joint_friction_keys,                   \
           .meaning = "along the free coordinate")
#define NT_JOINT_KEY_LIMITS                                                                        \
    NT_KEY("limits", NT_KEY_GROUP, .bit = 11, .group = nt_joint_limit_keys,                        \
           .meaning = "stops of the free coordinate: rigid ones, or springs beyond them")

/* The keys of a joint that leaves an angle and a displacement free. */
#define NT_JOINT_FREE_KEYS                                                                         \
    NT_JOINT_KEY_BETWEEN, NT_JOINT_KEY_AT, NT_JOINT_KEY_POINTS, NT_JOINT_KEY_AXIS,                 \
        NT_JOINT_KEY_AXES, NT_JOINT_KEY_FRICTION, NT_JOINT_KEY_LIMITS, NT_JOINT_KEY_ENFORCE,       \
        NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING, NT_JOINT_KEYS_COMMON

#endif
