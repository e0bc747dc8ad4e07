/* nutate modes: modes about a state, and over a parameter. */
#include "cli/analyses/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586476925286766559;

/* Frequencies that rounding leaves open by more than this part of them are said. */
static const double UNSURE = 1e-4;

static const char *const abouts[] = {"static", "initial", "steady"}; /* as nt_about */

/* ---- what is asked for
 * --------------------------------------------------------------------------- */

int nt_cli_about(const char *word, nt_about *about)
{
    char hint[80];
    *about = NT_ABOUT_STATIC;
    for (int i = 0; i < 3; i++)
        if (!word || strcmp(word, abouts[i]) == 0) {
            *about = (nt_about)i;
            return NT_EXIT_DONE;
        }
    nt_cli_suggestion(word, abouts, 3, hint, sizeof hint);
    nt_cli_say("--about: expected static, initial or steady, got '%s'%s", word, hint);
    return NT_EXIT_USAGE;
}

int nt_cli_refuse_reference(const char *path, const nt_error *error)
{
    int status = nt_cli_fail(path, error);
    bool is_free = strstr(error->message, "nothing says where what moves freely rests");
    if (is_free)
        nt_cli_say("nutate static %s says what to hold, as the model would", path);
    return is_free || strstr(error->message, "static: {hold: [free]} holds it") ? NT_EXIT_USAGE
                                                                                : status;
}

void nt_cli_say_holds(const nt_model *model, const nt_reference *state, const char *where)
{
    int held = nt_model_simulation(model)->n_held;
    if (held > 0)
        fprintf(stderr, "  %d direction%s held at rest by static.hold, and move%s in %s\n", held,
                held == 1 ? " is" : "s are", held == 1 ? "s" : "", where);
    nt_cli_say_lost_rows(nt_reference_lost_rows(state), "frequencies");
    if (nt_reference_unrest(state) > 0)
        fprintf(stderr,
                "  what is held at rest bears a load: without it the state does not last, its "
                "largest acceleration is %.3g m/s^2\n",
                nt_reference_unrest(state));
}

int nt_cli_find_parameter(const char *option, const char *path, const nt_system *system,
                          const char *name)
{
    char hint[80];
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0)
            return NT_EXIT_DONE;
    nt_cli_suggestion(name, system->parameter_names, system->n_parameters, hint, sizeof hint);
    nt_cli_say("%s: %s has no parameter '%s'%s", option, path, name, hint);
    return NT_EXIT_USAGE;
}

/* NAME=A..B:N */
typedef struct sweep {
    char name[120];
    double *values; /* [n] */
    int n;
} sweep;

static int read_sweep(sweep *s, const char *text)
{
    const char *equals = strchr(text, '='), *dots = equals ? strstr(equals, "..") : NULL;
    char first[40] = "", *end = first, *last = NULL;
    size_t length = equals ? (size_t)(equals - text) : 0;
    bool good = dots && length > 0 && length < sizeof s->name && dots - equals < 40;
    if (good) /* "0..3": strtod would take the first dot */
        memcpy(first, equals + 1, (size_t)(dots - equals - 1));
    double low = strtod(first, &end), high = good ? strtod(dots + 2, &last) : 0;
    good = good && end != first && *end == '\0' && last != dots + 2 && *last == ':';
    long n = good ? strtol(last + 1, &end, 10) : 0;
    good = good && end != last + 1 && *end == '\0' && n >= 2 && n <= 100000 && isfinite(low) &&
           isfinite(high) && low != high;
    if (!good) {
        nt_cli_say(
            "--over: expected NAME=A..B:N, N values of a parameter from A to B with N from 2 "
            "to 100000, got '%s'",
            text);
        return NT_EXIT_USAGE;
    }
    memcpy(s->name, text, length);
    s->name[length] = '\0';
    s->n = (int)n;
    s->values = calloc((size_t)n, sizeof *s->values);
    if (!s->values)
        return nt_cli_no_memory();
    for (int i = 0; i < s->n; i++)
        s->values[i] = i == s->n - 1 ? high : low + (high - low) * i / (double)(s->n - 1);
    return NT_EXIT_DONE;
}

/* ---- modes
 * ------------------------------------------------------------------------------------------ */

typedef struct job {
    const nt_cli_options *options;
    nt_model *model;
    nt_run *run;
    nt_about about;
    nt_reference *reference;
    nt_modes *modes;
    nt_cli_table table;
    nt_cli_mode_rates rates;
    sweep sweep;
    char command[400];
} job;

