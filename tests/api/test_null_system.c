/* The functions of a run's system called by hand, with NULL and numbers out of range in each place:
 * those with a status refuse with NT_INVALID, the others do nothing; and then the system still says
 * what it said before. Every function that a system may have is met in one of the examples here. */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rows that share a multiplier among two coordinates, and dry friction that is set-valued. */
static const char meshed[] =
    "nutate: 1\n"
    "bodies:\n"
    "  first: {mass: 1, inertia: [0.2, 0.2, 0.3]}\n"
    "  second: {mass: 1, inertia: [0.2, 0.2, 0.05], position: [1, 0, 0]}\n"
    "  nut: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "  cart: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0, 0]}\n"
    "  box: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [4, 0, 1]}\n"
    "joints:\n"
    "  mesh: {type: gear, joints: [a, b], ratio: -0.5}\n"
    "  a: {type: revolute, between: [ground, first], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {type: revolute, between: [ground, second], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {type: screw, between: [ground, nut], at: [2, 0, 0], axis: [0, 0, 1], pitch: 0.1}\n"
    "  d: {type: prismatic, between: [ground, cart], at: [3, 0, 0], axis: [1, 0, 0],\n"
    "      friction: {dry: 1, law: set-valued}}\n"
    "contacts:\n"
    "  floor: {type: sphere_plane, between: [ground, box], plane: {normal: [0, 0, 1]},\n"
    "          radius: 0.1, stiffness: 1e5, friction: {coefficient: 0.5, law: set-valued}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

static const char *const examples[] = {meshed,          "four_bar",       "escapement",
                                       "crane",         "bouncing_ball",  "latching_satellite",
                                       "rotating_beam", "bouncing_balls", "ball_bearing",
                                       "top_design"};
enum { N_EXAMPLES = sizeof examples / sizeof examples[0], MISSING = 99999 };

/* Which functions have been tried. */
enum { CARRY, NOTICED, GIVEN, ACCEPT, PARAMETERS, EVENTS, ROWS_OFF, DRY, GAINED, N_TRIED };
static int tried[N_TRIED];

#define INVALID(call) assert_int_equal(call, NT_INVALID)

typedef struct looks {
    nt_model *model;
    nt_run *run;
    const nt_system *s;
    nt_point at;
    double *q, *v, *vdot, *multipliers, *memory, *out, *p;
} looks;

