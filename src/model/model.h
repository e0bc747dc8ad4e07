/* The model: data, and the system made of it. Internal to the model, input and output layers. */
#ifndef NUTATE_MODEL_MODEL_H
#define NUTATE_MODEL_MODEL_H

#include "base/arena.h"
#include "base/vector3.h"
#include "model/expression.h"
#include "model/table.h"

#include <nutate/model.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- keys of the model file -------------------------------------------------------------------
 */

typedef enum nt_key_type {
    NT_KEY_NUMBER,    /* double: an expression of the parameters                             */
    NT_KEY_NUMBERS,   /* low..high doubles at offset, their number in an int at count_offset */
    NT_KEY_MATRIX,    /* rows x rows doubles, a list of lists or one flat list; rows = high  */
    NT_KEY_FUNCTION,  /* nt_expression *: of t, parameters and recorded quantities           */
    NT_KEY_FUNCTIONS, /* high of them                                                        */
    NT_KEY_BODY,      /* int                                                                 */
    NT_KEY_BODIES,    /* int[2]: [A, B]                                                      */
    NT_KEY_POINT,     /* nt_place_of_point: [x, y, z] or a marker's name                     */
    NT_KEY_POINTS,    /* nt_place_of_point[2]                                                */
    NT_KEY_AXES,      /* double[2][3]                                                        */
    NT_KEY_JOINT,     /* int: index into model->elements                                     */
    NT_KEY_CHOICE,    /* int: index into choices                                             */
    NT_KEY_BOOLEAN,   /* int                                                                 */
    NT_KEY_TEXT,      /* const char *                                                        */
    NT_KEY_GROUP,     /* a mapping of its own: keys in `group`, offsets from the same data   */
} nt_key_type;

/* One key. Tables of these make the reader, the JSON Schema and the reference page. `bit` is the
 * key's number in the `given` mask (a uint32_t at the start of the data). */
typedef struct nt_key {
    const char *name;
    nt_key_type type;
    size_t offset;
    int bit;
    int low, high;       /* count range of NUMBERS; rows of MATRIX; count of FUNCTIONS */
    size_t count_offset; /* NUMBERS: where the count goes                               */
    bool required;
    bool relative;     /* its numbers are as large as the largest of them (a direction, a mass), not
                          as lengths of the model are: for the steps of differences */
    const char *needs; /* the key of the same mapping without which this one says nothing */
    const char *const *choices; /* NULL-terminated */
    const struct nt_key *group; /* terminated by a key without a name */
    const char *unit;
    const char *meaning;
} nt_key;

typedef struct nt_place {
    int line, column;
} nt_place;

/* Where a key of the file stands, by its dotted path. */
typedef struct nt_key_place {
    const char *path;
    nt_place place;
} nt_key_place;

/* A point as the file gives it: coordinates, or a marker (index, -1 for none). */
typedef struct nt_place_of_point {
    double at[3];
    int marker;
} nt_place_of_point;

/* ---- bodies -----------------------------------------------------------------------------------
 */

enum { /* bits of nt_body.given */
       NT_GIVEN_MASS = 1 << 0,
       NT_GIVEN_INERTIA = 1 << 1,
       NT_GIVEN_CENTER = 1 << 2,
       NT_GIVEN_POSITION = 1 << 3,
       NT_GIVEN_QUATERNION = 1 << 4,
       NT_GIVEN_ROTATION_VECTOR = 1 << 5,
       NT_GIVEN_AXIS = 1 << 6,
       NT_GIVEN_ANGLE = 1 << 7,
       NT_GIVEN_MATRIX = 1 << 8,
       NT_GIVEN_VELOCITY = 1 << 9,
       NT_GIVEN_ANGULAR_VELOCITY = 1 << 10,
       NT_GIVEN_VELOCITY_FRAME = 1 << 11,
       NT_GIVEN_FIXED_POINT = 1 << 12,
       NT_GIVEN_POINT = 1 << 13,
       NT_GIVEN_ORIENTATION =
           NT_GIVEN_QUATERNION | NT_GIVEN_ROTATION_VECTOR | NT_GIVEN_AXIS | NT_GIVEN_MATRIX,
};

/* Body 0 is the ground: no nodes, never moves. A body's reference point is its centre of mass, or
 * its fixed point; `x` of the state is the reference point's position.
 *
 * A point (`point: true`) is a body without rotation: it has no node, no unknowns and no state of
 * one, and its motion has R = I, w = 0 for ever. Elements are written for bodies that turn; what
 * they add to a rotation goes nowhere where there is none. So that nothing is lost that way, no
 * element may act on a point but at its place: elements refuse whatever would turn it. */
