/* The adapter: one system in both frames, and systems that know no map. The system here has every
 * kind of block, a mass matrix that is full and not symmetric, nonlinear multipliers and
 * constraints; its tangents are differences of eighth order of its residual, so that what is tested
 * is the adapter alone. */
#include "system/problem.h"

#include "base/vector3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_BLOCKS = 4, NV = 6 + 2 + 3 + 6, NQ = 7 + 2 + 4 + 7, NH = 2, NN = 1, NC = 3, N = NV + NC };

/* Differences of eighth order with a step of 0.01: 1e-13 and less of numbers of size 1 to 10, and
 * four products of them. */
static const double DIFFERENCES = 1e-10;

typedef struct any {
    nt_block blocks[N_BLOCKS];
    nt_system system;
} any;

/* ---- the system ----------------------------------------------------------------------------- */

static double number(int i, int j) { return sin(1.7 * i + 2.9 * j + 0.3 * i * j + 0.5); }

/* Numbers that name the place: positions, and rotation matrices. z[2 + 3 + 3 + 27] */
enum { N_PLACE = 8 + 27 };
static void place_of(const double *q, double z[N_PLACE])
{
    static const int x[8] = {0, 1, 2, 7, 8, 13, 14, 15}, rotation[3] = {3, 9, 16};
    for (int i = 0; i < 8; i++)
        z[i] = q[x[i]];
    for (int k = 0; k < 3; k++)
        m3_store(z + 8 + 9 * k, quat_matrix(quat_load(q + rotation[k])));
}

static double force(int i, const double *z, const nt_point *at)
{
    double sum = 0.3 * sin(at->t + i), multipliers[NC];
    memcpy(multipliers, at->lambda, NH * sizeof(double));
    multipliers[NH] = at->mu[0];
    for (int j = 0; j < N_PLACE; j++)
        sum += number(i, j) * z[j] * (1 + 0.1 * at->v[(i + j) % NV]);
    for (int j = 0; j < NV; j++)
        sum += 0.2 * number(j, i) * at->v[j] * at->v[(i + j) % NV];
    for (int j = 0; j < NC; j++)
        sum += number(i + 3, j) * (multipliers[j] + 0.1 * pow(multipliers[j], 3)) *
               (1 + 0.3 * z[j + 9]);
    return sum;
}

static double mass(int i, int j, const double *z)
{
    return (i == j ? 3 : 0) + 0.4 * number(i, j) * (1 + 0.2 * z[(i + j) % N_PLACE]);
}

/* Anything smooth serves as a row; vdot enters the rows at acceleration level. */
static double row(int i, const double *z, const nt_point *at, nt_level level)
{
    double sum = cos(at->t + i);
    for (int j = 0; j < N_PLACE; j++)
        sum += number(i + 40, j) * z[j] * (1 + 0.1 * z[(j + i + 1) % N_PLACE]);
    for (int j = 0; (level != NT_POSITION || i >= NH) && j < NV; j++)
        sum += number(i, j + 50) * at->v[j] * (1 + 0.3 * z[(j + i) % N_PLACE]);
    for (int j = 0; level == NT_ACCELERATION && j < NV; j++)
        sum += number(i, j + 70) * at->vdot[j] * (1 + z[j]);
    return sum;
}

/* out[N]: R of the parts, then rows */
static void equations(const nt_point *at, unsigned parts, nt_level level, double *out)
{
    double z[N_PLACE];
    place_of(at->q, z);
    for (int i = 0; i < NV; i++) {
        out[i] = parts & NT_IMPLICIT ? force(i, z, at) : 0;
        for (int j = 0; parts & NT_MASS && j < NV; j++)
            out[i] += mass(i, j, z) * at->vdot[j];
    }
    for (int i = 0; i < NC; i++)
        out[NV + i] = row(i, z, at, level);
}

enum { VDOT, V, Q, MULTIPLIERS };

