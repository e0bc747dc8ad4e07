/* The equations of motion as an integrator sees them.
 *
 *   0 = R(vdot, v, q, lambda, mu, t, p) = M vdot - f     all multiplier forces inside
 *   0 = Phi(q, t, p)         holonomic, nh equations
 *   0 = kappa(v, q, t, p)    nonholonomic, nn equations
 *
 * on a space (group.h) with velocity v[nv]; angular velocities in the system's frame. An unknown x
 * of first order, x' = g(x, q, v, t), is an entry of v without configuration (NT_FIRST): vdot is
 * x', NT_MASS gives x' in its row of R and the parts of forces give -g. Where a promise below is
 * about velocities x counts as one. A system
 * written by hand and one built from a model file are the same thing: an nt_system whose fields
 * are filled in. One function, evaluate, gives whatever is asked at one point; the rest is
 * optional and declared in `capabilities`.
 *
 * Threads. The library only reads an nt_system, and calls its functions in the thread that steps,
 * starts or looks at an integrator. Two integrators may share a system in different threads if its
 * functions write nothing behind `self` (and nobody sets parameters meanwhile); else each thread
 * needs a system of its own. The system of a model's run does write: one run for each thread. */
#ifndef NUTATE_SYSTEM_H
#define NUTATE_SYSTEM_H

#include <nutate/group.h>
#include <nutate/linalg.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an entry of v or of a constraint row measures. Its force or multiplier is then a force
 * (N) or a moment (N m). */
typedef enum nt_quantity { NT_LENGTH, NT_ANGLE } nt_quantity;

/* Where the equations are looked at. Arrays belong to the caller. */
typedef struct nt_point {
    double t;             /* s                                                        */
    const double *q;      /* [space.nq]                                               */
    const double *v;      /* [space.nv]                                               */
    const double *vdot;   /* [space.nv]                                               */
    const double *lambda; /* [nh] holonomic multipliers                               */
    const double *mu;     /* [nn] nonholonomic multipliers                            */
    const double *memory; /* [n_memory] what `accept` keeps between steps, else NULL  */
} nt_point;

/* Constraint rows are wanted as Phi, as d Phi/dt or as d2 Phi/dt2. kappa is given as it is at the
 * first two levels and as d kappa/dt at the third. */
typedef enum nt_level { NT_POSITION, NT_VELOCITY, NT_ACCELERATION } nt_level;

/* Parts of R. A method asks for NT_ALL_PARTS unless it takes them apart. NT_MASS is linear in vdot
 * and zero at vdot = 0; no other part depends on vdot. Gravity is a force. The columns R_lambda,
 * R_mu of the matrix belong to NT_REACTIONS; constraint rows belong to no part. */
enum {
    NT_MASS = 1,        /* M vdot                                                      */
    NT_EXPLICIT = 2,    /* -f_A: expensive and soft; nothing, where there is no split  */
    NT_IMPLICIT = 4,    /* -f_B: cheap and stiff; every force, where there is no split */
    NT_REACTIONS = 8,   /* multiplier forces                                           */
    NT_GYROSCOPIC = 16, /* velocity-quadratic terms of inertia                        */
    NT_INERTIA = NT_MASS | NT_GYROSCOPIC,
    NT_ALL_PARTS = 31,
    NT_OWN_DAMPERS = 32, /* beside NT_EXPLICIT: only what adds to nt_combination.own_blocks */
    /* Alone: of what own_blocks have beside the derivative itself, in steps of nt_terms.step, its
     * product with vdot, as a part of R. */
    NT_OWN_CHORDS = 64
};

/* The derivative that is wanted, along a variation e[nv] of the unknowns:
 *
 *   dvdot = m Y e + k s w'~ e,   dv = c X e + k s w~ e,   dq = k e
 *
 * in the system's frame, with (m, c, k) = (mass, damping, stiffness) in the rows of R and
 * (row_mass, row_damping, row_stiffness) in the constraint rows. X and Y are the identity but for
 * rotations, where they are given 3 x 3 matrices; s = turn is 0 but in the adapter between frames
 * (w, w' the rotation's v and vdot entries). So one structure serves all methods: (c_M, c_C, c_K)
 * combinations, with the tangent operator of the group where increments of the exponential's
 * argument are the unknown. Multiplier columns receive `multiplier` times R_lambda and R_mu. */
