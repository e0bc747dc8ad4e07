/* What a parameter changes, as evaluations need it: numbers and their derivatives by element,
 * bodies that stand for derivatives, signals, initial values. */
#include "model/parameters/parameter.h"

#include "base/error.h"
#include "model/elements.h"
#include "model/evaluate.h"
#include "model/events/switches.h"
#include "model/joints/joint.h"
#include "model/parameters/parameter_survey.h"
#include "model/quantities/signal.h"
#include "model/states/delay.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- what elements depend on ---------------------------------------------------------------- */

static bool keys_have(const nt_key *keys, const char *data, nt_function_test *test, void *context)
{
    for (const nt_key *key = keys; key && key->name; key++) {
        int n = key->type == NT_KEY_FUNCTION ? 1 : key->type == NT_KEY_FUNCTIONS ? key->high : 0;
        const void *at = data + key->offset;
        if (key->type == NT_KEY_LAW && ((const nt_law *)at)->function &&
            test(context, ((const nt_law *)at)->function))
            return true;
        if (key->type == NT_KEY_GROUP && keys_have(key->group, data, test, context))
            return true;
        for (int i = 0; i < n; i++) {
            const nt_expression *e;
            memcpy(&e, data + key->offset + (size_t)i * sizeof e, sizeof e);
            if (e && test(context, e))
                return true;
        }
    }
    return false;
}

bool nt_element_has_function(const nt_run *run, const nt_element *element, nt_function_test *test,
                             void *context)
{
    return keys_have(element->type->keys, nt_element_data(run, element), test, context);
}

/* What a function may depend on: variables with a rate, or any where `rates` is NULL. */
typedef struct reach {
    int variables;
    const double *rates;
} reached;

static bool function_uses(void *context, const nt_expression *e)
{
    const reached *r = context;
    int count = 0;
    const int *list = nt_expression_variables(e, &count);
    for (int i = 0; i < count; i++)
        if (!r->rates || (list[i] < r->variables && r->rates[list[i]] != 0))
            return true;
    return false;
}

bool nt_element_uses(const nt_run *run, const nt_element *element, const double *rates)
{
    reached r = {nt_model_variable_count(run->model), rates};
    return nt_element_has_function(run, element, function_uses, &r);
}

/* ---- words, bodies, elements ---------------------------------------------------------------- */

static nt_status collect_words(nt_survey *s, nt_words *of_region)
{
    nt_parameter_rates *rates = s->rates;
    int count = 0;
    for (size_t w = 0; w < s->words; w++)
        count += s->best[w] != 0;
    rates->words = NT_TAKE(&rates->arena, count, nt_word);
    if (!rates->words)
        return NT_NO_MEMORY;
    for (int i = 0; i < s->n_regions; i++) {
        const nt_region *r = &s->region[i];
        of_region[i] = (nt_words){rates->n_words, 0};
        for (size_t w = 0; w < r->bytes / 8 && r->kind != NT_REGION_INITIAL; w++) {
            if (s->best[r->word + w] == 0)
                continue;
            double *at = (double *)(void *)(r->at + 8 * w);
            rates->words[rates->n_words++] = (nt_word){at, *at, s->best[r->word + w]};
            of_region[i].count++;
        }
    }
    return NT_OK;
}

/* A body's derivatives, as another body. */
static nt_body rates_of_body(const nt_survey *s, int body)
{
    nt_body b;
    size_t words = sizeof b / 8;
    memcpy(&b, s->best + (size_t)body * words, sizeof b); /* bodies are the first region */
    return b;
}

static bool differs(v3 a) { return a.x != 0 || a.y != 0 || a.z != 0; }

static bool any_of(m3 J)
{
    double j[9];
    m3_store(j, J);
    for (int i = 0; i < 9; i++)
        if (j[i] != 0)
            return true;
    return false;
}

static bool is_weight(const nt_body *body, const nt_body *rate)
{
    return body->t_node >= 0 && rate->mass != 0 && !any_of(rate->J);
}

/* The terms of the residual's derivative: mass and inertia; centre of mass of a body that turns
 * about a point; gravity. */
