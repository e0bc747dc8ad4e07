/* Expressions: grammar, values, exact derivatives, errors with their columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "model/expressions/expression.h"
#include "model/expressions/expression_code.h"
#include "tests/model/two_columns.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

enum { X, Y, Z, T, ARM, N_VARIABLES };
static const char *const names[N_VARIABLES] = {"x", "y", "z", "t", "arm.velocity.x"};

/* Named expressions: speed, twice, and two that name each other. */
static const char *find_named(void *context, const char *name, int length, int *text_length)
{
    static const char *const named[][2] = {
        {"speed", "norm([x, y, 6])"},
        {"twice", "2*speed + arm.velocity.x"},
        {"egg", "hen - 1"},
        {"hen", "3*egg"},
    };
    (void)context;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if ((int)strlen(named[i][0]) == length && memcmp(named[i][0], name, (size_t)length) == 0) {
            *text_length = (int)strlen(named[i][1]);
            return named[i][1];
        }
    return NULL;
}

static int resolve(void *context, const char *name, int length)
{
    (void)context;
    for (int i = 0; i < N_VARIABLES; i++)
        if ((int)strlen(names[i]) == length && memcmp(names[i], name, (size_t)length) == 0)
            return i;
    return -1;
}

static const char *candidate(void *context, int i)
{
    (void)context;
    return i < N_VARIABLES ? names[i] : NULL;
}

/* "curve" (declared or quoted) exists, "wrong.csv" has a mistake, anything else is missing. */
static const nt_table *find_table(void *context, const char *name, int length, bool quoted,
                                  nt_error *error)
{
    nt_arena *arena = context;
    const nt_table *table = NULL;
    const char *text = "0 1\n1 2\n2 2.5\n4 0\n";
    (void)quoted;
    if (length == 9 && memcmp(name, "wrong.csv", 9) == 0)
        table_parse("0 1\n1 two\n", 10, "wrong.csv", arena, &table, error);
    else if (length == 5 && memcmp(name, "curve", 5) == 0)
        table_parse(text, strlen(text), "curve", arena, &table, error);
    else if (length == 11)
        table_read("no/such/file.csv", NULL, arena, &table, error);
    return table;
}

static nt_status try_parse(nt_arena *arena, const char *text, const nt_expression **e,
                           nt_error *error)
{
    const nt_symbols symbols = {.context = arena,
                                .resolve = resolve,
                                .named = find_named,
                                .table = find_table,
                                .candidate = candidate};
    size_t length = strlen(text);
    char *exact = malloc(length ? length : 1); /* not terminated: reading on is an error of ASan */
    assert_non_null(exact);
    memcpy(exact, text, length);
    nt_status status = nt_expression_parse(exact, (int)length, &symbols, arena, e, error);
    free(exact);
    return status;
}

static const nt_expression *parse(nt_arena *arena, const char *text)
{
    const nt_expression *e = NULL;
    nt_error error;
    if (try_parse(arena, text, &e, &error) != NT_OK)
        fail_msg("%s: column %d: %s", text, error.column, error.message);
    return e;
}

static double value_of(const char *text)
{
    static const double variables[N_VARIABLES] = {2, 3, 5, 0.25, 7};
    nt_arena arena = {0};
    double value = nt_expression_value(parse(&arena, text), variables);
    nt_arena_free(&arena);
    return value;
}

static void expect_near(const char *what, double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g +- %g", what, got, expected, tolerance);
}

/* ---- grammar and values -----------------------------------------------------------------------
 */

