/* What a model shows of itself. */
#include "model/evaluate.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

const nt_system *nt_model_system(const nt_model *model) { return &model->system; }

void nt_model_initial(const nt_model *model, double *q, double *v, double *memory)
{
    const nt_system *s = &model->system;
    memcpy(q, model->initial_q, (size_t)s->space.nq * sizeof *q);
    memcpy(v, model->initial_v, (size_t)s->space.nv * sizeof *v);
    if (s->n_memory > 0)
        memcpy(memory, model->initial_memory, (size_t)s->n_memory * sizeof *memory);
}

const char *nt_model_corrections(const nt_model *model)
{
    return model->corrections ? model->corrections : "";
}

const char *nt_model_table_file(const nt_model *model, int i)
{
    const nt_table_file *file = model->table_files;
    while (file && i-- > 0)
        file = file->next;
    return file ? file->table->file : NULL;
}

double nt_model_length(const nt_model *model) { return model->length; }

static int count_points(const nt_model *model)
{
    int count = 0;
    for (int i = 1; i < model->n_bodies; i++)
        count += model->bodies[i].point != 0;
    return count;
}

nt_model_counts nt_model_count(const nt_model *model)
{
    return (nt_model_counts){.bodies = model->n_bodies - 1,
                             .joints = model->n_joints,
                             .forces = model->n_elements - model->n_joints - model->n_contacts,
                             .contacts = model->n_contacts,
                             .markers = model->n_markers,
                             .parameters = model->n_parameters,
                             .points = count_points(model),
                             .velocities = model->system.space.nv,
                             .holonomic = model->system.nh,
                             .nonholonomic = model->system.nn,
                             .redundant = model->n_redundant};
}

void nt_model_redundant_text(const nt_model *model, int i, char *text, int size)
{
    int row = model->redundant[i];
    const nt_element *e = nt_model_element_of_row(model, row);
    snprintf(text, (size_t)size, "joint %s, %s", e->name,
             e->type->row_name(e, nt_element_find_row(e, row)));
}
