/* Joints: constraints between two bodies, as multipliers or as stiff springs.
 *
 * All joints share one data struct, and a type is a list of primitive rows between a point and a
 * triad (e1, e2, e3) fixed in A and a point and a triad (f1, f2, f3) fixed in B; e3 and f3 are the
 * joint's axes. With d = p_B - p_A:
 *
 *   COINCIDE       p_A - p_B = 0                        three rows; as springs: ALONG 1, 2, 3
 *   ALONG i        e_i . d = 0
 *   PERPENDICULAR  e_i . f_j = 0
 *   DISTANCE       |d| - L = 0
 *   ANGLE          (motion) angle of f1 from e1 about e3 = f(t)
 *   SLIDE i        (motion) e_i . d = f(t)
 *
 * and, where all rotations are latched, or the two of a cross, with c_j and b_i the directions of A
 * and B that f_j and e_i had then:
 *
 *   LOCK i j       c_i . f_j = 0                        of (1 2), (2 3), (3 1)
 *   LOCK_A i j     (e_i x c_j) . f_j = 0                no rotation about e_i
 *   LOCK_B i j     e_i . (f_j x b_i) = 0                no rotation about f_j
 *
 * or, of a distance, two directions u_i fixed in A across the d that was then:
 *
 *   ACROSS i       u_i . d = 0
 */
#ifndef NUTATE_MODEL_JOINT_H
#define NUTATE_MODEL_JOINT_H

#include "model/forces/load.h"
#include "model/model.h"

enum { /* bits of nt_joint.given */
       NT_GIVEN_BETWEEN = 1 << 0,
       NT_GIVEN_AT = 1 << 1,
       NT_GIVEN_JOINT_AXIS = 1 << 2,
       NT_GIVEN_AXES = 1 << 3,
       NT_GIVEN_POINTS = 1 << 4,
       NT_GIVEN_ENFORCE = 1 << 5,
       NT_GIVEN_STIFFNESS = 1 << 6,
       NT_GIVEN_DAMPING = 1 << 7,
       NT_GIVEN_MOTION = 1 << 8,
       NT_GIVEN_LENGTH = 1 << 9,
       NT_GIVEN_FRICTION = 1 << 10,
       NT_GIVEN_LIMITS = 1 << 11,
       NT_GIVEN_DRY = 1 << 12,
       NT_GIVEN_VISCOUS = 1 << 13,
       NT_GIVEN_SLIP = 1 << 14,
       NT_GIVEN_LOWER = 1 << 15,
       NT_GIVEN_UPPER = 1 << 16,
       NT_GIVEN_LIMIT_STIFFNESS = 1 << 17,
       NT_GIVEN_LIMIT_DAMPING = 1 << 18,
       NT_GIVEN_RADIUS = 1 << 19,
       NT_GIVEN_PLANE = 1 << 20,
       NT_GIVEN_PLANE_POINT = 1 << 21,
       NT_GIVEN_PLANE_NORMAL = 1 << 22,
       NT_GIVEN_ACTIVE = 1 << 23,
       NT_GIVEN_RESTITUTION = 1 << 24,
       NT_GIVEN_REST_SPEED = 1 << 25,
       NT_GIVEN_FRICTION_LAW = 1 << 26,
       NT_GIVEN_IMPACT_LAW = 1 << 27,
       NT_GIVEN_FRICTION_PART = 1 << 29,
       NT_GIVEN_LIMIT_PART = 1 << 30,
       /* no joint that rolls has limits */
       NT_GIVEN_LIMIT_RESTITUTION = NT_GIVEN_RADIUS,
       NT_GIVEN_LIMIT_REST_SPEED = NT_GIVEN_PLANE,
       NT_GIVEN_LIMIT_LAW = NT_GIVEN_PLANE_POINT,
};

/* What discrete memory says of a joint: it does not hold, it holds, it is latched too, or it lies
 * at one of its rigid limits. */
enum {
    NT_JOINT_OFF,
    NT_JOINT_ON,
    NT_JOINT_LATCHED,
    NT_JOINT_AT_LOWER,
    NT_JOINT_AT_UPPER,
};

