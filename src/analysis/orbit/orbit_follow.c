/* Paths of orbits as a parameter changes: pseudo-arclength, and what happens on the way.
 *
 * At a point of the path the direction d of (z, T, advances, parameter), each measured in its own
 * scale and |d| = 1, is perpendicular to nothing but the equations; the next point is sought across
 * it, from a distance s along it. So a fold, where the parameter turns back, is a point like
 * others.
 *
 * Events are changes of sign between two points, of functions of the multipliers mu that are not
 * trivial:
 *
 *   fold, branch   prod (mu - 1)/(|mu| + 1); a fold where the parameter's part of d also changes
 *                  sign
 *   doubling       prod (mu + 1)/(|mu| + 1)
 *   torus          the largest |mu| - 1 of complex ones
 *
 * They are looked for between the points as functions of s, by the secant with a bracket
 * (Illinois). */
#include "analysis/orbit/orbit.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* Where a path is followed in one way. */
typedef struct path {
    nt_orbit *o;
    int parameter, n;                         /* unknowns */
    double size, step;                        /* of the parameter: scale and largest step */
    double *scale, *direction, *next, *along; /* [n] */
    double *base, *beyond, *near;             /* saved states */
    double at;                                /* the parameter at `base` */
    int last;                                 /* iterations of the last correction */
} path;

enum { FOLD, DOUBLING, TORUS, TESTS };

static void test_functions(const nt_orbit *o, double test[TESTS])
{
    test[FOLD] = test[DOUBLING] = 1;
    test[TORUS] = -1;
    for (int i = o->trivial; i < o->m; i++) {
        double re = o->multiplier[2 * i], im = o->multiplier[2 * i + 1];
        double modulus = hypot(re, im), scale = modulus + 1;
        if (im == 0) {
            test[FOLD] *= (re - 1) / scale;
            test[DOUBLING] *= (re + 1) / scale;
        } else if (im > 0) {
            test[FOLD] *= hypot(re - 1, im) * hypot(re - 1, im) / (scale * scale);
            test[DOUBLING] *= hypot(re + 1, im) * hypot(re + 1, im) / (scale * scale);
            test[TORUS] = fmax(test[TORUS], modulus - 1);
        }
    }
    if (test[TORUS] > -1) /* pairs of Hamiltonian systems are on the circle up to rounding */
        test[TORUS] -= 1e-6;
}

/* The plane through the point that is sought. */
static nt_orbit_plane plane_of(const path *p)
{
    return (nt_orbit_plane){
        .parameter = p->parameter, .size = p->size, .direction = p->direction, .scale = p->scale};
}

enum { CORRECTIONS = 10 };

static nt_status go_back(path *p)
{
    nt_orbit_restore(p->o, p->base);
    return nt_orbit_set_parameter(p->o, p->parameter, p->at);
}

/* The orbit further by s along the direction than the one that stands, with its multipliers. */
static nt_status point_further(path *p, double s, nt_error *error)
{
    nt_orbit *o = p->o;
    nt_orbit_plane plane = plane_of(p);
    for (int i = 0; i < p->n; i++)
        p->along[i] = p->direction[i] / p->scale[i];
    nt_status status = nt_orbit_step_along(o, p->along, s, p->parameter);
    int before = o->iterations;
    if (status == NT_OK)
        status = nt_orbit_newton(o, &plane, CORRECTIONS, error);
    p->last = o->iterations - before;
    if (status == NT_OK)
        status = nt_orbit_multipliers(o);
    o->is_found = status == NT_OK;
    return status;
}

/* The orbit at a distance s from the base. */
static nt_status point_at(path *p, double s, nt_error *error)
{
    nt_status status = go_back(p);
    return status == NT_OK ? point_further(p, s, error) : status;
}

/* The direction at the orbit that stands, on the side of p->direction; into p->next. Maps must be
 * those of the orbit. */
static nt_status find_direction(path *p, nt_error *error)
{
    nt_orbit *o = p->o;
    nt_orbit_plane plane = plane_of(p);
    double sum = 0;
    nt_status status = nt_orbit_by_parameter(o, p->parameter, p->size, 2, o->by_parameter, error);
    if (status == NT_OK)
        status = nt_orbit_direction(o, &plane, NULL, p->next);
    for (int i = 0; i < p->n; i++) {
        p->next[i] *= p->scale[i];
        sum += p->next[i] * p->next[i];
    }
    for (int i = 0; i < p->n && sum > 0; i++)
        p->next[i] /= sqrt(sum);
    return status;
}