typedef struct nt_combination {
    double mass, damping, stiffness, multiplier;
    double row_mass, row_damping, row_stiffness;
    const double *map;      /* [space.n_rotations][9] X, NULL for the identity          */
    const double *map_mass; /* [space.n_rotations][9] Y, NULL for the same as X         */
    double turn;            /* s                                                             */
    /* Not 0: of the blocks between entries of v only those of a block of the space with itself are
     * wanted. What is added to others is not looked at, so that a system may leave them out. */
    int own_blocks; /* an element may give nothing here, see NT_OWN_DAMPERS, or more than the
                       derivative in steps of nt_terms.step: see NT_OWN_CHORDS */
} nt_combination;

/* What evaluate is to compute: what is NULL is not wanted. It adds to residual and matrix, and
 * writes rows. */
typedef struct nt_terms {
    unsigned parts;                    /* NT_INERTIA | ..., for residual and matrix     */
    nt_level level;                    /* of the constraint rows                        */
    double *residual;                  /* [nv] R                                        */
    double *rows;                      /* [nh + nn] Phi rows, then kappa rows           */
    const nt_matrix *matrix;           /* blocks are added into it                      */
    const nt_combination *combination; /* which tangent; set where matrix is            */
    /* [space.n_blocks] 1: rows and columns of that block of the space are not looked at, so that a
     * system may leave them out; only ever some of nt_system.explicit_blocks, and without
     * NT_EXPLICIT among `parts`. NULL: all are looked at. */
    const unsigned char *left_out;
    bool damping; /* with residual and NT_EXPLICIT: nt_system.fastest_damping will be asked for */
    double ahead; /* s, with these: and nt_system.stiffest, that far ahead                      */
    double step;  /* s: of the step, for nt_stiffest.turns, and with own_blocks; 0: not known    */
} nt_terms;

/* How a point varies: increments of q and changes of the rest, in the system's frame. */
typedef struct nt_point_tangent {
    const double *q;           /* [nv] an increment */
    const double *v, *vdot;    /* [nv]              */
    const double *lambda, *mu; /* [nh], [nn]        */
    const double *memory;      /* [n_memory]        */
} nt_point_tangent;

/* Of single explicit forces the stiffest: largest w^2, 1/s^2, with which one of them, by itself,
 * lets bodies swing. */
typedef struct nt_stiffest {
    double now; /* of bodies that nothing but explicit forces acts on: of others, less      */
    double all; /* of all bodies as if they were such: of others, more                      */
    /* The same where surfaces will be nt_terms.ahead later, as they move now; up to 25 times as
     * much where they only meet then, so that steps that are stable by it see how they meet */
    double ahead;
    double rate;  /* 1/s, of damping, as `all`; where nt_system.fastest_damping may know less   */
    int which[2]; /* of `now`, for damping_name */
    /* 1/s, of the friction of one of them, as `now`, what it damps by where nothing slides: where
     * what slides is about what friction changes it by in a step (nt_terms.step); with `ahead` also
     * where that may come, no more then than three times what it damps by now. 0: none does so */
    double turns;
    int turns_by[2];
} nt_stiffest;

/* Surfaces that meet within a step and part again. */
typedef struct nt_meeting {
    int which;      /* for met_name; -1: none                               */
    double part;    /* of the step, where they are deepest in each other    */
    double depth;   /* m, there                                             */
    double speed;   /* m/s, at which they move past each other              */
    double fastest; /* m/s, of all that may meet, whether they did or not   */
} nt_meeting;

/* What contacts have given to a body in a step which touches others and is held by nothing else, or
 * the stops of a joint to a light body that hangs on a heavy one by it. */
