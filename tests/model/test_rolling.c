/* Joints that do not slip: their rows against each other, motions with known solutions, reactions,
 * consistent initial values and what is refused.
 *
 * Motions are integrated by the classical Runge-Kutta method of order 4 on the accelerations, in
 * the coordinates of the state. The error at a step h is estimated by a second integration with 2
 * h. */
#include "model/mechanism.h"

#include "base/vector3.h"
#include "model/model.h"
#include "system/factors.h"

/* Values that follow from a few sums and one solve; numbers of size 1 to 100. */
static const double ROUNDING = 1e-12;

/* The published digits of the reference motions end at 1e-12; what is left is the error of the
 * integration here, below 1e-10 at the steps used (rates of 20 to 60 rad/s, products h w < 0.005,
 * (h w)^4 / 120 per radian). */
static const double INTEGRATED = 1e-9;

/* ---- a motion ------------------------------------------------------------------------------- */

typedef struct motion {
    mechanism m;
    nt_problem *problem;
    nt_factors *factors;
    double t, *q, *v, *vdot, *multipliers, *work;
    int nq, nv, nh, nn;
} motion;

static void accelerate(motion *r, double t, const double *q, const double *v, double *vdot)
{
    nt_error error = {0};
    nt_point at = {.t = t, .q = q, .v = v, .memory = r->m.memory};
    if (nt_factors_accelerations(r->factors, &at, vdot, r->multipliers, r->multipliers + r->nh,
                                 &error) != NT_OK)
        fail_msg("%s", error.message);
}

static motion motion_open(const char *text)
{
    motion r = {.m = mechanism_read(text)};
    nt_error error = {0};
    const nt_system *s = nt_run_system(r.m.run);
    assert_int_equal(nt_problem_create(&r.problem, s, NT_INERTIAL, &error), NT_OK);
    assert_int_equal(nt_factors_create(&r.factors, r.problem, NT_SOLVER_AUTO, &error), NT_OK);
    r.nq = s->space.nq, r.nv = s->space.nv, r.nh = s->nh, r.nn = s->nn;
    r.q = calloc((size_t)(7 * r.nq + 7 * r.nv + r.nh + r.nn), sizeof(double));
    assert_non_null(r.q);
    r.v = r.q + r.nq, r.vdot = r.v + r.nv, r.multipliers = r.vdot + r.nv;
    r.work = r.multipliers + r.nh + r.nn;
    memcpy(r.q, r.m.q, (size_t)r.nq * sizeof(double));
    memcpy(r.v, r.m.v, (size_t)r.nv * sizeof(double));
    accelerate(&r, 0, r.q, r.v, r.vdot);
    return r;
}

static void motion_close(motion *r)
{
    nt_factors_destroy(r->factors);
    nt_problem_destroy(r->problem);
    free(r->q);
    mechanism_close(&r->m);
}

/* k1..k4 at (q, v) + c h k; the sum is formed on the way. */
static void runge_kutta_step(motion *r, double h)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const nt_space *space = &nt_run_system(r->m.run)->space;
    int n = r->nq + r->nv;
    double *y = r->work, *k = y + n, *sum = k + n;
    memset(k, 0, (size_t)n * sizeof *k);
    memcpy(sum, r->q, (size_t)n * sizeof *sum);
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < n; i++)
            y[i] = r->q[i] + c[stage] * h * k[i];
        accelerate(r, r->t + c[stage] * h, y, y + r->nq, k + r->nq);
        nt_space_rate(space, NT_INERTIAL, y, y + r->nq, k);
        for (int i = 0; i < n; i++)
            sum[i] += b[stage] * h * k[i];
    }
    memcpy(r->q, sum, (size_t)n * sizeof *sum);
    for (int i = 0; i < space->n_blocks; i++) {
        double *q = r->q + space->blocks[i].q + (space->blocks[i].kind == NT_R3SO3 ? 3 : 0);
        quat_store(q, quat_unit(quat_load(q)));
    }
    r->t += h;
}

static void motion_run(motion *r, double end, int steps)
{
    double h = (end - r->t) / steps;
    for (int i = 0; i < steps; i++)
        runge_kutta_step(r, h);
    accelerate(r, r->t, r->q, r->v, r->vdot);
}

