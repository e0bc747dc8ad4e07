/* Contact evaluations per second and core, eight balls at a time: force, moments and places of the
 * inner race of a bearing 6206, for each law of traction; and whole bearings, with their bodies.
 * Millions per second, of processor time, the best of many rounds. */
#include "measure.h"
#include "model/bearings/lanes.h"
#include "model/contacts/hertz.h"

#include <nutate/nutate.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = 64, ROUNDS = 200, REPEATS = 40 };

static nt_ball_lanes balls[GROUPS];
static nt_push_lanes push[GROUPS];

static const nt_surface race = {
    .side = -1, .offset = 4.953e-3, .circle = 0.023188, .radius = 4.7625e-3};
static const nt_ring_pose ring = {.v = {0}, .w = {0, 0, 1047.2}, .axis = {0, 0, 1}};

static nt_touch_law steel(void)
{
    double curvature[2] = {1 / 4.7625e-3 + 0.9583 / (0.023 - 4.7625e-3 * 0.9583),
                           1 / 4.7625e-3 - 1 / 4.953e-3};
    double compliance = 2 * 0.91 / 207e9;
    nt_hertz h = nt_hertz_find(curvature, compliance, NT_HERTZ_EXACT);
    nt_touch_law law = {.stiffness = h.K,
                        .exponent = 1.5,
                        .damping = 0.2,
                        .semi_axis = h.semi_axis,
                        .ratio = h.ratio,
                        .spin_arm = 0.375 * h.semi_axis * h.E,
                        .rolling_slip = 1};
    law.traction = (nt_traction){.friction = 0.05,
                                 .slip = 0.05,
                                 .A = -0.02,
                                 .B = 0.25,
                                 .C = 2,
                                 .D = 0.02,
                                 .oil = {0.02, 2e-8, 5e6, 0.08}};
    nt_traction_film(&law.traction, 1 / curvature[0], 1 / curvature[1], compliance, h.K,
                     h.semi_axis, h.ratio);
    return law;
}

static void fill(void)
{
    for (int g = 0; g < GROUPS; g++)
        for (int l = 0; l < NT_LANES; l++) {
            double k = 1e-8 * (g * NT_LANES + l);
            balls[g].x[0].of[l] = 0.02299 - k, balls[g].x[2].of[l] = -5.6e-5;
            balls[g].v[1].of[l] = 9.65, balls[g].v[0].of[l] = 1e4 * k;
            balls[g].w[0].of[l] = 579, balls[g].w[2].of[l] = -1942;
        }
}

static double rate(nt_traction_law law, const nt_touch_law *touch)
{
    static const nt_lane level;
    static const double shoulder[2] = {0.6, 0.8};
    double least = 1e300;
    for (int r = 0; r < ROUNDS; r++) {
        double start = processor_seconds();
        for (int k = 0; k < REPEATS; k++) {
            for (int g = 0; g < GROUPS; g++)
                nt_lanes_race(law, false, NT_LANES_PUSH, NT_LANES, &race, touch, &ring, &balls[g],
                              &level, shoulder, &push[g], NULL);
            __asm__ volatile("" : : "r"(balls), "r"(push) : "memory"); /* read and written */
        }
        double t = processor_seconds() - start;
        least = t < least ? t : least;
    }
    return 1e-6 * REPEATS * GROUPS * NT_LANES / least;
}

/* Every lane has the bits of a contact alone. */
static void check_lanes(nt_traction_law law, const nt_touch_law *touch)
{
    nt_touch_kind kind = {NT_CIRCLE, law, .is_hertz = true, .spins = true};
    for (int g = 0; g < GROUPS; g++)
        for (int l = 0; l < NT_LANES; l++) {
            const nt_ball_lanes *b = &balls[g];
            v3 x = {b->x[0].of[l], b->x[1].of[l], b->x[2].of[l]};
            nt_touch_pose at = {.y = x,
                                .axis = ring.axis,
                                .arm_a = x,
                                .w_a = ring.w,
                                .v_b = {b->v[0].of[l], b->v[1].of[l], b->v[2].of[l]},
                                .w_b = {b->w[0].of[l], b->w[1].of[l], b->w[2].of[l]}};
            nt_touch t = nt_touch_of(kind, &race, touch, &at);
            double F[3] = {push[g].F[0].of[l], push[g].F[1].of[l], push[g].F[2].of[l]};
            require(t.N > 0 && memcmp(&t.F, F, sizeof F) == 0, "lane %d of group %d: other bits", l,
                    g);
        }
}

static const char bearing[] =
    "nutate: 1\n"
    "bodies: {shaft: {mass: 0.06, inertia: [1e-5, 1e-5, 1e-5], position: [0, 0, "
    "1.12144741295e-4],\n"
    "         angular_velocity: [0, 0, 1047.2]}}\n"
    "bearings: {b: {designation: \"6206\", outer: ground, inner: shaft, clearance: 1e-5,\n"
    "  points: [[0, 0, 0], [0, 0, 0]], axes: [[0, 0, 1], [0, 0, 1]],\n"
    "  cage: {mass: 6e-3, inertia: [1.7e-6, 1.7e-6, 3.2e-6], pocket_clearance: 2e-4}}}\n";

/* Residual of the whole model with its 27 contacts; millions of contacts per second. */
static double whole_rate(void)
{
    nt_model *model = NULL;
    nt_run *run = NULL;
    nt_error error = {0};
    double q[77], v[66], zero[66] = {0}, residual[66], least = 1e300;
    if (!require(nt_model_read_text(&model, bearing, strlen(bearing), "bearing", NULL, NULL, 0,
                                    &error) == NT_OK &&
                     nt_run_create(&run, model, &error) == NT_OK,
                 "%s", error.message))
        return 0;
    nt_run_initial(run, q, v, NULL);
    const nt_system *s = nt_run_system(run);
    nt_point at = {.q = q, .v = v, .vdot = zero, .lambda = zero, .mu = zero};
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = residual};
    for (int r = 0; r < ROUNDS; r++) {
        double start = processor_seconds();
        for (int k = 0; k < 1000; k++) {
            memset(residual, 0, sizeof residual);
            require(s->evaluate(s->self, &at, &terms) == NT_OK, "the bearing has no value");
        }
        double t = processor_seconds() - start;
        least = t < least ? t : least;
    }
    nt_run_destroy(run);
    nt_model_destroy(model);
    return 1e-6 * 1000 * 27 / least;
}

int main(void)
{
    static const char *const names[] = {"coulomb", "four_parameter", "film"};
    static const double targets[] = {60, 0, 45};
    nt_touch_law touch = steel();
    fill();
    for (int law = NT_TRACTION_COULOMB; law <= NT_TRACTION_FILM; law++) {
        printf("%-16s with spin %8.1f million contacts/s", names[law],
               rate((nt_traction_law)law, &touch));
        printf(targets[law] > 0 ? "  (wanted %g)\n" : "\n", targets[law]);
        check_lanes((nt_traction_law)law, &touch);
    }
    printf("%-26s %8.1f million contacts/s\n", "a bearing, all its terms", whole_rate());
    return failures() > 0;
}
