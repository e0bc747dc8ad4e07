/* Words of other programs, and slips of spelling, are answered with the word that is meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/suggest.h"

static const char *const words[] = {
    "fixed",        "spherical",  "revolute",       "prismatic",   "cylindrical", "universal",
    "planar",       "inline",     "distance",       "gear",        "screw",       "force",
    "torque",       "line_force", "rope",           "aerodynamic", "spring",      "torsion_spring",
    "joint_spring", "bushing",    "joint_torque",   "joint_force", "mass",        "inertia",
    "position",     "velocity",   "center_of_mass", "stiffness",   "damping",     "length",
};
enum { WORDS = sizeof words / sizeof *words };

static void words_of_others_are_known(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"hinge", "revolute"},
        {"RevoluteJoint", "revolute"},
        {"joint_revolute", "revolute"},
        {"ObjectJointSpherical", "spherical"},
        {"SliderJoint", "prismatic"},
        {"Ball-Socket", "spherical"},
        {"u_joint", "universal"},
        {"weld_constraint", "fixed"},
        {"damper", "spring"},
        {"dashpot", "spring"},
        {"SpringDamper", "spring"},
        {"ObjectConnectorSpringDamper", "spring"},
        {"TorsionalSpringDamper", "torsion_spring"},
        {"LoadForceVector", "force"},
        {"LoadTorqueVector", "torque"},
        {"physicsMass", "mass"},
        {"referencePosition", "position"},
        {"initialVelocity", "velocity"},
        {"r_CM", "center_of_mass"},
        {"s_rel0", "length"},
        /* slips of spelling, whose word is not behind such words alone */
        {"revolut", "revolute"},
        {"joint_sprin", "joint_spring"},
        {"joint_torqe", "joint_torque"},
        {"bushin", "bushing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = nt_suggest(cases[i][0], (int)strlen(cases[i][0]), words, WORDS);
        if (!found || strcmp(found, cases[i][1]) != 0)
            fail_msg("%s: got %s, expected %s", cases[i][0], found ? found : "nothing",
                     cases[i][1]);
    }
    static const char *const strange[] = {"joint", "object", "flubber", "_", "-", "connector"};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        assert_null(nt_suggest(strange[i], (int)strlen(strange[i]), words, WORDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_others_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
