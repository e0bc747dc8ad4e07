/* The residual and the constraint rows differentiated in one parameter.
 *
 * Bodies. M vdot - f is linear in mass and inertia: the same residual with their derivatives in
 * their place. Elements. Contacts and bearings know how they change with their numbers
 * (nt_element_type.vary). Others' derived numbers D move along D + s D'; functions of t and signals
 * along f + s df/dp (nt_straight). What is quadratic in s, as most is, has the derivative
 * (f(s) - f(-s))/(2 s) with s as large as the numbers themselves, exact to rounding; the rest
 * (distances, angles, friction) has differences of sixth order, judged by those of fourth. */
#include "model/parameters/parameter.h"

#include "base/chance.h"
#include "model/bodies/bodies.h"
#include "model/bodies/body.h"
#include "model/evaluate.h"
#include "model/events/onsets.h"
#include "model/events/switches.h"
#include "model/joints/joint.h"
#include "model/states/delay.h"

#include <float.h>
#include <string.h>

/* First step of a difference of sixth order: numbers change by up to 1 % of their size, where the
 * truncation of 1/x is 3e-14 and rounding 3e-14. Where fourth order differs by more than 1e-8 (then
 * sixth order is off by 1e-12) the step is divided by four, up to nine times: to 1e-8 of the
 * size, within the indentation of a contact soon after its onset. A sphere that touches a plane
 * from the start has no indentation but rounding: a force like indentation^1.5 then has differences
 * like step^0.5, whose limit is wanted, and contacts go on to 1e-14 of the size, some fifty
 * roundings of it. Elsewhere that would lose all digits of numbers that are the difference of
 * others. */
static const double FIRST_STEP = 3e-3, NEXT_STEP = 0.25, GOOD = 1e-8;
enum { LEVELS = 10, CONTACT_LEVELS = 20 };

/* The row of a driven angle has another branch beyond a right angle: there two values are taken a
 * few degrees apart, not further. */
static const double WITHIN_BRANCH = 0.03;

/* What depends linearly on a parameter is evaluated this far away, in units of the parameter: all
 * that does not change is then lost in rounding, and a damping of 1 beside a stiffness of 1e6 has
 * its derivative to the last digit. */
static const double FAR = 1e8;

/* Derivatives of what one element adds, and how far they may be off. */
typedef struct slope {
    double *of;         /* [model->most_entries] */
    double size, doubt; /* of the largest */
} slope;

/* What is varied, and at which point. */
typedef struct variation {
    nt_run *run;
    const nt_parameter_rates *rates;
    nt_view view;
    nt_terms terms; /* into scratch */
    nt_straight straight;
    double unit; /* the size of what is zero: the model's length, at most 1 */

    /* entries of the element at hand: n_forces of its own residual, then rows */
    int n, n_forces;
    nt_entry *entry;
    double *plus, *minus, *fourth; /* [model->most_entries], values and differences */
    slope first, second, trial;
} variation;

/* ---- one element at base + s rate ----------------------------------------------------------- */

static void parameter_put(const variation *v, const nt_touched *t, double s)
{
    nt_run *run = v->run;
    const nt_parameter_rates *rates = v->rates;
    nt_words_put(rates, t->own, s);
    nt_words_put(rates, t->of_joint[0], s);
    nt_words_put(rates, t->of_joint[1], s);
    nt_words_put(rates, t->gravity, s);
    if (t->functions)
        for (int i = 0; i < nt_model_variable_count(run->model); i++)
            if (v->straight.rates[i] != 0)
                run->variables[i] =
                    run->variables_base[i] + (s == 0 ? 0 : s * v->straight.rates[i]);
}

static void parameter_move(const variation *v, double s)
{
    for (int i = 0; i < v->rates->n_moved; i++) {
        const nt_moved_body *moved = &v->rates->moved[i];
        nt_motion *motion = &v->run->motion[moved->body];
        motion->x = v3_axpy(s, moved->rate, v->run->bodies[moved->body].x0);
    }
}

