/* What happens in a model at one instant: nt_events of its system. */
#ifndef NUTATE_MODEL_EVENTS_H
#define NUTATE_MODEL_EVENTS_H

#include "model/model.h"

/* Room in the discrete memory, behind that of elements; the model's nt_events. */
void nt_model_lay_out_events(nt_model *model);

/* What `accept` hands on of all that is held. */
void nt_run_keep_held(const nt_run *run, const double *memory, double *next);

/* The variables of expressions of everything recorded, until the next call. */
nt_status nt_events_variables(nt_run *run, const nt_point *at, const double **variables);

/* ---- the section `events` (event_actions.c) ---------------------------------------------------
 */

/* Places in the discrete memory from `first` on; the first one behind. */
int nt_actions_lay_out(nt_model *model, int first);
/* What is not known yet at a start. */
void nt_actions_begin(nt_run *run, const nt_point *at, double *memory);
/* When the next event is due that another one has started, infinite: none. */
double nt_actions_next(const nt_run *run, double t, const double *memory);
bool nt_actions_is_due(const nt_run *run, int i, const nt_instant *instant);
/* Event i happens. */
nt_status nt_actions_happen(nt_run *run, int i, nt_instant *instant, nt_error *error);
/* What a run notes of an event, for a warning at its end; times are no numbers where it was not so.
 */
typedef struct nt_event_note {
    double idle;  /* s, when it first found a joint as it would leave it             */
    double blind; /* s, since when it looks at the reaction of a joint that was released */
    int joint;    /* which                                                             */
} nt_event_note;
void nt_actions_forget_notes(nt_run *run);
/* Words of event i into text[size], of the first kind (0) or the second (1): their length, 0: there
 * is nothing to say. */
int nt_actions_note(const nt_run *run, int i, int kind, char *text, int size);
/* The joint of whose reaction a variable of `when` is; -1: of none. */
int nt_actions_reacting(const nt_model *model, int variable);
/* Whether a row is off at a start. */
bool nt_run_row_is_off(const nt_run *run, int row);
/* nt_events.rows_off */
void nt_actions_rows_off(void *run, const double *memory, unsigned char *off);

#endif
