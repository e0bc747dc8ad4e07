/* Modin, Fritzson & Fuehrer 2007, figure 2: where the semi-explicit method is stable on
 * q'' = -k q - c q', all of it explicit, and where it oscillates. Measured, beside theorem 3 and
 * corollary 4. */
#include "papers/modin/planar.h"

#include <math.h>

static const double ALPHA = 0.3; /* below 1/2, where the region has a slanted third side */

/* The map of one step of size 1 on (q, v), column by column. */
static bool step_matrix(nt_paper_report *report, double k, double c, double S[2][2])
{
    nt_planar planar = {.k = k, .c = c};
    nt_planar_init(&planar);
    for (int j = 0; j < 2; j++) {
        const double q0[2] = {j == 0, 0}, v0[2] = {j == 1, 0};
        nt_course course;
        nt_trial trial = nt_modin_trial(&planar, "semi-explicit", "alpha", "0.3", q0);
        trial.v = v0;
        bool ok = nt_course_begin(&course, report, &trial) && nt_course_run(&course, 1, 1);
        if (ok) {
            S[0][j] = nt_course_state(&course).q[0];
            S[1][j] = nt_course_state(&course).v[0];
        }
        nt_course_end(&course);
        if (!ok)
            return false;
    }
    return true;
}

/* What is looked for along hc at a given h^2 k, as a function that changes its sign there. With
 * the eigenvalues' product P and sum T: |P| <= 1 and |T| <= 1 + P are the conditions of stability,
 * and T^2 = 4 P where oscillation ends. */
typedef enum edge { LOWER, UPPER, CRITICAL } edge;

static bool beyond(nt_paper_report *report, edge what, double k, double c, double *value)
{
    double S[2][2];
    if (!step_matrix(report, k, c, S))
        return false;
    double P = S[0][0] * S[1][1] - S[0][1] * S[1][0], T = S[0][0] + S[1][1];
    *value = what == LOWER ? 1 - P : what == UPPER ? -1 - T - P : T * T - 4 * P;
    return true;
}

/* The zero between low and high, by bisection: each half of the interval is 2^-48 of it. */
static bool find_edge(nt_paper_report *report, edge what, double k, double low, double high,
                      double *found)
{
    double value;
    for (int i = 0; i < 48; i++) {
        *found = (low + high) / 2;
        if (!beyond(report, what, k, *found, &value))
            return false;
        if (value < 0)
            low = *found;
        else
            high = *found;
    }
    return true;
}

void nt_modin_figure_2(nt_paper_report *report)
{
    static const nt_sheet_column columns[] = {
        {"h^2 k", ""},       {"lower hc", ""},        {"theorem 3", ""},
        {"upper hc", ""},    {"theorem 3 upper", ""}, {"critical hc", ""},
        {"corollary 4", ""}, {"exact flow", ""},      {NULL, NULL}};
    enum { ROWS = 20 };
    nt_sheet *sheet = nt_sheet_add(
        report, "figure-2",
        "Figure 2: edges of stability and critical damping of the semi-explicit method, "
        "alpha = 0.3, B = 0\n(measured from the map of one step)",
        columns);
    for (int i = 1; sheet && i <= ROWS; i++) {
        double k = 4.0 * i * i / (ROWS * ROWS), row[8] = {k}; /* closer near 0, where it bends */
        row[2] = (0.5 - ALPHA) * k;                           /* theorem 3 */
        row[4] = 2 - ALPHA * k;                               /* theorem 3 */
        row[6] = 2 * sqrt(k) - k * (0.5 + ALPHA);             /* corollary 4: k (1 + 2 alpha)/2 */
        row[7] = 2 * sqrt(k);
        if (!find_edge(report, LOWER, k, -1, 3, &row[1]) ||
            !find_edge(report, UPPER, k, -1, 3, &row[3]) ||
            !find_edge(report, CRITICAL, k, row[1] - 1e-9, row[3] + 1e-9, &row[5]))
            return;
        nt_sheet_row(report, sheet, NULL, row);
    }
    if (sheet)
        sheet->printed = true;
}
