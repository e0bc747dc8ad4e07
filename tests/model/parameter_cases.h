/* Models in which parameters enter everywhere, and the differences that their derivatives are
 * compared with. */
#ifndef NUTATE_TESTS_MODEL_PARAMETER_CASES_H
#define NUTATE_TESTS_MODEL_PARAMETER_CASES_H

#include "random_point.h"
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

/* ---- models --------------------------------------------------------------------------------- */

/* The element as it stands in a model; %s is `between` ("a, b" or "ground, b"). */
typedef struct element_case {
    const char *type;
    const char *text;
} element_case;

#define PLACE "at: [0.3 + u, -0.2, 0.5*w]"

static const element_case cases[] = {
    {"fixed", "joints: {e: {type: fixed, between: [%s], " PLACE "}}"},
    {"spherical", "joints: {e: {type: spherical, between: [%s], " PLACE "}}"},
    {"revolute", "joints: {e: {type: revolute, between: [%s], " PLACE ", axis: [1, w, -1]}}"},
    {"revolute", "joints: {e: {type: revolute, between: [%s], " PLACE ", axis: [u, 0, 1], "
                 "motion: u + 0.3*w*sin(2*w*t) + t^2}}"},
    {"revolute", "joints: {e: {type: revolute, between: [%s], " PLACE ", axis: [0, -1, u], "
                 "friction: {dry: 0.4*w, viscous: 0.2 + u, slip: 0.5}, "
                 "limits: {lower: -0.001*w, upper: 0.001, stiffness: 30*w, damping: 0.7}}}"},
    {"revolute", "joints: {e: {type: revolute, between: [%s], " PLACE ", axis: [0, 0, -1], "
                 "enforce: penalty, stiffness: 200*w, damping: 3*(1 + u), motion: sin(w*t)}}"},
    {"prismatic", "joints: {e: {type: prismatic, between: [%s], " PLACE ", axis: [1, 2, -w], "
                  "motion: 0.1*w*(1 - cos(3*w*t))}}"},
    {"prismatic", "joints: {e: {type: prismatic, between: [%s], " PLACE ", axis: [1, 2, -w], "
                  "friction: {dry: 2*w, slip: 0.3}, limits: {upper: -5 + u, stiffness: 4*w, "
                  "damping: 2}}}"},
    {"cylindrical", "joints: {e: {type: cylindrical, between: [%s], " PLACE ", axis: [0, u, 1], "
                    "friction: {viscous: 0.3*w}}}"},
    {"universal", "joints: {e: {type: universal, between: [%s], " PLACE ", axes: [[1, u, 0], "
                  "[-u, 1, 0]]}}"},
    {"universal", "joints: {e: {type: universal, between: [%s], " PLACE ", enforce: penalty, "
                  "stiffness: 90*w, damping: 2, axes: [[1, 0, 0], [0, 1, u]]}}"},
    {"planar", "joints: {e: {type: planar, between: [%s], " PLACE ", axis: [1, w, 0]}}"},
    {"parallel", "joints: {e: {type: parallel, between: [%s], " PLACE ", axis: [1, w, 0]}}"},
    {"inline", "joints: {e: {type: inline, between: [%s], " PLACE ", axis: [1, w, 0]}}"},
    {"inline", "joints: {e: {type: inline, between: [%s], " PLACE ", axis: [1, 1, u], "
               "enforce: penalty, stiffness: 50*w, damping: 1}}"},
    {"distance", "joints: {e: {type: distance, between: [%s], points: [[0.1*w, 0.7, 0.2], [0.4, u, "
                 "-0.3]]}}"},
    {"distance", "joints: {e: {type: distance, between: [%s], points: [[0.1, 0.7, 0.2], [0.4, 0, "
                 "-0.3]], length: 0.7*w, enforce: penalty, stiffness: 70, damping: 4*w}}"},
    {"rolling_disk", "joints: {e: {type: rolling_disk, between: [%s], radius: 0.7*w, axis: [1, 2, "
                     "-w], at: [0.2, u, -0.3], plane: {point: [0.1, 0.2*w, -0.4], normal: [1, 1, "
                     "3 + u]}}}\ninitial: {correct: true}"},
    {"rolling_sphere", "joints: {e: {type: rolling_sphere, between: [%s], radius: 0.7*w, at: [0.2, "
                       "u, -0.3], plane: {point: [0.1, 0.2*w, -0.4], normal: [1, u, 3]}}}\n"
                       "initial: {correct: true}"},
    {"knife_edge", "joints: {e: {type: knife_edge, between: [%s], axis: [1, 2*w, -1], "
                   "at: [0.2, u, -0.3]}}"},
    {"screw",
     "joints: {e: {type: screw, between: [%s], " PLACE ", axis: [0, u, 1], pitch: 0.6*w}}"},
    {"gear", "joints: {j: {type: revolute, between: [%s], " PLACE ", axis: [0, 1, u]},\n"
             "  k: {type: revolute, between: [c, a], at: [0.1*w, 0.4, 0.2], axis: [1, 0.2*w, 0]},\n"
             "  e: {type: gear, joints: [j, k], ratio: -1.7*w}}"},
    {"sphere_plane",
     "contacts: {e: {type: sphere_plane, between: [%s], plane: {point: [0.2, u, -0.3], "
     "normal: [0.3, -0.2, w]}, at: [0.1*w, -0.3, 0.2], radius: 4*w, stiffness: 20*w, damping: "
     "0.4, friction: {coefficient: 0.6*w, slip: 0.3}}}"},
    {"sphere_sphere",
     "contacts: {e: {type: sphere_sphere, between: [%s], at: [[0.2, u, -0.3], [0.1, 0.4, 0.6*w]], "
     "radii: [3*w, 2], stiffness: 15, exponent: 2*w, damping: 0.7, part: implicit, "
     "friction: {coefficient: 0.3, slip: 0.5}}}"},
    {"sphere_cylinder",
     "contacts: {e: {type: sphere_cylinder, between: [%s], cylinder: {point: [0.2, 1+u, -0.3], "
     "axis: [0.3, -0.2, w], radius: 3*w}, at: [0.1*w, -0.3, 0.2], radius: 2*w, "
     "restitution: {coefficient: 0.5*w, speed: 2}, material: {E: 20*w, nu: 0.2}, "
     "rolling: {resistance: 0.3*w, slip: 0.5}, friction: {coefficient: 0.6, slip: 0.3*w}}}"},
    {"sphere_torus",
     "contacts: {e: {type: sphere_torus, between: [%s], torus: {point: [0.2, u, -0.3], "
     "axis: [0.3, -0.2, 1], radius: 5*w, tube: 2.5, inside: true, contact_angle: 3}, "
     "at: [0.1, -0.3, 0.2], radius: 2.4, damping: 0.2*w, material: {E: w, nu: 0.3}, "
     "friction: {coefficient: 0.6, slip: 1}}}"},
    {"force", "forces: {e: {type: force, on: b, " PLACE ", value: [3*w*a.position.x + t, "
              "a.angular_velocity.z*(1 + b.velocity.y^2)^w, exp(w) - b.orientation.w^2]}}\n# %s"},
    {"force", "forces: {e: {type: force, on: b, at: p, frame: body, "
              "value: [-0.3*w*b.velocity.x, p.velocity.y*p.position.z, 4 + u]}}\n# %s"},
    {"torque", "forces: {e: {type: torque, on: b, value: [sin(w*t), 2*a.velocity.z, "
               "w*b.angular_velocity.x]}}\n# %s"},
    {"torque", "forces: {e: {type: torque, on: b, frame: body, value: [w, a.orientation.x, "
               "b.angular_velocity.y^3*w]}}\n# %s"},
    {"spring", "forces: {e: {type: spring, between: [%s], at: [[0.2 + u, 0.1, 0], [0.9, -0.4*w, "
               "0.3]], stiffness: 40*w, damping: 3, length: 0.2}}"},
    {"spring", "forces: {e: {type: spring, between: [%s], at: [[0.2 + u, 0.1, 0], [0.9, -0.4*w, "
               "0.3]], stiffness: 40, damping: 3*w}}"},
    {"spring", "forces: {e: {type: spring, between: [%s], at: [[0.2 + u, 0.1, 0], [0.9, -0.4*w, "
               "0.3]], stiffness: 40*w + 5*w*e.length, damping: 3*w, length: 0.2*w + "
               "0.1*a.orientation.x, preload: 2*w, limits: {upper: 0.2*w, stiffness: 9*w}}}"},
    {"spring", "forces: {e: {type: spring, between: [%s], at: [[0.2 + u, 0.1, 0], [0.9, -0.4*w, "
               "0.3]], stiffness: 40*w, damping: 3, length: 0.1*w, only: tension}}"},
    {"line_force", "forces: {e: {type: line_force, between: [%s], at: [[0.2 + u, 0.1, 0], [0.9, "
                   "-0.4*w, 0.3]], value: 4*w*e.length^2 - w^2*e.rate + a.euler_zyx.second}}"},
    {"rope", "forces: {e: {type: rope, through: [[ground, [0.1 + u, 0, 3*w]], p, [c, [1, 0.5*w, "
             "2]], [b, [0.9, -0.4, 0.3]], "
             "[a, [0.3, 0.2 + u, 1]]], length: 0.5*w, stiffness: 40*w, damping: 3*w, friction: "
             "{coefficient: 0.3*w, slip: 0.4}}}\n# %s"},
    {"aerodynamic",
     "forces: {e: {type: aerodynamic, on: b, at: p, area: 2*w, density: 1.3, drag: 0.4*w + "
     "e.angle_of_attack^2 + u*e.airspeed, "
     "lift: sin(2*w*e.angle_of_attack) + u*a.position.x, chord: [1, w, 0], span: [0, 0, 1], "
     "wind: [3*w, sin(t), -0.4]}}\n# %s"},
    {"distributed",
     "beams: {s: {points: [[0, 0, 0], [1, 0.2*w, 0.1]], order: 2, sections: [{stiffness: [90, 80, "
     "70, 6, 5, 4], mass: [1, 1, 1, 0.1, 0.2, 0.3]}]}}\n"
     "forces: {e: {type: distributed, on: s, frame: section, value: [w*sin(t), 3*w*e.station, u], "
     "moment: [u, 2*w*e.station^2, 1]}}\n# %s"},
    {"mass",
     "forces: {e: {type: mass, on: b, at: [0.3, -0.2*w, 0.5 + u], matrix: [2*w, 0, 0, 0, 0.2*w, "
     "-0.4*w, 0, 2*w, 0, -0.2*w, 0, 0.6*w, 0, 0, 2*w, 0.4*w, -0.6*w, 0, 0, -0.2*w, 0.4*w, "
     "0.9, u, 0, 0.2*w, 0, -0.6*w, u, 1.1, 0, -0.4*w, 0.6*w, 0, 0, 0, 1.2*w]}}\n# %s"},
    {"joint_spring",
     "joints: {j: {type: prismatic, between: [%s], " PLACE ", axis: [u, 1, 0]}}\n"
     "forces: {e: {type: joint_spring, joint: j, stiffness: 5*w, damping: w*(0.4 + e.rate^2), "
     "displacement: 0.2*w}}"},
    {"torsion_spring",
     "joints: {j: {type: revolute, between: [%s], " PLACE ", axis: [0, 1, u]}}\n"
     "forces: {e: {type: torsion_spring, joint: j, stiffness: 5*w, damping: 0.4, angle: 0.3*w}}"},
    {"bushing", "forces: {e: {type: bushing, between: [%s], " PLACE ", "
                "stiffness: [100*w, 120, 140, 5, 6, 7], damping: [1, 2*w, 3, 0.1, 0.2, 0.3]}}"},
    {"state", "states: {s: {rate: w*sin(u*z) - s^2*a.position.x/w + t, initial: 3*w}, "
              "z: {rate: p.velocity.x*u - 2*w*z, initial: w + u}}\n"
              "forces: {e: {type: force, on: b, value: [w*s, u*z^2, s*z*p.position.y]}}\n# %s"},
    {"transfer_function",
     "blocks: {s: {type: transfer_function, input: p.velocity.x*u, numerator: [2*w, 3, -1], "
     "denominator: [1 + u, 4, 0, 5*w], initial: [0.3*w, 1, 2]}}\n"
     "forces: {e: {type: force, on: b, value: [s, s^2, 1]}}\n# %s"},
    {"state_space",
     "blocks: {s: {type: state_space, inputs: [p.velocity.x, a.position.y*w], "
     "A: [[0, 1], [-4*w, -1 + u]], B: [[1*w, 0], [2, 3]], C: [1*w, 0], D: [0, 2 + u], "
     "initial: [0.2, 0.4*w]}}\n"
     "forces: {e: {type: force, on: b, value: [s, s^2, 1]}}\n# %s"},
    {"pid", "blocks: {s: {type: pid, error: 0.4*w - p.position.x, proportional: 3*w, integral: 2, "
            "derivative: 0.3*w, filter: 0.1 + u, limits: [-5, 7*w], initial_integral: 0.2*w}}\n"
            "forces: {e: {type: force, on: b, value: [s, s^2, 1]}}\n# %s"},
    {"joint_torque",
     "joints: {j: {type: revolute, between: [%s], " PLACE ", axis: [0, 1, u]}}\n"
     "forces: {e: {type: joint_torque, joint: j, value: -4*w*(j.angle - 0.2) - 0.3*j.rate + "
     "a.position.y}}"},
    {"joint_force",
     "joints: {j: {type: prismatic, between: [%s], " PLACE ", axis: [u, 1, 0]}}\n"
     "forces: {e: {type: joint_force, joint: j, value: 3 - 8*w*j.displacement - 2*j.rate}}"},
};

