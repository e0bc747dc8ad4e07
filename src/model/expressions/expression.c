/* Evaluation of expressions: values, derivatives along a curve, partial derivatives. */
#include "model/expressions/expression.h"
#include "base/number.h"

#include "model/expressions/expression_code.h"

#include <math.h>
#include <string.h>

static const double LN_2 = 0.69314718055994530942, LN_10 = 2.30258509299404568402;

/* ---- values --------------------------------------------------------------------------------- */

/* The remainder of a / b with the sign of b. */
static double modulo(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* 10 u^3 - 15 u^4 + 6 u^5, by its symmetry about the middle: near 1 the powers would cancel. */
static double rise(double u)
{
    double w = u > 0.5 ? 1 - u : u, r = w * w * w * (10 + w * (6 * w - 15));
    return u <= 0 ? 0 : u >= 1 ? 1 : u > 0.5 ? 1 - r : r;
}

static double unary_value(int operation, double a)
{
    switch (operation) {
    case NT_OP_NEGATE:
        return -a;
    case NT_OP_SIN:
        return sin(a);
    case NT_OP_COS:
        return cos(a);
    case NT_OP_TAN:
        return tan(a);
    case NT_OP_ASIN:
        return asin(a);
    case NT_OP_ACOS:
        return acos(a);
    case NT_OP_ATAN:
        return atan(a);
    case NT_OP_SINH:
        return sinh(a);
    case NT_OP_COSH:
        return cosh(a);
    case NT_OP_TANH:
        return tanh(a);
    case NT_OP_ASINH:
        return asinh(a);
    case NT_OP_ACOSH:
        return acosh(a);
    case NT_OP_ATANH:
        return atanh(a);
    case NT_OP_EXP:
        return exp(a);
    case NT_OP_LOG:
        return log(a);
    case NT_OP_LOG10:
        return log10(a);
    case NT_OP_LOG2:
        return log2(a);
    case NT_OP_SQRT:
        return sqrt(a);
    case NT_OP_CBRT:
        return cbrt(a);
    case NT_OP_ERF:
        return erf(a);
    case NT_OP_ABS:
        return fabs(a);
    case NT_OP_RISE:
        return rise(a);
    case NT_OP_SIGN:
        return isnan(a) ? a : (a > 0) - (a < 0);
    case NT_OP_FLOOR:
        return floor(a);
    case NT_OP_CEIL:
        return ceil(a);
    case NT_OP_ROUND:
        return round(a);
    case NT_OP_HEAVISIDE:
        return isnan(a) ? a : a >= 0;
    default:
        return a == 0; /* NT_OP_NOT */
    }
}

/* NaN is kept by min and max: a lost NaN would hide a mistake. */
double nt_operation_value(int operation, double a, double b, double c, const nt_table *table)
{
    double cubic[3], map[6];
    switch (operation) {
    case NT_OP_MAP:
        nt_map_evaluate(table, a, b, map);
        return map[0];
    case NT_OP_TABLE:
        nt_table_evaluate(table, a, cubic);
        return cubic[0];
    case NT_OP_ADD:
        return a + b;
    case NT_OP_SUBTRACT:
        return a - b;
    case NT_OP_MULTIPLY:
        return a * b;
    case NT_OP_DIVIDE:
        return a / b;
    case NT_OP_POWER:
        return pow(a, b);
    case NT_OP_ATAN2:
        return atan2(a, b);
    case NT_OP_HYPOT:
        return hypot(a, b);
    case NT_OP_MOD:
        return modulo(a, b);
    case NT_OP_MIN:
        return a <= b || isnan(a) ? a : b;
    case NT_OP_MAX:
        return a >= b || isnan(a) ? a : b;
    case NT_OP_LESS:
        return a < b;
    case NT_OP_LESS_EQUAL:
        return a <= b;
    case NT_OP_EQUAL:
        return a == b;
    case NT_OP_DIFFER:
        return a != b;
    case NT_OP_AND:
        return a != 0 && b != 0;
    case NT_OP_OR:
        return a != 0 || b != 0;
    case NT_OP_IF:
        return a != 0 ? b : c;
    case NT_OP_BLEND:
        return a == 1 ? b : a == 0 ? c : a * b + (1 - a) * c;
    default:
        return unary_value(operation, a);
    }
}

/* ---- derivatives of one operand: f' and f'' ------------------------------------------------- */

typedef struct curve {
    double d, dd; /* f', f'' */
} curve;

/* Circular and hyperbolic functions and their inverses; zero for others. x the operand, f = f(x);
 * written so that large x does not cancel or overflow, here and below. */
static curve circular_curve(int operation, double x, double f)
{
    double d, s;
    switch (operation) {
    case NT_OP_SIN:
        return (curve){cos(x), -f};
    case NT_OP_COS:
        return (curve){-sin(x), -f};
    case NT_OP_TAN:
        d = 1 + f * f;
        return (curve){d, 2 * f * d};
    case NT_OP_ASIN:
        d = 1 / sqrt((1 - x) * (1 + x));
        return (curve){d, x * d * d * d};
    case NT_OP_ACOS:
        d = -1 / sqrt((1 - x) * (1 + x));
        return (curve){d, x * d * d * d};
    case NT_OP_ATAN:
        d = 1 / (1 + x * x);
        return (curve){d, -2 * x * d * d};
    case NT_OP_SINH:
        return (curve){cosh(x), f};
    case NT_OP_COSH:
        return (curve){sinh(x), f};
    case NT_OP_TANH:
        s = 1 / cosh(x), d = s * s;
        return (curve){d, -2 * f * d};
    case NT_OP_ASINH:
        d = 1 / hypot(1, x);
        return (curve){d, -x * d * d * d};
    case NT_OP_ACOSH:
        d = 1 / (sqrt(x - 1) * sqrt(x + 1));
        return (curve){d, -x * d * d * d};
    case NT_OP_ATANH:
        d = 1 / ((1 - x) * (1 + x));
        return (curve){d, 2 * x * d * d};
    default:
        return (curve){0, 0}; /* constant pieces */
    }
}

static curve unary_curve(int operation, double x, double f, const nt_table *table)
{
    double d, cubic[3];
    switch (operation) {
    case NT_OP_NEGATE:
        return (curve){-1, 0};
    case NT_OP_EXP:
        return (curve){f, f};
    case NT_OP_LOG:
        d = 1 / x;
        return (curve){d, -d * d};
    case NT_OP_LOG10:
        d = 1 / (x * LN_10);
        return (curve){d, -d / x};
    case NT_OP_LOG2:
        d = 1 / (x * LN_2);
        return (curve){d, -d / x};
    case NT_OP_SQRT:
        d = 0.5 / f;
        return (curve){d, -0.5 * d / x};
    case NT_OP_CBRT:
        d = 1 / (3 * f * f);
        return (curve){d, -2 * d / (3 * x)};
    case NT_OP_ERF:
        d = 2 / sqrt(NT_PI) * exp(-x * x);
        return (curve){d, -2 * x * d};
    case NT_OP_ABS:
        return (curve){(x > 0) - (x < 0), 0};
    case NT_OP_RISE:
        if (!(x > 0 && x < 1))
            return (curve){0, 0};
        return (curve){30 * x * x * (1 - x) * (1 - x), 60 * x * (1 - x) * (1 - 2 * x)};
    case NT_OP_TABLE:
        nt_table_evaluate(table, x, cubic);
        return (curve){cubic[1], cubic[2]};
    default:
        return circular_curve(operation, x, f);
    }
}

/* ---- derivatives of two operands ------------------------------------------------------------ */

typedef struct slopes {
    double a, b, aa, ab, bb; /* partial derivatives with respect to the operands */
} slopes;

/* n x^(n - k) times further factors, where a zero factor wins over a pole at x = 0. */
static double factor_power(double factor, double x, double exponent)
{
    return factor == 0 ? 0 : factor * pow(x, exponent);
}

/* f = a^b. The terms with log a are wanted only where b varies; at a = 0 they vanish for b > 0. */
static slopes power_slopes(double a, double b, double f, bool exponent_varies)
{
    slopes s = {.a = factor_power(b, a, b - 1), .aa = factor_power(b * (b - 1), a, b - 2)};
    if (exponent_varies && !(a == 0 && b > 0)) {
        double l = log(a);
        s.b = f * l;
        s.bb = s.b * l;
        s.ab = pow(a, b - 1) * (1 + b * l);
    }
    return s;
}

static slopes binary_slopes(int operation, double a, double b, double f, bool second_varies,
                            const nt_table *table)
{
    slopes s = {0};
    double r, map[6];
    switch (operation) {
    case NT_OP_MAP:
        nt_map_evaluate(table, a, b, map);
        s = (slopes){.a = map[1], .b = map[2], .aa = map[3], .ab = map[4], .bb = map[5]};
        break;
    case NT_OP_ADD:
        s.a = s.b = 1;
        break;
    case NT_OP_SUBTRACT:
        s.a = 1, s.b = -1;
        break;
    case NT_OP_MULTIPLY:
        s.a = b, s.b = a, s.ab = 1;
        break;
    case NT_OP_DIVIDE:
        s.a = 1 / b, s.b = -f / b;
        s.ab = -s.a / b, s.bb = 2 * f / b / b;
        break;
    case NT_OP_POWER:
        s = power_slopes(a, b, f, second_varies);
        break;
    case NT_OP_ATAN2:
        r = hypot(a, b);
        if (r > 0) {
            double y = a / r, x = b / r;
            s.a = x / r, s.b = -y / r;
            s.aa = -2 * x * y / r / r, s.bb = -s.aa, s.ab = (y - x) * (y + x) / r / r;
        }
        break;
    case NT_OP_HYPOT:
        if (f > 0) {
            s.a = a / f, s.b = b / f;
            s.aa = s.b * s.b / f, s.ab = -s.a * s.b / f, s.bb = s.a * s.a / f;
        }
        break;
    case NT_OP_MOD:
        s.a = 1, s.b = second_varies ? -floor(a / b) : 0;
        break;
    case NT_OP_MIN:
        s.a = a <= b, s.b = 1 - s.a;
        break;
    case NT_OP_MAX:
        s.a = a >= b, s.b = 1 - s.a;
        break;
    default:
        break; /* comparisons and logic */
    }
    return s;
}

/* ---- forward: values ------------------------------------------------------------------------ */

static const nt_table *table_of(const nt_expression *e, const nt_code *code)
{
    return code->operation == NT_OP_TABLE ? e->tables[code->b]
           : code->operation == NT_OP_MAP ? e->tables[code->c]
                                          : NULL;
}

/* ---- sides of bends -------------------------------------------------------------------------
 *
 * Where the motion stops at a place at which an operation bends, its argument is zero there by
 * rounding, of either sign. The side on which a step lies is a variable then, 1 or -1, and the
 * operation goes on with what it is on that side. */

/* 0: none is held. */
static inline double side_of(const nt_code *code, const double *variables)
{
    return code->side > 0 ? variables[code->side - 1] : 0;
}

/* Value, first and second derivative of an operation of one operand. */
static void beside(const nt_expression *e, const nt_code *code, double side, double a,
                   double out[3])
{
    if (code->operation == NT_OP_TABLE)
        nt_table_beside(e->tables[code->b], a, side, out);
    else /* abs */
        out[0] = side * a, out[1] = side, out[2] = 0;
}

/* Whether min or max is the first of its operands. */
static inline bool is_first(const nt_code *code, double side)
{
    return (side > 0) == (code->operation == NT_OP_MAX);
}

static double beside_value(const nt_expression *e, const nt_code *code, double side, double a,
                           double b)
{
    double out[3];
    if (code->operation == NT_OP_MIN || code->operation == NT_OP_MAX)
        return is_first(code, side) ? a : b;
    beside(e, code, side, a, out);
    return out[0];
}

void nt_expression_fill(const nt_expression *e, const double *variables, double *value)
{
    for (int i = 0; i < e->n; i++) {
        const nt_code *code = &e->code[i];
        double side = side_of(code, variables);
        if (code->operation == NT_OP_CONSTANT)
            value[i] = e->constants[code->a];
        else if (code->operation == NT_OP_VARIABLE)
            value[i] = variables[code->a];
        else if (side != 0)
            value[i] = beside_value(e, code, side, value[code->a], value[code->b]);
        else if (code->operation == NT_OP_TABLE)
            value[i] = nt_operation_value(NT_OP_TABLE, value[code->a], 0, 0, e->tables[code->b]);
        else if (code->operation == NT_OP_MAP)
            value[i] = nt_operation_value(NT_OP_MAP, value[code->a], value[code->b], 0,
                                          e->tables[code->c]);
        else
            value[i] = nt_operation_value(code->operation, value[code->a], value[code->b],
                                          value[code->c], NULL);
    }
}

double nt_expression_value(const nt_expression *e, const double *variables)
{
    double value[NT_EXPRESSION_ROOM];
    if (e->n_used == 0)
        return e->constant;
    nt_expression_fill(e, variables, value);
    return value[e->n - 1];
}

static curve unary_curve_of(const nt_expression *e, const nt_code *code, double side, double x,
                            double f)
{
    double out[3];
    if (side == 0)
        return unary_curve(code->operation, x, f, table_of(e, code));
    beside(e, code, side, x, out);
    return (curve){out[1], out[2]};
}

/* ---- forward: derivatives along a curve -------------------------------------------------------
 */

typedef struct jet {
    double f, d, dd; /* value, first and second derivative along the curve */
} jet;

/* A product in which zero wins: what is at rest contributes nothing, whatever the slope. */
static double at_rest(double slope, double motion) { return motion == 0 ? 0 : slope * motion; }

/* f(a): f' a_dot;  f' a_ddot + f'' a_dot^2 */
static jet unary_jet(const nt_expression *e, const nt_code *code, double side, jet a)
{
    const nt_table *table = table_of(e, code);
    jet r = {.f = side != 0 ? beside_value(e, code, side, a.f, 0)
                            : nt_operation_value(code->operation, a.f, 0, 0, table)};
    if (a.d == 0 && a.dd == 0)
        return r;
    curve c = unary_curve_of(e, code, side, a.f, r.f);
    r.d = at_rest(c.d, a.d);
    r.dd = at_rest(c.d, a.dd) + at_rest(c.dd, a.d * a.d);
    return r;
}

/* f(a, b): f_a a_dot + f_b b_dot;
 *          f_a a_ddot + f_b b_ddot + f_aa a_dot^2 + 2 f_ab a_dot b_dot + f_bb b_dot^2 */
static jet binary_jet(const nt_expression *e, const nt_code *code, jet a, jet b)
{
    const nt_table *table = table_of(e, code);
    jet r = {.f = nt_operation_value(code->operation, a.f, b.f, 0, table)};
    if (a.d == 0 && a.dd == 0 && b.d == 0 && b.dd == 0)
        return r;
    slopes s = binary_slopes(code->operation, a.f, b.f, r.f, b.d != 0 || b.dd != 0, table);
    r.d = at_rest(s.a, a.d) + at_rest(s.b, b.d);
    r.dd = at_rest(s.a, a.dd) + at_rest(s.b, b.dd) + at_rest(s.aa, a.d * a.d) +
           at_rest(2 * s.ab, a.d * b.d) + at_rest(s.bb, b.d * b.d);
    return r;
}

/* The branch that is taken; or c a + (1 - c) b, where c itself moves in no expression of time. */
static jet choice_jet(int operation, jet c, jet a, jet b)
{
    if (operation == NT_OP_IF || c.f == 0 || c.f == 1)
        return c.f != 0 ? a : b;
    double rest = 1 - c.f;
    return (jet){c.f * a.f + rest * b.f, c.f * a.d + rest * b.d + c.d * (a.f - b.f),
                 c.f * a.dd + rest * b.dd + 2 * c.d * (a.d - b.d) + c.dd * (a.f - b.f)};
}

void nt_expression_jet(const nt_expression *e, const double *variables, const double *rate,
                       const double *acceleration, double out[3])
{
    jet slot[NT_EXPRESSION_ROOM], result = {.f = e->constant};
    for (int i = 0; e->n_used > 0 && i < e->n; i++) {
        const nt_code *code = &e->code[i];
        int operands = nt_operands(code->operation);
        if (code->operation == NT_OP_CONSTANT)
            slot[i] = (jet){.f = e->constants[code->a]};
        else if (code->operation == NT_OP_VARIABLE)
            slot[i] = (jet){variables[code->a], rate[code->a], acceleration[code->a]};
        else if (operands == 1)
            slot[i] = unary_jet(e, code, side_of(code, variables), slot[code->a]);
        else if (operands == 2 && side_of(code, variables) != 0)
            slot[i] = slot[is_first(code, side_of(code, variables)) ? code->a : code->b];
        else if (operands == 2)
            slot[i] = binary_jet(e, code, slot[code->a], slot[code->b]);
        else
            slot[i] = choice_jet(code->operation, slot[code->a], slot[code->b], slot[code->c]);
        result = slot[i];
    }
    out[0] = result.f, out[1] = result.d, out[2] = result.dd;
}

/* ---- backward: partial derivatives ------------------------------------------------------------
 */

/* An infinite slope at a finite value counts as 0; see the header. */
static double finite_slope(double slope, double f)
{
    return isinf(slope) && isfinite(f) ? 0 : slope;
}

static int variable_place(const nt_expression *e, int variable)
{
    int low = 0, high = e->n_used;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (variable < e->used[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The slope in the condition is that between the branches, wherever it is. */
static void sweep_blend(const nt_code *code, const double *value, double w, double *adjoint)
{
    double c = value[code->a], between = value[code->b] - value[code->c];
    adjoint[code->a] += isfinite(between) ? w * between : 0;
    if (c != 0)
        adjoint[code->b] += c == 1 ? w : w * c;
    if (c != 1)
        adjoint[code->c] += c == 0 ? w : w * (1 - c);
}

/* adjoint[i] = d result / d slot i. What does not act on the result is skipped, so that the branch
 * of an `if` that is not taken cannot spoil the sum with 0 * infinity. */
static void sweep_back(const nt_expression *e, const double *variables, const double *value,
                       double *adjoint, double *partial)
{
    for (int i = e->n - 1; i >= 0; i--) {
        const nt_code *code = &e->code[i];
        int operation = code->operation, operands = nt_operands(operation);
        double w = adjoint[i], f = value[i], side = side_of(code, variables);
        if (w == 0 || operation == NT_OP_CONSTANT)
            continue;
        if (operation == NT_OP_VARIABLE) {
            partial[variable_place(e, code->a)] += w;
        } else if (operands == 1) {
            curve c = unary_curve_of(e, code, side, value[code->a], f);
            adjoint[code->a] += w * finite_slope(c.d, f);
        } else if (operands == 2 && side != 0) {
            adjoint[is_first(code, side) ? code->a : code->b] += w;
        } else if (operands == 2) {
            bool varies = e->code[code->b].operation != NT_OP_CONSTANT;
            slopes s = binary_slopes(operation, value[code->a], value[code->b], f, varies,
                                     table_of(e, code));
            adjoint[code->a] += w * finite_slope(s.a, f);
            if (varies)
                adjoint[code->b] += w * finite_slope(s.b, f);
        } else if (operation == NT_OP_IF) {
            adjoint[value[code->a] != 0 ? code->b : code->c] += w;
        } else {
            sweep_blend(code, value, w, adjoint);
        }
    }
}

double nt_expression_partials(const nt_expression *e, const double *variables, double *partial)
{
    double value[NT_EXPRESSION_ROOM], adjoint[NT_EXPRESSION_ROOM];
    if (e->n_used == 0)
        return e->constant;
    nt_expression_fill(e, variables, value);
    memset(adjoint, 0, (size_t)e->n * sizeof *adjoint);
    memset(partial, 0, (size_t)e->n_used * sizeof *partial);
    adjoint[e->n - 1] = 1;
    sweep_back(e, variables, value, adjoint, partial);
    return value[e->n - 1];
}

/* ---- questions ------------------------------------------------------------------------------ */

bool nt_expression_is_constant(const nt_expression *e, double *value)
{
    if (value && e->n_used == 0)
        *value = e->constant;
    return e->n_used == 0;
}

nt_status nt_expression_shift(const nt_expression *e, double by, nt_arena *arena,
                              const nt_expression **out)
{
    nt_expression *sum = NT_TAKE(arena, 1, nt_expression);
    if (!sum)
        return NT_NO_MEMORY;
    *sum = *e, *out = sum;
    sum->constant += by;
    if (e->n_used == 0)
        return NT_OK;
    int constants = 0;
    for (int i = 0; i < e->n; i++)
        if (e->code[i].operation == NT_OP_CONSTANT && e->code[i].a >= constants)
            constants = e->code[i].a + 1;
    nt_code *code = NT_TAKE(arena, e->n + 2, nt_code);
    double *numbers = NT_TAKE(arena, constants + 1, double);
    if (!code || !numbers)
        return NT_NO_MEMORY;
    if (e->n + 2 > NT_EXPRESSION_ROOM)
        return NT_UNSUPPORTED;
    memcpy(code, e->code, (size_t)e->n * sizeof *code);
    if (constants > 0)
        memcpy(numbers, e->constants, (size_t)constants * sizeof *numbers);
    numbers[constants] = by;
    code[e->n] = (nt_code){.operation = NT_OP_CONSTANT, .a = constants};
    code[e->n + 1] = (nt_code){.operation = NT_OP_ADD, .a = e->n - 1, .b = e->n};
    sum->code = code, sum->constants = numbers, sum->n = e->n + 2;
    return NT_OK;
}

const int *nt_expression_variables(const nt_expression *e, int *count)
{
    *count = e->n_used;
    return e->used;
}

bool nt_expression_stands_off_zero(const nt_expression *e, const double *variables, int first)
{
    double value[NT_EXPRESSION_ROOM];
    const nt_code *last = e->n_used > 0 ? &e->code[e->n - 1] : NULL;
    if (!last || (last->operation != NT_OP_ADD && last->operation != NT_OP_SUBTRACT))
        return false;
    nt_expression_fill(e, variables, value);
    for (int i = 0; i < 2; i++) {
        int fixed = i ? last->a : last->b, other = i ? last->b : last->a;
        const nt_code *c = &e->code[fixed];
        bool stays =
            c->operation == NT_OP_CONSTANT || (c->operation == NT_OP_VARIABLE && c->a < first);
        if (stays && value[fixed] != 0 && value[other] == 0)
            return true;
    }
    return false;
}

bool nt_expression_uses(const nt_expression *e, int variable)
{
    return e->n_used > 0 && e->used[variable_place(e, variable)] == variable;
}

bool nt_expression_is_like(const nt_expression *a, const nt_expression *b, nt_same_variable is_same,
                           const void *context)
{
    bool same = a->n == b->n && a->n_used == b->n_used && a->n_tables == b->n_tables &&
                (a->n_used > 0 || a->constant == b->constant);
    for (int i = 0; i < a->n && same; i++) {
        nt_code x = a->code[i], y = b->code[i];
        same = x.operation == y.operation && x.b == y.b && x.c == y.c; /* sides follow from these */
        if (x.operation == NT_OP_CONSTANT)
            same = same && a->constants[x.a] == b->constants[y.a];
        else if (x.operation == NT_OP_VARIABLE)
            same = same && is_same(context, x.a, y.a);
        else
            same = same && x.a == y.a;
    }
    for (int i = 0; i < a->n_tables && same; i++)
        same = a->tables[i] == b->tables[i];
    return same;
}

static bool is_same_number(const void *context, int a, int b)
{
    (void)context;
    return a == b;
}

bool nt_expression_is_same(const nt_expression *a, const nt_expression *b)
{
    return nt_expression_is_like(a, b, is_same_number, NULL);
}

/* Whether an operation's value may jump where its first two operands change. */
static bool switches(int operation)
{
    return (operation >= NT_OP_SIGN && operation < NT_OP_FLAT_END) || operation == NT_OP_MOD ||
           (operation >= NT_OP_LESS && operation < NT_OP_LOGIC_END) || operation == NT_OP_IF ||
           operation == NT_OP_BLEND;
}

bool nt_expression_jumps(const nt_expression *e, int time)
{
    bool changes[NT_EXPRESSION_ROOM] = {false}; /* besides in time */
    for (int i = 0; i < e->n; i++) {
        const nt_code *c = &e->code[i];
        int operands = nt_operands(c->operation);
        bool a = operands > 0 && changes[c->a], b = operands > 1 && changes[c->b];
        const nt_table *table = table_of(e, c);
        bool jumps = switches(c->operation) || (table && table->form.interpolation == NT_PREVIOUS);
        if (jumps && (a || (b && operands < 3)))
            return true;
        changes[i] = c->operation == NT_OP_VARIABLE ? c->a != time
                                                    : a || b || (operands > 2 && changes[c->c]);
    }
    return false;
}

bool nt_expression_is_condition(const nt_expression *e)
{
    int operation = e->n > 0 ? e->code[e->n - 1].operation : NT_OP_CONSTANT;
    return operation == NT_OP_NOT || (operation >= NT_OP_LESS && operation < NT_OP_LOGIC_END);
}

/* Degree of a choice between branches that the condition blends. */
static int blend_degree(int condition, int a, int b) { return a + b > 0 ? 2 : condition; }

static bool is_straight(const nt_expression *e, const nt_code *c)
{
    const nt_table *table = table_of(e, c);
    return c->operation == NT_OP_ABS || c->operation == NT_OP_MIN || c->operation == NT_OP_MAX ||
           (table && table->form.interpolation == NT_LINEAR);
}

static bool is_affine(const nt_expression *e, int variable, bool in_pieces)
{
    unsigned char degree[NT_EXPRESSION_ROOM];
    for (int i = 0; i < e->n; i++) {
        const nt_code *c = &e->code[i];
        int operands = nt_operands(c->operation);
        int a = operands > 0 ? degree[c->a] : 0, b = operands > 1 ? degree[c->b] : 0;
        int any = a + b + (operands > 2 ? degree[c->c] : 0);
        bool straight = c->operation == NT_OP_NEGATE || c->operation == NT_OP_ADD ||
                        c->operation == NT_OP_SUBTRACT || (in_pieces && is_straight(e, c));
        bool scales = c->operation == NT_OP_MULTIPLY || (c->operation == NT_OP_DIVIDE && b == 0);
        int blend = c->operation == NT_OP_BLEND ? blend_degree(a, b, degree[c->c]) : 0;
        degree[i] = (unsigned char)(c->operation == NT_OP_VARIABLE ? c->a == variable
                                    : c->operation == NT_OP_BLEND  ? blend
                                    : straight                     ? (a > b ? a : b)
                                    : scales || any == 0           ? any
                                                                   : 2);
        if (degree[i] > 1)
            return false;
    }
    return true;
}

bool nt_expression_is_affine(const nt_expression *e, int variable)
{
    return is_affine(e, variable, false);
}

bool nt_expression_is_affine_in_pieces(const nt_expression *e, int variable)
{
    return is_affine(e, variable, true);
}

const nt_table *nt_expression_direct_table(const nt_expression *e, int i)
{
    for (int k = 0; k < e->n; k++)
        if (e->code[k].operation == NT_OP_TABLE &&
            e->code[e->code[k].a].operation == NT_OP_VARIABLE && i-- == 0)
            return e->tables[e->code[k].b];
    return NULL;
}
