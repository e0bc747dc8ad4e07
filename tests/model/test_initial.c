/* Initial values of models: what joints determine, what least kinetic energy determines, what
 * contradicts, what is moved and what is assembled. */
#include "model/mechanism.h"

#include "base/vector3.h"
#include "system/problem.h"

/* Values that follow from a few sums and one solve; numbers of size 1 to 100. */
static const double ROUNDING = 1e-12;

/* Least kinetic energy is sought with 1e-9 of the largest inertia added to all, for bodies without:
 * velocities of size 1 to 10 differ by a few times that. */
static const double SOFTENED = 1e-8;

/* ---- dense reference ------------------------------------------------------------------------ */

/* A x = b by Gaussian elimination with full rows swapped; x in b. A[n][n] is destroyed. */
static void solve_dense(double *A, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k]))
                pivot = i;
        assert_true(fabs(A[pivot * n + k]) > 1e-13);
        for (int j = 0; j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

/* dense[n][n] of one combination at the initial values */
static void matrix_of(const mechanism *m, nt_combination combination, nt_level level, double *dense)
{
    const nt_system *s = nt_run_system(m->run);
    nt_matrix matrix;
    double *zeros = calloc((size_t)(s->space.nv + s->nh + s->nn), sizeof(double));
    assert_non_null(zeros);
    nt_point at = {
        .q = m->q, .v = m->v, .vdot = zeros, .lambda = zeros, .mu = zeros, .memory = m->memory};
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = level, .matrix = &matrix, .combination = &combination};
    assert_int_equal(nt_matrix_init(&matrix, s->pattern), NT_OK);
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    nt_matrix_dense(&matrix, dense);
    nt_matrix_free(&matrix);
    free(zeros);
}

/* d Phi/dt at v = 0: the part of it that time alone makes. rows[nh] */
static void rows_at_rest(const mechanism *m, double *rows)
{
    const nt_system *s = nt_run_system(m->run);
    double *zeros = calloc((size_t)(s->space.nv + s->nh + s->nn), sizeof(double));
    assert_non_null(zeros);
    nt_point at = {
        .q = m->q, .v = zeros, .vdot = zeros, .lambda = zeros, .mu = zeros, .memory = m->memory};
    nt_terms terms = {.level = NT_VELOCITY, .rows = rows};
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    free(zeros);
}

/* The velocities of least kinetic energy with G v = -Phi_t and D v = d: the KKT system of
 * [M (D^T G^T); (D; G) 0], dense, rows independent. out[nv] */
static void least_energy(const mechanism *m, const double *D, const double *d, int given,
                         double *out)
{
    const nt_system *s = nt_run_system(m->run);
    int nv = s->space.nv, nh = s->nh, n = nv + nh, size = n + given;
    double *M = calloc((size_t)(n * n), sizeof(double)), *G = calloc((size_t)(n * n), sizeof *G);
    double *A = calloc((size_t)(size * size), sizeof(double)), *b = calloc((size_t)size, sizeof *b);
    assert_true(M && G && A && b);
    matrix_of(m, (nt_combination){.mass = 1}, NT_POSITION, M);
    matrix_of(m, (nt_combination){.row_damping = 1}, NT_VELOCITY, G);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            A[i * size + j] = M[i * n + j];
    for (int i = 0; i < nh + given; i++)
        for (int j = 0; j < nv; j++) {
            double x = i < nh ? G[(nv + i) * n + j] : D[(i - nh) * nv + j];
            A[(nv + i) * size + j] = A[j * size + nv + i] = x;
        }
    rows_at_rest(m, b + nv);
    for (int i = 0; i < nh; i++)
        b[nv + i] = -b[nv + i];
    for (int i = 0; i < given; i++)
        b[n + i] = d[i];
    solve_dense(A, b, size);
    memcpy(out, b, (size_t)nv * sizeof(double));
    free(M);
    free(G);
    free(A);
    free(b);
}

/* ---- velocities ----------------------------------------------------------------------------- */

