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
 * the number it would have a derivative of zero. Two floats in one word are that of a number, whose
 * last 32 bits follow the parameter in their turn, or stay: those of a double have no order. (One
 * that follows and stands in the last 32 bits alone is not told from a double that hardly changes.)
 */
#include "base/text.h"
#include "model/evaluate.h"
#include "model/parameters/parameter_survey.h"

#include <math.h>
#include <string.h>

/* Elements are looked at where the model begins, and at places beside it that have no symmetry:
 * forces that vanish at rest, or where parts are aligned, do not vanish there. Some act later, or
 * where bodies are far from where they begin, so the places are in all of the run's duration, and
 * farther off from one to the next: by so many m and rad, m/s and rad/s. */
static const struct look {
    double reach, share; /* of the duration */
} looks[] = {{0, 0}, {0.1, 0}, {0.1, 1}, {1, 0.02}, {1, 0.5}, {3, 0.2}, {10, 0.05}, {10, 0.8}};
enum { PLACES = sizeof looks / sizeof looks[0] };

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

static void place_beside(beside *b, const nt_run *run, int place)
{
    const nt_system *s = &run->system;
    int nv = s->space.nv, first = 4 * nv * place;
    double reach = looks[place].reach;
    for (int i = 0; i < nv; i++) {
        b->increment[i] = reach * scattered(first + i);
        b->v[i] = run->initial_v[i] + 10 * reach * scattered(first + nv + i);
        b->vdot[i] = scattered(2 * nv + i);
    }
    for (int i = 0; i < s->nh + s->nn; i++)
        b->multipliers[i] = scattered(3 * nv + i);
    nt_space_compose(&s->space, s->frame, run->initial_q, b->increment, b->q);
}

/* A mark of what each element adds at a place: equal for equal bits. */
static void mark_elements(nt_survey *survey, const beside *b, int place, uint64_t *marks)
{
    nt_run *run = survey->run;
    const nt_system *s = &run->system;
    const nt_simulation *simulation = &run->model->simulation;
    bool at_start = place == 0;
    const nt_point at = {.t = simulation->start + looks[place].share * simulation->duration,
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
    for (int place = 0; place < PLACES; place++) {
        place_beside(&b, s->run, place);
        mark_elements(s, &b, place, marks + (size_t)place * (size_t)s->run->model->n_elements);
    }
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

/* A word of the data where the model is, and at four places farther along the tangent. The ways
 * there have no ratios of whole numbers, or the last bits of a number that changes linearly would
 * go along with them: 0.01 times 0.78125 is 2^-7 and leaves them as they are. */
enum { ALONG = 5 };
static const double WAYS[ALONG] = {0, 0.2696799449852968, 0.4897105308432461, 0.7390851332151607,
                                   0.9159655941772190};

/* Whether a word is no number at three places and has three values: a flag has two. */
static bool is_disguised(const uint64_t bits[ALONG])
{
    uint64_t before = bits[0], half = bits[ALONG / 2], now = bits[ALONG - 1];
    return before != half && half != now && now != before && is_no_number(before) &&
           is_no_number(half) && is_no_number(now);
}

/* Whether a word changes from place to place while its last 32 bits are those of a float that
 * changes little, or of a float or an integer that stays what it is. Those of doubles do so once in
 * 1e9 times; all zero they are of numbers that a sum or a count made round. */
static bool is_pair(const uint64_t bits[ALONG])
{
    bool stays = true, follows = true;
    float first = 0;
    for (int i = 0; i < ALONG; i++) {
        uint32_t last = (uint32_t)bits[i];
        float half;
        memcpy(&half, &last, sizeof half);
        first = i == 0 ? half : first;
        stays = stays && last != 0 && last == (uint32_t)bits[0];
        follows = follows && isnormal(half) && fabsf(half - first) <= 0.25F * fabsf(first);
        for (int k = 0; k < i; k++)
            if (bits[i] >> 32 == bits[k] >> 32)
                return false;
    }
    return stays || follows;
}

nt_status nt_survey_find_disguised(nt_survey *s, const nt_element **disguised)
{
    nt_run *run = s->run;
    double *const between[ALONG - 2] = {s->plus, s->eighth, s->sixth};
    nt_status status = NT_OK;
    *disguised = NULL;
    for (int k = 1; k < ALONG && status == NT_OK; k++) {
        status = nt_survey_derive_at(s, WAYS[k] * s->far);
        if (k < ALONG - 1)
            nt_survey_read(s, between[k - 1]);
    }
    for (int i = 0; i < run->model->n_elements && status == NT_OK && !*disguised; i++) {
        const nt_region *r = &s->region[s->first_element + i];
        for (size_t place = 0; place < r->bytes; place += 8) {
            size_t count = r->bytes - place < 8 ? r->bytes - place : 8;
            uint64_t bits[ALONG] = {bits_of(s->saved + 8 * r->word + place, count)};
            for (int k = 1; k < ALONG - 1; k++)
                bits[k] = bits_of((const char *)&between[k - 1][r->word] + place, count);
            bits[ALONG - 1] = bits_of(r->at + place, count);
            if (is_disguised(bits) || is_pair(bits))
                *disguised = &run->model->elements[i];
        }
    }
    nt_status back = nt_survey_derive_at(s, 0);
    nt_survey_restore(s); /* what is found by iteration may differ in its last bits */
    run->length = s->length;
    return status == NT_OK ? back : status;
}
