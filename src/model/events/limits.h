/* Rigid limits of joints: stops without stiffness.
 *
 * With x the free coordinate of a joint, a limit is free while it is not met and bears while x
 * stays at it,
 *
 *   free    x < upper (x > lower)              bears   x = upper, with a reaction that pushes
 *
 * where the row x - upper = 0 is that of the joint's latch, and its multiplier the reaction. Which
 * of both is the entry of the joint in the discrete memory. A limit that is met is an impact
 * (method/events/impact.c) with all limits that bear, or are met within the time that tells the
 * side of a zero; those that part behind it are free. One that bears is free again where its
 * reaction passes zero.
 *
 * Each joint with rigid limits has two indicators, of its lower and its upper limit, and three
 * occurrences for each of them. */
#ifndef NUTATE_MODEL_LIMITS_H
#define NUTATE_MODEL_LIMITS_H

#include "model/model.h"

enum { NT_LIMIT_SIDES = 2, NT_LIMIT_WORDS = 3 };

/* Finds the joints that have them and gives these the row of a latch: before the model is laid out.
 */
nt_status nt_model_find_limits(nt_model *model);
/* What the memory of a joint becomes at a start, where it is not known yet: it may lie at a limit.
 */
void nt_limits_begin(nt_run *run, const nt_point *at, double *memory);
/* Whether the placement keeps the limits: NT_BAD_MODEL with words. */
nt_status nt_limits_check_placement(nt_run *run, nt_error *error);

/* Indicators of all, 2 for each joint; the view is of the point. */
void nt_limits_indicate(const nt_run *run, const nt_view *view, double *g, unsigned char *way);
/* The one with an indicator is met, or lets go. */
nt_status nt_limit_changes(nt_run *run, int indicator, nt_instant *instant, nt_error *error);
/* Limits that bear take part in impacts and impulses of other origin, where there are such. */
nt_status nt_limits_join(nt_run *run, nt_instant *instant, nt_error *error);
/* nt_events.join */
nt_status nt_limits_bear_in(void *run, nt_instant *instant, nt_error *error);
/* nt_events.part */
void nt_limits_part(void *run, const unsigned char *parted, double *memory);

/* nt_events.bear */
int nt_limits_bear(void *run, int i, int on, double *memory);

/* "upper limit of joint arm"; the words of occurrence i of limits, NULL: there is none. */
void nt_limit_word(const nt_model *model, int indicator, char *text, int size);
const char *nt_limit_occurrence(const nt_model *model, int i);

#endif
