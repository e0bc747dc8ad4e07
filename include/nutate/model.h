/* Models: bodies, joints, forces, contacts and named parameters, read from a file; and runs: the
 * systems that they make.
 *
 * Threads. A model is only read once it is there: any number of threads may use it at the same
 * time, and make runs of it. A run owns what changes (parameter values and what follows from them,
 * the point that was looked at last): a run, its system, and whatever was made with that system
 * (integrators, sensitivities, records) belong to one thread at a time. Runs of one model give the
 * same bits whether others are under way or not. */
#ifndef NUTATE_MODEL_H
#define NUTATE_MODEL_H

#include <nutate/method.h>
#include <nutate/sensitivity.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a file describes, only read once it is there. */
typedef struct nt_model nt_model;

/* One motion of a model: parameter values and what follows from them. */
typedef struct nt_run nt_run;

/* KEY=VALUE of `--set`: key is a parameter's name or a dotted path of the model file, value is YAML
 * text. */
typedef struct nt_setting {
    const char *key, *value;
} nt_setting;

/* Read and check a model file, with settings[n_settings] in place of what it says, and compute
 * consistent initial positions and velocities. NT_IO where a file cannot be read, NT_BAD_MODEL or
 * NT_INCONSISTENT with file, line and column, what is wrong and what was expected. */
NT_API nt_status nt_model_read(nt_model **model, const char *path, const nt_setting *settings,
                               int n_settings, nt_error *error);

/* The same from text[length], which is copied. name stands for the file in messages, folder (may be
 * NULL) is where table files are looked up. */
NT_API nt_status nt_model_read_text(nt_model **model, const char *text, size_t length,
                                    const char *name, const char *folder,
                                    const nt_setting *settings, int n_settings, nt_error *error);
NT_API void nt_model_destroy(nt_model *model);

/* Paths of the tables that the model has read, for i = 0, 1, ...; NULL after the last. Belong to
 * the model. */
NT_API const char *nt_model_table_file(const nt_model *model, int i);

/* ---- runs ----------------------------------------------------------------------------------- */

/* A run of a model at the parameter values of the file; the model must outlive it. Costs a copy of
 * the model's numbers. */
NT_API nt_status nt_run_create(nt_run **run, const nt_model *model, nt_error *error);
NT_API void nt_run_destroy(nt_run *run);
NT_API const nt_model *nt_run_model(const nt_run *run);

/* The system of the run, in the frame NT_INERTIAL. Its functions change the run. */
NT_API const nt_system *nt_run_system(nt_run *run);

/* Ask this whenever something computes with the run (system.h); NULL: nobody. To be called while
 * nothing does. Reading a model, creating runs and setting parameters do not ask. */
NT_API void nt_run_stop_when(nt_run *run, int (*requested)(void *context), void *context);

/* Set a parameter by its name. Parameters that are expressions of it follow, and initial values are
 * found anew, just as if the file had been read with NAME=VALUE. An integrator that is under way
 * must be told (nt_integrator_refresh). NT_INVALID for a name that the model does not have or a
 * value that is not finite, NT_BAD_MODEL or NT_INCONSISTENT as for a file with that value: then the
 * run stands as it was. */
NT_API nt_status nt_model_set(nt_run *run, const char *name, double value, nt_error *error);

/* The same for parameters[n] at once, by their number in the system's list: what only all values
 * together make consistent is possible. NT_INVALID for a number out of range. */
NT_API nt_status nt_model_set_several(nt_run *run, const int *parameters, const double *values,
                                      int n, nt_error *error);

/* Let this many threads evaluate the run's elements side by side, and factorise its matrices where
 * these are large; a run begins with 1, the caller's own. Results are the same to the bit. It pays
 * where elements are many or costly. To be called between steps only. */
NT_API nt_status nt_run_set_threads(nt_run *run, int threads, nt_error *error);

/* Fill in the set-up of an integrator as the model's `simulation` says: system, method, options,
 * frame, tolerances, bounds of steps; work is followed where it is recorded or may be in an
 * objective. Hand it to nt_integrator_create as it is, or change fields first. The caller sets
 * setup->version before (see nutate.h), as in `nt_integrator_setup setup = {0}`. NT_BAD_MODEL where
 * the file names a method that is none: then all but the method is filled in. */
NT_API nt_status nt_run_setup(nt_run *run, nt_integrator_setup *setup, nt_error *error);

/* Make setup->maximum_step so short that steps which the setup's method chooses pass over no pulse
 * between the times start and end, s: a function of time that is at rest for most of it. Does
 * nothing for equal steps. nt_run_setup has done so for the method, tolerance and duration of the
 * file; to be called where they were changed. NT_NO_MEMORY. */
