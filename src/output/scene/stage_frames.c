/* Rows of a result as poses of bodies and places of links. */
#include "output/scene/stage.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { POSITION, ORIENTATION, POINT, FORCE, ARRAYS };
static const char *const array_names[ARRAYS] = {"bodies.position", "bodies.orientation",
                                                "loads.point", "loads.force"};
enum { TRAIL_POINTS = 2000 };
static const double LONGEST = 0.3; /* of the model's length: the largest force's arrow */

/* ---- arrays --------------------------------------------------------------------------------- */

static nt_status find_arrays(nt_stage *stage, nt_error *error)
{
    for (int i = 0; i < ARRAYS; i++)
        stage->array[i] = -1;
    for (int k = 0; k < nt_result_array_count(stage->result); k++) {
        nt_result_array array = nt_result_array_at(stage->result, k);
        for (int i = 0; i < ARRAYS; i++) {
            int items = i <= ORIENTATION ? stage->n_bodies - 1 : stage->n_loads;
            int components = i == ORIENTATION ? 4 : 3;
            if (strcmp(array.name, array_names[i]) != 0)
                continue;
            if (array.items == items && array.components == components)
                stage->array[i] = k;
            else if (i <= ORIENTATION)
                return nt_fail(error, NT_INVALID,
                               "%s has %d times %d numbers, its scene has %d bodies", array.name,
                               array.items, array.components, items);
        }
    }
    if (stage->array[POSITION] < 0 || stage->array[ORIENTATION] < 0)
        return nt_fail(error, NT_INVALID,
                       "the result has no poses: expected NetCDF, of a model without "
                       "`output: {poses: false}`");
    if (stage->array[POINT] < 0 || stage->array[FORCE] < 0)
        stage->n_loads = 0;
    return NT_OK;
}

static nt_status take_rows(nt_stage *stage, long most, nt_error *error)
{
    size_t bodies = (size_t)stage->n_bodies - 1, loads = (size_t)stage->n_loads;
    size_t columns = (size_t)nt_result_column_count(stage->result);
    size_t numbers = NT_STAGE_ROWS * (1 + 7 * bodies + 6 * loads) + columns;
    stage->time = malloc(numbers * sizeof *stage->time);
    stage->row_of = malloc(((size_t)most + 2) * sizeof *stage->row_of);
    if (!stage->time || !stage->row_of)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    stage->position = stage->time + NT_STAGE_ROWS;
    stage->orientation = stage->position + NT_STAGE_ROWS * 3 * bodies;
    stage->point = stage->orientation + NT_STAGE_ROWS * 4 * bodies;
    stage->force = stage->point + NT_STAGE_ROWS * 3 * loads;
    stage->columns = stage->force + NT_STAGE_ROWS * 3 * loads;
    return NT_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static nt_status check_pose(const nt_stage *stage, long k, long row, nt_error *error)
{
    int bodies = stage->n_bodies - 1;
    if (!isfinite(stage->time[k]))
        return nt_fail(error, NT_NOT_FINITE, "row %ld: the time is no finite number", row + 1);
    for (int i = 0; i < bodies; i++) {
        const double *x = stage->position + 3 * (k * bodies + i);
        const double *q = stage->orientation + 4 * (k * bodies + i);
        double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!isfinite(x[0] + x[1] + x[2]) || !isfinite(length) || !(length > 0))
            return nt_fail(error, NT_NOT_FINITE, "row %ld: the pose of body %s is no finite number",
                           row + 1, stage->bodies[i + 1]);
    }
    for (int i = 0; i < 3 * stage->n_loads; i++) {
        long at = 3 * k * stage->n_loads + i;
        if (!isfinite(stage->point[at]) || !isfinite(stage->force[at]))
            return nt_fail(error, NT_NOT_FINITE, "row %ld: load %d is no finite number", row + 1,
                           i / 3 + 1);
    }
    return NT_OK;
}

/* Row `row` of the result to place k of those at hand. */
static nt_status read_row(nt_stage *stage, long k, long row, nt_error *error)
{
    size_t bodies = (size_t)stage->n_bodies - 1, loads = (size_t)stage->n_loads, at = (size_t)k;
    double *to[ARRAYS] = {stage->position + 3 * bodies * at, stage->orientation + 4 * bodies * at,
                          stage->point + 3 * loads * at, stage->force + 3 * loads * at};
    nt_status status = nt_result_read(stage->result, row, 1, stage->columns, error);
    stage->time[k] = stage->columns[0];
    for (int i = 0; i < ARRAYS && status == NT_OK; i++)
        if (i <= ORIENTATION || stage->n_loads > 0)
            status = nt_result_read_array(stage->result, stage->array[i], row, 1, to[i], error);
    return status == NT_OK ? check_pose(stage, k, row, error) : status;
}

nt_status nt_stage_read(nt_stage *stage, long first, nt_error *error)
{
    nt_status status = NT_OK;
    long left = stage->n_frames - first;
    stage->n = left < NT_STAGE_ROWS ? left : NT_STAGE_ROWS;
    for (long k = 0; k < stage->n && status == NT_OK; k++)
        status = read_row(stage, k, stage->row_of[first + k], error);
    return status;
}

/* ---- places --------------------------------------------------------------------------------- */

