/* Consistent initial positions and velocities.
 *
 * Positions. A placement that the file leaves out of a body with a joint given by `points` is free;
 * all others are given. Free bodies that a joint in ground axes holds begin where they stand, other
 * ones are first put against a placed neighbour, joint by joint; then Gauss-Newton steps of least
 * |dx|^2 + length^2 |dtheta|^2 close the loops. What is given does not move, unless it contradicts
 * a joint and `initial: {correct: true}` lets it (assemble_correct.c).
 *
 * Where that ends in a dead position (bars that all lie on one line have no direction in which
 * their loop would close) it is begun again from placements beside the first one.
 *
 * Velocities. Given ones stay; the others are those of least kinetic energy that satisfy the
 * constraints: minimise v^T M v / 2 with G v = -Phi_t. */
#include "model/assembly/assembly.h"

#include "base/chance.h"
#include "base/error.h"
#include "model/evaluate.h"
#include "model/joints/joint.h"
#include "model/quantities/signal.h"
#include "model/states/delay.h"

#include <nutate/group.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- state from the bodies and back --------------------------------------------------------- */

/* Elements say where their own coordinates begin. */
static void write_own(nt_run *run)
{
    const nt_model *model = run->model;
    for (int i = 0; model->has_own && i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (e->n_own > 0)
            nt_element_initial(run, e, e->own_q < 0 ? NULL : run->initial_q + e->own_q,
                               run->initial_v + e->own_v);
    }
}

static void write_positions(nt_run *run)
{
    for (int i = 1; i < run->model->n_bodies; i++) {
        const nt_body *body = &run->bodies[i];
        double *q = run->initial_q + body->q;
        if (body->t_node >= 0) {
            v3_store(q, body->x0);
            q += 3;
        }
        if (body->r_node >= 0)
            quat_store(q, body->q0);
    }
}

static void read_positions(nt_run *run)
{
    for (int i = 1; i < run->model->n_bodies; i++) {
        nt_body *body = &run->bodies[i];
        const double *q = run->initial_q + body->q;
        if (body->t_node >= 0) {
            body->x0 = v3_load(q);
            q += 3;
        }
        if (body->r_node >= 0)
            body->q0 = quat_load(q);
    }
}

nt_point nt_assembly_point(const nt_assembly *a)
{
    return (nt_point){.t = a->run->model->simulation.start,
                      .q = a->run->initial_q,
                      .v = a->run->initial_v,
                      .vdot = a->run->initial_v,
                      .lambda = a->run->multipliers,
                      .mu = a->run->multipliers + a->run->system.nh,
                      .memory = NULL};
}

static double row_scale(const nt_assembly *a, int row)
{
    return a->run->model->row_quantity[row] == NT_LENGTH ? a->run->length : 1;
}

nt_status nt_assembly_measure(nt_assembly *a, const double *q, nt_level level, double *size,
                              int *worst)
{
    nt_point at = nt_assembly_point(a);
    at.q = q;
    nt_terms terms = {.level = level, .rows = a->rows};
    nt_status status = nt_problem_evaluate(a->problem, &at, &terms);
    int count = level == NT_POSITION ? a->run->system.nh : a->problem->nc;
    *size = 0;
    *worst = -1;
    for (int i = 0; i < count; i++) {
        double off = fabs(a->rows[i]) / row_scale(a, i);
        if (!(off <= *size)) {
            *size = off;
            *worst = i;
        }
    }
    return status;
}

/* ---- positions ------------------------------------------------------------------------------ */

/* Whether an element places its bodies: a joint given in the bodies' own axes does, unless it waits
 * for an event to hold them. */
static bool by_points(const nt_run *run, const nt_element *e)
{
    const nt_joint *joint = nt_element_as_switched(run, e);
    bool own_axes = e->type->leaves_place || (joint && (joint->given & NT_GIVEN_POINTS));
    return own_axes && (!joint || nt_joint_holds_at_first(joint));
}

