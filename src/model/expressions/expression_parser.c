/* From the text of an expression to its program: recursive descent, one function per precedence.
 *
 * Constants are folded while parsing, equal operations are found, and what the result does not
 * need (the other branch of an `if` with a constant condition) is dropped at the end. */
#include "model/expressions/expression_parser.h"
#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 5 }; /* the most that a function with a fixed number takes */

/* ---- writing the program -------------------------------------------------------------------- */

static nt_operand parser_number(double value)
{
    return (nt_operand){.known = true, .value = value};
}

bool nt_parser_emit(nt_parser *p, nt_code code, nt_operand *out)
{
    int i = 0;
    while (i < p->n && memcmp(&p->code[i], &code, sizeof code) != 0)
        i++;
    if (i == NT_EXPRESSION_ROOM)
        return nt_parser_fail(p, p->at, "too long: more than %d operations in one expression",
                              NT_EXPRESSION_ROOM);
    if (i == p->n)
        p->code[p->n++] = code;
    *out = (nt_operand){.slot = i};
    return true;
}

/* Give an operand a slot when it is a number still. */
static bool settle(nt_parser *p, nt_operand *o)
{
    int i = 0;
    if (!o->known)
        return true;
    while (i < p->n_constants && memcmp(&p->constants[i], &o->value, sizeof o->value) != 0)
        i++;
    if (i == NT_EXPRESSION_ROOM)
        return nt_parser_fail(p, p->at, "too long: more than %d numbers in one expression",
                              NT_EXPRESSION_ROOM);
    if (i == p->n_constants)
        p->constants[p->n_constants++] = o->value;
    return nt_parser_emit(p, (nt_code){.operation = NT_OP_CONSTANT, .a = i}, o);
}

bool nt_parser_unary(nt_parser *p, int operation, nt_operand a, nt_operand *out)
{
    nt_held held;
    if (a.known) {
        *out = parser_number(nt_operation_value(operation, a.value, 0, 0, NULL));
        return true;
    }
    if (operation == NT_OP_NOT && a.held)
        return nt_parser_held_not(p, a, out);
    if (!nt_parser_hold_unary(p, operation, a, &held))
        return false;
    if (held.variable >= 0) {
        bool good = nt_parser_emit_variable(p, held.variable, out);
        out->held = operation == NT_OP_HEAVISIDE;
        return good;
    }
    return nt_parser_emit(p, (nt_code){operation, a.slot, 0, 0, held.side}, out);
}

/* A square is a product: exact, and faster than pow. */
bool nt_parser_binary(nt_parser *p, int operation, nt_operand a, nt_operand b, nt_operand *out)
{
    if (a.known && b.known) {
        *out = parser_number(nt_operation_value(operation, a.value, b.value, 0, NULL));
        return true;
    }
    nt_held held;
    bool done = false;
    if ((operation == NT_OP_AND || operation == NT_OP_OR) && a.held && b.held)
        return nt_parser_held_logic(p, operation, a, b, out);
    if (operation == NT_OP_MOD && !nt_parser_hold_remainder(p, a, b, out, &done))
        return false;
    if (!done && !nt_parser_compare_extreme(p, operation, a, b, out, &done))
        return false;
    if (done)
        return true;
    if (!nt_parser_hold_comparison(p, operation, a, b, &held))
        return false;
    if (held.variable >= 0) {
        bool good = nt_parser_emit_variable(p, held.variable, out);
        out->held = operation >= NT_OP_LESS;
        return good;
    }
    if (operation == NT_OP_POWER && b.known && b.value == 2)
        return nt_parser_emit(p, (nt_code){.operation = NT_OP_MULTIPLY, .a = a.slot, .b = a.slot},
                              out);
    return settle(p, &a) && settle(p, &b) &&
           nt_parser_emit(p, (nt_code){operation, a.slot, b.slot, 0, held.side}, out);
}

