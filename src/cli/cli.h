/* The command `nutate`: what its files share. Public headers of the library only. */
#ifndef NUTATE_CLI_CLI_H
#define NUTATE_CLI_CLI_H

#include <nutate/nutate.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses. */
enum {
    NT_EXIT_DONE = 0,
    NT_EXIT_USAGE = 2,         /* wrong use or bad model                                 */
    NT_EXIT_FAILED = 3,        /* the computation failed; what it had computed is written */
    NT_EXIT_IO = 4,            /* input or output failed, a closed pipe included         */
    NT_EXIT_INTERRUPTED = 130, /* what it had is written                                 */
};

/* ---- options.c: the command line --------------------------------------------------------------
 */

typedef struct nt_cli_options {
    const char *name;   /* MODEL or NAME; NULL where none is given          */
    const char **names; /* [n_names] of a command that takes several; `name` is the first */
    int n_names;
    int frames;                                   /* of a page; 0: not given */
    const char *method, *output, *save, *restart; /* NULL where not given */
    const char **outputs; /* [n_outputs] of run and sens; `output` is the first */
    int n_outputs;
    double step, duration, save_every; /* s; 0 where not given */
    nt_solver_kind solver;
    int threads; /* 0: not given */
    bool quiet, help, check, resume, no_limit, no_energy_check;
    const char *about, *over; /* of modes; NULL where not given */
    const char *at, *bode;    /* of linearise; NULL where not given */
    const char **inputs;      /* [n_inputs] names */
    int n_inputs;
    int modes;               /* 0: not given */
    const char *objectives;  /* a file; NULL where not given */
    const char *window;      /* of spectra; NULL where not given */
    double from;             /* s; 0 where not given */
    const char **parameters; /* [n_parameters] names         */
    int n_parameters;
    char **loads; /* [n_loads] of static's --along: NAME or NAME=FROM..TO */
    int n_loads;
    bool arc_length;
    double path_step;
    const char *of;             /* what derivatives are of; NULL: of a run  */
    const char *part;           /* of import; NULL where not given */
    const char *ending;         /* of the result's name without -o          */
    const char *period, *along; /* of orbit; NULL where not given */
    const char **advances;      /* [n_advances] NAME or NAME=VALUE */
    int n_advances, steps, segments;
    double after; /* s */
    bool free_period;
    const char *against; /* of plot; NULL where not given */
    bool spectrum;
    const char *collect, *statistics, *rows; /* of sweep; NULL where not given */
    bool dry_run, show_status, portable;
    const char *engine; /* NULL where not given */
    char **sshlogins;   /* [n_sshlogins] */
    int n_sshlogins;
    char **command;       /* the whole command line, ended by NULL */
    nt_setting *settings; /* [n_settings] */
    int n_settings;
} nt_cli_options;

/* A command of `nutate`. */
typedef struct nt_cli_command {
    const char *name;
    const char *operand; /* "MODEL", "[NAME]", "RESULT...", "" */
    const char *options; /* letters of the options it takes, see options.c */
    const char *ending;  /* of the result's name, after the model's; NULL: ".csv" */
    const char *summary; /* one line for the list of commands */
    const char *text;    /* what it does, for its help */
    int (*run)(const nt_cli_options *options);
} nt_cli_command;

/* Read the arguments after the command's name. Returns NT_EXIT_DONE, or an exit status after
 * saying what is wrong. nt_cli_options_free in any case. */
int nt_cli_options_read(nt_cli_options *options, const nt_cli_command *command, int count,
                        char **arguments);
void nt_cli_options_free(nt_cli_options *options);

/* " --set KEY=VALUE" for each setting and " --solver NAME", as they were given. */
void nt_cli_put_settings(FILE *to, const nt_cli_options *options);
/* Ends the last line of a text that open_memstream writes: the text, to be freed; NULL when memory
 * is out. */
char *nt_cli_finish_text(FILE *to, char **text);

