/* Types that other programs have and that are made of something else here: what to write instead.
 *
 * Words that have one counterpart stand in base/synonyms.c. */
#include "input/foreign_types.h"

#include "base/suggest.h"

#include <stddef.h>
#include <string.h>

static const char choose[] = "a joint is named by what it leaves free; what several joints between "
                             "the same bodies hold adds "
                             "up";
static const char leave_out[] = "a body is free as long as no joint holds it: leave the joint out";
static const char in_a_row[] =
    "write prismatic joints in a row, with bodies of `mass: 0` between them";
static const char not_there[] = "there is none, but what a plugin brings";
static const char tyre[] =
    "there is no tyre but what a plugin brings; rolling_disk rolls without slip";
static const char controller[] = "write a joint_torque or joint_force whose value is the law, such "
                                 "as \"k*(goal - JOINT.angle) - "
                                 "d*JOINT.rate\", or a pid among the `blocks`";
static const char field[] = "weight is `gravity: [x, y, z]` at the top of the file";
static const char both[] = "write a force and a torque, each under a name of its own";
static const char friction[] = "`friction` is a key of joints and of contacts";
static const char stops[] = "`limits` is a key of springs and of joints";
static const char touch[] = "what touches stands under `contacts`, with types such as sphere_plane";

static const struct {
    const char *section, *words[8], *advice;
} foreign_types[] = {
    {"joints", {"generic", "joint", "constraint", "equality", "compound"}, choose},
    {"joints",
     {"free", "freemotion", "freemotionscalarinit", "6dof", "sixdof", "floating"},
     leave_out},
    {"joints",
     {"gimbal"},
     "write three revolute joints in a row, with bodies of `mass: 0` between them, or spherical, "
     "which leaves the same free"},
    {"joints", {"rectangular", "cartesian", "prismatic2d", "orientation"}, in_a_row},
    {"joints",
     {"bearing"},
     "inline leaves a point free along a line and all turns; ball bearings stand under `bearings`"},
    {"joints", {"pinslot"}, "write two joints between the same bodies, inline and parallel"},
    {"joints",
     {"constantvelocity", "convel", "cv", "rzeppa"},
     "write two universal joints with a short shaft between them"},
    {"joints",
     {"rackpin", "rackandpinion", "rackpinion", "belt", "beltcable", "chain"},
     "gear joins two angles and screw an angle with a displacement of the same joint; a rack is "
     "not "
     "there: a type of a plugin may bring it, with --plugin"},
    {"joints",
     {"pointcurve", "ptcv", "cvcv", "curvecurve", "pointoncurve", "cam", "camfollower"},
     not_there},
    {"joints",
     {"sliding", "sliding2d", "alemoving", "alemoving2d", "alesliding", "track"},
     not_there},
    {"joints",
     {"perpendicular", "angle", "angleconstraint", "universalspherical", "knuckle"},
     not_there},
    {"joints",
     {"motion", "driver", "positionactuator", "coordinate"},
     "`motion` is a key of revolute, prismatic and parallel joints"},
    {"joints", {"wheel", "tire", "tyre"}, tyre},
    {"joints", {"rollingwheelset", "wheelset"}, "write two rolling_disk joints"},
    {"joints",
     {"motor", "actuator"},
     "a motor is a joint_torque or joint_force under `forces`, or the `motion` of a joint"},
    {"joints", {"contact"}, touch},
    {"forces", {"gravity", "gravitationalfield", "massproportional", "uniformgravity"}, field},
    {"forces", {"friction", "jointfriction", "frictiontorque"}, friction},
    {"forces", {"bumpstop", "bumper", "stop", "endstop", "hardstop", "elastogap"}, stops},
    {"forces", {"contact", "contactforce", "spatialcontactforce", "spatialcontact"}, touch},
    {"forces", {"beam", "flexiblebeam"}, "elastic lines stand under `beams`"},
    {"forces",
     {"position", "velocity", "intvelocity", "general", "servo", "controller", "pd", "pid"},
     controller},
    {"forces", {"tire", "tyre", "wheel"}, tyre},
    {"forces",
     {"jointdamper", "damperjoint"},
     "write a torsion_spring about the joint's axis, or a joint_spring along it, with `damping` "
     "alone"},
    {"forces",
     {"worldforceandtorque", "forceandtorque", "externalforceandtorque", "wrench", "forcetorque",
      "worldwrench"},
     both},
    {"forces",
     {"springdamperseries", "seriesspringdamper"},
     "a spring and a damper in series are a line_force and a state, or two springs with a body of "
     "`point: true` between them"},
    {"forces",
     {"hydraulic", "hydraulicactuator", "hydraulicactuatorsimple", "pneumatic", "muscle"},
     "write its pressure or activation as `states`, and its force as a line_force or joint_force"},
    {"forces",
     {"buoyancy", "fluid", "magnetic", "pressure", "adhesion", "user", "python"},
     "write a force whose value is an expression, or a type of a plugin"},
};
enum { FOREIGN_TYPES = sizeof foreign_types / sizeof foreign_types[0] };

const char *nt_foreign_type(const char *section, const char *word, int length)
{
    enum { WORDS = sizeof foreign_types[0].words / sizeof foreign_types[0].words[0] };
    for (int i = 0; i < FOREIGN_TYPES; i++)
        for (int k = 0; k < WORDS && foreign_types[i].words[k]; k++)
            if (strcmp(foreign_types[i].section, section) == 0 &&
                nt_suggest_is(word, length, foreign_types[i].words[k]))
                return foreign_types[i].advice;
    return NULL;
}