static bool shape_columns(nt_cli_table *table, const char *body)
{
    static const char *const parts[] = {"", ".imaginary"};
    char name[300], meaning[400];
    bool good = true;
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < 6 && good; i++) {
            snprintf(name, sizeof name, "%s.%s.%c%s", body, i < 3 ? "position" : "rotation",
                     'x' + i % 3, parts[part]);
            snprintf(meaning, sizeof meaning, "shape of body %s, %s %c, %s part, ground axes", body,
                     i < 3 ? "displacement of its origin along" : "rotation about", 'x' + i % 3,
                     part ? "imaginary" : "real");
            good = nt_cli_table_column(table, name, i < 3 ? "m" : "rad", meaning);
        }
    return good;
}

static const char *const rigid_names[] = {"x", "y", "z", "rx", "ry", "rz"};

static bool name_columns(job *j)
{
    nt_cli_table *t = &j->table;
    int bodies = nt_model_count(j->model).bodies;
    char name[100];
    bool good = nt_cli_table_column(t, "mode", "1", "number of the mode") &&
                nt_cli_table_column(t, "frequency", "Hz", "frequency of the damped motion") &&
                nt_cli_table_column(t, "damping_ratio", "1", "damping over critical damping");
    for (int b = 1; b <= bodies && good; b++)
        good = shape_columns(t, nt_model_body_name(j->model, b));
    good = good && nt_cli_table_column(t, "eigenvalue.real", "1/s", "growth rate") &&
           nt_cli_table_column(t, "eigenvalue.imaginary", "rad/s", "angular frequency") &&
           nt_cli_table_column(t, "residual", "1", "of the equations, relative to their terms");
    for (int i = 0; i < 6 && good; i++) {
        snprintf(name, sizeof name, "participation.%s", rigid_names[i]);
        good = nt_cli_table_column(t, name, "1", "share of a rigid displacement of everything");
    }
    for (int i = 0; i < 6 && good; i++) {
        snprintf(name, sizeof name, "effective_mass.%s", rigid_names[i]);
        good = nt_cli_table_column(t, name, i < 3 ? "kg" : "kg m^2",
                                   "mass that moves with a rigid displacement of everything");
    }
    good = good && nt_cli_table_column(t, "frequency_doubt", "Hz",
                                       "what rounding of the stiffness leaves open");
    if (good && j->rates.n > 0)
        good = nt_cli_mode_rates_columns(j->options, j->model, t);
    return good;
}

/* The placement that shapes are displacements of, once for each row, so that a result alone can be
 * animated. */
static int take_arrays(job *j, nt_result_array *arrays, const char **names)
{
    int bodies = nt_model_count(j->model).bodies;
    for (int b = 0; b < bodies; b++)
        names[b] = nt_model_body_name(j->model, b + 1);
    arrays[0] = (nt_result_array){"bodies.position",
                                  "m",
                                  "position of each body's origin",
                                  "body",
                                  "vector",
                                  bodies,
                                  3,
                                  names};
    arrays[1] = (nt_result_array){"bodies.orientation",
                                  "1",
                                  "orientation of each body, w x y z",
                                  "body",
                                  "quaternion",
                                  bodies,
                                  4,
                                  names};
    j->table.arrays = arrays;
    j->table.n_arrays = bodies > 0 ? 2 : 0;
    return bodies;
}

static nt_status sample_pose(job *j, int body, const nt_state *state, double *position,
                             double *orientation, nt_error *error)
{
    char name[300];
    nt_quantity_info quantity;
    snprintf(name, sizeof name, "%s.position", nt_model_body_name(j->model, body));
    nt_status status = nt_model_quantity(j->model, name, &quantity, error);
    if (status == NT_OK)
        status = nt_run_sample(j->run, &quantity, state, NULL, position, error);
    orientation[0] = 1, orientation[1] = orientation[2] = orientation[3] = 0;
    snprintf(name, sizeof name, "%s.orientation", nt_model_body_name(j->model, body));
    if (status == NT_OK && nt_model_quantity(j->model, name, &quantity, NULL) == NT_OK)
        status = nt_run_sample(j->run, &quantity, state, NULL, orientation, error);
    return status;
}

