/* Models with more equations than they need: how many are found, what they are called, that the
 * motion is right all the same, reactions of least norm, and singular positions. */
#include "model/mechanism.h"

#include "method/integrator.h"

/* ---- dense reference ------------------------------------------------------------------------ */

/* Eigenvectors of a symmetric A[n][n] by Jacobi rotations: A becomes diagonal, V holds them in
 * columns. */
static void jacobi(double *A, double *V, int n)
{
    for (int i = 0; i < n * n; i++)
        V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (A[p * n + q] == 0)
                    continue;
                double theta = 0.5 * atan2(2 * A[p * n + q], A[q * n + q] - A[p * n + p]);
                double c = cos(theta), s = sin(theta);
                for (int k = 0; k < n; k++) {
                    double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y, A[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y, A[q * n + k] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = V[k * n + p], y = V[k * n + q];
                    V[k * n + p] = c * x - s * y, V[k * n + q] = s * x + c * y;
                }
            }
}

/* The reactions of least norm by a dense pseudo-inverse. With H = W^-1 G, W = diag(1 or 1/length
 * by kind of row) and weighted multipliers W lambda, the forces are H^T (W lambda): the part of
 * W lambda in the range of H H^T. Returns the rank. */
static int least_norm(const mechanism *m, double length, const double *lambda, double *out)
{
    const nt_system *s = nt_run_system(m->run);
    int nv = s->space.nv, nc = s->nh, n = nv + nc, rank = 0;
    nt_state state = nt_integrator_state(m->integrator);
    double *G = calloc((size_t)(n * n), sizeof *G), *A = calloc((size_t)(nc * nc), sizeof *A);
    double *V = calloc((size_t)(nc * nc), sizeof *V);
    assert_true(G && A && V);
    nt_matrix matrix;
    nt_combination combination = {.row_damping = 1};
    nt_terms terms = {.level = NT_VELOCITY, .matrix = &matrix, .combination = &combination};
    nt_point at = {.t = state.t,
                   .q = state.q,
                   .v = state.v,
                   .vdot = state.vdot,
                   .lambda = lambda,
                   .mu = lambda,
                   .memory = state.memory};
    assert_int_equal(nt_matrix_init(&matrix, s->pattern), NT_OK);
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    nt_matrix_dense(&matrix, G);
    nt_matrix_free(&matrix);
    for (int i = 0; i < nc; i++) {
        double wi = s->row_quantity[i] == NT_ANGLE ? 1 / length : 1;
        for (int j = 0; j < nc; j++) {
            double wj = s->row_quantity[j] == NT_ANGLE ? 1 / length : 1;
            for (int k = 0; k < nv; k++)
                A[i * nc + j] += G[(nv + i) * n + k] / wi * G[(nv + j) * n + k] / wj;
        }
    }
    jacobi(A, V, nc);
    memset(out, 0, (size_t)nc * sizeof *out);
    for (int e = 0; e < nc; e++) {
        if (A[e * nc + e] < 1e-9)
            continue;
        double share = 0;
        for (int i = 0; i < nc; i++)
            share += V[i * nc + e] * lambda[i] * (s->row_quantity[i] == NT_ANGLE ? 1 / length : 1);
        for (int i = 0; i < nc; i++)
            out[i] += share * V[i * nc + e] / (s->row_quantity[i] == NT_ANGLE ? 1 / length : 1);
        rank++;
    }
    free(G);
    free(A);
    free(V);
    return nc - rank;
}

/* Reactions at the present state are those of least norm, for two lengths. `redundant` equations.
 */
