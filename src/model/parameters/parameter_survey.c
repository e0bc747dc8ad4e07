/* What a parameter changes: derivatives of all numbers of a model.
 *
 * The numbers of the file are moved along their tangent in p, everything is prepared and assembled
 * anew at eight such places, and whatever 8-byte word of bodies, elements, markers and signals has
 * changed is a number that depends on p. Its derivative is, with dk = x(k h) - x(-k h),
 *
 *   D8 = (672 d1 - 168 d2 + 32 d3 - 3 d4)/(840 h),
 *
 * judged by the difference from sixth order. */
#include "model/parameters/parameter_survey.h"

#include "model/evaluate.h"
#include "model/events/events.h"
#include "model/joints/joint.h"
#include "model/states/delay.h"
#include "system/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of the differences: the numbers of the file change by up to 4 % of their size. The
 * truncation of 1/x is then 6e-14, rounding 1e-14. Where that is not good enough (the estimate of
 * sixth order differs by 1e-9) the step is divided by eight, down to 5e-9: what follows from the
 * difference of two radii that are almost the same changes within a small part of their size. Wider
 * steps say nothing of that, nor whether narrower ones help: while they reach beyond a place where
 * balls of a preloaded bearing begin to have play, each is as bad as the one before.
 */
static const double FIRST_STEP = 1e-2, NEXT_STEP = 0.125, GOOD = 1e-9;
enum { LEVELS = 8, POINTS = 4 };

/* A relative change below this many units of rounding is what an assembly leaves, not a derivative.
 */
static const double NOISE = 10;

static const double EIGHTH[POINTS] = {672.0 / 840, -168.0 / 840, 32.0 / 840, -3.0 / 840};
static const double SIXTH[POINTS] = {45.0 / 60, -9.0 / 60, 1.0 / 60, 0};

/* ---- all numbers of a model ----------------------------------------------------------------- */

static void add_region(nt_survey *s, nt_region_kind kind, void *at, size_t bytes)
{
    if (bytes == 0 && kind != NT_REGION_ELEMENT)
        return;
    s->region[s->n_regions++] = (nt_region){kind, at, bytes, s->words};
    s->words += (bytes + 7) / 8;
}

static void list_regions(nt_survey *s)
{
    nt_run *run = s->run;
    const nt_system *system = &run->system;
    add_region(s, NT_REGION_BODIES, run->bodies,
               (size_t)run->model->n_bodies * sizeof *run->bodies);
    add_region(s, NT_REGION_PLAIN, run->gravity, 3 * sizeof *run->gravity);
    add_region(s, NT_REGION_PLAIN, run->markers,
               (size_t)run->model->n_markers * sizeof *run->markers);
    s->first_element = s->n_regions;
    for (int i = 0; i < run->model->n_elements; i++)
        add_region(s, NT_REGION_ELEMENT, nt_element_numbers(run, &run->model->elements[i]),
                   run->model->elements[i].bytes);
    add_region(s, NT_REGION_INITIAL, run->initial_q, (size_t)system->space.nq * sizeof(double));
    add_region(s, NT_REGION_INITIAL, run->initial_v, (size_t)system->space.nv * sizeof(double));
    add_region(s, NT_REGION_INITIAL, run->initial_memory,
               (size_t)system->n_memory * sizeof(double));
}

/* The model's numbers and the words of the arrays. */
void nt_survey_read(const nt_survey *s, double *words)
{
    for (int i = 0; i < s->n_regions; i++)
        memcpy(words + s->region[i].word, s->region[i].at, s->region[i].bytes);
}

void nt_survey_restore(const nt_survey *s)
{
    for (int i = 0; i < s->n_regions; i++)
        memcpy(s->region[i].at, s->saved + 8 * s->region[i].word, s->region[i].bytes);
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)(*(nt_region *const *)a)->at;
    uintptr_t y = (uintptr_t)(*(nt_region *const *)b)->at;
    return x < y ? -1 : x > y;
}