static void moved(const any *s, const nt_point *at, int variable, int j, double delta, double *x,
                  nt_point *out)
{
    *out = *at;
    memset(x, 0, N * sizeof *x);
    if (variable == Q) {
        double dq[NV] = {0};
        dq[j] = delta;
        nt_space_compose(&s->system.space, s->system.frame, at->q, dq, x);
        out->q = x;
    } else if (variable == MULTIPLIERS) {
        memcpy(x, at->lambda, NH * sizeof *x);
        x[NH] = at->mu[0];
        x[j] += delta;
        out->lambda = x;
        out->mu = x + NH;
    } else {
        memcpy(x, variable == V ? at->v : at->vdot, NV * sizeof *x);
        x[j] += delta;
        *(variable == V ? &out->v : &out->vdot) = x;
    }
}

/* column[N] of the derivative, eighth order */
static void differentiate(const any *s, const nt_point *at, int variable, int j, unsigned parts,
                          nt_level level, double *column)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    double x[N > NQ ? N : NQ], out[N];
    memset(column, 0, N * sizeof *column);
    for (int k = 1; k <= 4; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            nt_point point;
            moved(s, at, variable, j, 0.01 * k * sign, x, &point);
            equations(&point, parts, level, out);
            for (int i = 0; i < N; i++)
                column[i] += sign * weight[k - 1] / 0.01 * out[i];
        }
}

static void add_column(const nt_matrix *matrix, int j, const double *column, double force_weight,
                       double row_weight)
{
    double *force_block = nt_matrix_block(matrix, j < NV ? 0 : 1);
    int width = j < NV ? NV : NC, at = j < NV ? j : j - NV;
    for (int i = 0; i < NV; i++)
        force_block[i * width + at] += force_weight * column[i];
    for (int i = 0; j < NV && i < NC; i++)
        nt_matrix_block(matrix, 2)[i * width + at] += row_weight * column[NV + i];
}

static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const any *s = self;
    double out[N];
    equations(at, terms->parts, terms->level, out);
    for (int i = 0; terms->residual && i < NV; i++)
        terms->residual[i] += out[i];
    for (int i = 0; terms->rows && i < NC; i++)
        terms->rows[i] = out[NV + i];
    const nt_combination *c = terms->combination;
    for (int variable = VDOT; terms->matrix && variable <= MULTIPLIERS; variable++) {
        const double weight[4] = {c->mass, c->damping, c->stiffness, c->multiplier};
        const double row_weight[4] = {c->row_mass, c->row_damping, c->row_stiffness, 0};
        for (int j = 0; j < (variable == MULTIPLIERS ? NC : NV); j++) {
            differentiate(s, at, variable, j, terms->parts, terms->level, out);
            add_column(terms->matrix, variable == MULTIPLIERS ? NV + j : j, out, weight[variable],
                       row_weight[variable]);
        }
    }
    return NT_OK;
}

static void make(any *s, nt_frame frame)
{
    *s = (any){
        .blocks = {
            {.kind = NT_R3SO3}, {.kind = NT_RN, .nv = 2}, {.kind = NT_SO3}, {.kind = NT_R3SO3}}};
    s->system = (nt_system){.name = "any",
                            .frame = frame,
                            .nh = NH,
                            .nn = NN,
                            .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS,
                            .self = s,
                            .evaluate = evaluate};
    nt_space_init(&s->system.space, s->blocks, N_BLOCKS);
    assert_int_equal(s->system.space.nv, NV);
    assert_int_equal(s->system.space.nq, NQ);
}

/* ---- points --------------------------------------------------------------------------------- */

typedef struct point {
    double q[NQ], v[NV], vdot[NV], multipliers[NC];
    nt_point at;
} point;

static void make_point(point *p, const nt_space *space)
{
    double dq[NV], zero[NQ];
    for (int i = 0; i < NV; i++) {
        dq[i] = number(i, 90);
        p->v[i] = number(i, 91);
        p->vdot[i] = number(i, 92);
    }
    for (int i = 0; i < NC; i++)
        p->multipliers[i] = number(i, 93);
    nt_space_identity(space, zero);
    nt_space_compose(space, NT_BODY, zero, dq, p->q);
    p->at = (nt_point){.t = 0.4,
                       .q = p->q,
                       .v = p->v,
                       .vdot = p->vdot,
                       .lambda = p->multipliers,
                       .mu = p->multipliers + NH};
}

