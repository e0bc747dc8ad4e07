/* Linear models under way, of motions that are inputs and of wheels that roll, against differences
 * of whole runs. */
#include "analysis/found_modes.h"

enum { TIMES = 5, RUNS = 5, MOST = 64 };

static const double step = 4e-4, apart = 2e-3, middle = 0.23; /* s */

typedef struct subject {
    nt_model *model;
    nt_run *run;
    const nt_system *system;
    nt_integrator *integrator;
    nt_state states[RUNS][TIMES]; /* of u = 0, h, -h, 2 h, -2 h */
    double *numbers[RUNS][TIMES];
    nt_linear *linear[TIMES]; /* about the first ones */
    nt_error error;
} subject;

/* The runs themselves: the same start, and the parameter u differs. */
static void run_all(subject *s, double h)
{
    static const double parts[RUNS] = {0, 1, -1, 2, -2};
    nt_integrator_setup setup = {0};
    size_t room = nt_state_room(s->system);
    double *q = calloc(room + 1, sizeof *q), *v = q + s->system->space.nq;
    assert_non_null(q);
    for (int r = 0; r < RUNS; r++) {
        if (nt_model_set(s->run, "u", parts[r] * h, &s->error) != NT_OK ||
            nt_run_setup(s->run, &setup, &s->error) != NT_OK ||
            nt_integrator_create(&s->integrator, &setup, &s->error) != NT_OK)
            fail_msg("%s", s->error.message);
        nt_run_initial(s->run, q, v, v + s->system->space.nv);
        if (nt_integrator_start(s->integrator, 0, q, v, v + s->system->space.nv, &s->error))
            fail_msg("%s", s->error.message);
        for (int i = 0; i < TIMES; i++) {
            double t = middle + (i - TIMES / 2) * apart;
            if (nt_integrator_run(s->integrator, t, step, NULL, NULL, &s->error) != NT_OK)
                fail_msg("%s", s->error.message);
            nt_state now = nt_integrator_state(s->integrator);
            s->numbers[r][i] = calloc(room + 1, sizeof(double));
            assert_non_null(s->numbers[r][i]);
            assert_int_equal(nt_state_copy(&s->states[r][i], s->numbers[r][i], s->system, &now),
                             NT_OK);
        }
        nt_integrator_destroy(s->integrator);
    }
    assert_int_equal(nt_model_set(s->run, "u", 0, &s->error), NT_OK);
    free(q);
}

static void open_subject(subject *s, const char *text, const char *input, double h,
                         const char *const *records, int n_records)
{
    *s = (subject){0};
    if (nt_model_read_text(&s->model, text, strlen(text), "model", NULL, NULL, 0, &s->error) ||
        nt_run_create(&s->run, s->model, &s->error) != NT_OK)
        fail_msg("%s", s->error.message);
    s->system = nt_run_system(s->run);
    run_all(s, h);
    for (int i = 0; i < TIMES; i++) {
        const nt_linear_setup setup = {.run = s->run,
                                       .state = &s->states[0][i],
                                       .inputs = &input,
                                       .n_inputs = 1,
                                       .outputs = records,
                                       .n_outputs = n_records};
        if (nt_linear_create(&s->linear[i], &setup, &s->error) != NT_OK)
            fail_msg("%s", s->error.message);
    }
}

static void close_subject(subject *s)
{
    for (int i = 0; i < TIMES; i++) {
        nt_linear_destroy(s->linear[i]);
        for (int r = 0; r < RUNS; r++)
            free(s->numbers[r][i]);
    }
    nt_run_destroy(s->run);
    nt_model_destroy(s->model);
}

/* x of the runs' differences at time i. */
static void state_at(const subject *s, int i, double h, double *x)
{
    int nv = s->system->space.nv;
    double dq[2][MOST], dv[MOST];
    assert_true(nv <= MOST);
    for (int far = 0; far < 2; far++) {
        double ahead[MOST], back[MOST];
        const nt_state *base = &s->states[0][i];
        nt_space_difference(&s->system->space, s->system->frame, base->q,
                            s->states[1 + 2 * far][i].q, ahead);
        nt_space_difference(&s->system->space, s->system->frame, base->q,
                            s->states[2 + 2 * far][i].q, back);
        for (int k = 0; k < nv; k++)
            dq[far][k] = ahead[k] - back[k];
    }
    for (int k = 0; k < nv; k++) {
        double near = s->states[1][i].v[k] - s->states[2][i].v[k];
        double far = s->states[3][i].v[k] - s->states[4][i].v[k];
        dv[k] = (8 * near - far) / (12 * h);
        dq[0][k] = (8 * dq[0][k] - dq[1][k]) / (12 * h);
    }
    assert_int_equal(nt_linear_from_motion(s->linear[i], dq[0], dv, x), NT_OK);
}

