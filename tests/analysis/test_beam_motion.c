/* Beams in motion against values of other programs and of independent ones: a step load, a spin-up,
 * and rotors that are set off. */
#include "analysis/bench.h"
#include "method/integrator.h"

typedef struct motion {
    nt_model *model;
    nt_run *run;
    nt_integrator *it;
    nt_error error;
} motion;

/* Wang et al. 2017: a composite section that bends and twists at once. */
#define SECTION                                                                                    \
    "    sections:\n"                                                                              \
    "      - stiffness: [[1368.17e3, 0, 0, 0, 0, 0], [0, 88.56e3, 0, 0, 0, 0],\n"                  \
    "          [0, 0, 38.78e3, 0, 0, 0], [0, 0, 0, 16.96e3, 17.61e3, -351],\n"                     \
    "          [0, 0, 0, 17.61e3, 59.12e3, -370], [0, 0, 0, -351, -370, 141.47e3]]\n"              \
    "        mass: [8.538e-2, 8.538e-2, 8.538e-2, 1.4433e-2, 0.40972e-2, 1.0336e-2]\n"

static void begin_in(motion *m, const char *text, nt_frame frame, const nt_option *options, int n)
{
    *m = (motion){0};
    if (nt_model_read_text(&m->model, text, strlen(text), "beam", NULL, NULL, 0, &m->error) ||
        nt_run_create(&m->run, m->model, &m->error))
        fail_msg("%s", m->error.message);
    nt_integrator_setup setup = {.system = nt_run_system(m->run),
                                 .method = nt_method_find("generalized-alpha"),
                                 .frame = frame,
                                 .options = options,
                                 .n_options = n};
    if (nt_integrator_create(&m->it, &setup, &m->error) ||
        nt_integrator_start(m->it, 0, NULL, NULL, NULL, &m->error))
        fail_msg("%s", m->error.message);
}

static void begin_with(motion *m, const char *text, const nt_option *options, int n)
{
    begin_in(m, text, NT_INERTIAL, options, n);
}

static void begin(motion *m, const char *text, const char *rho)
{
    const nt_option options[] = {{"rho_inf", rho}};
    begin_with(m, text, options, 1);
}

static void go(motion *m, double until, double step)
{
    if (nt_integrator_run(m->it, until, step, NULL, NULL, &m->error))
        fail_msg("%s", m->error.message);
}

static void sample(motion *m, const char *name, double *out)
{
    nt_quantity_info info;
    nt_state now = nt_integrator_state(m->it);
    if (nt_model_quantity(m->model, name, &info, &m->error) ||
        nt_run_sample(m->run, &info, &now, NULL, out, &m->error))
        fail_msg("%s", m->error.message);
}

static void finish(motion *m)
{
    nt_integrator_destroy(m->it);
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
}

/* Five nodes, five points for everything, as BeamDyn has them; h = 5 ms, all dissipation. */
static void test_step_load(void **state)
{
    static const char text[] = "nutate: 1\n"
                               "gravity: [0, 0, 0]\n"
                               "beams:\n"
                               "  beam:\n"
                               "    points: [[0, 0, 0], [10, 0, 0]]\n"
                               "    order: 4\n"
                               "    quadrature_points: 5\n" SECTION
                               "joints: {clamp: {type: fixed, between: [ground, beam.root]}}\n"
                               "forces: {tip: {type: force, on: beam.tip, value: [0, 0, 150]}}\n"
                               "simulation: {duration: 1, step: 5e-3}\n";
    static const double times[] = {.05, .1, .15, .2, .25, .5, 1};
    static const double lift[] = {.76836427, 2.0534648, 2.20538219, 1.10670949,
                                  .15766228, .27906297, .54206858};
    static const double beamdyn[] = {.76836577, 2.05348501, 2.20529689, 1.10647129,
                                     .15758876, .27880849,  .54135602};
    motion m;
    (void)state;
    begin(&m, text, "0");
    for (int i = 0; i < 7; i++) {
        double x[3];
        go(&m, times[i], 5e-3);
        sample(&m, "beam.tip.position", x);
        print_message("t = %.2f: %.8f, off by %.1e, BeamDyn by %.1e\n", times[i], x[2],
                      x[2] - lift[i], x[2] - beamdyn[i]);
        is_close("lift", x[2], lift[i], 2e-7);
        is_close("lift of BeamDyn", x[2], beamdyn[i], 1e-3);
    }
    finish(&m);
}

