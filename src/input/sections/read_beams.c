/* The meshes of beams. How many nodes there are must be known before anything has a place: where
 * elements end follows from the corners of the line, the stations of sections, or a number. */
#include "input/reader.h"

#include "model/beams/beam.h"
#include "model/cables/cable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stations closer than this are one. */
static const double SAME = 1e-9;

typedef struct mesh_end {
    double station;
    nt_beam_end end;
} mesh_end;

/* The mesh of a beam: ends[n + 1] in scratch memory. */
typedef struct mesh {
    mesh_end *ends;
    int n, order, parts, points;
    int n_rule[2], n_sets, cut;
    const nt_node *lists[3]; /* points, sections, twist; NULL: not given */
} mesh;

static nt_status number_of(nt_reader *reader, const char *key, const nt_node *node, double *value)
{
    const nt_expression *expression;
    return nt_read_unbound(reader, key, node, value, &expression);
}

/* A key that is a whole number from 1 to `most`; `otherwise` where it is not given. */
static nt_status whole_number(nt_reader *reader, const nt_node *beam, const char *key, int most,
                              int otherwise, int *value)
{
    const nt_node *node = nt_node_find(beam, key);
    double number = otherwise;
    nt_status status = node ? number_of(reader, key, node, &number) : NT_OK;
    if (status == NT_OK && !(number >= 1 && number <= most && number == floor(number)))
        status = nt_node_fail(reader->error, node, "%s: expected a whole number from 1 to %d", key,
                              most);
    *value = (int)number;
    return status;
}

static void add_end(mesh *m, double station, nt_beam_end_kind kind, int index)
{
    m->ends[m->n++] = (mesh_end){station, {.kind = kind, .index = index}};
}

/* Corners of the line at the parts of its length. */
static nt_status add_corners(nt_reader *reader, const nt_node *points, mesh *m)
{
    double x[3], last[3] = {0}, length = 0;
    int first = m->n;
    for (int i = 0; i < points->count; i++) {
        const nt_node *point = points->values[i];
        if (point->kind != NT_NODE_LIST || point->count != 3)
            return nt_node_fail(reader->error, point, "points: expected a list of 3 numbers");
        for (int k = 0; k < 3; k++) {
            nt_status status = number_of(reader, "points", point->values[k], &x[k]);
            if (status != NT_OK)
                return status;
        }
        if (i > 0)
            length +=
                sqrt((x[0] - last[0]) * (x[0] - last[0]) + (x[1] - last[1]) * (x[1] - last[1]) +
                     (x[2] - last[2]) * (x[2] - last[2]));
        memcpy(last, x, sizeof last);
        add_end(m, length, NT_END_POINT, i);
    }
    for (int i = first; i < m->n; i++)
        m->ends[i].station = length > 0 ? m->ends[i].station / length : 0;
    return NT_OK;
}

/* Where a section stands along the line; at its begin where the file does not say. */
static nt_status section_station(nt_reader *reader, const nt_node *section, double *at)
{
    const nt_node *node = section->kind == NT_NODE_MAPPING ? nt_node_find(section, "at") : NULL;
    *at = 0;
    return node ? number_of(reader, "at", node, at) : NT_OK;
}

static nt_status add_sections(nt_reader *reader, const nt_node *sections, mesh *m)
{
    for (int i = 0; i < sections->count; i++) {
        double at;
        nt_status status = section_station(reader, sections->values[i], &at);
        if (status != NT_OK)
            return status;
        if (at > 0 && at < 1)
            add_end(m, at, NT_END_SECTION, i);
    }
    return NT_OK;
}

/* By station; of those at one place the corner of the line comes first, and stays. */
static int by_station(const void *a, const void *b)
{
    const mesh_end *x = a, *y = b;
    if (fabs(x->station - y->station) > SAME)
        return x->station < y->station ? -1 : 1;
    return x->end.kind < y->end.kind ? -1 : x->end.kind > y->end.kind;
}

