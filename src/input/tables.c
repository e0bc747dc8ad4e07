#include "input/tables.h"

#include <stdio.h>

#define RUN(field) offsetof(nt_run_data, field)

/* ---- simulation ----------------------------------------------------------------------------- */

static const char *const frame_names[] = {"inertial", "body", "se3", NULL}; /* as in nt_frame */

/* One number stands for all of these. */
static const nt_key tolerance_keys[] = {
    NT_KEY("position", NT_KEY_NUMBER, .offset = RUN(tolerance[0]), .bit = -1, .unit = "m",
           .meaning = "error allowed in positions per step"),
    NT_KEY("rotation", NT_KEY_NUMBER, .offset = RUN(tolerance[1]), .bit = -1, .unit = "rad",
           .meaning = "error allowed in orientations per step"),
    NT_KEY("velocity", NT_KEY_NUMBER, .offset = RUN(tolerance[2]), .bit = -1, .unit = "m/s",
           .meaning = "error allowed in velocities per step"),
    NT_KEY("angular_velocity", NT_KEY_NUMBER, .offset = RUN(tolerance[3]), .bit = -1,
           .unit = "rad/s", .meaning = "error allowed in angular velocities per step"),
    {0},
};

static const char *const about_names[] = {"static", "initial", NULL};

/* The keys of modal damping, as of a force (model/forces/modal_damping.h), which reads them. */
static const nt_key modal_keys[] = {
    NT_KEY("ratio", NT_KEY_NUMBERS, .offset = RUN(modal_ratio), .bit = -1, .low = 1,
           .high = NT_MODAL_RATIOS, .up_to = true, .count_offset = RUN(modal_ratios),
           .required = true,
           .meaning = "damping over critical damping: [ratio] of all modes, or one for each of the "
                      "lowest, which alone are damped then"),
    NT_KEY("modes", NT_KEY_NUMBER, .offset = RUN(modal_modes), .bit = -1,
           .meaning = "damp so many of the lowest modes that do not move freely; all without it"),
    NT_KEY("about", NT_KEY_CHOICE, .offset = RUN(modal_about), .bit = -1, .choices = about_names,
           .meaning = "the state whose modes these are, found when the model is read: static "
                      "without it, or the initial placement"),
    {0},
};

static const nt_key simulation_keys[] = {
    NT_KEY("start", NT_KEY_NUMBER, .offset = RUN(start), .bit = -1, .unit = "s",
           .meaning = "time at the start; 0 where it is left out"),
    NT_KEY("duration", NT_KEY_NUMBER, .offset = RUN(duration), .bit = -1, .unit = "s",
           .meaning = "time from the start to the end"),
    NT_KEY("method", NT_KEY_TEXT, .offset = RUN(method), .bit = -1,
           .meaning = "name of the time integration method, as `nutate methods` lists them; "
                      "generalized-alpha where it is left out"),
    NT_KEY("step", NT_KEY_NUMBER, .offset = RUN(step), .bit = -1, .unit = "s",
           .meaning = "step size; the first one where a tolerance is given. Fixed steps are "
                      "shortened a little, all equally, to end exactly at the end"),
    NT_KEY("frame", NT_KEY_CHOICE, .offset = RUN(frame), .bit = -1, .choices = frame_names,
           .meaning =
               "axes in which the method moves rotations; inertial where the method has it. With "
               "se3 bodies move as rigid motions, in their own axes"),
    NT_KEY("options", (nt_key_type)NT_KEY_OPTIONS, .offset = RUN(options), .bit = -1,
           .meaning = "the method's own options, by name"),
    NT_KEY(
        "tolerance", NT_KEY_NUMBER, .offset = RUN(tolerance[0]), .bit = -1, .group = tolerance_keys,
        .meaning = "local error allowed in a step, for methods that choose their steps by it: one "
                   "number, or one per kind of quantity. A value x may be wrong by tolerance "
                   "(1 + |x|), a rotation by tolerance"),
    NT_KEY("minimum_step", NT_KEY_NUMBER, .offset = RUN(minimum_step), .bit = -1, .unit = "s",
           .meaning =
               "steps are not made smaller than this; where it is left out 1e-4 of `step`, or "
               "1e-9 of it with a tolerance"),
    NT_KEY("maximum_step", NT_KEY_NUMBER, .offset = RUN(maximum_step), .bit = -1, .unit = "s",
           .meaning = "variable steps are not made larger than this"),
    NT_KEY("modal_damping", NT_KEY_NUMBER, .offset = RUN(modal_ratio[0]), .bit = -1,
           .group = modal_keys,
           .meaning = "damping of the modes of small motions: the damping ratio of all of them "
                      "about the static state, or what follows"),
    NT_KEY("energy_check", NT_KEY_BOOLEAN, .offset = RUN(energy_check), .bit = -1,
           .meaning = "end the run where the energy grows though no load gives it; default true"),
    {0},
};

