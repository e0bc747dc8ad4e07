/* Options by name: what a method has is read, what it does not have ends the program. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "method/method.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every option of every method can be read, and is its default. */
static void all_options_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < nt_method_count(); i++) {
        const nt_method *method = nt_method_at(i);
        double values[NT_OPTION_NAMES];
        nt_options options;
        nt_error error;
        int count = 0;
        assert_int_equal(nt_method_parse_options(method, NULL, 0, values, "", &error), NT_OK);
        assert_int_equal(nt_options_resolve(&options, method, values, &error), NT_OK);
        for (int name = 0; name < NT_OPTION_NAMES; name++) {
            if (!nt_options_have(&options, name))
                continue;
            double value = nt_options_get(&options, name), sum = 0;
            for (int k = 0; k < method->n_options; k++)
                sum += method->options[k].fallback == value ||
                       (isnan(method->options[k].fallback) && isnan(value));
            assert_true(sum >= 1);
            count++;
        }
        assert_int_equal(count, method->n_options);
    }
}

/* The splitting methods have no coefficients of generalized-alpha. */
static void a_missing_option_ends_the_program(void **state)
{
    (void)state;
    static const char *const methods[] = {"semi-explicit", "theta"};
    for (int i = 0; i < 2; i++) {
        const nt_method *method = nt_method_find(methods[i]);
        double values[NT_OPTION_NAMES];
        nt_options options;
        nt_error error;
        assert_int_equal(nt_method_parse_options(method, NULL, 0, values, "", &error), NT_OK);
        assert_int_equal(nt_options_resolve(&options, method, values, &error), NT_OK);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGILL, SIG_DFL); /* a sanitizer would report it and exit */
            _exit(nt_options_get(&options, NT_OPTION_RHO_INF) > 0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_options_have_names),
        cmocka_unit_test(a_missing_option_ends_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
