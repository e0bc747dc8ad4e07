/* The JSON Schema of the model file, draft 2020-12, written from the key tables.
 *
 * Editors use it to complete and check keys. It is no substitute for the reader: whether names
 * exist and expressions make sense, only the reader knows. */
#include "input/sink.h"
#include "input/tables.h"
#include "model/shapes.h"

#include <stdio.h>
#include <string.h>

/* ---- JSON, member by member ----------------------------------------------------------------- */

typedef struct writer {
    nt_sink sink;
    int depth;
    bool first; /* nothing is in the innermost object or list yet */
} writer;

static void line(writer *w)
{
    nt_sink_print(&w->sink, "%s\n%*s", w->first ? "" : ",", 2 * w->depth, "");
    w->first = false;
}

/* The start of a member of an object, or with a NULL name of an item of a list. */
static void member(writer *w, const char *name)
{
    line(w);
    if (name) {
        nt_sink_json(&w->sink, name);
        nt_sink_print(&w->sink, ": ");
    }
}

static void schema_begin(writer *w, const char *name, const char *bracket)
{
    member(w, name);
    nt_sink_print(&w->sink, "%s", bracket);
    w->depth++;
    w->first = true;
}

static void end(writer *w, const char *bracket)
{
    w->depth--;
    w->first = true;
    line(w);
    nt_sink_print(&w->sink, "%s", bracket);
    w->first = false;
}

static void text(writer *w, const char *name, const char *value)
{
    member(w, name);
    nt_sink_json(&w->sink, value);
}

/* A member whose value is JSON already. */
static void plain(writer *w, const char *name, const char *json)
{
    member(w, name);
    nt_sink_print(&w->sink, "%s", json);
}

static void reference(writer *w, const char *name, const char *definition)
{
    char json[80];
    snprintf(json, sizeof json, "{\"$ref\": \"#/$defs/%s\"}", definition);
    plain(w, name, json);
}