static void check_reactions(const mechanism *m, int redundant)
{
    const nt_system *s = nt_run_system(m->run);
    nt_state state = nt_integrator_state(m->integrator);
    double *found = calloc(2 * (size_t)s->nh, sizeof *found), *wanted = found + s->nh;
    assert_non_null(found);
    for (double length = 1; length < 8; length += 6) {
        nt_error error = {0};
        assert_int_equal(nt_integrator_reactions(m->integrator, &state, length, found, &error),
                         NT_OK);
        assert_int_equal(least_norm(m, length, state.lambda, wanted), redundant);
        double size = 0;
        for (int i = 0; i < s->nh; i++)
            size = fmax(size, fabs(wanted[i]));
        assert_true(size > 1e-3);
        for (int i = 0; i < s->nh; i++)
            CLOSE(found[i], wanted[i], 1e-9 * size); /* solves of condition 1e3 */
    }
    free(found);
}

static double weighted_product(const nt_problem *p, double length, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < p->nc; i++)
        sum += a[i] * b[i] / (p->quantity[p->nv + i] == NT_ANGLE ? length * length : 1);
    return sum;
}

/* What makes minimum norm, for mechanisms of any size: of random multipliers a and b the part that
 * is taken away makes no force, and is normal to what is left of the other. */
static void check_projection(const mechanism *m, double length)
{
    nt_problem *p = m->integrator->problem;
    nt_state state = nt_integrator_state(m->integrator);
    nt_minimum_norm *norm;
    nt_matrix matrix;
    size_t nc = (size_t)p->nc, n = (size_t)p->n;
    double *given = calloc(2 * nc, sizeof *given), *found = calloc(2 * nc, sizeof *found);
    double *removed = calloc(nc, sizeof *removed);
    double *x = calloc(n, sizeof *x), *force = calloc(n, sizeof *force);
    assert_true(given && found && removed && x && force);
    nt_point at = {.t = state.t, .q = state.q, .v = state.v, .vdot = state.vdot};
    at.lambda = state.lambda, at.mu = state.mu, at.memory = state.memory;
    nt_combination combination = {.row_damping = 1, .multiplier = 1};
    nt_terms terms = {.parts = NT_REACTIONS,
                      .level = NT_VELOCITY,
                      .matrix = &matrix,
                      .combination = &combination};
    assert_int_equal(nt_minimum_norm_create(&norm, p), NT_OK);
    assert_int_equal(nt_matrix_init(&matrix, p->pattern), NT_OK);
    assert_int_equal(nt_problem_evaluate(p, &at, &terms), NT_OK);
    for (size_t i = 0; i < 2 * nc; i++)
        found[i] = given[i] = sin(12.9898 * (double)(i + 1) * (double)(i + 1));
    for (int k = 0; k < 2; k++)
        assert_int_equal(nt_minimum_norm_find(norm, p, &at, length, found + (size_t)k * nc), NT_OK);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < nc; i++)
            x[(size_t)p->nv + i] = removed[i] =
                given[(size_t)k * nc + i] - found[(size_t)k * nc + i];
        nt_matrix_apply(&matrix, x, force);
        for (int i = 0; i < p->nv; i++)
            CLOSE(force[i], 0, 1e-11); /* of multipliers of size one at arms of a metre */
        for (size_t j = 0; j < 2; j++)
            CLOSE(weighted_product(p, length, removed, found + j * nc), 0, 1e-11 * (double)nc);
        assert_true(weighted_product(p, length, removed, removed) > 1e-3);
    }
    nt_minimum_norm_destroy(norm);
    nt_matrix_free(&matrix);
    free(given);
    free(found);
    free(removed);
    free(x);
    free(force);
}

/* Each redundant equation has words, and they name a joint of the model. */
static void check_names(const mechanism *m, int count, const char *const *joints)
{
    assert_int_equal(nt_model_count(nt_run_model(m->run)).redundant, count);
    for (int i = 0; i < count; i++) {
        char text[160];
        nt_model_redundant_text(nt_run_model(m->run), i, text, sizeof text);
        int named = 0;
        for (int j = 0; joints[j]; j++)
            named |= strstr(text, joints[j]) != NULL;
        if (!named)
            fail_msg("redundant equation %d is '%s'", i, text);
    }
}

