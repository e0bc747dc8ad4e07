/* What the files of a path of static states share. */
#ifndef NUTATE_ANALYSIS_STATIC_PATH_H
#define NUTATE_ANALYSIS_STATIC_PATH_H

#include "analysis/static/static.h"

enum { NT_PATH_ITERATIONS = 12 }; /* of Newton's iteration, the most */
#define NT_PATH_TURN 1.5          /* rad, of one step                */
#define NT_PATH_SHORTEST 1e-6     /* step, of the way or of the arc  */
#define NT_PATH_SHORT 1e-3        /* arc: a step that may be of any shape, as at a kink */

/* What tells one side of a branching point from the other, see static_branch.c. */
typedef struct nt_path_side {
    int sense;       /* 1 or -1, 0 where it is not known */
    double softness; /* of what the plane across the path lets move, signed; 0: not known */
} nt_path_side;

typedef struct nt_path {
    nt_static *s;
    const nt_static_path *wanted;
    double scale;       /* of W, so that steps do not depend on the number of bodies */
    double *rate;       /* [n + 1] dq, dmultipliers, dl: the tangent, not scaled       */
    double *before;     /* [n + 1] that of the last point                             */
    double *force_rate; /* [n] dF */
    double *soft;       /* [nv] the softest direction across the path, of drag 1        */
    double *soft_kept;  /* [nv] the same at the last point                             */
    int sign;           /* of the determinant of the derivative where `rate` was found */
    int crossings;      /* how often it has changed its sign along loads */
    bool is_left;       /* along loads: the last step was taken back, as its end is unstable */
    double steepest;    /* the largest |dl| of all points                              */
    long points;
    int changes; /* of limits, one after the other without getting on */
    nt_error *error;
} nt_path;

/* ---- static_path.c ---------------------------------------------------------------------------
 */

nt_status nt_path_set_load(nt_static *s, double load);
/* out[n] = -K^-1 R_l, with the factors of the present point, whose residual is s->residual. */
nt_status nt_path_load_response(nt_static *s, double *out);
/* Weighted product of two directions, loads apart. */
double nt_path_product(const nt_path *a, const double *x, const double *y);
/* The tangent at the present point, forward: rate[n + 1] of length 1; its factors stay. */
nt_status nt_path_find_tangent(nt_path *a, bool first);
/* Hands the present point to the caller, as one under `load`. */
nt_status nt_path_show_at(nt_path *a, nt_static_event event, double load);
nt_status nt_path_show(nt_path *a, nt_static_event event);
/* To a load from the present point: predict, correct. */
nt_status nt_path_step_load(nt_path *a, double load);
/* The same where friction may slip. */
nt_status nt_path_step_rough(nt_path *a, double load);
/* Fails with words: none was found at `load`. */
nt_status nt_path_refuse_load(const nt_path *a, double load);

/* ---- static_jump.c ---------------------------------------------------------------------------
 */

/* After a step from the point in s->stage, under the load `from` with the tangent `rate`: takes it
 * back, with NT_NOT_CONVERGED, where it has led to another path. The tangent stays. */
nt_status nt_path_look_for_jump(nt_path *a, double from);
/* The same where a stable state is asked for and this one is not; a->is_left says so. */
nt_status nt_path_look_for_stability(nt_path *a, double from);

/* ---- static_arc.c ----------------------------------------------------------------------------
 */

nt_status nt_path_follow_arc(nt_path *a);
/* From the point in kept[1] with its load and tangent `before`, a step of ds; where it fails it is
 * taken back. */
nt_status nt_path_try_arc(nt_path *a, double load, double ds, int *iterations);

/* ---- static_branch.c -------------------------------------------------------------------------
 */

/* At the present point, whose tangent and factors are at hand. `soft` follows; anew: it begins. */
nt_status nt_path_find_side(nt_path *a, bool anew, nt_path_side *side);
/* Whether a branching point may lie between two points. */
bool nt_path_may_branch(const nt_path_side *before, const nt_path_side *after);
/* Looks for it between the point in kept[1] and one that is ds further. *at: how far it is, and the
 * load there; below 0 where there is none. NT_NOT_CONVERGED where there are several. */
nt_status nt_path_find_branch(nt_path *a, double load, double ds, nt_path_side before,
                              nt_path_side after, double *at, double *branch_load);

/* ---- static_stages.c -------------------------------------------------------------------------
 */

/* Whether there are rigid limits that the path is to mind. */
static inline bool nt_path_has_limits(const nt_path *a)
{
    const nt_events *events = a->s->problem->system->events;
    return a->wanted->observe && events && events->n_limits > 0;
}

/* After a step along loads, from the point in s->stage and the load there to the present one: where
 * a limit is met or lets go within it, the present point becomes the first such one, from where the
 * path goes on with that limit changed. Where it fails the step is taken back. */
nt_status nt_path_meet_limits(nt_path *a, double from, bool *met);

/* The first limit that is to change within a step of ds that begins in kept[1] and at whose end the
 * present point is, and how far it is; -1: none. */
nt_status nt_path_limit_within(nt_path *a, double load, double ds, int *first, double *at);
/* Changes it at the present point, whose tangent is `rate`; the tangent is then that of what
 * follows. way: how far the path has come since the last change. *turns: whether the load turns. */
nt_status nt_path_change_limit(nt_path *a, int i, double way, bool *turns);

#endif
