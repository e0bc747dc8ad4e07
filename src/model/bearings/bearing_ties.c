/* How fast friction on the races damps what it ties together, which bounds explicit steps.
 *
 * A ball between two races whose friction has the slopes c_o, c_i slides on them by v - r and v + r
 * along any direction of the surface, v its velocity and r = rho w its spin's:
 *
 *   m v' = -(c_o + c_i) v - (c_i - c_o) r,    (J/rho^2) r' = -(c_i - c_o) v - (c_o + c_i) r.
 *
 * The larger rate of these two is R_b, 5 c/m of a solid ball between equal slopes. A ring that
 * moves with the rate x, of unit size, slides by u on each ball: with c the slopes of its own race
 * and W the mobility of the ring along x it is damped by itself with d = W sum c |u|^2, and tied to
 * the balls by k^2 = w W sum c^2 |u|^2, of the mobility w that the balls' side has. So the rates
 * are, at most,
 *
 *   (R_b + d)/2 + sqrt((R_b - d)^2/4 + k^2),    w = rho^2/J, the share of r in R_b's mode,
 *   d/2 + sqrt(d^2/4 + k^2),                    w = 1/m + rho^2/J,
 *
 * the second where each ball's own damping is taken implicitly, which leaves zero of R_b; d is zero
 * too where that of the ring is. Directions are the translations along the bearing's axis and two
 * across it, and the rotations about these: under loads along the axis they are the modes. */
#include "base/number.h"
#include "model/bearings/bearing.h"

#include <math.h>
#include <string.h>

/* What damping along the normals, which is not counted, adds where steps bear no more: of 6206
 * under 1000 N at 10^4 rpm a hundredth and a half. */
static const double MORE = 1.015;

/* h times the rate, estimated above, from which on a ring or a ball in its pocket is looked at
 * closely: methods bear 4/7 or more (splitting_own.h). */
static const double NEAR = 0.3;

static double rate_of_ball(const nt_run *run, const nt_bearing *b, double c_o, double c_i)
{
    double of_v = 1 / run->bodies[b->first_ball].mass;
    double of_r = nt_bearing_mobility(run, b) - of_v;
    double sum = c_o + c_i, apart = sum * (of_v - of_r), between = c_i - c_o;
    return 0.5 * (sum * (of_v + of_r) + sqrt(apart * apart + 4 * between * between * of_v * of_r));
}

/* Ties change as loads do: they are looked at in every so manieth of equal steps. */
static const double EVERY = 16;

void nt_bearing_tell_balls(const nt_element *element, const nt_view *view, int first, int n,
                           const double *outer, const double *inner, nt_ties *ties)
{
    nt_run_damping *damping = &view->run->dampings[element - view->model->elements];
    int ball = 0;
    for (int l = 1; l < n; l++)
        ball = outer[l] + inner[l] > outer[ball] + inner[ball] ? l : ball;
    double rate =
        rate_of_ball(view->run, nt_bearing_of(view->run, element), outer[ball], inner[ball]);
    ties->of_ball = fmax(ties->of_ball, rate);
    if (!(rate > damping->rate[0]))
        return;
    damping->rate[0] = rate;
    damping->part[0] =
        NT_BALL_CONTACTS * (first + ball) + (inner[ball] > outer[ball] ? NT_INNER : NT_OUTER);
}

/* A pocket's damper is its friction's slope, or K delta^1.5 d along the normal, at most; and no
 * body gives way more than if nothing held it. */
void nt_bearing_tell_pocket(const nt_element *element, const nt_view *view, int ball, double slope,
                            double delta)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    const nt_touch_law *law = &b->pocket_law;
    const nt_body *cage = &view->run->bodies[b->cage];
    int body = b->first_ball + ball;
    v3 apart = v3_sub(view->motion[body].x, view->motion[b->cage].x);
    double arm = v3_norm(apart) + 0.5 * b->ball_diameter, h = view->terms->step;
    double w = nt_bearing_mobility(view->run, b) + 1 / cage->mass +
               arm * arm / fmin(fmin(cage->J.xx, cage->J.yy), cage->J.zz);
    double c = fmax(slope, law->stiffness * delta * sqrt(delta) * law->damping);
    if (h > 0 && !(view->terms->ahead > 0) && h * c * w <= NEAR)
        return;
    nt_run_damping *damping = &view->run->dampings[element - view->model->elements];
    nt_touch touch = nt_bearing_touch(element, view, ball, NT_POCKET).touch;
    double beside, rate = nt_touch_damping_rate(view, b->cage, body, &touch, &beside);
    for (int k = 0; k < 2; k++)
        if (rate > damping->rate[k]) {
            damping->rate[k] = rate;
            damping->part[k] = NT_BALL_CONTACTS * ball + NT_POCKET;
        }
}

/* Whether explicit forces move the ring, and whether they turn it. */
static bool ring_moves(const nt_view *view, const nt_bearing *b, int which, bool *turns)
{
    const nt_system *system = &view->model->system;
    int block = b->rings[which] - 1;
    bool is_free = block >= 0 && system->explicit_blocks && system->explicit_blocks[block];
    bool given = block >= 0 && system->given_rows && system->given_rows[block] >= 0;
    *turns = is_free && !given;
    return (is_free || given) && view->run->bodies[b->rings[which]].mass > 0;
}

