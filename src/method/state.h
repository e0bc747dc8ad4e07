/* Copies of states. */
#ifndef NUTATE_METHOD_STATE_H
#define NUTATE_METHOD_STATE_H

#include <nutate/method.h>

/* Copies from[n] to *to, which then points behind them. Returns where they stand; NULL stays NULL.
 */
const double *nt_copy_numbers(double **to, const double *from, int n);

#endif
