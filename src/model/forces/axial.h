/* Loads along one coordinate: the length between two points, or the free angle or displacement of a
 * joint. Springs, motors and laws of one's own differ in their keys alone.
 *
 * The load resists the growth of its coordinate x with the force or moment T: between two points T
 * pulls them together, along a joint B bears -T along (about) the axis and A the opposite.
 *
 *   law      T = value (between points), T = -value (along a joint)
 *   spring   e = k (x - x0) + preload,  d = c x',  T = e + d
 *   only     tension: a = e, b = d; compression: a = -e, b = -d; then with h = sqrt(a^2 + b^2)
 *            T = +-a (1 + b/h) where a > 0, else 0: it never turns round, and never jumps
 *   limits   the stops of joints (stop.h), on x
 *
 * k, c, x0, preload and value are numbers or functions of t, parameters and recorded quantities,
 * the load's own x and x' among them. Where e is given by numbers it has the potential
 * k (x - x0)^2 / 2 + preload (x - x0), where its functions depend on x and parameters alone the
 * integral of e (axial_energy.c); all else that T does is work, that of a constant value too. */
#ifndef NUTATE_MODEL_AXIAL_H
#define NUTATE_MODEL_AXIAL_H

#include "model/forces/load.h"
#include "model/forces/stop.h"
#include "model/joints/joint.h"

typedef enum nt_axial_law {
    NT_AXIAL_STIFFNESS,
    NT_AXIAL_DAMPING,
    NT_AXIAL_FREE, /* x0 */
    NT_AXIAL_PRELOAD,
    NT_AXIAL_VALUE,
    NT_AXIAL_LAWS
} nt_axial_law;

enum { /* bits of nt_axial.given; that of law i is NT_AXIAL_FIRST_LAW + i */
       NT_AXIAL_BETWEEN,
       NT_AXIAL_AT,
       NT_AXIAL_JOINT,
       NT_AXIAL_ONLY,
       NT_AXIAL_LIMITS,
       NT_AXIAL_LOWER,
       NT_AXIAL_UPPER,
       NT_AXIAL_LIMIT_STIFFNESS,
       NT_AXIAL_LIMIT_DAMPING,
       NT_AXIAL_FIRST_LAW
};

typedef struct nt_axial {
    unsigned given;
    int part;
    int between[2];
    nt_place_of_point at[2];
    int joint;
    int only; /* 0 tension, 1 compression */
    nt_law law[NT_AXIAL_LAWS];
    struct {
        double lower, upper, stiffness, damping;
    } limits;

    v3 point_a, point_b; /* between points: from the reference points, body axes */
    double distance;     /* m, between them at the given placement                */
    const nt_expression *functions[NT_AXIAL_LAWS]; /* [n_functions] of laws that are functions */
    int law_of[NT_AXIAL_LAWS], n_functions;
    nt_coupling coupling;
    bool stores;    /* functions of its own coordinate alone: it has a potential */
    bool from_free; /* which is zero at the free length, else where it is placed */
} nt_axial;

static inline bool nt_axial_has(const nt_axial *axial, int bit) { return axial->given >> bit & 1; }

/* The coordinate with its gradients at a point of the motion. NT_NOT_FINITE: a length of zero. */
nt_status nt_axial_coordinate(const nt_element *element, const nt_view *view, nt_coordinate *x);
/* T there, N or N m; NaN where it has none. The view's terms and energy are not looked at. */
double nt_axial_tension(const nt_element *element, const nt_view *view);
/* The direction on B in which that which is recorded of it counts (pull: towards A; moment, thrust:
 * the axis), ground axes; zero where it has none. */
v3 nt_axial_push(const nt_element *element, const nt_view *view);

/* Whether functions have a potential, and where that is zero: once it is prepared. */
void nt_axial_find_store(nt_run *run, const nt_element *element);
/* That potential at the coordinate x, not a number where the law has no value on the way; and the
 * force that it belongs to. Takes view->scratch. */
typedef struct nt_axial_store {
    double energy, force;
} nt_axial_store;
nt_axial_store nt_axial_stored(const nt_element *element, const nt_view *view, double x);

/* What the descriptors of these types have in common. */
nt_status nt_axial_prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error);
nt_status nt_axial_declare(nt_model *model, nt_element *element);
void nt_axial_input(void *data, const nt_expression *from, const nt_expression *to);
nt_status nt_axial_evaluate(const nt_element *element, const nt_view *view);
void nt_axial_failure(const nt_element *element, const nt_view *view, char *text, int size);
bool nt_axial_depends_on_rates(const nt_run *run, const nt_element *element);
bool nt_axial_gives_energy(const nt_model *model, const nt_element *element);
bool nt_axial_is_smooth(const nt_run *run, const nt_element *element);
void nt_axial_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque);
int nt_axial_onsets(const nt_run *run, const nt_element *element, const nt_view *view,
                    double *beyond);

void nt_axial_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to);

/* A spring acts implicitly where the model does not say otherwise, a law explicitly. */
#define NT_AXIAL_SPRING NT_AXIAL_SLOTS, .part = NT_IMPLICIT
#define NT_AXIAL_OWN_LAW NT_AXIAL_SLOTS, .part = NT_EXPLICIT, .proportional = true

#define NT_AXIAL_SLOTS                                                                             \
    .version = NT_ELEMENT_VERSION, .section = &nt_force_section, .size = sizeof(nt_axial),         \
    .prepare = nt_axial_prepare, .declare = nt_axial_declare, .evaluate = nt_axial_evaluate,       \
    .failure = nt_axial_failure, .input = nt_axial_input,                                          \
    .depends_on_rates = nt_axial_depends_on_rates, .gives_energy = nt_axial_gives_energy,          \
    .is_smooth = nt_axial_is_smooth, .reaction = nt_axial_reaction, .draw = nt_axial_draw,         \
    .onsets = nt_axial_onsets

/* Keys. */
extern const char *const nt_axial_sides[]; /* of `only` */
extern const nt_key nt_axial_limit_keys[];
#define NT_AXIAL_KEY_JOINT(coordinate)                                                             \
    {                                                                                              \
        .name = "joint", .type = NT_KEY_JOINT, .offset = offsetof(nt_axial, joint),                \
        .bit = NT_AXIAL_JOINT, .required = true, .meaning = "a joint with a free " coordinate      \
    }
#define NT_AXIAL_KEY_LAW(name_, law_, unit_, meaning_)                                             \
    {                                                                                              \
        .name = name_, .type = NT_KEY_LAW, .offset = offsetof(nt_axial, law[law_]),                \
        .bit = NT_AXIAL_FIRST_LAW + law_, .unit = unit_, .meaning = meaning_                       \
    }
#define NT_AXIAL_KEY_VALUE(unit_, meaning_)                                                        \
    {                                                                                              \
        .name = "value", .type = NT_KEY_LAW, .offset = offsetof(nt_axial, law[NT_AXIAL_VALUE]),    \
        .bit = NT_AXIAL_FIRST_LAW + NT_AXIAL_VALUE, .required = true, .unit = unit_,               \
        .meaning = meaning_                                                                        \
    }
#define NT_AXIAL_KEY_LIMITS(coordinate)                                                            \
    {                                                                                              \
        .name = "limits", .type = NT_KEY_GROUP, .bit = NT_AXIAL_LIMITS,                            \
        .group = nt_axial_limit_keys,                                                              \
        .meaning = "stops: springs that act where the " coordinate " is beyond them"               \
    }

#endif
