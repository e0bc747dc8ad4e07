/* Elements: the types of joints, forces and contacts, and how to write one.
 *
 * A type is one constant descriptor. Its data, a struct that begins with `unsigned given`, hold
 * what the model file says by the type's table of keys, and numbers that follow from it
 * (`prepare`). All data of a run lie in one piece that runs copy, so they hold numbers and places,
 * and no pointers but to what never changes; lists of any length stand behind the struct
 * (NT_KEY_ARRAY). So whatever a parameter can enter is seen, and has its derivative: as a double,
 * on an address that eight divides. A number that follows a parameter and stands anywhere else, or
 * as a float or an integer, is found out: nt_run_prepare_parameters refuses the parameter and names
 * the element, and sensitivities take differences of the whole residual.
 *
 * An element adds to a residual and to blocks of its own, by ports: the translations (force, N;
 * entries of v, m/s) and rotations (moment, N m; rad/s, ground axes) of any number of bodies, its
 * multipliers, and coordinates of its own. It may have inertia. The library gathers these in the
 * order of elements. With R = M vdot - f a force f on a body adds -f.
 *
 * Threads: `evaluate` may be called for several elements at the same time; it writes nothing but
 * through the view. The other functions are called by the thread that reads the model or owns the
 * run. */
#ifndef NUTATE_ELEMENT_H
#define NUTATE_ELEMENT_H

#include <nutate/model.h>
#include <nutate/vector.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header's structs. A type says for which one it was written. */
#define NT_ELEMENT_VERSION 5

/* ---- keys of the model file -------------------------------------------------------------------
 */

