/* What can be said of a system without following a motion step by step: where it rests, how it
 * shakes about such a state, what is linear about it, which motions repeat.
 *
 * Threads. An analysis belongs to the thread of the run or system that it is made with. */
#ifndef NUTATE_ANALYSIS_H
#define NUTATE_ANALYSIS_H

#include <nutate/method.h>
#include <nutate/model.h>
#include <nutate/sensitivity.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- static states ------------------------------------------------------------------------------
 *
 * Where a system rests: R = 0 and Phi = 0 without velocities and accelerations. */
typedef struct nt_static nt_static;

/* Zero is a sensible value for every field but `system`. */
typedef struct nt_static_setup {
    int version;             /* NT_INTERFACE, or 0: of this header                                */
    const nt_system *system; /* borrowed; it has derivatives (NT_HAS_TANGENT)                     */
    nt_solver_kind solver;   /* NT_SOLVER_AUTO: dense or KLU, which pivot                         */
    const int *held;         /* [n_held] entries of v along which nothing moves: of rotations they
                                are axes of the body, else those of the system                    */
    int n_held;
    int hold_free; /* 1: what nothing holds and nothing moves is held where it is, else refused; 2:
                      what a load turns round and round as well, whatever resists on the way     */
    int damped; /* 0: the nearest state, be it unstable; 1: one that a damped motion reaches      */
    /* What a path changes, at 1 and before the first call as it is without a path: nt_loading_apply
     * with an nt_loading, or a function for a system by hand; NULL: there are no paths. */
    nt_status (*set_load)(void *context, double load);
    void *context;
    /* How the placement of nt_static_start changes with parameter k, dq[nv], in entries of first
     * order what they begin with: what is held, what sticks and states without any rate go with it
     * when a state is differentiated. NULL: they stay. */
    nt_status (*placement_rates)(void *placed, int k, double *dq);
    void *placed;
} nt_static_setup;

/* Fill in what a model's section `static` says: the run's system, held entries (the model's). The
 * caller sets setup->version before. */
NT_API nt_status nt_run_static_setup(nt_run *run, nt_static_setup *setup, nt_error *error);

/* All memory is taken here. NT_INVALID, NT_UNSUPPORTED, NT_NO_MEMORY with words. */
NT_API nt_status nt_static_create(nt_static **state, const nt_static_setup *setup, nt_error *error);
NT_API void nt_static_destroy(nt_static *state);

/* Begin at the placement q[nq], time t (s) for what depends on it, under the whole load. v[nv]: of
 * its entries those of first order count; NULL: zeros, as for memory[n_memory]. */
NT_API nt_status nt_static_start(nt_static *state, double t, const double *q, const double *v,
                                 const double *memory, nt_error *error);

/* Find the state nearest to where it stands: by Newton's iteration where that stays near by, else
 * by following a damped motion. NT_NOT_CONVERGED with what still moves; NT_SINGULAR with the
 * motions that nothing determines. The point is then the last one of the search. */
NT_API nt_status nt_static_solve(nt_static *state, nt_error *error);

/* The present state, velocities and accelerations being zero. Its arrays belong to the object and
 * change with it. t is NaN for NULL. */
NT_API nt_state nt_static_state(const nt_static *state);

/* Motions that nothing determines, held (or refused) by the last nt_static_solve: their number, and
 * the entry of v of each; -1 where there is none. */
NT_API int nt_static_free_count(const nt_static *state);
NT_API int nt_static_free_entry(const nt_static *state, int i);
/* How many of them are never refused: they lie where nothing pushes them, as points of a slack line
 * do (nt_system.rests). */
NT_API int nt_static_rest_count(const nt_static *state);

/* Set-valued dry friction at the state that was found. What touches sticks where it was placed;
 * what has to hold more than it can slips, until it comes to rest with its whole limit. Memory of
 * nt_static_start says what is known before, as that of a state that was found does. Along a path
 * the last point is where it stuck. */
typedef struct nt_static_friction {
    nt_dry_state holds;
    double force, limit; /* N or N m: what it holds, and the most that it can       */
    char name[160];      /* "joint rail", "contact floor"                           */
} nt_static_friction;

NT_API int nt_static_friction_count(const nt_static *state);
/* The i-th, from 0 on; NT_INVALID where there is none. */
NT_API nt_status nt_static_friction_at(nt_static *state, int i, nt_static_friction *out,
                                       nt_error *error);

