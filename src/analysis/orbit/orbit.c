/* Periodic orbits: set-up, the search, and what is asked of an orbit that was found. */
#include "analysis/orbit/orbit.h"
#include "group/block.h"
#include "method/method.h"
#include "system/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up --------------------------------------------------------------------------------- */

static nt_status check_setup(const nt_orbit_setup *setup, nt_error *error)
{
    const nt_integrator_setup *of_steps = setup->integrator;
    const nt_system *system = of_steps->system;
    const nt_method *method = of_steps->method;
    if (!(setup->period > 0) || !isfinite(setup->period))
        return nt_fail(error, NT_INVALID, "the period is %g s, expected a positive number",
                       setup->period);
    if (setup->steps < 1 || setup->segments < 0 || setup->segments > setup->steps)
        return nt_fail(error, NT_INVALID,
                       "%d steps in %d segments, expected at least one step in each", setup->steps,
                       setup->segments);
    if (!(setup->tolerance >= 0) || !isfinite(setup->tolerance) || !isfinite(setup->start) ||
        setup->iterations < 0 || setup->n_advances < 0)
        return nt_fail(
            error, NT_INVALID,
            "tolerance %g, iterations %d, advances %d: expected numbers from 0 on; start "
            "%g s, expected a time",
            setup->tolerance, setup->iterations, setup->n_advances, setup->start);
    if (!method->linearise || (method->needs & NT_OWN_STEPS))
        return nt_fail(error, NT_UNSUPPORTED,
                       method->linearise
                           ? "method %s chooses its steps by itself: orbits need one that takes "
                             "equal steps, with a linearised step"
                           : "method %s has no linearised step, which orbits need",
                       method->name);
    for (int i = 0; i < 4; i++)
        if (of_steps->tolerance[i] != 0)
            return nt_fail(error, NT_UNSUPPORTED,
                           "orbits need equal steps, and a tolerance makes them variable");
    if (system->n_memory > 0 && !(system->capabilities & NT_DISCRETE_MEMORY))
        return nt_fail(error, NT_UNSUPPORTED,
                       "the system's memory enters its equations (samples, delays, latches, "
                       "contacts that stick and give, events that set parameters, elements of "
                       "other programs): states alone do not tell how the motion goes on");
    if (setup->from_initial && !system->initial)
        return nt_fail(error, NT_INVALID, "the system gives no initial state to begin from");
    if (setup->free && setup->period_of)
        return nt_fail(error, NT_INVALID, "the period is to be found, and given by a function");
    return NT_OK;
}

/* The arrays of nodes whose numbers a step changes lie one after the other. */
static size_t take_state(const nt_orbit *o, nt_orbit_node *node, double *at)
{
    size_t nq = (size_t)o->problem->nq, nv = (size_t)o->problem->nv;
    size_t n_memory = (size_t)o->system->n_memory, m = (size_t)o->m;
    double *const first = at;
    node->q = at, at += nq;
    node->v = at, at += nv;
    node->memory = at, at += n_memory;
    node->np = at, at += (size_t)o->mp * nv;
    node->nv = at, at += (size_t)o->mv * nv;
    node->dq = at, at += m * nv;
    node->dv = at, at += m * nv;
    return (size_t)(at - first);
}

static nt_status take_first(nt_orbit *o)
{
    const nt_problem *p = o->problem;
    size_t nv = (size_t)p->nv, nc = (size_t)p->nc, n = (size_t)p->n;
    size_t sum = nc + nv,
           bases = sum * nv + 2 * nc * nv + 2 * sum + 2 * nv * nv + nc * nc + sum * sum;
    o->work = NT_TAKE(&o->arena, bases + 4 * n + (size_t)p->nq, double);
    o->zeros = NT_TAKE(&o->arena, n + nc, double);
    o->dense = NT_TAKE(&o->arena, n * n, double);
    o->weight = NT_TAKE(&o->arena, nv, double);
    o->rate_weight = NT_TAKE(&o->arena, nv, double);
    o->first = NT_TAKE(&o->arena, nv, unsigned char);
    o->node = NT_TAKE(&o->arena, (size_t)o->n, nt_orbit_node);
    o->parameters = NT_TAKE(&o->arena, (size_t)o->system->n_parameters, double);
    o->place = NT_TAKE(&o->arena, (size_t)p->nq + 2 * nv, double);
    o->given = NT_TAKE(&o->arena, (size_t)p->nq + nv + (size_t)o->system->n_memory, double);
    o->again = NT_TAKE(&o->arena, (size_t)p->nq + 2 * nv, double);
    bool good = o->work && o->zeros && o->dense && o->weight && o->rate_weight && o->first &&
                o->node && o->parameters && o->place && o->given && o->again;
    return good ? NT_OK : NT_NO_MEMORY;
}

