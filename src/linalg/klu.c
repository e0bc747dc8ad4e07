/* KLU, tuned: no block triangular form (mechanisms have one block), AMD ordering, no scaling in
 * the fast mode. Its defaults lose digits and a factor of a hundred in time on looped lattices. */
#include "linalg/klu.h"

#include <klu.h>
#include <stdlib.h>
#include <string.h>

struct nt_klu {
    int n, entries, singular;
    int *start, *row;    /* compressed columns: [n + 1], [entries]           */
    int *source;         /* [entries] where each entry is in the block values */
    double *values;      /* [entries]                                        */
    unsigned char *seen; /* [n] scratch of a permutation's sign           */
    double *chosen; /* [entries] the values that the present pivots were chosen with; NULL where
                       pivots are chosen anew every time */
    int as_chosen;  /* the factors are those of `chosen`, and no others since */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

/* Compressed columns of all entries of all blocks, zeros of NT_SCALED blocks left out. */
static void compress(nt_klu *klu, const nt_pattern *p)
{
    int *start = klu->start;
    for (int pass = 0; pass < 2; pass++) {
        for (int slot = 0; slot < p->n_slots; slot++) {
            int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
            int m = p->node_start[p->row[slot] + 1] - row;
            int n = p->node_start[p->column[slot] + 1] - column;
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++) {
                    if (p->shape[slot] == NT_SCALED && i != j)
                        continue;
                    if (pass == 0) {
                        start[column + j + 1]++;
                        continue;
                    }
                    int at = start[column + j]++;
                    klu->row[at] = row + i;
                    klu->source[at] = p->offset[slot] + i * n + j;
                }
        }
        if (pass == 0)
            for (int j = 0; j < klu->n; j++)
                start[j + 1] += start[j];
    }
    for (int j = klu->n; j > 0; j--)
        start[j] = start[j - 1];
    start[0] = 0;
}

static int entry_count(const nt_pattern *p)
{
    int count = 0;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int m = p->node_start[p->row[slot] + 1] - p->node_start[p->row[slot]];
        count += p->shape[slot] == NT_SCALED ? m : p->offset[slot + 1] - p->offset[slot];
    }
    return count;
}

nt_klu *nt_klu_create(const nt_pattern *pattern, int scaled)
{
    nt_klu *klu = calloc(1, sizeof *klu);
    if (!klu)
        return NULL;
    klu->n = pattern->n;
    klu->entries = entry_count(pattern);
    klu->singular = -1;
    size_t room = (size_t)klu->entries + 1;
    klu->start = calloc((size_t)klu->n + 2, sizeof *klu->start);
    klu->row = malloc(room * sizeof *klu->row);
    klu->source = malloc(room * sizeof *klu->source);
    klu->values = malloc(room * sizeof *klu->values);
    klu->seen = malloc((size_t)klu->n + 1);
    klu->chosen = scaled ? NULL : malloc(room * sizeof *klu->chosen);
    if (!klu->start || !klu->row || !klu->source || !klu->values || !klu->seen ||
        !(scaled || klu->chosen))
        goto fail;
    compress(klu, pattern);
    klu_defaults(&klu->common);
    klu->common.btf = 0;
    klu->common.ordering = 0;
    klu->common.scale = scaled ? 2 : -1;
    klu->symbolic = klu_analyze(klu->n, klu->start, klu->row, &klu->common);
    if (!klu->symbolic)
        goto fail;
    return klu;
fail:
    nt_klu_destroy(klu);
    return NULL;
}

void nt_klu_destroy(nt_klu *klu)
{
    if (!klu)
        return;
    if (klu->numeric)
        klu_free_numeric(&klu->numeric, &klu->common);
    if (klu->symbolic)
        klu_free_symbolic(&klu->symbolic, &klu->common);
    free(klu->start);
    free(klu->row);
    free(klu->source);
    free(klu->values);
    free(klu->seen);
    free(klu->chosen);
    free(klu);
}

