/* Contacts: closed forms, balance of forces, moments and energy, rebound and rolling. */
#include "free_pair.h"

/* A recorded quantity, out[columns]. */
static void record(const mechanism *m, const char *name, double *out)
{
    nt_quantity_info quantity;
    nt_error error = {0};
    nt_point at = point_of(m);
    nt_state state = {.q = at.q, .v = at.v, .vdot = at.vdot, .lambda = at.lambda, .mu = at.mu};
    if (nt_model_quantity(nt_run_model(m->run), name, &quantity, &error) != NT_OK ||
        nt_run_sample(m->run, &quantity, &state, NULL, out, &error) != NT_OK)
        fail_msg("%s", error.message);
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
    mechanism m = mechanism_read(text);
    double force[3], depth, f[MOST];
    /* the centre is at (1, 2.5, 2.8), 0.8 above the plane z = 2 */
    record(&m, "floor.indentation", &depth);
    CLOSE(depth, 0.2, ROUNDING);
    record(&m, "floor.force", force);
    double hertz = 1000 * pow(0.2, 1.5);
    CLOSE(force[0], 0, ROUNDING);
    CLOSE(force[1], 0, ROUNDING);
    CLOSE(force[2], hertz, 1000 * ROUNDING);
    /* about the centre of mass (1, 2, 3.5): the force acts 0.5 along y */
    forces_of(&m, f);
    CLOSE(f[2], hertz, 1000 * ROUNDING);
    CLOSE(f[3], 0.5 * hertz, 1000 * ROUNDING);
    CLOSE(f[4], 0, 1000 * ROUNDING);
    CLOSE(energy_of(&m).potential, 1000 * pow(0.2, 2.5) / 2.5, 1000 * ROUNDING);
    /* apart: no force, and the distance */
    m.q[2] += 0.3;
    record(&m, "floor.indentation", &depth);
    CLOSE(depth, -0.1, ROUNDING);
    record(&m, "floor.force", force);
    forces_of(&m, f);
    for (int i = 0; i < 3; i++)
        assert_true(force[i] == 0 && f[i] == 0 && f[3 + i] == 0);
    assert_true(energy_of(&m).potential == 0);
    mechanism_close(&m);
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
        mechanism m = mechanism_read(model);
        forces_of(&m, f[i]);
        record(&m, "hit.force", force[i]);
        mechanism_close(&m);
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
    mechanism m = mechanism_read(falling);
    const double turn = 1e-3; /* of 1 + d delta', on either side of zero */
    double force[3], elastic = 1e4 * pow(1e-3, 1.5), d = 0.3;
    for (int i = -2000; i < 2000; i++) {
        double rate = i % 2 ? 0.005 * i : -1 / d + 1e-5 * i;
        m.v[2] = -rate;
        record(&m, "floor.force", force);
        double y = 1 + d * rate;
        assert_true(force[2] >= 0);
        if (y >= turn)
            CLOSE(force[2], elastic * y, 10 * ROUNDING);
        else if (y > -turn)
            CLOSE(force[2], elastic * (y + turn) * (y + turn) / (4 * turn), 10 * ROUNDING);
        else
            assert_true(force[2] == 0);
    }
    for (int side = -1; side <= 1; side += 2) {
        double slope[2], h = 1e-8;
        for (int i = 0; i < 2; i++) {
            double f[2][3], rate = (turn * side - 1) / d + (i == 0 ? -h : h);
            for (int j = 0; j < 2; j++) {
                m.v[2] = -(rate + (j == 0 ? -h : h));
                record(&m, "floor.force", f[j]);
            }
            slope[i] = (f[1][2] - f[0][2]) / (2 * h);
        }
        /* the second derivative is elastic d^2 / (2 turn), over 2 h; a kink would be 0.1 */
        CLOSE(slope[1], slope[0], 1e-6);
    }
    mechanism_close(&m);
}

