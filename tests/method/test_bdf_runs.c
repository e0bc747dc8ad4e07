/* `bdf`: what holds at the end of a step, beginning anew, failures, refusals, the command. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bdf_systems.h"
#include "papers/jay-negrut/problem.h"
#include "tests/read_run.h"

/* ---- what holds at the end of a step -------------------------------------------------------- */

/* Nonlinear multipliers, a mass matrix that is neither constant nor symmetric: errors of positions,
 * velocities and multipliers. */
static void nonlinear_multipliers(void **state)
{
    (void)state;
    double off[2];
    for (int i = 0; i < 2; i++) {
        double tolerance = i == 0 ? 1e-5 : 1e-9;
        jay_negrut s;
        jay_negrut_init(&s);
        nt_integrator *it =
            start_bdf(&s.system, NT_INERTIAL, tolerance, jay_negrut_y0, jay_negrut_z0);
        run_to(it, 1, 0.25);
        nt_state e = nt_integrator_state(it);
        const double now[6] = {e.q[0], e.q[1], e.v[0], e.v[1], e.lambda[0], e.mu[0]};
        const double exact[6] = {exp(1), exp(-2), exp(1), -2 * exp(-2), exp(-1), exp(1)};
        off[i] = off_by(now, exact, 6);
        assert_true(off[i] < 300 * tolerance); /* after 100 to 250 steps */
        nt_integrator_destroy(it);
    }
    assert_true(off[1] < 1e-2 * off[0]);
}

/* Accelerations and multipliers are those of the state; constraints hold, rows that were left out
 * among them, even where the tolerance is loose; redundant rows are left out. */
static void the_end_is_consistent(void **state)
{
    (void)state;
    nt_run *run = model_of(loop_text);
    const nt_system *system = nt_run_system(run);
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        nt_integrator *it = start_bdf(system, frame, 1e-3, NULL, NULL);
        assert_int_equal(nt_integrator_redundant(it, NULL, 0), 3);
        run_to(it, 1, 0.1);
        double position, velocity, R[64] = {0}, rows[64];
        assert_int_equal(nt_integrator_drift(it, &position, &velocity), NT_OK);
        assert_true(position < 1e-13 && velocity < 1e-12);
        assert_true(nt_integrator_statistics(it)->position_drift < 1e-13);
        nt_state s = nt_integrator_state(it);
        nt_point at = {.t = s.t,
                       .q = s.q,
                       .v = s.v,
                       .vdot = s.vdot,
                       .lambda = s.lambda,
                       .mu = s.mu,
                       .memory = s.memory};
        nt_terms terms = {
            .parts = NT_ALL_PARTS, .level = NT_ACCELERATION, .residual = R, .rows = rows};
        assert_true(system->space.nv <= 64 && system->nh <= 64);
        assert_int_equal(system->evaluate(system->self, &at, &terms), NT_OK);
        /* rounding of forces of 30 N and accelerations of 50 m/s^2 */
        for (int i = 0; i < system->space.nv; i++)
            assert_true(fabs(R[i]) < 1e-11);
        for (int i = 0; i < system->nh; i++)
            assert_true(fabs(rows[i]) < 1e-11);
        nt_integrator_destroy(it);
    }
    destroy_run(run);
}

typedef struct count {
    long steps;
    double sum, smallest, largest, last; /* s */
    double before;                       /* s, the smallest of all steps but the last */
} count;

static int count_steps(void *context, const nt_integrator *it)
{
    count *c = context;
    nt_state s = nt_integrator_state(it);
    double h = s.t - c->last;
    assert_true(h > 0 && fabs(h - s.step) <= 1e-15);
    c->before = c->smallest;
    c->smallest = c->steps++ == 0 ? h : fmin(c->smallest, h);
    c->largest = fmax(c->largest, h);
    c->sum += h;
    c->last = s.t;
    return 0;
}

/* Steps are those of SUNDIALS, and the statistics are true. Ends on the way are met exactly; they
 * cost the steps that are cut short, not the history: at order one anew after each, it would be
 * hundreds of iterations an end. */
