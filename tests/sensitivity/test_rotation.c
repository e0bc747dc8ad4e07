/* The linearised steps of the rotation integrators that kick and drift against differences of whole
 * runs: tops about a fixed point, bodies on springs and dampers, with parameters of inertia,
 * geometry, forces and initial values. */
#include "../method/double_pendulum.h"
#include "run_of.h"

#define TOP                                                                                        \
    "nutate: 1\n"                                                                                  \
    "parameters: {m: 100, arm: 0.2, g: 1, w: 5}\n"                                                 \
    "gravity: [0, 0, -g]\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  top: {mass: m, inertia: [1, 1.3, 1.1, 0.1, 0, 0.05], center_of_mass: [0, 0, arm],\n"        \
    "        orientation: {rotation_vector: [0.3, 0.1, 0]},\n"                                     \
    "        angular_velocity: [0.2, -0.4, w], fixed_point: [0, 0, 0]}\n"

/* The drag makes forces depend on velocities. */
static const char top[] = TOP "simulation: {duration: 1, step: 0.05}\n";
static const char dragged_top[] =
    TOP "forces:\n"
        "  drag: {type: torque, on: top, value: ['-w*top.angular_velocity.x',\n"
        "         '-2*top.angular_velocity.y*(1 + top.angular_velocity.x^2)', 0], frame: body}\n"
        "simulation: {duration: 1, step: 0.05}\n";

#define PAIR                                                                                       \
    "nutate: 1\n"                                                                                  \
    "parameters: {m: 2, arm: 0.1, k: 20, w: 1}\n"                                                  \
    "bodies:\n"                                                                                    \
    "  a: {mass: m, inertia: [0.4, 0.5, 0.3*m], angular_velocity: [0.3, w, -0.5]}\n"               \
    "  b: {mass: 1, inertia: [0.2, 0.1, 0.15], position: [1, 0, 0], velocity: [0, 0.5, w],\n"      \
    "      center_of_mass: [arm, 0, 0.05], angular_velocity: [1, 0, 0.5]}\n"                       \
    "forces:\n"                                                                                    \
    "  near: {type: spring, between: [a, b], at: [[0, 0.5, arm], [1.2, 1, 0]], stiffness: k,\n"

static const char pair[] = PAIR "         length: 0.3}\n"
                                "simulation: {duration: 1, step: 0.05}\n";
static const char damped_pair[] = PAIR "         length: 0.3, damping: 3*m}\n"
                                       "simulation: {duration: 1, step: 0.05}\n";

enum { N_PARAMETERS = 4, MOST = 12 };

static const nt_option tight[] = {{"tolerance_velocity", "1e-14"},
                                  {"tolerance_angular_velocity", "1e-14"},
                                  {"tolerance_relative", "1e-14"}};

/* Of the methods with an implicit stage. */
static const nt_option tight_stage[] = {
    {"tolerance_length", "1e-15"}, {"tolerance_angle", "1e-15"}, {"tolerance_relative", "1e-14"}};

static bool is_one_of(const char *method, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(method, *list) == 0)
            return true;
    return false;
}

static run_of begin(const char *text, const char *method, const double *p, bool wanted)
{
    static const int all[N_PARAMETERS] = {0, 1, 2, 3};
    static const char *const stages[] = {"lie-midpoint", "simo-wong", "akw", NULL};
    static const char *const kicks[] = {"lie-newmark", "lie-euler-adjoint", "simo-wong-explicit",
                                        NULL};
    const nt_option *options = is_one_of(method, stages)  ? tight_stage
                               : is_one_of(method, kicks) ? tight
                                                          : NULL;
    nt_integrator_setup setup = {.method = nt_method_find(method),
                                 .options = options,
                                 .n_options = options ? 3 : 0,
                                 .energy_check = NT_ENERGY_UNWATCHED}; /* coarse steps */
    run_of r = run_of_text(text, p);
    run_of_start(&r, setup, all, wanted ? N_PARAMETERS : 0);
    run_to(&r, 0.5, 0.05);
    return r;
}

