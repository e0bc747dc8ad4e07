/* Bodies: what the file says of them, and what follows from it. */
#ifndef NUTATE_MODEL_BODY_NUMBERS_H
#define NUTATE_MODEL_BODY_NUMBERS_H

#include "base/vector3.h"

#include <nutate/element.h>

/* ---- bodies -----------------------------------------------------------------------------------
 */

enum { /* bits of nt_body.given */
       NT_GIVEN_MASS = 1 << 0,
       NT_GIVEN_INERTIA = 1 << 1,
       NT_GIVEN_CENTER = 1 << 2,
       NT_GIVEN_POSITION = 1 << 3,
       NT_GIVEN_QUATERNION = 1 << 4,
       NT_GIVEN_ROTATION_VECTOR = 1 << 5,
       NT_GIVEN_AXIS = 1 << 6,
       NT_GIVEN_ANGLE = 1 << 7,
       NT_GIVEN_MATRIX = 1 << 8,
       NT_GIVEN_VELOCITY = 1 << 9,
       NT_GIVEN_ANGULAR_VELOCITY = 1 << 10,
       NT_GIVEN_VELOCITY_FRAME = 1 << 11,
       NT_GIVEN_FIXED_POINT = 1 << 12,
       NT_GIVEN_POINT = 1 << 13,
       NT_GIVEN_ANGLES = 1 << 14,
       NT_GIVEN_SEQUENCE = 1 << 15,
       NT_GIVEN_ORIENTATION = NT_GIVEN_QUATERNION | NT_GIVEN_ROTATION_VECTOR | NT_GIVEN_AXIS |
                              NT_GIVEN_MATRIX | NT_GIVEN_ANGLES,
};

/* Body 0 is the ground: no nodes, never moves. A body's reference point is its centre of mass, or
 * its fixed point; `x` of the state is the reference point's position.
 *
 * A point (`point: true`) is a body without rotation: it has no node, no unknowns and no state of
 * one, and its motion has R = I, w = 0 for ever. Elements are written for bodies that turn; what
 * they add to a rotation goes nowhere where there is none. So that nothing is lost that way, no
 * element may act on a point but at its place: elements refuse whatever would turn it. */
typedef struct nt_body {
    unsigned given;

    /* what every evaluation reads, together: the state's layout, and derived values */
    int t_node, r_node; /* nodes of the pattern; -1 where there is none                      */
    int q, v;           /* first entry in q and v: translation then rotation                 */
    int rotation;       /* number of the rotation in the space, -1 for the ground, for points */
    int tt_slot, rr_slot;
    int tt_scaled; /* nothing but the mass is in the block of the translation                 */
    double mass;
    m3 J; /* inertia about the reference point, body axes                                    */

    /* derived by nt_body_prepare */
    v3 reference; /* of the reference point from the origin, body axes                       */
    v3 center;    /* of the centre of mass from the reference point, body axes               */
    v3 x0;        /* initial reference position (after assembly), ground axes                */
    quat q0;      /* initial orientation (after assembly)                                    */
    v3 v0, w0;    /* initial velocity of the reference point, angular velocity; ground axes  */

    /* as the file gives it (keys in body.c) */
    double inertia[6]; /* about the centre of mass, body axes: xx yy zz xy xz yz */
    int inertia_count; /* 3 or 6 */
    double center_of_mass[3];
    double position[3];
    union { /* the one orientation that is given */
        double quaternion[4], rotation_vector[3], matrix[9], angles[3];
        struct {
            double axis[3], angle;
        };
    };
    double velocity[3], angular_velocity[3];
    int angular_velocity_frame; /* 0 body, 1 ground */
    int sequence;               /* of Euler angles, see euler.h */
    double fixed_point[3];
    int point;   /* true: without rotation */
    int carried; /* true: its inertia is that of an element, and its mass zero */

    const struct nt_shapes *shapes; /* NULL: the file gives none */
    const char *name;
    nt_place place;
} nt_body;

extern const nt_key nt_body_keys[];

/* Derived values from the given ones. validate: check mass, inertia, unit axes (derivatives in
 * parameters perturb without). */
nt_status nt_body_prepare(nt_body *body, const char *file, bool validate, nt_error *error);

#endif
