/* CSV rows through the ordinary writer, against formatting the same numbers and nothing else:
 * with the library's own formatter and with the C library's. */
#include "measure.h"
#include "output/decimal.h"
#include "speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATES = 1000, PASSES = 50, COLUMNS = 14 }; /* 50000 rows at a time */

typedef struct rows {
    motion_run run;
    nt_state state[STATES];
    double *kept; /* the states' arrays */
    double value[STATES][COLUMNS];
    nt_record *record;
    nt_decimal decimal;
    char path[4096];
    FILE *sink;
} rows;

static double *keep(double **room, const double *from, int n)
{
    double *to = *room;
    memcpy(to, from, (size_t)n * sizeof *to);
    *room += n;
    return to;
}

/* A thousand states of the top, and what their rows hold. */
static bool collect(rows *r)
{
    static const char *const names[] = {"top.position", "top.orientation", "top.angular_velocity",
                                        "pivot.force"};
    const nt_system *system = nt_run_system(r->run.started);
    int nq = system->space.nq, nv = system->space.nv;
    r->kept = calloc((size_t)STATES * (size_t)(nq + 2 * nv + system->nh), sizeof(double));
    double *room = r->kept;
    nt_error error;
    if (!require(room != NULL, "out of memory") || !motion_start(&r->run))
        return false;
    for (int i = 0; i < STATES; i++) {
        if (!motion_advance(&r->run, 1e-3, 1))
            return false;
        nt_state s = nt_integrator_state(r->run.integrator);
        s.q = keep(&room, s.q, nq);
        s.v = keep(&room, s.v, nv);
        s.vdot = keep(&room, s.vdot, nv);
        s.lambda = keep(&room, s.lambda, system->nh);
        r->state[i] = s;
        r->value[i][0] = s.t;
        for (int k = 0, column = 1; k < 4; k++) {
            nt_quantity_info quantity;
            if (nt_model_quantity(r->run.model, names[k], &quantity, &error) != NT_OK ||
                nt_run_sample(r->run.started, &quantity, &s, NULL, &r->value[i][column], &error) !=
                    NT_OK)
                return require(false, "%s", error.message);
            column += quantity.columns;
        }
    }
    return true;
}

static bool open_record(void *context)
{
    rows *r = context;
    nt_error error;
    nt_status status = nt_record_open(&r->record, r->run.started, r->path, NT_CSV, NULL, &error);
    return require(status == NT_OK, "%s", error.message);
}

static bool write_rows(void *context)
{
    rows *r = context;
    nt_error error;
    nt_status status = NT_OK;
    for (int i = 0; i < PASSES * STATES && status == NT_OK; i++)
        status = nt_record_write(r->record, r->run.integrator, &r->state[i % STATES], &error);
    nt_error closing;
    nt_status closed = nt_record_close(r->record, &closing);
    unlink(r->path);
    return require(status == NT_OK && closed == NT_OK, "CSV rows: %s",
                   status != NT_OK ? error.message : closing.message);
}

static bool nothing(void *context)
{
    (void)context;
    return true;
}

/* What is written is summed up, so that it counts as used. */
static bool format_rows(void *context)
{
    rows *r = context;
    char text[NT_DECIMAL_ROOM];
    long total = 0;
    for (int i = 0; i < PASSES * STATES; i++)
        for (int k = 0; k < COLUMNS; k++)
            total += nt_decimal_write(&r->decimal, r->value[i % STATES][k], text);
    return require(total > 0, "nothing was formatted");
}

static bool print_rows(void *context)
{
    rows *r = context;
    for (int i = 0; i < PASSES * STATES / 10; i++)
        for (int k = 0; k < COLUMNS; k++)
            fprintf(r->sink, "%.17g%c", r->value[i % STATES][k], k + 1 < COLUMNS ? ',' : '\n');
    return true;
}

void measure_rows(const char *folder)
{
    rows *r = calloc(1, sizeof *r);
    if (!require(r != NULL, "out of memory"))
        return;
    snprintf(r->path, sizeof r->path, "%s/rows.csv", folder);
    nt_decimal_init(&r->decimal);
    r->sink = fopen("/dev/null", "w");
    bool ok = require(r->sink != NULL, "cannot open /dev/null") &&
              motion_open_file(&r->run, NUTATE_BENCH_DIR "/models/heavy_top.yaml", "top.position",
                               "pivot.force") &&
              collect(r);
    if (ok) {
        contestant write = {"CSV rows", open_record, write_rows, r};
        contestant format = {"formatting", nothing, format_rows, r};
        contestant print = {"printf", nothing, print_rows, r};
        double million = 1e6 / (PASSES * STATES);
        print_heading("a million rows of 14 numbers", "written", "formatted");
        contest c = compare(&write, &format, 7, processor_seconds);
        print_contest("CSV, against its formatter alone", &c, million, "s", 0);
        c = compare(&write, &print, 5, processor_seconds);
        c.seconds[1] *= 10, c.ratio /= 10, c.spread /= 10;
        print_contest("CSV, against printf(\"%.17g\")", &c, million, "s", 0);
    }
    motion_close(&r->run);
    if (r->sink)
        fclose(r->sink);
    free(r->kept);
    free(r);
}