/* Increments, velocities and accelerations at time t, after ten steps or inside the last of them,
 * with parameter k moved by `offset`, as differences to those of q0. */
static void moved(const char *text, const char *method, const nt_system *system, double t,
                  const double *q0, int k, double offset, double out[3][MOST])
{
    double p[N_PARAMETERS];
    system->get_parameters(system->self, p);
    p[k] += offset;
    run_of r = begin(text, method, p, false);
    nt_state s;
    assert_int_equal(nt_integrator_dense(r.integrator, t, &s), NT_OK);
    nt_space_difference(&system->space, system->frame, q0, s.q, out[0]);
    memcpy(out[1], s.v, (size_t)system->space.nv * sizeof(double));
    memcpy(out[2], s.vdot, (size_t)system->space.nv * sizeof(double));
    end(&r);
}

static const double weight[3] = {.75, -.15, 1.0 / 60};

/* Sixth-order differences, steps of 0.15 % of each parameter: truncation and rounding below 2e-10
 * of the largest. */
static void check_at(const char *text, const char *method, double t)
{
    run_of r = begin(text, method, NULL, true);
    const nt_system *system = nt_run_system(r.run);
    nt_state s;
    int nv = system->space.nv;
    double values[N_PARAMETERS], q[2 * MOST];
    assert_true(system->space.nq <= 2 * MOST);
    assert_int_equal(nt_integrator_dense(r.integrator, t, &s), NT_OK);
    memcpy(q, s.q, (size_t)system->space.nq * sizeof *q);
    system->get_parameters(system->self, values);
    for (int k = 0; k < N_PARAMETERS; k++) {
        double derivative[3][MOST] = {{0}}, out[3][MOST], step = 0.0015 * values[k];
        for (int j = 1; j <= 3; j++)
            for (int sign = -1; sign <= 1; sign += 2) {
                moved(text, method, system, t, q, k, sign * j * step, out);
                for (int part = 0; part < 3; part++)
                    for (int i = 0; i < nv; i++)
                        derivative[part][i] += sign * weight[j - 1] / step * out[part][i];
            }
        nt_state_tangent d;
        assert_int_equal(nt_sensitivity_dense(r.sensitivity, k, t, &d), NT_OK);
        const double *tangent[3] = {d.q, d.v, d.vdot};
        for (int part = 0; part < 3; part++) {
            double size = 0, off = 0;
            for (int i = 0; i < nv; i++) {
                size = fmax(size, fabs(derivative[part][i]));
                off = fmax(off, fabs(tangent[part][i] - derivative[part][i]));
            }
            assert_true(size > 0);
            if (!(off <= 1e-9 * size))
                fail_msg("%s, parameter %s, part %d at %g s: off by %.3g of %.3g", method,
                         system->parameter_names[k], part, t, off, size);
        }
    }
    end(&r);
}

/* At the end of a step and inside it. */
static void check(const char *text, const char *method)
{
    check_at(text, method, 0.5);
    check_at(text, method, 0.485);
}

static void top_equals_differences(void **state)
{
    (void)state;
    check(top, "lie-newmark");
    check(top, "lie-newmark-4");
    check(top, "lie-newmark-6");
    check(top, "lie-euler");
    check(top, "lie-euler-adjoint");
    check(top, "simo-wong-explicit");
}

static void pair_equals_differences(void **state)
{
    (void)state;
    check(pair, "lie-newmark");
    check(pair, "lie-newmark-4");
    check(pair, "lie-newmark-6");
    check(pair, "lie-euler");
    check(pair, "lie-euler-adjoint");
    check(pair, "simo-wong-explicit");
}

static void implicit_kicks_equal_differences(void **state)
{
    (void)state;
    check(dragged_top, "lie-newmark");
    check(damped_pair, "lie-newmark");
    check(dragged_top, "lie-euler");
    check(damped_pair, "lie-euler");
    check(dragged_top, "lie-euler-adjoint");
    check(damped_pair, "lie-euler-adjoint");
    check(dragged_top, "simo-wong-explicit");
    check(damped_pair, "simo-wong-explicit");
}

