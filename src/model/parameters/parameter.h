/* Derivatives of a model in its named parameters.
 *
 * The chain from a parameter p to a residual:
 *
 *   p -> numbers of the file      expressions; exact by nt_expression_jet
 *     -> derived numbers          masses about reference points, joint points and triads, initial
 *                                 values: everything that nt_run_prepare and nt_run_assemble
 *                                 compute; differences of eighth order along the straight line
 *                                 that the numbers of the file follow, once
 *     -> residual, rows, records  along the straight line that the *derived* numbers follow; so
 *                                 differences of what is linear or quadratic in them are exact,
 *                                 with wide steps, however p enters the derived numbers
 *
 * Only bodies and elements whose derived numbers change are looked at. */
#ifndef NUTATE_MODEL_PARAMETER_H
#define NUTATE_MODEL_PARAMETER_H

#include "base/difference.h"
#include "model/model.h"
#include "model/quantities/quantity.h"

/* A number of the model that changes: where it stands, its value, its derivative. */
typedef struct nt_word {
    double *at;
    double base, rate;
} nt_word;

/* A run of words. */
typedef struct nt_words {
    int first, count;
} nt_words;

/* An element whose residual changes at a given point. */
typedef struct nt_touched {
    int element;
    nt_words own;         /* of its data                                                     */
    nt_words of_joint[2]; /* of the joints that it acts along                                */
    nt_words gravity;     /* where it has inertia, and so weight                             */
    bool moved;           /* one of its bodies has a fixed point that moves                  */
    bool functions;       /* its functions of t and signals change                           */
    bool holds_point;     /* a joint that holds a point and nothing else: ...            */
    v3 point_a, point_b;  /* ... derivatives of its points, body axes                    */
    bool quadratic;       /* what it adds is quadratic in s: two values give the derivative */
    bool linear;          /* it is linear: they can be far away                             */
    const nt_expression *motion; /* prescribed motion that changes; NULL for none          */
    double step;       /* words change by their own size along s = step; 0 where there are none  */
    const void *rates; /* of the element's data, for nt_element_type.vary; NULL: not by it  */
} nt_touched;

/* An entry of what an element adds: its place in the element's own residual or among all rows, and
 * where its derivative is added. */
typedef struct nt_entry {
    int from;
    double *to;
} nt_entry;

/* A signal whose value changes at a given state, and the words that change it. */
typedef struct nt_touched_signal {
    int signal;
    nt_words words[2];
    bool functions; /* functions of its element that parameters change enter it */
} nt_touched_signal;

/* Bodies whose mass and inertia stand for their derivatives (the residual is linear in them). */
typedef struct nt_body_pass {
    nt_body *bodies; /* [n + 1], the first stands for the ground */
    int n;
    v3 gravity;
    unsigned parts;
} nt_body_pass;

/* A body that moves and of which nothing but the mass changes, or gravity: it needs no rotation. */
typedef struct nt_weight {
    int v;       /* its first entry in v                    */
    double rate; /* of its mass, 0 where a pass has it      */
    double mass; /* kg                                      */
} nt_weight;

typedef struct nt_moved_body {
    int body;
    v3 rate; /* of its reference point, ground axes */
} nt_moved_body;

/* All that is known of one parameter; valid until parameters are set. */
typedef struct nt_parameter_rates {
    bool ready;
    nt_arena arena;
    double scale;      /* a natural change of the parameter                                  */
    double *variables; /* [as run->variables] derivatives of parameters, 0 for t and signals */
    nt_word *words;    /* [n_words] of bodies, markers, gravity, signals, elements            */
    int n_words;
    nt_weight *weights; /* [n_weights] */
    int n_weights;
    v3 gravity_rate;
    nt_body_pass pass[3];
    int n_passes;
    nt_motion *motion; /* [n_bodies] scratch of passes */
    nt_moved_body *moved;
    int n_moved;
    nt_touched *touched;
    int n_touched;
    int *seen; /* [n_seen] bodies that touched elements look at */
    int n_seen;
    bool functions;            /* touched elements have some, changing or not: signals are needed */
    nt_touched_signal *signal; /* [n_signals] */
    int n_signals;

    double *dq, *dv, *dmemory; /* of consistent initial values, inertial frame       */
    int open_row;              /* a constraint row that initial values leave open; -1 */
    nt_level open_level;
    double opening; /* by how much per unit of the parameter */
} nt_parameter_rates;

/* Memory for all parameters; false when it is out. After the layout of the state is known. */
bool nt_parameter_rates_init(nt_run *run);
/* Parameters were set: what was known of derivatives is void. */
void nt_parameter_rates_forget(nt_run *run);

/* Fill in run->rates[k]. Allocates; leaves the model as it was, bit for bit. */
nt_status nt_parameter_rates_find(nt_run *run, int k, nt_error *error);

/* How the placement of a run (as `self`) changes with parameter k: dq[nv]; of a model whose runs
 * begin in a static state that is where the search for it begins. */
nt_status nt_run_placement_tangent(void *self, int k, double *dq);

/* Whether `test` is true of one of the element's functions. */
typedef bool nt_function_test(void *context, const nt_expression *function);
bool nt_element_has_function(const nt_run *run, const nt_element *element, nt_function_test *test,
                             void *context);
/* Whether the element's functions depend on variables with a rate; on any at all for NULL. */
bool nt_element_uses(const nt_run *run, const nt_element *element, const double *rates);
/* The points that a rope goes through, NULL for others. */
const nt_route *nt_element_route(const nt_model *model, const nt_element *element);
/* The joints that a motor, a torsion spring or a gear acts along: their number. */
int nt_element_joints(const nt_model *model, const nt_element *element, int joints[2]);

/* Put words at base + s rate; s = 0 restores their bits. */
static inline void nt_words_put(const nt_parameter_rates *rates, nt_words words, double s)
{
    for (int i = words.first; i < words.first + words.count; i++) {
        const nt_word *word = &rates->words[i];
        *word->at = s == 0 ? word->base : word->base + s * word->rate;
    }
}

/* The smaller of `step` (0: none yet) and the s along which all words change by at most their own
 * size, a small one by `unit`. */
static inline double nt_words_step(const nt_parameter_rates *rates, nt_words words, double unit,
                                   double step)
{
    for (int i = words.first; i < words.first + words.count; i++) {
        const nt_word *word = &rates->words[i];
        double s = fmax(fabs(word->base), unit) / fabs(word->rate);
        step = step == 0 ? s : fmin(step, s);
    }
    return step;
}

/* Everything the parameter changes, at base + s rate: for whole evaluations of the model. */
void nt_parameter_rates_put(nt_run *run, const nt_parameter_rates *rates, double s);

/* Whether each touched element is quadratic: by trial (parameter_tangent.c). */
void nt_parameter_rates_classify(nt_run *run, nt_parameter_rates *rates);

/* system.h */
nt_status nt_run_parameter_tangent(void *self, const nt_point *at, int k, const nt_terms *terms);

nt_status nt_run_own_initial_tangent(void *self, double t, int k, double *dq, double *dv,
                                     double *dmemory);
nt_status nt_run_energy_tangent(void *self, const nt_point *at, int k, nt_energy *derivative);

#endif
