/* What can be recorded of a contact. Surfaces apart have no force, no patch and no film. */
#include "model/contacts/touch_values.h"

#include "model/contacts/hertz.h"

double nt_touch_number(nt_touch_value which, const nt_touch *t, const nt_touch_law *law,
                       nt_traction_law traction, v3 axis)
{
    bool touches = t->delta > 0;
    double root = touches ? sqrt(t->delta) : 0, major = law->semi_axis * root;
    switch (which) {
    case NT_TOUCH_INDENTATION:
        return t->delta;
    case NT_TOUCH_RATE:
        return t->rate;
    case NT_TOUCH_NORMAL_FORCE:
        return t->N;
    case NT_TOUCH_FRICTION:
        return t->N * t->phi_t * v3_norm(t->w);
    case NT_TOUCH_SLIDING:
        return touches ? v3_norm(t->w) : 0;
    case NT_TOUCH_SPIN:
        return touches ? t->w_n : 0;
    case NT_TOUCH_ANGLE:
        return atan2(fabs(v3_dot(t->m, axis)), fabs(v3_dot(t->m, t->e)));
    case NT_TOUCH_MAJOR:
        return major;
    case NT_TOUCH_MINOR:
        return law->ratio * major;
    case NT_TOUCH_PRESSURE:
        return major > 0 ? nt_hertz_pressure(&(nt_hertz){.K = law->stiffness,
                                                         .semi_axis = law->semi_axis,
                                                         .ratio = law->ratio},
                                             t->delta)
                         : 0;
    case NT_TOUCH_FILM:
        return touches && traction == NT_TRACTION_FILM
                   ? nt_film_least(&law->traction, t->rolling, t->delta)
                   : 0;
    case NT_TOUCH_POWER:
        return touches ? t->power : 0;
    }
    return 0;
}
