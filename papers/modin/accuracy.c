/* What methods need for an accuracy on the bearing of figure 6 (b1.h): evaluations of all contacts
 * and time over 0.6 ms, for the paper's method, semi-explicit-2, BDF, DOP853 and
 * generalized-alpha; what was claimed of them beforehand, confirmed or refuted; and what the
 * paper's penalties in place of a given rotation change.
 *
 * BDF runs twice: with the given rotation by a joint, which its solver for constraints (IDA) takes,
 * and by a penalty of 10^6 Hz, where CVODE keeps its Jacobians from step to step. */
#include "papers/modin/b1.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* A spring and a damper of the frequency f, critically damped, in place of the joint that turns the
 * inner ring: k = J (2 pi f)^2, c = 2 J 2 pi f, J = 1e-5 kg m^2. */
typedef struct penalty {
    char stiffness[40], damping[40];
    nt_setting setting[3];
} penalty;

static void penalty_of(double frequency, penalty *p)
{
    const double J = 1e-5, rate = 2 * PI * frequency;
    snprintf(p->stiffness, sizeof p->stiffness, "%.17g", J * rate * rate);
    snprintf(p->damping, sizeof p->damping, "%.17g", 2 * J * rate);
    p->setting[0] = (nt_setting){"joints.turn.enforce", "penalty"};
    p->setting[1] = (nt_setting){"joints.turn.stiffness", p->stiffness};
    p->setting[2] = (nt_setting){"joints.turn.damping", p->damping};
}

/* ---- sheets -------------------------------------------------------------------------------------
 */

enum { MOST = 10 };
typedef struct series {
    const char *name, *method;
    nt_option option;
    double parts[MOST]; /* steps in 10 us; 0: the end          */
    double tolerances[MOST];
    bool penalty;
} series;

enum { PAPER, SECOND, BDF, PENALTY, SERIES = 6 };
static const series all[SERIES] = {
    {"paper", "semi-explicit", {0}, {3, 5, 7, 10, 20, 40, 80, 160, 200}, {0}, false},
    {"second-order", "semi-explicit-2", {0}, {3, 4, 5, 6, 8, 10, 15, 20, 40}, {0}, false},
    {"bdf",
     "bdf",
     {"indentation", "1e-5"},
     {0},
     {3e-3, 2e-3, 1.5e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6},
     false},
    {"bdf-penalty",
     "bdf",
     {"indentation", "1e-5"},
     {0},
     {3e-3, 2e-3, 1.5e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6},
     true},
    {"dop853", "rkmk-dop853", {0}, {0}, {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}, false},
    {"alpha", "generalized-alpha", {"rho_inf", "0.8"}, {5, 10, 20, 40, 80}, {0}, false},
};

static const nt_sheet_column columns[] = {
    {"step or tolerance", ""},   {"error", ""},  {"evaluations", ""}, {"tangents", ""},
    {"with 12 per tangent", ""}, {"time", "ms"}, {NULL, NULL}};

/* What a run of a series took. */
typedef struct measured {
    double error, evaluations, seconds;
} measured;

/* The least time of three: others run too. False where the method is unstable. */
static bool measure(nt_b1 *b, const nt_b1_manner *how, const nt_b1_curves *exact, measured *out)
{
    static nt_b1_curves found;
    double seconds;
    long steps;
    if (!nt_b1_curves_of(b, how, &found))
        return false;
    *out = (measured){.error = nt_b1_error(&found, exact), .seconds = INFINITY};
    for (int i = 0; i < 3; i++) {
        if (!nt_b1_cost(b, how, &seconds, &steps))
            return false;
        out->seconds = fmin(out->seconds, seconds);
    }
    out->evaluations = (double)(b->evaluations + 12 * b->tangents);
    return out->error < 0.3;
}

