#include "laws.h"

#include <nutate/element.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- what is asked of Python -------------------------------------------------------------------
 *
 * A law is named by the model, which brings a table of functions by name. motions[2][24] are
 * position, orientation (row by row), velocity, angular velocity, acceleration and angular
 * acceleration of A and B. Not 0: the function raised something, which its caller keeps. */

/* Whether the model's table has a law of this name. */
int py_has_law(const void *model, const char *law);
/* out[6]: force on B and moment on B about its reference point. */
int py_force(const void *model, const void *run, const char *law, double t, const double *motions,
             double *out);
/* phi[n]; jacobian NULL or [n][12]. */
int py_equations(const void *model, const void *run, const char *law, double t,
                 const double *motions, int n, double *phi, double *jacobian);

/* What a law does that raised something: nothing is tried again for lack of memory, so that the run
 * ends at once. */
static const nt_status RAISED = NT_NO_MEMORY;

typedef struct py_law {
    unsigned given;
    int between[2];
    const char *law;
    double rows; /* joints: how many equations */
} py_law;

#define BETWEEN                                                                                    \
    {                                                                                              \
        .name = "between", .type = NT_KEY_BODIES, .offset = offsetof(py_law, between), .bit = 0,   \
        .required = true, .meaning = "bodies [A, B]"                                               \
    }
#define LAW                                                                                        \
    {                                                                                              \
        .name = "law", .type = NT_KEY_TEXT, .offset = offsetof(py_law, law), .bit = 1,             \
        .required = true, .meaning = "the name of a function of Python, given with the model"      \
    }

static const nt_key force_keys[] = {BETWEEN, LAW, {.name = NULL}};
static const nt_key joint_keys[] = {BETWEEN,
                                    LAW,
                                    {.name = "rows",
                                     .type = NT_KEY_NUMBER,
                                     .offset = offsetof(py_law, rows),
                                     .bit = 2,
                                     .required = true,
                                     .unit = "1",
                                     .meaning = "how many equations the law returns, 1 to 6"},
                                    {.name = NULL}};

/* ---- both ----------------------------------------------------------------------------------- */

static const nt_model *law_model(const nt_view *view) { return view->model; }

static void law_motions(const nt_motion *a, const nt_motion *b, double *out)
{
    memcpy(out, a, sizeof *a);
    memcpy(out + 24, b, sizeof *b);
}

static nt_status law_prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    const py_law *p = nt_element_data_in(run, element);
    char words[200];
    _Static_assert(sizeof(nt_motion) == 24 * sizeof(double), "a motion is 24 numbers");
    if (validate && !py_has_law(nt_run_model(run), p->law)) {
        snprintf(words, sizeof words,
                 "law '%.80s' is not given: expected laws={\"%.80s\": function}", p->law, p->law);
        return nt_element_refuse(run, element, error, words);
    }
    bool joint = element->type->section == &nt_joint_section;
    if (validate && joint && !(p->rows >= 1 && p->rows <= 6 && p->rows == (int)p->rows))
        return nt_element_refuse(run, element, error, "rows: expected a whole number from 1 to 6");
    return NT_OK;
}

static bool law_depends_on_rates(const nt_run *run, const nt_element *element)
{
    (void)run, (void)element;
    return true;
}

/* ---- forces --------------------------------------------------------------------------------- */

