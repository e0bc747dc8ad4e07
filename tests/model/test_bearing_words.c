/* What is said of ball bearings: what is refused and where it stands, what is assumed, which ball
 * is pressed too deep. */
#include "model/mechanism.h"

static void refused(const char *keys, const char *words)
{
    char text[1000];
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "bodies: {shaft: {mass: 1, inertia: [1, 1, 1]}}\n"
             "bearings: {b: {outer: ground, inner: shaft, at: [0, 0, 0], axis: [0, 0, 1], %s}}\n",
             keys);
    mechanism_refused(text, (const char *const[]){words, NULL});
}

static void bearings_are_refused_in_words(void **state)
{
    (void)state;
    refused("designation: NU206", "is a cylindrical roller bearing");
    refused("designation: \"30206\"", "is a tapered roller bearing");
    refused("designation: \"51106\"", "is a thrust ball bearing");
    refused("designation: \"3206\"", "is an angular contact bearing of two rows");
    refused("designation: \"22206\"", "is a spherical roller bearing");
    refused("designation: 6206-2RS9", "has the suffix '2RS9', which is not known");
    refused("designation: \"6299\"", "no sizes are known of '6299'");
    refused("balls: 9", "expected a designation, or balls, ball_diameter and pitch_diameter");
    refused("balls: 2.5, ball_diameter: 0.01, pitch_diameter: 0.05", "a plain number from 3 to 64");
    refused("balls: 30, ball_diameter: 0.01, pitch_diameter: 0.05",
            "30 balls of 0.01 m do not fit");
    refused("designation: \"6206\", inner_groove: 0.5", "inner_groove is 0.5");
    refused("designation: \"6206\", outer_shoulder: 0.53",
            "outer_shoulder is 0.53, expected above 0 and at most 0.52");
    refused("designation: \"6206\", traction: {slip: 0}", "traction.slip is 0, expected above 0");
    refused("designation: \"6206\", traction: {friction: -0.1}",
            "traction.friction is -0.1, expected at least 0");
    refused("designation: \"6206\", restitution: {coefficient: 1.2, speed: 1}",
            "restitution.coefficient is 1.2, expected above 0 and at most 1");
    refused("designation: \"6206\", outer_waviness: {orders: [2.5], amplitudes: [1e-6]}",
            "outer_waviness: order 2.5, expected a whole number of waves around the race");
    refused("designation: \"6206\", traction: {law: film}", "a film needs `lubricant`");
    refused("designation: \"6206\", damping: 1, restitution: {coefficient: 0.5, speed: 1}",
            "both damping and restitution are given");
    refused("designation: \"6206\", outer_flaw: {width: 1e-3, depth: 1e-4}", "as steep as");
    refused("designation: \"6206\", outer_flaw: {angle: [0, 1], width: [0.1, 0.1], depth: 1e-6}",
            "2 angles, 2 widths and 1 depths");
    refused("designation: \"6206\", outer_flaw: {width: [0.1, 0.1], depth: [1e-6, 1e-6]}",
            "0 angles, 2 widths and 2 depths");
    refused("designation: \"6206\", outer_flaw: {width: {a: 1}, depth: 1e-6}", "a list of up to 8");
    refused("designation: \"6206\", points: [[0, 0, 0], [0, 0, 0]], axes: [[0, 0, 1], [0, 0, 1]]",
            "expected either `at` and `axis` or `points` and `axes`");
}

/* Rings that are placed a millimetre into each other end the run with the ball, the ring, the time
 * and the depth; so does a ball that is driven into its pocket. */