/* The tangent of a contact at an indentation delta: the largest entry. */
static double stiffness_at(mechanism *m, double delta)
{
    const nt_system *s = nt_run_system(m->run);
    nt_matrix *matrix;
    double dense[36], size = 0;
    nt_combination all = {.damping = 1, .stiffness = 1};
    nt_point at = point_of(m);
    m->q[2] = 1 - delta;
    assert_int_equal(nt_matrix_create(&matrix, s->pattern), NT_OK);
    nt_matrix_zero(matrix);
    nt_terms terms = {.parts = NT_EXPLICIT, .matrix = matrix, .combination = &all};
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    nt_matrix_dense(matrix, dense);
    for (int i = 0; i < 36; i++)
        size = fmax(size, fabs(dense[i]));
    nt_matrix_destroy(matrix);
    return size;
}

/* Force and tangent go to zero with delta as delta^n and delta^(n-1): there is no jump at the onset
 * in either, whatever the speed of the approach. */
static void onset_is_smooth(void **state)
{
    (void)state;
    mechanism m = mechanism_read(falling);
    m.v[0] = 0.4, m.v[2] = -3, m.v[4] = 2;
    assert_true(stiffness_at(&m, 0) == 0);
    assert_true(stiffness_at(&m, -1e-12) == 0);
    double k = stiffness_at(&m, 1e-8) / 1e-4; /* 1.5 k (1 + d delta') and less */
    CLOSE(k, 1.5 * 1e4 * 1.9, 1);
    CLOSE(stiffness_at(&m, 1e-12) / 1e-6, k, 1);
    mechanism_close(&m);
}

/* Parameters reach the law and the shape. */
static void parameters_reach_contacts(void **state)
{
    (void)state;
    mechanism m = mechanism_read(falling);
    double force[3];
    const double p[] = {300, 0.5, 2};
    const nt_system *s = nt_run_system(m.run);
    assert_int_equal(s->set_parameters(s->self, p), NT_OK);
    m.q[2] = 0.9, m.v[2] = -1;
    record(&m, "floor.force", force);
    CLOSE(force[2], 300 * 0.01 * 1.5, 10 * ROUNDING);
    mechanism_close(&m);
}

/* dN/dk = delta^n phi, dN/dn = N ln delta, dN/dd = k delta^n phi' delta', within the turn to no
 * adhesion, beside it and at its ends: of the floor's force the exact derivatives. */
static void numbers_of_the_law_have_exact_derivatives(void **state)
{
    (void)state;
    mechanism m = mechanism_read(falling);
    const nt_system *s = nt_run_system(m.run);
    const double turn = 1e-3, d = 0.3, unit = pow(1e-3, 1.5), zero[6] = {0};
    static const double places[] = {-900, -1.5, -1, -0.999, -0.4, 0, 0.3, 0.999, 1, 1.001, 2, 1500};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double y = places[i] * turn, rate = (y - 1) / d, x = (y + turn) / (2 * turn);
        double phi = x >= 1 ? y : x <= 0 ? 0 : x * x * turn, slope = x >= 1 ? 1 : x <= 0 ? 0 : x;
        double N = 1e4 * unit, scale[] = {unit, N * fabs(rate), N * fabs(log(1e-3))};
        double exact[] = {unit * phi, N * slope * rate, N * phi * log(1e-3)};
        m.v[2] = -rate;
        nt_point at = {.q = m.q, .v = m.v, .vdot = zero};
        for (int k = 0; k < 3; k++) {
            double change[6] = {0};
            nt_terms terms = {.parts = NT_ALL_PARTS, .residual = change};
            assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
            CLOSE(-change[2], exact[k], 1e-12 * scale[k]);
        }
    }
    mechanism_close(&m);
}

/* A ball in a groove that is 4 % wider, on a model whose length is 1 m: a hundredth of that is more
 * than the ball. */
