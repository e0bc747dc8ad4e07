/* Blocks: equations of controllers and plants that are written so often that their coefficients are
 * enough. The reader makes states and quantities of them (input/read_blocks.c), so that nothing
 * else needs to know of blocks: the types here hold their keys alone. */
#include "model/elements.h"

const nt_section nt_block_section = {.name = "blocks", .word = "block"};

#define KEY(name_, type_, ...) NT_KEY(name_, type_, .bit = -1, __VA_ARGS__)
#define FUNCTION "a function of t, parameters, positions, velocities and states"

static const nt_key transfer_keys[] = {
    KEY("input", NT_KEY_FUNCTION, .required = true, .meaning = "what goes in: " FUNCTION),
    KEY("numerator", NT_KEY_ARRAY, .low = 1, .required = true,
        .meaning = "coefficients of powers of s, the highest power first"),
    KEY("denominator", NT_KEY_ARRAY, .low = 1, .required = true,
        .meaning = "likewise; of the numerator's degree at least"),
    KEY("initial", NT_KEY_ARRAY, .low = 1,
        .meaning = "where the states NAME.x1, NAME.x2, ... begin; default 0"),
    {0},
};

static const nt_key space_keys[] = {
    KEY("inputs", NT_KEY_ARRAY, .low = 0, .required = true,
        .meaning = "what goes in, u: a list of functions of t, parameters, positions, velocities "
                   "and states"),
    KEY("A", NT_KEY_ARRAY, .low = 0, .required = true, .meaning = "x' = A x + B u: rows of A"),
    KEY("B", NT_KEY_ARRAY, .low = 0, .required = true,
        .meaning = "rows of B; of one input or one state a plain list serves"),
    KEY("C", NT_KEY_ARRAY, .low = 0, .required = true,
        .meaning = "y = C x + D u: rows of C; of one output or one state a plain list serves"),
    KEY("D", NT_KEY_ARRAY, .low = 0, .meaning = "rows of D; default 0"),
    KEY("initial", NT_KEY_ARRAY, .low = 1,
        .meaning = "where the states NAME.x1, NAME.x2, ... begin; default 0"),
    {0},
};

static const nt_key pid_keys[] = {
    KEY("error", NT_KEY_FUNCTION, .required = true,
        .meaning = "wanted minus measured, e: " FUNCTION),
    KEY("proportional", NT_KEY_FUNCTION, .meaning = "gain of e; default 0"),
    KEY("integral", NT_KEY_FUNCTION, .meaning = "gain of the integral of e; default none"),
    KEY("derivative", NT_KEY_FUNCTION, .meaning = "gain of the rate of e; default none"),
    KEY("rate", NT_KEY_FUNCTION, .needs = "derivative",
        .meaning = "the rate of e, where it is known: then it need not be found by a filter"),
    KEY("filter", NT_KEY_FUNCTION, .needs = "derivative", .unit = "s",
        .meaning = "time constant of the filter of the derivative; needed without `rate`"),
    KEY("limits", NT_KEY_FUNCTIONS, .high = 2,
        .meaning = "lower and upper limit of the output: the integral then follows it"),
    KEY("tracking", NT_KEY_FUNCTION, .needs = "limits", .unit = "s",
        .meaning = "time constant with which the integral gives way beyond the limits; default "
                   "proportional/integral"),
    KEY("initial_integral", NT_KEY_NUMBER, .needs = "integral",
        .meaning = "where the integral's share of the output begins; default 0"),
    KEY("initial_error", NT_KEY_NUMBER, .needs = "filter",
        .meaning = "where the filtered e begins; default 0, so that an error at the start kicks"),
    {0},
};

#define BLOCK(variable, name_, summary_, keys_)                                                    \
    const nt_element_type variable = {                                                             \
        .version = NT_ELEMENT_VERSION,                                                             \
        .section = &nt_block_section,                                                              \
        .name = name_,                                                                             \
        .summary = summary_,                                                                       \
        .keys = keys_,                                                                             \
        .size = sizeof(unsigned),                                                                  \
    }

BLOCK(nt_block_transfer_function, "transfer_function",
      "a quotient of two polynomials of s; NAME is its output, NAME.x1, NAME.x2, ... its states",
      transfer_keys);
BLOCK(nt_block_state_space, "state_space",
      "x' = A x + B u, y = C x + D u; NAME is the output, NAME.y1, NAME.y2, ... where there are "
      "several, NAME.x1, NAME.x2, ... the states",
      space_keys);
BLOCK(nt_block_pid, "pid",
      "a PID controller with a filtered derivative and limits that the integral knows of; NAME is "
      "its output, NAME.unlimited the same before the limits, NAME.I the integral's share",
      pid_keys);
