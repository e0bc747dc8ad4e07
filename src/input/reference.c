#include "input/reference.h"

#include "input/sink.h"
#include "input/tables.h"
#include "model/quantities/quantity_kind.h"
#include "model/shapes.h"

#include <stdio.h>
#include <string.h>

/* ---- lines ---------------------------------------------------------------------------------- */

enum { WIDTH = 120 };

/* The length of a word, with the operators behind it: at the beginning of a line Markdown would
 * take them for those of a list. */
static int word(const char *text)
{
    size_t length = strcspn(text, " \n");
    while (text[length] == ' ' && text[length + 1] && strchr("+-*=/", text[length + 1]) &&
           strcspn(text + length + 1, " \n") == 1)
        length += 2;
    return (int)length;
}

/* The words of a text, from column `used` on, in lines that begin with `indent` after the first. A
 * line end in the text begins a new line. */
static void lines(nt_sink *sink, int used, const char *indent, const char *text)
{
    const char *space = "";
    while (*text) {
        int length = word(text);
        if (used + (int)strlen(space) + length > WIDTH) {
            nt_sink_print(sink, "\n%s", indent);
            used = (int)strlen(indent);
            space = "";
        }
        nt_sink_print(sink, "%s%.*s", space, length, text);
        used += (int)strlen(space) + length;
        text += length;
        space = " ";
        if (*text == '\n') {
            nt_sink_print(sink, "\n");
            used = 0, space = "";
        }
        text += *text != '\0';
    }
    nt_sink_print(sink, "\n");
}

static void paragraphs(nt_sink *sink, const char *text) { lines(sink, 0, "", text); }

static void item(nt_sink *sink, const char *text) { lines(sink, 0, "  ", text); }

/* ---- keys ----------------------------------------------------------------------------------- */

/* - `mass` (a number; kg; **required**): mass, positive */
static void key_item(nt_sink *sink, const char *prefix, const nt_key *key)
{
    char expected[128], text[1024];
    snprintf(text, sizeof text, "- `%s%s` (%s%s%s%s): %s%s%s%s", prefix, key->name,
             nt_key_expected(key, expected, sizeof expected), key->unit ? "; " : "",
             key->unit ? key->unit : "", key->required ? "; **required**" : "",
             key->meaning ? key->meaning : "", key->needs ? "; needs `" : "",
             key->needs ? key->needs : "", key->needs ? "`" : "");
    item(sink, text);
}

/* Keys of groups follow their group, with its name in front. */
static void key_items(nt_sink *sink, const char *prefix, const nt_key *keys)
{
    for (const nt_key *key = keys; key->name; key++) {
        char inner[128];
        key_item(sink, prefix, key);
        snprintf(inner, sizeof inner, "%.60s%.60s.", prefix, key->name);
        if (key->group)
            key_items(sink, inner, key->group);
    }
}

static void list_of_keys(nt_sink *sink, const nt_key *keys)
{
    nt_sink_print(sink, "\n");
    key_items(sink, "", keys);
}

/* ---- explanations ---------------------------------------------------------------------------- */

static const char points[] =
    "A body with `point: true` is a mass point: it has a place and no rotation, three unknowns "
    "instead of six. Whatever acts on it acts at its place. So a place of it that the file gives "
    "is its own: its position in ground axes, [0, 0, 0] in axes of the body, or a marker. Only the "
    "`at` of a joint may be elsewhere, where the point is held on a line or in a plane.\n"
    "\n"
    "`spherical` and `distance` joints take points as either body; `inline`, `planar` and "
    "`prismatic` ones as the second, which leaves of them what they say of places, about one "
    "`axis` (of A, in A's own axes where the joint has `points`). Forces, springs, motors along "
    "prismatic joints and contacts act on points as on other bodies. What would turn a point or "
    "hold its rotation is refused, but for the friction of contacts: a point does not roll, and "
    "the moment of friction about it has no effect.";

/* What keys do not tell. */
static void notes(nt_sink *sink, const char *text)
{
    if (!text)
        return;
    nt_sink_print(sink, "\n");
    paragraphs(sink, text);
}

/* The section of elements that a key of the file is; NULL where it is none. */
static const nt_section *section_of(const nt_key *key)
{
    for (int i = 0; (int)key->type == NT_KEY_ELEMENTS && i < nt_element_type_count(); i++)
        if (strcmp(nt_element_type_at(i)->section->name, key->name) == 0)
            return nt_element_type_at(i)->section;
    return NULL;
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
        if (same_keys(nt_element_type_at(k), nt_element_type_at(i)))
            return true;
    return false;
}