static nt_status set_up(path *p)
{
    nt_orbit *o = p->o;
    size_t saved = o->state_size + 1 + (size_t)o->wanted.n_advances;
    int states = o->n * o->m, i = 0;
    p->n = nt_orbit_unknowns(o, true);
    p->scale = o->u + p->n;
    p->direction = p->scale + p->n;
    p->next = p->direction + p->n;
    p->along = p->next + p->n;
    p->base = o->path_state, p->beyond = p->base + saved, p->near = p->beyond + saved;
    for (; i < states; i++)
        p->scale[i] = 1 / (o->problem->length * sqrt(o->n));
    for (; i < p->n - 1; i++)
        p->scale[i] = i == states && o->wanted.free ? 1 / o->T : 1;
    p->scale[i] = 1 / p->size;
    memset(p->direction, 0, (size_t)p->n * sizeof *p->direction);
    p->direction[p->n - 1] = 1;
    return NT_OK;
}

/* ---- events --------------------------------------------------------------------------------- */

typedef struct event {
    int test;
    double s, from, to, first, last; /* between these, with these values of the test function */
    nt_orbit_event kind;
} event;

/* How near events are found, relative to the parameter's scale and to the next point's distance. */
static const double EVENT = 1e-12;
enum { SECANTS = 60 };

/* Where a test function vanishes between a and b; f and g are its values there. Each try begins at
 * the one before: where paths cross the equations are singular, and only what is near enough
 * converges. The orbit stands at the last point that did, which is *found. */
static nt_status locate(path *p, int test, double a, double f, double b, double g, double *found,
                        nt_error *error)
{
    nt_orbit *o = p->o;
    double value = 0, s = b;
    nt_status status = point_at(p, s, error);
    for (int i = 0; i < SECANTS && status == NT_OK && fabs(b - a) > EVENT * s && g != 0; i++) {
        double c = (a * g - b * f) / (g - f), now[TESTS];
        if (!(c > fmin(a, b) && c < fmax(a, b)))
            c = 0.5 * (a + b);
        nt_orbit_save(o, p->near);
        value = nt_orbit_parameter(o, p->parameter);
        nt_status tried = point_further(p, c - b, NULL);
        if (tried == NT_INTERRUPTED || tried == NT_NO_MEMORY)
            return nt_fail(error, tried, "the path was interrupted");
        if (tried != NT_OK) { /* as near as can be */
            nt_orbit_restore(o, p->near);
            status = nt_orbit_set_parameter(o, p->parameter, value);
            break;
        }
        test_functions(o, now);
        if (now[test] * g < 0)
            a = b, f = g;
        else
            f /= 2;
        bool there = fabs(c - b) <= EVENT * s;
        b = c, g = now[test];
        if (there)
            break;
    }
    *found = b;
    return status;
}

static nt_orbit_event kind_of(int test, bool turns)
{
    return test == FOLD       ? (turns ? NT_ORBIT_FOLD : NT_ORBIT_BRANCH)
           : test == DOUBLING ? NT_ORBIT_DOUBLING
                              : NT_ORBIT_TORUS;
}

static nt_status show(path *p, nt_orbit_event kind, nt_orbit_visit visit, void *context,
                      nt_error *error)
{
    return visit(context, p->o, nt_orbit_parameter(p->o, p->parameter), kind)
               ? nt_fail(error, NT_INTERRUPTED, "the path was interrupted")
               : NT_OK;
}

/* Values of the test functions at a point, and their slopes there. */
typedef struct look {
    double value[TESTS], slope[TESTS];
} look;

/* Slopes are taken over this part of a step. */
static const double BESIDE = 1e-2;

/* At the point s from the base, where the orbit stands; its maps are void afterwards. */
static nt_status look_at(path *p, double s, look *at, nt_error *error)
{
    double beside[TESTS], value = nt_orbit_parameter(p->o, p->parameter);
    test_functions(p->o, at->value);
    nt_orbit_save(p->o, p->beyond);
    nt_status status = point_further(p, -BESIDE * s, error);
    if (status == NT_OK)
        test_functions(p->o, beside);
    for (int i = 0; i < TESTS && status == NT_OK; i++)
        at->slope[i] = (at->value[i] - beside[i]) / (BESIDE * s);
    nt_orbit_restore(p->o, p->beyond);
    nt_status back = nt_orbit_set_parameter(p->o, p->parameter, value);
    return status == NT_OK ? back : status;
}

enum { DIPS = 12 };

/* Between two points of one sign the function may dip to the other: a narrow tongue of instability.
 * Follows the parabola through values and slopes to where it is lowest; *s is a point where the
 * sign is the other, 0 where there is none. */
