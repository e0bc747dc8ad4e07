/* The watch on energy on random mechanisms: trees and loops of bodies on joints, springs, dampers,
 * contacts and motors, by every method that takes them, at steps from fine to hopeless. A run that
 * converges has never been given up: its end is right, and nearer still with finer steps.
 *
 * Runs 150 motions; with NUTATE_SOAK=N as many as it takes until N have ended right. The first
 * model is that of NUTATE_SEED; each is told with its seed once its motions are done, so that one
 * who ends the program knows what was tried. With NUTATE_LIST set, motions that come near are
 * named too. */
#include "../model/mechanism.h"

#include "method/integrator.h"

#include <signal.h>
#include <time.h>

/* ---- random numbers ---------------------------------------------------------------------------
 */

static unsigned long long state;

static double uniform(double low, double high)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static int pick(int n) { return (int)uniform(0, n); }

/* ---- models ------------------------------------------------------------------------------------
 */

enum { BODIES = 7, ROOM = 16384 };

/* A body that nothing connects with the mechanism, of any mass, and what acts on it. */
typedef struct apart {
    char body[300], joint[300], contact[300];
} apart;

/* By random numbers of its own, so that the mechanism is the same with it and without. */
static apart write_apart(void)
{
    unsigned long long kept = state;
    state ^= 0x5DEECE66DULL;
    uniform(0, 1);
    apart a = {0};
    double mass = pow(10, uniform(-4, 4)), J = mass * uniform(0.001, 0.1);
    int kind = pick(4);
    if (kind < 3)
        sprintf(a.body,
                "  apart: {mass: %g, inertia: [%g, %g, %g], position: [9, 0, 0.5], "
                "angular_velocity: [%g, %g, %g], velocity: [%g, 0, 0]}\n",
                mass, J, J * 1.2, J * 1.5, uniform(-5, 5), uniform(-5, 5), uniform(-50, 50),
                kind == 2 ? uniform(-20, 20) : 0);
    if (kind == 0)
        sprintf(a.joint, "  hung: {type: spherical, between: [ground, apart], at: [9, %g, 1]}\n",
                uniform(-0.5, 0.5));
    if (kind == 1)
        sprintf(a.contact,
                "  below: {type: sphere_plane, between: [ground, apart], plane: {point: [0, 0, 0], "
                "normal: [0, 0, 1]}, radius: 0.1, stiffness: %g}\n",
                mass * pow(10, uniform(3, 7)));
    state = kept;
    return a;
}

/* A tree that grows from the ground, each body on an earlier one; then what else acts. */
static void write_model(char *text)
{
    apart beside = write_apart();
    double x[BODIES + 1][3] = {{0}};
    int parent[BODIES + 1] = {0}, n = 1 + pick(BODIES - 1);
    bool free_bodies = pick(6) == 0;
    char *at = text, name[BODIES + 1][16] = {"ground"};
    at += sprintf(at, "nutate: 1\ngravity: [0, 0, %g]\nbodies:\n", pick(5) ? -9.81 : 0);
    for (int b = 1; b <= n; b++) {
        double J[3] = {uniform(0.01, 0.1), uniform(0.01, 0.1), 0};
        J[2] = uniform(fabs(J[0] - J[1]) * 1.01, J[0] + J[1]);
        parent[b] = pick(2) ? b - 1 : pick(b);
        for (int i = 0; i < 3; i++)
            x[b][i] = x[parent[b]][i] + uniform(-0.6, 0.6);
        sprintf(name[b], "b%d", b);
        at += sprintf(
            at, "  b%d: {mass: %.6f, inertia: [%.6f, %.6f, %.6f], position: [%.6f, %.6f, %.6f]", b,
            uniform(0.3, 2), J[0], J[1], J[2], x[b][0], x[b][1], x[b][2]);
        if (b == 1 || free_bodies)
            at += sprintf(at, ", angular_velocity: [%.6f, %.6f, %.6f]", uniform(-5, 5),
                          uniform(-5, 5), uniform(-5, 5));
        at += sprintf(at, "}\n");
    }
    at += sprintf(at, "%s", beside.body);
    if (!free_bodies || beside.joint[0])
        at += sprintf(at, "joints:\n%s", beside.joint);
    if (!free_bodies) {
        for (int b = 1; b <= n; b++) {
            static const char *const types[] = {"spherical", "revolute", "universal"};
            int kind = b == 1 ? 0 : pick(3);
            double u = uniform(0, 1), *p = x[parent[b]];
            at += sprintf(at, "  j%d: {type: %s, between: [%s, b%d], at: [%.6f, %.6f, %.6f]", b,
                          types[kind], name[parent[b]], b, p[0] + u * (x[b][0] - p[0]),
                          p[1] + u * (x[b][1] - p[1]), p[2] + u * (x[b][2] - p[2]));
            if (kind == 1)
                at += sprintf(at, ", axis: [%.3f, %.3f, 1]%s", uniform(-1, 1), uniform(-1, 1),
                              pick(3) ? "" : ", friction: {viscous: 0.05}");
            if (kind == 2)
                at += sprintf(at, ", axes: [[1, 0, 0], [0, 1, 0]]");
            at += sprintf(at, "}\n");
        }
        if (n > 2 && pick(3) == 0) /* a loop */
            at += sprintf(
                at,
                "  loop: {type: distance, between: [b1, b%d], points: [[0, 0, 0], [0, 0, 0]]}\n",
                n);
    }
    at += sprintf(at, "forces:\n  drag: {type: torque, on: b1, value: ['%s', 0, 0]}\n",
                  pick(3) ? "0" : "0.5*sin(7*t)");
    if (n > 1 && pick(2))
        at +=
            sprintf(at,
                    "  coil: {type: spring, between: [ground, b%d], at: [[0, 0, 2], [0, 0, 0.05]], "
                    "length: 1, stiffness: %.3f, damping: %.3f}\n",
                    n, pow(10, uniform(0, 5)), pick(2) ? 0 : pow(10, uniform(-1, 2)));
    bool floor = pick(2);
    if (floor || beside.contact[0])
        at += sprintf(at, "contacts:\n%s", beside.contact);
    if (floor)
        at += sprintf(at,
                      "  floor: {type: sphere_plane, between: [ground, b%d], plane: "
                      "{point: [0, 0, %.3f], normal: [0, 0, 1]}, radius: 0.1, stiffness: %.3f%s}\n",
                      n, x[n][2] - uniform(0.15, 1), pow(10, uniform(3, 7)),
                      pick(2) ? "" : ", damping: 0.1");
    assert_true(at - text < ROOM);
}