/* What the element adds is looked at before anything is gathered. */
static nt_status evaluate_at(variation *v, const nt_touched *t, double s, double *values)
{
    const nt_element *e = &v->run->model->elements[t->element];
    nt_local *local = v->view.local;
    parameter_put(v, t, s);
    if (t->moved)
        parameter_move(v, s);
    v->straight.s = s;
    v->run->straight = t->functions ? &v->straight : NULL;
    nt_local_begin(local, e);
    local->apart = true;
    nt_status status = e->type->evaluate(e, &v->view);
    local->apart = false;
    v->run->straight = NULL;
    for (int i = 0; i < v->n_forces; i++)
        values[i] = local->has_pushed ? local->residual[v->entry[i].from] : 0;
    for (int i = v->n_forces; i < v->n; i++)
        values[i] = v->terms.rows[v->entry[i].from];
    return status;
}

static void restore(const variation *v, const nt_touched *t)
{
    parameter_put(v, t, 0);
    if (t->moved)
        parameter_move(v, 0);
}

/* ---- differences ---------------------------------------------------------------------------- */

static nt_status parameter_difference(variation *v, const nt_touched *t, double s, slope *out)
{
    double *plus = v->plus, *minus = v->minus;
    nt_status status = evaluate_at(v, t, s, plus);
    if (status == NT_OK)
        status = evaluate_at(v, t, -s, minus);
    out->size = out->doubt = 0;
    for (int i = 0; status == NT_OK && i < v->n; i++) {
        out->of[i] = (plus[i] - minus[i]) / (2 * s);
        out->size = fmax(out->size, fabs(out->of[i]));
        out->doubt = fmax(out->doubt, DBL_EPSILON * fabs(plus[i]) / fabs(s));
    }
    return status;
}

static nt_status sixth_order(variation *v, const nt_touched *t, double h, slope *out, bool *good)
{
    double *plus = v->plus, *minus = v->minus, *fourth = v->fourth, gap = 0, rounding = 0;
    nt_status status = NT_OK;
    out->size = out->doubt = 0;
    for (int i = 0; i < v->n; i++)
        out->of[i] = fourth[i] = 0;
    for (int k = 0; k < 3 && status == NT_OK; k++) {
        status = evaluate_at(v, t, (k + 1) * h, plus);
        if (status == NT_OK)
            status = evaluate_at(v, t, -(k + 1) * h, minus);
        for (int i = 0; i < v->n; i++) {
            double d = (plus[i] - minus[i]) / h;
            out->of[i] += NT_SIXTH[k] * d;
            fourth[i] += NT_FOURTH[k] * d;
            rounding = fmax(rounding, DBL_EPSILON * fabs(plus[i]) / h);
        }
    }
    for (int i = 0; i < v->n; i++) {
        gap = fmax(gap, fabs(out->of[i] - fourth[i]));
        out->size = fmax(out->size, fabs(out->of[i]));
    }
    /* h^4 and h^6: the relative error of sixth order is about the gap to the power 3/2 */
    out->doubt = (out->size > 0 ? gap * sqrt(gap / out->size) : 0) + rounding;
    *good = gap <= fmax(GOOD * out->size, 10 * rounding);
    return status;
}

/* The largest change of what a contact adds, where both sides have no difference but have left it:
 * then they are too far away. */
static nt_status contact_left(variation *v, const nt_touched *t, double *change)
{
    const double *beside = v->plus;
    double *here = v->minus;
    nt_status status = evaluate_at(v, t, 0, here);
    *change = 0;
    for (int i = 0; status == NT_OK && i < v->n; i++)
        *change = fmax(*change, fabs(beside[i] - here[i]));
    return status;
}

/* Places where the element has no value are too far away: the next step is shorter. */
static nt_status best_difference(variation *v, const nt_touched *t, double step, slope *out)
{
    nt_status status = NT_OK;
    bool good = false, found = false;
    bool contact = v->run->model->elements[t->element].type->touches;
    int levels = contact ? CONTACT_LEVELS : LEVELS;
    double h = FIRST_STEP * step;
    for (int level = 0; level < levels && !good; level++, h *= NEXT_STEP) {
        slope *next = &v->trial;
        status = sixth_order(v, t, h, next, &good);
        if (status == NT_OK && contact && next->size == 0) {
            double change = 0;
            status = contact_left(v, t, &change);
            good = good && change == 0;
            next->doubt = fmax(next->doubt, change / h);
        }
        good = good && status == NT_OK;
        if (status == NT_OK && (!found || next->doubt < out->doubt)) {
            double *of = out->of; /* the better one stays, the other one is tried next */
            *out = *next;
            next->of = of;
            found = true;
        }
    }
    return found ? NT_OK : status;
}

