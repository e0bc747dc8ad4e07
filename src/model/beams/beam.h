/* Beams: one element over all points of a beam's line.
 *
 * A beam brings bodies of its own, its nodes: without mass, at the places of the undeformed line,
 * their orientation the rotation from there. The element holds the energy of the deformation and
 * all of the inertia. An element of order p has p + 1 nodes at the Gauss-Lobatto points. */
#ifndef NUTATE_MODEL_BEAM_H
#define NUTATE_MODEL_BEAM_H

#include "model/beams/beam_point.h"
#include "model/beams/quadrature.h"
#include "model/model.h"

enum { NT_MOST_ORDER = 20 };

/* As the file gives a section. */
typedef struct nt_beam_section {
    unsigned given;
    int shape; /* nt_beam_shape */
    double at; /* 0..1 of the line's length */
    double stiffness[36], mass[36], point[3];
    struct {
        double E, nu, density;
    } material;
    double radius, thickness, width, height;
} nt_beam_section;

typedef enum nt_beam_shape { NT_SHAPE_CIRCLE, NT_SHAPE_TUBE, NT_SHAPE_RECTANGLE } nt_beam_shape;

enum { /* bits of nt_beam_section.given */
       NT_SECTION_AT,
       NT_SECTION_STIFFNESS,
       NT_SECTION_MASS,
       NT_SECTION_POINT,
       NT_SECTION_MATERIAL,
       NT_SECTION_SHAPE,
       NT_SECTION_RADIUS,
       NT_SECTION_THICKNESS,
       NT_SECTION_WIDTH,
       NT_SECTION_HEIGHT,
       NT_SECTION_E,
       NT_SECTION_NU,
       NT_SECTION_DENSITY
};

/* Where an element ends: at a corner of the line, at a section, or at a part of the length. */
typedef enum nt_beam_end_kind { NT_END_POINT, NT_END_SECTION, NT_END_PART } nt_beam_end_kind;
typedef struct nt_beam_end {
    double kind, index; /* point; section; index parts of `parts` */
} nt_beam_end;

/* One point of an element's rules: elastic, then of inertia. */
typedef struct nt_beam_elastic {
    double weight, per_length; /* of the rule times dS/dxi; dxi/dS */
    v3 tangent;                /* x0' of the interpolated line     */
    m3 axes;                   /* of the section: columns          */
    double C[36];              /* ground axes                      */
} nt_beam_elastic;

typedef struct nt_beam_inert {
    double weight;
    nt_beam_mass mass;
} nt_beam_inert;

typedef struct nt_beam {
    unsigned given;
    nt_array points, sections, twist; /* [3]; nt_beam_section; [station, angle] */
    double order, elements, normal[3];
    double velocity[3], angular_velocity[3];
    const struct nt_shapes *drawn;

    /* the mesh: fixed when the model is read */
    int p, n_elements, n_nodes, first_body;
    int parts;    /* of NT_END_PART                                                    */
    int ends;     /* nt_beam_end[n_elements + 1], bytes from the begin of the data; so: */
    int stations; /* double[n_elements + 1], of the length                             */
    int nodes;    /* v3[n_nodes], m, ground axes                                       */
    int shapes;   /* double: N, dN/dxi at points of both rules                         */
    int elastic;  /* nt_beam_elastic[n_elements][p]                                    */
    int inert;    /* nt_beam_inert[n_elements][p + 1]                                  */
} nt_beam;

enum { /* bits of nt_beam.given */
       NT_BEAM_POINTS,
       NT_BEAM_SECTIONS,
       NT_BEAM_TWIST,
       NT_BEAM_ORDER,
       NT_BEAM_ELEMENTS,
       NT_BEAM_NORMAL,
       NT_BEAM_VELOCITY,
       NT_BEAM_ANGULAR_VELOCITY
};

extern const nt_key nt_beam_keys[], nt_beam_section_keys[];

static inline const nt_beam *nt_beam_of(const nt_run *run, const nt_element *element)
{
    return nt_element_data(run, element);
}

/* Of a beam whose p, n_elements and n_nodes are known: places of the arrays that follow the first
 * `bytes`; returns all bytes. */
size_t nt_beam_lay_out(nt_beam *beam, size_t bytes);

static inline const nt_beam_elastic *nt_beam_elastic_at(const nt_beam *b, int element)
{
    return (const nt_beam_elastic *)(const void *)((const char *)b + b->elastic) + element * b->p;
}
static inline const nt_beam_inert *nt_beam_inert_at(const nt_beam *b, int element)
{
    return (const nt_beam_inert *)(const void *)((const char *)b + b->inert) + element * (b->p + 1);
}
/* Values (rule 0: elastic, 1: of inertia) at point q: N[p + 1], then dN/dxi[p + 1]. */
static inline const double *nt_beam_shapes(const nt_beam *b, int rule, int q)
{
    const double *all = (const double *)(const void *)((const char *)b + b->shapes);
    return all + 2 * (b->p + 1) * (rule * b->p + q);
}

/* Callbacks of the type (beam_numbers.c). */
nt_status nt_beam_own_bodies(nt_run *run, const nt_element *element, bool validate,
                             nt_error *error);
void nt_beam_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to);
nt_status nt_beam_prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error);

#endif
