/* Generalized-alpha, stabilised index 2: its error estimate, runs at a tolerance, restart, and
 * mechanisms with reactions that must not chatter. */
#include "method/alpha/soi2.h"
#include "method/disk.h"
#include "method/integrator.h"
#include "method/top.h"
#include "watched.h"

#include "papers/jay-negrut/problem.h"
#include "tests/read_run.h"

static nt_integrator_setup soi2(const nt_system *system, const nt_option *options, int n)
{
    return (nt_integrator_setup){.system = system,
                                 .method = nt_method_find("generalized-alpha-soi2"),
                                 .options = options,
                                 .n_options = n};
}

static nt_integrator *begin(const nt_integrator_setup *setup, double t, const double *q,
                            const double *v)
{
    nt_integrator *it = NULL;
    nt_error error = {0};
    if (nt_integrator_create(&it, setup, &error) != NT_OK ||
        nt_integrator_start(it, t, q, v, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    return it;
}

static void run_to(nt_integrator *it, double end, double h)
{
    nt_error error = {0};
    if (nt_integrator_run(it, end, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* ---- the error estimate --------------------------------------------------------------------- */

enum { MOST = 8 };

/* error[2 nv] of a step of h from the integrator's state: what 400 steps of the trapezoidal rule
 * (no transient at the start, errors 400^2 times smaller) make of it, taken from what it makes. */
static void true_error(nt_integrator *it, nt_integrator *fine, double h, double *error)
{
    nt_problem *p = it->problem;
    nt_stepper *s = &it->stepper;
    nt_error message = {0};
    double t = s->now.all[NT_PHASE_T], v[MOST];
    nt_space_change_frame(&p->space, p->frame, p->system->frame, s->now.q, s->now.v, v);
    assert_int_equal(nt_integrator_start(fine, t, s->now.q, v, NULL, &message), NT_OK);
    run_to(fine, t + h, h / 400);
    const nt_phase *exact = &fine->stepper.now;
    nt_space_difference(&p->space, p->frame, exact->q, s->next.q, error);
    for (int i = 0; i < p->nv; i++)
        error[p->nv + i] = s->next.v[i] - exact->v[i];
}

/* Steps of h/3 and 2h/3 in turn; the worst relative error of the estimate of q and of v over two
 * steps of each size, after `skip` pairs. */
static void estimate_quality(const nt_system *system, nt_frame frame, const double *q0,
                             const double *v0, double h, int skip, double worst[2])
{
    static const nt_option mine[] = {{"rho_inf", "0.6"}, {"tolerance_relative", "1e-12"}};
    static const nt_option trapezoidal[] = {{"newmark", "0.5"}, {"tolerance_relative", "1e-12"}};
    nt_integrator_setup setup = soi2(system, mine, 2), finer = soi2(system, trapezoidal, 2);
    setup.frame = finer.frame = frame;
    nt_integrator *it = begin(&setup, 0, q0, v0), *fine = begin(&finer, 0, q0, v0);
    int nv = system->space.nv;
    worst[0] = worst[1] = 0;
    for (int i = 0; i < 2 * skip + 4; i++) {
        double part = i % 2 ? 2 * h / 3 : h / 3, estimate[2 * MOST], error[2 * MOST];
        double end = it->stepper.now.all[NT_PHASE_T] + part;
        assert_int_equal(nt_integrator_attempt(it, part), NT_OK);
        assert_int_equal(it->method->error(&it->stepper, part, estimate), NT_OK);
        if (i >= 2 * skip) {
            true_error(it, fine, part, error);
            for (int half = 0; half < 2; half++) {
                double size = norm(error + half * nv, nv);
                for (int k = half * nv; k < (half + 1) * nv; k++)
                    error[k] -= estimate[k];
                worst[half] = fmax(worst[half], norm(error + half * nv, nv) / size);
            }
        }
        assert_int_equal(nt_integrator_accept(it, part, end), NT_OK);
    }
    nt_integrator_destroy(fine);
    nt_integrator_destroy(it);
}

/* The estimate differs from the error by O(h) of it: few per cent, and half of that at half the
 * step. Varying mass and nonlinear multipliers; a fast top; rolling in both frames. */
static void estimates_are_asymptotically_right(void **state)
{
    (void)state;
    jay_negrut problem;
    jay_negrut_init(&problem);
    top p = heavy_top();
    nt_block block;
    nt_system spinning = top_system(&p, &block);
    disk d = {.m = 15, .r = 1, .A = 3.75, .C = 7.5, .gravity = 9.81};
    disk_init(&d);
    const double q0[7] = {0, 0, 1, 0, 0, sqrt(0.5), sqrt(0.5)};
    double v0[6];
    disk_roll(&d, q0, v3_of(0, 15, 5), v0);
    const struct {
        const nt_system *system;
        nt_frame frame;
        const double *q, *v;
        double h;
    } cases[] = {{&problem.system, NT_INERTIAL, jay_negrut_y0, jay_negrut_z0, 0.02},
                 {&spinning, NT_INERTIAL, top_q0, top_v0, 1e-3},
                 {&spinning, NT_BODY, top_q0, top_v0, 5e-4},
                 {&d.system, NT_INERTIAL, q0, v0, 2e-3},
                 {&d.system, NT_BODY, q0, v0, 2e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double coarse[2], fine[2];
        estimate_quality(cases[i].system, cases[i].frame, cases[i].q, cases[i].v, cases[i].h, 50,
                         coarse);
        estimate_quality(cases[i].system, cases[i].frame, cases[i].q, cases[i].v, cases[i].h / 2,
                         100, fine);
        for (int half = 0; half < 2; half++) {
            assert_true(coarse[half] < 0.05);
            assert_true(fine[half] < 0.7 * coarse[half]);
        }
    }
}

/* ---- runs at a tolerance -------------------------------------------------------------------- */

static void set_tolerance(nt_integrator_setup *setup, double tolerance)
{
    for (int i = 0; i < 4; i++)
        setup->tolerance[i] = tolerance;
}

/* |x - x_exact| of the heavy top at t = 0.1 */
static double top_at_tolerance(double tolerance)
{
    static const double exact[3] = {.421296658925402, .894571974345593, -.149164700561900};
    top p = heavy_top();
    nt_block block;
    nt_system system = top_system(&p, &block);
    nt_integrator_setup setup = soi2(&system, NULL, 0);
    set_tolerance(&setup, tolerance);
    nt_integrator *it = begin(&setup, 0, top_q0, top_v0);
    double drift[2] = {0}, off[3];
    run_watched(it, 0.1, 1e-3, drift);
    CLOSE(drift[0], 0, 1e-15);
    CLOSE(drift[1], 0, 1e-13); /* eps 150 rad/s 1 m, some operations */
    const nt_statistics *n = nt_integrator_statistics(it);
    assert_true(n->rejected <= 5); /* at the start */
    assert_true(n->largest_step > 1.2 * n->smallest_step);
    for (int i = 0; i < 3; i++)
        off[i] = nt_integrator_state(it).q[i] - exact[i];
    nt_integrator_destroy(it);
    return norm(off, 3);
}

/* Errors of a step in proportion to the tolerance, h ~ tolerance^(1/3): together they make
 * tolerance/h ~ tolerance^(2/3). Over three decades, a factor of 100. */
static void errors_follow_the_tolerance(void **state)
{
    (void)state;
    double coarse = top_at_tolerance(1e-5), fine = top_at_tolerance(1e-8);
    CLOSE(log10(coarse / fine), 2, 0.1);
    assert_true(fine < 1e-6);
}

/* |R e3 - exact| of the slow top at t = 2: a body about a fixed point, one stage. */
static double slow_top_at_tolerance(double tolerance, nt_frame frame)
{
    static const double exact[3] = {.6684383812108, -.6473115901852, .3663029289211};
    mechanism m = mechanism_read("nutate: 1\ngravity: [0, 0, -1]\n"
                                 "bodies:\n  top: {mass: 100, inertia: [1, 1, 1], "
                                 "center_of_mass: [0, 0, 0.2], fixed_point: [0, 0, 0], "
                                 "orientation: {rotation_vector: [0.05, 0, 0]}, "
                                 "angular_velocity: [0, 0, 5]}\n");
    nt_integrator_setup setup = soi2(nt_run_system(m.run), NULL, 0);
    set_tolerance(&setup, tolerance);
    setup.frame = frame;
    m.integrator = begin(&setup, 0, m.q, m.v);
    run_to(m.integrator, 2, 0.01);
    double q[4], off[3];
    mechanism_get(&m, "top.orientation", q);
    v3 axis = m3_apply(quat_matrix(quat_load(q)), v3_of(0, 0, 1));
    v3_store(off, v3_sub(axis, v3_load(exact)));
    mechanism_close(&m);
    return norm(off, 3);
}

static void slow_top(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        double coarse = slow_top_at_tolerance(1e-4, frame),
               fine = slow_top_at_tolerance(1e-7, frame);
        CLOSE(log10(coarse / fine), 2, 0.1);
        assert_true(fine < 1e-3);
    }
}

/* Saved in the middle of a run at a tolerance, restored into another integrator: the same bits. */
static void restart_gives_the_same_bits(void **state)
{
    (void)state;
    top p = heavy_top();
    nt_block block;
    nt_system system = top_system(&p, &block);
    nt_integrator_setup setup = soi2(&system, NULL, 0);
    set_tolerance(&setup, 1e-6);
    nt_integrator *it = begin(&setup, 0, top_q0, top_v0);
    nt_integrator *other = begin(&setup, 0, top_q0, top_v0);
    size_t size = nt_integrator_saved_size(it);
    void *bytes = malloc(size);
    nt_error error = {0};
    assert_non_null(bytes);
    run_to(it, 0.05, 1e-3);
    nt_integrator_save(it, bytes);
    run_to(it, 0.1, 1e-3);
    assert_int_equal(nt_integrator_restore(other, bytes, size, &error), NT_OK);
    run_to(other, 0.1, 1e-3);
    const nt_phase *a = &it->stepper.now, *b = &other->stepper.now;
    assert_int_equal(it->size, other->size);
    assert_memory_equal(a->all, b->all, it->size * sizeof(double));
    free(bytes);
    nt_integrator_destroy(other);
    nt_integrator_destroy(it);
}

/* ---- mechanisms ----------------------------------------------------------------------------- */

#define COIN                                                                                       \
    "nutate: 1\nparameters: {lean: pi/180, r: 0.01}\ngravity: [0, 0, -9.81]\n"                     \
    "bodies: {coin: {mass: 1, inertia: [0.5*r^2, 0.25*r^2, 0.25*r^2], "                            \
    "position: [r*sin(lean), 0, r*cos(lean)], orientation: {rotation_vector: [0, lean, 0]}, "      \
    "angular_velocity: [0, 0, 10*pi], angular_velocity_frame: ground}}\n"                          \
    "joints: {roll: {type: rolling_disk, between: [ground, coin], radius: r, axis: [1, 0, 0]}}\n"

typedef struct coin_run {
    double center, force; /* errors at t = 0.5                                       */
    double chatter;       /* sum |F_(n+1) - 2 F_n + F_(n-1)| / sum |F_(n+1) - F_n|    */
} coin_run;

/* A coin that leans by a degree and spins about the vertical: a uniform disk of 1 kg, 0.01 m. */
static coin_run roll_coin(double h, bool variable)
{
    static const double exact[3] = {8.275291845e-5, 1.581781900501e-3, 9.760873842582e-3};
    mechanism m = mechanism_read(COIN);
    nt_integrator_setup setup = soi2(nt_run_system(m.run), NULL, 0);
    m.integrator = begin(&setup, 0, m.q, m.v);
    double force[3] = {0}, first = 0, second = 0, F[3], x[3], position, velocity;
    int n = (int)lround(0.5 / h);
    for (int i = 0; i < n; i++) {
        double part = !variable ? h : i % 2 ? 1.5 * h : 0.5 * h;
        nt_error error = {0};
        if (nt_integrator_step(m.integrator, part, &error) != NT_OK)
            fail_msg("%s", error.message);
        assert_int_equal(nt_integrator_drift(m.integrator, &position, &velocity), NT_OK);
        CLOSE(position, 0, 1e-16); /* of lengths of 0.01 m, velocities of 0.1 m/s */
        CLOSE(velocity, 0, 1e-16);
        mechanism_get(&m, "roll.force", F);
        force[0] = force[1], force[1] = force[2], force[2] = norm(F, 3);
        if (i < 10)
            continue;
        first += fabs(force[2] - force[1]);
        second += fabs(force[2] - 2 * force[1] + force[0]);
    }
    mechanism_get(&m, "coin.position", x);
    for (int i = 0; i < 3; i++)
        x[i] -= exact[i];
    mechanism_close(&m);
    return (coin_run){norm(x, 3), fabs(force[2] - 9.889040803804), second / first};
}

/* Reactions converge with second order and do not chatter: with equal steps their second
 * differences are smaller than their first by O(h) - a sequence that alternates has a ratio of 2 -
 * and with steps that alternate by 1 to 3 the error is as small. */
static void reactions_of_the_coin(void **state)
{
    (void)state;
    coin_run a = roll_coin(1e-3, false), b = roll_coin(5e-4, false), c = roll_coin(5e-4, true);
    CLOSE(log2(a.center / b.center), 2, 0.1);
    CLOSE(log2(a.force / b.force), 2, 0.1);
    assert_true(a.chatter < 0.05);
    CLOSE(log2(a.chatter / b.chatter), 1, 0.1);
    assert_true(c.force < 3 * b.force);
}

/* Bricard's mechanism (examples/bricard), one equation redundant: the end of the third rod at t = 1
 * and the order; reactions of least norm. */
static void redundant_equations(void **state)
{
    (void)state;
    static const double exact[3] = {.5105014611872, -1.6491675993948, .1401231145532};
    double off[2], force[3][3];
    nt_error error = {0};
    for (int level = 0; level < 3; level++) {
        mechanism m = {0};
        if (read_run(&m.run, NUTATE_SOURCE_DIR "/examples/bricard/bricard.yaml", NULL, 0, &error) !=
            NT_OK)
            fail_msg("%s", error.message);
        nt_integrator_setup setup = soi2(nt_run_system(m.run), NULL, 0);
        assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
        assert_int_equal(nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error), NT_OK);
        double h = 4e-3 / (1 << level), x[3], drift[2] = {0};
        run_watched(m.integrator, 1, h, drift);
        assert_int_equal(nt_integrator_redundant(m.integrator, NULL, 0), 1);
        CLOSE(drift[0], 0, 1e-14); /* eps of 1 m and 10 m/s through a loop of six */
        CLOSE(drift[1], 0, 1e-13);
        mechanism_get(&m, "p3.position", x);
        mechanism_get(&m, "hinge0.force", force[level]);
        for (int i = 0; i < 3; i++)
            x[i] -= exact[i];
        if (level < 2)
            off[level] = norm(x, 3);
        mechanism_close(&m);
    }
    CLOSE(log2(off[0] / off[1]), 2, 0.05);
    for (int i = 0; i < 3; i++)
        CLOSE((force[0][i] - force[1][i]) / (force[1][i] - force[2][i]), 4, 0.2);
}

/* Four-bars that become parallel (examples/four_bar), at t = 0.71 and 1.23 for the first times:
 * rounding there makes velocities uncertain by more than this tolerance, and the run goes through
 * it all the same. The error of energy, in parts of its first value, is that of velocities:
 * tolerance^(2/3), see above. */
static void singular_positions_at_a_tight_tolerance(void **state)
{
    (void)state;
    mechanism m = {0};
    nt_error error = {0};
    if (read_run(&m.run, NUTATE_SOURCE_DIR "/examples/four_bar/four_bar.yaml", NULL, 0, &error) !=
        NT_OK)
        fail_msg("%s", error.message);
    nt_integrator_setup setup = soi2(nt_run_system(m.run), NULL, 0);
    set_tolerance(&setup, 1e-9);
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error), NT_OK);
    double energy = mechanism_number(&m, "energy.total"), drift[2] = {0};
    run_watched(m.integrator, 1.3, 1e-3, drift);
    CLOSE(drift[0], 0, 1e-14);
    CLOSE(drift[1], 0, 1e-13);
    CLOSE(mechanism_number(&m, "energy.total") / energy, 1, 1e-6);
    assert_true(nt_integrator_statistics(m.integrator)->rejected < 30);
    mechanism_close(&m);
}

/* The linkage of examples/four_bar has rows that depend on others, and matrices that the block
 * solver gives up: what it has found in one of them is not in what it makes of a later one, so that
 * a state that is restored goes on with the same bits. */
static void restored_behind_singular_matrices(void **state)
{
    (void)state;
    enum { STEPS = 170, RESTORED = 110, PLACES = 64 };
    double end[2][PLACES] = {{0}};
    for (int k = 0; k < 2; k++) {
        nt_run *run;
        nt_integrator *it;
        nt_error error = {0};
        nt_integrator_setup setup = {0};
        if (read_run(&run, NUTATE_SOURCE_DIR "/examples/four_bar/four_bar.yaml", NULL, 0, &error) ||
            nt_run_setup(run, &setup, &error) || nt_integrator_create(&it, &setup, &error) ||
            nt_integrator_start(it, 0, NULL, NULL, NULL, &error))
            fail_msg("%s", error.message);
        size_t size = nt_integrator_saved_size(it), nq = (size_t)setup.system->space.nq;
        void *saved = malloc(size);
        assert_true(saved && nq <= PLACES);
        for (int i = 0; i < STEPS; i++) {
            nt_integrator_save(it, saved);
            if (k == 1 && i == RESTORED)
                assert_int_equal(nt_integrator_restore(it, saved, size, &error), NT_OK);
            assert_int_equal(nt_integrator_step(it, 1e-3, &error), NT_OK);
        }
        assert_true(nt_integrator_statistics(it)->fallbacks > 0);
        memcpy(end[k], nt_integrator_state(it).q, nq * sizeof(double));
        free(saved);
        nt_integrator_destroy(it);
        destroy_run(run);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_are_asymptotically_right),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(slow_top),
        cmocka_unit_test(restart_gives_the_same_bits),
        cmocka_unit_test(reactions_of_the_coin),
        cmocka_unit_test(redundant_equations),
        cmocka_unit_test(singular_positions_at_a_tight_tolerance),
        cmocka_unit_test(restored_behind_singular_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
