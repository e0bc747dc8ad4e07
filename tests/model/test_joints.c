/* Every joint against physics: closed solutions, other models of the same thing, balances. */
#include "model/mechanism.h"

static const double PI = 3.14159265358979323846;

/* What is exact for the method: rounding over a thousand steps, or Newton's tolerances. */
static const double EXACT = 1e-9;

/* ---- driven joints -------------------------------------------------------------------------- */

#define TURNS "3*t^2 + 0.2*sin(5*t)"
static double turns(double t) { return 3 * t * t + 0.2 * sin(5 * t); }
static double turns_rate(double t) { return 6 * t + cos(5 * t); }
static double turns_second(double t) { return 6 - 5 * sin(5 * t); }

/* Eight turns at up to 24 rad/s on a tilted axis: angle and rate follow, the motor gives what
 * inertia needs, and its work is the energy. */
static void driven_through_several_turns(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        mechanism m = mechanism_read(
            "nutate: 1\n"
            "gravity: [0, 0, 0]\n"
            "bodies:\n"
            "  rotor: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [0, 0, 0],\n"
            "          orientation: {rotation_vector: [0.4, -0.3, 0.9]}}\n"
            "markers: {tip: {on: rotor, at: [1, 0, 0]}}\n"
            "joints:\n"
            "  hinge: {type: revolute, between: [ground, rotor], at: tip, axis: [1, 2, -2],\n"
            "          motion: " TURNS "}\n"
            "simulation: {duration: 4, step: 1e-3}\n");
        mechanism_start(&m, NULL, 0, frame);
        double energy[16], w[16], torque[16], inertia = -1;
        mechanism_get(&m, "energy", energy);
        double start = energy[2];
        for (int i = 1; i <= 8; i++) {
            double t = 0.5 * i;
            mechanism_run(&m, t, 1e-3);
            CLOSE(mechanism_number(&m, "hinge.angle"), turns(t), EXACT);
            CLOSE(mechanism_number(&m, "hinge.rate"), turns_rate(t), 1e-4); /* O(h^2) of phi''' */
            mechanism_get(&m, "energy", energy);
            CLOSE(energy[2], start + energy[3], 1e-3 * (1 + energy[2])); /* quadrature */
            mechanism_get(&m, "rotor.angular_velocity", w);
            mechanism_get(&m, "hinge.torque", torque);
            double along = (torque[0] + 2 * torque[1] - 2 * torque[2]) / 3;
            inertia = 2 * energy[0] / (turns_rate(t) * turns_rate(t)); /* T = J phi'^2 / 2 */
            CLOSE(along, inertia * turns_second(t), 2e-3 * inertia * 11);
        }
        assert_true(inertia > 0.2);
        mechanism_close(&m);
    }
}

/* A slider driven beyond its length: displacement and force. */
static void driven_slider(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  slider: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [1, 0, 0]}\n"
        "joints:\n"
        "  guide: {type: prismatic, between: [ground, slider], at: [0, 0, 0], axis: [3, 0, 4],\n"
        "          motion: 0.5*(1 - cos(2*t))}\n"
        "simulation: {duration: 4, step: 1e-3}\n");
    for (int i = 1; i <= 4; i++) {
        double f[16];
        mechanism_run(&m, i, 1e-3);
        CLOSE(mechanism_number(&m, "guide.displacement"), 0.5 * (1 - cos(2 * i)), EXACT);
        mechanism_get(&m, "guide.force", f);
        CLOSE((3 * f[0] + 4 * f[2]) / 5, 2 * (2 * cos(2 * i) + 8), 1e-3); /* m (x'' + g cos) */
        CLOSE((-4 * f[0] + 3 * f[2]) / 5, 2 * 6, EXACT * 100);            /* m g sin */
    }
    mechanism_close(&m);
}

/* ---- universal ------------------------------------------------------------------------------ */