NT_API nt_status nt_run_bound_steps(const nt_run *run, double start, double end,
                                    nt_integrator_setup *setup, nt_error *error);

/* ---- what the file says -----------------------------------------------------------------------
 *
 * The sections `simulation` and `output`. */
typedef struct nt_simulation {
    double start, duration, step; /* s; step 0 where none is given                        */
    const char *method;           /* "generalized-alpha" where none is given              */
    nt_frame frame;
    int frame_given;          /* whether the model names it */
    const nt_option *options; /* of that method */
    const int *option_place;  /* [n_options][2] line and column of the value; 0: of --set     */
    int n_options;
    double tolerance[4]; /* position, rotation, velocity, angular_velocity; 0: none given */
    double minimum_step, maximum_step; /* s; 0: none given                             */
    int energy_check;                  /* whether the energy is watched                */
    double every;                      /* s between output rows; 0: every step                 */
    const char *const *record;         /* names of recorded quantities                         */
    int n_record;
    int poses; /* whether NetCDF holds the poses of all bodies */
    /* of `static`: held entries of v, ascending; whether what moves freely is held as well;
     * whether a damped motion is followed; of `initial`: whether a run begins at a static state */
    const int *held; /* [n_held] */
    int n_held, hold_free, stable, static_initial;
} nt_simulation;
NT_API const nt_simulation *nt_model_simulation(const nt_model *model);

/* Whether the file gives a section or one of its keys, "simulation" or "simulation.duration" (also
 * of `output` and `initial`), and line and column of its value; both may be NULL. 0 and zeros where
 * it does not, or where a setting did. */
NT_API int nt_model_key_place(const nt_model *model, const char *path, int *line, int *column);
/* The title, NULL where the file gives none. */
NT_API const char *nt_model_title(const nt_model *model);
/* The file as read, text[*length]; length may be NULL. */
NT_API const char *nt_model_text(const nt_model *model, size_t *length);

/* Consistent initial values: q[nq], v[nv], memory[n_memory] at simulation->start, v in the system's
 * frame. memory may be NULL where n_memory is 0. */
NT_API void nt_run_initial(const nt_run *run, double *q, double *v, double *memory);

/* ---- derivatives in parameters --------------------------------------------------------------
 *
 * Parameters by their number in the system's list. A parameter that is an expression of others
 * follows them. Derivatives are along the tangent of everything that the parameter changes: numbers
 * of the file, what follows from them (inertia about other points, joints' points and axes, loads,
 * prescribed motions), and the initial placement that closes the loops. */

/* Prepare derivatives in parameters[n] (NULL: all of them), so that parameter_tangent of the system
 * allocates nothing until parameters are set again; unprepared parameters are prepared at their
 * first use. Costs eight assemblies for each. NT_INVALID for a number out of range; NT_UNSUPPORTED
 * where an element follows a parameter by numbers that it keeps apart from its data (element.h): a
 * test for element types written outside of the library; or what reading the model with slightly
 * other values of a parameter would return. */
NT_API nt_status nt_run_prepare_parameters(nt_run *run, const int *parameters, int n,
                                           nt_error *error);

/* Derivatives of the initial values in parameter k: dq[nv] (increment), dv[nv] and
 * dmemory[n_memory] (may be NULL where there is none) in the system's frame. NT_INCONSISTENT when
 * a constraint cannot follow, because positions or velocities are given as numbers that do not
 * change with the parameter: the message names the joint and the equation. */
NT_API nt_status nt_run_initial_tangent(nt_run *run, int k, double *dq, double *dv, double *dmemory,
                                        nt_error *error);

/* Estimated relative error of elements' terms in the last parameter_tangent of the model's system:
 * 1e-15 where everything is quadratic along the change (most is), larger where differences are
 * taken. */
NT_API double nt_run_parameter_error(const nt_run *run);

/* What `initial: {correct: true}` moved, one line of words per moved value; "" for nothing. */
NT_API const char *nt_run_corrections(const nt_run *run);

/* A length for weighing moments against forces, m: the largest distance between the points of the
 * model at the start, 1 where there is none. */
NT_API double nt_run_length(const nt_run *run);

/* ---- recorded quantities -------------------------------------------------------------------- */

/* What can be recorded, "top.position" or "energy": up to 16 columns with names and units.
 * `object` and `kind` are the library's own. */
typedef struct nt_quantity_info {
    int kind, object, first; /* the library's own           */
    int columns;             /* 1 to 16                      */
    int needs_reactions, needs_energy, needs_drift;
    /* It depends on accelerations or multipliers: a row shows it at a state of
     * nt_integrator_balance. */
    int needs_accelerations;
} nt_quantity_info;

