/* Ball bearings: a run against values that other programs computed, balances at random states,
 * tangents against differences, statics of axial load, flaws, choices that change no motion. */
#include "model/bearings/bearing.h"
#include "model/elements.h"
#include "model/mechanism.h"

#include <nutate/sensitivity.h>

enum { MOST_V = 80, MOST_Q = 100 };

static const char b1[] =
    "nutate: 1\n"
    "parameters: {mu: 0.05, half: 1e-4, d: 0.5, cage: 6e-3, ring: 0.06, load: 1000,\n"
    "             z0: 1.12144741295e-4, w: 1000*pi/3}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {shaft: {mass: ring, inertia: [1e-5, 1e-5, 1e-5], position: [0, 0, "
    "z0],\n"
    "         velocity: [0, 0, 0], angular_velocity: [0, 0, w]}}\n"
    "joints: {turn: {type: parallel, between: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1],\n"
    "         motion: w*t}}\n"
    "forces: {axial: {type: force, on: shaft, value: [0, 0, load]}}\n"
    "bearings:\n"
    "  b: {designation: \"6206\", outer: ground, inner: shaft, points: [[0, 0, 0], [0, 0, 0]],\n"
    "      axes: [[0, 0, 1], [0, 0, 1]], clearance: 10e-6, traction: {friction: mu},\n"
    "      cage: {mass: cage, inertia: [1.7e-6, 1.7e-6, 3.2e-6], pocket_clearance: 2*half,\n"
    "             friction: 0.05, damping: d},\n"
    "      start: {cage: 0.95, irregularity: 40e-6}}\n";

/* ---- the start and the run of model B1 ---------------------------------------------------------
 */

typedef struct looked {
    nt_model *model;
    nt_run *run;
    const nt_system *system;
    double q[MOST_Q], v[MOST_V], zero[MOST_V];
} looked;

static looked look_at(const char *text)
{
    looked l = {0};
    nt_error error = {0};
    if (nt_model_read_text(&l.model, text, strlen(text), "bearing", NULL, NULL, 0, &error) !=
            NT_OK ||
        nt_run_create(&l.run, l.model, &error) != NT_OK)
        fail_msg("%s", error.message);
    l.system = nt_run_system(l.run);
    assert_true(l.system->space.nv <= MOST_V && l.system->space.nq <= MOST_Q);
    double memory[16];
    nt_run_initial(l.run, l.q, l.v, memory);
    return l;
}

static void let_go(looked *l)
{
    nt_run_destroy(l->run);
    nt_model_destroy(l->model);
}

static nt_point point_of(const looked *l)
{
    return (nt_point){.q = l->q, .v = l->v, .vdot = l->zero, .lambda = l->zero, .mu = l->zero};
}

static double number(looked *l, const char *name)
{
    nt_quantity_info quantity;
    nt_error error = {0};
    double out[16];
    nt_state state = {
        .q = l->q, .v = l->v, .vdot = l->zero, .lambda = l->zero, .mu = l->zero, .memory = l->zero};
    if (nt_model_quantity(l->model, name, &quantity, &error) != NT_OK ||
        nt_run_sample(l->run, &quantity, &state, NULL, out, &error) != NT_OK)
        fail_msg("%s", error.message);
    return out[0];
}

/* Digits of the reference; ball 1 is the first body after the shaft. */
static void balls_begin_in_equilibrium(void **state)
{
    (void)state;
    looked l = look_at(b1);
    static const double x[] = {0.0229998625648, 3.9999979836e-5, 5.60417538e-5};
    static const double v[] = {-0.01678806970, 9.65308723866, 0,
                               579.31778748,   1.00751470808, -1942.34535647};
    for (int i = 0; i < 3; i++)
        CLOSE(l.q[7 + i], x[i], 1e-13);
    for (int i = 0; i < 6; i++)
        CLOSE(l.v[6 + i], v[i], i < 3 ? 1e-10 : 1e-8);
    CLOSE(number(&l, "b.cage.speed"), 398.716855412, 1e-9);
    CLOSE(number(&l, "b.ball1.outer.force"), 388.7513136719, 1e-6);
    CLOSE(number(&l, "b.ball9.inner.force"), 388.7513136719, 1e-6);
    CLOSE(number(&l, "b.ball1.outer.angle") * 180 / acos(-1.0), 16.607594950276, 1e-9);
    CLOSE(number(&l, "b.ball1.outer.pressure"), 1379.24e6, 1e4);
    CLOSE(number(&l, "b.ball1.inner.pressure"), 1655.58e6, 1e4);
    CLOSE(number(&l, "b.ball1.inner.semi_axes.major"), 1.02146e-3, 1e-8);
    CLOSE(number(&l, "b.cage.slip"), 0.05, 1e-9);
    let_go(&l);
}