/* Simo & Vu-Quoc: a beam that is spun up to 6 rad/s in 15 s; displacements in axes that turn. */
static void test_spin_up(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "beams:\n"
        "  beam:\n"
        "    points: [[0, 0, 0], [10, 0, 0]]\n"
        "    order: 4\n"
        "    elements: 2\n"
        "    sections: [{stiffness: [2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4],\n"
        "                mass: [1.2, 1.2, 1.2, 1.2e-3, 6e-4, 6e-4]}]\n"
        "joints: {hub: {type: revolute, between: [ground, beam.root], axis: [0, 0, 1], motion:\n"
        "  '0.4*(t^2/2 + (7.5/pi)^2*(cos(2*pi*t/15) - 1))'}}\n"
        "simulation: {duration: 10, step: 1e-2}\n";
    static const double at[2][2] = {{-1.265463625e-2, -.4684761832},
                                    {-7.072336277e-3, -.3628145149}};
    double found[2][2][2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        motion m;
        begin(&m, text, "0.8");
        for (int i = 0; i < 2; i++) {
            double t = 5 + 5 * i, x[3], w = 2 * 3.14159265358979323846 / 15;
            double a = 0.4 * (t * t / 2 + (cos(w * t) - 1) / (w * w)), c = cos(a), s = sin(a);
            go(&m, t, k == 0 ? 2e-2 : 1e-2);
            sample(&m, "beam.tip.position", x);
            found[k][i][0] = c * x[0] + s * x[1] - 10, found[k][i][1] = -s * x[0] + c * x[1];
        }
        finish(&m);
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            double limit = found[1][i][k] + (found[1][i][k] - found[0][i][k]) / 3;
            print_message("t = %d: %.9f, %.9f, then %.9f\n", 5 + 5 * i, found[0][i][k],
                          found[1][i][k], limit);
            is_close("tip", limit, at[i][k], 1e-5);
        }
}

/* ---- rotors that are set off -------------------------------------------------------------------
 *
 * Kynema starts without accelerations, and so do the values that follow; here a start computes
 * them, so the test takes them away again. */
static void without_accelerations(motion *m)
{
    nt_stepper *s = &m->it->stepper;
    size_t bytes = (size_t)s->problem->nv * sizeof(double);
    memset(s->now.vdot, 0, bytes);
    memset(s->now.method, 0, bytes); /* the auxiliary acceleration */
}

/* Ten steps of 10 ms about a hub of 2 m at 0.1 rad/s. */
static void test_rotating_beam(void **state)
{
    static const char text[] = "nutate: 1\n"
                               "gravity: [0, 0, 0]\n"
                               "beams:\n"
                               "  beam:\n"
                               "    points: [[2, 0, 0], [12, 0, 0]]\n"
                               "    order: 5\n"
                               "    quadrature_points: 7\n"
                               "    inertia_points: 7\n"
                               "    velocity: [0, 0.2, 0]\n"
                               "    angular_velocity: [0, 0, 0.1]\n" SECTION
                               "joints: {hub: {type: revolute, between: [ground, beam.root], at: "
                               "[0, 0, 0], axis: [0, 0, 1], motion: 0.1*t}}\n"
                               "simulation: {duration: 1, step: 1e-2}\n";
    motion m;
    double x[3], q[4];
    (void)state;
    begin(&m, text, "0.9");
    without_accelerations(&m);
    go(&m, 0.1, 1e-2);
    sample(&m, "beam.tip.position", x);
    sample(&m, "beam.tip.orientation", q);
    print_message("%.14g %.14g %.14g\n", x[0] - 12, x[1], q[3]);
    is_close("x", x[0] - 12, -5.9997513841559e-4, 1e-12);
    is_close("y", x[1], .11999801130336, 1e-12);
    is_close("angle", q[3], 4.9999798400182e-3, 1e-12);
    finish(&m);
}

