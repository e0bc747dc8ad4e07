/* A state: a first-order equation of the user's own beside the mechanism,
 *
 *   x' = g(t, p, signals)
 *
 * whose signals are motions and other states. Its row of the residual is x' - g, and its tangent
 *
 *   m + sum -g_s ds,     ds of another state y: c e_y */
#include "model/elements.h"
#include "model/forces/load.h"

typedef struct nt_own_state {
    unsigned given;
    int part;
    const nt_expression *rate;
    double initial;
    nt_coupling coupling;
} nt_own_state;

static const nt_section state_section = {.name = "states", .word = "state", .one_type = true};

static const nt_key state_keys[] = {
    NT_KEY("rate", NT_KEY_FUNCTION, .offset = offsetof(nt_own_state, rate), .bit = 0,
           .required = true, .unit = "1/s",
           .meaning = "how fast it changes: a function of t, parameters, positions, velocities and "
                      "states"),
    NT_KEY("initial", NT_KEY_NUMBER, .offset = offsetof(nt_own_state, initial), .bit = 1,
           .meaning = "where it begins; default 0"),
    NT_KEY_PART(nt_own_state, part, NT_BIT_PART, "implicit"),
    {0},
};

static nt_status state_prepare(nt_run *run, const nt_element *element, bool validate,
                               nt_error *error)
{
    (void)run, (void)element, (void)validate, (void)error;
    return NT_OK;
}

static int one(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return 1;
}

static void initial(const nt_run *run, const nt_element *element, double *q, double *v)
{
    (void)q;
    v[0] = ((const nt_own_state *)nt_element_data(run, element))->initial;
}

/* It is the element itself. */
static const char *coordinate_name(const nt_model *model, const nt_element *element, int i)
{
    (void)model, (void)element, (void)i;
    return "";
}

static nt_status state_declare(nt_model *model, nt_element *element)
{
    nt_own_state *state = nt_element_numbers(model->origin, element);
    int own = nt_element_port_of_own(model, element);
    if (own < 0)
        return NT_NO_MEMORY;
    nt_status status = nt_coupling_find(&state->coupling, model, element, &state->rate, 1);
    if (status == NT_OK)
        status = nt_element_couple(model, element, own, own, NT_FULL);
    return status == NT_OK ? nt_coupling_declare(&state->coupling, model, element, 1u << own)
                           : status;
}

static nt_status state_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_own_state *state = nt_element_data(view->run, element);
    const nt_terms *terms = view->terms;
    double rate = 0;
    if (view->energy)
        return NT_OK;
    bool acts = terms->parts & element->part, moves = terms->parts & NT_MASS;
    if (acts) {
        nt_status status = nt_coupling_evaluate(&state->coupling, view, &state->rate, 1, &rate);
        if (status != NT_OK)
            return status;
    }
    if (terms->residual) {
        double push = (moves ? nt_view_own(element, view, NT_ACCELERATION, 0) : 0) - rate;
        nt_view_push(view, NT_PORTS, &push);
    }
    if (!terms->matrix)
        return NT_OK;
    if (moves)
        nt_view_add_numbers(view, NT_PORTS, NT_PORTS, &terms->combination->mass);
    for (int k = 0; acts && k < state->coupling.n; k++)
        nt_coupling_add_row(&state->coupling, view, k, NT_PORTS, -view->scratch[k]);
    return NT_OK;
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_own_state *state = nt_element_data(run, element);
    return nt_load_uses_rates(run->model, &state->rate, 1);
}

static bool does_no_work(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return false;
}

const nt_element_type nt_state_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &state_section,
    .name = "state",
    .summary = "a first-order equation x' = rate beside the mechanism",
    .keys = state_keys,
    .size = sizeof(nt_own_state),
    .part = NT_IMPLICIT,
    .coordinates = one,
    .first_order = true,
    .initial = initial,
    .coordinate_name = coordinate_name,
    .prepare = state_prepare,
    .declare = state_declare,
    .evaluate = state_evaluate,
    .depends_on_rates = depends_on_rates,
    .does_work = does_no_work,
    .proportional = true,
    .shows = NT_SHOWS(NT_OF_STATE),
};
