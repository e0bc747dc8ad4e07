/* nutate orbit: the motion of an orbit over one period, its multipliers, and its summary. */
#include "cli/analyses/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the result ----------------------------------------------------------------------------- */

/* NAME=VALUE lines for NetCDF; to be freed, NULL when memory is out. */
static char *provenance(const nt_cli_orbit_job *job)
{
    char *text = NULL, words[300];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    nt_orbit_found found = nt_orbit_state(job->orbit);
    fprintf(to, "model_file=%s\nmethod=%s\nframe=%s\nsteps=%d in a period\nperiod=%.17g s\n",
            nt_cli_base_name(job->plan.path), nt_method_name(job->plan.method),
            nt_cli_frame(job->plan.frame), found.steps, found.period);
    for (int i = 0; i < job->options->n_advances; i++)
        fprintf(to, "advance of %s=%.17g\n", job->advance_names[i], found.advance[i]);
    fprintf(to, "stability=%s\n", nt_orbit_words(job->orbit, words, sizeof words));
    fprintf(to, "history=nutate orbit %s", nt_cli_base_name(job->plan.path));
    if (job->options->free_period)
        fputs(" --free", to);
    if (job->options->period)
        fprintf(to, " --period %s", job->options->period);
    for (int i = 0; i < job->options->n_advances; i++)
        fprintf(to, " --advance %s", job->options->advances[i]);
    nt_cli_put_settings(to, job->options);
    return nt_cli_finish_text(to, &text);
}

typedef struct rows {
    nt_record *record;
    nt_integrator *integrator;
    nt_error error;
} rows;

static int write_rows(void *context, const nt_integrator *unused)
{
    rows *r = context;
    (void)unused;
    return nt_record_advance(r->record, r->integrator, &r->error) != NT_OK || nt_cli_stop_asked();
}

/* The motion over one period. */
static int write_motion(nt_cli_orbit_job *job, char *provenance, long *count)
{
    nt_orbit_found found = nt_orbit_state(job->orbit);
    rows r = {.integrator = job->plan.integrator};
    nt_error error = {0};
    const nt_record_setup setup = {.run = job->plan.run,
                                   .files = job->places.files,
                                   .n_files = job->places.n,
                                   .provenance = provenance};
    nt_status status =
        nt_integrator_start(r.integrator, found.start, found.q, found.v, found.memory, &error);
    if (status == NT_OK)
        status = nt_record_create(&r.record, &setup, &error);
    nt_state at = nt_integrator_state(r.integrator);
    if (status == NT_OK)
        status = nt_record_write(r.record, r.integrator, &at, &error);
    if (status == NT_OK)
        status = nt_integrator_run(r.integrator, found.start + found.period,
                                   found.period / found.steps, write_rows, &r, &error);
    if (status == NT_INTERRUPTED && r.error.status != NT_OK)
        status = r.error.status, error = r.error;
    at = nt_integrator_state(r.integrator);
    if (status == NT_OK)
        status = nt_record_write(r.record, r.integrator, &at, &error);
    *count = r.record ? nt_record_rows(r.record) : 0;
    nt_error closing = {0};
    nt_status closed = nt_record_close(r.record, &closing);
    if (status != NT_OK)
        return nt_cli_fail(job->plan.path, &error);
    return closed == NT_OK ? NT_EXIT_DONE : nt_cli_fail(job->plan.path, &closing);
}