/* ---- keys that types share ------------------------------------------------------------------- */

/* Tables of keys in which a shared one stands, at least: of a group, which is long, fewer. */
enum { OF_MANY = 4, OF_MANY_GROUPS = 3 };

static bool same_key(const nt_key *a, const nt_key *b)
{
    return strcmp(a->name, b->name) == 0 && a->type == b->type && a->offset == b->offset &&
           a->meaning && b->meaning && strcmp(a->meaning, b->meaning) == 0;
}

static const nt_key *find_same(const nt_key *keys, const nt_key *wanted)
{
    while (keys->name && !same_key(keys, wanted))
        keys++;
    return keys->name ? keys : NULL;
}

static bool has_name(const nt_key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0)
        keys++;
    return keys->name != NULL;
}

/* Whether this key of a type stands, word for word, in many tables of its section, and no other
 * key of its name does. */
static bool is_shared(const nt_element_type *type, const nt_key *key)
{
    int same = 0, others = 0;
    for (int i = 0; i < nt_element_type_count(); i++) {
        const nt_element_type *other = nt_element_type_at(i);
        if (other->section != type->section || described_before(i))
            continue;
        if (find_same(other->keys, key))
            same++;
        else if (has_name(other->keys, key->name))
            others++;
    }
    return same >= (key->group ? OF_MANY_GROUPS : OF_MANY) && others < OF_MANY;
}

/* Each once, from the first type that has it. */
static void shared_keys(nt_sink *sink, const nt_section *section)
{
    bool any = false;
    for (int i = 0; i < nt_element_type_count(); i++) {
        const nt_element_type *type = nt_element_type_at(i);
        if (type->section != section || described_before(i))
            continue;
        for (const nt_key *key = type->keys; key->name; key++) {
            bool before = false;
            for (int k = 0; k < i; k++)
                before = before || (nt_element_type_at(k)->section == section &&
                                    find_same(nt_element_type_at(k)->keys, key));
            if (before || !is_shared(type, key))
                continue;
            if (!any)
                nt_sink_print(sink, "\n### Keys that %s share\n\n", section->name);
            const nt_key alone[2] = {*key, {.name = NULL}};
            key_items(sink, "", alone);
            any = true;
        }
    }
}

/* The keys of a type: those that it shares by their names, the others in full. */
static void keys_of_type(nt_sink *sink, const nt_element_type *type)
{
    char text[1024];
    int start = snprintf(text, sizeof text, "Of the keys that %s share:", type->section->name);
    size_t used = (size_t)start;
    bool any = false, own = false;
    for (const nt_key *key = type->keys; key->name; key++) {
        bool shared = is_shared(type, key);
        own = own || !shared;
        if (shared && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s `%s`", any ? "," : "",
                                     key->name);
        any = any || shared;
    }
    nt_sink_print(sink, "\n");
    if (any) {
        snprintf(text + used, sizeof text - used, ".");
        paragraphs(sink, text);
    }
    if (any && own)
        nt_sink_print(sink, "\n");
    for (const nt_key *key = type->keys; key->name; key++) {
        const nt_key alone[2] = {*key, {.name = NULL}};
        if (!is_shared(type, key))
            key_items(sink, "", alone);
    }
}

/* ---- types ------------------------------------------------------------------------------------
 */

static void picture(nt_sink *sink, const char *text)
{
    if (text)
        nt_sink_print(sink, "\n```\n%s```\n", text);
}

static void types_that_share(nt_sink *sink, int first)
{
    const char *separator = "";
    nt_sink_print(sink, "\n### type: ");
    for (int i = first; i < nt_element_type_count(); i++)
        if (same_keys(nt_element_type_at(first), nt_element_type_at(i))) {
            nt_sink_print(sink, "%s%s", separator, nt_element_type_at(i)->name);
            separator = ", ";
        }
    nt_sink_print(sink, "\n\n");
    char text[1024];
    int used = 0;
    for (int i = first; i < nt_element_type_count() && used < (int)sizeof text; i++)
        if (same_keys(nt_element_type_at(first), nt_element_type_at(i)))
            used +=
                snprintf(text + used, sizeof text - (size_t)used, "%s`%s`: %s", used ? "; " : "",
                         nt_element_type_at(i)->name, nt_element_type_at(i)->summary);
    paragraphs(sink, strcat(text, "."));
    for (int i = first; i < nt_element_type_count(); i++)
        if (same_keys(nt_element_type_at(first), nt_element_type_at(i)))
            picture(sink, nt_element_type_at(i)->picture);
    notes(sink, nt_element_type_at(first)->notes);
    keys_of_type(sink, nt_element_type_at(first));
}

