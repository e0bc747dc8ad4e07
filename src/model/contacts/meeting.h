/* Surfaces that meet and part again within a step: see meeting.c. */
#ifndef NUTATE_MODEL_MEETING_H
#define NUTATE_MODEL_MEETING_H

#include <nutate/system.h>

/* See nt_system.met. */
bool nt_run_met(void *self, const nt_point *from, const nt_point *to, double beyond, bool by_middle,
                nt_meeting *out);

#endif