/* A crank drives a rod and a slider through ball joints: one given number determines all. */
static void determined_by_joints(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0],\n"
        "          angular_velocity: [0, 0, 2]}\n"
        "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 2, 0]}\n"
        "  slider: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: spherical, between: [crank, rod], at: [0, 4, 0]}\n"
        "  c: {type: universal, between: [rod, slider], at: [3, 0, 0],\n"
        "      axes: [[-4, -3, 0], [0, 0, 1]]}\n"
        "  d: {type: prismatic, between: [ground, slider], at: [3, 0, 0], axis: [1, 0, 0]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    double v[16];
    mechanism_get(&m, "slider.velocity", v);
    /* the rod's ends: (0, 4) moves with (-8, 0), (3, 0) along x: equal parts along (3, -4) */
    CLOSE(v[0], -8, ROUNDING);
    mechanism_get(&m, "rod.velocity", v);
    CLOSE(v[0], -8, ROUNDING);
    CLOSE(v[1], 0, ROUNDING);
    mechanism_close(&m);
}

static void least_kinetic_energy(void **state)
{
    (void)state;
    mechanism m = mechanism_read(
        "nutate: 1\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], center_of_mass: [0.1, 0, 0.2],\n"
        "      position: [0.3, 0, 0], angular_velocity: [1, -2, 3], angular_velocity_frame: "
        "ground}\n"
        "  b: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [1, 0.5, 0.2],\n"
        "      orientation: {rotation_vector: [0.3, -0.4, 0.7]}}\n"
        "  c: {mass: 3, inertia: [0.1, 0.2, 0.25], center_of_mass: [0, 0.3, 0],\n"
        "      position: [2, 1, -0.5]}\n"
        "joints:\n"
        "  j: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
        "  k: {type: spherical, between: [a, b], at: [0.7, 0.1, 0]}\n"
        "  l: {type: revolute, between: [b, c], at: [1.5, 0.8, 0], axis: [1, 2, 3]}\n");
    double D[3 * 18] = {0}, d[3] = {1, -2, 3}, v[18];
    for (int i = 0; i < 3; i++)
        D[i * 18 + 3 + i] = 1; /* rotation of a */
    least_energy(&m, D, d, 3, v);
    for (int i = 0; i < 18; i++)
        CLOSE(m.v[i], v[i], SOFTENED);
    mechanism_close(&m);
}

/* A driven joint turns an arm; a bob hangs from it free to do what costs least. */
static void least_kinetic_energy_of_a_driven_model(void **state)
{
    (void)state;
    mechanism m = mechanism_read(
        "nutate: 1\n"
        "bodies:\n"
        "  arm: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}\n"
        "  bob: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [1, 0.5, 0.2]}\n"
        "joints:\n"
        "  j: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 2], motion: "
        "3*t}\n"
        "  k: {type: spherical, between: [arm, bob], at: [1, 0.1, 0]}\n");
    double v[12];
    least_energy(&m, NULL, NULL, 0, v);
    for (int i = 0; i < 12; i++)
        CLOSE(m.v[i], v[i], SOFTENED);
    assert_true(fabs(v[6]) > 0.1); /* the bob does move */
    mechanism_close(&m);
}

/* The velocity of the origin, off the centre of mass, determines the spin through a joint. */
static void origin_velocity_through_a_joint(void **state)
{
    (void)state;
    mechanism m =
        mechanism_open("nutate: 1\n"
                       "bodies:\n"
                       "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], center_of_mass: [-0.5, 0, 0],\n"
                       "        position: [1, 0, 0], velocity: [0, 3, -4]}\n"
                       "joints:\n"
                       "  pivot: {type: spherical, between: [ground, rod], at: [0, 0, 0]}\n"
                       "simulation: {duration: 1, step: 1e-3}\n");
    double v[16], w[16];
    mechanism_get(&m, "rod.velocity", v);
    mechanism_get(&m, "rod.angular_velocity", w);
    const double v_wanted[3] = {0, 3, -4}, w_wanted[3] = {0, 4, 3}; /* no spin along the rod */
    for (int i = 0; i < 3; i++) {
        CLOSE(v[i], v_wanted[i], ROUNDING);
        CLOSE(w[i], w_wanted[i], ROUNDING);
    }
    mechanism_close(&m);
}

