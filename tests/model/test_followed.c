/* Loads that follow reactions and other forces: their tangents, in multipliers too, at random
 * points in both frames; a block whose friction is a share of its reaction, which is known; what is
 * not well posed is refused. Their derivatives in parameters are checked against whole runs by
 * tests/cli/test_sens.sh. */
#include "mechanism.h"
#include "random_point.h"

#include "system/problem.h"
#include "tests/read_run.h"

/* %s are the follower's three numbers. */
static const char model[] =
    "nutate: 1\n"
    "parameters: {k: 50, c: 0.2}\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0]}\n"
    "  bob: {mass: 1, inertia: [0.02, 0.01, 0.03], position: [1.2, 0.1, 0]}\n"
    "  ball: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [2, 0, 0.4]}\n"
    "  coin: {mass: 1, inertia: [0.02, 0.03, 0.02], position: [3, 0, 0.3]}\n"
    "  blade: {mass: 1, inertia: [0.02, 0.03, 0.02], position: [3, 1, 0]}\n"
    "  marble: {mass: 1, inertia: [0.02, 0.03, 0.02], position: [0.3, 0.2, 0.2]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0.1],\n"
    "        friction: {dry: 0.3, viscous: 0.1, slip: 0.5}, limits: {upper: -4, stiffness: 5,\n"
    "        damping: 0.2}}\n"
    "  mesh: {type: gear, joints: [pin, back], ratio: -2.5}\n"
    "  soft: {type: spherical, between: [arm, blade], at: [1, 1, 0], enforce: penalty, stiffness: "
    "30,\n"
    "         damping: 0.4}\n"
    "  back: {type: cylindrical, between: [ball, ground], at: [2, 0.1, 0], axis: [0.2, 0, 1]}\n"
    "  elbow: {type: prismatic, between: [arm, bob], at: [1, 0, 0], axis: [0, 0.3, 1]}\n"
    "  wheel: {type: rolling_disk, between: [ground, coin], at: [0, 0, 0], radius: 0.3,\n"
    "          axis: [0, 1, 0.1]}\n"
    "  skate: {type: knife_edge, between: [ground, blade], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  roll: {type: rolling_sphere, between: [arm, marble], at: [0, 0, 0], radius: 0.2,\n"
    "         plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
    "forces:\n"
    "  follower: {type: %s, value: [%s]}\n"
    "  hold: {type: spring, between: [arm, bob], at: [[0.2, 0, 0.3], [1.2, 0.1, 0]],\n"
    "         stiffness: k, damping: c, length: 0.4}\n"
    "  tie: {type: spring, between: [bob, ground], at: [[1.2, 0, 0], [2, 1, 0]], stiffness: k}\n"
    "  mount: {type: bushing, between: [arm, coin], at: [2, 0, 0.1],\n"
    "          stiffness: [9, 8, 7, 3, 2, 1], damping: [0.3, 0.2, 0.1, 0.1, 0.2, 0.1]}\n"
    "  line: {type: rope, through: [[ground, [0, 0, 2]], [bob, [1.2, 0.1, 0.1]],\n"
    "         [blade, [3, 1, 0.1]], [coin, [3, 0, 0.4]]], length: 0.5, stiffness: 20, damping: "
    "0.3}\n"
    "  winch: {type: joint_torque, joint: pin, value: 0.2*hold.tension + 0.1*elbow.force.x}\n"
    "  chain: {type: line_force, between: [ball, bob], at: [[2, 0, 0.4], [1.2, 0, 0]],\n"
    "          value: 0.3*winch.moment + 0.1*winch.power + chain.length*tie.tension}\n"
    "  slack: {type: rope, through: [[arm, [0.3, 0, 0]], [bob, [1.2, 0.2, 0.1]],\n"
    "          [ground, [2, 1, 1]], [coin, [3, 0.1, 0.4]]], length: 1, stiffness: 30, damping: 0.5,"
    "\n          friction: {coefficient: 0.4, slip: 0.7}}\n"
    "  twist: {type: torque, on: blade, frame: body, value: [bob.velocity.x, arm.position.z^2, "
    "t]}\n"
    "  wing: {type: aerodynamic, on: blade, at: [3, 1, 0.2], density: 1.2, area: 0.3, drag: 0.8}\n"
    "  coil: {type: torsion_spring, joint: pin, stiffness: 3, damping: 0.1}\n"
    "  push: {type: joint_force, joint: back, value: 2 - 3*back.displacement - back.rate}\n"
    "  drag: {type: force, on: bob, at: [1.2, 0, 0.1], value: [-bob.velocity.x^2, 0, 1]}\n"
    "contacts:\n"
    "  floor: {type: sphere_plane, between: [ground, ball], plane: {point: [0, 0, -3], normal: [0, "
    "0, 1]},\n"
    "          radius: 4,\n"
    "          stiffness: 20, damping: 0.4, friction: {coefficient: 0.3, slip: 0.3}}\n"
    "  stone: {type: sphere_sphere, between: [arm, bob], radii: [4, 5], stiffness: 20,\n"
    "          exponent: 1, damping: 0.3}\n"
    "  tube: {type: sphere_cylinder, between: [arm, ball], cylinder: {point: [0, 0, 0], axis: [0, "
    "1,"
    " 0.2], radius: 4}, radius: 5, stiffness: 20, damping: 0.4}\n"
    "  ring: {type: sphere_torus, between: [arm, bob], torus: {point: [0, 0, 0], axis: [0.1, 0, "
    "1],\n"
    "         radius: 5, tube: 4}, radius: 5, stiffness: 20, damping: 0.4}\n";