static void ends_are_met(void **state)
{
    (void)state;
    nt_run *run = model_of(springs_text);
    double q[2][14];
    long iterations[2];
    for (int i = 0; i < 2; i++) {
        nt_integrator *it = start_bdf(nt_run_system(run), NT_INERTIAL, 1e-8, NULL, NULL);
        nt_error error = {0};
        count c = {0};
        int ends = i == 0 ? 1 : 20;
        assert_true(nt_integrator_is_variable(it));
        for (int k = 1; k <= ends; k++) {
            double end = (double)k / ends;
            if (nt_integrator_run(it, end, 0.1, count_steps, &c, &error) != NT_OK)
                fail_msg("%s", error.message);
            assert_true(nt_integrator_state(it).t == end);
        }
        const nt_statistics *s = nt_integrator_statistics(it);
        assert_int_equal(s->steps, c.steps);
        assert_true(c.steps > 100 && fabs(c.sum - 1) < 1e-12);
        assert_true(fabs(s->smallest_step - c.smallest) < 1e-15);
        assert_true(fabs(s->largest_step - c.largest) < 1e-15 && c.largest > 2 * c.smallest);
        memcpy(q[i], nt_integrator_state(it).q, sizeof q[i]);
        iterations[i] = s->iterations;
        nt_integrator_destroy(it);
    }
    assert_true(off_by(q[0], q[1], 14) < 1e-5); /* 1000 tolerances: the error of the run */
    assert_true((double)iterations[1] < 1.5 * (double)iterations[0]);
    destroy_run(run);
}

/* maximum_step holds from the first step on, the step given for the first one; minimum_step for all
 * but those that lead to an end. */
static void bounds_of_steps(void **state)
{
    (void)state;
    plane s;
    plane_init(&s, false);
    const double q[2] = {1, 1}, v[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        nt_integrator_setup setup = {.system = &s.system,
                                     .method = nt_method_find("bdf"),
                                     .tolerance = {1e-2, 1e-2, 1e-2, 1e-2}};
        (i == 0 ? &setup.maximum_step : &setup.minimum_step)[0] = i == 2 ? 0 : 2e-3;
        nt_integrator *it = begin(&setup, q, v);
        nt_error error = {0};
        count c = {0};
        if (i == 2)
            assert_int_equal(nt_integrator_run(it, 1e-9, 1e-9, count_steps, &c, &error), NT_OK);
        else
            assert_int_equal(nt_integrator_run(it, 1.0007, 1, count_steps, &c, &error), NT_OK);
        if (i == 0)
            assert_true(c.largest <= 2e-3 * (1 + 1e-12) && c.steps >= 501);
        else if (i == 1)
            assert_true(c.before >= 2e-3 * (1 - 1e-12));
        else
            assert_true(c.largest <= 1e-9 * (1 + 1e-6));
        nt_integrator_destroy(it);
    }
}

/* ---- between steps -------------------------------------------------------------------------- */

/* An exact companion, and how far off the other is at three places within every step and at its
 * end: positions, velocities, forces relative to their largest. */
typedef struct companion {
    nt_integrator *it, *exact;
    double within[3], end[3], drift;
} companion;

static void compare(const nt_state *s, companion *c, double *worst)
{
    const nt_system *system = nt_integrator_system(c->exact);
    run_to(c->exact, s->t, 1e-3);
    nt_state e = nt_integrator_state(c->exact);
    double force = 0;
    for (int i = 0; i < system->nh; i++)
        force = fmax(force, fabs(e.lambda[i]));
    worst[0] = fmax(worst[0], off_by(s->q, e.q, system->space.nq));
    worst[1] = fmax(worst[1], off_by(s->v, e.v, system->space.nv));
    if (system->nh > 0)
        worst[2] = fmax(worst[2], off_by(s->lambda, e.lambda, system->nh) / force);
}

static int look_within(void *context, const nt_integrator *unused)
{
    (void)unused;
    companion *c = context;
    nt_integrator *it = c->it;
    const nt_system *system = nt_integrator_system(it);
    nt_state end = nt_integrator_state(it), s;
    double t = end.t, h = end.step, rows[64];
    for (int k = 1; k < 4; k++) {
        assert_int_equal(nt_integrator_dense(it, t - h * (1 - k / 4.0), &s), NT_OK);
        compare(&s, c, c->within);
        nt_point at = {.t = s.t, .q = s.q, .v = s.v, .vdot = s.vdot, .lambda = s.lambda};
        nt_terms terms = {.level = NT_POSITION, .rows = rows};
        assert_int_equal(system->evaluate(system->self, &at, &terms), NT_OK);
        for (int i = 0; i < system->nh; i++)
            c->drift = fmax(c->drift, fabs(rows[i]));
    }
    end = nt_integrator_state(it);
    compare(&end, c, c->end);
    return 0;
}