/* Whether a joint is given in ground axes: it says that its bodies stand there. */
static bool by_place(const nt_run *run, const nt_element *e)
{
    const nt_joint *joint = nt_element_as_joint(run, e);
    return joint && !(joint->given & NT_GIVEN_POINTS) && nt_joint_holds_at_first(joint);
}

/* Fills `given`, `fixed` and `placed`. Returns how many unknowns may move. */
static int choose_free(nt_assembly *a)
{
    const nt_run *run = a->run;
    size_t nv = (size_t)a->problem->nv;
    int count = 0;
    memset(a->given, 1, nv);
    for (int b = 0; b < run->model->n_bodies; b++)
        a->placed[b] = true;
    for (int i = 0; i < run->model->n_elements; i++)
        for (int side = 0; side < 2; side++) {
            const nt_element *e = &run->model->elements[i];
            int b = side == 0 ? e->a : e->b;
            if (b > 0 && by_points(run, e))
                a->placed[b] = false; /* for now: has a joint by points */
        }
    for (int b = 1; b < run->model->n_bodies; b++) {
        const nt_body *body = &run->bodies[b];
        bool points = !a->placed[b];
        bool position = points && !(body->given & NT_GIVEN_POSITION);
        /* a body that only turns about a point is placed as a whole by its origin's position */
        bool held = (body->given & NT_GIVEN_ORIENTATION) ||
                    (body->t_node < 0 && (body->given & NT_GIVEN_POSITION));
        bool rotation = body->r_node >= 0 && points && !held;
        int r = body->v + (body->t_node >= 0 ? 3 : 0);
        for (int k = 0; k < 3; k++) {
            if (position && body->t_node >= 0)
                a->given[body->v + k] = 0, count++;
            if (rotation)
                a->given[r + k] = 0, count++;
        }
        a->placed[b] = !points || (body->given & NT_GIVEN_POSITION) ||
                       (body->given & NT_GIVEN_ORIENTATION) || body->t_node < 0;
    }
    for (int i = 0; i < run->model->n_elements; i++)
        if (by_place(run, &run->model->elements[i]))
            a->placed[run->model->elements[i].a] = a->placed[run->model->elements[i].b] = true;
    memcpy(a->fixed, a->given, nv);
    return count;
}

/* The smallest rotation that takes unit vector a to unit vector b. */
static quat smallest_rotation(v3 a, v3 b)
{
    double c = v3_dot(a, b);
    v3 axis = v3_cross(a, b);
    if (c < -0.999999) { /* opposite: half a turn about anything across */
        v3 pick = fabs(a.x) < 0.7 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
        axis = v3_cross(a, pick);
        axis = v3_scale(1 / v3_norm(axis), axis);
        return (quat){0, axis.x, axis.y, axis.z};
    }
    return quat_unit((quat){1 + c, axis.x, axis.y, axis.z});
}

/* The direction in which a rod leads from a placed body: down, as things hang. */
static v3 along_rod(const nt_run *run, const nt_joint *joint)
{
    v3 g = v3_load(run->gravity);
    double size = v3_norm(g);
    return size > 0 ? v3_scale(joint->length / size, g) : v3_of(0, 0, -joint->length);
}

/* Put body b against its placed neighbour through joint e. */
static void put_against(nt_run *run, const nt_element *e, int b)
{
    const nt_joint *joint = nt_joint_of(run, e);
    bool is_b = b == e->b;
    const nt_body *there = &run->bodies[is_b ? e->a : e->b];
    nt_body *here = &run->bodies[b];
    v3 X_there = is_b ? joint->point_a : joint->point_b, X = is_b ? joint->point_b : joint->point_a;
    v3 axis_there = is_b ? joint->e[2] : joint->f[2], axis = is_b ? joint->f[2] : joint->e[2];
    m3 R_there = quat_matrix(there->q0);
    if ((joint->given & NT_GIVEN_AXES) && !(here->given & NT_GIVEN_ORIENTATION)) {
        bool cross = joint->specs[joint->n_specs - 1].j == 2 && joint->n_specs == 2; /* universal */
        v3 now = m3_apply(quat_matrix(here->q0), axis), wanted = m3_apply(R_there, axis_there);
        if (!cross)
            here->q0 = quat_unit(quat_multiply(smallest_rotation(now, wanted), here->q0));
    }
    v3 p = v3_add(there->x0, m3_apply(R_there, X_there));
    if (joint->specs[0].kind == NT_ROW_DISTANCE)
        p = v3_add(p, along_rod(run, joint));
    if (here->t_node >= 0)
        here->x0 = v3_sub(p, m3_apply(quat_matrix(here->q0), X));
}

