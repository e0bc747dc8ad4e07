/* How fast a contact damps two bodies against each other, and how stiff it is.
 *
 * Along a direction d the contact is a damper c at p, which acts over the mobility
 *
 *   w = w_A + w_B,    w_X = 1/m + (r x d) . J^-1 (r x d)
 *
 * so that M^-1 C of this contact alone has the eigenvalue c w. Across the sliding c = N phi_t,
 * along it N (phi_t + phi_t' |w|^2/s), along the normal dN/d(delta'). Where each body's own share c
 * w_X is taken implicitly there remains what acts from one on the other, with the eigenvalue c
 * sqrt(w_A w_B).
 *
 * Along the normal it is a spring k = dN/d(delta), which swings with the frequency sqrt(k w). What
 * holds a body lessens w, so w of the free body bounds it. Surfaces that approach with the speed
 * delta' are pressed by delta + delta' t a time t later (and t^2/2 of what it grows with), with the
 * stiffness K n (delta + delta' t)^(n-1) (1 + d delta'). That is about what the impact comes to at
 * its height where t is as short as it must be: of n = 1.5, with kappa = K w, the height is delta_m
 * = (5/4 delta'^2/ kappa)^0.4 and its frequency 1.25 kappa^0.4 delta'^0.2; and t =
 * c/frequency(delta' t) gives t = (c^2/1.5)^0.4/(kappa^0.4 delta'^0.2), 0.98 against 0.96 of these
 * units at c = 1.2.
 *
 * A step that is just stable hardly sees an impact, though: at h times that frequency of 1.08 a
 * ball that should keep 0.75 of its speed kept 0.68, at 0.6 0.76, at 0.4 0.751. So the square of
 * what swings of the depth, ((delta'/w)^2 + (delta''/w^2)^2)/delta^2, all of it at most, makes the
 * square of the frequency larger, by up to 1 + NT_TOUCH_TO_SEE: surfaces that press each other
 * steadily have nothing of it.
 *
 * Friction that turns round has no large tangent before: N kappa(s) w/s of a sliding w hardly
 * changes along w until s is about the creep. A step that w turns round within takes it from where
 * it was looked at, at its full size to the wrong side. So what friction turns with, |w'| kappa/(s
 * kappa_m) with kappa_m the largest traction, is among the frequencies ahead, NT_TURNS_ROUND times:
 * a step changes w by no more than a part of s, of Coulomb's law, and of laws that are soft about
 * zero by a part of what their traction grows over. Likewise spin and rolling. */
#include "model/contacts/contact.h"
#include "model/elements.h"

#include <math.h>

/* A node of a beam carries its inertia in a matrix whose inverse is at most this part larger than
 * that of what the node carries of it: (p + 1)/p at the ends of an element of order p, 3^.5 between
 * linear ones. */
static const double SHARED = 2;

/* w_X as if nothing held it; 0: it is no free body. r: from the body's reference point. Of nodes
 * without a mass of their own what elements lay on them counts, and no turning. */
static double mobility_if_free(const nt_view *view, int body, v3 r, v3 d)
{
    const nt_body *b = &view->run->bodies[body];
    const double *carried = view->run->carried;
    if (body > 0 && !(b->mass > 0) && carried && carried[body] > 0)
        return SHARED / carried[body];
    if (body == 0 || !(b->mass > 0))
        return 0;
    if (b->point)
        return 1 / b->mass;
    v3 lever = m3_apply_transposed(view->motion[body].R, v3_cross(r, d));
    double turn = v3_dot(lever, m3_solve(b->J, lever));
    return (b->t_node < 0 ? 0 : 1 / b->mass) + (isfinite(turn) ? turn : 0);
}

static bool is_alone(const nt_view *view, int body)
{
    const unsigned char *alone = view->model->system.explicit_blocks;
    return body > 0 && alone && alone[body - 1];
}

/* w_X; 0: it is held. */
static double mobility(const nt_view *view, int body, v3 r, v3 d)
{
    return is_alone(view, body) ? mobility_if_free(view, body, r, d) : 0;
}

typedef double mobility_of(const nt_view *view, int body, v3 r, v3 d);

