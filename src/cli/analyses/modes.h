/* nutate modes: what its files share. */
#ifndef NUTATE_CLI_MODES_H
#define NUTATE_CLI_MODES_H

#include "cli/cli.h"

/* Derivatives in the parameters of --param. */
typedef struct nt_cli_mode_rates {
    nt_mode_rates **of; /* [n] */
    int n;
} nt_cli_mode_rates;

/* That a parameter of an option is one: an exit status. */
int nt_cli_find_parameter(const char *option, const char *path, const nt_system *system,
                          const char *name);

/* Return exit statuses. nt_cli_mode_rates_free in any case. */
int nt_cli_mode_rates_find(nt_cli_mode_rates *rates, const nt_cli_options *options, nt_run *run,
                           nt_about about, const nt_modes *modes);
void nt_cli_mode_rates_free(nt_cli_mode_rates *rates);
/* Columns and numbers behind those of a mode; false when memory is out. */
bool nt_cli_mode_rates_columns(const nt_cli_options *options, const nt_model *model,
                               nt_cli_table *table);
double *nt_cli_mode_rates_row(const nt_cli_mode_rates *rates, nt_run *run, const double *q,
                              int mode, double *at);
/* Against differences of whole computations, printed on standard output; NT_EXIT_FAILED where one
 * is wrong. */
int nt_cli_mode_rates_check(const nt_cli_mode_rates *rates, const nt_cli_options *options,
                            nt_run *run, nt_about about, const nt_modes *modes);

#endif
