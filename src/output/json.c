#include "output/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void json_raw(nt_json *j, const char *text) { nt_bytes_put(j->out, text, strlen(text)); }

static void json_quoted(nt_json *j, const char *text)
{
    json_raw(j, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        char code[8];
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
            nt_bytes_put(j->out, text, 1);
            continue;
        }
        snprintf(code, sizeof code, "\\u%04x", c);
        json_raw(j, code);
    }
    json_raw(j, "\"");
}

/* The name of a member; a value follows. */
static void json_member(nt_json *j, const char *name)
{
    if (!j->first)
        json_raw(j, ", ");
    j->first = false;
    if (name) {
        json_quoted(j, name);
        json_raw(j, ": ");
    }
}

void nt_json_begin(nt_json *j, const char *name, const char *bracket)
{
    json_member(j, name);
    json_raw(j, bracket);
    j->first = true;
}

void nt_json_end(nt_json *j, const char *bracket)
{
    json_raw(j, bracket);
    j->first = false;
}

void nt_json_text(nt_json *j, const char *name, const char *text)
{
    json_member(j, name);
    json_quoted(j, text);
}

void nt_json_plain(nt_json *j, const char *name, const char *text)
{
    json_member(j, name);
    json_raw(j, text);
}

void nt_json_number(nt_json *j, const char *name, double x)
{
    char text[NT_DECIMAL_ROOM];
    json_member(j, name);
    nt_bytes_put(j->out, text, (size_t)nt_decimal_write(&j->decimal, isfinite(x) ? x : 0, text));
}

void nt_json_integer(nt_json *j, const char *name, long x)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", x);
    nt_json_plain(j, name, text);
}

void nt_json_numbers(nt_json *j, const char *name, const double *x, int n)
{
    nt_json_begin(j, name, "[");
    for (int i = 0; i < n; i++)
        nt_json_number(j, NULL, x[i]);
    nt_json_end(j, "]");
}

void nt_json_vector(nt_json *j, const char *name, v3 x)
{
    nt_json_numbers(j, name, (const double[3]){x.x, x.y, x.z}, 3);
}

void nt_json_base64(nt_json *j, const char *name, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    nt_json_begin(j, name, "\"");
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned long three = (unsigned long)from[i] << 16;
        three |= left > 1 ? (unsigned long)from[i + 1] << 8 : 0;
        three |= left > 2 ? from[i + 2] : 0;
        char text[4] = {digits[three >> 18], digits[three >> 12 & 63],
                        left > 1 ? digits[three >> 6 & 63] : '=',
                        left > 2 ? digits[three & 63] : '='};
        nt_bytes_put(j->out, text, 4);
    }
    nt_json_end(j, "\"");
}
