/* The frame of rigid motions, NT_SE3: see rigid.c. */
#ifndef NUTATE_SYSTEM_RIGID_H
#define NUTATE_SYSTEM_RIGID_H

#include "system/problem.h"

/* Makes what a problem in that frame needs: the system bound to the body frame, which evaluates for
 * it, and a block graph with the blocks that the coupling of translation and rotation adds.
 * NT_UNSUPPORTED and a message where the space has rotations without translation. */
nt_status nt_rigid_create(nt_problem *problem, nt_error *error);
void nt_rigid_destroy(nt_problem *problem);

/* nt_problem_evaluate and nt_problem_parameter_tangent of such a problem. */
nt_status nt_rigid_evaluate(const nt_problem *problem, const nt_point *at, const nt_terms *terms);
nt_status nt_rigid_parameter_tangent(const nt_problem *problem, const nt_point *at, int k,
                                     const nt_terms *terms);

#endif
