/* A model read from text, its reference state and the modes about it. */
#ifndef NUTATE_TESTS_FOUND_MODES_H
#define NUTATE_TESTS_FOUND_MODES_H

#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct found {
    nt_model *model;
    nt_run *run;
    nt_reference *reference;
    nt_state state;
    double turn[3];
    nt_modes *modes;
    nt_error error;
} found;

static inline void found_close(found *f)
{
    nt_modes_destroy(f->modes);
    nt_reference_destroy(f->reference);
    nt_run_destroy(f->run);
    nt_model_destroy(f->model);
}

/* The first status that is not NT_OK; close it in any case. */
static inline nt_status found_try(found *f, const char *text, nt_about about, nt_modes_setup setup)
{
    *f = (found){0};
    nt_status status =
        nt_model_read_text(&f->model, text, strlen(text), "model", NULL, NULL, 0, &f->error);
    if (status == NT_OK)
        status = nt_run_create(&f->run, f->model, &f->error);
    if (status == NT_OK)
        status = nt_reference_create(&f->reference, f->run, about, &f->error);
    if (status != NT_OK)
        return status;
    f->state = nt_reference_state(f->reference);
    nt_reference_turn(f->reference, f->turn);
    setup.system = nt_run_system(f->run);
    setup.state = &f->state;
    setup.turn = f->turn;
    return nt_modes_create(&f->modes, &setup, &f->error);
}

static inline void found_open(found *f, const char *text, nt_about about, nt_modes_setup setup)
{
    if (found_try(f, text, about, setup) != NT_OK)
        fail_msg("%s", f->error.message);
}

/* |a - b| <= tolerance max(|b|, 1) */
static inline void found_close_to(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance * fmax(fabs(expected), 1)))
        fail_msg("got %.17g, expected %.17g to %g", got, expected, tolerance);
}

/* That some mode has this eigenvalue (imaginary part not negative). */
static inline void found_has(const found *f, double re, double im, double tolerance)
{
    double best = (double)INFINITY, size = fmax(hypot(re, im), 1);
    for (int i = 0; i < nt_modes_count(f->modes); i++) {
        nt_mode mode = nt_modes_at(f->modes, i);
        best = fmin(best, hypot(mode.eigenvalue[0] - re, mode.eigenvalue[1] - im));
    }
    if (!(best <= tolerance * size))
        fail_msg("no eigenvalue %.15g %+.15gi, the nearest is %g off", re, im, best);
}

#endif
