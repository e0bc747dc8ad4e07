/* Rotors of flexible blades: steps per second of the same scheme written out for them
 * (rotor_yardstick.c), of the library with a tangent made anew in every iteration, and with factors
 * that turn with the blades.
 *
 *   rotors EXAMPLES          three blades of 6 nodes (5 points) that turn at 1 rad/s, and the rotor
 *                            of the 15 MW turbine (25 elements of order 2 a blade) of the folder of
 *                            examples, at 0.79 rad/s: with lumped inertia, and with consistent
 *                            inertia, as the example has it, which is not written out
 *   rotors EXAMPLES --check  a few steps: only that all end at the same place
 *
 * Processor time of the steps; reading the model and the start are not in it. Ratios are of the
 * time to that of the program written out. "threads" is by the wall: how many times faster steps
 * with exact tangents are by two threads than by one; "at best" is that of the steps that other
 * work of the machine leaves alone, by the first tenths of their times; "two runs" is how many
 * times faster two runs at once, each by one thread, are than one after the other: what the
 * machine's two processors are worth at that time, for they may share more than memory. The exit
 * status is 1 where they end at places that differ. */
#include "measure.h"
#include "rotor_yardstick.h"

#include <math.h>
#include <nutate/nutate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 5, TURNS_BY_THREADS = 21 };

typedef struct rotor {
    const char *name, *path; /* NULL: the three blades */
    bool consistent;         /* inertia, which the scheme written out does not know */
    nt_model *model;
    rotor_turn turn;
    double rho;
    int steps;
    double most; /* m, that the ways may differ by at the end */
} rotor;

typedef struct way {
    const rotor *of;
    const char *reuse; /* NULL: written out */
    int threads;       /* 0: one            */
    rotor_yardstick *by_hand;
    nt_run *run;
    nt_integrator *it;
    double tip[3];
    double *took, last; /* [n_took] times of steps but the first, s, by the wall; NULL: not noted */
    int n_took;
    nt_error error;
} way;

static size_t three_blades(char *text, size_t room)
{
    size_t used = 0;
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    SAY("nutate: 1\ngravity: [0, 0, -9.81]\nbeams:\n");
    for (int k = 0; k < 3; k++) {
        double c = cos(2 * acos(-1) * k / 3), s = sin(2 * acos(-1) * k / 3);
        SAY("  blade%d:\n    points: [[%.17g, %.17g, 0], [%.17g, %.17g, 0]]\n", k + 1, 2 * c, 2 * s,
            12 * c, 12 * s);
        SAY("    normal: [%.17g, %.17g, 0]\n    velocity: [%.17g, %.17g, 0]\n", -s, c, -2 * s,
            2 * c);
        SAY("    angular_velocity: [0, 0, 1]\n    order: 5\n    inertia: lumped\n    sections:\n"
            "      - stiffness: [[1368.17e3, 0, 0, 0, 0, 0], [0, 88.56e3, 0, 0, 0, 0],\n"
            "          [0, 0, 38.78e3, 0, 0, 0], [0, 0, 0, 16.96e3, 17.61e3, -351],\n"
            "          [0, 0, 0, 17.61e3, 59.12e3, -370], [0, 0, 0, -351, -370, 141.47e3]]\n"
            "        mass: [8.538e-2, 8.538e-2, 8.538e-2, 1.4433e-2, 0.40972e-2, 1.0336e-2]\n");
    }
    SAY("joints:\n");
    for (int k = 1; k <= 3; k++)
        SAY("  hub%d: {type: revolute, between: [ground, blade%d.root], at: [0, 0, 0],\n"
            "         axis: [0, 0, 1], motion: t}\n",
            k, k);
    SAY("simulation: {duration: 100, step: 0.01}\n");
#undef SAY
    return used;
}

static bool open_rotor(rotor *r)
{
    static const nt_setting lumped[] = {{"speed", "0.79"},
                                        {"beams.blade1.inertia", "lumped"},
                                        {"beams.blade2.inertia", "lumped"},
                                        {"beams.blade3.inertia", "lumped"}};
    char text[8000];
    nt_error error = {0};
    nt_status status =
        r->path ? nt_model_read(&r->model, r->path, lumped, r->consistent ? 1 : 4, &error)
                : nt_model_read_text(&r->model, text, three_blades(text, sizeof text), "blades",
                                     NULL, NULL, 0, &error);
    return require(status == NT_OK, "%s: %s", r->name, error.message);
}

