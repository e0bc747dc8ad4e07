#include "process.h"

#include <stdatomic.h>

int py_claim(uintptr_t interpreter)
{
    static _Atomic uintptr_t first = 0;
    uintptr_t none = 0;
    return atomic_compare_exchange_strong(&first, &none, interpreter) || none == interpreter;
}
