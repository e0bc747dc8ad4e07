/* The tangent of inertia by rows is, bit for bit, that of one number at a time, which is what four
 * bodies beside each other go through; and it is the derivative of the moment. */
#include "model/bodies/inertia_rows.inc"

#include "base/chance.h"
#include "model/bodies/body.h"

#include "model/mechanism.h"

#include <nutate/group.h>
#include <string.h>

typedef struct draw {
    m3 R, J, X;
    v3 w, alpha;
    double m, c, k;
} draw;

static v3 random_vector(unsigned *seed)
{
    double x = nt_chance(seed), y = nt_chance(seed);
    return v3_of(x, y, nt_chance(seed));
}

static draw random_draw(unsigned *seed)
{
    draw d = {.w = v3_scale(30, random_vector(seed)), .alpha = v3_scale(1e3, random_vector(seed))};
    double q[4], psi[3], x[9];
    v3_store(psi, v3_scale(3, random_vector(seed)));
    nt_so3_exp(psi, q);
    d.R = quat_matrix(quat_load(q));
    v3 diagonal = random_vector(seed), off = random_vector(seed);
    d.J = (m3){2 + diagonal.x, off.z, off.y, off.z,         2 + diagonal.y,
               off.x,          off.y, off.x, 2 + diagonal.z};
    for (int i = 0; i < 9; i++)
        x[i] = nt_chance(seed);
    d.X = m3_load(x);
    d.m = nt_chance(seed), d.c = nt_chance(seed), d.k = nt_chance(seed);
    return d;
}

static void test_bits(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int i = 0; i < 1000; i++) {
        draw d = random_draw(&seed);
        double X[9], block[11], rows[11], force[6], beside[6];
        m3_store(X, d.X);
        for (int j = 0; j < 11; j++)
            block[j] = rows[j] = nt_chance(&seed);
        for (int j = 0; j < 6; j++)
            force[j] = beside[j] = nt_chance(&seed);
        nt_inertia_terms t = nt_inertia_tangent(d.R, d.J, d.w, d.alpha, d.X, d.m, d.c, d.k);
        m3_accumulate(block + 1, t.block);
        v3_accumulate(force + 3, t.moment);
        inertia_add_tangent(&d.R, &d.J, d.w, d.alpha, X, d.m, d.c, d.k, rows + 1, beside);
        assert_memory_equal(block, rows, sizeof block);
        assert_memory_equal(force, beside, sizeof force);
    }
}

/* J_s w' + w x J_s w by small turns of the body, by rates and by accelerations. */
static void test_derivative(void **state)
{
    (void)state;
    unsigned seed = 2;
    for (int i = 0; i < 20; i++) {
        draw d = random_draw(&seed);
        double tangent[9] = {0}, h = 1e-6;
        inertia_add_tangent(&d.R, &d.J, d.w, d.alpha, NULL, d.m, d.c, d.k, tangent, NULL);
        for (int j = 0; j < 3; j++) {
            v3 change[2];
            for (int side = 0; side < 2; side++) {
                double e[3] = {0}, q[4];
                e[j] = side ? h : -h;
                v3 step = v3_load(e);
                const double turn[3] = {d.k * e[0], d.k * e[1], d.k * e[2]};
                nt_so3_exp(turn, q);
                m3 R = m3_multiply(quat_matrix(quat_load(q)), d.R);
                change[side] =
                    nt_inertia_moment(R, d.J, v3_axpy(d.c, step, d.w), v3_axpy(d.m, step, d.alpha));
            }
            v3 rate = v3_scale(1 / (2 * h), v3_sub(change[1], change[0]));
            for (int row = 0; row < 3; row++)
                assert_true(fabs(tangent[3 * row + j] - v3_component(rate, row)) < 1e-5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