static double *some(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void look_begin(looks *l, const char *name)
{
    char path[600];
    nt_error error;
    memset(l, 0, sizeof *l);
    snprintf(path, sizeof path, NUTATE_SOURCE_DIR "/examples/%.99s/%.99s.yaml", name, name);
    nt_status status = name == meshed ? nt_model_read_text(&l->model, name, strlen(name), "meshed",
                                                           NULL, NULL, 0, &error)
                                      : nt_model_read(&l->model, path, NULL, 0, &error);
    if (status != NT_OK || nt_run_create(&l->run, l->model, &error) != NT_OK)
        fail_msg("%s: %s", path, error.message);
    l->s = nt_run_system(l->run);
    const nt_space *space = &l->s->space;
    int rows = l->s->nh + l->s->nn, k = l->s->n_parameters;
    l->q = some(space->nq), l->v = some(space->nv), l->vdot = some(space->nv);
    l->multipliers = some(rows), l->memory = some(l->s->n_memory), l->p = some(k);
    l->out = some(2 * (space->nq + space->nv + rows + l->s->n_memory));
    nt_run_initial(l->run, l->q, l->v, l->memory);
    l->at = (nt_point){.t = nt_model_simulation(l->model)->start,
                       .q = l->q,
                       .v = l->v,
                       .vdot = l->vdot,
                       .lambda = l->multipliers,
                       .mu = l->multipliers + l->s->nh,
                       .memory = l->memory};
}

static void look_end(looks *l)
{
    free(l->q), free(l->v), free(l->vdot), free(l->multipliers), free(l->memory), free(l->out);
    free(l->p);
    nt_run_destroy(l->run);
    nt_model_destroy(l->model);
}

/* The point without one of its arrays. */
static nt_point point_without(const looks *l, int which)
{
    nt_point at = l->at;
    const double **const arrays[] = {&at.q, &at.v, &at.lambda, &at.mu};
    *arrays[which] = NULL;
    return at;
}

static void equations(const looks *l)
{
    const nt_system *s = l->s;
    const int sizes[4] = {s->space.nq, s->space.nv, s->nh, s->nn};
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = l->out, .rows = l->out + s->space.nv};
    nt_terms rows = {.level = NT_ACCELERATION, .rows = l->out};
    nt_energy energy;
    nt_point bare = {.t = l->at.t, .q = l->q, .v = l->v};
    INVALID(s->evaluate(NULL, &l->at, &terms));
    INVALID(s->evaluate(s->self, NULL, &terms));
    INVALID(s->evaluate(s->self, &l->at, NULL));
    INVALID(s->energy(NULL, &l->at, &energy));
    INVALID(s->energy(s->self, NULL, &energy));
    INVALID(s->energy(s->self, &l->at, NULL));
    INVALID(s->energies(NULL, &l->at, &energy));
    INVALID(s->energies(s->self, NULL, &energy));
    INVALID(s->energies(s->self, &l->at, NULL));
    for (int i = 0; i < 4; i++) {
        nt_point at = point_without(l, i);
        if (sizes[i] == 0)
            continue;
        INVALID(s->evaluate(s->self, &at, &terms));
        if (i < 2)
            INVALID(s->energy(s->self, &at, &energy));
        if (i < 2 && s->carry)
            INVALID(s->carry(s->self, &at, l->out));
    }
    nt_matrix *matrix;
    assert_int_equal(nt_matrix_create(&matrix, s->pattern), NT_OK);
    terms = (nt_terms){.parts = NT_INERTIA, .matrix = matrix};
    INVALID(s->evaluate(s->self, &l->at, &terms)); /* which tangent? */
    nt_matrix_destroy(matrix);
    /* what may be left out */
    assert_int_equal(s->evaluate(s->self, &bare, &rows), NT_OK);
    assert_int_equal(s->energy(s->self, &bare, &energy), NT_OK);
    if (s->carry)
        INVALID(s->carry(NULL, &l->at, l->out));
    tried[CARRY] += s->carry != NULL;
    if (s->noticed)
        assert_true(isnan(s->noticed(NULL, 0)));
    tried[NOTICED] += s->noticed != NULL;
    for (int b = 0; s->given && b < s->space.n_blocks; b++) {
        nt_given_rotation out;
        const double at[4] = {1};
        bool is = s->given_rows[b] >= 0;
        tried[GIVEN] += is;
        INVALID(s->given(NULL, b, 0, at, &out));
        INVALID(s->given(s->self, b, 0, NULL, &out));
        INVALID(s->given(s->self, b, 0, at, NULL));
        assert_int_equal(s->given(s->self, b, 0, at, &out), is ? NT_OK : NT_INVALID);
        INVALID(s->given(s->self, s->space.n_blocks, 0, at, &out));
        INVALID(s->given(s->self, -1, 0, at, &out));
    }
}

static void parameters(const looks *l)
{
    const nt_system *s = l->s;
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = l->out};
    const nt_point_tangent along = {.memory = l->memory};
    nt_energy energy;
    const int wrong[] = {-1, MISSING, s->n_parameters};
    double t = l->at.t;
    s->get_parameters(NULL, l->p);
    s->get_parameters(s->self, NULL);
    s->get_parameters(s->self, l->p);
    INVALID(s->set_parameters(NULL, l->p));
    for (int i = 0; i < 3; i++) {
        INVALID(s->parameter_tangent(s->self, &l->at, wrong[i], &terms));
        INVALID(s->energy_tangent(s->self, &l->at, wrong[i], &energy));
        INVALID(s->initial_tangent(s->self, t, wrong[i], l->out, l->out, l->memory));
        INVALID(s->accept_tangent(s->self, &l->at, wrong[i], &along, l->out));
    }
    INVALID(s->initial(NULL, t, l->q, l->v, l->memory));
    INVALID(s->initial(s->self, t, NULL, l->v, l->memory));
    INVALID(s->initial(s->self, t, l->q, NULL, l->memory));
    if (s->n_memory > 0)
        INVALID(s->initial(s->self, t, l->q, l->v, NULL));
    if (s->accept) {
        nt_point at = point_without(l, 0);
        tried[ACCEPT]++;
        memset(l->out, 0, sizeof *l->out);
        s->accept(NULL, &l->at, l->out);
        s->accept(s->self, NULL, l->out);
        s->accept(s->self, &at, l->out);
        s->accept(s->self, &l->at, NULL);
        assert_true(l->out[0] == 0);
    }
    if (s->n_parameters == 0)
        return;
    tried[PARAMETERS]++;
    INVALID(s->set_parameters(s->self, NULL));
    INVALID(s->parameter_tangent(NULL, &l->at, 0, &terms));
    INVALID(s->parameter_tangent(s->self, NULL, 0, &terms));
    INVALID(s->parameter_tangent(s->self, &l->at, 0, NULL));
    INVALID(s->energy_tangent(NULL, &l->at, 0, &energy));
    INVALID(s->energy_tangent(s->self, NULL, 0, &energy));
    INVALID(s->energy_tangent(s->self, &l->at, 0, NULL));
    INVALID(s->initial_tangent(NULL, t, 0, l->out, l->out, l->memory));
    INVALID(s->initial_tangent(s->self, t, 0, NULL, l->out, l->memory));
    INVALID(s->initial_tangent(s->self, t, 0, l->out, NULL, l->memory));
    INVALID(s->accept_tangent(NULL, &l->at, 0, &along, l->out));
    INVALID(s->accept_tangent(s->self, NULL, 0, &along, l->out));
    INVALID(s->accept_tangent(s->self, &l->at, 0, NULL, l->out));
    INVALID(s->accept_tangent(s->self, &l->at, 0, &along, NULL));
    for (int i = 0; i < 2; i++) {
        nt_point at = point_without(l, i);
        INVALID(s->parameter_tangent(s->self, &at, 0, &terms));
        INVALID(s->energy_tangent(s->self, &at, 0, &energy));
    }
}