/* What the innermost object describes is what a definition says. */
static void same_as(writer *w, const char *definition)
{
    char json[80];
    snprintf(json, sizeof json, "\"#/$defs/%s\"", definition);
    plain(w, "$ref", json);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void key_value(writer *w, const nt_key *key);

static void schema_describe(writer *w, const nt_key *key)
{
    char words[1024];
    bool unit = key->unit && key->unit[0];
    snprintf(words, sizeof words, "%s%s%s%s", key->meaning ? key->meaning : "", unit ? " (" : "",
             unit ? key->unit : "", unit ? ")" : "");
    text(w, "description", words);
}

static void one_key(writer *w, const nt_key *key)
{
    schema_begin(w, key->name, "{");
    schema_describe(w, key);
    key_value(w, key);
    end(w, "}");
}

/* Keys that say nothing without another one. */
static void needs(writer *w, const nt_key *keys)
{
    const nt_key *key = keys;
    while (key->name && !key->needs)
        key++;
    if (!key->name)
        return;
    schema_begin(w, "dependentRequired", "{");
    for (; key->name; key++)
        if (key->needs) {
            schema_begin(w, key->name, "[");
            text(w, NULL, key->needs);
            end(w, "]");
        }
    end(w, "}");
}

/* The type goes without saying where there is one. */
static bool may_lack_type(const char *type)
{
    for (int i = 0; i < nt_element_type_count(); i++)
        if (strcmp(nt_element_type_at(i)->name, type) == 0)
            return nt_element_type_at(i)->section->one_type;
    return false;
}

/* The members of an object that has the keys of a table; type, where not NULL, is the value that
 * its key `type` must have. */
static void object(writer *w, const nt_key *keys, const char *type)
{
    plain(w, "type", "\"object\"");
    plain(w, "additionalProperties", "false");
    schema_begin(w, "properties", "{");
    if (type) {
        schema_begin(w, "type", "{");
        text(w, "const", type);
        end(w, "}");
    }
    for (const nt_key *key = keys; key->name; key++)
        one_key(w, key);
    end(w, "}");
    schema_begin(w, "required", "[");
    if (type && !may_lack_type(type))
        text(w, NULL, "type");
    for (const nt_key *key = keys; key->name; key++)
        if (key->required)
            text(w, NULL, key->name);
    end(w, "]");
    needs(w, keys);
}

/* A mapping of names chosen by the writer of the model: all values alike. */
static void by_name(writer *w, const char *names)
{
    plain(w, "type", "\"object\"");
    reference(w, "propertyNames", names);
}

static void schema_list(writer *w, int low, int high, const char *item)
{
    plain(w, "type", "\"array\"");
    member(w, "minItems");
    nt_sink_print(&w->sink, "%d", low);
    member(w, "maxItems");
    nt_sink_print(&w->sink, "%d", high);
    reference(w, "items", item);
}

/* low or high numbers, nothing between unless up_to; one number alone where they are counted. */
static void numbers(writer *w, const nt_key *key)
{
    int low = key->low, high = key->high;
    bool one = low == 1 && (!key->up_to || key->count_offset > 0);
    if (low == high || (key->up_to && !one)) {
        schema_list(w, low, high, "number");
        return;
    }
    schema_begin(w, "anyOf", "[");
    schema_begin(w, NULL, "{");
    if (low == 1)
        same_as(w, "number");
    else
        schema_list(w, low, low, "number");
    end(w, "}");
    schema_begin(w, NULL, "{");
    schema_list(w, key->up_to ? low : high, high, "number");
    end(w, "}");
    end(w, "]");
}

/* All numbers row by row, rows, or the diagonal. */
static void matrix(writer *w, int rows)
{
    schema_begin(w, "anyOf", "[");
    schema_begin(w, NULL, "{");
    schema_list(w, rows, rows, "number");
    end(w, "}");
    schema_begin(w, NULL, "{");
    schema_list(w, rows * rows, rows * rows, "number");
    end(w, "}");
    schema_begin(w, NULL, "{");
    plain(w, "type", "\"array\"");
    member(w, "minItems");
    nt_sink_print(&w->sink, "%d", rows);
    member(w, "maxItems");
    nt_sink_print(&w->sink, "%d", rows);
    schema_begin(w, "items", "{");
    schema_list(w, rows, rows, "number");
    end(w, "}");
    end(w, "}");
    end(w, "]");
}

/* Any number of numbers, of lists of `low` numbers, or of mappings. */
static void schema_array(writer *w, const nt_key *key)
{
    plain(w, "type", "\"array\"");
    if (key->group) {
        schema_begin(w, "items", "{");
        object(w, key->group, NULL);
        end(w, "}");
        return;
    }
    if (key->low == 1) {
        reference(w, "items", "number");
        return;
    }
    if (key->low == 0) { /* of blocks: expressions, or rows of numbers */
        schema_begin(w, "items", "{");
        schema_begin(w, "anyOf", "[");
        reference(w, NULL, "function");
        plain(w, NULL, "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}}");
        end(w, "]");
        end(w, "}");
        return;
    }
    schema_begin(w, "items", "{");
    schema_list(w, key->low, key->low, "number");
    end(w, "}");
}

/* A number for all keys of the group, or the group. */
static void schema_number(writer *w, const nt_key *key)
{
    if (!key->group) {
        same_as(w, "number");
        return;
    }
    schema_begin(w, "anyOf", "[");
    reference(w, NULL, "number");
    schema_begin(w, NULL, "{");
    object(w, key->group, NULL);
    end(w, "}");
    end(w, "]");
}

static void elements(writer *w, const nt_key *section)
{
    by_name(w, "name");
    schema_begin(w, "additionalProperties", "{");
    schema_begin(w, "anyOf", "[");
    for (int i = 0; i < nt_element_type_count(); i++) {
        const nt_element_type *type = nt_element_type_at(i);
        if (strcmp(type->section->name, section->name) != 0)
            continue;
        schema_begin(w, NULL, "{");
        text(w, "title", type->name);
        text(w, "description", type->summary);
        object(w, type->keys, type->name);
        end(w, "}");
    }
    end(w, "]");
    end(w, "}");
}

static void objects(writer *w, const nt_key *section)
{
    by_name(w, "name");
    schema_begin(w, "additionalProperties", "{");
    object(w, section->group, NULL);
    end(w, "}");
}

static void choices(writer *w, const nt_key *key)
{
    schema_begin(w, "enum", "[");
    for (int i = 0; key->choices[i]; i++)
        text(w, NULL, key->choices[i]);
    end(w, "]");
}

/* Describes the value of a section of the file, or of a key in `simulation`. */
static void section_value(writer *w, const nt_key *key)
{
    switch ((int)key->type) {
    case NT_KEY_OPTIONS:
        plain(w, "type", "\"object\"");
        plain(w, "additionalProperties", "{\"type\": [\"number\", \"string\", \"boolean\"]}");
        break;
    case NT_KEY_VERSION:
        member(w, "const");
        nt_sink_print(&w->sink, "%d", NT_FILE_VERSION);
        break;
    case NT_KEY_PARAMETERS:
        by_name(w, "parameter");
        reference(w, "additionalProperties", "number");
        break;
    case NT_KEY_EXPRESSIONS:
        by_name(w, "parameter");
        reference(w, "additionalProperties", "function");
        break;
    case NT_KEY_FILES:
        by_name(w, "parameter");
        schema_begin(w, "additionalProperties", "{");
        schema_begin(w, "anyOf", "[");
        plain(w, NULL, "{\"type\": \"string\"}");
        schema_begin(w, NULL, "{");
        object(w, key->group, NULL);
        end(w, "}");
        end(w, "]");
        end(w, "}");
        break;
    case NT_KEY_OBJECTS:
        objects(w, key);
        break;
    case NT_KEY_ELEMENTS:
        elements(w, key);
        break;
    }
}

/* The keys of the group, or a word that stands for none. */
static void group(writer *w, const nt_key *key)
{
    if (!key->choices) {
        object(w, key->group, NULL);
        return;
    }
    schema_begin(w, "anyOf", "[");
    schema_begin(w, NULL, "{");
    choices(w, key);
    end(w, "}");
    schema_begin(w, NULL, "{");
    object(w, key->group, NULL);
    end(w, "}");
    end(w, "]");
}

/* Lists of so many functions. */
static void schema_rows(writer *w, const nt_key *key)
{
    plain(w, "type", "\"array\"");
    member(w, "minItems");
    nt_sink_print(&w->sink, "%d", key->high > 0 ? key->high : 3);
    schema_begin(w, "items", "{");
    schema_list(w, key->low, key->low, "number");
    end(w, "}");
}

/* A list of mappings. */
static void schema_actions(writer *w, const nt_key *key)
{
    plain(w, "type", "\"array\"");
    schema_begin(w, "items", "{");
    object(w, key->group, NULL);
    end(w, "}");
}

static void key_value(writer *w, const nt_key *key)
{
    switch ((int)key->type) {
    case NT_KEY_ACTIONS:
        schema_actions(w, key);
        break;
    case NT_KEY_SHAPES:
        plain(w, "anyOf",
              "[{\"$ref\": \"#/$defs/shape\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
              "\"#/$defs/shape\"}}]");
        break;
    case NT_KEY_ROWS:
        schema_rows(w, key);
        break;
    case NT_KEY_COLOR:
        plain(w, "anyOf",
              "[{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
              "\"#/$defs/number\"}, \"minItems\": 3, \"maxItems\": 3}]");
        break;
    case NT_KEY_NUMBER:
        schema_number(w, key);
        break;
    case NT_KEY_NUMBERS:
        numbers(w, key);
        break;
    case NT_KEY_ARRAY:
        schema_array(w, key);
        break;
    case NT_KEY_MATRIX:
        matrix(w, key->high);
        break;
    case NT_KEY_FUNCTION:
    case NT_KEY_LAW:
        same_as(w, "function");
        break;
    case NT_KEY_FUNCTIONS:
        schema_list(w, key->high, key->high, "function");
        break;
    case NT_KEY_BODY:
    case NT_KEY_JOINT:
    case NT_KEY_BEAM:
    case NT_KEY_TEXT:
        plain(w, "type", "\"string\"");
        break;
    case NT_KEY_BODIES:
    case NT_KEY_JOINTS:
        schema_list(w, 2, 2, "name");
        break;
    case NT_KEY_POINT:
        same_as(w, "point");
        break;
    case NT_KEY_POINTS:
        schema_list(w, 2, 2, "point");
        break;
    case NT_KEY_ROUTE:
        plain(w, "type", "\"array\"");
        member(w, "minItems");
        nt_sink_print(&w->sink, "%d", key->low);
        schema_begin(w, "items", "{");
        plain(w, "anyOf",
              "[{\"$ref\": \"#/$defs/name\"}, {\"type\": \"array\", \"minItems\": 2, "
              "\"maxItems\": 2, \"prefixItems\": [{\"$ref\": \"#/$defs/name\"}, "
              "{\"$ref\": \"#/$defs/point\"}]}]");
        end(w, "}");
        break;
    case NT_KEY_AXES:
        schema_list(w, 2, 2, "vector");
        break;
    case NT_KEY_CHOICE:
        choices(w, key);
        break;
    case NT_KEY_BOOLEAN:
        plain(w, "type", "\"boolean\"");
        break;
    case NT_KEY_GROUP:
        group(w, key);
        break;
    case NT_KEY_TEXTS:
        plain(w, "type", "\"array\"");
        plain(w, "items", "{\"type\": \"string\"}");
        break;
    default:
        section_value(w, key);
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void definitions(writer *w)
{
    schema_begin(w, "$defs", "{");
    plain(w, "number",
          "{\"description\": \"a number, or an expression of the parameters\", "
          "\"type\": [\"number\", \"string\"]}");
    plain(w, "function",
          "{\"description\": \"a number, or an expression of t, the parameters and quantities of "
          "the model\", \"type\": [\"number\", \"string\"]}");
    plain(w, "vector",
          "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 3, "
          "\"maxItems\": 3}");
    plain(w, "point",
          "{\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"$ref\": \"#/$defs/name\"}]}");
    schema_begin(w, "shape", "{");
    object(w, nt_shape_keys, NULL);
    end(w, "}");
    plain(w, "name", "{\"type\": \"string\", \"pattern\": \"^[A-Za-z][A-Za-z0-9_-]*$\"}");
    plain(w, "parameter", "{\"type\": \"string\", \"pattern\": \"^[A-Za-z][A-Za-z0-9_]*$\"}");
    end(w, "}");
}

int nt_model_schema(char *buffer, int size)
{
    writer w = {.sink = {.text = buffer, .size = buffer ? size : 0}, .first = true};
    nt_sink_print(&w.sink, "{");
    w.depth = 1;
    plain(&w, "$schema", "\"https://json-schema.org/draft/2020-12/schema\"");
    text(&w, "title", "nutate model file");
    object(&w, nt_file_keys, NULL);
    definitions(&w);
    end(&w, "}");
    nt_sink_print(&w.sink, "\n");
    return w.sink.length;
}
