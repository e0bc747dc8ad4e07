/* windIO: blade, hub, drivetrain and tower of a wind turbine.
 *
 * Version 1 has angles in radians and 6 x 6 matrices by rows of 21 numbers (`six_x_six`), version 2
 * degrees and a list for each entry (`elastic_properties`); inertia there by mass, centre and
 * moments. Axes of a blade: x downwind, z along it, y = z x x towards the trailing edge; twist and
 * pitch are positive about -z, towards feather. Ground axes of the model: x downwind, z up. */
#include "base/number.h"
#include "input/import/windio.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double DEGREE = NT_PI / 180;

/* No rotor turns faster, rad/s, no hub or nacelle is heavier, kg, and no factor of damping is
 * larger, s: beyond is another unit or an error. */
static const double MOST_SPEED = 100, MOST_MASS = 1e9, MOST_DAMPING = 1e3;

/* No hub or nacelle has its centre of mass farther from its origin, m. */
static const double FARTHEST = 100;

/* ---- the blade ---------------------------------------------------------------------------------
 */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All grid points of some curves, which rise. */
nt_status nt_windio_join_grids(nt_windio *w, const nt_windio_curve *c, int count, double **grid,
                               int *n)
{
    int most = 0;
    for (int i = 0; i < count; i++)
        most += c[i].n;
    *n = 0;
    double *all = *grid = calloc((size_t)most, sizeof **grid);
    if (!all)
        return nt_fail(w->error, NT_NO_MEMORY, "out of memory");
    for (int i = 0, k = 0; i < count; i++)
        for (int j = 0; j < c[i].n; j++)
            all[k++] = c[i].grid[j];
    qsort(all, (size_t)most, sizeof *all, by_size);
    for (int k = 0; k < most; k++)
        if (*n == 0 || all[k] > all[*n - 1] + 1e-9)
            all[(*n)++] = all[k];
    return NT_OK;
}

/* A point of an axis that begins at `first` and ends at the height `end`. */
static nt_status check_reach(nt_windio *w, const nt_node *axis, const double *first,
                             const double *x, double end)
{
    static const char *const names[] = {"x", "y", "z"};
    double length = end - first[2];
    for (int k = 0; k < 3; k++)
        if (!(fabs(x[k] - first[k]) <= fmin(length, NT_IMPORT_LONGEST)))
            return nt_node_fail(w->error, nt_node_find(axis, names[k]),
                                "reference axis: %s goes by %g m, expected %g m at most: no line "
                                "is longer, or reaches farther across than it is long",
                                names[k], x[k] - first[k], fmin(length, NT_IMPORT_LONGEST));
    return NT_OK;
}

/* The reference axis, at the points of all three grids. Sections stand at the part of the length
 * that their grid says: where the axis is elsewhere at this grid, it is said. */
nt_status nt_windio_read_axis(nt_windio *w, const nt_node *axis, double (**points)[3],
                              double **grid, int *n)
{
    nt_windio_curve c[3] = {{0}};
    static const char *const names[] = {"x", "y", "z", NULL};
    double length = 0, along = 0, off = 0, where = 0;
    nt_status status = nt_windio_refuse_others(w, axis, "reference_axis, of x, y and z,", names);
    for (int i = 0; i < 3 && status == NT_OK; i++) {
        status = nt_windio_curve_read(w, axis, names[i], &c[i]);
        if (status == NT_OK && (c[i].grid[0] != 0 || c[i].grid[c[i].n - 1] != 1))
            status = nt_node_fail(w->error, nt_node_find(nt_node_find(axis, names[i]), "grid"),
                                  "reference axis: %s from grid %g to %g, expected from 0 to 1",
                                  names[i], c[i].grid[0], c[i].grid[c[i].n - 1]);
    }
    if (status == NT_OK)
        status = nt_windio_join_grids(w, c, 3, grid, n);
    *points = status == NT_OK ? calloc((size_t)*n, sizeof **points) : NULL;
    if (status == NT_OK && !*points)
        status = nt_fail(w->error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; status == NT_OK && i < *n; i++) {
        double *x = (*points)[i];
        for (int k = 0; k < 3; k++)
            x[k] = nt_windio_curve_at(&c[k], (*grid)[i]);
        if (i > 0 && x[2] <= x[-1])
            status = nt_node_fail(w->error, axis, "reference axis: z does not rise at grid %g",
                                  (*grid)[i]);
        else
            status = check_reach(w, axis, (*points)[0], x, nt_windio_curve_at(&c[2], 1));
        length += i > 0 ? hypot(hypot(x[0] - x[-3], x[1] - x[-2]), x[2] - x[-1]) : 0;
    }
    for (int i = 1; status == NT_OK && i < *n; i++) {
        const double *x = (*points)[i];
        along += hypot(hypot(x[0] - x[-3], x[1] - x[-2]), x[2] - x[-1]);
        if (fabs(along / length - (*grid)[i]) > fabs(off))
            off = along / length - (*grid)[i], where = (*grid)[i];
    }
    if (fabs(off) > 0.005)
        fprintf(w->notes,
                "reference axis: at grid %g it is at %.4g of its length; a station is taken as the "
                "part of the length\n",
                where, where + off);
    for (int i = 0; i < 3; i++)
        nt_windio_curve_free(&c[i]);
    return status;
}

