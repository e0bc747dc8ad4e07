/* Newton's matrix of both BDF codes, assembled from four looks at the system's tangent and
 * factorised by the library's own sparse solvers, behind SUNDIALS' interfaces of matrix and linear
 * solver.
 *
 * Let c_j be the leading coefficient of the formula (dy' = c_j dy), gamma = 1/c_j, and let the
 * unknowns be scaled so that all four have the size of velocities and forces:
 *
 *   dq = gamma e (an increment),   dv = u,   dlambda = l/gamma,   deta = k.
 *
 * A quaternion turned by a small dq changes w by c_j X dq: with W' = 2 vec(q* q'), dq -> q (0,
 * dq/2) and |q| = 1,
 *
 *   dw = 2 vec(q* dq' + dq* q') = c_j dq + w x dq/2,   X = I + c~,   c = gamma w/2
 *
 * (c = -gamma w/2 in the inertial frame). The formula's q' of points of unit length is not quite
 * normal to q, nor w quite v: dw = c_j dq + w x dq/2 - (q . q') dq. Linearised steps take it so;
 * Newton's iteration does with v and without the last, a difference of the size of h. With F1, F2
 * gamma, F3 c_j, F4 as right-hand sides
 *
 *   [ M X + gamma K1     -M           R_lambda   0        ] [ e ]
 *   [ gamma^2 K          M + gamma C  0          R_lambda ] [ u ]
 *   [ Phi_q              0            0          0        ] [ k ]
 *   [ gamma (d4/dq)      d4/dv        0          0        ] [ l ]
 *
 * K1 = d(M (w - v) + r(eta))/dq. All entries stay of the size of M and G as gamma goes to zero.
 * CVODE's matrix I - gamma J is the same without constraints, but X: see bdf_cvode.c. */
#include "group/block.h"
#include "group/rotation.h"
#include "method/bdf/bdf.h"

#include <stdlib.h>
#include <string.h>

/* ---- the doubled pattern -------------------------------------------------------------------- */

static nt_status double_pattern(nt_bdf_newton *w, const nt_pattern *p, int *sizes)
{
    for (int node = 0; node < p->n_nodes; node++)
        sizes[node] = 2 * (p->node_start[node + 1] - p->node_start[node]);
    nt_status status = nt_pattern_init(&w->pattern, p->n_nodes, p->n_primary, sizes);
    if (status != NT_OK)
        return status;
    for (int slot = 0; slot < p->n_slots; slot++) {
        w->slot[slot] = nt_pattern_add(&w->pattern, p->row[slot], p->column[slot], NT_FULL);
        if (w->slot[slot] < 0)
            return NT_NO_MEMORY;
    }
    for (int node = 0; node < p->n_primary; node++) /* M and 1 are there, whatever M is */
        if (nt_pattern_add(&w->pattern, node, node, NT_FULL) < 0)
            return NT_NO_MEMORY;
    for (int node = 0; node < p->n_nodes; node++) {
        int start = p->node_start[node], size = p->node_start[node + 1] - start;
        for (int i = 0; i < size; i++) {
            w->first[start + i] = 2 * start + i;
            w->second[start + i] = 2 * start + size + i;
        }
    }
    return NT_OK;
}

/* ---- SUNDIALS' interfaces ------------------------------------------------------------------- */

static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int matrix_zero(SUNMatrix matrix) /* filling begins with it anyway */
{
    (void)matrix;
    return 0;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static int solver_initialize(SUNLinearSolver solver)
{
    (void)solver;
    return 0;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    (void)matrix;
    nt_bdf *b = solver->content;
    b->stepper->statistics->factorisations++;
    b->fresh = true;
    return nt_bdf_outcome(b, nt_solver_factor(b->newton.solver, &b->newton.matrix));
}

static int solver_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector right,
                        double tolerance)
{
    (void)matrix, (void)tolerance;
    nt_bdf *b = solver->content;
    b->stepper->statistics->solves++;
    const double *from = N_VGetArrayPointer(right);
    double *to = N_VGetArrayPointer(x);
    return nt_bdf_outcome(b, b->code->solve(b, from, to));
}

