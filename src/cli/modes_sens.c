/* nutate modes --param: derivatives of eigenvalues and shapes, and their check by whole
 * computations.
 */
#include "cli/modes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int nt_cli_mode_rates_find(nt_cli_mode_rates *r, const nt_cli_options *options, nt_run *run,
                           nt_about about, const nt_modes *modes)
{
    *r = (nt_cli_mode_rates){.n = options->n_parameters};
    r->of = calloc((size_t)r->n + 1, sizeof *r->of);
    if (!r->of)
        return nt_cli_no_memory();
    for (int k = 0; k < r->n; k++) {
        nt_error error = {0};
        int status = nt_cli_find_parameter("--param", options->name, nt_run_system(run),
                                           options->parameters[k]);
        if (status != NT_EXIT_DONE)
            return status;
        if (nt_mode_rates_create(&r->of[k], modes, run, about, options->parameters[k], &error) !=
            NT_OK)
            return nt_cli_fail(options->name, &error);
    }
    return NT_EXIT_DONE;
}

void nt_cli_mode_rates_free(nt_cli_mode_rates *r)
{
    for (int k = 0; k < r->n && r->of; k++)
        nt_mode_rates_destroy(r->of[k]);
    free(r->of);
    *r = (nt_cli_mode_rates){0};
}

static const char *const what[] = {"frequency", "damping_ratio", "eigenvalue.real",
                                   "eigenvalue.imaginary"};
static const char *const units[] = {"Hz", "1", "1/s", "rad/s"};

bool nt_cli_mode_rates_columns(const nt_cli_options *options, const nt_model *model,
                               nt_cli_table *table)
{
    bool good = true;
    for (int k = 0; k < options->n_parameters; k++) {
        char name[700];
        const char *parameter = options->parameters[k];
        for (int i = 0; i < 4 && good; i++) {
            snprintf(name, sizeof name, "d(%s)/d(%s)", what[i], parameter);
            good = nt_cli_table_column(table, name, units[i], "per unit of the parameter");
        }
        for (int b = 1; b <= nt_model_count(model).bodies && good; b++)
            for (int i = 0; i < 12 && good; i++) {
                snprintf(name, sizeof name, "d(%s.%s.%c%s)/d(%s)", nt_model_body_name(model, b),
                         i % 6 < 3 ? "position" : "rotation", 'x' + i % 3,
                         i < 6 ? "" : ".imaginary", parameter);
                good = nt_cli_table_column(table, name, i % 6 < 3 ? "m" : "rad",
                                           "of the shape, per unit of the parameter");
            }
        good = good && (k > 0 || nt_cli_table_column(table, "repeated", "1",
                                                     "1: differentiated as a group with others"));
    }
    return good;
}

/* The shape at the displaced bodies' origins as it stands: origins that move with the parameter
 * change it by less than what their arms turn by. */
double *nt_cli_mode_rates_row(const nt_cli_mode_rates *r, nt_run *run, const double *q, int mode,
                              double *at)
{
    int bodies = nt_model_count(nt_run_model(run)).bodies;
    for (int k = 0; k < r->n; k++) {
        nt_mode_rate rate = nt_mode_rates_at(r->of[k], mode);
        *at++ = rate.frequency, *at++ = rate.damping_ratio;
        *at++ = rate.eigenvalue[0], *at++ = rate.eigenvalue[1];
        for (int b = 1; b <= bodies; b++)
            for (int part = 0; part < 2; part++, at += 6) {
                memset(at, 0, 6 * sizeof *at);
                if (rate.shape[part])
                    nt_run_displacement(run, b, q, rate.shape[part], at);
            }
        if (k == 0)
            *at++ = rate.repeated;
    }
    return at;
}

/* ---- the check
 * --------------------------------------------------------------------------------------- */