static bool choice(nt_parser *p, nt_operand c, nt_operand a, nt_operand b, nt_operand *out)
{
    if (c.known) {
        *out = c.value != 0 ? a : b;
        return true;
    }
    int operation = c.held ? NT_OP_BLEND : NT_OP_IF;
    return settle(p, &a) && settle(p, &b) &&
           nt_parser_emit(
               p, (nt_code){.operation = operation, .a = c.slot, .b = a.slot, .c = b.slot}, out);
}

/* y0 (1 - S) + y1 S with S = rise((t - t0) / (t1 - t0)): exactly y0 before and y1 after. */
static bool smooth_step(nt_parser *p, const nt_operand *a, const int *at, nt_operand *out)
{
    nt_operand t = a[0], t0 = a[1], y0 = a[2], t1 = a[3], y1 = a[4], span, u, s, rest;
    if (t0.known && t1.known && !(t1.value > t0.value))
        return nt_parser_fail(p, at[3],
                              "step(t, t0, y0, t1, y1): t1 = %g must be greater than t0 = %g",
                              t1.value, t0.value);
    if (!nt_parser_binary(p, NT_OP_SUBTRACT, t, t0, &u) ||
        !nt_parser_binary(p, NT_OP_SUBTRACT, t1, t0, &span) ||
        !nt_parser_binary(p, NT_OP_DIVIDE, u, span, &u) || !nt_parser_unary(p, NT_OP_RISE, u, &s) ||
        !nt_parser_binary(p, NT_OP_MULTIPLY, y1, s, out))
        return false;
    if (y0.known && y0.value == 0)
        return true;
    return nt_parser_binary(p, NT_OP_SUBTRACT, parser_number(1), s, &rest) &&
           nt_parser_binary(p, NT_OP_MULTIPLY, y0, rest, &rest) &&
           nt_parser_binary(p, NT_OP_ADD, rest, *out, out);
}

/* ---- the grammar -------------------------------------------------------------------------------
 */

bool nt_parser_deeper(nt_parser *p)
{
    if (p->depth++ > NT_EXPRESSION_DEPTH)
        return nt_parser_fail(p, p->at, "nested more than %d deep", NT_EXPRESSION_DEPTH);
    return true;
}

bool nt_parser_fail_within(nt_parser *p, const char *expected)
{
    if (p->at == p->length)
        return nt_parser_fail(
            p, p->at,
            "expected %s, got the end (inside [ ] or { } an expression with commas needs "
            "quotes)",
            expected);
    return nt_parser_fail_after(p, expected);
}

bool nt_parser_close(nt_parser *p, const char *expected)
{
    return nt_parser_accept(p, ")") || nt_parser_fail_within(p, expected);
}

static bool fail_count(nt_parser *p, int at, const nt_expression_row *f, int got)
{
    if (f->most == NT_ANY_NUMBER)
        return nt_parser_fail(p, at, "%s(%s) takes %d or more arguments, got %d", f->help.name,
                              f->help.arguments, f->least, got);
    bool is_point = f->operation == NT_OP_ATAN && got == 2;
    return nt_parser_fail(p, at, "%s(%s) takes %d argument%s, got %s%d%s", f->help.name,
                          f->help.arguments, f->most, f->most == 1 ? "" : "s",
                          got > f->most ? "at least " : "", got,
                          is_point ? "; the angle of a point is atan2(y, x)" : "");
}

/* Arguments up to the ')'. Those beyond the room are combined at once (min, max).
 * at[]   where each begins */
static bool parse_arguments(nt_parser *p, const nt_expression_row *f, nt_operand *a, int *at,
                            int *count)
{
    *count = 0;
    while (!nt_parser_accept(p, ")")) {
        nt_operand one;
        if (*count > 0 && !nt_parser_accept(p, ","))
            return nt_parser_close(p, "',' or ')'");
        nt_parser_skip_blanks(p);
        if (*count == f->most)
            return fail_count(p, p->at, f, *count + 1);
        int here = p->at;
        if (!nt_parse_or(p, &one))
            return false;
        if (f->most == NT_ANY_NUMBER && *count > 0) {
            if (!nt_parser_binary(p, f->operation, a[0], one, &a[0]))
                return false;
        } else {
            a[*count] = one;
            at[*count] = here;
        }
        ++*count;
    }
    return *count >= f->least || fail_count(p, p->at - 1, f, *count);
}