typedef struct row {
    double t, cage, z, outer_1, inner_1, outer_3;
} row;

/* The reference agrees with itself to 1e-5 N, 5e-6 rad/s. */
static void paper_s_case_is_reproduced(void **state)
{
    (void)state;
    static const row rows[] = {
        {50e-6, 398.71685541, 112.0724032e-6, 392.550841, 382.923987, 392.275527},
        {100e-6, 398.71685541, 111.8735895e-6, 391.323338, 378.527478, 391.261007},
        {150e-6, 406.11435630, 111.8186892e-6, 389.935670, 379.197013, 390.282506},
        {200e-6, 432.71729280, 111.9735159e-6, 394.413436, 380.479473, 392.919895},
        {300e-6, 433.19089998, 112.0410170e-6, 396.167306, 382.256827, 392.431413},
        {600e-6, 433.17129965, 111.8671414e-6, 391.386905, 377.766283, 391.913313},
    };
    static const double pockets[] = {41.99267, 36.65872, 17.65456};
    mechanism m = mechanism_read(b1);
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("rkmk-dop853"),
                                 .frame = NT_INERTIAL,
                                 .tolerance = {1e-12, 1e-12, 1e-12, 1e-12}};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    double q[MOST_Q], v[MOST_V], memory[16], got;
    nt_run_initial(m.run, q, v, memory);
    assert_int_equal(nt_integrator_start(m.integrator, 0, q, v, memory, &error), NT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mechanism_run(&m, rows[i].t, 1e-6);
        mechanism_get(&m, "b.cage.speed", &got);
        CLOSE(got, rows[i].cage, 5e-6);
        double position[3];
        mechanism_get(&m, "shaft.position", position);
        CLOSE(position[2], rows[i].z, 1e-13);
        mechanism_get(&m, "b.ball1.outer.force", &got);
        CLOSE(got, rows[i].outer_1, 1e-5);
        mechanism_get(&m, "b.ball1.inner.force", &got);
        CLOSE(got, rows[i].inner_1, 1e-5);
        mechanism_get(&m, "b.ball3.outer.force", &got);
        CLOSE(got, rows[i].outer_3, 1e-5);
        static const char *const names[] = {"b.ball1.pocket.force", "b.ball4.pocket.force",
                                            "b.ball7.pocket.force"};
        for (int k = 0; i == 2 && k < 3; k++) {
            mechanism_get(&m, names[k], &got);
            CLOSE(got, pockets[k], 1.5e-5);
        }
    }
    mechanism_get(&m, "b.ball3.pocket.force", &got);
    CLOSE(got, 1.83931, 1.5e-5);
    mechanism_close(&m);
}

/* Derivatives at 0.3 ms, which another program found by differences of whole runs; the load's with
 * the place of the ring that follows it, dz0/dload = 2.17833862e-8 m/N by statics. What the balls
 * run into has derivatives that follow the sizes of steps: the clearance's is good to 5e-4. */
static void derivatives_of_the_paper_s_case(void **state)
{
    (void)state;
    enum { N = 7, LOAD = 5, PLACE };
    static const double expected[LOAD + 1][3] = {
        {125.007, 30.2066, -0.472574},   {11895.9, 63309.0, -226.572},
        {-2.94100, 0.24443, 0.00241112}, {-119.783, -50.1456, -0.0830746},
        {-0.79495, 123.0251, 6.66994},   {0.00699967, 0.315457, 0.0215125},
    };
    static const double good[LOAD + 1] = {3e-5, 6e-4, 1e-4, 1e-4, 7e-4, 1e-5};
    static const char *const names[] = {"b.cage.speed", "b.ball1.outer.force", "shaft.position.z"};
    static const int parameters[N] = {0, 1, 2, 3, 4, 5, 6};
    mechanism m = mechanism_read(b1);
    nt_error error = {0};
    nt_sensitivity *sensitivity;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("rkmk-dop853"),
                                 .tolerance = {1e-12, 1e-12, 1e-12, 1e-12}};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&sensitivity, m.integrator, parameters, N, &error),
                     NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
    mechanism_run(&m, 3e-4, 1e-7);
    double got[N][3];
    nt_state now = nt_integrator_state(m.integrator);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            nt_quantity_info quantity;
            nt_state_tangent t = nt_sensitivity_state(sensitivity, i);
            nt_state_rate rate = {
                .dq = t.q, .dv = t.v, .dvdot = t.vdot, .dlambda = t.lambda, .parameter = i};
            assert_int_equal(nt_model_quantity(nt_run_model(m.run), names[k], &quantity, &error),
                             NT_OK);
            assert_int_equal(nt_run_sample_tangent(m.run, &quantity, 1, &now, NULL, &rate, NULL,
                                                   &got[i][k], &error),
                             NT_OK);
        }
    for (int i = 0; i <= LOAD; i++)
        for (int k = 0; k < 3; k++) {
            double value = got[i][k] + (i == LOAD ? 2.17833862e-8 * got[PLACE][k] : 0);
            double unit = k == 2 ? 1e-6 : 1;
            CLOSE(value / unit, expected[i][k], good[i] * fabs(expected[i][k]));
        }
    nt_sensitivity_destroy(sensitivity);
    mechanism_close(&m);
}