static nt_status take_nodes(nt_orbit *o)
{
    const nt_problem *p = o->problem;
    size_t nq = (size_t)p->nq, nv = (size_t)p->nv, m = (size_t)o->m, n = (size_t)o->n;
    size_t n_memory = (size_t)o->system->n_memory, advances = (size_t)o->wanted.n_advances;
    nt_orbit_node counted = {0};
    o->state_size = n * take_state(o, &counted, o->zeros);
    o->state = NT_TAKE(&o->arena, o->state_size, double);
    size_t saved = o->state_size + 1 + advances;
    o->try_state = NT_TAKE(&o->arena, saved, double);
    o->kept_state = NT_TAKE(&o->arena, saved, double);
    o->differentiated = NT_TAKE(&o->arena, saved, double);
    o->path_state = NT_TAKE(&o->arena, 3 * saved, double);
    size_t columns = n * m + 2 + advances, rows = n * m + 2 + advances, others = columns - m;
    o->J = NT_TAKE(&o->arena, columns * rows, double);
    o->b = NT_TAKE(&o->arena, rows, double);
    o->u = NT_TAKE(&o->arena, 5 * columns, double);
    o->along = NT_TAKE(&o->arena, columns, double);
    o->by_parameter = NT_TAKE(&o->arena, columns, double);
    o->solve = NT_TAKE(
        &o->arena, others * others + 2 * rows + (m + 1) * (rows + 1) + rows * rows + m * m, double);
    o->directions = NT_TAKE(&o->arena, 2 * (m + 1) * nv, double);
    o->column = NT_TAKE(&o->arena, m + 2 * nv, double);
    o->flow = NT_TAKE(&o->arena, m, double);
    o->generator = NT_TAKE(&o->arena, advances * m, double);
    o->generator_end = NT_TAKE(&o->arena, advances * m, double);
    o->monodromy = NT_TAKE(&o->arena, m * m, double);
    o->multiplier = NT_TAKE(&o->arena, 2 * m, double);
    o->floquet = NT_TAKE(&o->arena, 7 * m * m + 3 * m, double);
    bool good = o->state && o->try_state && o->kept_state && o->differentiated && o->path_state &&
                o->J && o->b && o->u && o->along && o->by_parameter && o->solve && o->directions &&
                o->column && o->flow && o->generator && o->generator_end && o->monodromy &&
                o->multiplier && o->floquet;
    double *at = o->state;
    for (size_t k = 0; k < n && good; k++) {
        nt_orbit_node *node = &o->node[k];
        at += take_state(o, node, at);
        double *found = NT_TAKE(&o->arena, nq + 4 * nv + n_memory + m * m + 2 * m, double);
        if (!found)
            return NT_NO_MEMORY;
        node->vdot = found, found += nv;
        node->end_q = found, found += nq;
        node->end_v = found, found += nv;
        node->end_memory = found, found += n_memory;
        node->miss_q = found, found += nv;
        node->miss_v = found, found += nv;
        node->map = found, found += m * m;
        node->by_period = found, found += m;
        node->miss = found;
    }
    return good ? NT_OK : NT_NO_MEMORY;
}

static void weigh(nt_orbit *o)
{
    const nt_problem *p = o->problem;
    for (int b = 0; b < p->space.n_blocks; b++)
        for (int i = 0; i < p->space.blocks[b].nv; i++)
            o->first[p->space.blocks[b].v + i] = p->space.blocks[b].kind == NT_FIRST;
    for (int i = 0; i < p->nv; i++) {
        o->weight[i] = o->first[i] ? 1 : nt_problem_weight(p, i);
        o->rate_weight[i] = o->first[i] ? 1 : o->weight[i] * o->T / (2 * acos(-1.0));
    }
}