/* ---- prescribed motion ---------------------------------------------------------------------- */

/* f'' along time alone, parameters at base + s rate. */
static double second_derivative(const variation *v, const nt_expression *f, double s)
{
    nt_run *run = v->run;
    int n = nt_model_variable_count(run->model); /* what is held is among them */
    double jet[3], *at = run->variables_scratch;
    for (int i = 0; i < n; i++)
        at[i] = run->variables_base[i] + s * v->rates->variables[i];
    nt_expression_jet(f, at, run->model->time_rate, run->model->zeros, jet);
    return jet[2];
}

/* Derivatives of f, f' and, where wanted, f'' in the parameter, at a bend those of the side on
 * which it is looked at. The mixed derivative is exact by polarisation: with c a natural change of
 * p, (d/dt +- c d/dp)^2 f differ by 4 c d2f/dt dp. f'' has no exact derivative here; differences of
 * sixth order. */
static void motion_rates(variation *v, const nt_expression *f, bool second)
{
    nt_run *run = v->run;
    const double *base = run->variables_base, *p = v->rates->variables;
    double c = v->rates->scale, jet[3], mixed[2], *direction = run->variables_scratch;
    double *out = v->straight.motion;
    nt_expression_jet(f, base, p, run->model->zeros, jet);
    out[0] = jet[1];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < nt_model_variable_count(run->model); i++)
            direction[i] = run->model->time_rate[i] + (side == 0 ? c : -c) * p[i];
        nt_expression_jet(f, base, direction, run->model->zeros, jet);
        mixed[side] = jet[2];
    }
    out[1] = (mixed[0] - mixed[1]) / (4 * c);
    double h = FIRST_STEP * c, least = (double)INFINITY;
    double room[2] = {(double)INFINITY, (double)INFINITY};
    if (second)
        nt_switches_room(run, v->view.at->t, v->view.at->memory, p, room);
    int open = nt_difference_side(room, &h);
    out[2] = 0;
    for (int level = 0; second && level < LEVELS; level++, h *= NEXT_STEP) {
        double sixth = 0, fourth = 0, rounding = 0;
        for (int k = 0; k < (open ? NT_ONE_SIDED : 3); k++) {
            double plus = second_derivative(v, f, open ? open * k * h : (k + 1) * h);
            double minus = open ? 0 : second_derivative(v, f, -(k + 1) * h);
            double d = (open ? open * plus : plus - minus) / h;
            sixth += (open ? NT_SIDE_SIXTH[k] : NT_SIXTH[k]) * d;
            fourth += (open ? NT_SIDE_FOURTH[k] : NT_FOURTH[k]) * d;
            rounding = fmax(rounding, DBL_EPSILON * fabs(plus) / h);
        }
        double gap = fabs(sixth - fourth);
        double doubt = (sixth != 0 ? gap * sqrt(gap / fabs(sixth)) : 0) + rounding;
        if (doubt < least) {
            out[2] = sixth;
            least = doubt;
        }
        if (gap <= fmax(GOOD * fabs(sixth), 10 * rounding))
            break;
    }
}

/* The s along which the element's words and its prescribed motion change by their own size. */
static double parameter_step_of(const variation *v, const nt_touched *t)
{
    double step = t->step, f[3];
    if (t->motion) {
        nt_expression_jet(t->motion, v->run->variables_base, v->run->model->time_rate,
                          v->run->model->zeros, f);
        for (int i = 0; i < 3; i++) {
            double rate = fabs(v->straight.motion[i]), s = fmax(fabs(f[i]), 1) / rate;
            if (rate > 0 && (step == 0 || s < step))
                step = s;
        }
    }
    return step > 0 && isfinite(step) ? step : 1;
}

/* ---- elements ------------------------------------------------------------------------------- */