/* Look a quantity up. NT_BAD_MODEL and a suggestion when there is no such name. */
NT_API nt_status nt_model_quantity(const nt_model *model, const char *name,
                                   nt_quantity_info *quantity, nt_error *error);
/* Words for a column of a quantity, each into an array of `size`, always terminated: its name
 * "top.position.x", its unit "m", its meaning "position of body top, x, ground axes". */
NT_API void nt_model_quantity_column(const nt_model *model, const nt_quantity_info *quantity,
                                     int column, char *name, char *unit, char *meaning, int size);
/* Values of a quantity at a state: out[columns]. reactions[nh + nn] may be NULL, then the state's
 * own multipliers are used. */
NT_API nt_status nt_run_sample(nt_run *run, const nt_quantity_info *quantity, const nt_state *state,
                               const double *reactions, double *out, nt_error *error);

/* A direction in which recorded quantities change: that of an nt_state_tangent, for instance. dq is
 * an increment in the system's frame. NULL stands for zeros; time and step size do not change. */
typedef struct nt_state_rate {
    int version;                   /* NT_INTERFACE, or 0: see nutate.h                       */
    const double *dq, *dv, *dvdot; /* [nv]                                                   */
    const double *dlambda, *dmu;   /* [nh], [nn]                                             */
    const double *dmemory;         /* [n_memory]                                             */
    double work;                   /* J, derivative of the state's work                      */
    int parameter;                 /* its number; -1 for none                                */
} nt_state_rate;

/* The direction of a tangent, whose arrays it shows, in a parameter of this number. Zeros along no
 * direction for NULL. Allocates nothing; any thread. */
NT_API nt_state_rate nt_state_rate_along(const nt_state_tangent *tangent, int parameter);

/* Derivatives of quantities[n] along a direction: out[sum of their columns]. reactions[nh + nn] and
 * reaction_rates[nh + nn], their derivatives, may be NULL: then the multipliers and theirs are
 * used. Differences of sixth order, good to 1e-12 of the largest term of the quantity; the
 * quantities `drift` and `step` count as constant. */
NT_API nt_status nt_run_sample_tangent(nt_run *run, const nt_quantity_info *quantities, int n,
                                       const nt_state *state, const double *reactions,
                                       const nt_state_rate *rate, const double *reaction_rates,
                                       double *out, nt_error *error);

/* ---- objectives -----------------------------------------------------------------------------
 *
 * Scalars of a run that the file declares: the value at the end of an expression of recorded
 * quantities, its integral over time, its largest or smallest value, its root mean square. Here
 * are the expression's values at one state; what runs over time is the caller's affair. */
typedef enum nt_objective_type {
    NT_OBJECTIVE_FINAL,
    NT_OBJECTIVE_INTEGRAL,
    NT_OBJECTIVE_MAXIMUM,
    NT_OBJECTIVE_RMS,
    NT_OBJECTIVE_MINIMUM
} nt_objective_type;

typedef struct nt_objective_info {
    const char *name; /* belongs to the model */
    nt_objective_type type;
    int needs_reactions;     /* it depends on reactions, which the caller gives */
    int needs_accelerations; /* likewise on accelerations: see nt_quantity_info */
} nt_objective_info;

NT_API int nt_model_objective_count(const nt_model *model);
/* Zero where there is no objective of this number. */
NT_API nt_objective_info nt_model_objective(const nt_model *model, int i);

/* Values of all expressions at a state: out[nt_model_objective_count]. reactions[nh + nn] may be
 * NULL, then the state's own multipliers are used. NT_NOT_FINITE where one has no value, with its
 * name. The first call of this and the next function allocates, later ones do not (but see
 * nt_run_sample_tangent on parameters that are not prepared). */
NT_API nt_status nt_run_objective_values(nt_run *run, const nt_state *state,
                                         const double *reactions, double *out, nt_error *error);
/* Their derivatives along a direction, as in nt_run_sample_tangent. */
NT_API nt_status nt_run_objective_tangent(nt_run *run, const nt_state *state,
                                          const double *reactions, const nt_state_rate *rate,
                                          const double *reaction_rates, double *out,
                                          nt_error *error);

/* ---- what a model is made of ------------------------------------------------------------------
 *
 * Whether anything can do work but forces with a potential: loads, driven joints, friction,
 * damping. If not (0), there is no work to follow (nt_integrator_setup.track_work). */
NT_API int nt_model_has_power(const nt_model *model);

