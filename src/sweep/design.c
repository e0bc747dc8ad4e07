/* Designs: which values a row has, from its number alone.
 *
 * A row of a grid counts through the axes, the last one fastest. In the other designs it is one
 * sample. Load cases come first: each goes through all samples, or the whole grid.
 *
 * Random numbers are those of SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014), whose n-th number is a function of n. */
#include "base/error.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double MOST_ROWS = 9e15;

/* ---- random numbers ------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Number n of stream k. */
static uint64_t random_bits(uint64_t seed, uint64_t k, uint64_t n)
{
    uint64_t start = mixed(mixed(seed + 0x9E3779B97F4A7C15u) ^ mixed(k + 1));
    return mixed(start + (n + 1) * 0x9E3779B97F4A7C15u);
}

/* Within (0, 1), never one of its ends. */
static double to_unit(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

/* Where i goes in a random order of 0 ... n - 1: a Feistel network on numbers of 2 h bits, walked
 * until it comes back below n. */
static uint64_t in_random_order(uint64_t seed, uint64_t k, uint64_t i, uint64_t n)
{
    int h = 1;
    while ((n - 1) >> 2 * h)
        h++;
    uint64_t mask = ((uint64_t)1 << h) - 1;
    do {
        uint64_t left = i >> h, right = i & mask;
        for (uint64_t round = 0; round < 6; round++) {
            uint64_t next = left ^ (random_bits(seed, 8 * k + round, right) & mask);
            left = right;
            right = next;
        }
        i = left << h | right;
    } while (i >= n);
    return i;
}

/* ---- distributions -------------------------------------------------------------------------- */

/* x with P(X < x) = u for the normal distribution: Hastings' approximation (Abramowitz & Stegun
 * 26.2.23, good to 4.5e-4), then steps of Halley on F = P - u, whose F'' = -x F'. In the lower
 * half, where P keeps its digits however small it is. */
static double normal_quantile(double u)
{
    double p = fmin(u, 1 - u), t = sqrt(-2 * log(p));
    double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
               t;
    for (int i = 0; i < 3; i++) {
        double density = 0.39894228040143267794 * exp(-x * x / 2);
        double newton = (0.5 * erfc(-0.70710678118654752440 * x) - p) / density;
        x -= newton / (1 + x * newton / 2);
    }
    return u < 0.5 ? x : -x;
}

static nt_axis_value at_quantile(const nt_axis *axis, double u)
{
    nt_axis_value value = {.place = -1};
    switch (axis->kind) {
    case NT_AXIS_LIST:
        value.place = (int)fmin(floor(u * axis->n), axis->n - 1);
        value.number = axis->number[value.place];
        break;
    case NT_AXIS_NORMAL:
        value.number = axis->mean + axis->spread * normal_quantile(u);
        break;
    case NT_AXIS_UNIFORM:
        value.number = axis->mean + axis->spread * (2 * u - 1);
        break;
    }
    return value;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Coordinate k of sample i. */
static double coordinate(const nt_sweep *s, int k, uint64_t i)
{
    uint64_t key = (uint64_t)k;
    if (s->design == NT_DESIGN_SOBOL) { /* shifted by a random number, so that 0 is no point */
        uint32_t x = nt_sobol(k, (uint32_t)i) ^ (uint32_t)(random_bits(s->seed, key, 0) >> 32);
        return ((double)x + 0.5) * 0x1p-32;
    }
    double u = to_unit(random_bits(s->seed, key, i));
    if (s->design == NT_DESIGN_RANDOM)
        return u;
    uint64_t n = (uint64_t)s->samples;
    return ((double)in_random_order(~s->seed, key, i, n) + u) / (double)n;
}

/* For Sobol indices sample i is d + 2 rows: those of two independent samples, A and B, then A with
 * one coordinate after the other from B (Saltelli et al. 2010). */
static void sample_values(const nt_sweep *s, long sample, nt_axis_value *values)
{
    int d = s->n_axes;
    long block = s->indices ? sample / (d + 2) : sample;
    int part = s->indices ? (int)(sample % (d + 2)) : 0;
    for (int k = 0; k < d; k++) {
        bool second = part == 1 || part == k + 2;
        values[k] = at_quantile(&s->axes[k], coordinate(s, second ? d + k : k, (uint64_t)block));
    }
}

void nt_design_values(const nt_sweep *s, long row, int *load_case, nt_axis_value *values)
{
    long each = s->n_cases > 0 ? s->rows / s->n_cases : s->rows;
    *load_case = s->n_cases > 0 ? (int)(row / each) : -1;
    row %= each;
    if (s->design == NT_DESIGN_GRID)
        for (int k = s->n_axes - 1; k >= 0; k--) {
            const nt_axis *axis = &s->axes[k];
            int place = (int)(row % axis->n);
            values[k] = (nt_axis_value){place, axis->number[place]};
            row /= axis->n;
        }
    else if (s->design == NT_DESIGN_LIST)
        for (int k = 0; k < s->n_axes; k++)
            values[k] = (nt_axis_value){(int)row, s->axes[k].number[row]};
    else
        sample_values(s, row, values);
}

const char *nt_design_text(const nt_axis *axis, const nt_axis_value *value, char *buffer)
{
    if (value->place >= 0 && axis->text[value->place])
        return axis->text[value->place];
    snprintf(buffer, 32, "%.17g", value->number);
    return buffer;
}

/* ---- checks --------------------------------------------------------------------------------- */

static nt_status axis_fail(const nt_sweep *s, const nt_axis *axis, const char *words,
                           nt_error *error)
{
    if (axis->node)
        return nt_node_fail(error, axis->node, "%s: %s", axis->name, words);
    return nt_fail_at(error, NT_BAD_MODEL, s->list_path, 1, 1, "%s: %s", axis->name, words);
}

/* Rows of one load case; sampled designs say how many, others count. */
static nt_status count_rows(nt_sweep *s, double *rows, nt_error *error)
{
    *rows = 1;
    for (int k = 0; k < s->n_axes; k++) {
        const nt_axis *axis = &s->axes[k];
        if (s->design == NT_DESIGN_GRID)
            *rows *= axis->n;
        if (s->design != NT_DESIGN_LIST)
            continue;
        if (k > 0 && axis->n != s->axes[0].n)
            return axis_fail(s, axis, "in a list every name has as many values as the first one",
                             error);
        *rows = axis->n;
    }
    if (s->design == NT_DESIGN_GRID || s->design == NT_DESIGN_LIST)
        return NT_OK;
    *rows = (double)s->samples * (s->indices ? s->n_axes + 2 : 1);
    return NT_OK;
}

static nt_status check_sampled(nt_sweep *s, nt_error *error)
{
    const nt_node *root = nt_document_root(s->document);
    bool sampled = s->design != NT_DESIGN_GRID && s->design != NT_DESIGN_LIST;
    int needed = s->n_axes * (s->indices ? 2 : 1);
    if (sampled && s->n_axes == 0)
        return nt_node_fail(error, root, "nothing varies to be sampled: expected vary");
    if (sampled && s->samples == 0)
        return nt_node_fail(error, root, "samples is missing: expected how many there are to be");
    if (!sampled && s->samples > 0)
        return nt_node_fail(error, nt_node_find(root, "samples"),
                            "samples is for designs random, latin_hypercube and sobol");
    if (s->indices && (s->design == NT_DESIGN_LATIN_HYPERCUBE || !sampled))
        return nt_node_fail(error, nt_node_find(root, "indices"),
                            "indices need design sobol or random");
    if (s->design == NT_DESIGN_SOBOL && needed > NT_SOBOL_MOST)
        return nt_node_fail(error, root, "design sobol has at most %d coordinates, got %d",
                            NT_SOBOL_MOST, needed);
    if (s->design == NT_DESIGN_SOBOL && s->samples > 4294967296)
        return nt_node_fail(error, nt_node_find(root, "samples"),
                            "design sobol has at most 2^32 samples");
    for (int k = 0; k < s->n_axes; k++)
        if (!sampled && s->axes[k].kind != NT_AXIS_LIST)
            return axis_fail(s, &s->axes[k],
                             "a distribution needs design random, latin_hypercube or sobol", error);
    return NT_OK;
}

nt_status nt_design_check(nt_sweep *s, nt_error *error)
{
    double rows;
    nt_status status = check_sampled(s, error);
    if (status == NT_OK)
        status = count_rows(s, &rows, error);
    if (status != NT_OK)
        return status;
    rows *= s->n_cases > 0 ? s->n_cases : 1;
    if (rows > MOST_ROWS)
        return nt_node_fail(error, nt_document_root(s->document),
                            "%.3g rows are more than can be counted", rows);
    s->rows = (long)rows;
    return NT_OK;
}
