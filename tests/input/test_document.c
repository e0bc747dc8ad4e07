/* Documents: the tree, the place of every mistake, limits, changes by --set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/suggest.h"
#include "input/document/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static nt_status try_parse(const char *text, size_t length, nt_document **d, nt_error *error)
{
    char *exact = malloc(length + 1);
    assert_non_null(exact);
    memcpy(exact, text, length);
    nt_status status = nt_document_parse(exact, length, "m.yaml", NULL, d, error);
    free(exact);
    return status;
}

static nt_document *parse(const char *text)
{
    nt_document *d;
    nt_error error;
    if (try_parse(text, strlen(text), &d, &error) != NT_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    return d;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the tree ---------------------------------------------------------------------------------
 */

static void places_and_order_are_kept(void **state)
{
    nt_document *d = parse("\xEF\xBB\xBF# model\n"
                           "nutate: 1\r\n"
                           "bodies:\n"
                           "  t\xC3\xB6p: {mass: \"2\", at: [0, -1.5, x]}\n"
                           "  empty:\n"
                           "text: |\n"
                           "  a\n"
                           "  b\n");
    const nt_node *root = nt_document_root(d), *bodies = nt_node_find(root, "bodies");
    (void)state;
    assert_int_equal(root->kind, NT_NODE_MAPPING);
    assert_int_equal(root->count, 3);
    assert_string_equal(root->keys[0]->text, "nutate");
    assert_string_equal(root->keys[2]->text, "text");
    assert_int_equal(root->keys[0]->line, 2);
    assert_int_equal(root->keys[0]->column, 1);
    assert_true(nt_node_is(root->values[0], "1"));
    assert_int_equal(root->values[0]->column, 9);
    const nt_node *top = nt_node_find(bodies, "t\xC3\xB6p"), *at = nt_node_find(top, "at");
    assert_int_equal(top->line, 4);
    assert_int_equal(top->column, 8); /* characters, not bytes */
    assert_int_equal(at->kind, NT_NODE_LIST);
    assert_int_equal(at->count, 3);
    assert_string_equal(at->values[1]->text, "-1.5");
    assert_int_equal(at->values[2]->column, 34);
    assert_int_equal(nt_node_find(top, "mass")->style, NT_STYLE_DOUBLE_QUOTED);
    assert_true(nt_node_is_empty(nt_node_find(bodies, "empty")));
    assert_true(nt_node_is(nt_node_find(root, "text"), "a\nb\n"));
    assert_null(nt_node_find(root, "nothing"));
    assert_null(nt_node_find(at, "x"));
    assert_string_equal(nt_node_kind_text(at), "a list");
    nt_document_destroy(d);
}

static void text_is_kept(void **state)
{
    nt_document *d = parse("a");
    (void)state;
    assert_string_equal(nt_document_source(d)->text, "a");
    assert_string_equal(nt_document_source(d)->name, "m.yaml");
    nt_document_destroy(d);
}

static void large_mappings_find_every_key(void **state)
{
    enum { N = 5000 };
    char *text = malloc(N * 16), key[16];
    size_t used = 0;
    (void)state;
    assert_non_null(text);
    for (int i = 0; i < N; i++)
        used += (size_t)sprintf(text + used, "key%d: %d\n", i, i);
    nt_document *d = parse(text);
    for (int i = 0; i < N; i++) {
        sprintf(key, "key%d", i);
        const nt_node *value = nt_node_find(nt_document_root(d), key);
        assert_non_null(value);
        assert_int_equal(value->line, i + 1);
    }
    assert_null(nt_node_find(nt_document_root(d), "key5000"));
    nt_document_destroy(d);
    nt_error error;
    sprintf(text + used, "key17: again\n");
    assert_int_equal(try_parse(text, strlen(text), &d, &error), NT_BAD_MODEL);
    assert_int_equal(error.line, N + 1);
    assert_non_null(strstr(error.message, "'key17' is given twice, first in line 18, column 1"));
    free(text);
}