nt_status nt_survey_begin(nt_survey *s)
{
    nt_run *run = s->run;
    nt_arena *arena = &s->arena;
    size_t rows = (size_t)(run->system.nh + run->system.nn);
    s->region = NT_TAKE(arena, run->model->n_elements + 8, nt_region);
    s->sorted = NT_TAKE(arena, run->model->n_elements + 8, nt_region *);
    if (!s->region || !s->sorted)
        return NT_NO_MEMORY;
    list_regions(s);
    for (int i = 0; i < s->n_regions; i++)
        s->sorted[i] = &s->region[i];
    qsort(s->sorted, (size_t)s->n_regions, sizeof *s->sorted, by_address);
    s->saved = NT_TAKE(arena, 8 * s->words, char);
    if (!s->saved ||
        !NT_DOUBLES(arena, s->words, &s->plus, &s->eighth, &s->sixth, &s->best, &s->doubt) ||
        !NT_DOUBLES(arena, run->model->n_bindings, &s->direction, &s->number) ||
        !NT_DOUBLES(arena, rows, &s->rows, &s->opening[0], &s->opening[1]) ||
        !NT_DOUBLES(arena, rows, &s->opens[0], &s->opens[1], &s->opens_sixth[0]) ||
        !NT_DOUBLES(arena, rows, &s->opens_sixth[1], &s->open_doubt[0], &s->open_doubt[1]))
        return NT_NO_MEMORY;
    nt_survey_read(s, (double *)(void *)s->saved);
    s->kept = true;
    s->length = run->length;
    s->n_redundant = run->n_redundant;
    s->corrections = run->corrections;
    s->failed = run->failed;
    return NT_OK;
}

void nt_survey_end(nt_survey *s)
{
    nt_run *run = s->run;
    if (s->kept) {
        nt_survey_restore(s);
        run->length = s->length;
        run->n_redundant = s->n_redundant;
        run->corrections = s->corrections;
        run->failed = s->failed;
        for (int i = 0; i < run->model->n_parameters; i++)
            run->variables[i] = run->parameters[i].value;
    }
    nt_assembly_destroy(s->assembly);
    nt_arena_free(&s->arena);
}

/* ---- along the tangent of the file's numbers ------------------------------------------------ */

/* Derivatives of all parameters: those that follow move too. */
void nt_survey_parameters(const nt_run *run, int k, double *rates)
{
    int n = run->model->n_unknowns;
    bool solved = n > 0 && !run->settling;
    bool set = run->set_now[k] != 0; /* by an event: its value is the memory's */
    rates[k] = set ? 0 : 1;
    for (int j = 0; solved && j < n; j++) /* of an unknown its first guess changes nothing */
        rates[run->model->unknowns[j]] = run->unknown_rates[k * n + j];
    for (int i = solved ? 0 : k + 1; i < run->model->n_parameters; i++) {
        const nt_parameter *p = &run->model->parameters[i];
        double jet[3];
        if (i == k || !p->expression || run->parameters[i].taken || run->set_now[i] != 0)
            continue;
        nt_expression_jet(p->expression, run->variables, rates, run->model->zeros, jet);
        rates[i] = jet[1];
    }
}

/* By how much a number of the file may change at once: its own size, and what is small beside the
 * model's length (or 1) by that much; a direction's component, a mass or an inertia by the largest
 * of those that stand together. */
static double survey_size_of(const nt_run *run, const nt_binding *binding, double unit)
{
    double largest = 0;
    for (int i = 0; i < binding->n_among; i++)
        largest = fmax(largest, fabs(nt_run_number(run, binding->among)[i]));
    return largest > 0 ? largest : fmax(fabs(*nt_run_number(run, binding->target)), unit);
}

