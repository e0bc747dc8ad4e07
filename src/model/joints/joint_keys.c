/* The keys of joints in the model file. One definition each; a type takes those that it has. */
#include "model/joints/joint_keys.h"

static const char notes[] =
    "`JOINT.force` and `JOINT.torque` are what a joint does to its second body B, in ground axes. "
    "They hold everything that the joint itself does: the forces of its equations, by multipliers "
    "or by penalty, those of its `motion`, and those of its own `friction` and `limits`, which are "
    "a force along the axis of a `prismatic`, `cylindrical` or `screw` joint and a moment about "
    "the "
    "axis of a `revolute` one. What `torsion_spring`, `joint_torque` and `joint_force` do along a "
    "joint is "
    "not in them.\n"
    "\n"
    "The force acts at the joint's point of B, and the torque is about that point. In "
    "`cylindrical`, `screw`, `prismatic`, `planar` and `inline` joints, and in joints by penalty "
    "that give, "
    "B's point is apart from A's; then A bears the opposite force at B's point too. A "
    "`distance` joint pulls or pushes each body at the body's own point. `rolling_disk` and "
    "`rolling_sphere` have their force where they touch the plane, `knife_edge` at the blade's "
    "place, and no torque there unless they are latched. A `gear` has a torque alone, on the "
    "second body of its first "
    "joint.\n"
    "\n"
    "`JOINT.angle` and `JOINT.rate` belong to `revolute`, `cylindrical`, `screw`, `planar` and "
    "`parallel` joints, "
    "`JOINT.displacement` and `JOINT.displacement_rate` to `prismatic`, `cylindrical` and `screw` "
    "ones (of a `prismatic` joint `JOINT.rate` is the latter). Where a joint has both, friction "
    "and limits act on the displacement.\n"
    "\n"
    "The axes of a joint are fixed in A: z along the joint's axis of A (where it has none, along z "
    "of the ground at the given placement, with `points` along z of A), x along the product of "
    "that axis of A (its x, y or z) which is least along z and z, y along the product of z and x. "
    "With an axis along z of A they are -y, x and z of A. Along them `JOINT.relative_position`, "
    "`.relative_velocity`, `.rotation` and `.relative_angular_velocity` are given. `.rotation` "
    "is the rotation vector from them to those of B, whose z is the joint's axis of B and whose x "
    "is as near to that of A as can be at the given placement: zero there where the two axes "
    "coincide, and below pi. `JOINT.position` is B's point in ground axes. Of `rolling_disk`, "
    "`rolling_sphere` and `knife_edge` z is the plane's normal, the points are the plane's and the "
    "centre or the blade's place, and `JOINT.rate` is that of the turn of the disk about its "
    "`axis`, or the speed of the blade along the product of normal and `axis`.\n"
    "\n"
    "Where all six coordinates of a body or of a beam's end are given functions of time, it hangs "
    "on three `prismatic` and three `revolute` joints with `motion`, in the order in which "
    "displacements and angles are counted, with bodies of `mass: 0` between them.\n"
    "\n"
    "Expressions of forces, states and events may use whatever can be recorded: reactions, other "
    "forces, what ropes, beams, cables, contacts and bearings show of themselves, power and "
    "energy, and of the whole model `energy.total` and its parts, `momentum` and "
    "`angular_momentum`: friction that grows with the force a joint bears is a `joint_torque` or "
    "`joint_force` whose value has `JOINT.force` in it, and a motor that swings a pendulum up has "
    "`energy.total` in it. What is so followed may follow forces itself, but never in a loop, and "
    "reactions must be unique: where redundant equations leave one open, a load that follows it is "
    "refused by name, and what they do not touch (the forces within the plane of a planar linkage) "
    "may be followed. A load that turns into the reaction which it follows, and gives back more of "
    "it than it takes, may have several solutions (self-locking friction): where the start has, it "
    "is refused by name. Refused are also accelerations and "
    "what contains them (the `tension` of a cable at its ends, the power of what has inertia), as "
    "they follow from the forces; `energy.work`, which is summed up along the run; and "
    "`constraint_drift` and `step_size`, which belong to the method.";

const nt_section nt_joint_section = {
    .name = "joints", .word = "joint", .open = true, .joins = true, .notes = notes};

const char *const nt_joint_enforcements[] = {"multiplier", "penalty", NULL};
const char *const nt_impact_laws[] = {[NT_NEWTON] = "Newton", [NT_POISSON] = "Poisson", NULL};

