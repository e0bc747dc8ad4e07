/* Advances: what a period adds to a state, g x = motions of the whole from the left, turns of
 * bodies about their own axes from the right; both commute.
 *
 *   whole   x -> R_g x + a,  R -> R_g R,  v -> R_g v,  w -> R_g w,  with a along and R_g about
 *           ground axes
 *   body    R -> R exp(b e_i), w as it is,  for entry i of a rotation
 *           x -> x + a e_i,                 for entry i of a translation
 *
 * with w and increments of rotations in ground axes. */
#include "analysis/orbit/orbit.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* The block of entry i of v, and which of its entries it is. */
static const nt_block *block_of(const nt_space *space, int i, int *entry)
{
    *entry = -1;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        *entry = i - block->v;
        if (*entry >= 0 && *entry < block->nv)
            return block;
    }
    return NULL;
}

static bool is_rotation(const nt_block *block, int entry)
{
    return block->rotation >= 0 && entry >= block->nv - 3;
}

nt_status nt_orbit_check_advances(const nt_orbit *o, nt_error *error)
{
    const nt_space *space = &o->system->space;
    int about = 0;
    for (int i = 0; i < o->wanted.n_advances; i++) {
        int k = o->advance[i].coordinate, entry = -1;
        const nt_block *block = k >= 0 ? block_of(space, k, &entry) : NULL;
        about += k >= NT_ABOUT_Z && k <= NT_ABOUT_X;
        for (int j = 0; j < i; j++)
            if (o->advance[j].coordinate == k)
                return nt_fail(error, NT_INVALID, "advance %d is the same as advance %d", i, j);
        if (k < NT_ABOUT_Z || k >= space->nv || (block && block->kind == NT_FIRST))
            return nt_fail(error, NT_INVALID,
                           "advance %d is of coordinate %d, expected one of the %d that have a "
                           "position, or NT_ALONG_X to NT_ABOUT_Z",
                           i, k, space->nv - space->n_first);
        if (!isfinite(o->advance[i].value))
            return nt_fail(error, NT_INVALID, "advance %d is no finite number", i);
        bool turns = k < 0 ? k <= NT_ABOUT_X : is_rotation(block, entry);
        if (turns && o->system->frame != NT_INERTIAL)
            return nt_fail(error, NT_UNSUPPORTED,
                           "advances of rotations need a system in the frame NT_INERTIAL");
    }
    if (about > 1)
        return nt_fail(error, NT_INVALID,
                       "the whole turns about %d axes in a period, expected one at most", about);
    return NT_OK;
}

bool nt_orbit_is_along(const nt_orbit *o, int i)
{
    int k = o->advance[i].coordinate, entry;
    const nt_block *block = k >= 0 ? block_of(&o->system->space, k, &entry) : NULL;
    return k < 0 ? k >= NT_ALONG_Z : !is_rotation(block, entry);
}

static v3 unit(int i) { return v3_of(i == 0, i == 1, i == 2); }

/* The motion of the whole: R_g as a quaternion, and a. */
static quat whole_of(const nt_orbit *o, v3 *along)
{
    double turn[3] = {0, 0, 0}, q[4];
    *along = v3_of(0, 0, 0);
    for (int i = 0; i < o->wanted.n_advances; i++) {
        int k = o->advance[i].coordinate;
        if (k < 0 && k >= NT_ALONG_Z)
            *along = v3_add(*along, v3_scale(o->amount[i], unit(NT_ALONG_X - k)));
        else if (k < 0)
            turn[NT_ABOUT_X - k] = o->amount[i];
    }
    nt_so3_exp(turn, q);
    return quat_load(q);
}

/* Whether a block begins with a place in space. */
static bool is_point(const nt_block *block)
{
    return block->kind == NT_R3SO3 || (block->kind == NT_RN && block->nv == 3);
}

static void turn_three(m3 R, double *x) { v3_store(x, m3_apply(R, v3_load(x))); }

static void turn_all(const nt_space *space, m3 R, double *v)
{
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if (is_point(block))
            turn_three(R, v + block->v);
        if (block->rotation >= 0)
            turn_three(R, v + block->v + block->nv - 3);
    }
}

static bool has_whole(const nt_orbit *o)
{
    for (int i = 0; i < o->wanted.n_advances; i++)
        if (o->advance[i].coordinate < 0)
            return true;
    return false;
}

void nt_orbit_advance_state(const nt_orbit *o, double *q, double *v)
{
    const nt_space *space = &o->system->space;
    v3 along;
    quat r = whole_of(o, &along);
    m3 R = quat_matrix(r);
    double *dq = o->work, turned[4];
    if (has_whole(o)) {
        for (int b = 0; b < space->n_blocks; b++) {
            const nt_block *block = &space->blocks[b];
            double *x = q + block->q, *rotation = x + block->nq - 4;
            if (is_point(block))
                v3_store(x, v3_add(m3_apply(R, v3_load(x)), along));
            if (block->rotation >= 0) {
                quat_store(turned, quat_multiply(r, quat_load(rotation)));
                memcpy(rotation, turned, sizeof turned);
            }
        }
        turn_all(space, R, v);
    }
    for (int i = 0; i < o->wanted.n_advances; i++) {
        int k = o->advance[i].coordinate;
        if (k < 0)
            continue;
        nt_orbit_generator(o, i, q, v, dq, NULL);
        for (int j = 0; j < space->nv; j++)
            dq[j] *= o->amount[i];
        nt_space_compose(space, o->system->frame, q, dq, q);
    }
}

void nt_orbit_turn_back(const nt_orbit *o, double *dq, double *dv)
{
    v3 along;
    if (!has_whole(o))
        return;
    m3 back = m3_transpose(quat_matrix(whole_of(o, &along)));
    turn_all(&o->system->space, back, dq);
    turn_all(&o->system->space, back, dv);
}

void nt_orbit_generator(const nt_orbit *o, int i, const double *q, const double *v, double *dq,
                        double *dv)
{
    const nt_space *space = &o->system->space;
    int k = o->advance[i].coordinate, entry;
    memset(dq, 0, (size_t)space->nv * sizeof *dq);
    if (dv)
        memset(dv, 0, (size_t)space->nv * sizeof *dv);
    if (k >= 0) {
        const nt_block *block = block_of(space, k, &entry);
        if (!is_rotation(block, entry)) {
            dq[k] = 1;
            return;
        }
        m3 R = quat_matrix(quat_load(q + block->q + block->nq - 4));
        v3_store(dq + block->v + block->nv - 3, m3_apply(R, unit(entry - block->nv + 3)));
        return;
    }
    bool along = k >= NT_ALONG_Z;
    v3 e = unit(along ? NT_ALONG_X - k : NT_ABOUT_X - k);
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int turn = block->v + block->nv - 3;
        if (is_point(block)) {
            v3_store(dq + block->v, along ? e : v3_cross(e, v3_load(q + block->q)));
            if (!along && dv)
                v3_store(dv + block->v, v3_cross(e, v3_load(v + block->v)));
        }
        if (block->rotation >= 0 && !along) {
            v3_store(dq + turn, e);
            if (dv)
                v3_store(dv + turn, v3_cross(e, v3_load(v + turn)));
        }
    }
}
