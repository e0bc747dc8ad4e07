/* Sizes of deep groove and angular contact ball bearings.
 *
 * Bore, outside diameter and width are ISO 15. What is inside is no standard. Where it was
 * published the source stands beside it. Where it was not, balls of standard inch sizes on (or
 * near) the mean of bore and outside diameter are assumed, whose basic load rating by ISO 281, C
 * = 1.3 f_c Z^(2/3) D^1.8, is within 1.5 % of that in catalogues: credible, not certain. Grooves of
 * 0.52 of the ball's diameter are an assumption where none are given.
 *
 * Clearance: the mean of the class of ISO 5753-1 for the bore. */
#include "model/bearings/sizes.h"

#include <stdio.h>
#include <string.h>

static const char standard[] = "balls of standard size that give the catalogue's load rating";

/* clang-format off */
static const nt_bearing_size sizes[] = {
    {"608",   8, 22,  7,  7,  3.969, 15.0,  0, true,  standard, 0},
    {"6203", 17, 40, 12,  8,  6.746, 28.5,  0, false, "test rigs of Case Western Reserve and Paderborn universities", 0},
    {"6204", 20, 47, 14,  8,  7.938, 33.5,  0, true,  standard, 0},
    {"6205", 25, 52, 15,  9,  7.940, 39.04, 0, false, "test rig of Case Western Reserve University", 0},
    {"6206", 30, 62, 16,  9,  9.525, 46.0,  0, true,  standard, 0},
    {"6207", 35, 72, 17,  9, 11.112, 53.5,  0, true,  standard, 0},
    {"6209", 45, 85, 19,  9, 12.700, 65.0,  0, false, "the bearing 209 of Harris and of Hamrock", 0},
    {"6210", 50, 90, 20, 10, 12.700, 70.0,  0, true,  standard, 0},
    {"6305", 25, 62, 17,  7, 11.509, 43.5,  0, true,  standard, 0},
    {"6306", 30, 72, 19,  8, 12.303, 51.0,  0, true,  standard, 0},
    {"6308", 40, 90, 23,  8, 15.081, 65.0,  0, true,  standard, 0},
    {"6010", 50, 80, 16, 14,  8.73,  65.0,  0, false, "measured", 0},
    {"218",  90, 160, 30, 16, 22.225, 125.26, 40, false, "the angular contact bearing 218 of Harris", 0.5232},
};
/* clang-format on */
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- clearance ------------------------------------------------------------------------------- */

enum { C2, CN, C3, C4, CLASSES };
static const char *const classes[CLASSES] = {"C2", "CN", "C3", "C4"};

/* um, lowest and highest, for bores up to so many mm. */
static const struct {
    double bore;
    double range[CLASSES][2];
} clearances[] = {
    {10, {{0, 7}, {2, 13}, {8, 23}, {14, 29}}},     {18, {{0, 9}, {3, 18}, {11, 25}, {18, 33}}},
    {24, {{0, 10}, {5, 20}, {13, 28}, {20, 36}}},   {30, {{1, 11}, {5, 20}, {13, 28}, {23, 41}}},
    {40, {{1, 11}, {6, 20}, {15, 33}, {28, 46}}},   {50, {{1, 11}, {6, 23}, {18, 36}, {30, 51}}},
    {65, {{1, 15}, {8, 28}, {23, 43}, {38, 61}}},   {80, {{1, 15}, {10, 30}, {25, 51}, {46, 71}}},
    {100, {{1, 18}, {12, 36}, {30, 58}, {53, 84}}},
};

static double mean_clearance(double bore, int class_)
{
    size_t i = 0;
    while (clearances[i].bore < bore)
        i++;
    return 0.5e-6 * (clearances[i].range[class_][0] + clearances[i].range[class_][1]);
}

/* ---- designations ---------------------------------------------------------------------------- */

/* Families that are no single row of balls between two rings. */
static const struct {
    const char *begin;
    int length; /* of the digits and letters; 0: any */
    const char *what;
} others[] = {
    {"N", 0, "a cylindrical roller bearing"},
    {"RN", 0, "a cylindrical roller bearing"},
    {"HK", 0, "a needle roller bearing"},
    {"NA", 0, "a needle roller bearing"},
    {"30", 5, "a tapered roller bearing"},
    {"31", 5, "a tapered roller bearing"},
    {"32", 5, "a tapered roller bearing"},
    {"33", 5, "a tapered roller bearing"},
    {"21", 5, "a spherical roller bearing"},
    {"22", 5, "a spherical roller bearing"},
    {"23", 5, "a spherical roller bearing"},
    {"24", 5, "a spherical roller bearing"},
    {"29", 5, "a spherical roller thrust bearing"},
    {"81", 5, "a roller thrust bearing"},
    {"51", 5, "a thrust ball bearing"},
    {"52", 5, "a thrust ball bearing"},
    {"53", 5, "a thrust ball bearing"},
    {"12", 4, "a self-aligning ball bearing of two rows"},
    {"13", 4, "a self-aligning ball bearing of two rows"},
    {"22", 4, "a self-aligning ball bearing of two rows"},
    {"23", 4, "a self-aligning ball bearing of two rows"},
    {"32", 4, "an angular contact bearing of two rows"},
    {"33", 4, "an angular contact bearing of two rows"},
    {"42", 4, "a deep groove bearing of two rows"},
    {"43", 4, "a deep groove bearing of two rows"},
    {"Q", 0, "a four-point contact bearing"},
};

static const char *other_family(const char *text, int length)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(text, others[i].begin, strlen(others[i].begin)) == 0 &&
            (others[i].length == 0 || others[i].length == length))
            return others[i].what;
    return NULL;
}

static void list_known(char *why, size_t size, const char *text)
{
    size_t used =
        (size_t)snprintf(why, size, "no sizes are known of '%.20s'; expected one of", text);
    for (int i = 0; i < SIZES && used < size; i++)
        used += (size_t)snprintf(why + used, size - used, " %s", sizes[i].designation);
    if (used < size)
        snprintf(why + used, size - used, ", or balls, ball_diameter and pitch_diameter");
}

const nt_bearing_size *nt_bearing_size_find(const char *text, double *clearance, char *why,
                                            size_t size)
{
    size_t length = strcspn(text, " /-");
    const char *suffix = text + length + strspn(text + length, " /-");
    const nt_bearing_size *found = NULL;
    for (int i = 0; i < SIZES; i++)
        if (strlen(sizes[i].designation) == length &&
            strncmp(text, sizes[i].designation, length) == 0)
            found = &sizes[i];
    const char *other = found ? NULL : other_family(text, (int)length);
    if (other) {
        snprintf(why, size,
                 "'%.20s' is %s; expected one row of balls, deep groove or angular contact", text,
                 other);
        return NULL;
    }
    if (!found) {
        list_known(why, size, text);
        return NULL;
    }
    int class_ = CN;
    bool known = !*suffix;
    for (int i = 0; i < CLASSES; i++)
        if (strcmp(suffix, classes[i]) == 0)
            class_ = i, known = true;
    if (!known) {
        snprintf(
            why, size,
            "'%.20s' has the suffix '%.20s', which is not known; expected none, C2, CN, C3 or C4 "
            "(cages, seals and other clearances have keys of their own or no effect)",
            text, suffix);
        return NULL;
    }
    *clearance = mean_clearance(found->bore, class_);
    return found;
}
