/* The beam element: residual, tangent and energies of all its points; see beam_point.h. */
#include "model/beams/beam_element.h"

#include "model/elements.h"
#include "model/forces/load.h"

#include <string.h>

static const nt_section beam_section = {.name = "beams", .word = "beam", .one_type = true};

/* ---- energies ---------------------------------------------------------------------------------
 */

/* A point of the line as of a rigid body: its place, orientation, and velocities in its own axes.
 */
typedef struct rigid {
    v3 x, V, W;
    m3 R;
} rigid;

static rigid rigid_at(const nt_beam_nodes *p, const double *N)
{
    rigid at = {0};
    lanes x = {0}, v = {0}, sum = {0}, rate = {0};
    for (int i = 0; i < p->n; i++) {
        x += N[i] * p->x[i], v += N[i] * p->v[i];
        sum += N[i] * p->r[i], rate += N[i] * p->rate[i];
    }
    quat q = lanes_quat(sum), turn = quat_multiply(beam_conjugate(q), lanes_quat(rate));
    at.x = lanes_v3(x);
    at.R = quat_matrix(quat_unit(q));
    at.V = m3_apply_transposed(at.R, lanes_v3(v));
    at.W = v3_scale(2 / lanes_dot(sum, sum), beam_vector(turn));
    return at;
}

/* Energies of consistent inertia. */
static void add_energy(nt_beam_nodes *p, const nt_view *view, const nt_beam *b, int element)
{
    nt_beam_load_nodes(p, view, b, element, true);
    const nt_beam_inert *inert = nt_beam_inert_at(b, element);
    v3 g = nt_beam_gravity(view->run);
    for (int q = 0; q < b->n_rule[1]; q++) {
        const nt_beam_mass *mass = &inert[q].mass;
        rigid at = rigid_at(p, nt_beam_shapes(b, element, 1, q) + NT_SHAPE_N);
        double twice = mass->m * v3_dot(at.V, at.V) + 2 * v3_dot(at.V, v3_cross(at.W, mass->me)) +
                       v3_dot(at.W, m3_apply(mass->rho, at.W));
        v3 center = v3_axpy(mass->m, at.x, m3_apply(at.R, mass->me));
        view->energy->kinetic += inert[q].weight * twice / 2;
        view->energy->potential -= inert[q].weight * v3_dot(center, g);
    }
}

/* Per length: R (m V + W x me), and about the point R (me x V + rho W). */
static void beam_momentum(const nt_element *e, const nt_view *view, v3 *momentum, v3 *about_origin)
{
    const nt_beam *b = nt_beam_of(view->run, e);
    nt_beam_nodes p;
    for (int element = 0; element < b->n_elements; element++) {
        const nt_beam_inert *inert = nt_beam_inert_at(b, element);
        nt_beam_load_nodes(&p, view, b, element, true);
        for (int q = 0; q < b->n_rule[1]; q++) {
            const nt_beam_mass *m = &inert[q].mass;
            rigid at = rigid_at(&p, nt_beam_shapes(b, element, 1, q) + NT_SHAPE_N);
            v3 linear = v3_axpy(m->m, at.V, v3_cross(at.W, m->me));
            v3 angular = v3_add(v3_cross(m->me, at.V), m3_apply(m->rho, at.W));
            linear = m3_apply(at.R, linear);
            angular = v3_add(v3_cross(at.x, linear), m3_apply(at.R, angular));
            *momentum = v3_axpy(inert[q].weight, linear, *momentum);
            *about_origin = v3_axpy(inert[q].weight, angular, *about_origin);
        }
    }
}

/* ---- independent stresses -------------------------------------------------------------------- */

