/* The reader: from the document of a model file to a model. Inside of the input layer.
 *
 * Each file reads one thing: reader.c the top of the file, read_parameters.c parameters and tables,
 * read_objects.c bodies, markers, joints, forces and contacts, read_run.c simulation and output,
 * read_objectives.c objectives; read_keys.c a mapping against its table of keys, read_values.c one
 * value, read_expressions.c a formula.
 *
 * Every function that fails has filled reader->error with the place. What the model keeps lives in
 * its arena; nodes, names and lists of the reader are gone when it has done its work. */
#ifndef NUTATE_INPUT_READER_H
#define NUTATE_INPUT_READER_H

#include "input/document/document.h"
#include "input/names.h"
#include "input/tables.h"

enum { NT_WORDS = 128 }; /* room for the texts below that are put into messages */

/* A joint, force or contact, by its number in model->elements. */
typedef struct nt_element_node {
    const nt_node *name, *value;
} nt_element_node;

typedef struct nt_reader {
    nt_model *model;
    nt_error *error;         /* never NULL */
    nt_place *record_places; /* [n_record] of the names to record; NULL where none are given */
    const nt_node *root;
    const nt_source *source; /* the model's file; other nodes come from settings */
    const char *beside;      /* a path in the model's folder, NULL for the working folder */
    nt_arena scratch;

    nt_names parameters;
    double *values; /* [n_parameters] */
    nt_names tables;
    const nt_table **table; /* [tables.n] */
    nt_names quantities;
    const nt_node *quantity_section; /* those of blocks behind the file's; NULL: none */
    const nt_node *force_section;    /* with that of simulation.modal_damping, */
    const nt_node *modal_damping;    /* which is this one                      */
    const nt_node *state_section;    /* likewise */
    const nt_node *sampled_section;  /* one entry for each value, "pilot.u"; NULL: none */

    nt_names objects;          /* bodies, markers, joints, forces, contacts       */
    nt_element_node *elements; /* [n_elements] */
    void *data;                /* of the element at hand, and where its next array begins there */
    int array_place;

    nt_run_data run;
    const struct nt_mesh *meshes; /* that were read, the last one first */
    bool binds; /* numbers that depend on parameters follow them when they change */
    int bindings_room, jumps_room;
} nt_reader;

/* ---- messages and small help (reader.c) ---------------------------------------------------------
 */

nt_status nt_read_no_memory(nt_reader *reader);

/* "; did you mean 'best'?", or nothing where best is NULL. Written to text[size]. */
const char *nt_read_hint(const char *best, char *text, int size);

/* What a node is, to be told what it should have been: "a mapping", "a list of 2", "nothing",
 * "'abc'". Written to text[size] where it is not a constant. */
const char *nt_read_words(const nt_node *node, char *text, int size);

/* The place in the model's file; zero for what --set brought in. */
nt_place nt_read_place(const nt_reader *reader, const nt_node *node);

/* Copy of a scalar's text in the model's arena, NULL when memory is out. */
const char *nt_read_copy(nt_reader *reader, const nt_node *scalar);

/* A remark for nt_model_remark, at a node. */
nt_status nt_read_note(nt_reader *reader, const nt_node *node, const char *words);
/* One on a name that programs which write YAML change, where it is such; word: "body". */
nt_status nt_read_note_name(nt_reader *reader, const nt_node *node, const char *word);

/* ---- values (read_values.c) -------------------------------------------------------------------
 */

/* The offset at which arrays begin behind data of this size; and how many bytes the data of an
 * element take together with the arrays that its mapping puts behind them. */
int nt_read_array_begin(size_t size);
size_t nt_read_bytes(const nt_key *keys, const nt_node *mapping, size_t size);

/* What expressions may depend on. */
typedef enum nt_scope {
    NT_SCOPE_NUMBER, /* parameters                                  */
    NT_SCOPE_MOTION, /* parameters and t                            */
    NT_SCOPE_LOAD,   /* parameters, t and quantities of the model   */
    NT_SCOPE_RECORD, /* parameters, t and everything recorded       */
} nt_scope;

/* The value of a key, written at key->offset of data. scope: of its functions. */
nt_status nt_read_value(nt_reader *reader, const nt_key *key, const nt_node *node, nt_scope scope,
                        void *data);

/* ---- expressions (read_expressions.c) ----------------------------------------------------------
 */

/* Translate a scalar; errors have their place inside of it. key: whose value it is, for messages */
nt_status nt_read_expression(nt_reader *reader, const char *key, const nt_node *scalar,
                             nt_scope scope, nt_arena *arena, const nt_expression **expression);

/* "mass: '1/0' is inf, expected a finite number" */
nt_status nt_read_not_finite(nt_reader *reader, const char *key, const nt_node *node, double value);

/* A number or an expression of the parameters; bound to them where reader->binds. */
nt_status nt_read_number(nt_reader *reader, const char *key, const nt_node *node, double *target);
/* The same, never bound: *expression is NULL where the value depends on no parameter. */
nt_status nt_read_unbound(nt_reader *reader, const char *key, const nt_node *node, double *target,
                          const nt_expression **expression);

/* ---- mappings (read_keys.c) -------------------------------------------------------------------
 */

/* The keys of a mapping by their table, into data whose first member is the mask of given keys.
 * owner    the key or name that the mapping stands at; NULL for the file itself
 * what     "body 'top'", for messages
 * scope    of functions
 * typed    the key `type` is one of them, and was read before */
