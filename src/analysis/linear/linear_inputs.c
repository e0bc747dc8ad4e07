/* Inputs of linear models: parameters by name, and functions of elements. */
#include "analysis/linear/linear.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- inputs
 * --------------------------------------------------------------------------------------- */

static bool is_function(const nt_key *key)
{
    return key->type == NT_KEY_FUNCTION || key->type == NT_KEY_FUNCTIONS || key->type == NT_KEY_LAW;
}

/* The function that "push.value.x" or "hinge.motion" names, or the number of a law; false: none. */
static bool find_function(nt_run *run, const char *name, nt_linear_source *in)
{
    const nt_model *model = run->model;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        size_t length = strlen(e->name);
        if (strncmp(name, e->name, length) != 0 || name[length] != '.')
            continue;
        const char *rest = name + length + 1;
        for (const nt_key *key = e->type->keys; key->name; key++) {
            size_t word = strlen(key->name);
            bool several = key->type == NT_KEY_FUNCTIONS;
            if (!is_function(key) || strncmp(rest, key->name, word) != 0)
                continue;
            const char *end = rest + word;
            bool fits = several ? end[0] == '.' && end[1] >= 'x' && end[1] < 'x' + key->high &&
                                      end[2] == '\0'
                                : end[0] == '\0';
            if (!fits)
                continue;
            char *data = nt_element_numbers(run, e);
            void *at = data + key->offset;
            bool given = key->bit < 0 || *(const unsigned *)(const void *)data >> key->bit & 1;
            if (key->type == NT_KEY_LAW) {
                nt_law *law = at;
                *in = (nt_linear_source){.element = e,
                                         .function = law->function,
                                         .place = &law->function,
                                         .number = &law->value};
                return given;
            }
            const nt_expression **place = at;
            place += several ? end[1] - 'x' : 0;
            *in = (nt_linear_source){.element = e, .function = *place, .place = place};
            return in->function;
        }
    }
    return false;
}

/* "; the model has v, tilt and push.value.x": as many as there is room for. */
static void list_inputs(nt_run *run, char *text, size_t size)
{
    const nt_model *model = run->model;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < model->n_parameters && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 model->parameters[i].name);
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        for (const nt_key *key = e->type->keys; key->name && used < size; key++) {
            char name[NT_LINEAR_NAME];
            nt_linear_source in;
            bool several = key->type == NT_KEY_FUNCTIONS;
            snprintf(name, sizeof name, "%s.%s%s", e->name, key->name, several ? ".x" : "");
            if (is_function(key) && find_function(run, name, &in))
                used +=
                    (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        }
    }
}

static nt_status find_input(nt_linear *l, const char *name, nt_linear_source *in, nt_error *error)
{
    const nt_system *system = &l->run->system;
    bool found = find_function(l->run, name, in);
    in->parameter = -1;
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0)
            in->parameter = i;
    snprintf(in->name, sizeof in->name, "%s", name);
    if (in->parameter >= 0 || found)
        return NT_OK;
    char known[400];
    const char *hint =
        nt_suggest(name, (int)strlen(name), system->parameter_names, system->n_parameters);
    list_inputs(l->run, known, sizeof known);
    return nt_fail(error, NT_INVALID, "input '%s' is none%s%s%s; the model has %s", name,
                   hint ? "; did you mean `" : "", hint ? hint : "", hint ? "`?" : "",
                   known[0] ? known : "no parameters, loads or motions");
}

/* The residual with the rows of positions and of velocities, and the rows at the two levels above:
 * out[n], level[2][nh + nn]. */
static nt_status residual_of(nt_linear *l, double *out, double *const level[2])
{
    const nt_pencil *p = l->pencil;
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = out, .rows = out + p->nv};
    memset(out, 0, (size_t)p->n * sizeof *out);
    nt_status status = nt_problem_evaluate(p->problem, &l->at, &terms);
    for (int i = 0; i < 2 && status == NT_OK && p->nh + p->nn > 0; i++) {
        nt_terms rows = {.level = i ? NT_ACCELERATION : NT_VELOCITY, .rows = level[i]};
        status = nt_problem_evaluate(p->problem, &l->at, &rows);
    }
    return status;
}

