/* Contacts: closed forms, balance of forces, moments and energy, rebound and rolling. */
#include "mechanism.h"

#include <float.h>

/* ---- a model at a state --------------------------------------------------------------------- */

enum { MOST = 30 }; /* entries of q, of v */

typedef struct scene {
    nt_model *model;
    const nt_system *system;
    double q[MOST], v[MOST], vdot[MOST], memory[1];
} scene;

static scene scene_open(const char *text)
{
    scene s = {0};
    nt_error error = {0};
    if (nt_model_read_text(&s.model, text, strlen(text), "test", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    s.system = nt_model_system(s.model);
    assert_true(s.system->space.nq <= MOST);
    nt_model_initial(s.model, s.q, s.v, s.memory);
    return s;
}

static void scene_close(scene *s) { nt_model_destroy(s->model); }

static nt_point point_of(const scene *s)
{
    return (nt_point){.q = s->q, .v = s->v, .vdot = s->vdot, .lambda = s->memory, .mu = s->memory};
}

/* Forces in the residual: its negative, without inertia. */
static void forces_of(const scene *s, double out[MOST])
{
    nt_point at = point_of(s);
    memset(out, 0, MOST * sizeof *out);
    nt_terms terms = {.parts = NT_EXPLICIT | NT_IMPLICIT, .residual = out};
    assert_int_equal(s->system->evaluate(s->system->self, &at, &terms), NT_OK);
    for (int i = 0; i < s->system->space.nv; i++)
        out[i] = -out[i];
}

static nt_energy energy_of(const scene *s)
{
    nt_energy energy;
    nt_point at = point_of(s);
    assert_int_equal(s->system->energy(s->system->self, &at, &energy), NT_OK);
    return energy;
}

/* A recorded quantity, out[columns]. */
static void record(const scene *s, const char *name, double *out)
{
    nt_quantity_info quantity;
    nt_error error = {0};
    nt_state state = {.q = s->q, .v = s->v, .vdot = s->vdot, .lambda = s->memory, .mu = s->memory};
    if (nt_model_quantity(s->model, name, &quantity, &error) != NT_OK ||
        nt_model_sample(s->model, &quantity, &state, NULL, out, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)*seed / 2147483648.0 - 1;
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* A few roundings of numbers of order one. */
static const double ROUNDING = 1e-13;

/* A ball that turns with W on an inclined plane, its sphere beside its origin: the record and the
 * residual hold Hertz's force at the middle of the overlap. */
static void sphere_on_a_plane_with(const char *normal)
{
    char text[600];
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  ball: {mass: 1, inertia: [1, 1, 1], center_of_mass: [0, 0, 0.5],\n"
             "         orientation: {axis: [0, 0, 1], angle: pi/2}, position: [1, 2, 3]}\n"
             "markers: {corner: {on: ground, at: [7, -3, 2]}}\n"
             "contacts:\n"
             "  floor: {type: sphere_plane, between: [ground, ball], plane: {point: corner,\n"
             "          normal: [0, 0, %s]}, at: [0.5, 0, -0.2], radius: 1, stiffness: 1000}\n",
             normal);
    scene s = scene_open(text);
    double force[3], depth, f[MOST];
    /* the centre is at (1, 2.5, 2.8), 0.8 above the plane z = 2 */
    record(&s, "floor.indentation", &depth);
    CLOSE(depth, 0.2, ROUNDING);
    record(&s, "floor.force", force);
    double hertz = 1000 * pow(0.2, 1.5);
    CLOSE(force[0], 0, ROUNDING);
    CLOSE(force[1], 0, ROUNDING);
    CLOSE(force[2], hertz, 1000 * ROUNDING);
    /* about the centre of mass (1, 2, 3.5): the force acts 0.5 along y */
    forces_of(&s, f);
    CLOSE(f[2], hertz, 1000 * ROUNDING);
    CLOSE(f[3], 0.5 * hertz, 1000 * ROUNDING);
    CLOSE(f[4], 0, 1000 * ROUNDING);
    CLOSE(energy_of(&s).potential, 1000 * pow(0.2, 2.5) / 2.5, 1000 * ROUNDING);
    /* apart: no force, and the distance */
    s.q[2] += 0.3;
    record(&s, "floor.indentation", &depth);
    CLOSE(depth, -0.1, ROUNDING);
    record(&s, "floor.force", force);
    forces_of(&s, f);
    for (int i = 0; i < 3; i++)
        assert_true(force[i] == 0 && f[i] == 0 && f[3 + i] == 0);
    assert_true(energy_of(&s).potential == 0);
    scene_close(&s);
}

/* The normal of the plane has any length. */
static void sphere_on_a_plane(void **state)
{
    (void)state;
    sphere_on_a_plane_with("10");
    sphere_on_a_plane_with("1e200");
    sphere_on_a_plane_with("1e-200");
}

/* Two balls that touch at the middle of their overlap; the first is slid under the second and both
 * turn. Bodies named in the other order: the same forces on both, the opposite record. */
static void spheres_against_each_other(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  one: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 5], velocity: [0.3, 0, 0]}\n"
        "  two: {mass: 1, inertia: [1, 1, 1], position: [0, 2.9, 0], angular_velocity: [0, 0, 2]}\n"
        "contacts:\n"
        "  hit: {type: sphere_sphere, between: [%s], radii: [%s], stiffness: 100, exponent: 2,\n"
        "        friction: {coefficient: 0.5, slip: 0.1}}\n";
    double f[2][MOST], force[2][3];
    static const char *const order[2][2] = {{"one, two", "1, 2"}, {"two, one", "2, 1"}};
    for (int i = 0; i < 2; i++) {
        char model[1000];
        snprintf(model, sizeof model, text, order[i][0], order[i][1]);
        scene s = scene_open(model);
        forces_of(&s, f[i]);
        record(&s, "hit.force", force[i]);
        scene_close(&s);
    }
    /* normal 100 0.1^2 along y; they touch at y = 0.95, where the second moves past the first by
     * -0.3 + (2.9 - 0.95) 2 + 0.95 5 along x */
    double past = -0.3 + 1.95 * 2 + 0.95 * 5, drag = -0.5 * past / hypot(past, 0.1);
    CLOSE(force[0][0], drag, ROUNDING);
    CLOSE(force[0][1], 1, ROUNDING);
    for (int k = 0; k < 3; k++) {
        CLOSE(f[0][6 + k], force[0][k], ROUNDING);
        CLOSE(f[0][k], -force[0][k], ROUNDING);
        CLOSE(force[1][k], -force[0][k], ROUNDING);
    }
    CLOSE(f[0][5], 0.95 * drag, ROUNDING); /* about z: -y (-drag)    */
    CLOSE(f[0][11], 1.95 * drag, ROUNDING);
    for (int i = 0; i < 12; i++)
        CLOSE(f[1][i], f[0][i], ROUNDING);
}

static const char falling[] =
    "nutate: 1\n"
    "parameters: {k: 1e4, d: 0.3, n: 1.5}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {ball: {mass: 2, inertia: [0.8, 0.8, 0.8], position: [0, 0, 0.999]}}\n"
    "contacts:\n"
    "  floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]},\n"
    "          radius: 1, stiffness: k, exponent: n, damping: d}\n";

/* k delta^n (1 + d delta') as Hunt and Crossley have it; no force that pulls, however fast the
 * surfaces part; and the turn between the two without a kink. */
static void damping_never_pulls(void **state)
{
    (void)state;
    scene s = scene_open(falling);
    double force[3], elastic = 1e4 * pow(1e-3, 1.5), d = 0.3;
    for (double rate = -10; rate < 10; rate += 0.01) {
        s.v[2] = -rate;
        record(&s, "floor.force", force);
        double y = 1 + d * rate;
        assert_true(force[2] >= 0);
        if (y >= 0.1)
            CLOSE(force[2], elastic * y, 10 * ROUNDING);
        if (y <= -0.1)
            assert_true(force[2] == 0);
    }
    for (int side = -1; side <= 1; side += 2) {
        double slope[2], h = 1e-6;
        for (int i = 0; i < 2; i++) {
            double f[2][3], rate = (0.1 * side - 1) / d + (i == 0 ? -h : h);
            for (int j = 0; j < 2; j++) {
                s.v[2] = -(rate + (j == 0 ? -h : h));
                record(&s, "floor.force", f[j]);
            }
            slope[i] = (f[1][2] - f[0][2]) / (2 * h);
        }
        /* the second derivative is elastic d^2 / 0.2, over 2 h; a kink would be elastic d = 0.1 */
        CLOSE(slope[1], slope[0], 1e-6);
    }
    scene_close(&s);
}

/* The tangent of a contact at an indentation delta: the largest entry. */
static double stiffness_at(scene *s, double delta)
{
    nt_matrix matrix;
    double dense[36], size = 0;
    nt_combination all = {.damping = 1, .stiffness = 1};
    nt_point at = point_of(s);
    s->q[2] = 1 - delta;
    assert_int_equal(nt_matrix_init(&matrix, s->system->pattern), NT_OK);
    nt_matrix_zero(&matrix);
    nt_terms terms = {.parts = NT_EXPLICIT, .matrix = &matrix, .combination = &all};
    assert_int_equal(s->system->evaluate(s->system->self, &at, &terms), NT_OK);
    nt_matrix_dense(&matrix, dense);
    for (int i = 0; i < 36; i++)
        size = fmax(size, fabs(dense[i]));
    nt_matrix_free(&matrix);
    return size;
}

/* Force and tangent go to zero with delta as delta^n and delta^(n-1): there is no jump at the onset
 * in either, whatever the speed of the approach. */
static void onset_is_smooth(void **state)
{
    (void)state;
    scene s = scene_open(falling);
    s.v[0] = 0.4, s.v[2] = -3, s.v[4] = 2;
    assert_true(stiffness_at(&s, 0) == 0);
    assert_true(stiffness_at(&s, -1e-12) == 0);
    double k = stiffness_at(&s, 1e-8) / 1e-4; /* 1.5 k (1 + d delta') and less */
    CLOSE(k, 1.5 * 1e4 * 1.9, 1);
    CLOSE(stiffness_at(&s, 1e-12) / 1e-6, k, 1);
    scene_close(&s);
}

/* Parameters reach the law and the shape. */
static void parameters_reach_contacts(void **state)
{
    (void)state;
    scene s = scene_open(falling);
    double force[3];
    const double p[] = {300, 0.5, 2};
    assert_int_equal(s.system->set_parameters(s.system->self, p), NT_OK);
    s.q[2] = 0.9, s.v[2] = -1;
    record(&s, "floor.force", force);
    CLOSE(force[2], 300 * 0.01 * 1.5, 10 * ROUNDING);
    scene_close(&s);
}

/* ---- balances at random states -------------------------------------------------------------- */

static const char *const pairs[] = {
    "contacts: {e: {type: sphere_plane, between: [a, b], plane: {point: [0.2, 0.1, -0.3], "
    "normal: [0.3, -0.2, 1]}, at: [0.1, -0.3, 0.2], radius: 4, stiffness: 20, damping: 0.4, "
    "friction: {coefficient: 0.6, slip: 0.3}}}",
    "contacts: {e: {type: sphere_sphere, between: [a, b], at: [[0.2, 0.1, -0.3], [0.1, 0.4, 0.6]], "
    "radii: [3, 2], stiffness: 15, exponent: 2.2, damping: 0.7, "
    "friction: {coefficient: 0.3, slip: 0.5}}}",
};

static scene random_pair(const char *contact, unsigned *seed)
{
    char text[2000];
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  a: {mass: 2, inertia: [0.3, 0.4, 0.5], center_of_mass: [0.1, -0.2, 0.05]}\n"
             "  b: {mass: 1, inertia: [0.2, 0.3, 0.4], position: [0.9, -0.3, 0.6]}\n"
             "%s\n",
             contact);
    scene s = scene_open(text);
    double dq[12];
    for (int i = 0; i < 12; i++)
        dq[i] = 0.5 * uniform(seed), s.v[i] = uniform(seed);
    nt_space_compose(&s.system->space, NT_INERTIAL, s.q, dq, s.q);
    return s;
}

/* Action and reaction act at one point: no force and no moment on the two bodies together. */
static void momenta_are_kept(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int i = 0; i < 20; i++) {
        scene s = random_pair(pairs[i % 2], &seed);
        double f[MOST], sum[6] = {0};
        forces_of(&s, f);
        for (int b = 0; b < 2; b++) {
            const double *x = s.q + 7 * b, *F = f + 6 * b;
            for (int k = 0; k < 3; k++) {
                int l = (k + 1) % 3, m = (k + 2) % 3;
                sum[k] += F[k];
                sum[3 + k] += F[3 + k] + x[l] * F[m] - x[m] * F[l];
            }
        }
        assert_true(fabs(f[0]) + fabs(f[1]) + fabs(f[2]) > 1); /* there is contact */
        for (int k = 0; k < 6; k++)
            CLOSE(sum[k], 0, 1e3 * ROUNDING); /* of forces up to some hundred N */
        scene_close(&s);
    }
}

