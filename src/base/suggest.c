#include "base/suggest.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 63 };

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
static int suggest_least(int a, int b) { return a < b ? a : b; }

/* Rows of the table of distances between prefixes; a swap looks two rows back. */
int nt_edit_distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][LONGEST + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    if (a_length > LONGEST || b_length > LONGEST)
        return a_length > b_length ? a_length : b_length;
    for (int j = 0; j <= b_length; j++)
        above[j] = j;
    for (int i = 1; i <= a_length; i++) {
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int differ = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = suggest_least(above[j - 1] + differ, suggest_least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = suggest_least(row[j], before[j - 2] + 1);
        }
        int *free_row = before;
        before = above, above = row, row = free_row;
    }
    return above[b_length];
}

/* What other programs and languages call what has another name here. A word may stand for several:
 * that of them is meant which is known where it stands. */
static const char *const suggest_synonyms[][2] = {
    {"hinge", "revolute"},
    {"pin", "revolute"},
    {"pivot", "revolute"},
    {"rotational", "revolute"},
    {"slider", "prismatic"},
    {"translational", "prismatic"},
    {"slide", "prismatic"},
    {"ball", "spherical"},
    {"weld", "fixed"},
    {"rigid", "fixed"},
    {"clamp", "fixed"},
    {"cardan", "universal"},
    {"hooke", "universal"},
    {"rod", "distance"},
    {"link", "distance"},
    {"plane", "planar"},
    {"inplane", "planar"},
    {"rotary", "revolute"},
    {"turning", "revolute"},
    {"rotation", "revolute"},
    {"translation", "prismatic"},
    {"sliding", "prismatic"},
    {"slot", "inline"},
    {"cylinder", "cylindrical"},
    {"ball_socket", "spherical"},
    {"point2point", "spherical"},
    {"connect", "spherical"},
    {"u", "universal"},
    {"rack_pinion", "gear"},
    {"coupler", "gear"},
    {"damper", "spring"},
    {"dashpot", "spring"},
    {"shock_absorber", "spring"},
    {"rotational_damper", "torsion_spring"},
    {"torsional_damper", "torsion_spring"},
    {"torsional_spring", "torsion_spring"},
    {"torsional_spring_damper", "torsion_spring"},
    {"translational_spring", "joint_spring"},
    {"linear_actuator", "joint_force"},
    {"coordinate_spring_damper", "joint_spring"},
    {"vforce", "force"},
    {"vtorque", "torque"},
    {"force_vector", "force"},
    {"torque_vector", "torque"},
    {"wind", "aerodynamic"},
    {"drag", "aerodynamic"},
    {"tsda", "spring"},
    {"spring_damper", "spring"},
    {"sforce", "line_force"},
    {"rsda", "torsion_spring"},
    {"rotational_spring", "torsion_spring"},
    {"motor", "joint_torque"},
    {"actuator", "joint_torque"},
    {"vector_force", "force"},
    {"cable", "rope"},
    {"tendon", "rope"},
    {"pulley", "rope"},
    {"gforce", "force"},
    {"free_length", "length"},
    {"springlength", "length"},
    {"s_unstretched", "length"},
    {"s_rel0", "length"},
    {"springref", "angle"},
    {"phi_rel0", "angle"},
    {"physics_mass", "mass"},
    {"physics_inertia", "inertia"},
    {"diaginertia", "inertia"},
    {"fullinertia", "inertia"},
    {"physics_center_of_mass", "center_of_mass"},
    {"r_cm", "center_of_mass"},
    {"reference_position", "position"},
    {"initial_velocity", "velocity"},
    {"initial_velocities", "velocity"},
    {"initial_angular_velocity", "angular_velocity"},
    {"marker_numbers", "between"},
    {"body_numbers", "between"},
    {"active_connector", "active"},
    {"spring_coefficient", "stiffness"},
    {"frictionloss", "friction"},
    {"quat", "orientation"},
    {"quat", "quaternion"},
    {"rpy", "angles"},
    {"end_time", "duration"},
    {"number_of_steps", "step"},
    {"rest_length", "length"},
    {"natural_length", "length"},
    {"unstretched_length", "length"},
    {"l0", "length"},
    {"equilibrium_length", "length"},
    {"reference_length", "length"},
    {"free_angle", "angle"},
    {"rest_angle", "angle"},
    {"speed", "velocity"},
    {"speed", "rate"},
    {"speed", "angular_velocity"},
    {"omega", "angular_velocity"},
    {"omega", "rate"},
    {"angular_velocity", "rate"},
    {"angular_velocity", "relative_angular_velocity"},
    {"quaternion", "orientation"},
    {"rotation_matrix", "orientation"},
    {"rotation", "orientation"},
    {"roll", "euler_zyx"},
    {"pitch", "euler_zyx"},
    {"yaw", "euler_zyx"},
    {"vx", "velocity"},
    {"vy", "velocity"},
    {"vz", "velocity"},
    {"q", "quaternion"},
    {"q", "angle"},
    {"q", "displacement"},
    {"qd", "rate"},
    {"theta", "angle"},
    {"phi", "angle"},
    {"penetration", "indentation"},
    {"indentation_rate", "rate"},
    {"location", "position"},
    {"pos", "position"},
    {"vel", "velocity"},
    {"acc", "acceleration"},
    {"rot", "orientation"},
    {"attitude", "orientation"},
    {"euler", "orientation"},
    {"euler_angles", "angles"},
    {"com", "center_of_mass"},
    {"cog", "center_of_mass"},
    {"centre_of_mass", "center_of_mass"},
    {"cm", "center_of_mass"},
    {"moment_of_inertia", "inertia"},
    {"inertia_tensor", "inertia"},
    {"k", "stiffness"},
    {"rate", "stiffness"},
    {"spring_rate", "stiffness"},
    {"c", "damping"},
    {"d", "damping"},
    {"spring_constant", "stiffness"},
    {"damping_coefficient", "damping"},
    {"viscosity", "damping"},
    {"bump_stop", "limits"},
    {"bump_stops", "limits"},
    {"stops", "limits"},
    {"range", "limits"},
    {"speed", "motion"},
    {"driver", "motion"},
    {"actuation", "motion"},
    {"law", "value"},
    {"expression", "value"},
    {"function", "value"},
    {"bodyA", "between"},
    {"parent", "between"},
    {"link_between", "between"},
    {"elongation", "length"},
    {"force", "tension"},
    {"torque", "moment"},
    {"angle_rate", "rate"},
    {"dt", "step"},
    {"timestep", "step"},
    {"time_step", "step"},
    {"step_size", "step"},
    {"tend", "duration"},
    {"t_end", "duration"},
    {"stop_time", "duration"},
    {"end", "duration"},
    {"integrator", "method"},
    {"solver", "method"},
    {"tol", "tolerance"},
    {"rtol", "tolerance"},
    {"variables", "parameters"},
    {"constants", "parameters"},
    {"links", "bodies"},
    {"parts", "bodies"},
    {"constraints", "joints"},
    {"loads", "forces"},
    {"sensors", "output"},
    {"rk4", "rkmk-dopri5"},
    {"rk45", "rkmk-dopri5"},
    {"ode45", "rkmk-dopri5"},
    {"dopri5", "rkmk-dopri5"},
    {"ode113", "rkmk-dop853"},
    {"dop853", "rkmk-dop853"},
    {"rkf45", "rkmk-dopri5"},
    {"ode23", "rkmk-dopri5"},
    {"ode15s", "bdf"},
    {"ode23t", "bdf"},
    {"ode23tb", "bdf"},
    {"ode23s", "bdf"},
    {"ode15i", "bdf"},
    {"lsoda", "bdf"},
    {"radau", "bdf"},
    {"wstiff", "bdf"},
    {"implicitfast", "generalized-alpha"},
    {"gstiff", "bdf"},
    {"dassl", "bdf"},
    {"ida", "bdf"},
    {"cvode", "bdf"},
    {"hht", "generalized-alpha"},
    {"newmark", "generalized-alpha"},
    {"verlet", "stormer-verlet"},
    {"leapfrog", "stormer-verlet"},
    {"euler", "symplectic-euler"},
    {"ln", "log"},
    {"lg", "log10"},
    {"arctan2", "atan2"},
    {"arctan", "atan"},
    {"arcsin", "asin"},
    {"arccos", "acos"},
    {"power", "pow"},
    {"fabs", "abs"},
    {"fmod", "mod"},
    {"rem", "mod"},
    {"ceiling", "ceil"},
    {"int", "floor"},
    {"trunc", "floor"},
    {"square", "pow"},
    {"ramp", "max"},
    {"smoothstep", "step"},
    {"haversin", "step"},
    {"havsin", "step"},
    {"saturate", "clamp"},
    {"limit", "clamp"},
    {"clip", "clamp"},
    {"radians", "deg"},
    {"deg2rad", "deg"},
    {"dtor", "deg"},
    {"degree", "deg"},
    {"inner", "dot"},
    {"angle", "angle_between"},
    {"sgn", "sign"},
    {"step5", "step"},
    {"ifelse", "if"},
    {"where", "if"},
    {"spline", "table"},
    {"lookup", "table"},
    {"interp", "table"},
    {"cubspl", "table"},
    {"akispl", "table"},
    {"degrees", "deg"},
    {"length", "norm"},
    {"magnitude", "norm"},
    {"mag", "norm"},
    {"time", "t"},
    {"PI", "pi"},
};