static bool prepare(void *context)
{
    way *w = context;
    nt_integrator_destroy(w->it);
    nt_run_destroy(w->run);
    w->it = NULL;
    if (nt_run_create(&w->run, w->of->model, &w->error))
        return false;
    if (!w->reuse) {
        rotor_yardstick_destroy(w->by_hand);
        w->by_hand = rotor_yardstick_create(w->run, &w->of->turn);
        if (w->by_hand)
            rotor_yardstick_start(w->by_hand);
        return w->by_hand;
    }
    if (w->threads > 0 && nt_run_set_threads(w->run, w->threads, &w->error))
        return false;
    char rho[30];
    snprintf(rho, sizeof rho, "%g", w->of->rho);
    const nt_option options[] = {{"rho_inf", rho}, {"reuse_tangent", w->reuse}};
    nt_integrator_setup setup = {.system = nt_run_system(w->run),
                                 .method = nt_method_find("generalized-alpha"),
                                 .options = options,
                                 .n_options = 2};
    return nt_integrator_create(&w->it, &setup, &w->error) == NT_OK &&
           nt_integrator_start(w->it, 0, NULL, NULL, NULL, &w->error) == NT_OK;
}

static int note_step(void *context, const nt_integrator *it)
{
    way *w = context;
    double now = wall_seconds();
    (void)it;
    if (w->last > 0)
        w->took[w->n_took++] = now - w->last;
    w->last = now;
    return 0;
}

static bool integrate(void *context)
{
    way *w = context;
    nt_quantity_info info;
    if (!w->reuse) {
        bool ok = rotor_yardstick_run(w->by_hand, w->of->rho, 0.01, w->of->steps);
        rotor_yardstick_tip(w->by_hand, w->tip);
        return ok;
    }
    w->last = 0;
    if (nt_integrator_run(w->it, 0.01 * w->of->steps, 0.01, w->took ? note_step : NULL, w,
                          &w->error))
        return false;
    nt_state now = nt_integrator_state(w->it);
    return nt_model_quantity(w->of->model, "blade1.tip.position", &info, &w->error) == NT_OK &&
           nt_run_sample(w->run, &info, &now, NULL, w->tip, &w->error) == NT_OK;
}

/* Two runs, each by one thread. */
static bool prepare_two(void *context)
{
    way *w = context;
    return prepare(&w[0]) && prepare(&w[1]);
}

static void *integrate_beside(void *context) { return integrate(context) ? context : NULL; }

static bool integrate_two(void *context)
{
    way *w = context;
    pthread_t beside;
    void *ended = NULL;
    if (pthread_create(&beside, NULL, integrate_beside, &w[1]) != 0)
        return false;
    bool ok = integrate(&w[0]);
    pthread_join(beside, &ended);
    return ok && ended;
}

enum { BY_HAND, EXACT, TURNING, BOTH_CORES, WAYS };

static double largest_difference(const way ways[WAYS], int first)
{
    double off = 0;
    for (int w = first + 1; w < WAYS; w++)
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(ways[w].tip[i] - ways[first].tip[i]));
    return off;
}

