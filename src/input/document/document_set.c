/* Changing a document: --set PATH=VALUE; the value null removes what is there.
 *
 * Nodes on the path are copied, never changed: an alias of one of them keeps the old value, and
 * nothing is half done when something fails. */
#include "base/error.h"
#include "base/text.h"
#include "input/document/document.h"
#include "input/document/document_tree.h"

#include <string.h>

typedef struct change {
    nt_document *document;
    const nt_source *source; /* named "--set PATH" */
    nt_node *value;          /* NULL: remove what the path names */
    nt_error *error;
} change;

static nt_status document_set_no_memory(const change *c)
{
    return nt_fail(c->error, NT_NO_MEMORY, "out of memory");
}

static nt_node *document_set_create(const change *c, nt_node_kind kind)
{
    nt_node *node = nt_document_take(c->document, 1, sizeof *node);
    if (node) {
        node->kind = (unsigned char)kind;
        node->source = c->source;
        node->total = 1;
    }
    return node;
}

static nt_node *create_key(const change *c, const char *text, int length)
{
    char *copy = nt_document_take(c->document, (size_t)length + 1, 1);
    nt_node *key = copy ? document_set_create(c, NT_NODE_SCALAR) : NULL;
    if (key) {
        memcpy(copy, text, (size_t)length);
        key->text = copy;
        key->length = length;
        key->plain = true;
    }
    return key;
}

/* A copy of an array with room for one more; old may be NULL where count is 0. */
static nt_node **copy_nodes(const change *c, nt_node *const *old, int count)
{
    nt_node **copy = nt_document_take(c->document, (size_t)count + 1, sizeof(nt_node *));
    if (copy && count > 0)
        memcpy(copy, old, (size_t)count * sizeof(nt_node *));
    return copy;
}

static void close_gap(nt_node **nodes, int place, int count)
{
    memmove(nodes + place, nodes + place + 1, (size_t)(count - place) * sizeof *nodes);
}

static nt_status document_set_put(const change *c, const nt_node *old, const char *path,
                                  nt_node **out);

static nt_status put_in_list(const change *c, const nt_node *old, const char *path, int length,
                             const char *rest, nt_node **out)
{
    long place = 0;
    for (int i = 0; i < length; i++) {
        bool digit = path[i] >= '0' && path[i] <= '9';
        place = digit && place < old->count ? 10 * place + (path[i] - '0') : old->count;
    }
    if (place >= old->count)
        return nt_fail_at(c->error, NT_BAD_MODEL, c->source->name, 0, 0,
                          "'%.*s' stands for an element of a list of %d, expected 0 to %d", length,
                          path, old->count, old->count - 1);
    nt_node *child, *node = document_set_create(c, NT_NODE_LIST);
    nt_node **values = copy_nodes(c, old->values, old->count);
    if (!node || !values)
        return document_set_no_memory(c);
    nt_status status = document_set_put(c, old->values[place], rest, &child);
    if (status != NT_OK)
        return status;
    *node = *old;
    node->values = values;
    values[place] = child;
    if (!child)
        close_gap(values, (int)place, --node->count);
    nt_node_measure(node);
    *out = node;
    return NT_OK;
}

/* old may be NULL, or `key:` with nothing behind: a mapping takes its place. */
static nt_status put_in_mapping(const change *c, const nt_node *old, const char *path, int length,
                                const char *rest, nt_node **out)
{
    bool exists = old && old->kind == NT_NODE_MAPPING;
    int count = exists ? old->count : 0, place = exists ? nt_mapping_find(old, path, length) : -1;
    nt_node *child, *node = document_set_create(c, NT_NODE_MAPPING);
    nt_node **keys = copy_nodes(c, exists ? old->keys : NULL, count);
    nt_node **values = copy_nodes(c, exists ? old->values : NULL, count);
    const nt_node *first, *again;
    if (!node || !keys || !values)
        return document_set_no_memory(c);
    nt_status status = document_set_put(c, place < 0 ? NULL : old->values[place], rest, &child);
    if (status != NT_OK)
        return status;
    if (old)
        *node = (nt_node){.kind = NT_NODE_MAPPING,
                          .line = old->line,
                          .column = old->column,
                          .start = old->start,
                          .source = old->source};
    if (!child) {
        close_gap(keys, place, --count);
        close_gap(values, place, count);
    } else if (place < 0) {
        place = count++;
        keys[place] = create_key(c, path, length);
        if (!keys[place])
            return document_set_no_memory(c);
    }
    if (child)
        values[place] = child;
    node->count = count;
    node->keys = keys;
    node->values = values;
    if (nt_mapping_finish(c->document, node, &first, &again) != NT_OK)
        return document_set_no_memory(c);
    *out = node;
    return NT_OK;
}

