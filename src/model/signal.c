/* Signals: recorded quantities that loads may depend on.
 *
 * With rho = R X for a point X of a body, e a ground axis, E = R e the same axis of the body, and
 * (w0, u) the quaternion:
 *
 *   position            e . (x + rho)        x: e     r: rho x e
 *   velocity            e . (v + w x rho)    v: e     w: rho x e     r: rho x (e x w)
 *   angular velocity    E . w                w: E     r: E x w
 *   orientation         w0                   r: -u / 2
 *                       e . u                r: (w0 e + u x e) / 2
 *
 * A joint's angle and displacement come from joint.c; their rates are linear in the velocities,
 * with the gradient of the coordinate. */
#include "model/signal.h"

#include "model/joints/joint.h"

#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

/* A piece of a name. */
typedef struct span {
    const char *text;
    int length;
} span;

static bool span_is(span s, const char *word)
{
    return word && strlen(word) == (size_t)s.length && memcmp(s.text, word, (size_t)s.length) == 0;
}

/* Cut "head.tail" at the last dot; false where there is none. */
static bool cut(span whole, span *head, span *tail)
{
    for (int i = whole.length - 1; i >= 0; i--)
        if (whole.text[i] == '.') {
            *head = (span){whole.text, i};
            *tail = (span){whole.text + i + 1, whole.length - i - 1};
            return true;
        }
    return false;
}

static int find_body(const nt_model *model, span name)
{
    for (int i = 0; i < model->n_bodies; i++)
        if (span_is(name, model->bodies[i].name))
            return i;
    return -1;
}

static int find_marker(const nt_model *model, span name)
{
    for (int i = 0; i < model->n_markers; i++)
        if (span_is(name, model->markers[i].name))
            return i;
    return -1;
}

static int find_joint(const nt_model *model, span name)
{
    for (int i = 0; i < model->n_elements; i++)
        if (model->elements[i].type->section == &nt_joint_section &&
            span_is(name, model->elements[i].name))
            return i;
    return -1;
}

/* OBJECT.QUANTITY.COMPONENT of a body or a marker. */
static bool parse_point(const nt_model *model, span name, nt_signal *signal)
{
    static const struct {
        const char *word;
        nt_signal_kind kind;
        bool marker;
        const char *components;
    } quantities[] = {
        {"position", NT_SIGNAL_POSITION, true, "xyz"},
        {"velocity", NT_SIGNAL_VELOCITY, true, "xyz"},
        {"orientation", NT_SIGNAL_ORIENTATION, false, "wxyz"},
        {"angular_velocity", NT_SIGNAL_ANGULAR_VELOCITY, false, "xyz"},
    };
    span head, component, object, quantity;
    if (!cut(name, &head, &component) || component.length != 1 || !cut(head, &object, &quantity))
        return false;
    int body = find_body(model, object), marker = body < 0 ? find_marker(model, object) : -1;
    if (body < 0 && marker < 0)
        return false;
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++) {
        const char *at = strchr(quantities[i].components, component.text[0]);
        if (!span_is(quantity, quantities[i].word) || !at || *at == '\0')
            continue;
        if (!quantities[i].marker && (marker >= 0 || model->bodies[body].point))
            return false;
        *signal = (nt_signal){
            .kind = quantities[i].kind,
            .body = marker >= 0 ? model->markers[marker].on : body,
            .joint = -1,
            .component = (int)(at - quantities[i].components),
            .marker = marker,
        };
        return true;
    }
    return false;
}

/* JOINT.QUANTITY. Called while the file is read, before joints are prepared: what is free follows
 * from the type's name. */
static bool parse_joint(const nt_model *model, span name, nt_signal *signal)
{
    span object, quantity;
    if (!cut(name, &object, &quantity))
        return false;
    int joint = find_joint(model, object);
    if (joint < 0)
        return false;
    bool rotates = model->elements[joint].type->rotates;
    bool slides = model->elements[joint].type->slides;
    nt_signal_kind kind;
    if (rotates && span_is(quantity, "angle"))
        kind = NT_SIGNAL_ANGLE;
    else if (rotates && span_is(quantity, "rate"))
        kind = NT_SIGNAL_ANGLE_RATE;
    else if (slides && span_is(quantity, "displacement"))
        kind = NT_SIGNAL_DISPLACEMENT;
    else if (slides && (span_is(quantity, "rate") || span_is(quantity, "displacement_rate")))
        kind = NT_SIGNAL_DISPLACEMENT_RATE;
    else
        return false;
    *signal = (nt_signal){.kind = kind, .body = -1, .joint = joint, .marker = -1};
    return true;
}

/* ---- the model's list ----------------------------------------------------------------------- */

static int find_signal(const nt_model *model, const nt_signal *wanted)
{
    for (int i = 0; i < model->n_signals; i++) {
        const nt_signal *s = &model->signals[i];
        if (s->kind == wanted->kind && s->body == wanted->body && s->joint == wanted->joint &&
            s->component == wanted->component && s->marker == wanted->marker)
            return i;
    }
    return -1;
}

/* Room for one more: the array is full whenever its count is a power of two from 4 on. */
static bool make_room(nt_model *model)
{
    int n = model->n_signals;
    if (n > 0 && (n < 4 || (n & (n - 1)) != 0))
        return true;
    nt_signal *larger = NT_TAKE(&model->arena, n == 0 ? 4 : 2 * n, nt_signal);
    if (!larger)
        return false;
    if (n > 0)
        memcpy(larger, model->signals, (size_t)n * sizeof *larger);
    model->signals = larger;
    return true;
}

