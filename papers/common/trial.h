/* Trials: a model or a system of C run with a method, for experiments. */
#ifndef NUTATE_PAPERS_TRIAL_H
#define NUTATE_PAPERS_TRIAL_H

#include "papers/papers.h"

enum { NT_TRIAL_OPTIONS = 8 };

/* What is to be run; a zero field means the default. */
typedef struct nt_trial {
    const char *model;       /* file under the papers' folder, or else                   */
    const nt_system *system; /* borrowed, with                                           */
    const double *q, *v;     /* its initial values at t = 0; NULL: the system's own      */
    const char *method;
    nt_option option[NT_TRIAL_OPTIONS]; /* up to the first without a name */
    nt_frame frame;
    double tolerance;      /* of all quantities; 0: equal steps                        */
    const char *parameter; /* its value is multiplied by                               */
    double factor;         /* this one, where not 0                                    */
    bool differentiated;   /* sensitivities in `parameter` are carried along           */
} nt_trial;

/* One that is under way. */
typedef struct nt_course {
    nt_paper_report *report;
    nt_model *model; /* NULL for systems of C, with ... */
    nt_run *run;     /* ... its run                    */
    const nt_system *system;
    nt_integrator *integrator;
    nt_sensitivity *sensitivity;
    const char *method;
} nt_course;

/* Begin at the initial values. False: the report says why. nt_course_end in any case. */
bool nt_course_begin(nt_course *course, nt_paper_report *report, const nt_trial *trial);
void nt_course_end(nt_course *course);

/* To t, in equal steps of h or variable ones of which h is the first. False: the report says why.
 */
bool nt_course_run(nt_course *course, double t, double h);
/* The same without telling the report: a method may be unstable, that is what is looked at. */
bool nt_course_try(nt_course *course, double t, double h);

nt_state nt_course_state(const nt_course *course);

/* Columns of a recorded quantity of a model, "pivot.force", into out. */
bool nt_course_sample(nt_course *course, const char *quantity, double *out);

/* A solution that counts as exact: eighth order, every step's error below 1e-13 or so. */
nt_trial nt_trial_exact(const char *model);

/* |a - b| and |a - b|/|b| of vectors */
double nt_distance(const double *a, const double *b, int n);
double nt_relative_distance(const double *a, const double *b, int n);
/* |A - B| in Frobenius' norm of two rotations, given as quaternions. */
double nt_rotation_distance(const double *a, const double *b);

#endif