/* What takes the place of `old` when the rest of the path is `path`; NULL: the value itself. *out
 * is NULL where the node is removed. */
static nt_status document_set_put(const change *c, const nt_node *old, const char *path,
                                  nt_node **out)
{
    if (!old && !c->value)
        return nt_fail_at(c->error, NT_BAD_MODEL, c->source->name, 0, 0,
                          "null removes a key, and there is none of this name");
    if (!path) {
        *out = c->value;
        return NT_OK;
    }
    const char *dot = strchr(path, '.');
    int length = (int)(dot ? (size_t)(dot - path) : strlen(path));
    const char *rest = dot ? dot + 1 : NULL;
    if (length == 0)
        return nt_fail_at(c->error, NT_BAD_MODEL, c->source->name, 0, 0,
                          "a part of the path is empty, expected names joined by dots");
    if (old && old->kind == NT_NODE_LIST)
        return put_in_list(c, old, path, length, rest, out);
    if (!old || old->kind == NT_NODE_MAPPING || nt_node_is_empty(old))
        return put_in_mapping(c, old, path, length, rest, out);
    return nt_fail_at(
        c->error, NT_BAD_MODEL, c->source->name, 0, 0,
        "'%.*s' cannot be set: text stands there (%s, line %d), expected a mapping or "
        "a list",
        length, path, old->source->name, old->line);
}

nt_status nt_document_set(nt_document *document, const char *path, const char *value,
                          nt_error *error)
{
    static const char prefix[] = "--set ";
    if (!nt_text_is_line(path, strlen(path)))
        return nt_fail_at(error, NT_BAD_MODEL, "--set", 0, 0,
                          "the path holds a line end, a control character or a byte that is not "
                          "UTF-8, expected names joined by dots");
    nt_node *root;
    size_t path_length = strlen(path), length = strlen(value);
    nt_source *source = nt_document_take(document, 1, sizeof *source);
    char *name = nt_document_take(document, sizeof prefix + path_length, 1);
    char *text = nt_document_take(document, length + 1, 1);
    change c = {.document = document, .source = source, .error = error};
    if (!source || !name || !text)
        return document_set_no_memory(&c);
    memcpy(name, prefix, sizeof prefix - 1);
    memcpy(name + sizeof prefix - 1, path, path_length);
    memcpy(text, value, length);
    *source = (nt_source){.name = name, .text = text, .length = length};
    if (length > document->limits.bytes)
        return nt_fail_at(error, NT_BAD_MODEL, name, 0, 0, "the value is too long");
    if (strspn(value, " \t\r\n") == length)
        return nt_fail_at(error, NT_BAD_MODEL, name, 0, 0, "the value is empty, expected one");

    nt_status status = nt_document_build(document, source, &c.value, error);
    if (status != NT_OK)
        return status;
    int levels = c.value->height, parts = 1;
    if (nt_node_is_null(c.value))
        c.value = NULL;
    for (const char *dot = strchr(path, '.'); dot && parts <= document->limits.depth;
         dot = strchr(dot + 1, '.'))
        parts++;
    if (parts + levels > document->limits.depth)
        return nt_fail_at(error, NT_BAD_MODEL, name, 0, 0, "nested more than %d deep",
                          document->limits.depth);
    status = document_set_put(&c, document->root, path, &root);
    if (status != NT_OK)
        return status;
    if (root->total > document->limits.nodes)
        return nt_fail_at(error, NT_BAD_MODEL, name, 0, 0, "more than %d values in the document",
                          document->limits.nodes);
    document->root = root;
    return NT_OK;
}