static nt_v3 law_cross(nt_v3 a, nt_v3 b)
{
    return (nt_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The reaction on A acts at B's reference point. */
static nt_status force_law(const nt_element *element, const nt_view *view, const nt_motion *a,
                           const nt_motion *b, nt_pair_force *out)
{
    const py_law *p = nt_element_data_in(view->run, element);
    double motions[48], f[6];
    law_motions(a, b, motions);
    if (py_force(law_model(view), view->run, p->law, view->at->t, motions, f))
        return RAISED;
    nt_v3 force = {f[0], f[1], f[2]}, moment = {f[3], f[4], f[5]};
    nt_v3 back = {-f[0], -f[1], -f[2]}, arm = {b->x.x - a->x.x, b->x.y - a->x.y, b->x.z - a->x.z};
    nt_v3 turn = law_cross(arm, back);
    out->force[0] = back;
    out->moment[0] = (nt_v3){turn.x - f[3], turn.y - f[4], turn.z - f[5]};
    out->force[1] = force;
    out->moment[1] = moment;
    return NT_OK;
}

static nt_status force_evaluate(const nt_element *element, const nt_view *view)
{
    return nt_element_add_pair(element, view, force_law);
}

static void force_reaction(const nt_element *element, const nt_view *view, nt_v3 *force,
                           nt_v3 *torque)
{
    nt_pair_force at = {0};
    force_law(element, view, &view->motion[element->a], &view->motion[element->b], &at);
    *force = at.force[1];
    *torque = at.moment[1];
}

static const nt_element_type py_force_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "python",
    .summary = "a force and a moment on B by a function of Python, their opposites on A",
    .keys = force_keys,
    .size = sizeof(py_law),
    .part = NT_IMPLICIT,
    .prepare = law_prepare,
    .declare = nt_element_couple_pair,
    .evaluate = force_evaluate,
    .depends_on_rates = law_depends_on_rates,
    .reaction = force_reaction,
};

/* ---- joints --------------------------------------------------------------------------------- */

static int joint_rows(const nt_model *model, const nt_element *element)
{
    const py_law *p = nt_element_data_of(model, element);
    return p->rows >= 1 && p->rows <= 6 ? (int)p->rows : 1;
}

static nt_status rows_law(const nt_element *element, const nt_view *view, double t,
                          const nt_motion *a, const nt_motion *b, double *phi, double *jacobian)
{
    const py_law *p = nt_element_data_in(view->run, element);
    double motions[48];
    law_motions(a, b, motions);
    return py_equations(law_model(view), view->run, p->law, t, motions, element->n_rows, phi,
                        jacobian)
               ? RAISED
               : NT_OK;
}

static nt_status joint_evaluate(const nt_element *element, const nt_view *view)
{
    return nt_element_add_rows(element, view, rows_law);
}

static nt_quantity joint_row_quantity(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element, (void)row;
    return NT_LENGTH;
}

static const char *joint_row_name(const nt_model *model, const nt_element *element, int row)
{
    static const char *const names[] = {"equation 1", "equation 2", "equation 3",
                                        "equation 4", "equation 5", "equation 6"};
    (void)model, (void)element;
    return names[row >= 0 && row < 6 ? row : 0];
}

/* The residual that the multipliers leave is the opposite of what acts. */
static void joint_reaction(const nt_element *element, const nt_view *view, nt_v3 *force,
                           nt_v3 *torque)
{
    double residual[32] = {0}, unused;
    nt_local local = {.element = element, .residual = residual};
    const nt_terms terms = {.parts = NT_REACTIONS, .level = NT_POSITION, .residual = &unused};
    nt_view own = *view;
    own.local = &local;
    own.terms = &terms;
    own.energy = NULL;
    if (nt_element_add_rows(element, &own, rows_law) != NT_OK)
        return;
    const double *f = residual + element->ports[NT_T_B].start;
    const double *m = residual + element->ports[NT_R_B].start;
    *force = (nt_v3){-f[0], -f[1], -f[2]};
    if (element->ports[NT_R_B].size == 3)
        *torque = (nt_v3){-m[0], -m[1], -m[2]};
}

static const nt_element_type py_joint_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_joint_section,
    .name = "python_joint",
    .summary = "equations between the positions of A and B by a function of Python",
    .keys = joint_keys,
    .size = sizeof(py_law),
    .part = NT_IMPLICIT,
    .rows = joint_rows,
    .prepare = law_prepare,
    .declare = nt_element_couple_rows,
    .evaluate = joint_evaluate,
    .reaction = joint_reaction,
    .row_quantity = joint_row_quantity,
    .row_name = joint_row_name,
};

nt_status py_add_laws(nt_error *error)
{
    static bool added;
    if (added)
        return NT_OK;
    nt_status status = nt_element_type_add(&py_force_type, error);
    if (status == NT_OK)
        status = nt_element_type_add(&py_joint_type, error);
    added = status == NT_OK;
    return status;
}