static int run_series(nt_paper_report *report, const series *s, const nt_b1_curves *exact,
                      nt_sheet *table, measured *out)
{
    nt_b1 b;
    penalty drive;
    int n = 0;
    nt_sheet *sheet = nt_sheet_add(report, s->name, s->method, columns);
    penalty_of(1e6, &drive);
    bool ok = nt_b1_open(&b, report, drive.setting, s->penalty ? 3 : 0);
    for (int i = 0; i < MOST && ok; i++) {
        nt_b1_manner how = {s->method, s->option, s->parts[i] > 0 ? 1e-5 / s->parts[i] : 0,
                            s->tolerances[i]};
        if ((how.step == 0 && how.tolerance == 0) || !measure(&b, &how, exact, &out[n]))
            continue;
        const double row[6] = {how.step > 0 ? how.step : how.tolerance,
                               out[n].error,
                               (double)b.evaluations,
                               (double)b.tangents,
                               out[n].evaluations,
                               1e3 * out[n].seconds};
        nt_sheet_row(report, sheet, NULL, row);
        nt_sheet_row(report, table, s->penalty ? "bdf, drive by penalty" : s->method, row);
        n++;
    }
    nt_b1_close(&b);
    return n;
}

/* ---- claims -------------------------------------------------------------------------------------
 */

typedef struct evidence {
    measured run[SERIES][MOST];
    int n[SERIES];
} evidence;

/* The fewest evaluations, or the least time, of runs below an error, of one series or the next. */
static measured least(const evidence *f, int first, int last, double error)
{
    measured best = {.evaluations = INFINITY, .seconds = INFINITY};
    for (int s = first; s <= last; s++)
        for (int i = 0; i < f->n[s]; i++)
            if (f->run[s][i].error <= error) {
                best.evaluations = fmin(best.evaluations, f->run[s][i].evaluations);
                best.seconds = fmin(best.seconds, f->run[s][i].seconds);
            }
    return best;
}

static void claim(nt_paper_report *report, nt_sheet *sheet, bool holds, const char *words, double a,
                  double b, double here_a, double here_b)
{
    char label[NT_SHEET_LABEL];
    const double row[4] = {a, b, here_a, here_b};
    snprintf(label, sizeof label, "%s: %s", holds ? "confirmed" : "refuted", words);
    nt_sheet_row(report, sheet, label, row);
}

/* What was found by another program beforehand, and what is found here. */
static void claims(nt_paper_report *report, const evidence *f)
{
    static const nt_sheet_column of[] = {
        {"beforehand", ""}, {"against", ""}, {"here", ""}, {"against it here", ""}, {NULL, NULL}};
    nt_sheet *sheet = nt_sheet_add(report, "claims", "Found beforehand, confirmed or refuted", of);
    measured paper[2], second[2], bdf[2];
    for (int i = 0; i < 2; i++) {
        double error = i ? 1e-3 : 1e-2;
        paper[i] = least(f, PAPER, PAPER, error);
        second[i] = least(f, SECOND, SECOND, error);
        bdf[i] = least(f, BDF, PENALTY, error);
    }
    claim(report, sheet, paper[0].evaluations > bdf[0].evaluations,
          "1 %: the paper's method needs more evaluations than BDF", 180, 170, paper[0].evaluations,
          bdf[0].evaluations);
    claim(report, sheet, paper[1].evaluations > bdf[1].evaluations,
          "0.1 %: the paper's method needs more evaluations than BDF", 1200, 290,
          paper[1].evaluations, bdf[1].evaluations);
    claim(report, sheet, second[1].evaluations <= 180,
          "semi-explicit-2 needs 180 for 1 % as for 0.1 %", 180, 180, second[0].evaluations,
          second[1].evaluations);
    for (int i = 0; i < 2; i++) {
        double ratio = bdf[i].seconds / second[i].seconds;
        claim(report, sheet, ratio >= 10 && ratio <= 30,
              i ? "0.1 %: BDF takes 10 to 30 times the time of semi-explicit-2"
                : "1 %: BDF takes 10 to 30 times the time of semi-explicit-2",
              10, 30, ratio, ratio);
    }
    if (sheet)
        sheet->printed = true;
}