/* ---- output, initial values ----------------------------------------------------------------- */

static const nt_key output_keys[] = {
    NT_KEY("every", NT_KEY_NUMBER, .offset = RUN(every), .bit = -1, .unit = "s",
           .meaning =
               "time between rows of the result; a row after every step where it is left out"),
    NT_KEY("record", (nt_key_type)NT_KEY_TEXTS, .offset = RUN(record), .bit = -1,
           .meaning =
               "names of the recorded quantities, such as top.position, pivot.force, energy, or "
               "expressions of them, such as norm(top.velocity); "
               "position and orientation of every body, and energy, where it is left out"),
    NT_KEY("poses", NT_KEY_BOOLEAN, .offset = RUN(poses), .bit = -1,
           .meaning =
               "whether a NetCDF result holds the poses of all bodies besides; it does where it is "
               "left out"),
    {0},
};

static const nt_key initial_keys[] = {
    NT_KEY("correct", NT_KEY_BOOLEAN, .offset = RUN(correct), .bit = -1,
           .meaning =
               "move given initial values that contradict a joint, as little as can be, and say "
               "by how much, instead of refusing them"),
    NT_KEY("static", NT_KEY_BOOLEAN, .offset = RUN(static_initial), .bit = -1,
           .meaning = "begin at rest in the static state that is nearest to the given placement, "
                      "as `nutate static` finds it; default false"),
    {0},
};

static const nt_key solve_keys[] = {
    NT_KEY("unknowns", (nt_key_type)NT_KEY_PARAMETERS, .offset = RUN(unknowns), .bit = -1,
           .required = true,
           .meaning = "parameters whose values are looked for, with first guesses; they need not "
                      "stand in `parameters`"),
    NT_KEY("conditions", (nt_key_type)NT_KEY_TEXTS, .offset = RUN(conditions), .bit = -1,
           .required = true,
           .meaning = "as many expressions of everything that can be recorded, which are zero at "
                      "the static state: car.position.z - 0.3"),
    {0},
};

static const nt_key static_keys[] = {
    NT_KEY("hold", (nt_key_type)NT_KEY_TEXTS, .offset = RUN(hold), .bit = -1,
           .meaning = "what may not move: body.translation.x (ground axes), body.rotation.z (axes "
                      "of the body), all three of them without the last letter; `free`: whatever "
                      "nothing else determines stays where it is"),
    NT_KEY("stable", NT_KEY_BOOLEAN, .offset = RUN(stable), .bit = -1,
           .meaning = "take the state that a damped motion reaches; default false: the nearest "
                      "one, be it unstable"),
    {0},
};

/* ---- tables --------------------------------------------------------------------------------- */

/* as in nt_interpolation, nt_table_ends, nt_table_beyond */
static const char *const interpolations[] = {"monotone", "spline", "linear", "previous", NULL};
static const char *const table_ends[] = {"natural", "clamped", "periodic", NULL};
static const char *const beyonds_across[] = {"same",     "hold",  "extrapolate",
                                             "periodic", "error", NULL};
