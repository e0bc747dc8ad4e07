/* Every element type at random configurations: tangents of residual and constraint rows against
 * central differences, at all three levels, in both frames, between turning bodies with offsets and
 * against the ground. A type of the registry without a case here fails the test. */
#include "model/elements.h"
#include "random_point.h"
#include "system/problem.h"
#include "tests/read_run.h"

#include <float.h>
#include <math.h>
#include <nutate/nutate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The element as it stands in a model; %s is `between` ("a, b" or "ground, b") */
typedef struct element_case {
    const char *type;
    const char *text;
} element_case;

/* A beam with its centre of mass off the line. */
#define LINE(more)                                                                                 \
    "beams: {s: {points: [[0, 0, 0], [1, 0.2, 0.1]], order: 1" more                                \
    ", sections: [{stiffness: [30, 20, 25, 3, 4, 5], mass: [2, 2, 2, 0.3, 0.2, 0.4], "             \
    "point: [0, 0.1, -0.2]}]}}\n"

static const element_case cases[] = {
    {"fixed", "joints: {e: {type: fixed, between: [%s], at: [0.3, -0.2, 0.5]}}"},
    {"spherical", "joints: {e: {type: spherical, between: [%s], at: [0.3, -0.2, 0.5]}}"},
    {"revolute",
     "joints: {e: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 2, -1]}}"},
    {"revolute",
     "joints: {e: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [-1, 0, 0], "
     "motion: 0.3*sin(2*t) + t^2}}"},
    {"revolute",
     "joints: {e: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, -1, 0], "
     "friction: {dry: 0.4, viscous: 0.2, slip: 0.5}, "
     "limits: {lower: -0.001, upper: 0.001, stiffness: 30, damping: 0.7}}}"},
    {"revolute",
     "joints: {e: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 0, -1], "
     "enforce: penalty, stiffness: 200, damping: 3, motion: sin(t)}}"},
    {"prismatic",
     "joints: {e: {type: prismatic, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 2, -1], "
     "motion: 0.1 - 0.1*cos(3*t)}}"},
    {"prismatic",
     "joints: {e: {type: prismatic, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 2, -1], "
     "friction: {dry: 2, slip: 0.3}, limits: {upper: -5, stiffness: 4, damping: 2}}}"},
    {"cylindrical",
     "joints: {e: {type: cylindrical, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 0, 1], "
     "friction: {viscous: 0.3}}}"},
    {"universal", "joints: {e: {type: universal, between: [%s], at: [0.3, -0.2, 0.5], "
                  "axes: [[1, 0, 0], [0, 1, 0]]}}"},
    {"universal",
     "joints: {e: {type: universal, between: [%s], at: [0.3, -0.2, 0.5], enforce: penalty, "
     "stiffness: 90, damping: 2, axes: [[1, 0, 0], [0, 1, 0]]}}"},
    {"planar", "joints: {e: {type: planar, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 1, 0]}}"},
    {"parallel", "joints: {e: {type: parallel, between: [%s], at: [0.3, -0.2, 0.5], "
                 "axis: [1, 1, 0], motion: 0.2*sin(2*t)}}"},
    {"fixed", "joints: {e: {type: fixed, between: [%s], at: [0.3, -0.2, 0.5], enforce: penalty, "
              "stiffness: 80, damping: 5}}"},
    {"spherical", "joints: {e: {type: spherical, between: [%s], at: [0.3, -0.2, 0.5], enforce: "
                  "penalty, stiffness: 60, damping: 7}}"},
    {"planar", "joints: {e: {type: planar, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 1, 0], "
               "enforce: penalty, stiffness: 40, damping: 3}}"},
    {"inline", "joints: {e: {type: inline, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 1, 0]}}"},
    {"inline", "joints: {e: {type: inline, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 1, 0], "
               "enforce: penalty, stiffness: 50, damping: 1}}"},
    {"distance",
     "joints: {e: {type: distance, between: [%s], points: [[0.1, 0.7, 0.2], [0.4, 0, -0.3]]}}"},
    {"distance",
     "joints: {e: {type: distance, between: [%s], points: [[0.1, 0.7, 0.2], [0.4, 0, -0.3]], "
     "enforce: penalty, stiffness: 70, damping: 4}}"},
    {"rolling_disk",
     "joints: {e: {type: rolling_disk, between: [%s], radius: 0.7, axis: [1, 2, -1], "
     "at: [0.2, 0.1, -0.3], plane: {point: [0.1, 0.2, -0.4], normal: [1, 1, 3]}}}\n"
     "initial: {correct: true}"},
    {"rolling_sphere",
     "joints: {e: {type: rolling_sphere, between: [%s], radius: 0.7, "
     "at: [0.2, 0.1, -0.3], plane: {point: [0.1, 0.2, -0.4], normal: [1, 1, 3]}}}\n"
     "initial: {correct: true}"},
    {"knife_edge", "joints: {e: {type: knife_edge, between: [%s], axis: [1, 2, -1], "
                   "at: [0.2, 0.1, -0.3]}}"},
    {"knife_edge", "joints: {e: {type: knife_edge, between: [%s], axis: [1, 2, -1], "
                   "at: [0.2, 0.1, -0.3], plane: {point: [0.1, 0.2, -0.4], normal: [1, 1, 3]}}}\n"
                   "initial: {correct: true}"},
    {"screw", "joints: {e: {type: screw, between: [%s], at: [0.3, -0.2, 0.5], axis: [1, 2, -1], "
              "pitch: 0.7, friction: {dry: 0.4, slip: 0.5}}}"},
    {"screw", "joints: {e: {type: screw, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 1], "
              "pitch: -0.4, enforce: penalty, stiffness: 50, damping: 2}}"},
    {"gear",
     "joints: {j: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0.3]},\n"
     "  k: {type: cylindrical, between: [c, a], at: [0.1, 0.4, 0.2], axis: [1, 0.2, 0]},\n"
     "  e: {type: gear, joints: [j, k], ratio: -1.7}}"},
    {"force",
     "forces: {e: {type: force, on: b, at: [0.1, 0.2, 0.3], "
     "value: [3*a.position.x + t, a.angular_velocity.z*b.velocity.y, 2 - b.orientation.w^2]}}\n"
     "# %s"},
    {"force", "forces: {e: {type: force, on: b, at: p, frame: body, "
              "value: [-0.3*b.velocity.x, p.velocity.y*p.position.z, 4]}}\n# %s"},
    {"torque",
     "forces: {e: {type: torque, on: b, value: [sin(t), 2*a.velocity.z, b.angular_velocity.x]}}\n"
     "# %s"},
    {"torque", "forces: {e: {type: torque, on: b, frame: body, value: [1, a.orientation.x, "
               "b.angular_velocity.y^3]}}\n# %s"},
    {"spring", "forces: {e: {type: spring, between: [%s], at: [[0.2, 0.1, 0], [0.9, -0.4, 0.3]], "
               "stiffness: 40, damping: 3, length: 0.2}}"},
    {"spring",
     "forces: {e: {type: spring, between: [%s], at: [[0.2, 0.1, 0], [0.9, -0.4, 0.3]], "
     "stiffness: 40 + 5*e.length, damping: '3 + 0.1*abs(e.rate)', length: 0.2, preload: 2}}"},
    {"spring", "forces: {e: {type: spring, between: [%s], at: [[0.2, 0.1, 0], [0.9, -0.4, 0.3]], "
               "stiffness: 40, damping: 3, length: 0.2, only: tension, limits: {upper: 0.4, "
               "stiffness: 30, damping: 2}}}"},
    {"line_force",
     "forces: {e: {type: line_force, between: [%s], at: [[0.2, 0.1, 0], [0.9, -0.4, 0.3]], "
     "value: 4*e.length^2 - e.rate*a.position.x + t}}"},
    {"rope", "forces: {e: {type: rope, through: [[ground, [0.1, 0, 3]], p, [c, [1, 0.5, 2]], [b, "
             "[0.9, -0.4, 0.3]], "
             "[a, [0.3, 0.2, 1]]], length: 0.5, stiffness: 40, damping: 3, friction: {coefficient: "
             "0.3, slip: 0.4}}}\n# %s"},
    {"rope", "forces: {e: {type: rope, through: [p, [a, [0.3, 0.2, 1]]], length: 0.2, stiffness: "
             "40}}\n# %s"},
    {"aerodynamic",
     "forces: {e: {type: aerodynamic, on: b, at: p, area: 2, density: 1.3, drag: 0.4 + "
     "e.angle_of_attack^2 + 0.05*e.airspeed, "
     "lift: sin(2*e.angle_of_attack) + 0.1*a.position.x, chord: [1, 1, 0], span: [0, 0, 1], "
     "wind: [3, sin(t), -0.4]}}\n# %s"},
    {"aerodynamic", "forces: {e: {type: aerodynamic, on: b, area: 2, drag: 0.7}}\n# %s"},
    {"joint_spring",
     "joints: {j: {type: prismatic, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0]}}\n"
     "forces: {e: {type: joint_spring, joint: j, stiffness: 5, damping: 0.4 + e.rate^2}}"},
    {"torsion_spring",
     "joints: {j: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0]}}\n"
     "forces: {e: {type: torsion_spring, joint: j, stiffness: 5, damping: 0.4, angle: 0.3}}"},
    {"bushing", "forces: {e: {type: bushing, between: [%s], at: [0.3, -0.2, 0.5], "
                "stiffness: [100, 120, 140, 5, 6, 7], damping: [1, 2, 3, 0.1, 0.2, 0.3]}}"},
    {"state", "states: {s: {rate: sin(z) - s^2*a.position.x, initial: 0.3}, "
              "z: {rate: b.velocity.x - 2*z, initial: 0.4, part: explicit}}\n"
              "forces: {e: {type: force, on: b, value: [s, z^2, s*z*b.position.y]}}\n# %s"},
    {"transfer_function",
     "blocks: {s: {type: transfer_function, input: b.velocity.x, numerator: [2, 3, -1], "
     "denominator: [1, 4, 0, 5], initial: [0.3, 1, 2]}}\n"
     "forces: {e: {type: force, on: b, value: [s, s^2, 1]}}\n# %s"},
    {"state_space", "blocks: {s: {type: state_space, inputs: [b.velocity.x, a.position.y], "
                    "A: [[0, 1], [-4, -1]], B: [[1, 0], [2, 3]], C: [1, 0], D: [0, 2], "
                    "initial: [0.2, 0.4]}}\n"
                    "forces: {e: {type: force, on: b, value: [s, s^2, 1]}}\n# %s"},
    {"pid", "blocks: {s: {type: pid, error: 0.4 - b.position.x, proportional: 3, integral: 2, "
            "derivative: 0.3, filter: 0.1, limits: [-5, 7], initial_integral: 0.2}}\n"
            "forces: {e: {type: force, on: b, value: [s, s^2, 1]}}\n# %s"},
    {"joint_torque",
     "joints: {j: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0]}}\n"
     "forces: {e: {type: joint_torque, joint: j, value: -4*(j.angle - 0.2) - 0.3*j.rate + "
     "a.position.y}}"},
    {"joint_force",
     "joints: {j: {type: prismatic, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0]}}\n"
     "forces: {e: {type: joint_force, joint: j, value: 3 - 8*j.displacement - 2*j.rate}}"},
    /* radii so large that there is contact wherever the bodies are */
    {"sphere_plane",
     "contacts: {e: {type: sphere_plane, between: [%s], plane: {point: [0.2, 0.1, -0.3], "
     "normal: [0.3, -0.2, 1]}, at: [0.1, -0.3, 0.2], radius: 4, stiffness: 20, damping: 0.4, "
     "friction: {coefficient: 0.6, slip: 0.3}}}"},
    {"sphere_plane",
     "contacts: {e: {type: sphere_plane, between: [%s], plane: {normal: [0, 2, 0]}, radius: 4, "
     "stiffness: 7, exponent: 1}}"},
    {"sphere_sphere",
     "contacts: {e: {type: sphere_sphere, between: [%s], at: [[0.2, 0.1, -0.3], [0.1, 0.4, 0.6]], "
     "radii: [3, 2], stiffness: 15, exponent: 2.2, damping: 0.7, part: implicit, "
     "friction: {coefficient: 0.3, slip: 0.5}}}"},
    {"sphere_sphere",
     "contacts: {e: {type: sphere_sphere, between: [%s], radii: [2, 3], stiffness: 10, "
     "damping: 5}}"},
    {"sphere_sphere",
     "contacts: {e: {type: sphere_sphere, between: [%s], at: [[0.2, 0.1, -1.3], [0.1, 0.4, 0.6]], "
     "radii: [2, 1.9], inside: true, material: {E: 100, nu: 0.3}, "
     "restitution: {coefficient: 0.6, speed: 2}, friction: {coefficient: 0.3, slip: 0.5}}}"},
    {"sphere_cylinder",
     "contacts: {e: {type: sphere_cylinder, between: [%s], cylinder: {point: [0.2, 1.1, -0.3], "
     "axis: [0.3, -0.2, 1], radius: 3}, at: [0.1, -0.3, 0.2], radius: 2, damping: 0.1, "
     "material: {E: 30, nu: 0.2}, sphere_material: {E: 50, nu: 0.3}, "
     "rolling: {resistance: 0.3, slip: 0.5}, friction: {coefficient: 0.6, slip: 0.3}}}"},
    {"sphere_cylinder",
     "contacts: {e: {type: sphere_cylinder, between: [%s], cylinder: {point: [-1.8, 0, 0], "
     "axis: [0.1, 0.2, 1], radius: 2, inside: true}, radius: 1.9, stiffness: 8, exponent: 1.2, "
     "traction: {law: four_parameter, curve: [-0.2, 0.25, 2, 0.3], slip: 0.2}}}"},
    {"sphere_torus",
     "contacts: {e: {type: sphere_torus, between: [%s], torus: {point: [0.2, 0.1, -0.3], "
     "axis: [0.3, -0.2, 1], radius: 5, tube: 2.5, inside: true, contact_angle: 3}, "
     "at: [0.1, -0.3, 0.2], radius: 2.4, damping: 0.2, material: {E: 20, nu: 0.3}, "
     "rolling: {resistance: 0.3}, friction: {coefficient: 0.6, slip: 0.3}}}"},
    {"sphere_torus",
     "contacts: {e: {type: sphere_torus, between: [%s], torus: {point: [2, 0.1, -0.3], "
     "axis: [0.3, -0.2, 1], radius: 4, tube: 2}, radius: 2.4, material: {E: 20, nu: 0.3}, "
     "traction: {law: film, slip: 0.3, viscosity: 0.2, pressure_coefficient: 0.03, stress: 4, "
     "limit: 0.4}}}"},
    {"distributed",
     LINE(", inertia: consistent, damping: 0.03") "forces: {e: {type: distributed, on: s, value: "
                                                  "[1, \"sin(t)*e.station\", 3], "
                                                  "moment: [0.3, -2, 1]}}\n# %s"},
    {"mass",
     "forces: {e: {type: mass, on: b, at: [0.3, -0.2, 0.5], matrix: [2, 0, 0, 0, 0.2, -0.4, "
     "0, 2, 0, -0.2, 0, 0.6, 0, 0, 2, 0.4, -0.6, 0, 0, -0.2, 0.4, 0.9, 0, 0, 0.2, 0, -0.6, "
     "0, 1.1, 0, -0.4, 0.6, 0, 0, 0, 1.2]}}\n# %s"},
    {"mass",
     "forces: {e: {type: mass, on: b, matrix: [2, 0.1, 0, 0.3, 0.2, 0, 0.1, 3, 0.2, 0, 0.4, 0, "
     "0, 0.2, 4, 0.1, 0, 0.3, 0.3, 0, 0.1, 2, 0.1, 0, 0.2, 0.4, 0, 0.1, 3, 0, "
     "0, 0, 0.3, 0, 0, 1]}}\n# %s"},
    {"distributed", LINE(", inertia: lumped") "forces: {e: {type: distributed, on: s, frame: "
                                              "section, value: [1, e.station, 3], "
                                              "moment: [0.3, -2, 1]}}\n# %s"},
};