/* Modes at a value of a parameter; NULL after saying why. */
static nt_modes *modes_at(const char *path, nt_run *run, nt_about about, const char *name,
                          double value)
{
    nt_reference *reference = NULL;
    nt_modes *modes = NULL;
    nt_error error = {0};
    double turn[3];
    if (nt_model_set(run, name, value, &error) == NT_OK &&
        nt_reference_create(&reference, run, about, &error) == NT_OK) {
        nt_state state = nt_reference_state(reference);
        nt_reference_turn(reference, turn);
        const nt_modes_setup setup = {.system = nt_run_system(run), .state = &state, .turn = turn};
        nt_modes_create(&modes, &setup, &error);
    }
    if (!modes)
        nt_cli_fail(path, &error);
    nt_reference_destroy(reference);
    return modes;
}

/* The mode whose eigenvalue is nearest to s. */
static nt_mode nearest(const nt_modes *modes, const double s[2])
{
    nt_mode found = {0};
    double best = INFINITY;
    for (int i = 0; i < nt_modes_count(modes); i++) {
        nt_mode mode = nt_modes_at(modes, i);
        double off = hypot(mode.eigenvalue[0] - s[0], mode.eigenvalue[1] - s[1]);
        if (off < best)
            best = off, found = mode;
    }
    return found;
}

static double part_of(const double *const shape[2], int part, int i)
{
    return shape[part] ? shape[part][i] : 0;
}

/* Differences of the shapes of four modes beside, each scaled so that one entry is that of the mode
 * itself, against the derivative: how far they are apart, *size how large they are. */
static double shape_distance(const nt_mode *mode, const nt_mode_rate *rate, const nt_mode beside[4],
                             const double weight[4], double h, int nv, double length, double *size)
{
    int k = 0;
    double off = 0;
    *size = 0;
    double least = INFINITY;
    for (int i = 0; i < nv; i++) { /* the derivative's own: it does not change there */
        double now = hypot(part_of(mode->shape, 0, i), part_of(mode->shape, 1, i));
        double change = hypot(part_of(rate->shape, 0, i), part_of(rate->shape, 1, i));
        if (now * length >= 0.5 && change < least * now)
            least = change / now, k = i;
    }
    double kr = part_of(mode->shape, 0, k), ki = part_of(mode->shape, 1, k);
    for (int i = 0; i < nv; i++) {
        double slope[2] = {0};
        for (int l = 0; l < 4; l++) {
            double ar = part_of(beside[l].shape, 0, k), ai = part_of(beside[l].shape, 1, k);
            double br = part_of(beside[l].shape, 0, i), bi = part_of(beside[l].shape, 1, i);
            double norm = ar * ar + ai * ai; /* times (kr + i ki)/(ar + i ai) */
            double cr = (kr * ar + ki * ai) / norm, ci = (ki * ar - kr * ai) / norm;
            slope[0] += weight[l] * (br * cr - bi * ci) / (12 * h);
            slope[1] += weight[l] * (br * ci + bi * cr) / (12 * h);
        }
        off = fmax(off, hypot(slope[0] - part_of(rate->shape, 0, i),
                              slope[1] - part_of(rate->shape, 1, i)));
        *size = fmax(*size, hypot(slope[0], slope[1]));
    }
    return off;
}

/* The largest |s|, of whose size the rounding of all is, and the distance from mode i to the next,
 * by which rounding of shapes is divided. */
static double largest_modulus(const nt_modes *modes, int i, double *gap)
{
    double largest = 0;
    const double *own = nt_modes_at(modes, i).eigenvalue;
    *gap = (double)INFINITY;
    for (int j = 0; j < nt_modes_count(modes); j++) {
        const double *s = nt_modes_at(modes, j).eigenvalue;
        largest = fmax(largest, hypot(s[0], s[1]));
        if (j != i)
            *gap = fmin(*gap, hypot(s[0] - own[0], s[1] - own[1]));
    }
    return largest;
}

