/* Loads at random: every type, with random offsets, placements, states and combinations, between
 * free bodies, a body and the ground either way round, and bodies with a fixed point.
 *   - the tangent is the derivative of the residual, also through signals, `map` and `turn`;
 *   - forces and moments balance between the two bodies;
 *   - the power of the residual is that of the energies it declares. */
#include "model/load_bench.h"

/* ---- tangents ------------------------------------------------------------------------------- */

/* The residual at `length` along unknown `column` (see nt_combination). */
static void residual_along(bench *b, int column, double length, double *residual)
{
    double e[NV] = {0}, dq[NV] = {0}, q[NQ], v[NV];
    double c = b->combination.damping, k = b->combination.stiffness, s = b->combination.turn;
    e[column] = length;
    for (int i = 0; i < NV; i++) {
        dq[i] = k * e[i];
        v[i] = b->v[i] + c * e[i];
    }
    for (int i = 1; i < N_BODIES; i++) {
        int first = b->bodies[i].v + (b->bodies[i].t_node >= 0 ? 3 : 0);
        v3 turn = v3_load(e + first), w = v3_load(b->v + first);
        v3 dw = v3_add(v3_scale(c, m3_apply(m3_load(b->map[i - 1]), turn)),
                       v3_scale(k * s, v3_cross(w, turn)));
        v3_store(v + first, v3_add(w, dw));
    }
    nt_space_compose(&b->space, NT_INERTIAL, b->q, dq, q);
    assert_int_equal(look(b, q, v, residual, false, NULL), NT_OK);
}

/* Central differences of two step sizes h and 2h, extrapolated: their error is h^4 of the fifth
 * derivative and rounding / h. */
static void column_by_differences(bench *b, int column, double *out)
{
    const double h = 3e-4;
    double r[4][NV];
    static const double at[4] = {-2, -1, 1, 2},
                        weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    for (int i = 0; i < 4; i++)
        residual_along(b, column, at[i] * h, r[i]);
    for (int i = 0; i < NV; i++) {
        out[i] = 0;
        for (int j = 0; j < 4; j++)
            out[i] += weight[j] * r[j][i] / h;
    }
}

/* Largest difference, relative to the largest entry of the matrix. Rounding of residuals of order
 * 10 to 100 over h = 3e-4 gives 1e-11; 1e-8 also admits the fifth derivatives of friction. */
static const double TANGENT_TOLERANCE = 1e-8;

static void check_tangent(bench *b, const char *what)
{
    double residual[NV], dense[NV * NV], differences[NV][NV], largest = 0, worst = 0;
    assert_int_equal(look(b, b->q, b->v, residual, true, NULL), NT_OK);
    nt_matrix_dense(&b->matrix, dense);
    for (int j = 0; j < NV; j++) {
        column_by_differences(b, j, differences[j]);
        for (int i = 0; i < NV; i++) {
            largest = fmax(largest, fabs(differences[j][i]));
            worst = fmax(worst, fabs(dense[i * NV + j] - differences[j][i]));
        }
    }
    if (!(worst <= TANGENT_TOLERANCE * fmax(largest, 1)))
        print_error("%s: tangent off by %g of %g\n", what, worst, largest);
    assert_true(worst <= TANGENT_TOLERANCE * fmax(largest, 1));
}

/* ---- energy and balance --------------------------------------------------------------------- */

/* -residual . velocity is the power of the forces: that of the potential, -dV/dt, and `power`.
 * The same differences as above along the motion. */