void nt_bearing_tie_begin(const nt_view *view, const nt_bearing *b, int which, v3 axis, nt_tie *tie)
{
    bool turns;
    memset(tie, 0, sizeof *tie);
    double h = view->terms->step;
    double step = h > 0 ? floor(view->at->t / h) : 0;
    bool due = h > 0 && EVERY * floor(step / EVERY) == step;
    if (!due || view->terms->ahead > 0 || !ring_moves(view, b, which, &turns))
        return;
    const nt_body *ring = &view->run->bodies[b->rings[which]];
    m3 R = view->motion[b->rings[which]].R;
    v3 other = fabs(axis.x) < 0.8 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
    tie->axes[0] = axis;
    tie->axes[1] = v3_cross(axis, other);
    tie->axes[1] = v3_scale(1 / v3_norm(tie->axes[1]), tie->axes[1]);
    tie->axes[2] = v3_cross(axis, tie->axes[1]);
    tie->n = turns ? NT_TIES : 3;
    double most = 1 / ring->mass, reach = 0.5 * (b->pitch_diameter + b->ball_diameter);
    for (int i = 0; i < tie->n; i++) {
        v3 lever = m3_apply_transposed(R, tie->axes[i % 3]);
        double turn = v3_dot(lever, m3_solve(ring->J, lever));
        tie->mobility[i] = i < 3 ? 1 / ring->mass : isfinite(turn) ? turn : 0;
        if (i >= 3)
            most = fmax(most, reach * reach * tie->mobility[i]);
    }
    tie->near = sqrt(b->n_balls * nt_bearing_mobility(view->run, b) * most) * h;
}

bool nt_bearing_tie_matters(const nt_tie *tie, double most_slope)
{
    return tie->near * most_slope > NEAR;
}

void nt_bearing_tie_add(nt_tie *tie, const nt_bearing_race *race, bool saturates, v3 origin,
                        v3 ring, v3 x, v3 F, double c)
{
    const nt_surface *surface = &race->surface;
    v3 y = v3_sub(x, origin), f = v3_axpy(-v3_dot(tie->axes[0], y), tie->axes[0], y);
    v3 n = v3_axpy(-surface->circle / v3_norm(f), f, y); /* or -n */
    n = v3_scale(1 / v3_norm(n), n);
    v3 r = v3_axpy(surface->radius, n, v3_sub(x, ring));
    v3 T = v3_axpy(-v3_dot(n, F), n, F);
    double T2 = v3_dot(T, T), w2 = T2 / (c * c), slip = race->law.traction.slip;
    double lost = saturates ? w2 / (w2 + slip * slip) : 0, left = 1 - lost;
    for (int i = 0; i < tie->n; i++) {
        v3 u = i < 3 ? tie->axes[i] : v3_cross(tie->axes[i - 3], r);
        double off = v3_dot(n, u), of_T = v3_dot(T, u), along = T2 > 0 ? of_T * of_T / T2 : 0;
        double across = v3_dot(u, u) - off * off - along;
        tie->first[i] += c * (across + left * along);
        tie->second[i] += c * c * (across + left * left * along);
    }
}

/* 1/s; of_ball: the rate of the balls, 0: that is taken implicitly; own: so is the ring's. */
static double rate_of(const nt_view *view, const nt_bearing *b, const nt_tie *tie, double of_ball,
                      bool own)
{
    double of_v = 1 / view->run->bodies[b->first_ball].mass, most = 0;
    double w = nt_bearing_mobility(view->run, b) - (of_ball > 0 ? of_v : 0);
    for (int i = 0; i < tie->n; i++) {
        double d = own ? 0 : tie->mobility[i] * tie->first[i];
        double k2 = w * tie->mobility[i] * tie->second[i], half = 0.5 * (of_ball - d);
        most = fmax(most, 0.5 * (of_ball + d) + sqrt(half * half + k2));
    }
    return of_ball > 0 ? most : MORE * most;
}

/* Whether methods that take what a body damps by itself take it of this ring: its inertia does not
 * turn (splitting_own.h). */
static bool has_own_damping(const nt_view *view, const nt_bearing *b, int which)
{
    const unsigned char *alone = view->model->system.explicit_blocks;
    m3 J = view->run->bodies[b->rings[which]].J;
    bool turns = J.xx != J.yy || J.yy != J.zz || J.xy != 0 || J.xz != 0 || J.yz != 0;
    return alone && alone[b->rings[which] - 1] && (!turns || view->terms->combination->map);
}

/* Where steps follow eigenvalues, which are looked at now and then, a ring has what it does at
 * least with its translation free,
 *
 *   rate^2 = max sum c_k^2 |P_k e|^2 w/M >= 2/3 sum c_k^2 w/M,     w = 1/m + rho^2/J of a ball,
 *
 * since |P_k e|^2 is 2/3 in the mean over three directions, P_k the projection along the surface.
 */
void nt_bearing_tell_ties(const nt_element *element, const nt_view *view, const nt_ties *ties,
                          bool damps)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    nt_run_damping *damping = &view->run->dampings[element - view->model->elements];
    bool looks = view->terms->ahead > 0, turns;
    double w = nt_bearing_mobility(view->run, b);
    for (int which = 0; which < NT_POCKET; which++) {
        if (!ring_moves(view, b, which, &turns))
            continue;
        double mass = view->run->bodies[b->rings[which]].mass;
        double rate = looks ? sqrt(2 / 3.0 * ties->slope2[which] * w / mass)
                            : rate_of(view, b, &ties->of[which], damps ? 0 : ties->of_ball,
                                      damps && has_own_damping(view, b, which));
        int beside = looks || damps;
        if (rate > damping->rate[beside]) {
            damping->rate[beside] = rate;
            damping->part[beside] = NT_BALL_CONTACTS * b->n_balls; /* it is no single ball's */
        }
    }
}
