/* Unknowns of first order beside a mechanism: every method takes them with its order or refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "first_order.h"
#include "runs.h"

#include <nutate/sensitivity.h>

/* The tangent by hand is that of the equations: the tests below rest on it. */
static void tangent_is_that_of_the_equations(void **unused)
{
    (void)unused;
    const double q[6] = {0.8, -0.6, 0.5, 0.5, -0.5, 0.5}, lambda[1] = {1.7};
    const double v[FIRST_NV] = {0.5, -0.3, 0.2, 0.7, 0.3, -0.8, 1.2};
    const double a[FIRST_NV] = {0.1, 0.4, -0.6, 0.2, 0.9, -0.5, 0.3};
    nt_point at = {.t = 0.3, .q = q, .v = v, .vdot = a, .lambda = lambda};
    for (int constrained = 0; constrained < 2; constrained++) {
        first_order s;
        double difference;
        first_order_init(&s, constrained);
        assert_int_equal(nt_system_check_tangent(&s.system, &at, 1e-6, &difference, NULL), NT_OK);
        near_number(difference, 0, 1e-8, s.system.name, "tangent");
    }
}

enum { CLAIMS = 4, END = 1 };

/* Orders of x and of the mechanism; with constraints theirs. 0: refused. */
static const struct claim {
    const char *method;
    nt_option options[CLAIMS];
    int n_options;
    double x, constrained; /* orders */
    int steps;
    bool explicit_rates;
} claims[] = {
    {"generalized-alpha", {{"rho_inf", "0.8"}}, 1, 2, 2, 40, false},
    {"generalized-alpha", {{"rho_inf", "0.2"}}, 1, 2, 2, 40, false},
    {"generalized-alpha", {{"rho_inf", "0"}}, 1, 2, 2, 40, false},
    {"generalized-alpha", {{"newmark", "0.5"}, {"beta", "0"}}, 2, 2, 0, 40, false},
    {"generalized-alpha", {{"rho_inf", "0.8"}, {"reuse_tangent", "true"}}, 2, 2, 2, 40, false},
    {"generalized-alpha-linear", {{"rho_inf", "0.8"}}, 1, 2, 2, 40, false},
    {"generalized-alpha-linear", {{"rho_inf", "0.2"}}, 1, 2, 2, 40, false},
    {"generalized-alpha-linear", {{"rho_inf", "0"}}, 1, 2, 2, 40, false},
    {"generalized-alpha-residual", {{"rho_inf", "0.8"}}, 1, 1, 1, 320, false},
    {"generalized-alpha-soi2", {{"rho_inf", "0.8"}}, 1, 2, 2, 80, false},
    {"generalized-alpha-soi2", {{"rho_inf", "0.2"}}, 1, 2, 2, 80, false},
    {"generalized-alpha-soi2", {{"rho_inf", "0"}}, 1, 2, 2, 80, false},
    {"rkmk-dopri5", {{0}}, 0, 5, 5, 40, false},
    {"rkmk-dop853", {{0}}, 0, 8, 8, 6, false},
    {"semi-explicit", {{0}}, 0, 1, 1, 320, false},
    {"semi-explicit", {{0}}, 0, 1, 1, 320, true},
    {"semi-explicit-2", {{0}}, 0, 2, 2, 80, false},
    {"semi-explicit-2", {{0}}, 0, 2, 2, 80, true},
    {"theta", {{0}}, 0, 2, 2, 80, false},
    {"theta", {{"theta", "0.8"}}, 1, 1, 1, 320, false},
};

typedef struct values {
    double q[6], v[FIRST_NV];
} values;

static values after(const struct claim *c, first_order *s, int steps)
{
    nt_integrator_setup setup = {.system = &s->system,
                                 .method = nt_method_find(c->method),
                                 .options = c->options,
                                 .n_options = c->n_options,
                                 .frame = NT_BODY};
    nt_integrator *it = begin(&setup, NULL, NULL);
    values found;
    run_to(it, END, (double)END / steps);
    nt_state state = nt_integrator_state(it);
    memcpy(found.q, state.q, sizeof found.q);
    memcpy(found.v, state.v, sizeof found.v);
    nt_integrator_destroy(it);
    return found;
}

/* Largest errors of x and of the mechanism's positions. */
static void errors_of(const values *a, const values *b, double error[2])
{
    error[0] = fmax(fabs(a->v[0] - b->v[0]), fabs(a->v[1] - b->v[1]));
    error[1] = 0;
    for (int i = 0; i < 6; i++)
        error[1] = fmax(error[1], fabs(a->q[i] - b->q[i]));
}

