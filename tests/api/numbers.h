/* Numbers that are none, and what is demanded of a function that is given one. */
#ifndef NUTATE_TESTS_API_NUMBERS_H
#define NUTATE_TESTS_API_NUMBERS_H

#include "api/null.h"

#include <limits.h>

static const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
static const double not_positive[] = {(double)NAN, (double)INFINITY, -1, 0};
static const double negative[] = {(double)NAN, (double)INFINITY, -1};

/* x goes through the numbers of an array. */
#define foreach(x, list)                                                                           \
    for (double k_ = 0, x = 0;                                                                     \
         k_ < (double)(sizeof list / sizeof *list) && (x = list[(int)k_], 1); k_++)

/* The call that is written in `call` must have been refused with words that hold `expected`. */
static void not_taken(const char *call, const char *expected, nt_status status)
{
    if (status != NT_INVALID || error.status != NT_INVALID || !strstr(error.message, expected))
        fail_msg("%s: status %d, \"%s\"; expected \"%s\"", call, (int)status, error.message,
                 expected);
    memset(&error, 0, sizeof error);
}
#define NOT_TAKEN(words, call) not_taken(#call, words, call)

#endif