/* Factorise klu->values with new pivots. */
static nt_status klu_choose(nt_klu *klu)
{
    if (klu->numeric)
        klu_free_numeric(&klu->numeric, &klu->common);
    klu->numeric = klu_factor(klu->start, klu->row, klu->values, klu->symbolic, &klu->common);
    if (klu->numeric && klu->common.status == KLU_OK) {
        klu->as_chosen = klu->chosen != NULL;
        if (klu->chosen)
            memcpy(klu->chosen, klu->values, (size_t)klu->entries * sizeof *klu->values);
        return NT_OK;
    }
    if (klu->common.status != KLU_SINGULAR)
        return klu->common.status == KLU_OUT_OF_MEMORY ? NT_NO_MEMORY : NT_SINGULAR;
    if (klu->common.singular_col >= 0 && klu->common.singular_col < klu->n)
        klu->singular = klu->common.singular_col;
    return NT_SINGULAR;
}

nt_status nt_klu_factor(nt_klu *klu, const double *values, int fresh)
{
    size_t bytes = (size_t)klu->entries * sizeof *klu->values;
    for (int i = 0; i < klu->entries; i++)
        klu->values[i] = values[klu->source[i]];
    klu->singular = -1;
    if (!klu->numeric || !klu->chosen || fresh)
        return klu_choose(klu);
    if (klu->as_chosen && memcmp(klu->values, klu->chosen, bytes) == 0)
        return NT_OK;
    klu->as_chosen = 0;
    if (klu_refactor(klu->start, klu->row, klu->values, klu->symbolic, klu->numeric,
                     &klu->common) &&
        klu->common.status == KLU_OK)
        return NT_OK;
    return klu_choose(klu);
}

enum { NOTHING, CHOSEN, AS_CHOSEN }; /* first in what is saved */

size_t nt_klu_saved_size(const nt_klu *klu)
{
    return sizeof(int) + (size_t)klu->entries * sizeof *klu->chosen;
}

void nt_klu_save(const nt_klu *klu, char *bytes)
{
    int there = klu->numeric == NULL ? NOTHING : klu->as_chosen ? AS_CHOSEN : CHOSEN;
    memcpy(bytes, &there, sizeof there);
    if (there != NOTHING)
        memcpy(bytes + sizeof there, klu->chosen, (size_t)klu->entries * sizeof *klu->chosen);
}

nt_status nt_klu_restore(nt_klu *klu, const char *bytes)
{
    int there;
    memcpy(&there, bytes, sizeof there);
    memcpy(klu->values, bytes + sizeof there, (size_t)klu->entries * sizeof *klu->values);
    if (there != NOTHING) {
        nt_status status = klu_choose(klu);
        klu->as_chosen = klu->as_chosen && there == AS_CHOSEN;
        return status;
    }
    if (klu->numeric)
        klu_free_numeric(&klu->numeric, &klu->common);
    return NT_OK;
}

void nt_klu_solve(nt_klu *klu, double *b, int transposed)
{
    if (transposed)
        klu_tsolve(klu->symbolic, klu->numeric, klu->n, 1, b, &klu->common);
    else
        klu_solve(klu->symbolic, klu->numeric, klu->n, 1, b, &klu->common);
}

/* The sign of a permutation: each cycle of even length changes it. */
static int permutation_sign(const int *of, int n, unsigned char *seen)
{
    int sign = 1;
    memset(seen, 0, (size_t)n);
    for (int i = 0; i < n; i++) {
        int length = 0;
        for (int j = i; !seen[j]; j = of[j], length++)
            seen[j] = 1;
        if (length > 0 && length % 2 == 0)
            sign = -sign;
    }
    return sign;
}

/* P A Q = L U, rows of A divided by positive numbers where they are scaled. */
int nt_klu_determinant_sign(const nt_klu *klu)
{
    if (!klu || !klu->numeric || klu->singular >= 0)
        return 0;
    int sign = permutation_sign(klu->numeric->Pnum, klu->n, klu->seen) *
               permutation_sign(klu->symbolic->Q, klu->n, klu->seen);
    const double *pivot = klu->numeric->Udiag;
    for (int k = 0; k < klu->n; k++)
        sign = pivot[k] < 0 ? -sign : sign;
    return sign;
}

int nt_klu_singular_unknown(const nt_klu *klu) { return klu->singular; }

double nt_klu_flops(nt_klu *klu)
{
    if (!klu->numeric || !klu_flops(klu->symbolic, klu->numeric, &klu->common))
        return 0;
    return klu->common.flops;
}
