/* The splitting methods on mechanisms: bodies that roll or slide along a blade, redundant
 * equations, derivatives of whole runs. Modin, Fritzson & Fuehrer 2007, with joints as multipliers.
 */
#include "papers/jay-negrut/problem.h"
#include "tests/read_run.h"
#include "watched.h"

/* Both of second order: the midpoint rule, and A explicit at the middle but for gyroscopic forces.
 */
typedef struct member {
    const char *method;
    nt_option options[2];
} member;
static const member members[] = {
    {"theta", {{"theta", "0.5"}, {"tolerance_relative", "1e-10"}}},
    {"semi-explicit", {{"beta", "0.5"}, {"gyroscopic", "implicit"}}},
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static mechanism begin(const char *text, const member *with, nt_frame frame)
{
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(with->method),
                                 .options = with->options,
                                 .n_options = 2,
                                 .frame = frame};
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
        fail_msg("%s", error.message);
    return m;
}

/* ---- nonholonomic -----------------------------------------------------------------------------
 */

/* Where a body is at the end, by a reference of twelve digits, and what its rows may miss: rounding
 * of its lengths and velocities. */
typedef struct motion {
    const char *name, *text, *place;
    double end, h, exact[3], positions, velocities;
} motion;

static const motion motions[] = {
    {"disk",
     "nutate: 1\nparameters: {m: 15, r: 1}\ngravity: [0, 0, -9.81]\n"
     "bodies: {disk: {mass: m, inertia: [m*r^2/4, m*r^2/4, m*r^2/2], position: [0, 0, r], "
     "orientation: {quaternion: [0, 0, 1, 1]}, angular_velocity: [0, 15, 5]}}\n"
     "joints: {roll: {type: rolling_disk, between: [ground, disk], radius: r, axis: [0, 0, 1]}}\n",
     "disk.position",
     1,
     1e-3,
     {2.777198908942, 3.235529398577, .692281875202},
     2e-15,
     4e-14}, /* of 17 m/s */
    {"coin",
     "nutate: 1\nparameters: {lean: pi/180, r: 0.01}\ngravity: [0, 0, -9.81]\n"
     "bodies: {coin: {mass: 1, inertia: [0.5*r^2, 0.25*r^2, 0.25*r^2], "
     "position: [r*sin(lean), 0, r*cos(lean)], orientation: {rotation_vector: [0, lean, 0]}, "
     "angular_velocity: [0, 0, 10*pi], angular_velocity_frame: ground}}\n"
     "joints: {roll: {type: rolling_disk, between: [ground, coin], radius: r, axis: [1, 0, 0]}}\n",
     "coin.position",
     0.5,
     1e-3,
     {8.275291845e-5, 1.581781900501e-3, 9.760873842582e-3},
     1e-16,  /* of 0.01 m */
     1e-15}, /* of 0.3 m/s */
    {"sleigh",
     "nutate: 1\nparameters: {a: 0.3}\n"
     "bodies: {sleigh: {mass: 1, inertia: [0.125, 0.125, 0.25], center_of_mass: [a, 0, 0], "
     "position: [0, 0, 0], velocity: [0.5, 0, 0], angular_velocity: [0, 0, 2]}}\n"
     "joints:\n"
     "  ice: {type: planar, between: [ground, sleigh], at: [0, 0, 0], axis: [0, 0, 1]}\n"
     "  blade: {type: knife_edge, between: [ground, sleigh], axis: [0, 1, 0]}\n",
     "sleigh.position",
     1,
     1e-2,
     {.51838033713826, .66460865677526, 0},
     1e-15,
     2e-15},
};
enum { MOTIONS = sizeof motions / sizeof motions[0] };

