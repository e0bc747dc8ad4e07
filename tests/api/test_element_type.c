/* An element type written outside of the library, by its public headers alone: read from a model
 * file, with exact tangents and derivatives in parameters.
 *
 *   magnet   f = strength / (d^2 + soft^2) along d, from A's reference point to B's, pulling */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct magnet {
    unsigned given;
    int between[2];
    double strength, soft;
    double soft_squared; /* derived */
} magnet;

static const nt_key keys[] = {
    {.name = "between",
     .type = NT_KEY_BODIES,
     .offset = offsetof(magnet, between),
     .bit = 0,
     .required = true,
     .meaning = "bodies A and B"},
    {.name = "strength",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(magnet, strength),
     .bit = 1,
     .required = true,
     .unit = "N m^2",
     .meaning = "of the pull"},
    {.name = "soft",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(magnet, soft),
     .bit = 2,
     .required = true,
     .unit = "m",
     .meaning = "distance within which the pull is soft"},
    {.name = NULL},
};

static nt_status prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    magnet *m = nt_element_numbers_in(run, element);
    m->soft_squared = m->soft * m->soft;
    if (validate && !(m->soft > 0))
        return nt_element_refuse(run, element, error, "soft is not positive");
    return NT_OK;
}

static nt_status declare(nt_model *model, nt_element *element)
{
    static const int ports[2] = {NT_T_A, NT_T_B};
    nt_status status = NT_OK;
    for (int i = 0; i < 4 && status == NT_OK; i++)
        status = nt_element_couple(model, element, ports[i / 2], ports[i % 2], NT_FULL);
    return status;
}

static nt_status evaluate_of(const nt_element *element, const nt_view *view, const magnet *m)
{
    nt_v3 a = view->motion[element->a].x, b = view->motion[element->b].x;
    double d[3] = {b.x - a.x, b.y - a.y, b.z - a.z};
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], D = square + m->soft_squared;
    double length = sqrt(square), f = m->strength / D; /* on A towards B: f d / length */
    if (view->energy) {                                /* f = dV/d(length) */
        view->energy->potential += m->strength / m->soft * atan(length / m->soft);
        return NT_OK;
    }
    if (!(view->terms->parts & element->part))
        return NT_OK;
    double g = f / length, slope = -(2 / D + 1 / square) * g;
    if (view->terms->residual) {
        nt_view_force(view, NT_T_A, (nt_v3){-g * d[0], -g * d[1], -g * d[2]});
        nt_view_force(view, NT_T_B, (nt_v3){g * d[0], g * d[1], g * d[2]});
    }
    if (view->terms->matrix) {
        double k = view->terms->combination->stiffness, K[9];
        for (int i = 0; i < 9; i++)
            K[i] = k * (slope * d[i / 3] * d[i % 3] + (i / 3 == i % 3 ? g : 0));
        nt_m3 on = {K[0], K[1], K[2], K[3], K[4], K[5], K[6], K[7], K[8]}, off = on;
        double *entry = &off.xx;
        for (int i = 0; i < 9; i++)
            entry[i] = -entry[i];
        nt_view_add(view, NT_T_A, NT_T_A, on);
        nt_view_add(view, NT_T_B, NT_T_B, on);
        nt_view_add(view, NT_T_A, NT_T_B, off);
        nt_view_add(view, NT_T_B, NT_T_A, off);
    }
    return NT_OK;
}

static nt_status evaluate(const nt_element *element, const nt_view *view)
{
    return evaluate_of(element, view, nt_element_data_in(view->run, element));
}

/* The same law, of which a number is kept apart from the data: as a double, as a float, as an
 * integer. */
static double kept_apart;
static float kept_as_float;
static int kept_as_integer;

static nt_status prepare_apart(nt_run *run, const nt_element *element, bool validate,
                               nt_error *error)
{
    magnet *m = nt_element_numbers_in(run, element);
    nt_status status = prepare(run, element, validate, error);
    kept_apart = m->soft_squared;
    m->soft_squared = 0;
    return status;
}

static nt_status evaluate_apart(const nt_element *element, const nt_view *view)
{
    magnet m = *(const magnet *)nt_element_data_in(view->run, element);
    m.soft_squared = kept_apart;
    return evaluate_of(element, view, &m);
}

static nt_status prepare_apart_as_float(nt_run *run, const nt_element *element, bool validate,
                                        nt_error *error)
{
    nt_status status = prepare_apart(run, element, validate, error);
    kept_as_float = (float)kept_apart;
    return status;
}

