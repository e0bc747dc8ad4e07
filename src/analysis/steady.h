/* Steady motions: velocities by rates, and the state in which they go on. Internal to the analyses.
 */
#ifndef NUTATE_ANALYSIS_STEADY_H
#define NUTATE_ANALYSIS_STEADY_H

#include "analysis/pencil/pencil.h"
#include "model/model.h"

/* How the bodies of a model move at given rates: they hold together where a joint joins them whose
 * rate is not named, and each group of them that holds together moves like one rigid body. */
typedef struct nt_carriage {
    nt_run *run;
    int n_rates;
    const nt_steady *steady;
    double *rate;    /* [n_rates] rad/s or m/s */
    bool *is_sought; /* [n_rates] found by Newton's method */
    int n_sought;
    int *group; /* [n_bodies] */
    int n_groups;
    int *order; /* [n_links] rates of joints, in the order from the base outward */
    int *child; /* [n_links] group that the joint of this link carries */
    int n_links;
    double *twist; /* [n_groups][6] velocity of the point at the origin, angular velocity */
    nt_arena arena;
} nt_carriage;

/* For the section `steady` of the run's model; without one everything stands still. */
nt_status nt_carriage_create(nt_carriage **carriage, nt_run *run, nt_error *error);
void nt_carriage_destroy(nt_carriage *carriage);

/* v[nv] at q with the carriage's rates, and their steady derivatives vdot[nv]; turn[3] is the rate
 * of the axes that turn with everything. only >= 0: with a unit rate of this one and no others. */
void nt_carriage_velocities(nt_carriage *carriage, const double *q, int only, double *v,
                            double *vdot, double turn[3]);

/* later[nq]: where q has gone after t seconds. */
nt_status nt_carriage_advance(nt_carriage *carriage, const double *q, double t, double *later);

#endif
