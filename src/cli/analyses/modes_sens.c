/* nutate modes --param: derivatives of eigenvalues and shapes, and their check by whole
 * computations.
 */
#include "cli/analyses/modes.h"

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

enum { LARGEST_GROUP = 64 };

/* Mode i among those at a parameter that is larger by `step`. Members of a group are told apart by
 * where they stand within it: as a whole it goes on along a curve, by more than they are apart. */
static nt_mode follow(const nt_modes *modes, const nt_mode_rates *rates, const nt_modes *beside,
                      int i, double step)
{
    double mean[2] = {0}, own[LARGEST_GROUP][2], there[2] = {0};
    int members[LARGEST_GROUP], chosen[LARGEST_GROUP], m = 0, n = nt_modes_count(beside);
    bool taken[LARGEST_GROUP] = {false};
    for (int j = 0; j < nt_modes_count(modes) && m < LARGEST_GROUP; j++) {
        nt_mode mode = nt_modes_at(modes, j);
        nt_mode_rate rate = nt_mode_rates_at(rates, j);
        if (mode.group != nt_modes_at(modes, i).group)
            continue;
        for (int k = 0; k < 2; k++) {
            own[m][k] = mode.eigenvalue[k] + step * rate.eigenvalue[k];
            mean[k] += own[m][k];
        }
        members[m++] = j;
    }
    mean[0] /= m, mean[1] /= m;
    for (int a = 0; a < m; a++) { /* as many as there are members, the nearest */
        double best = INFINITY;
        chosen[a] = 0;
        for (int j = 0; j < n; j++) {
            const double *s = nt_modes_at(beside, j).eigenvalue;
            double off = hypot(s[0] - mean[0], s[1] - mean[1]);
            bool used = off >= best;
            for (int b = 0; b < a && !used; b++)
                used = chosen[b] == j;
            if (!used)
                best = off, chosen[a] = j;
        }
        const double *s = nt_modes_at(beside, chosen[a]).eigenvalue;
        there[0] += s[0] / m, there[1] += s[1] / m;
    }
    for (int a = 0; a < m; a++) {
        double best = INFINITY;
        int at = 0;
        for (int b = 0; b < m; b++) {
            const double *s = nt_modes_at(beside, chosen[b]).eigenvalue;
            double off =
                hypot(s[0] - there[0] - own[a][0] + mean[0], s[1] - there[1] - own[a][1] + mean[1]);
            if (!taken[b] && off < best)
                best = off, at = b;
        }
        taken[at] = true;
        if (members[a] == i)
            return nt_modes_at(beside, chosen[at]);
    }
    return (nt_mode){0};
}

static double part_of(const double *const shape[2], int part, int i)
{
    return shape[part] ? shape[part][i] : 0;
}

/* A derivative beside differences of one step h: how far the two are apart, how large they are, and
 * how far central differences are from those of fourth order, by which these are doubted. */
typedef struct compared {
    double off, size, doubt;
} compared;

static const double AT[] = {-2, -1, 1, 2}, FOURTH[] = {1. / 12, -8. / 12, 8. / 12, -1. / 12},
                    SECOND[] = {0, -0.5, 0.5, 0};