static const struct {
    const char *type, *value;
} followers[] = {
    {"force, on: bob, at: [1.2, 0, 0.2]",
     "pin.force.x, 0.3*pin.torque.z, pin.force.y*pin.torque.x"},
    {"force, on: bob, at: [1.2, 0, 0.2], frame: body",
     "elbow.force.x, elbow.torque.y, elbow.torque.z"},
    {"torque, on: arm", "back.force.x, back.torque.y*back.torque.z, back.force.z^2"},
    {"torque, on: ball", "hold.tension, tie.tension*hold.tension, hold.force.y"},
    {"force, on: arm, at: [0.1, 0, 0]", "coil.moment, push.thrust, tie.force.x"},
    {"force, on: arm, at: [0.1, 0.2, 0]", "drag.force.x, floor.force.x, floor.force.z"},
    {"force, on: coin, at: [3, 0, 0.4]", "wheel.force.x, wheel.force.y*wheel.force.z, t"},
    {"force, on: blade, at: [3, 1, 0.1]", "skate.force.x, skate.force.y, roll.force.z^2"},
    {"torque, on: marble",
     "roll.force.x, roll.force.y + skate.torque.z, wheel.force.z + wheel.torque.x"},
    {"force, on: ball, at: [2, 0, 0.3]", "floor.normal_force, floor.indentation, t"},
    {"force, on: bob, at: [1, 0, 0]", "stone.normal_force, tube.normal_force, ring.normal_force"},
    {"force, on: bob, at: [1, 0, 0]", "pin.power, elbow.power + elbow.energy, mesh.power"},
    {"force, on: coin, at: [3, 0, 0.4]", "soft.power, soft.energy, wheel.power"},
    {"torque, on: ball", "hold.power, tie.energy*hold.energy, coil.power"},
    {"force, on: ball, at: [2, 0, 0.3]", "mount.power, mount.energy, line.energy + line.power"},
    {"torque, on: marble", "floor.power + stone.power, stone.energy, tube.power + ring.energy"},
    {"force, on: bob, at: [1, 0, 0]", "drag.power, wing.power, push.power + roll.power"},
    {"force, on: bob, at: [1, 0, 0]", "chain.tension, chain.power, winch.power"},
    {"torque, on: ball", "chain.force.x, winch.moment*chain.tension, winch.torque.y"},
    {"force, on: bob, at: [1, 0, 0]", "line.length, line.rate, line.tension.start"},
    {"force, on: coin, at: [3, 0, 0.4]", "slack.tension.start, slack.tension.end^2, slack.rate"},
    {"force, on: bob, at: [1, 0, 0]", "mount.torque.x, mount.torque.y, twist.torque.z"},
    {"torque, on: ball", "mesh.torque.x, mesh.torque.y*mesh.torque.z, coil.torque.y"},
    {"force, on: bob, at: [1, 0, 0]",
     "drag.torque.x, hold.torque.x + wing.torque.y, push.torque.z"},
    {"force, on: arm, at: [0.1, 0, 0]",
     "floor.friction_force + floor.rate, floor.sliding_speed*stone.rate, floor.spin_speed"},
    {"torque, on: ball", "ring.angle, tube.torque.x + tube.rate*ring.rate, wing.airspeed"},
    {"torque, on: coin", "wheel.rate*skate.rate, roll.relative_velocity.x*roll.position.z, "
                         "wheel.relative_angular_velocity.y + skate.relative_position.x"},
    {"torque, on: ball", "momentum.x, momentum.y*momentum.z, angular_momentum.x"},
    {"force, on: coin, at: [3, 0, 0.4]",
     "angular_momentum.y, angular_momentum.z, norm(angular_momentum)"},
    {"force, on: bob, at: [1, 0, 0]", "'norm(pin.force)', 'dot(elbow.force, bob.velocity)', t"},
};
enum { FOLLOWERS = sizeof followers / sizeof followers[0], ROOM = 3000 };

