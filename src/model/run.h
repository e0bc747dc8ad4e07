/* A run: all that changes of a model while it moves and when parameters are set. A model is only
 * read once it is built, by as many runs as there are, each of which belongs to one thread. */
#ifndef NUTATE_MODEL_RUN_H
#define NUTATE_MODEL_RUN_H

#include "base/arena.h"
#include "model/element.h"
#include "model/expressions/expression.h"

#include <nutate/model.h>

/* A point of a body, or a station of a beam: where an element of the beam ends, with a node. */
typedef struct nt_marker {
    unsigned given;
    int on;                    /* the body; at a station its node */
    int beam, end;             /* at a station: the element of the model, where it ends */
    double at[3];              /* from the body's origin, body axes */
    double offset[3], station; /* as the file has them: at a station in axes of the section */
    const struct nt_shapes *shapes;
    const char *name;
    nt_place place;
} nt_marker;

enum { NT_MARKER_ON, NT_MARKER_AT, NT_MARKER_STATION }; /* bits of nt_marker.given */

static inline bool nt_marker_is_station(const nt_marker *marker)
{
    return marker->given >> NT_MARKER_STATION & 1;
}

typedef struct nt_parameter_value {
    double value;
    double asked; /* the value that was given for it last            */
    bool taken;   /* that value was taken instead of the expression's */
} nt_parameter_value;

/* What stands in a function of time or of signals while one parameter is varied: its value on the
 * straight line, function + s (derivative of the function in the parameter), so that differences
 * along it are exact however the function curves (parameter_tangent.c). */
typedef struct nt_straight {
    const double *base, *rates; /* [as variables] values and their derivatives          */
    double share;               /* of the value itself, 1 or 0                          */
    double s;
    double motion[3]; /* derivatives of f, f', f'' of the joint that is evaluated */
} nt_straight;

/* What paths of static states scale: elements that are loads, gravity, prescribed motions. */
enum { NT_SHARE_LOADS, NT_SHARE_GRAVITY, NT_SHARE_MOTIONS, NT_SHARES };

/* What an element has come across while energies were looked at: its worst, since when, when it was
 * worst, at which of its parts; `by` 0: nothing. And, by a measure of the element's, what was the
 * worst of these looks and what evaluations have seen since that is worse, and when: it is looked
 * at once the step stands; 0: nothing. */
typedef struct nt_run_note {
    double by, since, at; /* s */
    int part;
    double known, seen, when; /* s */
} nt_run_note;

/* How fast an element damps the motion of two bodies, at most, and at which of its parts; beside
 * [1] their own damping, and without it [0]. And how stiff it is. See nt_system.fastest_damping. */
typedef struct nt_run_damping {
    double rate[2]; /* 1/s */
    int part[2];
    nt_stiffest stiffest; /* which[1]: the part */
} nt_run_damping;

struct nt_run {
    const nt_model *model;
    nt_arena arena;
    nt_arena work;        /* of what is found anew whenever it is looked at */
    nt_system system;     /* self: this run */
    nt_stop_request stop; /* of the system  */

    /* All numbers of the model that parameters can change lie in one piece, so that bindings name a
     * number by its place there, and a copy of the piece is a copy of the model's numbers: gravity,
     * bodies, markers, the data of elements. */
    char *numbers;   /* [model->numbers] bytes; the origin's where there are no parameters */
    double *gravity; /* [3], in numbers                     */
    double share[NT_SHARES];        /* 1; on paths of static states what there is of each */
    nt_body *bodies;                /* [n_bodies] ground first, in numbers */
    nt_marker *markers;             /* [n_markers], in numbers            */
    nt_parameter_value *parameters; /* [n_parameters]         */
    double *values;                 /* [2 n_parameters] scratch of nt_model_set */
    double length;                  /* m, see nt_run_length   */
    double *initial_q, *initial_v, *initial_memory;
    const char *corrections; /* what `initial: {correct: true}` moved, a line each; NULL: nothing */
    char *correction_text;   /* where they stand */
    int *redundant; /* [n_redundant] rows, of nh + nn, that depend on others at the start */
    int n_redundant;
    nt_momenta momenta;
    double *mass, *inertia; /* behind momenta */

