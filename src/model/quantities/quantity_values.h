/* Values and derivatives of recorded quantities that are more than a line of the table of kinds:
 * see quantity_kind.h for what these functions are given. */
#ifndef NUTATE_MODEL_QUANTITY_VALUES_H
#define NUTATE_MODEL_QUANTITY_VALUES_H

#include "model/quantities/quantity_kind.h"

/* quantity_frames.c: axes of bodies, Euler angles, joints as pairs of frames */

#define NT_FRAME_QUANTITY(name)                                                                    \
    void nt_value_##name(const nt_sampler *s, int object, double *out);                            \
    void nt_vary_##name(const nt_view *view, int object, int column, nt_signal_gradient *gradient);
NT_FRAME_QUANTITY(x_axis)
NT_FRAME_QUANTITY(y_axis)
NT_FRAME_QUANTITY(z_axis)
NT_FRAME_QUANTITY(euler_xyz)
NT_FRAME_QUANTITY(euler_yzx)
NT_FRAME_QUANTITY(euler_zxy)
NT_FRAME_QUANTITY(euler_xzy)
NT_FRAME_QUANTITY(euler_yxz)
NT_FRAME_QUANTITY(euler_zyx)
NT_FRAME_QUANTITY(euler_xyx)
NT_FRAME_QUANTITY(euler_xzx)
NT_FRAME_QUANTITY(euler_yxy)
NT_FRAME_QUANTITY(euler_yzy)
NT_FRAME_QUANTITY(euler_zxz)
NT_FRAME_QUANTITY(euler_zyz)
NT_FRAME_QUANTITY(joint_position)
NT_FRAME_QUANTITY(joint_relative_position)
NT_FRAME_QUANTITY(joint_relative_velocity)
NT_FRAME_QUANTITY(joint_rotation)
NT_FRAME_QUANTITY(joint_angular_velocity)
NT_FRAME_QUANTITY(wheel_rate)
void nt_value_blade_rate(const nt_sampler *s, int element, double *out);

/* quantity_loads.c: what loads and joints do */

NT_FRAME_QUANTITY(along)      /* length, angle or displacement */
NT_FRAME_QUANTITY(along_rate) /* its rate                     */
NT_FRAME_QUANTITY(airspeed)   /* of an aerodynamic force */
NT_FRAME_QUANTITY(attack)     /* its angle of attack     */
void nt_value_rope_length(const nt_sampler *s, int element, double *out);
void nt_value_rope_rate(const nt_sampler *s, int element, double *out);
void nt_value_rope_tension(const nt_sampler *s, int element, double *out);
void nt_value_along_load(const nt_sampler *s, int element, double *out);
void nt_value_power(const nt_sampler *s, int element, double *out);
void nt_value_energy(const nt_sampler *s, int element, double *out);
void nt_value_energies(const nt_sampler *s, int element, double *out);

#undef NT_FRAME_QUANTITY

#endif
