/* Modes about a state: which finder, what is told of each pair. */
#include "analysis/modes/pairs.h"
#include "method/state.h"
#include "model/model.h"
#include "system/check.h"

#include <nutate/analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 320 };

struct nt_modes {
    nt_arena arena;
    nt_mode *mode;        /* [n] */
    char (*words)[WORDS]; /* [n] */
    int n, positions, velocities;
    const char *finder;
};

/* ---- rigid displacements
 * ------------------------------------------------------------------------- */

/* Six displacements e[6][nv] of everything, turns about the centre of the mass; M e[6][n]. */
typedef struct rigid {
    double *e, *Me;
} rigid;

static bool is_translation(const nt_block *block)
{
    return block->kind == NT_R3SO3 || (block->kind == NT_RN && block->nv == 3);
}

static v3 unit(int i) { return v3_of(i == 0, i == 1, i == 2); }

static void fill_rigid(const nt_space *space, const double *q, v3 centre, double *e)
{
    int nv = space->nv;
    memset(e, 0, 6 * (size_t)nv * sizeof *e);
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        for (int i = 0; i < 3; i++) {
            if (is_translation(block)) {
                v3 arm = v3_sub(v3_load(q + block->q), centre);
                v3_store(e + i * nv + block->v, unit(i));
                v3_store(e + (3 + i) * nv + block->v, v3_cross(unit(i), arm));
            }
            if (block->rotation >= 0)
                v3_store(e + (3 + i) * nv + block->v + block->nv - 3, unit(i));
        }
    }
}

/* The centre is where a turn has no momentum: sum of e_x M x over the mass. */
static v3 centre_of(const nt_pencil *p, const double *q, const rigid *r)
{
    const nt_space *space = &p->problem->space;
    v3 sum = v3_of(0, 0, 0);
    double mass = 0;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if (!is_translation(block))
            continue;
        double m = r->Me[block->v]; /* of a move along x */
        mass += m;
        sum = v3_axpy(m, v3_load(q + block->q), sum);
    }
    return mass > 0 ? v3_scale(1 / mass, sum) : sum;
}

static nt_status make_rigid(const nt_pencil *p, const double *q, nt_arena *arena, rigid *r)
{
    const nt_space *space = &p->problem->space;
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    r->e = NT_TAKE(arena, 6 * nv, double);
    r->Me = NT_TAKE(arena, 6 * n, double);
    double *x = NT_TAKE(arena, n, double);
    if (!r->e || !r->Me || !x)
        return NT_NO_MEMORY;
    v3 centre = v3_of(0, 0, 0);
    for (int turn = 0; turn < 2; turn++) {
        fill_rigid(space, q, centre, r->e);
        for (int i = 0; i < 6; i++) {
            memcpy(x, r->e + (size_t)i * nv, nv * sizeof *x);
            nt_matrix_apply(&p->M, x, r->Me + (size_t)i * n);
        }
        centre = centre_of(p, q, r);
    }
    return NT_OK;
}

/* ---- one mode
 * --------------------------------------------------------------------------------------
 */

/* The largest entry becomes 1. */
static void normalise(const nt_pencil *p, double *xr, double *xi)
{
    double most = 0, cr = 1, ci = 0;
    for (int i = 0; i < p->nv; i++) {
        double weight = nt_problem_weight(p->problem, i), size = hypot(xr[i], xi[i]) * weight;
        if (size > most * (1 + 1e-9)) /* of equal ones the first, whatever rounding says */
            most = size, cr = xr[i] * weight, ci = xi[i] * weight;
    }
    double square = cr * cr + ci * ci;
    for (int i = 0; i < p->n && square > 0; i++) {
        double r = (xr[i] * cr + xi[i] * ci) / square;
        xi[i] = (xi[i] * cr - xr[i] * ci) / square;
        xr[i] = r;
    }
}

typedef struct share {
    double part;
    int entry;
} share;