static nt_status evaluate_apart_as_float(const nt_element *element, const nt_view *view)
{
    magnet m = *(const magnet *)nt_element_data_in(view->run, element);
    m.soft_squared = (double)kept_as_float;
    return evaluate_of(element, view, &m);
}

/* With a number in the data besides, whose derivative is found within small steps alone. */
typedef struct narrow {
    magnet magnet;
    double steep;
} narrow;

static nt_status prepare_apart_as_integer(nt_run *run, const nt_element *element, bool validate,
                                          nt_error *error)
{
    narrow *n = nt_element_numbers_in(run, element);
    nt_status status = prepare_apart(run, element, validate, error);
    kept_as_integer = (int)lround(1e4 * kept_apart);
    n->steep = 1 / (n->magnet.soft - 0.399);
    return status;
}

static nt_status evaluate_apart_as_integer(const nt_element *element, const nt_view *view)
{
    magnet m = *(const magnet *)nt_element_data_in(view->run, element);
    m.soft_squared = 1e-4 * kept_as_integer;
    return evaluate_of(element, view, &m);
}

/* And one that is in the data as a float, with a word to itself, and as integers of either sign. */
typedef struct disguised {
    magnet magnet;
    float soft_squared;
} disguised;

typedef struct counted {
    magnet magnet;
    int soft_squared, less;
} counted;

static nt_status prepare_disguised(nt_run *run, const nt_element *element, bool validate,
                                   nt_error *error)
{
    disguised *d = nt_element_numbers_in(run, element);
    nt_status status = prepare(run, element, validate, error);
    d->soft_squared = (float)d->magnet.soft_squared;
    d->magnet.soft_squared = 0;
    return status;
}

static nt_status evaluate_disguised(const nt_element *element, const nt_view *view)
{
    const disguised *d = nt_element_data_in(view->run, element);
    magnet m = d->magnet;
    m.soft_squared = (double)d->soft_squared;
    return evaluate_of(element, view, &m);
}

/* Two floats in one word, both of which follow, or the one behind alone. */
typedef struct paired {
    magnet magnet;
    float soft_squared, other;
} paired;

static nt_status prepare_paired(nt_run *run, const nt_element *element, bool validate,
                                nt_error *error)
{
    paired *p = nt_element_numbers_in(run, element);
    nt_status status = prepare_disguised(run, element, validate, error);
    p->other = 1 + 2 * p->soft_squared;
    return status;
}

typedef struct turned {
    magnet magnet;
    float other, soft_squared;
} turned;

static nt_status prepare_turned(nt_run *run, const nt_element *element, bool validate,
                                nt_error *error)
{
    turned *t = nt_element_numbers_in(run, element);
    nt_status status = prepare(run, element, validate, error);
    t->soft_squared = (float)t->magnet.soft_squared;
    t->other = 1.7F;
    t->magnet.soft_squared = 0;
    return status;
}

static nt_status evaluate_turned(const nt_element *element, const nt_view *view)
{
    const turned *t = nt_element_data_in(view->run, element);
    magnet m = t->magnet;
    m.soft_squared = (double)t->soft_squared;
    return evaluate_of(element, view, &m);
}

/* A law that acts later, and one that acts far away, by a number that is kept apart. */
static nt_status evaluate_later(const nt_element *element, const nt_view *view)
{
    magnet m = *(const magnet *)nt_element_data_in(view->run, element);
    m.soft_squared = view->at->t < 0.02 ? 0.25 : kept_apart;
    return evaluate_of(element, view, &m);
}

static nt_status evaluate_afar(const nt_element *element, const nt_view *view)
{
    magnet m = *(const magnet *)nt_element_data_in(view->run, element);
    nt_v3 a = view->motion[element->a].x, b = view->motion[element->b].x;
    m.soft_squared = fabs(a.x - b.x) + fabs(a.y - b.y) < 3 ? 0.25 : kept_apart;
    return evaluate_of(element, view, &m);
}

static nt_status prepare_counted(nt_run *run, const nt_element *element, bool validate,
                                 nt_error *error)
{
    counted *c = nt_element_numbers_in(run, element);
    nt_status status = prepare(run, element, validate, error);
    c->soft_squared = (int)lround(1e4 * c->magnet.soft_squared);
    c->less = -c->soft_squared;
    c->magnet.soft_squared = 0;
    return status;
}