/* 21 numbers, row by row from the diagonal on, of each station. */
static nt_status read_triangles(nt_windio *w, const nt_node *parent, const char *key,
                                nt_imported_blade *b, bool stiffness)
{
    static const char *const known[] = {"grid", "values", NULL};
    const nt_node *node = nt_node_find(parent, key), *values;
    double *grid = NULL;
    int n = 0;
    if (!node || !(values = nt_node_find(node, "values")))
        return nt_node_fail(w->error, parent, "lacks '%s' with grid and values", key);
    nt_status status = nt_windio_refuse_others(w, node, key, known);
    if (status == NT_OK)
        status = nt_windio_grid(w, node, key, &n, &grid);
    if (status == NT_OK && (values->kind != NT_NODE_LIST || values->count != n))
        status = nt_node_fail(w->error, values, "%s: expected %d lists of 21 numbers, as the grid",
                              key, n);
    if (status == NT_OK && stiffness)
        b->sections = calloc((size_t)n, sizeof *b->sections), b->n_sections = n;
    if (status == NT_OK && !b->sections)
        status = nt_fail(w->error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK && n != b->n_sections)
        status = nt_node_fail(w->error, node, "%s has %d stations, the stiffness %d", key, n,
                              b->n_sections);
    for (int i = 0; i < n && status == NT_OK; i++) {
        double row[21], X[36];
        status = nt_windio_list(w, values->values[i], key, 21, row);
        for (int a = 0, k = 0; a < 6; a++)
            for (int c = a; c < 6; c++, k++)
                X[6 * a + c] = X[6 * c + a] = row[k];
        if (status == NT_OK && !stiffness && fabs(grid[i] - b->sections[i].at) > 1e-9)
            status = nt_node_fail(w->error, node,
                                  "%s: grid %g, where the stiffness has %g: expected the same", key,
                                  grid[i], b->sections[i].at);
        b->sections[i].at = grid[i];
        if (status == NT_OK)
            nt_import_turn_axes(X, stiffness ? b->sections[i].stiffness : b->sections[i].mass);
    }
    free(grid);
    return status;
}

/* A list for each of K11 .. K66. */
static nt_status read_entries(nt_windio *w, const nt_node *parent, nt_imported_blade *b)
{
    const nt_node *node = nt_node_find(parent, "stiffness_matrix");
    double *grid = NULL, *row = NULL, (*X)[36] = NULL;
    int n = 0;
    static const char *const known[] = {"grid", "K11", "K12", "K13", "K14", "K15", "K16", "K22",
                                        "K23",  "K24", "K25", "K26", "K33", "K34", "K35", "K36",
                                        "K44",  "K45", "K46", "K55", "K56", "K66", NULL};
    if (!node)
        return nt_node_fail(w->error, parent, "lacks 'stiffness_matrix'");
    nt_status status =
        nt_windio_refuse_others(w, node, "stiffness_matrix, with 21 lists from K11 to K66,", known);
    if (status == NT_OK)
        status = nt_windio_grid(w, node, "stiffness_matrix", &n, &grid);
    if (status == NT_OK) {
        b->n_sections = n;
        b->sections = calloc((size_t)n, sizeof *b->sections);
        row = calloc((size_t)n, sizeof *row);
        X = calloc((size_t)n, sizeof *X);
        if (!b->sections || !row || !X)
            status = nt_fail(w->error, NT_NO_MEMORY, "out of memory");
    }
    for (int a = 0; a < 6 && status == NT_OK; a++)
        for (int c = a; c < 6 && status == NT_OK; c++) {
            char key[8];
            snprintf(key, sizeof key, "K%d%d", a + 1, c + 1);
            const nt_node *list = nt_node_find(node, key);
            if (!list)
                status = nt_node_fail(w->error, node,
                                      "stiffness_matrix lacks '%s', expected 21 "
                                      "lists from K11 to K66",
                                      key);
            else
                status = nt_windio_list(w, list, key, n, row);
            for (int i = 0; i < n && status == NT_OK; i++)
                X[i][6 * a + c] = X[i][6 * c + a] = row[i];
        }
    for (int i = 0; i < n && status == NT_OK; i++) {
        b->sections[i].at = grid[i];
        nt_import_turn_axes(X[i], b->sections[i].stiffness);
    }
    free(grid), free(row), free(X);
    return status;
}

