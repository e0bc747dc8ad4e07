/* The derivative of a step of the linear and the residual form: each entry of the state before the
 * step, and a parameter, against differences of whole steps. */
#include "method/integrator.h"
#include "method/top.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runs.h"

static const char *const methods[] = {"generalized-alpha-linear", "generalized-alpha-residual"};

/* A top without symmetry, or a free one without its constraint. */
typedef struct body {
    top top;
    nt_block block;
    nt_system system;
} body;

static nt_status free_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const top *p = self;
    const nt_combination *c = terms->combination;
    v3 W = v3_load(at->v), JW = m3_apply(p->J, W);
    if (terms->residual) {
        if (terms->parts & NT_MASS)
            v3_accumulate(terms->residual, m3_apply(p->J, v3_load(at->vdot)));
        if (terms->parts & NT_GYROSCOPIC)
            v3_accumulate(terms->residual, v3_cross(W, JW));
        if (terms->parts & NT_IMPLICIT) /* a damper and a pull on the axis e3 */
            v3_accumulate(terms->residual, v3_add(v3_scale(0.3, W), v3_of(-at->q[1], 2, at->q[3])));
    }
    if (!terms->matrix)
        return NT_OK;
    double *block = nt_matrix_block(terms->matrix, 0);
    if (terms->parts & NT_MASS)
        m3_accumulate(block, m3_scale(c->mass, p->J));
    if (terms->parts & NT_GYROSCOPIC)
        m3_accumulate(block, m3_scale(c->damping, m3_sub(m3_skew_multiply(W, p->J), m3_skew(JW))));
    if (terms->parts & NT_IMPLICIT) {
        const double *q = at->q; /* d(q1), d(q3) of q' = q o (0, dTheta)/2 */
        double k = c->stiffness / 2;
        m3_accumulate(block, m3_scale(0.3 * c->damping, m3_identity()));
        m3_accumulate(block,
                      (m3){-k * q[0], k * q[3], -k * q[2], 0, 0, 0, -k * q[2], k * q[1], k * q[0]});
    }
    return NT_OK;
}

static void body_init(body *b, bool constrained)
{
    b->top = heavy_top();
    if (constrained) {
        b->system = top_system(&b->top, &b->block);
        return;
    }
    b->block = (nt_block){.kind = NT_SO3};
    b->system = (nt_system){.name = "body",
                            .frame = NT_BODY,
                            .capabilities = NT_HAS_TANGENT,
                            .self = &b->top,
                            .evaluate = free_evaluate};
    nt_space_init(&b->system.space, &b->block, 1);
}

/* ---- directions ----------------------------------------------------------------------------- */

/* The last direction is the mass of the top, or the factor of the free body's inertia. */
typedef struct world {
    body body;
    nt_integrator *integrator;
    size_t q, v, vdot, lambda, method, size; /* where they begin in a variation */
    int count;
} world;

static nt_status load(void *context, int i, const nt_point *at, const nt_terms *terms)
{
    world *w = context;
    if (i != w->count - 1)
        return NT_OK;
    if (w->body.system.nh > 0) { /* translations are the same in both frames */
        v3 a = {0, 0, 0};
        if (terms->parts & NT_MASS)
            a = v3_load(at->vdot);
        if (terms->parts & NT_IMPLICIT)
            a = v3_sub(a, w->body.top.gravity);
        v3_accumulate(terms->residual, a);
        return NT_OK;
    }
    double residual[3] = {0};
    nt_terms inertia = {.parts = terms->parts & NT_INERTIA, .residual = residual};
    nt_status status = nt_problem_evaluate(w->integrator->problem, at, &inertia);
    for (int k = 0; k < 3; k++)
        terms->residual[k] += residual[k];
    return status;
}

static void vary_parameter(world *w, double d)
{
    w->body.top.m += d;
    if (w->body.system.nh == 0)
        w->body.top.J = m3_scale(1 + d, w->body.top.J);
}

static const nt_option tight[] = {
    {"rho_inf", "0.7"},           {"tolerance_relative", "1e-14"}, {"tolerance_length", "1e-14"},
    {"tolerance_angle", "1e-14"}, {"tolerance_force", "1e-9"},     {"tolerance_moment", "1e-9"},
};
enum { TIGHT = sizeof tight / sizeof *tight };

