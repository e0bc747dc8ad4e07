#include "model/evaluate.h"

#include "base/target.h"
#include "model/assembly/assemble.h"
#include "model/bodies/bodies.h"
#include "model/bodies/body.h"
#include "model/contacts/grip.h"
#include "model/events/events.h"
#include "model/events/onsets.h"
#include "model/events/switches.h"
#include "model/parameters/parameter.h"
#include "model/quantities/signal.h"
#include "model/side_by_side.h"
#include "model/states/delay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- looking at a point --------------------------------------------------------------------- */

/* Bodies from `from` to `to` - 1, see nt_bodies_evaluate. */
static int evaluate_bodies(nt_run *run, const nt_view *view, int from, int to)
{
    return nt_bodies_evaluate(run->bodies, run->model->n_bodies, from, to, view->at, view->terms,
                              nt_run_gravity(run), view->terms->left_out, run->motion);
}

/* Fills in what does not depend on the bodies' motion. What is the same at every point stands in
 * run->view already. */
NT_HOT static nt_view *begin_view(nt_run *run, const nt_point *at, const nt_terms *terms)
{
    int nh = run->system.nh, nn = run->system.nn;
    nt_view *view = &run->view;
    if (run->model->parameters_change && !run->keeps_set)
        nt_run_take_set(run, at->memory);
    view->at = at;
    view->terms = terms;
    view->lambda = at->lambda;
    if (nn > 0) { /* elements see one array; rows alone are looked at without multipliers */
        if (at->lambda && at->lambda != run->multipliers)
            memcpy(run->multipliers, at->lambda, (size_t)nh * sizeof(double));
        if (at->mu && at->mu != run->multipliers + nh)
            memcpy(run->multipliers + nh, at->mu, (size_t)nn * sizeof(double));
        view->lambda = run->multipliers;
    }
    run->variables[nt_model_time_variable(run->model)] =
        nt_switch_clock(run->model, at->t, at->memory);
    run->sides = nt_onset_sides(run->model, at->t, at->memory);
    return view;
}

NT_HOT static void find_loads(const nt_run *run, const nt_view *view, double *signals)
{
    const nt_model *model = run->model;
    for (int rank = 1; rank <= model->longest_chain; rank++) /* each depends on those before */
        for (int i = 0; i < model->n_signals; i++)
            if (model->signals[i].rank == rank)
                signals[i] = nt_signal_value(&model->signals[i], view);
}

/* Switches that follow forces and that nothing holds have seen the forces of another point: finds
 * them again; whether any changes. */
static bool find_switches(const nt_run *run, const nt_view *view, double *signals)
{
    const nt_model *model = run->model;
    const double *held = view->at->memory ? view->at->memory + model->switch_memory : NULL;
    bool changed = false;
    for (int i = 0; i < model->n_signals; i++) {
        const nt_signal *signal = &model->signals[i];
        if (signal->kind != NT_SIGNAL_SWITCH || !model->switches[signal->object].follows ||
            (held && !isnan(held[signal->object])))
            continue;
        double before = signals[i];
        signals[i] = nt_signal_value(signal, view);
        changed = changed || signals[i] != before;
    }
    return changed;
}

NT_HOT static void find_signals(nt_run *run, const nt_view *view)
{
    double *signals = run->variables + run->model->n_parameters + 1;
    const nt_model *model = run->model;
    for (int i = 0; i < model->n_signals; i++)
        if (!model->signals[i].is_load)
            signals[i] = nt_signal_value(&model->signals[i], view);
    find_loads(run, view, signals);
    for (int more = model->n_following; more > 0 && find_switches(run, view, signals); more--)
        find_loads(run, view, signals);
}

void nt_run_see_bodies(nt_run *run, const nt_point *at, const nt_terms *terms, nt_view *view)
{
    *view = *begin_view(run, at, terms);
    evaluate_bodies(run, view, 1, run->model->n_bodies);
}

void nt_run_look(nt_run *run, const nt_point *at, const nt_terms *terms, nt_view *view)
{
    nt_run_see_bodies(run, at, terms, view);
    find_signals(run, view);
}

