/* From the text of an expression to its program: recursive descent, one function per precedence.
 *
 * Constants are folded while parsing, equal operations are found, and what the result does not
 * need (the other branch of an `if` with a constant condition) is dropped at the end. */
#include "base/error.h"
#include "base/number.h"
#include "base/suggest.h"
#include "model/expression.h"
#include "model/expression_code.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 5 }; /* the most that a function with a fixed number takes */

/* ---- the parser's state --------------------------------------------------------------------- */

/* A number known already, or the slot of an operation. */
typedef struct operand {
    bool known;
    double value;
    int slot;
} operand;

typedef struct parser {
    const char *text;
    int length, at; /* bytes */
    int depth;
    const nt_symbols *symbols;
    nt_error *error;
    nt_status status;
    int n, n_constants, n_tables;
    nt_code code[NT_EXPRESSION_ROOM];
    double constants[NT_EXPRESSION_ROOM];
    const nt_table *tables[NT_EXPRESSION_ROOM];
} parser;

/* Columns count characters: continuation bytes of UTF-8 do not. */
static int column_of(const parser *p, int at)
{
    int column = 1;
    for (int i = 0; i < at; i++)
        column += ((unsigned char)p->text[i] & 0xC0) != 0x80;
    return column;
}

static bool fail(parser *p, int at, const char *format, ...) NT_PRINTF(3, 4);
static bool fail(parser *p, int at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->status = nt_fail_with(p->error, NT_BAD_MODEL, "", 0, column_of(p, at), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- characters ----------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}
static bool in_name(char c) { return starts_name(c) || is_digit(c); }

static char peek(const parser *p, int ahead)
{
    return p->at + ahead < p->length ? p->text[p->at + ahead] : '\0';
}

static void skip_blanks(parser *p)
{
    while (p->at < p->length && memchr(" \t\r\n", p->text[p->at], 4))
        p->at++;
}

/* Length of the name at `at`: words joined by dots; 0 where none starts. */
static int name_length(const parser *p, int at)
{
    int end = at;
    if (at >= p->length || !starts_name(p->text[at]))
        return 0;
    while (end < p->length &&
           (in_name(p->text[end]) ||
            (p->text[end] == '.' && end + 1 < p->length && in_name(p->text[end + 1]))))
        end++;
    return end - at;
}

static bool accept(parser *p, const char *sign)
{
    int length = (int)strlen(sign);
    skip_blanks(p);
    if (p->length - p->at < length || memcmp(p->text + p->at, sign, (size_t)length) != 0)
        return false;
    p->at += length;
    return true;
}

static bool accept_word(parser *p, const char *word)
{
    skip_blanks(p);
    int length = name_length(p, p->at);
    if (length == 0 || !nt_word_is(p->text + p->at, length, word))
        return false;
    p->at += length;
    return true;
}

/* ---- what stands where something else was expected ------------------------------------------ */

/* A word, a number or one character at `at`, in quotes; "the end". */
static const char *describe(const parser *p, int at, char shown[64])
{
    const char *text = p->text + at;
    int length = name_length(p, at), left = p->length - at;
    double ignored;
    if (left <= 0)
        return "the end";
    if (length == 0)
        length = nt_number_scan(text, left, &ignored);
    if (length == 0)
        for (length = 1; length < left && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length++;
    if ((unsigned char)text[0] < 0x20 || text[0] == 0x7f)
        snprintf(shown, 64, "character %d", text[0]);
    else
        snprintf(shown, 64, "'%.*s%s'", length < 40 ? length : 40, text, length > 40 ? "..." : "");
    return shown;
}

/* Signs of other languages, and what they are here. */
static const struct {
    const char *sign, *hint;
} foreign[] = {
    {"**", "a power is written ^"},
    {"&&", "written 'and' here"},
    {"||", "written 'or' here"},
    {"!", "written 'not' here"},
    {"%", "a remainder is mod(x, y)"},
    {"=", "equality is written =="},
    {"?", "a choice is written if(c, a, b)"},
    {"\xe2\x88\x92", "a minus sign is written -"}, /* U+2212, what text processors make of it */
    {"\xe2\x80\x93", "a minus sign is written -"}, /* en dash */
    {"\xe2\x80\x94", "a minus sign is written -"}, /* em dash */
    {"\xc2\xb7", "a product is written *"},        /* middle dot */
    {"\xc3\x97", "a product is written *"},        /* multiplication sign */
    {"\xc3\xb7", "a quotient is written /"},       /* division sign */
    {"\xc2\xb2", "a power is written ^"},          /* superscript 2 and 3 */
    {"\xc2\xb3", "a power is written ^"},
    {"\xc2\xb0", "angles are in radians, a degree is pi/180"},
    {"\xcf\x80", "pi is written pi"},
    {"\xe2\x80\x9c", "typographic quotes belong to the text, plain ones do not"},
};

static const char *foreign_hint(const parser *p, int at)
{
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        size_t length = strlen(foreign[i].sign);
        if ((size_t)(p->length - at) >= length &&
            memcmp(p->text + at, foreign[i].sign, length) == 0)
            return foreign[i].hint;
    }
    return NULL;
}

static bool fail_value(parser *p)
{
    char shown[64];
    const char *hint = p->at < p->length ? foreign_hint(p, p->at) : NULL;
    const char *got = describe(p, p->at, shown);
    if (hint)
        return fail(p, p->at, "expected a number, a name or '(', got %s: %s", got, hint);
    return fail(p, p->at, "expected a number, a name or '(', got %s", got);
}

/* After a complete value, where `expected` or an operator may stand. */
static bool fail_after_value(parser *p, const char *expected)
{
    char shown[64];
    const char *got = describe(p, p->at, shown);
    const char *hint = p->at < p->length ? foreign_hint(p, p->at) : NULL;
    bool number_before = p->at > 0 && p->at < p->length && starts_name(p->text[p->at]);
    int before = p->at - 1;
    while (before > 0 && p->text[before] == ' ')
        before--;
    number_before = number_before && (is_digit(p->text[before]) || p->text[before] == '.');
    if (hint)
        return fail(p, p->at, "expected an operator or %s, got %s: %s", expected, got, hint);
    if (number_before)
        return fail(p, p->at,
                    "expected an operator or %s, got %s: numbers carry no unit (SI units are "
                    "meant), and a product needs *",
                    expected, got);
    return fail(p, p->at, "expected an operator or %s, got %s", expected, got);
}

/* "did you mean" for a name that is none; the known names when they are few. */
static bool fail_name(parser *p, int at, int length, bool called)
{
    const char *name = p->text + at;
    const nt_symbols *s = p->symbols;
    const char *known;
    char list[160] = "";
    size_t used = 0;
    int count = 0;
    nt_suggestion search;
    nt_suggest_start(&search, name, length);
    const nt_function_help *help;
    for (int i = 0; (help = nt_expression_function(i)); i++)
        if (called == (help->arguments[0] != 0))
            nt_suggest_offer(&search, help->name);
    for (int i = 0; !called && s && s->candidate && (known = s->candidate(s->context, i)); i++) {
        nt_suggest_offer(&search, known);
        if (++count <= 6 && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known);
    }
    int shown = length < 60 ? length : 60;
    const char *kind = called ? "function" : "name", *hint = NULL;
    for (int i = at; i < at + length && !hint; i++)
        hint = (unsigned char)p->text[i] >= 0x80 ? foreign_hint(p, i) : NULL;
    if (hint)
        return fail(p, at, "unknown %s '%.*s': %s", kind, shown, name, hint);
    if (search.best)
        return fail(p, at, "unknown %s '%.*s'; did you mean '%s'?", kind, shown, name, search.best);
    if (count > 0 && count <= 6 && used < sizeof list)
        return fail(p, at, "unknown %s '%.*s'; known here: %s", kind, shown, name, list);
    return fail(p, at, "unknown %s '%.*s'", kind, shown, name);
}

/* ---- writing the program -------------------------------------------------------------------- */

static operand number(double value) { return (operand){.known = true, .value = value}; }

static bool emit(parser *p, nt_code code, operand *out)
{
    int i = 0;
    while (i < p->n && memcmp(&p->code[i], &code, sizeof code) != 0)
        i++;
    if (i == NT_EXPRESSION_ROOM)
        return fail(p, p->at, "too long: more than %d operations in one expression",
                    NT_EXPRESSION_ROOM);
    if (i == p->n)
        p->code[p->n++] = code;
    *out = (operand){.slot = i};
    return true;
}

/* Give an operand a slot when it is a number still. */
static bool settle(parser *p, operand *o)
{
    int i = 0;
    if (!o->known)
        return true;
    while (i < p->n_constants && memcmp(&p->constants[i], &o->value, sizeof o->value) != 0)
        i++;
    if (i == NT_EXPRESSION_ROOM)
        return fail(p, p->at, "too long: more than %d numbers in one expression",
                    NT_EXPRESSION_ROOM);
    if (i == p->n_constants)
        p->constants[p->n_constants++] = o->value;
    return emit(p, (nt_code){.operation = NT_OP_CONSTANT, .a = i}, o);
}

static bool unary(parser *p, int operation, operand a, operand *out)
{
    if (a.known) {
        *out = number(nt_operation_value(operation, a.value, 0, 0, NULL));
        return true;
    }
    return emit(p, (nt_code){.operation = operation, .a = a.slot}, out);
}

/* A square is a product: exact, and faster than pow. */
static bool binary(parser *p, int operation, operand a, operand b, operand *out)
{
    if (a.known && b.known) {
        *out = number(nt_operation_value(operation, a.value, b.value, 0, NULL));
        return true;
    }
    if (operation == NT_OP_POWER && b.known && b.value == 2)
        return emit(p, (nt_code){.operation = NT_OP_MULTIPLY, .a = a.slot, .b = a.slot}, out);
    return settle(p, &a) && settle(p, &b) &&
           emit(p, (nt_code){.operation = operation, .a = a.slot, .b = b.slot}, out);
}

static bool choice(parser *p, operand c, operand a, operand b, operand *out)
{
    if (c.known) {
        *out = c.value != 0 ? a : b;
        return true;
    }
    return settle(p, &a) && settle(p, &b) &&
           emit(p, (nt_code){.operation = NT_OP_IF, .a = c.slot, .b = a.slot, .c = b.slot}, out);
}

/* y0 (1 - S) + y1 S with S = rise((t - t0) / (t1 - t0)): exactly y0 before and y1 after. */
static bool smooth_step(parser *p, const operand *a, const int *at, operand *out)
{
    operand t = a[0], t0 = a[1], y0 = a[2], t1 = a[3], y1 = a[4], span, u, s, rest;
    if (t0.known && t1.known && !(t1.value > t0.value))
        return fail(p, at[3], "step(t, t0, y0, t1, y1): t1 = %g must be greater than t0 = %g",
                    t1.value, t0.value);
    if (!binary(p, NT_OP_SUBTRACT, t, t0, &u) || !binary(p, NT_OP_SUBTRACT, t1, t0, &span) ||
        !binary(p, NT_OP_DIVIDE, u, span, &u) || !unary(p, NT_OP_RISE, u, &s) ||
        !binary(p, NT_OP_MULTIPLY, y1, s, out))
        return false;
    if (y0.known && y0.value == 0)
        return true;
    return binary(p, NT_OP_SUBTRACT, number(1), s, &rest) &&
           binary(p, NT_OP_MULTIPLY, y0, rest, &rest) && binary(p, NT_OP_ADD, rest, *out, out);
}

/* ---- the grammar -------------------------------------------------------------------------------
 */

static bool parse_or(parser *p, operand *out);
static bool parse_sign(parser *p, operand *out);

static bool deeper(parser *p)
{
    if (p->depth++ > NT_EXPRESSION_DEPTH)
        return fail(p, p->at, "nested more than %d deep", NT_EXPRESSION_DEPTH);
    return true;
}

static bool expect_close(parser *p, const char *expected)
{
    if (accept(p, ")"))
        return true;
    if (p->at == p->length)
        return fail(p, p->at,
                    "expected %s, got the end (inside [ ] or { } an expression with commas needs "
                    "quotes)",
                    expected);
    return fail_after_value(p, expected);
}

static bool fail_count(parser *p, int at, const nt_expression_row *f, int got)
{
    if (f->most == NT_ANY_NUMBER)
        return fail(p, at, "%s(%s) takes %d or more arguments, got %d", f->help.name,
                    f->help.arguments, f->least, got);
    return fail(p, at, "%s(%s) takes %d argument%s, got %s%d", f->help.name, f->help.arguments,
                f->most, f->most == 1 ? "" : "s", got > f->most ? "at least " : "", got);
}

/* Arguments up to the ')'. Those beyond the room are combined at once (min, max).
 * at[]   where each begins */
static bool parse_arguments(parser *p, const nt_expression_row *f, operand *a, int *at, int *count)
{
    *count = 0;
    while (!accept(p, ")")) {
        operand one;
        if (*count > 0 && !accept(p, ","))
            return expect_close(p, "',' or ')'");
        skip_blanks(p);
        if (*count == f->most)
            return fail_count(p, p->at, f, *count + 1);
        int here = p->at;
        if (!parse_or(p, &one))
            return false;
        if (f->most == NT_ANY_NUMBER && *count > 0) {
            if (!binary(p, f->operation, a[0], one, &a[0]))
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
static bool parse_table_name(parser *p, int *at, int *length, bool *quoted)
{
    char shown[64];
    skip_blanks(p);
    char quote = peek(p, 0);
    *quoted = quote == '"' || quote == '\'';
    *at = p->at + *quoted;
    if (*quoted) {
        const char *end = memchr(p->text + *at, quote, (size_t)(p->length - *at));
        if (!end)
            return fail(p, p->at, "expected a closing %c after the table's name", quote);
        *length = (int)(end - (p->text + *at));
        p->at = *at + *length + 1;
    } else {
        *length = name_length(p, p->at);
        p->at += *length;
    }
    if (*length == 0)
        return fail(p, *at, "expected a table: table(\"FILE.csv\", x), got %s",
                    describe(p, *at, shown));
    if (!accept(p, ","))
        return fail(p, p->at, "expected ',' and the table's argument, got %s",
                    describe(p, p->at, shown));
    return true;
}

static bool fail_table(parser *p, int at, int length, const nt_error *inner)
{
    char text[sizeof inner->file + sizeof inner->message];
    int shown = length < 100 ? length : 100;
    if (inner->status == NT_OK)
        return fail(p, at, "unknown table '%.*s'", shown, p->text + at);
    if (inner->file[0] && inner->line > 0) {
        if (p->error)
            *p->error = *inner;
    } else {
        nt_error_text(inner, text, (int)sizeof text);
        fail(p, at, "table '%.*s': %.600s", shown, p->text + at, text);
        if (p->error)
            p->error->status = inner->status;
    }
    p->status = inner->status;
    return false;
}

/* table(NAME, x), after its '(' */
static bool parse_table(parser *p, operand *out)
{
    const nt_symbols *s = p->symbols;
    nt_error inner = {0};
    const nt_table *table = NULL;
    int at = 0, length = 0, i = 0;
    bool quoted = false;
    operand x;
    if (!parse_table_name(p, &at, &length, &quoted))
        return false;
    if (s && s->table)
        table = s->table(s->context, p->text + at, length, quoted, &inner);
    if (!table)
        return fail_table(p, at, length, &inner);
    if (!parse_or(p, &x) || !expect_close(p, "')'"))
        return false;
    if (x.known) {
        *out = number(nt_operation_value(NT_OP_TABLE, x.value, 0, 0, table));
        return true;
    }
    while (i < p->n_tables && p->tables[i] != table)
        i++;
    if (i == NT_EXPRESSION_ROOM)
        return fail(p, at, "too many tables in one expression");
    if (i == p->n_tables)
        p->tables[p->n_tables++] = table;
    return emit(p, (nt_code){.operation = NT_OP_TABLE, .a = x.slot, .b = i}, out);
}

/* FUNCTION(...), after its '(' */
static bool parse_call(parser *p, const nt_expression_row *f, operand *out)
{
    operand a[ARGUMENTS];
    int at[ARGUMENTS], count;
    if (strcmp(f->help.name, "table") == 0)
        return parse_table(p, out);
    if (!parse_arguments(p, f, a, at, &count))
        return false;
    *out = a[0];
    if (f->most == NT_ANY_NUMBER)
        return true;
    if (f->operation == NT_OP_IF)
        return choice(p, a[0], a[1], a[2], out);
    if (f->operation == NT_OP_NONE && f->most == 3) /* clamp */
        return binary(p, NT_OP_MAX, a[0], a[1], out) && binary(p, NT_OP_MIN, *out, a[2], out);
    if (f->operation == NT_OP_NONE)
        return smooth_step(p, a, at, out);
    return f->most == 1 ? unary(p, f->operation, a[0], out)
                        : binary(p, f->operation, a[0], a[1], out);
}

static bool parse_name(parser *p, int length, operand *out)
{
    const char *name = p->text + p->at;
    const nt_expression_row *f = nt_expression_find(name, length);
    const nt_symbols *s = p->symbols;
    int at = p->at;
    if (nt_expression_word(name, length))
        return fail(p, at, "expected a number, a name or '(', got '%.*s'%s", length, name,
                    name[0] == 'n' ? " (it needs parentheses here)" : "");
    p->at += length;
    if (accept(p, "(")) {
        int variable = s && s->resolve && !f ? s->resolve(s->context, name, length) : -1;
        if (variable >= 0 || (f && f->most == 0))
            return fail(p, p->at - 1, "'%.*s' is not a function; a product needs *", length, name);
        if (!f)
            return fail_name(p, at, length, true);
        return parse_call(p, f, out);
    }
    if (f && f->most == 0) {
        *out = number(name[0] == 'p' ? 3.14159265358979323846 : 6.28318530717958647692);
        return true;
    }
    int variable = s && s->resolve ? s->resolve(s->context, name, length) : -1;
    if (variable >= 0)
        return emit(p, (nt_code){.operation = NT_OP_VARIABLE, .a = variable}, out);
    if (f)
        return fail(p, at, "'%.*s' is a function: expected %s(%s)", length, name, f->help.name,
                    f->help.arguments);
    return fail_name(p, at, length, false);
}

static bool parse_number(parser *p, int length, double value, operand *out)
{
    int at = p->at;
    p->at += length;
    if (isinf(value))
        return fail(p, at, "this number is too large (the largest is about 1.8e308)");
    if (peek(p, 0) == '.' || is_digit(peek(p, 0)))
        return fail(p, p->at, "expected the end of the number, got '%c'", peek(p, 0));
    bool exponent = peek(p, 0) == 'e' || peek(p, 0) == 'E';
    if (exponent && (peek(p, 1) == '+' || peek(p, 1) == '-' || !in_name(peek(p, 1))))
        return fail(p, p->at, "expected digits after the exponent sign 'e'");
    *out = number(value);
    return true;
}

static bool parse_atom(parser *p, operand *out)
{
    double value;
    skip_blanks(p);
    int length = name_length(p, p->at);
    if (length > 0)
        return parse_name(p, length, out);
    length = nt_number_scan(p->text + p->at, p->length - p->at, &value);
    if (length > 0)
        return parse_number(p, length, value, out);
    if (accept(p, "("))
        return parse_or(p, out) && expect_close(p, "')'");
    return fail_value(p);
}

static bool parse_power(parser *p, operand *out)
{
    operand exponent;
    if (!parse_atom(p, out))
        return false;
    if (!accept(p, "^"))
        return true;
    return parse_sign(p, &exponent) && binary(p, NT_OP_POWER, *out, exponent, out);
}

static bool parse_sign(parser *p, operand *out)
{
    bool negative = accept(p, "-");
    if (!deeper(p))
        return false;
    if (negative || accept(p, "+")) {
        if (!parse_sign(p, out) || (negative && !unary(p, NT_OP_NEGATE, *out, out)))
            return false;
    } else if (!parse_power(p, out)) {
        return false;
    }
    p->depth--;
    return true;
}

static bool parse_product(parser *p, operand *out)
{
    operand right;
    if (!parse_sign(p, out))
        return false;
    for (;;) {
        skip_blanks(p);
        if (peek(p, 0) == '*' && peek(p, 1) == '*')
            return fail_after_value(p, "the end");
        int operation = accept(p, "*") ? NT_OP_MULTIPLY : accept(p, "/") ? NT_OP_DIVIDE : 0;
        if (operation == 0)
            return true;
        if (!parse_sign(p, &right) || !binary(p, operation, *out, right, out))
            return false;
    }
}

static bool parse_sum(parser *p, operand *out)
{
    operand right;
    if (!parse_product(p, out))
        return false;
    for (;;) {
        int operation = accept(p, "+") ? NT_OP_ADD : accept(p, "-") ? NT_OP_SUBTRACT : 0;
        if (operation == 0)
            return true;
        if (!parse_product(p, &right) || !binary(p, operation, *out, right, out))
            return false;
    }
}

/* 0 where no comparison stands; a > b is b < a */
static int accept_comparison(parser *p, bool *swap)
{
    static const struct {
        const char *sign;
        int operation;
        bool swap;
    } signs[] = {{"<=", NT_OP_LESS_EQUAL, false}, {">=", NT_OP_LESS_EQUAL, true},
                 {"==", NT_OP_EQUAL, false},      {"!=", NT_OP_DIFFER, false},
                 {"<", NT_OP_LESS, false},        {">", NT_OP_LESS, true}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (accept(p, signs[i].sign)) {
            *swap = signs[i].swap;
            return signs[i].operation;
        }
    return 0;
}

static bool parse_comparison(parser *p, operand *out)
{
    operand right;
    bool swap, ignored;
    if (!parse_sum(p, out))
        return false;
    int operation = accept_comparison(p, &swap);
    if (operation == 0)
        return true;
    if (!parse_sum(p, &right) ||
        !binary(p, operation, swap ? right : *out, swap ? *out : right, out))
        return false;
    skip_blanks(p);
    int at = p->at;
    if (accept_comparison(p, &ignored) != 0)
        return fail(p, at, "comparisons do not chain: write (a < b) and (b < c)");
    return true;
}

static bool parse_not(parser *p, operand *out)
{
    if (!accept_word(p, "not"))
        return parse_comparison(p, out);
    if (!deeper(p) || !parse_not(p, out) || !unary(p, NT_OP_NOT, *out, out))
        return false;
    p->depth--;
    return true;
}

static bool parse_and(parser *p, operand *out)
{
    operand right;
    if (!parse_not(p, out))
        return false;
    while (accept_word(p, "and"))
        if (!parse_not(p, &right) || !binary(p, NT_OP_AND, *out, right, out))
            return false;
    return true;
}

static bool parse_or(parser *p, operand *out)
{
    operand right;
    if (!parse_and(p, out))
        return false;
    while (accept_word(p, "or"))
        if (!parse_and(p, &right) || !binary(p, NT_OP_OR, *out, right, out))
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
static void drop_unused(parser *p, int last)
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

static const nt_expression *build(parser *p, operand result, nt_arena *arena)
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
    parser p;
    operand result;
    p.text = text, p.length = length, p.at = 0, p.depth = 0;
    p.symbols = symbols, p.error = error, p.status = NT_OK;
    p.n = p.n_constants = p.n_tables = 0;
    if (length > NT_EXPRESSION_LENGTH) {
        fail(&p, 0, "%d characters long, at most %d are accepted", length, NT_EXPRESSION_LENGTH);
        return p.status;
    }
    skip_blanks(&p);
    if (p.at == length) {
        fail(&p, 0, "expected a number or an expression, got nothing");
        return p.status;
    }
    if (!parse_or(&p, &result))
        return p.status;
    skip_blanks(&p);
    if (p.at < length) {
        if (text[p.at] == ')')
            fail(&p, p.at, "')' without its '('");
        else
            fail_after_value(&p, "the end");
        return p.status;
    }
    const nt_expression *e = build(&p, result, arena);
    if (!e)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    *expression = e;
    return NT_OK;
}