/* The power of the forces is what the potential loses and what `power` takes; the latter never
 * gives. */
static void energy_balances(void **state)
{
    (void)state;
    unsigned seed = 9;
    for (int i = 0; i < 20; i++) {
        scene s = random_pair(pairs[i % 2], &seed);
        double f[MOST], step[12], q[MOST], potential[2], force_power = 0, h = 1e-5;
        forces_of(&s, f);
        for (int k = 0; k < 12; k++)
            force_power += f[k] * s.v[k];
        double power = energy_of(&s).power;
        assert_true(power < 0);
        memcpy(q, s.q, sizeof q);
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < 12; k++)
                step[k] = (side == 0 ? -h : h) * s.v[k];
            nt_space_compose(&s.system->space, NT_INERTIAL, q, step, s.q);
            potential[side] = energy_of(&s).potential;
        }
        /* central differences: the third derivative of some 1e3 J/s^3 times h^2 / 6, and the
         * rounding of some 1e3 J over 2 h */
        CLOSE(force_power, power - (potential[1] - potential[0]) / (2 * h), 1e-6);
        scene_close(&s);
    }
}

/* ---- motion --------------------------------------------------------------------------------- */

/* Without weight a ball of mass m follows m v v_delta = -k delta^n (1 + d v), v = delta'; so
 * v - ln(1 + d v)/d is the same, up to a factor, after the rebound: d v_1 - ln(1 + d v_1) equals
 * d v_0 - ln(1 + d v_0). The root between -1/d and 0 is the rebound, whatever k, n and m. */
