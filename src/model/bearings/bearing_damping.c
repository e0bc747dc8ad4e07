/* Where splitting methods take what balls and rings damp by themselves: into their own blocks of
 * the matrix. */
#include "model/bearings/bearing.h"

#include "model/bearings/lanes.h"
#include "model/elements.h"

/* Where 3 x 3 numbers of an element are added up: in the matrix itself, where nobody else adds to
 * it at the same time. NULL: there is no such block. */
static double *block_at(const nt_view *view, int slot, int row, int column)
{
    const nt_matrix *matrix = view->terms->matrix;
    if (slot < 0 || view->local->apart || nt_pattern_is_single(matrix->pattern, slot))
        return nt_view_block(view, row, column);
    return nt_matrix_block(matrix, slot);
}

/* The four blocks of the body whose ports begin here, of rows k/2, columns k%2. */
NT_INLINE void blocks_at(const nt_view *view, int port, double *to[4])
{
    const nt_local *local = view->local;
    const nt_matrix *matrix = view->terms->matrix;
    const nt_pattern *pattern = matrix->pattern;
    int n = local->element->n_ports;
    const int *first = local->element->slot + port * n + port;
    const int slot[4] = {first[0], first[1], first[n], first[n + 1]};
    bool whole = !local->apart && (slot[0] | slot[1] | slot[2] | slot[3]) >= 0;
    for (int k = 0; k < 4; k++)
        whole = whole && pattern->shape[slot[k]] != NT_SCALED;
    for (int k = 0; k < 4; k++)
        to[k] = whole ? matrix->values + pattern->offset[slot[k]]
                      : block_at(view, slot[k], port + k / 2, port + k % 2);
}

/* Block k of D[6][6] of a body, entry i at D[stride i], into `to`; see nt_combination. */
NT_INLINE void add_block(const nt_view *view, int body, const double *D, int stride, int k,
                         double *to)
{
    const nt_combination *combination = view->terms->combination;
    double c = combination->damping;
    const double *x = D + stride * (18 * (k / 2) + 3 * (k % 2));
    if (!to)
        return;
    if (k % 2 && combination->map) {
        const double *y = x + 6 * stride, *z = y + 6 * stride;
        m3 block = {x[0],          x[stride], x[2 * stride], y[0],         y[stride],
                    y[2 * stride], z[0],      z[stride],     z[2 * stride]};
        m3_accumulate(to, m3_multiply(block, nt_rate_map(view, body, c, 0)));
        return;
    }
    for (int i = 0; i < 9; i++)
        to[i] += c * x[stride * (6 * (i / 3) + i % 3)];
}

static void add_blocks(const nt_view *view, int port, int body, const double *D, int stride)
{
    double *to[4];
    blocks_at(view, port, to);
    for (int k = 0; k < 4; k++)
        add_block(view, body, D, stride, k, to[k]);
}

void nt_bearing_damp_ring(const nt_view *view, int port, int body, const double D[36])
{
    add_blocks(view, port, body, D, 1);
}

/* Four balls from lane l on, if each has all its blocks; whether it was added. */
static bool damp_four(const nt_view *view, const nt_bearing *b, int first,
                      const nt_damping_lanes *damping, int l)
{
    const unsigned char *alone = view->model->system.explicit_blocks;
    double *to[NT_HALF][4];
    for (int i = 0; i < NT_HALF; i++) {
        int body = b->first_ball + first + l + i;
        if (alone && !alone[body - 1])
            return false;
        blocks_at(view, nt_bearing_port_of(b, body), to[i]);
        if (!to[i][0] || !to[i][1] || !to[i][2] || !to[i][3])
            return false;
    }
    nt_lanes_spread_damping(damping, l, view->terms->combination->damping, to);
    return true;
}

void nt_bearing_damp_balls(const nt_view *view, const nt_bearing *b, int first, int n,
                           const nt_damping_lanes *damping)
{
    const unsigned char *alone = view->model->system.explicit_blocks;
    bool plain = !view->terms->combination->map;
    for (int l = 0; l < n; l++) {
        int body = b->first_ball + first + l;
        if (plain && l % NT_HALF == 0 && l + NT_HALF <= n && damp_four(view, b, first, damping, l))
            l += NT_HALF - 1;
        else if (!alone || alone[body - 1])
            add_blocks(view, nt_bearing_port_of(b, body), body, &damping->of[0].of[l], NT_LANES);
    }
}
