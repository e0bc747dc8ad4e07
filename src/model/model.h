/* The model: what a file says, only read once it is built. Internal to the model, input and output
 * layers. */
#ifndef NUTATE_MODEL_MODEL_H
#define NUTATE_MODEL_MODEL_H

#include "model/expressions/table.h"
#include "model/run.h"

/* ---- parameters, bindings, objectives ------------------------------------------------------- */

/* A number of the model that is an expression of parameters: evaluated anew when they change. */
typedef struct nt_binding {
    const nt_expression *expression;
    size_t target; /* its place among the numbers of a run, bytes */
    size_t among;  /* the same of the n_among numbers of a relative key, of which it is one */
    int n_among;   /* 0: of none */
} nt_binding;

typedef struct nt_parameter {
    const char *name;
    nt_place place;
    double value;                    /* as the file has it                         */
    const nt_expression *expression; /* of earlier parameters; NULL for a plain number */
} nt_parameter;

/* An expression of the file that may jump where a parameter or the motion changes. */
typedef struct nt_jump {
    const char *key;
    nt_place place;
} nt_jump;

/* An operation of an expression that jumps, or bends at known times (switches.h). */
typedef struct nt_switch {
    int operation;                 /* nt_operation */
    const nt_expression *argument; /* at whose passing of a point it does */
    const nt_table *table;         /* of NT_OP_TABLE */
    int signal;                    /* the signal that holds its value; -1: it bends, none does */
    bool moves;                    /* its argument depends on the motion */
    bool known;                    /* its argument depends on time alone */
    bool affine;                   /* it is a + b t */
    bool bends;
    bool follows; /* its argument depends on forces or reactions */
    int joint;    /* whose friction it is; -1: an operation of an expression */
    int slide;    /* the element that holds its argument at a passing (sliding.h); -1: none can */
    const char *words[2]; /* where it slides: of the begin and the end */
    const char *key;
    nt_place place;
} nt_switch;

/* A contact that sticks (contacts/grip.h): its element, and words for its begin and end. */
typedef struct nt_grip_words {
    int element;
    const char *words[2];
} nt_grip_words;

/* A joint with rigid limits (events/limits.h): among the elements, and words for what happens at
 * its lower and its upper limit. */
typedef struct nt_limit_words {
    int joint;
    const char *words[6];
} nt_limit_words;

/* What an event does: exactly one of these (bits of given). */
enum {
    NT_ACTION_RELEASE,
    NT_ACTION_ENGAGE,
    NT_ACTION_LATCH,
    NT_ACTION_SET,
    NT_ACTION_IMPULSE,
    NT_ACTION_START,
    NT_ACTION_STOP,
    NT_ACTIONS,
    NT_ACTION_AFTER = NT_ACTIONS
};
enum { NT_IMPULSE_ON, NT_IMPULSE_AT, NT_IMPULSE_VALUE };
typedef struct nt_action {
    unsigned given;
    int release, engage, latch; /* joints, among the elements */
    struct {
        int on;
        nt_place_of_point at;
        const nt_expression *value[3]; /* N s, ground axes */
    } impulse;
    const char *start, *stop;   /* an event; words */
    const nt_expression *after; /* s */
    int started;                /* that event's number */
    int target, state;          /* of set: a parameter, or an element that is a state; -1 */
    const nt_expression *value;
    nt_place place;
} nt_action;

/* Something that happens where an expression of everything recorded passes zero; variables as of
 * nt_named. */
typedef struct nt_event {
    unsigned given;
    const char *name;
    nt_place place;
    const nt_expression *when; /* NULL: only other events start it */
    int direction;             /* 0 rising, 1 falling, 2 both */
    nt_action *actions;        /* [n_actions], in their order */
    int n_actions;
    int indicator; /* -1: none */
    bool needs_energy;
} nt_event;

/* What the reader found that may not be meant. */
typedef struct nt_note {
    const char *words;
    nt_place place;
} nt_note;

/* A scalar of a run, from the file. Variables of the expression: parameter i is i, t is
 * n_parameters, column k of the model's objective columns is n_parameters + 1 + k. */
typedef struct nt_objective {
    unsigned given;
    int type; /* nt_objective_type */
    const nt_expression *of;
    const char *name;
    nt_place place;
} nt_objective;

/* An expression that has a name. Variables as of objectives, but of all columns. */
typedef struct nt_named {
    const char *name;
    nt_place place;
    const nt_expression *of; /* NULL until it is read */
    int needs;               /* NT_NEEDS_... of its columns (quantity_kind.h) */
} nt_named;

