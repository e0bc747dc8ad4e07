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
    /* What a path changes, at 1 and before the first call as it is without a path: nt_loading_apply
     * with an nt_loading, or a function for a system by hand; NULL: there are no paths. */
    nt_status (*set_load)(void *context, double load);
    void *context;
} nt_static_setup;

/* Fill in what a model's section `static` says: the run's system, held entries (the model's). The
 * caller sets setup->version before. */
NT_API nt_status nt_run_static_setup(nt_run *run, nt_static_setup *setup, nt_error *error);

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

/* What a point of a path is. */
typedef enum nt_static_event {
    NT_STATIC_POINT,
    NT_STATIC_LIMIT /* the load is largest or smallest along the path */
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
    int stable;              /* every small motion away from it takes work                        */
    double softness;         /* smallest stiffness of all directions, relative to those of the parts
                                that move, each alone; infinite where nothing can move            */
    double rate;             /* 1/s^2, stiffness over inertia along it: squared angular frequency */
    const double *direction; /* [nv], belongs to the state; NULL where nothing can move           */
    char words[320];         /* the entries that move most                                        */
} nt_stability;

/* Of a state that was found. */
NT_API nt_status nt_static_stability(nt_static *state, nt_stability *stability, nt_error *error);

/* How the state changes with parameter k of the system, by its number: arrays that belong to the
 * state until the next call on it. Of a state that was found; held directions stay held. */
NT_API nt_status nt_static_tangent(nt_static *state, int k, nt_state_tangent *tangent,
                                   nt_error *error);
/* The same of nt_static_reactions: out[nh + nn]. */
NT_API nt_status nt_static_reaction_rates(nt_static *state, int k, const nt_state_tangent *tangent,
                                          double length, double *out, nt_error *error);

/* Multipliers of minimum norm (moments weighted by `length`, m): out[nh + nn]. */
NT_API nt_status nt_static_reactions(nt_static *state, double length, double *out, nt_error *error);

/* ---- modes and linear models ---------------------------------------------------------------- */

/* ---- periodic orbits ------------------------------------------------------------------------ */

#ifdef __cplusplus
}
#endif
#endif
