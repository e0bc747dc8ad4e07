/* What is held while a static state is looked for: from names to entries of v. */
#include "model/model.h"

#include <string.h>

static int find_body(const nt_model *model, const char *name, size_t length)
{
    for (int i = 1; i < model->n_bodies; i++)
        if (strlen(model->bodies[i].name) == length &&
            memcmp(model->bodies[i].name, name, length) == 0)
            return i;
    return -1;
}

bool nt_hold_read(const nt_model *model, const char *text, nt_hold_name *out, int *free_too)
{
    static const char *const kinds[] = {".translation", ".rotation"};
    *out = (nt_hold_name){0};
    if (strcmp(text, "free") == 0) {
        *free_too = 1;
        return true;
    }
    for (int kind = 0; kind < 2; kind++) {
        const char *dot = strstr(text, kinds[kind]);
        const char *rest = dot ? dot + strlen(kinds[kind]) : NULL;
        bool whole = rest && *rest == '\0';
        bool axis = rest && rest[0] == '.' && rest[1] >= 'x' && rest[1] <= 'z' && !rest[2];
        int body = whole || axis ? find_body(model, text, (size_t)(dot - text)) : -1;
        if (body < 0)
            continue;
        const nt_body *b = &model->bodies[body];
        bool moves = !(b->given & NT_GIVEN_FIXED_POINT), turns = !b->point;
        *out = (nt_hold_name){body, kind == 1, whole ? 0 : rest[1] - 'x', whole ? 3 : 1};
        return kind == 1 ? turns : moves;
    }
    return false;
}

nt_status nt_model_find_held(nt_model *model)
{
    int *held = NT_TAKE(&model->arena, model->system.space.nv, int), n = 0;
    bool *is_held = NT_TAKE(&model->arena, model->system.space.nv, bool);
    if (!held || !is_held)
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_holds; i++) {
        const nt_hold_name *hold = &model->holds[i];
        const nt_body *body = &model->bodies[hold->body];
        int first = body->v + (hold->rotation && body->t_node >= 0 ? 3 : 0) + hold->axis;
        for (int k = 0; k < hold->count; k++)
            is_held[first + k] = true;
    }
    for (int i = 0; i < model->system.space.nv; i++)
        if (is_held[i])
            held[n++] = i;
    model->simulation.held = held;
    model->simulation.n_held = n;
    return NT_OK;
}