static void aliases_share_their_anchor(void **state)
{
    nt_document *d = parse("a: &one {x: 1, y: [1, 2]}\nb: *one\nc: [*one, *one]\n");
    const nt_node *root = nt_document_root(d);
    (void)state;
    assert_true(nt_node_find(root, "a") == nt_node_find(root, "b"));
    assert_true(nt_node_find(root, "c")->values[1] == nt_node_find(root, "a"));
    assert_int_equal(root->total, 33); /* 1 + 3 keys + 4 times 7 (itself, 2 keys, 4) + 1 */
    assert_int_equal(root->height, 4);
    nt_document_destroy(d);
}

static void standard_tags_say_how_a_value_is_read(void **state)
{
    static const struct {
        const char *text, *value;
        bool plain;
    } rows[] = {
        {"!!float \"0.5\"", "0.5", true},
        {"!!float -1e3", "-1e3", true},
        {"!!float '.inf'", ".inf", true},
        {"!!float +.5", "+.5", true},
        {"!!int '7'", "7", true},
        {"&a !!int -7", "-7", true},
        {"!!bool \"true\"", "true", true},
        {"!!null 'null'", "null", true},
        {"!!null \"\"", "", true},
        {"!!float |-\n  2", "2", true},
        {"!!str 5", "5", false},
        {"!!str", "", false},
        {"! 5", "5", false},
        {"!!timestamp '2020-01-01'", "2020-01-01", false},
        {"!!str null", "null", false},
        {"5", "5", true},
        {"!<tag:yaml.org,2002:str> 5", "5", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[80];
        snprintf(text, sizeof text, "a: %s\n", rows[i].text);
        nt_document *d = parse(text);
        const nt_node *value = nt_node_find(nt_document_root(d), "a");
        if (!nt_node_is(value, rows[i].value) || value->plain != rows[i].plain ||
            nt_node_is_empty(value) != (rows[i].plain && !*rows[i].value))
            fail_msg("%s: '%s', plain %d", rows[i].text, value->text, value->plain);
        nt_document_destroy(d);
    }
    nt_document *d = parse("!!map {!!str a: !!seq [!!map {b: 1}], !!bool \"true\": ! [2]}\n");
    assert_int_equal(nt_node_find(nt_document_root(d), "a")->count, 1);
    assert_int_equal(nt_node_find(nt_document_root(d), "true")->count, 1);
    nt_document_destroy(d);
}

/* ---- mistakes -----------------------------------------------------------------------------------
 */

static void mistakes_have_their_place(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } rows[] = {
        {"", 1, 1, "empty, expected keys and values"},
        {"# only a comment\n\n", 1, 1, "empty"},
        {"a: 1\nb: [1, 2\nc: 3\n", 3, 2, "not valid YAML: did not find expected ',' or ']'"},
        {"a: 1\n\tb: 2\n", 2, 1, "indent with blanks, not tabs"},
        {"a: 'open\nb: 2\n", 3, 1, "not valid YAML: found unexpected end of stream"},
        {"a: b: c\n", 1, 5, "mapping values are not allowed in this context"},
        {"a: 1\n  b: 2\n", 2, 4, "not valid YAML"},
        {"a: }\n", 1, 4, "not valid YAML"},
        {"a: @x\n", 1, 4, "cannot start any token"},
        {"a: 1\nb: 2\na: 3\n", 3, 1, "key 'a' is given twice, first in line 1, column 1"},
        {"p: {x: 1, y: 2, \"x\": 3}\n", 1, 17, "key 'x' is given twice, first in line 1, column 5"},
        {"a: 1\n---\nb: 2\n", 2, 1, "a second document begins here"},
        {"a: 1\n...\n---\n", 3, 1, "a second document"},
        {"a: 1\n...\nb: 2\n", 3, 1, "not valid YAML"},
        {"a: !!float one\n", 1, 4,
         "the tag !!float stands before 'one', expected a decimal number"},
        {"a: !!float \"1 + 1\"\n", 1, 4, "!!float stands before '1 + 1'"},
        {"a: !!int 1.5\n", 1, 4, "the tag !!int stands before '1.5', expected a whole number"},
        {"a: !!int \"0x10\"\n", 1, 4, "!!int stands before '0x10'"},
        {"a: !!int '-'\n", 1, 4, "!!int stands before '-'"},
        {"a: !!bool 1\n", 1, 4, "the tag !!bool stands before '1', expected true or false"},
        {"a: !!null 0\n", 1, 4, "the tag !!null stands before '0', expected null"},
        {"a: !!seq 1\n", 1, 4, "the tag !!seq stands before a text, expected a list"},
        {"a: !!map [1]\n", 1, 4, "the tag !!map stands before a list, expected no tag or !!seq"},
        {"a: !!seq {b: 1}\n", 1, 4, "!!seq stands before a mapping, expected no tag or !!map"},
        {"a: !!float [1]\n", 1, 4, "!!float stands before a list"},
        {"a: !!set {b}\n", 1, 4, "the tag !!set is not known, expected no tag"},
        {"a: !!binary QQ==\n", 1, 4, "the tag !!binary is not known"},
        {"a: !mine [1]\n", 1, 4, "the tag !mine is not known"},
        {"a: !!python/tuple [1]\n", 1, 4, "yaml.safe_dump writes what can be read"},
        {"!mine a: 1\n", 1, 1, "the tag !mine is not known"},
        {"!!omap {a: 1}\n", 1, 1, "the tag !!omap is not known"},
        {"b: &x {c: 1}\na:\n  <<: *x\n", 3, 3, "merge keys (<<) are not supported"},
        {"[1, 2]: 3\n", 1, 1, "a list as a key"},
        {"{a: 1}: 3\n", 1, 1, "a mapping as a key"},
        {"? - a\n: b\n", 1, 3, "a list as a key"},
        {"a: &x 1\n*x : 2\n", 2, 1, "alias '*x' as a key"},
        {"\"\": 1\n", 1, 1, "an empty key"},
        {"a: [1, 2", 1, 9, "did not find expected ',' or ']'"},
        {"\"a\\nb\": 1\n", 1, 1, "a key with a line end"},
        {"a: *x\n", 1, 4, "alias '*x' names no anchor"},
        {"a: &x [1, *x]\n", 1, 11, "stands inside its own anchor (line 1)"},
        {"a: &x {b: {c: *x}}\n", 1, 15, "stands inside its own anchor"},
        {"a: &x 1\nb: &x 2\n", 2, 4, "anchor '&x' is defined twice, first in line 1"},
        {"a: \"\\0\"\n", 1, 4, "NUL character"},
        {"a: \"\\q\"\n", 1, 5, "not valid YAML: found unknown escape character"},
        {"a: b\xC3(\n", 1, 5, "byte 0xC3 does not belong to UTF-8"},
        {"# \xC3\xA9\na\xC3\xA9\xFF: 1\n", 2, 3, "byte 0xFF does not belong to UTF-8"},
        {"a: \xED\xA0\x80\n", 1, 4, "byte 0xED"},     /* a surrogate */
        {"a: \xC0\xAF\n", 1, 4, "byte 0xC0"},         /* overlong */
        {"a: \xF4\x90\x80\x80\n", 1, 4, "byte 0xF4"}, /* above 10FFFF */
        {"a: \xE2\x82", 1, 4, "byte 0xE2"},           /* cut off */
        {"\xFF\xFEn\x01", 1, 1, "byte 0xFF"},         /* UTF-16 */
        {"a: 1\r\nb: \x01\r\n", 2, 4, "control character 0x01"},
        {"\x7F"
         "ELF",
         1, 1, "is this a YAML file?"},
        {"%YAML 3.0\n---\na: 1\n", 1, 1, "not valid YAML: found incompatible YAML document"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nt_document *d;
        nt_error error = {0};
        nt_status status = try_parse(rows[i].text, strlen(rows[i].text), &d, &error);
        if (status != NT_BAD_MODEL || error.line != rows[i].line ||
            error.column != rows[i].column || !strstr(error.message, rows[i].says))
            fail_msg("%s\n   gives status %d, %d:%d: %s\n   expected %d:%d: ...%s...", rows[i].text,
                     status, error.line, error.column, error.message, rows[i].line, rows[i].column,
                     rows[i].says);
        assert_null(d);
        assert_string_equal(error.file, "m.yaml");
    }
    nt_document *d;
    nt_error error;
    assert_int_equal(try_parse("a: \0 b", 6, &d, &error), NT_BAD_MODEL);
    assert_int_equal(error.column, 4);
}

/* ---- limits: refused, and quickly ----------------------------------------------------------- */

/* Under sanitizers on a busy machine. The work takes milliseconds; what is quadratic, minutes. */
static const double QUICK = 20; /* s */

static void expect_refused(const char *text, size_t length, const char *says)
{
    nt_document *d;
    nt_error error = {0};
    double begin = seconds();
    assert_int_equal(try_parse(text, length, &d, &error), NT_BAD_MODEL);
    if (!strstr(error.message, says))
        fail_msg("%d:%d: %s, expected %s", error.line, error.column, error.message, says);
    assert_true(seconds() - begin < QUICK);
}

static void nothing_nests_too_deeply(void **state)
{
    enum { MANY = 1000000 };
    static char text[2 * MANY];
    nt_document *d;
    nt_error error;
    (void)state;
    for (int depth = 99; depth <= 300; depth += 67) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        nt_status status = try_parse(text, 2 * (size_t)depth, &d, &error);
        assert_int_equal(status, depth <= 100 ? NT_OK : NT_BAD_MODEL);
        nt_document_destroy(d);
    }
    assert_int_equal(error.column, 101);
    memset(text, '[', 100);
    memset(text + 100, ']', 100);
    assert_int_equal(try_parse(text, 200, &d, &error), NT_OK);
    nt_document_destroy(d);
    memset(text, '[', MANY);
    expect_refused(text, MANY, "nested more than 100 deep");
    memset(text, '{', MANY);
    expect_refused(text, MANY, "a mapping as a key");
    for (int i = 0; i < MANY; i++)
        memcpy(text + 2 * i, "- ", 2);
    expect_refused(text, 2 * MANY, "nested more than 100 deep");
    for (int i = 0; i < MANY; i++)
        memcpy(text + 2 * i, "? ", 2);
    expect_refused(text, 2 * MANY, "a mapping as a key");
    size_t used = 0; /* 300 levels of indented keys */
    for (int i = 0; i < 300; i++)
        used += (size_t)sprintf(text + used, "%*sa:\n", i, "");
    expect_refused(text, used, "nested more than 100 deep");
    used = (size_t)sprintf(text, "- &x0 [1]\n"); /* by aliases: each names the one before */
    for (int i = 1; i < 200; i++)
        used += (size_t)sprintf(text + used, "- &x%d [*x%d]\n", i, i - 1);
    expect_refused(text, used, "nested more than 100 deep");
}