static nt_problem *bind(const any *s, nt_frame frame)
{
    nt_problem *problem = NULL;
    nt_error error = {0};
    if (nt_problem_create(&problem, &s->system, frame, &error) != NT_OK)
        fail_msg("%s", error.message);
    return problem;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* R and rows in the other frame are those of the system, moments turned, velocities turned. */
static void same_equations_in_both_frames(void **state)
{
    (void)state;
    for (nt_frame own = NT_INERTIAL; own <= NT_BODY; own++)
        for (nt_level level = NT_POSITION; level <= NT_ACCELERATION; level++) {
            any s;
            point p;
            nt_frame other = own == NT_BODY ? NT_INERTIAL : NT_BODY;
            make(&s, own);
            make_point(&p, &s.system.space);
            nt_problem *problem = bind(&s, other);
            double r[NV], rows[NC], wanted[NV], wanted_rows[NC], v[NV], vdot[NV];
            for (int i = 0; i < NV; i++)
                r[i] = number(i, 95); /* evaluate adds */
            nt_terms terms = {.parts = NT_ALL_PARTS, .level = level, .residual = r, .rows = rows};
            assert_int_equal(nt_problem_evaluate(problem, &p.at, &terms), NT_OK);

            nt_point inner = p.at;
            nt_space_change_frame(&s.system.space, other, own, p.q, p.v, v);
            nt_space_change_frame(&s.system.space, other, own, p.q, p.vdot, vdot);
            inner.v = v;
            inner.vdot = vdot;
            memset(wanted, 0, sizeof wanted);
            terms.residual = wanted;
            terms.rows = wanted_rows;
            assert_int_equal(evaluate(&s, &inner, &terms), NT_OK);
            nt_space_change_frame(&s.system.space, own, other, p.q, wanted, wanted);
            for (int i = 0; i < NV; i++)
                assert_true(fabs(r[i] - number(i, 95) - wanted[i]) < 1e-12);
            for (int i = 0; i < NC; i++)
                assert_true(rows[i] == wanted_rows[i]);
            nt_problem_destroy(problem);
        }
}

/* Plain tangents of a hand-written system in both frames, at every level. */
static void tangents_in_both_frames(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        any s;
        point p;
        make(&s, (nt_frame)(k / 2));
        make_point(&p, &s.system.space);
        nt_problem *problem = bind(&s, (nt_frame)(k % 2));
        nt_matrix matrix;
        assert_int_equal(nt_matrix_init(&matrix, problem->pattern), NT_OK);
        nt_error error = {0};
        double off = 1;
        assert_int_equal(nt_problem_check_tangent(problem, &p.at, 1e-5, &off, &error), NT_OK);
        assert_true(off < 1e-8); /* of central differences with a step of 1e-5 */
        nt_matrix_free(&matrix);
        nt_problem_destroy(problem);
    }
}

/* What nt_combination says, by differences of the problem's own residual: dvdot = m Y e + k s w'~
 * e, dv = c X e + k s w~ e, dq = k e in the rows of R, and likewise in the constraint rows. */
typedef struct variation {
    nt_problem *problem;
    const point *p;
    nt_level level;
    double m, c, k, s;
    const double *X, *Y;
} variation;

