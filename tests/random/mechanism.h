/* Random mechanisms: what they are made of, as a model file and as bodies in the coordinates of all
 * bodies, which reference.c integrates by equations of its own. Nothing here uses the library. */
#ifndef NUTATE_TESTS_RANDOM_MECHANISM_H
#define NUTATE_TESTS_RANDOM_MECHANISM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct vec {
    double x, y, z;
} vec;

static inline vec vec_of(double x, double y, double z) { return (vec){x, y, z}; }
static inline vec vec_add(vec a, vec b) { return vec_of(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec vec_times(double s, vec a) { return vec_of(s * a.x, s * a.y, s * a.z); }
static inline vec vec_sub(vec a, vec b) { return vec_add(a, vec_times(-1, b)); }
static inline double vec_dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec_size(vec a) { return sqrt(vec_dot(a, a)); }
static inline vec vec_unit(vec a) { return vec_times(1 / vec_size(a), a); }
static inline vec vec_cross(vec a, vec b)
{
    return vec_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Rotations by their columns: the body's axes in ground axes. */
typedef struct turn {
    vec e[3];
} turn;

static inline vec turn_apply(const turn *R, vec a)
{
    return vec_add(vec_times(a.x, R->e[0]),
                   vec_add(vec_times(a.y, R->e[1]), vec_times(a.z, R->e[2])));
}
static inline vec turn_back(const turn *R, vec a)
{
    return vec_of(vec_dot(R->e[0], a), vec_dot(R->e[1], a), vec_dot(R->e[2], a));
}
turn turn_of(const double q[4]); /* w, x, y, z of any length */

/* A vector across a and one across both, so that (first, second, a) is right-handed. */
void vec_across(vec a, vec *first, vec *second);

/* c[0] + c[1] sin(c[2] t + c[3]) + c[4] A.velocity.x + c[5] B.position.z, of bodies' origins. */
typedef struct formula {
    double c[6];
    int a, b; /* bodies; 0: without the last two */
} formula;

typedef struct body {
    double mass;
    double inertia[6]; /* xx, yy, zz, xy, xz, yz about the centre of mass, body axes, kg m^2 */
    vec center;        /* of mass from the origin, body axes, m                              */
    vec position;      /* of the origin */
    double orientation[4];
    vec velocity, angular_velocity; /* wanted; what joints forbid is taken away */
    bool moves;                     /* these are given                          */
    bool point;
} body;

typedef enum kind {
    FIXED,
    SPHERICAL,
    REVOLUTE,
    PRISMATIC,
    CYLINDRICAL,
    SCREW,
    UNIVERSAL,
    PLANAR,
    INLINE,
    DISTANCE,
    ROLLING_DISK,
    ROLLING_SPHERE,
    KNIFE_EDGE,
    GEAR,
    KINDS
} kind;

/* A joint in ground axes at the given placement; rolling ones and the knife edge are on the ground,
 * `at` in the body's axes from its origin and `axis` too. Of gears a and b are joints. */
typedef struct joint {
    kind type;
    int a, b;
    vec at, axis, other; /* other: of universal joints, B's axis */
    vec points[2];       /* of distance joints, each body's axes */
    double radius;       /* pitch of a screw, ratio of a gear */
    bool driven;         /* motion = rate t + swing (1 - cos(2 t)) */
    double rate, swing;
    double dry, viscous, slip;
    double upper, stiffness, damping; /* a stop; stiffness 0: none */
} joint;

typedef enum load_kind {
    FORCE,
    TORQUE,
    SPRING,
    TORSION_SPRING,
    BUSHING,
    JOINT_LOAD,
    CONTACT
} load_kind;

typedef struct load {
    load_kind type;
    int a, b, joint;
    vec at, other; /* ground axes at the given placement, of contacts the body's */
    formula value[3];
    bool turns; /* with the body */
    double stiffness[6], damping[6], length;
    double radius, exponent, friction, slip;
} load;

enum { BODIES = 12, JOINTS = 20, LOADS = 16 };

typedef struct mechanism {
    body bodies[BODIES]; /* bodies[0] is the ground */
    joint joints[JOINTS];
    load loads[LOADS];
    int n_bodies, n_joints, n_loads;
    vec gravity;
    double duration;
} mechanism;

/* The mechanism of a seed. */
void mechanism_make(mechanism *m, uint64_t seed);

/* Its model file, with `method`, `frame` and the rest of the section `simulation`. Records
 * position, orientation, velocity and angular velocity of each body, then the force of each joint.
 */
void mechanism_write(const mechanism *m, const char *simulation, FILE *to);

/* ---- reference.c ---------------------------------------------------------------------------- */

/* x of the centre of mass, quaternion, v of the centre of mass (ground), w (body axes). */
enum { STATE = 13 };

/* The largest row of the joints and of their rates at y[n_bodies][STATE], t = 0. */
void reference_open(const mechanism *m, const double *y, double *positions, double *rates);

/* From t = 0 to the end. Joints' forces on B at the end, and whether they are unique. False: steps
 * became too small. */
bool reference_integrate(const mechanism *m, double *y, vec *forces, bool *unique);

#endif