/* ---- loops ---------------------------------------------------------------------------------- */

static char *file_text(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s", NUTATE_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static void bricard(void **state)
{
    (void)state;
    static const double p3[3] = {.5105014611872, -1.6491675993948, .1401231145532};
    char *text = file_text("bricard/bricard.yaml");
    double off[2];
    for (int run = 0; run < 2; run++) {
        mechanism m = mechanism_open(text);
        double x[16], sum = 0;
        check_names(&m, 1, (const char *const[]){"hinge", NULL});
        check_reactions(&m, 1);
        mechanism_run(&m, 1, run == 0 ? 4e-3 : 2e-3);
        check_reactions(&m, 1);
        mechanism_get(&m, "p3.position", x);
        for (int i = 0; i < 3; i++)
            sum += (x[i] - p3[i]) * (x[i] - p3[i]);
        off[run] = sqrt(sum);
        mechanism_close(&m);
    }
    assert_true(off[1] < 1e-4); /* second order: 1e-4 at 2 ms for motions of 10 rad/s */
    CLOSE(log2(off[0] / off[1]), 2, 0.1);
    free(text);
}

/* The planar four-bar by revolute joints alone, placed by hand as a crossed-free quadrilateral. */
static const char four_bar_text[] =
    "nutate: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  left: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0]}\n"
    "  top: {mass: 2, inertia: [0.02, 0.6, 0.6], position: [0.75, 1, 0]}\n"
    "  right: {mass: 1.5, inertia: [0.1, 0.01, 0.1], position: [1.75, 0.5, 0]}\n"
    "markers:\n"
    "  corner: {on: left, at: [0, 0.5, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {type: revolute, between: [left, top], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  c: {type: %s, between: [top, right], at: [1.5, 1, 0], axis: [0, 0, 1]}\n"
    "  d: {type: revolute, between: [right, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* The same motion with the three redundant equations and without any: one joint a point on a line
 * across the plane. */
static void planar_four_bar(void **state)
{
    (void)state;
    char text[2048];
    double x[16], y[16];
    snprintf(text, sizeof text, four_bar_text, "revolute");
    mechanism m = mechanism_open(text);
    check_names(&m, 3, (const char *const[]){"joint a", "joint b", "joint c", "joint d", NULL});
    check_reactions(&m, 3);
    mechanism_run(&m, 1, 1e-3);
    check_reactions(&m, 3);
    mechanism_get(&m, "corner.position", x);
    mechanism_close(&m);
    snprintf(text, sizeof text, four_bar_text, "inline");
    m = mechanism_open(text);
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 0);
    mechanism_run(&m, 1, 1e-3);
    mechanism_get(&m, "corner.position", y);
    for (int i = 0; i < 3; i++)
        CLOSE(x[i], y[i], 1e-8); /* Newton's tolerance over 1000 steps */
    mechanism_close(&m);
}

/* ---- the same joint twice ------------------------------------------------------------------- */

#define PENDULUM(second)                                                                           \
    "nutate: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  rod: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0.2, 0]}\n"                        \
    "joints:\n"                                                                                    \
    "  one: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n" second     \
    "simulation: {duration: 1, step: 1e-3}\n"

static void duplicated_joint(void **state)
{
    (void)state;
    mechanism single = mechanism_open(PENDULUM(""));
    mechanism twice = mechanism_open(
        PENDULUM("  two: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, "
                 "0]}\n"));
    check_names(&twice, 5, (const char *const[]){"joint one", "joint two", NULL});
    check_reactions(&twice, 5);
    mechanism_run(&single, 0.5, 1e-3);
    mechanism_run(&twice, 0.5, 1e-3);
    double a[16], b[16], f[16], g[16], h[16];
    mechanism_get(&single, "rod.position", a);
    mechanism_get(&twice, "rod.position", b);
    for (int i = 0; i < 3; i++)
        CLOSE(a[i], b[i], 1e-10);
    static const char *const what[2][3] = {{"one.force", "one.force", "two.force"},
                                           {"one.torque", "one.torque", "two.torque"}};
    for (int k = 0; k < 2; k++) { /* each bears half */
        mechanism_get(&single, what[k][0], f);
        mechanism_get(&twice, what[k][1], g);
        mechanism_get(&twice, what[k][2], h);
        for (int i = 0; i < 3; i++) {
            CLOSE(g[i], f[i] / 2, 1e-6);
            CLOSE(h[i], f[i] / 2, 1e-6);
        }
    }
    mechanism_close(&single);
    mechanism_close(&twice);
}

