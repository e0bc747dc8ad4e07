/* Modes against formulas: a bicycle, rotors, tops, pendulums; both finders; refusals. */
#include "analysis/found_modes.h"

/* ---- Whipple's bicycle
 * ------------------------------------------------------------------------------ */

static const char bicycle_file[] = NUTATE_SOURCE_DIR "/examples/bicycle/bicycle.yaml";

static void open_bicycle(found *f, double speed)
{
    char value[40];
    snprintf(value, sizeof value, "%.17g", speed);
    const nt_setting setting = {"v", value};
    *f = (found){0};
    if (nt_model_read(&f->model, bicycle_file, &setting, 1, &f->error) ||
        nt_run_create(&f->run, f->model, &f->error) ||
        nt_reference_create(&f->reference, f->run, NT_ABOUT_STEADY, &f->error))
        fail_msg("%s", f->error.message);
    f->state = nt_reference_state(f->reference);
    const nt_modes_setup setup = {.system = nt_run_system(f->run), .state = &f->state};
    if (nt_modes_create(&f->modes, &setup, &f->error))
        fail_msg("%s", f->error.message);
}

/* Eigenvalues of table 2 of Meijaard, Papadopoulos, Ruina & Schwab (2007). */
static void test_bicycle_eigenvalues(void **state)
{
    static const struct {
        double speed, weave[2], capsize, castering;
    } rows[] = {
        {1, {3.526961709900701, 0.80774027519930}, -3.134231250665820, -7.110080146374419},
        {2, {2.682345175127722, 1.68066296590675}, -3.071586456415100, -8.673879848316930},
        {5, {-0.775341882195845, 4.46486771378823}, -0.322866429004087, -14.07838969279822},
        {10, {-3.720166108683690, 10.9068153934764}, 0.161053386531727, -24.62462900000000}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        found f;
        open_bicycle(&f, rows[i].speed);
        double tolerance = rows[i].speed < 10 ? 1e-9 : 1e-6;
        if (rows[i].speed < 10) {
            found_has(&f, rows[i].weave[0], rows[i].weave[1], tolerance);
            found_has(&f, rows[i].castering, 0, tolerance);
        }
        found_has(&f, rows[i].capsize, 0, tolerance);
        found_close(&f);
    }
}

/* Growth rate of the weave, or of the capsize. */
static double growth(double speed, bool weave)
{
    found f;
    double rate = (double)NAN;
    open_bicycle(&f, speed);
    for (int i = 0; i < nt_modes_count(f.modes); i++) {
        nt_mode mode = nt_modes_at(f.modes, i);
        bool swings = mode.eigenvalue[1] > 1e-3;
        if (!mode.moves_freely && swings == weave && fabs(mode.eigenvalue[0]) < 1)
            rate = mode.eigenvalue[0];
    }
    found_close(&f);
    return rate;
}

