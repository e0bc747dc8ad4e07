/* Signals that are loads: what an element does to its second body B, so that another load may
 * follow it (friction that grows with a reaction, a motor that answers its load).
 *
 * An element adds -f to the translation of B, and -m to its rotation, m the moment about B's
 * reference point. So the rows of its own tangent in these are the derivatives of f and m with the
 * sign turned, multipliers included; what is followed is a combination of both,
 *
 *   ds = u . df + w . dm + (terms of the point's motion)
 *
 *   force                 u = e
 *   pull, thrust          u = n          the force is along n, and dn is not
 *   moment about an axis  w = n          likewise
 *   torque at p           w = e, u = rho x e: t = m - rho x f with rho = p - x, and
 *                         e . (drho x f) = drho . (f x e)
 *
 * Where B is the ground the same follows from what is done to A, which is the opposite. */
#include "model/quantities/signal_aside.h"

#include "base/error.h"
#include "model/evaluate.h"
#include "model/forces/axial.h"
#include "model/joints/joint.h"
#include "model/parameters/parameter.h"
#include "model/quantities/quantity_kind.h"

#include <stdlib.h>
#include <string.h>

/* A force that is followed may follow others itself, which are then differentiated in the room
 * behind: as many as the longest chain has. */
static struct nt_aside *take_rooms(const nt_model *model, int count, nt_arena *arena)
{
    struct nt_aside *aside = NT_TAKE(arena, 1, struct nt_aside);
    if (!aside)
        return NULL;
    aside->scratch = NT_TAKE(arena, model->scratch, double);
    aside->gradient = NT_TAKE(arena, model->most_entries, double);
    aside->motion = NT_TAKE(arena, model->n_bodies, nt_motion);
    aside->v = NT_TAKE(arena, model->system.space.nv, double);
    aside->no_force = NT_TAKE(arena, model->system.nh + model->system.nn + 1, double);
    aside->lambda = NT_TAKE(arena, model->system.nh + model->system.nn + 1, double);
    aside->q = NT_TAKE(arena, model->system.space.nq, double);
    aside->whole = NT_TAKE(arena, model->system.space.nv, double);
    aside->field = NT_TAKE(arena, model->system.space.nv, double);
    int couples = 0;
    for (int i = 0; i < model->n_elements; i++)
        couples = model->elements[i].n_couples > couples ? model->elements[i].n_couples : couples;
    double *blocks = couples > 0 ? NT_TAKE(arena, 9 * (size_t)couples, double) : NULL;
    nt_status status = nt_local_take(&aside->local, arena, model->most_entries,
                                     model->most_in_table, model->most_ports);
    aside->local.couples = blocks;
    if (count > 1)
        aside->local.aside = take_rooms(model, count - 1, arena);
    bool all = aside->scratch && aside->gradient && aside->motion && aside->v && aside->no_force &&
               aside->lambda && aside->q && aside->whole && aside->field &&
               (blocks || couples == 0) && (aside->local.aside || count == 1);
    return status == NT_OK && all ? aside : NULL;
}

