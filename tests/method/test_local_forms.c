/* The linear and the residual form of generalized-alpha: reference values and orders on the heavy
 * top, what the parameterisation changes, vector spaces, Newmark and Stormer, exact tangents. */
#include "method/alpha/local_form.h"
#include "method/integrator.h"
#include "method/top.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runs.h"

#define CLOSE(a, b, tolerance) close_to((a), (b), (tolerance), #a, __LINE__)

static void close_to(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s is %.15g, expected %.15g within %.3g\n", what, a, b, tolerance);
        _fail(__FILE__, line);
    }
}

enum form { LIE, LINEAR, RESIDUAL };
static const char *const methods[] = {"generalized-alpha", "generalized-alpha-linear",
                                      "generalized-alpha-residual"};

/* ---- the heavy top -------------------------------------------------------------------------- */

/* x, reaction at t = 0.1 from a Taylor series of 34 digits */
static const double x_exact[3] = {.421296658925402, .894571974345593, -.149164700561900};
static const double lambda_exact[3] = {-361.056004787116, -295.393173011226, -212.267171855119};

typedef struct outcome {
    double x[3], q[4], lambda[3];
    nt_statistics statistics;
} outcome;

static outcome run_top(enum form form, const char *chart, nt_frame frame, double J33, double h)
{
    top p = heavy_top();
    p.J.zz = J33;
    nt_block block;
    nt_system system = top_system(&p, &block);
    const nt_option options[] = {{"rho_inf", "0.8"}, {"parameterization", chart}};
    nt_integrator_setup setup = setup_of(&system, options, form == LIE ? 1 : 2);
    setup.method = nt_method_find(methods[form]);
    setup.frame = frame;
    nt_integrator *it = begin(&setup, top_q0, top_v0);
    run_to(it, 0.1, h);
    nt_state s = nt_integrator_state(it);
    outcome o = {.statistics = *nt_integrator_statistics(it)};
    memcpy(o.x, s.q, sizeof o.x);
    memcpy(o.q, s.q + 3, sizeof o.q);
    memcpy(o.lambda, s.lambda, sizeof o.lambda);
    nt_integrator_destroy(it);
    return o;
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Values of an independent program, Newton to rounding, printed to 13 digits. A step is converged
 * to 1e-8 of its increments' size squared (Newton's last increment is quadratically smaller). */
static void heavy_top_values(void **state)
{
    (void)state;
    const double linear[3] = {.4211855611022, .8946083675191, -.1492601483445};
    const double residual[3] = {.4203898412655, .8946378496095, -.151312588395};
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        outcome a = run_top(LINEAR, "conformal", frame, 0.234375, 2e-3);
        outcome b = run_top(RESIDUAL, "conformal", frame, 0.234375, 2e-3);
        for (int i = 0; i < 3; i++) {
            CLOSE(a.x[i], linear[i], 1e-11);
            CLOSE(b.x[i], residual[i], 1e-11);
        }
        CLOSE(distance(a.x, x_exact), 1.509e-4, 1e-7);
        CLOSE(distance(b.x, x_exact), 2.332e-3, 1e-6);
        CLOSE(distance(run_top(LINEAR, "rotation-vector", frame, 0.234375, 2e-3).x, x_exact),
              2.534e-4, 1e-7);
    }
}

/* From h = 2.5e-4 to 1.25e-4, rounded as the reference figures are. */
static void heavy_top_orders(void **state)
{
    (void)state;
    static const struct {
        enum form form;
        double fine, x, lambda;
    } rows[] = {{LINEAR, 4.45e-7, 2.03, 2.06}, {RESIDUAL, 1.39e-4, 1.00, 1.01}};
    for (int i = 0; i < 2; i++) {
        outcome a = run_top(rows[i].form, "conformal", NT_BODY, 0.234375, 2.5e-4);
        outcome b = run_top(rows[i].form, "conformal", NT_BODY, 0.234375, 1.25e-4);
        double ea = distance(a.x, x_exact), eb = distance(b.x, x_exact);
        double la = distance(a.lambda, lambda_exact), lb = distance(b.lambda, lambda_exact);
        CLOSE(eb, rows[i].fine, 0.005 * rows[i].fine);
        CLOSE(log2(ea / eb), rows[i].x, 0.01);
        CLOSE(log2(la / lb), rows[i].lambda, 0.01);
    }
}

