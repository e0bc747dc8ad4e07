/* delay(x, tau) in expressions: x as it was the time tau ago.
 *
 * Its history lies in memory: points (t, x, x') of accepted steps, between which x is a cubic.
 * Where x or x' jumps there are two points of one time, and a stop when that comes back. What was
 * before the start counts as x at the start. As tau is no shorter than a step, only the past is
 * asked for: where it is not, the delay has no value. */
#ifndef NUTATE_MODEL_DELAY_H
#define NUTATE_MODEL_DELAY_H

#include "model/model.h"

/* Adds one: index of its signal, or -2: memory is out. text[length]: as it is written. */
int nt_model_delay(nt_model *model, const nt_expression *of, const nt_expression *by,
                   const char *text, int length, const char *key, nt_place place);

/* The delay that is written so, -1 where there is none. */
int nt_model_find_delay(const nt_model *model, const char *text, int length);

/* The kind of a signal that is a delay. */
enum { NT_SIGNAL_DELAY = -2 };

/* Entries of memory from `first` on for all of them; how many. */
int nt_model_lay_out_delays(nt_model *model, int first);

/* Refuses delays that are not above zero or shorter than the step of the model. */
nt_status nt_run_check_delays(const nt_run *run, nt_error *error);
/* The longest step, s, that a method may choose: so many lie within the shortest delay that the
 * cubics between its points, whose error no tolerance sees, are good; infinite: there is none. */
double nt_run_delay_step(const nt_run *run);

/* Whether what delays keep from the start on depends on the variables whose rates are not zero. */
bool nt_run_delays_use(const nt_run *run, const double *rates);

/* The first time after t at which the start comes back as a kink, or a jump or a bend of x does;
 * infinite: none that matters. */
double nt_run_delay_stop(const nt_run *run, double t, const double *memory);
/* Whether the start comes back at t for the first time, or a bend does: there the derivatives of
 * accelerations in the delay's length jump by x' times those in the delayed value. */
bool nt_run_delay_bends(const nt_run *run, double t, const double *memory);
/* A jump that comes back at an instant: the next of them, and what has its time in memory. */
void nt_run_delay_returns(const nt_run *run, nt_instant *instant);

/* out: the value and its derivative in time. Not a number where the past is not known. */
void nt_delay_look(const nt_view *view, int k, double out[2]);
/* The derivative in a parameter at a fixed history; rates: of the variables. */
double nt_delay_rate(const nt_view *view, int k, const double *rates);

/* After an accepted step: next[n_memory]. */
void nt_delay_accept(nt_run *run, const nt_view *view, int k, double *next);
/* After what has happened at a time (nt_events.settle). */
void nt_delay_settle(nt_run *run, const nt_view *view, int k, double time, const double *as,
                     double *memory);

#endif