double nt_survey_numbers(nt_survey *s)
{
    const nt_run *run = s->run;
    double unit = fmin(1, run->length), scale = (double)INFINITY;
    for (int i = 0; i < run->model->n_bindings; i++) {
        double jet[3];
        nt_expression_jet(run->model->bindings[i].expression, run->variables, s->rates->variables,
                          run->model->zeros, jet);
        s->number[i] = *nt_run_number(run, run->model->bindings[i].target);
        s->direction[i] = jet[1];
        if (jet[1] != 0)
            scale = fmin(scale, survey_size_of(run, &run->model->bindings[i], unit) / fabs(jet[1]));
    }
    return scale;
}

/* Everything derived anew with the file's numbers at a distance along their tangent. */
nt_status nt_survey_derive_at(nt_survey *s, double distance)
{
    nt_run *run = s->run;
    nt_survey_restore(s);
    for (int i = 0; i < run->model->n_parameters; i++)
        run->variables[i] =
            run->parameters[i].value + (distance == 0 ? 0 : distance * s->rates->variables[i]);
    for (int i = 0; i < run->model->n_bindings; i++)
        *nt_run_number(run, run->model->bindings[i].target) =
            s->number[i] + distance * s->direction[i];
    return nt_run_prepare_derived(run, false, &s->why);
}

static nt_status move_to(nt_survey *s, double distance)
{
    nt_status status = nt_survey_derive_at(s, distance);
    return status == NT_OK && s->assembles ? nt_assembly_place(s->assembly, false, NULL) : status;
}

/* A body's part in the assembly: placement, velocities; mass, for velocities of least energy. */
static bool placed_differently(const nt_body *a, const nt_body *b, bool weighs)
{
    return memcmp(&a->x0, &b->x0, sizeof a->x0) != 0 || memcmp(&a->q0, &b->q0, sizeof a->q0) != 0 ||
           memcmp(&a->v0, &b->v0, sizeof a->v0) != 0 || memcmp(&a->w0, &b->w0, sizeof a->w0) != 0 ||
           memcmp(&a->reference, &b->reference, sizeof a->reference) != 0 ||
           (weighs && (a->mass != b->mass || memcmp(&a->J, &b->J, sizeof a->J) != 0));
}

/* Whether the assembly found velocities other than the given ones. */
static bool found_velocities(const nt_run *run, const nt_body *given)
{
    for (int i = 1; i < run->model->n_bodies; i++) {
        const nt_body *b = &given[i];
        const double *v = run->initial_v + b->v;
        bool moves = b->t_node >= 0, turns = b->r_node >= 0;
        v3 dv = moves ? v3_sub(v3_load(v), b->v0) : v3_of(0, 0, 0);
        v3 dw = turns ? v3_sub(v3_load(v + (moves ? 3 : 0)), b->w0) : v3_of(0, 0, 0);
        if (v3_norm(dv) > 1e-13 * v3_norm(b->v0) || v3_norm(dw) > 1e-13 * v3_norm(b->w0))
            return true;
    }
    return false;
}

/* Whether anything that the assembly reads changes; else the eight assemblies can be spared. */
static nt_status find_whether_assembles(nt_survey *s, double h)
{
    const nt_run *run = s->run;
    const nt_body *before = (const nt_body *)(const void *)s->plus; /* bodies come first */
    nt_status status = nt_survey_derive_at(s, 0);
    if (status != NT_OK)
        return status;
    nt_survey_read(s, s->plus);
    status = nt_survey_derive_at(s, h);
    bool weighs = found_velocities(run, before);
    s->assembles = s->assembles || nt_run_delays_use(run, s->rates->variables);
    for (int i = 1; i < run->model->n_bodies && !s->assembles; i++)
        s->assembles = placed_differently(&before[i], &run->bodies[i], weighs);
    for (int i = 0; i < run->model->n_elements && !s->assembles; i++) {
        const nt_element *e = &run->model->elements[i];
        const nt_region *r = &s->region[s->first_element + i];
        s->assembles =
            (e->n_rows + e->n_rates + e->n_own > 0 || i < run->model->n_joints ||
             nt_element_settles(e) || nt_element_has_stops(e) || nt_element_remembers(e)) &&
            (memcmp(r->at, s->plus + r->word, r->bytes) != 0 ||
             nt_element_uses(run, e, s->rates->variables));
    }
    if (status == NT_OK && s->assembles && !s->assembly)
        status = nt_assembly_create(&s->assembly, s->run, NULL);
    return status;
}

