/* The way of a body from one point of the motion to another. */
#ifndef NUTATE_MODEL_PATH_H
#define NUTATE_MODEL_PATH_H

#include "group/rotation.h"
#include "model/model.h"

#include <math.h>

/* A body on its way: x by the polynomial through both ends, R = R_0 exp(psi~), psi by that through
 * 0 and the turn between the ends, with the rates of both and their derivatives: of fifth degree,
 * off by h^6/46080 of the sixth derivative. Where these are not known, or are none of a smooth way,
 * as of one that ends in a contact, it is the cubic, off by h^4/384 of the fourth. */
typedef struct nt_path {
    v3 x[2], v[2], a[2];             /* v, a: of the whole way, m          */
    v3 turn, turning[2], changes[2]; /* rad; of the whole way, body axes */
    m3 R;                            /* R_0                             */
} nt_path;

/* A smooth way is bent at its ends as its cubic is, within this part of the more bent end. */
#define NT_PATH_BENT 0.5

/* The second derivatives at both ends: those that are given, if the way may be so bent. */
static inline void nt_path_bend(const v3 y[2], const v3 rate[2], bool known, v3 second[2])
{
    v3 way = v3_sub(y[1], y[0]), sum = v3_add(rate[0], rate[1]);
    v3 cubic[2] = {v3_scale(2, v3_sub(v3_scale(3, way), v3_add(sum, rate[0]))),
                   v3_scale(2, v3_sub(v3_add(sum, rate[1]), v3_scale(3, way)))};
    double most = NT_PATH_BENT * fmax(v3_norm(cubic[0]), v3_norm(cubic[1]));
    bool smooth = known && v3_norm(v3_sub(second[0], cubic[0])) <= most &&
                  v3_norm(v3_sub(second[1], cubic[1])) <= most;
    for (int end = 0; end < 2 && !smooth; end++)
        second[end] = cubic[end];
}

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

static inline nt_path nt_path_of(const nt_motion *from, const nt_motion *to, double h, bool known)
{
    const v3 none = v3_of(0, 0, 0);
    nt_path p = {.x = {from->x, to->x},
                 .v = {v3_scale(h, from->v), v3_scale(h, to->v)},
                 .a = {v3_scale(h * h, from->a), v3_scale(h * h, to->a)},
                 .changes = {v3_scale(h * h, m3_apply_transposed(from->R, from->alpha)),
                             v3_scale(h * h, m3_apply_transposed(to->R, to->alpha))},
                 .turning = {v3_scale(h, m3_apply_transposed(from->R, from->w)),
                             v3_scale(h, m3_apply_transposed(to->R, to->w))},
                 .R = from->R};
    p.turn = nt_path_turn(from->R, to->R, v3_scale(0.5, v3_add(p.turning[0], p.turning[1])));
    const v3 psi[2] = {none, p.turn};
    nt_path_bend(p.x, p.v, known, p.a);
    nt_path_bend(psi, p.turning, known, p.changes);
    return p;
}

static inline v3 nt_path_along(const v3 y[2], const v3 rate[2], const v3 second[2], double s)
{
    double r = 1 - s, r3 = r * r * r, s3 = s * s * s;
    v3 begin = v3_axpy(s * (1 + 3 * s), rate[0],
                       v3_axpy(s * s / 2, second[0], v3_scale(1 + s * (3 + 6 * s), y[0])));
    v3 end = v3_axpy(-r * (1 + 3 * r), rate[1],
                     v3_axpy(r * r / 2, second[1], v3_scale(1 + r * (3 + 6 * r), y[1])));
    return v3_axpy(r3, begin, v3_scale(s3, end));
}

/* Where a point of the body is at part s of the way; *R: its orientation there. */
static inline v3 nt_path_point(const nt_path *p, v3 point, double s, m3 *R)
{
    const v3 turn[2] = {v3_of(0, 0, 0), p->turn};
    *R = m3_multiply(p->R, quat_matrix(so3_exp(nt_path_along(turn, p->turning, p->changes, s))));
    return v3_add(nt_path_along(p->x, p->v, p->a, s), m3_apply(*R, point));
}

#endif