const nt_key nt_joint_friction_keys[] = {
    NT_KEY("dry", NT_KEY_NUMBER, NT_JOINT_FIELD(friction.dry), .bit = 12, .unit = "N m, N",
           .meaning = "moment or force that opposes the rate, whatever its size: "
                      "dry * rate / sqrt(rate^2 + slip^2)"),
    NT_KEY("viscous", NT_KEY_NUMBER, NT_JOINT_FIELD(friction.viscous), .bit = 13,
           .unit = "N m s/rad, N s/m", .meaning = "moment or force per rate"),
    NT_KEY("slip", NT_KEY_NUMBER, NT_JOINT_FIELD(friction.slip), .bit = 14, .needs = "dry",
           .unit = "rad/s, m/s",
           .meaning = "rate below which dry friction turns over smoothly; default 1e-3"),
    NT_KEY("law", NT_KEY_CHOICE, NT_JOINT_FIELD(friction.law), .bit = 26,
           .choices = nt_friction_laws, .needs = "dry",
           .meaning = "`set-valued`: the joint sticks until the moment or force that holds it "
                      "passes `dry`, and slips then with `dry` against the rate; default "
                      "`regularised`"),
    NT_KEY_PART(nt_joint, friction.part, 29, "implicit"),
    {.name = NULL},
};

const nt_key nt_joint_limit_keys[] = {
    NT_KEY("lower", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.lower), .bit = 15, .unit = "rad, m",
           .meaning = "smallest value of the free coordinate"),
    NT_KEY("upper", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.upper), .bit = 16, .unit = "rad, m",
           .meaning = "largest value of the free coordinate"),
    NT_KEY("stiffness", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.stiffness), .bit = 17,
           .unit = "N m/rad, N/m",
           .meaning =
               "of the spring beyond a stop; without it stops are rigid, and to hit one is an "
               "impact"),
    NT_KEY("damping", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.damping), .bit = 18,
           .needs = "stiffness", .unit = "N m s/rad, N s/m",
           .meaning =
               "of the stop, whose force at penetration g is a (1 + b / sqrt(a^2 + b^2)) with "
               "a = stiffness * g, b = damping * rate of g; it never pulls"),
    NT_KEY("restitution", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.restitution), .bit = 19,
           .meaning = "of stops that are rigid: the part of the speed with which they are hit that "
                      "comes back, 0 (default) to 1"),
    NT_KEY("rest_speed", NT_KEY_NUMBER, NT_JOINT_FIELD(limits.rest_speed), .bit = 20,
           .needs = "restitution", .unit = "rad/s, m/s",
           .meaning = "below this speed there is no rebound, and the joint rests on its stop; "
                      "default 1e-3"),
    NT_KEY("impact_law", NT_KEY_CHOICE, NT_JOINT_FIELD(limits.impact_law), .bit = 21,
           .choices = nt_impact_laws, .needs = "restitution",
           .meaning = "`Newton` (default): restitution is of speeds; `Poisson`: of impulses, "
                      "which a second phase of the impact gives back"),
    NT_KEY_PART(nt_joint, limits.part, 30, "implicit; only with `stiffness`"),
    {.name = NULL},
};

const nt_key nt_joint_point_keys[] = {
    NT_JOINT_KEY_BETWEEN,   NT_JOINT_KEY_AT,      NT_JOINT_KEY_POINTS,  NT_JOINT_KEY_ENFORCE,
    NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING, NT_JOINT_KEYS_COMMON, {.name = NULL},
};

const nt_key nt_joint_axis_keys[] = {
    NT_JOINT_KEY_BETWEEN, NT_JOINT_KEY_AT,      NT_JOINT_KEY_POINTS,    NT_JOINT_KEY_AXIS,
    NT_JOINT_KEY_AXES,    NT_JOINT_KEY_ENFORCE, NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING,
    NT_JOINT_KEYS_COMMON, {.name = NULL},
};

const nt_key nt_joint_two_axes_keys[] = {
    NT_JOINT_KEY_BETWEEN, NT_JOINT_KEY_AT,      NT_JOINT_KEY_POINTS,
    NT_JOINT_KEY_AXES,    NT_JOINT_KEY_ENFORCE, NT_JOINT_KEY_STIFFNESS,
    NT_JOINT_KEY_DAMPING, NT_JOINT_KEYS_COMMON, {.name = NULL},
};

const nt_key nt_joint_free_keys[] = {
    NT_JOINT_FREE_KEYS,
    {.name = NULL},
};

const nt_key nt_joint_moving_keys[] = {
    NT_JOINT_KEY_BETWEEN, NT_JOINT_KEY_AT,        NT_JOINT_KEY_POINTS,   NT_JOINT_KEY_AXIS,
    NT_JOINT_KEY_AXES,    NT_JOINT_KEY_MOTION,    NT_JOINT_KEY_FRICTION, NT_JOINT_KEY_LIMITS,
    NT_JOINT_KEY_ENFORCE, NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING,  NT_JOINT_KEYS_COMMON,
    {.name = NULL},
};

const nt_key nt_joint_distance_keys[] = {
    NT_JOINT_KEY_BETWEEN,   NT_JOINT_KEY_POINTS,  NT_JOINT_KEY_LENGTH,  NT_JOINT_KEY_ENFORCE,
    NT_JOINT_KEY_STIFFNESS, NT_JOINT_KEY_DAMPING, NT_JOINT_KEYS_COMMON, {.name = NULL},
};
