/* The damping of a contact that gives a wanted coefficient of restitution. */
#ifndef NUTATE_MODEL_RESTITUTION_H
#define NUTATE_MODEL_RESTITUTION_H

/* How the damping follows from the coefficient. */
typedef enum nt_restitution_relation {
    NT_RESTITUTION_EXACT,
    NT_RESTITUTION_HUNT_CROSSLEY,
    NT_RESTITUTION_FLORES,
} nt_restitution_relation;

/* p = d v, damping times approach speed, of a free impact that keeps the share e of its speed,
 * 0 < e <= 1. */
double nt_restitution_damping(double e, nt_restitution_relation relation);

#endif
