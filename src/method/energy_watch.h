/* The watch on energy: see energy_watch.c. */
#ifndef NUTATE_METHOD_ENERGY_WATCH_H
#define NUTATE_METHOD_ENERGY_WATCH_H

#include <nutate/method.h>
#include <stdbool.h>

/* What it remembers from look to look; part of a saved state. */
typedef struct nt_energy_watch {
    bool begun;                /* a first look was made                       */
    bool closely;              /* work is followed along the steps            */
    double t, power;           /* at the last look: s, W                      */
    double kinetic, potential; /* J, there                              */
    double in_step; /* J, by which the larger of both changed in a step since the look before */
    int explosions; /* of the last looks, those at which what was exchanged had exploded        */
    long steps;     /* of the run, up to the last look             */
    long spent;     /* evaluations that steps took, not looks of others, since the last look */
    double given, doubt; /* J, by loads where they give, and how far off that may be */
    double first;        /* J, energy where the watch began */
    double least; /* J, smallest of energy less what was given, with what its step exchanged */
    double kinetic_range[2], potential_range[2]; /* J, smallest and largest                   */
    double noise;           /* J, what rounding of places makes of the energy */
    double growth, allowed; /* J, where the quotient was largest; the run ends beyond 1 */
} nt_energy_watch;

/* At the end of a step that stands: a look, when it is due. NT_ENERGY and words where the energy
 * has grown without a cause, in a setup that such a run is to end in. */
nt_status nt_energy_watch_step(nt_integrator *integrator, nt_error *error);

/* A state that later ones are compared with, to say who gained energy. */
struct nt_phase;
void nt_energy_watch_keep(nt_integrator *integrator, const struct nt_phase *phase);

#endif