/* The first argument of table(): a name in quotes, or a plain one. */
static bool parse_table_name(nt_parser *p, int *at, int *length, bool *quoted)
{
    char shown[64];
    nt_parser_skip_blanks(p);
    char quote = nt_parser_peek(p, 0);
    *quoted = quote == '"' || quote == '\'';
    *at = p->at + *quoted;
    if (*quoted) {
        const char *end = memchr(p->text + *at, quote, (size_t)(p->length - *at));
        if (!end)
            return nt_parser_fail(p, p->at, "expected a closing %c after the table's name", quote);
        *length = (int)(end - (p->text + *at));
        p->at = *at + *length + 1;
    } else {
        *length = nt_parser_name_length(p, p->at);
        p->at += *length;
    }
    if (*length == 0)
        return nt_parser_fail(p, *at, "expected a table: table(\"FILE.csv\", x), got %s",
                              nt_parser_describe(p, *at, shown));
    if (!nt_parser_accept(p, ","))
        return nt_parser_fail(p, p->at, "expected ',' and the table's argument, got %s",
                              nt_parser_describe(p, p->at, shown));
    return true;
}

static bool fail_table(nt_parser *p, int at, int length, const nt_error *inner)
{
    char text[sizeof inner->file + sizeof inner->message];
    int shown = length < 100 ? length : 100;
    if (inner->status == NT_OK)
        return nt_parser_fail(p, at, "unknown table '%.*s'", shown, p->text + at);
    if (inner->file[0] && inner->line > 0) {
        if (p->error)
            *p->error = *inner;
    } else {
        nt_error_text(inner, text, (int)sizeof text);
        nt_parser_fail(p, at, "table '%.*s': %.600s", shown, p->text + at, text);
        if (p->error)
            p->error->status = inner->status;
    }
    p->status = inner->status;
    return false;
}

/* "q1, q2, ..." */
static const char *column_names(const nt_table_sheet *sheet, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 1; sheet->names && k < sheet->columns && used < size; k++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", k > 1 ? ", " : "", sheet->names[k]);
    return text;
}

/* ", COLUMN": another column of the table's file. One of several must be named. */
static bool parse_column(nt_parser *p, int at, int length, const nt_table **table)
{
    const nt_table_sheet *sheet = (*table)->sheet;
    char known[200];
    nt_error inner = {0};
    if (!nt_parser_accept(p, ",")) {
        if (sheet->columns == 2)
            return true;
        return nt_parser_fail(p, p->at,
                              "table '%.*s' has the columns %s: expected ',' and one of "
                              "them",
                              length, p->text + at, column_names(sheet, known, sizeof known));
    }
    nt_parser_skip_blanks(p);
    char quote = nt_parser_peek(p, 0);
    bool quoted = quote == '"' || quote == '\'';
    int start = p->at + quoted, size = nt_parser_name_length(p, start);
    if (quoted) {
        const char *end = memchr(p->text + start, quote, (size_t)(p->length - start));
        size = end ? (int)(end - (p->text + start)) : 0;
    }
    int column = size > 0 ? nt_table_column(sheet, p->text + start, size) : -1;
    if (column < 0) {
        char shown[64];
        snprintf(shown, sizeof shown, "'%.*s'", size < 60 ? size : 60, p->text + start);
        return nt_parser_fail(p, p->at, "table '%.*s' has no column %s, expected %s%s", length,
                              p->text + at, size > 0 ? shown : nt_parser_describe(p, p->at, shown),
                              sheet->names ? "one of " : "')'",
                              column_names(sheet, known, sizeof known));
    }
    p->at = start + size + quoted;
    if (nt_table_make(sheet, column, &(*table)->form, p->arena, table, &inner) != NT_OK)
        return fail_table(p, at, length, &inner);
    return true;
}

