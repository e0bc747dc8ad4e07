/* Systems for the tests of this folder, and integrators on them. */
#ifndef NUTATE_TESTS_API_RUNS_H
#define NUTATE_TESTS_API_RUNS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "method/top.h"
#include "tests/read_run.h"

#include <nutate/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* A crank driven by a spiral spring: turns many times, so its joint counts turns. */
static const char crank_text[] =
    "nutate: 1\n"
    "parameters: {push: 3}\n"
    "bodies:\n"
    "  crank: {mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.5, 0, 0],\n"
    "          angular_velocity: [0, 0, 40]}\n"
    "  arm: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.25, 0, 0],\n"
    "        angular_velocity: [0, 0, 25]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  elbow: {type: revolute, between: [crank, arm], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  spring: {type: joint_torque, joint: pivot, value: '-0.5*pivot.angle + push*cos(3*t)'}\n"
    "  drag: {type: force, on: arm, at: [1.5, 0, 0],\n"
    "         value: ['-0.2*arm.velocity.x', '-0.2*arm.velocity.y', 0]}\n"
    "simulation: {duration: 2, step: 1e-3}\n";

/* Four bars in a plane, closed by revolute joints in space: three redundant equations. */
static const char loop_text[] =
    "nutate: 1\n"
    "bodies:\n"
    "  left: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0]}\n"
    "  top: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 1, 0]}\n"
    "  right: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1, 0.5, 0]}\n"
    "  tail: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1, 1.5, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {type: revolute, between: [left, top], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  c: {type: revolute, between: [top, right], at: [1, 1, 0], axis: [0, 0, 1]}\n"
    "  d: {type: revolute, between: [right, ground], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  e: {type: spherical, between: [right, tail], at: [1, 1, 0]}\n"
    "forces:\n"
    "  push: {type: force, on: left, at: [0, 1, 0], value: ['5*sin(7*t)', 0, 0]}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* One integrator at its start, and what it borrows. */
typedef struct run {
    top top;
    nt_block block;
    nt_system by_hand;
    nt_run *run;
    nt_integrator *integrator;
} run;

static inline void must(nt_status status, const nt_error *error)
{
    if (status != NT_OK)
        fail_msg("%s: %s", nt_status_text(status), error->message);
}

/* What the runs of a test are made with. */
static const char *run_method = "generalized-alpha";
static double run_tolerance = 0;

static inline void begin(run *r, const nt_system *system, const nt_option *options, int n,
                         nt_frame frame, const double *q, const double *v, const double *memory)
{
    nt_error error = {0};
    nt_integrator_setup setup = {
        .system = system,
        .method = nt_method_find(run_method),
        .options = options,
        .n_options = n,
        .frame = frame,
        .tolerance = {run_tolerance, run_tolerance, run_tolerance, run_tolerance}};
    must(nt_integrator_create(&r->integrator, &setup, &error), &error);
    must(nt_integrator_start(r->integrator, 0, q, v, memory, &error), &error);
}

/* The heavy top of tests/method/top.h. */
static inline void begin_top(run *r, const nt_option *options, int n, nt_frame frame)
{
    *r = (run){.top = heavy_top()};
    r->by_hand = top_system(&r->top, &r->block);
    begin(r, &r->by_hand, options, n, frame, top_q0, top_v0, NULL);
}

static inline void begin_model(run *r, const char *text, const nt_option *options, int n,
                               nt_frame frame)
{
    nt_error error = {0};
    *r = (run){0};
    must(read_run_text(&r->run, text, strlen(text), "test", NULL, NULL, 0, &error), &error);
    const nt_system *system = nt_run_system(r->run);
    size_t room = (size_t)(system->space.nq + system->space.nv + system->n_memory);
    double *q = calloc(room, sizeof *q);
    assert_non_null(q);
    double *v = q + system->space.nq, *memory = v + system->space.nv;
    nt_run_initial(r->run, q, v, memory);
    begin(r, system, options, n, frame, q, v, memory);
    free(q);
}

static inline void end(run *r)
{
    nt_integrator_destroy(r->integrator);
    destroy_run(r->run);
    *r = (run){0};
}

static inline void advance(run *r, int steps, double h)
{
    nt_error error = {0};
    for (int i = 0; i < steps; i++)
        must(nt_integrator_step(r->integrator, h, &error), &error);
}

#endif
