/* compare FOLDER: integrates the model of an example and compares with its expected.txt.
 *
 * The file has one or more runs, each up to a line `end`; # begins a comment.
 *
 *   set KEY=VALUE...                 settings of the model
 *   steps H1 H2 ...                  step sizes, s; each gives one integration
 *   order P W                        the order of convergence lies in P - W .. P + W
 *   drift D                          no constraint is ever off by more than D at a step's end
 *   TIME QUANTITY VALUE... ~ C       |error| <= C h^P at every step size, and the order between the
 *                                    last two is as said
 *   TIME QUANTITY VALUE... = D       |error| <= D at every step size
 *
 * |error| is the Euclidean norm over the components; quaternions are compared up to sign. The
 * quantity `balance` is total energy minus work since the start, relative to its first value. What
 * was measured is printed, so that a failure shows all of it. */
#include "tests/read_run.h"

#include <math.h>
#include <nutate/nutate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 32, STEPS = 4, SETTINGS = 8, COLUMNS = 16, NAME = 80 };

typedef struct row {
    double t, value[COLUMNS], bound, error[STEPS];
    int count;
    bool converges; /* ~ */
    char name[NAME];
} row;

typedef struct run {
    row rows[ROWS];
    double step[STEPS], order, width, drift, worst_drift;
    char key[SETTINGS][NAME], text[SETTINGS][NAME];
    int n_rows, n_steps, n_settings;
} run;

static void give_up(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s\n", what, detail);
    exit(EXIT_FAILURE);
}

static void check(nt_status status, const nt_error *error)
{
    if (status != NT_OK)
        give_up(nt_status_text(status), error->message);
}

/* ---- the file ------------------------------------------------------------------------------- */

static double number(const char *word)
{
    char *end;
    double value = word ? strtod(word, &end) : 0;
    if (!word || end == word || *end)
        give_up("expected a number", word ? word : "end of line");
    return value;
}

static char *next(void) { return strtok(NULL, " \n"); }

static void take(char *to, const char *from)
{
    if (!from || strlen(from) >= NAME)
        give_up("expected a name", from ? from : "end of line");
    strcpy(to, from);
}

static void read_row(run *r, const char *first)
{
    char *word;
    if (r->n_rows == ROWS)
        give_up("too many rows from", first);
    row *w = &r->rows[r->n_rows++];
    w->t = number(first);
    take(w->name, next());
    for (word = next(); word && strcmp(word, "~") != 0 && strcmp(word, "=") != 0; word = next()) {
        if (w->count == COLUMNS)
            give_up("too many values of", w->name);
        w->value[w->count++] = number(word);
    }
    w->converges = word && *word == '~';
    w->bound = number(next());
}

static void read_settings(run *r)
{
    for (char *word = next(); word; word = next()) {
        char *equals = strchr(word, '=');
        if (!equals || r->n_settings == SETTINGS)
            give_up("expected KEY=VALUE", word);
        *equals = '\0';
        take(r->key[r->n_settings], word);
        take(r->text[r->n_settings++], equals + 1);
    }
}

/* The next run of the file; false at its end. */
static bool read_expected(FILE *file, run *r)
{
    char line[1024];
    *r = (run){0};
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "#")] = '\0';
        char *word = strtok(line, " \n");
        if (!word)
            continue;
        if (strcmp(word, "end") == 0)
            return true;
        if (strcmp(word, "set") == 0) {
            read_settings(r);
        } else if (strcmp(word, "steps") == 0) {
            for (word = next(); word && r->n_steps < STEPS; word = next())
                r->step[r->n_steps++] = number(word);
        } else if (strcmp(word, "order") == 0) {
            r->order = number(next());
            r->width = number(next());
        } else if (strcmp(word, "drift") == 0) {
            r->drift = number(next());
        } else {
            read_row(r, word);
        }
    }
    if (r->n_rows > 0)
        give_up("expected.txt", "its last run has no `end`");
    return false;
}

/* ---- one integration ------------------------------------------------------------------------ */

typedef struct motion {
    nt_run *run;
    nt_integrator *it;
    double *reactions, balance;
} motion;

static double *zeros(size_t n)
{
    double *p = calloc(n + 1, sizeof *p);
    if (!p)
        give_up("out of memory", "");
    return p;
}

static int sample(motion *m, const char *name, double *out)
{
    nt_error error;
    nt_quantity_info info;
    nt_state state = nt_integrator_state(m->it);
    if (strcmp(name, "balance") == 0) {
        double energy[COLUMNS];
        int count = sample(m, "energy.total", energy);
        *out = energy[0] - state.work - m->balance;
        return count;
    }
    check(nt_model_quantity(nt_run_model(m->run), name, &info, &error), &error);
    const double *reactions = NULL;
    if (info.needs_drift) {
        double drift[2];
        check(nt_integrator_drift(m->it, &drift[0], &drift[1]), &error);
        out[0] = drift[strstr(name, "velocity") != NULL];
        return 1;
    }
    if (info.needs_reactions) {
        check(nt_integrator_reactions(m->it, &state, nt_run_length(m->run), m->reactions, &error),
              &error);
        reactions = m->reactions;
    }
    check(nt_run_sample(m->run, &info, &state, reactions, out, &error), &error);
    return info.columns;
}

