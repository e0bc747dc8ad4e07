/* Modes: the ten lowest of a lattice of 64 x 64 bodies, and a Campbell diagram of 61 speeds of a
 * shaft with 1000 unknowns.
 *
 * The lattice has the joints of bench/lattice.c: rows of bodies, each joined to the next one, and
 * rows joined to each other in every eighth column. It lies on an elastic bed that is stiffer
 * further out. Time is that of the processor, for state and modes; reading is told apart. */
#include <nutate/nutate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 64, COUNT = 10, DISKS = 167, SPEEDS = 61 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(nt_status status, const nt_error *error)
{
    if (status == NT_OK)
        return;
    fprintf(stderr, "modes: %s\n", error->message);
    exit(1);
}

static char *text;
static size_t room, used;

#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)

static void begin_text(size_t size)
{
    room = size, used = 0;
    free(text);
    text = malloc(room);
    if (!text) {
        fprintf(stderr, "modes: out of memory\n");
        exit(1);
    }
}

static void say_joints(int beds)
{
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            double x = 0.25 * c, y = 0.25 * r, k = 1 + 0.3 * x + 0.2 * y;
            if (beds) {
                SAY("  e%dx%d: {type: bushing, between: [ground, b%dx%d], at: [%g, %g, 0], "
                    "stiffness: "
                    "[%g, %g, %g, %g, %g, %g]}\n",
                    r, c, r, c, x, y, 10 * k, 10 * k, k, 0.1 * k, 0.1 * k, 0.1 * k);
                continue;
            }
            if (c == 0)
                SAY("  j%dx0: {type: spherical, between: [ground, b%dx0], at: [0, %g, 0]}\n", r, r,
                    y);
            else
                SAY("  j%dx%d: {type: spherical, between: [b%dx%d, b%dx%d], at: [%g, %g, 0]}\n", r,
                    c, r, c - 1, r, c, x, y);
            if (r > 0 && c % 8 == 7)
                SAY("  k%dx%d: {type: spherical, between: [b%dx%d, b%dx%d], at: [%g, %g, 0]}\n", r,
                    c, r - 1, c, r, c, 0.125 + x, y - 0.125);
        }
}

static void write_lattice(void)
{
    begin_text((size_t)SIDE * SIDE * 600);
    SAY("nutate: 1\ngravity: [0, 0, 0]\nbodies:\n");
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++)
            SAY("  b%dx%d: {mass: 0.078125, inertia: [8e-4, 4.1e-4, 4.1e-4], position: [%g, %g, "
                "0]}\n",
                r, c, 0.125 + 0.25 * c, 0.25 * r);
    SAY("joints:\n");
    say_joints(0);
    SAY("forces:\n");
    say_joints(1);
}

static void write_shaft(void)
{
    double h = 1.0 / (DISKS - 1);
    begin_text((size_t)DISKS * 500);
    SAY("nutate: 1\ngravity: [0, 0, 0]\nparameters: {w: 0}\nbodies:\n");
    for (int i = 0; i < DISKS; i++)
        SAY("  d%d: {mass: 0.2, inertia: [2e-4, 1e-4, 1e-4], position: [%.17g, 0, 0]}\n", i, i * h);
    SAY("forces:\n");
    for (int i = 0; i + 1 < DISKS; i++)
        SAY("  s%d: {type: bushing, between: [d%d, d%d], at: [%.17g, 0, 0], stiffness: [%g, %g, "
            "%g, %g, "
            "%g, %g]}\n",
            i, i, i + 1, (i + 0.5) * h, 1e8 / h, 4e7 / h, 4e7 / h, 1.5e4 / h, 2e4 / h, 2e4 / h);
    for (int i = 0; i < 2; i++)
        SAY("  bearing%d: {type: bushing, between: [ground, d%d], at: [%d, 0, 0], stiffness: [1e6, "
            "1e6, "
            "1.2e6, 0, 0, 0]}\n",
            i, i * (DISKS - 1), i);
    SAY("steady: {turn: {axis: [1, 0, 0], rate: w}}\n");
}

static double measure_lattice(void)
{
    nt_model *model;
    nt_run *run;
    nt_reference *reference;
    nt_modes *modes;
    nt_error error = {0};
    write_lattice();
    double begun = now();
    require(nt_model_read_text(&model, text, used, "lattice", NULL, NULL, 0, &error), &error);
    require(nt_run_create(&run, model, &error), &error);
    double read = now();
    require(nt_reference_create(&reference, run, NT_ABOUT_INITIAL, &error), &error);
    nt_state state = nt_reference_state(reference);
    const nt_modes_setup setup = {.system = nt_run_system(run), .state = &state, .count = COUNT};
    require(nt_modes_create(&modes, &setup, &error), &error);
    double done = now(), worst = 0;
    for (int i = 0; i < nt_modes_count(modes); i++) {
        nt_mode mode = nt_modes_at(modes, i);
        worst = mode.residual > worst ? mode.residual : worst;
    }
    printf("lattice of %d bodies: %d lowest modes, %.6g to %.6g Hz, residual %.1e, by %s: %.3f s "
           "(and %.3f s to read it)\n",
           SIDE * SIDE, nt_modes_count(modes), nt_modes_at(modes, 0).frequency,
           nt_modes_at(modes, COUNT - 1).frequency, worst, nt_modes_finder(modes), done - read,
           read - begun);
    nt_modes_destroy(modes);
    nt_reference_destroy(reference);
    nt_run_destroy(run);
    nt_model_destroy(model);
    return done - read;
}

static double measure_campbell(void)
{
    nt_model *model;
    nt_run *run;
    nt_campbell *campbell;
    nt_error error = {0};
    double values[SPEEDS], least = 1;
    write_shaft();
    require(nt_model_read_text(&model, text, used, "shaft", NULL, NULL, 0, &error), &error);
    require(nt_run_create(&run, model, &error), &error);
    for (int i = 0; i < SPEEDS; i++)
        values[i] = 2000.0 * i / (SPEEDS - 1);
    double begun = now();
    const nt_campbell_setup setup = {.run = run,
                                     .parameter = "w",
                                     .values = values,
                                     .n_values = SPEEDS,
                                     .about = NT_ABOUT_STEADY,
                                     .count = COUNT};
    require(nt_campbell_create(&campbell, &setup, &error), &error);
    double seconds = now() - begun;
    for (int i = 0; i < nt_campbell_count(campbell); i++)
        for (int k = 0; k < SPEEDS; k++) {
            double likeness;
            nt_campbell_at(campbell, i, k, NULL, &likeness);
            least = likeness < least ? likeness : least;
        }
    printf("shaft of %d unknowns: %d modes over %d speeds, least likeness %.3f: %.3f s\n",
           6 * DISKS, nt_campbell_count(campbell), SPEEDS, least, seconds);
    nt_campbell_destroy(campbell);
    nt_run_destroy(run);
    nt_model_destroy(model);
    return seconds;
}

/* --check: exit status 1 where it takes longer than it may. */
int main(int count, char **arguments)
{
    double lattice = measure_lattice(), campbell = measure_campbell();
    free(text);
    return count > 1 && strcmp(arguments[1], "--check") == 0 && (lattice > 2 || campbell > 5);
}
