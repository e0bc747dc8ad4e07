/* The tower of a windIO file: its own sections where the file has all of them, else tubes by
 * diameter, wall and material. */
#include "input/import/windio.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No material is denser, kg/m^3, or stiffer, Pa (diamond has 1e12), and what hangs inside weighs
 * less than so many times the wall. */
static const double MOST_DENSITY = 1e5, MOST_MODULUS = 1e13, MOST_OUTFIT = 10;

/* The one material of the layer's name. */
static nt_status find_material(nt_windio *w, const nt_node *layer, const nt_node **material)
{
    const nt_node *name = nt_node_find(layer, "material"),
                  *list = nt_windio_find(w->root, "materials");
    *material = NULL;
    for (int i = 0; name && list && list->kind == NT_NODE_LIST && i < list->count; i++) {
        const nt_node *of = nt_node_find(list->values[i], "name");
        if (!of || of->kind != NT_NODE_SCALAR || !nt_node_is(of, name->text))
            continue;
        if (nt_windio_take(w, of) != NT_OK || nt_windio_take(w, name) != NT_OK)
            return NT_NO_MEMORY;
        if (*material)
            return nt_node_fail(w->error, of, "a second material '%.40s', expected one",
                                name->text);
        *material = list->values[i];
    }
    return *material ? NT_OK
                     : nt_node_fail(w->error, name ? name : layer,
                                    "the layer's material is not in `materials`");
}

/* What the wall is made of; what hangs inside counts as a part of its density. */
typedef struct wall {
    double E, nu, rho;
} wall;

/* A shear modulus beside E and nu is one number too many; of steel it is often a table's. */
static nt_status check_shear_modulus(nt_windio *w, const nt_node *material, const wall *m)
{
    const double made = m->E / (2 * (1 + m->nu));
    double G = made;
    if (!nt_node_find(material, "G"))
        return NT_OK;
    nt_status status = nt_windio_between(w, material, "G", 0, (double)INFINITY, &G);
    if (status == NT_OK && fabs(G - made) > 1e-3 * made)
        fprintf(w->notes,
                "E and nu of the tower's wall make a shear modulus of %.4g Pa, G says %.4g Pa: the "
                "former is taken\n",
                made, G);
    return status;
}

static nt_status read_wall(nt_windio *w, const nt_node *inside, const nt_node *layer, wall *m)
{
    const nt_node *material;
    double outfit = 1;
    nt_status status = find_material(w, layer, &material);
    if (status == NT_OK)
        status = nt_windio_between(w, material, "E", 0, MOST_MODULUS, &m->E);
    if (status == NT_OK)
        status = nt_windio_between(w, material, "nu", -1, 0.5, &m->nu);
    if (status == NT_OK)
        status = check_shear_modulus(w, material, m);
    if (status == NT_OK)
        status = nt_windio_between(w, material, "rho", 0, MOST_DENSITY, &m->rho);
    if (status == NT_OK && !nt_node_find(inside, "outfitting_factor"))
        fputs("the file gives no outfitting_factor of the tower: 1 is taken\n", w->notes);
    else if (status == NT_OK)
        status = nt_windio_between(w, inside, "outfitting_factor", 0, MOST_OUTFIT, &outfit);
    m->rho *= outfit;
    return status;
}

/* Whether all points are on the line from the first to the last one, to 1e-6 of its height. */
static bool is_straight(double (*points)[3], int n)
{
    const double *a = points[0], *b = points[n - 1];
    double off = 0, rise = b[2] - a[2];
    for (int i = 1; i + 1 < n; i++)
        for (int k = 0; k < 2; k++)
            off = fmax(off,
                       fabs((points[i][k] - a[k]) * rise - (points[i][2] - a[2]) * (b[k] - a[k])));
    return off <= 1e-6 * rise * rise;
}

