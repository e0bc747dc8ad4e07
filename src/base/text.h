/* Text: UTF-8 characters, and messages of one line. */
#ifndef NUTATE_BASE_TEXT_H
#define NUTATE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character at the start of text[left], left > 0; 0 when it is none (RFC 3629:
 * no overlong forms, no surrogates, nothing above 10FFFF). */
size_t nt_character_length(const char *text, size_t left);

/* Whether the character of that length is a control character that YAML does not allow: anything
 * but tab, line feed, carriage return and U+0085. */
bool nt_character_is_control(const char *text, size_t length);

/* Whether text[length] is UTF-8 without any control characters and line ends. */
bool nt_text_is_line(const char *text, size_t length);

/* Turn control characters and line ends into blanks, in place: text that is quoted in a message
 * can neither break its line nor command a terminal. */
void nt_text_to_line(char *text);

/* A hash of bytes: FNV-1a, 64 bits. */
static inline uint64_t nt_hash(const char *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash;
}

#endif
