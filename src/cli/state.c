/* Saved states: a head that says what the bytes belong to, then the integrator's own bytes, then
 * those of derivatives where `sens` has saved.
 *
 * The bytes are those of this machine and this version. What differs is refused in words, before a
 * byte reaches the integrator. */
#include "cli/cli.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 2 };
static const char magic[16] = "nutate state\n";
static const uint32_t byte_order = 0x01020304;

/* More than any derivatives take: a length that is damaged is not to ask for memory. */
static const uint64_t MOST_BYTES = (uint64_t)1 << 40;

typedef struct head {
    char magic[16];
    uint32_t format, byte_order;
    char version[16], method[64];
    int32_t frame, nq, nv, nh, nn, n_memory;
    uint64_t layout;     /* hash of the names of all equations */
    uint64_t size;       /* of the integrator's bytes that follow            */
    uint64_t sens_size;  /* of the derivatives behind them; 0 for none   */
    uint64_t parameters; /* hash of the names of all parameters, or 0    */
    uint64_t sum;        /* hash of all that follows                     */
} head;

/* FNV-1a, 64 bits. */
static uint64_t hash(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}
static const uint64_t hash_start = 14695981039346656037u;

static uint64_t layout_of(const nt_system *system)
{
    uint64_t sum = hash_start;
    int n = system->space.nv + system->nh + system->nn;
    for (int i = 0; system->equation_name && i < n; i++) {
        char name[256] = "";
        system->equation_name(system->self, i, name, sizeof name);
        sum = hash(sum, name, strlen(name) + 1);
    }
    return sum;
}

static uint64_t parameters_of(const nt_system *system)
{
    uint64_t sum = hash_start;
    for (int i = 0; i < system->n_parameters; i++)
        sum = hash(sum, system->parameter_names[i], strlen(system->parameter_names[i]) + 1);
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
    h.size = nt_integrator_saved_size(plan->integrator);
    return h;
}

/* ---- save ----------------------------------------------------------------------------------- */

static int io_failure(const char *path, const char *what)
{
    nt_cli_say("%s: cannot be %s: %s", path, what, strerror(errno));
    return NT_EXIT_IO;
}

int nt_cli_state_save(const nt_cli_plan *plan, const nt_cli_sens *sens, const char *path)
{
    head h = head_of(plan);
    if (sens) {
        h.sens_size = nt_sensitivity_saved_size(sens->sensitivity);
        h.parameters = parameters_of(nt_run_system(plan->run));
    }
    size_t size = (size_t)(h.size + h.sens_size);
    char *bytes = malloc(size);
    if (!bytes)
        return nt_cli_no_memory();
    nt_integrator_save(plan->integrator, bytes);
    if (sens)
        nt_sensitivity_save(sens->sensitivity, bytes + h.size);
    h.sum = hash(hash_start, bytes, size);
    int status = NT_EXIT_DONE;
    FILE *file = fopen(path, "wb");
    if (!file) {
        status = io_failure(path, "written");
        goto done;
    }
    bool written = fwrite(&h, sizeof h, 1, file) == 1 && fwrite(bytes, 1, size, file) == size;
    if (!written)
        status = io_failure(path, "written");
    if (fclose(file) != 0 && written)
        status = io_failure(path, "written");
done:
    free(bytes);
    return status;
}

/* ---- restore -------------------------------------------------------------------------------- */

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

static int compare(const char *path, const head *theirs, const head *ours)
{
    if (memcmp(theirs->magic, ours->magic, sizeof magic) != 0)
        return refuse(path, "is not a state that nutate --save has written");
    if (theirs->byte_order != byte_order)
        return refuse(path, "the state was saved on a machine with another byte order");
    if (theirs->format != FORMAT || memcmp(theirs->version, ours->version, sizeof ours->version))
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
        theirs->layout != ours->layout || theirs->size != ours->size)
        return refuse(path, "the state was saved with a model of other bodies or joints, or the "
                            "same in another order");
    return NT_EXIT_DONE;
}

/* The bytes after the head, with their length and hash checked. */
static int read_bytes(FILE *file, const char *path, const head *h, char *bytes)
{
    size_t size = (size_t)(h->size + h->sens_size), got = fread(bytes, 1, size, file);
    if (ferror(file))
        return io_failure(path, "read");
    if (got != size || fgetc(file) != EOF)
        return refuse(path, cut_off);
    if (hash(hash_start, bytes, got) != h->sum)
        return refuse(path, "the file of the state is damaged");
    return NT_EXIT_DONE;
}

/* A file's head and the bytes behind it, to be freed, compared and checked. */
static int read_file(const nt_cli_plan *plan, const char *path, head *theirs, char **bytes)
{
    head ours = head_of(plan);
    FILE *file = fopen(path, "rb");
    if (!file)
        return io_failure(path, "opened");
    int status;
    memset(theirs, 0, sizeof *theirs);
    size_t got = fread(theirs, 1, sizeof *theirs, file);
    if (ferror(file)) {
        status = io_failure(path, "read");
        goto done;
    }
    if (got < sizeof *theirs && memcmp(theirs->magic, magic, sizeof magic) == 0) {
        status = refuse(path, cut_off);
        goto done;
    }
    theirs->version[sizeof theirs->version - 1] = theirs->method[sizeof theirs->method - 1] = '\0';
    status = compare(path, theirs, &ours);
    if (status == NT_EXIT_DONE && theirs->sens_size > MOST_BYTES)
        status = refuse(path, "the file of the state is damaged");
    if (status != NT_EXIT_DONE)
        goto done;
    *bytes = malloc((size_t)(theirs->size + theirs->sens_size));
    status = *bytes ? read_bytes(file, path, theirs, *bytes) : nt_cli_no_memory();
done:
    fclose(file);
    return status;
}

int nt_cli_state_restore(nt_cli_plan *plan, const char *path)
{
    char *bytes = NULL;
    nt_error error;
    head h;
    int status = read_file(plan, path, &h, &bytes);
    if (status == NT_EXIT_DONE &&
        nt_integrator_restore(plan->integrator, bytes, (size_t)h.size, &error) != NT_OK)
        status = nt_cli_fail(path, &error);
    free(bytes);
    return status;
}

int nt_cli_state_restore_sens(const nt_cli_plan *plan, const nt_cli_sens *sens, const char *path)
{
    char *bytes = NULL;
    nt_error error;
    head h;
    int status = read_file(plan, path, &h, &bytes);
    if (status == NT_EXIT_DONE && h.sens_size == 0)
        status = refuse(path, "the state holds no derivatives: it was saved by `nutate run`, "
                              "expected one that `nutate sens` has saved");
    else if (status == NT_EXIT_DONE && h.parameters != parameters_of(nt_run_system(plan->run)))
        status = refuse(path, "the state was saved with a model of other parameters, or the same "
                              "in another order");
    else if (status == NT_EXIT_DONE && nt_sensitivity_restore(sens->sensitivity, bytes + h.size,
                                                              (size_t)h.sens_size, &error) != NT_OK)
        status = nt_cli_fail(path, &error);
    free(bytes);
    return status;
}