/* Whether two parts of the file say the same, number by number. */
static bool is_same(const nt_node *a, const nt_node *b)
{
    double x, y;
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == NT_NODE_SCALAR)
        return nt_node_is(a, b->text) || (nt_number_parse(a->text, a->length, &x) &&
                                          nt_number_parse(b->text, b->length, &y) && x == y);
    for (int i = 0; i < a->count; i++) {
        const nt_node *of = a->keys ? nt_node_find(b, a->keys[i]->text) : b->values[i];
        if (!of || !is_same(a->values[i], of))
            return false;
    }
    return true;
}

/* What version 2 may say of the tower besides, as a blade's: it is compared with the tubes, which
 * are taken where it is not whole, as they have stretch and shear too. */
static nt_status compare_own(nt_windio *w, const nt_node *own, bool whole, const nt_windio_curve *D,
                             const nt_windio_curve *t, const wall *of)
{
    static const char *const paths[] = {"stiffness_matrix.K44", "stiffness_matrix.K55",
                                        "stiffness_matrix.K66", "inertia_matrix.mass"};
    const double scale[] = {of->E, of->E, of->E / (1 + of->nu), of->rho};
    nt_status status = NT_OK;
    for (int k = 0; own && k < 4 && status == NT_OK; k++) {
        const nt_node *in = nt_node_find(own, k < 3 ? "stiffness_matrix" : "inertia_matrix");
        const nt_node *list = nt_windio_find(own, paths[k]);
        double *grid = NULL, *value = NULL, off = 0, where = 0;
        int n = 0;
        if (!list)
            continue;
        status = nt_windio_grid(w, in, paths[k], &n, &grid);
        if (status == NT_OK)
            value = calloc((size_t)n, sizeof *value);
        if (status == NT_OK)
            status = value ? nt_windio_list(w, list, paths[k], n, value)
                           : nt_fail(w->error, NT_NO_MEMORY, "out of memory");
        for (int i = 0; status == NT_OK && i < n; i++) {
            double r = nt_windio_curve_at(D, grid[i]) / 2, in_wall = nt_windio_curve_at(t, grid[i]);
            double hole = r - in_wall, I = NT_PI / 4 * (pow(r, 4) - pow(hole, 4));
            double tube = scale[k] * (k < 3 ? I : NT_PI * (r * r - hole * hole));
            if (fabs(value[i] / tube - 1) > fabs(off))
                off = value[i] / tube - 1, where = grid[i];
        }
        if (status == NT_OK)
            fprintf(w->notes,
                    "the tower is made of %s: %s of its elastic_properties is off %s by up "
                    "to %.2g %% (at grid %g), and is %staken\n",
                    whole ? "its own sections" : "tubes", strchr(paths[k], '.') + 1,
                    whole ? "that of tubes by diameter and wall" : "theirs", 100 * off, where,
                    whole ? "" : "not ");
        free(grid), free(value);
    }
    return status;
}

/* Sections of the file's own stiffness and inertia; none where they are not whole. */
static nt_status read_own(nt_windio *w, const nt_node *own, double length, nt_imported_blade *as)
{
    nt_import_fault fault;
    if (!nt_windio_has_sections(own))
        return NT_OK;
    nt_status status = nt_windio_read_sections(w, own, as);
    if (status == NT_OK && nt_import_check_sections(as, length, w->notes, &fault) < 1)
        status =
            nt_node_fail(w->error, own, "no station of the tower is a section: %s", fault.words);
    return status;
}

