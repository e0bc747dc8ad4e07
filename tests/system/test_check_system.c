/* Systems that contradict themselves are refused in words that name the public function, the field
 * and what was expected of it. */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Two bodies R^3 x SO(3), three rows, with everything that a system can declare. */
static nt_block blocks[2];
static double mass[12], inertia[18];
static nt_momenta momenta = {.mass = mass, .inertia = inertia};
static nt_quantity v_quantity[12], row_quantity[3];
static int given_rows[2], carriers[2];
static const char *names[2];
static double scale[2];
static nt_events events;

static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self, (void)at, (void)terms;
    return NT_OK;
}
static nt_status energy(void *self, const nt_point *at, nt_energy *out)
{
    (void)self, (void)at;
    *out = (nt_energy){0};
    return NT_OK;
}
static nt_status set_parameters(void *self, const double *p)
{
    (void)self, (void)p;
    return NT_OK;
}
static void get_parameters(void *self, double *p)
{
    (void)self;
    p[0] = p[1] = 0;
}
static nt_status parameter_tangent(void *self, const nt_point *at, int k, const nt_terms *terms)
{
    (void)self, (void)at, (void)k, (void)terms;
    return NT_OK;
}
static nt_status indicate(void *self, const nt_point *at, double *g, unsigned char *way)
{
    (void)self, (void)at, (void)g, (void)way;
    return NT_OK;
}
static nt_status happen(void *self, nt_instant *instant, nt_error *error)
{
    (void)self, (void)instant, (void)error;
    return NT_OK;
}
static nt_status given(void *self, int block, double t, const double *at, nt_given_rotation *out)
{
    (void)self, (void)block, (void)t, (void)at, (void)out;
    return NT_OK;
}

static nt_system good(void)
{
    for (int b = 0; b < 2; b++) {
        blocks[b] = (nt_block){.kind = NT_R3SO3};
        carriers[b] = b;
        given_rows[b] = -1;
        names[b] = "p";
        scale[b] = 1;
    }
    for (int i = 0; i < 12; i++)
        v_quantity[i] = NT_LENGTH;
    for (int i = 0; i < 3; i++)
        row_quantity[i] = NT_ANGLE;
    given_rows[1] = 0;
    momenta = (nt_momenta){.mass = mass, .inertia = inertia};
    events = (nt_events){.n = 2, .indicate = indicate, .happen = happen};
    nt_system s = {.version = NT_INTERFACE,
                   .nh = 3,
                   .v_quantity = v_quantity,
                   .row_quantity = row_quantity,
                   .capabilities = NT_HAS_TANGENT | NT_HAS_ENERGY | NT_HAS_MOMENTA |
                                   NT_HAS_PARAMETERS | NT_HAS_PARAMETER_TANGENT,
                   .n_memory = 4,
                   .n_parameters = 2,
                   .parameter_names = names,
                   .parameter_scale = scale,
                   .evaluate = evaluate,
                   .energy = energy,
                   .set_parameters = set_parameters,
                   .get_parameters = get_parameters,
                   .parameter_tangent = parameter_tangent,
                   .momenta = &momenta,
                   .events = &events,
                   .given_rows = given_rows,
                   .given = given,
                   .carriers = carriers};
    nt_space_init(&s.space, blocks, 2);
    return s;
}

/* Refused by the check itself, and by whoever takes a system, in that function's name. */
static void refused(const nt_system *s, const char *field)
{
    char words[160];
    nt_error error = {0};
    assert_int_equal(nt_system_check(s, &error), NT_INVALID);
    snprintf(words, sizeof words, "nt_system_check: system.%s", field);
    if (strncmp(error.message, words, strlen(words)) != 0)
        fail_msg("\"%s\"; expected \"%s\"", error.message, words);
    nt_integrator *it;
    nt_integrator_setup setup = {.system = s, .method = nt_method_find("generalized-alpha")};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_INVALID);
    snprintf(words, sizeof words, "nt_integrator_create: setup.system.%s", field);
    if (strncmp(error.message, words, strlen(words)) != 0)
        fail_msg("\"%s\"; expected \"%s\"", error.message, words);
}

