/* Loads about and along joints: motors, which are laws of one's own, and springs (axial.h). */
#include "model/elements.h"
#include "model/forces/axial.h"

#define LAW_ON_B ", the opposite on A: a function of t, parameters and recorded quantities"
#define SPRING_KEYS(free_name, free_unit, unit_, coordinate)                                       \
    NT_AXIAL_KEY_JOINT(coordinate),                                                                \
        NT_AXIAL_KEY_LAW("stiffness", NT_AXIAL_STIFFNESS, unit_ "/" free_unit,                     \
                         "load per " coordinate ", a number or an expression; default 0"),         \
        NT_AXIAL_KEY_LAW("damping", NT_AXIAL_DAMPING, unit_ " s/" free_unit,                       \
                         "load per rate of the " coordinate                                        \
                         ", a number or an expression; default 0"),                                \
        NT_AXIAL_KEY_LAW(free_name, NT_AXIAL_FREE, free_unit,                                      \
                         "free " coordinate                                                        \
                         ", a number or an expression; default 0, that of the given placement"),   \
        NT_AXIAL_KEY_LAW("preload", NT_AXIAL_PRELOAD, unit_,                                       \
                         "its load at the free " coordinate                                        \
                         ", against the axis on B; a number or an expression; default 0"),         \
        {.name = "only",                                                                           \
         .type = NT_KEY_CHOICE,                                                                    \
         .offset = offsetof(nt_axial, only),                                                       \
         .bit = NT_AXIAL_ONLY,                                                                     \
         .choices = nt_axial_sides,                                                                \
         .meaning = "tension: it acts where the " coordinate                                       \
                    " is beyond the free one and only against the axis on B; compression: the "    \
                    "other way round; default both. As `only` of a spring"},                       \
        NT_AXIAL_KEY_LIMITS(coordinate), NT_KEY_PART(nt_axial, part, NT_BIT_PART, "implicit"),     \
    {                                                                                              \
        .name = NULL                                                                               \
    }

static const nt_key torque_keys[] = {
    NT_AXIAL_KEY_JOINT("angle"),
    NT_AXIAL_KEY_VALUE("N m", "moment on B about the axis" LAW_ON_B),
    NT_KEY_PART(nt_axial, part, NT_BIT_PART, "explicit"),
    {.name = NULL}};
static const nt_key force_keys[] = {NT_AXIAL_KEY_JOINT("displacement"),
                                    NT_AXIAL_KEY_VALUE("N", "force on B along the axis" LAW_ON_B),
                                    NT_KEY_PART(nt_axial, part, NT_BIT_PART, "explicit"),
                                    {.name = NULL}};
static const nt_key torsion_spring_keys[] = {SPRING_KEYS("angle", "rad", "N m", "angle")};
static const nt_key joint_spring_keys[] = {SPRING_KEYS("displacement", "m", "N", "displacement")};

const nt_element_type nt_force_joint_torque = {
    NT_AXIAL_OWN_LAW,
    .name = "joint_torque",
    .summary = "a moment about the axis of a joint, between its bodies",
    .keys = torque_keys,
    .along = NT_ALONG_ANGLE,
    .drawing = NT_DRAW_TORQUE,
};

const nt_element_type nt_force_joint_force = {
    NT_AXIAL_OWN_LAW,
    .name = "joint_force",
    .summary = "a force along the axis of a joint, between its bodies",
    .keys = force_keys,
    .along = NT_ALONG_DISPLACEMENT,
    .drawing = NT_DRAW_FORCE,
};

const nt_element_type nt_force_torsion_spring = {
    NT_AXIAL_SPRING,
    .name = "torsion_spring",
    .summary = "a spring with a damper about the axis of a joint",
    .keys = torsion_spring_keys,
    .along = NT_ALONG_ANGLE,
    .drawing = NT_DRAW_COIL,
};

const nt_element_type nt_force_joint_spring = {
    NT_AXIAL_SPRING,
    .name = "joint_spring",
    .summary = "a spring with a damper along the axis of a joint",
    .keys = joint_spring_keys,
    .along = NT_ALONG_DISPLACEMENT,
    .drawing = NT_DRAW_SPRING,
};