static const char blade[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  beam:\n"
    "    points: [[2, 0, 0], [12, 0, 0]]\n"
    "    %s\n"
    "    velocity: [0, 2, 0]\n"
    "    angular_velocity: [0, 0, 1]\n" SECTION
    "joints: {hub: {type: revolute, between: [ground, beam.root], at: [0, 0, 0], axis: [0, 0, 1], "
    "motion: t}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

/* Eleven steps of 10 ms at 1 rad/s under gravity: as fine as can be, and as two meshes have it. */
static void test_blade(void **state)
{
    static const struct {
        const char *mesh;
        double u[3], tolerance;
    } cases[] = {
        {"order: 12", {-.0726046693469, 1.3172737697938, -.0480319629180}, 2e-10},
        {"order: 5\n    quadrature_points: 7\n    inertia_points: 7",
         {-.0726046812170, 1.3172736981690, -.0480350303715},
         1e-9},
        {"order: 5\n    inertia: lumped",
         {-.0726046731180, 1.3172737437014, -.0480314647488},
         1e-9},
    };
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[2000];
        snprintf(text, sizeof text, blade, cases[i].mesh);
        motion m;
        double x[3];
        begin(&m, text, "0.9");
        without_accelerations(&m);
        go(&m, 0.11, 1e-2);
        sample(&m, "beam.tip.position", x);
        print_message("%s: %.13f %.13f %.13f\n", cases[i].mesh, x[0] - 12, x[1], x[2]);
        x[0] -= 12;
        for (int k = 0; k < 3; k++)
            is_close("tip", x[k], cases[i].u[k], cases[i].tolerance);
        finish(&m);
    }
}

/* ---- all methods and frames -------------------------------------------------------------------
 */

static const char swinging[] =
    "nutate: 1\n"
    "beams:\n"
    "  beam:\n"
    "    points: [[0, 0, 0], [1, 0, 0], [1, 0.6, 0]]\n"
    "    order: 2\n"
    "    sections: [{stiffness: [300, 300, 300, 4, 4, 5], mass: [1, 1, 1, 0.02, 0.01, 0.01],\n"
    "                point: [0, 0.05, 0.02]}]\n"
    "joints: {pin: {type: revolute, between: [ground, beam.root], axis: [0, 1, 0]}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* False where the method does not take the beam; then it says so of its node. */
static bool swing(const nt_method *method, nt_frame frame, double x[3])
{
    motion m = {0};
    if (nt_model_read_text(&m.model, swinging, strlen(swinging), "beam", NULL, NULL, 0, &m.error) ||
        nt_run_create(&m.run, m.model, &m.error))
        fail_msg("%s", m.error.message);
    nt_integrator_setup setup = {.system = nt_run_system(m.run), .method = method, .frame = frame};
    nt_status status = nt_integrator_create(&m.it, &setup, &m.error);
    if (status == NT_OK && (nt_integrator_start(m.it, 0, NULL, NULL, NULL, &m.error) ||
                            nt_integrator_run(m.it, 0.2, 1e-3, NULL, NULL, &m.error)))
        fail_msg("%s", m.error.message);
    if (status == NT_OK)
        sample(&m, "beam.tip.position", x);
    else if (!strstr(m.error.message, "node beam.root of beam beam: method ") &&
             !strstr(m.error.message, "body beam.root: method "))
        fail_msg("'%s' does not name the node", m.error.message);
    finish(&m);
    return status == NT_OK;
}

static void test_methods_and_frames(void **state)
{
    double right[3], x[3];
    int n = 0;
    (void)state;
    assert_true(swing(nt_method_find("rkmk-dop853"), NT_INERTIAL, right));
    assert_true(right[2] < -0.1);
    for (int i = 0; i < nt_method_count(); i++)
        for (int frame = NT_INERTIAL; frame <= NT_SE3; frame++) {
            const nt_method *method = nt_method_at(i);
            if (!nt_method_has_frame(method, (nt_frame)frame) || !swing(method, (nt_frame)frame, x))
                continue;
            double off = 0;
            for (int k = 0; k < 3; k++)
                off = fmax(off, fabs(x[k] - right[k]));
            print_message("%s, frame %d: %.1e\n", nt_method_name(method), frame, off);
            n++;
            /* 1 ms steps; `semi-explicit` is of first order */
            assert_true(off < 5e-5);
        }
    assert_true(n >= 16);
}

