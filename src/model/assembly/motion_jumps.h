/* Prescribed motions that jump in time, or whose rates do. */
#ifndef NUTATE_MODEL_MOTION_JUMPS_H
#define NUTATE_MODEL_MOTION_JUMPS_H

#include "model/model.h"

typedef struct nt_motion_jump {
    double t;       /* s, the first time                                    */
    double by;      /* rad or m; rad/s or m/s; rad/s^2 or m/s^2             */
    int derivative; /* 0: the motion itself, 1: its rate, 2: its acceleration */
} nt_motion_jump;

/* Whether a function of t jumps between start and end, of value, else of rate, else of
 * acceleration. is_angle: whole turns are no jump. Says no where memory is out. */
bool nt_motion_jumps(const nt_model *model, const nt_expression *motion, bool is_angle,
                     double start, double end, nt_motion_jump *found);

#endif
