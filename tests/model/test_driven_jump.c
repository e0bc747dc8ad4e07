/* Prescribed motions that jump, or whose rates do. A rate that jumps is an impact: velocities
 * behind it are those that the impulses of all joints give, known here by momentum, and the method
 * goes on with them. A motion that jumps has no velocity, and the run ends in words. */
#include "model/mechanism.h"

/* A carriage on a rail carries a motor that turns an arm; nothing else acts along the rail. The arm
 * stands across the rail, so that the motor's start pushes the carriage:
 *   (mc + ma) V + ma L w = 0,      L the distance of the arm's centre of mass from the motor. */
#define MODEL(motion) BESIDE("", motion)
#define BESIDE(body, motion)                                                                       \
    "nutate: 1\n"                                                                                  \
    "parameters: {T: 0.1, w: 3}\n"                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  carriage: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                             \
    "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], center_of_mass: [0, 0, "      \
    "0.5]}\n" body "joints:\n"                                                                     \
    "  rail: {type: prismatic, between: [ground, carriage], at: [0, 0, 0], axis: [1, 0, 0]}\n"     \
    "  motor: {type: revolute, between: [carriage, arm], at: [0, 0, 0], axis: [0, 1, 0],\n"        \
    "          motion: \"" motion "\"}\n"                                                          \
    "simulation: {duration: 0.3, step: 1e-2}\n"

static const double MC = 2, MA = 1, L = 0.5, J = 0.1, W = 3;

static nt_status advance(const char *text, const nt_method *method, double end, nt_error *error,
                         mechanism *m, double *work)
{
    *m = mechanism_read(text);
    nt_integrator_setup setup = {
        .system = nt_run_system(m->run), .method = method, .track_work = 1};
    if (nt_method_check_system(method, setup.system, NULL) != NT_OK)
        return NT_UNSUPPORTED;
    if (nt_integrator_create(&m->integrator, &setup, error) != NT_OK ||
        nt_integrator_start(m->integrator, 0, m->q, m->v, m->memory, error) != NT_OK)
        fail_msg("%s", error->message);
    nt_status status = nt_integrator_run(m->integrator, end, 1e-2, NULL, NULL, error);
    *work = nt_integrator_state(m->integrator).work;
    return status;
}

/* Just behind the jump, at a time that no step of 0.01 s meets: momentum and energy. */
static void starts_at_once(void **state)
{
    (void)state;
    static const char *const models[] = {MODEL("max(0, 3*(t - 0.1037))"),
                                         MODEL("if(t > 0.1037, 3*(t - 0.1037), 0)"),
                                         MODEL("1.5*(t - 0.1037 + abs(t - 0.1037))")};
    const double V = -MA * L * W / (MC + MA);
    const double energy = MC * V * V / 2 + MA * (V + L * W) * (V + L * W) / 2 + J * W * W / 2;
    int tried = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < nt_method_count(); i++) {
            mechanism m;
            nt_error error = {0};
            double work = 0, rate[16], e[16];
            nt_status status = advance(models[k], nt_method_at(i), 0.1038, &error, &m, &work);
            if (status == NT_OK) {
                tried++;
                mechanism_get(&m, "carriage.velocity", rate);
                mechanism_get(&m, "energy", e);
                CLOSE(rate[0], V, 1e-5); /* after 1e-4 s */
                CLOSE(mechanism_number(&m, "motor.rate"), W, 1e-5);
                CLOSE(e[2], energy, 1e-5);
            } else if (status != NT_UNSUPPORTED)
                fail_msg("%s: %s", nt_method_name(nt_method_at(i)), error.message);
            mechanism_close(&m);
        }
    assert_true(tried >= 3 * 8);
}

