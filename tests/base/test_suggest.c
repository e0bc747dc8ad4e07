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

/* A word may stand for several: that of them is meant which is known where it stands. */
static void words_are_of_their_place(void **unused)
{
    static const char *const between[] = {"monotone", "spline", "linear", "previous"};
    static const char *const beyond[] = {"hold", "extrapolate", "periodic", "error"};
    static const char *const turned[] = {"axis", "angle", "matrix", "angles", "sequence"};
    static const struct {
        const char *word, *const *known;
        int n;
        const char *meant;
    } cases[] = {
        {"cubic", between, 4, "spline"},   {"pchip", between, 4, "monotone"},
        {"Akima", between, 4, "monotone"}, {"constant", between, 4, "previous"},
        {"constant", beyond, 4, "hold"},   {"clamp", beyond, 4, "hold"},
        {"wrap", beyond, 4, "periodic"},   {"euler", turned, 5, "angles"},
        {"order", turned, 5, "sequence"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found =
            nt_suggest(cases[i].word, (int)strlen(cases[i].word), cases[i].known, cases[i].n);
        if (!found || strcmp(found, cases[i].meant) != 0)
            fail_msg("%s: got %s, expected %s", cases[i].word, found ? found : "nothing",
                     cases[i].meant);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_others_are_known),
        cmocka_unit_test(words_are_of_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
