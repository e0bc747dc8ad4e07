/* The inside of an expression, shared by its parser and its evaluation.
 *
 * A program is a list of operations, each with its own slot for the result and operands that come
 * before it: a forward sweep fills the slots with values or derivatives along a curve, a backward
 * sweep collects partial derivatives. Equal operations share a slot. */
#ifndef NUTATE_MODEL_EXPRESSION_CODE_H
#define NUTATE_MODEL_EXPRESSION_CODE_H

#include "model/expressions/expression.h"
#include "model/expressions/table.h"

typedef enum nt_operation {
    NT_OP_NONE = -1, /* of a function that is composed of others, or a constant */
    /* leaves */
    NT_OP_CONSTANT, /* a: index into constants */
    NT_OP_VARIABLE, /* a: index of the variable */
    /* one operand */
    NT_OP_NEGATE,
    NT_OP_SIN,
    NT_OP_COS,
    NT_OP_TAN,
    NT_OP_ASIN,
    NT_OP_ACOS,
    NT_OP_ATAN,
    NT_OP_SINH,
    NT_OP_COSH,
    NT_OP_TANH,
    NT_OP_ASINH,
    NT_OP_ACOSH,
    NT_OP_ATANH,
    NT_OP_EXP,
    NT_OP_LOG,
    NT_OP_LOG10,
    NT_OP_LOG2,
    NT_OP_SQRT,
    NT_OP_CBRT,
    NT_OP_ERF,
    NT_OP_ABS,
    NT_OP_RISE, /* 0 below 0, 1 above 1, the quintic 10 u^3 - 15 u^4 + 6 u^5 between */
    NT_OP_SIGN, /* from here to NT_OP_FLAT_END one operand, derivatives zero */
    NT_OP_FLOOR,
    NT_OP_CEIL,
    NT_OP_ROUND,
    NT_OP_HEAVISIDE,
    NT_OP_NOT,
    NT_OP_FLAT_END,
    NT_OP_TABLE, /* a: operand, b: index into tables */
    /* two operands */
    NT_OP_ADD,
    NT_OP_SUBTRACT,
    NT_OP_MULTIPLY,
    NT_OP_DIVIDE,
    NT_OP_POWER,
    NT_OP_ATAN2,
    NT_OP_HYPOT,
    NT_OP_MOD,
    NT_OP_MIN,
    NT_OP_MAX,
    NT_OP_MAP,  /* a, b: operands, c: index into tables */
    NT_OP_LESS, /* from here to NT_OP_LOGIC_END two operands, derivatives zero */
    NT_OP_LESS_EQUAL,
    NT_OP_EQUAL,
    NT_OP_DIFFER,
    NT_OP_AND,
    NT_OP_OR,
    NT_OP_LOGIC_END,
    /* three operands */
    NT_OP_IF,
    NT_OP_BLEND, /* a if of a condition c that is held: c a + (1 - c) b between 0 and 1 */
} nt_operation;

typedef struct nt_code {
    int operation; /* nt_operation                      */
    int a, b, c;   /* slots of operands, 0 where unused */
    int side;      /* of one that bends: 1 + the variable that is its side; 0: it has none */
} nt_code;

/* Operations that are continuous where their slope jumps. */
static inline bool nt_operation_bends(int operation, const nt_table *table)
{
    return operation == NT_OP_ABS || operation == NT_OP_RISE || operation == NT_OP_MIN ||
           operation == NT_OP_MAX ||
           (operation == NT_OP_TABLE && table->form.interpolation != NT_PREVIOUS);
}

struct nt_expression {
    int n, n_used, n_tables;
    const nt_code *code;           /* [n] the result is the last slot    */
    const double *constants;       /* those that code names              */
    const nt_table *const *tables; /* [n_tables]                         */
    const int *used;               /* [n_used] variables, ascending      */
    double constant;               /* the value when n_used is 0: then no code is run */
};

/* The values of all slots, value[NT_EXPRESSION_ROOM]. */
void nt_expression_fill(const nt_expression *expression, const double *variables, double *value);

/* Whether two that were read with different variables are the same operations on the same numbers
 * and tables, and on variables that `is_same` says are one. */
typedef bool (*nt_same_variable)(const void *context, int of_a, int of_b);
bool nt_expression_is_like(const nt_expression *a, const nt_expression *b, nt_same_variable is_same,
                           const void *context);

/* Number of operand slots of an operation. */
static inline int nt_operands(int operation)
{
    return operation <= NT_OP_VARIABLE   ? 0
           : operation <= NT_OP_TABLE    ? 1
           : operation < NT_OP_LOGIC_END ? 2
                                         : 3;
}

/* The value of an operation on values; table for NT_OP_TABLE and NT_OP_MAP only. */
double nt_operation_value(int operation, double a, double b, double c, const nt_table *table);

/* A function or a constant. */
enum { NT_ANY_NUMBER = 1000 };
typedef struct nt_expression_row {
    nt_function_help help;
    int least, most; /* number of arguments; most is NT_ANY_NUMBER where there is no limit */
    int operation;   /* or NT_OP_NONE                                                       */
} nt_expression_row;

/* The row of a name, NULL where there is none. */
const nt_expression_row *nt_expression_find(const char *name, int length);

/* Whether text[length] is `word`; whether it is and, or, not. */
bool nt_word_is(const char *text, int length, const char *word);
bool nt_expression_word(const char *name, int length);

#endif
