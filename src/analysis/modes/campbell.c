/* Modes followed over the values of a parameter.
 *
 * Eigenvalues are followed one by one, both of a conjugate couple: so a couple that meets on the
 * real axis goes on as two real ones, and the other way round. Track a and eigenvalue b go together
 * by
 *
 *   MAC = |x_a^H W x_b|^2 / ((x_a^H W x_a)(x_b^H W x_b)),   W = diag(1, length^2),
 *
 * of the displacements, or, where eigenvalues of a coincide and any basis will do, the sum over
 * their group; and by how far s_b is from the line through the track's last two eigenvalues. */
#include "base/error.h"
#include "system/problem.h"

#include <nutate/analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 320, MOST_HALVINGS = 5, MARGIN = 6 };

/* All eigenvalues at one value of the parameter. */
typedef struct spectrum {
    double value;
    int n, nv;
    double *s;  /* [n][2]     */
    double *x;  /* [n][2][nv] weighed */
    int *group; /* [n] */
    char (*words)[WORDS];
} spectrum;

struct nt_campbell {
    nt_campbell_setup setup;
    int n_values, n_tracks, n_shown;
    double *s;            /* [n_tracks][n_values][2]                           */
    double *likeness;     /* [n_tracks][n_values]                              */
    bool *lost;           /* [n_tracks] */
    int *shown;           /* [n_shown] tracks                                  */
    char (*words)[WORDS]; /* [n_tracks] */
    spectrum last;        /* in the order of the tracks                    */
    double *before;       /* [n_tracks][2] eigenvalues at `value_before`   */
    double value_before;
    double *weight; /* [nv] */
};

static void free_spectrum(spectrum *s)
{
    free(s->s);
    free(s->x);
    free(s->group);
    free(s->words);
    *s = (spectrum){0};
}

static nt_status take_spectrum(spectrum *s, int n, int nv)
{
    *s = (spectrum){.n = n, .nv = nv};
    s->s = calloc(2 * (size_t)n + 1, sizeof *s->s);
    s->x = calloc(2 * (size_t)n * (size_t)nv + 1, sizeof *s->x);
    s->group = calloc((size_t)n + 1, sizeof *s->group);
    s->words = calloc((size_t)n + 1, sizeof *s->words);
    return s->s && s->x && s->group && s->words ? NT_OK : NT_NO_MEMORY;
}

/* ---- one value
 * ----------------------------------------------------------------------------------- */

static void copy_mode(const nt_campbell *c, const nt_modes *modes, int i, int sign, spectrum *to)
{
    nt_mode mode = nt_modes_at(modes, i);
    double *x = to->x + 2 * (size_t)to->n * (size_t)to->nv;
    to->s[2 * to->n] = mode.eigenvalue[0];
    to->s[2 * to->n + 1] = sign * mode.eigenvalue[1];
    for (int j = 0; j < to->nv; j++) {
        x[j] = mode.shape[0][j] * c->weight[j];
        x[to->nv + j] = sign * mode.shape[1][j] * c->weight[j];
    }
    to->group[to->n] = 2 * mode.group + (sign < 0);
    nt_modes_words(modes, i, to->words[to->n], WORDS);
    to->n++;
}

static nt_status look(nt_campbell *c, double value, spectrum *out, nt_error *error)
{
    const nt_campbell_setup *setup = &c->setup;
    nt_reference *reference = NULL;
    nt_modes *modes = NULL;
    nt_error inner = {0};
    nt_status status = nt_model_set(setup->run, setup->parameter, value, &inner);
    if (status == NT_OK)
        status = nt_reference_create(&reference, setup->run, setup->about, &inner);
    if (status == NT_OK) {
        double turn[3];
        nt_state state = nt_reference_state(reference);
        nt_reference_turn(reference, turn);
        nt_modes_setup find = {.system = nt_run_system(setup->run), .state = &state, .turn = turn};
        const nt_system *system = find.system;
        int freedom = system->space.nv - system->nh; /* more where rows are redundant */
        find.count =
            setup->count > 0 && setup->count + MARGIN < freedom ? setup->count + MARGIN : 0;
        status = nt_modes_create(&modes, &find, &inner);
    }
    int positions;
    nt_modes_freedom(modes, &positions, NULL);
    if (status == NT_OK && setup->count > positions)
        status = nt_fail(&inner, NT_INVALID,
                         "%d modes are wanted, and the model has %d degree%s of freedom",
                         setup->count, positions, positions == 1 ? "" : "s");
    int n = nt_modes_count(modes), nv = nt_run_system(setup->run)->space.nv;
    if (status == NT_OK && (status = take_spectrum(out, 2 * n, nv)) != NT_OK)
        snprintf(inner.message, sizeof inner.message, "out of memory");
    out->n = 0;
    out->value = value;
    for (int i = 0; i < n && status == NT_OK; i++) {
        copy_mode(c, modes, i, 1, out);
        if (nt_modes_at(modes, i).eigenvalue[1] > 0)
            copy_mode(c, modes, i, -1, out);
    }
    nt_modes_destroy(modes);
    nt_reference_destroy(reference);
    if (status == NT_OK)
        return NT_OK;
    free_spectrum(out);
    return nt_fail_at(error, status, inner.file, inner.line, inner.column, "%s = %.9g: %s",
                      setup->parameter, value, inner.message);
}

