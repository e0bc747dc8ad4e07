/* The same as test_null.c for rotations, rigid motions and configuration spaces. */
#include <nutate/group.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define INVALID(call) assert_int_equal(call, NT_INVALID)

/* ---- functions on single rotations and rigid motions ------------------------------------------
 *
 * They have two arrays, three or four; the last is what they write. */

typedef void of_two(const double *, double *);
typedef void of_three(const double *, const double *, double *);
typedef void of_four(const double *, const double *, const double *, double *);

static of_two *const two[] = {
    nt_so3_exp,
    nt_so3_log,
    nt_so3_matrix,
    nt_so3_tangent,
    nt_so3_from_matrix,
    nt_so3_tangent_inverse,
    nt_conformal_exp,
    nt_conformal_log,
    nt_conformal_tangent,
    nt_conformal_tangent_inverse,
    nt_se3_exp,
    nt_se3_log,
    nt_se3_inverse,
    nt_se3_tangent,
    nt_se3_tangent_inverse,
};

static of_three *const three[] = {
    nt_so3_multiply,
    nt_so3_tangent_along,
    nt_so3_tangent_derivative,
    nt_so3_tangent_transposed_derivative,
    nt_so3_tangent_inverse_derivative,
    nt_so3_tangent_inverse_transposed_derivative,
    nt_conformal_tangent_derivative,
    nt_conformal_tangent_inverse_derivative,
    nt_conformal_tangent_along,
    nt_se3_compose,
    nt_se3_tangent_derivative,
};

static of_four *const four[] = {
    nt_so3_tangent_second_derivative,
    nt_conformal_tangent_second_derivative,
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void in_rotations(void **state)
{
    double x[9] = {.1, .2, .3, .4, .5, .6, .7, .8, .9}, out[36], untouched[36];
    (void)state;
    for (int i = 0; i < 36; i++)
        untouched[i] = out[i] = 77;
    for (size_t i = 0; i < COUNT(two); i++)
        two[i](NULL, out), two[i](x, NULL);
    for (size_t i = 0; i < COUNT(three); i++)
        three[i](NULL, x, out), three[i](x, NULL, out), three[i](x, x, NULL);
    for (size_t i = 0; i < COUNT(four); i++)
        four[i](NULL, x, x, out), four[i](x, NULL, x, out), four[i](x, x, NULL, out),
            four[i](x, x, x, NULL);
    assert_memory_equal(out, untouched, sizeof out);
}

/* ---- configuration spaces -------------------------------------------------------------------- */

static void in_spaces(void **state)
{
    nt_block blocks[2] = {{.kind = NT_R3SO3}, {.kind = NT_RN, .nv = 2}};
    nt_space space, as_it_was;
    double q[9], v[8] = {0}, T[9];
    (void)state;
    assert_int_equal(nt_space_init(&space, blocks, 2), NT_OK);
    as_it_was = space;
    INVALID(nt_space_init(NULL, blocks, 2));
    INVALID(nt_space_init(&space, NULL, 2));
    INVALID(nt_space_init(&space, blocks, -1));
    blocks[1].nv = -2;
    INVALID(nt_space_init(&space, blocks, 2));
    blocks[1].kind = (nt_block_kind)77;
    INVALID(nt_space_init(&space, blocks, 2));
    assert_memory_equal(&space, &as_it_was, sizeof space);
    blocks[1].kind = NT_RN, blocks[1].nv = 2;
    INVALID(nt_space_identity(NULL, q));
    INVALID(nt_space_identity(&space, NULL));
    assert_int_equal(nt_space_identity(&space, q), NT_OK);
    INVALID(nt_space_compose(NULL, NT_BODY, q, v, q));
    INVALID(nt_space_compose(&space, NT_BODY, NULL, v, q));
    INVALID(nt_space_compose(&space, NT_BODY, q, NULL, q));
    INVALID(nt_space_compose(&space, NT_BODY, q, v, NULL));
    INVALID(nt_space_difference(NULL, NT_BODY, q, q, v));
    INVALID(nt_space_difference(&space, NT_BODY, NULL, q, v));
    INVALID(nt_space_difference(&space, NT_BODY, q, NULL, v));
    INVALID(nt_space_difference(&space, NT_BODY, q, q, NULL));
    INVALID(nt_space_tangent(NULL, NT_BODY, v, T, NULL));
    INVALID(nt_space_tangent(&space, NT_BODY, NULL, T, NULL));
    assert_int_equal(nt_space_tangent(&space, NT_BODY, v, NULL, NULL), NT_OK);
    INVALID(nt_space_change_frame(NULL, NT_BODY, NT_INERTIAL, q, v, v));
    INVALID(nt_space_change_frame(&space, NT_BODY, NT_INERTIAL, NULL, v, v));
    INVALID(nt_space_change_frame(&space, NT_BODY, NT_INERTIAL, q, NULL, v));
    INVALID(nt_space_change_frame(&space, NT_BODY, NT_INERTIAL, q, v, NULL));
    INVALID(nt_space_rate(NULL, NT_BODY, q, v, q));
    INVALID(nt_space_rate(&space, NT_BODY, NULL, v, q));
    INVALID(nt_space_rate(&space, NT_BODY, q, NULL, q));
    INVALID(nt_space_rate(&space, NT_BODY, q, v, NULL));
    space.blocks = NULL;
    INVALID(nt_space_identity(&space, q));
    INVALID(nt_space_compose(&space, NT_BODY, q, v, q));
    INVALID(nt_space_difference(&space, NT_BODY, q, q, v));
    INVALID(nt_space_tangent(&space, NT_BODY, v, T, NULL));
    INVALID(nt_space_change_frame(&space, NT_BODY, NT_INERTIAL, q, v, v));
    INVALID(nt_space_rate(&space, NT_BODY, q, v, q));
    assert_int_equal(nt_space_init(&space, NULL, 0), NT_OK);
    assert_int_equal(nt_space_compose(&space, NT_BODY, NULL, NULL, NULL), NT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_rotations),
        cmocka_unit_test(in_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
