#include "fuzz/mutate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t mutate_random(uint64_t *seed, uint64_t n)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

typedef struct text {
    char *at;
    size_t size, room;
    uint64_t seed;
} text;

static size_t any(text *t, size_t n) { return (size_t)mutate_random(&t->seed, n > 0 ? n : 1); }

/* Puts words[length] in place of what stands from `from` to `to`. */
static void replace(text *t, size_t from, size_t to, const char *words, size_t length)
{
    if (t->size - (to - from) + length >= t->room)
        return;
    memmove(t->at + from + length, t->at + to, t->size - to);
    memcpy(t->at + from, words, length);
    t->size += length - (to - from);
}

static size_t header(const text *t)
{
    const char *end = memchr(t->at, '\n', t->size);
    return end ? (size_t)(end - t->at) + 1 : t->size;
}

/* ---- tokens --------------------------------------------------------------------------------- */

typedef struct token {
    size_t from, to;
    bool number;
} token;

enum { TOKENS = 4096 };

static bool begins_number(const text *t, size_t i)
{
    if (isdigit((unsigned char)t->at[i]))
        return true;
    return (t->at[i] == '-' || t->at[i] == '.') && i + 1 < t->size &&
           (isdigit((unsigned char)t->at[i + 1]) || t->at[i + 1] == '.');
}

static bool goes_on(const text *t, size_t i, bool number)
{
    unsigned char c = (unsigned char)t->at[i];
    bool sign = number && (c == '-' || c == '+') && tolower((unsigned char)t->at[i - 1]) == 'e';
    return isalnum(c) || c == '_' || (number && c == '.') || sign;
}

/* Numbers and words behind the first line, but for comments. */
static int find_tokens(const text *t, token *tokens)
{
    int n = 0;
    for (size_t i = header(t); i < t->size && n < TOKENS;) {
        bool number = begins_number(t, i);
        if (t->at[i] == '#')
            while (i < t->size && t->at[i] != '\n')
                i++;
        else if (number || isalpha((unsigned char)t->at[i])) {
            size_t from = i++;
            while (i < t->size && goes_on(t, i, number))
                i++;
            tokens[n++] = (token){from, i, number};
        } else
            i++;
    }
    return n;
}

/* ---- numbers and words ---------------------------------------------------------------------- */

static const char *const numbers[] = {"0",
                                      "1",
                                      "-1",
                                      "0.5",
                                      "2",
                                      "3",
                                      "7",
                                      "1e-3",
                                      "1e3",
                                      "1e-6",
                                      "1e6",
                                      "1e9",
                                      "1e-9",
                                      "1e12",
                                      "1e-12",
                                      "1e16",
                                      "1e30",
                                      "1e-30",
                                      "1e60",
                                      "1e-70",
                                      "1e100",
                                      "1e-100",
                                      "1e150",
                                      "1e300",
                                      "1e-300",
                                      "-0",
                                      "1e999",
                                      "pi",
                                      "-pi",
                                      "t",
                                      "t^2",
                                      "sin(t)",
                                      "-t",
                                      "1/t",
                                      "sqrt(t)",
                                      "nan",
                                      ".inf",
                                      "true",
                                      "0.1",
                                      "-0.1",
                                      "1.5",
                                      "100",
                                      "1000",
                                      "-100",
                                      "1e-5",
                                      "1e5",
                                      "if(t > 0.001, 1, 0)",
                                      "9.81",
                                      "0.9999999999"};