static void words(const looks *l)
{
    const nt_system *s = l->s;
    void (*const names[])(void *, int, char *, int) = {
        s->equation_name, s->coordinate_name, s->events ? s->events->word : NULL,
        s->events ? s->events->indicator_word : NULL, s->events ? s->events->dry_word : NULL};
    nt_point at = point_without(l, 1);
    char text[200];
    for (int i = 0; i < 5; i++) {
        const int numbers[] = {0, -1, MISSING};
        for (int k = 0; k < 3 && names[i]; k++) {
            strcpy(text, "x");
            names[i](NULL, numbers[k], text, sizeof text);
            names[i](s->self, numbers[k], NULL, sizeof text);
            names[i](s->self, numbers[k], text, 0);
            memset(text, 'x', sizeof text);
            names[i](s->self, numbers[k], text, sizeof text);
            assert_non_null(memchr(text, '\0', sizeof text));
        }
    }
    strcpy(text, "x");
    s->failure(NULL, text, sizeof text);
    assert_string_equal(text, "");
    s->failure(s->self, NULL, sizeof text);
    nt_error place = {0};
    s->place(NULL, 0, &place);
    s->place(s->self, 0, NULL);
    s->place(s->self, MISSING, &place);
    s->place(s->self, -2, &place);
    assert_int_equal(place.line, 0);
    s->feature(NULL, NT_FEATURE_ROTATIONS, &place);
    s->feature(s->self, NT_FEATURE_ROTATIONS, NULL);
    s->feature(s->self, (nt_feature)77, &place);
    assert_int_equal(place.line, 0);
    nt_meeting met;
    assert_true(!s->met || (!s->met(NULL, &l->at, &l->at, 0, false, &met) &&
                            !s->met(s->self, NULL, &l->at, 0, false, &met) &&
                            !s->met(s->self, &l->at, &at, 0, true, &met) &&
                            !s->met(s->self, &l->at, &l->at, 0, false, NULL)));
    if (s->bounces) {
        nt_bounce bounce[8] = {{.which = 77}};
        assert_true(s->n_bounces <= 8);
        s->bounces(NULL, &l->at, &l->at, bounce);
        s->bounces(s->self, NULL, &l->at, bounce);
        s->bounces(s->self, &l->at, &at, bounce);
        s->bounces(s->self, &l->at, &l->at, NULL);
        assert_int_equal(bounce[0].which, 77);
    }
    if (s->met_name)
        s->met_name(s->self, -1, text, sizeof text);
    tried[GAINED]++;
    s->energy_gained(NULL, &l->at, &l->at, -1, text, sizeof text);
    s->energy_gained(s->self, NULL, &l->at, -1, text, sizeof text);
    s->energy_gained(s->self, &at, &l->at, -1, text, sizeof text);
    s->energy_gained(s->self, &l->at, NULL, -1, text, sizeof text);
    s->energy_gained(s->self, &l->at, &at, -1, text, sizeof text);
    s->energy_gained(s->self, &l->at, &l->at, -1, NULL, sizeof text);
    s->energy_gained(s->self, &l->at, &l->at, -1, text, 0);
}

