/* From what the file says of a beam to the numbers of its points: the line, its axes, sections
 * between stations, and the rules of every element. */
#include "model/beams/beam.h"

#include "base/error.h"
#include "model/forces/load.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Distances, of the line's length, below which two places are one. */
static const double SAME = 1e-9;

/* ---- the line: straight pieces between points -------------------------------------------------
 */

static v3 point_at(const nt_beam *b, int i) { return v3_load(nt_array_in(b, &b->points) + 3 * i); }

static double length_of_piece(const nt_beam *b, int i)
{
    return v3_norm(v3_sub(point_at(b, i + 1), point_at(b, i)));
}

static double length_of_line(const nt_beam *b)
{
    double length = 0;
    for (int i = 0; i + 1 < b->points.count; i++)
        length += length_of_piece(b, i);
    return length;
}

static v3 tangent_of_piece(const nt_beam *b, int i)
{
    return v3_scale(1 / length_of_piece(b, i), v3_sub(point_at(b, i + 1), point_at(b, i)));
}

/* The piece that holds the middle of an element, and the length of the line before it. */
static int piece_of(const nt_beam *b, double s, double *before)
{
    int i = 0;
    *before = 0;
    while (i + 2 < b->points.count && *before + length_of_piece(b, i) < s)
        *before += length_of_piece(b, i++);
    return i;
}

static v3 place_at(const nt_beam *b, int piece, double before, double s)
{
    return v3_axpy(s - before, tangent_of_piece(b, piece), point_at(b, piece));
}

/* ---- axes -------------------------------------------------------------------------------------
 */

/* The rotation by the smallest angle that takes unit vector a to unit vector b. */
static m3 shortest(v3 a, v3 b)
{
    v3 axis = v3_cross(a, b);
    double c = v3_dot(a, b);
    if (c < -1 + 1e-12) { /* opposite: half a turn about z, or about x where that is along */
        v3 about = fabs(a.z) < 0.9 ? v3_of(0, 0, 1) : v3_of(1, 0, 0);
        about = v3_axpy(-v3_dot(about, a), a, about);
        about = v3_scale(1 / v3_norm(about), about);
        return m3_sub(m3_scale(2, m3_dyad(about, about)), m3_identity());
    }
    m3 skew = m3_skew(axis);
    return m3_add(m3_add(m3_identity(), skew), m3_scale(1 / (1 + c), m3_multiply(skew, skew)));
}

/* Axis 1 along the piece, carried along the line without torsion: columns. */
static m3 axes_of_piece(const nt_beam *b, int piece)
{
    v3 t = tangent_of_piece(b, 0);
    m3 axes = shortest(v3_of(1, 0, 0), t);
    if (b->given >> NT_BEAM_NORMAL & 1) {
        v3 n = v3_load(b->normal), e2 = v3_axpy(-v3_dot(n, t), t, n);
        e2 = v3_scale(1 / v3_norm(e2), e2);
        v3 e3 = v3_cross(t, e2);
        axes = (m3){t.x, e2.x, e3.x, t.y, e2.y, e3.y, t.z, e2.z, e3.z};
    }
    for (int i = 0; i < piece; i++)
        axes = m3_multiply(shortest(tangent_of_piece(b, i), tangent_of_piece(b, i + 1)), axes);
    return axes;
}

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

static m3 about_first(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (m3){1, 0, 0, 0, c, -s, 0, s, c};
}

/* ---- sections ---------------------------------------------------------------------------------
 */

static const nt_beam_section *section_at(const nt_beam *b, int i)
{
    return (const nt_beam_section *)(const void *)nt_array_in(b, &b->sections) + i;
}

static bool gives(const nt_beam_section *s, int bit) { return s->given >> bit & 1; }

/* A^T X A with A = [I, -o~; 0, I]: what is given about another point of the section. */
static void about_line(const double *X, const double *o, double *out)
{
    double A[36] = {0}, XA[36];
    for (int i = 0; i < 6; i++)
        A[7 * i] = 1;
    A[6 * 0 + 4] = o[2], A[6 * 0 + 5] = -o[1];
    A[6 * 1 + 3] = -o[2], A[6 * 1 + 5] = o[0];
    A[6 * 2 + 3] = o[1], A[6 * 2 + 4] = -o[0];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            XA[6 * i + j] = 0;
            for (int k = 0; k < 6; k++)
                XA[6 * i + j] += X[6 * i + k] * A[6 * k + j];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            out[6 * i + j] = 0;
            for (int k = 0; k < 6; k++)
                out[6 * i + j] += A[6 * k + i] * XA[6 * k + j];
        }
}