static const char *const beyonds[] = {"hold", "extrapolate", "periodic", "error", NULL};

const nt_key nt_table_keys[] = {
    {.name = "file",
     .type = NT_KEY_TEXT,
     .offset = offsetof(nt_table_data, file),
     .bit = -1,
     .required = true,
     .meaning = "of numbers in columns, the first one increasing, found relative to the model's "
                "folder; more than two columns have names in the first line"},
    {.name = "map",
     .type = NT_KEY_BOOLEAN,
     .offset = offsetof(nt_table_data, map),
     .bit = -1,
     .meaning = "true: a function of two variables, table(NAME, x, y): x stands in the first "
                "column, y in the first line; default false"},
    {.name = "interpolation",
     .type = NT_KEY_CHOICE,
     .offset = offsetof(nt_table_data, form.interpolation),
     .bit = -1,
     .choices = interpolations,
     .meaning = "between the points. monotone (default): cubics with a continuous slope, nowhere "
                "above or below the points around them; spline: cubics with a continuous second "
                "derivative, for motions; linear: straight lines; previous: steps"},
    {.name = "ends",
     .type = NT_KEY_CHOICE,
     .offset = offsetof(nt_table_data, form.ends),
     .bit = -1,
     .choices = table_ends,
     .meaning = "of a spline: natural (default), without curvature; clamped, with a slope of zero; "
                "periodic"},
    {.name = "beyond",
     .type = NT_KEY_CHOICE,
     .offset = offsetof(nt_table_data, form.beyond),
     .bit = -1,
     .choices = beyonds,
     .meaning =
         "outside of the points: hold (default) the value of the end, extrapolate straight "
         "on, periodic, or error: the run ends with words. Of a map in x, and in y too where "
         "`beyond_y` says nothing else"},
    {.name = "beyond_y",
     .type = NT_KEY_CHOICE,
     .offset = offsetof(nt_table_data, form.across),
     .bit = -1,
     .choices = beyonds_across,
     .needs = "map",
     .meaning = "of a map: the same (default), hold, extrapolate, periodic or error, in y. What is "
                "periodic has equal values at both ends"},
    {0},
};

/* ---- markers -------------------------------------------------------------------------------- */

#define MARKER_AT(of)                                                                              \
    NT_KEY("at", NT_KEY_NUMBERS, .offset = offsetof(nt_marker, offset), .bit = NT_MARKER_AT,       \
           .low = 3, .high = 3, .unit = "m", .meaning = of)
#define MARKER_STATION(...)                                                                        \
    NT_KEY("station", NT_KEY_NUMBER, .offset = offsetof(nt_marker, station),                       \
           .bit = NT_MARKER_STATION, __VA_ARGS__)

const nt_key nt_marker_keys[] = {
    NT_KEY("on", NT_KEY_BODY, .offset = offsetof(nt_marker, on), .bit = NT_MARKER_ON,
           .required = true, .meaning = "the body that carries the point, or a beam"),
    MARKER_AT("the point, from the body's origin in body axes; the origin where it is left out. At "
              "a station from the line, in axes of the section"),
    MARKER_STATION(.meaning = "on a beam: 0..1 of its length. An element of the beam ends there, "
                              "and the marker stands wherever a body does"),
    NT_KEY("shape", NT_KEY_SHAPES, .offset = offsetof(nt_marker, shapes), .bit = -1,
           .meaning = "a shape of the body at this point: see the section shape"),
    {0},
};

const nt_key nt_station_keys[] = {
    NT_KEY("on", NT_KEY_BEAM, .offset = offsetof(nt_marker, beam), .bit = NT_MARKER_ON,
           .required = true, .meaning = "the beam"),
    MARKER_AT("from the line, in axes of the section"),
    MARKER_STATION(.required = true, .meaning = "0..1 of the length"),
    NT_KEY("shape", NT_KEY_SHAPES, .offset = offsetof(nt_marker, shapes), .bit = -1,
           .meaning = "a shape of the body at this point: see the section shape"),
    {0},
};

