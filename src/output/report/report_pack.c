/* Numbers packed for a page: second differences, gzip, base64; and text as JSON within HTML. */
#include "output/report/report_pack.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- base64 --------------------------------------------------------------------------------- */

static void pack_put_base64(nt_pack *pack, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4 * sizeof pack->out / 3];
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3) {
        unsigned a = bytes[i], b = i + 1 < size ? bytes[i + 1] : 0;
        unsigned c = i + 2 < size ? bytes[i + 2] : 0, all = a << 16 | b << 8 | c;
        text[length++] = digits[all >> 18];
        text[length++] = digits[all >> 12 & 63];
        text[length++] = i + 1 < size ? digits[all >> 6 & 63] : '=';
        text[length++] = i + 2 < size ? digits[all & 63] : '=';
    }
    if (pack->status == NT_OK && fwrite(text, 1, length, pack->to) != length)
        pack->status = NT_IO;
}

/* ---- gzip ----------------------------------------------------------------------------------- */

void nt_pack_begin(nt_pack *pack, FILE *to)
{
    *pack = (nt_pack){.to = to};
    int gzip = 15 + 16; /* the widest window, with the head of gzip */
    if (deflateInit2(&pack->zip, 6, Z_DEFLATED, gzip, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        pack->status = NT_NO_MEMORY;
}

static void pack_deflate(nt_pack *pack, bool last)
{
    pack->zip.next_in = pack->in;
    pack->zip.avail_in = (uInt)pack->in_used;
    int ended = Z_OK;
    while (pack->status == NT_OK && ended == Z_OK && (last || pack->zip.avail_in > 0)) {
        pack->zip.next_out = pack->out + pack->out_used;
        pack->zip.avail_out = (uInt)(sizeof pack->out - pack->out_used);
        ended = deflate(&pack->zip, last ? Z_FINISH : Z_NO_FLUSH);
        pack->out_used = sizeof pack->out - pack->zip.avail_out;
        if (pack->zip.avail_out > 0 && ended != Z_STREAM_END)
            continue;
        pack_put_base64(pack, pack->out, pack->out_used);
        pack->out_used = 0;
    }
    pack->in_used = 0;
}

void nt_pack_bytes(nt_pack *pack, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0 && pack->status == NT_OK) {
        size_t room = sizeof pack->in - pack->in_used, piece = size < room ? size : room;
        memcpy(pack->in + pack->in_used, from, piece);
        pack->in_used += piece;
        from += piece;
        size -= piece;
        if (pack->in_used == sizeof pack->in)
            pack_deflate(pack, false);
    }
}

nt_status nt_pack_end(nt_pack *pack)
{
    if (pack->status == NT_OK)
        pack_deflate(pack, true);
    deflateEnd(&pack->zip);
    return pack->status;
}

/* ---- numbers -------------------------------------------------------------------------------- */

void nt_pack_number(nt_pack *pack, nt_channel *channel, int64_t x)
{
    int64_t slope = x - channel->value, d = slope - channel->slope;
    uint64_t left = d < 0 ? 2 * (uint64_t)-d - 1 : 2 * (uint64_t)d;
    unsigned char bytes[10];
    size_t n = 0;
    do {
        bytes[n++] = (unsigned char)((left & 127) | (left > 127 ? 128 : 0));
        left >>= 7;
    } while (left > 0);
    *channel = (nt_channel){x, slope};
    nt_pack_bytes(pack, bytes, n);
}

int64_t nt_float_order(double x)
{
    float rounded = (float)x;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    int64_t size = bits & 0x7fffffff;
    return bits >> 31 ? -size : size;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

void nt_page_text(FILE *to, const char *text, size_t length)
{
    fputc('"', to);
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        size_t size = nt_character_length(text + i, length - i);
        if (size == 0)
            fputs("\\ufffd", to);
        else if (c < 32 || c == 127 || c == '<' || c == '>' || c == '&')
            fprintf(to, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else
            fwrite(text + i, 1, size, to);
        i += size > 0 ? size : 1;
    }
    fputc('"', to);
}
