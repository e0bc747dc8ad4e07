/* Energy that stops give to light bodies on heavy ones: see stop_bounce.c. */
#ifndef NUTATE_MODEL_STOP_BOUNCE_H
#define NUTATE_MODEL_STOP_BOUNCE_H

#include <nutate/system.h>

struct nt_model;
struct nt_motion;
struct nt_view;

/* Finds the joints that such a body hangs on, once all ports are there: model->bounces.n_stops.
 * of_node: [n_primary] the body of a node, -1 for none. NT_NO_MEMORY. */
nt_status nt_model_find_stops(struct nt_model *model, const int *of_node);

/* Of all of them at the begin of a step, then at its end, which completes each[n_stops]; before:
 * the motions of the bodies at the begin; h: s. */
void nt_joint_stops_begin(const struct nt_view *view, nt_bounce *each);
void nt_joint_stops_end(const struct nt_view *view, const struct nt_motion *before, double h,
                        nt_bounce *each);

#endif
