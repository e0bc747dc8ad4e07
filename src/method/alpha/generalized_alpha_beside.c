/* The derivative of a step of generalized-alpha, of rigid bodies, along four directions that lie
 * side by side: the formulas of generalized_alpha_linearise.c, where a vector instruction does one
 * number of all four. Body by body, so that each number is read and written once. */
#include "base/target.h"
#include "linalg/lanes.h"
#include "method/alpha/generalized_alpha.h"

typedef struct three {
    lanes x[3];
} three;

NT_INLINE lanes get(const double *all, size_t i) { return *(const lanes_anywhere *)(all + 4 * i); }
NT_INLINE void put(double *all, size_t i, lanes x) { *(lanes_anywhere *)(all + 4 * i) = x; }

NT_INLINE three get_three(const double *all, size_t i)
{
    return (three){{get(all, i), get(all, i + 1), get(all, i + 2)}};
}

/* a x, a_ij at a + row i + column j */
NT_INLINE three product(const double *a, int row, int column, three x)
{
    three y;
    for (int i = 0; i < 3; i++, a += row)
        y.x[i] = (a[0] * x.x[0] + a[column] * x.x[1]) + a[2 * column] * x.x[2];
    return y;
}

/* What the loops read. Stores of vectors may change anything that can be reached; copies that are
 * out of reach stay in registers. */
typedef struct known {
    double h, of_vdot, of_a, x_a, x_c, v_a, v_c; /* of dvdot0, da_0 and dv0 in c_a, c_x and c_v */
    double scale;
    const double *q, *v, *vdot, *a;
    double *y, *c_v, *c_a, *z; /* z in place of dq1 */
} known;

NT_INLINE known known_of(const nt_family *c, const nt_generalized_alpha_linear *l,
                         const nt_const_variation *from, const nt_variation *to)
{
    double h = c->h, part = 1 / (1 - c->alpha_m);
    return (known){.h = h,
                   .of_vdot = part * c->alpha_f,
                   .of_a = -part * c->alpha_m,
                   .x_a = h * h * (0.5 - c->beta),
                   .x_c = h * h * c->beta,
                   .v_a = h * (1 - c->gamma),
                   .v_c = h * c->gamma,
                   .scale = -c->scale,
                   .q = from->q,
                   .v = from->v,
                   .vdot = from->vdot,
                   .a = from->method,
                   .y = l->y,
                   .c_v = l->c_v,
                   .c_a = to->method,
                   .z = to->q};
}

/* y = T^-1 Ad dq0 + c_x, c_v and c_a of number i; *y in: T^-1 Ad dq0 */
NT_INLINE void add_known(const known *k, size_t i, lanes *y, lanes *c_v)
{
    lanes v = get(k->v, i), a = get(k->a, i);
    lanes c_a = k->of_vdot * get(k->vdot, i) + k->of_a * a;
    *y += k->h * v + (k->x_a * a + k->x_c * c_a);
    *c_v = v + (k->v_a * a + k->v_c * c_a);
    put(k->y, i, *y), put(k->c_v, i, *c_v), put(k->c_a, i, c_a);
}

