/* The drivetrain of a windIO file: what turns with the generator, and the spring and damper by
 * which the rotor turns it.
 *
 *   nacelle --- shaft (motion or torque) --- generator --- torsion (spring, damper) --- hub
 *
 * The generator's inertia about its axis counts with the square of the gear's ratio, as the rotor
 * feels it; its mass is in that of the nacelle. Without a spring it turns with the hub. */
#include "input/import/windio.h"

/* kg m^2, N m/rad and N m s/rad: a thousand times those of the largest turbines. */
static const double MOST_INERTIA = 1e12, MOST_SPRING = 1e15, MOST_RATIO = 1e3;

/* A number above zero, or zero where it may be, at most `most`, where the file has it. */
static nt_status drivetrain_number(nt_windio *w, const nt_node *of, const char *path, bool or_zero,
                                   double most, double *value, bool *found)
{
    nt_status status = nt_windio_optional(w, of, path, value, found);
    if (status == NT_OK && *found && !((*value > 0 || (or_zero && *value == 0)) && *value <= most))
        return nt_node_fail(w->error, nt_windio_find(of, path),
                            "%s of the drivetrain is %g, expected a number above zero%s, at most "
                            "%g",
                            path, *value, or_zero ? " or zero" : "", most);
    return status;
}

nt_status nt_windio_read_drivetrain(nt_windio *w, const nt_node *of, nt_windio_drivetrain *d)
{
    static const char path[] = "generator.elastic_properties.inertia";
    double inertia[6], ratio = 1;
    bool found;
    *d = (nt_windio_drivetrain){0};
    const nt_node *I = of ? nt_windio_find(of, path) : NULL;
    if (!I)
        return NT_OK;
    if (I->kind != NT_NODE_LIST || (I->count != 3 && I->count != 6))
        return nt_node_fail(w->error, I, "the generator's inertia: expected 3 or 6 numbers");
    nt_status status = nt_windio_list(w, I, "inertia", I->count, inertia);
    if (status == NT_OK && !(inertia[0] > 0 && inertia[0] <= MOST_INERTIA))
        return nt_node_fail(w->error, I->values[0],
                            "the generator's inertia about its axis is %g kg m^2, expected a "
                            "number above zero, at most %g",
                            inertia[0], MOST_INERTIA);
    if (status == NT_OK)
        status = drivetrain_number(w, of, "gearbox.gear_ratio", false, MOST_RATIO, &ratio, &found);
    if (status == NT_OK)
        status = drivetrain_number(w, of, "elastic_properties.spring_constant", false, MOST_SPRING,
                                   &d->stiffness, &d->twists);
    if (status == NT_OK && d->twists)
        status = drivetrain_number(w, of, "elastic_properties.damping_coefficient", true,
                                   MOST_SPRING, &d->damping, &found);
    if (status == NT_OK && d->twists && !found)
        fputs("the file gives no damping of the drivetrain's spring: none is written\n", w->notes);
    d->ratio = ratio;
    d->inertia = inertia[0];
    if (status == NT_OK)
        fprintf(w->notes,
                "all of the generator's inertia about its axis, %.6g kg m^2, turns with the "
                "rotor%s\n",
                d->inertia, d->twists ? ", behind the drivetrain's spring and damper" : "");
    return status;
}

const char *nt_windio_turned_by(const nt_windio_drivetrain *d)
{
    return d->twists ? "generator" : "hub";
}

void nt_windio_write_generator(const nt_windio_drivetrain *d, v3 x, const char *turned, FILE *to)
{
    if (d->twists)
        fprintf(to,
                "  generator:\n    mass: 0  # the nacelle has it\n    velocity: [0, 0, 0]\n    "
                "inertia: [0, 0, 0]\n    "
                "position: [%.10g, %.10g, %.10g]\n%s",
                x.x, x.y, x.z, turned);
}

void nt_windio_write_torsion(const nt_windio_drivetrain *d, v3 x, v3 axis, FILE *to)
{
    if (d->twists)
        fprintf(to,
                "  torsion: {type: revolute, between: [generator, hub], at: [%.10g, %.10g, %.10g], "
                "axis: [%.10g, 0, %.10g]}\n",
                x.x, x.y, x.z, axis.x, axis.z);
}

void nt_windio_write_drive_forces(const nt_windio_drivetrain *d, FILE *to)
{
    if (d->inertia > 0)
        fprintf(to,
                "forces:\n  generator_inertia:  # about the shaft, kg m^2 by the square of the "
                "gear's ratio\n    {type: mass, on: %s, matrix: [0, 0, 0, %.10g*%.10g^2, 0, 0]}\n",
                nt_windio_turned_by(d), d->inertia, d->ratio);
    if (d->twists)
        fprintf(to,
                "  shaft_torsion: {type: torsion_spring, joint: torsion, stiffness: %.10g, "
                "damping: %.10g}\n",
                d->stiffness, d->damping);
    fprintf(to,
            "# A generator in place of the motion, with its reaction on the nacelle:\n"
            "%sgenerator: {type: joint_torque, joint: shaft, value: -torque}%s\n",
            d->inertia > 0 ? "#  " : "# forces: {", d->inertia > 0 ? "" : "}");
}