/* Elements of many bodies, with inertia of their own; springs about joints, whose slopes are exact
 * where the joints hold alone, are left out. */
static const char large[] =
    "nutate: 1\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], center_of_mass: [0.1, 0, 0.2], position: [0.5, 0, "
    "0]}\n"
    "  top: {mass: 1, inertia: [0.2, 0.2, 0.3], center_of_mass: [0, 0, 0.3], fixed_point: [0, 2, "
    "0]}\n"
    "  point: {mass: 0.7, position: [0, 0, 2]}\n"
    "joints:\n"
    "  pin: {type: spherical, between: [ground, arm], at: [0, 0, 0]}\n"
    "forces:\n"
    "  follower: {type: %s, value: [%s]}\n"
    "  tie: {type: spring, between: [arm, point], at: [[0.5, 0, 0], [0, 0, 2]], stiffness: 30}\n"
    "  mount: {type: bushing, between: [arm, top], at: [0.2, 0, 0.1], stiffness: [9, 8, 7, 3, 2, "
    "1]}\n"
    "  air: {type: mass, on: arm, at: [0.5, 0, 0.1], matrix: [1, 2, 3, 0.4, 0.5, 0.6]}\n"
    "beams:\n"
    "  blade: {points: [[1, 0, 0], [2, 0.1, 0]], order: 2, elements: 1,\n"
    "          sections: [{stiffness: [20, 10, 11, 3, 2, 4], mass: [1, 1, 1, 0.02, 0.01, 0.03]}]}\n"
    "markers: {mid: {on: blade, station: 1}}\n"
    "cables:\n"
    "  line: {between: [arm, ground], at: [[0.5, 0, 0.2], [3, 0, 1]], length: 2.6, elements: 3,\n"
    "         stiffness: 200, mass: 0.4, damping: 0.3}\n";

/* A bearing whose balls are pressed. */
static const char turning[] =
    "nutate: 1\n"
    "bodies: {shaft: {mass: 1, inertia: [1, 1, 1.5], position: [5, 0, 0]}, load: {mass: 1, "
    "inertia: "
    "[1, 2, 2]}}\n"
    "forces: {follower: {type: %s, value: [%s]}}\n"
    "bearings:\n"
    "  front: {balls: 3, ball_diameter: 30, pitch_diameter: 100, inner_groove: 0.6,\n"
    "          outer_groove: 0.6, inner: shaft, outer: ground, at: [5, 0, 0], axis: [0, 0, 1],\n"
    "          clearance: -0.3, material: {E: 10, nu: 0.3, density: 0.02},\n"
    "          cage: none, traction: {law: coulomb, friction: 0.1, slip: 0.1}}\n";

