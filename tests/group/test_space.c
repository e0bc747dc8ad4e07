/* Configuration spaces: layout, composition and difference in both frames, tangents. */
#include "quad.h"

#include <string.h>

#include "group/rotation.h"

/* Composition: a product of quaternions and their normalisation, 4 ulp of length 1. A rotation
 * vector recovered from two configurations has twice the error of a quaternion of their quotient:
 * 12 ulp, absolute. Numbers of R^n: the rounding of a sum and of a difference. */
#define COMPOSE (4 * ULP)
#define DIFFERENCE (12 * ULP)

enum { N_BLOCKS = 5, NQ = 3 + 4 + 7 + 1 + 4, NV = 3 + 3 + 6 + 1 + 3, N_ROTATIONS = 3 };

static nt_space make_space(nt_block blocks[N_BLOCKS])
{
    memset(blocks, 0, N_BLOCKS * sizeof *blocks);
    blocks[0] = (nt_block){.kind = NT_RN, .nv = 3};
    blocks[1].kind = NT_SO3;
    blocks[2].kind = NT_R3SO3;
    blocks[3] = (nt_block){.kind = NT_RN, .nv = 1};
    blocks[4].kind = NT_SO3;
    nt_space space;
    nt_space_init(&space, blocks, N_BLOCKS);
    return space;
}

static const int rotation_q[N_ROTATIONS] = {3, 10, 15}, rotation_v[N_ROTATIONS] = {3, 9, 13};

static int is_rotation(int v) /* does entry v of the velocity belong to a rotation? */
{
    for (int r = 0; r < N_ROTATIONS; r++)
        if (v >= rotation_v[r] && v < rotation_v[r] + 3)
            return 1;
    return 0;
}

static void random_configuration(const nt_space *space, uint64_t *state, double *q)
{
    double zero[NQ], dq[NV];
    nt_space_identity(space, zero);
    for (int i = 0; i < NV; i++)
        dq[i] = 3 * uniform(state);
    nt_space_compose(space, NT_BODY, zero, dq, q);
}

static void test_layout(void **unused)
{
    (void)unused;
    nt_block b[N_BLOCKS];
    nt_space space = make_space(b);
    assert_int_equal(space.nq, NQ);
    assert_int_equal(space.nv, NV);
    assert_int_equal(space.n_rotations, N_ROTATIONS);
    const int q[] = {0, 3, 7, 14, 15}, v[] = {0, 3, 6, 12, 13}, nq[] = {3, 4, 7, 1, 4},
              nv[] = {3, 3, 6, 1, 3}, rotation[] = {-1, 0, 1, -1, 2};
    for (int i = 0; i < N_BLOCKS; i++) {
        assert_int_equal(b[i].q, q[i]);
        assert_int_equal(b[i].v, v[i]);
        assert_int_equal(b[i].nq, nq[i]);
        assert_int_equal(b[i].nv, nv[i]);
        assert_int_equal(b[i].rotation, rotation[i]);
    }
    double one[NQ], expected[NQ] = {[3] = 1, [10] = 1, [15] = 1};
    nt_space_identity(&space, one);
    assert_memory_equal(one, expected, sizeof one);
    nt_space empty;
    nt_space_init(&empty, NULL, 0);
    assert_int_equal(empty.nq + empty.nv + empty.n_rotations + empty.n_blocks, 0);
}

/* R1 = R0 exp(psi~) in the body frame, exp(psi~) R0 in the inertial one; sums elsewhere, exactly.
 */
static void test_compose(void **unused)
{
    (void)unused;
    nt_block b[N_BLOCKS];
    nt_space space = make_space(b);
    uint64_t state = 41;
    for (int k = 0; k < 200; k++)
        for (int frame = 0; frame < 2; frame++) {
            double q0[NQ], q1[NQ], dq[NV], scale = pow(10, -k % 20);
            random_configuration(&space, &state, q0);
            for (int i = 0; i < NV; i++)
                dq[i] = 2 * scale * uniform(&state);
            nt_space_compose(&space, (nt_frame)frame, q0, dq, q1);
            for (int r = 0; r < N_ROTATIONS; r++) {
                quad psi[3];
                for (int i = 0; i < 3; i++)
                    psi[i] = dq[rotation_v[r] + i];
                qm skew = qm_skew(psi), E = qm_exp(&skew), R0 = qm_rotation(q0 + rotation_q[r]);
                qm exact = frame == NT_BODY ? qm_multiply(&R0, &E) : qm_multiply(&E, &R0);
                qm R1 = qm_rotation(q1 + rotation_q[r]), d = qm_axpy(-1, &R1, &exact);
                /* a matrix doubles the error of the quaternion */
                assert_true(qm_norm(&d) <= 2 * COMPOSE);
                assert_true(fabs(vector_norm(q1 + rotation_q[r], 4) - 1) <= 2 * ULP);
            }
            for (int i = 0; i < 3; i++) {
                assert_true(q1[i] == q0[i] + dq[i]);
                assert_true(q1[7 + i] == q0[7 + i] + dq[6 + i]);
            }
            assert_true(q1[14] == q0[14] + dq[12]);
            nt_space_compose(&space, (nt_frame)frame, q0, dq, q0); /* in place */
            assert_memory_equal(q0, q1, sizeof q0);
        }
}