/* Two hinges of a door, the load between them: each bears half of what is across, and nothing tells
 * how they share what is along, so that too is halved. */
static void door(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  leaf: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [0.5, 0, 0]}\n"
        "joints:\n"
        "  low: {type: revolute, between: [ground, leaf], at: [0, 0, -1], axis: [0, 0, 1]}\n"
        "  high: {type: revolute, between: [ground, leaf], at: [0, 0, 1], axis: [0, 0, 1]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    check_names(&m, 5, (const char *const[]){"low", "high", NULL});
    double f[16], g[16];
    mechanism_get(&m, "low.force", f);
    mechanism_get(&m, "high.force", g);
    CLOSE(f[2], 10, 1e-9);
    CLOSE(g[2], 10, 1e-9);
    CLOSE(f[0] + g[0], 0, 1e-9);
    assert_true(f[0] > 0); /* the low hinge pushes the leaf away, the high one holds it */
    mechanism_close(&m);
}

/* A door of any size L on one hinge, or on two ball joints with the load along the axis between
 * them undetermined: 0 and 1 equations follow from others, and under gravity 10 L down and across
 * it starts with alpha = -m g (L/2)/(J + m L^2/4) = -100/9 rad/s2 about the axis. Beside a length
 * of 1 m the second ball joint of a door of a micrometre, and the directions of the hinge of one of
 * a thousand kilometres, look like the first joint's rows over again. */
static void doors_of_all_sizes(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "  low: {type: revolute, between: [ground, leaf], at: [0, 0, -L], axis: [0, 0, 1]}\n",
        "  low: {type: spherical, between: [ground, leaf], at: [0, 0, -L]}\n"
        "  high: {type: spherical, between: [ground, leaf], at: [0, 0, L]}\n",
    };
    static const double sizes[] = {1e-6, 1, 1e6};
    for (int i = 0; i < 6; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "parameters: {L: %g}\n"
                 "gravity: [0, -10*L, -10*L]\n"
                 "bodies:\n"
                 "  leaf: {mass: 2, inertia: [0.3*L^2, 0.2*L^2, 0.4*L^2], position: [L/2, 0, 0]}\n"
                 "joints:\n%s"
                 "simulation: {duration: 1, step: 1e-3}\n",
                 sizes[i / 2], joints[i % 2]);
        mechanism m = mechanism_open(text);
        assert_int_equal(nt_integrator_redundant(m.integrator, NULL, 0), i % 2);
        double alpha[16];
        mechanism_get(&m, "leaf.angular_acceleration", alpha);
        CLOSE(alpha[0], 0, 1e-9);
        CLOSE(alpha[1], 0, 1e-9);
        CLOSE(alpha[2], -100.0 / 9, 1e-9);
        mechanism_close(&m);
    }
}

/* Looking at reactions, in any state, leaves the motion bit for bit as it is. */
static void looking_changes_nothing(void **state)
{
    (void)state;
    char text[2048];
    double x[16], y[16];
    snprintf(text, sizeof text, four_bar_text, "revolute");
    mechanism quiet = mechanism_open(text), watched = mechanism_open(text);
    for (int i = 1; i <= 300; i++) {
        mechanism_run(&quiet, i * 2e-3, 2e-3);
        mechanism_run(&watched, i * 2e-3, 2e-3);
        mechanism_get(&watched, "a.force", x);
    }
    mechanism_get(&quiet, "corner.position", x);
    mechanism_get(&watched, "corner.position", y);
    for (int i = 0; i < 3; i++)
        assert_true(x[i] == y[i]);
    mechanism_close(&quiet);
    mechanism_close(&watched);
}

