/* nutate schema: the JSON Schema of the model file. */
#include "cli/cli.h"

#include <stdlib.h>

int nt_cli_schema(const nt_cli_options *options)
{
    (void)options;
    int length = nt_model_schema(NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text)
        return nt_cli_no_memory();
    nt_model_schema(text, length + 1);
    printf("%s%s", text, length > 0 && text[length - 1] == '\n' ? "" : "\n");
    free(text);
    return nt_cli_finish_output();
}