typedef struct nt_bounce {
    int which;      /* its nearest contact or its joint, for met_name                          */
    int touches[2]; /* how many of its contacts push, at the begin and at the end              */
    double gained;  /* J, along the normal of that one, by its body and by the other           */
    double doubt;   /* J, how far off that may be                                              */
    double apart;   /* J, by which an energy is off of places and velocities a step apart      */
    double toward;  /* J, kinetic energy of its way towards the surface, where that is met     */
    double size;    /* J, which rounding is relative to                                        */
    double force; /* N or N m, of a stop: by which the rate has changed; J, what acting ones hold */
    double way;   /* m or rad, of a stop: within the step; 0: of contacts                    */
} nt_bounce;

typedef struct nt_energy {
    double kinetic, potential; /* J                                                      */
    double power;              /* W, of the forces that are not in `potential`           */
    /* W, never positive: the part of power that is of forces which can only take energy, such as
     * those of dampers. May stay 0; it keeps what these take apart where others give, so that the
     * watch on energy (nutate/method.h) does not take an error of the one for the other. */
    double taken;
} nt_energy;

/* Body momenta, for methods that advance them. Promises that M is block diagonal: a constant mass
 * for each entry of a translation, a constant body inertia for each rotation. Renewed by
 * set_parameters. */
typedef struct nt_momenta {
    const double *mass;    /* [nv] by entry of v; entries of rotations are not used      */
    const double *inertia; /* [n_rotations][9] body axes, about the centre of mass or fixed point;
                              NULL where there are no rotations */
} nt_momenta;

enum {                     /* capabilities                                            */
       NT_HAS_TANGENT = 1, /* evaluate fills terms->matrix                            */
       NT_APPLIES_MAP = 2, /* evaluate honours map and turn; else the library combines
                              three plain evaluations                                 */
       NT_HAS_SPLIT = 4,   /* NT_EXPLICIT and NT_IMPLICIT differ                      */
       NT_HAS_ENERGY = 8,
       NT_HAS_MOMENTA = 16,
       NT_HAS_PARAMETERS = 32, /* set_parameters                                          */
       NT_HAS_PARAMETER_TANGENT = 64,
       NT_ALL_LEVELS = 128, /* constraint rows and their derivatives at every level    */
       /* promises: but for gyroscopic terms forces depend on q and t only */
       NT_POSITION_FORCES = 256,
       /* R and the acceleration rows are affine in (vdot, lambda, mu) */
       NT_AFFINE = 512,
       /* memory only picks branches, R has no derivative in it */
       NT_DISCRETE_MEMORY = 1024,
       /* no load does positive work; dampers, friction and contacts may take energy */
       NT_GIVES_NO_ENERGY = 1 << 20,
       /* `accept` keeps what depends on accelerations: they are those of the forces there, also
        * with methods whose own ones are of a place within the step */
       NT_KEEPS_RATES = 1 << 21,
};

/* What a system may have and a method may be unable to treat. */
typedef enum nt_feature {
    NT_FEATURE_ROTATIONS,
    NT_FEATURE_HOLONOMIC,
    NT_FEATURE_NONHOLONOMIC,
    NT_FEATURE_RATE_FORCES, /* forces that depend on velocities */
    NT_FEATURE_FIRST_ORDER, /* unknowns of first order          */
    NT_FEATURE_INERTIA      /* inertia that is not a body's own, constant one */
} nt_feature;

/* ---- what happens in an instant ---------------------------------------------------------------
 *
 * Stops are times at which a step ends: known ones (a function of time jumps or has a kink, a
 * sample is taken) and events, where a function of the motion passes zero. Between two stops the
 * equations are smooth: what switches is held in discrete memory, and changes at a stop alone.
 *
 * An indicator is a number g at a point, and a way in which its zero counts. Of NT_INSIDE g is
 * positive wherever the branch that is held is the one in force; g below zero leaves it. */
enum { NT_RISING = 1, NT_FALLING = 2, NT_INSIDE = 4 };

