/* Which element's or body's energy has grown, in words, when a run was given up for it.
 *
 * Energy that an element has made by an error is the body's as soon as the body has left it: a ball
 * is in flight again when its bounce is judged. What has thrown a body is looked for back along its
 * velocities: it is the first element that would have taken on that way what the body has gained.
 * That is likely and not certain, and said so. Where nothing throws it, as where steps are too long
 * for a spring or a beam, what holds it most stiffly along its way is named: that is certain,
 * though not that it is the cause. */
#include "model/evaluate.h"

#include "model/bodies/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Energies of all bodies but the ground, then of all elements, times sign, are added to parts[]; of
 * the element `within` those of its parts alone. */
static bool add_energies(nt_run *run, const nt_point *at, double sign, double *parts,
                         const nt_element *within)
{
    const nt_model *model = run->model;
    nt_terms terms = {.parts = NT_ALL_PARTS};
    nt_view view;
    nt_run_look(run, at, &terms, &view);
    double part = 0;
    for (int i = 0; within && !isnan(part); i++)
        if (!isnan(part = within->type->energy_part(within, &view, i, NULL, 0)))
            parts[i] += sign * part;
    if (within)
        return true;
    for (int i = 1; i < model->n_bodies; i++) {
        nt_energy e = {0};
        nt_body_energy(&run->bodies[i], &run->motion[i], nt_run_gravity(run), &e);
        *parts++ += sign * (e.kinetic + e.potential);
    }
    for (int i = 0; i < model->n_elements; i++) {
        nt_energy e = {0};
        view.energy = &e;
        nt_local_begin(view.local, &model->elements[i]);
        if (model->elements[i].type->evaluate(&model->elements[i], &view) != NT_OK)
            return false;
        *parts++ += sign * e.potential;
    }
    return true;
}

/* ": " and the part of the element that gained most. */
static void name_part(nt_run *run, const nt_element *e, const nt_point *from, const nt_point *to,
                      char *text, int size)
{
    nt_terms terms = {.parts = NT_ALL_PARTS};
    nt_view view;
    int n = 0, most = 0;
    nt_run_look(run, to, &terms, &view);
    while (!isnan(e->type->energy_part(e, &view, n, NULL, 0)))
        n++;
    double *gained = calloc((size_t)n + 1, sizeof *gained);
    if (gained && n > 0 && size > 2 && add_energies(run, from, -1, gained, e) &&
        add_energies(run, to, 1, gained, e)) {
        for (int i = 1; i < n; i++)
            most = gained[i] > gained[most] ? i : most;
        text[0] = ':', text[1] = ' ';
        e->type->energy_part(e, &view, most, text + 2, size - 2);
    }
    free(gained);
}

/* ---- what has thrown a body -------------------------------------------------------------------
 */

/* It is looked for back in time, from and to these parts of the time in which the body would have
 * come as far as it has. Each time is so many times the one before, so that nothing of the size of
 * a fourth of its distance is missed. */
static const double NEAREST = 1e-6, FARTHEST = 1e3, NEXT = 1.25;

/* What throws a body takes all of a sudden, unless the body is a part of it: after a fourth of the
 * time less than this part. A soft spring, which would take as much far away, has taken a sixteenth
 * by then. */
static const double SUDDEN = 0.25, BEFORE = 0.01;

/* An element holds nothing that holds less than this part of what the body has gained. */
static const double NOTHING = 1e-3;

static bool brings(const nt_element *e, int body)
{
    return body >= e->first_brought && body < e->first_brought + e->n_brought;
}

static bool acts_on(const nt_element *e, int body)
{
    return e->a == body || e->b == body || brings(e, body);
}

/* Whether element i can have thrown a body: it acts on it, or it acts on others and has let go of
 * what it held (`beside`). Long elements cannot be told: back along straight lines those that turn
 * are strained. */
static bool may_have_thrown(const nt_model *model, int i, int body, bool beside, double holds,
                            double gained)
{
    const nt_element *e = &model->elements[i];
    return e->n_parts == 0 && model->part_of_element[i] == model->part_of_body[body] &&
           (beside ? holds < NOTHING * gained : acts_on(e, body));
}

/* s, in which a body at its present velocity moves, or turns, by as much as it has since `from`. */
static double time_of_way(nt_run *run, const nt_point *from, const nt_point *now, int body)
{
    nt_terms terms = {.parts = NT_ALL_PARTS};
    nt_view view;
    nt_run_look(run, from, &terms, &view);
    nt_motion then = run->motion[body];
    nt_run_look(run, now, &terms, &view);
    const nt_motion *m = &run->motion[body];
    double v = v3_norm(m->v), w = v3_norm(m->w), chord[9], chords = 0;
    m3_store(chord, m3_sub(m->R, then.R));
    for (int i = 0; i < 9; i++)
        chords += chord[i] * chord[i] / 2; /* (2 sin(angle/2))^2 */
    return fmax(v > 0 ? v3_norm(v3_sub(m->x, then.x)) / v : 0, w > 0 ? sqrt(chords) / w : 0);
}

/* Energies of bodies and elements, and the places q, where all moved back for so long. */
static bool look_back(nt_run *run, const nt_point *now, double ago, int n, double *energies,
                      double *q, double *dq)
{
    const nt_system *system = &run->system;
    nt_point back = *now;
    back.q = q;
    for (int i = 0; i < system->space.nv; i++)
        dq[i] = -ago * now->v[i];
    nt_space_compose(&system->space, system->frame, now->q, dq, q);
    memset(energies, 0, (size_t)n * sizeof *energies);
    return add_energies(run, &back, 1, energies, NULL);
}