static double zero_of(double low, double high, bool weave)
{
    double sign = growth(low, weave);
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (growth(middle, weave) * sign > 0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static void test_bicycle_is_stable_between(void **state)
{
    (void)state;
    found_close_to(zero_of(4.2, 4.4, true), 4.292382536341, 1e-8);
    found_close_to(zero_of(5.9, 6.1, false), 6.024262015388, 1e-8); /* where s is lost in zeros */
}

/* ---- rotors and tops
 * ---------------------------------------------------------------------------------- */

/* A disk on a bearing that is equally stiff about: its centre moves at sqrt(k/m); its axis nods by
 * J s^2 - i Jp w s + k = 0, forward and backward. */
static void test_jeffcott_rotor(void **state)
{
    const double m = 3, J = 0.02, Jp = 0.035, k = 4e4, c = 400, w = 300;
    const char *text = "nutate: 1\ngravity: [0, 0, 0]\n"
                       "bodies: {disk: {mass: 3, inertia: [0.035, 0.02, 0.02]}}\n"
                       "forces:\n"
                       "  left: {type: bushing, between: [ground, disk], at: [-0.1, 0, 0],\n"
                       "    stiffness: [5e4, 2e4, 2e4, 0, 0, 0]}\n"
                       "  right: {type: bushing, between: [ground, disk], at: [0.1, 0, 0],\n"
                       "    stiffness: [5e4, 2e4, 2e4, 0, 0, 0]}\n"
                       "steady: {turn: {axis: [1, 0, 0], rate: 300}}\n";
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    double half = Jp * w / (2 * J), root = sqrt(half * half + c / J);
    found_close_to(f.turn[0], 0, 0);
    found_has(&f, 0, sqrt(k / m), 1e-12);
    found_has(&f, 0, half + root, 1e-12);
    found_has(&f, 0, root - half, 1e-12);
    found_has(&f, 0, sqrt(1e5 / m), 1e-12);
    found_close(&f);
}

/* Two masses' worth of unequal stiffness: the whirl splits in ground axes; and a disk of unequal
 * moments on an even bearing looks the same in axes that turn alone. */
static void test_rotor_that_is_not_round(void **state)
{
    const double Jx = 0.035, Jy = 0.02, Jz = 0.025, c = 400, w = 100;
    const char *text = "nutate: 1\ngravity: [0, 0, 0]\n"
                       "bodies: {disk: {mass: 3, inertia: [0.035, 0.02, 0.025]}}\n"
                       "forces:\n"
                       "  left: {type: bushing, between: [ground, disk], at: [-0.1, 0, 0],\n"
                       "    stiffness: [5e4, 2e4, 2e4, 0, 0, 0]}\n"
                       "  right: {type: bushing, between: [ground, disk], at: [0.1, 0, 0],\n"
                       "    stiffness: [5e4, 2e4, 2e4, 0, 0, 0]}\n"
                       "steady: {turn: {axis: [1, 0, 0], rate: 100}}\n";
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    found_close_to(f.turn[0], 100, 1e-15);
    /* Jy y'' + ((Jx - Jz) w^2 + c) y - (Jy + Jz - Jx) w z' = 0 and so on: the polynomial in s^2 */
    double A = Jy * Jz, ky = (Jx - Jz) * w * w + c, kz = (Jx - Jy) * w * w + c;
    double g = (Jy + Jz - Jx) * w, B = Jy * kz + Jz * ky + g * g, C = ky * kz;
    double root = sqrt(B * B - 4 * A * C);
    found_has(&f, 0, sqrt((B + root) / (2 * A)), 1e-11);
    found_has(&f, 0, sqrt((B - root) / (2 * A)), 1e-11);
    found_close(&f);
}

/* An upright top: J s^2 - i J3 w s - m g l = 0. */
static void test_sleeping_top(void **state)
{
    const double J = 0.08, J3 = 0.02, w = 60, moment = 2 * 9.81 * 0.15;
    const char *text =
        "nutate: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {top: {mass: 2, inertia: [0.035, 0.035, 0.02], position: [0, 0, 0.15],\n"
        "  fixed_point: [0, 0, 0]}}\n"
        "steady: {spin: {axis: [0, 0, 1], rate: 60}}\n";
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    double half = J3 * w / (2 * J), root = sqrt(half * half - moment / J);
    found_has(&f, 0, half + root, 1e-12); /* nutation */
    found_has(&f, 0, half - root, 1e-12); /* precession */
    found_has(&f, 0, 0, 1e-12);
    found_close(&f);
}

/* A top whose axis leans by 1 rad: with precession p and spin given, (J3 w3 - J1 p cos) p = m g l;
 * its nutation in axes that turn with the precession is at J1^2 s^2 = -((J3 w3)^2 - 2 J1 p cos (2 m
 * g l + ...)), here by the reduced potential: J1 th'' = -dV/dth, V the potential with both momenta
 * held. */
static void test_precessing_top(void **state)
{
    const double J = 0.08, J3 = 0.02, moment = 2 * 9.81 * 0.15, p = 2, lean = 1;
    double w3 = (moment / p + J * p * cos(lean)) / J3, spin = w3 - p * cos(lean);
    char text[1400];
    snprintf(text, sizeof text,
             "nutate: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  cage: {mass: 1e-9, inertia: [1e-14, 1e-14, 1e-14], position: [0, 0, 0]}\n"
             "  top: {mass: 2, inertia: [0.035, 0.035, 0.02], position: [%.17g, 0, %.17g],\n"
             "    orientation: {axis: [0, 1, 0], angle: 1.02}}\n"
             "joints:\n  neck: {type: universal, between: [ground, cage], at: [0, 0, 0],\n"
             "    axes: [[0, 0, 1], [0, 1, 0]]}\n"
             "  bearing: {type: revolute, between: [cage, top], at: [0, 0, 0],\n"
             "    axis: [%.17g, 0, %.17g]}\n"
             "steady: {precession: {axis: [0, 0, 1], rate: 2}, bearing: {rate: %.17g}}\n",
             0.15 * sin(1.02), 0.15 * cos(1.02), sin(1.02), cos(1.02), spin);
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    /* found at another lean than it was placed at */
    found_close_to(cos(lean),
                   (2 * (f.state.q[10] * f.state.q[10]) - 1 + 2 * f.state.q[13] * f.state.q[13]),
                   1e-7);
    double L3 = J3 * w3, Lz = J * p * sin(lean) * sin(lean) + L3 * cos(lean);
    double h = 1e-4, V[3];
    for (int i = 0; i < 3; i++) {
        double th = lean + (i - 1) * h, u = Lz - L3 * cos(th);
        V[i] = u * u / (2 * J * sin(th) * sin(th)) + moment * cos(th);
    }
    found_has(&f, 0, sqrt((V[0] - 2 * V[1] + V[2]) / (h * h) / J), 1e-5);
    found_close(&f);
}

/* A mass on a string of length 1 m that goes round with w: cos = g/w^2; it nods at
 * w sqrt(1 + 3 cos^2). The placement is where it would hang at another rate. */
static void test_conical_pendulum(void **state)
{
    const char *text = "nutate: 1\ngravity: [0, 0, -9.81]\n"
                       "bodies: {bob: {mass: 2, point: true, position: [0.6, 0, -0.8]}}\n"
                       "joints: {string: {type: distance, between: [ground, bob],\n"
                       "  points: [[0, 0, 0], [0, 0, 0]], length: 1}}\n"
                       "steady: {round: {axis: [0, 0, 1], rate: 4}}\n";
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    double cosine = 9.81 / 16;
    found_close_to(f.state.q[2], -cosine, 1e-12);
    found_has(&f, 0, 4 * sqrt(1 + 3 * cosine * cosine), 1e-11);
    found_close(&f);
}

/* A blade on a hinge along the shaft, e beside it, lags behind at w sqrt(e b m / (I + m b^2)): its
 * masses look the same in ground axes, but the place of the hinge goes round. */
static void test_lag_hinge(void **state)
{
    const char *text =
        "nutate: 1\nparameters: {w: 20, e: 0.2, b: 0.8}\ngravity: [0, 0, 0]\n"
        "bodies:\n  hub: {mass: 4, inertia: [1, 1, 1]}\n"
        "  blade: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [e + b, 0, 0]}\n"
        "joints:\n  shaft: {type: revolute, between: [ground, hub], at: [0, 0, 0],\n"
        "    axis: [0, 0, 1], motion: w*t}\n"
        "  lag: {type: revolute, between: [hub, blade], at: [e, 0, 0], axis: [0, 0, 1]}\n"
        "steady: {spin: {axis: [0, 0, 1], rate: w}}\n";
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    assert_int_equal(nt_modes_count(f.modes), 1);
    found_has(&f, 0, 20 * sqrt(0.2 * 0.8 / (0.1 + 0.8 * 0.8)), 1e-11);
    found_close(&f);
}

/* A plate on a hinge across the shaft, whose rate is that of the joint: it nods at
 * w sqrt((I3 - I1) / I2), and the hinge turns. */
static void test_hinge_across(void **state)
{
    const char *text =
        "nutate: 1\nparameters: {w: 5}\ngravity: [0, 0, 0]\n"
        "bodies:\n  hub: {mass: 1, inertia: [1, 1, 1]}\n"
        "  plate: {mass: 1, inertia: [1, 1, 1.5]}\n"
        "joints:\n  shaft: {type: revolute, between: [ground, hub], at: [0, 0, 0],\n"
        "    axis: [0, 0, 1], motion: w*t}\n"
        "  hinge: {type: revolute, between: [hub, plate], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "steady: {shaft: {rate: w}}\n";
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    assert_int_equal(nt_modes_count(f.modes), 1);
    found_has(&f, 0, 5 * sqrt(0.5), 1e-11);
    found_close(&f);
}

/* A motor against drag: the rate that is left out is where they balance, 5 N m over 0.25 N m s. */
static void test_rate_that_is_found(void **state)
{
    const char *text = "nutate: 1\ngravity: [0, 0, 0]\n"
                       "bodies: {disk: {mass: 3, inertia: [0.03, 0.02, 0.02]}}\n"
                       "joints: {hub: {type: revolute, between: [ground, disk], at: [0, 0, 0],\n"
                       "  axis: [1, 0, 0], friction: {dry: 0, viscous: 0.25, slip: 1}}}\n"
                       "forces: {motor: {type: joint_torque, joint: hub, value: 5}}\n"
                       "steady: {hub: {}}\n";
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    assert_string_equal(nt_reference_rate_name(f.reference, 0), "hub");
    found_close_to(nt_reference_rate(f.reference, 0), 20, 1e-12);
    found_has(&f, -0.25 / 0.03, 0, 1e-12);
    found_close(&f);
}

/* ---- linkages at rest
 * --------------------------------------------------------------------------------- */

static const char pendulums[] =
    "nutate: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n  a: {mass: 1, point: true, position: [0.3, -0.9, 0]}\n"
    "  b: {mass: 1, point: true, position: [0.6, -1.8, 0]}\n"
    "joints:\n"
    "  s: {type: distance, between: [ground, a], points: [[0, 0, 0], [0, 0, 0]], length: 1}\n"
    "  t: {type: distance, between: [a, b], points: [[0, 0, 0], [0, 0, 0]], length: 1}\n"
    "initial: {correct: true}\n";

/* Two equal pendulums, one below the other: g/l (2 -+ sqrt 2), in two directions alike. */
/* All is driven: there is nothing to shake. */
static void test_no_freedom(void **state)
{
    static const char text[] =
        "nutate: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
        "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], "
        "motion: 3*t}\n";
    found f;
    (void)state;
    found_open(&f, text, NT_ABOUT_INITIAL, (nt_modes_setup){0});
    assert_int_equal(nt_modes_count(f.modes), 0);
    found_close(&f);
}

static void test_double_pendulum(void **state)
{
    found f;
    (void)state;
    found_open(&f, pendulums, NT_ABOUT_STATIC, (nt_modes_setup){0});
    assert_int_equal(nt_modes_count(f.modes), 4);
    double mass = 0;
    for (int i = 0; i < 4; i++) {
        nt_mode mode = nt_modes_at(f.modes, i);
        double square = 9.81 * (2 + (i < 2 ? -1 : 1) * sqrt(2));
        found_close_to(mode.eigenvalue[1], sqrt(square), 1e-12);
        found_close_to(mode.frequency, sqrt(square) / (2 * acos(-1)), 1e-12);
        assert_true(mode.residual < 1e-13);
        assert_int_equal(mode.group, i < 2 ? 0 : 2);
        mass += mode.effective_mass[0];
    }
    found_close_to(mass, 2, 1e-12); /* all of it swings along x */
    found_close(&f);
}

/* Damping: m s^2 + c s + k = 0. */
static void test_damped_masses(void **state)
{
    const char *text = "nutate: 1\ngravity: [0, 0, 0]\n"
                       "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
                       "forces: {mount: {type: bushing, between: [ground, cart], at: [0, 0, 0],\n"
                       "  stiffness: [800, 50, 0, 10, 10, 10], damping: [8, 40, 6, 0, 0, 0]}}\n";
    found f;
    char words[300];
    (void)state;
    found_open(&f, text, NT_ABOUT_STATIC, (nt_modes_setup){0});
    found_has(&f, -2, sqrt(400 - 4), 1e-13);
    found_has(&f, -10 + sqrt(75), 0, 1e-13); /* overdamped: two real ones */
    found_has(&f, -10 - sqrt(75), 0, 1e-13);
    found_has(&f, 0, 0, 1e-13); /* along z nothing holds it */
    found_has(&f, -3, 0, 1e-13);
    nt_mode first = nt_modes_at(f.modes, 0);
    assert_true(first.moves_freely);
    nt_modes_words(f.modes, 0, words, sizeof words);
    assert_non_null(strstr(words, "translation of body cart along z"));
    for (int i = 0; i < nt_modes_count(f.modes); i++) {
        nt_mode mode = nt_modes_at(f.modes, i);
        if (mode.eigenvalue[1] > 15)
            found_close_to(mode.damping_ratio, 0.1, 1e-12);
    }
    found_close(&f);
}

/* ---- large models
 * -------------------------------------------------------------------------------------- */

/* A shaft of n disks on two bearings of unequal stiffness. To be freed. */
static char *shaft(int n, double rate)
{
    size_t room = 1000 + (size_t)n * 300, used = 0;
    char *text = malloc(room);
    double h = 1.0 / (n - 1);
    assert_non_null(text);
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    SAY("nutate: 1\ngravity: [0, 0, 0]\nbodies:\n");
    for (int i = 0; i < n; i++)
        SAY("  d%d: {mass: 0.2, inertia: [2e-4, 1e-4, 1e-4], position: [%.17g, 0, 0]}\n", i, i * h);
    SAY("forces:\n");
    for (int i = 0; i + 1 < n; i++)
        SAY("  s%d: {type: bushing, between: [d%d, d%d], at: [%.17g, 0, 0],\n"
            "    stiffness: [%g, %g, %g, %g, %g, %g]}\n",
            i, i, i + 1, (i + 0.5) * h, 1e8 / h, 4e7 / h, 4e7 / h, 1.5e4 / h, 2e4 / h, 2e4 / h);
    for (int i = 0; i < 2; i++)
        SAY("  b%d: {type: bushing, between: [ground, d%d], at: [%d, 0, 0],\n"
            "    stiffness: [1e6, 1e6, 1.2e6, 0, 0, 0], damping: [0, 30, 30, 0, 0, 0]}\n",
            i, i * (n - 1), i);
    SAY("steady: {turn: {axis: [1, 0, 0], rate: %g}}\n", rate);
#undef SAY
    return text;
}

static void compare_finders(const char *text, nt_about about, double tolerance)
{
    found small, large;
    found_open(&small, text, about, (nt_modes_setup){.dense = 1});
    found_open(&large, text, about, (nt_modes_setup){.count = 8, .sparse = 1});
    assert_string_equal(nt_modes_finder(small.modes), "LAPACK");
    assert_string_equal(nt_modes_finder(large.modes), "ARPACK");
    assert_int_equal(nt_modes_count(large.modes), 8);
    for (int i = 0; i < 8; i++) {
        nt_mode a = nt_modes_at(small.modes, i), b = nt_modes_at(large.modes, i);
        double size = fmax(hypot(a.eigenvalue[0], a.eigenvalue[1]), 1);
        found_close_to(b.eigenvalue[0] / size, a.eigenvalue[0] / size, tolerance);
        found_close_to(b.eigenvalue[1] / size, a.eigenvalue[1] / size, tolerance);
        assert_true(b.residual < 1e-12);
    }
    found_close(&small);
    found_close(&large);
}

static void test_both_finders(void **state)
{
    char *text = shaft(20, 300);
    (void)state;
    compare_finders(text, NT_ABOUT_STEADY, 1e-8);
    compare_finders(text, NT_ABOUT_STATIC, 1e-8);
    char *undamped = strdup(text);
    assert_non_null(undamped);
    for (char *at; (at = strstr(undamped, "damping: [0, 30, 30")) != NULL;)
        memcpy(at, "damping: [0,  0,  0", strlen("damping: [0,  0,  0"));
    compare_finders(undamped, NT_ABOUT_STATIC, 1e-9);
    free(undamped);
    free(text);
}

/* ---- over a parameter
 * ------------------------------------------------------------------------------- */

/* Two carts that do not know of each other, one stiffening: their frequencies cross, and each mode
 * goes on with its own cart. */
static void test_crossing(void **state)
{
    const char *text = "nutate: 1\nparameters: {k: 1}\ngravity: [0, 0, 0]\n"
                       "bodies:\n  a: {mass: 1, point: true, position: [0, 0, 0]}\n"
                       "  b: {mass: 1, point: true, position: [1, 0, 0]}\n"
                       "  c: {mass: 1, point: true, position: [1, 2, 0]}\n"
                       "forces:\n"
                       "  s: {type: spring, between: [ground, a], at: [[-1, 0, 0], [0, 0, 0]],\n"
                       "    stiffness: k, length: 1}\n"
                       "  t: {type: spring, between: [ground, b], at: [[2, 0, 0], [1, 0, 0]],\n"
                       "    stiffness: 4, length: 1}\n"
                       "  u: {type: spring, between: [ground, c], at: [[2, 2, 0], [1, 2, 0]],\n"
                       "    stiffness: 9.5, length: 1}\n";
    nt_model *model;
    nt_run *run;
    nt_campbell *c;
    nt_error error = {0};
    double values[11];
    (void)state;
    if (nt_model_read_text(&model, text, strlen(text), "model", NULL, NULL, 0, &error) ||
        nt_run_create(&run, model, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < 11; i++)
        values[i] = 1 + i;
    const nt_campbell_setup setup = {
        .run = run, .parameter = "k", .values = values, .n_values = 11, .about = NT_ABOUT_INITIAL};
    if (nt_campbell_create(&c, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
    int followed = 0;
    for (int i = 0; i < nt_campbell_count(c); i++) {
        double s[2], likeness;
        nt_campbell_at(c, i, 0, s, NULL);
        bool grows = fabs(s[1] - 1) < 1e-9;
        if (s[1] == 0)
            continue;
        followed++;
        double first = s[1];
        for (int k = 0; k < 11; k++) {
            nt_campbell_at(c, i, k, s, &likeness);
            found_close_to(s[1], grows ? sqrt(values[k]) : first, 1e-9);
            found_close_to(likeness, 1, 1e-9);
        }
    }
    assert_int_equal(followed, 3);
    nt_campbell_destroy(c);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

/* ---- derivatives ------------------------------------------------------------------------------
 */

/* Of every eigenvalue and shape, by modes at values beside. */
static void check_rates(const char *text, const char *parameter, double value, nt_about about,
                        double tolerance)
{
    static const double at[] = {0, -2, -1, 1, 2};
    found f[5];
    nt_mode_rates *rates;
    const double h = 2e-4 * fmax(1, fabs(value));
    for (int k = 0; k < 5; k++) {
        found_open(&f[k], text, about, (nt_modes_setup){0});
        nt_modes_destroy(f[k].modes);
        nt_reference_destroy(f[k].reference);
        f[k].modes = NULL, f[k].reference = NULL;
        assert_int_equal(nt_model_set(f[k].run, parameter, value + at[k] * h, &f[k].error), NT_OK);
        assert_int_equal(nt_reference_create(&f[k].reference, f[k].run, about, &f[k].error), NT_OK);
        f[k].state = nt_reference_state(f[k].reference);
        nt_reference_turn(f[k].reference, f[k].turn);
        const nt_modes_setup setup = {
            .system = nt_run_system(f[k].run), .state = &f[k].state, .turn = f[k].turn};
        assert_int_equal(nt_modes_create(&f[k].modes, &setup, &f[k].error), NT_OK);
    }
    if (nt_mode_rates_create(&rates, f[0].modes, f[0].run, about, parameter, &f[0].error) != NT_OK)
        fail_msg("%s", f[0].error.message);
    for (int i = 0; i < nt_modes_count(f[0].modes); i++) {
        nt_mode_rate rate = nt_mode_rates_at(rates, i);
        nt_mode mode = nt_modes_at(f[0].modes, i);
        if (mode.moves_freely || rate.repeated)
            continue;
        for (int j = -2; j < nt_run_system(f[0].run)->space.nv; j++) {
            double y[5];
            for (int k = 1; k < 5; k++)
                y[k] = j < 0 ? nt_modes_at(f[k].modes, i).eigenvalue[j + 2]
                             : nt_modes_at(f[k].modes, i).shape[0][j];
            double slope = (y[1] - 8 * y[2] + 8 * y[3] - y[4]) / (12 * h);
            found_close_to(j < 0 ? rate.eigenvalue[j + 2] : rate.shape[0][j], slope, tolerance);
        }
    }
    nt_mode_rates_destroy(rates);
    for (int k = 0; k < 5; k++)
        found_close(&f[k]);
}

static void test_derivatives(void **state)
{
    const char *text =
        "nutate: 1\nparameters: {k: 300, m: 2, w: 4}\ngravity: [0, 0, -0.5]\n"
        "bodies:\n  a: {mass: m, inertia: [0.1, 0.2, 0.25], position: [0.2, 0, -0.5]}\n"
        "  b: {mass: 1, inertia: [0.02, 0.03, 0.04], position: [0.5, 0.1, -1]}\n"
        "joints: {pin: {type: spherical, between: [a, b], at: [0.4, 0, -0.8]}}\n"
        "forces:\n"
        "  s: {type: bushing, between: [ground, a], at: [0, 0, 0],\n"
        "    stiffness: [k, 2*k, 500, 10, 20, 30], damping: [1, 2, 3, 0.1, 0.2, 0.3]}\n"
        "  t: {type: bushing, between: [ground, b], at: [0.5, 0.3, -1],\n"
        "    stiffness: [40, 50, 60, 3, 2, 1], damping: [1, 1, 1, 0.1, 0.1, 0.1]}\n";
    const char *round = "nutate: 1\nparameters: {w: 4}\ngravity: [0, 0, -9.81]\n"
                        "bodies: {bob: {mass: 2, point: true, position: [0.8, 0, -0.6]}}\n"
                        "joints: {string: {type: distance, between: [ground, bob],\n"
                        "  points: [[0, 0, 0], [0, 0, 0]], length: 1}}\n"
                        "steady: {round: {axis: [0, 0, 1], rate: w}}\n";
    (void)state;
    check_rates(text, "k", 300, NT_ABOUT_STATIC, 1e-8);
    check_rates(text, "m", 2, NT_ABOUT_STATIC, 1e-7);
    check_rates(round, "w", 4, NT_ABOUT_STEADY, 1e-7);
}

/* A beam on a free hub that turns at 2 rad/s, 1e8 times as stiff along itself as in bending and
 * with hardly any rotary inertia: its slow modes are not lost beside frequencies of 1e8 rad/s, nor
 * beside the turning, which nothing resists. Flapping: Wright et al. 1982. */
static void test_slow_beside_fast(void **state)
{
    const char *text =
        "nutate: 1\ngravity: [0, 0, 0]\nbodies: {hub: {mass: 1, inertia: [1, 1, 1]}}\n"
        "beams: {b: {points: [[0, 0, 0], [1, 0, 0]], order: 12, elements: 1, sections: [{\n"
        "  stiffness: [1e8, 1e8, 1e8, 1, 1, 4], mass: [1, 1, 1, 2e-8, 1e-8, 1e-8]}]}}\n"
        "joints:\n"
        "  shaft: {type: revolute, between: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  root: {type: fixed, between: [hub, b.root]}\n"
        "steady: {spin: {axis: [0, 0, 1], rate: 2}}\n";
    found f;
    int free = 0;
    (void)state;
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){0});
    for (int i = 0; i < nt_modes_count(f.modes); i++)
        free += nt_modes_at(f.modes, i).moves_freely;
    assert_int_equal(free, 1);
    found_has(&f, 0, 4.1373, 2e-5);
    found_has(&f, 0, 22.6149, 2e-5);
    found_close(&f);
}

/* A double eigenvalue that a parameter splits, along directions of its own. */
static void test_repeated(void **state)
{
    const char *text =
        "nutate: 1\nparameters: {d: 0}\ngravity: [0, 0, 0]\n"
        "bodies: {cart: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
        "forces:\n"
        "  s: {type: bushing, between: [ground, cart], at: [0, 0, 0],\n"
        "    stiffness: [[9 + d, 2*d, 0, 0, 0, 0], [2*d, 9 - 2*d, 0, 0, 0, 0], [0, 0, 1, 0, 0, "
        "0],\n"
        "                [0, 0, 0, 2, 0, 0], [0, 0, 0, 0, 3, 0], [0, 0, 0, 0, 0, 4]]}\n";
    found f;
    nt_mode_rates *rates;
    (void)state;
    found_open(&f, text, NT_ABOUT_STATIC, (nt_modes_setup){0});
    assert_int_equal(nt_modes_count(f.modes), 6);
    if (nt_mode_rates_create(&rates, f.modes, f.run, NT_ABOUT_STATIC, "d", &f.error) != NT_OK)
        fail_msg("%s", f.error.message);
    nt_mode_rate a = nt_mode_rates_at(rates, 4), b = nt_mode_rates_at(rates, 5);
    assert_true(a.repeated && b.repeated && !nt_mode_rates_at(rates, 0).repeated);
    double root = sqrt(0.25 + 6), high = fmax(a.eigenvalue[1], b.eigenvalue[1]);
    double low = fmin(a.eigenvalue[1], b.eigenvalue[1]); /* d(w^2) = -1/2 +- 5/2, w = 3 */
    found_close_to(high, (-0.5 + root) / 6, 1e-9);
    found_close_to(low, (-0.5 - root) / 6, 1e-9);
    nt_mode_rates_destroy(rates);
    found_close(&f);
}

/* Eigenvalues that are next to one: members of a group keep their own derivatives. */
static void test_nearly_repeated(void **state)
{
    const char *text =
        "nutate: 1\nparameters: {d: 0}\ngravity: [0, 0, 0]\n"
        "bodies: {cart: {mass: 1, point: true, position: [0, 0, 0]}}\n"
        "forces:\n  s: {type: force, on: cart, value: [-9*cart.position.x, "
        "-(9 + 2e-8 + d)*cart.position.y, -4*cart.position.z - d^3*cart.position.x]}\n";
    found f;
    nt_mode_rates *rates;
    (void)state;
    found_open(&f, text, NT_ABOUT_INITIAL, (nt_modes_setup){0});
    assert_int_equal(nt_modes_count(f.modes), 3);
    if (nt_mode_rates_create(&rates, f.modes, f.run, NT_ABOUT_INITIAL, "d", &f.error) != NT_OK)
        fail_msg("%s", f.error.message);
    for (int i = 1; i < 3; i++) { /* w = sqrt(9 + d): 1/6 along y, nothing along x */
        nt_mode mode = nt_modes_at(f.modes, i);
        nt_mode_rate rate = nt_mode_rates_at(rates, i);
        bool is_y = fabs(mode.shape[0][1]) > 0.5;
        assert_true(rate.repeated && fabs(mode.shape[0][is_y ? 0 : 1]) < 1e-3);
        found_close_to(rate.eigenvalue[1], is_y ? 1. / 6 : 0, 1e-8);
        assert_true(rate.doubt < 1e-9);
    }
    assert_false(nt_mode_rates_at(rates, 0).repeated);
    nt_mode_rates_destroy(rates);
    found_close(&f);
}

/* ---- refusals
 * ------------------------------------------------------------------------------------------ */

static void refuses(const char *text, nt_about about, nt_modes_setup setup, nt_status status,
                    const char *words)
{
    found f;
    nt_status got = found_try(&f, text, about, setup);
    if (got != status || !strstr(f.error.message, words))
        fail_msg("expected %d with '%s', got %d: %s", (int)status, words, (int)got,
                 f.error.message);
    found_close(&f);
}

static void test_refusals(void **state)
{
    char text[1200];
    (void)state;
    refuses(pendulums, NT_ABOUT_STATIC, (nt_modes_setup){.count = 5}, NT_INVALID,
            "5 modes are wanted, and the model has 4 degrees of freedom");
    refuses(pendulums, NT_ABOUT_STEADY, (nt_modes_setup){0}, NT_BAD_MODEL, "no section `steady`");
    snprintf(text, sizeof text, "%ssteady: {turn: {axis: [1, 0, 0], rate: 2}}\n", pendulums);
    refuses(text, NT_ABOUT_STEADY, (nt_modes_setup){0}, NT_UNSUPPORTED,
            "loads or constraints change");
    refuses(
        "nutate: 1\ngravity: [0, 0, 0]\nbodies: {disk: {mass: 3, inertia: [0.03, 0.02, 0.02]}}\n"
        "joints: {hub: {type: revolute, between: [ground, disk], at: [0, 0, 0], axis: [1, 0, 0],\n"
        "  friction: {dry: 0, viscous: 0.25, slip: 1}}}\n"
        "steady: {hub: {rate: 100}}\n",
        NT_ABOUT_STEADY, (nt_modes_setup){0}, NT_NOT_CONVERGED,
        "the loads do not allow it, moment on body disk about x is left with -25 N m");
    snprintf(text, sizeof text, "%ssteady: {turn: {rate: 2}}\n", pendulums);
    refuses(text, NT_ABOUT_STEADY, (nt_modes_setup){0}, NT_BAD_MODEL,
            "expected the name of a joint");
    snprintf(text, sizeof text, "%ssteady: {s: {rate: 2}}\n", pendulums);
    refuses(text, NT_ABOUT_STEADY, (nt_modes_setup){0}, NT_BAD_MODEL,
            "neither an angle nor a displacement");
    snprintf(text, sizeof text, "%ssteady: {t1: {axis: [0, 1, 0], along: [0, 1, 0], rate: 2}}\n",
             pendulums);
    refuses(text, NT_ABOUT_STEADY, (nt_modes_setup){0}, NT_BAD_MODEL, "one of axis and along");
    /* neither the rotor nor its bearing is round */
    refuses("nutate: 1\ngravity: [0, 0, 0]\n"
            "bodies: {disk: {mass: 3, inertia: [0.035, 0.02, 0.025]}}\n"
            "forces: {shaft: {type: bushing, between: [ground, disk], at: [0, 0, 0],\n"
            "  stiffness: [1e5, 4e4, 3e4, 0, 500, 500]}}\n"
            "steady: {turn: {axis: [1, 0, 0], rate: 100}}\n",
            NT_ABOUT_STEADY, (nt_modes_setup){0}, NT_UNSUPPORTED,
            "does not look the same at every moment");
}

/* A clamped foil along no axis bends at (1.8751, 4.6941, 7.8548)^2 h/l^2 sqrt(E/(12 rho)): a rest
 * of 1e-13 and less of what stretches it. What rounding leaves open of that is told; where it is
 * all the mode is not called free without a bound. */
static void test_foils(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "parameters: {h: %g, E: 2.1e11, G: 8e10, b: 0.05, r: 7850}\n"
        "gravity: [0, 0, 0]\n"
        "beams:\n"
        "  strip:\n"
        "    points: [[0, 0, 0], [0.6, 0.48, 0.64]]\n"
        "    order: %d\n"
        "    elements: %d\n"
        "    damping: %g\n"
        "    sections: [{stiffness: [E*b*h, 0.83*G*b*h, 0.83*G*b*h, G*b*h^3/3, E*b*h^3/12,\n"
        "                            E*b^3*h/12],\n"
        "                mass: [r*b*h, r*b*h, r*b*h, r*b^3*h/12, r*b*h^3/12, r*b^3*h/12]}]\n"
        "joints: {clamp: {type: fixed, between: [ground, strip.root], at: [0, 0, 0]}}\n";
    static const double thick[] = {1e-3, 1e-4, 1e-5, 3e-6};
    static const double beta[] = {1.8751040687119611, 4.6940911329741745, 7.8547574382376126};
    (void)state;
    for (int i = 0; i < 16; i++) {
        found f;
        char words[1200];
        double h = thick[i % 4], damping = i / 4 % 2 ? 1e-7 : 0;
        bool several = i >= 8; /* ARPACK begins */
        if (h < 1e-5 && several)
            continue;
        snprintf(words, sizeof words, text, h, several ? 4 : 10, several ? 9 : 1, damping);
        found_open(&f, words, NT_ABOUT_STATIC, (nt_modes_setup){.count = 3});
        assert_int_equal(nt_modes_count(f.modes), 3);
        for (int k = 0; k < 3; k++) {
            nt_mode mode = nt_modes_at(f.modes, k);
            double w = beta[k] * beta[k] * h * sqrt(2.1e11 / (12 * 7850.0));
            assert_false(mode.moves_freely);
            assert_true(mode.doubt < 0.1 * w);
            if (!(fabs(mode.eigenvalue[1] - w) <= 2e-4 * w + mode.doubt))
                fail_msg("%g m, mode %d: %.9g rad/s, expected %.9g to %.2g", h, k,
                         mode.eigenvalue[1], w, mode.doubt);
        }
        found_close(&f);
    }
    for (int i = 0; i < 3; i++) {
        found f;
        char words[1200];
        double damping = i == 0 ? 0 : i == 1 ? 1e-5 : 1e-3;
        snprintf(words, sizeof words, text, 1e-6, 10, 1, damping);
        found_open(&f, words, NT_ABOUT_STATIC, (nt_modes_setup){.count = 3});
        nt_mode first = nt_modes_at(f.modes, 0);
        assert_true(first.moves_freely);
        assert_true(first.doubt > beta[0] * beta[0] * 1e-6 * sqrt(2.1e11 / (12 * 7850.0)));
        for (int k = 1; k < 3; k++) {
            nt_mode mode = nt_modes_at(f.modes, k);
            double w = beta[k] * beta[k] * 1e-6 * sqrt(2.1e11 / (12 * 7850.0));
            found_close_to(mode.eigenvalue[1] / w, 1, 1e-2);
            if (!(fabs(mode.eigenvalue[0] + damping * w * w / 2) <= 0.02 * damping * w * w / 2))
                fail_msg("mode %d decays by %.6g", k, mode.eigenvalue[0]);
        }
        found_close(&f);
    }
}

/* What sticks stays wherever it is put, whatever springs pull at it: a zero for each such
 * displacement, told apart from what moves freely, and none of them grows. */
static void test_sticking(void **state)
{
    const char *text =
        "nutate: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0]}\n"
        "  b: {mass: 2, inertia: [0.1, 0.1, 0.01], position: [0.3, 0, 0.4]}\n"
        "  p: {mass: 0.7, inertia: [0.1, 0.1, 0.01], position: [0.9, 0, 0.4]}\n"
        "  wheel: {mass: 1, inertia: [1, 1, 1], position: [0, 5, 0]}\n"
        "joints:\n"
        "  rail: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0.3],\n"
        "         friction: {dry: 30, law: set-valued}}\n"
        "  pin: {type: revolute, between: [a, b], at: [0, 0, 0], axis: [0, 1, 0],\n"
        "        friction: {dry: 10, law: set-valued}}\n"
        "  ball: {type: spherical, between: [b, p], at: [0.7, 0, 0.5]}\n"
        "  axle: {type: revolute, between: [ground, wheel], at: [0, 5, 0], axis: [0, 1, 0]}\n"
        "forces:\n"
        "  s: {type: spring, between: [ground, b], at: [[1, 0.5, 0.3], [0.3, 0.1, 0.4]],\n"
        "      stiffness: 100, length: 0.5}\n"
        "  d: {type: spring, between: [ground, p], at: [[1, 0.9, 0.3], [1, 0.1, 0.4]],\n"
        "      stiffness: 37, length: 0.5, damping: 0.4}\n"
        "static: {hold: [wheel.rotation.y]}\n";
    found f;
    int stand = 0, free = 0;
    (void)state;
    found_open(&f, text, NT_ABOUT_STATIC, (nt_modes_setup){0});
    assert_int_equal(nt_modes_count(f.modes), 6);
    for (int i = 0; i < 6; i++) {
        nt_mode mode = nt_modes_at(f.modes, i);
        stand += mode.stands;
        free += mode.moves_freely;
        assert_true(mode.eigenvalue[0] <= 0);
        assert_true(mode.moves_freely || mode.eigenvalue[1] > 1);
        assert_false(mode.stands && (!mode.moves_freely || mode.doubt > 0));
    }
    assert_int_equal(stand, 2);
    assert_int_equal(free, 3);
    found_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicycle_eigenvalues),
        cmocka_unit_test(test_bicycle_is_stable_between),
        cmocka_unit_test(test_jeffcott_rotor),
        cmocka_unit_test(test_rotor_that_is_not_round),
        cmocka_unit_test(test_sleeping_top),
        cmocka_unit_test(test_precessing_top),
        cmocka_unit_test(test_conical_pendulum),
        cmocka_unit_test(test_lag_hinge),
        cmocka_unit_test(test_hinge_across),
        cmocka_unit_test(test_rate_that_is_found),
        cmocka_unit_test(test_no_freedom),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_damped_masses),
        cmocka_unit_test(test_both_finders),
        cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_slow_beside_fast),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_nearly_repeated),
        cmocka_unit_test(test_foils),
        cmocka_unit_test(test_sticking),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("modes", tests, NULL, NULL);
}