/* by_hand, exact, turning: seconds; by_hand 0: none */
static void print(const rotor *r, double by_hand, double exact, double turning,
                  const double threads[2], double two_runs, long factors, double off)
{
    printf("%-17s", r->name);
    if (by_hand > 0)
        printf(" %9.0f %9.0f %9.0f %11.2f %13.2f", r->steps / by_hand, r->steps / exact,
               r->steps / turning, exact / by_hand, turning / by_hand);
    else
        printf(" %9s %9.0f %9.0f %11s %13s", "-", r->steps / exact, r->steps / turning, "-", "-");
    printf(" %8.2f %8.2f %9.2f %8ld %15.1e\n", threads[0], threads[1], two_runs, factors, off);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double first_tenth(way *w)
{
    qsort(w->took, (size_t)w->n_took, sizeof *w->took, compare_doubles);
    return w->took[w->n_took / 10];
}

/* How many times faster the second is than the first: by the medians of turns, and of undisturbed
 * steps. */
static bool compare_threads(const contestant *one, const contestant *both, int turns,
                            double ratio[2])
{
    way *a = one->context, *b = both->context;
    size_t steps = (size_t)(turns + 1) * (size_t)a->of->steps; /* and one that warms up */
    a->took = malloc(steps * sizeof *a->took);
    b->took = malloc(steps * sizeof *b->took);
    contest of_turns = {.ok = false};
    if (a->took && b->took)
        of_turns = compare(one, both, turns, wall_seconds);
    if (of_turns.ok) {
        ratio[0] = of_turns.ratio;
        ratio[1] = first_tenth(a) / first_tenth(b);
    }
    free(a->took);
    free(b->took);
    a->took = b->took = NULL;
    return of_turns.ok;
}

static void measure(rotor *r, bool check)
{
    way ways[WAYS] = {{.of = r},
                      {.of = r, .reuse = "never"},
                      {.of = r, .reuse = "always"},
                      {.of = r, .reuse = "never", .threads = 2}};
    way two[2] = {{.of = r, .reuse = "never"}, {.of = r, .reuse = "never"}};
    const contestant both = {"two runs", prepare_two, integrate_two, two};
    static const char *const names[WAYS] = {"by hand", "exact", "turning", "two threads"};
    contestant c[WAYS];
    contest results[WAYS];
    int first = r->consistent ? EXACT : BY_HAND;
    bool ok = true;
    r->steps = check ? 50 : r->steps;
    if (!open_rotor(r))
        return;
    for (int i = 0; i < WAYS; i++)
        c[i] = (contestant){names[i], prepare, integrate, &ways[i]};
    for (int i = first + 1; i < BOTH_CORES; i++) {
        results[i] = compare(&c[i], &c[first], check ? 1 : TURNS, processor_seconds);
        ok = ok && require(results[i].ok, "%s, %s: %s", r->name, names[i], ways[i].error.message);
    }
    double threads[2] = {0, 0};
    ok = ok &&
         require(compare_threads(&c[EXACT], &c[BOTH_CORES], check ? 1 : TURNS_BY_THREADS, threads),
                 "%s, two threads: %s", r->name, ways[BOTH_CORES].error.message);
    contest at_once = compare(&c[EXACT], &both, check ? 1 : TURNS, wall_seconds);
    ok = ok && require(at_once.ok, "%s, two runs: %s%s", r->name, two[0].error.message,
                       two[1].error.message);
    double off = largest_difference(ways, first);
    ok = ok && require(off <= r->most, "%s: tips differ by %g m", r->name, off);
    if (ok && !check)
        print(r, first == BY_HAND ? results[EXACT].seconds[1] : 0,
              first == BY_HAND ? results[EXACT].seconds[0] : results[TURNING].seconds[1],
              results[TURNING].seconds[0], threads, 2 * at_once.ratio,
              nt_integrator_statistics(ways[TURNING].it)->factorisations, off);
    for (int i = 0; i < WAYS; i++) {
        nt_integrator_destroy(ways[i].it);
        rotor_yardstick_destroy(ways[i].by_hand);
        nt_run_destroy(ways[i].run);
    }
    for (int i = 0; i < 2; i++) {
        nt_integrator_destroy(two[i].it);
        nt_run_destroy(two[i].run);
    }
    nt_model_destroy(r->model);
}

int main(int argc, char **argv)
{
    char path[4000];
    bool check = argc > 2 && strcmp(argv[2], "--check") == 0;
    if (argc < 2) {
        fprintf(stderr, "usage: rotors EXAMPLES [--check]\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/rotor_15mw/rotor_15mw.yaml", argv[1]);
    if (!check)
        printf("Rotors, steps/s     by hand     exact   turning  exact/hand  turning/hand  threads "
               " at best  two runs  factors  tips differ, m\n");
    rotor small = {.name = "three blades",
                   .turn = {.axis = {0, 0, 1}, .speed = 1},
                   .rho = 0.9,
                   .steps = 1000,
                   .most = 1e-6};
    rotor large = {.name = "15 MW, lumped",
                   .path = path,
                   .turn = {.center = {-12.0313, 0, 150},
                            .axis = {0.9945218954, 0, -0.1045284633},
                            .speed = 0.79},
                   .rho = 0.7,
                   .steps = 200,
                   .most = 1e-6};
    rotor consistent = large;
    consistent.name = "15 MW, consistent";
    consistent.consistent = true;
    measure(&small, check);
    measure(&large, check);
    measure(&consistent, check);
    return failures() > 0;
}