/* ---- objectives ----------------------------------------------------------------------------- */

enum { GIVEN_TYPE, GIVEN_OF };

/* as in nt_objective_type */
static const char *const objective_types[] = {"final", "integral", "maximum",
                                              "rms",   "minimum",  NULL};

const nt_key nt_objective_keys[] = {
    NT_KEY("type", NT_KEY_CHOICE, .offset = offsetof(nt_objective, type), .bit = GIVEN_TYPE,
           .required = true, .choices = objective_types,
           .meaning =
               "what of the expression: its value at the end, its integral over time, its largest "
               "value, its smallest value, its root mean square over time"),
    NT_KEY("of", NT_KEY_FUNCTION, .offset = offsetof(nt_objective, of), .bit = GIVEN_OF,
           .required = true,
           .meaning = "an expression of t, parameters and everything that can be recorded: "
                      "top.position.x, pivot.force.z, energy.total"),
    {0},
};

/* ---- events --------------------------------------------------------------------------------- */

static const nt_key impulse_keys[] = {
    NT_KEY("on", NT_KEY_BODY, .offset = offsetof(nt_action, impulse.on), .bit = 16,
           .required = true, .meaning = "the body that is struck"),
    NT_KEY("at", NT_KEY_POINT, .offset = offsetof(nt_action, impulse.at), .bit = 17, .unit = "m",
           .meaning =
               "where: numbers, ground axes at the given placement, or a marker, whose place "
               "may depend on parameters; default: the body's reference point"),
    NT_KEY("value", NT_KEY_FUNCTIONS, .offset = offsetof(nt_action, impulse.value), .bit = 18,
           .high = 3, .required = true, .unit = "N s",
           .meaning = "force times time, ground axes: expressions of everything recorded"),
    {0},
};

const nt_key nt_action_keys[] = {
    NT_KEY("release", NT_KEY_JOINT, .offset = offsetof(nt_action, release),
           .bit = NT_ACTION_RELEASE,
           .meaning = "a joint no longer holds, nor its latch; with `engage` of the same "
                      "joint behind it the latch alone is let go"),
    NT_KEY("engage", NT_KEY_JOINT, .offset = offsetof(nt_action, engage), .bit = NT_ACTION_ENGAGE,
           .meaning = "a joint that is closed holds from now on"),
    NT_KEY(
        "latch", NT_KEY_JOINT, .offset = offsetof(nt_action, latch), .bit = NT_ACTION_LATCH,
        .meaning =
            "the rotations and displacements that a joint leaves free are locked where they are"),
    NT_KEY("set", (nt_key_type)NT_KEY_EXPRESSIONS, .bit = NT_ACTION_SET,
           .meaning = "NAME: EXPRESSION: a parameter or a state has this value from now on"),
    NT_KEY("impulse", NT_KEY_GROUP, .group = impulse_keys, .bit = NT_ACTION_IMPULSE,
           .meaning = "a blow"),
    NT_KEY("start", NT_KEY_TEXT, .offset = offsetof(nt_action, start), .bit = NT_ACTION_START,
           .meaning = "another event happens"),
    NT_KEY("after", NT_KEY_FUNCTION, .offset = offsetof(nt_action, after), .bit = NT_ACTION_AFTER,
           .needs = "start", .unit = "s", .meaning = "so much later; default 0"),
    NT_KEY("stop", NT_KEY_TEXT, .offset = offsetof(nt_action, stop), .bit = NT_ACTION_STOP,
           .meaning = "the run ends, with these words in its summary"),
    {0},
};

static const char *const event_directions[] = {"rising", "falling", "both", NULL};

