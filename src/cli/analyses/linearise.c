/* nutate linearise: matrices and transfer functions about a state, or at times of a run. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586476925286766559;

typedef struct job {
    const nt_cli_options *options;
    nt_cli_plan plan; /* of a run, with --at */
    nt_model *model;
    nt_run *run;
    nt_about about;
    double *times; /* [n_times] with --at, ascending */
    int n_times;
    double low, high; /* Hz, of --bode */
    int n_frequencies;
    nt_linear *linear;
    nt_result_writer *writer;
    const char *matrices, *market, *bode, *drawing; /* files of -o; NULL where not given */
} job;

/* ---- what is asked for
 * ----------------------------------------------------------------------------- */

static int choose_files(job *j)
{
    char first[4096]; /* matrix */
    for (int i = 0; i < j->options->n_outputs; i++) {
        const char *path = j->options->outputs[i];
        const char **to = nt_cli_ends_with(path, ".nc")    ? &j->matrices
                          : nt_cli_ends_with(path, ".mtx") ? &j->market
                          : nt_cli_ends_with(path, ".csv") ? &j->bode
                          : nt_cli_ends_with(path, ".svg") ? &j->drawing
                                                           : NULL;
        if (!to) {
            nt_cli_say(
                "-o: expected a name that ends in .nc, .mtx (matrices), .csv or .svg (transfer "
                "functions), got '%s'",
                path);
            return NT_EXIT_USAGE;
        }
        if (*to || nt_cli_would_overwrite(path, j->options->name)) {
            nt_cli_say("-o: '%s' is %s", path,
                       *to ? "a second file of its kind" : "the model itself");
            return NT_EXIT_USAGE;
        }
        *to = path;
    }
    if (!j->matrices && !j->market && !j->bode && !j->drawing) {
        nt_cli_say("linearise needs -o FILE (nutate linearise --help)");
        return NT_EXIT_USAGE;
    }
    if ((j->bode || j->drawing) && !j->options->bode) {
        nt_cli_say("-o: '%s' holds transfer functions, which need --bode A..B:N",
                   j->bode ? j->bode : j->drawing);
        return NT_EXIT_USAGE;
    }
    if (j->options->bode && !j->bode && !j->drawing) {
        nt_cli_say("--bode: expected -o FILE.csv or -o FILE.svg for the transfer functions");
        return NT_EXIT_USAGE;
    }
    int status = NT_EXIT_DONE;
    for (int i = 0; i < j->options->n_outputs && status == NT_EXIT_DONE; i++) {
        const char *path = j->options->outputs[i];
        if (path != j->market) {
            status = nt_cli_check_place(path);
            continue;
        }
        snprintf(first, sizeof first, "%.*s.A.mtx", (int)strlen(path) - 4, path);
        status = nt_cli_check_place(first);
    }
    return status;
}

/* A..B:N, Hz */
static int read_bode(job *j)
{
    const char *text = j->options->bode, *dots = text ? strstr(text, "..") : NULL;
    char first[40] = "", *end = first, *last = NULL, *tail = NULL;
    if (!text)
        return NT_EXIT_DONE;
    bool good = dots && dots > text && dots - text < 40;
    if (good)
        memcpy(first, text, (size_t)(dots - text));
    j->low = strtod(first, &end);
    j->high = good ? strtod(dots + 2, &last) : 0;
    good = good && *end == '\0' && last != dots + 2 && *last == ':';
    long n = good ? strtol(last + 1, &tail, 10) : 0;
    j->n_frequencies = (int)n;
    if (good && tail != last + 1 && *tail == '\0' && n >= 2 && n <= 100000 && j->low > 0 &&
        isfinite(j->high) && j->high > j->low)
        return NT_EXIT_DONE;
    nt_cli_say(
        "--bode: expected A..B:N, N frequencies from A to B Hz with 0 < A < B and N from 2 to "
        "100000, got '%s'",
        text);
    return NT_EXIT_USAGE;
}