void nt_modin_accuracy(nt_paper_report *report)
{
    static nt_b1_curves exact;
    static evidence f;
    nt_b1 b;
    bool ok = nt_b1_open(&b, report, NULL, 0) && nt_b1_exact(&b, report, &exact);
    nt_b1_close(&b);
    if (!ok)
        return;
    nt_sheet *table = nt_sheet_add(
        report, "accuracy",
        "What 0.6 ms of the bearing take (printed for BDF and the splitting method: 1588, 600)",
        columns);
    for (int s = 0; s < SERIES; s++)
        f.n[s] = run_series(report, &all[s], &exact, table, f.run[s]);
    claims(report, &f);
    if (table)
        table->printed = true;
}

/* ---- penalties ----------------------------------------------------------------------------------
 */

/* Frequency 0: the joint. */
static bool penalty_curves(nt_paper_report *report, double frequency, const char *beta,
                           nt_b1_curves *out)
{
    nt_b1 b;
    penalty drive;
    const nt_b1_manner how = {"semi-explicit", {"beta", beta}, 1e-6, 0};
    penalty_of(frequency, &drive);
    bool ok = nt_b1_open(&b, report, drive.setting, frequency > 0 ? 3 : 0) &&
              nt_b1_curves_of(&b, &how, out);
    nt_b1_close(&b);
    return ok;
}

static double largest_difference(const nt_b1_curves *a, const nt_b1_curves *b, int from, int to)
{
    double most = 0;
    for (int t = 0; t < NT_B1_TIMES; t++)
        for (int i = from; i < to; i++)
            most = fmax(most, fabs(a->number[t][i] - b->number[t][i]));
    return most;
}

void nt_modin_penalties(nt_paper_report *report)
{
    static const nt_sheet_column of[] = {
        {"frequency", "Hz"}, {"load", "N"}, {"cage", "rad/s"}, {NULL, NULL}};
    static const char *const betas[] = {"0.5", "0.6", "1"};
    static nt_b1_curves given, found;
    nt_sheet *sheet =
        nt_sheet_add(report, "penalties",
                     "What penalties in place of the given rotation change, by beta, h = 1 us", of);
    if (!penalty_curves(report, 0, "0.6", &given)) {
        nt_error error = {.status = NT_NOT_CONVERGED};
        snprintf(error.message, sizeof error.message, "there is no solution to compare with");
        nt_paper_report_fail(report, &error, "semi-explicit");
    }
    double most[2] = {0, 0}; /* N, rad/s, by 10^6 Hz and more */
    for (int power = 4; power <= 8; power++)
        for (int k = 0; k < 3; k++) {
            double frequency = pow(10, power);
            if (!nt_paper_report_ok(report) || !penalty_curves(report, frequency, betas[k], &found))
                continue;
            const double row[3] = {
                frequency, largest_difference(&found, &given, 0, NT_B1_BALLS),
                largest_difference(&found, &given, 2 * NT_B1_BALLS, NT_B1_NUMBERS)};
            nt_sheet_row(report, sheet, betas[k], row);
            for (int i = 0; i < 2 && power >= 6; i++)
                most[i] = fmax(most[i], row[1 + i]);
        }
    nt_sheet *verdict =
        nt_sheet_add(report, "penalties-claim", "Found beforehand, confirmed or refuted", of + 1);
    /* a change of 1e-5 of the loads, 1e-6 of the cage's speed is none */
    char label[NT_SHEET_LABEL];
    snprintf(label, sizeof label, "%s: penalties of 10^6 Hz and more change nothing",
             most[0] < 4e-3 && most[1] < 4e-4 ? "confirmed" : "refuted");
    nt_sheet_row(report, verdict, label, most);
    if (sheet)
        sheet->printed = true;
    if (verdict)
        verdict->printed = true;
}
