/* Plugins: libraries with element types, and what makes writing a type short. */
#define _GNU_SOURCE /* dlinfo */
#include "base/error.h"
#include "base/vector3.h"
#include "model/forces/load.h"

#include <dlfcn.h>
#include <link.h>
#include <nutate/group.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading -------------------------------------------------------------------------------- */

enum { MOST_PLUGINS = 64 };

/* Whole paths of the libraries that were loaded, in this order. */
static char *plugin_files[MOST_PLUGINS];
static int n_plugins;

const char *nt_plugin_file(int i) { return i >= 0 && i < n_plugins ? plugin_files[i] : NULL; }

/* Keeps where the loader found a library. */
static nt_status note_plugin(void *library, nt_error *error)
{
    struct link_map *map;
    if (n_plugins == MOST_PLUGINS)
        return nt_fail(error, NT_INVALID, "%d plugins are loaded, no more are taken", MOST_PLUGINS);
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return nt_fail(error, NT_IO, "the loader does not say where a plugin is: %.300s",
                       dlerror());
    char *path = realpath(map->l_name, NULL);
    if (!path)
        return nt_fail(error, NT_IO, "plugin %.200s has no path", map->l_name);
    plugin_files[n_plugins++] = path;
    return NT_OK;
}

/* A library stays loaded as long as the program, as the types that it brings do. */
nt_status nt_plugin_load(const char *path, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "path", path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return nt_fail(error, NT_IO, "plugin %.200s cannot be loaded: %.300s", path, dlerror());
    const nt_plugin *plugin = dlsym(library, "nutate_plugin");
    if (!plugin) {
        dlclose(library);
        return nt_fail(error, NT_INVALID, "%.200s is no plugin: it lacks the symbol nutate_plugin",
                       path);
    }
    if (plugin->version != NT_ELEMENT_VERSION) {
        int version = plugin->version;
        dlclose(library);
        return nt_fail(error, NT_INVALID,
                       "plugin %.200s was written for version %d of element types, expected %d",
                       path, version, NT_ELEMENT_VERSION);
    }
    nt_status status = note_plugin(library, error);
    for (int i = 0; status == NT_OK && plugin->types && plugin->types[i]; i++)
        status = nt_element_type_add(plugin->types[i], error);
    return nt_said(error, status);
}

/* ---- how rotations vary ---------------------------------------------------------------------- */

/* Whether a tangent is wanted, and there is such a body. */
static bool plugin_can_turn(const nt_view *view, int body)
{
    return view && view->terms && view->terms->combination && body >= 0 &&
           body < view->model->n_bodies;
}

nt_m3 nt_view_rate_map(const nt_view *view, int body, double damping, double stiffness)
{
    return plugin_can_turn(view, body) ? nt_rate_map(view, body, damping, stiffness)
                                       : m3_scale(damping, m3_identity());
}

nt_m3 nt_view_acceleration_map(const nt_view *view, int body, double mass, double stiffness)
{
    return plugin_can_turn(view, body) ? nt_acceleration_map(view, body, mass, stiffness)
                                       : m3_scale(mass, m3_identity());
}

/* ---- forces between two bodies by differences ----------------------------------------------- */

nt_status nt_element_couple_pair(nt_model *model, nt_element *element)
{
    NT_NEED(NULL, "model element", model, element);
    return nt_load_declare(model, element, NT_BOTH_MOTIONS, NT_BOTH_MOTIONS);
}

/* Changes of one number of the motion of A or B: 0 to 2 position, rotation, velocity, angular
 * velocity, of three numbers each. */
enum { PAIR_X, PAIR_THETA, PAIR_V, PAIR_W, PAIR_KINDS };

static nt_motion pair_moved(const nt_motion *m, int kind, int i, double s)
{
    nt_motion moved = *m;
    v3 step = v3_of(i == 0 ? s : 0, i == 1 ? s : 0, i == 2 ? s : 0);
    double psi[3], q[4];
    v3_store(psi, step);
    nt_so3_exp(psi, q);
    if (kind == PAIR_X)
        moved.x = v3_add(m->x, step);
    else if (kind == PAIR_THETA)
        moved.R = m3_multiply(quat_matrix(quat_load(q)), m->R);
    else if (kind == PAIR_V)
        moved.v = v3_add(m->v, step);
    else
        moved.w = v3_add(m->w, step);
    return moved;
}

