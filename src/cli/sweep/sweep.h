/* nutate sweep: what its files share. */
#ifndef NUTATE_CLI_SWEEP_H
#define NUTATE_CLI_SWEEP_H

#include "cli/cli.h"

/* How many rows run at once: as --threads says, or as many as there are processors. */
int nt_cli_sweep_at_once(const nt_cli_options *options);

/* Rows by --engine parallel or slurm. An exit status. */
int nt_cli_sweep_engine(nt_sweep *sweep, const nt_cli_options *options);

/* A table of all rows. */
int nt_cli_sweep_collect(const nt_cli_options *options);
/* Statistics of all rows. */
int nt_cli_sweep_statistics(const nt_cli_options *options);

#endif
