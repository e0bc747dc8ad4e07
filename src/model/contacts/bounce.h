/* Energy that contacts give to bodies which nothing else holds: see bounce.c. */
#ifndef NUTATE_MODEL_BOUNCE_H
#define NUTATE_MODEL_BOUNCE_H

#include <nutate/system.h>

struct nt_model;

/* Finds such bodies, once all ports are there: system.n_bounces. NT_NO_MEMORY. */
nt_status nt_model_find_bounces(struct nt_model *model);
/* See nt_system.bounces. */
void nt_run_bounces(void *self, const nt_point *from, const nt_point *to, nt_bounce *each);

#endif