/* Usage, text and options of a command. */
void nt_cli_options_help(const nt_cli_command *command, FILE *to);

/* ---- say.c: messages ----------------------------------------------------------------------------
 */

/* "nutate: ..." on standard error, one line. */
void nt_cli_say(const char *format, ...) NT_PRINTF(1, 2);
/* That a state of rest is a dead centre, where rows depend on others; of: what else joints make. */
void nt_cli_say_lost_rows(int rows, const char *of);

/* Say an error, with `where` in front unless the error names a file (where may be NULL), and return
 * the exit status for it. */
int nt_cli_fail(const char *where, const nt_error *error);
int nt_cli_no_memory(void);

/* Everything printed on standard output has arrived: NT_EXIT_DONE, else NT_EXIT_IO and a message.
 */
int nt_cli_finish_output(void);

/* "; did you mean `x`?" or nothing, in text[size]. */
void nt_cli_suggestion(const char *word, const char *const *words, int n, char *text, size_t size);

struct nt_cli_sens; /* see run.c */

/* ---- plan.c: a model and how it is integrated ----------------------------------------------- */

typedef struct nt_cli_plan {
    const char *path;                           /* of the model */
    const struct nt_cli_options *options_given; /* for words; NULL: none */
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

/* Most rows that the result of the plan has, as far as it is known: 0 for a row after each of
 * variable steps. */
double nt_cli_plan_rows(const nt_cli_plan *plan);

/* Whether the method's formulas go up to a highest order that may be chosen, and none is. */
bool nt_cli_orders_are_open(const nt_cli_plan *plan);

/* "inertial", "body" or "se3" */
const char *nt_cli_frame(nt_frame frame);

/* The method of this name; NULL after saying that there is none, with `where` in front. */
const nt_method *nt_cli_method(const char *where, const char *name);

/* Read the model, choose the method, its options and the steps, create the integrator. Says what is
 * set aside unless options->quiet. With needs_times false, duration and step may be missing.
 * Returns NT_EXIT_DONE, or an exit status after saying what is wrong. nt_cli_plan_free in any case.
 */
int nt_cli_plan_make(nt_cli_plan *plan, const nt_cli_options *options, bool needs_times);
/* Whether the linear solver that is asked for by name can do with so many unknowns; else what it
 * takes is said. */
int nt_cli_check_solver(nt_run *run, const nt_cli_options *options);

/* Consistent initial values into the integrator. */
int nt_cli_plan_start(nt_cli_plan *plan);
void nt_cli_plan_free(nt_cli_plan *plan);

/* ---- signals.c ------------------------------------------------------------------------------ */

/* Listen to SIGINT and SIGTERM, which then end the process at once. */
void nt_cli_signals_listen(void);
/* Whether the first one asks for a good end only, and whether one has. */
void nt_cli_signals_in_order(bool wanted);
bool nt_cli_stop_asked(void);
/* What is being computed is no longer to be ended by a first signal: the last row and the state are
 * still to come. */
void nt_cli_signals_finish(void);
/* For nt_run_stop_when: what computes is to end, with results open. */
int nt_cli_stop_computing(void *unused);

/* ---- places.c: files that a run reads and writes -------------------------------------------- */

bool nt_cli_ends_with(const char *text, const char *suffix);
const char *nt_cli_base_name(const char *path);
char *nt_cli_join(const char *a, const char *b); /* a with b behind it, to be freed; NULL */
nt_record_format nt_cli_format_of(const char *path);
/* Checks that a result may have this name. Returns an exit status. */
int nt_cli_check_result_name(const char *path);
/* Whether what goes to `to` would go into the file `from`, which is read; "-" are the standard
 * ones. */
bool nt_cli_would_overwrite(const char *to, const char *from);

/* A file that is written late, opened and locked as a result is, so that no other run writes it. */
typedef struct nt_cli_held {
    bool is_held; /* else a pipe, a device, or nothing */
    bool made;    /* there was no such file before */
    int file;     /* descriptor */
} nt_cli_held;

/* Opens and locks a file; nothing in it is touched. Returns an exit status. */
int nt_cli_hold(nt_cli_held *held, const char *path);
/* Closes it, and removes a file that was made and has stayed empty. */
void nt_cli_let_go(nt_cli_held *held, const char *path);
/* Checks that a file which is written late can be, by opening it; "-" always can. Returns an exit
 * status. */
int nt_cli_check_place(const char *path);

/* A file that is being written, known by what it is rather than by its name. */
typedef struct nt_cli_part {
    const char *path; /* NULL: none */
    uint64_t device, inode;
} nt_cli_part;

/* path: of a file that has been opened for writing, NULL where it has not. */
nt_cli_part nt_cli_part_of(const char *path);
/* Takes back what could not be written whole and could be taken for it: an ordinary file is
 * removed, one behind a link is emptied; one that has taken its name since stays. */
void nt_cli_take_back(const nt_cli_part *part);

/* Writes all of it, however often a signal comes in between; false with errno where it cannot. */
bool nt_cli_write_all(int file, const void *bytes, size_t size);

/* Where the result and the state of a run go. */
typedef struct nt_cli_places {
    nt_result_file *files; /* [n], none where nothing is to be written */
    int n;
    const char **pages; /* [n_pages] that show the result when the run has ended */
    int n_pages;
    char *data; /* NetCDF for the pages where none is among the files of -o, in `files` too; it is
                   removed behind them. NULL: none */
    char *made; /* the path without -o; NULL */
    bool elsewhere; /* that is here, for the model's folder cannot be written */
    char *state;    /* NULL where there is no file that it could belong to */
} nt_cli_places;

/* The result without -o: MODEL with `ending` in place of .yaml or .yml, beside the model, or in the
 * present folder where the model's cannot be written, which is then `elsewhere`. Standard output
 * for a model from there. Freed by the caller; NULL when memory is out. */
char *nt_cli_default_result(const char *model, const char *ending, bool *elsewhere);
/* Return exit statuses. nt_cli_places_free in any case. */
int nt_cli_places_choose(nt_cli_places *places, const nt_cli_options *options);
/* The same for results of which there are no pages: those are refused. */
int nt_cli_places_choose_tables(nt_cli_places *places, const nt_cli_options *options);
/* Checks that nothing is written over what is read, and that no file is written twice: neither
 * results nor the tables of the name `beside` that stand beside them (NULL: none do). */
int nt_cli_places_check(const nt_cli_places *places, const nt_cli_plan *plan,
                        const nt_cli_options *options, const char *beside);
/* Checks that the results can be written, for commands that open them behind their work. Returns an
 * exit status. */
int nt_cli_places_probe(const nt_cli_places *places);
int nt_cli_places_check_room(const nt_cli_places *places, const nt_cli_plan *plan,
                             const struct nt_cli_sens *sens);
void nt_cli_places_free(nt_cli_places *places);

/* ---- state.c: saved states ------------------------------------------------------------------ */

/* What a summary needs of the start of the run. */
typedef struct nt_cli_begun {
    double energy[4]; /* kinetic, potential, total, work */
    long has_energy;
} nt_cli_begun;

/* What a state holds besides the integrator's. */
typedef struct nt_cli_parts {
    const struct nt_cli_sens *sens; /* NULL: no derivatives */
    nt_record *record;              /* NULL: nothing is written */
    nt_result_writer *events;       /* NULL: there is no table of events */
    const nt_objectives *objectives;
    nt_cli_begun begun;
    const char *text; /* how the run was begun, lines of KEY=VALUE */
    bool to_disk;     /* wait for it: rows and state outlast the machine */
} nt_cli_parts;

/* A state as a file holds it. */
typedef struct nt_cli_bytes {
    char *bytes; /* owned; NULL: none */
    size_t size;
} nt_cli_bytes;

typedef struct nt_cli_piece {
    const char *bytes;
    size_t size;
} nt_cli_piece;

/* A state that was read: its pieces, each of 0 bytes where it has none. */
typedef struct nt_cli_state {
    const char *path;
    char *bytes; /* owned */
    nt_cli_piece integrator, sens, record, events, objectives, account, text;
    uint64_t parameters;
} nt_cli_state;

uint64_t nt_cli_sum(const void *bytes, size_t size); /* a hash */

/* Return exit statuses. A file of another method, model or version is refused, and for derivatives
 * one without those wanted. save: rows reach their files first; the file is the old one or the new
 * one, whole, whatever happens. nt_cli_state_free after a read in any case. */
int nt_cli_state_probe(const char *path); /* that a state can be saved there */
/* All of a state, in place of what *state held; its rows reach their files first. */
nt_status nt_cli_state_make(nt_cli_bytes *state, const nt_cli_plan *plan, const nt_cli_parts *parts,
                            nt_error *error);
int nt_cli_state_write(const nt_cli_bytes *state, const char *path, bool to_disk);
int nt_cli_state_read(nt_cli_state *state, const nt_cli_plan *plan, const char *path);
int nt_cli_state_restore(const nt_cli_state *state, nt_cli_plan *plan);
int nt_cli_state_restore_sens(const nt_cli_state *state, const nt_cli_plan *plan,
                              const struct nt_cli_sens *sens);
/* Checks that the run of the state was begun as the text says. */
int nt_cli_state_compare(const nt_cli_state *state, const char *text);
void nt_cli_state_free(nt_cli_state *state);

/* ---- mark.c: what stands beside a state while its run lasts -------------------------------------
 */

typedef struct nt_cli_mark {
    char *path;        /* STATE.run, owned                                                     */
    int file;          /* descriptor, locked; -1: nothing is held, no function does anything   */
    bool ours, words;  /* it is of this run; and says how that was begun                       */
    char *text;        /* owned: what was there                                                */
    const char *begun; /* how a run was begun that was killed before its first state; NULL: none */
} nt_cli_mark;

/* Takes the place of a state for this run; *taken: another one has it, and nothing is held. Nor is
 * it where no file can be made, or somebody else's stands there. Returns an exit status. */
int nt_cli_mark_hold(nt_cli_mark *mark, const char *state, bool *taken);
/* The run begins, as the text says; NULL: where a state stands. */
void nt_cli_mark_begin(nt_cli_mark *mark, const char *text);
/* Its first state stands. */
void nt_cli_mark_saved(nt_cli_mark *mark);
/* The run is over: the file goes, but where the run can go on and has no state. */
void nt_cli_mark_let_go(nt_cli_mark *mark, bool can_go_on);

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
    const struct nt_cli_events *events; /* NULL: none is counted */
    const nt_cli_places *places;
    const nt_objectives *objectives;
    const struct nt_cli_sens *sens; /* NULL: no derivatives */
    long rows, steps_before; /* rows written; steps that a restored state had already taken */
    char rounding[300];      /* of nt_record_warning */
    double seconds;          /* wall time of the run  */
    double energy[2][4];     /* kinetic, potential, total, work at the start and the end */
    bool has_energy;
} nt_cli_account;
void nt_cli_summary(const nt_cli_plan *plan, const nt_cli_account *account);
/* What a page says of the run besides its result: NAME=VALUE lines, to be freed; NULL when memory
 * is out. problem: why it ended early, NULL where it did not. */
