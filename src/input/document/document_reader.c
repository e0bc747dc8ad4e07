/* From libyaml's events to the tree of a document. */
#include "base/error.h"
#include "base/text.h"
#include "input/document/document.h"
#include "input/document/document_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* Anchors are looked up one by one; this bounds the work. */
enum { ANCHORS = 1000 };
enum { TAG_WORDS = 256 };

typedef struct anchor {
    char *name;
    nt_node *node;
    bool open; /* its list or mapping has not ended */
} anchor;

/* A list or mapping that has begun. Its children wait in `pending` from `first` on, in a mapping
 * keys and values by turns. */
typedef struct frame {
    nt_node *node;
    size_t first;
    int anchor; /* -1 where it has none */
    bool flow;  /* a mapping in { }     */
} frame;

typedef struct reader {
    nt_document *document;
    const nt_source *source;
    nt_error *error;
    nt_status status;
    yaml_parser_t parser;
    size_t skipped, index, byte; /* byte order mark; character number `index` is at `byte` */
    frame *frames;               /* [limits.depth] */
    int depth;
    nt_node **pending;
    size_t n_pending, pending_room;
    anchor *anchors; /* [ANCHORS] */
    int n_anchors;
    nt_node *root;
} reader;

#define FAIL_AT(r, line, column, ...)                                                              \
    ((r)->status =                                                                                 \
         nt_fail_at((r)->error, NT_BAD_MODEL, (r)->source->name, (line), (column), __VA_ARGS__),   \
     false)
#define FAIL(r, event, ...)                                                                        \
    FAIL_AT(r, (int)(event)->start_mark.line + 1, (int)(event)->start_mark.column + 1, __VA_ARGS__)

static bool document_reader_no_memory(reader *r)
{
    r->status = nt_fail(r->error, NT_NO_MEMORY, "out of memory");
    return false;
}

/* ---- characters -------------------------------------------------------------------------------
 */

/* Find the first thing that is no text: libyaml would say only that something is wrong. */
static bool check_characters(reader *r)
{
    const char *text = r->source->text;
    size_t at = r->skipped, size = r->source->length;
    int line = 1, column = 1;
    while (at < size) {
        size_t length = nt_character_length(text + at, size - at);
        if (length == 0)
            return FAIL_AT(r, line, column, "byte 0x%02X does not belong to UTF-8 text",
                           (unsigned char)text[at]);
        if (nt_character_is_control(text + at, length))
            return FAIL_AT(r, line, column,
                           "control character 0x%02X, expected text: is this a YAML file?",
                           (unsigned char)text[at + length - 1]);
        bool pair = text[at] == '\r' && at + 1 < size && text[at + 1] == '\n';
        if (text[at] == '\n' || (text[at] == '\r' && !pair))
            line++, column = 1;
        else
            column++;
        at += length;
    }
    return true;
}

/* The byte of a mark. Marks count characters, and come in order. */
static size_t byte_of(reader *r, const yaml_mark_t *mark)
{
    const char *text = r->source->text;
    if (mark->index < r->index)
        r->index = 0, r->byte = r->skipped;
    while (r->index < mark->index && r->byte < r->source->length) {
        do
            r->byte++;
        while (((unsigned char)text[r->byte] & 0xC0) == 0x80);
        r->index++;
    }
    return r->byte;
}

/* ---- nodes ------------------------------------------------------------------------------------
 */

static bool count_nodes(reader *r, const yaml_event_t *event, int more)
{
    nt_document *d = r->document;
    if (more > d->limits.nodes - d->n_nodes)
        return FAIL(r, event,
                    event->type == YAML_ALIAS_EVENT
                        ? "aliases expand to more than the %d values that are accepted"
                        : "more than the %d values that are accepted",
                    d->limits.nodes);
    d->n_nodes += more;
    return true;
}

