/* The static state of a hanging chain, from the straight horizontal placement, where nothing is
 * stiff before the joints bear loads.
 *
 *   static           times for chains of 64 to 4096 links
 *   static --check   only that the chains hang as they should
 *
 * Processor time, medians: of making the search (its memory, orders of elimination) and of the
 * search itself; reading the model is not in it. The exit status is 1 when a chain hangs wrong. */
#include "measure.h"

#include <math.h>
#include <nutate/nutate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 7 };
static const double LINK = 0.25;

/* Links of 0.25 m along x, hinged about z. To be freed. */
static char *text_of(int n, size_t *length)
{
    size_t room = 300 * (size_t)n + 400, used = 0;
    char *text = malloc(room);
    if (!text)
        return NULL;
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    SAY("nutate: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int j = 0; j < n; j++)
        SAY("  b%d: {mass: 0.078125, inertia: [8e-6, 4.1e-4, 4.1e-4], position: [%.17g, 0, 0]}\n",
            j, LINK * (j + 0.5));
    SAY("joints:\n");
    for (int j = 0; j < n; j++) {
        char before[20] = "ground";
        if (j > 0)
            snprintf(before, sizeof before, "b%d", j - 1);
        SAY("  j%d: {type: revolute, between: [%s, b%d], at: [%.17g, 0, 0], axis: [0, 0, 1]}\n", j,
            before, j, LINK * j);
    }
    SAY("simulation: {duration: 1, step: 1e-3}\noutput: {record: [b0.position]}\n");
#undef SAY
    *length = used;
    return text;
}

typedef struct chain {
    nt_model *model;
    nt_run *run;
    double *q;
    int links;
} chain;

static bool open_chain(chain *c, int n)
{
    size_t length;
    nt_error error = {0};
    char *text = text_of(n, &length);
    *c = (chain){.links = n};
    bool good = text &&
                !nt_model_read_text(&c->model, text, length, "chain", NULL, NULL, 0, &error) &&
                !nt_run_create(&c->run, c->model, &error);
    free(text);
    const nt_system *system = good ? nt_run_system(c->run) : NULL;
    size_t numbers = system ? (size_t)(system->space.nq + system->space.nv + system->n_memory) : 0;
    c->q = good ? calloc(numbers + 1, sizeof *c->q) : NULL;
    if (c->q)
        nt_run_initial(c->run, c->q, c->q + system->space.nq,
                       c->q + system->space.nq + system->space.nv);
    return require(c->q != NULL, "chain of %d links: %s", n, error.message);
}

static void close_chain(chain *c)
{
    free(c->q);
    nt_run_destroy(c->run);
    nt_model_destroy(c->model);
}

/* One search; seconds[2] of making and finding. */
static bool hang(const chain *c, double seconds[2])
{
    const nt_system *system = nt_run_system(c->run);
    nt_static_setup setup = {.system = system};
    nt_static *state = NULL;
    nt_error error = {0};
    double begun = processor_seconds();
    nt_status status = nt_static_create(&state, &setup, &error);
    double made = processor_seconds();
    if (status == NT_OK)
        status = nt_static_start(state, 0, c->q, NULL, NULL, &error);
    if (status == NT_OK)
        status = nt_static_solve(state, &error);
    seconds[0] = made - begun;
    seconds[1] = processor_seconds() - made;
    bool good = require(status == NT_OK, "chain of %d links: %s", c->links, error.message);
    if (good) {
        double depth = -nt_static_state(state).q[7 * (c->links - 1) + 1];
        double expected = LINK * (c->links - 0.5);
        good = require(fabs(depth - expected) <= 1e-10 * expected,
                       "the last link of %d hangs at %.12g m, expected %.12g m", c->links, depth,
                       expected);
    }
    nt_static_destroy(state);
    return good;
}

int main(int argc, char **argv)
{
    bool brief = argc > 1 && strcmp(argv[1], "--check") == 0;
    if (!brief)
        printf("static state of a chain from the straight horizontal placement\n"
               "%8s %12s %12s %12s\n",
               "links", "make, ms", "find, ms", "both, ms");
    for (int n = 64; n <= (brief ? 256 : 4096); n *= 4) {
        chain c;
        double made[TURNS], found[TURNS], both[TURNS];
        bool good = open_chain(&c, n);
        for (int i = 0; i < (brief ? 1 : TURNS) && good; i++) {
            double seconds[2];
            good = hang(&c, seconds);
            made[i] = seconds[0];
            found[i] = seconds[1];
            both[i] = seconds[0] + seconds[1];
        }
        if (good && !brief)
            printf("%8d %12.2f %12.2f %12.2f\n", n, 1e3 * median(made, TURNS),
                   1e3 * median(found, TURNS), 1e3 * median(both, TURNS));
        close_chain(&c);
    }
    return failures() > 0;
}