char *nt_cli_account_text(const nt_cli_plan *plan, const nt_cli_account *account,
                          const char *problem);

/* ---- events.c: the table of events beside a result --------------------------------------------
 */

typedef struct nt_cli_events {
    const nt_model *model;
    nt_result_writer *writer; /* NULL: there are none, or no file that they could stand beside */
    nt_result_file *files;    /* [n_files] owned: those of the result */
    int n_files;
    nt_status status; /* of the first row that could not be written */
    nt_error error;
    long slides;       /* sliding modes that have begun, how long they have held, and one of them */
    int sliding, last; /* how many hold now                                                      */
    double since, held;
} nt_cli_events;

/* Return exit statuses. From open on every event of the plan's integrator is a row; state: NULL, or
 * what the table goes on from. The struct stays where it is until it is closed, after the pages
 * that show it are written. */
int nt_cli_events_open(nt_cli_events *events, const nt_cli_plan *plan, const nt_cli_places *places,
                       const nt_cli_state *state);
/* Lets rows reach their files; the status of all rows so far. */
nt_status nt_cli_events_keep_up(nt_cli_events *events, nt_error *error);
/* The table is whole and closed; the status of all rows. */
nt_status nt_cli_events_finish(nt_cli_events *events, nt_error *error);
void nt_cli_events_close(nt_cli_events *events, const nt_cli_places *places);
/* The line of the summary about sliding modes, at the time t at which the run has ended. */
void nt_cli_events_summary(const nt_cli_events *events, double t);

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
    nt_cli_held objectives; /* the file of --objectives, during the run */
} nt_cli_sens;

