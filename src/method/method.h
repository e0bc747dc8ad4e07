/* What a method's descriptor holds and what its step sees. Internal. */
#ifndef NUTATE_METHOD_METHOD_H
#define NUTATE_METHOD_METHOD_H

#include "method/alpha/family.h"
#include "method/options.h"
#include "system/factors.h"

#include <nutate/method.h>

enum { /* nt_method.needs: what it asks of a system, and what it can treat */
       NT_NEEDS_TANGENT = 1,
       NT_HOLONOMIC = 2,      /* can treat holonomic constraints    */
       NT_NONHOLONOMIC = 4,   /* can treat nonholonomic constraints */
       NT_CONTROLS_ERROR = 8, /* takes tolerances                   */
       NT_NEEDS_MOMENTA = 16, /* constant inertia of each block     */
       NT_NEEDS_POSITION_FORCES = 32,
       /* chooses its steps itself: h says how far it may go, see `step` */
       NT_OWN_STEPS = 64,
       NT_VECTOR_SPACE = 128, /* works where there are no rotations */
       NT_GAINS_ENERGY = 256, /* unstable in long runs: the watch on energy only warns */
       NT_FIRST_ORDER = 512,  /* can treat unknowns of first order  */
       NT_NO_SLIDING = 1024,  /* multipliers enter by reactions alone: no sliding mode */
       NT_MASSLESS = 2048,    /* can treat unknowns without inertia: rests them at the start */
       /* the accelerations and multipliers in a state belong to a point within the step that led
        * to it, or are approximations: they do not satisfy the equations at the state itself */
       NT_RATES_WITHIN = 4096,
       NT_MULTIPLIERS_WITHIN = 16384, /* and the multipliers belong to the middle of that step */
       NT_STAGGERED = 8192, /* places and velocities of a state are up to a step apart in time */
};

/* nt_method.frames */
#define NT_IN_FRAME(frame) (1u << (frame))
enum { NT_IN_BOTH_FRAMES = 3 };

/* A state: one array of doubles, so that saving is a copy. */
typedef struct nt_phase {
    double *all; /* [size] t, work, step, power, then the arrays below             */
    double *q, *v, *vdot, *lambda, *mu;
    double *memory; /* the system's discrete memory [n_memory]                       */
    double *method; /* the method's own memory [layout.memory]                       */
} nt_phase;

/* How many values of power a state keeps of the step that led to it: W, of the forces without a
 * potential, at the nodes of work.c. */
enum { NT_WORK_NODES = 5 };
enum {
    NT_PHASE_T,
    NT_PHASE_WORK,
    NT_PHASE_STEP,
    NT_PHASE_POWER,
    NT_PHASE_HEAD = NT_PHASE_POWER + NT_WORK_NODES
};

/* Doubles that a method asks for. */
typedef struct nt_layout {
    size_t memory;    /* kept from step to step, part of the saved state                          */
    size_t scratch;   /* lost between steps                                                       */
    size_t variation; /* of memory: what varies in it, as increments; 0: as many as `memory`      */
    size_t linear;    /* scratch of `linearise` ...                                               */
    size_t linear_each; /* ... and for each direction                                             */
    bool fours;    /* `linearise` takes several variations in groups of four, see nt_directions */
    bool proposes; /* with these options `propose` chooses the steps, even without a tolerance  */
} nt_layout;

/* A variation of a state, in the problem's frame: dq is an increment. One array of doubles each. */
typedef struct nt_variation {
    double *q, *v, *vdot; /* [nv]                                             */
    double *lambda, *mu;  /* [nh], [nn]                                       */
    double *memory;       /* [n_memory]                                       */
    double *method;       /* [layout.variation]                               */
} nt_variation;

/* The same, to be read. */
typedef struct nt_const_variation {
    const double *q, *v, *vdot, *lambda, *mu, *memory, *method;
} nt_const_variation;

static inline nt_const_variation nt_variation_to_read(const nt_variation *d)
{
    return (nt_const_variation){d->q, d->v, d->vdot, d->lambda, d->mu, d->memory, d->method};
}