typedef enum body_term { MASS, CENTER, GRAVITY } body_term;

static bool body_has_term(const nt_body *body, const nt_body *rate, v3 gravity_rate, body_term term)
{
    if (term == MASS)
        return !is_weight(body, rate) && (rate->mass != 0 || any_of(rate->J));
    return body->t_node < 0 && differs(term == CENTER ? rate->center : gravity_rate);
}

static nt_body body_of_term(const nt_body *body, const nt_body *rate, body_term term)
{
    nt_body out = *body;
    out.J = term == MASS ? rate->J : (m3){0};
    if (term == MASS)
        out.mass = rate->mass;
    if (term == CENTER)
        out.center = rate->center;
    return out;
}

static nt_status collect_bodies(nt_survey *s, v3 gravity_rate)
{
    nt_run *run = s->run;
    nt_parameter_rates *rates = s->rates;
    rates->motion = NT_TAKE(&rates->arena, run->model->n_bodies, nt_motion);
    rates->moved = NT_TAKE(&rates->arena, run->model->n_bodies, nt_moved_body);
    rates->weights = NT_TAKE(&rates->arena, run->model->n_bodies, nt_weight);
    if (!rates->motion || !rates->moved || !rates->weights)
        return NT_NO_MEMORY;
    nt_motion_init(rates->motion);
    rates->gravity_rate = gravity_rate;
    for (int term = MASS; term <= GRAVITY; term++) {
        nt_body_pass *pass = &rates->pass[rates->n_passes];
        int count = 0;
        for (int i = 1; i < run->model->n_bodies; i++) {
            nt_body rate = rates_of_body(s, i);
            count += body_has_term(&run->bodies[i], &rate, gravity_rate, (body_term)term);
        }
        if (count == 0)
            continue;
        *pass = (nt_body_pass){.bodies = NT_TAKE(&rates->arena, count + 1, nt_body),
                               .gravity = term == GRAVITY ? gravity_rate : v3_load(run->gravity),
                               .parts = term == MASS ? NT_ALL_PARTS : NT_ALL_PARTS & ~NT_INERTIA};
        if (!pass->bodies)
            return NT_NO_MEMORY;
        rates->n_passes++;
        for (int i = 1; i < run->model->n_bodies; i++) {
            nt_body rate = rates_of_body(s, i);
            if (body_has_term(&run->bodies[i], &rate, gravity_rate, (body_term)term))
                pass->bodies[++pass->n] = body_of_term(&run->bodies[i], &rate, (body_term)term);
        }
    }
    for (int i = 1; i < run->model->n_bodies; i++) {
        nt_body rate = rates_of_body(s, i);
        const nt_body *body = &run->bodies[i];
        bool weight = is_weight(body, &rate), falls = body->t_node >= 0 && differs(gravity_rate);
        if (weight || falls)
            rates->weights[rates->n_weights++] =
                (nt_weight){body->v, weight ? rate.mass : 0, body->mass};
        if (run->bodies[i].t_node < 0 && differs(rate.x0))
            rates->moved[rates->n_moved++] = (nt_moved_body){i, rate.x0};
    }
    return NT_OK;
}

static const nt_moved_body *moved_body(const nt_parameter_rates *rates, int body)
{
    for (int i = 0; i < rates->n_moved; i++)
        if (rates->moved[i].body == body)
            return &rates->moved[i];
    return NULL;
}

/* The words in a piece of memory: they are in the order of their addresses there. */
static nt_words words_within(const nt_parameter_rates *rates, const void *begin, size_t bytes)
{
    nt_words words = {0, 0};
    for (int w = 0; w < rates->n_words; w++) {
        const char *at = (const char *)rates->words[w].at;
        if (at < (const char *)begin || at >= (const char *)begin + bytes)
            continue;
        words.first = words.count == 0 ? w : words.first;
        words.count++;
    }
    return words;
}

/* Whether the value of signal i changes at a fixed state: the point moves in its body, the joint's
 * geometry changes, or what a function of its element depends on; and through which words. */
