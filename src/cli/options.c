/* The command line: one table for reading, checking and helping. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum value_kind {
    FLAG,
    TEXT,
    SECONDS,
    POSITIVE,
    SOLVER,
    COUNT,
    NUMBER,
    SETTING,
    FRAME,
    PARAMETER,
    INPUT,
    ADVANCE,
    PLUGIN,
    LOGIN,
    OUTPUT,
    ALONG
} value_kind;

typedef struct option_row {
    char letter; /* by which commands name it */
    const char *word, *argument;
    value_kind kind;
    size_t offset; /* in nt_cli_options */
    const char *meaning;
} option_row;

static const char *const solvers[] = {"auto", "dense", "block", "klu"}; /* as nt_solver_kind */

#define AT(field) offsetof(nt_cli_options, field)
static const option_row rows[] = {
    {'m', "--method", "NAME", TEXT, AT(method), "integrate with this method (see nutate methods)"},
    {'f', "--frame", "NAME", FRAME, 0,
     "axes in which the method moves bodies: inertial, body or se3"},
    {'h', "--step", "H", SECONDS, AT(step), "step size, s"},
    {'t', "--duration", "T", SECONDS, AT(duration), "length of the run from its start, s"},
    {'s', "--set", "KEY=VALUE", SETTING, 0,
     "change a parameter or any key of the model, as in --set m=12 or\n"
     "--set simulation.options.rho_inf=0.9; may be given again"},
    {'j', "--plugin", "FILE", PLUGIN, 0,
     "a library with element types for the model; may be given again"},
    {'o', "-o", "FILE", OUTPUT, 0,
     "result, FILE.csv or FILE.nc (NetCDF), or of runs what shows them: a page, FILE.html,\n"
     "FILE.glb (glTF) or FILE.pvd (ParaView); - is standard output (CSV). May be\n"
     "given again: the same rows go to each. Without it MODEL with .csv in place of\n"
     ".yaml, of other commands than run and sens .COMMAND.csv"},
    {'0', "-o", "FILE", OUTPUT, 0,
     "matrices, FILE.nc (NetCDF) or FILE.mtx (MatrixMarket), and of --bode FILE.csv\n"
     "or FILE.svg; may be given again"},
    {'J', "-o", "FILE", TEXT, AT(output),
     "where the model goes; - is standard output. KIND.yaml without it"},
    {'6', "-o", "MODEL", TEXT, AT(output), "where the model goes; - is standard output"},
    {'9', "--part", "NAME", TEXT, AT(part),
     "blade, rotor or turbine; without it turbine, where the file has a tower and a\n"
     "hub, else blade"},
    {'1', "--along", "NAME", ALONG, 0,
     "follow a path along this parameter (NAME=FROM..TO, NAME alone from 0 to its\n"
     "value), or along `loads`, `gravity` or `motions`, from none to all of them;\n"
     "several go together. All points are written, column `load` first"},
    {'2', "--arc-length", NULL, FLAG, AT(arc_length),
     "let the load fall on its way to 1: past its limits and through snaps.\n"
     "Without --along all loads, gravity and prescribed motions go together"},
    {'3', "--path-step", "S", POSITIVE, AT(path_step),
     "largest step of the load, a part of its way; with --arc-length the first\n"
     "step, in lengths of the model and rad (0.05 without it)"},
    {'w', "-o", "FILE", TEXT, AT(output),
     "the other format, FILE.csv or FILE.nc; - is standard output"},
    {'d', "-o", "FOLDER", TEXT, AT(output), "where the files go; papers-NAME without it"},
    {'4', "--of", "WHAT", TEXT, AT(of),
     "derivatives of `run`, as without it; of `static`: of the state that nutate\n"
     "static finds; of `modes`: of eigenvalues and shapes; or of `orbit`: of\n"
     "multipliers and period of a periodic motion, with the options of nutate orbit"},
    {'p', "--param", "NAME", PARAMETER, 0,
     "derivatives with respect to this parameter; may be given again"},
    {'R', "--record", "NAME", PARAMETER, 0,
     "the column whose spectrum is wanted; may be given again"},
    {'y', "--window", "NAME", TEXT, AT(window), "none, hann (without it) or flat-top"},
    {'x', "--from", "T", SECONDS, AT(from), "leave out what is earlier than this time, s"},
    {'Z', "-o", "FILE", TEXT, AT(output),
     "spectrum, FILE.csv or FILE.nc; - is standard output (CSV)"},
    {'c', "--check", NULL, FLAG, AT(check),
     "compare with differences of whole runs, several for each parameter;\n"
     "exit status 3 where a derivative is wrong. No result without -o"},
    {'b', "--objectives", "FILE", TEXT, AT(objectives),
     "write the objectives and their derivatives, FILE.csv"},
    {'l', "--solver", "KIND", SOLVER, AT(solver), "linear solver: auto, dense, block or klu"},
    {'n', "--threads", "N", COUNT, AT(threads),
     "evaluate the model's elements by so many threads; the numbers are the same"},
    {'v', "--save", "FILE", TEXT, AT(save),
     "write the last state, for --restart and --resume. An interrupted run\n"
     "always does, without it to OUTPUT.state"},
    {'e', "--save-every", "SECONDS", SECONDS, AT(save_every),
     "write the state at the start, then every so many seconds of the clock"},
    {'u', "--resume", NULL, FLAG, AT(resume),
     "go on with a run that was stopped: the same command once more, and its\n"
     "files become what they had been without the stop"},
    {'r', "--restart", "FILE", TEXT, AT(restart),
     "begin from a state that was saved, with a result of its own"},
    {'B', "--about", "STATE", TEXT, AT(about),
     "the state to look about: static (at rest, without it), initial or steady"},
    {'V', "--over", "NAME=A..B:N", TEXT, AT(over),
     "follow the modes over N values of a parameter, as in --over w=0..3:61"},
    {'a', "--at", "T,T,...", TEXT, AT(at), "at these times of a run, s, instead"},
    {'X', "--input", "NAME", INPUT, 0,
     "an input: a parameter, or a function of a load or a motion as in\n"
     "push.value.x, hinge.motion; may be given again"},
    {'H', "--bode", "A..B:N", TEXT, AT(bode),
     "transfer functions at N frequencies from A to B Hz, to -o FILE.csv\n"
     "and FILE.svg"},
    {'M', "--modes", "N", NUMBER, AT(modes), "so many modes, the lowest; all of small models"},
    {'i', "--no-limit", NULL, FLAG, AT(no_limit),
     "allow more than 1e9 rows, more than the disk has room for, and dense matrices\n"
     "that take more than 1e11 operations to factorise"},
    {'g', "--no-energy-check", NULL, FLAG, AT(no_energy_check),
     "go on where the energy grows though no load gives it"},
    {'P', "--period", "T", TEXT, AT(period),
     "the period, s: a number or an expression of parameters; with --free\n"
     "where to begin"},
    {'F', "--free", NULL, FLAG, AT(free_period), "find the period, of a model without clock"},
    {'A', "--advance", "NAME[=VALUE]", ADVANCE, 0,
     "what a period adds, found or given: position.x, rotation.z of the\n"
     "whole model, BODY.position.x, BODY.rotation.y about the body's own\n"
     "axis; may be given again"},
    {'N', "--steps", "N", NUMBER, AT(steps), "steps in a period"},
    {'K', "--segments", "N", NUMBER, AT(segments), "shoot in so many segments; default 1"},
    {'T', "--after", "SECONDS", SECONDS, AT(after), "begin from where a run is after so long"},
    {'G', "--along", "NAME=A..B:N", TEXT, AT(along),
     "follow the orbit as a parameter goes from A to B, in N points or more"},
    {'W', "-o", "FILE", OUTPUT, 0,
     "a page, FILE.html; or of one result glTF, FILE.glb, or VTK, FILE.pvd with\n"
     "the folder FILE; may be given again"},
    {'[', "-o", "FILE", TEXT, AT(output), "the figure, FILE.svg, FILE.pdf or FILE.png"},
    {']', "-x", "NAME", TEXT, AT(against),
     "draw over this column: of a path or a phase plot; without it time"},
    {'_', "--spectrum", NULL, FLAG, AT(spectrum), "draw amplitudes over frequency"},
    {'U', "--frames", "N", NUMBER, AT(frames),
     "show at most so many rows of each result, from 2 on; 10000 without it,\n"
     "501 of VTK"},
    {'D', "-o", "DIR", OUTPUT, 0,
     "the folder of the rows, made where there is none. With --collect the table,\n"
     "FILE.nc (NetCDF) or FILE.csv, failures in FILE.failures.csv; may be given again"},
    {'C', "--collect", "DIR", TEXT, AT(collect), "write one table of all rows of a folder"},
    {'k', "--statistics", "DIR", TEXT, AT(statistics),
     "write means, deviations, quantiles, correlations and indices of a folder's\n"
     "rows as -o FILE.csv; with PLAN also what first order makes of its deviations"},
    {'O', "--status", NULL, FLAG, AT(show_status), "say how many rows of -o DIR are done"},
    {'Y', "--dry-run", NULL, FLAG, AT(dry_run),
     "say how many rows there are, what they take of time and disk; write nothing"},
    {'Q', "--resume", NULL, FLAG, AT(resume),
     "go on in a folder that holds rows: those that are done stay"},
    {'L', "--rows", "A-B", TEXT, AT(rows),
     "these rows alone, counted from 0, beside others that work in the folder"},
    {'5', "--threads", "N", COUNT, AT(threads),
     "so many rows at once; without it as many as there are processors"},
    {'E', "--engine", "NAME", TEXT, AT(engine),
     "who runs the rows: threads (of this command, without it), parallel (GNU\n"
     "parallel) or slurm (a job array)"},
    {'S', "--sshlogin", "[USER@]HOST", LOGIN, 0,
     "a machine for --engine parallel, : this one; all of them see the same files.\n"
     "May be given again"},
    {'8', "--portable", NULL, FLAG, AT(portable),
     "take the C library's code that every x86-64 processor has, so that machines\n"
     "of several kinds give the same digits"},
    {'7', "--no-limit", NULL, FLAG, AT(no_limit),
     "allow more than 1e7 rows, or more than the disk has room for"},
    {'q', "--quiet", NULL, FLAG, AT(quiet), "neither progress nor summary, only errors"},
    {'?', "--help", NULL, FLAG, AT(help), "this text"},
};
#undef AT
enum { ROWS = sizeof rows / sizeof rows[0], SOLVERS = sizeof solvers / sizeof solvers[0] };

