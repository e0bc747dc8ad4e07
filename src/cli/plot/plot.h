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
    bool points; /* alone, without lines between them */
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

/* Appends a curve of a column, with room for twice the rows of its result; `words` stand behind its
 * name. An exit status. */
int nt_cli_figure_curve(nt_cli_figure *figure, int result, int column, int color, const char *words,
                        nt_cli_curve **curve);
/* Says that a result has no such column, and which may have been meant; an exit status. */
int nt_cli_unknown_column(const nt_cli_figure *figure, int result, const char *name);

/* plot_sweep.c: whether a result is the table of a sweep; the curves of one of its columns, an exit
 * status. */
bool nt_cli_is_sweep(const nt_result *result);
int nt_cli_figure_sweep(nt_cli_figure *figure, const nt_cli_options *options, int result,
                        int column, int *color);

#endif