static double off(const motion *what, const member *with, nt_frame frame, double h)
{
    double x[3], worst[2], sum = 0;
    mechanism m = begin(what->text, with, frame);
    run_watched(m.integrator, what->end, h, worst);
    if (!(worst[0] <= what->positions) || !(worst[1] <= what->velocities))
        fail_msg("%s by %s, frame %d: rows miss %.3g m and %.3g m/s", what->name, with->method,
                 (int)frame, worst[0], worst[1]);
    mechanism_get(&m, what->place, x);
    for (int i = 0; i < 3; i++)
        sum += (x[i] - what->exact[i]) * (x[i] - what->exact[i]);
    mechanism_close(&m);
    return sqrt(sum);
}

/* Second order in both frames, rows at rounding after every step. */
static void rolling_and_sliding(void **state)
{
    (void)state;
    for (int i = 0; i < MOTIONS; i++)
        for (int k = 0; k < MEMBERS; k++)
            for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
                const motion *what = &motions[i];
                double coarse = off(what, &members[k], frame, what->h);
                double fine = off(what, &members[k], frame, what->h / 2);
                if (!(fabs(log2(coarse / fine) - 2) < 0.05))
                    fail_msg("%s by %s, frame %d: errors %.3g and %.3g m", what->name,
                             members[k].method, (int)frame, coarse, fine);
            }
}

/* ---- derivatives ------------------------------------------------------------------------------
 */

/* x of the disk and v after a few steps, with its radius at 1 + offset. */
static void disk_with(const char *method, const nt_option *options, int n, nt_frame frame,
                      double offset, double out[9], nt_state_tangent *tangent)
{
    mechanism m = mechanism_read(motions[0].text);
    const nt_system *system = nt_run_system(m.run);
    nt_sensitivity *sensitivity = NULL;
    nt_error error = {0};
    static const int radius[1] = {1};
    double p[2];
    system->get_parameters(system->self, p);
    p[1] += offset;
    assert_int_equal(system->set_parameters(system->self, p), NT_OK);
    nt_integrator_setup setup = {.system = system,
                                 .method = nt_method_find(method),
                                 .options = options,
                                 .n_options = n,
                                 .frame = frame};
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        (tangent && nt_sensitivity_create(&sensitivity, m.integrator, radius, 1, &error)) ||
        nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
        (tangent && nt_sensitivity_start(sensitivity, &error) != NT_OK))
        fail_msg("%s", error.message);
    mechanism_run(&m, 0.2, 0.02);
    nt_state end = nt_integrator_state(m.integrator);
    memcpy(out, end.q, 3 * sizeof *out);
    memcpy(out + 3, end.v, 6 * sizeof *out);
    if (tangent) {
        nt_state_tangent d = nt_sensitivity_state(sensitivity, 0);
        memcpy(out, d.q, 3 * sizeof *out);
        memcpy(out + 3, d.v, 6 * sizeof *out);
    }
    nt_sensitivity_destroy(sensitivity);
    mechanism_close(&m);
}

/* Of the scheme itself, at large steps, against differences of sixth order: truncation and rounding
 * below 1e-10 of the largest. */
static void derivatives_are_those_of_the_scheme(void **state)
{
    (void)state;
    static const nt_option tight[] = {
        {"tolerance_relative", "1e-13"}, {"tolerance_length", "1e-13"},
        {"tolerance_angle", "1e-13"},    {"tolerance_force", "1e-11"},
        {"tolerance_moment", "1e-11"},   {"beta", "0.7"}};
    static const double weight[3] = {.75, -.15, 1.0 / 60}, step = 1e-3;
    for (int k = 0; k < 2; k++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
            const char *method = k ? "theta" : "semi-explicit";
            double d[9], moved[9], difference[9] = {0}, largest = 0;
            nt_state_tangent tangent = {0};
            disk_with(method, tight, k ? 5 : 6, frame, 0, d, &tangent);
            for (int j = 1; j <= 3; j++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    disk_with(method, tight, k ? 5 : 6, frame, sign * j * step, moved, NULL);
                    for (int i = 0; i < 9; i++)
                        difference[i] += sign * weight[j - 1] / step * moved[i];
                }
            for (int i = 0; i < 9; i++)
                largest = fmax(largest, fabs(difference[i]));
            for (int i = 0; i < 9; i++)
                CLOSE(d[i], difference[i], 1e-9 * largest);
        }
}

