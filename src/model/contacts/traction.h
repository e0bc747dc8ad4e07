/* Traction: the share kappa of the normal force that a contact transmits at a sliding speed s.
 *
 * Coulomb: kappa = mu. What should stick creeps: s is sqrt(w^2 + slip^2), w the sliding.
 *
 * Four parameters: kappa = (A + B s) exp(-C s) + D, the form that Kragelskii gave and that Gupta
 * (Advanced Dynamics of Rolling Elements, 1984) fits to measured curves. A = -D: no traction
 * without sliding.
 *
 * Film: an isothermal elastohydrodynamic film of the central thickness of Hamrock & Dowson
 * (Isothermal elastohydrodynamic lubrication of point contacts III, Journal of Lubrication
 * Technology 99, 1977),
 *
 *   h_c = R_x 2.69 U^.67 G^.53 W^-.067 (1 - .61 exp(-.73 k)),   k = 1.0339 (R_y/R_x)^.636
 *   U = eta_0 u_m/(E' R_x),  G = alpha E',  W = Q/(E' R_x^2),   E' = 2 E*
 *
 * sheared as Eyring's fluid (Johnson & Tevaarwerk, Shear behaviour of elastohydrodynamic oil films,
 * Proceedings of the Royal Society A 356, 1977) at the mean pressure p_m = Q/(pi a b),
 *
 *   kappa_e = (tau_0/p_m) asinh(s/s_0),   s_0 = tau_0 h_c/(eta_0 exp(alpha p_m))
 *
 * up to the limiting stress Lambda p_m of Bair & Winer (A rheological model for elastohydrodynamic
 * contacts based on primary laboratory data, Journal of Lubrication Technology 101, 1979):
 * kappa = kappa_e/sqrt(1 + (kappa_e/Lambda)^2). Barus' exponent alpha p_m is meant for less than
 * about 0.6 GPa: it stops at NT_BARUS_LIMIT. */
#ifndef NUTATE_MODEL_TRACTION_H
#define NUTATE_MODEL_TRACTION_H

#include "model/contacts/lane_math.h"

#include <math.h>
#include <stdbool.h>

typedef enum nt_traction_law {
    NT_TRACTION_COULOMB,
    NT_TRACTION_FOUR_PARAMETER,
    NT_TRACTION_FILM,
} nt_traction_law;

static const double NT_BARUS_LIMIT = 13;

/* Below these a film's speed (m/s) and the root of a contact's indentation (m^.5) count as this
 * much: thicknesses would be powers of zero. */
static const double NT_LEAST_ROLLING = 1e-6, NT_LEAST_ROOT = 1e-7;

/* A lubricant; SI. */
typedef struct nt_lubricant {
    double viscosity;   /* eta_0, Pa s, at ambient pressure   */
    double coefficient; /* alpha, 1/Pa: viscosity grows by exp(alpha p) */
    double stress;      /* tau_0, Pa, of Eyring                */
    double limit;       /* Lambda, of the limiting stress      */
} nt_lubricant;

/* A law with the numbers of one contact. */
typedef struct nt_traction {
    double friction; /* mu                                                    */
    double slip;     /* m/s                                                   */
    double A, B, C, D;
    nt_lubricant oil;
    double log_central, log_least; /* ln of h_c and h_min at u_m = 1 m/s, Q = 1 N    */
    double log_load;               /* ln K_H: Q = K_H delta^1.5                      */
    double pressure;               /* Pa/m^.5: p_m = pressure sqrt(delta)            */
    double barus;                  /* m^-.5: alpha p_m = barus sqrt(delta)           */
    double share;                  /* m^.5: tau_0/p_m = share/sqrt(delta)            */
    double log_rate;      /* ln(1/s_0) at u_m = 1 m/s, delta = 1 m, without alpha p_m     */
    double inverse_limit; /* 1/Lambda                                                */
} nt_traction;

