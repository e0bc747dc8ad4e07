/* Loads between two points: a spring, and a law of one's own (axial.h). */
#include "model/elements.h"
#include "model/forces/axial.h"

const char *const nt_axial_sides[] = {"tension", "compression", NULL};

#define KEY_BETWEEN                                                                                \
    {                                                                                              \
        .name = "between", .type = NT_KEY_BODIES, .offset = offsetof(nt_axial, between),           \
        .bit = NT_AXIAL_BETWEEN, .required = true, .meaning = "bodies A and B"                     \
    }
#define KEY_AT                                                                                     \
    {                                                                                              \
        .name = "at", .type = NT_KEY_POINTS, .offset = offsetof(nt_axial, at), .bit = NT_AXIAL_AT, \
        .unit = "m",                                                                               \
        .meaning = "its ends, a point of A and a point of B: ground axes at the given placement, " \
                   "or markers; default the bodies' origins"                                       \
    }

static const nt_key spring_keys[] = {
    KEY_BETWEEN,
    KEY_AT,
    NT_AXIAL_KEY_LAW("stiffness", NT_AXIAL_STIFFNESS, "N/m",
                     "force per elongation, a number or an expression; default 0"),
    NT_AXIAL_KEY_LAW("damping", NT_AXIAL_DAMPING, "N s/m",
                     "force per rate of elongation, a number or an expression; default 0"),
    NT_AXIAL_KEY_LAW("length", NT_AXIAL_FREE, "m",
                     "free length, a number or an expression; default the distance of its ends at "
                     "the given placement"),
    NT_AXIAL_KEY_LAW("preload", NT_AXIAL_PRELOAD, "N",
                     "its pull at the free length, a number or an expression; default 0"),
    {.name = "only",
     .type = NT_KEY_CHOICE,
     .offset = offsetof(nt_axial, only),
     .bit = NT_AXIAL_ONLY,
     .choices = nt_axial_sides,
     .meaning = "tension: it pulls and never pushes; compression: the other way round; default "
                "both. With e = stiffness * elongation + preload and d = damping * rate its force "
                "on the side where it acts is e (1 + d / sqrt(e^2 + d^2))"},
    NT_AXIAL_KEY_LIMITS("length"),
    NT_KEY_PART(nt_axial, part, NT_BIT_PART, "implicit"),
    {.name = NULL},
};

static const nt_key line_keys[] = {
    KEY_BETWEEN,
    KEY_AT,
    NT_AXIAL_KEY_VALUE("N", "its pull: a function of t, parameters and recorded quantities, of its "
                            "own NAME.length and NAME.rate too"),
    NT_KEY_PART(nt_axial, part, NT_BIT_PART, "explicit"),
    {.name = NULL},
};

const nt_element_type nt_force_spring = {
    NT_AXIAL_SPRING,
    .name = "spring",
    .summary = "a spring with a damper between two points",
    .keys = spring_keys,
    .along = NT_ALONG_LINE,
    .drawing = NT_DRAW_SPRING,
};

const nt_element_type nt_force_line_force = {
    NT_AXIAL_OWN_LAW,
    .name = "line_force",
    .summary = "a force between two points along the line between them, by a law of one's own",
    .keys = line_keys,
    .along = NT_ALONG_LINE,
    .drawing = NT_DRAW_ROPE,
};
