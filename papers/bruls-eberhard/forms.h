/* The three algorithms of Bruls & Eberhard 2008 on their heavy top. */
#ifndef NUTATE_PAPERS_BRULS_EBERHARD_FORMS_H
#define NUTATE_PAPERS_BRULS_EBERHARD_FORMS_H

#include "papers/common/trial.h"

enum { NT_RESIDUAL_FORM, NT_LINEAR_FORM, NT_GEOMETRIC_FORM, NT_FORMS };

/* The names that the paper gives them. */
extern const char *const nt_form_names[NT_FORMS];

/* One of them: rho_inf = 0.8, body frame, conformal rotation vector, Newton's iteration to
 * rounding. */
nt_trial nt_form_trial(int form);

#endif
