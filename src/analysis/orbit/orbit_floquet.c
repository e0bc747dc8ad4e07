/* Floquet multipliers: eigenvalues of the monodromy matrix M in independent coordinates.
 *
 * Some are known. M leaves the motion itself (of a system without clock, unless it is at rest) and
 * the advances where they are (up to g), the space S; and where the system keeps a quantity c, grad
 * c . M = grad c. Both together make eigenvalues 1 that are double and defective, which rounding
 * would tear apart by its square root. So they are taken out before eigenvalues are computed: with
 * Q perpendicular to S, and the columns of P in Q's coordinates perpendicular to what is kept (the
 * left null vectors of Q^T M Q - 1),
 *
 *   eig M = eig S^T M S  +  those of what is kept  +  eig P^T Q^T M Q P. */
#include "analysis/orbit/orbit.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Singular values of Q^T M Q - 1 below this stand for a quantity that is kept. */
static const double KEPT = 1e-6;
/* How far from the unit circle a multiplier counts as on it. */
static const double ON_CIRCLE = 1e-6;

/* C[r][c] = A[n][r]^T M B[n][c], by columns A, B and C, by rows M. */
static void sandwich(const double *A, int r, const double *M, const double *B, int c, int n,
                     double *C, double *Mb)
{
    for (int j = 0; j < c; j++) {
        for (int i = 0; i < n; i++) {
            Mb[i] = 0;
            for (int k = 0; k < n; k++)
                Mb[i] += M[i * n + k] * B[j * n + k];
        }
        for (int i = 0; i < r; i++) {
            C[j * r + i] = 0;
            for (int k = 0; k < n; k++)
                C[j * r + i] += A[i * n + k] * Mb[k];
        }
    }
}

static void monodromy(nt_orbit *o, double *work)
{
    int m = o->m;
    memcpy(o->monodromy, o->node[0].map, (size_t)(m * m) * sizeof *work);
    for (int s = 1; s < o->n; s++) {
        const double *A = o->node[s].map;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                work[i * m + j] = 0;
                for (int k = 0; k < m; k++)
                    work[i * m + j] += A[i * m + k] * o->monodromy[k * m + j];
            }
        memcpy(o->monodromy, work, (size_t)(m * m) * sizeof *work);
    }
}

/* What the search leaves of a motion at a state of rest, in units of what it leaves open; and how
 * far, relative to its size, M moves the direction of a motion so slow that it may be such a rest
 * of the search: of a slow orbit only the error of the steps. */
static const double REST = 10, MOVED = 1e-3;

/* x = M f - f; |x|/|f|, 0 without f */
static double moved_by(const nt_orbit *o, const double *f, double *x)
{
    int m = o->m;
    double size = 0, off = 0;
    for (int i = 0; i < m; i++) {
        x[i] = -f[i];
        size += f[i] * f[i];
        for (int j = 0; j < m; j++)
            x[i] += o->monodromy[i * m + j] * f[j];
        off += x[i] * x[i];
    }
    return size > 0 ? sqrt(off / size) : 0;
}

static bool is_at_rest(const nt_orbit *o, double *x)
{
    double reach = nt_orbit_reach(o);
    return reach <= REST * o->wanted.tolerance ||
           (reach <= NT_ORBIT_STEADY && moved_by(o, o->flow, x) > MOVED);
}

/* Whether the motion itself is a direction that M leaves where it is. */
static bool knows_flow(const nt_orbit *o) { return o->wanted.autonomous && !o->rests; }

/* An orthonormal basis of the motion and the advances, by columns S[m][*]; their number. */
static int known_directions(const nt_orbit *o, double *S)
{
    int m = o->m, k = 0;
    for (int i = knows_flow(o) ? -1 : 0; i < o->wanted.n_advances; i++) {
        const double *x = i < 0 ? o->flow : o->generator + i * m;
        double *s = S + k * m, before = 0, after = 0;
        memcpy(s, x, (size_t)m * sizeof *s);
        for (int j = 0; j < m; j++)
            before += s[j] * s[j];
        for (int again = 0; again < 2; again++)
            for (int l = 0; l < k; l++) {
                double part = 0;
                for (int j = 0; j < m; j++)
                    part += S[l * m + j] * s[j];
                for (int j = 0; j < m; j++)
                    s[j] -= part * S[l * m + j];
            }
        for (int j = 0; j < m; j++)
            after += s[j] * s[j];
        if (!(after > 1e-16 * before) || k == m)
            continue;
        for (int j = 0; j < m; j++)
            s[j] /= sqrt(after);
        k++;
    }
    return k;
}

