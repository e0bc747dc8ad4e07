/* A load per length of a beam, a function of the station along it, time and parameters.
 *
 * With w the weights of the beam's rule of inertia (times length), N_i the shapes of an element's
 * nodes, p = sum N_i r_i the sum of their quaternions, n = p . p, R its rotation, and in
 * ground-reference axes the force f and moment m per length,
 *
 *   dead       node i: place -w N_i f,     quaternion  g = -(2/n) (0, m) p
 *   follower   node i: place -w N_i R f,   quaternion  g = -(2/n) p (0, m)
 *   tangents   R f~ Lp by p (follower), Lp = (2/n) L(p);
 *              -(2/n) Lq(m) or -(2/n) Rq(m), and -2 g p^T/n
 *   moment     of a node: P_i^T G_i, G_i = sum w N_i g; by its own rotation -(G . r) I/4 - m_i~/2
 *   power      f . v + m . omega */
#include "model/beams/beam.h"

#include "model/elements.h"
#include "model/forces/load.h"

#include <string.h>

typedef struct nt_beam_load {
    unsigned given;
    int part;
    int on; /* the beam, among the elements */
    const nt_expression *value[3], *moment[3];
    int frame;    /* 0 ground, 1 section */
    int variable; /* of expressions: the station; -1 where they do not use it */
} nt_beam_load;

enum { GIVEN_ON, GIVEN_VALUE, GIVEN_MOMENT, GIVEN_FRAME };

static const char *const frames[] = {"ground", "section", NULL};

static const nt_key beam_load_keys[] = {
    NT_KEY("on", NT_KEY_BEAM, .offset = offsetof(nt_beam_load, on), .bit = GIVEN_ON,
           .required = true, .meaning = "the beam"),
    NT_KEY("value", NT_KEY_FUNCTIONS, .offset = offsetof(nt_beam_load, value), .bit = GIVEN_VALUE,
           .high = 3, .unit = "N/m",
           .meaning = "force per length of the line: three functions of t, parameters and "
                      "NAME.station, the part of the length from 0 to 1"),
    NT_KEY("moment", NT_KEY_FUNCTIONS, .offset = offsetof(nt_beam_load, moment),
           .bit = GIVEN_MOMENT, .high = 3, .unit = "N", .meaning = "moment per length, likewise"),
    NT_KEY("frame", NT_KEY_CHOICE, .offset = offsetof(nt_beam_load, frame), .bit = GIVEN_FRAME,
           .choices = frames,
           .meaning = "axes of both; default ground: they keep their direction. Section: they "
                      "follow the beam as it bends"),
    NT_KEY_PART(nt_beam_load, part, NT_BIT_PART, "explicit"),
    {0},
};

static const nt_beam_load *load_of(const nt_view *view, const nt_element *e)
{
    return nt_element_data(view->run, e);
}

static const nt_element *beam_of_load(const nt_view *view, const nt_element *e)
{
    return &view->model->elements[load_of(view, e)->on];
}

/* ---- values ------------------------------------------------------------------------------------
 */

/* Three functions at a station; the variables of expressions are copied to scratch. */
static nt_status functions_at(const nt_beam_load *load, const nt_view *view,
                              const nt_expression *const *functions, double station, v3 *out)
{
    double value[3] = {0, 0, 0}, *variables = view->scratch;
    const nt_straight *straight = view->run->straight;
    int n = nt_model_variable_count(view->model);
    memcpy(variables, straight ? straight->base : view->variables, (size_t)n * sizeof *variables);
    if (load->variable >= 0)
        variables[load->variable] = station;
    for (int i = 0; i < 3 && functions[0]; i++) {
        if (straight) {
            double jet[3];
            nt_expression_jet(functions[i], variables, straight->rates, view->model->zeros, jet);
            value[i] = straight->share * jet[0] + straight->s * jet[1];
        } else {
            value[i] = nt_expression_value(functions[i], variables);
        }
        if (!isfinite(value[i]))
            return NT_NOT_FINITE;
    }
    *out = v3_load(value);
    return NT_OK;
}

/* ---- one element -------------------------------------------------------------------------------
 */

