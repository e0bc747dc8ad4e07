/* The keys of a bearing, and what they are where the file leaves them out. */
#include "model/bearings/bearing.h"

#define KEY(name_, type_, field, bit_)                                                             \
    .name = name_, .type = type_, .offset = offsetof(nt_bearing, field), .bit = bit_

static const char *const pockets[] = {"cylindrical", "spherical", NULL};
static const char *const none[] = {"none", NULL};

static const nt_key material_keys[] = {
    {KEY("E", NT_KEY_NUMBER, material.E, -1), .unit = "Pa",
     .meaning = "Young's modulus; default 207e9"},
    {KEY("nu", NT_KEY_NUMBER, material.nu, -1), .meaning = "Poisson's ratio; default 0.3"},
    {KEY("density", NT_KEY_NUMBER, material.density, -1), .unit = "kg/m^3",
     .meaning = "of the balls; default 7800"},
    {0},
};

static const nt_key cage_material_keys[] = {
    {KEY("E", NT_KEY_NUMBER, of_cage.E, -1), .unit = "Pa",
     .meaning = "Young's modulus; default 3e9, a plastic"},
    {KEY("nu", NT_KEY_NUMBER, of_cage.nu, -1), .meaning = "Poisson's ratio; default 0.4"},
    {0},
};

static const nt_key cage_keys[] = {
    {KEY("mass", NT_KEY_NUMBER, of_cage.mass, -1), .required = true, .relative = true, .unit = "kg",
     .meaning = "of the cage"},
    {KEY("inertia", NT_KEY_NUMBERS, of_cage.inertia, -1), .low = 3, .high = 3, .required = true,
     .relative = true, .unit = "kg m^2",
     .meaning = "about its centre: towards pocket 1, across, about the axis"},
    {KEY("pocket", NT_KEY_CHOICE, pocket_shape, -1), .choices = pockets,
     .meaning = "shape of its pockets: bores along radii (default), or spheres"},
    {KEY("pocket_clearance", NT_KEY_NUMBER, of_cage.clearance, -1), .required = true, .unit = "m",
     .meaning = "diameter of a pocket less that of a ball"},
    {.name = "material",
     .type = NT_KEY_GROUP,
     .bit = -1,
     .group = cage_material_keys,
     .meaning = "of the cage"},
    {KEY("stiffness", NT_KEY_NUMBER, of_cage.stiffness, NT_BEARING_CAGE_STIFFNESS),
     .unit = "N/m^1.5",
     .meaning =
         "of a ball in its pocket; default that of Hertz for the materials, which presumes a "
         "clearance above 1 % of the ball's diameter"},
    {KEY("damping", NT_KEY_NUMBER, of_cage.damping, NT_BEARING_CAGE_DAMPING), .unit = "s/m",
     .meaning = "of the force in a pocket; default 0.5"},
    {KEY("friction", NT_KEY_NUMBER, of_cage.friction, NT_BEARING_CAGE_FRICTION),
     .meaning = "coefficient in pockets; default that of `traction`"},
    {KEY("slip", NT_KEY_NUMBER, of_cage.slip, NT_BEARING_CAGE_SLIP), .unit = "m/s",
     .meaning = "speed of sliding below which it turns over smoothly; default 0.05"},
    {0},
};

static const nt_key traction_keys[] = {
    {KEY("law", NT_KEY_CHOICE, law, -1), .choices = nt_traction_laws,
     .meaning = "coulomb (default), four_parameter, or film, which needs `lubricant`"},
    {KEY("friction", NT_KEY_NUMBER, friction, NT_BEARING_FRICTION),
     .meaning = "coefficient, of coulomb; default 0.05"},
    {KEY("slip", NT_KEY_NUMBER, slip, NT_BEARING_SLIP), .unit = "m/s",
     .meaning = "speed of creep, below which traction turns over smoothly; default 0.05"},
    {KEY("curve", NT_KEY_NUMBERS, curve, NT_BEARING_CURVE), .low = 4, .high = 4,
     .meaning = "A, B (s/m), C (s/m), D of (A + B s) exp(-C s) + D, of four_parameter; default "
                "-0.02, 0.25, 2, 0.02, an assumption"},
    {0},
};