static nt_status evaluate_counted(const nt_element *element, const nt_view *view)
{
    const counted *c = nt_element_data_in(view->run, element);
    magnet m = c->magnet;
    m.soft_squared = 1e-4 * c->soft_squared;
    return evaluate_of(element, view, &m);
}

static const nt_element_type type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "magnet",
    .summary = "two bodies pull each other",
    .keys = keys,
    .size = sizeof(magnet),
    .part = NT_EXPLICIT,
    .prepare = prepare,
    .declare = declare,
    .evaluate = evaluate,
};

#define HIDDEN(word, data, how) HIDDEN_SO(word, data, prepare_##how, evaluate_##how)
#define HIDDEN_SO(word, data, first, then)                                                         \
    {                                                                                              \
        .version = NT_ELEMENT_VERSION, .section = &nt_force_section, .name = word,                 \
        .summary = "two bodies pull each other", .keys = keys, .size = sizeof(data),               \
        .part = NT_EXPLICIT, .prepare = first, .declare = declare, .evaluate = then                \
    }
static const nt_element_type hidden[] = {
    HIDDEN("apart", magnet, apart),
    HIDDEN("afloat", magnet, apart_as_float),
    HIDDEN("acount", narrow, apart_as_integer),
    HIDDEN_SO("later", magnet, prepare_apart, evaluate_later),
    HIDDEN_SO("afar", magnet, prepare_apart, evaluate_afar),
    HIDDEN("float", disguised, disguised),
    HIDDEN("count", counted, counted),
    HIDDEN_SO("pair", paired, prepare_paired, evaluate_disguised),
    HIDDEN("turned", turned, turned),
};
enum { N_HIDDEN = sizeof hidden / sizeof hidden[0], FIRST_IN_DATA = 5 };

static const char text[] = "nutate: 1\n"
                           "parameters: {c: 3, s: 0.4}\n"
                           "gravity: [0, 0, 0]\n"
                           "bodies:\n"
                           "  one: {mass: 1, inertia: [1, 1, 1], velocity: [0, 0.5, 0]}\n"
                           "  two: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0.3]}\n"
                           "forces: {pull: {type: magnet, between: [one, two], strength: c^2, "
                           "soft: s}}\n"
                           "simulation: {duration: 1, step: 1e-3, method: rkmk-dop853}\n";

static nt_run *open_run(nt_model **model)
{
    nt_error error = {0};
    nt_run *run;
    if (nt_model_read_text(model, text, strlen(text), "magnet", NULL, NULL, 0, &error) != NT_OK ||
        nt_run_create(&run, *model, &error) != NT_OK)
        fail_msg("%s", error.message);
    return run;
}

