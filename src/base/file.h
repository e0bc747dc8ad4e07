/* A whole file as text, with a limit on its size. */
#ifndef NUTATE_BASE_FILE_H
#define NUTATE_BASE_FILE_H

#include <nutate/status.h>
#include <stddef.h>

/* Read a file; "-" is standard input.
 * limit   largest size accepted, bytes; of a larger file no more than this is read
 * text    [length + 1], terminated, to be freed by the caller; NULL on failure              out
 * Errors name the file: NT_IO when it cannot be read, NT_BAD_MODEL when it is too large. */
nt_status nt_file_read(const char *path, size_t limit, char **text, size_t *length,
                       nt_error *error);

/* Take back a file that could not be written whole: an ordinary file is removed, one behind a link
 * is emptied. What is no ordinary file stays. */
void nt_file_take_back(const char *path);

#endif
