/* Friction of contacts that is set-valued: a contact sticks, or it slips.
 *
 * In the words of touch.h, with w the sliding and N the normal force,
 *
 *   sticks   w = 0, two nonholonomic rows t1 . w = t2 . w = 0, whose multipliers are the force
 *            F = f1 t1 + f2 t2 on B, as long as |F| <= mu N
 *   slips    F = -mu N e,  e = w/|w|
 *
 * Which of both is discrete memory, beside a unit vector d along the surface. Of a contact that
 * slips d is where it slipped at the end of the last step, and
 *
 *   e = z/|z|,  z = w - (w . d) d + h(w . d) d,   h(x) = |x|, or (x^2 + b^2)/(2 b) within b,
 *
 * is w/|w| while w . d > b and stays smooth beyond; b is a fifth of the speed at the end of the
 * last step, so that only a step in which the contact comes to rest sees it. Where w . d passes
 * zero the contact sticks, if w vanishes there, or slips on with another d; where it cannot hold
 * what it must it slips at once. Of one that sticks d is t1 at the end of the last step, and t1 = d
 * - (d . n) n made unit, t2 = n x t1.
 *
 * What each of several contacts between the same two bodies holds is not determined while bodies
 * are rigid. There contacts give way along the surface as they do across it: with x, how far B's
 * matter has moved past A's since the contact stuck,
 *
 *   F = -mu N/s (x + (1 - |x|^2/s^2) T w)
 *
 * sticks while |x| <= s, which is |F| <= mu N where damping has gone. With D the indentation where
 * the lighter body is pressed on all of them with 9.81 m/s^2, s = mu D/rho makes the stiffness
 * along the surface rho times N/D (Mindlin, Compliance of elastic bodies in contact, Journal of
 * Applied Mechanics 16, 1949), and T = sqrt(D/(9.81 rho)) is half of critical damping. x is the
 * memory X, in A's axes, and how the points of A and B that met when it was written have moved
 * apart since, along the surface; where the sphere has rolled both are written anew.
 *
 * In a static state one that cannot hold what it must yields: F = -mu N x/|x| where |x| > s.
 *
 * Such a contact stops before it sticks: where |w| falls to b, a tenth of s/T, d becomes w/|w| and
 * is kept, so that the force does not turn round with a w that is rounding. It sticks where w . d
 * passes zero, with x = s d, so that the force goes on; x stays within s then, and no contact
 * changes back at once. It slips again where |w| grows to 2 b. */
#ifndef NUTATE_MODEL_GRIP_H
#define NUTATE_MODEL_GRIP_H

#include "model/contacts/contact.h"

enum {
    NT_GRIP_STICKS,
    NT_GRIP_D,
    NT_GRIP_SPEED = NT_GRIP_D + 3,
    NT_GRIP_X,
    NT_GRIP_A = NT_GRIP_X + 3,
    NT_GRIP_B = NT_GRIP_A + 3,
    NT_GRIP_MEMORY = NT_GRIP_B + 3
};

/* Counts them in the order of the file, before the model is laid out. */
nt_status nt_model_add_grips(nt_model *model);
/* Whether a contact is one; its element by its number. */
static inline bool nt_contact_grips(const nt_contact *c) { return c->grip > 0; }
const nt_element *nt_grip_element(const nt_model *model, int grip);

/* Ports and blocks. */
nt_status nt_grip_declare(nt_model *model, nt_element *element);
/* Adds rows, friction and its power to what the contact adds beside. */
nt_status nt_grip_evaluate(const nt_element *element, const nt_view *view);
/* The force on B at the contact. */
v3 nt_grip_force(const nt_element *element, const nt_view *view);

/* ---- what happens --------------------------------------------------------------------------- */

bool nt_grip_is_on(const nt_model *model, int grip, const double *memory);
/* Begins with what is not known yet at a start; keeps the directions after a step. */
void nt_grips_begin(nt_run *run, const nt_point *at, double *memory);
void nt_grips_accept(const nt_run *run, const nt_view *view, double *next);
/* How far grip i is from a change, below 0 beyond; and the change. */
double nt_grip_inside(const nt_run *run, const nt_view *view, int grip);
void nt_grip_changes(const nt_run *run, const nt_view *view, int grip, nt_instant *instant);

/* What a static state sees of a grip and what it makes of it: nt_events.dry_look, .dry_hold. */
void nt_grip_look(const nt_run *run, const nt_view *view, int grip, nt_dry_friction *out);
void nt_grip_hold(const nt_run *run, const nt_view *view, int grip, nt_dry_state holds,
                  const double towards[3], double *memory);

#endif