static const struct {
    const char *type, *value;
} of_large[] = {
    {"force, on: arm, at: [1, 0, 0]", "energy.kinetic, energy.potential, 0.1*energy.total^2"},
    {"torque, on: arm", "momentum.x, momentum.y*momentum.z, angular_momentum.x"},
    {"force, on: arm, at: [1, 0, 0]", "angular_momentum.y, angular_momentum.z, momentum.z"},
    {"force, on: arm, at: [1, 0, 0]", "blade.energy.kinetic, blade.energy.potential, t"},
    {"torque, on: arm", "line.energy.kinetic, line.energy.potential, line.length"},
    {"torque, on: arm", "air.energy, mid.moment.z, mid.strain.x"},
};
static const char *const of_turning[] = {
    "0.1*front.load.x, 0.1*front.load.y, 0.1*front.load.z",
    "front.torque, front.power, front.ball2.outer.force",
    "front.ball1.inner.indentation, front.ball1.outer.sliding_speed, front.ball3.inner.pressure",
};
enum {
    OF_LARGE = sizeof of_large / sizeof of_large[0],
    OF_TURNING = sizeof of_turning / sizeof of_turning[0]
};

/* At points that are at most so far, and turned by so much, from the given placement. */
static void check_tangents(const char *text, unsigned seed, double reach)
{
    /* As in test_elements.c: far above what differences with a step of 1e-6 leave, far below any
     * missing term. */
    static const double TANGENT = 1e-7;
    double memory[ROOM];
    nt_error error;
    nt_run *run = NULL;
    if (read_run_text(&run, text, strlen(text), "case", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s\n%s", error.message, text);
    const nt_system *s = nt_run_system(run);
    assert_true(2 * s->space.nq + 4 * s->space.nv + s->nh + s->nn + s->n_memory < ROOM);
    for (int trial = 0; trial < 8; trial++) {
        nt_point at = random_point(run, &seed, memory);
        double *q = memory, dq[ROOM / 4];
        nt_problem *problem;
        double off;
        nt_run_initial(run, q, dq, NULL);
        for (int i = 0; i < s->space.nv; i++)
            dq[i] = reach * random_number(&seed);
        nt_space_compose(&s->space, NT_INERTIAL, q, dq, q);
        nt_frame frame = trial % 2 ? NT_BODY : NT_INERTIAL;
        assert_int_equal(nt_problem_create(&problem, nt_run_system(run), frame, &error), NT_OK);
        assert_int_equal(nt_problem_check_tangent(problem, &at, 1e-6, &off, &error), NT_OK);
        nt_problem_destroy(problem);
        if (!(off < TANGENT))
            fail_msg("tangent is off by %.3g\n%s", off, text);
    }
    destroy_run(run);
}

static void tangents_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < FOLLOWERS; i++) {
        char text[5000];
        snprintf(text, sizeof text, model, followers[i].type, followers[i].value);
        check_tangents(text, 29u * (unsigned)i + 5, 0.3);
    }
}

static void tangents_of_large_elements_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < OF_LARGE; i++) {
        char text[5000];
        snprintf(text, sizeof text, large, of_large[i].type, of_large[i].value);
        check_tangents(text, 31u * (unsigned)i + 7, 0.3);
    }
    for (int i = 0; i < OF_TURNING; i++) {
        char text[5000];
        snprintf(text, sizeof text, turning, "force, on: load, at: [1, 0, 0]", of_turning[i]);
        check_tangents(text, 41u * (unsigned)i + 3, 0.02);
    }
}

/* On a slope of angle a the reaction is m g cos a whatever friction does: a load that follows the
 * reaction gives the motion of one that is told the number. */
static const char slope[] =
    "nutate: 1\n"
    "parameters: {m: 2, mu: 0.3, slip: 1e-2, a: 0.6}\n"
    "gravity: [9.81*sin(a), 0, -9.81*cos(a)]\n"
    "bodies:\n"
    "  block: {mass: m, inertia: [1, 1, 1], position: [0, 0, 0.1], velocity: [-0.5, 0, 0]}\n"
    "joints:\n"
    "  slide: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  friction: {type: joint_force, joint: slide, value: '-mu*%s*tanh(slide.rate/slip)'}\n"
    "simulation: {duration: 1, step: 1e-3, method: generalized-alpha}\n";