static void list_entries(variation *v, const nt_element *e, const nt_terms *wanted)
{
    v->n = 0;
    for (int i = 0; wanted->residual && i < e->n_ports; i++)
        for (int k = 0; nt_element_pushes(e, i) && k < e->ports[i].size; k++)
            v->entry[v->n++] = (nt_entry){.from = e->ports[i].start + k,
                                          .to = wanted->residual + e->ports[i].first + k};
    v->n_forces = v->n;
    for (int i = 0; wanted->rows && i < e->n_rows + e->n_rates; i++) {
        int row = nt_element_row(e, i);
        v->entry[v->n++] = (nt_entry){.from = row, .to = wanted->rows + row};
    }
}

static bool drives_angle(const nt_run *run, const nt_element *e)
{
    const nt_joint *joint = nt_element_as_joint(run, e);
    return joint && joint->motion && joint->rotates;
}

/* Two values; six, the steps chosen by trial; six far apart, exact up to fifth powers of s. */
typedef enum formula { TWO, SIX, WIDE_SIX } formula;

/* Every difference of what an element does sees the side of its onsets where it is. */
static void hold_onsets(variation *v, const nt_element *e)
{
    nt_run *run = v->run;
    if (!e->type->touches && nt_element_count_onsets(run, e) > 0) {
        e->type->onsets(run, e, &v->view, run->onsets + e->first_onset);
        run->beyond = run->onsets;
    }
}

static nt_status parameter_differentiate(variation *v, const nt_touched *t, formula by, slope *out)
{
    nt_run *run = v->run;
    const nt_element *e = &run->model->elements[t->element];
    hold_onsets(v, e);
    if (t->motion)
        motion_rates(v, t->motion, v->terms.level == NT_ACCELERATION);
    bool apart = t->own.count == 0 && t->of_joint[0].count == 0 && t->of_joint[1].count == 0 &&
                 !t->moved && t->gravity.count == 0;
    v->straight.share = apart && e->type->proportional ? 0 : 1;
    double step = parameter_step_of(v, t);
    if (by != SIX && drives_angle(v->run, e))
        step *= WITHIN_BRANCH;
    else if (by == TWO && t->linear)
        step *= FAR;
    bool good;
    nt_status status = by == TWO   ? parameter_difference(v, t, step, out)
                       : by == SIX ? best_difference(v, t, step, out)
                                   : sixth_order(v, t, step, out, &good);
    run->beyond = NULL;
    restore(v, t);
    return status;
}

/* An arm r of a body, or its rate or acceleration. */
static v3 arm_at(const nt_motion *m, v3 r, nt_level level)
{
    if (level == NT_POSITION)
        return r;
    v3 r1 = v3_cross(m->w, r);
    return level == NT_VELOCITY ? r1 : v3_add(v3_cross(m->alpha, r), v3_cross(m->w, r1));
}

static void add_moment(const nt_element *e, const nt_terms *wanted, int port, v3 moment)
{
    if (e->ports[port].node >= 0)
        v3_accumulate(wanted->residual + e->ports[port].first, moment);
}

/* p_A - p_B = 0 with the force F on A, -F on B: linear in the points. */
static void parameter_add_point(const variation *v, const nt_touched *t, const nt_terms *wanted)
{
    const nt_element *e = &v->run->model->elements[t->element];
    const nt_motion *a = &v->view.motion[e->a], *b = &v->view.motion[e->b];
    v3 r_a = m3_apply(a->R, t->point_a), r_b = m3_apply(b->R, t->point_b);
    if (wanted->rows)
        v3_accumulate(wanted->rows + e->first_row,
                      v3_sub(arm_at(a, r_a, wanted->level), arm_at(b, r_b, wanted->level)));
    if (!wanted->residual || !(wanted->parts & NT_REACTIONS))
        return;
    v3 F = v3_load(v->view.lambda + e->first_row);
    add_moment(e, wanted, NT_R_A, v3_cross(r_a, F));
    add_moment(e, wanted, NT_R_B, v3_cross(F, r_b));
}

