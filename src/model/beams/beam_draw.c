/* How a beam is drawn: a line through its nodes with the section of its root. */
#include "model/beams/beam.h"

/* A round section of this radius has the bending stiffness over the axial one r^2/4. */
static double radius_of(const nt_beam_section *section)
{
    double C[36], M[36];
    nt_section_matrices(section, C, M);
    return sqrt(2 * (C[28] + C[35]) / C[0]);
}

static bool is_flat(const nt_beam_section *section)
{
    return section->shape == NT_SHAPE_RECTANGLE || section->shape == NT_SHAPE_BOX ||
           section->shape == NT_SHAPE_I;
}

void nt_beam_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    const nt_beam *beam = nt_beam_of(run, element);
    const nt_beam_section *section =
        (const nt_beam_section *)(const void *)nt_array_in(beam, &beam->sections);
    nt_sketch sketch = {.drawing = NT_DRAW_BEAM, .first = beam->first_body, .count = beam->n_nodes};
    bool shaped = section->given >> NT_SECTION_SHAPE & 1;
    if (shaped && is_flat(section))
        sketch.size[0] = section->width, sketch.size[1] = section->height;
    else
        sketch.size[0] =
            nt_section_gives(section, NT_SECTION_RADIUS) ? section->radius : radius_of(section);
    m3 axes = nt_beam_elastic_at(beam, 0)->axes;
    sketch.axis[0] = v3_of(axes.xy, axes.yy, axes.zy);
    sketch.shapes = beam->drawn;
    put(to, &sketch);
}