/* Quaternions that come in with any length go out with length 1 and the same rotation. */
static void test_normalisation(void **unused)
{
    (void)unused;
    nt_block block = {.kind = NT_SO3};
    nt_space space;
    nt_space_init(&space, &block, 1);
    const double factors[] = {1 + 1e-15, 1 + 1e-10, 1 + 4.9e-9, 1 - 5.1e-9, 1 + 3e-8,
                              1 + 1e-7,  0.5,       -3,         1e9};
    const double psi[3] = {0.3, -0.2, 0.9}, dq[3] = {-0.1, 0.2, 0.05};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        double q[4], p[4], r[4];
        nt_so3_exp(psi, q);
        nt_space_compose(&space, NT_BODY, q, dq, r);
        for (int i = 0; i < 4; i++)
            q[i] *= factors[k];
        nt_space_compose(&space, NT_BODY, q, dq, p);
        assert_true(fabs(vector_norm(p, 4) - 1) <= 2 * ULP);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(p[i] - (factors[k] < 0 ? -r[i] : r[i])) <= COMPOSE);
    }
    /* and a million steps leave it there */
    double q[4] = {1, 0, 0, 0};
    for (int i = 0; i < 1000000; i++)
        nt_space_compose(&space, NT_INERTIAL, q, dq, q);
    assert_true(fabs(vector_norm(q, 4) - 1) <= 2 * ULP);
}

/* difference(q0, compose(q0, dq)) = dq and compose(q0, difference(q0, q1)) = q1. */
static void test_difference(void **unused)
{
    (void)unused;
    nt_block b[N_BLOCKS];
    nt_space space = make_space(b);
    uint64_t state = 43;
    for (int k = 0; k < 400; k++)
        for (int frame = 0; frame < 2; frame++) {
            double q0[NQ], q1[NQ], q2[NQ], dq[NV], back[NV];
            random_configuration(&space, &state, q0);
            double scale = k % 2 ? 1.8 : pow(10, -(k / 2) % 18);
            for (int i = 0; i < NV; i++)
                dq[i] = scale * uniform(&state);
            nt_space_compose(&space, (nt_frame)frame, q0, dq, q1);
            nt_space_difference(&space, (nt_frame)frame, q0, q1, back);
            for (int i = 0; i < NV; i++)
                assert_true(fabs(back[i] - dq[i]) <= (is_rotation(i) ? DIFFERENCE : 4 * ULP));
            /* the other sign of a quaternion is the same place */
            for (int i = 0; i < 4; i++)
                q1[rotation_q[1] + i] *= -1;
            nt_space_difference(&space, (nt_frame)frame, q0, q1, back);
            for (int i = 0; i < NV; i++)
                assert_true(fabs(back[i] - dq[i]) <= (is_rotation(i) ? DIFFERENCE : 4 * ULP));
            nt_space_compose(&space, (nt_frame)frame, q0, back, q2);
            for (int r = 0; r < N_ROTATIONS; r++) {
                qm P = qm_rotation(q1 + rotation_q[r]), Q = qm_rotation(q2 + rotation_q[r]);
                qm d = qm_axpy(-1, &P, &Q);
                assert_true(qm_norm(&d) <= 2 * DIFFERENCE);
            }
        }
}

/* The tangents are those of SO(3), of either frame, at the right places; NULL skips one. */
static void test_tangent(void **unused)
{
    (void)unused;
    nt_block b[N_BLOCKS];
    nt_space space = make_space(b);
    uint64_t state = 47;
    double dq[NV], T[N_ROTATIONS * 9], V[N_ROTATIONS * 9], S[N_ROTATIONS * 9];
    for (int i = 0; i < NV; i++)
        dq[i] = 1.5 * uniform(&state);
    for (int frame = 0; frame < 2; frame++) {
        nt_space_tangent(&space, (nt_frame)frame, dq, T, V);
        for (int r = 0; r < N_ROTATIONS; r++) {
            double t[9], v[9];
            nt_so3_tangent(dq + rotation_v[r], t);
            nt_so3_tangent_inverse(dq + rotation_v[r], v);
            for (int i = 0; i < 9; i++) {
                int j = frame == NT_BODY ? i : 3 * (i % 3) + i / 3;
                assert_true(T[9 * r + i] == t[j] && V[9 * r + i] == v[j]);
            }
        }
        nt_space_tangent(&space, (nt_frame)frame, dq, S, NULL);
        assert_memory_equal(S, T, sizeof S);
        nt_space_tangent(&space, (nt_frame)frame, dq, NULL, S);
        assert_memory_equal(S, V, sizeof S);
    }
}

