/* Where forces of a model begin and end with a slope: nt_system.onsets. */
#ifndef NUTATE_MODEL_ONSETS_H
#define NUTATE_MODEL_ONSETS_H

#include "model/model.h"

#include <math.h>

/* Where something happens at a place at which a force begins or bends, g is zero by rounding, of
 * either sign. The memory holds on which side of it a step lies that begins there, and one that
 * ends there: for each the time and how far from it that is so, s, then a side for each onset, 1,
 * -1 or 0 where it is not at its zero. */
enum { NT_ONSET_TIMES = 2 };
static inline int nt_onset_memory(const nt_system *system)
{
    return 2 * (NT_ONSET_TIMES + system->n_onsets);
}
void nt_onsets_forget_sides(const nt_model *model, double *memory);
/* See nt_events.hold_sides. */
void nt_run_hold_sides(void *self, double t, double by, int behind, const double *side,
                       double *memory);
/* The sides [n_onsets] that are held at t with this memory; NULL: none are. */
static inline const double *nt_onset_sides(const nt_model *model, double t, const double *memory)
{
    if (model->onset_memory < 0 || !memory)
        return NULL;
    const double *behind = memory + model->onset_memory;
    const double *before = behind + NT_ONSET_TIMES + model->system.n_onsets;
    if (fabs(t - before[0]) <= before[1])
        return before + NT_ONSET_TIMES;
    return fabs(t - behind[0]) <= behind[1] ? behind + NT_ONSET_TIMES : NULL;
}

/* The kind of a signal that is the side on which an operation of a load bends; its value. */
enum { NT_SIGNAL_SIDE = -4 };
double nt_bend_side(const nt_run *run, int k);
/* Holds none of them among variables. */
void nt_bends_free(const nt_model *model, double *variables);

/* Adds an operation that bends where its argument passes a point: the variable that is its side,
 * -1 where it has none, -2: there is no memory. */
int nt_model_bend(nt_model *model, int operation, const nt_expression *argument,
                  const nt_table *table);
/* Finds and counts them, once the elements are prepared; NT_NO_MEMORY. */
nt_status nt_model_count_onsets(nt_model *model);
/* See nt_system.onsets. */
nt_status nt_run_onsets(void *self, const nt_point *at, double *beyond);
/* See nt_system.hold_onsets. */
void nt_run_hold_onsets(void *self, const nt_point *at);

#endif
