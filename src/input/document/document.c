/* The document tree: memory, questions, places in the file. */
#include "input/document/document.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "input/document/document_tree.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const nt_document_limits nt_document_limits_default = {
    .bytes = (size_t)16 << 20, .depth = 100, .nodes = 1000000, .aliases = 10000};

/* ---- memory --------------------------------------------------------------------------------- */

void *nt_document_take(nt_document *document, size_t count, size_t size)
{
    enum { BLOCK = 1 << 12 };
    if (size != 0 && count > SIZE_MAX / 4 / size)
        return NULL;
    size_t bytes = (count * size + 7) / 8 * 8;
    if (bytes > BLOCK / 4)
        return nt_arena_take(&document->arena, count, size);
    if (bytes > document->room_left) {
        document->room = nt_arena_take(&document->arena, BLOCK, 1);
        document->room_left = document->room ? BLOCK : 0;
        if (!document->room)
            return NULL;
    }
    void *piece = document->room;
    document->room += bytes;
    document->room_left -= bytes;
    return piece;
}

void nt_document_destroy(nt_document *document)
{
    if (!document)
        return;
    nt_arena_free(&document->arena);
    free(document->text);
    free(document);
}

/* ---- mappings ------------------------------------------------------------------------------- */

static bool key_is(const nt_node *key, const char *text, int length)
{
    return key->length == length && memcmp(key->text, text, (size_t)length) == 0;
}

/* The slot of the index that holds the key, or the free one where it belongs (-1 in it). */
static int index_slot(const nt_node *mapping, const char *key, int length)
{
    uint64_t hash = nt_hash(key, (size_t)length);
    int slot = (int)((hash ^ hash >> 32) & (uint64_t)mapping->index_mask);
    while (mapping->index[slot] >= 0 && !key_is(mapping->keys[mapping->index[slot]], key, length))
        slot = (slot + 1) & mapping->index_mask;
    return slot;
}

int nt_mapping_find(const nt_node *mapping, const char *key, int length)
{
    if (mapping->index)
        return mapping->index[index_slot(mapping, key, length)];
    for (int i = 0; i < mapping->count; i++)
        if (key_is(mapping->keys[i], key, length))
            return i;
    return -1;
}

void nt_node_measure(nt_node *node)
{
    node->total = 1;
    node->height = 0;
    for (int i = 0; i < node->count; i++) {
        const nt_node *child = node->values[i];
        node->total += child->total + (node->keys ? 1 : 0);
        if (node->height < child->height + 1)
            node->height = child->height + 1;
    }
}

nt_status nt_mapping_finish(nt_document *document, nt_node *mapping, const nt_node **first,
                            const nt_node **again)
{
    enum { SMALL = 8 }; /* up to here comparing all keys is faster than an index */
    int size = 4 * SMALL, *index = NULL;
    *first = *again = NULL;
    mapping->index = NULL;
    if (mapping->count > SMALL) {
        while (size < 2 * mapping->count)
            size *= 2;
        index = nt_document_take(document, (size_t)size, sizeof *index);
        if (!index)
            return NT_NO_MEMORY;
        memset(index, 0xff, (size_t)size * sizeof *index);
        mapping->index = index;
        mapping->index_mask = size - 1;
    }
    for (int i = 0; i < mapping->count && !*again; i++) {
        const nt_node *key = mapping->keys[i];
        int place = -1, slot = 0;
        if (index) {
            slot = index_slot(mapping, key->text, key->length);
            place = index[slot];
            index[slot] = place < 0 ? i : place;
        } else {
            for (int j = 0; j < i && place < 0; j++)
                place = key_is(mapping->keys[j], key->text, key->length) ? j : -1;
        }
        if (place >= 0)
            *first = mapping->keys[place], *again = key;
    }
    nt_node_measure(mapping);
    return NT_OK;
}

/* ---- questions ------------------------------------------------------------------------------ */

const nt_node *nt_document_root(const nt_document *document) { return document->root; }
const nt_source *nt_document_source(const nt_document *document) { return &document->source; }

char *nt_document_release_text(nt_document *document)
{
    char *text = document->text;
    document->text = NULL;
    return text;
}