static int solver_free(SUNLinearSolver solver) /* content is freed by its owner */
{
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static nt_status create_interfaces(nt_bdf *b)
{
    b->matrix = SUNMatNewEmpty(b->context);
    b->linear = SUNLinSolNewEmpty(b->context);
    if (!b->matrix || !b->linear)
        return NT_NO_MEMORY;
    b->matrix->ops->getid = matrix_id;
    b->matrix->ops->zero = matrix_zero;
    b->linear->content = b;
    b->linear->ops->gettype = solver_type;
    b->linear->ops->getid = solver_id;
    b->linear->ops->initialize = solver_initialize;
    b->linear->ops->setup = solver_setup;
    b->linear->ops->solve = solver_solve;
    b->linear->ops->free = solver_free;
    return NT_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

static nt_status create_matrix(nt_bdf *b)
{
    const nt_problem *p = b->problem;
    nt_bdf_newton *w = &b->newton;
    w->first = NT_TAKE(&b->arena, p->n, int);
    w->second = NT_TAKE(&b->arena, p->n, int);
    w->slot = NT_TAKE(&b->arena, p->pattern->n_slots, int);
    w->left_out = NT_TAKE(&b->arena, 2 * (size_t)p->nc, int);
    w->map = NT_TAKE(&b->arena, 9 * (size_t)p->space.n_rotations, double);
    w->length = NT_TAKE(&b->arena, p->space.n_rotations, double);
    w->z = NT_TAKE(&b->arena, 2 * (size_t)p->n, double);
    w->product = NT_TAKE(&b->arena, 2 * (size_t)p->n, double);
    w->stretch = NT_TAKE(&b->arena, p->space.n_rotations, double);
    w->at_q = NT_TAKE(&b->arena, b->counted, double);
    int *sizes = NT_TAKE(&b->arena, p->pattern->n_nodes, int);
    if (!w->stretch || !w->at_q || !w->first || !w->second || !w->slot || !w->left_out || !w->map ||
        !w->length || !w->z || !w->product || !sizes)
        return NT_NO_MEMORY;
    w->at_v = w->at_q + p->nq;
    if (b->code == &nt_bdf_cvode && !b->kept_damping) {
        size_t values = (size_t)p->pattern->offset[p->pattern->n_slots];
        b->kept_stiffness = NT_TAKE(&b->arena, values, double);
        b->kept_damping = NT_TAKE(&b->arena, values, double);
        if (!b->kept_stiffness || !b->kept_damping)
            return NT_NO_MEMORY;
    }
    nt_status status = double_pattern(w, p->pattern, sizes);
    if (status == NT_OK)
        status = nt_matrix_init(&w->matrix, &w->pattern);
    if (status == NT_OK)
        status = nt_solver_create(&w->solver, &w->pattern, NT_SOLVER_AUTO, NULL);
    return status;
}

nt_status nt_bdf_newton_create(nt_bdf *b)
{
    nt_status status = create_matrix(b);
    return status == NT_OK ? create_interfaces(b) : status;
}

nt_status nt_bdf_newton_create_other(nt_bdf *b)
{
    if (b->other.solver)
        return NT_OK;
    nt_bdf_newton_exchange(b);
    nt_status status = create_matrix(b);
    nt_bdf_newton_exchange(b);
    return status;
}

void nt_bdf_newton_exchange(nt_bdf *b)
{
    nt_bdf_newton kept = b->newton;
    b->newton = b->other;
    b->other = kept;
}

static void destroy_matrix(nt_bdf_newton *w)
{
    nt_solver_destroy(w->solver);
    nt_matrix_free(&w->matrix);
    nt_pattern_free(&w->pattern);
}

void nt_bdf_newton_destroy(nt_bdf *b)
{
    if (b->linear)
        SUNLinSolFree(b->linear);
    if (b->matrix)
        SUNMatFreeEmpty(b->matrix);
    destroy_matrix(&b->newton);
    destroy_matrix(&b->other);
}

/* Nonholonomic rows have no eta. */
nt_status nt_bdf_newton_choose_rows(nt_bdf *b)
{
    const nt_problem *p = b->problem;
    nt_bdf_newton *w = &b->newton;
    int count = 0;
    for (int i = p->nv + p->nh; i < p->n; i++)
        w->left_out[count++] = w->first[i];
    for (int i = 0; i < b->stepper->factors->n_dropped; i++) {
        if (b->stepper->factors->dropped[i] < p->nv + p->nh)
            w->left_out[count++] = w->first[b->stepper->factors->dropped[i]];
        w->left_out[count++] = w->second[b->stepper->factors->dropped[i]];
    }
    return nt_solver_drop(w->solver, w->left_out, count);
}

/* ---- filling -------------------------------------------------------------------------------- */

/* The blocks of a quarter that `quarter` has left in the problem's matrix are kept, or factor times
 * those that are kept added to it. */
static void keep_blocks(nt_bdf *b, double *kept)
{
    const nt_matrix *from = &b->stepper->factors->matrix;
    memcpy(kept, from->values,
           (size_t)from->pattern->offset[from->pattern->n_slots] * sizeof *kept);
}
static void add_kept(nt_bdf *b, double factor, const double *kept)
{
    const nt_matrix *to = &b->stepper->factors->matrix;
    for (int i = 0; i < to->pattern->offset[to->pattern->n_slots]; i++)
        to->values[i] += factor * kept[i];
}

/* One of the four quarters of every block, from the problem's matrix. */
static void put_quarter(nt_bdf *b, int lower, int right)
{
    const nt_matrix *from = &b->stepper->factors->matrix;
    const nt_pattern *p = from->pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->row[slot], column = p->column[slot];
        int m = p->node_start[row + 1] - p->node_start[row];
        int n = p->node_start[column + 1] - p->node_start[column];
        double nine[9];
        const double *block = nt_matrix_full_block(from, slot, nine);
        double *to = nt_matrix_block(&b->newton.matrix, b->newton.slot[slot]);
        to += 2 * n * m * lower + n * right;
        for (int i = 0; i < m; i++)
            memcpy(to + 2 * n * i, block + n * i, (size_t)n * sizeof(double));
    }
}

static nt_status quarter(nt_bdf *b, int lower, int right, const nt_point *at, unsigned parts,
                         nt_level level, const nt_combination *combination)
{
    const nt_problem *p = b->problem;
    nt_terms terms = {.parts = parts,
                      .level = level,
                      .matrix = &b->stepper->factors->matrix,
                      .combination = combination};
    nt_factors_begin(b->stepper->factors);
    nt_status status = nt_problem_evaluate(p, at, &terms);
    if (status == NT_OK)
        put_quarter(b, lower, right);
    return status;
}

/* X of each rotation. CVODE does not impose the length of q. */
static void fill_maps(nt_bdf *b, const double *v, const double *excess, double gamma)
{
    const nt_problem *p = b->problem;
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        if (block->rotation < 0)
            continue;
        int i = block->v + block->nv - 3;
        v3 w = v3_load(v + i);
        if (b->newton.exact)
            w = v3_add(w, v3_load(excess + i));
        v3 c = v3_scale((p->frame == NT_BODY ? 0.5 : -0.5) * gamma, w);
        double own = 1 - gamma * b->newton.stretch[block->rotation];
        m3 X = m3_add(m3_scale(own, m3_identity()), m3_skew(c));
        if (b->code == &nt_bdf_cvode)
            X = m3_add(X, m3_dyad(c, c));
        m3_store(b->newton.map + 9 * block->rotation, X);
    }
}

