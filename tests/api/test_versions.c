/* Structs of another version are refused before anything but `version` is read: each stands at the
 * very end of a page behind which nothing may be read, with no more than its first eight bytes. */
#include "api/null.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static char *page;

/* The last eight bytes before a page that cannot be read. */
static void *short_struct(int version)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    if (!page) {
        int zeros = open("/dev/zero", O_RDWR);
        page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
        assert_true(page != (char *)MAP_FAILED);
        assert_int_equal(mprotect(page + size, size, PROT_NONE), 0);
        close(zeros);
    }
    char *at = page + size - 8;
    memset(at, 0, 8);
    memcpy(at, &version, sizeof version);
    return at;
}

/* A call with the struct in place; it says the version and the one that was expected. */
#define REFUSED(argument, call)                                                                    \
    do {                                                                                           \
        char words_[64];                                                                           \
        snprintf(words_, sizeof words_, argument ".version is %d, expected NT_INTERFACE, %d",      \
                 version, NT_INTERFACE);                                                           \
        refused(#call, words_, call);                                                              \
        assert_memory_equal(given, &version, sizeof version);                                      \
    } while (0)

static void every_struct_refuses(int version)
{
    void *given = short_struct(version);
    const nt_state_rate *rate = given;
    const double *none = NULL;
    nt_integrator *integrator;
    nt_static *st;
    nt_modes *modes;
    nt_campbell *campbell;
    nt_linear *linear;
    nt_orbit *orbit;
    nt_result_writer *writer;
    nt_record *other;
    double difference;
    const nt_point at = {.q = now.q, .v = now.v, .vdot = now.vdot, .lambda = now.lambda};
    const nt_method *method = setup.method;
    nt_integrator_setup by_hand = {.system = given, .method = method};
    nt_static_setup resting = {.system = given};
    nt_modes_setup shaking = {.system = given, .state = &now};
    nt_orbit_setup around = {.integrator = given, .q = now.q, .v = now.v};
    nt_orbit_setup about = {.integrator = &by_hand, .q = now.q, .v = now.v};

    REFUSED("system", nt_system_check(given, e));
    REFUSED("system", nt_system_check_tangent(given, &at, 1e-6, &difference, e));
    REFUSED("system", nt_method_check_system(method, given, e));
    REFUSED("system", nt_method_check_tolerance(method, given, e));
    REFUSED("setup.system", nt_integrator_create(&integrator, &by_hand, e));
    REFUSED("setup.system", nt_static_create(&st, &resting, e));
    REFUSED("setup.system", nt_modes_create(&modes, &shaking, e));
    REFUSED("setup.integrator.system", nt_orbit_create(&orbit, &about, e));
    REFUSED("setup", nt_integrator_create(&integrator, given, e));
    REFUSED("setup", nt_run_setup(run, given, e));
    REFUSED("setup", nt_run_bound_steps(run, 0, 1, given, e));
    REFUSED("setup", nt_static_create(&st, given, e));
    REFUSED("setup", nt_run_static_setup(run, given, e));
    REFUSED("setup", nt_modes_create(&modes, given, e));
    REFUSED("setup", nt_campbell_create(&campbell, given, e));
    REFUSED("setup", nt_linear_create(&linear, given, e));
    REFUSED("setup", nt_orbit_create(&orbit, given, e));
    REFUSED("setup.integrator", nt_orbit_create(&orbit, &around, e));
    REFUSED("setup", nt_result_create(&writer, given, e));
    REFUSED("setup", nt_record_create(&other, given, e));
    REFUSED("row", nt_record_put(record, given, e));
    REFUSED("setup", nt_report_write(given, e));
    REFUSED("rate", nt_run_sample_tangent(run, &quantity, 1, &now, none, rate, none, numbers, e));
    REFUSED("rate", nt_run_objective_tangent(run, &now, none, rate, none, numbers, e));
    resting.system = s;
    require(nt_static_create(&st, &resting, e));
    REFUSED("path", nt_static_follow(st, given, e));
    nt_static_destroy(st);
}

static void other_versions_are_refused_unread(void **state)
{
    (void)state;
    const int versions[] = {-1, 1, 2, NT_INTERFACE - 1, NT_INTERFACE + 1, 77};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        every_struct_refuses(versions[i]);
}

/* With the present version, and with 0, all is taken. */
static void this_version_is_taken(void **state)
{
    (void)state;
    for (int version = 0; version <= NT_INTERFACE; version += NT_INTERFACE) {
        nt_system system = *s;
        system.version = version;
        require(nt_system_check(&system, e));
        nt_integrator_setup of = {.version = version};
        nt_integrator *integrator;
        require(nt_run_setup(run, &of, e));
        assert_int_equal(of.version, NT_INTERFACE);
        of.version = version;
        of.system = &system;
        require(nt_integrator_create(&integrator, &of, e));
        nt_integrator_destroy(integrator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_versions_are_refused_unread),
        cmocka_unit_test(this_version_is_taken),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
