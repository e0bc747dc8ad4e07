/* nutate papers: rerun a paper's tables and figures. */
#include "papers/papers.h"
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

/* ---- the list ---------------------------------------------------------------------------------
 */

static int papers_list(void)
{
    for (int i = 0; i < nt_papers_count; i++) {
        printf("%s%s\n    %s\n", i ? "\n" : "", nt_papers[i].name, nt_papers[i].citation);
        for (int j = 0; j < nt_experiments_count; j++)
            if (strcmp(nt_experiments[j].paper, nt_papers[i].name) == 0)
                printf("    %-12s  %s\n", nt_experiments[j].name, nt_experiments[j].measures);
    }
    return nt_cli_finish_output();
}

static const nt_paper *find_paper(const char *name)
{
    const char *names[16];
    char hint[80];
    for (int i = 0; i < nt_papers_count; i++) {
        if (strcmp(nt_papers[i].name, name) == 0)
            return &nt_papers[i];
        names[i] = nt_papers[i].name;
    }
    nt_cli_suggestion(name, names, nt_papers_count, hint, sizeof hint);
    nt_cli_say("there is no paper '%s'%s (nutate papers lists them)", name, hint);
    return NULL;
}

/* ---- one experiment ---------------------------------------------------------------------------
 */

typedef struct place {
    char papers[PATH_SIZE]; /* where models and scripts are */
    char output[PATH_SIZE];
    bool quiet;
    bool missing; /* gnuplot is not installed */
} place;

static int make_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
        return NT_EXIT_DONE;
    nt_cli_say("the folder %s cannot be made: %s", path, strerror(errno));
    return NT_EXIT_IO;
}

static int write_sheets(const nt_paper_report *report, const place *where)
{
    nt_error error = {0};
    for (int i = 0; i < report->sheets; i++) {
        if (report->sheet[i]->printed)
            nt_sheet_print(report->sheet[i], stdout);
        if (nt_sheet_write(report->sheet[i], where->output, &error) != NT_OK)
            return nt_cli_fail(NULL, &error);
    }
    return nt_cli_finish_output();
}

static int draw(const nt_experiment *experiment, place *where)
{
    nt_error error = {0};
    bool missing;
    if (!experiment->drawn)
        return NT_EXIT_DONE;
    if (nt_papers_draw(experiment, where->papers, where->output, &missing, &error) != NT_OK)
        return nt_cli_fail(experiment->paper, &error);
    where->missing = where->missing || missing;
    if (!missing && !where->quiet)
        fprintf(stderr, "drawn: %s/%s.svg, .png\n", where->output, experiment->name);
    return NT_EXIT_DONE;
}

static int rerun(const nt_experiment *experiment, place *where)
{
    nt_paper_report report;
    if (!where->quiet)
        fprintf(stderr, "%s: %s, %s\n", experiment->paper, experiment->name, experiment->measures);
    nt_status computed =
        nt_experiment_run(experiment->paper, experiment->name, where->papers, &report);
    int status = computed == NT_OK ? write_sheets(&report, where)
                                   : nt_cli_fail(experiment->name, &report.error);
    if (status == NT_EXIT_DONE)
        status = draw(experiment, where);
    nt_paper_report_free(&report);
    return status;
}

/* ---- the command ------------------------------------------------------------------------------
 */

/* Pictures are part of the job: without them the exit status says so. */
static int say_missing(const place *where)
{
    nt_cli_say("gnuplot is not installed: tables and data are in %s, pictures are not drawn. "
               "Install Debian's gnuplot-nox, then run in that folder: gnuplot figure-1.gp (or "
               "another script that lies there)",
               where->output);
    return NT_EXIT_IO;
}

int nt_cli_papers(const nt_cli_options *options)
{
    place where = {.quiet = options->quiet};
    nt_error error = {0};
    if (!options->name)
        return papers_list();
    const nt_paper *paper = find_paper(options->name);
    if (!paper)
        return NT_EXIT_USAGE;
    if (nt_papers_folder(where.papers, sizeof where.papers, &error) != NT_OK)
        return nt_cli_fail(NULL, &error);
    if (options->output)
        snprintf(where.output, sizeof where.output, "%s", options->output);
    else
        snprintf(where.output, sizeof where.output, "papers-%s", paper->name);
    int status = make_folder(where.output);
    if (status != NT_EXIT_DONE)
        return status;
    for (int i = 0; i < nt_experiments_count; i++)
        if (strcmp(nt_experiments[i].paper, paper->name) == 0) {
            int ended = rerun(&nt_experiments[i], &where);
            status = ended > status ? ended : status;
        }
    return status == NT_EXIT_DONE && where.missing ? say_missing(&where) : status;
}
