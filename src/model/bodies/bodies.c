/* All bodies of a model: motion, inertia and gravity, four bodies at a time.
 *
 * The equations are those of body.c; here they stand in loops over four lanes, component by
 * component, so that the compiler makes one vector instruction of four scalar ones. Every lane does
 * the same operations in the same order as a body alone: the same bits. Bodies that do not fill a
 * group of four, bodies with a fixed point and points go through body.c; so do parts of the inertia
 * and the adapter's turned tangents, after the motion. */
#include "model/bodies/bodies.h"

#include "base/target.h"
#include "linalg/lanes.h"
#include "model/bodies/body.h"

#include <string.h>

enum { LANES = 4 };

typedef struct lane {
    double of[LANES];
} lane;

/* Four bodies, component by component. */
typedef struct group {
    lane R[9], w[3], alpha[3], X[9], J[9];
    lane block[9], moment[3];
} group;

static inline v3 get3(const lane *p, int l) { return v3_of(p[0].of[l], p[1].of[l], p[2].of[l]); }

static inline m3 get9(const lane *p, int l)
{
    return (m3){p[0].of[l], p[1].of[l], p[2].of[l], p[3].of[l], p[4].of[l],
                p[5].of[l], p[6].of[l], p[7].of[l], p[8].of[l]};
}

static inline void put3(lane *p, int l, v3 a)
{
    p[0].of[l] = a.x, p[1].of[l] = a.y, p[2].of[l] = a.z;
}

