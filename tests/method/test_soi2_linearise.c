/* The derivative of a step of stabilised index 2 against differences of the step itself: every
 * part of a state that a step reads is moved along random directions, on equations with a varying
 * mass matrix and nonlinear multipliers, and on a rolling disk in both frames. */
#include "method/alpha/soi2.h"
#include "method/disk.h"
#include "method/integrator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "papers/jay-negrut/problem.h"
#include "runs.h"

enum { DIRECTIONS = 3, PARTS = 10 };
static const char *const part_names[PARTS] = {"q", "v",      "vdot", "multipliers", "memory",
                                              "a", "a_used", "Ma",   "Ma_used",     "f"};

/* Newton down to rounding: the derivative of the scheme, not of its tolerance. */
static const nt_option tight[] = {
    {"rho_inf", "0.6"},           {"tolerance_relative", "1e-13"}, {"tolerance_length", "1e-13"},
    {"tolerance_angle", "1e-13"}, {"tolerance_force", "1e-11"},    {"tolerance_moment", "1e-11"}};
enum { TIGHT = sizeof tight / sizeof tight[0] };

typedef struct bench {
    nt_integrator *it;
    nt_directions directions;
    double *base, *moved[2];             /* [size] states                          */
    double *before, *after, *difference; /* [DIRECTIONS][stride]                   */
    double *increment;                   /* [nv] */
} bench;

/* No parameters. */
static nt_status no_load(void *context, int i, const nt_point *at, const nt_terms *terms)
{
    (void)context, (void)i, (void)at, (void)terms;
    return NT_OK;
}

static void *take(size_t doubles)
{
    double *all = calloc(doubles, sizeof *all);
    assert_non_null(all);
    return all;
}

static bench bench_of(nt_integrator *it)
{
    const nt_problem *p = it->problem;
    bench b = {.it = it};
    size_t nv = (size_t)p->nv;
    size_t stride = (3 + NT_SOI2_VARYING) * nv + (size_t)(p->nc + p->system->n_memory);
    size_t scratch = nt_soi2_linear_scratch(p) + DIRECTIONS * nt_soi2_linear_scratch_each(p);
    b.directions = (nt_directions){
        .count = DIRECTIONS, .stride = stride, .scratch = take(scratch), .load = no_load};
    b.base = take(3 * it->size);
    b.moved[0] = b.base + it->size;
    b.moved[1] = b.moved[0] + it->size;
    b.before = take(3 * DIRECTIONS * stride + nv);
    b.after = b.before + DIRECTIONS * stride;
    b.difference = b.after + DIRECTIONS * stride;
    b.increment = b.difference + DIRECTIONS * stride;
    return b;
}

static void bench_free(bench *b)
{
    free(b->directions.scratch);
    free(b->base);
    free(b->before);
}

/* Random numbers from -1 to 1 times the size of what they move. */
static void choose_directions(bench *b)
{
    const nt_problem *p = b->it->problem;
    const nt_phase *now = &b->it->stepper.now;
    uint32_t seed = 7;
    for (int k = 0; k < DIRECTIONS; k++) {
        nt_variation d = nt_variation_at(p, &b->directions, b->before, k);
        for (size_t i = 0; i < b->directions.stride; i++) {
            seed = 1664525u * seed + 1013904223u;
            d.q[i] = (seed >> 8) / 8388608.0 - 1;
        }
        for (int i = 0; i < p->nv; i++)
            d.v[i] *= 1 + fabs(now->v[i]);
        for (int i = 0; i < NT_SOI2_VARYING * p->nv; i++)
            d.method[i] *= 1 + fabs(now->method[i]);
    }
}

/* The state `from` moved by offset times d, into `to`. */
static void move(bench *b, const double *base, const nt_variation *d, double offset, nt_phase *to)
{
    const nt_problem *p = b->it->problem;
    memcpy(to->all, base, b->it->size * sizeof(double));
    for (int i = 0; i < p->nv; i++) {
        b->increment[i] = offset * d->q[i];
        to->v[i] += offset * d->v[i];
        to->vdot[i] += offset * d->vdot[i];
    }
    for (int i = 0; i < NT_SOI2_VARYING * p->nv; i++)
        to->method[i] += offset * d->method[i];
    nt_space_compose(&p->space, p->frame, to->q, b->increment, to->q);
}

/* out += weight (state `next`), q relative to that of `origin` */
static void collect(bench *b, const double *origin, double weight, const nt_variation *out)
{
    const nt_problem *p = b->it->problem;
    const nt_phase *next = &b->it->stepper.next;
    const double *q = origin + (next->q - next->all);
    nt_space_difference(&p->space, p->frame, q, next->q, b->increment);
    for (int i = 0; i < p->nv; i++) {
        out->q[i] += weight * b->increment[i];
        out->v[i] += weight * next->v[i];
        out->vdot[i] += weight * next->vdot[i];
    }
    for (int i = 0; i < p->nc; i++)
        out->lambda[i] += weight * next->lambda[i];
    for (int i = 0; i < NT_SOI2_VARYING * p->nv; i++)
        out->method[i] += weight * next->method[i];
}