static bool takes(const nt_cli_command *command, const option_row *row)
{
    return row->letter == '?' || strchr(command->options, row->letter) != NULL;
}

/* ---- values --------------------------------------------------------------------------------- */

static int read_positive(const char *word, const char *what, const char *text, double *value)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(seconds) || !(seconds > 0)) {
        nt_cli_say("%s: expected a positive number%s, got '%s'", word, what, text);
        return NT_EXIT_USAGE;
    }
    *value = seconds;
    return NT_EXIT_DONE;
}

static int read_count(const char *word, const char *text, long most, int *value)
{
    char *end;
    long count = strtol(text, &end, 10);
    if (end == text || *end != '\0' || count < 1 || count > most) {
        nt_cli_say("%s: expected a whole number from 1 to %ld, got '%s'", word, most, text);
        return NT_EXIT_USAGE;
    }
    *value = (int)count;
    return NT_EXIT_DONE;
}

static int read_solver(const char *text, nt_solver_kind *kind)
{
    char hint[80];
    for (int i = 0; i < SOLVERS; i++)
        if (strcmp(text, solvers[i]) == 0) {
            *kind = (nt_solver_kind)i;
            return NT_EXIT_DONE;
        }
    nt_cli_suggestion(text, solvers, SOLVERS, hint, sizeof hint);
    nt_cli_say("--solver: expected auto, dense, block or klu, got '%s'%s", text, hint);
    return NT_EXIT_USAGE;
}

