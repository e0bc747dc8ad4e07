/* Elements: joints, forces and contacts. What one is, and what it sees while it is evaluated. */
#ifndef NUTATE_MODEL_ELEMENT_H
#define NUTATE_MODEL_ELEMENT_H

#include "model/body_numbers.h"
#include "model/key.h"

#include <nutate/model.h>
#include <string.h>

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

struct nt_local;

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
    struct nt_local *local;  /* where it adds its terms                                    */
    int pair[2];       /* ports of the translations of what stands for A and B: NT_T_A and NT_T_B */
    nt_energy *energy; /* not NULL: add energies and power instead of terms          */
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

/* ---- signals: recorded quantities that loads may depend on ----------------------------------- */

/* One number of a quantity (quantity_kind.h) and the bodies that it depends on. */
typedef struct nt_signal {
    int kind, object, component;
    int bodies[2]; /* -1 for none */
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
    bool leaves_place;    /* it alone does not say where its bodies are: they are looked for */
    /* Number of holonomic multipliers (0 for forces and penalty joints), and of nonholonomic ones
     * (NULL: none). Where rows of an element are numbered, the holonomic ones come first. */
    int (*rows)(const nt_model *model, const nt_element *element);
    int (*rates)(const nt_model *model, const nt_element *element);
    /* Derived numbers from the given values and the initial placement of bodies; called again after
     * parameters change (validate false). */
    nt_status (*prepare)(nt_run *run, const nt_element *element, bool validate, nt_error *error);
    /* Further ports, and the blocks between ports. */
    nt_status (*declare)(nt_model *model, nt_element *element);
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
    /* The initial placement is found: where angles begin. NULL: nothing does. */
    void (*align)(nt_run *run, const nt_element *element);
    /* Where it is at the initial placement, ground axes; NULL: at no place of its own. */
    v3 (*site)(const nt_run *run, const nt_element *element);
    /* Whether its formulas are the same everywhere; NULL: yes. */
    bool (*is_smooth)(const nt_run *run, const nt_element *element);
    /* Whether its forces can do work that no potential accounts for; NULL: yes. */
    bool (*does_work)(const nt_model *model, const nt_element *element);
    bool only_takes; /* that work is never positive: dampers, friction */
} nt_element_type;

/* A node that an element adds terms to and takes derivatives in: the translation or the rotation of
 * a body, its own multipliers. */
typedef struct nt_port {
    int node;  /* of the pattern; -1 where there is none: the ground, the rotation of a point     */
    int first; /* its first entry among v, or its first multiplier                                */
    int size;  /* entries, 0 without a node                                                       */
    int start; /* its first entry among those of all ports                                        */
} nt_port;

/* Ports that every element has; further ones follow, in any number. */
enum {
    NT_T_A, /* translation and rotation of A and B */
    NT_R_A,
    NT_T_B,
    NT_R_B,
    NT_ROWS,  /* holonomic multipliers    */
    NT_RATES, /* nonholonomic multipliers */
    NT_PORTS
};

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
    int memory;        /* first entry in the discrete memory */
    int last_body;     /* the highest number of a body that it looks at */
    int n_ports, size; /* size: entries of all ports */
    nt_port *ports;    /* [n_ports] */
    int *slot;         /* [n_ports][n_ports] blocks between them; -1 where there is none */
};

/* The terms of one element, by its ports: it adds to these, and a gather adds them to those of the
 * system, one element after the other. So every sum has its terms in the same order, however the
 * elements are evaluated. */
typedef struct nt_local {
    const nt_element *element;
    double *residual; /* [element->size], where it has pushed                                    */
    bool has_pushed;
    double *blocks; /* [element->size^2] one block after the other, row by row of ports      */
    short *touched; /* [n_touched] numbers of blocks (row n_ports + column) that hold anything */
    int n_touched;
    bool *is_touched; /* [n_ports^2] */
    bool apart;       /* elements are evaluated side by side: nothing may be added elsewhere */
} nt_local;

/* The block of a row port and a column port, to add to; NULL where there is none. */
static inline double *nt_view_block(const nt_view *view, int row, int column)
{
    nt_local *local = view->local;
    const nt_element *e = local->element;
    int number = row * e->n_ports + column;
    const nt_port *i = &e->ports[row], *j = &e->ports[column];
    if (e->slot[number] < 0)
        return NULL;
    double *block = local->blocks + e->size * i->start + i->size * j->start;
    if (!local->is_touched[number]) {
        local->is_touched[number] = true;
        local->touched[local->n_touched++] = (short)number;
        memset(block, 0, (size_t)(i->size * j->size) * sizeof *block);
    }
    return block;
}

/* The port of A or B, one of NT_T_A to NT_R_B, for terms that are written for any two bodies. */
static inline int nt_view_port(const nt_view *view, int port)
{
    return view->pair[port / 2] + port % 2;
}

/* Add a 3 x 3 block. */
static inline void nt_view_add(const nt_view *view, int row, int column, m3 block)
{
    double *to = nt_view_block(view, row, column);
    if (to)
        m3_accumulate(to, block);
}

/* Add a force to the residual of a translation, a moment to that of a rotation. */
static inline void nt_view_force(const nt_view *view, int port, v3 f)
{
    nt_local *local = view->local;
    const nt_port *to = &local->element->ports[port];
    if (!local->has_pushed)
        memset(local->residual, 0, (size_t)local->element->size * sizeof *local->residual);
    local->has_pushed = true;
    if (to->node >= 0)
        v3_accumulate(local->residual + to->start, f);
}

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

/* Whether it has a free angle, once its keys are read: not where one of its bodies is a point. */
bool nt_element_rotates(const nt_model *model, const nt_element *element);

/* For `declare`. The ports of a body's translation and of its rotation, the next one; added where
 * they are new; -1: memory is out. All ports come before the first block. */
int nt_element_port_of_body(nt_model *model, nt_element *element, int body);
/* Terms in a row port have derivatives in a column port: nothing where one of them has no node. */
nt_status nt_element_couple(nt_model *model, nt_element *element, int row, int column,
                            nt_block_shape shape);

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
