/* How joints are drawn: by points and axes of both bodies. */
#include "model/forces/axial.h"
#include "model/joints/rolling.h"

void nt_joint_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    const nt_joint *joint = nt_joint_of(run, element);
    nt_sketch sketch = {.drawing = element->type->drawing};
    bool axes = element->type->drawing != NT_DRAW_WELD && element->type->drawing != NT_DRAW_BALL &&
                element->type->drawing != NT_DRAW_ROD;
    v3 none = v3_of(0, 0, 0);
    nt_sketch_add(&sketch, element->a, joint->point_a, axes ? joint->e[2] : none);
    nt_sketch_add(&sketch, element->b, joint->point_b, axes ? joint->f[2] : none);
    put(to, &sketch);
}

void nt_rolling_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    const nt_rolling *rolling = nt_rolling_of(run, element);
    bool sphere = element->type->drawing == NT_DRAW_SPHERE;
    nt_sketch sketch = {.drawing = element->type->drawing,
                        .size = {rolling->radius, 0.1 * rolling->radius}};
    nt_sketch_add(&sketch, element->b, rolling->joint.point_b,
                  sphere ? v3_of(0, 0, 0) : rolling->joint.f[2]);
    put(to, &sketch);
}

/* Between its own points, or those of the joint that it acts along. */
void nt_axial_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    const nt_axial *axial = nt_element_data(run, element);
    nt_sketch sketch = {.drawing = element->type->drawing};
    v3 a = axial->point_a, b = axial->point_b, e = v3_of(0, 0, 0), f = e;
    if (element->type->along != NT_ALONG_LINE) {
        const nt_element *on = &run->model->elements[axial->joint];
        const nt_joint *joint = nt_element_as_joint(run, on);
        if (!joint)
            return;
        a = joint->point_a, b = joint->point_b, e = joint->e[2], f = joint->f[2];
    }
    nt_sketch_add(&sketch, element->a, a, e);
    nt_sketch_add(&sketch, element->b, b, f);
    put(to, &sketch);
}