static void the_reaction_is_that_of_the_motion(void **state)
{
    (void)state;
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2",
                                          "rkmk-dopri5", "bdf", "semi-explicit-2"};
    static const char *const loads[] = {"hypot(slide.force.y, slide.force.z)", "m*9.81*cos(a)"};
    for (int i = 0; i < 5; i++) {
        double x[2];
        for (int k = 0; k < 2; k++) {
            char text[2000];
            nt_error error = {0};
            snprintf(text, sizeof text, slope, loads[k]);
            mechanism m = mechanism_read(text);
            nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                         .method = nt_method_find(methods[i])};
            assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
            assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error),
                             NT_OK);
            if (nt_integrator_run(m.integrator, 1, 1e-3, NULL, NULL, &error) != NT_OK)
                fail_msg("%s: %s", methods[i], error.message);
            x[k] = nt_integrator_state(m.integrator).q[0];
            mechanism_close(&m);
        }
        CLOSE(x[0], x[1], 1e-9); /* of 1 m: Newton's tolerance, steps of bdf that differ */
    }
}

static void what_is_not_well_posed_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *type, *value, *words;
    } cases[] = {
        {"force, on: bob, at: [1, 0, 0]", "follower.force.x, 0, 0", "depends on a force"},
        {"force, on: bob, at: [1, 0, 0]", "follower.power, 0, 0", "depends on a force"},
        {"force, on: bob, at: [1, 0, 0]", "bob.acceleration.x, 0, 0", "follows from the loads"},
        {"force, on: bob, at: [1, 0, 0]", "energy.work, 0, 0", "summed up along the run"},
        {"force, on: bob, at: [1, 0, 0]", "constraint_drift.position, 0, 0",
         "error of the solution"},
        {"force, on: bob, at: [1, 0, 0]", "step_size, 0, 0", "method's choice"},
        {"force, on: bob, at: [1, 0, 0]", "follower.torque.x, 0, 0", "depends on a force"},
    };
    for (int i = 0; i < 7; i++) {
        char text[4000];
        nt_error error = {0};
        nt_run *run = NULL;
        snprintf(text, sizeof text, model, cases[i].type, cases[i].value);
        assert_int_equal(read_run_text(&run, text, strlen(text), "case", NULL, NULL, 0, &error),
                         NT_BAD_MODEL);
        assert_non_null(strstr(error.message, cases[i].words));
        assert_true(error.line > 0);
    }
    static const char loop[] =
        "nutate: 1\n"
        "bodies: {arm: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0]}}\n"
        "joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
        "forces:\n"
        "  a: {type: joint_torque, joint: pin, value: 0.1*b.moment}\n"
        "  b: {type: joint_torque, joint: pin, value: 2*c.moment + pin.rate}\n"
        "  c: {type: joint_torque, joint: pin, value: b.power}\n";
    nt_error of_loop = {0};
    nt_run *none = NULL;
    assert_int_equal(read_run_text(&none, loop, strlen(loop), "case", NULL, NULL, 0, &of_loop),
                     NT_BAD_MODEL);
    assert_non_null(strstr(of_loop.message, "c.moment -> b.power"));
    /* two hinges in a line: how they share the load is not known */
    static const char twice[] =
        "nutate: 1\n"
        "bodies: {arm: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0]}}\n"
        "joints:\n"
        "  pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  too: {type: revolute, between: [ground, arm], at: [0, 1, 0], axis: [0, 1, 0]}\n"
        "forces: {f: {type: joint_torque, joint: pin, value: 0.1*pin.force.x}}\n";
    nt_error error = {0};
    nt_run *run = NULL;
    assert_int_equal(read_run_text(&run, twice, strlen(twice), "case", NULL, NULL, 0, &error),
                     NT_BAD_MODEL);
    assert_non_null(strstr(error.message, "pin.force.x, which is not unique"));
    assert_int_equal(error.line, 4);
}

