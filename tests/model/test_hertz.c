/* Kernels of contacts against values that other programs computed: Hertz's constants, coefficients
 * of restitution, films; and the identities that hold at any state. */
#include "model/contacts/hertz.h"
#include "model/contacts/restitution.h"
#include "model/contacts/touch.h"
#include "model/mechanism.h"

static const double PI = 3.14159265358979323846;

/* The bearing 6206: balls of 9.525 mm on 46 mm, grooves of 0.52 of the ball's diameter; steel. */
static const double BALL = 9.525e-3, PITCH = 46e-3;
static const double STEEL[2] = {207e9, 207e9}, NU[2] = {0.3, 0.3};

static nt_hertz race(double angle, double side, nt_hertz_formula formula)
{
    double rho = BALL / 2, cosine = side * cos(angle * PI / 180);
    double curvature[2] = {1 / rho - cosine / (PITCH / 2 + rho * cosine),
                           1 / rho - 1 / (0.52 * BALL)};
    return nt_hertz_find(curvature, nt_hertz_compliance(STEEL, NU), formula);
}

static void relative(double got, double expected, double tolerance)
{
    CLOSE(got / expected, 1, tolerance);
}

/* Values of eight digits from programs with elliptic integrals of a mathematical library. */
static void constants_of_races(void **state)
{
    (void)state;
    static const double angles[] = {16.6076, 0, 10, 20, 30};
    static const double inner[] = {2.7896040e10, 2.785493e10, 2.786994e10, 2.791426e10,
                                   2.798586e10};
    static const double outer[] = {2.9518906e10, 2.954971e10, 2.953851e10, 2.950513e10,
                                   2.945024e10};
    for (int i = 0; i < 5; i++) {
        relative(race(angles[i], -1, NT_HERTZ_EXACT).K, inner[i], i == 0 ? 2e-8 : 2e-7);
        relative(race(angles[i], 1, NT_HERTZ_EXACT).K, outer[i], i == 0 ? 2e-8 : 2e-7);
    }
    nt_hertz h[2] = {race(16.607594950276, -1, NT_HERTZ_EXACT),
                     race(16.607594950276, 1, NT_HERTZ_EXACT)};
    static const double ratios[] = {9.3063, 7.2837}, pressures[] = {1655.58e6, 1379.24e6};
    static const double integrals[] = {1.0180588795, 1.0272209473};
    static const double axes[] = {1.39957231e-4, 1.35656466e-4};
    for (int i = 0; i < 2; i++) {
        relative(1 / h[i].ratio, ratios[i], 1e-5);
        relative(h[i].E, integrals[i], 1e-10);
        relative(h[i].semi_axis / cbrt(h[i].K), axes[i], 1e-8);
        relative(nt_hertz_pressure(&h[i], pow(388.7513 / h[i].K, 2.0 / 3)), pressures[i], 5e-6);
    }
    relative(h[0].semi_axis * pow(388.7513 / h[0].K, 1.0 / 3), 1.02146e-3, 1e-5);
    double rho = BALL / 2, young[2] = {207e9, 3e9}, nu[2] = {0.3, 0.4};
    double pocket[2] = {1 / rho - 1 / (rho + 1e-4), 1 / rho};
    relative(nt_hertz_find(pocket, nt_hertz_compliance(young, nu), NT_HERTZ_EXACT).K, 1.1179528e9,
             5e-8);
}

/* Two spheres: (4/3) E* sqrt(R), a^2 = R delta; nearly a circle is a circle. */
static void circles_are_exact(void **state)
{
    (void)state;
    double compliance = nt_hertz_compliance(STEEL, NU);
    for (int i = 0; i < 3; i++) {
        double r = i == 0 ? 1 : i == 1 ? 1.00005 : 1.0002, curvature[2] = {100 * r, 100};
        nt_hertz h = nt_hertz_find(curvature, compliance, NT_HERTZ_EXACT);
        relative(h.K, 4 / (3 * compliance * sqrt(50 * (1 + r))), 1e-8);
        relative(h.semi_axis * h.semi_axis * h.ratio, 2 / (100 * (1 + r)), 1e-8);
    }
    double flat[2] = {0, 1}, K, E;
    assert_true(isnan(nt_hertz_find(flat, compliance, NT_HERTZ_EXACT).K));
    nt_elliptic(1, &K, &E);
    CLOSE(K, PI / 2, 1e-15);
    CLOSE(E, PI / 2, 1e-15);
    nt_elliptic(sqrt(0.5), &K, &E); /* the lemniscate's */
    CLOSE(K, 1.85407467730137192, 1e-15);
    CLOSE(E, 1.35064388104767550, 1e-15);
}