/* What the element knows of it itself, to rounding. */
static bool parameter_vary_exactly(variation *v, const nt_touched *t, slope *out)
{
    const nt_element *e = &v->run->model->elements[t->element];
    nt_local *local = v->view.local;
    if (!t->rates || v->n == 0 || v->n > v->n_forces)
        return false;
    nt_local_begin(local, e);
    local->apart = true;
    bool knows = e->type->vary(e, &v->view, t->rates);
    local->apart = false;
    out->size = 0;
    for (int i = 0; i < v->n; i++) {
        out->of[i] = local->has_pushed ? local->residual[v->entry[i].from] : 0;
        out->size = fmax(out->size, fabs(out->of[i]));
    }
    out->doubt = 10 * DBL_EPSILON * out->size;
    return knows;
}

static nt_status add_elements(variation *v, const nt_terms *wanted, double *size, double *doubt)
{
    nt_run *run = v->run;
    for (int i = 0; i < v->rates->n_touched; i++) {
        const nt_touched *t = &v->rates->touched[i];
        const nt_element *e = &run->model->elements[t->element];
        slope *d = &v->first;
        if (t->holds_point) {
            parameter_add_point(v, t, wanted);
            continue;
        }
        list_entries(v, e, wanted);
        nt_status status = NT_OK;
        if (!parameter_vary_exactly(v, t, d))
            status = parameter_differentiate(v, t, t->quadratic ? TWO : SIX, d);
        if (status != NT_OK) {
            run->failed = e;
            return status;
        }
        for (int k = 0; k < v->n; k++)
            *v->entry[k].to += d->of[k];
        *size = fmax(*size, d->size);
        *doubt = fmax(*doubt, d->doubt);
    }
    return NT_OK;
}

/* ---- signals -------------------------------------------------------------------------------- */

/* Parameters and signals in functions, along their tangent. */
static void put_parameters(const variation *v, double s)
{
    nt_run *run = v->run;
    for (int i = 0; i < nt_model_variable_count(run->model); i++)
        run->variables[i] = run->variables_base[i] + (s == 0 ? 0 : s * v->rates->variables[i]);
}

static double signal_beside(const variation *v, const nt_touched_signal *t, double s)
{
    nt_words_put(v->rates, t->words[0], s);
    nt_words_put(v->rates, t->words[1], s);
    parameter_move(v, s);
    put_parameters(v, s);
    return nt_signal_value(&v->run->model->signals[t->signal], &v->view);
}

/* The s along which what a signal is made of changes by its own size. */
static double signal_step(const variation *v, const nt_touched_signal *t)
{
    const nt_parameter_rates *rates = v->rates;
    double step = nt_words_step(rates, t->words[0], v->unit, 0);
    step = nt_words_step(rates, t->words[1], v->unit, step);
    for (int k = 0; k < rates->n_moved; k++) {
        double s = v->unit / v3_norm(rates->moved[k].rate);
        step = step == 0 ? s : fmin(step, s);
    }
    if (t->functions)
        step = step == 0 ? rates->scale : fmin(step, rates->scale);
    return step;
}

/* Which way from a place where surfaces just touch, 1 or -1, a signal of their contact is on the
 * side of the step; 0 where none within reach of the differences bends. */
static int way_beside_touch(const variation *v, const nt_touched_signal *t, double reach)
{
    nt_run *run = v->run;
    int element = run->model->signals[t->signal].element;
    const nt_element *e = element >= 0 ? &run->model->elements[element] : NULL;
    if (!e || !e->type->touches || nt_element_count_onsets(run, e) != 1)
        return 0;
    double g[3], at[3] = {-reach, reach, 0};
    for (int i = 0; i < 3; i++) {
        signal_beside(v, t, at[i]);
        e->type->onsets(run, e, &v->view, &g[i]);
    }
    bool touches =
        run->sides && run->sides[e->first_onset] != 0 ? run->sides[e->first_onset] > 0 : g[2] > 0;
    if ((g[0] > 0) == (g[1] > 0))
        return 0;
    return (g[1] > 0) == touches ? 1 : -1;
}

/* Of the first step; shorter ones would show rounding, longer ones the curvature. */
static const double ONE_SIDED = 1e-3;