static void motion_get(const motion *r, const char *name, double *out)
{
    nt_error error = {0};
    nt_quantity_info info;
    nt_state state = {.t = r->t,
                      .q = r->q,
                      .v = r->v,
                      .vdot = r->vdot,
                      .lambda = r->multipliers,
                      .mu = r->multipliers + r->nh,
                      .memory = r->m.memory};
    if (nt_model_quantity(nt_run_model(r->m.run), name, &info, &error) != NT_OK ||
        nt_run_sample(r->m.run, &info, &state, NULL, out, &error) != NT_OK)
        fail_msg("%s: %s", name, error.message);
}

static v3 motion_vector(const motion *r, const char *name)
{
    double out[16];
    motion_get(r, name, out);
    return v3_load(out);
}

static double motion_number(const motion *r, const char *name)
{
    double out[16];
    motion_get(r, name, out);
    return out[0];
}

#define CLOSE_VECTOR(a, b, tolerance)                                                              \
    do {                                                                                           \
        v3 got_ = (a), wanted_ = (b);                                                              \
        CLOSE(got_.x, wanted_.x, tolerance);                                                       \
        CLOSE(got_.y, wanted_.y, tolerance);                                                       \
        CLOSE(got_.z, wanted_.z, tolerance);                                                       \
    } while (0)

/* ---- rows against each other ------------------------------------------------------------------
 */

static const char *const pairs[] = {
    "{type: rolling_disk, between: [a, b], radius: 0.7, axis: [1, 2, -1], at: [0.2, 0.1, -0.3], "
    "plane: {point: [0.1, 0.2, -0.4], normal: [1, 1, 3]}}",
    "{type: rolling_sphere, between: [a, b], radius: 0.7, at: [0.2, 0.1, -0.3], "
    "plane: {point: [0.1, 0.2, -0.4], normal: [1, 1, 3]}}",
    "{type: knife_edge, between: [a, b], axis: [1, 2, -1], at: [0.2, 0.1, -0.3], "
    "plane: {point: [0.1, 0.2, -0.4], normal: [1, 1, 3]}}",
};

/* Two free bodies that both move and turn, joined by pairs[i]; the place of b is found. */
static void write_pair(char *text, size_t size, int i)
{
    snprintf(text, size,
             "nutate: 1\ngravity: [0, 0, 0]\nbodies:\n"
             "  a: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, -0.03, 0.01], center_of_mass: [0.1, "
             "-0.2, 0.05],\n"
             "      position: [0.2, 0.4, -0.1], orientation: {rotation_vector: [0.3, -0.5, 0.2]},\n"
             "      velocity: [0.2, 0.1, -0.3], angular_velocity: [0.7, -0.4, 0.9]}\n"
             "  b: {mass: 1.5, inertia: [0.2, 0.3, 0.4], center_of_mass: [0, 0.15, -0.1],\n"
             "      orientation: {axis: [1, 1, 0], angle: 0.8}, angular_velocity: [-1, 2, 0.5]}\n"
             "joints: {e: %s}\n",
             pairs[i]);
}

/* Rows at a level at (q + s v + s^2/2 vdot, v + s vdot). */
static void rows_at(const motion *r, const double *vdot, double s, nt_level level, double *rows)
{
    double q[14], v[12], dq[12];
    for (int i = 0; i < r->nv; i++) {
        dq[i] = s * (r->v[i] + s / 2 * vdot[i]);
        v[i] = r->v[i] + s * vdot[i];
    }
    nt_space_compose(&nt_run_system(r->m.run)->space, NT_INERTIAL, r->q, dq, q);
    nt_point at = {.q = q,
                   .v = v,
                   .vdot = vdot,
                   .lambda = r->multipliers,
                   .mu = r->multipliers + r->nh,
                   .memory = r->m.memory};
    nt_terms terms = {.level = level, .rows = rows};
    assert_int_equal(nt_problem_evaluate(r->problem, &at, &terms), NT_OK);
}

/* Each level is the time derivative of the one before; kappa has no position level. Central
 * differences over 1e-5 s of values of size 1 to 10: 1e-10 of truncation, 1e-10 of rounding. */
