/* A rotor of equal blades whose roots turn with a hub, written out: see rotor_yardstick.c. */
#ifndef NUTATE_BENCH_ROTOR_YARDSTICK_H
#define NUTATE_BENCH_ROTOR_YARDSTICK_H

#include <nutate/nutate.h>
#include <stdbool.h>

/* How the hub turns: about an axis through a point, from rest at its place at the start. */
typedef struct rotor_turn {
    double center[3], axis[3], speed; /* m; rad/s */
} rotor_turn;

typedef struct rotor_yardstick rotor_yardstick;

/* Takes the numbers of the first three beams of a model: equal ones, of order 6 at most, with
 * lumped inertia and without damping. NULL: they are not so, or memory is out. */
rotor_yardstick *rotor_yardstick_create(const nt_run *run, const rotor_turn *turn);
void rotor_yardstick_destroy(rotor_yardstick *rotor);

/* At rest in turning axes, with consistent accelerations. */
void rotor_yardstick_start(rotor_yardstick *rotor);
/* False where a step does not converge. */
bool rotor_yardstick_run(rotor_yardstick *rotor, double rho, double h, long steps);

long rotor_yardstick_iterations(const rotor_yardstick *rotor);
void rotor_yardstick_tip(const rotor_yardstick *rotor, double tip[3]); /* of the first blade, m */

#endif
