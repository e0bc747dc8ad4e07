/* A joint that is given by its equations alone, without and with their derivatives: the same motion
 * and forces as the library's joint of that kind, tangents that are right at every level. */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct ball_joint {
    unsigned given;
    int between[2];
    double knows; /* 1: it gives its derivatives, 2: it has no value */
} ball_joint;

static const nt_key keys[] = {
    {.name = "between",
     .type = NT_KEY_BODIES,
     .offset = offsetof(ball_joint, between),
     .bit = 0,
     .required = true,
     .meaning = "bodies A and B"},
    {.name = "knows",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(ball_joint, knows),
     .bit = 1,
     .required = true,
     .unit = "1",
     .meaning = "whether it gives its derivatives"},
    {.name = NULL},
};

static nt_status prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    (void)run, (void)element, (void)validate, (void)error;
    return NT_OK;
}

static nt_v3 turned(const nt_m3 *R, double x, double y, double z)
{
    return (nt_v3){R->xx * x + R->xy * y + R->xz * z, R->yx * x + R->yy * y + R->yz * z,
                   R->zx * x + R->zy * y + R->zz * z};
}

/* phi = x_B + R_B (0, -1, 0.2) - x_A - R_A (0.1, 0, 0) - (0, 0, 0.05) sin(3 t) */
static nt_status law(const nt_element *element, const nt_view *view, double t, const nt_motion *a,
                     const nt_motion *b, double *phi, double *jacobian)
{
    const ball_joint *p = nt_element_data_in(view->run, element);
    nt_v3 arm_a = turned(&a->R, 0.1, 0, 0), arm_b = turned(&b->R, 0, -1, 0.2);
    if (p->knows == 2)
        return NT_NOT_FINITE;
    phi[0] = b->x.x + arm_b.x - a->x.x - arm_a.x;
    phi[1] = b->x.y + arm_b.y - a->x.y - arm_a.y;
    phi[2] = b->x.z + arm_b.z - a->x.z - arm_a.z - 0.05 * sin(3 * t);
    if (!jacobian || p->knows != 1)
        return NT_OK;
    memset(jacobian, 0, 36 * sizeof *jacobian);
    for (int i = 0; i < 2; i++) {
        nt_v3 arm = i == 0 ? arm_a : arm_b;
        double s = i == 0 ? -1 : 1, *J = jacobian + 6 * i;
        J[0] = J[13] = J[26] = s;
        J[4] = s * arm.z, J[5] = -s * arm.y; /* theta x arm */
        J[15] = -s * arm.z, J[17] = s * arm.x;
        J[27] = s * arm.y, J[28] = -s * arm.x;
    }
    return NT_OK;
}

static nt_status evaluate(const nt_element *element, const nt_view *view)
{
    return nt_element_add_rows(element, view, law);
}

static int three(const nt_model *model, const nt_element *element)
{
    const ball_joint *p = nt_element_data_of(model, element);
    return p->knows >= 0 ? 3 : 0;
}

static nt_quantity row_quantity(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element, (void)row;
    return NT_LENGTH;
}

static const char *row_name(const nt_model *model, const nt_element *element, int row)
{
    static const char *const names[] = {"force along x", "force along y", "force along z"};
    (void)model, (void)element;
    return names[row];
}

static void reaction(const nt_element *element, const nt_view *view, nt_v3 *force, nt_v3 *torque)
{
    nt_element_rows_reaction(element, view, law, force, torque);
}

static const nt_element_type type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_joint_section,
    .name = "ball_joint",
    .summary = "a moving ball joint by its equations",
    .keys = keys,
    .size = sizeof(ball_joint),
    .rows = three,
    .prepare = prepare,
    .declare = nt_element_couple_rows,
    .evaluate = evaluate,
    .row_quantity = row_quantity,
    .row_name = row_name,
    .reaction = reaction,
};

static const char text[] =
    "nutate: 1\n"
    "bodies:\n"
    "  base: {mass: 5, inertia: [1, 2, 1.5], position: [0.1, 0, 0], angular_velocity: [0, 1.2, "
    "1.6]}\n"
    "  top: {mass: 2, inertia: [0.3, 0.1, 0.3], position: [0.2, 1, -0.2],\n"
    "        angular_velocity: [1, 30, -2]}\n"
    "joints:\n"
    "  hold: {type: revolute, between: [ground, base], at: [0, 0, 0], axis: [0, 0.6, 0.8]}\n"
    "  ball: {type: ball_joint, between: [base, top], knows: %d}\n"
    "simulation: {duration: 0.3, step: 1e-3, method: %s}\n"
    "output: {record: [top.position, top.orientation, energy]}\n";