static void orders_are_as_claimed(void **unused)
{
    (void)unused;
    static const struct claim exact = {.method = "rkmk-dop853"};
    for (int constrained = 0; constrained < 2; constrained++) {
        first_order s;
        first_order_init(&s, constrained);
        values reference = after(&exact, &s, 100);
        for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
            const struct claim *c = &claims[i];
            double order = constrained ? c->constrained : c->x, error[2][2];
            if (order == 0)
                continue;
            s.explicit_rates = c->explicit_rates;
            for (int fine = 0; fine < 2; fine++) {
                values found = after(c, &s, c->steps << fine);
                errors_of(&found, &reference, error[fine]);
            }
            for (int kind = 0; kind < 2; kind++) {
                double slope = log2(error[0][kind] / error[1][kind]);
                const char *what = kind ? "order of the mechanism" : "order of x";
                if (order < 5)
                    near_number(slope, order, 0.15, c->method, what);
                else if (!(slope > order - 0.3)) /* errors near rounding fall faster */
                    fail_msg("%s: %s is %g, expected %g", c->method, what, slope, order);
            }
        }
    }
}

/* semi-explicit in the middle, where nothing that is explicit depends on velocities. */
static void semi_explicit_is_of_second_order_without_explicit_rates(void **unused)
{
    (void)unused;
    static const struct claim exact = {.method = "rkmk-dop853"};
    static const struct claim middle = {
        .method = "semi-explicit", .options = {{"alpha", "0.5"}, {"beta", "0.5"}}, .n_options = 2};
    first_order s;
    double error[2][2];
    first_order_init(&s, false);
    s.round = true;
    values reference = after(&exact, &s, 100);
    for (int fine = 0; fine < 2; fine++) {
        values found = after(&middle, &s, 80 << fine);
        errors_of(&found, &reference, error[fine]);
    }
    for (int kind = 0; kind < 2; kind++)
        near_number(log2(error[0][kind] / error[1][kind]), 2, 0.15, middle.method, "order");
}

/* bdf follows its tolerance, and so do the others that take one. */
static void tolerances_are_followed(void **unused)
{
    (void)unused;
    static const struct claim exact = {.method = "rkmk-dop853"};
    static const char *const methods[] = {"bdf", "rkmk-dopri5", "rkmk-dop853",
                                          "generalized-alpha-soi2"};
    for (int i = 0; i < 8; i++) {
        first_order s;
        double error[2][2];
        first_order_init(&s, i % 2);
        values reference = after(&exact, &s, 100);
        for (int fine = 0; fine < 2; fine++) {
            double t = fine ? 1e-7 : 1e-4;
            nt_integrator_setup setup = {.system = &s.system,
                                         .method = nt_method_find(methods[i / 2]),
                                         .frame = NT_BODY,
                                         .tolerance = {t, t, t, t}};
            nt_integrator *it = begin(&setup, NULL, NULL);
            values found;
            run_to(it, END, 1e-2);
            nt_state state = nt_integrator_state(it);
            memcpy(found.q, state.q, sizeof found.q);
            memcpy(found.v, state.v, sizeof found.v);
            errors_of(&found, &reference, error[fine]);
            nt_integrator_destroy(it);
            near_number(error[fine][0], 0, 200 * t, methods[i / 2], "x");
            near_number(error[fine][1], 0, 200 * t, methods[i / 2], "the mechanism");
        }
    }
}

/* Every method of the registry has its line above, or is bdf, or refuses in words. */
static void others_refuse_in_words(void **unused)
{
    (void)unused;
    int refusing = 0;
    first_order s;
    first_order_init(&s, false);
    for (int i = 0; i < nt_method_count(); i++) {
        const char *name = nt_method_name(nt_method_at(i));
        bool takes = strcmp(name, "bdf") == 0;
        for (size_t k = 0; k < sizeof claims / sizeof *claims; k++)
            takes |= strcmp(name, claims[k].method) == 0;
        nt_error error = {0};
        nt_status status = nt_method_check_system(nt_method_at(i), &s.system, &error);
        if (status != (takes ? NT_OK : NT_UNSUPPORTED))
            fail_msg("%s: %s", name, error.message);
        if (!takes && !strstr(error.message, "treats no unknowns of first order, the system has 2"))
            fail_msg("%s", error.message);
        refusing += !takes;
    }
    assert_int_equal(refusing, 11);
}

/* A cubic through values and rates between steps has less error than the step that it is within,
 * whose error is of third order. */