/* What a point of a path is. */
typedef enum nt_static_event {
    NT_STATIC_POINT,
    NT_STATIC_LIMIT, /* the load is largest or smallest along the path */
    NT_STATIC_BRANCH /* another path crosses: the path that goes on straight is followed */
} nt_static_event;

/* A path of static states. Zero is a sensible value for every field but from and to. */
typedef struct nt_static_path {
    int version;      /* NT_INTERFACE, or 0: of this header                                       */
    double from, to;  /* of the load                                                              */
    int arc_length;   /* 0: the load goes straight there, 1: it may fall and rise on the way      */
    double step;      /* largest: of the load, as a part of its way (1); first: of the arc length,
                         whose unit is a turn by 1 rad or a move by the system's length (0.05)        */
    long most_points; /* of the arc length (2000)                                                */
    /* Called at each point, the first included; not 0: NT_INTERRUPTED. */
    int (*observe)(void *context, nt_static *state, double load, nt_static_event event);
    void *context;
} nt_static_path;

/* Follow a path from where the system rests under load `from`. NT_NOT_CONVERGED where no state
 * carries the load, with how far it came: the state is the last one that was found. */
NT_API nt_status nt_static_follow(nt_static *state, const nt_static_path *path, nt_error *error);
/* The present load; NaN for NULL. */
NT_API double nt_static_load(const nt_static *state);

/* What goes along with the load of a path of a run: a parameter, or "loads" (forces and torques
 * that the file gives), "gravity", "motions" (prescribed ones), as parts of what they are. NaN:
 * from 0, to its present value. */
typedef struct nt_load_range {
    const char *name;
    double from, to; /* at load 0 and 1 */
} nt_load_range;

typedef struct nt_loading nt_loading;

/* ranges[n]; n = 0: loads, gravity and motions from 0 to 1. The run must outlive it, and is what it
 * was after nt_loading_apply with 1. NT_INVALID for a name that there is not. */
NT_API nt_status nt_loading_create(nt_loading **loading, nt_run *run, const nt_load_range *ranges,
                                   int n, nt_error *error);
NT_API void nt_loading_destroy(nt_loading *loading);
/* For nt_static_setup.set_load, with the nt_loading as its context. */
NT_API nt_status nt_loading_apply(void *loading, double load);

/* What happens to the state when it is left by a little. */
typedef struct nt_stability {
    int stable;      /* every small motion away from it takes work                        */
    double softness; /* smallest stiffness of all directions, relative to those of the parts
                        that move, each alone; infinite where nothing can move            */
    const double
        *direction;  /* [nv] of a stable state that in which it shakes slowest, of others that
                        in which they are left; the state's own; NULL: nothing can move   */
    double rate;     /* 1/s^2, stiffness over inertia along it: squared angular frequency */
    char words[320]; /* the entries that move most                                        */
    int critical;    /* softness is below 1e-14, next to rounding: it may be either           */
} nt_stability;

/* How stable a state is that was found. */
NT_API nt_status nt_static_stability(nt_static *state, nt_stability *stability, nt_error *error);

/* How the state changes with parameter k of the system, by its number: arrays that belong to the
 * state until the next call on it. Of a state that was found; held directions stay held. */
NT_API nt_status nt_static_tangent(nt_static *state, int k, nt_state_tangent *tangent,
                                   nt_error *error);
/* How the reactions of nt_static_reactions change with parameter k: out[nh + nn]. */
NT_API nt_status nt_static_reaction_rates(nt_static *state, int k, const nt_state_tangent *tangent,
                                          double length, double *out, nt_error *error);

/* How many directions are held, those of nt_static_setup.held first, then what moves freely; and
 * what each carries: its entry of v and the force (N) or moment (N m) of what holds it, 0 where
 * that is rounding. entries and forces[nt_static_held_count]. Of a state that was found. */
NT_API int nt_static_held_count(const nt_static *state);
NT_API nt_status nt_static_held_forces(nt_static *state, int *entries, double *forces,
                                       nt_error *error);

/* How many constraint rows depend on others at the state, beyond those where the search began: at a
 * dead centre, where ways of moving part, forces of joints are not determined, and the state's own
 * multipliers are those of least norm. */
NT_API int nt_static_lost_rows(const nt_static *state);
/* Multipliers of minimum norm (moments weighted by `length`, m): out[nh + nn]. */
NT_API nt_status nt_static_reactions(nt_static *state, double length, double *out, nt_error *error);

