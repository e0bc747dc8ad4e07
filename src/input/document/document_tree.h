/* The inside of a document, shared by the reader of events and by what edits the tree. */
#ifndef NUTATE_INPUT_DOCUMENT_TREE_H
#define NUTATE_INPUT_DOCUMENT_TREE_H

#include "base/arena.h"
#include "input/document/document.h"

struct nt_document {
    nt_node *root;
    nt_source source;
    char *text; /* what source.text points to; NULL when somebody else has it */
    nt_document_limits limits;
    int n_nodes, n_aliases; /* counted against the limits */
    nt_arena arena;
    char *room; /* what is left of the current block for small pieces */
    size_t room_left;
};

/* Zeroed memory of the document for small pieces, 8-byte aligned; NULL when memory is out. */
void *nt_document_take(nt_document *document, size_t count, size_t size);

/* Build the tree of one source; its nodes live in the document.
 * Limits count on from what the document holds. */
nt_status nt_document_build(nt_document *document, const nt_source *source, nt_node **root,
                            nt_error *error);

/* Complete a mapping whose keys and values are set: its index, total and height. Of two equal
 * keys, *again is the later one and *first the earlier; else both NULL. */
nt_status nt_mapping_finish(nt_document *document, nt_node *mapping, const nt_node **first,
                            const nt_node **again);

/* Complete a list or mapping: total and height. */
void nt_node_measure(nt_node *node);

/* What the tag of a text says of it; tag NULL: none.
 * *plain   whether it is read as a plain scalar, which a standard tag may change        in/out
 * Returns false, with what is wrong in words[size], where the tag is unknown or belied. */
bool nt_tag_of_scalar(const char *tag, const char *text, size_t length, bool *plain, char *words,
                      size_t size);

/* The same of a list or a mapping. */
bool nt_tag_of_collection(const char *tag, bool list, char *words, size_t size);

/* Place of a key, -1 where there is none. */
int nt_mapping_find(const nt_node *mapping, const char *key, int length);

#endif
