/* Saving and restoring sensitivities, bit for bit: variations at the present state and the one
 * before it, work, and how pseudo-loads are found. For each parameter one piece:
 *
 *   its number; step and error of its differences; work at both states; variations at both. */
#include "base/error.h"
#include "linalg/solver.h"
#include "sensitivity/forward.h"

#include <math.h>
#include <string.h>

typedef struct header {
    char magic[8];
    int n, n_parameters;
    size_t stride, solver;
    double t, event_t; /* s */
} header;

enum { PARAMETER, STEP, DIFFERENCE, WORK, WORK_BEFORE, EVENT_TIME, PIECE_HEAD };

static header forward_save_header_of(const nt_sensitivity *s)
{
    header h;
    memset(&h, 0, sizeof h); /* padding too: equal states are equal bytes */
    memcpy(h.magic, "nutsens", 8);
    h.n = s->n;
    h.n_parameters = s->integrator->problem->system->n_parameters;
    h.stride = s->directions.stride;
    h.solver = nt_solver_saved_size(s->factors->solver); /* its memory follows the header */
    h.t = s->t;
    h.event_t = s->event_t;
    return h;
}

/* Doubles of one parameter. */
static size_t forward_save_piece_of(const nt_sensitivity *s)
{
    return PIECE_HEAD + 2 * s->directions.stride;
}

static size_t bytes_of(const nt_sensitivity *s, int n)
{
    return sizeof(header) + nt_solver_saved_size(s->factors->solver) +
           (size_t)n * forward_save_piece_of(s) * sizeof(double);
}

size_t nt_sensitivity_saved_size(const nt_sensitivity *s) { return s ? bytes_of(s, s->n) : 0; }

void nt_sensitivity_save(const nt_sensitivity *s, void *bytes)
{
    if (!s || !bytes)
        return;
    header h = forward_save_header_of(s);
    size_t stride = s->directions.stride;
    char *out = bytes;
    memcpy(out, &h, sizeof h);
    nt_solver_save(s->factors->solver, out + sizeof h);
    out += sizeof h + h.solver;
    for (int i = 0; i < s->n; i++, out += forward_save_piece_of(s) * sizeof(double)) {
        const nt_load_route *route = &s->route[i];
        const double head[PIECE_HEAD] = {
            [PARAMETER] = route->parameter,    [STEP] = route->step,
            [DIFFERENCE] = route->difference,  [WORK] = s->work[i],
            [WORK_BEFORE] = s->work_before[i], [EVENT_TIME] = s->event_time[i]};
        double *const from[2] = {s->now, s->before};
        memcpy(out, head, sizeof head);
        for (size_t k = 0; k < 2; k++) {
            nt_variation d = nt_sensitivity_variation(s, from[k], i, NT_APART_FIRST);
            memcpy(out + sizeof head + k * stride * sizeof(double), d.q, stride * sizeof(double));
        }
    }
}

/* The piece of a parameter among n, NULL where it was not saved. */
static const char *find_piece(const nt_sensitivity *s, const char *pieces, int n, int parameter)
{
    for (int j = 0; j < n; j++, pieces += forward_save_piece_of(s) * sizeof(double)) {
        double number;
        memcpy(&number, pieces + PARAMETER * sizeof number, sizeof number);
        if (number == parameter)
            return pieces;
    }
    return NULL;
}

static void take_piece(nt_sensitivity *s, int i, const char *piece)
{
    double head[PIECE_HEAD];
    size_t bytes = s->directions.stride * sizeof(double);
    double *const to[2] = {s->now, s->before};
    memcpy(head, piece, sizeof head);
    for (size_t k = 0; k < 2; k++) {
        memcpy(s->apart, piece + sizeof head + k * bytes, bytes);
        nt_sensitivity_write(s, to[k], i, s->apart);
    }
    s->route[i].step = head[STEP];
    s->route[i].difference = head[DIFFERENCE];
    s->work[i] = head[WORK];
    s->work_before[i] = head[WORK_BEFORE];
    s->event_time[i] = head[EVENT_TIME];
}

nt_status nt_sensitivity_restore(nt_sensitivity *s, const void *bytes, size_t size, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sensitivity bytes", s, bytes);
    const nt_phase *now = &s->integrator->stepper.now;
    const nt_system *system = s->integrator->problem->system;
    header mine = forward_save_header_of(s), h;
    const char *pieces = (const char *)bytes + sizeof h + mine.solver;
    if (size < sizeof h)
        return nt_fail(error, NT_INVALID,
                       "saved sensitivities have %zu bytes, expected at least %zu", size, sizeof h);
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.magic, mine.magic, sizeof h.magic) != 0)
        return nt_fail(error, NT_INVALID, "these are no saved sensitivities");
    if (h.stride != mine.stride || h.solver != mine.solver || h.n_parameters != mine.n_parameters ||
        h.n < 0 || (size_t)h.n > size / sizeof(double) || size != bytes_of(s, h.n))
        return nt_fail(error, NT_INVALID,
                       "saved sensitivities are of another system, method or number of parameters");
    if (!s->integrator->started || h.t != now->all[NT_PHASE_T])
        return nt_fail(error, NT_INVALID,
                       "saved sensitivities are of t = %.17g s, the integrator stands elsewhere",
                       h.t);
    for (int i = 0; i < s->n; i++)
        if (!find_piece(s, pieces, h.n, s->route[i].parameter))
            return nt_fail(error, NT_INVALID, "derivatives in parameter %s were not saved",
                           system->parameter_names ? system->parameter_names[s->route[i].parameter]
                                                   : "(without a name)");
    nt_point at = nt_phase_point(now);
    nt_status status = nt_pseudo_load_prepare(s, &at, error);
    if (status == NT_OK)
        status = nt_solver_restore(s->factors->solver, (const char *)bytes + sizeof h, NULL);
    for (int i = 0; i < s->n && status == NT_OK; i++)
        take_piece(s, i, find_piece(s, pieces, h.n, s->route[i].parameter));
    s->t = status == NT_OK ? h.t : (double)NAN;
    s->event_t = h.event_t;
    s->linearised_t = s->between_t = (double)NAN;
    return nt_said(error, status);
}
