/* A sweep: read, run by threads, looked at.
 *
 * Each thread has a run of the model and takes the next row that is not done. What it computed
 * waits in memory; the caller's thread writes all that waits as one chunk about once a second. */
#include "sweep/sweep.h"

#include "base/error.h"
#include "base/file.h"
#include "output/format.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TEXT = 1 << 28, MOST_THREADS = 1024, MOST_WAITING = 1 << 26 };
/* Between two chunks: the first ones come sooner. */
static const double CHUNK = 1.0, FIRST_CHUNK = 0.05, WATCH = 0.05; /* s */
static const double TRIAL = 0.4; /* s of rows that are run to know their time */

static double sweep_clock(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- read ----------------------------------------------------------------------------------- */

static nt_status read_text(const char *path, char **text, size_t *length, nt_error *error)
{
    return nt_file_read(path, MOST_TEXT, text, length, error);
}

/* The plan's key `list`, before the plan is read: its file is part of what the plan says. */
static nt_status sweep_read_list(nt_sweep *s, const char *folder, nt_error *error)
{
    const nt_node *list = nt_node_find(nt_document_root(s->document), "list");
    if (!list || list->kind != NT_NODE_SCALAR || list->length == 0)
        return NT_OK;
    const char *slash = list->text[0] == '/' ? NULL : strrchr(s->path, '/');
    int length = slash ? (int)(slash - s->path) + 1 : 0;
    size_t room = (size_t)length + (size_t)list->length + (folder ? strlen(folder) : 0) + 16;
    char *path = NT_TAKE(&s->arena, room, char);
    if (!path)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (folder)
        snprintf(path, room, "%s/list.csv", folder);
    else
        snprintf(path, room, "%.*s%s", length, s->path, list->text);
    s->list_path = path;
    return read_text(path, &s->list_text, &s->list_length, error);
}

static nt_status digest_plan(nt_sweep *s, nt_error *error)
{
    nt_bytes all = {0};
    nt_bytes_put(&all, s->text, s->text_length);
    if (s->list_text)
        nt_bytes_put(&all, s->list_text, s->list_length);
    if (!all.failed)
        nt_digest(all.at, all.used, s->plan_digest);
    nt_bytes_free(&all);
    return all.failed ? nt_fail(error, NT_NO_MEMORY, "out of memory") : NT_OK;
}

/* folder: NULL, or that which holds the plan. */
static nt_status begin_sweep(nt_sweep *s, const char *path, const char *folder, nt_error *error)
{
    s->lock = -1;
    s->path = nt_arena_text(&s->arena, path, strlen(path));
    if (!s->path)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = read_text(s->path, &s->text, &s->text_length, error);
    if (status == NT_OK)
        status = nt_document_parse(s->text, s->text_length, s->path, NULL, &s->document, error);
    if (status == NT_OK)
        status = sweep_read_list(s, folder, error);
    if (status == NT_OK)
        status = digest_plan(s, error);
    return status == NT_OK ? nt_plan_read(s, error) : status;
}

nt_status nt_sweep_read(nt_sweep **sweep, const char *path, nt_error *error)
{
    nt_error_clear(error);
    nt_error unwanted = {0};
    NT_NEED(error, "sweep", sweep);
    *sweep = NULL;
    NT_NEED(error, "path", path);
    error = error ? error : &unwanted;
    nt_sweep *s = calloc(1, sizeof *s);
    if (!s)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = begin_sweep(s, path, NULL, error);
    if (status == NT_OK)
        status = nt_sweep_find_columns(s, error);
    if (status != NT_OK) {
        nt_sweep_destroy(s);
        return nt_said(error, status);
    }
    *sweep = s;
    return NT_OK;
}

nt_status nt_sweep_open(nt_sweep **sweep, const char *folder, nt_error *error)
{
    nt_error_clear(error);
    nt_error unwanted = {0};
    NT_NEED(error, "sweep", sweep);
    *sweep = NULL;
    NT_NEED(error, "folder", folder);
    error = error ? error : &unwanted;
    nt_sweep *s = calloc(1, sizeof *s);
    char *path = nt_folder_path(folder, "plan.yaml"), *head = nt_folder_path(folder, "sweep");
    nt_status status = s && path && head ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK && access(head, F_OK) != 0)
        status = nt_fail_at(error, NT_IO, folder, 0, 0,
                            "holds no sweep: expected the folder of nutate sweep -o");
    if (status == NT_OK)
        status = begin_sweep(s, path, folder, error);
    if (status == NT_OK)
        status = nt_folder_read_head(s, folder, error);
    free(path);
    free(head);
    if (status != NT_OK) {
        nt_sweep_destroy(s);
        return nt_said(error, status);
    }
    *sweep = s;
    return NT_OK;
}

