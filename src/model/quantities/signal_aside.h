/* Where forces that loads follow are differentiated, an element at a time. */
#ifndef NUTATE_MODEL_SIGNAL_ASIDE_H
#define NUTATE_MODEL_SIGNAL_ASIDE_H

#include "model/quantities/signal.h"

struct nt_aside {
    nt_local local;
    double *scratch;      /* [model->scratch]      */
    double *gradient;     /* [model->most_entries] */
    nt_motion *motion;    /* [n_bodies] at velocities of one's own, for energies */
    double *v, *no_force; /* [nv], [nh + nn] zero where nothing is under way     */
    double *q, *lambda;   /* [nq], [nh + nn] of a point that is moved            */
    double *whole;        /* [nv] derivatives of the whole model                 */
    double *field;        /* [nv] velocities along which momentum counts         */
};

/* Components of energies, in the order of their names. */
enum { NT_KINETIC, NT_POTENTIAL, NT_TOTAL, NT_WORK };

/* The terms of the element alone at the view's point, in aside->local: its tangent with the factors
 * of the combination at hand, where it `varies`, and where it `pushes` its residual. False where it
 * has no value. */
bool nt_aside_evaluate(struct nt_aside *aside, const nt_element *element, const nt_view *view,
                       bool varies, bool pushes);

/* Adds the derivatives of the element's power, or of its potential energy, in all entries of its
 * ports to aside->gradient. */
void nt_aside_follow_power(const nt_signal *signal, const nt_element *element, const nt_view *view,
                           struct nt_aside *aside);
void nt_aside_follow_energy(const nt_element *element, const nt_view *view, struct nt_aside *aside);
/* Follows the energy of an element with inertia that the signal's component names. */
void nt_aside_follow_energies(const nt_signal *signal, const nt_element *element,
                              const nt_view *view, struct nt_aside *aside);
/* Follows what an element shows of itself (signal_spread.c). */
void nt_aside_follow_spread(const nt_signal *signal, const nt_element *element, const nt_view *view,
                            struct nt_aside *aside);
/* Derivatives of a signal of the whole model, in all entries of v, into aside->whole. */
void nt_aside_follow_whole(const nt_signal *signal, const nt_view *view, struct nt_aside *aside);

/* gradient += factor u . (rows of the tangent), u[nv] by entries of v. */
void nt_aside_add_rows(const nt_local *local, const double *u, double factor, double *gradient);
/* gradient += what a change by x of the port's velocity gives: c x, or W^T x of a rotation. */
void nt_aside_add_rate(const nt_view *view, const nt_port *port, const double *x, double *gradient);

#endif