/* Words that other programs put before or behind the name of what it is. */
static const char *const suggest_before[] = {"object", "connector", "joint", "load", "simulation"};
static const char *const suggest_behind[] = {"joint", "constraint", "connector", "object"};

/* A word without case, _ and -, and without such words around it: "ObjectJointRevolute" and
 * "revolute_joint" are "revolute". bare[LONGEST + 1] */
static void suggest_bare(const char *word, int length, char *bare)
{
    int n = 0;
    for (int i = 0; i < length && n < LONGEST; i++)
        if (word[i] != '_' && word[i] != '-' && word[i] != ' ')
            bare[n++] = (char)lower(word[i]);
    bare[n] = '\0';
    for (size_t i = 0; i < sizeof suggest_before / sizeof suggest_before[0]; i++) {
        int size = (int)strlen(suggest_before[i]);
        if (n > size && memcmp(bare, suggest_before[i], (size_t)size) == 0)
            memmove(bare, bare + size, (size_t)(n -= size) + 1);
    }
    for (size_t i = 0; i < sizeof suggest_behind / sizeof suggest_behind[0]; i++) {
        int size = (int)strlen(suggest_behind[i]);
        if (n > size && memcmp(bare + n - size, suggest_behind[i], (size_t)size) == 0)
            bare[n -= size] = '\0';
    }
}

