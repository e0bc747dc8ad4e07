/* Lumped inertia of a beam: each node is a rigid body with its mass centre off the node, four nodes
 * at a time. With me and rho in ground axes
 *
 *   f = m a + (alpha~ + w~ w~) me,   m = me x a + rho alpha + w x rho w,
 *
 * whose derivatives in (a, alpha), (v, w) and (x, theta) are
 *
 *   [m I, -me~; me~, rho],   [0, -(w x me)~ - w~ me~; 0, w~ rho - (rho w)~],
 *   [0, -(alpha~ + w~ w~) me~; 0, a~ me~ + rho alpha~ - (rho alpha)~ + w~ (rho w~ - (rho w)~)]. */
#include "linalg/four.h"
#include "model/beams/beam_element.h"
#include "model/elements.h"

#include <string.h>

/* Motions of four nodes, as far as parts of the inertia are asked for. */
typedef struct moving {
    four_v3 x, v, w, a, alpha; /* a less gravity */
    four_m3 R;
} moving;

/* What of them lies in a motion of 24 numbers, four at a time. */
NT_INLINE void load_four(const nt_view *view, const nt_beam *b, int first, moving *to)
{
    const nt_motion *m[4];
    lanes part[6][4];
    for (int l = 0; l < 4; l++)
        m[l] = &view->motion[b->first_body + (first + l < b->n_nodes ? first + l : b->n_nodes - 1)];
    for (int k = 0; k < 6; k++) {
        for (int l = 0; l < 4; l++)
            part[k][l] = lanes_load((const double *)m[l] + 4 * k);
        lanes_transpose(part[k]);
    }
    const lanes *at = part[0];
    *to = (moving){.x = {at[0], at[1], at[2]},
                   .R = {at[3], at[4], at[5], at[6], at[7], at[8], at[9], at[10], at[11]},
                   .v = {at[12], at[13], at[14]},
                   .w = {at[15], at[16], at[17]},
                   .a = {at[18], at[19], at[20]},
                   .alpha = {at[21], at[22], at[23]}};
}

NT_INLINE void take_parts(const nt_view *view, moving *m)
{
    unsigned parts = view->terms->parts;
    four_v3 zero = four_same(v3_of(0, 0, 0));
    if (!(parts & NT_GYROSCOPIC))
        m->w = zero;
    if (!(parts & NT_MASS))
        m->alpha = m->a = zero;
    if (parts & NT_EXPLICIT)
        m->a = four_sub(m->a, four_same(nt_beam_gravity(view->run)));
}

/* Mass, its moment and second moments of four nodes, ground axes. */
typedef struct masses {
    lanes m;
    four_v3 me;
    four_m3 rho0; /* reference axes */
} masses;

NT_INLINE masses masses_of(const nt_beam *b, int first, const moving *at)
{
    const nt_beam_four_mass *of =
        (const nt_beam_four_mass *)nt_beam_array_in(b, b->nodal) + first / 4;
    const lanes_anywhere *r = of->rho;
    masses to = {.m = of->m, .rho0 = {r[0], r[1], r[2], r[1], r[3], r[4], r[2], r[4], r[5]}};
    to.me = four_apply(&at->R, (four_v3){of->me[0], of->me[1], of->me[2]});
    return to;
}

/* R rho R^T w */
NT_INLINE four_v3 turn_by(const masses *mass, const moving *at, four_v3 w)
{
    return four_apply(&at->R, four_apply(&mass->rho0, four_apply_transposed(&at->R, w)));
}

NT_INLINE void push_four(const nt_view *view, int first, const int nodes[2], const masses *mass,
                         const moving *at)
{
    lanes f[4], moment[4];
    four_v3 wxme = four_cross(at->w, mass->me), rho_w = turn_by(mass, at, at->w);
    four_v3 force = four_add(four_cross(at->alpha, mass->me), four_cross(at->w, wxme));
    four_v3 turning = four_add(turn_by(mass, at, at->alpha), four_cross(at->w, rho_w));
    four_split(four_add(four_scale(mass->m, at->a), force), f);
    four_split(four_add(four_cross(mass->me, at->a), turning), moment);
    const nt_port *port = view->local->element->ports + NT_PORTS + 2 * first;
    double *residual = nt_beam_residual(view);
    for (int l = nodes[0] > first ? nodes[0] - first : 0; l < 4 && first + l < nodes[1]; l++) {
        v3_accumulate(residual + port[2 * l].start, lanes_v3(f[l]));
        v3_accumulate(residual + port[2 * l + 1].start, lanes_v3(moment[l]));
    }
}

/* Maps of four nodes' rotations to their rates, which are matrices of one node each. */
NT_INLINE four_m3 four_maps(const m3 maps[4])
{
    lanes a[4], b[4];
    for (int l = 0; l < 4; l++) {
        a[l] = lanes_load(&maps[l].xx);
        b[l] = lanes_load(&maps[l].yy);
    }
    lanes_transpose(a);
    lanes_transpose(b);
    lanes zz = {maps[0].zz, maps[1].zz, maps[2].zz, maps[3].zz};
    return (four_m3){a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], zz};
}