/* ---- singular positions --------------------------------------------------------------------- */

/* A parallelogram with a heavy top that turns right round: it lies flat twice in each turn, where
 * another branch begins, and must go on as a parallelogram. */
static void parallelogram_through_flat_positions(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  left: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0],\n"
        "         angular_velocity: [0, 0, 5]}\n"
        "  top: {mass: 2, inertia: [0.02, 0.6, 0.6], position: [1, 1, 0]}\n"
        "  right: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [2, 0.5, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [left, top], at: [0, 1, 0], axis: [0, 0, 1]}\n"
        "  c: {type: revolute, between: [top, right], at: [2, 1, 0], axis: [0, 0, 1]}\n"
        "  d: {type: revolute, between: [right, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "simulation: {duration: 2, step: 1e-3}\n");
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 3);
    for (int i = 1; i <= 20; i++) { /* 10 rad: through the flat position three times */
        mechanism_run(&m, i * 0.1, 1e-3);
        double w[16];
        mechanism_get(&m, "top.angular_velocity", w);
        CLOSE(w[2], 0, 1e-5);
        mechanism_get(&m, "right.angular_velocity", w);
        CLOSE(w[2], 5, 1e-4); /* nothing acts on it: a constant rate */
        CLOSE(mechanism_number(&m, "a.angle"), 5 * i * 0.1, 1e-4);
    }
    mechanism_close(&m);
}

/* Begun in the flat position itself: one more equation depends on the others, and it moves on. */
static void begun_flat(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  left: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0],\n"
        "         angular_velocity: [0, 0, 5]}\n"
        "  top: {mass: 2, inertia: [0.02, 0.6, 0.6], position: [2, 0, 0],\n"
        "        angular_velocity: [0, 0, 0]}\n"
        "  right: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [2.5, 0, 0],\n"
        "          angular_velocity: [0, 0, 5]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [left, top], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  c: {type: revolute, between: [top, right], at: [3, 0, 0], axis: [0, 0, 1]}\n"
        "  d: {type: revolute, between: [right, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "simulation: {duration: 2, step: 1e-3}\n");
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 4);
    mechanism_run(&m, 0.2, 1e-3);
    double w[16];
    mechanism_get(&m, "right.angular_velocity", w);
    CLOSE(w[2], 5, 1e-3);
    CLOSE(mechanism_number(&m, "a.angle"), 1, 1e-3);
    mechanism_close(&m);
}

/* Bars stretched to their full length between two fixed points: no motion is left, and the force
 * that a load along them makes. */
static void stretched_to_the_end(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [10, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
        "joints:\n"
        "  j1: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  j2: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  j3: {type: revolute, between: [b, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    /* 15 equations of rank 11: three out of the plane, one along the bars */
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 4);
    check_reactions(&m, 4);
    double a[16];
    mechanism_get(&m, "a.acceleration", a);
    CLOSE(a[0], 0, 1e-9);
    mechanism_close(&m);
}

/* Three bars stretched, loaded across: they do not move, the pins bear them. */
static void stretched_under_load(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, -9.80665]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
        "  c: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2.5, 0, 0]}\n"
        "joints:\n"
        "  j1: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  j2: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  j3: {type: revolute, between: [b, c], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "  j4: {type: revolute, between: [c, ground], at: [3, 0, 0], axis: [0, 0, 1]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 4);
    check_reactions(&m, 4);
    double f[16], g[16];
    mechanism_get(&m, "j1.force", f);
    mechanism_get(&m, "j4.force", g); /* on the ground */
    CLOSE(f[2] - g[2], 3 * 9.80665, 1e-9);
    mechanism_close(&m);
}