static void vary(const variation *w, int j, double delta, double *out)
{
    const nt_space *space = &w->problem->space;
    double dq[NV] = {0}, v[NV], vdot[NV], q[NQ];
    memcpy(v, w->p->v, sizeof v);
    memcpy(vdot, w->p->vdot, sizeof vdot);
    dq[j] = w->k * delta;
    const nt_block *block = space->blocks;
    while (j >= block->v + block->nv)
        block++;
    int r = block->v + block->nv - 3;
    if (block->rotation < 0 || j < r) {
        v[j] += w->c * delta;
        vdot[j] += w->m * delta;
    } else {
        v3 e = v3_of(j == r, j == r + 1, j == r + 2);
        v3 Xe = w->X ? m3_apply(m3_load(w->X + 9 * block->rotation), e) : e;
        v3 Ye = w->Y ? m3_apply(m3_load(w->Y + 9 * block->rotation), e) : Xe;
        v3 turn_v = v3_scale(w->k * w->s, v3_cross(v3_load(w->p->v + r), e));
        v3 turn_a = v3_scale(w->k * w->s, v3_cross(v3_load(w->p->vdot + r), e));
        v3_accumulate(v + r, v3_scale(delta, v3_axpy(w->c, Xe, turn_v)));
        v3_accumulate(vdot + r, v3_scale(delta, v3_axpy(w->m, Ye, turn_a)));
    }
    nt_space_compose(space, w->problem->frame, w->p->q, dq, q);
    nt_point at = w->p->at;
    at.q = q;
    at.v = v;
    at.vdot = vdot;
    memset(out, 0, N * sizeof *out);
    nt_terms terms = {.parts = NT_ALL_PARTS, .level = w->level, .residual = out, .rows = out + NV};
    assert_int_equal(nt_problem_evaluate(w->problem, &at, &terms), NT_OK);
}

static void check_columns(const variation *w, const double *dense, int first, int end)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    for (int j = 0; j < NV; j++) {
        double sum[N] = {0}, out[N];
        for (int k = 1; k <= 4; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                vary(w, j, 0.01 * k * sign, out);
                for (int i = 0; i < N; i++)
                    sum[i] += sign * weight[k - 1] / 0.01 * out[i];
            }
        for (int i = first; i < end; i++)
            if (!(fabs(sum[i] - dense[i * N + j]) < DIFFERENCES * 100))
                fail_msg("row %d column %d: %.12g, by differences %.12g", i, j, dense[i * N + j],
                         sum[i]);
    }
}

/* Maps X, Y or none; turn where the frames are the same (the adapter between frames has its own);
 * into a matrix that already holds something. */
static void maps_and_turn(void **state)
{
    (void)state;
    double X[27], Y[27];
    for (int i = 0; i < 27; i++) {
        X[i] = (i % 9 % 4 == 0) + 0.3 * number(i, 80);
        Y[i] = (i % 9 % 4 == 0) + 0.3 * number(i, 81);
    }
    for (int k = 0; k < 4; k++)
        for (int maps = 0; maps < 4; maps++) {
            any s;
            point p;
            nt_frame own = (nt_frame)(k / 2), frame = (nt_frame)(k % 2);
            make(&s, own);
            make_point(&p, &s.system.space);
            nt_problem *problem = bind(&s, frame);
            nt_combination c = {.mass = 0.7,
                                .damping = -1.3,
                                .stiffness = 0.4,
                                .multiplier = 0.6,
                                .row_mass = 1.1,
                                .row_damping = 0.5,
                                .row_stiffness = -0.8,
                                .map = maps & 1 ? X : NULL,
                                .map_mass = maps & 2 ? Y : NULL,
                                .turn = own != frame ? 0
                                        : maps == 0  ? 1
                                                     : -1};
            nt_level level = (nt_level)((k + maps) % 3);
            double held[N * N], dense[N * N], r[NV] = {0}, rows[NC];
            nt_matrix filled, *matrix = &filled;
            assert_int_equal(nt_matrix_init(matrix, problem->pattern), NT_OK);
            int entries = problem->pattern->offset[problem->pattern->n_slots];
            for (int i = 0; i < entries; i++)
                matrix->values[i] = number(i, 7);
            nt_matrix_dense(matrix, held);
            nt_terms terms = {.parts = NT_ALL_PARTS,
                              .level = level,
                              .residual = k % 2 ? r : NULL,
                              .rows = rows,
                              .matrix = matrix,
                              .combination = &c};
            assert_int_equal(nt_problem_evaluate(problem, &p.at, &terms), NT_OK);
            nt_matrix_dense(matrix, dense);
            for (int i = 0; i < N * N; i++)
                dense[i] -= held[i];
            variation w = {problem,     &p,     level, c.mass,    c.damping,
                           c.stiffness, c.turn, c.map, c.map_mass};
            check_columns(&w, dense, 0, NV);
            w.m = c.row_mass, w.c = c.row_damping, w.k = c.row_stiffness;
            check_columns(&w, dense, NV, N);
            for (int i = 0; i < NC; i++) /* nothing is put where multipliers meet rows */
                for (int j = 0; j < NC; j++)
                    assert_true(dense[(NV + i) * N + NV + j] == 0);
            nt_matrix_free(matrix);
            nt_problem_destroy(problem);
        }
}

