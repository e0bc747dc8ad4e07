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

/* ---- static states -------------------------------------------------------------------------- */

/* ---- modes and linear models ---------------------------------------------------------------- */

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
    /* NULL, or called before each shooting: iterations so far and what it misses (NaN at first);
     * non-zero ends the search with NT_INTERRUPTED. */
    int (*watch)(void *context, int iteration, double miss);
    void *context;
} nt_orbit_setup;

typedef enum nt_orbit_stability {
    NT_ORBIT_STABLE,   /* all multipliers but trivial ones within the unit circle            */
    NT_ORBIT_NEUTRAL,  /* none outside, some on it (to 1e-6)                                 */
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
     * first `trivial` are those of the flow of a system without clock, of the advances, and of the
     * quantities that every motion keeps; the others by falling modulus. */
    int dimension, trivial, kept;
    const double *multiplier; /* [dimension][2]                                             */
    double trivial_distance;  /* how far the steps of the method move the directions of the trivial
                                 ones, relative to them: the exact flow leaves them where they are */
    double pairing; /* largest |mu_i mu_j - 1| where they pair off (Hamiltonian systems), else 1 */
    nt_orbit_stability stability;
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
 * where the parameter has come back beyond the value it began with, or after `most` points.
 * NT_NOT_CONVERGED where the path cannot be followed further. */
NT_API nt_status nt_orbit_follow(nt_orbit *orbit, int parameter, double to, double step, int most,
                                 nt_orbit_visit visit, void *context, nt_error *error);

#ifdef __cplusplus
}
#endif
#endif