/* Two loops, five bars (N-four-bar), through their singular positions. */
static void four_bar_through_singular_positions(void **state)
{
    (void)state;
    char *text = file_text("four_bar/four_bar.yaml");
    mechanism m = mechanism_read(text);
    nt_option option = {"rho_inf", "0.8"};
    mechanism_start(&m, &option, 1, NT_INERTIAL);
    mechanism_run(&m, 5, 1e-3);
    double e[16];
    mechanism_get(&m, "energy", e);
    double total = e[2];
    mechanism_run(&m, 10, 1e-3);
    mechanism_get(&m, "energy", e);
    CLOSE(e[2], total, 1e-3);
    double position, velocity;
    assert_int_equal(nt_integrator_drift(m.integrator, &position, &velocity), NT_OK);
    assert_true(position < 1e-9);
    mechanism_close(&m);
    free(text);
}

/* A net of m x n square meshes of bars, hinged where they meet about z, one corner to the ground:
 * each of the m n loops says the three things across the plane twice and nothing else, and m + n
 * freedoms are left (meshes that shear row by row and column by column, and the whole that turns).
 */
static void bars(int m, int n)
{
    enum { ROOM = 200000 };
    int last[16][16], used = 0, count = 0;
    char *text = malloc(ROOM), *joints = malloc(ROOM);
    assert_true(text && joints && m < 16 && n < 16);
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++)
            last[i][j] = i + j == 0 ? -1 : -2;
    int at = snprintf(text, ROOM, "nutate: 1\nbodies:\n");
    for (int up = 0; up < 2; up++)
        for (int i = 0; i <= m - !up; i++)
            for (int j = 0; j <= n - up; j++) {
                at +=
                    snprintf(text + at, (size_t)(ROOM - at),
                             "  b%d: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [%g, %g, 0]}\n",
                             count, i + (up ? 0 : 0.5), j + (up ? 0.5 : 0));
                for (int e = 0; e < 2; e++) {
                    int x = i + (e && !up), y = j + (e && up), before = last[x][y];
                    last[x][y] = count;
                    if (before == -2)
                        continue;
                    char name[16] = "ground";
                    if (before >= 0)
                        snprintf(name, sizeof name, "b%d", before);
                    used +=
                        snprintf(joints + used, (size_t)(ROOM - used),
                                 "  j%d_%d: {type: revolute, between: [%s, b%d], at: [%d, %d, 0], "
                                 "axis: [0, 0, 1]}\n",
                                 count, e, name, count, x, y);
                }
                count++;
            }
    snprintf(text + at, (size_t)(ROOM - at), "joints:\n%s", joints);
    mechanism net = mechanism_read(text);
    nt_model_counts counts = nt_model_count(nt_run_model(net.run));
    assert_int_equal(counts.redundant, 3 * m * n);
    assert_int_equal(counts.velocities - counts.holonomic + counts.redundant, m + n);
    mechanism_start(&net, NULL, 0, NT_BODY);
    check_projection(&net, 1);
    check_projection(&net, 7);
    if (m * n <= 9) /* the reference takes the cube of their number, 60 times */
        check_reactions(&net, 3 * m * n);
    mechanism_close(&net);
    free(text);
    free(joints);
}

static void nets_of_bars(void **state)
{
    (void)state;
    bars(1, 1);
    bars(2, 2);
    bars(3, 3);
    bars(11, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nets_of_bars),
        cmocka_unit_test(bricard),
        cmocka_unit_test(planar_four_bar),
        cmocka_unit_test(duplicated_joint),
        cmocka_unit_test(door),
        cmocka_unit_test(doors_of_all_sizes),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(parallelogram_through_flat_positions),
        cmocka_unit_test(begun_flat),
        cmocka_unit_test(stretched_to_the_end),
        cmocka_unit_test(stretched_under_load),
        cmocka_unit_test(four_bar_through_singular_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