static void look_along(const nt_view *view, int body_a, int body_b, mobility_of *of,
                       const nt_touch *t, v3 d, double c, double *rate, double *beside)
{
    if (!(c > 0))
        return;
    double w_a = of(view, body_a, t->r_a, d), w_b = of(view, body_b, t->r_b, d);
    *rate = fmax(*rate, c * (w_a + w_b));
    *beside = fmax(*beside, c * sqrt(w_a * w_b));
}

/* A direction along the surface, across the sliding. */
static v3 across_sliding(const nt_touch *t)
{
    v3 other = fabs(t->n.x) < 0.8 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
    v3 across = v3_cross(t->n, v3_dot(t->w, t->w) > 0 ? t->w : other);
    return v3_scale(1 / v3_norm(across), across);
}

static double damping_rate(const nt_view *view, int body_a, int body_b, mobility_of *of,
                           const nt_touch *t, double *beside)
{
    double rate = 0, w2 = v3_dot(t->w, t->w);
    double along = t->phi_t + (t->traction.by_s - t->phi_t) * (w2 / (t->s * t->s));
    *beside = 0;
    v3 across = across_sliding(t);
    look_along(view, body_a, body_b, of, t, across, t->N * t->phi_t, &rate, beside);
    look_along(view, body_a, body_b, of, t, v3_cross(across, t->n), t->N * along, &rate, beside);
    look_along(view, body_a, body_b, of, t, t->n, t->N_rate, &rate, beside);
    return rate;
}

double nt_touch_damping_rate(const nt_view *view, int body_a, int body_b, const nt_touch *t,
                             double *beside)
{
    return damping_rate(view, body_a, body_b, mobility, t, beside);
}

/* 0 below `from`, 1 above `to`, smooth between. */
static double rises(double x, double from, double to)
{
    double y = fmin(fmax((x - from) / (to - from), 0), 1);
    return y * y * (3 - 2 * y);
}

double nt_touch_chord(nt_traction_law law, const nt_traction *traction, const nt_touch *t,
                      double mobility, double h)
{
    double stops = h * mobility * t->N * t->phi_t;
    if (!(stops > NT_CHORD_STOPS[0]))
        return 0;
    double at_rest = nt_traction_at_rest(traction, law, t->rolling, t->delta);
    double share = rises(stops, NT_CHORD_STOPS[0], NT_CHORD_STOPS[1]) *
                   rises(h * mobility * t->N * at_rest, NT_CHORD_TURNS[0], NT_CHORD_TURNS[1]);
    return share * t->N * fmax(t->phi_t - t->traction.by_s, 0) / (t->s * t->s);
}

/* How fast the rate of indentation grows, by what bodies were accelerated with last. */
static double rate_grows(const nt_view *view, int body_a, int body_b, const nt_touch *t)
{
    const nt_motion *A = &view->motion[body_a], *B = &view->motion[body_b];
    v3 a_a = v3_add(A->a, v3_cross(A->alpha, t->r_a));
    v3 a_b = v3_add(B->a, v3_cross(B->alpha, t->r_b));
    return -v3_dot(t->n, v3_sub(a_b, a_a));
}

/* dN/d(delta) at a depth. */
static double stiffness_at(const nt_touch_law *law, bool is_hertz, double depth)
{
    double power = is_hertz ? sqrt(depth) : pow(depth, law->exponent - 1);
    return law->exponent * law->stiffness * power;
}

/* The square of the frequency after `time`, made larger for what swings. */
static double square_ahead(const nt_touch_law *law, bool is_hertz, const nt_touch *t, double growth,
                           double mobility, double time)
{
    double way = time * (t->rate + time / 2 * growth);
    double depth = t->delta + (t->delta > 0 ? fabs(way) : way);
    if (!(depth > 0 && mobility > 0))
        return 0;
    double square = stiffness_at(law, is_hertz, depth) * (1 + law->damping * fmax(t->rate, 0));
    square *= mobility;
    double swings = (t->rate * t->rate + growth * growth / square) / (square * depth * depth);
    return square * (1 + NT_TOUCH_TO_SEE * fmin(swings, 1));
}

/* How much more than itself the rate counts with which friction turns. Methods bear 1.2 and 2 over
 * what is counted, of first order from where they look to the end of a step. */
static const double NT_TURNS_ROUND = 2;

/* n' = sigma H (v_c - v_A - w_A x a) + w_A x n,   p' = v_c + delta'/2 n - h n',
 * u' = v_B' + w_B' x r_B + w_B x (p' - v_B) - the same of A,      w' = u' + delta' n' + ... n */
