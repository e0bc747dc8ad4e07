/* Mechanisms beside the examples: chains of a few links against reference values, reactions of
 * redundant joints, singular positions at many distances. */
#include "tests/read_run.h"

#include <math.h>
#include <nutate/nutate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct motion {
    nt_run *run;
    nt_integrator *it;
    double *reactions;
} motion;

static void ok(nt_status status, const nt_error *error)
{
    if (status != NT_OK)
        fail_msg("%s", error->message);
}

/* model read already: integrator at its initial values */
static void begin(motion *m)
{
    nt_error error;
    const nt_simulation *simulation = nt_model_simulation(nt_run_model(m->run));
    const nt_system *system = nt_run_system(m->run);
    nt_integrator_setup setup = {.system = system,
                                 .method = nt_method_find(simulation->method),
                                 .options = simulation->options,
                                 .n_options = simulation->n_options,
                                 .frame = simulation->frame};
    ok(nt_integrator_create(&m->it, &setup, &error), &error);
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    double *q = calloc(nq + nv + (size_t)system->n_memory, sizeof *q);
    m->reactions = calloc((size_t)(system->nh + system->nn) + 1, sizeof *q);
    assert_true(q && m->reactions);
    nt_run_initial(m->run, q, q + nq, q + nq + nv);
    ok(nt_integrator_start(m->it, simulation->start, q, q + nq, q + nq + nv, &error), &error);
    free(q);
}

static void end(motion *m)
{
    nt_integrator_destroy(m->it);
    destroy_run(m->run);
    free(m->reactions);
}

static motion open_example(const char *name, const nt_setting *settings, int n_settings)
{
    nt_error error;
    char path[1024];
    motion m;
    snprintf(path, sizeof path, NUTATE_SOURCE_DIR "/examples/%s/%s.yaml", name, name);
    ok(read_run(&m.run, path, settings, n_settings, &error), &error);
    begin(&m);
    return m;
}

static void run(motion *m, double t, double h)
{
    nt_error error;
    ok(nt_integrator_run(m->it, t, h, NULL, NULL, &error), &error);
}

static void sample(motion *m, const char *name, double *out)
{
    nt_error error;
    nt_quantity_info info;
    nt_state state = nt_integrator_state(m->it);
    ok(nt_model_quantity(nt_run_model(m->run), name, &info, &error), &error);
    ok(nt_integrator_reactions(m->it, &state, nt_run_length(m->run), m->reactions, &error), &error);
    ok(nt_run_sample(m->run, &info, &state, m->reactions, out, &error), &error);
}

/* ---- chains --------------------------------------------------------------------------------- */

/* N links along x, released from rest but for a spin about their own axis. */
typedef struct chain {
    const char *joint; /* type and axis                */
    double length, mass, along, across, spin;
    int n;
    double t, tip[3], h; /* reference; the larger of two steps  */
} chain;

static motion open_chain(const chain *c)
{
    static char text[16384];
    nt_error error;
    motion m;
    int at = snprintf(text, sizeof text, "nutate: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < c->n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  b%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, 0, "
                       "0], angular_velocity: [%g, 0, 0]}\n",
                       i, c->mass, c->along, c->across, c->across, (i + 0.5) * c->length, c->spin);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "markers:\n  tip: {on: b%d, at: [%.17g, 0, 0]}\njoints:\n", c->n - 1,
                   c->length / 2);
    for (int i = 0; i < c->n; i++) {
        char before[24] = "ground";
        if (i > 0)
            snprintf(before, sizeof before, "b%d", i - 1);
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  j%d: {type: %s, between: [%s, b%d], at: [%.17g, 0, 0]}\n", i, c->joint,
                       before, i, i * c->length);
    }
    assert_true(at < (int)sizeof text);
    ok(read_run_text(&m.run, text, (size_t)at, "chain", NULL, NULL, 0, &error), &error);
    begin(&m);
    return m;
}

static double chain_error(const chain *c, double h)
{
    motion m = open_chain(c);
    double tip[3], sum = 0;
    run(&m, c->t, h);
    sample(&m, "tip.position", tip);
    for (int i = 0; i < 3; i++)
        sum += (tip[i] - c->tip[i]) * (tip[i] - c->tip[i]);
    end(&m);
    return sqrt(sum);
}

