/* What can be recorded of a beam where its elements end: strains and stresses. */
#include "model/beams/beam.h"
#include "model/beams/quadrature.h"

#include "model/elements.h"
#include "model/quantities/quantity.h"

#include <string.h>

/* The beam that a body is a node of, with the node's number; NULL where it is none. */
static const nt_beam *beam_of_body(const nt_model *model, int body, int *element, int *node)
{
    int last = model->n_elements - model->n_cables;
    for (int i = last - model->n_beams; i < last; i++) {
        const nt_element *e = &model->elements[i];
        *node = body - e->first_brought;
        *element = i;
        if (*node >= 0 && *node < e->n_brought)
            return nt_model_data(model, e);
    }
    return NULL;
}

bool nt_beam_end_of_body(const nt_model *model, int body, int *element, int *end)
{
    int node, of;
    const nt_beam *b = beam_of_body(model, body, &of, &node);
    if (!b)
        return false;
    *element = of, *end = node / b->p;
    return node % b->p == 0;
}

bool nt_beam_has_section(const nt_model *model, int body)
{
    int element, node;
    return beam_of_body(model, body, &element, &node) != NULL;
}

/* Strains and stresses at xi of element `of` of a beam: the polynomials through its points. */
static void resultants_at(const nt_beam *b, const nt_view *view, int of, double xi,
                          double strain[6], double stress[6])
{
    const nt_beam_elastic *points = nt_beam_elastic_at(b, of);
    double there[NT_MOST_ORDER], P[NT_MOST_ORDER];
    memset(strain, 0, 6 * sizeof *strain);
    memset(stress, 0, 6 * sizeof *stress);
    nt_legendre(b->p, xi, there);
    for (int q = 0; q < b->n_rule[0]; q++) {
        const double *at = nt_beam_shapes(b, of, 0, q);
        double e[6], s[6], share = 0;
        nt_legendre(b->p, at[NT_SHAPE_XI], P);
        for (int l = 0; l < b->p; l++)
            share += at[NT_SHAPE_WEIGHT] * (2 * l + 1) / 2 * P[l] * there[l];
        nt_beam_stress_at(view, b, of, q, e, s);
        for (int k = 0; k < 6; k += 3) {
            v3_accumulate(strain + k,
                          v3_scale(share, m3_apply_transposed(points[q].axes, v3_load(e + k))));
            v3_accumulate(stress + k,
                          v3_scale(share, m3_apply_transposed(points[q].axes, v3_load(s + k))));
        }
    }
}

/* Strains and stresses where an element ends, axes of the section: of the element on the side of
 * the first point. Polynomials of degree p - 1 through the points of the rule. */
static void beam_resultants(const nt_element *element, const nt_view *view, int end,
                            double strain[6], double stress[6])
{
    int of = end == 0 ? 0 : end - 1;
    resultants_at(nt_beam_of(view->run, element), view, of, end == 0 ? -1 : 1, strain, stress);
}

void nt_beam_section_forces(const nt_sampler *s, int body, double stress[6])
{
    const nt_model *model = s->view->model;
    int element, node;
    double strain[6], nodes[NT_MOST_ORDER + 1], weights[NT_MOST_ORDER + 1];
    int p = beam_of_body(model, body, &element, &node)->p;
    int of = node == 0 ? 0 : (node - 1) / p;
    nt_gauss_lobatto(p + 1, nodes, weights);
    resultants_at(nt_beam_of(s->view->run, &model->elements[element]), s->view, of,
                  nodes[node - of * p], strain, stress);
}

/* Three numbers at a node: 0 forces, 1 moments, 2 strains, 3 curvatures. */
static void put_at(const nt_sampler *s, int body, int which, double *out)
{
    int element = 0, end = 0;
    double strain[6], stress[6];
    nt_beam_end_of_body(s->view->model, body, &element, &end);
    beam_resultants(&s->view->model->elements[element], s->view, end, strain, stress);
    const double *of = which < 2 ? stress : strain;
    memcpy(out, of + 3 * (which % 2), 3 * sizeof *out);
}

#define BEAM_QUANTITY(name, which)                                                                 \
    void nt_end_##name(const nt_sampler *s, int body, double *out)                                 \
    {                                                                                              \
        put_at(s, body, which, out);                                                               \
    }                                                                                              \
    void nt_station_##name(const nt_sampler *s, int marker, double *out)                           \
    {                                                                                              \
        put_at(s, s->view->run->markers[marker].on, which, out);                                   \
    }
