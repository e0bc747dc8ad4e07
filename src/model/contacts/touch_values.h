/* Numbers of a contact that can be recorded, for contacts and for those of bearings. */
#ifndef NUTATE_MODEL_TOUCH_VALUES_H
#define NUTATE_MODEL_TOUCH_VALUES_H

#include "model/contacts/touch.h"

typedef enum nt_touch_value {
    NT_TOUCH_INDENTATION,  /* m; negative: the distance                              */
    NT_TOUCH_RATE,         /* m/s, of the indentation, of the distance where apart   */
    NT_TOUCH_NORMAL_FORCE, /* N                                                      */
    NT_TOUCH_FRICTION,     /* N                                                      */
    NT_TOUCH_SLIDING,      /* m/s                                                    */
    NT_TOUCH_SPIN,         /* rad/s                                                  */
    NT_TOUCH_ANGLE,        /* rad, of the normal from the plane of a circle; else 0  */
    NT_TOUCH_MAJOR,        /* m, semi-axes; 0 where no ellipse is known              */
    NT_TOUCH_MINOR,
    NT_TOUCH_PRESSURE, /* Pa                                                     */
    NT_TOUCH_FILM,     /* m, least thickness; 0 without a film                   */
    NT_TOUCH_POWER,    /* W, never positive                                      */
} nt_touch_value;

/* axis: of the skeleton. */
double nt_touch_number(nt_touch_value which, const nt_touch *touch, const nt_touch_law *law,
                       nt_traction_law traction, v3 axis);

#endif