/* Two shafts at beta = 0.5 rad: tan(out) = cos(beta) tan(in). Three equations are redundant. */
static void universal_speed_ratio(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "parameters: {beta: 0.5}\n"
        "bodies:\n"
        "  in: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [-1, 0, 0]}\n"
        "  out: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [cos(beta), 0, sin(beta)]}\n"
        "joints:\n"
        "  drive: {type: revolute, between: [ground, in], at: [-1, 0, 0], axis: [1, 0, 0],\n"
        "          motion: 2*t}\n"
        "  cross: {type: universal, between: [in, out], at: [0, 0, 0],\n"
        "          axes: [[0, 1, 0], ['-sin(beta)', 0, cos(beta)]]}\n"
        "  bearing: {type: revolute, between: [ground, out], at: [cos(beta), 0, sin(beta)],\n"
        "            axis: [cos(beta), 0, sin(beta)]}\n"
        "simulation: {duration: 6, step: 1e-3}\n");
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 3);
    for (int i = 1; i <= 24; i++) {
        double t = 0.25 * i, in = 2 * t, c = cos(in), s = sin(in), k = cos(0.5);
        mechanism_run(&m, t, 1e-3);
        double out = mechanism_number(&m, "bearing.angle");
        CLOSE(sin(out) * c - k * s * cos(out), 0, EXACT);
        assert_true(fabs(out - in) < 0.1); /* the same turn */
        CLOSE(mechanism_number(&m, "bearing.rate"), 2 * k / (c * c + k * k * s * s), 1e-5);
    }
    mechanism_close(&m);
}

/* ---- a hinge off the axis of a turning base ------------------------------------------------- */

static const struct {
    double m, J, L, d, g, across, along, speed;
} arm = {2, 0.3, 0.6, 0.5, 9.81, 0.3, 0.05, 4};

/* theta'' of an arm that hangs from a turntable's edge, its hinge tangential: Lagrange's equation
 * with T = m (L^2 theta'^2 + W^2 (d + L sin)^2)/2 + J theta'^2/2 + W^2 (along cos^2 + across
 * sin^2)/2. */
static double arm_acceleration(double theta)
{
    double s = sin(theta), c = cos(theta), W2 = arm.speed * arm.speed;
    return (W2 * (arm.m * (arm.d + arm.L * s) * arm.L * c + (arm.across - arm.along) * s * c) -
            arm.m * arm.g * arm.L * s) /
           (arm.m * arm.L * arm.L + arm.J);
}

