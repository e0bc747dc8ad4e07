/* A heavy top as a system written by hand, by two methods, with a check of its tangent. */
#include <nutate/nutate.h>
#include <stdio.h>
#include <string.h>

typedef struct top {
    double m, J[3], X[3]; /* kg, kg m^2 about the centre of mass, m from the pivot: body axes */
    double gravity[3];    /* m/s^2, ground axes */
} top;

typedef struct matrix {
    double at[3][3];
} matrix;

/* The matrix with skew(a) b = a x b. */
static matrix skew(const double a[3])
{
    return (matrix){{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}};
}

static matrix product(matrix a, matrix b)
{
    matrix out = {0};
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++)
            out.at[i / 3][i % 3] += a.at[i / 3][k] * b.at[k][i % 3];
    return out;
}

static matrix transposed(matrix a)
{
    matrix out;
    for (int i = 0; i < 9; i++)
        out.at[i / 3][i % 3] = a.at[i % 3][i / 3];
    return out;
}

static void apply(matrix a, const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a.at[i][0] * b[0] + a.at[i][1] * b[1] + a.at[i][2] * b[2];
}

/* Adds s A to the 3 x 3 part of a block with `width` columns that begins at (row, column). */
static void add(double *block, int width, int row, int column, double s, matrix a)
{
    for (int i = 0; i < 9; i++)
        block[(row + i / 3) * width + column + i % 3] += s * a.at[i / 3][i % 3];
}

static const matrix one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/* q = (x, orientation R), v = (x', W) with the angular velocity W in body axes:
 *
 *   0 = m x'' - m g + lambda
 *   0 = J W' + W x J W - X x R^T lambda
 *   0 = x - R X                                 and x' - R (W x X), x'' - R (W' x X + W x (W x X))
 */
static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const top *p = self;
    const double *W = at->v + 3, *X = p->X;
    const matrix J = {{{p->J[0], 0, 0}, {0, p->J[1], 0}, {0, 0, p->J[2]}}};
    matrix R;
    nt_so3_matrix(at->q + 3, (double *)&R);
    double L[3], JW[3], u[3], w[3], b[3] = {X[0], X[1], X[2]}, row[3];
    apply(transposed(R), at->lambda, L); /* the reaction in body axes */
    apply(J, W, JW);
    apply(skew(W), X, u); /* of the arm: its velocity in body axes */
    apply(skew(W), u, w);
    if (terms->level == NT_VELOCITY)
        memcpy(b, u, sizeof b);
    if (terms->level == NT_ACCELERATION) {
        apply(skew(at->vdot + 3), X, b);
        for (int i = 0; i < 3; i++)
            b[i] += w[i];
    }

    if (terms->residual) {
        double spin[3], moment[3];
        apply(skew(W), JW, spin);
        apply(skew(X), L, moment);
        for (int i = 0; i < 3; i++) {
            if (terms->parts & NT_MASS) {
                terms->residual[i] += p->m * at->vdot[i];
                terms->residual[3 + i] += p->J[i] * at->vdot[3 + i];
            }
            if (terms->parts & NT_GYROSCOPIC)
                terms->residual[3 + i] += spin[i];
            if (terms->parts & NT_IMPLICIT)
                terms->residual[i] -= p->m * p->gravity[i];
            if (terms->parts & NT_REACTIONS) {
                terms->residual[i] += at->lambda[i];
                terms->residual[3 + i] -= moment[i];
            }
        }
    }
    if (terms->rows) {
        const double *x = terms->level == NT_POSITION   ? at->q
                          : terms->level == NT_VELOCITY ? at->v
                                                        : at->vdot;
        apply(R, b, row);
        for (int i = 0; i < 3; i++)
            terms->rows[i] = x[i] - row[i];
    }
    if (terms->matrix) {
        const nt_combination *c = terms->combination;
        double *vv = nt_matrix_block(terms->matrix, 0); /* [6][6] */
        double *vl = nt_matrix_block(terms->matrix, 1); /* [6][3] */
        double *lv = nt_matrix_block(terms->matrix, 2); /* [3][6] */
        matrix arm = product(R, skew(X));               /* d(R X) = -R X~ dTheta */
        if (terms->parts & NT_MASS) {
            add(vv, 6, 0, 0, c->mass * p->m, one);
            add(vv, 6, 3, 3, c->mass, J);
        }
        if (terms->parts & NT_GYROSCOPIC) { /* d(W x J W) = (W~ J - (J W)~) dW */
            add(vv, 6, 3, 3, c->damping, product(skew(W), J));
            add(vv, 6, 3, 3, -c->damping, skew(JW));
        }
        if (terms->parts & NT_REACTIONS) { /* d(R^T lambda) = L~ dTheta */
            add(vv, 6, 3, 3, -c->stiffness, product(skew(X), skew(L)));
            add(vl, 3, 0, 0, c->multiplier, one);
            add(vl, 3, 3, 0, c->multiplier, transposed(arm));
        }
        /* what is highest at this level enters as positions do */
        double first = terms->level == NT_POSITION   ? c->row_stiffness
                       : terms->level == NT_VELOCITY ? c->row_damping
                                                     : c->row_mass;
        add(lv, 6, 0, 0, first, one);
        add(lv, 6, 0, 3, first, arm);
        if (terms->level != NT_POSITION) /* d(R b) = -R b~ dTheta */
            add(lv, 6, 0, 3, c->row_stiffness, product(R, skew(b)));
        if (terms->level == NT_ACCELERATION) { /* d(W x (W x X)) = -(u~ + W~ X~) dW */
            add(lv, 6, 0, 3, c->row_damping, product(R, skew(u)));
            add(lv, 6, 0, 3, c->row_damping, product(R, product(skew(W), skew(X))));
        }
    }
    return NT_OK;
}