/* A table by `previous` of a held variable u that may lie between a point and the next one:
 * f(piece) + (u - piece) slope, which is linear in u. i: the number of the table. */
static bool parse_slide(nt_parser *p, int at, const nt_table *table, int i, int variable, int piece,
                        nt_operand *out)
{
    const nt_table *steps = nt_table_steps(table, p->arena);
    nt_operand u, low, first, slope, part;
    int k;
    if (!steps) {
        p->status = nt_fail(p->error, NT_NO_MEMORY, "out of memory");
        return false;
    }
    return nt_parser_table_number(p, at, steps, &k) && nt_parser_emit_variable(p, variable, &u) &&
           nt_parser_emit_variable(p, piece, &low) &&
           nt_parser_emit(p, (nt_code){.operation = NT_OP_TABLE, .a = low.slot, .b = i}, &first) &&
           nt_parser_emit(p, (nt_code){.operation = NT_OP_TABLE, .a = low.slot, .b = k}, &slope) &&
           nt_parser_binary(p, NT_OP_SUBTRACT, u, low, &part) &&
           nt_parser_binary(p, NT_OP_MULTIPLY, part, slope, &part) &&
           nt_parser_binary(p, NT_OP_ADD, first, part, out);
}

/* table(NAME, x), table(NAME, x, COLUMN) or table(MAP, x, u), after its '(' */
static bool parse_table(nt_parser *p, nt_operand *out)
{
    const nt_symbols *s = p->symbols;
    nt_error inner = {0};
    const nt_table *table = NULL;
    int at = 0, length = 0, i = 0;
    bool quoted = false;
    nt_operand x, u;
    if (!parse_table_name(p, &at, &length, &quoted))
        return false;
    if (s && s->table)
        table = s->table(s->context, p->text + at, length, quoted, &inner);
    if (!table)
        return fail_table(p, at, length, &inner);
    if (!nt_parse_or(p, &x))
        return false;
    if (table->m > 0) {
        if (!nt_parser_accept(p, ","))
            return nt_parser_fail_after(p, "',' and the second argument of a map");
        if (!nt_parse_or(p, &u) || !nt_parser_close(p, "')'") ||
            !nt_parser_table_number(p, at, table, &i))
            return false;
        if (x.known && u.known) {
            *out = parser_number(nt_operation_value(NT_OP_MAP, x.value, u.value, 0, table));
            return true;
        }
        if (table->form.interpolation == NT_PREVIOUS &&
            (!nt_parser_hold_axis(p, at, table, false, &x) ||
             !nt_parser_hold_axis(p, at, table, true, &u)))
            return false;
        return settle(p, &x) && settle(p, &u) &&
               nt_parser_emit(p, (nt_code){NT_OP_MAP, x.slot, u.slot, i, 0}, out);
    }
    if (!parse_column(p, at, length, &table) || !nt_parser_close(p, "')'"))
        return false;
    if (x.known) {
        *out = parser_number(nt_operation_value(NT_OP_TABLE, x.value, 0, 0, table));
        return true;
    }
    nt_held held;
    if (!nt_parser_table_number(p, at, table, &i) || !nt_parser_hold(p, NT_OP_TABLE, x, i, &held))
        return false;
    int piece = held.variable >= 0 && s && s->piece ? s->piece(s->context, held.variable) : -1;
    if (piece >= 0)
        return parse_slide(p, at, table, i, held.variable, piece, out);
    if (held.variable >= 0 && !nt_parser_emit_variable(p, held.variable, &x))
        return false;
    return nt_parser_emit(p, (nt_code){NT_OP_TABLE, x.slot, i, 0, held.side}, out);
}

/* ---- named expressions -------------------------------------------------------------------------
 */