/* Stations of markers on the beam. */
static nt_status add_stations(nt_reader *reader, const nt_node *name, mesh *m)
{
    const nt_node *markers = nt_node_find(reader->root, "markers");
    for (int i = 0; markers && markers->kind == NT_NODE_MAPPING && i < markers->count; i++) {
        const nt_node *marker = markers->values[i];
        bool mapping = marker->kind == NT_NODE_MAPPING;
        const nt_node *on = mapping ? nt_read_given(marker, "on") : NULL;
        const nt_node *node = mapping ? nt_node_find(marker, "station") : NULL;
        double station;
        if (!on || !node || on->kind != NT_NODE_SCALAR || !nt_node_is(on, name->text))
            continue;
        nt_status status = number_of(reader, "station", node, &station);
        if (status == NT_OK && !(station >= 0 && station <= 1))
            status = nt_node_fail(reader->error, node,
                                  "station: expected a number from 0 to 1, got %g", station);
        if (status != NT_OK)
            return status;
        if (station > 0 && station < 1)
            add_end(m, station, NT_END_MARKER, i);
    }
    return NT_OK;
}

/* One of the words of a choice; 0 where it is not given or not known, which is told later. */
static int choice_of(const nt_node *beam, const char *key, const char *const *words)
{
    const nt_node *node = nt_node_find(beam, key);
    for (int i = 0; node && node->kind == NT_NODE_SCALAR && words[i]; i++)
        if (nt_node_is(node, words[i]))
            return i;
    return 0;
}

/* The largest number of parts that stations of sections cut an element into. */
static nt_status count_cuts(nt_reader *reader, const nt_node *sections, const mesh *m, int *most)
{
    *most = 1;
    for (int k = 0; k + 1 <= m->n; k++) {
        int parts = 1;
        for (int i = 0; i < sections->count; i++) {
            double at;
            nt_status status = section_station(reader, sections->values[i], &at);
            if (status != NT_OK)
                return status;
            parts += at > m->ends[k].station + SAME && at < m->ends[k + 1].station - SAME;
        }
        *most = parts > *most ? parts : *most;
    }
    return NT_OK;
}

/* Points of consistent inertia in each part of an element that stations of sections cut it into:
 * order + 1 are exact, two are for the mass; as many of them as there is room for. */
static int inertia_points_of(int order, int parts)
{
    int most = NT_MOST_POINTS / parts;
    return order + 1 < most ? order + 1 : most > 2 ? most : 2;
}

/* How many points both rules have in an element. */
static nt_status find_rules(nt_reader *reader, const nt_node *beam, const nt_node *sections,
                            mesh *m)
{
    static const char *const words[] = {"gauss", "gauss-lobatto", "sections", "trapezoidal", NULL};
    static const char *const inertias[] = {"consistent", "lumped", NULL};
    enum { GAUSS, LOBATTO, SECTIONS, TRAPEZOIDAL };
    int p = m->order, rule = choice_of(beam, "quadrature", words), parts, cuts = 1, inert = 0;
    bool lumped = choice_of(beam, "inertia", inertias) == 1;
    const int usual[] = {
        [GAUSS] = p,
        [LOBATTO] = p + 1,
        [SECTIONS] = 2,
        [TRAPEZOIDAL] = rule == TRAPEZOIDAL ? nt_trapezoidal_points(p, NT_BEAM_RULE_ERROR) : 0};
    nt_status status =
        whole_number(reader, beam, "quadrature_points", NT_MOST_POINTS, usual[rule], &m->n_rule[0]);
    if (status == NT_OK)
        status = whole_number(reader, beam, "inertia_points", NT_MOST_POINTS, p + 1, &inert);
    if (status == NT_OK)
        status = count_cuts(reader, sections, m, &cuts);
    if (status != NT_OK)
        return status;
    m->cut = cuts > 1;
    parts = rule == SECTIONS ? cuts : 1;
    const nt_node *given = nt_node_find(beam, "inertia_points");
    if (given && (lumped || rule == SECTIONS || inert < p + 1))
        return nt_node_fail(reader->error, given, "inertia_points: %s",
                            lumped ? "lumped inertia is at the nodes"
                            : rule == SECTIONS
                                ? "quadrature: sections is the rule of the inertia too"
                                : "with fewer than order + 1 points the mass matrix is singular");
    const nt_node *rule_given = nt_node_find(beam, "quadrature_points");
    int least = rule == SECTIONS && !lumped ? p + 1 : p;
    if (rule_given && m->n_rule[0] * parts < least)
        return nt_node_fail(reader->error, rule_given,
                            "quadrature_points: %d in an element of order %d, expected %d or more: "
                            "with fewer it can move without resistance",
                            m->n_rule[0] * parts, p, least);
    m->n_rule[0] *= parts;
    while (m->n_rule[0] < p) /* of an element in fewer parts than its order needs */
        m->n_rule[0] += parts;
    if (rule == LOBATTO && m->n_rule[0] < 2)
        m->n_rule[0] = 2;
    m->n_rule[1] = inert;
    bool between = !lumped && !given && m->cut; /* exact for the mass, whatever the strains have */
    if (between)
        m->n_rule[1] = cuts * inertia_points_of(p, cuts);
    while (rule == SECTIONS && !lumped && m->n_rule[0] < p + 1)
        m->n_rule[0] += parts;
    if (rule == SECTIONS && !lumped)
        m->n_rule[1] = m->n_rule[0];
    m->n_sets = rule == SECTIONS || between ? m->n : 1;
    int most = m->n_rule[m->n_rule[1] > m->n_rule[0]];
    if (most > NT_MOST_POINTS)
        return nt_node_fail(reader->error, beam, "%d points in an element, expected at most %d",
                            most, NT_MOST_POINTS);
    return NT_OK;
}