void nt_motion_jet(const nt_run *run, const nt_expression *function, double out[3])
{
    const nt_straight *straight = run->straight;
    const nt_model *model = run->model;
    nt_expression_jet(function, straight ? straight->base : run->variables, model->time_rate,
                      model->zeros, out);
    for (int i = 0; straight && i < 3; i++)
        out[i] += straight->s * straight->motion[i];
    for (int i = 0; i < 3; i++)
        out[i] *= run->share[NT_SHARE_MOTIONS];
}

/* ---- equations ------------------------------------------------------------------------------ */

/* So many bodies are evaluated at a time: their motions, 3 KB, stay in the nearest cache. */
enum { AT_A_TIME = 16 };

/* The numbers of an element are fetched while the third element before it is evaluated, for in long
 * models they have left the near caches since the last evaluation. FETCHED bytes of them are: what
 * an element reads in every evaluation stands at the front. */
enum { FETCH_AHEAD = 3, FETCHED = 128, CACHE_LINE = 64 };

static inline void fetch_numbers(const nt_run *run, int i)
{
#if defined(__GNUC__)
    if (i >= run->model->n_elements)
        return;
    const char *data = nt_element_data(run, &run->model->elements[i]);
    for (int k = 0; k < FETCHED; k += CACHE_LINE)
        __builtin_prefetch(data + k);
#else
    (void)run, (void)i;
#endif
}

/* Counts the power of an element that can only take energy by itself, beside that of all. */
static void keep_taken(const nt_run *run, const nt_element *e, double power, nt_energy *energy)
{
    if (energy->power < power && !nt_element_gives_energy(run->model, e))
        energy->taken += energy->power - power;
}

/* Lets all elements add to what the view asks for. Bodies from `next` on are evaluated on the way,
 * just before the first element that needs them: a joint sees its own bodies alone, a load may see
 * any. What bodies and joints share is then still in the nearest cache. Every sum has its terms in
 * the same order as if all bodies came first. An element that has no value is kept in run->failed.
 */
NT_HOT static nt_status evaluate_elements(nt_run *run, const nt_view *view, int next)
{
    int last = run->model->n_bodies - 1;
    run->failed = NULL;
    if (nt_side_by_side_pays(run->side_by_side, view)) {
        if (next <= last && view->terms->left_out)
            evaluate_bodies(run, view, next, last + 1);
        else if (next <= last)
            nt_side_by_side_bodies(run->side_by_side, view, nt_run_gravity(run), next);
        return nt_side_by_side_evaluate(run->side_by_side, view, &run->failed);
    }
    for (int i = 0; i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        int needed = i >= run->model->n_joints ? last : e->last_body;
        fetch_numbers(run, i + FETCH_AHEAD);
        if (next <= needed) {
            int ahead = needed + AT_A_TIME;
            next = evaluate_bodies(run, view, next, (ahead < last ? ahead : last) + 1);
        }
        double power = view->energy ? view->energy->power : 0;
        nt_local_begin(view->local, e);
        nt_status status = e->type->evaluate(e, view);
        if (status != NT_OK) {
            run->failed = e;
            return status;
        }
        if (view->energy)
            keep_taken(run, e, power, view->energy);
        if (e->type->is_load)
            nt_local_scale(view->local, run->share[NT_SHARE_LOADS]);
        if (nt_local_has_terms(view->local))
            nt_local_gather(view->local, view->terms);
    }
    if (next <= last)
        evaluate_bodies(run, view, next, last + 1);
    return NT_OK;
}

/* Whether no element has anything to add: only inertia is asked for, and bodies have all of it. */
static bool asks_bodies_alone(const nt_model *model, const nt_terms *terms)
{
    const nt_combination *c = terms->combination;
    return terms->parts == NT_MASS && !terms->rows && !model->has_own && !model->has_inertia &&
           (!terms->matrix || (c->row_mass == 0 && c->row_damping == 0 && c->row_stiffness == 0));
}

bool nt_run_can_look(const nt_run *run, const nt_point *at, bool reacts)
{
    const nt_system *s = run ? &run->system : NULL;
    return run && at && (at->q || s->space.nq == 0) && (at->v || s->space.nv == 0) &&
           (!reacts || ((at->lambda || s->nh == 0) && (at->mu || s->nn == 0)));
}