/* The element that threw a body which has gained so much, or -1; q[nq]: where all was then.
 * `longest`: s. energies[2][n]: scratch, of bodies and elements; dq[nv]. */
static int find_thrower(nt_run *run, const nt_point *now, int body, bool beside, double gained,
                        double longest, double *energies, double *q, double *dq)
{
    const nt_model *model = run->model;
    int bodies = model->n_bodies - 1, n = bodies + model->n_elements, first = -1;
    double *here = energies + bodies, *there = here + n, ago = NEAREST * longest;
    if (!look_back(run, now, 0, n, energies, q, dq))
        return -1;
    for (; first < 0 && ago < FARTHEST * longest; ago *= NEXT) {
        if (!look_back(run, now, ago, n, energies + n, q, dq))
            return -1;
        for (int i = 0; i < model->n_elements; i++) {
            double taken = there[i] - here[i];
            bool more = first < 0 || taken > there[first] - here[first];
            if (taken >= gained && more && may_have_thrown(model, i, body, beside, here[i], gained))
                first = i;
        }
    }
    ago /= NEXT;
    if (first < 0 || brings(&model->elements[first], body))
        return first;
    bool sudden = look_back(run, now, SUDDEN * ago, n, energies + n, q, dq) &&
                  there[first] - here[first] < BEFORE * gained;
    return sudden && look_back(run, now, ago, n, energies + n, q, dq) ? first : -1;
}

/* ---- what holds a body ----------------------------------------------------------------------- */

/* Over this part of its way stiffnesses are looked for; its square is the part of its energy that
 * an element takes there which takes all of it over the way. */
static const double NEAR = 0.03;

/* The element that holds a body most stiffly along its velocities, if over its way it would take
 * some of what the body has gained; or -1. From energies moved back, here and forth:
 *
 *   E(q - e v) - 2 E(q) + E(q + e v) = e^2 v . K v.
 *
 * energies[3][n]: scratch, of bodies and elements; q[nq], dq[nv] too. */
static int find_holder(nt_run *run, const nt_point *now, int body, double gained, double longest,
                       double *energies, double *q, double *dq)
{
    const nt_model *model = run->model;
    int bodies = model->n_bodies - 1, n = bodies + model->n_elements, most = -1;
    double e = NEAR * longest, least = NOTHING * NEAR * NEAR * gained, *back = energies + bodies,
           *here = back + n, *forth = here + n;
    if (!look_back(run, now, e, n, energies, q, dq) ||
        !look_back(run, now, 0, n, energies + n, q, dq) ||
        !look_back(run, now, -e, n, energies + 2 * n, q, dq))
        return -1;
    for (int i = 0; i < model->n_elements; i++) {
        double takes = back[i] - 2 * here[i] + forth[i];
        if (takes > least && acts_on(&model->elements[i], body))
            most = i, least = takes;
    }
    return most;
}

/* " (likely by contact floor)", or " (held most stiffly by spring strut)" */
static void name_thrower(nt_run *run, const nt_point *from, const nt_point *now, int body,
                         double gained, char *text, int size)
{
    const nt_model *model = run->model;
    const nt_space *space = &run->system.space;
    size_t n = (size_t)(model->n_bodies + model->n_elements);
    double *energies = calloc(3 * n + (size_t)(space->nq + space->nv), sizeof *energies);
    if (energies && gained > 0) {
        double *q = energies + 3 * n, *dq = q + space->nq;
        double longest = time_of_way(run, from, now, body);
        int i = find_thrower(run, now, body, false, gained, longest, energies, q, dq);
        if (i < 0)
            i = find_thrower(run, now, body, true, gained, longest, energies, q, dq);
        if (i >= 0) {
            const nt_element *e = &model->elements[i];
            char part[160] = "";
            nt_point then = *now;
            then.q = q;
            if (nt_element_has_parts(e))
                name_part(run, e, now, &then, part, sizeof part);
            snprintf(text, (size_t)size, " (likely by %s %s%s)", nt_element_word(e), e->name, part);
        } else if ((i = find_holder(run, now, body, gained, longest, energies, q, dq)) >= 0)
            snprintf(text, (size_t)size, " (held most stiffly by %s %s)",
                     nt_element_word(&model->elements[i]), model->elements[i].name);
    }
    free(energies);
}

/* Asked for at the end of a run, so memory may be taken. */
void nt_run_energy_gained(void *self, const nt_point *from, const nt_point *to, int part,
                          char *text, int size)
{
    nt_run *run = self;
    if (text && size > 0)
        text[0] = '\0';
    if (!text || size <= 0 || !nt_run_can_look(run, from, false) ||
        !nt_run_can_look(run, to, false))
        return;
    const nt_model *model = run->model;
    int bodies = model->n_bodies - 1, most = -1, n = bodies + model->n_elements;
    double *gained = calloc((size_t)n + 1, sizeof *gained);
    if (gained && add_energies(run, from, -1, gained, NULL) &&
        add_energies(run, to, 1, gained, NULL)) {
        for (int i = 0; i < n; i++) {
            int of = i < bodies ? model->part_of_body[i + 1] : model->part_of_element[i - bodies];
            bool counts = part < 0 || part == of;
            most = counts && (most < 0 || gained[i] > gained[most]) ? i : most;
        }
    }
    if (most >= 0) {
        const nt_element *e = most < bodies ? NULL : &model->elements[most - bodies];
        int used = snprintf(text, (size_t)size, "%s %s", e ? nt_element_word(e) : "body",
                            e ? e->name : run->bodies[most + 1].name);
        if (e && nt_element_has_parts(e) && used < size)
            name_part(run, e, from, to, text + used, size - used);
        else if (!e && used < size)
            name_thrower(run, from, to, most + 1, gained[most], text + used, size - used);
    }
    free(gained);
}