enum { N_CASES = sizeof cases / sizeof cases[0] };

/* u and w are small and of order one; every other parameter enters the bodies. */
static const char bodies_text[] =
    "nutate: 1\n"
    "parameters: {u: 0, w: 1.1, m: 2, com: 0.1, at: 0.2, turn: 0.3, f: 0.1, g: -9.8, follows: "
    "w^2 + u, speed: 0.4}\n"
    "gravity: [0.1, 0, g]\n"
    "bodies:\n"
    "  a: {mass: m, inertia: [0.3*m, 0.4*m, 0.5*m, 0.02, -0.03, 0.01], "
    "center_of_mass: [com, -0.2, 0.05],\n"
    "      position: [at, 0.4, -0.1], orientation: {rotation_vector: [turn, -0.5, 0.2]}}\n"
    "  b: {mass: 1.5*follows, inertia: [0.2, 0.3, 0.4], center_of_mass: [0, 0.15, com - 0.2],\n"
    "      position: [0.9, -0.3, 0.6], orientation: {axis: [1, 1, turn], angle: 0.8}}\n"
    "  c: {mass: m + 1, inertia: [0.4, 0.4, 0.2], center_of_mass: [0, com, 0.3], fixed_point: [f, "
    "0, 0],\n"
    "      orientation: {rotation_vector: [0.1, 0.2, -turn]}}\n"
    "  d: {point: true, mass: 0.8*follows, position: [0.9, at + w, -0.2]}\n"
    "markers: {p: {on: b, at: [0.2*w, -0.1, 0.4]}}\n";