/* Largest difference in each part, relative to its largest entry. */
static void compare(const bench *b, int k, bool start, double tolerance)
{
    const nt_problem *p = b->it->problem;
    nt_variation a = nt_variation_at(p, &b->directions, b->after, k);
    nt_variation d = nt_variation_at(p, &b->directions, b->difference, k);
    const double *of_a[PARTS] = {a.q, a.v, a.vdot, a.lambda, a.memory};
    const double *of_d[PARTS] = {d.q, d.v, d.vdot, d.lambda, d.memory};
    int size[PARTS] = {p->nv, p->nv, p->nv, p->nc, 0};
    for (int i = 0; i < NT_SOI2_VARYING; i++) {
        of_a[5 + i] = a.method + i * p->nv;
        of_d[5 + i] = d.method + i * p->nv;
        size[5 + i] = p->nv;
    }
    for (int part = start ? 5 : 0; part < PARTS; part++) {
        double largest = 0, off = 0;
        for (int i = 0; i < size[part]; i++) {
            largest = fmax(largest, fabs(of_d[part][i]));
            off = fmax(off, fabs(of_a[part][i] - of_d[part][i]));
        }
        if (!(off <= tolerance * largest))
            fail_msg("direction %d, %s: off by %.3g of %.3g", k, part_names[part], off, largest);
    }
}

/* Sixth-order differences of the step; with h = 0 of `start`, whose state is in `next`. */
static void differences(bench *b, double h)
{
    static const double weight[3] = {.75, -.15, 1.0 / 60};
    nt_stepper *s = &b->it->stepper;
    /* off the constraints multipliers move by the displacement over h^2 */
    const double step = h > 0 ? 2e-6 : 2e-4;
    memset(b->difference, 0, DIRECTIONS * b->directions.stride * sizeof(double));
    memcpy(b->base, h > 0 ? s->now.all : s->next.all, b->it->size * sizeof(double));
    memcpy(b->moved[0], s->next.all, b->it->size * sizeof(double));
    for (int k = 0; k < DIRECTIONS; k++) {
        nt_variation d = nt_variation_at(s->problem, &b->directions, b->before, k);
        nt_variation out = nt_variation_at(s->problem, &b->directions, b->difference, k);
        for (int j = 1; j <= 3; j++)
            for (int sign = -1; sign <= 1; sign += 2) {
                move(b, b->base, &d, sign * j * step, h > 0 ? &s->now : &s->next);
                nt_status status = h > 0 ? b->it->method->step(s, h) : b->it->method->start(s);
                assert_int_equal(status, NT_OK);
                collect(b, b->moved[0], sign * weight[j - 1] / step, &out);
            }
    }
    memcpy(h > 0 ? s->now.all : s->next.all, b->base, b->it->size * sizeof(double));
}

/* A step of 0.01 after one of 0.006, so that (15) and (16) are in it. Multipliers and accelerations
 * carry a rounding of eps/h^2, about 1e-12, which the differences divide by 2e-6. */
static const double ROUNDED = 2e-7;

static void check(const nt_system *system, nt_frame frame, const double *q0, const double *v0)
{
    nt_integrator_setup setup = setup_of(system, tight, TIGHT);
    setup.method = nt_method_find("generalized-alpha-soi2");
    setup.frame = frame;
    nt_integrator *it = begin(&setup, q0, v0);
    bench b = bench_of(it);
    nt_stepper *s = &it->stepper;
    nt_error error = {0};
    choose_directions(&b);
    memcpy(b.after, b.before, DIRECTIONS * b.directions.stride * sizeof(double));
    memcpy(s->next.all, s->now.all, it->size * sizeof(double));
    assert_int_equal(it->method->linearise(s, 0, &b.directions, b.before, b.after), NT_OK);
    differences(&b, 0);
    for (int k = 0; k < DIRECTIONS; k++)
        compare(&b, k, true, 1e-9);

    for (int i = 0; i < 20; i++)
        assert_int_equal(nt_integrator_step(it, 0.006, &error), NT_OK);
    choose_directions(&b);
    const double h = 0.01;
    assert_int_equal(it->method->step(s, h), NT_OK);
    assert_int_equal(it->method->linearise(s, h, &b.directions, b.before, b.after), NT_OK);
    differences(&b, h);
    for (int k = 0; k < DIRECTIONS; k++)
        compare(&b, k, false, ROUNDED);
    bench_free(&b);
    nt_integrator_destroy(it);
}

static void general_equations(void **state)
{
    (void)state;
    jay_negrut s;
    jay_negrut_init(&s);
    double difference = 1;
    nt_error error = {0};
    const nt_point at = {.t = 0.3,
                         .q = (double[]){0.7, 0.2},
                         .v = (double[]){1.3, -0.4},
                         .vdot = (double[]){0.6, 2},
                         .lambda = (double[]){-3},
                         .mu = (double[]){1.7}};
    assert_int_equal(nt_system_check_tangent(&s.system, &at, 1e-6, &difference, &error), NT_OK);
    assert_true(difference < 1e-8);
    check(&s.system, NT_INERTIAL, jay_negrut_y0, jay_negrut_z0);
}

static void rolling_disk_in_both_frames(void **state)
{
    (void)state;
    disk d = {.m = 15, .r = 1, .A = 3.75, .C = 7.5, .gravity = 9.81};
    disk_init(&d);
    const double q0[7] = {0, 0, 1, 0, 0, sqrt(0.5), sqrt(0.5)};
    double v0[6];
    disk_roll(&d, q0, v3_of(0, 15, 5), v0);
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
        check(&d.system, frame, q0, v0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(general_equations),
        cmocka_unit_test(rolling_disk_in_both_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
