/* Plugins that cannot be used are told. One that can is examples/tyre_plugin. */
#include <nutate/nutate.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void what_is_no_plugin_is_told(void **state)
{
    (void)state;
    nt_error error;
    assert_int_equal(nt_plugin_load("./no_such_file.so", &error), NT_IO);
    assert_non_null(strstr(error.message, "no_such_file.so cannot be loaded"));
    assert_int_equal(nt_plugin_load(PLUGIN_OF_OLD, &error), NT_INVALID);
    assert_non_null(
        strstr(error.message, "was written for version 6 of element types, expected 5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_plugin_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