#define BAD(field, change)                                                                         \
    do {                                                                                           \
        nt_system s = good();                                                                      \
        change;                                                                                    \
        refused(&s, field);                                                                        \
    } while (0)

static void a_good_one_is_taken(void **state)
{
    nt_system s = good();
    nt_error error = {0};
    (void)state;
    if (nt_system_check(&s, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static void counts_and_lengths(void **state)
{
    (void)state;
    BAD("nh is -1", s.nh = -1);
    BAD("nn is -1", s.nn = -1);
    BAD("n_memory is -4", s.n_memory = -4);
    BAD("n_parameters is -1", s.n_parameters = -1);
    BAD("space.nv is 0", s.space.nv = 0);
    BAD("space.n_blocks is 0", s.space.n_blocks = 0);
    BAD("length is nan", s.length = (double)NAN);
    BAD("length is -1", s.length = -1);
    BAD("length is inf", s.length = (double)INFINITY);
    BAD("parameter_scale[1] is nan", scale[1] = (double)NAN);
    BAD("parameter_scale[0] is 0", scale[0] = 0);
    BAD("parameter_names[1] is NULL", names[1] = NULL);
    BAD("v_quantity[3] is 77", v_quantity[3] = (nt_quantity)77);
    BAD("row_quantity[2] is 77", row_quantity[2] = (nt_quantity)77);
}

static void spaces(void **state)
{
    (void)state;
    BAD("space.blocks is NULL", s.space.blocks = NULL);
    BAD("space.blocks[1].kind is 77", blocks[1].kind = (nt_block_kind)77);
    BAD("space: block 1 is not laid out", blocks[1].v = 0);
    BAD("space: block 1 is not laid out", blocks[1].rotation = 5);
    BAD("space: block 0 is not laid out", blocks[0].nq = 70);
    BAD("space: blocks add up", s.space.nq = 15);
    BAD("space: blocks add up", s.space.n_rotations = 3);
    BAD("space: blocks add up", s.space.n_first = 1);
}

static void capabilities(void **state)
{
    (void)state;
    BAD("evaluate is NULL", s.evaluate = NULL);
    BAD("energy is NULL, but .capabilities declares NT_HAS_ENERGY", s.energy = NULL);
    BAD("set_parameters is NULL", s.set_parameters = NULL);
    BAD("get_parameters is NULL", s.get_parameters = NULL);
    BAD("parameter_tangent is NULL", s.parameter_tangent = NULL);
    BAD("momenta is NULL", s.momenta = NULL);
    BAD("momenta.mass is NULL", momenta.mass = NULL);
    BAD("momenta.inertia is NULL", momenta.inertia = NULL);
    BAD("capabilities is 0x80000079", s.capabilities |= 1u << 31);
}

static void happenings(void **state)
{
    (void)state;
    BAD("events.happen is NULL", events.happen = NULL);
    BAD("events.indicate is NULL", events.indicate = NULL);
    BAD("events.sides is 1", events.sides = 1);
    BAD("events.sides is -1", events.sides = -1);
    BAD("events: -1 indicators", events.n = -1);
    BAD("events: 2 indicators and 1 sliding rows", events.n_sliding = 1);
}

static void lists_of_blocks(void **state)
{
    (void)state;
    BAD("given is NULL, but .given_rows is not", s.given = NULL);
    BAD("given_rows is NULL, but .given is not", s.given_rows = NULL);
    BAD("given_rows[1] is 1", given_rows[1] = 1);
    BAD("given_rows[0] is -2", given_rows[0] = -2);
    BAD("carriers[1] is 2", carriers[1] = 2);
    BAD("carriers[0] is -1", carriers[0] = -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_one_is_taken),
        cmocka_unit_test(counts_and_lengths),
        cmocka_unit_test(spaces),
        cmocka_unit_test(capabilities),
        cmocka_unit_test(happenings),
        cmocka_unit_test(lists_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