static const nt_key lubricant_keys[] = {
    {KEY("viscosity", NT_KEY_NUMBER, oil.viscosity, -1), .required = true, .unit = "Pa s",
     .meaning = "at ambient pressure"},
    {KEY("pressure_coefficient", NT_KEY_NUMBER, oil.coefficient, NT_BEARING_OIL_COEFFICIENT),
     .unit = "1/Pa", .meaning = "viscosity grows with exp(coefficient * pressure); default 2e-8"},
    {KEY("stress", NT_KEY_NUMBER, oil.stress, NT_BEARING_OIL_STRESS), .unit = "Pa",
     .meaning = "Eyring's; default 5e6"},
    {KEY("limit", NT_KEY_NUMBER, oil.limit, NT_BEARING_OIL_LIMIT),
     .meaning = "limiting stress over mean pressure; default 0.08"},
    {0},
};

static const nt_key restitution_keys[] = {
    {KEY("coefficient", NT_KEY_NUMBER, restitution, -1), .required = true,
     .meaning = "share of its speed that a free impact keeps, above 0 and at most 1"},
    {KEY("speed", NT_KEY_NUMBER, restitution_speed, -1), .required = true, .unit = "m/s",
     .meaning = "of approach at which it does"},
    {KEY("relation", NT_KEY_CHOICE, relation, -1), .choices = nt_restitution_relations,
     .meaning = "between coefficient and damping: exact (default), or one that is often quoted and "
                "gives another coefficient than the wanted one"},
    {0},
};

static const nt_key rolling_keys[] = {
    {KEY("resistance", NT_KEY_NUMBER, rolling, -1), .required = true, .unit = "m",
     .meaning = "moment over normal force"},
    {KEY("slip", NT_KEY_NUMBER, rolling_slip, -1), .unit = "rad/s",
     .meaning = "rate of rolling below which it turns over smoothly; default 1"},
    {0},
};

static const nt_key start_keys[] = {
    {KEY("cage", NT_KEY_NUMBER, start.cage, -1),
     .meaning = "speed of the cage over its kinematic one; default 1"},
    {KEY("irregularity", NT_KEY_NUMBER, start.irregularity, -1), .unit = "m",
     .meaning = "ball j stands off equal spacing by irregularity * cos(2 (j - 1)) along the orbit; "
                "default 0"},
    {0},
};

/* Keys of the flaws and the waves of one race. */
#define FLAW_KEY(name_, which, field)                                                              \
    KEY(name_, NT_KEY_NUMBERS, races[which].flaws.field, -1),                                      \
        .low = 1, .high = NT_MOST_FLAWS, .up_to = true,                                            \
        .count_offset = offsetof(nt_bearing, races[which].flaws.n_##field##s)
#define WAVE_KEY(name_, which, field)                                                              \
    KEY(name_, NT_KEY_NUMBERS, races[which].waves.field, -1),                                      \
        .low = 1, .high = NT_MOST_WAVES, .up_to = true,                                            \
        .count_offset = offsetof(nt_bearing, races[which].waves.n_##field##s)
#define RACE_KEYS(which)                                                                           \
    static const nt_key flaw_keys_##which[] = {                                                    \
        {FLAW_KEY("angle", which, angle), .unit = "rad",                                           \
         .meaning = "from where ball 1 is at the start, positive about the axis; default 0"},      \
        {FLAW_KEY("width", which, width), .required = true, .unit = "rad",                         \
         .meaning = "half of its width"},                                                          \
        {FLAW_KEY("depth", which, depth), .required = true, .unit = "m",                           \
         .meaning = "in its middle; towards its edges it rises as a cosine"},                      \
        {0},                                                                                       \
    };                                                                                             \
    static const nt_key wave_keys_##which[] = {                                                    \
        {WAVE_KEY("orders", which, order), .required = true,                                       \
         .meaning = "waves around the race, whole numbers"},                                       \
        {WAVE_KEY("amplitudes", which, amplitude), .required = true, .unit = "m",                  \
         .meaning = "of each"},                                                                    \
        {WAVE_KEY("phases", which, phase), .unit = "rad", .meaning = "of each; default 0"},        \
        {0},                                                                                       \
    };
