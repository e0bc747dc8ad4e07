/* Whether what a record shows is made of the rounding of places alone.
 *
 * A spring that is stiff beyond measure turns the rounding of its ends into force, and no iteration
 * gets below that: 1e20 N/m at 1 m are 1e4 N that nobody knows. At the end the forces,
 * accelerations and stresses that were recorded are asked again a few times, at the places of the
 * last state and at these moved by a rounding each; by how much they differ is compared with the
 * largest values of the rows before. */
#include "model/run.h"
#include "output/record.h"
#include "system/check.h"
#include "system/rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is told: a share of the largest value, and no less than what moves the lightest body by so
 * many m/s^2, or so many Pa. */
static const double SHARE = 0.01, MOVES = 1e-3, STRESS = 1;
enum { ROUNDED = 3, WORDS = 256 }; /* looks beside the first */

nt_status nt_record_take_rounding(nt_record *r)
{
    const nt_space *space = &nt_run_system(r->run)->space;
    r->rounding.values = NT_TAKE(&r->arena, r->n_values, double);
    r->rounding.beside = NT_TAKE(&r->arena, r->n_values, double);
    r->rounding.by = NT_TAKE(&r->arena, r->n_values, double);
    r->rounding.largest[0] = NT_TAKE(&r->arena, r->n_quantities, double);
    r->rounding.largest[1] = NT_TAKE(&r->arena, r->n_quantities, double);
    r->rounding.numbers = NT_TAKE(&r->arena, space->nq + space->nv, double);
    return r->rounding.values && r->rounding.beside && r->rounding.by && r->rounding.largest[0] &&
                   r->rounding.largest[1] && r->rounding.numbers
               ? NT_OK
               : NT_NO_MEMORY;
}

/* Of the last third of the rows at least: what came before, such as a blow, says nothing of them.
 */
void nt_record_keep_largest(nt_record *r, const double *values)
{
    double **largest = r->rounding.largest;
    long row = ++r->rounding.rows;
    if ((row & (row - 1)) == 0) {
        memcpy(largest[1], largest[0], (size_t)r->n_quantities * sizeof(double));
        memset(largest[0], 0, (size_t)r->n_quantities * sizeof(double));
    }
    for (int i = 0; i < r->n_quantities; i++)
        for (int j = 0; j < r->quantities[i].columns; j++, values++)
            largest[0][i] = fmax(largest[0][i], fabs(*values));
}

/* kg: of the lightest body, or where beams alone have mass, what there is of it for each node. */
static double lightest(const nt_record *r)
{
    const nt_system *system = nt_run_system(r->run);
    const nt_state state = r->sampler.state;
    double *v = r->rounding.numbers + system->space.nq, least = 0;
    nt_energy energy = {0};
    int n = 0;
    memset(v, 0, (size_t)system->space.nv * sizeof(double));
    for (int i = 1; i < r->model->n_bodies; i++) {
        const nt_body *body = &r->run->bodies[i];
        if (body->mass > 0 && !(least > 0 && least <= body->mass))
            least = body->mass;
        if (body->t_node >= 0)
            v[body->v] = 1, n++;
    }
    if (least > 0 || n == 0 || !(system->capabilities & NT_HAS_ENERGY))
        return least;
    nt_point at = {.t = state.t,
                   .q = state.q,
                   .v = v,
                   .vdot = state.vdot,
                   .lambda = state.lambda,
                   .mu = state.mu,
                   .memory = state.memory};
    system->energy(system->self, &at, &energy);
    return 2 * energy.kinetic / n;
}

/* The least amount of a unit that is told; infinite: none is, of places and what has no unit. */
static double counts(const nt_record *r, const char *unit, double mass)
{
    const struct {
        const char *unit;
        double least;
    } all[] = {{"N", MOVES * mass}, {"N m", MOVES * mass * r->length},
               {"W", MOVES * mass}, {"Pa", STRESS},
               {"m/s2", MOVES},     {"rad/s2", MOVES}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(unit, all[i].unit) == 0)
            return all[i].least;
    return (double)INFINITY;
}

