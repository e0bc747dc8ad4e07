/* What a page holds of one result: a description as JSON, and its numbers packed. */
#ifndef NUTATE_OUTPUT_REPORT_RESULT_H
#define NUTATE_OUTPUT_REPORT_RESULT_H

#include <nutate/output.h>

#include <stdio.h>

/* A result in a page, or a table beside one. */
typedef struct nt_report_part {
    const char *path;
    const char *table;   /* "events"; NULL: the result itself    */
    const char *account; /* NAME=VALUE lines; NULL              */
    int number;          /* of the result in the page           */
    long most_rows;
} nt_report_part;

/* Write it: elements <script type="application/json" class="part"> and <script class="block">,
 * which are data. NT_IO, NT_NO_MEMORY. */
nt_status nt_report_put(FILE *to, nt_result *result, const nt_report_part *part, nt_error *error);

#endif