typedef enum nt_impact_law_name { NT_NEWTON, NT_POISSON } nt_impact_law_name;

typedef enum nt_row_kind {
    NT_ROW_COINCIDE,
    NT_ROW_ALONG,
    NT_ROW_PERPENDICULAR,
    NT_ROW_DISTANCE,
    NT_ROW_ANGLE,
    NT_ROW_SLIDE,
    NT_ROW_ACROSS,
    NT_ROW_LOCK,
    NT_ROW_LOCK_A,
    NT_ROW_LOCK_B,
} nt_row_kind;

/* What a latch keeps: the angle, the displacements along the axes of A, and the rotation vector of
 * the triad of B in that of A. */
enum { NT_LOCK_ANGLE, NT_LOCK_ALONG, NT_LOCK_ROTATION = 4, NT_JOINT_LOCKS = 7 };
/* Motions of rows: of the angle, along the axes of A; and where rotations are latched, and d. */
enum { NT_LOCK_DISTANCE = 5, NT_JOINT_MOTIONS = 6 };

typedef struct nt_row_spec {
    nt_row_kind kind;
    int i, j; /* 0-based members of the triads of A and B */
} nt_row_spec;

/* The blocks that a joint writes which holds a point: row and column, each a translation (T) or
 * rotation (R) of A or B or the multiplier (L). */
enum {
    NT_POINT_L_TA,
    NT_POINT_TA_L,
    NT_POINT_L_TB,
    NT_POINT_TB_L,
    NT_POINT_L_RA,
    NT_POINT_RA_L,
    NT_POINT_L_RB,
    NT_POINT_RB_L,
    NT_POINT_RA_RA,
    NT_POINT_RB_RB,
    NT_POINT_BLOCKS
};

typedef struct nt_joint {
    unsigned given;

    /* what every evaluation reads, together; a point that is held needs nothing after `place` */
    int enforce;          /* 0 multiplier, 1 penalty                                         */
    bool rotates, slides; /* has the free coordinate angle, displacement                     */
    bool turns;           /* its bodies are no points                                        */
    bool only_point;      /* holds a point and nothing else                                  */
    bool spans;           /* holds a distance from a body that has axes                      */
    int across;           /* ground axis across which e1 was laid when the model was built   */
    int n_specs;          /* without the motion row                                          */
    v3 point_a, point_b;  /* from the bodies' reference points, body axes                     */
    int place[NT_POINT_BLOCKS]; /* only_point: of its blocks in the values of the matrix, or -1  */
    const nt_row_spec *specs;
    bool locks;      /* an event may latch it, or it has rigid limits: rows as of
                        motions that stand still                                         */
    bool threaded;   /* its displacement follows its angle                               */
    int lock_memory; /* [NT_JOINT_LOCKS] where it is latched                             */
    int hold_memory; /* and whether it holds, 0: not; of models in which joints change   */
    const nt_expression *motion;
    v3 e[3], f[3]; /* triads of A and B, body axes                                     */

    /* as the file gives it */
    int between[2];
    nt_place_of_point at;
    double axis[3], axes[2][3];
    nt_place_of_point points[2];
    double stiffness, damping;
    double length;
    int part;           /* of the penalty */
    int active;         /* at first, where it is given */
    double restitution; /* of impacts where it is engaged or latched, 0 to 1                 */
    double rest_speed;  /* below it there is no rebound */
    int impact_law;     /* nt_impact_law_name           */
    struct {
        double dry, viscous, slip; /* N m or N; N m s/rad or N s/m; regularising speed */
        int part;
        int law; /* nt_friction_law */
    } friction;
    struct {
        double lower, upper, stiffness, damping;
        int part;
        double restitution, rest_speed; /* where they are rigid */
        int impact_law;                 /* nt_impact_law_name   */
    } limits;
    /* of set-valued friction: which way it slips, a switch of its own; at rest it slides
     * (sliding.h), which is to say that the joint sticks */
    const nt_expression *side;
    nt_coupling sides;
} nt_joint;

