/* The command `nutate`: what its files share. Public headers of the library only. */
#ifndef NUTATE_CLI_CLI_H
#define NUTATE_CLI_CLI_H

#include <nutate/nutate.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit statuses. */
enum {
    NT_EXIT_DONE = 0,
    NT_EXIT_USAGE = 2,         /* wrong use or bad model                                 */
    NT_EXIT_FAILED = 3,        /* the computation failed; what it had computed is written */
    NT_EXIT_IO = 4,            /* input or output failed                                 */
    NT_EXIT_INTERRUPTED = 130, /* what it had is written                                 */
};

/* ---- options.c: the command line --------------------------------------------------------------
 */

typedef struct nt_cli_options {
    const char *name; /* MODEL or NAME; NULL where none is given          */
    const char *method, *output, *save, *restart; /* NULL where not given */
    double step, duration;                        /* s; 0 where not given */
    nt_solver_kind solver;
    int threads; /* 0: not given */
    bool quiet, help, check, no_energy_check;
    const char *objectives;  /* a file; NULL where not given */
    const char **parameters; /* [n_parameters] names         */
    int n_parameters;
    nt_setting *settings; /* [n_settings] */
    int n_settings;
} nt_cli_options;

/* A command of `nutate`. */
typedef struct nt_cli_command {
    const char *name;
    const char *operand; /* "MODEL", "[NAME]", "" */
    const char *options; /* letters of the options it takes, see options.c */
    const char *summary; /* one line for the list of commands */
    const char *text;    /* what it does, for its help */
    int (*run)(const nt_cli_options *options);
} nt_cli_command;

/* Read the arguments after the command's name. Returns NT_EXIT_DONE, or an exit status after
 * saying what is wrong. nt_cli_options_free in any case. */
int nt_cli_options_read(nt_cli_options *options, const nt_cli_command *command, int count,
                        char **arguments);
void nt_cli_options_free(nt_cli_options *options);

/* Usage, text and options of a command. */
void nt_cli_options_help(const nt_cli_command *command, FILE *to);

/* ---- say.c: messages ----------------------------------------------------------------------------
 */

/* "nutate: ..." on standard error, one line. */
void nt_cli_say(const char *format, ...) NT_PRINTF(1, 2);

/* Say an error, with `where` in front unless the error names a file (where may be NULL), and return
 * the exit status for it. */
int nt_cli_fail(const char *where, const nt_error *error);
int nt_cli_no_memory(void);

/* Everything printed on standard output has arrived: NT_EXIT_DONE, else NT_EXIT_IO and a message.
 */
int nt_cli_finish_output(void);

/* "; did you mean `x`?" or nothing, in text[size]. */
void nt_cli_suggestion(const char *word, const char *const *words, int n, char *text, size_t size);

/* ---- plan.c: a model and how it is integrated ----------------------------------------------- */

typedef struct nt_cli_plan {
    const char *path; /* of the model */
    nt_model *model;
    nt_run *run;
    const nt_method *method;
    nt_option *options; /* [n_options] those of the file that the method has */
    int n_options;
    nt_frame frame;
    nt_integrator *integrator;
    double tolerance[4];
    bool variable;           /* the integrator chooses its steps */
    double start, end, step; /* s; step divides the whole duration, or is the first one */
    bool tracks_work;
    nt_integrator_setup setup; /* of the integrator */
} nt_cli_plan;

/* Say what is wrong with a section or key of the model ("simulation.step"), at its place where the
 * file gives it. Returns the exit status. */
int nt_cli_refuse(const nt_cli_plan *plan, const char *key, const char *format, ...)
    NT_PRINTF(3, 4);

/* "inertial", "body" or "se3" */
const char *nt_cli_frame(nt_frame frame);

/* The method of this name; NULL after saying that there is none, with `where` in front. */
const nt_method *nt_cli_method(const char *where, const char *name);

/* Read the model, choose the method, its options and the steps, create the integrator. Says what is
 * set aside unless options->quiet. With needs_times false, duration and step may be missing.
 * Returns NT_EXIT_DONE, or an exit status after saying what is wrong. nt_cli_plan_free in any case.
 */
int nt_cli_plan_make(nt_cli_plan *plan, const nt_cli_options *options, bool needs_times);