static void levels_follow_from_each_other(void **state)
{
    (void)state;
    const double h = 1e-5, tolerance = 2e-9;
    for (int i = 0; i < 3; i++) {
        char text[2000];
        write_pair(text, sizeof text, i);
        motion r = motion_open(text);
        double vdot[12], low[3], high[3], here[3];
        for (int k = 0; k < 12; k++) { /* anything: rows have values where they do not hold */
            vdot[k] = sin(3.0 * k + i);
            r.v[k] += cos(2.0 * k - i);
        }
        for (int level = NT_VELOCITY; level <= NT_ACCELERATION; level++) {
            int n = level == NT_VELOCITY ? r.nh : r.nh + r.nn;
            rows_at(&r, vdot, -h, (nt_level)(level - 1), low);
            rows_at(&r, vdot, h, (nt_level)(level - 1), high);
            rows_at(&r, vdot, 0, (nt_level)level, here);
            for (int k = 0; k < n; k++)
                CLOSE((high[k] - low[k]) / (2 * h), here[k], tolerance);
        }
        motion_close(&r);
    }
}

/* Multiplier forces are the transposed rows: their power at any velocity is that of the rows. */
static void reactions_have_the_power_of_the_rows(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[2000];
        write_pair(text, sizeof text, i);
        motion r = motion_open(text);
        double residual[12] = {0}, rows[3], power = 0, expected = 0;
        for (int k = 0; k < 12; k++)
            r.v[k] = cos(2.0 * k - i);
        for (int k = 0; k < r.nh + r.nn; k++)
            r.multipliers[k] = 1 + k;
        nt_point at = {.q = r.q,
                       .v = r.v,
                       .vdot = r.vdot,
                       .lambda = r.multipliers,
                       .mu = r.multipliers + r.nh,
                       .memory = r.m.memory};
        nt_terms terms = {
            .parts = NT_REACTIONS, .level = NT_VELOCITY, .residual = residual, .rows = rows};
        assert_int_equal(nt_problem_evaluate(r.problem, &at, &terms), NT_OK);
        for (int k = 0; k < 12; k++)
            power += r.v[k] * residual[k];
        for (int k = 0; k < r.nh + r.nn; k++)
            expected += r.multipliers[k] * rows[k];
        assert_true(fabs(expected) > 0.1);
        CLOSE(power, expected, ROUNDING);
        motion_close(&r);
    }
}

/* What acts between two free bodies changes neither energy nor momenta. */
static void free_pairs_keep_energy_and_momenta(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[2000];
        write_pair(text, sizeof text, i);
        motion r = motion_open(text);
        assert_int_equal(nt_model_has_power(nt_run_model(r.m.run)), 0);
        double energy = motion_number(&r, "energy.total");
        v3 momentum = motion_vector(&r, "momentum"), spin = motion_vector(&r, "angular_momentum");
        motion_run(&r, 1, 2000);
        CLOSE(motion_number(&r, "energy.total"), energy, INTEGRATED);
        CLOSE_VECTOR(motion_vector(&r, "momentum"), momentum, INTEGRATED);
        CLOSE_VECTOR(motion_vector(&r, "angular_momentum"), spin, INTEGRATED);
        CLOSE(motion_number(&r, "constraint_drift.position"), 0, INTEGRATED);
        CLOSE(motion_number(&r, "constraint_drift.velocity"), 0, INTEGRATED);
        motion_close(&r);
    }
}

/* ---- motions -------------------------------------------------------------------------------- */

#define DISK_BODY                                                                                  \
    "nutate: 1\ngravity: [0, 0, -9.81]\nbodies: {disk: {mass: 15, inertia: [3.75, 3.75, 7.5], "
#define DISK_JOINT                                                                                 \
    "joints: {roll: {type: rolling_disk, between: [ground, disk], radius: 1, axis: [0, 0, 1]}}\n"
#define UPRIGHT "position: [0, 0, 1], orientation: {quaternion: [0, 0, 1, 1]}"

/* A disk that rolls at w = 5 rad/s and turns at W = 15 rad/s: place and angular velocity after 1 s
 * from an integration of order 8 in other coordinates. At the start it stands upright and begins to
 * lean: (A + m r^2) lean'' = (C + m r^2) w W about the contact, A = 3.75, C = 7.5. The force to the
 * side is m (r w W - r lean''), and the weight is carried. */