/* ---- from one value to the next
 * ------------------------------------------------------------------ */

static double likeness_of(const spectrum *a, int i, const spectrum *b, int j)
{
    const double *x = a->x + 2 * (size_t)i * (size_t)a->nv,
                 *y = b->x + 2 * (size_t)j * (size_t)b->nv;
    double re = 0, im = 0, xx = 0, yy = 0;
    int nv = a->nv;
    for (int k = 0; k < nv; k++) {
        re += x[k] * y[k] + x[nv + k] * y[nv + k];
        im += x[k] * y[nv + k] - x[nv + k] * y[k];
        xx += x[k] * x[k] + x[nv + k] * x[nv + k];
        yy += y[k] * y[k] + y[nv + k] * y[nv + k];
    }
    return xx > 0 && yy > 0 ? (re * re + im * im) / (xx * yy) : 0;
}

/* Where the group of track i has several members, the part of b's shape in their span, about. */
static double group_likeness(const nt_campbell *c, int i, const spectrum *b, int j)
{
    double sum = 0;
    for (int k = 0; k < c->last.n; k++)
        if (c->last.group[k] == c->last.group[i])
            sum += likeness_of(&c->last, k, b, j);
    return sum < 1 ? sum : 1;
}

/* |s_b - s_a| in parts of how far eigenvalues are apart, from 0 to 1. */
static double distance_of(const nt_campbell *c, int i, const spectrum *b, int j)
{
    double *s = c->last.s + 2 * i, part = 0;
    if (c->value_before != c->last.value)
        part = (b->value - c->last.value) / (c->last.value - c->value_before);
    double re = s[0] + part * (s[0] - c->before[2 * i]),
           im = s[1] + part * (s[1] - c->before[2 * i + 1]);
    double off = hypot(b->s[2 * j] - re, b->s[2 * j + 1] - im);
    double size = hypot(s[0], s[1]) + hypot(b->s[2 * j], b->s[2 * j + 1]);
    return size > 0 ? fmin(1, 4 * off / size) : 0;
}

typedef struct couple {
    double cost, likeness;
    int track, found;
} couple;

static int by_cost(const void *first, const void *second)
{
    const couple *a = first, *b = second;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->track != b->track ? a->track - b->track : a->found - b->found;
}

/* found[track]: its eigenvalue in `next`, or -1; the couple of least cost first. */
static nt_status match(const nt_campbell *c, const spectrum *next, int *found, double *likeness,
                       double *worst)
{
    int n = c->n_tracks, m = next->n, used = 0;
    couple *couples = calloc((size_t)n * (size_t)m + 1, sizeof *couples);
    bool *taken = calloc((size_t)m + 1, sizeof *taken);
    if (!couples || !taken) {
        free(couples);
        free(taken);
        return NT_NO_MEMORY;
    }
    for (int i = 0; i < n; i++) {
        found[i] = -1, likeness[i] = 0;
        for (int j = 0; j < m && !c->lost[i]; j++) {
            double like = group_likeness(c, i, next, j);
            couples[used++] = (couple){1 - like + distance_of(c, i, next, j), like, i, j};
        }
    }
    qsort(couples, (size_t)used, sizeof *couples, by_cost);
    *worst = 1;
    for (int k = 0; k < used; k++) {
        const couple *best = &couples[k];
        if (found[best->track] >= 0 || taken[best->found])
            continue;
        found[best->track] = best->found;
        likeness[best->track] = best->likeness;
        taken[best->found] = true;
    }
    int wanted = c->setup.count > 0 && c->setup.count * 2 < n ? c->setup.count * 2 : n;
    for (int i = 0; i < wanted; i++)
        if (!c->lost[i])
            *worst = fmin(*worst, likeness[i]);
    free(couples);
    free(taken);
    return NT_OK;
}

