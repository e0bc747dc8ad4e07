/* From what the file says of a beam to the numbers of its points: axes with twist, sections between
 * stations, and the rules of every element. */
#include "model/beams/beam.h"

#include "base/error.h"
#include "linalg/dense.h"
#include "model/forces/load.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Distances, of the line's length, below which two places are one. */
static const double SAME = 1e-9;

/* Masses and their moments that sampled inertia may be off by, of the whole. */
static const double INERTIA_ERROR = 1e-3;

/* ---- axes and sections at stations ------------------------------------------------------------
 */

/* Linear between rows [station, angle], held beyond them. */
static double twist_at(const nt_beam *b, double station)
{
    int n = b->twist.count;
    if (n == 0)
        return 0;
    const double *row = nt_array_in(b, &b->twist);
    for (int i = 0; i + 1 < n; i++, row += 2)
        if (station <= row[2]) {
            double share = row[2] > row[0] ? (station - row[0]) / (row[2] - row[0]) : 1;
            return row[1] + fmax(share, 0) * (row[3] - row[1]);
        }
    return row[1];
}

double nt_beam_twist_between(const nt_beam *b, double from, double to)
{
    const double *row = nt_array_in(b, &b->twist);
    double sum = 0, last = twist_at(b, from), end = twist_at(b, to);
    for (int i = 0; i < b->twist.count; i++, row += 2)
        if (row[0] > from && row[0] < to)
            sum += fabs(row[1] - last), last = row[1];
    return sum + fabs(end - last);
}

static m3 about_first(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (m3){1, 0, 0, 0, c, -s, 0, s, c};
}

static const nt_beam_section *section_at(const nt_beam *b, int i)
{
    return (const nt_beam_section *)(const void *)nt_array_in(b, &b->sections) + i;
}

/* The numbers of a section: linear entry by entry between stations, held beyond them. */
typedef struct entries {
    double C[36], M[36], s[6];
} entries;

static entries entries_of(const nt_beam_section *section)
{
    entries of;
    nt_section_matrices(section, of.C, of.M);
    memcpy(of.s, section->prestress, sizeof of.s);
    return of;
}

static entries interpolate(const nt_beam *b, double station)
{
    int n = b->sections.count, i = 0;
    while (i + 1 < n && section_at(b, i + 1)->at < station)
        i++;
    const nt_beam_section *from = section_at(b, i), *to = section_at(b, i + 1);
    entries at = entries_of(from);
    if (i + 1 == n || station <= from->at)
        return at;
    entries next = entries_of(to);
    double share = (station - from->at) / (to->at - from->at);
    double *x = (double *)(void *)&at, *y = (double *)(void *)&next;
    for (size_t k = 0; k < sizeof at / sizeof *x; k++)
        x[k] += share * (y[k] - x[k]);
    return at;
}

/* The factor of damping that row i of a section has. */
static double factor_of(const nt_beam *b, int i)
{
    return b->damping[b->damping_count == 1 ? 0 : i];
}

/* Damping of a section about the line by its stiffness C: an entry takes the mean of the factors of
 * its row and its column. */
static void damping_of(const nt_beam *b, const double C[36], double D[36])
{
    for (int i = 0; i < 36; i++)
        D[i] = C[i] * (factor_of(b, i % 6) + factor_of(b, i / 6)) / 2;
}

/* Whether a section's damping takes energy from every motion: by the factors of its diagonal, with
 * 1e-9 of the largest for rounding. */
static bool takes_energy(const nt_beam *b, const nt_beam_section *section)
{
    double C[36], M[36], D[36], largest = 0;
    nt_section_matrices(section, C, M);
    damping_of(b, C, D);
    for (int i = 0; i < 6; i++)
        largest = fmax(largest, factor_of(b, i));
    for (int i = 0; i < 36; i++)
        D[i] /= sqrt(C[7 * (i / 6)] * C[7 * (i % 6)]);
    for (int i = 0; i < 6; i++)
        D[7 * i] += 1e-9 * largest;
    return largest == 0 || nt_dense_is_positive6(D);
}