static double rebound(double d, double approach)
{
    double wanted = d * approach - log1p(d * approach), low = -1, high = 0;
    for (int i = 0; i < 200; i++) {
        double y = 0.5 * (low + high);
        *(y - log1p(y) > wanted ? &low : &high) = y;
    }
    return -low / d;
}

/* The contact takes a tenth of a second. What the ball loses is counted as work. */
static void rebound_loses_what_the_law_says(void **state)
{
    (void)state;
    static const nt_option no_loss = {"rho_inf", "1"};
    double speed[2], balance[2];
    for (int i = 0; i < 2; i++) {
        mechanism m = mechanism_read(falling);
        double e[4];
        m.q[2] = 1.1, m.v[2] = -2;
        mechanism_start(&m, &no_loss, 1, NT_INERTIAL);
        mechanism_run(&m, 0.25, i == 0 ? 4e-4 : 2e-4);
        nt_state now = nt_integrator_state(m.integrator);
        assert_true(now.q[2] > 1); /* off the floor again */
        speed[i] = now.v[2] - rebound(0.3, 2);
        mechanism_get(&m, "energy", e);
        balance[i] = e[2] - e[3] - 4;
        mechanism_close(&m);
    }
    /* the method's own error, of second order: 2.3e-5 m/s of 1.43, 4.3e-5 J of 4 at 4e-4 s */
    CLOSE(speed[0], 0, 3e-5);
    CLOSE(speed[0] / speed[1], 4, 0.4);
    CLOSE(balance[0], 0, 6e-5);
    CLOSE(balance[0] / balance[1], 4, 0.4);
}

