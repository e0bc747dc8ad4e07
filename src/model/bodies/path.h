/* The way of a body from one point of the motion to another. */
#ifndef NUTATE_MODEL_PATH_H
#define NUTATE_MODEL_PATH_H

#include "group/rotation.h"
#include "model/model.h"

#include <math.h>

/* A body on its way: x by the cubic through both ends, R = R_0 exp(psi~), psi by the cubic through
 * 0 and the turn between the ends, with the rates of both. */
typedef struct nt_path {
    v3 x[2], v[2];       /* v: of the whole way, m          */
    v3 turn, turning[2]; /* rad; of the whole way, body axes */
    m3 R;                /* R_0                             */
} nt_path;

/* The turn between two orientations that is nearest to what the rates make expected. */
static inline v3 nt_path_turn(m3 from, m3 to, v3 expected)
{
    const double all = 2 * acos(-1.0);
    double R[9], q[4];
    m3_store(R, m3_multiply(m3_transpose(from), to));
    nt_so3_from_matrix(R, q);
    v3 psi = so3_log(quat_load(q));
    double n = v3_norm(psi), e = v3_norm(expected);
    if (n < 1e-9)
        return e > all / 2 ? v3_scale(all * round(e / all) / e, expected) : psi;
    double more = round((v3_dot(expected, psi) / n - n) / all);
    return v3_scale((n + all * more) / n, psi);
}

static inline nt_path nt_path_of(const nt_motion *from, const nt_motion *to, double h)
{
    nt_path p = {.x = {from->x, to->x},
                 .v = {v3_scale(h, from->v), v3_scale(h, to->v)},
                 .turning = {v3_scale(h, m3_apply_transposed(from->R, from->w)),
                             v3_scale(h, m3_apply_transposed(to->R, to->w))},
                 .R = from->R};
    p.turn = nt_path_turn(from->R, to->R, v3_scale(0.5, v3_add(p.turning[0], p.turning[1])));
    return p;
}

static inline v3 nt_path_cubic(v3 y0, v3 rate0, v3 y1, v3 rate1, double s)
{
    double r = 1 - s;
    v3 y = v3_axpy(r * r * (1 + 2 * s), y0, v3_scale(s * s * (1 + 2 * r), y1));
    return v3_axpy(r * r * s, rate0, v3_axpy(-r * s * s, rate1, y));
}

/* Where a point of the body is at part s of the way; *R: its orientation there. */
static inline v3 nt_path_point(const nt_path *p, v3 point, double s, m3 *R)
{
    v3 none = v3_of(0, 0, 0), psi = nt_path_cubic(none, p->turning[0], p->turn, p->turning[1], s);
    *R = m3_multiply(p->R, quat_matrix(so3_exp(psi)));
    return v3_add(nt_path_cubic(p->x[0], p->v[0], p->x[1], p->v[1], s), m3_apply(*R, point));
}

#endif