const nt_key nt_event_keys[] = {
    NT_KEY("when", NT_KEY_FUNCTION, .offset = offsetof(nt_event, when), .bit = 0,
           .meaning = "it happens where this expression of t, parameters and everything that can "
                      "be recorded passes zero; without it, where another event starts it"),
    NT_KEY("direction", NT_KEY_CHOICE, .offset = offsetof(nt_event, direction), .bit = 1,
           .choices = event_directions, .needs = "when", .meaning = "of the passage; default both"),
    NT_KEY("then", (nt_key_type)NT_KEY_ACTIONS, .group = nt_action_keys, .bit = 2, .required = true,
           .meaning = "what happens, in this order"),
    {0},
};

/* ---- steady motion --------------------------------------------------------------------------- */

const nt_key nt_steady_keys[] = {
    NT_KEY("rate", NT_KEY_FUNCTION, .offset = offsetof(nt_steady, rate), .bit = NT_STEADY_RATE,
           .unit = "rad/s or m/s",
           .meaning =
               "how fast, an expression of the parameters; found by Newton's method where it is "
               "left out"),
    NT_KEY("axis", NT_KEY_FUNCTIONS, .offset = offsetof(nt_steady, axis), .bit = NT_STEADY_AXIS,
           .high = 3, .meaning = "everything turns about this direction, ground axes"),
    NT_KEY("through", NT_KEY_FUNCTIONS, .offset = offsetof(nt_steady, through),
           .bit = NT_STEADY_THROUGH, .high = 3, .needs = "axis", .unit = "m",
           .meaning = "a point of the line of `axis`; the origin where it is left out"),
    NT_KEY("along", NT_KEY_FUNCTIONS, .offset = offsetof(nt_steady, along), .bit = NT_STEADY_ALONG,
           .high = 3, .meaning = "everything moves along this direction, ground axes"),
    {0},
};

/* ---- samplers ------------------------------------------------------------------------------- */

const nt_key nt_sampled_keys[] = {
    NT_KEY("every", NT_KEY_NUMBER, .bit = -1, .required = true, .unit = "s",
           .meaning = "the period: values are found at the start and after every period"),
    NT_KEY("values", (nt_key_type)NT_KEY_EXPRESSIONS, .bit = -1, .required = true,
           .meaning = "what is sampled, by name. In these expressions the name of a sampled value "
                      "is what it was until now, the previous sample"),
    NT_KEY("initial", (nt_key_type)NT_KEY_PARAMETERS, .bit = -1,
           .meaning = "values before the first sample, by name; default 0"),
    {0},
};

/* ---- the top of the file -------------------------------------------------------------------- */