int nt_model_signal(nt_model *model, const char *name, int length)
{
    span whole = {name, length};
    nt_signal signal;
    if (!parse_point(model, whole, &signal) && !parse_joint(model, whole, &signal))
        return -1;
    int known = find_signal(model, &signal);
    if (known >= 0)
        return known;
    if (!make_room(model))
        return -2;
    model->signals[model->n_signals] = signal;
    return model->n_signals++;
}

void nt_signal_prepare(const nt_run *run, nt_signal *signal)
{
    if (signal->joint >= 0) {
        const nt_element *joint = &run->model->elements[signal->joint];
        signal->bodies[0] = joint->a > 0 ? joint->a : -1;
        signal->bodies[1] = joint->b > 0 ? joint->b : -1;
        return;
    }
    v3 point = signal->marker >= 0 ? v3_load(run->markers[signal->marker].at) : v3_of(0, 0, 0);
    signal->offset = v3_sub(point, run->bodies[signal->body].reference);
    signal->bodies[0] = signal->body > 0 ? signal->body : -1;
    signal->bodies[1] = -1;
}

/* ---- values and derivatives ----------------------------------------------------------------- */

static v3 axis(int component) { return v3_of(component == 0, component == 1, component == 2); }

static quat orientation(const nt_signal *signal, const nt_view *view)
{
    const nt_body *body = &view->bodies[signal->body];
    if (body->r_node < 0)
        return (quat){1, 0, 0, 0};
    return quat_load(view->at->q + body->q + (body->t_node >= 0 ? 3 : 0));
}

static bool slides(const nt_signal *signal)
{
    return signal->kind == NT_SIGNAL_DISPLACEMENT || signal->kind == NT_SIGNAL_DISPLACEMENT_RATE;
}

static double joint_value(const nt_signal *signal, const nt_view *view)
{
    const nt_element *joint = &view->model->elements[signal->joint];
    nt_coordinate c = nt_joint_coordinate(joint, view, slides(signal));
    bool position = signal->kind == NT_SIGNAL_ANGLE || signal->kind == NT_SIGNAL_DISPLACEMENT;
    return position ? c.value : c.rate;
}

double nt_signal_value(const nt_signal *signal, const nt_view *view)
{
    if (signal->joint >= 0)
        return joint_value(signal, view);
    const nt_motion *motion = &view->motion[signal->body];
    v3 rho = m3_apply(motion->R, signal->offset);
    int i = signal->component;
    if (signal->kind == NT_SIGNAL_POSITION)
        return v3_component(v3_add(motion->x, rho), i);
    if (signal->kind == NT_SIGNAL_VELOCITY)
        return v3_component(v3_add(motion->v, v3_cross(motion->w, rho)), i);
    if (signal->kind == NT_SIGNAL_ANGULAR_VELOCITY)
        return v3_component(m3_apply_transposed(motion->R, motion->w), i);
    quat q = orientation(signal, view);
    return i == 0 ? q.w : v3_component(v3_of(q.x, q.y, q.z), i - 1);
}

static void joint_differentiate(const nt_signal *signal, const nt_view *view,
                                nt_signal_gradient *gradient)
{
    const nt_element *joint = &view->model->elements[signal->joint];
    nt_coordinate c = nt_joint_coordinate(joint, view, slides(signal));
    if (signal->kind == NT_SIGNAL_ANGLE || signal->kind == NT_SIGNAL_DISPLACEMENT) {
        gradient->x[0] = c.xa, gradient->r[0] = c.ra;
        gradient->x[1] = c.xb, gradient->r[1] = c.rb;
    } else {
        gradient->x[0] = c.rate_xa, gradient->r[0] = c.rate_ra;
        gradient->x[1] = c.rate_xb, gradient->r[1] = c.rate_rb;
        gradient->v[0] = c.xa, gradient->w[0] = c.ra;
        gradient->v[1] = c.xb, gradient->w[1] = c.rb;
    }
}

void nt_signal_differentiate(const nt_signal *signal, const nt_view *view,
                             nt_signal_gradient *gradient)
{
    *gradient = (nt_signal_gradient){0};
    if (signal->joint >= 0) {
        joint_differentiate(signal, view, gradient);
        return;
    }
    const nt_motion *motion = &view->motion[signal->body];
    v3 e = axis(signal->component), rho = m3_apply(motion->R, signal->offset);
    if (signal->kind == NT_SIGNAL_POSITION) {
        gradient->x[0] = e;
        gradient->r[0] = v3_cross(rho, e);
    } else if (signal->kind == NT_SIGNAL_VELOCITY) {
        gradient->v[0] = e;
        gradient->w[0] = v3_cross(rho, e);
        gradient->r[0] = v3_cross(rho, v3_cross(e, motion->w));
    } else if (signal->kind == NT_SIGNAL_ANGULAR_VELOCITY) {
        v3 E = m3_apply(motion->R, e);
        gradient->w[0] = E;
        gradient->r[0] = v3_cross(E, motion->w);
    } else {
        quat q = orientation(signal, view);
        v3 u = v3_of(q.x, q.y, q.z);
        e = axis(signal->component - 1);
        gradient->r[0] = signal->component == 0 ? v3_scale(-0.5, u)
                                                : v3_scale(0.5, v3_axpy(q.w, e, v3_cross(u, e)));
    }
}