/* Mass, centre and moments about the reference axis. */
static nt_status read_moments(nt_windio *w, const nt_node *parent, nt_imported_blade *b)
{
    static const char *const keys[] = {"mass",  "cm_x", "cm_y", "i_edge", "i_flap",
                                       "i_plr", "i_cp", "grid", NULL};
    enum { MASS, CM_X, CM_Y, EDGE, FLAP, POLAR, CROSS, KEYS };
    const nt_node *node = nt_node_find(parent, "inertia_matrix");
    nt_windio_curve c[KEYS] = {{0}};
    int n = 0;
    if (!node)
        return nt_node_fail(w->error, parent, "lacks 'inertia_matrix'");
    nt_status status = nt_windio_refuse_others(w, node, "inertia_matrix", keys);
    for (int k = 0; k < KEYS && status == NT_OK; k++) {
        const nt_node *list = nt_node_find(node, keys[k]);
        status = nt_windio_grid(w, node, "inertia_matrix", &n, &c[k].grid);
        if (status == NT_OK && !list)
            status = nt_node_fail(w->error, node, "inertia_matrix lacks '%s'", keys[k]);
        c[k].n = n;
        c[k].value = status == NT_OK ? calloc((size_t)n, sizeof(double)) : NULL;
        if (status == NT_OK && !c[k].value)
            status = nt_fail(w->error, NT_NO_MEMORY, "out of memory");
        if (status == NT_OK)
            status = nt_windio_list(w, list, keys[k], n, c[k].value);
    }
    if (status == NT_OK)
        nt_windio_note_ends(w, "inertia_matrix", c[MASS].grid, n);
    for (int i = 0; i < b->n_sections && status == NT_OK; i++) {
        double v[KEYS], s = b->sections[i].at;
        for (int k = 0; k < KEYS; k++)
            v[k] = nt_windio_curve_at(&c[k], s);
        double m = v[MASS], x = m * v[CM_X], y = m * v[CM_Y];
        const double M[36] = {m,  0,         0,       0,  0,  -y, 0, m, 0,       0,         0, x, 0,
                              0,  m,         y,       -x, 0,  0,  0, y, v[EDGE], -v[CROSS], 0, 0, 0,
                              -x, -v[CROSS], v[FLAP], 0,  -y, x,  0, 0, 0,       v[POLAR]};
        nt_import_turn_axes(M, b->sections[i].mass);
    }
    for (int k = 0; k < KEYS; k++)
        nt_windio_curve_free(&c[k]);
    return status;
}

bool nt_windio_has_sections(const nt_node *own)
{
    static const char *const inertia[] = {"mass",   "cm_x",  "cm_y", "i_edge",
                                          "i_flap", "i_plr", "i_cp"};
    const nt_node *stiffness = own ? nt_node_find(own, "stiffness_matrix") : NULL;
    const nt_node *moments = own ? nt_node_find(own, "inertia_matrix") : NULL;
    bool all = stiffness && moments;
    for (int a = 1; a <= 6; a++)
        for (int c = a; c <= 6; c++) {
            char key[8];
            snprintf(key, sizeof key, "K%d%d", a, c);
            all = all && nt_node_find(stiffness, key);
        }
    for (size_t k = 0; k < sizeof inertia / sizeof *inertia; k++)
        all = all && nt_node_find(moments, inertia[k]);
    return all;
}

