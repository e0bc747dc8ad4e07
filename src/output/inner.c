/* What acts inside bearings and beams, as arrays of a result. */
#include "output/inner.h"

#include "base/error.h"
#include "model/beams/beam.h"
#include "model/model.h"
#include "model/quantities/quantity_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 256 };
static const char *const races[2] = {"outer", "inner"};

/* The normal forces on both races, of a body that is a ball of a bearing. */
static bool find_ball(const nt_model *model, const char *name, nt_quantity_info found[2])
{
    for (int i = 0; i < 2; i++) {
        char text[NAME_ROOM];
        nt_error ignored = {0};
        int length = snprintf(text, sizeof text, "%s.%s.force", name, races[i]);
        if (length >= NAME_ROOM ||
            nt_quantity_find(model, text, false, NULL, &found[i], &ignored) != NT_OK ||
            nt_quantity_kinds[found[i].kind].of != NT_OF_BALL)
            return false;
    }
    return true;
}

nt_status nt_inner_find(nt_inner *inner, const nt_model *model, nt_arena *arena, nt_error *error)
{
    size_t n = (size_t)model->n_bodies;
    *inner = (nt_inner){.model = model,
                        .balls = NT_TAKE(arena, 2 * n, nt_quantity_info),
                        .sections = NT_TAKE(arena, n, int),
                        .ball_names = NT_TAKE(arena, n, const char *),
                        .section_names = NT_TAKE(arena, n, const char *)};
    if (!inner->balls || !inner->sections || !inner->ball_names || !inner->section_names)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int body = 1; body < model->n_bodies; body++) {
        const char *name = model->bodies[body].name;
        if (!strchr(name, '.')) /* not brought by an element */
            continue;
        if (nt_beam_has_section(model, body)) {
            inner->section_names[inner->n_sections] = name;
            inner->sections[inner->n_sections++] = body;
        } else if (find_ball(model, name, inner->balls + 2 * inner->n_balls)) {
            inner->ball_names[inner->n_balls++] = name;
        }
    }
    return NT_OK;
}

int nt_inner_count(const nt_inner *inner) { return 2 * inner->n_balls + 6 * inner->n_sections; }

int nt_inner_arrays(const nt_inner *inner, nt_result_array arrays[NT_INNER_ARRAYS])
{
    int n = 0;
    if (inner->n_balls > 0)
        arrays[n++] = (nt_result_array){.name = "balls.force",
                                        .unit = "N",
                                        .meaning = "normal force on the outer and the inner race",
                                        .item = "ball",
                                        .component = "race",
                                        .items = inner->n_balls,
                                        .components = 2,
                                        .item_names = inner->ball_names};
    static const char *const of_section[2][3] = {
        {"sections.force", "N", "force in the section, its axes: N1 along the line, N2, N3"},
        {"sections.moment", "N m", "moment in the section, its axes: M1 twists, M2, M3 bend"}};
    for (int i = 0; i < 2 && inner->n_sections > 0; i++)
        arrays[n++] = (nt_result_array){.name = of_section[i][0],
                                        .unit = of_section[i][1],
                                        .meaning = of_section[i][2],
                                        .item = "section",
                                        .component = "vector",
                                        .items = inner->n_sections,
                                        .components = 3,
                                        .item_names = inner->section_names};
    return n;
}

void nt_inner_take(const nt_inner *inner, const nt_sampler *sampler, double *out)
{
    int n = nt_inner_count(inner);
    for (int i = 0; i < 2 * inner->n_balls; i++)
        nt_sampler_values(sampler, &inner->balls[i], out + i);
    double *force = out + 2 * inner->n_balls, *moment = force + 3 * inner->n_sections;
    for (int i = 0; i < inner->n_sections; i++) {
        double stress[6];
        nt_beam_section_forces(sampler, inner->sections[i], stress);
        memcpy(force + 3 * i, stress, 3 * sizeof *stress);
        memcpy(moment + 3 * i, stress + 3, 3 * sizeof *stress);
    }
    for (int i = 0; i < n; i++)
        out[i] = isfinite(out[i]) ? out[i] : 0;
}