/* Area, second moments about axes 2 and 3, torsion constant, shear factors. */
typedef struct figure {
    double A, I2, I3, J, k2, k3;
} figure;

static figure figure_of(const nt_beam_section *s)
{
    if (s->shape == NT_SHAPE_RECTANGLE) { /* width along axis 2, height along axis 3 */
        double a = fmax(s->width, s->height), c = fmin(s->width, s->height), ratio = c / a;
        double J = 0; /* Saint-Venant's series */
        for (int n = 1; n < 40; n += 2)
            J += tanh(n * PI / (2 * ratio)) / (n * n * n * n * (double)n);
        J = a * c * c * c / 3 * (1 - 192 / (PI * PI * PI * PI * PI) * ratio * J);
        return (figure){.A = s->width * s->height,
                        .I2 = s->width * pow(s->height, 3) / 12,
                        .I3 = s->height * pow(s->width, 3) / 12,
                        .J = J,
                        .k2 = 5.0 / 6,
                        .k3 = 5.0 / 6};
    }
    double R = s->radius, r = s->shape == NT_SHAPE_TUBE ? R - s->thickness : 0, m = r / R;
    double I = PI / 4 * (pow(R, 4) - pow(r, 4)), nu = s->material.nu;
    /* Cowper 1966, circle and hollow circle */
    double top = 6 * (1 + nu) * (1 + m * m) * (1 + m * m);
    double k = top / ((7 + 6 * nu) * (1 + m * m) * (1 + m * m) + (20 + 12 * nu) * m * m);
    return (figure){.A = PI * (R * R - r * r), .I2 = I, .I3 = I, .J = 2 * I, .k2 = k, .k3 = k};
}

/* Stiffness and mass about the line, section axes. */
static void matrices_of(const nt_beam_section *s, double C[36], double M[36])
{
    if (gives(s, NT_SECTION_STIFFNESS)) {
        about_line(s->stiffness, s->point, C);
        about_line(s->mass, s->point, M);
        return;
    }
    figure f = figure_of(s);
    double E = s->material.E, G = E / (2 * (1 + s->material.nu)), m = s->material.density;
    const double c[6] = {E * f.A, f.k2 * G * f.A, f.k3 * G * f.A, G * f.J, E * f.I2, E * f.I3};
    const double r[6] = {m * f.A, m * f.A, m * f.A, m * (f.I2 + f.I3), m * f.I2, m * f.I3};
    memset(C, 0, 36 * sizeof *C);
    memset(M, 0, 36 * sizeof *M);
    for (int i = 0; i < 6; i++)
        C[7 * i] = c[i], M[7 * i] = r[i];
}

/* Linear entry by entry between sections, held beyond them. */
static void interpolate(const nt_beam *b, double station, double C[36], double M[36])
{
    int n = b->sections.count, i = 0;
    while (i + 1 < n && section_at(b, i + 1)->at < station)
        i++;
    matrices_of(section_at(b, i), C, M);
    if (i + 1 == n || station <= section_at(b, i)->at)
        return;
    const nt_beam_section *from = section_at(b, i), *to = section_at(b, i + 1);
    double C1[36], M1[36], share = (station - from->at) / (to->at - from->at);
    matrices_of(to, C1, M1);
    for (int k = 0; k < 36; k++) {
        C[k] += share * (C1[k] - C[k]);
        M[k] += share * (M1[k] - M[k]);
    }
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

/* Cholesky: whether a symmetric 6 x 6 matrix is positive definite. */
static bool is_positive(const double *X)
{
    double L[36];
    memcpy(L, X, sizeof L);
    for (int j = 0; j < 6; j++) {
        for (int k = 0; k < j; k++)
            L[7 * j] -= L[6 * j + k] * L[6 * j + k];
        if (!(L[7 * j] > 0))
            return false;
        L[7 * j] = sqrt(L[7 * j]);
        for (int i = j + 1; i < 6; i++) {
            for (int k = 0; k < j; k++)
                L[6 * i + j] -= L[6 * i + k] * L[6 * j + k];
            L[6 * i + j] /= L[7 * j];
        }
    }
    return true;
}

static bool is_symmetric(const double *X)
{
    double largest = 0;
    for (int i = 0; i < 36; i++)
        largest = fmax(largest, fabs(X[i]));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(X[6 * i + j] - X[6 * j + i]) <= 1e-6 * largest))
                return false;
    return true;
}