void nt_cli_put_settings(FILE *to, const nt_cli_options *options)
{
    for (int i = 0; i < options->n_settings; i++)
        fprintf(to, " --set %s=%s", options->settings[i].key, options->settings[i].value);
    if (options->solver != NT_SOLVER_AUTO)
        fprintf(to, " --solver %s", solvers[options->solver]);
}

char *nt_cli_finish_text(FILE *to, char **text)
{
    fputc('\n', to);
    bool good = !ferror(to);
    if (fclose(to) == 0 && good)
        return *text;
    free(*text);
    return NULL;
}

/* KEY=VALUE is cut at its first equals sign, in place. */
static int read_setting(nt_cli_options *options, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        nt_cli_say("--set: expected KEY=VALUE, got '%s'", text);
        return NT_EXIT_USAGE;
    }
    *equals = '\0';
    options->settings[options->n_settings++] = (nt_setting){text, equals + 1};
    return NT_EXIT_DONE;
}

/* A name without a folder means a file here, not one of the system's libraries. */
static int load_plugin(const char *text)
{
    char path[4096];
    nt_error error = {0};
    snprintf(path, sizeof path, "%s%s", strchr(text, '/') ? "" : "./", text);
    if (nt_plugin_load(path, &error) == NT_OK)
        return NT_EXIT_DONE;
    nt_cli_say("--plugin: %s", error.message);
    return error.status == NT_IO ? NT_EXIT_IO : NT_EXIT_USAGE;
}

