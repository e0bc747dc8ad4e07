/* Steps by a tolerance and the forces at their ends: what a step runs into in its second half. A
 * ball falls onto a stiff floor, a bar onto the stops of its hinge; neither loses energy. */
#include "../model/mechanism.h"

static const char ball[] =
    "nutate: 1\ngravity: [0, 0, -9.8]\n"
    "bodies: {ball: {mass: 1, position: [0, 0, 5], point: true}}\n"
    "contacts: {floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]}, "
    "radius: 0.1, stiffness: 1e8}}\n";

static const char bar[] =
    "nutate: 1\ngravity: [0, 0, -9.8]\n"
    "bodies: {bar: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0]}}\n"
    "joints: {hinge: {type: revolute, between: [ground, bar], at: [0, 0, 0], axis: [0, 1, 0], "
    "limits: {lower: -1, upper: 1, stiffness: 1e6}}}\n";

/* ---- runs ----------------------------------------------------------------------------------- */

typedef struct watch {
    mechanism *m;
    double begun, worst; /* J: energy at the start, largest change in a row          */
    double newton;       /* of the ball: |a - F/m| h / (1 + |v|), largest in a row    */
    const char *force;   /* "floor.force"; NULL: not looked at                       */
} watch;

static int look(void *context, const nt_integrator *integrator)
{
    watch *w = context;
    double energy[16], force[16], v[16];
    nt_state state = nt_integrator_state(integrator);
    mechanism_get(w->m, "energy", energy);
    w->worst = fmax(w->worst, fabs(energy[2] - w->begun));
    if (!w->force || state.step == 0)
        return 0;
    mechanism_get(w->m, w->force, force);
    mechanism_get(w->m, "ball.velocity", v);
    double missed = fabs(state.vdot[2] - (force[2] - 9.8));
    w->newton = fmax(w->newton, missed * state.step / (1 + fabs(v[2])));
    return 0;
}

static mechanism begin(const char *text, const char *method, double tolerance)
{
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(method),
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
        fail_msg("%s", error.message);
    return m;
}

static watch run(const char *text, const char *method, double tolerance, double end,
                 const char *force)
{
    mechanism m = begin(text, method, tolerance);
    watch w = {.m = &m, .begun = 0, .force = force};
    nt_error error = {0};
    double energy[16];
    mechanism_get(&m, "energy", energy);
    w.begun = energy[2];
    if (nt_integrator_run(m.integrator, end, 0.1, look, &w, &error) != NT_OK)
        fail_msg("%s: %s", method, error.message);
    mechanism_close(&m);
    return w;
}

static const char *const methods[] = {"theta",       "semi-explicit", "generalized-alpha-soi2",
                                      "rkmk-dopri5", "rkmk-dop853",   "bdf"};
enum { METHODS = sizeof methods / sizeof *methods };

/* A contact of 1e8 N/m at 10 m/s turns an error of 1e-6 m into 1e5 N 1e-6 m. Five bounces of a
 * tolerance in velocity of 11e-6 m/s a step, some thousand steps each. */
static void test_a_ball_does_not_run_into_the_floor(void **unused)
{
    (void)unused;
    for (int i = 0; i < METHODS; i++) {
        watch w = run(ball, methods[i], 1e-6, 10, "floor.force");
        if (w.worst > 0.1)
            fail_msg("%s: energy is off by %.3g J of 49", methods[i], w.worst);
        /* accelerations of splitting methods are those of the middle of a step: half of what the
         * tolerance allows to the change of velocities away from the end, a third more where steps
         * shrink */
        if (w.newton > 1.4e-6)
            fail_msg("%s: a row misses Newton's equation by %.3g (1 + |v|)/h", methods[i],
                     w.newton);
    }
}

static void test_a_bar_does_not_run_into_its_stop(void **unused)
{
    (void)unused;
    for (int i = 0; i < METHODS; i++) {
        watch w = run(bar, methods[i], 1e-6, 5, NULL);
        if (w.worst > 0.02)
            fail_msg("%s: energy is off by %.3g J of 4", methods[i], w.worst);
    }
}

/* ---- what it costs --------------------------------------------------------------------------- */

