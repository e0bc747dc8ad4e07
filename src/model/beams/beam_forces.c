/* What a beam needs in most evaluations: elastic forces and energies without their tangent, of four
 * points at a time whatever elements they belong to. Between the points' fields and the nodes go
 * vectors of one point; see linalg/four.h.
 *
 * Of one point, with n = p . p and y = p* (0, v), all products of quaternions:
 *
 *   gam = vec(y p)/n,  kap = 2 vec(p* d)/n,  (S, T) = s0 + C e + D e',
 *   g_v = p (0, S) p* /n,  g_p = (2/n) (y* (0, S) - (S . gam + T . kap) p - d (0, T)),
 *   g_d = (2/n) p (0, T),
 *
 *   gam' = (vec(p* (0, v') p) + 2 vec(y p') - 2 (p . p') gam)/n,
 *   kap' = (2/n) (vec(p* d') - vec(d* p') - (p . p') kap). */
#include "linalg/four.h"

#include "model/beams/beam_element.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A node: where it is and how it moves, what it feels. */
typedef struct beam_node {
    lanes x, r, v, rate;
    lanes f, G;
} beam_node;

/* Fields of four points. */
typedef struct fields {
    four_v3 v;
    four_quat p, d;
} fields;

size_t nt_beam_forces_scratch(const nt_beam *b)
{
    return ((size_t)b->n_nodes + 1) * sizeof(beam_node) / sizeof(double);
}

static beam_node *nodes_of(const nt_view *view)
{
    uintptr_t at = (uintptr_t)view->scratch, size = sizeof(lanes);
    return (beam_node *)(void *)((char *)view->scratch + (size - at % size) % size);
}

/* Neighbours in one half space, all along the beam. False where two have turned too far. */
NT_INLINE bool load_beam(const nt_view *view, const nt_beam *b, bool rates, beam_node *nodes)
{
    const nt_motion *m = &view->motion[b->first_body];
    const struct nt_body *body = &view->bodies[b->first_body];
    lanes last = lanes_load(view->at->q + body->q + 3);
    bool carried = true;
    for (int i = 0; i < b->n_nodes; i++, m++, body++) {
        beam_node *node = &nodes[i];
        lanes r = lanes_load(view->at->q + body->q + 3);
        double product = lanes_dot(last, r);
        carried = carried && (i == 0 || !(fabs(product) < NT_BEAM_LEAST_PRODUCT));
        last = node->r = product < 0 ? -r : r;
        node->x = lanes_of_v3(m->x);
        node->f = node->G = (lanes){0};
        if (rates) {
            node->v = lanes_of_v3(m->v);
            node->rate = 0.5 * lanes_of_quat(quat_multiply(beam_pure(m->w), lanes_quat(last)));
        }
    }
    return carried;
}

/* Four points from `first` on, of elements with n nodes; behind the last one it is repeated. */
NT_INLINE fields fields_of(const nt_beam *b, const int n, const beam_node *nodes, int first,
                           lanes per_length, bool rates)
{
    int nq = b->n_rule[0], last = b->n_elements * nq - 1;
    int element = first / nq, q = first % nq;
    lanes v[4], p[4], d[4];
    for (int l = 0; l < 4; l++) {
        const double *N = nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N, *D = N + n;
        const beam_node *at = nodes + element * (n - 1);
        if (l > 0 && first + l > last) {
            v[l] = v[l - 1], p[l] = p[l - 1], d[l] = d[l - 1];
            continue;
        }
        v[l] = p[l] = d[l] = (lanes){0};
        for (int i = 0; i < n; i++) {
            lanes x = rates ? at[i].v : at[i].x, r = rates ? at[i].rate : at[i].r;
            v[l] += D[i] * x;
            p[l] += N[i] * r;
            d[l] += D[i] * r;
        }
        if (first + l < last && ++q == nq)
            q = 0, element++;
    }
    return (fields){four_scale(per_length, four_of(v)), four_quat_of(p),
                    four_quat_scale(per_length, four_quat_of(d))};
}

/* s += C e, of C the upper half row by row */
NT_INLINE void add_stress(const lanes_anywhere C[21], const lanes e[6], lanes s[6])
{
    static const int upper_row[6] = {0, 5, 9, 12, 14, 15}; /* its entry j stands at [i] + j */
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
        lanes sum = s[i];
#pragma GCC unroll 6
        for (int j = 0; j < 6; j++)
            sum += C[i < j ? upper_row[i] + j : upper_row[j] + i] * e[j];
        s[i] = sum;
    }
}

NT_INLINE void put_six(four_v3 a, four_v3 b, lanes to[6])
{
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = b.x, to[4] = b.y, to[5] = b.z;
}

/* Forces of four points to the nodes. */
NT_INLINE void spread(const nt_beam *b, const int n, beam_node *nodes, int first, const fields *g)
{
    int nq = b->n_rule[0], left = b->n_elements * nq - first;
    int element = first / nq, q = first % nq;
    lanes v[4], p[4], d[4];
    four_split(g->v, v);
    four_split_quat(g->p, p);
    four_split_quat(g->d, d);
    for (int l = 0; l < 4 && l < left; l++) {
        const double *N = nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N, *D = N + n;
        beam_node *at = nodes + element * (n - 1);
        for (int i = 0; i < n; i++) {
            at[i].f += D[i] * v[l];
            at[i].G += N[i] * p[l] + D[i] * d[l];
        }
        if (++q == nq)
            q = 0, element++;
    }
}

/* Strains of four points, and what their forces need of them. */
typedef struct strains {
    fields at;
    four_quat y;
    lanes n, s;
    four_v3 gam, kap;
    lanes e[6], et[6];
} strains;

