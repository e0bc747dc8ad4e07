#include "input/import/import.h"

#include "base/error.h"
#include "base/memstream.h"
#include "linalg/dense.h"
#include "model/beams/beam.h"

#include <math.h>
#include <nutate/model.h>
#include <stdlib.h>
#include <string.h>

void nt_imported_blade_free(nt_imported_blade *blade)
{
    free(blade->points);
    free(blade->twist);
    free(blade->sections);
    *blade = (nt_imported_blade){0};
}

/* ---- sections ----------------------------------------------------------------------------------
 */

void nt_import_turn_axes(const double from[36], double to[36])
{
    static const int of[6] = {2, 0, 1, 5, 3, 4};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            to[6 * i + j] = from[6 * of[i] + of[j]];
}

/* The mean of both halves; how far they are apart, of the largest entry. */
static double symmetrise(double *X)
{
    double largest = 0, off = 0;
    for (int i = 0; i < 36; i++)
        largest = fmax(largest, fabs(X[i]));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            off = fmax(off, fabs(X[6 * i + j] - X[6 * j + i]));
            X[6 * i + j] = X[6 * j + i] = (X[6 * i + j] + X[6 * j + i]) / 2;
        }
    return largest > 0 ? off / largest : 0;
}

double nt_import_length(double (*points)[3], int n)
{
    double length = 0;
    for (int i = 1; i < n; i++)
        length += v3_norm(v3_sub(v3_load(points[i]), v3_load(points[i - 1])));
    return length;
}

/* Why a section of a line of this length is none; NULL where it is one. */
static const char *fault_of(const nt_imported_section *s, double length)
{
    if (!nt_dense_is_positive6(s->stiffness))
        return "the stiffness matrix is not positive definite (a centre outside, or a number that "
               "is wrong)";
    if (!nt_dense_is_positive6(s->mass))
        return "the mass matrix is not positive definite (a centre outside, or a number that is "
               "wrong)";
    nt_beam_section as = {.given = 1u << NT_SECTION_STIFFNESS | 1u << NT_SECTION_MASS};
    memcpy(as.stiffness, s->stiffness, sizeof as.stiffness);
    memcpy(as.mass, s->mass, sizeof as.mass);
    return nt_section_fault(&as, length);
}

/* "FILE:LINE:COLUMN: station 0.5", or the station alone where its place is not known. */
static void name_station(const nt_imported_blade *blade, const nt_imported_section *s,
                         char name[NT_IMPORT_FAULT])
{
    int used = 0;
    name[0] = '\0';
    if (blade->file && s->line > 0)
        used = snprintf(name, NT_IMPORT_FAULT - 40, "%s:%d:%d: ", blade->file, s->line, s->column);
    used = used < NT_IMPORT_FAULT - 40 ? used : 0; /* a path that is too long is left out */
    snprintf(name + used, (size_t)(NT_IMPORT_FAULT - used), "station %g", s->at);
}

int nt_import_check_sections(nt_imported_blade *blade, double length, FILE *notes,
                             nt_import_fault *first)
{
    int kept = 0, given = blade->n_sections;
    *first = (nt_import_fault){.words = ""};
    for (int i = 0; i < blade->n_sections; i++) {
        nt_imported_section s = blade->sections[i];
        char name[NT_IMPORT_FAULT];
        name_station(blade, &s, name);
        double off[2] = {symmetrise(s.stiffness), symmetrise(s.mass)};
        for (int k = 0; k < 2; k++)
            if (off[k] > 1e-6)
                fprintf(notes,
                        "%s: the %s matrix is not symmetric by %.1e of its largest "
                        "entry; the mean of both halves is taken\n",
                        name, k == 0 ? "stiffness" : "mass", off[k]);
        const char *fault = fault_of(&s, length);
        if (!fault)
            blade->sections[kept++] = s;
        else
            fprintf(notes, "%s: %s; the station is left out\n", name, fault);
        if (fault && !first->words[0]) {
            snprintf(first->words, NT_IMPORT_FAULT, "station %g: %s", s.at, fault);
            first->line = s.line, first->column = s.column;
        }
        const double *M = s.mass;
        if (!fault && fabs(M[21] - M[28] - M[35]) > 0.01 * M[21])
            fprintf(notes,
                    "%s: the moment of inertia about the line is %.6g kg m, those across "
                    "it are %.6g and %.6g, whose sum it is of a section: taken as they are given\n",
                    name, M[21], M[28], M[35]);
    }
    const nt_imported_section *s = blade->sections;
    if (kept > 0 && given > 1 && (s[0].at > 0 || s[kept - 1].at < 1))
        fprintf(notes,
                "sections are given from station %g to %g: the line has the first one before and "
                "the last one behind\n",
                s[0].at, s[kept - 1].at);
    return blade->n_sections = kept;
}

