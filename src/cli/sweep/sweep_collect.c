/* nutate sweep --collect and --statistics: tables of all rows of a folder. */
#include "cli/sweep/sweep.h"

#include <string.h>

static void tell_collection(const char *folder, const nt_sweep_collection *c, bool quiet)
{
    if (!quiet)
        fprintf(stderr, "%s: %ld rows, %ld of them failed\n", folder, c->done, c->failed);
    if (c->done < c->rows)
        nt_cli_say("%s: %ld of %ld rows are not there: nutate sweep PLAN -o %s --resume runs them",
                   folder, c->rows - c->done, c->rows, folder);
    if (c->damaged > 0)
        nt_cli_say("%s: the bytes of %ld rows are not what was written, they count as not run",
                   folder, c->damaged);
    if (c->n_kinds > 1)
        nt_cli_say("%s: rows are from %d kinds of machines, whose last digits may differ:\n%s",
                   folder, c->n_kinds, c->kinds);
}

int nt_cli_sweep_collect(const nt_cli_options *options)
{
    nt_sweep *sweep = NULL;
    nt_error error = {0};
    nt_sweep_collection collection = {0};
    int status = NT_EXIT_DONE;
    if (options->n_outputs == 0) {
        nt_cli_say("--collect: expected -o FILE.nc or FILE.csv");
        return NT_EXIT_USAGE;
    }
    if (options->name) {
        nt_cli_say("--collect: the folder holds its plan, got '%s' besides", options->name);
        return NT_EXIT_USAGE;
    }
    for (int i = 0; i < options->n_outputs && status == NT_EXIT_DONE; i++)
        status = nt_cli_check_result_name(options->outputs[i]);
    for (int i = 0; i < options->n_outputs && status == NT_EXIT_DONE; i++)
        status = nt_cli_check_place(options->outputs[i]);
    if (status != NT_EXIT_DONE)
        return status;
    if (nt_sweep_open(&sweep, options->collect, &error) != NT_OK)
        return nt_cli_fail(options->collect, &error);
    for (int i = 0; i < options->n_outputs && status == NT_EXIT_DONE; i++) {
        const nt_result_file file = {options->outputs[i], nt_cli_format_of(options->outputs[i])};
        if (nt_sweep_collect(sweep, options->collect, &file, &collection, &error) != NT_OK)
            status = nt_cli_fail(options->collect, &error);
    }
    if (status == NT_EXIT_DONE)
        tell_collection(options->collect, &collection, options->quiet);
    nt_sweep_destroy(sweep);
    return status;
}

int nt_cli_sweep_statistics(const nt_cli_options *options)
{
    nt_sweep *sweep = NULL;
    nt_error error = {0};
    nt_sweep_collection collection = {0};
    if (options->n_outputs != 1 || !nt_cli_ends_with(options->output, ".csv")) {
        nt_cli_say("--statistics: expected -o FILE.csv");
        return NT_EXIT_USAGE;
    }
    int status = nt_cli_check_place(options->output);
    if (status != NT_EXIT_DONE)
        return status;
    nt_status done = options->name ? nt_sweep_read(&sweep, options->name, &error)
                                   : nt_sweep_open(&sweep, options->statistics, &error);
    if (done == NT_OK)
        done =
            nt_sweep_statistics(sweep, options->statistics, options->output, &collection, &error);
    if (done != NT_OK)
        status = nt_cli_fail(options->statistics, &error);
    else
        tell_collection(options->statistics, &collection, options->quiet);
    nt_sweep_destroy(sweep);
    return status;
}