static bool suggest_is_bare(const char *bare, const char *word)
{
    char other[LONGEST + 1];
    suggest_bare(word, (int)strlen(word), other);
    return strcmp(bare, other) == 0;
}

static bool suggest_means(const nt_suggestion *search, const char *candidate)
{
    char bare[LONGEST + 1];
    suggest_bare(search->word, search->length, bare);
    for (size_t i = 0; i < sizeof suggest_synonyms / sizeof suggest_synonyms[0]; i++)
        if (strcmp(suggest_synonyms[i][1], candidate) == 0 &&
            suggest_is_bare(bare, suggest_synonyms[i][0]))
            return true;
    bool decorated = (int)strlen(bare) != search->length;
    return decorated && suggest_is_bare(bare, candidate);
}

void nt_suggest_start(nt_suggestion *search, const char *word, int length)
{
    int allowed = length < 6 ? 1 : length / 3;
    *search = (nt_suggestion){.word = word, .length = length, .distance = allowed + 1};
}

void nt_suggest_offer(nt_suggestion *search, const char *candidate)
{
    size_t length = strlen(candidate);
    if (length > LONGEST)
        return;
    int distance = nt_edit_distance(search->word, search->length, candidate, (int)length);
    if (search->distance > -1 && suggest_means(search, candidate)) {
        search->distance = -1; /* nearer than any spelling */
        search->best = candidate;
        return;
    }
    if (distance < search->distance && distance < (int)length) {
        search->distance = distance;
        search->best = candidate;
    }
}

const char *nt_suggest(const char *word, int length, const char *const *candidates, int n)
{
    nt_suggestion search;
    if (!word || !candidates || length < 0)
        return NULL;
    nt_suggest_start(&search, word, length);
    for (int i = 0; i < n; i++)
        nt_suggest_offer(&search, candidates[i]);
    return search.best;
}
