/* nutate orbit: what its files share. */
#ifndef NUTATE_CLI_ORBIT_H
#define NUTATE_CLI_ORBIT_H

#include "cli/cli.h"

/* An orbit that is sought, and where it is written. */
typedef struct nt_cli_orbit_job {
    nt_cli_plan plan;
    nt_cli_places places;
    const nt_cli_options *options;
    nt_cli_options own;   /* with the method and the period's parameter added */
    nt_setting *settings; /* of `own` */
    nt_orbit *orbit;
    nt_orbit_advance *advances; /* [options->n_advances] */
    char **advance_names;       /* [options->n_advances] without =VALUE, owned */
    int period_parameter;       /* whose value the period is; -1: a number     */
    double period;              /* s, the number, or a first guess; 0: none    */
    double *values;             /* [n_parameters] */
    double *guess;              /* [nq] then [nv] scratch: where the search begins */
    int steps;
    bool has_clock;
    double shown;  /* s, clock: when progress was shown last */
    double looked; /* when it was last asked whether to show, s */
} nt_cli_orbit_job;

/* Make the job: model, method, orbit (not found yet). Exit statuses. free in any case. */
int nt_cli_orbit_prepare(nt_cli_orbit_job *job, const nt_cli_options *options);
void nt_cli_orbit_free(nt_cli_orbit_job *job);

/* The path of orbits of --along, written as it is found. */
int nt_cli_orbit_path(nt_cli_orbit_job *job);
/* The parameter of --along at its first value, before the orbit is made. */
int nt_cli_orbit_path_begin(nt_cli_orbit_job *job);

/* Write the motion and the multipliers of the orbit that was found, and say what it is like. */
int nt_cli_orbit_write(nt_cli_orbit_job *job);

/* Method, period and advances in words. */
void nt_cli_orbit_say_period(const nt_cli_orbit_job *job);
void nt_cli_orbit_clear_progress(const nt_cli_orbit_job *job);

#endif
