/* Methods that are composed of kicks and drifts (momenta.h): step and derivative of all of them.
 *
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), section 3 */
#ifndef NUTATE_METHOD_COMPOSITION_H
#define NUTATE_METHOD_COMPOSITION_H

#include "method/rotations/momenta.h"

/* A step of h as kicks and drifts: for each of its parts part[i] h a kick over `first` of it,
 * `drifts` equal drifts, the push that ends a kick over `last` of it, and that kick. */
typedef struct nt_composition {
    const double *part; /* [stages], nt_whole_step where there is one */
    int stages, drifts;
    double first, last;
    bool on_vector_space; /* the push is the acceleration: nothing in memory */
} nt_composition;

extern const double nt_whole_step[1];

/* The slots of a method whose `scheme` is an nt_composition, or, where it has the option `adjoint`,
 * two of them, the second for its adjoint. It has the options of nt_push_options too, or needs
 * forces of position alone. Step and derivative follow the same composition. `linearise` is
 * NT_UNSUPPORTED without a tangent. */
nt_status nt_composition_layout(const nt_problem *problem, const nt_options *options,
                                nt_layout *layout, nt_error *error);
nt_status nt_composition_step(nt_stepper *stepper, double h);
nt_status nt_composition_linearise(nt_stepper *stepper, double h, const nt_directions *directions,
                                   const double *before, double *after);

#endif
