/* The undamped modes about a state, for damping by ratios: those of the symmetric parts of M and K,
 * on what constraints let move. */
#include "analysis/modes/modal_damping.h"

#include "analysis/modes/pairs.h"
#include "base/error.h"
#include "method/state.h"
#include "model/forces/modal_damping.h"
#include "model/run.h"

#include <nutate/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static nt_status refuse(const nt_model *model, const nt_element *e, nt_status status,
                        const char *words, nt_error *error)
{
    return nt_fail_at(error, status, model->file, e->place.line, e->place.column, "%s: %s", e->name,
                      words);
}

/* Pairs that swing, ascending. */
static int list_swinging(const nt_pairs *pairs, int *list)
{
    int n = 0;
    for (int i = 0; i < pairs->n; i++) {
        if (!(pairs->s[2 * i + 1] > 0))
            continue;
        int k = n++;
        for (; k > 0 && pairs->s[2 * list[k - 1] + 1] > pairs->s[2 * i + 1]; k--)
            list[k] = list[k - 1];
        list[k] = i;
    }
    return n;
}

/* g = sqrt(2 omega/m) M phi */
static nt_status make_rows(nt_model *model, const nt_pencil *p, const nt_pairs *pairs,
                           const int *list, nt_modal_rows *rows)
{
    double *out = calloc((size_t)p->n + 1, sizeof *out);
    rows->g = NT_TAKE(&model->arena, (size_t)rows->n * (size_t)p->nv, double);
    if (!out || !rows->g) {
        free(out);
        return NT_NO_MEMORY;
    }
    for (int k = 0; k < rows->n; k++) {
        const double *x = pairs->x + 2 * (size_t)list[k] * (size_t)p->n;
        double m = 0, *g = rows->g + (size_t)k * (size_t)p->nv;
        memset(out, 0, (size_t)p->n * sizeof *out);
        nt_matrix_apply(&p->M, x, out);
        for (int i = 0; i < p->nv; i++)
            m += x[i] * out[i];
        for (int i = 0; i < p->nv; i++)
            g[i] = sqrt(2 * pairs->s[2 * list[k] + 1] / m) * out[i];
    }
    free(out);
    return NT_OK;
}

static nt_status hand_over(nt_model *model, nt_element *e, const nt_pencil *p,
                           const nt_pairs *pairs, nt_error *error)
{
    nt_modal_damping *d = nt_element_numbers_in(model->origin, e);
    nt_modal_rows *rows = NT_TAKE(&model->arena, 1, nt_modal_rows);
    int *list = calloc((size_t)pairs->n + 1, sizeof *list);
    nt_status status = rows && list ? NT_OK : NT_NO_MEMORY;
    if (status == NT_OK) {
        int n = list_swinging(pairs, list);
        int wanted = d->modes > 0 ? (int)d->modes : d->n_ratios > 1 ? d->n_ratios : n;
        if (n == 0)
            status = refuse(model, e, NT_INVALID, "no mode swings about that state", error);
        else if (wanted > n || d->n_ratios > n)
            status = refuse(model, e, NT_INVALID,
                            "more modes are damped than the model has that swing", error);
        *rows = (nt_modal_rows){.n = wanted, .nv = p->nv};
    }
    if (status == NT_OK)
        status = make_rows(model, p, pairs, list, rows);
    if (status == NT_OK)
        d->rows = rows;
    free(list);
    return status;
}

/* The pencil without damping, constraints of position alone. */
static nt_status find(nt_model *model, nt_element *e, nt_run *run, nt_error *error)
{
    static const double still[3] = {0};
    const nt_modal_damping *d = nt_element_data_in(run, e);
    nt_reference *reference = NULL;
    nt_pencil *p = NULL;
    nt_pairs pairs = {0};
    nt_status status = nt_reference_create(
        &reference, run, d->about == 1 ? NT_ABOUT_INITIAL : NT_ABOUT_STATIC, error);
    if (status == NT_OK)
        status = nt_pencil_create(&p, nt_run_system(run), error);
    if (status == NT_OK && p->nn > 0)
        status = refuse(model, e, NT_UNSUPPORTED,
                        "joints that roll, or blades, leave no modes that swing alike; expected a "
                        "model without",
                        error);
    if (status == NT_OK) {
        nt_state s = nt_reference_state(reference);
        const nt_point at = nt_state_point(&s);
        status = nt_pencil_fill(p, &at, still, error);
    }
    if (status == NT_OK) {
        nt_matrix_zero(&p->C);
        p->is_plain = true;
        status = nt_pairs_dense(p, &pairs, error);
    }
    if (status == NT_OK)
        status = hand_over(model, e, p, &pairs, error);
    nt_pairs_free(&pairs);
    nt_pencil_destroy(p);
    nt_reference_destroy(reference);
    return status;
}

nt_status nt_model_find_modal_damping(nt_model *model, nt_error *error)
{
    nt_run *run = NULL;
    if (!model->modal_damping)
        return NT_OK;
    nt_element *e = &model->elements[model->modal_damping - 1];
    nt_status status = nt_run_create(&run, model, error);
    if (status == NT_OK)
        status = find(model, e, run, error);
    nt_run_destroy(run);
    if (status == NT_OK || status == NT_NO_MEMORY)
        return status == NT_OK ? NT_OK : nt_fail(error, status, "out of memory for modes");
    return status;
}
