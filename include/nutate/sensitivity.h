/* Sensitivities: how the computed motion changes with parameters.
 *
 * After each step the derivative of the step's own algorithm is one more linear solve with the
 * exact tangent at the converged state (Bruls & Eberhard 2008): no second run, no step size to
 * choose. The sizes of steps are held: what is differentiated is the scheme with the steps that it
 * took.
 *
 * Threads. A sensitivity belongs to the thread that its integrator belongs to. */
#ifndef NUTATE_SENSITIVITY_H
#define NUTATE_SENSITIVITY_H

#include <nutate/method.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nt_sensitivity nt_sensitivity;

/* How a state varies per unit of one parameter, in the system's frame. The arrays belong to the
 * nt_sensitivity and show that until the next step of the integrator or the next call on either.
 * nt_state_tangent_copy makes one that lives longer. */
typedef struct nt_state_tangent {
    const double *q;      /* [nv] increment of q; rotations as rotation vectors, rad per unit */
    const double *v;      /* [nv]                                                             */
    const double *vdot;   /* [nv]                                                             */
    const double *lambda; /* [nh]                                                             */
    const double *mu;     /* [nn]                                                             */
    const double *memory; /* [n_memory]                                                       */
    double work;          /* J per unit; 0 where the integrator does not follow work          */
} nt_state_tangent;

/* Copy one into numbers[nt_state_room(system)], memory of the caller's, as nt_state_copy does. */
NT_API nt_status nt_state_tangent_copy(nt_state_tangent *copy, double *numbers,
                                       const nt_system *system, const nt_state_tangent *tangent);

/* Attach to an integrator, whose system has parameters (NT_HAS_PARAMETERS) and whose method has a
 * linearised step. parameters[n]: their numbers in the system. From then on every step of the
 * integrator carries the sensitivities along; a failure of theirs fails the step, with words. The
 * integrator must outlive this. One per integrator. NT_UNSUPPORTED with what is missing. */
NT_API nt_status nt_sensitivity_create(nt_sensitivity **sensitivity, nt_integrator *integrator,
                                       const int *parameters, int n, nt_error *error);
NT_API void nt_sensitivity_destroy(nt_sensitivity *sensitivity);

/* How many parameters it carries, and the number in the system of parameter i among them; -1 where
 * there is no parameter i. */
NT_API int nt_sensitivity_count(const nt_sensitivity *sensitivity);
NT_API int nt_sensitivity_parameter(const nt_sensitivity *sensitivity, int i);

/* Begin, right after nt_integrator_start: derivatives of the system's own initial values (zero
 * where it has no `initial`), accelerations and multipliers. */
NT_API nt_status nt_sensitivity_start(nt_sensitivity *sensitivity, nt_error *error);

/* The same with given derivatives of the initial values, in the system's frame: dq[n][nv]
 * (increments), dv[n][nv]; either may be NULL for zero. They must be consistent: Phi_q dq + Phi_p =
 * 0. */
NT_API nt_status nt_sensitivity_start_from(nt_sensitivity *sensitivity, const double *dq,
                                           const double *dv, nt_error *error);

/* All of it as size bytes, bit for bit, to be restored right after the integrator's state that was
 * saved with it. A sensitivity may take up some of the parameters that were saved, in any order.
 * NT_INVALID with words, and the sensitivity as it was, where one is missing, or where the bytes
 * are of another system, method or time; after other failures it has not begun. */
NT_API size_t nt_sensitivity_saved_size(const nt_sensitivity *sensitivity);
NT_API void nt_sensitivity_save(const nt_sensitivity *sensitivity, void *bytes);
NT_API nt_status nt_sensitivity_restore(nt_sensitivity *sensitivity, const void *bytes, size_t size,
                                        nt_error *error);

/* The tangent of the present state with respect to parameter i of those given to create. Without
 * arrays, and work NaN, where there is no parameter i. */
NT_API nt_state_tangent nt_sensitivity_state(nt_sensitivity *sensitivity, int i);

/* The derivative of the time at which something happened last (nt_events), s per unit of parameter
 * i; 0 where that time is given, where nothing has happened yet, and where there is no parameter i.
 */
NT_API double nt_sensitivity_event_time(const nt_sensitivity *sensitivity, int i);

/* The tangent at a time t (s) inside the last step: the derivative of what nt_integrator_dense
 * gives. NT_INVALID outside; for methods with dense output of their own also in a step from before
 * nt_sensitivity_restore. */
NT_API nt_status nt_sensitivity_dense(nt_sensitivity *sensitivity, int i, double t,
                                      nt_state_tangent *tangent);

/* The derivative of nt_integrator_balance: *tangent, of the state that was given there, becomes
 * that of `state`, what came of it. Its arrays live until another tangent is asked for. */
NT_API nt_status nt_sensitivity_balance(nt_sensitivity *sensitivity, int i, const nt_state *state,
                                        nt_state_tangent *tangent, nt_error *error);

/* Derivative of nt_integrator_reactions with respect to parameter i at a state and its tangent, as
 * the integrator and the functions above show them: out[nh + nn]. Allocates where rows are
 * redundant. */
NT_API nt_status nt_sensitivity_reactions(nt_sensitivity *sensitivity, int i, const nt_state *state,
                                          const nt_state_tangent *tangent, double length,
                                          double *out, nt_error *error);

/* The largest estimated relative error of a pseudo-load that had to be found by differences of the
 * residual, for parameter i; 0 where all were analytic or exact, NaN where there is no parameter i.
 */
NT_API double nt_sensitivity_difference_error(const nt_sensitivity *sensitivity, int i);

#ifdef __cplusplus
}
#endif
#endif
