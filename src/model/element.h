/* Elements: joints, forces and contacts. What one is, and what it sees while it is evaluated. */
#ifndef NUTATE_MODEL_ELEMENT_H
#define NUTATE_MODEL_ELEMENT_H

#include "model/body_numbers.h"
#include "model/key.h"

#include <nutate/model.h>

/* ---- kinematics at one point --------------------------------------------------------------------
 */

typedef struct nt_motion {
    v3 x; /* reference point, ground axes                    */
    m3 R;
    v3 v, w;     /* velocity of it, angular velocity; ground axes   */
    v3 a, alpha; /* their derivatives                               */
} nt_motion;

/* The ground does not move: once for every array of motions. */
static inline void nt_motion_init(nt_motion *motion)
{
    motion[0] = (nt_motion){.R = m3_identity()};
}

typedef struct nt_run nt_run;

/* Everything an element sees while it adds its terms. */
typedef struct nt_view {
    const nt_run *run;
    const nt_model *model;
    const nt_motion *motion; /* [n_bodies], ground first                                   */
    const nt_body *bodies;
    const nt_point *at;
    const nt_terms *terms;
    const double *lambda;    /* [nh + nn] multipliers, holonomic then nonholonomic        */
    const double *variables; /* of expressions: parameters, t, signals                     */
    double *scratch;         /* [model->scratch] lost between two elements                 */
    nt_energy *energy;       /* not NULL: add energies and power instead of terms          */
} nt_view;

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

/* Add a 3 x 3 block; a slot of -1 is a node that does not exist. */
static inline void nt_view_add(const nt_view *view, int slot, m3 block)
{
    if (slot >= 0)
        m3_accumulate(nt_matrix_block(view->terms->matrix, slot), block);
}

/* Add a force-like vector to the residual of a body's translation or rotation. */
static inline void nt_view_force(const nt_view *view, int body, v3 f)
{
    if (view->bodies[body].t_node >= 0)
        v3_accumulate(view->terms->residual + view->bodies[body].v, f);
}
static inline void nt_view_moment(const nt_view *view, int body, v3 moment)
{
    const nt_body *b = &view->bodies[body];
    if (b->r_node >= 0)
        v3_accumulate(view->terms->residual + b->v + (b->t_node >= 0 ? 3 : 0), moment);
}

/* ---- signals: scalar quantities that loads may depend on ------------------------------------ */

typedef enum nt_signal_kind {
    NT_SIGNAL_POSITION, /* of a point of a body, component              */
    NT_SIGNAL_VELOCITY,
    NT_SIGNAL_ORIENTATION,      /* quaternion component w x y z                  */
    NT_SIGNAL_ANGULAR_VELOCITY, /* body axes                                     */
    NT_SIGNAL_ANGLE,            /* of a joint                                    */
    NT_SIGNAL_DISPLACEMENT,
    NT_SIGNAL_ANGLE_RATE,
    NT_SIGNAL_DISPLACEMENT_RATE,
} nt_signal_kind;

typedef struct nt_signal {
    nt_signal_kind kind;
    int body;      /* or -1 */
    int joint;     /* element index or -1 */
    int component; /* 0 1 2 (3) */
    v3 offset;     /* of the point from the body's reference point, body axes (derived) */
    int marker;    /* -1: the body's origin */
    int bodies[2]; /* bodies it depends on, -1 for none */
} nt_signal;

/* ds = sum over the signal's two bodies of x . dx + r . dtheta + v . d(xdot) + w . dw */
typedef struct nt_signal_gradient {
    v3 x[2], r[2], v[2], w[2];
} nt_signal_gradient;

double nt_signal_value(const nt_signal *signal, const nt_view *view);
void nt_signal_differentiate(const nt_signal *signal, const nt_view *view,
                             nt_signal_gradient *gradient);

/* ---- elements ------------------------------------------------------------------------------- */

typedef struct nt_element nt_element;
struct nt_joint;

/* A section of the file that holds elements, and what one of them is called. */
typedef struct nt_section {
    const char *name, *word;
} nt_section;
extern const nt_section nt_joint_section, nt_force_section, nt_contact_section;

/* A type of joint, force or contact: one constant descriptor per file. Its data are numbers of a
 * run (run.h) and start with `unsigned given`. What is said of a model or asked of it (rows, words)
 * does not change with parameters. */