/* All of them, and z = -s (z + C c_v - (beta' M + gamma' C) y) */
NT_WIDE static void find_known(const nt_problem *p, const nt_family *c,
                               const nt_generalized_alpha_linear *l, const nt_const_variation *from,
                               const nt_variation *to)
{
    const known k = known_of(c, l, from, to);
    const double *mass = l->mass, *T_inverse = l->T_inverse;
    const nt_generalized_alpha_torques *torques = l->torques;
    const nt_block *block = p->space.blocks, *last = block + p->space.n_blocks;
    for (; block < last; block++) {
        size_t i = (size_t)block->v, end = i + (size_t)block->nv, r = end - 3;
        int rotation = block->rotation;
        for (; i < (rotation < 0 ? end : r); i++) {
            lanes y = get(k.q, i), c_v;
            add_known(&k, i, &y, &c_v);
            put(k.z, i, k.scale * get(k.z, i) + mass[i] * y);
        }
        if (rotation < 0)
            continue;
        three y = product(T_inverse + 9 * rotation, 1, 3, get_three(k.q, r)), c_v;
        for (size_t j = 0; j < 3; j++)
            add_known(&k, r + j, &y.x[j], &c_v.x[j]);
        const nt_generalized_alpha_torques *t = &torques[rotation / 4];
        y = product(&t->of_y[0][rotation % 4], 12, 4, y);
        c_v = product(&t->of_v[0][rotation % 4], 12, 4, c_v);
        for (size_t j = 0; j < 3; j++)
            put(k.z, r + j, k.scale * (get(k.z, r + j) + (y.x[j] + c_v.x[j])));
    }
}

/* (R_p, -rows_p) */
NT_WIDE static void lay_beside(const nt_problem *p, const nt_generalized_alpha_linear *l,
                               const nt_variation *to)
{
    size_t n = (size_t)p->n, nv = (size_t)p->nv;
    const double *forces[4] = {l->z, l->z + n, l->z + 2 * n, l->z + 3 * n};
    const double *rows[4] = {forces[0] + nv, forces[1] + nv, forces[2] + nv, forces[3] + nv};
    lanes_beside(p->nv, forces, 1, to->q);
    lanes_beside(p->nc, rows, -1, to->lambda);
}

void nt_generalized_alpha_known_beside(const nt_problem *p, const nt_family *c,
                                       const nt_generalized_alpha_linear *l,
                                       const nt_const_variation *from, const nt_variation *to)
{
    lay_beside(p, l, to);
    find_known(p, c, l, from, to);
}

/* What dv1, dvdot1 and da_1 follow from once e is solved for, and where they go. */
typedef struct solved {
    double gamma_prime, beta_prime, share;
    const double *y, *c_v;
    double *v, *vdot, *a;
} solved;

/* dv1, dvdot1, da_1 of number i from x = T^-1 e */
NT_INLINE void add_solution(const solved *s, size_t i, lanes x)
{
    lanes w = x - get(s->y, i), acceleration = s->beta_prime * w;
    put(s->v, i, s->gamma_prime * w + get(s->c_v, i));
    put(s->vdot, i, acceleration);
    put(s->a, i, get(s->a, i) + s->share * acceleration);
}

NT_WIDE static void take(const nt_problem *p, const nt_family *c,
                         const nt_generalized_alpha_linear *l, const nt_variation *to)
{
    const solved s = {.gamma_prime = c->gamma_prime,
                      .beta_prime = c->beta_prime,
                      .share = c->share,
                      .y = l->y,
                      .c_v = l->c_v,
                      .v = to->v,
                      .vdot = to->vdot,
                      .a = to->method};
    const double *e = to->q;
    const double *T_inverse = l->T_inverse;
    const nt_block *block = p->space.blocks, *last = block + p->space.n_blocks;
    for (; block < last; block++) {
        size_t i = (size_t)block->v, end = i + (size_t)block->nv, r = end - 3;
        int rotation = block->rotation;
        for (; i < (rotation < 0 ? end : r); i++)
            add_solution(&s, i, get(e, i));
        if (rotation < 0)
            continue;
        three x = product(T_inverse + 9 * rotation, 3, 1, get_three(e, r));
        for (size_t j = 0; j < 3; j++)
            add_solution(&s, r + j, x.x[j]);
    }
    double unscale = 1 / c->scale, *lambda = to->lambda;
    for (size_t i = 0, nc = (size_t)p->nc; i < nc; i++) /* mu follows lambda */
        put(lambda, i, unscale * get(lambda, i));
}

void nt_generalized_alpha_take_beside(const nt_problem *p, const nt_family *c,
                                      const nt_generalized_alpha_linear *l, const nt_variation *to)
{
    take(p, c, l, to);
}