static void rolling_disk(void **state)
{
    (void)state;
    motion r = motion_open(DISK_BODY UPRIGHT ", angular_velocity: [0, 15, 5]}}\n" DISK_JOINT);
    double energy = motion_number(&r, "energy.total");
    assert_int_equal(r.nh, 1);
    assert_int_equal(r.nn, 2);
    double lean = (7.5 + 15) / (3.75 + 15) * 5 * 15;
    CLOSE_VECTOR(motion_vector(&r, "disk.velocity"), v3_of(5, 0, 0), ROUNDING);
    CLOSE_VECTOR(motion_vector(&r, "roll.force"), v3_of(0, 15 * (5 * 15 - lean), 15 * 9.81), 1e-10);
    motion_run(&r, 1, 8000);
    CLOSE_VECTOR(motion_vector(&r, "disk.position"),
                 v3_of(2.777198908942, 3.235529398577, .692281875202), INTEGRATED);
    CLOSE_VECTOR(motion_vector(&r, "disk.angular_velocity"),
                 v3_of(7.717697967975, 17.022785901146, -2.880734443591), INTEGRATED);
    CLOSE(motion_number(&r, "energy.total"), energy, 1e-6);
    motion_close(&r);
}

/* Chaplygin's sleigh: a blade 0.3 m behind the centre of mass. From 0.5 m/s and 2 rad/s. */
static void sleigh(void **state)
{
    (void)state;
    motion r = motion_open(
        "nutate: 1\n"
        "bodies: {sleigh: {mass: 1, inertia: [0.1, 0.2, 0.25], center_of_mass: [0.3, 0, 0], "
        "position: [0, 0, 0], velocity: [0.5, 0, 0], angular_velocity: [0, 0, 2]}}\n"
        "joints:\n"
        "  ice: {type: planar, between: [ground, sleigh], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  blade: {type: knife_edge, between: [ground, sleigh], axis: [0, 1, 0]}\n");
    /* v' = a w^2, w' = -m a v w/(J + m a^2); across the blade the force is m (v w + a w') */
    double turn = -0.3 * 0.5 * 2 / (0.25 + 0.09), q[4];
    CLOSE(motion_vector(&r, "blade.force").y, 0.5 * 2 + 0.3 * turn, ROUNDING);
    CLOSE_VECTOR(motion_vector(&r, "sleigh.angular_acceleration"), v3_of(0, 0, turn), ROUNDING);
    motion_run(&r, 1, 1000);
    v3 x = motion_vector(&r, "sleigh.position");
    motion_get(&r, "sleigh.orientation", q);
    CLOSE(x.x, .51838033713826, INTEGRATED);
    CLOSE(x.y, .66460865677526, INTEGRATED);
    CLOSE(2 * atan2(q[3], q[0]), 1.44183055106165, INTEGRATED);
    motion_close(&r);
}

/* A skate on an inclined plane, its centre of mass above the blade, turning about the blade's place
 * at w: x = g sin / (2 w^2) sin^2(w t), y = g sin / (2 w^2) (w t - sin(w t) cos(w t)), t = 2. */
static void skate_on_a_slope(void **state)
{
    (void)state;
    motion r = motion_open(
        "nutate: 1\nparameters: {slope: 0.4}\n"
        "gravity: [9.81*sin(slope), 0, -9.81*cos(slope)]\n"
        "bodies: {skate: {mass: 3, inertia: [0.1, 0.2, 0.25], velocity: [0, 0, 0], "
        "angular_velocity: [0, 0, 1.3]}}\n"
        "joints:\n"
        "  upright: {type: planar, between: [ground, skate], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  blade: {type: knife_edge, between: [ground, skate], axis: [0, 1, 0]}\n");
    double w = 1.3, g = 9.81 * sin(0.4), t = 2, scale = g / (2 * w * w);
    motion_run(&r, t, 2000);
    v3 x = motion_vector(&r, "skate.position");
    CLOSE(x.x, scale * sin(w * t) * sin(w * t), INTEGRATED);
    CLOSE(x.y, scale * (w * t - sin(w * t) * cos(w * t)), INTEGRATED);
    motion_close(&r);
}

#define COIN                                                                                       \
    "nutate: 1\nparameters: {lean: pi/180, r: 0.01}\ngravity: [0, 0, -9.81]\n"                     \
    "bodies: {coin: {mass: 1, inertia: [0.5*r^2, 0.25*r^2, 0.25*r^2], "                            \
    "position: [r*sin(lean), 0, r*cos(lean)], orientation: {rotation_vector: [0, lean, 0]}, "      \
    "angular_velocity: [0, 0, 10*pi], angular_velocity_frame: ground}}\n"                          \
    "joints: {roll: {type: rolling_disk, between: [ground, coin], radius: r, axis: [1, 0, 0]}}\n"

