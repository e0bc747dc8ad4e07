#include "base/suggest.h"

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
    if (distance < search->distance && distance < (int)length) {
        search->distance = distance;
        search->best = candidate;
    }
}

const char *nt_suggest(const char *word, int length, const char *const *candidates, int n)
{
    nt_suggestion search;
    if (!word || !candidates)
        return NULL;
    nt_suggest_start(&search, word, length);
    for (int i = 0; i < n; i++)
        nt_suggest_offer(&search, candidates[i]);
    return search.best;
}
