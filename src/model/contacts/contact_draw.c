/* How contacts are drawn: the spheres that touch, and the force between them. */
#include "model/contacts/contact.h"

void nt_contact_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    const nt_contact *c = nt_contact_of(run, element);
    bool plane = c->kind.skeleton == NT_PLANE, point = c->kind.skeleton == NT_POINT;
    v3 none = v3_of(0, 0, 0);
    nt_sketch b = {.drawing = NT_DRAW_SPHERE, .size = {c->radius[1]}};
    nt_sketch_add(&b, element->b, c->center, none);
    put(to, &b);
    nt_sketch a = {.drawing = NT_DRAW_SPHERE, .size = {c->radius[0]}};
    nt_sketch_add(&a, element->a, c->origin, none);
    if (point)
        put(to, &a);
    nt_sketch arrow = {.drawing = NT_DRAW_CONTACT};
    nt_sketch_add(&arrow, element->a, c->origin, plane ? c->axis : none);
    nt_sketch_add(&arrow, element->b, c->center, none);
    put(to, &arrow);
}

void nt_contact_arrow(const nt_element *element, const nt_view *view, v3 *point, v3 *force)
{
    nt_touch touch = nt_contact_touch(element, view);
    *point = v3_add(view->motion[element->b].x, touch.r_b);
    *force = touch.F;
}