static int by_part(const void *first, const void *second)
{
    const share *a = first, *b = second;
    return a->part != b->part ? (a->part < b->part ? 1 : -1) : a->entry - b->entry;
}

/* "body top" of "translation of body top along x". */
static void owner_of(const char *name, char *owner, size_t size)
{
    const char *from = strstr(name, " of "), *to = strstr(name, " along ");
    to = to ? to : strstr(name, " about ");
    snprintf(owner, size, "%.*s", from && to > from ? (int)(to - from - 4) : (int)strlen(name),
             from && to > from ? from + 4 : name);
}

/* Where many bodies take part alike: "translations along y (94 %), most of body d14". */
static void say_kinds(const nt_pencil *p, const share *shares, double sum, char *text)
{
    static const char *const kinds[] = {"translations along x", "translations along y",
                                        "translations along z", "rotations about x",
                                        "rotations about y",    "rotations about z"};
    const nt_space *space = &p->problem->space;
    double parts[6] = {0};
    char name[160], owner[160];
    int used = 0;
    double *by_entry = calloc((size_t)p->nv + 1, sizeof *by_entry);
    for (int i = 0; i < p->nv && by_entry; i++)
        by_entry[shares[i].entry] = shares[i].part;
    for (int b = 0; b < space->n_blocks && by_entry; b++)
        for (int i = 0; i < 3; i++) {
            const nt_block *block = &space->blocks[b];
            if (is_translation(block))
                parts[i] += by_entry[block->v + i];
            if (block->rotation >= 0)
                parts[3 + i] += by_entry[block->v + block->nv - 3 + i];
        }
    free(by_entry);
    for (int k = 0; k < 6; k++)
        if (parts[k] >= 0.1 * sum)
            used += snprintf(text + used, (size_t)(WORDS - used), "%s%s (%.0f %%)",
                             used > 0 ? ", " : "", kinds[k], 100 * parts[k] / sum);
    nt_problem_coordinate_name(p->problem, shares[0].entry, name, sizeof name);
    owner_of(name, owner, sizeof owner);
    if (used > 0 && used + (int)strlen(owner) + 12 < WORDS)
        snprintf(text + used, (size_t)(WORDS - used), ", most of %s", owner);
}

/* Shares of the kinetic energy, entry by entry; of displacements, where nothing has mass. */
static void say(const nt_pencil *p, const double *xr, const double *xi, const double *Mr,
                const double *Mi, share *shares, char *text)
{
    enum { MOST = 4 };
    double sum = 0;
    int used = 0;
    for (int i = 0; i < p->nv; i++) {
        shares[i] = (share){fabs(xr[i] * Mr[i] + xi[i] * Mi[i]), i};
        sum += shares[i].part;
    }
    bool massless = !(sum > 0);
    for (int i = 0; i < p->nv && massless; i++) {
        double weight = nt_problem_weight(p->problem, i);
        shares[i].part = (xr[i] * xr[i] + xi[i] * xi[i]) * weight * weight;
        sum += shares[i].part;
    }
    qsort(shares, (size_t)p->nv, sizeof *shares, by_part);
    text[0] = '\0';
    if (p->nv > 0 && shares[0].part < 0.2 * sum)
        say_kinds(p, shares, sum, text);
    for (int i = 0; text[0] == '\0' || used > 0; i++) {
        char name[160], piece[200];
        if (i >= p->nv || i >= MOST || (i > 0 && shares[i].part < 0.05 * sum))
            break;
        nt_problem_coordinate_name(p->problem, shares[i].entry, name, sizeof name);
        int length = snprintf(piece, sizeof piece, "%s%s (%.0f %%)", i > 0 ? ", " : "", name,
                              sum > 0 ? 100 * shares[i].part / sum : 0);
        if (used + length >= WORDS)
            break;
        memcpy(text + used, piece, (size_t)length + 1);
        used += length;
    }
}

/* What counts as s = 0: rounding of the pencil's own time. */
static const double FREE = 1e-13;

/* Rates count as forbidden from this part of what the largest displacement, 1, can make of a row.
 */