/* R X R^T, block by block. */
static void turn(m3 R, const double *X, double *out)
{
    for (int bi = 0; bi < 2; bi++)
        for (int bj = 0; bj < 2; bj++) {
            const double *x = X + 18 * bi + 3 * bj;
            m3 block = {x[0], x[1], x[2], x[6], x[7], x[8], x[12], x[13], x[14]};
            block = m3_multiply(m3_multiply(R, block), m3_transpose(R));
            double *to = out + 18 * bi + 3 * bj;
            to[0] = block.xx, to[1] = block.xy, to[2] = block.xz;
            to[6] = block.yx, to[7] = block.yy, to[8] = block.yz;
            to[12] = block.zx, to[13] = block.zy, to[14] = block.zz;
        }
}

/* M = [m I, m eta~^T; m eta~, rho] */
static nt_beam_mass mass_of(const double M[36])
{
    return (nt_beam_mass){.m = M[0],
                          .me = v3_of(M[6 * 5 + 1], M[6 * 3 + 2], M[6 * 4 + 0]),
                          .rho = {M[21], M[22], M[23], M[27], M[28], M[29], M[33], M[34], M[35]}};
}

/* ---- checks -----------------------------------------------------------------------------------
 */

/* NT_BAD_MODEL at row i of one of the beam's lists; at the beam where the file has no such row. */
static nt_status refuse_row(const nt_run *run, const nt_element *e, const nt_beam *b, int list,
                            int i, nt_error *error, const char *format, ...) NT_PRINTF(7, 8);
static nt_status refuse_row(const nt_run *run, const nt_element *e, const nt_beam *b, int list,
                            int i, nt_error *error, const char *format, ...)
{
    char words[400];
    const nt_place *at = nt_beam_array_in(b, b->places);
    va_list arguments;
    for (int k = 0; k < list; k++)
        at += b->rows[k];
    bool known = i < b->rows[list] && at[i].line > 0;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return nt_fail_at(error, NT_BAD_MODEL, run->model->file, known ? at[i].line : e->place.line,
                      known ? at[i].column : e->place.column, "%s %s: %s", e->type->name, e->name,
                      words);
}

/* m, a hundredth of an atom. The tolerances of steps are wider still, and would take any forces in
 * something so short for balanced. */
static const double SHORTEST = 1e-12;

static double length_of_chords(const nt_beam *b)
{
    double length = 0;
    for (int i = 0; i + 1 < b->points.count; i++)
        length += nt_beam_chord(b, i);
    return length;
}

static nt_status check_line(const nt_run *run, const nt_element *e, const nt_beam *b,
                            nt_error *error)
{
    double length = length_of_chords(b);
    if (b->points.count < 2 || !(length > 0))
        return nt_load_refuse_key(run->model, e, "points", error,
                                  "needs two points or more that differ");
    if (length < SHORTEST)
        return nt_load_refuse_key(
            run->model, e, "points", error,
            "is %.3g m long, expected %g m at least: places are known to less", length, SHORTEST);
    for (int i = 0; i + 1 < b->points.count; i++)
        if (!(nt_beam_chord(b, i) > SAME * length))
            return refuse_row(run, e, b, NT_BEAM_ROW_POINT, i + 1, error,
                              "points %d and %d are the same", i + 1, i + 2);
    for (int i = 0; i + 2 < b->points.count; i++)
        if (v3_dot(nt_beam_chord_direction(b, i), nt_beam_chord_direction(b, i + 1)) < -1 + 1e-9)
            return refuse_row(run, e, b, NT_BEAM_ROW_POINT, i + 1, error,
                              "its line folds back at point %d", i + 2);
    v3 n = v3_load(b->normal), t = nt_beam_chord_direction(b, 0);
    if ((b->given >> NT_BEAM_NORMAL & 1) && !(v3_norm(v3_cross(n, t)) > 1e-6 * v3_norm(n)))
        return nt_load_refuse_key(run->model, e, "normal", error, "its normal is along the line");
    return NT_OK;
}