/* "a -> b -> a": the names on the way from a text to itself. */
static bool fail_circle(nt_parser *p, int at, int length, const char *of)
{
    char way[300] = "";
    const char *last = p->text + at;
    size_t used = 0;
    int depth = 0;
    const nt_enclosing *step = p->enclosing, *steps[NT_EXPRESSION_DEPTH + 2];
    for (; step && depth <= NT_EXPRESSION_DEPTH; step = step->outer) {
        steps[depth++] = step;
        if (step->of == of)
            break;
    }
    if (of == p->whole)
        used = (size_t)snprintf(way, sizeof way, "%.*s -> ", length, last);
    for (int i = depth - 1; i >= 0 && used < sizeof way; i--)
        used += (size_t)snprintf(way + used, sizeof way - used, "%.*s -> ", steps[i]->name_length,
                                 steps[i]->name);
    return nt_parser_fail(p, at, "'%.*s' depends on itself: %s%.*s, expected no way back", length,
                          last, way, length, last);
}

/* The text that a name stands for, in its place. */
static bool parse_named(nt_parser *p, int at, int length, const char *text, int text_length,
                        nt_operand *out)
{
    nt_enclosing here = {p->text, p->length, p->at, p->text + at, length, text, p->enclosing};
    bool again = text == p->whole;
    for (const nt_enclosing *step = p->enclosing; step; step = step->outer)
        again = again || step->of == text;
    if (again)
        return fail_circle(p, at, length, text);
    if (++p->n_named > NT_EXPRESSION_ROOM)
        return nt_parser_fail(p, at, "too long: more than %d names of quantities in one expression",
                              NT_EXPRESSION_ROOM);
    if (!nt_parser_deeper(p))
        return false;
    p->enclosing = &here;
    p->text = text, p->length = text_length, p->at = 0;
    if (!nt_parse_or(p, out))
        return false;
    nt_parser_skip_blanks(p);
    if (p->at < p->length)
        return nt_parser_fail_after(p, "the end");
    p->enclosing = here.outer;
    p->text = here.text, p->length = here.length, p->at = here.at;
    p->depth--;
    return true;
}

/* What an operand is, as an expression of its own. */
static const nt_expression *part_of(nt_parser *p, nt_operand operand)
{
    nt_parser *copy = malloc(sizeof *copy);
    const nt_expression *part = NULL;
    if (copy) {
        memcpy(copy, p, sizeof *copy);
        part = nt_parser_build(copy, operand, p->arena);
    }
    free(copy);
    return part;
}

/* delay(x, tau), after its '(' */
static bool parse_delay(nt_parser *p, const nt_expression_row *f, nt_operand *out)
{
    nt_operand a[ARGUMENTS];
    int at[ARGUMENTS], count, begin = p->at, variable = -1;
    const nt_symbols *s = p->symbols;
    const char *words = "has no history here: expected it in a force, a state or the like";
    if (!parse_arguments(p, f, a, at, &count))
        return false;
    if (s && s->delay) {
        const nt_expression *of = part_of(p, a[0]), *by = part_of(p, a[1]);
        variable =
            of && by ? s->delay(s->context, of, by, p->text + begin, p->at - begin, &words) : -2;
    }
    if (variable == -2) {
        p->status = nt_fail(p->error, NT_NO_MEMORY, "out of memory");
        return false;
    }
    if (variable < 0)
        return nt_parser_fail(p, begin, "delay %s", words);
    return nt_parser_emit_variable(p, variable, out);
}

/* FUNCTION(...), after its '(' */
static bool parse_call(nt_parser *p, const nt_expression_row *f, nt_operand *out)
{
    nt_operand a[ARGUMENTS];
    int at[ARGUMENTS], count;
    if (strcmp(f->help.name, "table") == 0)
        return parse_table(p, out);
    if (strcmp(f->help.name, "delay") == 0)
        return parse_delay(p, f, out);
    if (f->operation == NT_OP_NONE && f->help.arguments[0] == 'v')
        return nt_parse_vector_call(p, f, out);
    if (!parse_arguments(p, f, a, at, &count))
        return false;
    *out = a[0];
    if (f->most == NT_ANY_NUMBER)
        return true;
    if (f->operation == NT_OP_IF)
        return choice(p, a[0], a[1], a[2], out);
    if (f->operation == NT_OP_NONE && f->most == 3) /* clamp */
        return nt_parser_binary(p, NT_OP_MAX, a[0], a[1], out) &&
               nt_parser_binary(p, NT_OP_MIN, *out, a[2], out);
    if (f->operation == NT_OP_NONE)
        return smooth_step(p, a, at, out);
    return f->most == 1 ? nt_parser_unary(p, f->operation, a[0], out)
                        : nt_parser_binary(p, f->operation, a[0], a[1], out);
}

