/* Statuses and error records: every field is set, every text is terminated, NULL is accepted. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void every_status_has_its_text(void **state)
{
    (void)state;
#define CHECK(code, number, text) assert_string_equal(nt_status_text(code), text);
    NT_STATUS_LIST(CHECK)
#undef CHECK
    assert_string_equal(nt_status_text((nt_status)999), "unknown status");
    assert_string_equal(nt_status_text((nt_status)-1), "unknown status");
}

/* Numbers are part of the interface: this list only grows. */
static void numbers_of_statuses_stay(void **state)
{
    (void)state;
    static const nt_status by_number[] = {
        NT_OK,        NT_INTERRUPTED,  NT_NO_MEMORY,   NT_INVALID,
        NT_BAD_MODEL, NT_INCONSISTENT, NT_UNSUPPORTED, NT_NOT_CONVERGED,
        NT_SINGULAR,  NT_NOT_FINITE,   NT_IO};
    for (int i = 0; i < (int)(sizeof by_number / sizeof by_number[0]); i++)
        assert_int_equal(by_number[i], i);
}

static void fail_fills_the_record(void **state)
{
    (void)state;
    nt_error error;
    memset(&error, 0x5a, sizeof error);
    assert_int_equal(nt_fail(&error, NT_SINGULAR, "pivot %d is %g", 3, 0.5), NT_SINGULAR);
    assert_int_equal(error.status, NT_SINGULAR);
    assert_string_equal(error.message, "pivot 3 is 0.5");
    assert_string_equal(error.file, "");
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    assert_int_equal(error.iteration, 0);
    assert_true(error.time == 0 && error.step == 0 && error.residual == 0);
}

/* A message is one line, whatever it quotes. */
static void what_is_quoted_breaks_no_line(void **state)
{
    (void)state;
    nt_error error;
    nt_fail(&error, NT_BAD_MODEL, "got '%s'", "a\nb\x1b[2J\t\xc3\xbc");
    assert_string_equal(error.message, "got 'a b [2J \xc3\xbc'");
}

static void fail_at_adds_the_place(void **state)
{
    (void)state;
    nt_error error;
    char text[64];
    nt_status status =
        nt_fail_at(&error, NT_BAD_MODEL, "top.yaml", 7, 11, "unknown key `%s`", "mas");
    assert_int_equal(status, NT_BAD_MODEL);
    assert_string_equal(error.file, "top.yaml");
    assert_int_equal(error.line, 7);
    assert_int_equal(error.column, 11);
    const char *expected = "top.yaml:7:11: unknown key `mas`";
    assert_int_equal(nt_error_text(&error, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
}

static void text_without_a_place(void **state)
{
    (void)state;
    nt_error error;
    char text[64];
    nt_fail(&error, NT_IO, "no space left");
    nt_error_text(&error, text, sizeof text);
    assert_string_equal(text, "no space left");
    nt_fail_at(&error, NT_IO, "out.csv", 0, 0, "no space left");
    nt_error_text(&error, text, sizeof text);
    assert_string_equal(text, "out.csv: no space left");
}

static void a_record_is_not_required(void **state)
{
    (void)state;
    assert_int_equal(nt_fail(NULL, NT_INVALID, "%s", "ignored"), NT_INVALID);
    assert_int_equal(nt_fail_at(NULL, NT_IO, "a", 1, 1, "%s", "ignored"), NT_IO);
}

/* Whatever the caller left in the record: a status without words gets its own text, and words that
 * were written stay. */
static void no_status_is_without_words(void **state)
{
    (void)state;
    nt_error error;
    for (int i = NT_OK + 1; i <= NT_IO; i++) {
        nt_status status = (nt_status)i;
        memset(&error, i, sizeof error);
        nt_fail_at(&error, status, "old.yaml", 1, 2, "old words");
        nt_error_clear(&error);
        assert_int_equal(error.status, NT_OK);
        assert_int_equal(nt_said(&error, NT_OK), NT_OK);
        assert_string_equal(error.message, "");
        assert_int_equal(nt_said(&error, status), status);
        assert_int_equal(error.status, status);
        assert_string_equal(error.message, nt_status_text(status));
        assert_string_equal(error.file, "");
        assert_true(error.line == 0 && error.column == 0 && error.iteration == 0);
        assert_true(error.time == 0 && error.step == 0 && error.residual == 0);
        nt_fail(&error, status, "new words");
        assert_int_equal(nt_said(&error, status), status);
        assert_string_equal(error.message, "new words");
    }
    nt_error_clear(NULL);
    assert_int_equal(nt_said(NULL, NT_IO), NT_IO);
}

/* Longer than any field: cut, terminated, and the length that was needed is reported. */
static void long_texts_are_cut(void **state)
{
    (void)state;
    nt_error error;
    char file[1000], message[2000], small[10];
    memset(file, 'f', sizeof file - 1), file[sizeof file - 1] = '\0';
    memset(message, 'm', sizeof message - 1), message[sizeof message - 1] = '\0';
    nt_fail_at(&error, NT_BAD_MODEL, file, 1, 2, "%s", message);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);

    size_t needed = sizeof error.file - 1 + strlen(":1:2: ") + sizeof error.message - 1;
    assert_int_equal(nt_error_text(&error, small, sizeof small), needed);
    assert_string_equal(small, "fffffffff");
    assert_int_equal(nt_error_text(&error, NULL, 0), needed);
}

static void version_is_the_build_s(void **state)
{
    (void)state;
    char text[40];
    snprintf(text, sizeof text, "%d.%d.%d", NT_VERSION_MAJOR, NT_VERSION_MINOR, NT_VERSION_PATCH);
    assert_string_equal(nt_version(), NUTATE_VERSION);
    assert_string_equal(NT_VERSION, NUTATE_VERSION);
    assert_string_equal(text, NUTATE_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_text),
        cmocka_unit_test(numbers_of_statuses_stay),
        cmocka_unit_test(fail_fills_the_record),
        cmocka_unit_test(what_is_quoted_breaks_no_line),
        cmocka_unit_test(fail_at_adds_the_place),
        cmocka_unit_test(text_without_a_place),
        cmocka_unit_test(a_record_is_not_required),
        cmocka_unit_test(no_status_is_without_words),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(version_is_the_build_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