/* The directions along which a step is differentiated: parameters, initial values, its length.
 * Variations follow one another, all[count][stride]; or, for methods that take them so, groups of
 * four do, all[(count + 3)/4][group], each number of a variation beside those of the three others,
 * and zero where there is no direction. */
typedef struct nt_directions {
    int count;
    bool fours;      /* side by side                                          */
    bool length;     /* the last is the length of the step: sensitivity/step_length.h */
    bool alone;      /* and steps before keep theirs                          */
    size_t stride;   /* doubles of one variation                              */
    size_t group;    /* doubles of a group of four                            */
    double *scratch; /* [layout.linear + count layout.linear_each], left alone between calls; count
                        rounded up to fours where they are side by side */
    /* Adds to terms->residual[nv] and terms->rows[nc] (each may be NULL) what direction i changes
     * in them at a point besides (vdot, v, q, lambda, mu): parameters and memory. In the problem's
     * frame; honours parts and level. */
    nt_status (*load)(void *context, int i, const nt_point *at, const nt_terms *terms);
    void *context;
} nt_directions;

/* What the last step says of itself. */
typedef struct nt_report {
    int iterations;
    double worst;   /* largest ratio of increment or residual to its tolerance at the end */
    int unknown;    /* whose it is, -1 for none                                           */
    bool increment; /* it is an increment of that unknown, not the residual of its equation      */
    double position_drift; /* largest |Phi| at the accepted point                        */
    double step;       /* s, that failed, of a method that chooses its steps; 0: not known     */
    const char *words; /* what failed, instead of the status' own; NULL: nothing else     */
    /* h times the fastest damping that the step treats explicitly, divided by the largest value
     * for which the step is stable: above 1 the step was too long. damped_by tells the force that
     * damps (nt_system.fastest_damping). */
    double damped;
    int damped_by[2];
    /* The same for h times the frequency of the stiffest force (nt_system.stiffest): where steps
     * follow that frequency, the one ahead; with equal steps, the present one. */
    double swings;
    int swings_by[2];
    /* Likewise h times the fastest friction that the step takes implicitly, over what leaves it no
     * way to turn the sliding round again and again (nt_stiffest.turns) */
    double turns;
    int turns_by[2];
} nt_report;

/* One step's world. `step` reads now, writes next and nothing else of the state. */
typedef struct nt_stepper {
    const nt_problem *problem;
    /* The matrix and the factors to work with, and the rows in use: the step's own. `interpolate`,
     * `linearise` and `vary_dense` are handed a stepper with others, of the look or of the
     * sensitivities, so that they leave the step's as they are. */
    nt_factors *factors;
    nt_factors *linear; /* of sensitivities, in a step that will be differentiated; else NULL */
    const nt_options *options;
    nt_phase now, next;
    double *scratch;
    nt_statistics *statistics;
    nt_report report;
    double tolerance[4]; /* position, rotation, velocity, angular_velocity; 0: equal steps  */
    /* for methods that choose their steps, s: bounds, 0: none; and what the caller gave as step */
    double minimum_step, maximum_step, asked_step;
    /* parameters or loads changed since `now`: what the method kept of forces is void */
    bool stale;
    /* the derivative of steps in their length may be asked for */
    bool lengthwise;
    /* `interpolate` is called for the power of the loads alone: q, v and the multipliers may be
     * off by what the tolerance allows, and need not satisfy the constraints */
    bool glances;
    /* the state was restored since the last step: what the method keeps outside it is void */
    bool resumed;
    bool has_tangent; /* the step has left the tangent where it converged in linear->matrix */
    void *own; /* what `close` frees                                                              */
    /* coefficients of generalized-alpha for the last step's size `h`, 0 before the first: they
     * follow from the options and from h alone */
    nt_family family;
} nt_stepper;