nt_status nt_windio_write_tower(nt_windio *w, const nt_node *tower, FILE *to, double top[3])
{
    bool old = nt_node_find(tower, "outer_shape_bem");
    const nt_node *shape = nt_node_find(tower, old ? "outer_shape_bem" : "outer_shape");
    const nt_node *inside = nt_node_find(tower, old ? "internal_structure_2d_fem" : "structure");
    const nt_node *axis = nt_windio_find(old ? shape : tower, "reference_axis");
    const nt_node *layers = nt_windio_find(inside, "layers");
    double(*points)[3] = NULL, *at = NULL, *grid = NULL;
    wall of = {0};
    nt_imported_blade as = {0};
    nt_windio_curve c[3] = {{0}}, *D = &c[1], *t = &c[2]; /* the axis' own grid, diameter, wall */
    int n = 0, n_sections = 0;
    if (!shape || !inside || !axis || !layers || layers->kind != NT_NODE_LIST || layers->count < 1)
        return nt_node_fail(w->error, tower,
                            "the tower lacks its reference axis, diameter or walls");
    const nt_node *again = nt_node_find(inside, "reference_axis");
    if (again && !is_same(axis, again))
        fprintf(
            w->notes,
            "the tower has two reference axes that differ: that of %s is taken, the one in line "
            "%d is not\n",
            old ? "outer_shape_bem" : "the tower itself", again->line);
    if (layers->count > 1)
        fputs("the tower has several layers: the first one is taken\n", w->notes);
    const nt_node *layer = layers->values[0];
    const nt_node *wall_name = nt_node_find(layer, "name");
    if ((again && nt_windio_take(w, again) != NT_OK) ||
        (wall_name && nt_windio_take(w, wall_name) != NT_OK))
        return NT_NO_MEMORY;
    nt_status status = nt_windio_read_axis(w, axis, &points, &at, &n);
    if (status == NT_OK)
        status = nt_windio_curve_read(w, shape, "outer_diameter", D);
    if (status == NT_OK)
        status = nt_windio_curve_read(w, layer, "thickness", t);
    if (status == NT_OK)
        status = read_wall(w, inside, layer, &of);
    if (status == NT_OK) {
        c[0] = (nt_windio_curve){.n = n, .grid = at};
        status = nt_windio_join_grids(w, c, 3, &grid, &n_sections);
    }
    for (int i = 0; status == NT_OK && i < n_sections; i++)
        if (!(nt_windio_curve_at(t, grid[i]) > 0 &&
              nt_windio_curve_at(t, grid[i]) <= nt_windio_curve_at(D, grid[i]) / 2))
            status = nt_node_fail(w->error, layer,
                                  "the tower's wall is %g m at grid %g of a diameter of %g m, "
                                  "expected a positive number up to its half",
                                  nt_windio_curve_at(t, grid[i]), grid[i],
                                  nt_windio_curve_at(D, grid[i]));
    if (status == NT_OK) {
        nt_windio_note_ends(w, "the tower's outer_diameter", D->grid, D->n);
        nt_windio_note_ends(w, "the thickness of its wall", t->grid, t->n);
        const nt_node *own = nt_node_find(inside, "elastic_properties");
        status = read_own(w, own, nt_import_length(points, n), &as);
        if (status == NT_OK)
            status = compare_own(w, own, as.n_sections > 0, D, t, &of);
    }
    if (status == NT_OK) {
        fputs("  tower:\n    order: 3\n    elements: 10\n    quadrature: sections\n"
              "    normal: [1, 0, 0]\n    points:\n",
              to);
        int step = is_straight(points, n) ? n - 1 : 1;
        for (int i = 0; i < n; i += step)
            fprintf(to, "      - [%.10g, %.10g, %.10g]\n", points[i][0], points[i][1],
                    points[i][2]);
        fputs("    sections:\n", to);
        memcpy(top, points[n - 1], sizeof points[0]);
        nt_import_write_sections(to, &as);
        for (int i = 0; i < n_sections && as.n_sections == 0; i++)
            fprintf(
                to,
                "      - {at: %.10g, material: {E: %.10g, nu: %.10g, density: %.10g}, shape: tube,"
                " radius: %.10g, thickness: %.10g}\n",
                grid[i], of.E, of.nu, of.rho, nt_windio_curve_at(D, grid[i]) / 2,
                nt_windio_curve_at(t, grid[i]));
    }
    free(points), free(at), free(grid);
    nt_imported_blade_free(&as);
    nt_windio_curve_free(D), nt_windio_curve_free(t);
    return status;
}
