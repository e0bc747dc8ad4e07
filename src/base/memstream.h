/* The end of a text that a stream of open_memstream writes. */
#ifndef NUTATE_BASE_MEMSTREAM_H
#define NUTATE_BASE_MEMSTREAM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Closes `to`: whether all that was written is in *text, to be freed. Where memory was out for a
 * part of it, *text is freed and NULL. (The C library trims the text as it closes the stream; where
 * that finds no memory, fclose succeeds and there is no text.) */
static inline bool nt_memstream_end(FILE *to, char **text)
{
    bool good = !ferror(to);
    good = fclose(to) == 0 && good && *text;
    if (!good) {
        free(*text);
        *text = NULL;
    }
    return good;
}

#endif
