/* Finding dependent constraint rows: nt_solver_factor_dependent on mechanisms whose number of
 * redundant equations is known from kinematics. */
#include "linalg/systems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* A Schur pivot below this share of its row's size is dependence: rounding leaves 1e-14, the worst
 * conditioned independent row of these mechanisms 1e-4. */
static const double DEPENDENT = 1e-9;
/* Rows that were left out are satisfied by the others' solution to rounding times condition. */
static const double SATISFIED = 1e-8;

/* A joint of two bodies at a point, with `rows` equations: 3 (spherical), 5 (revolute about the
 * axis), 6 (weld). Body -1 is the ground. */
typedef struct joint {
    int ends[2], rows;
    double point[3], axis[3];
} joint;

/* The rows of one joint for one body whose centre is at `centre`: velocity of the point, angular
 * velocity along two directions normal to the axis (all three for a weld). */
static void joint_rows(const joint *j, const double *centre, double sign, double *t, double *r)
{
    double x = j->point[0] - centre[0], y = j->point[1] - centre[1], z = j->point[2] - centre[2];
    const double turn[9] = {0, z, -y, -z, 0, x, y, -x, 0}; /* omega x r = -r~ omega */
    const double *a = j->axis;
    int k = fabs(a[0]) < 0.6 ? 0 : 1; /* a coordinate axis far from a */
    double e[3] = {k == 0, k == 1, 0};
    double u[3] = {a[1] * e[2] - a[2] * e[1], a[2] * e[0] - a[0] * e[2], a[0] * e[1] - a[1] * e[0]};
    double v[3] = {a[1] * u[2] - a[2] * u[1], a[2] * u[0] - a[0] * u[2], a[0] * u[1] - a[1] * u[0]};
    memset(t, 0, (size_t)(3 * j->rows) * sizeof *t);
    memset(r, 0, (size_t)(3 * j->rows) * sizeof *r);
    for (int i = 0; i < 3; i++) {
        t[4 * i] = sign;
        for (int c = 0; c < 3; c++)
            r[3 * i + c] = sign * turn[3 * i + c];
        if (j->rows > 3) {
            r[9 + i] = sign * u[i];
            r[12 + i] = sign * v[i];
        }
        if (j->rows > 5)
            r[15 + i] = sign * a[i];
    }
}

static void put(test_system *s, int row, int column, const double *g, int rows)
{
    double *forward = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, row, column));
    double *back = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, column, row));
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < 3; c++)
            forward[3 * i + c] = back[c * rows + i] = g[3 * i + c];
}

/* [W G^T; G 0]: bodies with random masses and inertias at random centres. */
static test_system *assemble(const char *name, int bodies, const joint *joints, int count)
{
    test_system *s = system_new(name);
    int n = 2 * bodies + count, *sizes = malloc((size_t)n * sizeof *sizes);
    double *centre = malloc(3 * (size_t)bodies * sizeof *centre), t[18], r[18];
    assert_true(sizes && centre);
    for (int i = 0; i < n; i++)
        sizes[i] = i < 2 * bodies ? 3 : joints[i - 2 * bodies].rows;
    assert_int_equal(nt_pattern_init(&s->pattern, n, 2 * bodies, sizes), NT_OK);
    for (int b = 0; b < bodies; b++) {
        nt_pattern_add(&s->pattern, 2 * b, 2 * b, NT_SCALED);
        nt_pattern_add(&s->pattern, 2 * b + 1, 2 * b + 1, NT_FULL);
    }
    for (int j = 0; j < count; j++)
        for (int e = 0; e < 2; e++)
            if (joints[j].ends[e] >= 0) {
                nt_block_shape shape = joints[j].rows == 3 ? NT_SCALED : NT_FULL;
                couple(&s->pattern, 2 * bodies + j, 2 * joints[j].ends[e], shape);
                couple(&s->pattern, 2 * bodies + j, 2 * joints[j].ends[e] + 1, NT_FULL);
            }
    assert_int_equal(nt_matrix_init(&s->matrix, &s->pattern), NT_OK);
    for (int b = 0; b < bodies; b++) {
        double *m = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, 2 * b, 2 * b));
        m[0] = m[4] = m[8] = 1.5 + uniform();
        m = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, 2 * b + 1, 2 * b + 1));
        for (int i = 0; i < 3; i++)
            for (int c = i; c < 3; c++)
                m[3 * i + c] = m[3 * c + i] = (i == c ? 0.5 : 0) + 0.1 * uniform();
        for (int i = 0; i < 3; i++)
            centre[3 * b + i] = 2 * uniform();
    }
    for (int j = 0; j < count; j++)
        for (int e = 0; e < 2; e++) {
            int body = joints[j].ends[e];
            if (body < 0)
                continue;
            joint_rows(&joints[j], centre + 3 * body, e ? -1 : 1, t, r);
            put(s, 2 * bodies + j, 2 * body, t, joints[j].rows);
            put(s, 2 * bodies + j, 2 * body + 1, r, joints[j].rows);
        }
    free(sizes);
    free(centre);
    return s;
}

