/* Methods and the integrator that drives them.
 *
 * A method is a constant descriptor in a registry. An integrator binds a system, a method and its
 * options, owns all memory, and advances a state; it never prints.
 *
 * Threads. Methods are constants, for all threads. An integrator belongs to one thread at a time,
 * functions that only look at it included; it may pass from one thread to another between calls.
 * Different integrators may run at the same time, on systems that allow it (system.h). */
#ifndef NUTATE_METHOD_H
#define NUTATE_METHOD_H

#include <nutate/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nt_method nt_method;

typedef enum nt_option_type { NT_REAL, NT_INTEGER, NT_BOOLEAN, NT_CHOICE } nt_option_type;

/* One option of a method: the command line, its help, the checks and the reference page are made
 * from these. */
typedef struct nt_option_key {
    const char *name;
    nt_option_type type;
    double fallback;            /* the default; for a choice the index; NaN: none         */
    double low, high;           /* closed range of valid values                           */
    const char *unit;           /* "" where there is none                                 */
    const char *const *choices; /* NULL-terminated, for NT_CHOICE                       */
    const char *meaning;
} nt_option_key;

/* An option given by the caller, as text: "0.8", "true", "hht". */
typedef struct nt_option {
    const char *name, *value;
} nt_option;

/* The registry: descriptors are constants, and so are the texts and keys that they give. Of NULL
 * numbers are 0 and texts "". */
NT_API int nt_method_count(void);
NT_API const nt_method *nt_method_at(int i);              /* NULL when there is none */
NT_API const nt_method *nt_method_find(const char *name); /* NULL when there is none */
NT_API const char *nt_method_name(const nt_method *method);
NT_API const char *nt_method_summary(const nt_method *method);
NT_API const char *nt_method_reference(const nt_method *method);
NT_API int nt_method_controls_error(const nt_method *method); /* takes tolerances */
/* Keeps between steps what no saved state holds: see nt_integrator_saves_whole. */
NT_API int nt_method_keeps_history(const nt_method *method);
NT_API int nt_method_is_linearised(const nt_method *method); /* gives sensitivities */
/* What it asks of a system and what it treats, in words: written to text[size], always terminated,
 * which is returned. */
NT_API const char *nt_method_needs(const nt_method *method, char *text, int size);
/* Whether it can advance a system: NT_OK, or NT_UNSUPPORTED and a message that names all that is
 * missing and the methods that would do. */
NT_API nt_status nt_method_check_system(const nt_method *method, const nt_system *system,
                                        nt_error *error);
/* Whether it takes tolerances: NT_OK, or NT_UNSUPPORTED and a message that names the methods that
 * do and can advance the system. */
NT_API nt_status nt_method_check_tolerance(const nt_method *method, const nt_system *system,
                                           nt_error *error);
/* Its options[*count]; count may be NULL. */
NT_API const nt_option_key *nt_method_options(const nt_method *method, int *count);
/* Whether its increments may be in that frame. */
NT_API int nt_method_has_frame(const nt_method *method, nt_frame frame);
/* Whether an option is one of the method's and its value valid: NT_OK, or NT_INVALID and a message
 * that says name, range and what was given. */
NT_API nt_status nt_method_check_option(const nt_method *method, const nt_option *option,
                                        nt_error *error);

/* ---- integrator ----------------------------------------------------------------------------- */

typedef struct nt_integrator nt_integrator;

/* What happens where the energy grows though no load has given it: by more than a quarter of what
 * kinetic and potential energy exchanged and a twentieth of the largest kinetic energy. */
typedef enum nt_energy_check {
    NT_ENERGY_ENDS,  /* the run ends with NT_ENERGY; not of methods that are unstable in long
                        runs, which only warn */
    NT_ENERGY_WARNS, /* nt_integrator_energy_warning tells */
    NT_ENERGY_UNWATCHED
} nt_energy_check;

/* How to set one up. Zero is a sensible value for every field but `system` and `method`; what a
 * model file says is filled in by nt_run_setup (model.h). */
