/* Operations that jump or bend: whoever reads the expression may hold their values. */
#include "base/error.h"
#include "model/expressions/expression_parser.h"

#include <stdlib.h>
#include <string.h>

static bool no_memory(nt_parser *p)
{
    p->status = nt_fail(p->error, NT_NO_MEMORY, "out of memory");
    return false;
}

static const nt_expression *argument_of(const nt_parser *p, nt_operand argument)
{
    nt_parser *copy = malloc(sizeof *copy); /* what the argument does not need is dropped */
    const nt_expression *of = NULL;
    if (copy) {
        memcpy(copy, p, sizeof *copy);
        of = nt_parser_build(copy, argument, p->arena);
        free(copy);
    }
    return of;
}

bool nt_parser_hold(nt_parser *p, int operation, nt_operand argument, int table, nt_held *held)
{
    int k = 0;
    *held = (nt_held){.variable = -1};
    if (!p->symbols || !p->symbols->hold)
        return true;
    while (k < p->n_held && !(p->held[k].operation == operation &&
                              p->held[k].slot == argument.slot && p->held[k].table == table))
        k++;
    if (k == p->n_held) {
        const nt_table *of_table = table < 0 ? NULL : p->tables[table];
        const nt_expression *of = argument_of(p, argument);
        int found = of ? p->symbols->hold(p->symbols->context, operation, of, of_table) : -2;
        if (found == -2)
            return no_memory(p);
        if (k == NT_EXPRESSION_ROOM)
            return nt_parser_fail(p, p->at, "too many operations that jump in one expression");
        p->held[p->n_held].operation = operation, p->held[k].slot = argument.slot;
        p->held[k].table = table;
        p->held[k].held = nt_operation_bends(operation, of_table)
                              ? (nt_held){.variable = -1, .side = found + 1}
                              : (nt_held){.variable = found};
        p->n_held++;
    }
    *held = p->held[k].held;
    return true;
}

bool nt_parser_table_number(nt_parser *p, int at, const nt_table *table, int *i)
{
    for (*i = 0; *i < p->n_tables && p->tables[*i] != table;)
        ++*i;
    if (*i == NT_EXPRESSION_ROOM)
        return nt_parser_fail(p, at, "too many tables in one expression");
    if (*i == p->n_tables)
        p->tables[p->n_tables++] = table;
    return true;
}

bool nt_parser_hold_axis(nt_parser *p, int at, const nt_table *map, bool across, nt_operand *x)
{
    nt_held held;
    int i;
    if (x->known || !p->symbols || !p->symbols->hold)
        return true;
    return nt_parser_table_number(p, at, &map->axis[across], &i) &&
           nt_parser_hold(p, NT_OP_TABLE, *x, i, &held) &&
           (held.variable < 0 || nt_parser_emit_variable(p, held.variable, x));
}

bool nt_parser_emit_variable(nt_parser *p, int variable, nt_operand *out)
{
    return nt_parser_emit(p, (nt_code){.operation = NT_OP_VARIABLE, .a = variable}, out);
}

bool nt_parser_held_not(nt_parser *p, nt_operand a, nt_operand *out)
{
    nt_operand one = {.known = true, .value = 1};
    bool good = nt_parser_binary(p, NT_OP_SUBTRACT, one, a, out);
    out->held = true;
    return good;
}

bool nt_parser_held_logic(nt_parser *p, int operation, nt_operand a, nt_operand b, nt_operand *out)
{
    nt_operand both, sum;
    if (!nt_parser_binary(p, NT_OP_MULTIPLY, a, b, &both))
        return false;
    bool good = true;
    if (operation == NT_OP_AND)
        *out = both;
    else
        good = nt_parser_binary(p, NT_OP_ADD, a, b, &sum) &&
               nt_parser_binary(p, NT_OP_SUBTRACT, sum, both, out);
    out->held = true;
    return good;
}

