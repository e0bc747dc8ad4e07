/* Models from files of other programs: what the importers share. */
#ifndef NUTATE_INPUT_IMPORT_H
#define NUTATE_INPUT_IMPORT_H

#include "base/vector3.h"

#include <nutate/status.h>
#include <stdbool.h>
#include <stdio.h>

/* One section of a blade: 6 x 6 about the line, rows N1 N2 N3 M1 M2 M3, axis 1 along it. Where it
 * begins in its file, for messages; no line: unknown. */
typedef struct nt_imported_section {
    double at, stiffness[36], mass[36];
    int line, column;
} nt_imported_section;

/* A line in axes of its own (x across, z along it) with its sections. */
typedef struct nt_imported_blade {
    int n_points, n_sections, n_twist;
    double (*points)[3]; /* m                                  */
    double (*twist)[2];  /* part of the length, rad about z    */
    nt_imported_section *sections;
    double damping[6]; /* s; all zero: none */
    const char *file;  /* the one with the sections, where they know their lines; or NULL */
} nt_imported_blade;

/* No blade is twisted by more than a full turn, rad: an angle beyond is another unit or an error.
 */
static const double NT_IMPORT_MOST_TWIST = 6.2832;

/* No blade or tower is longer, m, and none reaches farther across than it is long. */
static const double NT_IMPORT_LONGEST = 1e4;

void nt_imported_blade_free(nt_imported_blade *blade);

/* Where a blade stands: its root, and its axes as columns, ground axes; and how it moves: turning
 * about a line at `speed`, an expression (NULL: at rest). */
typedef struct nt_imported_place {
    v3 root, x, y, z;
    const char *speed;
    v3 axis, through;
} nt_imported_place;

/* The sum of the distances between n points, m. */
double nt_import_length(double (*points)[3], int n);

/* Sections that are no sections are left out, with a note: stiffness and mass must be positive
 * definite, of the form of a body's, and such as a beam of this length can have. Returns how many
 * are left; `first` tells of the first one that is not, with its line and column, and is empty
 * where there is none. */
enum { NT_IMPORT_FAULT = 300 };
typedef struct nt_import_fault {
    char words[NT_IMPORT_FAULT];
    int line, column;
} nt_import_fault;
int nt_import_check_sections(nt_imported_blade *blade, double length, FILE *notes,
                             nt_import_fault *first);

/* The entry of a beam under `beams`. anchor: sections are given this name, or (again) taken by it.
 */
void nt_import_write_blade(FILE *to, const char *name, const nt_imported_blade *blade,
                           const nt_imported_place *place, const char *anchor, bool again);

/* The rows of its list of sections. */
void nt_import_write_sections(FILE *to, const nt_imported_blade *blade);

/* From windIO's and BeamDyn's axes (x, y, z along the line) to axis 1 along the line, x, y. */
void nt_import_turn_axes(const double from[36], double to[36]);

/* The model's text to `to`, notes about it, one a line, to `notes`. */
nt_status nt_import_windio(const char *path, const char *part, FILE *to, FILE *notes,
                           nt_error *error);
nt_status nt_import_beamdyn(const char *path, const char *part, FILE *to, FILE *notes,
                            nt_error *error);

#endif