/* D v = velocity of the origin of a body: [I, -(reference)~ ...] for x = origin + R reference. */
static void origin_rows(v3 arm, int first, int nv, double *D)
{
    m3 skew = m3_skew(arm); /* origin's velocity = v_com - w x arm = v_com + arm~ w */
    const double s[9] = {skew.xx, skew.xy, skew.xz, skew.yx, skew.yy,
                         skew.yz, skew.zx, skew.zy, skew.zz};
    for (int i = 0; i < 3; i++) {
        D[i * nv + first + i] = 1;
        for (int j = 0; j < 3; j++)
            D[i * nv + first + 3 + j] = s[3 * i + j];
    }
}

static void origin_velocity_of_a_free_body(void **state)
{
    (void)state;
    mechanism m = mechanism_read("nutate: 1\n"
                                 "bodies:\n"
                                 "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], center_of_mass: "
                                 "[-0.5, 0.2, 0],\n"
                                 "        position: [1, 0, 0], velocity: [1, 3, -4]}\n");
    double D[18] = {0}, d[3] = {1, 3, -4}, v[6];
    origin_rows(v3_of(-0.5, 0.2, 0), 0, 6, D);
    least_energy(&m, D, d, 3, v);
    for (int i = 0; i < 6; i++)
        CLOSE(m.v[i], v[i], SOFTENED);
    mechanism_close(&m);
}

static void origin_velocity_in_a_chain(void **state)
{
    (void)state;
    mechanism m = mechanism_read(
        "nutate: 1\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], center_of_mass: [0.4, 0.1, 0.2],\n"
        "      position: [0.3, 0, 0]}\n"
        "  b: {mass: 2, inertia: [0.3, 0.2, 0.4], center_of_mass: [0.5, -0.3, 0.1],\n"
        "      position: [1, 0.5, 0.2], velocity: [1, 2, -1]}\n"
        "joints:\n"
        "  j: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
        "  k: {type: spherical, between: [a, b], at: [0.7, 0.1, 0]}\n");
    double D[36] = {0}, d[3] = {1, 2, -1}, v[12];
    origin_rows(v3_of(0.5, -0.3, 0.1), 6, 12, D);
    least_energy(&m, D, d, 3, v);
    for (int i = 0; i < 12; i++)
        CLOSE(m.v[i], v[i], SOFTENED);
    mechanism_close(&m);
}

/* ---- contradictions ------------------------------------------------------------------------- */

static void contradictions_are_named(void **state)
{
    (void)state;
    /* a point held at a distance of 0.1 from where it is: velocity along the rod */
    mechanism_refused("nutate: 1\n"
                      "bodies:\n"
                      "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0],\n"
                      "        velocity: [0.25, 1, 0], angular_velocity: [0, 0, 1]}\n"
                      "joints:\n"
                      "  pivot: {type: spherical, between: [ground, rod], at: [0, 0, 0]}\n",
                      (const char *const[]){"pivot", "along x", "0.25 m/s", "velocit", NULL});
    mechanism_refused("nutate: 1\n"
                      "bodies:\n"
                      "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0]}\n"
                      "joints:\n"
                      "  link: {type: distance, between: [ground, rod], length: 0.9,\n"
                      "         points: [[0, 0, 0], [0, 0, 0]]}\n"
                      "  other: {type: spherical, between: [ground, rod], at: [1, 0, 0]}\n",
                      (const char *const[]){"link", "0.1 m", NULL});
    /* joints at a given placement: the second cannot hold with given points */
    mechanism_refused(
        "nutate: 1\n"
        "bodies:\n"
        "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0],\n"
        "        orientation: {axis: [0, 0, 1], angle: 0}}\n"
        "joints:\n"
        "  pivot: {type: spherical, between: [ground, rod], points: [[0, 0, 0], [-1.2, 0, 0]]}\n",
        (const char *const[]){"pivot", "0.2 m", "positions", NULL});
    mechanism_refused("nutate: 1\n"
                      "bodies:\n"
                      "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 1]}\n"
                      "joints:\n"
                      "  motor: {type: revolute, between: [ground, arm], at: [0, 0, 0],\n"
                      "          axis: [0, 0, 1], motion: 3*t}\n",
                      (const char *const[]){"motor", "2 rad/s", NULL});
}