/* ---- text --------------------------------------------------------------------------------------
 */

static void write_upper(FILE *to, const char *key, const double *X)
{
    fprintf(to, "%s: [", key);
    for (int i = 0; i < 6; i++) {
        fprintf(to, "%s[", i > 0 ? ", " : "");
        for (int j = 0; j < 6; j++)
            fprintf(to, "%s%.10g", j > 0 ? ", " : "", X[6 * i + j]);
        fputs("]", to);
    }
    fputs("]", to);
}

static v3 to_ground(const nt_imported_place *p, const double x[3])
{
    return v3_add(p->root, v3_add(v3_scale(x[0], p->x), v3_axpy(x[1], p->y, v3_scale(x[2], p->z))));
}

static double rounded(double x) { return fabs(x) < 1e-12 ? 0 : x; }

static void write_vector(FILE *to, v3 x)
{
    fprintf(to, "[%.10g, %.10g, %.10g]", rounded(x.x), rounded(x.y), rounded(x.z));
}

/* speed times a vector: an expression each. */
static void write_rates(FILE *to, const char *key, const char *speed, v3 x)
{
    const double of[3] = {x.x, x.y, x.z};
    fprintf(to, "    %s: [", key);
    for (int i = 0; i < 3; i++)
        if (rounded(of[i]) == 0)
            fprintf(to, "%s0", i > 0 ? ", " : "");
        else
            fprintf(to, "%s%s*(%.12g)", i > 0 ? ", " : "", speed, of[i]);
    fputs("]\n", to);
}

void nt_import_write_sections(FILE *to, const nt_imported_blade *b)
{
    for (int i = 0; i < b->n_sections; i++) {
        const nt_imported_section *s = &b->sections[i];
        fprintf(to, "      - at: %.10g\n        ", s->at);
        write_upper(to, "stiffness", s->stiffness);
        fputs("\n        ", to);
        write_upper(to, "mass", s->mass);
        fputs("\n", to);
    }
}

void nt_import_write_blade(FILE *to, const char *name, const nt_imported_blade *b,
                           const nt_imported_place *p, const char *anchor, bool again)
{
    bool damped = false;
    int order = b->n_sections < 12 ? 5 : 2; /* few stations make few elements */
    fprintf(to, "  %s:\n    line: spline\n    order: %d\n    normal: ", name, order);
    write_vector(to, p->x);
    fputs("\n", to);
    for (int i = 0; i < 6; i++)
        damped |= b->damping[i] > 0;
    if (damped)
        fprintf(to, "    damping: [%.10g, %.10g, %.10g, %.10g, %.10g, %.10g]\n", b->damping[0],
                b->damping[1], b->damping[2], b->damping[3], b->damping[4], b->damping[5]);
    if (p->speed) {
        write_rates(to, "angular_velocity", p->speed, p->axis);
        write_rates(to, "velocity", p->speed,
                    v3_cross(p->axis, v3_sub(to_ground(p, b->points[0]), p->through)));
    }
    fputs("    points:\n", to);
    for (int i = 0; i < b->n_points; i++) {
        fputs("      - ", to);
        write_vector(to, to_ground(p, b->points[i]));
        fputs("\n", to);
    }
    if (again) {
        fprintf(to, "    twist: *%s_twist\n    sections: *%s\n", anchor, anchor);
        return;
    }
    fprintf(to, "    twist: &%s_twist\n", anchor);
    for (int i = 0; i < b->n_twist; i++)
        fprintf(to, "      - [%.10g, %.10g]\n", b->twist[i][0], rounded(b->twist[i][1]));
    fprintf(to, "    sections: &%s\n", anchor);
    nt_import_write_sections(to, b);
}

/* ---- the door ----------------------------------------------------------------------------------
 */

nt_status nt_model_import(const char *format, const char *path, const char *part, char **text,
                          char **notes, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "text notes", text, notes);
    *text = *notes = NULL;
    NT_NEED(error, "format path", format, path);
    bool windio = strcmp(format, "windio") == 0;
    if (!windio && strcmp(format, "beamdyn") != 0)
        return nt_fail(error, NT_INVALID, "there is no format '%s', expected windio or beamdyn",
                       format);
    size_t length, notes_length;
    char *model = NULL, *words = NULL;
    FILE *to = open_memstream(&model, &length), *said = open_memstream(&words, &notes_length);
    nt_status status = to && said ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        status = (windio ? nt_import_windio : nt_import_beamdyn)(path, part, to, said, error);
    bool whole = !to || nt_memstream_end(to, &model);
    whole = (!said || nt_memstream_end(said, &words)) && whole;
    if (status == NT_OK && !whole)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status != NT_OK) {
        free(model);
        free(words);
        return nt_said(error, status);
    }
    *text = model, *notes = words;
    return NT_OK;
}
