/* Saving and restoring an integrator's state, bit for bit: the present state, the one before it
 * (dense output), the rows in use and those that are off, what the linear solver remembers, the
 * driver's counters; and, where the method keeps a tangent from step to step, the matrix whose
 * factors these are. Restoring factorises it again: the same numbers follow as if the run had gone
 * on. This factorisation is not of the run, and its statistics do not count it. */
#include "base/error.h"
#include "linalg/solver.h"
#include "method/integrator.h"
#include "system/turning.h"

#include <stdio.h>
#include <string.h>

typedef struct header {
    char magic[8];
    char method[32];
    int nq, nv, nh, nn, n_memory, n_accounts, n_bounces, frame;
    size_t size, statistics_size, solver_size, kept_size;
    int level, calm, n_dropped, n_off, stale, kept, in_parts;
    int steps_kept, corrections, own_ahead, own_last; /* of factors that are kept */
    int indicator;                                    /* of nt_stops */
    nt_parts parts;
    nt_step_control control;
    nt_energy_watch watch;
    nt_statistics statistics;
    nt_stretch stretch;
} header;

/* Bytes of a matrix that a state has room for. */
static size_t kept_size(const nt_integrator *it)
{
    const nt_pattern *pattern = it->problem->pattern;
    return it->keeps ? (size_t)pattern->offset[pattern->n_slots] * sizeof(double) : 0;
}

/* The size of the configuration at which it was made. */
static size_t made_size(const nt_integrator *it)
{
    bool turns = it->keeps && nt_turning_configuration(it->factors);
    return turns ? (size_t)it->problem->nq * sizeof(double) : 0;
}

static header save_header_of(const nt_integrator *it)
{
    const nt_problem *p = it->problem;
    const nt_factors *f = it->factors;
    header h;
    memset(&h, 0, sizeof h); /* padding too: equal states are equal bytes */
    memcpy(h.magic, "nutateG", 8);
    snprintf(h.method, sizeof h.method, "%s", it->method->name);
    h.nq = p->nq, h.nv = p->nv, h.nh = p->nh, h.nn = p->nn;
    h.n_memory = p->system->n_memory;
    h.n_accounts = it->accounts.n;
    h.n_bounces = it->accounts.n_bounces;
    h.frame = (int)p->frame;
    h.size = it->size;
    h.statistics_size = sizeof h.statistics;
    h.solver_size = nt_solver_saved_size(f->solver);
    h.kept_size = kept_size(it) + made_size(it);
    h.level = it->level, h.calm = it->calm, h.n_dropped = f->n_dropped;
    h.n_off = p->n_off;
    h.stale = it->stepper.stale, h.kept = it->keeps && f->kept, h.in_parts = f->in_parts;
    h.steps_kept = f->steps_kept, h.corrections = f->corrections;
    h.own_ahead = f->own_ahead, h.own_last = f->own_last;
    h.parts = it->parts;
    h.control = it->control;
    h.watch = it->watch;
    h.statistics = it->statistics;
    h.stretch = it->stops.stretch;
    h.indicator = it->stops.indicator;
    return h;
}

/* Where the parts are among the bytes of a state. */
typedef struct places {
    size_t now, before, accounts, bounces, rows, off, solver, kept, made, end;
} places;

static places places_of(const nt_integrator *it)
{
    places at = {.now = sizeof(header)};
    at.before = at.now + it->size * sizeof(double);
    at.accounts = at.before + it->size * sizeof(double);
    at.bounces = at.accounts + (size_t)it->accounts.n * sizeof *it->accounts.each;
    at.rows = at.bounces + (size_t)it->accounts.n_bounces * sizeof *it->accounts.bounces;
    at.off = at.rows + (size_t)it->problem->nc * sizeof(int);
    at.solver = at.off + (size_t)it->problem->nc * sizeof(int);
    at.kept = at.solver + nt_solver_saved_size(it->factors->solver);
    at.made = at.kept + kept_size(it);
    at.end = at.made + made_size(it);
    return at;
}

int nt_integrator_saves_whole(const nt_integrator *it)
{
    return it && (!it->method->whole || it->method->whole(&it->stepper)) && nt_stops_whole(it);
}

size_t nt_integrator_saved_size(const nt_integrator *it) { return it ? places_of(it).end : 0; }

void nt_integrator_save(const nt_integrator *it, void *bytes)
{
    if (!it || !bytes)
        return;
    const nt_factors *f = it->factors;
    size_t state = it->size * sizeof(double);
    header h = save_header_of(it);
    places at = places_of(it);
    char *out = bytes;
    memset(out, 0, at.end);
    memcpy(out, &h, sizeof h);
    memcpy(out + at.now, it->stepper.now.all, state);
    memcpy(out + at.before, it->before.all, state);
    memcpy(out + at.accounts, it->accounts.each,
           (size_t)it->accounts.n * sizeof *it->accounts.each);
    if (it->accounts.n_bounces > 0)
        memcpy(out + at.bounces, it->accounts.bounces,
               (size_t)it->accounts.n_bounces * sizeof *it->accounts.bounces);
    memcpy(out + at.rows, f->dropped, (size_t)f->n_dropped * sizeof(int));
    if (it->problem->n_off > 0)
        memcpy(out + at.off, it->problem->off, (size_t)it->problem->n_off * sizeof(int));
    nt_solver_save(f->solver, out + at.solver);
    if (h.kept)
        memcpy(out + at.kept, f->matrix.values, kept_size(it));
    if (h.kept && made_size(it) > 0)
        memcpy(out + at.made, nt_turning_configuration(it->factors), made_size(it));
}

