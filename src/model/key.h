/* The keys of the model file: tables from which the reader, the JSON Schema and the reference page
 * are made. */
#ifndef NUTATE_MODEL_KEY_H
#define NUTATE_MODEL_KEY_H

#include <stdbool.h>
#include <stddef.h>

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
    NT_KEY_JOINTS,    /* int[2]: the same of two                                             */
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

#endif