static void place_tree(nt_assembly *a)
{
    nt_run *run = a->run;
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = 0; i < run->model->n_elements; i++) {
            const nt_element *e = &run->model->elements[i];
            if (!by_points(run, e) || a->placed[e->a] == a->placed[e->b])
                continue;
            int b = a->placed[e->a] ? e->b : e->a;
            if (nt_element_as_joint(
                    run, e)) /* a plane leaves its place open: Gauss-Newton steps find one */
                put_against(run, e, b);
            a->placed[b] = progress = true;
        }
    }
    write_positions(run);
}

/* One Gauss-Newton step, shortened until the constraints improve. */
static nt_status improve(nt_assembly *a, double *size, bool *better)
{
    nt_run *run = a->run;
    nt_problem *p = a->problem;
    nt_point at = nt_assembly_point(a);
    for (int i = 0; i < p->nc; i++)
        a->rows[i] = i < p->nh ? -a->rows[i] : 0;
    nt_projection step = {.holonomic_only = true, /* positions may move in directions that slip */
                          .fixed = a->fixed,
                          .light = a->corrects ? a->light : NULL,
                          .rhs = a->rows};
    nt_status status = nt_factors_project(a->factors, &at, &step, a->dv);
    if (status != NT_OK)
        return status;
    double longest = 0;
    for (int i = 0; i < p->nv; i++)
        longest =
            fmax(longest, fabs(a->dv[i]) * (p->quantity[i] == NT_ANGLE ? 1 : 1 / run->length));
    double share = longest > 0.7 ? 0.7 / longest : 1; /* no rotation beyond 40 degrees at once */
    *better = false;
    for (int halving = 0; halving < 12 && !*better; halving++, share /= 2) {
        double *part = a->factors->work;
        for (int i = 0; i < p->nv; i++)
            part[i] = share * a->dv[i];
        nt_space_compose(&p->space, NT_INERTIAL, run->initial_q, part, a->trial);
        double trial_size;
        int worst;
        if ((status = nt_assembly_measure(a, a->trial, NT_POSITION, &trial_size, &worst)) != NT_OK)
            return status;
        if (trial_size < *size) {
            *better = true;
            *size = trial_size;
            memcpy(run->initial_q, a->trial, (size_t)p->nq * sizeof(double));
        }
    }
    return NT_OK;
}

nt_status nt_assembly_settle(nt_assembly *a, double *size)
{
    nt_run *run = a->run;
    int worst;
    nt_status status = nt_assembly_measure(a, run->initial_q, NT_POSITION, size, &worst);
    bool better = *size > 1e-15;
    for (int i = 0; status == NT_OK && i < 200 && *size > 1e-15 && better; i++) {
        status = nt_assembly_measure(a, run->initial_q, NT_POSITION, size, &worst);
        if (status == NT_OK)
            status = improve(a, size, &better);
    }
    return status;
}

/* Moves everything that is free from q by chance, by up to 0.6 rad and 0.2 of the model's length.
 */
static void put_beside(nt_assembly *a, const double *q, unsigned *seed)
{
    nt_run *run = a->run;
    nt_problem *p = a->problem;
    for (int i = 0; i < p->nv; i++) {
        double number = nt_chance(seed);
        double size = p->quantity[i] == NT_ANGLE ? 0.6 : 0.2 * run->length;
        a->dv[i] = a->fixed[i] ? 0 : size * number;
    }
    nt_space_compose(&p->space, NT_INERTIAL, q, a->dv, run->initial_q);
}