/* The rows, what the solver remembers and the factors that are kept. */
static nt_status restore_factors(nt_integrator *it, const header *h, const char *in,
                                 const places *at)
{
    nt_factors *f = it->factors;
    memcpy(f->dropped, in + at->rows, (size_t)h->n_dropped * sizeof(int));
    nt_factors_begin(f);
    nt_status status = nt_factors_set_rows(f, f->dropped, h->n_dropped);
    if (status != NT_OK)
        return status;
    if (h->kept) {
        memcpy(f->matrix.values, in + at->kept, kept_size(it));
        f->matrix.cleared = 0;
    }
    if (h->kept && made_size(it) > 0) {
        double *configuration = nt_turning_configuration(f);
        memcpy(configuration, in + at->made, made_size(it));
        nt_turning_made(f, configuration);
    }
    bool whole = h->kept && !h->in_parts;
    status = nt_solver_restore(f->solver, in + at->solver, whole ? &f->matrix : NULL);
    f->kept = h->kept && status == NT_OK;
    f->in_parts = h->kept && h->in_parts;
    f->steps_kept = h->steps_kept, f->corrections = h->corrections;
    f->own_ahead = h->own_ahead, f->own_last = h->own_last;
    return status;
}

/* Rows that are off exist, in order. */
static bool rows_exist(const nt_integrator *it, const header *h, const char *in)
{
    for (int i = 0, last = -1; i < h->n_off; i++) {
        int row;
        memcpy(&row, in + (size_t)i * sizeof row, sizeof row);
        if (row <= last || row >= it->problem->nc)
            return false;
        last = row;
    }
    return true;
}

nt_status nt_integrator_restore(nt_integrator *it, const void *bytes, size_t size, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator bytes", it, bytes);
    header mine = save_header_of(it), h;
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
        h.n_memory != mine.n_memory || h.n_accounts != mine.n_accounts ||
        h.n_bounces != mine.n_bounces || h.frame != mine.frame || h.size != mine.size ||
        h.statistics_size != mine.statistics_size || h.solver_size != mine.solver_size ||
        h.kept_size != mine.kept_size || h.n_dropped < 0 || h.n_dropped > mine.nh + mine.nn ||
        h.watch.worst < 0 || h.watch.worst >= mine.n_accounts + mine.n_bounces || h.n_off < 0 ||
        h.n_off > h.n_dropped || h.level < 0 || h.level > 62 || h.parts.done < 0 ||
        h.parts.done >= 1LL << 40)
        return nt_fail(error, NT_INVALID, "saved state is of another system or frame");
    if (size != nt_integrator_saved_size(it))
        return nt_fail(error, NT_INVALID, "saved state has %zu bytes, expected %zu for this system",
                       size, nt_integrator_saved_size(it));
    size_t state = it->size * sizeof(double);
    places at = places_of(it);
    if (!rows_exist(it, &h, in + at.off))
        return nt_fail(error, NT_INVALID, "saved state has rows off that the system does not have");
    if (h.n_off > 0 && nt_problem_prepare_off(it->problem) != NT_OK)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for rows that are off");
    memcpy(it->stepper.now.all, in + at.now, state);
    memcpy(it->before.all, in + at.before, state);
    it->problem->n_off = h.n_off;
    if (h.n_off > 0)
        memcpy(it->problem->off, in + at.off, (size_t)h.n_off * sizeof(int));
    nt_status status = restore_factors(it, &h, in, &at);
    if (status != NT_OK)
        return nt_fail(error, status, "the saved state has no factors: %s", nt_status_text(status));
    it->stepper.resumed = true;
    it->stepper.stale = h.stale;
    it->level = h.level, it->calm = h.calm;
    it->parts = h.parts;
    it->control = h.control;
    it->watch = h.watch;
    it->last_growth = (nt_last_growth){0};
    memcpy(it->accounts.each, in + at.accounts, (size_t)it->accounts.n * sizeof *it->accounts.each);
    if (it->accounts.n_bounces > 0)
        memcpy(it->accounts.bounces, in + at.bounces,
               (size_t)it->accounts.n_bounces * sizeof *it->accounts.bounces);
    nt_energy_watch_keep(it, &it->before);
    it->statistics = h.statistics;
    it->stops.stretch = h.stretch;
    it->stops.indicator = h.indicator;
    it->stops.busy = false;
    it->started = true;
    it->awaits = false;
    return NT_OK;
}