static int write_rows(job *j, int bodies)
{
    size_t room = (size_t)j->table.n_columns + 7 * (size_t)bodies;
    double *row = calloc(room + 1, sizeof *row);
    nt_state state = nt_reference_state(j->reference);
    nt_error error = {0};
    nt_status status = NT_OK;
    int result = row ? NT_EXIT_DONE : nt_cli_no_memory();
    double *poses = row ? row + j->table.n_columns : NULL;
    for (int b = 1; b <= bodies && result == NT_EXIT_DONE && status == NT_OK; b++)
        status = sample_pose(j, b, &state, poses + 3 * (b - 1),
                             poses + 3 * (size_t)bodies + 4 * (size_t)(b - 1), &error);
    if (status != NT_OK)
        result = nt_cli_fail(j->options->name, &error);
    for (int i = 0; i < nt_modes_count(j->modes) && result == NT_EXIT_DONE; i++) {
        nt_mode mode = nt_modes_at(j->modes, i);
        double *at = row;
        *at++ = i + 1, *at++ = mode.frequency, *at++ = mode.damping_ratio;
        for (int b = 1; b <= bodies; b++)
            for (int part = 0; part < 2; part++, at += 6)
                nt_run_displacement(j->run, b, state.q, mode.shape[part], at);
        *at++ = mode.eigenvalue[0], *at++ = mode.eigenvalue[1], *at++ = mode.residual;
        memcpy(at, mode.participation, sizeof mode.participation);
        memcpy(at + 6, mode.effective_mass, sizeof mode.effective_mass);
        at[12] = mode.doubt / TURN;
        nt_cli_mode_rates_row(&j->rates, j->run, state.q, i, at + 13);
        result = nt_cli_table_row(&j->table, row);
    }
    free(row);
    return result;
}

static int write_modes(job *j)
{
    nt_result_array arrays[2];
    int bodies = nt_model_count(j->model).bodies;
    const char **names = calloc((size_t)bodies + 1, sizeof *names);
    if (!names || !name_columns(j)) {
        free(names);
        return nt_cli_no_memory();
    }
    take_arrays(j, arrays, names);
    int status = nt_cli_table_begin(&j->table, j->model, j->options->name, j->command);
    if (status == NT_EXIT_DONE)
        status = write_rows(j, bodies);
    int ended = nt_cli_table_end(&j->table);
    free(names);
    return status == NT_EXIT_DONE ? ended : status;
}

static void say_files(const job *j, int rows)
{
    for (int i = 0; i < j->table.n_files; i++)
        fprintf(stderr, "%d row%s in %s%s\n", rows, rows == 1 ? "" : "s", j->table.files[i].path,
                j->table.elsewhere ? " here: the folder of the model cannot be written" : "");
}

static void say_state(const job *j)
{
    double turn[3];
    nt_reference_turn(j->reference, turn);
    const char *path = j->options->name;
    if (j->about == NT_ABOUT_STATIC)
        nt_cli_say("%s: modes about the state of rest", path);
    else if (j->about == NT_ABOUT_INITIAL && nt_reference_unrest(j->reference) > 0)
        nt_cli_say("%s: modes about the initial state as if it lasted; its largest acceleration is "
                   "%.3g m/s^2",
                   path, nt_reference_unrest(j->reference));
    else if (j->about == NT_ABOUT_INITIAL)
        nt_cli_say("%s: modes about the initial state, which lasts", path);
    else if (turn[0] != 0 || turn[1] != 0 || turn[2] != 0)
        nt_cli_say(
            "%s: modes about the steady motion, in axes that turn at (%.9g, %.9g, %.9g) rad/s",
            path, turn[0], turn[1], turn[2]);
    else
        nt_cli_say("%s: modes about the steady motion, in ground axes", path);
    if (j->about == NT_ABOUT_STATIC)
        nt_cli_say_holds(j->model, j->reference, "the modes");
    for (int i = 0; nt_reference_rate_name(j->reference, i); i++)
        fprintf(stderr, "  %s at %.9g\n", nt_reference_rate_name(j->reference, i),
                nt_reference_rate(j->reference, i));
}

static bool does_not_swing(const nt_mode *mode)
{
    return mode->stands || mode->moves_freely ||
           (mode->eigenvalue[1] == 0 && mode->eigenvalue[0] < -mode->doubt);
}

/* Of many modes one after the other that do not swing, as those of balls that creep, one line
 * stands for all behind the first: those that swing are wanted. Returns the last of them, or i. */