static double arm_angle(double end)
{
    double x = 0, v = 0;
    int n = 4000;
    double h = end / n;
    for (int i = 0; i < n; i++) { /* Runge-Kutta of order 4 */
        double k1 = arm_acceleration(x), k2 = arm_acceleration(x + h / 2 * v);
        double k3 = arm_acceleration(x + h / 2 * v + h * h / 4 * k1);
        double k4 = arm_acceleration(x + h * v + h * h / 2 * k2);
        x += h * v + h * h / 6 * (k1 + k2 + k3);
        v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return x;
}

static void hinge_on_a_turning_base(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  table: {mass: 5, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "  arm: {mass: 2, inertia: [0.3, 0.3, 0.05], position: [0.5, 0, -0.6],\n"
        "        angular_velocity: [0, 0, 4]}\n"
        "joints:\n"
        "  drive: {type: revolute, between: [ground, table], at: [0, 0, 0], axis: [0, 0, 1],\n"
        "          motion: 4*t}\n"
        "  hinge: {type: revolute, between: [table, arm], at: [0.5, 0, 0], axis: [0, -1, 0]}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    double exact = arm_angle(1), off[2];
    assert_true(fabs(exact) > 0.3);
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        for (int k = 0; k < 2; k++) {
            mechanism m = mechanism_read(text);
            mechanism_start(&m, NULL, 0, frame);
            mechanism_run(&m, 1, k == 0 ? 2e-3 : 1e-3);
            off[k] = mechanism_number(&m, "hinge.angle") - exact;
            mechanism_close(&m);
        }
        CLOSE(off[1], 0, 1e-4);
        CLOSE(off[1] - (off[0] - off[1]) / 3, 0, 1e-7); /* second order: the rest is of third */
    }
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* A pendulum about each of the six coordinate directions: the same swing, the sign of the axis. */
static void axes_of_either_sign(void **state)
{
    (void)state;
    static const char *const axis[6] = {"1, 0, 0",  "0, 1, 0",  "0, 0, 1",
                                        "-1, 0, 0", "0, -1, 0", "0, 0, -1"};
    /* the rod lies along one axis, gravity pulls along another, the third is the hinge */
    static const char *const rod[3] = {"0, 1, 0", "0, 0, 1", "1, 0, 0"};
    static const char *const pull[3] = {"0, 0, -10", "-10, 0, 0", "0, -10, 0"};
    double first = 0;
    for (int i = 0; i < 6; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "gravity: [%s]\n"
                 "bodies:\n"
                 "  rod: {mass: 1, inertia: [0.2, 0.2, 0.2], position: [%s]}\n"
                 "joints:\n"
                 "  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [%s]}\n"
                 "simulation: {duration: 1, step: 1e-3}\n",
                 pull[i % 3], rod[i % 3], axis[i]);
        mechanism m = mechanism_open(text);
        CLOSE(mechanism_number(&m, "hinge.angle"), 0, 1e-15);
        mechanism_run(&m, 0.7, 1e-3);
        double angle = mechanism_number(&m, "hinge.angle");
        if (i == 0)
            first = angle;
        assert_true(first < -1); /* from y down to -z is about -x */
        CLOSE(angle, i < 3 ? first : -first, EXACT);
        mechanism_close(&m);
    }
}

/* ---- cylindrical, planar, inline ------------------------------------------------------------ */

/* Falls along the axis and turns about it: s = g cos t^2/2, phi = 7 t, through four turns. */
static void screw_motion(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  sleeve: {mass: 2, inertia: [0.3, 0.3, 0.3], position: [1, 2, 3],\n"
        "           angular_velocity: [4.2, 0, 5.6], angular_velocity_frame: ground}\n"
        "joints:\n"
        "  bar: {type: cylindrical, between: [ground, sleeve], at: [1, 2, 3], axis: [3, 0, 4]}\n"
        "simulation: {duration: 4, step: 1e-2}\n");
    for (int i = 1; i <= 4; i++) {
        double f[16];
        mechanism_run(&m, i, 1e-2);
        CLOSE(mechanism_number(&m, "bar.displacement"), -8 * i * i / 2.0, EXACT);
        CLOSE(mechanism_number(&m, "bar.angle"), 7 * i, EXACT);
        mechanism_get(&m, "bar.force", f);
        CLOSE((-4 * f[0] + 3 * f[2]) / 5, 2 * 6, 1e-7);
        CLOSE((3 * f[0] + 4 * f[2]) / 5, 0, 1e-7);
    }
    mechanism_close(&m);
}

/* A sledge on a plane tilted by tan = 3/4: g sin down, turning on, the plane bears m g cos. */
static void sledge_on_a_plane(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  sledge: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [0, 0, 1], velocity: [0, 1.5, "
        "0],\n"
        "           orientation: {axis: [0, 1, 0], angle: 'atan2(3, 4)'},\n"
        "           angular_velocity: [0, 0, 2]}\n"
        "joints:\n"
        "  slope: {type: planar, between: [ground, sledge], at: [0, 0, 1], axis: [3, 0, 4]}\n"
        "simulation: {duration: 2, step: 1e-2}\n");
    double x[16], w[16], f[16];
    mechanism_run(&m, 2, 1e-2);
    CLOSE(mechanism_number(&m, "slope.angle"), 4, EXACT);
    CLOSE(mechanism_number(&m, "slope.rate"), 2, EXACT);
    mechanism_get(&m, "sledge.position", x);
    mechanism_get(&m, "sledge.angular_velocity", w);
    mechanism_get(&m, "slope.force", f);
    CLOSE(x[0], 6 * 2 * 0.8, EXACT * 10); /* g sin = 6 along (4, 0, -3)/5, t^2/2 = 2 */
    CLOSE(x[1], 3, EXACT * 10);
    CLOSE(x[2], 1 - 6 * 2 * 0.6, EXACT * 10);
    CLOSE(w[2], 2, EXACT);
    CLOSE((3 * f[0] + 4 * f[2]) / 5, 2 * 8, 1e-7);
    CLOSE((4 * f[0] - 3 * f[2]) / 5, 0, 1e-7);
    mechanism_close(&m);
}

/* The angle of a planar joint goes on through several turns, and takes moments: a torsion spring of
 * stiffness k turns a puck of moment of inertia J about the normal as phi = w/s sin(s t),
 * s = sqrt(k/J) = 2, with w/s = 10 rad, while it glides on. */
static void puck_on_a_torsion_spring(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  puck: {mass: 2, inertia: [0.3, 0.3, 0.5], position: [1, 2, 3], velocity: [0.5, 0, 0],\n"
        "         angular_velocity: [0, 0, 20]}\n"
        "joints:\n"
        "  ice: {type: planar, between: [ground, puck], at: [1, 2, 3], axis: [0, 0, 1]}\n"
        "forces:\n"
        "  coil: {type: torsion_spring, joint: ice, stiffness: 1.5}\n"
        "  drag: {type: joint_torque, joint: ice, value: -0.5*ice.angle}\n"
        "simulation: {duration: 1.5, step: 5e-4}\n");
    for (int i = 1; i <= 3; i++) {
        double t = 0.5 * i, x[16];
        mechanism_run(&m, t, 5e-4);
        CLOSE(mechanism_number(&m, "ice.angle"), 10 * sin(2 * t), 2e-5);
        CLOSE(mechanism_number(&m, "ice.rate"), 20 * cos(2 * t), 4e-5);
        mechanism_get(&m, "puck.position", x);
        CLOSE(x[0], 1 + 0.5 * t, EXACT);
    }
    mechanism_close(&m);
}

/* A body's corner on an inclined wire, its centre there too: it slides and tumbles freely. */
static void bead_on_a_wire(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  bead: {mass: 2, inertia: [0.3, 0.3, 0.3], position: [0, 0, 1],\n"
        "         angular_velocity: [1, 2, 2]}\n"
        "joints:\n"
        "  wire: {type: inline, between: [ground, bead], at: [0, 0, 1], axis: [3, 0, 4]}\n"
        "simulation: {duration: 2, step: 1e-2}\n");
    double x[16], w[16], f[16];
    mechanism_run(&m, 2, 1e-2);
    mechanism_get(&m, "bead.position", x);
    mechanism_get(&m, "bead.angular_velocity", w);
    mechanism_get(&m, "wire.force", f);
    CLOSE(x[0], -8 * 2 * 0.6, EXACT * 10);
    CLOSE(x[1], 0, EXACT);
    CLOSE(x[2], 1 - 8 * 2 * 0.8, EXACT * 10);
    CLOSE(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], 9, EXACT);
    CLOSE((-4 * f[0] + 3 * f[2]) / 5, 2 * 6, 1e-7);
    CLOSE((3 * f[0] + 4 * f[2]) / 5, 0, 1e-7);
    mechanism_close(&m);
}