/* With the rotation vector the residual form keeps order 2 on this top; with J33 = 2 it falls there
 * to 0.53 and 0.81 from h = 5e-4 and 2.5e-4 (on its way to 1), while the linear form stays at 2.
 * The exact motion with J33 = 2 is that of the Lie form and of the linear form, each extrapolated
 * from two small steps: they agree to 6e-10. */
static void order_of_the_residual_form(void **state)
{
    (void)state;
    outcome a = run_top(RESIDUAL, "rotation-vector", NT_BODY, 0.234375, 2e-3);
    outcome b = run_top(RESIDUAL, "rotation-vector", NT_BODY, 0.234375, 1e-3);
    CLOSE(log2(distance(a.x, x_exact) / distance(b.x, x_exact)), 2, 0.1);
    double exact[2][3], order[2][2];
    for (int k = 0; k < 2; k++) {
        enum form form = k ? LINEAR : LIE;
        outcome h = run_top(form, "conformal", NT_INERTIAL, 2, 1e-4);
        outcome half = run_top(form, "conformal", NT_INERTIAL, 2, 5e-5);
        for (int i = 0; i < 3; i++)
            exact[k][i] = half.x[i] + (half.x[i] - h.x[i]) / 3;
    }
    CLOSE(distance(exact[0], exact[1]), 0, 2e-9);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            double h = i ? 2.5e-4 : 5e-4;
            enum form form = k ? LINEAR : RESIDUAL;
            a = run_top(form, "rotation-vector", NT_BODY, 2, h);
            b = run_top(form, "rotation-vector", NT_BODY, 2, h / 2);
            order[k][i] = log2(distance(a.x, exact[0]) / distance(b.x, exact[0]));
        }
    CLOSE(order[0][0], 0.53, 0.02);
    CLOSE(order[0][1], 0.81, 0.02);
    CLOSE(order[1][0], 2, 0.02);
    CLOSE(order[1][1], 2, 0.02);
}

/* phi of the inertial frame is R_n phi of the body frame, a constant rotation over the step: both
 * frames are one scheme, but for rounding and what Newton leaves. */
static void frames_are_one_scheme(void **state)
{
    (void)state;
    static const char *const charts[] = {"conformal", "rotation-vector"};
    for (int k = 0; k < 4; k++) {
        enum form form = k / 2 ? RESIDUAL : LINEAR;
        outcome a = run_top(form, charts[k % 2], NT_BODY, 2, 2e-3);
        outcome b = run_top(form, charts[k % 2], NT_INERTIAL, 2, 2e-3);
        for (int i = 0; i < 3; i++) {
            CLOSE(a.x[i], b.x[i], 1e-11);
            CLOSE(a.lambda[i], b.lambda[i], 1e-6);
        }
    }
}

/* ---- tangents ------------------------------------------------------------------------------- */

/* A step of the top under way: x, x', x'' away from the solution, so that no residual vanishes. */
static nt_integrator *under_way(const nt_system *system, enum form form, const char *kind,
                                nt_frame frame, nt_local *l)
{
    const nt_option options[] = {{"rho_inf", "0.7"}, {"parameterization", kind}};
    nt_integrator_setup setup = setup_of(system, options, 2);
    setup.method = nt_method_find(methods[form]);
    setup.frame = frame;
    nt_integrator *it = begin(&setup, top_q0, top_v0);
    run_to(it, 6e-3, 2e-3);
    nt_stepper *s = &it->stepper;
    double *force = nt_local_bind(l, s, 2e-3);
    nt_newton *w = &l->newton;
    for (int i = 0; i < 6; i++)
        w->acceleration[i] = s->now.vdot[i] + 3 * i;
    assert_int_equal(nt_newton_predict(s, w, form == LINEAR), NT_OK);
    for (int i = 0; i < 6; i++) {
        w->increment[i] += 0.02 * (i - 2);
        w->rate[i] += 5 - 2 * i;
    }
    if (form == RESIDUAL) {
        l->force = force;
        for (int i = 0; i < 6; i++)
            force[i] = s->now.method[6 + i] / (1 - w->c.alpha_f) + 400 * (3 - i);
    }
    return it;
}

