/* The heavy top in the body frame, (109) to (111), whose tangent stiffness can be symmetrised. */
#ifndef NUTATE_PAPERS_BRULS_EBERHARD_TOP_H
#define NUTATE_PAPERS_BRULS_EBERHARD_TOP_H

#include <nutate/nutate.h>
#include <stdbool.h>

typedef struct nt_paper_top {
    double m;       /* kg, the parameter                                   */
    bool symmetric; /* K_t := (K_t + K_t^T)/2: wrong on purpose, table 4   */
    nt_block block;
    nt_system system;
} nt_paper_top;

void nt_paper_top_init(nt_paper_top *top);
extern const double nt_paper_top_q0[7], nt_paper_top_v0[6];

#endif