/* The tracks go on to `next`, which is theirs from now on. */
static nt_status accept(nt_campbell *c, const spectrum *next, const int *found)
{
    spectrum ordered;
    nt_status status = take_spectrum(&ordered, c->n_tracks, next->nv);
    size_t shape = 2 * (size_t)next->nv;
    if (status != NT_OK) {
        free_spectrum(&ordered);
        return status;
    }
    ordered.value = next->value;
    for (int i = 0; i < c->n_tracks; i++) {
        c->before[2 * i] = c->last.s[2 * i], c->before[2 * i + 1] = c->last.s[2 * i + 1];
        c->lost[i] |= found[i] < 0;
        const spectrum *from = found[i] < 0 ? &c->last : next;
        int k = found[i] < 0 ? i : found[i];
        memcpy(ordered.s + 2 * i, from->s + 2 * k, 2 * sizeof *ordered.s);
        memcpy(ordered.x + (size_t)i * shape, from->x + (size_t)k * shape,
               shape * sizeof *ordered.x);
        ordered.group[i] = found[i] < 0 ? -1 - i : from->group[k];
    }
    c->value_before = c->last.value;
    free_spectrum(&c->last);
    c->last = ordered;
    return NT_OK;
}

/* A mode is recognised by this likeness at least. */
static const double ALIKE = 0.75;

/* To `value`, by halves where a mode is not recognised. likeness[n_tracks] the least on the way. */
static nt_status advance(nt_campbell *c, double value, int depth, double *likeness, nt_error *error)
{
    spectrum next = {0};
    int *found = calloc((size_t)c->n_tracks + 1, sizeof *found);
    double *like = calloc((size_t)c->n_tracks + 1, sizeof *like), worst = 1, from = c->last.value;
    nt_status status = found && like ? look(c, value, &next, error)
                                     : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK && (status = match(c, &next, found, like, &worst)) != NT_OK)
        nt_fail(error, status, "out of memory");
    if (status == NT_OK && worst < ALIKE && depth < MOST_HALVINGS) {
        status = advance(c, (from + value) / 2, depth + 1, likeness, error);
        if (status == NT_OK)
            status = match(c, &next, found, like, &worst);
    }
    if (status == NT_OK && (status = accept(c, &next, found)) != NT_OK)
        nt_fail(error, status, "out of memory");
    for (int i = 0; i < c->n_tracks && status == NT_OK; i++)
        likeness[i] = fmin(likeness[i], like[i]);
    free_spectrum(&next);
    free(found);
    free(like);
    return status;
}

/* ---- all values
 * ---------------------------------------------------------------------------------- */

static nt_status begin(nt_campbell *c, nt_error *error)
{
    const nt_system *system = nt_run_system(c->setup.run);
    nt_problem *problem = NULL;
    nt_status status = nt_problem_create(&problem, system, NT_INERTIAL, error);
    c->weight = calloc((size_t)system->space.nv + 1, sizeof *c->weight);
    for (int i = 0; status == NT_OK && c->weight && i < system->space.nv; i++)
        c->weight[i] = nt_problem_weight(problem, i);
    nt_problem_destroy(problem);
    if (status == NT_OK && !c->weight)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        status = look(c, c->setup.values[0], &c->last, error);
    if (status != NT_OK)
        return status;
    size_t n = (size_t)c->last.n, values = (size_t)c->n_values;
    c->n_tracks = c->last.n;
    c->value_before = c->last.value;
    c->s = calloc(2 * n * values + 1, sizeof *c->s);
    c->likeness = calloc(n * values + 1, sizeof *c->likeness);
    c->lost = calloc(n + 1, sizeof *c->lost);
    c->shown = calloc(n + 1, sizeof *c->shown);
    c->before = calloc(2 * n + 1, sizeof *c->before);
    c->words = calloc(n + 1, sizeof *c->words);
    if (!c->s || !c->likeness || !c->lost || !c->shown || !c->before || !c->words)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    memcpy(c->before, c->last.s, 2 * n * sizeof *c->before);
    memcpy(c->words, c->last.words, n * sizeof *c->words);
    return NT_OK;
}

static void keep(nt_campbell *c, int k, const double *likeness)
{
    for (int i = 0; i < c->n_tracks; i++) {
        memcpy(c->s + 2 * ((size_t)i * (size_t)c->n_values + (size_t)k), c->last.s + 2 * i,
               2 * sizeof *c->s);
        c->likeness[(size_t)i * (size_t)c->n_values + (size_t)k] = likeness[i];
    }
}