static void dense_output_follows_the_step(void **unused)
{
    (void)unused;
    first_order s;
    first_order_init(&s, false);
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        double h = fine ? 0.025 : 0.05, q[6], v[FIRST_NV];
        nt_integrator_setup fifth = {
            .system = &s.system, .method = nt_method_find("rkmk-dop853"), .frame = NT_BODY};
        nt_integrator *exact = begin(&fifth, NULL, NULL);
        run_to(exact, 0.5 * h, 0.05 * h);
        nt_state middle = nt_integrator_state(exact);
        double x = middle.v[0];
        nt_integrator_destroy(exact);
        nt_integrator_setup setup = {
            .system = &s.system, .method = nt_method_find("generalized-alpha"), .frame = NT_BODY};
        first_order_initial(&s, 0, q, v, NULL);
        nt_integrator *it = begin(&setup, q, v);
        nt_error message = {0};
        nt_state state;
        assert_int_equal(nt_integrator_step(it, h, &message), NT_OK);
        assert_int_equal(nt_integrator_dense(it, 0, &state), NT_OK);
        near_number(state.v[0], v[0], 1e-15, "dense output", "x at the begin");
        assert_int_equal(nt_integrator_dense(it, 0.5 * h, &state), NT_OK);
        error[fine] = fabs(state.v[0] - x);
        nt_integrator_destroy(it);
    }
    assert_true(error[0] < 1e-4);
    assert_true(error[0] > 6 * error[1]);
}

/* A saved state goes on with the same bits. */
static void saved_states_go_on(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        first_order s;
        first_order_init(&s, false);
        s.explicit_rates = claims[i].explicit_rates;
        nt_integrator_setup setup = {.system = &s.system,
                                     .method = nt_method_find(claims[i].method),
                                     .options = claims[i].options,
                                     .n_options = claims[i].n_options,
                                     .frame = NT_BODY};
        nt_integrator *it = begin(&setup, NULL, NULL), *other = begin(&setup, NULL, NULL);
        run_to(it, 0.5, 0.05);
        size_t size = nt_integrator_saved_size(it);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        nt_integrator_save(it, bytes);
        nt_error error = {0};
        assert_int_equal(nt_integrator_restore(other, bytes, size, &error), NT_OK);
        run_to(it, 1, 0.05);
        run_to(other, 1, 0.05);
        assert_memory_equal(nt_integrator_state(it).v, nt_integrator_state(other).v,
                            FIRST_NV * sizeof(double));
        free(bytes);
        nt_integrator_destroy(it);
        nt_integrator_destroy(other);
    }
}

/* ---- beside rigid motions ------------------------------------------------------------------- */

/* x' = -x + V_z + sin(t) beside a free body, 2 V' = (x, 0, -1), J W' + W x J W = (0, x, 0). */
static nt_status flying(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self;
    const double M[FIRST_NV] = {1, 2, 2, 2, 1, 1.5, 2}, *v = at->v;
    const double f[FIRST_NV] = {-v[0] + v[3] + sin(at->t), v[0], 0, -1, 0, v[0], 0};
    double mass = terms->parts & NT_MASS ? 1 : 0, spin = terms->parts & NT_GYROSCOPIC ? 1 : 0;
    double force = terms->parts & NT_IMPLICIT ? 1 : 0;
    v3 W = v3_load(v + 4), L = v3_of(M[4] * W.x, M[5] * W.y, M[6] * W.z);
    for (int i = 0; terms->residual && i < FIRST_NV; i++)
        terms->residual[i] += (mass > 0 ? M[i] * at->vdot[i] : 0) - force * f[i];
    if (terms->residual)
        v3_accumulate(terms->residual + 4, v3_scale(spin, v3_cross(W, L)));
    if (!terms->matrix)
        return NT_OK;
    const nt_combination *c = terms->combination;
    double *to = nt_matrix_block(terms->matrix, 0), C[9], damping = force * c->damping;
    m3_store(C, m3_sub(m3_skew_multiply(W, m3_diagonal(M[4], M[5], M[6])), m3_skew(L)));
    for (int i = 0; i < FIRST_NV; i++)
        to[(FIRST_NV + 1) * i] += c->mass * mass * M[i];
    for (int i = 0; i < 9; i++)
        to[FIRST_NV * (4 + i / 3) + 4 + i % 3] += spin * c->damping * C[i];
    to[0] += damping;
    to[3] -= damping;
    to[FIRST_NV] -= damping;
    to[5 * FIRST_NV] -= damping;
    return NT_OK;
}

static void rigid_motions_keep_the_order(void **unused)
{
    (void)unused;
    static const double q[7] = {0, 0, 0, 1, 0, 0, 0}, v[FIRST_NV] = {0.5, 1, 0, 2, 0.3, -0.8, 1.2};
    nt_block blocks[2] = {{.kind = NT_FIRST, .nv = 1}, {.kind = NT_R3SO3}};
    nt_system system = {.name = "flying body",
                        .frame = NT_BODY,
                        .capabilities = NT_HAS_TANGENT | NT_AFFINE,
                        .evaluate = flying};
    nt_space_init(&system.space, blocks, 2);
    double found[3][8];
    for (int k = 0; k < 3; k++) {
        nt_integrator_setup setup = {.system = &system,
                                     .method =
                                         nt_method_find(k ? "generalized-alpha" : "rkmk-dop853"),
                                     .frame = k ? NT_SE3 : NT_BODY};
        nt_integrator *it = begin(&setup, q, v);
        run_to(it, END, k == 1 ? 1.0 / 40 : 1.0 / 80);
        memcpy(found[k], nt_integrator_state(it).q, 7 * sizeof(double));
        found[k][7] = nt_integrator_state(it).v[0];
        nt_integrator_destroy(it);
    }
    for (int i = 0; i < 8; i++) {
        double coarse = fabs(found[1][i] - found[0][i]), fine = fabs(found[2][i] - found[0][i]);
        if (coarse > 1e-6)
            near_number(log2(coarse / fine), 2, 0.15, "generalized-alpha, se3", "order");
    }
    assert_true(fabs(found[1][7] - found[0][7]) > 1e-6); /* there was an error to measure */
}