/* What is wrong with a section, NULL for nothing. */
static const char *fault_of(const nt_beam_section *s)
{
    bool matrices = gives(s, NT_SECTION_STIFFNESS) && gives(s, NT_SECTION_MASS);
    bool shape = gives(s, NT_SECTION_MATERIAL) && gives(s, NT_SECTION_SHAPE);
    if (matrices == shape || gives(s, NT_SECTION_STIFFNESS) != gives(s, NT_SECTION_MASS))
        return "expected stiffness and mass, or material and shape";
    if (matrices && !is_symmetric(s->stiffness))
        return "stiffness is not symmetric";
    if (matrices && !is_symmetric(s->mass))
        return "mass is not symmetric";
    if (matrices && !is_positive(s->stiffness))
        return "stiffness is not positive definite";
    if (matrices && !is_positive(s->mass))
        return "mass is not positive definite";
    if (matrices)
        return NULL;
    bool box = s->shape == NT_SHAPE_RECTANGLE, tube = s->shape == NT_SHAPE_TUBE;
    if (box && !(s->width > 0 && s->height > 0))
        return "a rectangle has a positive width (along axis 2) and height (along axis 3)";
    if (!box && !(s->radius > 0))
        return "the radius is not positive";
    if (tube && !(s->thickness > 0 && s->thickness <= s->radius))
        return "a tube has a thickness above zero, at most its radius";
    if (!(s->material.E > 0 && s->material.density > 0 && s->material.nu > -1 &&
          s->material.nu < 0.5))
        return "a material has positive E and density, and nu between -1 and 0.5";
    return NULL;
}

static nt_status check(const nt_run *run, const nt_element *e, const nt_beam *b, nt_error *error)
{
    double length = length_of_line(b), last = -1;
    if (b->points.count < 2 || !(length > 0))
        return nt_load_refuse(run->model, e, error, "needs two points or more that differ");
    for (int i = 0; i + 1 < b->points.count; i++)
        if (!(length_of_piece(b, i) > SAME * length))
            return nt_load_refuse(run->model, e, error, "points %d and %d are the same", i + 1,
                                  i + 2);
    for (int i = 0; i + 2 < b->points.count; i++)
        if (v3_dot(tangent_of_piece(b, i), tangent_of_piece(b, i + 1)) < -1 + 1e-9)
            return nt_load_refuse(run->model, e, error, "its line folds back at point %d", i + 2);
    for (int i = 0; i < b->sections.count; i++) {
        const nt_beam_section *s = section_at(b, i);
        const char *fault = fault_of(s);
        if (fault)
            return nt_load_refuse(run->model, e, error, "section at %g: %s", s->at, fault);
        if (!(s->at >= 0 && s->at <= 1 && s->at > last))
            return nt_load_refuse(run->model, e, error,
                                  "section at %g: expected stations from 0 to 1 that rise", s->at);
        last = s->at;
    }
    v3 n = v3_load(b->normal), t = tangent_of_piece(b, 0);
    if ((b->given >> NT_BEAM_NORMAL & 1) && !(v3_norm(v3_cross(n, t)) > 1e-6 * v3_norm(n)))
        return nt_load_refuse(run->model, e, error, "its normal is along the line");
    return NT_OK;
}

/* ---- the mesh ---------------------------------------------------------------------------------
 */

size_t nt_beam_lay_out(nt_beam *b, size_t bytes)
{
    size_t nodes = (size_t)b->p + 1, n = (size_t)b->n_elements;
    const size_t sizes[] = {(n + 1) * sizeof(nt_beam_end),
                            (n + 1) * sizeof(double),
                            (size_t)b->n_nodes * sizeof(v3),
                            2 * nodes * (2 * (size_t)b->p + 1) * sizeof(double),
                            n * (size_t)b->p * sizeof(nt_beam_elastic),
                            n * nodes * sizeof(nt_beam_inert)};
    int *const places[] = {&b->ends, &b->stations, &b->nodes, &b->shapes, &b->elastic, &b->inert};
    for (int i = 0; i < 6; i++) {
        *places[i] = (int)bytes;
        bytes += sizes[i];
    }
    return bytes;
}

static double *numbers_at(nt_beam *b, int place) { return (double *)(void *)((char *)b + place); }