/* How many coordinates there are, at the first guess, which stands in work. */
static nt_status count_coordinates(nt_orbit *o, nt_error *error)
{
    const nt_orbit_setup *wanted = &o->wanted;
    nt_status status = nt_orbit_count(o, wanted->start, wanted->q, wanted->v, wanted->memory);
    if (status != NT_OK)
        return nt_fail(error, status, "the constraints at the begin of the orbit: %s",
                       nt_status_text(status));
    o->m = o->mp + o->mv;
    if (o->m == 0)
        return nt_fail(error, NT_INVALID, "the constraints leave nothing to move");
    return NT_OK;
}

/* Where the motion from the first guess is at the begin of each segment. */
static nt_status place_nodes(nt_orbit *o, const double *q, const double *v, const double *memory,
                             nt_error *error)
{
    size_t nq = (size_t)o->problem->nq, nv = (size_t)o->problem->nv;
    size_t n_memory = (size_t)o->system->n_memory;
    nt_status status = NT_OK;
    for (int k = 0; k < o->n && status == NT_OK; k++) {
        nt_orbit_node *node = &o->node[k];
        double t = nt_orbit_time(o, k);
        memmove(node->q, q, nq * sizeof *q);
        memmove(node->v, v, nv * sizeof *v);
        if (memory)
            memmove(node->memory, memory, n_memory * sizeof *memory);
        node->has_bases = false;
        status = nt_orbit_settle(o, t, node->q, node->v, node->memory);
        if (status == NT_OK)
            status = nt_orbit_bases(o, t, node);
        if (status != NT_OK)
            return nt_fail(error, status,
                           "the begin of segment %d cannot be brought onto the constraints: %s", k,
                           nt_status_text(status));
        if (k + 1 == o->n)
            break;
        status = nt_integrator_start(o->integrator, t, node->q, node->v, node->memory, error);
        double end = nt_orbit_time(o, k + 1);
        if (status == NT_OK)
            status = nt_integrator_run(o->integrator, end, (end - t) / o->steps, NULL, NULL, error);
        nt_state at = nt_integrator_state(o->integrator);
        q = at.q, v = at.v, memory = at.memory;
    }
    return status;
}

static nt_status make_integrators(nt_orbit *o, nt_error *error)
{
    nt_integrator_setup setup = *o->wanted.integrator;
    setup.track_work = 0;
    setup.energy_check = NT_ENERGY_UNWATCHED;
    nt_status status = nt_integrator_create(&o->integrator, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_create(&o->linear, &setup, error);
    return status;
}

static nt_status attach(nt_orbit *o, nt_error *error)
{
    int *along = NT_TAKE(&o->arena, o->m + 1, int);
    if (!along)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for an orbit");
    for (int i = 0; i < o->m; i++)
        along[i] = NT_ALONG_INITIAL;
    along[o->m] = NT_ALONG_TIME;
    return nt_sensitivity_create_along(&o->sensitivity, o->linear, along,
                                       o->m + (o->wanted.free != 0), error);
}

static nt_status begin(nt_orbit *o, nt_error *error)
{
    size_t advances = (size_t)o->wanted.n_advances;
    nt_status status = nt_problem_create(&o->problem, o->system, o->system->frame, error);
    if (status == NT_OK)
        status = nt_factors_create(&o->factors, o->problem, o->wanted.integrator->solver, error);
    if (status == NT_OK)
        status = nt_orbit_check_advances(o, error);
    if (status == NT_OK && take_first(o) != NT_OK)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory for an orbit");
    o->amount = NT_TAKE(&o->arena, advances, double);
    if (status == NT_OK && !o->amount)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory for an orbit");
    if (status != NT_OK)
        return status;
    for (size_t i = 0; i < advances; i++) {
        o->amount[i] = o->advance[i].value;
        o->n_found += o->advance[i].found != 0;
    }
    weigh(o);
    if ((status = make_integrators(o, error)) == NT_OK)
        status = count_coordinates(o, error);
    if (status == NT_OK && take_nodes(o) != NT_OK)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory for an orbit");
    if (status == NT_OK)
        status = attach(o, error);
    if (status == NT_OK)
        status = place_nodes(o, o->wanted.q, o->wanted.v, o->wanted.memory, error);
    return status;
}

nt_status nt_orbit_create(nt_orbit **out, const nt_orbit_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "orbit", out);
    *out = NULL;
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.integrator setup.q setup.v", setup->integrator, setup->q, setup->v);
    NT_NEED_VERSION(error, "setup.integrator", setup->integrator->version);
    NT_NEED(error, "setup.integrator.system setup.integrator.method", setup->integrator->system,
            setup->integrator->method);
    NT_NEED_SYSTEM(error, "setup.integrator.system", setup->integrator->system);
    if (setup->n_advances > 0)
        NT_NEED(error, "setup.advances", setup->advances);
    nt_status status = check_setup(setup, error);
    if (status != NT_OK)
        return nt_said(error, status);
    nt_orbit *o = calloc(1, sizeof *o);
    if (!o)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for an orbit");
    o->wanted = *setup;
    o->system = setup->integrator->system;
    o->T = setup->period;
    o->n = setup->segments > 0 ? setup->segments : 1;
    o->steps = (setup->steps + o->n - 1) / o->n;
    if (setup->free)
        o->wanted.autonomous = 1;
    if (setup->tolerance == 0)
        o->wanted.tolerance = 1e-10;
    if (setup->iterations == 0)
        o->wanted.iterations = 40;
    o->advance = NT_TAKE(&o->arena, setup->n_advances, nt_orbit_advance);
    if (!o->advance)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory for an orbit");
    else if (setup->n_advances > 0)
        memcpy(o->advance, setup->advances, (size_t)setup->n_advances * sizeof *o->advance);
    if (status == NT_OK)
        status = begin(o, error);
    o->wanted.integrator = NULL, o->wanted.advances = o->advance;
    o->wanted.q = o->wanted.v = o->wanted.memory = NULL;
    if (status != NT_OK) {
        nt_orbit_destroy(o);
        return nt_said(error, status);
    }
    *out = o;
    return NT_OK;
}