static nt_node *document_reader_create(reader *r, const yaml_event_t *event, nt_node_kind kind)
{
    if (!count_nodes(r, event, 1))
        return NULL;
    nt_node *node = nt_document_take(r->document, 1, sizeof *node);
    if (!node) {
        document_reader_no_memory(r);
        return NULL;
    }
    node->kind = (unsigned char)kind;
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    node->start = byte_of(r, &event->start_mark);
    node->source = r->source;
    node->total = 1;
    return node;
}

static bool expects_key(const reader *r)
{
    const frame *f = r->depth > 0 ? &r->frames[r->depth - 1] : NULL;
    return f && f->node->kind == NT_NODE_MAPPING && (r->n_pending - f->first) % 2 == 0;
}

static bool attach(reader *r, nt_node *node)
{
    if (r->depth == 0) {
        r->root = node;
        return true;
    }
    if (r->n_pending == r->pending_room) {
        size_t room = r->pending_room ? 2 * r->pending_room : 256;
        nt_node **more = realloc(r->pending, room * sizeof(nt_node *));
        if (!more)
            return document_reader_no_memory(r);
        r->pending = more;
        r->pending_room = room;
    }
    r->pending[r->n_pending++] = node;
    return true;
}

/* Remember an anchor; *place is its number, or -1 where there is none. */
static bool add_anchor(reader *r, const yaml_event_t *event, const yaml_char_t *name, nt_node *node,
                       int *place)
{
    *place = -1;
    if (!name)
        return true;
    size_t length = strlen((const char *)name);
    for (int i = 0; i < r->n_anchors; i++)
        if (strcmp(r->anchors[i].name, (const char *)name) == 0)
            return FAIL(r, event, "anchor '&%.60s' is defined twice, first in line %d",
                        (const char *)name, r->anchors[i].node->line);
    if (r->n_anchors == ANCHORS)
        return FAIL(r, event, "more than %d anchors", ANCHORS);
    char *copy = nt_document_take(r->document, length + 1, 1);
    if (!copy)
        return document_reader_no_memory(r);
    memcpy(copy, name, length);
    *place = r->n_anchors;
    r->anchors[r->n_anchors++] = (anchor){.name = copy, .node = node};
    return true;
}

/* ---- events -----------------------------------------------------------------------------------
 */

static nt_node_style style_of(yaml_scalar_style_t style)
{
    return style == YAML_SINGLE_QUOTED_SCALAR_STYLE   ? NT_STYLE_SINGLE_QUOTED
           : style == YAML_DOUBLE_QUOTED_SCALAR_STYLE ? NT_STYLE_DOUBLE_QUOTED
           : style == YAML_LITERAL_SCALAR_STYLE       ? NT_STYLE_LITERAL
           : style == YAML_FOLDED_SCALAR_STYLE        ? NT_STYLE_FOLDED
                                                      : NT_STYLE_PLAIN;
}

static bool on_scalar(reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    nt_node_style style = style_of(event->data.scalar.style);
    bool plain = style == NT_STYLE_PLAIN;
    char words[TAG_WORDS];
    int place;
    if (memchr(text, 0, length))
        return FAIL(r, event, "this text holds a NUL character (\\0)");
    if (!nt_tag_of_scalar((const char *)event->data.scalar.tag, text, length, &plain, words,
                          sizeof words))
        return FAIL(r, event, "%s", words);
    if (expects_key(r) && plain && length == 2 && memcmp(text, "<<", 2) == 0)
        return FAIL(r, event, "merge keys (<<) are not supported: expected the keys written out");
    if (expects_key(r) && length == 0)
        return FAIL(r, event, "an empty key, expected a name");
    if (expects_key(r) && !nt_text_is_line(text, length))
        return FAIL(r, event, "a key with a line end or a control character, expected a name");
    nt_node *node = document_reader_create(r, event, NT_NODE_SCALAR);
    if (!node)
        return false;
    char *copy = nt_document_take(r->document, length + 1, 1);
    if (!copy)
        return document_reader_no_memory(r);
    memcpy(copy, text, length);
    node->text = copy;
    node->length = (int)length;
    node->style = (unsigned char)style;
    node->plain = plain;
    return add_anchor(r, event, event->data.scalar.anchor, node, &place) && attach(r, node);
}

