/* The watch on energy: see energy_watch.c. */
#ifndef NUTATE_METHOD_ENERGY_WATCH_H
#define NUTATE_METHOD_ENERGY_WATCH_H

#include <nutate/method.h>
#include <stdbool.h>

/* The account of a part of the system that exchanges no energy with others. */
typedef struct nt_energy_account {
    double power;              /* W, at the last look  */
    double kinetic, potential; /* J, there             */
    double in_step;  /* J, by which the larger of both changed in a step since the look before   */
    long explosions; /* of the last looks, those at which what was exchanged had exploded       */
    double given, doubt; /* J, by loads where they give, and how far off that may be */
    double first;        /* J, energy where the watch began */
    double own;          /* J, energy less what was given, at the last look */
    double off;          /* J, by which that may be too low for what the step before it exchanged */
    double least; /* J, smallest of `own` of looks before the last, with what the larger one of
                     the steps beside each exchanged */
    double kinetic_range[2], potential_range[2]; /* J, smallest and largest                   */
    double noise;                                /* J, what rounding of places makes of it    */
    double jump;    /* W, by which power changed most up to a look, from the one before or from
                       a look at power alone                                                      */
    double founded; /* the part of the rates at the last look that there was energy for           */
} nt_energy_account;

/* The account of a body that contacts alone hold, or that a joint holds between stops
 * (bounce_watch.c). Part of a saved state. */
typedef struct nt_bounce_account {
    double gained, doubt, least; /* J, in contacts that were over soon; how far off; smallest    */
    double apart, size;          /* J, the largest                                               */
    double toward;               /* J, the largest that there was to exchange                    */
    double now, now_doubt;       /* J, of the contact that lasts                                 */
    double force;                /* N or N m, what acted in the last step apart from stops       */
    double from_start;           /* m or rad, way of a contact in which the run began: > 0       */
    double t;                    /* s, until where it was followed                               */
    long steps;                  /* of that contact                                              */
    int spoilt;                  /* others have touched meanwhile, or a step was not seen        */
    int moved;                   /* `force` is known                                             */
} nt_bounce_account;

/* What it remembers from look to look; part of a saved state, as its accounts are. */
typedef struct nt_energy_watch {
    bool begun;   /* a first look was made             */
    bool closely; /* work is followed along the steps  */
    double t;     /* s, of the last look               */
    long steps;   /* of the run, up to the last look   */
    long spent;   /* evaluations that steps took, not looks of others, since the last look */
    double growth, allowed; /* J, where the quotient was largest; the run ends beyond 1 */
    int worst; /* the account whose quotient that was; those of bounces behind the others */
} nt_energy_watch;

/* The growth at the last row, whatever its step exchanges: see nt_integrator_check_energy. */
typedef struct nt_last_growth {
    double growth, allowed; /* J */
} nt_last_growth;

/* Room of a watch, one of each for each part. */
typedef struct nt_energy_accounts {
    int n;
    nt_energy_account *each;
    nt_energy_account *before; /* scratch */
    nt_energy *here, *there;   /* scratch: energies at two states                  */
    double *powers;            /* scratch [n][NT_WORK_NODES]: W, those that give   */
    double *founded;           /* scratch [n]: the part of the rates that work is doubted by */
    int n_bounces;
    nt_bounce_account *bounces;
    nt_bounce *bounced; /* scratch */
} nt_energy_accounts;

/* NT_NO_MEMORY, or NT_OK. */
nt_status nt_energy_watch_take(nt_integrator *integrator);

/* At the end of a step that stands: a look, when it is due. NT_ENERGY and words where the energy
 * has grown without a cause, in a setup that such a run is to end in. */
nt_status nt_energy_watch_step(nt_integrator *integrator, nt_error *error);

/* The same of bodies that contacts alone hold, at the end of every step. */
void nt_bounce_watch_step(nt_integrator *integrator);
/* What has gained most of such an account. */
void nt_bounce_watch_name(const nt_integrator *integrator, int account, char *text, int size);

/* A state that later ones are compared with, to say who gained energy. */
struct nt_phase;
void nt_energy_watch_keep(nt_integrator *integrator, const struct nt_phase *phase);

#endif
