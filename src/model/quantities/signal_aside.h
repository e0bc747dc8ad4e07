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
};

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

#endif
