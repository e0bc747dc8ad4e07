/* A model with everything that public functions take, for tests that give them NULL. */
#ifndef NUTATE_TESTS_API_NULL_H
#define NUTATE_TESTS_API_NULL_H

#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "nutate: 1\n"
    "parameters: {m: 15, arm: 1}\n"
    "bodies: {top: {mass: m, inertia: [0.2, 0.4, 0.2], position: [0, arm, 0],\n"
    "               angular_velocity: [0, 150, -4.61538]}}\n"
    "joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n"
    "objectives: {end: {type: final, of: top.position.x}}\n"
    "simulation: {duration: 1, step: 1e-3}\n"
    "output: {record: [top.position]}\n";

enum { ROOM = 64 };

/* What every function is called with, but for what is refused. */
static nt_model *model;
static nt_run *run;
static const nt_system *s;
static nt_integrator *it;
static nt_integrator_setup setup;
static nt_sensitivity *sensitivity;
static nt_record *record;
static nt_objectives *objectives;
static nt_pattern *pattern;
static nt_matrix *matrix;
static nt_solver *solver;
static nt_quantity_info quantity;
static nt_state now;
static nt_error error, *const e = &error;
static double numbers[ROOM];
static const int sizes[1] = {2};

/* ---- what is demanded ----------------------------------------------------------------------- */

/* The call that is written in `call` must have been refused: "nt_f: argument is NULL". */
static void refused(const char *call, const char *expected, nt_status status)
{
    char words[200];
    int length = (int)strcspn(call, "(");
    snprintf(words, sizeof words, "%.*s: %s", length, call, expected);
    if (status != NT_INVALID || error.status != NT_INVALID ||
        strncmp(error.message, words, strlen(words)) != 0)
        fail_msg("%s: status %d, \"%s\"; expected \"%s\"", call, (int)status, error.message, words);
    memset(&error, 0, sizeof error);
}

#define IS_NULL(argument, call) refused(#call, argument " is NULL", call)
#define IS_UNKNOWN(argument, call) refused(#call, argument " is 77", call)
#define INVALID(call) assert_int_equal(call, NT_INVALID)

static void require(nt_status status)
{
    if (status != NT_OK)
        fail_msg("%s", error.message);
}

static int set_up(void **state)
{
    static const int parameters[1] = {0};
    (void)state;
    require(nt_model_read_text(&model, text, strlen(text), "null", NULL, NULL, 0, e));
    require(nt_run_create(&run, model, e));
    require(nt_run_setup(run, &setup, e));
    require(nt_integrator_create(&it, &setup, e));
    require(nt_integrator_start(it, 0, NULL, NULL, NULL, e));
    require(nt_sensitivity_create(&sensitivity, it, parameters, 1, e));
    require(nt_sensitivity_start(sensitivity, e));
    require(nt_record_open(&record, run, "null.csv", NT_CSV, NULL, e));
    require(nt_objectives_create(&objectives, run, it, sensitivity, e));
    require(nt_model_quantity(model, "top.position", &quantity, e));
    require(nt_pattern_create(&pattern, 1, 1, sizes));
    assert_int_equal(nt_pattern_add(pattern, 0, 0, NT_FULL), 0);
    require(nt_matrix_create(&matrix, pattern));
    require(nt_solver_create(&solver, pattern, NT_SOLVER_AUTO, e));
    s = nt_run_system(run);
    now = nt_integrator_state(it);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    nt_solver_destroy(solver);
    nt_matrix_destroy(matrix);
    nt_pattern_destroy(pattern);
    nt_objectives_destroy(objectives);
    nt_status status = nt_record_close(record, e);
    nt_sensitivity_destroy(sensitivity);
    nt_integrator_destroy(it);
    nt_run_destroy(run);
    nt_model_destroy(model);
    return status != NT_OK;
}

#endif
