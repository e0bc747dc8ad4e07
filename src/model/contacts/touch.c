/* The tangent of a contact (touch.h has the equations).
 *
 * With J = (-I, r_A~, I, -r_B~) the variation of u along velocities, dY = (-I, (c - x_A)~, I, -b~)
 * that of y along places, b = c - x_B, W = w_B - w_A and columns as in nt_touch_tangent:
 *
 *   g       = -(n + grad lift)^T dY                                   ddelta = g dX
 *   dn      = sigma H dY, and -n~ in the column of theta_A
 *   dp      = (0, 0, I, -b~) + n g/2 - h dn
 *   du      = W~ dp + (w_A~, 0, -w_B~, 0)
 *   ddelta' = -(u^T dn + n^T du)
 *   dN      = N_delta g + N_rate ddelta'
 *   dw      = du + n ddelta' + delta' dn
 *   dF      = (n - phi_t w) dN + N dn - N phi_t dw - N w dphi_t
 *
 * dphi_t follows s, and in films also delta and the rolling speed u_m. The spin's moment
 * -N P n, P = phi_n ell^2 w_n, and that of rolling have
 *
 *   dM = -P n dN - N n dP - N P dn,         dell = ell g/(2 delta),  dw_n = W^T dn
 *   dM = -(f/S) (w_t dN + N (I - w_t w_t^T/S^2) dw_t),
 *   dw_t = -n dw_n - w_n dn,  S^2 = |w_t|^2 + w_r^2 */
#include "model/contacts/touch.h"

enum { T_A, R_A, T_B, R_B, NODES };

nt_touch nt_touch_of(nt_touch_kind kind, const nt_surface *surface, const nt_touch_law *law,
                     const nt_touch_pose *at)
{
    kind.is_hertz = kind.is_hertz && law->exponent == 1.5;
    kind.rolls = kind.rolls || law->rolling != 0;
    return nt_touch_find(kind, surface, law, at);
}

/* ---- the rolling speed of a film ------------------------------------------------------------ */

/* The pose with one of 12 variations of places of the four nodes. */
static nt_touch_pose moved(const nt_touch_pose *at, int column, double step)
{
    nt_touch_pose to = *at;
    int node = column / 3, axis = column % 3;
    v3 d = v3_scale(step, v3_of(axis == 0, axis == 1, axis == 2)), dy = v3_of(0, 0, 0);
    if (node == T_A)
        dy = v3_neg(d);
    else if (node == T_B)
        dy = d;
    else if (node == R_B)
        dy = v3_cross(d, at->arm_b);
    to.y = v3_add(at->y, dy);
    to.arm_a = v3_add(at->arm_a, dy);
    if (node == R_A) {
        to.y = v3_sub(at->y, v3_cross(d, v3_sub(at->arm_a, at->y)));
        to.axis = v3_add(at->axis, v3_cross(d, at->axis));
    } else if (node == R_B) {
        to.arm_b = v3_add(at->arm_b, dy);
    }
    return to;
}

static double rolling_at(nt_touch_kind kind, const nt_surface *s, const nt_touch_law *law,
                         const nt_touch_pose *at, int column, double step)
{
    nt_touch_pose to = moved(at, column, step);
    return nt_touch_find(kind, s, law, &to).rolling;
}

/* d ln(u_m) along places, by central differences: it enters the traction by a small power alone. */
static void vary_rolling(nt_touch_kind kind, const nt_surface *s, const nt_touch_law *law,
                         const nt_touch_pose *at, const nt_touch *t, v3 q[NODES])
{
    for (int column = 0; column < 3 * NODES; column++) {
        double step = column / 3 % 2 == 1 ? 1e-5 : 1e-5 * s->radius;
        double d = rolling_at(kind, s, law, at, column, step) -
                   rolling_at(kind, s, law, at, column, -step);
        v3 *to = &q[column / 3];
        double slope = d / (2 * step * t->rolling);
        *(column % 3 == 0 ? &to->x : column % 3 == 1 ? &to->y : &to->z) = slope;
    }
}