static bool parse_name(nt_parser *p, int length, nt_operand *out)
{
    const char *name = p->text + p->at;
    const nt_expression_row *f = nt_expression_find(name, length);
    const nt_symbols *s = p->symbols;
    int at = p->at;
    if (nt_expression_word(name, length))
        return nt_parser_fail(p, at, "expected a number, a name or '(', got '%.*s'%s", length, name,
                              name[0] == 'n' ? " (it needs parentheses here)" : "");
    p->at += length;
    if (nt_parser_accept(p, "(")) {
        int variable = s && s->resolve && !f ? s->resolve(s->context, name, length) : -1;
        if (variable >= 0 || (f && f->most == 0))
            return nt_parser_fail(p, p->at - 1, "'%.*s' is not a function; a product needs *",
                                  length, name);
        if (!f)
            return nt_parser_fail_name(p, at, length, true);
        return parse_call(p, f, out);
    }
    if (f && f->most == 0) {
        *out = parser_number(name[0] == 'p' ? NT_PI : name[0] == 't' ? 2 * NT_PI : NT_PI / 180);
        return true;
    }
    int text_length = 0;
    const char *text = s && s->named ? s->named(s->context, name, length, &text_length) : NULL;
    if (text)
        return parse_named(p, at, length, text, text_length, out);
    int variable = s && s->resolve ? s->resolve(s->context, name, length) : -1;
    if (variable >= 0)
        return nt_parser_emit(p, (nt_code){.operation = NT_OP_VARIABLE, .a = variable}, out);
    if (f)
        return nt_parser_fail(p, at, "'%.*s' is a function: expected %s(%s)", length, name,
                              f->help.name, f->help.arguments);
    return nt_parser_fail_name(p, at, length, false);
}

static bool parse_number(nt_parser *p, int length, double value, nt_operand *out)
{
    int at = p->at;
    p->at += length;
    if (isinf(value))
        return nt_parser_fail(p, at, "this number is too large (the largest is about 1.8e308)");
    if (nt_parser_peek(p, 0) == '.' || nt_is_digit(nt_parser_peek(p, 0)))
        return nt_parser_fail(p, p->at, "expected the end of the number, got '%c'",
                              nt_parser_peek(p, 0));
    bool exponent = nt_parser_peek(p, 0) == 'e' || nt_parser_peek(p, 0) == 'E';
    if (exponent && (nt_parser_peek(p, 1) == '+' || nt_parser_peek(p, 1) == '-' ||
                     !nt_in_name(nt_parser_peek(p, 1))))
        return nt_parser_fail(p, p->at, "expected digits after the exponent sign 'e'");
    *out = parser_number(value);
    return true;
}

static bool parse_atom(nt_parser *p, nt_operand *out)
{
    double value;
    nt_parser_skip_blanks(p);
    int length = nt_parser_name_length(p, p->at);
    if (length > 0)
        return parse_name(p, length, out);
    length = nt_number_scan(p->text + p->at, p->length - p->at, &value);
    if (length > 0)
        return parse_number(p, length, value, out);
    if (nt_parser_accept(p, "("))
        return nt_parse_or(p, out) && nt_parser_close(p, "')'");
    return nt_parser_fail_value(p);
}

static bool parse_power(nt_parser *p, nt_operand *out)
{
    nt_operand exponent;
    if (!parse_atom(p, out))
        return false;
    if (!nt_parser_accept(p, "^"))
        return true;
    return nt_parse_sign(p, &exponent) && nt_parser_binary(p, NT_OP_POWER, *out, exponent, out);
}

