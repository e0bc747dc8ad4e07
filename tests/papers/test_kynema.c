/* Kynema's heavy top: its documented numbers, and second order in everything. */
#include "rerun.h"

/* Documented after Newton's iteration to 1e-10, which leaves less than that in the result. */
static void documented(void **state)
{
    (void)state;
    nt_paper_report report = rerun("kynema", "convergence");
    assert_int_equal(rows_of(&report, "documented"), 7);
    for (int i = 0; i < 7; i++)
        CLOSE(at(&report, "documented", i, "difference"), 0, 1e-10);
    nt_paper_report_free(&report);
}

static void second_order(void **state)
{
    (void)state;
    static const char *const columns[] = {"position", "orientation", "velocity", "angular velocity",
                                          "reaction"};
    nt_paper_report report = rerun("kynema", "convergence");
    for (int i = 1; i < rows_of(&report, "convergence") - 1; i++)
        for (int j = 0; j < 5; j++)
            CLOSE(order(&report, "convergence", i, columns[j]), 2, 0.02);
    nt_paper_report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented),
        cmocka_unit_test(second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
