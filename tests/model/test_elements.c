/* Every element type at random configurations: tangents of residual and constraint rows against
 * central differences, at all three levels, in both frames, between turning bodies with offsets and
 * against the ground. A type of the registry without a case here fails the test. */
#include "model/elements.h"
#include "system/problem.h"

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
    {"torsion_spring",
     "joints: {j: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0]}}\n"
     "forces: {e: {type: torsion_spring, joint: j, stiffness: 5, damping: 0.4, angle: 0.3}}"},
    {"bushing", "forces: {e: {type: bushing, between: [%s], at: [0.3, -0.2, 0.5], "
                "stiffness: [100, 120, 140, 5, 6, 7], damping: [1, 2, 3, 0.1, 0.2, 0.3]}}"},
    {"joint_torque",
     "joints: {j: {type: revolute, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0]}}\n"
     "forces: {e: {type: joint_torque, joint: j, value: -4*(j.angle - 0.2) - 0.3*j.rate + "
     "a.position.y}}"},
    {"joint_force",
     "joints: {j: {type: prismatic, between: [%s], at: [0.3, -0.2, 0.5], axis: [0, 1, 0]}}\n"
     "forces: {e: {type: joint_force, joint: j, value: 3 - 8*j.displacement - 2*j.rate}}"},
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

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)*seed / 2147483648.0 - 1;
}

/* A point near the initial placement with everything else random. */
static nt_point random_point(const nt_model *model, unsigned *seed, double *memory)
{
    const nt_system *s = nt_model_system(model);
    int nv = s->space.nv, nc = s->nh + s->nn;
    double *q = memory, *v = q + s->space.nq, *vdot = v + nv, *lambda = vdot + nv;
    double *kept = lambda + nc, *dq = kept + s->n_memory;
    nt_model_initial(model, q, v, kept);
    for (int i = 0; i < nv; i++) {
        dq[i] = 0.3 * random_number(seed);
        v[i] = random_number(seed);
        vdot[i] = random_number(seed);
    }
    for (int i = 0; i < nc; i++)
        lambda[i] = 2 * random_number(seed);
    nt_space_compose(&s->space, NT_INERTIAL, q, dq, q);
    return (nt_point){.t = 0.7,
                      .q = q,
                      .v = v,
                      .vdot = vdot,
                      .lambda = lambda,
                      .mu = lambda + s->nh,
                      .memory = kept};
}

static double worst_difference(const char *text, unsigned seed)
{
    nt_error error;
    nt_model *model;
    if (nt_model_read_text(&model, text, strlen(text), "case", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s\n%s", error.message, text);
    double memory[400], worst = 0;
    for (int k = 0; k < 4; k++) {
        nt_point at = random_point(model, &seed, memory);
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
            nt_problem *problem;
            double difference;
            assert_int_equal(
                nt_problem_create(&problem, nt_model_system(model), frame, NT_SOLVER_AUTO, &error),
                NT_OK);
            assert_int_equal(nt_problem_check_tangent(problem, &at, 1e-6, &difference, &error),
                             NT_OK);
            worst = fmax(worst, difference);
            nt_problem_destroy(problem);
        }
    }
    nt_model_destroy(model);
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

static void tangents_are_exact(void **state)
{
    (void)state;
    static const char *const pairs[] = {"a, b", "ground, b", "b, ground", "c, b"};
    for (int i = 0; i < N_CASES; i++)
        for (int k = 0; k < 4; k++) {
            char text[4000];
            write_case(text, sizeof text, &cases[i], pairs[k]);
            double difference = worst_difference(text, 17u * (unsigned)i + (unsigned)k);
            if (!(difference < TOLERANCE))
                fail_msg("%s between %s: tangent is off by %.3g\n%s", cases[i].type, pairs[k],
                         difference, text);
        }
}

static void every_type_has_a_case(void **state)
{
    (void)state;
    for (int t = 0; t < nt_element_type_count; t++) {
        int found = 0;
        for (int i = 0; i < N_CASES; i++)
            found += strcmp(cases[i].type, nt_element_types[t]->name) == 0;
        if (!found)
            fail_msg("no case for %s %s", nt_element_types[t]->section, nt_element_types[t]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_exact),
        cmocka_unit_test(every_type_has_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
