/*   m x'' - lambda = m g,   J W' + W x J W + X x R^T lambda = 0,   0 = R X - x
 *
 * With L = R^T lambda the moment X x L turns with the body, dL = L x dTheta:
 *   K_t = X~ L~ = L X^T - (X . L) I,   symmetrised (L X^T + X L^T)/2 - (X . L) I. */
#include "papers/bruls-eberhard/top.h"
#include "papers/common/vector.h"

static const double J[3] = {0.234375, 0.46875, 0.234375}; /* kg m^2 */
static const double X[3] = {0, 1, 0};                     /* m */
static const double gravity[3] = {0, 0, -9.81};           /* m/s^2 */

const double nt_paper_top_q0[7] = {0, 1, 0, 1, 0, 0, 0};
const double nt_paper_top_v0[6] = {4.61538, 0, 0, 0, 150, -4.61538}; /* x' = W x X */

static void apply(const double *R, const double *a, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}

static void apply_transposed(const double *R, const double *a, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}

static void add_residual(const nt_paper_top *p, const nt_point *at, unsigned parts, const double *L,
                         double *r)
{
    const double *W = at->v + 3, JW[3] = {J[0] * W[0], J[1] * W[1], J[2] * W[2]};
    double spin[3], moment[3];
    cross(W, JW, spin);
    cross(X, L, moment);
    for (int i = 0; i < 3; i++) {
        if (parts & NT_MASS) {
            r[i] += p->m * at->vdot[i];
            r[3 + i] += J[i] * at->vdot[3 + i];
        }
        if (parts & NT_GYROSCOPIC)
            r[3 + i] += spin[i];
        if (parts & NT_IMPLICIT)
            r[i] -= p->m * gravity[i];
        if (parts & NT_REACTIONS) {
            r[i] -= at->lambda[i];
            r[3 + i] += moment[i];
        }
    }
}

/* R X - x and its time derivatives: with u = W x X, R u - x' and R (W' x X + W x u) - x''. */
static void write_rows(const nt_point *at, nt_level level, const double *R, double *rows)
{
    const double *W = at->v + 3, *from = at->q;
    double body[3] = {X[0], X[1], X[2]}, u[3], w[3];
    cross(W, X, u);
    if (level == NT_VELOCITY) {
        from = at->v;
        for (int i = 0; i < 3; i++)
            body[i] = u[i];
    } else if (level == NT_ACCELERATION) {
        from = at->vdot;
        cross(W, u, w);
        cross(at->vdot + 3, X, body);
        for (int i = 0; i < 3; i++)
            body[i] += w[i];
    }
    apply(R, body, rows);
    for (int i = 0; i < 3; i++)
        rows[i] -= from[i];
}

/* A column of a block: unit vector j of dTheta, dW or lambda. */
static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void add_tangent(const nt_paper_top *p, const nt_point *at, const nt_terms *terms,
                        const double *R, const double *L)
{
    const nt_combination *c = terms->combination;
    double *vv = nt_matrix_block(terms->matrix, 0), *vl = nt_matrix_block(terms->matrix, 1);
    const double *W = at->v + 3, JW[3] = {J[0] * W[0], J[1] * W[1], J[2] * W[2]};
    double XL = X[0] * L[0] + X[1] * L[1] + X[2] * L[2];
    for (int j = 0; j < 3; j++) {
        double a[3], b[3], column[3], local[3], Je[3] = {0};
        if (terms->parts & NT_MASS) {
            vv[7 * j] += c->mass * p->m;
            vv[7 * (3 + j)] += c->mass * J[j];
        }
        Je[j] = J[j];
        cross(W, Je, a);
        cross(unit[j], JW, b);
        apply_transposed(R, unit[j], local);
        cross(X, local, column);
        for (int i = 0; i < 3; i++) {
            if (terms->parts & NT_GYROSCOPIC)
                vv[6 * (3 + i) + 3 + j] += c->damping * (a[i] + b[i]);
            if (!(terms->parts & NT_REACTIONS))
                continue;
            double K = p->symmetric ? (L[i] * X[j] + X[i] * L[j]) / 2 : L[i] * X[j];
            vv[6 * (3 + i) + 3 + j] += c->stiffness * (K - (i == j ? XL : 0));
            vl[3 * i + j] -= c->multiplier * (i == j);
            vl[3 * (3 + i) + j] += c->multiplier * column[i];
        }
    }
}

/* Of a vector R b(W, W') fixed in the body: R (dTheta x b + db). */
static void add_row_tangent(const nt_point *at, const nt_terms *terms, const double *R)
{
    const nt_combination *c = terms->combination;
    double *lv = nt_matrix_block(terms->matrix, 2), u[3], w[3], turned[3], b[3] = {0};
    const double *W = at->v + 3;
    cross(W, X, u);
    cross(W, u, w);
    cross(at->vdot + 3, X, turned);
    for (int i = 0; i < 3; i++)
        b[i] = terms->level == NT_POSITION   ? X[i]
               : terms->level == NT_VELOCITY ? u[i]
                                             : turned[i] + w[i];
    double first = terms->level == NT_POSITION   ? c->row_stiffness
                   : terms->level == NT_VELOCITY ? c->row_damping
                                                 : c->row_mass;
    for (int j = 0; j < 3; j++) {
        double spin[3], eX[3], eu[3], WeX[3], local[3] = {0}, ground[3];
        cross(unit[j], b, spin);
        cross(unit[j], X, eX);
        cross(unit[j], u, eu);
        cross(W, eX, WeX);
        for (int i = 0; i < 3; i++) {
            local[i] = c->row_stiffness * spin[i];
            if (terms->level == NT_VELOCITY)
                local[i] += c->row_damping * eX[i];
            if (terms->level == NT_ACCELERATION)
                local[i] += c->row_damping * (eu[i] + WeX[i]) + c->row_mass * eX[i];
        }
        apply(R, local, ground);
        for (int i = 0; i < 3; i++) {
            lv[6 * i + j] -= first * (i == j);
            lv[6 * i + 3 + j] += ground[i];
        }
    }
}

static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const nt_paper_top *p = self;
    double R[9], L[3];
    nt_so3_matrix(at->q + 3, R);
    apply_transposed(R, at->lambda, L);
    if (terms->residual)
        add_residual(p, at, terms->parts, L, terms->residual);
    if (terms->rows)
        write_rows(at, terms->level, R, terms->rows);
    if (terms->matrix) {
        add_tangent(p, at, terms, R, L);
        add_row_tangent(at, terms, R);
    }
    return NT_OK;
}

static nt_status set_parameters(void *self, const double *value)
{
    ((nt_paper_top *)self)->m = value[0];
    return NT_OK;
}

static void get_parameters(void *self, double *value) { value[0] = ((nt_paper_top *)self)->m; }

void nt_paper_top_init(nt_paper_top *top)
{
    static const char *const names[] = {"m"};
    top->m = 15;
    top->block = (nt_block){.kind = NT_R3SO3};
    top->system =
        (nt_system){.name = "heavy top",
                    .frame = NT_BODY,
                    .nh = 3,
                    .n_parameters = 1,
                    .parameter_names = names,
                    .self = top,
                    .evaluate = evaluate,
                    .set_parameters = set_parameters,
                    .get_parameters = get_parameters,
                    .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS | NT_AFFINE | NT_HAS_PARAMETERS};
    nt_space_init(&top->system.space, &top->block, 1);
}