static const char groove[] =
    "nutate: 1\nparameters: {R: 0.0228, tube: 4.953e-3, rho: 4.7625e-3, E: 207e9, mu: 1e-2}\n"
    "bodies: {ball: {mass: 3.5e-3, inertia: [3e-8, 3e-8, 3e-8], position: [0.02299, 0, 2e-5],\n"
    "         velocity: [20, 3, 0.2], angular_velocity: [100, 200, 300]}}\n"
    "contacts: {c: {type: sphere_torus, between: [ground, ball], radius: rho, damping: 0.2,\n"
    "           torus: {axis: [0, 0, 1], radius: R, tube: tube, inside: true},\n"
    "           material: {E: E, nu: 0.3}, friction: {coefficient: mu, slip: 1e-3}}}\n";

/* Indentation 5.5e-7 m: differences at 1e-10 m are good to 1e-7. */
static void radii_reach_hertz_stiffness(void **state)
{
    (void)state;
    enum { PARAMETERS = 5 };
    mechanism m = mechanism_read(groove);
    const nt_system *s = nt_run_system(m.run);
    double p[PARAMETERS], zero[6] = {0};
    nt_point at = {.q = m.q, .v = m.v, .vdot = zero};
    s->get_parameters(s->self, p);
    for (int k = 0; k < PARAMETERS; k++) {
        double exact[6] = {0}, side[2][6] = {{0}}, moved[PARAMETERS], size = 0;
        double step = k < 3 ? 1e-10 : 1e-5 * p[k];
        nt_terms terms = {.parts = NT_ALL_PARTS, .residual = exact};
        assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
        for (int i = 0; i < 2; i++) {
            memcpy(moved, p, sizeof p);
            moved[k] += i ? step : -step;
            assert_int_equal(s->set_parameters(s->self, moved), NT_OK);
            terms.residual = side[i];
            assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
        }
        assert_int_equal(s->set_parameters(s->self, p), NT_OK);
        for (int i = 0; i < 6; i++)
            size = fmax(size, fabs(exact[i]));
        for (int i = 0; i < 6; i++)
            CLOSE(exact[i], (side[1][i] - side[0][i]) / (2 * step), 1e-6 * size);
    }
    mechanism_close(&m);
}

/* Off to the side by a hundredth of the model's length, on either side, a sphere has left the other
 * one, with the same force of zero: which says nothing of the derivative here. */
static void a_contact_that_both_sides_have_left(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\nparameters: {aside: 1e-4}\n"
        "bodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.00999]}}\n"
        "contacts: {c: {type: sphere_sphere, between: [ground, ball], radii: [5e-3, 5e-3],\n"
        "           at: [[aside, 0, 0], [0, 0, 0]], stiffness: 1e9, exponent: 1.5}}\n";
    mechanism m = mechanism_read(text);
    const nt_system *s = nt_run_system(m.run);
    double loads[6] = {0}, zero[6] = {0}, out[3];
    nt_point at = {.q = m.q, .v = m.v, .vdot = zero};
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = loads};
    nt_state look = {.q = m.q, .v = m.v, .vdot = zero};
    nt_state_rate rate = {.parameter = 0};
    nt_quantity_info force;
    nt_error error = {0};
    /* l = |(-a, 0, z)|, N = k delta^1.5: dN/da = -1.5 k delta^.5 a/l, F = N (-a, 0, z)/l */
    double a = 1e-4, z = 0.00999, k = 1e9, l = sqrt(a * a + z * z), delta = 0.01 - l;
    double N = k * pow(delta, 1.5), slope = -1.5 * k * sqrt(delta) * a / l;
    double by_a[3] = {-a / l * slope - N / l + N * a * a / (l * l * l), 0,
                      z / l * slope - N * z * a / (l * l * l)};
    assert_int_equal(s->parameter_tangent(s->self, &at, 0, &terms), NT_OK);
    assert_int_equal(nt_model_quantity(nt_run_model(m.run), "c.force", &force, &error), NT_OK);
    assert_int_equal(nt_run_sample_tangent(m.run, &force, 1, &look, NULL, &rate, NULL, out, &error),
                     NT_OK);
    for (int i = 0; i < 3; i++) {
        CLOSE(-loads[i], by_a[i], 1e-8 * fabs(by_a[0]));
        CLOSE(out[i], by_a[i], 1e-8 * fabs(by_a[0]));
    }
    mechanism_close(&m);
}