typedef struct nt_element_type {
    const nt_section *section;
    const char *name, *summary;
    const nt_key *keys;   /* terminated by a key without a name */
    size_t size;          /* of the data */
    unsigned part;        /* NT_EXPLICIT or NT_IMPLICIT where the model says nothing         */
    bool rotates, slides; /* it has a free angle, a free displacement */
    bool touches;         /* its force begins where surfaces touch: not smooth there */
    /* Number of holonomic multipliers (0 for forces and penalty joints), and of nonholonomic ones
     * (NULL: none). Where rows of an element are numbered, the holonomic ones come first. */
    int (*rows)(const nt_model *model, const nt_element *element);
    int (*rates)(const nt_model *model, const nt_element *element);
    /* Derived numbers from the given values and the initial placement of bodies; called again after
     * parameters change (validate false). */
    nt_status (*prepare)(nt_run *run, const nt_element *element, bool validate, nt_error *error);
    /* Add the blocks it will write to the pattern and remember the slots. */
    nt_status (*declare)(nt_model *model, nt_element *element, nt_pattern *pattern);
    /* Add residual, rows and matrix terms, or energies. NT_NOT_FINITE and the like on failure. */
    nt_status (*evaluate)(const nt_element *element, const nt_view *view);
    /* Whether its force depends on velocities; NULL: never. */
    bool (*depends_on_rates)(const nt_run *run, const nt_element *element);
    /* Entries of discrete memory it owns, their initial values and their update. */
    int n_memory;
    void (*accept)(const nt_element *element, const nt_view *view, double *next);
    /* What row i is (holonomic, then nonholonomic): quantity, and words such as "force along x". */
    nt_quantity (*row_quantity)(const nt_model *model, const nt_element *element, int row);
    const char *(*row_name)(const nt_model *model, const nt_element *element, int row);
    /* Force on B at the joint and torque on B, ground axes (joints). */
    void (*reaction)(const nt_element *element, const nt_view *view, v3 *force, v3 *torque);
    /* What it is as a joint of rows between points and triads (joint.h); NULL: no such joint. */
    const struct nt_joint *(*as_joint)(const nt_run *run, const nt_element *element);
    /* Where it is at the initial placement, ground axes; NULL: at no place of its own. */
    v3 (*site)(const nt_run *run, const nt_element *element);
    /* Whether its formulas are the same everywhere; NULL: yes. */
    bool (*is_smooth)(const nt_run *run, const nt_element *element);
    /* Whether its forces can do work that no potential accounts for; NULL: yes. */
    bool (*does_work)(const nt_model *model, const nt_element *element);
    bool only_takes; /* that work is never positive: dampers, friction */
} nt_element_type;

/* An element of a model: fixed when the model is built. */
struct nt_element {
    const nt_element_type *type;
    const char *name;
    nt_place place;
    size_t data;      /* where its data begin among the numbers of a run */
    unsigned part;    /* the share of f that its forces belong to: NT_EXPLICIT or NT_IMPLICIT */
    int a, b;         /* bodies acted on; for one-body loads a is the ground and b the body */
    int first_row;    /* of its holonomic rows and multipliers; -1 for none                 */
    int n_rows, node; /* their number, their node or -1                                     */
    int first_rate;   /* of its nonholonomic rows and multipliers, after all nh; -1 for none */
    int n_rates, rate_node;
    int memory; /* first entry in the discrete memory                                  */
    /* Slots between the nodes [T_A R_A T_B R_B holonomic nonholonomic]; -1 where a node does not
     * exist. */
    int slot[6][6];
};

/* The key `part`: which share of f = f_A + f_B (system.h) the forces of an element belong to. An
 * int `field` of the data struct `type`; otherwise: the default, in words. */
enum { NT_BIT_PART = 31 };
#define NT_GIVEN_PART (1u << NT_BIT_PART)
extern const char *const nt_part_names[];
#define NT_KEY_PART(type_, field, bit_, otherwise)                                                 \
    {                                                                                              \
        .name = "part", .type = NT_KEY_CHOICE, .offset = offsetof(type_, field), .bit = bit_,      \
        .choices = nt_part_names,                                                                  \
        .meaning = "how methods that split the forces treat this one; default " otherwise          \
    }

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

static inline const struct nt_joint *nt_element_as_joint(const nt_run *run, const nt_element *e)
{
    return e->type->as_joint ? e->type->as_joint(run, e) : NULL;
}

/* Fill in the bodies that an element acts on, as its keys name them. */
void nt_element_bind(const nt_model *model, nt_element *element);

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

/* The registry of element types. */
extern const nt_element_type *const nt_element_types[];
extern const int nt_element_type_count;

#endif