/* ---- statics -----------------------------------------------------------------------------------
 */

/* A ring pushed along the axis by so much from first touch, in um, with all balls alike; what other
 * programs found for the load. */
static void axial_load_of(const char *geometry, double clearance, double groove,
                          double first_degrees, double push, double load, double degrees,
                          double ball, double K_i, double K_o)
{
    char text[1500];
    double D = 9.525e-3, turn = acos(-1.0) / 180;
    double across = 2 * groove * D - D - 0.5 * clearance; /* A_i - A_o; groove: mean of both */
    double z = across * tan(first_degrees * turn) + push * 1e-6;
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "bodies: {shaft: {mass: 1, inertia: [1, 1, 1], position: [0, 0, %.17g]}}\n"
             "bearings: {b: {designation: \"6206\", outer: ground, inner: shaft, "
             "points: [[0, 0, 0], [0, 0, 0]], axes: [[0, 0, 1], [0, 0, 1]], clearance: %.17g%s}}\n",
             z, clearance, geometry);
    looked l = look_at(text);
    CLOSE(number(&l, "b.ball1.outer.force"), ball, 2e-5 * ball / 100);
    CLOSE(number(&l, "b.ball4.inner.angle") / turn, degrees, 1e-6);
    double total[3];
    nt_quantity_info quantity;
    nt_error error = {0};
    nt_state state = {.q = l.q, .v = l.v, .vdot = l.zero, .lambda = l.zero, .mu = l.zero};
    assert_int_equal(nt_model_quantity(l.model, "b.load", &quantity, &error), NT_OK);
    assert_int_equal(nt_run_sample(l.run, &quantity, &state, NULL, total, &error), NT_OK);
    CLOSE(total[2], -load, 1e-6 * load);
    double delta = number(&l, "b.ball2.inner.indentation");
    if (K_i > 0) {
        CLOSE(ball / pow(delta, 1.5) / K_i, 1, 1e-6);
        CLOSE(ball / pow(number(&l, "b.ball2.outer.indentation"), 1.5) / K_o, 1, 1e-6);
    }
    let_go(&l);
}

static void statics_of_axial_load(void **state)
{
    (void)state;
    double free_angle = acos(1 - 10e-6 / (2 * 0.04 * 9.525e-3)) * 180 / acos(-1.0);
    axial_load_of(", inner_groove: 0.515, outer_groove: 0.525", 10e-6, 0.52, free_angle, 50.353073,
                  1000, 16.569901, 389.61078, 3.0888906e10, 2.7379286e10);
    axial_load_of("", 20e-6, 0.52, 13.156175, 27.016914, 500, 17.043598, 189.54516, 0, 0);
}

/* ---- any state ---------------------------------------------------------------------------------
 */

static unsigned seed = 11;

static double uniform(double size)
{
    seed = seed * 1664525u + 1013904223u;
    return size * ((double)(seed >> 8) / (1 << 23) - 1);
}

/* Two moving rings at a slant; everything a bearing can have. */
static const char *const variants[] = {
    "",
    ", traction: {law: four_parameter}, rolling: {resistance: 1e-5, slip: 30}",
    ", traction: {law: film, slip: 0.02}, lubricant: {viscosity: 0.02}, contact_angle: 0.4",
    ", outer_flaw: {angle: 0.1, width: 0.3, depth: 3e-6}, inner_waviness: {orders: [3, 7], "
    "amplitudes: [1e-6, 5e-7], phases: [0.3, 1]}, restitution: {coefficient: 0.7, speed: 0.3}",
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static looked random_state(int i, double slip)
{
    char text[2000];
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  house: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], center_of_mass: [0.01, 0.02, 0],\n"
             "          orientation: {axis: [1, 2, 0], angle: 0.5}}\n"
             "  shaft: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], angular_velocity: [0, 300, 400],\n"
             "          position: [4e-6, 3e-5, 4e-5]}\n"
             "bearings: {b: {designation: \"6206\", outer: house, inner: shaft, at: [0, 0, 0], "
             "axis: [0, 0.6, 0.8], clearance: -2e-6, cage: {mass: 6e-3, inertia: [1.7e-6, 1.7e-6, "
             "3.2e-6], pocket_clearance: 2e-4, pocket: %s, slip: %g}%s}}\n",
             i % 2 ? "spherical" : "cylindrical", slip, variants[i % VARIANTS]);
    looked l = look_at(text);
    const nt_space *space = &l.system->space;
    double dq[MOST_V];
    for (int k = 0; k < space->nv; k++) {
        bool turns = k / 3 % 2 == 1;
        double size = k < 12               ? (turns ? 1e-4 : 1e-6)
                      : k >= space->nv - 6 ? (turns ? 3e-3 : 2e-4)
                                           : 2e-6;
        dq[k] = uniform(size);
        l.v[k] += uniform(turns ? 30 : 0.1);
    }
    nt_space_compose(space, NT_INERTIAL, l.q, dq, l.q);
    return l;
}