/* States within steps are as good as those at their ends: to twice the largest error there, and a
 * tolerance. A cubic through the same ends is seen to be off by up to a hundred times more. */
static void within(const nt_system *system, double tolerance, double end)
{
    companion c = {0};
    nt_error error = {0};
    nt_integrator *it = start_bdf(system, NT_INERTIAL, tolerance, NULL, NULL);
    nt_integrator_setup setup = {.system = system,
                                 .method = nt_method_find("rkmk-dop853"),
                                 .tolerance = {1e-12, 1e-12, 1e-12, 1e-12}};
    c.it = it;
    c.exact = begin(&setup, NULL, NULL);
    if (nt_integrator_run(it, end, 1, look_within, &c, &error) != NT_OK)
        fail_msg("%s", error.message);
    assert_true(nt_integrator_statistics(it)->largest_step < end / 5);
    for (int i = 0; i < 3; i++)
        assert_true(c.within[i] < 2 * c.end[i] + tolerance);
    assert_true(c.drift < 1e-13);
    nt_integrator_destroy(it);
    nt_integrator_destroy(c.exact);
}

static void between_steps(void **state)
{
    (void)state;
    nt_run *loop = model_of(loop_text), *springs = model_of(springs_text);
    for (int i = 0; i < 3; i++) {
        within(nt_run_system(loop), pow(10, -4 - 2 * i), 0.5);
        within(nt_run_system(springs), pow(10, -4 - 2 * i), 0.5);
    }
    destroy_run(loop);
    destroy_run(springs);
}

/* ---- turns, tolerances ---------------------------------------------------------------------- */

/* Turns are counted at the ends of steps, which turn no body by more than a radian however loose
 * the tolerance; more ends on the way do not lose count: it is the same motion of some ten turns.
 */
static void turns_are_counted(void **state)
{
    (void)state;
    nt_run *run = model_of(crank_text);
    assert_true(nt_run_system(run)->n_memory > 0);
    double q[2][14];
    for (int i = 0; i < 2; i++) {
        nt_integrator *it = start_bdf(nt_run_system(run), NT_INERTIAL, 1e-9, NULL, NULL);
        for (int k = 1; k <= (i == 0 ? 1 : 100); k++)
            run_to(it, i == 0 ? 2 : 0.02 * k, 1);
        memcpy(q[i], nt_integrator_state(it).q, sizeof q[i]);
        nt_integrator_destroy(it);
    }
    assert_true(off_by(q[0], q[1], 14) < 1e-5); /* the errors of either; a turn lost is 3 N m */
    destroy_run(run);
}

/* Each tolerance counts for its own kind; kinds that are not looked at still converge. */
static void tolerances_by_kind(void **state)
{
    (void)state;
    nt_run *run = model_of(springs_text);
    long iterations[2];
    for (int i = 0; i < 2; i++) {
        nt_integrator_setup setup = {.system = nt_run_system(run),
                                     .method = nt_method_find("bdf"),
                                     .tolerance = {1e-4, i == 0 ? 1e-4 : 1e-9, 0, 0}};
        nt_integrator *it = begin(&setup, NULL, NULL);
        run_to(it, 1, 0.5);
        iterations[i] = nt_integrator_statistics(it)->iterations;
        nt_integrator_destroy(it);
    }
    assert_true(iterations[1] > 2 * iterations[0]);
    destroy_run(run);
}

/* ---- beginning anew ------------------------------------------------------------------------- */

/* A save changes nothing: going on after it gives the bits of a run that was never saved. A
 * restored state begins the formulas anew, which moves the motion by its error; wherever it is
 * restored, the same bits follow. */