/* ---- modes and linear models ---------------------------------------------------------------- */

/* What equations are made linear about. */
typedef enum nt_about {
    NT_ABOUT_STATIC,  /* where the model rests                                                  */
    NT_ABOUT_INITIAL, /* its initial state, velocities and accelerations included, as if it lasted
                       */
    NT_ABOUT_STEADY   /* the motion of the section `steady`, which goes on alike at every moment  */
} nt_about;

/* A state to look about, and the axes from which its motion looks always the same. */
typedef struct nt_reference nt_reference;

/* Find the state of a run, at the start time of its model. In a steady motion every body moves by
 * the rates of the section `steady`; positions (and rates that are left out there) are found by
 * Newton's method near the initial ones, and so are the forces. Its axes are those of the ground
 * where the equations are the same at every moment in these, else axes that turn with everything.
 * NT_NOT_CONVERGED where there is no such state near by, or where a load is left over that no
 * position carries (its equation and size are named); NT_UNSUPPORTED where the motion does not look
 * the same at every moment. */
NT_API nt_status nt_reference_create(nt_reference **reference, nt_run *run, nt_about about,
                                     nt_error *error);
NT_API void nt_reference_destroy(nt_reference *reference); /* NULL is nothing */

/* The state, in the system's frame; its arrays belong to the reference. Of NULL all is zero. */
NT_API nt_state nt_reference_state(const nt_reference *reference);
/* Rate of its axes, turn[3], rad/s, ground axes; zeros where they stand. */
NT_API void nt_reference_turn(const nt_reference *reference, double turn[3]);
/* The largest acceleration (m/s^2, and rad/s^2 times the model's length) that the state has beyond
 * those of its steady motion; of an initial state that does not last, and of a state of rest that
 * what is held keeps from moving. */
NT_API double nt_reference_unrest(const nt_reference *reference);
/* How many constraint rows depend on others at a state of rest, beyond those at the placement: at a
 * dead centre, where ways of moving part, forces of joints are not determined. */
NT_API int nt_reference_lost_rows(const nt_reference *reference);
/* Rate i of the section `steady` as it was given or found, rad/s or m/s; NaN where there is none.
 */
NT_API double nt_reference_rate(const nt_reference *reference, int i);
/* The name of rate i in that section, which belongs to the model; NULL where there is none. */
NT_API const char *nt_reference_rate_name(const nt_reference *reference, int i);

/* Modes: motions y(t) = Re(x exp(s t)) of small displacements about a state, in its axes. A
 * translation is displaced by a vector (m), a rotation by a rotation vector (rad), both resolved in
 * axes that are the ground's now. */
typedef struct nt_modes nt_modes;

typedef struct nt_mode {
    double eigenvalue[2];   /* s, 1/s: growth rate and 2 pi times the frequency, which is >= 0    */
    double frequency;       /* Hz                                                                 */
    double damping_ratio;   /* -Re(s)/|s|; 0 of s = 0                                             */
    const double *shape[2]; /* [nv] real and imaginary part; the largest entry (rotations
                               times the system's length) is 1                            */
    const double *multipliers[2]; /* [nh + nn] of the forces of constraints                     */
    double residual; /* of the whole equations, relative to the sum of the sizes of their terms */
    /* Of a rigid displacement of everything along x, y, z and a turn about them through the centre
     * of the mass: p = x^H M e/(x^H M x) and |x^H M e|^2/(x^H M x), kg or kg m^2. */
    double participation[6], effective_mass[6];
    int moves_freely; /* s = 0: nothing resists the displacement, or less than rounding hides */
    /* 1/s: what rounding of the stiffness leaves open of |s|; where it moves freely |s| is below.
     * Of slender parts the bending is a small rest of what their stretching takes. */
    double doubt;
    int group;  /* modes whose eigenvalues agree to rounding are of one group, their shapes any
                   basis of what they span */
    int stands; /* it moves freely in so far as it stays wherever it is put: the displacement is no
                   motion that the constraints allow, as of what sticks or does not slip */
} nt_mode;

typedef struct nt_modes_setup {
    int version;             /* NT_INTERFACE, or 0: see nutate.h               */
    const nt_system *system; /* with tangents                                  */
    const nt_state *state;   /* in the system's frame                          */
    const double *turn;      /* [3] rate of the axes, NULL: they stand         */
    int count;               /* so many with the smallest |s|; 0: all          */
    int dense, sparse;       /* not 0: LAPACK or ARPACK whatever the size      */
} nt_modes_setup;

