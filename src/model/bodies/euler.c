#include "model/bodies/euler.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

const char *const nt_euler_sequences[] = {"xyz", "yzx", "zxy", "xzy", "yxz", "zyx", "xyx",
                                          "xzx", "yxy", "yzy", "zxz", "zyz", NULL};

typedef struct euler_axes {
    int i, j, k; /* k: the third axis, or the one that is left out where the first comes again */
    bool again;
    double sign; /* of the permutation i, j, k */
} euler_axes;

static euler_axes euler_axes_of(int sequence)
{
    const char *name = nt_euler_sequences[sequence];
    int i = name[0] - 'x', j = name[1] - 'x', last = name[2] - 'x';
    bool again = last == i;
    return (euler_axes){i, j, again ? 3 - i - j : last, again, (i + 1) % 3 == j ? 1 : -1};
}

static double euler_entry(m3 R, int row, int column)
{
    const double entries[3][3] = {{R.xx, R.xy, R.xz}, {R.yx, R.yy, R.yz}, {R.zx, R.zy, R.zz}};
    return entries[row][column];
}

static v3 euler_axis(int i) { return v3_of(i == 0, i == 1, i == 2); }

/* exp(angle e~) = I + sin e~ + (1 - cos) e~ e~ */
static m3 euler_turn(int axis, double angle)
{
    v3 e = euler_axis(axis);
    m3 turned = m3_add(m3_identity(), m3_scale(sin(angle), m3_skew(e)));
    return m3_add(turned, m3_scale(1 - cos(angle), m3_skew_skew(e, e)));
}

m3 nt_euler_matrix(int sequence, const double angles[3])
{
    euler_axes axes = euler_axes_of(sequence);
    m3 two = m3_multiply(euler_turn(axes.i, angles[0]), euler_turn(axes.j, angles[1]));
    return m3_multiply(two, euler_turn(axes.again ? axes.i : axes.k, angles[2]));
}

/* Below this the first and the last axis are along each other but for rounding. */
static const double ALONG = 8 * DBL_EPSILON;

/* Three axes: R_ik = s sin b, R_jk = -s sin a cos b, R_kk = cos a cos b, R_ij = -s cos b sin c,
 * R_ii = cos b cos c. The first again: R_ii = cos b, R_ji = sin a sin b, R_ki = -s cos a sin b.
 *
 * Where the first and the last axis are along each other a and c are one turn: a is 0 there, or
 * what rounding makes of it beside, and c is what is left of the turn whatever a is. Row j of
 * exp(-a e_i~) R = exp(b e_j~) exp(c e_last~) is that of the last turn, with cos c at j, and s sin
 * c at i, or of the first axis again -s sin c at k. */
void nt_euler_angles(int sequence, m3 R, double angles[3])
{
    euler_axes axes = euler_axes_of(sequence);
    int i = axes.i, j = axes.j, k = axes.k;
    double s = axes.sign, ii = euler_entry(R, i, i), ij = euler_entry(R, i, j),
           ik = euler_entry(R, i, k);
    double sine = axes.again ? euler_entry(R, j, i) : -s * euler_entry(R, j, k);
    double cosine = axes.again ? -s * euler_entry(R, k, i) : euler_entry(R, k, k);
    angles[0] = hypot(sine, cosine) > ALONG ? atan2(sine, cosine) : 0;
    angles[1] = axes.again ? atan2(hypot(ij, ik), ii) : atan2(s * ik, hypot(ii, ij));
    double ca = cos(angles[0]), sa = s * sin(angles[0]);
    int beside = axes.again ? k : i;
    angles[2] = atan2((axes.again ? -s : s) *
                          (ca * euler_entry(R, j, beside) + sa * euler_entry(R, k, beside)),
                      ca * euler_entry(R, j, j) + sa * euler_entry(R, k, j));
}

/* The rows of the inverse of (u_1, u_2, u_3): cross products over the volume. Where u_1 and u_3 are
 * in line the first angle stays 0, the last is the whole turn about them, and the second is largest
 * or least: as that of a norm at zero, its derivative is 0. */
v3 nt_euler_gradient(int sequence, m3 R, int i)
{
    euler_axes axes = euler_axes_of(sequence);
    double angles[3];
    nt_euler_angles(sequence, R, angles);
    v3 first = euler_axis(axes.i);
    v3 second = m3_apply(euler_turn(axes.i, angles[0]), euler_axis(axes.j));
    v3 third = m3_apply(R, euler_axis(axes.again ? axes.i : axes.k));
    double volume = v3_dot(first, v3_cross(second, third));
    if (fabs(volume) <= ALONG)
        return i == 2 ? third : v3_of(0, 0, 0);
    v3 row = i == 0   ? v3_cross(second, third)
             : i == 1 ? v3_cross(third, first)
                      : v3_cross(first, second);
    return v3_scale(1 / volume, row);
}
