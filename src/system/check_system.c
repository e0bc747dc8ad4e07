/* Systems and states from callers: fields that contradict each other are found before anything
 * relies on them. */
#include "system/check.h"

#include "linalg/pattern.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Where words of a refusal begin: "nt_integrator_create: setup.system". */
typedef struct complaint {
    nt_error *error;
    const char *function, *name;
} complaint;

NT_PRINTF(2, 3) static nt_status system_refuse(const complaint *c, const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return nt_fail(c->error, NT_INVALID, "%s: %s%s", c->function, c->name, words);
}

static nt_status check_counts(const complaint *c, const nt_system *s)
{
    const struct {
        const char *name;
        int count, least;
    } counts[] = {{"space.nv", s->space.nv, 1},
                  {"space.nq", s->space.nq, 0},
                  {"space.n_blocks", s->space.n_blocks, 1},
                  {"nh", s->nh, 0},
                  {"nn", s->nn, 0},
                  {"n_memory", s->n_memory, 0},
                  {"n_parameters", s->n_parameters, 0},
                  {"n_energies", s->n_energies, 0},
                  {"n_bounces", s->n_bounces, 0},
                  {"n_onsets", s->n_onsets, 0}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].count < counts[i].least)
            return system_refuse(c, ".%s is %d, expected %d or more", counts[i].name,
                                 counts[i].count, counts[i].least);
    if (!(s->length >= 0) || !isfinite(s->length))
        return system_refuse(c, ".length is %g m, expected a positive number, or 0 for 1 m",
                             s->length);
    return NT_OK;
}

/* Blocks lie one behind the other, as nt_space_init lays them out. */
static nt_status check_space(const complaint *c, const nt_space *space)
{
    if (!space->blocks)
        return system_refuse(c, ".space.blocks is NULL");
    int nv = 0, nq = 0, n_rotations = 0, n_first = 0;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if ((int)block->kind < NT_RN || (int)block->kind > NT_FIRST)
            return system_refuse(c, ".space.blocks[%d].kind is %d, which is none", b,
                                 (int)block->kind);
        bool turns = block->kind == NT_SO3 || block->kind == NT_R3SO3;
        int size = block->kind == NT_SO3 ? 3 : block->kind == NT_R3SO3 ? 6 : block->nv;
        int places = block->kind == NT_FIRST ? 0 : size + turns;
        if (block->v != nv || block->q != nq || block->nv != size || block->nq != places ||
            size < 0 || block->rotation != (turns ? n_rotations : -1))
            return system_refuse(c, ".space: block %d is not laid out; call nt_space_init", b);
        nv += size, nq += places, n_rotations += turns;
        n_first += block->kind == NT_FIRST ? size : 0;
    }
    if (nv != space->nv || nq != space->nq || n_rotations != space->n_rotations ||
        n_first != space->n_first)
        return system_refuse(c,
                             ".space: blocks add up to nq = %d, nv = %d, %d rotations and %d "
                             "unknowns of first order, expected %d, %d, %d, %d",
                             nq, nv, n_rotations, n_first, space->nq, space->nv, space->n_rotations,
                             space->n_first);
    return NT_OK;
}

static nt_status check_quantities(const complaint *c, const char *name, const nt_quantity *list,
                                  int n)
{
    for (int i = 0; list && i < n; i++)
        if ((int)list[i] < NT_LENGTH || (int)list[i] > NT_ANGLE)
            return system_refuse(c, ".%s[%d] is %d, which is no nt_quantity", name, i,
                                 (int)list[i]);
    return NT_OK;
}

static nt_status check_pattern(const complaint *c, const nt_system *s)
{
    const nt_pattern *pattern = s->pattern;
    int n = s->space.nv + s->nh + s->nn;
    if (!pattern)
        return NT_OK;
    if (pattern->n != n)
        return system_refuse(c, ".pattern has %d unknowns, expected %d", pattern->n, n);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        if (row >= pattern->n_primary && nt_pattern_find(pattern, column, row) < 0)
            return system_refuse(c,
                                 ".pattern has the constraint block (%d, %d) but not (%d, %d), "
                                 "its force",
                                 row, column, column, row);
    }
    return NT_OK;
}