NT_INLINE void put_four(const nt_view *view, int first, const int nodes[2], int part,
                        const four_m3 *block)
{
    lanes a[4] = {block->xx, block->xy, block->xz, block->yx};
    lanes c[4] = {block->yy, block->yz, block->zx, block->zy};
    lanes_transpose(a);
    lanes_transpose(c);
    for (int l = nodes[0] > first ? nodes[0] - first : 0; l < 4 && first + l < nodes[1]; l++) {
        double *to = nt_view_couple(view, 4 * (first + l) + part);
        *(lanes_anywhere *)to += a[l];
        *(lanes_anywhere *)(to + 4) += c[l];
        to[8] += block->zz[l];
    }
}

NT_INLINE void put_tangent(const nt_view *view, const nt_beam *b, int first, const int nodes[2],
                           const masses *mass, const moving *at)
{
    const nt_combination *c = view->terms->combination;
    bool accelerates = view->terms->parts & NT_MASS;
    double k = c->stiffness, factor = accelerates ? c->mass : 0;
    m3 maps[2][4];
    for (int l = 0; l < 4; l++) {
        int body = b->first_body + (first + l < b->n_nodes ? first + l : b->n_nodes - 1);
        maps[0][l] = nt_rate_map(view, body, c->damping, k);
        maps[1][l] = accelerates ? nt_acceleration_map(view, body, c->mass, k) : (m3){0};
    }
    four_m3 of_w = four_maps(maps[0]), of_alpha = four_maps(maps[1]);
    four_m3 R_rho = four_multiply(&at->R, &mass->rho0);
    four_m3 rho = four_multiply_transposed(&R_rho, &at->R), skew = four_skew(mass->me);
    four_v3 wxme = four_cross(at->w, mass->me), rho_w = four_apply(&rho, at->w);
    four_m3 w_me = four_skew_multiply(at->w, &skew);
    four_m3 f_w = four_matrix_add(four_skew(wxme), w_me);
    four_m3 m_w = four_matrix_sub(four_skew_multiply(at->w, &rho), four_skew(rho_w));
    four_m3 ft = four_matrix_add(four_multiply(&f_w, &of_w), four_multiply(&skew, &of_alpha));
    four_m3 mt = four_matrix_add(four_multiply(&m_w, &of_w), four_multiply(&rho, &of_alpha));
    if (k != 0) {
        four_m3 w = four_skew(at->w), alpha = four_skew(at->alpha);
        four_m3 turned = four_matrix_sub(four_multiply(&rho, &w), four_skew(rho_w));
        four_m3 f_theta =
            four_matrix_add(four_skew_multiply(at->alpha, &skew), four_skew_multiply(at->w, &w_me));
        four_m3 m_theta =
            four_matrix_add(four_skew_multiply(at->a, &skew), four_multiply(&rho, &alpha));
        turned = four_matrix_sub(four_skew_multiply(at->w, &turned),
                                 four_skew(four_apply(&rho, at->alpha)));
        ft = four_matrix_add(ft, four_matrix_scale(four_all(k), f_theta));
        mt = four_matrix_add(mt, four_matrix_scale(four_all(k), four_matrix_add(m_theta, turned)));
    }
    four_m3 m = {.xx = factor * mass->m, .yy = factor * mass->m, .zz = factor * mass->m};
    four_m3 static_moment = four_matrix_scale(four_all(factor), skew);
    ft = four_matrix_scale(four_all(-1), ft);
    put_four(view, first, nodes, 0, &m);
    put_four(view, first, nodes, 1, &ft);
    put_four(view, first, nodes, 2, &static_moment);
    put_four(view, first, nodes, 3, &mt);
}

/* m v . v/2 + v . (w x me) + w . rho w/2, and -(m x + me) . g; nodes behind the last have no mass.
 */
NT_INLINE void add_four_energies(const nt_view *view, const masses *mass, const moving *at)
{
    four_v3 W = four_apply_transposed(&at->R, at->w), g = four_same(nt_beam_gravity(view->run));
    lanes kinetic =
        (mass->m * four_dot(at->v, at->v) + four_dot(W, four_apply(&mass->rho0, W))) / 2 +
        four_dot(at->v, four_cross(at->w, mass->me));
    lanes potential = four_dot(four_add(four_scale(mass->m, at->x), mass->me), g);
    view->energy->kinetic += (kinetic[0] + kinetic[1]) + (kinetic[2] + kinetic[3]);
    view->energy->potential -= (potential[0] + potential[1]) + (potential[2] + potential[3]);
}

NT_WIDE static void add_lumped(const nt_view *view, const nt_beam *b, int from, int to)
{
    const int nodes[2] = {from, to};
    for (int first = from & ~3; first < to; first += 4) {
        moving at;
        load_four(view, b, first, &at);
        if (!view->energy)
            take_parts(view, &at);
        masses mass = masses_of(b, first, &at);
        if (view->energy) {
            add_four_energies(view, &mass, &at);
            continue;
        }
        if (view->terms->residual)
            push_four(view, first, nodes, &mass, &at);
        if (view->terms->matrix)
            put_tangent(view, b, first, nodes, &mass, &at);
    }
}

void nt_beam_add_lumped(const nt_view *view, const nt_beam *b, int from, int to)
{
    if (view->energy || view->terms->parts & (NT_MASS | NT_GYROSCOPIC | NT_EXPLICIT))
        add_lumped(view, b, from, to);
}
