/* Words for an expression that has no finite value. */
#include "model/expressions/expression.h"

#include "model/expressions/expression_code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The name of a table's file, without the folders before it. */
static const char *table_name(const nt_table *table)
{
    const char *slash = table->file ? strrchr(table->file, '/') : NULL;
    return slash ? slash + 1 : table->file ? table->file : "";
}

static const char *operation_name(int operation)
{
    static const struct {
        int operation;
        const char *name;
    } names[] = {{NT_OP_ASIN, "asin"},   {NT_OP_ACOS, "acos"},   {NT_OP_TAN, "tan"},
                 {NT_OP_ACOSH, "acosh"}, {NT_OP_ATANH, "atanh"}, {NT_OP_EXP, "exp"},
                 {NT_OP_SINH, "sinh"},   {NT_OP_COSH, "cosh"},   {NT_OP_LOG, "log"},
                 {NT_OP_LOG10, "log10"}, {NT_OP_LOG2, "log2"},   {NT_OP_SQRT, "sqrt"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].operation == operation)
            return names[i].name;
    return NULL;
}

/* Numbers that differ by less than this part of them are printed alike. */
static const double PRINTED = 1e-8;

/* The first operation whose operands are numbers and whose value is none. */
bool nt_expression_why(const nt_expression *e, const double *variables, char *text, size_t size)
{
    double value[NT_EXPRESSION_ROOM];
    int i = 0;
    nt_expression_fill(e, variables, value);
    while (i < e->n && isfinite(value[i]))
        i++;
    if (i == e->n || isfinite(value[e->n - 1]) || e->code[i].operation <= NT_OP_VARIABLE)
        return false;
    const nt_code *code = &e->code[i];
    bool two = code->operation != NT_OP_TABLE && nt_operands(code->operation) > 1;
    double a = value[code->a], b = two ? value[code->b] : 0;
    const char *name = operation_name(code->operation);
    const nt_table *table = code->operation == NT_OP_TABLE ? e->tables[code->b]
                            : code->operation == NT_OP_MAP ? e->tables[code->c]
                                                           : NULL;
    if (code->operation == NT_OP_TABLE) {
        double low = table->x[0], high = table->x[table->n - 1];
        bool near = fmin(fabs(a - low), fabs(a - high)) <= PRINTED * fabs(a);
        snprintf(text, size, "table %s has no value %s %.9g: it goes from %.6g to %.6g",
                 table_name(table), near ? "just beyond" : "at", a, low, high);
    } else if (code->operation == NT_OP_MAP)
        snprintf(text, size,
                 "table %s has no value at %.6g, %.6g: it goes from %.6g to %.6g and from %.6g to "
                 "%.6g",
                 table_name(table), a, b, table->x[0], table->x[table->n - 1], table->u[0],
                 table->u[table->m - 1]);
    else if (code->operation == NT_OP_DIVIDE && b == 0)
        snprintf(text, size, "%.6g is divided by 0", a);
    else if (code->operation == NT_OP_POWER)
        snprintf(text, size, "(%.6g)^(%.6g) is no finite number", a, b);
    else if (name)
        snprintf(text, size, "%s(%.6g) is no finite number", name, a);
    else
        return false;
    return true;
}