/* Of a row that meets in an impact: by Poisson's law, else by Newton's; whether it can only push,
 * from the side from which it is met; and, of a row that keeps its value from growing (above) or
 * from falling (below), that it pushes from there alone, whatever its rate. */
enum { NT_IMPACT_POISSON = 1, NT_IMPACT_ONE_SIDED = 2, NT_IMPACT_ABOVE = 4, NT_IMPACT_BELOW = 8 };

/* One thing that happens at a point. What it changes is written behind `memory`; the rest is zero
 * at first. Entries of v and of rows are those of the system, in its frame. */
typedef struct nt_instant {
    const nt_point *at;
    const nt_point *beyond; /* where the indicator was seen behind its zero; NULL: nowhere     */
    int indicator;   /* the one that has passed zero; -1: whatever else is due at this time      */
    double nudge;    /* s, a time so short that the motion hardly changes, for the side of a zero */
    double *memory;  /* [n_memory] in: that of the point, out: that behind it                    */
    double *v;       /* [nv] likewise; for unknowns of first order that are set anew             */
    double *impulse; /* [nv] added: N s, N m s                                                  */
    double *restitution; /* [nh + nn] of rows that meet in an impact, 0 to 1; negative (as it
                            begins): no impact of this row's own */
    int happened; /* something did: else nothing of the above is looked at                     */
    int timed_by; /* the indicator whose zero is the time of this; -1: the time is given. Where
                     nothing happened: an argument of time at which a function of time bends; -1
                     and bends: several bend, and parameters may part their times              */
    int number;   /* of nt_events.word; -1 for what has no row in a table of events            */
    int ends;     /* the run ends here                                                         */
    int kept_at;  /* the entry of memory that held the time of this, s; -1: none                */
    int smooth;   /* accelerations do not jump by it: derivatives need not follow its time      */
    unsigned char *law; /* [nh + nn] NT_IMPACT_... of rows that meet, zero at first             */
    int bends; /* where nothing happened: derivatives of accelerations jump, these do not */
} nt_instant;

/* Of a part with dry friction that is set-valued, as a static state sees it: nothing is known of it
 * and it does nothing; it slips, with its whole limit against the way `towards`; it sticks. */
typedef enum nt_dry_state { NT_DRY_LOOSE = -1, NT_DRY_SLIPS, NT_DRY_STICKS } nt_dry_state;

/* Such a part at a point. Vectors are in ground axes and along the surface, of B against A; of a
 * joint they have one entry, along its coordinate. */
typedef struct nt_dry_friction {
    nt_dry_state holds; /* as the point's memory says                            */
    double gap;         /* m, to where it can hold; below 0 it can. Infinite: never */
    double limit;       /* N or N m, the most that it can hold                   */
    double force[3];    /* N or N m, what it holds                               */
    double slip[3];     /* m/s or rad/s, how it slips at the point's velocities  */
    int follows;        /* what slips turns its force by itself to the way that it has gone */
} nt_dry_friction;