typedef struct motion {
    nt_model *model;
    nt_run *run;
    nt_integrator *integrator;
    double out[11], lambda[8];
} motion;

static nt_status motion_make(motion *m, int knows, const char *method, nt_error *error)
{
    char file[1000];
    nt_integrator_setup setup = {0};
    snprintf(file, sizeof file, text, knows, method);
    nt_status status =
        nt_model_read_text(&m->model, file, strlen(file), "rows", NULL, NULL, 0, error);
    if (status == NT_OK)
        status = nt_run_create(&m->run, m->model, error);
    if (status == NT_OK)
        status = nt_run_setup(m->run, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_create(&m->integrator, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_start(m->integrator, 0, NULL, NULL, NULL, error);
    return status;
}

static void motion_free(motion *m)
{
    nt_integrator_destroy(m->integrator);
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
}

static void motion_end(motion *m, int knows, const char *method)
{
    static const char *const names[] = {"top.position", "top.orientation", "energy"};
    nt_error error = {0};
    if (motion_make(m, knows, method, &error) != NT_OK ||
        nt_integrator_run(m->integrator, 0.3, 1e-3, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_state state = nt_integrator_state(m->integrator);
    for (int i = 0, at = 0; i < 3; i++) {
        nt_quantity_info quantity;
        assert_int_equal(nt_model_quantity(m->model, names[i], &quantity, &error), NT_OK);
        assert_int_equal(nt_run_sample(m->run, &quantity, &state, NULL, m->out + at, &error),
                         NT_OK);
        at += quantity.columns;
    }
    memcpy(m->lambda, state.lambda, sizeof m->lambda);
    motion_free(m);
}

/* By differences and by given derivatives, at index 3 and with rows of velocities and
 * accelerations. The energy changes by the work of the moving joint alone. */
static void it_moves_the_same_either_way(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2",
                                          "rkmk-dop853"};
    for (int k = 0; k < 3; k++) {
        motion differences = {0}, given = {0};
        motion_end(&differences, 0, methods[k]);
        motion_end(&given, 1, methods[k]);
        for (int i = 0; i < 11; i++)
            assert_true(fabs(differences.out[i] - given.out[i]) < 1e-8 * (1 + fabs(given.out[i])));
        for (int i = 0; i < 8; i++)
            assert_true(fabs(differences.lambda[i] - given.lambda[i]) <
                        1e-5 * (1 + fabs(given.lambda[i])));
        /* kinetic + potential = that of the begin + work */
        motion start = {0};
        nt_error error = {0};
        nt_quantity_info energy;
        double begin[4];
        assert_int_equal(motion_make(&start, 1, methods[k], &error), NT_OK);
        nt_state state = nt_integrator_state(start.integrator);
        assert_int_equal(nt_model_quantity(start.model, "energy", &energy, &error), NT_OK);
        assert_int_equal(nt_run_sample(start.run, &energy, &state, NULL, begin, &error), NT_OK);
        double work = given.out[10], change = given.out[9] - begin[2];
        assert_true(fabs(work) > 1e-2);
        assert_true(fabs(change - work) < 1e-3 * fabs(begin[0]));
        motion_free(&start);
    }
}

/* Its force on B is that of the multipliers, its torque that of the arm (0, -1, 0.2) of B. */
static void its_force_is_known(void **unused)
{
    (void)unused;
    for (int knows = 0; knows < 2; knows++) {
        motion m = {0};
        nt_error error = {0};
        double value[2][3], R[4];
        static const char *const names[] = {"ball.force", "ball.torque"};
        assert_int_equal(motion_make(&m, knows, "generalized-alpha", &error), NT_OK);
        nt_state s = nt_integrator_state(m.integrator);
        nt_quantity_info q;
        for (int i = 0; i < 2; i++) {
            assert_int_equal(nt_model_quantity(m.model, names[i], &q, &error), NT_OK);
            assert_int_equal(nt_run_sample(m.run, &q, &s, NULL, value[i], &error), NT_OK);
        }
        assert_int_equal(nt_model_quantity(m.model, "top.orientation", &q, &error), NT_OK);
        assert_int_equal(nt_run_sample(m.run, &q, &s, NULL, R, &error), NT_OK);
        /* the tops stand upright at the start: the arm has the axes of the ground */
        assert_true(fabs(fabs(R[0]) - 1) < 1e-12);
        const double *f = value[0], *l = s.lambda + 5;
        const double arm[3] = {0, -1, 0.2};
        assert_true(fabs(l[0]) + fabs(l[1]) + fabs(l[2]) > 1);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            assert_true(fabs(f[i] + l[i]) < 1e-10 * (1 + fabs(l[i])));
            assert_true(fabs(value[1][i] - (arm[j] * f[k] - arm[k] * f[j])) < 1e-8);
        }
        motion_free(&m);
    }
}

static void its_tangents_are_right(void **unused)
{
    (void)unused;
    for (int knows = 0; knows < 2; knows++) {
        motion m = {0};
        nt_error error = {0};
        double difference;
        assert_int_equal(motion_make(&m, knows, "generalized-alpha", &error), NT_OK);
        nt_state s = nt_integrator_state(m.integrator);
        const nt_point at = {s.t, s.q, s.v, s.vdot, s.lambda, s.mu, s.memory};
        /* a wide step: rows of accelerations are second differences, with their rounding */
        assert_int_equal(
            nt_system_check_tangent(nt_run_system(m.run), &at, 1e-3, &difference, &error), NT_OK);
        assert_true(difference < 3e-6);
        motion_free(&m);
    }
}

/* The whole tangent at a level, dense. */
static double *tangent_of(motion *m, nt_level level, int *n)
{
    static const nt_combination all = {.mass = 1,
                                       .damping = 1,
                                       .stiffness = 1,
                                       .multiplier = 1,
                                       .row_mass = 1,
                                       .row_damping = 1,
                                       .row_stiffness = 1};
    const nt_system *system = nt_run_system(m->run);
    nt_state s = nt_integrator_state(m->integrator);
    double lambda[8];
    for (int i = 0; i < 8; i++)
        lambda[i] = 100 * sin(1 + i); /* so that forces of multipliers count */
    const nt_point at = {s.t, s.q, s.v, s.vdot, lambda, s.mu, s.memory};
    nt_matrix *matrix = NULL;
    assert_int_equal(nt_matrix_create(&matrix, system->pattern), NT_OK);
    nt_matrix_zero(matrix);
    const nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = level, .matrix = matrix, .combination = &all};
    assert_int_equal(system->evaluate(system->self, &at, &terms), NT_OK);
    *n = system->space.nv + system->nh + system->nn;
    double *dense = calloc((size_t)*n * (size_t)*n, sizeof *dense);
    assert_non_null(dense);
    nt_matrix_dense(matrix, dense);
    nt_matrix_destroy(matrix);
    return dense;
}

/* By second differences of the law and by differences of given derivatives, which turn the bodies
 * in another order. */
static void both_tangents_are_the_same(void **unused)
{
    (void)unused;
    static const nt_level levels[] = {NT_POSITION, NT_VELOCITY, NT_ACCELERATION};
    static const double within[] = {1e-10, 1e-10, 1e-8};
    motion differences = {0}, given = {0};
    nt_error error = {0};
    assert_int_equal(motion_make(&differences, 0, "generalized-alpha", &error), NT_OK);
    assert_int_equal(motion_make(&given, 1, "generalized-alpha", &error), NT_OK);
    for (int k = 0; k < 3; k++) {
        int n;
        double most = 0, off = 0;
        double *a = tangent_of(&differences, levels[k], &n), *b = tangent_of(&given, levels[k], &n);
        for (int i = 0; i < n * n; i++) {
            most = fmax(most, fabs(b[i]));
            off = fmax(off, fabs(a[i] - b[i]));
        }
        if (!(off <= within[k] * most))
            fail_msg("level %d: off by %.3g of %.3g", k, off, most);
        free(a);
        free(b);
    }
    motion_free(&differences);
    motion_free(&given);
}

static void without_a_value_it_is_refused(void **unused)
{
    (void)unused;
    motion m = {0};
    nt_error error = {0};
    assert_int_not_equal(motion_make(&m, 2, "generalized-alpha", &error), NT_OK);
    assert_non_null(strstr(error.message, "ball"));
    motion_free(&m);
}

static int add_type(void **unused)
{
    (void)unused;
    return nt_element_type_add(&type, NULL) != NT_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_moves_the_same_either_way),
        cmocka_unit_test(its_force_is_known),
        cmocka_unit_test(its_tangents_are_right),
        cmocka_unit_test(both_tangents_are_the_same),
        cmocka_unit_test(without_a_value_it_is_refused),
    };
    return cmocka_run_group_tests(tests, add_type, NULL);
}
