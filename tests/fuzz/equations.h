/* Whether a model that runs obeys its equations, found without the methods: the library's public
 * interface integrates it as the command does, and the system is asked at every step's end. */
#ifndef NUTATE_TESTS_FUZZ_EQUATIONS_H
#define NUTATE_TESTS_FUZZ_EQUATIONS_H

/* The arguments are those of the command. NULL, or what does not hold, in words. */
const char *equations_hold(const char *model, int count, char *const *arguments);

#endif
