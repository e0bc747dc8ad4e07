/* Recorded quantities of a model: their values against formulas, their names, and their rows. */
#include "base/vector3.h"
#include "tests/read_run.h"

#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rounding of sums of a few numbers of size one to a hundred. */
static const double rounding = 1e-12;

/* A body with an offset centre of mass, free in space; a slider and a hinge; a marker. */
static const char text[] =
    "nutate: 1\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  box: {mass: 2, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3], center_of_mass: [0.1, 0.2, -0.3],\n"
    "        position: [1, 2, 3], orientation: {rotation_vector: [0.3, -0.2, 0.5]}, velocity: [1, "
    "-1, 0.5],\n"
    "        angular_velocity: [0.5, 2, -1]}\n"
    "  cart: {mass: 3, inertia: [1, 1, 1], position: [5, 0, 0], velocity: [2, 0, 0]}\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [5, 1, 0], velocity: [2, 0, 0]}\n"
    "markers:\n"
    "  tip: {on: box, at: [0.5, 0.6, 0.7]}\n"
    "  heart: {on: box, at: [0.1, 0.2, -0.3]}\n"
    "joints:\n"
    "  rail: {type: prismatic, between: [ground, cart], at: [5, 0, 0], axis: [1, 0, 0]}\n"
    "  pin: {type: revolute, between: [cart, arm], at: [5, 0, 0], axis: [1, 0, 0]}\n"
    "simulation: {duration: 1, step: 1e-3}\n"
    "output: {every: 0.1, record: [heart.position, energy, pin.force]}\n";

typedef struct fixture {
    nt_run *run;
    nt_integrator *integrator;
} fixture;

static void set_up(fixture *f)
{
    nt_error error;
    char words[1200];
    if (read_run_text(&f->run, text, sizeof text - 1, "record.yaml", NULL, NULL, 0, &error) !=
        NT_OK) {
        nt_error_text(&error, words, sizeof words);
        fail_msg("%s", words);
    }
    const nt_system *system = nt_run_system(f->run);
    nt_integrator_setup setup = {
        .system = system, .method = nt_method_find("generalized-alpha"), .track_work = 1};
    double q[64], v[64], memory[64];
    assert_true(system->space.nq <= 64 && system->n_memory <= 64);
    assert_int_equal(nt_integrator_create(&f->integrator, &setup, &error), NT_OK);
    nt_run_initial(f->run, q, v, memory);
    assert_int_equal(nt_integrator_start(f->integrator, 0, q, v, memory, &error), NT_OK);
}

static void tear_down(fixture *f)
{
    nt_integrator_destroy(f->integrator);
    destroy_run(f->run);
}

static int sample(const fixture *f, const nt_state *state, const char *name, double *out)
{
    nt_quantity_info quantity;
    nt_error error;
    assert_int_equal(nt_model_quantity(nt_run_model(f->run), name, &quantity, &error), NT_OK);
    assert_int_equal(nt_run_sample(f->run, &quantity, state, NULL, out, &error), NT_OK);
    return quantity.columns;
}

static void check(const fixture *f, const char *name, int columns, const double *expected,
                  double tolerance)
{
    double got[16];
    nt_state state = nt_integrator_state(f->integrator);
    assert_int_equal(sample(f, &state, name, got), columns);
    for (int i = 0; i < columns; i++)
        if (!(fabs(got[i] - expected[i]) <= tolerance))
            fail_msg("%s[%d] is %.17g, expected %.17g", name, i, got[i], expected[i]);
}
static void check_vector(const fixture *f, const char *name, v3 expected)
{
    double values[3];
    v3_store(values, expected);
    check(f, name, 3, values, rounding);
}

/* Kinematics at the start, from the numbers of the model alone. The box flies freely: its centre of
 * mass c has the acceleration g. */