/* The same along velocities, of which u changes by J and w_B - w_A by turns. */
static void vary_rolling_by_rates(nt_touch_kind kind, const nt_surface *s, const nt_touch_pose *at,
                                  const nt_touch *t, const m3 J[NODES], const m3 turns[NODES],
                                  v3 v[NODES])
{
    for (int column = 0; column < 3 * NODES; column++) {
        v3 unit = v3_of(column % 3 == 0, column % 3 == 1, column % 3 == 2);
        int node = column / 3;
        v3 du = m3_apply(J[node], unit), dW = m3_apply(turns[node], unit);
        v[node] =
            v3_axpy(nt_touch_rolling_change(t, kind.skeleton, s, at->axis, du, dW), unit, v[node]);
    }
}

/* ---- one column ----------------------------------------------------------------------------- */

/* What changes with everything that follows it, along three variations. */
typedef struct change {
    v3 delta, rolling; /* rows: of delta, of ln(u_m) */
    m3 n, u, turning;  /* of n, u, w_B - w_A         */
} change;

/* phi = kappa(s)/s, where s^2 = |x|^2 + slip^2 changes by ds. */
static v3 vary_phi(const nt_traction_value *k, double s, v3 ds, const change *d)
{
    v3 rest = v3_axpy(k->by_rolling, d->rolling, v3_scale(k->by_indentation, d->delta));
    return v3_axpy((k->by_s - k->kappa / s) / s, ds, v3_scale(1 / s, rest));
}

static m3 vary_spin(const nt_touch *t, const change *d, v3 dw_n, v3 dN)
{
    double speed = t->arm * t->w_n, P = t->phi_n * t->arm * speed;
    v3 darm = v3_scale(0.5 * t->arm / t->delta, d->delta);
    v3 dspeed = v3_axpy(t->w_n, darm, v3_scale(t->arm, dw_n));
    v3 dphi = vary_phi(&t->spin_traction, t->spin, v3_scale(speed / t->spin, dspeed), d);
    v3 dP = v3_axpy(t->arm * speed, dphi, v3_scale(t->phi_n * speed, darm));
    dP = v3_axpy(t->phi_n * t->arm, dspeed, dP);
    v3 NP = v3_axpy(P, dN, v3_scale(t->N, dP));
    return m3_scale(-1, m3_add(m3_dyad(t->n, NP), m3_scale(t->N * P, d->n)));
}

static m3 vary_rolling_moment(const nt_touch_law *law, const nt_touch *t, v3 W, const change *d,
                              v3 dw_n, v3 dN)
{
    v3 w_t = v3_axpy(-t->w_n, t->n, W);
    double S = sqrt(v3_dot(w_t, w_t) + law->rolling_slip * law->rolling_slip);
    m3 dw_t = m3_sub(m3_sub(d->turning, m3_dyad(t->n, dw_n)), m3_scale(t->w_n, d->n));
    m3 across = m3_sub(m3_identity(), m3_scale(1 / (S * S), m3_dyad(w_t, w_t)));
    m3 roll = m3_add(m3_dyad(w_t, dN), m3_scale(t->N, m3_multiply(across, dw_t)));
    return m3_scale(-law->rolling / S, roll);
}

static void vary(nt_touch_kind kind, const nt_touch_law *law, const nt_touch *t, v3 W,
                 const change *d, m3 *F, m3 *M)
{
    v3 drate = v3_neg(v3_add(m3_apply_transposed(d->n, t->u), m3_apply_transposed(d->u, t->n)));
    v3 dN = v3_axpy(t->N_delta, d->delta, v3_scale(t->N_rate, drate));
    m3 dw = m3_add(m3_add(d->u, m3_dyad(t->n, drate)), m3_scale(t->rate, d->n));
    v3 ds = v3_scale(1 / t->s, m3_apply_transposed(dw, t->w));
    v3 dphi = vary_phi(&t->traction, t->s, ds, d);
    v3 along = v3_axpy(-t->phi_t, t->w, t->n); /* F / N */
    *F = m3_add(m3_dyad(along, dN), m3_scale(t->N, d->n));
    *F = m3_sub(*F, m3_add(m3_scale(t->N * t->phi_t, dw), m3_scale(t->N, m3_dyad(t->w, dphi))));
    v3 dw_n = v3_add(m3_apply_transposed(d->n, W), m3_apply_transposed(d->turning, t->n));
    *M = (m3){0};
    if (kind.spins)
        *M = vary_spin(t, d, dw_n, dN);
    if (kind.rolls)
        *M = m3_add(*M, vary_rolling_moment(law, t, W, d, dw_n, dN));
}

