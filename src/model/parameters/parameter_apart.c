/* Numbers that an element keeps where no derivative is found.
 *
 * Apart from its data: behind pointers, in variables of its file.
 * A survey sees the words of the elements' data and no others. When it is done all these have the
 * bits that they had before, and each element must add, to the bit, what it added before. One that
 * does not has followed the parameter by numbers that were not seen, so that derivatives along the
 * data alone would leave them out. The survey ends at the farthest of its places, so that a float
 * or an integer, which small changes leave as they are, has followed too.
 *
 * In its data, but not as doubles. A float or an integer that has a word of eight bytes to itself,
 * or shares it with small integers, is the word of a number below 2.3e-308 or of none; taken for
 * the number it would have a derivative of zero. */
#include "base/text.h"
#include "model/evaluate.h"
#include "model/parameters/parameter_survey.h"

#include <math.h>
#include <string.h>

/* Elements are looked at where the model begins, and at a place beside it that has no symmetry:
 * forces that vanish at rest, or where parts are aligned, do not vanish there. */
enum { PLACES = 2 };

typedef struct beside {
    double *q, *v, *vdot, *multipliers, *increment, *residual, *rows;
} beside;

/* Numbers between -1 and 1 that follow each other without a pattern. */
static double scattered(int i) { return 2 * fmod(0.618033988749895 * (i + 1), 1) - 1; }

static bool take_beside(beside *b, const nt_run *run, nt_arena *arena)
{
    const nt_system *s = &run->system;
    size_t nv = (size_t)s->space.nv, nc = (size_t)(s->nh + s->nn);
    return NT_DOUBLES(arena, nv, &b->v, &b->vdot, &b->increment, &b->residual) &&
           NT_DOUBLES(arena, nc, &b->multipliers, &b->rows) &&
           NT_DOUBLES(arena, (size_t)s->space.nq, &b->q);
}

static void place_beside(beside *b, const nt_run *run)
{
    const nt_system *s = &run->system;
    int nv = s->space.nv;
    for (int i = 0; i < nv; i++) {
        b->increment[i] = 0.1 * scattered(i);
        b->v[i] = run->initial_v[i] + scattered(nv + i);
        b->vdot[i] = scattered(2 * nv + i);
    }
    for (int i = 0; i < s->nh + s->nn; i++)
        b->multipliers[i] = scattered(3 * nv + i);
    nt_space_compose(&s->space, s->frame, run->initial_q, b->increment, b->q);
}

/* A mark of what each element adds at a place: equal for equal bits. */
static void mark_elements(nt_survey *survey, const beside *b, bool at_start, uint64_t *marks)
{
    nt_run *run = survey->run;
    const nt_system *s = &run->system;
    const nt_point at = {.t = run->model->simulation.start,
                         .q = at_start ? run->initial_q : b->q,
                         .v = at_start ? run->initial_v : b->v,
                         .vdot = b->vdot,
                         .lambda = b->multipliers,
                         .mu = b->multipliers + s->nh,
                         .memory = run->initial_memory};
    const nt_terms terms = {.parts = NT_ALL_PARTS, .residual = b->residual, .rows = b->rows};
    nt_view view;
    nt_run_look(run, &at, &terms, &view);
    view.energy = NULL;
    for (int i = 0; i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        nt_local *local = view.local;
        bool apart = local->apart;
        memset(b->rows, 0, (size_t)(s->nh + s->nn) * sizeof *b->rows);
        nt_local_begin(local, e);
        local->apart = true;
        nt_status status = e->type->evaluate(e, &view);
        local->apart = apart;
        uint64_t mark = (uint64_t)status;
        if (status == NT_OK && local->has_pushed)
            mark += nt_hash((const char *)local->residual, (size_t)e->size * sizeof(double));
        if (status == NT_OK && e->n_rows > 0)
            mark += 3 * nt_hash((const char *)(b->rows + e->first_row),
                                (size_t)e->n_rows * sizeof(double));
        if (status == NT_OK && e->n_rates > 0)
            mark += 5 * nt_hash((const char *)(b->rows + e->first_rate),
                                (size_t)e->n_rates * sizeof(double));
        marks[i] = mark;
    }
}

