/* The polynomials that the formulas of both codes extrapolate, for the columns dy/dp.
 *
 * Sizes and orders of steps held, all that SUNDIALS does to the history of y between two Newton
 * iterations is linear in it and alike for all entries. What it does follows from sizes, orders and
 * failures that it tells, so that the columns take the same way.
 *
 * CVODE (Byrne & Hindmarsh 1975, ACM TOMS 1; fixed leading coefficient: Jackson & Sacks-Davis 1980,
 * ACM TOMS 6) keeps the Nordsieck array z_j = h^j y^(j)/j! of a polynomial of order q. A step
 *
 *   predicts   z_j := sum_{k>=j} binom(k, j) z_k,
 *   corrects   z_j := z_j + l_j e,     e = y - predicted y,    h y' = z_1 predicted + l_1 e,
 *   rescales   z_j := eta^j z_j where the next size is eta h,
 *
 * and an order is raised or lowered so that the polynomial keeps its values at earlier times. sum
 * l_j x^j = (1 + x/xi*) prod_{i<q} (1 + x/xi_i), xi_i h from the step's end back to earlier ones.
 *
 * IDA (Brenan, Campbell & Petzold 1996, section 5.1) keeps modified divided differences of the last
 * values, phi_j = psi_0 ... psi_{j-1} y[t_n, ..., t_{n-j}]. Their sum predicts y, sum gamma_j phi_j
 * predicts y', y' = y' predicted + c_j e with c_j = sum_{i<=k} (1/i)/h of order k, and
 *
 *   phi_{k+1} = e,   phi_j := phi_j + phi_{j+1} from k down to 0.
 *
 * At first y - h y' stands for the value before. */
#include "method/bdf/bdf.h"

#include <string.h>

static double *bdf_array(const nt_bdf_columns *c, int i, int j)
{
    return c->all + (size_t)i * c->each + (size_t)j * c->size;
}

static void bdf_add(const nt_bdf_columns *c, double factor, const double *x, double *y)
{
    for (size_t k = 0; k < c->size; k++)
        y[k] += factor * x[k];
}

static void bdf_scale(const nt_bdf_columns *c, double factor, const double *x, double *y)
{
    for (size_t k = 0; k < c->size; k++)
        y[k] = factor * x[k];
}

void nt_bdf_columns_begin(nt_bdf_columns *c, int i, const double *dy, const double *rate)
{
    bdf_scale(c, 1, dy, bdf_array(c, i, 0));
    bdf_scale(c, 1, rate, bdf_array(c, i, 1));
    c->order = c->planned = 1;
    c->h = 1; /* of the Nordsieck array */
    memset(c->tau, 0, sizeof c->tau);
}

/* ---- CVODE ---------------------------------------------------------------------------------- */

/* The last correction, with which an order is raised. */
enum { LAST = NT_BDF_ORDERS + 1 };

/* z_{q+1} is that of the polynomial through one value more; the others keep their values. */
static void bdf_raise_order(nt_bdf_columns *c)
{
    int q = c->order;
    double l[LAST + 1] = {0, 0, 1}, product = 1, before = 1, sum = c->h;
    double alpha0 = -1, alpha1 = 1;
    for (int j = 1; j < q; j++) {
        sum += c->tau[j + 1];
        double xi = sum / c->h;
        product *= xi;
        alpha0 -= 1.0 / (j + 1);
        alpha1 += 1 / xi;
        for (int i = j + 2; i >= 2; i--)
            l[i] = l[i] * before + l[i - 1];
        before = xi;
    }
    for (int i = 0; i < c->count; i++) {
        double *highest = bdf_array(c, i, q + 1);
        bdf_scale(c, (-alpha0 - alpha1) / product, bdf_array(c, i, LAST), highest);
        for (int j = 2; j <= q; j++)
            bdf_add(c, l[j], highest, bdf_array(c, i, j));
    }
    c->order = q + 1;
}