static void start(motion *m, const char *path, const run *r)
{
    nt_error error;
    nt_setting settings[SETTINGS];
    for (int i = 0; i < r->n_settings; i++)
        settings[i] = (nt_setting){r->key[i], r->text[i]};
    check(read_run(&m->run, path, settings, r->n_settings, &error), &error);
    const nt_simulation *simulation = nt_model_simulation(nt_run_model(m->run));
    nt_integrator_setup setup = {.system = nt_run_system(m->run),
                                 .method = nt_method_find(simulation->method),
                                 .options = simulation->options,
                                 .n_options = simulation->n_options,
                                 .frame = simulation->frame,
                                 .track_work = true};
    const nt_system *system = setup.system;
    check(nt_integrator_create(&m->it, &setup, &error), &error);
    double *q = zeros((size_t)system->space.nq), *v = zeros((size_t)system->space.nv);
    double *memory = zeros((size_t)system->n_memory), energy[COLUMNS];
    m->reactions = zeros((size_t)(system->nh + system->nn));
    nt_run_initial(m->run, q, v, memory);
    check(nt_integrator_start(m->it, simulation->start, q, v, memory, &error), &error);
    free(q);
    free(v);
    free(memory);
    sample(m, "energy.total", energy);
    m->balance = energy[0];
}

static double distance(const row *w, const double *got)
{
    double sum = 0, product = 0;
    if (strstr(w->name, ".orientation"))
        for (int i = 0; i < w->count; i++)
            product += got[i] * w->value[i];
    for (int i = 0; i < w->count; i++) {
        double d = (product < 0 ? -got[i] : got[i]) - w->value[i];
        sum += d * d;
    }
    return sqrt(sum);
}

static void integrate(const char *path, run *r, int k)
{
    nt_error error;
    motion m;
    start(&m, path, r);
    for (int i = 0; i < r->n_rows; i++) {
        double got[COLUMNS], t = nt_integrator_state(m.it).t;
        row *w = &r->rows[i];
        if (w->t > t)
            check(nt_integrator_run(m.it, w->t, r->step[k], NULL, NULL, &error), &error);
        int columns = sample(&m, w->name, got);
        if (columns != w->count)
            give_up("wrong number of values for", w->name);
        w->error[k] = distance(w, got);
    }
    r->worst_drift = fmax(r->worst_drift, nt_integrator_statistics(m.it)->position_drift);
    nt_integrator_destroy(m.it);
    destroy_run(m.run);
    free(m.reactions);
}

/* ---- judgement ------------------------------------------------------------------------------ */

static int judge(const run *r)
{
    int wrong = 0;
    for (int i = 0; i < r->n_rows; i++) {
        const row *w = &r->rows[i];
        int last = r->n_steps - 1;
        bool good = true;
        printf("%-8g %-28s", w->t, w->name);
        for (int k = 0; k <= last; k++) {
            double bound = w->converges ? w->bound * pow(r->step[k], r->order) : w->bound;
            good = good && w->error[k] <= bound;
            printf("  %.3g (bound %.3g)", w->error[k], bound);
        }
        if (w->converges && last > 0) {
            double order =
                log(w->error[last - 1] / w->error[last]) / log(r->step[last - 1] / r->step[last]);
            good = good && fabs(order - r->order) <= r->width;
            printf("  order %.3f, error %.4g h^%g", order, w->error[0] / pow(r->step[0], r->order),
                   r->order);
        }
        printf("%s\n", good ? "" : "   WRONG");
        wrong += !good;
    }
    bool good = r->worst_drift <= r->drift;
    printf("largest constraint drift %.3g (bound %.3g)%s\n", r->worst_drift, r->drift,
           good ? "" : "   WRONG");
    return wrong + !good;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        give_up("usage", "compare FOLDER");
    char path[1024];
    const char *slash = strrchr(argv[1], '/'), *name = slash ? slash + 1 : argv[1];
    snprintf(path, sizeof path, "%s/expected.txt", argv[1]);
    FILE *file = fopen(path, "r");
    if (!file)
        give_up("cannot read", path);
    snprintf(path, sizeof path, "%s/%s.yaml", argv[1], name);
    static run r;
    int wrong = 0, runs = 0;
    for (; read_expected(file, &r); runs++) {
        for (int k = 0; k < r.n_steps; k++)
            integrate(path, &r, k);
        wrong += judge(&r);
    }
    fclose(file);
    if (runs == 0)
        give_up("nothing expected in", argv[1]);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