    /* the point that was looked at last */
    double *variables;        /* [n_parameters + 1 + n_signals]: parameters, t, signals */
    nt_motion *motion;        /* [n_bodies] */
    nt_motion *motion_before; /* [n_bodies] of the begin of a step, NULL where no surfaces meet */
    double *multipliers;      /* [nh + nn] */
    double *scratch;          /* [model->scratch] */
    nt_local local;
    nt_view view;                         /* of that point, for elements */
    struct nt_side_by_side *side_by_side; /* NULL: one thread */
    struct nt_pool *pool;                 /* its threads, for system.pool */
    const nt_element *failed;             /* whose evaluation failed, NULL for none */
    nt_run_note *notes;                   /* [n_elements], NULL where none has warnings          */
    nt_run_damping *dampings;             /* [n_elements], NULL where none touches               */
    double *carried;                      /* [n_bodies], kg, by bodies without a mass; likewise   */
    nt_run_note *noting;                  /* the same while energies are those of a run; or NULL */

    /* derivatives in parameters (parameter.h) */
    struct nt_parameter_rates *rates; /* [n_parameters]                                    */
    const nt_straight *straight;      /* NULL but while an element is varied               */
    double *onsets;                   /* [n_onsets] of the point at which they are held    */
    double *onsets_beside[3];         /* [n_onsets] each, of differences                   */
    bool overstepped;                 /* elements have forces that steps may pass over, and: */
    double *onsets_at_end[2];         /* [n_onsets] of both ends of a step                 */
    double *onsets_within;            /* [n_onsets] of one of them                         */
    nt_motion *motion_within;         /* [n_bodies] of its bodies                          */
    const double *beyond;             /* the same while they are, nt_onset_acts; or NULL   */
    const double *sides;              /* [n_onsets] at a stop, onsets.h; or NULL           */
    bool holds_bends;       /* `beyond` is of expressions that bend too (nt_system.hold_onsets) */
    double *variables_base; /* [as variables] while one is varied                */
    double *variables_scratch;             /* [the same]                                        */
    double *varied_residual, *varied_rows; /* [nv], [nh + nn]; [0] without parameters */
    struct nt_entry *entry;                /* [model->most_entries] of the element that is varied */
    double *entry_values;                  /* [6 model->most_entries]                             */
    double parameter_error;                /* see nt_run_parameter_error */

    struct nt_passing *passings;       /* [n_switches] */
    struct nt_event_note *event_notes; /* [n_happenings], see events.h */
    double *named_variables;           /* [n_parameters + 1 + n_columns] of a named quantity */
    bool settling;                     /* parameters count as given: nothing is to be found */
    double *unknown_rates;             /* [n_parameters][n_unknowns] derivatives of the unknowns */
    bool unknown_rates_known;
    double *events_rows; /* [nh + nn] */
    double *set_now; /* [2 n_parameters] as the discrete memory has it: set or not, and values */
    bool keeps_set;  /* looks have the parameters as they are, whatever memory they see */
    bool beside;     /* a parameter is moved, from a value that stands here */
    double beside_value;
    double *events_work;                      /* [nq + 2 nv] */
    struct nt_objective_work *objective_work; /* objective.c; NULL before the first look */
};

/* Parts of making one: variables, when signals are known; the state, when the system is. */
nt_status nt_run_take_variables(nt_run *run);
nt_status nt_run_take_state(nt_run *run);
/* The state, the numbers and all that was found for them, of another run of the model. */
void nt_run_copy_state(nt_run *run, const nt_run *from);
/* Before a run's numbers are changed by another way than its parameters: those that it shares
 * become a copy of its own. */
nt_status nt_run_own_numbers(nt_run *run);
/* From now on it is copied, never looked at. */
void nt_run_rest(nt_run *run);

/* A number by its place. */
static inline double *nt_run_number(const nt_run *run, size_t place)
{
    return (double *)(void *)(run->numbers + place);
}

/* Whether onset k of an element is passed: x > 0; at a stop on the side that is held there
 * (events/onsets.h); or, while onsets are held, as where they are held (nt_system.hold_onsets), so
 * that differences of what begins there see one side. */
static inline bool nt_onset_acts(const nt_run *run, const nt_element *element, int k, double x)
{
    const double *held = run->beyond ? run->beyond + element->first_onset + k : NULL;
    double side = run->sides ? run->sides[element->first_onset + k] : 0;
    if (side != 0)
        return side > 0;
    return held && !isnan(*held) ? *held > 0 : x > 0;
}

/* The data of an element. */
static inline const void *nt_element_data(const nt_run *run, const nt_element *element)
{
    return run->numbers + element->data;
}
static inline void *nt_element_numbers(nt_run *run, const nt_element *element)
{
    return run->numbers + element->data;
}

#endif
