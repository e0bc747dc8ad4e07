/* Shapes of bodies: for the eye alone, no part of the dynamics. */
#ifndef NUTATE_MODEL_SHAPES_H
#define NUTATE_MODEL_SHAPES_H

#include "model/bodies/body.h"

typedef enum nt_form {
    NT_FORM_BOX,
    NT_FORM_SPHERE,
    NT_FORM_CYLINDER,
    NT_FORM_CAPSULE,
    NT_FORM_CONE,
    NT_FORM_TUBE,
    NT_FORM_ELLIPSOID,
    NT_FORM_POLYGON,
    NT_FORM_MESH,
    NT_FORMS
} nt_form;

/* Triangles: corners of numbers below n_points. */
typedef struct nt_mesh {
    const struct nt_mesh *next; /* the one that was read before */
    const char *name;           /* of the file */
    float (*points)[3];
    unsigned (*corners)[3];
    int n_points, n_triangles;
} nt_mesh;

/* What the reader fills in of one shape; numbers are expressions of the parameters. */
typedef struct nt_shape_data {
    unsigned given; /* bit of each form */
    const nt_expression *sizes[NT_FORMS][3];
    const nt_expression *length, *scale, *at[3];
    const nt_expression *quaternion[4], *rotation_vector[3], *axis[3], *angle, *angles[3];
    nt_rows matrix, outline;
    int sequence;
    const char *file, *color;
} nt_shape_data;
extern const nt_key nt_shape_keys[];
extern const char *const nt_shape_forms[];

/* A shape as the model keeps it. */
typedef struct nt_shape {
    nt_form form;
    const nt_expression *size[3];
    int n_size;
    const nt_expression *at[3]; /* NULL: zero */
    unsigned turned;            /* as the orientation of a body: NT_GIVEN_QUATERNION and so on; 0 */
    const nt_expression *turn[9];
    int sequence;      /* of Euler angles */
    const char *color; /* "#rrggbb"; NULL: the body's */
    nt_rows outline;   /* [n][2] of a polygon */
    const nt_mesh *mesh;
} nt_shape;

typedef struct nt_shapes {
    const nt_shape *shape; /* [n] */
    int n;
} nt_shapes;

#endif