static void check_power(bench *b, const char *what)
{
    const double h = 3e-4, tolerance = 1e-8;
    static const double at[4] = {-2, -1, 1, 2},
                        weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    double residual[NV], dq[NV], q[NQ], of_forces = 0, of_potential = 0, size = 1;
    nt_energy energy;
    assert_int_equal(look(b, b->q, b->v, residual, false, NULL), NT_OK);
    for (int i = 0; i < NV; i++) {
        of_forces -= residual[i] * b->v[i];
        size += fabs(residual[i] * b->v[i]);
    }
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < NV; i++)
            dq[i] = at[j] * h * b->v[i];
        nt_space_compose(&b->space, NT_INERTIAL, b->q, dq, q);
        assert_int_equal(look(b, q, b->v, NULL, false, &energy), NT_OK);
        of_potential -= weight[j] * energy.potential / h;
    }
    assert_int_equal(look(b, b->q, b->v, NULL, false, &energy), NT_OK);
    double difference = of_forces - of_potential - energy.power;
    if (!(fabs(difference) <= tolerance * size))
        print_error("%s: power of forces %g, of potential %g, declared %g\n", what, of_forces,
                    of_potential, energy.power);
    assert_true(fabs(difference) <= tolerance * size);
}

/* Forces add up to zero, and moments about the origin too; only between two free bodies. */
static void check_balance(bench *b)
{
    double residual[NV], tolerance = 1e-12, size = 1;
    v3 force = {0}, moment = {0};
    assert_int_equal(look(b, b->q, b->v, residual, false, NULL), NT_OK);
    for (int i = 1; i <= 2; i++) {
        const double *r = residual + b->bodies[i].v;
        v3 x = v3_load(b->q + b->bodies[i].q), f = v3_load(r);
        force = v3_add(force, f);
        moment = v3_add(moment, v3_add(v3_load(r + 3), v3_cross(x, f)));
        size += v3_norm(f) + v3_norm(v3_load(r + 3));
    }
    assert_true(v3_norm(force) <= tolerance * size);
    assert_true(v3_norm(moment) <= tolerance * size);
}

/* ---- every type ----------------------------------------------------------------------------- */

/* Loads that depend on all kinds of signals of all bodies, the turner's included. */
static const char *const mixed[3] = {
    "3*sin(2*t) + 2*first.position.x*second.velocity.y - second.orientation.w",
    "turner.angular_velocity.z*first.orientation.y + tip.velocity.z^2 - 4*turner.orientation.x",
    "2 + tip.position.x - first.angular_velocity.x*second.angular_velocity.y + hook.position.z",
};

static void add_force(bench *b, int first, int second, int variant)
{
    static const char *const constant[3] = {"1", "-2", "3*t"};
    int on = second > 0 ? second : first;
    nt_element *element = add_element(b, "forces", "force", "load");
    *(int *)give(element, NULL, "on") = on;
    *(int *)give(element, NULL, "frame") = variant & 1;
    if (on == 1 && variant & 4) {
        nt_place_of_point *point = give(element, NULL, "at");
        point->marker = 0;
    } else if (variant & 8) {
        give_point(element, "at", 0, random_vector(2));
    }
    give_vector(b, element, variant & 2 ? mixed : constant);
}

static void add_torque(bench *b, int first, int second, int variant)
{
    static const char *const constant[3] = {"1", "-2", "3*t"};
    nt_element *element = add_element(b, "forces", "torque", "load");
    *(int *)give(element, NULL, "on") = second > 0 ? second : first;
    *(int *)give(element, NULL, "frame") = variant & 1;
    give_vector(b, element, variant & 2 ? mixed : constant);
}

static void add_spring(bench *b, int first, int second, int variant)
{
    nt_element *element = add_element(b, "forces", "spring", "load");
    give_between(element, first, second);
    give_point(element, "at", 0, random_vector(2));
    give_point(element, "at", 1, random_vector(2));
    if (first == 1 && variant & 4)
        ((nt_place_of_point *)give(element, NULL, "at"))[0].marker = 0;
    if (second == 0 && variant & 4)
        ((nt_place_of_point *)give(element, NULL, "at"))[1].marker = 1;
    give_number(element, "stiffness", uniform(5, 20));
    if (variant & 1)
        give_number(element, "damping", uniform(1, 3));
    if (variant & 2)
        give_number(element, "length", uniform(0.5, 2));
}