/* Composition with dq + epsilon is composition with dq, then with T epsilon, in either frame. */
static void test_tangent_meaning(void **unused)
{
    (void)unused;
    nt_block b[N_BLOCKS];
    nt_space space = make_space(b);
    uint64_t state = 53;
    const double step = 1e-5; /* central differences: step^2 = 1e-10 and rounding/step = 2e-11 */
    for (int frame = 0; frame < 2; frame++) {
        double q0[NQ], q1[NQ], dq[NV], T[N_ROTATIONS * 9];
        random_configuration(&space, &state, q0);
        for (int i = 0; i < NV; i++)
            dq[i] = 1.5 * uniform(&state);
        nt_space_compose(&space, (nt_frame)frame, q0, dq, q1);
        nt_space_tangent(&space, (nt_frame)frame, dq, T, NULL);
        for (int j = 0; j < NV; j++) {
            double plus[NV], minus[NV], qp[NQ], qn[NQ], wp[NV], wn[NV];
            memcpy(plus, dq, sizeof dq), memcpy(minus, dq, sizeof dq);
            plus[j] += step, minus[j] -= step;
            nt_space_compose(&space, (nt_frame)frame, q0, plus, qp);
            nt_space_compose(&space, (nt_frame)frame, q0, minus, qn);
            nt_space_difference(&space, (nt_frame)frame, q1, qp, wp);
            nt_space_difference(&space, (nt_frame)frame, q1, qn, wn);
            for (int i = 0; i < NV; i++) {
                double expected = i == j;
                for (int r = 0; r < N_ROTATIONS; r++) {
                    int row = i - rotation_v[r], column = j - rotation_v[r];
                    if (row >= 0 && row < 3 && column >= 0 && column < 3)
                        expected = T[9 * r + 3 * row + column];
                }
                assert_true(fabs((wp[i] - wn[i]) / (2 * step) - expected) <= 1e-9);
            }
        }
    }
}

static void test_change_frame(void **unused)
{
    (void)unused;
    nt_block b[N_BLOCKS];
    nt_space space = make_space(b);
    uint64_t state = 59;
    double q[NQ], body[NV], ground[NV], back[NV];
    random_configuration(&space, &state, q);
    for (int i = 0; i < NV; i++)
        body[i] = uniform(&state);
    nt_space_change_frame(&space, NT_BODY, NT_INERTIAL, q, body, ground);
    for (int r = 0; r < N_ROTATIONS; r++) {
        qm R = qm_rotation(q + rotation_q[r]);
        quad w[3], exact[3];
        for (int i = 0; i < 3; i++)
            w[i] = body[rotation_v[r] + i];
        qm_apply(&R, w, exact);
        assert_true(vector_distance(ground + rotation_v[r], exact, 3) <= 4 * ULP);
    }
    nt_space_change_frame(&space, NT_INERTIAL, NT_BODY, q, ground, back);
    for (int i = 0; i < NV; i++) {
        assert_true(fabs(back[i] - body[i]) <= 8 * ULP);
        if (!is_rotation(i))
            assert_true(ground[i] == body[i]);
    }
    nt_space_change_frame(&space, NT_BODY, NT_BODY, q, body, back);
    assert_memory_equal(back, body, sizeof back);
    nt_space_change_frame(&space, NT_BODY, NT_INERTIAL, q, back, back); /* in place */
    assert_memory_equal(back, ground, sizeof back);
}

/* Rigid bodies in a row come out as each by itself, to the bit, however many there are, where the
 * end stands in place of the beginning too. */
static void test_rows_of_bodies(void **unused)
{
    (void)unused;
    enum { MOST = 9 };
    uint64_t state = 61;
    for (int n = 1; n <= MOST; n++) {
        nt_block b[MOST] = {{0}};
        for (int i = 0; i < n; i++)
            b[i].kind = NT_R3SO3;
        nt_space space, one;
        nt_space_init(&space, b, n);
        double q[7 * MOST], dq[6 * MOST], at_once[7 * MOST], in_place[7 * MOST], each[7 * MOST];
        nt_space_identity(&space, q);
        for (int turn = 0; turn < 2; turn++) { /* where series do, and beyond */
            for (int i = 0; i < 6 * n; i++)
                dq[i] = (turn == 0 ? 1e-2 : 1) * uniform(&state);
            nt_space_compose(&space, NT_INERTIAL, q, dq, at_once);
            memcpy(in_place, q, sizeof q);
            nt_space_compose(&space, NT_INERTIAL, in_place, dq, in_place);
            nt_block alone = {.kind = NT_R3SO3};
            nt_space_init(&one, &alone, 1);
            for (int i = 0; i < n; i++)
                nt_space_compose(&one, NT_INERTIAL, q + 7 * i, dq + 6 * i, each + 7 * i);
            assert_memory_equal(at_once, each, 7 * (size_t)n * sizeof *each);
            assert_memory_equal(in_place, each, 7 * (size_t)n * sizeof *each);
            memcpy(q, each, 7 * (size_t)n * sizeof *q);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),        cmocka_unit_test(test_compose),
        cmocka_unit_test(test_normalisation), cmocka_unit_test(test_difference),
        cmocka_unit_test(test_tangent),       cmocka_unit_test(test_tangent_meaning),
        cmocka_unit_test(test_change_frame),  cmocka_unit_test(test_rows_of_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
