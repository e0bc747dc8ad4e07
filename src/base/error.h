/* Filling an nt_error. */
#ifndef NUTATE_BASE_ERROR_H
#define NUTATE_BASE_ERROR_H

#include <nutate/status.h>
#include <stdarg.h>

/* Clear the error, set status and message (one line: what it quotes is made so), return the status:
 * `return nt_fail(e, NT_INVALID, ...)`. error may be NULL. */
nt_status nt_fail(nt_error *error, nt_status status, const char *format, ...) NT_PRINTF(3, 4);

/* The same with a place in a file. */
nt_status nt_fail_at(nt_error *error, nt_status status, const char *file, int line, int column,
                     const char *format, ...) NT_PRINTF(6, 7);

/* The same for functions that have such arguments themselves. */
nt_status nt_fail_with(nt_error *error, nt_status status, const char *file, int line, int column,
                       const char *format, va_list arguments) NT_PRINTF(6, 0);

/* The two ends of a public function that takes an nt_error: it clears the error before all else
 * and returns nt_said(error, status). A status other than NT_OK then has words whatever was called
 * in between: those that were written, or else its own text. error may be NULL. */
void nt_error_clear(nt_error *error);
nt_status nt_said(nt_error *error, nt_status status);

#endif
