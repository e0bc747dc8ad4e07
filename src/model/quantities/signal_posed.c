/* Laws that follow reactions which they load themselves.
 *
 * Accelerations and multipliers are found together. A law f(lambda) that adds to its own reaction
 * leaves, along it, lambda = lambda_0 + g(lambda). Where the slope of g passes 1 no lambda, or more
 * than one, satisfies this: a rod that is pushed over a rough floor jams (Painleve 1895). Which
 * laws these are is known from the model: those that follow a reaction, be it by another force, and
 * act on a mechanism that hangs together with its joint without the ground.
 */
#include "model/quantities/signal.h"

#include "base/error.h"
#include "model/evaluate.h"
#include "model/parameters/parameter.h"
#include "model/quantities/quantity_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSED_WORDS = 128, MOST_LAWS = 3 };

/* `group` of bodies that hang together: the number of one of them. */
typedef struct posed {
    const nt_run *run;
    const nt_model *model;
    int *group;       /* [n_bodies]  */
    double *followed; /* [variables] 1: a reaction, or a force that follows one */
} posed;

/* The body that port i leads to, where the element acts on it: a law has ports of what it follows
 * besides, and acts on its first two bodies alone. 0 or less: none. */
static int acted_on(const posed *p, const nt_element *e, int i)
{
    int body = e->ports[i].node < 0 ? -1 : nt_model_body_of_node(p->model, e->ports[i].node);
    bool acts = body == e->a || body == e->b || !nt_element_uses(p->run, e, NULL);
    return acts ? body : -1;
}

static void find_groups(posed *p)
{
    const nt_model *model = p->model;
    bool changes = true;
    for (int i = 0; i < model->n_bodies; i++)
        p->group[i] = i;
    while (changes) {
        changes = false;
        for (int k = 0; k < model->n_elements; k++) {
            const nt_element *e = &model->elements[k];
            int least = model->n_bodies;
            for (int i = 0; i < e->n_ports; i++) {
                int body = acted_on(p, e, i);
                least = body > 0 && p->group[body] < least ? p->group[body] : least;
            }
            for (int i = 0; i < e->n_ports; i++) {
                int body = acted_on(p, e, i);
                if (body > 0 && p->group[body] != least) {
                    p->group[body] = least;
                    changes = true;
                }
            }
        }
    }
}

static double *mark_of(const posed *p, int signal)
{
    return &p->followed[nt_model_time_variable(p->model) + 1 + signal];
}

static void find_followed(posed *p)
{
    const nt_model *model = p->model;
    bool changes = true;
    for (int i = 0; i < model->n_signals; i++)
        *mark_of(p, i) = nt_signal_is_reaction(model, &model->signals[i]);
    while (changes) {
        changes = false;
        for (int i = 0; i < model->n_signals; i++) {
            const nt_signal *s = &model->signals[i];
            if (*mark_of(p, i) != 0 || !s->is_load || s->element < 0 ||
                !nt_element_uses(p->run, &model->elements[s->element], p->followed))
                continue;
            *mark_of(p, i) = 1;
            changes = true;
        }
    }
}

static int group_of(const posed *p, const nt_element *e)
{
    for (int i = 0; i < e->n_ports; i++) {
        int body = acted_on(p, e, i);
        if (body > 0)
            return p->group[body];
    }
    return -1;
}

/* The first signal that a law follows whose element stands in its own mechanism; -1 for none. */
static int followed_by(const posed *p, const nt_element *law, double *one)
{
    for (int i = 0; i < p->model->n_signals; i++) {
        const nt_signal *s = &p->model->signals[i];
        if (*mark_of(p, i) == 0 || s->element < 0 ||
            group_of(p, law) != group_of(p, &p->model->elements[s->element]))
            continue;
        double *mark = one + (mark_of(p, i) - p->followed);
        *mark = 1;
        bool uses = nt_element_uses(p->run, law, one);
        *mark = 0;
        if (uses)
            return i;
    }
    return -1;
}

/* "force drag (line 10) follows rail.force.x of joint rail (line 7)" */
static void law_words(const posed *p, const nt_element *law, int signal, char *text, size_t size)
{
    char name[POSED_WORDS], unit[POSED_WORDS], meaning[POSED_WORDS];
    const nt_signal *s = &p->model->signals[signal];
    const nt_element *of = &p->model->elements[s->element];
    nt_quantity_info info = {
        .kind = s->kind, .object = s->object, .first = s->component, .columns = 1};
    nt_model_quantity_column(p->model, &info, 0, name, unit, meaning, POSED_WORDS);
    snprintf(text, size, "%s %s (line %d) follows %s of %s %s (line %d)", nt_element_word(law),
             law->name, law->place.line, name, nt_element_word(of), of->name, of->place.line);
}

static void find_laws(posed *p, double *one, nt_error *part)
{
    const nt_model *model = p->model;
    const nt_element *first = NULL;
    char all[MOST_LAWS * 4 * POSED_WORDS] = "";
    size_t used = 0;
    int count = 0;
    find_groups(p);
    find_followed(p);
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        int signal = e->type->first_order ? -1 : followed_by(p, e, one);
        if (signal < 0)
            continue;
        first = first ? first : e;
        if (count++ < MOST_LAWS) {
            used += (size_t)snprintf(all + used, sizeof all - used, "%s", used > 0 ? ", " : "");
            law_words(p, e, signal, all + used, sizeof all - used);
            used += strlen(all + used);
        }
    }
    if (count > MOST_LAWS)
        snprintf(all + used, sizeof all - used, " and %d more", count - MOST_LAWS);
    if (first)
        nt_fail_at(part, NT_OK, model->file, first->place.line, first->place.column,
                   "%s, which it loads itself: where a law gives back as much of a reaction "
                   "as it follows, no value need satisfy it, or several do: expected less of it",
                   all);
}

void nt_run_ill_posed(void *self, nt_error *part)
{
    const nt_run *run = self;
    if (!run || !part || !nt_signals_follow_reactions(run->model))
        return;
    size_t variables = (size_t)nt_model_variable_count(run->model);
    posed p = {.run = run, .model = run->model};
    p.group = calloc((size_t)run->model->n_bodies, sizeof *p.group);
    p.followed = calloc(variables, sizeof *p.followed);
    double *one = calloc(variables, sizeof *one);
    if (p.group && p.followed && one)
        find_laws(&p, one, part);
    free(p.group);
    free(p.followed);
    free(one);
}
