/* Random mechanisms, written as model files and run by the command, against the equations of
 * reference.c, which share nothing with it, and against each other across methods and frames.
 *
 *   random_test_mechanisms [NUMBER [FIRST-SEED]]
 *
 * A mechanism that the command refuses, because its random joints contradict each other, is counted
 * and left out: no more than a third may be. */
#include "failures/command.h"
#include "random/mechanism.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16, COLUMNS = 14 * BODIES + 3 * JOINTS };

/* A run: what it is asked for, how far its end may be from the reference's, relative to 1 + the
 * largest value of the kind, and the same for forces. */
typedef struct run {
    const char *simulation;
    double state, force;
} run;

static const run runs[] = {
    {"method: rkmk-dop853, step: 1e-3, tolerance: 1e-12", 1e-9, 1e-8},
    {"method: rkmk-dop853, frame: body, step: 1e-3, tolerance: 1e-12", 1e-9, 1e-8},
    {"method: rkmk-dopri5, step: 1e-3, tolerance: 1e-10", 1e-7, 1e-7},
    {"method: bdf, step: 1e-4, options: {tolerance: 1e-10}", 1e-6, 1e-6},
    {"method: generalized-alpha-soi2, step: 2.5e-4", 1e-3, 1e-3},
    {"method: generalized-alpha-soi2, frame: body, step: 2.5e-4", 1e-3, 1e-3},
    {"method: generalized-alpha, step: 2.5e-4", 1e-3, 1e-3},
    {"method: generalized-alpha, frame: body, step: 2.5e-4", 1e-3, 1e-3},
};
enum { RUNS = sizeof runs / sizeof *runs };

/* The first and last row of the command's result. */
typedef struct result {
    double row[2][COLUMNS];
    int columns, status;
    char said[2000];
} result;

static void be_quiet(int *kept, const char *file)
{
    fflush(NULL);
    *kept = dup(2);
    int to = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(to, 2);
    close(to);
}

static void read_text(const char *name, char *text, size_t room)
{
    FILE *file = fopen(name, "r");
    size_t got = file ? fread(text, 1, room - 1, file) : 0;
    text[got] = '\0';
    if (file)
        fclose(file);
}

static void run_command(const mechanism *m, const char *simulation, result *r)
{
    static char text[ROOM];
    char *arguments[] = {"nutate", "run", "model.yaml", "-o", "result.csv", "--quiet", NULL};
    int kept;
    FILE *model = fopen("model.yaml", "w");
    if (!model)
        exit(99);
    mechanism_write(m, simulation, model);
    fclose(model);
    unlink("result.csv");
    be_quiet(&kept, "said");
    r->status = nutate_main(6, arguments);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    read_text("said", r->said, sizeof r->said);
    read_text("result.csv", text, sizeof text);
    char *at = strchr(text, '\n');
    for (int row = 0; row < 2 && at && at[1]; row++) {
        at++;
        strtod(at, &at); /* time */
        for (r->columns = 0; *at == ',' && r->columns < COLUMNS;)
            r->row[row][r->columns++] = strtod(at + 1, &at);
    }
}

/* The reference's state from a row, and where the forces begin in it. */
static int state_of(const mechanism *m, const double *row, double *y)
{
    int at = 0;
    memset(y, 0, sizeof(double) * STATE * BODIES);
    for (int b = 1; b < m->n_bodies; b++) {
        double *s = y + STATE * b;
        vec x = {row[at], row[at + 1], row[at + 2]}, v = {row[at + 3], row[at + 4], row[at + 5]};
        at += 6;
        s[3] = 1;
        if (!m->bodies[b].point) {
            memcpy(s + 3, row + at, 4 * sizeof *s);
            memcpy(s + 10, row + at + 4, 3 * sizeof *s);
            at += 7;
        }
        turn R = turn_of(s + 3);
        vec arm = turn_apply(&R, m->bodies[b].center);
        vec w = turn_apply(&R, vec_of(s[10], s[11], s[12]));
        x = vec_add(x, arm), v = vec_add(v, vec_cross(w, arm));
        s[0] = x.x, s[1] = x.y, s[2] = x.z;
        s[7] = v.x, s[8] = v.y, s[9] = v.z;
    }
    return at;
}