/* ---- the whole ------------------------------------------------------------------------------- */

static m3 bend(const nt_touch *t, nt_skeleton skeleton, v3 axis)
{
    v3 x = nt_touch_bend(t, skeleton, axis, v3_of(1, 0, 0));
    v3 y = nt_touch_bend(t, skeleton, axis, v3_of(0, 1, 0));
    v3 z = nt_touch_bend(t, skeleton, axis, v3_of(0, 0, 1));
    return (m3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

void nt_touch_differentiate(nt_touch_kind kind, const nt_surface *surface, const nt_touch_law *law,
                            const nt_touch_pose *at, const nt_touch *t, v3 lift_gradient,
                            unsigned wanted, nt_touch_tangent *out)
{
    bool places = wanted & NT_TOUCH_PLACES;
    m3 I = m3_identity(), zero = {0}, H = places ? bend(t, kind.skeleton, at->axis) : zero;
    m3 sphere[NODES] = {zero, zero, I, m3_skew(v3_neg(at->arm_b))};
    m3 dY[NODES] = {m3_scale(-1, I), m3_skew(at->arm_a), I, sphere[R_B]};
    m3 J[NODES] = {m3_scale(-1, I), m3_skew(t->r_a), I, m3_skew(v3_neg(t->r_b))};
    m3 own[NODES] = {m3_skew(at->w_a), zero, m3_skew(v3_neg(at->w_b)), zero};
    m3 turns[NODES] = {zero, m3_scale(-1, I), zero, I};
    v3 W = v3_sub(at->w_b, at->w_a), down = v3_neg(v3_add(t->n, lift_gradient));
    v3 rolling[2][NODES] = {{{0}}};
    double h = surface->radius - 0.5 * t->delta;
    if (kind.law == NT_TRACTION_FILM && places)
        vary_rolling(kind, surface, law, at, t, rolling[0]);
    if (kind.law == NT_TRACTION_FILM)
        vary_rolling_by_rates(kind, surface, at, t, J, turns, rolling[1]);
    for (int i = 0; i < NODES; i++) {
        if (!(wanted & (i <= R_A ? NT_TOUCH_OF_A : NT_TOUCH_OF_B)))
            continue;
        change rate = {.u = J[i], .turning = turns[i], .rolling = rolling[1][i]};
        vary(kind, law, t, W, &rate, &out->F_v[i], &out->M_v[i]);
        if (!places)
            continue;
        change d = {.delta = m3_apply_transposed(dY[i], down), .rolling = rolling[0][i]};
        d.n = m3_scale(surface->side, m3_multiply(H, dY[i]));
        if (i == R_A)
            d.n = m3_sub(d.n, m3_skew(t->n));
        out->p[i] = m3_add(sphere[i], m3_dyad(v3_scale(0.5, t->n), d.delta));
        out->p[i] = m3_sub(out->p[i], m3_scale(h, d.n));
        d.u = m3_add(m3_skew_multiply(W, out->p[i]), own[i]);
        vary(kind, law, t, W, &d, &out->F_q[i], &out->M_q[i]);
    }
}

/* ---- numbers ----------------------------------------------------------------------------------
 *
 * With y' = c' - o', the skeleton's axis a' and radius C' by a parameter:
 *
 *   plane   l' = a'.y + a.y',   m' = a'
 *   point   l' = m.y',          m' = (y' - l' m)/l
 *   line    f' = y' - z' a - z a',   l' = r' = e.f',   m' = e' = (f' - r' e)/r
 *   circle  l' = m.e (r' - C') + m.a z',   m' = ((r' - C') e + (r - C) e' + z' a + z a' - l' m)/l
 *
 *   delta' = rho' + sigma (R' - l') - lift' - grad lift . y',   n' = sigma m',
 *   p' = c' - (rho' - delta'/2) n - h n',   u' = (w_B - w_A) x p'
 */

/* l' is returned, m' written. */
static double vary_place(nt_skeleton skeleton, const nt_surface *s, const nt_touch_pose *at,
                         const nt_touch *t, const nt_touch_rates *d, v3 *dm)
{
    v3 dy = v3_sub(d->center, d->origin);
    double z = v3_dot(at->axis, at->y), dz = v3_dot(d->axis, at->y) + v3_dot(at->axis, dy);
    if (skeleton == NT_PLANE) {
        *dm = d->axis;
        return dz;
    }
    if (skeleton == NT_POINT) {
        double dl = v3_dot(t->m, dy);
        *dm = v3_scale(t->inverse_l, v3_axpy(-dl, t->m, dy));
        return dl;
    }
    v3 df = v3_sub(v3_axpy(-dz, at->axis, dy), v3_scale(z, d->axis));
    double dr = v3_dot(t->e, df);
    v3 de = v3_scale(t->inverse_r, v3_axpy(-dr, t->e, df));
    if (skeleton == NT_LINE) {
        *dm = de;
        return dr;
    }
    double beyond = dr - d->surface.circle;
    double dl = v3_dot(t->m, t->e) * beyond + v3_dot(t->m, at->axis) * dz;
    v3 way = v3_axpy(beyond, t->e, v3_scale(t->r - s->circle, de));
    way = v3_axpy(z, d->axis, v3_axpy(dz, at->axis, way));
    *dm = v3_scale(t->inverse_l, v3_axpy(-dl, t->m, way));
    return dl;
}

/* d ln(u_m) by central differences, with all but the law moved. */
static double vary_rolling_by_numbers(nt_touch_kind kind, const nt_surface *s,
                                      const nt_touch_law *law, const nt_touch_pose *at,
                                      const nt_touch *t, v3 lift_gradient, const nt_touch_rates *d)
{
    v3 dy = v3_sub(d->center, d->origin);
    double dlift = d->lift + v3_dot(lift_gradient, dy), found[2];
    double rate = v3_norm(dy) + v3_norm(d->axis) * v3_norm(at->y) + fabs(d->surface.circle) +
                  fabs(d->surface.offset) + fabs(d->surface.radius) + fabs(dlift);
    double step = rate > 0 ? 1e-5 * s->radius / rate : 0;
    for (int i = 0; i < 2; i++) {
        double x = i == 0 ? -step : step;
        nt_surface surface = *s;
        nt_touch_pose to = *at;
        surface.offset += x * d->surface.offset;
        surface.circle += x * d->surface.circle;
        surface.radius += x * d->surface.radius;
        to.y = v3_axpy(x, dy, at->y);
        to.axis = v3_axpy(x, d->axis, at->axis);
        to.arm_a = v3_axpy(x, d->center, at->arm_a);
        to.arm_b = v3_axpy(x, d->center, at->arm_b);
        to.lift += x * dlift;
        found[i] = nt_touch_find(kind, &surface, law, &to).rolling;
    }
    return step > 0 ? (found[1] - found[0]) / (2 * step * t->rolling) : 0;
}

/* kappa' at a fixed sliding speed s: by the law's own numbers. Of films kappa = f (1 + f^2
 * i^2)^(-1/2) with i = 1/Lambda and f = (tau_0/p_m) asinh(s/s_0), where ln(1/s_0) changes by that
 * of unit speed and depth and, below its limit, by alpha p_m. */
static double kappa_by_numbers(nt_traction_law law, const nt_traction *t, const nt_traction *d,
                               const nt_touch *touch, double s)
{
    if (law == NT_TRACTION_COULOMB)
        return d->friction;
    if (law == NT_TRACTION_FOUR_PARAMETER) {
        double fall = exp(-t->C * s);
        return (d->A + d->B * s - d->C * s * (t->A + t->B * s)) * fall + d->D;
    }
    nt_film film = nt_film_at(t, touch->rolling * touch->rolling, sqrt(touch->delta));
    double x = s * film.rate, arc = asinh(x), free = film.share * arc, i = t->inverse_limit;
    bool thickens = t->barus * film.root_delta < NT_BARUS_LIMIT;
    double drate = d->log_rate + (thickens ? d->barus * film.root_delta : 0);
    double dfree = d->share * film.inverse_root * arc + film.share * x / hypot(1, x) * drate;
    double limited = 1 + free * free * i * i;
    return (dfree - free * free * free * i * d->inverse_limit) / (limited * sqrt(limited));
}

/* phi_t' by the law's numbers: of phi = kappa/s, where s s' = x x' + slip slip'. */
static double phi_by_numbers(nt_traction_law law, const nt_touch_law *of, const nt_touch_law *d,
                             const nt_touch *t, const nt_traction_value *k, double s, double x_dx)
{
    double ds = (x_dx + of->traction.slip * d->traction.slip) / s;
    double dkappa = kappa_by_numbers(law, &of->traction, &d->traction, t, s);
    return (dkappa + (k->by_s - k->kappa / s) * ds) / s;
}

/* N' by the law's numbers: N = K delta^k phi(1 + d delta'). */
static double force_by_numbers(const nt_touch_law *law, const nt_touch_law *d, const nt_touch *t)
{
    double y = 1 + law->damping * t->rate;
    double slope = y >= NT_TURN ? 1 : y <= -NT_TURN ? 0 : (y + NT_TURN) / (2 * NT_TURN);
    double phi = y >= NT_TURN ? y : y <= -NT_TURN ? 0 : slope * slope * NT_TURN;
    double unit = d->stiffness != 0 ? pow(t->delta, law->exponent) : 0;
    double delastic = d->stiffness * unit + t->elastic * log(t->delta) * d->exponent;
    return delastic * phi + t->elastic * slope * d->damping * t->rate;
}

/* Adds what the law's numbers change. */
static void vary_law(nt_touch_kind kind, const nt_touch_law *law, const nt_touch *t, v3 W,
                     const nt_touch_law *d, v3 *F, v3 *M)
{
    double dN = force_by_numbers(law, d, t);
    double dphi = phi_by_numbers(kind.law, law, d, t, &t->traction, t->s, 0);
    *F = v3_axpy(dN, v3_axpy(-t->phi_t, t->w, t->n), *F);
    *F = v3_axpy(-t->N * dphi, t->w, *F);
    if (kind.spins) {
        double darm = d->spin_arm * sqrt(t->delta), speed = t->arm * t->w_n;
        double dspeed = darm * t->w_n;
        double dphi_n =
            phi_by_numbers(kind.law, law, d, t, &t->spin_traction, t->spin, speed * dspeed);
        double P = t->phi_n * t->arm * speed;
        double dP = dphi_n * t->arm * speed + t->phi_n * (darm * speed + t->arm * dspeed);
        *M = v3_axpy(-(dN * P + t->N * dP), t->n, *M);
    }
    if (law->rolling != 0 || d->rolling != 0) {
        v3 w_t = v3_axpy(-t->w_n, t->n, W);
        double S2 = v3_dot(w_t, w_t) + law->rolling_slip * law->rolling_slip;
        double share = law->rolling_slip * d->rolling_slip / S2;
        double moment = d->rolling * t->N + law->rolling * (dN - t->N * share);
        *M = v3_axpy(-moment / sqrt(S2), w_t, *M);
    }
}

void nt_touch_vary_numbers(nt_touch_kind kind, const nt_surface *surface, const nt_touch_law *law,
                           const nt_touch_pose *at, const nt_touch *t, v3 lift_gradient,
                           const nt_touch_rates *rates, v3 *F, v3 *M, v3 *p)
{
    double side = surface->side, h = surface->radius - 0.5 * t->delta;
    v3 W = v3_sub(at->w_b, at->w_a), dy = v3_sub(rates->center, rates->origin), dm;
    double dl = vary_place(kind.skeleton, surface, at, t, rates, &dm);
    double ddelta = rates->surface.radius + side * (rates->surface.offset - dl) - rates->lift -
                    v3_dot(lift_gradient, dy);
    v3 dn = v3_scale(side, dm);
    *p = v3_axpy(-(rates->surface.radius - 0.5 * ddelta), t->n, v3_axpy(-h, dn, rates->center));
    double rolling = kind.law == NT_TRACTION_FILM
                         ? vary_rolling_by_numbers(kind, surface, law, at, t, lift_gradient, rates)
                         : 0;
    v3 du = v3_cross(W, *p), x = v3_of(1, 0, 0); /* the only column */
    change d = {.delta = v3_scale(ddelta, x),
                .rolling = v3_scale(rolling, x),
                .n = m3_dyad(dn, x),
                .u = m3_dyad(du, x)};
    m3 F_x, M_x;
    vary(kind, law, t, W, &d, &F_x, &M_x);
    *F = m3_apply(F_x, x);
    *M = m3_apply(M_x, x);
    vary_law(kind, law, t, W, &rates->law, F, M);
}
