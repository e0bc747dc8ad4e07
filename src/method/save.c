/* Saving and restoring an integrator's state, bit for bit: the present state, the one before it
 * (dense output) and the driver's counters. */
#include "base/error.h"
#include "method/integrator.h"

#include <stdio.h>
#include <string.h>

typedef struct header {
    char magic[8];
    char method[32];
    int nq, nv, nh, nn, n_memory, frame;
    size_t size, statistics_size;
    int level, calm, n_dropped;
    nt_step_control control;
    nt_energy_watch watch;
    nt_statistics statistics;
} header;

static header header_of(const nt_integrator *it)
{
    const nt_problem *p = it->problem;
    header h;
    memset(&h, 0, sizeof h); /* padding too: equal states are equal bytes */
    memcpy(h.magic, "nutate1", 8);
    snprintf(h.method, sizeof h.method, "%s", it->method->name);
    h.nq = p->nq, h.nv = p->nv, h.nh = p->nh, h.nn = p->nn;
    h.n_memory = p->system->n_memory;
    h.frame = (int)p->frame;
    h.size = it->size;
    h.statistics_size = sizeof h.statistics;
    h.level = it->level, h.calm = it->calm, h.n_dropped = p->n_dropped;
    h.control = it->control;
    h.watch = it->watch;
    h.statistics = it->statistics;
    return h;
}

size_t nt_integrator_saved_size(const nt_integrator *it)
{
    return sizeof(header) + 2 * it->size * sizeof(double) + (size_t)it->problem->nc * sizeof(int);
}

void nt_integrator_save(const nt_integrator *it, void *bytes)
{
    nt_problem *p = it->problem;
    /* a restored state has no factors either: both go on alike */
    p->factored_for = NULL;
    nt_solver_forget(p->solver);
    ((nt_integrator *)(size_t)it)->stepper.resumed = true;
    size_t state = it->size * sizeof(double);
    header h = header_of(it);
    char *out = bytes;
    memset(out, 0, nt_integrator_saved_size(it));
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, it->stepper.now.all, state);
    memcpy(out + sizeof h + state, it->before.all, state);
    memcpy(out + sizeof h + 2 * state, p->dropped, (size_t)p->n_dropped * sizeof(int));
}

nt_status nt_integrator_restore(nt_integrator *it, const void *bytes, size_t size, nt_error *error)
{
    nt_problem *p = it->problem;
    header mine = header_of(it), h;
    const char *in = bytes;
    if (size < sizeof h)
        return nt_fail(error, NT_INVALID, "saved state has %zu bytes, expected at least %zu", size,
                       sizeof h);
    memcpy(&h, in, sizeof h);
    h.magic[sizeof h.magic - 1] = h.method[sizeof h.method - 1] = '\0';
    if (strcmp(h.magic, mine.magic) != 0)
        return nt_fail(error, NT_INVALID, "saved state is '%.7s', expected '%s'", h.magic,
                       mine.magic);
    if (strcmp(h.method, mine.method) != 0)
        return nt_fail(error, NT_INVALID, "saved state is of method %s, expected %s", h.method,
                       mine.method);
    if (h.nq != mine.nq || h.nv != mine.nv || h.nh != mine.nh || h.nn != mine.nn ||
        h.n_memory != mine.n_memory || h.frame != mine.frame || h.size != mine.size ||
        h.statistics_size != mine.statistics_size || h.n_dropped < 0 || h.n_dropped > p->nc ||
        h.level < 0 || h.level > 62)
        return nt_fail(error, NT_INVALID, "saved state is of another system or frame");
    if (size != nt_integrator_saved_size(it))
        return nt_fail(error, NT_INVALID, "saved state has %zu bytes, expected %zu for this system",
                       size, nt_integrator_saved_size(it));
    size_t state = it->size * sizeof(double);
    memcpy(it->stepper.now.all, in + sizeof h, state);
    memcpy(it->before.all, in + sizeof h + state, state);
    memcpy(p->dropped, in + sizeof h + 2 * state, (size_t)h.n_dropped * sizeof(int));
    p->n_dropped = h.n_dropped;
    p->factored_for = NULL;
    nt_solver_drop(p->solver, p->dropped, p->n_dropped);
    nt_solver_forget(p->solver);
    it->stepper.resumed = true;
    it->stepper.stale = false;
    it->level = h.level, it->calm = h.calm;
    it->control = h.control;
    it->watch = h.watch;
    nt_energy_watch_keep(it, &it->before);
    it->statistics = h.statistics;
    it->started = true;
    it->awaits = false;
    return NT_OK;
}