static void alias_bombs_are_refused(void **state)
{
    char text[8192];
    size_t used = (size_t)sprintf(text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    (void)state;
    for (int i = 1; i < 10; i++) {
        used += (size_t)sprintf(text + used, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            used += (size_t)sprintf(text + used, "*a%d%s", i - 1, k < 9 ? ", " : "]\n");
    }
    expect_refused(text, used, "aliases expand to more than the 1000000 values");
    char *many = malloc(1 << 17);
    assert_non_null(many);
    used = (size_t)sprintf(many, "- &a 1\n");
    for (int i = 0; i < 10001; i++)
        used += (size_t)sprintf(many + used, "- *a\n");
    expect_refused(many, used, "more than the 10000 aliases");
    used = 0;
    for (int i = 0; i < 1001; i++)
        used += (size_t)sprintf(many + used, "- &a%d 1\n", i);
    expect_refused(many, used, "more than 1000 anchors");
    free(many);
}

static void large_inputs_are_refused(void **state)
{
    enum { SIZE = 16 << 20 };
    char *text = malloc(SIZE + 1);
    (void)state;
    assert_non_null(text);
    for (int i = 0; i < SIZE / 4; i++)
        memcpy(text + 4 * i, "- a\n", 4);
    expect_refused(text, SIZE, "more than the 1000000 values");
    memset(text, 'a', SIZE + 1);
    expect_refused(text, SIZE + 1, "larger than the 16777216 bytes");
    free(text);
}

/* 100 MB that are no model. A file with a hole costs no disk. */
static void a_huge_file_is_not_read(void **state)
{
    nt_document *d;
    nt_error error;
    FILE *file = fopen("huge.yaml", "w");
    (void)state;
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 100000000), 0);
    fclose(file);
    double begin = seconds();
    assert_int_equal(nt_document_read("huge.yaml", NULL, &d, &error), NT_BAD_MODEL);
    assert_true(seconds() - begin < 0.5); /* nothing of it is read */
    assert_string_equal(error.file, "huge.yaml");
    assert_non_null(strstr(error.message, "larger than"));
    remove("huge.yaml");
    begin = seconds(); /* no size to ask for: reading stops at the limit */
    assert_int_equal(nt_document_read("/dev/zero", NULL, &d, &error), NT_BAD_MODEL);
    assert_true(seconds() - begin < QUICK);
    assert_non_null(strstr(error.message, "larger than"));
}