static int skip_unswinging(const nt_modes *modes, int i)
{
    enum { FEW = 12 };
    int n = nt_modes_count(modes), last = i, returns = 0;
    double fastest = 0;
    for (int k = i + 1; k < n; k++) {
        nt_mode mode = nt_modes_at(modes, k);
        if (!does_not_swing(&mode))
            break;
        last = k;
        returns += !mode.stands && !mode.moves_freely;
        fastest = fmin(fastest, mode.eigenvalue[0]);
    }
    if (last < i + FEW)
        return i;
    fprintf(stderr, "%5d to %d do not swing: %d move freely or stay", i + 2, last + 1,
            last - i - returns);
    if (returns > 0)
        fprintf(stderr, ", %d return, the fastest of them by %.6g 1/s", returns, fastest);
    fputc('\n', stderr);
    return last;
}

static void say_modes(const job *j, double seconds)
{
    int positions, velocities, n = nt_modes_count(j->modes);
    double worst = 0;
    say_state(j);
    nt_modes_freedom(j->modes, &positions, &velocities);
    for (int i = 0; i < n; i++)
        worst = fmax(worst, nt_modes_at(j->modes, i).residual);
    for (int i = 0; i < n; i++) {
        nt_mode mode = nt_modes_at(j->modes, i);
        char words[400];
        nt_modes_words(j->modes, i, words, sizeof words);
        double bound = mode.doubt / TURN;
        double size = hypot(mode.eigenvalue[0], mode.eigenvalue[1]);
        if (mode.stands)
            fprintf(stderr, "%5d  stays where it is put        ", i + 1);
        else if (mode.moves_freely && bound > 0)
            fprintf(stderr, "%5d  moves freely, or below %.1e Hz: rounding hides which", i + 1,
                    bound);
        else if (mode.moves_freely)
            fprintf(stderr, "%5d  moves freely                 ", i + 1);
        else if (mode.eigenvalue[1] == 0)
            fprintf(stderr, "%5d  %s, %.6g 1/s ", i + 1,
                    size <= mode.doubt       ? "returns or leaves, which rounding hides"
                    : mode.eigenvalue[0] < 0 ? "returns without swinging"
                                             : "leaves (unstable)",
                    mode.eigenvalue[0]);
        else
            fprintf(stderr, "%5d  %11.6g Hz  damping %8.4g%s", i + 1, mode.frequency,
                    mode.damping_ratio,
                    mode.damping_ratio < -1e-9 && mode.eigenvalue[0] > mode.doubt ? " (unstable)"
                                                                                  : "");
        if (!mode.moves_freely && mode.doubt > UNSURE * size)
            fprintf(stderr, "  (rounding of the stiffness leaves %.1g %% open)",
                    100 * mode.doubt / size);
        fprintf(stderr, "  %s\n", words);
        if (does_not_swing(&mode))
            i = skip_unswinging(j->modes, i);
    }
    fprintf(stderr, "%d mode%s of %d degree%s of freedom by %s, largest residual %.1e, %.3g s\n", n,
            n == 1 ? "" : "s", velocities, velocities == 1 ? "" : "s", nt_modes_finder(j->modes),
            worst, seconds);
    if (velocities == 0 && positions == 0)
        fprintf(stderr, "nothing can move: joints and constraints leave no freedom, so that there "
                        "are no modes\n");
    if (positions != velocities)
        fprintf(stderr, "%d positions are free, of whose rates %d are: constraints of velocities\n",
                positions, velocities);
    say_files(j, n);
}

static int find_modes(job *j)
{
    nt_error error = {0};
    double begun = nt_cli_clock(), turn[3];
    if (nt_reference_create(&j->reference, j->run, j->about, &error) != NT_OK)
        return nt_cli_refuse_reference(j->options->name, &error);
    nt_state state = nt_reference_state(j->reference);
    nt_reference_turn(j->reference, turn);
    nt_modes_setup setup = {
        .system = nt_run_system(j->run), .state = &state, .turn = turn, .count = j->options->modes};
    if (nt_modes_create(&j->modes, &setup, &error) != NT_OK)
        return nt_cli_fail(j->options->name, &error);
    double seconds = nt_cli_clock() - begun;
    int status = nt_cli_mode_rates_find(&j->rates, j->options, j->run, j->about, j->modes);
    if (status == NT_EXIT_DONE)
        status = write_modes(j);
    if (status == NT_EXIT_DONE && !j->options->quiet)
        say_modes(j, seconds);
    if (status == NT_EXIT_DONE && j->options->check)
        status = nt_cli_mode_rates_check(&j->rates, j->options, j->run, j->about, j->modes);
    return status;
}

