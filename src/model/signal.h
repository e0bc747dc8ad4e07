/* Signals: recorded quantities that loads may depend on. */
#ifndef NUTATE_MODEL_SIGNAL_H
#define NUTATE_MODEL_SIGNAL_H

#include "model/model.h"

/* The number of the signal of this name, which is added where it is new:
 *
 *   BODY.position.x, BODY.velocity.x   of the body's origin, ground axes
 *   BODY.orientation.w                 unit quaternion, w x y z
 *   BODY.angular_velocity.x            body axes
 *   MARKER.position.x, MARKER.velocity.x
 *   JOINT.angle, JOINT.displacement    free coordinates
 *   JOINT.rate                         of the angle; of the displacement where there is no angle
 *   JOINT.displacement_rate
 *
 * Bodies, markers and the types and names of joints must be in the model already, and joints must
 * keep their numbers. name[length] need not be terminated. -1: there is none of this name;
 * -2: memory is out. */
int nt_model_signal(nt_model *model, const char *name, int length);

/* Derived values of a signal (offset, bodies), after bodies and joints are prepared; again after
 * parameters change. */
void nt_signal_prepare(const nt_run *run, nt_signal *signal);

#endif