/* Some steps under way, at the end of a step that is not accepted. */
static void world_init(world *w, bool constrained, int method, nt_frame frame, const char *kind,
                       bool stormer, double h, const m3 *J)
{
    body_init(&w->body, constrained);
    w->body.top.J = *J;
    nt_option options[TIGHT + 2];
    memcpy(options, tight, sizeof tight);
    options[TIGHT] = (nt_option){"parameterization", kind};
    options[TIGHT + 1] = (nt_option){"beta", "0"};
    if (stormer)
        options[0] = (nt_option){"newmark", "0.5"};
    nt_integrator_setup setup = setup_of(&w->body.system, options, TIGHT + 1 + stormer);
    setup.method = nt_method_find(methods[method]);
    setup.frame = frame;
    const double q0[4] = {0.6, 0, 0.8, 0}, v0[3] = {30, 100, -40};
    w->integrator = begin(&setup, constrained ? top_q0 : q0, constrained ? top_v0 : v0);
    run_to(w->integrator, 3 * h, h);
    const nt_problem *p = w->integrator->problem;
    size_t nv = (size_t)p->nv;
    w->v = nv, w->vdot = 2 * nv, w->lambda = 3 * nv, w->method = w->lambda + (size_t)p->nc;
    w->size = w->method + (method ? 2 : 1) * nv;
    w->count = (int)(w->size - (size_t)p->nc) + 1;
}

/* The entry of a variation that is direction k; multipliers before the step play no part. */
static size_t entry(const world *w, int k)
{
    size_t i = (size_t)k;
    return i < w->lambda ? i : i + (w->method - w->lambda);
}

/* A whole step from the state with direction k moved by d: its end relative to `base`, as a
 * variation. */
static void moved(world *w, int k, double d, double h, const nt_phase *base, double *out)
{
    nt_integrator *it = w->integrator;
    nt_stepper *s = &it->stepper;
    nt_problem *p = it->problem;
    size_t bytes = it->size * sizeof(double), i = entry(w, k);
    double *kept = malloc(bytes), increment[6] = {0};
    body whole = w->body;
    assert_non_null(kept);
    memcpy(kept, s->now.all, bytes);
    if (k == w->count - 1)
        vary_parameter(w, d);
    else if (i < w->v) {
        increment[i] = d;
        nt_space_compose(&p->space, p->frame, s->now.q, increment, s->now.q);
    } else if (i < w->vdot)
        s->now.v[i - w->v] += d;
    else if (i < w->lambda)
        s->now.vdot[i - w->vdot] += d;
    else
        s->now.method[i - w->method] += d;
    assert_int_equal(it->method->step(s, h), NT_OK);
    nt_space_difference(&p->space, p->frame, base->q, s->next.q, out);
    for (size_t j = w->v; j < w->size; j++) {
        const double *x = j < w->vdot     ? s->next.v + (j - w->v)
                          : j < w->lambda ? s->next.vdot + (j - w->vdot)
                          : j < w->method ? s->next.lambda + (j - w->lambda)
                                          : s->next.method + (j - w->method);
        out[j] = *x;
    }
    memcpy(s->now.all, kept, bytes);
    w->body = whole;
    free(kept);
}

/* Sixth-order differences: weights for +-1, +-2, +-3 steps. */
static void difference(world *w, int k, double step, double h, const nt_phase *base, double *out)
{
    static const double weight[3] = {.75, -.15, 1.0 / 60};
    double end[64];
    memset(out, 0, w->size * sizeof *out);
    for (int j = 1; j <= 3; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            moved(w, k, sign * j * step, h, base, end);
            for (size_t i = 0; i < w->size; i++)
                out[i] += sign * weight[j - 1] / step * end[i];
        }
}

/* Rounding of the values themselves, in a part of the state; of a position of size 1 m in forces
 * and accelerations, m/(beta h^2) for masses up to 15 kg and beta > 1/4. */
static double noise(const double *values, size_t n, bool position, double h)
{
    double size = position ? 1 : 0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(values[i]));
    return 2.2e-16 * (position ? fmax(size, 60 / (h * h)) : size);
}

/* Each part of a variation is judged by its largest entry: 1e-9, and what ten roundings of the
 * values of that part leave in a difference. Truncation is less: steps of 2 mrad and the like
 * change a direction's effect by about as much, to the sixth power. */
