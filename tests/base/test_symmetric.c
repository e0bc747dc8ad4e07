/* Eigenvalues and eigenvectors of symmetric matrices of three rows, from sizes that are all alike
 * to ones that differ by sixteen orders of magnitude. */
#include "base/symmetric.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void check(const double matrix[3][3])
{
    double a[3][3], v[3][3], size = 0;
    memcpy(a, matrix, sizeof a);
    nt_symmetric_eigen(a, v);
    for (int i = 0; i < 9; i++)
        size = fmax(size, fabs(matrix[i / 3][i % 3]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double product = 0, turned = 0;
            for (int k = 0; k < 3; k++) {
                product += v[i][k] * v[j][k];
                turned += matrix[j][k] * v[i][k];
            }
            assert_true(fabs(product - (i == j)) < 1e-14);
            assert_true(fabs(turned - a[i][i] * v[i][j]) <= 1e-14 * size);
        }
}

static void vectors_are_turned_into_multiples(void **state)
{
    static const double matrices[][3][3] = {
        {{0}},
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}},
        {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {{3, 1e-16, 0}, {1e-16, 3, 1e-16}, {0, 1e-16, 3}},
        {{1e16, 1, 1e-8}, {1, 1, 2e-9}, {1e-8, 2e-9, 1e-16}},
        {{-4, 7, 2}, {7, 0.5, -3}, {2, -3, 11}},
        {{1e-300, 2e-300, 0}, {2e-300, -1e-300, 1e-300}, {0, 1e-300, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        check(matrices[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_are_turned_into_multiples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
