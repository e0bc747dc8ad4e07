/* Methods on models with points: vector-space methods on points alone, rotation integrators on
 * points and rigid bodies together, every method of the registry on both. */
#include "several_bodies.h"
#include "tests/read_run.h"

static const nt_option adjoint = {"adjoint", "true"};

/* ---- points alone --------------------------------------------------------------------------- */

/* Four points in flight, each tied to each by springs, two of them pressed together by a contact
 * that never opens; %s is a damper. */
static const char swarm_text[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {point: true, mass: 2, velocity: [0.3, 0, 0.1]}\n"
    "  b: {point: true, mass: 1, position: [1, 0, 0], velocity: [0, 0.8, 0]}\n"
    "  c: {point: true, mass: 1.5, position: [0, 1, 0], velocity: [-0.6, 0, 0]}\n"
    "  d: {point: true, mass: 0.5, position: [0.2, 0.3, 1], velocity: [0, 0, 0.5]}\n"
    "forces:\n"
    "  ab: {type: spring, between: [a, b], stiffness: 20%s}\n"
    "  ac: {type: spring, between: [a, c], stiffness: 30, length: 0.8}\n"
    "  ad: {type: spring, between: [a, d], stiffness: 25}\n"
    "  bc: {type: spring, between: [b, c], stiffness: 15, length: 1.2}\n"
    "  bd: {type: spring, between: [b, d], stiffness: 18, length: 1}\n"
    "contacts:\n"
    "  cd: {type: sphere_sphere, between: [c, d], radii: [1.5, 1], stiffness: 12}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

static nt_run *swarm(bool damped)
{
    char text[2000];
    snprintf(text, sizeof text, swarm_text, damped ? ", damping: 2" : "");
    return read_model(text);
}

static void orders_on_points(void **state)
{
    (void)state;
    static const order_row rows[] = {
        {"stormer-verlet", {0}, 0.02, 2, false},
        {"symplectic-euler", {0}, 0.0025, 1, false},
        {"symplectic-euler", {"adjoint", "true"}, 0.0025, 1, false},
        {"lie-newmark", {0}, 0.02, 2, false},
        {"akw", {0}, 0.02, 2, false},
        {"lie-newmark-4", {0}, 0.02, 4, true},
        {"lie-newmark-6", {0}, 0.05, 6, true},
        {"semi-explicit", {0}, 0.0025, 1, false},
        {"generalized-alpha", {0}, 0.01, 2, false},
    };
    for (int damped = 0; damped < 2; damped++) {
        nt_run *run = swarm(damped);
        const nt_system *system = nt_run_system(run);
        assert_int_equal(system->space.n_rotations, 0);
        assert_int_equal(system->space.nv, 12);
        assert_int_equal((system->capabilities & NT_POSITION_FORCES) == 0, damped);
        check_orders(system, damped, rows, sizeof rows / sizeof *rows);
        destroy_run(run);
    }
}

/* Without rotations LIEMID[EA] is the explicit Newmark method, but that its drift is two halves:
 * the same but for rounding. */
static void rotation_methods_are_the_same_there(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        const nt_option *option;
    } pairs[] = {{"lie-newmark", "stormer-verlet", NULL},
                 {"lie-euler", "symplectic-euler", NULL},
                 {"lie-euler-adjoint", "symplectic-euler", &adjoint}};
    nt_run *run = swarm(false);
    const nt_system *system = nt_run_system(run);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double a[ROOM], b[ROOM];
        end_of(system, pairs[i].a, NULL, 0.01, a);
        end_of(system, pairs[i].b, pairs[i].option, 0.01, b);
        near_number(differ(system, a, b), 0, 1e-13, pairs[i].a, "difference");
    }
    destroy_run(run);
}

/* Momentum, dampers or not; the error of the energy does not grow: in 75 s more it is that of the
 * first 25 s. */
static void invariants_of_points(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        const nt_option *option;
    } rows[] = {
        {"stormer-verlet", NULL}, {"symplectic-euler", NULL}, {"symplectic-euler", &adjoint}};
    for (int damped = 0; damped < 2; damped++) {
        nt_run *run = swarm(damped);
        const nt_system *system = nt_run_system(run);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            nt_integrator *it = start(system, rows[i].method, rows[i].option);
            double before[6], E = energy_of(system, it);
            nt_state s = nt_integrator_state(it);
            momenta(system, &s, before);
            double early = energy_error(system, it, E, 0.01, 0, 2500);
            check_momenta(system, it, before, rows[i].method);
            assert_true(early > 1e-6 * E); /* there is something to drift */
            if (damped)
                assert_true(early > 0.1 * E); /* the damper is at work */
            else
                check_drift(E, early, energy_error(system, it, E, 0.01, 2500, 10000), 25,
                            rows[i].method);
            nt_integrator_destroy(it);
        }
        destroy_run(run);
    }
}

/* Two equal points that collide exchange their velocities; the contact lasts 60 steps and its force
 * bends at both ends, so that order two leaves a few 1e-4 of the speed. */