/* A blade on a hub that turns by its motion, 6 nodes. */
static const char turning_blade[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  blade:\n"
    "    points: [[2, 0, 0], [12, 0, 0]]\n"
    "    order: 5\n"
    "    inertia: lumped\n"
    "    angular_velocity: [0, 0, 1]\n"
    "    velocity: [0, 2, 0]\n" SECTION "joints:\n"
    "  hub: {type: revolute, between: [ground, blade.root], at: [0, 0, 0], axis: [0, 0, 1],\n"
    "        motion: t}\n"
    "simulation: {duration: 3, step: 1e-2}\n";

/* The largest residual of the equations at the present state. */
static double out_of_balance(const motion *m)
{
    const nt_system *s = nt_run_system(m->run);
    nt_state now = nt_integrator_state(m->it);
    double R[200] = {0}, most = 0;
    nt_point at = {.t = now.t,
                   .q = now.q,
                   .v = now.v,
                   .vdot = now.vdot,
                   .lambda = now.lambda,
                   .mu = now.mu,
                   .memory = now.memory};
    const nt_terms terms = {.parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = R};
    assert_true(s->space.nv <= 200);
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    for (int i = 0; i < s->space.nv; i++)
        most = fmax(most, fabs(R[i]));
    return most;
}

/* Factors turn along: most steps need none of their own, and end where the others do. They are made
 * anew where steps have come to need more corrections than the mean of those since, with four for
 * the making: with the first factors, which never contract slowly, there would be 1698 corrections.
 * A state that is saved makes them again. */
static void test_turned_factors(void **state)
{
    (void)state;
    const nt_option exact[] = {{"rho_inf", "0.9"}, {"reuse_tangent", "never"}};
    const nt_option kept[] = {{"rho_inf", "0.9"}, {"reuse_tangent", "auto"}};
    motion a, b, c;
    double tip[3][3], off = 0;
    begin_with(&a, turning_blade, exact, 2);
    begin_with(&b, turning_blade, kept, 2);
    begin_with(&c, turning_blade, kept, 2);
    go(&a, 3, 1.0 / 128);
    go(&b, 1.5, 1.0 / 128);
    size_t size = nt_integrator_saved_size(b.it);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    nt_integrator_save(b.it, bytes);
    if (nt_integrator_restore(c.it, bytes, size, &c.error))
        fail_msg("%s", c.error.message);
    free(bytes);
    go(&b, 3, 1.0 / 128);
    go(&c, 3, 1.0 / 128);
    sample(&a, "blade.tip.position", tip[0]);
    sample(&b, "blade.tip.position", tip[1]);
    sample(&c, "blade.tip.position", tip[2]);
    assert_memory_equal(tip[1], tip[2], sizeof tip[1]);
    for (int i = 0; i < 3; i++)
        off = fmax(off, fabs(tip[0][i] - tip[1][i]));
    long made = nt_integrator_statistics(b.it)->factorisations;
    long steps = nt_integrator_statistics(b.it)->steps;
    print_message("%ld factorisations in %ld steps, tip off by %.1e m\n", made, steps, off);
    assert_true(off < 1e-8); /* of 12 m; iterations end at 1e-9 of an increment, 384 steps */
    assert_true(made < steps / 8);
    /* errors of exact tangents square: a third correction is seldom made to see that two did */
    long squared = nt_integrator_statistics(a.it)->iterations;
    print_message("%ld corrections with tangents of their own in %ld steps\n", squared, steps);
    assert_true((double)squared < 2.1 * (double)steps);
    assert_int_equal(made, nt_integrator_statistics(c.it)->factorisations);
    /* most steps end where the rate of contraction says that forces are in balance, and they are */
    long corrected = nt_integrator_statistics(b.it)->iterations;
    long asked = nt_integrator_statistics(b.it)->evaluations;
    print_message("%ld evaluations for %ld corrections in %ld steps\n", asked, corrected, steps);
    assert_true(asked < corrected + steps / 10);
    assert_true(corrected + 4 * made < 4.2 * (double)steps);
    double worst = 0;
    for (int i = 1; i <= 40; i++) {
        go(&b, 3 + i / 128.0, 1.0 / 128);
        worst = fmax(worst, out_of_balance(&b));
    }
    print_message("out of balance by %.1e N at most\n", worst);
    assert_true(worst < 1e-4); /* of 1e5 N that rounding and tolerances are relative to */
    double drift[2];
    assert_int_equal(nt_integrator_drift(b.it, &drift[0], &drift[1]), NT_OK);
    assert_true(drift[0] < 1e-12);
    assert_true(nt_integrator_statistics(b.it)->position_drift < 1e-9);
    finish(&a);
    finish(&b);
    finish(&c);
}

/* A cantilever of 10 m whose tip falls by 5 m and swings back: a chain of nodes carries the factors
 * along though it bends. Turned as one with its first node, it would need new ones in 297 of these
 * 300 steps. In both frames. */
static void test_bent_factors(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "beams:\n"
        "  blade:\n"
        "    points: [[2, 0, 0], [12, 0, 0]]\n"
        "    order: 3\n"
        "    elements: 5\n"
        "    sections: [{stiffness: [1e7, 4e6, 4e6, 3e3, 2e3, 8e3],\n"
        "                mass: [0.5, 0.5, 0.5, 0.01, 0.004, 0.006]}]\n"
        "joints: {hub: {type: fixed, between: [ground, blade.root], at: [2, 0, 0]}}\n";
    (void)state;
    for (int frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        double tip[2][3], off = 0;
        long made = 0, corrected = 0;
        for (int kept = 0; kept < 2; kept++) {
            const nt_option options[] = {{"reuse_tangent", kept ? "auto" : "never"}};
            motion m;
            begin_in(&m, text, (nt_frame)frame, options, 1);
            go(&m, 1.5, 5e-3);
            sample(&m, "blade.tip.position", tip[kept]);
            made = nt_integrator_statistics(m.it)->factorisations;
            corrected = nt_integrator_statistics(m.it)->iterations;
            finish(&m);
        }
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(tip[0][i] - tip[1][i]));
        print_message(
            "frame %d: %ld factorisations and %ld corrections in 300 steps, off by %.1e\n", frame,
            made, corrected, off);
        assert_true(off < 5e-10); /* of 5 m; of an increment of 0.03 m 1e-8 is allowed a step */
        assert_true(made < 30 && corrected + 4 * made < 1400); /* 1609 with six factorisations */
    }
}

