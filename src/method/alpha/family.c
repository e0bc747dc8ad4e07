/* Coefficients of the generalized-alpha family; see family.h. */
#include "method/alpha/family.h"

#include "base/error.h"

#include <math.h>

static nt_family family(const nt_options *options)
{
    double newmark = nt_options_get(options, NT_OPTION_NEWMARK);
    double beta = nt_options_get(options, NT_OPTION_BETA);
    double hht = nt_options_get(options, NT_OPTION_HHT);
    double rho = nt_options_get(options, NT_OPTION_RHO_INF);
    nt_family c = {0};
    if (!isnan(newmark)) {
        c.gamma = newmark;
        c.beta = !isnan(beta) ? beta : (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
    } else if (!isnan(hht)) {
        c.alpha_f = -hht;
        c.beta = (1 - hht) * (1 - hht) / 4;
        c.gamma = 0.5 - hht;
    } else {
        rho = !isnan(rho) ? rho : 0.8;
        c.alpha_m = (2 * rho - 1) / (rho + 1);
        c.alpha_f = rho / (rho + 1);
        c.gamma = 0.5 + c.alpha_f - c.alpha_m;
        c.beta = (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
    }
    return c;
}

void nt_family_set_step(nt_family *c, double h)
{
    c->h = h;
    if (c->beta > 0) {
        c->position = 1;
        c->scale = c->beta * h * h;
        c->beta_prime = (1 - c->alpha_m) / (c->scale * (1 - c->alpha_f));
        c->gamma_prime = c->gamma / (h * c->beta);
    } else {
        c->scale = 1;
        c->beta_prime = 1 / c->share;
        c->gamma_prime = c->gamma * h;
    }
}

nt_family nt_family_of_step(const nt_options *options, double h)
{
    nt_family c = family(options);
    c.share = (1 - c.alpha_f) / (1 - c.alpha_m);
    nt_family_set_step(&c, h);
    return c;
}

nt_status nt_family_check(const nt_problem *problem, const nt_options *option, nt_error *error)
{
    bool newmark = !isnan(nt_options_get(option, NT_OPTION_NEWMARK)),
         beta = !isnan(nt_options_get(option, NT_OPTION_BETA));
    int families = !isnan(nt_options_get(option, NT_OPTION_RHO_INF)) + newmark +
                   !isnan(nt_options_get(option, NT_OPTION_HHT));
    if (families > 1)
        return nt_fail(error, NT_INVALID,
                       "options rho_inf, newmark and hht exclude each other, %d of them are given",
                       families);
    if (beta && !newmark)
        return nt_fail(error, NT_INVALID,
                       "option beta belongs to newmark, which is not given; rho_inf and hht have "
                       "their own beta");
    if (beta && nt_options_get(option, NT_OPTION_BETA) == 0 && problem->nh > 0)
        return nt_fail(error, NT_UNSUPPORTED,
                       "with beta = 0 (Stormer) positions are explicit and cannot keep holonomic "
                       "constraints, the system has %d; expected beta > 0",
                       problem->nh);
    return NT_OK;
}