static void corrections_move_and_report(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "initial: {correct: true}\n"
        "bodies:\n"
        "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0],\n"
        "        velocity: [0.25, 1, 0], angular_velocity: [0, 0, 1],\n"
        "        orientation: {axis: [0, 0, 1], angle: 0}}\n"
        "joints:\n"
        "  pivot: {type: spherical, between: [ground, rod], points: [[0, 0, 0], [-1.2, 0, 0]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    const char *words = nt_run_corrections(m.run);
    assert_non_null(strstr(words, "rod"));
    assert_non_null(strstr(words, "0.2 m"));
    assert_non_null(strstr(words, "m/s"));
    double x[16], v[16], w[16];
    mechanism_get(&m, "rod.position", x);
    mechanism_get(&m, "rod.velocity", v);
    mechanism_get(&m, "rod.angular_velocity", w);
    CLOSE(x[0], 1.2, 1e-9);
    CLOSE(v[0], 0, ROUNDING);
    CLOSE(v[1], 1.2 * w[2], ROUNDING);
    mechanism_close(&m);
}

/* Nodes of a cable hang where their balance is found, once what it hangs on has moved. */
static void corrections_are_of_given_values_alone(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "initial: {correct: true}\n"
        "bodies: {rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0]}}\n"
        "joints: {pivot: {type: spherical, between: [ground, rod], points: [[0, 0, 0], [-1.2, 0, "
        "0]]}}\n"
        "cables: {c: {between: [ground, rod], at: [[4, 0, 0], [1, 0, 0]], length: 5, mass: 1,\n"
        "  stiffness: 1e4, elements: 4}}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    const char *words = nt_run_corrections(m.run);
    assert_non_null(strstr(words, "body rod: centre of mass by 0.2 m"));
    assert_null(strstr(words, "c.node"));
    mechanism_close(&m);
}

/* A slider given 3 m along its rail and 0.2 m and 0.1 m off it: it goes straight to the rail. */
static void corrections_leave_free_directions_alone(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "initial: {correct: true}\n"
        "bodies:\n"
        "  slider: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [3, 0.2, -0.1],\n"
        "           orientation: {axis: [0, 0, 1], angle: 0}}\n"
        "joints:\n"
        "  rail: {type: prismatic, between: [ground, slider], points: [[0, 0, 0], [0, 0, 0]],\n"
        "         axes: [[1, 0, 0], [1, 0, 0]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    static const double wanted[] = {3, 0, 0}, upright[] = {1, 0, 0, 0};
    double x[16], q[16];
    mechanism_get(&m, "slider.position", x);
    mechanism_get(&m, "slider.orientation", q);
    for (int i = 0; i < 3; i++)
        CLOSE(x[i], wanted[i], ROUNDING);
    for (int i = 0; i < 4; i++)
        CLOSE(q[i], upright[i], ROUNDING);
    mechanism_close(&m);
    /* a pendulum whose given placement is one of those that its joint allows stays there */
    m = mechanism_open(
        "nutate: 1\n"
        "initial: {correct: true}\n"
        "bodies:\n"
        "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [cos(0.7), sin(0.7), 0],\n"
        "        orientation: {axis: [0, 0, 1], angle: 0.7}}\n"
        "joints:\n"
        "  pivot: {type: revolute, between: [ground, rod], points: [[0, 0, 0], [-1, 0, 0]],\n"
        "          axes: [[0, 0, 1], [0, 0, 1]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    mechanism_get(&m, "rod.position", x);
    CLOSE(x[0], cos(0.7), ROUNDING);
    CLOSE(x[1], sin(0.7), ROUNDING);
    assert_string_equal(nt_run_corrections(m.run), "");
    mechanism_close(&m);
}

/* A pendulum of 1 m given far off its joint, p and angle 0.9: over the angle phi of placements that
 * satisfy the joint |u(phi) - p|^2 + length^2 (phi - 0.9)^2 is least, length = |p| that of the
 * model. */
static void corrections_of_positions_are_least(void **state)
{
    (void)state;
    static const double far[][2] = {{1.3, 0.4}, {0.2, -0.3}, {-0.5, 0.4}, {2.5, 2}};
    for (int i = 0; i < 4; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "initial: {correct: true}\n"
                 "bodies:\n"
                 "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [%g, %g, 0],\n"
                 "        orientation: {axis: [0, 0, 1], angle: 0.9}}\n"
                 "joints:\n"
                 "  pivot: {type: revolute, between: [ground, rod], points: [[0, 0, 0],\n"
                 "          [-1, 0, 0]], axes: [[0, 0, 1], [0, 0, 1]]}\n"
                 "simulation: {duration: 1, step: 1e-3}\n",
                 far[i][0], far[i][1]);
        mechanism m = mechanism_open(text);
        double x[16], length = hypot(far[i][0], far[i][1]);
        mechanism_get(&m, "rod.position", x);
        double phi = atan2(x[1], x[0]);
        CLOSE(hypot(x[0], x[1]), 1, ROUNDING);
        /* its derivative, half of it: - p . u' + length^2 (phi - 0.9) */
        CLOSE(far[i][0] * sin(phi) - far[i][1] * cos(phi) + length * length * (phi - 0.9), 0,
              1e-11 * fmax(1, length * length)); /* where the way along is 1e-13 of the length */
        mechanism_close(&m);
    }
}