/* How far two states are apart, relative to 1 + the largest velocity. */
static double distance(const mechanism *m, const double *x, const double *y)
{
    double most = 0, size = 1;
    for (int b = 1; b < m->n_bodies; b++) {
        const double *p = x + STATE * b, *q = y + STATE * b;
        double sign = p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6] < 0 ? -1 : 1, n = 0;
        for (int i = 3; i < 7; i++)
            n += q[i] * q[i];
        for (int i = 0; i < STATE; i++) {
            double factor = i >= 3 && i < 7 ? sign / sqrt(n) : 1;
            double off = fabs(p[i] - factor * q[i]);
            most = off > most || isnan(off) ? off : most;
            size = fmax(size, fabs(q[i]));
        }
    }
    return most / (1 + size);
}

static double worst[RUNS][2];

static bool compare(const mechanism *m, int k, const result *r, const double *y, const vec *forces,
                    bool unique, uint64_t seed)
{
    double got[STATE * BODIES], off_force = 0, size = 1;
    int at = state_of(m, r->row[1], got);
    double off = distance(m, got, y);
    for (int i = 0; unique && i < m->n_joints; i++) {
        if (m->joints[i].type == GEAR)
            continue;
        vec f = {r->row[1][at], r->row[1][at + 1], r->row[1][at + 2]};
        at += 3;
        double apart = vec_size(vec_sub(f, forces[i]));
        off_force = apart > off_force || isnan(apart) ? apart : off_force;
        size = fmax(size, vec_size(forces[i]));
    }
    off_force /= 1 + size;
    worst[k][0] = fmax(worst[k][0], off), worst[k][1] = fmax(worst[k][1], off_force);
    if (off <= runs[k].state && off_force <= runs[k].force)
        return true;
    printf("seed %llu, %s: state off by %.3g, forces by %.3g\n", (unsigned long long)seed,
           runs[k].simulation, off, off_force);
    return false;
}

/* 1: right, 0: refused, -1: wrong. */
static int check_seed(uint64_t seed, bool keep)
{
    static mechanism m;
    static result r;
    double y[STATE * BODIES], positions, rates;
    vec forces[JOINTS];
    bool unique, right = true;
    mechanism_make(&m, seed);
    run_command(&m, runs[0].simulation, &r);
    if (r.status == 2)
        return 0;
    if (r.status != 0) {
        printf("seed %llu: status %d: %s", (unsigned long long)seed, r.status, r.said);
        return -1;
    }
    state_of(&m, r.row[0], y);
    reference_open(&m, y, &positions, &rates);
    if (positions > 1e-9 || rates > 1e-8) {
        printf("seed %llu: the start is open by %.3g, %.3g\n", (unsigned long long)seed, positions,
               rates);
        return -1;
    }
    if (!reference_integrate(&m, y, forces, &unique)) {
        printf("seed %llu: the reference fails\n", (unsigned long long)seed);
        return -1;
    }
    for (int k = 0; k < RUNS; k++) {
        if (k > 0)
            run_command(&m, runs[k].simulation, &r);
        if (r.status != 0) {
            printf("seed %llu, %s: status %d: %s", (unsigned long long)seed, runs[k].simulation,
                   r.status, r.said);
            right = false;
        } else
            right = compare(&m, k, &r, y, forces, unique, seed) && right;
    }
    if (keep)
        printf("seed %llu: %d bodies, %d joints, %d loads\n", (unsigned long long)seed,
               m.n_bodies - 1, m.n_joints, m.n_loads);
    return right ? 1 : -1;
}

int main(int count, char **arguments)
{
    long number = count > 1 ? atol(arguments[1]) : 50, first = count > 2 ? atol(arguments[2]) : 1;
    long right = 0, refused = 0, wrong = 0;
    for (long i = first; i < first + number; i++) {
        int verdict = check_seed((uint64_t)i, number == 1);
        *(verdict > 0 ? &right : verdict == 0 ? &refused : &wrong) += 1;
        fflush(stdout);
    }
    for (int k = 0; k < RUNS; k++)
        printf("%s: states within %.2g, forces within %.2g\n", runs[k].simulation, worst[k][0],
               worst[k][1]);
    printf("seeds %ld to %ld: %ld right, %ld refused, %ld wrong\n", first, first + number - 1,
           right, refused, wrong);
    return wrong > 0 || 3 * refused > number;
}