static void files_that_cannot_be_read(void **state)
{
    nt_document *d;
    nt_error error;
    char text[1100];
    (void)state;
    assert_int_equal(nt_document_read("no_such_file.yaml", NULL, &d, &error), NT_IO);
    nt_error_text(&error, text, sizeof text);
    assert_string_equal(text, "no_such_file.yaml: cannot be opened: No such file or directory");
    assert_null(d);
    assert_int_equal(nt_document_read(".", NULL, &d, &error), NT_IO);
    assert_non_null(strstr(error.message, "is a folder"));
    FILE *file = fopen("good.yaml", "w");
    assert_non_null(file);
    fputs("a: [1, 2]\n", file);
    fclose(file);
    assert_int_equal(nt_document_read("good.yaml", NULL, &d, &error), NT_OK);
    assert_int_equal(nt_node_find(nt_document_root(d), "a")->count, 2);
    nt_document_destroy(d);
    assert_non_null(freopen("good.yaml", "r", stdin));
    assert_int_equal(nt_document_read("-", NULL, &d, &error), NT_OK);
    assert_string_equal(nt_document_source(d)->name, "standard input");
    nt_document_destroy(d);
}

/* ---- places inside a scalar ---------------------------------------------------------------------
 */

static void places_inside_a_scalar(void **state)
{
    static const struct {
        const char *text; /* the value of key a */
        int column;       /* in the scalar      */
        int line, place;  /* in the file        */
    } rows[] = {
        {"a: x + y", 1, 1, 4},
        {"a: x + y", 5, 1, 8},
        {"a: x + y", 6, 1, 9}, /* behind the end */
        {"a: \"x + y\"", 5, 1, 9},
        {"a: 'x + y'", 6, 1, 10},
        {"a: 'it''s q'", 6, 1, 11},
        {"a: \"x\\u00e9\\ty\"", 4, 1, 14},
        {"a: \"x\\n\\x20y\"", 4, 1, 12},
        {"a: \"\\\"y\"", 2, 1, 7},
        {"a: \xC3\xA9\xC3\xA8 + y", 6, 1, 9},
        {"a: &name x + y", 5, 1, 14},
        {"a: &name 'x + y'", 5, 1, 15},
        {"a: !!str x + y", 5, 1, 14},
        {"a: !!str &name \"x + y\"", 5, 1, 21},
        {"a: &name !!str # a & b\n  x + y", 5, 2, 7},
        {"a: !!str |-\n  x +\n  y", 5, 3, 3},
        {"a: x +\n   y + z", 5, 2, 4},
        {"a: x +\n   y + z", 9, 2, 8},
        {"a: |\n  x +\n    y", 7, 3, 5},
        {"a: >-\n  x +\n  y", 5, 3, 3},
        {"a: \"x +\\\n   y\"", 4, 2, 4},
        {"a: \"x +\n\n   y\"", 5, 3, 4},
        {"a:\n  x + y", 5, 2, 7},
        {"a: x +\r\n   y", 5, 2, 4},
        {"{b: 1, a: [x + y]}", 5, 1, 16},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nt_document *d = parse(rows[i].text);
        const nt_node *a = nt_node_find(nt_document_root(d), "a");
        int line, column;
        if (a->kind == NT_NODE_LIST)
            a = a->values[0];
        nt_node_place(a, rows[i].column, &line, &column);
        if (line != rows[i].line || column != rows[i].place)
            fail_msg("%s: character %d is at %d:%d, expected %d:%d", rows[i].text, rows[i].column,
                     line, column, rows[i].line, rows[i].place);
        nt_document_destroy(d);
    }
}