/* Multiplier columns: weight times R_lambda, R_mu, turned. */
static void multiplier_columns(void **state)
{
    (void)state;
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    double X[27];
    for (int i = 0; i < 27; i++)
        X[i] = (i % 9 % 4 == 0) + 0.3 * number(i, 80);
    for (int k = 0; k < 4; k++) {
        any s;
        point p;
        make(&s, (nt_frame)(k / 2));
        make_point(&p, &s.system.space);
        nt_problem *problem = bind(&s, (nt_frame)(k % 2));
        nt_matrix matrix;
        assert_int_equal(nt_matrix_init(&matrix, problem->pattern), NT_OK);
        nt_combination c = {.mass = 1, .stiffness = 1, .multiplier = 0.6, .map = X};
        nt_terms terms = {.parts = NT_ALL_PARTS, .matrix = &matrix, .combination = &c};
        double dense[N * N];
        nt_matrix_zero(&matrix);
        assert_int_equal(nt_problem_evaluate(problem, &p.at, &terms), NT_OK);
        nt_matrix_dense(&matrix, dense);
        for (int j = 0; j < NC; j++) {
            double sum[NV] = {0};
            for (int d = -4; d <= 4; d++) {
                double r[NV] = {0}, x[NC];
                if (d == 0)
                    continue;
                memcpy(x, p.multipliers, sizeof x);
                x[j] += 0.01 * d;
                nt_point at = p.at;
                at.lambda = x;
                at.mu = x + NH;
                nt_terms plain = {.parts = NT_ALL_PARTS, .residual = r};
                assert_int_equal(nt_problem_evaluate(problem, &at, &plain), NT_OK);
                for (int i = 0; i < NV; i++)
                    sum[i] += (d > 0 ? 1 : -1) * weight[abs(d) - 1] / 0.01 * r[i];
            }
            for (int i = 0; i < NV; i++)
                assert_true(fabs(dense[i * N + NV + j] - 0.6 * sum[i]) < DIFFERENCES * 10);
        }
        nt_matrix_free(&matrix);
        nt_problem_destroy(problem);
    }
}

/* Asked for the matrix alone, between frames: the residual, which enters the tangent, is there. */
static void matrix_without_residual(void **state)
{
    (void)state;
    any s;
    point p;
    double first[N * N], second[N * N], r[NV] = {0};
    make(&s, NT_BODY);
    make_point(&p, &s.system.space);
    nt_problem *problem = bind(&s, NT_INERTIAL);
    nt_matrix matrix;
    assert_int_equal(nt_matrix_init(&matrix, problem->pattern), NT_OK);
    nt_combination c = {.stiffness = 1};
    nt_terms terms = {.parts = NT_ALL_PARTS, .matrix = &matrix, .combination = &c};
    nt_matrix_zero(&matrix);
    assert_int_equal(nt_problem_evaluate(problem, &p.at, &terms), NT_OK);
    nt_matrix_dense(&matrix, first);
    terms.residual = r;
    nt_matrix_zero(&matrix);
    assert_int_equal(nt_problem_evaluate(problem, &p.at, &terms), NT_OK);
    nt_matrix_dense(&matrix, second);
    for (int i = 0; i < N * N; i++)
        assert_true(first[i] == second[i]);
    nt_matrix_free(&matrix);
    nt_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_equations_in_both_frames),
        cmocka_unit_test(tangents_in_both_frames),
        cmocka_unit_test(maps_and_turn),
        cmocka_unit_test(multiplier_columns),
        cmocka_unit_test(matrix_without_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
