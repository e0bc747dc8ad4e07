/* What methods refuse, and in which words: systems that lack something, options out of their
 * bounds, tolerances where no error is controlled, impossible steps. What each needs is in
 * claims.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "claims.h"

/* Whether a message names a method among those that would do. */
static bool names(const char *message, const char *name)
{
    static const char begins[] = "methods that would do: ";
    const char *list = strstr(message, begins);
    if (!list)
        fail_msg("no methods that would do: %s", message);
    char rest[512], text[600];
    snprintf(rest, sizeof rest, ", %s, ", list + strlen(begins));
    snprintf(text, sizeof text, ", %s, ", name);
    return strstr(rest, text) != NULL;
}

/* The methods that a message names are exactly those that take the system. */
static void names_those_that_would_do(const nt_system *system, const char *message)
{
    int able = 0;
    for (int i = 0; i < nt_method_count(); i++) {
        const char *name = nt_method_name(nt_method_at(i));
        bool would = nt_method_check_system(nt_method_at(i), system, NULL) == NT_OK;
        if (would != names(message, name))
            fail_msg("%s %s do: %s", name, would ? "would" : "would not", message);
        able += would;
    }
    assert_true(able > 0 || names(message, "none"));
}

/* A system that gives all there is but one thing, which is refused by the methods that need it, in
 * words, and by no others. */
static const struct lack {
    unsigned need;         /* refused by methods with any of these ...     */
    unsigned cannot;       /* ... or without any of these                  */
    unsigned capabilities; /* left out                                     */
    int rotations, nh, nn; /* more of these                                */
    const char *words;
} lacks[] = {
    {TANGENT, 0, NT_HAS_TANGENT, 0, 0, 0, "tangents (NT_HAS_TANGENT)"},
    {MOMENTA, 0, NT_HAS_MOMENTA, 0, 0, 0, "(NT_HAS_MOMENTA)"},
    {POSITION_FORCES, 0, NT_POSITION_FORCES, 0, 0, 0, "(NT_POSITION_FORCES)"},
    {VECTOR, 0, 0, 1, 0, 0, "works on vector spaces, the system has 1 rotations"},
    {0, HOLONOMIC, 0, 0, 2, 0, "treats no holonomic constraints, the system has 2"},
    {0, NONHOLONOMIC, 0, 0, 0, 3, "treats no nonholonomic constraints, the system has 3"},
};

static void what_is_missing_is_named(void **unused)
{
    (void)unused;
    for (size_t j = 0; j < sizeof lacks / sizeof *lacks; j++)
        for (int i = 0; i < ROWS; i++) {
            const struct lack *l = &lacks[j];
            const nt_method *method = nt_method_find(rows[i].method);
            nt_system s = *open_problems()[l->rotations ? SLOW_TOP : PLANET].system;
            s.capabilities |= NT_ALL_LEVELS;
            s.capabilities &= ~l->capabilities;
            s.nh = l->nh;
            s.nn = l->nn;
            bool refuses = (rows[i].does & l->need) || (l->cannot & ~rows[i].does);
            nt_error error = {0};
            nt_status status = nt_method_check_system(method, &s, &error);
            if (status != (refuses ? NT_UNSUPPORTED : NT_OK))
                fail_msg("%s, where it lacks %s: status %d, %s", rows[i].method, l->words,
                         (int)status, error.message);
            if (!refuses)
                continue;
            if (!strstr(error.message, l->words) || !strstr(error.message, rows[i].method))
                fail_msg("expected '%s': %s", l->words, error.message);
            names_those_that_would_do(&s, error.message);
            nt_integrator *it;
            nt_integrator_setup setup = {.system = &s, .method = method};
            assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_UNSUPPORTED);
            assert_null(it);
        }
}

/* Where several things are missing each is named: nobody mends one to be told of the next. */
static void all_that_is_missing_is_named(void **unused)
{
    (void)unused;
    static const char *const words[] = {"(NT_HAS_MOMENTA)", "(NT_POSITION_FORCES)",
                                        "no holonomic constraints, the system has 2",
                                        "no nonholonomic constraints, the system has 3"};
    nt_system s = *open_problems()[SLOW_TOP].system;
    nt_error error = {0};
    s.capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS;
    s.nh = 2, s.nn = 3;
    assert_int_equal(nt_method_check_system(nt_method_find("lie-newmark-6"), &s, &error),
                     NT_UNSUPPORTED);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(error.message, words[i]))
            fail_msg("expected '%s': %s", words[i], error.message);
    names_those_that_would_do(&s, error.message);
}

static void constraints_need_all_levels(void **unused)
{
    (void)unused;
    nt_system s = *open_problems()[PENDULUM].system;
    s.capabilities &= ~(unsigned)NT_ALL_LEVELS;
    for (int i = 0; i < ROWS; i++) {
        nt_error error = {0};
        if (!(rows[i].does & HOLONOMIC))
            continue;
        assert_int_equal(nt_method_check_system(nt_method_find(rows[i].method), &s, &error),
                         NT_UNSUPPORTED);
        assert_non_null(strstr(error.message, "(NT_ALL_LEVELS)"));
        names_those_that_would_do(&s, error.message);
    }
}

/* An option is refused alike by the check and by setting up an integrator, in words that hold its
 * name and these. */
