/* Parts whose dry friction is set-valued, where nothing moves: nt_events.dry_look and the like. The
 * first are joints, in the order of their switches, the others contacts (grip.h). */
#ifndef NUTATE_MODEL_DRY_FRICTION_H
#define NUTATE_MODEL_DRY_FRICTION_H

#include "model/model.h"

int nt_dry_count(const nt_model *model);
nt_status nt_dry_look(void *run, const nt_point *at, nt_dry_friction *parts);
void nt_dry_hold(void *run, const nt_point *at, int i, nt_dry_state holds, const double towards[3],
                 double *memory);
void nt_dry_word(void *run, int i, char *text, int size);

#endif