static nt_status find_mesh(nt_reader *reader, const nt_element_node *beam, mesh *m)
{
    const nt_node *points = nt_node_find(beam->value, "points");
    const nt_node *sections = nt_node_find(beam->value, "sections");
    if (!points || points->kind != NT_NODE_LIST || points->count < 2)
        return nt_node_fail(reader->error, points ? points : beam->name,
                            "beam '%.60s': expected points, a list of two or more",
                            beam->name->text);
    if (!sections || sections->kind != NT_NODE_LIST || sections->count < 1)
        return nt_node_fail(reader->error, sections ? sections : beam->name,
                            "beam '%.60s': expected sections, a list of one or more",
                            beam->name->text);
    *m = (mesh){0};
    bool divided = nt_node_find(beam->value, "elements");
    nt_status status = whole_number(reader, beam->value, "order", NT_MOST_ORDER,
                                    sections->count == 1 ? 6 : 2, &m->order);
    if (status == NT_OK)
        status = whole_number(reader, beam->value, "elements", 100000, 1, &m->parts);
    if (status != NT_OK)
        return status;
    const nt_node *markers = nt_node_find(reader->root, "markers");
    m->ends = NT_TAKE(&reader->scratch,
                      points->count + sections->count + m->parts + (markers ? markers->count : 0),
                      mesh_end);
    if (!m->ends)
        return nt_read_no_memory(reader);
    m->points = points->count;
    m->lists[NT_BEAM_ROW_POINT] = points;
    m->lists[NT_BEAM_ROW_SECTION] = sections;
    m->lists[NT_BEAM_ROW_TWIST] = nt_node_find(beam->value, "twist");
    static const char *const lines[] = {"straight", "spline", NULL};
    bool spline = choice_of(beam->value, "line", lines) == 1;
    status = add_corners(reader, points, m);
    if (spline && status == NT_OK) { /* it has no corners: its ends alone */
        m->ends[1] = m->ends[m->n - 1];
        m->n = 2;
    }
    if (status == NT_OK)
        status = add_stations(reader, beam->name, m);
    for (int i = 1; i < m->parts; i++)
        add_end(m, (double)i / m->parts, NT_END_PART, i);
    if (status == NT_OK && !divided)
        status = add_sections(reader, sections, m);
    if (status != NT_OK)
        return status;
    qsort(m->ends, (size_t)m->n, sizeof *m->ends, by_station);
    int n = 0;
    for (int i = 1; i < m->n; i++)
        if (m->ends[i].station > m->ends[n].station + SAME)
            m->ends[++n] = m->ends[i];
    m->n = n;
    if ((double)n * m->order >= NT_MOST_NODES)
        return nt_node_fail(reader->error, beam->name,
                            "beam '%.60s': %d elements of order %d, expected at most %d nodes",
                            beam->name->text, n, m->order, NT_MOST_NODES);
    if (n == 0)
        return nt_node_fail(reader->error, points, "beam '%.60s': its points are one place",
                            beam->name->text);
    return find_rules(reader, beam->value, sections, m);
}

static int rows_of(const nt_node *list)
{
    return list && list->kind == NT_NODE_LIST ? list->count : 0;
}

static void put_sizes(const mesh *m, nt_beam *b)
{
    for (int list = 0; list < 3; list++)
        b->rows[list] = rows_of(m->lists[list]);
    b->p = m->order, b->n_elements = m->n, b->n_nodes = m->n * m->order + 1;
    b->n_rule[0] = m->n_rule[0], b->n_rule[1] = m->n_rule[1];
    b->n_sets = m->n_sets;
    b->cut = m->cut;
    b->points.count = m->points;
    b->parts = m->parts;
}

