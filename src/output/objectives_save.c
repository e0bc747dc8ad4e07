/* Objectives of a run that is saved and goes on: the same bytes of equal states. */
#include "base/error.h"
#include "output/objectives.h"

#include <string.h>

typedef struct saved {
    int n, n_parameters, points;
    double t[POINTS], start, begin, smooth, parted;
    long events;
} saved;

/* The arrays that go on, each of n * size doubles. */
enum { KEPT = POINTS + 3 };
static void kept_of(const nt_objectives *o, double *kept[KEPT])
{
    for (int i = 0; i < POINTS; i++)
        kept[i] = o->g[i];
    kept[POINTS] = o->sum;
    kept[POINTS + 1] = o->largest;
    kept[POINTS + 2] = o->shown;
}

static size_t kept_bytes(const nt_objectives *o) { return (size_t)o->n * o->size * sizeof(double); }

size_t nt_objectives_saved_size(const nt_objectives *o)
{
    return o ? sizeof(saved) + KEPT * kept_bytes(o) + (2 * (size_t)o->n + o->size) * sizeof(double)
             : 0;
}

void nt_objectives_save(const nt_objectives *o, void *bytes)
{
    double *kept[KEPT];
    saved head;
    if (!o || !bytes)
        return;
    memset(&head, 0, sizeof head); /* padding too: equal states are equal bytes */
    head.n = o->n, head.n_parameters = o->n_parameters, head.points = o->points;
    head.start = o->start, head.begin = o->begin, head.smooth = o->smooth;
    head.parted = o->parted;
    head.events = o->events;
    memcpy(head.t, o->t, sizeof head.t);
    memcpy(bytes, &head, sizeof head);
    kept_of(o, kept);
    for (size_t i = 0; i < KEPT; i++)
        memcpy((char *)bytes + sizeof head + i * kept_bytes(o), kept[i], kept_bytes(o));
    char *rest = (char *)bytes + sizeof head + KEPT * kept_bytes(o);
    size_t each = (size_t)o->n * sizeof(double);
    memcpy(rest, o->pending, each);
    memcpy(rest + each, o->slope, each);
    memcpy(rest + 2 * each, o->moved, o->size * sizeof(double));
}

nt_status nt_objectives_restore(nt_objectives *o, const void *bytes, size_t size, nt_error *error)
{
    double *kept[KEPT];
    saved head = {0};
    nt_error_clear(error);
    NT_NEED(error, "objectives bytes", o, bytes);
    if (size == nt_objectives_saved_size(o))
        memcpy(&head, bytes, sizeof head);
    if (size != nt_objectives_saved_size(o) || head.n != o->n ||
        head.n_parameters != o->n_parameters || head.points < 0 || head.points > POINTS)
        return nt_fail(error, NT_INVALID, "the saved objectives are of another model");
    o->points = head.points;
    o->start = head.start, o->begin = head.begin, o->smooth = head.smooth;
    o->parted = head.parted;
    o->events = head.events;
    memcpy(o->t, head.t, sizeof head.t);
    kept_of(o, kept);
    for (size_t i = 0; i < KEPT; i++)
        memcpy(kept[i], (const char *)bytes + sizeof head + i * kept_bytes(o), kept_bytes(o));
    const char *rest = (const char *)bytes + sizeof head + KEPT * kept_bytes(o);
    size_t each = (size_t)o->n * sizeof(double);
    memcpy(o->pending, rest, each);
    memcpy(o->slope, rest + each, each);
    memcpy(o->moved, rest + 2 * each, o->size * sizeof(double));
    return NT_OK;
}