/* x at time i in the coordinates of the middle, which go along with the motion: up to the square of
 * the time between, coordinates of the middle's directions at time i. */
static void carry_to_middle(const subject *s, int i, const double *x, double *out)
{
    nt_linear_matrices m = nt_linear_get(s->linear[i]);
    for (int j = 0; j < m.states; j++) {
        double unit[MOST] = {0}, dq[MOST], dv[MOST], there[MOST];
        bool place = j < m.positions;
        unit[j] = 1;
        assert_int_equal(nt_linear_to_motion(s->linear[TIMES / 2], unit, dq, dv), NT_OK);
        assert_int_equal(nt_linear_from_motion(s->linear[i], dq, dv, there), NT_OK);
        out[j] = 0;
        for (int k = 0; k < m.states; k++)
            out[j] += (k < m.positions) == place ? there[k] * x[k] : 0;
    }
}

/* x' = A x + B u + B1 u' + B2 u'' in the middle, x' from the states around it. */
static void compare_rates(const subject *s, double h, const double u[3])
{
    nt_linear_matrices m = nt_linear_get(s->linear[TIMES / 2]);
    double x[TIMES][MOST], there[MOST], size = 0;
    assert_true(m.states <= MOST);
    for (int i = 0; i < TIMES; i++) {
        state_at(s, i, h, there);
        carry_to_middle(s, i, there, x[i]);
    }
    for (int j = 0; j < m.states; j++)
        size = fmax(size, fabs(x[TIMES / 2][j]));
    assert_true(size > 1e-3);
    for (int j = 0; j < m.states; j++) {
        double expected = m.B[j] * u[0] + m.B1[j] * u[1] + m.B2[j] * u[2];
        for (int k = 0; k < m.states; k++)
            expected += m.A[j * m.states + k] * x[TIMES / 2][k];
        double near = (x[3][j] - x[1][j]) / (2 * apart), far = (x[4][j] - x[0][j]) / (4 * apart);
        double got = (4 * near - far) / 3;
        if (!(fabs(got - expected) <= 1e-7 * fmax(size, fabs(expected))))
            fail_msg("state %d: runs change by %.12g, the linear model by %.12g", j, got, expected);
    }
}

/* y = C x + D u + D1 u' + D2 u'' in the middle. */
static void compare_outputs(const subject *s, double h, const double u[3],
                            const char *const *records, int n_records)
{
    nt_linear_matrices m = nt_linear_get(s->linear[TIMES / 2]);
    double x[MOST];
    state_at(s, TIMES / 2, h, x);
    for (int i = 0, o = 0; i < n_records; i++) {
        static const double parts[RUNS] = {0, 1, -1, 2, -2};
        double value[RUNS][16], size = 1e-2;
        nt_quantity_info quantity;
        nt_error error = {0};
        assert_int_equal(nt_model_quantity(s->model, records[i], &quantity, &error), NT_OK);
        for (int r = 0; r < RUNS; r++) {
            assert_int_equal(nt_model_set(s->run, "u", parts[r] * h, &error), NT_OK);
            assert_int_equal(
                nt_run_sample(s->run, &quantity, &s->states[r][TIMES / 2], NULL, value[r], &error),
                NT_OK);
            for (int c = 0; c < quantity.columns; c++)
                size = fmax(size, fabs(value[r][c]));
        }
        for (int c = 0; c < quantity.columns; c++, o++) {
            double got = (8 * (value[1][c] - value[2][c]) - (value[3][c] - value[4][c])) / (12 * h);
            double expected = m.D[o] * u[0] + m.D1[o] * u[1] + m.D2[o] * u[2];
            for (int k = 0; k < m.states; k++)
                expected += m.C[o * m.states + k] * x[k];
            if (!(fabs(got - expected) <= 1e-7 * fmax(size, fabs(expected))))
                fail_msg("%s, column %d: runs differ by %.12g, the linear model by %.12g",
                         records[i], c, got, expected);
        }
    }
    assert_int_equal(nt_model_set(s->run, "u", 0, NULL), NT_OK);
}

