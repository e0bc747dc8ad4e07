/* A program that knows nothing but the installed library. Prints the version. */
#include <nutate/status.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    if (strcmp(nt_status_text(NT_OK), "done") != 0 || strcmp(nt_version(), NT_VERSION) != 0)
        return 1;
    puts(nt_version());
    return 0;
}