/* A row for each multiplier, in files beside those of the motion. */
static int write_multipliers(nt_cli_orbit_job *job)
{
    static const nt_result_column columns[] = {
        {"multiplier", "1", "number of the Floquet multiplier"},
        {"trivial", "1", "1: of the motion itself, an advance, or a quantity that is kept"},
        {"re", "1", "real part"},
        {"im", "1", "imaginary part"},
        {"modulus", "1", "what a period makes of a disturbance"},
        {"exponent.re", "1/s", "real part of the exponent, log(multiplier)/period"},
        {"exponent.im", "rad/s", "imaginary part of the exponent, up to whole turns per period"}};
    nt_orbit_found found = nt_orbit_state(job->orbit);
    nt_result_writer *writer = NULL;
    nt_error error = {0};
    nt_result_file *files = calloc((size_t)job->places.n + 1, sizeof *files);
    char words[300];
    int n = 0;
    if (!files)
        return nt_cli_no_memory();
    for (int i = 0; i < job->places.n; i++)
        if (strcmp(job->places.files[i].path, "-") != 0)
            files[n++] = job->places.files[i];
    nt_orbit_words(job->orbit, words, sizeof words);
    nt_result_attribute attributes[NT_CLI_PROVENANCE + 2];
    int described = nt_cli_provenance(job->plan.model, job->plan.path, "nutate orbit", attributes);
    attributes[described++] = (nt_result_attribute){"table", "multipliers", strlen("multipliers")};
    attributes[described++] = (nt_result_attribute){"stability", words, strlen(words)};
    const nt_result_setup setup = {.files = files,
                                   .n_files = n,
                                   .table = "multipliers",
                                   .columns = columns,
                                   .n_columns = sizeof columns / sizeof *columns,
                                   .attributes = attributes,
                                   .n_attributes = described};
    nt_status status = n > 0 ? nt_result_create(&writer, &setup, &error) : NT_OK;
    for (int i = 0; i < found.dimension && n > 0 && status == NT_OK; i++) {
        double re = found.multiplier[2 * i], im = found.multiplier[2 * i + 1];
        double modulus = hypot(re, im);
        const double row[] = {i + 1,
                              i < found.trivial,
                              re,
                              im,
                              modulus,
                              log(fmax(modulus, 1e-300)) / found.period,
                              atan2(im, re) / found.period};
        status = nt_result_write(writer, row, &error);
    }
    nt_error closing = {0};
    nt_status closed = nt_result_finish(writer, &closing);
    free(files);
    if (status != NT_OK)
        return nt_cli_fail(job->plan.path, &error);
    return closed == NT_OK ? NT_EXIT_DONE : nt_cli_fail(job->plan.path, &closing);
}

/* ---- summary -------------------------------------------------------------------------------- */

void nt_cli_orbit_say_period(const nt_cli_orbit_job *job)
{
    nt_orbit_found found = nt_orbit_state(job->orbit);
    const char *title = nt_model_title(job->plan.model);
    fprintf(stderr, "%s: periodic orbit by %s, %d steps in a period\n",
            title && *title ? title : job->plan.path, nt_method_name(job->plan.method),
            found.steps);
    fprintf(stderr, "  period %.12g s (%s)\n", found.period,
            job->options->free_period ? "found" : "given");
    for (int i = 0; i < job->options->n_advances; i++)
        fprintf(stderr, "  advance of %s in a period  %.12g %s (%s)\n", job->advance_names[i],
                found.advance[i], strstr(job->advance_names[i], "rotation") ? "rad" : "m",
                job->advances[i].found ? "found" : "given");
}

enum { SHOWN = 8 };

static void say_multipliers(const nt_cli_orbit_job *job)
{
    nt_orbit_found found = nt_orbit_state(job->orbit);
    char words[300];
    fprintf(stderr, "  %d multiplier%s", found.dimension, found.dimension == 1 ? "" : "s");
    if (found.trivial > 0) {
        fprintf(stderr, ", %d of them trivial", found.trivial);
        if (found.kept > 0)
            fprintf(stderr, " (%d of what every motion keeps: a family of orbits)", found.kept);
        fprintf(stderr, ", 1 to %.2g", found.trivial_distance);
    }
    fputc('\n', stderr);
    for (int i = found.trivial; i < found.dimension && i < found.trivial + SHOWN; i++) {
        double re = found.multiplier[2 * i], im = found.multiplier[2 * i + 1];
        double modulus = hypot(re, im);
        if (im < 0)
            continue; /* its pair is said */
        if (im > 0)
            fprintf(stderr, "    %.9g +- %.9g i, modulus %.9g", re, im, modulus);
        else
            fprintf(stderr, "    %.9g", re);
        fprintf(stderr, "  exponent %.6g", log(fmax(modulus, 1e-300)) / found.period);
        if (im > 0)
            fprintf(stderr, " +- %.6g i", atan2(im, re) / found.period);
        fputs(" 1/s\n", stderr);
    }
    if (found.dimension > found.trivial + SHOWN)
        fprintf(stderr, "    and %d more\n", found.dimension - found.trivial - SHOWN);
    if (found.pairing < 1e-6 && found.dimension > found.trivial)
        fprintf(stderr, "  in pairs mu, 1/mu to %.2g: no damping\n", found.pairing);
    fprintf(stderr, "  %s\n", nt_orbit_words(job->orbit, words, sizeof words));
}