/* One rate of a steady motion: of a joint, or with which everything turns or moves. */
enum { NT_STEADY_RATE, NT_STEADY_AXIS, NT_STEADY_THROUGH, NT_STEADY_ALONG }; /* bits of given */
typedef struct nt_steady {
    unsigned given;
    int joint; /* among the elements; -1: none */
    const nt_expression *rate, *axis[3], *through[3], *along[3];
    const char *name;
    nt_place place;
} nt_steady;

/* What a file holds, by the file's name in the model. */
typedef struct nt_table_file {
    struct nt_table_file *next;
    const char *name;
    bool map;
    const nt_table_sheet *sheet;
    const nt_table *table; /* in the default form: what the file's name in quotes means */
} nt_table_file;

/* Bodies, markers and elements are counted through. */
typedef struct nt_object_name {
    const char *name;
    int object;
    int signal; /* the last one of it + 1, 0 for none */
} nt_object_name;

/* A direction of `static: {hold: ...}`, before the layout of the state is known. */
typedef struct nt_hold_name {
    int body;
    bool rotation;
    int axis, count; /* the first axis, and how many */
} nt_hold_name;

/* What a model finds when it is read and whenever parameters are set: unknown parameters, and where
 * it rests at the start (analysis/run_static.c). */
typedef struct nt_settling {
    nt_status (*find)(nt_run *run, nt_error *error);
    /* derivatives of the initial values in parameter k */
    nt_status (*initial_tangent)(nt_run *run, int k, double *dq, double *dv, double *dmemory,
                                 nt_error *error);
    /* of the unknowns in all parameters: run->unknown_rates */
    nt_status (*unknown_rates)(nt_run *run, nt_error *error);
} nt_settling;

/* A delay of an expression (states/delay.h). */
typedef struct nt_delay {
    const nt_expression *of, *by; /* x, tau */
    const char *text;             /* as it is written, for records                               */
    const char *key;              /* of the expression that it stands in, and where that stands  */
    nt_place place;
    int signal;
    double span;  /* s, as the file has it */
    double close; /* s, between points that are thinned out */
    int room;     /* points of its history */
    int memory;   /* its first entry in the discrete memory */
} nt_delay;

/* An operation of a load, abs(x) and the like, that bends where its argument, which depends on the
 * motion, passes zero; or a table of one variable. */
typedef struct nt_bend {
    const nt_expression *argument;
    int n;            /* places: zero alone, or points of the table */
    const double *at; /* [n]; NULL: zero                            */
    double period;    /* of the table; 0: none                      */
    int first;        /* of its places among nt_system.onsets       */
    int variable;     /* its side, NT_SIGNAL_SIDE; -1: none         */
} nt_bend;

struct nt_model {
    nt_arena arena;
    const char *file, *title;
    char *text; /* [text_length], terminated; owned */
    size_t text_length;

