/* Sensitivities of a system that remembers, by its own derivative of `accept` and by differences.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/vector3.h"

#include <nutate/method.h>
#include <nutate/sensitivity.h>
#include <string.h>

/* A rotor, J W' + W x J W = (m, k, 0) in body axes, c = R^T e_z, that remembers
 *
 *   m_next = 0.9 m + 0.1 W . W + 0.05 sum W' + 0.1 c0 + 0.02 k^2. */
typedef struct rotor {
    double k;
    long accepted, differentiated;
    nt_block block;
    nt_system system;
} rotor;

static const double J[3] = {1, 1.5, 2};

static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const rotor *s = self;
    m3 inertia = m3_diagonal(J[0], J[1], J[2]);
    v3 W = v3_load(at->v), L = m3_apply(inertia, W);
    double mass = terms->parts & NT_MASS ? 1 : 0, spin = terms->parts & NT_GYROSCOPIC ? 1 : 0;
    double force = terms->parts & NT_IMPLICIT ? 1 : 0;
    if (terms->residual) {
        v3 sum = v3_scale(spin, v3_cross(W, L));
        if (mass > 0)
            sum = v3_add(sum, m3_apply(inertia, v3_load(at->vdot)));
        sum = v3_sub(sum, v3_scale(force, v3_of(at->memory[0], s->k, 0)));
        v3_accumulate(terms->residual, sum);
    }
    if (terms->matrix) {
        const nt_combination *c = terms->combination;
        m3 C = m3_sub(m3_skew_multiply(W, inertia), m3_skew(L));
        m3_accumulate(nt_matrix_block(terms->matrix, 0),
                      m3_add(m3_scale(c->mass * mass, inertia), m3_scale(c->damping * spin, C)));
    }
    return NT_OK;
}

static void accept(void *self, const nt_point *at, double *next)
{
    rotor *s = self;
    m3 R = quat_matrix(quat_load(at->q));
    v3 W = v3_load(at->v);
    s->accepted++;
    next[0] = 0.9 * at->memory[0] + 0.1 * v3_dot(W, W) +
              0.05 * (at->vdot[0] + at->vdot[1] + at->vdot[2]) + 0.1 * R.zx + 0.02 * s->k * s->k;
}

static nt_status accept_tangent(void *self, const nt_point *at, int k,
                                const nt_point_tangent *along, double *dnext)
{
    rotor *s = self;
    m3 R = quat_matrix(quat_load(at->q));
    v3 turned = v3_cross(v3_of(R.zx, R.zy, R.zz), v3_load(along->q));
    assert_int_equal(k, 0);
    s->differentiated++;
    dnext[0] = 0.9 * along->memory[0] + 0.2 * v3_dot(v3_load(at->v), v3_load(along->v)) +
               0.05 * (along->vdot[0] + along->vdot[1] + along->vdot[2]) + 0.1 * turned.x +
               0.04 * s->k;
    return NT_OK;
}

static nt_status set(void *self, const double *p)
{
    ((rotor *)self)->k = p[0];
    return NT_OK;
}

static void get(void *self, double *p) { p[0] = ((rotor *)self)->k; }

static void rotor_init(rotor *s, bool own)
{
    *s = (rotor){.k = 0.3, .block = {.kind = NT_SO3}};
    s->system = (nt_system){.name = "rotor that remembers",
                            .frame = NT_BODY,
                            .capabilities = NT_HAS_TANGENT | NT_HAS_PARAMETERS | NT_AFFINE,
                            .n_memory = 1,
                            .n_parameters = 1,
                            .self = s,
                            .evaluate = evaluate,
                            .accept = accept,
                            .accept_tangent = own ? accept_tangent : NULL,
                            .set_parameters = set,
                            .get_parameters = get};
    nt_space_init(&s->system.space, &s->block, 1);
}

enum { STEPS = 20, VALUES = 4 };
static const nt_option tight[] = {
    {"tolerance_relative", "1e-14"}, {"tolerance_angle", "1e-14"}, {"tolerance_moment", "1e-13"}};

/* (W, m) at the end, or their derivatives in k. */
static void run(rotor *s, const char *method, nt_frame frame, bool derivative, double out[VALUES])
{
    const double q[4] = {0.5, 0.5, -0.5, 0.5}, v[3] = {0.3, -0.8, 1.2}, memory = 0.2;
    const int parameter = 0;
    nt_error error = {0};
    nt_integrator *it;
    nt_sensitivity *varied = NULL;
    nt_integrator_setup setup = {
        .system = &s->system, .method = nt_method_find(method), .frame = frame};
    if (nt_method_check_option(setup.method, &tight[1], NULL) == NT_OK)
        setup.options = tight, setup.n_options = 3;
    if (nt_integrator_create(&it, &setup, &error) != NT_OK ||
        (derivative && nt_sensitivity_create(&varied, it, &parameter, 1, &error) != NT_OK) ||
        nt_integrator_start(it, 0, q, v, &memory, &error) != NT_OK ||
        (derivative && nt_sensitivity_start(varied, &error) != NT_OK) ||
        nt_integrator_run(it, 1, 1.0 / STEPS, NULL, NULL, &error) != NT_OK)
        fail_msg("%s: %s", method, error.message);
    nt_state state = nt_integrator_state(it);
    nt_state_tangent d = derivative ? nt_sensitivity_state(varied, 0) : (nt_state_tangent){0};
    memcpy(out, derivative ? d.v : state.v, 3 * sizeof *out);
    out[3] = derivative ? d.memory[0] : state.memory[0];
    nt_sensitivity_destroy(varied);
    nt_integrator_destroy(it);
}

static void derivatives_of_memory_are_those_of_runs(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-linear",
                                          "generalized-alpha-soi2", "rkmk-dopri5", "theta"};
    static const double weight[2] = {8.0 / 12, -1.0 / 12};
    const double step = 1e-3;
    for (int i = 0; i < 10; i++) {
        const char *method = methods[i / 2];
        nt_frame frame = i % 2 ? NT_BODY : NT_INERTIAL;
        double own[VALUES], differences[VALUES], runs[VALUES] = {0}, value[VALUES];
        rotor s;
        for (int j = 0; j < 4; j++) {
            int sign = j % 2 ? -1 : 1;
            rotor_init(&s, false);
            s.k += sign * (j / 2 + 1) * step;
            run(&s, method, frame, false, value);
            for (int e = 0; e < VALUES; e++)
                runs[e] += sign * weight[j / 2] * value[e] / step;
        }
        rotor_init(&s, false);
        run(&s, method, frame, true, differences);
        assert_true(s.accepted > STEPS);
        assert_int_equal(s.differentiated, 0);
        rotor_init(&s, true);
        run(&s, method, frame, true, own);
        assert_int_equal(s.accepted, STEPS);
        assert_int_equal(s.differentiated, STEPS);
        for (int e = 0; e < VALUES; e++) {
            if (!(fabs(own[e] - runs[e]) <= 1e-9))
                fail_msg("%s, value %d: %.12g, by runs %.12g", method, e, own[e], runs[e]);
            if (!(fabs(own[e] - differences[e]) <= 1e-11))
                fail_msg("%s, value %d: %.15g, by differences of accept %.15g", method, e, own[e],
                         differences[e]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_of_memory_are_those_of_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
