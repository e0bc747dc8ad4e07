/* Laws of the load's own length, angle or displacement have a potential: known integrals, slopes
 * that are the force, an account that closes; and laws that have none. */
#include "tests/model/mechanism.h"

static const char *const head = "nutate: 1\ngravity: [0, 0, 0]\nsimulation: {duration: 1}\n"
                                "parameters: {k: 30, free: 0.8}\n";
/* A point on a spring, a pendulum that turns and a slide that moves. */
static const char *const bodies =
    "bodies:\n"
    "  m: {mass: 1, point: true, position: [1.3, 0, 0], velocity: [0.4, 0.3, 0]}\n"
    "  arm: {mass: 2, inertia: [1, 1, 1], angular_velocity: [0, 0, 1.5]}\n"
    "  slide: {mass: 1.5, inertia: [1, 1, 1], velocity: [0.9, 0, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  rail: {type: prismatic, between: [ground, slide], at: [0, 0, 0], axis: [1, 0, 0]}\n";

static mechanism open_with(const char *load, const char *method)
{
    char text[4096];
    nt_error error = {0};
    snprintf(text, sizeof text, "%s%s%s", head, bodies, load);
    mechanism m = mechanism_read(text);
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(method),
                                 .frame = NT_INERTIAL,
                                 .track_work = 1};
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
        fail_msg("%s", error.message);
    return m;
}

/* Each law, what its pull is at x (against the axis at a joint), the integral of that from where
 * the potential is zero, and how well energy is kept: a kink in a law is one in the motion. */
static double cubic_pull(double x) { return 30 * (1 + (x - 1) * (x - 1)) * (x - 1); }
static double cubic_store(double x) { return 15 * pow(x - 1, 2) + 7.5 * pow(x - 1, 4); }
static double gas_pull(double x) { return -2 / (x * x) + 0.8 * x; }
static double gas_store(double x) { return 2 / x - 2 / 1.3 + 0.4 * (x * x - 1.69); }
static double sine_pull(double x) { return 3 * sin(2 * x); }
static double sine_store(double x) { return 1.5 * (1 - cos(2 * x)); }
static double bump_pull(double x) { return x > 0.1 ? 400 * pow(x - 0.1, 2) + 5 : 5; }
static double bump_store(double x) { return 5 * x + (x > 0.1 ? 400 * pow(x - 0.1, 3) / 3 : 0); }
static double jump_pull(double x) { return x > 0.07 ? 7 : 2; }
static double jump_store(double x) { return 2 * x + (x > 0.07 ? 5 * (x - 0.07) : 0); }
static double lash_pull(double x) { return x > 0.8 ? 30 * x * (x - 0.8) : 0; }
static double lash_store(double x)
{
    return x > 0.8 ? 10 * (x * x * x - 0.512) - 12 * (x * x - 0.64) : 0;
}

static const struct {
    const char *load, *coordinate;
    double (*pull)(double x), (*store)(double x);
    double kept;
} laws[] = {
    {"forces: {s: {type: spring, between: [ground, m], stiffness: 'k*(1 + (s.length - 1)^2)', "
     "length: 1}}\n",
     "s.length", cubic_pull, cubic_store, 1e-11},
    {"quantities: {x: s.length}\n"
     "forces: {s: {type: line_force, between: [ground, m], value: '-2/x^2 + free*x'}}\n",
     "s.length", gas_pull, gas_store, 1e-11},
    {"forces: {s: {type: joint_torque, joint: pin, value: '-3*sin(pin.angle + s.angle)'}}\n",
     "pin.angle", sine_pull, sine_store, 1e-11},
    {"forces: {s: {type: torsion_spring, joint: pin, stiffness: 0, damping: 0, "
     "preload: '3*sin(2*pin.angle)'}}\n",
     "pin.angle", sine_pull, sine_store, 1e-11},
    {"forces: {s: {type: joint_force, joint: rail, "
     "value: '-5 - 400*max(0, rail.displacement - 0.1)^2'}}\n",
     "rail.displacement", bump_pull, bump_store, 1e-6},
    {"forces: {s: {type: joint_force, joint: rail, value: 'if(s.displacement > 0.07, -7, -2)'}}\n",
     "rail.displacement", jump_pull, jump_store, 1e-6},
    {"forces: {s: {type: spring, between: [ground, m], stiffness: 'k*s.length', length: free, "
     "only: tension}}\n",
     "s.length", lash_pull, lash_store, 1e-6},
};