nt_status nt_read_count_nodes(nt_reader *reader, int i, int *count)
{
    mesh m;
    nt_element *e = &reader->model->elements[i];
    nt_status status = find_mesh(reader, &reader->elements[i], &m);
    if (status != NT_OK)
        return status;
    nt_beam sizes = {0};
    put_sizes(&m, &sizes);
    *count += sizes.n_nodes;
    e->bytes = nt_beam_lay_out(&sizes, e->bytes);
    return NT_OK;
}

nt_status nt_read_declare_nodes(nt_reader *reader, int i, int *first)
{
    mesh m;
    const nt_element *e = &reader->model->elements[i];
    nt_beam *b = nt_element_numbers(reader->model->origin, e);
    nt_status status = find_mesh(reader, &reader->elements[i], &m);
    if (status != NT_OK)
        return status;
    put_sizes(&m, b);
    b->first_body = *first;
    size_t derived = nt_beam_lay_out(b, 0);
    nt_beam_lay_out(b, e->bytes - derived);
    nt_beam_end *ends = (nt_beam_end *)(void *)((char *)b + b->ends);
    for (int k = 0; k <= m.n; k++)
        ends[k] = m.ends[k].end;
    nt_place *place = (nt_place *)(void *)((char *)b + b->places);
    for (int list = 0; list < 3; list++)
        for (int k = 0; k < b->rows[list]; k++)
            *place++ = (nt_place){m.lists[list]->values[k]->line, m.lists[list]->values[k]->column};
    for (int k = 0; k < b->n_nodes && status == NT_OK; k++)
        status = k == 0                ? nt_read_declare_body(reader, e, (*first)++, "root", 0)
                 : k == b->n_nodes - 1 ? nt_read_declare_body(reader, e, (*first)++, "tip", 0)
                                       : nt_read_declare_body(reader, e, (*first)++, "node", k + 1);
    return status;
}

nt_status nt_read_declare_station(nt_reader *reader, const nt_node *name, const nt_node *marker,
                                  int i)
{
    double station;
    const nt_node *on = nt_read_given(marker, "on"), *node = nt_node_find(marker, "station");
    nt_marker *to = &reader->model->origin->markers[i];
    const nt_name *beam = on && on->kind == NT_NODE_SCALAR
                              ? nt_names_find(&reader->objects, on->text, on->length)
                              : NULL;
    if (beam && beam->kind != NT_NAME_BEAM)
        return nt_node_fail(reader->error, node,
                            "marker '%.60s': a station is on a beam, '%.60s' is a %s; expected at: "
                            "[x, y, z]",
                            name->text, on->text, nt_name_kind_word(beam->kind));
    to->given |= 1u << NT_MARKER_STATION;
    if (!beam) /* what is missing is told where its keys are read */
        return NT_OK;
    nt_status status = number_of(reader, "station", node, &station);
    if (status != NT_OK)
        return status;
    mesh m;
    status = find_mesh(reader, &reader->elements[beam->index], &m);
    for (int k = 0; k <= m.n && status == NT_OK; k++)
        if (fabs(m.ends[k].station - station) <= SAME)
            to->end = k;
    const nt_beam *b = nt_model_data(reader->model, &reader->model->elements[beam->index]);
    to->beam = beam->index;
    to->on = b->first_body + to->end * b->p;
    return status;
}

/* ---- cables ------------------------------------------------------------------------------------
 */

nt_status nt_read_count_cable(nt_reader *reader, int i, int *count)
{
    int n;
    nt_status status =
        whole_number(reader, reader->elements[i].value, "elements", NT_MOST_SEGMENTS, 20, &n);
    if (status != NT_OK)
        return status;
    *count += n - 1;
    reader->model->elements[i].bytes += (size_t)n * sizeof(double);
    return NT_OK;
}

nt_status nt_read_declare_cable(nt_reader *reader, int i, int *first)
{
    const nt_element *e = &reader->model->elements[i];
    nt_cable *c = nt_element_numbers(reader->model->origin, e);
    nt_status status =
        whole_number(reader, reader->elements[i].value, "elements", NT_MOST_SEGMENTS, 20, &c->n);
    c->first_body = *first;
    c->carried = (int)(e->bytes - (size_t)c->n * sizeof(double));
    for (int k = 1; k < c->n && status == NT_OK; k++) {
        reader->model->origin->bodies[*first].point = 1; /* records leave out what has no turn */
        status = nt_read_declare_body(reader, e, (*first)++, "node", k);
    }
    return status;
}