static bool on_alias(reader *r, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const nt_document_limits *limits = &r->document->limits;
    int i = 0;
    if (expects_key(r))
        return FAIL(r, event, "alias '*%.60s' as a key, expected a name", name);
    while (i < r->n_anchors && strcmp(r->anchors[i].name, name) != 0)
        i++;
    if (i == r->n_anchors)
        return FAIL(r, event, "alias '*%.60s' names no anchor, expected '&%.60s' before it", name,
                    name);
    nt_node *node = r->anchors[i].node;
    if (r->anchors[i].open)
        return FAIL(r, event, "alias '*%.60s' stands inside its own anchor (line %d)", name,
                    node->line);
    if (++r->document->n_aliases > limits->aliases)
        return FAIL(r, event, "more than the %d aliases that are accepted", limits->aliases);
    if (r->depth + node->height > limits->depth)
        return FAIL(r, event, "nested more than %d deep", limits->depth);
    return count_nodes(r, event, node->total) && attach(r, node);
}

static bool on_begin(reader *r, const yaml_event_t *event, nt_node_kind kind)
{
    bool list = kind == NT_NODE_LIST;
    const yaml_char_t *tag = list ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    const yaml_char_t *name =
        list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    char words[TAG_WORDS];
    int place;
    if (!nt_tag_of_collection((const char *)tag, list, words, sizeof words))
        return FAIL(r, event, "%s", words);
    if (expects_key(r))
        return FAIL(r, event, "%s as a key, expected a name", list ? "a list" : "a mapping");
    if (r->depth == r->document->limits.depth)
        return FAIL(r, event, "nested more than %d deep", r->document->limits.depth);
    nt_node *node = document_reader_create(r, event, kind);
    if (!node || !add_anchor(r, event, name, node, &place))
        return false;
    if (place >= 0)
        r->anchors[place].open = true;
    bool flow = !list && event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    r->frames[r->depth++] = (frame){node, r->n_pending, place, flow};
    return true;
}

/* { p: max(a, b) } is a mapping of p to "max(a" and of "b)" to nothing. */
static bool refuse_cut(reader *r, const nt_node *mapping)
{
    for (int i = 0; i + 1 < mapping->count; i++) {
        const nt_node *value = mapping->values[i];
        if (nt_node_opens(value) && nt_node_is_empty(mapping->values[i + 1]))
            return FAIL_AT(r, value->line, value->column,
                           "'%.60s' ends at a comma: inside { } an expression with commas needs "
                           "quotes",
                           value->text);
    }
    return true;
}

static bool on_end(reader *r)
{
    frame f = r->frames[--r->depth];
    size_t each = f.node->kind == NT_NODE_MAPPING ? 2 : 1, n = (r->n_pending - f.first) / each;
    nt_node **values = nt_document_take(r->document, n, sizeof(nt_node *));
    nt_node **keys = each == 2 ? nt_document_take(r->document, n, sizeof(nt_node *)) : NULL;
    if (!values || (each == 2 && !keys))
        return document_reader_no_memory(r);
    for (size_t i = 0; i < n; i++) {
        values[i] = r->pending[f.first + each * i + each - 1];
        if (keys)
            keys[i] = r->pending[f.first + each * i];
    }
    r->n_pending = f.first;
    f.node->count = (int)n;
    f.node->values = values;
    f.node->keys = keys;
    if (f.anchor >= 0)
        r->anchors[f.anchor].open = false;
    if (!keys) {
        nt_node_measure(f.node);
        return attach(r, f.node);
    }
    const nt_node *first, *again;
    if (f.flow && !refuse_cut(r, f.node))
        return false;
    if (nt_mapping_finish(r->document, f.node, &first, &again) != NT_OK)
        return document_reader_no_memory(r);
    if (again)
        return FAIL_AT(r, again->line, again->column,
                       "key '%.60s' is given twice, first in line %d, column %d", again->text,
                       first->line, first->column);
    return attach(r, f.node);
}