static void implicit_stages_equal_differences(void **state)
{
    (void)state;
    static const char *const methods[] = {"lie-midpoint", "simo-wong", "akw"};
    static const char *const texts[] = {top, pair, dragged_top, damped_pair};
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 4; i++)
            check(texts[i], methods[m]);
}

/* ---- vector spaces -------------------------------------------------------------------------- */

/* Angles and rates of the double pendulum after ten steps. */
static void swing(const char *method, const nt_option *option, double_pendulum *p,
                  nt_integrator **it, nt_sensitivity **sensitivity, double out[6])
{
    static const double q0[2] = {1, -0.5}, v0[2] = {2, 1};
    static const int wanted[2] = {0, 1};
    nt_option options[4] = {tight[0], tight[2]};
    nt_error error = {0};
    if (option)
        options[2] = *option;
    nt_integrator_setup setup = {.system = &p->system,
                                 .method = nt_method_find(method),
                                 .options = options,
                                 .n_options = option ? 3 : 2};
    if (nt_integrator_create(it, &setup, &error) != NT_OK ||
        (sensitivity && nt_sensitivity_create(sensitivity, *it, wanted, 2, &error) != NT_OK) ||
        nt_integrator_start(*it, 0, q0, v0, NULL, &error) != NT_OK ||
        (sensitivity && nt_sensitivity_start(*sensitivity, &error) != NT_OK) ||
        nt_integrator_run(*it, 0.5, 0.05, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_state s = nt_integrator_state(*it);
    memcpy(out, s.q, 2 * sizeof *out);
    memcpy(out + 2, s.v, 2 * sizeof *out);
    memcpy(out + 4, s.vdot, 2 * sizeof *out);
}

static void vector_spaces_equal_differences(void **state)
{
    (void)state;
    static const nt_option plain = {"adjoint", "false"}, adjoint = {"adjoint", "true"};
    static const struct {
        const char *method;
        const nt_option *option;
    } rows[] = {
        {"stormer-verlet", NULL}, {"symplectic-euler", &plain}, {"symplectic-euler", &adjoint}};
    for (size_t m = 0; m < sizeof rows / sizeof *rows; m++) {
        double_pendulum p;
        nt_integrator *it = NULL;
        nt_sensitivity *sensitivity = NULL;
        double here[6];
        double_pendulum_init(&p);
        p.c = 0.3;
        swing(rows[m].method, rows[m].option, &p, &it, &sensitivity, here);
        for (int k = 0; k < 2; k++) {
            double derivative[6] = {0}, step = k == 0 ? 0.02 : 2e-3;
            for (int j = 1; j <= 3; j++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    double_pendulum moved_one;
                    nt_integrator *other = NULL;
                    double out[6];
                    double_pendulum_init(&moved_one);
                    moved_one.c = p.c;
                    *(k == 0 ? &moved_one.g : &moved_one.c) += sign * j * step;
                    swing(rows[m].method, rows[m].option, &moved_one, &other, NULL, out);
                    for (int i = 0; i < 6; i++)
                        derivative[i] += sign * weight[j - 1] / step * out[i];
                    nt_integrator_destroy(other);
                }
            nt_state_tangent d = nt_sensitivity_state(sensitivity, k);
            const double *tangent[3] = {d.q, d.v, d.vdot};
            for (int i = 0; i < 6; i++) {
                double value = tangent[i / 2][i % 2];
                if (!(fabs(value - derivative[i]) <= 1e-9 * (1 + fabs(value))))
                    fail_msg("%s, parameter %d, value %d: %.12g, by differences %.12g",
                             rows[m].method, k, i, value, derivative[i]);
            }
        }
        nt_sensitivity_destroy(sensitivity);
        nt_integrator_destroy(it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_equals_differences),
        cmocka_unit_test(pair_equals_differences),
        cmocka_unit_test(implicit_kicks_equal_differences),
        cmocka_unit_test(implicit_stages_equal_differences),
        cmocka_unit_test(vector_spaces_equal_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