/* kappa, kappa/s, and derivatives of kappa in s, in ln u_m and in delta; 1/s. */
typedef struct nt_traction_value {
    double kappa, phi, by_s, by_rolling, by_indentation, inverse;
} nt_traction_value;

/* What a film's traction takes from the contact, whatever slides: sqrt(delta), m^.5, and its
 * inverse; tau_0/p_m; 1/s_0, s/m. */
typedef struct nt_film {
    double root_delta, inverse_root, share, rate;
} nt_film;

/* rolling2: u_m^2, not below NT_LEAST_ROLLING^2. h_c goes with u_m^.67 Q^-.067, and Q with
 * delta^1.5: with (u_m^10/delta^1.5)^.067, so that one logarithm is enough. */
NT_INLINE nt_film nt_film_at(const nt_traction *t, double rolling2, double root_delta)
{
    double root = root_delta > NT_LEAST_ROOT ? root_delta : NT_LEAST_ROOT, inverse = 1 / root;
    double barus = t->barus * root, square = rolling2 * rolling2;
    barus = barus > NT_BARUS_LIMIT ? NT_BARUS_LIMIT : barus;
    double ratio = (square * square) * (rolling2 * (inverse * inverse * inverse));
    double log_rate = (t->log_rate + barus) - 0.067 * lane_log(ratio);
    return (nt_film){.root_delta = root,
                     .inverse_root = inverse,
                     .share = t->share * inverse,
                     .rate = lane_exp_within(log_rate)};
}

/* A film's traction on the way, by asinh(x) = ln(1 + 2 x^2 + 2 sqrt(x^2 (x^2 + 1)))/2, x = s/s_0.
 * kappa_e and 1 + (kappa_e/Lambda)^2 with sqrt(delta) and with delta multiplied: it is in each. */
typedef struct nt_shear {
    double s2, root2, argument; /* s^2; x^2 + 1; of the logarithm                              */
    double free, y, q;          /* kappa_e sqrt(delta); delta + (that/Lambda)^2; sqrt(y) s     */
} nt_shear;

NT_INLINE nt_shear nt_shear_begin(const nt_film *film, double s2)
{
    double x2 = s2 * (film->rate * film->rate), root2 = x2 + 1;
    return (nt_shear){.s2 = s2, .root2 = root2, .argument = (root2 + x2) + sqrt(4 * x2 * root2)};
}

NT_INLINE void nt_shear_limit(nt_shear *shear, const nt_traction *t, const nt_film *film,
                              double logarithm)
{
    double half = 0.5 * t->share, bound = half * t->inverse_limit;
    double delta = film->root_delta * film->root_delta, square = logarithm * logarithm;
    shear->free = half * logarithm;
    shear->y = delta + bound * bound * square;
    /* y s^2: what is known before the logarithm is multiplied while that is on its way */
    shear->q = sqrt(delta * shear->s2 + (bound * bound * shear->s2) * square);
}

/* inverse_q = other_q d: 1/q. */
NT_INLINE nt_traction_value nt_shear_value(const nt_shear *shear, const nt_traction *t,
                                           const nt_film *film, double other_q, double d)
{
    double inverse_q = other_q * d;
    double s = sqrt(shear->s2), phi = shear->free * other_q * d;
    double free = shear->free * film->inverse_root, part = s * inverse_q; /* 1/sqrt(y) */
    double share = part * film->root_delta, bent = share * share * share,
           slope = film->share * film->rate / sqrt(shear->root2);
    double barus = t->barus * film->root_delta, inverse = film->inverse_root;
    double barus_slope = barus < NT_BARUS_LIMIT ? barus : 0;
    return (nt_traction_value){
        .kappa = phi * s,
        .phi = phi,
        .by_s = bent * slope,
        .by_rolling = bent * -0.67 * slope * s,
        .by_indentation = bent * inverse * inverse *
                          (-0.5 * free + slope * s * (0.067 * 1.5 + 0.5 * barus_slope)),
        .inverse = inverse_q * (shear->y * part),
    };
}

