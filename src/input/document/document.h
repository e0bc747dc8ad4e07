/* A YAML text as a tree whose every node knows its place.
 *
 * The tree is built from libyaml's events, never from its document interface, so that bad input
 * is refused early and cheaply. What YAML allows and a model never needs is an error: a second
 * document, a key given twice, keys that are not plain text, merge keys (<<), anchors that contain
 * themselves, tags but the standard ones (!!float), which must agree with what they stand before.
 * Aliases share the node of their anchor, and what they expand to counts against the limit of
 * nodes; so trees stay finite and shallow enough for recursion.
 *
 * Every message is FILE:LINE:COLUMN with what is wrong and what was expected. Lines and columns
 * begin at 1; columns count characters. */
#ifndef NUTATE_INPUT_DOCUMENT_H
#define NUTATE_INPUT_DOCUMENT_H

#include <nutate/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct nt_document_limits {
    size_t bytes; /* of text                                   */
    int depth;    /* of lists and mappings inside each other   */
    int nodes;    /* values, aliases counted as what they name */
    int aliases;  /* uses of anchors                           */
} nt_document_limits;

extern const nt_document_limits nt_document_limits_default; /* 16 MB, 100, 10^6, 10^4 */

/* Where nodes come from: a file, or the value of one --set. */
typedef struct nt_source {
    const char *name;
    const char *text; /* [length], terminated; as it was read */
    size_t length;
} nt_source;

typedef enum nt_node_kind { NT_NODE_SCALAR, NT_NODE_LIST, NT_NODE_MAPPING } nt_node_kind;
typedef enum nt_node_style {
    NT_STYLE_PLAIN,
    NT_STYLE_SINGLE_QUOTED,
    NT_STYLE_DOUBLE_QUOTED,
    NT_STYLE_LITERAL, /* | */
    NT_STYLE_FOLDED   /* > */
} nt_node_style;

/* Nodes are read-only to everybody but this layer. */
typedef struct nt_node {
    unsigned char kind, style; /* nt_node_kind, nt_node_style (of scalars)            */
    bool plain;       /* scalar: read as one without quotes: `1`, and `!!int "1"`             */
    int line, column; /* 1-based; 0 for what nt_document_set created         */
    const nt_source *source;
    size_t start; /* its first byte in source->text                                   */

    const char *text; /* scalar: [length], terminated, without NUL inside             */
    int length;       /* scalar: bytes                                                */

    int count;                     /* list, mapping: number of values                */
    struct nt_node *const *keys;   /* mapping: [count] scalars, in the file's order  */
    struct nt_node *const *values; /* list, mapping: [count]                         */
    const int *index;              /* mapping: hash of keys -> place, where large    */
    int index_mask;
    int total, height; /* nodes in this subtree; levels of values below               */
} nt_node;

typedef struct nt_document nt_document;

/* Read a file ("-": standard input), or a text in memory, which is copied. limits may be NULL.
 * name        what messages call the file
 * *document   to be destroyed by the caller; NULL on failure                             out
 * Errors: NT_IO when the file cannot be read, NT_BAD_MODEL with the place for anything in it. */
nt_status nt_document_read(const char *path, const nt_document_limits *limits,
                           nt_document **document, nt_error *error);
nt_status nt_document_parse(const char *text, size_t length, const char *name,
                            const nt_document_limits *limits, nt_document **document,
                            nt_error *error);
void nt_document_destroy(nt_document *document); /* NULL is accepted */

const nt_node *nt_document_root(const nt_document *document);

/* The text as it was read, for provenance. Changes by nt_document_set are not in it. */
const nt_source *nt_document_source(const nt_document *document);

/* Hands the text to the caller, who frees it, but not before the document is destroyed. */
char *nt_document_release_text(nt_document *document);

/* Put a value at a dotted path: "simulation.step", "bodies.top.position.0" (lists count from 0).
 * Keys that do not exist are created, with the mappings above them. Nodes that an alias shares are
 * changed in this place only. Pointers to nodes on the path, the root included, become outdated
 * but stay valid.
 * value   a YAML text of its own; null removes the key or the element of a list, which must exist
 * Errors: NT_BAD_MODEL, with the name "--set PATH" for the file; the document is as it was. */
nt_status nt_document_set(nt_document *document, const char *path, const char *value,
                          nt_error *error);

/* The value of a key, NULL where there is none or the node is no mapping. */
const nt_node *nt_node_find(const nt_node *mapping, const char *key);

/* Whether a scalar's text is `text`. */
bool nt_node_is(const nt_node *scalar, const char *text);

/* Whether it is a plain scalar of no characters: `key:` with nothing behind. */
bool nt_node_is_empty(const nt_node *node);

/* Whether it is YAML's null in so many words: a plain `null` or `~`. */
bool nt_node_is_null(const nt_node *node);

/* Whether it is a plain scalar with more '(' than ')': an expression that a comma has cut. */
bool nt_node_opens(const nt_node *node);

/* What it is, for messages: "a mapping", "a list", "nothing", "text". */
const char *nt_node_kind_text(const nt_node *node);

/* The place in the file of character `column` (from 1) of a scalar's text: through quotes,
 * escapes and folded lines. One past the end is the place behind the last character. */
void nt_node_place(const nt_node *scalar, int column, int *line_in_file, int *column_in_file);

/* Fill the error with the node's place; returns NT_BAD_MODEL. Line ends and control characters in
 * the message become blanks, so that any text may be quoted. */
nt_status nt_node_fail(nt_error *error, const nt_node *node, const char *format, ...)
    NT_PRINTF(3, 4);

/* Give an error from inside a scalar's text (nt_expression_parse) its place in the file. One that
 * names a file already, of a table, is left as it is. Returns error->status. */
nt_status nt_node_fail_inside(nt_error *error, const nt_node *scalar);

#endif