static void values_at_the_start(void **unused)
{
    (void)unused;
    fixture f;
    set_up(&f);
    double psi[3] = {0.3, -0.2, 0.5}, q[4], R9[9];
    nt_so3_exp(psi, q);
    nt_so3_matrix(q, R9);
    m3 R = m3_load(R9), J = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5};
    v3 x = {1, 2, 3}, v = {1, -1, 0.5}, W = {0.5, 2, -1}, w = m3_apply(R, W);
    v3 tip = m3_apply(R, v3_of(0.5, 0.6, 0.7)), c = m3_apply(R, v3_of(0.1, 0.2, -0.3));

    check_vector(&f, "box.position", x);
    check_vector(&f, "box.velocity", v);
    check_vector(&f, "box.angular_velocity", W);
    check(&f, "box.orientation", 4, q, rounding);
    check_vector(&f, "tip.position", v3_add(x, tip));
    check_vector(&f, "tip.velocity", v3_add(v, v3_cross(w, tip)));

    /* J W' + W x J W = 0 about the centre of mass */
    double got[16];
    nt_state state = nt_integrator_state(f.integrator);
    sample(&f, &state, "box.angular_acceleration", got);
    v3 W1 = v3_load(got), momentum = m3_apply(J, W);
    v3 balance = v3_add(m3_apply(J, W1), v3_cross(W, momentum));
    assert_true(v3_norm(balance) <= 1e-11);
    v3 alpha = m3_apply(R, W1), g = {0, 0, -10};
    v3 a = v3_sub(g, v3_add(v3_cross(alpha, c), v3_cross(w, v3_cross(w, c))));
    v3 at_tip = v3_add(a, v3_add(v3_cross(alpha, tip), v3_cross(w, v3_cross(w, tip))));
    double expected[3];
    v3_store(expected, a);
    check(&f, "box.acceleration", 3, expected, 1e-11);
    v3_store(expected, at_tip);
    check(&f, "tip.acceleration", 3, expected, 1e-11);

    v3 vc = v3_add(v, v3_cross(w, c)), box = v3_scale(2, vc), along = {2, 0, 0};
    check_vector(&f, "momentum", v3_add(box, v3_scale(4, along)));
    v3 L = v3_add(v3_cross(v3_add(x, c), box), m3_apply(R, momentum));
    L = v3_add(L, v3_cross(v3_of(5, 1, 0), along));
    check_vector(&f, "angular_momentum", L);
    double kinetic = v3_dot(vc, vc) + 0.5 * v3_dot(W, momentum) + 2 * v3_dot(along, along);
    double potential = 2 * 10 * (3 + c.z);
    double energy[4] = {kinetic, potential, kinetic + potential, 0};
    check(&f, "energy", 4, energy, 1e-11);
    check(&f, "energy.total", 1, energy + 2, 1e-11);
    tear_down(&f);
}

/* The arm, a mass at 1 m from a horizontal axis with inertia 1 about it, starts to fall: the pin
 * bears what gravity and its acceleration leave. It hangs on B = arm: force = m (a - g). */
static void joints_at_the_start(void **unused)
{
    (void)unused;
    fixture f;
    set_up(&f);
    double zero = 0, rate = 2, angular = 0;
    check(&f, "rail.displacement", 1, &zero, rounding);
    check(&f, "rail.rate", 1, &rate, rounding);
    check(&f, "rail.displacement_rate", 1, &rate, rounding);
    check(&f, "pin.angle", 1, &zero, rounding);
    check(&f, "pin.rate", 1, &angular, rounding);
    /* (1 + 1 * 1^2) alpha = -m g 1: alpha = -5 about x; a_z of the arm = -5 */
    check_vector(&f, "pin.force", v3_of(0, 0, 5));
    check_vector(&f, "rail.force", v3_of(0, 0, 35));
    double drift[2] = {0, 0}, none = 0;
    check(&f, "constraint_drift", 2, drift, rounding);
    check(&f, "step_size", 1, &none, 0);
    tear_down(&f);
}

static void refuse(const fixture *f, const char *name, const char *expected)
{
    nt_quantity_info quantity;
    nt_error error;
    assert_int_equal(nt_model_quantity(nt_run_model(f->run), name, &quantity, &error),
                     NT_BAD_MODEL);
    if (!strstr(error.message, expected))
        fail_msg("%s: '%s' without '%s'", name, error.message, expected);
}

static void names_that_do_not_exist(void **unused)
{
    (void)unused;
    fixture f;
    set_up(&f);
    refuse(&f, "box.positon", "'box' has no 'positon'; did you mean 'position'?");
    refuse(&f, "bxo.position", "did you mean 'box'?");
    refuse(&f, "enegry", "did you mean 'energy'?");
    refuse(&f, "elsewhere.position", "expected BODY.position");
    refuse(&f, "box", "Expected box.NAME with one of position, orientation");
    refuse(&f, "box.position.w", "components x, y, z");
    refuse(&f, "box.position.x.y", "components x, y, z");
    refuse(&f, "pin.angle.x", "one number");
    refuse(&f, "rail.angle", "'rail' has no 'angle'");
    refuse(&f, "pin.displacement", "'pin' has no 'displacement'");
    refuse(&f, "tip.orientation", "'tip' has no 'orientation'");
    refuse(&f, "ground.position", "unknown quantity 'ground.position'");
    refuse(&f, "", "unknown quantity ''");
    refuse(&f, ".", "unknown quantity");
    refuse(&f, "box.", "Expected box.NAME with one of");
    tear_down(&f);
}