static void equal_points_exchange_velocities(void **state)
{
    (void)state;
    nt_run *run = read_model(
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {point: true, mass: 1, position: [-1, 0, 0], velocity: [2, 0, 0.1]}\n"
        "  b: {point: true, mass: 1, position: [1, 0, 0], velocity: [-1, 0, 0.1]}\n"
        "contacts:\n"
        "  c: {type: sphere_sphere, between: [a, b], radii: [0.2, 0.1], stiffness: 4e4}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    nt_integrator *it = start(nt_run_system(run), "stormer-verlet", NULL);
    run_to(it, 1, 5e-4);
    const double *v = nt_integrator_state(it).v;
    static const double after[6] = {-1, 0, 0.1, 2, 0, 0.1};
    for (int i = 0; i < 6; i++)
        near_number(v[i], after[i], i % 3 == 0 ? 1e-3 : 0, "stormer-verlet", "velocity");
    near_number(v[0] + v[3], 1, 1e-14, "stormer-verlet", "momentum");
    nt_integrator_destroy(it);
    destroy_run(run);
}

/* ---- points and rigid bodies ---------------------------------------------------------------- */

/* Two rigid bodies on a stiff ball joint, points that hang on them by springs and a stiff guide,
 * contacts that never open; %s is a damper. */
static const char mixed_text[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.4, 0.5, 0.3], angular_velocity: [0.3, 1, -0.5]}\n"
    "  p: {point: true, mass: 0.7, position: [0, 0, 1], velocity: [0.3, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.2, 0.1, 0.15], position: [1, 0, 0], velocity: [0, 0.5, 0.2],\n"
    "      center_of_mass: [0.1, 0, 0.05], angular_velocity: [1, 0, 0.5]}\n"
    "  o: {point: true, mass: 0.5, position: [1, 0.6, 0.2]}\n"
    "joints:\n"
    "  ball: {type: spherical, between: [a, b], at: [0.5, 0, 0], enforce: penalty, stiffness: 60}\n"
    "  guide: {type: inline, between: [b, o], at: [1, 0, 0.2], axis: [0, 1, 0], enforce: penalty,\n"
    "          stiffness: 40}\n"
    "forces:\n"
    "  ap: {type: spring, between: [a, p], at: [[0.2, 0.1, 0], [0, 0, 1]], stiffness: 20%s}\n"
    "  po: {type: spring, between: [p, o], stiffness: 25, length: 1}\n"
    "contacts:\n"
    "  bp: {type: sphere_sphere, between: [b, p], at: [[0, 0.1, 0], [0, 0, 0]], radii: [1.5, 1],\n"
    "       stiffness: 8}\n"
    "  ao: {type: sphere_plane, between: [a, o], plane: {point: [0, -1, 0], normal: [0, 1, 0]},\n"
    "       radius: 3, stiffness: 1}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

static nt_run *mixed(bool damped)
{
    char text[3000];
    snprintf(text, sizeof text, mixed_text, damped ? ", damping: 2" : "");
    return read_model(text);
}

static void orders_on_both(void **state)
{
    (void)state;
    static const order_row rows[] = {
        {"lie-newmark", {0}, 0.02, 2, false},         {"lie-midpoint", {0}, 0.01, 2, false},
        {"simo-wong", {0}, 0.01, 2, false},           {"akw", {0}, 0.01, 2, false},
        {"simo-wong-explicit", {0}, 0.01, 2, false},  {"lie-euler", {0}, 0.0025, 1, false},
        {"lie-euler-adjoint", {0}, 0.0025, 1, false}, {"lie-newmark-4", {0}, 0.05, 4, true},
        {"lie-newmark-6", {0}, 0.05, 6, true},
    };
    for (int damped = 0; damped < 2; damped++) {
        nt_run *run = mixed(damped);
        const nt_system *system = nt_run_system(run);
        assert_int_equal(system->space.n_rotations, 2);
        assert_int_equal(system->space.nv, 18);
        check_orders(system, damped, rows, sizeof rows / sizeof *rows);
        destroy_run(run);
    }
}

static void momentum_of_both(void **state)
{
    (void)state;
    static const char *const methods[] = {"lie-newmark", "lie-newmark-4",     "lie-newmark-6",
                                          "lie-euler",   "lie-euler-adjoint", "lie-midpoint"};
    nt_run *run = mixed(false);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        keeps_momenta(nt_run_system(run), methods[i]);
    destroy_run(run);
}

/* ---- the whole registry --------------------------------------------------------------------- */

/* Every method ends where order eight does, within ten times its own change from h to h/2, or says
 * that it works on vector spaces. */
static void every_method(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        nt_run *run = both ? mixed(false) : swarm(false);
        const nt_system *system = nt_run_system(run);
        double exact[ROOM], coarse[ROOM], fine[ROOM];
        exact_end_of(system, exact);
        for (int i = 0; i < nt_method_count(); i++) {
            const nt_method *method = nt_method_at(i);
            const char *name = nt_method_name(method);
            nt_error error = {0};
            if (nt_method_check_system(method, system, &error) != NT_OK) {
                assert_int_equal(error.status, NT_UNSUPPORTED);
                if (!both || !strstr(error.message, "works on vector spaces"))
                    fail_msg("%s", error.message);
                continue;
            }
            end_of(system, name, NULL, 0.004, coarse);
            end_of(system, name, NULL, 0.002, fine);
            double change = differ(system, coarse, fine), off = differ(system, exact, fine);
            /* 1e-4: bdf by its own tolerance */
            if (!(off <= 10 * change + 1e-4) || !(off < 0.05))
                fail_msg("%s: off by %.3g, changes by %.3g", name, off, change);
        }
        destroy_run(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_on_points),
        cmocka_unit_test(rotation_methods_are_the_same_there),
        cmocka_unit_test(invariants_of_points),
        cmocka_unit_test(equal_points_exchange_velocities),
        cmocka_unit_test(orders_on_both),
        cmocka_unit_test(momentum_of_both),
        cmocka_unit_test(every_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