/* Shapes of the four modes beside, each scaled so that one entry is that of the mode itself. */
static compared compare_shapes(const nt_mode *mode, const nt_mode_rate *rate,
                               const nt_mode beside[4], double h, int nv, double length)
{
    int k = 0;
    compared c = {0};
    double least = INFINITY;
    for (int i = 0; i < nv; i++) { /* the derivative's own: it does not change there */
        double now = hypot(part_of(mode->shape, 0, i), part_of(mode->shape, 1, i));
        double change = hypot(part_of(rate->shape, 0, i), part_of(rate->shape, 1, i));
        if (now * length >= 0.5 && change < least * now)
            least = change / now, k = i;
    }
    double kr = part_of(mode->shape, 0, k), ki = part_of(mode->shape, 1, k);
    for (int i = 0; i < nv; i++) {
        double slope[2] = {0}, central[2] = {0};
        for (int l = 0; l < 4; l++) {
            double ar = part_of(beside[l].shape, 0, k), ai = part_of(beside[l].shape, 1, k);
            double br = part_of(beside[l].shape, 0, i), bi = part_of(beside[l].shape, 1, i);
            double norm = ar * ar + ai * ai; /* times (kr + i ki)/(ar + i ai) */
            double cr = (kr * ar + ki * ai) / norm, ci = (ki * ar - kr * ai) / norm;
            slope[0] += FOURTH[l] * (br * cr - bi * ci) / h;
            slope[1] += FOURTH[l] * (br * ci + bi * cr) / h;
            central[0] += SECOND[l] * (br * cr - bi * ci) / h;
            central[1] += SECOND[l] * (br * ci + bi * cr) / h;
        }
        c.off = fmax(c.off, hypot(slope[0] - part_of(rate->shape, 0, i),
                                  slope[1] - part_of(rate->shape, 1, i)));
        c.doubt = fmax(c.doubt, hypot(slope[0] - central[0], slope[1] - central[1]));
        c.size = fmax(c.size, hypot(slope[0], slope[1]));
    }
    return c;
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

/* Steps of the check, relative to the parameter's own size: a contact that opens or a beam that
 * buckles beside the state spoils long ones, rounding short ones. */
enum { STEPS = 4 };
static const double STEP[STEPS] = {2e-4, 2e-5, 2e-6, 2e-7};

/* Beyond this part of the derivative's size doubt allows no verdict; a derivative is right that is
 * off by less than so many doubts, as in the check of whole runs. */
static const double UNDECIDED = 1e-3, DOUBTS = 10;

/* What is known of a derivative so far: from the step with the least doubt. */
typedef struct verdict {
    bool looked_at;
    compared at;
    double slope[2], step, allowed, floor; /* rounding is below the floor */
    double apart; /* of the slopes of two steps, the least: stiff motions whose modes are not among
                     those that were found leave more rounding than the floor; 0 after one step */
} verdict;

typedef enum finding { RIGHT, NO_VERDICT, WRONG } finding;

static finding judge(const verdict *v, double own_doubt)
{
    double doubt = v->at.doubt + own_doubt;
    if (!v->looked_at || v->at.off <= v->allowed + v->floor)
        return RIGHT;
    if (!(doubt <= UNDECIDED * v->at.size + v->floor))
        return NO_VERDICT;
    if (v->at.off <= v->allowed + v->floor + DOUBTS * doubt)
        return RIGHT;
    return v->at.off <= DOUBTS * v->apart ? NO_VERDICT : WRONG;
}

/* The doubt counts, with what rounding of the step may do. */
static void take_better(verdict *v, const verdict *other)
{
    double apart = hypot(v->slope[0] - other->slope[0], v->slope[1] - other->slope[1]);
    apart = !v->looked_at ? 0 : v->apart > 0 ? fmin(v->apart, apart) : apart;
    if (!v->looked_at || other->at.doubt + other->floor < v->at.doubt + v->floor)
        *v = *other;
    v->apart = apart;
}

typedef struct checked {
    verdict eigenvalue, shape;
} checked;

static void look_at_mode(checked *c, const nt_modes *modes, int i, const nt_mode_rates *rates,
                         nt_modes *const beside[4], double h, double size, nt_run *run)
{
    nt_mode mode = nt_modes_at(modes, i), near[4];
    nt_mode_rate rate = nt_mode_rates_at(rates, i);
    double modulus = hypot(mode.eigenvalue[0], mode.eigenvalue[1]), central[2] = {0}, gap;
    verdict v = {.looked_at = true, .step = h};
    if (mode.moves_freely)
        return;
    for (int l = 0; l < 4; l++) {
        near[l] = follow(modes, rates, beside[l], i, AT[l] * h);
        for (int k = 0; k < 2; k++) {
            v.slope[k] += FOURTH[l] * near[l].eigenvalue[k] / h;
            central[k] += SECOND[l] * near[l].eigenvalue[k] / h;
        }
    }
    v.at.size = hypot(v.slope[0], v.slope[1]);
    v.at.off = hypot(v.slope[0] - rate.eigenvalue[0], v.slope[1] - rate.eigenvalue[1]);
    v.at.doubt = hypot(v.slope[0] - central[0], v.slope[1] - central[1]);
    v.allowed = 1e-6 * v.at.size + 1e-9 * modulus / size;
    /* rounding of an eigenvalue, divided by the step */
    v.floor = 16 * DBL_EPSILON * largest_modulus(modes, i, &gap) / h;
    take_better(&c->eigenvalue, &v);
    if (rate.repeated) /* any basis of a group is as good as another */
        return;
    double rounding = v.floor;
    v.at = compare_shapes(&mode, &rate, near, h, nt_run_system(run)->space.nv,
                          fmax(1, nt_run_length(run)));
    /* two steps are as far apart at least as their distances from the derivative */
    v.slope[0] = v.at.off, v.slope[1] = 0;
    v.allowed = 1e-5 * v.at.size + 1e-8 / size;
    v.floor = gap > 0 ? rounding / gap : 0;
    take_better(&c->shape, &v);
}

/* Says what was found about each mode, the numbers of findings into count[3]. */
static void say_verdicts(const nt_cli_mode_rates *r, int k, const char *name, const nt_modes *modes,
                         const checked *all, int count[3])
{
    static const char *const words[] = {"right", "no verdict", "WRONG"};
    for (int i = 0; i < nt_modes_count(modes); i++) {
        nt_mode_rate rate = nt_mode_rates_at(r->of[k], i);
        const verdict *v = &all[i].eigenvalue, *w = &all[i].shape;
        finding found = judge(v, rate.doubt);
        count[found]++;
        printf("%s  mode %d  d(eigenvalue)/d(%s) %.9g %+.9gi  differences %.9g %+.9gi%s",
               words[found], i + 1, name, rate.eigenvalue[0], rate.eigenvalue[1], v->slope[0],
               v->slope[1], rate.repeated && v->looked_at ? "  (repeated)" : "");
        if (found == NO_VERDICT)
            printf("  (differences of second and fourth order over %.2g are %.2g apart, those that "
                   "the derivative is made of %.2g)",
                   v->step, v->at.doubt + v->apart, rate.doubt);
        putchar('\n');
        if (!w->looked_at)
            continue;
        found = judge(w, 0);
        count[found]++;
        printf("%s  mode %d  d(shape)/d(%s) up to %.9g, differences off by %.2g", words[found],
               i + 1, name, w->at.size, w->at.off);
        if (found == NO_VERDICT)
            printf("  (differences of second and fourth order over %.2g are %.2g apart)", w->step,
                   w->at.doubt + w->apart);
        putchar('\n');
    }
}

/* All modes of the run by differences of one step; *settled: each has a verdict that is right. */
static int look_with_step(checked *all, const nt_cli_mode_rates *r, int k, const char *path,
                          nt_run *run, nt_about about, const nt_modes *modes, const char *name,
                          double value, double h, double size, bool *settled)
{
    nt_modes *beside[4] = {0};
    bool good = true;
    for (int i = 0; i < 4 && good; i++)
        good = (beside[i] = modes_at(path, run, about, name, value + AT[i] * h)) != NULL;
    *settled = true;
    for (int i = 0; i < nt_modes_count(modes) && good; i++) {
        nt_mode_rate rate = nt_mode_rates_at(r->of[k], i);
        look_at_mode(&all[i], modes, i, r->of[k], beside, h, size, run);
        *settled &=
            judge(&all[i].eigenvalue, rate.doubt) == RIGHT && judge(&all[i].shape, 0) == RIGHT;
    }
    for (int i = 0; i < 4; i++)
        nt_modes_destroy(beside[i]);
    return good ? NT_EXIT_DONE : NT_EXIT_FAILED;
}

static int check_parameter(const nt_cli_mode_rates *r, const char *path, nt_run *run,
                           nt_about about, const nt_modes *modes, const char *name, int k)
{
    const nt_system *system = nt_run_system(run);
    double *parameters = calloc((size_t)system->n_parameters + 1, sizeof *parameters);
    checked *all = calloc((size_t)nt_modes_count(modes) + 1, sizeof *all);
    double value = 0, size = 1;
    int count[3] = {0}, status = parameters && all ? NT_EXIT_DONE : nt_cli_no_memory();
    bool settled = false;
    if (status != NT_EXIT_DONE)
        goto done;
    system->get_parameters(system->self, parameters);
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0) {
            value = parameters[i];
            size = system->parameter_scale ? system->parameter_scale[i] : fmax(fabs(value), 1);
        }
    for (int i = 0; i < STEPS && status == NT_EXIT_DONE && !settled; i++)
        status = look_with_step(all, r, k, path, run, about, modes, name, value, STEP[i] * size,
                                size, &settled);
    nt_error error = {0};
    if (nt_model_set(run, name, value, &error) != NT_OK && status == NT_EXIT_DONE)
        status = nt_cli_fail(path, &error);
    if (status != NT_EXIT_DONE)
        goto done;
    say_verdicts(r, k, name, modes, all, count);
    printf("%s: %d right, %d wrong, %d without verdict\n", name, count[RIGHT], count[WRONG],
           count[NO_VERDICT]);
    status = count[WRONG] > 0 ? NT_EXIT_FAILED : NT_EXIT_DONE;
done:
    free(parameters);
    free(all);
    return status;
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