/* The largest factor of damping at which speeds are as stiff as places may be. */
static double most_damping(const nt_beam *b)
{
    double C[36], M[36], largest = 0;
    for (int i = 0; i < b->sections.count; i++) {
        nt_section_matrices(section_at(b, i), C, M);
        largest = fmax(largest, fmax(C[0], fmax(C[7], C[14])));
    }
    return NT_STIFFEST_SECTION / largest;
}

static nt_status check(const nt_run *run, const nt_element *e, const nt_beam *b, nt_error *error)
{
    double last = -1, length = length_of_chords(b);
    nt_status status = check_line(run, e, b, error);
    for (int i = 0; status == NT_OK && i < b->sections.count; i++) {
        const nt_beam_section *s = section_at(b, i);
        const char *fault = nt_section_fault(s, length);
        if (fault)
            return refuse_row(run, e, b, NT_BEAM_ROW_SECTION, i, error, "section at %g: %s", s->at,
                              fault);
        if (!(s->at >= 0 && s->at <= 1 && s->at > last))
            return refuse_row(run, e, b, NT_BEAM_ROW_SECTION, i, error,
                              "section at %g: expected stations from 0 to 1 that rise", s->at);
        last = s->at;
    }
    const double *row = nt_array_in(b, &b->twist);
    for (int i = 0; status == NT_OK && i < b->twist.count; i++)
        if (!(row[2 * i] >= 0 && row[2 * i] <= 1) || (i > 0 && row[2 * i] <= row[2 * i - 2]))
            return refuse_row(run, e, b, NT_BEAM_ROW_TWIST, i, error,
                              "twist at %g: expected stations from 0 to 1 that rise", row[2 * i]);
    for (int i = 0; status == NT_OK && i < 6; i++)
        if (!(b->damping[i] >= 0))
            return nt_load_refuse_key(run->model, e, "damping", error, "damping is negative");
    double most = most_damping(b);
    for (int i = 0; status == NT_OK && i < 6; i++)
        if (!(b->damping[i] <= most))
            return nt_load_refuse_key(run->model, e, "damping", error,
                                      "damping is %g s, so large that rounding of speeds is force; "
                                      "expected at most %.3g s, 1e24 N s over the stiffness",
                                      b->damping[i], most);
    for (int i = 0; status == NT_OK && i < b->sections.count; i++)
        if (!takes_energy(b, section_at(b, i)))
            return refuse_row(run, e, b, NT_BEAM_ROW_SECTION, i, error,
                              "section at %g: the factors of damping differ too much for its "
                              "stiffness, whose entries couple them: some motions would gain "
                              "energy; expected factors nearer to each other, or one",
                              section_at(b, i)->at);
    return status;
}

/* What gives the mesh is read once; a parameter in it cannot follow. */
static nt_status check_mesh(const nt_run *run, const nt_element *e, const nt_beam *b,
                            nt_error *error)
{
    static const char words[] =
        "%s is %g where the model was read with %d: the mesh does not follow parameters that are "
        "set later; set it in the file or with --set";
    if ((b->given >> NT_BEAM_ORDER & 1) && b->order != b->p)
        return nt_load_refuse_key(run->model, e, "order", error, words, "order", b->order, b->p);
    if ((b->given >> NT_BEAM_ELEMENTS & 1) && b->elements != b->parts)
        return nt_load_refuse_key(run->model, e, "elements", error, words, "elements", b->elements,
                                  b->parts);
    if ((b->given >> NT_BEAM_QUADRATURE_POINTS & 1) && b->quadrature != NT_RULE_SECTIONS &&
        b->quadrature_points != b->n_rule[0])
        return nt_load_refuse_key(run->model, e, "quadrature_points", error, words,
                                  "quadrature_points", b->quadrature_points, b->n_rule[0]);
    const double *station = nt_beam_array_in(b, b->stations);
    for (int i = 0; i < b->n_elements; i++)
        if (!(station[i + 1] > station[i] + SAME))
            return nt_load_refuse(run->model, e, error,
                                  "its elements end at %g and then at %g of its length, where the "
                                  "model was read with stations that rise",
                                  station[i], station[i + 1]);
    return NT_OK;
}

