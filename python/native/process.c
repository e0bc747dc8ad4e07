#include "process.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

int py_claim(uintptr_t interpreter)
{
    static _Atomic uintptr_t first = 0;
    uintptr_t none = 0;
    return atomic_compare_exchange_strong(&first, &none, interpreter) || none == interpreter;
}

/* ---- stopping ------------------------------------------------------------------------------- */

/* s between two looks at signals. The clock costs as much as a twentieth of a small model's step:
 * it is read at every sixteenth question while sixteen of them take no time. */
static const double LOOK_EVERY = 0.05, NO_TIME = 0.01;
enum { QUICK_QUESTIONS = 15 };

static _Thread_local struct {
    double looked_at, read_at; /* s, clock */
    int quick;                 /* questions that go by before the clock is read again */
    int stopped;
} asking;

int py_signals(void);

int py_stop_asked(void *context)
{
    (void)context;
    if (asking.stopped)
        return 1;
    if (asking.quick > 0) {
        asking.quick--;
        return 0;
    }
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &at);
    double now = (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
    asking.quick = now - asking.read_at < NO_TIME ? QUICK_QUESTIONS : 0;
    asking.read_at = now;
    if (now - asking.looked_at < LOOK_EVERY)
        return 0;
    asking.looked_at = now;
    asking.stopped = py_signals() != 0;
    return asking.stopped;
}

void py_stop_over(void) { asking.stopped = 0; }

/* ---- holders -------------------------------------------------------------------------------- */

struct py_hold {
    nt_model *model;
    atomic_long holders;
};

py_hold *py_hold_create(nt_model *model)
{
    py_hold *hold = malloc(sizeof *hold);
    if (!hold) {
        nt_model_destroy(model);
        return NULL;
    }
    hold->model = model;
    atomic_init(&hold->holders, 1);
    return hold;
}

py_hold *py_hold_take(py_hold *hold)
{
    atomic_fetch_add(&hold->holders, 1);
    return hold;
}

void py_hold_drop(py_hold *hold)
{
    if (!hold || atomic_fetch_sub(&hold->holders, 1) > 1)
        return;
    nt_model_destroy(hold->model);
    free(hold);
}