/* ---- what a joint's force and torque are ----------------------------------------------------- */

/* A slider of mass 2 with its centre at c = (0.2, y, 0) from B's point runs out along x against
 * friction -4 x', 1.7 m from A's point. The force F holds the friction and the weight, and since
 * the slider does not turn the torque about B's point is c x F; about A's it would be 1.7 m times
 * the weight more. */
static void reactions_hold_friction_and_are_about_the_point_of_b(void **state)
{
    static const char *const types[] = {"prismatic", "cylindrical"};
    (void)state;
    for (int type = 0; type < 2; type++) {
        char text[800];
        double y = type == 0 ? 0.3 : 0; /* a cylindrical joint takes no moment about its axis */
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "gravity: [0, 0, -10]\n"
                 "bodies:\n"
                 "  slider: {mass: 2, inertia: [0.2, 0.3, 0.4], center_of_mass: [0.2, %g, 0],\n"
                 "           position: [0, 0, 0], velocity: [4, 0, 0]}\n"
                 "joints:\n"
                 "  guide: {type: %s, between: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0],\n"
                 "          friction: {viscous: 4}}\n"
                 "simulation: {duration: 1, step: 1e-3}\n",
                 y, types[type]);
        mechanism m = mechanism_open(text);
        double force[16], torque[16];
        mechanism_run(&m, 1, 1e-3);
        CLOSE(mechanism_number(&m, "guide.displacement"), 2 * (1 - exp(-2)), 1e-5);
        mechanism_get(&m, "guide.force", force);
        mechanism_get(&m, "guide.torque", torque);
        CLOSE(force[0], -4 * 4 * exp(-2), 1e-5);
        CLOSE(force[1], 0, 1e-7);
        CLOSE(force[2], 20, 1e-7);
        CLOSE(torque[0], y * force[2], 1e-7);
        CLOSE(torque[1], -0.2 * force[2], 1e-7);
        CLOSE(torque[2], -y * force[0], 1e-7);
        mechanism_close(&m);
    }
}