static bool touch_signal(const nt_survey *s, int i, const nt_words *of_element, const double *reach,
                         nt_touched_signal *t)
{
    nt_run *run = s->run;
    const nt_model *model = run->model;
    const nt_parameter_rates *rates = s->rates;
    const nt_signal *signal = &model->signals[i];
    *t = (nt_touched_signal){.signal = i};
    if (nt_signal_is_held(signal) || signal->state >= 0) /* held, or of its own */
        return false;
    if (signal->kind == NT_SIGNAL_DELAY) {
        double jet[3];
        nt_expression_jet(model->delays[signal->object].by, run->variables, rates->variables,
                          model->zeros, jet);
        t->functions = jet[1] != 0;
        return t->functions;
    }
    int body = nt_signal_body(model, signal), marker = nt_signal_marker(signal);
    int joints[2];
    const nt_element *e = signal->element < 0 ? NULL : &model->elements[signal->element];
    if (body < 0)
        t->words[0] = e ? of_element[signal->element] : (nt_words){0, rates->n_words};
    if (body < 0 && e && nt_element_joints(model, e, joints) > 0)
        t->words[1] = of_element[joints[0]];
    else if (body < 0 && e && e->type->has_inertia)
        t->words[1] = words_within(rates, run->gravity, 3 * sizeof(double));
    if (body >= 0)
        t->words[0] = words_within(rates, &run->bodies[body].reference, sizeof(v3));
    if (marker >= 0)
        t->words[1] = words_within(rates, run->markers[marker].at, 3 * sizeof(double));
    t->functions = body < 0 && e && nt_element_uses(run, e, reach);
    bool moved = (signal->is_load && rates->n_moved > 0) ||
                 (signal->bodies[0] > 0 && moved_body(rates, signal->bodies[0])) ||
                 (signal->bodies[1] > 0 && moved_body(rates, signal->bodies[1]));
    return t->words[0].count + t->words[1].count > 0 || moved || t->functions;
}

/* Collects the signals that change, each behind all that it may depend on. */
static nt_status collect_signals(nt_survey *s, const nt_words *of_element, double *reach)
{
    const nt_model *model = s->run->model;
    nt_parameter_rates *rates = s->rates;
    rates->signal = NT_TAKE(&rates->arena, model->n_signals, nt_touched_signal);
    if (!rates->signal)
        return NT_NO_MEMORY;
    memcpy(reach, rates->variables, (size_t)(model->n_parameters + 1) * sizeof *reach);
    for (int rank = 0; rank <= model->longest_chain; rank++)
        for (int i = 0; i < model->n_signals; i++) {
            nt_touched_signal *t = &rates->signal[rates->n_signals];
            if (model->signals[i].rank != rank || !touch_signal(s, i, of_element, reach, t))
                continue;
            reach[model->n_parameters + 1 + i] = 1; /* for whom it matters */
            rates->n_signals++;
        }
    return NT_OK;
}

/* Reads how the points of a joint that holds a point change, from the rates of its data. */
static void point_rates(const char *rates, nt_touched *t)
{
    memcpy(&t->point_a, rates + offsetof(nt_joint, point_a), sizeof t->point_a);
    memcpy(&t->point_b, rates + offsetof(nt_joint, point_b), sizeof t->point_b);
}