nt_status nt_assembly_settle_nearby(nt_assembly *a, double *size)
{
    enum { TRIES = 8 };
    nt_run *run = a->run;
    size_t bytes = (size_t)a->problem->nq * sizeof(double);
    double *begin = a->begin, *best = a->best;
    unsigned seed = 1;
    memcpy(begin, run->initial_q, bytes);
    nt_status status = nt_assembly_settle(a, size);
    memcpy(best, run->initial_q, bytes);
    for (int i = 0; status == NT_OK && *size > NT_CLOSED && i < TRIES; i++) {
        double trial;
        put_beside(a, begin, &seed);
        status = nt_assembly_settle(a, &trial);
        if (status == NT_OK && trial < *size) {
            *size = trial;
            memcpy(best, run->initial_q, bytes);
        }
    }
    memcpy(run->initial_q, best, bytes);
    return status;
}

/* By how much the rows of a level are off at the initial state; fails where one has no value. */
static nt_status measure_finite(nt_assembly *a, nt_level level, double *size, int *worst)
{
    nt_status status = nt_assembly_measure(a, a->run->initial_q, level, size, worst);
    return status == NT_OK && !isfinite(*size) ? NT_NOT_FINITE : status;
}

/* Refuses the positions as they are, and looks whether `initial: {correct: true}` would close the
 * rows by moving what is given. */
static nt_status refuse_positions(nt_assembly *a, const char *what, bool some_given,
                                  nt_error *error)
{
    double *q = a->run->initial_q, size = (double)INFINITY, as_given;
    bool correctable = false;
    int worst;
    if (some_given && !a->run->model->correct_initial) {
        memset(a->fixed, 0, (size_t)a->problem->nv);
        correctable = nt_assembly_settle_nearby(a, &size) == NT_OK && size <= NT_CLOSED;
        memcpy(q, a->begin, (size_t)a->problem->nq * sizeof *q);
    }
    nt_status status = nt_assembly_measure(a, q, NT_POSITION, &as_given, &worst);
    if (status != NT_OK)
        return nt_assembly_no_value(a, status, "positions", error);
    return nt_assembly_contradiction(a, worst, false, what, correctable, error);
}

static nt_status close_loops(nt_assembly *a, bool validate, nt_error *error)
{
    nt_run *run = a->run;
    int free_count = choose_free(a), worst;
    double size;
    if (a->problem->nh == 0)
        return NT_OK;
    bool some_unplaced = false;
    for (int b = 1; b < run->model->n_bodies; b++)
        some_unplaced |= !a->placed[b];
    if (some_unplaced)
        place_tree(a);
    nt_status status = measure_finite(a, NT_POSITION, &size, &worst);
    if (status != NT_OK)
        return nt_assembly_no_value(a, status, "positions", error);
    if (size > NT_CLOSED && free_count == 0 && validate && !run->model->correct_initial)
        return refuse_positions(a, "the given positions", true, error);
    if (free_count > 0)
        status = nt_assembly_settle_nearby(a, &size);
    if (status == NT_OK && run->model->correct_initial)
        status = nt_assembly_correct_positions(a, &size);
    if (status != NT_OK)
        return nt_assembly_no_value(a, status, "positions", error);
    if ((status = measure_finite(a, NT_POSITION, &size, &worst)) != NT_OK)
        return nt_assembly_no_value(a, status, "positions", error);
    if (size > NT_CLOSED && validate)
        return refuse_positions(a,
                                run->model->correct_initial || free_count == a->problem->nv
                                    ? "any placement near the given one (the loop does not close)"
                                    : "any placement nearby that keeps the given positions and "
                                      "orientations (the loop does not close)",
                                free_count < a->problem->nv, error);
    read_positions(run);
    return NT_OK;
}

/* ---- velocities ----------------------------------------------------------------------------- */