/* Adds a place k h (side 1) or -k h (side -1) to the derivatives of what the constraints are
 * violated by that assembly left: where the file gives all placements it moves nothing, and along
 * the tangent of their numbers even what closes for every parameter opens with their curvature. */
static nt_status look_for_openings(nt_survey *s, int k, int side, double h)
{
    nt_run *run = s->run;
    const nt_system *system = &run->system;
    nt_point at = {.t = run->model->simulation.start,
                   .q = run->initial_q,
                   .v = run->initial_v,
                   .vdot = run->initial_v,
                   .lambda = run->multipliers,
                   .mu = run->multipliers + system->nh};
    for (int level = NT_POSITION; level <= NT_VELOCITY; level++) {
        int n = level == NT_POSITION ? system->nh : system->nh + system->nn;
        nt_terms terms = {.level = (nt_level)level, .rows = s->rows};
        if (n == 0)
            continue;
        nt_status status = nt_run_evaluate(run, &at, &terms);
        if (status != NT_OK)
            return status;
        for (int i = 0; i < n; i++)
            if (!nt_run_row_is_off(s->run, i)) {
                s->opens[level][i] += EIGHTH[k - 1] * side * s->rows[i] / h;
                s->opens_sixth[level][i] += SIXTH[k - 1] * side * s->rows[i] / h;
            }
    }
    return NT_OK;
}

/* d8 and d6 of all words and openings at step h. A number that has no value
 * on either side has no difference, though both have the same bits. (Words that are no numbers keep
 * those of the model.) */
static nt_status survey_difference(nt_survey *s, double h)
{
    const double *saved = (const double *)(const void *)s->saved;
    size_t rows = (size_t)(s->run->system.nh + s->run->system.nn);
    memset(s->eighth, 0, s->words * sizeof(double));
    memset(s->sixth, 0, s->words * sizeof(double));
    for (int level = 0; level < 2; level++) {
        memset(s->opens[level], 0, rows * sizeof(double));
        memset(s->opens_sixth[level], 0, rows * sizeof(double));
    }
    for (int k = 1; k <= POINTS; k++) {
        nt_status status = move_to(s, k * h);
        if (status == NT_OK && s->assembles)
            status = look_for_openings(s, k, 1, h);
        nt_survey_read(s, s->plus);
        if (status == NT_OK)
            status = move_to(s, -k * h);
        if (status == NT_OK && s->assembles)
            status = look_for_openings(s, k, -1, h);
        if (status != NT_OK)
            return status;
        for (int i = 0; i < s->n_regions; i++) {
            const nt_region *r = &s->region[i];
            for (size_t w = 0; w < r->bytes / 8; w++) {
                double minus;
                memcpy(&minus, r->at + 8 * w, 8);
                bool same = memcmp(&minus, &s->plus[r->word + w], 8) == 0;
                if (same && (isfinite(minus) || !isfinite(saved[r->word + w])))
                    continue;
                double d = (s->plus[r->word + w] - minus) / h;
                s->eighth[r->word + w] += EIGHTH[k - 1] * d;
                s->sixth[r->word + w] += SIXTH[k - 1] * d;
            }
        }
    }
    return NT_OK;
}