nt_status nt_bdf_newton_fill(nt_bdf *b, const nt_point *at, const double *excess, const double *eta,
                             double gamma)
{
    nt_bdf_newton *w = &b->newton;
    w->gamma = gamma;
    nt_matrix_zero(&w->matrix);
    fill_maps(b, at->v, excess, gamma);
    nt_point position = *at;
    position.vdot = excess;
    position.lambda = eta;
    position.mu = b->none;
    nt_combination first = {.mass = 1,
                            .stiffness = gamma,
                            .multiplier = 1,
                            .row_stiffness = 1,
                            .map = b->problem->space.n_rotations ? w->map : NULL};
    nt_combination minus_mass = {.mass = -1};
    bool keeps = b->kept_damping != NULL && !w->exact;
    nt_combination stiffness = {.stiffness = gamma * gamma, .row_stiffness = gamma};
    nt_combination second = {.mass = 1, .damping = gamma, .multiplier = 1, .row_damping = 1};
    if (keeps) { /* for refill */
        stiffness.stiffness = 1;
        second.mass = 0, second.damping = 1;
    }
    nt_status status = quarter(b, 0, 0, &position, NT_MASS | NT_REACTIONS, NT_POSITION, &first);
    if (status == NT_OK)
        status = quarter(b, 0, 1, &position, NT_MASS, NT_POSITION, &minus_mass);
    if (status == NT_OK)
        status = quarter(b, 1, 0, at, NT_ALL_PARTS, NT_VELOCITY, &stiffness);
    if (status == NT_OK && keeps)
        keep_blocks(b, b->kept_stiffness);
    if (status == NT_OK)
        status = quarter(b, 1, 1, at, NT_ALL_PARTS, NT_VELOCITY, &second);
    if (status != NT_OK || !keeps)
        return status;
    keep_blocks(b, b->kept_damping);
    return nt_bdf_newton_refill(b, at, gamma);
}