static inline bool nt_joint_sticks(const nt_joint *joint)
{
    return (joint->given & NT_GIVEN_FRICTION_LAW) && joint->friction.law == NT_FRICTION_SET_VALUED;
}
/* Whether its limits are rigid (events/limits.h). */
static inline bool nt_joint_is_limited(const nt_joint *joint)
{
    return (joint->given & NT_GIVEN_LIMITS) && !(joint->given & NT_GIVEN_LIMIT_STIFFNESS) &&
           joint->enforce == 0 && !joint->motion;
}
/* Whether it holds its bodies at the start, before any event. */
static inline bool nt_joint_holds_at_first(const nt_joint *joint)
{
    return !(joint->given & NT_GIVEN_ACTIVE) || joint->active;
}
/* Whether it holds them now; `memory` of a state, NULL at the start. A joint that does not has no
 * friction and no limits either. */
static inline bool nt_joint_holds(const nt_model *model, const nt_joint *joint,
                                  const double *memory)
{
    if (!model->joints_change)
        return true;
    if (!memory || isnan(memory[joint->hold_memory]))
        return nt_joint_holds_at_first(joint);
    return memory[joint->hold_memory] != 0;
}
/* NT_NEWTON where none is named, and for NULL. */
static inline nt_impact_law_name nt_joint_law(const nt_joint *joint)
{
    bool named = joint && (joint->given & NT_GIVEN_IMPACT_LAW);
    return named ? (nt_impact_law_name)joint->impact_law : NT_NEWTON;
}
/* Adds the switches of joints that stick, before the model is laid out. */
nt_status nt_joints_add_switches(nt_model *model);
/* Whether such a joint has friction at the present values. */
bool nt_joint_is_rough(const nt_run *run, int joint);

/* Key tables (joint_keys.c), by what a type can have. */
extern const nt_key nt_joint_point_keys[];    /* a point: fixed, spherical                        */
extern const nt_key nt_joint_axis_keys[];     /* and one axis: planar, inline                     */
extern const nt_key nt_joint_two_axes_keys[]; /* and two: universal                             */
extern const nt_key nt_joint_free_keys[];   /* axis, friction, limits: cylindrical               */
extern const nt_key nt_joint_moving_keys[]; /* and motion: revolute, prismatic                   */
extern const nt_key nt_joint_distance_keys[];

static inline const nt_joint *nt_joint_of(const nt_run *run, const nt_element *element)
{
    return nt_element_data(run, element);
}

/* Help for `prepare` (joint.c). "joint j (type) ..." at its place. */
nt_status nt_joint_refuse(const nt_model *model, const nt_element *element, nt_error *error,
                          const char *what);
/* False for a length of zero. */
bool nt_joint_unit_axis(const double given[3], v3 *axis);
/* The ground axis that is least along a unit axis; a unit vector perpendicular to it and to an axis
 * (see joint.c). */
int nt_joint_least_along(v3 axis);
v3 nt_joint_perpendicular(v3 axis, int across);
/* A point that the file gives, from the body's reference point in body axes. own: its coordinates
 * are in the body's own axes from its origin, else in ground axes at the given placement. */
v3 nt_joint_point(const nt_run *run, const nt_place_of_point *point, int body, bool own);

/* Whether row r of a joint, from its first one, is of its latch. */
bool nt_joint_row_locks(const nt_joint *joint, int r);
/* How many rows a latch adds, and where it is to hold: where the joint is, in lock[NT_JOINT_LOCKS].
 */
int nt_joint_lock_count(const nt_joint *joint);
void nt_joint_find_lock(const nt_element *element, const nt_view *view, double *lock);
/* And whether it is of its rigid limits too. */
bool nt_joint_row_limits(const nt_joint *joint, int r);

/* Shared callbacks of the joint types (joint.c). */
void nt_joint_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to);
v3 nt_joint_site(const nt_run *run, const nt_element *element);
bool nt_joint_is_smooth(const nt_run *run, const nt_element *element);
/* Of its limits that are springs (joint_load.c). */
int nt_joint_onsets(const nt_run *run, const nt_element *element, const nt_view *view,
                    double *beyond);