/* Everything of a system that happens in an instant. Functions are pure and allocate nothing. */
typedef struct nt_events {
    int n;     /* indicators */
    int sides; /* first of 2 n entries of memory that the integrator writes: where each indicator
                  was last, -1, 0 or 1, and the largest size that it has had */
    int n_sliding; /* of the nonholonomic rows the last ones, which are off but in sliding modes */
    /* Entries of memory that are not known yet at a start: not a number. */
    nt_status (*begin)(void *self, const nt_point *at, double nudge, double *memory);
    /* The first known stop after t and not after end; infinite: none. h: the step that was asked
     * for, s; what is smooth and lasts long beside it needs no stop. */
    double (*stop_after)(void *self, double t, double end, double h, const double *memory);
    /* g[n], and way[n]: NT_RISING, NT_FALLING or both; NT_INSIDE; 0: not looked at. */
    nt_status (*indicate)(void *self, const nt_point *at, double *g, unsigned char *way);
    nt_status (*happen)(void *self, nt_instant *instant, nt_error *error);
    /* Rows that are off with this memory (NULL: that of the start), off[nh + nn]. NULL: none is. */
    void (*rows_off)(void *self, const double *memory, unsigned char *off);
    /* Words for what happens, "event hook", and for what an indicator switches. Always terminated.
     */
    void (*word)(void *self, int number, char *text, int size);
    void (*indicator_word)(void *self, int indicator, char *text, int size);
    /* Parts with dry friction that is set-valued: how many; all of them at a point, parts[n_dry];
     * what is to be done with one from now on, written into memory, at a point which has that of
     * before; its words, "joint rail". 0 and NULL: static states take such friction as none. */
    int n_dry;
    nt_status (*dry_look)(void *self, const nt_point *at, nt_dry_friction *parts);
    void (*dry_hold)(void *self, const nt_point *at, int i, nt_dry_state holds,
                     const double towards[3], double *memory);
    void (*dry_word)(void *self, int i, char *text, int size);
    /* After all that happened at a time, with the accelerations behind it: what memory[n_memory],
     * in and out, keeps of it. time: of what happened, s; at->t, but where its derivative is taken.
     * as: NULL, or what this has made of memory at a state beside, whose choices are taken again.
     * NULL: memory keeps nothing of it. */
    void (*settle)(void *self, const nt_point *at, double time, const double *as, double *memory);
    /* Behind an impact with rows that are NT_IMPACT_ABOVE or NT_IMPACT_BELOW: parted[nh + nn] is 1
     * for those of them that go away from where they push, and memory is to let them be off. What
     * such a row holds at a start may be more than it can. NULL: there are none. */
    void (*part)(void *self, const unsigned char *parted, double *memory);
    /* Such rows, and their memory, that take part in an impact of other origin: of prescribed
     * motions whose rates jump. `instant` as for `happen`, with nothing in it. NULL: there are
     * none. */
    nt_status (*join)(void *self, nt_instant *instant, nt_error *error);
    /* Indicators of rigid limits: the first of them and how many. Below zero it is passed while it
     * is free, and pulls while it bears. For static states: whether number i of them (of n_limits)
     * bears with this memory, where it does from now on (on 1) or no longer (on 0); -1: it stays.
     */
    int limits, n_limits;
    int (*bear)(void *self, int i, int on, double *memory);
    /* Functions of time that bend at known stops are seen from the side on which a step lies: with
     * this memory from now on those that bend at the stop t as they are behind it (behind 1), or
     * as they are before it (0). NULL: none bends. */
    void (*take_side)(void *self, double t, int behind, double *memory);
    /* The time at which they are looked at with this memory, for t: t itself but at such a stop,
     * where it is a rounding away. NULL with take_side. */
    double (*clock)(void *self, double t, const double *memory);
    /* Where something happens at a zero of onsets (nt_system.onsets), they are seen from the side
     * on which a step lies: with this memory from now on at t, and as far as `by` (s) from it, from
     * side[n_onsets], 1, -1 or 0 for those that are not at their zero, by steps that begin there
     * (behind 1) or end there (0). NULL: nothing happens at zeros, or there are no onsets. */
    void (*hold_sides)(void *self, double t, double by, int behind, const double *side,
                       double *memory);
    /* What holonomic row i of this value is off by, in the unit that is written: of an angle whose
     * row is a sine the angle. NULL: its value, in m or rad. */
    double (*gap)(void *self, int row, double value, const char **unit);
} nt_events;

/* A rotation that three constraint rows give as a function of time: where it is, how fast it turns,
 * and what the rows' multipliers do to it. Ground axes. */
typedef struct nt_given_rotation {
    double q[4];      /* (w, x, y, z)                                                        */
    double w[3];      /* rad/s                                                               */
    double moment[9]; /* [3][3] row i: of R, per multiplier i, with the orientation asked for */
} nt_given_rotation;

