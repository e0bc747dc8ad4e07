/* Names of a model file: what they stand for, where they were declared. */
#ifndef NUTATE_INPUT_NAMES_H
#define NUTATE_INPUT_NAMES_H

#include "model/model.h"

typedef enum nt_name_kind {
    NT_NAME_BODY,
    NT_NAME_MARKER,
    NT_NAME_JOINT, /* index into model->elements */
    NT_NAME_FORCE, /* the same                   */
    NT_NAME_CONTACT,
    NT_NAME_BEARING,
    NT_NAME_BEAM,
    NT_NAME_CABLE,
    NT_NAME_STATE, /* the same */
    NT_NAME_SAMPLED,
    NT_NAME_BLOCK,
    NT_NAME_PARAMETER,
    NT_NAME_TABLE,
    NT_NAME_QUANTITY,
    NT_NAME_SAMPLER,
    NT_NAME_STEADY,
    NT_NAME_OBJECTIVE,
    NT_NAME_EVENT,
} nt_name_kind;

typedef struct nt_name {
    const char *text;
    nt_name_kind kind;
    int index;
    nt_place place; /* zero for `ground` */
} nt_name;

/* A set of names with a fixed room, found by hashing. */
typedef struct nt_names {
    nt_name *list; /* [n] in the order of declaration */
    int n, room;
    int *slots; /* [n_slots] index into list + 1, 0 where free; n_slots is a power of two */
    unsigned n_slots;
} nt_names;

/* false when memory is out. Memory belongs to the arena. */
bool nt_names_init(nt_names *names, int room, nt_arena *arena);

/* NULL where there is none. text[length] need not be terminated. */
nt_name *nt_names_find(const nt_names *names, const char *text, int length);

/* The name must be new and there must be room; its text must outlive the set. */
void nt_names_add(nt_names *names, nt_name name);

/* The name nearest to an unknown one, of a kind whose bit (1 << kind) is in kinds; NULL where none
 * is near. */
const char *nt_names_suggest(const nt_names *names, const char *text, int length, unsigned kinds);

/* "body", "joint", ... */
const char *nt_name_kind_word(nt_name_kind kind);

/* What is wrong with text[length] as a name, NULL when nothing is. Dashes are for objects only:
 * in an expression they would subtract. */
const char *nt_name_fault(const char *text, int length, bool dashes);

/* Words that begin the names of recorded quantities of the whole model: energy, energy.total. */
bool nt_name_is_reserved(const char *text, int length);

#endif