/* Keeps the end of a step, t, so that it can be taken again. */
nt_status nt_cli_keep_end(nt_cli_sens *sens, double t, nt_error *error);

/* Integrate and write the result. sens: NULL, or what carries derivatives; then after a run that
 * is done `then` is called before everything is closed. */
typedef int nt_cli_then(nt_cli_plan *plan, nt_cli_sens *sens, const nt_objectives *objectives,
                        const nt_cli_options *options);
int nt_cli_integrate(const nt_cli_options *options, nt_cli_sens *sens, nt_cli_then *then);

/* ---- sens.c, sens_check.c: derivatives ---------------------------------------------------------
 */

/* Attach to the plan's integrator, which stands at its start or where `state` (else NULL) stands.
 * An exit status. */
int nt_cli_sens_begin(nt_cli_sens *sens, const nt_cli_plan *plan, const nt_cli_options *options,
                      const nt_cli_state *state);
/* The numbers of the parameters asked for, into room for all of them. */
int nt_cli_sens_find(nt_cli_sens *sens, const nt_cli_plan *plan, const nt_cli_options *options);
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

/* nutate sens --of static. */
int nt_cli_static_sens(const nt_cli_options *options, nt_cli_sens *sens);

/* ---- report_page.c: pages ---------------------------------------------------------------------
 */