void nt_orbit_destroy(nt_orbit *o)
{
    if (!o)
        return;
    nt_sensitivity_destroy(o->sensitivity);
    nt_integrator_destroy(o->linear);
    nt_integrator_destroy(o->integrator);
    nt_factors_destroy(o->factors);
    nt_problem_destroy(o->problem);
    nt_arena_free(&o->arena);
    free(o);
}

/* ---- a first guess of the period ------------------------------------------------------------ */

/* Directions of the found advances as an orthonormal basis E[k][m], with R of
 * generator_j = sum R_ij e_i; of directions that depend on others e and R_jj are zero. */
static void basis_of_advances(const nt_orbit *o, const double *generator, double *E, double *R)
{
    int m = o->m, k = 0;
    for (int j = 0; j < o->wanted.n_advances; j++) {
        double *e = E + k * m, before = 0, after = 0;
        if (!o->advance[j].found)
            continue;
        memcpy(e, generator + j * m, (size_t)m * sizeof *e);
        for (int i = 0; i < m; i++)
            before += e[i] * e[i];
        for (int i = 0; i < k; i++) {
            R[i * o->n_found + k] = 0;
            for (int l = 0; l < m; l++)
                R[i * o->n_found + k] += E[i * m + l] * e[l];
            for (int l = 0; l < m; l++)
                e[l] -= R[i * o->n_found + k] * E[i * m + l];
        }
        for (int i = 0; i < m; i++)
            after += e[i] * e[i];
        bool good = after > 1e-16 * before;
        R[k * o->n_found + k] = good ? sqrt(after) : 0;
        for (int i = 0; i < m; i++)
            e[i] = good ? e[i] / sqrt(after) : 0;
        k++;
    }
}

/* z loses what is along the advances; the amounts take it up where `follow`. */
static void without_advances(nt_orbit *o, const double *E, const double *R, bool follow, double *z)
{
    int n = o->n_found, m = o->m, k = n;
    double *part = o->along;
    for (int i = 0; i < n; i++) {
        part[i] = 0;
        for (int l = 0; l < m; l++)
            part[i] += E[i * m + l] * z[l];
        for (int l = 0; l < m; l++)
            z[l] -= part[i] * E[i * m + l];
    }
    for (int j = o->wanted.n_advances - 1; j >= 0 && follow; j--) {
        if (!o->advance[j].found)
            continue;
        k--;
        for (int i = k + 1; i < n; i++)
            part[k] -= R[k * n + i] * part[i];
        part[k] = R[k * n + k] > 0 ? part[k] / R[k * n + k] : 0;
        o->amount[j] += part[k];
    }
}

