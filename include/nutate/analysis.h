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
    int hold_free; /* 1: what nothing holds and nothing moves is held where it is, else refused */
    int damped; /* 0: the nearest state, be it unstable; 1: one that a damped motion reaches      */
    /* Loads times `load`, for paths; NULL: they do not change. Called with 1 at the end. */
    nt_status (*set_load)(void *context, double load);
    void *context;
} nt_static_setup;

/* All memory is taken here. NT_INVALID, NT_UNSUPPORTED, NT_NO_MEMORY with words. */
NT_API nt_status nt_static_create(nt_static **state, const nt_static_setup *setup, nt_error *error);
NT_API void nt_static_destroy(nt_static *state);

/* Begin at the placement q[nq], time t (s) for what depends on it. v[nv]: of its entries those of
 * first order count; NULL: zeros, as for memory[n_memory]. */
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

/* What happens to the state when it is left by a little. */
typedef struct nt_stability {
    int stable;              /* every small motion away from it takes work                        */
    double softness;         /* smallest stiffness of all directions, relative to those of the parts
                                that move, each alone; infinite where nothing can move            */
    double rate;             /* 1/s^2, stiffness over inertia along it: squared angular frequency */
    const double *direction; /* [nv], belongs to the state; NULL where nothing can move           */
    char words[320];         /* the entries that move most                                        */
} nt_stability;

/* Of a state that was found. */
NT_API nt_status nt_static_stability(nt_static *state, nt_stability *stability, nt_error *error);

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
 * those of its steady motion; of an initial state that does not last. */
NT_API double nt_reference_unrest(const nt_reference *reference);
/* Rate i of the section `steady` as it was given or found, rad/s or m/s; NaN where there is none.
 */
NT_API double nt_reference_rate(const nt_reference *reference, int i);

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
    int moves_freely; /* s = 0: nothing resists the displacement */
    int group; /* modes whose eigenvalues agree to rounding are of one group, their shapes any
                  basis of what they span */
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

/* ---- periodic orbits ------------------------------------------------------------------------ */

#ifdef __cplusplus
}
#endif
#endif
