/* The papers and their experiments: a new one is a function, a row here and, for a figure, a
 * script.
 */
#include "papers/papers.h"

#include <string.h>

const nt_paper nt_papers[] = {
    {"bruls-eberhard", "Bruls & Eberhard 2008, sensitivity analysis with finite rotations"},
    {"krysl", "Krysl 2005, explicit Newmark algorithm for rotational dynamics"},
    {"jay-negrut", "Jay & Negrut 2009, generalized-alpha in stabilised index 2"},
    {"modin", "Modin, Fritzson & Fuehrer 2007, semi-explicit integration by splitting"},
    {"kynema", "Kynema's documentation, Lie-group generalized-alpha"},
};
const int nt_papers_count = sizeof nt_papers / sizeof nt_papers[0];

const nt_experiment nt_experiments[] = {
    {"bruls-eberhard", "figure-5", "rotation psi_2 of the heavy top, three algorithms", true,
     nt_bruls_eberhard_figure_5},
    {"bruls-eberhard", "figure-6", "height x_3", true, nt_bruls_eberhard_figure_6},
    {"bruls-eberhard", "figure-7", "multiplier lambda_1", true, nt_bruls_eberhard_figure_7},
    {"bruls-eberhard", "figure-8", "convergence of the position", true, nt_bruls_eberhard_figure_8},
    {"bruls-eberhard", "tables-2-3", "sensitivities against differences of runs", false,
     nt_bruls_eberhard_tables_2_3},
    {"bruls-eberhard", "table-4", "what simplified sensitivities lose", false,
     nt_bruls_eberhard_table_4},
    {"krysl", "figure-1", "the slow top's axis with h = 0.1; errors, orders, drifts", true,
     nt_krysl_figure_1},
    {"jay-negrut", "figure-1", "convergence with variable steps, corrected", true,
     nt_jay_negrut_figure_1},
    {"jay-negrut", "figure-2", "the same without the corrections", true, nt_jay_negrut_figure_2},
    {"modin", "figure-2", "region of stability and critical damping", true, nt_modin_figure_2},
    {"modin", "figure-3", "two stiff oscillators, h = 1", true, nt_modin_figure_3},
    {"modin", "figure-4", "pendulum on a stiff spring, error of q_x", true, nt_modin_figure_4},
    {"modin", "figure-5", "the same, error of the constraint; cost of the methods", true,
     nt_modin_figure_5},
    {"modin", "figure-6", "the ball bearing of b1.yaml: forces, cage, digits, cost against BDF",
     true, nt_modin_figure_6},
    {"modin", "own-bearing", "a bearing in C, driven by penalties: forces, cage, cost against BDF",
     false, nt_modin_own_bearing},
    {"modin", "accuracy", "error over evaluations and over time; claims confirmed or refuted", true,
     nt_modin_accuracy},
    {"modin", "penalties", "penalties in place of the given rotation", false, nt_modin_penalties},
    {"modin", "elastic", "outer ring and cage elastic: evaluations and time against BDF", false,
     nt_modin_elastic},
    {"kynema", "convergence", "the documented heavy top, and its convergence", true,
     nt_kynema_convergence},
};
const int nt_experiments_count = sizeof nt_experiments / sizeof nt_experiments[0];

nt_status nt_experiment_run(const char *paper, const char *name, const char *folder,
                            nt_paper_report *report)
{
    *report = (nt_paper_report){.folder = folder};
    for (int i = 0; i < nt_experiments_count; i++) {
        const nt_experiment *e = &nt_experiments[i];
        if (strcmp(e->paper, paper) == 0 && strcmp(e->name, name) == 0) {
            e->run(report);
            return report->error.status;
        }
    }
    nt_error error = {.status = NT_INVALID};
    snprintf(error.message, sizeof error.message, "there is no such experiment");
    nt_paper_report_fail(report, &error, name);
    return NT_INVALID;
}