static double norm(const double *z, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += z[i] * z[i];
    return sqrt(sum);
}

enum { ALIGNMENTS = 4 };

/* z of what leads from the begin, advanced as is nearest, to a state. */
static void place_of(nt_orbit *o, const nt_state *at, double *z)
{
    const nt_problem *p = o->problem;
    nt_orbit_node *first = &o->node[0];
    double *q = o->again, *v = q + p->nq, *E = o->floquet, *R = o->solve;
    for (int i = 0; i < ALIGNMENTS; i++) {
        memcpy(q, first->q, (size_t)p->nq * sizeof *q);
        memcpy(v, first->v, (size_t)p->nv * sizeof *v);
        nt_orbit_advance_state(o, q, v);
        memcpy(first->end_q, at->q, (size_t)p->nq * sizeof *q);
        memcpy(first->end_v, at->v, (size_t)p->nv * sizeof *v);
        nt_orbit_compare(o, first, q, v, z);
        nt_orbit_directions_at_end(o);
        basis_of_advances(o, o->generator_end, E, R);
        without_advances(o, E, R, true, z);
    }
}

/* A return counts where it comes nearer than this part of how far away the motion was. */
static const double NEAR = 0.5;

static nt_status search_return(nt_orbit *o, double longest, double h, double *found,
                               nt_error *error)
{
    double *E = o->floquet, *R = o->solve;
    double t0 = o->wanted.start, before = 0, farthest = 0, *z = o->column, *flow = o->flow;
    *found = 0;
    basis_of_advances(o, o->generator, E, R);
    without_advances(o, E, R, false, flow);
    if (!(norm(flow, o->m) * longest > NT_ORBIT_STEADY * o->problem->length))
        return nt_fail(error, NT_NOT_CONVERGED,
                       "the motion from the first guess is at rest, or steady but for its "
                       "advances: it has no period that could be found");
    for (double t = 0; t < longest && *found == 0; t += h) {
        nt_status status = nt_integrator_step(o->integrator, h, error);
        if (status != NT_OK)
            return status;
        nt_state at = nt_integrator_state(o->integrator);
        place_of(o, &at, z);
        double across = 0, away = norm(z, o->m);
        for (int i = 0; i < o->m; i++)
            across += z[i] * flow[i];
        if (before < 0 && across >= 0 && away < NEAR * farthest)
            *found = at.t - t0 - h * across / (across - before);
        before = across;
        farthest = fmax(farthest, away);
    }
    return *found > 0 ? NT_OK
                      : nt_fail(error, NT_NOT_CONVERGED,
                                "the motion from the first guess does not come back near it "
                                "within %g s",
                                longest);
}

static nt_status guess_period(nt_orbit *o, double longest, double h, nt_error *error)
{
    if (!(longest > 0) || !(h > 0) || !isfinite(longest) || !isfinite(h))
        return nt_fail(error, NT_INVALID,
                       "a return within %g s in steps of %g s, expected "
                       "positive numbers",
                       longest, h);
    nt_orbit_node *first = &o->node[0];
    double found;
    nt_status status = nt_integrator_start(o->integrator, o->wanted.start, first->q, first->v,
                                           first->memory, error);
    if (status != NT_OK)
        return nt_said(error, status);
    memcpy(first->vdot, nt_integrator_state(o->integrator).vdot,
           (size_t)o->problem->nv * sizeof *first->vdot);
    nt_orbit_directions_at_begin(o);
    status = search_return(o, longest, h, &found, error);
    if (status != NT_OK)
        return nt_said(error, status);
    o->T = found;
    weigh(o);
    return nt_said(error, place_nodes(o, first->q, first->v, first->memory, error));
}

nt_status nt_orbit_guess_period(nt_orbit *o, double longest, double h, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "orbit", o);
    return nt_said(error, nt_system_ends(o->system, guess_period(o, longest, h, error), error));
}

/* ---- the search ----------------------------------------------------------------------------- */

/* How much worse than the first period a second one may close, of what disturbances grow to. */
static const double REPEATS = 1e-6;