nt_status nt_windio_read_sections(nt_windio *w, const nt_node *own, nt_imported_blade *b)
{
    nt_status status = read_entries(w, own, b);
    return status == NT_OK ? read_moments(w, own, b) : status;
}

static nt_status read_twist(nt_windio *w, const nt_node *parent, const char *path,
                            nt_imported_blade *b)
{
    nt_windio_curve c;
    nt_status status = nt_windio_curve_read(w, parent, path, &c);
    if (status == NT_OK)
        nt_windio_note_ends(w, path, c.grid, c.n);
    b->n_twist = c.n;
    b->twist = status == NT_OK ? calloc((size_t)c.n, sizeof *b->twist) : NULL;
    if (status == NT_OK && !b->twist)
        status = nt_fail(w->error, NT_NO_MEMORY, "out of memory");
    const nt_node *values =
        status == NT_OK ? nt_node_find(nt_windio_find(parent, path), "values") : NULL;
    for (int i = 0; i < c.n && status == NT_OK; i++) {
        b->twist[i][0] = c.grid[i], b->twist[i][1] = -c.value[i] * w->angle;
        if (fabs(b->twist[i][1]) > NT_IMPORT_MOST_TWIST)
            status = nt_node_fail(w->error, values->values[i],
                                  "%s is %g %s, expected a full turn at most", path, c.value[i],
                                  w->second ? "degrees" : "rad");
    }
    nt_windio_curve_free(&c);
    return status;
}

/* The layout of the blade tells the version, and with it the unit of angles; what the file says
 * must agree. */
static nt_status check_version(nt_windio *w, bool second)
{
    const nt_node *says = nt_node_find(w->root, "windIO_version");
    w->second = second;
    w->angle = second ? DEGREE : 1;
    if (says && nt_windio_take(w, says) != NT_OK)
        return NT_NO_MEMORY;
    if (!says || (says->kind == NT_NODE_SCALAR && says->text[0] == (second ? '2' : '1')))
        return NT_OK;
    return nt_node_fail(w->error, says,
                        "windIO_version is '%.20s', but the blade is laid out as in version %s",
                        says->kind == NT_NODE_SCALAR ? says->text : "a list",
                        second ? "2 (elastic_properties)" : "1 (six_x_six)");
}

static nt_status read_blade(nt_windio *w, nt_imported_blade *b)
{
    const nt_node *blade = nt_windio_find(w->root, "components.blade");
    const nt_node *old = nt_windio_find(blade, "elastic_properties_mb.six_x_six");
    const nt_node *new = nt_windio_find(blade, "structure.elastic_properties");
    if (!new)
        new = nt_windio_find(blade, "elastic_properties");
    if (!blade)
        return nt_node_fail(w->error, w->root, "lacks 'components.blade'");
    if (old && new)
        return nt_node_fail(w->error, blade,
                            "the blade has elastic properties of version 1 "
                            "(six_x_six) and of version 2, expected one");
    if (!old && !new)
        return nt_node_fail(w->error, blade,
                            "the blade lacks elastic_properties_mb.six_x_six (version 1) or "
                            "structure.elastic_properties (version 2)");
    nt_status status = check_version(w, !old);
    if (status != NT_OK)
        return status;
    static const char *const known[] = {"reference_axis", "twist", "stiff_matrix", "inertia_matrix",
                                        NULL};
    if (old && (status = nt_windio_refuse_others(w, old, "six_x_six", known)) != NT_OK)
        return status;
    const nt_node *axis = nt_node_find(old ? old : blade, "reference_axis");
    double *grid = NULL;
    status = axis ? nt_windio_read_axis(w, axis, &b->points, &grid, &b->n_points)
                  : nt_node_fail(w->error, old ? old : blade, "lacks 'reference_axis'");
    free(grid);
    if (status == NT_OK)
        status = old ? read_triangles(w, old, "stiff_matrix", b, true)
                     : nt_windio_read_sections(w, new, b);
    if (status == NT_OK && old)
        status = read_triangles(w, old, "inertia_matrix", b, false);
    if (status == NT_OK)
        status = read_twist(w, old ? old : blade, old ? "twist" : "outer_shape.twist", b);
    const nt_node *mu = new ? nt_windio_find(new, "structural_damping.mu") : NULL;
    double given[6] = {0};
    static const int of[6] = {2, 0, 1, 5, 3, 4};
    if (status == NT_OK && mu)
        status = nt_windio_list(w, mu, "mu", 6, given);
    for (int i = 0; i < 6 && status == NT_OK; i++) {
        b->damping[i] = given[of[i]];
        if (!(given[i] >= 0 && given[i] <= MOST_DAMPING))
            status =
                nt_node_fail(w->error, mu->values[i], "mu is %g, expected factors from 0 to %g s",
                             given[i], MOST_DAMPING);
    }
    nt_import_fault fault;
    double length = nt_import_length(b->points, b->n_points);
    if (status == NT_OK && nt_import_check_sections(b, length, w->notes, &fault) < 1)
        status =
            nt_node_fail(w->error, blade, "no station of the blade is a section: %s", fault.words);
    return status;
}