/* A uniform coin that leans by a degree and spins about the vertical: place, contact and force
 * after half a second. The force is that of the accelerations all along. */
static void rolling_coin(void **state)
{
    (void)state;
    const double r = 0.01;
    motion coin = motion_open(COIN);
    for (int i = 1; i <= 5; i++) {
        motion_run(&coin, 0.1 * i, 1000);
        v3 a = motion_vector(&coin, "coin.acceleration");
        CLOSE_VECTOR(motion_vector(&coin, "roll.force"), v3_sub(a, v3_of(0, 0, -9.81)), 1e-10);
        CLOSE_VECTOR(motion_vector(&coin, "roll.torque"), v3_of(0, 0, 0), 0);
    }
    double q[4];
    motion_get(&coin, "coin.orientation", q);
    v3 center = motion_vector(&coin, "coin.position");
    v3 axis = m3_apply(quat_matrix(quat_load(q)), v3_of(1, 0, 0));
    v3 up = v3_axpy(-axis.z, axis, v3_of(0, 0, 1));
    v3 contact = v3_axpy(-r / v3_norm(up), up, center);
    CLOSE_VECTOR(center, v3_of(8.275291845e-5, 1.581781900501e-3, 9.760873842582e-3), 1e-12);
    CLOSE_VECTOR(contact, v3_of(2.004947020762e-3, 2.596923103602e-3, 0), 1e-12);
    CLOSE(v3_norm(motion_vector(&coin, "roll.force")), 9.889040803804, INTEGRATED);
    motion_close(&coin);
}

/* A solid sphere on a plane inclined by 0.5 rad: acceleration 5/7 g sin, friction 2/7 m g sin. */
static void sphere_on_a_slope(void **state)
{
    (void)state;
    motion r = motion_open("nutate: 1\ngravity: [0, 0, -9.81]\n"
                           "bodies: {ball: {mass: 2, inertia: [0.072, 0.072, 0.072]}}\n"
                           "joints: {roll: {type: rolling_sphere, between: [ground, ball], radius: "
                           "0.3, plane: {point: [1, 2, 3], normal: [sin(0.5), 0, cos(0.5)]}}}\n");
    v3 n = v3_of(sin(0.5), 0, cos(0.5)), g = v3_of(0, 0, -9.81);
    v3 along = v3_axpy(-v3_dot(g, n), n, g);
    CLOSE_VECTOR(motion_vector(&r, "ball.acceleration"), v3_scale(5. / 7, along), ROUNDING);
    v3 force = v3_add(v3_scale(-2 * v3_dot(g, n), n), v3_scale(-2. / 7 * 2, along));
    CLOSE_VECTOR(motion_vector(&r, "roll.force"), force, 1e-11);
    v3 place = motion_vector(&r, "ball.position"); /* found: the nearest to the origin */
    CLOSE(v3_dot(n, v3_sub(place, v3_of(1, 2, 3))), 0.3, ROUNDING);
    CLOSE_VECTOR(v3_cross(place, n), v3_of(0, 0, 0), ROUNDING);
    motion_close(&r);
}

/* A solid sphere on a turntable goes round a circle at 2/7 of the table's rate, whatever the start:
 * a' = 2/7 W x v (the table's plane turns, its points move). */
