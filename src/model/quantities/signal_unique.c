/* Whether reactions that loads follow are unique.
 *
 * With redundant equations G^T lambda = force has many solutions, lambda + z with G^T z = 0. What
 * is the same in all of them is unique all the same: of a planar four-bar whose hinges hold it
 * in its plane three times over the forces within the plane, and in a model with a door on three
 * hinges all that has nothing to do with the door. Each redundant row r gives such a z, e_r less
 * what has the same forces and is shortest; together they are all there are, because those rows
 * left out no other z remains. So a reaction is unique where none of them changes it. */
#include "model/quantities/signal.h"

#include "base/error.h"
#include "model/evaluate.h"
#include "system/minimum_norm.h"
#include "system/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to multipliers z of 1, a moment counting 1/length: what minimum norms are good to. */
static const double UNIQUE = 1e-8;

static double signal_at(nt_run *run, const nt_signal *signal, const nt_point *at)
{
    static const nt_terms none = {.parts = 0};
    nt_view view;
    nt_run_look(run, at, &none, &view);
    return nt_signal_value(signal, &view);
}

/* The first signal that z[nc] changes; NULL: none. nothing[nc] of zeros. */
static const nt_signal *changed_by(nt_run *run, nt_point at, const double *z, const double *nothing)
{
    const nt_model *model = run->model;
    int nh = run->system.nh;
    for (int i = 0; i < model->n_signals; i++) {
        const nt_signal *signal = &model->signals[i];
        if (!nt_signal_is_reaction(model, signal))
            continue;
        at.lambda = z, at.mu = z + nh;
        double with = signal_at(run, signal, &at);
        at.lambda = nothing, at.mu = nothing + nh;
        double without = signal_at(run, signal, &at);
        if (!(fabs(with - without) <= UNIQUE * fmin(1, run->length)))
            return signal;
    }
    return NULL;
}

/* "q.force.y" of the signal into text[size]. */
static void signal_words(const nt_model *model, const nt_signal *signal, char *text, int size)
{
    char unit[128], meaning[128];
    nt_quantity_info info = {
        .kind = signal->kind, .object = signal->object, .first = signal->component, .columns = 1};
    nt_model_quantity_column(model, &info, 0, text, unit, meaning, size);
}

static nt_status refuse(const nt_run *run, const nt_signal *signal, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_element *e = &model->elements[signal->element];
    char redundant[256], name[128];
    nt_model_redundant_text(model, 0, redundant, sizeof redundant);
    signal_words(model, signal, name, sizeof name);
    return nt_fail_at(error, NT_BAD_MODEL, model->file, e->place.line, e->place.column,
                      "joint %s: a load depends on its reaction %s, which is not unique: %d of the "
                      "equations are redundant (%s), expected none, or none that changes it",
                      e->name, name, run->n_redundant, redundant);
}

nt_status nt_signals_check_reactions(nt_run *run, nt_error *error)
{
    const nt_model *model = run->model;
    int nc = run->system.nh + run->system.nn;
    if (run->n_redundant == 0 || !nt_signals_follow_reactions(model))
        return NT_OK;
    nt_problem *problem = NULL;
    nt_minimum_norm *norm = NULL;
    const nt_signal *found = NULL;
    double *z = calloc(3 * (size_t)nc, sizeof *z), *nothing = z + nc, *shortest = nothing + nc;
    nt_status status = z ? nt_problem_create(&problem, &run->system, NT_INERTIAL, error)
                         : nt_fail_at(error, NT_NO_MEMORY, model->file, 0, 0, "out of memory");
    if (status != NT_OK)
        goto done;
    problem->unasked = true; /* nothing of a run is under way */
    nt_point at = {.t = model->simulation.start,
                   .q = run->initial_q,
                   .v = run->initial_v,
                   .vdot = run->initial_v,
                   .lambda = nothing,
                   .mu = nothing + run->system.nh,
                   .memory = run->initial_memory};
    status = nt_minimum_norm_create(&norm, problem);
    for (int i = 0; i < run->n_redundant && !found && status == NT_OK; i++) {
        double most = 0;
        memset(z, 0, (size_t)nc * sizeof *z);
        z[run->redundant[i]] = 1;
        memcpy(shortest, z, (size_t)nc * sizeof *z);
        status = nt_minimum_norm_find(norm, problem, &at, run->length, shortest);
        for (int k = 0; k < nc; k++) {
            bool moment = model->row_quantity[k] != NT_LENGTH;
            z[k] -= shortest[k];
            most = fmax(most, fabs(z[k]) / (moment ? run->length : 1));
        }
        for (int k = 0; k < nc && most > 0; k++)
            z[k] /= most;
        found = status == NT_OK ? changed_by(run, at, z, nothing) : NULL;
    }
    if (status != NT_OK)
        nt_fail_at(error, status, model->file, 0, 0,
                   "whether reactions that loads depend on are unique: %s", nt_status_text(status));
    else if (found)
        status = refuse(run, found, error);
done:
    nt_minimum_norm_destroy(norm);
    nt_problem_destroy(problem);
    free(z);
    return status;
}