enum { N_CASES = sizeof cases / sizeof cases[0] };

static const char bodies_text[] =
    "nutate: 1\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, -0.03, 0.01], center_of_mass: [0.1, -0.2, "
    "0.05],\n"
    "      position: [0.2, 0.4, -0.1], orientation: {rotation_vector: [0.3, -0.5, 0.2]}}\n"
    "  b: {mass: 1.5, inertia: [0.2, 0.3, 0.4], center_of_mass: [0, 0.15, -0.1],\n"
    "      position: [0.9, -0.3, 0.6], orientation: {axis: [1, 1, 0], angle: 0.8}}\n"
    "  c: {mass: 3, inertia: [0.4, 0.4, 0.2], center_of_mass: [0, 0, 0.3], fixed_point: [0, 0, "
    "0],\n"
    "      orientation: {rotation_vector: [0.1, 0.2, -0.3]}}\n"
    "markers: {p: {on: b, at: [0.2, -0.1, 0.4]}}\n";

static nt_run *read_case(const char *text)
{
    nt_error error;
    nt_run *run;
    if (read_run_text(&run, text, strlen(text), "case", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s\n%s", error.message, text);
    return run;
}

/* ---- a system that shows some parts of another ---------------------------------------------- */

typedef struct share {
    nt_system system;
    const nt_system *whole;
    unsigned parts;
} share;

static nt_status evaluate_share(void *self, const nt_point *at, const nt_terms *terms)
{
    const share *s = self;
    nt_terms some = *terms;
    some.parts &= s->parts;
    return s->whole->evaluate(s->whole->self, at, &some);
}

static void share_init(share *s, const nt_system *whole, unsigned parts)
{
    *s = (share){.system = *whole, .whole = whole, .parts = parts};
    s->system.evaluate = evaluate_share;
    s->system.self = s;
    s->system.energy = NULL;
    s->system.set_parameters = NULL;
    s->system.initial = NULL;
    s->system.equation_name = NULL;
    s->system.failure = NULL;
    s->system.accept = NULL;
    s->system.capabilities &= ~(unsigned)(NT_HAS_ENERGY | NT_HAS_PARAMETERS);
}

/* ---- tangents ------------------------------------------------------------------------------- */

static double worst_difference(const char *text, unsigned parts, unsigned seed)
{
    nt_error error;
    nt_run *run = read_case(text);
    share shown;
    share_init(&shown, nt_run_system(run), parts);
    double memory[400], worst = 0;
    for (int k = 0; k < 4; k++) {
        nt_point at = random_point(run, &seed, memory);
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
            nt_problem *problem;
            double difference;
            if (nt_problem_create(&problem, &shown.system, frame, &error) != NT_OK)
                fail_msg("%s", error.message);
            assert_int_equal(nt_problem_check_tangent(problem, &at, 1e-6, &difference, &error),
                             NT_OK);
            worst = fmax(worst, difference);
            nt_problem_destroy(problem);
        }
    }
    destroy_run(run);
    return worst;
}

/* The bodies, then the case with its %s replaced by the pair. */
static void write_case(char *text, size_t size, const element_case *c, const char *pair)
{
    const char *mark = strstr(c->text, "%s");
    assert_non_null(mark);
    snprintf(text, size, "%s%.*s%s%s\n", bodies_text, (int)(mark - c->text), c->text, pair,
             mark + 2);
}

/* Differences with a step of 1e-6 are good to about 1e-10 / 1e-6 of the residual's rounding and
 * 1e-12 of its third derivative: 1e-7 of the largest entry is far above both and far below any
 * missing term. */
static const double TOLERANCE = 1e-7;

static const char *const pairs[] = {"a, b", "ground, b", "b, ground", "c, b"};

/* Of all parts of R together, and of each part alone. */
static void tangents_are_exact(void **state)
{
    (void)state;
    static const unsigned parts[] = {NT_ALL_PARTS, NT_MASS,     NT_GYROSCOPIC,
                                     NT_EXPLICIT,  NT_IMPLICIT, NT_REACTIONS};
    for (int i = 0; i < N_CASES; i++)
        for (int k = 0; k < 4; k++)
            for (int m = 0; m < 6; m++) {
                char text[4000];
                write_case(text, sizeof text, &cases[i], pairs[k]);
                double difference =
                    worst_difference(text, parts[m], 17u * (unsigned)i + (unsigned)k);
                if (!(difference < TOLERANCE))
                    fail_msg("%s between %s, parts %u: tangent is off by %.3g\n%s", cases[i].type,
                             pairs[k], parts[m], difference, text);
            }
}

/* ---- the split ------------------------------------------------------------------------------ */

enum { MOST = 30 }; /* unknowns of a case: three bodies and six multipliers, with room */

typedef struct look {
    double residual[MOST], dense[MOST * MOST];
} look;

/* Residual and matrix of some parts, whatever the unknowns. */
static void look_at(const nt_system *s, const nt_point *at, nt_matrix *matrix, unsigned parts,
                    look *seen)
{
    nt_combination c = {
        .mass = 1.3, .damping = 0.7, .stiffness = 1.9, .multiplier = 0.6, .row_stiffness = 0};
    double rows[MOST];
    *seen = (look){0};
    nt_matrix_zero(matrix);
    nt_terms terms = {.parts = parts,
                      .residual = seen->residual,
                      .rows = rows,
                      .matrix = matrix,
                      .combination = &c};
    assert_int_equal(s->evaluate(s->self, at, &terms), NT_OK);
    nt_matrix_dense(matrix, seen->dense);
}

static double largest(const double *x, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

/* The parts of R and of its tangent make up the whole, and a matrix alone is the same as one beside
 * a residual. A few roundings of the largest entry: the sums are of the same numbers in another
 * order. */
static void parts_make_up_the_whole(void **state)
{
    (void)state;
    static const unsigned parts[] = {NT_MASS, NT_GYROSCOPIC, NT_EXPLICIT, NT_IMPLICIT,
                                     NT_REACTIONS};
    const double roundings = 20 * DBL_EPSILON;
    for (int i = 0; i < N_CASES; i++) {
        char text[4000];
        double memory[400];
        unsigned seed = 5u * (unsigned)i + 1;
        write_case(text, sizeof text, &cases[i], pairs[i % 4]);
        nt_run *run = read_case(text);
        const nt_system *s = nt_run_system(run);
        int n = s->space.nv + s->nh + s->nn;
        assert_true(n <= MOST && (s->capabilities & NT_HAS_SPLIT));
        nt_point at = random_point(run, &seed, memory);
        nt_matrix matrix;
        assert_int_equal(nt_matrix_init(&matrix, s->pattern), NT_OK);
        look whole, one, sum = {0};
        look_at(s, &at, &matrix, NT_ALL_PARTS, &whole);
        for (int k = 0; k < 5; k++) {
            look_at(s, &at, &matrix, parts[k], &one);
            for (int j = 0; j < n; j++)
                sum.residual[j] += one.residual[j];
            for (int j = 0; j < n * n; j++)
                sum.dense[j] += one.dense[j];
        }
        double force = largest(whole.residual, n), stiffness = largest(whole.dense, n * n);
        for (int j = 0; j < n; j++)
            if (!(fabs(sum.residual[j] - whole.residual[j]) <= roundings * force))
                fail_msg("%s: residual %d of the parts is %.17g, expected %.17g\n%s", cases[i].type,
                         j, sum.residual[j], whole.residual[j], text);
        for (int j = 0; j < n * n; j++)
            if (!(fabs(sum.dense[j] - whole.dense[j]) <= roundings * stiffness))
                fail_msg("%s: entry %d of the parts is %.17g, expected %.17g\n%s", cases[i].type, j,
                         sum.dense[j], whole.dense[j], text);
        nt_matrix_free(&matrix);
        destroy_run(run);
    }
}

/* The force that e puts on body b along x, when b stands where the model says and moves along x and
 * z: in the part that it belongs to, and in no other. */
static double force_in(nt_run *run, unsigned parts)
{
    const nt_system *s = nt_run_system(run);
    double q[30], v[30] = {0}, vdot[30] = {0}, lambda[8] = {0}, residual[30] = {0}, kept[8], v0[30];
    nt_run_initial(run, q, v0, kept);
    v[0] = 0.2, v[2] = 0.2, v[4] = 0.1, v[5] = 0.3;
    nt_point at = {.q = q, .v = v, .vdot = vdot, .lambda = lambda, .mu = lambda, .memory = kept};
    nt_terms terms = {.parts = parts, .residual = residual};
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    return largest(residual, s->space.nv);
}

static void parts_are_where_the_model_says(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned otherwise; /* the part where the model says nothing */
    } loads[] = {
        {"forces: {e: {type: force, on: b, value: [1, 0, 0]%s}}", NT_EXPLICIT},
        {"forces: {e: {type: torque, on: b, value: [1, 0, 0]%s}}", NT_EXPLICIT},
        {"forces: {e: {type: spring, between: [ground, b], at: [[0, 0, 0], [1, 0, 0]], damping: 3"
         "%s}}",
         NT_IMPLICIT},
        {"forces: {e: {type: bushing, between: [ground, b], at: [0, 0, 0], "
         "stiffness: [1, 1, 1, 1, 1, 1], damping: [1, 1, 1, 1, 1, 1]%s}}",
         NT_IMPLICIT},
        {"joints: {j: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
         "forces: {e: {type: torsion_spring, joint: j, damping: 1%s}}",
         NT_IMPLICIT},
        {"joints: {j: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
         "forces: {e: {type: joint_torque, joint: j, value: 2%s}}",
         NT_EXPLICIT},
        {"joints: {j: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
         "forces: {e: {type: joint_force, joint: j, value: 2%s}}",
         NT_EXPLICIT},
        {"joints: {e: {type: spherical, between: [ground, b], at: [0, 0, 0], enforce: penalty, "
         "stiffness: 5, damping: 1%s}}",
         NT_IMPLICIT},
        {"joints: {e: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], "
         "friction: {viscous: 1%s}}}",
         NT_IMPLICIT},
        {"contacts: {e: {type: sphere_plane, between: [ground, b], plane: {normal: [1, 0, 0]}, "
         "radius: 1, stiffness: 1%s}}",
         NT_EXPLICIT},
        {"joints: {e: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], "
         "limits: {upper: -1, stiffness: 1%s}}}",
         NT_IMPLICIT},
    };
    static const char *const said[] = {"", ", part: explicit", ", part: implicit"};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
        for (int k = 0; k < 3; k++) {
            char text[1000];
            const char *mark = strstr(loads[i].text, "%s");
            snprintf(text, sizeof text,
                     "nutate: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "%.*s%s%s\n",
                     (int)(mark - loads[i].text), loads[i].text, said[k], mark + 2);
            nt_run *run = read_case(text);
            unsigned expected = k == 0 ? loads[i].otherwise : k == 1 ? NT_EXPLICIT : NT_IMPLICIT;
            unsigned other = expected == NT_EXPLICIT ? NT_IMPLICIT : NT_EXPLICIT;
            if (!(force_in(run, expected) > 0.01) || force_in(run, other) != 0)
                fail_msg("%g in the part, %g in the other\n%s", force_in(run, expected),
                         force_in(run, other), text);
            destroy_run(run);
        }
}

/* Gravity is explicit: soft, of the position alone. */
static void gravity_is_explicit(void **state)
{
    (void)state;
    nt_run *run =
        read_case("nutate: 1\nbodies: {free: {mass: 2}, top: {mass: 3, inertia: [1, 1, 1], "
                  "center_of_mass: [1, 0, 0], fixed_point: [0, 0, 0]}}\ngravity: [0, 0, -2]\n");
    assert_true(force_in(run, NT_IMPLICIT) == 0);
    assert_true(fabs(force_in(run, NT_EXPLICIT) - 6) < 1e-14); /* N m on the top */
    destroy_run(run);
}

static void every_type_has_a_case(void **state)
{
    (void)state;
    for (int t = 0; t < nt_element_type_count(); t++) {
        int found = 0;
        for (int i = 0; i < N_CASES; i++)
            found += strcmp(cases[i].type, nt_element_type_at(t)->name) == 0;
        if (!found && !nt_element_type_at(t)->own_bodies) /* bearings: test_bearings.c */
            fail_msg("no case for %s %s", nt_element_type_at(t)->section->name,
                     nt_element_type_at(t)->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_exact),
        cmocka_unit_test(parts_make_up_the_whole),
        cmocka_unit_test(parts_are_where_the_model_says),
        cmocka_unit_test(gravity_is_explicit),
        cmocka_unit_test(every_type_has_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