/* Five cantilevers of unlike lengths and meshes, more than one vector of chains, fall and bend: in
 * both frames their factors are kept, and all end where exact tangents end them. */
static void test_unlike_chains(void **state)
{
    char text[4000];
    size_t used =
        (size_t)snprintf(text, sizeof text, "nutate: 1\ngravity: [0, 0, -9.81]\njoints:\n");
    for (int k = 1; k <= 5; k++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "  h%d: {type: fixed, between: [ground, b%d.root], at: [0, %d, 0]}\n", k, k, k);
    used += (size_t)snprintf(text + used, sizeof text - used, "beams:\n");
    for (int k = 1; k <= 5; k++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "  b%d: {points: [[0, %d, 0], [%d, %d, 0]], order: %d, elements: %d,\n"
                             "       sections: [{stiffness: [1e7, 4e6, 4e6, 3e3, 2e3, 8e3],\n"
                             "                   mass: [0.5, 0.5, 0.5, 0.01, 0.004, 0.006]}]}\n",
                             k, k, 3 + k, k, 1 + k % 3, 6 - k);
    (void)state;
    for (int frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        double tip[2][5][3], off = 0;
        long made = 0;
        for (int kept = 0; kept < 2; kept++) {
            const nt_option options[] = {{"reuse_tangent", kept ? "always" : "never"}};
            motion m;
            begin_in(&m, text, (nt_frame)frame, options, 1);
            go(&m, 0.4, 5e-3);
            for (int k = 0; k < 5; k++) {
                char name[40];
                snprintf(name, sizeof name, "b%d.tip.position", k + 1);
                sample(&m, name, tip[kept][k]);
            }
            made = nt_integrator_statistics(m.it)->factorisations;
            finish(&m);
        }
        for (int k = 0; k < 5; k++)
            for (int i = 0; i < 3; i++)
                off = fmax(off, fabs(tip[0][k][i] - tip[1][k][i]));
        print_message("frame %d: %ld factorisations in 80 steps, off by %.1e m\n", frame, made,
                      off);
        assert_true(off < 2e-9); /* of 0.7 m; of an increment of 0.05 m 1e-8 is allowed a step */
        assert_true(made < 20);
    }
}