typedef struct nt_integrator_setup {
    int version;             /* NT_INTERFACE, or 0: see nutate.h                          */
    const nt_system *system; /* borrowed: must outlive the integrator                     */
    const nt_method *method;
    const nt_option *options; /* [n_options] */
    int n_options;
    nt_frame frame; /* of the increments of rotations. A method that has no inertial frame
                       works in the body frame where this is zero (NT_INERTIAL)    */
    nt_solver_kind solver;
    /* Of the local error of a step: position (m), rotation (rad), velocity (m/s), angular_velocity
     * (rad/s). An error may be tolerance (1 + |value|), of rotations tolerance alone. All 0: equal
     * steps; some 0: those quantities are not looked at. For methods that control their error;
     * refused by others. */
    double tolerance[4];
    double minimum_step; /* s; steps are not made smaller than this. 0: 1e-4 of the step asked
                            for, or 1e-9 of it with a tolerance; bdf: rounding alone     */
    double maximum_step; /* s; of variable steps, 0: no limit                          */
    int track_work;      /* integrate the power of non-potential forces               */
    nt_energy_check energy_check; /* of systems that give energies (NT_HAS_ENERGY)    */
    /* Asked besides that of the system, within steps too (system.h): start, step, run and refresh
     * end with NT_INTERRUPTED, and the state is that at the last accepted step. */
    nt_stop_request stop;
} nt_integrator_setup;

/* What it took since the start. */
typedef struct nt_statistics {
    long steps;      /* accepted                                                    */
    long rejected;   /* attempts that did not converge or failed their error test   */
    long iterations; /* Newton iterations                                           */
    long factorisations, solves;
    long evaluations;  /* residual evaluations                                        */
    long fallbacks;    /* times that the linear solver turned to pivoting             */
    long pivoted;      /* linear solves made with pivoting since                      */
    long rank_changes; /* times the independent constraint rows were chosen anew      */
    double smallest_step, largest_step; /* s, accepted; none that was cut short is smallest */
    long limited[4];        /* steps that were limited by the error of position, rotation, velocity,
                               angular_velocity: the largest relative to its tolerance         */
    int limiting_unknown;   /* whose error was largest in the last step, an entry of v; -1: none */
    double position_drift;  /* largest |Phi| at any step's end                             */
    double linear_residual; /* worst accepted relative residual of a linear solve         */
    long events;            /* that have happened                                         */
} nt_statistics;

/* A state to look at. Its arrays belong to the integrator and show the state until the integrator
 * moves (step, run, start, refresh, restore) or another state is looked at (nt_integrator_state,
 * dense output, a row of a record). nt_state_copy makes one that lives longer. */
typedef struct nt_state {
    double t;             /* s                                                            */
    const double *q;      /* [nq]                                                         */
    const double *v;      /* [nv] in the system's frame                                   */
    const double *vdot;   /* [nv] in the system's frame                                   */
    const double *lambda; /* [nh] N or N m                                                */
    const double *mu;     /* [nn] N or N m                                                */
    const double *memory; /* [n_memory]                                                   */
    double work; /* J, of non-potential forces since the start, as good as the dense output is */
    double step; /* s, size of the last accepted step                                           */
} nt_state;

/* Copy a state of a system into numbers[nt_state_room(system)], memory of the caller's. The arrays
 * of *copy stand there and live as long; it may be *state itself. An array that is NULL stays NULL.
 * NT_INVALID where an argument is NULL. */
NT_API nt_status nt_state_copy(nt_state *copy, double *numbers, const nt_system *system,
                               const nt_state *state);
/* How many numbers the copy of a state, or of an nt_state_tangent, takes. */
NT_API size_t nt_state_room(const nt_system *system);

/* Make an integrator; all its memory is taken here. The setup, and options in it, are needed during
 * the call only, the system as long as the integrator. NT_INVALID for a setup, option or system
 * that is wrong in itself, NT_UNSUPPORTED where method, system, frame or tolerance do not go
 * together, NT_NO_MEMORY. */
NT_API nt_status nt_integrator_create(nt_integrator **integrator, const nt_integrator_setup *setup,
                                      nt_error *error);
NT_API void nt_integrator_destroy(nt_integrator *integrator);

/* Begin at (t, q[nq], v[nv]), v in the system's frame. q = v = memory = NULL: at the system's own
 * initial values (system->initial; a model has them). Computes consistent accelerations and
 * multipliers. memory[n_memory] or NULL for zeros. NT_INCONSISTENT when Phi or dPhi/dt is not zero
 * there: the message names the equation and the amount. */
NT_API nt_status nt_integrator_start(nt_integrator *integrator, double t, const double *q,
                                     const double *v, const double *memory, nt_error *error);