nt_status nt_read_keys(nt_reader *reader, const nt_key *keys, const nt_node *owner,
                       const nt_node *mapping, const char *what, nt_scope scope, bool typed,
                       void *data);

/* The checks alone: a mapping, of known keys, none missing. */
nt_status nt_read_check_keys(nt_reader *reader, const nt_key *keys, const nt_node *owner,
                             const nt_node *mapping, const char *what, bool typed);

/* What a mapping says under a key in any of its spellings ('true' for `on`), NULL where it is not
 * there. */
const nt_node *nt_read_given(const nt_node *mapping, const char *key);

/* A section of names chosen by the writer of the model: a mapping, even if an empty one. */
nt_status nt_read_check_section(nt_reader *reader, const char *name, const nt_node *section);

/* ---- sections ---------------------------------------------------------------------------------
 */

/* Whether what a file calls a `word` may be used as a name in expressions. */
nt_status nt_read_check_word(nt_reader *reader, const char *word, const nt_node *name);
nt_status nt_read_parameters(nt_reader *reader, const nt_node *section);
nt_status nt_read_tables(nt_reader *reader, const nt_node *section);
/* The table in a file beside the model, read once; NULL on failure. */
const nt_table *nt_read_table_file(nt_reader *reader, const char *path, int length,
                                   nt_error *error);

/* Names, types and numbers of bodies, markers, joints, forces and contacts; then what they say. */
nt_status nt_read_declare(nt_reader *reader);
nt_status nt_read_objects(nt_reader *reader);
/* The type that the mapping of an object of a section names, by its number in the registry. */
nt_status nt_read_find_type(nt_reader *reader, const nt_section *section, const nt_node *name,
                            const nt_node *value, int *type);

/* Puts the unknowns of `solve` into the section `parameters`; *section stays NULL where there are
 * none of either. */
nt_status nt_read_with_unknowns(nt_reader *reader, const nt_node **section);
/* Unknowns and conditions; then what they and `initial: {static: true}` ask for is found. When the
 * model is built, and last. */
nt_status nt_read_solve(nt_reader *reader);
/* Bodies that element i brings, which follow all others: their number is added to count; they are
 * named from body *first on, which goes on. Balls and cages of bearings (read_bearings.c), nodes of
 * beams, and room for their numbers (read_beams.c). */
nt_status nt_read_count_balls(nt_reader *reader, int i, int *count);
nt_status nt_read_declare_balls(nt_reader *reader, int i, int *first);
nt_status nt_read_count_nodes(nt_reader *reader, int i, int *count);
nt_status nt_read_declare_nodes(nt_reader *reader, int i, int *first);
/* Inner nodes of cables are counted and declared likewise (read_beams.c). */
nt_status nt_read_count_cable(nt_reader *reader, int i, int *count);
nt_status nt_read_declare_cable(nt_reader *reader, int i, int *first);
/* The node of a beam where the marker i has its station. */
nt_status nt_read_declare_station(nt_reader *reader, const nt_node *name, const nt_node *marker,
                                  int i);
/* NAME.PART or NAME.PARTnumber */
nt_status nt_read_declare_body(nt_reader *reader, const nt_element *e, int index, const char *part,
                               int number);

/* objectives; when the model is built. */
nt_status nt_read_objectives(nt_reader *reader);

/* Quantities and states of the file and of its blocks: the sections above (read_blocks.c). Then,
 * when parameters have values, whether the blocks' coefficients are numbers. */
nt_status nt_read_blocks(nt_reader *reader);
nt_status nt_read_check_blocks(nt_reader *reader);

/* The section forces, with one more of the type modal_damping where simulation.modal_damping is
 * given (read_blocks.c). */
nt_status nt_read_modal_damping(nt_reader *reader);

/* Names of quantities, before anything that may use them; that they differ from all others, when
 * those are declared (and so of tables); what they say, when the model is built
 * (read_quantities.c). */
nt_status nt_read_declare_quantities(nt_reader *reader);
nt_status nt_read_check_names(nt_reader *reader);
nt_status nt_read_quantities(nt_reader *reader);
/* The text of a quantity, NULL where there is none of this name; and back. */
const nt_node *nt_read_quantity_text(const nt_reader *reader, const char *name, int length);
const nt_node *nt_read_quantity_of_text(const nt_reader *reader, const char *text,
                                        const char **name);

/* shape: one or several, into the model; a name, "#rrggbb" or three numbers (read_shapes.c). */
nt_status nt_read_shapes(nt_reader *reader, const nt_node *node, const struct nt_shapes **shapes);
nt_status nt_read_color(nt_reader *reader, const nt_node *node, const char **color);
/* The triangles of a file beside the model, STL or OBJ, into the arena. NT_BAD_MODEL with the file
 * and, of text, the line; NT_IO (read_mesh.c). */
nt_status nt_read_mesh(const char *path, const char *beside, nt_arena *arena,
                       const struct nt_mesh **mesh, nt_error *error);

/* events: names, and what they do to joints, before the model is built; then what they say. */
nt_status nt_read_declare_events(nt_reader *reader);
nt_status nt_read_events(nt_reader *reader);

/* steady: after the names of joints are known. */
nt_status nt_read_steady(nt_reader *reader);

/* simulation, output, initial: into model->simulation */
nt_status nt_read_run(nt_reader *reader);
/* Whether everything recorded exists; when the model is built. */
nt_status nt_read_check_records(nt_reader *reader);

#endif