/* A bent line between two clamps that is shaken until kept factors do for a few steps only. The
 * first increment of a new tangent may be larger than the last one of kept factors, which took back
 * what the one before had stretched: that is no reason to refuse the step, as two were. Steps
 * after such ones begin with factors of their own and keep them: where each tried old ones first
 * there were 3500 evaluations. */
static void test_factors_that_do_not_last(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "beams:\n"
        "  b: {points: [[0, 0, 0], [1, 0, 0], [1, 0.8, 0.2], [2, 1, 0]], order: 3, elements: 9,\n"
        "      sections: [{stiffness: [1e5, 4e4, 4e4, 20, 25, 40],\n"
        "                  mass: [0.6, 0.6, 0.6, 0.01, 0.005, 0.005]}]}\n"
        "joints: {c1: {type: fixed, between: [ground, b.root], at: [0, 0, 0]},\n"
        "         c2: {type: fixed, between: [ground, b.tip], at: [2, 1, 0]}}\n"
        "forces: {k: {type: force, on: b.node14, value: [0, 30*sin(9*t), 40*sin(7*t)]}}\n";
    (void)state;
    double x[2][3], off = 0;
    long made = 0, asked = 0;
    for (int kept = 0; kept < 2; kept++) {
        const nt_option options[] = {{"rho_inf", "0.8"},
                                     {"reuse_tangent", kept ? "auto" : "never"}};
        motion m;
        begin_with(&m, text, options, 2);
        go(&m, 1, 2e-3);
        sample(&m, "b.node14.position", x[kept]);
        const nt_statistics *did = nt_integrator_statistics(m.it);
        assert_int_equal(did->rejected, 0);
        made = did->factorisations;
        asked = did->evaluations;
        finish(&m);
    }
    for (int i = 0; i < 3; i++)
        off = fmax(off, fabs(x[0][i] - x[1][i]));
    print_message("%ld factorisations and %ld evaluations in 500 steps, off by %.1e m\n", made,
                  asked, off);
    assert_true(off < 5e-11); /* of 0.2 m; of an increment of 6 mm 1e-8 is allowed a step */
    assert_true(made < 500 && asked < 3000);
}

/* The root of a beam whose six coordinates are functions of time: three slides and three hinges,
 * with bodies between them that weigh nothing. The root is where these say, and what the clamp
 * bears is what moves the beam: over the whole time its impulse is the change of momentum, here of
 * a beam so stiff that it is that of a rigid rod about the root. */
