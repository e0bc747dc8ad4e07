/* Points: bodies without rotation. Tangents of everything that may act on them, at random places in
 * both frames; nothing that an element does to a point is lost; a point moves as a ball that
 * nothing turns; two of them on rods against the reference. What is refused is in
 * tests/input/models/point_*.yaml. */
#include "mechanism.h"
#include "random_point.h"

#include "base/vector3.h"
#include "system/problem.h"
#include "tests/read_run.h"

#include <float.h>

static const char bodies_text[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  p: {point: true, mass: 1.2, position: [0.9, 0.2, -0.3]}\n"
    "  a: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, -0.03, 0.01], center_of_mass: [0.1, -0.2, "
    "0.05],\n"
    "      position: [0.2, 0.4, -0.1], orientation: {rotation_vector: [0.3, -0.5, 0.2]}}\n"
    "  c: {mass: 3, inertia: [0.4, 0.4, 0.2], center_of_mass: [0, 0, 0.3], fixed_point: [0, 0, "
    "0],\n"
    "      orientation: {rotation_vector: [0.1, 0.2, -0.3]}}\n"
    "  o: {point: true, mass: 0.7, position: [-0.4, 0.6, 0.5]}\n"
    "markers: {m: {on: p}}\n"
    "initial: {correct: true}\n";

/* %s is A, B */
typedef struct element_case {
    const char *text;
    unsigned pairs; /* which of `pairs` */
    bool turns;     /* what it does to a point has a moment that is lost, see contacts below */
} element_case;

static const char *const pairs[] = {"a, p", "ground, p", "c, p", "p, a", "p, o"};
enum { N_PAIRS = 5, WITH_AXIS = 7, ALL = 31 };

static const element_case cases[] = {
    {"joints: {e: {type: spherical, between: [%s], at: [0.3, -0.2, 0.5]}}", ALL, false},
    {"joints: {e: {type: spherical, between: [%s], at: m, enforce: penalty, stiffness: 90, "
     "damping: 4}}",
     1 | 2 | 4 | 8, false},
    {"joints: {e: {type: distance, between: [%s], points: [[0, 0, 0], [0, 0, 0]]}}", ALL, false},
    {"joints: {e: {type: distance, between: [%s], points: [[0.1, 0.7, 0.2], [0, 0, 0]], "
     "length: 0.8, enforce: penalty, stiffness: 70, damping: 4}}",
     WITH_AXIS, false},
    {"joints: {e: {type: inline, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 1, 0]}}", WITH_AXIS,
     false},
    {"joints: {e: {type: inline, between: [%s], points: [[0.1, 0, 0.2], [0, 0, 0]], "
     "axis: [1, 1, 0], enforce: penalty, stiffness: 50, damping: 1}}",
     WITH_AXIS, false},
    {"joints: {e: {type: planar, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 2, -1]}}",
     WITH_AXIS, false},
    {"joints: {e: {type: prismatic, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 2, -1], "
     "motion: 0.1 - 0.1*cos(3*t)}}",
     WITH_AXIS, false},
    {"joints: {e: {type: prismatic, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 2, -1], "
     "friction: {dry: 2, viscous: 0.3, slip: 0.3}, limits: {upper: -5, stiffness: 4, damping: 2}}}",
     WITH_AXIS, false},
    {"joints: {j: {type: prismatic, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0]}}\n"
     "forces: {e: {type: joint_force, joint: j, value: 3 - 8*j.displacement - 2*j.rate}}",
     WITH_AXIS, false},
    {"forces: {e: {type: spring, between: [%s], stiffness: 40, damping: 3, length: 0.2}}", ALL,
     false},
    {"forces: {e: {type: spring, between: [%s], at: [[0.2, 0.1, 0], m], stiffness: 40, length: "
     "0.3}}",
     WITH_AXIS, false},
    {"forces: {e: {type: force, on: p, at: m, value: [3*a.position.x + t, "
     "a.angular_velocity.z*o.velocity.y, 2 - p.position.x*m.velocity.z]}}\n# %s",
     1, true},
    {"forces: {e: {type: force, on: a, frame: body, at: [1, 0, 0], value: [-0.3*p.velocity.x, "
     "p.velocity.y*o.position.z, 4]}}\n# %s",
     1, true},
    {"contacts: {e: {type: sphere_plane, between: [%s], plane: {point: [0.2, 0.1, -0.3], "
     "normal: [0.3, -0.2, 1]}, radius: 4, stiffness: 20, damping: 0.4}}",
     WITH_AXIS, false},
    {"contacts: {e: {type: sphere_plane, between: [%s], plane: {normal: [0.3, -0.2, 1]}, "
     "radius: 4, stiffness: 20, damping: 0.4, friction: {coefficient: 0.6, slip: 0.3}}}",
     WITH_AXIS, true},
    {"contacts: {e: {type: sphere_sphere, between: [%s], radii: [3, 2], stiffness: 15, "
     "exponent: 2.2, damping: 0.7, part: implicit}}",
     ALL, false},
    {"contacts: {e: {type: sphere_sphere, between: [%s], radii: [3, 2], stiffness: 15, "
     "friction: {coefficient: 0.3, slip: 0.5}}}",
     ALL, true},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* The model of a case; NULL where the case is not for the pair. */
static nt_run *read_case(const element_case *c, int pair, char *text, size_t size)
{
    nt_error error;
    nt_run *run = NULL;
    const char *mark = strstr(c->text, "%s");
    if (!(c->pairs >> pair & 1))
        return NULL;
    assert_non_null(mark);
    snprintf(text, size, "%s%.*s%s%s\n", bodies_text, (int)(mark - c->text), c->text, pairs[pair],
             mark + 2);
    if (read_run_text(&run, text, strlen(text), "case", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s\n%s", error.message, text);
    return run;
}

enum { ROOM = 200 };

/* ---- tangents ------------------------------------------------------------------------------- */

/* As in test_elements.c: far above what differences with a step of 1e-6 leave, far below any
 * missing term. */
static const double TANGENT = 1e-7;

static void tangents_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < N_CASES; i++)
        for (int k = 0; k < N_PAIRS; k++) {
            char text[4000];
            double memory[ROOM];
            unsigned seed = 17u * (unsigned)i + (unsigned)k;
            nt_error error;
            nt_run *run = read_case(&cases[i], k, text, sizeof text);
            for (int trial = 0; run && trial < 6; trial++) {
                nt_point at = random_point(run, &seed, memory);
                nt_problem *problem;
                double off;
                nt_frame frame = trial % 2 ? NT_BODY : NT_INERTIAL;
                assert_int_equal(nt_problem_create(&problem, nt_run_system(run), frame, &error),
                                 NT_OK);
                assert_int_equal(nt_problem_check_tangent(problem, &at, 1e-6, &off, &error), NT_OK);
                nt_problem_destroy(problem);
                if (!(off < TANGENT))
                    fail_msg("tangent is off by %.3g\n%s", off, text);
            }
            destroy_run(run);
        }
}

/* ---- action and reaction -------------------------------------------------------------------- */

/* Forces between bodies that move are pairs: what they do to a point is met by the other body to
 * the last moment. A ball that is a point and is rubbed loses the moment of friction about its
 * centre; that one is looked for. */
static void nothing_is_lost(void **state)
{
    (void)state;
    for (int i = 0; i < N_CASES; i++)
        for (int k = 0; k < N_PAIRS; k++) {
            char text[4000];
            double memory[ROOM], residual[40] = {0}, v0[40], kept[4];
            unsigned seed = 5u * (unsigned)i + (unsigned)k;
            bool between_moving = k == 0 || k >= 3, single = strchr(cases[i].text, '#') != NULL;
            nt_run *run =
                between_moving && !single ? read_case(&cases[i], k, text, sizeof text) : NULL;
            if (!run)
                continue;
            const nt_system *s = nt_run_system(run);
            nt_point at = random_point(run, &seed, memory);
            nt_run_initial(run, memory, v0, kept); /* where the joints hold */
            nt_terms terms = {.parts = NT_EXPLICIT | NT_IMPLICIT | NT_REACTIONS,
                              .residual = residual};
            assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
            v3 force = {0, 0, 0}, moment = {0, 0, 0};
            double size = 0;
            for (int b = 0; b < s->space.n_blocks; b++) {
                const nt_block *block = &s->space.blocks[b];
                if (block->kind == NT_SO3) /* c, which is not in the pair */
                    continue;
                v3 f = v3_load(residual + block->v);
                force = v3_add(force, f);
                moment = v3_add(moment, v3_cross(v3_load(at.q + block->q), f));
                if (block->rotation >= 0)
                    moment = v3_add(moment, v3_load(residual + block->v + 3));
                size = fmax(size, v3_norm(f));
            }
            /* sums of a few terms of that size, at arms of a metre */
            double rounding = 30 * DBL_EPSILON * size;
            if (!(size > 0.01))
                fail_msg("there is no force\n%s", text);
            if (!(v3_norm(force) <= rounding))
                fail_msg("a force of %.3g N is lost\n%s", v3_norm(force), text);
            if (!cases[i].turns == !(v3_norm(moment) <= rounding))
                fail_msg("a moment of %.3g N m is left over\n%s", v3_norm(moment), text);
            destroy_run(run);
        }
}

/* ---- a ball that nothing turns -------------------------------------------------------------- */

static const char balls_text[] =
    "nutate: 1\n"
    "bodies:\n"
    "  base: {mass: 2, inertia: [0.3, 0.2, 0.1], angular_velocity: [0.4, 1, 0.2]}\n"
    "  p: {mass: 1, position: [1, 0, 0.3], velocity: [0, 0.5, 0]%s}\n"
    "  o: {mass: 0.5, position: [1.6, 0.4, 0.5], velocity: [0, 0, 1]%s}\n"
    "joints:\n"
    "  wire: {type: inline, between: [base, p], at: [1, 0, 0.3], axis: [1, 0, 0.3]}\n"
    "  rod: {type: distance, between: [p, o], points: [[0, 0, 0], [0, 0, 0]]}\n"
    "forces:\n"
    "  cord: {type: spring, between: [base, o], at: [[0, 0.5, 0], [1.6, 0.4, 0.5]], stiffness: "
    "40,\n"
    "         damping: 0.3}\n"
    "  drag: {type: force, on: p, value: ['-0.2*p.velocity.x', '-0.1*o.velocity.y', 0]}\n"
    "contacts:\n"
    "  floor: {type: sphere_plane, between: [ground, o], plane: {point: [0, 0, 0.4], normal: [0, "
    "0, "
    "1]},\n"
    "          radius: 0.2, stiffness: 500, damping: 0.1}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* The same equations but for those of the balls' rotations: the same motion to what Newton's method
 * leaves in 1000 steps. */
static void as_a_ball_that_nothing_turns(void **state)
{
    (void)state;
    char text[2000];
    double end[2][6], reaction[2][3];
    for (int k = 0; k < 2; k++) {
        const char *kind = k ? ", point: true" : ", inertia: [0.2, 0.2, 0.2]";
        snprintf(text, sizeof text, balls_text, kind, kind);
        mechanism m = mechanism_open(text);
        mechanism_run(&m, 1, 1e-3);
        mechanism_get(&m, "p.position", end[k]);
        mechanism_get(&m, "o.position", end[k] + 3);
        mechanism_get(&m, "rod.force", reaction[k]);
        mechanism_close(&m);
    }
    for (int i = 0; i < 6; i++)
        CLOSE(end[1][i], end[0][i], 1e-9);
    for (int i = 0; i < 3; i++)
        CLOSE(reaction[1][i], reaction[0][i], 1e-6);
}

/* ---- double pendulum ------------------------------------------------------------------------ */

static const char pendulum_text[] =
    "nutate: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  upper: {point: true, mass: 1, position: [1, 0, 0]}\n"
    "  lower: {point: true, mass: 1, position: [2, 0, 0]}\n"
    "joints:\n"
    "  upper_rod: {type: distance, between: [ground, upper], points: [[0, 0, 0], [0, 0, 0]]}\n"
    "  lower_rod: {type: distance, between: [upper, lower], points: [[0, 0, 0], [0, 0, 0]]}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* Two points on rods from the horizontal. Angles from the vertical, from the two equations of the
 * angles by Runge and Kutta's method in 40000 steps. The errors are the method's own at these
 * steps, of order 2. */
static void double_pendulum(void **state)
{
    (void)state;
    static const double angle[2][2] = {{-.6250876998, -1.0345850857},
                                       {-.62718670507, -1.30131555021}};
    double error[2][2];
    for (int k = 0; k < 2; k++) {
        mechanism m = mechanism_open(pendulum_text);
        nt_model_counts counts = nt_model_count(nt_run_model(m.run));
        assert_int_equal(counts.points, 2);
        assert_int_equal(counts.velocities, 6);
        assert_int_equal(counts.velocities - counts.holonomic + counts.redundant, 4);
        for (int i = 0; i < 2; i++) {
            double upper[3], lower[3];
            mechanism_run(&m, i == 0 ? 1 : 5, k == 0 ? 1e-3 : 5e-4);
            mechanism_get(&m, "upper.position", upper);
            mechanism_get(&m, "lower.position", lower);
            double a = atan2(upper[0], -upper[1]);
            double b = atan2(lower[0] - upper[0], upper[1] - lower[1]);
            error[k][i] = hypot(a - angle[i][0], b - angle[i][1]);
        }
        assert_true(nt_integrator_statistics(m.integrator)->fallbacks == 0);
        mechanism_close(&m);
    }
    for (int i = 0; i < 2; i++)
        CLOSE(log2(error[0][i] / error[1][i]), 2, 0.1);
    assert_true(error[1][1] < 1e-4);
}

/* ---- nets of rods --------------------------------------------------------------------------- */

/* side x side points in a plane, a metre apart, rods between neighbours; with braces, rods across
 * every square and everything held in the plane. */
static nt_run *net(int side, bool braced)
{
    static const int step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    size_t room = 1000 + 400 * (size_t)(side * side), used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    used += (size_t)snprintf(text, room, "nutate: 1\nbodies:\n");
    for (int i = 0; i < side * side; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 "  p%d: {point: true, mass: 0.1, position: [%d, %d, 0]}\n", i,
                                 i % side, i / side);
    used += (size_t)snprintf(
        text + used, room - used,
        "joints:\n  hook: {type: spherical, between: [ground, p0], at: [0, 0, 0]}\n");
    for (int i = 0; i < side * side; i++) {
        if (braced && i > 0)
            used += (size_t)snprintf(text + used, room - used,
                                     "  t%d: {type: planar, between: [ground, p%d], "
                                     "at: [0, 0, 0], axis: [0, 0, 1]}\n",
                                     i, i);
        for (int k = 0; k < (braced ? 4 : 2); k++) {
            int x = i % side + step[k][0], y = i / side + step[k][1];
            if (x < side && y >= 0 && y < side)
                used += (size_t)snprintf(text + used, room - used,
                                         "  r%d-%d: {type: distance, between: [p%d, p%d], "
                                         "points: [[0, 0, 0], [0, 0, 0]]}\n",
                                         i, k, i, x + side * y);
        }
    }
    assert_true(used < room);
    nt_run *run;
    nt_error error = {0};
    if (read_run_text(&run, text, used, "net", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    free(text);
    return run;
}

/* Rods along lines that cross do not depend on each other, loops or not. With braces the net is one
 * piece that can turn about its hook, and all equations beyond that are superfluous: 2 side^2 - 3
 * are needed besides the hook's and the plane's. */
static void rods_of_nets_are_counted(void **state)
{
    (void)state;
    for (int side = 2; side <= 9; side++) {
        nt_run *run = net(side, false);
        nt_model_counts n = nt_model_count(nt_run_model(run));
        assert_int_equal(n.velocities, 3 * side * side);
        assert_int_equal(n.holonomic, 3 + 2 * side * (side - 1));
        assert_int_equal(n.redundant, 0);
        destroy_run(run);
    }
    for (int side = 2; side <= 5; side++) {
        nt_run *run = net(side, true);
        nt_model_counts n = nt_model_count(nt_run_model(run));
        assert_int_equal(n.velocities - n.holonomic + n.redundant, 1);
        destroy_run(run);
    }
}

/* A flat net of 81 points falls about its hook. The block solver needs no help in its loops, every
 * rod keeps its length to rounding, and the energy its value: of 15 J that have become
 * motion 2.4e-6 J are missing at this step. */
static void a_net_falls(void **state)
{
    (void)state;
    mechanism m = {.run = net(9, false)};
    const nt_system *s = nt_run_system(m.run);
    m.q = calloc((size_t)(s->space.nq + s->space.nv), sizeof(double));
    assert_non_null(m.q);
    m.v = m.q + s->space.nq;
    nt_run_initial(m.run, m.q, m.v, NULL);
    mechanism_start(&m, NULL, 0, NT_INERTIAL);
    double before[4], after[4];
    mechanism_get(&m, "energy", before);
    mechanism_run(&m, 0.2, 1e-3);
    mechanism_get(&m, "energy", after);
    const nt_statistics *statistics = nt_integrator_statistics(m.integrator);
    assert_int_equal(statistics->fallbacks, 0);
    assert_int_equal(statistics->rejected, 0);
    assert_true(statistics->position_drift < 1e-14);
    assert_true(after[0] > 1);
    CLOSE(after[2], before[2], 3e-6);
    mechanism_close(&m);
}

/* ---- assembly ------------------------------------------------------------------------------- */

/* A point whose place the file leaves out is put where its joint is, at the end of a rod below it.
 * Without a list of records it has no orientation among them. */
static void a_place_is_found(void **state)
{
    (void)state;
    mechanism m =
        mechanism_read("nutate: 1\n"
                       "bodies:\n"
                       "  hook: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 2]}\n"
                       "  bob: {point: true, mass: 1}\n"
                       "  lead: {point: true, mass: 1}\n"
                       "joints:\n"
                       "  hold: {type: fixed, between: [ground, hook], at: [0, 0, 2]}\n"
                       "  tip: {type: spherical, between: [hook, bob], points: [[0.3, 0, -1], [0, "
                       "0, 0]]}\n"
                       "  line: {type: distance, between: [bob, lead], points: [[0, 0, 0], [0, 0, "
                       "0]], length: 0.6}\n"
                       "simulation: {duration: 1, step: 1e-3}\n");
    const nt_simulation *simulation = nt_model_simulation(nt_run_model(m.run));
    static const char *const record[] = {"hook.position", "hook.orientation", "bob.position",
                                         "lead.position", "energy"};
    assert_int_equal(simulation->n_record, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(simulation->record[i], record[i]);
    mechanism_start(&m, NULL, 0, NT_INERTIAL);
    double x[3];
    mechanism_get(&m, "bob.position", x);
    CLOSE(x[0], 0.3, 1e-14);
    CLOSE(x[2], 1, 1e-14);
    mechanism_get(&m, "lead.position", x);
    CLOSE(x[0], 0.3, 1e-14);
    CLOSE(x[2], 0.4, 1e-14);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_exact),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(as_a_ball_that_nothing_turns),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(rods_of_nets_are_counted),
        cmocka_unit_test(a_net_falls),
        cmocka_unit_test(a_place_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
