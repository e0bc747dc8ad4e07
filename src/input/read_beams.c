/* The meshes of beams. How many nodes there are must be known before anything has a place: where
 * elements end follows from the corners of the line, the stations of sections, or a number. */
#include "input/reader.h"

#include "model/beams/beam.h"

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
    int n, order, parts;
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

static nt_status add_sections(nt_reader *reader, const nt_node *sections, mesh *m)
{
    for (int i = 0; i < sections->count; i++) {
        double at = 0;
        const nt_node *row = sections->values[i];
        const nt_node *node = row->kind == NT_NODE_MAPPING ? nt_node_find(row, "at") : NULL;
        nt_status status = node ? number_of(reader, "at", node, &at) : NT_OK;
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
    m->ends = NT_TAKE(&reader->scratch, points->count + sections->count + m->parts, mesh_end);
    if (!m->ends)
        return nt_read_no_memory(reader);
    status = add_corners(reader, points, m);
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
    return n > 0 ? NT_OK
                 : nt_node_fail(reader->error, points, "beam '%.60s': its points are one place",
                                beam->name->text);
}

nt_status nt_read_count_nodes(nt_reader *reader, int i, int *count)
{
    mesh m;
    nt_element *e = &reader->model->elements[i];
    nt_status status = find_mesh(reader, &reader->elements[i], &m);
    if (status != NT_OK)
        return status;
    nt_beam sizes = {.p = m.order, .n_elements = m.n, .n_nodes = m.n * m.order + 1};
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
    b->p = m.order, b->n_elements = m.n, b->n_nodes = m.n * m.order + 1;
    b->parts = m.parts;
    b->first_body = *first;
    size_t derived = nt_beam_lay_out(b, 0);
    nt_beam_lay_out(b, e->bytes - derived);
    nt_beam_end *ends = (nt_beam_end *)(void *)((char *)b + b->ends);
    for (int k = 0; k <= m.n; k++)
        ends[k] = m.ends[k].end;
    for (int k = 0; k < b->n_nodes && status == NT_OK; k++)
        status = k == 0                ? nt_read_declare_body(reader, e, (*first)++, "root", 0)
                 : k == b->n_nodes - 1 ? nt_read_declare_body(reader, e, (*first)++, "tip", 0)
                                       : nt_read_declare_body(reader, e, (*first)++, "node", k + 1);
    return status;
}
