/* Models whose periodic orbits are known, and what makes an orbit of a model. */
#ifndef NUTATE_TESTS_ANALYSIS_ORBITS_H
#define NUTATE_TESTS_ANALYSIS_ORBITS_H

#include <nutate/nutate.h>
#include <stdlib.h>
#include <string.h>

/* A rigid pendulum about a hinge, released at rest. */
static const char pendulum_text[] =
    "nutate: 1\n"
    "parameters: {g: 9.81, amplitude: 2.5, damping: 0}\n"
    "gravity: [0, 0, -g]\n"
    "bodies:\n"
    "  bob:\n"
    "    mass: 1\n"
    "    inertia: [0.01, 0.01, 0.01]\n"
    "    position: [sin(amplitude), 0, -cos(amplitude)]\n"
    "    orientation: {axis: [0, -1, 0], angle: amplitude}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, -1, 0],\n"
    "          friction: {viscous: damping}}\n"
    "simulation: {duration: 20, step: 0.01, method: rkmk-dop853}\n";

/* The oscillator of van der Pol, x'' = mu (1 - x^2) x' - x, as a slider. */
static const char van_der_pol_text[] =
    "nutate: 1\n"
    "parameters: {mu: 1}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  slider: {mass: 1, point: true, position: [2, 0, 0]}\n"
    "joints:\n"
    "  guide: {type: prismatic, between: [ground, slider], at: [2, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  law: {type: force, on: slider, value: [\"mu*(1 - slider.position.x^2)*slider.velocity.x"
    " - slider.position.x\", 0, 0]}\n"
    "simulation: {duration: 20, step: 0.01, method: rkmk-dop853}\n";

/* A pendulum that hangs on a pivot moved up and down by a cos(w t), at rest. */
static const char driven_pivot_text[] =
    "nutate: 1\n"
    "parameters: {g: 2, a: 0.1, w: 2}\n"
    "gravity: [0, 0, -g]\n"
    "bodies:\n"
    "  pivot: {mass: 1, inertia: [1, 1, 1], position: [0, 0, a]}\n"
    "  bob: {mass: 2, inertia: [0, 0, 0], position: [0, 0, a - 1]}\n"
    "joints:\n"
    "  drive: {type: prismatic, between: [ground, pivot], at: [0, 0, a], axis: [0, 0, 1],\n"
    "          motion: a*cos(w*t) - a}\n"
    "  hinge: {type: revolute, between: [pivot, bob], at: [0, 0, a], axis: [0, 1, 0]}\n"
    "simulation: {duration: 20, step: 0.01, method: rkmk-dop853}\n";

/* theta'' + c theta' + sin(theta) = drive cos(2 t/3) */
static const char driven_pendulum_text[] =
    "nutate: 1\n"
    "parameters: {drive: 1.05, c: 0.5}\n"
    "gravity: [0, 0, -1]\n"
    "bodies:\n"
    "  bob: {mass: 1, inertia: [0, 0, 0], position: [0, 0, -1]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, -1, 0],\n"
    "          friction: {viscous: c}}\n"
    "forces:\n"
    "  motor: {type: joint_torque, joint: pivot, value: \"drive*cos(2*t/3)\"}\n"
    "simulation: {duration: 20, step: 0.01, method: rkmk-dop853}\n";

/* x'' + c x' + x + x^3 = F cos(w t) */
static const char duffing_text[] =
    "nutate: 1\n"
    "parameters: {w: 0.6, F: 0.3, c: 0.1}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  bob: {mass: 1, point: true, position: [0, 0, 0]}\n"
    "joints:\n"
    "  guide: {type: prismatic, between: [ground, bob], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  law: {type: force, on: bob, value: [\"F*cos(w*t) - c*bob.velocity.x - bob.position.x"
    " - bob.position.x^3\", 0, 0]}\n"
    "simulation: {duration: 20, step: 0.01, method: rkmk-dop853}\n";

