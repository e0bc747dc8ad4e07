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
    bool quiet, help;
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
    const nt_method *method;
    nt_option *options; /* [n_options] those of the file that the method has */
    int n_options;
    nt_frame frame;
    nt_integrator *integrator;
    double tolerance[4];
    bool variable;           /* the integrator chooses its steps */
    double start, end, step; /* s; step divides the whole duration, or is the first one */
    bool tracks_work;
} nt_cli_plan;

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

/* ---- state.c: saved states ------------------------------------------------------------------ */

/* Write the integrator's state to a file, and take it from there: bit for bit. A file of another
 * method, model or version is refused. Return an exit status. */
int nt_cli_state_save(const nt_cli_plan *plan, const char *path);
int nt_cli_state_restore(nt_cli_plan *plan, const char *path);

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
    const char *output;      /* file of the result */
    long rows, steps_before; /* rows written; steps that a restored state had already taken */
    double seconds;          /* wall time of the run  */
    double energy[2][4];     /* kinetic, potential, total, work at the start and the end */
    bool has_energy;
} nt_cli_account;
void nt_cli_summary(const nt_cli_plan *plan, const nt_cli_account *account);

/* ---- commands ------------------------------------------------------------------------------- */

int nt_cli_run(const nt_cli_options *options);
int nt_cli_check(const nt_cli_options *options);
int nt_cli_methods(const nt_cli_options *options);
int nt_cli_papers(const nt_cli_options *options);
int nt_cli_schema(const nt_cli_options *options);

#endif