bool nt_run_can_add(const nt_run *run, const nt_point *at, const nt_terms *terms)
{
    return terms && (unsigned)terms->level <= NT_ACCELERATION &&
           (!terms->matrix || terms->combination) &&
           nt_run_can_look(run, at,
                           (terms->parts & NT_REACTIONS) && (terms->residual || terms->matrix));
}

NT_HOT nt_status nt_run_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    nt_run *run = self;
    if (!nt_run_can_add(run, at, terms))
        return NT_INVALID;
    int next = 1, all = run->model->n_bodies;
    const nt_view *view = begin_view(run, at, terms);
    if (asks_bodies_alone(run->model, terms)) {
        evaluate_bodies(run, view, next, all);
        return NT_OK;
    }
    if (run->model->n_signals > 0) {
        next = evaluate_bodies(run, view, next, all);
        find_signals(run, view);
    }
    return evaluate_elements(run, view, next);
}

nt_status nt_run_energy(void *self, const nt_point *at, nt_energy *energy)
{
    nt_run *run = self;
    if (!energy || !nt_run_can_look(run, at, false))
        return NT_INVALID;
    run->noting = run->notes;
    nt_status status = nt_run_energy_beside(run, at, energy);
    run->noting = NULL;
    return status;
}

double nt_run_noticed(void *self, double t)
{
    nt_run *run = self;
    nt_run_note *worst = NULL;
    for (int i = 0; run && run->notes && i < run->model->n_elements; i++) {
        nt_run_note *note = &run->notes[i];
        if (t < note->since || isinf(t))
            *note = (nt_run_note){0};
        if (note->seen > (worst ? worst->seen : 0))
            worst = note;
    }
    if (!worst)
        return (double)NAN;
    worst->seen = 0;
    return worst->when;
}

double nt_run_fastest_damping(void *self, bool beside, int which[2])
{
    const nt_run *run = self;
    double fastest = 0;
    for (int i = 0; run && run->dampings && i < run->model->n_elements; i++) {
        const nt_run_damping *d = &run->dampings[i];
        if (!(d->rate[beside] > fastest))
            continue;
        fastest = d->rate[beside];
        which[0] = i;
        which[1] = d->part[beside];
    }
    return fastest;
}

void nt_run_stiffest(void *self, nt_stiffest *out)
{
    const nt_run *run = self;
    *out = (nt_stiffest){.which = {-1, -1}, .turns_by = {-1, -1}};
    for (int i = 0; run && run->dampings && i < run->model->n_elements; i++) {
        const nt_stiffest *s = &run->dampings[i].stiffest;
        out->all = fmax(out->all, s->all);
        out->ahead = fmax(out->ahead, s->ahead);
        out->rate = fmax(out->rate, s->rate);
        if (s->turns > out->turns) {
            out->turns = s->turns;
            out->turns_by[0] = i;
            out->turns_by[1] = s->turns_by[1];
        }
        if (!(s->now > out->now))
            continue;
        out->now = s->now;
        out->which[0] = i;
        out->which[1] = s->which[1];
    }
}

nt_status nt_run_energy_beside(nt_run *run, const nt_point *at, nt_energy *energy)
{
    nt_view view;
    nt_terms terms = {.parts = NT_ALL_PARTS};
    *energy = (nt_energy){0};
    nt_run_look(run, at, &terms, &view);
    view.energy = energy;
    for (int i = 1; i < run->model->n_bodies; i++)
        nt_body_energy(&run->bodies[i], &run->motion[i], nt_run_gravity(run), energy);
    return evaluate_elements(run, &view, run->model->n_bodies);
}