static void errors_move_into_the_file(void **state)
{
    nt_document *d = parse("a: 'x + q'\n");
    const nt_node *a = nt_node_find(nt_document_root(d), "a");
    nt_error error = {.status = NT_BAD_MODEL, .column = 5, .message = "unknown"};
    char text[100];
    (void)state;
    assert_int_equal(nt_node_fail_inside(&error, a), NT_BAD_MODEL);
    nt_error_text(&error, text, sizeof text);
    assert_string_equal(text, "m.yaml:1:9: unknown");
    nt_error csv = {.status = NT_IO, .file = "t.csv", .line = 3, .column = 2};
    assert_int_equal(nt_node_fail_inside(&csv, a), NT_IO);
    assert_int_equal(csv.line, 3);
    assert_int_equal(nt_node_fail(&error, a, "expected %d numbers", 3), NT_BAD_MODEL);
    nt_error_text(&error, text, sizeof text);
    assert_string_equal(text, "m.yaml:1:4: expected 3 numbers");
    nt_document_destroy(d);
}

/* ---- --set ---------------------------------------------------------------------------------- */

static const nt_node *walk(const nt_document *d, const char *a, const char *b, const char *c)
{
    const nt_node *node = nt_document_root(d);
    node = a && node ? nt_node_find(node, a) : node;
    node = b && node ? nt_node_find(node, b) : node;
    return c && node ? nt_node_find(node, c) : node;
}