    nt_parameter *parameters;
    int n_parameters;
    const nt_body *bodies; /* [n_bodies], ground first: as the file has them, and their layout */
    int n_bodies;
    const nt_marker *markers; /* as the file has them */
    int n_markers;
    nt_element *elements; /* joints, forces, contacts, states; by type in file order */
    int n_elements, n_joints, n_contacts, n_bearings, n_beams, n_cables, n_states, n_sampled;
    int modal_damping;       /* the element of simulation.modal_damping + 1, 0 for none */
    nt_object_name *objects; /* [n_objects] in the order of names */
    int n_objects;
    nt_delay *delays; /* [n_delays] */
    int n_delays;
    nt_signal *signals;
    int n_signals, n_followed;  /* of them forces and reactions */
    int longest_chain;          /* the highest rank of a signal */
    int whole_signal;           /* the last one of the whole model + 1, 0 for none */
    nt_table_file *table_files; /* the one that was read last first */
    nt_binding *bindings;
    int n_bindings;
    nt_jump *jumps; /* [n_jumps] expressions that may jump, in the order of the file's reading */
    int n_jumps;
    nt_switch *switches;         /* [n_switches] in the order of the file's reading */
    int n_switches, n_following; /* of them those that follow forces */
    nt_bend *bends;              /* [n_bends] likewise */
    int n_bends;
    int switch_memory;    /* where their values begin in the discrete memory */
    int n_slides;         /* of them those that may slide: the last elements, one each */
    nt_grip_words *grips; /* [n_grips] contacts that stick */
    int n_grips;
    nt_limit_words *limits; /* [n_limits] joints with rigid limits */
    int n_limits;
    int grip_memory;      /* NT_GRIP_MEMORY entries for each */
    int slide_memory;     /* NT_SLIDE_MEMORY entries for each of these */
    int side_memory;      /* NT_SIDE_MEMORY entries, where functions of time bend; or -1 */
    int onset_memory;     /* where onsets have sides at stops (onsets.h); or -1             */
    nt_event *happenings; /* [n_happenings] what the section `events` says */
    int n_happenings, n_indicated;
    bool joints_change, parameters_change, memory_varies;
    bool elements_remember; /* what changes smoothly: nt_memory_kind */
    bool grips_give;        /* some contacts that stick are elastic */
    /* where all of it is remembered: of joints whether they are off (0), on (1) or latched too (2),
     * and where they are latched; of parameters whether they are set, and to what; of events when
     * they are due */
    int joint_memory, lock_memory, set_memory, due_memory;
    nt_events events; /* of the system, where anything happens */
    nt_note *notes;   /* [n_notes] */
    int n_notes;
    nt_jump clock; /* the first expression of t that enters the motion; no key: none */
    bool correct_initial;
    const nt_settling *settling; /* NULL: there is nothing to find */
    int *unknowns;               /* [n_unknowns] parameters that are solved for */
    int n_unknowns;
    nt_objective *conditions; /* [n_conditions] that they make zero */
    int n_conditions;
    nt_hold_name *holds; /* [n_holds] */
    int n_holds;
    nt_objective *objectives;
    int n_objectives;
    nt_named *named; /* [n_named] quantities that the file names */
    int n_named;
    nt_quantity_info
        *columns; /* [n_columns] of one number each: of objectives, then of named quantities */
    int n_objective_columns, n_columns;
    bool names_quantities; /* what is added now is of named quantities */

    nt_steady *steady; /* [n_steady] in the order of the file */
    int n_steady;

    nt_simulation simulation;

    nt_run *origin;   /* its numbers are those of the file; what other runs are copied from */
    size_t numbers;   /* bytes of run->numbers */
    size_t scratch;   /* doubles that an element may want while it is evaluated */
    int most_entries; /* of an element                       */
    int most_ports, most_in_table; /* ports and entries of one with a table of blocks */
    int n_primary;                 /* nodes of bodies and of elements' own coordinates */
    bool has_own, has_inertia;     /* elements have coordinates, inertia */
    nt_port *whole; /* [n_whole] of all nodes but those of multipliers, for signals of the whole
                       model: each starts at its entry among v. NULL before the first is wanted */
    int n_whole;
    /* [n_bodies], [n_elements] the part that nothing connects with others which each belongs to, of
     * system.n_energies (parts.c); 0 of what acts on nothing */
    int *part_of_body, *part_of_element;
    struct nt_bounces {
        int n;                       /* bodies that contacts alone hold                        */
        int *body, *first, *contact; /* [n], [n + 2], [first[n]]: each of them, and its contacts
                                        from contact[first[k]] on                              */
        int n_stops;                 /* and joints with stops, in system.n_bounces behind them */
        int *joint, *light;          /* [n_stops] elements, and the body that the stops send back */
        int *first_stop, *stop;      /* [n_stops + 2], elements that are stops of joint[k] from
                                        stop[first_stop[k]] on                                 */
    } bounces;
    bool *stores; /* [n_elements] those whose energy counts in such a signal */

    /* The system as it is alike for all runs: sizes, space, pattern, names. That of a run has the
     * functions too. */
    nt_system system;
    nt_pattern pattern;
    int *given_by; /* [system.space.n_blocks] the joint that gives a rotation, see build.c; or -1 */
    nt_quantity *row_quantity;
    int *row_element;  /* [system.nh + system.nn] of which element each row is, -1 of none */
    double *time_rate; /* [n_parameters + 1 + n_signals] 1 for t, 0 else: the direction of time */
    double *zeros;     /* [the same] */
    const char **parameter_names;
    double *parameter_scale;         /* [n_parameters] |value|, 1 for zero */
    struct nt_key_place *key_places; /* [n_key_places] of what a run computes, in the file */
    int n_key_places;
};

/* Parts of the layout: the ports that every element has; then, after `declare`, its blocks. */
nt_status nt_element_begin_ports(nt_model *model, nt_element *element);
nt_status nt_element_end_ports(nt_model *model, nt_element *element);
/* All of these, once. NT_NO_MEMORY. */
nt_status nt_element_declare(nt_model *model, nt_element *element);
/* For `declare`: the port of another element's node, added where it is new; one of its multipliers
 * `looks`. -1: memory is out. */
