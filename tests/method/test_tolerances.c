/* The error of a run falls with its tolerance, by every method that takes one: where rotations
 * speed up across their axis, where what is held does, and where the acceleration does not change
 * at all. */
#include "../model/mechanism.h"

/* A body under a torque, which turns with it or stays. */
#define BODY(inertia, spin, torque, axes)                                                          \
    "nutate: 1\ngravity: [0, 0, 0]\n"                                                              \
    "bodies: {a: {mass: 1, inertia: " inertia ", angular_velocity: " spin "}}\n"                   \
    "forces: {f: {type: torque, on: a, value: " torque ", frame: " axes "}}\n"

static const char *const turning[] = {
    BODY("[2, 2, 2]", "[0, 0, 5]", "[0.3, 0, 0]", "ground"),
    BODY("[2, 2, 2]", "[0, 0, 5]", "[0.3, 0, 0]", "body"),
    BODY("[2, 2, 2]", "[0, 0, 5]", "[0.3*t, 0.1, 0]", "ground"),
    BODY("[2, 2, 3]", "[0, 0, 5]", "[0.3, 0, 0]", "ground"),
    BODY("[1, 2, 3]", "[1, 0.5, 3]", "[0.3, 0, 0.2]", "body"),
};

/* x = t^3, by a force that grows with time. */
#define SLIDER(part)                                                                               \
    "nutate: 1\ngravity: [0, 0, 0]\n"                                                              \
    "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"                                                 \
    "joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}\n"       \
    "forces: {f: {type: force, on: a, value: [6*t, 0, 0], part: " part "}}\n"

static const char falling[] = "nutate: 1\ngravity: [6, 0, 0]\n"
                              "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n";

typedef struct member {
    const char *method;
    nt_option option;
} member;

/* All that take tolerances, as they are, and with options that change their order. */
static const member members[] = {
    {"theta", {0}},
    {"theta", {"theta", "0.7"}},
    {"theta", {"theta", "1"}},
    {"semi-explicit", {0}},
    {"semi-explicit", {"beta", "0.5"}},
    {"semi-explicit-2", {0}},
    {"semi-explicit-2", {"beta", "0.6"}},
    {"semi-explicit-2", {"gyroscopic", "implicit"}},
    {"generalized-alpha-soi2", {0}},
    {"rkmk-dopri5", {0}},
    {"rkmk-dop853", {0}},
    {"bdf", {0}},
};
enum { MEMBERS = sizeof members / sizeof *members, SIZE = 13 };

static const double END = 3;

/* y = (q, v) of one body at the end; false where the method has no such frame. */
static bool run(const char *text, const member *with, nt_frame frame, double tolerance,
                double y[SIZE])
{
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(with->method),
                                 .options = &with->option,
                                 .n_options = with->option.name != NULL,
                                 .frame = frame,
                                 .energy_check = NT_ENERGY_WARNS,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    bool has = nt_method_has_frame(setup.method, frame);
    if (has && (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
                nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK ||
                nt_integrator_run(m.integrator, END, 1e-3, NULL, NULL, &error) != NT_OK))
        fail_msg("%s: %s", with->method, error.message);
    if (has) {
        nt_state s = nt_integrator_state(m.integrator);
        memcpy(y, s.q, 7 * sizeof(double));
        memcpy(y + 7, s.v, 6 * sizeof(double));
    }
    mechanism_close(&m);
    return has;
}

/* The largest difference; a turn has two quaternions. */
static double difference(const double y[SIZE], const double exact[SIZE])
{
    double dot = 0, most = 0;
    for (int i = 3; i < 7; i++)
        dot += y[i] * exact[i];
    for (int i = 0; i < SIZE; i++)
        most = fmax(most, fabs((i >= 3 && i < 7 ? copysign(1, dot) : 1) * y[i] - exact[i]));
    return most;
}

/* Of first order the error is as the root of the tolerance, and all others are better. Errors below
 * 1e-7 are those of the reference and of rounding. */
static void falls(const char *text, const double exact[SIZE], const member *with, nt_frame frame)
{
    double y[SIZE], rough, fine;
    if (!run(text, with, frame, 1e-4, y))
        return;
    rough = difference(y, exact);
    run(text, with, frame, 1e-8, y);
    fine = difference(y, exact);
    if (!(fine <= rough / 20 + 1e-7 && fine < 5e-3))
        fail_msg("%s %s: %s in frame %d: %.2e, then %.2e\n%s", with->method,
                 with->option.name ? with->option.name : "",
                 with->option.name ? with->option.value : "", (int)frame, rough, fine, text);
}

static void falls_everywhere(const char *text, const double exact[SIZE])
{
    for (int i = 0; i < MEMBERS; i++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
            falls(text, exact, &members[i], frame);
}

static void test_rotations(void **unused)
{
    (void)unused;
    static const member reference = {"rkmk-dop853", {0}};
    for (size_t k = 0; k < sizeof turning / sizeof *turning; k++) {
        double exact[SIZE];
        assert_true(run(turning[k], &reference, NT_BODY, 1e-13, exact));
        falls_everywhere(turning[k], exact);
    }
}

static void test_what_is_held(void **unused)
{
    (void)unused;
    static const double exact[SIZE] = {27, 0, 0, 1, 0, 0, 0, 27};
    falls_everywhere(SLIDER("explicit"), exact);
    falls_everywhere(SLIDER("implicit"), exact);
}

static void test_what_falls(void **unused)
{
    (void)unused;
    static const double exact[SIZE] = {27, 0, 0, 1, 0, 0, 0, 18};
    falls_everywhere(falling, exact);
}

/* No method that takes a tolerance is left out above. */
static void test_all_methods(void **unused)
{
    (void)unused;
    for (int i = 0; i < nt_method_count(); i++) {
        const nt_method *method = nt_method_at(i);
        bool listed = false;
        for (int k = 0; k < MEMBERS; k++)
            listed |= strcmp(members[k].method, nt_method_name(method)) == 0;
        nt_integrator_setup setup = {.method = method, .tolerance = {1e-3, 1e-3, 1e-3, 1e-3}};
        mechanism m = mechanism_read(falling);
        nt_error error = {0};
        setup.system = nt_run_system(m.run);
        setup.frame = nt_method_has_frame(method, NT_INERTIAL) ? NT_INERTIAL : NT_BODY;
        bool takes = nt_integrator_create(&m.integrator, &setup, &error) == NT_OK;
        mechanism_close(&m);
        if (takes != listed)
            fail_msg("%s takes tolerances: %d, listed: %d", nt_method_name(method), takes, listed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_what_is_held),
        cmocka_unit_test(test_what_falls),
        cmocka_unit_test(test_all_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
