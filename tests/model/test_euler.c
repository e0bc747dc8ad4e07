/* Euler angles of every sequence give back the rotation that they were found from, also where the
 * first and the last axis are in line, exactly or to a rounding. */
#include "model/bodies/euler.h"

#include "base/chance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

static const double PI = 3.14159265358979323846;

static double apart(m3 A, m3 B)
{
    m3 D = m3_add(A, m3_scale(-1, B));
    v3 columns[] = {{D.xx, D.yx, D.zx}, {D.xy, D.yy, D.zy}, {D.xz, D.yz, D.zz}};
    double most = 0;
    for (int i = 0; i < 3; i++)
        most = fmax(most, v3_norm(columns[i]));
    return most;
}

static bool comes_again(int sequence)
{
    return nt_euler_sequences[sequence][0] == nt_euler_sequences[sequence][2];
}

static void angles_give_the_rotation_back(void **state)
{
    static const double beside[] = {0, 1e-17, -3e-16, 1e-15, 1e-12, -1e-9, 1e-6, 0.3};
    unsigned seed = 3;
    (void)state;
    for (int sequence = 0; sequence < NT_EULER_SEQUENCES; sequence++)
        for (int i = 0; i < 8 * 50; i++) {
            double in_line = comes_again(sequence) ? i % 2 * PI : (i % 2 - 0.5) * PI;
            const double given[3] = {PI * nt_chance(&seed), in_line + beside[i % 8],
                                     PI * nt_chance(&seed)};
            double found[3];
            m3 R = nt_euler_matrix(sequence, given);
            nt_euler_angles(sequence, R, found);
            double off = apart(nt_euler_matrix(sequence, found), R);
            if (!(off < 1e-14))
                fail_msg("%s of %g %g %g: off by %g", nt_euler_sequences[sequence], given[0],
                         given[1], given[2], off);
        }
}

static v3 difference(int sequence, m3 R, int i)
{
    const double h = 1e-5;
    double slope[3];
    for (int k = 0; k < 3; k++) {
        v3 axis = {k == 0, k == 1, k == 2};
        double beside[2][3];
        for (int side = 0; side < 2; side++) {
            double turn = side ? -h : h;
            m3 e = m3_skew(axis), T = m3_add(m3_identity(), m3_scale(sin(turn), e));
            T = m3_add(T, m3_scale(1 - cos(turn), m3_multiply(e, e)));
            nt_euler_angles(sequence, m3_multiply(T, R), beside[side]);
        }
        slope[k] = remainder(beside[0][i] - beside[1][i], 2 * PI) / (2 * h);
    }
    return (v3){slope[0], slope[1], slope[2]};
}

/* In line, the last angle is the turn about both axes, and others do not change. */
static void derivatives_are_right_and_finite(void **state)
{
    unsigned seed = 7;
    (void)state;
    for (int sequence = 0; sequence < NT_EULER_SEQUENCES; sequence++)
        for (int n = 0; n < 20; n++) {
            double second = (comes_again(sequence) ? 1.2 : 0.3) + 0.8 * nt_chance(&seed);
            double turn = PI * nt_chance(&seed);
            const double given[3] = {turn, second, PI * nt_chance(&seed)};
            m3 R = nt_euler_matrix(sequence, given);
            for (int i = 0; i < 3; i++) {
                v3 off = v3_sub(nt_euler_gradient(sequence, R, i), difference(sequence, R, i));
                assert_true(v3_norm(off) < 1e-7);
            }
            const double along[3] = {turn, comes_again(sequence) ? 0 : PI / 2, 0};
            R = nt_euler_matrix(sequence, along);
            assert_true(v3_norm(nt_euler_gradient(sequence, R, 0)) == 0);
            assert_true(v3_norm(nt_euler_gradient(sequence, R, 1)) == 0);
            assert_true(fabs(v3_norm(nt_euler_gradient(sequence, R, 2)) - 1) < 1e-12);
        }
}

/* Without a turn all are zero. */
static void no_turn_has_no_angles(void **state)
{
    (void)state;
    for (int sequence = 0; sequence < NT_EULER_SEQUENCES; sequence++) {
        double found[3];
        nt_euler_angles(sequence, m3_identity(), found);
        assert_true(found[0] == 0 && found[1] == 0 && found[2] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_give_the_rotation_back),
        cmocka_unit_test(derivatives_are_right_and_finite),
        cmocka_unit_test(no_turn_has_no_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
