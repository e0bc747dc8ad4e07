/* The derivative of a step in its length, by the step's own linear map.
 *
 * Let time be measured in another unit from the begin of the step on, t = t0 + E (tau - t0). In tau
 * a step of length E h of
 *
 *   0 = R(vdot, v, q, lambda, mu, t),   0 = Phi(q, t),   0 = kappa(v, q, t)
 *
 * is one of length h of the system
 *
 *   0 = E^2 R(vdot/E^2, v/E, q, lambda/E^2, mu/E^2, t),   0 = Phi,   0 = E kappa(v/E, q, t),
 *
 * for no method takes notice of the unit of time. So the length is a direction like a parameter:
 * with E = 1 + eps its load is the derivative of this system in eps, the state at the begin varies
 * by (0, v0, 2 vdot0, 2 lambda0), and from what linearise makes of it at the end
 * (0, v1, 2 vdot1, 2 lambda1) is subtracted again; all of it divided by h. Unknowns of first order
 * do not change with the unit, their rates do once. Memory of methods holds accelerations and
 * forces, which change like vdot. Where a formula reaches back over earlier steps, as those of
 * `bdf`, the polynomial through them is read in the new unit: E P'(t0 + E (tau - t0)) and so on.
 *
 * Loads are differenced in E, R's derivative in t among them: by the formula of sixth order at
 * steps of 2e-3, whose truncation and rounding errors are about 1e-13 of R. Internal. */
#ifndef NUTATE_SENSITIVITY_STEP_LENGTH_H
#define NUTATE_SENSITIVITY_STEP_LENGTH_H

#include "method/integrator.h"

/* A direction that is the length of the step now -> next of a stepper. */
typedef struct nt_length_direction {
    const nt_stepper *stepper;
    double origin; /* s, t0: the time that stays where it is in every unit */
    double h;      /* s */
    size_t kept;   /* of method memory: what varies in it, as in a variation */
    double *work;  /* [nt_length_direction_work] */
} nt_length_direction;

size_t nt_length_direction_work(const nt_problem *problem);
/* nt_directions.load of this direction. */
nt_status nt_length_direction_load(const nt_length_direction *length, const nt_point *at,
                                   const nt_terms *terms);

/* The derivative of the last accepted step of an integrator, whose state at its begin is held. */
typedef struct nt_step_length nt_step_length;

/* Everything is allocated here; the integrator must outlive it. NT_UNSUPPORTED, in words, where the
 * method has no linearised step. A method that keeps a history of steps (`bdf`) follows it from its
 * next beginning on: create this before nt_integrator_start. */
nt_status nt_step_length_create(nt_step_length **length, nt_integrator *integrator,
                                nt_error *error);
void nt_step_length_destroy(nt_step_length *length);

/* d(q, v, vdot, lambda, mu, method memory)/dh at the step's end, in the problem's frame, per s;
 * arrays of the nt_step_length, until the next call. The system's memory is not varied: 0, and
 * steps before keep their lengths. NT_INVALID before the first step, NT_UNSUPPORTED where a history
 * of steps was not followed from its beginning. */
nt_status nt_step_length_tangent(nt_step_length *length, nt_variation *tangent);

#endif