/* ---- nacelle and hub ----------------------------------------------------------------------------
 */

/* A rigid part with its mass, where the file has it. */
typedef struct part {
    double mass, inertia[6], center[3];
    bool given;
} part;

static nt_status read_part(nt_windio *w, const nt_node *of, const char *what, part *p)
{
    const nt_node *e = nt_windio_find(of, "elastic_properties");
    bool old = !e;
    if (old)
        e = nt_windio_find(of, "elastic_properties_mb");
    *p = (part){.mass = 1, .inertia = {1, 1, 1}};
    const nt_node *I = nt_windio_find(e, old ? "system_inertia" : "inertia");
    const nt_node *x = nt_windio_find(e, old ? "system_center_mass" : "location");
    nt_status status = nt_windio_optional(w, e, old ? "system_mass" : "mass", &p->mass, &p->given);
    if (status == NT_OK && p->given && (!I || I->kind != NT_NODE_LIST || I->count < 3))
        status = nt_node_fail(w->error, e, "the %s has a mass and no inertia", what);
    if (status == NT_OK && p->given)
        status = nt_windio_list(w, I, "inertia", I->count == 3 ? 3 : 6, p->inertia);
    if (status == NT_OK && p->given && !(p->mass > 0 && p->mass < MOST_MASS))
        status = nt_node_fail(w->error, e,
                              "the %s has a mass of %g kg, expected a positive number below %g",
                              what, p->mass, MOST_MASS);
    for (int i = 0; status == NT_OK && p->given && i < 3; i++)
        if (!(p->inertia[i] >= 0 &&
              p->inertia[i] <= (1 + 1e-9) * (p->inertia[(i + 1) % 3] + p->inertia[(i + 2) % 3])))
            status = nt_node_fail(w->error, I->values[i],
                                  "the %s has the inertia %g, %g, %g kg m^2, expected numbers "
                                  "none of which is negative or more than the sum of the others",
                                  what, p->inertia[0], p->inertia[1], p->inertia[2]);
    for (int i = 3; status == NT_OK && p->given && i < I->count && i < 6; i++)
        if (!(fabs(p->inertia[i]) <= fmax(p->inertia[0], fmax(p->inertia[1], p->inertia[2]))))
            status = nt_node_fail(w->error, I->values[i],
                                  "the %s has the product of inertia %g kg m^2, expected at most "
                                  "the largest moment",
                                  what, p->inertia[i]);
    if (status == NT_OK && p->given && x)
        status = nt_windio_list(w, x, "location", 3, p->center);
    for (int i = 0; status == NT_OK && p->given && x && i < 3; i++)
        if (!(fabs(p->center[i]) <= FARTHEST))
            status = nt_node_fail(w->error, x->values[i],
                                  "the %s has its centre of mass at %g m, expected %g m at most",
                                  what, p->center[i], FARTHEST);
    if (status == NT_OK && p->given && !x)
        fprintf(w->notes, "the file gives no centre of mass of the %s: its origin is taken\n",
                what);
    if (status == NT_OK && !p->given)
        fprintf(w->notes, "the file gives no mass of the %s: 1 kg is written, to be replaced\n",
                what);
    return status;
}