/* ---- balances at random states -------------------------------------------------------------- */

static const char *const pairs[] = {
    "{type: sphere_plane, between: [a, b], plane: {point: [0.2, 0.1, -0.3], "
    "normal: [0.3, -0.2, 1]}, at: [0.1, -0.3, 0.2], radius: 4, stiffness: 20, damping: 0.4, "
    "friction: {coefficient: 0.6, slip: 0.3}}",
    "{type: sphere_sphere, between: [a, b], at: [[0.2, 0.1, -0.3], [0.1, 0.4, 0.6]], "
    "radii: [3, 2], stiffness: 15, exponent: 2.2, damping: 0.7, "
    "friction: {coefficient: 0.3, slip: 0.5}}",
};

/* Action and reaction act at one point. */
static void momenta_are_kept(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int i = 0; i < 20; i++) {
        mechanism m = random_pair("contacts", pairs[i % 2], &seed);
        pair_balances_forces(&m, 1e3 * ROUNDING); /* of forces up to some hundred N */
        mechanism_close(&m);
    }
}

static void energy_balances(void **state)
{
    (void)state;
    unsigned seed = 9;
    for (int i = 0; i < 20; i++) {
        mechanism m = random_pair("contacts", pairs[i % 2], &seed);
        pair_balances_power(&m);
        mechanism_close(&m);
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
    mechanism_refused(model,
                      (const char *const[]){"contact hit has no value",
                                            "the centres of the two spheres are one point", NULL});
    snprintf(model, sizeof model, text, 1.);
    mechanism m = mechanism_read(model);
    m.q[7] = m.q[0]; /* where a caller may put them */
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("generalized-alpha")};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error),
                     NT_NOT_FINITE);
    if (!strstr(error.message, "contact hit (sphere_sphere)"))
        fail_msg("%s", error.message);
    mechanism_close(&m);
}

/* Outside of a cylinder, and in and about a tube, some places have no normal either. */
static void no_normal_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *type, *place, *surface, *words;
    } at[] = {
        {"sphere_cylinder", "[0, 3, 0]", "cylinder: {radius: 2, axis: [0, 1, 0]}",
         "the sphere's centre is on the cylinder's axis"},
        {"sphere_torus", "[0, 0, 1]", "torus: {radius: 3, tube: 2, axis: [0, 0, 1], inside: true}",
         "the sphere's centre is on the torus' axis or on the circle within its tube"},
        {"sphere_torus", "[0, 3, 0]", "torus: {radius: 3, tube: 2, axis: [0, 0, 1]}",
         "the sphere's centre is on the torus' axis or on the circle within its tube"},
    };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "bodies: {ball: {mass: 1, inertia: [1, 1, 1], position: %s}}\n"
                 "contacts: {c: {type: %s, between: [ground, ball], radius: 1, stiffness: 1e4, "
                 "%s}}\n",
                 at[i].place, at[i].type, at[i].surface);
        mechanism_refused(text, (const char *const[]){"contact c", at[i].words, NULL});
    }
}

/* A sphere of a material that is wholly behind a plane or a wall is in no contact, and the law
 * holds until then. One with a stiffness goes on. */