/* 1e-5 of a length of the model, of a radian, of a speed: the truncation of central differences is
 * 1e-10 of the third derivative, rounding 1e-11. */
static double pair_step(const nt_view *view, const nt_motion *m, int kind)
{
    static const double SMALL = 1e-5;
    double size = kind == PAIR_X   ? view->run->length
                  : kind == PAIR_V ? fmax(v3_norm(m->v), 1)
                  : kind == PAIR_W ? fmax(v3_norm(m->w), 1)
                                   : 1;
    return SMALL * size;
}

static void pair_put_column(m3 *block, int column, v3 value)
{
    double *entry = &block->xx + column;
    entry[0] = value.x, entry[3] = value.y, entry[6] = value.z;
}

static nt_status pair_column(const nt_element *e, const nt_view *view, nt_pair_law law, int side,
                             int kind, int i, nt_pair_derivative rows[NT_PAIR_NODES])
{
    const nt_motion *at[2] = {&view->motion[e->a], &view->motion[e->b]};
    double h = pair_step(view, at[side], kind);
    nt_pair_force plus, minus;
    for (int sign = -1; sign <= 1; sign += 2) {
        nt_motion moved = pair_moved(at[side], kind, i, sign * h);
        nt_status status = law(e, view, side == 0 ? &moved : at[0], side == 1 ? &moved : at[1],
                               sign < 0 ? &minus : &plus);
        if (status != NT_OK)
            return status;
    }
    int node = 2 * side + kind % 2;
    for (int row = 0; row < NT_PAIR_NODES; row++) { /* residuals: the opposite of what acts */
        const nt_v3 *p = row % 2 ? plus.moment : plus.force,
                    *m = row % 2 ? minus.moment : minus.force;
        v3 slope = v3_scale(-1 / (2 * h), v3_sub(p[row / 2], m[row / 2]));
        pair_put_column(kind < PAIR_V ? &rows[row].q[node] : &rows[row].v[node], i, slope);
    }
    return NT_OK;
}

nt_status nt_element_add_pair(const nt_element *e, const nt_view *view, nt_pair_law law)
{
    NT_NEED(NULL, "element view law", e, view, law ? view : NULL);
    nt_pair_force at;
    nt_pair_derivative rows[NT_PAIR_NODES] = {0};
    const nt_motion *A = &view->motion[e->a], *B = &view->motion[e->b];
    if (!view->energy && !(view->terms->parts & e->part))
        return NT_OK;
    nt_status status = law(e, view, A, B, &at);
    if (status != NT_OK)
        return status;
    if (view->energy) {
        view->energy->power += v3_dot(at.force[0], A->v) + v3_dot(at.moment[0], A->w) +
                               v3_dot(at.force[1], B->v) + v3_dot(at.moment[1], B->w);
        return NT_OK;
    }
    for (int i = 0; view->terms->residual && i < 2; i++) {
        nt_view_force(view, NT_T_A + 2 * i, v3_neg(at.force[i]));
        nt_view_force(view, NT_R_A + 2 * i, v3_neg(at.moment[i]));
    }
    const nt_combination *c = view->terms->combination;
    bool tangent = view->terms->matrix && (c->damping != 0 || c->stiffness != 0);
    for (int n = 0; tangent && status == NT_OK && n < 2 * PAIR_KINDS * 3; n++) {
        int side = n / (3 * PAIR_KINDS), body = side == 0 ? e->a : e->b;
        if (body > 0)
            status = pair_column(e, view, law, side, n / 3 % PAIR_KINDS, n % 3, rows);
    }
    for (int row = 0; tangent && status == NT_OK && row < NT_PAIR_NODES; row++)
        nt_pair_add(e, view, row, &rows[row]);
    return status;
}

void nt_element_pair_reaction(const nt_element *e, const nt_view *view, nt_pair_law law,
                              nt_v3 *force, nt_v3 *torque)
{
    nt_pair_force at = {0};
    const v3 none = v3_of((double)NAN, (double)NAN, (double)NAN);
    bool asked = e && view && law && force && torque;
    bool good = asked && law(e, view, &view->motion[e->a], &view->motion[e->b], &at) == NT_OK;
    if (force)
        *force = good ? at.force[1] : none;
    if (torque)
        *torque = good ? at.moment[1] : none;
}