/* Modes in the order of |s|. LAPACK finds all of small models, ARPACK about a real shift the lowest
 * of large ones. The system is needed during the call only. NT_INVALID for more modes than there
 * are; NT_NOT_CONVERGED where they are not found. */
NT_API nt_status nt_modes_create(nt_modes **modes, const nt_modes_setup *setup, nt_error *error);
NT_API void nt_modes_destroy(nt_modes *modes); /* NULL is nothing */
NT_API int nt_modes_count(const nt_modes *modes);
/* Mode i; zeros where there is none. Arrays belong to the modes. */
NT_API nt_mode nt_modes_at(const nt_modes *modes, int i);
/* What moves in mode i, by shares of the kinetic energy: "rotation of body wheel about y (82 %),
 * ...". Written to text[size], always terminated. */
NT_API void nt_modes_words(const nt_modes *modes, int i, char *text, int size);
/* "LAPACK" or "ARPACK", which found them. */
NT_API const char *nt_modes_finder(const nt_modes *modes);
/* Independent displacements about the state, and independent velocities. */
NT_API void nt_modes_freedom(const nt_modes *modes, int *positions, int *velocities);

/* How modes change with a parameter, the state along with it: from the whole equations
 * (s^2 M + s C + K) x = 0 with all borders, whose derivatives are differences of fourth order
 * between states at four values near by. */
typedef struct nt_mode_rates nt_mode_rates;

typedef struct nt_mode_rate {
    double eigenvalue[2]; /* ds/dp                                                              */
    double frequency;     /* Hz per unit                                                        */
    double damping_ratio; /* per unit                                                           */
    const double
        *shape[2]; /* [nv] of the shape whose largest entry stays 1, real, imaginary part */
    int repeated; /* its eigenvalue is that of others too, to 1e-7 of it: they are differentiated as
                     a group, these are the derivatives of the branches that part there, and the
                     shape is that of one direction of the group, apart from turns within the group
                   */
    double doubt; /* of ds/dp, 1/s per unit: what a shorter step of the matrices' differences
                     changes; of a group's members the largest */
} nt_mode_rate;

/* Of modes found about a state of the run (NT_ABOUT_...) at its present parameters. The run's
 * parameter is set and set back. NT_INVALID for a parameter that is none, NT_UNSUPPORTED for models
 * of too many unknowns or whose redundant rows change, errors of nt_reference_create. */
NT_API nt_status nt_mode_rates_create(nt_mode_rates **rates, const nt_modes *modes, nt_run *run,
                                      nt_about about, const char *parameter, nt_error *error);
NT_API void nt_mode_rates_destroy(nt_mode_rates *rates); /* NULL is nothing */
/* The rates of mode i; zeros where there is none. Arrays belong to the rates. */
NT_API nt_mode_rate nt_mode_rates_at(const nt_mode_rates *rates, int i);

/* The name of a body of a model, 1 to nt_model_count().bodies; "" where there is none. */
NT_API const char *nt_model_body_name(const nt_model *model, int body);
/* How its frame's origin moves (m) and how it turns (rad, a rotation vector; of a point nothing),
 * ground axes, when the configuration q[nq] is displaced by dq[nv], as a shape does: out[6]. */
NT_API nt_status nt_run_displacement(const nt_run *run, int body, const double *q, const double *dq,
                                     double *out);

/* How modes change with a parameter. Each is followed by its shape from one value to the next,
 * through crossings of frequencies; where it is not recognised values between are looked at. A
 * couple of conjugate eigenvalues that becomes two real ones goes on as two. */
typedef struct nt_campbell nt_campbell;

typedef struct nt_campbell_setup {
    int version; /* NT_INTERFACE, or 0: see nutate.h                               */
    nt_run *run; /* its parameter is set, and set back at the end                  */
    const char *parameter;
    const double *values; /* [n_values] in the order in which they are gone through         */
    int n_values;
    nt_about about;
    int count; /* modes to follow, those lowest at the first value; 0: all       */
    int (*stop)(void *context, int done); /* asked before each value; NULL: never stops      */
    void *context;
} nt_campbell_setup;