static void instants(const looks *l)
{
    const nt_system *s = l->s;
    const nt_events *events = s->events;
    const int rows = s->nh + s->nn;
    unsigned char *ways = calloc((size_t)(rows + events->n) + 1, 1);
    nt_dry_friction *parts = calloc((size_t)events->n_dry + 1, sizeof *parts);
    nt_instant instant = {.at = &l->at, .indicator = -1, .memory = l->memory};
    nt_point unremembered = l->at, still = l->at;
    double along[3] = {1}, g = 0;
    unremembered.memory = NULL;
    still.vdot = NULL;
    tried[EVENTS]++;
    INVALID(events->begin(NULL, &l->at, 1e-9, l->memory));
    INVALID(events->begin(s->self, NULL, 1e-9, l->memory));
    INVALID(events->begin(s->self, &l->at, 1e-9, NULL));
    assert_true(isnan(events->stop_after(NULL, 0, 1, 1, l->memory)));
    assert_true(isnan(events->stop_after(s->self, 0, 1, 1, NULL)));
    INVALID(events->indicate(NULL, &l->at, &g, ways));
    INVALID(events->indicate(s->self, NULL, &g, ways));
    INVALID(events->indicate(s->self, &unremembered, &g, ways));
    INVALID(events->indicate(s->self, &l->at, NULL, ways));
    INVALID(events->indicate(s->self, &l->at, &g, NULL));
    if (events->join) {
        INVALID(events->join(NULL, &instant, NULL));
        INVALID(events->join(s->self, NULL, NULL));
    }
    INVALID(events->happen(NULL, &instant, NULL));
    INVALID(events->happen(s->self, NULL, NULL));
    instant.memory = NULL;
    INVALID(events->happen(s->self, &instant, NULL));
    instant.memory = l->memory, instant.at = NULL;
    INVALID(events->happen(s->self, &instant, NULL));
    instant.at = &still;
    INVALID(events->happen(s->self, &instant, NULL));
    instant.at = &l->at, instant.indicator = events->n;
    INVALID(events->happen(s->self, &instant, NULL));
    if (events->rows_off) {
        tried[ROWS_OFF]++;
        events->rows_off(NULL, l->memory, ways);
        events->rows_off(s->self, l->memory, NULL);
        events->rows_off(s->self, NULL, ways);
    }
    tried[DRY] += events->n_dry > 0;
    INVALID(events->dry_look(NULL, &l->at, parts));
    INVALID(events->dry_look(s->self, NULL, parts));
    INVALID(events->dry_look(s->self, &unremembered, parts));
    INVALID(events->dry_look(s->self, &l->at, NULL));
    for (int i = -1; i <= events->n_dry; i += events->n_dry + 1)
        events->dry_hold(s->self, &l->at, i, NT_DRY_LOOSE, along, l->memory);
    for (int i = 0; i < events->n_dry; i++) {
        events->dry_hold(NULL, &l->at, i, NT_DRY_LOOSE, along, l->memory);
        events->dry_hold(s->self, NULL, i, NT_DRY_LOOSE, along, l->memory);
        events->dry_hold(s->self, &l->at, i, NT_DRY_LOOSE, NULL, l->memory);
        events->dry_hold(s->self, &l->at, i, NT_DRY_LOOSE, along, NULL);
    }
    free(parts);
    free(ways);
}

static void functions_refuse(void **state)
{
    (void)state;
    for (int i = 0; i < N_EXAMPLES; i++) {
        looks l;
        look_begin(&l, examples[i]);
        nt_terms terms = {.parts = NT_ALL_PARTS, .residual = l.out, .rows = l.out + l.s->space.nv};
        int n = l.s->space.nv + l.s->nh + l.s->nn;
        size_t size = (size_t)n * sizeof(double);
        double *before = some(n);
        assert_int_equal(l.s->evaluate(l.s->self, &l.at, &terms), NT_OK);
        memcpy(before, l.out, size);
        equations(&l);
        parameters(&l);
        words(&l);
        if (l.s->events)
            instants(&l);
        memset(l.out, 0, size);
        assert_int_equal(l.s->evaluate(l.s->self, &l.at, &terms), NT_OK);
        assert_memory_equal(l.out, before, size);
        free(before);
        look_end(&l);
    }
    for (int i = 0; i < N_TRIED; i++)
        if (tried[i] == 0)
            fail_msg("no example has function %d", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_refuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
