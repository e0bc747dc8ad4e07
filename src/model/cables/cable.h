/* Cables: lines with mass that bear tension alone, free of bending, as straight segments between
 * nodes. The inner nodes are points that the cable brings, without mass; the ends are points of two
 * bodies. The element has all of the inertia. */
#ifndef NUTATE_MODEL_CABLE_H
#define NUTATE_MODEL_CABLE_H

#include "model/model.h"

typedef struct nt_seabed {
    const nt_expression *height; /* of NAME.x, NAME.y; NULL: none */
    double stiffness, damping;   /* per length of the cable: N/m2, N s/m2 */
    double friction, speed;      /* coefficient; m/s below which it is viscous */
} nt_seabed;

typedef struct nt_cable {
    unsigned given;
    int between[2];
    nt_place_of_point at[2];
    double length, mass, stiffness, damping, elements;
    nt_seabed seabed;

    int n, first_body; /* segments, fixed when the model is read; the first inner node */
    int variable[2];   /* of expressions: NAME.x, NAME.y; -1 where they are not used */
    v3 offset[2];      /* of the ends from the reference points, body axes */

    bool carries;
    int carried; /* place of [n] tensions, N, that follow increments linearly while `carries` */
} nt_cable;

/* They stand behind the data. */
static inline double *nt_cable_carried(nt_cable *cable)
{
    return (double *)(void *)((char *)cable + cable->carried);
}

enum { /* bits of nt_cable.given */
       NT_CABLE_BETWEEN,
       NT_CABLE_AT,
       NT_CABLE_LENGTH,
       NT_CABLE_MASS,
       NT_CABLE_STIFFNESS,
       NT_CABLE_DAMPING,
       NT_CABLE_ELEMENTS,
       NT_CABLE_SEABED_HEIGHT,
       NT_CABLE_SEABED_STIFFNESS,
       NT_CABLE_SEABED_DAMPING,
       NT_CABLE_SEABED_FRICTION,
       NT_CABLE_SEABED_SPEED
};

enum { NT_MOST_SEGMENTS = 2000 };

extern const nt_key nt_cable_keys[];

static inline const nt_cable *nt_cable_of(const nt_run *run, const nt_element *element)
{
    return nt_element_data(run, element);
}

/* The seabed under a place: its height, and where asked for (not NULL) slopes and second
 * derivatives xx, xy, yy. scratch: twice as many as variables of expressions. */
nt_status nt_cable_seabed(const nt_cable *cable, const nt_run *run, const double *variables,
                          double *scratch, v3 x, double *height, double slope[2], double second[3]);

/* Callbacks of the type (cable_keys.c). */
void nt_cable_defaults(void *data);
nt_status nt_cable_own_bodies(nt_run *run, const nt_element *element, bool validate,
                              nt_error *error);
nt_status nt_cable_prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error);

/* Where the inner nodes hang at the start (cable_start.c). */
nt_status nt_cable_settle(nt_run *run, const nt_element *element);

/* Moves the inner ones of nodes[n + 1] to where they rest on the bed (cable_bed.c). NT_NOT_FINITE
 * where the bed has no height, NT_NO_MEMORY; they are then as they were. */
nt_status nt_cable_rest_on_bed(const nt_cable *cable, const nt_run *run, v3 *nodes);

/* Notes an end on a body that is further below the bed than a segment is long, within which a line
 * cannot bend: the first time, and how deep; and the words of it (cable_bed.c). */
void nt_cable_note_depth(const nt_element *element, const nt_view *view, int side, double depth);
void nt_cable_warning(const nt_run *run, const nt_element *element, char *text, int size);

/* The forces at both ends, N, with those of the half segments there, and the length between them
 * along the cable. */
void nt_cable_look(const nt_element *element, const nt_view *view, double ends[2], double *length);

#endif