/* One element: strains of its points after an increment of the nodes, to first order. */
static void carry_element(const nt_beam_nodes *p, const nt_view *view, nt_beam *b, int element,
                          const double *increment)
{
    const nt_beam_elastic *points = nt_beam_elastic_at(b, element);
    nt_beam_elastic *to = (nt_beam_elastic *)nt_beam_array(b, b->elastic) + element * b->n_rule[0];
    for (int q = 0; q < b->n_rule[0]; q++) {
        const double *N = nt_beam_shapes(b, element, 0, q) + NT_SHAPE_N;
        nt_beam_lanes dz = {0};
        nt_beam_state st;
        nt_beam_look(p, b, element, q, &st);
        for (int i = 0; i < p->n; i++) {
            const double *dx = increment + view->bodies[p->first_body + i].v;
            double slope = N[p->n + i] * points[q].per_length;
            v3 turn = v3_load(dx + 3);
            lanes dr = 0.5 * lanes_of_quat(quat_multiply(beam_pure(turn), lanes_quat(p->r[i])));
            dz.v += slope * lanes_of_v3(v3_load(dx));
            dz.p += N[i] * dr, dz.d += slope * dr;
        }
        beam_strain_rate(&st.strain.J, &dz, to[q].carried);
        for (int i = 0; i < 6; i++)
            to[q].carried[i] += st.strain.e[i];
    }
}

static void beam_carry(nt_run *run, const nt_element *e, const nt_view *view,
                       const double *increment)
{
    nt_beam *b = nt_element_numbers(run, e);
    nt_beam_nodes p;
    b->carries = increment != NULL;
    for (int element = 0; increment && element < b->n_elements; element++) {
        nt_beam_load_nodes(&p, view, b, element, true);
        carry_element(&p, view, b, element, increment);
    }
}

/* ---- parts that can be evaluated side by side ------------------------------------------------ */

/* The first finite element of a part; the node that it shares with the one before is the other's.
 */
static int begin_of(const nt_beam *b, int part, int n_parts)
{
    return (int)((long)b->n_elements * part / n_parts);
}

static int part_of(const nt_element *e, const nt_beam *b, int element)
{
    int part = 0;
    while (part + 1 < e->n_parts && element >= begin_of(b, part + 1, e->n_parts))
        part++;
    return part;
}

/* Finite elements that the view asks for: where it asks for a part of the beam, this has a share of
 * the tangents, and the first one all forces without these. */
typedef struct range {
    int from, to;
} range;

static range asked_for(const nt_view *view, const nt_beam *b)
{
    const nt_local *local = view->local;
    if (local->n_parts == 0)
        return (range){0, b->n_elements};
    if (!view->terms->matrix)
        return (range){0, local->part == 0 ? b->n_elements : 0};
    return (range){begin_of(b, local->part, local->n_parts),
                   begin_of(b, local->part + 1, local->n_parts)};
}

/* ---- the type ------------------------------------------------------------------------------- */

static nt_status beam_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_beam *b = nt_beam_of(view->run, e);
    range all = asked_for(view, b);
    nt_beam_nodes p;
    if (all.from == all.to)
        return NT_OK;
    if (!view->energy && !view->terms->parts) /* rows alone, of which it has none */
        return NT_OK;
    bool elastic = view->energy || view->terms->parts & e->part;
    if (b->inertia)
        nt_beam_add_lumped(view, b, all.from == 0 ? 0 : all.from * b->p + 1, all.to * b->p + 1);
    if (elastic && (view->energy || !view->terms->matrix)) {
        double before = view->energy ? view->energy->potential : 0;
        if (!nt_beam_add_forces(view, b))
            return NT_NOT_FINITE;
        if (view->energy && view->run->noting)
            nt_beam_note_accuracy(e, view, view->energy->potential - before);
        elastic = false;                                        /* all of it is there */
    } else if (all.from == 0 && !nt_beam_is_carried(view, b)) { /* one part looks at all */
        return NT_NOT_FINITE;
    }
    for (int element = all.from; (elastic || !b->inertia) && element < all.to; element++)
        if (view->energy)
            add_energy(&p, view, b, element);
        else
            nt_beam_add_element(view, b, element, elastic);
    return NT_OK;
}