/* Consistent initial values into the integrator. */
int nt_cli_plan_start(nt_cli_plan *plan);
void nt_cli_plan_free(nt_cli_plan *plan);

struct nt_cli_sens; /* see run.c */

/* ---- state.c: saved states ------------------------------------------------------------------ */

/* Write the integrator's state to a file, with sens (or NULL) the derivatives too, and take it from
 * there: bit for bit. A file of another method, model or version is refused, and with sens one
 * without the derivatives wanted. Return an exit status. */
int nt_cli_state_save(const nt_cli_plan *plan, const struct nt_cli_sens *sens, const char *path);
int nt_cli_state_restore(nt_cli_plan *plan, const char *path);
int nt_cli_state_restore_sens(const nt_cli_plan *plan, const struct nt_cli_sens *sens,
                              const char *path);

/* ---- report.c: progress and the summary ----------------------------------------------------- */

typedef struct nt_cli_progress {
    bool on;             /* standard error is a terminal */
    double begun, shown; /* s, clock                     */
    double start, end;   /* s, of the run                */
} nt_cli_progress;

double nt_cli_clock(void); /* s */
void nt_cli_progress_begin(nt_cli_progress *progress, const nt_cli_plan *plan, bool quiet);
void nt_cli_progress_show(nt_cli_progress *progress, const nt_integrator *integrator);
void nt_cli_progress_clear(const nt_cli_progress *progress);

/* What a finished or broken run was like. */
typedef struct nt_cli_account {
    const char *output; /* file of the result; NULL: none */
    const nt_objectives *objectives;
    const struct nt_cli_sens *sens; /* NULL: no derivatives */
    long rows, steps_before; /* rows written; steps that a restored state had already taken */
    double seconds;          /* wall time of the run  */
    double energy[2][4];     /* kinetic, potential, total, work at the start and the end */
    bool has_energy;
} nt_cli_account;
void nt_cli_summary(const nt_cli_plan *plan, const nt_cli_account *account);

/* ---- run.c: an integration with its result ----------------------------------------------------
 */

/* Derivatives of a run: what sens.c adds to it. */
typedef struct nt_cli_sens {
    int *parameters; /* [n] numbers in the model */
    int n;
    nt_sensitivity *sensitivity;
    double *ends; /* [n_ends] step ends, s, kept with --check */
    long n_ends, room;
    bool keeps_ends;
} nt_cli_sens;

/* Integrate and write the result. sens: NULL, or what carries derivatives; then after a run that
 * is done `then` is called before everything is closed. */
typedef int nt_cli_then(nt_cli_plan *plan, nt_cli_sens *sens, const nt_objectives *objectives,
                        const nt_cli_options *options);
int nt_cli_integrate(const nt_cli_options *options, nt_cli_sens *sens, nt_cli_then *then);

/* ---- sens.c, sens_check.c: derivatives ---------------------------------------------------------
 */

/* Attach to the plan's integrator, which stands at its start or where a saved state stands. An exit
 * status. */
int nt_cli_sens_begin(nt_cli_sens *sens, const nt_cli_plan *plan, const nt_cli_options *options);
/* The name of parameter k of those asked for. */
const char *nt_cli_sens_name(const nt_cli_plan *plan, const nt_cli_sens *sens, int k);
/* Objectives with derivatives (sens may be NULL), and how derivatives were found, for the summary.
 */
void nt_cli_objectives_show(const nt_cli_plan *plan, const nt_cli_sens *sens,
                            const nt_objectives *objectives);
void nt_cli_sens_show(const nt_cli_plan *plan, const nt_cli_sens *sens);
/* Compare with differences of whole runs; prints the table on standard output. An exit status. */
int nt_cli_sens_check(nt_cli_plan *plan, nt_cli_sens *sens, const nt_objectives *objectives,
                      const nt_cli_options *options);

/* ---- commands ------------------------------------------------------------------------------- */

int nt_cli_run(const nt_cli_options *options);
int nt_cli_check(const nt_cli_options *options);
int nt_cli_sensitivities(const nt_cli_options *options);
int nt_cli_methods(const nt_cli_options *options);
int nt_cli_papers(const nt_cli_options *options);
int nt_cli_schema(const nt_cli_options *options);

#endif