/* How far M moves the flow, and out of S what is in it, relative to its size. */
static double distance_of(const nt_orbit *o, const double *S, int k, double *x)
{
    int m = o->m;
    double most = 0;
    if (knows_flow(o))
        most = moved_by(o, o->flow, x);
    for (int c = 0; c < k; c++) {
        const double *from = S + c * m;
        double off = 0;
        for (int i = 0; i < m; i++) {
            x[i] = 0;
            for (int j = 0; j < m; j++)
                x[i] += o->monodromy[i * m + j] * from[j];
        }
        for (int l = 0; l < k; l++) {
            double part = 0;
            for (int i = 0; i < m; i++)
                part += S[l * m + i] * x[i];
            for (int i = 0; i < m; i++)
                x[i] -= part * S[l * m + i];
        }
        for (int i = 0; i < m; i++)
            off += x[i] * x[i];
        most = fmax(most, sqrt(off));
    }
    return most;
}

static int by_modulus(const void *a, const void *b)
{
    const double *x = a, *y = b;
    double p = hypot(x[0], x[1]), q = hypot(y[0], y[1]);
    if (p != q)
        return p > q ? -1 : 1;
    return x[0] != y[0] ? (x[0] > y[0] ? -1 : 1) : x[1] > y[1] ? -1 : x[1] < y[1];
}

/* The largest |mu_i mu_j - 1| with the best partner j of each i; at most 1. */
static double pairing_of(const double *mu, int n)
{
    double most = n % 2 != 0;
    for (int i = 0; i < n; i++) {
        double least = 1;
        for (int j = 0; j < n; j++) {
            double re = mu[2 * i] * mu[2 * j] - mu[2 * i + 1] * mu[2 * j + 1] - 1;
            double im = mu[2 * i] * mu[2 * j + 1] + mu[2 * i + 1] * mu[2 * j];
            if (j != i)
                least = fmin(least, hypot(re, im));
        }
        most = fmax(most, least);
    }
    return most;
}

nt_status nt_orbit_multipliers(nt_orbit *o)
{
    int m = o->m;
    size_t square = (size_t)(m * m);
    double *S = o->floquet, *copy = S + square, *U = copy + square, *V = U + square;
    double *Mq = V + square, *Uq = Mq + square, *Mr = Uq + square, *s = Mr + square, *x = s + m;
    monodromy(o, copy);
    o->rests = o->wanted.autonomous && is_at_rest(o, x);
    int k = known_directions(o, S);
    o->trivial_distance = distance_of(o, S, k, x);
    memcpy(copy, S, square * sizeof *S);
    nt_status status = NT_OK;
    if (k > 0)
        status = nt_dense_svd(m, k, copy, s, U, V);
    else
        for (size_t i = 0; i < square; i++)
            U[i] = i % (size_t)(m + 1) == 0;
    const double *Q = U + k * m; /* columns */
    int q = m - k, kept = 0;
    sandwich(Q, q, o->monodromy, Q, q, m, Mq, x);
    if (status == NT_OK && k > 0 && q > 0) {
        memcpy(copy, Mq, (size_t)(q * q) * sizeof *copy);
        for (int i = 0; i < q; i++)
            copy[i * q + i] -= 1;
        status = nt_dense_svd(q, q, copy, s, Uq, V);
        while (kept < q && s[q - 1 - kept] < KEPT * fmax(1, s[0]))
            kept++;
    } else
        for (int i = 0; i < q * q; i++)
            Uq[i] = i % (q + 1) == 0;
    if (o->kept_fixed)
        kept = o->kept < q ? o->kept : q;
    o->kept = kept;
    o->trivial = k + kept;
    if (status == NT_OK && k > 0) {
        sandwich(S, k, o->monodromy, S, k, m, Mr, x);
        status = nt_dense_eigen(k, Mr, o->multiplier, NULL, NULL);
    }
    for (int i = 0; i < q; i++) /* Mq by rows, as sandwich wants it */
        for (int j = 0; j < i; j++) {
            double swap = Mq[i * q + j];
            Mq[i * q + j] = Mq[j * q + i], Mq[j * q + i] = swap;
        }
    int r = q - kept;
    if (status == NT_OK && kept > 0) {
        sandwich(Uq + r * q, kept, Mq, Uq + r * q, kept, q, Mr, x);
        status = nt_dense_eigen(kept, Mr, o->multiplier + 2 * k, NULL, NULL);
    }
    if (status == NT_OK && r > 0) {
        sandwich(Uq, r, Mq, Uq, r, q, Mr, x);
        status = nt_dense_eigen(r, Mr, o->multiplier + 2 * (k + kept), NULL, NULL);
        qsort(o->multiplier + 2 * (k + kept), (size_t)r, 2 * sizeof(double), by_modulus);
    }
    o->pairing = fmin(1, pairing_of(o->multiplier + 2 * (k + kept), r));
    return status;
}

