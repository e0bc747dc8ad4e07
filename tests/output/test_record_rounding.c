/* Forces that the rounding of places has made are told with their size; what doubles hold is not.
 */
#include "../model/mechanism.h"

#include <nutate/output.h>

/* Along an axis, and within a machine whose joints bear it. */
static const char one[] =
    "bodies: {a: {mass: 1, point: true, position: [1, 0, 0]}}\n"
    "forces: {s: {type: spring, between: [ground, a], at: [[0, 0, 0], [1, 0, 0]], stiffness: k}}\n"
    "output: {record: [a.position, s.force]}\n";
static const char within[] =
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [1.3, 0.2, 0.1]}\n"
    "  b: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [1.7, 0.2, 0.1]}\n"
    "joints:\n"
    "  j: {type: fixed, between: [ground, a], at: [1.3, 0.2, 0.1]}\n"
    "  r: {type: prismatic, between: [a, b], at: [1.7, 0.2, 0.1], axis: [1, 0, 0]}\n"
    "forces: {s: {type: spring, between: [a, b], at: [[1.3, 0.2, 0.1], [1.7, 0.2, 0.1]], "
    "stiffness: k}}\n"
    "output: {record: [r.force, j.force, b.acceleration]}\n";

/* No force acts on it, and rounding is all that there is. */
static const char still[] =
    "gravity: [0, 0, 0]\n"
    "beams:\n"
    "  rod:\n"
    "    points: [[10, 20, 30], [90, 70, 60]]\n"
    "    elements: 3\n"
    "    order: 2\n"
    "    sections: [{material: {E: k, nu: 0.3, density: 7800}, shape: circle, radius: 1}]\n"
    "joints: {j: {type: fixed, between: [ground, rod.root], at: [10, 20, 30]}}\n"
    "output: {record: [j.force, j.torque]}\n";

/* On a floor as stiff as floors are. */
static const char landing[] =
    "bodies: {a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [3, 0, 0.1]}}\n"
    "contacts: {c: {type: sphere_plane, between: [ground, a], radius: 0.1, plane: {point: [0, 0, "
    "0], "
    "normal: [0, 0, 1]}, stiffness: k, exponent: 1, damping: 1e3}}\n"
    "output: {record: [c.normal_force]}\n";

static nt_status drop_row(void *taker, const double *values, int n)
{
    (void)taker, (void)values, (void)n;
    return NT_OK;
}