const nt_node *nt_node_find(const nt_node *mapping, const char *key)
{
    if (mapping->kind != NT_NODE_MAPPING)
        return NULL;
    int place = nt_mapping_find(mapping, key, (int)strlen(key));
    return place < 0 ? NULL : mapping->values[place];
}

bool nt_node_is(const nt_node *scalar, const char *text)
{
    return scalar->kind == NT_NODE_SCALAR && key_is(scalar, text, (int)strlen(text));
}

bool nt_node_is_empty(const nt_node *node)
{
    return node->kind == NT_NODE_SCALAR && node->plain && node->length == 0;
}

bool nt_node_is_null(const nt_node *node)
{
    bool plain = node->kind == NT_NODE_SCALAR && node->plain;
    return plain && (nt_node_is(node, "null") || nt_node_is(node, "~"));
}

bool nt_node_opens(const nt_node *node)
{
    int open = 0;
    bool plain = node->kind == NT_NODE_SCALAR && node->plain;
    for (int i = 0; plain && i < node->length; i++)
        open += (node->text[i] == '(') - (node->text[i] == ')');
    return open > 0;
}

const char *nt_node_kind_text(const nt_node *node)
{
    return node->kind == NT_NODE_MAPPING ? "a mapping"
           : node->kind == NT_NODE_LIST  ? "a list"
           : nt_node_is_empty(node)      ? "nothing"
                                         : "text";
}

/* ---- places --------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

static unsigned hexadecimal(const char *text, size_t digits)
{
    unsigned value = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = text[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20u) - 'a' + 10u;
        value = value << 4 | (digit & 15u);
    }
    return value;
}

/* How many bytes of the source stand for one character of the text, and whether it is a blank. */
static size_t unit(const nt_node *scalar, size_t at, bool *blank)
{
    const char *text = scalar->source->text + at;
    size_t left = scalar->source->length - at, length = 1;
    *blank = is_blank(text[0]);
    if (scalar->style == NT_STYLE_SINGLE_QUOTED && left > 1 && text[0] == '\'' && text[1] == '\'')
        return 2;
    if (scalar->style == NT_STYLE_DOUBLE_QUOTED && left > 1 && text[0] == '\\') {
        size_t digits = text[1] == 'x' ? 2 : text[1] == 'u' ? 4 : text[1] == 'U' ? 8 : 0;
        *blank = is_blank(text[1]) || strchr("ntr", text[1]) != NULL;
        if (digits > 0 && left >= 2 + digits) {
            unsigned value = hexadecimal(text + 2, digits);
            *blank = value == ' ' || value == '\t' || value == '\n' || value == '\r';
        }
        return left >= 2 + digits ? 2 + digits : left;
    }
    while (length < left && continues(text[length]))
        length++;
    return length;
}

typedef struct cursor {
    const nt_source *source;
    size_t at;
    int line, column;
} cursor;

static void document_advance(cursor *c, size_t bytes)
{
    const char *text = c->source->text;
    for (size_t end = c->at + bytes; c->at < end; c->at++) {
        bool pair = text[c->at] == '\r' && c->at + 1 < c->source->length && text[c->at + 1] == '\n';
        if (text[c->at] == '\n' || (text[c->at] == '\r' && !pair))
            c->line++, c->column = 1;
        else if (!continues(text[c->at]) && !pair)
            c->column++;
    }
}

/* Moves the cursor to the first byte of a scalar's content, past its anchor and tag, its opening
 * quote or the line with | or >. */
static void document_enter(const nt_node *scalar, cursor *c)
{
    const char *text = c->source->text;
    size_t length = c->source->length;
    while (c->at < length && (text[c->at] == '&' || text[c->at] == '!' || text[c->at] == '#')) {
        bool comment = text[c->at] == '#'; /* behind an anchor or a tag */
        while (c->at < length && !(comment ? text[c->at] == '\n' : is_blank(text[c->at])))
            document_advance(c, 1);
        while (c->at < length && is_blank(text[c->at]))
            document_advance(c, 1);
    }
    if (scalar->style == NT_STYLE_SINGLE_QUOTED || scalar->style == NT_STYLE_DOUBLE_QUOTED)
        document_advance(c, c->at < length);
    if (scalar->style == NT_STYLE_LITERAL || scalar->style == NT_STYLE_FOLDED) {
        while (c->at < length && text[c->at] != '\n')
            document_advance(c, 1);
        document_advance(c, c->at < length);
    }
}

