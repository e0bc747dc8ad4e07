/* What acts inside bearings and beams, written with the poses of a row: normal forces of balls on
 * both races, and the forces and moments in the sections of beams at their nodes. */
#ifndef NUTATE_OUTPUT_INNER_H
#define NUTATE_OUTPUT_INNER_H

#include "base/arena.h"
#include "model/quantities/quantity.h"

#include <nutate/output.h>

typedef struct nt_inner {
    const nt_model *model;
    nt_quantity_info *balls;    /* [2 n_balls] at the outer race, at the inner race */
    int *sections;              /* [n_sections] bodies that are nodes of beams      */
    const char **ball_names;    /* [n_balls]    */
    const char **section_names; /* [n_sections] */
    int n_balls, n_sections;
} nt_inner;

enum { NT_INNER_ARRAYS = 3 };

/* Finds what the model has of it; names are those of its bodies. NT_NO_MEMORY. */
nt_status nt_inner_find(nt_inner *inner, const nt_model *model, nt_arena *arena, nt_error *error);

/* Numbers of a row. */
int nt_inner_count(const nt_inner *inner);

/* The arrays that they are, in their order; returns how many. */
int nt_inner_arrays(const nt_inner *inner, nt_result_array arrays[NT_INNER_ARRAYS]);

/* Their values at the state that was looked at, out[nt_inner_count]: balls.force
 * [n_balls][outer, inner], sections.force [n_sections][3], sections.moment [n_sections][3]. What is
 * no finite number is 0. */
void nt_inner_take(const nt_inner *inner, const nt_sampler *sampler, double *out);

#endif
