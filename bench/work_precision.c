/* Error against computing time: every method on five mechanisms, each through its model file, other
 * programs beside them where they are installed.
 *
 *   work_precision FOLDER [MECHANISM]    one table per mechanism on standard output, and
 *                                        FOLDER/MECHANISM.dat with the curves
 *
 * A curve is a ladder of steps, each half the one before, or of tolerances, each a sixth; it ends
 * where the error is near rounding or a run takes longer than a second. Errors are distances of a
 * recorded point at the end from where it is by rkmk-dop853 at a tolerance of 1e-13. Times are
 * processor time of the run alone, the least of several. The exit status is 1 when something failed
 * that has nothing to do with time. */
#include "measure.h"
#include "speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- mechanisms ----------------------------------------------------------------------------- */

/* The tops turn about a fixed point where a method knows no joints. */
static const char heavy_text[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {mass: 15, inertia: [0.234375, 0.46875, 0.234375], position: [0, 1, 0],\n"
    "        angular_velocity: [0, 150, -4.61538]}\n"
    "joints:\n"
    "  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
    "markers: {tip: {on: top, at: [0, 0, 0]}}\n"
    "simulation: {duration: 1, step: 1e-3}\n"
    "output: {record: [tip.position]}\n";
static const char heavy_fixed_text[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {mass: 15, inertia: [0.234375, 0.46875, 0.234375], center_of_mass: [0, 1, 0],\n"
    "        angular_velocity: [0, 150, -4.61538], fixed_point: [0, 0, 0]}\n"
    "markers: {tip: {on: top, at: [0, 1, 0]}}\n"
    "simulation: {duration: 1, step: 1e-3}\n"
    "output: {record: [tip.position]}\n";
static const char slow_text[] =
    "nutate: 1\n"
    "gravity: [0, 0, -1]\n"
    "bodies:\n"
    "  top: {mass: 100, inertia: [1, 1, 1], center_of_mass: [0, 0, 0.2],\n"
    "        orientation: {rotation_vector: [0.05, 0, 0]},\n"
    "        angular_velocity: [0, 0, 5], fixed_point: [0, 0, 0]}\n"
    "markers: {tip: {on: top, at: [0, 0, 1]}}\n"
    "simulation: {duration: 2, step: 0.1}\n"
    "output: {record: [tip.position]}\n";

typedef struct mechanism {
    const char *name, *title;
    const char *text, *fixed; /* of the model; fixed: for methods without joints, or NULL */
    const char *path;         /* or its file                                             */
    int chain;                /* or so many links                                        */
    const char *tip;          /* the recorded point                                      */
    double end, h;            /* s, the largest step                                     */
    int peer;                 /* what other programs call it, NO_PEER: they do not know it */
    double known[3];          /* where the point is by other computations, else zero      */
} mechanism;

enum { NO_PEER = -100 };

static const mechanism mechanisms[] = {
    {.name = "heavy_top",
     .title = "Heavy top to t = 1 s",
     .text = heavy_text,
     .fixed = heavy_fixed_text,
     .tip = "tip.position",
     .end = 1,
     .h = 4e-3,
     .peer = 0,
     .known = {.17334396409838, .64008859207057, -.74849079113358}},
    {.name = "slow_top",
     .title = "Slow top to t = 2 s",
     .text = slow_text,
     .tip = "tip.position",
     .end = 2,
     .h = 0.1,
     .peer = -1,
     .known = {.6684383812108, -.6473115901852, .3663029289211}},
    {.name = "chain",
     .title = "Chain of 8 links to t = 1 s",
     .chain = 8,
     .tip = "tip.position",
     .end = 1,
     .h = 1e-2,
     .peer = 8,
     .known = {-1.763415610870, -.928910798950, -9.646982648e-5}},
    {.name = "flyball_governor",
     .title = "Flyball governor to t = 1 s",
     .path = NUTATE_EXAMPLES "/flyball_governor/flyball_governor.yaml",
     .tip = "ball1.position",
     .end = 1,
     .h = 1e-2,
     .peer = NO_PEER},
    {.name = "rolling_disk",
     .title = "Rolling disk to t = 1 s",
     .path = NUTATE_EXAMPLES "/rolling_disk/rolling_disk.yaml",
     .tip = "disk.position",
     .end = 1,
     .h = 2e-2,
     .peer = NO_PEER,
     .known = {2.777198908942, 3.235529398577, .692281875202}},
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

/* ---- contestants ---------------------------------------------------------------------------- */

/* A method with an option, at equal steps or at a tolerance; or another program. */
typedef struct entrant {
    const char *name, *method;
    nt_option option;
    nt_frame frame;
    bool controlled; /* the step is then the first one */
    const char *program;
} entrant;

static const entrant entrants[] = {
    {.name = "generalized-alpha", .method = "generalized-alpha"},
    {.name = "generalized-alpha, body frame", .method = "generalized-alpha", .frame = NT_BODY},
    {.name = "generalized-alpha-linear", .method = "generalized-alpha-linear"},
    {.name = "generalized-alpha-residual", .method = "generalized-alpha-residual"},
    {.name = "generalized-alpha-soi2", .method = "generalized-alpha-soi2"},
    {.name = "generalized-alpha-soi2, tolerance",
     .method = "generalized-alpha-soi2",
     .controlled = true},
    {.name = "semi-explicit", .method = "semi-explicit"},
    {.name = "theta", .method = "theta"},
    {.name = "rkmk-dopri5, tolerance", .method = "rkmk-dopri5", .controlled = true},
    {.name = "rkmk-dop853, tolerance", .method = "rkmk-dop853", .controlled = true},
    {.name = "bdf, tolerance", .method = "bdf", .controlled = true},
    {.name = "lie-newmark", .method = "lie-newmark"},
    {.name = "lie-newmark-4", .method = "lie-newmark-4"},
    {.name = "lie-newmark-6", .method = "lie-newmark-6"},
    {.name = "lie-euler", .method = "lie-euler"},
    {.name = "lie-euler-adjoint", .method = "lie-euler-adjoint"},
    {.name = "lie-midpoint", .method = "lie-midpoint"},
    {.name = "simo-wong", .method = "simo-wong"},
    {.name = "simo-wong-explicit", .method = "simo-wong-explicit"},
    {.name = "akw", .method = "akw"},
    {.name = "stormer-verlet", .method = "stormer-verlet"},
    {.name = "symplectic-euler", .method = "symplectic-euler"},
#ifdef NUTATE_PEER_MUJOCO
    {.name = "MuJoCo, RK4", .program = NUTATE_PEER_MUJOCO},
#endif
#ifdef NUTATE_PEER_SIMBODY
    {.name = "Simbody, RungeKuttaMerson", .program = NUTATE_PEER_SIMBODY},
#endif
};
enum { ENTRANTS = sizeof entrants / sizeof *entrants };

typedef struct point {
    double seconds, error;
    double tip[3];
    long steps, evaluations;
} point;

/* ---- runs ----------------------------------------------------------------------------------- */

/* A model and a run of it. */
typedef struct opened {
    nt_model *model;
    nt_run *run;
} opened;

static opened open_model(const mechanism *m, bool fixed)
{
    opened o = {NULL, NULL};
    nt_error error = {0};
    nt_status status = NT_NO_MEMORY;
    if (m->path)
        status = nt_model_read(&o.model, m->path, NULL, 0, &error);
    else {
        size_t length = 0;
        char *chain = m->chain > 0 ? chain_text(m->chain, 0, &length) : NULL;
        const char *text = chain ? chain : fixed ? m->fixed : m->text;
        status = nt_model_read_text(&o.model, text, strlen(text), m->name, NULL, NULL, 0, &error);
        free(chain);
    }
    if (status == NT_OK)
        status = nt_run_create(&o.run, o.model, &error);
    require(status == NT_OK, "%s: %s", m->name, error.message);
    return o;
}

static void close_model(opened o)
{
    nt_run_destroy(o.run);
    nt_model_destroy(o.model);
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* One run with a step or a tolerance: false where the motion cannot be computed with it. */
static bool run_once(nt_run *run, const mechanism *m, const entrant *e, double h, double tolerance,
                     point *out)
{
    nt_error error = {0};
    nt_integrator *it = NULL;
    nt_quantity_info tip;
    nt_integrator_setup setup = {.system = nt_run_system(run),
                                 .method = nt_method_find(e->method),
                                 .options = &e->option,
                                 .n_options = e->option.name ? 1 : 0,
                                 .frame = e->frame,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    bool ok =
        require(nt_integrator_create(&it, &setup, &error) == NT_OK, "%s", error.message) &&
        require(nt_integrator_start(it, 0, NULL, NULL, NULL, &error) == NT_OK, "%s", error.message);
    double begun = processor_seconds();
    bool done = ok && nt_integrator_run(it, m->end, h, NULL, NULL, &error) == NT_OK;
    out->seconds = processor_seconds() - begun;
    if (done) {
        nt_state state = nt_integrator_state(it);
        done = nt_model_quantity(nt_run_model(run), m->tip, &tip, &error) == NT_OK &&
               nt_run_sample(run, &tip, &state, NULL, out->tip, &error) == NT_OK;
        out->steps = nt_integrator_statistics(it)->steps;
        out->evaluations = nt_integrator_statistics(it)->evaluations;
    }
    nt_integrator_destroy(it);
    return done;
}

/* `peer N STEPS H` prints: seconds of processor time, x, y, z. */
static bool run_program(const mechanism *m, const entrant *e, double h, point *out)
{
    char command[4096];
    out->steps = lround(m->end / h);
    snprintf(command, sizeof command, "%s %d %ld %.17g", e->program, m->peer, out->steps, h);
    FILE *pipe = popen(command, "r");
    if (!require(pipe != NULL, "cannot start %s", e->program))
        return false;
    int read =
        fscanf(pipe, "%lf %lf %lf %lf", &out->seconds, &out->tip[0], &out->tip[1], &out->tip[2]);
    return require(pclose(pipe) == 0 && read == 4, "%s failed on %s", e->program, m->name);
}

/* ---- curves --------------------------------------------------------------------------------- */

enum { LEVELS = 16 };
static const double LONGEST = 1;           /* s */
static const double NEAR_ROUNDING = 2e-11; /* m: the reference is good to 1e-12 */
static const double NONSENSE = 0.3;        /* m: as large as the mechanism */

/* The ladder's rung: the least time of runs that together last a tenth of a second, at most 7. */
static bool measure(nt_run *run, const mechanism *m, const entrant *e, int level, point *out)
{
    double h = ldexp(m->h, -level), tolerance = 0, spent = 0;
    if (e->controlled) {
        h = m->h / 8;
        tolerance = pow(10, -2 - 0.8 * level);
    }
    for (int turn = 0; turn < 7 && spent < 0.1; turn++) {
        point p = {0};
        bool ok = e->program ? run_program(m, e, h, &p) : run_once(run, m, e, h, tolerance, &p);
        if (!ok)
            return false;
        if (turn == 0 || p.seconds < out->seconds)
            *out = p;
        spent += p.seconds;
    }
    return true;
}

static int climb(nt_run *run, const mechanism *m, const entrant *e, const double *exact,
                 point *curve)
{
    int n = 0;
    for (int level = 0; level < LEVELS; level++) {
        point p = {0};
        if (!measure(run, m, e, level, &p))
            continue;
        p.error = distance(p.tip, exact);
        if (p.error < NONSENSE)
            curve[n++] = p;
        if (p.error < NEAR_ROUNDING || p.seconds > LONGEST / 3)
            break;
    }
    return n;
}

/* The time to an error: where the curve, straight between its points on logarithmic scales, gets
 * there first; 0 where it does not. */
static double time_to(const point *curve, int n, double error)
{
    for (int i = 0; i < n; i++) {
        if (!(curve[i].error <= error))
            continue;
        if (i == 0 || curve[i - 1].error <= curve[i].error)
            return curve[i].seconds;
        double s = log(curve[i - 1].error / error) / log(curve[i - 1].error / curve[i].error);
        return curve[i - 1].seconds * pow(curve[i].seconds / curve[i - 1].seconds, s);
    }
    return 0;
}

static const double marks[] = {1e-2, 1e-4, 1e-6, 1e-8};
enum { MARKS = sizeof marks / sizeof *marks };

static void put(FILE *file, const entrant *e, const point *curve, int n)
{
    printf("    %-36s", e->name);
    for (int k = 0; k < MARKS; k++) {
        double seconds = time_to(curve, n, marks[k]);
        if (seconds > 0)
            printf(" %10.3f", 1e3 * seconds);
        else
            printf(" %10s", "-");
    }
    putchar('\n');
    fflush(stdout);
    fprintf(file, "# curve: %s\n", e->name);
    for (int i = 0; i < n; i++)
        fprintf(file, "%.3e %.3e %ld %ld\n", curve[i].seconds, curve[i].error, curve[i].steps,
                curve[i].evaluations);
    fprintf(file, "\n\n");
}

/* Where the point is at the end: order 8, and order 5 in agreement. */
static bool find_exact(nt_run *run, const mechanism *m, double *exact)
{
    static const entrant best = {.method = "rkmk-dop853"}, second = {.method = "rkmk-dopri5"};
    point a = {0}, b = {0};
    bool ok = require(run_once(run, m, &best, m->h / 8, 1e-13, &a) &&
                          run_once(run, m, &second, m->h / 8, 1e-12, &b),
                      "%s: no reference", m->name);
    memcpy(exact, a.tip, sizeof a.tip);
    ok = ok && require(distance(a.tip, b.tip) < 1e-9, "%s: references differ by %.3g m", m->name,
                       distance(a.tip, b.tip));
    if (m->known[0] != 0)
        ok = ok && require(distance(a.tip, m->known) < 1e-10, "%s: off by %.3g m", m->name,
                           distance(a.tip, m->known));
    return ok;
}

static void hold(const mechanism *m, const char *folder)
{
    char path[4096];
    double exact[3];
    point curve[LEVELS];
    snprintf(path, sizeof path, "%s/%s.dat", folder, m->name);
    opened plain = open_model(m, false), held = {NULL, NULL};
    if (m->fixed)
        held = open_model(m, true);
    nt_run *run = plain.run, *fixed = held.run;
    FILE *file = fopen(path, "w");
    if (run && require(file != NULL, "cannot write %s", path) && find_exact(run, m, exact)) {
        fprintf(file, "# %s: seconds, error in m, steps, evaluations\n", m->title);
        printf("\n%s\n    %-36s", m->title, "ms to an error of, m");
        for (int k = 0; k < MARKS; k++)
            printf(" %10.0e", marks[k]);
        putchar('\n');
        for (const entrant *e = entrants; e < entrants + ENTRANTS; e++) {
            nt_run *use = run;
            if (e->method && nt_method_check_system(nt_method_find(e->method), nt_run_system(run),
                                                    NULL) != NT_OK)
                use = fixed && nt_method_check_system(nt_method_find(e->method),
                                                      nt_run_system(fixed), NULL) == NT_OK
                          ? fixed
                          : NULL;
            if (use && !(e->program && m->peer == NO_PEER))
                put(file, e, curve, climb(use, m, e, exact, curve));
        }
    }
    if (file)
        require(fclose(file) == 0, "cannot write %s", path);
    close_model(plain);
    close_model(held);
}

/* Every method of the registry takes part. */
static void look_for_all(void)
{
    for (int i = 0; i < nt_method_count(); i++) {
        const char *name = nt_method_name(nt_method_at(i));
        bool found = false;
        for (int k = 0; k < ENTRANTS; k++)
            found |= entrants[k].method && strcmp(entrants[k].method, name) == 0;
        require(found, "method %s takes no part", name);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fputs("usage: work_precision FOLDER [MECHANISM]\n", stderr);
        return 2;
    }
    look_for_all();
    for (int i = 0; i < MECHANISMS; i++)
        if (argc == 2 || strcmp(argv[2], mechanisms[i].name) == 0)
            hold(&mechanisms[i], argv[1]);
    if (failures() > 0)
        fprintf(stderr, "%d failures\n", failures());
    return failures() > 0;
}
