/* A tyre from measurements, as a plugin: the type `tyre` of forces for model files.
 *
 * A wheel B rolls over the plane z = 0 about its axle. Where its lowest point is below the plane
 * the tyre is pressed in by d and bears F_z = stiffness d + damping d' (never less than 0). The
 * force along and across the wheel is that of a measured curve over the slip,
 *
 *   F = -mu F_z sin(shape atan(steepness s)),
 *
 * the formula that tyre measurements are usually fitted to, with s the slip: the velocity of the
 * point of contact over the speed of rolling. The force acts at the point of contact. The tangent
 * is left to differences. */
#include <math.h>
#include <nutate/nutate.h>
#include <stddef.h>

typedef struct tyre {
    unsigned given;
    int on;
    double radius, stiffness, damping, grip, shape, steepness;
} tyre;

enum { ON, RADIUS, STIFFNESS, DAMPING, GRIP, SHAPE, STEEPNESS };

#define NUMBER(name_, field, bit_, unit_, meaning_)                                                \
    {                                                                                              \
        .name = name_, .type = NT_KEY_NUMBER, .offset = offsetof(tyre, field), .bit = bit_,        \
        .required = true, .unit = unit_, .meaning = meaning_                                       \
    }

static const nt_key keys[] = {
    {.name = "on",
     .type = NT_KEY_BODY,
     .offset = offsetof(tyre, on),
     .bit = ON,
     .required = true,
     .meaning = "the wheel; its y axis is the axle, its centre of mass the middle"},
    NUMBER("radius", radius, RADIUS, "m", "without load"),
    NUMBER("stiffness", stiffness, STIFFNESS, "N/m", "of the tyre against the ground"),
    NUMBER("damping", damping, DAMPING, "N s/m", "the same"),
    NUMBER("grip", grip, GRIP, "1", "mu, largest force over the load"),
    NUMBER("shape", shape, SHAPE, "1", "of the curve over the slip"),
    NUMBER("steepness", steepness, STEEPNESS, "1", "of the curve at no slip"),
    {.name = NULL},
};

static nt_status prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    const tyre *t = nt_element_data_in(run, element);
    if (validate && !(t->radius > 0 && t->stiffness > 0))
        return nt_element_refuse(run, element, error, "radius and stiffness must be positive");
    return NT_OK;
}

static double dot(nt_v3 a, nt_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static nt_v3 cross(nt_v3 a, nt_v3 b)
{
    return (nt_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static nt_v3 sum(nt_v3 a, double s, nt_v3 b)
{
    return (nt_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Below this speed the slip is over it: a car can stand. m/s */
static const double SLOW = 0.3;

static nt_status law(const nt_element *element, const nt_view *view, const nt_motion *a,
                     const nt_motion *wheel, nt_pair_force *out)
{
    const tyre *t = nt_element_data_in(view->run, element);
    nt_v3 up = {0, 0, 1}, axle = {wheel->R.xy, wheel->R.yy, wheel->R.zy}, none = {0, 0, 0};
    nt_v3 ahead = cross(axle, up);
    double across = sqrt(dot(ahead, ahead)); /* 0: the wheel lies flat */
    (void)a;
    *out = (nt_pair_force){{none, none}, {none, none}};
    if (!(across > 0))
        return NT_NOT_FINITE;
    ahead = sum(none, 1 / across, ahead);
    nt_v3 arm = sum(none, -t->radius, cross(ahead, axle)); /* to the lowest point */
    double d = -(wheel->x.z + arm.z);
    if (d <= 0)
        return NT_OK;
    nt_v3 speed = sum(wheel->v, 1, cross(wheel->w, arm));
    double load = t->stiffness * d - t->damping * (wheel->v.z + cross(wheel->w, arm).z);
    load = load > 0 ? load : 0;
    double along = dot(speed, ahead), side = speed.x * -ahead.y + speed.y * ahead.x;
    double slide = hypot(along, side), rolling = hypot(dot(wheel->v, ahead), SLOW);
    double pull = t->grip * load * sin(t->shape * atan(t->steepness * slide / rolling));
    double share = slide > 0 ? pull / slide : t->grip * load * t->shape * t->steepness / rolling;
    nt_v3 force = sum(up, load - 1, up);
    force = sum(force, -share * along, ahead);
    force = sum(force, -share * side, (nt_v3){-ahead.y, ahead.x, 0});
    arm.z += d / 2; /* the middle of what is pressed in */
    out->force[1] = force;
    out->moment[1] = cross(arm, force);
    return NT_OK;
}

static nt_status evaluate(const nt_element *element, const nt_view *view)
{
    return nt_element_add_pair(element, view, law);
}

static void reaction(const nt_element *element, const nt_view *view, nt_v3 *force, nt_v3 *torque)
{
    nt_element_pair_reaction(element, view, law, force, torque);
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    (void)run, (void)element;
    return true;
}

static const nt_element_type tyre_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "tyre",
    .summary = "a tyre on the plane z = 0, by a measured curve over the slip",
    .keys = keys,
    .size = sizeof(tyre),
    .part = NT_IMPLICIT,
    .prepare = prepare,
    .declare = nt_element_couple_pair,
    .evaluate = evaluate,
    .depends_on_rates = depends_on_rates,
    .reaction = reaction,
    .touches = true,
    .only_takes = true,
};

static const nt_element_type *const types[] = {&tyre_type, NULL};

NT_API extern const nt_plugin nutate_plugin;
const nt_plugin nutate_plugin = {.version = NT_ELEMENT_VERSION, .name = "tyre", .types = types};
