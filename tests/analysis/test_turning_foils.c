/* Foils that turn slowly: tension stiffens them that stretches them by less than their places are
 * rounded, and their modes are 1e-12 and less of the fastest ones. */
#include "analysis/found_modes.h"

/* Flapping of a uniform beam clamped on an axis, in units of u = sqrt(E I/(m L^4)), which turns at
 * eta u: Wright, Smith, Thresher & Wang 1982, table 1. */
static void test_flapping(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "parameters: {h: %g, b: 0.02, L: 0.7, E: 2.1e11, G: 8e10, r: 7850, w: %.17g}\n"
        "gravity: [0, 0, 0]\n"
        "beams:\n"
        "  strip:\n"
        "    points: [[0, 0, 0], [L, 0, 0]]\n"
        "    normal: [0, 0, 1]\n"
        "    angular_velocity: [0, 0, w]\n"
        "    order: 3\n"
        "    elements: 6\n"
        "    sections: [{stiffness: [E*b*h, 0.83*G*b*h, 0.83*G*b*h, G*b*h^3/3, E*b^3*h/12,\n"
        "                            E*b*h^3/12],\n"
        "                mass: [r*b*h, r*b*h, r*b*h, r*b^3*h/12, r*b^3*h/12, r*b*h^3/12]}]\n"
        "joints:\n"
        "  hub: {type: revolute, between: [ground, strip.root], at: [0, 0, 0],\n"
        "        axis: [0, 0, 1], motion: w*t}\n"
        "steady: {turn: {axis: [0, 0, 1], through: [0, 0, 0], rate: w}}\n";
    static const struct {
        double h, eta, flap[2];
    } cases[] = {{1e-4, 1, {3.6816, 22.1810}},
                 {1e-4, 12, {13.1702, 37.6031}},
                 {3e-6, 1, {3.6816, 22.1810}},
                 {1e-5, 12, {13.1702, 37.6031}},
                 {1e-6, 12, {13.1702, 37.6031}}};
    (void)state;
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        found f;
        char words[1200];
        double h = cases[i].h, unit = h / (0.7 * 0.7) * sqrt(2.1e11 / (12 * 7850.0));
        snprintf(words, sizeof words, text, h, cases[i].eta * unit);
        found_open(&f, words, NT_ABOUT_STEADY, (nt_modes_setup){0});
        int positions, velocities;
        nt_modes_freedom(f.modes, &positions, &velocities);
        assert_int_equal(nt_modes_count(f.modes), positions);
        for (int k = 0; k < 2; k++) {
            nt_mode mode = nt_modes_at(f.modes, k);
            double w = cases[i].flap[k] * unit;
            assert_false(mode.moves_freely);
            if (!(fabs(mode.eigenvalue[1] - w) <= 5e-4 * w + mode.doubt && mode.doubt < 0.05 * w))
                fail_msg("%g m, %g: mode %d: %.9g rad/s, expected %.9g to %.2g", h, cases[i].eta, k,
                         mode.eigenvalue[1], w, mode.doubt);
        }
        found_close(&f);
    }
}

/* A blade on a hub: what the hub's radius changes of its frequencies is carried by the tension
 * alone, so by the state about which they are found: this is found to rounding. */
static void test_radius_of_the_hub(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "parameters: {w: 20, r: 0.5}\n"
        "gravity: [0, 0, 0]\n"
        "beams:\n"
        "  b:\n"
        "    points: [[r, 0, 0], [r + 3, 0, 0]]\n"
        "    order: 8\n"
        "    elements: 6\n"
        "    sections: [{stiffness: [1e6, 4e5, 4e5, 900, 300, 1200],\n"
        "                mass: [2, 2, 2, 0.002, 0.002, 0.004]}]\n"
        "    velocity: [0, w*r, 0]\n"
        "    angular_velocity: [0, 0, w]\n"
        "joints: {hub: {type: revolute, between: [ground, b.root], at: [0, 0, 0],\n"
        "  axis: [0, 0, 1], motion: w*t}}\n"
        "steady: {turn: {axis: [0, 0, 1], rate: w}}\n";
    enum { MODES = 6 };
    const double h = 5e-3, weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
    double slope[MODES] = {0};
    found f;
    nt_mode_rates *rates;
    (void)state;
    for (int k = 0; k < 4; k++) {
        char words[1200], radius[40];
        snprintf(radius, sizeof radius, "r: %.17g}", 0.5 + at[k] * h);
        const char *place = strstr(text, "r: 0.5}");
        snprintf(words, sizeof words, "%.*s%s%s", (int)(place - text), text, radius,
                 place + strlen("r: 0.5}"));
        found_open(&f, words, NT_ABOUT_STEADY, (nt_modes_setup){.count = MODES});
        for (int i = 0; i < MODES; i++)
            slope[i] += weight[k] * nt_modes_at(f.modes, i).eigenvalue[1] / (12 * h);
        found_close(&f);
    }
    found_open(&f, text, NT_ABOUT_STEADY, (nt_modes_setup){.count = MODES});
    if (nt_mode_rates_create(&rates, f.modes, f.run, NT_ABOUT_STEADY, "r", &f.error) != NT_OK)
        fail_msg("%s", f.error.message);
    for (int i = 0; i < MODES; i++)
        found_close_to(nt_mode_rates_at(rates, i).eigenvalue[1], slope[i], 2e-6);
    nt_mode_rates_destroy(rates);
    found_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flapping),
                                       cmocka_unit_test(test_radius_of_the_hub)};
    return cmocka_run_group_tests_name("turning foils", tests, NULL, NULL);
}