/* A slider-crank of which the crank's placement and speed are given, the rest is not: there is
 * nothing to correct, the rest follows. With the slider's speed given too, the three given numbers
 * contradict each other: the change has least energy, of those given alone. */
static void corrections_are_of_what_is_given(void **state)
{
    (void)state;
    static const char form[] =
        "nutate: 1\n"
        "initial: {correct: true}\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [0.3, 0.3, 0.3], position: [0, 0, 0],\n"
        "          orientation: {axis: [0, 0, 1], angle: pi/2}, angular_velocity: [0, 0, 3]}\n"
        "  rod: {mass: 5, inertia: [0.1, 2, 2]}\n"
        "  slider: {mass: 4, inertia: [1, 1, 1]%s}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, crank], points: [[0, 0, 0], [0, 0, 0]],\n"
        "      axes: [[0, 0, 1], [0, 0, 1]]}\n"
        "  b: {type: spherical, between: [crank, rod], points: [[1, 0, 0], [-1, 0, 0]]}\n"
        "  c: {type: spherical, between: [rod, slider], points: [[1, 0, 0], [0, 0, 0]]}\n"
        "  d: {type: prismatic, between: [ground, slider], points: [[0, 0, 0], [0, 0, 0]],\n"
        "      axes: [[1, 0, 0], [1, 0, 0]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    char text[1600];
    double x[16], w[16], v[16];
    snprintf(text, sizeof text, form, "");
    mechanism m = mechanism_open(text);
    assert_string_equal(nt_run_corrections(m.run), "");
    mechanism_get(&m, "crank.orientation", x);
    mechanism_get(&m, "crank.angular_velocity", w);
    CLOSE(x[0], sqrt(0.5), ROUNDING);
    CLOSE(x[3], sqrt(0.5), ROUNDING);
    CLOSE(w[2], 3, ROUNDING);
    mechanism_get(&m, "slider.velocity", v);
    /* the rod's end at (0, 1) moves by (-w, 0): so does all of the rod, and the slider */
    CLOSE(v[0], -3, 1e-9); /* the loop is closed to rounding where the rod is free to turn */
    mechanism_close(&m);

    snprintf(text, sizeof text, form, ", velocity: [1, 0, 0]");
    m = mechanism_open(text);
    mechanism_get(&m, "crank.angular_velocity", w);
    mechanism_get(&m, "slider.velocity", v);
    /* J (w - 3) = m (1 + w) ... of w and v = -w: 0.3 (w - 3) + 4 (w + 1) = 0 */
    CLOSE(w[2], (0.3 * 3 - 4) / 4.3, 1e-9);
    CLOSE(v[0], -w[2], 1e-9);
    assert_non_null(strstr(nt_run_corrections(m.run), "crank: angular velocity by 3.72 rad/s"));
    assert_non_null(strstr(nt_run_corrections(m.run), "slider: velocity by 0.279 m/s"));
    assert_null(strstr(nt_run_corrections(m.run), "rod"));
    mechanism_close(&m);
}

