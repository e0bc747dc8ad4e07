/* Jay & Negrut 2009, figures 1 and 2. Numbers by an independent program, four digits. */
#include "rerun.h"

static const char *const variables[5] = {"y", "z", "a", "lambda", "psi"};
static const double steps[3] = {1. / 10, 1. / 40, 1. / 160};

static void compare(const char *figure, const double expected[3][5], int from)
{
    nt_paper_report report = rerun("jay-negrut", figure);
    for (int i = 0; i < 3; i++)
        for (int j = from; j < 5; j++)
            CLOSE(at(&report, figure, row_of(&report, figure, steps[i]), variables[j]),
                  expected[i][j], half_unit(expected[i][j], 4));
    nt_paper_report_free(&report);
}

static void corrected(void **state)
{
    (void)state;
    static const double expected[3][5] = {{4.645e-3, 4.712e-3, 1.140e-2, 6.413e-4, 9.949e-3},
                                          {2.797e-4, 2.838e-4, 7.186e-4, 5.271e-5, 6.062e-4},
                                          {1.734e-5, 1.759e-5, 4.507e-5, 3.504e-6, 3.766e-5}};
    compare("figure-1", expected, 0);
    nt_paper_report report = rerun("jay-negrut", "figure-1");
    for (int i = 4; i < rows_of(&report, "figure-1") - 1; i++)
        for (int j = 0; j < 5; j++)
            CLOSE(order(&report, "figure-1", i, variables[j]), 2, 0.04);
    nt_paper_report_free(&report);
}

/* One order less in a, lambda, psi; psi falls to it only with small steps. */
static void uncorrected(void **state)
{
    (void)state;
    static const double expected[3][5] = {{0, 0, 1.707e-2, 8.327e-3, 1.000e-2},
                                          {0, 0, 2.585e-3, 2.240e-3, 7.901e-4},
                                          {0, 0, 5.423e-4, 5.695e-4, 9.345e-5}};
    compare("figure-2", expected, 2);
    nt_paper_report report = rerun("jay-negrut", "figure-2");
    int last = rows_of(&report, "figure-2") - 2;
    for (int j = 0; j < 2; j++)
        CLOSE(order(&report, "figure-2", last, variables[j]), 2, 0.02);
    for (int j = 2; j < 4; j++)
        CLOSE(order(&report, "figure-2", last, variables[j]), 1, 0.02);
    CLOSE(order(&report, "figure-2", last, "psi"), 1, 0.15);
    nt_paper_report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrected),
        cmocka_unit_test(uncorrected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
