/* The bearing of figure 6 as a model file, b1.yaml: read with its evaluations counted, run by any
 * method, looked at on the way. */
#ifndef NUTATE_PAPERS_MODIN_B1_H
#define NUTATE_PAPERS_MODIN_B1_H

#include "papers/papers.h"

/* s: the time of figure 6; balls. */
#define NT_B1_END 6e-4
enum { NT_B1_BALLS = 9 };

typedef struct nt_b1 {
    nt_model *model;
    nt_run *run;
    const nt_system *inside;
    nt_system system;           /* borrows itself: an nt_b1 stays where it is */
    long evaluations, tangents; /* of the contacts */
} nt_b1;

/* False: the report says why. To be closed in any case. */
bool nt_b1_open(nt_b1 *b, nt_paper_report *report, const nt_setting *settings, int n);
void nt_b1_close(nt_b1 *b);

typedef struct nt_b1_manner {
    const char *method;
    nt_option option;       /* name NULL: none */
    double step, tolerance; /* step 0: the method's own */
} nt_b1_manner;

/* What is looked at: the first columns of `n` quantities at `times` times, 0, every, 2 every, ...
 * into out[times][n]. */
typedef struct nt_b1_look {
    const char *const *names;
    int n, times;
    double every; /* s */
    double *out;
} nt_b1_look;

enum { NT_B1_MOST_NAMES = 48 };

/* Runs to the last of the times. False where the method fails: too long a step may be unstable, and
 * that may be what is looked at; *error then says why. */
bool nt_b1_run(nt_b1 *b, const nt_b1_manner *how, const nt_b1_look *look, nt_error *error);
/* Runs to NT_B1_END without looks, for what that takes: evaluations and tangents after the start,
 * *seconds of processor time, *steps. */
bool nt_b1_cost(nt_b1 *b, const nt_b1_manner *how, double *seconds, long *steps);

/* ---- errors ------------------------------------------------------------------------------------
 *
 * The largest of three root mean squares over t = 0, 10, ... 600 us: of the loads of all balls on
 * the outer ring over 390 N, of the cage's speed over its swing, of the loads in all pockets over
 * their peak. */
enum { NT_B1_TIMES = 61, NT_B1_NUMBERS = 2 * NT_B1_BALLS + 1 };

/* Loads on the outer ring, in the pockets, and the cage's speed. */
typedef struct nt_b1_curves {
    double number[NT_B1_TIMES][NT_B1_NUMBERS];
} nt_b1_curves;

bool nt_b1_curves_of(nt_b1 *b, const nt_b1_manner *how, nt_b1_curves *out);
/* The solution to compare with: rkmk-dop853 at a tolerance of 1e-12. False: the report says so. */
bool nt_b1_exact(nt_b1 *b, nt_paper_report *report, nt_b1_curves *out);
double nt_b1_error(const nt_b1_curves *a, const nt_b1_curves *exact);

#endif
