/* Numbers packed for a page: second differences, gzip, base64; and text as JSON within HTML. */
#ifndef NUTATE_OUTPUT_REPORT_PACK_H
#define NUTATE_OUTPUT_REPORT_PACK_H

#include <nutate/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

/* Packs bytes into a file: gzip, then base64 without line ends. The first failure stays, and
 * everything after it does nothing. */
typedef struct nt_pack {
    FILE *to;
    z_stream zip;
    unsigned char in[4096], out[4098]; /* what waits to be compressed; a multiple of three bytes */
    size_t in_used, out_used;
    nt_status status; /* NT_OK, NT_IO or NT_NO_MEMORY */
} nt_pack;

void nt_pack_begin(nt_pack *pack, FILE *to);
void nt_pack_bytes(nt_pack *pack, const void *bytes, size_t size);
/* Writes what waits and frees what the packing held; returns pack->status. */
nt_status nt_pack_end(nt_pack *pack);

/* Channels of whole numbers: what a channel begins with and its second differences, each zigzag
 * (0, -1, 1, -2 become 0, 1, 2, 3) in bytes of seven bits, the lowest first, the eighth bit set
 * where more follow. |x| < 2^52. */
typedef struct nt_channel {
    int64_t value, slope;
} nt_channel;
void nt_pack_number(nt_pack *pack, nt_channel *channel, int64_t x);

/* The number that orders as a finite or infinite `x` does among all such numbers of 32 bits:
 * neighbours differ by one. */
int64_t nt_float_order(double x);

/* text[length] as a JSON string, which also may stand within HTML: `<`, `>` and `&` are escaped.
 * What is no UTF-8 becomes U+FFFD. */
void nt_page_text(FILE *to, const char *text, size_t length);

#endif
