/* Reference arithmetic of the group tests: small matrices with 113-bit numbers.
 *
 * Everything here is a power series of a matrix: the exponential by scaling and squaring, the
 * tangent operator by its defining series, inverses by Gauss-Jordan, derivatives by central
 * differences. None of it shares a formula with src/group. */
#ifndef NUTATE_TESTS_GROUP_QUAD_H
#define NUTATE_TESTS_GROUP_QUAD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Mixing double with quad is the purpose here; clang warns of it, gcc does not. */
#pragma GCC diagnostic ignored "-Wdouble-promotion"

#if LDBL_MANT_DIG == 113
typedef long double quad;
#else
typedef __float128 quad;
#endif

#define ULP DBL_EPSILON /* of numbers in [1, 2[ */

typedef struct qm {
    int n;
    quad a[6][6];
} qm;

static inline qm qm_zero(int n)
{
    qm r = {.n = n};
    return r;
}

static inline qm qm_identity(int n)
{
    qm r = qm_zero(n);
    for (int i = 0; i < n; i++)
        r.a[i][i] = 1;
    return r;
}

/* x + f y */
static inline qm qm_axpy(quad f, const qm *y, const qm *x)
{
    qm r = *x;
    for (int i = 0; i < r.n; i++)
        for (int j = 0; j < r.n; j++)
            r.a[i][j] += f * y->a[i][j];
    return r;
}

static inline qm qm_multiply(const qm *x, const qm *y)
{
    qm r = qm_zero(x->n);
    for (int i = 0; i < r.n; i++)
        for (int k = 0; k < r.n; k++)
            if (x->a[i][k] != 0)
                for (int j = 0; j < r.n; j++)
                    r.a[i][j] += x->a[i][k] * y->a[k][j];
    return r;
}

static inline qm qm_transpose(const qm *x)
{
    qm r = qm_zero(x->n);
    for (int i = 0; i < r.n; i++)
        for (int j = 0; j < r.n; j++)
            r.a[i][j] = x->a[j][i];
    return r;
}

static inline void qm_apply(const qm *x, const quad *v, quad *out)
{
    for (int i = 0; i < x->n; i++) {
        out[i] = 0;
        for (int j = 0; j < x->n; j++)
            out[i] += x->a[i][j] * v[j];
    }
}

/* Frobenius norm */
static inline double qm_norm(const qm *x)
{
    quad sum = 0;
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < x->n; j++)
            sum += x->a[i][j] * x->a[i][j];
    return sqrt((double)sum);
}

static inline qm qm_inverse(const qm *x)
{
    qm m = *x, r = qm_identity(x->n);
    for (int c = 0; c < m.n; c++) {
        int p = c;
        for (int i = c + 1; i < m.n; i++)
            if (fabs((double)m.a[i][c]) > fabs((double)m.a[p][c]))
                p = i;
        for (int j = 0; j < m.n; j++) {
            quad t = m.a[c][j], u = r.a[c][j];
            m.a[c][j] = m.a[p][j], m.a[p][j] = t;
            r.a[c][j] = r.a[p][j], r.a[p][j] = u;
        }
        quad f = 1 / m.a[c][c];
        for (int j = 0; j < m.n; j++)
            m.a[c][j] *= f, r.a[c][j] *= f;
        for (int i = 0; i < m.n; i++) {
            quad g = i == c ? 0 : m.a[i][c];
            for (int j = 0; j < m.n; j++)
                m.a[i][j] -= g * m.a[c][j], r.a[i][j] -= g * r.a[c][j];
        }
    }
    return r;
}

/* sum_k sign^k x^k / (k + offset)! times offset!, until the terms vanish */
static inline qm qm_series(const qm *x, int sign, int offset)
{
    qm sum = qm_identity(x->n), term = sum;
    for (int k = 1; k < 200; k++) {
        term = qm_multiply(&term, x);
        qm zero = qm_zero(x->n);
        term = qm_axpy((quad)sign / (k + offset), &term, &zero);
        sum = qm_axpy(1, &term, &sum);
        if (qm_norm(&term) < 1e-38 * qm_norm(&sum))
            break;
    }
    return sum;
}

/* exp(x) by scaling to a norm below 1/4 and squaring */
static inline qm qm_exp(const qm *x)
{
    int k = 0;
    for (double n = qm_norm(x); n > 0.25; n /= 2)
        k++;
    qm zero = qm_zero(x->n), y = qm_axpy((quad)ldexp(1, -k), x, &zero);
    qm r = qm_series(&y, 1, 0);
    for (; k > 0; k--)
        r = qm_multiply(&r, &r);
    return r;
}

/* T = sum_k (-1)^k x^k / (k+1)! for x = psi~ or ad(xi) */
static inline qm qm_tangent(const qm *x) { return qm_series(x, -1, 1); }

static inline qm qm_skew(const quad p[3])
{
    qm r = qm_zero(3);
    r.a[0][1] = -p[2], r.a[0][2] = p[1];
    r.a[1][0] = p[2], r.a[1][2] = -p[0];
    r.a[2][0] = -p[1], r.a[2][1] = p[0];
    return r;
}

