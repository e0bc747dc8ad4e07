/* nutate static: what its search, its result and its derivatives share. */
#ifndef NUTATE_CLI_STATIC_H
#define NUTATE_CLI_STATIC_H

#include "cli/cli.h"

enum { NT_CLI_LIMITS = 8 };

typedef struct nt_cli_static {
    nt_cli_plan plan; /* path, model and run alone */
    nt_cli_places places;
    nt_load_range *ranges;
    nt_loading *loading;
    nt_static *state;
    nt_record *record; /* NULL: nothing is written */
    char *provenance;
    double *numbers, *reactions; /* where it began; [nh + nn] */
    bool is_path, falls_short;   /* a path is asked for; no state carries all loads */
    long points;
    struct {
        double loads[NT_CLI_LIMITS]; /* the first of n */
        int n;
    } limits, branches; /* of the load; points where other paths cross */
} nt_cli_static;

/* All return exit statuses after saying what is wrong. nt_cli_static_free in any case. */
int nt_cli_static_begin(nt_cli_static *a, const nt_cli_options *options);
/* Begin the result, with derivatives in parameters[n]. */
int nt_cli_static_open(nt_cli_static *a, const nt_cli_options *options, const int *parameters,
                       int n);
/* Find the state, or follow the path and write its rows. */
int nt_cli_static_find(nt_cli_static *a, const nt_cli_options *options);
/* Write the present state. */
nt_status nt_cli_static_row(nt_cli_static *a, const nt_state_rate *rates,
                            const double *reaction_rates, nt_error *error);
/* With the state in words; returns `status`, or a worse one. */
int nt_cli_static_summary(nt_cli_static *a, int status);
void nt_cli_static_free(nt_cli_static *a);

#endif