/* A body whose joints have more equations than it has freedoms, one of them redundant, and that
 * cannot move: its given velocity becomes zero. The last projections then have nothing but rounding
 * to solve for, and must not find their equations singular. */
static void corrections_of_a_locked_body(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "  a: {type: cylindrical, between: [body, ground], at: [0.19, 0.74, 0.53],\n"
        "      axis: [0.27, 0.76, 0.59]}\n"
        "  b: {type: planar, between: [ground, body], at: [0.17, 0.51, 0.46],\n"
        "      axis: [0.03, 0.08, -1]}\n",
        "  a: {type: revolute, between: [ground, body], at: [0.21, 0.26, -0.23],\n"
        "      axis: [1.31, -0.71, 2.01]}\n"
        "  b: {type: prismatic, between: [ground, body], at: [0.5, 0.44, -0.18],\n"
        "      axis: [-0.98, -0.03, 0.21]}\n",
    };
    for (int i = 0; i < 2; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "initial: {correct: true}\n"
                 "bodies:\n"
                 "  body: {mass: 1.17, inertia: [0.149, 0.136, 0.146],\n"
                 "         position: [0.04, 0.69, 0.61], velocity: [0.13, 0.13, 0.22],\n"
                 "         orientation: {axis: [0.88, 0.31, -0.36], angle: 1.08}}\n"
                 "joints:\n%s"
                 "simulation: {duration: 1, step: 1e-3}\n",
                 joints[i]);
        mechanism m = mechanism_open(text);
        double v[16], w[16];
        mechanism_get(&m, "body.velocity", v);
        mechanism_get(&m, "body.angular_velocity", w);
        for (int k = 0; k < 3; k++) {
            CLOSE(v[k], 0, ROUNDING);
            CLOSE(w[k], 0, ROUNDING);
        }
        assert_non_null(strstr(nt_run_corrections(m.run), "body: velocity by 0.287 m/s"));
        mechanism_close(&m);
    }
}

/* A body held at its centre of mass has the size of a point, and where that is 0.1 + 0.2 beside 0.3
 * of 6e-17 m: this is no length to measure gaps by. */
static void a_model_of_one_point(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "bodies:\n"
        "  wheel: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.1, 0, 0],\n"
        "          center_of_mass: [0.2, 0, 0], angular_velocity: [3, 0, 0]}\n"
        "joints:\n"
        "  hub: {type: spherical, between: [ground, wheel], points: [[0.3, 0, 0], [0.2, 0, 0]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    double w[16];
    mechanism_get(&m, "wheel.angular_velocity", w);
    CLOSE(w[0], 3, ROUNDING);
    assert_true(nt_run_length(m.run) == 1);
    mechanism_close(&m);
}

/* Nothing to correct: nothing is moved and nothing said. */
static void nothing_to_correct(void **state)
{
    (void)state;
    mechanism m = mechanism_open("nutate: 1\n"
                                 "initial: {correct: true}\n"
                                 "bodies:\n"
                                 "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0],\n"
                                 "        velocity: [0, 1, 0], angular_velocity: [0, 0, 1]}\n"
                                 "joints:\n"
                                 "  pivot: {type: spherical, between: [ground, rod], at: [0, 0, "
                                 "0]}\n"
                                 "simulation: {duration: 1, step: 1e-3}\n");
    assert_string_equal(nt_run_corrections(m.run), "");
    double w[16];
    mechanism_get(&m, "rod.angular_velocity", w);
    CLOSE(w[2], 1, ROUNDING);
    mechanism_close(&m);
}

/* ---- assembly ------------------------------------------------------------------------------- */

