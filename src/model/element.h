/* Elements inside the model layer: what the public header does not show. */
#ifndef NUTATE_MODEL_ELEMENT_H
#define NUTATE_MODEL_ELEMENT_H

#include "linalg/pattern.h"
#include "model/bodies/body_numbers.h"

/* The ground does not move: once for every array of motions. */
static inline void nt_motion_init(nt_motion *motion)
{
    motion[0] = (nt_motion){.R = m3_identity()};
}

/* The variation of a body's rotation rate and its derivative per unknown (see nt_combination):
 * dw = (c X + k s w~) e,  dalpha = (m X + k s alpha~) e. */
static inline m3 nt_turned_map(const double *map, int rotation, double factor, double s, v3 rate)
{
    m3 X = map && rotation >= 0 ? m3_load(map + 9 * rotation) : m3_identity();
    X = m3_scale(factor, X);
    return s == 0 ? X : m3_add(X, m3_scale(s, m3_skew(rate)));
}
static inline m3 nt_rate_map(const nt_view *view, int body, double c, double k)
{
    const nt_combination *combination = view->terms->combination;
    return nt_turned_map(combination->map, view->bodies[body].rotation, c, k * combination->turn,
                         view->motion[body].w);
}
static inline m3 nt_acceleration_map(const nt_view *view, int body, double m, double k)
{
    const nt_combination *combination = view->terms->combination;
    const double *map = combination->map_mass ? combination->map_mass : combination->map;
    return nt_turned_map(map, view->bodies[body].rotation, m, k * combination->turn,
                         view->motion[body].alpha);
}

/* ---- signals: recorded quantities that loads may depend on ----------------------------------- */

/* One number of a quantity (quantity_kind.h), and the bodies or the state that it depends on. */
typedef struct nt_signal {
    int kind, object, component;
    int bodies[2]; /* -1 for none */
    bool is_load;  /* it is a force, or depends on more than two bodies: it has derivatives in all
                      ports of its element, signal_load.c */
    int element;   /* that element, -1 for the whole model */
    int rank;      /* of one that is a load: see signal_chain.c; 0 of others */
    int state;     /* the element whose own coordinate it is; -1 for none */
    int before;    /* the one of the same object that was added before + 1, 0 for none */
} nt_signal;

/* ds = sum over the signal's two bodies of x . dx + r . dtheta + v . d(xdot) + w . dw; of a state
 * ds = dx */
typedef struct nt_signal_gradient {
    v3 x[2], r[2], v[2], w[2];
} nt_signal_gradient;

double nt_signal_value(const nt_signal *signal, const nt_view *view);
void nt_signal_differentiate(const nt_signal *signal, const nt_view *view,
                             nt_signal_gradient *gradient);

/* ---- elements ------------------------------------------------------------------------------- */

/* A row of a table of keys, in the shortest layout: the rest are fields of nt_key by name. */
#define NT_KEY(name_, type_, ...)                                                                  \
    {                                                                                              \
        .name = name_, .type = type_, __VA_ARGS__                                                  \
    }

/* The key `part`: which share of f = f_A + f_B (system.h) the forces of an element belong to. An
 * int `field` of the data struct `type`; otherwise: the default, in words. */
enum { NT_BIT_PART = 31 };
#define NT_GIVEN_PART (1u << NT_BIT_PART)
extern const char *const nt_part_names[];
#define NT_KEY_PART(type_, field, bit_, otherwise)                                                 \
    NT_KEY("part", NT_KEY_CHOICE, .offset = offsetof(type_, field), .bit = bit_,                   \
           .choices = nt_part_names,                                                               \
           .meaning = "how methods that split the forces treat this one; default " otherwise)

/* What a key of that kind says; index into nt_part_names. */
static inline unsigned nt_part_of(bool given, int index, unsigned otherwise)
{
    return !given ? otherwise : index == 0 ? NT_EXPLICIT : NT_IMPLICIT;
}

/* What the element's data say, or its type: for nt_element.part. */
unsigned nt_element_part(const nt_element_type *type, const void *data);

/* "joint", "force", "contact" */
static inline const char *nt_element_word(const nt_element *element)
{
    return element->type->section->word;
}

static inline bool nt_element_is_joint(const nt_element *e) { return e->type->section->joins; }
static inline bool nt_element_is_force(const nt_element *e) { return e->type->section->pushes; }