/* A symmetric top about a point, released with its spin alone. */
static const char top_text[] = "nutate: 1\n"
                               "parameters: {tilt: 0.6, spin: 40}\n"
                               "gravity: [0, 0, -9.81]\n"
                               "bodies:\n"
                               "  top:\n"
                               "    mass: 1.5\n"
                               "    inertia: [0.02, 0.02, 0.012]\n"
                               "    position: [0.2*sin(tilt), 0, 0.2*cos(tilt)]\n"
                               "    orientation: {axis: [0, 1, 0], angle: tilt}\n"
                               "    angular_velocity: [0, 0, spin]\n"
                               "joints:\n"
                               "  point: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
                               "simulation: {duration: 4, step: 0.001, method: rkmk-dop853}\n";

/* A pendulum with a spring in its rod: two degrees of freedom, no damping. */
static const char spring_pendulum_text[] =
    "nutate: 1\n"
    "parameters: {k: 60, shake: 0.3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  bob: {mass: 1, point: true, position: [0.02, 0, -1.1]}\n"
    "joints:\n"
    "  plane: {type: planar, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  rod: {type: spring, between: [ground, bob], at: [[0, 0, 0], [0.02, 0, -1.1]],\n"
    "        stiffness: k, length: 1}\n"
    "  push: {type: force, on: bob, value: [0, 0, \"shake*cos(3*t)\"]}\n"
    "simulation: {duration: 20, step: 0.01, method: rkmk-dop853}\n";

typedef struct subject {
    nt_model *model;
    nt_run *run;
    nt_integrator_setup steps;
    double *q, *v, *memory;
} subject;

static inline void subject_make(subject *s, const char *text, const char *method)
{
    nt_error error = {0};
    memset(s, 0, sizeof *s);
    if (nt_model_read_text(&s->model, text, strlen(text), "model", NULL, NULL, 0, &error) !=
            NT_OK ||
        nt_run_create(&s->run, s->model, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_run_setup(s->run, &s->steps, NULL);
    if (method) {
        s->steps.method = nt_method_find(method);
        s->steps.n_options = 0;
    }
    const nt_system *system = nt_run_system(s->run);
    s->q = calloc((size_t)system->space.nq + (size_t)system->space.nv + (size_t)system->n_memory,
                  sizeof(double));
    assert_non_null(s->q);
    s->v = s->q + system->space.nq, s->memory = s->v + system->space.nv;
    nt_run_initial(s->run, s->q, s->v, s->memory);
}

static inline void subject_free(subject *s)
{
    free(s->q);
    nt_run_destroy(s->run);
    nt_model_destroy(s->model);
}

/* The rest of an nt_orbit_setup from the subject. */
static inline nt_orbit_setup subject_setup(const subject *s, double period, int steps)
{
    return (nt_orbit_setup){.integrator = &s->steps,
                            .q = s->q,
                            .v = s->v,
                            .memory = s->memory,
                            .period = period,
                            .steps = steps};
}

static inline int parameter_of(const subject *s, const char *name)
{
    const nt_system *system = nt_run_system(s->run);
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0)
            return i;
    return -1;
}

static inline nt_orbit *make_orbit(const nt_orbit_setup *setup)
{
    nt_error error = {0};
    nt_orbit *orbit;
    if (nt_orbit_create(&orbit, setup, &error) != NT_OK)
        fail_msg("%s", error.message);
    return orbit;
}

static inline nt_orbit_found found_orbit(nt_orbit *orbit)
{
    nt_error error = {0};
    if (nt_orbit_find(orbit, &error) != NT_OK)
        fail_msg("%s", error.message);
    return nt_orbit_state(orbit);
}

#define ASSERT_CLOSE(got, expected, tolerance)                                                     \
    do {                                                                                           \
        double got_ = (got), expected_ = (expected);                                               \
        if (!(fabs(got_ - expected_) <= (tolerance)))                                              \
            fail_msg("%s is %.16g, expected %.16g, off by %.3g", #got, got_, expected_,            \
                     got_ - expected_);                                                            \
    } while (0)

#endif
