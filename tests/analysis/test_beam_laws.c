/* What holds for every beam, at random states: forces turn with the beam, the way of loading does
 * not matter, the stiffness is symmetric in equilibrium and what rates add in a steady rotation is
 * skew; one element of rising order converges spectrally; frames with branches are one structure.
 */
#include "analysis/bench.h"
#include "linalg/pattern.h"

/* A corner, a section that changes, twist, and a centre of mass off the line. */
static const char bent[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {A: 0, B: 0}\n"
    "beams:\n"
    "  beam:\n"
    "    points: [[0, 0, 0], [2, 0.3, 0], [2, 1.5, 1]]\n"
    "    twist: [[0, 0.2], [1, -0.7]]\n"
    "    order: 3\n"
    "    sections:\n"
    "      - {stiffness: [900, 500, 400, 60, 80, 70], mass: [1.5, 1.5, 1.5, 0.3, 0.2, 0.1],\n"
    "         point: [0, 0.03, -0.02]}\n"
    "      - {at: 1, stiffness: [700, 400, 300, 50, 60, 50],\n"
    "         mass: [1, 1, 1, 0.2, 0.1, 0.1], point: [0, 0.04, 0.03]}\n"
    "%s"
    "simulation: {duration: 1, step: 1e-2}\n";

static const char clamped[] = "joints: {clamp: {type: fixed, between: [ground, beam.root]}}\n"
                              "forces: {a: {type: force, on: beam.tip, value: [0, 0, A]},\n"
                              "  b: {type: force, on: beam.tip, value: [B, -B, 0]}}\n";

enum { MOST = 120 }; /* entries of v of this beam, and 6 multipliers */

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

typedef struct beam {
    nt_model *model;
    nt_run *run;
    const nt_system *s;
    double q[2 * MOST], v[MOST], vdot[MOST], zero[MOST];
    nt_point at;
} beam;

/* Free, bent and turned at random. */
static void open_free(beam *b, unsigned seed)
{
    char text[2000];
    nt_error error = {0};
    double turn[MOST];
    snprintf(text, sizeof text, bent, "");
    *b = (beam){0};
    if (nt_model_read_text(&b->model, text, strlen(text), "bent", NULL, NULL, 0, &error) ||
        nt_run_create(&b->run, b->model, &error))
        fail_msg("%s", error.message);
    b->s = nt_run_system(b->run);
    assert_true(b->s->space.nv <= MOST);
    nt_run_initial(b->run, b->q, b->v, NULL);
    for (int i = 0; i < b->s->space.nv; i++)
        turn[i] = 0.2 * next(&seed);
    nt_space_compose(&b->s->space, NT_INERTIAL, b->q, turn, b->q);
    memset(b->v, 0, sizeof b->v);
    b->at = (nt_point){.q = b->q, .v = b->v, .vdot = b->vdot, .lambda = b->zero, .mu = b->zero};
}

static void close_free(beam *b)
{
    nt_run_destroy(b->run);
    nt_model_destroy(b->model);
}

static void turn_vector(const double r[4], const double *x, double *to)
{
    const double w = r[0], *u = r + 1;
    const double t[3] = {u[1] * x[2] - u[2] * x[1], u[2] * x[0] - u[0] * x[2],
                         u[0] * x[1] - u[1] * x[0]};
    const double c[3] = {u[1] * t[2] - u[2] * t[1], u[2] * t[0] - u[0] * t[2],
                         u[0] * t[1] - u[1] * t[0]};
    for (int i = 0; i < 3; i++)
        to[i] = x[i] + 2 * (w * t[i] + c[i]);
}

static void elastic(const beam *b, double *R, double *energy)
{
    nt_energy e;
    nt_terms terms = {.parts = NT_IMPLICIT, .residual = R};
    memset(R, 0, MOST * sizeof *R);
    assert_int_equal(b->s->evaluate(b->s->self, &b->at, &terms), NT_OK);
    assert_int_equal(b->s->energy(b->s->self, &b->at, &e), NT_OK);
    *energy = e.potential;
}

static double largest(const double *x, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

/* The bent beam moved and turned by 2 rad: the same energy, forces and moments turned. */
static void test_objective(void **state)
{
    const double axis[3] = {1.2, -1.1, 1.163};
    double turn[4], R[MOST], moved[MOST], energy, after;
    (void)state;
    nt_so3_exp(axis, turn);
    for (unsigned seed = 1; seed < 6; seed++) {
        beam b;
        open_free(&b, seed);
        elastic(&b, R, &energy);
        for (int k = 0; k < b.s->space.n_blocks; k++) {
            double *x = b.q + b.s->space.blocks[k].q, place[3], r[4];
            turn_vector(turn, x, place);
            for (int i = 0; i < 3; i++)
                x[i] = place[i] + 3 - i;
            const double *p = turn, *q = x + 3;
            r[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
            r[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
            r[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
            r[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
            memcpy(x + 3, r, sizeof r);
        }
        elastic(&b, moved, &after);
        double size = largest(R, b.s->space.nv);
        is_close("energy", after / energy, 1, 1e-13);
        for (int i = 0; i + 2 < b.s->space.nv; i += 3) {
            double turned[3];
            turn_vector(turn, R + i, turned);
            for (int k = 0; k < 3; k++)
                is_close("force", moved[i + k], turned[k], 1e-13 * size);
        }
        close_free(&b);
    }
}

/* The tangent of a combination, as rows. */
static void tangent(const nt_system *s, const nt_point *at, const nt_combination *c, double *dense)
{
    nt_matrix matrix;
    nt_terms terms = {.parts = NT_ALL_PARTS, .matrix = &matrix, .combination = c};
    double rows[MOST];
    terms.rows = rows;
    assert_int_equal(nt_matrix_init(&matrix, s->pattern), NT_OK);
    nt_matrix_zero(&matrix);
    assert_int_equal(s->evaluate(s->self, at, &terms), NT_OK);
    nt_matrix_dense(&matrix, dense);
    nt_matrix_free(&matrix);
}

/* Velocities v = w x x and rates w of every node: C + M D with D = diag(2 w~, w~) of a node is
 * skew, so that rates do no work in axes that turn along. */
static void test_gyroscopic_part_is_skew(void **state)
{
    static double C[MOST * MOST], M[MOST * MOST], G[MOST * MOST];
    const double w[3] = {0.7, -1.1, 0.4};
    (void)state;
    for (unsigned seed = 1; seed < 6; seed++) {
        beam b;
        open_free(&b, seed);
        int n = b.s->space.nv;
        for (int k = 0; k < b.s->space.n_blocks; k++) {
            const double *x = b.q + b.s->space.blocks[k].q;
            double *v = b.v + b.s->space.blocks[k].v;
            v[0] = w[1] * x[2] - w[2] * x[1], v[1] = w[2] * x[0] - w[0] * x[2];
            v[2] = w[0] * x[1] - w[1] * x[0];
            memcpy(v + 3, w, sizeof w);
        }
        nt_combination of_rates = {.damping = 1}, of_accelerations = {.mass = 1};
        tangent(b.s, &b.at, &of_rates, C);
        tangent(b.s, &b.at, &of_accelerations, M);
        const double skew[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double factor = j % 6 < 3 ? 2 : 1, sum = C[i * n + j];
                for (int k = 0; k < 3; k++)
                    sum += factor * M[i * n + j - j % 3 + k] * skew[k][j % 3];
                G[i * n + j] = sum;
            }
        double size = largest(G, n * n), off = 0;
        assert_true(size > 1e-3);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                off = fmax(off, fabs(G[i * n + j] + G[j * n + i]));
        is_close("symmetric part", off / size, 0, 1e-13);
        close_free(&b);
    }
}

/* ---- static states --------------------------------------------------------------------------- */

static void open_clamped(bench *b)
{
    char text[2000];
    snprintf(text, sizeof text, bent, clamped);
    open_bench(b, text, (nt_static_setup){0});
}

static void load(bench *b, double A, double B)
{
    if (nt_model_set(b->run, "A", A, &b->error) || nt_model_set(b->run, "B", B, &b->error))
        fail_msg("%s", b->error.message);
    solve(b);
}

static void test_stiffness_is_symmetric(void **state)
{
    static double K[MOST * MOST];
    bench b;
    (void)state;
    open_clamped(&b);
    load(&b, 15, -12);
    int n = b.system->space.nv, all = n + b.system->nh;
    nt_state at = nt_static_state(b.state);
    nt_point point = {.q = at.q,
                      .v = at.v,
                      .vdot = at.vdot,
                      .lambda = at.lambda,
                      .mu = at.mu,
                      .memory = at.memory};
    nt_combination c = {.stiffness = 1};
    tangent(b.system, &point, &c, K);
    double size = largest(K, all * all), off = 0;
    for (int i = 6; i < n; i++) /* the root is held by moments, which do no symmetric work */
        for (int j = 6; j < n; j++)
            off = fmax(off, fabs(K[i * all + j] - K[j * all + i]));
    print_message("K - K^T: %.1e of %.3g\n", off, size);
    assert_true(off <= 1e-13 * size);
    close_bench(&b);
}

static void places(bench *b, double out[3])
{
    out[0] = number(b, "beam.tip.position.x");
    out[1] = number(b, "beam.tip.position.y");
    out[2] = number(b, "beam.tip.position.z");
}

/* A then B, B then A, and back: rotations are those from the reference placement, not sums of
 * increments. */
static void test_the_way_does_not_matter(void **state)
{
    double start[3], first[3], second[3];
    bench b;
    (void)state;
    open_clamped(&b);
    places(&b, start);
    load(&b, 10, 0);
    load(&b, 10, -12);
    places(&b, first);
    load(&b, 0, 0);
    places(&b, second);
    for (int i = 0; i < 3; i++)
        is_close("back", second[i], start[i], 1e-13);
    load(&b, 0, -12);
    load(&b, 10, -12);
    places(&b, second);
    assert_true(fabs(first[0] - start[0]) > 0.1);
    for (int i = 0; i < 3; i++)
        is_close("both", second[i], first[i], 1e-13);
    close_bench(&b);
}

/* One element: each order more takes away a part of the error that grows with the order. */
static void test_spectral(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "parameters: {p: 3}\n"
        "beams:\n"
        "  beam:\n"
        "    points: [[0, 0, 0], [10, 0, 0]]\n"
        "    twist: [[0, 0], [1, pi/2]]\n"
        "    order: p\n"
        "    sections:\n"
        "      - stiffness: [200e9*0.125, 5/6*79.3e9*0.125, 5/6*79.3e9*0.125,\n"
        "                    79.3e9*0.229*0.5*0.25^3, 200e9*0.25*0.5^3/12, 200e9*0.5*0.25^3/12]\n"
        "        mass: [1, 1, 1, 1, 1, 1]\n"
        "joints: {clamp: {type: fixed, between: [ground, beam.root], at: [0, 0, 0]}}\n"
        "forces: {tip: {type: force, on: beam.tip, at: [10, 0, 0], value: [0, 0, -4e6]}}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    /* of an independent program; over the length of the displacement, as measured by it */
    static const double tip[3] = {10 - 1.1415258270, -1.7180539112, -3.5932125412};
    static const struct {
        int p;
        double error;
    } known[] = {{5, 8.9e-5}, {8, 2.4e-8}};
    double errors[12], length = sqrt(1.1415258270 * 1.1415258270 + 1.7180539112 * 1.7180539112 +
                                     3.5932125412 * 3.5932125412);
    (void)state;
    for (int p = 3; p <= 10; p++) {
        char order[20];
        snprintf(order, sizeof order, "%d", p);
        const nt_setting settings[] = {{"p", order}};
        bench b = {0};
        if (nt_model_read_text(&b.model, text, strlen(text), "bar", NULL, settings, 1, &b.error))
            fail_msg("%s", b.error.message);
        begin_bench(&b, (nt_static_setup){0});
        solve(&b);
        double x[3], off = 0;
        places(&b, x);
        for (int i = 0; i < 3; i++)
            off += (x[i] - tip[i]) * (x[i] - tip[i]);
        errors[p] = sqrt(off) / length;
        close_bench(&b);
        print_message("order %d: %.1e\n", p, errors[p]);
        if (p > 4) /* the first ones hardly see the twist */
            assert_true(errors[p] < 0.25 * errors[p - 1]);
    }
    for (int i = 0; i < 2; i++)
        is_close("error", errors[known[i].p] / known[i].error, 1, 0.05);
    assert_true(errors[10] < 2e-10);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* A post with two arms at its middle and its end. An arm's weight bends and turns the post: small
 * loads, by the formulas of straight beams. */
static void test_branches(void **state)
{
    static const char text[] = "nutate: 1\n"
                               "gravity: [0, 0, 0]\n"
                               "parameters: {F: 1e-3}\n"
                               "beams:\n"
                               "  post: {points: [[0, 0, 0], [0, 0, 2]], order: 4, sections: &s "
                               "[{stiffness: [1e7, 1e7, 1e7, "
                               "300, 400, 400], mass: [1, 1, 1, 1e-2, 1e-2, 1e-2]}]}\n"
                               "  arm: {points: [[0, 0, 1], [1.5, 0, 1]], order: 4, sections: *s}\n"
                               "  top: {points: [[0, 0, 2], [0, 1, 2]], order: 4, sections: *s}\n"
                               "markers: {half: {on: post, station: 0.5}}\n"
                               "joints:\n"
                               "  foot: {type: fixed, between: [ground, post.root]}\n"
                               "  branch: {type: fixed, between: [half, arm.root]}\n"
                               "  corner: {type: fixed, between: [post.tip, top.root]}\n"
                               "forces:\n"
                               "  load: {type: force, on: arm.tip, value: [0, 0, -F]}\n"
                               "  side: {type: force, on: top.tip, value: [F, 0, 0]}\n"
                               "simulation: {duration: 1, step: 1e-2}\n";
    bench b;
    (void)state;
    open_bench(&b, text, (nt_static_setup){0});
    solve(&b);
    const double F = 1e-3, EI = 400, GJ = 300, GA = 1e7, EA = 1e7;
    /* the arm's moment 1.5 F turns the post by M/EI per length up to the middle */
    double turn =
        1.5 * F * 1 / EI + F * (2 * 1 - 1 * 1 / 2.0) / EI; /* of `side` too, force at 2 m */
    double sink = F * pow(1.5, 3) / (3 * EI) + F * 1.5 / GA + F * 1 / EA + 1.5 * turn;
    is_close("arm", number(&b, "arm.tip.position.z"), 1 - sink, 1e-4 * sink);
    /* the top goes by bending of the post, by twist of the post over 1 m of the top's arm, and by
     * bending of the top */
    double go = F * 8 / (3 * EI) + F * 2 / GA + 1.5 * F * (1 * 2 - 0.5) / EI + F * 1 * 2 / GJ +
                F * 1 / (3 * EI) + F * 1 / GA;
    is_close("top", number(&b, "top.tip.position.x"), go, 1e-4 * go);
    is_close("foot", number(&b, "foot.force.x"), -F, 1e-12);
    is_close("foot", number(&b, "post.root.moment.y"), 1.5 * F + 2 * F, 1e-4 * F);
    double whole = number(&b, "energy.potential"), work = F * sink / 2 + F * go / 2;
    is_close("energy", whole / work, 1, 1e-3);
    is_close("energy of the parts",
             (number(&b, "post.energy.potential") + number(&b, "arm.energy.potential") +
              number(&b, "top.energy.potential")) /
                 whole,
             1, 1e-14);
    close_bench(&b);
}

/* ---- meshes that are too coarse -------------------------------------------------------------- */

static const char strip[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "beams: {strip: {points: [[0, 0, 0], [10, 0, 0]], order: %d, elements: %d, sections: "
    "[{stiffness:\n"
    "  [1e6, 1e6, 1e6, 8.69e4, 8.69e4, 8.69e4], mass: [1, 1, 1, 1, 1, 1]}]}}\n"
    "joints: {clamp: {type: fixed, between: [ground, strip.root]}}\n"
    "forces: {tip: {type: torque, on: strip.tip, value: [0, -2*pi*8.69e3, 0]}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

/* Rolled up to a circle: six nodes carry it, two or three do not, and say where. */
static void test_too_coarse_to_roll(void **state)
{
    static const struct {
        int order, elements;
        const char *words;
    } cases[] = {{1, 1, "element 1 turns by"},
                 {2, 1, "element 1 turns by"},
                 {1, 2, "beam strip (beam): element"},
                 {1, 5, NULL},
                 {5, 1, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        bench b;
        snprintf(text, sizeof text, strip, cases[i].order, cases[i].elements);
        open_bench(&b, text, (nt_static_setup){0});
        b.error.message[0] = '\0';
        nt_status status = nt_static_solve(b.state, &b.error);
        print_message("%d x %d: %s\n", cases[i].elements, cases[i].order, b.error.message);
        assert_int_equal(status == NT_OK, !cases[i].words);
        if (cases[i].words && !strstr(b.error.message, cases[i].words))
            fail_msg("'%s' lacks '%s'", b.error.message, cases[i].words);
        close_bench(&b);
    }
}

/* A heavy piece of 4.95 kg within the only element, whose points are elsewhere or in the midst of
 * it: the clamp bears the weight of the line all the same, and its moment. Points that are chosen
 * and miss it are refused. */
static void test_mass_between_stations(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "beams: {a: {points: [[0, 0, 0], [1, 0, 0]], elements: 1, %s, sections: [\n"
        "  {at: 0, stiffness: [1e6, 1e6, 1e6, 1e6, 1e6, 1e6], mass: [1, 1, 1, 1, 1, 1]},\n"
        "  {at: 0.45, stiffness: [1e6, 1e6, 1e6, 1e6, 1e6, 1e6], mass: [1, 1, 1, 1, 1, 1]},\n"
        "  {at: 0.5, stiffness: [1e6, 1e6, 1e6, 1e6, 1e6, 1e6], mass: [100, 100, 100, 1, 1, 1]},\n"
        "  {at: 0.55, stiffness: [1e6, 1e6, 1e6, 1e6, 1e6, 1e6], mass: [1, 1, 1, 1, 1, 1]}]}}\n"
        "joints: {clamp: {type: fixed, between: [ground, a.root]}}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const char *const keys[] = {"order: 1", "order: 2", "order: 6",
                                       "order: 2, quadrature: trapezoidal", "order: 10"};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char model[2000];
        bench b;
        snprintf(model, sizeof model, text, keys[i]);
        open_bench(&b, model, (nt_static_setup){0});
        solve(&b);
        is_close(keys[i], fabs(number(&b, "clamp.force.z")), 59.5, 1e-12);
        is_close("its moment", fabs(number(&b, "clamp.torque.y")), 59.5 / 2, 1e-3);
        close_bench(&b);
    }
    char model[2000];
    nt_model *none = NULL;
    nt_error error = {0};
    snprintf(model, sizeof model, text, "order: 2, inertia_points: 3");
    assert_int_equal(nt_model_read_text(&none, model, strlen(model), "a", NULL, NULL, 0, &error),
                     NT_BAD_MODEL);
    if (!strstr(error.message, "inertia is wrong by 6.6 of the mass (45 kg at the points"))
        fail_msg("%s", error.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objective),
        cmocka_unit_test(test_gyroscopic_part_is_skew),
        cmocka_unit_test(test_stiffness_is_symmetric),
        cmocka_unit_test(test_the_way_does_not_matter),
        cmocka_unit_test(test_spectral),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_too_coarse_to_roll),
        cmocka_unit_test(test_mass_between_stations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