static void write_velocities(nt_run *run)
{
    for (int i = 1; i < run->model->n_bodies; i++) {
        const nt_body *body = &run->bodies[i];
        double *v = run->initial_v + body->v;
        if (body->t_node >= 0) {
            v3_store(v, body->v0);
            v += 3;
        }
        if (body->r_node >= 0)
            v3_store(v, body->w0);
    }
}

/* Finds what the given velocities are in the assembled placement. A body's velocity is given at its
 * origin. Where its angular velocity is given too, that fixes the velocity of its centre of mass;
 * else it ties the two to each other. */
static void given_velocities(nt_assembly *a)
{
    nt_run *run = a->run;
    a->n_ties = 0;
    memset(a->given, 0, (size_t)a->problem->nv);
    for (int i = 1; i < run->model->n_bodies; i++) {
        nt_body *body = &run->bodies[i];
        bool moves = body->t_node >= 0;
        bool velocity = body->given & NT_GIVEN_VELOCITY;
        bool spin = body->given & NT_GIVEN_ANGULAR_VELOCITY;
        m3 R = quat_matrix(body->q0);
        v3 given = v3_load(body->angular_velocity);
        if (spin)
            body->w0 = body->angular_velocity_frame == 1 ? given : m3_apply(R, given);
        v3 arm = m3_apply(R, body->reference);
        if (velocity && moves)
            body->v0 = v3_add(v3_load(body->velocity), v3_cross(body->w0, arm));
        if (velocity && moves && !spin && v3_norm(arm) > 0)
            a->ties[a->n_ties++] =
                (nt_tie){.translation = body->v, .rotation = body->v + 3, .arm = arm};
        for (int k = 0; k < 3; k++) {
            if (velocity && moves)
                a->given[body->v + k] = 1;
            if (spin)
                a->given[body->v + (moves ? 3 : 0) + k] = 1;
        }
    }
    for (int i = 0; run->model->has_own && i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        if (e->n_own > 0)
            memset(a->given + e->own_v, 1, (size_t)e->n_own);
    }
    write_velocities(run);
    if (run->model->correct_initial)
        memcpy(a->v_given, run->initial_v, (size_t)a->problem->nv * sizeof(double));
}

/* Says why the given velocities satisfy the rows with no choice of the others. Zero velocities
 * satisfy every row but those of prescribed motions. So where no velocities at all satisfy the
 * rows, the motions contradict the joints or each other in the placement that the bodies have. */
static nt_status refuse_velocities(nt_assembly *a, double scale, nt_error *error)
{
    nt_run *run = a->run;
    double size = 0, change;
    int worst = -1;
    const char *what = "any velocities in this placement (what motions prescribe contradicts "
                       "the joints or another motion)";
    bool correctable = false;
    nt_projection step = {0};
    memset(run->initial_v, 0, (size_t)a->problem->nv * sizeof *run->initial_v);
    nt_status status = nt_assembly_change_velocities(a, &step, &change);
    if (status == NT_OK)
        status = nt_assembly_measure(a, run->initial_q, NT_VELOCITY, &size, &worst);
    if (status == NT_NO_MEMORY)
        return nt_assembly_no_value(a, status, "velocities", error);
    if (status != NT_OK || !(size > NT_CLOSED * scale)) {
        what = "the given velocities";
        correctable = status == NT_OK && !run->model->correct_initial;
        write_velocities(run);
        write_own(run);
        nt_assembly_measure(a, run->initial_q, NT_VELOCITY, &size, &worst);
    }
    return nt_assembly_contradiction(a, worst, true, what, correctable, error);
}