static void set_replaces_and_creates(void **state)
{
    nt_document *d = parse("a: {x: 1, y: [1, [2, 3]]}\nb: &s {p: 1}\nc: *s\ne:\n");
    (void)state;
    assert_int_equal(nt_document_set(d, "a.x", "5", NULL), NT_OK);
    assert_true(nt_node_is(walk(d, "a", "x", NULL), "5"));
    assert_int_equal(nt_document_set(d, "a.y.1.0", "m*g", NULL), NT_OK);
    assert_true(nt_node_is(walk(d, "a", "y", NULL)->values[1]->values[0], "m*g"));
    assert_true(nt_node_is(walk(d, "a", "y", NULL)->values[1]->values[1], "3"));
    assert_int_equal(nt_document_set(d, "new.deep.key", "[1, {k: v}]", NULL), NT_OK);
    assert_int_equal(walk(d, "new", "deep", "key")->count, 2);
    assert_int_equal(nt_document_set(d, "e.f", "1", NULL), NT_OK);
    assert_true(nt_node_is(walk(d, "e", "f", NULL), "1"));
    assert_int_equal(nt_document_set(d, "c.p", "2", NULL), NT_OK); /* b keeps its own */
    assert_true(nt_node_is(walk(d, "b", "p", NULL), "1"));
    assert_true(nt_node_is(walk(d, "c", "p", NULL), "2"));
    assert_int_equal(nt_document_root(d)->count, 5);
    assert_string_equal(walk(d, "a", "x", NULL)->source->name, "--set a.x");
    for (int i = 0; i < 40; i++) { /* past the size where keys are indexed */
        char path[20];
        sprintf(path, "many.k%d", i);
        assert_int_equal(nt_document_set(d, path, path, NULL), NT_OK);
    }
    assert_true(nt_node_is(walk(d, "many", "k33", NULL), "many.k33"));
    assert_int_equal(walk(d, "many", NULL, NULL)->count, 40);
    nt_document_destroy(d);
}

