/* Beams: one element over all points of a beam's line.
 *
 * A beam brings bodies of its own, its nodes: without mass, at the places of the undeformed line,
 * their orientation the rotation from there. The element holds the energy of the deformation and
 * all of the inertia. An element of order p has p + 1 nodes at the Gauss-Lobatto points. */
#ifndef NUTATE_MODEL_BEAM_H
#define NUTATE_MODEL_BEAM_H

#include "linalg/lanes.h"
#include "model/beams/beam_point.h"
#include "model/beams/quadrature.h"
#include "model/model.h"

enum { NT_MOST_ORDER = 20, NT_MOST_OUTLINE = 40, NT_MOST_NODES = 100000 };

/* A section as the file gives it. */
typedef struct nt_beam_section {
    unsigned given;
    int shape; /* nt_beam_shape */
    double at; /* 0..1 of the line's length */
    double stiffness[36], mass[36], point[3], prestress[6];
    struct {
        double E, nu, density;
    } material;
    double radius, thickness, width, height, web, flange;
    double outline[NT_MOST_OUTLINE]; /* pairs along axes 2 and 3 */
    int outline_count, closed;
} nt_beam_section;

typedef enum nt_beam_shape {
    NT_SHAPE_CIRCLE,
    NT_SHAPE_TUBE,
    NT_SHAPE_RECTANGLE,
    NT_SHAPE_BOX,
    NT_SHAPE_I,
    NT_SHAPE_THIN_WALLED
} nt_beam_shape;

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
       NT_SECTION_DENSITY,
       NT_SECTION_PRESTRESS,
       NT_SECTION_WEB,
       NT_SECTION_FLANGE,
       NT_SECTION_OUTLINE,
       NT_SECTION_CLOSED
};

static inline bool nt_section_gives(const nt_beam_section *s, int bit)
{
    return s->given >> bit & 1;
}

/* Stiffness and mass about the line, section axes (beam_sections.c). */
void nt_section_matrices(const nt_beam_section *s, double C[36], double M[36]);
/* Says by how much the torsion of a box or an I is off whose walls are thick. */
bool nt_section_is_thick(const nt_beam_section *s, char *text, size_t size);
/* Says by how much linear stiffness between two stations is not that of a figure that tapers. */
bool nt_sections_taper(const nt_beam_section *from, const nt_beam_section *to, char *text,
                       size_t size);
/* Shear stresses (Pa) along axes 2 and 3 at a point (m, section axes) of a section of known shape,
 * from its forces and moments about the line (beam_shear.c); of thin walls alone (beam_sections.c).
 * False, and zero, where the point is not in the material. */
bool nt_section_shear(const nt_beam_section *s, const double stress[6], const double at[2],
                      double shear[2]);
bool nt_wall_shear(const nt_beam_section *s, const double stress[6], const double at[2],
                   double shear[2]);
/* N: the largest stiffness by strains, and N s: the largest damping by their rates. */
static const double NT_STIFFEST_SECTION = 1e24;
/* What is wrong with a section of a line of this length (m), NULL for nothing. */
const char *nt_section_fault(const nt_beam_section *s, double length);

/* What an element ends at: a corner of the line, a section, a part of the length, the station of a
 * marker. */
typedef enum nt_beam_end_kind {
    NT_END_POINT,
    NT_END_SECTION,
    NT_END_PART,
    NT_END_MARKER
} nt_beam_end_kind;
typedef struct nt_beam_end {
    double kind, index; /* point; section; index parts of `parts`; marker */
} nt_beam_end;

/* Rules of integration of the strains. */
typedef enum nt_beam_rule {
    NT_RULE_GAUSS,
    NT_RULE_GAUSS_LOBATTO,
    NT_RULE_SECTIONS, /* Gauss between stations within an element */
    NT_RULE_TRAPEZOIDAL
} nt_beam_rule;

/* One point of an element's rules: elastic, then of inertia. */
typedef struct nt_beam_elastic {
    double weight, per_length; /* of the rule times dS/dxi; dxi/dS */
    v3 tangent;                /* x0' of the interpolated line     */
    m3 axes;                   /* of the section: columns          */
    double C[36], D[36], s[6]; /* stiffness, damping, stress without strain; ground axes */
    double carried[6];         /* strains that follow increments linearly, while nt_beam.carries */
} nt_beam_elastic;

typedef struct nt_beam_inert {
    double weight, station; /* of the rule times dS/dxi; 0..1 of the length */
    m3 axes;                /* of the section: columns */
    nt_beam_mass mass;
} nt_beam_inert;

/* The same of four points of the elastic rules side by side, for beam_forces.c: C and D are the
 * upper halves, row by row. Behind the last point it is repeated, without weight. */