static void sphere_on_a_turntable(void **state)
{
    (void)state;
    const double W = 3, w = 2. / 7 * W, t = 2;
    motion r = motion_open(
        "nutate: 1\n"
        "bodies:\n"
        "  table: {mass: 5, inertia: [1, 1, 2], position: [0, 0, 0.5]}\n"
        "  ball: {mass: 2, inertia: [0.072, 0.072, 0.072], position: [0.8, 0.1, 0.9], velocity: "
        "[0.2, -0.5, 0]}\n"
        "joints:\n"
        "  bearing: {type: revolute, between: [ground, table], at: [0, 0, 0], axis: [0, 0, 1], "
        "motion: 3*t}\n"
        "  roll: {type: rolling_sphere, between: [table, ball], radius: 0.3, plane: {point: [0.2, "
        "0, 0.1]}}\n");
    CLOSE(motion_vector(&r, "roll.force").z, 2 * 9.80665, 1e-11);
    motion_run(&r, t, 1000);
    v3 v0 = v3_of(0.2, -0.5, 0), x0 = v3_of(0.8, 0.1, 0.9);
    double s = sin(w * t), c = cos(w * t);
    v3 v = v3_of(c * v0.x - s * v0.y, s * v0.x + c * v0.y, 0);
    v3 x =
        v3_of(x0.x + (s * v0.x - (1 - c) * v0.y) / w, x0.y + ((1 - c) * v0.x + s * v0.y) / w, x0.z);
    CLOSE_VECTOR(motion_vector(&r, "ball.velocity"), v, INTEGRATED);
    CLOSE_VECTOR(motion_vector(&r, "ball.position"), x, INTEGRATED);
    CLOSE(motion_vector(&r, "table.angular_velocity").z, W, INTEGRATED);
    motion_close(&r);
}

/* Two wheels on one axle: of their two rows across only one is independent. With wheel rates p and
 * q the middle goes v = r (p + q)/2 along a circle at w = r (q - p)/L, and the force across is M v
 * w. */
static void wheels_on_an_axle(void **state)
{
    (void)state;
    motion r = motion_open(
        "nutate: 1\n"
        "bodies:\n"
        "  axle: {mass: 4, inertia: [0.3, 0.01, 0.3], position: [0, 0, 0.5], velocity: [1, 0, 0], "
        "angular_velocity: [0, 0, 0.4]}\n"
        "  left: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, 0.8, 0.5]}\n"
        "  right: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, -0.8, 0.5]}\n"
        "joints:\n"
        "  l: {type: revolute, between: [axle, left], at: [0, 0.8, 0.5], axis: [0, 1, 0]}\n"
        "  r: {type: revolute, between: [axle, right], at: [0, -0.8, 0.5], axis: [0, 1, 0]}\n"
        "  lr: {type: rolling_disk, between: [ground, left], radius: 0.5, axis: [0, 1, 0]}\n"
        "  rr: {type: rolling_disk, between: [ground, right], radius: 0.5, axis: [0, 1, 0]}\n");
    const double v = 1, w = 0.4, t = 2, L = 1.6, R = 0.5;
    char text[100];
    assert_int_equal(nt_model_count(nt_run_model(r.m.run)).redundant, 1);
    nt_model_redundant_text(nt_run_model(r.m.run), 0, text, sizeof text);
    assert_non_null(strstr(text, "slip along")); /* not a row that holds a position */
    CLOSE(motion_vector(&r, "left.angular_velocity").y, (v - w * L / 2) / R, ROUNDING);
    CLOSE(motion_vector(&r, "right.angular_velocity").y, (v + w * L / 2) / R, ROUNDING);
    v3 force = v3_add(motion_vector(&r, "lr.force"), motion_vector(&r, "rr.force"));
    CLOSE_VECTOR(force, v3_of(0, 8 * v * w, 8 * 9.80665), 1e-11);
    motion_run(&r, t, 1000);
    v3 x = motion_vector(&r, "axle.position");
    CLOSE_VECTOR(x, v3_of(v / w * sin(w * t), v / w * (1 - cos(w * t)), R), INTEGRATED);
    CLOSE(motion_number(&r, "constraint_drift.velocity"), 0, INTEGRATED);
    motion_close(&r);
}

/* A blade that cannot slip out of the plane in which two loops of thin rods hold it anyhow: six
 * dependent rows of positions, one of velocities. Thin rods have no inertia about themselves, so
 * that bodies cannot be eliminated first and the solver has to pivot. With c the cosine of the
 * uprights' angle the energy is (3/6 + 2/2) w^2 + 9.81 (3/2 + 2) c. */