/* ---- redundant and nonlinear -------------------------------------------------------------------
 */

/* Bricard's mechanism, one row of thirty redundant, past t = 1.247 s, where the row left out at the
 * start no longer follows from the others and another one has to take its place. Rates are below
 * 15 rad/s. */
static void a_redundant_row_holds_too(void **state)
{
    (void)state;
    static const char *const methods[] = {"generalized-alpha-soi2", "semi-explicit", "theta",
                                          "rkmk-dop853", "bdf"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        mechanism m = {0};
        nt_error error = {0};
        if (read_run(&m.run, NUTATE_SOURCE_DIR "/examples/bricard/bricard.yaml", NULL, 0, &error) !=
            NT_OK)
            fail_msg("%s", error.message);
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(methods[k])};
        assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
        assert_int_equal(nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error), NT_OK);
        double worst[2];
        run_watched(m.integrator, 1.4, 1e-3, worst);
        const nt_statistics *s = nt_integrator_statistics(m.integrator);
        if (!(worst[0] <= 2e-14) || !(worst[1] <= 1e-13) || s->rank_changes > 3)
            fail_msg("%s: rows miss %.3g and %.3g, %ld new choices", methods[k], worst[0], worst[1],
                     s->rank_changes);
        mechanism_close(&m);
    }
}

/* Two wheels on one axle, of whose rows across one follows from the other and from dPhi/dt = 0.
 * Where a method takes its equations the latter holds to its order only, so the row that is left
 * out misses, and no step may be refused for that. The middle runs along a circle at v = 1, w =
 * 0.4; a semi-explicit step of 5 ms, of first order, is off by 4e-4 m at t = 2 s. */
static void a_redundant_row_across_may_miss(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "bodies:\n"
        "  axle: {mass: 4, inertia: [0.3, 0.01, 0.3], position: [0, 0, 0.5], velocity: [1, 0, 0], "
        "angular_velocity: [0, 0, 0.4]}\n"
        "  left: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, 0.8, 0.5]}\n"
        "  right: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, -0.8, 0.5]}\n"
        "joints:\n"
        "  l: {type: revolute, between: [axle, left], at: [0, 0.8, 0.5], axis: [0, 1, 0]}\n"
        "  r: {type: revolute, between: [axle, right], at: [0, -0.8, 0.5], axis: [0, 1, 0]}\n"
        "  lr: {type: rolling_disk, between: [ground, left], radius: 0.5, axis: [0, 1, 0]}\n"
        "  rr: {type: rolling_disk, between: [ground, right], radius: 0.5, axis: [0, 1, 0]}\n";
    static const char *const methods[] = {"generalized-alpha",
                                          "generalized-alpha-linear",
                                          "generalized-alpha-residual",
                                          "generalized-alpha-soi2",
                                          "semi-explicit",
                                          "theta"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
            mechanism m = mechanism_read(text);
            nt_error error = {0};
            nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                         .method = nt_method_find(methods[k]),
                                         .frame = frame};
            if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
                nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
                nt_integrator_run(m.integrator, 2, 5e-3, NULL, NULL, &error) != NT_OK)
                fail_msg("%s: %s", methods[k], error.message);
            const double *x = nt_integrator_state(m.integrator).q;
            long rejected = nt_integrator_statistics(m.integrator)->rejected;
            if (rejected > 0)
                fail_msg("%s, frame %d: %ld steps rejected", methods[k], (int)frame, rejected);
            CLOSE(x[0], sin(0.8) / 0.4, 1e-3);
            CLOSE(x[1], (1 - cos(0.8)) / 0.4, 1e-3);
            mechanism_close(&m);
        }
}

/* With theta above 1/2 the acceleration that leads to Phi(q1) = 0 is not near that of the motion
 * (of 1/theta times half the curvature), so forces need not have such multipliers where these enter
 * nonlinearly: then the step fails, in words, and nothing wrong is computed. */