static void at_end(const nt_method *method, const nt_integrator *run)
{
    nt_state state = nt_integrator_state(run);
    printf("%-20s x = %.6f %.6f %.6f m, steps %ld\n", nt_method_name(method), state.q[0],
           state.q[1], state.q[2], nt_integrator_statistics(run)->steps);
}

/* Two seconds by a method. */
static nt_status follow(const nt_system *system, const char *name, double tolerance,
                        nt_error *error)
{
    const double q[7] = {0, 1, 0, 1, 0, 0, 0}; /* level; quaternion w, x, y, z */
    const double v[6] = {4.61538, 0, 0, 0, 150, -4.61538};
    const nt_method *method = nt_method_find(name);
    nt_integrator_setup setup = {.system = system,
                                 .method = method,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    nt_integrator *run = NULL;
    double difference = 0;
    nt_status status = nt_integrator_create(&run, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_start(run, 0, q, v, NULL, error);
    if (status == NT_OK) {
        nt_state s = nt_integrator_state(run);
        const nt_point at = {s.t, s.q, s.v, s.vdot, s.lambda, s.mu, s.memory};
        status = nt_system_check_tangent(system, &at, 1e-6, &difference, error);
    }
    if (status == NT_OK && difference > 1e-6)
        printf("the tangent is wrong by %g\n", difference);
    if (status == NT_OK)
        status = nt_integrator_run(run, 2, 1e-3, NULL, NULL, error);
    if (status == NT_OK)
        at_end(method, run);
    nt_integrator_destroy(run);
    return status;
}

int main(void)
{
    top p = {15, {0.234375, 0.46875, 0.234375}, {0, 1, 0}, {0, 0, -9.81}};
    nt_block body = {.kind = NT_R3SO3};
    nt_system system = {.name = "heavy top",
                        .self = &p,
                        .evaluate = evaluate,
                        .frame = NT_BODY,
                        .nh = 3,
                        .length = 1,
                        .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS | NT_AFFINE};
    nt_error error = {0};
    nt_space_init(&system.space, &body, 1);
    nt_status status = follow(&system, "generalized-alpha", 0, &error);
    if (status == NT_OK)
        status = follow(&system, "rkmk-dop853", 1e-10, &error);
    fputs(error.message, stderr);
    return status != NT_OK;
}
