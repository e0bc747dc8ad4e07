/* nutate sens --check: what its runs find and what its verdicts are made of. */
#ifndef NUTATE_CLI_SENS_CHECK_H
#define NUTATE_CLI_SENS_CHECK_H

#include "cli/cli.h"

/* Steps of differences, relative to the parameter; lengths of shorter steps of time. */
enum { NT_CHECK_STEPS = 7, NT_CHECK_REFINED = 3 };
extern const double nt_check_steps[NT_CHECK_STEPS];

/* A quantity or an objective: columns that are judged together. */
typedef struct nt_check_group {
    int first, columns;
    nt_quantity_info quantity; /* columns = 0 for an objective                                 */
    double largest;            /* of the values of its unit                                    */
    double floor;  /* changes below it, for a change of a parameter by its own size, are rounding */
    double beside; /* how far a run without change, repeated, is from the one that is judged   */
} nt_check_group;

/* Derivatives of all columns in one parameter, and what runs with a changed parameter gave. */
typedef struct nt_check_differences {
    const double *exact; /* [n]                                                             */
    /* [steps][n] by two runs, by four; and the fourth difference of values, as large as the
     * rounding of one where the result is smooth */
    double *two[NT_CHECK_STEPS], *four[NT_CHECK_STEPS], *wiggle[NT_CHECK_STEPS];
    bool done[NT_CHECK_STEPS];
    double size;    /* of the parameter */
    bool own_steps; /* the runs choose their time steps                                        */
    /* [n] by runs of shorter steps, the first of them half as long, where equal steps begin anew at
     * events and move with these in runs, not in derivatives: both differ by the error of the
     * method, which depends on where in a step an event is. NULL: they do not, or are not asked. */
    const double *refined[NT_CHECK_REFINED];
    const double *finer; /* [n] the derivatives in steps of half the size; NULL: not computed */
    bool has_jumps; /* of the model: where nothing changes, a jump may have been missed        */
} nt_check_differences;

typedef enum nt_check_kind {
    NT_CHECK_ZERO, /* and so are the differences, to rounding     */
    NT_CHECK_RIGHT,
    NT_CHECK_UNCHANGED, /* no verdict: zero, and the model has jumps   */
    NT_CHECK_MOVED,     /* no verdict: beside it by what steps that follow events do */
    NT_CHECK_UNDECIDED, /* no verdict: the differences disagree        */
    NT_CHECK_ELSEWHERE, /* no verdict: other events happen in every run */
    NT_CHECK_FAILED,    /* no verdict: every run failed                */
    NT_CHECK_WRONG,
    NT_CHECK_KINDS
} nt_check_kind;

typedef struct nt_check_verdict {
    nt_check_kind kind;
    int step; /* whose difference by four runs counts; -1: none */
    double doubt, size, off, floor;
} nt_check_verdict;

nt_check_verdict nt_check_judge(const nt_check_group *group, const nt_check_differences *d);

/* The verdict on one of its columns: where another one is off, this one may be right. */
nt_check_kind nt_check_of_row(const nt_check_verdict *v, double exact, double difference);

/* Whether more runs could not change it. */
bool nt_check_is_settled(const nt_check_verdict *v);

/* ---- the list ------------------------------------------------------------------------------- */

/* One derivative. */
typedef struct nt_check_row {
    nt_check_kind kind;
    char label[512];
    double derivative, difference, digits, doubt; /* doubt relative to the size of its group */
} nt_check_row;

/* The verdicts in numbers, then the worst rows; puts rows[n] in that order. */
void nt_check_show(nt_check_row *rows, int n, FILE *to);

#endif
