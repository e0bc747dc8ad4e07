/* Vectors in expressions: three numbers each, so that norms, products and angles have the
 * derivatives of any other expression. */
#include "model/expressions/expression_parser.h"

#include <stdio.h>
#include <string.h>

static bool parse_vector(nt_parser *p, nt_operand out[3]);

/* How many numbers are recorded under a name, as far as is known: 3 of a vector. */
static int numbers_of(const nt_parser *p, int at, int length)
{
    const nt_symbols *s = p->symbols;
    return s && s->numbers ? s->numbers(s->context, p->text + at, length) : 0;
}

/* ---- where factors of vectors are numbers --------------------------------------------------- */

static char character_at(const nt_parser *p, int at) { return at < p->length ? p->text[at] : 0; }

static int after_blanks(const nt_parser *p, int at)
{
    char c = character_at(p, at);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        c = character_at(p, ++at);
    return at;
}

/* Behind the parenthesis or bracket that closes the one at `at`. */
static int after_closed(const nt_parser *p, int at)
{
    int depth = 0;
    for (; at < p->length; at++) {
        char c = p->text[at];
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* Whether a vector stands in parentheses that open at `at`, but for those of functions. */
static bool holds_vector(const nt_parser *p, int at)
{
    int end = after_closed(p, at);
    for (at++; at < end;) {
        int length = nt_parser_name_length(p, at), next = after_blanks(p, at + length);
        if (p->text[at] == '[')
            return true;
        if (length == 0) {
            at++;
            continue;
        }
        bool calls = character_at(p, next) == '(';
        if (calls ? nt_word_is(p->text + at, length, "cross") : numbers_of(p, at, length) >= 3)
            return true;
        at = calls ? after_closed(p, next) : at + length;
    }
    return false;
}

/* Whether a number stands next rather than a vector: a constant, the value of a function, numbers
 * in parentheses, or a name that is none of a vector and that something is multiplied with. */
static bool number_is_next(const nt_parser *p)
{
    int at = after_blanks(p, p->at), length = nt_parser_name_length(p, at);
    int next = after_blanks(p, at + length);
    char c = character_at(p, at), behind = character_at(p, next);
    if (length == 0)
        return nt_is_digit(c) || c == '.' || (c == '(' && !holds_vector(p, at));
    if (behind == '(')
        return !nt_word_is(p->text + at, length, "cross");
    bool known = p->symbols && p->symbols->numbers; /* v/2 is a vector where v is one */
    return numbers_of(p, at, length) < 3 &&
           (behind == '*' || behind == '^' || (behind == '/' && known));
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* NAME, where NAME.x and the others are variables. */
static bool parse_vector_name(nt_parser *p, int at, int length, nt_operand out[3])
{
    static const char components[] = "xyz";
    const nt_symbols *s = p->symbols;
    char name[160];
    int shown = length < 60 ? length : 60;
    p->at = at + length;
    if (numbers_of(p, at, length) > 3)
        return nt_parser_fail(p, at,
                              "'%.*s' is %d numbers, expected a vector of three such as "
                              "BODY.velocity or BODY.x_axis",
                              shown, p->text + at, numbers_of(p, at, length));
    for (int i = 0; i < 3; i++) {
        int size = snprintf(name, sizeof name, "%.*s.%c", length, p->text + at, components[i]);
        bool fits = size < (int)sizeof name;
        int variable = fits && s && s->resolve ? s->resolve(s->context, name, size) : -1;
        if (variable < 0)
            return nt_parser_fail(
                p, at,
                "unknown vector '%.*s', expected one such as BODY.velocity, or [x, "
                "y, z]",
                shown, p->text + at);
        if (!nt_parser_emit(p, (nt_code){.operation = NT_OP_VARIABLE, .a = variable}, &out[i]))
            return false;
    }
    return true;
}

static bool parse_components(nt_parser *p, nt_operand out[3])
{
    for (int i = 0; i < 3; i++)
        if ((i > 0 && !nt_parser_accept(p, ",")) || !nt_parse_or(p, &out[i]))
            return p->status == NT_OK ? nt_parser_fail_after(p, "',' and three components") : false;
    return nt_parser_accept(p, "]") || nt_parser_fail_after(p, "']' after three components");
}

/* a x b */
static bool cross(nt_parser *p, const nt_operand a[3], const nt_operand b[3], nt_operand out[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        nt_operand left, right;
        if (!nt_parser_binary(p, NT_OP_MULTIPLY, a[j], b[k], &left) ||
            !nt_parser_binary(p, NT_OP_MULTIPLY, a[k], b[j], &right) ||
            !nt_parser_binary(p, NT_OP_SUBTRACT, left, right, &out[i]))
            return false;
    }
    return true;
}

static bool parse_two_vectors(nt_parser *p, nt_operand a[3], nt_operand b[3])
{
    if (!parse_vector(p, a))
        return false;
    if (!nt_parser_accept(p, ","))
        return nt_parser_fail_within(p, "',' and the second vector");
    return parse_vector(p, b) && nt_parser_close(p, "')'");
}

static bool parse_vector_atom(nt_parser *p, nt_operand out[3])
{
    nt_operand a[3], b[3];
    nt_parser_skip_blanks(p);
    int at = p->at, length = nt_parser_name_length(p, at);
    if (!nt_parser_deeper(p))
        return false;
    if (nt_parser_accept(p, "[")) {
        if (!parse_components(p, out))
            return false;
    } else if (nt_parser_accept(p, "(")) {
        if (!parse_vector(p, out) || !nt_parser_close(p, "')'"))
            return false;
    } else if (length == 0) {
        char shown[64];
        return nt_parser_fail(p, at, "expected a vector such as BODY.velocity or [x, y, z], got %s",
                              nt_parser_describe(p, at, shown));
    } else if (nt_word_is(p->text + at, length, "cross")) {
        p->at += length;
        if (!nt_parser_accept(p, "("))
            return nt_parser_fail_after(p, "'(' and two vectors");
        if (!parse_two_vectors(p, a, b) || !cross(p, a, b, out))
            return false;
    } else if (!parse_vector_name(p, at, length, out)) {
        return false;
    }
    p->depth--;
    return true;
}

/* Numbers before a vector, each with its '*', into *product. */
static bool parse_numbers_before(nt_parser *p, bool *any, nt_operand *product)
{
    for (*any = false; number_is_next(p); *any = true) {
        nt_operand factor;
        if (!nt_parse_sign(p, *any ? &factor : product))
            return false;
        if (*any && !nt_parser_binary(p, NT_OP_MULTIPLY, *product, factor, product))
            return false;
        while (nt_parser_accept(p, "/"))
            if (!nt_parse_sign(p, &factor) ||
                !nt_parser_binary(p, NT_OP_DIVIDE, *product, factor, product))
                return false;
        if (!nt_parser_accept(p, "*"))
            return nt_parser_fail_after(p, "'*' and a vector: a number alone is none");
    }
    return true;
}

/* A vector with a sign, and numbers that it is multiplied with or divided by. */
static bool parse_vector_term(nt_parser *p, bool negative, nt_operand out[3])
{
    nt_operand factor, before;
    bool any;
    negative ^= nt_parser_accept(p, "-");
    if (!parse_numbers_before(p, &any, &before) || !parse_vector_atom(p, out))
        return false;
    for (int i = 0; any && i < 3; i++)
        if (!nt_parser_binary(p, NT_OP_MULTIPLY, before, out[i], &out[i]))
            return false;
    for (int operation;;) {
        operation = nt_parser_accept(p, "*")   ? NT_OP_MULTIPLY
                    : nt_parser_accept(p, "/") ? NT_OP_DIVIDE
                                               : 0;
        if (operation == 0)
            break;
        if (!nt_parse_sign(p, &factor))
            return false;
        for (int i = 0; i < 3; i++)
            if (!nt_parser_binary(p, operation, out[i], factor, &out[i]))
                return false;
    }
    for (int i = 0; negative && i < 3; i++)
        if (!nt_parser_unary(p, NT_OP_NEGATE, out[i], &out[i]))
            return false;
    return true;
}

static bool parse_vector(nt_parser *p, nt_operand out[3])
{
    nt_operand next[3];
    if (!parse_vector_term(p, false, out))
        return false;
    for (;;) {
        bool negative = false;
        if (!nt_parser_accept(p, "+") && !(negative = nt_parser_accept(p, "-")))
            return true;
        if (!parse_vector_term(p, negative, next))
            return false;
        for (int i = 0; i < 3; i++)
            if (!nt_parser_binary(p, NT_OP_ADD, out[i], next[i], &out[i]))
                return false;
    }
}

/* hypot, so that the slope at a vector of zero is 0 */
static bool norm(nt_parser *p, const nt_operand v[3], nt_operand *out)
{
    return nt_parser_binary(p, NT_OP_HYPOT, v[0], v[1], out) &&
           nt_parser_binary(p, NT_OP_HYPOT, *out, v[2], out);
}

static bool dot(nt_parser *p, const nt_operand a[3], const nt_operand b[3], nt_operand *out)
{
    nt_operand term;
    if (!nt_parser_binary(p, NT_OP_MULTIPLY, a[0], b[0], out))
        return false;
    for (int i = 1; i < 3; i++)
        if (!nt_parser_binary(p, NT_OP_MULTIPLY, a[i], b[i], &term) ||
            !nt_parser_binary(p, NT_OP_ADD, *out, term, out))
            return false;
    return true;
}

/* norm, dot and angle_between, after their '('. The angle is atan2(|a x b|, a . b). */
bool nt_parse_vector_call(nt_parser *p, const nt_expression_row *f, nt_operand *out)
{
    nt_operand a[3], b[3], product[3], sine, cosine;
    if (f->most == 1)
        return parse_vector(p, a) && nt_parser_close(p, "')'") && norm(p, a, out);
    if (!parse_two_vectors(p, a, b))
        return false;
    if (strcmp(f->help.name, "dot") == 0)
        return dot(p, a, b, out);
    return cross(p, a, b, product) && norm(p, product, &sine) && dot(p, a, b, &cosine) &&
           nt_parser_binary(p, NT_OP_ATAN2, sine, cosine, out);
}