/* A ball that slides begins to roll. Friction F at the height h below the centre gives m v' = -F,
 * J w' = h F: it rolls when v = h w, with v = v_0 c / (1 + c), c = m h^2 / J, whatever the
 * friction; 5/7 v_0 where h is the radius. On a plane that moves with the speed v_p, v - v_p does
 * the same. */
static void sliding_ends_in_rolling(void **state)
{
    (void)state;
    double depth = pow(2 * 10 / 1e6, 1 / 1.5), h = 1 - depth / 2, c = 2 * h * h / 0.8;
    for (int moving = 0; moving < 2; moving++) {
        char text[1000];
        double platform = moving ? 0.25 : 0;
        snprintf(
            text, sizeof text,
            "nutate: 1\n"
            "gravity: [0, 0, -10]\n"
            "bodies:\n"
            "  ball: {mass: 2, inertia: [0.8, 0.8, 0.8], position: [0, 0, %.17g],\n"
            "         velocity: [1, 0, 0]}\n"
            "  table: {mass: 1, inertia: [1, 1, 1], velocity: [%g, 0, 0]}\n"
            "joints: {rail: {type: prismatic, between: [ground, table], at: [0, 0, 0],\n"
            "         axis: [1, 0, 0], motion: %g * t}}\n"
            "contacts:\n"
            "  floor: {type: sphere_plane, between: [table, ball], plane: {normal: [0, 0, 1]},\n"
            "          radius: 1, stiffness: 1e6, friction: {coefficient: 0.3}}\n",
            1 - depth, platform, platform);
        mechanism m = mechanism_open(text);
        mechanism_run(&m, 0.3, 1e-3);
        nt_state now = nt_integrator_state(m.integrator);
        double v = now.v[0] - platform, force[3];
        /* Newton's iterations end at 1e-9 or so of the forces, in each of 300 steps */
        CLOSE(v, (1 - platform) * c / (1 + c), 1e-7);
        CLOSE(h * now.v[4], v, 1e-7);
        mechanism_get(&m, "floor.force", force);
        CLOSE(force[2], 20, 1e-5);
        mechanism_close(&m);
    }
}