static void forces_at(looked *l, double *out)
{
    nt_point at = point_of(l);
    nt_terms terms = {.parts = NT_EXPLICIT, .residual = out};
    memset(out, 0, (size_t)l->system->space.nv * sizeof *out);
    assert_int_equal(l->system->evaluate(l->system->self, &at, &terms), NT_OK);
}

/* Rates of the energy by differences of sixth order along the motion; what the forces take and what
 * the loss says agree. */
static void power_balances(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        looked l = random_state(i, 0.05);
        int nv = l.system->space.nv;
        double f[MOST_V], given = 0, size = 0, q[MOST_Q], rate = 0;
        nt_energy energy;
        forces_at(&l, f);
        for (int k = 0; k < nv; k++)
            given -= f[k] * l.v[k], size += fabs(f[k] * l.v[k]);
        nt_point at = point_of(&l);
        assert_int_equal(l.system->energy(l.system->self, &at, &energy), NT_OK);
        memcpy(q, l.q, sizeof q);
        static const double weights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
        for (int k = 1; k <= 3; k++)
            for (int side = -1; side <= 1; side += 2) {
                double h = 1e-9 * k * side, dq[MOST_V];
                nt_energy moved;
                for (int j = 0; j < nv; j++)
                    dq[j] = h * l.v[j];
                nt_space_compose(&l.system->space, NT_INERTIAL, q, dq, l.q);
                assert_int_equal(l.system->energy(l.system->self, &at, &moved), NT_OK);
                rate += side * weights[k - 1] * moved.potential / 1e-9;
            }
        CLOSE(given, energy.power - rate, 1e-7 * size);
        assert_true(energy.power < 0 || i % VARIANTS == 3);
        let_go(&l);
    }
}

/* Forces on all bodies cancel, and so do their moments about the origin. */
static void momenta_are_kept(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        looked l = random_state(i, 0.05);
        double f[MOST_V], size = 0;
        v3 force = v3_of(0, 0, 0), moment = force;
        forces_at(&l, f);
        for (int k = 0; k < l.system->space.nv / 6; k++) {
            v3 F = v3_load(f + 6 * k);
            force = v3_add(force, F);
            moment =
                v3_add(moment, v3_add(v3_load(f + 6 * k + 3), v3_cross(v3_load(l.q + 7 * k), F)));
            size += v3_norm(F);
        }
        CLOSE(v3_norm(force), 0, 1e-14 * size);
        CLOSE(v3_norm(moment), 0, 1e-15 * size);
        let_go(&l);
    }
}

/* The largest error of the tangent in places or velocities, over the size of each row block. */
static void tangent_of(looked *l, bool places)
{
    int nv = l->system->space.nv;
    nt_matrix *matrix;
    static double dense[MOST_V * MOST_V], differences[MOST_V * MOST_V];
    nt_combination c = {.damping = places ? 0 : 1, .stiffness = places ? 1 : 0};
    nt_point at = point_of(l);
    assert_int_equal(nt_matrix_create(&matrix, l->system->pattern), NT_OK);
    nt_matrix_zero(matrix);
    nt_terms terms = {.parts = NT_EXPLICIT, .matrix = matrix, .combination = &c};
    assert_int_equal(l->system->evaluate(l->system->self, &at, &terms), NT_OK);
    nt_matrix_dense(matrix, dense);
    nt_matrix_destroy(matrix);
    double q[MOST_Q], v[MOST_V], column[2][MOST_V];
    memcpy(q, l->q, sizeof q);
    memcpy(v, l->v, sizeof v);
    for (int j = 0; j < nv; j++) {
        bool turns = j / 3 % 2 == 1;
        double h = places ? (turns ? 4e-8 : 5e-10) : (turns ? 1e-1 : 1e-4);
        static const double weights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
        for (int i = 0; i < nv; i++)
            differences[i * nv + j] = 0;
        for (int k = 1; k <= 3; k++) {
            for (int side = 0; side < 2; side++) {
                double dq[MOST_V] = {0};
                dq[j] = side ? -k * h : k * h;
                if (places)
                    nt_space_compose(&l->system->space, NT_INERTIAL, q, dq, l->q);
                else
                    l->v[j] = v[j] + dq[j];
                forces_at(l, column[side]);
            }
            for (int i = 0; i < nv; i++)
                differences[i * nv + j] += weights[k - 1] * (column[0][i] - column[1][i]) / h;
        }
        memcpy(l->q, q, sizeof q);
        memcpy(l->v, v, sizeof v);
    }
    for (int j = 0; j < nv; j++)
        for (int rotation = 0; rotation < 2; rotation++) {
            double size = 0, off = 0;
            for (int i = 0; i < nv; i++) {
                if (i / 3 % 2 != rotation)
                    continue;
                size = fmax(size, fabs(differences[i * nv + j]));
                off = fmax(off, fabs(differences[i * nv + j] - dense[i * nv + j]));
            }
            /* forces are rounded to 1e-13 N or so, and differ over 5e-10 m */
            CLOSE(off, 0, 1e-7 * size + (places ? 1e-1 : 1e-7) * (rotation ? 1e-2 : 1));
        }
}