static void values_follow_the_grammar(void **state)
{
    static const struct {
        const char *text;
        double value; /* exact: all are sums and products of small whole numbers or halves */
    } rows[] = {
        {"1", 1},
        {" 1.5e1 ", 15},
        {".5", 0.5},
        {"5.", 5},
        {"1E-2*100", 1},
        {"x+y*z", 17},
        {"(x+y)*z", 25},
        {"x-y-z", -6},
        {"60/x/y", 10},
        {"-x^2", -4},
        {"(-x)^2", 4},
        {"x^-1", 0.5},
        {"x^y^x", 512},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"2*-3", -6},
        {"x - -y", 5},
        {"--x", 2},
        {"+x", 2},
        {"arm.velocity.x/2", 3.5},
        {"x < y", 1},
        {"x > y", 0},
        {"x <= 2", 1},
        {"x >= 3", 0},
        {"x == 2", 1},
        {"x != 2", 0},
        {"not x", 0},
        {"not x == 3", 1},
        {"x < y and y < z", 1},
        {"x > y or y < z", 1},
        {"1 or 0 and 0", 1},
        {"not 0 and 0", 0},
        {"x+1 > y-1", 1},
        {"if(x > y, 1/0, z)", 5},
        {"if(1, x, y)", 2},
        {"if(0, x, y)", 3},
        {"if(x < y, x, y) * 10", 20},
        {"min(x, y, z)", 2},
        {"max(x, z, y, 4)", 5},
        {"clamp(x, 3, 4)", 3},
        {"clamp(z, 3, 4)", 4},
        {"clamp(3.5, 3, 4)", 3.5},
        {"abs(-3)", 3},
        {"sign(-x) + sign(0)", -1},
        {"floor(-1.5)", -2},
        {"ceil(-1.5)", -1},
        {"round(2.5)", 3},
        {"mod(7, 3)", 1},
        {"mod(-7, 3)", 2},
        {"mod(7, -3)", -2},
        {"mod(-6, 3)", 0},
        {"heaviside(0) + heaviside(-1)", 1},
        {"step(0, 1, 3, 2, 0.1)", 3},
        {"step(9, 1, 3, 2, 0.1)", 0.1},
        {"step(1.5, 1, 3, 2, 5)", 4},
        {"step(t, 0, 0, 1, 1)", 0.103515625}, /* u^3 (10 - 15 u + 6 u^2) at 1/4 */
        {"hypot(3, 4)", 5},
        {"pow(2, 10)", 1024},
        {"log2(8) + sqrt(16) + exp(0)", 8},
        {"table(curve, 2)", 2.5},
        {"table(\"curve\", 100)", 0},
        {"table('curve', x)", 2.5},
        {"x\n + y", 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_near(rows[i].text, value_of(rows[i].text), rows[i].value, 0);
}

/* The compiler may have computed the expected ones itself, rounded otherwise: two units in the last
 * place of numbers up to 4. */
static const double ULPS = 4 * 2.3e-16;

static void functions_are_those_of_the_library(void **state)
{
    (void)state;
    expect_near("pi", value_of("pi"), acos(-1), 0);
    expect_near("tau", value_of("tau"), 2 * acos(-1), 0);
    expect_near("sin", value_of("sin(x)"), sin(2), ULPS);
    expect_near("tan", value_of("tan(x)"), tan(2), ULPS);
    expect_near("asin", value_of("asin(t)"), asin(0.25), ULPS);
    expect_near("acos", value_of("acos(t)"), acos(0.25), ULPS);
    expect_near("deg", value_of("30*deg"), 0.52359877559829887308, ULPS);
    expect_near("norm", value_of("norm([x, y, 6])"), 7, ULPS);
    expect_near("dot", value_of("dot([1, 2, 3], [x, y, z])"), 23, ULPS);
    expect_near("numbers first", value_of("norm(2*3/2*[x, y, 6])"), 21, ULPS);
    expect_near("number in parentheses", value_of("norm((1 + 1)*(x*[x, y, 6]/2))"), 14, ULPS);
    expect_near("cross", value_of("norm(cross([1, 0, 0], [x, 3, 4]))"), 5, ULPS);
    expect_near("angle", value_of("angle_between([0, 0, 2], [0, -5, 5])"),
                0.25 * 3.14159265358979323846, ULPS);
    expect_near("named", value_of("twice - speed"), 14, ULPS);
    expect_near("atan2", value_of("atan2(-x, -y)"), atan2(-2, -3), ULPS);
    expect_near("sinh", value_of("sinh(x)"), sinh(2), ULPS);
    expect_near("acosh", value_of("acosh(x)"), acosh(2), ULPS);
    expect_near("atanh", value_of("atanh(t)"), atanh(0.25), ULPS);
    expect_near("log", value_of("log(x)"), log(2), ULPS);
    expect_near("log10", value_of("log10(x)"), log10(2), ULPS);
    expect_near("erf", value_of("erf(t)"), erf(0.25), ULPS);
    expect_near("cbrt", value_of("cbrt(-27)"), -3, ULPS);
    assert_true(isnan(value_of("min(sqrt(-1), x)")));
    assert_true(isnan(value_of("max(x, sqrt(0-x))")));
}

static void numbers_ignore_the_locale(void **state)
{
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "da_DK.UTF-8"};
    (void)state;
    for (size_t i = 0; i < sizeof commas / sizeof commas[0]; i++)
        if (setlocale(LC_NUMERIC, commas[i]))
            break;
    expect_near("0.5", value_of("0.5"), 0.5, 0);
    expect_near("halfway", value_of("9007199254740993"), 9007199254740992.0, 0);
    expect_near("long", value_of("0.1000000000000000055511151231257827021181583404541015625000000"),
                0.1, 0);
    expect_near("smallest", value_of("4.9406564584124654e-324"), 4.9406564584124654e-324, 0);
    expect_near("largest", value_of("1.7976931348623157e308"), 1.7976931348623157e308, 0);
    setlocale(LC_NUMERIC, "C");
}