static void restored(const nt_system *system, double h, double allowed)
{
    nt_error error = {0};
    double q[64], v[64];
    nt_integrator *plain = start_bdf(system, NT_INERTIAL, 1e-9, NULL, NULL);
    nt_integrator *it = start_bdf(system, NT_INERTIAL, 1e-9, NULL, NULL), *other = NULL;
    run_to(plain, 10 * h, h); /* the last step before a stop is trimmed to it */
    run_to(plain, 20 * h, h);
    run_to(it, 10 * h, h);
    size_t size = nt_integrator_saved_size(it);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    nt_integrator_save(it, bytes);
    run_to(it, 20 * h, h);
    nt_integrator_setup setup = {
        .system = system, .method = nt_method_find("bdf"), .tolerance = {1e-9, 1e-9, 1e-9, 1e-9}};
    assert_int_equal(nt_integrator_create(&other, &setup, &error), NT_OK); /* never started */
    assert_int_equal(nt_integrator_restore(other, bytes, size, &error), NT_OK);
    run_to(other, 20 * h, h);
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    assert_true(nq <= 64);
    assert_memory_equal(nt_integrator_state(it).q, nt_integrator_state(plain).q,
                        nq * sizeof(double));
    assert_memory_equal(nt_integrator_state(it).v, nt_integrator_state(plain).v,
                        nv * sizeof(double));
    memcpy(q, nt_integrator_state(other).q, nq * sizeof(double));
    memcpy(v, nt_integrator_state(other).v, nv * sizeof(double));
    assert_true(off_by(q, nt_integrator_state(plain).q, (int)nq) < allowed);
    /* back again, in the one that went on: the same as in the other */
    assert_int_equal(nt_integrator_restore(it, bytes, size, &error), NT_OK);
    run_to(it, 20 * h, h);
    assert_memory_equal(q, nt_integrator_state(it).q, nq * sizeof(double));
    assert_memory_equal(v, nt_integrator_state(it).v, nv * sizeof(double));
    nt_integrator_destroy(plain);
    nt_integrator_destroy(it);
    nt_integrator_destroy(other);
    free(bytes);
}

static void save_and_restore(void **state)
{
    (void)state;
    nt_run *loop = model_of(loop_text), *springs = model_of(springs_text);
    restored(nt_run_system(loop), 0.02, 1e-6);
    restored(nt_run_system(springs), 0.02, 1e-6);
    destroy_run(loop);
    destroy_run(springs);
}

/* The last whole state before the end, and how many there were. */
typedef struct keeper {
    char *bytes;
    int whole;
    long steps;
} keeper;

static int keep_whole(void *context, const nt_integrator *it)
{
    keeper *k = context;
    k->steps = nt_integrator_statistics(it)->steps;
    if (nt_integrator_saves_whole(it)) {
        nt_integrator_save(it, k->bytes);
        k->whole++;
    }
    return 0;
}

/* States after every thousand steps are whole: the run that goes on from the last of them ends with
 * the bits of the one that was not stopped, and has taken the same steps. */