static nt_status find_velocities(nt_assembly *a, bool validate, nt_error *error)
{
    nt_run *run = a->run;
    nt_problem *p = a->problem;
    double size = 0, scale = 1, change;
    int worst = -1;
    given_velocities(a);
    if (p->nc == 0 && a->n_ties == 0)
        return NT_OK;
    nt_projection step = {.fixed = a->given, .ties = a->ties, .n_ties = a->n_ties};
    nt_status status = measure_finite(a, NT_VELOCITY, &size, &worst);
    if (status == NT_OK)
        status = nt_assembly_change_velocities(a, &step, &change);
    for (int i = 0; status == NT_OK && i < p->nv; i++)
        scale = fmax(scale, fabs(run->initial_v[i]));
    if (status == NT_OK && run->model->correct_initial)
        status = nt_assembly_measure(a, run->initial_q, NT_VELOCITY, &size, &worst);
    if (status == NT_OK && run->model->correct_initial && size > NT_CLOSED * scale)
        status = nt_assembly_correct_velocities(a);
    if (status != NT_OK)
        return nt_assembly_no_value(a, status, "velocities", error);
    for (int i = 1; i < run->model->n_bodies; i++) {
        nt_body *body = &run->bodies[i];
        const double *v = run->initial_v + body->v;
        bool moves = body->t_node >= 0, turns = body->r_node >= 0;
        body->v0 = moves ? v3_load(v) : v3_of(0, 0, 0);
        body->w0 = turns ? v3_load(v + (moves ? 3 : 0)) : v3_of(0, 0, 0);
    }
    if ((status = measure_finite(a, NT_VELOCITY, &size, &worst)) != NT_OK)
        return nt_assembly_no_value(a, status, "velocities", error);
    if (size > NT_CLOSED * scale && validate)
        return refuse_velocities(a, scale, error);
    return NT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The model's length: the diagonal of the box around all bodies' reference points and all joints'
 * points. */
static void measure_length(nt_run *run)
{
    v3 low = run->bodies[1].x0, high = low;
    for (int i = 1; i < run->model->n_bodies + run->model->n_joints; i++) {
        v3 p;
        if (i < run->model->n_bodies)
            p = run->bodies[i].x0;
        else {
            const nt_element *e = &run->model->elements[i - run->model->n_bodies];
            if (!nt_element_has_site(e))
                continue;
            p = e->type->site(run, e);
        }
        low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    double length = v3_norm(v3_sub(high, low));
    double rounding =
        1e-14 * (v3_norm(high) + v3_norm(low)); /* of points that are one and the same */
    run->length = length > rounding && isfinite(length) ? length : 1;
    run->system.length = run->length;
}

static bool take_correction(nt_assembly *a)
{
    const nt_problem *p = a->problem;
    a->light = NT_TAKE(&a->arena, p->nv, double);
    a->offset = NT_TAKE(&a->arena, p->nv, double);
    a->way = NT_TAKE(&a->arena, p->nv, double);
    a->before = NT_TAKE(&a->arena, p->nv, double);
    a->from = NT_TAKE(&a->arena, p->nq, double);
    a->q_given = NT_TAKE(&a->arena, p->nq, double);
    a->v_given = NT_TAKE(&a->arena, p->nv, double);
    return a->light && a->offset && a->way && a->before && a->from && a->q_given && a->v_given;
}

static nt_status take_work(nt_assembly *a)
{
    const nt_problem *p = a->problem;
    a->placed = NT_TAKE(&a->arena, a->run->model->n_bodies, bool);
    a->given = NT_TAKE(&a->arena, p->nv, unsigned char);
    a->fixed = NT_TAKE(&a->arena, p->nv, unsigned char);
    a->rows = NT_TAKE(&a->arena, p->nc, double);
    a->dv = NT_TAKE(&a->arena, p->nv, double);
    a->trial = NT_TAKE(&a->arena, p->nq, double);
    a->begin = NT_TAKE(&a->arena, p->nq, double);
    a->best = NT_TAKE(&a->arena, p->nq, double);
    a->ties = NT_TAKE(&a->arena, a->run->model->n_bodies, nt_tie);
    bool ok = a->placed && a->given && a->fixed && a->rows && a->dv && a->trial && a->begin &&
              a->best && a->ties;
    if (a->run->model->correct_initial)
        ok = ok && take_correction(a);
    return ok ? NT_OK : NT_NO_MEMORY;
}

nt_status nt_assembly_create(nt_assembly **out, nt_run *run, nt_error *error)
{
    nt_assembly *a = calloc(1, sizeof *a);
    *out = a;
    if (!a)
        return nt_fail_at(error, NT_NO_MEMORY, run->model->file, 0, 0, "out of memory");
    a->run = run;
    if (run->system.space.nv == 0) { /* no body; then there are elements, or the file was refused */
        const nt_element *e = run->model->n_elements > 0 ? &run->model->elements[0] : NULL;
        nt_assembly_destroy(a);
        *out = NULL;
        return nt_fail_at(error, NT_BAD_MODEL, run->model->file, e ? e->place.line : 0,
                          e ? e->place.column : 0,
                          "nothing can move: expected a body, or a beam or cable with a node "
                          "between its ends");
    }
    nt_status status = nt_problem_create(&a->problem, &run->system, NT_INERTIAL, error);
    if (status == NT_OK)
        a->problem->unasked = true; /* values that are set back are so in any case */
    if (status == NT_OK)
        status = nt_factors_create(&a->factors, a->problem, NT_SOLVER_AUTO, error);
    if (status == NT_OK && take_work(a) != NT_OK)
        status = nt_fail_at(error, NT_NO_MEMORY, run->model->file, 0, 0, "out of memory");
    if (status != NT_OK) {
        nt_assembly_destroy(a);
        *out = NULL;
    }
    return status;
}

void nt_assembly_destroy(nt_assembly *a)
{
    if (!a)
        return;
    nt_factors_destroy(a->factors);
    nt_problem_destroy(a->problem);
    nt_arena_free(&a->arena);
    free(a);
}

/* Takes the first samples. Each of them sees what was held before any was taken. What delays keep
 * jumps at the start: before it was what is held before the first sample. */
static void take_first_samples(nt_run *run, const nt_point *at)
{
    static const nt_terms none = {.parts = 0};
    nt_view view;
    bool any = false;
    for (int i = 0; i < run->model->n_elements; i++)
        any = any || nt_element_has_stops(&run->model->elements[i]);
    if (!any)
        return;
    nt_run_look(run, at, &none, &view);
    for (int i = 0; i < run->model->n_elements; i++)
        nt_element_at_stop(&run->model->elements[i], &view, run->initial_memory);
    nt_run_look(run, at, &none, &view);
    for (int k = 0; k < run->model->n_delays; k++)
        nt_delay_settle(run, &view, k, at->t, NULL, run->initial_memory);
}

/* Whether a joint's motion has turned it from the given placement: then loops were closed with the
 * motion's value, and the joint's angle is not zero at the start unless that value is. */
static bool begins_by_motion(const nt_run *run, const nt_element *e)
{
    const nt_joint *joint = nt_element_as_joint(run, e);
    return joint && joint->motion && joint->enforce == 0 && nt_joint_holds_at_first(joint);
}

nt_status nt_assembly_place(nt_assembly *a, bool validate, nt_error *error)
{
    nt_run *run = a->run;
    measure_length(run);
    a->problem->length = run->length;
    write_positions(run);
    write_velocities(run);
    write_own(run);
    if (run->model->correct_initial)
        memcpy(a->q_given, run->initial_q, (size_t)run->system.space.nq * sizeof(double));
    nt_status status = close_loops(a, validate, error);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < run->model->n_joints; i++)
        if (!begins_by_motion(run, &run->model->elements[i]))
            nt_element_align(run, &run->model->elements[i]);
    status = find_velocities(a, validate, error);
    for (int i = run->model->n_joints; status == NT_OK && i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        status = nt_element_settle(run, e);
        if (status == NT_OK && nt_element_settles(e) && a->q_given)
            nt_assembly_take_found(a, e);
        if (status != NT_OK)
            nt_fail_at(error, status, run->model->file, e->place.line, e->place.column,
                       "%s %s: no balance was found to start from: %s", e->type->name, e->name,
                       nt_status_text(status));
    }
    if (status == NT_OK)
        status = nt_assembly_refuse_places(a, error);
    if (status == NT_OK && run->system.accept) {
        nt_point at = nt_assembly_point(a);
        nt_run_accept(run, &at, run->initial_memory);
        at.memory = run->initial_memory;
        take_first_samples(run, &at);
    }
    return status;
}

/* Solutions that differ by more than this, relative to the largest multiplier, are different ones.
 */
static const double SEVERAL = 1e-6;

/* Loads and the constraints' second derivatives must have values: every method begins with them. */
static nt_status check_accelerations(nt_assembly *a, nt_error *error)
{
    nt_point at = nt_assembly_point(a);
    at.memory = a->run->initial_memory;
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .level = NT_ACCELERATION,
                      .residual = a->factors->work,
                      .rows = a->rows};
    memset(a->factors->work, 0, (size_t)a->problem->nv * sizeof(double));
    nt_status status = nt_problem_evaluate(a->problem, &at, &terms);
    return status == NT_OK ? NT_OK : nt_assembly_no_value(a, status, "accelerations", error);
}