/* ---- the mesh ---------------------------------------------------------------------------------
 */

size_t nt_beam_lay_out(nt_beam *b, size_t bytes)
{
    size_t n = (size_t)b->n_elements, elastic = (size_t)b->n_rule[0], inert = (size_t)b->n_rule[1];
    const size_t sizes[] = {(size_t)b->points.count * sizeof(nt_beam_knot),
                            (n + 1) * sizeof(nt_beam_end),
                            (n + 1) * sizeof(double),
                            (n + 1) * sizeof(m3),
                            (size_t)b->n_nodes * sizeof(v3),
                            (size_t)b->n_sets * (elastic + inert) * (size_t)nt_beam_shape_size(b) *
                                sizeof(double),
                            n * elastic * sizeof(nt_beam_elastic),
                            n * inert * sizeof(nt_beam_inert),
                            (n * elastic + 3) / 4 * sizeof(nt_beam_four),
                            ((size_t)b->n_nodes + 3) / 4 * sizeof(nt_beam_four_mass),
                            (size_t)(b->rows[0] + b->rows[1] + b->rows[2]) * sizeof(nt_place)};
    int *const places[] = {&b->knots,   &b->ends,  &b->stations, &b->frames, &b->nodes, &b->shapes,
                           &b->elastic, &b->inert, &b->fours,    &b->nodal,  &b->places};
    for (int i = 0; i < 11; i++) {
        *places[i] = (int)bytes;
        bytes += sizes[i];
    }
    return bytes;
}

static void fill_stations(const nt_run *run, nt_beam *b)
{
    const nt_beam_end *end = nt_beam_array(b, b->ends);
    const nt_beam_knot *knots = nt_beam_array(b, b->knots);
    double *station = nt_beam_array(b, b->stations), length = nt_beam_length(b);
    for (int i = 0; i <= b->n_elements; i++) {
        int index = (int)end[i].index;
        switch ((nt_beam_end_kind)(int)end[i].kind) {
        case NT_END_POINT:
            station[i] = knots[index].arc / length;
            break;
        case NT_END_SECTION:
            station[i] = section_at(b, index)->at;
            break;
        case NT_END_PART:
            station[i] = (double)index / b->parts;
            break;
        case NT_END_MARKER:
            station[i] = run->markers[index].station;
            break;
        }
    }
    station[0] = 0, station[b->n_elements] = 1;
}

/* ---- rules of integration ----------------------------------------------------------------------
 */

/* Gauss points in each part of an element between stations of sections; the same number in all
 * elements, those that are not needed without weight. */
static void between_sections(const nt_beam *b, int element, int n, double *x, double *w)
{
    const double *station = (const double *)nt_beam_array_in(b, b->stations) + element;
    double from = station[0], gauss[NT_MOST_POINTS], weight[NT_MOST_POINTS];
    int parts = 1, used = 0;
    for (int i = 0; i < b->sections.count; i++) {
        double at = section_at(b, i)->at;
        parts += at > station[0] + SAME && at < station[1] - SAME;
    }
    int each = n / parts;
    nt_gauss(each, gauss, weight);
    for (int i = 0; i <= b->sections.count; i++) {
        double to = i < b->sections.count ? section_at(b, i)->at : station[1];
        if (to <= from + SAME || (i < b->sections.count && to >= station[1] - SAME))
            continue;
        double share = (to - from) / (station[1] - station[0]);
        for (int q = 0; q < each; q++, used++) {
            double at = from + (to - from) * (gauss[q] + 1) / 2;
            x[used] = 2 * (at - station[0]) / (station[1] - station[0]) - 1;
            w[used] = weight[q] * share;
        }
        from = to;
    }
    for (; used < n; used++)
        x[used] = 0, w[used] = 0;
}