/* Of order six, to one side, without the place itself: it may lie beyond the touch by rounding. */
static double slope_to_side(const variation *v, const nt_touched_signal *t, double h)
{
    double sum = 0;
    for (int k = 0; k < NT_ONE_SIDED; k++)
        sum += NT_BESIDE_SIXTH[k] * signal_beside(v, t, (k + 1) * h) / h;
    signal_beside(v, t, 0);
    return sum;
}

/* Beside a place where a signal jumps or bends, such as an angle at a half turn, steps are shorter
 * until they do not reach it. */
static double signal_slope(const variation *v, const nt_touched_signal *t)
{
    double h = FIRST_STEP * signal_step(v, t), found = 0, least = (double)INFINITY;
    bool good = false;
    int way = way_beside_touch(v, t, 3 * h * pow(NEXT_STEP, LEVELS - 1));
    if (way != 0)
        return slope_to_side(v, t, ONE_SIDED * way * h);
    for (int level = 0; level < LEVELS && !good; level++, h *= NEXT_STEP) {
        double sixth = 0, fourth = 0, rounding = 0;
        for (int k = 0; k < 3; k++) {
            double plus = signal_beside(v, t, (k + 1) * h),
                   minus = signal_beside(v, t, -(k + 1) * h);
            sixth += NT_SIXTH[k] * (plus - minus) / h;
            fourth += NT_FOURTH[k] * (plus - minus) / h;
            rounding = fmax(rounding, DBL_EPSILON * fmax(fabs(plus), fabs(minus)) / h);
        }
        double gap = fabs(sixth - fourth);
        double doubt = (sixth != 0 ? gap * sqrt(gap / fabs(sixth)) : gap) + rounding;
        good = gap <= fmax(GOOD * fabs(sixth), 10 * rounding);
        if (level == 0 || doubt < least)
            found = sixth, least = doubt;
    }
    signal_beside(v, t, 0);
    return found;
}

/* Derivatives of the signals that the parameter changes at a fixed state. */
static void signal_rates(variation *v)
{
    nt_run *run = v->run;
    const nt_parameter_rates *rates = v->rates;
    double *out = rates->variables + run->model->n_parameters + 1;
    memset(out, 0, (size_t)run->model->n_signals * sizeof *out);
    for (int i = 0; i < rates->n_signals; i++) { /* each depends on those before */
        const nt_touched_signal *t = &rates->signal[i];
        const nt_signal *signal = &run->model->signals[t->signal];
        if (signal->element >= 0)
            hold_onsets(v, &run->model->elements[signal->element]);
        out[t->signal] = signal->kind == NT_SIGNAL_DELAY
                             ? nt_delay_rate(&v->view, signal->object, rates->variables)
                             : signal_slope(v, t);
        run->beyond = NULL;
    }
}

/* ---- a point -------------------------------------------------------------------------------- */

/* Motion of the bodies that matter, multipliers, and where functions change all signals. */
static void parameter_look(variation *v, const nt_point *at)
{
    nt_run *run = v->run;
    const nt_parameter_rates *rates = v->rates;
    int nh = run->system.nh, nn = run->system.nn;
    if (rates->functions) {
        static const nt_terms none = {.parts = 0};
        nt_run_look(run, at, &none, &v->view);
        memcpy(run->variables_base, run->variables,
               (size_t)(nt_model_variable_count(run->model)) * sizeof(double));
        signal_rates(v);
    } else {
        for (int i = 0; i < rates->n_seen; i++)
            nt_body_motion(&run->bodies[rates->seen[i]], at, &run->motion[rates->seen[i]]);
        const double *lambda = at->lambda;
        if (nn > 0) {
            if (lambda)
                memcpy(run->multipliers, lambda, (size_t)nh * sizeof(double));
            if (at->mu)
                memcpy(run->multipliers + nh, at->mu, (size_t)nn * sizeof(double));
            lambda = run->multipliers;
        }
        run->variables[nt_model_time_variable(run->model)] =
            nt_switch_clock(run->model, at->t, at->memory);
        run->sides = nt_onset_sides(run->model, at->t, at->memory);
        v->view = (nt_view){.run = run,
                            .model = run->model,
                            .motion = run->motion,
                            .bodies = run->bodies,
                            .at = at,
                            .lambda = lambda,
                            .variables = run->variables,
                            .scratch = run->scratch,
                            .local = &run->local,
                            .pair = {NT_T_A, NT_T_B}};
    }
    v->view.terms = &v->terms;
}

