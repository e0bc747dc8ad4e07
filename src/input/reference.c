#include "input/reference.h"

#include "input/sink.h"
#include "input/tables.h"

#include <string.h>

/* ---- tables of keys ------------------------------------------------------------------------- */

/* A cell of a Markdown table: a bar would end it. */
static void cell(nt_sink *sink, const char *text)
{
    for (; *text; text++)
        nt_sink_print(sink, *text == '|' ? "\\%c" : "%c", *text);
}

static void row(nt_sink *sink, const char *prefix, const nt_key *key)
{
    char expected[128];
    nt_sink_print(sink, "| `%s%s` | ", prefix, key->name);
    cell(sink, nt_key_expected(key, expected, sizeof expected));
    nt_sink_print(sink, " | ");
    cell(sink, key->unit ? key->unit : "");
    nt_sink_print(sink, " | %s", key->required ? "**required** " : "");
    cell(sink, key->meaning ? key->meaning : "");
    if (key->needs)
        nt_sink_print(sink, "; needs `%s`", key->needs);
    nt_sink_print(sink, " |\n");
}

/* Keys of groups follow their group, with its name in front. */
static void rows(nt_sink *sink, const char *prefix, const nt_key *keys)
{
    for (const nt_key *key = keys; key->name; key++) {
        char inner[128] = "";
        nt_sink name = {.text = inner, .size = sizeof inner};
        row(sink, prefix, key);
        nt_sink_print(&name, "%s%s.", prefix, key->name);
        if (key->group)
            rows(sink, inner, key->group);
    }
}

static void table_of_keys(nt_sink *sink, const nt_key *keys)
{
    nt_sink_print(sink, "\n| key | expects | unit | meaning |\n|---|---|---|---|\n");
    rows(sink, "", keys);
}

/* ---- sections ------------------------------------------------------------------------------- */

static bool same_keys(const nt_element_type *a, const nt_element_type *b)
{
    return a->section == b->section && a->keys == b->keys;
}

/* Types that share a table of keys are described together, at the first of them. */
static bool described_before(int i)
{
    for (int k = 0; k < i; k++)
        if (same_keys(nt_element_types[k], nt_element_types[i]))
            return true;
    return false;
}

static void types_that_share(nt_sink *sink, int first)
{
    const char *separator = "";
    nt_sink_print(sink, "\n### type: ");
    for (int i = first; i < nt_element_type_count; i++)
        if (same_keys(nt_element_types[first], nt_element_types[i])) {
            nt_sink_print(sink, "%s%s", separator, nt_element_types[i]->name);
            separator = ", ";
        }
    nt_sink_print(sink, "\n\n");
    for (int i = first; i < nt_element_type_count; i++)
        if (same_keys(nt_element_types[first], nt_element_types[i]))
            nt_sink_print(sink, "- `%s`: %s\n", nt_element_types[i]->name,
                          nt_element_types[i]->summary);
    table_of_keys(sink, nt_element_types[first]->keys);
}

static void sentence(nt_sink *sink, const char *text)
{
    bool small = text[0] >= 'a' && text[0] <= 'z';
    nt_sink_print(sink, "%c%s.", small ? text[0] - 'a' + 'A' : text[0], text + 1);
}

static const char points[] =
    "\n"
    "A body with `point: true` is a mass point: it has a place and no rotation, three unknowns\n"
    "instead of six. Whatever acts on it acts at its place. So a place of it that the file\n"
    "gives is its own: its position in ground axes, [0, 0, 0] in axes of the body, or a marker.\n"
    "Only the `at` of a joint may be elsewhere, where the point is held on a line or in a\n"
    "plane.\n"
    "\n"
    "`spherical` and `distance` joints take points as either body; `inline`, `planar` and\n"
    "`prismatic` ones as the second, which leaves of them what they say of places, about one\n"
    "`axis` (of A, in A's own axes where the joint has `points`). Forces, springs, motors along\n"
    "prismatic joints and contacts act on points as on other bodies. What would turn a point or\n"
    "hold its rotation is refused, but for the friction of contacts: a point does not roll, and\n"
    "the moment of friction about it has no effect.\n";

static void section(nt_sink *sink, const nt_key *key)
{
    nt_sink_print(sink, "\n## %s\n\n", key->name);
    sentence(sink, key->meaning);
    if ((int)key->type == NT_KEY_ELEMENTS)
        nt_sink_print(sink, " Each has a `type`, which decides its other keys.");
    nt_sink_print(sink, "\n");
    if (key->group == nt_body_keys)
        nt_sink_print(sink, "%s", points);
    if (key->group)
        table_of_keys(sink, key->group);
    if ((int)key->type == NT_KEY_ELEMENTS)
        for (int i = 0; i < nt_element_type_count; i++)
            if (strcmp(nt_element_types[i]->section->name, key->name) == 0 && !described_before(i))
                types_that_share(sink, i);
}

static void functions(nt_sink *sink)
{
    const nt_function_help *help;
    nt_sink_print(sink, "\n## Functions and constants in expressions\n\n"
                        "| name | meaning |\n|---|---|\n");
    for (int i = 0; (help = nt_expression_function(i)) != NULL; i++) {
        bool constant = help->arguments[0] == 0;
        nt_sink_print(sink, "| `%s%s%s%s` | ", help->name, constant ? "" : "(", help->arguments,
                      constant ? "" : ")");
        cell(sink, help->meaning);
        nt_sink_print(sink, " |\n");
    }
}

static const char introduction[] =
    "# The model file\n"
    "\n"
    "Written from the tables that the reader uses; `nutate schema` prints the same as a JSON\n"
    "Schema for editors.\n"
    "\n"
    "A model is one YAML document. Units are SI, angles in radians. Numbers stand alone: `1.0 kg`\n"
    "is an error. Wherever a number is expected, an expression of the parameters is accepted:\n"
    "`mass: rho * length^3`. Wherever an expression is expected, it may also use the time `t` and\n"
    "quantities of the model: `BODY.position.x`, `BODY.velocity.y`, `BODY.orientation.w`,\n"
    "`BODY.angular_velocity.z`, `MARKER.position.x`, `MARKER.velocity.x`, `JOINT.angle`,\n"
    "`JOINT.displacement`, `JOINT.rate`; but the `motion` of a joint depends on `t` and "
    "parameters\n"
    "only. An expression that YAML would take for something else (a comma inside a list, a\n"
    "leading `*` or `{`) is put in quotes.\n"
    "\n"
    "Names of bodies, markers, joints, forces and contacts begin with a letter and go on with\n"
    "letters, digits, `_` and `-`; all differ from each other. An object whose name has a `-` "
    "cannot be\n"
    "used in an expression, where it would mean a difference.\n"
    "\n"
    "## The top of the file\n";

int nt_model_reference(char *text, int size)
{
    nt_sink sink = {.text = text, .size = size};
    nt_sink_print(&sink, "%s\n| key | expects | unit | meaning |\n|---|---|---|---|\n",
                  introduction);
    for (const nt_key *key = nt_file_keys; key->name; key++)
        row(&sink, "", key);
    for (const nt_key *key = nt_file_keys; key->name; key++)
        if (key->group || (int)key->type == NT_KEY_ELEMENTS)
            section(&sink, key);
    functions(&sink);
    return sink.length;
}
