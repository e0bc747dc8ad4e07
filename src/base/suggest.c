#include "base/suggest.h"

#include "base/synonyms.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 63 };

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
static int suggest_least(int a, int b) { return a < b ? a : b; }

/* Rows of the table of distances between prefixes; a swap looks two rows back. */
int nt_edit_distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][LONGEST + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    if (a_length > LONGEST || b_length > LONGEST)
        return a_length > b_length ? a_length : b_length;
    for (int j = 0; j <= b_length; j++)
        above[j] = j;
    for (int i = 1; i <= a_length; i++) {
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int differ = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = suggest_least(above[j - 1] + differ, suggest_least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = suggest_least(row[j], before[j - 2] + 1);
        }
        int *free_row = before;
        before = above, above = row, row = free_row;
    }
    return above[b_length];
}

/* Words that other programs put before or behind the name of what it is. */
static const char *const suggest_before[] = {"object", "connector", "joint", "load", "simulation"};
static const char *const suggest_behind[] = {"2d",    "jointx",     "jointy",    "jointz",
                                             "joint", "constraint", "connector", "object"};

/* A word without case, _, - and blanks. bare[LONGEST + 1]; returns its length. */
static int suggest_plain(const char *word, int length, char *bare)
{
    int n = 0;
    for (int i = 0; i < length && n < LONGEST; i++)
        if (word[i] != '_' && word[i] != '-' && word[i] != ' ')
            bare[n++] = (char)lower(word[i]);
    bare[n] = '\0';
    return n;
}

/* The same without such words around it: "ObjectJointRevolute" and "RevoluteJointZ" are
 * "revolute". */
static void suggest_bare(const char *word, int length, char *bare)
{
    int n = suggest_plain(word, length, bare);
    for (size_t i = 0; i < sizeof suggest_before / sizeof suggest_before[0]; i++) {
        int size = (int)strlen(suggest_before[i]);
        if (n > size + 1 && /* "joints" and "loads" are no joint and load of "s" */
            memcmp(bare, suggest_before[i], (size_t)size) == 0)
            memmove(bare, bare + size, (size_t)(n -= size) + 1);
    }
    for (size_t i = 0; i < sizeof suggest_behind / sizeof suggest_behind[0]; i++) {
        int size = (int)strlen(suggest_behind[i]);
        if (n > size && memcmp(bare + n - size, suggest_behind[i], (size_t)size) == 0)
            bare[n -= size] = '\0';
    }
}

static bool suggest_is_bare(const char *bare, const char *word)
{
    char other[LONGEST + 1];
    suggest_bare(word, (int)strlen(word), other);
    return strcmp(bare, other) == 0;
}

static bool suggest_means(const nt_suggestion *search, const char *candidate)
{
    char bare[LONGEST + 1];
    suggest_bare(search->word, search->length, bare);
    for (int i = 0; i < nt_synonym_count; i++)
        if (strcmp(nt_synonyms[i][1], candidate) == 0 && suggest_is_bare(bare, nt_synonyms[i][0]))
            return true;
    bool decorated = (int)strlen(bare) != search->length;
    return decorated && suggest_is_bare(bare, candidate);
}

bool nt_suggest_is(const char *word, int length, const char *plain)
{
    char bare[LONGEST + 1];
    suggest_plain(word, length, bare);
    if (strcmp(bare, plain) == 0)
        return true;
    suggest_bare(word, length, bare);
    return strcmp(bare, plain) == 0;
}

void nt_suggest_start(nt_suggestion *search, const char *word, int length)
{
    int allowed = length < 6 ? 1 : length / 3;
    *search = (nt_suggestion){.word = word, .length = length, .distance = allowed + 1};
}

void nt_suggest_offer(nt_suggestion *search, const char *candidate)
{
    size_t length = strlen(candidate);
    if (length > LONGEST)
        return;
    int distance = nt_edit_distance(search->word, search->length, candidate, (int)length);
    if (search->distance > -1 && suggest_means(search, candidate)) {
        search->distance = -1; /* nearer than any spelling */
        search->best = candidate;
        return;
    }
    if (distance < search->distance && distance < (int)length) {
        search->distance = distance;
        search->best = candidate;
    }
}

bool nt_suggest_is_meant(const nt_suggestion *search) { return search->distance <= 0; }

const char *nt_suggest(const char *word, int length, const char *const *candidates, int n)
{
    nt_suggestion search;
    if (!word || !candidates || length < 0)
        return NULL;
    nt_suggest_start(&search, word, length);
    for (int i = 0; i < n; i++)
        nt_suggest_offer(&search, candidates[i]);
    return search.best;
}