/* Advance by h. When the equations cannot be solved the step is halved and tried again, down to the
 * minimum step; the state always stands at the last accepted (sub)step. On failure the message says
 * time, step, residual and the worst equation. Within steps denormal numbers (below 2.3e-308) count
 * as zero on machines that can be told so. */
NT_API nt_status nt_integrator_step(nt_integrator *integrator, double h, nt_error *error);

/* Tell the integrator that parameters or loads of the system changed: accelerations, multipliers
 * and what the method keeps of forces are made consistent with the present t, q and v. Statistics,
 * work and discrete memory go on. */
NT_API nt_status nt_integrator_refresh(nt_integrator *integrator, nt_error *error);

/* Switch constraint rows on or off between steps: rows[n], counted from 0 at the first of Phi,
 * kappa after them. A row that is off has no equation and no multiplier (0). All are on at first;
 * they stay as they were switched over nt_integrator_start, which may come later, and are part of a
 * saved state. Accelerations, multipliers and what the method keeps of forces become consistent, as
 * by nt_integrator_refresh. NT_INCONSISTENT where a row is to be switched on that the present
 * positions or velocities do not meet (the message names it and the amount; forms of index 3 keep
 * velocities to their order alone, so that a row let go is not at once met again); NT_UNSUPPORTED
 * while sensitivities are carried along; on failure nothing changes. */
NT_API nt_status nt_integrator_switch_rows(nt_integrator *integrator, const int *rows, int n,
                                           int on, nt_error *error);
/* Whether a row is on; 0 for NULL and for rows that do not exist. */
NT_API int nt_integrator_row_is_on(const nt_integrator *integrator, int row);

/* Called after every accepted step; non-zero stops the run with NT_INTERRUPTED. */
typedef int (*nt_observer)(void *context, const nt_integrator *integrator);

/* An event of the system (nt_events): when, which, and kinetic with potential energy just before
 * and just behind, J; zero where the system gives none. */
typedef struct nt_occurrence {
    double t;
    int number;
    double energy[2];
} nt_occurrence;

/* Called with every event once it has happened, in the integrator's thread; NULL: nobody is. */
typedef void (*nt_event_observer)(void *context, const nt_occurrence *occurrence);
NT_API void nt_integrator_observe_events(nt_integrator *integrator, nt_event_observer observer,
                                         void *context);
/* Called behind what has happened at one time (nt_events), where the run goes on, with the state
 * that its next step begins at, which can be saved there (nt_integrator_saves_whole): the observer
 * of steps was shown the one before. Non-zero stops the run with NT_INTERRUPTED. NULL: nobody is
 * called. */
NT_API void nt_integrator_observe_behind(nt_integrator *integrator, nt_observer observer,
                                         void *context);
/* Whether the last step began at a time at which something had happened (nt_events), so that the
 * state at its begin may be another than the one that was shown last; 0 for NULL. */
NT_API int nt_integrator_began_anew(const nt_integrator *integrator);
/* The number of the event that has ended the run; -1: none has. After it nothing advances. */
NT_API int nt_integrator_ended_by(const nt_integrator *integrator);

/* Advance to `end`, ending there exactly: in equal steps, (end - t)/ceil((end - t)/h); or, where
 * the setup has a tolerance or the method proposes its steps, in variable ones, of which h is the
 * first of the whole motion. Variable steps follow a digital filter (Soderlind 2003, H211b); only
 * the last ones before `end` are trimmed to it. bdf always chooses its steps, by rules of its own:
 * h bounds the first one, after a start, a refresh or a restore; only the last one is
 * trimmed to `end`. */
NT_API nt_status nt_integrator_run(nt_integrator *integrator, double end, double h,
                                   nt_observer observer, void *context, nt_error *error);

/* Whether steps are variable: by a tolerance, as the method proposes, or chosen by the method. */
NT_API int nt_integrator_is_variable(const nt_integrator *integrator);
/* Whether they end where forces begin (nt_system.onsets): such steps follow the parameters. */
NT_API int nt_integrator_ends_at_onsets(const nt_integrator *integrator);

/* The present state: that at the end of the last accepted step, or at the start. t is NaN and all
 * else zero where the integrator is NULL. */
NT_API nt_state nt_integrator_state(const nt_integrator *integrator);

