/* Cubic Hermite interpolation on the group.
 *
 * In the local coordinate x, q = q_0 o exp(x), the step runs from x = 0 to x_1 = log(q_0^-1 q_1)
 * with rates x' = T(x)^-1 v at both ends: a cubic through them has an error of fourth order. The
 * velocity is v = T(x) x'(t), so that q and v belong together; unknowns of first order are cubics
 * of their own, through values and rates at both ends; accelerations and multipliers
 * are linear in time, the work has its own polynomial (work.c). Discrete memory is that of the
 * start. */
#include "method/dense_output.h"

#include "base/vector3.h"
#include "method/work.h"

#include <string.h>

size_t nt_dense_output_work(const nt_problem *problem)
{
    return 4 * (size_t)problem->nv +
           nt_problem_map_size(problem) * (size_t)problem->space.n_rotations;
}

/* out = T x for rotation entries, x elsewhere; T[n_rotations][9], or [36] of rigid motions */
static void apply(const nt_space *space, bool motions, const double *T, const double *x,
                  double *out)
{
    if (out != x)
        memcpy(out, x, (size_t)space->nv * sizeof(double));
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if (block->rotation < 0)
            continue;
        int i = block->v + block->nv - 3;
        if (motions) {
            for (int j = 0; j < 6; j++) {
                const double *row = T + 36 * block->rotation + 6 * j;
                out[block->v + j] = 0;
                for (int k = 0; k < 6; k++)
                    out[block->v + j] += row[k] * x[block->v + k];
            }
            continue;
        }
        v3_store(out + i, m3_apply(m3_load(T + 9 * block->rotation), v3_load(x + i)));
    }
}

void nt_dense_output(const nt_problem *problem, const nt_phase *from, const nt_phase *to, double t,
                     double *work, nt_phase *out)
{
    const nt_space *space = &problem->space;
    int nv = problem->nv;
    double t0 = from->all[NT_PHASE_T], h = to->all[NT_PHASE_T] - t0, s = (t - t0) / h;
    double *x1 = work, *rate1 = x1 + nv, *x = rate1 + nv, *rate = x + nv;
    double *T = rate + nv; /* T^-1 of the whole step first */

    nt_space_difference(space, problem->frame, from->q, to->q, x1);
    nt_space_tangent(space, problem->frame, x1, NULL, T);
    apply(space, problem->frame == NT_SE3, T, to->v, rate1);
    /* Hermite's basis for x_0 = 0 and its derivative */
    double a = s * s * (3 - 2 * s), b = s * (1 - s) * (1 - s), c = s * s * (s - 1);
    double da = 6 * s * (1 - s), db = (1 - s) * (1 - 3 * s), dc = s * (3 * s - 2);
    for (int i = 0; i < nv; i++) {
        x[i] = a * x1[i] + h * (b * from->v[i] + c * rate1[i]);
        rate[i] = da / h * x1[i] + db * from->v[i] + dc * rate1[i];
    }
    size_t head = (size_t)(out->vdot - out->all), all = (size_t)(out->memory - out->all);
    for (size_t i = head; i < all; i++)
        out->all[i] = (1 - s) * from->all[i] + s * to->all[i];
    out->all[NT_PHASE_T] = t;
    out->all[NT_PHASE_STEP] = to->all[NT_PHASE_STEP];
    out->all[NT_PHASE_WORK] =
        from->all[NT_PHASE_WORK] + h * nt_work_within(to->all + NT_PHASE_POWER, s);
    memcpy(out->memory, from->memory, (size_t)problem->system->n_memory * sizeof(double));
    nt_space_compose(space, problem->frame, from->q, x, out->q);
    nt_space_tangent(space, problem->frame, x, T, NULL);
    apply(space, problem->frame == NT_SE3, T, rate, out->v);
    for (int k = 0; space->n_first > 0 && k < space->n_blocks; k++) {
        int end = space->blocks[k].kind == NT_FIRST ? space->blocks[k].v + space->blocks[k].nv : 0;
        for (int i = space->blocks[k].v; i < end; i++)
            out->v[i] = from->v[i] + a * (to->v[i] - from->v[i]) +
                        h * (b * from->vdot[i] + c * to->vdot[i]);
    }
}
