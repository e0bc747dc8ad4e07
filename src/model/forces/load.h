/* What the force elements share: points on bodies, tangent rows, and functions of signals.
 *
 * A load puts forces and moments on the nodes of two bodies, A and B (a load on one body: A is the
 * ground). A force f on a body enters the residual R = M vdot - f as -f. */
#ifndef NUTATE_MODEL_LOAD_H
#define NUTATE_MODEL_LOAD_H

#include "model/model.h"

enum { NT_PAIR_NODES = NT_R_B + 1 }; /* of two bodies: the first ports */

/* Sets of them, one bit each. */
enum {
    NT_ROTATION_OF_B = 1 << NT_R_B,
    NT_MOTION_OF_B = 1 << NT_T_B | 1 << NT_R_B,
    NT_BOTH_ROTATIONS = 1 << NT_R_A | 1 << NT_R_B,
    NT_BOTH_MOTIONS = (1 << NT_PAIR_NODES) - 1,
};

/* Laws of dry friction, as nt_friction_laws names them. */
typedef enum nt_friction_law { NT_FRICTION_REGULARISED, NT_FRICTION_SET_VALUED } nt_friction_law;
extern const char *const nt_friction_laws[];

/* Blocks between these ports. */
nt_status nt_load_declare(nt_model *model, nt_element *element, unsigned rows, unsigned columns);

/* NT_BAD_MODEL at the element's place, with its type and name before the words. */
nt_status nt_load_refuse(const nt_model *model, const nt_element *element, nt_error *error,
                         const char *format, ...) NT_PRINTF(4, 5);
/* Refuses likewise, at the place of a key of the element, such as "material.E", or of the nearest
 * one above it where the file does not give it. */
nt_status nt_load_refuse_key(const nt_model *model, const nt_element *element, const char *key,
                             nt_error *error, const char *format, ...) NT_PRINTF(5, 6);

/* Refused when `validate` and the joint, which must be prepared, has no free angle (translation: no
 * free displacement). */
nt_status nt_load_on_joint(const nt_run *run, const nt_element *element, int joint,
                           bool translation, bool validate, nt_error *error);

/* Whether a joint's friction and limits make sense; NT_BAD_MODEL at its place (joint_load.c). */
nt_status nt_joint_load_check(const nt_run *run, const nt_element *joint, nt_error *error);

/* Whether one of functions[count] depends on a velocity. */
bool nt_load_uses_rates(const nt_model *model, const nt_expression *const *functions, int count);

/* ---- points --------------------------------------------------------------------------------- */

/* A point of a body, from its reference point in body axes. `place` is in ground axes at the given
 * placement, or a marker. A marker of another body is refused when `validate`. */
nt_status nt_load_point(const nt_run *run, const nt_element *element,
                        const nt_place_of_point *place, int body, bool validate, v3 *offset,
                        nt_error *error);

/* The place of that point in ground axes, at the given placement. */
v3 nt_load_ground_point(const nt_run *run, int body, v3 offset);

/* A point of a moving body; ground axes. */
typedef struct nt_spot {
    v3 rho, p, pdot; /* from the reference point; position; velocity */
} nt_spot;

static inline nt_spot nt_spot_of(const nt_motion *motion, v3 offset)
{
    v3 rho = m3_apply(motion->R, offset);
    return (nt_spot){rho, v3_add(motion->x, rho), v3_add(motion->v, v3_cross(motion->w, rho))};
}

/* ---- tangents ------------------------------------------------------------------------------- */

/* Derivative of a vector in the variations of A and B: q[] along (dx, dtheta) at fixed velocities,
 * v[] along the velocities (v, w); both in the order of the nodes. */
typedef struct nt_pair_derivative {
    m3 q[NT_PAIR_NODES], v[NT_PAIR_NODES];
} nt_pair_derivative;

/* target += factor * d */
void nt_pair_accumulate(nt_pair_derivative *target, m3 factor, const nt_pair_derivative *d);

/* Adds the tangent of the residual of node `row`. */
void nt_pair_add(const nt_element *element, const nt_view *view, int row,
                 const nt_pair_derivative *d);

/* ---- functions of signals ------------------------------------------------------------------- */

/* A signal that the functions of a load depend on, and the ports of its bodies: of their
 * translations; the rotations' are the next ones. Or the port of the state that it is; -1: none. */
typedef struct nt_coupled_signal {
    int signal;
    int port[2];
    int state;
    int slide;  /* the port of the multiplier by which a switch slides; -1: it does not */
    int *ports; /* of a signal that is a load: those that are its element's, in their order */
} nt_coupled_signal;

typedef struct nt_coupling {
    int n;
    const nt_coupled_signal *signals; /* [n] */
} nt_coupling;

/* Finds the signals in functions[count] and adds the ports of their bodies; then, when all ports
 * are there, the blocks (rows, bodies of the signals). */
nt_status nt_coupling_find(nt_coupling *coupling, nt_model *model, nt_element *element,
                           const nt_expression *const *functions, int count);
nt_status nt_coupling_declare(const nt_coupling *coupling, nt_model *model, nt_element *element,
                              unsigned rows);

/* value[count] of the functions, and where the tangent is wanted their derivatives in the signals,
 * [count][n] in view->scratch. NT_NOT_FINITE where a function has no value. */
nt_status nt_coupling_evaluate(const nt_coupling *coupling, const nt_view *view,
                               const nt_expression *const *functions, int count, double *value);

/* Adds the tangent through signal k of the list; direction[] is the derivative of the residual of
 * each node in that signal. */
void nt_coupling_add(const nt_coupling *coupling, const nt_view *view, int k,
                     const v3 direction[NT_PAIR_NODES]);

/* The same of a row of one number, by its port: slope is its derivative in the signal. */
void nt_coupling_add_row(const nt_coupling *coupling, const nt_view *view, int k, int row,
                         double slope);

/* Three functions are a vector: its derivative in signal k. */
static inline v3 nt_coupling_slope(const nt_coupling *coupling, const nt_view *view, int k)
{
    const double *slope = view->scratch + k;
    return v3_of(slope[0], slope[coupling->n], slope[2 * coupling->n]);
}

#endif