/* Elements are evaluated apart: what they add is looked at before anything is gathered. */
static variation parameter_vary(nt_run *run, const nt_parameter_rates *rates,
                                const nt_terms *wanted)
{
    int most = run->model->most_entries;
    return (variation){
        .run = run,
        .rates = rates,
        .terms = {.parts = wanted->parts,
                  .level = wanted->level,
                  .residual = wanted->residual ? run->varied_residual : NULL,
                  .rows = wanted->rows ? run->varied_rows : NULL,
                  .step = wanted->step},
        .straight = {.base = run->variables_base, .rates = rates->variables, .share = 1},
        .unit = fmin(1, run->length),
        .entry = run->entry,
        .plus = run->entry_values,
        .minus = run->entry_values + most,
        .fourth = run->entry_values + 2 * most,
        .first = {.of = run->entry_values + 3 * most},
        .second = {.of = run->entry_values + 4 * most},
        .trial = {.of = run->entry_values + 5 * most}};
}

/* m (x'' - g) differentiated */
static void add_weights(const nt_parameter_rates *rates, v3 gravity, const nt_point *at,
                        const nt_terms *wanted)
{
    v3 down = v3_of(0, 0, 0), change = down;
    if (wanted->parts & NT_EXPLICIT)
        down = gravity, change = rates->gravity_rate;
    bool accelerates = at->vdot && (wanted->parts & NT_MASS);
    for (int i = 0; i < rates->n_weights; i++) {
        const nt_weight *weight = &rates->weights[i];
        v3 a = accelerates ? v3_load(at->vdot + weight->v) : v3_of(0, 0, 0);
        v3 force = v3_scale(weight->rate, v3_sub(a, down));
        v3_accumulate(wanted->residual + weight->v, v3_axpy(-weight->mass, change, force));
    }
}

static void add_bodies(const nt_parameter_rates *rates, const nt_point *at, const nt_terms *wanted)
{
    nt_terms terms = {.level = wanted->level, .residual = wanted->residual};
    for (int i = 0; wanted->residual && i < rates->n_passes; i++) {
        const nt_body_pass *pass = &rates->pass[i];
        terms.parts = wanted->parts & pass->parts;
        if (terms.parts)
            nt_bodies_evaluate(pass->bodies, pass->n + 1, 1, pass->n + 1, at, &terms, pass->gravity,
                               NULL, rates->motion);
    }
}

nt_status nt_run_parameter_tangent(void *self, const nt_point *at, int k, const nt_terms *terms)
{
    nt_run *run = self;
    if (!nt_run_can_add(run, at, terms) || !nt_run_has_parameter(run, k))
        return NT_INVALID;
    nt_parameter_rates *rates = &run->rates[k];
    if (run->model->parameters_change)
        nt_run_take_set(run, at->memory);
    if (!rates->ready && nt_parameter_rates_find(run, k, NULL) != NT_OK)
        return NT_UNSUPPORTED;
    if (terms->residual)
        add_weights(rates, v3_load(run->gravity), at, terms);
    add_bodies(rates, at, terms);
    double size = 0, doubt = 0;
    nt_status status = NT_OK;
    run->failed = NULL;
    if (rates->n_touched > 0) {
        variation v = parameter_vary(run, rates, terms);
        parameter_look(&v, at);
        status = add_elements(&v, terms, &size, &doubt);
    }
    run->parameter_error = size > 0 ? doubt / size : 0;
    return status;
}

/* ---- which elements are quadratic ----------------------------------------------------------- */

static v3 next_vector(unsigned *seed, double size)
{
    double x = nt_chance(seed), y = nt_chance(seed), z = nt_chance(seed);
    return v3_scale(size, v3_of(x, y, z));
}