static void questions_are_answered(void **state)
{
    nt_arena arena = {0};
    double value = 0;
    int count;
    (void)state;
    assert_true(nt_expression_is_constant(parse(&arena, "2*3 + if(1, 4, x)"), &value));
    expect_near("folded", value, 10, 0);
    const nt_expression *e = parse(&arena, "arm.velocity.x * x + sin(x) + if(0, y, t)");
    const int *used = nt_expression_variables(e, &count);
    assert_int_equal(count, 3);
    assert_int_equal(used[0], X);
    assert_int_equal(used[1], T);
    assert_int_equal(used[2], ARM);
    assert_true(nt_expression_uses(e, X) && nt_expression_uses(e, ARM));
    assert_false(nt_expression_uses(e, Y) || nt_expression_is_constant(e, NULL));
    double only = 4, partial = 0;
    expect_near("variable", nt_expression_partials(parse(&arena, "x"), &only, &partial), 4, 0);
    expect_near("its slope", partial, 1, 0);
    expect_near("constant", nt_expression_value(parse(&arena, "3"), NULL), 3, 0);
    assert_true(nt_expression_reserved("pi", 2) && nt_expression_reserved("and", 3));
    assert_false(nt_expression_reserved("sin", 3) || nt_expression_reserved("mass", 4));
    for (int i = 0; nt_expression_function(i); i++)
        assert_true(nt_expression_function(i)->meaning[0]);
    nt_arena_free(&arena);
}

/* ---- derivatives ------------------------------------------------------------------------------
 */

/* A curve with all derivatives: x_i(s) = a_i + b_i s + c_i s^2 / 2. */
typedef struct curve {
    double a[N_VARIABLES], b[N_VARIABLES], c[N_VARIABLES];
} curve;

static void jet_at(const nt_expression *e, const curve *c, double s, double out[3])
{
    double at[N_VARIABLES], rate[N_VARIABLES];
    for (int i = 0; i < N_VARIABLES; i++) {
        at[i] = c->a[i] + s * (c->b[i] + 0.5 * s * c->c[i]);
        rate[i] = c->b[i] + s * c->c[i];
    }
    nt_expression_jet(e, at, rate, c->c, out);
    double value = nt_expression_value(e, at);
    assert_true(memcmp(&out[0], &value, sizeof value) == 0); /* the same bits */
}