/* T,T,... in s */
static int read_times(job *j)
{
    const char *text = j->options->at;
    if (!text)
        return NT_EXIT_DONE;
    j->times = calloc(strlen(text) + 1, sizeof *j->times);
    if (!j->times)
        return nt_cli_no_memory();
    for (;;) {
        char *end;
        double t = strtod(text, &end);
        bool good = end != text && isfinite(t) && (*end == ',' || *end == '\0') &&
                    (j->n_times == 0 || t > j->times[j->n_times - 1]);
        if (!good) {
            nt_cli_say("--at: expected times in ascending order, T or T,T,..., got '%s'",
                       j->options->at);
            return NT_EXIT_USAGE;
        }
        j->times[j->n_times++] = t;
        if (*end == '\0')
            return NT_EXIT_DONE;
        text = end + 1;
    }
}

/* ---- matrices in files
 * ------------------------------------------------------------------------------- */

typedef struct matrix {
    const char *name, *meaning, *item, *component;
    const double *a;
    int rows, columns;
} matrix;

enum { MATRICES = 13 };

static void list_matrices(const nt_linear *linear, matrix out[MATRICES])
{
    nt_linear_matrices m = nt_linear_get(linear);
    const matrix all[MATRICES] = {
        {"A", "x' = A x + B u + B1 u' + B2 u''", "state", "state_column", m.A, m.states, m.states},
        {"B", "x' = A x + B u + B1 u' + B2 u''", "state", "input", m.B, m.states, m.inputs},
        {"B1", "x' = A x + B u + B1 u' + B2 u''", "state", "input", m.B1, m.states, m.inputs},
        {"B2", "x' = A x + B u + B1 u' + B2 u''", "state", "input", m.B2, m.states, m.inputs},
        {"C", "y = C x + D u + D1 u' + D2 u''", "output", "state_column", m.C, m.outputs, m.states},
        {"D", "y = C x + D u + D1 u' + D2 u''", "output", "input", m.D, m.outputs, m.inputs},
        {"D1", "y = C x + D u + D1 u' + D2 u''", "output", "input", m.D1, m.outputs, m.inputs},
        {"D2", "y = C x + D u + D1 u' + D2 u''", "output", "input", m.D2, m.outputs, m.inputs},
        {"mass", "of all velocities", "velocity", "velocity_column", m.mass, m.velocities,
         m.velocities},
        {"damping", "of all velocities", "velocity", "velocity_column", m.damping, m.velocities,
         m.velocities},
        {"stiffness", "of all velocities", "velocity", "velocity_column", m.stiffness, m.velocities,
         m.velocities},
        {"constraints", "rows in displacements", "row", "velocity_column", m.constraints, m.rows,
         m.velocities},
        {"constraint_rates", "rows in rates of displacements", "row", "velocity_column",
         m.constraint_rates, m.rows, m.velocities}};
    memcpy(out, all, sizeof all);
}

/* Names of the items of a matrix' rows: outputs by their own, others by numbers. To be freed, texts
 * too. */
static char **item_names(const nt_linear *linear, const matrix *m)
{
    char **names = calloc((size_t)m->rows + 1, sizeof *names);
    for (int i = 0; names && i < m->rows; i++) {
        char number[40];
        bool output = strcmp(m->item, "output") == 0;
        snprintf(number, sizeof number, "%s %d", m->item, i + 1);
        names[i] = strdup(output ? nt_linear_output(linear, i) : number);
        if (!names[i])
            return names; /* found by its NULL */
    }
    return names;
}

/* "a, b": to be freed. */
static char *join_inputs(const nt_linear *linear)
{
    char *text = strdup("");
    for (int i = 0; text && i < nt_linear_get(linear).inputs; i++) {
        char *with = nt_cli_join(text, i > 0 ? ", " : ""), *more = NULL;
        if (with)
            more = nt_cli_join(with, nt_linear_input(linear, i));
        free(with);
        free(text);
        text = more;
    }
    return text;
}

