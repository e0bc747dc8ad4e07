/* Signals: recorded quantities that loads may depend on. */
#ifndef NUTATE_MODEL_SIGNAL_H
#define NUTATE_MODEL_SIGNAL_H

#include "model/model.h"

/* The number of the signal of this name, one number of a quantity that depends on positions and
 * velocities alone ("body.position.x", "hinge.rate"); added where it is new. Bodies, markers and
 * the types and names of joints must be in the model already, and joints must keep their numbers.
 * name[length] need not be terminated. -1: there is none of this name; -2: memory is out. */
int nt_model_signal(nt_model *model, const char *name, int length);

/* A signal that holds the value of switch k (switches.h). -2: memory is out. */
int nt_model_switch_signal(nt_model *model, int k);

/* The i-th name of a signal of an object, "body.velocity.x", into text[size]: its length, 0 where
 * there is none. */
int nt_model_signal_name(const nt_model *model, const char *object, int i, char *text, int size);

/* The bodies of a signal, when those of joints are known. */
void nt_signal_bind(const nt_model *model, nt_signal *signal);

/* Where loads follow forces and reactions: nothing that others follow may itself follow a force
 * (NT_BAD_MODEL at its place), and reactions must be unique, where the run's model is placed. */
nt_status nt_signals_check(nt_model *model, nt_error *error);
nt_status nt_signals_check_reactions(nt_run *run, nt_error *error);
/* Whether it is the force of a joint's multipliers. */
bool nt_signal_is_reaction(const nt_model *model, const nt_signal *signal);
/* Whether forces depend on multipliers, so that the equations are not affine in these. */
bool nt_signals_follow_reactions(const nt_model *model);

/* The derivative of a signal that is a load, in all entries of the ports of its element, with the
 * combination's factors: valid until the next call with the same view. */
const double *nt_signal_follow(const nt_signal *signal, const nt_view *view);

/* The body of a signal that is one of a body or of a marker; -1 for one of a joint, or a
 * switch. */
int nt_signal_body(const nt_model *model, const nt_signal *signal);

/* Whether it changes in an instant alone: a switch, a sampled value. */
bool nt_signal_is_held(const nt_signal *signal);

/* The derivative of its value in time; not a number where that needs accelerations that the point
 * does not have. */
double nt_signal_rate(const nt_signal *signal, const nt_view *view);

/* Why no load can depend on a quantity of this name, a sentence's end; NULL: it is no quantity of
 * one number. */
const char *nt_signal_refusal(const nt_model *model, const char *name, int length);

/* The value of a signal of the whole model (signal_whole.c); which elements' energies count in it,
 * where those that have followed[variables] do work alone. */
double nt_whole_value(const nt_signal *signal, const nt_view *view);
nt_status nt_whole_find_stores(nt_model *model, const double *followed);

/* The ports that a signal with is_load has derivatives in: those of its element, or all of the
 * model. */
bool nt_signal_is_spread(const nt_signal *signal); /* it has such, and is no force */
const nt_port *nt_signal_ports(const nt_model *model, const nt_signal *signal, int *n);
/* Whether port i of these is one of multipliers. */
bool nt_signal_port_reacts(const nt_model *model, const nt_signal *signal, int i);

/* A signal that is no quantity: its number, -2 when memory is out. */
int nt_model_added_signal(nt_model *model, int kind, int object);

/* The marker of a signal that is one of a marker; -1 for others. */
int nt_signal_marker(const nt_signal *signal);

#endif