void nt_sweep_destroy(nt_sweep *s)
{
    if (!s)
        return;
    if (s->lock >= 0)
        close(s->lock);
    nt_model_destroy(s->model);
    nt_document_destroy(s->document);
    free(s->text);
    free(s->list_text);
    nt_arena_free(&s->arena);
    free(s);
}

/* ---- what it is ----------------------------------------------------------------------------- */

long nt_sweep_rows(const nt_sweep *s) { return s ? s->rows : 0; }

size_t nt_sweep_row_size(const nt_sweep *s)
{
    if (!s)
        return 0;
    const nt_row row = {.n = (long)nt_sweep_numbers(s), .message = ""};
    return nt_row_size(&row);
}

int nt_sweep_axis_count(const nt_sweep *s) { return s ? s->n_axes + (s->n_cases > 0) : 0; }

const char *nt_sweep_axis(const nt_sweep *s, int i)
{
    if (!s || i < 0 || i >= nt_sweep_axis_count(s))
        return NULL;
    if (s->n_cases > 0 && i == 0)
        return "case";
    return s->axes[i - (s->n_cases > 0)].name;
}

int nt_sweep_value(const nt_sweep *s, long row, int i, char *text, int size)
{
    char buffer[32];
    const char *value = "";
    int load_case;
    if (size > 0 && text)
        text[0] = '\0';
    if (!s || row < 0 || row >= s->rows || i < 0 || i >= nt_sweep_axis_count(s))
        return 0;
    nt_axis_value *values = calloc((size_t)s->n_axes + 1, sizeof *values);
    if (!values)
        return 0;
    nt_design_values(s, row, &load_case, values);
    int k = i - (s->n_cases > 0);
    value = k < 0 ? s->cases[load_case].name : nt_design_text(&s->axes[k], &values[k], buffer);
    int length =
        text ? snprintf(text, size > 0 ? (size_t)size : 0, "%s", value) : (int)strlen(value);
    free(values);
    return length;
}

/* ---- the lock ------------------------------------------------------------------------------- */