/* e = T D for the top's only rotation */
static void apply_tangent(const nt_local *l, const double *D, double *e)
{
    nt_local_rotation r = nt_local_rotation_at(l->kind, l->frame, v3_load(l->newton.increment + 3),
                                               v3_load(l->newton.rate + 3));
    memcpy(e, D, 6 * sizeof *e);
    v3_store(e + 3, m3_apply(chart_matrix(r.T, r.phi), v3_load(D + 3)));
}

/* x += D d, x' += gamma' D d, x'' += beta' D d for unknown j, then the equations, scaled. */
static void moved(nt_stepper *s, const nt_local *l, int j, double d, double *out)
{
    const nt_newton *w = &l->newton;
    double *x = w->increment + j, *rate = w->rate + j, *acceleration = w->acceleration + j;
    double *lambda = s->next.lambda + (j - 6), kept[3] = {0};
    if (j < 6) {
        kept[0] = *x, kept[1] = *rate, kept[2] = *acceleration;
        *x += d, *rate += w->c.gamma_prime * d, *acceleration += w->c.beta_prime * d;
    } else {
        kept[0] = *lambda;
        *lambda += d / w->c.scale;
    }
    assert_int_equal(nt_local_equations(s, w, NULL), NT_OK);
    for (int i = 0; i < 9; i++)
        out[i] = w->residual[i] * (i < 6 ? w->c.scale : 1);
    if (j < 6)
        *x = kept[0], *rate = kept[1], *acceleration = kept[2];
    else
        *lambda = kept[0];
}

/* S T D_j against central differences of the step's residual. Steps of 1e-5: their square times a
 * third derivative below 1e3 is lost, and rounding of 1e4 N, scaled by 1e-6, over the step. */
static void exact_tangents(void **state)
{
    (void)state;
    const double step = 1e-5, tolerance = 1e-7;
    for (int k = 0; k < 8; k++) {
        top p = heavy_top();
        p.J = (m3){0.3, 0.02, -0.01, 0.02, 0.5, 0.03, -0.01, 0.03, 2};
        nt_block block;
        nt_system system = top_system(&p, &block);
        nt_local l;
        const char *kind = nt_local_charts[k & 1];
        nt_integrator *it =
            under_way(&system, k & 4 ? RESIDUAL : LINEAR, kind, (nt_frame)(k >> 1 & 1), &l);
        nt_stepper *s = &it->stepper;
        double S[81], plus[9], minus[9];
        assert_int_equal(nt_local_equations(s, &l.newton, &it->factors->matrix), NT_OK);
        nt_matrix_dense(&it->factors->matrix, S);
        for (int j = 0; j < 9; j++) {
            double D[9] = {0}, e[9];
            D[j] = 1;
            memcpy(e, D, sizeof e);
            apply_tangent(&l, D, e);
            moved(s, &l, j, step, plus);
            moved(s, &l, j, -step, minus);
            for (int i = 0; i < 9; i++) {
                double exact = 0;
                for (int m = 0; m < 9; m++)
                    exact += S[9 * i + m] * e[m];
                CLOSE((plus[i] - minus[i]) / (2 * step), exact, tolerance * fmax(1, fabs(exact)));
            }
        }
        nt_integrator_destroy(it);
    }
}

/* Newton's increments from there: each is smaller than a constant times the square of the one
 * before, down to rounding. */
