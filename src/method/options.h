/* The values of a method's options, by name. Internal.
 *
 * Names are looked up once, when an integrator is created; afterwards a value is one access away.
 * Reading an option that the method does not have is a mistake in the method: it ends the program,
 * in every build. */
#ifndef NUTATE_METHOD_OPTIONS_H
#define NUTATE_METHOD_OPTIONS_H

#include <nutate/method.h>
#include <stdint.h>

/* Every name that a method reads; quantities that come in kinds (length, angle; force, moment)
 * stand side by side, in the order of nt_quantity. */
typedef enum nt_option_name {
    NT_OPTION_TOLERANCE_LENGTH,
    NT_OPTION_TOLERANCE_ANGLE,
    NT_OPTION_TOLERANCE_FORCE,
    NT_OPTION_TOLERANCE_MOMENT,
    NT_OPTION_TOLERANCE_VELOCITY,
    NT_OPTION_TOLERANCE_ANGULAR_VELOCITY,
    NT_OPTION_TOLERANCE_RELATIVE,
    NT_OPTION_MAX_ITERATIONS,
    NT_OPTION_REUSE_TANGENT,
    NT_OPTION_EXTRA_ITERATIONS,
    NT_OPTION_RHO_INF,
    NT_OPTION_NEWMARK,
    NT_OPTION_BETA,
    NT_OPTION_HHT,
    NT_OPTION_PARAMETERIZATION,
    NT_OPTION_REFERENCE_FREE,
    NT_OPTION_GEOMETRIC_STIFFNESS,
    NT_OPTION_CORRECTION,
    NT_OPTION_ALPHA,
    NT_OPTION_GIVEN_ROTATIONS,
    NT_OPTION_GYROSCOPIC,
    NT_OPTION_STEPS,
    NT_OPTION_STABILITY_LIMIT,
    NT_OPTION_EPSILON,
    NT_OPTION_THETA,
    NT_OPTION_ADJOINT,
    NT_OPTION_TOLERANCE,
    NT_OPTION_MAX_ORDER,
    NT_OPTION_MAX_STEPS,
    NT_OPTION_NEWTON_TOLERANCE,
    NT_OPTION_INDENTATION,
    NT_OPTION_NAMES
} nt_option_name;

typedef struct nt_options {
    const nt_method *method; /* whose they are                      */
    uint64_t present;        /* bit i: the method has the option i */
    double value[NT_OPTION_NAMES];
} nt_options;

/* From values[n_options] in the order of the method's table. NT_INVALID and a message where the
 * table has a name that is not listed above. */
nt_status nt_options_resolve(nt_options *options, const nt_method *method, const double *values,
                             nt_error *error);

/* Ends the program. */
_Noreturn void nt_options_missing(void);

static inline int nt_options_have(const nt_options *options, int name)
{
    return (int)(options->present >> name & 1);
}

/* A choice is its index, a boolean 0 or 1, an option without a value NaN. */
static inline double nt_options_get(const nt_options *options, int name)
{
    if (!nt_options_have(options, name))
        nt_options_missing();
    return options->value[name];
}

#endif
