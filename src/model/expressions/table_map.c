/* Maps: tables of two variables, f(x, u) through the points of a grid.
 *
 * In each rectangle f is the product form of the cubics of one variable: with the Hermite functions
 * H_p of the value (p = 0, 1 at the lower and upper point) and G_p of the slope, in x and in u,
 *
 *   f = sum_pq  f_pq H_p(x) H_q(u) + f_x,pq G_p(x) H_q(u) + f_u,pq H_p(x) G_q(u) + f_xu,pq G_p G_q
 *
 * with slopes of the one-dimensional form along x and along u, and the twist f_xu those of f_u
 * along x. Linear and previous ones have functions of their own and no slopes. */
#include "base/error.h"
#include "model/expressions/table_slopes.h"

#include <math.h>

/* The form of a map in its second variable. */
static nt_table_form form_across(const nt_table_form *form)
{
    nt_table_form across = *form;
    across.beyond = form->across != 0 ? form->across - 1 : form->beyond;
    return across;
}

static bool map_repeats(const nt_table_form *form)
{
    return form->beyond == NT_BEYOND_PERIODIC ||
           (form->interpolation == NT_SPLINE && form->ends == NT_ENDS_PERIODIC);
}

/* Steps repeat themselves whatever the last of them is: it has no width. */
nt_status nt_map_check(const nt_table_sheet *sheet, const nt_table_form *form, nt_error *error)
{
    const nt_table_form across = form_across(form);
    const size_t n = (size_t)sheet->n, m = (size_t)sheet->columns - 1;
    const double *z = sheet->value + n; /* [m][n] */
    bool along = map_repeats(form), over = map_repeats(&across);
    bool spline = form->interpolation == NT_SPLINE && form->ends == NT_ENDS_PERIODIC;
    if (spline && (n < 4 || m < 4))
        return nt_fail(error, NT_BAD_MODEL,
                       "has %zu by %zu points, expected four or more each way of a periodic spline",
                       n, m);
    for (size_t k = 0; k < m && along && form->interpolation != NT_PREVIOUS; k++)
        if (z[k * n] != z[k * n + n - 1])
            return nt_fail(error, NT_BAD_MODEL,
                           "repeats itself in x, but at y = %.17g its first value %.17g and its "
                           "last %.17g differ",
                           sheet->across[k], z[k * n], z[k * n + n - 1]);
    for (size_t i = 0; i < n && over && form->interpolation != NT_PREVIOUS; i++)
        if (z[i] != z[(m - 1) * n + i])
            return nt_fail(error, NT_BAD_MODEL,
                           "repeats itself in y, but at x = %.17g its first value %.17g and its "
                           "last %.17g differ",
                           sheet->value[i], z[i], z[(m - 1) * n + i]);
    return NT_OK;
}

/* A spline that repeats itself has no seam where there are points enough. */
static nt_table_form map_form_of_slopes(const nt_table_form *form)
{
    nt_table_form of_slopes = *form;
    if (form->beyond == NT_BEYOND_PERIODIC)
        of_slopes.ends = NT_ENDS_PERIODIC;
    return of_slopes;
}

static nt_table map_axis(const nt_table *map, const nt_table_form *form, const double *points,
                         int n, const double *slopes)
{
    return (nt_table){
        .n = n, .x = points, .y = points, .slope = slopes, .file = map->file, .form = *form};
}

nt_status nt_map_make(nt_table *map, nt_arena *arena, nt_error *error)
{
    const nt_table_sheet *sheet = map->sheet;
    size_t n = (size_t)sheet->n, m = (size_t)sheet->columns - 1, longest = n > m ? n : m;
    double *all = NT_TAKE(arena, 4 * n * m + 7 * longest, double);
    if (!all)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    const nt_table_form other = form_across(&map->form);
    const nt_table_form along = map_form_of_slopes(&map->form), across = map_form_of_slopes(&other);
    double *z = all, *zx = z + n * m, *zu = zx + n * m, *twist = zu + n * m;
    double *line = twist + n * m, *slope = line + longest, *work = slope + longest;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            z[i * m + k] = sheet->value[(k + 1) * n + i];
    for (size_t i = 0; i < n; i++)
        nt_table_slopes(sheet->across, z + i * m, (int)m, &across, zu + i * m, work);
    for (int pass = 0; pass < 2; pass++) /* of f, then of f_u */
        for (size_t k = 0; k < m; k++) {
            const double *from = pass == 0 ? z : zu;
            double *to = pass == 0 ? zx : twist;
            for (size_t i = 0; i < n; i++)
                line[i] = from[i * m + k], slope[i] = 0;
            nt_table_slopes(map->x, line, (int)n, &along, slope, work);
            for (size_t i = 0; i < n; i++)
                to[i * m + k] = slope[i];
        }
    map->m = (int)m;
    map->u = sheet->across;
    map->y = z, map->slope = zx, map->slope_u = zu, map->twist = twist;
    if (map->form.interpolation != NT_PREVIOUS)
        return NT_OK;
    nt_table *axis = NT_TAKE(arena, 2, nt_table);
    if (!axis)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    axis[0] = map_axis(map, &map->form, map->x, map->n, zx); /* slopes are zero */
    axis[1] = map_axis(map, &other, map->u, map->m, zu);
    map->axis = axis;
    return NT_OK;
}