static bool beam_depends_on_rates(const nt_run *run, const nt_element *e)
{
    return nt_beam_is_damped(nt_beam_of(run, e));
}

static bool beam_does_work(const nt_model *model, const nt_element *e)
{
    return nt_beam_is_damped(nt_model_data(model, e));
}

void nt_beam_stress_at(const nt_view *view, const nt_beam *b, int element, int q, double e[6],
                       double s[6])
{
    nt_beam_nodes p;
    nt_beam_state st;
    nt_beam_load_nodes(&p, view, b, element, true);
    nt_beam_look(&p, b, element, q, &st);
    memcpy(e, st.strain.e, sizeof st.strain.e);
    memcpy(s, st.s, sizeof st.s);
}

/* Nodes of a part of a beam, at least: some microseconds of tangents. */
enum { NODES_OF_PART = 12 };

/* Inertia between the nodes, point by point, takes twice as long as all other forces. */
enum { PORTS_OF_CONSISTENT = 3 };

/* Four blocks of a couple of nodes, of rows and columns of places and rotations. */
static nt_status list_nodes(nt_model *model, nt_element *e, int *k, int row, int column, int part)
{
    nt_status status = NT_OK;
    for (int i = 0; i < 4 && status == NT_OK; i++) {
        e->couple_part[*k] = part;
        status = nt_element_list_couple(model, e, (*k)++, NT_PORTS + 2 * row + i / 2,
                                        NT_PORTS + 2 * column + i % 2);
    }
    return status;
}

static nt_status beam_declare(nt_model *model, nt_element *e)
{
    const nt_beam *b = nt_model_data(model, e);
    size_t scratch = nt_beam_scratch(b);
    int n = b->p + 1, k = 0, parts = b->n_nodes / NODES_OF_PART;
    model->scratch = scratch > model->scratch ? scratch : model->scratch;
    e->n_parts = parts < 2 ? 0 : parts < b->n_elements ? parts : b->n_elements;
    nt_status status = nt_element_ports_of_bodies(model, e, b->first_body, b->n_nodes);
    e->work = b->inertia ? e->n_ports : PORTS_OF_CONSISTENT * e->n_ports;
    if (status == NT_OK)
        status =
            nt_element_begin_couples(model, e, nt_beam_node_couples(b) + 4 * b->n_elements * n * n);
    for (int node = 0; node < nt_beam_node_couples(b) / 4 && status == NT_OK; node++)
        status =
            list_nodes(model, e, &k, node, node, part_of(e, b, node == 0 ? 0 : (node - 1) / b->p));
    for (int element = 0; element < b->n_elements; element++)
        for (int pair = 0; pair < n * n && status == NT_OK; pair++) {
            int first = element * b->p;
            status = list_nodes(model, e, &k, first + pair / n, first + pair % n,
                                part_of(e, b, element));
        }
    return status;
}

const nt_element_type nt_beam_type = {
    .version = NT_ELEMENT_VERSION,
    .section = &beam_section,
    .name = "beam",
    .summary = "a line that stretches, shears, twists and bends",
    .keys = nt_beam_keys,
    .size = sizeof(nt_beam),
    .part = NT_IMPLICIT,
    .own_bodies = nt_beam_own_bodies,
    .has_inertia = true,
    .momentum = beam_momentum,
    .only_takes = true,
    .depends_on_rates = beam_depends_on_rates,
    .does_work = beam_does_work,
    .prepare = nt_beam_prepare,
    .declare = beam_declare,
    .evaluate = beam_evaluate,
    .carry = beam_carry,
    .failure = nt_beam_failure,
    .warning = nt_beam_warning,
    .remark = nt_beam_remark,
    .draw = nt_beam_draw,
    .shows = NT_SHOWS(NT_OF_ELASTIC),
    .carries = true,
};