static int open_matrices(job *j)
{
    matrix list[MATRICES];
    nt_result_array arrays[MATRICES];
    char **names[MATRICES] = {0}, *inputs = join_inputs(j->linear);
    int n = 0, status = NT_EXIT_DONE;
    list_matrices(j->linear, list);
    for (int i = 0; i < MATRICES && status == NT_EXIT_DONE; i++) {
        const matrix *m = &list[i];
        if (m->rows == 0 || m->columns == 0)
            continue;
        names[i] = item_names(j->linear, m);
        if (!names[i] || !names[i][m->rows - 1]) {
            status = nt_cli_no_memory();
            break;
        }
        arrays[n++] =
            (nt_result_array){m->name,      "SI",    m->meaning, m->item,
                              m->component, m->rows, m->columns, (const char *const *)names[i]};
    }
    if (status == NT_EXIT_DONE && !inputs)
        status = nt_cli_no_memory();
    if (status == NT_EXIT_DONE) {
        const nt_result_column time = {"time", "s", "time of the state"};
        const nt_result_file file = {j->matrices, NT_NETCDF};
        nt_result_attribute attributes[NT_CLI_PROVENANCE + 1];
        int described =
            nt_cli_provenance(j->model, j->options->name, "nutate linearise", attributes);
        attributes[described++] = (nt_result_attribute){"inputs", inputs, strlen(inputs)};
        nt_result_setup setup = {.files = &file,
                                 .n_files = 1,
                                 .columns = &time,
                                 .n_columns = 1,
                                 .arrays = arrays,
                                 .n_arrays = n,
                                 .attributes = attributes,
                                 .n_attributes = described};
        nt_error error = {0};
        if (nt_result_create(&j->writer, &setup, &error) != NT_OK)
            status = nt_cli_fail(j->matrices, &error);
    }
    for (int i = 0; i < MATRICES; i++) {
        for (int k = 0; names[i] && k < list[i].rows; k++)
            free(names[i][k]);
        free(names[i]);
    }
    free(inputs);
    return status;
}

static int write_matrices(job *j, double t)
{
    matrix list[MATRICES];
    size_t room = 1;
    nt_error error = {0};
    int status = j->writer ? NT_EXIT_DONE : open_matrices(j);
    if (status != NT_EXIT_DONE)
        return status;
    list_matrices(j->linear, list);
    for (int i = 0; i < MATRICES; i++)
        room += (size_t)list[i].rows * (size_t)list[i].columns;
    double *row = calloc(room, sizeof *row), *to = row;
    if (!row)
        return nt_cli_no_memory();
    *to++ = t;
    for (int i = 0; i < MATRICES; i++) {
        size_t size = (size_t)list[i].rows * (size_t)list[i].columns;
        if (size > 0)
            memcpy(to, list[i].a, size * sizeof *to);
        to += size;
    }
    if (nt_result_write(j->writer, row, &error) != NT_OK)
        status = nt_cli_fail(j->matrices, &error);
    free(row);
    return status;
}