/* A begin that has moved by more than this part of the model's length, or of 1 rad, is said. */
static const double MOVED = 1e-4;

/* Where the orbit does not begin where the search did: of several, and of a family, it is another
 * one. */
static void say_moved(const nt_cli_orbit_job *job)
{
    nt_orbit_found found = nt_orbit_state(job->orbit);
    const nt_system *system = nt_run_system(job->plan.run);
    double *moved = job->guess + system->space.nq, most = 0, length = nt_run_length(job->plan.run);
    char name[300] = "";
    int which = -1;
    bool turns = false;
    nt_space_difference(&system->space, system->frame, job->guess, found.q, moved);
    for (int i = 0; i < system->space.nv; i++) {
        char words[300];
        system->coordinate_name(system->self, i, words, sizeof words);
        bool angle = strncmp(words, "rotation", strlen("rotation")) == 0;
        double size = fabs(moved[i]) / (angle || !(length > 0) ? 1 : length);
        if (size > MOVED && size > most) {
            most = size, which = i, turns = angle;
            memcpy(name, words, sizeof name);
        }
    }
    if (which >= 0)
        fprintf(stderr, "  begins elsewhere than %s: %s by %.4g %s%s\n",
                job->options->after > 0 ? "the run before has come to" : "the initial state", name,
                moved[which], turns ? "rad" : "m",
                found.kept > 0 && !found.rests ? ", another orbit of its family" : "");
}

/* Coarse steps are said when the end of the orbit moves by this with twice as many, m. */
static const double COARSE = 1e-8;

static int say_closing(nt_cli_orbit_job *job)
{
    nt_orbit_found found = nt_orbit_state(job->orbit);
    double miss = 0;
    say_moved(job);
    if (found.rests)
        fputs("  a state of rest, which repeats after any time\n", stderr);
    fprintf(stderr, "  closes to %.2g after %d iterations", found.miss, found.iterations);
    nt_status status = nt_orbit_check_steps(job->orbit, &miss, NULL);
    if (status == NT_OK)
        fprintf(stderr, "; with twice the steps its end differs by %.2g%s", miss,
                miss > COARSE ? ": more --steps would be better" : "");
    fputc('\n', stderr);
    return status == NT_NO_MEMORY ? nt_cli_no_memory() : NT_EXIT_DONE;
}

static int say_files(const nt_cli_orbit_job *job, long count)
{
    fprintf(stderr, "%ld rows in %s", count,
            strcmp(job->places.files[0].path, "-") == 0 ? "standard output"
                                                        : job->places.files[0].path);
    for (int i = 0; i < job->places.n; i++) {
        const char *path = job->places.files[i].path;
        if (strcmp(path, "-") == 0)
            continue;
        char *beside = nt_result_beside(path, "multipliers");
        if (!beside)
            return nt_cli_no_memory();
        fprintf(stderr, ", %s%s", i == 0 ? "multipliers in " : "", beside);
        free(beside);
    }
    fputs(job->places.elsewhere ? " here: the folder of the model cannot be written\n" : "\n",
          stderr);
    return NT_EXIT_DONE;
}

int nt_cli_orbit_write(nt_cli_orbit_job *job)
{
    long count = 0;
    char *how = provenance(job);
    int status = how ? write_motion(job, how, &count) : nt_cli_no_memory();
    free(how);
    if (status == NT_EXIT_DONE)
        status = write_multipliers(job);
    if (job->options->quiet || status == NT_EXIT_IO)
        return status;
    nt_cli_orbit_say_period(job);
    int closing = say_closing(job);
    say_multipliers(job);
    int said = say_files(job, count);
    status = status == NT_EXIT_DONE ? closing : status;
    return status == NT_EXIT_DONE ? said : status;
}
