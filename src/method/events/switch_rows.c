/* Constraint rows that are switched on and off between steps. */
#include "base/error.h"
#include "method/integrator.h"

#include <math.h>
#include <string.h>

int nt_integrator_row_is_on(const nt_integrator *it, int row)
{
    return it && row >= 0 && row < it->problem->nc && !nt_problem_is_off(it->problem, row);
}

/* One row, off[] staying in order. */
static void switch_row(nt_problem *p, int row, bool on)
{
    int k = 0;
    while (k < p->n_off && p->off[k] < row)
        k++;
    bool was_on = k == p->n_off || p->off[k] != row;
    size_t behind = (size_t)(p->n_off - k) * sizeof *p->off;
    if (on && !was_on) {
        memmove(p->off + k, p->off + k + 1, behind - sizeof *p->off);
        p->n_off--;
    } else if (!on && was_on) {
        memmove(p->off + k + 1, p->off + k, behind);
        p->off[k] = row;
        p->n_off++;
    }
}

/* What a row that is switched on may miss, relative to the largest coordinate or velocity (1 m,
 * 1 rad/s at least): as much as one at the start. */
static const double CONSISTENT = 1e-8;

static nt_status switch_rows_check(const nt_integrator *it, const int *rows, int n, nt_error *error)
{
    const nt_problem *p = it->problem;
    nt_point at = nt_phase_point(&it->stepper.now);
    for (nt_level level = NT_POSITION; level <= NT_VELOCITY; level++) {
        double *value = it->factors->work, scale = 1;
        nt_terms terms = {.level = level, .rows = value};
        nt_status status = nt_problem_evaluate(p, &at, &terms);
        if (status != NT_OK)
            return nt_fail(error, status, "constraints cannot be evaluated at t = %g s: %s", at.t,
                           nt_status_text(status));
        for (int i = 0; i < (level == NT_POSITION ? p->nq : p->nv); i++)
            scale = fmax(scale, fabs(level == NT_POSITION ? at.q[i] : at.v[i]));
        for (int i = 0; i < n; i++) {
            bool none = level == NT_POSITION && rows[i] >= p->nh; /* kappa is a velocity */
            if (none || fabs(value[rows[i]]) <= CONSISTENT * scale)
                continue;
            char name[160];
            nt_problem_equation_name(p, p->nv + rows[i], name, sizeof name);
            return nt_fail(error, NT_INCONSISTENT,
                           "at t = %g s %s cannot be switched on: its %s is off by %.6g", at.t,
                           name, level == NT_POSITION ? "position" : "velocity", value[rows[i]]);
        }
    }
    return NT_OK;
}

nt_status nt_integrator_switch_rows(nt_integrator *it, const int *rows, int n, int on,
                                    nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator", it);
    NT_NEED_COUNT(error, "n", n);
    if (n > 0)
        NT_NEED(error, "rows", rows);
    nt_problem *p = it->problem;
    for (int i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= p->nc)
            return nt_fail(error, NT_INVALID, "there is no constraint row %d, expected 0 to %d",
                           rows[i], p->nc - 1);
    if (it->attend)
        return nt_fail(error, NT_UNSUPPORTED,
                       "rows cannot be switched while sensitivities are carried along: they do "
                       "not follow the jump of accelerations");
    if (nt_problem_prepare_off(p) != NT_OK)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for rows that are off");
    int before = p->n_off;
    memcpy(it->kept, p->off, (size_t)before * sizeof *p->off);
    for (int i = 0; i < n; i++)
        switch_row(p, rows[i], on);
    nt_status status = it->started && on ? switch_rows_check(it, rows, n, error) : NT_OK;
    if (status == NT_OK && it->started)
        status = nt_integrator_refresh(it, error);
    if (status == NT_OK)
        return NT_OK;
    p->n_off = before;
    memcpy(p->off, it->kept, (size_t)before * sizeof *p->off);
    return nt_said(error, status);
}