/* To the end with few steps: the rate stays, and so does momentum along the rail. */
static void goes_on(void **state)
{
    (void)state;
    mechanism m;
    nt_error error = {0};
    double work, v[16], w[16];
    assert_int_equal(advance(MODEL("max(0, 3*(t - 0.1037))"), nt_method_find("generalized-alpha"),
                             0.3, &error, &m, &work),
                     NT_OK);
    double angle = 3 * (0.3 - 0.1037);
    mechanism_get(&m, "carriage.velocity", v);
    mechanism_get(&m, "arm.angular_velocity", w);
    CLOSE(mechanism_number(&m, "motor.rate"), W, 1e-3);
    CLOSE((MC + MA) * v[0] + MA * L * w[1] * cos(angle), 0, 1e-3); /* O(h^2) */
    mechanism_close(&m);
}

static void jumps(void **state)
{
    (void)state;
    static const char *const models[] = {MODEL("if(t > 0.1037, 0.5, 0)"),
                                         MODEL("if(t > 0.1037, 1e-6, 0)*(1 + t)"),
                                         BESIDE("  far: {mass: 1, position: [0, 1e3, 0], "
                                                "point: true}\n",
                                                "if(t > 0.1037, 1e-6, 0)*(1 + t)"),
                                         MODEL("floor(10*t)/10"), MODEL("if(t > 0.1037, 2.5, 0)")};
    static const char *const says[] = {"jumps by 0.5 rad", "jumps by 1.1037e-06 rad",
                                       "jumps by 1.1037e-06 rad", "jumps by 0.1 rad",
                                       "jumps by 2.5 rad"};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < nt_method_count(); i++) {
            mechanism m;
            nt_error error = {0};
            double work;
            nt_status status = advance(models[k], nt_method_at(i), 0.3, &error, &m, &work);
            if (status != NT_UNSUPPORTED) {
                assert_int_equal(status, NT_INCONSISTENT);
                assert_non_null(strstr(error.message, "joint motor"));
                assert_non_null(strstr(error.message, says[k]));
                assert_true(fabs(error.time - (k != 3 ? 0.1037 : 0.1)) < 1e-9);
                assert_int_equal(error.line, k == 2 ? 10 : 9);
            }
            mechanism_close(&m);
        }
}

/* A jump at the very end of a run is not of it; one that goes on from there meets it. */
static void jumps_at_the_end(void **state)
{
    (void)state;
    int tried = 0;
    for (int i = 0; i < nt_method_count(); i++) {
        mechanism m;
        nt_error error = {0};
        double work;
        const nt_method *method = nt_method_at(i);
        nt_status status = advance(MODEL("if(t > 0.1, 0, 3*t)"), method, 0.1, &error, &m, &work);
        if (status == NT_OK) {
            tried++;
            CLOSE(mechanism_number(&m, "motor.angle"), 0.3, 1e-6);
            assert_int_equal(nt_integrator_run(m.integrator, 0.3, 1e-2, NULL, NULL, &error),
                             NT_INCONSISTENT);
            assert_non_null(strstr(error.message, "jumps by 0.3 rad"));
        } else if (status != NT_UNSUPPORTED)
            fail_msg("%s: %s", nt_method_name(method), error.message);
        mechanism_close(&m);
    }
    assert_true(tried >= 8);
}

/* What is smooth, however fast, and what jumps by rounding, is neither. */
static void does_not_jump(void **state)
{
    (void)state;
    static const char *const models[] = {MODEL("1e4*t + if(t > 0.1037, 1, 0)*(t - 0.1037)^2"),
                                         MODEL("max(0, t - 0.1037)^2"),
                                         MODEL("if(t > 0.1037, 1e-12, 0)")};
    for (int k = 0; k < 3; k++) {
        mechanism m;
        nt_error error = {0};
        double work;
        nt_status status =
            advance(models[k], nt_method_find("rkmk-dop853"), 0.12, &error, &m, &work);
        if (status != NT_OK)
            fail_msg("%s", error.message);
        mechanism_close(&m);
    }
}

