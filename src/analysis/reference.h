/* Reference states that are looked for near another one. Internal to the analyses. */
#ifndef NUTATE_ANALYSIS_REFERENCE_H
#define NUTATE_ANALYSIS_REFERENCE_H

#include <nutate/analysis.h>

/* nt_reference_create, but the search begins at q[nq]; NULL: at the initial placement. Of an
 * initial state q counts for nothing. */
nt_status nt_reference_create_near(nt_reference **reference, nt_run *run, nt_about about,
                                   const double *q, nt_error *error);

#endif