static void bdf_lower_order(nt_bdf_columns *c)
{
    int q = c->order;
    double l[LAST + 1] = {0, 0, 1}, sum = 0;
    for (int j = 1; j <= q - 2; j++) {
        sum += c->tau[j];
        for (int i = j + 2; i >= 2; i--)
            l[i] = l[i] * sum / c->h + l[i - 1];
    }
    for (int i = 0; i < c->count; i++)
        for (int j = 2; j < q; j++)
            bdf_add(c, -l[j], bdf_array(c, i, q), bdf_array(c, i, j));
    c->order = q - 1;
}

/* l of the order and of the size h, which is not in tau yet. */
static void bdf_find_coefficients(const nt_bdf_columns *c, double h, double *l)
{
    int q = c->order;
    double alpha0 = -1, sum = h;
    l[0] = l[1] = 1;
    for (int i = 2; i <= q; i++)
        l[i] = 0;
    for (int j = 2; j < q; j++) {
        sum += c->tau[j - 1];
        alpha0 -= 1.0 / j;
        for (int i = j; i >= 1; i--)
            l[i] += l[i - 1] * h / sum;
    }
    if (q == 1)
        return;
    alpha0 -= 1.0 / q;
    double inverse = -l[1] - alpha0;
    for (int i = q; i >= 1; i--)
        l[i] += l[i - 1] * inverse;
}

static void bdf_predict(nt_bdf_columns *c, double eta)
{
    for (int i = 0; i < c->count; i++) {
        double factor = 1;
        for (int j = 1; j <= c->order; j++) {
            factor *= eta;
            bdf_scale(c, factor, bdf_array(c, i, j), bdf_array(c, i, j));
        }
        for (int k = 1; k <= c->order; k++)
            for (int j = c->order; j >= k; j--)
                bdf_add(c, 1, bdf_array(c, i, j), bdf_array(c, i, j - 1));
    }
}

static double bdf_advance_nordsieck(const nt_bdf *b, nt_bdf_columns *c)
{
    double h;
    int order, next;
    b->code->told(b, &h, &order, &next);
    if (c->planned > c->order)
        bdf_raise_order(c);
    while (c->order > order)
        bdf_lower_order(c);
    bdf_predict(c, h / c->h);
    bdf_find_coefficients(c, h, c->l);
    for (int i = order; i >= 2; i--)
        c->tau[i] = c->tau[i - 1];
    if (order == 1)
        c->tau[2] = c->tau[1];
    c->tau[1] = c->h = h;
    c->planned = next;
    return c->l[1] / h;
}

/* ---- IDA ------------------------------------------------------------------------------------ */

/* phi_j at the step's start, scaled to its size h, with psi_i = t_n - t_{n-1-i}. */
static double bdf_advance_differences(const nt_bdf *b, nt_bdf_columns *c)
{
    double h, beta[NT_BDF_HISTORY] = {1}, sum = 0;
    int next;
    b->code->told(b, &h, &c->order, &next);
    if (c->anew) { /* phi_1 = h y' at a psi_0 of h */
        c->psi[0] = h;
        for (int i = 0; i < c->count; i++)
            bdf_scale(c, h, bdf_array(c, i, 1), bdf_array(c, i, 1));
    }
    double span = h, alpha = 1;
    c->gamma[0] = 0;
    for (int i = 1; i <= c->order; i++) {
        double before = c->psi[i - 1];
        c->psi[i - 1] = span;
        beta[i] = beta[i - 1] * span / before;
        c->gamma[i] = c->gamma[i - 1] + alpha / h;
        span = before + h;
        alpha = h / span;
        sum += 1.0 / i;
    }
    c->psi[c->order] = span;
    for (int i = 0; i < c->count; i++)
        for (int j = 1; j <= c->order; j++)
            bdf_scale(c, beta[j], bdf_array(c, i, j), bdf_array(c, i, j));
    c->h = h;
    return sum / h;
}

