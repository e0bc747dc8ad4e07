/* Status codes and the error record that every fallible function fills.
 *
 * Threads. All functions here may be called from any thread at any time; an nt_error belongs to the
 * thread that hands it in. */
#ifndef NUTATE_STATUS_H
#define NUTATE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NT_API __attribute__((visibility("default")))
#define NT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define NT_API
#define NT_PRINTF(text, first)
#endif

/* Version of these headers, in numbers and as the text "0.1.0"; nt_version() has that of the
 * library. A program must be compiled again for a library of another major.minor, whose soname is
 * another. */
#define NT_VERSION_MAJOR 0
#define NT_VERSION_MINOR 1
#define NT_VERSION_PATCH 0
#define NT_VERSION_TEXT(major, minor, patch) #major "." #minor "." #patch
#define NT_VERSION_OF(major, minor, patch) NT_VERSION_TEXT(major, minor, patch)
#define NT_VERSION NT_VERSION_OF(NT_VERSION_MAJOR, NT_VERSION_MINOR, NT_VERSION_PATCH)

/* The version of structs that a caller fills in, see nutate.h. */
#define NT_INTERFACE 3

/* Statuses, their numbers and texts. A number is never changed, and never used again for another
 * status. New ones are added at the end: a program must expect numbers that it does not know. */
#define NT_STATUS_LIST(X)                                                                          \
    X(NT_OK, 0, "done")                                                                            \
    X(NT_INTERRUPTED, 1, "interrupted")                                                            \
    X(NT_NO_MEMORY, 2, "out of memory")                                                            \
    X(NT_INVALID, 3, "wrong argument")                                                             \
    X(NT_BAD_MODEL, 4, "bad model")                                                                \
    X(NT_INCONSISTENT, 5, "initial values contradict the constraints")                             \
    X(NT_UNSUPPORTED, 6, "the system lacks a capability that the method needs")                    \
    X(NT_NOT_CONVERGED, 7, "the iteration did not converge")                                       \
    X(NT_SINGULAR, 8, "the equations are singular")                                                \
    X(NT_NOT_FINITE, 9, "the equations have no value")                                             \
    X(NT_IO, 10, "input or output failed")                                                         \
    X(NT_ENERGY, 11, "the energy grows without a cause")

typedef enum nt_status {
#define NT_STATUS_ENUM(code, number, text) code = number,
    NT_STATUS_LIST(NT_STATUS_ENUM)
#undef NT_STATUS_ENUM
} nt_status;

/* What went wrong and where. Owned by the caller; every function that takes one accepts NULL.
 * Fields that do not apply are zero. */
typedef struct nt_error {
    nt_status status;
    char file[256];    /* input: the file, else empty                                  */
    int line, column;  /* input: 1-based place in the file, 0 where there is none       */
    double time;       /* run: time at the start of the failed step, s                  */
    double step;       /* run: size of the failed step, s                               */
    int iteration;     /* run: iterations done in the failed step                       */
    double residual;   /* run: largest residual relative to its tolerance               */
    char message[768]; /* one line: what is wrong, what was expected                    */
} nt_error;

/* The text of a status; static storage. "unknown status" for a number that is none. */
NT_API const char *nt_status_text(nt_status status);

/* Write "file:line:column: message", or the message alone where there is no file, into
 * text[size], always terminated. Returns the length it would have needed. No error (NULL): "" and
 * 0; no text (NULL): the length alone. */
NT_API int nt_error_text(const nt_error *error, char *text, int size);

/* The candidate nearest to a mistyped word[length], for "did you mean". A word may differ by one
 * edit for every three characters, at least by one; of equally near ones the first is taken. NULL
 * when none is near, or word or candidates are NULL. */
NT_API const char *nt_suggest(const char *word, int length, const char *const *candidates, int n);

/* Version of the library in use, "major.minor.patch"; static storage. */
NT_API const char *nt_version(void);

#ifdef __cplusplus
}
#endif
#endif
