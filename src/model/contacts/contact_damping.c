/* How fast a contact damps two bodies against each other.
 *
 * Along a direction d the contact is a damper c at p, which acts over the mobility
 *
 *   w = w_A + w_B,    w_X = 1/m + (r x d) . J^-1 (r x d)
 *
 * so that M^-1 C of this contact alone has the eigenvalue c w. Across the sliding c = N phi_t,
 * along it N (phi_t + phi_t' |w|^2/s), along the normal dN/d(delta'). Where each body's own share c
 * w_X is taken implicitly there remains what acts from one on the other, with the eigenvalue c
 * sqrt(w_A w_B). */
#include "model/contacts/contact.h"
#include "model/elements.h"

#include <math.h>

/* w_X; 0: it is held, or nothing like a free body. */
static double mobility(const nt_view *view, int body, v3 r, v3 d)
{
    const nt_body *b = &view->run->bodies[body];
    const unsigned char *alone = view->model->system.explicit_blocks;
    if (body == 0 || !alone || !alone[body - 1] || !(b->mass > 0) ||
        v3_dot(b->center, b->center) > 0)
        return 0;
    if (b->point)
        return 1 / b->mass;
    v3 lever = m3_apply_transposed(view->motion[body].R, v3_cross(r, d));
    double turn = v3_dot(lever, m3_solve(b->J, lever));
    return 1 / b->mass + (isfinite(turn) ? turn : 0);
}

static void look_along(const nt_view *view, int body_a, int body_b, const nt_touch *t, v3 d,
                       double c, double *rate, double *beside)
{
    if (!(c > 0))
        return;
    double w_a = mobility(view, body_a, t->r_a, d), w_b = mobility(view, body_b, t->r_b, d);
    *rate = fmax(*rate, c * (w_a + w_b));
    *beside = fmax(*beside, c * sqrt(w_a * w_b));
}

double nt_touch_damping_rate(const nt_view *view, int body_a, int body_b, const nt_touch *t,
                             double *beside)
{
    double rate = 0, w2 = v3_dot(t->w, t->w);
    double along = t->phi_t + (t->traction.by_s - t->phi_t) * (w2 / (t->s * t->s));
    *beside = 0;
    v3 other = fabs(t->n.x) < 0.8 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
    v3 across = v3_cross(t->n, w2 > 0 ? t->w : other);
    across = v3_scale(1 / v3_norm(across), across);
    look_along(view, body_a, body_b, t, across, t->N * t->phi_t, &rate, beside);
    look_along(view, body_a, body_b, t, v3_cross(across, t->n), t->N * along, &rate, beside);
    look_along(view, body_a, body_b, t, t->n, t->N_rate, &rate, beside);
    return rate;
}