/* The fits are off by what they are known to be off. */
static void errors_of_fits(void **state)
{
    (void)state;
    static const double radii[] = {1, 2, 5, 10, 20, 50};
    static const double hamrock[] = {0.0869, 0.0192, -0.0067, -0.0063, 0.0042, 0.0306};
    for (int i = 0; i < 6; i++) {
        double curvature[2] = {radii[i], 1};
        double exact = nt_hertz_find(curvature, 1, NT_HERTZ_EXACT).K;
        CLOSE(nt_hertz_find(curvature, 1, NT_HERTZ_HAMROCK_BREWE).K / exact - 1, hamrock[i], 1e-4);
    }
    static const double more[] = {1, 1.5, 2, 3, 5, 8, 15, 30, 50, 100};
    static const double simple[] = {0, -2.6, -3.5, -3.9, -3.6, -2.9, -1.4, 1.0, 3.1, 6.5};
    for (int i = 0; i < 10; i++) {
        double curvature[2] = {1, more[i]};
        double exact = nt_hertz_find(curvature, 1, NT_HERTZ_EXACT).K;
        CLOSE(100 * (nt_hertz_find(curvature, 1, NT_HERTZ_SIMPLE).K / exact - 1), simple[i], 0.06);
    }
}

/* What a free impact with p = d v keeps of its speed: p - ln(1 + p) = -e p - ln(1 - e p). */
static double kept_share(double p)
{
    double low = 0, high = p > 1 ? 1 / p : 1;
    if (!(p > 0))
        return 1;
    for (int i = 0; i < 200; i++) {
        double e = 0.5 * (low + high);
        *(p - log1p(p) + e * p + log1p(-e * p) > 0 ? &low : &high) = e;
    }
    return 0.5 * (low + high);
}

static void restitution_is_exact(void **state)
{
    (void)state;
    static const double e[] = {0.3, 0.5, 0.7, 0.9, 0.95};
    static const double p[] = {3.087082, 1.432751, 0.634828, 0.166482, 0.078927};
    for (int i = 0; i < 5; i++)
        CLOSE(nt_restitution_damping(e[i], NT_RESTITUTION_EXACT), p[i], 6e-7);
    CLOSE(nt_restitution_damping(0.99, NT_RESTITUTION_EXACT), 0.015151, 6e-7);
    assert_true(nt_restitution_damping(1, NT_RESTITUTION_EXACT) == 0);
    CLOSE(kept_share(0.2), 0.882189986, 6e-10);
    CLOSE(kept_share(1), 0.593624260, 6e-10);
    CLOSE(kept_share(5), 0.196980245, 6e-10);
    static const double quoted[] = {0.5, 0.9}, flores[] = {0.4704, 0.8939},
                        hunt[] = {0.6630, 0.9090};
    for (int i = 0; i < 2; i++) {
        double f = nt_restitution_damping(quoted[i], NT_RESTITUTION_FLORES);
        double h = nt_restitution_damping(quoted[i], NT_RESTITUTION_HUNT_CROSSLEY);
        CLOSE(kept_share(f), flores[i], 6e-5);
        CLOSE(kept_share(h), hunt[i], 6e-5);
    }
    for (double wanted = 0.13; wanted < 1; wanted += 0.01)
        CLOSE(kept_share(nt_restitution_damping(wanted, NT_RESTITUTION_EXACT)), wanted, 1e-13);
    for (double lost = 1e-3; lost > 1e-15; lost *= 0.1) { /* p = 1.5 q (1 + q + ...), q = 1 - e */
        double q = 1 - (1 - lost), found = nt_restitution_damping(1 - q, NT_RESTITUTION_EXACT);
        CLOSE(found / (1.5 * q * (1 + q)), 1, 2 * q * q + 1e-15);
    }
}

/* The polynomials against the library's functions. */
static void logarithm_and_exponential(void **state)
{
    (void)state;
    for (double x = -690; x < 690; x += 0.37) {
        double y = exp(x);
        relative(lane_exp(x), y, 5e-16);
        CLOSE(lane_log(y), log(y), 3e-16 * fmax(1, fabs(x)));
    }
    for (double x = 0.5; x < 2; x += 1e-3)
        CLOSE(lane_log(x), log(x), 3e-16);
}

/* Thickness of a film in the middle of the contact, m. */
static double film_central(const nt_traction *t, double rolling, double delta)
{
    double log_q = t->log_load + 1.5 * log(delta);
    return exp(t->log_central + 0.67 * log(rolling) - 0.067 * log_q);
}

