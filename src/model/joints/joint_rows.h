/* The primitive rows of joints; see joint.h for what they are. */
#ifndef NUTATE_MODEL_JOINT_ROWS_H
#define NUTATE_MODEL_JOINT_ROWS_H

#include "model/joints/joint.h"
#include "model/joints/rows.h"

/* Everything rows are made of, at one point. */
typedef struct joint_geometry {
    const nt_motion *a, *b;
    body_vector e[3], f[3]; /* triads of A and B        */
    body_vector pa, pb;     /* the joint's points       */
    v3 d, d1, d2;           /* p_B - p_A and derivatives */
    bool gradients;         /* false: rows get values and forces alone, their gradients stay 0 */
    bool rates;             /* false: nothing but positions is filled in, derivatives are 0    */
} joint_geometry;

/* The rows of a joint one after the other, of a COINCIDE three: how many specs. And how many rows
 * one is (joint_specs.c). */
int nt_joint_specs(const nt_joint *joint, nt_row_spec out[8]);
int nt_joint_components(const nt_row_spec *spec);

/* Whether a row is of directions alone. */
static inline bool nt_row_turns(nt_row_kind kind)
{
    return kind == NT_ROW_PERPENDICULAR || kind == NT_ROW_ANGLE || kind >= NT_ROW_LOCK;
}

void joint_geometry_of(joint_geometry *geometry, const nt_element *element, const nt_view *view);

/* The geometry that rows at the level of positions need, without rates. */
void joint_positions_of(joint_geometry *geometry, const nt_element *element, const nt_view *view);

/* One row at a level; component picks one of the three COINCIDE rows. motion is f, f', f'',
 * of a latched rotation its vector, of ACROSS the latched d in the axes of A.
 * False where the row has no value (a distance of zero). */
bool joint_row_of(joint_row *row, const joint_geometry *geometry, const nt_row_spec *spec,
                  int component, nt_level level, double length, const double motion[3]);

/* Rows of positions with their derivatives, and what their multipliers do where no tangent of it is
 * asked for: the same numbers as by joint_row_of. False, and nothing is added, where a row is none
 * of COINCIDE, PERPENDICULAR and ANGLE. */
bool nt_joint_add_positions(const nt_element *element, const nt_view *view,
                            const nt_row_spec *specs, int n, double motion);

/* The free angle of a joint (translation: its displacement) or its derivatives as a row between its
 * bodies; the force of its multiplier is that of nt_axis_load_add. */
void nt_joint_coordinate_row(const nt_element *joint, const nt_view *view, bool translation,
                             nt_level level, joint_row *row);

/* k times a row: its value, gradients and forces. */
joint_row joint_row_scaled(double k, const joint_row *row);

/* Add the blocks of row r of the element at hand: its derivatives and its force, between the bodies
 * of `between`, which stand at the view's ports for A and B (joint.c). */
void nt_joint_add_row_blocks(const nt_element *between, const nt_view *view, const joint_row *row,
                             int r);

/* Add row r of an element (holonomic, then nonholonomic): its value, its multiplier's force, its
 * blocks (joint.c). */
void nt_joint_add_row(const nt_element *element, const nt_view *view, const joint_row *row, int r);

/* The rows of a latch of an element whose other rows are its own: added, with their tangent. And
 * what they do to B at p_B + foot. Nothing where no event latches it (joint.c). */
void nt_joint_add_latch(const nt_element *element, const nt_view *view,
                        const joint_geometry *geometry);
void nt_joint_add_latch_reaction(const nt_element *element, const nt_view *view,
                                 const joint_geometry *geometry, v3 foot, v3 *force, v3 *torque);

/* Add k times the derivative of the row's force (multiplier 1) in positions. */
void joint_row_tangent(const nt_view *view, const joint_geometry *geometry, const nt_row_spec *spec,
                       int component, const double motion[3], double k);

#endif