/* ---- over a parameter ---------------------------------------------------------------------------
 */

static int asked_to_stop(void *context, int done)
{
    const job *j = context;
    (void)done;
    (void)j;
    return nt_cli_stop_asked();
}

static int write_campbell(job *j, const nt_campbell *c)
{
    int n = nt_campbell_count(c), status = NT_EXIT_DONE;
    nt_cli_table *t = &j->table;
    char name[100];
    bool good = nt_cli_table_column(t, j->sweep.name, "1", "value of the parameter");
    static const char *const what[] = {"frequency", "damping_ratio", "real", "imaginary"};
    static const char *const units[] = {"Hz", "1", "1/s", "rad/s"};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4 && good; k++) {
            char words[400];
            nt_campbell_words(c, i, words, sizeof words);
            snprintf(name, sizeof name, "mode%d.%s", i + 1, what[k]);
            good = nt_cli_table_column(t, name, units[k], words);
        }
    double *row = calloc(4 * (size_t)n + 1, sizeof *row);
    if (!good || !row) {
        free(row);
        return nt_cli_no_memory();
    }
    status = nt_cli_table_begin(t, j->model, j->options->name, j->command);
    for (int k = 0; k < j->sweep.n && status == NT_EXIT_DONE; k++) {
        row[0] = j->sweep.values[k];
        for (int i = 0; i < n; i++) {
            double s[2], *at = row + 1 + 4 * i;
            nt_campbell_at(c, i, k, s, NULL);
            double size = hypot(s[0], s[1]);
            at[0] = fabs(s[1]) / TURN;
            at[1] = size > 0 && s[0] != 0 ? -s[0] / size : 0;
            at[2] = s[0], at[3] = s[1];
        }
        status = nt_cli_table_row(t, row);
    }
    int ended = nt_cli_table_end(t);
    free(row);
    return status == NT_EXIT_DONE ? ended : status;
}

static int draw_campbell(const job *j, const nt_campbell *c)
{
    int n = nt_campbell_count(c), values = j->sweep.n;
    double *numbers = calloc(2 * (size_t)n * (size_t)values + 1, sizeof *numbers);
    const double **curves = calloc(2 * (size_t)n + 1, sizeof *curves);
    if (!numbers || !curves) {
        free(numbers);
        free(curves);
        return nt_cli_no_memory();
    }
    for (int i = 0; i < 2 * n; i++)
        curves[i] = numbers + (size_t)i * (size_t)values;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < values; k++) {
            double s[2];
            nt_campbell_at(c, i, k, s, NULL);
            numbers[(size_t)i * (size_t)values + (size_t)k] = fabs(s[1]) / TURN;
            numbers[(size_t)(n + i) * (size_t)values + (size_t)k] = s[0];
        }
    const nt_cli_panel panels[] = {
        {j->sweep.values, values, curves, n, false, false, j->sweep.name, "frequency, Hz"},
        {j->sweep.values, values, curves + n, n, false, false, j->sweep.name, "growth rate, 1/s"}};
    int status = nt_cli_draw(j->table.drawing, panels, 2);
    free(numbers);
    free(curves);
    return status;
}

/* Where the growth rate changes its sign, on the line between two values. */
static void say_stability(const job *j, const nt_campbell *c, int i)
{
    double before[2], s[2];
    for (int k = 0; k < j->sweep.n; k++, memcpy(before, s, sizeof s)) {
        nt_campbell_at(c, i, k, s, NULL);
        if (k == 0 || !(before[0] * s[0] < 0) || fmin(fabs(before[0]), fabs(s[0])) < 1e-9)
            continue;
        double part = before[0] / (before[0] - s[0]);
        fprintf(stderr, "       becomes %s near %s = %.6g\n", s[0] > 0 ? "unstable" : "stable",
                j->sweep.name,
                j->sweep.values[k - 1] + part * (j->sweep.values[k] - j->sweep.values[k - 1]));
    }
}