/* Energies of all parts, or of powers alone. */
static nt_status look_at_parts(nt_run *run, const nt_point *at, bool powers, nt_energy *parts)
{
    if (!parts || !nt_run_can_look(run, at, false))
        return NT_INVALID;
    const nt_model *model = run->model;
    bool apart = model->system.n_energies > 1;
    nt_view view;
    nt_terms terms = {.parts = NT_ALL_PARTS};
    memset(parts, 0, (size_t)(apart ? model->system.n_energies : 1) * sizeof *parts);
    run->noting = run->notes;
    run->failed = NULL;
    nt_run_look(run, at, &terms, &view);
    for (int i = 1; i < model->n_bodies && !powers; i++)
        nt_body_energy(&run->bodies[i], &run->motion[i], nt_run_gravity(run),
                       &parts[apart ? model->part_of_body[i] : 0]);
    nt_status status = NT_OK;
    for (int i = 0; i < model->n_elements && status == NT_OK; i++) {
        const nt_element *e = &model->elements[i];
        if (powers && nt_element_is_passive_body(model, e))
            continue;
        view.energy = &parts[apart ? model->part_of_element[i] : 0];
        double power = view.energy->power;
        nt_local_begin(view.local, e);
        status = e->type->evaluate(e, &view);
        if (status != NT_OK)
            run->failed = e;
        keep_taken(run, e, power, view.energy);
    }
    run->noting = NULL;
    return status;
}

nt_status nt_run_energies(void *self, const nt_point *at, nt_energy *parts)
{
    return look_at_parts(self, at, false, parts);
}

nt_status nt_run_powers(void *self, const nt_point *at, nt_energy *parts)
{
    return look_at_parts(self, at, true, parts);
}

/* Whether joints alone remember, which see their own two bodies: those are from *from on, before
 * *to. */
static bool find_accepted(const nt_model *model, int *from, int *to)
{
    *from = model->n_bodies;
    *to = 0;
    bool alone = model->n_signals == 0 && model->n_delays == 0 && model->n_grips == 0;
    for (int i = 0; i < model->n_elements && alone; i++) {
        const nt_element *e = &model->elements[i];
        if (e->memory < 0)
            continue;
        alone = i < model->n_joints;
        int least = e->a == 0 || (e->b > 0 && e->b < e->a) ? e->b : e->a;
        int most = e->a > e->b ? e->a : e->b;
        *from = least < *from ? least : *from;
        *to = most >= *to ? most + 1 : *to;
    }
    *from = *from > 0 ? *from : 1;
    return alone;
}

void nt_run_accept(void *self, const nt_point *at, double *next)
{
    nt_run *run = self;
    nt_view view;
    nt_terms terms = {0};
    if (!next || !nt_run_can_look(run, at, false))
        return;
    const nt_model *model = run->model;
    int from, to;
    if (find_accepted(model, &from, &to)) {
        view = *begin_view(run, at, &terms);
        evaluate_bodies(run, &view, from, to);
    } else
        nt_run_look(run, at, &terms, &view);
    for (int i = 0; i < model->n_elements; i++)
        nt_element_accept(&model->elements[i], &view, next);
    for (int k = 0; k < run->model->n_delays; k++)
        nt_delay_accept(run, &view, k, next);
    nt_run_keep_held(run, at->memory, next);
    nt_grips_accept(run, &view, next);
}

nt_status nt_run_carry(void *self, const nt_point *at, const double *increment)
{
    nt_run *run = self;
    nt_view view;
    nt_terms terms = {0};
    if (!run || (increment && !nt_run_can_look(run, at, false)))
        return NT_INVALID;
    nt_status status = nt_run_own_numbers(run);
    if (status != NT_OK)
        return status;
    if (increment)
        nt_run_look(run, at, &terms, &view);
    for (int i = 0; i < run->model->n_elements; i++) {
        nt_element_carry(run, &run->model->elements[i], increment ? &view : NULL, increment);
    }
    return NT_OK;
}

nt_status nt_run_rests(void *self, const nt_point *at, unsigned char *lies)
{
    nt_run *run = self;
    nt_view view;
    nt_terms terms = {0};
    if (!lies || !nt_run_can_look(run, at, false))
        return NT_INVALID;
    nt_run_look(run, at, &terms, &view);
    memset(lies, 0, (size_t)run->system.space.nv);
    for (int i = 0; i < run->model->n_elements; i++)
        if (nt_element_may_rest(&run->model->elements[i]))
            run->model->elements[i].type->rests(&run->model->elements[i], &view, lies);
    return NT_OK;
}

/* What is held stays; turns that are counted do not vary. */
nt_status nt_run_accept_tangent(void *self, const nt_point *at, int k,
                                const nt_point_tangent *along, double *dnext)
{
    nt_run *run = self;
    if (!along || (!along->memory && run && run->system.n_memory > 0) || !dnext ||
        !nt_run_can_look(run, at, false) || !nt_run_has_parameter(run, k))
        return NT_INVALID;
    const nt_model *model = run->model;
    if (model->n_delays > 0 || model->grips_give || model->elements_remember) /* by differences */
        return NT_UNSUPPORTED;
    memcpy(dnext, along->memory, (size_t)run->system.n_memory * sizeof *dnext);
    return NT_OK;
}