static void random_matrix(double *K, bool symmetric)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            K[6 * i + j] = symmetric && j < i ? K[6 * j + i] : uniform(-3, 3);
}

static void add_bushing(bench *b, int first, int second, int variant)
{
    nt_element *element = add_element(b, "forces", "bushing", "load");
    give_between(element, first, second);
    give_point(element, "at", 0, random_vector(2));
    if (variant & 4)
        ((nt_place_of_point *)give(element, NULL, "at"))->marker = 0;
    random_matrix(give(element, NULL, "stiffness"), !(variant & 1));
    if (variant & 2)
        random_matrix(give(element, NULL, "damping"), false);
}

static void add_torsion_spring(bench *b, int first, int second, int variant)
{
    add_joint(b, variant & 2 ? "cylindrical" : "revolute", first, second);
    nt_element *element = add_element(b, "forces", "torsion_spring", "load");
    *(int *)give(element, NULL, "joint") = 0;
    give_number(element, "stiffness", 7);
    give_number(element, "angle", 0.4);
    if (variant & 1)
        give_number(element, "damping", 1.5);
}

/* Laws: of its own length and rate, of numbers alone, of quantities of frames. */
static void add_line_force(bench *b, int first, int second, int variant)
{
    static const char *const own[] = {
        "3*load.length^2 - 2*load.rate*load.length + sin(t)",
        "first.euler_zyx.second*load.rate + second.euler_zxz.first - "
        "first.z_axis.x*turner.y_axis.z",
    };
    nt_element *element = add_element(b, "forces", "line_force", "load");
    give_between(element, first, second);
    give_point(element, "at", 0, random_vector(2));
    give_point(element, "at", 1, random_vector(2));
    if (variant & 1)
        give_function(b, element, "value", 0,
                      variant & 2 ? mixed[variant >> 2 & 1] : own[variant >> 2 & 1]);
    else
        give_number(element, "value", uniform(-5, 5));
}

/* Stiffness, damping and free length as functions, one-sided, with stops and preload. */
static void add_law_spring(bench *b, int first, int second, int variant)
{
    nt_element *element = add_element(b, "forces", "spring", "load");
    give_between(element, first, second);
    give_point(element, "at", 0, random_vector(2));
    give_point(element, "at", 1, random_vector(2));
    give_number(element, "stiffness", uniform(5, 9));
    give_number(element, "damping", uniform(1, 3));
    give_number(element, "length", uniform(0.2, 3));
    if (variant & 1) { /* well on the side where it acts */
        *(int *)give(element, NULL, "only") = variant >> 3 & 1;
        *(double *)give(element, NULL, "length") = variant & 8 ? 20 : 0.01;
    }
    if (variant & 2) {
        give_number(element, "preload", uniform(-2, 2));
        *(double *)give(element, "limits", variant & 8 ? "lower" : "upper") = variant & 8 ? 20 : -1;
        *(double *)give(element, "limits", "stiffness") = 4;
        *(double *)give(element, "limits", "damping") = 3;
    }
    if (variant & 4) {
        *(double *)give(element, NULL, "stiffness") = 0;
        give_function(b, element, "stiffness", 0, "4 + 2*load.length + first.orientation.x");
        if (variant & 8) {
            *(double *)give(element, NULL, "damping") = 0;
            give_function(b, element, "damping", 0, "1 + load.rate^2 + tip.velocity.x*t");
            *(double *)give(element, NULL, "length") = 0;
            give_function(b, element, "length", 0, "18 + 0.3*sin(turner.angular_velocity.y)");
        }
    }
}

static void add_joint_spring(bench *b, int first, int second, int variant)
{
    add_joint(b, variant & 2 ? "cylindrical" : "prismatic", first, second);
    nt_element *element = add_element(b, "forces", "joint_spring", "load");
    *(int *)give(element, NULL, "joint") = 0;
    give_number(element, "stiffness", 7);
    give_number(element, "displacement", 0.4);
    if (variant & 1)
        give_function(b, element, "damping", 0, "1 + load.rate^2 + 0.2*load.displacement");
    if (variant & 4) {
        *(double *)give(element, "limits", "upper") = -9;
        *(double *)give(element, "limits", "stiffness") = 4;
        *(double *)give(element, "limits", "damping") = 2;
    }
}