/* ---- runs ---------------------------------------------------------------------------------------
 */

static const double END = 1; /* s */

/* A motion that takes more steps is left before its end and not judged: methods of first order
 * need millions for a stiff contact at a tight tolerance. */
enum { MOST_STEPS = 20000 };

static volatile sig_atomic_t asked; /* to end */

static void ask(int signal) { asked = signal; }

static int is_enough(void *unused, const nt_integrator *it)
{
    (void)unused;
    return asked || nt_integrator_statistics(it)->steps > MOST_STEPS;
}

typedef struct outcome {
    nt_status status; /* NT_INTERRUPTED: left */
    double q[7 * BODIES], v[6 * BODIES];
    double share; /* of the growth that ends a run */
} outcome;

static outcome run(const char *text, const nt_method *method, nt_frame frame, double tolerance,
                   double h)
{
    mechanism m = mechanism_read(text);
    const nt_system *system = nt_run_system(m.run);
    outcome o = {0};
    nt_error error = {0};
    nt_integrator_setup setup = {.system = system,
                                 .method = method,
                                 .frame = frame,
                                 .energy_check = NT_ENERGY_WARNS,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (!nt_method_has_frame(setup.method, setup.frame))
        setup.frame = setup.frame == NT_BODY ? NT_INERTIAL : NT_BODY;
    o.status = nt_integrator_create(&m.integrator, &setup, &error);
    if (o.status == NT_OK)
        o.status = nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error);
    if (o.status == NT_OK)
        o.status = nt_integrator_run(m.integrator, END, h, is_enough, NULL, &error);
    if (o.status == NT_OK)
        o.status = nt_integrator_check_energy(m.integrator, &error);
    if (o.status == NT_OK) {
        const nt_energy_watch *w = &m.integrator->watch;
        o.share = w->allowed > 0 ? w->growth / w->allowed : 0;
        memcpy(o.q, nt_integrator_state(m.integrator).q, (size_t)system->space.nq * sizeof(double));
        memcpy(o.v, nt_integrator_state(m.integrator).v, (size_t)system->space.nv * sizeof(double));
    }
    mechanism_close(&m);
    return o;
}

/* Of two places of all bodies, m and rad: the largest of a body. */
static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int body = 0; body < BODIES; body++, a += 7, b += 7) {
        double turned = 0;
        for (int i = 3; i < 7; i++)
            turned += a[i] * b[i];
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(a[i] - b[i]));
        if (a[3] != 0 || a[4] != 0 || a[5] != 0 || a[6] != 0)
            most = fmax(most, 2 * acos(fmin(1, fabs(turned))));
    }
    return most;
}