bool nt_joint_does_work(const nt_model *model, const nt_element *element);
int nt_joint_rows(const nt_model *model, const nt_element *element);
nt_status nt_joint_prepare(nt_run *run, const nt_element *element, const nt_row_spec *specs, int n,
                           bool validate, nt_error *error);
/* f1 beside e1 at the present initial placement: the zero of the angle. */
void nt_joint_align(nt_run *run, const nt_element *element);
nt_status nt_joint_declare(nt_model *model, nt_element *element);
/* joint.place, when all elements have declared their blocks. */
void nt_joint_locate(nt_model *model, const nt_element *element);

/* Whether a joint says where its B is turned at any time; then nt_system.given for the block of a
 * body that no other joint and no implicit force acts on (parallel.c). */
bool nt_joint_gives_rotation(const nt_model *model, const nt_element *element);
nt_status nt_run_given_rotation(void *self, int block, double t, const double *at,
                                nt_given_rotation *out);
bool nt_joint_depends_on_rates(const nt_run *run, const nt_element *element);
nt_status nt_joint_evaluate(const nt_element *element, const nt_view *view);
void nt_joint_accept(const nt_element *element, const nt_view *view, double *next);
nt_quantity nt_joint_row_quantity(const nt_model *model, const nt_element *element, int row);
const char *nt_joint_row_name(const nt_model *model, const nt_element *element, int row);
void nt_joint_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque);

/* What the descriptors of all joint types have in common. */
#define NT_JOINT_SLOTS                                                                             \
    .version = NT_ELEMENT_VERSION, .section = &nt_joint_section, .size = sizeof(nt_joint),         \
    .part = NT_IMPLICIT, .rows = nt_joint_rows, .declare = nt_joint_declare,                       \
    .evaluate = nt_joint_evaluate, .depends_on_rates = nt_joint_depends_on_rates,                  \
    .row_quantity = nt_joint_row_quantity, .row_name = nt_joint_row_name,                          \
    .reaction = nt_joint_reaction, .as_joint = nt_joint_of, .align = nt_joint_align,               \
    .site = nt_joint_site, .is_smooth = nt_joint_is_smooth, .does_work = nt_joint_does_work,       \
    .draw = nt_joint_draw, .memory = NT_MEMORY_COUNTS, .onsets = nt_joint_onsets

/* Friction and limits along the free coordinate (joint_load.c): adds terms, or energies. Called by
 * nt_joint_evaluate. */
nt_status nt_joint_load_evaluate(const nt_element *element, const nt_view *view);
/* The part of friction and limits in the force and torque on B. */
void nt_joint_load_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque);

/* A load of magnitude s (force or moment) along the joint's free coordinate, on B with the reaction
 * on A, and its tangent: rotation (a moment s e3 on B, -s e3 on A) or translation (a force s e3 on
 * B at p_B, -s e3 on A at p_B). ds given as coefficients of the variations of the four nodes. */
typedef struct nt_axis_load {
    bool translation;
    double s;
    v3 s_xa, s_ra, s_xb, s_rb; /* ds/d(x_A, theta_A, x_B, theta_B)   */
    v3 s_va, s_wa, s_vb, s_wb; /* ds/d(velocities)                   */
} nt_axis_load;
void nt_axis_load_add(const nt_element *joint, const nt_view *view, const nt_axis_load *load);
/* What a load of one does to the nodes of both bodies. */
void nt_axis_load_direction(const nt_element *joint, const nt_view *view, bool translation,
                            v3 direction[NT_PAIR_NODES]);

/* Values and gradients of the free coordinates for axis loads. rate_*: of the rate in positions;
 * the gradient of the rate in velocities equals that of the coordinate in positions. */
typedef struct nt_coordinate {
    double value, rate;
    v3 xa, ra, xb, rb;                     /* d value / d(x_A, theta_A, x_B, theta_B) */
    v3 rate_xa, rate_ra, rate_xb, rate_rb; /* d rate / d(x_A, theta_A, x_B, theta_B)  */
} nt_coordinate;
nt_coordinate nt_joint_coordinate(const nt_element *element, const nt_view *view, bool translation);
/* The value and the rate alone of the angle. */
void nt_joint_angle(const nt_element *element, const nt_view *view, double *angle, double *rate);

#endif