static void rule_of(const nt_beam *b, int element, int rule, double *x, double *w)
{
    int n = b->n_rule[rule];
    bool chosen = b->given >> NT_BEAM_INERTIA_POINTS & 1;
    if (rule == 1 && b->inertia)
        nt_gauss_lobatto(n, x, w);
    else if (b->quadrature == NT_RULE_SECTIONS || (rule == 1 && b->cut && !chosen))
        between_sections(b, element, n, x, w);
    else if (rule == 0 && b->quadrature == NT_RULE_TRAPEZOIDAL)
        nt_trapezoidal(n, x, w);
    else if (rule == 0 && b->quadrature == NT_RULE_GAUSS_LOBATTO)
        nt_gauss_lobatto(n, x, w);
    else
        nt_gauss(n, x, w);
}

static void fill_shapes(nt_beam *b, const double *nodes)
{
    double x[NT_MOST_POINTS], w[NT_MOST_POINTS], *to = nt_beam_array(b, b->shapes);
    int n = b->p + 1;
    for (int set = 0; set < b->n_sets; set++)
        for (int rule = 0; rule < 2; rule++) {
            rule_of(b, set, rule, x, w);
            for (int q = 0; q < b->n_rule[rule]; q++, to += nt_beam_shape_size(b)) {
                to[NT_SHAPE_XI] = x[q], to[NT_SHAPE_WEIGHT] = w[q];
                nt_lagrange(n, nodes, x[q], to + NT_SHAPE_N, to + NT_SHAPE_N + n);
            }
        }
}

/* ---- elements ----------------------------------------------------------------------------------
 */

static v3 sum_of_nodes(const nt_beam *b, const double *N, const v3 *X)
{
    v3 sum = v3_of(0, 0, 0);
    for (int i = 0; i <= b->p; i++)
        sum = v3_axpy(N[i], X[i], sum);
    return sum;
}

/* An element while its numbers are filled in. */
typedef struct filling {
    const nt_beam *b;
    int element, piece;
    double begin, end, length; /* m along the line; of all */
    const v3 *X;
} filling;

static filling filling_of(const nt_beam *b, int element)
{
    const double *station = (const double *)nt_beam_array_in(b, b->stations) + element;
    filling f = {.b = b, .element = element, .length = nt_beam_length(b)};
    f.begin = station[0] * f.length, f.end = station[1] * f.length;
    f.piece = nt_beam_piece(b, (f.begin + f.end) / 2);
    f.X = (const v3 *)nt_beam_array_in(b, b->nodes) + element * b->p;
    return f;
}

/* Axes of the section, its numbers, and the slope of the interpolated line. */
static m3 axes_at(const filling *f, double xi, double *station)
{
    m3 axes;
    double s = f->begin + (f->end - f->begin) * (xi + 1) / 2;
    nt_beam_line_at(f->b, f->b->line ? nt_beam_piece(f->b, s) : f->piece, s, &axes);
    *station = s / f->length;
    return m3_multiply(axes, about_first(twist_at(f->b, *station)));
}

/* Axes of the line, without twist, between those at an element's ends: of a spline, whose length is
 * long to find. */
static m3 axes_between(const filling *f, double xi)
{
    const nt_beam *b = f->b;
    const double *station = (const double *)nt_beam_array_in(b, b->stations) + f->element;
    v3 first = v3_of(0, 0, 0), second = first;
    for (int end = 0; end < 2; end++) {
        m3 untwisted = m3_multiply(nt_beam_axes_at(b, f->element + end),
                                   about_first(-twist_at(b, station[end])));
        double share = end == 0 ? (1 - xi) / 2 : (1 + xi) / 2;
        first = v3_axpy(share, v3_of(untwisted.xx, untwisted.yx, untwisted.zx), first);
        second = v3_axpy(share, v3_of(untwisted.xy, untwisted.yy, untwisted.zy), second);
    }
    first = v3_scale(1 / v3_norm(first), first);
    second = v3_axpy(-v3_dot(first, second), first, second);
    second = v3_scale(1 / v3_norm(second), second);
    v3 third = v3_cross(first, second);
    return (m3){first.x, second.x, third.x, first.y, second.y, third.y, first.z, second.z, third.z};
}

