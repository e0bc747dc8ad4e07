/* The last look at a static state, whatever search found it.
 *
 * It asks what holds at such a state, and nothing of how it was found:
 *
 *   forces     R = 0, against the largest load or reaction
 *   rows       Phi = 0, the rows that are left out included
 *   friction   |F| <= limit of each part, and none without contact: F = 0 where limit = 0
 *
 * Normal forces of contacts are functions of their gaps, which keeps both complementary. */
#include "analysis/static/static.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

/* What may be left of a force, relative to the largest load or reaction of its kind; and of what
 * the stiffness makes of a move by the system's length or a turn by 1 rad: rounding. */
static const double BALANCE = 1e-6, ROUNDING = 1e-12;

/* What friction may hold beyond its limit, relative to it. */
static const double BEYOND = 1e-6;

/* The largest load or reaction: N, N m. s->other is scratch. */
static nt_status largest_forces(nt_static *s, double largest[2])
{
    const nt_problem *p = s->problem;
    nt_status status = nt_static_find_loads(s, s->other);
    largest[0] = largest[1] = 0;
    for (int i = 0; i < p->nv && status == NT_OK; i++)
        if (!s->is_first[i]) {
            double size = fmax(fabs(s->other[i]), fabs(s->residual[i] - s->other[i]));
            largest[p->quantity[i]] = fmax(largest[p->quantity[i]], size);
        }
    return status == NT_OK ? nt_static_measure_loads(s, largest) : status;
}

/* Raises largest[] to what the load of a path changes, which laws of the mechanism may balance
 * within the same part of the forces. s->other and s->step are scratch. */
static nt_status measure_path(nt_static *s, double largest[2])
{
    const nt_problem *p = s->problem;
    if (!s->set_load || s->load == 0)
        return NT_OK;
    nt_status status = nt_static_find_loads(s, s->other);
    if (status == NT_OK)
        status = s->set_load(s->context, 0);
    if (status == NT_OK)
        status = nt_static_find_loads(s, s->step);
    nt_status back = s->set_load(s->context, s->load);
    for (int i = 0; i < p->nv && status == NT_OK; i++)
        if (!s->is_first[i])
            largest[p->quantity[i]] = fmax(largest[p->quantity[i]], fabs(s->other[i] - s->step[i]));
    return status == NT_OK ? back : status;
}

/* closely: the load of a path is looked at too. */
static nt_status check_forces(nt_static *s, bool closely, nt_error *error, double *allowed_force)
{
    const nt_problem *p = s->problem;
    double largest[2], worst = 1, most = 0;
    int at = -1;
    nt_status status = largest_forces(s, largest);
    if (status == NT_OK && closely)
        status = measure_path(s, largest);
    if (status != NT_OK)
        return nt_fail(error, status, "static state: %s", nt_status_text(status));
    const double allowed[2] = {BALANCE * (largest[NT_LENGTH] + largest[NT_ANGLE] / p->length),
                               BALANCE * (largest[NT_ANGLE] + largest[NT_LENGTH] * p->length)};
    *allowed_force = fmax(allowed[0], allowed[1]);
    nt_static_without_held(s, s->residual);
    for (int i = 0; i < p->nv; i++) {
        double size = p->quantity[i] == NT_LENGTH ? p->length : 1, off = fabs(s->residual[i]);
        double least = s->is_first[i] ? BALANCE * s->drag[i] * fmax(fabs(s->v[i]), 1)
                                      : allowed[p->quantity[i]] + ROUNDING * s->drag[i] * size;
        if (!(off <= worst * least)) {
            worst = least > 0 ? off / least : (double)INFINITY;
            most = off;
            at = i;
        }
    }
    if (at < 0)
        return NT_OK;
    char force[160] = "";
    nt_error part = {0};
    nt_problem_equation_name(p, at, force, sizeof force);
    nt_problem_ill_posed(p, NT_NOT_CONVERGED, &part);
    return nt_fail_at(error, NT_NOT_CONVERGED, part.file, part.line, part.column,
                      "no static state found: the search ended where %s is out of balance by %.3g, "
                      "the largest load or reaction being %.3g%s%s",
                      force, most, largest[p->quantity[at]], part.message[0] ? "; " : "",
                      part.message);
}

