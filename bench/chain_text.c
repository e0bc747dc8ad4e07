/* The chain's model file. */
#include "speed.h"

#include <stdio.h>
#include <stdlib.h>

char *chain_text(int n, double turn, size_t *length)
{
    enum { HEAD = 512, LINE = 400 };
    size_t room = HEAD + (size_t)n * LINE, used = 0;
    char *text = malloc(room);
    if (!text)
        return NULL;
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    SAY("nutate: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int j = 0; j < n; j++) {
        double x = 0.125 + 0.25 * j;
        SAY("  b%d:\n    mass: 0.078125\n"
            "    inertia: [8.138020833e-6, 4.109700521e-4, 4.109700521e-4]\n"
            "    position: [%.17g, 0, 0]\n    velocity: [0, 0, %.17g]\n"
            "    angular_velocity: [5, %.17g, 0]\n",
            j, x, -turn * x, turn);
    }
    SAY("joints:\n  j0: {type: spherical, between: [ground, b0], at: [0, 0, 0]}\n");
    for (int j = 1; j < n; j++)
        SAY("  j%d: {type: spherical, between: [b%d, b%d], at: [%.17g, 0, 0]}\n", j, j - 1, j,
            0.25 * j);
    SAY("markers:\n  tip: {on: b%d, at: [0.125, 0, 0]}\n", n - 1);
    SAY("simulation: {duration: 0.01, method: generalized-alpha, step: 1e-3, "
        "options: {rho_inf: 0.8}}\noutput: {record: [tip.position]}\n");
#undef SAY
    *length = used;
    return text;
}