/* A hinge holds the moment of its own friction, not that of a joint_torque beside it. */
static void the_torque_of_a_hinge_holds_its_friction_alone(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {rotor: {mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [0, 0, 6]}}\n"
        "joints:\n"
        "  axle: {type: revolute, between: [ground, rotor], at: [0, 0, 0], axis: [0, 0, 1],\n"
        "         friction: {viscous: 0.25}}\n"
        "forces: {motor: {type: joint_torque, joint: axle, value: 1.5}}\n"
        "simulation: {duration: 1, step: 1e-3}\n");
    double torque[16];
    mechanism_run(&m, 1, 1e-3); /* the friction holds against the motor at 6 rad/s */
    mechanism_get(&m, "axle.torque", torque);
    CLOSE(mechanism_number(&m, "axle.rate"), 6, EXACT);
    CLOSE(torque[2], -1.5, 1e-9);
    mechanism_close(&m);
}

/* ---- the same pendulum in other words ------------------------------------------------------- */

/* Position at t = 1 with the error of second order removed. */
static void refined(const char *text, const char *name, double *out)
{
    double coarse[16];
    for (int k = 0; k < 2; k++) {
        mechanism m = mechanism_open(text);
        mechanism_run(&m, 1, k == 0 ? 2e-3 : 1e-3);
        mechanism_get(&m, name, k == 0 ? coarse : out);
        mechanism_close(&m);
    }
    for (int i = 0; i < 3; i++)
        out[i] += (out[i] - coarse[i]) / 3;
}

/* A point on a massless rod: a distance joint that leaves the body's turning alone, or a universal
 * joint with a body that has no inertia to turn. */
static void distance_is_a_spherical_pendulum(void **state)
{
    (void)state;
    double x[16], y[16];
    refined(
        "nutate: 1\n"
        "bodies:\n"
        "  bob: {mass: 2, inertia: [0.1, 0.2, 0.25], position: [1, 0, 0], velocity: [0, 2, 1],\n"
        "        angular_velocity: [1, 2, 3]}\n"
        "joints:\n"
        "  rod: {type: distance, between: [ground, bob], points: [[0, 0, 0], [0, 0, 0]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n",
        "bob.position", x);
    refined("nutate: 1\n"
            "bodies:\n"
            "  bob: {mass: 2, position: [1, 0, 0], velocity: [0, 2, 1]}\n"
            "joints:\n"
            "  rod: {type: universal, between: [ground, bob], at: [0, 0, 0],\n"
            "        axes: [[0, 1, 0], [0, 0, 1]]}\n"
            "simulation: {duration: 1, step: 1e-3}\n",
            "bob.position", y);
    for (int i = 0; i < 3; i++)
        CLOSE(x[i], y[i], 1e-6); /* third order is left */
    CLOSE(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], 1, 1e-6);
}

/* The give of a joint of springs shrinks like 1/stiffness. */
static void penalty_converges(void **state)
{
    (void)state;
    static const char form[] =
        "nutate: 1\n"
        "bodies:\n"
        "  rod: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"
        "joints:\n"
        "  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]%s}\n"
        "simulation: {duration: 0.5, step: 5e-4}\n";
    static const char *const enforce[] = {"", ", enforce: penalty, stiffness: 1e4, damping: 100",
                                          ", enforce: penalty, stiffness: 1e5, damping: 300",
                                          ", enforce: penalty, stiffness: 1e6, damping: 1000"};
    double x[4][16], give[4];
    for (int k = 0; k < 4; k++) {
        char text[1024];
        snprintf(text, sizeof text, form, enforce[k]);
        mechanism m = mechanism_open(text);
        mechanism_run(&m, 0.5, 5e-4);
        mechanism_get(&m, "rod.position", x[k]);
        give[k] = hypot(x[k][0] - x[0][0], x[k][2] - x[0][2]);
        if (k > 0) {
            double f[16], g[16];
            mechanism_get(&m, "hinge.force", f);
            mechanism exact = mechanism_open(
                "nutate: 1\n"
                "bodies:\n"
                "  rod: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"
                "joints:\n"
                "  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, "
                "0]}\n"
                "simulation: {duration: 0.5, step: 5e-4}\n");
            mechanism_run(&exact, 0.5, 5e-4);
            mechanism_get(&exact, "hinge.force", g);
            CLOSE(f[2], g[2], 0.02 * 10 * pow(10, 1 - k) + 0.01);
            mechanism_close(&exact);
        }
        mechanism_close(&m);
    }
    for (int k = 1; k < 3; k++)
        assert_true(give[k] / give[k + 1] > 6 && give[k] / give[k + 1] < 16);
    assert_true(give[3] < 1e-4);
}