/* The openings of this step where they are better than those before. */
static void choose_openings(nt_survey *s, double h, bool first)
{
    int rows = s->run->system.nh + s->run->system.nn;
    double rounding = DBL_EPSILON * fmin(1, s->length) / h;
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < rows; i++) {
            double d = s->opens[level][i], doubt = fabs(d - s->opens_sixth[level][i]) + rounding;
            if (first || !(s->open_doubt[level][i] <= doubt)) {
                s->opening[level][i] = d;
                s->open_doubt[level][i] = doubt;
            }
        }
}

/* The better of this step's result and those before, word by word; whether all are good. */
static bool survey_choose(nt_survey *s, double h, bool first)
{
    const double *saved = (const double *)(const void *)s->saved;
    double unit = fmin(1, s->length);
    bool good = true;
    for (size_t w = 0; w < s->words; w++) {
        double d = s->eighth[w], gap = fabs(d - s->sixth[w]);
        if (d == 0 && gap == 0 && (first || s->best[w] == 0))
            continue;
        double rounding = DBL_EPSILON * fmax(fabs(saved[w]), unit) / h, doubt = gap + rounding;
        good = good && gap <= GOOD * fabs(d) + 100 * rounding;
        if (first || !(s->doubt[w] <= doubt)) {
            s->best[w] = d;
            s->doubt[w] = doubt;
        }
    }
    return good;
}

/* The region that an address lies in; NULL for none. */
static const nt_region *region_at(const nt_survey *s, const char *address)
{
    int low = 0, high = s->n_regions;
    while (high - low > 1) { /* the last that begins at or before it */
        int middle = (low + high) / 2;
        if ((uintptr_t)s->sorted[middle]->at <= (uintptr_t)address)
            low = middle;
        else
            high = middle;
    }
    const nt_region *r = s->sorted[low];
    return address >= r->at && address < r->at + r->bytes ? r : NULL;
}

/* What an assembly's rounding leaves in the numbers of elements is no derivative; and numbers that
 * the file gives have theirs exactly. */
static void clean(nt_survey *s, double h)
{
    const double *saved = (const double *)(const void *)s->saved;
    double unit = fmin(1, s->length);
    for (int i = 0; i < s->n_regions; i++) {
        const nt_region *r = &s->region[i];
        for (size_t w = r->word; w < r->word + r->bytes / 8; w++) {
            double size =
                r->kind == NT_REGION_ELEMENT ? fmax(fabs(saved[w]), unit) : fabs(saved[w]);
            if (r->kind != NT_REGION_INITIAL && fabs(s->best[w]) * h <= NOISE * DBL_EPSILON * size)
                s->best[w] = 0;
        }
    }
    for (int b = 0; b < s->run->model->n_bindings; b++) {
        const char *target = s->run->numbers + s->run->model->bindings[b].target;
        const nt_region *r = region_at(s, target);
        if (r)
            s->best[r->word + (size_t)(target - r->at) / 8] = s->direction[b];
    }
}

nt_status nt_survey_differentiate(nt_survey *s, double scale)
{
    nt_status status = NT_OK;
    double h = FIRST_STEP * scale, widest = 0;
    bool good = false;
    for (int level = 0; status == NT_OK && !good && level < LEVELS; level++, h *= NEXT_STEP) {
        bool first = widest == 0;
        if (first)
            status = find_whether_assembles(s, h);
        if (status == NT_OK)
            status = survey_difference(s, h);
        /* too far for a model: ends of elements that pass each other, a section that bears nothing
         */
        if (status == NT_BAD_MODEL && level + 1 < LEVELS) {
            status = NT_OK;
            continue;
        }
        if (status != NT_OK)
            break;
        widest = first ? h : widest;
        good = survey_choose(s, h, first);
        choose_openings(s, h, first);
    }
    /* whatever is kept apart from the words is left as far off as it goes: nt_survey_find_apart */
    s->far = POINTS * widest;
    if (status == NT_OK)
        status = nt_survey_derive_at(s, s->far);
    nt_survey_restore(s);
    clean(s, widest);
    return status;
}
