/* nutate new: models to begin with, each of which runs as it is. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name, *text;
} new_kinds[] = {
    {"pendulum",
     "# A pendulum. Units are SI, angles in rad (30*deg).\n"
     "nutate: 1\n"
     "title: Pendulum\n"
     "parameters: {m: 1, length: 0.5, start: 40*deg}   # nutate run FILE --set m=2\n"
     "bodies:\n"
     "  bob:                                            # its axes begin as orientation says\n"
     "    mass: m\n"
     "    inertia: [1e-3, 1e-3, 1e-3]                   # about the centre of mass, body axes\n"
     "    position: [length*sin(start), 0, -length*cos(start)]\n"
     "    orientation: {axis: [0, -1, 0], angle: start}\n"
     "joints:\n"
     "  pivot: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, -1, 0]}\n"
     "simulation: {duration: 5, method: generalized-alpha, step: 1e-3}\n"
     "output: {every: 0.02, record: [bob.position, pivot.angle, pivot.force, energy]}\n"},
    {"linkage",
     "# A crank that drives a rocker: a closed loop, assembled from lengths.\n"
     "nutate: 1\n"
     "title: Four-bar linkage\n"
     "parameters: {speed: 6}                            # rad/s of the crank\n"
     "bodies:                                           # bars lie along their own x axis\n"
     "  crank: {mass: 0.2, inertia: [1e-4, 1e-3, 1e-3], position: [0.05, 0, 0]}\n"
     "  coupler: {mass: 0.5, inertia: [1e-4, 8e-3, 8e-3]}\n"
     "  rocker: {mass: 0.4, inertia: [1e-4, 4e-3, 4e-3]}\n"
     "joints:                                           # points and axes in the bodies' own axes\n"
     "  motor: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], motion: "
     "speed*t}\n"
     "  pin: {type: revolute, between: [crank, coupler], points: [[0.05, 0, 0], [-0.2, 0, 0]], "
     "axes: [[0, 0, 1], [0, 0, 1]]}\n"
     "  ball: {type: spherical, between: [coupler, rocker], points: [[0.2, 0, 0], [0.15, 0, 0]]}\n"
     "  base: {type: universal, between: [ground, rocker], points: [[0.4, 0, 0], [-0.15, 0, 0]], "
     "axes: [[1, 0, 0], [0, 0, 1]]}\n"
     "simulation: {duration: 2, method: generalized-alpha-soi2, step: 1e-3}\n"
     "output: {every: 0.01, record: [rocker.position, motor.angle, motor.torque, motor.power]}\n"},
    {"suspension",
     "# A quarter of a car over a bump: asymmetric damper, bump stop, tyre as a spring that only "
     "pushes.\n"
     "nutate: 1\n"
     "title: Quarter car\n"
     "parameters: {k: 20000, bump: 1500, rebound: 4000}\n"
     "quantities:\n"
     "  road: step(t, 1, 0, 1.1, 0.05) - step(t, 1.3, 0, 1.4, 0.05)\n"
     "bodies:\n"
     "  car: {point: true, mass: 300, position: [0, 0, 0.8]}\n"
     "  wheel: {point: true, mass: 40, position: [0, 0, 0.3]}\n"
     "joints:\n"
     "  guide: {type: prismatic, between: [ground, car], at: [0, 0, 0.8], axis: [0, 0, 1]}\n"
     "  track: {type: prismatic, between: [ground, wheel], at: [0, 0, 0.3], axis: [0, 0, 1]}\n"
     "forces:\n"
     "  spring: {type: spring, between: [wheel, car], stiffness: k, preload: -300*9.80665,\n"
     "           limits: {lower: 0.42, stiffness: 3e5, damping: 2e3}}        # bump stop\n"
     "  damper: {type: line_force, between: [wheel, car],\n"
     "           value: 'if(damper.rate < 0, bump, rebound)*damper.rate'}\n"
     "  tyre: {type: spring, between: [ground, wheel], at: [[0, 0, 0], [0, 0, 0.3]], stiffness: "
     "2e5,\n"
     "         length: 0.3 + road, preload: -340*9.80665, damping: 100, only: compression}\n"
     "simulation: {duration: 3, method: generalized-alpha, step: 1e-3}\n"
     "output: {every: 0.01, record: [car.position, wheel.position, road, damper.tension, "
     "tyre.tension]}\n"},
    {"motor",
     "# An arm on a motor with a controller: gravity against it, a torque that is limited.\n"
     "nutate: 1\n"
     "title: Arm on a motor\n"
     "parameters: {goal: 60*deg, kp: 60, kd: 8, most: 20}\n"
     "quantities:\n"
     "  error: goal - shaft.angle\n"
     "  wanted: kp*error - kd*shaft.rate\n"
     "bodies:\n"
     "  arm: {mass: 2, inertia: [1e-3, 0.06, 0.06], position: [0.3, 0, 0]}\n"
     "joints:\n"
     "  shaft: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0]}\n"
     "forces:\n"
     "  motor: {type: joint_torque, joint: shaft, value: 'clamp(wanted, -most, most)'}\n"
     "simulation: {duration: 3, method: generalized-alpha, step: 1e-3}\n"
     "output: {every: 0.01, record: [shaft.angle, error, motor.moment, motor.power]}\n"},
    {"top",
     "# A top that spins on its tip, from Euler angles.\n"
     "nutate: 1\n"
     "title: Top\n"
     "parameters: {lean: 20*deg, spin: 100}\n"
     "bodies:\n"
     "  top:\n"
     "    mass: 0.5\n"
     "    inertia: [8e-4, 8e-4, 4e-4]\n"
     "    center_of_mass: [0, 0, 0.05]                  # above the tip, which is the origin\n"
     "    orientation: {angles: [lean, 0, 0], sequence: xyz}\n"
     "    angular_velocity: [0, 0, spin]                # body axes\n"
     "    fixed_point: [0, 0, 0]\n"
     "simulation: {duration: 2, method: lie-newmark-4, step: 1e-3}\n"
     "output: {every: 0.01, record: [top.z_axis, top.euler_zxz, energy, angular_momentum]}\n"},
    {"trajectory",
     "# A joint that follows points. Of a table in a file write motion: table(path, t, COLUMN) "
     "and\n"
     "# tables: {path: {file: path.csv, interpolation: spline}}, so that torques are smooth.\n"
     "nutate: 1\n"
     "title: Prescribed motion\n"
     "bodies:\n"
     "  arm: {mass: 3, inertia: [0.1, 0.1, 1e-2], position: [0, 0, -0.4]}\n"
     "joints:\n"
     "  drive: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0],\n"
     "          motion: 'step(t, 0.2, 0, 1.2, 90*deg)'}\n"
     "simulation: {duration: 2, method: generalized-alpha-soi2, step: 1e-3}\n"
     "output: {every: 0.01, record: [drive.angle, drive.rate, drive.torque, drive.power]}\n"},
};
enum { NEW_KINDS = sizeof new_kinds / sizeof new_kinds[0] };

static int new_unknown(const char *name)
{
    const char *names[NEW_KINDS];
    char hint[80];
    for (int i = 0; i < NEW_KINDS; i++)
        names[i] = new_kinds[i].name;
    nt_cli_suggestion(name, names, NEW_KINDS, hint, sizeof hint);
    nt_cli_say("there is no kind '%s' of model%s (nutate new lists them)", name, hint);
    return NT_EXIT_USAGE;
}

/* Never over a file that is there. */
static int new_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wx");
    if (!file) {
        nt_cli_say("%s: %s", path, strerror(errno));
        return NT_EXIT_IO;
    }
    nt_cli_part part = nt_cli_part_of(path);
    bool good = fputs(text, file) >= 0;
    good = fclose(file) == 0 && good;
    if (!good) {
        nt_cli_say("%s: %s", path, strerror(errno));
        nt_cli_take_back(&part);
        return NT_EXIT_IO;
    }
    fprintf(stderr, "%s: nutate run %s\n", path, path);
    return NT_EXIT_DONE;
}

int nt_cli_new(const nt_cli_options *options)
{
    char path[64];
    for (int i = 0; i < NEW_KINDS; i++) {
        if (!options->name) {
            const char *title = strstr(new_kinds[i].text, "title: ") + strlen("title: ");
            printf("%-12s %.*s\n", new_kinds[i].name, (int)strcspn(title, "\n"), title);
            continue;
        }
        if (strcmp(options->name, new_kinds[i].name) != 0)
            continue;
        snprintf(path, sizeof path, "%s.yaml", new_kinds[i].name);
        if (options->output && strcmp(options->output, "-") == 0) {
            fputs(new_kinds[i].text, stdout);
            return nt_cli_finish_output();
        }
        return new_write(options->output ? options->output : path, new_kinds[i].text);
    }
    return options->name ? new_unknown(options->name) : nt_cli_finish_output();
}