/* Central difference of order 6 of the jet's derivative `order` (0: of the value). */
static double difference(const nt_expression *e, const curve *c, int order, double h)
{
    static const double weight[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    double sum = 0, plus[3], minus[3];
    for (int k = 1; k <= 3; k++) {
        jet_at(e, c, k * h, plus);
        jet_at(e, c, -k * h, minus);
        sum += weight[k - 1] * (plus[order] - minus[order]);
    }
    return sum / h;
}

/* The partial derivatives in all variables; the value. */
static double gradient_of(const nt_expression *e, const double *at, double gradient[N_VARIABLES])
{
    double partial[N_VARIABLES], value = nt_expression_partials(e, at, partial);
    int count;
    const int *used = nt_expression_variables(e, &count);
    memset(gradient, 0, N_VARIABLES * sizeof *gradient);
    for (int k = 0; k < count; k++)
        gradient[used[k]] = partial[k];
    return value;
}

/* h^6 f^(7) / 140 and 1e-16 / h are both below 1e-12 of the functions' size (seventh derivatives
 * up to 1e6); the tolerance leaves room for the steeper ones. */
static const double STEP = 2e-3, DIFFERENCE_TOLERANCE = 2e-9;
/* Backward and forward sweeps differ by rounding only. */
static const double SWEEP_TOLERANCE = 1e-13;

static void check_derivatives(const char *text, const curve *c)
{
    nt_arena arena = {0};
    const nt_expression *e = parse(&arena, text);
    double jet[3], gradient[N_VARIABLES], along = 0, size = 0;
    jet_at(e, c, 0, jet);
    for (int order = 0; order < 2; order++) {
        double d = difference(e, c, order, STEP);
        double scale = 1 + fabs(jet[0]) + fabs(jet[1]) + fabs(jet[2]);
        if (!(fabs(d - jet[order + 1]) <= DIFFERENCE_TOLERANCE * scale))
            fail_msg("%s: derivative %d is %.15g, differences give %.15g", text, order + 1,
                     jet[order + 1], d);
    }
    double value = gradient_of(e, c->a, gradient);
    assert_true(value == jet[0]);
    for (int i = 0; i < N_VARIABLES; i++) {
        along += gradient[i] * c->b[i];
        size += fabs(gradient[i] * c->b[i]);
        assert_true(nt_expression_uses(e, i) || gradient[i] == 0);
    }
    if (!(fabs(along - jet[1]) <= SWEEP_TOLERANCE * (1 + size)))
        fail_msg("%s: the gradient gives %.17g, the jet %.17g", text, along, jet[1]);
    nt_arena_free(&arena);
}

static void every_function_has_exact_derivatives(void **state)
{
    static const char *const texts[] = {
        "x",
        "-x",
        "x+y",
        "x-y",
        "x*y",
        "x/y",
        "x^2",
        "x^3",
        "x^-1.5",
        "x^y",
        "2^x",
        "(-x)^3",
        "pow(x, 0.5)",
        "sin(x)",
        "cos(x*y)",
        "tan(t)",
        "asin(t)",
        "acos(t*x)",
        "atan(x)",
        "atan2(x, y)",
        "atan2(-x, y*t)",
        "norm([x, y, z] - [t, 1, y]*2)",
        "norm(-x*[y, z, t] + (t + 1)/2*([x, 1, 2] - sin(y)*[z, x, y])/x^2)",
        "dot(cross([x, y, z], [t, z, 1]), ([1, x, t^2]))/norm(-[y, t, 2])",
        "angle_between([x, y, 1] + [0, t, z]/x, [y, -1, x])",
        "twice*speed - x",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "asinh(x*y)",
        "acosh(1+x)",
        "atanh(t)",
        "exp(x)",
        "log(x)",
        "log10(x)",
        "log2(x)",
        "sqrt(x)",
        "cbrt(x)",
        "cbrt(-x)",
        "erf(t)",
        "abs(-x)",
        "abs(y)",
        "sign(x)*y",
        "floor(x)*y",
        "ceil(x)*y",
        "round(x)*y",
        "mod(x*7.3, y)",
        "mod(-x*7.3, y)",
        "min(x, y)",
        "max(x, y, z)",
        "hypot(x, y)",
        "clamp(x, 0, 5)*y",
        "clamp(x, 2, 5)*y",
        "step(t, 0, x, 1, y)",
        "step(t, 0.2, 1, 0.9, 5)",
        "step(x, 1, y, 2, z)",
        "heaviside(x)*y",
        "if(x < y, x*x, y)",
        "if(x > y, x*x, y*z)",
        "table(curve, x)",
        "table(curve, x*y + 1)",
        "table(curve, -x)*y",
        "(x < y)*z",
        "(x > y or not (z == 1))*z",
        "arm.velocity.x * abs(arm.velocity.x)",
        "exp(-x*t)*sin(2*pi*y)/(1+z^2)",
        "sin(x)*sin(x)+cos(x)^2",
        "hypot(x,hypot(y,z))^3",
    };
    static const curve curves[] = {
        {{0.62, 0.83, 1.4, 0.31, -0.7}, {0.9, -1.1, 0.4, 1, 0.8}, {0.7, 0.5, -1.2, 0, 0.6}},
        {{1.31, 0.57, 2.3, 0.44, 1.9}, {-0.6, 0.8, 0.3, -0.5, 1.1}, {-0.4, 1.3, 0.2, 0.9, -0.3}},
        {{0.47, 1.61, 0.9, 0.63, 0.2}, {0, 0, 1, 1, 0}, {0, 0, 0, 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t k = 0; k < sizeof curves / sizeof curves[0]; k++)
            check_derivatives(texts[i], &curves[k]);
}

/* A random smooth expression: everything stays in the functions' domains and of moderate size. */
static int random_text(char *out, int room, int depth, unsigned *seed)
{
    static const char *const forms[] = {"(%a+%b)",
                                        "(%a-%b)",
                                        "%a*%b",
                                        "%a/(2+sin(%b))",
                                        "sin(%a)",
                                        "cos(%a)",
                                        "atan2(%a, 3+cos(%b))",
                                        "tanh(%a)",
                                        "sqrt(2+tanh(%a))",
                                        "log(2+tanh(%a))",
                                        "exp(tanh(%a))",
                                        "erf(%a)",
                                        "hypot(%a, 2+tanh(%b))",
                                        "(2+tanh(%a))^sin(%b)",
                                        "-%a^2",
                                        "asinh(%a)",
                                        "if(x > -100, %a, %b)"};
    static const char *const leaves[] = {"x", "y", "z", "t", "0.7", "1.3"};
    *seed = *seed * 1664525u + 1013904223u;
    unsigned pick = *seed >> 16;
    if (depth == 0)
        return snprintf(out, (size_t)room, "%s", leaves[pick % 6]);
    int used = 0;
    for (const char *f = forms[pick % (sizeof forms / sizeof forms[0])]; *f; f++) {
        if (*f == '%' && *++f)
            used += random_text(out + used, room - used, depth - 1, seed);
        else
            out[used++] = *f;
    }
    out[used] = 0;
    return used;
}

static void random_programs_agree(void **state)
{
    static const curve c = {
        {0.3, -0.4, 0.5, 0.2, 0}, {0.5, 0.3, -0.4, 1, 0}, {0.2, -0.3, 0.1, 0, 0}};
    char text[8192];
    unsigned seed = 7;
    (void)state;
    for (int i = 0; i < 400; i++) {
        random_text(text, sizeof text, 1 + i % 4, &seed);
        check_derivatives(text, &c);
    }
}

/* Derivatives at places where the slope is infinite or does not exist. */
static void kinks_are_as_documented(void **state)
{
    static const double zero[N_VARIABLES] = {0}, one[N_VARIABLES] = {1, 1, 1, 1, 1};
    static const char *const drag[] = {"sqrt(x^2+y^2)*x", "hypot(x,y)*x", "abs(x)*x",
                                       "(x^2+y^2)^0.5*x", "(x^2+y^2)^1.5"};
    nt_arena arena = {0};
    double gradient[N_VARIABLES], jet[3];
    (void)state;
    for (size_t i = 0; i < sizeof drag / sizeof drag[0]; i++) {
        gradient_of(parse(&arena, drag[i]), zero, gradient);
        expect_near(drag[i], gradient[X], 0, 0);
        expect_near(drag[i], gradient[Y], 0, 0);
    }
    nt_expression_jet(parse(&arena, "sqrt(x)"), zero, one, zero, jet);
    assert_true(isinf(jet[1]));
    nt_expression_jet(parse(&arena, "sqrt(x)"), zero, zero, zero, jet); /* at rest */
    expect_near("at rest", jet[1], 0, 0);
    nt_expression_jet(parse(&arena, "x^2 + x^1 + x^0"), zero, one, zero, jet);
    expect_near("power value", jet[0], 1, 0);
    expect_near("power slope", jet[1], 1, 0);
    expect_near("power curvature", jet[2], 2, 0);
    gradient_of(parse(&arena, "if(x > 0, sqrt(x)/x, y)"), zero, gradient);
    expect_near("branch not taken", gradient[X], 0, 0);
    expect_near("branch taken", gradient[Y], 1, 0);
    gradient_of(parse(&arena, "min(x, y) - max(x, z)"), zero, gradient);
    expect_near("first of equals", gradient[X], 0, 0);
    expect_near("second of equals", gradient[Y], 0, 0);
    /* both ends of step: value, slope and curvature continuous */
    for (int end = 0; end < 2; end++) {
        double at[N_VARIABLES] = {end ? 1 - 1e-9 : 1e-9};
        nt_expression_jet(parse(&arena, "step(x, 0, 2, 1, 5)"), at, one, zero, jet);
        expect_near("step end", jet[0], end ? 5 : 2, 1e-15);
        expect_near("step slope", jet[1], 0, 1e-15);
        expect_near("step curvature", jet[2], 0, 3 * 60 * 1.1e-9);
    }
    nt_arena_free(&arena);
}

/* Comparisons that min and max do not decide alone are those of what is left. */
static void comparisons_with_a_bound_are_of_what_it_bounds(void **state)
{
    static const char *const same[][2] = {
        {"max(0, x) > 0", "x > 0"},
        {"0 < max(x, 0)", "x > 0"},
        {"min(x, 2) > 1", "x > 1"},
        {"1 > min(2, x)", "x < 1"},
        {"max(y, x) > y", "x > y"},
        {"max(x, y) <= y", "x <= y"},
        {"clamp(x, 1, 3) > 1", "x > 1"},
        {"clamp(x, 1, 3) < 3", "x < 3"},
        {"max(0, min(x, 1)) > 0.5", "x > 0.5"},
        {"max(0, x) >= 0", "1"},
        {"max(0, x) < 0", "0"},
        {"min(x, 0) > 0", "0"},
        {"min(y, x) <= x", "1"},
    };
    nt_arena arena = {0};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        const nt_expression *e = parse(&arena, same[i][0]), *f = parse(&arena, same[i][1]);
        for (int k = 0; k < e->n; k++)
            assert_true(e->code[k].operation != NT_OP_MIN && e->code[k].operation != NT_OP_MAX);
        for (int k = 0; k < 81; k++) { /* where they are equal too */
            const double at[N_VARIABLES] = {[X] = k % 9 / 2.0 - 0.5, [Y] = k / 9 / 2.0 - 0.5};
            expect_near(same[i][0], nt_expression_value(e, at), nt_expression_value(f, at), 0);
        }
    }
    nt_arena_free(&arena);
}

/* ---- errors -------------------------------------------------------------------------------------
 */

static void errors_name_their_column(void **state)
{
    static const struct {
        const char *text;
        int column;
        const char *says; /* part of the message */
    } rows[] = {
        {"", 1, "got nothing"},
        {"  ", 1, "got nothing"},
        {"1.0 kg", 5, "numbers carry no unit"},
        {"2x", 2, "a product needs *"},
        {"0x10", 2, "got 'x10'"},
        {"1.2.3", 4, "expected the end of the number"},
        {"1e", 2, "expected digits after"},
        {"1e+", 2, "expected digits after"},
        {"1e999", 1, "too large"},
        {"inf", 1, "unknown name 'inf'"},
        {"nan", 1, "unknown name 'nan'"},
        {"x +", 4, "got the end"},
        {"x + * y", 5, "got '*'"},
        {"x y", 3, "expected an operator or the end, got 'y'"},
        {"x 2", 3, "got '2'"},
        {"(x + y", 7, "expected ')'"},
        {"x + y)", 6, "')' without its '('"},
        {"()", 2, "got ')'"},
        {"rad2deg(x)", 1, "in degrees an angle is x/deg"},
        {"radians(x)", 1, "an angle in degrees is written 30*deg"},
        {"x ** y", 3, "a power is written ^"},
        {"x = y", 3, "equality is written =="},
        {"x && y", 3, "written 'and'"},
        {"x || y", 3, "written 'or'"},
        {"!x", 1, "written 'not'"},
        {"x % y", 3, "mod(x, y)"},
        {"x ? y : z", 3, "if(c, a, b)"},
        {"x < y < z", 7, "do not chain"},
        {"1 + egg", 3, "'egg' depends on itself: egg -> hen -> egg, expected no way back"},
        {"norm(x)", 6, "unknown vector 'x', expected one such as BODY.velocity, or [x, y, z]"},
        {"norm([1, 2])", 11, "',' and three components"},
        {"norm([1, 2, 3, 4])", 14, "']' after three components"},
        {"dot([1, 2, 3])", 14, "',' and the second vector"},
        {"norm(2*3)", 9, "'*' and a vector: a number alone is none"},
        {"norm(2*x)", 8, "unknown vector 'x', expected one such as BODY.velocity, or [x, y, z]"},
        {"norm([1, 2, 3]*[1, 2, 3])", 16, "got '['"},
        {"1 + not x", 5, "needs parentheses"},
        {"x and", 6, "got the end"},
        {"and x", 1, "got 'and'"},
        {"x, y", 2, "got ','"},
        {"x # y", 3, "got '#'"},
        {"x + arm.velocty.x", 5, "did you mean 'arm.velocity.x'?"},
        {"arm.velocity. x", 1, "unknown name 'arm.velocity'"},
        {"q", 1, "unknown name 'q'; known here: x, y"},
        {"omega_motor", 1, "known here: x, y, z, t, arm.velocity.x"},
        {"3*sqr(x)", 3, "unknown function 'sqr'; did you mean 'sqrt'?"},
        {"sin", 1, "'sin' is a function: expected sin(x)"},
        {"sin + 1", 1, "is a function"},
        {"x(1)", 2, "'x' is not a function"},
        {"pi(1)", 3, "'pi' is not a function"},
        {"sin()", 5, "takes 1 argument, got 0"},
        {"sin(x, y)", 8, "takes 1 argument, got at least 2"},
        {"atan(x, y)", 9, "got at least 2; the angle of a point is atan2(y, x)"},
        {"atan2(x)", 8, "takes 2 arguments, got 1"},
        {"min(x)", 6, "takes 2 or more arguments, got 1"},
        {"clamp(x, 1)", 11, "clamp(x, lo, hi) takes 3 arguments, got 2"},
        {"if(x, y)", 8, "takes 3 arguments"},
        {"sin(x", 6, "needs quotes"},
        {"sin(x y)", 7, "expected an operator or ',' or ')'"},
        {"min(x,,y)", 7, "got ','"},
        {"step(t, 1, 0, 1, 2)", 15, "must be greater"},
        {"table(nothing, x)", 7, "unknown table 'nothing'"},
        {"table('other.csv', x)", 8, "unknown table 'other.csv'"},
        {"table('missing.csv', x)", 8, "table 'missing.csv': no/such/file.csv: cannot be opened"},
        {"table('curve', x", 17, "expected ')'"},
        {"table('curve x)", 7, "expected a closing '"},
        {"table('curve')", 14, "expected ','"},
        {"table(, x)", 7, "expected a table"},
        {"x + \xE2\x88\x9A", 5, "unknown name"},
    };
    nt_arena arena = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const nt_expression *e;
        nt_error error = {0};
        nt_status status = try_parse(&arena, rows[i].text, &e, &error);
        if (status == NT_OK || status != error.status)
            fail_msg("'%s' gives status %d", rows[i].text, status);
        if (error.column != rows[i].column || !strstr(error.message, rows[i].says))
            fail_msg("'%s': column %d: %s\n   expected column %d: ...%s...", rows[i].text,
                     error.column, error.message, rows[i].column, rows[i].says);
        assert_int_equal(error.line, 0);
        assert_int_equal(error.file[0], 0);
    }
    nt_arena_free(&arena);
}

static void columns_count_characters(void **state)
{
    nt_arena arena = {0};
    const nt_expression *e;
    nt_error error;
    (void)state;
    assert_int_equal(try_parse(&arena, "1 + \xCF\x89 kg", &e, &error), NT_BAD_MODEL);
    assert_int_equal(error.column, 5);
    assert_int_equal(try_parse(&arena, "table('\xC3\xA9\xC3\xA8', x) + 1", &e, &error),
                     NT_BAD_MODEL);
    assert_int_equal(error.column, 8);
    assert_int_equal(try_parse(&arena, "x + table('curve', 1 kg)", &e, &error), NT_BAD_MODEL);
    assert_int_equal(error.column, 22);
    nt_arena_free(&arena);
}

static void an_error_in_a_table_keeps_its_place(void **state)
{
    nt_arena arena = {0};
    const nt_expression *e;
    nt_error error;
    (void)state;
    assert_int_equal(try_parse(&arena, "1 + table('wrong.csv', x)", &e, &error), NT_BAD_MODEL);
    assert_string_equal(error.file, "wrong.csv");
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 3);
    assert_int_equal(try_parse(&arena, "table('missing.csv', x)", &e, &error), NT_IO);
    nt_arena_free(&arena);
}