static void set_to_null_removes(void **state)
{
    nt_document *d = parse("a: {x: 1, y: [1, 2, 3], z: 4}\nb: &s {p: 1, q: 2}\nc: *s\ne: 'null'\n");
    (void)state;
    assert_int_equal(nt_document_set(d, "a.x", "null", NULL), NT_OK);
    assert_null(walk(d, "a", "x", NULL));
    assert_true(nt_node_is(walk(d, "a", "z", NULL), "4"));
    assert_int_equal(walk(d, "a", NULL, NULL)->count, 2);
    assert_int_equal(nt_document_set(d, "a.y.1", "~", NULL), NT_OK);
    assert_int_equal(walk(d, "a", "y", NULL)->count, 2);
    assert_true(nt_node_is(walk(d, "a", "y", NULL)->values[1], "3"));
    assert_int_equal(nt_document_set(d, "c.p", "null", NULL), NT_OK); /* b keeps its own */
    assert_null(walk(d, "c", "p", NULL));
    assert_true(nt_node_is(walk(d, "b", "p", NULL), "1"));
    assert_int_equal(nt_document_set(d, "e", "'null'", NULL), NT_OK); /* a text */
    assert_true(nt_node_is(walk(d, "e", NULL, NULL), "null"));
    assert_int_equal(nt_document_set(d, "e", "null", NULL), NT_OK);
    assert_null(walk(d, "e", NULL, NULL));
    assert_int_equal(nt_document_root(d)->count, 3);
    for (int i = 0; i < 40; i++) { /* past the size where keys are indexed */
        char path[20];
        sprintf(path, "many.k%d", i);
        assert_int_equal(nt_document_set(d, path, path, NULL), NT_OK);
    }
    assert_int_equal(nt_document_set(d, "many.k7", "null", NULL), NT_OK);
    assert_null(walk(d, "many", "k7", NULL));
    assert_true(nt_node_is(walk(d, "many", "k33", NULL), "many.k33"));
    assert_int_equal(nt_document_set(d, "many.k7", "1", NULL), NT_OK);
    assert_true(nt_node_is(walk(d, "many", "k7", NULL), "1"));
    nt_document_destroy(d);
}

static void set_refuses(void **state)
{
    static const struct {
        const char *path, *value, *expected;
    } rows[] = {
        {"a.x.z", "1", "--set a.x.z: 'z' cannot be set: text stands there (m.yaml, line 1)"},
        {"a.y.2", "1", "--set a.y.2: '2' stands for an element of a list of 2, expected 0 to 1"},
        {"a.y.q", "1", "--set a.y.q: 'q' stands for an element"},
        {"a.y.-1", "1", "--set a.y.-1: '-1' stands for an element"},
        {"a.y.99999999999999999999", "1", "--set a.y.9"},
        {"a..x", "1", "--set a..x: a part of the path is empty"},
        {"", "1", "--set : a part of the path is empty"},
        {"a.", "1", "--set a.: a part of the path is empty"},
        {"a.\n", "1", "--set: the path holds a line end"},
        {"a.\xFF", "1", "--set: the path holds"},
        {"a.x", " ", "--set a.x: the value is empty"},
        {"a.x", "[1, 2", "--set a.x:1:6: not valid YAML"},
        {"a.x", "{p: 1, p: 2}", "--set a.x:1:8: key 'p' is given twice"},
        {"a.x", "\xFF", "--set a.x:1:1: byte 0xFF"},
        {"a.x", "*s", "--set a.x:1:1: alias '*s' names no anchor"},
        {"a.q", "null", "--set a.q: null removes a key, and there is none of this name"},
        {"new.deep", "~", "--set new.deep: null removes a key, and there is none of this name"},
        {"a.y.2", "null", "--set a.y.2: '2' stands for an element of a list of 2"},
    };
    nt_document *d = parse("a: {x: 1, y: [1, 2]}\nb: &s 1\n");
    char text[1100], deep[300] = "";
    nt_error error;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const nt_node *before = nt_document_root(d);
        assert_int_equal(nt_document_set(d, rows[i].path, rows[i].value, &error), NT_BAD_MODEL);
        nt_error_text(&error, text, sizeof text);
        if (strncmp(text, rows[i].expected, strlen(rows[i].expected)) != 0)
            fail_msg("%s\n   expected %s", text, rows[i].expected);
        assert_true(nt_document_root(d) == before);
    }
    for (int i = 0; i < 101; i++)
        strcat(deep, i ? ".a" : "a");
    assert_int_equal(nt_document_set(d, deep, "1", &error), NT_BAD_MODEL);
    assert_non_null(strstr(error.message, "nested more than 100 deep"));
    nt_document_destroy(d);
}

