/* Sliding mode: a switch whose argument passes a point to which both sides push back.
 *
 * Let x(q, v, y, t) be the argument of an operation that jumps by `span` where x passes c, with
 * velocities or states y in it, so that the value u of the operation acts on x'. Where x' points to
 * c on either side, x stays at c, and u is the number between both values that makes it so:
 *
 *   0 = R(..., u),   0 = x - c          u in place of the operation, low <= u <= low + span,
 *
 * a nonholonomic row with the multiplier u (Filippov's convex combination where the equations are
 * linear in u; Utkin's equivalent control elsewhere). It is left where u reaches one of its ends,
 * and the operation goes on with the value of that end.
 *
 * So a switch that may slide has an element of its own behind all others, with one row, which is
 * off but while it slides. The discrete memory holds for each whether it slides, when it changed
 * last and from which value: a change back at the same time is where sliding begins, or one that
 * follows so soon that x cannot have been told from c since. */
#ifndef NUTATE_MODEL_SLIDING_H
#define NUTATE_MODEL_SLIDING_H

#include "model/model.h"

enum { NT_SLIDE_ON, NT_SLIDE_TIME, NT_SLIDE_BEFORE, NT_SLIDE_MEMORY };

/* Whether the operation's value can act on the rate of its argument: velocities or states are in
 * it, and no force. */
bool nt_switch_may_slide(const nt_model *model, const nt_switch *s);
/* Adds the elements, when all switches are known and before the model is laid out. */
nt_status nt_model_add_slides(nt_model *model);
/* Whether no load depends on such values but linearly. */
bool nt_model_slides_affinely(const nt_model *model);

/* The element of a signal that is a switch which may slide; -1: it is none. */
int nt_signal_slide(const nt_model *model, const nt_signal *signal);

/* Whether switch k slides with this memory (NULL: no); its value then, from the multipliers of the
 * view; and the derivative of that in the multiplier, with the combination's factor: 0 where it
 * does not slide. */
bool nt_slide_is_on(const nt_model *model, int k, const double *memory);
double nt_slide_value(const nt_view *view, int k);
double nt_slide_slope(const nt_view *view, int k);

/* The entries of a slide in the discrete memory; NULL where switch k has none. */
double *nt_slide_entries(const nt_model *model, int k, double *memory);
/* Begins with what is not known yet at a start, when values are: joints at rest stick. */
void nt_slides_begin(const nt_run *run, double *memory);
/* Whether switch k is of the friction of a joint that does not hold its bodies: nobody looks at it.
 * And the switches of a joint that is released: they slide no more. */
bool nt_switch_waits(const nt_run *run, int k, const double *memory);
void nt_slide_release(const nt_model *model, int joint, double *memory);
/* Switch k slides from now on, or goes on with a value; it has not changed yet. */
void nt_slide_set(const nt_model *model, int k, bool on, double value, double *memory);
/* How far the value is within its ends, below 0 outside; as the variables stand. */
double nt_slide_inside(const nt_run *run, int k, double low);

/* Switch k, which does not slide, leaves its value `from` for another at a point, which its
 * argument passes at a rate; true: this is a change back at the same time, and it slides from now
 * on. */
bool nt_slide_takes(const nt_model *model, int k, double from, double to, double rate,
                    nt_instant *instant);
/* It slides and has reached an end: it goes on with the value there. */
void nt_slide_leaves(nt_run *run, int k, nt_instant *instant);

/* "sliding begins: 'value' at 12:5", "joint rail sticks" and their ends, by the numbers of
 * occurrences behind those of events; NULL: there is none of this number. */
const char *nt_slide_word(const nt_model *model, int number);

#endif