static void section(nt_sink *sink, const nt_key *key)
{
    char text[1024];
    const nt_section *elements = section_of(key);
    const char *meaning = key->meaning, *types = "";
    bool small = meaning[0] >= 'a' && meaning[0] <= 'z';
    if (elements)
        types = elements->one_type ? " The key `type` may be left out: there is one."
                                   : " Each has a `type`, which decides its other keys.";
    snprintf(text, sizeof text, "%c%s.%s", small ? meaning[0] - 'a' + 'A' : meaning[0], meaning + 1,
             types);
    nt_sink_print(sink, "\n## %s\n\n", key->name);
    paragraphs(sink, text);
    notes(sink, elements ? elements->notes : strcmp(key->name, "bodies") == 0 ? points : NULL);
    if (key->group)
        list_of_keys(sink, key->group);
    if (!elements)
        return;
    shared_keys(sink, elements);
    for (int i = 0; i < nt_element_type_count(); i++)
        if (nt_element_type_at(i)->section == elements && !described_before(i))
            types_that_share(sink, i);
}

static const char expressions[] =
    "## Expressions\n"
    "\n"
    "Operators, from the one that binds least to the one that binds most:\n"
    "\n"
    "- `or`, then `and`, then `not`: 1 where it is true, else 0; any number but 0 counts as true\n"
    "- `<` `<=` `>` `>=` `==` `!=`: 1 or 0; `==` and `!=` compare every digit; they do not chain, "
    "write `(a < b) and (b < c)`\n"
    "- `+` `-`\n"
    "- `*` `/`\n"
    "- the signs `-x` and `+x`\n"
    "- `^`: a power; `-x^2` is -(x^2), `2^3^2` is 2^(3^2), and `2^-3` needs no parentheses\n"
    "\n"
    "Comparisons, `and`, `or`, `not`, `sign`, `floor`, `ceil`, `round` and `heaviside` are "
    "constant between their jumps, so their derivatives are zero. Of `if` the value and the "
    "derivatives are those of the branch that is chosen.\n"
    "\n"
    "A table is read by `table(NAME, x)` where `tables` names its file, or by `table(\"FILE.csv\", "
    "x)`. The file has columns divided by commas, semicolons or blanks; the first one increases; a "
    "line of names may stand above them, and comments begin with `#`. Of more than two columns "
    "`table(NAME, x, COLUMN)` names one. A map `table(NAME, x, y)` has y in its first line, behind "
    "a word or a number, and x in its first column. What stands between and beyond the points "
    "`tables` says; where it says nothing, the value between two rows is a cubic that is monotone "
    "where the rows are, with a continuous slope, and outside of them that of the end: unless the "
    "table is flat at its ends, the slope jumps there. A `motion` takes second derivatives of its "
    "tables: `interpolation: spline` makes them continuous. At its points third derivatives jump, "
    "and behind each the reactions of `generalized-alpha` swing from step to step, for some "
    "fifteen "
    "of them and by a part of the size of the step; those of all other methods do not. Where a "
    "motion jumps, or its rate or second derivative does, by a table or by `if`, `floor`, `abs` "
    "and "
    "the like, `nutate check` and the summary say so, with the time.\n"
    "\n"
    "Functions and constants:\n";

static void functions(nt_sink *sink)
{
    const nt_function_help *help;
    nt_sink_print(sink, "\n");
    paragraphs(sink, expressions);
    for (int i = 0; (help = nt_expression_function(i)) != NULL; i++) {
        char text[512];
        bool constant = help->arguments[0] == 0;
        snprintf(text, sizeof text, "- `%s%s%s%s`: %s", help->name, constant ? "" : "(",
                 help->arguments, constant ? "" : ")", help->meaning);
        item(sink, text);
        if (strcmp(help->name, "dot") == 0) /* no function of its own: it gives a vector */
            item(sink, "- `cross(v, w)`: vector product, a vector itself: within the vectors of "
                       "norm, dot and angle_between");
    }
}