static void columns_have_names_and_units(void **unused)
{
    (void)unused;
    static const struct {
        const char *quantity;
        int column;
        const char *name, *unit, *meaning;
    } rows[] = {
        {"box.position", 1, "box.position.y", "m", "position of body box, y, ground axes"},
        {"box.position.z", 0, "box.position.z", "m", "position of body box, z, ground axes"},
        {"tip.velocity", 0, "tip.velocity.x", "m/s", "velocity of marker tip, x, ground axes"},
        {"pin.torque", 2, "pin.torque.z", "N m",
         "torque on the second body of joint pin, z, ground axes"},
        {"pin.angle", 0, "pin.angle", "rad", "angle of joint pin"},
        {"energy", 3, "energy.work", "J", "energy, work"},
        {"constraint_drift", 1, "constraint_drift.velocity", "m/s",
         "largest constraint equation, velocity"},
    };
    fixture f;
    set_up(&f);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[100], unit[100], meaning[100];
        nt_quantity_info quantity;
        assert_int_equal(nt_model_quantity(nt_run_model(f.run), rows[i].quantity, &quantity, NULL),
                         NT_OK);
        nt_model_quantity_column(nt_run_model(f.run), &quantity, rows[i].column, name, unit,
                                 meaning, 100);
        assert_string_equal(name, rows[i].name);
        assert_string_equal(unit, rows[i].unit);
        assert_string_equal(meaning, rows[i].meaning);
    }
    tear_down(&f);
}

static int observe(void *context, const nt_integrator *integrator)
{
    void **both = context;
    (void)integrator;
    return nt_record_advance(both[0], both[1], NULL) != NT_OK;
}

/* Output times that fall between steps, an end that is no multiple of them. The centre of mass
 * flies as z = z0 + v t - 5 t^2, which the method and the cubic between its steps give but for
 * rounding. */