int nt_static_held_count(const nt_static *s) { return s ? s->n_holds : 0; }

/* A hold carries nothing where what is left of the forces along it is smaller than this part of the
 * largest load or reaction. */
static const double CARRIES = 1e-9;

nt_status nt_static_find_held_forces(nt_static *s, double *forces)
{
    double largest[2];
    nt_status status = nt_static_evaluate(s, s->residual, false);
    if (status == NT_OK)
        status = largest_forces(s, largest);
    if (status != NT_OK)
        return status;
    double length = s->problem->length;
    const double least[2] = {CARRIES * (largest[NT_LENGTH] + largest[NT_ANGLE] / length),
                             CARRIES * (largest[NT_ANGLE] + largest[NT_LENGTH] * length)};
    for (int k = 0; k < s->n_holds; k++) {
        const nt_hold *h = &s->holds[k];
        double d[3], force = 0;
        nt_static_hold_direction(s, h, d);
        for (int i = 0; i < h->width; i++)
            force += d[i] * s->residual[h->first + i];
        int kind = s->problem->quantity[h->entry];
        double size = kind == NT_LENGTH ? length : 1,
               rounding = ROUNDING * s->drag[h->entry] * size;
        forces[k] = fabs(force) > least[kind] + rounding ? force : 0;
    }
    return NT_OK;
}

nt_status nt_static_held_forces(nt_static *s, int *entries, double *forces, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state entries forces", s, entries, forces);
    if (!s->solved)
        return nt_fail(error, NT_INVALID, "there is no static state whose holds carry anything");
    nt_status status = nt_static_find_held_forces(s, forces);
    if (status != NT_OK)
        return nt_fail(error, status, "forces of what is held: %s", nt_status_text(status));
    for (int k = 0; k < s->n_holds; k++)
        entries[k] = s->holds[k].entry;
    return NT_OK;
}

static nt_status check_friction(nt_static *s, double allowed, nt_error *error)
{
    const nt_system *system = s->problem->system;
    nt_status status = s->n_rough > 0 ? nt_static_look_at_friction(s) : NT_OK;
    if (status != NT_OK)
        return nt_fail(error, status, "friction of a static state: %s", nt_status_text(status));
    for (int i = 0; i < s->n_rough; i++) {
        const nt_dry_friction *part = &s->dry[i];
        char name[160] = "";
        double force = hypot(hypot(part->force[0], part->force[1]), part->force[2]);
        system->events->dry_word(system->self, i, name, sizeof name);
        if (part->holds != NT_DRY_LOOSE && !(force <= (1 + BEYOND) * part->limit + allowed))
            return nt_fail(error, NT_NOT_CONVERGED,
                           "no static state found: the search ended where %s would have to hold "
                           "%.6g, and can hold %.6g",
                           name, force, part->limit);
        if (part->holds == NT_DRY_LOOSE && part->gap < 0 && part->limit > allowed)
            return nt_fail(error, NT_NOT_CONVERGED,
                           "no static state found: the search ended where %s has come to touch, "
                           "and its friction of up to %.6g was left out",
                           name, part->limit);
    }
    return NT_OK;
}

nt_status nt_static_verify(nt_static *s, nt_error *error)
{
    double allowed = 0;
    nt_status status = nt_static_evaluate(s, s->residual, !s->mass_known);
    if (status == NT_OK && !s->mass_known)
        status = nt_static_find_drag(s);
    if (status != NT_OK)
        return nt_fail(error, status, "static state: %s", nt_status_text(status));
    if (!nt_static_meets_all_rows(s))
        return nt_fail(error, NT_NOT_CONVERGED,
                       "no static state found: the search ended where constraints are not met");
    status = check_forces(s, false, error, &allowed);
    if (status == NT_NOT_CONVERGED) { /* and by the stiffness that lines and beds have here, and by
                                         what a path loads? */
        status = nt_static_evaluate(s, s->residual, true);
        if (status == NT_OK)
            status = nt_static_find_drag(s);
        s->has_factors = false;
        if (status != NT_OK)
            return nt_fail(error, status, "static state: %s", nt_status_text(status));
        status = check_forces(s, true, error, &allowed);
    }
    return status == NT_OK ? check_friction(s, allowed, error) : status;
}