#define CHAIN(joint4)                                                                              \
    "nutate: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                                   \
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                                   \
    "  c: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                                   \
    "markers:\n"                                                                                   \
    "  tip: {on: c, at: [0.5, 0, 0]}\n"                                                            \
    "joints:\n"                                                                                    \
    "  j1: {type: revolute, between: [ground, a], points: [[0, 0, 0], [-0.5, 0, 0]],\n"            \
    "       axes: [[0, 0, 1], [0, 0, 1]]}\n"                                                       \
    "  j2: {type: revolute, between: [a, b], points: [[0.5, 0, 0], [-0.5, 0, 0]],\n"               \
    "       axes: [[0, 0, 1], [0, 0, 1]]}\n"                                                       \
    "  j3: {type: revolute, between: [b, c], points: [[0.5, 0, 0], [-0.5, 0, 0]],\n"               \
    "       axes: [[0, 0, 1], [0, 0, 1]]}\n" joint4 "simulation: {duration: 1, step: 1e-3}\n"

static void open_chain_is_placed(void **state)
{
    (void)state;
    mechanism m = mechanism_open(CHAIN(""));
    double x[16];
    mechanism_get(&m, "tip.position", x);
    CLOSE(x[0], 3, ROUNDING);
    CLOSE(x[1], 0, ROUNDING);
    mechanism_close(&m);
    /* three axes that look into three directions: each body is turned onto its joint */
    m = mechanism_open(
        "nutate: 1\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "joints:\n"
        "  j1: {type: revolute, between: [ground, a], points: [[0, 0, 0], [-1, 0, 0]],\n"
        "       axes: [[0, 0, 1], [0, 0, -1]]}\n"
        "  j2: {type: revolute, between: [a, b], points: [[1, 0, 0], [0, 0, 2]],\n"
        "       axes: [[1, 0, 0], [0, 1, 0]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    double drift, rate;
    assert_int_equal(nt_integrator_drift(m.integrator, &drift, &rate), NT_OK);
    CLOSE(drift, 0, ROUNDING);
    mechanism_close(&m);
}

/* A joint in ground axes says where its bodies stand: the crank stays there and the rod comes to
 * it. A hanger whose rod is 2 % too short turns by little, for every length of the rod: by no more
 * than were it alone to close the gap of .012 m, .012/(.4 * .6) = .05 rad. */
static void what_stands_stays(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "joints:\n"
        "  pivot: {type: revolute, between: [ground, crank], at: [0.3, 0, 0], axis: [0, 0, 1]}\n"
        "  pin: {type: revolute, between: [crank, rod], points: [[0, 0.2, 0], [-0.5, 0, 0]],\n"
        "        axes: [[0, 0, 1], [0, 0, 1]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    double x[16];
    mechanism_get(&m, "crank.orientation", x);
    CLOSE(x[0], 1, ROUNDING);
    mechanism_get(&m, "rod.position", x);
    CLOSE(x[0], 0.5, ROUNDING);
    CLOSE(x[1], 0.2, ROUNDING);
    mechanism_close(&m);
    for (int i = 0; i < 8; i++) {
        char text[1024];
        double length = 0.98 + 0.007 * i;
        snprintf(
            text, sizeof text,
            "nutate: 1\n"
            "parameters: {L: %.17g}\n"
            "bodies:\n"
            "  hanger: {mass: 3, inertia: [1, 1, 1]}\n"
            "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [L*0.6, 0, -L*0.8]}\n"
            "joints:\n"
            "  s: {type: spherical, between: [ground, hanger], at: [0, 0, -0.4]}\n"
            "  r: {type: distance, between: [hanger, bob], points: [[0, 0, 0], [0.02, 0, 0]],\n"
            "      length: L}\n"
            "simulation: {duration: 1, step: 1e-3}\n",
            length);
        m = mechanism_open(text);
        mechanism_get(&m, "hanger.orientation", x);
        assert_true(fabs(x[0]) > cos(0.05 / 2));
        mechanism_close(&m);
    }
}

/* A motion need not begin with the angle of the given placement: it turns the body there, and its
 * angle is the motion's from the first moment on, also beyond a turn, and where the body's given
 * place has to be corrected for it. */
static void motions_begin_anywhere(void **state)
{
#define DRIVEN(place)                                                                              \
    "nutate: 1\n"                                                                                  \
    "parameters: {w: 2}\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.3]" place "}\n"                                          \
    "  b: {mass: 1, inertia: [0.3, 0.1, 0.2]}\n"                                                   \
    "joints:\n"                                                                                    \
    "  j1: {type: revolute, between: [ground, a], points: [[0, 0, 0], [-1, 0, 0]],\n"              \
    "       axes: [[0, 0, 1], [0, 0, 1]], motion: cos(w*t)}\n"                                     \
    "  j2: {type: revolute, between: [a, b], points: [[1, 0, 0], [0, 0, 2]],\n"                    \
    "       axes: [[1, 0, 0], [0, 1, 0]], motion: 7 + t}\n"                                        \
    "initial: {correct: true}\n"                                                                   \
    "simulation: {duration: 1, step: 1e-3}\n"
    static const char *const models[] = {DRIVEN(""), DRIVEN(", position: [1, 0, 0]")};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double x[16];
        mechanism m = mechanism_open(models[i]);
        CLOSE(mechanism_number(&m, "j1.angle"), 1, ROUNDING);
        CLOSE(mechanism_number(&m, "j2.angle"), 7, 10 * ROUNDING);
        mechanism_get(&m, "a.position", x);
        CLOSE(x[0], cos(1), ROUNDING);
        CLOSE(x[1], sin(1), ROUNDING);
        mechanism_run(&m, 1, 1e-3);
        CLOSE(mechanism_number(&m, "j1.angle"), cos(2), 1e-9);
        CLOSE(mechanism_number(&m, "j2.angle"), 8, 1e-9);
        mechanism_close(&m);
    }
#undef DRIVEN
}

