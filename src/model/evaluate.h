/* The equations of motion of a model: what its system does. */
#ifndef NUTATE_MODEL_EVALUATE_H
#define NUTATE_MODEL_EVALUATE_H

#include "model/model.h"

/* A time function at the time of run->variables: value, first and second derivative. */
void nt_motion_jet(const nt_run *run, const nt_expression *function, double out[3]);

/* Callbacks of the system (system.h); self is the run. Callers by hand reach them too: they do not
 * rely on what they are given before it was looked at. */

/* Whether a point has what no look does without: q and v, and with `reacts` the multipliers. */
bool nt_run_can_look(const nt_run *run, const nt_point *at, bool reacts);
/* Whether the terms that are asked for can be added at that point. */
bool nt_run_can_add(const nt_run *run, const nt_point *at, const nt_terms *terms);
/* Whether words can be said into text[size], which are "" so far. */
static inline bool nt_run_can_say(const nt_run *run, char *text, int size)
{
    bool can = text && size > 0;
    if (can)
        text[0] = '\0';
    return run && can;
}
static inline bool nt_run_has_parameter(const nt_run *run, int k)
{
    return run && k >= 0 && k < run->model->n_parameters;
}
nt_status nt_run_evaluate(void *self, const nt_point *at, const nt_terms *terms);
nt_status nt_run_energy(void *self, const nt_point *at, nt_energy *energy);
/* The energies at a place beside the motion: elements keep no note of what they were asked. */
nt_status nt_run_energy_beside(nt_run *run, const nt_point *at, nt_energy *energy);
double nt_run_noticed(void *self, double t);
nt_status nt_run_rests(void *self, const nt_point *at, unsigned char *lies);
double nt_run_fastest_damping(void *self, bool beside, int which[2]);
void nt_run_stiffest(void *self, nt_stiffest *out);
nt_status nt_run_energies(void *self, const nt_point *at, nt_energy *parts);
nt_status nt_run_powers(void *self, const nt_point *at, nt_energy *parts);

/* Whether all of an element's power is its own to take, and its energies cost as much as its
 * forces: that of what brings bodies of its own. */
static inline bool nt_element_is_passive_body(const nt_model *model, const nt_element *e)
{
    return e->n_brought > 0 && !nt_element_gives_energy(model, e);
}
void nt_run_energy_gained(void *self, const nt_point *from, const nt_point *to, int part,
                          char *text, int size);
void nt_run_accept(void *self, const nt_point *at, double *next);
nt_status nt_run_accept_tangent(void *self, const nt_point *at, int k,
                                const nt_point_tangent *along, double *dnext);
/* A parameter that is an expression of earlier ones follows them. It takes p's value instead when
 * that is new: neither its present value, nor what p gave for it last, nor what the expression
 * gives; and keeps it until p gives what the expression gives. So p with one entry changed to
 * either side varies that parameter and what follows from it, and p as it was restores everything
 * bit for bit. Initial values are found anew. */
nt_status nt_run_set_parameters(void *self, const double *p);
/* Sets parameters likewise; with `validate` values that a file may not give are refused in words.
 */
nt_status nt_run_set_values(nt_run *run, const double *p, bool validate, nt_error *error);
void nt_run_get_parameters(void *self, double *p);
nt_status nt_run_consistent_initial(void *self, double t, double *q, double *v, double *memory);
void nt_run_failure(void *self, char *text, int size);
void nt_run_met_name(void *self, int which, char *text, int size);
void nt_run_damping_name(void *self, const int which[2], char *text, int size);
/* Why an element has no value, as its type or its functions say; "" where they do not. */
void nt_run_why(const nt_run *run, const nt_element *element, char *text, int size);
void nt_run_place(void *self, int i, nt_error *place);
void nt_run_feature(void *self, nt_feature feature, nt_error *part);
void nt_run_ill_posed(void *self, nt_error *part);
void nt_run_coordinate_name(void *self, int i, char *text, int size);
void nt_run_equation_name(void *self, int i, char *text, int size);

/* The element that row i of the constraints, nh + nn, belongs to; NULL for no row. */
const nt_element *nt_model_element_of_row(const nt_model *model, int i);
/* Words for that row of the element. */
const char *nt_model_row_name(const nt_model *model, const nt_element *element, int i);
/* By how much equation i is off at positions where its value is given, and the unit: "m", "rad". */
double nt_model_row_gap(const nt_model *model, int i, double value, const char **unit);

static inline v3 nt_run_gravity(const nt_run *run)
{
    return v3_scale(run->share[NT_SHARE_GRAVITY], v3_load(run->gravity));
}

/* A view of a point for elements: fills motion, multipliers and the signals that loads depend on;
 * adds the bodies' own terms where `terms` asks for them.
 * The view is valid until the next call on this run. */
/* The bodies alone, into run->motion: of what follows signals nothing may be asked then. */
void nt_run_see_bodies(nt_run *run, const nt_point *at, const nt_terms *terms, nt_view *view);
void nt_run_look(nt_run *run, const nt_point *at, const nt_terms *terms, nt_view *view);

/* Parameters that events have set, as the discrete memory has them; NULL: none is. */
void nt_run_take_set(nt_run *run, const double *memory);
/* Takes them likewise, and moves parameter k by s, unless an event has set it; with s = 0 all is as
 * it was before. What is known of parameters' derivatives is forgotten. */
void nt_run_take_set_beside(nt_run *run, const double *memory, int k, double s);
/* nt_system.carry */
nt_status nt_run_carry(void *self, const nt_point *at, const double *increment);

#endif