/* ---- records -------------------------------------------------------------------------------- */

static const char records[] =
    "## Records\n"
    "\n"
    "What `output.record` names, and expressions use with a component behind it: "
    "`top.position.z`. Parentheses hold the components, where there are several, and the unit. "
    "Named quantities, states, blocks and sampled values are recorded by their names, and "
    "expressions of all of these by their text: `norm(top.velocity)`.\n";

/* Whose quantities they are, as the page calls it: NULL, those that have no name of their own. */
static const char *owner_of(nt_quantity_owner of)
{
    switch (of) {
    case NT_OF_BODY:
        return "BODY";
    case NT_OF_TURNING:
        return "BODY (no point)";
    case NT_OF_MARKER:
        return "MARKER";
    case NT_OF_STATION:
        return "MARKER at a station of a beam";
    case NT_OF_FIGURE:
        return "MARKER at a station with a shape";
    case NT_OF_MATERIAL:
        return "MARKER at a point in the material of such a section";
    case NT_OF_END:
        return "BEAM.root, .node2, ..., .tip";
    case NT_OF_LOADED:
    case NT_OF_JOINT:
        return "JOINT";
    case NT_OF_CONTACT:
    case NT_OF_TOUCH:
        return "CONTACT";
    case NT_OF_GROOVE:
        return "CONTACT sphere_torus";
    case NT_OF_BALL:
        return "BEARING.ball1.outer, .inner, .pocket";
    case NT_OF_CAGE:
        return "BEARING.cage";
    case NT_OF_BEARING:
        return "BEARING";
    case NT_OF_ROTATING:
        return "JOINT with an angle";
    case NT_OF_SLIDING:
        return "JOINT with a displacement";
    case NT_OF_SLIDING_ONLY:
        return "JOINT prismatic";
    case NT_OF_JOINED:
        return "JOINT but gear, rolling_disk, rolling_sphere, knife_edge";
    case NT_OF_TURNED:
        return "JOINT of these, between bodies that are no points";
    case NT_OF_ROLLING:
        return "JOINT rolling_disk, rolling_sphere, knife_edge";
    case NT_OF_WHEEL:
        return "JOINT rolling_disk";
    case NT_OF_BLADE:
        return "JOINT knife_edge";
    case NT_OF_FORCE:
        return "FORCE";
    case NT_OF_ACTING:
        return "FORCE but mass, distributed";
    case NT_OF_LINE:
        return "FORCE spring, line_force";
    case NT_OF_WAY:
        return "FORCE rope";
    case NT_OF_WING:
        return "FORCE aerodynamic";
    case NT_OF_ABOUT:
        return "FORCE torsion_spring, joint_torque";
    case NT_OF_ALONG:
        return "FORCE joint_spring, joint_force";
    case NT_OF_CABLE:
        return "CABLE";
    case NT_OF_ELASTIC:
        return "BEAM, CABLE";
    case NT_OF_DISTRIBUTED:
        return "FORCE distributed";
    case NT_OF_WHOLE:
        return "The whole model";
    case NT_OF_STATE:
    case NT_OF_HELD:
    case NT_OF_DELAY:
    case NT_OF_SWITCH:
    case NT_OF_NAMED:
        return NULL;
    }
    return NULL;
}

/* - `position` (x, y, z; m): position, ground axes */
static void record_item(nt_sink *sink, const nt_quantity_kind *kind)
{
    char components[128] = "", text[512];
    size_t used = 0;
    for (int i = 0; kind->components && i < kind->columns; i++)
        used += (size_t)snprintf(components + used, sizeof components - used, "%s%s", i ? ", " : "",
                                 kind->components[i]);
    snprintf(text, sizeof text, "- `%s` (%s%s%s%s%s): %s%s%s", kind->name, components,
             kind->components ? "; " : "", kind->unit, kind->later_unit ? ", " : "",
             kind->later_unit ? kind->later_unit : "", kind->meaning, kind->axes ? ", " : "",
             kind->axes ? kind->axes : "");
    item(sink, text);
}