/* Errors as of nt_reference_create and nt_modes_create, with the value in the message;
 * NT_INTERRUPTED where it was asked to stop. */
NT_API nt_status nt_campbell_create(nt_campbell **campbell, const nt_campbell_setup *setup,
                                    nt_error *error);
NT_API void nt_campbell_destroy(nt_campbell *campbell); /* NULL is nothing */
/* Modes that were followed over all values, in the order of |s| at the first one. */
NT_API int nt_campbell_count(const nt_campbell *campbell);
/* Of mode i at value k: s[2], and the mode assurance criterion between its shape there and the one
 * before, 0 to 1. NaN where there is none. */
NT_API void nt_campbell_at(const nt_campbell *campbell, int i, int k, double s[2],
                           double *likeness);
/* What moves in mode i at the first value, as nt_modes_words. */
NT_API void nt_campbell_words(const nt_campbell *campbell, int i, char *text, int size);

/* Linear models: with p independent displacements and s independent velocities about a state,
 *
 *   x' = A x + B u + B1 u' + B2 u'',   y = C x + D u + D1 u' + D2 u'',
 *
 * for small changes u of inputs and y of outputs, in the axes of the state. Motions that are inputs
 * reach velocities by u' and accelerations and forces by u'': B1, B2, D1 and D2 are zero for loads.
 * B1 and B2 are zero as well about a state that rests or is steady. Under way the directions that
 * x counts go along with the motion: their rates are part of A. */
typedef struct nt_linear nt_linear;

typedef struct nt_linear_setup {
    int version; /* NT_INTERFACE, or 0: see nutate.h */
    nt_run *run;
    const nt_state *state; /* in the system's frame, accelerations and multipliers included */
    const double *turn;    /* [3] rate of the axes, NULL: they stand                        */
    /* [n_inputs] parameters by name, or functions of elements: "push.value.x" of a load,
     * "hinge.motion" of a driven joint; u is added to them. */
    const char *const *inputs;
    int n_inputs;
    const char *const *outputs; /* [n_outputs] what can be recorded; each of its columns is one */
    int n_outputs;
    /* The state rests or is steady (nt_reference about static or steady): all matrices stay as they
     * are, so that x can take up the rates of inputs, and B1 and B2 are zero. Else they stand. */
    int steady;
} nt_linear_setup;

/* Matrices row by row. */
typedef struct nt_linear_matrices {
    int states, positions; /* displacements come first, then velocities of what has mass */
    int inputs, outputs;
    int velocities, rows;      /* of the whole equations: entries of v, constraint rows */
    const double *A;           /* [states][states]            */
    const double *B, *B1, *B2; /* [states][inputs]            */
    const double *C;           /* [outputs][states]           */
    const double *D, *D1, *D2; /* [outputs][inputs]           */
    const double *mass, *damping, *stiffness; /* [velocities][velocities]    */
    const double *constraints,
        *constraint_rates; /* [rows][velocities] in displacements, in rates */
} nt_linear_matrices;

/* NT_INVALID for a name that is none, with what there is; NT_SINGULAR for displacements without
 * mass and damping. */
NT_API nt_status nt_linear_create(nt_linear **linear, const nt_linear_setup *setup,
                                  nt_error *error);
NT_API void nt_linear_destroy(nt_linear *linear); /* NULL is nothing */
/* Arrays belong to the linear model. Of NULL all is zero. */
NT_API nt_linear_matrices nt_linear_get(const nt_linear *linear);
/* Names of input i and of output i; "" where there is none. They belong to the linear model. */
NT_API const char *nt_linear_input(const nt_linear *linear, int i);
NT_API const char *nt_linear_output(const nt_linear *linear, int i);
/* Displacement dq[nv] and change of velocity dv[nv] that belong to a state x[states], and the state
 * nearest to a displacement and a change of velocity. Arrays may not overlap. */
NT_API nt_status nt_linear_to_motion(const nt_linear *linear, const double *x, double *dq,
                                     double *dv);
NT_API nt_status nt_linear_from_motion(const nt_linear *linear, const double *dq, const double *dv,
                                       double *x);
/* Transfer functions at an angular frequency, rad/s: out[outputs][inputs][2], real and imaginary
 * part. NT_SINGULAR at an undamped frequency. */
NT_API nt_status nt_linear_response(const nt_linear *linear, double frequency, double *out);

