#include "input/sink.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void nt_sink_print(nt_sink *sink, const char *format, ...)
{
    va_list arguments;
    int room = sink->size > sink->length ? sink->size - sink->length : 0;
    va_start(arguments, format);
    int used = vsnprintf(room ? sink->text + sink->length : NULL, (size_t)room, format, arguments);
    va_end(arguments);
    sink->length += used > 0 ? used : 0;
}

void nt_sink_json(nt_sink *sink, const char *text)
{
    nt_sink_print(sink, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            nt_sink_print(sink, "\\%c", c);
        else if (c < 0x20)
            nt_sink_print(sink, "\\u%04x", c);
        else
            nt_sink_print(sink, "%c", c);
    }
    nt_sink_print(sink, "\"");
}
