/* Rows of methods that end a step with other accelerations than its forces give: Newton's law holds
 * in each, and their derivatives are those of whole runs; and the derivatives behind a jump in time
 * are as good as the method. */
#include "tests/model/mechanism.h"

#include <nutate/method.h>
#include <nutate/output.h>
#include <nutate/sensitivity.h>

enum { METHODS = 4, COLUMNS = 12, ROWS = 64 };
static const char *const methods[METHODS] = {"theta", "semi-explicit", "semi-explicit-2",
                                             "generalized-alpha-soi2"};

/* A ball falls onto a floor of rubber in the third step of fifty, and an arm on a hinge turns
 * against a damper; a row stands at each 1.3 steps. */
static const char model[] =
    "nutate: 1\n"
    "parameters: {m: 0.7, k: 1e4, c: 0.3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {mass: m, inertia: [1e-3, 1e-3, 1e-3], position: [0, 0, 0.1004], velocity: [0.3, 0, "
    "-0.2],\n"
    "         angular_velocity: [0, 3, 0]}\n"
    "  arm: {mass: m, inertia: [0.02, 0.03, 0.02, 0.002, 0.001, -0.003], position: [1, 0.2, 1], "
    "angular_velocity: [0, 0, "
    "2]}\n"
    "joints: {hinge: {type: revolute, between: [ground, arm], at: [0.8, 0, 1], axis: [0, 0, "
    "1]}}\n"
    "forces: {damper: {type: torsion_spring, joint: hinge, damping: c}}\n"
    "contacts:\n"
    "  floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]}, radius: "
    "0.1,\n"
    "          stiffness: k, damping: 0.4, friction: {coefficient: 0.3, slip: 0.05}}\n"
    "simulation: {duration: 0.05, step: 1e-3}\n"
    "output: {every: 1.3e-3, record: [ball.acceleration, floor.force, arm.acceleration, "
    "hinge.force]}\n";

typedef struct rows {
    double row[ROWS][1 + 2 * COLUMNS];
    int n;
} rows;

static nt_status take(void *taker, const double *row, int columns)
{
    rows *r = taker;
    assert_true(r->n < ROWS && columns <= 1 + 2 * COLUMNS);
    memcpy(r->row[r->n++], row, (size_t)columns * sizeof *row);
    return NT_OK;
}

static int each_step(void *context, const nt_integrator *it)
{
    nt_error error = {0};
    return nt_record_advance(context, (nt_integrator *)(size_t)it, &error) != NT_OK;
}