/* The initial placement, moved and turned a little, with velocities and accelerations. */
static void stir(nt_run *run, unsigned *seed)
{
    for (int i = 1; i < run->model->n_bodies; i++) {
        const nt_body *body = &run->bodies[i];
        v3 turn = next_vector(seed, 0.3);
        quat q = quat_unit((quat){1, turn.x, turn.y, turn.z});
        v3 shift = body->t_node < 0 ? v3_of(0, 0, 0) : next_vector(seed, 0.3 * run->length);
        run->motion[i] = (nt_motion){.x = v3_add(body->x0, shift),
                                     .R = quat_matrix(quat_multiply(q, body->q0)),
                                     .v = next_vector(seed, 1),
                                     .w = next_vector(seed, 1),
                                     .a = next_vector(seed, 1),
                                     .alpha = next_vector(seed, 1)};
        if (body->r_node < 0) { /* a point */
            run->motion[i].R = m3_identity();
            run->motion[i].w = run->motion[i].alpha = v3_of(0, 0, 0);
        }
    }
    for (int i = 0; i < run->system.nh + run->system.nn; i++)
        run->multipliers[i] = 1 + 0.5 * nt_chance(seed);
}

/* At the initial placement signals and their rates may happen to be zero. */
static void stir_signals(nt_run *run, const nt_parameter_rates *rates, unsigned *seed)
{
    int first = run->model->n_parameters + 1;
    for (int i = 0; i < run->model->n_signals; i++)
        run->variables[first + i] = 0.5 + 0.4 * nt_chance(seed);
    for (int i = 0; i < rates->n_signals; i++)
        rates->variables[first + rates->signal[i].signal] = 1 + 0.5 * nt_chance(seed);
}

/* Whether derivatives from two values, far away or not, and from six agree to 1e-10 of the largest
 * and are not zero. A quadratic term would be seen far away: rounding makes it 1e-8. */
static bool agrees(variation *v, const nt_touched *touched, bool linear)
{
    slope *two = &v->first, *six = &v->second;
    nt_touched copy = *touched, *t = &copy;
    t->linear = linear;
    if (parameter_differentiate(v, t, TWO, two) != NT_OK ||
        parameter_differentiate(v, t, WIDE_SIX, six) != NT_OK)
        return false;
    for (int i = 0; i < v->n; i++)
        if (!(fabs(two->of[i] - six->of[i]) <= 1e-10 * six->size))
            return false;
    return six->size > 0;
}

static void classify(variation *v, nt_touched *t)
{
    const nt_element *e = &v->run->model->elements[t->element];
    bool product = t->functions && t->of_joint[0].count > 0; /* value, arm, axis */
    /* friction and limits act in some places only: no trial tells */
    bool smooth = !e->type->touches && nt_element_is_smooth(v->run, e);
    t->quadratic = t->quadratic && smooth && !product && agrees(v, t, false);
    t->linear = t->linear && t->quadratic && !t->functions && agrees(v, t, true);
}

void nt_parameter_rates_classify(nt_run *run, nt_parameter_rates *rates)
{
    nt_terms wanted = {
        .parts = NT_ALL_PARTS, .residual = run->varied_residual, .rows = run->varied_rows};
    variation v = parameter_vary(run, rates, &wanted);
    nt_point at = {.t = run->model->simulation.start + 0.37,
                   .q = run->initial_q,
                   .v = run->initial_v,
                   .vdot = run->initial_v,
                   .lambda = run->multipliers,
                   .mu = run->multipliers + run->system.nh,
                   .memory = run->initial_memory};
    unsigned seed = 1;
    for (int i = 0; i < rates->n_touched; i++)
        rates->touched[i].quadratic = rates->touched[i].linear = true;
    for (int trial = 0; trial < 2; trial++) {
        parameter_look(&v, &at);
        v.view.lambda = run->multipliers;
        stir(run, &seed);
        stir_signals(run, rates, &seed);
        memcpy(run->variables_base, run->variables,
               (size_t)(nt_model_variable_count(run->model)) * sizeof(double));
        for (int level = NT_POSITION; level <= NT_ACCELERATION; level += 2) {
            v.terms.level = (nt_level)level;
            for (int i = 0; i < rates->n_touched; i++) {
                nt_touched *t = &rates->touched[i];
                const nt_element *e = &run->model->elements[t->element];
                if (t->holds_point)
                    continue;
                list_entries(&v, e, &wanted);
                classify(&v, t);
            }
        }
    }
}
