/* Forces that follow forces: in which order their values are found, and where none is determined.
 *
 * A signal that is a force has rank 1 where its element's functions depend on no force, else one
 * more than the highest rank of those that they depend on. A loop has no rank. */
#include "model/quantities/signal_aside.h"

#include "base/error.h"
#include "model/parameters/parameter.h"
#include "model/quantities/quantity_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_WORDS = 256 };

/* The signals that are forces, and which of them each depends on. */
typedef struct chain {
    nt_model *model;
    int n;
    int *signal; /* [n] */
    bool *uses;  /* [n][n] */
} chain;

static nt_signal *force_of(const chain *c, int i) { return &c->model->signals[c->signal[i]]; }

static void find_uses(const chain *c, double *followed)
{
    const nt_model *model = c->model;
    int first = nt_model_time_variable(model) + 1;
    for (int j = 0; j < c->n; j++) {
        memset(followed, 0, (size_t)nt_model_variable_count(model) * sizeof *followed);
        followed[first + c->signal[j]] = 1;
        for (int i = 0; i < c->n; i++) {
            int element = force_of(c, i)->element;
            c->uses[i * c->n + j] =
                element >= 0 && nt_element_uses(model->origin, &model->elements[element], followed);
        }
    }
}

/* "s.tension" */
static void force_words(const chain *c, int i, char *text)
{
    char unit[CHAIN_WORDS], meaning[CHAIN_WORDS];
    const nt_signal *signal = force_of(c, i);
    nt_quantity_info info = {
        .kind = signal->kind, .object = signal->object, .first = signal->component, .columns = 1};
    nt_model_quantity_column(c->model, &info, 0, text, unit, meaning, CHAIN_WORDS);
}

/* The signal of the highest rank among those that signal i depends on. */
static int next_in_chain(const chain *c, int i)
{
    int next = -1;
    for (int j = 0; j < c->n; j++)
        if (c->uses[i * c->n + j] && (next < 0 || force_of(c, j)->rank > force_of(c, next)->rank))
            next = j;
    return next;
}

static nt_status refuse_loop(const chain *c, int i, nt_error *error)
{
    char words[CHAIN_WORDS], all[4 * CHAIN_WORDS] = "";
    size_t used = 0;
    for (int k = 0; k < c->n; k++) /* behind so many it is within the loop */
        i = next_in_chain(c, i);
    const nt_model *model = c->model;
    const nt_element *e = &model->elements[force_of(c, i)->element];
    int from = i;
    do {
        force_words(c, i, words);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s -> ", words);
        i = next_in_chain(c, i);
    } while (i != from && used < sizeof all - CHAIN_WORDS - 8);
    force_words(c, i, words);
    return nt_fail_at(error, NT_BAD_MODEL, model->file, e->place.line, e->place.column,
                      "%s %s: depends on a force or reaction that follows from its own, %s%s, so "
                      "that no value is determined: expected a function of t, parameters, "
                      "positions and velocities",
                      nt_element_word(e), e->name, all, words);
}

static nt_status find_ranks(const chain *c, nt_error *error)
{
    nt_model *model = c->model;
    bool changes = true;
    for (int i = 0; i < c->n; i++)
        force_of(c, i)->rank = 1;
    for (int pass = 0; changes; pass++) {
        changes = false;
        for (int i = 0; i < c->n; i++) {
            int next = next_in_chain(c, i), rank = next < 0 ? 1 : force_of(c, next)->rank + 1;
            if (rank <= force_of(c, i)->rank)
                continue;
            force_of(c, i)->rank = rank;
            changes = true;
            if (rank > c->n)
                return refuse_loop(c, i, error);
        }
    }
    model->longest_chain = 1;
    for (int i = 0; i < c->n; i++)
        if (force_of(c, i)->rank > model->longest_chain)
            model->longest_chain = force_of(c, i)->rank;
    return NT_OK;
}

/* Which switches depend on forces: their values come behind those. */
static void find_following(nt_model *model)
{
    int first = nt_model_time_variable(model) + 1;
    for (int k = 0; k < model->n_switches; k++) {
        nt_switch *s = &model->switches[k];
        int n = 0;
        const int *variables = s->argument ? nt_expression_variables(s->argument, &n) : NULL;
        for (int i = 0; i < n && s->signal >= 0; i++)
            s->follows = s->follows ||
                         (variables[i] >= first && model->signals[variables[i] - first].is_load);
        model->n_following += s->follows;
    }
}

nt_status nt_signals_check(nt_model *model, nt_error *error)
{
    chain c = {.model = model};
    size_t n = (size_t)model->n_followed, variables = (size_t)nt_model_variable_count(model);
    if (n == 0)
        return NT_OK;
    double *followed = calloc(variables, sizeof *followed);
    c.signal = calloc(n, sizeof *c.signal);
    c.uses = calloc(n * n, sizeof *c.uses);
    nt_status status = NT_NO_MEMORY;
    if (!followed || !c.signal || !c.uses)
        goto done;
    for (int i = 0; i < model->n_signals; i++)
        if (model->signals[i].is_load)
            c.signal[c.n++] = i;
    find_following(model);
    find_uses(&c, followed);
    for (int i = 0; i < model->n_signals; i++)
        followed[nt_model_time_variable(model) + 1 + i] = model->signals[i].is_load;
    status = nt_whole_find_stores(model, followed);
    if (status == NT_OK)
        status = find_ranks(&c, error);
done:
    free(followed);
    free(c.signal);
    free(c.uses);
    return status == NT_NO_MEMORY ? nt_fail(error, status, "out of memory") : status;
}
