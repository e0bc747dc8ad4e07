/* Operations that jump or bend: whoever reads the expression may hold their values. */
#include "base/error.h"
#include "model/expressions/expression_parser.h"

#include <math.h>
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

bool nt_parser_hold(nt_parser *p, int operation, nt_operand argument, int table, int *variable)
{
    int k = 0;
    *variable = -1;
    if (!p->symbols || !p->symbols->hold)
        return true;
    while (k < p->n_held && !(p->held[k].operation == operation &&
                              p->held[k].slot == argument.slot && p->held[k].table == table))
        k++;
    if (k == p->n_held) {
        const nt_expression *of = argument_of(p, argument);
        int found = of ? p->symbols->hold(p->symbols->context, operation, of,
                                          table < 0 ? NULL : p->tables[table])
                       : -2;
        if (found == -2)
            return no_memory(p);
        if (k == NT_EXPRESSION_ROOM)
            return nt_parser_fail(p, p->at, "too many operations that jump in one expression");
        p->held[p->n_held].operation = operation, p->held[k].slot = argument.slot;
        p->held[k].table = table, p->held[k].variable = found;
        p->held[k].argument = of;
        p->n_held++;
    }
    *variable = p->held[k].variable;
    return true;
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
    int variable;
    *done = false;
    if (!p->symbols || !p->symbols->hold)
        return true;
    if (!nt_parser_binary(p, NT_OP_DIVIDE, x, y, &ratio) ||
        !nt_parser_hold(p, NT_OP_FLOOR, ratio, -1, &variable))
        return false;
    *done = variable >= 0;
    return !*done || (nt_parser_emit_variable(p, variable, &whole) &&
                      nt_parser_binary(p, NT_OP_MULTIPLY, y, whole, &whole) &&
                      nt_parser_binary(p, NT_OP_SUBTRACT, x, whole, out));
}

bool nt_parser_hold_comparison(nt_parser *p, int operation, nt_operand a, nt_operand b,
                               int *variable)
{
    nt_operand difference;
    *variable = -1;
    if (!compares(operation) || !p->symbols || !p->symbols->hold)
        return true;
    return nt_parser_binary(p, NT_OP_SUBTRACT, a, b, &difference) &&
           (difference.known || nt_parser_hold(p, operation, difference, -1, variable));
}

/* ---- bends beside jumps --------------------------------------------------------------------- */

/* An operation that min and max are offered as, -1 where they were not. */
static int offered(nt_parser *p, int operation, nt_operand a, nt_operand b)
{
    nt_operand difference;
    if ((operation != NT_OP_MIN && operation != NT_OP_MAX) || !p->symbols || !p->symbols->hold ||
        !nt_parser_binary(p, NT_OP_SUBTRACT, a, b, &difference) || difference.known)
        return -1;
    for (int k = 0; k < p->n_held; k++)
        if (p->held[k].operation == operation && p->held[k].slot == difference.slot)
            return k;
    return -1;
}

bool nt_parser_emit_comparison(nt_parser *p, int operation, nt_operand a, nt_operand b,
                               nt_operand *out)
{
    int place = p->n, k = offered(p, operation, a, b);
    bool wanted = k >= 0 && p->n_bends < NT_PARSER_BENDS && p->n < NT_EXPRESSION_ROOM;
    if (wanted) /* like no other, and dropped unless it becomes one */
        p->code[p->n++] = (nt_code){.operation = NT_OP_VARIABLE, .a = -1, .b = place};
    if (!nt_parser_emit(p, (nt_code){.operation = operation, .a = a.slot, .b = b.slot}, out))
        return false;
    if (wanted && out->slot == place + 1) {
        p->bends[p->n_bends].slot = place;
        p->bends[p->n_bends++].argument = p->held[k].argument;
    } else if (wanted)
        p->n = place;
    return true;
}