static const double FORBIDDEN = 1e-9;

/* x^H K x and x^H C x over the displacements alone, |.|, and how large the terms of the first are
 * in sum. */
typedef struct quotient {
    double stiffness, terms, damping[2];
} quotient;

/* out += x^H A x; terms += |x|^T |A| |x| */
static void add_quotient(const nt_pencil *p, const nt_matrix *A, const double *xr, const double *xi,
                         double out[2], double *terms)
{
    const nt_pattern *pattern = A->pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->node_start[pattern->row[slot]];
        int column = pattern->node_start[pattern->column[slot]];
        int m = pattern->node_start[pattern->row[slot] + 1] - row;
        int n = pattern->node_start[pattern->column[slot] + 1] - column;
        const double *block = nt_matrix_block(A, slot);
        for (int i = row; i < row + m && row < p->nv && column < p->nv; i++)
            for (int j = column; j < column + n; j++) {
                double a = *block++;
                out[0] += a * (xr[i] * xr[j] + xi[i] * xi[j]);
                out[1] += a * (xr[i] * xi[j] - xi[i] * xr[j]);
                *terms += fabs(a) * hypot(xr[i], xi[i]) * hypot(xr[j], xi[j]);
            }
    }
}

static quotient quotient_of(const nt_pencil *p, const double *xr, const double *xi)
{
    quotient q = {0};
    double stiffness[2] = {0}, unused = 0;
    add_quotient(p, &p->K, xr, xi, stiffness, &q.terms);
    add_quotient(p, &p->C, xr, xi, q.damping, &unused);
    q.stiffness = hypot(stiffness[0], stiffness[1]);
    return q;
}

/* What rounding of the stiffness leaves open: x^H K x is known to a few roundings of its terms, d,
 * and with s^2 m + s c + k = 0 of x moves s by d/|2 s m + c|. Where it hides k, and s^2 m as well,
 * nothing is known to resist. */
static void find_doubt(const nt_pencil *p, const double *xr, const double *xi, double mass,
                       nt_mode *mode)
{
    const double *s = mode->eigenvalue, size = hypot(s[0], s[1]);
    quotient q = quotient_of(p, xr, xi);
    double open = NT_STIFFNESS_DOUBT * q.terms;
    double slope = hypot(2 * s[0] * mass + q.damping[0], 2 * s[1] * mass + q.damping[1]);
    if (!(mass > 0))
        return;
    mode->moves_freely |= q.stiffness <= open && size * size * mass <= open;
    mode->doubt = mode->moves_freely ? sqrt(open / mass)
                  : slope > 0        ? fmin(open / slope, sqrt(open / mass))
                                     : sqrt(open / mass);
    if (mode->doubt <= FREE * p->size)
        mode->doubt = 0;
}

/* Whether constraints of velocities forbid the displacement, which is normalised, as a rate;
 * scratch[n]. */
static bool is_forbidden(const nt_pencil *p, const double *xr, double *scratch)
{
    const nt_matrix *C = &p->C;
    const nt_pattern *pattern = C->pattern;
    double left = 0, size = 0;
    int first = p->nv + p->nh;
    if (p->nn == 0)
        return false;
    nt_matrix_apply(C, xr, scratch);
    for (int i = first; i < p->n; i++)
        left = fmax(left, fabs(scratch[i]));
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->node_start[pattern->row[slot]];
        int column = pattern->node_start[pattern->column[slot]];
        int rows = pattern->node_start[pattern->row[slot] + 1] - row;
        int columns = pattern->node_start[pattern->column[slot] + 1] - column;
        const double *block = nt_matrix_block(C, slot);
        for (int i = 0; i < rows && column < p->nv; i++)
            for (int j = 0; j < columns && row + i >= first; j++)
                size = fmax(size, fabs(block[i * columns + j]) /
                                      nt_problem_weight(p->problem, column + j));
    }
    return left > FORBIDDEN * size;
}