BEAM_QUANTITY(force, 0)
BEAM_QUANTITY(moment, 1)
BEAM_QUANTITY(strain, 2)
BEAM_QUANTITY(curvature, 3)

static const nt_beam_section *sections_of(const nt_beam *b)
{
    return (const nt_beam_section *)(const void *)nt_array_in(b, &b->sections);
}

static bool has_material(const nt_beam_section *s)
{
    return nt_section_gives(s, NT_SECTION_MATERIAL);
}

static bool is_one_figure(const nt_beam_section *a, const nt_beam_section *b)
{
    return has_material(a) && has_material(b) && a->shape == b->shape &&
           a->outline_count == b->outline_count && a->closed == b->closed;
}

/* The section before a station, and how far the station is on the way to the next one, 0..1; 0
 * behind the last. */
static int section_before(const nt_beam *b, double station, double *share)
{
    const nt_beam_section *s = sections_of(b);
    int i = 0;
    while (i + 1 < b->sections.count && s[i + 1].at < station)
        i++;
    bool between = i + 1 < b->sections.count && station > s[i].at;
    *share = between ? (station - s[i].at) / (s[i + 1].at - s[i].at) : 0;
    return i;
}

/* The section at a station: every number of it linear between the given ones. Of figures that
 * differ it is the nearer one, its E linear all the same. */
static nt_beam_section section_between(const nt_beam *b, double station)
{
    double share;
    int i = section_before(b, station, &share);
    nt_beam_section of = sections_of(b)[i];
    if (share == 0)
        return of;
    const nt_beam_section *to = &sections_of(b)[i + 1];
    double E = of.material.E + share * (to->material.E - of.material.E);
    if (!is_one_figure(&of, to)) {
        bool both = has_material(&of) && has_material(to);
        of = share < 0.5 ? of : *to;
        of.material.E = both ? E : of.material.E;
        return of;
    }
    double *const numbers[] = {&of.material.E, &of.material.nu, &of.radius, &of.thickness,
                               &of.width,      &of.height,      &of.web,    &of.flange};
    const double ends[] = {to->material.E, to->material.nu, to->radius, to->thickness,
                           to->width,      to->height,      to->web,    to->flange};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        *numbers[k] += share * (ends[k] - *numbers[k]);
    for (int k = 0; k < of.outline_count; k++)
        of.outline[k] += share * (to->outline[k] - of.outline[k]);
    return of;
}

/* Stations of sections are met to this part of the way between them. */
static const double AT_STATION = 1e-9;

bool nt_beam_has_material(const nt_beam *b, double station)
{
    double share;
    const nt_beam_section *s = sections_of(b) + section_before(b, station, &share);
    return (share > 1 - AT_STATION || has_material(s)) &&
           (share < AT_STATION || has_material(s + 1));
}

bool nt_beam_has_point(const nt_beam *b, double station, const double at[2])
{
    static const double none[6] = {0};
    double shear[2], share;
    const nt_beam_section *s = sections_of(b) + section_before(b, station, &share);
    bool between = share > AT_STATION && share < 1 - AT_STATION;
    if (!nt_beam_has_material(b, station) || (between && !is_one_figure(s, s + 1)))
        return false;
    nt_beam_section of = section_between(b, station);
    return nt_section_shear(&of, none, at, shear);
}

/* E (eps1 + z kap2 - y kap3) at the point (y, z) of the section. */
void nt_station_axial_stress(const nt_sampler *s, int marker, double *out)
{
    const nt_marker *m = &s->view->run->markers[marker];
    const nt_element *e = &s->view->model->elements[m->beam];
    const nt_beam *b = nt_beam_of(s->view->run, e);
    double strain[6], stress[6];
    beam_resultants(e, s->view, m->end, strain, stress);
    const double *station = nt_beam_array_in(b, b->stations);
    double E = section_between(b, station[m->end]).material.E;
    *out = E * (strain[0] + m->offset[2] * strain[4] - m->offset[1] * strain[5]);
}

/* Along axes 2 and 3, at the marker's point. */
void nt_station_shear_stress(const nt_sampler *s, int marker, double *out)
{
    const nt_marker *m = &s->view->run->markers[marker];
    const nt_element *e = &s->view->model->elements[m->beam];
    const nt_beam *b = nt_beam_of(s->view->run, e);
    const double *station = nt_beam_array_in(b, b->stations);
    double strain[6], stress[6];
    beam_resultants(e, s->view, m->end, strain, stress);
    nt_beam_section of = section_between(b, station[m->end]);
    nt_section_shear(&of, stress, m->offset + 1, out);
}
