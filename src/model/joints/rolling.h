/* Joints that do not slip: a disk or a sphere on a plane, a blade. They have rows at the velocity
 * level, and those with a plane one holonomic row as well.
 *
 * The plane is fixed in A: through p_A, unit normal n = e3, directions e1 and e2 along it. Of B
 * there are a point p_B (centre, place of the blade) and an axis f3. d = p_B - p_A. Everything is
 * given in the bodies' own axes. */
#ifndef NUTATE_MODEL_ROLLING_H
#define NUTATE_MODEL_ROLLING_H

#include "model/joints/joint.h"
#include "model/joints/joint_rows.h"

typedef struct nt_rolling {
    nt_joint joint; /* first: `given`, the points and the triads */
    double radius;  /* 0 for a blade                             */
    int across;     /* as joint.across, of f3: axis of B across which f1 lies */
    struct {
        nt_place_of_point point;
        double normal[3];
    } plane; /* as the file gives it: of A, its own axes */
} nt_rolling;

static inline const nt_rolling *nt_rolling_of(const nt_run *run, const nt_element *element)
{
    return nt_element_data(run, element);
}

/* The keys of these joints, one definition each. */
extern const nt_key nt_rolling_plane_keys[];
#define NT_ROLLING_KEY_BETWEEN                                                                     \
    NT_KEY("between", NT_KEY_BODIES, .offset = offsetof(nt_rolling, joint.between), .bit = 0,      \
           .required = true,                                                                       \
           .meaning = "bodies [A, B]; the plane belongs to A, what rolls or glides is B")
#define NT_ROLLING_KEY_AT(what)                                                                    \
    NT_KEY("at", NT_KEY_POINT, .offset = offsetof(nt_rolling, joint.at), .bit = 1, .unit = "m",    \
           .meaning = what " B's own axes from its origin, or a marker of B; default "             \
                           "the origin")
#define NT_ROLLING_KEY_AXIS(what)                                                                  \
    NT_KEY("axis", NT_KEY_NUMBERS, .offset = offsetof(nt_rolling, joint.axis), .bit = 2, .low = 3, \
           .high = 3, .required = true, .relative = true,                                          \
           .meaning = what " B's own axes; of any length but zero")
#define NT_ROLLING_KEY_RADIUS                                                                      \
    NT_KEY("radius", NT_KEY_NUMBER, .offset = offsetof(nt_rolling, radius), .bit = 19,             \
           .required = true, .unit = "m", .meaning = "positive")
#define NT_ROLLING_KEY_PLANE(what)                                                                 \
    NT_KEY("plane", NT_KEY_GROUP, .bit = 20, .group = nt_rolling_plane_keys, .meaning = what)

/* Points, axes and the plane; axis: B has one. */
nt_status nt_rolling_prepare(nt_run *run, const nt_element *element, bool axis, bool validate,
                             nt_error *error);
nt_status nt_rolling_declare(nt_model *model, nt_element *element);
nt_quantity nt_rolling_row_quantity(const nt_model *model, const nt_element *element, int row);
const char *nt_rolling_row_name(const nt_model *model, const nt_element *element, int row);

/* The point of B that is farthest down where its axis lies in the plane, at the initial placement,
 * ground axes: measures how large a model is. */
v3 nt_rolling_lowest_point(const nt_run *run, const nt_element *element);

/* Where B touches the plane, from its centre in units of the radius: -u, with u in ground axes.
 * u varies with the orientation of B relative to A as
 *
 *   du = D dphi,  D = -a k^T + tau k u^T,
 *
 * k unit along the plane and a along B's axis; a body round all over has D = 0. */
typedef struct nt_contact_arm {
    v3 u, k, a;
    double tau;
    bool leans; /* D is not 0 */
} nt_contact_arm;

/* As nt_element_type.as_rolling. */
const nt_joint *nt_rolling_joint(const nt_run *run, const nt_element *element);

/* The rows of a body that rolls (rolling.c). arm: what the geometry's directions make of it. */
nt_status nt_rolling_evaluate(const nt_element *element, const nt_view *view,
                              const joint_geometry *geometry, const nt_contact_arm *arm);
/* The disk, or the sphere where there is no axis; of a blade nothing. */
void nt_rolling_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to);
/* One holonomic row and those of a latch, two nonholonomic ones; the force on B where it touches
 * the plane, p_B - r u, and the torque there, which a latch has alone. */
bool nt_rolling_does_work(const nt_model *model, const nt_element *element);
int nt_rolling_rows(const nt_model *model, const nt_element *element);
int nt_rolling_rates(const nt_model *model, const nt_element *element);
void nt_rolling_react(const nt_element *element, const nt_view *view,
                      const joint_geometry *geometry, const nt_contact_arm *arm, v3 *force,
                      v3 *torque);

#endif
