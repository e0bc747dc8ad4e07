/* The arena: zeroed, aligned, disjoint pieces, and no size that wraps around. */
#include "base/arena.h"
#include "base/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Blocks as large as chunks, filled with something and freed, for the allocator to hand out again.
 */
static void leave_traces(void)
{
    enum { BLOCKS = 8, SIZE = 20000 };
    unsigned char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        assert_non_null(blocks[i] = malloc(SIZE));
        memset(blocks[i], 0xff, SIZE);
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
}

static void pieces_are_zeroed_and_aligned(void **state)
{
    (void)state;
    nt_arena arena = {0};
    leave_traces();
    for (size_t n = 0; n < 200; n++) {
        unsigned char *piece = NT_TAKE(&arena, n, unsigned char);
        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % (n < 64 ? 16 : 64), 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(piece[i], 0);
        memset(piece, 0xa5, n);
    }
    nt_arena_free(&arena);
}

/* Small, large and huge pieces in turn: each is filled with its own number, and all still hold it
 * when the last one is written. Sizes straddle a quarter and all of the first chunk (4096, 16384)
 * and of the largest ones (65536, 262144). */
static void pieces_do_not_overlap(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,     63,    64,    65,    4095,  4096,  4097,
                                   16383, 16384, 16385, 65536, 65537, 262145};
    enum { N_SIZES = sizeof sizes / sizeof sizes[0], ROUNDS = 40 };
    unsigned char *pieces[N_SIZES * ROUNDS];
    size_t total = 0;
    nt_arena arena = {0};

    for (int i = 0; i < N_SIZES * ROUNDS; i++) {
        size_t size = sizes[i * 7 % N_SIZES];
        pieces[i] = NT_TAKE(&arena, size, unsigned char);
        assert_non_null(pieces[i]);
        memset(pieces[i], i % 251 + 1, size);
        total += size;
    }
    for (int i = 0; i < N_SIZES * ROUNDS; i++)
        for (size_t k = 0; k < sizes[i * 7 % N_SIZES]; k++)
            assert_int_equal(pieces[i][k], i % 251 + 1);
    assert_true(arena.bytes >= total);
    nt_arena_free(&arena);
}

static void overflowing_sizes_are_refused(void **state)
{
    (void)state;
    nt_arena arena = {0};
    assert_null(nt_arena_take(&arena, SIZE_MAX, 1));
    assert_null(nt_arena_take(&arena, SIZE_MAX / 2, 3));
    assert_null(nt_arena_take(&arena, 1, SIZE_MAX));
    assert_null(nt_arena_take(&arena, (size_t)1 << 33, (size_t)1 << 33));
    assert_null(nt_arena_take(&arena, (size_t)-1, sizeof(double))); /* a negative count */
    assert_int_equal(arena.bytes, 0);
    assert_non_null(nt_arena_take(&arena, 8, 8)); /* and it still works */
    nt_arena_free(&arena);
}

static void text_is_copied_and_terminated(void **state)
{
    (void)state;
    nt_arena arena = {0};
    char source[] = "nutation and precession";
    char *copy = nt_arena_text(&arena, source, 8);
    memset(source, '#', sizeof source - 1);
    assert_string_equal(copy, "nutation");
    assert_string_equal(nt_arena_text(&arena, source, 0), "");
    nt_arena_free(&arena);
}

static void a_freed_arena_starts_again(void **state)
{
    (void)state;
    nt_arena arena = {0};
    nt_arena_free(&arena);
    for (int round = 0; round < 3; round++) {
        double *numbers = NT_TAKE(&arena, 1000, double);
        assert_non_null(numbers);
        for (int i = 0; i < 1000; i++) {
            assert_true(numbers[i] == 0);
            numbers[i] = 1;
        }
        nt_arena_free(&arena);
        assert_null(arena.chunks);
        assert_int_equal(arena.bytes, 0);
    }
}

#ifdef NT_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>

/* Every byte behind a piece is out of bounds up to the next one, whatever its size; so is the piece
 * itself when the arena was freed. */
static void what_was_not_taken_is_poisoned(void **state)
{
    (void)state;
    nt_arena arena = {0};
    char *pieces[200];
    for (size_t i = 0; i < 200; i++) {
        pieces[i] = nt_arena_take(&arena, i, 1);
        assert_non_null(pieces[i]);
    }
    for (size_t i = 0; i < 200; i++) {
        for (size_t k = 0; k < i; k++)
            assert_false(__asan_address_is_poisoned(pieces[i] + k));
        for (size_t k = i; k < i + 16; k++)
            assert_true(__asan_address_is_poisoned(pieces[i] + k));
    }
    double *numbers = NT_TAKE(&arena, 7, double); /* as a method reads its options */
    assert_true(__asan_address_is_poisoned(numbers + 7));
    nt_arena_free(&arena);
    assert_true(__asan_address_is_poisoned(numbers));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_and_aligned),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(overflowing_sizes_are_refused),
        cmocka_unit_test(text_is_copied_and_terminated),
        cmocka_unit_test(a_freed_arena_starts_again),
#ifdef NT_ADDRESS_SANITIZER
        cmocka_unit_test(what_was_not_taken_is_poisoned),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