/* What a look at the model says before any run: where, by how much, and of what. */
static void is_told_beforehand(void **state)
{
    static const struct {
        const char *model, *says; /* NULL: nothing */
    } rows[] = {
        {MODEL("floor(10*t)"), "its motion jumps by 1 at t = 0.1 s"},
        {MODEL("if(t < 0.1037, 0, w)"), "its motion jumps by 3 at t = 0.1037 s"},
        {MODEL("mod(t, 0.07)"), "its motion jumps by -0.07 at t = 0.07 s"},
        {MODEL("max(0, t - T)"), "the rate of its motion jumps by 1 at t = 0.1 s"},
        {MODEL("abs(sin(20*t))"), "the rate of its motion jumps by 40 at t = 0.15708 s"},
        {MODEL("if(t < T, 0, (t - T)^2)"), "the second derivative of its motion jumps by 2 at"},
        {MODEL("if(t < T, 0, (t - T)^1.5)"), "the second derivative of its motion jumps by inf"},
        {MODEL("if(t < T, 0, (t - T)^3)"), NULL},
        {MODEL("mod(2*pi*10*t, 2*pi)"), NULL}, /* whole turns */
        {MODEL("step(t, 0.1, 0, 0.101, w)"), NULL},
        {MODEL("hypot(t - T, 1e-4) - hypot(T, 1e-4)"), NULL},
        {MODEL("(tanh(1e5*(t - 0.12345)) + 1)*abs(t + 1)"), NULL},
        {MODEL("abs(t)"), NULL}, /* at the start */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nt_model *model;
        nt_error error = {0};
        if (nt_model_read_text(&model, rows[i].model, strlen(rows[i].model), "test", NULL, NULL, 0,
                               &error) != NT_OK)
            fail_msg("%s", error.message);
        int found = nt_model_rough_motion(model, 0, &error);
        if (found != (rows[i].says != NULL) ||
            (found && (!strstr(error.message, rows[i].says) || error.line != 9)))
            fail_msg("%s: %d: %s", rows[i].model, error.line, found ? error.message : "nothing");
        assert_false(nt_model_rough_motion(model, 1, &error));
        nt_model_destroy(model);
    }
}

/* A crank with a free bar at its end, driven along straight lines: seven of its eight bends lie
 * where a step of 1e-3 s ends; what is within clamp() bends once before it and once behind. */
static const char bends[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"
    "  bar: {mass: 0.5, inertia: [0.01, 0.02, 0.03], position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  drive: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1],\n"
    "          motion: \"3*max(0, t - 0.1) - 2.5*abs(t - 0.2) + 2.5*abs(0.2) - "
    "4*max(0, t - 0.25) + max(0, 0.3 - t) + min(t, 0.35) + abs(2*t - 0.8) + "
    "3*min(0, 0.45 - t) + clamp(5*t, 2.5, 2.60185) - 3.6\"}\n"
    "  pin: {type: revolute, between: [crank, bar], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  loss: {type: joint_torque, joint: pin, value: \"-0.02*pin.rate\"}\n";

/* The angle of the pin and the work of drive and loss after 0.6 s. */
static nt_status follow(const nt_method *method, double h, double tolerance, double out[2])
{
    mechanism m = mechanism_read(bends);
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = method,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance},
                                 .track_work = 1};
    nt_status status = nt_method_check_system(method, setup.system, NULL);
    if (status != NT_OK) {
        mechanism_close(&m);
        return NT_UNSUPPORTED;
    }
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK ||
        nt_integrator_run(m.integrator, 0.6, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s: %s", nt_method_name(method), error.message);
    out[0] = mechanism_number(&m, "pin.angle");
    out[1] = nt_integrator_state(m.integrator).work;
    mechanism_close(&m);
    return NT_OK;
}

/* A step that ends where the motion bends sees it as it is before, and the next one as it is
 * behind, so that every method has its order in what moves freely and in the work. */