static bool unary_bends(int operation)
{
    return operation == NT_OP_ABS || operation == NT_OP_RISE ||
           (operation >= NT_OP_SIGN && operation <= NT_OP_HEAVISIDE);
}

/* Operations of two operands that bend or jump where their difference passes zero. */
static bool compares(int operation)
{
    return operation == NT_OP_MIN || operation == NT_OP_MAX ||
           (operation >= NT_OP_LESS && operation <= NT_OP_DIFFER);
}

bool nt_parser_hold_remainder(nt_parser *p, nt_operand x, nt_operand y, nt_operand *out, bool *done)
{
    nt_operand ratio, whole;
    nt_held held;
    *done = false;
    if (!p->symbols || !p->symbols->hold)
        return true;
    if (!nt_parser_binary(p, NT_OP_DIVIDE, x, y, &ratio) ||
        !nt_parser_hold(p, NT_OP_FLOOR, ratio, -1, &held))
        return false;
    *done = held.variable >= 0;
    return !*done || (nt_parser_emit_variable(p, held.variable, &whole) &&
                      nt_parser_binary(p, NT_OP_MULTIPLY, y, whole, &whole) &&
                      nt_parser_binary(p, NT_OP_SUBTRACT, x, whole, out));
}

bool nt_parser_hold_comparison(nt_parser *p, int operation, nt_operand a, nt_operand b,
                               nt_held *held)
{
    nt_operand difference;
    *held = (nt_held){.variable = -1};
    if (!compares(operation) || !p->symbols || !p->symbols->hold)
        return true;
    return nt_parser_binary(p, NT_OP_SUBTRACT, a, b, &difference) &&
           (difference.known || nt_parser_hold(p, operation, difference, -1, held));
}

/* ---- comparisons of min and max ------------------------------------------------------------- */

static nt_operand operand_in(const nt_parser *p, int slot)
{
    const nt_code *code = &p->code[slot];
    if (code->operation == NT_OP_CONSTANT)
        return (nt_operand){.known = true, .value = p->constants[code->a]};
    return (nt_operand){.slot = slot};
}

/* Whether a comparison of two is the same whatever the variables are; *value: which. */
static bool is_decided(int operation, nt_operand a, nt_operand b, bool *value)
{
    bool same = !a.known && !b.known && a.slot == b.slot;
    *value = same ? operation == NT_OP_LESS_EQUAL
                  : nt_operation_value(operation, a.value, b.value, 0, NULL) != 0;
    return same || (a.known && b.known);
}

bool nt_parser_compare_extreme(nt_parser *p, int operation, nt_operand a, nt_operand b,
                               nt_operand *out, bool *done)
{
    *done = false;
    for (int right = 0; right < 2 && (operation == NT_OP_LESS || operation == NT_OP_LESS_EQUAL);
         right++) {
        nt_operand extreme = right ? b : a;
        int o = extreme.known ? NT_OP_NONE : p->code[extreme.slot].operation;
        if (o != NT_OP_MIN && o != NT_OP_MAX)
            continue;
        const nt_operand of[2] = {operand_in(p, p->code[extreme.slot].a),
                                  operand_in(p, p->code[extreme.slot].b)};
        bool either = (o == NT_OP_MAX) == right; /* a < max(x, y): a < x or a < y */
        for (int k = 0; k < 2; k++) {
            bool value;
            if (!is_decided(operation, right ? a : of[k], right ? of[k] : b, &value))
                continue;
            *done = true;
            *out = (nt_operand){.known = true, .value = value};
            return value == either || nt_parser_binary(p, operation, right ? a : of[1 - k],
                                                       right ? of[1 - k] : b, out);
        }
    }
    return true;
}

bool nt_parser_hold_unary(nt_parser *p, int operation, nt_operand a, nt_held *held)
{
    *held = (nt_held){.variable = -1};
    return !unary_bends(operation) || nt_parser_hold(p, operation, a, -1, held);
}