/* The state at a time t (s) inside the last accepted step: by the method's own dense output where
 * it has one, else q by cubic Hermite interpolation on the group (fourth order), v from it, vdot
 * and multipliers linear. Its arrays live as those of nt_state. NT_INVALID outside the last step.
 */
NT_API nt_status nt_integrator_dense(nt_integrator *integrator, double t, nt_state *state);

/* A state as a row of a result shows it: *balanced has the accelerations and multipliers that the
 * equations give at t, q and v of *state, which the integrator has shown. generalized-alpha, rkmk-*
 * and bdf know these at the end of a step, where they are left as they are; inside a step, and by
 * the other methods everywhere, they are solved for, with factors of looks; steps do not change.
 * Where the equations have none, as in a singular position, those of the method stay. balanced may
 * be state. Its arrays are those of *state, or live until the next balance. NT_NOT_FINITE,
 * NT_NO_MEMORY with words. */
NT_API nt_status nt_integrator_balance(nt_integrator *integrator, const nt_state *state,
                                       nt_state *balanced, nt_error *error);

/* The whole state as size bytes. Saving changes nothing: the run goes on with the bits of one that
 * was never saved. After a restore, here or in another integrator of the same setup, the same bits
 * follow as if it had gone on, and what is counted goes on from there, where the state was whole
 * when it was saved. The size is that of the setup and does not change. A state that is refused
 * (NT_INVALID) changes nothing. */
NT_API size_t nt_integrator_saved_size(const nt_integrator *integrator);
NT_API void nt_integrator_save(const nt_integrator *integrator, void *bytes);
NT_API nt_status nt_integrator_restore(nt_integrator *integrator, const void *bytes, size_t size,
                                       nt_error *error);
/* Whether a state saved now is whole: 1 for every method but bdf, 0 for NULL. The history of bdf's
 * formulas is SUNDIALS' own and cannot be copied. It begins anew, at order one, after a restore,
 * by itself after every thousand steps, and behind what happens (nt_integrator_observe_behind):
 * there its states are whole; from others what follows differs from the run that went on by its
 * tolerance. */
NT_API int nt_integrator_saves_whole(const nt_integrator *integrator);

/* What it took so far: the numbers behind the pointer go on with the integrator. */
NT_API const nt_statistics *nt_integrator_statistics(const nt_integrator *integrator);
/* The system that it was made with. */
NT_API const nt_system *nt_integrator_system(const nt_integrator *integrator);

/* Largest |Phi| at the present state, m or rad, and largest |dPhi/dt| and |kappa|, m/s or rad/s.
 * What `evaluate` of the system returns, where it fails. */
NT_API nt_status nt_integrator_drift(nt_integrator *integrator, double *position, double *velocity);

/* Looks at the energy now, which steps do now and then: NT_ENERGY where they would end with it. */
NT_API nt_status nt_integrator_check_energy(nt_integrator *integrator, nt_error *error);
/* The unknown that the words of the last failed step name, by its number among (v, lambda, mu):
 * system->coordinate_name has words for an entry of v, system->equation_name for multipliers. -1
 * where they name none. */
NT_API int nt_integrator_failed_unknown(const nt_integrator *integrator);
/* Words for an energy that has grown without a cause by more than a fiftieth of what ends a run,
 * and what would do better, into text[size]; returns their length, 0 where there is nothing to say.
 */
NT_API int nt_integrator_energy_warning(const nt_integrator *integrator, char *text, int size);
/* The same for equal steps that were too long for the damping of a force that the method takes
 * explicitly: which force, when it was worst, which steps are stable. And for what has no inertia
 * and is out of balance at the start: by how much, and how far it goes at once. */
NT_API int nt_integrator_step_warning(const nt_integrator *integrator, char *text, int size);

/* Multipliers of minimum norm (moments weighted by `length`, m) that give the same forces as those
 * of the state: out[nh + nn]. Where no constraint is redundant they are the multipliers themselves.
 */
NT_API nt_status nt_integrator_reactions(nt_integrator *integrator, const nt_state *state,
                                         double length, double *out, nt_error *error);

/* The number of redundant equations at the last choice of rows; index[] (may be NULL) receives up
 * to `room` of them, counted from 0 at the first constraint row. */
NT_API int nt_integrator_redundant(const nt_integrator *integrator, int *index, int room);

#ifdef __cplusplus
}
#endif
#endif