/* Of two velocities of all bodies, m/s. */
static double difference(const double *a, const double *b)
{
    double most = 0;
    for (int body = 0; body < BODIES; body++, a += 6, b += 6)
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Not every loop of random lengths can move as it is told. */
static bool is_a_model(const char *text)
{
    nt_model *model = NULL;
    nt_error error;
    nt_status status =
        nt_model_read_text(&model, text, strlen(text), "random", NULL, NULL, 0, &error);
    nt_model_destroy(model);
    return status == NT_OK;
}

static bool takes(const char *text, const nt_method *method)
{
    mechanism m = mechanism_read(text);
    nt_error error;
    bool takes = nt_method_check_system(method, nt_run_system(m.run), &error) == NT_OK;
    mechanism_close(&m);
    return takes;
}

/* Right to this part of the model's size, 1 m, and of its speeds, some m/s: a motion of a second
 * that ends so has converged. Places alone do not tell of a bounce just before the end. */
static const double RIGHT = 0.02, RIGHT_SPEED = 0.2;

/* How far off a run ended, in parts of what is right. */
static double error_of(const outcome *o, const outcome *exact)
{
    return fmax(distance(o->q, exact->q) / RIGHT, difference(o->v, exact->v) / RIGHT_SPEED);
}

/* What motions came to: those of one model, or of all. */
typedef struct tally {
    long runs, right, by_chance, wrongly_given_up, given_up, failed, left;
    double nearest; /* largest share of one that ended right, and not by chance */
} tally;

static void judge_motion(unsigned long long seed, const char *text, const nt_method *method,
                         const outcome *exact, tally *all)
{
    bool controls = nt_method_controls_error(method) && pick(2);
    double tolerance = controls ? pow(10, uniform(-7, -2)) : 0;
    double h = pow(10, uniform(-3.5, -1));
    if (!takes(text, method))
        return;
    nt_frame frame = pick(2) ? NT_BODY : NT_INERTIAL;
    outcome o = run(text, method, frame, tolerance, h);
    double off = error_of(&o, exact);
    all->runs++;
    all->left += o.status == NT_INTERRUPTED;
    all->failed += o.status != NT_OK && o.status != NT_INTERRUPTED;
    all->given_up += o.status == NT_OK && o.share > 1;
    if (o.status != NT_OK || !(off < 1))
        return;
    all->right++;
    if (getenv("NUTATE_LIST") && o.share > 0.02)
        print_message("%llu %s h %.2g tolerance %.2g off %.2g share %.3g\n", seed,
                      nt_method_name(method), h, tolerance, off, o.share);
    if (!(o.share > fmin(all->nearest, 1)))
        return;
    outcome finer = run(text, method, frame, tolerance / 10, controls ? h : h / 2);
    if (finer.status == NT_OK && !(error_of(&finer, exact) < off)) {
        all->by_chance++;
        return;
    }
    all->nearest = fmax(all->nearest, o.share);
    if (!(o.share > 1))
        return;
    all->wrongly_given_up++;
    print_error("seed %llu, %s, h = %.3g, tolerance %.3g: right to %.2g of what is right and given "
                "up, growth %.3g times what is allowed\n%s",
                seed, nt_method_name(method), h, tolerance, off, o.share, text);
}

/* False where the model has no reference. */
static bool judge_model(unsigned long long seed, tally *all)
{
    static char text[ROOM];
    state = seed * 0x9E3779B97F4A7C15ULL;
    write_model(text);
    if (!is_a_model(text))
        return false;
    nt_frame frame = pick(2) ? NT_BODY : NT_INERTIAL;
    outcome exact = run(text, nt_method_find("rkmk-dop853"), frame, 1e-8, 1e-3);
    for (int i = 0; exact.status == NT_OK && !asked && i < nt_method_count(); i++)
        judge_motion(seed, text, nt_method_at(i), &exact, all);
    return exact.status == NT_OK;
}

static void test_no_run_that_converges_is_given_up(void **unused)
{
    (void)unused;
    const char *soak = getenv("NUTATE_SOAK"), *first = getenv("NUTATE_SEED");
    long wanted = soak ? atol(soak) : 150, most = soak ? 4 * wanted : wanted;
    unsigned long long seed = first ? strtoull(first, NULL, 10) : 1;
    tally all = {0};
    signal(SIGTERM, ask);
    signal(SIGINT, ask);
    for (; !asked && all.runs < most && (!soak || all.right < wanted); seed++) {
        tally before = all;
        clock_t begun = clock();
        if (judge_model(seed, &all))
            print_message("seed %llu: %ld motions, %ld right, %.2f s; %ld right so far\n", seed,
                          all.runs - before.runs, all.right - before.right,
                          (double)(clock() - begun) / CLOCKS_PER_SEC, all.right);
        else
            print_message("seed %llu: no model\n", seed);
        fflush(NULL);
    }
    print_message("%ld motions: %ld right, %ld of the nearest by chance, the others' largest share "
                  "%.3g; %ld of these given up; %ld given up, %ld failed, %ld left after %d steps; "
                  "next seed %llu\n",
                  all.runs, all.right, all.by_chance, all.nearest, all.wrongly_given_up,
                  all.given_up, all.failed, all.left, MOST_STEPS, seed);
    if (asked)
        fail_msg("ended by signal %d", asked);
    assert_int_equal(all.wrongly_given_up, 0);
    assert_true(all.right > wanted / 4 && all.given_up > wanted / 100);
    assert_true(!soak || all.right >= wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_run_that_converges_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