static bool on_document(reader *r, const yaml_event_t *event)
{
    if (r->root)
        return FAIL(r, event, "a second document begins here, expected only one");
    return true;
}

static bool handle(reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return on_document(r, event);
    case YAML_SCALAR_EVENT:
        return on_scalar(r, event);
    case YAML_ALIAS_EVENT:
        return on_alias(r, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_begin(r, event, NT_NODE_LIST);
    case YAML_MAPPING_START_EVENT:
        return on_begin(r, event, NT_NODE_MAPPING);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_end(r);
    default:
        return true;
    }
}

/* ---- the whole text -----------------------------------------------------------------------------
 */

/* libyaml puts the end of a text without a final newline on a line of its own. */
static void keep_inside(const reader *r, int *line, int *column)
{
    const char *text = r->source->text;
    int last_line = 1, last_column = 1;
    for (size_t i = r->skipped; i < r->source->length; i++) {
        bool pair = text[i] == '\r' && text[i + 1] == '\n';
        if (text[i] == '\n' || (text[i] == '\r' && !pair))
            last_line++, last_column = 1;
        else if (((unsigned char)text[i] & 0xC0) != 0x80)
            last_column++;
    }
    if (*line > last_line)
        *line = last_line, *column = last_column;
}

/* What libyaml found wrong, and the list or mapping that it was in. */
static bool fail_syntax(reader *r)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return document_reader_no_memory(r);
    if (p->error == YAML_READER_ERROR)
        return FAIL_AT(r, (int)p->mark.line + 1, (int)p->mark.column + 1, "not valid YAML: %s",
                       p->problem);
    int line = (int)p->problem_mark.line + 1, column = (int)p->problem_mark.column + 1;
    size_t at = byte_of(r, &p->problem_mark);
    keep_inside(r, &line, &column);
    const char *tab = at < r->source->length && r->source->text[at] == '\t'
                          ? " (indent with blanks, not tabs)"
                          : "";
    if (p->context)
        return FAIL_AT(r, line, column, "not valid YAML: %s %s that begins in line %d, column %d%s",
                       p->problem, p->context, (int)p->context_mark.line + 1,
                       (int)p->context_mark.column + 1, tab);
    return FAIL_AT(r, line, column, "not valid YAML: %s%s", p->problem, tab);
}

static bool read_events(reader *r)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event))
            return fail_syntax(r);
        bool done = handle(r, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (!done)
            return false;
    }
    if (!r->root)
        return FAIL_AT(r, 1, 1, "empty, expected keys and values");
    return true;
}

nt_status nt_document_build(nt_document *document, const nt_source *source, nt_node **root,
                            nt_error *error)
{
    reader r = {.document = document, .source = source, .error = error};
    const unsigned char *text = (const unsigned char *)source->text;
    if (source->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        r.skipped = r.byte = 3;
    if (!check_characters(&r))
        return r.status;
    if (!yaml_parser_initialize(&r.parser)) {
        document_reader_no_memory(&r);
        return r.status;
    }
    r.frames = calloc((size_t)document->limits.depth + 1, sizeof *r.frames);
    r.anchors = calloc(ANCHORS, sizeof *r.anchors);
    if (!r.frames || !r.anchors) {
        document_reader_no_memory(&r);
        goto done;
    }
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, text + r.skipped, source->length - r.skipped);
    if (read_events(&r))
        *root = r.root;
done:
    yaml_parser_delete(&r.parser);
    free(r.frames);
    free(r.pending);
    free(r.anchors);
    return r.status;
}
