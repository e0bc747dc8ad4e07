/* Sensitivities of the splitting methods where explicit forces alone act on some bodies: rubbing
 * contacts of two balls with each other, with the floor, and with an arm that a joint holds; and
 * where they follow reactions. */
#include "run_of.h"

static const char balls[] =
    "nutate: 1\n"
    "parameters: {m: 0.3, k: 2e5, mu: 0.3, d: 0.4, v: 0.6, L: 0.0497}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {mass: m, inertia: [1e-4, 1e-4, 1e-4], position: [0, 0, L], velocity: [v, 0.1, 0],\n"
    "         angular_velocity: [1, 2, 3]}\n"
    "  other: {mass: 0.2, inertia: [8e-5, 8e-5, 8e-5], position: [0.0996, 0.005, 0.0496]}\n"
    "  arm: {mass: 1, inertia: [0.01, 0.012, 0.009], position: [0, -0.0996, 0.05],\n"
    "        angular_velocity: [0, 0, 0.5]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, arm], at: [0.2, -0.1, 0.05], axis: [0, 0, 1]}\n"
    "contacts:\n"
    "  floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]},\n"
    "          radius: 0.05, stiffness: k, damping: d, friction: {coefficient: mu, slip: 0.05}}\n"
    "  under: {type: sphere_plane, between: [ground, other], plane: {normal: [0, 0, 1]},\n"
    "          radius: 0.05, stiffness: k, damping: d, friction: {coefficient: mu, slip: 0.05}}\n"
    "  pair: {type: sphere_sphere, between: [ball, other], radii: [0.05, 0.05], stiffness: k,\n"
    "         damping: d, friction: {coefficient: mu, slip: 0.05}}\n"
    "  push: {type: sphere_sphere, between: [ball, arm], radii: [0.05, 0.05], stiffness: k,\n"
    "         damping: d, friction: {coefficient: mu, slip: 0.05}}\n"
    "simulation: {duration: 0.01, step: 1e-4}\n";

/* Friction by what guides and hinges bear, of which the explicit forces consist: a slide, and two
 * arms beside a free body that their forces push and turn. */
static const char slide[] =
    "nutate: 1\n"
    "parameters: {mu: 0.2, m: 2, F: 3}\n"
    "bodies:\n"
    "  b: {mass: m, inertia: [0.1, 0.1, 0.1], velocity: [1, 0, 0]}\n"
    "joints:\n"
    "  q: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  side: {type: force, on: b, value: [\"F*sin(3*t)\", \"5*sin(2*t)\", 0]}\n"
    "  rub: {type: joint_force, joint: q, value: \"-mu*norm(q.force)*tanh(q.rate/0.5)\"}\n"
    "simulation: {duration: 1, step: 0.01}\n";
