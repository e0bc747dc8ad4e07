/* What callers hand in, refused with words of the public function that they called: systems that
 * contradict themselves, states without the arrays that their system has, lengths that are none. */
#ifndef NUTATE_SYSTEM_CHECK_H
#define NUTATE_SYSTEM_CHECK_H

#include "base/error.h"

#include <nutate/system.h>

/* nt_system_check for the argument `name` of a public function. The version comes first: behind
 * another one nothing is read. */
nt_status nt_system_refuse(nt_error *error, const char *function, const char *name,
                           const nt_system *system);

/* NT_INVALID with the first of the arrays q, v, vdot, lambda, mu, memory of `name` that is NULL
 * though the system has such numbers; NT_OK where none is. */
nt_status nt_arrays_refuse(nt_error *error, const char *function, const char *name,
                           const nt_system *system, const void *const arrays[6]);

/* NT_INVALID with the first of x[n] that is not finite. */
nt_status nt_numbers_refuse(nt_error *error, const char *function, const char *name,
                            const double *x, int n);

nt_status nt_length_refuse(nt_error *error, const char *function, const char *name, double length);

#define NT_NEED_GOOD(refused)                                                                      \
    do {                                                                                           \
        nt_status refused_ = refused;                                                              \
        if (refused_ != NT_OK)                                                                     \
            return refused_;                                                                       \
    } while (0)

#define NT_NEED_SYSTEM(error, name, system)                                                        \
    NT_NEED_GOOD(nt_system_refuse(error, __func__, name, system))

/* An nt_state or an nt_state_tangent. */
#define NT_NEED_STATE(error, name, system, state)                                                  \
    NT_NEED_GOOD(                                                                                  \
        nt_arrays_refuse(error, __func__, name, system,                                            \
                         (const void *const[6]){(state)->q, (state)->v, (state)->vdot,             \
                                                (state)->lambda, (state)->mu, (state)->memory}))

/* A length that weighs moments against forces, m. */
#define NT_NEED_LENGTH(error, name, length)                                                        \
    NT_NEED_GOOD(nt_length_refuse(error, __func__, name, length))

/* Fails where the past is in the system's equations (delays): "static states" and so on do not know
 * it, and what is held of it at the start is not what it is where they are. */
nt_status nt_system_refuse_past(const nt_system *system, const char *what, nt_error *error);

#endif
