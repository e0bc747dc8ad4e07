#include "base/symmetric.h"

#include <math.h>

/* Ten turns about each pair: the numbers beside the diagonal vanish with the square of what they
 * were, so that four would do. */
void nt_symmetric_eigen(double a[3][3], double v[3][3])
{
    for (int i = 0; i < 9; i++)
        v[i / 3][i % 3] = i % 4 == 0;
    for (int turn = 0; turn < 3 * 10; turn++) {
        int p = turn % 3 == 2, q = turn % 3 == 0 ? 1 : 2;
        if (a[p][q] == 0)
            continue;
        double angle = atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2, c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; k++) {
            double x = a[k][p], y = a[k][q];
            a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            double x = a[p][k], y = a[q][k];
            a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
            x = v[p][k], y = v[q][k];
            v[p][k] = c * x - s * y, v[q][k] = s * x + c * y;
        }
    }
}
