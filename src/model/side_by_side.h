/* Elements evaluated by several threads. */
#ifndef NUTATE_MODEL_SIDE_BY_SIDE_H
#define NUTATE_MODEL_SIDE_BY_SIDE_H

#include "model/model.h"

/* Threads, and for each element terms of its own. Made by nt_run_set_threads. */
typedef struct nt_side_by_side nt_side_by_side;
void nt_side_by_side_free(nt_side_by_side *s); /* NULL is nothing */

/* Whether this evaluation is worth it; s may be NULL. */
bool nt_side_by_side_pays(const nt_side_by_side *s, const nt_view *view);

/* Bodies from `from` on, see nt_bodies_evaluate. */
void nt_side_by_side_bodies(nt_side_by_side *s, const nt_view *view, v3 gravity, int from);

/* All elements at a view whose motions and signals are found: terms, not energies. *failed: the
 * first element without a value. */
nt_status nt_side_by_side_evaluate(nt_side_by_side *s, const nt_view *view,
                                   const nt_element **failed);

#endif