/* Bodies of two results are the same, by name, as far as is known. */
bool nt_cli_same_bodies(const nt_result *a, const nt_result *b);
bool nt_cli_is_page(const char *path);
/* Whether it is a page, or a drawing for another program: .glb, .pvd. */
bool nt_cli_is_shown(const char *path);
/* The page's own file. Return exit statuses. */
int nt_cli_page_find(char *path, size_t size);
/* A page, or of one result a drawing. account: NAME=VALUE lines of the run, or NULL; most_rows 0:
 * as each of them does; quiet: no remarks. */
int nt_cli_page_write(const char *path, const char *const *results, int n, const char *account,
                      long most_rows, bool quiet);

/* ---- table.c, drawing.c: what analyses write ----------------------------------------------------
 */

typedef struct nt_cli_table {
    nt_result_file *files; /* [n_files] owned */
    int n_files;
    char *made;                /* the path without -o; NULL */
    bool elsewhere;            /* that is here, for the model's folder cannot be written */
    const char *drawing;       /* FILE.svg among -o; NULL */
    nt_result_column *columns; /* [n_columns] owned */
    char **texts;              /* [3 n_columns] theirs, owned */
    int n_columns;
    const nt_result_array *arrays; /* [n_arrays] */
    int n_arrays;
    nt_result_writer *writer; /* NULL: nothing is written */
    const char *path;         /* of the model, for words  */
} nt_cli_table;

