/* Explicit Runge-Kutta-Munthe-Kaas methods: orders, error control, constraints, dense output,
 * restart, counts and sensitivities. Reference values: 34-digit Taylor series or two independent
 * formulations at 1e-12, but for exact solutions. */
#include "../model/mechanism.h"

#include "base/vector3.h"
#include "top.h"

static const char *const methods[] = {"rkmk-dopri5", "rkmk-dop853"};
enum { DOPRI5, DOP853, METHODS };

/* ---- systems by hand ------------------------------------------------------------------------ */

/* A body about a fixed point, body frame: J W' + W x J W = weight R^T e3 x e3. */
typedef struct spinner {
    m3 J;
    double weight;
    nt_block block;
} spinner;

static nt_status spinner_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const spinner *p = self;
    const nt_combination *c = terms->combination;
    v3 W = v3_load(at->v), JW = m3_apply(p->J, W);
    v3 e3 = v3_of(0, 0, 1), up = m3_apply_transposed(quat_matrix(quat_load(at->q)), e3);
    if (terms->residual && (terms->parts & NT_MASS))
        v3_accumulate(terms->residual, m3_apply(p->J, v3_load(at->vdot)));
    if (terms->residual && (terms->parts & NT_GYROSCOPIC))
        v3_accumulate(terms->residual, v3_cross(W, JW));
    if (terms->residual && (terms->parts & NT_IMPLICIT))
        v3_accumulate(terms->residual, v3_scale(p->weight, v3_cross(e3, up)));
    if (!terms->matrix)
        return NT_OK;
    double *block = nt_matrix_block(terms->matrix, 0);
    if (terms->parts & NT_MASS)
        m3_accumulate(block, m3_scale(c->mass, p->J));
    if (terms->parts & NT_GYROSCOPIC)
        m3_accumulate(block, m3_scale(c->damping, m3_sub(m3_skew_multiply(W, p->J), m3_skew(JW))));
    if (terms->parts & NT_IMPLICIT)
        m3_accumulate(block, m3_scale(p->weight * c->stiffness, m3_skew_skew(e3, up)));
    return NT_OK;
}

static nt_system spinner_system(spinner *p)
{
    nt_system s = {.name = "spinner",
                   .frame = NT_BODY,
                   .capabilities = NT_HAS_TANGENT | NT_AFFINE | NT_POSITION_FORCES,
                   .self = p,
                   .evaluate = spinner_evaluate};
    p->block = (nt_block){.kind = NT_SO3};
    nt_space_init(&s.space, &p->block, 1);
    return s;
}

/* A planet in R^2: x'' = -x/|x|^3, on the circle (cos t, sin t). */
static nt_status planet_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self;
    const nt_combination *c = terms->combination;
    double x = at->q[0], y = at->q[1], r2 = x * x + y * y, r3 = r2 * sqrt(r2);
    if (terms->residual)
        for (int i = 0; i < 2; i++)
            terms->residual[i] += (terms->parts & NT_MASS ? at->vdot[i] : 0) +
                                  (terms->parts & NT_IMPLICIT ? at->q[i] / r3 : 0);
    if (!terms->matrix)
        return NT_OK;
    double *b = nt_matrix_block(terms->matrix, 0);
    for (int i = 0; i < 4; i++) {
        b[i] += terms->parts & NT_MASS ? c->mass * (i % 3 == 0) : 0;
        if (terms->parts & NT_IMPLICIT)
            b[i] += c->stiffness * ((i % 3 == 0) / r3 - 3 * at->q[i / 2] * at->q[i % 2] / (r2 * r3));
    }
    return NT_OK;
}

/* ---- problems ------------------------------------------------------------------------------- */

/* A motion and where it must be at the end: numbers of a kind of its own. */
typedef struct problem {
    const char *name;
    nt_system system;
    double q[7], v[6], end;
    int n;
    double exact[7];
    void (*look)(const nt_state *state, double *out);
    double h[METHODS]; /* coarse steps in the range where the order shows */
    nt_block block;
    top top;
    spinner spinner;
} problem;

static void look_position(const nt_state *state, double *out)
{
    memcpy(out, state->q, 3 * sizeof *out);
}
static void look_axis(const nt_state *state, double *out)
{
    v3_store(out, m3_apply(quat_matrix(quat_load(state->q)), v3_of(0, 0, 1)));
}
static void look_rates(const nt_state *state, double *out)
{
    memcpy(out, state->v, 3 * sizeof *out);
    out[3] = fabs(state->q[0]), out[4] = fabs(state->q[1]);
}
static void look_plane(const nt_state *state, double *out)
{
    memcpy(out, state->q, 2 * sizeof *out);
    memcpy(out + 2, state->v, 2 * sizeof *out);
}

