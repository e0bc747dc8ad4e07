/* Reading of windIO files: what their blade, tower and nacelle are made of. */
#ifndef NUTATE_INPUT_WINDIO_H
#define NUTATE_INPUT_WINDIO_H

#include "input/document/document.h"
#include "input/import/import.h"

typedef struct nt_windio {
    const nt_node *root;
    nt_error *error;
    FILE *notes;
    bool second;           /* version 2 */
    double angle;          /* rad of its unit */
    const nt_node **taken; /* what has been read: scalars, lists of numbers, texts */
    int n_taken, room;
} nt_windio;

/* Keeps in mind that a node has been read; freed with the rest of the reader's by
 * nt_windio_note_others, which tells of each mapping the entries of which nothing has been. */
nt_status nt_windio_take(nt_windio *w, const nt_node *node);
void nt_windio_note_others(nt_windio *w);

/* Values over a grid from 0 to 1. */
typedef struct nt_windio_curve {
    int n;
    double *grid, *value;
} nt_windio_curve;
void nt_windio_curve_free(nt_windio_curve *c);

/* "hub.elastic_properties.mass" below a node; NULL where there is none. */
const nt_node *nt_windio_find(const nt_node *node, const char *path);

/* A number by its path; `found` false where there is none. */
nt_status nt_windio_optional(nt_windio *w, const nt_node *node, const char *path, double *value,
                             bool *found);
nt_status nt_windio_needed(nt_windio *w, const nt_node *node, const char *path, double *value);
/* One that has to lie between two others. */
nt_status nt_windio_between(nt_windio *w, const nt_node *node, const char *path, double low,
                            double high, double *value);
nt_status nt_windio_list(nt_windio *w, const nt_node *node, const char *what, int count,
                         double *out);

/* *grid[*n], the caller's to free: numbers from 0 to 1 that rise. */
nt_status nt_windio_grid(nt_windio *w, const nt_node *node, const char *what, int *n,
                         double **grid);

/* A mapping of `grid` and `values` by its path; freed by the caller whatever is returned. */
nt_status nt_windio_curve_read(nt_windio *w, const nt_node *parent, const char *path,
                               nt_windio_curve *c);
double nt_windio_curve_at(const nt_windio_curve *c, double s);

/* Says where a list does not go from end to end. */
void nt_windio_note_ends(nt_windio *w, const char *what, const double *grid, int n);

/* Refuses keys that are none of `known`, which ends with NULL. */
nt_status nt_windio_refuse_others(nt_windio *w, const nt_node *node, const char *what,
                                  const char *const *known);

/* The reference axis, at the points of all three grids. Sections stand at the part of the length
 * that their grid says: where the axis is elsewhere at this grid, it is said. */
nt_status nt_windio_read_axis(nt_windio *w, const nt_node *axis, double (**points)[3],
                              double **grid, int *n);
/* The stations of several grids together, ascending; the caller's to free. */
nt_status nt_windio_join_grids(nt_windio *w, const nt_windio_curve *c, int count, double **grid,
                               int *n);

/* Whether elastic_properties of version 2 are whole: all of the stiffness and of the inertia; and
 * the sections that they make, at the grid of the stiffness. */
bool nt_windio_has_sections(const nt_node *own);
nt_status nt_windio_read_sections(nt_windio *w, const nt_node *own, nt_imported_blade *b);

/* ---- the tower (windio_tower.c): its entry under `beams`; top[3] is where it ends -------------
 */

nt_status nt_windio_write_tower(nt_windio *w, const nt_node *tower, FILE *to, double top[3]);

/* ---- the drivetrain (windio_drivetrain.c) ---------------------------------------------------- */

typedef struct nt_windio_drivetrain {
    double inertia, ratio;     /* of the generator about its axis, kg m^2; of the gear        */
    double stiffness, damping; /* between rotor and generator, N m/rad, N m s/rad: where it   */
    bool twists;
} nt_windio_drivetrain;

/* Of components.drivetrain, which may be NULL; without a generator's inertia nothing is read. */
nt_status nt_windio_read_drivetrain(nt_windio *w, const nt_node *of, nt_windio_drivetrain *d);
/* The body at the other end of the joint `shaft`. */
const char *nt_windio_turned_by(const nt_windio_drivetrain *d);
/* Entries of bodies, joints and forces; `turned` are lines of a body that turns with the rotor. */
void nt_windio_write_generator(const nt_windio_drivetrain *d, v3 x, const char *turned, FILE *to);
void nt_windio_write_torsion(const nt_windio_drivetrain *d, v3 x, v3 axis, FILE *to);
void nt_windio_write_drive_forces(const nt_windio_drivetrain *d, FILE *to);

#endif