static void tangents_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        looked l = random_state(i, 0.05);
        tangent_of(&l, true);
        tangent_of(&l, false);
        let_go(&l);
    }
}

/* ---- hard cases
 * ---------------------------------------------------------------------------------- */

static void write_hard(char *text, size_t size, const char *values)
{
    snprintf(
        text, size,
        "nutate: 1\n"
        "parameters: {%s}\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {shaft: {mass: 0.5, inertia: [1e-3, 1e-3, 1e-4], position: [0, 0, z],\n"
        "         angular_velocity: [0, 0, 1000], velocity: [0, 0, 0]}}\n"
        "joints: {drive: {type: parallel, between: [ground, shaft], at: [0, 0, 0], axis: [0, 0, "
        "1],\n"
        "         motion: 1000*sin(slow*t)/slow}}\n"
        "forces: {f: {type: force, on: shaft, value: [0, -radial, axial]}}\n"
        "bearings: {b: {designation: \"6206\", outer: ground, inner: shaft, clearance: clear,\n"
        "  points: [[0, 0, 0], [0, 0, 0]], axes: [[0, 0, 1], [0, 0, 1]], cage: {mass: 6e-3,\n"
        "  inertia: [1.7e-6, 1.7e-6, 3.2e-6], pocket_clearance: play, friction: grip}}}\n",
        values);
}

/* Zero and negative clearance, no load, all of it on a few balls, reversal, balls pressed into each
 * other at the start, a cage that is stuck on its balls: the energy account closes. */
static void hard_cases_run(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "axial: 0, radial: 0, clear: 1e-5, z: 0, slow: 1, play: 2e-4, grip: 0.05",
        "axial: 0, radial: 0, clear: 0, z: 0, slow: 1, play: 2e-4, grip: 0.05",
        "axial: 0, radial: 0, clear: -1e-5, z: 0, slow: 1, play: 2e-4, grip: 0.05",
        "axial: 0, radial: 2000, clear: 1e-5, z: 0, slow: 1, play: 2e-4, grip: 0.05",
        "axial: 500, radial: 0, clear: 1e-5, z: 1e-4, slow: 1500, play: 2e-4, grip: 0.05",
        "axial: 0, radial: 0, clear: 1e-5, z: 2.5e-4, slow: 1, play: 2e-4, grip: 0.05",
        "axial: 500, radial: 0, clear: 1e-5, z: 1e-4, slow: 1, play: 5e-5, grip: 0.5",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2000];
        nt_error error = {0};
        write_hard(text, sizeof text, cases[i]);
        mechanism m = mechanism_read(text);
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find("rkmk-dop853"),
                                     .track_work = 1,
                                     .tolerance = {1e-9, 1e-9, 1e-9, 1e-9}};
        assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
        assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
        double before[4], after[4], power;
        mechanism_get(&m, "energy", before);
        mechanism_run(&m, 1e-3, 1e-7);
        mechanism_get(&m, "energy", after);
        mechanism_get(&m, "b.power", &power);
        CLOSE((after[2] - after[3] - before[2]) / before[2], 0, 1e-6);
        assert_true(power <= 0);
        mechanism_close(&m);
    }
}

/* A ball that climbs over a shoulder ends the run, or is refused at the start: which ball, which
 * ring, when, by how much. */