static void quadratic_convergence(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        top p = heavy_top();
        p.J.zz = 2;
        nt_block block;
        nt_system system = top_system(&p, &block);
        nt_local l;
        nt_integrator *it = under_way(&system, k & 4 ? RESIDUAL : LINEAR, nt_local_charts[k & 1],
                                      (nt_frame)(k >> 1 & 1), &l);
        nt_stepper *s = &it->stepper;
        const nt_newton *w = &l.newton;
        double last = 1, size = 1;
        for (int i = 0; i < 7 && size > 1e-13; i++) {
            double z[9];
            assert_int_equal(nt_local_equations(s, w, &it->factors->matrix), NT_OK);
            for (int j = 0; j < 9; j++)
                z[j] = -w->residual[j] * (j < 6 ? w->c.scale : 1);
            assert_int_equal(nt_solver_factor(it->factors->solver, &it->factors->matrix), NT_OK);
            assert_int_equal(nt_solver_solve(it->factors->solver, z, 1), NT_OK);
            v3_store(z + 3, m3_apply(m3_load(w->T_inverse), v3_load(z + 3)));
            size = 0;
            for (int j = 0; j < 9; j++) {
                if (j < 6) {
                    w->increment[j] += z[j];
                    w->rate[j] += w->c.gamma_prime * z[j];
                    w->acceleration[j] += w->c.beta_prime * z[j];
                } else
                    s->next.lambda[j - 6] += z[j] / w->c.scale;
                size = fmax(size, fabs(z[j]));
            }
            if (i > 0 && size > 1e-13)
                assert_true(size < 10 * last * last);
            last = size;
        }
        assert_true(size <= 1e-13);
        nt_integrator_destroy(it);
    }
}

/* ---- vector spaces -------------------------------------------------------------------------- */

/* Two masses, springs that harden, a damper and a load: M constant, f nonlinear. */
typedef struct masses {
    nt_block block;
    nt_system system;
    double damping;
} masses;

static nt_status masses_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const masses *m = self;
    const nt_combination *c = terms->combination;
    const double mass[2] = {2, 1}, *q = at->q, *v = at->v;
    double stretch = q[1] - q[0], spring = stretch + stretch * stretch * stretch;
    double slope = 1 + 3 * stretch * stretch;
    if (terms->residual) {
        for (int i = 0; i < 2 && terms->parts & NT_MASS; i++)
            terms->residual[i] += mass[i] * at->vdot[i];
        if (terms->parts & NT_IMPLICIT) {
            terms->residual[0] += 3 * q[0] - spring + m->damping * v[0];
            terms->residual[1] += spring - cos(at->t);
        }
    }
    if (terms->matrix) {
        double *b = nt_matrix_block(terms->matrix, 0);
        if (terms->parts & NT_MASS)
            b[0] += c->mass * mass[0], b[3] += c->mass * mass[1];
        if (terms->parts & NT_IMPLICIT) {
            b[0] += c->stiffness * (3 + slope) + c->damping * m->damping;
            b[1] -= c->stiffness * slope, b[2] -= c->stiffness * slope;
            b[3] += c->stiffness * slope;
        }
    }
    return NT_OK;
}

static void masses_init(masses *m, double damping)
{
    *m = (masses){.block = {.kind = NT_RN, .nv = 2}, .damping = damping};
    m->system = (nt_system){
        .name = "masses", .capabilities = NT_HAS_TANGENT, .self = m, .evaluate = masses_evaluate};
    nt_space_init(&m->system.space, &m->block, 1);
}

/* q[2], v[2] at t = 2 */
static void run_masses(const nt_system *system, enum form form, const nt_option *options, int n,
                       double h, double out[4])
{
    const double q0[2] = {0.5, -0.2}, v0[2] = {0, 1};
    nt_integrator_setup setup = setup_of(system, options, n);
    setup.method = nt_method_find(methods[form]);
    nt_integrator *it = begin(&setup, q0, v0);
    run_to(it, 2, h);
    nt_state s = nt_integrator_state(it);
    memcpy(out, s.q, 2 * sizeof *out);
    memcpy(out + 2, s.v, 2 * sizeof *out);
    nt_integrator_destroy(it);
}

/* With a constant mass matrix the three forms are one; the residual form converges to the same
 * solution of its equations, each step to 1e-10. Second order for every member of the family. */