static void fill_stations(nt_beam *b)
{
    const nt_beam_end *end = (const nt_beam_end *)(const void *)((char *)b + b->ends);
    double *station = numbers_at(b, b->stations), length = length_of_line(b);
    for (int i = 0; i <= b->n_elements; i++) {
        int index = (int)end[i].index;
        station[i] = 0;
        if ((int)end[i].kind == NT_END_SECTION)
            station[i] = section_at(b, index)->at;
        else if ((int)end[i].kind == NT_END_PART)
            station[i] = (double)index / b->parts;
        else
            for (int k = 0; k < index; k++)
                station[i] += length_of_piece(b, k) / length;
    }
    station[0] = 0, station[b->n_elements] = 1;
}

static void fill_shapes(nt_beam *b, const double *nodes, double *weights[2])
{
    double x[2][NT_MOST_POINTS], *to = numbers_at(b, b->shapes);
    int n = b->p + 1;
    nt_gauss(b->p, x[0], weights[0]);
    nt_gauss(n, x[1], weights[1]);
    for (int rule = 0; rule < 2; rule++)
        for (int q = 0; q < b->p + rule; q++, to += 2 * n)
            nt_lagrange(n, nodes, x[rule][q], to, to + n);
}

/* Sum of N_i X_i (rule's point q) and of dN_i/dxi X_i */
static v3 sum_of_nodes(const nt_beam *b, const double *N, const v3 *X)
{
    v3 sum = v3_of(0, 0, 0);
    for (int i = 0; i <= b->p; i++)
        sum = v3_axpy(N[i], X[i], sum);
    return sum;
}

static void fill_element(nt_beam *b, int element, const double *nodes, double *weights[2])
{
    const double *station = numbers_at(b, b->stations) + element;
    double length = length_of_line(b), begin = station[0] * length, end = station[1] * length;
    double before;
    int piece = piece_of(b, (begin + end) / 2, &before), n = b->p + 1;
    v3 *X = (v3 *)(void *)numbers_at(b, b->nodes) + element * b->p;
    m3 axes = axes_of_piece(b, piece);
    for (int i = 0; i < n; i++)
        X[i] = place_at(b, piece, before, begin + (end - begin) * (nodes[i] + 1) / 2);
    nt_beam_elastic *elastic = (nt_beam_elastic *)(void *)numbers_at(b, b->elastic);
    nt_beam_inert *inert = (nt_beam_inert *)(void *)numbers_at(b, b->inert);
    for (int rule = 0; rule < 2; rule++)
        for (int q = 0; q < b->p + rule; q++) {
            const double *N = nt_beam_shapes(b, rule, q);
            v3 slope = sum_of_nodes(b, N + n, X);
            double J = v3_norm(slope), xi = 0, C[36], M[36];
            for (int i = 0; i < n; i++)
                xi += N[i] * nodes[i];
            double at = station[0] + (station[1] - station[0]) * (xi + 1) / 2;
            m3 R0 = m3_multiply(axes, about_first(twist_at(b, at)));
            interpolate(b, at, C, M);
            if (rule == 0) {
                nt_beam_elastic *p = &elastic[element * b->p + q];
                *p = (nt_beam_elastic){.weight = weights[0][q] * J,
                                       .per_length = 1 / J,
                                       .tangent = v3_scale(1 / J, slope),
                                       .axes = R0};
                turn(R0, C, p->C);
            } else {
                nt_beam_inert *p = &inert[element * n + q];
                double ground[36];
                turn(R0, M, ground);
                *p = (nt_beam_inert){.weight = weights[1][q] * J, .mass = mass_of(ground)};
            }
        }
}

static void fill(nt_beam *b)
{
    double nodes[NT_MOST_POINTS], elastic[NT_MOST_POINTS], inert[NT_MOST_POINTS];
    double *weights[2] = {elastic, inert};
    nt_gauss_lobatto(b->p + 1, nodes, weights[0]);
    fill_stations(b);
    fill_shapes(b, nodes, weights);
    for (int element = 0; element < b->n_elements; element++)
        fill_element(b, element, nodes, weights);
}

/* ---- callbacks --------------------------------------------------------------------------------
 */

nt_status nt_beam_own_bodies(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_beam *b = nt_element_numbers(run, e);
    nt_status status = validate ? check(run, e, b, error) : NT_OK;
    if (status != NT_OK)
        return status;
    fill(b);
    const v3 *X = (const v3 *)(const void *)numbers_at(b, b->nodes);
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
