/* The element types, one descriptor per file, for the registry. */
#ifndef NUTATE_MODEL_ELEMENTS_H
#define NUTATE_MODEL_ELEMENTS_H

#include "model/model.h"
#include "model/quantities/quantity_kind.h"

extern const nt_element_type nt_joint_fixed;
extern const nt_element_type nt_joint_spherical;
extern const nt_element_type nt_joint_revolute;
extern const nt_element_type nt_joint_prismatic;
extern const nt_element_type nt_joint_cylindrical;
extern const nt_element_type nt_joint_universal;
extern const nt_element_type nt_joint_planar;
extern const nt_element_type nt_joint_parallel;
extern const nt_element_type nt_joint_inline;
extern const nt_element_type nt_joint_distance;
extern const nt_element_type nt_joint_rolling_disk;
extern const nt_element_type nt_joint_rolling_sphere;
extern const nt_element_type nt_joint_knife_edge;
extern const nt_element_type nt_joint_screw;
extern const nt_element_type nt_joint_gear;

extern const nt_element_type nt_force_force;
extern const nt_element_type nt_force_torque;
extern const nt_element_type nt_force_distributed;
extern const nt_element_type nt_force_line_force;
extern const nt_element_type nt_force_modal_damping; /* of simulation.modal_damping, not listed */
extern const nt_element_type nt_force_rope;
extern const nt_element_type nt_force_aerodynamic;
extern const nt_element_type nt_force_spring;
extern const nt_element_type nt_force_torsion_spring;
extern const nt_element_type nt_force_bushing;
extern const nt_element_type nt_force_joint_torque;
extern const nt_element_type nt_force_joint_force;
extern const nt_element_type nt_force_joint_spring;
extern const nt_element_type nt_force_mass;

extern const nt_element_type nt_contact_sphere_plane;
extern const nt_element_type nt_contact_sphere_sphere;
extern const nt_element_type nt_contact_sphere_cylinder;
extern const nt_element_type nt_contact_sphere_torus;

extern const nt_element_type nt_bearing_ball;
extern const nt_element_type nt_beam_type;
extern const nt_element_type nt_cable_type;
extern const nt_element_type nt_state_type;
/* Made by the reader of the section `sampled`, one for each value; what it holds at a point. */
extern const nt_element_type nt_sampled_type;
double nt_sampled_value(const nt_element *element, const nt_view *view);

/* Types of blocks, of which the keys alone are used (states/blocks.c). */
extern const nt_element_type nt_block_transfer_function;
extern const nt_element_type nt_block_state_space;
extern const nt_element_type nt_block_pid;

extern const nt_section nt_block_section;

#endif
