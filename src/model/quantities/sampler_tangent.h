/* Derivatives of recorded quantities along a direction: many of them at one state. */
#ifndef NUTATE_MODEL_SAMPLER_TANGENT_H
#define NUTATE_MODEL_SAMPLER_TANGENT_H

#include "model/quantities/quantity.h"

typedef struct nt_tangent_sampler {
    nt_sampler sampler;
    int columns;
    double *q, *step, *v, *vdot, *multipliers, *reactions, *memory;  /* a place beside the state */
    double *here, *plus, *minus, *sixth, *fourth, *rounding, *doubt; /* [columns]                */
    double *gap, *noise; /* [columns] of fourth to sixth order at the step before; rounding that
                            gaps show */
} nt_tangent_sampler;

/* What is differentiated where and along what; nothing is owned. */
typedef struct nt_sample_direction {
    const nt_quantity_info *quantities; /* [n] */
    int n;
    const nt_state *state;
    const double *reactions, *reaction_rates; /* [nh + nn] or NULL */
    const nt_state_rate *rate;
} nt_sample_direction;

/* Take memory for `columns` columns in all. NT_NO_MEMORY. */
nt_status nt_tangent_sampler_init(nt_tangent_sampler *sampler, nt_run *run, int columns,
                                  nt_arena *arena, nt_error *error);

/* See nt_run_sample_tangent: out[columns]. Allocates only where the parameter is not prepared. */
nt_status nt_tangent_sampler_take(nt_tangent_sampler *sampler, const nt_sample_direction *direction,
                                  double *out, nt_error *error);

#endif
