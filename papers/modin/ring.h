/* Bending of a circular ring in its plane without extension: radial displacement w and tangential
 * displacement u = -int w, in waves around the ring, cos and sin of 2, 3, 4, ... waves in turn.
 * (Love, A Treatise on the Mathematical Theory of Elasticity, 4th edition, 293.) */
#ifndef NUTATE_PAPERS_RING_H
#define NUTATE_PAPERS_RING_H

typedef struct nt_ring {
    double radius;    /* m, of the middle line   */
    double line_mass; /* kg/m                    */
    double bending;   /* N m^2, E I              */
    double damping;   /* 1, ratio of every mode  */
} nt_ring;

/* Displacements of mode 0, 1, ... at an angle around the ring, m per unit of its coordinate: radial
 * outwards, tangential with growing angle. */
void nt_ring_shape(int mode, double angle, double shape[2]);

double nt_ring_mass(const nt_ring *ring, int mode);      /* kg  */
double nt_ring_stiffness(const nt_ring *ring, int mode); /* N/m */
double nt_ring_damping(const nt_ring *ring, int mode);   /* N s/m */

#endif
