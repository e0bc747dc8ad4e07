/* Krysl 2005, figure 1, and the errors, orders and drifts of its methods. */
#include "rerun.h"

/* By an independent program; errors with as many digits as are given, and axes at t = 2 s. */
static const struct {
    const char *x;
    double coarse, fine, order, energy, axis[2];
    int digits[3]; /* of coarse, fine, energy; 0: rounding */
} rows[] = {
    {"AKW x", .393, 1.67e-3, 2, 2e-15, {.514670248033, -.672653697298}, {3, 3, 0}},
    {"SW x", .233, 1.1e-3, 2, 58, {.759630974294, -.515498176222}, {3, 2, 2}},
    {"LIEMID[I] x", 2.3e-2, 8.8e-5, 2, 4.4e-2, {.662501470550, -.656664472977}, {2, 2, 2}},
    {"LIEMID[EA] x", 1.8e-2, 7.2e-5, 2, 6.1e-3, {.665540201833, -.645225126429}, {2, 2, 2}},
    {"EMID1 x", .185, 1.0e-2, 1, 9.2e-2, {.604665617993, -.637290252037}, {3, 2, 2}},
    {"EMID2 x", .139, 9.8e-3, 1, 9.2e-2, {.708403992222, -.646387159623}, {3, 2, 2}},
    {"ALGO_C1 x", .146, 5.7e-4, 2, 1.5e-2, {.592300778776, -.703787147966}, {3, 2, 2}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void errors_and_drifts(void **state)
{
    (void)state;
    nt_paper_report report = rerun("krysl", "figure-1");
    for (int i = 0; i < ROWS; i++) {
        const int *digits = rows[i].digits;
        CLOSE(at(&report, "methods", i, "error, h = 0.1 s"), rows[i].coarse,
              half_unit(rows[i].coarse, digits[0]));
        CLOSE(at(&report, "methods", i, "h = 0.00625 s"), rows[i].fine,
              half_unit(rows[i].fine, digits[1]));
        CLOSE(at(&report, "methods", i, "order"), rows[i].order, 0.03);
        /* drifts of the size of rounding, summed over 1000 steps */
        double energy = at(&report, "methods", i, "max |dE/E|");
        CLOSE(energy, rows[i].energy, digits[2] ? half_unit(rows[i].energy, digits[2]) : 1e-11);
        assert_true(at(&report, "methods", i, "max |dLz|") < 1e-11);
    }
    nt_paper_report_free(&report);
}

/* The curves of the figure at t = 2 s: twelve digits, and 1e-9 for the exact one's digits. */
static void curves(void **state)
{
    (void)state;
    nt_paper_report report = rerun("krysl", "figure-1");
    const nt_sheet *sheet = nt_paper_report_find(&report, "figure-1");
    assert_non_null(sheet);
    int row = row_of(&report, "figure-1", 2);
    for (int i = 0; i < ROWS; i++) {
        int column = nt_sheet_find(sheet, rows[i].x);
        assert_true(column > 0);
        const double *axis = &sheet->value[row * sheet->columns + column];
        CLOSE(axis[0], rows[i].axis[0], 1e-9);
        CLOSE(axis[1], rows[i].axis[1], 1e-9);
    }
    row = row_of(&report, "figure-1-exact", 1);
    CLOSE(at(&report, "figure-1-exact", row, "x"), .0462053286319, 1e-9);
    CLOSE(at(&report, "figure-1-exact", row, "y"), -.1751265184575, 1e-9);
    row = row_of(&report, "figure-1-exact", 2);
    CLOSE(at(&report, "figure-1-exact", row, "x"), .6684383812108, 1e-9);
    CLOSE(at(&report, "figure-1-exact", row, "y"), -.6473115901852, 1e-9);
    nt_paper_report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_and_drifts),
        cmocka_unit_test(curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
