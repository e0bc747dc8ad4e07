#include "method/rkmk.h"
nt_status nt_rkmk_linearise(const nt_rkmk_table *table, nt_stepper *s, double h,
                            const nt_directions *directions, const double *before, double *after)
{
    (void)table, (void)s, (void)h, (void)directions, (void)before, (void)after;
    return NT_UNSUPPORTED;
}