struct nt_method {
    const char *name, *summary, *reference;
    unsigned needs;
    const nt_option_key *options;
    int n_options;
    unsigned frames; /* NT_IN_FRAME(...), of the problem it works on */
    int error_order; /* k where the error estimate shrinks like h^k; 0: no estimate */
    /* What tells methods of one family apart whose slots are the same functions: a table of
     * coefficients, a composition, a stage. They find it in options->method. */
    const void *scheme;
    /* Check options that depend on each other; sizes of memory and scratch. */
    nt_status (*layout)(const nt_problem *problem, const nt_options *options, nt_layout *layout,
                        nt_error *error);
    /* Method memory from consistent q, v, vdot, lambda, mu in `next`. */
    nt_status (*start)(nt_stepper *stepper);
    /* now -> next over h. NT_NOT_CONVERGED, NT_SINGULAR, NT_NOT_FINITE: `next` is void, the report
     * says what was worst. The size of the step before is in now->all[NT_PHASE_STEP], 0 at the
     * start. With NT_OWN_STEPS: one step of its own choice, to now + h at most; the time reached
     * is written into next->all[NT_PHASE_T], and failures of its own are counted as rejected.
     * Never allocates. */
    nt_status (*step)(nt_stepper *stepper, double h);
    /* Whether the next step follows from the state alone, whatever the method keeps outside it.
     * NULL: always. A method with this function answers yes at least once in a thousand steps
     * between which nothing happens, and behind what happens if it begins anew there. */
    bool (*whole)(const nt_stepper *stepper);
    /* Give back what the method owns besides memory and scratch (`own` of the stepper); NULL:
     * nothing. */
    void (*close)(nt_stepper *stepper);
    /* Local error of the last step (now -> next), estimate[2 nv]: of q as an increment, and of v.
     * For methods with NT_CONTROLS_ERROR. */
    nt_status (*error)(nt_stepper *stepper, double h, double *estimate);
    /* The local error, likewise, of the step that led to `now`, once the accelerations h/2 further
     * on are known: for methods whose steps do not look at their end. `next` is the step from `now`
     * over h, or (h = 0) `now` with the accelerations that the forces there give. NULL: `error`
     * knows them. */
    nt_status (*review)(nt_stepper *stepper, double h, double *estimate);
    /* The step size that the method itself proposes after the step now -> next (stability, a time
     * transformation); 0: none. NULL: never. */
    double (*propose)(nt_stepper *stepper, double h);
    /* Dense output of the method's own order at time t between two states, from what it keeps in
     * memory: fills all of `out` but memory, step and work. May use scratch. NULL: dense_output.c.
     */
    nt_status (*interpolate)(nt_stepper *stepper, const nt_phase *from, const nt_phase *to,
                             double t, nt_phase *out);
    /* The step's linear map at the converged states now -> next: variations before[count][stride]
     * to variations after[count][stride]; all of `after` but memory is written. The step's own
     * algorithm is differentiated, memory of the method included. h = 0: of `start`, in `next`,
     * where all of `after` but `method` is given and that is written. Step sizes are frozen. */
    nt_status (*linearise)(nt_stepper *stepper, double h, const nt_directions *directions,
                           const double *before, double *after);
    /* What `interpolate` gives at t, varied: from the variations at both ends of the step that was
     * linearised last, with the same directions and their scratch as it was left; all of `between`
     * but memory and method is written. NT_UNSUPPORTED where `interpolate` itself resorts to
     * dense_output.c. NULL where `interpolate` is. */
    nt_status (*vary_dense)(nt_stepper *stepper, const nt_phase *from, const nt_phase *to, double t,
                            const nt_directions *directions, const double *before,
                            const double *after, double *between);
    /* Why energy grows in steps like the last ones, and what would do, where the method can tell;
     * NULL: it cannot. NULL: never. */
    const char *(*explain_growth)(const nt_stepper *stepper);
    /* Says what bears steps up to which size at a state whose t, q, v and memory are given, where
     * that is less than h; the length of the text, 0 for nothing. May use scratch and `next`. Asked
     * once, when a run of equal steps has failed. NULL: nothing is known. */
    int (*reach)(nt_stepper *stepper, const nt_phase *at, double h, char *text, int size);
};

static inline nt_point nt_phase_point(const nt_phase *phase)
{
    return (nt_point){.t = phase->all[NT_PHASE_T],
                      .q = phase->q,
                      .v = phase->v,
                      .vdot = phase->vdot,
                      .lambda = phase->lambda,
                      .mu = phase->mu,
                      .memory = phase->memory};
}