/* Evaluations of the explicit forces, which every try of `semi-explicit` makes once. */
typedef struct counter {
    const nt_system *system;
    long explicit_forces;
} counter;

static nt_status counted(void *self, const nt_point *at, const nt_terms *terms)
{
    counter *c = self;
    c->explicit_forces += (terms->parts & NT_EXPLICIT) && (terms->residual || terms->matrix);
    return c->system->evaluate(c->system->self, at, terms);
}

static bool met(void *self, const nt_point *from, const nt_point *to, double beyond, bool by_middle,
                nt_meeting *out)
{
    const nt_system *s = ((counter *)self)->system;
    return s->met(s->self, from, to, beyond, by_middle, out);
}

static void test_no_evaluation_is_spent_on_the_ends(void **unused)
{
    (void)unused;
    mechanism m = mechanism_read(ball);
    nt_error error = {0};
    counter c = {.system = nt_run_system(m.run)};
    nt_system system = *c.system;
    system.self = &c;
    system.evaluate = counted;
    system.met = met;
    system.energy = NULL;
    system.accept = NULL;
    system.failure = NULL;
    system.coordinate_name = system.equation_name = NULL;
    system.capabilities &= (unsigned)~NT_HAS_ENERGY;
    nt_integrator_setup setup = {.system = &system,
                                 .method = nt_method_find("semi-explicit"),
                                 .tolerance = {1e-6, 1e-6, 1e-6, 1e-6}};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    c.explicit_forces = 0;
    assert_int_equal(nt_integrator_run(m.integrator, 4, 0.1, NULL, NULL, &error), NT_OK);
    const nt_statistics *s = nt_integrator_statistics(m.integrator);
    assert_true(s->steps > 1000 && s->rejected > 5);
    /* a try of a step each, and the end of the run */
    assert_int_equal(c.explicit_forces, s->steps + s->rejected + 1);
    mechanism_close(&m);
}

/* ---- stopping and going on ------------------------------------------------------------------- */

typedef struct stop {
    long after, seen;
    double times[4000];
} stop;

static int stop_after(void *context, const nt_integrator *integrator)
{
    stop *s = context;
    s->times[s->seen++] = nt_integrator_state(integrator).t;
    return s->seen == s->after;
}

/* A run that is interrupted at any step and goes on has the steps of one that is not; and a step is
 * shown once, though the next one may be tried before. */
static void test_an_interrupted_run_goes_on(void **unused)
{
    (void)unused;
    static stop whole = {.after = -1}, parts;
    nt_error error = {0};
    mechanism m = begin(ball, "theta", 1e-4);
    assert_int_equal(nt_integrator_run(m.integrator, 2.5, 0.1, stop_after, &whole, &error), NT_OK);
    double z = nt_integrator_state(m.integrator).q[2];
    mechanism_close(&m);
    assert_true(whole.seen > 50 && whole.seen < 4000);
    for (long i = 1; i < whole.seen; i++)
        assert_true(whole.times[i] > whole.times[i - 1]);

    m = begin(ball, "theta", 1e-4);
    nt_status status = NT_INTERRUPTED;
    for (parts.after = 1; status == NT_INTERRUPTED; parts.after++) {
        void *saved = malloc(nt_integrator_saved_size(m.integrator));
        assert_non_null(saved);
        nt_integrator_save(m.integrator, saved);
        assert_int_equal(nt_integrator_restore(m.integrator, saved,
                                               nt_integrator_saved_size(m.integrator), &error),
                         NT_OK);
        free(saved);
        status = nt_integrator_run(m.integrator, 2.5, 0.1, stop_after, &parts, &error);
    }
    assert_int_equal(status, NT_OK);
    assert_int_equal(parts.seen, whole.seen);
    for (long i = 0; i < whole.seen; i++)
        assert_true(parts.times[i] == whole.times[i]);
    assert_true(nt_integrator_state(m.integrator).q[2] == z);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ball_does_not_run_into_the_floor),
        cmocka_unit_test(test_a_bar_does_not_run_into_its_stop),
        cmocka_unit_test(test_no_evaluation_is_spent_on_the_ends),
        cmocka_unit_test(test_an_interrupted_run_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
