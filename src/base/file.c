#include "base/file.h"

#include "base/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 1 << 14 };

static nt_status too_large(const char *path, size_t limit, nt_error *error)
{
    return nt_fail_at(error, NT_BAD_MODEL, path, 0, 0,
                      "larger than the %zu bytes that are accepted", limit);
}

/* Read to the end in growing pieces, one byte more than the limit at most. */
static nt_status slurp(FILE *file, const char *path, size_t limit, char **text, size_t *length,
                       nt_error *error)
{
    size_t room = 0, used = 0;
    for (;;) {
        if (room - used < 2) {
            size_t wanted = room ? 2 * room : FIRST_ROOM;
            char *more = wanted > room ? realloc(*text, wanted) : NULL;
            if (!more)
                return nt_fail(error, NT_NO_MEMORY, "out of memory");
            *text = more;
            room = wanted;
        }
        size_t got = fread(*text + used, 1, room - used - 1, file);
        used += got;
        if (used > limit)
            return too_large(path, limit, error);
        if (got == 0)
            break;
    }
    if (ferror(file))
        return nt_fail_at(error, NT_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    (*text)[used] = 0;
    *length = used;
    char *exact = realloc(*text, used + 1);
    *text = exact ? exact : *text;
    return NT_OK;
}

nt_status nt_file_read(const char *path, size_t limit, char **text, size_t *length, nt_error *error)
{
    nt_status status = NT_OK;
    struct stat about;
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    *text = NULL;
    *length = 0;
    if (!file)
        return nt_fail_at(error, NT_IO, path, 0, 0, "cannot be opened: %s", strerror(errno));
    if (fstat(fileno(file), &about) == 0) {
        if (S_ISDIR(about.st_mode)) {
            status = nt_fail_at(error, NT_IO, path, 0, 0, "is a folder, expected a file");
            goto done;
        }
        if (S_ISREG(about.st_mode) && about.st_size > 0 && (uintmax_t)about.st_size > limit) {
            status = too_large(path, limit, error);
            goto done;
        }
    }
    status = slurp(file, path, limit, text, length, error);
done:
    if (status != NT_OK) {
        free(*text);
        *text = NULL;
    }
    if (!standard)
        fclose(file);
    return status;
}

void nt_file_take_back(const char *path)
{
    struct stat is, behind;
    if (lstat(path, &is) != 0 || stat(path, &behind) != 0 || !S_ISREG(behind.st_mode))
        return;
    int failed = S_ISLNK(is.st_mode) ? truncate(path, 0) : unlink(path);
    (void)failed; /* its writer has told why it is not whole */
}