static void describe(const nt_pencil *p, const rigid *r, double sr, double si, double *xr,
                     double *xi, double *scratch, share *shares, nt_mode *mode, char *words)
{
    double size = hypot(sr, si), *Mr = scratch, *Mi = scratch + p->n, energy = 0;
    normalise(p, xr, xi);
    *mode = (nt_mode){.eigenvalue = {sr, si},
                      .shape = {xr, xi},
                      .multipliers = {xr + p->nv, xi + p->nv},
                      .residual = nt_pencil_residual(p, sr, si, xr, xi, scratch + 2 * p->n),
                      .moves_freely = size <= FREE * p->size};
    nt_matrix_apply(&p->M, xr, Mr);
    nt_matrix_apply(&p->M, xi, Mi);
    for (int i = 0; i < p->nv; i++)
        energy += xr[i] * Mr[i] + xi[i] * Mi[i];
    if (mode->moves_freely && is_forbidden(p, xr, scratch + 2 * p->n))
        mode->stands = 1; /* which no rounding leaves open */
    else
        find_doubt(p, xr, xi, energy, mode);
    mode->frequency = si / 6.283185307179586476925286766559;
    mode->damping_ratio = mode->moves_freely || sr == 0 ? 0 : -sr / size;
    if (mode->moves_freely)
        mode->eigenvalue[0] = mode->eigenvalue[1] = mode->frequency = 0;
    for (int k = 0; k < 6 && energy > 0; k++) {
        const double *Me = r->Me + (size_t)k * (size_t)p->n;
        double re = 0, im = 0;
        for (int i = 0; i < p->nv; i++)
            re += xr[i] * Me[i], im -= xi[i] * Me[i];
        mode->participation[k] = re / energy;
        mode->effective_mass[k] = (re * re + im * im) / energy;
        if (!isfinite(mode->effective_mass[k])) { /* squares of large masses have no room */
            double root = sqrt(energy), part = hypot(re / root, im / root);
            mode->effective_mass[k] = part * part;
        }
    }
    say(p, xr, xi, Mr, Mi, shares, words);
}

/* ---- all of them
 * ------------------------------------------------------------------------------------
 */

typedef struct place {
    double size, imaginary, real;
    int pair;
} place;

/* By |s|; of equal ones the more damped first. */
static int by_size(const void *first, const void *second)
{
    const place *a = first, *b = second;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->real != b->real)
        return a->real < b->real ? -1 : 1;
    return a->pair - b->pair;
}

/* To ten digits, so that rounding does not order what is equal. */
static double rounded(double x)
{
    int exponent;
    double digits = frexp(x, &exponent);
    return ldexp(round(ldexp(digits, 33)), exponent - 33);
}

static nt_status order_pairs(const nt_pairs *pairs, place **out)
{
    place *places = *out = calloc((size_t)pairs->n + 1, sizeof *places);
    for (int i = 0; places && i < pairs->n; i++)
        places[i] = (place){rounded(hypot(pairs->s[2 * i], pairs->s[2 * i + 1])),
                            pairs->s[2 * i + 1], pairs->s[2 * i], i};
    if (places)
        qsort(places, (size_t)pairs->n, sizeof *places, by_size);
    return places ? NT_OK : NT_NO_MEMORY;
}

/* Neighbouring eigenvalues, ordered by |s|, that differ by less than this part are one. */
static const double EQUAL = 1e-7;

static void find_groups(nt_modes *m, double size)
{
    for (int i = 0; i < m->n; i++) {
        m->mode[i].group = i;
        for (int j = i - 1; j >= 0; j--) {
            const double *a = m->mode[i].eigenvalue, *b = m->mode[j].eigenvalue;
            if (hypot(a[0] - b[0], a[1] - b[1]) <=
                EQUAL * fmax(hypot(a[0], a[1]), FREE / EQUAL * size)) {
                m->mode[i].group = m->mode[j].group;
                break;
            }
        }
    }
}