bool nt_parser_clamp(nt_parser *p, const nt_operand a[3], nt_operand *out)
{
    nt_operand raised, above;
    bool in_order = a[1].known && a[2].known && a[1].value < a[2].value;
    if (!nt_parser_binary(p, NT_OP_MAX, a[0], a[1], &raised))
        return false;
    int own = p->n_bends;
    if (!nt_parser_binary(p, NT_OP_MIN, raised, a[2], out))
        return false;
    if (p->n_bends == own || !in_order)
        return true;
    if (!nt_parser_binary(p, NT_OP_SUBTRACT, a[0], a[2], &above))
        return false;
    p->bends[own].argument = argument_of(p, above);
    return p->bends[own].argument || no_memory(p);
}

/* Whether nothing in it jumps, or bends but by abs: two such that agree at some places, whatever
 * the signs of their variables, are the same. */
static bool is_analytic(const nt_expression *e)
{
    for (int i = 0; i < e->n; i++) {
        int o = e->code[i].operation;
        if ((o > NT_OP_ABS && o <= NT_OP_TABLE) || (o >= NT_OP_ATAN2 && o != NT_OP_HYPOT))
            return false;
    }
    return true;
}

static int last_variable(const nt_expression *e)
{
    int n;
    const int *used = nt_expression_variables(e, &n);
    return n > 0 ? used[n - 1] : -1;
}

/* 1 where two arguments are the same, -1 where they are opposite, 0 otherwise: by their values
 * where the variables are any numbers. Where neither has a value nothing is learnt. */
static int likeness(const nt_expression *x, const nt_expression *y, bool *good)
{
    enum { PLACES = 16, ENOUGH = 3 };
    static const double GOLDEN = 0.6180339887498949, ROUNDING = 1e-13;
    int last = last_variable(x), seen = 0, same = 0, opposite = 0;
    if (last < 0 || last != last_variable(y) || !is_analytic(x) || !is_analytic(y))
        return 0;
    double *variables = malloc(((size_t)last + 1) * sizeof *variables), next = 0.1;
    *good = variables != NULL;
    for (int k = 0; *good && k < PLACES; k++) {
        for (int i = 0; i <= last; i++) {
            next = next + GOLDEN > 1 ? next + GOLDEN - 1 : next + GOLDEN;
            variables[i] = k < ENOUGH ? 0.3 + next : 2 * next - 1;
        }
        double u = nt_expression_value(x, variables), v = nt_expression_value(y, variables);
        double rounding = ROUNDING * (1 + fabs(u));
        seen += !isnan(u) || !isnan(v);
        same += fabs(u - v) <= rounding;
        opposite += fabs(u + v) <= rounding;
    }
    free(variables);
    return seen < ENOUGH ? 0 : same == seen ? 1 : opposite == seen ? -1 : 0;
}

/* The sign that the difference of a bend has where the variable of a jump is 1; 0 where that is no
 * condition of the same difference. */
static int sign_of(const nt_parser *p, int jump, const nt_expression *bend, bool *good)
{
    int operation = p->held[jump].operation;
    bool above = operation == NT_OP_HEAVISIDE,
         below = operation == NT_OP_LESS || operation == NT_OP_LESS_EQUAL;
    if (p->held[jump].variable < 0 || (!above && !below))
        return 0;
    int like = likeness(bend, p->held[jump].argument, good);
    return above ? like : -like;
}

bool nt_parser_join_bends(nt_parser *p)
{
    bool good = true;
    for (int i = 0; i < p->n_bends; i++) {
        int place = p->bends[i].slot, sign = 0, k = 0;
        while (k < p->n_held && good && (sign = sign_of(p, k, p->bends[i].argument, &good)) == 0)
            k++;
        if (sign == 0)
            continue;
        nt_code *of = &p->code[place + 1];
        bool first = (sign > 0) == (of->operation == NT_OP_MAX);
        p->code[place] = (nt_code){.operation = NT_OP_VARIABLE, .a = p->held[k].variable};
        *of = (nt_code){.operation = NT_OP_BLEND,
                        .a = place,
                        .b = first ? of->a : of->b,
                        .c = first ? of->b : of->a};
    }
    return good || no_memory(p);
}

bool nt_parser_hold_unary(nt_parser *p, int operation, nt_operand a, int *variable)
{
    *variable = -1;
    return !unary_bends(operation) || nt_parser_hold(p, operation, a, -1, variable);
}