static void vector_spaces(void **state)
{
    (void)state;
    static const nt_option members[] = {{"rho_inf", "0.8"},
                                        {"rho_inf", "0"},
                                        {"hht", "-0.2"},
                                        {"newmark", "0.5"},
                                        {"rho_inf", "1"}};
    masses m;
    masses_init(&m, 0.3);
    double exact[4], half[4];
    const nt_option trapezoidal = {"newmark", "0.5"};
    run_masses(&m.system, LIE, &trapezoidal, 1, 1e-3, half);
    run_masses(&m.system, LIE, &trapezoidal, 1, 5e-4, exact);
    for (int i = 0; i < 4; i++)
        exact[i] += (exact[i] - half[i]) / 3;
    for (int k = 0; k < 5; k++) {
        double at[3][4], fine[4], coarse = 0, finer = 0;
        for (enum form form = LIE; form <= RESIDUAL; form++)
            run_masses(&m.system, form, &members[k], 1, 0.02, at[form]);
        run_masses(&m.system, RESIDUAL, &members[k], 1, 0.01, fine);
        for (int i = 0; i < 4; i++) {
            assert_true(at[LINEAR][i] == at[LIE][i]);
            CLOSE(at[RESIDUAL][i], at[LIE][i], 1e-9);
            coarse = fmax(coarse, fabs(at[LIE][i] - exact[i]));
            finer = fmax(finer, fabs(fine[i] - exact[i]));
        }
        CLOSE(log2(coarse / finer), 2, 0.1);
    }
}

/* ---- Newmark and Stormer -------------------------------------------------------------------- */

/* Stormer's method on forces of position and time is q1 = q + h v + h^2/2 a, v1 = v + h/2 (a + a1).
 */
static void stormer_is_leapfrog(void **state)
{
    (void)state;
    const nt_option options[] = {{"newmark", "0.5"}, {"beta", "0"}};
    masses m;
    masses_init(&m, 0);
    double q[2] = {0.5, -0.2}, v[2] = {0, 1}, a[2] = {0}, h = 0.02, out[4];
    for (int k = -1; k < 100; k++) {
        double old[2] = {a[0], a[1]};
        for (int i = 0; k >= 0 && i < 2; i++)
            q[i] += h * v[i] + h * h / 2 * a[i];
        double stretch = q[1] - q[0], spring = stretch + stretch * stretch * stretch;
        a[0] = (spring - 3 * q[0]) / 2;
        a[1] = cos((k + 1) * h) - spring;
        for (int i = 0; k >= 0 && i < 2; i++)
            v[i] += h / 2 * (old[i] + a[i]);
    }
    for (enum form form = LIE; form <= RESIDUAL; form++) {
        run_masses(&m.system, form, options, 2, h, out);
        for (int i = 0; i < 2; i++) {
            CLOSE(out[i], q[i], 1e-12);
            CLOSE(out[2 + i], v[i], 1e-12);
        }
    }
    masses_init(&m, 0.3); /* velocities in the force: implicit in them, still second order */
    double coarse[4], fine[4], finest[4], c = 0, f = 0;
    run_masses(&m.system, LIE, options, 2, 0.02, coarse);
    run_masses(&m.system, LIE, options, 2, 0.01, fine);
    run_masses(&m.system, LIE, options, 2, 2.5e-4, finest);
    for (int i = 0; i < 4; i++) {
        c = fmax(c, fabs(coarse[i] - finest[i]));
        f = fmax(f, fabs(fine[i] - finest[i]));
    }
    CLOSE(log2(c / f), 2, 0.05);
}

/* A free body with J = (1, 2, 3). */
static nt_status body_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const top *p = self;
    const nt_combination *c = terms->combination;
    v3 W = v3_load(at->v), JW = m3_apply(p->J, W);
    if (terms->residual) {
        if (terms->parts & NT_MASS)
            v3_accumulate(terms->residual, m3_apply(p->J, v3_load(at->vdot)));
        if (terms->parts & NT_GYROSCOPIC)
            v3_accumulate(terms->residual, v3_cross(W, JW));
    }
    if (terms->matrix) {
        double *block = nt_matrix_block(terms->matrix, 0);
        if (terms->parts & NT_MASS)
            m3_accumulate(block, m3_scale(c->mass, p->J));
        if (terms->parts & NT_GYROSCOPIC)
            m3_accumulate(block,
                          m3_scale(c->damping, m3_sub(m3_skew_multiply(W, p->J), m3_skew(JW))));
    }
    return NT_OK;
}

