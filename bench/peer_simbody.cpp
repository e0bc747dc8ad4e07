// Simbody on the mechanisms of this benchmark: Runge-Kutta-Merson of order four, equal steps.
//
//   peer_simbody N STEPS [H]    N links, 0: the heavy top, -1: the slow top; H in s, or 1 ms
//
// Prints seconds and the position at the end.
//
// Ball mobilizers; their speeds are angular velocities of the child in the parent.
#include <Simbody.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace SimTK;

static double seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

static int run(int n, long steps, double h)
{
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Vec3 center = n > 0 ? Vec3(0.125, 0, 0) : n == 0 ? Vec3(0, 1, 0) : Vec3(0, 0, 0.2);
    Real mass = n > 0 ? 0.078125 : n == 0 ? 15 : 100;
    Inertia central = n > 0    ? Inertia(8.138020833e-6, 4.109700521e-4, 4.109700521e-4)
                      : n == 0 ? Inertia(0.234375, 0.46875, 0.234375)
                               : Inertia(1, 1, 1);
    Vec3 down = n > 0 ? Vec3(0, -9.81, 0) : Vec3(0, 0, n == 0 ? -9.81 : -1);
    Force::UniformGravity(forces, matter, down);
    Body::Rigid body(MassProperties(mass, center, central.shiftFromMassCenter(-center, mass)));

    MobilizedBody::Ball first(matter.Ground(), Transform(), body, Transform());
    MobilizedBody::Ball last = first;
    for (int j = 1; j < n; j++)
        last = MobilizedBody::Ball(last, Transform(Vec3(0.25, 0, 0)), body, Transform());

    system.realizeTopology();
    State state = system.getDefaultState();
    Rotation tilt(n < 0 ? 0.05 : 0, XAxis); // of the slow top, about its axis it turns at 5 rad/s
    first.setQToFitRotation(state, tilt);
    first.setU(state, n > 0    ? Vec3(5, 0, 0)
                      : n == 0 ? Vec3(0, 150, -4.61538)
                               : tilt * Vec3(0, 0, 5));
    RungeKuttaMersonIntegrator integrator(system);
    integrator.setFixedStepSize(h);
    integrator.setAccuracy(0.99); // the step is fixed: no step is refused
    integrator.initialize(state);
    double begun = seconds();
    while (integrator.getTime() < h * (double(steps) - 1e-6))
        integrator.stepTo(h * double(steps));
    double spent = seconds() - begun;
    const State &end = integrator.getState();
    system.realize(end, Stage::Position);
    Vec3 tip = last.findStationLocationInGround(end, n > 0    ? Vec3(0.25, 0, 0)
                                                     : n == 0 ? center
                                                              : Vec3(0, 0, 1));
    std::printf("%.9g %.17g %.17g %.17g\n", spent, tip[0], tip[1], tip[2]);
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc >= 3 && argc <= 4 ? std::atoi(argv[1]) : -2;
    long steps = argc >= 3 ? std::atol(argv[2]) : 0;
    double h = argc == 4 ? std::atof(argv[3]) : 1e-3;
    if (n < -1 || steps <= 0 || !(h > 0)) {
        std::fputs("usage: peer_simbody N STEPS [H]\n", stderr);
        return 2;
    }
    try {
        return run(n, steps, h);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "peer_simbody: %s\n", error.what());
        return 1;
    }
}
