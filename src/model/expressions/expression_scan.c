/* Characters of an expression, and messages on what stands where something else was expected. */
#include "base/error.h"
#include "base/number.h"
#include "base/suggest.h"
#include "model/expressions/expression_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Columns count characters: continuation bytes of UTF-8 do not. */
static int parser_column(const nt_parser *p, int at)
{
    int column = 1;
    for (int i = 0; i < at; i++)
        column += ((unsigned char)p->text[i] & 0xC0) != 0x80;
    return column;
}

bool nt_parser_fail(nt_parser *p, int at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->status =
        nt_fail_with(p->error, NT_BAD_MODEL, "", 0, parser_column(p, at), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- characters ----------------------------------------------------------------------------- */

char nt_parser_peek(const nt_parser *p, int ahead)
{
    return p->at + ahead < p->length ? p->text[p->at + ahead] : '\0';
}

void nt_parser_skip_blanks(nt_parser *p)
{
    while (p->at < p->length && memchr(" \t\r\n", p->text[p->at], 4))
        p->at++;
}

/* Length of the name at `at`: words joined by dots; 0 where none starts. */
int nt_parser_name_length(const nt_parser *p, int at)
{
    int end = at;
    if (at >= p->length || !nt_starts_name(p->text[at]))
        return 0;
    while (end < p->length &&
           (nt_in_name(p->text[end]) ||
            (p->text[end] == '.' && end + 1 < p->length && nt_in_name(p->text[end + 1]))))
        end++;
    return end - at;
}

bool nt_parser_accept(nt_parser *p, const char *sign)
{
    int length = (int)strlen(sign);
    nt_parser_skip_blanks(p);
    if (p->length - p->at < length || memcmp(p->text + p->at, sign, (size_t)length) != 0)
        return false;
    p->at += length;
    return true;
}

bool nt_parser_accept_word(nt_parser *p, const char *word)
{
    nt_parser_skip_blanks(p);
    int length = nt_parser_name_length(p, p->at);
    if (length == 0 || !nt_word_is(p->text + p->at, length, word))
        return false;
    p->at += length;
    return true;
}

/* ---- what stands where something else was expected ------------------------------------------ */

/* A word, a number or one character at `at`, in quotes; "the end". */
const char *nt_parser_describe(const nt_parser *p, int at, char shown[64])
{
    const char *text = p->text + at;
    int length = nt_parser_name_length(p, at), left = p->length - at;
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
    {"\xc2\xb0", "angles are in radians, a degree is deg: 30*deg"},
    {"\xcf\x80", "pi is written pi"},
    {"\xe2\x80\x9c", "typographic quotes belong to the text, plain ones do not"},
};

static const char *foreign_hint(const nt_parser *p, int at)
{
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        size_t length = strlen(foreign[i].sign);
        if ((size_t)(p->length - at) >= length &&
            memcmp(p->text + at, foreign[i].sign, length) == 0)
            return foreign[i].hint;
    }
    return NULL;
}

bool nt_parser_fail_value(nt_parser *p)
{
    char shown[64];
    const char *hint = p->at < p->length ? foreign_hint(p, p->at) : NULL;
    const char *got = nt_parser_describe(p, p->at, shown);
    if (hint)
        return nt_parser_fail(p, p->at, "expected a number, a name or '(', got %s: %s", got, hint);
    return nt_parser_fail(p, p->at, "expected a number, a name or '(', got %s", got);
}

/* After a complete value, where `expected` or an operator may stand. */
bool nt_parser_fail_after(nt_parser *p, const char *expected)
{
    char shown[64];
    const char *got = nt_parser_describe(p, p->at, shown);
    const char *hint = p->at < p->length ? foreign_hint(p, p->at) : NULL;
    bool number_before = p->at > 0 && p->at < p->length && nt_starts_name(p->text[p->at]);
    int before = p->at - 1;
    while (before > 0 && p->text[before] == ' ')
        before--;
    number_before = number_before && (nt_is_digit(p->text[before]) || p->text[before] == '.');
    if (hint)
        return nt_parser_fail(p, p->at, "expected an operator or %s, got %s: %s", expected, got,
                              hint);
    if (number_before)
        return nt_parser_fail(
            p, p->at,
            "expected an operator or %s, got %s: numbers carry no unit (SI units are "
            "meant), and a product needs *",
            expected, got);
    return nt_parser_fail(p, p->at, "expected an operator or %s, got %s", expected, got);
}

/* Functions of other programs that are a product with a constant here. */
static const char *product_hint(const char *name, int length)
{
    static const char *const words[][2] = {
        {"deg2rad", "an angle in degrees is written 30*deg"},
        {"radians", "an angle in degrees is written 30*deg"},
        {"dtor", "an angle in degrees is written 30*deg"},
        {"rad2deg", "in degrees an angle is x/deg"},
        {"degrees", "in degrees an angle is x/deg"},
        {"rtod", "in degrees an angle is x/deg"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if ((int)strlen(words[i][0]) == length &&
            nt_edit_distance(name, length, words[i][0], length) == 0)
            return words[i][1];
    return NULL;
}

/* "did you mean" for a name that is none; the known names when they are few. */
bool nt_parser_fail_name(nt_parser *p, int at, int length, bool called)
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
    hint = called && !hint ? product_hint(name, length) : hint;
    if (hint)
        return nt_parser_fail(p, at, "unknown %s '%.*s': %s", kind, shown, name, hint);
    if (search.best)
        return nt_parser_fail(p, at, "unknown %s '%.*s'; did you mean '%s'?", kind, shown, name,
                              search.best);
    const char *dot = memchr(name, '.', (size_t)length); /* of one object: the first few */
    bool some = count > 6 && dot && strncmp(list, name, (size_t)(dot - name) + 1) == 0;
    if (count > 0 && (count <= 6 || some) && used < sizeof list)
        return nt_parser_fail(p, at, "unknown %s '%.*s'; known here: %s%s", kind, shown, name, list,
                              some ? ", ..." : "");
    return nt_parser_fail(p, at, "unknown %s '%.*s'", kind, shown, name);
}