static void run(const char *text, double stiffness, const char *method, char *warning, int size)
{
    char model[1000];
    snprintf(model, sizeof model, "nutate: 1\nparameters: {k: %g}\n%s", stiffness, text);
    mechanism m = mechanism_read(model);
    nt_error error = {0};
    nt_record *record = NULL;
    nt_record_setup setup = {.run = m.run, .take_row = drop_row};
    nt_integrator_setup how = {.system = nt_run_system(m.run), .method = nt_method_find(method)};
    if (!nt_method_has_frame(how.method, how.frame))
        how.frame = NT_BODY;
    if (nt_integrator_create(&m.integrator, &how, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK ||
        nt_record_create(&record, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
    for (int i = 0; i <= 10; i++) {
        nt_state state = nt_integrator_state(m.integrator);
        if ((i > 0 && nt_integrator_run(m.integrator, i * 1e-3, 1e-3, NULL, NULL, &error) != NT_OK))
            fail_msg("%s at %g: %s", method, stiffness, error.message);
        state = nt_integrator_state(m.integrator);
        if (nt_record_write(record, m.integrator, &state, &error) != NT_OK)
            fail_msg("%s", error.message);
    }
    nt_state state = nt_integrator_state(m.integrator);
    long evaluations = nt_integrator_statistics(m.integrator)->evaluations;
    int length = nt_record_warning(record, m.integrator, &state, warning, size);
    assert_int_equal(length, strlen(warning));
    assert_int_equal(evaluations, nt_integrator_statistics(m.integrator)->evaluations);
    if (length > 20) { /* room that is too small holds what fits */
        char less[20];
        assert_int_equal(nt_record_warning(record, m.integrator, &state, less, (int)sizeof less),
                         19);
        assert_memory_equal(less, warning, 19);
    }
    nt_record_close(record, NULL);
    mechanism_close(&m);
}

static void what_rounding_makes_is_told(void **state)
{
    static const char *const methods[] = {"generalized-alpha", "theta", "rkmk-dop853"};
    char warning[400];
    (void)state;
    run(one, 1e20, "generalized-alpha", warning, sizeof warning);
    if (strncmp(warning, "s.force.x is known to ", 22) != 0)
        fail_msg("%s", warning);
    double by = strtod(warning + 22, NULL);
    assert_true(by > 5e3 && by < 5e4); /* 2.2e-16 m */
    for (int i = 0; i < 3; i++) {
        run(within, 1e19, methods[i], warning, sizeof warning);
        if (!strstr(warning, "b.acceleration.x is known to") ||
            !strstr(warning, "likewise 1 other quantity; expected less stiffness"))
            fail_msg("%s: %s", methods[i], warning);
    }
}

static void what_doubles_hold_is_not(void **state)
{
    static const char *const methods[] = {"generalized-alpha", "theta", "bdf"};
    char warning[400];
    (void)state;
    for (int i = 0; i < 3; i++) {
        run(one, 1e9, methods[i], warning, sizeof warning);
        assert_string_equal(warning, "");
        run(within, 1e9, methods[i], warning, sizeof warning);
        assert_string_equal(warning, "");
        run(still, 2e11, methods[i], warning, sizeof warning);
        assert_string_equal(warning, "");
    }
    run(landing, 1e8, "generalized-alpha", warning, sizeof warning);
    assert_string_equal(warning, "");
}

/* A bar with next to no inertia about its axis: what rounding twists it by accelerates it beyond
 * measure, so that rows show the accelerations of the method. */
static const char bar[] =
    "gravity: [0, 0, 0]\n"
    "beams:\n"
    "  bar:\n"
    "    points: [[0, 0, 0], [0.508, 0, 0]]\n"
    "    order: 8\n"
    "    sections:\n"
    "      - stiffness: [2.842e6, 0.641e6, 0.9039e6, 3.103, 2.429, 36.28]\n"
    "        mass: [0.1095, 0.1095, 0.1095, k, 1e-7, 1.5e-6]\n"
    "joints: {clamp: {type: fixed, between: [ground, bar.root], at: [0, 1e-3, 0]}}\n"
    "forces: {weight: {type: force, on: bar.tip, value: [0, 6.3, 6.3]}}\n"
    "output: {record: [clamp.force]}\n";

static void rows_that_break_newtons_law_are_told(void **state)
{
    char warning[400];
    (void)state;
    run(bar, 1e-30, "theta", warning, sizeof warning);
    if (!strstr(warning, "forces and accelerations of ") || !strstr(warning, "break Newton's law"))
        fail_msg("'%s'", warning);
    run(bar, 1.6e-6, "theta", warning, sizeof warning);
    assert_string_equal(warning, "");
}

/* A rotor without inertia, whose axis goes through its center but for rounding, by %g of the
 * torques of a motor. */
static const char rotor[] =
    "bodies: {r: {mass: mass, inertia: [0, 0, 0], position: [0, 0, 0]}}\n"
    "gravity: [0, 0, g]\n"
    "joints: {axle: {type: revolute, between: [ground, r], at: [0.21, 0.28, 0.35], axis: [0.3, "
    "0.4, 0.5]}}\n"
    "states: {current: {rate: (24 - 0.317*current - 0.0302*axle.rate)/8.23e-5}}\n"
    "forces:\n"
    "  drive: {type: joint_torque, joint: axle, value: 0.0302*current}\n"
    "  drag: {type: torsion_spring, joint: axle, damping: 2e-5}\n"
    "simulation: {step: 1e-3}\n"
    "output: {every: 5e-4, record: [axle.force, axle.torque, r.acceleration]}\n";

/* Its axis goes through its center but for what constraints are open by, some 1e-80 m: the matrix
 * has an inertia of 1e-155 kg m^2 by its own rounding. */
static const char centered[] =
    "gravity: [g, 0, 0]\n"
    "bodies: {r: {mass: mass, inertia: [0, 0, 0], position: [0, 0, 0]}}\n"
    "joints: {axle: {type: revolute, between: [ground, r], at: [0, 0, 3], axis: [0, 0, 1]}}\n"
    "states:\n"
    "  current: {rate: (-24 - 0.317*current - 0.0302*axle.rate)/8.23e-5}\n"
    "  given: {rate: -24*current}\n"
    "  lost: {rate: 0.317*current^2}\n"
    "forces:\n"
    "  drive: {type: joint_torque, joint: axle, value: 0.0302*current}\n"
    "  drag: {type: torsion_spring, joint: axle, damping: 2e-5}\n"
    "simulation: {step: 1e-3}\n"
    "output: {every: 9e-4, record: [axle.force, axle.torque, r.acceleration]}\n";

/* The first one, drawn by a torque: rounding throws it, be it that of a torque that is rounding
 * itself. */
static const char drawn[] =
    "bodies: {r: {mass: mass, inertia: [0, 0, 0], position: [0, 0, 0]}}\n"
    "gravity: [0, 0, g]\n"
    "joints: {axle: {type: revolute, between: [ground, r], at: [0.21, 0.28, 0.35], axis: [0.3, "
    "0.4, 0.5]}}\n"
    "forces:\n"
    "  drive: {type: joint_torque, joint: axle, value: torque}\n"
    "  drag: {type: torsion_spring, joint: axle, damping: 2e-5}\n"
    "simulation: {step: 1e-3}\n"
    "output: {every: 4.1e-4, record: [axle.force, axle.torque, r.angular_acceleration]}\n";

static nt_status look_at_row(void *taker, const double *values, int n)
{
    double *largest = taker;
    for (int i = 1; i < n; i++)
        largest[(i - 1) / 3] = fmax(largest[(i - 1) / 3], fabs(values[i]));
    return NT_OK;
}

typedef struct rows {
    nt_record *record;
    nt_integrator *integrator;
} rows;

static int advance(void *context, const nt_integrator *integrator)
{
    rows *r = context;
    (void)integrator;
    return nt_record_advance(r->record, r->integrator, NULL) != NT_OK;
}

/* What forces (N), torques (N m) and accelerations (m/s^2 or rad/s^2) of all rows stay below, and
 * what the largest force exceeds; and whether rows are told whose moments do not balance. */
typedef struct between {
    const char *model;
    double mass, g, torque, force, most[3];
    bool told;
} between;

/* Steps of 1 ms to the time `until`, s, and rows wherever the model wants them. */
static void record_between_steps(const char *model, double until,
                                 nt_status (*take_row)(void *, const double *, int), void *taker,
                                 char *warning, int size)
{
    mechanism m = mechanism_read(model);
    nt_error error = {0};
    nt_record *record = NULL;
    nt_record_setup setup = {.run = m.run, .take_row = take_row, .taker = taker};
    nt_integrator_setup how = {.system = nt_run_system(m.run),
                               .method = nt_method_find("generalized-alpha")};
    if (nt_integrator_create(&m.integrator, &how, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK ||
        nt_record_create(&record, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
    rows context = {record, m.integrator};
    if (nt_integrator_run(m.integrator, until, 1e-3, advance, &context, &error) != NT_OK)
        fail_msg("%s", error.message);
    assert_true(nt_record_rows(record) >= until / 1e-3);
    nt_state state = nt_integrator_state(m.integrator);
    nt_record_warning(record, m.integrator, &state, warning, size);
    nt_record_close(record, NULL);
    mechanism_close(&m);
}

static void look_between_steps(const between *b)
{
    char model[1000], warning[400];
    double largest[3] = {0};
    snprintf(model, sizeof model, "nutate: 1\nparameters: {mass: %g, g: %g, torque: %g}\n%s",
             b->mass, b->g, b->torque, b->model);
    record_between_steps(model, 0.05, look_at_row, largest, warning, sizeof warning);
    if (!(largest[0] > b->force && largest[0] < b->most[0] && largest[1] < b->most[1] &&
          largest[2] < b->most[2]) ||
        (strstr(warning, "break Newton's law") != NULL) != b->told)
        fail_msg("mass %g, g %g, torque %g: %g N, %g N m, %g m/s2 or rad/s2, '%s'", b->mass, b->g,
                 b->torque, largest[0], largest[1], largest[2], warning);
}

static void rows_between_steps_are_no_rounding(void **state)
{
    static const between tables[] = {
        {rotor, 0.4, 9.81, 0, 3, {5, 1.2, 1e-3}, true}, /* its weight is 3.92 N */
        {centered, 0.4, 1e-5, 0, 3.9e-6, {4.1e-6, 1.3e-5, 1e-3}, true},
        {drawn, 0.4, 9.81, 1, 3, {5, 1.2, 1e9}, true}, /* it turns at 5e4 rad/s after a step */
        {drawn, 0.4, 9.81, 1e-10, 3, {5, 1.2, 1}, false},
        {drawn, 0.4, 9.81, 1e-24, 3, {5, 1.2, 1e-3}, false},
        {drawn, 4e3, 0, 1e-28, -1, {1e-3, 1e-3, 1e-3}, true},
    };
    (void)state;
    for (int i = 0; i < 6; i++)
        look_between_steps(&tables[i]);
}

/* A rotor in gimbals. The inner ring begins to fall about the axle `level`, from beside it: of its
 * moment of inertia about that, 1e14 kg m^2, its own .01 is rounding. */
static const char gimbals[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  outer: {mass: 1, inertia: [0.02, 0.02, 0.03], position: [0, 0, 0]}\n"
    "  inner: {mass: 1e16, inertia: [0.01, 0.008, 0.009], center_of_mass: [0, 0.1, 0], position: "
    "[0, 0, 0]}\n"
    "  rotor: {mass: 2, inertia: [0.005, 0.009, 0.005], position: [0, 0, 0], angular_velocity: [0, "
    "200, 0]}\n"
    "joints:\n"
    "  vertical: {type: revolute, between: [ground, outer], at: [0, 0, 0], axis: [0, 0, 1], "
    "friction: {viscous: 0.02}}\n"
    "  level: {type: revolute, between: [outer, inner], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  bearing: {type: revolute, between: [inner, rotor], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "simulation: {step: 1e-3}\n"
    "output: {every: 7e-4, record: [level.force]}\n";

/* What is off by most of m a w^2 + m g sin, w = g t/a and the angle g t^2/(2 a): a part of it. */
static nt_status look_at_force(void *taker, const double *values, int n)
{
    double *most = taker, t = values[0], force = 1.5 * 1e16 * 9.81 * 9.81 * t * t / 0.1;
    assert_int_equal(n, 4);
    if (t > 0)
        *most = fmax(*most, fabs(values[2] + force) / force);
    return NT_OK;
}

static void rows_between_steps_pivot_where_blocks_lose_all(void **state)
{
    char warning[400];
    double off = 0;
    (void)state;
    record_between_steps(gimbals, 0.004, look_at_force, &off, warning, sizeof warning);
    if (!(off < 1e-5) || warning[0])
        fail_msg("off by %g: '%s'", off, warning);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rounding_makes_is_told),
        cmocka_unit_test(what_doubles_hold_is_not),
        cmocka_unit_test(rows_between_steps_are_no_rounding),
        cmocka_unit_test(rows_between_steps_pivot_where_blocks_lose_all),
        cmocka_unit_test(rows_that_break_newtons_law_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
