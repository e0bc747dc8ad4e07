/* Bodies that bearings bring: their balls and cages. How many there are must be known before
 * anything has a place, so it is read from the keys `balls`, `designation` and `cage` alone. */
#include "input/reader.h"

#include "base/number.h"
#include "model/bearings/bearing.h"

#include <stdio.h>
#include <string.h>

static bool is_text(const nt_node *node) { return node && node->kind == NT_NODE_SCALAR; }

/* Balls of a bearing, 0 after an error; *cage: whether it has one. */
static int count_balls(nt_reader *reader, const nt_element_node *bearing, bool *cage)
{
    const nt_node *balls = nt_node_find(bearing->value, "balls");
    const nt_node *designation = nt_node_find(bearing->value, "designation");
    const nt_node *cage_node = nt_node_find(bearing->value, "cage");
    char why[512], text[64] = "";
    double number = 0;
    *cage = cage_node && cage_node->kind == NT_NODE_MAPPING;
    if (is_text(designation))
        snprintf(text, sizeof text, "%.*s", designation->length, designation->text);
    if (balls && (!is_text(balls) || !nt_number_parse(balls->text, balls->length, &number)))
        number = -1;
    int count = nt_bearing_count(is_text(designation) ? text : NULL, number, why, sizeof why);
    if (count == 0)
        nt_node_fail(reader->error,
                     balls         ? balls
                     : designation ? designation
                                   : bearing->name,
                     "bearing '%.60s': %s", bearing->name->text, why);
    return count;
}

nt_status nt_read_count_balls(nt_reader *reader, int i, int *count)
{
    bool cage;
    int balls = count_balls(reader, &reader->elements[i], &cage);
    *count += balls + cage;
    return balls == 0 ? NT_BAD_MODEL : NT_OK;
}

nt_status nt_read_declare_body(nt_reader *reader, const nt_element *e, int index, const char *part,
                               int number)
{
    char text[NT_WORDS];
    nt_body *body = &reader->model->origin->bodies[index];
    int length = number > 0 ? snprintf(text, sizeof text, "%.60s.%s%d", e->name, part, number)
                            : snprintf(text, sizeof text, "%.60s.%s", e->name, part);
    body->name = nt_arena_text(&reader->model->arena, text, (size_t)length);
    body->place = e->place;
    if (!body->name)
        return nt_read_no_memory(reader);
    nt_names_add(
        &reader->objects,
        (nt_name){.text = body->name, .kind = NT_NAME_BODY, .index = index, .place = e->place});
    return NT_OK;
}

nt_status nt_read_declare_balls(nt_reader *reader, int i, int *first)
{
    nt_status status = NT_OK;
    const nt_element *e = &reader->model->elements[i];
    nt_bearing *b = nt_element_numbers(reader->model->origin, e);
    bool cage;
    b->n_balls = count_balls(reader, &reader->elements[i], &cage);
    b->first_ball = *first;
    b->has_cage = cage;
    b->cage = cage ? *first + b->n_balls : -1;
    for (int k = 0; k < b->n_balls && status == NT_OK; k++)
        status = nt_read_declare_body(reader, e, (*first)++, "ball", k + 1);
    if (cage && status == NT_OK)
        status = nt_read_declare_body(reader, e, (*first)++, "cage", 0);
    return status;
}