/* How much there is of everything; of equations those that hold at the start, and none that wait
 * for an event. Degrees of freedom: velocities - states - (holonomic + nonholonomic - redundant).
 */
typedef struct nt_model_counts {
    int bodies, joints, forces, contacts, markers, parameters;
    int points; /* of the bodies: those without rotation */
    int velocities, holonomic, nonholonomic;
    int redundant; /* equations that depend on the others at the initial positions */
    int states;    /* unknowns of first order, among the velocities */
    int inactive;  /* of the joints: those that wait for an event */
} nt_model_counts;
NT_API nt_model_counts nt_model_count(const nt_model *model);
/* Words for redundant equation i of nt_model_count: "joint j2, rotation of arm about y", into
 * text[size], always terminated; "" where there is no such equation. */
NT_API void nt_model_redundant_text(const nt_model *model, int i, char *text, int size);

/* Remark i, from 0 on, on what the model says that is allowed but seldom meant (inertia in kg mm2,
 * an angle in degrees, bodies without a way to the ground, no degree of freedom): its words and, in
 * the file, its place. 0 where there is no such remark; `remark` is then as it was. */
NT_API int nt_model_remark(const nt_model *model, int i, nt_error *remark);

/* Events of the section `events`: how many, the name of one, and the words with which it ends the
 * run; NULL where there is none of this number, "" where it does not end it. Occurrences of
 * higher numbers are those of sliding modes: `sliding` of them, two for each switch that may slide,
 * which then begins (even ones behind the events) and ends; with names such as "sliding
 * begins: 'value' at 12:5" and "joint rail sticks". Behind them are those of rigid limits, three
 * for the lower and three for the upper limit of a joint: "joint rail hits its lower limit", and
 * that it rests on it and leaves it. */
NT_API int nt_model_event_count(const nt_model *model);
NT_API int nt_model_sliding_count(const nt_model *model);
NT_API int nt_model_limit_count(const nt_model *model);
NT_API const char *nt_model_event_name(const nt_model *model, int i);
NT_API const char *nt_model_event_end(const nt_model *model, int i);

/* Words for the i-th part, from 0 on, whose dry friction is regularised, "joint rail": it holds
 * nothing at rest. Into text[size], always terminated; 0: there is none of this number. */
NT_API int nt_model_creeps(const nt_model *model, int i, char *text, int size);

/* Remark i, from 0 on, on expressions that may jump where the motion or a parameter passes a point:
 * exact derivatives along a parameter leave out what a jump moves. */
NT_API int nt_model_jump(const nt_model *model, int i, nt_error *remark);

/* Functions of time that rise and fall within one of the equal steps of a run from `start` to `end`
 * (s), so that it may pass over them: words for the i-th, as above. */
NT_API int nt_model_pulse(const nt_model *model, double start, double end, double step, int i,
                          nt_error *remark);

/* Joints whose prescribed motion follows a table that jumps, or whose slope or second derivative
 * does, at its points or where the motion leaves it, so that their accelerations and forces do; or
 * which jump so in the time of the run by how they are written (if, floor, abs and the like): words
 * for the i-th, as above. */
NT_API int nt_model_rough_motion(const nt_model *model, int i, nt_error *remark);

/* What the run has come across so far that its result may not show: words for the i-th, from 0 on,
 * into text[size]. Energies are looked at on the way (nt_energy_check); what no look fell upon is
 * not there. Returns the length of the words, 0 behind the last one. */
NT_API int nt_run_warning(const nt_run *run, int i, char *text, int size);

/* Whether the motion depends on the time itself, by an expression of t: then its words and its
 * place. 0 where nothing does; `where` is then as it was. */
NT_API int nt_model_clock(const nt_model *model, nt_error *where);

/* The JSON Schema of the model file: writes to text[size], always terminated, and returns the
 * length needed. text may be NULL. */
NT_API int nt_model_schema(char *text, int size);

/* A model from a file of another program: the text of a model file.
 * format  "windio" (versions 1 and 2) or "beamdyn" (the primary file, which names the blade's)
 * part    "blade", "rotor" or "turbine" of windIO; NULL: all there is
 * *text   the model, terminated, to be freed by the caller; NULL on failure                 out
 * *notes  what is not as it should be and what was done about it, one a line; likewise      out
 * Errors: NT_IO when a file cannot be read, NT_BAD_MODEL with the place of what is wrong in it,
 * NT_INVALID for a format or part that there is not. */
NT_API nt_status nt_model_import(const char *format, const char *path, const char *part,
                                 char **text, char **notes, nt_error *error);

#ifdef __cplusplus
}
#endif
#endif