static void move_places(const nt_record *r, const double *q, unsigned *seed)
{
    const nt_space *space = &nt_run_system(r->run)->space;
    double *to = r->rounding.numbers;
    memcpy(to, q, (size_t)space->nq * sizeof *to);
    if (*seed > 0)
        nt_space_move_by_rounding(space, seed, to);
}

/* All values at the places of the state that were moved, in balance there. */
static nt_status look(nt_record *r, nt_integrator *it, const nt_state *state, double *out)
{
    nt_state shown = *state;
    const double *reactions = r->needs_reactions ? r->reactions : NULL;
    nt_status status = NT_OK;
    shown.q = r->rounding.numbers;
    if (it && (r->needs_accelerations || r->needs_reactions)) {
        nt_state given = shown; /* within the step, where the method's own do not count */
        given.t = nextafter(state->t, -(double)INFINITY);
        status = nt_integrator_balance(it, &given, &shown, NULL);
        if (status == NT_OK && r->needs_reactions)
            status = nt_integrator_reactions(it, &shown, r->length, r->reactions, NULL);
    }
    if (status == NT_OK)
        status = nt_sampler_look(&r->sampler, &shown, reactions, false, false, NULL);
    for (int i = 0; i < r->n_quantities && status == NT_OK; i++) {
        if (!r->quantities[i].needs_energy && !r->quantities[i].needs_drift)
            nt_sampler_values(&r->sampler, &r->quantities[i], out);
        out += r->quantities[i].columns;
    }
    return status;
}

/* What the values differ by, or why they cannot be asked. */
static nt_status find_differences(nt_record *r, nt_integrator *it, const nt_state *state)
{
    NT_NEED_STATE(NULL, "state", nt_run_system(r->run), state);
    unsigned seed = 0;
    double *values = r->rounding.values, *by = r->rounding.by, *beside = r->rounding.beside;
    memset(by, 0, (size_t)r->n_values * sizeof *by);
    move_places(r, state->q, &seed);
    nt_status status = look(r, it, state, values);
    seed = 1;
    for (int k = 0; k < ROUNDED && status == NT_OK; k++) {
        move_places(r, state->q, &seed);
        status = look(r, it, state, beside);
        for (int i = 0; i < r->n_values; i++)
            by[i] = fmax(by[i], fabs(beside[i] - values[i]));
    }
    return status;
}

int nt_record_warning(nt_record *r, nt_integrator *it, const nt_state *state, char *text, int size)
{
    char names[2][WORDS] = {"", ""}, units[2][WORDS], meaning[WORDS];
    double worst = SHARE, by = 0, most = 0;
    int others = -1;
    if (text && size > 0)
        text[0] = '\0';
    if (!r || !state || !text || size <= 0)
        return 0;
    if (r->unbalanced.rows > 0)
        return nt_record_tell_unbalanced(r, text, size);
    if (r->rounding.rows == 0 || find_differences(r, it, state) != NT_OK)
        return 0;
    double mass = lightest(r);
    for (int i = 0, at = 0; i < r->n_quantities; i++) {
        bool told = false;
        double largest = fmax(r->rounding.largest[0][i], r->rounding.largest[1][i]);
        for (int j = 0; j < r->quantities[i].columns; j++, at++) {
            nt_model_quantity_column(r->model, &r->quantities[i], j, names[1], units[1], meaning,
                                     WORDS);
            double differs = r->rounding.by[at];
            if (!(differs > SHARE * largest && differs > counts(r, units[1], mass)))
                continue;
            told = true;
            if (differs <= worst * largest)
                continue;
            worst = differs / largest, by = differs, most = largest;
            memcpy(names[0], names[1], sizeof names[0]);
            memcpy(units[0], units[1], sizeof units[0]);
        }
        others += told;
    }
    if (others < 0)
        return 0;
    int used = snprintf(text, (size_t)size,
                        "%s is known to %.2g %s only, which the rounding of places alone makes of "
                        "it, and no more than %.2g %s was recorded of late",
                        names[0], by, units[0], most, units[0]);
    if (others > 0 && used < size)
        used += snprintf(text + used, (size_t)(size - used), "; likewise %d other quantit%s",
                         others, others == 1 ? "y" : "ies");
    if (used < size)
        used += snprintf(text + used, (size_t)(size - used), "; expected less stiffness");
    return used < size ? used : size - 1;
}