static void write_part(FILE *to, const char *name, const part *p, v3 x, const char *more)
{
    fprintf(to, "  %s:\n    mass: %.10g%s\n    inertia: [", name, p->mass,
            p->given ? "" : "  # not in the file");
    for (int i = 0; i < 6; i++)
        fprintf(to, "%s%.10g", i > 0 ? ", " : "", p->inertia[i]);
    fprintf(to, "]\n    position: [%.10g, %.10g, %.10g]\n", x.x, x.y, x.z);
    if (p->center[0] != 0 || p->center[1] != 0 || p->center[2] != 0)
        fprintf(to, "    center_of_mass: [%.10g, %.10g, %.10g]\n", p->center[0], p->center[1],
                p->center[2]);
    fputs(more, to);
}

/* ---- models ------------------------------------------------------------------------------------
 */

static void write_alone(const nt_imported_blade *b, FILE *to)
{
    nt_imported_place place = {.x = v3_of(1, 0, 0), .y = v3_of(0, 1, 0), .z = v3_of(0, 0, 1)};
    fputs("gravity: [0, 0, 0]  # clamped upright, x as downwind\nbeams:\n", to);
    nt_import_write_blade(to, "blade", b, &place, "blade", false);
    fputs("joints:\n  clamp: {type: fixed, between: [ground, blade.root]}\n"
          "simulation: {duration: 1, step: 5e-3}\n"
          "output: {record: [blade.tip.position, blade.root.moment]}\n",
          to);
}

typedef struct rotor {
    double tilt, cone, overhang, above, radius, count, speed, height;
    const nt_node *hub, *drivetrain, *tower;
} rotor;

/* The largest speed of the rotor: rad/s in version 1, revolutions per minute in version 2. */
static nt_status read_speed(nt_windio *w, double *speed)
{
    bool found;
    nt_status status = nt_windio_optional(
        w, w->root, w->second ? "control.rated_rotor_speed" : "control.torque.VS_maxspd", speed,
        &found);
    if (w->second)
        *speed *= 6 * DEGREE;
    if (status == NT_OK && found && !(*speed >= 0 && *speed <= MOST_SPEED))
        status = nt_node_fail(w->error,
                              nt_windio_find(w->root, w->second ? "control.rated_rotor_speed"
                                                                : "control.torque.VS_maxspd"),
                              "the speed of the rotor is %g rad/s, expected 0 to %g", *speed,
                              MOST_SPEED);
    if (status == NT_OK && !found)
        fputs("the file gives no speed of the rotor: 0 is written\n", w->notes);
    return status;
}

/* Hub and blades against the diameter that the file gives. */
static nt_status check_diameter(nt_windio *w, const rotor *r, const nt_imported_blade *b)
{
    double diameter = 0, made;
    bool found;
    const double *tip = b->points[b->n_points - 1];
    nt_status status = nt_windio_optional(w, w->root, "assembly.rotor_diameter", &diameter, &found);
    made = 2 * (cos(r->cone) * (r->radius + tip[2]) + sin(r->cone) * tip[0]);
    if (status == NT_OK && found && fabs(made - diameter) > 0.02 * made)
        fprintf(w->notes,
                "hub and blades make a rotor of %.6g m, rotor_diameter says %.6g m: the former is "
                "taken\n",
                made, diameter);
    return status;
}