const nt_key nt_file_keys[] = {
    NT_KEY("nutate", (nt_key_type)NT_KEY_VERSION, .required = true,
           .meaning = "version of the model file's language, always 1"),
    NT_KEY("title", NT_KEY_TEXT, .offset = offsetof(nt_model, title),
           .meaning = "what the model is, in words"),
    NT_KEY("parameters", (nt_key_type)NT_KEY_PARAMETERS,
           .meaning =
               "named numbers for use in expressions; each may be an expression of the others"),
    NT_KEY("tables", (nt_key_type)NT_KEY_FILES, .group = nt_table_keys,
           .meaning =
               "functions given by points, for table(NAME, x): a file of two columns, or keys"),
    NT_KEY("quantities", (nt_key_type)NT_KEY_EXPRESSIONS,
           .meaning =
               "expressions with names, for use in every expression and to be recorded by name: "
               "their text stands in place of their name. Each may use the others, t, parameters "
               "and everything that can be recorded, and is used where that may stand"),
    NT_KEY("gravity", NT_KEY_NUMBERS, .offset = 0, /* of run->gravity */
           .low = 3, .high = 3, .unit = "m/s^2",
           .meaning =
               "acceleration of free fall, ground axes; [0, 0, -9.80665] where it is left out"),
    NT_KEY("bodies", (nt_key_type)NT_KEY_OBJECTS, .group = nt_body_keys,
           .meaning = "the rigid bodies and points, by name; `ground` always exists"),
    NT_KEY("markers", (nt_key_type)NT_KEY_OBJECTS, .group = nt_marker_keys,
           .meaning = "named points of bodies, for use in joints, forces, expressions and records"),
    NT_KEY("joints", (nt_key_type)NT_KEY_ELEMENTS, .meaning = "what connects two bodies, by name"),
    NT_KEY("forces", (nt_key_type)NT_KEY_ELEMENTS,
           .meaning = "what acts on bodies besides gravity, by name"),
    NT_KEY("contacts", (nt_key_type)NT_KEY_ELEMENTS,
           .meaning = "surfaces that press against each other where they meet, by name"),
    NT_KEY("bearings", (nt_key_type)NT_KEY_ELEMENTS,
           .meaning =
               "ball bearings, by name: they bring their balls and cage as bodies NAME.ball1, ..., "
               "NAME.cage"),
    NT_KEY("beams", (nt_key_type)NT_KEY_ELEMENTS,
           .meaning =
               "lines that stretch, shear, twist and bend, by name: they bring their nodes as "
               "bodies NAME.root, NAME.node2, ..., NAME.tip"),
    NT_KEY("states", (nt_key_type)NT_KEY_ELEMENTS,
           .meaning =
               "first-order equations beside the mechanism, by name: each is a number that begins "
               "somewhere and changes at a rate, for use in the expressions of forces, quantities, "
               "objectives and other states, and recorded by its name"),
    NT_KEY("blocks", (nt_key_type)NT_KEY_ELEMENTS,
           .meaning = "controllers and linear systems by their coefficients, by name: each becomes "
                      "states and quantities, and its name is its output"),
    NT_KEY("events", (nt_key_type)NT_KEY_OBJECTS, .group = nt_event_keys,
           .meaning = "what happens in an instant, by name: joints let go, hold or lock, numbers "
                      "change, bodies are struck, the run ends"),
    NT_KEY("sampled", (nt_key_type)NT_KEY_OBJECTS, .group = nt_sampled_keys,
           .meaning = "controllers that look at the motion at equal times and hold what they found "
                      "in between: samplers by name, each with its values, for use in expressions "
                      "by their names, or as SAMPLER.NAME, and recorded likewise"),
    NT_KEY("cables", (nt_key_type)NT_KEY_ELEMENTS,
           .meaning =
               "lines with mass that bear tension alone, by name: they bring their inner nodes as "
               "points NAME.node1, ..."),
    NT_KEY("steady", (nt_key_type)NT_KEY_OBJECTS, .group = nt_steady_keys,
           .meaning =
               "a motion that goes on alike at every moment, for `nutate modes --about steady`: "
               "rates of joints by the joints' names, and those with which everything turns or "
               "moves, under names of their own"),
    NT_KEY("initial", NT_KEY_GROUP, .group = initial_keys,
           .meaning = "how initial values are made consistent with the joints"),
    NT_KEY("solve", NT_KEY_GROUP, .group = solve_keys,
           .meaning = "parameters that follow from conditions on the static state"),
    NT_KEY("static", NT_KEY_GROUP, .group = static_keys,
           .meaning = "where the model rests: what `nutate static` looks for"),
    NT_KEY("simulation", NT_KEY_GROUP, .group = simulation_keys,
           .meaning = "what `nutate run` computes and how"),
    NT_KEY("output", NT_KEY_GROUP, .group = output_keys, .meaning = "what the result holds"),
    NT_KEY("objectives", (nt_key_type)NT_KEY_OBJECTS, .group = nt_objective_keys,
           .meaning = "scalars of a run whose derivatives are wanted, by name"),
    {0},
};

/* ---- what a key expects, in words --------------------------------------------------------------
 */

