/* How a ball bearing is drawn: its balls and both rings. */
#include "model/bearings/bearing.h"

/* A ring from its shoulder, where the groove is deepest, outwards or inwards by a quarter ball. */
static void draw_ring(const nt_bearing *b, int which, nt_sketch_put *put, void *to)
{
    const nt_bearing_race *race = &b->races[which];
    double ball = b->ball_diameter, middle = 0.5 * b->pitch_diameter;
    double radius = which == NT_OUTER ? middle + 0.75 * ball : middle - 0.3 * ball;
    double bore = which == NT_OUTER ? middle + 0.3 * ball : middle - 0.75 * ball;
    nt_sketch ring = {.drawing = NT_DRAW_RING, .size = {radius, 1.2 * ball, bore > 0 ? bore : 0}};
    nt_sketch_add(&ring, b->rings[which], race->center, race->axis);
    put(to, &ring);
}

void nt_bearing_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    const nt_bearing *b = nt_bearing_of(run, element);
    for (int i = 0; i < b->n_balls; i++) {
        nt_sketch ball = {.drawing = NT_DRAW_SPHERE, .size = {0.5 * b->ball_diameter}};
        nt_sketch_add(&ball, b->first_ball + i, v3_of(0, 0, 0), v3_of(0, 0, 0));
        put(to, &ball);
    }
    draw_ring(b, NT_OUTER, put, to);
    draw_ring(b, NT_INNER, put, to);
    nt_sketch axis = {.drawing = NT_DRAW_NOTHING}; /* says where both rings are */
    for (int which = NT_OUTER; which <= NT_INNER; which++)
        nt_sketch_add(&axis, b->rings[which], b->races[which].center, b->races[which].axis);
    put(to, &axis);
    if (b->cage < 0)
        return;
    double middle = 0.5 * b->pitch_diameter, ball = b->ball_diameter;
    nt_sketch cage = {.drawing = NT_DRAW_RING,
                      .size = {middle + 0.1 * ball, 0.3 * ball, middle - 0.1 * ball}};
    nt_sketch_add(&cage, b->cage, v3_of(0, 0, 0), b->races[NT_INNER].axis);
    put(to, &cage);
}