typedef struct nt_beam_four {
    lanes_anywhere weight, per_length, tangent[3], s[6], C[21], D[21];
} nt_beam_four;

/* Lumped masses of four nodes side by side, both elements that meet at a node; reference axes. rho:
 * xx xy xz yy yz zz. Behind the last node there is no mass. */
typedef struct nt_beam_four_mass {
    lanes_anywhere m, me[3], rho[6];
} nt_beam_four_mass;

/* At a point of the line: its length up to there, the parameter of a spline, second derivatives
 * in it, axes carried along without torsion (straight: of the piece that begins there). */
typedef struct nt_beam_knot {
    double arc, knot;
    v3 curve;
    m3 axes;
} nt_beam_knot;

typedef struct nt_beam {
    unsigned given;
    nt_array points, sections, twist; /* [3]; nt_beam_section; [station, angle] */
    double order, elements, normal[3];
    double velocity[3], angular_velocity[3];
    double damping[6];
    double quadrature_points, inertia_points;
    int damping_count, line, inertia, quadrature;
    const struct nt_shapes *drawn;
    int carries; /* its stresses are independent ones: see beam_carry */

    /* the mesh: fixed when the model is read */
    int p, n_elements, n_nodes, first_body;
    int parts;     /* of NT_END_PART                                                     */
    int n_rule[2]; /* points of both rules in an element: elastic, of inertia            */
    int n_sets;    /* of values at points of the rules: one for all elements or each     */
    int cut;       /* whether stations of sections were within elements                  */
    int knots;     /* nt_beam_knot[points], bytes from the begin of the data; so:        */
    int ends;      /* nt_beam_end[n_elements + 1]                                        */
    int stations;  /* double[n_elements + 1], of the length                              */
    int frames;    /* m3[n_elements + 1], axes of the section at ends                    */
    int nodes;     /* v3[n_nodes], m, ground axes                                        */
    int shapes;    /* double: xi, weight, N, dN/dxi at points of both rules              */
    int elastic;   /* nt_beam_elastic[n_elements][n_rule[0]]                             */
    int inert;     /* nt_beam_inert[n_elements][n_rule[1]]                               */
    int fours;     /* nt_beam_four: all points of the elastic rules, four by four        */
    int nodal;     /* nt_beam_four_mass: all nodes, four by four; where it is lumped     */
    int rows[3];   /* of points, sections, twist in the file                             */
    int places;    /* nt_place: where these stand, one after the other                   */
} nt_beam;

enum { /* bits of nt_beam.given */
       NT_BEAM_POINTS,
       NT_BEAM_SECTIONS,
       NT_BEAM_TWIST,
       NT_BEAM_ORDER,
       NT_BEAM_ELEMENTS,
       NT_BEAM_NORMAL,
       NT_BEAM_VELOCITY,
       NT_BEAM_ANGULAR_VELOCITY,
       NT_BEAM_DAMPING,
       NT_BEAM_LINE,
       NT_BEAM_INERTIA,
       NT_BEAM_QUADRATURE,
       NT_BEAM_QUADRATURE_POINTS,
       NT_BEAM_INERTIA_POINTS
};

extern const nt_key nt_beam_keys[];

static inline const nt_beam *nt_beam_of(const nt_run *run, const nt_element *element)
{
    return nt_element_data(run, element);
}

/* Gives the arrays of a beam whose sizes are known their places behind its first `bytes`, and
 * returns how many bytes it has in all. */
size_t nt_beam_lay_out(nt_beam *beam, size_t bytes);

/* Lists whose rows have places of their own in the file. */
enum { NT_BEAM_ROW_POINT, NT_BEAM_ROW_SECTION, NT_BEAM_ROW_TWIST };

/* An array behind the data, by its place. */
static inline void *nt_beam_array(nt_beam *b, int place) { return (char *)b + place; }
static inline const void *nt_beam_array_in(const nt_beam *b, int place)
{
    return (const char *)b + place;
}

static inline const nt_beam_elastic *nt_beam_elastic_at(const nt_beam *b, int element)
{
    return (const nt_beam_elastic *)nt_beam_array_in(b, b->elastic) + element * b->n_rule[0];
}
static inline const nt_beam_inert *nt_beam_inert_at(const nt_beam *b, int element)
{
    return (const nt_beam_inert *)nt_beam_array_in(b, b->inert) + element * b->n_rule[1];
}
/* At point q of an element's rule (0: elastic, 1: of inertia): xi, weight, N[p + 1], dN/dxi[p + 1].
 */