/* Spheres with one centre have no normal: the message names the contact. */
static void one_centre_is_told(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "bodies:\n"
        "  one: {mass: 1, inertia: [1, 1, 1]}\n"
        "  two: {mass: 1, inertia: [1, 1, 1], position: [%g, 0, 0]}\n"
        "contacts: {hit: {type: sphere_sphere, between: [one, two], radii: [1, 2], stiffness: "
        "5}}\n";
    char model[400];
    snprintf(model, sizeof model, text, 0.);
    mechanism_refused(model, (const char *const[]){"contact hit has no finite value", NULL});
    snprintf(model, sizeof model, text, 1.);
    mechanism m = mechanism_read(model);
    m.q[7] = m.q[0]; /* where a caller may put them */
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_model_system(m.model),
                                 .method = nt_method_find("generalized-alpha")};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error),
                     NT_NOT_FINITE);
    if (!strstr(error.message, "contact hit (sphere_sphere)"))
        fail_msg("%s", error.message);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_on_a_plane),
        cmocka_unit_test(spheres_against_each_other),
        cmocka_unit_test(damping_never_pulls),
        cmocka_unit_test(onset_is_smooth),
        cmocka_unit_test(parameters_reach_contacts),
        cmocka_unit_test(momenta_are_kept),
        cmocka_unit_test(energy_balances),
        cmocka_unit_test(rebound_loses_what_the_law_says),
        cmocka_unit_test(sliding_ends_in_rolling),
        cmocka_unit_test(one_centre_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
