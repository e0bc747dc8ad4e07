/* A sampled value: found at the start and after every period, from the motion at that time and from
 * what all sampled values were until then, and held in between.
 *
 * Memory: the value, and the number of the sample that it is from. */
#include "base/decimal.h"
#include "model/elements.h"
#include "model/forces/load.h"

#include <math.h>

typedef struct nt_sampled {
    unsigned given;
    const nt_expression *value;
    double every, initial;
} nt_sampled;

enum { VALUE, SAMPLE, N_MEMORY };

static const nt_section sampled_section = {
    .name = "sampled", .word = "sampled value", .one_type = true};

static const nt_key sampled_keys[] = {
    NT_KEY("value", NT_KEY_FUNCTION, .offset = offsetof(nt_sampled, value), .bit = 0,
           .required = true, .meaning = "what is sampled"),
    NT_KEY("every", NT_KEY_NUMBER, .offset = offsetof(nt_sampled, every), .bit = 1,
           .required = true, .unit = "s", .meaning = "the period"),
    NT_KEY("initial", NT_KEY_NUMBER, .offset = offsetof(nt_sampled, initial), .bit = 2,
           .meaning = "the value before the first sample; default 0"),
    {0},
};

static nt_status sampled_prepare(nt_run *run, const nt_element *element, bool validate,
                                 nt_error *error)
{
    const nt_sampled *s = nt_element_data(run, element);
    double duration = run->model->simulation.duration;
    if (validate && !(s->every > 0 && isfinite(s->every)))
        return nt_load_refuse(run->model, element, error, "every: %g s, expected a time above zero",
                              s->every);
    if (validate && duration > 0 && s->every > duration)
        return nt_load_refuse(run->model, element, error,
                              "every: %g s is longer than the run, which takes %g s: no sample "
                              "follows the first",
                              s->every, duration);
    return NT_OK;
}

static nt_status sampled_declare(nt_model *model, nt_element *element)
{
    (void)model, (void)element;
    return NT_OK;
}

/* Nothing acts; a value that is none is told by its name. */
static nt_status sampled_evaluate(const nt_element *element, const nt_view *view)
{
    const double *memory = view->at->memory;
    return !memory || isfinite(memory[element->memory + VALUE]) ? NT_OK : NT_NOT_FINITE;
}

double nt_sampled_value(const nt_element *element, const nt_view *view)
{
    const nt_sampled *s = nt_element_data(view->run, element);
    return view->at->memory ? view->at->memory[element->memory + VALUE] : s->initial;
}

static void accept(const nt_element *element, const nt_view *view, double *next)
{
    const nt_sampled *s = nt_element_data(view->run, element);
    const double *memory = view->at->memory;
    next[VALUE] = memory ? memory[element->memory + VALUE] : s->initial;
    next[SAMPLE] = memory ? memory[element->memory + SAMPLE] : -1;
}

/* A sample is due as soon as the time differs by this part of the period. */
static const double EARLY = 1e-9;

static double stop_after(const nt_run *run, const nt_element *element, double t,
                         const double *memory)
{
    const nt_sampled *s = nt_element_data(run, element);
    (void)t;
    return nt_decimal(run->model->simulation.start + (memory[SAMPLE] + 1) * s->every);
}

static bool at_stop(const nt_element *element, const nt_view *view, double *memory)
{
    const nt_sampled *s = nt_element_data(view->run, element);
    double sample = floor((view->at->t - view->model->simulation.start) / s->every + EARLY);
    if (!(sample > memory[SAMPLE]))
        return false;
    memory[SAMPLE] = sample;
    memory[VALUE] = nt_expression_value(s->value, view->variables);
    return true;
}

static bool does_no_work(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return false;
}

const nt_element_type nt_sampled_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &sampled_section,
    .name = "sampled",
    .summary = "a value that is held between samples",
    .keys = sampled_keys,
    .size = sizeof(nt_sampled),
    .part = NT_EXPLICIT,
    .prepare = sampled_prepare,
    .declare = sampled_declare,
    .evaluate = sampled_evaluate,
    .n_memory = N_MEMORY,
    .accept = accept,
    .period = offsetof(nt_sampled, every),
    .stop_after = stop_after,
    .at_stop = at_stop,
    .memory = NT_MEMORY_KEEPS,
    .does_work = does_no_work,
    .shows = NT_SHOWS(NT_OF_HELD),
};