/* Return exit statuses after saying what is wrong. nt_cli_table_free in any case. ending: of the
 * file without -o, as nt_cli_default_result has it. */
int nt_cli_table_files(nt_cli_table *table, const nt_cli_options *options, const char *ending);
/* Texts are copied; false when memory is out. */
bool nt_cli_table_column(nt_cli_table *table, const char *name, const char *unit,
                         const char *meaning);
/* What a result of an analysis says about itself, into attributes[]; how many. history: the
 * command, or NULL. The texts are those of the model and the arguments. */
enum { NT_CLI_PROVENANCE = 7 };
int nt_cli_provenance(const nt_model *model, const char *path, const char *history,
                      nt_result_attribute attributes[NT_CLI_PROVENANCE]);
int nt_cli_table_begin(nt_cli_table *table, const nt_model *model, const char *path,
                       const char *command);
/* What is not finite is no result: it is said, with the first column for a place. */
int nt_cli_table_row(nt_cli_table *table, const double *values);
int nt_cli_table_end(nt_cli_table *table);
void nt_cli_table_free(nt_cli_table *table);

/* Curves y[k][i] over x[i]. */
typedef struct nt_cli_panel {
    const double *x; /* [n] */
    int n;
    const double *const *y; /* [n_curves][n]; what is not finite is left out */
    int n_curves;
    bool log_x, log_y;
    const char *x_words, *y_words;
} nt_cli_panel;
int nt_cli_draw(const char *path, const nt_cli_panel *panels, int n);

/* "static", "initial" or "steady"; NULL: static. */
int nt_cli_about(const char *word, nt_about *about);
/* Says why a state to look about was not found; returns the exit status. */
int nt_cli_refuse_reference(const char *path, const nt_error *error);
/* Says of a state of rest that what `static` holds is held in it alone, and moves in `where`. */
void nt_cli_say_holds(const nt_model *model, const nt_reference *state, const char *where);

/* ---- help.c: topics, manual pages, completion ---------------------------------------------------
 */

/* Print help on a topic; false where there is none of this name. */
bool nt_cli_topic(const char *name, FILE *to);
/* The topics in a line, "expressions, tables, ...". */
void nt_cli_topics(FILE *to);
void nt_cli_list_topics(char *text, size_t size);
/* A manual page of all commands (command NULL) or of one; completion for a shell. */
void nt_cli_man(const nt_cli_command *commands, int n, const nt_cli_command *command, FILE *to);
void nt_cli_completion(const nt_cli_command *commands, int n, bool zsh, FILE *to);
/* What an option table says, row by row: of a command, its word, argument and meaning; false behind
 * the last (options.c). */
bool nt_cli_option_at(const nt_cli_command *command, int *i, const char **word,
                      const char **argument, const char **meaning);

/* ---- commands ------------------------------------------------------------------------------- */

int nt_cli_run(const nt_cli_options *options);
int nt_cli_check(const nt_cli_options *options);
int nt_cli_new(const nt_cli_options *options);
int nt_cli_sensitivities(const nt_cli_options *options);
int nt_cli_static_state(const nt_cli_options *options);
int nt_cli_modes(const nt_cli_options *options);
int nt_cli_linearise(const nt_cli_options *options);
int nt_cli_methods(const nt_cli_options *options);
int nt_cli_papers(const nt_cli_options *options);
int nt_cli_schema(const nt_cli_options *options);
int nt_cli_convert(const nt_cli_options *options);
int nt_cli_import(const nt_cli_options *options);
int nt_cli_orbit(const nt_cli_options *options);
int nt_cli_orbit_sens(const nt_cli_options *options);
int nt_cli_spectrum(const nt_cli_options *options);
/* The window of --window (NULL: hann); an exit status, and what is wrong is said. */
int nt_cli_read_window(const char *name, nt_window *window);
int nt_cli_report(const nt_cli_options *options);
int nt_cli_plot(const nt_cli_options *options);
int nt_cli_sweep(const nt_cli_options *options);

#endif