nt_pose nt_stage_pose(const nt_stage *stage, long k, int body)
{
    int bodies = stage->n_bodies - 1;
    if (body == 0)
        return (nt_pose){.q = {1, 0, 0, 0}};
    return (nt_pose){.x = v3_load(stage->position + 3 * (k * bodies + body - 1)),
                     .q = quat_unit(quat_load(stage->orientation + 4 * (k * bodies + body - 1)))};
}

v3 nt_pose_apply(nt_pose pose, v3 at) { return v3_add(pose.x, m3_apply(quat_matrix(pose.q), at)); }

/* Turns the link the short way from where it was, so that a coil does not spin about itself. */
static void turn_link(nt_link *link, v3 along)
{
    v3 axis = v3_cross(link->along, along);
    double c = v3_dot(link->along, along);
    quat step =
        c < -1 + 1e-9 ? (quat){0, 1, 0, 0} : quat_unit((quat){1 + c, axis.x, axis.y, axis.z});
    if (c < -1 + 1e-9) { /* about any axis across */
        v3 x = fabs(link->along.x) < 0.9 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
        v3 across = v3_cross(link->along, x);
        across = v3_scale(1 / v3_norm(across), across);
        step = (quat){0, across.x, across.y, across.z};
    }
    link->turn = quat_unit(quat_multiply(step, link->turn));
    link->along = along;
}

nt_placed nt_stage_place(nt_stage *stage, long k, nt_link *link)
{
    v3 from, d;
    double scale = 1, least = 1e-6 * stage->length;
    if (link->load >= 0) {
        long at = 3 * (k * stage->n_loads + link->load);
        double most = link->torque ? stage->most_torque : stage->most_force;
        bool known = link->load < stage->n_loads;
        from = known ? v3_load(stage->point + at) : v3_of(0, 0, 0);
        d = known ? v3_load(stage->force + at) : from;
        scale = most > 0 ? LONGEST * stage->length / most : 0;
    } else {
        from = nt_pose_apply(nt_stage_pose(stage, k, link->body[0]), link->at[0]);
        d = v3_sub(nt_pose_apply(nt_stage_pose(stage, k, link->body[1]), link->at[1]), from);
    }
    double length = v3_norm(d);
    if (length > 0)
        turn_link(link, v3_scale(1 / length, d));
    return (nt_placed){.at = from, .turn = link->turn, .length = fmax(scale * length, least)};
}

/* ---- all rows ------------------------------------------------------------------------------- */

static void look(nt_stage *stage, bool for_trails)
{
    double g = v3_norm(stage->gravity);
    v3 up = g > 0 ? v3_scale(-1 / g, stage->gravity) : v3_of(0, 0, 1);
    for (int i = 1; i < stage->n_bodies; i++)
        stage->lowest = fmin(stage->lowest, v3_dot(up, nt_stage_pose(stage, 0, i).x));
    for (int i = 0; i < stage->n_links; i++) {
        const nt_link *link = &stage->links[i];
        if (link->load < 0 || link->load >= stage->n_loads)
            continue;
        double size = v3_norm(v3_load(stage->force + 3 * link->load));
        double *most = link->torque ? &stage->most_torque : &stage->most_force;
        *most = fmax(*most, size);
    }
    for (int i = 0; i < stage->n_slides; i++) {
        nt_slide *slide = &stage->slides[i];
        nt_pose a = nt_stage_pose(stage, 0, slide->body[0]);
        v3 to = nt_pose_apply(nt_stage_pose(stage, 0, slide->body[1]), slide->at[1]);
        v3 axis = m3_apply(quat_matrix(a.q), slide->axis[0]);
        double along = v3_dot(axis, v3_sub(to, nt_pose_apply(a, slide->at[0])));
        slide->low = fmin(slide->low, along);
        slide->high = fmax(slide->high, along);
    }
    for (int i = 0; i < stage->n_trails && for_trails; i++) {
        nt_trail *trail = &stage->trails[i];
        v3 at = nt_pose_apply(nt_stage_pose(stage, 0, trail->body), trail->at);
        const float point[3] = {(float)at.x, (float)at.y, (float)at.z};
        nt_bytes_put(&trail->points, point, sizeof point);
    }
}

nt_status nt_stage_survey(nt_stage *stage, long most, nt_error *error)
{
    long rows = nt_result_rows(stage->result);
    nt_status status = find_arrays(stage, error);
    if (status != NT_OK)
        return status;
    if (rows < 1)
        return nt_fail(error, NT_INVALID, "the result has no rows yet");
    most = most < 2 ? 2 : most;
    stage->stride = rows <= most ? 1 : (rows - 1 + most - 2) / (most - 1);
    status = take_rows(stage, rows / stage->stride, error);
    long often = (rows / stage->stride + TRAIL_POINTS - 1) / TRAIL_POINTS;
    float before = -INFINITY;
    stage->lowest = INFINITY;
    for (long row = 0; row < rows && status == NT_OK;) {
        status = read_row(stage, 0, row, error);
        if (status != NT_OK)
            break;
        if (row == 0)
            stage->start = stage->time[0];
        float now = (float)(stage->time[0] - stage->start);
        if (now > before) {
            look(stage, stage->n_frames % often == 0 || row == rows - 1);
            stage->row_of[stage->n_frames++] = row;
            before = now;
        }
        row = row + stage->stride < rows || row == rows - 1 ? row + stage->stride : rows - 1;
    }
    return status;
}