/* MatrixMarket, a file for each matrix: FILE.A.mtx; with several times FILE.t2.A.mtx. */
static int write_market(const job *j, int time)
{
    matrix list[MATRICES];
    list_matrices(j->linear, list);
    for (int i = 0; i < MATRICES; i++) {
        const matrix *m = &list[i];
        long entries = 0, size = (long)m->rows * m->columns;
        char path[4096], number[40] = "";
        if (time > 0)
            snprintf(number, sizeof number, ".t%d", time + 1);
        snprintf(path, sizeof path, "%.*s%s.%s.mtx", (int)strlen(j->market) - 4, j->market, number,
                 m->name);
        for (long k = 0; k < size; k++)
            entries += m->a[k] != 0;
        FILE *to = fopen(path, "w");
        if (!to) {
            nt_cli_say("%s cannot be written: %s", path, strerror(errno));
            return NT_EXIT_IO;
        }
        nt_cli_part part = nt_cli_part_of(path);
        fprintf(to, "%%%%MatrixMarket matrix coordinate real general\n%% %s: %s\n", m->name,
                m->meaning);
        for (int k = 0; k < nt_linear_get(j->linear).inputs && strcmp(m->component, "input") == 0;
             k++)
            fprintf(to, "%% column %d: %s\n", k + 1, nt_linear_input(j->linear, k));
        for (int k = 0; k < m->rows && strcmp(m->item, "output") == 0; k++)
            fprintf(to, "%% row %d: %s\n", k + 1, nt_linear_output(j->linear, k));
        fprintf(to, "%d %d %ld\n", m->rows, m->columns, entries);
        for (long k = 0; k < size; k++)
            if (m->a[k] != 0)
                fprintf(to, "%ld %ld %.17g\n", k / m->columns + 1, k % m->columns + 1, m->a[k]);
        bool good = !ferror(to);
        if (fclose(to) != 0 || !good) {
            nt_cli_say("%s cannot be written: %s", path, strerror(errno));
            nt_cli_take_back(&part);
            return NT_EXIT_IO;
        }
    }
    return NT_EXIT_DONE;
}

/* ---- transfer functions
 * ------------------------------------------------------------------------------ */

/* Rows of frequency, then magnitude and phase (rad) of each output for each input, in columns. */
static int respond(const job *j, double *rows, int width)
{
    nt_linear_matrices m = nt_linear_get(j->linear);
    int pairs = m.outputs * m.inputs;
    double *out = calloc(2 * (size_t)pairs + 1, sizeof *out);
    if (!out)
        return nt_cli_no_memory();
    for (int k = 0; k < j->n_frequencies; k++) {
        double part = k / (double)(j->n_frequencies - 1), *row = rows + (size_t)k * (size_t)width;
        double frequency = j->low * pow(j->high / j->low, part);
        nt_status status = nt_linear_response(j->linear, TURN * frequency, out);
        if (status == NT_NO_MEMORY) {
            free(out);
            return nt_cli_no_memory();
        }
        if (status != NT_OK) {
            nt_cli_say("the response at %.9g Hz is infinite: an undamped frequency", frequency);
            free(out);
            return NT_EXIT_FAILED;
        }
        row[0] = frequency;
        for (int i = 0; i < pairs; i++) {
            row[1 + 2 * i] = hypot(out[2 * i], out[2 * i + 1]);
            row[2 + 2 * i] = atan2(out[2 * i + 1], out[2 * i]);
        }
    }
    free(out);
    return NT_EXIT_DONE;
}

static int write_bode(const job *j, const double *rows, int width)
{
    nt_linear_matrices m = nt_linear_get(j->linear);
    nt_result_file file = {j->bode, NT_CSV};
    nt_cli_table table = {.files = &file, .n_files = 1};
    bool good = nt_cli_table_column(&table, "frequency", "Hz", "frequency");
    for (int o = 0; o < m.outputs; o++)
        for (int i = 0; i < m.inputs && good; i++)
            for (int k = 0; k < 2 && good; k++) {
                char name[700];
                snprintf(name, sizeof name, "%s(%s)/(%s)", k ? "phase" : "magnitude",
                         nt_linear_output(j->linear, o), nt_linear_input(j->linear, i));
                good = nt_cli_table_column(&table, name, k ? "rad" : "SI", name);
            }
    int status = good ? nt_cli_table_begin(&table, j->model, j->options->name, "nutate linearise")
                      : nt_cli_no_memory();
    for (int k = 0; k < j->n_frequencies && status == NT_EXIT_DONE; k++)
        status = nt_cli_table_row(&table, rows + (size_t)k * (size_t)width);
    int ended = nt_cli_table_end(&table);
    table.files = NULL;
    nt_cli_table_free(&table);
    return status == NT_EXIT_DONE ? ended : status;
}

