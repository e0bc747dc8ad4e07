#include "papers/common/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- beginning ------------------------------------------------------------------------------ */

static bool fail(nt_course *course, nt_error *error)
{
    nt_paper_report_fail(course->report, error, course->method);
    return false;
}

static bool refuse(nt_course *course, const char *what, const char *name)
{
    nt_error error = {.status = NT_INVALID};
    snprintf(error.message, sizeof error.message, "there is no %s %s", what, name);
    return fail(course, &error);
}

static bool read_model(nt_course *course, const char *name)
{
    char path[4096];
    nt_error error = {0};
    snprintf(path, sizeof path, "%s/%s", course->report->folder, name);
    if (nt_model_read(&course->model, path, NULL, 0, &error) != NT_OK ||
        nt_run_create(&course->run, course->model, &error) != NT_OK)
        return fail(course, &error);
    course->system = nt_run_system(course->run);
    return true;
}

static int find_parameter(const nt_system *system, const char *name)
{
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0)
            return i;
    return -1;
}

/* Perturbed as a user's program would: by the parameters' values, not by the model's text. */
static bool scale_parameter(nt_course *course, const nt_trial *trial)
{
    const nt_system *system = course->system;
    int index = find_parameter(system, trial->parameter);
    double *value = index >= 0 ? calloc((size_t)system->n_parameters, sizeof *value) : NULL;
    if (!value)
        return refuse(course, "parameter", trial->parameter);
    system->get_parameters(system->self, value);
    value[index] *= trial->factor;
    nt_error error = {.status = system->set_parameters(system->self, value)};
    free(value);
    return error.status == NT_OK || fail(course, &error);
}

static bool create(nt_course *course, const nt_trial *trial)
{
    nt_error error = {0};
    nt_integrator_setup setup = {.system = course->system,
                                 .method = nt_method_find(trial->method),
                                 .options = trial->option,
                                 .frame = trial->frame,
                                 .energy_check = NT_ENERGY_WARNS};
    while (setup.n_options < NT_TRIAL_OPTIONS && trial->option[setup.n_options].name)
        setup.n_options++;
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = trial->tolerance;
    if (!setup.method)
        return refuse(course, "method", trial->method);
    if (nt_integrator_create(&course->integrator, &setup, &error) != NT_OK)
        return fail(course, &error);
    if (!trial->differentiated)
        return true;
    int index = find_parameter(course->system, trial->parameter);
    if (index < 0)
        return refuse(course, "parameter", trial->parameter);
    return nt_sensitivity_create(&course->sensitivity, course->integrator, &index, 1, &error) ==
               NT_OK ||
           fail(course, &error);
}

bool nt_course_begin(nt_course *course, nt_paper_report *report, const nt_trial *trial)
{
    nt_error error = {0};
    *course = (nt_course){.report = report, .system = trial->system, .method = trial->method};
    if (!nt_paper_report_ok(report) || (trial->model && !read_model(course, trial->model)))
        return false;
    if (trial->factor != 0 && !scale_parameter(course, trial))
        return false;
    if (!create(course, trial))
        return false;
    if (nt_integrator_start(course->integrator, 0, trial->q, trial->v, NULL, &error) != NT_OK)
        return fail(course, &error);
    return !course->sensitivity || nt_sensitivity_start(course->sensitivity, &error) == NT_OK ||
           fail(course, &error);
}

void nt_course_end(nt_course *course)
{
    nt_sensitivity_destroy(course->sensitivity);
    nt_integrator_destroy(course->integrator);
    nt_run_destroy(course->run);
    nt_model_destroy(course->model);
    course->sensitivity = NULL;
    course->integrator = NULL;
    course->run = NULL;
    course->model = NULL;
}

/* ---- under way ------------------------------------------------------------------------------ */

bool nt_course_try(nt_course *course, double t, double h)
{
    return nt_integrator_run(course->integrator, t, h, NULL, NULL, NULL) == NT_OK;
}

bool nt_course_run(nt_course *course, double t, double h)
{
    nt_error error = {0};
    return nt_integrator_run(course->integrator, t, h, NULL, NULL, &error) == NT_OK ||
           fail(course, &error);
}

nt_state nt_course_state(const nt_course *course)
{
    return nt_integrator_state(course->integrator);
}

bool nt_course_sample(nt_course *course, const char *quantity, double *out)
{
    nt_error error = {0};
    nt_quantity_info info;
    nt_state state = nt_course_state(course);
    return (nt_model_quantity(course->model, quantity, &info, &error) == NT_OK &&
            nt_run_sample(course->run, &info, &state, NULL, out, &error) == NT_OK) ||
           fail(course, &error);
}

/* Tolerance: near rounding, so that what is left is a few hundred roundings. */
nt_trial nt_trial_exact(const char *model)
{
    return (nt_trial){.model = model, .method = "rkmk-dop853", .tolerance = 1e-13};
}

/* ---- norms ---------------------------------------------------------------------------------- */

double nt_distance(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

double nt_relative_distance(const double *a, const double *b, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size += b[i] * b[i];
    return nt_distance(a, b, n) / sqrt(size);
}

double nt_rotation_distance(const double *a, const double *b)
{
    double A[9], B[9];
    nt_so3_matrix(a, A);
    nt_so3_matrix(b, B);
    return nt_distance(A, B, 9);
}