static void nothing_nests_too_deeply(void **state)
{
    static const struct {
        const char *open;
        int column_each; /* characters per level */
    } rows[] = {{"(", 1}, {"-", 1}, {"not ", 4}, {"sin(", 4}, {"2^", 2}, {"if(1,", 5}};
    enum { MANY = 100000 };
    nt_arena arena = {0};
    char *text = malloc(MANY + 16);
    const nt_expression *e;
    nt_error error;
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static const int levels[] = {NT_EXPRESSION_DEPTH - 1, 300, 10000};
        for (int k = 0; k < 3; k++) {
            int n = levels[k], used = 0;
            for (int j = 0; j < n; j++)
                used += sprintf(text + used, "%s", rows[i].open);
            used += sprintf(text + used, "x");
            bool closes = strchr(rows[i].open, '(') && rows[i].open[0] != 'i';
            for (int j = 0; closes && j < n; j++)
                text[used++] = ')';
            for (int j = 0; rows[i].open[0] == 'i' && j < n; j++)
                used += sprintf(text + used, ",y)");
            text[used] = 0;
            nt_status status = try_parse(&arena, text, &e, &error);
            assert_int_equal(status, k == 0 ? NT_OK : NT_BAD_MODEL);
            assert_true(k == 0 || strstr(error.message, "nested more than 100 deep") ||
                        strstr(error.message, "at most 65536"));
        }
    }
    memset(text, '(', MANY);
    text[MANY] = 0;
    assert_int_equal(try_parse(&arena, text, &e, &error), NT_BAD_MODEL);
    /* as long as accepted, flat: constants fold into one, variables fill the program */
    for (int i = 0; i < 30000; i++)
        memcpy(text + 2 * i, "1+", 2);
    memcpy(text + 60000, "1", 2);
    assert_int_equal(try_parse(&arena, text, &e, &error), NT_OK);
    expect_near("sum", nt_expression_value(e, NULL), 30001, 0);
    for (int i = 0; i < 30000; i++)
        memcpy(text + 2 * i, "x+", 2);
    assert_int_equal(try_parse(&arena, text, &e, &error), NT_BAD_MODEL);
    assert_non_null(strstr(error.message, "more than 1000 operations"));
    free(text);
    nt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_the_grammar),
        cmocka_unit_test(functions_are_those_of_the_library),
        cmocka_unit_test(numbers_ignore_the_locale),
        cmocka_unit_test(questions_are_answered),
        cmocka_unit_test(every_function_has_exact_derivatives),
        cmocka_unit_test(random_programs_agree),
        cmocka_unit_test(kinks_are_as_documented),
        cmocka_unit_test(comparisons_with_a_bound_are_of_what_it_bounds),
        cmocka_unit_test(errors_name_their_column),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(an_error_in_a_table_keeps_its_place),
        cmocka_unit_test(nothing_nests_too_deeply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