v3 nt_touch_sliding_rate(const nt_surface *surface, nt_skeleton skeleton, const nt_touch_pose *at,
                         const nt_touch *t, const nt_motion *A, const nt_motion *B)
{
    double h = surface->radius - 0.5 * t->delta;
    v3 v_c = v3_add(B->v, v3_cross(B->w, at->arm_b));
    v3 past = v3_sub(v_c, v3_add(A->v, v3_cross(A->w, at->arm_a)));
    v3 turn =
        v3_axpy(surface->side, nt_touch_bend(t, skeleton, at->axis, past), v3_cross(A->w, t->n));
    v3 p = v3_axpy(-h, turn, v3_axpy(0.5 * t->rate, t->n, v_c));
    v3 of_b = v3_add(B->a, v3_add(v3_cross(B->alpha, t->r_b), v3_cross(B->w, v3_sub(p, B->v))));
    v3 of_a = v3_add(A->a, v3_add(v3_cross(A->alpha, t->r_a), v3_cross(A->w, v3_sub(p, A->v))));
    v3 w = v3_axpy(t->rate, turn, v3_sub(of_b, of_a));
    return v3_axpy(-v3_dot(t->n, w), t->n, w);
}

/* The square of the rate with which friction turns, 1/s^2. */
static double turns_square(const nt_view *view, int body_a, int body_b, const nt_contact *c,
                           const nt_touch_pose *at, const nt_touch *t)
{
    const nt_motion *A = &view->motion[body_a], *B = &view->motion[body_b];
    const nt_touch_law *law = &c->law;
    double most = nt_traction_most(&law->traction, c->kind.law), rate = 0;
    v3 turning = v3_sub(at->w_b, at->w_a), faster = v3_sub(B->alpha, A->alpha);
    if (most > 0) {
        v3 w = nt_touch_sliding_rate(&c->surface, c->kind.skeleton, at, t, A, B);
        rate = v3_norm(w) * t->phi_t / most;
        rate = fmax(rate, fabs(t->arm * v3_dot(t->n, faster)) * t->phi_n / most);
    }
    if (c->kind.rolls) {
        v3 across = v3_axpy(-t->w_n, t->n, turning);
        v3 change = v3_axpy(-v3_dot(t->n, faster), t->n, faster);
        double size2 = v3_dot(across, across) + law->rolling_slip * law->rolling_slip;
        rate = fmax(rate, v3_norm(change) / sqrt(size2));
    }
    rate *= NT_TURNS_ROUND;
    return rate * rate;
}

void nt_touch_stiffest(const nt_view *view, int body_a, int body_b, const nt_contact *c,
                       const nt_touch_pose *at, const nt_touch *t, nt_stiffest *out)
{
    const nt_touch_law *law = &c->law;
    double time = view->terms->ahead, growth = rate_grows(view, body_a, body_b, t);
    *out = (nt_stiffest){.which = {-1, -1}, .turns_by = {-1, -1}};
    if (!(t->delta > 0) && !(t->delta + time * (t->rate + time / 2 * growth) > 0))
        return;
    double w_a = mobility_if_free(view, body_a, t->r_a, t->n);
    double w_b = mobility_if_free(view, body_b, t->r_b, t->n);
    double of_free = (is_alone(view, body_a) ? w_a : 0) + (is_alone(view, body_b) ? w_b : 0);
    out->ahead = square_ahead(law, c->kind.is_hertz, t, growth, w_a + w_b, time);
    out->all = t->delta > 0 ? t->N_delta * (w_a + w_b) : 0;
    out->now = t->delta > 0 ? t->N_delta * of_free : 0;
    double beside;
    if (t->N > 0 && of_free > 0) {
        v3 d = across_sliding(t);
        double w = mobility(view, body_a, t->r_a, d) + mobility(view, body_b, t->r_b, d);
        double at_rest = nt_traction_at_rest(&law->traction, c->kind.law, t->rolling, t->delta);
        out->turns =
            nt_traction_turns(at_rest, t->N, t->N * t->phi_t, w, view->terms->step, time > 0);
    }
    if (!(t->delta > 0 && time > 0))
        return;
    out->rate = damping_rate(view, body_a, body_b, mobility_if_free, t, &beside);
    out->ahead = fmax(out->ahead, turns_square(view, body_a, body_b, c, at, t));
}