static nt_status find_dip(path *p, int test, const look *first, const look *last, double length,
                          double *s, double *value, nt_error *error)
{
    double sign = first->value[test] > 0 ? 1 : -1, a = 0, b = length;
    double slope_a = sign * first->slope[test], slope_b = sign * last->slope[test];
    *s = 0;
    for (int i = 0; i < DIPS && slope_a < 0 && slope_b > 0 && b - a > 1e-6 * length; i++) {
        double c = a - slope_a * (b - a) / (slope_b - slope_a), now[TESTS], beside[TESTS];
        c = fmin(fmax(c, a + 0.05 * (b - a)), b - 0.05 * (b - a));
        nt_status status = point_at(p, c, error);
        if (status == NT_OK)
            test_functions(p->o, now);
        if (status == NT_OK && sign * now[test] < 0) {
            *s = c, *value = now[test];
            return NT_OK;
        }
        double step = 1e-3 * (b - a);
        if (status == NT_OK)
            status = point_further(p, step, error);
        if (status != NT_OK)
            return status;
        test_functions(p->o, beside);
        double slope = sign * (beside[test] - now[test]) / step;
        if (slope < 0)
            a = c, slope_a = slope;
        else
            b = c, slope_b = slope;
    }
    return NT_OK;
}

static void add_event(event *events, int *n, event found)
{
    int k = (*n)++;
    for (; k > 0 && events[k - 1].from > found.from; k--)
        events[k] = events[k - 1];
    events[k] = found;
}

static nt_status find_event(path *p, event *e, nt_error *error)
{
    return locate(p, e->test, e->from, e->first, e->to, e->last, &e->s, error);
}

/* All *count events on (0, s], in their order; the orbit stands at the last one then. */
static nt_status visit_events(path *p, double s, const look *first, const look *last, bool turns,
                              nt_orbit_visit visit, void *context, int *count, nt_error *error)
{
    event events[2 * TESTS];
    int n = 0;
    nt_status status = NT_OK;
    for (int i = 0; i < TESTS && status == NT_OK; i++) {
        double f = first->value[i], g = last->value[i], at = 0, h = 0;
        nt_orbit_event kind = kind_of(i, turns);
        if (f * g < 0)
            add_event(events, &n, (event){i, 0, 0, s, f, g, kind});
        else if (i != TORUS && f * g > 0)
            status = find_dip(p, i, first, last, s, &at, &h, error);
        if (at > 0) {
            add_event(events, &n, (event){i, 0, 0, at, f, h, kind});
            add_event(events, &n, (event){i, 0, at, s, h, g, kind});
        }
    }
    *count = n;
    for (int i = 0; i < n && status == NT_OK; i++) {
        status = find_event(p, &events[i], error);
        if (status == NT_OK)
            status = nt_orbit_shoot(p->o, true, error);
        if (status == NT_OK)
            status = nt_orbit_multipliers(p->o);
        p->o->is_found = status == NT_OK;
        if (status == NT_OK)
            status = show(p, events[i].kind, visit, context, error);
    }
    return status;
}

/* ---- the path ------------------------------------------------------------------------------- */

/* Steps are halved down to this part of the largest one; the direction may turn by this cosine in a
 * step. */
static const double SMALLEST = 1e-6, TURN = 0.9;