typedef enum nt_key_type {
    NT_KEY_NUMBER,    /* double: an expression of the parameters                             */
    NT_KEY_NUMBERS,   /* low..high doubles at offset, their number in an int at count_offset */
    NT_KEY_ARRAY,     /* nt_array at offset: a list of any length of numbers, or of lists of `low`
                         numbers, with room for `high` in each row: the given ones come first;
                         with a group: of mappings, rows structs of `high` doubles' size       */
    NT_KEY_MATRIX,    /* rows x rows doubles, a list of lists or one flat list; rows = high  */
    NT_KEY_FUNCTION,  /* nt_expression *: of t, parameters and recorded quantities           */
    NT_KEY_FUNCTIONS, /* high of them                                                        */
    NT_KEY_ROUTE,     /* nt_route: low or more points of bodies                              */
    NT_KEY_LAW,       /* nt_law: a number, or a function as above                            */
    NT_KEY_BODY,      /* int                                                                 */
    NT_KEY_BODIES,    /* int[2]: [A, B]                                                      */
    NT_KEY_POINT,     /* nt_place_of_point: [x, y, z] or a marker's name                     */
    NT_KEY_POINTS,    /* nt_place_of_point[2]                                                */
    NT_KEY_AXES,      /* double[2][3]                                                        */
    NT_KEY_JOINT,     /* int: index into model->elements                                     */
    NT_KEY_JOINTS,    /* int[2]: the same of two                                             */
    NT_KEY_CHOICE,    /* int: index into choices                                             */
    NT_KEY_BOOLEAN,   /* int                                                                 */
    NT_KEY_TEXT,      /* const char *                                                        */
    NT_KEY_GROUP,     /* a mapping of its own: keys in `group`, offsets from the same data   */
    NT_KEY_SHAPES,    /* const struct nt_shapes *: what something looks like                 */
    NT_KEY_ROWS,      /* nt_rows: lists of `low` functions, `high` of them, 0: three or more */
    NT_KEY_COLOR,     /* const char *: "#rrggbb"                                             */
    NT_KEY_BEAM,      /* int: index into model->elements                                     */
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
    bool up_to;          /* NUMBERS: any count from low to high, not one of the two;
                            BODIES: they may be one                                       */
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

/* Numbers behind an element's data: count rows. */
typedef struct nt_array {
    int count;
    int place; /* of the first, bytes from the begin of the data */
} nt_array;

static inline double *nt_array_of(void *data, const nt_array *array)
{
    return (double *)(void *)((char *)data + array->place);
}
static inline const double *nt_array_in(const void *data, const nt_array *array)
{
    return (const double *)(const void *)((const char *)data + array->place);
}

/* A point as the file gives it: coordinates, or a marker (index, -1 for none). */
typedef struct nt_place_of_point {
    double at[3];
    int marker;
} nt_place_of_point;

/* Points of bodies, one after the other. */
enum { NT_ROUTE_POINTS = 12 };
typedef struct nt_route {
    int n;
    int body[NT_ROUTE_POINTS];
    nt_place_of_point point[NT_ROUTE_POINTS];
} nt_route;

struct nt_expression;

/* Lists of functions, all of one length. */
typedef struct nt_rows {
    const struct nt_expression *const *item; /* [n][columns] */
    int n;
} nt_rows;

/* A number that parameters may enter, or, where it depends on t or on recorded quantities, a
 * function of them (then the number is 0). */
typedef struct nt_law {
    double value;
    const struct nt_expression *function; /* NULL: a number */
} nt_law;

/* ---- a point of the motion --------------------------------------------------------------------
 */

typedef struct nt_motion {
    nt_v3 x;        /* of the reference point (centre of mass or fixed point), ground axes, m  */
    nt_m3 R;        /* body axes to ground axes                                                */
    nt_v3 v, w;     /* velocity of it, m/s; angular velocity, rad/s; ground axes               */
    nt_v3 a, alpha; /* their derivatives                                                       */
} nt_motion;

struct nt_local;

/* Everything an element sees while it adds its terms. */
typedef struct nt_view {
    const nt_run *run;
    const nt_model *model;
    const nt_motion *motion; /* [n_bodies], ground first                                   */
    const struct nt_body *bodies;
    const nt_point *at;
    const nt_terms *terms;
    const double *lambda;    /* [nh + nn] multipliers, holonomic then nonholonomic        */
    const double *variables; /* of expressions: parameters, t, signals                     */
    double *scratch;         /* [model->scratch] lost between two elements                 */
    struct nt_local *local;  /* where it adds its terms                                    */
    int pair[2];       /* ports of the translations of what stands for A and B: NT_T_A and NT_T_B */
    nt_energy *energy; /* not NULL: add energies and power instead of terms          */
} nt_view;

/* ---- how an element is drawn -------------------------------------------------------------------
 */

/* docs/results.md, "The scene", says how each looks and what its points and axes are. */
typedef enum nt_drawing {
    NT_DRAW_NOTHING,
    NT_DRAW_WELD,    /* holds everything                          */
    NT_DRAW_BALL,    /* holds a point                             */
    NT_DRAW_PIN,     /* turns about an axis                       */
    NT_DRAW_RAIL,    /* slides along an axis                      */
    NT_DRAW_SLEEVE,  /* slides along an axis and turns about it   */
    NT_DRAW_CROSS,   /* turns about two axes                      */
    NT_DRAW_PLATE,   /* slides on a plane; the axis is its normal */
    NT_DRAW_GUIDE,   /* a point on a line                         */
    NT_DRAW_AXES,    /* keeps a direction                         */
    NT_DRAW_ROD,     /* a straight line between two points        */
    NT_DRAW_SCREW,   /* slides along an axis as it turns about it */
    NT_DRAW_SPRING,  /* a coil between two points                 */
    NT_DRAW_COIL,    /* a coil about the axis of a joint          */
    NT_DRAW_BUSH,    /* an elastic sleeve                         */
    NT_DRAW_ROPE,    /* a line over its points                    */
    NT_DRAW_FORCE,   /* an arrow                                  */
    NT_DRAW_TORQUE,  /* an arrow that turns                       */
    NT_DRAW_CONTACT, /* an arrow where surfaces press             */
    NT_DRAW_SPHERE,  /* a solid of the body                       */
    NT_DRAW_DISK,    /* the same, round about the axis            */
    NT_DRAW_RING,    /* the same, with a bore                     */
    NT_DRAW_BEAM,    /* a line through bodies that follow each other */
    NT_DRAWINGS
} nt_drawing;

/* Points of bodies, from the reference point in body axes, m, each with an axis of that body: a
 * unit vector, or zero for none. */
typedef struct nt_sketch {
    nt_drawing drawing;
    int n; /* points, 0 of a beam */
    int body[NT_ROUTE_POINTS];
    nt_v3 at[NT_ROUTE_POINTS], axis[NT_ROUTE_POINTS];
    double size[3]; /* m: radius; of a disk or a ring radius, width, bore; of a beam's section
                       radius, or width and height; 0: not known  */
    /* of a beam: its bodies, what the file draws it as, and axis[0]: axis 2 of its first section */
    int first, count;
    const struct nt_shapes *shapes;
} nt_sketch;
typedef void nt_sketch_put(void *to, const nt_sketch *sketch);

static inline void nt_sketch_add(nt_sketch *sketch, int body, nt_v3 at, nt_v3 axis)
{
    int i = sketch->n++;
    sketch->body[i] = body;
    sketch->at[i] = at;
    sketch->axis[i] = axis;
}

/* ---- types ------------------------------------------------------------------------------------
 */

typedef struct nt_element nt_element;
struct nt_joint;
struct nt_contact;

/* A section of the file that holds elements, and what one of them is called. */
typedef struct nt_section {
    const char *name, *word;
    bool one_type;     /* which its members need not name */
    bool open;         /* programs may add types to it */
    bool joins;        /* its members are joints */
    bool pushes;       /* its members are forces */
    const char *notes; /* what keys do not tell, for the reference page; NULL: nothing */
} nt_section;
NT_API extern const nt_section nt_joint_section;
NT_API extern const nt_section nt_force_section;
NT_API extern const nt_section nt_contact_section;
NT_API extern const nt_section nt_bearing_section;

/* What a load acts along, so that it has a coordinate, its rate and a load along it to record. */
typedef enum nt_along {
    NT_ALONG_NOTHING,
    NT_ALONG_LINE,         /* between two points: length, rate, tension     */
    NT_ALONG_ANGLE,        /* of a joint: angle, rate, moment               */
    NT_ALONG_WAY,          /* over points: length, rate, tension at both ends */
    NT_ALONG_AIR,          /* moving air: airspeed, angle of attack */
    NT_ALONG_DISPLACEMENT, /* of a joint: displacement, rate, thrust        */
} nt_along;

/* How an element's memory changes in `accept`, for derivatives: those of what an element remembers
 * are found by differences of its `accept` and of its terms, unless it says that there are none. */
typedef enum nt_memory_kind {
    NT_MEMORY_VARIES, /* it depends on the motion and on parameters, as a largest stretch so far */
    NT_MEMORY_COUNTS, /* it only picks branches, as a number of turns does                       */
    NT_MEMORY_KEEPS,  /* `accept` leaves it as it was; `at_stop` changes it                      */
} nt_memory_kind;

/* A type of joint, force or contact: one constant descriptor per file. Its data are numbers of a
 * run (run.h) and start with `unsigned given`. What is said of a model or asked of it (rows, words)
 * does not change with parameters.
 *
 * Every type has `version`, `section` (one of the four above that is open: joints, forces,
 * contacts), `name`, `summary`, `keys`, `size`, `prepare`, `declare` and `evaluate`, and without
 * rows `part`. What some parts need besides: `rows` or `rates` need `row_quantity` and `row_name`;
 * `has_inertia` needs `momentum`; `n_memory` needs `accept`; `own_bodies` needs `settle`; `initial`
 * needs `coordinates`; `stop_after` and `at_stop` come together. Everything else may be left out,
 * NULL, 0 or false. nt_element_type_add refuses a type that lacks something, and says what. */
typedef struct nt_element_type {
    int version; /* NT_ELEMENT_VERSION */
    const nt_section *section;
    const char *name, *summary;
    const char *picture, *notes; /* for the reference page: a drawing in letters, and what keys do
                                    not tell; NULL: nothing */
    const nt_key *keys;          /* terminated by a key without a name */
    size_t size;                 /* of the data */
    unsigned part;        /* NT_EXPLICIT or NT_IMPLICIT where the model says nothing         */
    bool rotates, slides; /* it has a free angle, a free displacement */
    bool touches;         /* its force begins where surfaces touch: not smooth there */
    bool leaves_place;    /* it alone does not say where its bodies are: they are looked for */
    /* Values of keys that the file leaves out; before the keys are read. NULL: zeros. */
    void (*defaults)(void *data);
    /* Numbers of bodies that it brings itself, before bodies are prepared; NULL: it brings none.
     * Then `settle`, which gives them their place and velocities, once all others have theirs. */
    nt_status (*own_bodies)(nt_run *run, const nt_element *element, bool validate, nt_error *error);
    nt_status (*settle)(nt_run *run, const nt_element *element);
    /* Number of holonomic multipliers (0 for penalty joints), and of nonholonomic ones; NULL:
     * none. Where rows of an element are numbered, the holonomic ones come first. */
    int (*rows)(const nt_model *model, const nt_element *element);
    int (*rates)(const nt_model *model, const nt_element *element);
    /* Number of coordinates of its own, entries of v beside those of bodies; NULL: none. They are
     * R^n with positions in q, or of first order, x' = g without positions (system.h). Their
     * accelerations, x' too, are of NT_MASS: they are added where terms.parts has it. */
    int (*coordinates)(const nt_model *model, const nt_element *element);
    bool first_order;
    /* Where they begin: q (not of first order) and v, [n]. NULL: at zero. */
    void (*initial)(const nt_run *run, const nt_element *element, double *q, double *v);
    /* What coordinate i is: words such as "elongation", "" for the element itself. NULL: numbers.
     */
    const char *(*coordinate_name)(const nt_model *model, const nt_element *element, int i);
    /* It adds terms of NT_MASS with accelerations of bodies or of coordinates of its own; x' of
     * first order is none of these. */
    bool has_inertia;
    /* With inertia: its momentum (kg m/s) and angular momentum about the origin (kg m^2/s), ground
     * axes, are added. */
    void (*momentum)(const nt_element *element, const nt_view *view, nt_v3 *p, nt_v3 *L);
    /* Derived numbers from the given values and the initial placement of bodies; called again after
     * parameters change (validate false). Where nothing is to be derived it returns NT_OK. */
    nt_status (*prepare)(nt_run *run, const nt_element *element, bool validate, nt_error *error);
    /* Further ports, and the blocks between ports. */
    nt_status (*declare)(nt_model *model, nt_element *element);
    /* Add residual, rows and matrix terms, or energies. NT_NOT_FINITE and the like on failure. */
    nt_status (*evaluate)(const nt_element *element, const nt_view *view);
    /* Whether its force depends on velocities; NULL: never. */
    bool (*depends_on_rates)(const nt_run *run, const nt_element *element);
    /* Numbers that it remembers (nt_view_memory), zero at first and constant within a step.
     * `accept` writes next[n_memory], its own: at the model's start, and whenever a step stands. */
    int n_memory;
    void (*accept)(const nt_element *element, const nt_view *view, double *next);
    /* What row i is (holonomic, then nonholonomic): quantity, and words such as "force along x".
     * Needed with rows or rates. */
    nt_quantity (*row_quantity)(const nt_model *model, const nt_element *element, int row);
    const char *(*row_name)(const nt_model *model, const nt_element *element, int row);
    /* Force on B and torque on B, ground axes: NAME.force and NAME.torque, which can be recorded
     * and used by loads. One line where a law says what the element does:
     * nt_element_pair_reaction, nt_element_rows_reaction. NULL: it has none to show. */
    void (*reaction)(const nt_element *element, const nt_view *view, nt_v3 *force, nt_v3 *torque);
    /* What it is as a joint of rows between points and triads (joint.h); NULL: no such joint. */
    const struct nt_joint *(*as_joint)(const nt_run *run, const nt_element *element);
    /* And as one that rolls or glides (rolling.h), which has no coordinate but can be latched. */
    const struct nt_joint *(*as_rolling)(const nt_run *run, const nt_element *element);
    /* What it is as a contact of two surfaces (contact.h); NULL: no such contact. */
    const struct nt_contact *(*as_contact)(const nt_run *run, const nt_element *element);
    /* The initial placement is found: where angles begin. NULL: nothing does. */
    void (*align)(nt_run *run, const nt_element *element);
    /* Where it is at the initial placement, ground axes; NULL: at no place of its own. */
    nt_v3 (*site)(const nt_run *run, const nt_element *element);
    /* Whether its formulas are the same everywhere; NULL: yes. */
    bool (*is_smooth)(const nt_run *run, const nt_element *element);
    /* Whether its forces can do work that no potential accounts for; NULL: yes. */
    bool (*does_work)(const nt_model *model, const nt_element *element);
    /* What a user should know of it that is taken for granted: true and words; NULL: nothing. */
    bool (*remark)(const nt_model *model, const nt_element *element, char *text, size_t size);
    /* Why it had no value at the motion that was looked at last: words for a message, "" where
     * there are none. NULL: none. */
    void (*failure)(const nt_element *element, const nt_view *view, char *text, int size);
    bool only_takes; /* that work is never positive: dampers, friction */
    /* Whether that work can be positive in this one; NULL: unless only_takes. */
    bool (*gives_energy)(const nt_model *model, const nt_element *element);
    bool proportional; /* what it adds is proportional to its functions */
    nt_along along;    /* of the library's own types alone */
    /* Of the library's own types alone: the families of quantities that it has, by bits, where
     * nothing else in this descriptor says so. */
    uint64_t shows;
    /* Of them, too: part i, from 1 on, of those that have quantities of their own, as balls of a
     * bearing: writes its name and returns its family. An empty name: there is no such part; -1:
     * the last one lies behind. NULL: it has no parts. */
    int (*part_at)(const nt_model *model, const nt_element *element, int i, char *name,
                   size_t size);
    bool carries; /* the bodies that it brings turn with the first of them: nt_system.carriers */
    bool is_load; /* its force is a load: paths of static states scale it */
    /* See nt_system.carry; view and increment are NULL where stresses are forgotten. NULL: none. */
    void (*carry)(nt_run *run, const nt_element *element, const nt_view *view,
                  const double *increment);
    /* Exchange a function for another in its data beside the keys, where it keeps it once more.
     * NULL: it keeps functions nowhere else. */
    void (*input)(void *data, const struct nt_expression *from, const struct nt_expression *to);
    size_t period; /* of its stops: where it stands among its data, bytes; 0: they have none */
    /* Known stops of its own. The first time after t at which its memory[n_memory] changes,
     * infinite where there is none; then, at a stop (view->at->t), what it becomes: false where
     * nothing is due at this time. Both NULL: it has none. Its `accept` keeps what is not due. */
    double (*stop_after)(const nt_run *run, const nt_element *element, double t,
                         const double *memory);
    bool (*at_stop)(const nt_element *element, const nt_view *view, double *memory);
    /* How it is drawn: for joints in a word, and all that there is to draw. NULL: nothing. */
    nt_drawing drawing;
    void (*draw)(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to);
    /* The force (or torque) that an arrow shows, and where; ground axes. NULL: it has none. */
    void (*arrow)(const nt_element *element, const nt_view *view, nt_v3 *point, nt_v3 *force);
    /* The potential energy of its part i, from 0 on, and what it is called; NAN behind the last
     * one. NULL: it has no parts. */
    double (*energy_part)(const nt_element *element, const nt_view *view, int i, char *name,
                          int size);
    /* Words for what its energies have noted on the way; of the library's own types alone. */
    void (*warning)(const nt_run *run, const nt_element *element, char *text, int size);
    /* Marks in lies[nv] entries of v that a static state may leave where they are, though nothing
     * holds them there: 1 of its own points that hang on nothing, as along a slack line, 2 of what
     * friction alone keeps, which creeps. NULL: there are none. */
    void (*rests)(const nt_element *element, const nt_view *view, unsigned char *lies);
    nt_memory_kind memory; /* how its n_memory numbers change */
    /* Adds to the residual's place its derivative along `rates`, which are as its data and hold the
     * derivatives of all their numbers in a parameter; bodies stay where they are. False, and
     * nothing added: differences are taken, as they are where this is NULL. */
    bool (*vary)(const nt_element *element, const nt_view *view, const void *rates);
    /* Numbers that pass zero where its force begins or ends at once with a slope: how many there
     * are, and, unless NULL, beyond[how many], m or rad: above zero where the force acts, not a
     * number where there is none. With NULL the view is NULL, too. NULL: its force has no such
     * place. See nt_system.onsets. */
    int (*onsets)(const nt_run *run, const nt_element *element, const nt_view *view,
                  double *beyond);
} nt_element_type;

/* A node that an element adds terms to and takes derivatives in: the translation or the rotation of
 * a body, its own multipliers. */
typedef struct nt_port {
    int node;  /* of the pattern; -1 where there is none: the ground, the rotation of a point     */
    int first; /* its first entry among v, or its first multiplier                                */
    int size;  /* entries, 0 without a node                                                       */
    int start; /* its first entry among those of all ports                                        */
    bool looks; /* multipliers of another element: this one's forces depend on them, no more      */
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
    size_t bytes;     /* of them, arrays included                        */
    unsigned part;    /* the share of f that its forces belong to: NT_EXPLICIT or NT_IMPLICIT */
    int a, b;         /* bodies A and B: of NT_KEY_BODIES, or of the first two NT_KEY_BODY; with one
                         of these alone, A is the ground. Further ones stand in the data only */
    int first_row;    /* of its holonomic rows and multipliers; -1 for none                 */
    int n_rows, node; /* their number, their node or -1                                     */
    int first_rate;   /* of its nonholonomic rows and multipliers, after all nh; -1 for none */
    int n_rates, rate_node;
    int n_own;                    /* coordinates of its own */
    int own_node, own_q, own_v;   /* their node, first entry among q and v; -1 for none */
    int memory;                   /* first entry in the discrete memory */
    int first_onset;              /* of nt_system.onsets */
    int last_body;                /* the highest number of a body that it looks at */
    int first_brought, n_brought; /* bodies that it brings itself */
    int n_ports, size;            /* size: entries of all ports */
    nt_port *ports;               /* [n_ports] */
    int *slot; /* [n_ports][n_ports] blocks between them; -1 where there is none */
    /* [n_couples] blocks of an element with many ports, that lists its blocks: then `slot` is NULL
     */
    int *couple;
    int n_couples;
    int *couple_ports; /* [n_couples][2] row and column, of such an element */
    /* Parts that such an element can be evaluated in side by side, 0 for one that cannot; and
     * [n_couples] which of them adds to each block. */
    int n_parts;
    int *couple_part;
    int work; /* so many ports' worth of work its forces are, without tangents; 0: n_ports */
};

/* The terms of one element, by its ports: it adds to these, and a gather adds them to those of the
 * system, one element after the other. So every sum has its terms in the same order, however the
 * elements are evaluated. */
typedef struct nt_local {
    const nt_element *element;
    double *residual; /* [element->size], where it has pushed                                    */
    bool has_pushed;
    double *blocks; /* [element->size^2] one block after the other, row by row of ports      */
    int *touched;   /* [n_touched] numbers of blocks (row n_ports + column) that hold anything */
    int n_touched;
    bool *is_touched; /* [n_ports^2] */
    bool apart;       /* elements are evaluated side by side: nothing may be added elsewhere */
    struct nt_aside
        *aside;      /* where forces that others depend on are differentiated; NULL: none do */
    double *couples; /* [n_couples][9] of an element evaluated beside others; NULL: added at once */
    /* [n_couples] the place in `couples` of those blocks that others add to as well, -1 for one
     * that is added to at once; NULL: all are there, in their order */
    const int *place;
    int part, n_parts; /* which part of the element is asked for; n_parts 0: all of it */
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
        local->touched[local->n_touched++] = number;
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
static inline void nt_view_add(const nt_view *view, int row, int column, nt_m3 block)
{
    double *to = nt_view_block(view, row, column);
    if (!to)
        return;
    to[0] += block.xx, to[1] += block.xy, to[2] += block.xz;
    to[3] += block.yx, to[4] += block.yy, to[5] += block.yz;
    to[6] += block.zx, to[7] += block.zy, to[8] += block.zz;
}

/* A coordinate of the element's own, its rate or its acceleration. Of first order: x, x' are rate
 * and acceleration. */
static inline double nt_view_own(const nt_element *e, const nt_view *view, nt_level level, int i)
{
    if (level == NT_POSITION)
        return e->own_q < 0 ? 0 : view->at->q[e->own_q + i];
    if (level == NT_VELOCITY)
        return view->at->v[e->own_v + i];
    return view->at->vdot ? view->at->vdot[e->own_v + i] : 0;
}

/* Number i of what the element remembers; zero while the state is sought that the model starts
 * from. */
static inline double nt_view_memory(const nt_element *e, const nt_view *view, int i)
{
    return view->at->memory ? view->at->memory[e->memory + i] : 0;
}

/* Add to a block row by row, and to the residual of a port: as many numbers as they have. */
static inline void nt_view_add_numbers(const nt_view *view, int row, int column,
                                       const double *block)
{
    const nt_port *ports = view->local->element->ports;
    double *to = nt_view_block(view, row, column);
    for (int i = 0; to && i < ports[row].size * ports[column].size; i++)
        to[i] += block[i];
}
static inline void nt_view_push(const nt_view *view, int port, const double *push)
{
    nt_local *local = view->local;
    const nt_port *to = &local->element->ports[port];
    if (!local->has_pushed)
        memset(local->residual, 0, (size_t)local->element->size * sizeof *local->residual);
    local->has_pushed = true;
    for (int i = 0; i < to->size; i++)
        local->residual[to->start + i] += push[i];
}

/* Add a force to the residual of a translation, a moment to that of a rotation. */
static inline void nt_view_force(const nt_view *view, int port, nt_v3 f)
{
    const double push[3] = {f.x, f.y, f.z};
    nt_view_push(view, port, push);
}

/* ---- for the functions of a type --------------------------------------------------------------
 */

/* The data of an element in a run; in the model, as the file has them: for what does not change
 * with parameters. */
NT_API const void *nt_element_data_in(const nt_run *run, const nt_element *element);
NT_API const void *nt_element_data_of(const nt_model *model, const nt_element *element);
NT_API void *nt_element_numbers_in(nt_run *run, const nt_element *element);

/* For `prepare`. A point that the file gives (ground axes at the given placement, or a marker of
 * the body) from the body's reference point, body axes, m. NT_BAD_MODEL at the element's place
 * where a marker is on another body. */
NT_API nt_status nt_element_point(const nt_run *run, const nt_element *element,
                                  const nt_place_of_point *point, int body, bool validate,
                                  double offset[3], nt_error *error);

/* NT_BAD_MODEL at the element's place: "TYPE NAME: words". */
NT_API nt_status nt_element_refuse(const nt_run *run, const nt_element *element, nt_error *error,
                                   const char *words);

/* For `evaluate`, where a tangent is wanted along an increment e of a body's rotation (system.h,
 * nt_combination): the matrices of dw = W e and dalpha = A e, ground axes, with the factors of the
 * rows in question, `damping` or `row_damping` and so on. They are not multiples of the identity,
 * because e need not be a change of the rotation at this place. Translations and coordinates of the
 * element's own have dv = damping e and dvdot = mass e. */
NT_API nt_m3 nt_view_rate_map(const nt_view *view, int body, double damping, double stiffness);
NT_API nt_m3 nt_view_acceleration_map(const nt_view *view, int body, double mass, double stiffness);

/* For `declare`. The port of a body's translation, that of its rotation is the next one; added
 * where they are new; -1: memory is out, there is no such body, or a block was there already: all
 * ports come before the first block. */
NT_API int nt_element_port_of_body(nt_model *model, nt_element *element, int body);
/* The port of the element's own coordinates, likewise. */
NT_API int nt_element_port_of_own(nt_model *model, nt_element *element);
/* For `evaluate`: the same ports, as they were declared; -1 for others. Which numbers they have
 * depends on whether the body is also A or B. */
NT_API int nt_view_port_of_body(const nt_view *view, int body);
NT_API int nt_view_port_of_own(const nt_view *view);
/* Terms in a row port have derivatives in a column port: nothing where one of them has no node. */
NT_API nt_status nt_element_couple(nt_model *model, nt_element *element, int row, int column,
                                   nt_block_shape shape);

/* ---- forces between two bodies, without derivatives -------------------------------------------
 */

/* Forces on A and B and moments about their reference points, ground axes, N and N m. */
typedef struct nt_pair_force {
    nt_v3 force[2], moment[2];
} nt_pair_force;

/* What acts where A and B move like this; other bodies, multipliers and the time are in the view.
 * It is asked at places beside the motion and keeps nothing. NT_OK, or NT_NOT_FINITE. */
typedef nt_status (*nt_pair_law)(const nt_element *element, const nt_view *view, const nt_motion *a,
                                 const nt_motion *b, nt_pair_force *out);

/* For `declare`: blocks between all ports of A and B. */
NT_API nt_status nt_element_couple_pair(nt_model *model, nt_element *element);

/* For `evaluate`: adds what the law says, with a tangent by central differences (24 evaluations of
 * the law, good to 1e-9 of smooth ones), or its power. */
NT_API nt_status nt_element_add_pair(const nt_element *element, const nt_view *view,
                                     nt_pair_law law);
/* For `reaction`: the force on B that the law says, and its moment about B's reference point as the
 * torque; NaN where it has no value. */
NT_API void nt_element_pair_reaction(const nt_element *element, const nt_view *view,
                                     nt_pair_law law, nt_v3 *force, nt_v3 *torque);

/* ---- joints between two bodies, without derivatives -------------------------------------------
 */

/* Equations phi[n] of a joint, n = element->n_rows at most 6, where A and B stand like this at time
 * t, s; velocities and accelerations do not count. It is asked at places beside the motion and
 * keeps nothing. jacobian is NULL, or [n][12] of NaN: a law that knows the derivatives of phi along
 * displacements of A (m), turns of A (rad, ground axes), displacements and turns of B puts them
 * there, all of them; else they are found by differences. NT_OK, or NT_NOT_FINITE. */
typedef nt_status (*nt_pair_rows)(const nt_element *element, const nt_view *view, double t,
                                  const nt_motion *a, const nt_motion *b, double *phi,
                                  double *jacobian);

/* For `declare`: blocks between all ports of A and B and the multipliers. */
NT_API nt_status nt_element_couple_rows(nt_model *model, nt_element *element);

/* For `evaluate`: adds the rows of the law at the level that is asked for, the forces of their
 * multipliers, R += J^T lambda, and their tangent; or their power. By differences of a law that is
 * smooth over a length of the model and a radian J is good to 1e-13, its derivatives to 1e-10, with
 * 540 evaluations of the law between two bodies that move; with a jacobian that is given the latter
 * to 1e-12, with 70. */
NT_API nt_status nt_element_add_rows(const nt_element *element, const nt_view *view,
                                     nt_pair_rows law);
/* For `reaction`: the force of the multipliers on B, -J^T lambda, and their moment about B's
 * reference point as the torque; NaN where the law has no value. */
NT_API void nt_element_rows_reaction(const nt_element *element, const nt_view *view,
                                     nt_pair_rows law, nt_v3 *force, nt_v3 *torque);

/* ---- plugins ----------------------------------------------------------------------------------
 */

/* What a library with element types exports under the name nutate_plugin. */
typedef struct nt_plugin {
    int version;                         /* NT_ELEMENT_VERSION */
    const char *name;                    /* of the plugin, for people */
    const nt_element_type *const *types; /* NULL behind the last */
} nt_plugin;

/* Load a library and add its types; it stays loaded. A model file never does so by itself. Before
 * other threads read models. NT_IO where it cannot be loaded; NT_INVALID and words where it is no
 * plugin, was written for another version, or brings a type whose name is taken. */
NT_API nt_status nt_plugin_load(const char *path, nt_error *error);

/* The whole path of the plugin that was loaded as number i, from 0 on, which lasts as long as the
 * program; NULL where there is none. */
NT_API const char *nt_plugin_file(int i);

/* ---- the registry -----------------------------------------------------------------------------
 */

/* All types, those of the library first. */
NT_API int nt_element_type_count(void);
NT_API const nt_element_type *nt_element_type_at(int i); /* NULL where there is none */

/* Add a type, which lasts as long as the program: models that are read from now on may name it.
 * Before other threads read models. NT_INVALID and words for another version, a name that is taken,
 * or a type that lacks what it needs. */
NT_API nt_status nt_element_type_add(const nt_element_type *type, nt_error *error);

#ifdef __cplusplus
}
#endif
#endif