/* The input is a function to which the runs add u (1 - cos 4 t); or that u itself. */
static void compare(const char *text, const char *function, const char *const *records,
                    int n_records)
{
    const double h = 1e-3,
                 both[2][3] = {{1 - cos(4 * middle), 4 * sin(4 * middle), 16 * cos(4 * middle)},
                               {1, 0, 0}};
    const char *inputs[2] = {function, "u"};
    for (int i = 0; i < 2; i++) {
        subject s;
        open_subject(&s, text, inputs[i], h, records, n_records);
        compare_rates(&s, h, both[i]);
        compare_outputs(&s, h, both[i], records, n_records);
        close_subject(&s);
    }
}

/* A double pendulum whose first hinge is driven, under way. */
static const char driven[] =
    "nutate: 1\n"
    "parameters: {u: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.1, 0.3, 0.2], position: [0.5, 0, 0], velocity: [0, 0, 0.5],\n"
    "      angular_velocity: [0, -1, 0]}\n"
    "  b: {mass: 1.5, inertia: [0.1, 0.2, 0.2], position: [1, 0, -0.4], velocity: [1.2, 0, 1],\n"
    "      angular_velocity: [0, -3, 0]}\n"
    "joints:\n"
    "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, -1, 0],\n"
    "      motion: \"t + 0.7*t^2 + u*(1 - cos(4*t))\"}\n"
    "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, -1, 0]}\n"
    "simulation: {duration: 1, step: 1e-3, method: rkmk-dop853}\n";

static void a_driven_hinge_under_way(void **unused)
{
    static const char *const records[] = {"q.angle",        "q.rate",  "b.position", "b.velocity",
                                          "b.acceleration", "q.force", "p.torque"};
    (void)unused;
    compare(driven, "p.motion", records, 7);
}

/* A coin that rolls and wobbles, pushed; with an arm on it that is driven, too. */
static const char rolling[] =
    "nutate: 1\n"
    "parameters: {u: 0, m: 1, r: 0.3, lean: 0.3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  coin:\n"
    "    mass: m\n"
    "    inertia: [m*r^2/2, m*r^2/4, m*r^2/4]\n"
    "    position: [r*sin(lean), 0, r*cos(lean)]\n"
    "    orientation: {rotation_vector: [0, lean, 0]}\n"
    "    angular_velocity: [2, 0.2, 0.5]\n"
    "    angular_velocity_frame: ground\n"
    "%s"
    "joints:\n"
    "  contact: {type: rolling_disk, between: [ground, coin], radius: r, axis: [1, 0, 0]}\n"
    "%s"
    "simulation: {duration: 1, step: 1e-3, method: rkmk-dop853}\n";

static void a_coin_that_rolls_and_wobbles(void **unused)
{
    static const char *const records[] = {"coin.position", "coin.velocity", "coin.acceleration",
                                          "coin.angular_velocity", "contact.force"};
    char text[2000];
    (void)unused;
    snprintf(text, sizeof text, rolling, "",
             "forces: {push: {type: force, on: coin, value: [\"u*(1 - cos(4*t))\", 0, 0]}}\n");
    compare(text, "push.value.x", records, 5);
}

static void an_arm_driven_on_a_rolling_coin(void **unused)
{
    static const char *const records[] = {"coin.position",    "coin.velocity", "arm.velocity",
                                          "arm.acceleration", "contact.force", "hub.torque"};
    char text[2000];
    (void)unused;
    snprintf(text, sizeof text, rolling,
             "  arm: {mass: 0.4, inertia: [0.01, 0.01, 0.01],\n"
             "        position: [r*sin(lean) + 0.1*cos(lean), 0.2, r*cos(lean) - 0.1*sin(lean)]}\n",
             "  hub: {type: revolute, between: [coin, arm], at: [r*sin(lean), 0, r*cos(lean)],\n"
             "        axis: [cos(lean), 0, -sin(lean)],\n"
             "        motion: \"0.5*t + 0.7*t^2 + u*(1 - cos(4*t))\"}\n");
    compare(text, "hub.motion", records, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driven_hinge_under_way),
        cmocka_unit_test(a_coin_that_rolls_and_wobbles),
        cmocka_unit_test(an_arm_driven_on_a_rolling_coin),
    };
    return cmocka_run_group_tests_name("linear models under way", tests, NULL, NULL);
}