/* What is declared is there. */
static nt_status check_capabilities(const complaint *c, const nt_system *s)
{
    const struct {
        unsigned bit;
        const char *declared, *field;
        bool given;
    } rows[] = {
        {NT_HAS_ENERGY, "NT_HAS_ENERGY", "energy", s->energy != NULL},
        {NT_HAS_PARAMETERS, "NT_HAS_PARAMETERS", "set_parameters", s->set_parameters != NULL},
        {NT_HAS_PARAMETERS, "NT_HAS_PARAMETERS", "get_parameters", s->get_parameters != NULL},
        {NT_HAS_PARAMETER_TANGENT, "NT_HAS_PARAMETER_TANGENT", "parameter_tangent",
         s->parameter_tangent != NULL},
        {NT_HAS_MOMENTA, "NT_HAS_MOMENTA", "momenta", s->momenta != NULL},
        {NT_HAS_MOMENTA, "NT_HAS_MOMENTA", "momenta.mass", s->momenta && s->momenta->mass},
        {NT_HAS_MOMENTA, "NT_HAS_MOMENTA", "momenta.inertia",
         s->space.n_rotations == 0 || (s->momenta && s->momenta->inertia)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((s->capabilities & rows[i].bit) && !rows[i].given)
            return system_refuse(c, ".%s is NULL, but .capabilities declares %s", rows[i].field,
                                 rows[i].declared);
    unsigned known = (2u * NT_DISCRETE_MEMORY - 1) | NT_GIVES_NO_ENERGY | NT_KEEPS_RATES;
    if (s->capabilities & ~known)
        return system_refuse(c, ".capabilities is 0x%x, of which 0x%x is none", s->capabilities,
                             s->capabilities & ~known);
    for (int i = 0; i < s->n_parameters; i++) {
        if (s->parameter_names && !s->parameter_names[i])
            return system_refuse(c, ".parameter_names[%d] is NULL", i);
        if (s->parameter_scale && !(s->parameter_scale[i] > 0 && isfinite(s->parameter_scale[i])))
            return system_refuse(c, ".parameter_scale[%d] is %g, expected a positive number", i,
                                 s->parameter_scale[i]);
    }
    return NT_OK;
}

static nt_status check_events(const complaint *c, const nt_system *s)
{
    const nt_events *events = s->events;
    if (!events)
        return NT_OK;
    if (events->n < 0 || events->n_sliding < 0 || events->n_sliding > s->nn)
        return system_refuse(c,
                             ".events: %d indicators and %d sliding rows, expected 0 or more, and "
                             "at most %d, the nonholonomic rows",
                             events->n, events->n_sliding, s->nn);
    if (events->n > 0 && (events->sides < 0 || events->sides > s->n_memory - 2 * events->n))
        return system_refuse(c, ".events.sides is %d, expected room for %d entries of %d of memory",
                             events->sides, 2 * events->n, s->n_memory);
    if (!events->happen)
        return system_refuse(c, ".events.happen is NULL");
    if (events->n > 0 && !events->indicate)
        return system_refuse(c, ".events.indicate is NULL, but there are %d indicators", events->n);
    return NT_OK;
}

/* Lists by blocks of the space. */
static nt_status check_blocks(const complaint *c, const nt_system *s)
{
    if (!s->given_rows != !s->given)
        return system_refuse(c, ".%s is NULL, but .%s is not", s->given ? "given_rows" : "given",
                             s->given ? "given" : "given_rows");
    if (s->given_rows && !s->momenta)
        return system_refuse(c, ".momenta is NULL, but .given_rows is not");
    for (int b = 0; b < s->space.n_blocks; b++) {
        int row = s->given_rows ? s->given_rows[b] : -1;
        if (row < -1 || (row >= 0 && row > s->nh - 3))
            return system_refuse(c, ".given_rows[%d] is %d, expected -1 or three rows of %d", b,
                                 row, s->nh);
        if (row >= 0 && s->space.blocks[b].kind != NT_R3SO3)
            return system_refuse(c, ".given_rows[%d] is %d, but the block is no R^3 x SO(3)", b,
                                 row);
        if (s->carriers && (s->carriers[b] < 0 || s->carriers[b] >= s->space.n_blocks))
            return system_refuse(c, ".carriers[%d] is %d, expected one of %d blocks", b,
                                 s->carriers[b], s->space.n_blocks);
    }
    return NT_OK;
}

nt_status nt_system_refuse(nt_error *error, const char *function, const char *name,
                           const nt_system *s)
{
    const complaint c = {error, function, name};
    if (!s)
        return system_refuse(&c, " is NULL");
    if (!nt_version_is_read(s->version)) {
        char field[64];
        snprintf(field, sizeof field, "%s.version", name);
        return nt_refuse_version(error, function, field, s->version);
    }
    if (s->frame != NT_INERTIAL && s->frame != NT_BODY)
        return system_refuse(&c, ".frame is %d, expected NT_INERTIAL or NT_BODY", (int)s->frame);
    if (!s->evaluate)
        return system_refuse(&c, ".evaluate is NULL");
    nt_status status = check_counts(&c, s);
    if (status == NT_OK)
        status = check_space(&c, &s->space);
    if (status == NT_OK)
        status = check_quantities(&c, "v_quantity", s->v_quantity, s->space.nv);
    if (status == NT_OK)
        status = check_quantities(&c, "row_quantity", s->row_quantity, s->nh + s->nn);
    if (status == NT_OK)
        status = check_pattern(&c, s);
    if (status == NT_OK)
        status = check_capabilities(&c, s);
    if (status == NT_OK)
        status = check_events(&c, s);
    return status == NT_OK ? check_blocks(&c, s) : status;
}

nt_status nt_system_check(const nt_system *system, nt_error *error)
{
    nt_error_clear(error);
    return nt_said(error, nt_system_refuse(error, __func__, "system", system));
}

nt_status nt_arrays_refuse(nt_error *error, const char *function, const char *name,
                           const nt_system *s, const void *const arrays[6])
{
    static const char *const names[6] = {"q", "v", "vdot", "lambda", "mu", "memory"};
    const int sizes[6] = {s->space.nq, s->space.nv, s->space.nv, s->nh, s->nn, s->n_memory};
    for (int i = 0; i < 6; i++)
        if (sizes[i] > 0 && !arrays[i])
            return nt_fail(error, NT_INVALID, "%s: %s.%s is NULL", function, name, names[i]);
    return NT_OK;
}

nt_status nt_numbers_refuse(nt_error *error, const char *function, const char *name,
                            const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return nt_fail(error, NT_INVALID, "%s: %s[%d] is %g, expected a finite number",
                           function, name, i, x[i]);
    return NT_OK;
}

nt_status nt_length_refuse(nt_error *error, const char *function, const char *name, double length)
{
    if (length > 0 && isfinite(length))
        return NT_OK;
    return nt_fail(error, NT_INVALID, "%s: %s is %g m, expected a positive number", function, name,
                   length);
}

nt_status nt_system_refuse_past(const nt_system *system, const char *what, nt_error *error)
{
    bool past = (system->capabilities & NT_KEEPS_RATES) && system->n_memory > 0 &&
                !(system->capabilities & NT_DISCRETE_MEMORY);
    return past ? nt_fail(error, NT_UNSUPPORTED,
                          "%s: the equations have the past in them (a delay), which is not known "
                          "here; expected the expression itself in place of its delay, or a "
                          "block that comes close to it",
                          what)
                : NT_OK;
}
