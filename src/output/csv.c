/* Comma-separated values: a row of column names, then one row for each output time. Numbers have
 * 17 significant digits, so that reading them gives back the same doubles. */
#include "output/format.h"

#include <string.h>

static nt_status csv_head(const nt_result_setup *setup, const char *path, nt_bytes *out,
                          nt_error *error)
{
    (void)path, (void)error;
    for (int i = 0; i < setup->n_columns; i++) {
        const char *name = setup->columns[i].name;
        bool quoted = strchr(name, ',') != NULL; /* dot(v, w) */
        nt_bytes_put(out, "\"", quoted);
        nt_bytes_put(out, name, strlen(name));
        nt_bytes_put(out, "\"", quoted);
        nt_bytes_put(out, i + 1 < setup->n_columns ? "," : "\n", 1);
    }
    return NT_OK;
}

static size_t csv_room(const nt_result_setup *setup)
{
    size_t room = (size_t)setup->n_columns * (NT_DECIMAL_ROOM + 1);
    for (int i = 0; i < setup->n_words; i++) {
        size_t longest = 0;
        for (int k = 0; k < setup->words[i].n; k++) {
            size_t length = strlen(setup->words[i].words[k]);
            longest = length > longest ? length : longest;
        }
        room += longest;
    }
    return room;
}

static size_t csv_row(const nt_layout *layout, const double *values, char *out)
{
    char *at = out;
    for (int i = 0; i < layout->n_columns; i++) {
        const nt_result_words *words = &layout->words[i];
        if (words->n > 0) {
            const char *word = words->words[(int)values[i]];
            size_t length = strlen(word);
            memcpy(at, word, length);
            at += length;
        } else
            at += nt_decimal_write(&layout->decimal, values[i], at);
        *at++ = i + 1 < layout->n_columns ? ',' : '\n';
    }
    return (size_t)(at - out);
}

const nt_format nt_format_csv = {.head = csv_head, .room = csv_room, .row = csv_row};