static int draw_bode(const job *j, const double *rows, int width)
{
    int pairs = (width - 1) / 2, n = j->n_frequencies;
    double *numbers = calloc((size_t)width * (size_t)n, sizeof *numbers);
    const double **curves = calloc((size_t)width, sizeof *curves);
    if (!numbers || !curves) {
        free(numbers);
        free(curves);
        return nt_cli_no_memory();
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < width; i++) /* magnitudes first, then phases in degrees */
            numbers[(size_t)(i == 0  ? 0
                             : i % 2 ? (i + 1) / 2
                                     : pairs + i / 2) *
                        (size_t)n +
                    (size_t)k] = rows[(size_t)k * (size_t)width + (size_t)i] *
                                 (i > 0 && i % 2 == 0 ? 360 / TURN : 1);
    for (int i = 0; i < width; i++)
        curves[i] = numbers + (size_t)i * (size_t)n;
    const nt_cli_panel panels[] = {
        {curves[0], n, curves + 1, pairs, true, true, "frequency, Hz", "magnitude, SI"},
        {curves[0], n, curves + 1 + pairs, pairs, true, false, "frequency, Hz", "phase, degrees"}};
    int status = nt_cli_draw(j->drawing, panels, 2);
    free(numbers);
    free(curves);
    return status;
}

static int write_transfer(const job *j)
{
    nt_linear_matrices m = nt_linear_get(j->linear);
    int width = 1 + 2 * m.outputs * m.inputs;
    if (width == 1) {
        nt_cli_say("--bode needs --input NAME and recorded outputs");
        return NT_EXIT_USAGE;
    }
    double *rows = calloc((size_t)width * (size_t)j->n_frequencies, sizeof *rows);
    int status = rows ? respond(j, rows, width) : nt_cli_no_memory();
    if (status == NT_EXIT_DONE && j->bode)
        status = write_bode(j, rows, width);
    if (status == NT_EXIT_DONE && j->drawing)
        status = draw_bode(j, rows, width);
    free(rows);
    return status;
}

/* ---- states
 * ------------------------------------------------------------------------------------------- */

static int linearise(job *j, const nt_state *state, const double *turn, bool steady, int time)
{
    const nt_simulation *simulation = nt_model_simulation(j->model);
    nt_error error = {0};
    int status = NT_EXIT_DONE;
    nt_linear_setup setup = {.run = j->run,
                             .state = state,
                             .turn = turn,
                             .inputs = j->options->inputs,
                             .n_inputs = j->options->n_inputs,
                             .outputs = simulation->record,
                             .n_outputs = simulation->n_record,
                             .steady = steady};
    nt_linear_destroy(j->linear);
    j->linear = NULL;
    if (nt_linear_create(&j->linear, &setup, &error) != NT_OK)
        return nt_cli_fail(j->options->name, &error);
    if (j->matrices)
        status = write_matrices(j, state->t);
    if (status == NT_EXIT_DONE && j->market)
        status = write_market(j, time);
    if (status == NT_EXIT_DONE && (j->bode || j->drawing))
        status = write_transfer(j);
    nt_linear_matrices m = nt_linear_get(j->linear);
    if (status == NT_EXIT_DONE && !j->options->quiet)
        nt_cli_say(
            "%s: linear at t = %.9g s: %d states (%d displacements, %d velocities), %d input%s, "
            "%d output%s",
            j->options->name, state->t, m.states, m.positions, m.states - m.positions, m.inputs,
            m.inputs == 1 ? "" : "s", m.outputs, m.outputs == 1 ? "" : "s");
    return status;
}