/* In the key's place, and where the type keeps it besides. */
static void exchange(nt_run *run, const nt_linear_source *in, const nt_expression *from,
                     const nt_expression *to)
{
    *in->place = to;
    nt_element_input(run, in->element, from, to);
}

/* Residuals are affine in the functions of loads, and smooth in those of motions (the row of a
 * driven angle is a sine of the difference): a difference of fourth order between functions that
 * are shifted, whose rates are those of the motion. */
static nt_status function_column(nt_linear *l, nt_linear_source *in)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const nt_expression *kept = in->function, *shifted = NULL;
    double now = kept ? nt_expression_value(kept, l->run->variables) : *in->number;
    double h = (in->element->type->is_load ? 1 : 1e-3) * fmax(1, fabs(now));
    int rows = l->pencil->nh + l->pencil->nn;
    double *value = NT_TAKE(&l->arena, l->pencil->n + 2 * rows, double);
    double *level[2] = {value + l->pencil->n, value + l->pencil->n + rows};
    nt_status status = value ? NT_OK : NT_NO_MEMORY;
    for (int i = 0; i < 4 && status == NT_OK; i++) {
        if (kept) {
            status = nt_expression_shift(kept, at[i] * h, &l->arena, &shifted);
            if (status != NT_OK)
                break;
            exchange(l->run, in, kept, shifted);
        } else
            *in->number = now + at[i] * h;
        status = residual_of(l, value, level);
        if (kept)
            exchange(l->run, in, shifted, kept);
        else
            *in->number = now;
        for (int k = 0; k < l->pencil->n; k++)
            in->R[k] += weight[i] * value[k] / (12 * h);
        for (int k = 0; k < 2 * rows; k++)
            in->c[k / rows][k % rows] += weight[i] * level[k / rows][k % rows] / (12 * h);
    }
    return status;
}

static nt_status parameter_column(nt_linear *l, nt_linear_source *in, nt_error *error)
{
    const nt_pencil *p = l->pencil;
    nt_status status = nt_run_prepare_parameters(l->run, &in->parameter, 1, error);
    for (int i = 0; i < 3 && status == NT_OK; i++) {
        static const nt_level levels[] = {NT_POSITION, NT_VELOCITY, NT_ACCELERATION};
        nt_terms terms = {.parts = i == 0 ? NT_ALL_PARTS : 0,
                          .level = levels[i],
                          .residual = i == 0 ? in->R : NULL,
                          .rows = i == 0 ? in->R + p->nv : in->c[i - 1]};
        if (i == 0 || p->nh + p->nn > 0)
            status = nt_problem_parameter_tangent(p->problem, &l->at, in->parameter, &terms);
    }
    return status;
}

nt_status nt_linear_make_inputs(nt_linear *l, const nt_linear_setup *setup, nt_error *error)
{
    const nt_pencil *p = l->pencil;
    nt_status status = NT_OK;
    l->n_inputs = setup->n_inputs;
    l->inputs = NT_TAKE(&l->arena, l->n_inputs, nt_linear_source);
    if (!l->inputs)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < l->n_inputs && status == NT_OK; i++) {
        nt_linear_source *in = &l->inputs[i];
        status = find_input(l, setup->inputs[i], in, error);
        if (status != NT_OK)
            return status;
        size_t rows = (size_t)(p->nh + p->nn);
        in->R = NT_TAKE(&l->arena, (size_t)p->n + 2 * rows, double);
        in->c[0] = in->R + p->n, in->c[1] = in->c[0] + rows;
        status = !in->R               ? NT_NO_MEMORY
                 : in->parameter >= 0 ? parameter_column(l, in, error)
                                      : function_column(l, in);
        for (int j = 0; j < p->nv && status == NT_OK; j++)
            in->R[j] /= l->r.weight[j];
        if (status != NT_OK)
            return nt_fail(error, status, "input %s has no derivative here: %s", in->name,
                           nt_status_text(status));
    }
    return status;
}
