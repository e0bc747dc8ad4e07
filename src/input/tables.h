/* The keys of the model file outside of bodies, joints, forces and contacts, whose tables live with
 * them in the model layer. The reader, the JSON Schema and the reference page all walk these
 * tables. */
#ifndef NUTATE_INPUT_TABLES_H
#define NUTATE_INPUT_TABLES_H

#include "model/forces/modal_damping.h"
#include "model/model.h"

/* Types of keys that only the tables below use; they continue nt_key_type. */
enum {
    NT_KEY_TEXTS = NT_KEY_BEAM + 1, /* nt_texts: a list of texts                                */
    NT_KEY_OPTIONS,                 /* nt_option_list: NAME: number, text or boolean            */
    NT_KEY_VERSION,                 /* the number NT_FILE_VERSION                               */
    NT_KEY_PARAMETERS,              /* NAME: number                                             */
    NT_KEY_FILES,                   /* NAME: file of a table                                    */
    NT_KEY_EXPRESSIONS,             /* NAME: expression of everything recorded                  */
    NT_KEY_ACTIONS,                 /* a list of mappings, of one key of `group` each */
    NT_KEY_OBJECTS,                 /* NAME: {keys of `group`}                                  */
    NT_KEY_ELEMENTS,                /* NAME: {type: TYPE, keys of that type}; the key's name is
                                       the section of the type                                  */
};

enum { NT_FILE_VERSION = 1 };

/* A table that is more than a file's name. */
typedef struct nt_table_data {
    unsigned given;
    const char *file;
    int map;
    nt_table_form form;
} nt_table_data;
extern const nt_key nt_table_keys[];

typedef struct nt_texts {
    const char *const *text;    /* [n] */
    const struct nt_node *node; /* where they stand */
    int n;
} nt_texts;

typedef struct nt_option_list {
    const nt_option *option; /* [n]                                     */
    const int *place;        /* [n][2] line and column of the value, or 0 */
    int n;
} nt_option_list;

/* The `simulation`, `output` and `initial` sections as the file gives them. */
typedef struct nt_run_data {
    unsigned given; /* unused: zero or NULL is what nothing was given for */
    double start, duration, step, minimum_step, maximum_step, every;
    const char *method;
    int frame; /* index into nt_frame_names */
    nt_option_list options;
    double tolerance[4]; /* position, rotation, velocity, angular_velocity */
    nt_texts record;
    int correct, poses;
    int energy_check;
    double modal_ratio[NT_MODAL_RATIOS], modal_modes; /* read once more as those of a force */
    int modal_ratios, modal_about;
    nt_texts hold, conditions;
    nt_option_list unknowns;
    int stable, static_initial;
} nt_run_data;

/* The top of the file, in the order of the reference page. Offsets of `title` and `gravity` count
 * from nt_model, those inside `simulation`, `output` and `initial` from nt_run_data. */
extern const nt_key nt_file_keys[];
extern const nt_key nt_marker_keys[], nt_station_keys[]; /* of a body; of a beam */
extern const nt_key nt_objective_keys[], nt_event_keys[], nt_action_keys[];
extern const nt_key nt_steady_keys[];
extern const nt_key nt_sampled_keys[];

/* What a key's value has to be, in words: "a number", "a list of 3 numbers". Written to text[size]
 * where it is not a constant. */
const char *nt_key_expected(const nt_key *key, char *text, int size);

#endif