static nt_status take_modes(nt_modes *m, const nt_pencil *p, const nt_pairs *pairs, const double *q,
                            int count)
{
    place *places = NULL;
    rigid r;
    m->n = count > 0 && count < pairs->n ? count : pairs->n;
    m->mode = NT_TAKE(&m->arena, m->n, nt_mode);
    m->words = nt_arena_take(&m->arena, (size_t)m->n, sizeof *m->words);
    double *x = NT_TAKE(&m->arena, 2 * (size_t)m->n * (size_t)p->n, double);
    double *scratch = NT_TAKE(&m->arena, 8 * (size_t)p->n, double);
    share *shares = NT_TAKE(&m->arena, p->nv, share);
    nt_status status =
        m->mode && m->words && x && scratch && shares ? order_pairs(pairs, &places) : NT_NO_MEMORY;
    if (status == NT_OK)
        status = make_rigid(p, q, &m->arena, &r);
    for (int i = 0; i < m->n && status == NT_OK; i++, x += 2 * p->n) {
        int k = places[i].pair;
        memcpy(x, pairs->x + 2 * (size_t)k * (size_t)p->n, 2 * (size_t)p->n * sizeof *x);
        describe(p, &r, pairs->s[2 * k], pairs->s[2 * k + 1], x, x + p->n, scratch, shares,
                 &m->mode[i], m->words[i]);
    }
    if (status == NT_OK)
        find_groups(m, p->size);
    free(places);
    return status;
}

/* Numbers of a mode that are none, as where squares of masses overflow, are no result. */
static nt_status check_finite(const nt_modes *m, const nt_pencil *p, nt_error *error)
{
    static const char *const along[] = {"x", "y", "z", "rx", "ry", "rz"};
    for (int i = 0; i < m->n; i++) {
        const nt_mode *mode = &m->mode[i];
        bool shape = true;
        for (int k = 0; k < p->n; k++)
            shape = shape && isfinite(mode->shape[0][k]) && isfinite(mode->shape[1][k]);
        if (!isfinite(mode->eigenvalue[0]) || !isfinite(mode->eigenvalue[1]) || !shape)
            return nt_fail(error, NT_NOT_FINITE, "mode %d: its %s is not finite", i + 1,
                           shape ? "eigenvalue" : "shape");
        if (!isfinite(mode->residual))
            return nt_fail(error, NT_NOT_FINITE, "mode %d: its residual is not finite", i + 1);
        for (int k = 0; k < 6; k++)
            if (!isfinite(mode->participation[k]) || !isfinite(mode->effective_mass[k]))
                return nt_fail(
                    error, NT_NOT_FINITE, "mode %d: its %s along %s is not finite", i + 1,
                    isfinite(mode->participation[k]) ? "effective mass" : "participation",
                    along[k]);
    }
    return NT_OK;
}

/* LAPACK's cost grows with the cube of the degrees of freedom, ARPACK's with the modes wanted:
 * below this many velocities, or where half of the modes are wanted, LAPACK. */
enum { SMALL = 200 };
/* Up to this many LAPACK finds what ARPACK does not. */
enum { LARGE = 2000 };

static nt_status find(nt_modes *m, nt_pencil *p, const nt_modes_setup *setup, nt_pairs *pairs,
                      nt_error *error)
{
    nt_pencil_freedom(p, &m->positions, &m->velocities);
    /* of coordinates that conjugate couples share there is one mode for each, at least */
    if (setup->count > m->positions)
        return nt_fail(error, NT_INVALID,
                       "%d modes are wanted, and the model has %d degree%s of freedom",
                       setup->count, m->positions, m->positions == 1 ? "" : "s");
    bool dense = setup->dense || (!setup->sparse && (p->nv <= SMALL || setup->count == 0 ||
                                                     2 * setup->count > m->velocities));
    m->finder = dense ? "LAPACK" : "ARPACK";
    if (dense)
        return nt_pairs_dense(p, pairs, error);
    nt_status status =
        nt_pairs_sparse(p, setup->count > 0 ? setup->count : m->positions, pairs, error);
    if (status != NT_NOT_CONVERGED || setup->sparse || p->nv > LARGE)
        return status;
    m->finder = "LAPACK";
    nt_pairs_free(pairs);
    nt_error_clear(error);
    return nt_pairs_dense(p, pairs, error);
}