/* Four bars by points alone. All lie on one line first, where the loop's closing has no direction
 * to go: it must be found all the same. */
static void loop_is_closed(void **state)
{
    (void)state;
    static const char *const ends[] = {"1.7", "2.9", "0.4", "-1.5"};
    for (int i = 0; i < 4; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 CHAIN("  j4: {type: revolute, between: [c, ground], points: [[0.5, 0, 0], [%s, 0, "
                       "0]],\n"
                       "       axes: [[0, 0, 1], [0, 0, 1]]}\n"),
                 ends[i]);
        mechanism m = mechanism_open(text);
        double x[16];
        mechanism_get(&m, "tip.position", x);
        CLOSE(x[0], strtod(ends[i], NULL), 1e-8);
        CLOSE(x[1], 0, 1e-8);
        CLOSE(x[2], 0, 1e-8);
        assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 3);
        mechanism_close(&m);
    }
}

static void loop_that_cannot_close(void **state)
{
    (void)state;
    /* three bars of 1 m and a gap of 5 m: 2 m are missing, wherever they are */
    mechanism_refused(
        CHAIN("  j4: {type: revolute, between: [c, ground], points: [[0.5, 0, 0], [5, 0, 0]],\n"
              "       axes: [[0, 0, 1], [0, 0, 1]]}\n"),
        (const char *const[]){"joint j", "does not close", "off by", " m", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(determined_by_joints),
        cmocka_unit_test(least_kinetic_energy),
        cmocka_unit_test(least_kinetic_energy_of_a_driven_model),
        cmocka_unit_test(origin_velocity_through_a_joint),
        cmocka_unit_test(origin_velocity_of_a_free_body),
        cmocka_unit_test(origin_velocity_in_a_chain),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(corrections_move_and_report),
        cmocka_unit_test(corrections_are_of_given_values_alone),
        cmocka_unit_test(corrections_leave_free_directions_alone),
        cmocka_unit_test(corrections_of_positions_are_least),
        cmocka_unit_test(corrections_are_of_what_is_given),
        cmocka_unit_test(corrections_of_a_locked_body),
        cmocka_unit_test(a_model_of_one_point),
        cmocka_unit_test(nothing_to_correct),
        cmocka_unit_test(open_chain_is_placed),
        cmocka_unit_test(what_stands_stays),
        cmocka_unit_test(motions_begin_anywhere),
        cmocka_unit_test(loop_is_closed),
        cmocka_unit_test(loop_that_cannot_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