/* A question that long computations ask now and then: whether to stop. It is asked in the thread
 * that computes, before every evaluation of the equations and every factorisation, so often that it
 * should do no more than read a flag (a volatile sig_atomic_t that a signal handler sets, an atomic
 * that another thread sets). Once it has answered other than zero it does so until the call that
 * asked has returned. That call then ends with NT_INTERRUPTED when the evaluation, factorisation
 * or other library call that was running is done, and changes nothing more: an integrator stands at
 * its last accepted step. Where the answer is always zero no bit differs from a computation that
 * never asks. */
typedef struct nt_stop_request {
    int (*requested)(void *context); /* NULL: nobody is asked */
    void *context;
} nt_stop_request;

typedef struct nt_system nt_system;

struct nt_system {
    int version; /* NT_INTERFACE, or 0: see nutate.h */
    const char *name;
    nt_space space;
    nt_frame frame; /* of the angular velocities in v, of increments and of moment rows     */
    int nh, nn;
    const nt_quantity
        *v_quantity; /* [nv]; NULL: R^n and translations NT_LENGTH, rotations NT_ANGLE */
    const nt_quantity *row_quantity; /* [nh + nn]; NULL: all NT_LENGTH                      */
    /* The block graph. Beside each block of a constraint (multipliers, v) stands that of its force
     * (v, multipliers), and a rotation lies within one node. NULL: one node for v and one for all
     * multipliers, with slots 0 = (v, v), 1 = (v, multipliers), 2 = (multipliers, v),
     * 3 = (multipliers, multipliers). */
    const nt_pattern *pattern;
    unsigned capabilities;
    int n_memory, n_parameters;
    const char *const *parameter_names; /* [n_parameters] */
    const double *parameter_scale;      /* [n_parameters] natural sizes, NULL: max(|p|, 1)    */
    /* The size of the system, m; 0: 1 m. Where constraint rows are compared, a turn by 1 rad counts
     * as a move by this length: so a watch and a ship are treated alike. */
    double length;
    void *self; /* handed to every function below */

    /* The equations. Returns NT_OK, NT_NOT_FINITE or NT_SINGULAR where they have no value,
     * NT_INVALID for a level that is none. The functions of a run's system refuse with NT_INVALID
     * also NULL, a point without q or v, or without multipliers where their forces are wanted, a
     * matrix without combination, and a parameter that there is not; those without a status then
     * do nothing and say "". vdot and memory of a point may be NULL for zeros and for what is not
     * known yet, but memory not where something happens in an instant.
     * Pure: the same point and parameters give the same bits, whatever was asked before. */
    nt_status (*evaluate)(void *self, const nt_point *at, const nt_terms *terms);