/* ---- periodic orbits --------------------------------------------------------------------------
 *
 * A motion that repeats after a period T, up to an advance: what the steps of a method make of a
 * state over a period is that state, moved by the advance. Found by Newton's method on the steps'
 * own map and its exact derivative (shooting). The unknowns are independent coordinates of the
 * states that the constraints allow, at the begin of each of several segments; the end of a segment
 * and the begin of the next are compared by the logarithm of the group. */

/* What a period may add to a state: entry i of v for ever further, of a translation along the
 * ground axis (of R^n: the number itself), of a rotation about the body's own axis through its
 * origin; or the whole system as one: i = NT_ALONG_X ... NT_ABOUT_Z, along a ground axis or about
 * one through the origin (of a body with a fixed point: through that). Blocks R^n of three numbers
 * are points then. Rotations advance by what exceeds whole turns, in (-pi, pi]. */
enum {
    NT_ALONG_X = -1,
    NT_ALONG_Y = -2,
    NT_ALONG_Z = -3,
    NT_ABOUT_X = -4,
    NT_ABOUT_Y = -5,
    NT_ABOUT_Z = -6
};
typedef struct nt_orbit_advance {
    int coordinate; /* entry of v, or one of those above; about one axis at most          */
    int found;      /* the amount is found; else it is `value`                            */
    double value;   /* m or rad: the amount, or its first guess                           */
} nt_orbit_advance;

typedef struct nt_orbit nt_orbit;

/* How to begin. Zero is a sensible value for every field but `integrator`, `period` and `steps`. */
typedef struct nt_orbit_setup {
    int version; /* NT_INTERFACE, or 0: of this header                                    */
    /* The system and the method, which must have a linearised step and take equal steps; work and
     * energy are not looked at. Needed during nt_orbit_create, but the system longer. */
    const nt_integrator_setup *integrator;
    double start;                     /* s, time at the begin of the orbit                 */
    const double *q, *v, *memory;     /* first guess, as of nt_integrator_start            */
    double period;                    /* s; with `free` the first guess                    */
    int free;                         /* the period is found; of a system without clock only */
    int autonomous;                   /* time enters the system nowhere                    */
    int steps, segments;              /* of a period; segments 0: one                      */
    const nt_orbit_advance *advances; /* [n_advances] */
    int n_advances;
    double tolerance; /* of the closing, in units of the system's length; 0: 1e-10         */
    int iterations;   /* at most; 0: 40                                                    */
    /* NULL, or the period at the present values of the parameters, s. Asked after each change of
     * them. */
    double (*period_of)(void *context);
    /* NULL, or called before each shooting and after each of its steps: iterations so far and what
     * the last one misses (NaN at first); non-zero ends the search with NT_INTERRUPTED. */
    int (*watch)(void *context, int iteration, double miss);
    void *context;
    /* The first guess is what the system gives as its initial state at `start`. Of a family of
     * orbits through it the one is meant that begins there, also when parameters change. */
    int from_initial;
} nt_orbit_setup;

typedef enum nt_orbit_stability {
    NT_ORBIT_STABLE,   /* all multipliers but trivial ones within the unit circle            */
    NT_ORBIT_NEUTRAL,  /* none outside, some on it (to 1e-6, or to what steps make of trivial ones)
                        */
    NT_ORBIT_UNSTABLE, /* one at least outside                                               */
} nt_orbit_stability;

/* What was found. Arrays belong to the orbit and show that until it is changed. */
typedef struct nt_orbit_found {
    double start, period;  /* s                                                         */
    const double *q, *v;   /* [nq], [nv] at the start, v in the system's frame          */
    const double *memory;  /* [n_memory]                                                */
    const double *advance; /* [n_advances] m or rad                                     */
    double miss;           /* largest of the independent coordinates at the end, units of length */
    int steps, iterations;
    /* Eigenvalues of the monodromy matrix in independent coordinates (real and imaginary part). The
     * first `trivial` are those of the flow of a system without clock that moves, of the advances,
     * and of the quantities that every motion keeps; the others by falling modulus. */
    int dimension, trivial, kept;
    const double *multiplier; /* [dimension][2]                                             */
    double trivial_distance;  /* how far the steps of the method move the directions of the trivial
                                 ones, relative to them: the exact flow leaves them where they are */
    double pairing; /* largest |mu_i mu_j - 1| where they pair off (Hamiltonian systems), else 1 */
    nt_orbit_stability stability;
    /* One of a family of orbits that begins at the system's initial state (setup.from_initial), and
     * follows it with the parameters; else the begin of such an orbit goes the least way. */
    int follows_initial;
    int rests; /* a state of rest, which repeats after any time: no multiplier is the motion's own
                */
} nt_orbit_found;