/* ---- parameters ----------------------------------------------------------------------------- */

void nt_run_get_parameters(void *self, double *p)
{
    const nt_run *run = self;
    for (int i = 0; run && p && i < run->model->n_parameters; i++)
        p[i] = run->set_now && run->set_now[i] != 0 ? run->parameters[i].asked
                                                    : run->parameters[i].value;
}

/* The values of parameters, and of those that are expressions of others. */
static void take_values(nt_run *run, const double *p)
{
    for (int i = 0; i < run->model->n_parameters; i++) {
        const nt_expression *expression = run->model->parameters[i].expression;
        nt_parameter_value *parameter = &run->parameters[i];
        double value = p[i];
        if (expression) {
            double own = nt_expression_value(expression, run->variables);
            if (p[i] != parameter->asked && p[i] != parameter->value)
                parameter->taken = p[i] != own;
            value = parameter->taken ? p[i] : own;
        }
        parameter->asked = p[i];
        if (run->set_now && run->set_now[i] != 0)
            value = run->set_now[run->model->n_parameters + i];
        parameter->value = run->variables[i] = value;
    }
}

static void take_all(nt_run *run, const double *wanted, int k, double value)
{
    int n = run->model->n_parameters;
    double *asked = run->values;
    for (int i = 0; i < n; i++) {
        run->set_now[i] = wanted && wanted[i] > 0 ? 1 : 0;
        run->set_now[n + i] = run->set_now[i] != 0 ? wanted[n + i] : 0;
        asked[i] = i == k ? value : run->parameters[i].asked;
    }
    take_values(run, asked);
    nt_parameter_rates_forget(run);
    nt_run_prepare(run, false, NULL);
    nt_run_renew_promises(run);
}

void nt_run_take_set_beside(nt_run *run, const double *memory, int k, double s)
{
    if (!run->beside)
        run->beside_value = run->parameters[k].asked;
    run->beside = s != 0;
    take_all(run, memory ? memory + run->model->set_memory : NULL, k, run->beside_value + s);
}

void nt_run_take_set(nt_run *run, const double *memory)
{
    const nt_model *model = run->model;
    int n = model->n_parameters;
    const double *wanted = memory ? memory + model->set_memory : NULL;
    bool same = true;
    for (int i = 0; i < n; i++) {
        double on = wanted && wanted[i] > 0 ? 1 : 0; /* not a number: not known yet */
        same = same && run->set_now[i] == on && (on == 0 || run->set_now[n + i] == wanted[n + i]);
    }
    if (!same)
        take_all(run, wanted, -1, 0);
}

nt_status nt_run_set_values(nt_run *run, const double *p, bool validate, nt_error *error)
{
    if (run->model->n_parameters == 0) /* nothing changes, and the numbers are not this run's own */
        return NT_OK;
    take_values(run, p);
    nt_parameter_rates_forget(run);
    nt_status status = nt_run_prepare(run, validate, error);
    nt_run_renew_promises(run);
    if (status == NT_OK)
        status = nt_run_assemble(run, validate, error);
    if (status != NT_OK || !run->model->settling || run->settling)
        return status;
    run->unknown_rates_known = false;
    return run->model->settling->find(run, error);
}

nt_status nt_run_set_parameters(void *self, const double *p)
{
    nt_run *run = self;
    if (!run || (!p && run->model->n_parameters > 0))
        return NT_INVALID;
    return nt_run_set_values(run, p, false, NULL);
}

/* t is that of the model's start: its initial values are found there. */
nt_status nt_run_consistent_initial(void *self, double t, double *q, double *v, double *memory)
{
    nt_run *run = self;
    if (!run || !q || !v || (!memory && run->system.n_memory > 0))
        return NT_INVALID;
    if (t != run->model->simulation.start)
        return NT_UNSUPPORTED;
    nt_run_initial(run, q, v, memory);
    return NT_OK;
}
