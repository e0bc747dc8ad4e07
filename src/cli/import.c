/* nutate import: a model from a file of another program. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Each note on a line of its own. */
static void say_notes(char *notes)
{
    for (char *line = notes; *line;) {
        size_t length = strcspn(line, "\n");
        bool more = line[length] == '\n';
        line[length] = '\0';
        nt_cli_say("%s", line);
        line += length + more;
    }
}

static int write_model(const char *path, const char *text)
{
    if (strcmp(path, "-") == 0) {
        fputs(text, stdout);
        return nt_cli_finish_output();
    }
    FILE *file = fopen(path, "w");
    nt_cli_part part = nt_cli_part_of(file ? path : NULL);
    bool written = file && fputs(text, file) >= 0;
    if (file)
        written = fclose(file) == 0 && written;
    if (written)
        return NT_EXIT_DONE;
    nt_cli_say("%s: %s", path, strerror(errno));
    nt_cli_take_back(&part);
    return NT_EXIT_IO;
}

int nt_cli_import(const nt_cli_options *options)
{
    nt_error error = {0};
    char *text = NULL, *notes = NULL;
    if (options->n_names != 2) {
        nt_cli_say("import needs windio or beamdyn, and one FILE (nutate import --help)");
        return NT_EXIT_USAGE;
    }
    if (!options->output) {
        nt_cli_say("import needs -o MODEL (nutate import --help)");
        return NT_EXIT_USAGE;
    }
    const char *path = options->names[1];
    if (nt_cli_would_overwrite(options->output, path)) {
        nt_cli_say("-o: '%s' is the file that is read", options->output);
        return NT_EXIT_USAGE;
    }
    int status = nt_cli_check_place(options->output);
    if (status != NT_EXIT_DONE)
        return status;
    if (nt_model_import(options->names[0], path, options->part, &text, &notes, &error) != NT_OK)
        return nt_cli_fail(path, &error);
    if (!options->quiet)
        say_notes(notes);
    status = write_model(options->output, text);
    free(text);
    free(notes);
    return status;
}