static void bdf_correct_differences(const nt_bdf_columns *c, int i, const double *dy)
{
    double *e = bdf_array(c, i, c->order + 1);
    bdf_scale(c, 1, dy, e);
    for (int j = 0; j <= c->order; j++)
        bdf_add(c, -1, bdf_array(c, i, j), e);
    for (int j = c->order; j >= 0; j--)
        bdf_add(c, 1, bdf_array(c, i, j + 1), bdf_array(c, i, j));
}

/* ---- both ----------------------------------------------------------------------------------- */

double nt_bdf_columns_advance(const nt_bdf *b, nt_bdf_columns *c, double t)
{
    c->t = t;
    return b->code == &nt_bdf_cvode ? bdf_advance_nordsieck(b, c) : bdf_advance_differences(b, c);
}

void nt_bdf_columns_predicted(const nt_bdf *b, const nt_bdf_columns *c, int i, double c_j,
                              double *delta)
{
    if (b->code == &nt_bdf_cvode) {
        bdf_scale(c, c_j, bdf_array(c, i, 0), delta);
        bdf_add(c, -1 / c->h, bdf_array(c, i, 1), delta);
        return;
    }
    memset(delta, 0, c->size * sizeof *delta);
    for (int j = 0; j <= c->order; j++)
        bdf_add(c, c_j - c->gamma[j], bdf_array(c, i, j), delta);
}

/* a P + b P' + d P'' of the predicted polynomial P, at the step's end, added to sum. */
static void bdf_add_polynomial(const nt_bdf *b, const nt_bdf_columns *c, const double factor[3],
                               double *sum)
{
    double h = c->h, of_squares = 0;
    if (b->code == &nt_bdf_cvode) {
        const double scaled[3] = {factor[0], factor[1] / h, 2 * factor[2] / (h * h)};
        for (int j = 0; j <= c->order && j < 3; j++)
            bdf_add(c, scaled[j], bdf_array(c, 0, j), sum);
        return;
    }
    for (int j = 0; j <= c->order; j++) { /* phi_j times the product of 1 + s/psi_i, i < j */
        double first = c->gamma[j], second = first * first - of_squares;
        bdf_add(c, factor[0] + factor[1] * first + factor[2] * second, bdf_array(c, 0, j), sum);
        of_squares += 1 / (c->psi[j] * c->psi[j]);
    }
}

void nt_bdf_columns_longer(const nt_bdf *b, const nt_bdf_columns *c, double c_j,
                           const double *power, double *delta)
{
    double h = c->h;
    const double at_rest[3] = {0, c_j - 1 / h, -1}, by_power[3] = {c_j / h, -1 / h, 0};
    memset(delta, 0, c->size * sizeof *delta);
    bdf_add_polynomial(b, c, by_power, delta);
    for (size_t k = 0; k < c->size; k++)
        delta[k] *= power[k];
    bdf_add_polynomial(b, c, at_rest, delta);
}

void nt_bdf_columns_correct(const nt_bdf *b, nt_bdf_columns *c, int i, const double *dy)
{
    if (b->code != &nt_bdf_cvode) {
        bdf_correct_differences(c, i, dy);
        return;
    }
    double *e = bdf_array(c, i, LAST);
    bdf_scale(c, -1, bdf_array(c, i, 0), e);
    bdf_add(c, 1, dy, e);
    for (int j = 0; j <= c->order; j++)
        bdf_add(c, c->l[j], e, bdf_array(c, i, j));
}

void nt_bdf_columns_look(const nt_bdf *b, const nt_bdf_columns *c, int i, double t, double *dy)
{
    memset(dy, 0, c->size * sizeof *dy);
    if (b->code == &nt_bdf_cvode) {
        double part = 1;
        for (int j = 0; j <= c->order; j++, part *= (t - c->t) / c->h)
            bdf_add(c, part, bdf_array(c, i, j), dy);
        return;
    }
    double part = 1, from_end = t - c->t;
    for (int j = 0; j <= c->order; j++) {
        bdf_add(c, part, bdf_array(c, i, j), dy);
        part *= (from_end + (j > 0 ? c->psi[j - 1] : 0)) / c->psi[j];
    }
}
