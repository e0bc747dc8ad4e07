/* JSON, member by member. Memory that is out shows in `out`. */
#ifndef NUTATE_OUTPUT_JSON_H
#define NUTATE_OUTPUT_JSON_H

#include "base/vector3.h"
#include "output/format.h"

/* Begins with out, first = true, and nt_decimal_init. */
typedef struct nt_json {
    nt_bytes *out;
    nt_decimal decimal;
    bool first; /* nothing is in the innermost object or list yet */
} nt_json;

/* name is that of a member of an object, or NULL for an item of a list. */
void nt_json_begin(nt_json *j, const char *name, const char *bracket);
void nt_json_end(nt_json *j, const char *bracket);
void nt_json_text(nt_json *j, const char *name, const char *text);
void nt_json_plain(nt_json *j, const char *name, const char *text); /* is JSON already */
void nt_json_integer(nt_json *j, const char *name, long x);
/* What is no finite number is written as 0. */
void nt_json_number(nt_json *j, const char *name, double x);
void nt_json_numbers(nt_json *j, const char *name, const double *x, int n);
void nt_json_vector(nt_json *j, const char *name, v3 x);
/* 3 bytes as 4 characters. */
void nt_json_base64(nt_json *j, const char *name, const void *bytes, size_t size);

#endif
