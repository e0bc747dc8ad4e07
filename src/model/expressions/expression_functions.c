/* The functions and constants of expressions: one row each, for the parser and for the manual. */
#include "model/expressions/expression.h"
#include "model/expressions/expression_code.h"

#include <string.h>

static const nt_expression_row functions[] = {
    {{"sin", "x", "sine, x in rad"}, 1, 1, NT_OP_SIN},
    {{"cos", "x", "cosine, x in rad"}, 1, 1, NT_OP_COS},
    {{"tan", "x", "tangent, x in rad"}, 1, 1, NT_OP_TAN},
    {{"asin", "x", "inverse sine, rad"}, 1, 1, NT_OP_ASIN},
    {{"acos", "x", "inverse cosine, rad"}, 1, 1, NT_OP_ACOS},
    {{"atan", "x", "inverse tangent, rad"}, 1, 1, NT_OP_ATAN},
    {{"atan2", "y, x", "angle of the point (x, y), rad"}, 2, 2, NT_OP_ATAN2},
    {{"sinh", "x", "hyperbolic sine"}, 1, 1, NT_OP_SINH},
    {{"cosh", "x", "hyperbolic cosine"}, 1, 1, NT_OP_COSH},
    {{"tanh", "x", "hyperbolic tangent"}, 1, 1, NT_OP_TANH},
    {{"asinh", "x", "inverse hyperbolic sine"}, 1, 1, NT_OP_ASINH},
    {{"acosh", "x", "inverse hyperbolic cosine"}, 1, 1, NT_OP_ACOSH},
    {{"atanh", "x", "inverse hyperbolic tangent"}, 1, 1, NT_OP_ATANH},
    {{"exp", "x", "exponential"}, 1, 1, NT_OP_EXP},
    {{"log", "x", "natural logarithm"}, 1, 1, NT_OP_LOG},
    {{"log10", "x", "decimal logarithm"}, 1, 1, NT_OP_LOG10},
    {{"log2", "x", "binary logarithm"}, 1, 1, NT_OP_LOG2},
    {{"sqrt", "x", "square root"}, 1, 1, NT_OP_SQRT},
    {{"cbrt", "x", "cube root"}, 1, 1, NT_OP_CBRT},
    {{"pow", "x, y", "x to the power y, the same as x^y"}, 2, 2, NT_OP_POWER},
    {{"hypot", "x, y", "sqrt(x^2 + y^2) without overflow"}, 2, 2, NT_OP_HYPOT},
    {{"erf", "x", "error function"}, 1, 1, NT_OP_ERF},
    {{"abs", "x", "absolute value"}, 1, 1, NT_OP_ABS},
    {{"sign", "x", "-1, 0 or 1"}, 1, 1, NT_OP_SIGN},
    {{"floor", "x", "largest whole number not above x"}, 1, 1, NT_OP_FLOOR},
    {{"ceil", "x", "smallest whole number not below x"}, 1, 1, NT_OP_CEIL},
    {{"round", "x", "nearest whole number, halves away from 0"}, 1, 1, NT_OP_ROUND},
    {{"mod", "x, y", "remainder of x / y with the sign of y"}, 2, 2, NT_OP_MOD},
    {{"min", "x, y, ...", "the smallest"}, 2, NT_ANY_NUMBER, NT_OP_MIN},
    {{"max", "x, y, ...", "the largest"}, 2, NT_ANY_NUMBER, NT_OP_MAX},
    {{"clamp", "x, lo, hi", "x, kept between lo and hi"}, 3, 3, NT_OP_NONE},
    {{"heaviside", "x", "0 for x < 0, else 1"}, 1, 1, NT_OP_HEAVISIDE},
    {{"step", "t, t0, y0, t1, y1",
      "y0 until t0, y1 from t1 on, between them the quintic with zero slope and curvature at both "
      "ends"},
     5,
     5,
     NT_OP_NONE},
    {{"if", "c, a, b", "a where c is not 0, else b"}, 3, 3, NT_OP_IF},
    {{"norm", "v", "length of a vector: of BODY.velocity, [x, y, z], a sum or a difference"},
     1,
     1,
     NT_OP_NONE},
    {{"dot", "v, w", "scalar product of two vectors"}, 2, 2, NT_OP_NONE},
    {{"angle_between", "v, w", "angle between two vectors, 0 to pi, rad"}, 2, 2, NT_OP_NONE},
    {{"table", "NAME, x",
      "a function through the rows of a file; table(NAME, x, COLUMN) of one of several columns, "
      "table(NAME, x, y) of a map"},
     2,
     2,
     NT_OP_NONE},
    {{"delay", "x, T", "x as it was the time T ago, which does not change"}, 2, 2, NT_OP_NONE},
    {{"pi", "", "3.14159..."}, 0, 0, NT_OP_NONE},
    {{"tau", "", "2 pi"}, 0, 0, NT_OP_NONE},
    {{"deg", "", "pi/180: 30*deg is an angle of 30 degrees"}, 0, 0, NT_OP_NONE},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

bool nt_word_is(const char *text, int length, const char *word)
{
    return (int)strlen(word) == length && memcmp(text, word, (size_t)length) == 0;
}

const nt_expression_row *nt_expression_find(const char *name, int length)
{
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (nt_word_is(name, length, functions[i].help.name))
            return &functions[i];
    return NULL;
}

bool nt_expression_word(const char *name, int length)
{
    return nt_word_is(name, length, "and") || nt_word_is(name, length, "or") ||
           nt_word_is(name, length, "not");
}

const nt_function_help *nt_expression_function(int i)
{
    return i >= 0 && i < N_FUNCTIONS ? &functions[i].help : NULL;
}

bool nt_expression_reserved(const char *name, int length)
{
    const nt_expression_row *f = nt_expression_find(name, length);
    return nt_expression_word(name, length) || (f && f->most == 0);
}