/* Rods on hinges: equations of the angles; links on balls: equations of the orientations; both
 * by an order-8 method at a tolerance of 1e-12. Steps where the error is still far above that. */
static void chains_of_order_2(void **state)
{
    (void)state;
    const char *hinge = "revolute, axis: [0, 0, 1]", *ball = "spherical";
    const chain chains[] = {
        {hinge, 1, 1, 0, 1.0 / 12, 0, 2, 2, {.31352477645, -1.91474661756, 0}, 2e-3},
        {hinge, 1, 1, 0, 1.0 / 12, 0, 4, 2, {-3.458328190813, -.360124130094, 0}, 1e-3},
        {ball,
         .25,
         .078125,
         8.138020833e-6,
         4.109700521e-4,
         5,
         8,
         1,
         {-1.763415610870, -.928910798950, -9.646982648e-5},
         1e-3},
    };
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        const chain *c = &chains[i];
        double coarse = chain_error(c, c->h), fine = chain_error(c, c->h / 2);
        double order = log2(coarse / fine);
        print_message("chain of %d: error %.3g, %.3g, order %.3f\n", c->n, coarse, fine, order);
        assert_true(fabs(order - 2) < 0.1);
        assert_true(coarse < 5e-3 * c->n); /* 0.5 % of the chain's length, of 1 m links */
    }
}

/* ---- reactions of redundant joints ---------------------------------------------------------- */

/* Reactions of least norm must still balance the bodies: R(vdot, v, q, reactions) = 0. */
static double imbalance(motion *m)
{
    const nt_system *system = nt_run_system(m->run);
    nt_state s = nt_integrator_state(m->it);
    double force[3], worst = 0;
    double *r = calloc((size_t)system->space.nv, sizeof *r);
    assert_non_null(r);
    sample(m, "foot1.force", force);
    nt_point at = {.t = s.t,
                   .q = s.q,
                   .v = s.v,
                   .vdot = s.vdot,
                   .lambda = m->reactions,
                   .mu = m->reactions + system->nh,
                   .memory = s.memory};
    nt_terms terms = {.parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = r};
    assert_int_equal(system->evaluate(system->self, &at, &terms), NT_OK);
    for (int i = 0; i < system->space.nv; i++)
        worst = fmax(worst, fabs(r[i]));
    free(r);
    return worst;
}

/* Both ends of the four-bar carry the same load, by symmetry of its equations about the middle, and
 * nothing points out of the plane. */
static void reactions_are_symmetric(void **state)
{
    (void)state;
    motion m = open_example("four_bar", NULL, 0);
    for (int k = 1; k <= 5; k++) {
        double first[3], last[3], middle[3], torque[3];
        run(&m, 0.2 * k, 1e-3);
        assert_true(imbalance(&m) < 1e-5); /* N; tolerance_relative of forces of some 100 N */
        sample(&m, "foot1.force", first);
        sample(&m, "foot2.force", middle);
        sample(&m, "foot3.force", last);
        sample(&m, "foot1.torque", torque);
        print_message("t = %g: feet (%.6f, %.6f), (%.6f, %.6f), (%.6f, %.6f), imbalance %.2g\n",
                      0.2 * k, first[0], first[1], middle[0], middle[1], last[0], last[1],
                      imbalance(&m));
        for (int i = 0; i < 2; i++)
            assert_true(fabs(first[i] - last[i]) < 1e-4); /* N; the weak direction amplifies */
        assert_true(fabs(first[2]) + fabs(torque[0]) + fabs(torque[1]) < 1e-9);
    }
    end(&m);
}

/* Looking at reactions does not change the motion. */
static void reactions_leave_the_motion(void **state)
{
    (void)state;
    double seen[3], unseen[3], force[3];
    motion a = open_example("four_bar", NULL, 0), b = open_example("four_bar", NULL, 0);
    for (int k = 1; k <= 100; k++) {
        run(&a, 0.01 * k, 1e-3);
        run(&b, 0.01 * k, 1e-3);
        sample(&a, "foot1.force", force);
    }
    sample(&a, "top1.position", seen);
    sample(&b, "top1.position", unseen);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(seen[i] - unseen[i]) < 1e-11); /* rounding, of another linear solver */
    end(&a);
    end(&b);
}

