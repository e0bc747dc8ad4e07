#include "input/names.h"

#include "base/suggest.h"
#include "base/text.h"

#include <stdint.h>
#include <string.h>

/* ---- the set: open addressing, at most half full -----------------------------------------------
 */

bool nt_names_init(nt_names *names, int room, nt_arena *arena)
{
    unsigned n_slots = 16;
    while (n_slots / 2 < (unsigned)room)
        n_slots *= 2;
    *names = (nt_names){.list = NT_TAKE(arena, room, nt_name),
                        .room = room,
                        .slots = NT_TAKE(arena, n_slots, int),
                        .n_slots = n_slots};
    return names->list && names->slots;
}

/* The slot of a name, or the free one where it would go. */
static int *slot_of(const nt_names *names, const char *text, int length)
{
    for (unsigned at = (unsigned)nt_hash(text, (size_t)length);; at++) {
        int *slot = &names->slots[at & (names->n_slots - 1)];
        if (*slot == 0)
            return slot;
        const char *known = names->list[*slot - 1].text;
        if (strlen(known) == (size_t)length && memcmp(known, text, (size_t)length) == 0)
            return slot;
    }
}

nt_name *nt_names_find(const nt_names *names, const char *text, int length)
{
    int slot = names->n ? *slot_of(names, text, length) : 0;
    return slot ? &names->list[slot - 1] : NULL;
}

void nt_names_add(nt_names *names, nt_name name)
{
    int *slot = slot_of(names, name.text, (int)strlen(name.text));
    names->list[names->n++] = name;
    *slot = names->n;
}

const char *nt_names_suggest(const nt_names *names, const char *text, int length, unsigned kinds)
{
    nt_suggestion search;
    nt_suggest_start(&search, text, length);
    for (int i = 0; i < names->n; i++)
        if (kinds >> names->list[i].kind & 1u)
            nt_suggest_offer(&search, names->list[i].text);
    return search.best;
}

const char *nt_name_kind_word(nt_name_kind kind)
{
    static const char *const words[] = {
        "body",  "marker",   "joint",   "force",         "contact",   "bearing",
        "beam",  "cable",    "state",   "sampled value", "block",     "parameter",
        "table", "quantity", "sampler", "steady motion", "objective", "event"};
    return words[kind];
}

/* ---- what may be a name --------------------------------------------------------------------- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char *nt_name_fault(const char *text, int length, bool dashes)
{
    if (length == 0)
        return "is empty";
    if (length > 60)
        return "is longer than 60 characters";
    if (!is_letter(text[0]))
        return "does not begin with a letter from a to z";
    for (int i = 1; i < length; i++) {
        if (text[i] == '-' && !dashes)
            return "has a '-', which would subtract in an expression; expected letters, digits "
                   "and _";
        if (!is_letter(text[i]) && !is_digit(text[i]) && text[i] != '_' && text[i] != '-')
            return dashes ? "has other characters than letters, digits, _ and -"
                          : "has other characters than letters, digits and _";
    }
    return NULL;
}

bool nt_name_is_reserved(const char *text, int length)
{
    static const char *const words[] = {"energy",           "momentum",  "angular_momentum",
                                        "constraint_drift", "step_size", "time"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == (size_t)length && memcmp(words[i], text, (size_t)length) == 0)
            return true;
    return false;
}