RACE_KEYS(NT_OUTER)
RACE_KEYS(NT_INNER)

#define GROUP(name_, bit_, keys_, words)                                                           \
    {                                                                                              \
        .name = name_, .type = NT_KEY_GROUP, .bit = bit_, .group = keys_, .meaning = words         \
    }

const nt_key nt_bearing_keys[] = {
    {KEY("designation", NT_KEY_TEXT, designation, NT_BEARING_DESIGNATION),
     .meaning = "such as \"6206\" or \"6206 C3\": balls, diameters, angle and clearance, where no "
                "key says else"},
    {KEY("outer", NT_KEY_BODY, rings[NT_OUTER], -1), .required = true,
     .meaning = "the body of the outer ring"},
    {KEY("inner", NT_KEY_BODY, rings[NT_INNER], -1), .required = true,
     .meaning = "the body of the inner ring"},
    {KEY("at", NT_KEY_POINT, at, NT_BEARING_AT), .unit = "m",
     .meaning = "centre of both rings at the given placement, ground axes; this and `axis`, or "
                "`points` and `axes`"},
    {KEY("axis", NT_KEY_NUMBERS, axis, NT_BEARING_AXIS), .low = 3, .high = 3, .relative = true,
     .needs = "at",
     .meaning = "of both rings at the given placement, ground axes; an angular contact bearing "
                "takes a force along it on the inner ring"},
    {KEY("points", NT_KEY_POINTS, points, NT_BEARING_POINTS), .unit = "m", .needs = "axes",
     .meaning = "centre of the inner ring, of the outer ring, each in its body's own axes from its "
                "origin; the rings are as displaced as the bodies are placed"},
    {KEY("axes", NT_KEY_AXES, axes, NT_BEARING_AXES), .needs = "points",
     .meaning = "of the inner ring, of the outer ring, each in its body's own axes"},
    {KEY("balls", NT_KEY_NUMBER, balls, NT_BEARING_BALLS),
     .meaning = "their number, a plain number from 3 to 64"},
    {KEY("ball_diameter", NT_KEY_NUMBER, ball_diameter, NT_BEARING_BALL), .unit = "m",
     .meaning = "D"},
    {KEY("pitch_diameter", NT_KEY_NUMBER, pitch_diameter, NT_BEARING_PITCH), .unit = "m",
     .meaning = "of the circle of the balls' centres"},
    {KEY("inner_groove", NT_KEY_NUMBER, races[NT_INNER].groove, NT_BEARING_INNER_GROOVE),
     .meaning = "radius of the inner groove over the ball's diameter; default that of the "
                "designation where it was published, else 0.52, an assumption"},
    {KEY("outer_groove", NT_KEY_NUMBER, races[NT_OUTER].groove, NT_BEARING_OUTER_GROOVE),
     .meaning = "the same of the outer groove"},
    {KEY("inner_shoulder", NT_KEY_NUMBER, races[NT_INNER].shoulder, NT_BEARING_INNER_SHOULDER),
     .meaning = "height of the inner groove's shoulders over the ball's diameter; default 0.2. A "
                "ball that climbs over it ends the run"},
    {KEY("outer_shoulder", NT_KEY_NUMBER, races[NT_OUTER].shoulder, NT_BEARING_OUTER_SHOULDER),
     .meaning = "the same of the outer groove"},
    {KEY("inner_stiffness", NT_KEY_NUMBER, races[NT_INNER].stiffness, NT_BEARING_INNER_STIFFNESS),
     .unit = "N/m^1.5",
     .meaning = "K of the force K indentation^1.5 on the inner race; default that of Hertz, which "
                "gives the ellipse in any case"},
    {KEY("outer_stiffness", NT_KEY_NUMBER, races[NT_OUTER].stiffness, NT_BEARING_OUTER_STIFFNESS),
     .unit = "N/m^1.5", .meaning = "the same on the outer race"},
    {KEY("clearance", NT_KEY_NUMBER, clearance, NT_BEARING_CLEARANCE), .unit = "m",
     .meaning = "diametral, in the plane of the balls; negative: preload; default that of the "
                "designation's class, 0 without one"},
    {KEY("contact_angle", NT_KEY_NUMBER, contact_angle, NT_BEARING_ANGLE), .unit = "rad",
     .meaning =
         "at which balls touch both rings without clearance and load; default 0, deep groove"},
    GROUP("material", -1, material_keys, "of balls and rings; default steel"),
    {KEY("hertz", NT_KEY_CHOICE, hertz, -1), .choices = nt_hertz_formulas,
     .meaning = "how the elliptic integrals are found: exactly (default), or by a fit"},
    {.name = "cage",
     .type = NT_KEY_GROUP,
     .bit = NT_BEARING_CAGE,
     .group = cage_keys,
     .choices = none,
     .meaning = "a body of its own, guided by the balls alone; none (default): balls keep apart by "
                "themselves, and pass through each other if they do not"},
    GROUP("traction", -1, traction_keys, "the force against sliding on the races"),
    GROUP("lubricant", NT_BEARING_LUBRICANT, lubricant_keys,
          "an oil: thickness of films, and traction by `law: film`; default none"),
    {KEY("damping", NT_KEY_NUMBER, damping, NT_BEARING_DAMPING), .unit = "s/m",
     .meaning = "of the normal force on the races, K d^1.5 (1 + damping d'); default 0.2"},
    GROUP("restitution", NT_BEARING_RESTITUTION, restitution_keys,
          "the damping from what a free impact keeps; not beside `damping`"),
    GROUP("rolling", -1, rolling_keys, "a moment against rolling on the races; default none"),
    GROUP("outer_flaw", -1, flaw_keys_NT_OUTER,
          "a dent in the outer race; several: lists of angles, widths and depths"),
    GROUP("inner_flaw", -1, flaw_keys_NT_INNER, "the same in the inner race"),
    GROUP("outer_waviness", -1, wave_keys_NT_OUTER, "waves of the outer race"),
    GROUP("inner_waviness", -1, wave_keys_NT_INNER, "waves of the inner race"),
    GROUP("start", -1, start_keys, "how balls and cage begin"),
    NT_KEY_PART(nt_bearing, part, NT_BIT_PART, "explicit"),
    {0},
};

void nt_bearing_defaults(void *data)
{
    nt_bearing *b = data;
    b->material = (nt_bearing_material){.E = 207e9, .nu = 0.3, .density = 7800};
    b->damping = 0.2;
    b->friction = b->slip = 0.05;
    b->curve[0] = -0.02, b->curve[1] = 0.25, b->curve[2] = 2, b->curve[3] = 0.02;
    b->oil = (nt_lubricant){.viscosity = 0.02, .coefficient = 2e-8, .stress = 5e6, .limit = 0.08};
    b->rolling_slip = 1;
    b->of_cage.E = 3e9;
    b->of_cage.nu = 0.4;
    b->of_cage.damping = 0.5;
    b->of_cage.slip = 0.05;
    b->start.cage = 1;
    for (int i = 0; i < 2; i++)
        b->races[i].groove = 0.52, b->races[i].shoulder = 0.2;
}
