/* Element types with coordinates, inertia and arrays of their own, written outside of the library
 * by its public headers alone. On a body that moves along x:
 *
 *   strut     a spring and a dashpot one after the other: f = sum c_i u^i, u = x - y, with the
 *             elongation y of the dashpot, y' = f/c, of first order
 *   ballast   a mass m_b at z on a spring of stiffness k, and an added mass A of the body:
 *             m_b z'' = k (x - z) */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- strut ---------------------------------------------------------------------------------- */

typedef struct strut {
    unsigned given;
    int on;
    nt_array coefficients; /* rows: c_i, and i c_i */
    double dashpot, begin;
} strut;

static const nt_key strut_keys[] = {
    {.name = "on", .type = NT_KEY_BODY, .offset = offsetof(strut, on), .required = true},
    {.name = "coefficients",
     .type = NT_KEY_ARRAY,
     .offset = offsetof(strut, coefficients),
     .bit = 1,
     .low = 1,
     .high = 2,
     .required = true,
     .unit = "N/m^i",
     .meaning = "c_1, c_2, ..."},
    {.name = "dashpot", .type = NT_KEY_NUMBER, .offset = offsetof(strut, dashpot), .bit = 2},
    {.name = "begin", .type = NT_KEY_NUMBER, .offset = offsetof(strut, begin), .bit = 3},
    {.name = NULL},
};

static nt_status strut_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    strut *s = nt_element_numbers_in(run, e);
    double *row = nt_array_of(s, &s->coefficients);
    for (int i = 0; i < s->coefficients.count; i++)
        row[2 * i + 1] = (i + 1) * row[2 * i];
    return !validate || s->dashpot > 0
               ? NT_OK
               : nt_element_refuse(run, e, error, "dashpot is not positive");
}

static int one(const nt_model *model, const nt_element *e) { return model && e ? 1 : 0; }

static void strut_initial(const nt_run *run, const nt_element *e, double *q, double *v)
{
    assert_null(q);
    v[0] = ((const strut *)nt_element_data_in(run, e))->begin;
}

static const char *strut_coordinate(const nt_model *model, const nt_element *e, int i)
{
    return model && e && i == 0 ? "elongation of the dashpot" : "";
}

static nt_status declare(nt_model *model, nt_element *e)
{
    int own = nt_element_port_of_own(model, e), ports[2] = {NT_T_B, own};
    assert_int_equal(nt_element_port_of_own(model, e), own);
    nt_status status = own < 0 ? NT_NO_MEMORY : NT_OK;
    for (int i = 0; i < 4 && status == NT_OK; i++)
        status = nt_element_couple(model, e, ports[i / 2], ports[i % 2], NT_FULL);
    return status;
}

/* f(u) and f'(u) */
static void strut_force(const strut *s, double u, double f[2])
{
    const double *row = nt_array_in(s, &s->coefficients);
    double power = 1;
    f[0] = f[1] = 0;
    for (int i = 0; i < s->coefficients.count; i++, power *= u) {
        f[0] += row[2 * i] * power * u;
        f[1] += row[2 * i + 1] * power;
    }
}

static nt_status strut_evaluate(const nt_element *e, const nt_view *view)
{
    const strut *s = nt_element_data_in(view->run, e);
    const nt_terms *terms = view->terms;
    double u = view->motion[e->b].x.x - nt_view_own(e, view, NT_VELOCITY, 0), f[2];
    if (view->energy)
        return NT_OK;
    strut_force(s, u, f);
    double m = terms->parts & NT_MASS ? 1 : 0;
    if (!(terms->parts & e->part))
        f[0] = f[1] = 0;
    if (terms->residual) {
        double rate = m * nt_view_own(e, view, NT_ACCELERATION, 0) - f[0] / s->dashpot;
        nt_view_force(view, NT_T_B, (nt_v3){f[0], 0, 0});
        nt_view_push(view, NT_PORTS, &rate);
    }
    if (terms->matrix) {
        const nt_combination *c = terms->combination;
        double on_body[9] = {c->stiffness * f[1]}, of_y[3] = {-c->damping * f[1]};
        double of_x[3] = {-c->stiffness * f[1] / s->dashpot};
        double own = m * c->mass + c->damping * f[1] / s->dashpot;
        nt_view_add_numbers(view, NT_T_B, NT_T_B, on_body);
        nt_view_add_numbers(view, NT_T_B, NT_PORTS, of_y);
        nt_view_add_numbers(view, NT_PORTS, NT_T_B, of_x);
        nt_view_add_numbers(view, NT_PORTS, NT_PORTS, &own);
    }
    return NT_OK;
}