/* Functions of one variable in an interval, with their first and second derivatives: of the values
 * at its two ends, then of the slopes there. */
typedef struct map_basis {
    int k;
    double f[4][3];
} map_basis;

static map_basis map_basis_inside(const double *x, int n, double at, int interpolation)
{
    map_basis b = {.k = nt_table_interval(x, n, at)};
    double h = x[b.k + 1] - x[b.k], s = (at - x[b.k]) / h;
    if (interpolation == NT_PREVIOUS) {
        b.f[0][0] = s < 1, b.f[1][0] = s >= 1;
        return b;
    }
    if (interpolation == NT_LINEAR) {
        b.f[0][0] = 1 - s, b.f[1][0] = s;
        b.f[0][1] = -1 / h, b.f[1][1] = 1 / h;
        return b;
    }
    double rise = s * s * (3 - 2 * s), d = 6 * s * (1 - s) / h, dd = (6 - 12 * s) / (h * h);
    b.f[0][0] = 1 - rise, b.f[0][1] = -d, b.f[0][2] = -dd;
    b.f[1][0] = rise, b.f[1][1] = d, b.f[1][2] = dd;
    b.f[2][0] = h * s * (1 - s) * (1 - s);
    b.f[2][1] = (1 - s) * (1 - 3 * s), b.f[2][2] = (6 * s - 4) / h;
    b.f[3][0] = h * s * s * (s - 1);
    b.f[3][1] = s * (3 * s - 2), b.f[3][2] = (6 * s - 2) / h;
    return b;
}

/* Beyond an end they hold their values, go on straight, or repeat themselves. */
static map_basis map_basis_of(const double *x, int n, double at, const nt_table_form *form)
{
    if (form->beyond == NT_BEYOND_PERIODIC && (at < x[0] || at > x[n - 1]))
        at = nt_table_place(x[0], x[n - 1], at);
    double end = fmin(fmax(at, x[0]), x[n - 1]);
    map_basis b = map_basis_inside(x, n, end, form->interpolation);
    for (int p = 0; at != end && p < 4; p++) {
        if (form->beyond == NT_EXTRAPOLATE)
            b.f[p][0] += b.f[p][1] * (at - end);
        else
            b.f[p][1] = 0;
        b.f[p][2] = 0;
    }
    return b;
}

void nt_map_evaluate(const nt_table *map, double x, double u, double out[6])
{
    static const int orders[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    const nt_table_form across = form_across(&map->form);
    bool out_of_x = x < map->x[0] || x > map->x[map->n - 1];
    bool out_of_u = u < map->u[0] || u > map->u[map->m - 1];
    bool none = isnan(x) || isnan(u) || (out_of_x && map->form.beyond == NT_BEYOND_ERROR) ||
                (out_of_u && across.beyond == NT_BEYOND_ERROR) ||
                (isinf(x) && map->form.beyond == NT_BEYOND_PERIODIC) ||
                (isinf(u) && across.beyond == NT_BEYOND_PERIODIC);
    for (int i = 0; i < 6; i++)
        out[i] = none ? (double)NAN : 0;
    if (none)
        return;
    map_basis a = map_basis_of(map->x, map->n, x, &map->form);
    map_basis b = map_basis_of(map->u, map->m, u, &across);
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) {
            const double *values =
                p < 2 ? (q < 2 ? map->y : map->slope_u) : (q < 2 ? map->slope : map->twist);
            double z = values[(a.k + p % 2) * map->m + b.k + q % 2];
            for (int i = 0; i < 6; i++)
                out[i] += z * a.f[p][orders[i][0]] * b.f[q][orders[i][1]];
        }
}