/* ---- singular positions --------------------------------------------------------------------- */

/* Passages at distances from 1e-2 down to 1e-6 rad. No step may be lost there, and no constraint.
 * The small steps end very near the line position. */
static void passes_singular_positions(void **state)
{
    (void)state;
    static const struct {
        double step, end;
    } runs[] = {{2e-2, 30}, {5e-3, 30}, {6.5e-4, 3.3}, {5.5e-4, 3.3}, {3e-4, 0.9}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        motion m = open_example("four_bar", NULL, 0);
        double energy[4], h = runs[i].step;
        run(&m, runs[i].end, h);
        sample(&m, "energy", energy);
        const nt_statistics *s = nt_integrator_statistics(m.it);
        print_message("step %g: rejected %ld, rows chosen anew %ld, drift %.2g, energy %.6f\n", h,
                      s->rejected, s->rank_changes, s->position_drift, energy[2]);
        assert_true(s->rejected == 0);
        assert_true(s->position_drift < 1e-10);
        /* J; 930 h^2 measured, and 1e-4 lost at a landing within 3e-4 rad of the line */
        assert_true(fabs(energy[2] - 35.835) < 1000 * h * h + 2e-4);
        end(&m);
    }
}

/* On the line at the start: eight redundant equations there, six from then on. The uprights stay
 * parallel and turn back where all kinetic energy, (3/6 + 2/2) w^2, is used up: at
 * sin = 13.5/(9.81 (3/2 + 2)). */
static void starts_at_a_singular_position(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "parameters: {rod: 1/12, w: 3}\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  u1: {mass: 1, inertia: [0, rod, rod], position: [0.5, 0, 0], angular_velocity: [0, 0, "
        "w]}\n"
        "  u2: {mass: 1, inertia: [0, rod, rod], position: [1.5, 0, 0], angular_velocity: [0, 0, "
        "w]}\n"
        "  u3: {mass: 1, inertia: [0, rod, rod], position: [2.5, 0, 0], angular_velocity: [0, 0, "
        "w]}\n"
        "  b1: {mass: 1, inertia: [0, rod, rod], position: [1.5, 0, 0], angular_velocity: [0, 0, "
        "0]}\n"
        "  b2: {mass: 1, inertia: [0, rod, rod], position: [2.5, 0, 0], angular_velocity: [0, 0, "
        "0]}\n"
        "joints:\n"
        "  f1: {type: revolute, between: [ground, u1], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  f2: {type: revolute, between: [ground, u2], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  f3: {type: revolute, between: [ground, u3], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "  c1: {type: revolute, between: [u1, b1], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  c2: {type: revolute, between: [b1, u2], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "  c3: {type: revolute, between: [u2, b2], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "  c4: {type: revolute, between: [b2, u3], at: [3, 0, 0], axis: [0, 0, 1]}\n";
    nt_error error;
    motion m;
    ok(read_run_text(&m.run, text, sizeof text - 1, "line", NULL, NULL, 0, &error), &error);
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 8);
    begin(&m);
    double angle[3], energy[4], highest = 0;
    for (int k = 1; k <= 300; k++) {
        run(&m, 2e-3 * k, 2e-3);
        sample(&m, "f1.angle", &angle[0]);
        sample(&m, "f2.angle", &angle[1]);
        sample(&m, "f3.angle", &angle[2]);
        assert_true(fabs(angle[0] - angle[1]) + fabs(angle[0] - angle[2]) < 1e-5);
        highest = fmax(highest, angle[0]);
    }
    sample(&m, "energy", energy);
    assert_true(fabs(energy[2] - 13.5) < 1e-3);
    assert_true(fabs(sin(highest) - 13.5 / (9.81 * 3.5)) < 1e-4);
    assert_int_equal(nt_integrator_redundant(m.it, NULL, 0), 6);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_order_2),
        cmocka_unit_test(reactions_are_symmetric),
        cmocka_unit_test(reactions_leave_the_motion),
        cmocka_unit_test(passes_singular_positions),
        cmocka_unit_test(starts_at_a_singular_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
