/* "Did you mean ...?": the known word nearest to an unknown one. */
#ifndef NUTATE_BASE_SUGGEST_H
#define NUTATE_BASE_SUGGEST_H

#include <nutate/status.h> /* nt_suggest, for a list of words */
#include <stdbool.h>

/* A search in progress, for words that come one by one. */
typedef struct nt_suggestion {
    const char *word; /* the unknown word, [length], not owned       */
    int length;
    const char
        *best;    /* the nearest word offered so far, not owned; NULL while none is near enough */
    int distance; /* its distance, or the first distance that is too far                         */
} nt_suggestion;

/* Number of edits (insert, delete, replace, swap of neighbours) between two words; letters that
 * differ only in case are equal. Words longer than 63 characters count as `longer`. */
int nt_edit_distance(const char *a, int a_length, const char *b, int b_length);

/* What other programs call what is known by the candidate comes first (hinge, free_length, ode45).
 * Else a word may differ by one edit for every three characters, at least one, to be suggested.
 * word    [length]   must outlive the search; need not be terminated */
void nt_suggest_start(nt_suggestion *search, const char *word, int length);
/* Whether a word is `plain` (small letters and digits alone) but for case, _ and -, and for words
 * that other programs put around names: "GenericJoint" is "generic". */
bool nt_suggest_is(const char *word, int length, const char *plain);

/* Whether the search has found what the word means, not only what is spelt like it. */
bool nt_suggest_is_meant(const nt_suggestion *search);

/* candidate must outlive the search. */
void nt_suggest_offer(nt_suggestion *search, const char *candidate);

#endif