/* Each owner once, with all that it has. */
static void list_of_records(nt_sink *sink)
{
    nt_sink_print(sink, "\n");
    paragraphs(sink, records);
    for (int i = 0; i < nt_quantity_kind_count; i++) {
        const char *owner = owner_of(nt_quantity_kinds[i].of);
        bool first = owner != NULL;
        for (int k = 0; k < i && first; k++) {
            const char *before = owner_of(nt_quantity_kinds[k].of);
            first = !before || strcmp(before, owner) != 0;
        }
        if (!first)
            continue;
        nt_sink_print(sink, "\n**%s**\n\n", owner);
        for (int k = i; k < nt_quantity_kind_count; k++) {
            const char *other = owner_of(nt_quantity_kinds[k].of);
            if (other && strcmp(other, owner) == 0)
                record_item(sink, &nt_quantity_kinds[k]);
        }
    }
}

static const char introduction[] =
    "# The model file\n"
    "\n"
    "This page is written from the tables that the reader uses. `nutate schema` prints the same as "
    "a JSON Schema for editors.\n"
    "\n"
    "A model is one YAML document. Units are SI, angles in radians. Numbers stand alone: `1.0 kg` "
    "is an error. Wherever a number is expected, an expression of the parameters is accepted: "
    "`mass: rho * length^3`. Wherever an expression is expected, it may also use the time `t` and "
    "quantities of the model: `BODY.position.x`, `BODY.velocity.y`, `BODY.orientation.w`, "
    "`BODY.angular_velocity.z`, `MARKER.position.x`, `MARKER.velocity.x`, `JOINT.angle`, "
    "`JOINT.displacement`, `JOINT.rate`, `JOINT.displacement_rate`; but the `motion` of a joint "
    "depends on `t` and parameters only. An expression that YAML would take for something else is "
    "put in quotes: one with a comma inside [ ] or { }, or with a leading `*` or `{`.\n"
    "\n"
    "What other programs write of a model that they have read is the same model: anchors and their "
    "aliases (`&id001`, `*id001`), every style of quotes and blocks, and YAML's own tags, `!!float "
    "\"0.5\"`, `!!int`, `!!bool`, `!!null`, `!!str`, `!!seq` and `!!map`, where they agree with "
    "what "
    "they stand before; the key `true` is read as `on`. A number such as `010`, which is eight to "
    "YAML 1.1, is refused, as are merge keys (`<<`) and other tags.\n"
    "\n"
    "Names of bodies, markers, joints, forces and contacts begin with a letter and go on with "
    "letters, digits, `_` and `-`; all differ from each other and from those of parameters, "
    "tables, quantities, states and events. An object whose name has a `-` cannot be used in an "
    "expression, where it would mean a difference.\n"
    "\n"
    "In the lists of keys below parentheses hold what is expected, the unit, and whether the key "
    "is "
    "required.\n";

static const char about_shapes[] =
    "What a body, a point of it (in `markers`) or a beam looks like in reports and pictures: one "
    "mapping, or a list of several. It is never part of the dynamics. Each has one form, `box` to "
    "`mesh`. Numbers may be expressions of the parameters. A body without a shape is drawn by its "
    "mass and inertia, its contacts, and links to its joints and markers; one with `shape: []` is "
    "not drawn at all. `shape: [{box: [1, 0.1, 0.1]}, {sphere: r, at: [0.5, 0, 0], color: "
    "red}]`.\n";

/* A link to each section, and to each type in it. */
static void contents(nt_sink *sink)
{
    nt_sink_print(sink, "\nContents: [the top of the file](#the-top-of-the-file)");
    for (const nt_key *key = nt_file_keys; key->name; key++)
        if (key->group || (int)key->type == NT_KEY_ELEMENTS)
            nt_sink_print(sink, ",\n[%s](#%s)", key->name, key->name);
    nt_sink_print(sink, ",\n[shape](#shape), [records](#records), [expressions](#expressions).\n");
}

int nt_model_reference(char *text, int size)
{
    nt_sink sink = {.text = text, .size = size};
    paragraphs(&sink, introduction);
    contents(&sink);
    nt_sink_print(&sink, "\n## The top of the file\n\n");
    for (const nt_key *key = nt_file_keys; key->name; key++)
        key_item(&sink, "", key);
    for (const nt_key *key = nt_file_keys; key->name; key++)
        if (key->group || (int)key->type == NT_KEY_ELEMENTS)
            section(&sink, key);
    nt_sink_print(&sink, "\n## shape\n\n");
    paragraphs(&sink, about_shapes);
    list_of_keys(&sink, nt_shape_keys);
    list_of_records(&sink);
    functions(&sink);
    return sink.length;
}