/* Moments that depend on how the two frames of their joint stand to each other. */
static void add_frame_torque(bench *b, int first, int second, int variant)
{
    static const char *const frames[] = {
        "3*hinge.rotation.x - hinge.rotation.y*hinge.rotation.z",
        "hinge.relative_position.x*hinge.relative_position.z + hinge.relative_position.y",
        "hinge.relative_velocity.x*2 - hinge.relative_velocity.y*hinge.relative_velocity.z",
        "hinge.relative_angular_velocity.x + "
        "hinge.relative_angular_velocity.y*hinge.relative_angular_velocity.z + hinge.position.y",
    };
    add_joint(b, "revolute", first, second);
    nt_element *element = add_element(b, "forces", "joint_torque", "load");
    *(int *)give(element, NULL, "joint") = 0;
    give_function(b, element, "value", 0, frames[variant & 3]);
}

/* A motor with a controller on its own joint, and one that looks at everything. */
static void add_motor(bench *b, int first, int second, int variant, const char *type,
                      const char *joint, const char *own)
{
    add_joint(b, joint, first, second);
    nt_element *element = add_element(b, "forces", type, "load");
    *(int *)give(element, NULL, "joint") = 0;
    give_function(b, element, "value", 0, variant & 1 ? mixed[variant >> 1 & 1] : own);
}

static void add_joint_torque(bench *b, int first, int second, int variant)
{
    add_motor(b, first, second, variant, "joint_torque", "revolute",
              "3*(sin(t) - hinge.angle) - 2*hinge.rate*hinge.angle");
}

static void add_joint_force(bench *b, int first, int second, int variant)
{
    add_motor(b, first, second, variant, "joint_force", "prismatic",
              "3*(sin(t) - hinge.displacement) - 2*hinge.displacement_rate");
}

/* Friction, and limits that are exceeded. */
static void add_joint_load(bench *b, int first, int second, int variant)
{
    nt_element *joint = add_joint(b, variant & 1 ? "prismatic" : "revolute", first, second);
    if (variant & 2) {
        *(double *)give(joint, "friction", "dry") = 2;
        *(double *)give(joint, "friction", "viscous") = 1.5;
        *(double *)give(joint, "friction", "slip") = 0.5;
    }
    if (variant & 4) {
        *(double *)give(joint, "limits", "upper") = -9;
        *(double *)give(joint, "limits", "stiffness") = 4;
        *(double *)give(joint, "limits", "damping") = 9;
    }
    if (variant & 8) {
        *(double *)give(joint, "limits", "lower") = variant & 4 ? -20 : 9;
        *(double *)give(joint, "limits", "stiffness") = 4;
    }
}

/* Moments along the axis of a joint do exactly the work of its coordinate only where the joint is
 * closed: power is checked in the test after this one. */
static const struct {
    const char *name;
    void (*add)(bench *b, int first, int second, int variant);
    bool pair, power;
} types[] = {
    {"force", add_force, false, true},
    {"torque", add_torque, false, true},
    {"spring", add_spring, true, true},
    {"bushing", add_bushing, true, true},
    {"torsion spring", add_torsion_spring, true, false},
    {"joint torque", add_joint_torque, true, false},
    {"joint force", add_joint_force, true, true},
    {"joint friction and limits", add_joint_load, true, false},
    {"joint spring", add_joint_spring, true, true},
    {"torque of frames", add_frame_torque, true, false},
    {"line force", add_line_force, true, true}, /* from here on without a joint */
    {"spring by laws", add_law_spring, true, true},
};