/* The angular velocity at t = 10, and its error against a solution to 16 digits. */
static void run_body(enum form form, nt_frame frame, const nt_option *options, int n, double h,
                     double *error, double v[3])
{
    static const double W[3] = {.4719139528061542, 1.013556718268332, .6171717153956234};
    const double q0[4] = {1, 0, 0, 0}, v0[3] = {1, .5, .8};
    top p = {.J = m3_diagonal(1, 2, 3)};
    nt_block block = {.kind = NT_SO3};
    nt_system system = {.name = "body",
                        .frame = NT_BODY,
                        .capabilities = NT_HAS_TANGENT,
                        .self = &p,
                        .evaluate = body_evaluate};
    nt_space_init(&system.space, &block, 1);
    nt_integrator_setup setup = setup_of(&system, options, n);
    setup.method = nt_method_find(methods[form]);
    setup.frame = frame;
    nt_integrator *it = begin(&setup, q0, v0);
    run_to(it, 10, h);
    nt_state s = nt_integrator_state(it);
    memcpy(v, s.v, 3 * sizeof *v);
    *error = distance(v, W);
    nt_integrator_destroy(it);
}

/* Stormer and the trapezoidal rule on a rotation: order 2 in all forms and frames. Where alpha_m =
 * alpha_f = 0 the residual form has no force from the step before and is the linear form. */
static void newmark_on_a_rotation(void **state)
{
    (void)state;
    const nt_option stormer[] = {{"newmark", "0.5"}, {"beta", "0"}};
    for (int k = 0; k < 4; k++)
        for (enum form form = LIE; form <= RESIDUAL; form++) {
            double coarse, fine, v[3], w[3];
            run_body(form, (nt_frame)(k & 1), stormer, 1 + k / 2, 0.02, &coarse, v);
            run_body(form, (nt_frame)(k & 1), stormer, 1 + k / 2, 0.01, &fine, v);
            CLOSE(log2(coarse / fine), 2, 0.05);
            if (form == RESIDUAL) {
                run_body(LINEAR, (nt_frame)(k & 1), stormer, 1 + k / 2, 0.01, &fine, w);
                CLOSE(distance(v, w), 0, 1e-11);
            }
        }
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        nt_option options[2];
        int n;
        nt_status status;
        const char *words;
    } cases[] = {
        {{{"newmark", "0.5"}, {"beta", "0"}}, 2, NT_UNSUPPORTED, "Stormer"},
        {{{"beta", "0.25"}}, 1, NT_INVALID, "newmark"},
        {{{"rho_inf", "0.5"}, {"beta", "0.25"}}, 2, NT_INVALID, "beta belongs to newmark"},
        {{{"rho_inf", "0.5"}, {"hht", "-0.1"}}, 2, NT_INVALID, "exclude each other"},
        {{{"newmark", "0.5"}, {"beta", "-1"}}, 2, NT_INVALID, "expected 0 to 1"},
    };
    top p = heavy_top();
    nt_block block;
    nt_system system = top_system(&p, &block);
    for (enum form form = LIE; form <= RESIDUAL; form++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            nt_integrator_setup setup = setup_of(&system, cases[i].options, cases[i].n);
            setup.method = nt_method_find(methods[form]);
            nt_integrator *it = NULL;
            nt_error error = {0};
            assert_int_equal(nt_integrator_create(&it, &setup, &error), cases[i].status);
            assert_null(it);
            if (!strstr(error.message, cases[i].words))
                fail_msg("message lacks '%s': %s", cases[i].words, error.message);
        }
    nt_option wrong = {"parameterization", "euler"};
    nt_error error = {0};
    assert_int_equal(nt_method_check_option(nt_method_find(methods[LINEAR]), &wrong, &error),
                     NT_INVALID);
    assert_non_null(strstr(error.message, "rotation-vector, conformal"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_values),
        cmocka_unit_test(heavy_top_orders),
        cmocka_unit_test(order_of_the_residual_form),
        cmocka_unit_test(frames_are_one_scheme),
        cmocka_unit_test(exact_tangents),
        cmocka_unit_test(quadratic_convergence),
        cmocka_unit_test(vector_spaces),
        cmocka_unit_test(stormer_is_leapfrog),
        cmocka_unit_test(newmark_on_a_rotation),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