/* Whether it is a joint of rows between points and triads, and that joint: NULL where it is none.
 */
static inline bool nt_element_joins(const nt_element *e) { return e->type->as_joint != NULL; }
static inline const struct nt_joint *nt_element_as_joint(const nt_run *run, const nt_element *e)
{
    return e->type->as_joint ? e->type->as_joint(run, e) : NULL;
}
/* The joint whose rows events switch on and off: such a one, or one that rolls or glides. */
static inline const struct nt_joint *nt_element_as_switched(const nt_run *run, const nt_element *e)
{
    return e->type->as_rolling ? e->type->as_rolling(run, e) : nt_element_as_joint(run, e);
}
/* Whether it is a contact of two surfaces. */
static inline bool nt_element_touches(const nt_element *e) { return e->type->as_contact != NULL; }
static inline const struct nt_contact *nt_element_as_contact(const nt_run *run, const nt_element *e)
{
    return e->type->as_contact ? e->type->as_contact(run, e) : NULL;
}

/* What a type may leave out of its descriptor is asked for by these alone. */
static inline int nt_element_count_rows(const nt_model *model, const nt_element *e)
{
    return e->type->rows ? e->type->rows(model, e) : 0;
}
static inline int nt_element_count_rates(const nt_model *model, const nt_element *e)
{
    return e->type->rates ? e->type->rates(model, e) : 0;
}
static inline int nt_element_count_coordinates(const nt_model *model, const nt_element *e)
{
    return e->type->coordinates ? e->type->coordinates(model, e) : 0;
}
static inline bool nt_element_depends_on_rates(const nt_run *run, const nt_element *e)
{
    return e->type->depends_on_rates && e->type->depends_on_rates(run, e);
}
static inline bool nt_element_is_smooth(const nt_run *run, const nt_element *e)
{
    return !e->type->is_smooth || e->type->is_smooth(run, e);
}
static inline bool nt_element_does_work(const nt_model *model, const nt_element *e)
{
    return !e->type->does_work || e->type->does_work(model, e);
}
static inline void nt_element_accept(const nt_element *e, const nt_view *view, double *memory)
{
    if (e->type->accept)
        e->type->accept(e, view, memory + e->memory);
}
static inline void nt_element_align(nt_run *run, const nt_element *e)
{
    if (e->type->align)
        e->type->align(run, e);
}
static inline bool nt_element_reacts(const nt_element *e) { return e->type->reaction != NULL; }
static inline int nt_element_part_at(const nt_model *model, const nt_element *e, int i, char *name,
                                     size_t size)
{
    return e->type->part_at ? e->type->part_at(model, e, i, name, size) : -1;
}
static inline bool nt_element_owns_bodies(const nt_element *e)
{
    return e->type->own_bodies != NULL;
}
static inline nt_status nt_element_own_bodies(nt_run *run, const nt_element *e, bool validate,
                                              nt_error *error)
{
    return e->type->own_bodies ? e->type->own_bodies(run, e, validate, error) : NT_OK;
}
/* Whether it remembers numbers that have derivatives. */
static inline bool nt_element_remembers(const nt_element *e)
{
    return e->type->n_memory > 0 && e->type->memory == NT_MEMORY_VARIES;
}
static inline bool nt_element_settles(const nt_element *e) { return e->type->settle != NULL; }
static inline nt_status nt_element_settle(nt_run *run, const nt_element *e)
{
    return e->type->settle ? e->type->settle(run, e) : NT_OK;
}
static inline const char *nt_element_coordinate_name(const nt_model *model, const nt_element *e,
                                                     int i)
{
    return e->type->coordinate_name ? e->type->coordinate_name(model, e, i) : NULL;
}
static inline bool nt_element_has_site(const nt_element *e) { return e->type->site != NULL; }
static inline bool nt_element_has_failures(const nt_element *e) { return e->type->failure != NULL; }
static inline bool nt_element_has_warnings(const nt_element *e) { return e->type->warning != NULL; }
/* Whether its energy is that of several parts, which it names. */
static inline bool nt_element_has_parts(const nt_element *e)
{
    return e->type->energy_part != NULL;
}
/* How many places it has at which its force begins (nt_element_type.onsets). */
static inline int nt_element_count_onsets(const nt_run *run, const nt_element *e)
{
    return e->type->onsets ? e->type->onsets(run, e, NULL, NULL) : 0;
}
/* Whether it says itself how its forces change with its numbers. */
static inline bool nt_element_varies(const nt_element *e) { return e->type->vary != NULL; }
static inline bool nt_element_remark(const nt_model *model, const nt_element *e, char *text,
                                     size_t size)
{
    return e->type->remark && e->type->remark(model, e, text, size);
}
static inline bool nt_element_gives_energy(const nt_model *model, const nt_element *e)
{
    return e->type->gives_energy ? e->type->gives_energy(model, e) : !e->type->only_takes;
}
static inline bool nt_element_carries(const nt_element *e) { return e->type->carry != NULL; }
static inline void nt_element_carry(nt_run *run, const nt_element *e, const nt_view *view,
                                    const double *increment)
{
    if (e->type->carry)
        e->type->carry(run, e, view, increment);
}
static inline bool nt_element_may_rest(const nt_element *e) { return e->type->rests != NULL; }
static inline bool nt_element_has_stops(const nt_element *e) { return e->type->at_stop != NULL; }
static inline double nt_element_stop_after(const nt_run *run, const nt_element *e, double t,
                                           const double *memory)
{
    return e->type->stop_after
               ? e->type->stop_after(run, e, t, memory + (e->memory < 0 ? 0 : e->memory))
               : (double)INFINITY;
}
static inline bool nt_element_at_stop(const nt_element *e, const nt_view *view, double *memory)
{
    return e->type->at_stop && e->type->at_stop(e, view, memory + e->memory);
}
static inline bool nt_element_stops(const nt_element *e) { return e->type->stop_after != NULL; }
/* Where the type keeps a function besides its key. */
static inline void nt_element_input(nt_run *run, const nt_element *e,
                                    const struct nt_expression *from,
                                    const struct nt_expression *to)
{
    if (e->type->input)
        e->type->input(nt_element_numbers_in(run, e), from, to);
}
static inline void nt_element_defaults(nt_run *run, const nt_element *e)
{
    if (e->type->defaults)
        e->type->defaults(nt_element_numbers_in(run, e));
}
static inline bool nt_element_has_arrow(const nt_element *e) { return e->type->arrow != NULL; }
static inline void nt_element_draw(const nt_run *run, const nt_element *e, nt_sketch_put *put,
                                   void *to)
{
    if (e->type->draw)
        e->type->draw(run, e, put, to);
}
/* Where an element's own coordinates begin; q is NULL where they are of first order. */
static inline void nt_element_initial(const nt_run *run, const nt_element *e, double *q, double *v)
{
    if (e->type->initial)
        e->type->initial(run, e, q, v);
}