/* 6206, inner race under 382 N at 10^4 rpm. */
static void film_of_a_bearing(void **state)
{
    (void)state;
    nt_hertz h = race(16.6076, -1, NT_HERTZ_EXACT);
    double rho = BALL / 2, cosine = -cos(16.6076 * PI / 180);
    double Rx = 1 / (1 / rho - cosine / (PITCH / 2 + rho * cosine)),
           Ry = 1 / (1 / rho - 1 / (0.52 * BALL));
    nt_traction t = {.slip = 1e-6, .oil = {0.02, 2e-8, 5e6, 0.08}};
    nt_traction_film(&t, Rx, Ry, nt_hertz_compliance(STEEL, NU), h.K, h.semi_axis, h.ratio);
    double delta = pow(382 / h.K, 2.0 / 3), pm = t.pressure * sqrt(delta);
    CLOSE(film_central(&t, 11.6, delta), 0.63e-6, 0.005e-6);
    CLOSE(nt_film_least(&t, 11.6, delta), 0.51e-6, 0.005e-6);
    nt_film film = nt_film_at(&t, 11.6 * 11.6, sqrt(delta));
    CLOSE(t.oil.stress / film.share, pm, 1e-15 * pm);
    CLOSE(1 / film.rate, 3.6e-4, 0.05e-4);
    CLOSE(nt_traction_at(&t, NT_TRACTION_FILM, &film, 0.1 * 0.1).kappa, 0.027, 5e-4);
    CLOSE(nt_traction_at(&t, NT_TRACTION_FILM, &film, 1).kappa, 0.035, 5e-4);
    double uncapped = t.oil.stress * film_central(&t, 11.6, delta) /
                      (t.oil.viscosity * exp(t.oil.coefficient * pm));
    CLOSE(uncapped, 4.6e-8, 0.1e-8);
}

/* Four parameters: the peak lies at 1/C - A/B. */
static void curve_has_its_peak(void **state)
{
    (void)state;
    nt_traction t = {.A = -0.02, .B = 0.25, .C = 2, .D = 0.02};
    nt_traction_value peak = nt_traction_at(&t, NT_TRACTION_FOUR_PARAMETER, NULL, 0.58 * 0.58);
    CLOSE(peak.by_s, 0, 1e-16);
    CLOSE(peak.kappa, 0.059, 5e-4);
    CLOSE(nt_traction_at(&t, NT_TRACTION_FOUR_PARAMETER, NULL, 1e-300).kappa, 0, 1e-17);
}

/* ---- at any state --------------------------------------------------------------------------- */

static unsigned seed = 5;

static double uniform(double low, double high)
{
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * (double)(seed >> 8) / (1 << 24);
}

static v3 random_vector(double size)
{
    double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return v3_of(x, y, z);
}

/* What force and moment do equals what the elastic energy takes and the loss, at every state of all
 * skeletons, sides and laws, to rounding. */
static void power_is_accounted_for(void **state)
{
    (void)state;
    for (int i = 0; i < 4000; i++) {
        nt_touch_kind kind = {.skeleton = (nt_skeleton)(i % 4),
                              .law = (nt_traction_law)(i / 4 % 3),
                              .is_hertz = i / 12 % 2,
                              .spins = true,
                              .rolls = true};
        double side = kind.skeleton != NT_PLANE && i / 24 % 2 ? -1 : 1;
        nt_surface s = {side, kind.skeleton == NT_PLANE ? 0 : 1.2, 3, 1};
        nt_touch_law law = {.stiffness = 40,
                            .exponent = kind.is_hertz ? 1.5 : 1.3,
                            .damping = 0.3,
                            .semi_axis = 0.3,
                            .ratio = 0.4,
                            .spin_arm = 0.1,
                            .rolling = 0.02,
                            .rolling_slip = 0.1};
        law.traction =
            (nt_traction){.friction = 0.4, .slip = 0.2, .A = -0.2, .B = 0.3, .C = 1, .D = 0.2};
        law.traction.oil = (nt_lubricant){0.2, 0.02, 3, 0.3};
        nt_traction_film(&law.traction, 1, 5, 0.02, 40, 0.3, 0.4);
        nt_touch_pose at = {.y = random_vector(1.5),
                            .arm_a = random_vector(2),
                            .arm_b = random_vector(0.3),
                            .v_a = random_vector(1),
                            .w_a = random_vector(2),
                            .v_b = random_vector(1),
                            .w_b = random_vector(2)};
        v3 axis = random_vector(1);
        at.axis = v3_scale(1 / v3_norm(axis), axis);
        nt_touch t = nt_touch_of(kind, &s, &law, &at);
        v3 turning = v3_sub(at.w_b, at.w_a);
        double given = v3_dot(t.F, t.u) + v3_dot(t.M, turning);
        double size =
            fabs(t.elastic * t.rate) + t.N * v3_norm(t.u) + v3_norm(t.M) * v3_norm(turning);
        CLOSE(given, t.power - t.elastic * t.rate, 1e-14 * size);
        assert_true(t.power <= 1e-15 * size);
        if (!(t.delta > 0))
            assert_true(t.N == 0 && v3_norm(t.F) == 0 && v3_norm(t.M) == 0 && t.power == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_races),
        cmocka_unit_test(circles_are_exact),
        cmocka_unit_test(errors_of_fits),
        cmocka_unit_test(restitution_is_exact),
        cmocka_unit_test(logarithm_and_exponential),
        cmocka_unit_test(film_of_a_bearing),
        cmocka_unit_test(curve_has_its_peak),
        cmocka_unit_test(power_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
