/* Saved states: a head that says what the bytes belong to, then the integrator's own bytes, those
 * of derivatives where `sens` has saved, where results and objectives stand, and how the run was
 * begun.
 *
 * The bytes are those of this machine and this version. What differs is refused in words, before a
 * byte reaches the integrator. A state is written beside, brought to the disk and then renamed: at
 * any moment either the state before or the new one is there, whole. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 4 };
static const char magic[16] = "nutate state\n";
static const uint32_t byte_order = 0x01020304, other_byte_order = 0x04030201;

/* Behind the head, in this order. */
enum { INTEGRATOR, SENSITIVITY, RECORD, EVENTS, OBJECTIVES, ACCOUNT, TEXT, PIECES };

typedef struct head {
    char magic[16];
    uint32_t format, byte_order;
    char version[16], method[64];
    int32_t frame, nq, nv, nh, nn, n_memory;
    uint64_t layout;       /* hash of the names of all equations              */
    uint64_t parameters;   /* hash of the names of all parameters, or 0       */
    uint64_t size[PIECES]; /* bytes; 0 where there is no such piece           */
    uint64_t sum;          /* hash of the head with 0 here, and all behind it */
} head;

/* FNV-1a, 64 bits. */
static uint64_t state_hash(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}
static const uint64_t hash_start = 14695981039346656037u;

uint64_t nt_cli_sum(const void *bytes, size_t size) { return state_hash(hash_start, bytes, size); }

static uint64_t layout_of(const nt_system *system)
{
    uint64_t sum = hash_start;
    int n = system->space.nv + system->nh + system->nn;
    for (int i = 0; system->equation_name && i < n; i++) {
        char name[256] = "";
        system->equation_name(system->self, i, name, sizeof name);
        sum = state_hash(sum, name, strlen(name) + 1);
    }
    return sum;
}

static uint64_t parameters_of(const nt_system *system)
{
    uint64_t sum = hash_start;
    for (int i = 0; i < system->n_parameters; i++)
        sum = state_hash(sum, system->parameter_names[i], strlen(system->parameter_names[i]) + 1);
    return sum;
}

static head head_of(const nt_cli_plan *plan)
{
    const nt_system *system = nt_run_system(plan->run);
    head h;
    memset(&h, 0, sizeof h); /* padding too: equal states are equal files */
    memcpy(h.magic, magic, sizeof magic);
    h.format = FORMAT, h.byte_order = byte_order;
    snprintf(h.version, sizeof h.version, "%s", nt_version());
    snprintf(h.method, sizeof h.method, "%s", nt_method_name(plan->method));
    h.frame = (int32_t)plan->frame;
    h.nq = system->space.nq, h.nv = system->space.nv;
    h.nh = system->nh, h.nn = system->nn, h.n_memory = system->n_memory;
    h.layout = layout_of(system);
    h.size[INTEGRATOR] = nt_integrator_saved_size(plan->integrator);
    return h;
}

static uint64_t state_sum_of(head h, const void *bytes, size_t size)
{
    h.sum = 0;
    return state_hash(state_hash(hash_start, &h, sizeof h), bytes, size);
}

static int io_failure(const char *path, const char *what)
{
    nt_cli_say("%s: cannot be %s: %s", path, what, strerror(errno));
    return NT_EXIT_IO;
}

/* ---- a file that is there as a whole or not at all ------------------------------------------ */

/* The name beside, of the file that a link leads to; to be freed. */
static char *beside(const char *path, char **real)
{
    *real = realpath(path, NULL);
    if (!*real)
        *real = strdup(path);
    return *real ? nt_cli_join(*real, ".new") : NULL;
}

/* Make the file beside, and lock it: two runs that save at one place do so in turn. *file is its
 * descriptor. */
static int open_beside(const char *path, const char *temporary, int *file)
{
    struct stat open_one, named;
    for (;;) {
        *file = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (*file < 0 && errno == EINTR)
            continue;
        if (*file < 0)
            return io_failure(path, "written");
        if (flock(*file, LOCK_EX) != 0 && errno == EINTR) {
            close(*file);
            continue;
        }
        if (fstat(*file, &open_one) == 0 && stat(temporary, &named) == 0 &&
            open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev)
            return NT_EXIT_DONE;
        close(*file); /* another run has renamed it meanwhile */
    }
}