/* One track of a couple stands for both; that of lower frequency is shown where it is real at some
 * value, and then was something of its own. */
static void choose_shown(nt_campbell *c)
{
    for (int i = 0; i < c->n_tracks; i++) {
        bool above = false;
        for (int k = 0; k < c->n_values; k++) {
            double im = c->s[2 * ((size_t)i * (size_t)c->n_values + (size_t)k) + 1];
            above |= im >= 0;
        }
        bool full = c->setup.count > 0 && c->n_shown >= c->setup.count;
        if (!c->lost[i] && above && !full)
            c->shown[c->n_shown++] = i;
    }
}

static nt_status follow(nt_campbell *c, nt_error *error)
{
    const nt_campbell_setup *setup = &c->setup;
    nt_status status = begin(c, error);
    double *likeness = calloc((size_t)c->n_tracks + 1, sizeof *likeness);
    if (status == NT_OK && !likeness)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int k = 0; k < c->n_values && status == NT_OK; k++) {
        if (setup->stop && setup->stop(setup->context, k))
            status = nt_fail(error, NT_INTERRUPTED, "interrupted");
        for (int i = 0; i < c->n_tracks; i++)
            likeness[i] = 1;
        if (status == NT_OK && k > 0)
            status = advance(c, setup->values[k], 0, likeness, error);
        if (status == NT_OK)
            keep(c, k, likeness);
    }
    free(likeness);
    if (status == NT_OK)
        choose_shown(c);
    return status;
}

static bool parameter_value(nt_run *run, const char *name, double *value)
{
    const nt_system *system = nt_run_system(run);
    double *all = calloc((size_t)system->n_parameters + 1, sizeof *all);
    bool known = false;
    if (all && system->get_parameters)
        system->get_parameters(system->self, all);
    for (int i = 0; i < system->n_parameters && all; i++)
        if (strcmp(system->parameter_names[i], name) == 0)
            *value = all[i], known = true;
    free(all);
    return known;
}

nt_status nt_campbell_create(nt_campbell **out, const nt_campbell_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "campbell", out);
    *out = NULL;
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.run setup.parameter setup.values", setup->run, setup->parameter,
            setup->values);
    NT_NEED_NUMBER(error, "setup.about", setup->about, NT_ABOUT_STATIC, NT_ABOUT_STEADY);
    if (setup->n_values < 1 || setup->count < 0)
        return nt_fail(error, NT_INVALID,
                       "%d values and %d modes are wanted, expected one value or "
                       "more and 0 modes (all) or more",
                       setup->n_values, setup->count);
    for (int i = 0; i < setup->n_values; i++)
        NT_NEED_FINITE(error, "setup.values[i]", setup->values[i]);
    double value = 0;
    bool known = parameter_value(setup->run, setup->parameter, &value);
    nt_campbell *c = calloc(1, sizeof *c);
    if (!c)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    c->setup = *setup;
    c->n_values = setup->n_values;
    nt_status status = follow(c, error);
    nt_error why = {0};
    nt_status back = known ? nt_model_set(setup->run, setup->parameter, value, &why) : NT_OK;
    if (back != NT_OK && status == NT_OK)
        status = nt_fail(error, back, "%s cannot be set back to %.9g: %s", setup->parameter, value,
                         why.message);
    if (status != NT_OK) {
        nt_campbell_destroy(c);
        return nt_said(error, status);
    }
    *out = c;
    return NT_OK;
}

void nt_campbell_destroy(nt_campbell *c)
{
    if (!c)
        return;
    free_spectrum(&c->last);
    free(c->s);
    free(c->likeness);
    free(c->lost);
    free(c->shown);
    free(c->before);
    free(c->words);
    free(c->weight);
    free(c);
}

int nt_campbell_count(const nt_campbell *c) { return c ? c->n_shown : 0; }

void nt_campbell_at(const nt_campbell *c, int i, int k, double s[2], double *likeness)
{
    bool there = c && i >= 0 && i < c->n_shown && k >= 0 && k < c->n_values;
    size_t place = there ? (size_t)c->shown[i] * (size_t)c->n_values + (size_t)k : 0;
    if (s)
        s[0] = there ? c->s[2 * place] : (double)NAN,
        s[1] = there ? c->s[2 * place + 1] : (double)NAN;
    if (likeness)
        *likeness = there ? c->likeness[place] : (double)NAN;
}

void nt_campbell_words(const nt_campbell *c, int i, char *text, int size)
{
    if (text && size > 0)
        snprintf(text, (size_t)size, "%s",
                 c && i >= 0 && i < c->n_shown ? c->words[c->shown[i]] : "");
}