enum { NT_SHAPE_XI, NT_SHAPE_WEIGHT, NT_SHAPE_N };
static inline int nt_beam_shape_size(const nt_beam *b) { return NT_SHAPE_N + 2 * (b->p + 1); }
static inline const double *nt_beam_shapes(const nt_beam *b, int element, int rule, int q)
{
    int set = b->n_sets == 1 ? 0 : element, all = b->n_rule[0] + b->n_rule[1];
    return (const double *)nt_beam_array_in(b, b->shapes) +
           nt_beam_shape_size(b) * (set * all + rule * b->n_rule[0] + q);
}

/* Axes of the section where element end - 1 ends, of the first one where it begins: columns. */
static inline m3 nt_beam_axes_at(const nt_beam *b, int end)
{
    return ((const m3 *)nt_beam_array_in(b, b->frames))[end];
}

/* ---- the line (beam_line.c) ------------------------------------------------------------------ */

double nt_beam_length(const nt_beam *b);
/* Fills the knots; false where the line has a piece without length. */
void nt_beam_fill_line(nt_beam *b);
/* At the length s within a piece of the line. */
int nt_beam_piece(const nt_beam *b, double s);
v3 nt_beam_line_at(const nt_beam *b, int piece, double s, m3 *axes);
/* The lengths and directions of the straight pieces between the points of the line. */
double nt_beam_chord(const nt_beam *b, int i);
v3 nt_beam_chord_direction(const nt_beam *b, int i);

/* ---- what is recorded (beam_values.c) -------------------------------------------------------- */

/* Where an element of a beam ends at this body; false where none does. */
bool nt_beam_end_of_body(const nt_model *model, int body, int *element, int *end);

/* Whether a body is a node of a beam. */
bool nt_beam_has_section(const nt_model *model, int body);

struct nt_sampler;
/* Forces (N) and moments (N m) in the section at such a node, its axes; of the element on the side
 * of the first point. */
void nt_beam_section_forces(const struct nt_sampler *s, int body, double stress[6]);

#define NT_BEAM_QUANTITY(name)                                                                     \
    void nt_station_##name(const struct nt_sampler *s, int marker, double *out);                   \
    void nt_end_##name(const struct nt_sampler *s, int body, double *out)
NT_BEAM_QUANTITY(force);
NT_BEAM_QUANTITY(moment);
NT_BEAM_QUANTITY(strain);
NT_BEAM_QUANTITY(curvature);
#undef NT_BEAM_QUANTITY
void nt_station_axial_stress(const struct nt_sampler *s, int marker, double *out);
void nt_station_shear_stress(const struct nt_sampler *s, int marker, double *out);
/* Whether the section at a station is a figure of a material, or between two such; and a figure of
 * a known kind, with the point (m, section axes) in the material. */
bool nt_beam_has_material(const nt_beam *b, double station);
bool nt_beam_has_point(const nt_beam *b, double station, const double at[2]);

/* ---- one finite element (beam.c) ------------------------------------------------------- */

/* Strains and stresses at point q of an element's elastic rule; ground-reference axes. */
void nt_beam_stress_at(const nt_view *view, const nt_beam *b, int element, int q, double e[6],
                       double s[6]);

/* Stiffness and stress without strain of the section at xi of an element, ground-reference axes
 * (beam_numbers.c). */
void nt_beam_section_within(const nt_beam *b, int element, double xi, double C[36], double s[6]);

/* ---- meshes that are too coarse (beam_coarse.c) ------------------------------------------ */

/* Cosine of half the largest turn between neighbouring nodes, 2 rad. */
static const double NT_BEAM_LEAST_PRODUCT = 0.54030230586813972;

/* False where neighbouring nodes have turned against each other by more than is carried. */
bool nt_beam_is_carried(const nt_view *view, const nt_beam *b);
void nt_beam_failure(const nt_element *element, const nt_view *view, char *text, int size);

/* Flexibilities of an element that rules of integration may be off by, of the whole. */
static const double NT_BEAM_RULE_ERROR = 1e-3;

/* Says where the rule of the strains is worse than that for the order. */
bool nt_beam_rule_remark(const nt_model *model, const nt_element *element, char *text, size_t size);
/* The same, or that lumped inertia of order 1 is off, that the walls of a section are thick, or
 * that it tapers much between stations. */
bool nt_beam_remark(const nt_model *model, const nt_element *element, char *text, size_t size);
/* By how much the given twist turns the section between two stations, rad, there and back added. */
double nt_beam_twist_between(const nt_beam *b, double from, double to);
/* NT_BAD_MODEL where an element has another direction than the line, or cannot follow its twist. */
nt_status nt_beam_check_line(const nt_run *run, const nt_element *element, const nt_beam *b,
                             nt_error *error);

/* Callbacks of the type (beam_numbers.c). */
nt_status nt_beam_own_bodies(nt_run *run, const nt_element *element, bool validate,
                             nt_error *error);
void nt_beam_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to);
nt_status nt_beam_prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error);

#endif
