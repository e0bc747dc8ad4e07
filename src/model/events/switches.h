/* Operations of the model's expressions that jump: what they give is held from stop to stop.
 *
 * A switch is an operation such as a < b, floor(x) or a table of steps. While the model moves its
 * value stands in the discrete memory, among the variables it is a signal like a recorded quantity,
 * and no step sees it change. Where memory has no number there the operation itself is evaluated:
 * so analyses without time see the expression as it is written. */
#ifndef NUTATE_MODEL_SWITCHES_H
#define NUTATE_MODEL_SWITCHES_H

#include "model/model.h"

#include <math.h>

/* Adds one, for nt_symbols.hold. key and place: of the expression, for messages. */
int nt_model_switch(nt_model *model, int operation, const nt_expression *argument,
                    const nt_table *table, const char *key, nt_place place);

/* The variable of one that is the same, word for word, and may slide; -1: there is none. Where it
 * slides both then have the value between its two. */
int nt_model_find_sliding(const nt_model *model, int operation, const nt_expression *argument,
                          const nt_table *table);

/* The column of a record that shows what loads see of one which may slide; the argument has
 * columns in place of signals. piece: of the one behind it. -1: there is none. */
int nt_model_find_shown(nt_model *model, int operation, const nt_expression *argument,
                        const nt_table *table);
int nt_model_piece_shown(nt_model *model, int column);

/* The kind of a signal that is a switch; and of the one behind it where a table by `previous` may
 * slide: the point below. */
enum { NT_SIGNAL_SWITCH = -1, NT_SIGNAL_PIECE = -3 };

/* A switch whose argument does not depend on the motion. */
static inline bool nt_signal_is_of_time(const nt_model *model, const nt_signal *signal)
{
    return signal->kind == NT_SIGNAL_SWITCH && !model->switches[signal->object].moves;
}

/* The value of switch k as the variables stand. */
double nt_switch_value(const nt_run *run, int k, const double *variables);
/* Its argument, as the run's variables stand. */
double nt_switch_argument_now(const nt_run *run, int k);
/* What its indicator says while `held` is held, see nt_events. */
double nt_switch_inside(const nt_run *run, int k, double held, const double *variables);
/* The time by which all that bend at t have surely left that on a side (-1 before, 1 behind), s: 0
 * where none bends there. */
double nt_switches_leave_by(const nt_run *run, double t, int side);
/* Whether the times at which arguments j and k, of time alone, pass a point, t now, follow all
 * parameters alike. */
bool nt_switches_pass_alike(const nt_run *run, int j, int k, double t);
/* Whether functions of time bend at a stop t; *which: the one whose zero it is, -1: of several
 * whose times follow parameters differently. */
bool nt_switches_bend(const nt_run *run, double t, int *which);
/* The first time in (t, end] at which its argument passes a point; infinite: none is known.
 * behind: t, or as long after it as all that bend there take to leave it. h: the step that is asked
 * for, s. */
double nt_switch_next(const nt_run *run, int k, double t, double behind, double end, double h);

/* The first point at which the operation bends or jumps, above x or (up false) below. */
double nt_switch_next_point(const nt_switch *s, double x, bool up);
/* Value, rate and second derivative of an argument that depends on time alone. */
void nt_switch_argument(const nt_run *run, int k, double t, double jet[3]);

/* Where functions of time bend a step that ends there sees them as they are before, and one that
 * begins there as they are behind. The memory holds the stop behind which the motion is, and the
 * one before which it is, each with the time, s, by which arguments have surely left it: closer to
 * a stop than that, functions are looked at so far from it. */
enum { NT_SIDE_MEMORY = 4 };
void nt_switches_forget_sides(const nt_model *model, double *memory);
void nt_switches_take_side(nt_run *run, double t, bool behind, double *memory);
static inline double nt_switch_clock(const nt_model *model, double t, const double *memory)
{
    if (model->side_memory < 0 || !memory)
        return t;
    const double *behind = memory + model->side_memory, *before = behind + 2;
    if (fabs(t - before[0]) <= before[1])
        return before[0] - before[1];
    return fabs(t - behind[0]) <= behind[1] ? behind[0] + behind[1] : t;
}

/* "a comparison in value at 12:5" into text[size]. */
void nt_switch_word(const nt_model *model, int k, char *text, int size);

/* How far variables may change along rates, down (room[0]) and up (room[1]), before a function of
 * time as it is seen at t passes a point at which it bends: the change moves that point, or
 * the place on the function. Where t is looked at beside a stop one of them is next to nothing. */
void nt_switches_room(nt_run *run, double t, const double *memory, const double *rates,
                      double room[2]);

#endif
