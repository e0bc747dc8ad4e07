/* Filling an nt_error, and refusing what no public function takes. */
#ifndef NUTATE_BASE_ERROR_H
#define NUTATE_BASE_ERROR_H

#include <nutate/status.h>
#include <stdarg.h>

/* Clear the error, set status and message (one line: what it quotes is made so), return the status:
 * `return nt_fail(e, NT_INVALID, ...)`. error may be NULL. */
nt_status nt_fail(nt_error *error, nt_status status, const char *format, ...) NT_PRINTF(3, 4);

/* Fails like nt_fail, with a place in a file. */
nt_status nt_fail_at(nt_error *error, nt_status status, const char *file, int line, int column,
                     const char *format, ...) NT_PRINTF(6, 7);

/* Fails like nt_fail_at, for functions that have such arguments themselves. */
nt_status nt_fail_with(nt_error *error, nt_status status, const char *file, int line, int column,
                       const char *format, va_list arguments) NT_PRINTF(6, 0);

/* The refusal of pointer i among `names`, separated by blanks. */
nt_status nt_refuse_null(nt_error *error, const char *function, const char *names, int i);

/* The refusal of a number that is none of an enumeration. */
nt_status nt_refuse_number(nt_error *error, const char *function, const char *name, int number);

/* The refusals of a count below zero, and of a number that is not what is expected of it. */
nt_status nt_refuse_count(nt_error *error, const char *function, const char *name, long count);
nt_status nt_refuse_real(nt_error *error, const char *function, const char *name, double number,
                         const char *expected);

/* The refusal of a struct that was laid out by headers of another NT_INTERFACE. */
nt_status nt_refuse_version(nt_error *error, const char *function, const char *name, int version);

/* What says nothing of the equations: no smaller step, other rows or another way are tried. */
static inline int nt_is_final(nt_status status)
{
    return status == NT_NO_MEMORY || status == NT_INTERRUPTED;
}

static inline int nt_first_null(const void *const *pointers, int n)
{
    int i = 0;
    while (i < n && pointers[i])
        i++;
    return i;
}

/* Public functions begin with these; a failed one returns NT_INVALID with words from the function.
 * NT_NEED(error, "run setup", run, setup): pointers that may not be NULL, by the header's names. */
#define NT_NEED(error, names, ...)                                                                 \
    do {                                                                                           \
        const void *const given_[] = {__VA_ARGS__};                                                \
        const int n_ = (int)(sizeof given_ / sizeof given_[0]);                                    \
        const int i_ = nt_first_null(given_, n_);                                                  \
        if (i_ < n_)                                                                               \
            return nt_refuse_null(error, __func__, names, i_);                                     \
    } while (0)

/* A number that lies within [least, most]. */
#define NT_NEED_NUMBER(error, name, number, least, most)                                           \
    do {                                                                                           \
        if ((int)(number) < (int)(least) || (int)(number) > (int)(most))                           \
            return nt_refuse_number(error, __func__, name, (int)(number));                         \
    } while (0)

/* How many of something are handed in: none or more. */
#define NT_NEED_COUNT(error, name, count)                                                          \
    do {                                                                                           \
        if ((count) < 0)                                                                           \
            return nt_refuse_count(error, __func__, name, (long)(count));                          \
    } while (0)

/* A finite number; one that is not negative; one above zero. */
#define NT_NEED_FINITE(error, name, number)                                                        \
    do {                                                                                           \
        if (!((number) - (number) == 0))                                                           \
            return nt_refuse_real(error, __func__, name, number, "a finite number");               \
    } while (0)
#define NT_NEED_NOT_NEGATIVE(error, name, number)                                                  \
    do {                                                                                           \
        if (!((number) >= 0 && (number) - (number) == 0))                                          \
            return nt_refuse_real(error, __func__, name, number, "a finite number from 0 on");     \
    } while (0)
#define NT_NEED_POSITIVE(error, name, number)                                                      \
    do {                                                                                           \
        if (!((number) > 0 && (number) - (number) == 0))                                           \
            return nt_refuse_real(error, __func__, name, number, "a positive number");             \
    } while (0)

/* The version that a struct from a caller carries. Structs of other versions are not read further:
 * they may end before the fields that this library knows. */
static inline int nt_version_is_read(int version)
{
    return version == 0 || version == NT_INTERFACE;
}
#define NT_NEED_VERSION(error, name, number)                                                       \
    do {                                                                                           \
        if (!nt_version_is_read(number))                                                           \
            return nt_refuse_version(error, __func__, name ".version", number);                    \
    } while (0)

/* The two ends of a public function that takes an nt_error: it clears the error before all else
 * and returns nt_said(error, status). A status other than NT_OK then has words whatever was called
 * in between: those that were written, or else its own text. error may be NULL. */
void nt_error_clear(nt_error *error);
nt_status nt_said(nt_error *error, nt_status status);

#endif