static void check(world *w, double h, double reach, const char *what)
{
    nt_integrator *it = w->integrator;
    nt_stepper *s = &it->stepper;
    nt_layout layout = {0};
    nt_error error = {0};
    assert_int_equal(it->method->layout(it->problem, s->options, &layout, &error), NT_OK);
    size_t count = (size_t)w->count, n = w->size;
    double *before = calloc(count * n, sizeof(double)), *after = calloc(count * n, sizeof(double));
    double *scratch = calloc(layout.linear + count * layout.linear_each, sizeof(double));
    double *base = calloc(it->size, sizeof(double));
    assert_true(before && after && scratch && base);
    for (int k = 0; k < w->count - 1; k++)
        before[(size_t)k * n + entry(w, k)] = 1;
    nt_directions directions = {
        .count = w->count, .stride = n, .scratch = scratch, .load = load, .context = w};
    assert_int_equal(it->method->step(s, h), NT_OK);
    assert_int_equal(it->method->linearise(s, h, &directions, before, after), NT_OK);
    memcpy(base, s->next.all, it->size * sizeof(double));
    nt_phase end = {.all = base, .q = base + (s->next.q - s->next.all)};
    static const double unit[6] = {1, 1, 1, 1, 1, 1};
    size_t parts[] = {w->q, w->v, w->vdot, w->lambda, w->method, n};
    for (int k = 0; k < w->count; k++) {
        size_t i = entry(w, k);
        double step = k == w->count - 1 ? 5 * reach
                      : i < w->v        ? reach
                      : i < w->vdot     ? reach / h
                                        : reach / h / h;
        if (k < w->count - 1 && i >= w->method + w->v)
            step = reach / h / h; /* forces of masses near 1 */
        double by_difference[64];
        difference(w, k, step, h, &end, by_difference);
        for (int part = 0; part < 5; part++) {
            double size = 0, off = 0;
            for (size_t j = parts[part]; j < parts[part + 1]; j++) {
                size = fmax(size, fabs(after[(size_t)k * n + j]));
                off = fmax(off, fabs(after[(size_t)k * n + j] - by_difference[j]));
            }
            const double *values[] = {unit, s->next.v, s->next.vdot, s->next.lambda,
                                      s->next.method};
            double rounding = noise(values[part], parts[part + 1] - parts[part], part >= 2, h);
            if (!(off <= 1e-9 * size + 10 * rounding / step))
                fail_msg("%s: direction %d, part %d: off by %.3g of %.3g", what, k, part, off,
                         size);
        }
    }
    free(before), free(after), free(scratch), free(base);
}

static void steps_from_varied_states(void **state)
{
    (void)state;
    static const char *const charts[] = {"conformal", "rotation-vector"};
    const m3 J = {0.3, 0.02, -0.01, 0.02, 0.5, 0.03, -0.01, 0.03, 2};
    for (int method = 0; method < 2; method++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
            for (int kind = 0; kind < 2; kind++)
                for (int which = 0; which < 3; which++) {
                    world w = {0};
                    char what[100];
                    snprintf(what, sizeof what, "%s, %s, frame %d, %s", methods[method],
                             charts[kind], (int)frame,
                             which == 0   ? "top"
                             : which == 1 ? "free"
                                          : "free, beta = 0");
                    world_init(&w, which == 0, method, frame, charts[kind], which == 2, 2e-3, &J);
                    check(&w, 2e-3, 2e-3, what);
                    nt_integrator_destroy(w.integrator);
                }
}

/* Steps of 0.04 s at 110 rad/s, more than half a turn, with the rotation vector: the parameters of
 * the step are found from its ends the longer way round. The body is nearly a sphere, so that
 * Newton's iteration converges. */
static void more_than_half_a_turn(void **state)
{
    (void)state;
    const double h = 0.04;
    const m3 J = {1, 2e-3, -1e-3, 2e-3, 1.003, 1e-3, -1e-3, 1e-3, 0.996};
    for (int method = 0; method < 2; method++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
            world w = {0};
            world_init(&w, false, method, frame, "rotation-vector", false, h, &J);
            check(&w, h, 2e-4, "more than half a turn");
            const nt_stepper *s = &w.integrator->stepper;
            assert_int_equal(w.integrator->method->step(&w.integrator->stepper, h), NT_OK);
            assert_true(v3_norm(v3_load(s->scratch)) > 3.5); /* its increment comes first */
            nt_integrator_destroy(w.integrator);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_from_varied_states),
        cmocka_unit_test(more_than_half_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
