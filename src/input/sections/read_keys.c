/* A mapping against its table of keys. */
#include "input/reader.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

/* Other spellings of `on`: `body`, and `true`, which other programs make of `on` when they write
 * YAML. */
static bool spells(const nt_node *name, const char *key)
{
    bool on = strcmp(key, "on") == 0;
    return nt_node_is(name, key) || (on && (nt_node_is(name, "body") || nt_node_is(name, "true")));
}
static bool keys_spells(const nt_node *name, const nt_key *key) { return spells(name, key->name); }

const nt_node *nt_read_given(const nt_node *mapping, const char *key)
{
    for (int i = 0; i < mapping->count; i++)
        if (spells(mapping->keys[i], key))
            return mapping->values[i];
    return NULL;
}

static const nt_key *keys_find(const nt_key *keys, const nt_node *name)
{
    for (const nt_key *key = keys; key->name; key++)
        if (keys_spells(name, key))
            return key;
    return NULL;
}

/* Whether a mapping has a key, in any spelling. */
static bool keys_given(const nt_node *mapping, const nt_key *key)
{
    for (int i = 0; i < mapping->count; i++)
        if (keys_spells(mapping->keys[i], key))
            return true;
    return false;
}

/* A key in two spellings would be given twice; one that was not meant is remarked on. */
static nt_status check_spelling(nt_reader *reader, const nt_key *key, const nt_node *mapping,
                                int at, const char *what)
{
    const nt_node *name = mapping->keys[at];
    char words[3 * NT_WORDS];
    if (nt_node_is(name, key->name))
        return NT_OK;
    for (int i = 0; i < mapping->count; i++)
        if (i != at && keys_spells(mapping->keys[i], key))
            return nt_node_fail(reader->error, name,
                                "%s has both '%s' and '%s', expected one of them", what,
                                mapping->keys[i]->text, name->text);
    if (!nt_node_is(name, "true"))
        return NT_OK;
    snprintf(words, sizeof words,
             "%s: the key 'true' is read as 'on', which some programs that "
             "write YAML turn into it",
             what);
    return nt_read_note(reader, name, words);
}

/* ---- what is there but unknown, and what is missing -------------------------------------------
 */

/* "mass, inertia, position" in text[size] */
static const char *names_of(const nt_key *keys, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const nt_key *key = keys; key->name && used < size; key++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", key->name);
    return text;
}

/* --set names parameters as they are: they are the mapping's own where it has some. */
static void offer_parameters(nt_suggestion *search, const nt_node *name, const nt_node *mapping)
{
    const nt_node *parameters = nt_node_find(mapping, "parameters");
    if (strncmp(name->source->name, "--set ", 6) != 0 || !parameters)
        return;
    for (int i = 0; parameters->kind == NT_NODE_MAPPING && i < parameters->count; i++)
        nt_suggest_offer(search, parameters->keys[i]->text);
}

static nt_status unknown_key(nt_reader *reader, const nt_key *keys, const nt_node *name,
                             const nt_node *mapping, const char *what)
{
    char shown[NT_WORDS], known[512];
    nt_suggestion search;
    nt_suggest_start(&search, name->text, name->length);
    for (const nt_key *key = keys; key->name; key++)
        nt_suggest_offer(&search, key->name);
    offer_parameters(&search, name, mapping);
    names_of(keys, known, sizeof known);
    nt_read_words(name, shown, sizeof shown);
    if (name->length > 0 && name->text[0] >= '0' && name->text[0] <= '9')
        return nt_node_fail(reader->error, name,
                            "unknown key %s in %s: a comma separates keys, numbers have a decimal "
                            "point",
                            shown, what);
    if (search.best)
        return nt_node_fail(reader->error, name, "unknown key %s in %s; did you mean '%s'?", shown,
                            what, search.best);
    return nt_node_fail(reader->error, name, "unknown key %s in %s, expected one of %s", shown,
                        what, known);
}

/* Keys that say nothing without another one. */
static nt_status check_needs(nt_reader *reader, const nt_key *keys, const nt_node *mapping,
                             const char *what)
{
    for (int i = 0; i < mapping->count; i++) {
        const nt_key *key = keys_find(keys, mapping->keys[i]);
        if (key && key->needs && !nt_node_find(mapping, key->needs))
            return nt_node_fail(reader->error, mapping->keys[i],
                                "%s has the key '%s', which says nothing without '%s'", what,
                                key->name, key->needs);
    }
    return NT_OK;
}