void nt_beam_section_within(const nt_beam *b, int element, double xi, double C[36], double s[6])
{
    filling f = filling_of(b, element);
    double station = (f.begin + (f.end - f.begin) * (xi + 1) / 2) / f.length;
    m3 R0 = b->line ? m3_multiply(axes_between(&f, xi), about_first(twist_at(b, station)))
                    : axes_at(&f, xi, &station);
    entries of = interpolate(b, station);
    turn(R0, of.C, C);
    v3_store(s, m3_apply(R0, v3_load(of.s)));
    v3_store(s + 3, m3_apply(R0, v3_load(of.s + 3)));
}

/* Strains that are carried stay: along a path a parameter is set between the increment that they
 * follow and the tangent that takes them. */
static void fill_elastic(nt_beam *b, const filling *f, int q)
{
    const double *at = nt_beam_shapes(b, f->element, 0, q), *N = at + NT_SHAPE_N;
    v3 slope = sum_of_nodes(b, N + b->p + 1, f->X);
    double J = v3_norm(slope), station, damped[36], carried[6];
    m3 R0 = axes_at(f, at[NT_SHAPE_XI], &station);
    entries of = interpolate(b, station);
    nt_beam_elastic *p =
        (nt_beam_elastic *)nt_beam_array(b, b->elastic) + f->element * b->n_rule[0] + q;
    memcpy(carried, p->carried, sizeof carried);
    *p = (nt_beam_elastic){.weight = at[NT_SHAPE_WEIGHT] * J,
                           .per_length = 1 / J,
                           .tangent = v3_scale(1 / J, slope),
                           .axes = R0};
    memcpy(p->carried, carried, sizeof carried);
    damping_of(b, of.C, damped);
    turn(R0, of.C, p->C);
    turn(R0, damped, p->D);
    v3_store(p->s, m3_apply(R0, v3_load(of.s)));
    v3_store(p->s + 3, m3_apply(R0, v3_load(of.s + 3)));
}

/* Lumped elements of order 1 hold the integrals of N_i times the section's mass, by three Gauss
 * points; others the section's at the nodes. */
static void fill_inert(nt_beam *b, const filling *f, int q)
{
    const double *at = nt_beam_shapes(b, f->element, 1, q), *N = at + NT_SHAPE_N;
    double J = v3_norm(sum_of_nodes(b, N + b->p + 1, f->X)), station, ground[36];
    m3 R0 = axes_at(f, at[NT_SHAPE_XI], &station);
    entries of = interpolate(b, station);
    if (b->inertia && b->p == 1) {
        double x[3], w[3], sum[36] = {0};
        nt_gauss(3, x, w);
        for (int k = 0; k < 3; k++) {
            double share = w[k] * (1 + at[NT_SHAPE_XI] * x[k]) / 2;
            of = interpolate(b, (f->begin + (f->end - f->begin) * (x[k] + 1) / 2) / f->length);
            for (int i = 0; i < 36; i++)
                sum[i] += share * of.M[i];
        }
        memcpy(of.M, sum, sizeof sum);
    }
    nt_beam_inert *p = (nt_beam_inert *)nt_beam_array(b, b->inert) + f->element * b->n_rule[1] + q;
    turn(R0, of.M, ground);
    *p = (nt_beam_inert){.weight = at[NT_SHAPE_WEIGHT] * J, .mass = mass_of(ground)};
    p->station = station, p->axes = R0;
}

static void fill_element(nt_beam *b, int element, const double *nodes)
{
    filling f = filling_of(b, element);
    v3 *X = (v3 *)nt_beam_array(b, b->nodes) + element * b->p;
    m3 *frames = nt_beam_array(b, b->frames);
    double at;
    for (int i = 0; i <= b->p; i++) {
        m3 axes;
        double s = f.begin + (f.end - f.begin) * (nodes[i] + 1) / 2;
        X[i] = nt_beam_line_at(b, b->line ? nt_beam_piece(b, s) : f.piece, s, &axes);
    }
    if (element == 0)
        frames[0] = axes_at(&f, -1, &at);
    frames[element + 1] = axes_at(&f, 1, &at);
    for (int q = 0; q < b->n_rule[0]; q++)
        fill_elastic(b, &f, q);
    for (int q = 0; q < b->n_rule[1]; q++)
        fill_inert(b, &f, q);
}

