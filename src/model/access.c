/* What a model shows of itself. */
#include "model/evaluate.h"
#include "model/events/events.h"
#include "model/joints/joint.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

const nt_simulation *nt_model_simulation(const nt_model *model)
{
    return model ? &model->simulation : NULL;
}

int nt_model_key_place(const nt_model *model, const char *path, int *line, int *column)
{
    nt_place place = {0};
    for (int i = 0; model && path && i < model->n_key_places; i++)
        if (strcmp(model->key_places[i].path, path) == 0)
            place = model->key_places[i].place;
    if (line)
        *line = place.line;
    if (column)
        *column = place.column;
    return place.line > 0;
}

const char *nt_model_table_file(const nt_model *model, int i)
{
    const nt_table_file *file = model ? model->table_files : NULL;
    for (int k = 0; file && k != i; k++)
        file = file->next;
    return file && i >= 0 ? file->sheet->file : NULL;
}

static int count_points(const nt_model *model)
{
    int count = 0;
    for (int i = 1; i < model->n_bodies; i++)
        count += model->bodies[i].point != 0;
    return count;
}

/* Rows from `first` to `end` that hold at the start. */
static int count_rows(const nt_model *model, int first, int end)
{
    int count = 0;
    for (int row = first; row < end; row++)
        count += !model->system.events || !nt_run_row_is_off(model->origin, row);
    return count;
}

static int count_inactive(const nt_model *model)
{
    int count = 0;
    for (int i = 0; i < model->n_joints; i++) {
        const nt_joint *joint = nt_element_as_switched(model->origin, &model->elements[i]);
        count += joint && !nt_joint_holds_at_first(joint);
    }
    return count;
}

nt_model_counts nt_model_count(const nt_model *model)
{
    if (!model)
        return (nt_model_counts){0};
    int nh = model->system.nh, all = nh + model->system.nn;
    return (nt_model_counts){.bodies = model->n_bodies - 1,
                             .joints = model->n_joints,
                             .forces = model->n_elements - model->n_joints - model->n_contacts -
                                       model->n_bearings - model->n_beams - model->n_cables -
                                       model->n_states - model->n_sampled - model->n_slides,
                             .contacts = model->n_contacts,
                             .markers = model->n_markers,
                             .parameters = model->n_parameters,
                             .points = count_points(model),
                             .velocities = model->system.space.nv,
                             .holonomic = count_rows(model, 0, nh),
                             .nonholonomic = count_rows(model, nh, all),
                             .redundant = model->origin->n_redundant,
                             .states = model->system.space.n_first,
                             .inactive = count_inactive(model)};
}

void nt_model_redundant_text(const nt_model *model, int i, char *text, int size)
{
    if (!text || size < 1)
        return;
    text[0] = '\0';
    if (!model || i < 0 || i >= model->origin->n_redundant)
        return;
    int row = model->origin->redundant[i];
    const nt_element *e = nt_model_element_of_row(model, row);
    snprintf(text, (size_t)size, "joint %s, %s", e->name, nt_model_row_name(model, e, row));
}