typedef struct span {
    int n, first, port;
    double r[NT_MOST_ORDER + 1][4], P[NT_MOST_ORDER + 1][4][3], G[NT_MOST_ORDER + 1][4];
    v3 f[NT_MOST_ORDER + 1];
    /* by places nothing; rows f, g by the quaternions: accumulated with w N_i N_j */
    double K[NT_MOST_ORDER + 1][NT_MOST_ORDER + 1][7][4];
} span;

static void begin_span(span *s, const nt_view *view, const nt_beam *b, int element)
{
    s->n = b->p + 1, s->first = b->first_body + element * b->p;
    s->port = NT_PORTS + 2 * element * b->p;
    memset(s->G, 0, sizeof s->G);
    memset(s->f, 0, sizeof s->f);
    for (int i = 0; i < s->n; i++) {
        const nt_body *body = &view->bodies[s->first + i];
        memcpy(s->r[i], view->at->q + body->q + 3, sizeof s->r[i]);
        nt_beam_one_side(i > 0 ? s->r[i - 1] : s->r[i], s->r[i]);
        nt_beam_rotation_map(s->r[i], s->P[i]);
        for (int j = 0; j < s->n; j++)
            memset(s->K[i][j], 0, sizeof s->K[i][j]);
    }
}

static void add_at_point(span *s, const double *N, double weight, v3 f, v3 m, bool follows,
                         bool tangent)
{
    double p[4] = {0}, of_p[7][4];
    nt_beam_push push;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 4; k++)
            p[k] += N[i] * s->r[i][k];
    nt_beam_push_of(p, f, m, follows, &push, tangent ? of_p : NULL);
    for (int i = 0; i < s->n; i++) {
        s->f[i] = v3_axpy(-weight * N[i], push.f, s->f[i]);
        for (int k = 0; k < 4; k++)
            s->G[i][k] -= weight * N[i] * push.g[k];
        for (int j = 0; tangent && j < s->n; j++)
            for (int row = 0; row < 7; row++)
                for (int k = 0; k < 4; k++)
                    s->K[i][j][row][k] -= weight * N[i] * N[j] * of_p[row][k];
    }
}

static m3 projected(double a[3][4], double P[4][3])
{
    double out[9] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                out[3 * i + j] += a[i][k] * P[k][j];
    return m3_load(out);
}

static void push_span(const span *s, const nt_view *view)
{
    for (int i = 0; i < s->n; i++) {
        nt_view_force(view, s->port + 2 * i, s->f[i]);
        nt_view_force(view, s->port + 2 * i + 1, nt_beam_moment(s->r[i], s->G[i]));
    }
}

/* Blocks from number `at` on, see load_declare. */
static void add_blocks_of_span(span *s, const nt_view *view, int at)
{
    double k = view->terms->combination->stiffness * view->run->share[NT_SHARE_LOADS];
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            double turned[3][4] = {{0}};
            for (int row = 0; row < 3; row++)
                for (int l = 0; l < 4; l++)
                    for (int c = 0; c < 4; c++)
                        turned[row][c] += s->P[i][l][row] * s->K[i][j][3 + l][c];
            m3 ft = projected(s->K[i][j], s->P[j]), mt = projected(turned, s->P[j]);
            if (i == j) {
                double Gr = 0;
                for (int l = 0; l < 4; l++)
                    Gr += s->G[i][l] * s->r[i][l];
                m3 own = m3_add(m3_scale(Gr / 4, m3_identity()),
                                m3_scale(0.5, m3_skew(nt_beam_moment(s->r[i], s->G[i]))));
                mt = m3_sub(mt, own);
            }
            nt_view_add_couple(view, at++, m3_scale(k, ft));
            nt_view_add_couple(view, at++, m3_scale(k, mt));
        }
}

/* The power of a force and a moment at a point of the interpolated motion. */
static double power_at(const span *s, const nt_view *view, const double *N, v3 f, v3 m,
                       bool follows)
{
    double p[4] = {0}, pt[4] = {0};
    v3 v = v3_of(0, 0, 0);
    for (int i = 0; i < s->n; i++) {
        double rate[4];
        nt_beam_quaternion_rate(s->r[i], view->motion[s->first + i].w, rate);
        v = v3_axpy(N[i], view->motion[s->first + i].v, v);
        for (int k = 0; k < 4; k++)
            p[k] += N[i] * s->r[i][k], pt[k] += N[i] * rate[k];
    }
    nt_beam_push push;
    nt_beam_push_of(p, f, m, follows, &push, NULL);
    double power = v3_dot(push.f, v);
    for (int k = 0; k < 4; k++)
        power += push.g[k] * pt[k];
    return power;
}

