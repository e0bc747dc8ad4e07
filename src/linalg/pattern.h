/* A packed pattern seen as one with full blocks, for what needs their single entries. */
#ifndef NUTATE_LINALG_PATTERN_H
#define NUTATE_LINALG_PATTERN_H

#include <nutate/linalg.h>

/* The same blocks under the same slots, each stored in full: offsets of its own, all else is the
 * pattern's, which must outlive it and stay as it is. NT_NO_MEMORY. */
nt_status nt_pattern_unpack(nt_pattern *view, const nt_pattern *pattern);
void nt_pattern_free_view(nt_pattern *view);

#endif
