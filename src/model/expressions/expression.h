/* Expressions: numbers as functions of named quantities, with exact derivatives.
 *
 *   or                          lowest
 *   and
 *   not
 *   < <= > >= == !=             1 or 0; they do not chain
 *   + -
 *   * /
 *   - + (sign)
 *   ^                           right to left; -2^2 is -4, 2^-1 is 0.5
 *   numbers, names, pi, tau, deg, ( ), FUNCTION(...)
 *
 * The arguments of norm, dot and angle_between are vectors: sums and differences of
 *
 *   NAME                        where NAME.x, NAME.y, NAME.z are variables
 *   [x, y, z]                   three expressions
 *   cross(vector, vector)
 *
 * each with a sign, or times or divided by a number that stands behind it.
 *
 * Any number that is not zero counts as true. The functions are listed by nt_expression_function.
 *
 * Derivatives. Where a function has a kink or a jump (abs, min, max, if, floor, comparisons, ...)
 * derivatives are those of the branch that gives the value; of equal arguments min and max take
 * the first; abs and hypot have slope 0 at 0. step() is smooth: twice continuously differentiable.
 * A sub-expression at rest (all its derivatives zero) contributes nothing, whatever the slope. */
#ifndef NUTATE_MODEL_EXPRESSION_H
#define NUTATE_MODEL_EXPRESSION_H

#include "base/arena.h"
#include "model/expressions/table.h"

#include <nutate/status.h>
#include <stdbool.h>

/* Limits of one expression: nesting of parentheses, functions, signs and powers; operations left
 * after folding constants; characters. They bound the machine stack that parsing and evaluation
 * take. */
enum { NT_EXPRESSION_DEPTH = 100, NT_EXPRESSION_ROOM = 1000, NT_EXPRESSION_LENGTH = 1 << 16 };

typedef struct nt_expression nt_expression;

/* What names mean. Every callback may be NULL: then there are no such names. */
typedef struct nt_symbols {
    void *context; /* passed to the callbacks */

    /* Index >= 0 of a variable, or -1 where there is none of this name. The name may contain dots
     * (arm.velocity.x); it is not terminated. */
    int (*resolve)(void *context, const char *name, int length);

    /* How many numbers are recorded under this name: 3 of a vector, 0 where none are or where that
     * is not known. It leaves nothing behind. */
    int (*numbers)(void *context, const char *name, int length);

    /* The text of the expression that has this name, [*text_length], or NULL. It stands in place of
     * its name as if in parentheses. Text that contains itself by its names is refused. */
    const char *(*named)(void *context, const char *name, int length, int *text_length);

    /* Where not NULL: set to the text that the column of an error counts in, the one that is
     * translated or one of those that have a name.                                          out */
    const char **failed_in;

    /* The table of this name, or NULL. name is what stands in table(name, x), without quotes when
     * `quoted`; not terminated. The error may be filled: nt_table_sheet_read's is what is expected.
     */
    const nt_table *(*table)(void *context, const char *name, int length, bool quoted,
                             nt_error *error);

    /* Called for every operation whose value or slope may jump, with the argument at whose passing
     * of a point it does: of a comparison the left side less the right one, of mod(x, y) x/y as of
     * floor. Index >= 0 of a variable that stands in place of it; -1: it stays as it is; -2: memory
     * is out. The argument lives in the arena; operation: an nt_operation. */
    int (*hold)(void *context, int operation, const struct nt_expression *argument,
                const nt_table *table);
    /* Of a table by `previous` in whose place such a variable stands, where that may also lie
     * between two of its points: the variable that is the point below. -1: it always is one. */
    int (*piece)(void *context, int variable);

    /* delay(of, by): index >= 0 of the variable that it is, or -1 with *words set to why it cannot
     * be here; -2: memory is out. text[length] is how it is written, without its name. */
    int (*delay)(void *context, const struct nt_expression *of, const struct nt_expression *by,
                 const char *text, int length, const char **words);

    /* Variable names for "did you mean": the i-th for i = 0, 1, ..., NULL after the last. */
    const char *(*candidate)(void *context, int i);
} nt_symbols;