static nt_status collect_elements(nt_survey *s, const nt_words *of_element, const double *reach)
{
    nt_run *run = s->run;
    nt_parameter_rates *rates = s->rates;
    double unit = fmin(1, s->length);
    bool *seen = NT_TAKE(&s->arena, run->model->n_bodies, bool);
    rates->touched = NT_TAKE(&rates->arena, run->model->n_elements, nt_touched);
    rates->seen = NT_TAKE(&rates->arena, run->model->n_bodies, int);
    if (!rates->touched || !rates->seen || !seen)
        return NT_NO_MEMORY;
    for (int i = 0; i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        int joints[2], n_joints = nt_element_joints(run->model, e, joints);
        const nt_joint *as_joint = nt_element_as_joint(run, e);
        const nt_moved_body *a = moved_body(rates, e->a), *b = moved_body(rates, e->b);
        const nt_route *route = nt_element_route(run->model, e);
        nt_touched t = {.element = i, .own = of_element[i], .moved = a || b};
        for (int k = 0; route && k < route->n; k++)
            t.moved = t.moved || moved_body(rates, route->body[k]);
        for (int k = 0; k < n_joints; k++)
            t.of_joint[k] = of_element[joints[k]];
        if (e->type->has_inertia)
            t.gravity = words_within(rates, run->gravity, 3 * sizeof(double));
        t.functions = nt_element_uses(run, e, reach);
        if (t.functions && as_joint)
            t.motion = as_joint->motion;
        if (!t.own.count && !t.of_joint[0].count && !t.of_joint[1].count && !t.moved &&
            !t.functions && !t.gravity.count)
            continue;
        const nt_region *r = &s->region[s->first_element + i];
        t.holds_point =
            as_joint && as_joint->only_point && as_joint->enforce == 0 && !t.moved && !t.functions;
        if (t.holds_point)
            point_rates((const char *)(s->best + r->word), &t);
        t.step = nt_words_step(rates, t.own, unit, 0);
        for (int k = 0; k < n_joints; k++)
            t.step = nt_words_step(rates, t.of_joint[k], unit, t.step);
        t.step = nt_words_step(rates, t.gravity, unit, t.step);
        for (int k = 0; k < (route ? route->n : 2); k++) {
            const nt_moved_body *moved = route ? moved_body(rates, route->body[k]) : k == 0 ? a : b;
            if (moved && (t.step == 0 || unit / v3_norm(moved->rate) < t.step))
                t.step = unit / v3_norm(moved->rate);
        }
        if (nt_element_varies(e) && !t.of_joint[0].count && !t.of_joint[1].count && !t.moved &&
            !t.functions && !t.gravity.count) {
            char *own = NT_TAKE(&rates->arena, e->bytes, char);
            if (!own)
                return NT_NO_MEMORY;
            memcpy(own, s->best + r->word, e->bytes);
            t.rates = own;
        }
        rates->functions |= nt_element_uses(run, e, NULL);
        nt_element_look_at(run->model, e, seen);
        rates->touched[rates->n_touched++] = t;
    }
    for (int i = 1; i < run->model->n_bodies; i++)
        if (seen[i])
            rates->seen[rates->n_seen++] = i;
    return NT_OK;
}

/* ---- initial values ------------------------------------------------------------------------- */

/* An angular increment in ground axes from the derivative of a quaternion: q' = (0, theta') q/2. */
static v3 parameter_turning(const double *rate, const double *q)
{
    quat p = quat_multiply(quat_load(rate), quat_conjugate(quat_load(q)));
    return v3_of(2 * p.x, 2 * p.y, 2 * p.z);
}

