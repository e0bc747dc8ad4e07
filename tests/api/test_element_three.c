/* An element between three bodies that remembers, written outside of the library by its public
 * headers alone. Bodies A, B and a point of C, with coordinates s of its own:
 *
 *   r = x_A + x_B - 2 (x_C + rho) - s,   rho = R_C p,   T = g r + d r',
 *   g = (c_1 + c_2 |r|^2 + ...)/(1 + w m),   m the largest |r| so far, renewed after each step
 *
 *   T on A and B, -2 T on C with the moment -2 rho x T (all as -f), mass s'' = T, and an added mass
 *   on C. */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct tie {
    unsigned given;
    int between[2], third;
    nt_array c;
    double damping, wear, mass, added, begin[3], p[3];
    nt_place_of_point at;
} tie;

#define NUMBER(name_, field, bit_)                                                                 \
    {                                                                                              \
        .name = name_, .type = NT_KEY_NUMBER, .offset = offsetof(tie, field), .bit = bit_          \
    }

/* `between` says who A and B are, whatever else names a body. */
static const nt_key tie_keys[] = {
    {.name = "between", .type = NT_KEY_BODIES, .offset = offsetof(tie, between), .bit = 0},
    {.name = "third", .type = NT_KEY_BODY, .offset = offsetof(tie, third), .bit = 1},
    {.name = "c", .type = NT_KEY_ARRAY, .offset = offsetof(tie, c), .bit = 2, .low = 1, .high = 1},
    NUMBER("damping", damping, 3),
    NUMBER("wear", wear, 4),
    NUMBER("mass", mass, 5),
    NUMBER("added", added, 6),
    {.name = "begin",
     .type = NT_KEY_NUMBERS,
     .offset = offsetof(tie, begin),
     .bit = 7,
     .low = 3,
     .high = 3},
    {.name = "at", .type = NT_KEY_POINT, .offset = offsetof(tie, at), .bit = 8},
    {.name = NULL},
};

static nt_status tie_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    tie *t = nt_element_numbers_in(run, e);
    return nt_element_point(run, e, &t->at, t->third, validate, t->p, error);
}

static int three(const nt_model *model, const nt_element *e) { return model && e ? 3 : 0; }

static void tie_initial(const nt_run *run, const nt_element *e, double *q, double *v)
{
    const tie *t = nt_element_data_in(run, e);
    memcpy(q, t->begin, sizeof t->begin);
    memset(v, 0, sizeof t->begin);
}

static nt_status tie_declare(nt_model *model, nt_element *e)
{
    const tie *t = nt_element_data_of(model, e);
    int third = nt_element_port_of_body(model, e, t->third);
    const int ports[] = {NT_T_A, NT_T_B, third, third + 1, nt_element_port_of_own(model, e)};
    nt_status status = third < 0 || ports[4] < 0 ? NT_NO_MEMORY : NT_OK;
    for (int i = 0; i < 25 && status == NT_OK; i++)
        status = nt_element_couple(model, e, ports[i / 5], ports[i % 5], NT_FULL);
    return status;
}

/* ---- vectors and matrices ------------------------------------------------------------------- */

typedef struct matrix {
    double a[9];
} matrix;

static const matrix unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