nt_status nt_read_check_keys(nt_reader *reader, const nt_key *keys, const nt_node *owner,
                             const nt_node *mapping, const char *what, bool typed)
{
    char got[NT_WORDS], known[512];
    if (mapping->kind != NT_NODE_MAPPING)
        return nt_node_fail(reader->error, nt_node_is_empty(mapping) && owner ? owner : mapping,
                            "%s: expected a mapping of keys (%s), got %s", what,
                            names_of(keys, known, sizeof known),
                            nt_read_words(mapping, got, sizeof got));
    for (int i = 0; i < mapping->count; i++)
        if (!keys_find(keys, mapping->keys[i]) && !(typed && nt_node_is(mapping->keys[i], "type")))
            return unknown_key(reader, keys, mapping->keys[i], mapping, what);
    for (const nt_key *key = keys; key->name; key++)
        if (key->required && !keys_given(mapping, key)) {
            char expected[NT_WORDS];
            return nt_node_fail(reader->error, owner ? owner : mapping,
                                "%s lacks the key '%s', expected %s", what, key->name,
                                nt_key_expected(key, expected, sizeof expected));
        }
    return check_needs(reader, keys, mapping, what);
}

/* ---- all keys of a mapping --------------------------------------------------------------------
 */

/* Points that are not given are no markers. */
static void clear_points(const nt_key *keys, void *data)
{
    for (const nt_key *key = keys; key->name; key++) {
        nt_place_of_point *point = (nt_place_of_point *)((char *)data + key->offset);
        if (key->type == NT_KEY_POINT)
            point->marker = -1;
        else if (key->type == NT_KEY_POINTS)
            point[0].marker = point[1].marker = -1;
        else if (key->type == NT_KEY_GROUP)
            clear_points(key->group, data);
    }
}

static nt_status read_all(nt_reader *reader, const nt_key *keys, const nt_node *owner,
                          const nt_node *mapping, const char *what, nt_scope scope, bool typed,
                          void *data);

/* A mapping within a mapping; one without keys is the rest of a thought. */
static nt_status read_group(nt_reader *reader, const nt_key *key, const nt_node *owner,
                            const nt_node *value, const char *what, nt_scope scope, void *data)
{
    char inner[2 * NT_WORDS], known[512];
    snprintf(inner, sizeof inner, "%s of %.*s", key->name, NT_WORDS, what);
    if (value->kind == NT_NODE_MAPPING && value->count == 0)
        return nt_node_fail(reader->error, value,
                            "%s: expected a mapping of keys (%s), got an empty one", inner,
                            names_of(key->group, known, sizeof known));
    return read_all(reader, key->group, owner, value, inner, scope, false, data);
}

static nt_status read_all(nt_reader *reader, const nt_key *keys, const nt_node *owner,
                          const nt_node *mapping, const char *what, nt_scope scope, bool typed,
                          void *data)
{
    unsigned *given = data;
    nt_status status = nt_read_check_keys(reader, keys, owner, mapping, what, typed);
    for (int i = 0; i < mapping->count && status == NT_OK; i++) {
        const nt_key *key = keys_find(keys, mapping->keys[i]);
        const nt_node *value = mapping->values[i];
        if (!key)
            continue; /* type */
        status = check_spelling(reader, key, mapping, i, what);
        if (status != NT_OK)
            break;
        if (key->type == NT_KEY_GROUP && key->choices && value->kind == NT_NODE_SCALAR &&
            nt_node_is(value, key->choices[0]))
            continue; /* none */
        if (key->type == NT_KEY_GROUP || (key->group && value->kind == NT_NODE_MAPPING))
            status = read_group(reader, key, mapping->keys[i], value, what, scope, data);
        else
            status = nt_read_value(reader, key, value, scope, data);
        if (key->bit >= 0)
            *given |= 1u << key->bit;
    }
    return status;
}

nt_status nt_read_keys(nt_reader *reader, const nt_key *keys, const nt_node *owner,
                       const nt_node *mapping, const char *what, nt_scope scope, bool typed,
                       void *data)
{
    clear_points(keys, data);
    return read_all(reader, keys, owner, mapping, what, scope, typed, data);
}

nt_status nt_read_check_section(nt_reader *reader, const char *name, const nt_node *section)
{
    char got[NT_WORDS];
    if (section->kind == NT_NODE_MAPPING)
        return NT_OK;
    return nt_node_fail(reader->error, section,
                        "%s: expected a mapping by name ({} for none), got %s", name,
                        nt_read_words(section, got, sizeof got));
}