/* Where laws follow reactions that they load, accelerations and multipliers may have several
 * solutions: F = k abs(N) with N = W - F and k above 1 has N = W/(1 + k) and N = W/(1 - k), the
 * equations of self-locking. The solution found from zero multipliers is compared with the one
 * found from multipliers of the opposite sign, twice as large. Equations without a solution are
 * left to the method, whose message says so. */
static nt_status check_unique(nt_assembly *a, nt_error *error)
{
    const nt_problem *p = a->problem;
    const nt_run *run = a->run;
    enum { TWICE = 2 };
    double size = 0, apart = 0;
    nt_error part = {0};
    if (!nt_signals_follow_reactions(run->model) || p->nh + p->nn == 0)
        return NT_OK;
    double *x = calloc(TWICE * (size_t)p->n, sizeof *x), *y = x + p->n;
    if (!x)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_point at = nt_assembly_point(a);
    at.memory = run->initial_memory;
    nt_effort effort = {.is_start = true}, again = {.is_start = true};
    nt_status status =
        nt_factors_accelerate(a->factors, &at, x, x + p->nv, x + p->nv + p->nh, &effort);
    for (int i = p->nv; i < p->n; i++)
        y[i] = -2 * x[i];
    if (status == NT_OK)
        status = nt_factors_accelerate(a->factors, &at, y, y + p->nv, y + p->nv + p->nh, &again);
    for (int i = p->nv; status == NT_OK && i < p->n; i++) {
        size = fmax(size, fabs(x[i]));
        apart = fmax(apart, fabs(x[i] - y[i]));
    }
    if (status == NT_OK && apart > SEVERAL * size)
        nt_run_ill_posed(a->run, &part);
    free(x);
    if (part.line == 0)
        return NT_OK;
    return nt_fail_at(error, NT_BAD_MODEL, run->model->file, part.line, part.column,
                      "accelerations and reactions at the start have several solutions: %s",
                      part.message);
}

nt_status nt_run_assemble(nt_run *run, bool validate, nt_error *error)
{
    nt_assembly *a;
    nt_status status = nt_assembly_create(&a, run, error);
    if (status != NT_OK)
        return status;
    if ((status = nt_assembly_place(a, validate, error)) != NT_OK)
        goto done;
    run->corrections = NULL;
    if (run->model->correct_initial && validate)
        status = nt_assembly_report(a);
    nt_point at = nt_assembly_point(a);
    if (status == NT_OK && validate)
        status = check_accelerations(a, error);
    if (status == NT_OK && (status = nt_factors_choose_rows(a->factors, &at)) != NT_OK)
        status = nt_assembly_no_solution(a, status, "choice of independent equations", error);
    if (validate && status == NT_OK && (status = check_unique(a, error)) != NT_OK)
        goto done;
    run->n_redundant = 0;
    for (int i = 0; i < a->factors->n_dropped; i++) {
        int row = a->factors->dropped[i] - run->system.space.nv;
        if (!nt_problem_is_off(a->problem, row))
            run->redundant[run->n_redundant++] = row;
    }
    measure_length(run);
done:
    nt_assembly_destroy(a);
    return status;
}