static int check_parameter(const nt_cli_mode_rates *r, const char *path, nt_run *run,
                           nt_about about, const nt_modes *modes, const char *name, int k)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const nt_system *system = nt_run_system(run);
    double *all = calloc((size_t)system->n_parameters + 1, sizeof *all), value = 0, size = 1;
    nt_modes *beside[4] = {0};
    bool good = all != NULL, right = true;
    if (!all)
        return nt_cli_no_memory();
    system->get_parameters(system->self, all);
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0) {
            value = all[i];
            size = system->parameter_scale ? system->parameter_scale[i] : fmax(fabs(value), 1);
        }
    free(all);
    double h = 2e-4 * size;
    for (int i = 0; i < 4 && good; i++)
        good = (beside[i] = modes_at(path, run, about, name, value + at[i] * h)) != NULL;
    nt_error error = {0};
    if (nt_model_set(run, name, value, &error) != NT_OK && good) {
        nt_cli_fail(path, &error);
        good = false;
    }
    for (int i = 0; i < nt_modes_count(modes) && good; i++) {
        nt_mode mode = nt_modes_at(modes, i);
        nt_mode_rate rate = nt_mode_rates_at(r->of[k], i);
        double slope[2] = {0}, modulus = hypot(mode.eigenvalue[0], mode.eigenvalue[1]);
        nt_mode near[4];
        for (int l = 0; l < 4 && !mode.moves_freely; l++) {
            const double to[2] = {mode.eigenvalue[0] + at[l] * h * rate.eigenvalue[0],
                                  mode.eigenvalue[1] + at[l] * h * rate.eigenvalue[1]};
            near[l] = nearest(beside[l], to);
            slope[0] += weight[l] * near[l].eigenvalue[0] / (12 * h);
            slope[1] += weight[l] * near[l].eigenvalue[1] / (12 * h);
        }
        double off = hypot(slope[0] - rate.eigenvalue[0], slope[1] - rate.eigenvalue[1]);
        /* rounding of an eigenvalue, divided by the step; and a millionth of the derivative */
        double gap, rounding = 16 * DBL_EPSILON * largest_modulus(modes, i, &gap) / h;
        bool agrees = off <= 1e-6 * hypot(slope[0], slope[1]) + 1e-9 * modulus / size + rounding;
        right &= agrees;
        printf("%s  mode %d  d(eigenvalue)/d(%s) %.9g %+.9gi  differences %.9g %+.9gi%s\n",
               agrees ? "right" : "WRONG", i + 1, name, rate.eigenvalue[0], rate.eigenvalue[1],
               slope[0], slope[1], rate.repeated && !mode.moves_freely ? "  (repeated)" : "");
        if (mode.moves_freely || rate.repeated) /* any basis of a group is as good as another */
            continue;
        double largest, apart = shape_distance(&mode, &rate, near, weight, h, system->space.nv,
                                               fmax(1, nt_run_length(run)), &largest);
        agrees = apart <= 1e-5 * largest + 1e-8 / size + (gap > 0 ? rounding / gap : 0);
        right &= agrees;
        printf("%s  mode %d  d(shape)/d(%s) up to %.9g, differences off by %.2g\n",
               agrees ? "right" : "WRONG", i + 1, name, largest, apart);
    }
    for (int i = 0; i < 4; i++)
        nt_modes_destroy(beside[i]);
    return good && right ? NT_EXIT_DONE : NT_EXIT_FAILED;
}

int nt_cli_mode_rates_check(const nt_cli_mode_rates *r, const nt_cli_options *options, nt_run *run,
                            nt_about about, const nt_modes *modes)
{
    int status = NT_EXIT_DONE;
    for (int k = 0; k < r->n; k++) {
        int one = check_parameter(r, options->name, run, about, modes, options->parameters[k], k);
        status = status == NT_EXIT_DONE ? one : status;
    }
    int written = nt_cli_finish_output();
    return status == NT_EXIT_DONE ? written : status;
}