static int follow_modes(job *j)
{
    nt_error error = {0};
    nt_campbell *c = NULL;
    double begun = nt_cli_clock(), least = 1;
    nt_campbell_setup setup = {.run = j->run,
                               .parameter = j->sweep.name,
                               .values = j->sweep.values,
                               .n_values = j->sweep.n,
                               .about = j->about,
                               .count = j->options->modes,
                               .stop = asked_to_stop,
                               .context = j};
    if (nt_campbell_create(&c, &setup, &error) != NT_OK)
        return nt_cli_fail(j->options->name, &error);
    double seconds = nt_cli_clock() - begun;
    int n = nt_campbell_count(c), status = write_campbell(j, c);
    if (status == NT_EXIT_DONE && j->table.drawing)
        status = draw_campbell(j, c);
    for (int i = 0; i < n && status == NT_EXIT_DONE && !j->options->quiet; i++) {
        char words[400];
        double first[2], last[2], likeness;
        nt_campbell_words(c, i, words, sizeof words);
        nt_campbell_at(c, i, 0, first, NULL);
        nt_campbell_at(c, i, j->sweep.n - 1, last, NULL);
        for (int k = 0; k < j->sweep.n; k++) {
            nt_campbell_at(c, i, k, NULL, &likeness);
            least = fmin(least, likeness);
        }
        fprintf(stderr, "%5d  %.6g Hz, %.6g 1/s to %.6g Hz, %.6g 1/s  %s\n", i + 1,
                fabs(first[1]) / TURN, first[0], fabs(last[1]) / TURN, last[0], words);
        say_stability(j, c, i);
    }
    if (status == NT_EXIT_DONE && !j->options->quiet)
        fprintf(stderr,
                "%d modes followed over %d values of %s, least likeness of shapes %.3g, %.3g s\n",
                n, j->sweep.n, j->sweep.name, least, seconds);
    if (status == NT_EXIT_DONE && !j->options->quiet)
        say_files(j, j->sweep.n);
    nt_campbell_destroy(c);
    return status;
}

/* ---- the command
 * ---------------------------------------------------------------------------------- */

int nt_cli_modes(const nt_cli_options *options)
{
    job j = {.options = options};
    nt_error error = {0};
    int status = nt_cli_about(options->about, &j.about);
    if (status == NT_EXIT_DONE && options->over)
        status = read_sweep(&j.sweep, options->over);
    if (status == NT_EXIT_DONE)
        status =
            nt_cli_table_files(&j.table, options, options->over ? ".campbell.csv" : ".modes.csv");
    if (status == NT_EXIT_DONE && options->over && options->n_parameters > 0) {
        nt_cli_say("--over and --param: expected one of them");
        status = NT_EXIT_USAGE;
    }
    if (status == NT_EXIT_DONE && options->check && options->n_parameters == 0) {
        nt_cli_say("--check compares derivatives: expected --param NAME");
        status = NT_EXIT_USAGE;
    }
    if (status == NT_EXIT_DONE && j.table.drawing && !options->over) {
        nt_cli_say("-o: '%s' is a drawing, which --over makes", j.table.drawing);
        status = NT_EXIT_USAGE;
    }
    snprintf(j.command, sizeof j.command, "nutate modes %s --about %s%s%s",
             nt_cli_base_name(options->name), abouts[j.about], options->over ? " --over " : "",
             options->over ? options->over : "");
    if (status == NT_EXIT_DONE &&
        (nt_model_read(&j.model, options->name, options->settings, options->n_settings, &error) !=
             NT_OK ||
         nt_run_create(&j.run, j.model, &error) != NT_OK ||
         nt_run_set_threads(j.run, options->threads > 0 ? options->threads : 1, &error) != NT_OK))
        status = nt_cli_fail(options->name, &error);
    if (status == NT_EXIT_DONE && options->over)
        status = nt_cli_find_parameter("--over", options->name, nt_run_system(j.run), j.sweep.name);
    if (status == NT_EXIT_DONE) {
        nt_run_stop_when(j.run, nt_cli_stop_computing, NULL);
        nt_cli_signals_in_order(options->over != NULL);
        status = options->over ? follow_modes(&j) : find_modes(&j);
    }
    nt_cli_mode_rates_free(&j.rates);
    nt_modes_destroy(j.modes);
    nt_reference_destroy(j.reference);
    nt_run_destroy(j.run);
    nt_model_destroy(j.model);
    nt_cli_table_free(&j.table);
    free(j.sweep.values);
    return status;
}
