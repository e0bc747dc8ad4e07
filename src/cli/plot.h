/* nutate plot: curves of results, and how they are drawn. Inside of the command. */
#ifndef NUTATE_CLI_PLOT_H
#define NUTATE_CLI_PLOT_H

#include "cli/cli.h"

/* The points of one column of one result; NaN begins a new line. */
typedef struct nt_cli_curve {
    char *label;      /* owned */
    const char *unit; /* "": not known */
    int color, dash;  /* of the column, of the result */
    double *x, *y;    /* [n] owned */
    long n;
} nt_cli_curve;

typedef struct nt_cli_figure {
    nt_result **results; /* [n_results] */
    const char **paths;  /* [n_results] */
    const char **names;  /* [n_names] of quantities or columns */
    int n_results, n_names;
    nt_cli_curve *curves; /* [n_curves] owned */
    int n_curves;
    char x_label[300];
    const char *x_unit;
    bool spectrum, against_time;
} nt_cli_figure;

/* plot_curves.c: the curves of a figure whose results are open. Says what is wrong; an exit
 * status. */
int nt_cli_figure_fill(nt_cli_figure *figure, const nt_cli_options *options);
void nt_cli_figure_free(nt_cli_figure *figure);

#endif