static void a_ball_leaves_its_groove(void **state)
{
    (void)state;
    char text[2000];
    nt_error error = {0};
    write_hard(text, sizeof text,
               "axial: 3e5, radial: 0, clear: 1e-5, z: 0, slow: 1, play: 2e-4, grip: 0.05");
    mechanism m = mechanism_read(text);
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("semi-explicit-2")};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    assert_int_equal(nt_integrator_run(m.integrator, 2e-3, 1e-6, NULL, NULL, &error),
                     NT_NOT_FINITE);
    static const char *const words[] = {"at t = ", "bearing b", "ball ",
                                        "has left the groove of the outer ring: it touches at 5",
                                        "deg over the shoulder"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strstr(error.message, words[i]))
            fail_msg("message lacks '%s': %s", words[i], error.message);
    assert_true(mechanism_number(&m, "b.shoulder_margin") < 0); /* its ellipse was cut off before */
    assert_true(nt_run_warning(m.run, 0, text, sizeof text) > 0);
    static const char *const warned[] = {"bearing b: the ellipse of contact of ball ",
                                         " goes over the shoulder of the outer ring, by ",
                                         " deg at t = ", " s; this began at t = "};
    for (size_t i = 0; i < sizeof warned / sizeof warned[0]; i++)
        if (!strstr(text, warned[i]))
            fail_msg("warning lacks '%s': %s", warned[i], text);
    assert_int_equal(nt_run_warning(m.run, 1, text, sizeof text), 0);
    /* a row of a result, whose accelerations are found at its own time, says the same */
    nt_state out, shown = nt_integrator_state(m.integrator);
    double q[400];
    memcpy(q, shown.q, (size_t)nt_run_system(m.run)->space.nq * sizeof *q);
    q[2] += 8e-4;
    shown.q = q;
    assert_int_equal(nt_integrator_balance(m.integrator, &shown, &out, &error), NT_NOT_FINITE);
    for (size_t i = 1; i < sizeof words / sizeof words[0] - 1; i++)
        if (!strstr(error.message, i == 3 ? "has left the groove of the" : words[i]))
            fail_msg("message lacks '%s': %s", words[i], error.message);
    mechanism_close(&m);
    write_hard(text, sizeof text,
               "axial: 0, radial: 0, clear: 1e-5, z: 8e-4, slow: 1, play: 2e-4, grip: 0.05");
    mechanism_refused(text, (const char *const[]){"bearing b has no value at the start",
                                                  "ball 1 has left the groove of the", NULL});
}

/* The least margin of the ellipse at the ends of steps, where there is no shoulder in its way. */
typedef struct margins {
    mechanism *m;
    double least, at; /* rad; s */
    int steps_below;  /* of those that came under `below` */
    double below;
} margins;

static int look_at_margin(void *context, const nt_integrator *integrator)
{
    margins *found = context;
    double margin = mechanism_number(found->m, "b.ball1.outer.shoulder_margin");
    if (margin < found->least)
        found->least = margin, found->at = nt_integrator_state(integrator).t;
    found->steps_below += margin < found->below;
    return 0;
}

static margins margins_of(const char *method, double tolerance, double shoulder, double below,
                          char *warning, int size)
{
    char text[2000], one[2100];
    nt_error error = {0};
    write_hard(text, sizeof text,
               "axial: 2e4, radial: 0, clear: 1e-5, z: 3e-4, slow: 1, play: 2e-4, grip: 0.05");
    const char *rest = strstr(text, "clearance: clear");
    snprintf(one, sizeof one, "%.*souter_shoulder: %.17g, inner_shoulder: 0.45, %s",
             (int)(rest - text), text, shoulder, rest);
    mechanism m = mechanism_read(one);
    margins found = {.m = &m, .least = 1, .below = below};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(method),
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance},
                                 .energy_check = NT_ENERGY_UNWATCHED};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    assert_int_equal(nt_integrator_run(m.integrator, 1.5e-3, 5e-7, look_at_margin, &found, &error),
                     NT_OK);
    nt_run_warning(m.run, 0, warning, size);
    mechanism_close(&m);
    return found;
}

/* An ellipse that goes over its shoulder for a few steps alone, by a hundredth of a degree, is said
 * by every method, without a watch: by how much, and when. One that stays within is not. */
static void no_shoulder_is_missed(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double tolerance;
    } ways[] = {{"semi-explicit-2", 0}, {"semi-explicit", 0}, {"rkmk-dop853", 1e-6}, {"bdf", 1e-5}};
    static const double DEG = 3.14159265358979323846 / 180, OVER = 0.01; /* deg */
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char warning[500];
        double t = ways[i].tolerance, by, at;
        margins within = margins_of(ways[i].method, t, 0.45, 0, warning, sizeof warning);
        assert_string_equal(warning, "");
        assert_true(within.least > 0);
        double last = acos(1 - 0.45 / 0.52) - within.least; /* where its edge comes to */
        margins over =
            margins_of(ways[i].method, t, 0.52 * (1 - cos(last - OVER * DEG)), 0, warning, 500);
        CLOSE(over.least, -OVER * DEG, 1e-9);
        assert_true(over.steps_below > 0 && over.steps_below < 200);
        const char *words = strstr(warning, "shoulder of the outer ring, by ");
        if (!words ||
            sscanf(words, "shoulder of the outer ring, by %lf deg at t = %lf", &by, &at) != 2)
            fail_msg("%s: '%s'", ways[i].method, warning);
        CLOSE(by, OVER, 2e-3); /* within a step it may be further over */
        CLOSE(at, over.at, 3e-6);
        margins_of(ways[i].method, t, 0.52 * (1 - cos(last + OVER * DEG)), 0, warning, 500);
        assert_string_equal(warning, "");
    }
}