static double product(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The orbit at exactly this value of the parameter, from the one that stands near it. */
static nt_status end_at(path *p, double value, nt_error *error)
{
    nt_orbit *o = p->o;
    nt_status status = nt_orbit_set_parameter(o, p->parameter, value);
    memset(p->along, 0, (size_t)p->n * sizeof *p->along);
    if (status == NT_OK)
        status = nt_orbit_step_along(o, p->along, 0, -1);
    if (status == NT_OK)
        status = nt_orbit_newton(o, NULL, o->wanted.iterations, error);
    if (status == NT_OK)
        status = nt_orbit_multipliers(o);
    o->is_found = status == NT_OK;
    return status;
}

/* A step of the path from the base: *s is its length, made smaller until it succeeds. */
static nt_status advance(path *p, double *s, double most, nt_error *error)
{
    for (;; *s /= 2) {
        nt_error why = {0};
        nt_status status = point_at(p, *s, &why);
        if (status == NT_OK)
            status = find_direction(p, &why);
        nt_said(&why, status);
        bool turned = status == NT_OK && product(p->direction, p->next, p->n) < TURN;
        if (status == NT_OK && !turned)
            return NT_OK;
        if (status == NT_INTERRUPTED || status == NT_NO_MEMORY || *s / 2 < SMALLEST * most)
            return nt_fail(error, status == NT_OK ? NT_NOT_CONVERGED : status,
                           "the path cannot be followed beyond %.9g: %s", p->at,
                           turned ? "it turns too sharply" : why.message);
    }
}

/* Where the parameter passes `to` within the step: s there, by the secant. */
static nt_status shorten(path *p, double to, double *s, nt_error *error)
{
    double a = 0, f = p->at - to, b = *s, g = nt_orbit_parameter(p->o, p->parameter) - to;
    nt_status status = NT_OK;
    for (int i = 0; i < SECANTS && fabs(g) > 1e-9 * p->size && status == NT_OK; i++) {
        double c = (a * g - b * f) / (g - f);
        if ((status = point_at(p, c, error)) != NT_OK)
            break;
        double h = nt_orbit_parameter(p->o, p->parameter) - to;
        if (h * g < 0)
            a = b, f = g;
        else
            f /= 2;
        b = c, g = h;
    }
    *s = b;
    return status;
}

static nt_status follow(path *p, double to, int most, nt_orbit_visit visit, void *context,
                        nt_error *error)
{
    nt_orbit *o = p->o;
    double from = p->at, side = to > from ? 1 : -1;
    look first = {0}, last;
    double largest = 2 * p->step / p->size, s = 0;
    bool done = false;
    nt_status status = nt_orbit_shoot(o, true, error);
    if (status == NT_OK)
        status = find_direction(p, error);
    memcpy(p->direction, p->next, (size_t)p->n * sizeof *p->next);
    if (p->direction[p->n - 1] * side < 0)
        for (int i = 0; i < p->n; i++)
            p->direction[i] = -p->direction[i];
    nt_orbit_save(o, p->base);
    test_functions(o, first.value); /* with slopes 0: of what is not known nothing is said */
    for (int points = 1; status == NT_OK && !done; points++) {
        if (points >= most)
            return nt_fail(error, NT_NOT_CONVERGED,
                           "the path has %d points and stands at %.9g: its end, %.9g, was not "
                           "reached",
                           points, p->at, to);
        double bound = fmin(largest, p->step / (p->size * fabs(p->direction[p->n - 1])));
        s = s > 0 ? fmin(bound, p->last <= 5 ? 2 * s : s) : bound;
        if ((status = advance(p, &s, largest, error)) != NT_OK)
            break;
        double value = nt_orbit_parameter(o, p->parameter);
        bool turns = p->next[p->n - 1] * p->direction[p->n - 1] < 0;
        bool ends = (value - to) * side >= -1e-9 * p->size, left = (value - from) * side < 0;
        if (ends && (status = shorten(p, to, &s, error)) != NT_OK)
            break;
        if ((status = look_at(p, s, &last, error)) != NT_OK)
            break;
        value = nt_orbit_parameter(o, p->parameter);
        int events;
        status = visit_events(p, s, &first, &last, turns, visit, context, &events, error);
        nt_orbit_restore(o, p->beyond);
        nt_status back = nt_orbit_set_parameter(o, p->parameter, value);
        status = status == NT_OK ? back : status;
        if (status == NT_OK) /* its maps and multipliers again */
            status = end_at(p, ends ? to : value, error);
        if (status == NT_OK)
            status = show(p, NT_ORBIT_POINT, visit, context, error);
        done = ends || left;
        if (status != NT_OK || done)
            break;
        memcpy(p->direction, p->next, (size_t)p->n * sizeof *p->next);
        first = last;
        p->at = value;
        nt_orbit_save(o, p->base);
    }
    return status;
}

nt_status nt_orbit_follow(nt_orbit *o, int parameter, double to, double step, int most,
                          nt_orbit_visit visit, void *context, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "orbit", o);
    if (!visit)
        return nt_fail(error, NT_INVALID, "nt_orbit_follow: visit is NULL");
    if (!o->is_found)
        return nt_fail(error, NT_INVALID, "no orbit was found that could be followed");
    if (parameter < 0 || parameter >= o->system->n_parameters || !o->system->set_parameters)
        return nt_fail(error, NT_INVALID, "there is no parameter %d, the system has %d", parameter,
                       o->system->n_parameters);
    path p = {.o = o, .parameter = parameter, .at = nt_orbit_parameter(o, parameter)};
    p.size = fabs(to - p.at);
    p.step = step;
    if (!(p.size > 0) || !isfinite(to) || !(step > 0) || !isfinite(step) || most < 2)
        return nt_fail(error, NT_INVALID,
                       "a path from %g to %g in steps of %g and %d points, expected another value, "
                       "a positive step and two points at least",
                       p.at, to, step, most);
    nt_orbit_keep_phase(o);
    set_up(&p);
    nt_status status = show(&p, NT_ORBIT_POINT, visit, context, error);
    o->kept_fixed = o->on_path = true;
    if (status == NT_OK)
        status = follow(&p, to, most, visit, context, error);
    o->kept_fixed = o->on_path = false;
    return nt_said(error, nt_system_ends(o->system, status, error));
}
