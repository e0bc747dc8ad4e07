/* Euler angles in any of the twelve sequences: three rotations after each other about axes of the
 * body, the first about one that is still an axis of the ground.
 *
 * With the axes i, j, k of a sequence and R from body axes to ground axes, R = R_i(a) R_j(b)
 * R_k(c). A rotation dtheta (ground axes) changes the angles by dtheta = u_1 da + u_2 db + u_3 dc
 * with the axes u_1 = e_i, u_2 = R_i(a) e_j, u_3 = R_i(a) R_j(b) e_k. */
#ifndef NUTATE_MODEL_EULER_H
#define NUTATE_MODEL_EULER_H

#include "base/vector3.h"

enum { NT_EULER_SEQUENCES = 12 };
extern const char *const nt_euler_sequences[]; /* "xyz" and so on, NULL behind the last */

/* The rotation of three angles, and back: the first and third from -pi to pi, the second from
 * -pi/2 to pi/2, or from 0 to pi where the first axis comes again. Where the first and the third
 * axis are in line the first angle is 0, or what rounding makes of it, and the third the rest. */
m3 nt_euler_matrix(int sequence, const double angles[3]);
void nt_euler_angles(int sequence, m3 R, double angles[3]);

/* d angles[i] / dtheta, ground axes. Where the first and the third axis are in line they turn
 * together: the last angle tells by how much, the first stays 0, and the derivative of the second
 * is 0. */
v3 nt_euler_gradient(int sequence, m3 R, int i);

#endif