static problem *open_problems(int *count)
{
    static problem list[4];
    list[0] = (problem){.name = "heavy top",
                        .end = 0.1,
                        .n = 3,
                        .exact = {.421296658925402, .894571974345593, -.149164700561900},
                        .look = look_position,
                        .h = {1e-3, 4e-3}};
    list[0].top = heavy_top();
    list[0].system = top_system(&list[0].top, &list[0].block);
    memcpy(list[0].q, top_q0, sizeof top_q0);
    memcpy(list[0].v, top_v0, sizeof top_v0);
    list[1] = (problem){.name = "slow top",
                        .q = {cos(0.025), sin(0.025)},
                        .v = {0, 0, 5},
                        .end = 1,
                        .n = 3,
                        .exact = {.0462053286319, -.1751265184575, .9834611177566},
                        .look = look_axis,
                        .h = {0.05, 0.1},
                        .spinner = {.J = m3_diagonal(5, 5, 1), .weight = 20}};
    list[1].system = spinner_system(&list[1].spinner);
    list[2] = (problem){.name = "free body",
                        .q = {1},
                        .v = {1, 0.5, 0.8},
                        .end = 10,
                        .n = 5,
                        .exact = {.4719139528061542, 1.013556718268332, .6171717153956234,
                                  .7297978335235393, .03011763915844035},
                        .look = look_rates,
                        .h = {0.2, 0.5},
                        .spinner = {.J = m3_diagonal(1, 2, 3)}};
    list[2].system = spinner_system(&list[2].spinner);
    list[3] = (problem){.name = "planet",
                        .q = {1, 0},
                        .v = {0, 1},
                        .end = 4,
                        .n = 4,
                        .exact = {cos(4), sin(4), -sin(4), cos(4)},
                        .look = look_plane,
                        .h = {0.1, 0.4},
                        .block = {.kind = NT_RN, .nv = 2}};
    list[3].system = (nt_system){.name = "planet",
                                 .capabilities = NT_HAS_TANGENT | NT_AFFINE | NT_POSITION_FORCES,
                                 .evaluate = planet_evaluate};
    nt_space_init(&list[3].system.space, &list[3].block, 1);
    *count = 4;
    return list;
}

static nt_integrator *start(const nt_system *system, int method, nt_frame frame, double tolerance,
                            const double *q, const double *v)
{
    nt_error error = {0};
    nt_integrator *it;
    nt_integrator_setup setup = {.system = system,
                                 .method = nt_method_find(methods[method]),
                                 .frame = frame,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (nt_integrator_create(&it, &setup, &error) != NT_OK ||
        nt_integrator_start(it, 0, q, v, NULL, &error) != NT_OK)
        fail_msg("%s: %s", methods[method], error.message);
    return it;
}

static void go(nt_integrator *it, double end, double h)
{
    nt_error error = {0};
    if (nt_integrator_run(it, end, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static double off_by(const problem *p, const nt_state *state)
{
    double value[7], worst = 0;
    p->look(state, value);
    for (int i = 0; i < p->n; i++)
        worst = fmax(worst, fabs(value[i] - p->exact[i]));
    return worst;
}

static double error_of(const problem *p, int method, nt_frame frame, double tolerance, double h)
{
    nt_integrator *it = start(&p->system, method, frame, tolerance, p->q, p->v);
    go(it, p->end, h);
    nt_state state = nt_integrator_state(it);
    double error = off_by(p, &state);
    nt_integrator_destroy(it);
    return error;
}

/* ---- orders --------------------------------------------------------------------------------- */

static void orders_with_fixed_steps(void **unused)
{
    (void)unused;
    int count;
    problem *list = open_problems(&count);
    for (int i = 0; i < count; i++)
        for (int m = 0; m < METHODS; m++)
            for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
                double h = list[i].h[m];
                double e[4];
                for (int k = 0; k < 4; k++)
                    e[k] = error_of(&list[i], m, frame, 0, h / (1 << k));
                print_message("%s %s %d: %.3g %.3g %.3g %.3g  %.2f %.2f %.2f\n", list[i].name, methods[m],
                              (int)frame, e[0], e[1], e[2], e[3], log2(e[0] / e[1]), log2(e[1] / e[2]), log2(e[2] / e[3]));
            }
}

static void tolerance_proportionality(void **unused)
{
    (void)unused;
    int count;
    problem *list = open_problems(&count);
    for (int i = 0; i < count; i++)
        for (int m = 0; m < METHODS; m++)
            for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
                print_message("%s %s %d:", list[i].name, methods[m], (int)frame);
                for (double tol = 1e-4; tol > 1e-13; tol *= 0.01)
                    print_message(" %.2g", error_of(&list[i], m, frame, tol, 1e-3) / tol);
                print_message("\n");
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_with_fixed_steps),
        cmocka_unit_test(tolerance_proportionality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