static const nt_element_type strut_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "strut",
    .summary = "spring and dashpot one after the other",
    .keys = strut_keys,
    .size = sizeof(strut),
    .part = NT_IMPLICIT,
    .coordinates = one,
    .first_order = true,
    .initial = strut_initial,
    .coordinate_name = strut_coordinate,
    .prepare = strut_prepare,
    .declare = declare,
    .evaluate = strut_evaluate,
    .only_takes = true,
};

/* ---- ballast -------------------------------------------------------------------------------- */

typedef struct ballast {
    unsigned given;
    int on;
    double mass, added, stiffness, begin;
} ballast;

static const nt_key ballast_keys[] = {
    {.name = "on", .type = NT_KEY_BODY, .offset = offsetof(ballast, on), .required = true},
    {.name = "mass", .type = NT_KEY_NUMBER, .offset = offsetof(ballast, mass), .bit = 1},
    {.name = "added", .type = NT_KEY_NUMBER, .offset = offsetof(ballast, added), .bit = 2},
    {.name = "stiffness", .type = NT_KEY_NUMBER, .offset = offsetof(ballast, stiffness), .bit = 3},
    {.name = "begin", .type = NT_KEY_NUMBER, .offset = offsetof(ballast, begin), .bit = 4},
    {.name = NULL},
};

static nt_status ballast_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    const ballast *b = nt_element_data_in(run, e);
    return !validate || b->mass > 0 ? NT_OK
                                    : nt_element_refuse(run, e, error, "mass is not positive");
}

static void ballast_initial(const nt_run *run, const nt_element *e, double *q, double *v)
{
    q[0] = ((const ballast *)nt_element_data_in(run, e))->begin;
    v[0] = 0;
}

static nt_status ballast_evaluate(const nt_element *e, const nt_view *view)
{
    const ballast *b = nt_element_data_in(view->run, e);
    const nt_terms *terms = view->terms;
    const nt_motion *body = &view->motion[e->b];
    double z = nt_view_own(e, view, NT_POSITION, 0), rate = nt_view_own(e, view, NT_VELOCITY, 0);
    double stretch = body->x.x - z;
    if (view->energy) {
        view->energy->kinetic += (b->mass * rate * rate + b->added * body->v.x * body->v.x) / 2;
        view->energy->potential += b->stiffness * stretch * stretch / 2;
        return NT_OK;
    }
    double k = terms->parts & e->part ? b->stiffness : 0, m = terms->parts & NT_MASS ? 1 : 0;
    if (terms->residual) {
        double own = m * b->mass * nt_view_own(e, view, NT_ACCELERATION, 0) - k * stretch;
        nt_view_force(view, NT_T_B, (nt_v3){k * stretch + m * b->added * body->a.x, 0, 0});
        nt_view_push(view, NT_PORTS, &own);
    }
    if (terms->matrix) {
        const nt_combination *c = terms->combination;
        double ck = c->stiffness * k, cm = c->mass * m;
        double on_body[9] = {ck + cm * b->added}, off[3] = {-ck}, own = ck + cm * b->mass;
        nt_view_add_numbers(view, NT_T_B, NT_T_B, on_body);
        nt_view_add_numbers(view, NT_T_B, NT_PORTS, off);
        nt_view_add_numbers(view, NT_PORTS, NT_T_B, off);
        nt_view_add_numbers(view, NT_PORTS, NT_PORTS, &own);
    }
    return NT_OK;
}

static const nt_element_type ballast_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "ballast",
    .summary = "a mass on a spring, and an added mass",
    .keys = ballast_keys,
    .size = sizeof(ballast),
    .part = NT_IMPLICIT,
    .coordinates = one,
    .initial = ballast_initial,
    .has_inertia = true,
    .prepare = ballast_prepare,
    .declare = declare,
    .evaluate = ballast_evaluate,
};

/* ---- the model, and the same written out ---------------------------------------------------- */

static const char text[] =
    "nutate: 1\n"
    "parameters: {c1: 30, c3: 400, c: 5, mb: 0.6, A: 0.4, begin: 0.1}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  block: {mass: 2, inertia: [1, 1, 1], position: [0.2, 0, 0], velocity: [0.3, 0, 0]}\n"
    "forces:\n"
    "  strut: {type: strut, on: block, coefficients: [c1, 0, c3], dashpot: c, begin: begin}\n"
    "  ballast: {type: ballast, on: block, mass: mb, added: A, stiffness: 50, begin: 3*begin}\n"
    "simulation: {duration: 1, step: 1e-3}\n";
enum { PARAMETERS = 6, STATES = 5 };
static const double given[PARAMETERS] = {30, 400, 5, 0.6, 0.4, 0.1};

static void rates(const double *p, const double *s, double *out)
{
    double u = s[0] - s[2], f = p[0] * u + p[1] * u * u * u, g = 50 * (s[0] - s[3]);
    out[0] = s[1];
    out[1] = -(f + g) / (2 + p[4]);
    out[2] = f / p[2];
    out[3] = s[4];
    out[4] = g / p[3];
}

