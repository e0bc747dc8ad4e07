/* Columns of texts, which tables of sweeps and of events have: their values are numbers, from 0 on,
 * of the texts in the order in which they first come. */
#include "base/text.h"
#include "output/result_reader.h"

#include <stdlib.h>
#include <string.h>

/* Found by a hash of what stands in the file, slots[n_slots], a power of two, of which more than
 * half are free; a slot holds the number of a text plus one. */
struct nt_result_texts {
    const char **text; /* [n] */
    uint64_t *hash;    /* [n] */
    int n, room;
    int *slot;
    size_t n_slots;
};

bool nt_result_hold_texts(nt_result *r, int column)
{
    if (!r->texts)
        r->texts = calloc((size_t)r->n_text_columns, sizeof *r->texts);
    if (r->texts && !r->texts[column])
        r->texts[column] = calloc(1, sizeof **r->texts);
    return r->texts && r->texts[column];
}

void nt_result_free_texts(nt_result *r)
{
    for (int i = 0; r->texts && i < r->n_text_columns; i++)
        if (r->texts[i]) {
            free(r->texts[i]->text);
            free(r->texts[i]->hash);
            free(r->texts[i]->slot);
            free(r->texts[i]);
        }
    free(r->texts);
}

static size_t slot_of(const struct nt_result_texts *t, uint64_t hash)
{
    size_t at = (size_t)hash & (t->n_slots - 1);
    while (t->slot[at] > 0 && t->hash[t->slot[at] - 1] != hash)
        at = (at + 1) & (t->n_slots - 1);
    return at;
}

static bool texts_grow(struct nt_result_texts *t)
{
    int room = 2 * t->room + 16;
    const char **text = realloc(t->text, (size_t)room * sizeof *text);
    if (text)
        t->text = text;
    uint64_t *hash = text ? realloc(t->hash, (size_t)room * sizeof *hash) : NULL;
    if (hash)
        t->hash = hash;
    size_t slots = 64;
    while (slots < 4 * (size_t)room)
        slots *= 2;
    int *slot = hash ? calloc(slots, sizeof *slot) : NULL;
    if (!slot)
        return false;
    free(t->slot);
    t->slot = slot;
    t->n_slots = slots;
    t->room = room;
    for (int i = 0; i < t->n; i++)
        t->slot[slot_of(t, t->hash[i])] = i + 1;
    return true;
}

int nt_result_intern(nt_result *r, int column, const char *key, size_t size, const char *text,
                     size_t length)
{
    struct nt_result_texts *t = r->texts[column];
    if (t->n == t->room && !texts_grow(t))
        return -1;
    uint64_t hash = nt_hash(key, size);
    size_t at = slot_of(t, hash);
    if (t->slot[at] > 0)
        return t->slot[at] - 1;
    t->text[t->n] = nt_arena_text(&r->arena, text, length);
    if (!t->text[t->n])
        return -1;
    t->hash[t->n] = hash;
    t->slot[at] = t->n + 1;
    return t->n++;
}

int nt_result_find_text(const nt_result *r, int column, const char *key, size_t size)
{
    const struct nt_result_texts *t = r->texts[column];
    return t->n > 0 ? t->slot[slot_of(t, nt_hash(key, size))] - 1 : -1;
}

const char *nt_result_text(const nt_result *r, int column, double value)
{
    if (!r || column < 0 || column >= r->n_columns || !r->texts || !r->texts[column])
        return NULL;
    const struct nt_result_texts *t = r->texts[column];
    return value >= 0 && value < t->n && value == (int)value ? t->text[(int)value] : NULL;
}