int nt_element_port_like(nt_model *model, nt_element *element, const nt_port *port, bool looks);
/* Ports for so many bodies that follow each other, after those it has: two each. */
nt_status nt_element_ports_of_bodies(nt_model *model, nt_element *element, int first, int count);
/* Once its ports are complete: an element that lists its blocks, `count` of 3 x 3 numbers, in place
 * of a table of all pairs of ports. Then each of them: between which ports it is; a pair may be
 * listed again. */
nt_status nt_element_begin_couples(nt_model *model, nt_element *element, int count);
nt_status nt_element_list_couple(nt_model *model, nt_element *element, int k, int row, int column);
/* The port of the own coordinates of another element, added where it is new; -1: memory is out. */
int nt_element_port_of_own_of(nt_model *model, nt_element *element, const nt_element *owner);
/* Fills part_of_body, part_of_element and system.n_energies, once all ports are there.
 * NT_NO_MEMORY. */
nt_status nt_model_find_parts(nt_model *model);
/* Fills model->whole, once the state is laid out. NT_NO_MEMORY. */
nt_status nt_model_list_ports(nt_model *model);
/* The body whose translation or rotation a node is; -1: of none. */
int nt_model_body_of_node(const nt_model *model, int node);
/* Marks the bodies of its ports in bodies[n_bodies]. */
void nt_element_look_at(const nt_model *model, const nt_element *element, bool *bodies);

/* Room for elements of so many entries, of those with a table of blocks, and ports of these; an
 * element's turn; its terms to those of the system. */
nt_status nt_local_take(nt_local *local, nt_arena *arena, int size, int n_entries, int n_ports);
/* Room to differentiate the forces that loads follow: one for each that evaluates elements. NULL
 * where no load follows any, or without memory. */
struct nt_aside *nt_aside_take(const nt_model *model, nt_arena *arena);
/* Nothing in it as yet; of the blocks that an element lists where it is to add to them. */
static inline void nt_local_begin_terms(nt_local *local, const nt_element *element, bool blocks)
{
    local->element = element;
    local->has_pushed = false;
    while (local->n_touched > 0)
        local->is_touched[local->touched[--local->n_touched]] = false;
    if (local->couples && blocks)
        memset(local->couples, 0, (size_t)element->n_couples * 9 * sizeof *local->couples);
}
static inline void nt_local_begin(nt_local *local, const nt_element *element)
{
    nt_local_begin_terms(local, element, true);
}
static inline bool nt_local_has_terms(const nt_local *local)
{
    return local->has_pushed || local->n_touched > 0;
}
void nt_local_gather(const nt_local *local, const nt_terms *terms);
/* All its terms times a share. */
void nt_local_scale(const nt_local *local, double share);

/* Make room for the numbers of a model whose objects are counted and whose elements have types: the
 * origin and everything in its `numbers`. */
nt_status nt_model_take_numbers(nt_model *model);
/* Takes room for the numbers of elements that were added behind the others. */
nt_status nt_model_more_numbers(nt_model *model);

/* Make the system of a model whose bodies, elements, parameters and signals are filled in: derived
 * values, layout, pattern, assembly of positions, consistent velocities. The reader calls this. */
nt_status nt_model_build(nt_model *model, nt_error *error);

/* "top.rotation.z"; "free" sets *free_too and leaves nothing to hold. False: it is neither. */
bool nt_hold_read(const nt_model *model, const char *text, nt_hold_name *out, int *free_too);
/* Entries of v from the directions to hold, into simulation.held. */
nt_status nt_model_find_held(nt_model *model);

/* Numbers from their expressions and all derived values, at the present parameters. */
nt_status nt_run_prepare(nt_run *run, bool validate, nt_error *error);
/* Derived values alone, from the numbers as they stand. */
nt_status nt_run_prepare_derived(nt_run *run, bool validate, nt_error *error);
/* What the system promises of its forces at the present values: a damper may have become one. */
void nt_run_renew_promises(nt_run *run);

/* Expression variables: parameter i is i, t is n_parameters, signal k is n_parameters + 1 + k. */
static inline int nt_model_time_variable(const nt_model *model) { return model->n_parameters; }
static inline int nt_model_variable_count(const nt_model *model)
{
    return model->n_parameters + 1 + model->n_signals;
}

/* The data of an element as the file has them: for what does not change with parameters. */
static inline const void *nt_model_data(const nt_model *model, const nt_element *element)
{
    return nt_element_data(model->origin, element);
}

#endif