static int read_value(nt_cli_options *options, const option_row *row, char *text)
{
    char *field = (char *)options + row->offset;
    switch (row->kind) {
    case FLAG:
        *(bool *)(void *)field = true;
        break;
    case TEXT:
        if (*text == '\0') {
            nt_cli_say("%s: expected %s, got nothing", row->word, row->argument);
            return NT_EXIT_USAGE;
        }
        *(const char **)(void *)field = text;
        break;
    case SECONDS:
        return read_positive(row->word, " of seconds", text, (double *)(void *)field);
    case POSITIVE:
        return read_positive(row->word, "", text, (double *)(void *)field);
    case ALONG:
        options->loads[options->n_loads++] = text;
        break;
    case SOLVER:
        return read_solver(text, (nt_solver_kind *)(void *)field);
    case COUNT:
        return read_count(row->word, text, 256, (int *)(void *)field);
    case NUMBER:
        return read_count(row->word, text, 100000000, (int *)(void *)field);
    case SETTING:
        return read_setting(options, text);
    case FRAME: /* the key of the model */
        options->settings[options->n_settings++] = (nt_setting){"simulation.frame", text};
        break;
    case PARAMETER:
        options->parameters[options->n_parameters++] = text;
        break;
    case PLUGIN:
        return load_plugin(text);
    case LOGIN:
        options->sshlogins[options->n_sshlogins++] = text;
        break;
    case INPUT:
        options->inputs[options->n_inputs++] = text;
        break;
    case ADVANCE:
        options->advances[options->n_advances++] = text;
        break;
    case OUTPUT:
        if (*text == '\0') {
            nt_cli_say("%s: expected %s, got nothing", row->word, row->argument);
            return NT_EXIT_USAGE;
        }
        options->outputs[options->n_outputs++] = text;
        options->output = options->outputs[0];
        break;
    }
    return NT_EXIT_DONE;
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* The row of --word or --word=value; *value is what follows the equals sign, else NULL. */
static const option_row *find_row(const nt_cli_command *command, char *argument, char **value)
{
    size_t length = strcspn(argument, "=");
    bool cut = argument[0] == '-' && argument[1] == '-' && argument[length] == '=';
    *value = cut ? argument + length + 1 : NULL;
    if (!cut)
        length = strlen(argument);
    if (strcmp(argument, "-h") == 0)
        return &rows[ROWS - 1];
    for (int i = 0; i < ROWS; i++)
        if (takes(command, &rows[i]) && strlen(rows[i].word) == length &&
            strncmp(argument, rows[i].word, length) == 0)
            return &rows[i];
    return NULL;
}

static int command_unknown_option(const nt_cli_command *command, const char *argument)
{
    const char *words[ROWS];
    char hint[80];
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        if (takes(command, &rows[i]))
            words[n++] = rows[i].word;
    nt_cli_suggestion(argument, words, n, hint, sizeof hint);
    nt_cli_say("%s has no option '%s'%s (nutate %s --help lists them)", command->name, argument,
               hint, command->name);
    return NT_EXIT_USAGE;
}

/* seen: the rows that were given before. Of two values one would go unheard. */
static int options_read_option(nt_cli_options *options, const nt_cli_command *command,
                               char **arguments, int count, int *i, bool seen[ROWS])
{
    char *value;
    const option_row *row = find_row(command, arguments[*i], &value);
    if (!row)
        return command_unknown_option(command, arguments[*i]);
    bool once = row->kind == TEXT || row->kind == SECONDS || row->kind == POSITIVE ||
                row->kind == SOLVER || row->kind == COUNT || row->kind == NUMBER;
    if (seen[row - rows] && once) {
        nt_cli_say("%s is given twice, expected one %s", row->word, row->argument);
        return NT_EXIT_USAGE;
    }
    seen[row - rows] = true;
    if (row->kind == FLAG && value) {
        nt_cli_say("%s takes no value", row->word);
        return NT_EXIT_USAGE;
    }
    if (row->kind != FLAG && !value) {
        if (*i + 1 >= count) {
            nt_cli_say("%s: expected %s, got nothing", row->word, row->argument);
            return NT_EXIT_USAGE;
        }
        value = arguments[++*i];
    }
    return read_value(options, row, value);
}

static int read_operand(nt_cli_options *options, const nt_cli_command *command, const char *text)
{
    if (!*command->operand) {
        nt_cli_say("%s takes no argument, got '%s'", command->name, text);
        return NT_EXIT_USAGE;
    }
    if (*text == '\0') {
        nt_cli_say("%s: expected %s, got an empty name", command->name, command->operand);
        return NT_EXIT_USAGE;
    }
    if (nt_cli_ends_with(command->operand, "...")) {
        options->names[options->n_names++] = text;
        options->name = options->names[0];
        return NT_EXIT_DONE;
    }
    if (options->name) {
        nt_cli_say("%s takes one %s, got '%s' and '%s'", command->name, command->operand,
                   options->name, text);
        return NT_EXIT_USAGE;
    }
    options->name = text;
    return NT_EXIT_DONE;
}

int nt_cli_options_read(nt_cli_options *options, const nt_cli_command *command, int count,
                        char **arguments)
{
    bool only_operands = false;
    bool seen[ROWS] = {false};
    *options = (nt_cli_options){.settings = calloc((size_t)count + 1, sizeof(nt_setting)),
                                .parameters = calloc((size_t)count + 1, sizeof(char *)),
                                .inputs = calloc((size_t)count + 1, sizeof(char *)),
                                .sshlogins = calloc((size_t)count + 1, sizeof(char *)),
                                .advances = calloc((size_t)count + 1, sizeof(char *)),
                                .outputs = calloc((size_t)count + 1, sizeof(char *)),
                                .loads = calloc((size_t)count + 1, sizeof(char *)),
                                .names = calloc((size_t)count + 1, sizeof(char *)),
                                .ending = command->ending ? command->ending : ".csv"};
    if (!options->settings || !options->parameters || !options->advances || !options->outputs ||
        !options->loads || !options->inputs || !options->sshlogins || !options->names)
        return nt_cli_no_memory();
    for (int i = 0; i < count; i++) {
        int status;
        if (!only_operands && strcmp(arguments[i], "--") == 0) {
            only_operands = true;
            continue;
        }
        if (!only_operands && arguments[i][0] == '-' && arguments[i][1] != '\0')
            status = options_read_option(options, command, arguments, count, &i, seen);
        else
            status = read_operand(options, command, arguments[i]);
        if (status != NT_EXIT_DONE)
            return status;
    }
    if (!options->help && !options->name && command->operand[0] && command->operand[0] != '[') {
        nt_cli_say("%s needs %s (nutate %s --help)", command->name, command->operand,
                   command->name);
        return NT_EXIT_USAGE;
    }
    return NT_EXIT_DONE;
}

void nt_cli_options_free(nt_cli_options *options)
{
    free(options->settings);
    free(options->parameters);
    free(options->inputs);
    free(options->sshlogins);
    options->sshlogins = NULL;
    free(options->advances);
    free(options->outputs);
    free(options->names);
    options->names = NULL;
    options->inputs = NULL;
    free(options->loads);
    options->loads = NULL;
    options->outputs = NULL;
    options->advances = NULL;
    options->settings = NULL;
    options->parameters = NULL;
}

/* ---- help ----------------------------------------------------------------------------------- */

/* A meaning of several lines stands in its column. */
static void help_row(const option_row *row, FILE *to)
{
    char left[40];
    snprintf(left, sizeof left, "%s%s%s", row->word, row->argument ? " " : "",
             row->argument ? row->argument : "");
    for (const char *line = row->meaning, *label = left; *line; label = "") {
        int length = (int)strcspn(line, "\n");
        fprintf(to, "  %-22s  %.*s\n", label, length, line);
        line += length + (line[length] == '\n');
    }
}

bool nt_cli_option_at(const nt_cli_command *command, int *i, const char **word,
                      const char **argument, const char **meaning)
{
    while (*i < ROWS && !takes(command, &rows[*i]))
        ++*i;
    if (*i >= ROWS)
        return false;
    *word = rows[*i].word;
    *argument = rows[*i].argument;
    *meaning = rows[*i].meaning;
    ++*i;
    return true;
}

void nt_cli_options_help(const nt_cli_command *command, FILE *to)
{
    fprintf(to, "usage: nutate %s%s%s [OPTION]...\n\n%s\n\noptions:\n", command->name,
            *command->operand ? " " : "", command->operand, command->text);
    for (int i = 0; i < ROWS; i++)
        if (takes(command, &rows[i]))
            help_row(&rows[i], to);
}