static void a_blade_that_follows_from_joints(void **state)
{
    (void)state;
    motion r = motion_open(
        "nutate: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "parameters: {J: 1/12}\n"
        "bodies:\n"
        "  u0: {mass: 1, inertia: [J, 0, J], position: [0, 0.5, 0]}\n"
        "  u1: {mass: 1, inertia: [J, 0, J], position: [1, 0.5, 0]}\n"
        "  u2: {mass: 1, inertia: [J, 0, J], position: [2, 0.5, 0]}\n"
        "  h1: {mass: 1, inertia: [0, J, J], position: [0.5, 1, 0]}\n"
        "  h2: {mass: 1, inertia: [0, J, J], position: [1.5, 1, 0],\n"
        "       velocity: [1, 0, 0]}\n"
        "joints:\n"
        "  p0: {type: revolute, between: [ground, u0], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  p1: {type: revolute, between: [ground, u1], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  p2: {type: revolute, between: [ground, u2], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "  t0: {type: revolute, between: [u0, h1], at: [0, 1, 0], axis: [0, 0, 1]}\n"
        "  t1: {type: revolute, between: [u1, h1], at: [1, 1, 0], axis: [0, 0, 1]}\n"
        "  t2: {type: revolute, between: [u1, h2], at: [1, 1, 0], axis: [0, 0, 1]}\n"
        "  t3: {type: revolute, between: [u2, h2], at: [2, 1, 0], axis: [0, 0, 1]}\n"
        "  blade: {type: knife_edge, between: [ground, u0], axis: [0, 0, 1]}\n");
    assert_int_equal(nt_model_count(nt_run_model(r.m.run)).redundant, 7);
    motion_run(&r, 0.5, 500);
    double w = motion_vector(&r, "u0.angular_velocity").z;
    double c = 2 * motion_vector(&r, "u0.position").y;
    CLOSE(1.5 * w * w + 34.335 * c, 35.835, 1e-8); /* J */
    CLOSE(w, motion_vector(&r, "u2.angular_velocity").z, INTEGRATED);
    CLOSE(motion_number(&r, "constraint_drift.velocity"), 0, INTEGRATED);
    motion_close(&r);
}

/* ---- initial values ------------------------------------------------------------------------- */

/* Rolling determines velocities that are left out. */
static void velocities_follow_from_rolling(void **state)
{
    (void)state;
    mechanism m = mechanism_read(DISK_BODY UPRIGHT ", angular_velocity: [0, 0, 5]}}\n" DISK_JOINT);
    /* about +y at 5 rad/s on the plane below: towards +x */
    CLOSE_VECTOR(v3_load(m.v), v3_of(5, 0, 0), ROUNDING);
    mechanism_close(&m);
    m = mechanism_read(DISK_BODY UPRIGHT ", velocity: [2, 0, 0]}}\n" DISK_JOINT);
    CLOSE_VECTOR(v3_load(m.v + 3), v3_of(0, 2, 0), 1e-8); /* softened: see test_initial.c */
    mechanism_close(&m);
}

/* Left out, the place of a disk that leans by 0.3 rad is straight above the origin; where it slips
 * on the way does not matter. */
static void place_follows_from_the_plane(void **state)
{
    (void)state;
    mechanism m = mechanism_read(
        DISK_BODY "orientation: {rotation_vector: [pi/2 - 0.3, 0, 0]}}}\n" DISK_JOINT);
    CLOSE_VECTOR(v3_load(m.q), v3_of(0, 0, cos(0.3)), ROUNDING);
    mechanism_close(&m);
}

static void contradictions_are_named(void **state)
{
    (void)state;
    mechanism_refused(DISK_BODY UPRIGHT
                      ", velocity: [1, 0, 0], angular_velocity: [0, 0, 0.25]}}\n" DISK_JOINT,
                      (const char *[]){"joint roll", "slip along the plane's 2nd direction",
                                       "off by 0.75 m/s", NULL});
    mechanism_refused(
        DISK_BODY "position: [0, 0, 1.1], orientation: {quaternion: [0, 0, 1, 1]}}}\n" DISK_JOINT,
        (const char *[]){"joint roll", "contact with the plane", "off by 0.1 m", NULL});
    mechanism_refused(
        "nutate: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], velocity: [0.5, 2, 0], "
        "angular_velocity: [0, 0, 0]}}\n"
        "joints: {blade: {type: knife_edge, between: [ground, b], axis: [0, 1, 0]}}\n",
        (const char *[]){"joint blade", "slip across its edge", "off by 2 m/s", NULL});
}

