/* Systems for the tests of `bdf`, and integrators on them. cmocka.h comes before. */
#ifndef NUTATE_TESTS_BDF_SYSTEMS_H
#define NUTATE_TESTS_BDF_SYSTEMS_H

#include "method/runs.h"
#include "tests/read_run.h"

#include <math.h>
#include <nutate/model.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- systems -------------------------------------------------------------------------------- */

static const char slow_top_text[] =
    "nutate: 1\n"
    "gravity: [0, 0, -1]\n"
    "bodies:\n"
    "  top: {mass: 100, inertia: [1, 1, 1], center_of_mass: [0, 0, 0.2], fixed_point: [0, 0, 0],\n"
    "        orientation: {rotation_vector: [0.05, 0, 0]}, angular_velocity: [0, 0, 5]}\n";

/* Two bodies that turn and move in springs and drag: unconstrained, every tangent full. */
static const char springs_text[] =
    "nutate: 1\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.2, 0.4], angular_velocity: [1, 5, -2], velocity: [1, 0, 2]}\n"
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [1, 0.5, 0], velocity: [0, 3, 0],\n"
    "      orientation: {rotation_vector: [0.4, 1, 0.3]}, angular_velocity: [4, -3, 1]}\n"
    "forces:\n"
    "  spring: {type: spring, between: [a, b], at: [[0.1, 0.2, 0], [0.9, 0.4, 0.3]],\n"
    "           stiffness: 300, damping: 2, length: 0.4}\n"
    "  drag: {type: force, on: a, at: [0, 0, 0.1],\n"
    "         value: ['-3*a.velocity.x', '-2*a.velocity.y', 0], frame: body}\n";

/* Four bars in a plane, closed by revolute joints in space: three redundant equations; a body on a
 * ball joint hangs on it. */
static const char loop_text[] =
    "nutate: 1\n"
    "bodies:\n"
    "  left: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0]}\n"
    "  top: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 1, 0]}\n"
    "  right: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1, 0.5, 0]}\n"
    "  tail: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1, 1.5, 0],\n"
    "         angular_velocity: [1, 2, 3]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {type: revolute, between: [left, top], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  c: {type: revolute, between: [top, right], at: [1, 1, 0], axis: [0, 0, 1]}\n"
    "  d: {type: revolute, between: [right, ground], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  e: {type: spherical, between: [right, tail], at: [1, 1, 0]}\n"
    "forces:\n"
    "  push: {type: force, on: left, at: [0, 1, 0], value: ['5*sin(7*t)', 0, 0]}\n";

/* A crank driven by a spiral spring: its joint counts turns, and the force is of the count. */
static const char crank_text[] =
    "nutate: 1\n"
    "bodies:\n"
    "  crank: {mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.5, 0, 0],\n"
    "          angular_velocity: [0, 0, 40]}\n"
    "  arm: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.25, 0, 0],\n"
    "        angular_velocity: [0, 0, 25]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  elbow: {type: revolute, between: [crank, arm], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  spring: {type: joint_torque, joint: pivot, value: '-0.5*pivot.angle + 3*cos(3*t)'}\n";

static inline nt_run *model_of(const char *text)
{
    nt_run *run = NULL;
    nt_error error = {0};
    if (read_run_text(&run, text, strlen(text), "test", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    return run;
}

/* The chain of N links of REFERENCE: L = 0.25, thin rods laid out along x. */
static inline nt_run *chain_of(int n)
{
    char text[8000];
    int used = snprintf(text, sizeof text, "nutate: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  l%d: {mass: 0.078125, inertia: [8.138020833e-6, 4.109700521e-4, "
                         "4.109700521e-4], position: [%g, 0, 0], angular_velocity: [5, 0, 0]}\n",
                         i, 0.25 * (i + 0.5));
    used += snprintf(text + used, sizeof text - (size_t)used, "joints:\n");
    for (int i = 0; i < n; i++) {
        char before[20] = "ground";
        if (i > 0)
            snprintf(before, sizeof before, "l%d", i - 1);
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  j%d: {type: spherical, between: [%s, l%d], at: [%g, 0, 0]}\n", i,
                         before, i, 0.25 * i);
    }
    assert_true(used < (int)sizeof text);
    return model_of(text);
}

/* Two unknowns: q'' = A + B of Modin, Fritzson & Fuehrer 2007, (6.1) and (6.2). */
typedef struct plane {
    bool pendulum;
    double ends;    /* s: no value beyond                           */
    double highest; /* no value where q1 is above                   */
    double load;
    nt_block block;
    nt_system system;
} plane;

static inline nt_status plane_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const plane *s = self;
    const nt_combination *c = terms->combination;
    double x = at->q[0], y = at->q[1], k = 1e3, d = 1e2, p = 1e4, off = x * x + y * y - 1;
    if (at->t > s->ends || x > s->highest)
        return NT_NOT_FINITE;
    double *r = terms->residual;
    if (r && (terms->parts & NT_MASS)) {
        r[0] += at->vdot[0];
        r[1] += at->vdot[1];
    }
    double stretch = k * (x - y) + d * (at->v[0] - at->v[1]);
    if (r && (terms->parts & NT_IMPLICIT)) {
        r[0] += s->pendulum ? p * off * x : x + stretch;
        r[1] += s->pendulum ? p * off * y + 1 : -stretch;
        r[1] -= s->load;
    }
    if (!terms->matrix)
        return NT_OK;
    double *m = nt_matrix_block(terms->matrix, 0);
    if (terms->parts & NT_MASS)
        m[0] += c->mass, m[3] += c->mass;
    if (!(terms->parts & NT_IMPLICIT))
        return NT_OK;
    double own = c->stiffness * k + c->damping * d;
    if (s->pendulum) {
        m[0] += c->stiffness * p * (off + 2 * x * x);
        m[1] += c->stiffness * p * 2 * x * y;
        m[2] += c->stiffness * p * 2 * x * y;
        m[3] += c->stiffness * p * (off + 2 * y * y);
    } else {
        m[0] += c->stiffness + own;
        m[1] -= own;
        m[2] -= own;
        m[3] += own;
    }
    return NT_OK;
}

static inline void plane_init(plane *s, bool pendulum)
{
    *s = (plane){.pendulum = pendulum,
                 .ends = (double)INFINITY,
                 .highest = (double)INFINITY,
                 .block = {.kind = NT_RN, .nv = 2}};
    s->system = (nt_system){
        .self = s, .evaluate = plane_evaluate, .capabilities = NT_HAS_TANGENT | NT_AFFINE};
    nt_space_init(&s->system.space, &s->block, 1);
}

/* ---- running -------------------------------------------------------------------------------- */

static inline nt_integrator *start_bdf(const nt_system *system, nt_frame frame, double tolerance,
                                       const double *q, const double *v)
{
    nt_integrator_setup setup = {.system = system, .method = nt_method_find("bdf"), .frame = frame};
    setup.energy_check = NT_ENERGY_WARNS; /* loose tolerances over long times */
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = tolerance;
    nt_integrator *it = NULL;
    nt_error error = {0};
    if (nt_integrator_create(&it, &setup, &error) != NT_OK ||
        nt_integrator_start(it, 0, q, v, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    return it;
}

static inline double off_by(const double *a, const double *b, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

#endif
