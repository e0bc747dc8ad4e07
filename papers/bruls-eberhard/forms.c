#include "papers/bruls-eberhard/forms.h"

const char *const nt_form_names[NT_FORMS] = {"ResidualAlpha", "LinearAlpha", "GeometricAlpha"};

nt_trial nt_form_trial(int form)
{
    static const char *const methods[NT_FORMS] = {"generalized-alpha-residual",
                                                  "generalized-alpha-linear", "generalized-alpha"};
    nt_trial trial = {.model = "bruls-eberhard/heavy_top.yaml",
                      .method = methods[form],
                      .option = {{"rho_inf", "0.8"},
                                 {"tolerance_length", "1e-12"},
                                 {"tolerance_angle", "1e-12"},
                                 {"tolerance_relative", "1e-12"}},
                      .frame = NT_BODY};
    if (form != NT_GEOMETRIC_FORM)
        trial.option[4] = (nt_option){"parameterization", "conformal"};
    return trial;
}