/* ---- in words ------------------------------------------------------------------------------- */

static double largest_modulus(const nt_orbit *o)
{
    const double *mu = o->multiplier + 2 * o->trivial;
    return o->trivial < o->m ? hypot(mu[0], mu[1]) : 0;
}

/* What counts as on the unit circle: what the steps make of trivial multipliers, which are there,
 * they may do to others. */
static double circle_of(const nt_orbit *o)
{
    return o->trivial > 0 ? fmax(ON_CIRCLE, o->trivial_distance) : ON_CIRCLE;
}

static nt_orbit_stability stability_of(const nt_orbit *o)
{
    double largest = largest_modulus(o), circle = circle_of(o);
    bool neutral = largest > 1 - circle || o->trivial == o->m;
    return largest > 1 + circle ? NT_ORBIT_UNSTABLE : neutral ? NT_ORBIT_NEUTRAL : NT_ORBIT_STABLE;
}

nt_orbit_found nt_orbit_state(const nt_orbit *o)
{
    if (!o || !o->is_found)
        return (nt_orbit_found){0};
    const nt_orbit_node *first = &o->node[0];
    return (nt_orbit_found){.start = nt_orbit_start(o),
                            .period = o->T,
                            .q = first->q,
                            .v = first->v,
                            .memory = first->memory,
                            .advance = o->amount,
                            .miss = o->miss,
                            .steps = o->steps * o->n,
                            .iterations = o->iterations,
                            .dimension = o->m,
                            .trivial = o->trivial,
                            .kept = o->kept,
                            .multiplier = o->multiplier,
                            .trivial_distance = o->trivial_distance,
                            .pairing = o->pairing,
                            .stability = stability_of(o),
                            .follows_initial = o->follows,
                            .rests = o->rests};
}

const char *nt_orbit_words(const nt_orbit *o, char *text, int size)
{
    if (!text || size <= 0)
        return "";
    text[0] = '\0';
    if (!o || !o->is_found)
        return text;
    const double *mu = o->multiplier + 2 * o->trivial;
    int others = o->m - o->trivial, outside = 0, on = 0;
    double largest = largest_modulus(o), fold = o->T / log(largest), circle = circle_of(o);
    for (int i = 0; i < others; i++) {
        double modulus = hypot(mu[2 * i], mu[2 * i + 1]);
        outside += modulus > 1 + circle;
        on += fabs(modulus - 1) <= circle;
    }
    if (others == 0)
        snprintf(text, (size_t)size, "neutral: all its multipliers are trivial");
    else if (outside > 0) {
        const char *how = mu[1] != 0  ? "disturbances grow as they turn about it"
                          : mu[0] < 0 ? "disturbances grow and change sign in every period"
                                      : "disturbances grow away from it";
        char value[60];
        if (mu[1] != 0)
            snprintf(value, sizeof value, "%.6g +- %.6g i", mu[0], fabs(mu[1]));
        else
            snprintf(value, sizeof value, "%.6g", mu[0]);
        snprintf(
            text, (size_t)size,
            "unstable: %d of %d multipliers outside the unit circle, the largest %s; %s, by e in "
            "%.3g s",
            outside, others, value, how, fold);
    } else if (on > 0 && circle > ON_CIRCLE)
        snprintf(text, (size_t)size,
                 "undecided: %d of %d multipliers on the unit circle to the error of the steps, "
                 "%.2g by those that are known; more steps tell",
                 on, others, circle);
    else if (on > 0)
        snprintf(text, (size_t)size,
                 "neutral: %d of %d multipliers on the unit circle, none outside; disturbances "
                 "neither grow nor fade",
                 on, others);
    else
        snprintf(text, (size_t)size,
                 "stable: all %d multipliers within the unit circle, the largest %.6g in modulus; "
                 "disturbances fade by e in %.3g s",
                 others, largest, -fold);
    return text;
}