/* Translate text[length], which need not be terminated or outlive the call; tables must outlive
 * the expression. symbols may be NULL. The expression lives in the arena.
 * Errors: NT_BAD_MODEL with the column, counted in characters from 1, of the first one that does
 * not fit, and neither file nor line; an error inside a table's file has the place there, one that
 * concerns the file as a whole keeps its status (NT_IO) and points at its name in the text. */
nt_status nt_expression_parse(const char *text, int length, const nt_symbols *symbols,
                              nt_arena *arena, const nt_expression **expression, nt_error *error);

/* Evaluation never allocates and never fails: outside a function's domain the value is NaN or
 * infinite, as in C. variables[] is indexed as the names were resolved; only those that
 * nt_expression_variables lists are read. */
double nt_expression_value(const nt_expression *e, const double *variables);

/* Says in words which operation has no finite value where the whole has none; false where it is no
 * single one. */
bool nt_expression_why(const nt_expression *e, const double *variables, char *text, size_t size);

/* Value, first and second derivative along a curve.
 * rate, acceleration   indexed like variables: their first and second derivatives along the curve.
 *                      For derivatives in time of an expression of t alone: rate 1, acceleration 0
 */
void nt_expression_jet(const nt_expression *e, const double *variables, const double *rate,
                       const double *acceleration, double out[3]);

/* Value and partial derivatives, by one sweep backwards.
 * partial  [count of nt_expression_variables]  in the order of that list                      out
 * A slope that is infinite at a finite value (sqrt at 0) counts as 0: a drag law written with
 * sqrt(vx^2 + vy^2) has a tangent at rest. nt_expression_jet gives such slopes as they are. */
double nt_expression_partials(const nt_expression *e, const double *variables, double *partial);

/* Whether the value depends on no variable; then it is in *value (which may be NULL). */
bool nt_expression_is_constant(const nt_expression *e, double *value);

/* The expression plus a number, in the arena, with the tables of the first. NT_UNSUPPORTED where it
 * has no room for another operation. */
nt_status nt_expression_shift(const nt_expression *e, double by, nt_arena *arena,
                              const nt_expression **shifted);

/* The variables it depends on: their indices, ascending, each once; the array belongs to the
 * expression. */
const int *nt_expression_variables(const nt_expression *e, int *count);
bool nt_expression_uses(const nt_expression *e, int variable);
/* Whether it is the sum or the difference of a constant, or a variable below `first`, and what is
 * zero to the last bit now: no rounding is in its value. */
bool nt_expression_stands_off_zero(const nt_expression *expression, const double *variables,
                                   int first);
/* Whether two are the same operations on the same numbers, variables and tables. */
bool nt_expression_is_same(const nt_expression *a, const nt_expression *b);

/* Whether its value may jump where a variable other than `time` (-1: any) passes a point: if,
 * comparisons, sign, floor, mod and the like. */
bool nt_expression_jumps(const nt_expression *e, int time);

/* Whether it is true or false, 1 or 0: a comparison, and, or, not. */
bool nt_expression_is_condition(const nt_expression *e);

/* Whether its value is a + b x in a variable, all others held. */
bool nt_expression_is_affine(const nt_expression *e, int variable);
/* Whether it is so between the points at which an abs, min, max or table of straight lines in it
 * bends. */
bool nt_expression_is_affine_in_pieces(const nt_expression *e, int variable);

/* A table in it whose value, slope (derivative 0, 1) or second derivative (2) jumps and whose
 * argument changes with the variable: at its points; or, at_ends, where the argument passes an end
 * of the table as the variable goes from one value to another, sampled between them; then
 * variables[], as those of nt_expression_value, is used and left as it was. */
typedef struct nt_roughness {
    const nt_table *table; /* NULL: none is */
    int derivative;
    bool at_ends;
} nt_roughness;
nt_roughness nt_expression_roughness(const nt_expression *e, int variable, double from, double to,
                                     double *variables);

/* The i-th table in it whose argument is a variable as it stands; NULL behind the last. */
const nt_table *nt_expression_direct_table(const nt_expression *e, int i);

/* Row i of the list of functions and constants, for documentation and for refusing such names;
 * NULL after the last. */
typedef struct nt_function_help {
    const char *name, *arguments, *meaning; /* arguments is empty for a constant */
} nt_function_help;
const nt_function_help *nt_expression_function(int i);

/* Whether a variable of this name could never be used: a constant or a word of the grammar. */
bool nt_expression_reserved(const char *name, int length);

#endif