/* A planar four-bar whose four hinges hold it in its plane, beside a door on two hinges: 3 and 5
 * redundant equations. %s is the load in the crank's hinge. */
static const char four_bar[] =
    "nutate: 1\n"
    "bodies:\n"
    "  crank: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5]}\n"
    "  rod: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, 1]}\n"
    "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0.5]}\n"
    "  door: {mass: 5, inertia: [0.1, 0.1, 0.1], position: [5.5, 0, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  b: {type: revolute, between: [crank, rod], at: [0, 0, 1], axis: [0, 1, 0]}\n"
    "  c: {type: revolute, between: [rod, rocker], at: [2, 0, 1], axis: [0, 1, 0]}\n"
    "  d: {type: revolute, between: [ground, rocker], at: [2, 0, 0], axis: [0, 1, 0]}\n"
    "  h1: {type: revolute, between: [ground, door], at: [5, 0, 0], axis: [0, 0, 1]}\n"
    "  h2: {type: revolute, between: [ground, door], at: [5, 0, 1], axis: [0, 0, 1]}\n"
    "forces: {rub: {type: joint_torque, joint: a, value: \"%s\"}}\n";

static void what_is_unique_may_be_followed(void **unused)
{
    (void)unused;
    static const struct {
        const char *value, *not_unique;
    } cases[] = {
        {"0.1*norm([a.force.x, 0, a.force.z])", NULL},
        {"c.force.x + 2*d.force.z", NULL},
        {"0.1*a.force.y", "a.force.y"},
        {"0.1*norm(b.force)", "b.force.y"},
        {"0.1*c.torque.x", "c.torque.x"},
        {"0.1*h1.force.x", "h1.force.x"},
        {"0.1*h2.force.z", "h2.force.z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000];
        nt_error error = {0};
        nt_run *run = NULL;
        snprintf(text, sizeof text, four_bar, cases[i].value);
        nt_status status = read_run_text(&run, text, strlen(text), "case", NULL, NULL, 0, &error);
        if (status != (cases[i].not_unique ? NT_BAD_MODEL : NT_OK))
            fail_msg("%s: %s", cases[i].value, error.message);
        if (cases[i].not_unique)
            assert_non_null(strstr(error.message, cases[i].not_unique));
        else
            destroy_run(run);
    }
}

/* A lift by k abs(N) on a rail that bears N = W - k abs(N): N = W/(1 + k), and with k > 1 also
 * N = W/(1 - k). Laws without a corner have one solution, however large the gain. */
static void several_solutions_are_told(void **unused)
{
    static const char rail[] =
        "nutate: 1\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  lift: {type: force, on: a, value: [0, 0, \"%s\"]}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const struct {
        const char *value;
        bool several;
    } cases[] = {
        {"2*abs(rail.force.z)", true},
        {"1.01*abs(rail.force.z)", true},
        {"0.99*abs(rail.force.z)", false},
        {"-0.99*abs(rail.force.z)", false},
        {"-3*rail.force.z", false},
        {"0.5*rail.force.z", false},
        {"3*max(rail.force.z, 0) - 3*min(rail.force.z, 0)", true},
        {"-3*max(rail.force.z, 0)", false},
        {"2*abs(rail.force.y)", false},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        nt_error error = {0};
        nt_run *run = NULL;
        snprintf(text, sizeof text, rail, cases[i].value);
        nt_status status = read_run_text(&run, text, strlen(text), "case", NULL, NULL, 0, &error);
        if (status != (cases[i].several ? NT_BAD_MODEL : NT_OK))
            fail_msg("%s: %s", cases[i].value, status == NT_OK ? "accepted" : error.message);
        if (cases[i].several) {
            assert_non_null(strstr(error.message, "have several solutions: force lift (line 5)"));
            assert_int_equal(error.line, 5);
        } else
            destroy_run(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_exact),
        cmocka_unit_test(tangents_of_large_elements_are_exact),
        cmocka_unit_test(the_reaction_is_that_of_the_motion),
        cmocka_unit_test(what_is_not_well_posed_is_refused),
        cmocka_unit_test(what_is_unique_may_be_followed),
        cmocka_unit_test(several_solutions_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