/* Styles differ in quotes, escapes and blanks only: the n-th character that is no blank is the
 * same in the text and in the source. */
void nt_node_place(const nt_node *scalar, int column, int *line_in_file, int *column_in_file)
{
    int before = 0, character = 0, seen = 0; /* non-blank characters before the wanted one */
    bool on_blank = true, blank;
    for (int i = 0; i < scalar->length; i++) {
        character += !continues(scalar->text[i]);
        if (continues(scalar->text[i]))
            continue;
        blank = is_blank(scalar->text[i]);
        if (character >= column) {
            on_blank = blank;
            break;
        }
        before += !blank;
    }
    cursor c = {scalar->source, scalar->start, scalar->line, scalar->column};
    *line_in_file = scalar->line, *column_in_file = scalar->column;
    if (scalar->line == 0 || scalar->kind != NT_NODE_SCALAR)
        return;
    document_enter(scalar, &c);
    while (c.at < c.source->length) {
        size_t bytes = unit(scalar, c.at, &blank);
        if (seen == before && (on_blank || !blank))
            break;
        seen += !blank;
        document_advance(&c, bytes);
    }
    *line_in_file = c.line, *column_in_file = c.column;
}

/* ---- errors --------------------------------------------------------------------------------- */

nt_status nt_node_fail(nt_error *error, const nt_node *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    nt_status status = nt_fail_with(error, NT_BAD_MODEL, node->source->name, node->line,
                                    node->column, format, arguments);
    va_end(arguments);
    return status;
}

nt_status nt_node_fail_inside(nt_error *error, const nt_node *scalar)
{
    if (!error->file[0] && error->column > 0) {
        nt_node_place(scalar, error->column, &error->line, &error->column);
        snprintf(error->file, sizeof error->file, "%s", scalar->source->name);
    }
    return error->status;
}

/* ---- creating ------------------------------------------------------------------------------- */

/* Takes over text[length], terminated, from malloc. */
static nt_status document_create(char *text, size_t length, const char *name,
                                 const nt_document_limits *limits, nt_document **document,
                                 nt_error *error)
{
    nt_status status = NT_NO_MEMORY;
    nt_document *d = calloc(1, sizeof *d);
    if (!d) {
        free(text);
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    d->text = text;
    d->limits = limits ? *limits : nt_document_limits_default;
    if (length > d->limits.bytes) {
        status = nt_fail_at(error, NT_BAD_MODEL, name, 0, 0,
                            "larger than the %zu bytes that are accepted", d->limits.bytes);
        goto done;
    }
    d->source.length = length;
    d->source.text = text;
    d->source.name = nt_arena_text(&d->arena, name, strlen(name));
    if (!d->source.name) {
        nt_fail(error, NT_NO_MEMORY, "out of memory");
        goto done;
    }
    status = nt_document_build(d, &d->source, &d->root, error);
done:
    if (status == NT_OK)
        *document = d;
    else
        nt_document_destroy(d);
    return status;
}

nt_status nt_document_parse(const char *text, size_t length, const char *name,
                            const nt_document_limits *limits, nt_document **document,
                            nt_error *error)
{
    *document = NULL;
    char *copy = length < SIZE_MAX ? malloc(length + 1) : NULL;
    if (!copy)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    memcpy(copy, text, length);
    copy[length] = 0;
    return document_create(copy, length, name, limits, document, error);
}

nt_status nt_document_read(const char *path, const nt_document_limits *limits,
                           nt_document **document, nt_error *error)
{
    char *text;
    size_t length;
    size_t largest = limits ? limits->bytes : nt_document_limits_default.bytes;
    *document = NULL;
    nt_status status = nt_file_read(path, largest, &text, &length, error);
    if (status != NT_OK)
        return status;
    return document_create(text, length, strcmp(path, "-") == 0 ? "standard input" : path, limits,
                           document, error);
}