/* The folder's entry too is on the disk, where the file system can say so. */
static void sync_folder(const char *path)
{
    char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = '\0';
    int file = folder ? open(slash ? folder : ".", O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(folder);
}

int nt_cli_state_write(const nt_cli_bytes *state, const char *path, bool to_disk)
{
    char *real, *temporary = beside(path, &real);
    int file = -1, status = temporary ? NT_EXIT_DONE : nt_cli_no_memory();
    if (status == NT_EXIT_DONE)
        status = open_beside(path, temporary, &file);
    if (status != NT_EXIT_DONE)
        goto done;
    bool good = ftruncate(file, 0) == 0 && nt_cli_write_all(file, state->bytes, state->size) &&
                (!to_disk || fsync(file) == 0) && rename(temporary, real) == 0;
    if (!good) {
        status = io_failure(path, "written");
        unlink(temporary);
    } else if (to_disk)
        sync_folder(real);
    close(file);
done:
    free(real);
    free(temporary);
    return status;
}

/* What is there is no state, which a run may not replace: a result of another run, a model. */
static bool is_something_else(const char *path)
{
    char begins[sizeof magic] = "";
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(begins, 1, sizeof begins, file) : 0;
    if (file)
        fclose(file);
    return size > 0 && (size < sizeof begins || memcmp(begins, magic, sizeof begins) != 0);
}

int nt_cli_state_probe(const char *path)
{
    if (is_something_else(path)) {
        nt_cli_say("%s: is there and is no saved state: expected another name for the state", path);
        return NT_EXIT_IO;
    }
    struct stat is;
    char *real, *temporary = beside(path, &real);
    int file, status = temporary ? NT_EXIT_DONE : nt_cli_no_memory();
    if (status == NT_EXIT_DONE && stat(path, &is) == 0 && !S_ISREG(is.st_mode)) {
        errno = S_ISDIR(is.st_mode) ? EISDIR : EINVAL;
        status = io_failure(path, "written");
    } else if (status == NT_EXIT_DONE && stat(path, &is) != 0 && lstat(path, &is) == 0)
        status = io_failure(path, "written"); /* a link that leads nowhere */
    if (status == NT_EXIT_DONE)
        status = open_beside(path, temporary, &file);
    if (status == NT_EXIT_DONE) {
        unlink(temporary);
        close(file);
    }
    free(real);
    free(temporary);
    return status;
}

/* ---- save ----------------------------------------------------------------------------------- */

nt_status nt_cli_state_make(nt_cli_bytes *state, const nt_cli_plan *plan, const nt_cli_parts *parts,
                            nt_error *error)
{
    head h = head_of(plan);
    nt_status status = NT_OK;
    if (parts->sens) {
        h.size[SENSITIVITY] = nt_sensitivity_saved_size(parts->sens->sensitivity);
        h.parameters = parameters_of(nt_run_system(plan->run));
    }
    if (parts->record)
        h.size[RECORD] = nt_record_saved_size(parts->record);
    h.size[EVENTS] = nt_result_saved_size(parts->events);
    h.size[OBJECTIVES] = nt_objectives_saved_size(parts->objectives);
    h.size[ACCOUNT] = sizeof parts->begun;
    h.size[TEXT] = strlen(parts->text);
    size_t at[PIECES + 1] = {0};
    for (int i = 0; i < PIECES; i++)
        at[i + 1] = at[i] + (size_t)h.size[i];
    char *all = calloc(sizeof h + at[PIECES] + 1, 1);
    if (!all) {
        *error = (nt_error){.status = NT_NO_MEMORY, .message = "out of memory"};
        return NT_NO_MEMORY;
    }
    char *bytes = all + sizeof h;
    nt_integrator_save(plan->integrator, bytes);
    if (parts->sens)
        nt_sensitivity_save(parts->sens->sensitivity, bytes + at[SENSITIVITY]);
    /* rows first: a state never speaks of rows that are not there */
    if (parts->record)
        status = nt_record_save(parts->record, bytes + at[RECORD], parts->to_disk, error);
    if (parts->events && status == NT_OK)
        status = nt_result_save(parts->events, bytes + at[EVENTS], parts->to_disk, error);
    nt_objectives_save(parts->objectives, bytes + at[OBJECTIVES]);
    memcpy(bytes + at[ACCOUNT], &parts->begun, sizeof parts->begun);
    memcpy(bytes + at[TEXT], parts->text, strlen(parts->text));
    h.sum = state_sum_of(h, bytes, at[PIECES]);
    memcpy(all, &h, sizeof h);
    if (status != NT_OK) {
        free(all);
        return status;
    }
    free(state->bytes);
    *state = (nt_cli_bytes){all, sizeof h + at[PIECES]};
    return NT_OK;
}

/* ---- read ----------------------------------------------------------------------------------- */

static const char cut_off[] = "the file of the state is cut off or has been added to";

static int refuse(const char *path, const char *why)
{
    nt_cli_say("%s: %s", path, why);
    return NT_EXIT_USAGE;
}

static int refuse_other(const char *path, const char *what, const char *theirs, const char *ours)
{
    nt_cli_say("%s: the state was saved with %s %s, this run has %s", path, what, theirs, ours);
    return NT_EXIT_USAGE;
}

/* What another version or a damaged file holds for a word is shown as far as it is one. */
static void make_word(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static int refuse_damaged(const char *path)
{
    return refuse(path, "the file of the state is damaged");
}

/* Checks what kind of file it is, before its sizes and its hash are trusted. A version writes one
 * format, and where that is another its hash cannot be checked. */
static int compare_kind(const char *path, head *theirs, const head *ours)
{
    if (memcmp(theirs->magic, ours->magic, sizeof magic) != 0)
        return refuse(path, "is not a state that nutate --save has written");
    if (theirs->byte_order == other_byte_order)
        return refuse(path, "the state was saved on a machine with another byte order");
    if (theirs->byte_order != byte_order)
        return refuse_damaged(path);
    if (theirs->format == FORMAT)
        return NT_EXIT_DONE;
    make_word(theirs->version, sizeof theirs->version);
    return strcmp(theirs->version, ours->version) == 0
               ? refuse_damaged(path)
               : refuse_other(path, "nutate", theirs->version, ours->version);
}

static int state_compare(const char *path, head *theirs, const head *ours)
{
    make_word(theirs->version, sizeof theirs->version);
    make_word(theirs->method, sizeof theirs->method);
    if (strcmp(theirs->version, ours->version) != 0)
        return refuse_other(path, "nutate", theirs->version, ours->version);
    if (strcmp(theirs->method, ours->method) != 0)
        return refuse_other(path, "the method", theirs->method, ours->method);
    if (theirs->frame != ours->frame)
        return refuse_other(path, "the frame",
                            theirs->frame >= 0 && theirs->frame <= NT_SE3
                                ? nt_cli_frame((nt_frame)theirs->frame)
                                : "unknown",
                            nt_cli_frame((nt_frame)ours->frame));
    if (theirs->nv != ours->nv || theirs->nh != ours->nh || theirs->nn != ours->nn) {
        char a[80], b[80];
        snprintf(a, sizeof a, "%d velocities and %d constraint equations", (int)theirs->nv,
                 (int)(theirs->nh + theirs->nn));
        snprintf(b, sizeof b, "%d and %d", (int)ours->nv, (int)(ours->nh + ours->nn));
        return refuse_other(path, "a model of", a, b);
    }
    if (theirs->nq != ours->nq || theirs->n_memory != ours->n_memory ||
        theirs->layout != ours->layout || theirs->size[INTEGRATOR] != ours->size[INTEGRATOR])
        return refuse(path, "the state was saved with a model of other bodies or joints, or the "
                            "same in another order");
    return NT_EXIT_DONE;
}

/* The bytes after the head, with their length and hash checked. */
static int read_bytes(FILE *file, const char *path, const head *h, nt_cli_state *state)
{
    struct stat is;
    uint64_t size = 0;
    if (fstat(fileno(file), &is) != 0)
        return io_failure(path, "read");
    uint64_t there = (uint64_t)is.st_size - sizeof *h;
    for (int i = 0; i < PIECES; i++)
        size = h->size[i] <= there ? size + h->size[i] : there + 1;
    if (size != there)
        return refuse(path, cut_off);
    state->bytes = malloc((size_t)size + 1);
    if (!state->bytes)
        return nt_cli_no_memory();
    if (fread(state->bytes, 1, (size_t)size, file) != size)
        return ferror(file) ? io_failure(path, "read") : refuse(path, cut_off);
    if (state_sum_of(*h, state->bytes, (size_t)size) != h->sum)
        return refuse_damaged(path);
    state->bytes[size] = '\0';
    return NT_EXIT_DONE;
}

int nt_cli_state_read(nt_cli_state *state, const nt_cli_plan *plan, const char *path)
{
    head ours = head_of(plan), h;
    *state = (nt_cli_state){.path = path};
    FILE *file = fopen(path, "rb");
    if (!file)
        return io_failure(path, "opened");
    memset(&h, 0, sizeof h);
    size_t got = fread(&h, 1, sizeof h, file);
    int status = ferror(file) ? io_failure(path, "read") : NT_EXIT_DONE;
    if (status == NT_EXIT_DONE && got < sizeof h && memcmp(h.magic, magic, sizeof magic) == 0)
        status = refuse(path, cut_off);
    if (status == NT_EXIT_DONE)
        status = compare_kind(path, &h, &ours);
    if (status == NT_EXIT_DONE)
        status = read_bytes(file, path, &h, state);
    if (status == NT_EXIT_DONE)
        status = state_compare(path, &h, &ours);
    fclose(file);
    if (status != NT_EXIT_DONE)
        return status;
    char *at = state->bytes;
    nt_cli_piece *const pieces[PIECES] = {&state->integrator, &state->sens,       &state->record,
                                          &state->events,     &state->objectives, &state->account,
                                          &state->text};
    for (int i = 0; i < PIECES; i++) {
        *pieces[i] = (nt_cli_piece){at, (size_t)h.size[i]};
        at += h.size[i];
    }
    state->parameters = h.parameters;
    return NT_EXIT_DONE;
}

void nt_cli_state_free(nt_cli_state *state) { free(state->bytes); }

/* ---- restore -------------------------------------------------------------------------------- */

int nt_cli_state_restore(const nt_cli_state *state, nt_cli_plan *plan)
{
    nt_error error = {0};
    if (nt_integrator_restore(plan->integrator, state->integrator.bytes, state->integrator.size,
                              &error) == NT_OK)
        return NT_EXIT_DONE;
    return nt_cli_fail(state->path, &error);
}

int nt_cli_state_restore_sens(const nt_cli_state *state, const nt_cli_plan *plan,
                              const nt_cli_sens *sens)
{
    nt_error error = {0};
    if (state->sens.size == 0)
        return refuse(state->path, "the state holds no derivatives: it was saved by `nutate run`, "
                                   "expected one that `nutate sens` has saved");
    if (state->parameters != parameters_of(nt_run_system(plan->run)))
        return refuse(state->path,
                      "the state was saved with a model of other parameters, or the same "
                      "in another order");
    if (nt_sensitivity_restore(sens->sensitivity, state->sens.bytes, state->sens.size, &error) !=
        NT_OK)
        return nt_cli_fail(state->path, &error);
    return NT_EXIT_DONE;
}

/* ---- the run that a state belongs to -------------------------------------------------------- */

/* Lines KEY=VALUE of both, which must be the same. */
int nt_cli_state_compare(const nt_cli_state *state, const char *text)
{
    const char *a = state->text.bytes, *b = text;
    while (*a || *b) {
        size_t first = strcspn(a, "\n"), second = strcspn(b, "\n"), key = strcspn(b, "=\n");
        if (first != second || memcmp(a, b, first) != 0) {
            nt_cli_say("%s: --resume goes on with the run that saved the state, and that was begun "
                       "with '%.*s', not with '%.*s' (%.*s)",
                       state->path, (int)first, a, (int)second, b, (int)key, b);
            return NT_EXIT_USAGE;
        }
        a += first + (a[first] == '\n');
        b += second + (b[second] == '\n');
    }
    return NT_EXIT_DONE;
}