static void refused(const nt_method *method, const char *name, const char *value, const char *words)
{
    nt_option option = {name, value};
    nt_error error = {0};
    nt_status status = nt_method_check_option(method, &option, &error);
    if (status != NT_INVALID || !strstr(error.message, name) || !strstr(error.message, words))
        fail_msg("%s, %s '%s': status %d, expected '%s': %s", nt_method_name(method), name, value,
                 (int)status, words, error.message);
    const problem *p = &open_problems()[PLANET];
    nt_integrator_setup setup = setup_of(p->system, &option, 1);
    nt_integrator *it;
    setup.method = method;
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_INVALID);
    assert_null(it);
}

static void allowed(const nt_method *method, const nt_option_key *key, const char *value)
{
    nt_option option = {key->name, value};
    nt_error error = {0};
    if (nt_method_check_option(method, &option, &error) != NT_OK)
        fail_msg("%s, %s %s: %s", nt_method_name(method), key->name, value, error.message);
}

static void bounds_of_a_number(const nt_method *method, const nt_option_key *key)
{
    static const char *const wrong[] = {"nan", "inf", "-inf", "", "much", "1 m", "1e"};
    char range[100], value[50];
    bool whole = key->type == NT_INTEGER;
    double width = whole ? 1 : fmax(1e-3 * (key->high - key->low), 1e-300);
    snprintf(range, sizeof range, "expected %g to %g", key->low, key->high);
    snprintf(value, sizeof value, "%.17g", key->low - width);
    refused(method, key->name, value, range);
    snprintf(value, sizeof value, "%.17g", key->high + (whole ? 1 : key->high * 1e-3 + width));
    refused(method, key->name, value, range);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(method, key->name, wrong[i], "expected a number");
    if (whole)
        refused(method, key->name, "1.5", "expected a whole number");
    snprintf(value, sizeof value, "%.17g", key->low);
    allowed(method, key, value);
    snprintf(value, sizeof value, "%.17g", key->high);
    allowed(method, key, value);
    assert_true(isnan(key->fallback) || (key->fallback >= key->low && key->fallback <= key->high));
}

static void options_are_refused_in_words(void **unused)
{
    (void)unused;
    for (int i = 0; i < nt_method_count(); i++) {
        const nt_method *method = nt_method_at(i);
        int count;
        const nt_option_key *keys = nt_method_options(method, &count);
        refused(method, "colour", "1", nt_method_name(method));
        for (const nt_option_key *key = keys; key < keys + count; key++) {
            assert_true(strlen(key->meaning) > 0);
            if (key->type == NT_REAL || key->type == NT_INTEGER)
                bounds_of_a_number(method, key);
            if (key->type == NT_BOOLEAN) {
                allowed(method, key, "true");
                allowed(method, key, "false");
                refused(method, key->name, "1", "expected true or false");
                refused(method, key->name, "", "expected true or false");
            }
            for (int k = 0; key->type == NT_CHOICE && key->choices[k]; k++) {
                allowed(method, key, key->choices[k]);
                refused(method, key->name, "0", key->choices[k]);
            }
        }
    }
}

static void steps_are_refused_in_words(void **unused)
{
    (void)unused;
    static const double wrong[] = {0, -1e-3, (double)NAN, (double)INFINITY};
    for (int i = 0; i < ROWS; i++) {
        const problem *p = &open_problems()[rows[i].does & VECTOR ? PLANET : SLOW_TOP];
        nt_integrator *it = start(&rows[i], p, first_frame(&rows[i]));
        bytes before = save(it);
        for (int j = 0; j < 4; j++) {
            nt_error error = {0};
            assert_int_equal(nt_integrator_run(it, 1, wrong[j], NULL, NULL, &error), NT_INVALID);
            assert_non_null(strstr(error.message, "step size"));
        }
        bytes after = save(it);
        assert_memory_equal(before.data, after.data, before.size);
        free(before.data), free(after.data);
        nt_integrator_destroy(it);
    }
}

static void tolerances_are_refused_by_others(void **unused)
{
    (void)unused;
    for (int i = 0; i < nt_method_count(); i++) {
        const nt_method *method = nt_method_at(i);
        bool vector = false;
        for (int r = 0; r < ROWS; r++)
            if (strcmp(rows[r].method, nt_method_name(method)) == 0) {
                vector = rows[r].does & VECTOR;
                assert_int_equal(!!(rows[r].does & TOLERANCE), nt_method_controls_error(method));
            }
        if (nt_method_controls_error(method))
            continue;
        nt_integrator_setup setup = {.system = open_problems()[vector ? PLANET : SLOW_TOP].system,
                                     .method = method,
                                     .tolerance = {0, 0, 1e-6, 0}};
        nt_integrator *it;
        nt_error error = {0};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_UNSUPPORTED);
        assert_non_null(strstr(error.message, nt_method_name(method)));
        assert_non_null(strstr(error.message, "does not control its error"));
        for (int j = 0; j < nt_method_count(); j++) {
            const char *name = nt_method_name(nt_method_at(j));
            bool would = nt_method_controls_error(nt_method_at(j));
            assert_int_equal(would, names(error.message, name));
        }
    }
}

/* Frames as the registry says them. */
static void frames(void **unused)
{
    (void)unused;
    for (int i = 0; i < ROWS; i++) {
        const nt_method *method = nt_method_find(rows[i].method);
        assert_true(nt_method_has_frame(method, NT_BODY));
        assert_int_equal(nt_method_has_frame(method, NT_INERTIAL), !(rows[i].does & BODY_ONLY));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(all_that_is_missing_is_named),
        cmocka_unit_test(constraints_need_all_levels),
        cmocka_unit_test(options_are_refused_in_words),
        cmocka_unit_test(tolerances_are_refused_by_others),
        cmocka_unit_test(steps_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