/* The number of dependent rows; and that what is left solves all the rows, left out or not, for
 * a right-hand side that a motion satisfies. */
static void expect(test_system *s, int expected)
{
    int n = s->pattern.n, first = s->pattern.node_start[s->pattern.n_primary], found;
    unsigned char *dependent = malloc((size_t)n);
    double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b);
    double *y = calloc((size_t)n, sizeof *y);
    nt_solver *solver;
    assert_true(dependent && x && b && y);
    assert_int_equal(nt_solver_create(&solver, &s->pattern, NT_SOLVER_AUTO, NULL), NT_OK);
    assert_int_equal(nt_solver_factor_dependent(solver, &s->matrix, DEPENDENT, dependent, &found),
                     NT_OK);
    if (found != expected)
        fail_msg("%s: %d dependent rows instead of %d", s->name, found, expected);
    int marked = 0;
    for (int i = 0; i < n; i++) {
        marked += dependent[i];
        assert_true(i >= first || !dependent[i]);
    }
    assert_int_equal(marked, expected);

    for (int i = 0; i < first; i++)
        x[i] = uniform();
    nt_matrix_apply(&s->matrix, x, b);
    memcpy(x, b, (size_t)n * sizeof *x);
    assert_int_equal(nt_solver_solve(solver, x, 1), NT_OK);
    nt_matrix_apply(&s->matrix, x, y);
    for (int i = 0; i < n; i++) {
        if (fabs(y[i] - b[i]) > SATISFIED)
            fail_msg("%s: row %d is off by %g", s->name, i, y[i] - b[i]);
        if (dependent[i])
            assert_true(x[i] == 0);
    }
    assert_int_equal(nt_solver_get_statistics(solver)->fallbacks, 0);

    /* the same rows, left out by name */
    int *list = malloc((size_t)n * sizeof *list), count = 0;
    assert_non_null(list);
    for (int i = 0; i < n; i++)
        if (dependent[i])
            list[count++] = i;
    assert_int_equal(nt_solver_drop(solver, list, count), NT_OK);
    assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
    memcpy(y, b, (size_t)n * sizeof *y);
    assert_int_equal(nt_solver_solve(solver, y, 1), NT_OK);
    for (int i = 0; i < first; i++)
        assert_true(fabs(y[i] - x[i]) <= SATISFIED);
    free(list);
    free(dependent);
    free(x);
    free(b);
    free(y);
    nt_solver_destroy(solver);
    system_free(s);
}

static joint make_joint(int a, int b, int rows, const double *point, const double *axis)
{
    joint j = {.ends = {a, b}, .rows = rows};
    memcpy(j.point, point, sizeof j.point);
    double norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int i = 0; i < 3; i++)
        j.axis[i] = axis[i] / norm;
    return j;
}

static void random_point(double *p)
{
    for (int i = 0; i < 3; i++)
        p[i] = 2 * uniform();
}

/* ---- the mechanisms -------------------------------------------------------------------------- */

/* Three moving bodies, four parallel revolute axes: 20 equations for 17 lost freedoms. */
static void test_four_bar(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        joint joints[4];
        double axis[3], point[3];
        random_point(axis);
        for (int j = 0; j < 4; j++) {
            random_point(point);
            joints[j] = make_joint(j - 1, j < 3 ? j : -1, 5, point, axis);
        }
        expect(assemble("four-bar", 3, joints, 4), 3);
    }
}

