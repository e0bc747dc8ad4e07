/* Running an experiment of papers/ in a test and looking at its numbers. */
#ifndef NUTATE_TESTS_PAPERS_RERUN_H
#define NUTATE_TESTS_PAPERS_RERUN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "papers/papers.h"

#define CLOSE(a, b, tolerance)                                                                     \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%s is %.12g, expected %.12g within %.3g", #a, a_, b_, (double)(tolerance));  \
    } while (0)

static inline nt_paper_report rerun(const char *paper, const char *name)
{
    nt_paper_report report;
    if (nt_experiment_run(paper, name, NUTATE_SOURCE_DIR "/papers", &report) != NT_OK)
        fail_msg("%s", report.error.message);
    return report;
}

/* Fails where there is no such place. A value may be NaN: then there is none. */
static inline double at(const nt_paper_report *report, const char *sheet, int row,
                        const char *column)
{
    const nt_sheet *found = nt_paper_report_find(report, sheet);
    if (!found || row >= found->rows || nt_sheet_find(found, column) < 0)
        fail_msg("no row %d, column %s of sheet %s", row, column, sheet);
    return nt_sheet_at(found, row, column);
}

/* The row whose first column is nearest to x: of a step size, a time. */
static inline int row_of(const nt_paper_report *report, const char *sheet, double x)
{
    const nt_sheet *found = nt_paper_report_find(report, sheet);
    int best = 0;
    assert_non_null(found);
    for (int i = 1; i < found->rows; i++)
        if (fabs(found->value[i * found->columns] - x) <
            fabs(found->value[best * found->columns] - x))
            best = i;
    return best;
}

/* Half a unit of the last of `digits` digits. */
static inline double half_unit(double value, int digits)
{
    return 0.5001 * pow(10, floor(log10(fabs(value))) - (digits - 1));
}

/* log2 of the ratio of neighbouring rows, steps halved from one to the next. */
static inline double order(const nt_paper_report *report, const char *sheet, int row,
                           const char *column)
{
    return log2(at(report, sheet, row, column) / at(report, sheet, row + 1, column));
}

static inline int rows_of(const nt_paper_report *report, const char *sheet)
{
    const nt_sheet *found = nt_paper_report_find(report, sheet);
    assert_non_null(found);
    return found->rows;
}

#endif
