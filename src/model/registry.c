/* The registry of element types, in the order in which documentation lists them. */
#include "model/elements.h"

#include <string.h>

const nt_element_type *const nt_element_types[] = {
    &nt_joint_fixed,          &nt_joint_spherical,      &nt_joint_revolute,
    &nt_joint_prismatic,      &nt_joint_cylindrical,    &nt_joint_universal,
    &nt_joint_planar,         &nt_joint_inline,         &nt_joint_distance,
    &nt_joint_rolling_disk,   &nt_joint_rolling_sphere, &nt_joint_knife_edge,
    &nt_force_force,          &nt_force_torque,         &nt_force_spring,
    &nt_force_torsion_spring, &nt_force_bushing,        &nt_force_joint_torque,
    &nt_force_joint_force,    &nt_contact_sphere_plane, &nt_contact_sphere_sphere,
};

const int nt_element_type_count = sizeof nt_element_types / sizeof nt_element_types[0];

const char *const nt_part_names[] = {"explicit", "implicit", NULL};

unsigned nt_element_part(const nt_element *element)
{
    const unsigned *given = element->data;
    const nt_key *key = element->type->keys;
    while (key->name && key->bit != NT_BIT_PART)
        key++;
    if (!key->name)
        return element->type->part;
    int index = *(const int *)(const void *)((const char *)element->data + key->offset);
    return nt_part_of(*given & NT_GIVEN_PART, index, element->type->part);
}

const char *nt_element_word(const nt_element *element)
{
    static const char *const words[][2] = {
        {"joints", "joint"}, {"forces", "force"}, {"contacts", "contact"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], element->type->section) == 0)
            return words[i][1];
    return "element";
}