static nt_status read_rotor(nt_windio *w, rotor *r)
{
    const nt_node *c = nt_windio_find(w->root, "components");
    *r = (rotor){.hub = nt_windio_find(c, "hub"), .tower = nt_windio_find(c, "tower")};
    r->drivetrain = nt_windio_find(c, "drivetrain.outer_shape");
    if (!r->drivetrain)
        r->drivetrain = nt_windio_find(c, "nacelle.drivetrain");
    if (!r->hub || !r->drivetrain)
        return nt_node_fail(w->error, c ? c : w->root, "lacks the hub or the drivetrain");
    const double right = 90 * DEGREE / w->angle, far = NT_IMPORT_LONGEST;
    nt_status status = nt_windio_needed(w, r->hub, "diameter", &r->radius);
    if (status == NT_OK)
        status = nt_windio_between(w, r->hub, "cone_angle", -right, right, &r->cone);
    if (status == NT_OK)
        status = nt_windio_between(w, r->drivetrain, "uptilt", -right, right, &r->tilt);
    if (status == NT_OK)
        status = nt_windio_between(w, r->drivetrain, "distance_tt_hub", -far, far, &r->above);
    if (status == NT_OK)
        status = nt_windio_between(w, r->drivetrain, "overhang", 0, far, &r->overhang);
    if (status == NT_OK)
        status = nt_windio_needed(w, w->root, "assembly.number_of_blades", &r->count);
    if (status == NT_OK)
        status = nt_windio_between(w, w->root, "assembly.hub_height", 0, far, &r->height);
    if (status == NT_OK)
        status = read_speed(w, &r->speed);
    if (status == NT_OK && !(r->count >= 1 && r->count <= 12 && r->count == floor(r->count)))
        status =
            nt_node_fail(w->error, nt_windio_find(w->root, "assembly.number_of_blades"),
                         "number_of_blades is %g, expected a whole number from 1 to 12", r->count);
    if (status == NT_OK && !(r->radius > 0 && r->radius < far))
        status = nt_node_fail(w->error, nt_windio_find(r->hub, "diameter"),
                              "the hub's diameter is %g, expected a positive number below %g",
                              r->radius, far);
    const nt_node *side = nt_windio_find(w->root, "assembly.rotor_orientation");
    if (status == NT_OK && side)
        status = nt_windio_take(w, side);
    if (status == NT_OK && !side)
        fputs("the file gives no orientation of the rotor: upwind is taken\n", w->notes);
    if (status == NT_OK && side &&
        !(side->kind == NT_NODE_SCALAR && strcasecmp(side->text, "upwind") == 0))
        status = nt_node_fail(w->error, side,
                              "rotor_orientation: this makes rotors upwind of the tower alone, "
                              "expected upwind");
    r->radius /= 2, r->cone *= w->angle, r->tilt *= w->angle;
    return status;
}

static void write_blades(const rotor *r, const nt_imported_blade *b, v3 center, FILE *to)
{
    double ct = cos(r->tilt), st = sin(r->tilt), cc = cos(r->cone), sc = sin(r->cone);
    v3 a = v3_of(ct, 0, -st), up = v3_of(st, 0, ct), side = v3_of(0, 1, 0);
    for (int i = 0; i < (int)r->count; i++) {
        char name[32];
        double psi = 2 * NT_PI * i / r->count, c = cos(psi), s = sin(psi);
        v3 out = v3_sub(v3_scale(c, up), v3_scale(s, side)); /* turned about a */
        nt_imported_place p = {.z = v3_sub(v3_scale(cc, out), v3_scale(sc, a)),
                               .x = v3_add(v3_scale(cc, a), v3_scale(sc, out)),
                               .speed = "speed",
                               .axis = a,
                               .through = center};
        p.y = v3_cross(p.z, p.x);
        p.root = v3_axpy(r->radius, p.z, center);
        snprintf(name, sizeof name, "blade%d", i + 1);
        nt_import_write_blade(to, name, b, &p, "blade", i > 0);
    }
}

static void write_joints(const rotor *r, const nt_windio_drivetrain *d, v3 center, bool tower,
                         FILE *to)
{
    double ct = cos(r->tilt), st = sin(r->tilt), cc = cos(r->cone), sc = sin(r->cone);
    v3 a = v3_of(ct, 0, -st), up = v3_of(st, 0, ct), side = v3_of(0, 1, 0);
    fputs("joints:\n", to);
    if (tower)
        fputs("  foundation: {type: fixed, between: [ground, tower.root]}\n"
              "  yaw: {type: fixed, between: [tower.tip, nacelle]}\n",
              to);
    fprintf(to,
            "  shaft: {type: revolute, between: [%s, %s], at: [%.10g, %.10g, %.10g], axis: "
            "[%.10g, 0, %.10g],\n          motion: speed*t}  # without motion the rotor is free\n",
            tower ? "nacelle" : "ground", nt_windio_turned_by(d), center.x, center.y, center.z, a.x,
            a.z);
    nt_windio_write_torsion(d, center, a, to);
    for (int i = 0; i < (int)r->count; i++) {
        double psi = 2 * NT_PI * i / r->count;
        v3 out = v3_sub(v3_scale(cos(psi), up), v3_scale(sin(psi), side));
        v3 z = v3_sub(v3_scale(cc, out), v3_scale(sc, a));
        fprintf(to,
                "  pitch%d: {type: revolute, between: [hub, blade%d.root], axis: [%.10g, %.10g, "
                "%.10g], motion: \"step(t, 0, 0, 5, pitch)\"}\n",
                i + 1, i + 1, -z.x, -z.y, -z.z);
    }
    nt_windio_write_drive_forces(d, to);
}