static void goes_on_from_whole_states(const nt_system *system, double end)
{
    nt_error error = {0};
    nt_integrator *it = start_bdf(system, NT_INERTIAL, 1e-11, NULL, NULL), *other = NULL;
    keeper k = {.bytes = malloc(nt_integrator_saved_size(it))};
    assert_non_null(k.bytes);
    assert_true(nt_integrator_saves_whole(it));
    assert_int_equal(nt_integrator_run(it, end, 1e-3, keep_whole, &k, &error), NT_OK);
    assert_true(k.steps > 2000 && k.steps % 1000 > 10);
    assert_int_equal(k.whole, k.steps / 1000);
    assert_false(nt_integrator_saves_whole(it));
    nt_integrator_setup setup = {.system = system,
                                 .method = nt_method_find("bdf"),
                                 .tolerance = {1e-11, 1e-11, 1e-11, 1e-11}};
    assert_int_equal(nt_integrator_create(&other, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_restore(other, k.bytes, nt_integrator_saved_size(it), &error),
                     NT_OK);
    assert_true(nt_integrator_saves_whole(other));
    assert_int_equal(nt_integrator_run(other, end, 1e-3, NULL, NULL, &error), NT_OK);
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    nt_state a = nt_integrator_state(it), b = nt_integrator_state(other);
    assert_memory_equal(a.q, b.q, nq * sizeof(double));
    assert_memory_equal(a.v, b.v, nv * sizeof(double));
    assert_memory_equal(a.vdot, b.vdot, nv * sizeof(double));
    assert_memory_equal(nt_integrator_statistics(it), nt_integrator_statistics(other),
                        sizeof(nt_statistics));
    nt_integrator_destroy(it);
    nt_integrator_destroy(other);
    free(k.bytes);
}

static void whole_states(void **state)
{
    (void)state;
    nt_run *loop = model_of(loop_text), *springs = model_of(springs_text);
    goes_on_from_whole_states(nt_run_system(loop), 2);
    goes_on_from_whole_states(nt_run_system(springs), 2);
    destroy_run(loop);
    destroy_run(springs);
    assert_true(nt_method_keeps_history(nt_method_find("bdf")));
    for (int i = 0; i < nt_method_count(); i++)
        if (strcmp(nt_method_name(nt_method_at(i)), "bdf") != 0)
            assert_false(nt_method_keeps_history(nt_method_at(i)));
}

/* After a refresh the run is that of a new integrator begun there. */
static void refreshed(void **state)
{
    (void)state;
    plane s;
    plane_init(&s, true);
    double q[2] = {1.01, 0}, v[2] = {0, 0};
    nt_error error = {0};
    nt_integrator *it = start_bdf(&s.system, NT_INERTIAL, 1e-7, q, v), *anew = NULL;
    run_to(it, 0.5, 0.25);
    s.load = 3;
    assert_int_equal(nt_integrator_refresh(it, &error), NT_OK);
    memcpy(q, nt_integrator_state(it).q, sizeof q);
    memcpy(v, nt_integrator_state(it).v, sizeof v);
    nt_integrator_setup setup = {.system = &s.system,
                                 .method = nt_method_find("bdf"),
                                 .tolerance = {1e-7, 1e-7, 1e-7, 1e-7}};
    assert_int_equal(nt_integrator_create(&anew, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(anew, 0.5, q, v, NULL, &error), NT_OK);
    run_to(it, 1, 0.25);
    run_to(anew, 1, 0.25);
    assert_memory_equal(nt_integrator_state(it).q, nt_integrator_state(anew).q, sizeof q);
    assert_memory_equal(nt_integrator_state(it).v, nt_integrator_state(anew).v, sizeof v);
    nt_integrator_destroy(it);
    nt_integrator_destroy(anew);
}

/* ---- failures ------------------------------------------------------------------------------- */

/* A system that has no value beyond the end of the run is followed to that end all the same. */
static void the_end_is_not_passed(void **state)
{
    (void)state;
    plane s;
    plane_init(&s, false);
    s.ends = 10;
    const double q[2] = {1, 1.1}, v[2] = {0, 0};
    nt_integrator *it = start_bdf(&s.system, NT_INERTIAL, 1e-7, q, v);
    run_to(it, 10, 1);
    assert_true(nt_integrator_state(it).t == 10);
    assert_true(fabs(nt_integrator_state(it).q[0] - .74334547) < 1e-4); /* 1000 tolerances */
    nt_integrator_destroy(it);
}

/* Failures are words for the caller and nothing on standard error; the state stands where it was
 * reached, and goes on when the trouble is over. */
static void failures_are_words(void **state)
{
    (void)state;
    plane s;
    plane_init(&s, false);
    const double q[2] = {0.5, 0.5}, v[2] = {0.1, 0.1};
    nt_error error = {0};
    FILE *caught = tmpfile();
    assert_non_null(caught);
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    dup2(fileno(caught), STDERR_FILENO);
    nt_integrator *it = start_bdf(&s.system, NT_INERTIAL, 1e-7, q, v);
    s.highest = 0.505;
    nt_status status = nt_integrator_run(it, 1, 0.5, NULL, NULL, &error);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_int_equal(status, NT_NOT_FINITE);
    assert_true(error.time > 0 && error.time < 0.5);
    assert_true(nt_integrator_state(it).q[0] <= 0.505);
    assert_int_equal(fseek(caught, 0, SEEK_END), 0);
    assert_int_equal(ftell(caught), 0);
    fclose(caught);
    s.highest = (double)INFINITY;
    run_to(it, 1, 0.5);
    nt_integrator_destroy(it);
}

/* Fewer steps than it takes: words that name the option and say where; asked again it goes on. */
static void too_many_steps(void **state)
{
    (void)state;
    plane s;
    plane_init(&s, true);
    const double q[2] = {1.01, 0}, v[2] = {0, 0};
    static const nt_option few[] = {{"max_steps", "10"}, {"max_order", "2"}};
    nt_integrator_setup setup = {
        .system = &s.system, .method = nt_method_find("bdf"), .options = few, .n_options = 2};
    nt_error error = {0};
    nt_integrator *it = begin(&setup, q, v);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(nt_integrator_run(it, 1, 1, NULL, NULL, &error), NT_NOT_CONVERGED);
        assert_non_null(strstr(error.message, "max_steps"));
        assert_int_equal(nt_integrator_statistics(it)->steps, 10 * i);
        assert_true(error.time == nt_integrator_state(it).t && error.time > 0 && error.step > 0);
    }
    nt_integrator_destroy(it);
}

/* The tangent of another system: stiffness and damping turned round. */
static nt_status turned_round(void *self, const nt_point *at, const nt_terms *terms)
{
    nt_combination other = {0};
    nt_terms own = *terms;
    if (terms->combination) {
        other = *terms->combination;
        other.stiffness *= -1;
        other.damping *= -1;
        own.combination = &other;
    }
    return plane_evaluate(self, at, &own);
}

/* Steps that must not be made small enough: for their error, or for Newton's iteration. */
static void failures_have_names(void **state)
{
    (void)state;
    const double q[2] = {1, 1.1}, v[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        plane s;
        plane_init(&s, false);
        if (i == 1)
            s.system.evaluate = turned_round;
        nt_integrator_setup setup = {.system = &s.system,
                                     .method = nt_method_find("bdf"),
                                     .minimum_step = 0.05,
                                     .tolerance = {1e-7, 1e-7, 1e-7, 1e-7}};
        nt_error error = {0};
        nt_integrator *it = begin(&setup, q, v);
        assert_int_equal(nt_integrator_run(it, 1, 1, NULL, NULL, &error), NT_NOT_CONVERGED);
        if (!strstr(error.message, i == 0 ? "error of a step" : "Newton's iteration") ||
            !strstr(error.message, "at t = 0 s"))
            fail_msg("%s", error.message);
        assert_true(nt_integrator_statistics(it)->rejected > 0);
        if (!(error.step >= 0.05 * (1 - 1e-12) && error.step < 1)) /* the whole run */
            fail_msg("%.17g: %s", error.step, error.message);
        nt_integrator_destroy(it);
    }
}

static void refusals(void **state)
{
    (void)state;
    plane s;
    plane_init(&s, true);
    static const struct {
        nt_option option;
        const char *words;
    } wrong[] = {{{"tolerance", "0"}, "1e-14 to 1"},     {{"tolerance", "2"}, "1e-14 to 1"},
                 {{"max_order", "6"}, "1 to 5"},         {{"max_order", "0"}, "1 to 5"},
                 {{"max_order", "2.5"}, "whole number"}, {{"max_steps", "0"}, "1 to 1e+09"},
                 {{"rho_inf", "0.8"}, "no option"}};
    nt_error error = {0};
    nt_integrator *it = NULL;
    nt_integrator_setup setup = {.system = &s.system, .method = nt_method_find("bdf")};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setup.options = &wrong[i].option;
        setup.n_options = 1;
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_INVALID);
        assert_non_null(strstr(error.message, wrong[i].words));
    }
    setup.n_options = 0;
    s.system.capabilities = NT_AFFINE;
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "NT_HAS_TANGENT"));
}