static const char *const words[] = {"ground",
                                    "fixed",
                                    "spherical",
                                    "revolute",
                                    "prismatic",
                                    "cylindrical",
                                    "universal",
                                    "planar",
                                    "inline",
                                    "distance",
                                    "rolling_disk",
                                    "rolling_sphere",
                                    "knife_edge",
                                    "force",
                                    "torque",
                                    "spring",
                                    "torsion_spring",
                                    "bushing",
                                    "joint_torque",
                                    "joint_force",
                                    "sphere_plane",
                                    "sphere_sphere",
                                    "penalty",
                                    "multiplier",
                                    "explicit",
                                    "implicit",
                                    "body",
                                    "inertial",
                                    "mass",
                                    "inertia",
                                    "position",
                                    "velocity",
                                    "angular_velocity",
                                    "orientation",
                                    "fixed_point",
                                    "point",
                                    "center_of_mass",
                                    "true",
                                    "false",
                                    "null",
                                    "between",
                                    "at",
                                    "points",
                                    "axis",
                                    "axes",
                                    "motion",
                                    "friction",
                                    "limits",
                                    "stiffness",
                                    "damping",
                                    "length",
                                    "enforce",
                                    "correct",
                                    "every",
                                    "record",
                                    "energy",
                                    "momentum",
                                    "constraint_drift",
                                    "step_size",
                                    "final",
                                    "integral",
                                    "maximum",
                                    "rms",
                                    "generalized",
                                    "alpha",
                                    "t",
                                    "sin",
                                    "table",
                                    "tolerance",
                                    "options",
                                    "rho_inf",
                                    "x"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void change_number(text *t, const token *k)
{
    char now[64], next[80];
    size_t length = k->to - k->from;
    if (length >= sizeof now)
        return;
    memcpy(now, t->at + k->from, length);
    now[length] = '\0';
    double value = strtod(now, NULL);
    switch (any(t, 6)) {
    case 0:
    case 1:
        snprintf(next, sizeof next, "%s", numbers[any(t, COUNT(numbers))]);
        break;
    case 2: /* a slip of the exponent */
        snprintf(next, sizeof next, "%.17ge%d", value, (int)any(t, 13) - 6);
        if (strchr(next, 'e') != strrchr(next, 'e'))
            snprintf(next, sizeof next, "%.17g", value * 1e3);
        break;
    case 3: /* a little */
        snprintf(next, sizeof next, "%.17g", value * (1 + 1e-3 * (double)any(t, 2001) - 1));
        break;
    case 4:
        snprintf(next, sizeof next, "%.3g", 4e-3 * (double)any(t, 1001) - 2);
        break;
    default:
        snprintf(next, sizeof next, "%.17g", -value);
    }
    replace(t, k->from, k->to, next, strlen(next));
}

static void change_word(text *t, const token *tokens, int n, const token *k)
{
    char next[80];
    const token *other = &tokens[any(t, (size_t)n)];
    size_t length = other->to - other->from;
    if (any(t, 2) && length < sizeof next)
        memcpy(next, t->at + other->from, length);
    else {
        const char *word = words[any(t, COUNT(words))];
        length = strlen(word);
        memcpy(next, word, length);
    }
    replace(t, k->from, k->to, next, length);
}

static void change_token(text *t)
{
    static token tokens[TOKENS];
    int n = find_tokens(t, tokens);
    if (n == 0)
        return;
    bool number = any(t, 4) > 0;
    for (int tries = 0; tries < 20; tries++) {
        const token *k = &tokens[any(t, (size_t)n)];
        if (k->number != number)
            continue;
        if (number)
            change_number(t, k);
        else
            change_word(t, tokens, n, k);
        return;
    }
}

/* ---- lines and pieces ----------------------------------------------------------------------- */

/* Line number k behind the first: from its beginning to behind its end. */
static token line_of(const text *t, size_t k)
{
    token line = {header(t), header(t), false};
    for (; line.to < t->size; k--) {
        line.from = line.to;
        while (line.to < t->size && t->at[line.to++] != '\n')
            ;
        if (k == 0)
            break;
    }
    return line;
}

static size_t count_lines(const text *t)
{
    size_t n = 0;
    for (size_t i = header(t); i < t->size; i++)
        n += t->at[i] == '\n';
    return n;
}

static void change_lines(text *t)
{
    char copy[1024];
    size_t n = count_lines(t);
    token line = line_of(t, any(t, n)), other = line_of(t, any(t, n));
    size_t length = line.to - line.from;
    if (length > sizeof copy)
        return;
    memcpy(copy, t->at + line.from, length);
    switch (any(t, 3)) {
    case 0:
        replace(t, line.from, line.to, "", 0);
        break;
    case 1:
        replace(t, other.from, other.from, copy, length);
        break;
    default:
        replace(t, other.from, other.to, copy, length);
    }
}

/* Takes out, or puts in once more, what stands from a comma to the next one. */
static void change_piece(text *t)
{
    char copy[512];
    size_t from = header(t) + any(t, t->size - header(t)), to;
    while (from < t->size && t->at[from] != ',')
        from++;
    for (to = from + 1; to < t->size && t->at[to] != ',' && t->at[to] != '\n'; to++)
        ;
    if (to >= t->size || to - from > sizeof copy)
        return;
    memcpy(copy, t->at + from, to - from);
    if (any(t, 2))
        replace(t, from, to, "", 0);
    else
        replace(t, to, to, copy, to - from);
}

/* ---- the first line ------------------------------------------------------------------------- */

static const char *const methods[] = {"generalized-alpha",
                                      "generalized-alpha",
                                      "generalized-alpha-linear",
                                      "generalized-alpha-residual",
                                      "generalized-alpha-soi2",
                                      "lie-newmark",
                                      "lie-euler",
                                      "lie-euler-adjoint",
                                      "lie-midpoint",
                                      "simo-wong",
                                      "simo-wong-explicit",
                                      "akw",
                                      "stormer-verlet",
                                      "symplectic-euler",
                                      "lie-newmark-4",
                                      "lie-newmark-6",
                                      "rkmk-dopri5",
                                      "rkmk-dop853",
                                      "semi-explicit",
                                      "theta",
                                      "bdf"};

/* A name of the section `parameters`, or an empty text. */
static void find_parameter(text *t, char *name, size_t room)
{
    static token tokens[TOKENS];
    int n = find_tokens(t, tokens), first = 0;
    name[0] = '\0';
    while (first < n && strncmp(t->at + tokens[first].from, "parameters", 10) != 0)
        first++;
    for (int tries = 0; tries < 20 && first + 1 < n; tries++) {
        size_t left = (size_t)(n - first - 1), k = any(t, left < 12 ? left : 12);
        const token *word = &tokens[first + 1 + (int)k];
        if (word->number || t->at[word->to] != ':' || word->to - word->from >= room)
            continue;
        memcpy(name, t->at + word->from, word->to - word->from);
        name[word->to - word->from] = '\0';
        return;
    }
}

static void change_header(text *t)
{
    static const char *const durations[] = {"1e-3", "5e-3", "0.01", "0.02", "0.05"};
    static const char *const steps[] = {"1e-3", "1e-3", "1e-4", "0.01", "0.1", "2e-3"};
    char line[600], name[80] = "";
    size_t kind = any(t, 20), used;
    bool sens = kind < 5;
    if (sens)
        find_parameter(t, name, sizeof name);
    used = (size_t)snprintf(line, sizeof line, "# nutate %s%s%s%s",
                            sens        ? "sens"
                            : kind < 14 ? "run"
                                        : "check",
                            *name ? " --param " : "", name, kind == 0 ? " --check" : "");
    if (kind < 14 || any(t, 2))
        used += (size_t)snprintf(line + used, sizeof line - used, " --method %s",
                                 methods[any(t, COUNT(methods))]);
    if (kind < 14)
        used += (size_t)snprintf(line + used, sizeof line - used, " --duration %s --step %s",
                                 durations[any(t, COUNT(durations))], steps[any(t, COUNT(steps))]);
    if (kind < 14 && any(t, 5) == 0)
        used += (size_t)snprintf(line + used, sizeof line - used, " --set simulation.tolerance=%s",
                                 any(t, 2) ? "1e-6" : "1e-3");
    if (kind < 14 && any(t, 12) == 0)
        used += (size_t)snprintf(line + used, sizeof line - used, " --solver %s",
                                 any(t, 2) ? "klu" : "dense");
    if (kind < 14 && any(t, 20) == 0)
        used += (size_t)snprintf(line + used, sizeof line - used, " -o %s",
                                 any(t, 2) ? "-" : "result.nc");
    line[used++] = '\n';
    replace(t, 0, header(t), line, used);
}

static bool has_word(const text *t, size_t end, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= end; i++)
        if (memcmp(t->at + i, word, length) == 0)
            return true;
    return false;
}

