/* What methods need and systems have, in words: one table for the registry, for refusals and for
 * `nutate methods`. */
#include "method/method.h"
#include "system/check.h"

#include <stdio.h>
#include <string.h>

/* A demand on the system: the method's bit, the system's bit and words for it. */
static const struct demand {
    unsigned need, capability;
    int feature; /* of nt_feature: what of a system brings the lack in; -1: nothing by itself */
    const char *words;
} demands[] = {
    {NT_NEEDS_TANGENT, NT_HAS_TANGENT, -1, "tangents (NT_HAS_TANGENT)"},
    {NT_NEEDS_MOMENTA, NT_HAS_MOMENTA, NT_FEATURE_INERTIA,
     "body momenta: constant inertia of every body about its reference point (NT_HAS_MOMENTA)"},
    {NT_NEEDS_POSITION_FORCES, NT_POSITION_FORCES, NT_FEATURE_RATE_FORCES,
     "forces of position and time alone (NT_POSITION_FORCES)"},
};

enum { DEMANDS = sizeof demands / sizeof demands[0] };

static void add_word(char *text, size_t size, const char *between, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? between : "", word);
}

/* All that is missing, in words, and what of the system brings the first of it in (-1: nothing by
 * itself); false when nothing is missing. */
static bool lacks(const nt_method *method, const nt_system *system, char *text, size_t size,
                  int *feature)
{
    char words[160];
    *feature = -1;
    text[0] = '\0';
    for (int i = 0; i < DEMANDS; i++)
        if ((method->needs & demands[i].need) && !(system->capabilities & demands[i].capability)) {
            if (!text[0])
                *feature = demands[i].feature;
            snprintf(words, sizeof words, "needs %s, which the system does not give",
                     demands[i].words);
            add_word(text, size, "; ", words);
        }
    if ((method->needs & NT_VECTOR_SPACE) && system->space.n_rotations > 0) {
        *feature = text[0] ? *feature : NT_FEATURE_ROTATIONS;
        snprintf(words, sizeof words, "works on vector spaces, the system has %d rotations",
                 system->space.n_rotations);
        add_word(text, size, "; ", words);
    }
    if (system->nh > 0 && !(method->needs & NT_HOLONOMIC)) {
        *feature = text[0] ? *feature : NT_FEATURE_HOLONOMIC;
        snprintf(words, sizeof words, "treats no holonomic constraints, the system has %d",
                 system->nh);
        add_word(text, size, "; ", words);
    }
    const nt_events *events = system->events;
    int rolling = system->nn - (events ? events->n_sliding : 0); /* those that may be on */
    if (rolling > 0 && !(method->needs & NT_NONHOLONOMIC)) {
        *feature = text[0] ? *feature : NT_FEATURE_NONHOLONOMIC;
        snprintf(words, sizeof words, "treats no nonholonomic constraints, the system has %d",
                 rolling);
        add_word(text, size, "; ", words);
    }
    if (system->space.n_first > 0 && !(method->needs & NT_FIRST_ORDER)) {
        *feature = *feature < 0 ? NT_FEATURE_FIRST_ORDER : *feature;
        snprintf(words, sizeof words, "treats no unknowns of first order, the system has %d",
                 system->space.n_first);
        add_word(text, size, "; ", words);
    }
    if (system->nh + system->nn > 0 && (method->needs & (NT_HOLONOMIC | NT_NONHOLONOMIC)) &&
        !(system->capabilities & NT_ALL_LEVELS))
        add_word(text, size, "; ",
                 "needs constraints at velocity and acceleration level (NT_ALL_LEVELS), which the "
                 "system does not give");
    return text[0] != '\0';
}

enum { MISSING = 440 }; /* characters that say all of it */

/* The methods that take a system, of those with all of these needs. */
static void able(const nt_system *system, unsigned needs, char *names, size_t size)
{
    char ignored[MISSING];
    int feature;
    names[0] = '\0';
    for (int i = 0; i < nt_method_count(); i++)
        if ((nt_method_at(i)->needs & needs) == needs &&
            !lacks(nt_method_at(i), system, ignored, sizeof ignored, &feature))
            add_word(names, size, ", ", nt_method_name(nt_method_at(i)));
    if (!names[0])
        add_word(names, size, "", "none");
}

nt_status nt_method_suits(const nt_method *method, const nt_system *system, nt_error *error)
{
    char missing[MISSING], others[400];
    int feature;
    nt_error part = {0};
    if (!lacks(method, system, missing, sizeof missing, &feature))
        return NT_OK;
    able(system, 0, others, sizeof others);
    if (feature >= 0 && system->feature)
        system->feature(system->self, (nt_feature)feature, &part);
    return nt_fail_at(error, NT_UNSUPPORTED, part.file, part.line, part.column,
                      "%.100s%smethod %s %s; methods that would do: %s", part.message,
                      part.message[0] ? ": " : "", method->name, missing, others);
}

nt_status nt_method_check_system(const nt_method *method, const nt_system *system, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "method system", method, system);
    NT_NEED_SYSTEM(error, "system", system);
    return nt_said(error, nt_method_suits(method, system, error));
}

nt_status nt_method_check_tolerance(const nt_method *method, const nt_system *system,
                                    nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "method system", method, system);
    NT_NEED_SYSTEM(error, "system", system);
    char others[400];
    if (method->needs & NT_CONTROLS_ERROR)
        return NT_OK;
    able(system, NT_CONTROLS_ERROR, others, sizeof others);
    return nt_fail(error, NT_UNSUPPORTED,
                   "method %s does not control its error, expected a step and no tolerance; "
                   "methods that would do: %s",
                   method->name, others);
}

const char *nt_method_needs(const nt_method *method, char *text, int size)
{
    size_t room = (size_t)size;
    if (!text || size < 1)
        return "";
    text[0] = '\0';
    if (!method)
        return text;
    for (int i = 0; i < DEMANDS; i++)
        if (method->needs & demands[i].need)
            add_word(text, room, "; ", demands[i].words);
    if (method->needs & NT_VECTOR_SPACE)
        add_word(text, room, "; ", "a vector space: no rotations");
    if (!text[0])
        add_word(text, room, "; ", "nothing of the system beyond its residual");
    bool holonomic = method->needs & NT_HOLONOMIC, nonholonomic = method->needs & NT_NONHOLONOMIC;
    add_word(text, room, "; ",
             holonomic && nonholonomic ? "treats holonomic and nonholonomic constraints"
             : holonomic               ? "treats holonomic constraints"
                                       : "treats no constraints");
    if (method->needs & NT_FIRST_ORDER)
        add_word(text, room, "; ", "treats unknowns of first order");
    if (holonomic && ((method->needs & NT_NO_SLIDING) || !nonholonomic))
        add_word(text, room, "; ", "treats no sliding mode");
    if (method->needs & NT_CONTROLS_ERROR)
        add_word(text, room, "; ", "controls its error where a tolerance is given");
    return text;
}