static void bends_between_steps(void **state)
{
    (void)state;
    double right[2], coarse[2], fine[2];
    int tried = 0;
    assert_int_equal(follow(nt_method_find("rkmk-dop853"), 1e-3, 1e-12, right), NT_OK);
    for (int i = 0; i < nt_method_count(); i++) {
        const nt_method *method = nt_method_at(i);
        bool chooses = strcmp(nt_method_name(method), "bdf") == 0;
        bool first = strcmp(nt_method_name(method), "semi-explicit") == 0 ||
                     strcmp(nt_method_name(method), "generalized-alpha-residual") == 0;
        double tolerance = chooses ? 1e-8 : 0;
        if (follow(method, 2e-3, tolerance, coarse) != NT_OK ||
            follow(method, 1e-3, tolerance, fine) != NT_OK)
            continue;
        tried++;
        for (int k = 0; k < 2; k++) {
            double before = fabs(coarse[k] - right[k]), off = fabs(fine[k] - right[k]);
            double most = first ? 2e-2 : 2e-4, gains = first ? 1.7 : 3.2;
            if (!(off <= most) || (!chooses && off > 1e-8 && !(before > gains * off)))
                fail_msg("%s: %s is off by %.3g with steps of 2e-3 s, by %.3g with 1e-3 s",
                         nt_method_name(method), k ? "the work" : "the angle", before, off);
        }
    }
    assert_true(tried >= 9);
}

/* A bob that gravity holds at the rigid limit of its hinge on a carriage, which starts at once with
 * speed V. Away from the limit it swings as a free one does, and the limit does not hold it back;
 * into it the limit takes the impulse, and the bob stays:
 *   (J + m l^2) w + m l cos(0.3) V = 0    or    w = 0. */
#define AT_ITS_STOP(speed)                                                                         \
    "nutate: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  cart: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                                 \
    "  bob: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0.8*sin(0.3), 0, -0.8*cos(0.3)],\n"     \
    "        orientation: {axis: [0, 1, 0], angle: -0.3}}\n"                                       \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0],\n"         \
    "         motion: \"" speed "*max(0, t - 0.1037)\"}\n"                                         \
    "  pin: {type: revolute, between: [cart, bob], at: [0, 0, 0], axis: [0, -1, 0],\n"             \
    "        limits: {lower: 0, restitution: 0.5}}\n"                                              \
    "simulation: {duration: 0.3, step: 1e-2}\n"

static void leaves_its_stop(void **state)
{
    (void)state;
    const double w = 1.5 * 2 * 0.8 * cos(0.3) / (0.2 + 2 * 0.64);
    int tried = 0;
    for (int i = 0; i < nt_method_count(); i++) {
        mechanism m;
        nt_error error = {0};
        double work;
        nt_status status = advance(AT_ITS_STOP("-1.5"), nt_method_at(i), 0.1038, &error, &m, &work);
        if (status == NT_OK) {
            tried++;
            CLOSE(mechanism_number(&m, "pin.rate"), w, 2e-3); /* after 1e-4 s */
        } else if (status != NT_UNSUPPORTED)
            fail_msg("%s: %s", nt_method_name(nt_method_at(i)), error.message);
        mechanism_close(&m);
        status = advance(AT_ITS_STOP("1.5"), nt_method_at(i), 0.3, &error, &m, &work);
        if (status == NT_OK) {
            CLOSE(mechanism_number(&m, "pin.rate"), 0, 1e-12);
            CLOSE(mechanism_number(&m, "pin.angle"), 0, 1e-12);
        }
        mechanism_close(&m);
    }
    assert_true(tried >= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_at_once),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(jumps),
        cmocka_unit_test(does_not_jump),
        cmocka_unit_test(jumps_at_the_end),
        cmocka_unit_test(is_told_beforehand),
        cmocka_unit_test(bends_between_steps),
        cmocka_unit_test(leaves_its_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