static const double still[3] = {0};

nt_status nt_modes_create(nt_modes **out, const nt_modes_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "modes", out);
    *out = NULL;
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.system setup.state", setup->system, setup->state);
    NT_NEED_SYSTEM(error, "setup.system", setup->system);
    NT_NEED_STATE(error, "setup.state", setup->system, setup->state);
    if (setup->count < 0)
        return nt_fail(error, NT_INVALID, "%d modes are wanted, expected 0 (all) or more",
                       setup->count);
    for (int i = 0; setup->turn && i < 3; i++)
        NT_NEED_FINITE(error, "setup.turn[i]", setup->turn[i]);
    const nt_state *s = setup->state;
    const nt_point at = nt_state_point(s);
    nt_modes *m = calloc(1, sizeof *m);
    nt_pencil *p = NULL;
    nt_pairs pairs = {0};
    if (!m)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_system_refuse_past(setup->system, "modes", error);
    if (status == NT_OK)
        status = nt_pencil_create(&p, setup->system, error);
    if (status == NT_OK)
        status = nt_pencil_fill(p, &at, setup->turn ? setup->turn : still, error);
    if (status == NT_OK)
        status = find(m, p, setup, &pairs, error);
    if (status == NT_OK && (status = take_modes(m, p, &pairs, s->q, setup->count)) != NT_OK)
        nt_fail(error, status, "out of memory");
    if (status == NT_OK)
        status = check_finite(m, p, error);
    nt_pairs_free(&pairs);
    nt_pencil_destroy(p);
    status = nt_system_ends(setup->system, status, error);
    if (status != NT_OK) {
        nt_modes_destroy(m);
        return nt_said(error, status);
    }
    *out = m;
    return NT_OK;
}

void nt_modes_destroy(nt_modes *m)
{
    if (!m)
        return;
    nt_arena_free(&m->arena);
    free(m);
}

int nt_modes_count(const nt_modes *m) { return m ? m->n : 0; }

nt_mode nt_modes_at(const nt_modes *m, int i)
{
    return m && i >= 0 && i < m->n ? m->mode[i] : (nt_mode){0};
}

void nt_modes_words(const nt_modes *m, int i, char *text, int size)
{
    if (text && size > 0)
        snprintf(text, (size_t)size, "%s", m && i >= 0 && i < m->n ? m->words[i] : "");
}

const char *nt_modes_finder(const nt_modes *m) { return m ? m->finder : "none"; }

void nt_modes_freedom(const nt_modes *m, int *positions, int *velocities)
{
    if (positions)
        *positions = m ? m->positions : 0;
    if (velocities)
        *velocities = m ? m->velocities : 0;
}

const char *nt_model_body_name(const nt_model *model, int body)
{
    return model && body >= 1 && body < model->n_bodies ? model->bodies[body].name : "";
}

nt_status nt_run_displacement(const nt_run *run, int body, const double *q, const double *dq,
                              double *out)
{
    NT_NEED(NULL, "run q dq out", run, q, dq, out);
    if (body < 1 || body >= run->model->n_bodies)
        return NT_INVALID;
    const nt_body *b = &run->bodies[body];
    bool moves = b->t_node >= 0, turns = b->r_node >= 0;
    int r = moves ? 3 : 0;
    v3 zero = v3_of(0, 0, 0), theta = turns ? v3_load(dq + b->v + r) : zero;
    v3 arm = turns ? v3_neg(m3_apply(quat_matrix(quat_load(q + b->q + r)), b->reference)) : zero;
    v3_store(out, v3_add(moves ? v3_load(dq + b->v) : zero, v3_cross(theta, arm)));
    v3_store(out + 3, theta);
    return NT_OK;
}
