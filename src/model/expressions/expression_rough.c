/* Tables in expressions that are not smooth enough for what follows their second derivative. */
#include "model/expressions/expression_code.h"
#include "model/expressions/table.h"

#include <math.h>

static const nt_table *rough_table_of(const nt_expression *e, const nt_code *code)
{
    return code->operation == NT_OP_TABLE ? e->tables[code->b]
           : code->operation == NT_OP_MAP ? e->tables[code->c]
                                          : NULL;
}

/* Relative to what the table changes by over its range: rounding of slopes that are the same. */
static const double ALIKE = 1e-9;

/* The lowest derivative, up to 2, that jumps where x passes an end of a spline; 3: none does. */
static int jump_at_end(const nt_table *table, bool last)
{
    double first = table->x[0], end = table->x[table->n - 1], range = end - first;
    double inside[3], outside[3], low = INFINITY, high = -INFINITY;
    nt_table_evaluate(table, last ? end : first, inside);
    for (int i = 0; i < table->n; i++) {
        low = fmin(low, table->y[i]);
        high = fmax(high, table->y[i]);
    }
    if (table->form.beyond == NT_BEYOND_PERIODIC)
        nt_table_evaluate(table, last ? first : end, outside);
    else {
        outside[1] = table->form.beyond == NT_EXTRAPOLATE ? inside[1] : 0;
        outside[2] = 0;
    }
    for (int k = 1; k <= 2; k++)
        if (fabs(outside[k] - inside[k]) * pow(range, k) > ALIKE * (high - low))
            return k;
    return 3;
}

/* Whether x goes out of the table by either end, as the variable goes from one value to another. */
static void find_passed_ends(const nt_expression *e, int operand, const nt_table *table,
                             int variable, double from, double to, double *variables,
                             bool passed[2])
{
    enum { SAMPLES = 1000 };
    double kept = variables[variable], value[NT_EXPRESSION_ROOM];
    for (int i = 0; i <= SAMPLES; i++) {
        variables[variable] = from + (to - from) * i / SAMPLES;
        nt_expression_fill(e, variables, value);
        passed[0] = passed[0] || value[operand] < table->x[0];
        passed[1] = passed[1] || value[operand] > table->x[table->n - 1];
    }
    variables[variable] = kept;
}

static int lowest_jump(const nt_expression *e, int operand, const nt_table *table, int variable,
                       double from, double to, double *variables)
{
    bool passed[2] = {false, false};
    int lowest = 3;
    if (table->m > 0 || table->form.beyond == NT_BEYOND_ERROR)
        return lowest;
    find_passed_ends(e, operand, table, variable, from, to, variables, passed);
    for (int last = 0; last < 2; last++) {
        int jumps = passed[last] ? jump_at_end(table, last == 1) : 3;
        lowest = jumps < lowest ? jumps : lowest;
    }
    return lowest;
}

nt_roughness nt_expression_roughness(const nt_expression *e, int variable, double from, double to,
                                     double *variables)
{
    bool changes[NT_EXPRESSION_ROOM] = {false};
    nt_roughness found = {.table = NULL, .derivative = 3};
    for (int i = 0; i < e->n; i++) {
        const nt_code *c = &e->code[i];
        const nt_table *table = rough_table_of(e, c);
        int operands = nt_operands(c->operation);
        bool any = (operands > 0 && changes[c->a]) || (operands > 1 && changes[c->b]) ||
                   (operands > 2 && changes[c->c]);
        changes[i] = c->operation == NT_OP_VARIABLE ? c->a == variable : any;
        if (!table || !any)
            continue;
        int form = table->form.interpolation;
        bool spline = form == NT_SPLINE;
        int jumps = form == NT_PREVIOUS ? 0
                    : form == NT_LINEAR ? 1
                    : spline            ? lowest_jump(e, c->a, table, variable, from, to, variables)
                                        : 2;
        if (jumps < found.derivative)
            found = (nt_roughness){.table = table, .derivative = jumps, .at_ends = spline};
    }
    return found;
}