static inline void put9(lane *p, int l, m3 a)
{
    p[0].of[l] = a.xx, p[1].of[l] = a.xy, p[2].of[l] = a.xz;
    p[3].of[l] = a.yx, p[4].of[l] = a.yy, p[5].of[l] = a.yz;
    p[6].of[l] = a.zx, p[7].of[l] = a.zy, p[8].of[l] = a.zz;
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* A motion begins with the place x and R row by row, twelve numbers; v, w, a and alpha follow. The
 * formulas of R are those of quat_matrix; R[9] may be NULL. */
NT_HOT NT_WIDE static void places(const double *const q[LANES], nt_motion *m, lane *R)
{
    lanes x[4], r[4];
    for (int l = 0; l < LANES; l++) {
        x[l] = *(const lanes_anywhere *)q[l];
        r[l] = *(const lanes_anywhere *)(q[l] + 3);
    }
    lanes_transpose(x);
    lanes_transpose(r);
    lanes x2 = r[1] + r[1], y2 = r[2] + r[2], z2 = r[3] + r[3];
    lanes xx = r[1] * x2, yy = r[2] * y2, zz = r[3] * z2;
    lanes xy = r[1] * y2, xz = r[1] * z2, yz = r[2] * z2;
    lanes wx = r[0] * x2, wy = r[0] * y2, wz = r[0] * z2;
    const lanes of[9] = {1 - (yy + zz), xy - wz, xz + wy, xy + wz,      1 - (xx + zz),
                         yz - wx,       xz - wy, yz + wx, 1 - (xx + yy)};
    lanes part[3][4] = {
        {x[0], x[1], x[2], of[0]}, {of[1], of[2], of[3], of[4]}, {of[5], of[6], of[7], of[8]}};
    if (R)
        memcpy(R, of, sizeof of);
    for (int k = 0; k < 3; k++) {
        lanes_transpose(part[k]);
        for (int l = 0; l < LANES; l++)
            *(lanes_anywhere *)((double *)&m[l] + 4 * k) = part[k][l];
    }
}

static inline void bodies_gather(group *g, int l, const nt_point *at, const nt_body *body,
                                 bool heavy, nt_motion *m)
{
    double *rates = (double *)m + 12, *accelerations = rates + 6;
    memcpy(rates, at->v + body->v, 6 * sizeof *rates);
    if (at->vdot)
        memcpy(accelerations, at->vdot + body->v, 6 * sizeof *rates);
    else
        memset(accelerations, 0, 6 * sizeof *rates);
    if (heavy) {
        put3(g->w, l, m->w);
        put3(g->alpha, l, m->alpha);
    }
}

/* ---- inertia ----------------------------------------------------------------------------------
 */

/* J_s w' + w x J_s w = R (J W' + W x J W) */
NT_HOT NT_WIDE static void moments(group *restrict g)
{
    for (int l = 0; l < LANES; l++) {
        m3 R = get9(g->R, l), J = get9(g->J, l);
        put3(g->moment, l, nt_inertia_moment(R, J, get3(g->w, l), get3(g->alpha, l)));
    }
}

NT_HOT NT_WIDE static void tangents(group *restrict g, double mass, double damping,
                                    double stiffness)
{
    for (int l = 0; l < LANES; l++) {
        m3 R = get9(g->R, l), J = get9(g->J, l), X = get9(g->X, l);
        nt_inertia_terms t =
            nt_inertia_tangent(R, J, get3(g->w, l), get3(g->alpha, l), X, mass, damping, stiffness);
        put9(g->block, l, t.block);
        put3(g->moment, l, t.moment);
    }
}

NT_HOT NT_WIDE static void masses(group *restrict g, double mass)
{
    for (int l = 0; l < LANES; l++) {
        m3 R = get9(g->R, l), J = get9(g->J, l);
        nt_inertia_terms t = nt_inertia_mass(R, J, get3(g->w, l), get3(g->alpha, l), mass);
        put9(g->block, l, t.block);
        put3(g->moment, l, t.moment);
    }
}

NT_HOT static void bodies_scatter(const group *g, int l, const nt_body *body, const nt_motion *m,
                                  v3 gravity, const nt_terms *terms)
{
    if (terms->residual) {
        double *r = terms->residual + body->v;
        v3_accumulate(r, nt_body_force(body, m, gravity, terms->parts));
        v3_accumulate(r + 3, get3(g->moment, l));
    }
    if (terms->matrix) {
        nt_body_add_mass(body, terms);
        m3_accumulate(nt_matrix_block(terms->matrix, body->rr_slot), get9(g->block, l));
    }
}

/* Whether a body moves and turns: both node numbers are non-negative. */
static bool is_free(const nt_body *body) { return (body->t_node | body->r_node) >= 0; }

static bool groupable(const nt_body *body)
{
    return is_free(&body[0]) && is_free(&body[1]) && is_free(&body[2]) && is_free(&body[3]);
}

static bool any_has_inertia(const nt_body *body)
{
    return nt_body_has_inertia(&body[0]) || nt_body_has_inertia(&body[1]) ||
           nt_body_has_inertia(&body[2]) || nt_body_has_inertia(&body[3]);
}

int nt_bodies_behind(const nt_body *bodies, int n_bodies, int i)
{
    return i + LANES > n_bodies || !groupable(&bodies[i]) ? i + 1 : i + LANES;
}

NT_HOT int nt_bodies_evaluate(const nt_body *bodies, int n_bodies, int from, int to,
                              const nt_point *at, const nt_terms *terms, v3 gravity,
                              const unsigned char *left_out, nt_motion *motion)
{
    const nt_combination *c = terms && terms->matrix ? terms->combination : NULL;
    bool mass = c && nt_body_asks_for_mass(c);
    bool wanted =
        terms && (terms->parts & (NT_INERTIA | NT_EXPLICIT)) && (terms->residual || terms->matrix);
    bool plain = wanted && nt_body_is_plain(terms);
    int i = from;
    while (i < to) {
        const nt_body *body = &bodies[i];
        nt_motion *m = &motion[i];
        if (left_out && left_out[i - 1]) {
            i++;
            continue;
        }
        if (left_out || i + LANES > n_bodies || !groupable(body)) {
            nt_body_motion(body, at, m);
            if (wanted)
                nt_body_evaluate(body, m, gravity, terms);
            i++;
            continue;
        }
        group g;
        bool heavy = plain && any_has_inertia(body);
        const double *const q[LANES] = {at->q + body[0].q, at->q + body[1].q, at->q + body[2].q,
                                        at->q + body[3].q};
        places(q, m, heavy ? g.R : NULL);
        for (int l = 0; l < LANES; l++) {
            bodies_gather(&g, l, at, &body[l], heavy, &m[l]);
            if (heavy)
                put9(g.J, l, body[l].J);
            if (heavy && c && !mass)
                put9(g.X, l, c->map ? m3_load(c->map + 9 * body[l].rotation) : m3_identity());
        }
        if (heavy && mass)
            masses(&g, c->mass);
        else if (heavy && c)
            tangents(&g, c->mass, c->damping, c->stiffness);
        else if (heavy)
            moments(&g);
        for (int l = 0; heavy && l < LANES; l++)
            bodies_scatter(&g, l, &body[l], &m[l], gravity, terms);
        for (int l = 0; wanted && !plain && l < LANES; l++)
            nt_body_evaluate(&body[l], &m[l], gravity, terms);
        i += LANES;
    }
    return i;
}