static nt_status mark_all(nt_survey *s, uint64_t *marks)
{
    nt_arena arena = {0};
    beside b;
    const nt_element *failed = s->run->failed;
    if (!take_beside(&b, s->run, &arena)) {
        nt_arena_free(&arena);
        return NT_NO_MEMORY;
    }
    place_beside(&b, s->run);
    for (int place = 0; place < PLACES; place++)
        mark_elements(s, &b, place == 0, marks + (size_t)place * (size_t)s->run->model->n_elements);
    nt_arena_free(&arena);
    s->run->failed = failed;
    return NT_OK;
}

nt_status nt_survey_mark(nt_survey *s)
{
    size_t n = (size_t)s->run->model->n_elements;
    s->marks = NT_TAKE(&s->arena, 2 * PLACES * n, uint64_t);
    return s->marks ? mark_all(s, s->marks) : NT_NO_MEMORY;
}

nt_status nt_survey_find_apart(nt_survey *s, const nt_element **apart)
{
    nt_run *run = s->run;
    size_t n = (size_t)run->model->n_elements;
    uint64_t *now = s->marks + PLACES * n;
    *apart = NULL;
    for (int i = 0; i < run->model->n_parameters; i++)
        run->variables[i] = run->parameters[i].value;
    run->length = s->length;
    nt_status status = mark_all(s, now);
    for (size_t i = 0; i < PLACES * n && status == NT_OK && !*apart; i++)
        if (s->marks[i] != now[i]) {
            nt_survey_derive_at(s, 0);
            *apart = &run->model->elements[i % n];
        }
    return status;
}

/* The bits of a word of the elements' data, `count` of its bytes. */
static uint64_t bits_of(const void *word, size_t count)
{
    uint64_t bits = 0;
    memcpy(&bits, word, count);
    return bits;
}

/* Neither zero nor a number that equations have: below the normal ones, infinite or none. */
static bool is_no_number(uint64_t bits)
{
    uint64_t exponent = bits >> 52 & 0x7ff, rest = bits & ~(UINT64_MAX << 52);
    return exponent == 0x7ff || (exponent == 0 && rest != 0);
}

/* Whether a word is such at three places and has three values: a flag has two. */
static bool is_disguised(const nt_survey *s, const nt_region *r, size_t place)
{
    size_t count = r->bytes - place < 8 ? r->bytes - place : 8;
    uint64_t before = bits_of(s->saved + 8 * r->word + place, count);
    uint64_t half = bits_of((const char *)&s->plus[r->word] + place, count);
    uint64_t now = bits_of(r->at + place, count);
    return before != half && half != now && now != before && is_no_number(before) &&
           is_no_number(half) && is_no_number(now);
}

nt_status nt_survey_find_disguised(nt_survey *s, const nt_element **disguised)
{
    nt_run *run = s->run;
    *disguised = NULL;
    nt_status status = nt_survey_derive_at(s, s->far / 2);
    nt_survey_read(s, s->plus);
    if (status == NT_OK)
        status = nt_survey_derive_at(s, s->far);
    for (int i = 0; i < run->model->n_elements && status == NT_OK && !*disguised; i++) {
        const nt_region *r = &s->region[s->first_element + i];
        for (size_t place = 0; place < r->bytes; place += 8)
            if (is_disguised(s, r, place))
                *disguised = &run->model->elements[i];
    }
    nt_status back = nt_survey_derive_at(s, 0);
    nt_survey_restore(s); /* what is found by iteration may differ in its last bits */
    run->length = s->length;
    return status == NT_OK ? back : status;
}