/* Where a ring is pressed against a ball, that ball and that ring have gained most. */
static void the_ball_that_gained_most(void **state)
{
    (void)state;
    char text[2000], name[160];
    write_hard(text, sizeof text,
               "axial: 0, radial: 0, clear: 0, z: 0, slow: 1, play: 2e-4, grip: 0.05");
    mechanism m = mechanism_read(text);
    const nt_system *s = nt_run_system(m.run);
    double q[100];
    assert_true(s->space.nq <= 100);
    memcpy(q, m.q, (size_t)s->space.nq * sizeof *q);
    q[0] += 5e-5; /* the shaft, towards ball 1 */
    nt_point from = {.q = m.q, .v = m.v, .vdot = m.v, .lambda = m.v, .mu = m.v}, to = from;
    to.q = q;
    s->energy_gained(s->self, &from, &to, -1, name, sizeof name);
    assert_string_equal(name, "bearing b: ball 1 on the inner ring");
    mechanism_close(&m);
}

/* The lines of a flaw in the outer race stand at multiples of balls * speed of the cage: in the
 * housing's acceleration they are most of what there is. */
static void flaw_shows_its_lines(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {house: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]},\n"
        "  shaft: {mass: 0.5, inertia: [1e-3, 1e-3, 1e-4], angular_velocity: [0, 0, 600],\n"
        "          velocity: [0, 0, 0]}}\n"
        "joints: {drive: {type: parallel, between: [ground, shaft], at: [0, 0, 0], axis: [0, 0, "
        "1],\n"
        "         motion: 600*t}}\n"
        "forces:\n"
        "  mount: {type: bushing, between: [ground, house], at: [0, 0, 0], stiffness: [2e7, 2e7, "
        "2e7,\n"
        "          1e5, 1e5, 1e5], damping: [3e3, 3e3, 3e3, 5, 5, 5]}\n"
        "  radial: {type: force, on: shaft, value: [0, -500, 0]}\n"
        "bearings: {b: {designation: \"6205\", outer: house, inner: shaft, at: [0, 0, 0],\n"
        "  axis: [0, 0, 1], clearance: 2e-6, outer_flaw: {angle: -pi/2, width: 0.04, depth: "
        "3e-6}}}\n";
    enum { N = 800 };
    double rps = 600 / (2 * acos(-1.0)), line = 4.5 * (1 - 7.94 / 39.04) * rps; /* 342.3 Hz */
    double start = 0.01, period = 10 / line, all = 0, lines = 0, a[N], mean = 0;
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("semi-explicit-2")};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    for (int i = 0; i < N; i++) {
        double acceleration[3];
        mechanism_run(&m, start + period * i / N, 4e-6);
        mechanism_get(&m, "house.acceleration", acceleration);
        a[i] = acceleration[1];
        mean += a[i] / N;
    }
    for (int k = 1; k < 120; k++) { /* ten periods of the line */
        double re = 0, im = 0;
        for (int i = 0; i < N; i++) {
            double x = 2 * acos(-1.0) * k * i / N;
            double window = 1 - cos(2 * acos(-1.0) * i / N); /* Hann's: a line is three wide */
            re += window * (a[i] - mean) * cos(x), im += window * (a[i] - mean) * sin(x);
        }
        all += re * re + im * im;
        lines += (k + 1) % 10 <= 2 ? re * re + im * im : 0;
    }
    CLOSE(lines / all, 1, 0.1);
    mechanism_close(&m);
}

/* Indentations on the outer race at the start, with these flaws in it. */
static void indent(const char *flaws, double found[8])
{
    char text[1000];
    snprintf(text, sizeof text,
             "nutate: 1\ngravity: [0, 0, 0]\nbodies: {shaft: {mass: 1, inertia: [1, 1, 1]}}\n"
             "bearings: {b: {designation: \"6204\", outer: ground, inner: shaft, at: [0, 0, 0],\n"
             "               axis: [0, 0, 1], clearance: -1e-5%s}}\n",
             flaws);
    looked l = look_at(text);
    for (int i = 0; i < 8; i++) {
        char name[40];
        snprintf(name, sizeof name, "b.ball%d.outer.indentation", i + 1);
        found[i] = number(&l, name);
    }
    let_go(&l);
}

