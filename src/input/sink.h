/* Text that grows into a buffer of fixed size, in the manner of snprintf. */
#ifndef NUTATE_INPUT_SINK_H
#define NUTATE_INPUT_SINK_H

#include <nutate/status.h>

/* Zero but for text and size to begin with. */
typedef struct nt_sink {
    char *text; /* [size], always terminated where size > 0 */
    int size;
    int length; /* of the whole text, also of what did not fit */
} nt_sink;

void nt_sink_print(nt_sink *sink, const char *format, ...) NT_PRINTF(2, 3);

/* A JSON string with its quotes; bytes above 127 are passed on as UTF-8. */
void nt_sink_json(nt_sink *sink, const char *text);

#endif
