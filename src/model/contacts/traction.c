/* The thickness of films (traction.h has the formulas), with the least of Hamrock & Dowson,
 *
 *   h_min = R_x 3.63 U^.68 G^.49 W^-.073 (1 - exp(-.68 k)) */
#include "model/contacts/traction.h"
#include "base/number.h"

void nt_traction_film(nt_traction *t, double Rx, double Ry, double compliance, double load,
                      double semi_axis, double ratio)
{
    double modulus = 2 / compliance, k = 1.0339 * pow(Ry / Rx, 0.636);
    double U = log(t->oil.viscosity / (modulus * Rx)), G = log(t->oil.coefficient * modulus);
    double W = -log(modulus * Rx * Rx);
    t->log_central = log(Rx * 2.69 * (1 - 0.61 * exp(-0.73 * k))) + 0.67 * U + 0.53 * G - 0.067 * W;
    t->log_least = log(Rx * 3.63 * (1 - exp(-0.68 * k))) + 0.68 * U + 0.49 * G - 0.073 * W;
    t->log_load = log(load);
    t->inverse_limit = 1 / t->oil.limit;
    t->pressure = load / (NT_PI * semi_axis * semi_axis * ratio);
    t->barus = t->oil.coefficient * t->pressure;
    t->share = t->oil.stress / t->pressure;
    t->log_rate = log(t->oil.viscosity / t->oil.stress) - t->log_central + 0.067 * t->log_load;
}

/* Four parameters: at the peak 1/C - A/B, or far away, D. */
double nt_traction_most(const nt_traction *t, nt_traction_law law)
{
    if (law == NT_TRACTION_COULOMB)
        return t->friction;
    if (law == NT_TRACTION_FILM)
        return t->oil.limit;
    double peak = t->B != 0 && t->C > 0 ? fmax(1 / t->C - t->A / t->B, 0) : 0;
    return fmax(fabs((t->A + t->B * peak) * exp(-t->C * peak) + t->D), fabs(t->D));
}

double nt_traction_at_rest(const nt_traction *t, nt_traction_law law, double rolling, double delta)
{
    if (law == NT_TRACTION_FILM) {
        nt_film film = nt_film_at(t, rolling * rolling, sqrt(delta));
        return nt_traction_at(t, law, &film, t->slip * t->slip).phi;
    }
    return fabs(nt_traction_plain(t, law, t->slip).kappa) / t->slip;
}

double nt_film_least(const nt_traction *t, double rolling, double delta)
{
    double log_q = t->log_load + 1.5 * log(fmax(delta, NT_LEAST_ROOT * NT_LEAST_ROOT));
    return exp(t->log_least + 0.68 * log(fmax(rolling, NT_LEAST_ROLLING)) - 0.073 * log_q);
}