static const char *numbers_expected(const nt_key *key, char *text, int size)
{
    size_t room = (size_t)size;
    if (key->low == 1 && !key->up_to)
        snprintf(text, room, "a number, or a list of %d numbers", key->high);
    else if (key->up_to && key->low == 1 && key->count_offset > 0)
        snprintf(text, room, "a number, or a list of up to %d numbers", key->high);
    else if (key->up_to)
        snprintf(text, room, "a list of %d to %d numbers", key->low, key->high);
    else if (key->low < key->high)
        snprintf(text, room, "a list of %d or %d numbers", key->low, key->high);
    else
        snprintf(text, room, "a list of %d numbers", key->high);
    return text;
}

static const char *choices_expected(const nt_key *key, char *text, int size)
{
    int used = 0;
    for (int i = 0; key->choices[i] && used < size; i++)
        used += snprintf(text + used, (size_t)(size - used), "%s%s",
                         i == 0                ? ""
                         : key->choices[i + 1] ? ", "
                                               : " or ",
                         key->choices[i]);
    return text;
}

const char *nt_key_expected(const nt_key *key, char *text, int size)
{
    switch ((int)key->type) {
    case NT_KEY_NUMBER:
        return key->group ? "a number, or a mapping of numbers" : "a number";
    case NT_KEY_NUMBERS:
        return numbers_expected(key, text, size);
    case NT_KEY_ARRAY:
        if (key->group)
            return "a list of mappings";
        if (key->low == 0)
            return "a list, or a list of lists";
        if (key->low == 1)
            return "a list of numbers";
        snprintf(text, (size_t)size, "a list of lists of %d numbers", key->low);
        return text;
    case NT_KEY_MATRIX:
        snprintf(text, (size_t)size, "%d lists of %d numbers, or the %d numbers of a diagonal",
                 key->high, key->high, key->high);
        return text;
    case NT_KEY_FUNCTION:
    case NT_KEY_LAW:
        return "a number or an expression";
    case NT_KEY_FUNCTIONS:
        snprintf(text, (size_t)size, "a list of %d numbers or expressions", key->high);
        return text;
    case NT_KEY_BODY:
        return "the name of a body";
    case NT_KEY_BODIES:
        return "a list of two bodies";
    case NT_KEY_POINT:
        return "a point [x, y, z] or the name of a marker";
    case NT_KEY_POINTS:
        return "a list of two points";
    case NT_KEY_ROUTE:
        return "a list of two or more points of bodies";
    case NT_KEY_AXES:
        return "a list of two axes [x, y, z]";
    case NT_KEY_JOINT:
        return "the name of a joint";
    case NT_KEY_JOINTS:
        return "a list of two joints";
    case NT_KEY_BEAM:
        return "the name of a beam";
    case NT_KEY_CHOICE:
        return choices_expected(key, text, size);
    case NT_KEY_BOOLEAN:
        return "true or false";
    case NT_KEY_TEXT:
        return "a text";
    case NT_KEY_TEXTS:
        return "a list of names";
    case NT_KEY_VERSION:
        return "the number 1";
    case NT_KEY_GROUP:
        return key->choices ? "a mapping of keys, or none" : "a mapping of keys";
    case NT_KEY_ACTIONS:
        return "a list of mappings such as {release: JOINT}";
    case NT_KEY_SHAPES:
        return "a shape or a list of shapes";
    case NT_KEY_COLOR:
        return "a color";
    case NT_KEY_ROWS:
        snprintf(text, (size_t)size, "%s lists of %d numbers", key->high == 3 ? "3" : "3 or more",
                 key->low);
        return text;
    case NT_KEY_OPTIONS:
        return "a mapping of values by name";
    case NT_KEY_PARAMETERS:
        return "a mapping of numbers by name";
    case NT_KEY_EXPRESSIONS:
        return "a mapping of expressions by name";
    case NT_KEY_FILES:
        return "a mapping of files by name";
    default:
        return "a mapping by name";
    }
}