static void too_deep_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *type, *surface;
        double onset; /* z of the centre, m */
        bool refused;
    } at[] = {
        {"sphere_plane", "stiffness: 1e3, plane: {normal: [0, 0, 1]}", 1, false},
        {"sphere_plane", "material: {E: 1e5, nu: 0.3}, plane: {normal: [0, 0, 1]}", 1, true},
        {"sphere_cylinder",
         "material: {E: 1e5, nu: 0.3}, cylinder: {radius: 3, axis: [1, 0, 0], inside: true}", -2,
         true},
    };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
        for (int beyond = 0; beyond < 2; beyond++) {
            char text[600];
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "bodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, %.9f]}}\n"
                     "contacts: {c: {type: %s, between: [ground, ball], radius: 1, %s}}\n",
                     at[i].onset - (beyond ? 2 + 1e-6 : 2 - 1e-6), at[i].type, at[i].surface);
            if (beyond && at[i].refused) {
                mechanism_refused(text, (const char *const[]){"contact c has no value",
                                                              "the sphere is pressed 2 m in",
                                                              "wholly behind the surface", NULL});
                continue;
            }
            mechanism m = mechanism_read(text);
            double f[MOST];
            forces_of(&m, f);
            mechanism_close(&m);
        }
}

/* Without a curve the law of four parameters has that of bearings. */
static void four_parameters_have_a_default(void **state)
{
    (void)state;
    static const char *const curves[] = {"", ", curve: [-0.02, 0.25, 2, 0.02]"};
    double force[2][3];
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "nutate: 1\n"
            "bodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.9],\n"
            "  velocity: [0.5, 0, 0]}}\n"
            "contacts: {c: {type: sphere_plane, between: [ground, ball], radius: 1,\n"
            "  stiffness: 1e3, plane: {normal: [0, 0, 1]}, traction: {law: four_parameter%s}}}\n",
            curves[k]);
        mechanism m = mechanism_read(text);
        record(&m, "c.force", force[k]);
        mechanism_close(&m);
    }
    assert_true(force[0][0] < 0 && force[0][0] == force[1][0]);
}

/* The rate of turning about the normal is told whether or not it meets a moment. */
static void spin_is_told_without_a_moment(void **state)
{
    (void)state;
    static const char *const laws[] = {"stiffness: 1e7",
                                       "stiffness: 1e7, friction: {coefficient: 0.2}",
                                       "material: {E: 2e11, nu: 0.3}, spin: false",
                                       "material: {E: 2e11, nu: 0.3}, friction: {coefficient: 0.2}",
                                       "stiffness: 1e7, rolling: {resistance: 1e-4}"};
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        char text[600];
        double spin;
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies:\n"
                 "  ball: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [0, 0.006, 0.008],\n"
                 "         angular_velocity: [3, 5, 10]}\n"
                 "contacts: {c: {type: sphere_plane, between: [ground, ball], radius: 0.0101,\n"
                 "               plane: {normal: [0, 3, 4]}, %s}}\n",
                 laws[i]);
        mechanism m = mechanism_open(text);
        record(&m, "c.spin_speed", &spin);
        CLOSE(spin, (3 * 5 + 4 * 10) / 5.0, 1e-13);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_on_a_plane),
        cmocka_unit_test(spheres_against_each_other),
        cmocka_unit_test(damping_never_pulls),
        cmocka_unit_test(onset_is_smooth),
        cmocka_unit_test(parameters_reach_contacts),
        cmocka_unit_test(numbers_of_the_law_have_exact_derivatives),
        cmocka_unit_test(radii_reach_hertz_stiffness),
        cmocka_unit_test(a_contact_that_both_sides_have_left),
        cmocka_unit_test(momenta_are_kept),
        cmocka_unit_test(energy_balances),
        cmocka_unit_test(rebound_loses_what_the_law_says),
        cmocka_unit_test(sliding_ends_in_rolling),
        cmocka_unit_test(one_centre_is_told),
        cmocka_unit_test(no_normal_is_told),
        cmocka_unit_test(too_deep_is_told),
        cmocka_unit_test(four_parameters_have_a_default),
        cmocka_unit_test(spin_is_told_without_a_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