static void deep_balls_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *place, *cage, *words[3];
    } cases[] = {
        {"[1e-3, 0, 0]",
         "none",
         {"ball 1 is pressed 0.4", " mm into the outer ring, with", "t = 0 s"}},
        {"[0, -8e-4, 1e-4]", "none", {" mm into the outer ring, with", "is pressed 0.", "t = 0 s"}},
        {"[0, 0, 1.12e-4]",
         "{mass: 6e-3, inertia: [2e-6, 2e-6, 3e-6], pocket_clearance: 2e-4, friction: 500}",
         {"ball 1 is pressed ", " mm into ", "at t = 1."}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        nt_error error = {0};
        snprintf(
            text, sizeof text,
            "nutate: 1\n"
            "bodies: {shaft: {mass: 0.06, inertia: [1e-5, 1e-5, 1e-5], position: %s, "
            "velocity: [0, 0, 0], angular_velocity: [0, 0, 1000]}}\n"
            "joints: {turn: {type: parallel, between: [ground, shaft], at: [0, 0, 0], axis: "
            "[0, 0, 1], motion: 1000*t}}\n"
            "forces: {axial: {type: force, on: shaft, value: [0, 0, 1000]}}\n"
            "bearings: {b: {designation: \"6206\", outer: ground, inner: shaft, clearance: "
            "1e-5, points: [[0, 0, 0], [0, 0, 0]], axes: [[0, 0, 1], [0, 0, 1]], cage: %s%s}}\n",
            cases[i].place, cases[i].cage, i == 2 ? ", start: {cage: 0}" : "");
        nt_model *model = NULL;
        nt_run *run = NULL;
        nt_integrator *it = NULL;
        nt_status status =
            nt_model_read_text(&model, text, strlen(text), "deep", NULL, NULL, 0, &error);
        if (status == NT_OK)
            status = nt_run_create(&run, model, &error);
        nt_integrator_setup setup = {.system = nt_run_system(run),
                                     .method = nt_method_find("semi-explicit-2"),
                                     .energy_check = NT_ENERGY_UNWATCHED};
        if (status == NT_OK)
            status = nt_integrator_create(&it, &setup, &error);
        if (status == NT_OK)
            status = nt_integrator_start(it, 0, NULL, NULL, NULL, &error);
        if (status == NT_OK)
            status = nt_integrator_run(it, 1e-3, 1e-6, NULL, NULL, &error);
        assert_int_not_equal(status, NT_OK);
        for (int k = 0; k < 3; k++)
            if (!strstr(error.message, cases[i].words[k]))
                fail_msg("'%s' is not in: %s", cases[i].words[k], error.message);
        nt_integrator_destroy(it);
        nt_run_destroy(run);
        nt_model_destroy(model);
    }
}

/* What is wrong with a number of a bearing is said where that number stands. */
static void wrong_numbers_are_told_where_they_stand(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *words;
        int line, column;
    } cases[] = {
        {"outer_groove: 0.4", "outer_groove is 0.4", 4, 17},
        {"traction: {slip: 0.05,\n   friction: -1}", "traction.friction is -1", 5, 14},
        {"cage: {mass: 1, inertia: [1, 1, 1],\n  pocket_clearance: -1e-4}",
         "cage.pocket_clearance is", 5, 21},
        {"outer_stiffness: 0", "outer_stiffness is 0, expected above 0", 4, 20},
        {"clearance: 0.1", "clearance is 0.1", 4, 14},
        {"outer_flaw: {width: 1e-3, depth: 1e-3}", "outer_flaw: its edge", 4, 36},
        {"outer_flaw: {width: 4,\n   depth: 1e-6}", "width is 4 rad, expected positive and at most",
         4, 23},
        {"inner_waviness: {orders: [3, 5], amplitudes: [1e-6]}",
         "inner_waviness: 2 orders, 1 amplitudes and 0 phases, expected as many of each", 4, 48},
        {"inner_waviness: {orders: [3, 5],\n   amplitudes: [1e-6, 1e-6], phases: [1]}",
         "2 orders, 2 amplitudes and 1 phases", 5, 38},
        {"outer_waviness: {orders: [3, -5], amplitudes: [1e-6, 1e-6]}",
         "order -5, expected a whole", 4, 28},
        {"outer_waviness: {orders: 1000, amplitudes: 1e-5}",
         "the race is as steep as 0.434783, expected less than 0.1", 4, 46},
        {"cage: {mass: 0, inertia: [1, 1, 1], pocket_clearance: 1e-4}",
         "cage.mass is 0, expected above 0", 4, 16},
        {"cage: {mass: 1, inertia: [1, 1, 3],\n   pocket_clearance: 1e-4}",
         "cage.inertia is 3, expected at least 0 and at most 2", 4, 28},
        {"cage: {mass: 1, inertia: [1, 1, 1], pocket_clearance: 1e-4, material:\n {nu: 0.4,\n  E: "
         "-1}}",
         "cage.material.E is -1, expected above 0", 6, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        nt_model *model = NULL;
        nt_error error = {0};
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies: {ring: {mass: 1, inertia: [1, 1, 1]}}\nbearings: {b: "
                 "{designation: \"6206\", outer: ground, inner: ring, at: [0, 0, 0], axis: [0, 0, "
                 "1],\n  %s}}\n",
                 cases[i].keys);
        assert_int_not_equal(
            nt_model_read_text(&model, text, strlen(text), "bearing", NULL, NULL, 0, &error),
            NT_OK);
        assert_non_null(strstr(error.message, cases[i].words));
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
        nt_model_destroy(model);
    }
}