static void every_type_everywhere(void **state)
{
    (void)state;
    static const int pairs[][2] = {{1, 2}, {0, 1}, {1, 0}, {TURNER, 2}, {1, TURNER}, {0, TURNER}};
    seed = 1;
    for (size_t type = 0; type < sizeof types / sizeof types[0]; type++)
        for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++)
            for (int variant = 0; variant < 16; variant++) {
                int first = pairs[pair][0], second = pairs[pair][1];
                char what[96];
                bench b;
                bench_init(&b);
                types[type].add(&b, first, second, variant);
                bench_build(&b);
                random_state(&b, first, second);
                snprintf(what, sizeof what, "%s between %s and %s, variant %d", types[type].name,
                         b.bodies[first].name, b.bodies[second].name, variant);
                check_tangent(&b, what);
                if (types[type].power)
                    check_power(&b, what);
                if (types[type].pair && first == 1 && second == 2)
                    check_balance(&b);
                bench_free(&b);
            }
}

/* ---- joints that are closed ----------------------------------------------------------------- */

/* Put the second body where the joint is closed, at a random angle and displacement, with
 * velocities that keep it so. axis in the axes of the first body at the given placement. */
static void close_joint(bench *b, int first, int second)
{
    const nt_joint *joint = nt_joint_of(&b->run, &b->elements[0]);
    bool rotates = joint->rotates, slides = joint->slides;
    double angle = rotates ? uniform(-2, 2) : 0, slide = slides ? uniform(-1, 1) : 0;
    double angle_rate = rotates ? uniform(-3, 3) : 0, slide_rate = slides ? uniform(-1, 1) : 0;
    nt_motion motion[N_BODIES];
    find_motion(b, b->q, b->v, motion);
    const nt_motion *A = &motion[first];
    v3 axis = m3_apply(A->R, joint->e[2]);

    /* R_B = exp(angle axis~) R_A R_A0^T R_B0 */
    double turn[3], q[4];
    v3_store(turn, v3_scale(angle, axis));
    nt_so3_exp(turn, q);
    quat placed = quat_multiply(orientation_of(b, first), quat_conjugate(b->bodies[first].q0));
    placed = quat_multiply(quat_multiply(quat_load(q), placed), b->bodies[second].q0);
    quat_store(rotation_of(b, second), quat_unit(placed));
    v3 rho_a = m3_apply(A->R, joint->point_a);
    v3 rho_b = m3_apply(quat_matrix(placed), joint->point_b);
    v3 p = v3_axpy(slide, axis, v3_add(A->x, rho_a));
    v3_store(b->q + b->bodies[second].q, v3_sub(p, rho_b));

    /* p_B moves with A but for the slide. */
    v3 w = v3_axpy(angle_rate, axis, A->w);
    v3 at_p = v3_add(A->v, v3_cross(A->w, v3_sub(p, A->x)));
    v3 velocity = v3_sub(v3_axpy(slide_rate, axis, at_p), v3_cross(w, rho_b));
    v3_store(b->v + b->bodies[second].v, velocity);
    v3_store(b->v + b->bodies[second].v + 3, w);
}

static void loads_of_closed_joints_do_the_work_of_their_coordinate(void **state)
{
    (void)state;
    static const int pairs[][2] = {{1, 2}, {0, 2}, {TURNER, 2}};
    seed = 2;
    for (size_t type = 4; type + 2 < sizeof types / sizeof types[0]; type++)
        for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++)
            for (int variant = 0; variant < 16; variant++) {
                int first = pairs[pair][0], second = pairs[pair][1];
                char what[96];
                bench b;
                bench_init(&b);
                types[type].add(&b, first, second, variant);
                bench_build(&b);
                random_state(&b, first, second);
                close_joint(&b, first, second);
                snprintf(what, sizeof what, "closed %s, first body %s, variant %d",
                         types[type].name, b.bodies[first].name, variant);
                check_tangent(&b, what);
                check_power(&b, what);
                bench_free(&b);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_everywhere),
        cmocka_unit_test(loads_of_closed_joints_do_the_work_of_their_coordinate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