static inline void write_case(char *text, size_t size, const element_case *c, const char *pair)
{
    const char *mark = strstr(c->text, "%s");
    assert_non_null(mark);
    snprintf(text, size, "%s%.*s%s%s\n", bodies_text, (int)(mark - c->text), c->text, pair,
             mark + 2);
}

static inline nt_run *read_model(const char *text)
{
    nt_error error;
    nt_run *run;
    if (read_run_text(&run, text, strlen(text), "case", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s\n%s", error.message, text);
    return run;
}

/* ---- differences of whole evaluations ------------------------------------------------------- */

enum { MOST = 64 };

typedef void (*function)(nt_run *run, void *context, double *out);

/* Derivatives in parameter k by differences of eighth order over several steps, for each number the
 * step where sixth order agrees best. Good to a few 1e-13 of numbers of order one. */
static inline void differences(nt_run *run, int k, double scale, function f, void *context, int n,
                               double *out)
{
    static const double eighth[] = {672, -168, 32, -3}, sixth[] = {630, -126, 14, 0};
    const nt_system *s = nt_run_system(run);
    double p[20], value, gap[MOST];
    s->get_parameters(s->self, p);
    value = p[k];
    for (int level = 0; level < 7; level++) {
        double h = 2e-2 * scale * pow(0.4, level), a[MOST] = {0}, b[MOST] = {0};
        for (int i = 1; i <= 4; i++)
            for (int side = -1; side <= 1; side += 2) {
                double x[MOST] = {0};
                p[k] = value + side * i * h;
                assert_int_equal(s->set_parameters(s->self, p), NT_OK);
                f(run, context, x);
                for (int j = 0; j < n; j++) {
                    a[j] += side * eighth[i - 1] * x[j] / (840 * h);
                    b[j] += side * sixth[i - 1] * x[j] / (840 * h);
                }
            }
        for (int j = 0; j < n; j++) {
            double g = fabs(a[j] - b[j]) + 1e-15 / h;
            if (level == 0 || g < gap[j]) {
                out[j] = a[j];
                gap[j] = g;
            }
        }
    }
    p[k] = value;
    assert_int_equal(s->set_parameters(s->self, p), NT_OK);
}

typedef struct evaluation {
    const nt_point *at;
    unsigned parts;
    nt_level level;
} evaluation;

static inline void residual_and_rows(nt_run *run, void *context, double *out)
{
    const evaluation *e = context;
    const nt_system *s = nt_run_system(run);
    nt_terms terms = {
        .parts = e->parts, .level = e->level, .residual = out, .rows = out + s->space.nv};
    assert_int_equal(s->evaluate(s->self, e->at, &terms), NT_OK);
}

static inline double largest(const double *x, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

/* The differences that are compared with are good to about 1e-12; friction within its slip speed
 * makes them ten times worse. A missing term is off by 1e-3 at least. */
static const double TOLERANCE = 2e-11;

#endif