static nt_status collect_initial(nt_survey *s)
{
    nt_run *run = s->run;
    nt_parameter_rates *rates = s->rates;
    const nt_system *system = &run->system;
    int nv = system->space.nv, rows[2] = {system->nh, system->nh + system->nn};
    if (!NT_DOUBLES(&rates->arena, nv, &rates->dq, &rates->dv) ||
        !NT_DOUBLES(&rates->arena, system->n_memory, &rates->dmemory))
        return NT_NO_MEMORY;
    for (int i = 0; i < s->n_regions; i++) {
        const nt_region *r = &s->region[i];
        const double *rate = s->best + r->word;
        if (r->at == (char *)run->initial_v)
            memcpy(rates->dv, rate, r->bytes);
        if (r->at == (char *)run->initial_memory && r->bytes > 0)
            memcpy(rates->dmemory, rate, r->bytes);
        bool of_q = r->at == (char *)run->initial_q;
        for (int k = 0; of_q && run->model->has_own && k < run->model->n_elements; k++) {
            const nt_element *e = &run->model->elements[k];
            if (e->own_q >= 0)
                memcpy(rates->dq + e->own_v, rate + e->own_q, (size_t)e->n_own * sizeof *rate);
        }
        for (int b = 1; of_q && b < run->model->n_bodies; b++) {
            const nt_body *body = &run->bodies[b];
            int turn = body->t_node >= 0 ? 3 : 0;
            memcpy(rates->dq + body->v, rate + body->q, (size_t)turn * sizeof(double));
            if (body->r_node >= 0)
                v3_store(rates->dq + body->v + turn,
                         parameter_turning(rate + body->q + turn, run->initial_q + body->q + turn));
        }
    }
    rates->open_row = -1;
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < rows[level]; i++)
            if (fabs(s->opening[level][i]) > fabs(rates->opening)) {
                rates->opening = s->opening[level][i];
                rates->open_row = i;
                rates->open_level = (nt_level)level;
            }
    return NT_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static nt_status parameter_collect(nt_survey *s)
{
    nt_run *run = s->run;
    nt_words *of_region = NT_TAKE(&s->arena, s->n_regions, nt_words);
    nt_words *of_element = NT_TAKE(&s->arena, run->model->n_elements, nt_words);
    double *reach = NT_TAKE(&s->arena, nt_model_variable_count(run->model), double);
    v3 gravity_rate = v3_of(0, 0, 0);
    if (!of_region || !of_element || !reach)
        return NT_NO_MEMORY;
    nt_status status = collect_words(s, of_region);
    for (int i = 0; status == NT_OK && i < s->n_regions; i++) {
        if (s->region[i].kind == NT_REGION_ELEMENT)
            of_element[i - s->first_element] = of_region[i];
        if (s->region[i].at == (char *)run->gravity)
            gravity_rate = v3_load(s->best + s->region[i].word);
    }
    if (status == NT_OK)
        status = collect_bodies(s, gravity_rate);
    if (status == NT_OK)
        status = collect_signals(s, of_element, reach);
    if (status == NT_OK)
        status = collect_elements(s, of_element, reach);
    return status == NT_OK ? collect_initial(s) : status;
}

/* An element the period of whose stops changes with the parameter; NULL: none. */
static const nt_element *paced_by(const nt_survey *s)
{
    const nt_model *model = s->run->model;
    for (int i = 0; i < model->n_bindings; i++)
        for (int k = 0; s->direction[i] != 0 && k < model->n_elements; k++) {
            const nt_element *e = &model->elements[k];
            if (e->type->period && model->bindings[i].target == e->data + e->type->period)
                return e;
        }
    return NULL;
}

static nt_status refuse_numbers(const nt_run *run, int k, const nt_element *e, const char *words,
                                nt_error *error)
{
    return nt_fail_at(error, NT_UNSUPPORTED, run->model->file, e->place.line, e->place.column,
                      "derivatives in parameter %s: %s %s follows it by numbers that %s: expected "
                      "all numbers of type %s in its data, as doubles",
                      run->model->parameters[k].name, nt_element_word(e), e->name, words,
                      e->type->name);
}

/* Refuses the parameter where an element follows it by numbers that have no derivative here. */
static nt_status check_numbers(nt_survey *s, int k, bool *refused, nt_error *error)
{
    const nt_element *e = NULL;
    nt_status status = nt_survey_find_apart(s, &e);
    const char *words = "it keeps apart from its data, where they cannot be seen";
    if (status == NT_OK && !e) {
        status = nt_survey_find_disguised(s, &e);
        words = "are floats or integers in its data, which have no derivative";
    }
    *refused = status == NT_OK && e;
    return *refused ? refuse_numbers(s->run, k, e, words, error) : status;
}