static void rows_at_output_times(void **unused)
{
    (void)unused;
    fixture f;
    nt_error error;
    nt_record *record;
    set_up(&f);
    assert_int_equal(nt_record_open(&record, f.run, "record.csv", NT_CSV, NULL, &error), NT_OK);
    void *both[2] = {record, f.integrator};
    nt_state state = nt_integrator_state(f.integrator);
    double x[3], v[3];
    sample(&f, &state, "heart.position", x);
    sample(&f, &state, "heart.velocity", v);
    assert_int_equal(nt_record_write(record, f.integrator, &state, &error), NT_OK);
    assert_int_equal(nt_integrator_run(f.integrator, 0.75, 0.03, observe, both, &error), NT_OK);
    state = nt_integrator_state(f.integrator);
    assert_int_equal(nt_record_write(record, f.integrator, &state, &error), NT_OK);
    assert_int_equal(nt_record_write(record, f.integrator, &state, &error), NT_OK);
    assert_int_equal(nt_record_rows(record), 9);
    assert_int_equal(nt_record_close(record, &error), NT_OK);

    char line[1000], *at;
    FILE *file = fopen("record.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line,
                        "time,heart.position.x,heart.position.y,heart.position.z,energy.kinetic,"
                        "energy.potential,energy.total,energy.work,pin.force.x,pin.force.y,"
                        "pin.force.z\n");
    for (int row = 0; row < 9; row++) {
        assert_non_null(fgets(line, sizeof line, file));
        double t = strtod(line, &at), wanted = row < 8 ? 0.1 * row : 0.75;
        assert_true(fabs(t - wanted) <= 1e-15);
        for (int i = 0; i < 3; i++) {
            double fall = i == 2 ? -5 * t * t : 0, got = strtod(at + 1, &at);
            assert_true(fabs(got - (x[i] + v[i] * t + fall)) <= rounding);
        }
        int commas = 0;
        for (at = line; *at; at++)
            commas += *at == ',';
        assert_int_equal(commas, 10);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
    tear_down(&f);
}

/* Poses stand in NetCDF for every body, whatever is recorded: at rows between steps too they are
 * what the quantities of the bodies are; a point has the axes of the ground. */
static void poses_of_all_bodies(void **unused)
{
    (void)unused;
    static const char poses[] =
        "nutate: 1\n"
        "bodies:\n"
        "  dust: {point: true, mass: 1, position: [1, 2, 3], velocity: [1, 0, 0]}\n"
        "  top: {mass: 1, inertia: [1, 2, 2.5], center_of_mass: [0.1, 0, 0], position: [4, 5, 6],\n"
        "        angular_velocity: [0.3, 2, 0.1]}\n"
        "simulation: {duration: 1, step: 1e-2}\n"
        "output: {every: 0.007, record: [dust.position, top.orientation, top.position]}\n";
    enum { DUST = 1, ORIENTATION = 4, POSITION = 8, COLUMNS = 11 };
    fixture f;
    nt_error error;
    nt_record *record;
    nt_result *result;
    assert_int_equal(
        read_run_text(&f.run, poses, sizeof poses - 1, "poses.yaml", NULL, NULL, 0, &error), NT_OK);
    nt_integrator_setup setup = {.system = nt_run_system(f.run),
                                 .method = nt_method_find("rkmk-dopri5")};
    assert_int_equal(nt_integrator_create(&f.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(f.integrator, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_record_open(&record, f.run, "poses.nc", NT_NETCDF, NULL, &error), NT_OK);
    void *both[2] = {record, f.integrator};
    assert_int_equal(nt_integrator_run(f.integrator, 1, 1e-2, observe, both, &error), NT_OK);
    long rows = nt_record_rows(record);
    assert_int_equal(nt_record_close(record, &error), NT_OK);

    assert_int_equal(nt_result_open(&result, "poses.nc", &error), NT_OK);
    assert_int_equal(nt_result_rows(result), rows);
    assert_true(rows > 140);
    assert_int_equal(nt_result_array_count(result), 2);
    assert_string_equal(nt_result_array_at(result, 0).item_names[0], "dust");
    assert_string_equal(nt_result_array_at(result, 1).item_names[1], "top");
    for (long i = 0; i < rows; i++) {
        double row[COLUMNS], position[2][3], orientation[2][4];
        static const double ground[4] = {1, 0, 0, 0};
        assert_int_equal(nt_result_read(result, i, 1, row, &error), NT_OK);
        assert_int_equal(nt_result_read_array(result, 0, i, 1, position[0], &error), NT_OK);
        assert_int_equal(nt_result_read_array(result, 1, i, 1, orientation[0], &error), NT_OK);
        assert_memory_equal(position[0], row + DUST, sizeof position[0]);
        assert_memory_equal(position[1], row + POSITION, sizeof position[1]);
        assert_memory_equal(orientation[0], ground, sizeof ground);
        assert_memory_equal(orientation[1], row + ORIENTATION, sizeof orientation[1]);
    }
    nt_result_close(result);
    tear_down(&f);
}

static int observe_twice(void *context, const nt_integrator *integrator)
{
    void **all = context, *plain[2] = {all[2], all[1]};
    return observe(all, integrator) || observe(plain, integrator);
}

/* What a row shows beside its columns is of its own state, too, where derivatives stand between
 * these, which are found at states beside it: a record without them has the same arrays, to the
 * bit. The axle is as long as a parameter, so that bodies move with it. */
static void poses_beside_derivatives(void **unused)
{
    (void)unused;
    static const char turning[] =
        "nutate: 1\n"
        "parameters: {m: 3, arm: 0.8}\n"
        "bodies:\n"
        "  top: {mass: m, inertia: [0.2, 0.1*m, 0.2], position: [0, arm, 0],\n"
        "        angular_velocity: [0, 30, -4]}\n"
        "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, arm, 0]}\n"
        "joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n"
        "forces: {pull: {type: spring, between: [top, bob], stiffness: 50*m, length: 0.5}}\n"
        "simulation: {duration: 0.5, step: 1e-2}\n"
        "output: {every: 0.007, record: [pivot.force, top.acceleration, energy]}\n";
    static const nt_result_file files[2] = {{"beside.nc", NT_NETCDF}, {"plain.nc", NT_NETCDF}};
    static const int parameters[2] = {0, 1};
    fixture f;
    nt_error error;
    nt_record *records[2];
    nt_result *results[2];
    nt_sensitivity *sensitivity;
    assert_int_equal(
        read_run_text(&f.run, turning, sizeof turning - 1, "beside.yaml", NULL, NULL, 0, &error),
        NT_OK);
    nt_integrator_setup setup = {.version = 0};
    assert_int_equal(nt_run_setup(f.run, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_create(&f.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&sensitivity, f.integrator, parameters, 2, &error),
                     NT_OK);
    assert_int_equal(nt_integrator_start(f.integrator, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
    for (int i = 0; i < 2; i++) {
        const nt_record_setup of = {.run = f.run,
                                    .sensitivity = i == 0 ? sensitivity : NULL,
                                    .files = &files[i],
                                    .n_files = 1,
                                    .account = 1};
        assert_int_equal(nt_record_create(&records[i], &of, &error), NT_OK);
    }
    void *all[3] = {records[0], f.integrator, records[1]};
    assert_int_equal(nt_integrator_run(f.integrator, 0.5, 1e-2, observe_twice, all, &error), NT_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(nt_record_close(records[i], &error), NT_OK);
        assert_int_equal(nt_result_open(&results[i], files[i].path, &error), NT_OK);
    }
    int n = nt_result_array_count(results[1]);
    assert_int_equal(nt_result_array_count(results[0]), n);
    assert_true(n > 4 && nt_result_rows(results[1]) > 70);
    for (int i = 0; i < n; i++) {
        nt_result_array of = nt_result_array_at(results[1], i);
        for (long j = 0; j < nt_result_rows(results[1]); j++) {
            double values[2][16];
            assert_true(of.items * of.components <= 16);
            for (int k = 0; k < 2; k++)
                assert_int_equal(nt_result_read_array(results[k], i, j, 1, values[k], &error),
                                 NT_OK);
            for (int k = 0; k < of.items * of.components; k++)
                if (memcmp(&values[0][k], &values[1][k], sizeof(double)) != 0)
                    fail_msg("%s[%d] of row %ld is %.17g beside derivatives, else %.17g", of.name,
                             k, j, values[0][k], values[1][k]);
        }
    }
    nt_result_close(results[0]);
    nt_result_close(results[1]);
    nt_sensitivity_destroy(sensitivity);
    tear_down(&f);
}

/* Asked to stop between rows of one step, and gone on from there with everything made anew. */
static int stop_after(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

static void rows_go_on_where_they_stopped(void **unused)
{
    (void)unused;
    const nt_result_file files[] = {{"stopped.csv", NT_CSV}, {"stopped.nc", NT_NETCDF}};
    nt_error error;
    char *saved = NULL, *state = NULL;
    size_t saved_size = 0, state_size = 0;
    for (int part = 0; part < 2; part++) {
        fixture f;
        int left = part ? 1000 : 4;
        nt_record_setup setup = {.files = files,
                                 .n_files = 2,
                                 .saved = saved,
                                 .saved_size = saved_size,
                                 .stop = stop_after,
                                 .context = &left};
        nt_record *record;
        set_up(&f);
        setup.run = f.run;
        if (saved)
            assert_int_equal(nt_integrator_restore(f.integrator, state, state_size, &error), NT_OK);
        else
            assert_int_equal(nt_integrator_run(f.integrator, 1, 1, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_record_create(&record, &setup, &error), NT_OK);
        assert_int_equal(nt_record_rows(record), part ? 4 : 0);
        nt_status status = nt_record_advance(record, f.integrator, &error);
        assert_int_equal(status, part ? NT_OK : NT_INTERRUPTED);
        assert_int_equal(nt_record_rows(record), part ? 11 : 4);
        saved_size = nt_record_saved_size(record);
        state_size = nt_integrator_saved_size(f.integrator);
        free(saved), free(state);
        saved = malloc(saved_size), state = malloc(state_size);
        assert_true(saved && state);
        nt_integrator_save(f.integrator, state);
        assert_int_equal(nt_record_save(record, saved, 1, &error), NT_OK);
        assert_int_equal(nt_record_close(record, &error), NT_OK);
        tear_down(&f);
    }
    free(saved), free(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_at_the_start),      cmocka_unit_test(joints_at_the_start),
        cmocka_unit_test(names_that_do_not_exist),  cmocka_unit_test(columns_have_names_and_units),
        cmocka_unit_test(rows_at_output_times),     cmocka_unit_test(poses_of_all_bodies),
        cmocka_unit_test(poses_beside_derivatives), cmocka_unit_test(rows_go_on_where_they_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
