/* SHA-256 (FIPS 180-4), to say which text a result was computed from. */
#ifndef NUTATE_OUTPUT_DIGEST_H
#define NUTATE_OUTPUT_DIGEST_H

#include <stddef.h>

enum { NT_DIGEST_ROOM = 65 };

/* 64 hexadecimal digits and a terminator: what `sha256sum` prints for a file of these bytes. */
void nt_digest(const void *bytes, size_t length, char text[NT_DIGEST_ROOM]);

#endif
