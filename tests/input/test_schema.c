/* The JSON Schema is valid JSON and covers every key; the reference page is the one in docs. */
#include "base/file.h"
#include "input/reference.h"
#include "input/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- JSON: a checker of its grammar (RFC 8259)
 * ---------------------------------------------------- */

static const char *value(const char *at);

static const char *blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

static const char *string(const char *at)
{
    if (!at || *at != '"')
        return NULL;
    for (at++; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return NULL;
        if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
            return NULL;
    }
    return at + 1;
}

static const char *members(const char *at, char close)
{
    at = blanks(at + 1);
    if (*at == close)
        return at + 1;
    for (;;) {
        if (close == '}') {
            at = string(at);
            at = at ? blanks(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = value(blanks(at));
        at = at ? blanks(at) : NULL;
        if (!at || (*at != ',' && *at != close))
            return NULL;
        if (*at == close)
            return at + 1;
        at = blanks(at + 1);
    }
}

static const char *value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    char *end;
    if (*at == '{')
        return members(at, '}');
    if (*at == '[')
        return members(at, ']');
    if (*at == '"')
        return string(at);
    for (int i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    strtod(at, &end);
    return end == at ? NULL : end;
}

/* ---- tests
 * ------------------------------------------------------------------------------------------ */

static char *whole(int (*print)(char *, int))
{
    int length = print(NULL, 0);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    assert_int_equal(print(text, length + 1), length);
    assert_int_equal(strlen(text), length);
    return text;
}

static void schema_is_json(void **state)
{
    (void)state;
    char *text = whole(nt_model_schema);
    const char *end = value(text);
    assert_non_null(end);
    assert_string_equal(blanks(end), "");
    assert_non_null(strstr(text, "https://json-schema.org/draft/2020-12/schema"));
    free(text);
}

static void too_small_a_buffer_is_terminated(void **state)
{
    (void)state;
    char few[20];
    memset(few, 'x', sizeof few);
    assert_true(nt_model_schema(few, sizeof few) > 1000);
    assert_int_equal(strlen(few), sizeof few - 1);
}

static void mentions(const char *text, const nt_key *keys)
{
    for (const nt_key *key = keys; key->name; key++) {
        char quoted[100];
        snprintf(quoted, sizeof quoted, "\"%s\": {", key->name);
        assert_non_null(strstr(text, quoted));
        assert_non_null(key->meaning);
        if (key->needs) {
            snprintf(quoted, sizeof quoted, "\"%s\": [", key->name);
            const char *needed = strstr(strstr(text, "\"dependentRequired\""), quoted);
            assert_non_null(needed);
            snprintf(quoted, sizeof quoted, "\"%s\"", key->needs);
            assert_non_null(strstr(needed, quoted));
        }
        if (key->group)
            mentions(text, key->group);
    }
}

static void schema_has_every_key(void **state)
{
    (void)state;
    char *text = whole(nt_model_schema);
    mentions(text, nt_file_keys);
    for (int i = 0; i < nt_element_type_count(); i++) {
        char type[100];
        snprintf(type, sizeof type, "\"const\": \"%s\"", nt_element_type_at(i)->name);
        assert_non_null(strstr(text, type));
        mentions(text, nt_element_type_at(i)->keys);
    }
    free(text);
}

/* Keys of one table have names and bits of their own, and lie within the data. */
static void check_table(const nt_key *keys, size_t size, unsigned *bits)
{
    for (const nt_key *key = keys; key->name; key++) {
        assert_in_range(key->bit + 1, 0, 32);
        if (key->bit >= 0) {
            assert_int_equal(*bits >> key->bit & 1u, 0);
            *bits |= 1u << key->bit;
        }
        assert_true(key->offset < size);
        if (key->type == NT_KEY_CHOICE)
            assert_non_null(key->choices);
        if (key->type == NT_KEY_NUMBERS)
            assert_true(0 < key->low && key->low <= key->high);
        if (key->type == NT_KEY_MATRIX || key->type == NT_KEY_FUNCTIONS)
            assert_true(key->high > 0);
        for (const nt_key *other = keys; other != key; other++)
            assert_string_not_equal(key->name, other->name);
        const nt_key *needed = keys;
        while (key->needs && needed->name && strcmp(needed->name, key->needs) != 0)
            needed++;
        assert_non_null(needed->name); /* it needs a key of the same table */
        unsigned own = 0;              /* rows of an array are structs of their own */
        if (key->group && key->type == NT_KEY_ARRAY)
            check_table(key->group, (size_t)key->high * sizeof(double), &own);
        else if (key->group)
            check_table(key->group, size, bits);
    }
}

static void tables_of_keys_are_sound(void **state)
{
    (void)state;
    unsigned bits = 0;
    check_table(nt_body_keys, sizeof(nt_body), &bits);
    bits = 0;
    check_table(nt_marker_keys, sizeof(nt_marker), &bits);
    for (int i = 0; i < nt_element_type_count(); i++) {
        bits = 0;
        check_table(nt_element_type_at(i)->keys, nt_element_type_at(i)->size, &bits);
    }
}

/* A line that begins with an operator would be taken for one of a list. */
static void reference_page_is_well_formed(void **state)
{
    static const char *const operators[] = {"`or`", "`and`", "`not`", "`<`", "`<=`", "`>`", "`>=`",
                                            "`==`", "`!=`",  "`+`",   "`-`", "`*`",  "`/`", "`^`"};
    (void)state;
    char *text = whole(nt_model_reference);
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (!strstr(text, operators[i]))
            fail_msg("the operator %s is not explained", operators[i]);
    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t indent = strspn(line, " ");
        assert_false(indent > 0 && line[indent] && strchr("-+*#", line[indent]) &&
                     line[indent + 1] == ' ');
        assert_true(strcspn(line, "\n") <= 120);
    }
    free(text);
}

static void reference_page_is_up_to_date(void **state)
{
    (void)state;
    char *text = whole(nt_model_reference), *page;
    size_t length;
    assert_int_equal(
        nt_file_read(NUTATE_SOURCE_DIR "/docs/model-file.md", 1 << 20, &page, &length, NULL),
        NT_OK);
    if (strcmp(page, text) != 0)
        fail_msg("docs/model-file.md is out of date: build the target `reference`");
    free(page);
    free(text);
}

/* `test_schema --write FILE` writes the page: the target `reference`. */
static int write_page(const char *path)
{
    char *text = whole(nt_model_reference);
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;
    written = file && fclose(file) == 0 && written;
    free(text);
    return written ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_page(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema_is_json),
        cmocka_unit_test(too_small_a_buffer_is_terminated),
        cmocka_unit_test(schema_has_every_key),
        cmocka_unit_test(tables_of_keys_are_sound),
        cmocka_unit_test(reference_page_is_well_formed),
        cmocka_unit_test(reference_page_is_up_to_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