/* Fill in the bodies that an element acts on, as its keys name them. */
void nt_element_bind(const nt_model *model, nt_element *element);

/* Whether it has a free angle, once its keys are read: not where one of its bodies is a point. */
bool nt_element_rotates(const nt_model *model, const nt_element *element);

/* Whether a port is one of coordinates, to which an element adds forces. */
static inline bool nt_element_pushes(const nt_element *e, int port)
{
    return port != NT_ROWS && port != NT_RATES && !e->ports[port].looks;
}

/* Block k of an element that lists its blocks, 3 x 3, to add to. The view has a matrix. */
static inline double *nt_view_couple(const nt_view *view, int k)
{
    const nt_local *local = view->local;
    int at = local->place ? local->place[k] : k;
    return local->couples && at >= 0
               ? local->couples + 9 * (ptrdiff_t)at
               : nt_matrix_block(view->terms->matrix, local->element->couple[k]);
}
static inline void nt_view_add_couple(const nt_view *view, int k, m3 block)
{
    m3_accumulate(nt_view_couple(view, k), block);
}

/* Row i of an element among all nh + nn, and back: -1 for a row that is not its own. */
static inline int nt_element_row(const nt_element *e, int i)
{
    return i < e->n_rows ? e->first_row + i : e->first_rate + i - e->n_rows;
}
static inline int nt_element_find_row(const nt_element *e, int row)
{
    if (row >= e->first_row && row < e->first_row + e->n_rows)
        return row - e->first_row;
    if (row >= e->first_rate && row < e->first_rate + e->n_rates)
        return e->n_rows + row - e->first_rate;
    return -1;
}

#endif
