/* A state as the recorded quantities see it. */
#include "model/evaluate.h"
#include "model/quantities/quantity_kind.h"
#include "system/check.h"

#include <string.h>

nt_status nt_sampler_init(nt_sampler *sampler, nt_run *run, nt_arena *arena, nt_error *error)
{
    memset(sampler, 0, sizeof *sampler);
    sampler->run = run;
    sampler->rows = NT_TAKE(arena, run->system.nh + run->system.nn, double);
    sampler->off = NT_TAKE(arena, run->system.nh + run->system.nn, unsigned char);
    return sampler->rows && sampler->off ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* Which element has no value, at its place. */
static nt_status sampler_no_value(nt_sampler *s, nt_status status, const char *what,
                                  nt_error *error)
{
    char name[300];
    nt_error place = {0};
    nt_run_failure(s->run, name, sizeof name);
    nt_run_place(s->run, -1, &place);
    return nt_fail_at(error, status, place.file, place.line, place.column,
                      "%s has no value at t = %g s%s%s", what, s->state.t, name[0] ? ": " : "",
                      name);
}

static nt_status look_at_drift(nt_sampler *s, nt_error *error)
{
    const nt_system *system = &s->run->system;
    memset(s->off, 0, (size_t)(system->nh + system->nn));
    if (system->events && system->events->rows_off)
        system->events->rows_off(system->self, s->at.memory, s->off);
    for (int level = NT_POSITION; level <= NT_VELOCITY; level++) {
        nt_terms terms = {.level = (nt_level)level, .rows = s->rows};
        int n = level == NT_POSITION ? system->nh : system->nh + system->nn;
        nt_status status = system->evaluate(system->self, &s->at, &terms);
        if (status != NT_OK)
            return sampler_no_value(s, status, "the largest constraint", error);
        s->drift[level] = 0;
        for (int i = 0; i < n; i++)
            if (!s->off[i] &&
                !(fabs(s->rows[i]) <= s->drift[level])) /* keeps what is not a number */
                s->drift[level] = fabs(s->rows[i]);
    }
    return NT_OK;
}

nt_status nt_sampler_look(nt_sampler *s, const nt_state *state, const double *reactions,
                          bool energy, bool drift, nt_error *error)
{
    const nt_system *system = &s->run->system;
    s->state = *state;
    s->at = (nt_point){.t = state->t,
                       .q = state->q,
                       .v = state->v,
                       .vdot = state->vdot,
                       .lambda = reactions ? reactions : state->lambda,
                       .mu = reactions ? reactions + system->nh : state->mu,
                       .memory = state->memory};
    nt_status status = energy ? system->energy(system->self, &s->at, &s->energy) : NT_OK;
    if (status != NT_OK)
        return sampler_no_value(s, status, "the energy", error);
    if (drift)
        status = look_at_drift(s, error);
    nt_run_look(s->run, &s->at, &s->terms, &s->own);
    s->view = &s->own;
    return status;
}

void nt_sampler_values(const nt_sampler *sampler, const nt_quantity_info *quantity, double *out)
{
    double all[NT_QUANTITY_COLUMNS];
    nt_quantity_kinds[quantity->kind].values(sampler, quantity->object, all);
    memcpy(out, all + quantity->first, (size_t)quantity->columns * sizeof *out);
}

nt_status nt_run_sample(nt_run *run, const nt_quantity_info *quantity, const nt_state *state,
                        const double *reactions, double *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run quantity state out", run, quantity, state, out);
    NT_NEED_STATE(error, "state", &run->system, state);
    NT_NEED_GOOD(nt_quantity_refuse(error, __func__, run->model, quantity, 1));
    nt_sampler sampler = {.run = run};
    nt_arena arena = {0};
    nt_status status = NT_OK;
    if (quantity->needs_drift) /* all others need no memory, so that a summary never lacks them */
        status = nt_sampler_init(&sampler, run, &arena, error);
    if (status == NT_OK)
        status = nt_sampler_look(&sampler, state, reactions, quantity->needs_energy,
                                 quantity->needs_drift, error);
    if (status == NT_OK)
        nt_sampler_values(&sampler, quantity, out);
    nt_arena_free(&arena);
    return nt_said(error, status);
}
