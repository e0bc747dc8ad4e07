/* The methods, and their options as text. */
#include "base/error.h"
#include "base/number.h"
#include "base/suggest.h"
#include "method/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const nt_method *const methods[] = {
    &nt_method_generalized_alpha,
    &nt_method_generalized_alpha_linear,
    &nt_method_generalized_alpha_residual,
    &nt_method_generalized_alpha_soi2,
    &nt_method_lie_newmark,
    &nt_method_lie_newmark_4,
    &nt_method_lie_newmark_6,
    &nt_method_lie_euler,
    &nt_method_lie_euler_adjoint,
    &nt_method_lie_midpoint,
    &nt_method_simo_wong,
    &nt_method_simo_wong_explicit,
    &nt_method_akw,
    &nt_method_stormer_verlet,
    &nt_method_symplectic_euler,
    &nt_method_rkmk_dopri5,
    &nt_method_rkmk_dop853,
    &nt_method_semi_explicit,
    &nt_method_semi_explicit_2,
    &nt_method_theta,
    &nt_method_bdf,
};

enum { COUNT = sizeof methods / sizeof methods[0] };

int nt_method_count(void) { return COUNT; }

const nt_method *nt_method_at(int i) { return i >= 0 && i < COUNT ? methods[i] : NULL; }

const nt_method *nt_method_find(const char *name)
{
    for (int i = 0; name && i < COUNT; i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}

const char *nt_method_name(const nt_method *method) { return method ? method->name : ""; }
const char *nt_method_summary(const nt_method *method) { return method ? method->summary : ""; }
const char *nt_method_reference(const nt_method *method) { return method ? method->reference : ""; }

int nt_method_keeps_history(const nt_method *method) { return method && method->whole; }

int nt_method_controls_error(const nt_method *method)
{
    return method && (method->needs & NT_CONTROLS_ERROR) != 0;
}

int nt_method_is_linearised(const nt_method *method) { return method && method->linearise; }

const nt_option_key *nt_method_options(const nt_method *method, int *count)
{
    if (count)
        *count = method ? method->n_options : 0;
    return method ? method->options : NULL;
}

int nt_method_has_frame(const nt_method *method, nt_frame frame)
{
    return method && frame >= NT_INERTIAL && frame <= NT_SE3 &&
           (method->frames & NT_IN_FRAME(frame)) != 0;
}

static const nt_option_key *find_key(const nt_method *method, const char *name)
{
    for (int i = 0; i < method->n_options; i++)
        if (strcmp(method->options[i].name, name) == 0)
            return &method->options[i];
    return NULL;
}

static nt_status method_unknown_option(const nt_method *method, const char *name, nt_error *error)
{
    const char *names[32] = {NULL};
    int count = 0;
    while (count < method->n_options && count < 32) {
        names[count] = method->options[count].name;
        count++;
    }
    const char *near = nt_suggest(name, (int)strlen(name), names, count);
    char list[300] = "";
    for (int i = 0; i < count && !near; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "; it has ", names[i]);
    }
    return nt_fail(error, NT_INVALID, "method %s has no option '%s'%s%s%s%s", method->name, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

static nt_status parse_choice(const nt_option_key *key, const char *text, double *value,
                              nt_error *error)
{
    char list[256] = "";
    bool yes = strcmp(text, "true") == 0, no = strcmp(text, "false") == 0, is_switch = false;
    for (int i = 0; key->choices[i]; i++) {
        bool always = strcmp(key->choices[i], "always") == 0;
        bool never = strcmp(key->choices[i], "never") == 0;
        is_switch |= always;
        if (strcmp(key->choices[i], text) == 0 || (always && yes) || (never && no)) {
            *value = i;
            return NT_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", key->choices[i]);
    }
    return nt_fail(error, NT_INVALID, "option %s is '%s', expected one of %s%s", key->name, text,
                   list, is_switch ? "; or true or false for always or never" : "");
}

static nt_status parse_value(const nt_option_key *key, const char *text, double *value,
                             nt_error *error)
{
    if (key->type == NT_CHOICE)
        return parse_choice(key, text, value, error);
    if (key->type == NT_BOOLEAN) {
        bool yes = strcmp(text, "true") == 0;
        if (!yes && strcmp(text, "false") != 0)
            return nt_fail(error, NT_INVALID, "option %s is '%s', expected true or false",
                           key->name, text);
        *value = yes;
        return NT_OK;
    }
    if (!nt_number_parse(text, (int)strlen(text), value) || !isfinite(*value))
        return nt_fail(error, NT_INVALID, "option %s is '%s', expected a number", key->name, text);
    if (key->type == NT_INTEGER && *value != floor(*value))
        return nt_fail(error, NT_INVALID, "option %s is %s, expected a whole number", key->name,
                       text);
    if (!(*value >= key->low && *value <= key->high))
        return nt_fail(error, NT_INVALID, "option %s is %s%s%s, expected %g to %g", key->name, text,
                       key->unit[0] ? " " : "", key->unit, key->low, key->high);
    return NT_OK;
}

nt_status nt_method_check_option(const nt_method *method, const nt_option *option, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "method option", method, option);
    NT_NEED(error, "option.name option.value", option->name, option->value);
    double value;
    const nt_option_key *key = find_key(method, option->name);
    return nt_said(error, key ? parse_value(key, option->value, &value, error)
                              : method_unknown_option(method, option->name, error));
}

nt_status nt_method_parse_options(const nt_method *method, const nt_option *options, int n,
                                  double *values, const char *function, nt_error *error)
{
    for (int i = 0; i < method->n_options; i++)
        values[i] = method->options[i].fallback;
    for (int i = 0; i < n; i++) {
        if (!options[i].name || !options[i].value)
            return nt_refuse_null(error, function, "setup.options.name setup.options.value",
                                  options[i].name ? 1 : 0);
        const nt_option_key *key = find_key(method, options[i].name);
        if (!key)
            return method_unknown_option(method, options[i].name, error);
        nt_status status =
            parse_value(key, options[i].value, &values[key - method->options], error);
        if (status != NT_OK)
            return status;
    }
    return NT_OK;
}