static nt_v3 add(double s, nt_v3 a, nt_v3 b)
{
    return (nt_v3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static nt_v3 cross(nt_v3 a, nt_v3 b)
{
    return (nt_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(nt_v3 a, nt_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static matrix skew(nt_v3 r) { return (matrix){{0, -r.z, r.y, r.z, 0, -r.x, -r.y, r.x, 0}}; }

static matrix multiply(matrix x, matrix y)
{
    matrix z = {{0}};
    for (int i = 0; i < 27; i++)
        z.a[i / 9 * 3 + i % 3] += x.a[i / 9 * 3 + i / 3 % 3] * y.a[i / 3 % 3 * 3 + i % 3];
    return z;
}

static matrix combine(double s, matrix x, double t, matrix y)
{
    matrix z;
    for (int i = 0; i < 9; i++)
        z.a[i] = s * x.a[i] + t * y.a[i];
    return z;
}

/* ---- terms ---------------------------------------------------------------------------------- */

typedef struct stretch {
    nt_v3 rho, r, rate, T;
    double g, bend, potential; /* bend: dg/d(|r|^2) */
} stretch;

static nt_v3 own(const nt_element *e, const nt_view *view, nt_level level)
{
    return (nt_v3){nt_view_own(e, view, level, 0), nt_view_own(e, view, level, 1),
                   nt_view_own(e, view, level, 2)};
}

static stretch tie_look(const tie *t, const nt_element *e, const nt_view *view)
{
    const nt_motion *a = &view->motion[e->a], *b = &view->motion[e->b],
                    *c = &view->motion[t->third];
    const nt_m3 *R = &c->R;
    const double *p = t->p, *row = nt_array_in(t, &t->c);
    stretch s = {.rho = {R->xx * p[0] + R->xy * p[1] + R->xz * p[2],
                         R->yx * p[0] + R->yy * p[1] + R->yz * p[2],
                         R->zx * p[0] + R->zy * p[1] + R->zz * p[2]}};
    s.r = add(-2, add(1, c->x, s.rho), add(1, a->x, b->x));
    s.r = add(-1, own(e, view, NT_POSITION), s.r);
    s.rate = add(-2, add(1, c->v, cross(c->w, s.rho)), add(1, a->v, b->v));
    s.rate = add(-1, own(e, view, NT_VELOCITY), s.rate);
    double square = dot(s.r, s.r), power = 1 / (1 + t->wear * nt_view_memory(e, view, 0));
    for (int i = 0; i < t->c.count; i++) {
        s.g += row[i] * power;
        s.potential += row[i] * power * square / (2 * (i + 1));
        s.bend += i + 1 < t->c.count ? (i + 1) * row[i + 1] * power : 0;
        power *= square;
    }
    nt_v3 none = {0, 0, 0};
    s.T = add(s.g, s.r, add(t->damping, s.rate, none));
    return s;
}

static void tie_accept(const nt_element *e, const nt_view *view, double *next)
{
    stretch s = tie_look(nt_element_data_in(view->run, e), e, view);
    next[0] = fmax(nt_view_memory(e, view, 0), sqrt(dot(s.r, s.r)));
}

enum { PARTS = 5 };
static const double share[PARTS] = {1, 1, -2, -1, 0}; /* of A, B, C and s in r */

/* dT = P (e_A + e_B - 2 e_C - e_s) + Q e_turn, with rows P and -2 rho x dT - 2 drho x T. */
static void tie_tangent(const tie *t, const nt_view *view, const stretch *s, const int port[PARTS],
                        double force, double mass)
{
    const nt_combination *c = view->terms->combination;
    const double r[3] = {s->r.x, s->r.y, s->r.z};
    nt_m3 map = nt_view_rate_map(view, t->third, c->damping, c->stiffness);
    matrix G, W, rho = skew(s->rho), turning = skew(view->motion[t->third].w);
    memcpy(&W, &map, sizeof W);
    for (int i = 0; i < 9; i++)
        G.a[i] = s->g * unit.a[i] + 2 * s->bend * r[i / 3] * r[i % 3];
    matrix P = combine(force * c->stiffness, G, force * c->damping * t->damping, unit);
    matrix rate = combine(1, multiply(rho, W), c->stiffness, multiply(turning, rho));
    matrix Q = combine(2 * force * c->stiffness, multiply(G, rho), 2 * force * t->damping, rate);
    for (int i = 0; i < PARTS; i++)
        for (int j = 0; j < PARTS; j++) {
            matrix dT = j < 4 ? combine(share[j], P, 0, unit) : Q;
            matrix block = i < 4 ? combine(share[i], dT, 0, unit) : multiply(rho, dT);
            if (i == 4)
                block = combine(-2, block, 0, unit);
            if (i == 4 && j == 4)
                block = combine(1, block, -2 * force * c->stiffness, multiply(skew(s->T), rho));
            if (i == j && (i == 2 || i == 3))
                block = combine(1, block, mass * c->mass * (i == 2 ? t->added : t->mass), unit);
            nt_view_add_numbers(view, port[i], port[j], block.a);
        }
}

static nt_status tie_evaluate(const nt_element *e, const nt_view *view)
{
    const tie *t = nt_element_data_in(view->run, e);
    const nt_motion *third = &view->motion[t->third];
    stretch s = tie_look(t, e, view);
    int c = nt_view_port_of_body(view, t->third), mine = nt_view_port_of_own(view);
    if (view->energy) {
        nt_v3 v = own(e, view, NT_VELOCITY);
        view->energy->kinetic += (t->added * dot(third->v, third->v) + t->mass * dot(v, v)) / 2;
        view->energy->potential += s.potential;
        view->energy->power -= t->damping * dot(s.rate, s.rate);
        return NT_OK;
    }
    double force = view->terms->parts & e->part ? 1 : 0, m = view->terms->parts & NT_MASS ? 1 : 0;
    if (view->terms->residual) {
        nt_v3 none = {0, 0, 0}, T = add(force, s.T, none);
        nt_view_force(view, NT_T_A, T);
        nt_view_force(view, NT_T_B, T);
        nt_view_force(view, c, add(m * t->added, third->a, add(-2, T, none)));
        nt_view_force(view, c + 1, add(-2, cross(s.rho, T), none));
        nt_view_force(view, mine,
                      add(m * t->mass, own(e, view, NT_ACCELERATION), add(-1, T, none)));
    }
    const int port[PARTS] = {NT_T_A, NT_T_B, c, mine, c + 1};
    if (view->terms->matrix)
        tie_tangent(t, view, &s, port, force, m);
    return NT_OK;
}

static void tie_momentum(const nt_element *e, const nt_view *view, nt_v3 *p, nt_v3 *L)
{
    const tie *t = nt_element_data_in(view->run, e);
    const nt_motion *third = &view->motion[t->third];
    *p = add(t->added, third->v, *p);
    *L = add(t->added, cross(third->x, third->v), *L);
}

static bool always(const nt_run *run, const nt_element *e) { return run && e; }

static const nt_element_type tie_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "tie",
    .summary = "ties three bodies",
    .keys = tie_keys,
    .size = sizeof(tie),
    .part = NT_IMPLICIT,
    .coordinates = three,
    .initial = tie_initial,
    .has_inertia = true,
    .momentum = tie_momentum,
    .prepare = tie_prepare,
    .declare = tie_declare,
    .evaluate = tie_evaluate,
    .depends_on_rates = always,
    .n_memory = 1,
    .accept = tie_accept,
    .only_takes = true,
};

/* ---- tests ---------------------------------------------------------------------------------- */

enum { PARAMETERS = 7 };

static const char text[] =
    "nutate: 1\n"
    "parameters: {c1: 40, c3: 300, d: 0.7, w: 3, ms: 0.4, ad: 0.3, px: 0.2}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], velocity: [0, 0.3, 0]}\n"
    "  b: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [-1, 0.3, 0]}\n"
    "  c: {mass: 1.5, inertia: [0.1, 0.2, 0.25], angular_velocity: [1, 2, 3]}\n"
    "joints: {pivot: {type: spherical, between: [ground, b], at: [-0.5, 0, 0.5]}}\n"
    "forces:\n"
    "  tie: {type: tie, between: [a, b], third: %s, c: [c1, 0, c3], damping: d, wear: w,\n"
    "        mass: ms, added: ad, begin: [0.05, 0, 0.1], at: [px, 0.1, 0.05]}\n"
    "simulation: {duration: 0.2, step: 1e-3}\n";

typedef struct machine {
    nt_model *model;
    nt_run *run;
    nt_integrator *integrator;
} machine;

static void open_machine(machine *m, const char *third, nt_frame frame)
{
    char own_text[sizeof text + 16];
    nt_error error = {0};
    nt_integrator_setup setup = {0};
    int length = snprintf(own_text, sizeof own_text, text, third);
    *m = (machine){0};
    if (nt_model_read_text(&m->model, own_text, (size_t)length, "tie", NULL, NULL, 0, &error) !=
            NT_OK ||
        nt_run_create(&m->run, m->model, &error) != NT_OK ||
        nt_run_setup(m->run, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
    setup.frame = frame;
    if (nt_integrator_create(&m->integrator, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static void close_machine(machine *m)
{
    nt_integrator_destroy(m->integrator);
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
}

static void run_machine(machine *m)
{
    nt_error error = {0};
    if (nt_integrator_start(m->integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
        nt_integrator_run(m->integrator, 0.2, 1e-3, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

/* C may be a body of its own, A, or the ground. */
static void the_tangent_is_exact(void **state)
{
    (void)state;
    static const char *const thirds[] = {"c", "a", "ground"};
    for (int k = 0; k < 3; k++) {
        machine m;
        nt_error error = {0};
        double difference = 1, x[64], q[64], v[64], memory[64];
        open_machine(&m, thirds[k], NT_INERTIAL);
        nt_run_initial(m.run, q, v, memory);
        assert_true(memory[0] > 0.1); /* the start counts */
        for (int i = 0; i < 64; i++)
            x[i] = 0.3 * i - 1, v[i] = 0.2 * (i % 7) - 0.5;
        nt_point at = {.q = q, .v = v, .vdot = x, .lambda = x, .mu = x, .memory = memory};
        nt_status status =
            nt_system_check_tangent(nt_run_system(m.run), &at, 1e-6, &difference, &error);
        if (status != NT_OK)
            fail_msg("%s", error.message);
        print_message("third: %s: tangent off by %.1e\n", thirds[k], difference);
        assert_true(difference < 1e-8);
        close_machine(&m);
    }
}

/* Newton's tangent is right in every frame: convergence is quadratic. */
static void frames_agree(void **state)
{
    (void)state;
    static const nt_frame frames[] = {NT_INERTIAL, NT_BODY, NT_SE3};
    double first[3] = {0};
    for (int k = 0; k < 3; k++) {
        machine m;
        open_machine(&m, "c", frames[k]);
        run_machine(&m);
        const nt_statistics *statistics = nt_integrator_statistics(m.integrator);
        assert_true(statistics->iterations <= 3 * statistics->steps);
        nt_state now = nt_integrator_state(m.integrator);
        for (int i = 0; i < 3; i++) {
            first[i] = k == 0 ? now.q[i] : first[i];
            assert_true(fabs(now.q[i] - first[i]) < 1e-5);
        }
        close_machine(&m);
    }
}

/* By every parameter: those of an array, of what is remembered, and of inertia. */
static void derivatives_go_through_what_it_remembers(void **state)
{
    (void)state;
    static const int all[PARAMETERS] = {0, 1, 2, 3, 4, 5, 6};
    machine m;
    nt_sensitivity *sensitivity;
    nt_error error = {0};
    open_machine(&m, "c", NT_INERTIAL);
    const nt_system *s = nt_run_system(m.run);
    assert_false(s->capabilities & NT_DISCRETE_MEMORY);
    int nq = s->space.nq;
    double given[PARAMETERS], p[PARAMETERS], q[4][64];
    s->get_parameters(s->self, given);
    if (nt_sensitivity_create(&sensitivity, m.integrator, all, PARAMETERS, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
        nt_sensitivity_start(sensitivity, &error) != NT_OK ||
        nt_integrator_run(m.integrator, 0.2, 1e-3, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    for (int i = 0; i < PARAMETERS; i++) {
        machine beside;
        double h = 1e-3 * given[i], off = 0, size = 0;
        nt_state_tangent d = nt_sensitivity_state(sensitivity, i);
        open_machine(&beside, "c", NT_INERTIAL);
        const nt_system *other = nt_run_system(beside.run);
        for (int n = 0; n < 4; n++) {
            memcpy(p, given, sizeof p);
            p[i] += h * (double[]){1, -1, 2, -2}[n];
            assert_int_equal(other->set_parameters(other->self, p), NT_OK);
            run_machine(&beside);
            memcpy(q[n], nt_integrator_state(beside.integrator).q, (size_t)nq * sizeof **q);
        }
        close_machine(&beside);
        for (int j = 0; j < 3; j++) { /* places of A */
            double along = (8 * (q[0][j] - q[1][j]) - q[2][j] + q[3][j]) / (12 * h);
            off = fmax(off, fabs(along - d.q[j]));
            size = fmax(size, fabs(along));
        }
        print_message("parameter %d: %.3e, off by %.1e\n", i, size, off);
        assert_true(size > 0 && off < 1e-6 * size);
    }
    nt_sensitivity_destroy(sensitivity);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tangent_is_exact),
        cmocka_unit_test(frames_agree),
        cmocka_unit_test(derivatives_go_through_what_it_remembers),
    };
    nt_error error = {0};
    if (nt_element_type_add(&tie_type, &error) != NT_OK) {
        print_error("%s\n", error.message);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