/* Two dents in one race, each by itself and together: a quarter of the way from its middle to its
 * edge a dent has lost cos^2(pi/8) of its depth. */
static void flaws_add_up(void **state)
{
    (void)state;
    double none[8], first[8], second[8], both[8], depth = 2e-6 * pow(cos(acos(-1.0) / 8), 2);
    indent("", none);
    indent(", outer_flaw: {angle: 0.01, width: 0.04, depth: 2e-6}", first);
    indent(", outer_flaw: {angle: [pi/2], width: [0.04], depth: [1e-6]}", second);
    indent(", outer_flaw: {angle: [0.01, pi/2], width: [0.04, 0.04], depth: [2e-6, 1e-6]}", both);
    CLOSE(none[0] - first[0], depth, 1e-12);
    CLOSE(none[2] - second[2], 1e-6, 1e-12);
    for (int i = 0; i < 8; i++)
        CLOSE(both[i], first[i] + second[i] - none[i], 1e-12);
}

/* ---- ways to compute the same -------------------------------------------------------------------
 */

/* The inner ring's given rotation is put in, or has multipliers, as the user chooses: the same
 * motion and the same torque of the drive. */
static void a_given_rotation_either_way(void **state)
{
    (void)state;
    static const char *const ways[] = {"eliminate", "multipliers"};
    static const char *const methods[] = {"semi-explicit", "semi-explicit-2"};
    static const char *const names[] = {"b.ball1.outer.force", "b.cage.speed", "b.torque"};
    for (int k = 0; k < 2; k++) {
        double found[2][3], torque[2][3];
        for (int i = 0; i < 2; i++) {
            mechanism m = mechanism_read(b1);
            nt_error error = {0};
            nt_option option = {"given_rotations", ways[i]};
            nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                         .method = nt_method_find(methods[k]),
                                         .options = &option,
                                         .n_options = 1};
            assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
            assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error),
                             NT_OK);
            mechanism_run(&m, 2e-4, 1e-6);
            long made = nt_integrator_statistics(m.integrator)->factorisations;
            assert_true(i == 0 ? made < 10 : made >= 200);
            for (int j = 0; j < 3; j++)
                mechanism_get(&m, names[j], &found[i][j]);
            mechanism_get(&m, "turn.torque", torque[i]);
            mechanism_close(&m);
        }
        for (int j = 0; j < 3; j++) {
            CLOSE(found[1][j], found[0][j], 1e-9 * fabs(found[0][j]));
            CLOSE(torque[1][j], torque[0][j], 1e-7 * fabs(torque[0][2]));
        }
    }
}

/* Relations that are often quoted give the damping that they say. */
static void restitution_by_other_relations(void **state)
{
    (void)state;
    static const struct {
        const char *relation;
        double p; /* damping * speed for a coefficient of 0.5 */
    } cases[] = {{"exact", 1.432751}, {"hunt_crossley", 0.75}, {"flores", 1.6}};
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies: {ring: {mass: 1, inertia: [1, 1, 1]}}\nbearings: {b: "
                 "{designation: \"6206\", outer: ground, inner: ring, at: [0, 0, 0], axis: [0, 0, "
                 "1], restitution: {coefficient: 0.5, speed: 0.2, relation: %s}}}\n",
                 cases[i].relation);
        looked l = look_at(text);
        const nt_element *e = NULL;
        for (int k = 0; k < l.model->n_elements; k++)
            if (l.model->elements[k].type == &nt_bearing_ball)
                e = &l.model->elements[k];
        assert_non_null(e);
        CLOSE(nt_bearing_of(l.run, e)->races[NT_OUTER].law.damping, cases[i].p / 0.2, 1e-5);
        let_go(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_begin_in_equilibrium),
        cmocka_unit_test(paper_s_case_is_reproduced),
        cmocka_unit_test(derivatives_of_the_paper_s_case),
        cmocka_unit_test(statics_of_axial_load),
        cmocka_unit_test(power_balances),
        cmocka_unit_test(momenta_are_kept),
        cmocka_unit_test(tangents_agree_with_differences),
        cmocka_unit_test(hard_cases_run),
        cmocka_unit_test(a_ball_leaves_its_groove),
        cmocka_unit_test(no_shoulder_is_missed),
        cmocka_unit_test(the_ball_that_gained_most),
        cmocka_unit_test(flaw_shows_its_lines),
        cmocka_unit_test(flaws_add_up),
        cmocka_unit_test(a_given_rotation_either_way),
        cmocka_unit_test(restitution_by_other_relations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
