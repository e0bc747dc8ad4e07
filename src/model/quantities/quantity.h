/* Recorded quantities: values of many of them at one state. */
#ifndef NUTATE_MODEL_QUANTITY_H
#define NUTATE_MODEL_QUANTITY_H

#include "model/model.h"

/* What a state looks like: computed once, read by every quantity of it. Valid until the next call
 * on the run. */
typedef struct nt_sampler {
    nt_run *run;
    nt_state state;
    nt_point at; /* with the given reactions for its multipliers */
    const nt_view *view;
    nt_view own;        /* what view points to, of a look                  */
    nt_terms terms;     /* none: what view->terms points to                */
    double *rows;       /* [nh + nn] scratch                           */
    unsigned char *off; /* [nh + nn] likewise: rows that do not hold   */
    nt_energy energy;   /* where wanted                                */
    double drift[2];    /* largest |Phi|, largest |dPhi/dt| or |kappa|; where wanted */
} nt_sampler;

/* Take memory. NT_NO_MEMORY. */
nt_status nt_sampler_init(nt_sampler *sampler, nt_run *run, nt_arena *arena, nt_error *error);

/* Look at a state; energies and drift only when wanted. reactions[nh + nn] or NULL. */
nt_status nt_sampler_look(nt_sampler *sampler, const nt_state *state, const double *reactions,
                          bool energy, bool drift, nt_error *error);

/* Values at that state: out[quantity->columns]. */
void nt_sampler_values(const nt_sampler *sampler, const nt_quantity_info *quantity, double *out);

/* Takes model->objects, once all are named. NT_NO_MEMORY. */
nt_status nt_quantity_sort_objects(nt_model *model);
/* The last `more` elements, without names in the file, have come since. */
void nt_quantity_more_elements(nt_model *model, int more);

/* nt_model_quantity; with `any` also those of the ground, which expressions may use though they
 * never change. *object (may be NULL): which of model->objects it belongs to, NULL for the whole
 * model. */
nt_status nt_quantity_find(const nt_model *model, const char *name, bool any,
                           nt_object_name **object, nt_quantity_info *quantity, nt_error *error);

/* The object of a quantity of part i of an element (nt_element_part_at), which counts through
 * elements and parts, and the part of such an object. */
static inline int nt_quantity_object_of_part(const nt_model *model, int element, int part)
{
    return element + model->n_elements * part;
}
static inline int nt_quantity_part(const nt_model *model, int object)
{
    return object / model->n_elements;
}

/* NT_INVALID with words of a public function where one of quantities[n] is none of the model. */
nt_status nt_quantity_refuse(nt_error *error, const char *function, const nt_model *model,
                             const nt_quantity_info *quantities, int n);

/* Whether what is to be recorded is no name but an expression, norm(a.position): a quantity whose
 * name is its text. */
bool nt_quantity_is_expression(const char *text);

#endif