bool nt_parse_sign(nt_parser *p, nt_operand *out)
{
    bool negative = nt_parser_accept(p, "-");
    if (!nt_parser_deeper(p))
        return false;
    if (negative || nt_parser_accept(p, "+")) {
        if (!nt_parse_sign(p, out) || (negative && !nt_parser_unary(p, NT_OP_NEGATE, *out, out)))
            return false;
    } else if (!parse_power(p, out)) {
        return false;
    }
    p->depth--;
    return true;
}

static bool parse_product(nt_parser *p, nt_operand *out)
{
    nt_operand right;
    if (!nt_parse_sign(p, out))
        return false;
    for (;;) {
        nt_parser_skip_blanks(p);
        if (nt_parser_peek(p, 0) == '*' && nt_parser_peek(p, 1) == '*')
            return nt_parser_fail_after(p, "the end");
        int operation = nt_parser_accept(p, "*")   ? NT_OP_MULTIPLY
                        : nt_parser_accept(p, "/") ? NT_OP_DIVIDE
                                                   : 0;
        if (operation == 0)
            return true;
        if (!nt_parse_sign(p, &right) || !nt_parser_binary(p, operation, *out, right, out))
            return false;
    }
}

static bool parse_sum(nt_parser *p, nt_operand *out)
{
    nt_operand right;
    if (!parse_product(p, out))
        return false;
    for (;;) {
        int operation = nt_parser_accept(p, "+")   ? NT_OP_ADD
                        : nt_parser_accept(p, "-") ? NT_OP_SUBTRACT
                                                   : 0;
        if (operation == 0)
            return true;
        if (!parse_product(p, &right) || !nt_parser_binary(p, operation, *out, right, out))
            return false;
    }
}

