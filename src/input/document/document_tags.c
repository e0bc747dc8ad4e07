/* Tags: what YAML's own ones say of a value.
 *
 * Programs that write YAML put the standard tags before values whose style would not tell their
 * type: `!!float "0.5"` is the number of that text, `!!str 5` the text of that number. Such a value
 * is read as if it stood there without a tag, plain or in quotes. A tag that its value belies, and
 * all other tags, are refused. */
#include "base/number.h"
#include "input/document/document_tree.h"

#include <stdio.h>
#include <string.h>

static const char standard[] = "tag:yaml.org,2002:";

static bool is_one_of(const char *const *words, const char *text, size_t length)
{
    for (; *words; words++)
        if (strlen(*words) == length && memcmp(*words, text, length) == 0)
            return true;
    return false;
}

static bool is_true_or_false(const char *text, size_t length)
{
    static const char *const words[] = {"true", "false", "True", "False", "TRUE", "FALSE", NULL};
    return is_one_of(words, text, length);
}

static bool is_nothing(const char *text, size_t length)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL", NULL};
    return is_one_of(words, text, length);
}

/* Decimal numbers, and YAML's words for those that are not finite: whoever wants a number says
 * then that it is none for a model. */
static bool is_float(const char *text, size_t length)
{
    static const char *const words[] = {".inf",  "-.inf", "+.inf", ".Inf", "-.Inf", "+.Inf", ".INF",
                                        "-.INF", "+.INF", ".nan",  ".NaN", ".NAN",  NULL};
    double value;
    size_t sign = length > 0 && text[0] == '+';
    return is_one_of(words, text, length) ||
           nt_number_parse(text + sign, (int)(length - sign), &value);
}

static bool is_int(const char *text, size_t length)
{
    size_t sign = length > 0 && (text[0] == '+' || text[0] == '-');
    return length > sign && strspn(text + sign, "0123456789") == length - sign;
}

typedef struct scalar_tag {
    const char *name;
    bool (*agrees)(const char *text, size_t length); /* NULL: with any text */
    bool text;                                       /* the value is a text, in any style */
    const char *expected;
} scalar_tag;

/* A date is a text here: nothing else of a model is one. */
static const scalar_tag scalar_tags[] = {
    {"float", is_float, false, "a decimal number"},
    {"int", is_int, false, "a whole number"},
    {"bool", is_true_or_false, false, "true or false"},
    {"null", is_nothing, false, "null"},
    {"str", NULL, true, NULL},
    {"timestamp", NULL, true, NULL},
};
enum { SCALAR_TAGS = sizeof scalar_tags / sizeof scalar_tags[0] };

/* "!!float" of its full name, other tags as they are, in shown[size]. */
static const char *tag_shown(const char *tag, char *shown, size_t size)
{
    size_t prefix = sizeof standard - 1;
    bool ours = strncmp(tag, standard, prefix) == 0;
    snprintf(shown, size, "%s%.60s", ours ? "!!" : "", ours ? tag + prefix : tag);
    return shown;
}

static bool tags_refuse(const char *tag, char *words, size_t size)
{
    char shown[80];
    bool foreign = strstr(tag, "python/") != NULL;
    snprintf(words, size,
             "the tag %s is not known, expected no tag, or !!float, !!int, !!bool, !!null, !!str, "
             "!!seq or !!map before a value of this kind%s",
             tag_shown(tag, shown, sizeof shown),
             foreign ? " (yaml.safe_dump writes what can be read, of lists and plain numbers)"
                     : "");
    return false;
}

bool nt_tag_of_scalar(const char *tag, const char *text, size_t length, bool *plain, char *words,
                      size_t size)
{
    char shown[80];
    if (!tag)
        return true;
    if (strcmp(tag, "!") == 0) /* "a text, whatever it looks like" */
        return *plain = false, true;
    const char *name =
        strncmp(tag, standard, sizeof standard - 1) == 0 ? tag + sizeof standard - 1 : "";
    if (strcmp(name, "seq") == 0 || strcmp(name, "map") == 0) {
        snprintf(words, size, "the tag !!%s stands before a text, expected a %s", name,
                 name[0] == 's' ? "list" : "mapping");
        return false;
    }
    for (int i = 0; i < SCALAR_TAGS; i++) {
        const scalar_tag *t = &scalar_tags[i];
        if (strcmp(name, t->name) != 0)
            continue;
        if (t->agrees && !t->agrees(text, length)) {
            snprintf(words, size, "the tag %s stands before '%.40s', expected %s",
                     tag_shown(tag, shown, sizeof shown), text, t->expected);
            return false;
        }
        *plain = !t->text;
        return true;
    }
    return tags_refuse(tag, words, size);
}

bool nt_tag_of_collection(const char *tag, bool list, char *words, size_t size)
{
    char shown[80];
    const char *kind = list ? "seq" : "map";
    if (!tag || strcmp(tag, "!") == 0)
        return true;
    if (strncmp(tag, standard, sizeof standard - 1) != 0)
        return tags_refuse(tag, words, size);
    const char *name = tag + sizeof standard - 1;
    if (strcmp(name, kind) == 0)
        return true;
    bool scalar = strcmp(name, list ? "map" : "seq") == 0;
    for (int i = 0; i < SCALAR_TAGS; i++)
        scalar |= strcmp(name, scalar_tags[i].name) == 0;
    if (!scalar)
        return tags_refuse(tag, words, size);
    snprintf(words, size, "the tag %s stands before a %s, expected no tag or !!%s",
             tag_shown(tag, shown, sizeof shown), list ? "list" : "mapping", kind);
    return false;
}
