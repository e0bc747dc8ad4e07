/* A deep-groove ball bearing as in Modin, Fritzson & Fuehrer 2007, section 6.3, of a size that is
 * on the market (6206): outer ring fixed, inner ring driven and pressed axially, cage, nine balls.
 *
 * A: contacts. Balls in toroidal grooves after Hertz, with damping and traction; balls against the
 * pockets of the cage. B: penalty constraints: the inner ring turns as driven and does not tilt,
 * the cage stays on the axis and does not tilt; and where they are asked for the bending of the
 * outer ring and of the cage, which move the grooves and the pockets (ring.h).
 *
 * The paper's own model is not public: no lubricant film, no friction in the cage here, and the
 * inertia of rings and cage about the axis stands for all directions, since they turn about no
 * other. Displacements by bending are small: they are added to places, and Coriolis' forces on them
 * are left out. */
#ifndef NUTATE_PAPERS_MODIN_BEARING_H
#define NUTATE_PAPERS_MODIN_BEARING_H

#include <nutate/nutate.h>

enum {
    NT_BALLS = 9,
    NT_BEARING_BODIES = NT_BALLS + 2, /* inner ring, cage, balls */
    NT_BEARING_NQ = 7 * NT_BEARING_BODIES,
    NT_BEARING_NV = 6 * NT_BEARING_BODIES,
    NT_BEARING_MODES = 40, /* at most, of the ring as of the cage */
    NT_BEARING_BLOCKS = NT_BEARING_BODIES + 2
};

typedef struct nt_bearing {
    long evaluations; /* of A                     */
    long tangents;    /* of A                     */
    int modes;        /* of the outer ring, and as many of the cage: the last two blocks, or none */
    nt_block block[NT_BEARING_BLOCKS];
    nt_pattern *pattern; /* a node for each block */
    int slot[NT_BEARING_BLOCKS][NT_BEARING_BLOCKS];
    unsigned char alone[NT_BEARING_BLOCKS];
    double mass[NT_BEARING_NV + 2 * NT_BEARING_MODES], inertia[9 * NT_BEARING_BODIES];
    nt_momenta momenta;
    nt_system system;
} nt_bearing;

/* modes: 0 for rigid rings, to NT_BEARING_MODES. NT_NO_MEMORY; to be freed in any case. */
nt_status nt_bearing_init(nt_bearing *bearing, int modes);
void nt_bearing_free(nt_bearing *bearing);

/* At the loaded contact angle, all in rolling; the cage somewhat slower, so that balls will meet
 * it. Rings are not bent. q[NT_BEARING_NQ + 2 modes], v[NT_BEARING_NV + 2 modes]. */
void nt_bearing_start(const nt_bearing *bearing, double *q, double *v);

/* What is looked at. */
typedef struct nt_bearing_look {
    double inner, outer;             /* N, contact forces of ball 1   */
    double inner_angle, outer_angle; /* rad, contact angles of ball 1 */
    double pocket;                   /* N, of ball 1 on the cage, in the direction of motion */
    double cage, ball;               /* rad/s, cage, ball 1 about the axis of its orbit: speed */
    double axial;                    /* m, of the inner ring from where all balls just touch */
} nt_bearing_look;
nt_bearing_look nt_bearing_at(const nt_bearing *bearing, const double *q, const double *v);

#endif