static nt_status write_rotor(nt_windio *w, const nt_imported_blade *b, bool tower, FILE *to)
{
    rotor r;
    part hub, nacelle;
    nt_windio_drivetrain train;
    char turned[300];
    double top[3] = {0};
    nt_status status = read_rotor(w, &r);
    if (status == NT_OK)
        status = check_diameter(w, &r, b);
    if (status == NT_OK && tower && !r.tower)
        status = nt_node_fail(w->error, w->root, "lacks 'components.tower'");
    if (status == NT_OK)
        status = read_part(w, r.hub, "hub", &hub);
    const nt_node *c = nt_windio_find(w->root, "components");
    const nt_node *drive = nt_windio_find(c, "drivetrain");
    if (status == NT_OK && tower)
        status = read_part(w, drive ? drive : nt_windio_find(c, "nacelle"), "nacelle", &nacelle);
    if (status == NT_OK)
        status = nt_windio_read_drivetrain(w, drive, &train);
    if (status != NT_OK)
        return status;
    fprintf(to,
            "parameters:\n  speed: %.10g  # rad/s of the rotor\n  pitch: 0  # rad within 5 s, "
            "positive to "
            "feather\nbeams:\n",
            r.speed);
    if (tower)
        status = nt_windio_write_tower(w, r.tower, to, top);
    if (status != NT_OK)
        return status;
    v3 center = v3_of(top[0] - r.overhang, top[1], tower ? top[2] + r.above : r.height);
    if (tower && fabs(center.z - r.height) > 0.01 * r.height)
        fprintf(w->notes,
                "the hub is at %.6g m by tower and drivetrain, hub_height says %.6g m: the "
                "former is taken\n",
                center.z, r.height);
    write_blades(&r, b, center, to);
    fputs("bodies:\n", to);
    if (tower)
        write_part(to, "nacelle", &nacelle, v3_of(top[0], top[1], top[2]), "");
    snprintf(
        turned, sizeof turned,
        "    orientation: {axis: [0, 1, 0], angle: %.12g}\n    angular_velocity: [speed, 0, 0]\n",
        r.tilt);
    write_part(to, "hub", &hub, center, turned);
    nt_windio_write_generator(&train, center, turned, to);
    write_joints(&r, &train, center, tower, to);
    fputs("simulation: {duration: 10, step: 0.01, options: {rho_inf: 0.7}}\n"
          "output: {every: 0.05, record: [shaft.angle, blade1.tip.position, blade1.root.moment, "
          "shaft.torque",
          to);
    fputs(tower ? ", tower.tip.position, tower.root.moment]}\n" : "]}\n", to);
    return status;
}

nt_status nt_import_windio(const char *path, const char *part_name, FILE *to, FILE *notes,
                           nt_error *error)
{
    nt_document *document = NULL;
    nt_imported_blade blade = {0};
    nt_windio w = {.error = error, .notes = notes, .angle = 1};
    nt_status status = nt_document_read(path, NULL, &document, error);
    if (status != NT_OK)
        return status;
    w.root = nt_document_root(document);
    const nt_node *name;
    status = read_blade(&w, &blade);
    bool all =
        nt_windio_find(w.root, "components.tower") && nt_windio_find(w.root, "components.hub");
    const char *what = part_name ? part_name : all ? "turbine" : "blade";
    bool alone = strcmp(what, "blade") == 0, tower = strcmp(what, "turbine") == 0;
    if (status == NT_OK && !alone && !tower && strcmp(what, "rotor") != 0)
        status = nt_fail(error, NT_INVALID,
                         "there is no part '%s', expected blade, rotor or turbine", what);
    if (status == NT_OK) {
        name = nt_node_find(w.root, "name");
        status = name ? nt_windio_take(&w, name) : NT_OK;
        fprintf(to,
                "# From a windIO file. Ground axes: x downwind, z up; azimuth 0: blade 1 upright.\n"
                "nutate: 1\ntitle: \"%s\"\n",
                name && name->kind == NT_NODE_SCALAR && !strpbrk(name->text, "\"\\\n") ? name->text
                                                                                       : "Turbine");
        if (alone)
            write_alone(&blade, to);
        else
            status = write_rotor(&w, &blade, tower, to);
    }
    nt_windio_note_others(&w);
    nt_imported_blade_free(&blade);
    nt_document_destroy(document);
    return status;
}