/* Beams of ten thousand elements are a matter of time, which other tests measure, and dense
 * matrices of a thousand: an execution of this one has ten seconds of a processor, sanitizers
 * included. */
static void bound_elements(text *t)
{
    static const char key[] = "elements: ";
    const char *most = has_word(t, header(t), "--solver dense") ? "20" : "1000";
    size_t length = sizeof key - 1;
    for (size_t i = header(t); i + length < t->size; i++) {
        if (memcmp(t->at + i, key, length) != 0)
            continue;
        char number[64] = "";
        size_t from = i + length, to = from;
        while (to < t->size && to - from + 1 < sizeof number && goes_on(t, to, true))
            to++;
        memcpy(number, t->at + from, to - from);
        if (strtod(number, NULL) > strtod(most, NULL))
            replace(t, from, to, most, strlen(most));
    }
}

size_t mutate_invocation(char *at, size_t size, size_t room, uint64_t seed)
{
    text t = {at, size, room, seed};
    size_t rounds = 1 + any(&t, 3);
    if (size == 0 || at[0] != '#' || any(&t, 2))
        change_header(&t);
    for (size_t i = 0; i < rounds && t.size > header(&t); i++) {
        size_t kind = any(&t, 10);
        if (kind < 8)
            change_token(&t);
        else if (kind == 8)
            change_lines(&t);
        else
            change_piece(&t);
    }
    bound_elements(&t);
    return t.size;
}
