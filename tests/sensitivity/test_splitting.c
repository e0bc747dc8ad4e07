/* Sensitivities of the splitting methods where explicit forces alone act on some bodies: rubbing
 * contacts of two balls with each other, with the floor, and with an arm that a joint holds. */
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
enum { PARAMETERS = 6, NQ = 21, NV = 18 };
static const double given[PARAMETERS] = {0.3, 2e5, 0.3, 0.4, 0.6, 0.0497};

static const nt_option tight[] = {{"tolerance_relative", "1e-14"},
                                  {"tolerance_length", "1e-15"},
                                  {"tolerance_angle", "1e-14"},
                                  {"tolerance_force", "1e-11"},
                                  {"tolerance_moment", "1e-11"}};

static run_of begin(const char *method, nt_frame frame, const double *p, const int *wanted, int n)
{
    nt_integrator_setup setup = {
        .method = nt_method_find(method), .options = tight, .n_options = 5, .frame = frame};
    run_of r = run_of_text(balls, p);
    run_of_start(&r, setup, wanted, n);
    return r;
}

/* Steps of two sizes, so that weights of accelerations change. */
static void go(run_of *r)
{
    run_to(r, 0.004, 1e-4);
    run_to(r, 0.01, 2e-4);
}

/* Sixth-order differences of whole runs, steps of 1e-4 to 3e-4 of each parameter: what is left of
 * both is below 1e-7 of the largest derivative, and so is what differences of the damping miss. */
static void equals_differences_of_runs(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"semi-explicit", "semi-explicit-2", "theta"};
    static const int wanted[PARAMETERS] = {0, 1, 2, 3, 4, 5};
    static const double weight[3] = {.75, -.15, 1.0 / 60};
    for (int m = 0; m < 3; m++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
            run_of r = begin(methods[m], frame, NULL, wanted, PARAMETERS);
            go(&r);
            for (int k = 0; k < PARAMETERS; k++) {
                double expected[NV + 9] = {0}, most = 0, off = 0, step = 1e-4 * given[k];
                for (int j = 0; j < 6; j++) {
                    double p[PARAMETERS], by = j % 2 ? -weight[j / 2] : weight[j / 2];
                    memcpy(p, given, sizeof p);
                    p[k] += (j % 2 ? -step : step) * (j / 2 + 1);
                    run_of other = begin(methods[m], frame, p, NULL, 0);
                    go(&other);
                    nt_state s = nt_integrator_state(other.integrator);
                    for (int i = 0; i < NV; i++)
                        expected[i] += by / step * s.v[i];
                    for (int i = 0; i < 9; i++)
                        expected[NV + i] += by / step * s.q[7 * (i / 3) + i % 3];
                    end(&other);
                }
                nt_state_tangent d = nt_sensitivity_state(r.sensitivity, k);
                for (int i = 0; i < NV + 9; i++) {
                    double value = i < NV ? d.v[i] : d.q[6 * ((i - NV) / 3) + (i - NV) % 3];
                    most = fmax(most, fabs(expected[i]));
                    off = fmax(off, fabs(value - expected[i]));
                }
                if (!(off <= 1e-7 * most))
                    fail_msg("%s, frame %d, parameter %d: off by %.3g of %.3g", methods[m],
                             (int)frame, k, off, most);
            }
            end(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_differences_of_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