/* Memory for everything is taken here, and the first guess is brought onto the constraints.
 * NT_UNSUPPORTED, by name, where the method has no linearised step or chooses its steps, where time
 * enters a system whose period is to be found, or memory enters its equations; NT_INVALID for a
 * period that is not positive, steps, segments or advances that are none. */
NT_API nt_status nt_orbit_create(nt_orbit **orbit, const nt_orbit_setup *setup, nt_error *error);
NT_API void nt_orbit_destroy(nt_orbit *orbit);

/* A first guess of the period of a system without clock: the first return of the motion from the
 * first guess through the plane across its begin, within `longest` (s) in steps of h. The orbit
 * takes it over. NT_NOT_CONVERGED where it does not return. */
NT_API nt_status nt_orbit_guess_period(nt_orbit *orbit, double longest, double h, nt_error *error);

/* Find the orbit, and its multipliers. NT_NOT_CONVERGED where the shooting does not close: the
 * message names the coordinates that miss most; NT_INCONSISTENT where it closes but an advance is
 * no symmetry of the system, so that the next period differs. On failure the orbit stands at its
 * last try. */
NT_API nt_status nt_orbit_find(nt_orbit *orbit, nt_error *error);
/* Go back to where the derivatives of nt_orbit_tangent start from, as the first guess of the next
 * nt_orbit_find: to the orbit that was differentiated last, unless its begin follows the system's
 * initial state (follows_initial). Then, and where none was differentiated, to the initial state at
 * the present parameters; the period and the advances stay. NT_INVALID where there is neither. */
NT_API nt_status nt_orbit_begin_again(nt_orbit *orbit, nt_error *error);
/* Zeros before anything was found. */
NT_API nt_orbit_found nt_orbit_state(const nt_orbit *orbit);
/* How its stability is to be said: "unstable: multiplier -1.3 (it doubles its period)", into
 * text[size], always terminated; returns text. */
NT_API const char *nt_orbit_words(const nt_orbit *orbit, char *text, int size);
/* By how much the orbit misses where each period takes twice as many steps, units of length: what
 * the steps of the method are wrong by. */
NT_API nt_status nt_orbit_check_steps(nt_orbit *orbit, double *miss, nt_error *error);

/* Derivatives of all multipliers in a parameter (its number in the system) along the orbits:
 * out[dimension][2], NaN for trivial ones and for those that are repeated, whose derivative need
 * not exist; and of period (0 where it is given) and found advances, which may be NULL. The orbit
 * was found before. */
NT_API nt_status nt_orbit_tangent(nt_orbit *orbit, int parameter, double *out, double *period,
                                  double *advance, nt_error *error);

/* What happens at a point of a path. */
typedef enum nt_orbit_event {
    NT_ORBIT_POINT,    /* nothing                                                          */
    NT_ORBIT_FOLD,     /* the parameter turns back                                         */
    NT_ORBIT_DOUBLING, /* a multiplier passes -1: orbits of twice the period branch off     */
    NT_ORBIT_BRANCH,   /* a multiplier passes 1 without a fold: other orbits cross          */
    NT_ORBIT_TORUS,    /* a complex pair passes the unit circle: tori branch off            */
} nt_orbit_event;

/* Called at each point of a path, with the orbit standing there; non-zero ends the path with
 * NT_INTERRUPTED. */
typedef int (*nt_orbit_visit)(void *context, const nt_orbit *orbit, double value,
                              nt_orbit_event event);

/* Follow the orbit, found before, as a parameter goes from its present value to `to`, by
 * pseudo-arclength, in steps of at most `step` of the parameter: round folds, where it turns back,
 * and on. Events between points are looked for and visited as points of their own. Ends at `to`, or
 * where the parameter has come back beyond the value it began with. NT_NOT_CONVERGED where the path
 * cannot be followed further, or is not at its end after `most` points. */
NT_API nt_status nt_orbit_follow(nt_orbit *orbit, int parameter, double to, double step, int most,
                                 nt_orbit_visit visit, void *context, nt_error *error);

#ifdef __cplusplus
}
#endif
#endif