/* A beam clamped at one end: force and torque on it at the joint. */
static void clamped_beam(void **state)
{
    (void)state;
    mechanism m = mechanism_open(
        "nutate: 1\n"
        "gravity: [0, 0, -9.80665]\n"
        "bodies:\n"
        "  beam: {mass: 1.3, inertia: [0.11, 0.17, 0.13], position: [0.3, 0.2, 0.7],\n"
        "         orientation: {rotation_vector: [0.3, 0.5, -0.2]}}\n"
        "joints:\n"
        "  clamp: {type: fixed, between: [ground, beam], at: [0.1, 0.7, -0.3]}\n"
        "simulation: {duration: 1, step: 1e-2}\n");
    for (int i = 0; i < 2; i++) {
        double f[16], torque[16], weight = 1.3 * 9.80665;
        mechanism_get(&m, "clamp.force", f);
        mechanism_get(&m, "clamp.torque", torque);
        CLOSE(f[2], weight, EXACT);
        CLOSE(torque[0], -0.5 * weight,
              EXACT); /* balances r x (0, 0, -weight), r = (0.2, -0.5, 1) */
        CLOSE(torque[1], -0.2 * weight, EXACT);
        CLOSE(torque[2], 0, EXACT);
        mechanism_run(&m, 1, 1e-2);
    }
    mechanism_close(&m);
}

/* ---- friction and stops --------------------------------------------------------------------- */

#define FLYWHEEL(friction)                                                                         \
    "nutate: 1\n"                                                                                  \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  wheel: {mass: 2, inertia: [0.3, 0.3, 0.5], angular_velocity: [0, 0, 6]}\n"                  \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: [0, 0, 1],\n"        \
    "          friction: {" friction "}}\n"                                                        \
    "simulation: {duration: 3, step: 1e-3}\n"

/* Dry: a constant moment of 1.5 N m stops 0.5 kg m^2 at 6 rad/s after 2 s and 6 rad. */
static void dry_friction_stops_a_wheel(void **state)
{
    (void)state;
    mechanism m = mechanism_open(FLYWHEEL("dry: 1.5, slip: 1e-3"));
    double torque[16], e[16];
    mechanism_run(&m, 1, 1e-3);
    mechanism_get(&m, "shaft.torque", torque);
    CLOSE(torque[2], -1.5, 1e-5);
    CLOSE(mechanism_number(&m, "shaft.rate"), 3, 1e-5);
    mechanism_run(&m, 3, 1e-3);
    CLOSE(mechanism_number(&m, "shaft.rate"), 0, 1e-6);
    CLOSE(mechanism_number(&m, "shaft.angle"), 6, 1e-3); /* the slip rate for a few ms */
    mechanism_get(&m, "energy", e);
    CLOSE(e[2], 0, 1e-9);
    CLOSE(e[3], -9, 0.01); /* of h at the stop */
    mechanism_close(&m);
}

/* Viscous: w = 6 exp(-c t/J). */
static void viscous_friction(void **state)
{
    (void)state;
    mechanism m = mechanism_open(FLYWHEEL("viscous: 0.4"));
    mechanism_run(&m, 3, 1e-3);
    CLOSE(mechanism_number(&m, "shaft.rate"), 6 * exp(-0.8 * 3), 1e-5);
    double e[16];
    mechanism_get(&m, "energy", e);
    CLOSE(e[2] - e[3], 9, 1e-4);
    mechanism_close(&m);
}

/* A pendulum with dry friction comes to rest off the vertical, and the books balance better with
 * smaller steps. */