/* Points of the elastic rules side by side, see nt_beam_four. */
static void fill_fours(nt_beam *b)
{
    int count = b->n_elements * b->n_rule[0];
    nt_beam_four *four = nt_beam_array(b, b->fours);
    for (int k = 0; k < count + 3 - (count + 3) % 4; k++) {
        const nt_beam_elastic *at = nt_beam_elastic_at(b, 0) + (k < count ? k : count - 1);
        nt_beam_four *to = &four[k / 4];
        int l = k % 4;
        to->weight[l] = k < count ? at->weight : 0;
        to->per_length[l] = at->per_length;
        to->tangent[0][l] = at->tangent.x;
        to->tangent[1][l] = at->tangent.y;
        to->tangent[2][l] = at->tangent.z;
        for (int i = 0, entry = 0; i < 6; i++) {
            to->s[i][l] = at->s[i];
            for (int j = i; j < 6; j++, entry++) {
                to->C[entry][l] = at->C[6 * i + j];
                to->D[entry][l] = at->D[6 * i + j];
            }
        }
    }
}

/* The mass at a node: the sum over the elements that meet there. */
static nt_beam_mass mass_of_node(const nt_beam *b, int node)
{
    nt_beam_mass sum = {0};
    int element = node / b->p, q = node % b->p;
    for (int side = 0; side < 2; side++) {
        bool there = side == 0 ? element < b->n_elements : q == 0 && element > 0;
        if (!there)
            continue;
        const nt_beam_inert *at = &nt_beam_inert_at(b, element - side)[side == 0 ? q : b->p];
        sum.m += at->weight * at->mass.m;
        sum.me = v3_axpy(at->weight, at->mass.me, sum.me);
        sum.rho = m3_add(sum.rho, m3_scale(at->weight, at->mass.rho));
    }
    return sum;
}

static void fill_nodal(nt_beam *b)
{
    nt_beam_four_mass *four = nt_beam_array(b, b->nodal);
    for (int i = 0; i < b->n_nodes + 3 - (b->n_nodes + 3) % 4; i++) {
        nt_beam_mass of = i < b->n_nodes ? mass_of_node(b, i) : (nt_beam_mass){0};
        const double me[3] = {of.me.x, of.me.y, of.me.z};
        const double rho[6] = {of.rho.xx, of.rho.xy, of.rho.xz, of.rho.yy, of.rho.yz, of.rho.zz};
        four[i / 4].m[i % 4] = of.m;
        for (int k = 0; k < 3; k++)
            four[i / 4].me[k][i % 4] = me[k];
        for (int k = 0; k < 6; k++)
            four[i / 4].rho[k][i % 4] = rho[k];
    }
}

static void fill(const nt_run *run, nt_beam *b)
{
    double nodes[NT_MOST_POINTS], weights[NT_MOST_POINTS];
    for (int i = 1; i < 6 && b->damping_count == 1; i++)
        b->damping[i] = b->damping[0];
    nt_gauss_lobatto(b->p + 1, nodes, weights);
    nt_beam_fill_line(b);
    fill_stations(run, b);
    fill_shapes(b, nodes);
    for (int element = 0; element < b->n_elements; element++)
        fill_element(b, element, nodes);
    fill_fours(b);
    if (b->inertia)
        fill_nodal(b);
}

/* Mass, and its moment about the middle in half lengths, of an element: as the rule of inertia has
 * it, and as it is, linear between stations. */