/* Bricard's linkage moves although count says it should not: 30 equations of rank 29. */
static void test_bricard(void **state)
{
    (void)state;
    const double points[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    joint joints[6];
    for (int j = 0; j < 6; j++) {
        double axis[3] = {j % 3 == 2, j % 3 == 0, j % 3 == 1};
        joints[j] = make_joint(j - 1, j < 5 ? j : -1, 5, points[j], axis);
    }
    expect(assemble("Bricard", 5, joints, 6), 1);
}

static void test_independent(void **state)
{
    (void)state;
    for (int rows = 3; rows <= 6; rows += rows == 3 ? 2 : 1) {
        joint joints[64];
        double axis[3], point[3];
        for (int j = 0; j < 64; j++) {
            random_point(axis);
            random_point(point);
            joints[j] = make_joint(j - 1, j, rows, point, axis);
        }
        expect(assemble("chain", 64, joints, 64), 0);
    }
}

/* 512 bodies in a chain, every eighth joint twice. */
static void test_duplicates(void **state)
{
    (void)state;
    joint *joints = malloc(576 * sizeof *joints);
    double axis[3], point[3];
    int count = 0;
    assert_non_null(joints);
    for (int j = 0; j < 512; j++) {
        random_point(axis);
        random_point(point);
        joints[count++] = make_joint(j - 1, j, j % 16 ? 3 : 5, point, axis);
        if (j % 8 == 0) {
            joints[count] = joints[count - 1];
            count++;
        }
    }
    expect(assemble("duplicates", 512, joints, count), 32 * 5 + 32 * 3);
    free(joints);
}

/* A grid of bodies whose hinges are all parallel, rows joined in every second column: every closed
 * loop has three redundant rows. In the plane a part of k x l loops keeps 2 k + l freedoms of
 * shape, so that nothing else is redundant. */
static void test_planar_grid(void **state)
{
    (void)state;
    enum { SIDE = 12 }; /* deep enough to reach the dense fronts */
    joint *joints = malloc(2 * SIDE * SIDE * sizeof *joints);
    const double axis[3] = {0.3, -0.5, 0.8};
    double point[3];
    int count = 0;
    assert_non_null(joints);
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            int body = r * SIDE + c;
            if (c + 1 < SIDE) {
                random_point(point);
                joints[count++] = make_joint(body, body + 1, 5, point, axis);
            }
            if (r + 1 < SIDE && c % 2 == 0) {
                random_point(point);
                joints[count++] = make_joint(body, body + SIDE, 5, point, axis);
            }
        }
    int bodies = SIDE * SIDE, loops = count - (bodies - 1);
    expect(assemble("planar grid", bodies, joints, count), 3 * loops);
    free(joints);
}

/* A net of m x n meshes of rigid bars, hinged where they meet about parallel axes; one corner is
 * hinged to the ground. Its B = 2 m n + m + n bars and V = (m + 1)(n + 1) corners have J = 2 B - V
 * + 1 hinges and so J - B = m n independent loops. Across the plane each loop says three things
 * twice; within it the bars of a net bear no forces by themselves, and all equations count. */
static void bars(int m, int n)
{
    int bodies = 0, count = 0, most = 2 * (2 * m * n + m + n);
    const double axis[3] = {0, 0, 1};
    joint *joints = malloc((size_t)most * sizeof *joints);
    int *last = malloc((size_t)((m + 1) * (n + 1)) * sizeof *last); /* bar of each corner, or -2 */
    double(*corner)[3] = malloc((size_t)((m + 1) * (n + 1)) * sizeof *corner);
    assert_true(joints && last && corner);
    for (int i = 0; i < (m + 1) * (n + 1); i++) {
        corner[i][0] = i / (n + 1) + 0.2 * uniform();
        corner[i][1] = i % (n + 1) + 0.2 * uniform();
        corner[i][2] = 0;
        last[i] = i == 0 ? -1 : -2;
    }
    for (int along = 0; along < 2; along++)
        for (int i = 0; i < (m + 1) * (n + 1); i++) {
            if (along ? i / (n + 1) == m : i % (n + 1) == n)
                continue;
            int ends[2] = {i, along ? i + n + 1 : i + 1};
            for (int e = 0; e < 2; e++) {
                int *before = &last[ends[e]];
                if (*before > -2)
                    joints[count++] = make_joint(*before, bodies, 5, corner[ends[e]], axis);
                *before = bodies;
            }
            bodies++;
        }
    assert_int_equal(count - bodies, m * n);
    expect(assemble("bars", bodies, joints, count), 3 * m * n);
    free(joints);
    free(last);
    free(corner);
}

static void test_bars(void **state)
{
    (void)state;
    bars(3, 3);
    bars(11, 14);
    bars(2, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar),    cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_independent), cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_planar_grid), cmocka_unit_test(test_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