static void it_is_read_and_moves(void **state)
{
    (void)state;
    nt_model *model;
    nt_run *run = open_run(&model);
    nt_quantity_info none;
    nt_error untold = {0};
    assert_int_equal(nt_model_quantity(model, "pull.force", &none, &untold), NT_BAD_MODEL);
    assert_non_null(strstr(untold.message, "its type does not tell it"));
    nt_integrator_setup setup = {0};
    nt_integrator *integrator;
    nt_error error = {0};
    nt_quantity_info energy;
    double before[4], after[4], momentum[3];
    assert_int_equal(nt_run_setup(run, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_create(&integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(integrator, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_model_quantity(model, "energy", &energy, &error), NT_OK);
    nt_state now = nt_integrator_state(integrator);
    assert_int_equal(nt_run_sample(run, &energy, &now, NULL, before, &error), NT_OK);
    assert_int_equal(nt_integrator_run(integrator, 1, 1e-3, NULL, NULL, &error), NT_OK);
    now = nt_integrator_state(integrator);
    assert_int_equal(nt_run_sample(run, &energy, &now, NULL, after, &error), NT_OK);
    assert_true(fabs(after[0] - before[0]) > 0.1); /* it fell towards the other one */
    assert_true(fabs(after[2] - before[2]) < 1e-11 * before[2]);
    assert_int_equal(nt_model_quantity(model, "momentum", &energy, &error), NT_OK);
    assert_int_equal(nt_run_sample(run, &energy, &now, NULL, momentum, &error), NT_OK);
    assert_true(fabs(momentum[0]) < 1e-13 && fabs(momentum[1] - 0.5) < 1e-13);
    nt_integrator_destroy(integrator);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

static void its_tangent_is_exact(void **state)
{
    (void)state;
    nt_model *model;
    nt_run *run = open_run(&model);
    nt_error error = {0};
    double q[14], v[12], zero[12] = {0}, difference;
    nt_run_initial(run, q, v, NULL);
    nt_point at = {.q = q, .v = v, .vdot = zero, .lambda = zero, .mu = zero};
    assert_int_equal(nt_system_check_tangent(nt_run_system(run), &at, 1e-6, &difference, &error),
                     NT_OK);
    assert_true(difference < 1e-8);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

static void residual(nt_run *run, const double *p, double *out)
{
    const nt_system *s = nt_run_system(run);
    double q[14], v[12], zero[12] = {0};
    assert_int_equal(s->set_parameters(s->self, p), NT_OK);
    nt_run_initial(run, q, v, NULL);
    nt_point at = {.q = q, .v = v, .vdot = zero, .lambda = zero, .mu = zero};
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = out};
    memset(out, 0, 12 * sizeof *out);
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
}

static void parameters_enter_it(void **state)
{
    (void)state;
    nt_model *model;
    nt_run *run = open_run(&model);
    const nt_system *s = nt_run_system(run);
    double q[14], v[12], zero[12] = {0};
    nt_run_initial(run, q, v, NULL);
    nt_point at = {.q = q, .v = v, .vdot = zero, .lambda = zero, .mu = zero};
    for (int k = 0; k < 2; k++) {
        double p[2] = {3, 0.4}, exact[12] = {0}, plus[12], minus[12], h = 1e-5;
        nt_terms terms = {.parts = NT_ALL_PARTS, .residual = exact};
        assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
        p[k] += h;
        residual(run, p, plus);
        p[k] -= 2 * h;
        residual(run, p, minus);
        p[k] += h;
        residual(run, p, zero);
        memset(zero, 0, sizeof zero);
        assert_true(fabs(exact[0]) > 0.1);
        for (int i = 0; i < 12; i++)
            assert_true(fabs((plus[i] - minus[i]) / (2 * h) - exact[i]) < 1e-7);
    }
    nt_run_destroy(run);
    nt_model_destroy(model);
}

/* Where body one is after a tenth of a second, with its derivative in s where `out` is not NULL. */
static double place_after(nt_run *run, const double *p, double *out)
{
    static const int in_s[1] = {1};
    const nt_system *s = nt_run_system(run);
    nt_integrator_setup setup = {0};
    nt_integrator *integrator;
    nt_sensitivity *sensitivity = NULL;
    nt_error error = {0};
    assert_int_equal(s->set_parameters(s->self, p), NT_OK);
    assert_int_equal(nt_run_setup(run, &setup, &error), NT_OK);
    setup.method = nt_method_find("generalized-alpha");
    assert_int_equal(nt_integrator_create(&integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(integrator, 0, NULL, NULL, NULL, &error), NT_OK);
    if (out && (nt_sensitivity_create(&sensitivity, integrator, in_s, 1, &error) != NT_OK ||
                nt_sensitivity_start(sensitivity, &error) != NT_OK))
        fail_msg("%s", error.message);
    assert_int_equal(nt_integrator_run(integrator, 0.1, 1e-2, NULL, NULL, &error), NT_OK);
    double x = nt_integrator_state(integrator).q[0];
    if (out)
        *out = nt_sensitivity_state(sensitivity, 0).q[0];
    nt_sensitivity_destroy(sensitivity);
    nt_integrator_destroy(integrator);
    return x;
}

/* Numbers that a type keeps where no derivative is found: they are named, the run stays what it
 * was, and nobody is given a derivative that leaves them out. */
static void hidden_numbers_are_found(const nt_element_type *hides, const char *where, bool smooth)
{
    char words[sizeof text];
    nt_error error = {0};
    nt_model *model;
    nt_run *run;
    const int both[2] = {0, 1};
    snprintf(words, sizeof words, "%s", text);
    char *name = strstr(words, "magnet,");
    memset(name, ' ', 7);
    memcpy(name, hides->name, strlen(hides->name));
    name[strlen(hides->name)] = ',';
    assert_int_equal(
        nt_model_read_text(&model, words, strlen(words), "apart", NULL, NULL, 0, &error), NT_OK);
    assert_int_equal(nt_run_create(&run, model, &error), NT_OK);
    const nt_system *s = nt_run_system(run);
    double p[2] = {3, 0.4}, before[12], after[12], derivative, zero[12] = {0}, q[14], v[12];
    residual(run, p, before);
    assert_int_equal(nt_run_prepare_parameters(run, &both[0], 1, &error), NT_OK);
    assert_int_equal(nt_run_prepare_parameters(run, &both[1], 1, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, where));
    assert_int_equal(error.line, 7);
    nt_run_initial(run, q, v, NULL);
    nt_point at = {.q = q, .v = v, .vdot = zero, .lambda = zero, .mu = zero};
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = after};
    memset(after, 0, sizeof after);
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(s->parameter_tangent(s->self, &at, 1, &terms), NT_UNSUPPORTED);
    if (smooth) {
        place_after(run, p, &derivative);
        const double h = 1e-4, least[2] = {3, 0.4 - h}, most[2] = {3, 0.4 + h};
        double difference =
            (place_after(run, most, NULL) - place_after(run, least, NULL)) / (2 * h);
        assert_true(fabs(difference) > 1e-4);
        assert_true(fabs(derivative - difference) < 1e-6 * fabs(difference));
    }
    nt_run_destroy(run);
    nt_model_destroy(model);
}

static void what_is_kept_apart_is_found(void **state)
{
    (void)state;
    for (int i = 0; i < FIRST_IN_DATA; i++)
        hidden_numbers_are_found(&hidden[i],
                                 "derivatives in parameter s: force pull follows it by numbers "
                                 "that it keeps apart from its data",
                                 i == 0);
}

static void what_is_no_double_is_found(void **state)
{
    (void)state;
    for (int i = FIRST_IN_DATA; i < N_HIDDEN; i++)
        hidden_numbers_are_found(&hidden[i],
                                 "derivatives in parameter s: force pull follows it by numbers "
                                 "that are floats or integers in its data",
                                 false);
}

static int refused_rows(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return 1;
}

static nt_quantity refused_quantity(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element, (void)row;
    return NT_LENGTH;
}

static void what_is_no_type_is_refused(void **state)
{
    (void)state;
    nt_error error = {0};
    nt_element_type other = type;
    assert_int_equal(nt_element_type_add(NULL, &error), NT_INVALID);
    assert_int_equal(nt_element_type_add(&type, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "there is an element type magnet already"));
    other.name = "spring";
    assert_int_equal(nt_element_type_add(&other, &error), NT_INVALID);
    other.name = "newer";
    other.version = 99;
    assert_int_equal(nt_element_type_add(&other, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "version 99, expected 5"));
    other.version = NT_ELEMENT_VERSION;
    other.evaluate = NULL;
    assert_int_equal(nt_element_type_add(&other, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "lacks something"));
    /* each thing that is missing is named */
    nt_key list[2] = {type.keys[0], {.name = NULL}};
#define LACKS(words, change)                                                                       \
    do {                                                                                           \
        other = type, other.name = "newer";                                                        \
        change;                                                                                    \
        assert_int_equal(nt_element_type_add(&other, &error), NT_INVALID);                         \
        if (!strstr(error.message, words))                                                         \
            fail_msg("\"%s\"; expected \"%s\"", error.message, words);                             \
    } while (0)
    LACKS("name, expected a letter", other.name = "");
    LACKS("name, expected a letter", other.name = "two words");
    LACKS("name, expected a letter", other.name = NULL);
    LACKS("section, expected", other.section = NULL);
    LACKS("summary", other.summary = NULL);
    LACKS("keys", other.keys = NULL);
    LACKS("size of data", other.size = 0);
    LACKS("part, expected", other.part = 0);
    LACKS("row_quantity", other.rates = refused_rows);
    LACKS("row_name", (other.rows = refused_rows, other.row_quantity = refused_quantity));
    LACKS("momentum", other.has_inertia = true);
    LACKS("n_memory, expected", other.n_memory = -1);
    LACKS("accept", other.n_memory = 2);
    LACKS("key '' lacks", (list[0].name = "", other.keys = list));
    list[0] = type.keys[0];
    LACKS("lacks something: expected a name", (list[0].bit = 32, other.keys = list));
    list[0] = type.keys[0];
    LACKS("lacks something: expected a name", (list[0].offset = other.size, other.keys = list));
#undef LACKS
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_read_and_moves),       cmocka_unit_test(its_tangent_is_exact),
        cmocka_unit_test(parameters_enter_it),        cmocka_unit_test(what_is_kept_apart_is_found),
        cmocka_unit_test(what_is_no_type_is_refused), cmocka_unit_test(what_is_no_double_is_found),
    };
    nt_error error = {0};
    nt_status status = nt_element_type_add(&type, &error);
    for (int i = 0; i < N_HIDDEN && status == NT_OK; i++)
        status = nt_element_type_add(&hidden[i], &error);
    if (status != NT_OK) {
        print_error("%s\n", error.message);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