/* 0 where no comparison stands; a > b is b < a */
static int accept_comparison(nt_parser *p, bool *swap)
{
    static const struct {
        const char *sign;
        int operation;
        bool swap;
    } signs[] = {{"<=", NT_OP_LESS_EQUAL, false}, {">=", NT_OP_LESS_EQUAL, true},
                 {"==", NT_OP_EQUAL, false},      {"!=", NT_OP_DIFFER, false},
                 {"<", NT_OP_LESS, false},        {">", NT_OP_LESS, true}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (nt_parser_accept(p, signs[i].sign)) {
            *swap = signs[i].swap;
            return signs[i].operation;
        }
    return 0;
}

static bool parse_comparison(nt_parser *p, nt_operand *out)
{
    nt_operand right;
    bool swap, ignored;
    if (!parse_sum(p, out))
        return false;
    int operation = accept_comparison(p, &swap);
    if (operation == 0)
        return true;
    if (!parse_sum(p, &right) ||
        !nt_parser_binary(p, operation, swap ? right : *out, swap ? *out : right, out))
        return false;
    nt_parser_skip_blanks(p);
    int at = p->at;
    if (accept_comparison(p, &ignored) != 0)
        return nt_parser_fail(p, at, "comparisons do not chain: write (a < b) and (b < c)");
    return true;
}

static bool parse_not(nt_parser *p, nt_operand *out)
{
    if (!nt_parser_accept_word(p, "not"))
        return parse_comparison(p, out);
    if (!nt_parser_deeper(p) || !parse_not(p, out) || !nt_parser_unary(p, NT_OP_NOT, *out, out))
        return false;
    p->depth--;
    return true;
}

static bool parse_and(nt_parser *p, nt_operand *out)
{
    nt_operand right;
    if (!parse_not(p, out))
        return false;
    while (nt_parser_accept_word(p, "and"))
        if (!parse_not(p, &right) || !nt_parser_binary(p, NT_OP_AND, *out, right, out))
            return false;
    return true;
}

bool nt_parse_or(nt_parser *p, nt_operand *out)
{
    nt_operand right;
    if (!parse_and(p, out))
        return false;
    while (nt_parser_accept_word(p, "or"))
        if (!parse_and(p, &right) || !nt_parser_binary(p, NT_OP_OR, *out, right, out))
            return false;
    return true;
}

/* ---- the finished expression --------------------------------------------------------------------
 */

static int compare_integers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Keep what the result in slot `last` needs, in order: then it is the last slot. */
static void drop_unused(nt_parser *p, int last)
{
    bool needed[NT_EXPRESSION_ROOM] = {false};
    int moved[NT_EXPRESSION_ROOM], n = 0;
    needed[last] = true;
    for (int i = last; i >= 0; i--) {
        const nt_code *c = &p->code[i];
        int operands = needed[i] ? nt_operands(c->operation) : 0;
        if (operands > 0)
            needed[c->a] = true;
        if (operands > 1)
            needed[c->b] = true;
        if (operands > 2)
            needed[c->c] = true;
    }
    for (int i = 0; i <= last; i++) {
        if (!needed[i])
            continue;
        nt_code c = p->code[i];
        int operands = nt_operands(c.operation);
        if (operands > 0)
            c.a = moved[c.a];
        if (operands > 1)
            c.b = moved[c.b];
        if (operands > 2)
            c.c = moved[c.c];
        moved[i] = n;
        p->code[n++] = c;
    }
    p->n = n;
}

const nt_expression *nt_parser_build(nt_parser *p, nt_operand result, nt_arena *arena)
{
    int used[NT_EXPRESSION_ROOM], n_used = 0;
    nt_expression *e = NT_TAKE(arena, 1, nt_expression);
    if (result.known) {
        if (e)
            e->constant = result.value;
        return e;
    }
    drop_unused(p, result.slot);
    for (int i = 0; i < p->n; i++)
        if (p->code[i].operation == NT_OP_VARIABLE)
            used[n_used++] = p->code[i].a;
    qsort(used, (size_t)n_used, sizeof *used, compare_integers);
    nt_code *code = NT_TAKE(arena, p->n, nt_code);
    double *constants = NT_TAKE(arena, p->n_constants, double);
    const nt_table **tables = NT_TAKE(arena, p->n_tables, const nt_table *);
    int *variables = NT_TAKE(arena, n_used, int);
    if (!e || !code || !constants || !tables || !variables)
        return NULL;
    memcpy(code, p->code, (size_t)p->n * sizeof *code);
    memcpy(constants, p->constants, (size_t)p->n_constants * sizeof *constants);
    memcpy(tables, p->tables, (size_t)p->n_tables * sizeof *tables);
    memcpy(variables, used, (size_t)n_used * sizeof *variables);
    *e = (nt_expression){.n = p->n,
                         .n_used = n_used,
                         .n_tables = p->n_tables,
                         .code = code,
                         .constants = constants,
                         .tables = tables,
                         .used = variables};
    return e;
}

nt_status nt_expression_parse(const char *text, int length, const nt_symbols *symbols,
                              nt_arena *arena, const nt_expression **expression, nt_error *error)
{
    nt_parser p;
    nt_operand result;
    p.text = text, p.length = length, p.at = 0, p.depth = 0;
    p.symbols = symbols, p.error = error, p.arena = arena, p.status = NT_OK;
    p.n = p.n_constants = p.n_tables = p.n_named = p.n_held = 0;
    p.whole = text, p.enclosing = NULL;
    if (length > NT_EXPRESSION_LENGTH) {
        nt_parser_fail(&p, 0, "%d characters long, at most %d are accepted", length,
                       NT_EXPRESSION_LENGTH);
        return p.status;
    }
    nt_parser_skip_blanks(&p);
    if (p.at == length) {
        nt_parser_fail(&p, 0, "expected a number or an expression, got nothing");
        return p.status;
    }
    bool good = nt_parse_or(&p, &result);
    if (symbols && symbols->failed_in)
        *symbols->failed_in = p.text;
    if (!good)
        return p.status;
    nt_parser_skip_blanks(&p);
    if (p.at < length) {
        if (text[p.at] == ')')
            nt_parser_fail(&p, p.at, "')' without its '('");
        else
            nt_parser_fail_after(&p, "the end");
        return p.status;
    }
    const nt_expression *e = nt_parser_build(&p, result, arena);
    if (!e)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    *expression = e;
    return NT_OK;
}
