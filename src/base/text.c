#include "base/text.h"

size_t nt_character_length(const char *text, size_t left)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80   ? 1
                    : c[0] < 0xC2 ? 0
                    : c[0] < 0xE0 ? 2
                    : c[0] < 0xF0 ? 3
                    : c[0] < 0xF5 ? 4
                                  : 0;
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) ||
        (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))
        return 0;
    return length;
}

bool nt_character_is_control(const char *text, size_t length)
{
    const unsigned char *c = (const unsigned char *)text;
    switch (length) {
    case 1:
        return (c[0] < 0x20 && c[0] != '\t' && c[0] != '\n' && c[0] != '\r') || c[0] == 0x7F;
    case 2:
        return c[0] == 0xC2 && c[1] < 0xA0 && c[1] != 0x85;
    case 3:
        return c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE; /* U+FFFE, U+FFFF */
    default:
        return false;
    }
}

bool nt_text_is_line(const char *text, size_t length)
{
    for (size_t at = 0, bytes; at < length; at += bytes) {
        bytes = nt_character_length(text + at, length - at);
        if (bytes == 0 || (unsigned char)text[at] < 0x20 ||
            nt_character_is_control(text + at, bytes))
            return false;
    }
    return true;
}

void nt_text_to_line(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7F)
            *c = ' ';
}