/* A state of rest, or a motion that is steady but for its advances, repeats after any time. */
static nt_status check_moves(nt_orbit *o, nt_error *error)
{
    if (!o->wanted.free)
        return NT_OK;
    basis_of_advances(o, o->generator, o->floquet, o->solve);
    memcpy(o->column, o->flow, (size_t)o->m * sizeof *o->flow);
    without_advances(o, o->floquet, o->solve, false, o->column);
    if (norm(o->column, o->m) * o->T > NT_ORBIT_STEADY * o->problem->length)
        return NT_OK;
    return nt_fail(error, NT_NOT_CONVERGED,
                   "the search ended at a state of rest, or at a motion that is steady but for its "
                   "advances, which has no period: expected a first guess nearer to the orbit");
}

static nt_status check_repeats(nt_orbit *o, nt_error *error)
{
    double miss, growth = 1;
    nt_status status = nt_orbit_shoot_again(o, &miss, error);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < o->m * o->m; i++)
        growth = fmax(growth, fabs(o->monodromy[i]));
    if (miss <= fmax(REPEATS * o->problem->length, 1e2 * growth * o->miss))
        return NT_OK;
    return nt_fail(error, NT_INCONSISTENT,
                   "the shooting closes after %.9g s, but the next period is another (it misses by "
                   "%.3g): %s",
                   o->T, miss,
                   o->wanted.n_advances > 0
                       ? "an advance is no symmetry of the model, or the period none of its loads"
                       : "the model's loads and motions do not have this period");
}

/* A begin that is off the initial state by more than this part of the length was moved to an orbit
 * near by: which of a family that is does not follow from the initial state alone. */
static const double MOVED = 1e-7;

static nt_status check_follows(nt_orbit *o)
{
    o->follows = false;
    if (!o->wanted.from_initial || o->kept == 0)
        return NT_OK;
    nt_status status = nt_orbit_to_initial(o, o->column);
    o->follows = status == NT_OK && norm(o->column, o->m) <= MOVED * o->problem->length;
    return status;
}

nt_status nt_orbit_begin_again(nt_orbit *o, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "orbit", o);
    if (o->has_differentiated) {
        nt_orbit_restore(o, o->differentiated);
        o->is_found = true;
        return NT_OK;
    }
    if (!o->wanted.from_initial)
        return nt_fail(error, NT_INVALID, "the orbit was not begun at the system's initial state");
    const nt_problem *p = o->problem;
    double *q = o->given, *v = q + p->nq, *memory = v + p->nv;
    nt_status status = o->system->initial(o->system->self, o->wanted.start, q, v, memory);
    if (status != NT_OK)
        return nt_fail(error, status, "the system's initial state: %s", nt_status_text(status));
    o->is_found = false; /* what is held at the begin is known from before */
    o->periods = 0;
    return nt_said(error, place_nodes(o, q, v, o->node[0].memory, error));
}

static nt_status find(nt_orbit *o, nt_error *error)
{
    o->iterations = 0;
    memset(o->u, 0, (size_t)nt_orbit_unknowns(o, false) * sizeof *o->u);
    nt_status status = nt_orbit_step_along(o, o->u, 0, -1); /* parameters may have changed */
    if (status != NT_OK)
        return nt_fail(error, status, "the first guess cannot be brought onto the constraints: %s",
                       nt_status_text(status));
    status = nt_orbit_newton(o, NULL, o->wanted.iterations, error);
    if (status != NT_OK)
        return nt_said(error, status);
    if ((status = nt_orbit_multipliers(o)) != NT_OK)
        return nt_fail(error, status, "the multipliers cannot be computed: %s",
                       nt_status_text(status));
    if ((status = check_moves(o, error)) != NT_OK || (status = check_repeats(o, error)) != NT_OK)
        return nt_said(error, status);
    if ((status = check_follows(o)) != NT_OK)
        return nt_fail(error, status, "the system's initial state: %s", nt_status_text(status));
    o->is_found = true;
    return NT_OK;
}

nt_status nt_orbit_find(nt_orbit *o, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "orbit", o);
    nt_status status = find(o, error);
    status = nt_system_ends(o->system, status, error);
    o->is_found = o->is_found && status == NT_OK;
    return nt_said(error, status);
}

nt_status nt_orbit_check_steps(nt_orbit *o, double *miss, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "orbit miss", o, miss);
    double found = o->miss;
    o->steps *= 2;
    nt_status status = nt_orbit_shoot(o, false, error);
    *miss = nt_orbit_largest_miss(o);
    o->steps /= 2;
    o->miss = found;
    return nt_said(error, nt_system_ends(o->system, status, error));
}
