/* Cubic Hermite interpolation on the group.
 *
 * In the local coordinate x, q = q_0 o exp(x), the step runs from x = 0 to x_1 = log(q_0^-1 q_1)
 * with rates x' = T(x)^-1 v at both ends: a cubic through them has an error of fourth order. The
 * velocity is v = T(x) x'(t), so that q and v belong together; unknowns of first order are cubics
 * of their own, through values and rates at both ends; accelerations and multipliers
 * are linear in time, the work has its own polynomial (work.c). Discrete memory is that of the
 * start.
 *
 * Beyond half a turn in the step x_1 is the short way round, and wrong. Where rotations turn far,
 * x is told from a uniform turn by psi, the mean of both velocities: with s = (t - t_0)/h, in body
 * axes,
 *
 *   q = q_0 o exp(s psi) o exp(x),      v = T(x) x'(t) + exp(-x) psi/h,
 *
 * and with the factors in the other order in ground axes. psi grows smoothly from nothing at a
 * quarter turn to the whole mean at LARGE, so that what a step gives has derivatives. Rigid motions
 * are interpolated as rotations in body axes beside translations there. */
#include "method/dense_output.h"

#include "base/vector3.h"
#include "group/rotation.h"
#include "method/work.h"

#include <math.h>
#include <string.h>

/* rad in a step: from where on a uniform turn is taken out, and where all of it is. */
static const double SMALL = 1.5, LARGE = 2.5;

size_t nt_dense_output_work(const nt_problem *problem)
{
    return 7 * (size_t)problem->nv + (size_t)problem->nq +
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
            nt_motion_map(T + 36 * block->rotation, out + block->v);
            continue;
        }
        v3_store(out + i, m3_apply(m3_load(T + 9 * block->rotation), v3_load(x + i)));
    }
}

/* psi[nv] of a step of length h between two velocities; false where nothing turns far. */
static bool turns_far(const nt_space *space, double h, const double *v0, const double *v1,
                      double *psi)
{
    bool far = false;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        v3 mean = v3_scale(h / 2, v3_add(v3_load(v0 + i), v3_load(v1 + i)));
        double turned = sqrt(v3_dot(mean, mean));
        if (!(turned > SMALL))
            continue;
        if (!far)
            memset(psi, 0, (size_t)space->nv * sizeof *psi);
        double w = fmin((turned - SMALL) / (LARGE - SMALL), 1);
        v3_store(psi + i, v3_scale(w * w * w * (10 + w * (6 * w - 15)), mean));
        far = true;
    }
    return far;
}

/* v += factor exp(-x) psi, or exp(x) psi in ground axes, of all rotations. */
static void add_turn(const nt_space *space, nt_frame frame, double factor, const double *x,
                     const double *psi, double *v)
{
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        v3 turned = so3_carry(frame, v3_load(x + i), v3_load(psi + i));
        v3_store(v + i, v3_axpy(factor, turned, v3_load(v + i)));
    }
}

/* Both ends of a step as the interpolation sees them. */
typedef struct step_ends {
    nt_frame frame;
    bool far;              /* a uniform turn is taken out       */
    double h;              /* s                                 */
    double *psi, *turned;  /* [nv] the whole of it; scratch     */
    double *x1;            /* [nv] x at the end                 */
    double *rate0, *rate1; /* [nv] x' at both ends              */
    double *q;             /* [nq] scratch                      */
    double *T;             /* of each rotation, scratch         */
} step_ends;