static void nonlinear_multipliers_need_the_middle(void **state)
{
    (void)state;
    static const nt_option euler = {"theta", "1"};
    jay_negrut problem;
    jay_negrut_init(&problem);
    nt_integrator *it = NULL;
    nt_error error = {0};
    nt_integrator_setup setup = {.system = &problem.system,
                                 .method = nt_method_find("theta"),
                                 .options = &euler,
                                 .n_options = 1};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, jay_negrut_y0, jay_negrut_z0, NULL, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, 1, 0.01, NULL, NULL, &error), NT_NOT_CONVERGED);
    assert_non_null(strstr(error.message, "did not converge"));
    nt_integrator_destroy(it);
}

/* ---- what is solved for by itself -------------------------------------------------------------
 */

#define SPINNING                                                                                   \
    "nutate: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                 \
    "  ring: {mass: 2, inertia: [0.02, 0.03, 0.04, 0.002, 0.001, -0.003], velocity: [0.1, 0, "     \
    "0],\n"                                                                                        \
    "         orientation: {rotation_vector: [0.4, 0.3, 0]}}\n"                                    \
    "  free: {mass: 1, inertia: [0.02, 0.03, 0.04], angular_velocity: [3, 4, 5]}\n"                \
    "%s"                                                                                           \
    "joints:\n"                                                                                    \
    "  drive: {type: parallel, between: [ground, ring], at: [0, 0, 0], axis: [1, 2, 2],\n"         \
    "          motion: 40*t + 0.3*sin(50*t)}\n"                                                    \
    "%s"                                                                                           \
    "forces:\n"                                                                                    \
    "  push: {type: force, on: ring, at: [0.1, 0, 0], value: [5, 0, 20*sin(9*t)]}\n"               \
    "  twist: {type: torque, on: free, value: [0, 0.2*cos(7*t), 0.1]}\n"                           \
    "%s"

/* A rotation that is given, and a body whose inertia turns with it, move and are held as in the
 * equations of all together, which a pendulum and a tie that does next to nothing call for. */
static void bodies_by_themselves(void **state)
{
    (void)state;
    static const char *const methods[] = {"semi-explicit", "semi-explicit-2"};
    for (int k = 0; k < 2; k++) {
        enum { STEPS = 400, Q = 14, V = 12, ROWS = 3 };
        double found[2][Q + V + ROWS];
        for (int together = 0; together < 2; together++) {
            char text[2000];
            snprintf(
                text, sizeof text, SPINNING,
                together ? "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n" : "",
                together ? "  hinge: {type: spherical, between: [ground, bob], at: [0, 0, 0]}\n"
                         : "",
                together ? "  tie: {type: torque, on: free, part: implicit, value: [0, 0, "
                           "1e-25*t]}\n"
                         : "");
            mechanism m =
                begin(text, &(member){methods[k], {{"beta", "0.5"}, {"max_iterations", "20"}}},
                      NT_INERTIAL);
            nt_error error = {0};
            for (int i = 0; i < STEPS; i++)
                if (nt_integrator_step(m.integrator, 5e-4, &error) != NT_OK)
                    fail_msg("%s", error.message);
            nt_state s = nt_integrator_state(m.integrator);
            memcpy(found[together], s.q, Q * sizeof(double));
            memcpy(found[together] + Q, s.v, V * sizeof(double));
            memcpy(found[together] + Q + V, s.lambda + (together ? ROWS : 0),
                   ROWS * sizeof(double));
            long made = nt_integrator_statistics(m.integrator)->factorisations;
            assert_true(together ? made > STEPS : made == 0);
            mechanism_close(&m);
        }
        for (int i = 0; i < Q + V + ROWS; i++)
            CLOSE(found[0][i], found[1][i], 1e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolling_and_sliding),
        cmocka_unit_test(derivatives_are_those_of_the_scheme),
        cmocka_unit_test(a_redundant_row_holds_too),
        cmocka_unit_test(a_redundant_row_across_may_miss),
        cmocka_unit_test(nonlinear_multipliers_need_the_middle),
        cmocka_unit_test(bodies_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