/* ---- sensitivities -------------------------------------------------------------------------- */

static const nt_option tight[] = {{"tolerance_relative", "1e-14"},
                                  {"tolerance_length", "1e-14"},
                                  {"tolerance_angle", "1e-14"},
                                  {"tolerance_force", "1e-13"},
                                  {"tolerance_moment", "1e-13"}};
enum { TIGHT = sizeof tight / sizeof *tight };

static nt_integrator *tight_run(const struct claim *c, first_order *s, nt_sensitivity **varied)
{
    nt_option options[CLAIMS + TIGHT];
    int n = c->n_options, parameter = 0;
    memcpy(options, c->options, sizeof c->options);
    if (nt_method_check_option(nt_method_find(c->method), &tight[0], NULL) == NT_OK) {
        memcpy(options + n, tight, sizeof tight);
        n += TIGHT;
    }
    nt_integrator_setup setup = {.system = &s->system,
                                 .method = nt_method_find(c->method),
                                 .options = options,
                                 .n_options = n,
                                 .frame = NT_BODY};
    nt_error error = {0};
    nt_integrator *it;
    if (nt_integrator_create(&it, &setup, &error) != NT_OK ||
        (varied && nt_sensitivity_create(varied, it, &parameter, 1, &error) != NT_OK) ||
        nt_integrator_start(it, 0, NULL, NULL, NULL, &error) != NT_OK ||
        (varied && nt_sensitivity_start(*varied, &error) != NT_OK))
        fail_msg("%s: %s", c->method, error.message);
    run_to(it, 0.5, 0.05);
    return it;
}

static void sensitivities_are_those_of_runs(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        for (int constrained = 0; constrained <= (claims[i].constrained > 0); constrained++) {
            const struct claim *c = &claims[i];
            const double d = 1e-3;
            first_order s;
            double difference[FIRST_NV] = {0}, within[FIRST_NV] = {0};
            first_order_init(&s, constrained);
            s.explicit_rates = c->explicit_rates;
            const double k = s.k, weight[2] = {8.0 / 12, -1.0 / 12};
            for (int j = 0; j < 4; j++) {
                int sign = j % 2 ? -1 : 1;
                s.k = k + sign * (j / 2 + 1) * d;
                nt_integrator *it = tight_run(c, &s, NULL);
                for (int e = 0; e < FIRST_NV; e++)
                    difference[e] += sign * weight[j / 2] * nt_integrator_state(it).v[e] / d;
                nt_state state;
                assert_int_equal(nt_integrator_dense(it, 0.48, &state), NT_OK);
                for (int e = 0; e < FIRST_NV; e++)
                    within[e] += sign * weight[j / 2] * state.v[e] / d;
                nt_integrator_destroy(it);
            }
            s.k = k;
            nt_sensitivity *varied;
            nt_integrator *it = tight_run(c, &s, &varied);
            nt_state_tangent tangent = nt_sensitivity_state(varied, 0);
            near_number(tangent.q[0], 0, 0, c->method, "increment without a configuration");
            for (int e = 0; e < FIRST_NV; e++)
                near_number(tangent.v[e], difference[e], 2e-8, c->method, "derivative");
            assert_int_equal(nt_sensitivity_dense(varied, 0, 0.48, &tangent), NT_OK);
            for (int e = 0; e < FIRST_NV; e++)
                near_number(tangent.v[e], within[e], 2e-8, c->method, "derivative within a step");
            nt_sensitivity_destroy(varied);
            nt_integrator_destroy(it);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangent_is_that_of_the_equations),
        cmocka_unit_test(orders_are_as_claimed),
        cmocka_unit_test(semi_explicit_is_of_second_order_without_explicit_rates),
        cmocka_unit_test(tolerances_are_followed),
        cmocka_unit_test(others_refuse_in_words),
        cmocka_unit_test(dense_output_follows_the_step),
        cmocka_unit_test(saved_states_go_on),
        cmocka_unit_test(rigid_motions_keep_the_order),
        cmocka_unit_test(sensitivities_are_those_of_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