/* ---- the helpers it stands on --------------------------------------------------------------- */

static void numbers_are_whole(void **state)
{
    static const char *const bad[] = {"",   "kg",   "1 2", "1.0 kg", "0x10", "inf", "nan",
                                      "1e", "1e5x", "--1", "1,5",    ".",    "-",   "1e999"};
    double value = 3;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(nt_number_parse(bad[i], (int)strlen(bad[i]), &value));
    assert_true(value == 3);
    assert_true(nt_number_parse(" -1.5e1 ", 8, &value) && value == -15);
    assert_true(nt_number_parse("+.5", 3, &value) && value == 0.5);
}

static void words_are_suggested(void **state)
{
    static const char *const keys[] = {"mass", "inertia", "position", "velocity", "at"};
    (void)state;
    assert_string_equal(nt_suggest("mas", 3, keys, 5), "mass");
    assert_string_equal(nt_suggest("Mass", 4, keys, 5), "mass");
    assert_string_equal(nt_suggest("postion", 7, keys, 5), "position");
    assert_string_equal(nt_suggest("veloctiy", 8, keys, 5), "velocity");
    assert_null(nt_suggest("density", 7, keys, 5));
    assert_null(nt_suggest("x", 1, keys, 5));
    assert_null(nt_suggest("", 0, keys, 5));
    assert_int_equal(nt_edit_distance("ab", 2, "ba", 2), 1);
    assert_int_equal(nt_edit_distance("kitten", 6, "sitting", 7), 3);
    static const char *const top[] = {"joints", "forces", "markers", "bodies", "quantities"};
    assert_string_equal(nt_suggest("loads", 5, top, 5), "forces");
    assert_string_equal(nt_suggest("points", 6, top, 5), "markers");
    assert_string_equal(nt_suggest("parts", 5, top, 5), "bodies");
    static const char *const types[] = {"fixed", "revolute", "gear", "inline"};
    assert_string_equal(nt_suggest("RevoluteJointZ", 14, types, 4), "revolute");
    assert_string_equal(nt_suggest("ObjectJointRevolute2D", 21, types, 4), "revolute");
    assert_string_equal(nt_suggest("worm_gear", 9, types, 4), "gear");
    assert_true(nt_suggest_is("GenericJoint", 12, "generic"));
    assert_true(nt_suggest_is("6-DOF", 5, "6dof"));
    assert_false(nt_suggest_is("damper", 6, "jointdamper"));
    char longest[200];
    memset(longest, 'a', sizeof longest);
    assert_null(nt_suggest(longest, sizeof longest, keys, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_order_are_kept),
        cmocka_unit_test(text_is_kept),
        cmocka_unit_test(large_mappings_find_every_key),
        cmocka_unit_test(aliases_share_their_anchor),
        cmocka_unit_test(standard_tags_say_how_a_value_is_read),
        cmocka_unit_test(mistakes_have_their_place),
        cmocka_unit_test(nothing_nests_too_deeply),
        cmocka_unit_test(alias_bombs_are_refused),
        cmocka_unit_test(large_inputs_are_refused),
        cmocka_unit_test(a_huge_file_is_not_read),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(places_inside_a_scalar),
        cmocka_unit_test(errors_move_into_the_file),
        cmocka_unit_test(set_replaces_and_creates),
        cmocka_unit_test(set_to_null_removes),
        cmocka_unit_test(set_refuses),
        cmocka_unit_test(numbers_are_whole),
        cmocka_unit_test(words_are_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