/* The whole run; its derivatives in a parameter, where `along` is not negative. */
static void run_whole(const mechanism *m, const nt_integrator_setup *setup, int along, rows *out)
{
    nt_error error = {0};
    nt_integrator *it;
    nt_sensitivity *s = NULL;
    nt_record *record;
    assert_int_equal(nt_integrator_create(&it, setup, &error), NT_OK);
    if (along >= 0)
        assert_int_equal(nt_sensitivity_create(&s, it, &along, 1, &error), NT_OK);
    const nt_record_setup to = {.run = m->run, .sensitivity = s, .take_row = take, .taker = out};
    out->n = 0;
    assert_int_equal(nt_record_create(&record, &to, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
    if (s)
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
    nt_state state = nt_integrator_state(it);
    assert_int_equal(nt_record_write(record, it, &state, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, 0.05, 1e-3, each_step, record, &error), NT_OK);
    assert_int_equal(nt_record_close(record, &error), NT_OK);
    nt_sensitivity_destroy(s);
    nt_integrator_destroy(it);
}

/* Both frames of each method, and rigid motions of the one that has them: which < SETUPS. */
enum { SETUPS = 2 * METHODS + 1 };

static nt_integrator_setup setup_of(const mechanism *m, int which)
{
    bool motions = which == 2 * METHODS;
    static const nt_option tight[] = {{"extra_iterations", "2"}};
    return (nt_integrator_setup){
        .system = nt_run_system(m->run),
        .method = nt_method_find(motions ? "generalized-alpha" : methods[which / 2]),
        .options = tight,
        .n_options = 1,
        .frame = motions     ? NT_SE3
                 : which % 2 ? NT_BODY
                             : NT_INERTIAL};
}

/* m a = m g + F to rounding, of the ball and of the arm, while the floor pushes too. */
static void newtons_law_holds_in_rows(void **state)
{
    mechanism m = mechanism_read(model);
    const double mass = 0.7, g[3] = {0, 0, -9.81};
    (void)state;
    for (int i = 0; i < SETUPS; i++) {
        nt_integrator_setup setup = setup_of(&m, i);
        rows r;
        int pushed = 0;
        run_whole(&m, &setup, -1, &r);
        assert_int_equal(r.n, 39); /* 0, 1.3, ... 49.4 ms */
        for (int j = 0; j < r.n; j++) {
            const double *a = r.row[j] + 1, *f = a + 3;
            pushed += f[2] > 10;
            for (int k = 0; k < 6; k++)
                CLOSE(mass * a[k % 3 + k / 3 * 6], mass * g[k % 3] + f[k % 3 + k / 3 * 6],
                      1e-13 * (1 + fabs(f[2]) + fabs(f[8])));
        }
        assert_true(pushed > 10);
    }
    mechanism_close(&m);
}

/* Derivatives of these columns, between step ends too, against five-point differences of whole
 * runs. The methods are differentiated as they compute: what is left is the error of differences
 * and Newton's iteration. */
static void derivatives_are_those_of_runs(void **state)
{
    mechanism m = mechanism_read(model);
    const nt_system *system = nt_run_system(m.run);
    double p[3], moved[3];
    (void)state;
    system->get_parameters(system->self, p);
    for (int i = 0; i < SETUPS * 3; i++) {
        static const int far[4] = {1, -1, 2, -2};
        static const double weight[4] = {8, -8, -1, 1};
        nt_integrator_setup setup = setup_of(&m, i / 3);
        int k = i % 3;
        double d = 1e-5 * p[k];
        rows exact, beside[4];
        run_whole(&m, &setup, k, &exact);
        for (int j = 0; j < 4; j++) {
            memcpy(moved, p, sizeof p);
            moved[k] += far[j] * d;
            assert_int_equal(system->set_parameters(system->self, moved), NT_OK);
            run_whole(&m, &setup, -1, &beside[j]);
            assert_int_equal(beside[j].n, exact.n);
        }
        assert_int_equal(system->set_parameters(system->self, p), NT_OK);
        for (int quantity = 0; quantity < COLUMNS; quantity += 3) {
            double largest = 0, off = 0;
            for (int j = 0; j < 3 * exact.n; j++) {
                /* generalized-alpha has accelerations of its own at ends of steps, whose rounding
                 * eps/h^2 these differences divide by d */
                if (i / 3 == 2 * METHODS && j / 3 % 10 == 0)
                    continue;
                int column = quantity + j % 3;
                double slope = 0, value = exact.row[j / 3][2 + 2 * column];
                for (int n = 0; n < 4; n++)
                    slope += weight[n] * beside[n].row[j / 3][1 + column] / (12 * d);
                largest = fmax(largest, fabs(value));
                off = fmax(off, fabs(value - slope));
            }
            CLOSE(off, 0, 1e-6 * largest + 1e-9);
        }
    }
    mechanism_close(&m);
}

/* A pendulum is pushed from a time L/5 on. */
static const char pushed[] =
    "nutate: 1\n"
    "parameters: {L: 1.1}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}}\n"
    "joints: {pivot: {type: spherical, between: [ground, rod], at: [0, 0, 0]}}\n"
    "forces: {push: {type: force, on: rod, value: [0, 'if(t > L/5, 20, 0)', 0]}}\n"
    "simulation: {duration: 0.5, step: 1e-2}\n"
    "output: {record: [rod.position]}\n";

static void place_along(const mechanism *m, const char *method, double h, double dq[3])
{
    nt_error error = {0};
    nt_integrator *it;
    nt_sensitivity *s;
    const int parameter = 0;
    nt_integrator_setup setup = {.system = nt_run_system(m->run), .method = nt_method_find(method)};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&s, it, &parameter, 1, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, 0.5, h, NULL, NULL, &error), NT_OK);
    memcpy(dq, nt_sensitivity_state(s, 0).q, 3 * sizeof *dq);
    nt_sensitivity_destroy(s);
    assert_int_equal(nt_integrator_run(it, 0.6, h, NULL, NULL, &error), NT_OK);
    nt_integrator_destroy(it);
}

/* Half the step, a quarter of the error, as of the motion itself; of first order half. */
static void jumps_in_time_keep_the_order(void **state)
{
    static const double order[METHODS] = {2, 1, 2, 2};
    mechanism m = mechanism_read(pushed);
    double wanted[3], coarse[3], fine[3];
    (void)state;
    place_along(&m, "rkmk-dop853", 1e-3, wanted);
    for (int i = 0; i < METHODS; i++) {
        double error[2] = {0, 0};
        place_along(&m, methods[i], 2e-3, coarse);
        place_along(&m, methods[i], 1e-3, fine);
        for (int k = 0; k < 3; k++) {
            error[0] = fmax(error[0], fabs(coarse[k] - wanted[k]));
            error[1] = fmax(error[1], fabs(fine[k] - wanted[k]));
        }
        double slope = log2(error[0] / error[1]);
        if (!(slope > order[i] - 0.4 && slope < order[i] + 0.6))
            fail_msg("%s: errors %g, %g, order %g", methods[i], error[0], error[1], slope);
    }
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newtons_law_holds_in_rows),
        cmocka_unit_test(derivatives_are_those_of_runs),
        cmocka_unit_test(jumps_in_time_keep_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
