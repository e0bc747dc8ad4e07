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
        cmocka_unit_test(no_turn_has_no_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