/* x, x', y, z, z' at t = 1 by the classical method of fourth order, in 4000 steps */
static void written_out(const double *p, double *s)
{
    const double h = 1.0 / 4000;
    const double begin[STATES] = {0.2, 0.3, p[5], 3 * p[5], 0};
    memcpy(s, begin, sizeof begin);
    for (int step = 0; step < 4000; step++) {
        double k[4][STATES], at[STATES];
        static const double where[4] = {0, 0.5, 0.5, 1};
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < STATES; i++)
                at[i] = s[i] + (stage > 0 ? h * where[stage] * k[stage - 1][i] : 0);
            rates(p, at, k[stage]);
        }
        for (int i = 0; i < STATES; i++)
            s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

typedef struct machine {
    nt_model *model;
    nt_run *run;
    nt_integrator *integrator;
} machine;

static void open_machine(machine *m, const char *method, double tolerance, nt_frame frame)
{
    nt_error error = {0};
    nt_integrator_setup setup = {0};
    *m = (machine){0};
    if (nt_model_read_text(&m->model, text, strlen(text), "own", NULL, NULL, 0, &error) != NT_OK ||
        nt_run_create(&m->run, m->model, &error) != NT_OK ||
        nt_run_setup(m->run, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
    setup.method = nt_method_find(method);
    setup.frame = frame;
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = tolerance;
    if (nt_integrator_create(&m->integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m->integrator, 0, NULL, NULL, NULL, &error) != NT_OK)
        fail_msg("%s: %s", method, error.message);
}

static void close_machine(machine *m)
{
    nt_integrator_destroy(m->integrator);
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
}

/* The state in the order of `rates`: the block's entries first, then those of the elements. */
static void states_of(const nt_state *state, double *s)
{
    const double own[STATES] = {state->q[0], state->v[0], state->v[6], state->q[7], state->v[7]};
    memcpy(s, own, sizeof own);
}

static double error_of(const char *method, double tolerance, double h, nt_frame frame)
{
    double exact[STATES], s[STATES], off = 0;
    machine m;
    nt_error error = {0};
    written_out(given, exact);
    open_machine(&m, method, tolerance, frame);
    if (nt_integrator_run(m.integrator, 1, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s: %s", method, error.message);
    nt_state now = nt_integrator_state(m.integrator);
    states_of(&now, s);
    for (int k = 0; k < STATES; k++)
        off = fmax(off, fabs(s[k] - exact[k]));
    close_machine(&m);
    return off;
}

static void methods_agree_with_it(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        nt_frame frame;
    } second_order[] = {{"generalized-alpha", NT_INERTIAL},
                        {"generalized-alpha", NT_BODY},
                        {"generalized-alpha", NT_SE3},
                        {"generalized-alpha-soi2", NT_INERTIAL}};
    static const struct {
        const char *method;
        double tolerance, error;
    } controlled[] = {
        {"rkmk-dop853", 1e-10, 1e-9}, {"rkmk-dopri5", 1e-10, 1e-8}, {"bdf", 1e-9, 1e-6}};
    for (size_t i = 0; i < sizeof second_order / sizeof *second_order; i++) {
        const char *method = second_order[i].method;
        double coarse = error_of(method, 0, 1e-3, second_order[i].frame);
        double fine = error_of(method, 0, 5e-4, second_order[i].frame);
        print_message("%-24s off by %.1e, %.1e with half the step\n", method, coarse, fine);
        assert_true(coarse < 1e-4 && coarse / fine > 3.8 && coarse / fine < 4.2);
    }
    for (size_t i = 0; i < sizeof controlled / sizeof *controlled; i++) {
        double off = error_of(controlled[i].method, controlled[i].tolerance, 1e-3, NT_INERTIAL);
        print_message("%-24s off by %.1e\n", controlled[i].method, off);
        assert_true(off < controlled[i].error);
    }
}

static void the_tangent_is_exact(void **state)
{
    (void)state;
    machine m;
    nt_error error = {0};
    double q[8], v[8], vdot[8], difference;
    open_machine(&m, "generalized-alpha", 0, NT_INERTIAL);
    nt_run_initial(m.run, q, v, NULL);
    for (int i = 0; i < 8; i++)
        vdot[i] = 0.1 * (i + 1);
    nt_point at = {.q = q, .v = v, .vdot = vdot, .lambda = vdot, .mu = vdot};
    assert_int_equal(nt_system_check_tangent(nt_run_system(m.run), &at, 1e-6, &difference, &error),
                     NT_OK);
    assert_true(difference < 1e-8);
    close_machine(&m);
}

static void energy_is_kept_where_nothing_takes_it(void **state)
{
    (void)state;
    machine m;
    nt_error error = {0};
    open_machine(&m, "rkmk-dop853", 1e-10, NT_INERTIAL);
    assert_int_equal(nt_model_set(m.run, "c1", 0, &error), NT_OK);
    assert_int_equal(nt_model_set(m.run, "c3", 0, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error), NT_OK);
    nt_quantity_info energy;
    double before[4], after[4];
    assert_int_equal(nt_model_quantity(m.model, "energy", &energy, &error), NT_OK);
    nt_state now = nt_integrator_state(m.integrator);
    assert_int_equal(nt_run_sample(m.run, &energy, &now, NULL, before, &error), NT_OK);
    assert_int_equal(nt_integrator_run(m.integrator, 1, 1e-3, NULL, NULL, &error), NT_OK);
    now = nt_integrator_state(m.integrator);
    assert_int_equal(nt_run_sample(m.run, &energy, &now, NULL, after, &error), NT_OK);
    assert_true(fabs(before[2] - (2.4 * 0.09 / 2 + 50 * 0.01 / 2)) < 1e-12);
    assert_true(fabs(after[0] - before[0]) > 1e-2);
    assert_true(fabs(after[2] - before[2]) < 1e-9);
    close_machine(&m);
}

static void parameters_enter_arrays_and_begins(void **state)
{
    (void)state;
    static const int all[PARAMETERS] = {0, 1, 2, 3, 4, 5};
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha", "bdf"};
    static const double tolerance[] = {1e-10, 0, 1e-9}, allowed[] = {1e-8, 1e-3, 1e-4};
    for (int k = 0; k < 3; k++) {
        machine m;
        nt_sensitivity *sensitivity;
        nt_error error = {0};
        open_machine(&m, methods[k], tolerance[k], NT_INERTIAL);
        if (nt_sensitivity_create(&sensitivity, m.integrator, all, PARAMETERS, &error) != NT_OK ||
            nt_sensitivity_start(sensitivity, &error) != NT_OK ||
            nt_integrator_run(m.integrator, 1, 1e-3, NULL, NULL, &error) != NT_OK)
            fail_msg("%s: %s", methods[k], error.message);
        for (int i = 0; i < PARAMETERS; i++) {
            nt_state_tangent d = nt_sensitivity_state(sensitivity, i);
            double p[PARAMETERS], at[4][STATES], h = 1e-3 * given[i];
            memcpy(p, given, sizeof p);
            for (int n = 0; n < 4; n++) {
                p[i] = given[i] + h * (double[]){1, -1, 2, -2}[n];
                written_out(p, at[n]);
            }
            const double exact[STATES] = {d.q[0], d.v[0], d.v[6], d.q[7], d.v[7]};
            assert_true(fabs(exact[0] * given[i]) > 1e-5);
            double off = 0;
            for (int j = 0; j < STATES; j++)
                off = fmax(off, given[i] * fabs((8 * (at[0][j] - at[1][j]) - at[2][j] + at[3][j]) /
                                                    (12 * h) -
                                                exact[j]));
            print_message("%s, parameter %d: off by %.1e\n", methods[k], i, off);
            assert_true(off < allowed[k]);
        }
        nt_sensitivity_destroy(sensitivity);
        close_machine(&m);
    }
}

static void names_and_refusals_are_in_words(void **state)
{
    (void)state;
    machine m;
    char name[160];
    open_machine(&m, "generalized-alpha", 0, NT_INERTIAL);
    const nt_system *s = nt_run_system(m.run);
    s->coordinate_name(s->self, 6, name, sizeof name);
    assert_string_equal(name, "force strut, elongation of the dashpot");
    s->equation_name(s->self, 7, name, sizeof name);
    assert_string_equal(name, "equation of force ballast, coordinate 1");
    assert_false(s->capabilities & NT_HAS_MOMENTA);
    close_machine(&m);
    static const char bad[] = "nutate: 1\n"
                              "bodies: {b: {mass: 1}}\n"
                              "forces:\n"
                              "  s: {type: strut, on: b, coefficients: 3, dashpot: 1}\n"
                              "simulation: {duration: 1, step: 1}\n";
    nt_model *model;
    nt_error error = {0};
    assert_int_equal(nt_model_read_text(&model, bad, strlen(bad), "own", NULL, NULL, 0, &error),
                     NT_BAD_MODEL);
    assert_string_equal(error.message, "coefficients: expected a list of numbers, got '3'");
    assert_int_equal(error.line, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree_with_it),
        cmocka_unit_test(the_tangent_is_exact),
        cmocka_unit_test(energy_is_kept_where_nothing_takes_it),
        cmocka_unit_test(parameters_enter_arrays_and_begins),
        cmocka_unit_test(names_and_refusals_are_in_words),
    };
    nt_error error = {0};
    if (nt_element_type_add(&strut_type, &error) != NT_OK ||
        nt_element_type_add(&ballast_type, &error) != NT_OK) {
        print_error("%s\n", error.message);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
