/* All numbers of a model, and their derivatives in one parameter. */
#ifndef NUTATE_MODEL_PARAMETER_SURVEY_H
#define NUTATE_MODEL_PARAMETER_SURVEY_H

#include "model/assembly/assemble.h"
#include "model/parameters/parameter.h"

#include <stdint.h>

typedef enum nt_region_kind {
    NT_REGION_BODIES,
    NT_REGION_PLAIN,
    NT_REGION_ELEMENT,
    NT_REGION_INITIAL
} nt_region_kind;

typedef struct nt_region {
    nt_region_kind kind;
    char *at;
    size_t bytes, word; /* its first word in the arrays below */
} nt_region;

typedef struct nt_survey {
    nt_run *run;
    nt_parameter_rates *rates;
    double *direction; /* [n_bindings] derivatives of the numbers of the file */
    double *number;    /* [n_bindings] their values                           */
    nt_region *region;
    int n_regions, first_element;
    nt_region **sorted; /* by address */
    char *saved;
    bool kept;                     /* saved holds the model */
    double *plus;                  /* [words] */
    double *eighth, *sixth, *best; /* [words] */
    double *doubt;                 /* [words] estimated error of best */
    size_t words;
    double *rows, *opening[2];
    double *opens[2], *opens_sixth[2], *open_doubt[2]; /* likewise: of one step; of `opening` */
    nt_arena arena;

    nt_assembly *assembly; /* NULL until one is needed */
    bool assembles;        /* initial values depend on the parameter */

    uint64_t *marks; /* [PLACES][n_elements] of what elements add, before the survey */

    /* what an assembly leaves besides */
    double length;
    int n_redundant;
    const char *corrections;
    const nt_element *failed;

    double far;   /* the farthest place along the tangent that nt_survey_differentiate looked at */
    nt_error why; /* of the last place at which the model was refused */
} nt_survey;

/* Remember the model as it is; take memory. nt_survey_end restores it, bit for bit, and frees. */
nt_status nt_survey_begin(nt_survey *survey);
void nt_survey_end(nt_survey *survey);

/* Derivatives of all parameters in parameter k: those that follow move too. */
void nt_survey_parameters(const nt_run *run, int k, double *rates);

/* Derivatives of the file's numbers, and the change of the parameter along which each of them
 * changes by at most its own size (a zero: by the model's length, but not more than 1; of a
 * direction by its length); infinite where none changes. */
double nt_survey_numbers(nt_survey *survey);

/* Derivatives of all words, `best`. */
nt_status nt_survey_differentiate(nt_survey *survey, double scale);

/* ---- parameter_apart.c -------------------------------------------------------------------------
 *
 * Marks what elements add, before nt_survey_differentiate; and behind it, with all words as they
 * were, finds an element that adds something else now: it keeps numbers apart from its data. Those
 * are then prepared anew as they were. NULL: all add what they did. */
nt_status nt_survey_mark(nt_survey *survey);
nt_status nt_survey_find_apart(nt_survey *survey, const nt_element **apart);

/* Finds an element that keeps in its data, as a float or an integer, what follows the parameter: a
 * word of which has no derivative. Leaves all words as they were, prepared anew. NULL: none does.
 */
nt_status nt_survey_find_disguised(nt_survey *survey, const nt_element **disguised);

/* All numbers of the model into words. */
void nt_survey_read(const nt_survey *survey, double *words);
/* All words as they were when the survey began. */
void nt_survey_restore(const nt_survey *survey);

/* The numbers of the file at a distance along their tangent, and everything derived from them. */
nt_status nt_survey_derive_at(nt_survey *survey, double distance);

#endif