    /* Optional, NULL where absent. */
    nt_status (*energy)(void *self, const nt_point *at, nt_energy *energy);
    /* The same apart, for parts of the system that exchange no energy with each other: their sums
     * are those of `energy`. energies[n_energies]. NULL, or n_energies below 2: all is one part. */
    nt_status (*energies)(void *self, const nt_point *at, nt_energy *energies);
    int n_energies;
    /* The powers of these parts, n_energies or one, as `energies` or `energy` have them; what they
     * have of kinetic and potential energy need not be told. NULL: that costs no less. */
    nt_status (*powers)(void *self, const nt_point *at, nt_energy *powers);
    /* After an accepted step: next[n_memory] from at->memory (turn counters, contact history; it
     * may hold the last time and positions). Pure; R depends smoothly on memory or memory is
     * constant between events. */
    void (*accept)(void *self, const nt_point *at, double *next);
    /* The derivative of `accept` along a variation of the point and with parameter k, into
     * dnext[n_memory]. NULL or NT_UNSUPPORTED: sensitivities take differences of `accept`. */
    nt_status (*accept_tangent)(void *self, const nt_point *at, int k,
                                const nt_point_tangent *along, double *dnext);
    /* New parameter values p[n_parameters]; derivatives perturb without validation. An integrator
     * that is under way must be told: nt_integrator_refresh. Momenta and the promise
     * NT_POSITION_FORCES may change with the values. */
    nt_status (*set_parameters)(void *self, const double *p);
    void (*get_parameters)(void *self, double *p);
    /* Consistent q[nq], v[nv], memory[n_memory] at time t and the present parameters, so that
     * initial values can be differentiated. */
    nt_status (*initial)(void *self, double t, double *q, double *v, double *memory);
    /* Their derivatives in parameter k: dq[nv] an increment in the system's frame, dv[nv],
     * dmemory[n_memory]. NULL or NT_UNSUPPORTED: `initial` is differenced. */
    nt_status (*initial_tangent)(void *self, double t, int k, double *dq, double *dv,
                                 double *dmemory);
    /* Adds the derivatives in parameter k to residual[nv] and rows[nh + nn]; honours parts and
     * level. NT_UNSUPPORTED for a parameter that is left to differences of the residual. */
    nt_status (*parameter_tangent)(void *self, const nt_point *at, int k, const nt_terms *terms);
    /* Derivatives of the energies in parameter k, the point being held. NULL or NT_UNSUPPORTED: the
     * library takes differences. */
    nt_status (*energy_tangent)(void *self, const nt_point *at, int k, nt_energy *derivative);
    /* Words for the element whose energy has grown most from one point to another: "contact floor";
     * of part `part` alone (see `energies`), or -1 of all. Always terminated; "" for none. May be
     * NULL. */
    void (*energy_gained)(void *self, const nt_point *from, const nt_point *to, int part,
                          char *text, int size);
    const nt_momenta *momenta;
    /* Words for unknown i of (v, lambda, mu): "force on body top along y". Always terminated. */
    void (*equation_name)(void *self, int i, char *text, int size);
    /* Words for entry i of v: "rotation of body top about x". Always terminated. NULL: those of
     * its equation serve. */
    void (*coordinate_name)(void *self, int i, char *text, int size);
    /* Words for what made the last evaluate fail: "force drag". Always terminated; "" for nothing.
     */
    void (*failure)(void *self, char *text, int size);
    /* Where that part is described (i = -1), or the part that unknown and equation i belong to:
     * sets file, line and column of `place`, or leaves it as it is where there is nothing to say.
     */
    void (*place)(void *self, int i, nt_error *place);
    /* The first part of the system that brings a feature in, for the message of a method that
     * cannot treat it: file, line and column where it is described, and its name as the message
     * ("joint hinge"). Leaves `part` as it is where there is nothing to say. */
    void (*feature)(void *self, nt_feature feature, nt_error *part);
    /* Why accelerations and multipliers may have no solution, or several: file, line and column of
     * what makes it so, and its words as the message ("force drag (line 10) follows ..."). Asked
     * for where they were not found. Leaves `part` as it is where there is nothing to say. NULL:
     * nothing ever. */
    void (*ill_posed)(void *self, nt_error *part);
    /* [space.n_blocks] 1 where nothing but NT_EXPLICIT forces acts on a block of the space, beside
     * the inertia that `momenta` gives: no constraint and no NT_IMPLICIT force. Methods that split
     * the forces then solve for that block alone. NULL: not known. */
    const unsigned char *explicit_blocks;
    const nt_events *events; /* NULL: none */
    /* For Newton's iteration on static states: the point is about to move by increment[nv] from
     * `at`, and stresses that elements carry on their own follow it linearly; derivatives are those
     * under these stresses from then on. increment NULL: they are forgotten. NULL: no element has
     * any. */
    nt_status (*carry)(void *self, const nt_point *at, const double *increment);
    /* Blocks R^3 x SO(3) whose rotation three holonomic rows give as a function of time, while
     * nothing but NT_EXPLICIT forces and the inertia that `momenta` gives acts on them besides:
     * given_rows[space.n_blocks] is the first row, -1 for other blocks. given(block, t) says it
     * with the moments that the rows have at the orientation at[4]; NT_NOT_FINITE. Methods may then
     * leave these equations out. NULL: none is known. */
    const int *given_rows;
    nt_status (*given)(void *self, int block, double t, const double *at, nt_given_rotation *out);
    /* [space.n_blocks] the block whose rotation each block turns with, as far as it turns with any:
     * of a flexible body one of its nodes, else itself; R^3 x SO(3) that follow it, a chain that
     * bends too. Factors that are kept turn along (reuse_tangent). NULL: they stay as they are. */
    const int *carriers;
    /* What evaluations have come across since the last call that a run should know of, though it
     * is no failure: the time at which it was worst, s, NaN: nothing. The integrator asks for it
     * until there is nothing left, after each step that stands and after each try that does not,
     * and looks at the energies at these times, by which the system may keep it. t: the present
     * time; -infinity: a run begins. NULL: nothing is come across. */
    double (*noticed)(void *self, double t);
    /* Marks in lies[nv] entries of v that a static state may leave where they are, though nothing
     * holds them: 1 of points of a slack line, 2 of what creeps by friction. NULL: none. */
    nt_status (*rests)(void *self, const nt_point *at, unsigned char *lies);
    /* The fastest that a single explicit force damps the motion of bodies that nothing but such
     * forces acts on, 1/s, by the evaluation of `damping` that was made last: the largest
     * eigenvalue of M^-1 C of that force alone, or less. beside: where methods take each body's own
     * damping implicitly, as far as elements give it (nt_combination.own_blocks). which: the force,
     * for damping_name, which may be NULL. 0: there is none. NULL: it is not known. */
    double (*fastest_damping)(void *self, bool beside, int which[2]);
    void (*damping_name)(void *self, const int which[2], char *text, int size);
    /* Likewise the stiffest of these forces, by the same evaluation. NULL: it is not known. */
    void (*stiffest)(void *self, nt_stiffest *out);
    /* Whether surfaces have met on the way from one point to another, deeper than `beyond` (m) and
     * than either point shows: the first of them. by_middle: than the middle of the way shows, the
     * only place where forces are looked at. Asked of steps, without an evaluation. NULL: there are
     * none. */
    bool (*met)(void *self, const nt_point *from, const nt_point *to, double beyond, bool by_middle,
                nt_meeting *out);
    void (*met_name)(void *self, int which, char *text, int size);
    /* What a step from one point to another has given to each of n_bounces bodies that contacts
     * alone hold. NULL: there are none. */
    void (*bounces)(void *self, const nt_point *from, const nt_point *to, nt_bounce *each);
    int n_bounces;
    /* Where forces of the motion begin or end with a slope: beyond[n_onsets] passes zero there, m
     * or rad, and is not a number where there is nothing to pass. Steps of a method of order above
     * four that its error chooses end there, for neither its error nor derivatives along it are of
     * its order across such a place. NULL: there are none. */
    nt_status (*onsets)(void *self, const nt_point *at, double *beyond);
    int n_onsets;
    /* Until the next call these forces act at every point as they do on the side of their places
     * on which `at` is: differences of energies and forces are taken so. NULL: as it was. May be
     * NULL. */
    void (*hold_onsets)(void *self, const nt_point *at);
    /* Asked by everything that computes with the system; what it points to may change between
     * calls. NULL: nobody is asked. Of a run it is set by nt_run_stop_when (model.h). */
    const nt_stop_request *stop;
    /* Threads that evaluations of the system take, for what else is computed with it: one job after
     * the other. NULL, or NULL behind it: the caller's alone. Of a run, see nt_run_set_threads
     * (model.h). */
    struct nt_pool *const *pool;
};

/* NT_INVALID, with the field and what was expected of it, for a system that contradicts itself: a
 * capability without its function, a count that is negative, a length that is none, lists that lead
 * out of others. Whoever takes a system looks for this first. */
NT_API nt_status nt_system_check(const nt_system *system, nt_error *error);

/* Largest difference between the system's tangent and central differences of R and the rows at a
 * point, relative to the largest entry of the compared column: a test for systems written by
 * hand. Columns of vdot, v, q, lambda, mu in turn; step is relative (1e-6 is good). */
NT_API nt_status nt_system_check_tangent(const nt_system *system, const nt_point *at, double step,
                                         double *difference, nt_error *error);

#ifdef __cplusplus
}
#endif
#endif