struct nt_aside *nt_aside_take(const nt_model *model, nt_arena *arena)
{
    return model->n_followed == 0 ? NULL : take_rooms(model, model->longest_chain, arena);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

bool nt_aside_evaluate(struct nt_aside *aside, const nt_element *e, const nt_view *view,
                       bool varies, bool pushes)
{
    nt_terms terms = *view->terms;
    nt_view alone = *view;
    double unused; /* elements add to aside->local */
    terms.parts = NT_ALL_PARTS & ~(unsigned)NT_MASS;
    if (!varies) {
        terms.parts &= ~(unsigned)NT_REACTIONS;
        terms.matrix = NULL;
    }
    terms.residual = pushes ? &unused : NULL;
    terms.rows = NULL;
    alone.terms = &terms;
    alone.local = &aside->local;
    alone.scratch = aside->scratch;
    alone.pair[0] = NT_T_A, alone.pair[1] = NT_T_B;
    nt_local_begin(&aside->local, e);
    aside->local.apart = true;
    return e->type->evaluate(e, &alone) == NT_OK;
}

/* gradient += factor . rows of a port, factor in three numbers. */
static void add_rows(const nt_local *local, int row, v3 factor, double *gradient)
{
    const nt_element *e = local->element;
    const double f[3] = {factor.x, factor.y, factor.z};
    for (int i = 0; i < e->n_ports; i++) {
        const nt_port *from = &e->ports[row], *to = &e->ports[i];
        const double *block = local->blocks + e->size * from->start + from->size * to->start;
        if (!local->is_touched[row * e->n_ports + i])
            continue;
        for (int r = 0; r < from->size; r++)
            for (int k = 0; k < to->size; k++)
                gradient[to->start + k] += f[r] * block[r * to->size + k];
    }
}

static void add_number(const nt_element *e, int port, v3 number, double *gradient)
{
    if (e->ports[port].node >= 0)
        v3_accumulate(gradient + e->ports[port].start, number);
}

static v3 unit(int component) { return v3_of(component == 0, component == 1, component == 2); }

/* The torque at the joint's point p, which B carries. */
static void follow_torque(const nt_element *e, const nt_view *view, v3 axis, v3 force, bool on_b,
                          double *gradient)
{
    const nt_local *local = &view->local->aside->local;
    const nt_joint *joint = nt_element_as_joint(view->run, e);
    const nt_motion *b = &view->motion[e->b];
    double k = view->terms->combination->stiffness;
    v3 arm = m3_apply(b->R, joint->point_b), moved = v3_scale(k, v3_cross(force, axis));
    if (on_b) { /* d(rho) = dtheta x rho */
        add_rows(local, NT_R_B, v3_neg(axis), gradient);
        add_rows(local, NT_T_B, v3_neg(v3_cross(arm, axis)), gradient);
        add_number(e, NT_R_B, v3_neg(v3_cross(arm, moved)), gradient);
    } else { /* p is fixed in space: d(rho) = -dx */
        v3 rho = v3_sub(v3_add(b->x, arm), view->motion[e->a].x);
        add_rows(local, NT_R_A, axis, gradient);
        add_rows(local, NT_T_A, v3_cross(rho, axis), gradient);
        add_number(e, NT_T_A, moved, gradient);
    }
}

/* Whether the rows of B, or of A beside the ground, tell the torque of a force: those of one that
 * turns alone do. Others have a torque of their own only where no expression is in them. */
static bool has_rows(const nt_quantity_kind *kind, const nt_element *e)
{
    if (kind->of != NT_OF_ACTING || !(kind->needs & NT_IS_TORQUE) ||
        e->type->along == NT_ALONG_ANGLE)
        return true;
    for (int row = NT_T_A; row <= NT_T_B; row += NT_T_B - NT_T_A)
        for (int i = 0; e->slot && i < e->n_ports; i++)
            if (e->slot[row * e->n_ports + i] >= 0)
                return false;
    return true;
}

/* Whether an event latches what rolls. */
static bool latches(const nt_run *run, const nt_element *e)
{
    const nt_joint *joint = nt_element_as_switched(run, e);
    return joint && joint->locks;
}

const double *nt_signal_follow(const nt_signal *signal, const nt_view *view)
{
    const nt_element *e = &view->model->elements[signal->element < 0 ? 0 : signal->element];
    const nt_quantity_kind *kind = &nt_quantity_kinds[signal->kind];
    const int needs = kind->needs;
    struct nt_aside *aside = view->local->aside;
    if (signal->element < 0) {
        nt_aside_follow_whole(signal, view, aside);
        return aside->whole;
    }
    bool on_b = e->ports[NT_T_B].node >= 0 || e->ports[NT_R_B].node >= 0;
    double sign = on_b ? -1 : 1, *gradient = aside->gradient;
    v3 force, torque, axis = unit(signal->component);
    memset(gradient, 0, (size_t)e->size * sizeof *gradient);
    if (needs & NT_IS_POWER)
        nt_aside_follow_power(signal, e, view, aside);
    if ((needs & NT_IS_ENERGY) && kind->columns > 1)
        nt_aside_follow_energies(signal, e, view, aside);
    else if (needs & NT_IS_ENERGY)
        nt_aside_follow_energy(e, view, aside);
    bool apart = kind->of == NT_OF_LOADED && !nt_element_joins(e);
    bool rolls = apart && e->n_rates > 0; /* and has no torque but that of its latch */
    if ((needs & (NT_IS_POWER | NT_IS_ENERGY)) ||
        ((needs & NT_IS_TORQUE) && rolls && !latches(view->run, e)))
        return gradient;
    if (!(needs & NT_IS_LOAD) || (apart && !rolls) || ((needs & NT_IS_TORQUE) && rolls) ||
        !has_rows(kind, e)) {
        nt_aside_follow_spread(signal, e, view, aside);
        return gradient;
    }
    if (!nt_aside_evaluate(aside, e, view, true, false)) /* its own turn says so */
        return gradient;
    e->type->reaction(e, view, &force, &torque);
    if (kind->of == NT_OF_ACTING &&
        (needs & NT_IS_TORQUE)) { /* no force: the moment is the torque */
        add_rows(&aside->local, on_b ? NT_R_B : NT_R_A, v3_scale(sign, axis), gradient);
        return gradient;
    }
    if (needs & NT_IS_TORQUE) {
        follow_torque(e, view, axis, force, on_b, gradient);
        return gradient;
    }
    bool turns = e->type->along == NT_ALONG_ANGLE;
    if (needs & NT_IS_ALONG)
        axis = nt_axial_push(e, view);
    int port = (on_b ? NT_T_B : NT_T_A) + turns;
    add_rows(&aside->local, port, v3_scale(sign, axis), gradient);
    return gradient;
}

/* ---- where it is well posed ----------------------------------------------------------------- */

bool nt_signal_is_reaction(const nt_model *model, const nt_signal *signal)
{
    if (!signal->is_load || signal->element < 0)
        return false;
    const nt_element *e = &model->elements[signal->element];
    bool has_force = !(nt_quantity_kinds[signal->kind].needs & NT_IS_ENERGY);
    return has_force && e->n_rows + e->n_rates > 0;
}

bool nt_signals_follow_reactions(const nt_model *model)
{
    for (int i = 0; i < model->n_signals; i++)
        if (nt_signal_is_reaction(model, &model->signals[i]))
            return true;
    return false;
}
