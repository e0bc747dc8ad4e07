/* The parts of the program `speed`. */
#ifndef NUTATE_BENCH_SPEED_H
#define NUTATE_BENCH_SPEED_H

#include <nutate/nutate.h>

#include <stdbool.h>
#include <stddef.h>

/* A model and its integrator, through the ordinary path: text or file, reader, model, method. */
typedef struct motion_run {
    nt_model *model;
    nt_run *started;
    nt_integrator *integrator;
    double *q, *v, *memory; /* initial values */
    nt_quantity_info tip, reaction;
} motion_run;

/* tip and reaction are names of recorded quantities with three columns. */
bool motion_open(motion_run *run, const char *text, size_t length, const char *tip,
                 const char *reaction);
bool motion_open_file(motion_run *run, const char *path, const char *tip, const char *reaction);
void motion_close(motion_run *run);
bool motion_start(motion_run *run);
bool motion_advance(motion_run *run, double h, long steps);
bool motion_look(motion_run *run, double tip[3], double reaction[3]);

/* The chain as the text of a model file, `turn` as for the yardstick; free it. NULL: no memory. */
char *chain_text(int n, double turn, size_t *length);

/* Angular velocity about y that benchmarked chains start with, rad/s. Without it all of a long
 * chain but its ends falls straight down, most numbers decay along it to denormal ones (at 1024
 * links), and what is timed is how the processor traps those. */
#define CHAIN_TURN 0.01

void compare_motions(bool brief); /* against the yardsticks, and that results agree */
void count_allocations(void);     /* none in a step                                 */
void compare_peers(void);
void compare_at_accuracy(void);           /* the least time to a given error              */
void measure_command(const char *folder); /* start-up, memory; scratch files go to folder    */
void measure_rows(const char *folder);    /* CSV                                             */

long allocations(void); /* calls of malloc and its like by the library so far */

#endif