/* ---- callbacks ---------------------------------------------------------------------------------
 */

static nt_status load_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_beam_load *load = load_of(view, e);
    const nt_beam *b = nt_beam_of(view->run, beam_of_load(view, e));
    if (!view->energy && !(view->terms->parts & e->part))
        return NT_OK;
    bool tangent = !view->energy && view->terms->matrix;
    span s;
    for (int element = 0; element < b->n_elements; element++) {
        const nt_beam_inert *points = nt_beam_inert_at(b, element);
        begin_span(&s, view, b, element);
        for (int q = 0; q < b->n_rule[1]; q++) {
            const nt_beam_inert *at = &points[q];
            const double *N = nt_beam_shapes(b, element, 1, q) + NT_SHAPE_N;
            v3 f, m;
            nt_status status = functions_at(load, view, load->value, at->station, &f);
            if (status == NT_OK)
                status = functions_at(load, view, load->moment, at->station, &m);
            if (status != NT_OK)
                return status;
            if (load->frame)
                f = m3_apply(at->axes, f), m = m3_apply(at->axes, m);
            if (view->energy)
                view->energy->power += at->weight * power_at(&s, view, N, f, m, load->frame);
            else
                add_at_point(&s, N, at->weight, f, m, load->frame, tangent);
        }
        if (!view->energy && view->terms->residual)
            push_span(&s, view);
        if (tangent)
            add_blocks_of_span(&s, view, 2 * element * s.n * s.n);
    }
    return NT_OK;
}

static nt_status load_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_beam_load *load = nt_element_numbers(run, e);
    const nt_model *model = run->model;
    int number = (int)(e - model->elements);
    load->variable = -1;
    for (int k = 0; k < model->n_signals; k++)
        if (model->signals[k].kind >= 0 && model->signals[k].object == number &&
            nt_quantity_kinds[model->signals[k].kind].of == NT_OF_DISTRIBUTED)
            load->variable = nt_model_time_variable(model) + 1 + k;
    if (validate && !load->value[0] && !load->moment[0])
        return nt_load_refuse(run->model, e, error, "expected value or moment");
    for (int k = 0; validate && k < run->model->n_signals; k++) {
        int variable = nt_model_time_variable(run->model) + 1 + k;
        for (int i = 0; i < 6 && variable != load->variable; i++) {
            const nt_expression *f = i < 3 ? load->value[i] : load->moment[i - 3];
            if (f && nt_expression_uses(f, variable))
                return nt_load_refuse(run->model, e, error,
                                      "it may depend on t, parameters and %s.station, not on the "
                                      "motion",
                                      e->name);
        }
    }
    return NT_OK;
}

static nt_status load_declare(nt_model *model, nt_element *e)
{
    const nt_beam_load *load = nt_model_data(model, e);
    const nt_beam *b = nt_model_data(model, &model->elements[load->on]);
    size_t scratch = (size_t)nt_model_variable_count(model);
    model->scratch = scratch > model->scratch ? scratch : model->scratch;
    int n = b->p + 1, k = 0;
    nt_status status = nt_element_ports_of_bodies(model, e, b->first_body, b->n_nodes);
    if (status == NT_OK)
        status = nt_element_begin_couples(model, e, 2 * b->n_elements * n * n);
    for (int element = 0; element < b->n_elements; element++)
        for (int pair = 0; pair < n * n; pair++) {
            int row = NT_PORTS + 2 * (element * b->p + pair / n);
            int column = NT_PORTS + 2 * (element * b->p + pair % n) + 1;
            for (int i = 0; i < 2 && status == NT_OK; i++)
                status = nt_element_list_couple(model, e, k++, row + i, column);
        }
    return status;
}

const nt_element_type nt_force_distributed = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "distributed",
    .summary = "a force and a moment per length of a beam",
    .keys = beam_load_keys,
    .size = sizeof(nt_beam_load),
    .part = NT_EXPLICIT,
    .is_load = true,
    .prepare = load_prepare,
    .declare = load_declare,
    .evaluate = load_evaluate,
    .shows = NT_SHOWS(NT_OF_DISTRIBUTED),
};