static void find_ends(const nt_problem *problem, const nt_phase *from, const nt_phase *to,
                      step_ends *e)
{
    const nt_space *space = &problem->space;
    const double *reached = from->q, *v1 = to->v;
    e->frame = problem->frame;
    e->far = turns_far(space, e->h, from->v, to->v, e->psi);
    memcpy(e->rate0, from->v, (size_t)problem->nv * sizeof(double));
    if (e->far) {
        v1 = memcpy(e->turned, to->v, (size_t)problem->nv * sizeof(double));
        if (e->frame == NT_SE3) {
            e->frame = NT_BODY;
            nt_space_change_frame(space, NT_SE3, NT_BODY, from->q, from->v, e->rate0);
            nt_space_change_frame(space, NT_SE3, NT_BODY, to->q, to->v, e->turned);
        }
        memset(e->x1, 0, (size_t)problem->nv * sizeof(double));
        add_turn(space, e->frame, -1 / e->h, e->x1, e->psi, e->rate0);
        nt_space_compose(space, e->frame, from->q, e->psi, e->q);
        reached = e->q;
    }
    nt_space_difference(space, e->frame, reached, to->q, e->x1);
    if (e->far)
        add_turn(space, e->frame, -1 / e->h, e->x1, e->psi, e->turned);
    nt_space_tangent(space, e->frame, e->x1, NULL, e->T);
    apply(space, e->frame == NT_SE3, e->T, v1, e->rate1);
}

/* q and v of `out` from x and x'; s: the part of the step. */
static void place(const nt_problem *problem, const nt_phase *from, const step_ends *e, double s,
                  const double *x, const double *rate, nt_phase *out)
{
    const nt_space *space = &problem->space;
    const double *turned = from->q;
    if (e->far) {
        for (int i = 0; i < problem->nv; i++)
            e->turned[i] = s * e->psi[i];
        nt_space_compose(space, e->frame, from->q, e->turned, e->q);
        turned = e->q;
    }
    nt_space_compose(space, e->frame, turned, x, out->q);
    nt_space_tangent(space, e->frame, x, e->T, NULL);
    apply(space, e->frame == NT_SE3, e->T, rate, out->v);
    if (!e->far)
        return;
    add_turn(space, e->frame, 1 / e->h, x, e->psi, out->v);
    nt_space_change_frame(space, e->frame, problem->frame, out->q, out->v, out->v);
}

void nt_dense_output(const nt_problem *problem, const nt_phase *from, const nt_phase *to, double t,
                     double *work, nt_phase *out)
{
    const nt_space *space = &problem->space;
    int nv = problem->nv;
    double t0 = from->all[NT_PHASE_T], h = to->all[NT_PHASE_T] - t0, s = (t - t0) / h;
    double *x = work, *rate = x + nv;
    step_ends e = {.h = h, .psi = rate + nv};
    e.turned = e.psi + nv, e.x1 = e.turned + nv, e.rate0 = e.x1 + nv, e.rate1 = e.rate0 + nv;
    e.q = e.rate1 + nv, e.T = e.q + problem->nq;

    find_ends(problem, from, to, &e);
    /* Hermite's basis for x_0 = 0 and its derivative */
    double a = s * s * (3 - 2 * s), b = s * (1 - s) * (1 - s), c = s * s * (s - 1);
    double da = 6 * s * (1 - s), db = (1 - s) * (1 - 3 * s), dc = s * (3 * s - 2);
    for (int i = 0; i < nv; i++) {
        x[i] = a * e.x1[i] + h * (b * e.rate0[i] + c * e.rate1[i]);
        rate[i] = da / h * e.x1[i] + db * e.rate0[i] + dc * e.rate1[i];
    }
    size_t head = (size_t)(out->vdot - out->all), all = (size_t)(out->memory - out->all);
    for (size_t i = head; i < all; i++)
        out->all[i] = (1 - s) * from->all[i] + s * to->all[i];
    out->all[NT_PHASE_T] = t;
    out->all[NT_PHASE_STEP] = to->all[NT_PHASE_STEP];
    out->all[NT_PHASE_WORK] =
        from->all[NT_PHASE_WORK] + h * nt_work_within(to->all + NT_PHASE_POWER, s);
    memcpy(out->memory, from->memory, (size_t)problem->system->n_memory * sizeof(double));
    place(problem, from, &e, s, x, rate, out);
    for (int k = 0; space->n_first > 0 && k < space->n_blocks; k++) {
        int end = space->blocks[k].kind == NT_FIRST ? space->blocks[k].v + space->blocks[k].nv : 0;
        for (int i = space->blocks[k].v; i < end; i++)
            out->v[i] = from->v[i] + a * (to->v[i] - from->v[i]) +
                        h * (b * from->vdot[i] + c * to->vdot[i]);
    }
}