NT_INLINE void find_strains(const nt_beam_four *four, strains *st)
{
    const fields *at = &st->at;
    four_quat conjugate = four_conjugate(at->p);
    st->n = four_quat_dot(at->p, at->p);
    st->s = 2 / st->n;
    st->y = four_by_pure(conjugate, at->v);
    st->gam = four_scale(1 / st->n, four_vector(st->y, at->p));
    st->kap = four_scale(st->s, four_vector(conjugate, at->d));
    four_v3 tangent = {four->tangent[0], four->tangent[1], four->tangent[2]};
    put_six(four_sub(st->gam, tangent), st->kap, st->e);
}

NT_INLINE void find_strain_rates(const fields *rate, strains *st)
{
    const fields *at = &st->at;
    four_quat conjugate = four_conjugate(at->p);
    lanes turn = four_quat_dot(at->p, rate->p);
    four_v3 gam = four_scale(four_all(0.5), four_vector(four_by_pure(conjugate, rate->v), at->p));
    gam = four_add(gam, four_vector(st->y, rate->p));
    gam = four_sub(gam, four_scale(turn, st->gam));
    four_v3 kap =
        four_sub(four_vector(conjugate, rate->d), four_vector(four_conjugate(at->d), rate->p));
    kap = four_sub(kap, four_scale(turn, st->kap));
    put_six(four_scale(st->s, gam), four_scale(st->s, kap), st->et);
}

/* Derivatives of the energy in the fields. */
NT_INLINE fields find_forces(const nt_beam_four *four, const strains *st, const lanes s[6])
{
    const fields *at = &st->at;
    four_v3 S = {s[0], s[1], s[2]}, T = {s[3], s[4], s[5]};
    lanes w = four->weight, ws = w * st->s, along = ws * four->per_length;
    four_quat pS = four_by_pure(at->p, S), pT = four_by_pure(at->p, T);
    lanes phi = four_dot(S, st->gam) + four_dot(T, st->kap);
    four_quat g = four_quat_sub(four_by_pure(four_conjugate(st->y), S), four_by_pure(at->d, T));
    g = four_quat_sub(g, four_quat_scale(phi, at->p));
    return (fields){four_scale(0.5 * along, four_vector(pS, four_conjugate(at->p))),
                    four_quat_scale(ws, g), four_quat_scale(along, pT)};
}

/* Energy and power of four points; those behind the last have no weight. */
NT_INLINE void add_energies(const nt_beam_four *four, const strains *st, nt_energy *energy)
{
    lanes elastic[6] = {{0}}, damped[6] = {{0}}, potential = {0}, power = {0};
    add_stress(four->C, st->e, elastic);
    add_stress(four->D, st->et, damped);
    for (int i = 0; i < 6; i++) {
        potential += (elastic[i] / 2 + four->s[i]) * st->e[i];
        power += damped[i] * st->et[i];
    }
    potential *= four->weight, power *= four->weight;
    energy->potential += (potential[0] + potential[1]) + (potential[2] + potential[3]);
    energy->power -= (power[0] + power[1]) + (power[2] + power[3]);
}

/* (1/2) vec(G r*) of the nodes. */
NT_INLINE void push_nodes(const nt_view *view, const nt_beam *b, const beam_node *nodes)
{
    const nt_port *port = view->local->element->ports + NT_PORTS;
    double *residual = nt_beam_residual(view);
    for (int i = 0; i < b->n_nodes; i++, port += 2) {
        quat G = lanes_quat(nodes[i].G), r = lanes_quat(nodes[i].r);
        v3 m = beam_vector(quat_multiply(G, beam_conjugate(r)));
        v3_accumulate(residual + port[0].start, lanes_v3(nodes[i].f));
        v3_accumulate(residual + port[1].start, v3_scale(0.5, m));
    }
}

NT_INLINE bool add_forces_of(const nt_view *view, const nt_beam *b, const int n)
{
    beam_node *nodes = nodes_of(view);
    const nt_beam_four *four = nt_beam_array_in(b, b->fours);
    bool damped = nt_beam_is_damped(b);
    if (!load_beam(view, b, damped, nodes) && !view->energy)
        return false;
    for (int first = 0; first < b->n_elements * b->n_rule[0]; first += 4, four++) {
        strains st;
        st.at = fields_of(b, n, nodes, first, four->per_length, false);
        find_strains(four, &st);
        if (damped) {
            fields rate = fields_of(b, n, nodes, first, four->per_length, true);
            find_strain_rates(&rate, &st);
        } else {
            memset(st.et, 0, sizeof st.et);
        }
        if (view->energy) {
            add_energies(four, &st, view->energy);
            continue;
        }
        lanes s[6];
        for (int i = 0; i < 6; i++)
            s[i] = four->s[i];
        add_stress(four->C, st.e, s);
        if (damped)
            add_stress(four->D, st.et, s);
        fields g = find_forces(four, &st, s);
        spread(b, n, nodes, first, &g);
    }
    if (!view->energy)
        push_nodes(view, b, nodes);
    return true;
}

/* Loops over the nodes of an element are written out where these are few. */
NT_WIDE static bool add_forces(const nt_view *view, const nt_beam *b)
{
    switch (b->p) {
    case 2:
        return add_forces_of(view, b, 3);
    case 5:
        return add_forces_of(view, b, 6);
    default:
        return add_forces_of(view, b, b->p + 1);
    }
}

bool nt_beam_add_forces(const nt_view *view, const nt_beam *b) { return add_forces(view, b); }