static void friction_stops_a_pendulum(void **state)
{
    (void)state;
    double off[2];
    for (int k = 0; k < 2; k++) {
        mechanism m = mechanism_open(
            "nutate: 1\n"
            "gravity: [0, 0, -10]\n"
            "bodies:\n"
            "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
            "joints:\n"
            "  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0],\n"
            "          friction: {dry: 2, slip: 0.05}}\n"
            "simulation: {duration: 4, step: 1e-3}\n");
        double e[16], start;
        mechanism_get(&m, "energy", e);
        start = e[2];
        mechanism_run(&m, 4, k == 0 ? 2e-3 : 1e-3);
        mechanism_get(&m, "energy", e);
        off[k] = fabs(e[2] - start - e[3]);
        assert_true(fabs(mechanism_number(&m, "hinge.rate")) < 0.05); /* creeps within the slip */
        double angle = mechanism_number(&m, "hinge.angle") - PI / 2;
        assert_true(fabs(10 * sin(angle)) <= 2.01); /* held by no more than the dry moment */
        assert_true(e[3] < -5);
        mechanism_close(&m);
    }
    assert_true(off[1] < 1e-3 && off[1] < off[0] / 2.5);
}

/* A slider of 2 kg meets a stop of 1e4 N/m at 3 m/s: back at 3 m/s after half a period of contact,
 * pi sqrt(m/k); with a damper slower, and what is lost is the work. */
static void stops_bounce(void **state)
{
    (void)state;
    static const char form[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  slider: {mass: 2, inertia: [0.1, 0.1, 0.1], velocity: [%s3, 0, 0]}\n"
        "joints:\n"
        "  guide: {type: prismatic, between: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0],\n"
        "          limits: {%s, stiffness: 1e4%s}}\n"
        "simulation: {duration: 1, step: 1e-4}\n";
    nt_option none = {"newmark", "0.5"}; /* conserves: what is lost is the damper's */
    for (int k = 0; k < 4; k++) {
        bool damped = k >= 2;
        const char *limits = k % 2 ? "lower: -0.6" : "upper: 0.6";
        double sign = k % 2 ? -1 : 1;
        char text[1024];
        snprintf(text, sizeof text, form, k % 2 ? "-" : "", limits, damped ? ", damping: 60" : "");
        mechanism m = mechanism_read(text);
        mechanism_start(&m, &none, 1, NT_INERTIAL);
        double v[16], e[16], contact = PI * sqrt(2 / 1e4);
        mechanism_run(&m, 0.2 + contact / 2, 1e-4);
        if (!damped) /* deepest: all energy in the spring, v sqrt(m/k) */
            CLOSE(sign * mechanism_number(&m, "guide.displacement"), 0.6 + 3 * sqrt(2 / 1e4), 1e-5);
        mechanism_run(&m, 0.5, 1e-4);
        mechanism_get(&m, "slider.velocity", v);
        mechanism_get(&m, "energy", e);
        CLOSE(e[2] - e[3], 9, 1e-4);
        if (!damped) {
            CLOSE(v[0], -3 * sign, 1e-3);
            CLOSE(sign * mechanism_number(&m, "guide.displacement"), 0.6 - 3 * (0.3 - contact),
                  1e-3);
        } else
            assert_true(-v[0] * sign > 1 && -v[0] * sign < 2.9);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_through_several_turns),
        cmocka_unit_test(driven_slider),
        cmocka_unit_test(universal_speed_ratio),
        cmocka_unit_test(hinge_on_a_turning_base),
        cmocka_unit_test(axes_of_either_sign),
        cmocka_unit_test(screw_motion),
        cmocka_unit_test(sledge_on_a_plane),
        cmocka_unit_test(puck_on_a_torsion_spring),
        cmocka_unit_test(bead_on_a_wire),
        cmocka_unit_test(reactions_hold_friction_and_are_about_the_point_of_b),
        cmocka_unit_test(the_torque_of_a_hinge_holds_its_friction_alone),
        cmocka_unit_test(distance_is_a_spherical_pendulum),
        cmocka_unit_test(penalty_converges),
        cmocka_unit_test(clamped_beam),
        cmocka_unit_test(dry_friction_stops_a_wheel),
        cmocka_unit_test(viscous_friction),
        cmocka_unit_test(friction_stops_a_pendulum),
        cmocka_unit_test(stops_bounce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