static const char arms[] =
    "nutate: 1\n"
    "parameters: {mu: 0.2, m: 2, c: 0.1}\n"
    "bodies:\n"
    "  a: {mass: m, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  b: {mass: m, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
    "  free: {mass: 1.5, inertia: [0.1, 0.2, 0.3], position: [0, 0, 3],\n"
    "         angular_velocity: [1, 2, 3]}\n"
    "joints:\n"
    "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "quantities: {load: \"norm(q.force)\"}\n"
    "forces:\n"
    "  outer: {type: joint_torque, joint: q, value: \"-mu*0.2*load*tanh(q.rate/0.5)\"}\n"
    "  inner: {type: joint_torque, joint: p,\n"
    "          value: \"-mu*0.1*norm(p.force)*tanh(p.rate/0.5)\"}\n"
    "  push: {type: force, on: free, part: explicit,\n"
    "         value: [q.force.x, 0, \"p.force.z - c*free.velocity.z\"]}\n"
    "  turn: {type: torque, on: free, part: explicit,\n"
    "         value: [\"0.1*q.force.x\", \"0.02*p.force.z\", 0]}\n"
    "simulation: {duration: 1, step: 0.01}\n";

enum { MOST_PARAMETERS = 6, MOST = 64, SLIDE = 1 };
typedef struct bench {
    const char *name, *text;
    int n;
    double given[MOST_PARAMETERS], duration;
} bench;

static const bench benches[] = {
    {"balls", balls, 6, {0.3, 2e5, 0.3, 0.4, 0.6, 0.0497}, 0.01},
    {"slide", slide, 3, {0.2, 2, 3}, 0.4},
    {"arms", arms, 3, {0.2, 2, 0.1}, 0.4},
};
enum { BENCHES = sizeof benches / sizeof *benches };

static const nt_option tight[] = {{"tolerance_relative", "1e-14"},
                                  {"tolerance_length", "1e-15"},
                                  {"tolerance_angle", "1e-14"},
                                  {"tolerance_force", "1e-11"},
                                  {"tolerance_moment", "1e-11"}};

static run_of begin(const bench *b, const char *method, nt_frame frame, const double *p,
                    const int *wanted, int n)
{
    nt_integrator_setup setup = {
        .method = nt_method_find(method), .options = tight, .n_options = 5, .frame = frame};
    run_of r = run_of_text(b->text, p);
    run_of_start(&r, setup, wanted, n);
    return r;
}

/* Steps of two sizes, so that weights of accelerations change. */
static void go(const bench *b, run_of *r)
{
    run_to(r, 0.4 * b->duration, 0.01 * b->duration);
    run_to(r, b->duration, 0.02 * b->duration);
}

/* Sixth-order differences of whole runs, steps of 1e-4 to 3e-4 of each parameter: what is left of
 * both is below 1e-7 of the largest derivative, and so is what differences of the damping miss. */
static void check_against_runs(const bench *b, const char *method, nt_frame frame)
{
    static const int wanted[MOST_PARAMETERS] = {0, 1, 2, 3, 4, 5};
    static const double weight[3] = {.75, -.15, 1.0 / 60};
    run_of r = begin(b, method, frame, NULL, wanted, b->n);
    const nt_system *system = nt_run_system(r.run);
    int nv = system->space.nv, bodies = nv / 6, nc = system->nh + system->nn;
    go(b, &r);
    for (int k = 0; k < b->n; k++) {
        double expected[MOST] = {0}, most = 0, off = 0, step = 1e-4 * b->given[k];
        for (int j = 0; j < 6; j++) {
            double p[MOST_PARAMETERS], by = j % 2 ? -weight[j / 2] : weight[j / 2];
            memcpy(p, b->given, sizeof p);
            p[k] += (j % 2 ? -step : step) * (j / 2 + 1);
            run_of other = begin(b, method, frame, p, NULL, 0);
            go(b, &other);
            nt_state s = nt_integrator_state(other.integrator);
            for (int i = 0; i < nv; i++)
                expected[i] += by / step * s.v[i];
            for (int i = 0; i < 3 * bodies; i++)
                expected[nv + i] += by / step * s.q[7 * (i / 3) + i % 3];
            for (int i = 0; i < nc; i++)
                expected[nv + 3 * bodies + i] += by / step * s.lambda[i];
            end(&other);
        }
        nt_state_tangent d = nt_sensitivity_state(r.sensitivity, k);
        for (int i = 0; i < nv + 3 * bodies + nc; i++) {
            int at = i - nv, row = at - 3 * bodies;
            double value = i < nv ? d.v[i] : row < 0 ? d.q[6 * (at / 3) + at % 3] : d.lambda[row];
            most = fmax(most, fabs(expected[i]));
            off = fmax(off, fabs(value - expected[i]));
        }
        if (!(off <= 1e-7 * most))
            fail_msg("%s, %s, frame %d, parameter %d: off by %.3g of %.3g", b->name, method,
                     (int)frame, k, off, most);
    }
    end(&r);
}

static void equals_differences_of_runs(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"semi-explicit", "semi-explicit-2", "theta"};
    for (int i = 0; i < BENCHES; i++)
        for (int m = 0; m < 3; m++)
            for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
                check_against_runs(&benches[i], methods[m], frame);
}

/* Where the slide ends, with steps of h. */
static double end_of_slide(const char *method, double h)
{
    const bench *b = &benches[SLIDE];
    run_of r = begin(b, method, NT_BODY, NULL, NULL, 0);
    run_to(&r, 0.5, h);
    double x = nt_integrator_state(r.integrator).q[0];
    end(&r);
    return x;
}

/* Explicit friction by the force that a guide bears: of second order too. */
static void order_is_two_where_reactions_are_followed(void **unused)
{
    (void)unused;
    double exact = end_of_slide("theta", 1e-4);
    double coarse = fabs(end_of_slide("semi-explicit-2", 0.01) - exact);
    double fine = fabs(end_of_slide("semi-explicit-2", 0.0025) - exact);
    assert_true(fine < 1e-5);
    if (!(coarse > 12 * fine && coarse < 20 * fine))
        fail_msg("errors %.3g and %.3g, expected 16 to 1", coarse, fine);
}

/* A block on a guide whose force is twice the moment that it makes in the guide: taken from the
 * step before it is wrong by twice as much each time. The watch on energy sees it before the method
 * is sure, and says the same of it. */
static void what_grows_from_step_to_step_is_told(void **unused)
{
    (void)unused;
    static const char text[] =
        "nutate: 1\n"
        "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}}\n"
        "joints: {q: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  side: {type: force, on: b, at: [0, 0, 2], value: [3*sin(3*t), 0, 0]}\n"
        "  back: {type: joint_force, joint: q, value: %s*q.torque.y}\n"
        "simulation: {duration: 1, step: 0.01}\n";
    for (int i = 0; i < 4; i++) {
        bool grows = i % 2 == 1, watched = i >= 2;
        char file[1000];
        nt_error error = {0};
        snprintf(file, sizeof file, text, grows ? "-2" : "-0.9");
        run_of r = run_of_text(file, NULL);
        nt_integrator_setup setup = {.method = nt_method_find("semi-explicit-2"),
                                     .energy_check = watched ? NT_ENERGY_ENDS : NT_ENERGY_WARNS};
        run_of_start(&r, setup, NULL, 0);
        nt_status status = nt_integrator_run(r.integrator, 1, 0.01, NULL, NULL, &error);
        if (grows) {
            assert_int_equal(status, watched ? NT_ENERGY : NT_NOT_CONVERGED);
            assert_non_null(strstr(error.message, "it needs part: implicit"));
        } else
            assert_int_equal(status, NT_OK);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_differences_of_runs),
        cmocka_unit_test(order_is_two_where_reactions_are_followed),
        cmocka_unit_test(what_grows_from_step_to_step_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