static void element_mass(const nt_beam *b, int element, double summed[2], double whole[2])
{
    const nt_beam_inert *inert = nt_beam_inert_at(b, element);
    const double *station = (const double *)nt_beam_array_in(b, b->stations) + element;
    double half = (station[1] - station[0]) * nt_beam_length(b) / 2, x[2], w[2];
    summed[0] = summed[1] = whole[0] = whole[1] = 0;
    for (int q = 0; q < b->n_rule[1]; q++) {
        double m = inert[q].weight * inert[q].mass.m;
        summed[0] += m, summed[1] += m * nt_beam_shapes(b, element, 1, q)[NT_SHAPE_XI];
    }
    nt_gauss(2, x, w);
    double from = station[0];
    for (int i = 0; i <= b->sections.count; i++) {
        double to = i < b->sections.count ? fmin(section_at(b, i)->at, station[1]) : station[1];
        for (int q = 0; to > from && q < 2; q++) {
            double at = from + (to - from) * (x[q] + 1) / 2,
                   share = (to - from) / (station[1] - station[0]);
            double m = w[q] * share * half * interpolate(b, at).M[0];
            whole[0] += m, whole[1] += m * (2 * (at - station[0]) / (station[1] - station[0]) - 1);
        }
        from = fmax(from, to);
    }
}

/* Inertia at nodes, or at a chosen number of points, may miss what sections have between them. */
static nt_status check_inertia(const nt_run *run, const nt_element *e, const nt_beam *b,
                               nt_error *error)
{
    double off[2] = {0, 0}, mass = 0, all = 0;
    for (int i = 0; i < b->n_elements; i++) {
        double summed[2], whole[2];
        element_mass(b, i, summed, whole);
        mass += whole[0], all += summed[0];
        for (int k = 0; k < 2; k++)
            off[k] += fabs(summed[k] - whole[k]);
    }
    double wrong = mass > 0 ? fmax(off[0], off[1]) / mass : 0;
    if (wrong <= INERTIA_ERROR)
        return NT_OK;
    if (!b->inertia)
        return nt_load_refuse_key(
            run->model, e, "inertia_points", error,
            "inertia is wrong by %.2g of the mass (%.6g kg at the points of "
            "integration, %.6g kg along the line, or where they are): at most %g "
            "is allowed; let elements end where sections change, or leave "
            "inertia_points out",
            wrong, all, mass, INERTIA_ERROR);
    return nt_load_refuse_key(
        run->model, e, "inertia", error,
        "lumped inertia is wrong by %.2g of the mass (%.6g kg at the nodes, %.6g "
        "kg along the line, or where they are): at most %g is allowed; let "
        "elements end where sections change, or take inertia: consistent",
        wrong, all, mass, INERTIA_ERROR);
}

/* ---- callbacks ---------------------------------------------------------------------------------
 */

nt_status nt_beam_own_bodies(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_beam *b = nt_element_numbers(run, e);
    nt_status status = validate ? check(run, e, b, error) : NT_OK;
    if (status != NT_OK)
        return status;
    fill(run, b);
    status = check_mesh(run, e, b, error);
    if (status == NT_OK && validate)
        status = nt_beam_check_line(run, e, b, error);
    bool samples = b->inertia || (b->cut && b->given >> NT_BEAM_INERTIA_POINTS & 1);
    if (status == NT_OK && validate && samples)
        status = check_inertia(run, e, b, error);
    if (status != NT_OK)
        return status;
    const v3 *X = nt_beam_array(b, b->nodes);
    v3 v = v3_load(b->velocity), w = v3_load(b->angular_velocity);
    for (int i = 0; i < b->n_nodes; i++) {
        nt_body *body = &run->bodies[b->first_body + i];
        body->given = NT_GIVEN_MASS | NT_GIVEN_INERTIA | NT_GIVEN_POSITION |
                      NT_GIVEN_ROTATION_VECTOR | NT_GIVEN_VELOCITY | NT_GIVEN_ANGULAR_VELOCITY |
                      NT_GIVEN_VELOCITY_FRAME;
        body->carried = 1;
        body->inertia_count = 3;
        body->angular_velocity_frame = 1;
        v3_store(body->position, X[i]);
        v3_store(body->velocity, v3_add(v, v3_cross(w, v3_sub(X[i], X[0]))));
        v3_store(body->angular_velocity, w);
    }
    return NT_OK;
}

/* Nodes come before all that is prepared, so everything is there already. */
nt_status nt_beam_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    (void)run;
    (void)e;
    (void)validate;
    (void)error;
    return NT_OK;
}