typedef struct nt_body {
    unsigned given;

    /* what every evaluation reads, together: the state's layout, and derived values */
    int t_node, r_node; /* nodes of the pattern; -1 where there is none                      */
    int q, v;           /* first entry in q and v: translation then rotation                 */
    int rotation;       /* number of the rotation in the space, -1 for the ground, for points */
    int tt_slot, rr_slot;
    int tt_scaled; /* nothing but the mass is in the block of the translation                 */
    double mass;
    m3 J; /* inertia about the reference point, body axes                                    */

    /* derived by nt_body_prepare */
    v3 reference; /* of the reference point from the origin, body axes                       */
    v3 center;    /* of the centre of mass from the reference point, body axes               */
    v3 x0;        /* initial reference position (after assembly), ground axes                */
    quat q0;      /* initial orientation (after assembly)                                    */
    v3 v0, w0;    /* initial velocity of the reference point, angular velocity; ground axes  */

    /* as the file gives it (keys in body.c) */
    double inertia[6]; /* about the centre of mass, body axes: xx yy zz xy xz yz */
    int inertia_count; /* 3 or 6 */
    double center_of_mass[3];
    double position[3];
    union { /* the one orientation that is given */
        double quaternion[4], rotation_vector[3], matrix[9];
        struct {
            double axis[3], angle;
        };
    };
    double velocity[3], angular_velocity[3];
    int angular_velocity_frame; /* 0 body, 1 ground */
    double fixed_point[3];
    int point; /* true: without rotation */

    const char *name;
    nt_place place;
} nt_body;

extern const nt_key nt_body_keys[];

/* Derived values from the given ones. validate: check mass, inertia, unit axes (derivatives in
 * parameters perturb without). */
nt_status nt_body_prepare(nt_body *body, const char *file, bool validate, nt_error *error);

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