/* Four parameters and Coulomb; 1/s is the caller's. */
NT_INLINE nt_traction_value nt_traction_plain(const nt_traction *t, nt_traction_law law, double s)
{
    if (law == NT_TRACTION_COULOMB)
        return (nt_traction_value){.kappa = t->friction};
    double fall = lane_exp(-t->C * s), kappa = (t->A + t->B * s) * fall + t->D;
    return (nt_traction_value){.kappa = kappa, .by_s = (t->B - t->C * (t->A + t->B * s)) * fall};
}

/* s2: s^2, positive; film: of films alone. */
NT_INLINE nt_traction_value nt_traction_at(const nt_traction *t, nt_traction_law law,
                                           const nt_film *film, double s2)
{
    if (law == NT_TRACTION_FILM) {
        nt_shear shear = nt_shear_begin(film, s2);
        nt_shear_limit(&shear, t, film, lane_log(shear.argument));
        return nt_shear_value(&shear, t, film, 1, 1 / shear.q);
    }
    double s = sqrt(s2);
    nt_traction_value out = nt_traction_plain(t, law, s);
    out.phi = out.kappa / s;
    out.inverse = 1 / s;
    return out;
}

/* The same at two speeds; of films with one division for both where each would have one. */
NT_INLINE void nt_traction_both(const nt_traction *t, nt_traction_law law, const nt_film *film,
                                double s2, double other2, nt_traction_value *out,
                                nt_traction_value *other)
{
    if (law == NT_TRACTION_FILM) {
        nt_shear a = nt_shear_begin(film, s2), b = nt_shear_begin(film, other2);
        double log_a, log_b;
        lane_log_both(a.argument, b.argument, &log_a, &log_b);
        nt_shear_limit(&a, t, film, log_a);
        nt_shear_limit(&b, t, film, log_b);
        double d = 1 / (a.q * b.q);
        *out = nt_shear_value(&a, t, film, b.q, d);
        *other = nt_shear_value(&b, t, film, a.q, d);
        return;
    }
    *out = nt_traction_at(t, law, film, s2);
    *other = nt_traction_at(t, law, film, other2);
}

/* The numbers of a film between surfaces of the radii R_x (along rolling), R_y, of compliance 1/E*,
 * with the Hertz constants K_H, semi-axis a/sqrt(delta) and ratio b/a. */
void nt_traction_film(nt_traction *traction, double Rx, double Ry, double compliance, double load,
                      double semi_axis, double ratio);

/* The largest kappa that a law comes to, of films the limit. */
double nt_traction_most(const nt_traction *traction, nt_traction_law law);

/* kappa/s where nothing slides, s/m. Of films, which depend on more: the rolling speed, m/s, and
 * the indentation, m. */
double nt_traction_at_rest(const nt_traction *traction, nt_traction_law law, double rolling,
                           double delta);

/* The part of a step, over h, in which friction N kappa/s, `now` over a mobility w, stops what
 * slides: between these a step takes it from one side to the other, again and again, as it is seen
 * in its middle (NT_SPLITTING_TURNS). */
static const double NT_TURNS_FROM = 0.25, NT_TURNS_TO = 1.1;

/* The rate of friction that a step of h may turn round, 1/s: that of no sliding, N at_rest w, where
 * it does turn. bounds: where it may, for what slides no more than three times what that stops. */
NT_INLINE double nt_traction_turns(double at_rest, double N, double now, double w, double h,
                                   bool bounds)
{
    double part = h * w * now, rate = N * at_rest * w;
    if (bounds)
        return rate < 3 * w * now ? rate : 3 * w * now;
    return part > NT_TURNS_FROM && part < NT_TURNS_TO ? rate : 0;
}

/* Least thickness of the film, m. */
double nt_film_least(const nt_traction *traction, double rolling, double delta);

#endif
