/* nutate methods: the registry in words. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

/* An option whose default is not a number has no default. */
static void show_range(const nt_option_key *key)
{
    const char *space = *key->unit ? " " : "";
    switch (key->type) {
    case NT_REAL:
    case NT_INTEGER:
        printf("%s from %g to %g%s%s", key->type == NT_REAL ? "number" : "integer", key->low,
               key->high, space, key->unit);
        if (isnan(key->fallback))
            printf(", default none");
        else
            printf(", default %g%s%s", key->fallback, space, key->unit);
        break;
    case NT_BOOLEAN:
        printf("true or false, default %s", key->fallback != 0 ? "true" : "false");
        break;
    case NT_CHOICE:
        for (int i = 0; key->choices[i]; i++)
            printf("%s%s", i > 0 ? " | " : "", key->choices[i]);
        printf(", default %s", key->choices[(int)key->fallback]);
        break;
    }
}

static void methods_show(const nt_method *method)
{
    int count;
    const nt_option_key *keys = nt_method_options(method, &count);
    bool inertial = nt_method_has_frame(method, NT_INERTIAL);
    bool body = nt_method_has_frame(method, NT_BODY);
    char needs[400];
    printf("%s: %s\n\n", nt_method_name(method), nt_method_summary(method));
    printf("source  %s\nneeds   %s\nframe   %s\n", nt_method_reference(method),
           nt_method_needs(method, needs, sizeof needs),
           nt_method_has_frame(method, NT_SE3) ? "inertial, body or se3"
           : inertial && body                  ? "inertial or body"
           : inertial                          ? "inertial"
                                               : "body");
    printf("sensitivities  %s\n", nt_method_is_linearised(method) ? "yes" : "no");
    printf("\noptions (simulation.options):%s\n", count > 0 ? "" : " none");
    for (int i = 0; i < count; i++) {
        printf("  %s: ", keys[i].name);
        show_range(&keys[i]);
        printf("\n      %s\n", keys[i].meaning);
    }
}

int nt_cli_methods(const nt_cli_options *options)
{
    if (options->name) {
        const nt_method *method = nt_cli_method("methods", options->name);
        if (!method)
            return NT_EXIT_USAGE;
        methods_show(method);
        return nt_cli_finish_output();
    }
    int width = 0;
    for (int i = 0; i < nt_method_count(); i++) {
        int length = (int)strlen(nt_method_name(nt_method_at(i)));
        width = length > width ? length : width;
    }
    for (int i = 0; i < nt_method_count(); i++)
        printf("%-*s  %s\n", width, nt_method_name(nt_method_at(i)),
               nt_method_summary(nt_method_at(i)));
    return nt_cli_finish_output();
}
