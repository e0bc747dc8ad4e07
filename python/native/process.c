#include "process.h"

#include <stdatomic.h>
#include <stdlib.h>

int py_claim(uintptr_t interpreter)
{
    static _Atomic uintptr_t first = 0;
    uintptr_t none = 0;
    return atomic_compare_exchange_strong(&first, &none, interpreter) || none == interpreter;
}

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
