/* Changes to an invocation of the command: a text whose first line is `# nutate COMMAND OPTIONS`
 * and whose rest is the model. */
#ifndef NUTATE_TESTS_FUZZ_MUTATE_H
#define NUTATE_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Uniform in 0 .. n - 1; *seed goes on (splitmix64). */
uint64_t mutate_random(uint64_t *seed, uint64_t n);

/* Changes numbers, words and lines of text[size] in place; it may grow to room - 1 bytes. Returns
 * the new size. The same seed makes the same changes. */
size_t mutate_invocation(char *text, size_t size, size_t room, uint64_t seed);

#endif
