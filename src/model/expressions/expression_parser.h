/* The parser of expressions: its state, and what its files share. expression_scan.c has characters
 * and messages, expression_parser.c the grammar of numbers, expression_vectors.c that of vectors.
 *
 * Functions that answer false have filled the error with what is wrong and its column. */
#ifndef NUTATE_MODEL_EXPRESSION_PARSER_H
#define NUTATE_MODEL_EXPRESSION_PARSER_H

#include "model/expressions/expression_code.h"

/* A number known already, or the slot of an operation. */
typedef struct nt_operand {
    bool known;
    bool held; /* a condition that symbols->hold keeps: 0, 1, or between */
    double value;
    int slot;
} nt_operand;

/* The text that a name stands in, while the text that it stands for is translated. */
typedef struct nt_enclosing {
    const char *text;
    int length, at;
    const char *name; /* [name_length] in `text` */
    int name_length;
    const char *of; /* the text that it stands for */
    const struct nt_enclosing *outer;
} nt_enclosing;

/* What symbols->hold says of an operation. */
typedef struct nt_held {
    int variable; /* that stands in place of it; -1: none   */
    int side;     /* nt_code.side                           */
} nt_held;

typedef struct nt_parser {
    const char *text;
    int length, at; /* bytes */
    int depth;
    const nt_symbols *symbols;
    nt_error *error;
    nt_arena *arena;
    nt_status status;
    const char *whole;             /* the text that is translated */
    const nt_enclosing *enclosing; /* NULL in that text */
    int n_named;                   /* names replaced by their text so far */
    int n, n_constants, n_tables, n_held;
    nt_code code[NT_EXPRESSION_ROOM];
    double constants[NT_EXPRESSION_ROOM];
    const nt_table *tables[NT_EXPRESSION_ROOM];
    struct { /* operations that were offered to symbols->hold, and what it said */
        int operation, slot, table;
        nt_held held;
    } held[NT_EXPRESSION_ROOM];
} nt_parser;

/* ---- characters and messages ---------------------------------------------------------------- */

bool nt_parser_fail(nt_parser *p, int at, const char *format, ...) NT_PRINTF(3, 4);

/* The character so many bytes ahead, 0 beyond the end. */
char nt_parser_peek(const nt_parser *p, int ahead);
void nt_parser_skip_blanks(nt_parser *p);
/* Length of the name at `at`: words joined by dots; 0 where none starts. */
int nt_parser_name_length(const nt_parser *p, int at);
/* Whether the sign, or the word, stands next: then it is passed. */
bool nt_parser_accept(nt_parser *p, const char *sign);
bool nt_parser_accept_word(nt_parser *p, const char *word);

static inline bool nt_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool nt_starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}
static inline bool nt_in_name(char c) { return nt_starts_name(c) || nt_is_digit(c); }

/* A word, a number or one character at `at`, in quotes; "the end". */
const char *nt_parser_describe(const nt_parser *p, int at, char shown[64]);
/* A value was expected; `expected` or an operator behind a complete value; a name is unknown. */
bool nt_parser_fail_value(nt_parser *p);
bool nt_parser_fail_after(nt_parser *p, const char *expected);
bool nt_parser_fail_name(nt_parser *p, int at, int length, bool called);

/* ---- the program ---------------------------------------------------------------------------- */

bool nt_parser_emit(nt_parser *p, nt_code code, nt_operand *out);
bool nt_parser_unary(nt_parser *p, int operation, nt_operand a, nt_operand *out);
bool nt_parser_binary(nt_parser *p, int operation, nt_operand a, nt_operand b, nt_operand *out);

/* The finished expression. What its result does not need is dropped from the parser; NULL: memory
 * is out. */
const nt_expression *nt_parser_build(nt_parser *p, nt_operand result, nt_arena *arena);

/* ---- operations that jump (expression_hold.c) ------------------------------------------------ */

/* Offers an operation of an argument, which is no number, to symbols->hold: *variable is what
 * stands in place of it, -1 for nothing. table: its number, -1 for none. */
bool nt_parser_hold(nt_parser *p, int operation, nt_operand argument, int table, nt_held *held);
/* The number of a table among those of the expression, *i; added where it is new. */
bool nt_parser_table_number(nt_parser *p, int at, const nt_table *table, int *i);
/* An argument of a map by `previous` is held at the point that it has passed last. */
bool nt_parser_hold_axis(nt_parser *p, int at, const nt_table *map, bool across, nt_operand *x);
/* These offer any operation of one operand, and a comparison of two, whose argument is their
 * difference. */
bool nt_parser_hold_unary(nt_parser *p, int operation, nt_operand a, nt_held *held);
bool nt_parser_hold_comparison(nt_parser *p, int operation, nt_operand a, nt_operand b,
                               nt_held *held);
/* mod(x, y) = x - y floor(x/y), whose floor is held: *done where it is. */
bool nt_parser_hold_remainder(nt_parser *p, nt_operand x, nt_operand y, nt_operand *out,
                              bool *done);
/* A comparison with min or max of two, of which one decides by itself or drops out: max(0, x) > 0
 * is x > 0, which passes its zero where the other only comes to it. done: it was such a one. */
bool nt_parser_compare_extreme(nt_parser *p, int operation, nt_operand a, nt_operand b,
                               nt_operand *out, bool *done);
/* not, and, or of conditions that are held: 1 - a, a b, a + b - a b. */
bool nt_parser_held_not(nt_parser *p, nt_operand a, nt_operand *out);
bool nt_parser_held_logic(nt_parser *p, int operation, nt_operand a, nt_operand b, nt_operand *out);
bool nt_parser_emit_variable(nt_parser *p, int variable, nt_operand *out);

/* ---- the grammar ---------------------------------------------------------------------------- */

/* One level deeper; false where that is too deep. */
bool nt_parser_deeper(nt_parser *p);
/* Fails within parentheses; at the end it says that commas want quotes in a list. */
bool nt_parser_fail_within(nt_parser *parser, const char *expected);
bool nt_parser_close(nt_parser *p, const char *expected);
/* An expression; one that begins with a sign, a number or '('. */
bool nt_parse_or(nt_parser *p, nt_operand *out);
bool nt_parse_sign(nt_parser *p, nt_operand *out);
/* norm, dot and angle_between, after their '('. */
bool nt_parse_vector_call(nt_parser *p, const nt_expression_row *f, nt_operand *out);

#endif