/* ---- the command ---------------------------------------------------------------------------- */

#ifdef NUTATE_COMMAND
static void through_the_command(void **state)
{
    (void)state;
    assert_int_equal(system(NUTATE_COMMAND " run " NUTATE_SOURCE_DIR
                                           "/examples/heavy_top/heavy_top.yaml --method bdf "
                                           "--duration 0.1 --step 0.01 --quiet -o top.csv "
                                           "--set simulation.tolerance=1e-7 2>/dev/null"),
                     0);
    FILE *file = fopen("top.csv", "r");
    assert_non_null(file);
    char line[2000], last[2000] = "";
    while (fgets(line, sizeof line, file))
        memcpy(last, line, sizeof last);
    fclose(file);
    double t, x[3];
    assert_int_equal(sscanf(last, "%lf,%lf,%lf,%lf", &t, &x[0], &x[1], &x[2]), 4);
    static const double exact[3] = {.421296658925402, .894571974345593, -.149164700561900};
    assert_true(t == 0.1);
    assert_true(off_by(x, exact, 3) < 1e-6); /* 10 tolerances, as test_bdf.c has it */
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonlinear_multipliers),
        cmocka_unit_test(the_end_is_consistent),
        cmocka_unit_test(ends_are_met),
        cmocka_unit_test(bounds_of_steps),
        cmocka_unit_test(between_steps),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(tolerances_by_kind),
        cmocka_unit_test(save_and_restore),
        cmocka_unit_test(whole_states),
        cmocka_unit_test(refreshed),
        cmocka_unit_test(the_end_is_not_passed),
        cmocka_unit_test(failures_are_words),
        cmocka_unit_test(too_many_steps),
        cmocka_unit_test(failures_have_names),
        cmocka_unit_test(refusals),
#ifdef NUTATE_COMMAND
        cmocka_unit_test(through_the_command),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
