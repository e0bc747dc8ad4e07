/* The registry of element types, in the order in which documentation lists them. */
#include "model/elements.h"
#include "model/model.h"
#include "model/parameter.h"

#include <string.h>

const nt_element_type *const nt_element_types[] = {
    &nt_joint_fixed,           &nt_joint_spherical,
    &nt_joint_revolute,        &nt_joint_prismatic,
    &nt_joint_cylindrical,     &nt_joint_universal,
    &nt_joint_planar,          &nt_joint_inline,
    &nt_joint_distance,        &nt_joint_rolling_disk,
    &nt_joint_rolling_sphere,  &nt_joint_knife_edge,
    &nt_joint_screw,           &nt_joint_gear,
    &nt_force_force,           &nt_force_torque,
    &nt_force_spring,          &nt_force_torsion_spring,
    &nt_force_bushing,         &nt_force_joint_torque,
    &nt_force_joint_force,     &nt_contact_sphere_plane,
    &nt_contact_sphere_sphere,
};

const int nt_element_type_count = sizeof nt_element_types / sizeof nt_element_types[0];

const char *const nt_part_names[] = {"explicit", "implicit", NULL};

const nt_section nt_joint_section = {"joints", "joint"};
const nt_section nt_force_section = {"forces", "force"};
const nt_section nt_contact_section = {"contacts", "contact"};

unsigned nt_element_part(const nt_element_type *type, const void *data)
{
    const unsigned *given = data;
    const nt_key *key = type->keys;
    while (key->name && key->bit != NT_BIT_PART)
        key++;
    if (!key->name)
        return type->part;
    int index = *(const int *)(const void *)((const char *)data + key->offset);
    return nt_part_of(*given & NT_GIVEN_PART, index, type->part);
}

int nt_element_joints(const nt_model *model, const nt_element *element, int joints[2])
{
    const char *data = nt_model_data(model, element);
    for (const nt_key *key = element->type->keys; key->name; key++) {
        int count = key->type == NT_KEY_JOINT ? 1 : key->type == NT_KEY_JOINTS ? 2 : 0;
        if (count > 0)
            memcpy(joints, data + key->offset, (size_t)count * sizeof *joints);
        if (count > 0)
            return count;
    }
    return 0;
}

/* `between` two bodies; `on` one, then A is the ground; along a `joint`, or the first of two, whose
 * bodies they are. */
void nt_element_bind(const nt_model *model, nt_element *element)
{
    const char *data = nt_model_data(model, element);
    int joints[2];
    for (const nt_key *key = element->type->keys; key->name; key++) {
        const int *body = (const int *)(const void *)(data + key->offset);
        if (key->type == NT_KEY_BODIES)
            element->a = body[0], element->b = body[1];
        if (key->type == NT_KEY_BODY)
            element->a = 0, element->b = body[0];
    }
    if (nt_element_joints(model, element, joints) > 0) { /* they come first and are bound */
        element->a = model->elements[joints[0]].a;
        element->b = model->elements[joints[0]].b;
    }
}

bool nt_element_rotates(const nt_model *model, const nt_element *element)
{
    nt_element bound = *element;
    const nt_body *bodies = model->origin->bodies;
    nt_element_bind(model, &bound);
    return element->type->rotates && !bodies[bound.a].point && !bodies[bound.b].point;
}