static void given_values_are_corrected_on_demand(void **state)
{
    (void)state;
    mechanism m = mechanism_read(
        DISK_BODY
        "position: [0, 0, 1.1], orientation: {quaternion: [0, 0, 1, 1]}, velocity: [1, 0, "
        "0], angular_velocity: [0, 0, 0.25]}}\n" DISK_JOINT "initial: {correct: true}\n");
    double rows[3];
    motion r = {.m = m, .nh = 1, .nn = 2, .nv = 6, .nq = 7};
    nt_error error;
    assert_int_equal(nt_problem_create(&r.problem, nt_run_system(m.run), NT_INERTIAL, &error),
                     NT_OK);
    nt_point at = {.q = m.q, .v = m.v, .vdot = m.v, .memory = m.memory};
    for (int level = NT_POSITION; level <= NT_VELOCITY; level++) {
        nt_terms terms = {.level = (nt_level)level, .rows = rows};
        assert_int_equal(nt_problem_evaluate(r.problem, &at, &terms), NT_OK);
        for (int i = 0; i < 3; i++)
            CLOSE(rows[i], 0, ROUNDING);
    }
    assert_non_null(strstr(nt_run_corrections(m.run), "body disk: velocity by"));
    nt_problem_destroy(r.problem);
    mechanism_close(&m);
}

/* A disk that falls flat has no lowest point: what fails is named. */
static void flat_disk_has_no_value(void **state)
{
    (void)state;
    mechanism m = mechanism_read(DISK_BODY UPRIGHT "}}\n" DISK_JOINT);
    const nt_system *s = nt_run_system(m.run);
    const double flat[7] = {0, 0, 0, 1, 0, 0, 0};
    double rows[3];
    char text[100];
    nt_point at = {.q = flat, .v = m.v, .vdot = m.v, .memory = m.memory};
    nt_terms terms = {.level = NT_POSITION, .rows = rows};
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_NOT_FINITE);
    s->failure(s->self, text, sizeof text);
    assert_string_equal(text, "joint roll (rolling_disk)");
    mechanism_close(&m);
}

static void equations_have_names(void **state)
{
    (void)state;
    mechanism m = mechanism_read(DISK_BODY UPRIGHT "}}\n" DISK_JOINT);
    const nt_system *s = nt_run_system(m.run);
    static const char *const names[] = {"joint roll, contact with the plane",
                                        "joint roll, slip along the plane's 1st direction",
                                        "joint roll, slip along the plane's 2nd direction"};
    for (int i = 0; i < 3; i++) {
        char text[100];
        s->equation_name(s->self, s->space.nv + i, text, sizeof text);
        assert_string_equal(text, names[i]);
    }
    assert_int_equal(nt_model_count(nt_run_model(m.run)).holonomic, 1);
    assert_int_equal(nt_model_count(nt_run_model(m.run)).nonholonomic, 2);
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 0);
    mechanism_close(&m);
}

/* In the drawing the normal points to the eye and the axis up: their product is to the left. */
static void rates_of_blades_are_as_drawn(void **state)
{
    (void)state;
    extern const nt_element_type nt_joint_knife_edge;
    mechanism m = mechanism_open(
        "nutate: 1\nbodies: {b: {mass: 2, inertia: [1, 1, 1], velocity: [-0.7, 0, 0]}}\n"
        "joints: {blade: {type: knife_edge, between: [ground, b], axis: [0, 1, 0],\n"
        "  plane: {normal: [0, 0, 1]}}}\n");
    CLOSE(mechanism_number(&m, "blade.rate"), 0.7, ROUNDING);
    assert_non_null(strstr(nt_joint_knife_edge.picture, "rate <==="));
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_follow_from_each_other),
        cmocka_unit_test(reactions_have_the_power_of_the_rows),
        cmocka_unit_test(free_pairs_keep_energy_and_momenta),
        cmocka_unit_test(rolling_disk),
        cmocka_unit_test(sleigh),
        cmocka_unit_test(rates_of_blades_are_as_drawn),
        cmocka_unit_test(skate_on_a_slope),
        cmocka_unit_test(rolling_coin),
        cmocka_unit_test(sphere_on_a_slope),
        cmocka_unit_test(sphere_on_a_turntable),
        cmocka_unit_test(wheels_on_an_axle),
        cmocka_unit_test(a_blade_that_follows_from_joints),
        cmocka_unit_test(velocities_follow_from_rolling),
        cmocka_unit_test(place_follows_from_the_plane),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(given_values_are_corrected_on_demand),
        cmocka_unit_test(flat_disk_has_no_value),
        cmocka_unit_test(equations_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