static void energies_are_the_integrals_of_their_laws(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        mechanism m = open_with(laws[i].load, "rkmk-dop853");
        double start = mechanism_number(&m, "energy.total"), least = INFINITY, most = -INFINITY;
        for (int k = 1; k <= 40; k++) {
            mechanism_run(&m, 0.025 * k, 1e-3);
            double x = mechanism_number(&m, laws[i].coordinate), V = laws[i].store(x), all[4];
            CLOSE(mechanism_number(&m, "s.energy"), V, 1e-13 * (1 + fabs(V)));
            double pull = laws[i].pull(x), power[2] = {mechanism_number(&m, "s.power"), 0};
            power[1] =
                -pull * mechanism_number(&m, strstr(laws[i].coordinate, "length") ? "s.rate"
                                             : strstr(laws[i].coordinate, "pin")  ? "pin.rate"
                                                                                  : "rail.rate");
            CLOSE(power[0], power[1], 1e-12 * (1 + fabs(pull)));
            mechanism_get(&m, "energy", all);
            CLOSE(all[2], start, laws[i].kept * fabs(start));
            CLOSE(all[3], 0, 0); /* nothing is work */
            least = fmin(least, V), most = fmax(most, V);
        }
        assert_true(most - least > 0.02); /* and it was exchanged */
        mechanism_close(&m);
    }
}

/* 40 points of exp(-x): the integral between two points of a table is exact, so the account closes
 * as well as with a formula. */
static void tables_are_integrated_from_point_to_point(void **state)
{
    (void)state;
    FILE *file = fopen("law.csv", "w");
    assert_non_null(file);
    fputs("x,F\n", file);
    for (int i = 0; i < 40; i++)
        fprintf(file, "%.17g,%.17g\n", 0.05 + 0.07 * i, 20 * (0.05 + 0.07 * i) - 6);
    fclose(file);
    static const char *const forms[] = {"spline", "monotone", "linear", "previous"};
    for (int i = 0; i < 4; i++) {
        char load[400];
        snprintf(load, sizeof load,
                 "tables: {F: {file: law.csv, interpolation: %s}}\n"
                 "forces: {s: {type: line_force, between: [ground, m], "
                 "value: 'table(F, s.length)'}}\n",
                 forms[i]);
        mechanism m = open_with(load, "rkmk-dop853");
        double start = mechanism_number(&m, "energy.total");
        for (int k = 1; k <= 20; k++) {
            mechanism_run(&m, 0.05 * k, 1e-3);
            double x = mechanism_number(&m, "s.length");
            if (i < 3) /* through points of a straight line all three are that line */
                CLOSE(mechanism_number(&m, "s.energy"), 10 * (x * x - 1.69) - 6 * (x - 1.3), 1e-12);
            CLOSE(mechanism_number(&m, "energy.total"), start, (i < 3 ? 1e-11 : 1e-6) * start);
            CLOSE(mechanism_number(&m, "energy.work"), 0, 0);
        }
        mechanism_close(&m);
    }
}

/* Derivatives in a parameter of the law are those of whole runs at other values. */
static void energies_follow_their_parameters(void **state)
{
    (void)state;
    mechanism m = open_with(laws[0].load, "rkmk-dop853");
    nt_error error = {0};
    double h = 1e-3, V[2];
    for (int side = 0; side < 2; side++) {
        assert_int_equal(nt_model_set(m.run, "k", 30 + (side ? h : -h), &error), NT_OK);
        V[side] = mechanism_number(&m, "s.energy");
    }
    CLOSE((V[1] - V[0]) / (2 * h), cubic_store(1.3) / 30, 1e-9);
    mechanism_close(&m);
}

/* What depends on time, rates, other bodies does work, and so does a damper. */
static void other_laws_have_none(void **state)
{
    (void)state;
    static const char *const loads[] = {
        "forces: {s: {type: spring, between: [ground, m], stiffness: 'k + t', length: 1}}\n",
        "forces: {s: {type: line_force, between: [ground, m], value: 's.length + s.rate'}}\n",
        "forces: {s: {type: line_force, between: [ground, m], value: 's.length*pin.angle'}}\n",
        "forces: {s: {type: line_force, between: [ground, m], value: k}}\n",
    };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        mechanism m = open_with(loads[i], "rkmk-dop853");
        mechanism_run(&m, 0.3, 1e-3);
        CLOSE(mechanism_number(&m, "s.energy"), 0, 0);
        double all[4];
        mechanism_get(&m, "energy", all);
        assert_true(fabs(all[3]) > 1e-2);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_are_the_integrals_of_their_laws),
        cmocka_unit_test(tables_are_integrated_from_point_to_point),
        cmocka_unit_test(energies_follow_their_parameters),
        cmocka_unit_test(other_laws_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