/* The matrix of x -> q x for quaternions. */
static inline qm qm_left(const quad q[4])
{
    qm r = qm_zero(4);
    for (int i = 0; i < 4; i++)
        r.a[i][i] = q[0], r.a[i][0] = q[i], r.a[0][i] = i ? -q[i] : q[0];
    r.a[1][2] = -q[3], r.a[1][3] = q[2];
    r.a[2][1] = q[3], r.a[2][3] = -q[1];
    r.a[3][1] = -q[2], r.a[3][2] = q[1];
    return r;
}

/* The rotation of q / |q|. */
static inline qm qm_rotation(const double q[4])
{
    quad w = q[0], x = q[1], y = q[2], z = q[3], f = 2 / (w * w + x * x + y * y + z * z);
    qm r = qm_identity(3);
    r.a[0][0] -= f * (y * y + z * z), r.a[0][1] = f * (x * y - w * z);
    r.a[0][2] = f * (x * z + w * y), r.a[1][0] = f * (x * y + w * z);
    r.a[1][1] -= f * (x * x + z * z), r.a[1][2] = f * (y * z - w * x);
    r.a[2][0] = f * (x * z - w * y), r.a[2][1] = f * (y * z + w * x);
    r.a[2][2] -= f * (x * x + y * y);
    return r;
}

/* ---- comparison ----------------------------------------------------------------------------- */

static inline double distance(const double *x, const qm *reference)
{
    qm d = qm_zero(reference->n);
    for (int i = 0; i < d.n; i++)
        for (int j = 0; j < d.n; j++)
            d.a[i][j] = (quad)x[d.n * i + j] - reference->a[i][j];
    return qm_norm(&d);
}

static inline double vector_norm(const double *x, int n)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    if (largest == 0)
        return 0;
    int e = ilogb(largest);
    for (int i = 0; i < n; i++)
        sum += scalbn(x[i], -e) * scalbn(x[i], -e);
    return scalbn(sqrt(sum), e);
}

static inline double vector_distance(const double *x, const quad *reference, int n)
{
    double d[9];
    for (int i = 0; i < n; i++)
        d[i] = (double)((quad)x[i] - reference[i]);
    return vector_norm(d, n);
}

/* Largest error in units of its bound, per quantity: printed with NUTATE_TEST_VERBOSE. */
typedef struct worst {
    const char *what;
    double ratio, at;
} worst;

static inline void within(worst *w, double error, double bound, double at)
{
    if (!(error <= bound))
        fail_msg("%s: error %.3g exceeds %.3g at |argument| = %.17g", w->what, error, bound, at);
    if (bound > 0 && error / bound > w->ratio)
        w->ratio = error / bound, w->at = at;
}

static inline void report(const worst *w)
{
    if (getenv("NUTATE_TEST_VERBOSE"))
        print_message("%-40s %5.2f of the bound, at %.6g\n", w->what, w->ratio, w->at);
}

/* ---- arguments ------------------------------------------------------------------------------ */

static inline double uniform(uint64_t *state) /* in ]-1, 1[ */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11 << 11) / 9223372036854775808.0;
}

/* A unit vector: the six half-axes, then two diagonals, then random ones. */
static inline void direction(int k, uint64_t *state, double n[3])
{
    if (k < 6) {
        n[0] = n[1] = n[2] = 0;
        n[k / 2] = k % 2 ? -1 : 1;
        return;
    }
    do {
        for (int i = 0; i < 3; i++)
            n[i] = k == 6 ? (i < 2) : k == 7 ? 1 : uniform(state);
    } while (vector_norm(n, 3) < 0.1);
    double f = 1 / vector_norm(n, 3);
    for (int i = 0; i < 3; i++)
        n[i] *= f;
}

/* Lengths from 0 and the smallest denormal to `largest`: by powers of 10, then in equal steps, and
 * each threshold of the implementation with its neighbours on both sides. Returns their number. */
enum { MAX_LENGTHS = 700 };

static inline int lengths(double largest, double x[MAX_LENGTHS])
{
    static const double threshold[] = {0.1, 0.2, 0.25, 0.5, 0.70710678118654752, 1, 2};
    int n = 0;
    x[n++] = 0;
    x[n++] = 4.9406564584124654e-324;
    x[n++] = 1e-310;
    x[n++] = DBL_MIN;
    for (int e = -300; e < -20; e += 7)
        x[n++] = 1.37 * pow(10, e);
    for (double e = -20; e < -1; e += 0.25)
        x[n++] = pow(10, e);
    for (int i = 0; i < 60; i++)
        x[n++] = 0.1 + (largest - 0.1) * i / 59;
    for (size_t i = 0; i < sizeof threshold / sizeof *threshold; i++)
        for (int j = -3; j <= 3 && threshold[i] < largest; j++)
            x[n++] = threshold[i] * (1 + j * 2 * ULP);
    return n;
}

#endif