static nt_status parameter_rates_find(nt_run *run, int k, nt_error *error)
{
    nt_parameter_rates *rates = &run->rates[k];
    nt_survey s = {.run = run, .rates = rates};
    if (rates->ready)
        return NT_OK;
    if (run->model->n_unknowns > 0 && !run->settling && !run->unknown_rates_known) {
        nt_status found = run->model->settling->unknown_rates(run, error);
        if (found != NT_OK)
            return found;
    }
    nt_arena_free(&rates->arena);
    *rates = (nt_parameter_rates){0};
    rates->variables = NT_TAKE(&rates->arena, nt_model_variable_count(run->model), double);
    nt_status status = rates->variables ? nt_survey_begin(&s) : NT_NO_MEMORY;
    if (status != NT_OK)
        goto done;
    nt_survey_parameters(run, k, rates->variables);
    double value = fabs(run->parameters[k].value), scale = nt_survey_numbers(&s);
    /* prescribed motion, first samples, what is remembered or settles on a bed, what delays keep of
     * the start: initial values depend on it */
    bool drives = nt_run_delays_use(run, rates->variables);
    for (int i = 0; i < run->model->n_elements && !drives; i++) {
        const nt_element *e = &run->model->elements[i];
        drives = (i < run->model->n_joints || nt_element_has_stops(e) || nt_element_settles(e) ||
                  nt_element_remembers(e)) &&
                 nt_element_uses(run, e, rates->variables);
    }
    const nt_element *paced = paced_by(&s);
    if (paced) {
        status = nt_fail_at(error, NT_UNSUPPORTED, run->model->file, paced->place.line,
                            paced->place.column,
                            "derivatives in parameter %s: the period of sampled value %s changes "
                            "with it, and so do the times of all samples",
                            run->model->parameters[k].name, paced->name);
        nt_survey_end(&s);
        return status;
    }
    rates->scale = isfinite(scale) ? scale : value > 0 ? value : 1;
    if (isfinite(scale) || drives) {
        status = nt_survey_mark(&s);
        if (status == NT_OK)
            status = nt_survey_differentiate(&s, rates->scale);
        bool refused = false;
        if (status == NT_OK)
            status = check_numbers(&s, k, &refused, error);
        if (refused) {
            nt_survey_end(&s);
            return status;
        }
    }
    if (status == NT_OK)
        status = parameter_collect(&s);
done:
    nt_survey_end(&s);
    if (status == NT_OK)
        nt_parameter_rates_classify(run, rates);
    rates->ready = status == NT_OK;
    const nt_parameter *p = &run->model->parameters[k];
    bool refused = status == NT_BAD_MODEL && s.why.message[0];
    return status == NT_OK
               ? NT_OK
               : nt_fail_at(error, status, run->model->file, p->place.line, p->place.column,
                            "derivatives in parameter %s: %s%s", p->name,
                            refused ? "beside its value the model is refused: " : "",
                            refused ? s.why.message : nt_status_text(status));
}

nt_status nt_parameter_rates_find(nt_run *run, int k, nt_error *error)
{
    run->keeps_set = true;
    nt_status status = parameter_rates_find(run, k, error);
    run->keeps_set = false;
    return status;
}

void nt_parameter_rates_put(nt_run *run, const nt_parameter_rates *rates, double s)
{
    nt_words_put(rates, (nt_words){0, rates->n_words}, s);
    for (int i = 0; i < run->model->n_parameters; i++)
        run->variables[i] = run->parameters[i].value + (s == 0 ? 0 : s * rates->variables[i]);
}

bool nt_parameter_rates_init(nt_run *run)
{
    size_t variables = (size_t)run->model->n_parameters + 1 + (size_t)run->model->n_signals;
    nt_arena *arena = &run->work;
    run->rates = NT_TAKE(arena, run->model->n_parameters, nt_parameter_rates);
    run->variables_base = NT_TAKE(arena, variables, double);
    run->variables_scratch = NT_TAKE(arena, variables, double);
    const nt_system *s = &run->system;
    bool any = run->model->n_parameters > 0;
    run->varied_residual = NT_TAKE(arena, any ? s->space.nv : 0, double);
    run->varied_rows = NT_TAKE(arena, any ? s->nh + s->nn : 0, double);
    size_t most = any ? (size_t)run->model->most_entries : 0;
    run->entry = NT_TAKE(arena, most, nt_entry);
    run->entry_values = NT_TAKE(arena, 6 * most, double);
    return run->entry && run->entry_values && run->rates && run->variables_base &&
           run->variables_scratch && run->varied_residual && run->varied_rows;
}

void nt_parameter_rates_forget(nt_run *run)
{
    for (int i = 0; run->rates && i < run->model->n_parameters; i++) {
        nt_arena_free(&run->rates[i].arena);
        run->rates[i] = (nt_parameter_rates){0};
    }
}
