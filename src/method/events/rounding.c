/* The size of what an indicator is made of, and with it the rounding of its zero.
 *
 * An indicator that a joint has come to hold at zero stays there but for rounding, which is that of
 * the positions, speeds and forces that it is the difference of: of x_A - x_B a part of x_A. So its
 * size is how far it moves when each unknown u_i of the state moves by a part of its own size s_i,
 *
 *   size = max |g(u + e w_i s_i) - g(u)| / e,    1/2 <= |w_i| <= 1,
 *
 * over a few patterns w of no meaning, to the side of e where g does not jump. Sizes are, of a
 * place the distance from the origin, and the model's length, of an angle 1 rad, of a rate the
 * fastest one and what the rounding of positions makes of rates within a step, of accelerations and
 * multipliers the largest one. */
#include "base/chance.h"
#include "method/events/stops.h"
#include "method/integrator.h"

#include <math.h>
#include <string.h>

enum { PATTERNS = 2 };

/* The part by which unknowns move: far above rounding, and so small that indicators are linear. */
static const double PART = 1e-8;

/* A velocity is a difference of positions over a step: their rounding, as a part of what moves. */
static const double OF_A_STEP = 1e-2;

/* From 1/2 to 1 of either sign: a number of no meaning for each call. */
static double weight(unsigned *seed)
{
    double part = 0.5 * (1 + nt_chance(seed));
    return part < 0.5 ? 0.5 + part : -part;
}

static double largest_of(const double *x, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* m, of the places of a block. */
static double place_size(const nt_problem *p, const nt_block *block, const double *q)
{
    int n = block->kind == NT_RN ? block->nq : block->kind == NT_R3SO3 ? 3 : 0;
    return fmax(p->length, largest_of(q + block->q, n));
}

/* m/s, of the fastest of two states, that of a turn being at a distance of the model's length. */
static double fastest(const nt_problem *p, const nt_phase *now, const nt_phase *before)
{
    double largest = 0;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int i = block->v; i < block->v + block->nv && block->kind != NT_FIRST; i++) {
            double arm = p->quantity[i] == NT_ANGLE ? p->length : 1;
            largest = fmax(largest, arm * fabs(now->v[i]));
            if (before)
                largest = fmax(largest, arm * fabs(before->v[i]));
        }
    }
    return largest;
}

/* The state moved by a part of all sizes. */
static void move(nt_integrator *it, const nt_phase *before, double part, unsigned seed,
                 nt_phase *moved)
{
    const nt_problem *p = it->problem;
    const nt_phase *now = &it->stepper.now;
    double *increment = it->dense, speed = fastest(p, now, before), h = it->stops.stretch.h;
    double pull = largest_of(now->vdot, p->nv), push = largest_of(now->lambda, p->nc);
    memcpy(moved->all, now->all, it->size * sizeof(double));
    moved->all[NT_PHASE_T] += part * weight(&seed) * fabs(now->all[NT_PHASE_T]);
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        bool first = block->kind == NT_FIRST;
        double place = place_size(p, block, now->q);
        double rate = fmax(speed, h > 0 ? OF_A_STEP * place / h : 0);
        for (int i = block->v; i < block->v + block->nv; i++) {
            bool turns = p->quantity[i] == NT_ANGLE;
            double pace = first ? fabs(now->v[i]) : turns ? rate / p->length : rate;
            increment[i] = first ? 0 : part * weight(&seed) * (turns ? 1 : place);
            moved->v[i] += part * weight(&seed) * pace;
            moved->vdot[i] += part * weight(&seed) * pull;
        }
    }
    for (int i = 0; i < p->nc; i++)
        moved->lambda[i] += part * weight(&seed) * push;
    nt_space_compose(&p->space, p->frame, now->q, increment, moved->q);
}

nt_status nt_stops_measure(nt_integrator *it, const nt_phase *before, const double *g,
                           double *largest)
{
    nt_stops *s = &it->stops;
    nt_phase moved = nt_stops_phase_like(&it->stepper.now, s->at.all);
    nt_status status = NT_OK;
    bool crosses = false;
    for (int i = 0; i < s->events->n; i++)
        crosses = crosses || (s->way[i] != 0 && !(s->way[i] & NT_INSIDE));
    for (unsigned k = 0; k < PATTERNS && crosses && status == NT_OK; k++) {
        double *ahead = s->g[1], *back = s->g[2];
        move(it, before, PART, k, &moved);
        status = nt_stops_indicators(it, &moved, ahead);
        move(it, before, -PART, k, &moved);
        if (status == NT_OK)
            status = nt_stops_indicators(it, &moved, back);
        for (int i = 0; i < s->events->n && status == NT_OK; i++) {
            double size = fmin(fabs(ahead[i] - g[i]), fabs(back[i] - g[i])) / PART;
            if (s->way[i] != 0 && !(s->way[i] & NT_INSIDE) && isfinite(size))
                largest[i] = fmax(largest[i], size);
        }
    }
    return status;
}