static void test_six_coordinates(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {b1: {mass: 0}, b2: {mass: 0}, b3: {mass: 0}, b4: {mass: 0}, b5: {mass: 0},\n"
        "         root: {mass: 0}}\n"
        "beams: {rod: {points: [[0, 0, 0], [2, 0, 0]], order: 2, sections: [{stiffness: [1e9,\n"
        "        1e9, 1e9, 1e8, 1e8, 1e8], mass: [3, 3, 3, 0.02, 0.01, 0.01]}]}}\n"
        "joints:\n"
        "  x: {type: prismatic, between: [ground, b1], at: [0, 0, 0], axis: [1, 0, 0], motion: "
        "0.3*sin(t)^4}\n"
        "  y: {type: prismatic, between: [b1, b2], at: [0, 0, 0], axis: [0, 1, 0], motion: "
        "0.2*sin(t)^4}\n"
        "  z: {type: prismatic, between: [b2, b3], at: [0, 0, 0], axis: [0, 0, 1], motion: "
        "-0.4*sin(t)^4}\n"
        "  yaw: {type: revolute, between: [b3, b4], at: [0, 0, 0], axis: [0, 0, 1], motion: "
        "0.5*sin(t)^4}\n"
        "  pitch: {type: revolute, between: [b4, b5], at: [0, 0, 0], axis: [0, 1, 0], motion: "
        "0.7*sin(t)^4}\n"
        "  roll: {type: revolute, between: [b5, root], at: [0, 0, 0], axis: [1, 0, 0], motion: "
        "0.9*sin(t)^4}\n"
        "  clamp: {type: fixed, between: [root, rod.root]}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    motion m;
    double impulse[3] = {0}, x[3], angle[3], force[3], tip[3];
    (void)state;
    begin(&m, text, "0.5");
    for (int i = 1; i <= 1000; i++) { /* by the trapezoidal rule; at rest at first */
        go(&m, 1e-3 * i, 1e-3);
        sample(&m, "clamp.force", force);
        for (int k = 0; k < 3; k++)
            impulse[k] += (i < 1000 ? 1 : 0.5) * 1e-3 * force[k];
    }
    double s = pow(sin(1), 4);
    sample(&m, "rod.root.position", x);
    sample(&m, "rod.root.euler_zyx", angle);
    sample(&m, "rod.tip.position", tip);
    const double place[3] = {0.3 * s, 0.2 * s, -0.4 * s}, turned[3] = {0.5 * s, 0.7 * s, 0.9 * s};
    for (int k = 0; k < 3; k++) {
        is_close("place", x[k], place[k], 1e-12);
        is_close("turned", angle[k], turned[k], 1e-10);
        tip[k] -= x[k];
    }
    /* the axis e of the rod turns by e' = (tip - root)'/2; momentum 6 kg (v + e') of its centre */
    double yaw = turned[0], pitch = turned[1], rate = 4 * pow(sin(1), 3) * cos(1);
    const double e[3] = {cos(yaw) * cos(pitch), sin(yaw) * cos(pitch), -sin(pitch)};
    const double turns[3] = {-sin(yaw) * cos(pitch) * 0.5 - cos(yaw) * sin(pitch) * 0.7,
                             cos(yaw) * cos(pitch) * 0.5 - sin(yaw) * sin(pitch) * 0.7,
                             -cos(pitch) * 0.7};
    const double speed[3] = {0.3 * rate, 0.2 * rate, -0.4 * rate};
    for (int k = 0; k < 3; k++) {
        is_close("axis", tip[k], 2 * e[k], 1e-6);
        is_close("momentum", impulse[k], 6 * (speed[k] + turns[k] * rate), 2e-5);
    }
    finish(&m);
}

/* Before a wave has come from the clamp all of a bar falls with g but what is close to it. One
 * element resolves no such layer: its tip is off by 1/(p + 1) of g, whatever it is made of; that of
 * twenty of order 2 is not. */
static void test_first_fall(void **state)
{
    static const char text[] = "nutate: 1\ngravity: [0, 0, -10]\nbeams:\n"
                               "  b: {points: [[0, 0, 0], [1, 0, 0]], order: %d, elements: %d,\n"
                               "      sections: [{material: {E: 1e9, nu: 0.3, density: %g},\n"
                               "        shape: rectangle, width: 0.05, height: 0.05}]}\n"
                               "joints: {clamp: {type: fixed, between: [ground, b.root]}}\n"
                               "simulation: {duration: 1, step: 1e-2}\n";
    (void)state;
    for (int i = 0; i < 10; i++) {
        int order = i < 8 ? 1 + i : 2, elements = i < 8 ? 1 : 20;
        char model[600];
        motion m;
        double a[3];
        snprintf(model, sizeof model, text, order, elements, i % 2 ? 1e3 : 1e30);
        begin(&m, model, "0.9");
        sample(&m, "b.tip.acceleration", a);
        double off = i >= 8 ? 0 : (order % 2 ? 1.0 : -1.0) / (order + 1);
        is_close("fall", a[2], -10 * (1 + off), 1e-9);
        finish(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_load),
        cmocka_unit_test(test_rotating_beam),
        cmocka_unit_test(test_blade),
        cmocka_unit_test(test_spin_up),
        cmocka_unit_test(test_methods_and_frames),
        cmocka_unit_test(test_turned_factors),
        cmocka_unit_test(test_bent_factors),
        cmocka_unit_test(test_unlike_chains),
        cmocka_unit_test(test_factors_that_do_not_last),
        cmocka_unit_test(test_six_coordinates),
        cmocka_unit_test(test_first_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