/* What is in the way of the rest is in errno. */
static bool write_holder(int file, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t done = pwrite(file, text + at, size - at, (off_t)at);
        if (done < 0 && errno != EINTR)
            return false;
        at += done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* A lock that the end of the process takes away, whatever ends it. */
static nt_status lock_folder(nt_sweep *s, const char *folder, nt_error *error)
{
    if (s->lock >= 0)
        return NT_OK;
    char *path = nt_folder_path(folder, "lock"), who[80] = "";
    if (!path)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = NT_OK;
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (s->lock < 0)
        status = nt_fail_at(error, NT_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
    else if (fcntl(s->lock, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) {
        ssize_t got = pread(s->lock, who, sizeof who - 1, 0);
        who[got > 0 ? (size_t)got : 0] = '\0';
        who[strcspn(who, "\n")] = '\0';
        status = nt_fail_at(error, NT_IO, folder, 0, 0,
                            "another sweep works in it (process %s): expected another folder, or "
                            "its end",
                            who);
    } else {
        char host[32] = "";
        gethostname(host, sizeof host - 1);
        int length = snprintf(who, sizeof who, "%ld on %s\n", (long)getpid(), host);
        if (ftruncate(s->lock, 0) != 0 || !write_holder(s->lock, who, (size_t)length))
            status = nt_fail_at(error, NT_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
    }
    if (status != NT_OK && s->lock >= 0) {
        close(s->lock);
        s->lock = -1;
    }
    free(path);
    return status;
}

nt_status nt_sweep_begin(nt_sweep *s, const char *folder, int resume, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sweep folder", s, folder);
    if (!s->model)
        return nt_fail(error, NT_INVALID, "a sweep from its folder cannot be run: read its plan");
    int there;
    nt_status status = nt_folder_check(s, folder, &there, error);
    if (status == NT_OK && there && !resume) {
        nt_sweep_progress held = {0};
        status = nt_sweep_look(s, folder, &held, NULL, error);
        if (status == NT_OK && held.done > 0)
            status =
                nt_fail_at(error, NT_INVALID, folder, 0, 0,
                           "holds %ld of %ld rows: --resume goes on with them", held.done, s->rows);
    }
    if (status == NT_OK)
        status = nt_folder_make(folder, error);
    if (status == NT_OK)
        status = lock_folder(s, folder, error);
    if (status == NT_OK && !there)
        status = nt_folder_write_head(s, folder, error);
    return nt_said(error, status);
}

/* One of several processes: the folder is that of the plan, or is made. */
static nt_status join_folder(nt_sweep *s, const char *folder, nt_error *error)
{
    int there;
    nt_status status = nt_folder_check(s, folder, &there, error);
    if (status == NT_OK && !there)
        status = nt_folder_make(folder, error);
    return status == NT_OK && !there ? nt_folder_write_head(s, folder, error) : status;
}

/* ---- what a folder holds -------------------------------------------------------------------- */

typedef struct look {
    unsigned char *done;
    nt_sweep_progress *progress;
} look;

static nt_status count_row(void *context, const nt_row *row, nt_error *error)
{
    look *l = context;
    unsigned char bit = (unsigned char)(1u << (row->row & 7));
    (void)error;
    if (l->done[row->row >> 3] & bit)
        return NT_OK;
    l->done[row->row >> 3] |= bit;
    l->progress->done++;
    l->progress->failed += row->status != NT_OK;
    return NT_OK;
}

/* Looks at rows first to last. */
static nt_status look_at(const nt_sweep *s, const char *folder, long first, long last,
                         nt_sweep_progress *progress, unsigned char *done, nt_error *error)
{
    look l = {done, progress};
    size_t bytes = (size_t)(s->rows + 7) / 8;
    if (!done)
        l.done = malloc(bytes + 1);
    if (!l.done)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    memset(l.done, 0, bytes);
    *progress = (nt_sweep_progress){.rows = last - first + 1};
    nt_status status = nt_folder_visit_some(s, folder, first, last, count_row, &l, NULL, error);
    if (!done)
        free(l.done);
    return status;
}

nt_status nt_sweep_look(const nt_sweep *s, const char *folder, nt_sweep_progress *progress,
                        unsigned char *done, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sweep folder progress", s, folder, progress);
    return nt_said(error, look_at(s, folder, 0, s->rows - 1, progress, done, error));
}

/* ---- threads -------------------------------------------------------------------------------- */

typedef struct crew {
    nt_sweep *sweep;
    const nt_sweep_setup *setup;
    unsigned char *done; /* bits, only read while threads run */
    atomic_long next;    /* row to look at */
    long last;
    atomic_int stop; /* rows under way are given up */
    atomic_int full; /* no more rows are begun      */
    int working;     /* threads, under the mutex    */
    pthread_mutex_t mutex;
    pthread_cond_t change;
    nt_bytes waiting; /* rows that are to be written, under the mutex */
    long n_waiting;
    nt_sweep_progress fresh; /* the same: done, failed, row_seconds of all that waited so far */
    nt_status status;        /* the first failure that is no row's */
    nt_error error;
} crew;

static long next_row(crew *c)
{
    while (!atomic_load_explicit(&c->full, memory_order_relaxed)) {
        long row = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed);
        if (row > c->last)
            break;
        if (!(c->done[row >> 3] >> (row & 7) & 1))
            return row;
    }
    return -1;
}

static void crew_fail(crew *c, nt_status status, const nt_error *error)
{
    if (c->status == NT_OK) {
        c->status = status;
        c->error = *error;
    }
    atomic_store(&c->stop, 1);
    atomic_store(&c->full, 1);
}

/* A row for the writer. Where it cannot keep up, threads wait. */
static nt_status hand_over(crew *c, const nt_row *row, nt_error *error)
{
    char few[1024], *bytes = few;
    size_t size = nt_row_size(row);
    if (size > sizeof few && !(bytes = malloc(size)))
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_row_put(row, bytes);
    pthread_mutex_lock(&c->mutex);
    while (c->waiting.used > MOST_WAITING && !atomic_load(&c->stop))
        pthread_cond_wait(&c->change, &c->mutex);
    nt_bytes_put(&c->waiting, bytes, size);
    c->n_waiting++;
    c->fresh.done++;
    c->fresh.failed += row->status != NT_OK;
    c->fresh.row_seconds += row->seconds;
    bool failed = c->waiting.failed;
    pthread_mutex_unlock(&c->mutex);
    if (bytes != few)
        free(bytes);
    return failed ? nt_fail(error, NT_NO_MEMORY, "out of memory") : NT_OK;
}

/* Words of a row that failed, without the names of files, which depend on who runs it. */
static nt_status run_row(crew *c, nt_worker *worker, long number, double *numbers, nt_error *error)
{
    nt_error said = {0};
    double begun = sweep_clock(CLOCK_THREAD_CPUTIME_ID);
    nt_status of_row = nt_worker_run(worker, number, numbers, &said);
    if (of_row == NT_INTERRUPTED || of_row == NT_NO_MEMORY || of_row == NT_IO) {
        *error = said;
        return of_row;
    }
    nt_row row = {.row = number,
                  .status = of_row,
                  .n = of_row == NT_OK ? (long)nt_sweep_numbers(c->sweep) : 0,
                  .numbers = numbers,
                  .message = of_row == NT_OK ? "" : said.message,
                  .seconds = sweep_clock(CLOCK_THREAD_CPUTIME_ID) - begun};
    nt_status status = nt_sweep_id(c->sweep, number, row.id, error);
    return status == NT_OK ? hand_over(c, &row, error) : status;
}

static void *work(void *context)
{
    crew *c = context;
    nt_worker *worker = NULL;
    nt_error error = {0};
    double *numbers = calloc(nt_sweep_numbers(c->sweep) + 1, sizeof *numbers);
    nt_status status = numbers ? nt_worker_create(&worker, c->sweep, &c->stop, &error)
                               : nt_fail(&error, NT_NO_MEMORY, "out of memory");
    for (long row; status == NT_OK && (row = next_row(c)) >= 0;)
        status = run_row(c, worker, row, numbers, &error);
    nt_worker_destroy(worker);
    free(numbers);
    pthread_mutex_lock(&c->mutex);
    if (status != NT_OK && status != NT_INTERRUPTED)
        crew_fail(c, status, &error);
    c->working--;
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

/* ---- the writer ----------------------------------------------------------------------------- */

/* Waits until `until` on the clock, or until a thread ends. */
static void wait_for_change(crew *c, double until)
{
    struct timespec at = {.tv_sec = (time_t)until};
    at.tv_nsec = (long)((until - (double)at.tv_sec) * 1e9);
    pthread_cond_timedwait(&c->change, &c->mutex, &at);
}

/* Writes all that waits; rows count as done when they are named. Called with the mutex held, which
 * is let go meanwhile. */
static nt_status write_waiting(crew *c, nt_journal *journal, nt_sweep_progress *progress)
{
    nt_error error = {0};
    nt_bytes rows = c->waiting;
    long n = c->n_waiting;
    nt_sweep_progress fresh = c->fresh;
    c->waiting = (nt_bytes){0};
    c->n_waiting = 0;
    c->fresh = (nt_sweep_progress){0};
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->mutex);
    nt_status status = n > 0 ? nt_journal_append(journal, rows.at, rows.used, n, &error) : NT_OK;
    nt_bytes_free(&rows);
    pthread_mutex_lock(&c->mutex);
    if (status != NT_OK) {
        crew_fail(c, status, &error);
        return status;
    }
    progress->done += fresh.done;
    progress->fresh += fresh.done;
    progress->failed += fresh.failed;
    progress->row_seconds += fresh.row_seconds;
    return NT_OK;
}

/* Watches the threads until all have ended, with the mutex held. */
static void watch_crew(crew *c, nt_journal *journal, nt_sweep_progress *progress)
{
    const nt_sweep_setup *setup = c->setup;
    double begun = sweep_clock(CLOCK_MONOTONIC), written = begun, wait = FIRST_CHUNK;
    bool good = true;
    while (c->working > 0 && good) {
        wait_for_change(c, sweep_clock(CLOCK_REALTIME) + WATCH);
        double now = sweep_clock(CLOCK_MONOTONIC);
        progress->seconds = now - begun;
        if (setup->seconds > 0 && now - begun > setup->seconds)
            atomic_store(&c->full, 1);
        if (now - written >= wait || c->waiting.used > MOST_WAITING) {
            good = write_waiting(c, journal, progress) == NT_OK;
            written = now;
            wait = wait < CHUNK / 2 ? 2 * wait : CHUNK;
        }
        if (setup->watch && setup->watch(setup->context, progress) != 0) {
            nt_error interrupted = {0};
            nt_fail(&interrupted, NT_INTERRUPTED, "interrupted after %ld rows",
                    progress->fresh + c->n_waiting);
            crew_fail(c, NT_INTERRUPTED, &interrupted);
        }
    }
    if (good)
        write_waiting(c, journal, progress);
    progress->seconds = sweep_clock(CLOCK_MONOTONIC) - begun;
}

/* Threads run rows, the caller's thread writes them. */
static nt_status run_crew(crew *c, int threads, nt_journal *journal, nt_sweep_progress *progress,
                          nt_error *error)
{
    pthread_t *thread = calloc((size_t)threads, sizeof *thread);
    int started = 0;
    if (!thread)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->change, NULL);
    pthread_mutex_lock(&c->mutex);
    while (started < threads && pthread_create(&thread[started], NULL, work, c) == 0) {
        c->working++;
        started++;
    }
    if (started > 0)
        watch_crew(c, journal, progress);
    else
        nt_fail(&c->error, c->status = NT_NO_MEMORY,
                "no thread could be started: out of memory, or at their limit");
    atomic_store(&c->full, 1);
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->mutex);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_cond_destroy(&c->change);
    pthread_mutex_destroy(&c->mutex);
    nt_bytes_free(&c->waiting);
    free(thread);
    if (c->status != NT_OK && error)
        *error = c->error;
    return c->status;
}

static nt_status run_rows(nt_sweep *s, const nt_sweep_setup *setup, unsigned char *done,
                          nt_sweep_progress *progress, nt_error *error)
{
    crew c = {.sweep = s, .setup = setup, .done = done};
    nt_journal *journal = NULL;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = setup->threads > 0 ? setup->threads : processors > 0 ? (int)processors : 1;
    c.last = setup->count > 0 ? setup->first + setup->count - 1 : s->rows - 1;
    atomic_init(&c.next, setup->first);
    long left = c.last - setup->first + 1;
    threads = threads > MOST_THREADS ? MOST_THREADS : threads;
    threads = left < threads ? (int)left : threads;
    nt_status status = look_at(s, setup->folder, setup->first, c.last, progress, done, error);
    if (status == NT_OK && progress->done < left)
        status = nt_journal_create(&journal, setup->folder, error);
    if (status == NT_OK && journal)
        status = run_crew(&c, threads, journal, progress, error);
    nt_journal_destroy(journal);
    return status;
}

nt_status nt_sweep_run(nt_sweep *s, const nt_sweep_setup *setup, nt_sweep_progress *progress,
                       nt_error *error)
{
    nt_error_clear(error);
    nt_sweep_progress unwanted;
    NT_NEED(error, "sweep setup", s, setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.folder", setup->folder);
    NT_NEED_COUNT(error, "setup.threads", setup->threads);
    NT_NEED_NOT_NEGATIVE(error, "setup.seconds", setup->seconds);
    progress = progress ? progress : &unwanted;
    *progress = (nt_sweep_progress){.rows = s->rows};
    if (!s->model)
        return nt_fail(error, NT_INVALID, "a sweep from its folder cannot be run: read its plan");
    if (setup->first < 0 || setup->first >= s->rows || setup->count < 0 ||
        setup->count > s->rows - setup->first)
        return nt_fail(error, NT_INVALID, "rows %ld-%ld: the plan has rows 0-%ld", setup->first,
                       setup->first + setup->count - 1, s->rows - 1);
    nt_status status = setup->worker ? join_folder(s, setup->folder, error)
                                     : nt_sweep_begin(s, setup->folder, setup->resume, error);
    if (status != NT_OK)
        return nt_said(error, status);
    unsigned char *done = malloc((size_t)(s->rows + 7) / 8 + 1);
    if (!done)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    status = run_rows(s, setup, done, progress, error);
    free(done);
    return nt_said(error, status);
}

/* ---- how long rows take ---------------------------------------------------------------------- */

nt_status nt_sweep_time(nt_sweep *s, double *seconds, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sweep seconds", s, seconds);
    if (!s->model)
        return nt_fail(error, NT_INVALID, "a sweep from its folder cannot be run: read its plan");
    atomic_int stop;
    nt_worker *worker;
    atomic_init(&stop, 0);
    nt_status status = nt_worker_create(&worker, s, &stop, error);
    double *numbers = calloc(nt_sweep_numbers(s) + 1, sizeof *numbers);
    if (status == NT_OK && !numbers)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    double begun = sweep_clock(CLOCK_THREAD_CPUTIME_ID), now = begun;
    long n = 0, step = s->rows / 16 + 1;
    /* rows from all over the plan */
    for (long row = 0; status == NT_OK && now - begun < TRIAL && n < s->rows; n++) {
        nt_error of_row = {0};
        if (nt_worker_run(worker, row, numbers, &of_row) == NT_NO_MEMORY)
            status = nt_fail(error, NT_NO_MEMORY, "out of memory");
        row = (row + step) % s->rows;
        now = sweep_clock(CLOCK_THREAD_CPUTIME_ID);
    }
    *seconds = n > 0 ? (now - begun) / (double)n : 0;
    free(numbers);
    nt_worker_destroy(worker);
    return nt_said(error, status);
}