static int about_state(job *j)
{
    nt_reference *reference;
    nt_error error = {0};
    double turn[3];
    if (nt_model_read(&j->model, j->options->name, j->options->settings, j->options->n_settings,
                      &error) != NT_OK ||
        nt_run_create(&j->run, j->model, &error) != NT_OK ||
        nt_reference_create(&reference, j->run, j->about, &error) != NT_OK)
        return nt_cli_refuse_reference(j->options->name, &error);
    nt_state state = nt_reference_state(reference);
    nt_reference_turn(reference, turn);
    int status = linearise(j, &state, turn, j->about != NT_ABOUT_INITIAL, 0);
    if (status == NT_EXIT_DONE && !j->options->quiet && j->about == NT_ABOUT_STATIC)
        nt_cli_say_holds(j->model, reference, "the linear model");
    nt_reference_destroy(reference);
    return status;
}

static int at_times(job *j)
{
    nt_error error = {0};
    nt_cli_options options = *j->options;
    options.duration = 0; /* the times say how far */
    int status = nt_cli_plan_make(&j->plan, &options, false);
    j->model = j->plan.model, j->run = j->plan.run;
    if (status == NT_EXIT_DONE && !(j->plan.step > 0)) {
        nt_cli_say("%s: --at needs a step: simulation.step in the model", j->options->name);
        status = NT_EXIT_USAGE;
    }
    if (status == NT_EXIT_DONE && j->times[0] < j->plan.start) {
        nt_cli_say("--at: the run begins at %.9g s, got %.9g s", j->plan.start, j->times[0]);
        status = NT_EXIT_USAGE;
    }
    double last = j->times[j->n_times - 1], rounding = 1e-12 * fmax(fabs(j->plan.end), 1e-300);
    if (status == NT_EXIT_DONE && j->plan.end > j->plan.start && last > j->plan.end + rounding) {
        nt_cli_say("--at: the run ends at %.9g s (simulation.duration), got %.9g s", j->plan.end,
                   last);
        status = NT_EXIT_USAGE;
    }
    if (status == NT_EXIT_DONE)
        status = nt_cli_plan_start(&j->plan);
    for (int i = 0; i < j->n_times && status == NT_EXIT_DONE; i++) {
        if (nt_integrator_state(j->plan.integrator).t < j->times[i] &&
            nt_integrator_run(j->plan.integrator, j->times[i], j->plan.step, NULL, NULL, &error) !=
                NT_OK)
            return nt_cli_fail(j->options->name, &error);
        nt_state state = nt_integrator_state(j->plan.integrator);
        status = linearise(j, &state, NULL, false, i);
    }
    return status;
}

int nt_cli_linearise(const nt_cli_options *options)
{
    job j = {.options = options};
    nt_error error = {0};
    int status = nt_cli_about(options->about, &j.about);
    if (status == NT_EXIT_DONE && options->at && options->about) {
        nt_cli_say("--at and --about: expected one of them");
        status = NT_EXIT_USAGE;
    }
    if (status == NT_EXIT_DONE)
        status = choose_files(&j);
    if (status == NT_EXIT_DONE)
        status = read_bode(&j);
    if (status == NT_EXIT_DONE)
        status = read_times(&j);
    if (status == NT_EXIT_DONE && j.n_times > 1 && (j.bode || j.drawing)) {
        nt_cli_say("--bode: transfer functions are those of one time, got %d", j.n_times);
        status = NT_EXIT_USAGE;
    }
    if (status == NT_EXIT_DONE)
        status = options->at ? at_times(&j) : about_state(&j);
    if (j.writer && nt_result_finish(j.writer, &error) != NT_OK && status == NT_EXIT_DONE)
        status = nt_cli_fail(j.matrices, &error);
    nt_linear_destroy(j.linear);
    if (options->at)
        nt_cli_plan_free(&j.plan);
    else {
        nt_run_destroy(j.run);
        nt_model_destroy(j.model);
    }
    free(j.times);
    return status;
}
