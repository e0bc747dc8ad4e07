#include "method/options.h"

#include "base/error.h"
#include "method/method.h"

#include <string.h>

static const char *const option_names[NT_OPTION_NAMES] = {
    [NT_OPTION_TOLERANCE_LENGTH] = "tolerance_length",
    [NT_OPTION_TOLERANCE_ANGLE] = "tolerance_angle",
    [NT_OPTION_TOLERANCE_FORCE] = "tolerance_force",
    [NT_OPTION_TOLERANCE_MOMENT] = "tolerance_moment",
    [NT_OPTION_TOLERANCE_VELOCITY] = "tolerance_velocity",
    [NT_OPTION_TOLERANCE_ANGULAR_VELOCITY] = "tolerance_angular_velocity",
    [NT_OPTION_TOLERANCE_RELATIVE] = "tolerance_relative",
    [NT_OPTION_MAX_ITERATIONS] = "max_iterations",
    [NT_OPTION_REUSE_TANGENT] = "reuse_tangent",
    [NT_OPTION_EXTRA_ITERATIONS] = "extra_iterations",
    [NT_OPTION_RHO_INF] = "rho_inf",
    [NT_OPTION_NEWMARK] = "newmark",
    [NT_OPTION_BETA] = "beta",
    [NT_OPTION_HHT] = "hht",
    [NT_OPTION_PARAMETERIZATION] = "parameterization",
    [NT_OPTION_REFERENCE_FREE] = "reference_free",
    [NT_OPTION_GEOMETRIC_STIFFNESS] = "geometric_stiffness",
    [NT_OPTION_CORRECTION] = "correction",
    [NT_OPTION_ALPHA] = "alpha",
    [NT_OPTION_GIVEN_ROTATIONS] = "given_rotations",
    [NT_OPTION_GYROSCOPIC] = "gyroscopic",
    [NT_OPTION_STEPS] = "steps",
    [NT_OPTION_STABILITY_LIMIT] = "stability_limit",
    [NT_OPTION_EPSILON] = "epsilon",
    [NT_OPTION_THETA] = "theta",
    [NT_OPTION_ADJOINT] = "adjoint",
    [NT_OPTION_TOLERANCE] = "tolerance",
    [NT_OPTION_MAX_ORDER] = "max_order",
    [NT_OPTION_MAX_STEPS] = "max_steps",
    [NT_OPTION_NEWTON_TOLERANCE] = "newton_tolerance",
    [NT_OPTION_INDENTATION] = "indentation",
};

nt_status nt_options_resolve(nt_options *options, const nt_method *method, const double *values,
                             nt_error *error)
{
    *options = (nt_options){.method = method};
    for (int i = 0; i < method->n_options; i++) {
        int name = 0;
        while (name < NT_OPTION_NAMES && strcmp(option_names[name], method->options[i].name) != 0)
            name++;
        if (name == NT_OPTION_NAMES)
            return nt_fail(error, NT_INVALID, "option %s of method %s has no name of its own",
                           method->options[i].name, method->name);
        options->present |= (uint64_t)1 << name;
        options->value[name] = values[i];
    }
    return NT_OK;
}

void nt_options_missing(void) { __builtin_trap(); }