/* K and C of the last filling serve for another gamma; inertia, which is cheap, is that of the same
 * point anew. Without constraints only: excess and eta are zero. */
nt_status nt_bdf_newton_refill(nt_bdf *b, const nt_point *at, double gamma)
{
    nt_bdf_newton *w = &b->newton;
    nt_factors *f = b->stepper->factors;
    w->gamma = gamma;
    nt_matrix_zero(&w->matrix);
    fill_maps(b, at->v, b->none, gamma);
    nt_combination first = {.mass = 1, .map = b->problem->space.n_rotations ? w->map : NULL};
    nt_combination minus_mass = {.mass = -1}, mass = {.mass = 1};
    nt_status status = quarter(b, 0, 0, at, NT_MASS, NT_POSITION, &first);
    if (status == NT_OK)
        status = quarter(b, 0, 1, at, NT_MASS, NT_POSITION, &minus_mass);
    if (status == NT_OK)
        status = quarter(b, 1, 1, at, NT_MASS, NT_VELOCITY, &mass);
    if (status != NT_OK)
        return status;
    add_kept(b, gamma, b->kept_damping);
    put_quarter(b, 1, 1);
    nt_factors_begin(f);
    add_kept(b, gamma * gamma, b->kept_stiffness);
    put_quarter(b, 1, 0);
    return NT_OK;
}

/* The matrix holds -M there. */
void nt_bdf_mass_times(nt_bdf *b, double *out)
{
    nt_bdf_newton *w = &b->newton;
    nt_matrix_apply(&w->matrix, w->z, w->product);
    for (int i = 0; i < b->problem->nv; i++)
        out[i] = -w->product[w->first[i]];
}

/* ---- solved --------------------------------------------------------------------------------- */

void nt_bdf_newton_positions(const nt_bdf *b, const double *s, double *x)
{
    const nt_problem *p = b->problem;
    const nt_bdf_newton *w = &b->newton;
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int plain = nt_block_places(block);
        for (int j = 0; j < plain; j++)
            x[block->q + j] = w->gamma * w->z[w->first[block->v + j]];
        if (block->rotation < 0)
            continue;
        const int *e = w->first + block->v + plain;
        double half = w->gamma / 2;
        quat q = quat_load(w->at_q + block->q + plain);
        quat d = {s[block->rotation], half * w->z[e[0]], half * w->z[e[1]], half * w->z[e[2]]};
        d = p->frame == NT_BODY ? quat_multiply(q, d) : quat_multiply(d, q);
        quat_store(x + block->q + plain, d);
    }
}