/* The arrays of variation i in all[count][stride], one after the other. */
static inline nt_variation nt_variation_at(const nt_problem *problem,
                                           const nt_directions *directions, double *all, int i)
{
    double *q = all + (size_t)i * directions->stride, *v = q + problem->nv;
    double *vdot = v + problem->nv, *lambda = vdot + problem->nv, *mu = lambda + problem->nh;
    double *memory = mu + problem->nn, *method = memory + problem->system->n_memory;
    return (nt_variation){q, v, vdot, lambda, mu, memory, method};
}

static inline nt_const_variation nt_const_variation_at(const nt_problem *problem,
                                                       const nt_directions *directions,
                                                       const double *all, int i)
{
    const double *q = all + (size_t)i * directions->stride, *v = q + problem->nv;
    const double *vdot = v + problem->nv, *lambda = vdot + problem->nv;
    const double *mu = lambda + problem->nh, *memory = mu + problem->nn;
    const double *method = memory + problem->system->n_memory;
    return (nt_const_variation){q, v, vdot, lambda, mu, memory, method};
}

/* The arrays of group i in all[][group], each number four times. The unknowns of linear systems, q
 * and the multipliers, follow one another: they can be solved for in place. Others are two cache
 * lines further off: where 32 nv bytes are whole pages (64 bodies), numbers that are used together
 * would compete for the same place in the cache. */
enum { NT_GROUP_GAP = 16 };
static inline nt_variation nt_variation_group(const nt_problem *problem,
                                              const nt_directions *directions, double *all, int i)
{
    double *q = all + (size_t)i * directions->group, *lambda = q + 4 * problem->nv;
    double *mu = lambda + 4 * problem->nh, *v = mu + 4 * problem->nn + NT_GROUP_GAP;
    double *vdot = v + 4 * problem->nv + NT_GROUP_GAP;
    double *memory = vdot + 4 * problem->nv + NT_GROUP_GAP;
    double *method = memory + 4 * problem->system->n_memory;
    return (nt_variation){q, v, vdot, lambda, mu, memory, method};
}

static inline nt_const_variation nt_const_variation_group(const nt_problem *problem,
                                                          const nt_directions *directions,
                                                          const double *all, int i)
{
    const double *q = all + (size_t)i * directions->group, *lambda = q + 4 * problem->nv;
    const double *mu = lambda + 4 * problem->nh, *v = mu + 4 * problem->nn + NT_GROUP_GAP;
    const double *vdot = v + 4 * problem->nv + NT_GROUP_GAP;
    const double *memory = vdot + 4 * problem->nv + NT_GROUP_GAP;
    const double *method = memory + 4 * problem->system->n_memory;
    return (nt_const_variation){q, v, vdot, lambda, mu, memory, method};
}

extern const nt_method nt_method_akw;
extern const nt_method nt_method_bdf;
extern const nt_method nt_method_generalized_alpha;
extern const nt_method nt_method_generalized_alpha_linear;
extern const nt_method nt_method_generalized_alpha_residual;
extern const nt_method nt_method_generalized_alpha_soi2;
extern const nt_method nt_method_lie_euler;
extern const nt_method nt_method_lie_euler_adjoint;
extern const nt_method nt_method_lie_midpoint;
extern const nt_method nt_method_lie_newmark;
extern const nt_method nt_method_lie_newmark_4;
extern const nt_method nt_method_lie_newmark_6;
extern const nt_method nt_method_semi_explicit;
extern const nt_method nt_method_semi_explicit_2;
extern const nt_method nt_method_theta;
extern const nt_method nt_method_simo_wong;
extern const nt_method nt_method_simo_wong_explicit;
extern const nt_method nt_method_stormer_verlet;
extern const nt_method nt_method_symplectic_euler;
extern const nt_method nt_method_rkmk_dop853;
extern const nt_method nt_method_rkmk_dopri5;

/* nt_method_check_system of a system that was checked. */
nt_status nt_method_suits(const nt_method *method, const nt_system *system, nt_error *error);

/* Values of all options: defaults, then what is given in the `setup` of a public function, whose
 * name is said where one is NULL. values[method->n_options]. */
nt_status nt_method_parse_options(const nt_method *method, const nt_option *options, int n,
                                  double *values, const char *function, nt_error *error);

#endif