/* Of sizes and defaults, what nobody gave is told. */
static void what_is_assumed_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *words[3];
    } cases[] = {
        {"designation: \"6206\"",
         {"9 balls of 9.525 mm on 46 mm: assumed",
          "grooves of 0.52 (assumed) inside and 0.52 (assumed) outside",
          "friction 0.05 (default), slip 0.05 m/s (default)"}},
        {"designation: \"6206\", ball_diameter: 9e-3, outer_groove: 0.53, clearance: 1e-5",
         {"9 balls of 9 mm (given) on 46 mm: the rest assumed", "0.53 outside",
          "clearance 10 um;"}},
        {"designation: \"218\", traction: {friction: 0.1, slip: 0.01}",
         {"published", "0.5232 (published) inside and 0.5232 (published) outside",
          "friction 0.1, slip 0.01 m/s;"}},
        {"designation: \"6206\", traction: {law: four_parameter, slip: 1e-6}",
         {"traction: four_parameter, curve -0.02, 0.25, 2, 0.02 (assumed), slip 1e-06 m/s;",
          "no lubricant", "no cage"}},
        {"designation: \"6206\", inner_shoulder: 0.3",
         {"shoulders of 0.3 and 0.2 (assumed), in ball", "damping 0.2 s/m (default); no lubricant",
          "; no cage"}},
        {"designation: \"6204\", damping: 1.5, lubricant: {viscosity: 0.0321, limit: 0.0712}, "
         "cage: {mass: 6.25e-3, inertia: [1.7e-6, 1.7e-6, 3.2e-6], pocket_clearance: 2e-4}",
         {"damping 1.5 s/m; lubricant 0.0321 Pa s, 2e-08/Pa (default), 5e+06 Pa (default), limit "
          "0.0712; ",
          "guided by the balls, friction 0.05 (default), slip 0.05 m/s (default), damping 0.5 s/m "
          "(default)",
          "shoulders of 0.2 (assumed) and 0.2 (assumed)"}},
        {"designation: \"6204\", ball_diameter: 7.98765e-3, restitution: {coefficient: 0.5, speed: "
         "0.1}, lubricant: {viscosity: 0.0321}, cage: {mass: 6e-3, inertia: [2e-6, 2e-6, 3e-6], "
         "pocket_clearance: 2e-4, friction: 0.1234, slip: 0.0123, damping: 0.1234}",
         {"slip 0.05 m/s (default); lubricant", "limit 0.08 (default); cage",
          "balls, friction 0.1234, slip 0.0123 m/s, damping 0.1234 s/m"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        nt_model *model = NULL;
        nt_error error = {0};
        bool found = false;
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies: {ring: {mass: 1, inertia: [1, 1, 1]}}\nbearings: {b: {outer: "
                 "ground, inner: ring, at: [0, 0, 0], axis: [0, 0, 1], %s}}\n",
                 cases[i].keys);
        assert_int_equal(
            nt_model_read_text(&model, text, strlen(text), "bearing", NULL, NULL, 0, &error),
            NT_OK);
        for (int k = 0; nt_model_remark(model, k, &error); k++) {
            bool all = true;
            for (int j = 0; j < 3; j++)
                all = all && strstr(error.message, cases[i].words[j]) != NULL;
            found = found || all;
        }
        assert_true(found);
        nt_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bearings_are_refused_in_words),
        cmocka_unit_test(deep_balls_are_named),
        cmocka_unit_test(wrong_numbers_are_told_where_they_stand),
        cmocka_unit_test(what_is_assumed_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