/* Everything an element sees while it adds its terms. */
typedef struct nt_view {
    const struct nt_model *model;
    const nt_motion *motion; /* [n_bodies], ground first                                   */
    const nt_body *bodies;
    const nt_point *at;
    const nt_terms *terms;
    const double *lambda;    /* [nh + nn] multipliers, holonomic then nonholonomic        */
    const double *variables; /* of expressions: parameters, t, signals                     */
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

/* A type of joint, force or contact: one constant descriptor per file. Data starts with `unsigned
 * given`. */
typedef struct nt_element_type {
    const char *section, *name, *summary;
    const nt_key *keys; /* terminated by a key without a name */
    size_t size;        /* of the data */
    unsigned part;      /* NT_EXPLICIT or NT_IMPLICIT where the model says nothing         */
    /* Number of holonomic multipliers (0 for forces and penalty joints), and of nonholonomic ones
     * (NULL: none). Where rows of an element are numbered, the holonomic ones come first. */
    int (*rows)(const nt_element *element);
    int (*rates)(const nt_element *element);
    /* Derived constants from the given values and the initial placement of bodies; called again
     * after parameters change (validate false). */
    nt_status (*prepare)(struct nt_model *model, nt_element *element, bool validate,
                         nt_error *error);
    /* Add the blocks it will write to the pattern and remember the slots. */
    nt_status (*declare)(struct nt_model *model, nt_element *element, nt_pattern *pattern);
    /* Add residual, rows and matrix terms, or energies. NT_NOT_FINITE and the like on failure. */
    nt_status (*evaluate)(const nt_element *element, const nt_view *view);
    /* Whether its force depends on velocities; NULL: never. */
    bool (*depends_on_rates)(const struct nt_model *model, const nt_element *element);
    /* Entries of discrete memory it owns, their initial values and their update. */
    int n_memory;
    void (*accept)(const nt_element *element, const nt_view *view, double *next);
    /* What row i is (holonomic, then nonholonomic): quantity, and words such as "force along x". */
    nt_quantity (*row_quantity)(const nt_element *element, int row);
    const char *(*row_name)(const nt_element *element, int row);
    /* Force on B at the joint and torque on B, ground axes (joints). */
    void (*reaction)(const nt_element *element, const nt_view *view, v3 *force, v3 *torque);
} nt_element_type;

struct nt_element {
    const nt_element_type *type;
    const char *name;
    nt_place place;
    void *data;
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
unsigned nt_element_part(const nt_element *element);

/* "joint", "force", "contact" */
const char *nt_element_word(const nt_element *element);

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

/* ---- markers, parameters, bindings ---------------------------------------------------------- */

typedef struct nt_marker {
    unsigned given;
    int on;
    double at[3]; /* from the body's origin, body axes */
    const char *name;
    nt_place place;
} nt_marker;

/* A number of the model that is an expression of parameters: evaluated anew when they change. */
typedef struct nt_binding {
    const nt_expression *expression;
    double *target;
    const double
        *among; /* [n_among] numbers of a relative key, the target one of them; else NULL */
    int n_among;
} nt_binding;

typedef struct nt_parameter {
    const char *name;
    nt_place place;
    double value;
    const nt_expression *expression; /* of earlier parameters; NULL for a plain number */
    double asked;                    /* the value that was given for it last            */
    bool taken;                      /* that value was taken instead of the expression's */
} nt_parameter;

/* What stands in a function of time or of signals while one parameter is varied: its value on the
 * straight line, function + s (derivative of the function in the parameter), so that differences
 * along it are exact however the function curves (parameter_tangent.c). */
typedef struct nt_straight {
    const double *base, *rates; /* [as variables] values and their derivatives          */
    double share;               /* of the value itself, 1 or 0                          */
    double s;
    double motion[3]; /* derivatives of f, f', f'' of the joint that is evaluated */
} nt_straight;

/* A scalar of a run, from the file. Variables of the expression: parameter i is i, t is
 * n_parameters, column k of the model's objective columns is n_parameters + 1 + k. */
typedef struct nt_objective {
    unsigned given;
    int type; /* nt_objective_type */
    const nt_expression *of;
    const char *name;
    nt_place place;
} nt_objective;

/* A table that a file holds, by the file's name in the model. */
typedef struct nt_table_file {
    struct nt_table_file *next;
    const char *name;
    const nt_table *table;
} nt_table_file;

struct nt_model {
    nt_arena arena;
    const char *file, *title;
    char *text; /* [text_length], terminated; owned */
    size_t text_length;

    double gravity[3];
    double length; /* m, see nt_model_length */

    nt_parameter *parameters;
    int n_parameters;
    nt_body *bodies; /* [n_bodies], ground first */
    int n_bodies;
    nt_marker *markers;
    int n_markers;
    nt_element *elements; /* joints, then forces, then contacts; by type in file order */
    int n_elements, n_joints, n_contacts;
    nt_signal *signals;
    int n_signals;
    nt_table_file *table_files; /* the one that was read last first */
    nt_binding *bindings;
    int n_bindings;
    bool correct_initial;
    nt_objective *objectives;
    int n_objectives;
    nt_quantity_info *objective_columns; /* of one column each */
    int n_objective_columns;
    struct nt_objective_work *objective_work; /* objective.c; NULL before the first look */

    nt_simulation simulation;
    char *corrections;

    /* the system */
    nt_system system;
    nt_pattern pattern;
    nt_quantity *v_quantity, *row_quantity;
    double *initial_q, *initial_v, *initial_memory;
    double *variables;   /* [n_parameters + 1 + n_signals]: parameters, t, signals */
    double *time_rate;   /* [the same] 1 for t, 0 else: the direction of time */
    double *zeros;       /* [the same] */
    nt_motion *motion;   /* [n_bodies] */
    double *multipliers; /* [nh + nn] */
    const char **parameter_names;
    double *parameter_scale; /* [n_parameters] |value|, 1 for zero */
    nt_momenta momenta;
    double *mass, *inertia; /* behind momenta */
    int *redundant;         /* [n_redundant] rows, of nh + nn, that depend on others at the start */
    int n_redundant;
    struct nt_key_place *key_places; /* [n_key_places] of what a run computes, in the file */
    int n_key_places;
    const nt_element *failed; /* the element whose evaluation failed last, NULL for none */

    /* derivatives in parameters (parameter.h) */
    struct nt_parameter_rates *rates;      /* [n_parameters]                                    */
    const nt_straight *straight;           /* NULL but while an element is varied               */
    double *variables_base;                /* [as variables] while one is varied                */
    double *variables_scratch;             /* [the same]                                        */
    double *varied_residual, *varied_rows; /* [nv], [nh + nn]; [0] without parameters */
    double parameter_error;                /* see nt_model_parameter_error */
};

/* Make the system of a model whose bodies, elements, parameters and signals are filled in: derived
 * values, layout, pattern, assembly of positions, consistent velocities. The reader calls this. */
nt_status nt_model_build(nt_model *model, nt_error *error);

/* Numbers from their expressions and all derived values, at the present parameters. */
nt_status nt_model_prepare(nt_model *model, bool validate, nt_error *error);
/* Derived values alone, from the numbers as they stand. */
nt_status nt_model_prepare_derived(nt_model *model, bool validate, nt_error *error);
/* What the system promises of its forces at the present values: a damper may have become one. */
void nt_model_renew_promises(nt_model *model);

/* Expression variables: parameter i is i, t is n_parameters, signal k is n_parameters + 1 + k. */
static inline int nt_model_time_variable(const nt_model *model) { return model->n_parameters; }

#endif
