/* Memory per body, by counting: from a model's file to the steps of its run, what is alive at most,
 * and what stays. The executable's own calls of malloc and its like go through the counters below
 * (linked with --wrap; the library is static, so its calls are among them), each with the size that
 * the allocator set aside; what libyaml and the C library take for themselves does not grow with
 * the model. Two chains of different length are compared, or two lines of different numbers of
 * segments: what does not grow drops out. */
#include "api/runs.h"
#include "tests/read_run.h"

#include <malloc.h>
#include <nutate/output.h>

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);

static size_t alive, peak; /* bytes */

static void *count(void *memory)
{
    alive += malloc_usable_size(memory);
    peak = alive > peak ? alive : peak;
    return memory;
}

void *__wrap_malloc(size_t size) { return count(__real_malloc(size)); }
void *__wrap_calloc(size_t number, size_t size) { return count(__real_calloc(number, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return count(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    size_t before = malloc_usable_size(old);
    void *memory = __real_realloc(old, size);
    alive -= memory ? before : 0;
    return memory ? count(memory) : NULL;
}

void __wrap_free(void *memory)
{
    alive -= malloc_usable_size(memory);
    __real_free(memory);
}

/* ---- a chain -------------------------------------------------------------------------------- */

/* How much of the motion's begin the file gives. */
typedef enum given {
    ALL,     /* positions and all velocities: nothing is left to find                      */
    NO_SPIN, /* angular velocities are found, those of least energy                        */
    NOTHING, /* joints by points in the bodies' own axes: the positions are found from them */
} given;

/* Rods of 0.25 m on a line, the first on the ground. */
static void write_chain(const char *path, int n, given what)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("nutate: 1\ngravity: [0, -9.81, 0]\nbodies:\n", file);
    for (int i = 0; i < n; i++) {
        fprintf(file, "  b%d:\n    mass: 0.078125\n    inertia: [8.1e-6, 4.1e-4, 4.1e-4]\n", i);
        if (what != NOTHING)
            fprintf(file, "    position: [%.17g, 0, 0]\n    velocity: [0, 0, 0]\n",
                    0.125 + 0.25 * i);
        if (what == ALL)
            fputs("    angular_velocity: [5, 0, 0]\n", file);
    }
    fputs("joints:\n", file);
    for (int i = 0; i < n; i++) {
        char before[20] = "ground";
        if (i > 0)
            snprintf(before, sizeof before, "b%d", i - 1);
        fprintf(file, "  j%d: {type: spherical, between: [%s, b%d], ", i, before, i);
        if (what != NOTHING)
            fprintf(file, "at: [%.17g, 0, 0]}\n", 0.25 * i);
        else
            fprintf(file, "points: [[%g, 0, 0], [-0.125, 0, 0]]}\n", i > 0 ? 0.125 : 0);
    }
    fprintf(file, "simulation: {duration: 1, step: 1e-3}\noutput: {record: [b%d.position]}\n",
            n - 1);
    assert_int_equal(fclose(file), 0);
}

/* A mooring line of n segments, a part of which lies on its bed. */
static void write_cable(const char *path, int n)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "nutate: 1\ngravity: [0, 0, -9.81]\n"
            "cables:\n"
            "  line: {between: [ground, ground], at: [[0, 0, -200], [800, 0, -14]], length: 850,\n"
            "         mass: 110, stiffness: 7.5e8, damping: 1e-2, elements: %d,\n"
            "         seabed: {height: -200, stiffness: 1e5, damping: 1e4, friction: 0.6}}\n"
            "simulation: {duration: 1, step: 1e-3}\noutput: {record: [line.tension]}\n",
            n);
    assert_int_equal(fclose(file), 0);
}

typedef struct bytes {
    double kept, peak;
} bytes;

static const char path[] = "model.yaml";

/* What `nutate run` does with the model there, and what it has taken after two steps. */
static bytes measure(void)
{
    nt_error error = {0};
    nt_run *own;
    nt_integrator *integrator;
    nt_record *record;
    size_t before = peak = alive;
    must(read_run(&own, path, NULL, 0, &error), &error);
    nt_integrator_setup setup = {.system = nt_run_system(own),
                                 .method = nt_method_find("generalized-alpha")};
    must(nt_integrator_create(&integrator, &setup, &error), &error);
    must(nt_integrator_start(integrator, 0, NULL, NULL, NULL, &error), &error);
    must(nt_record_open(&record, own, "model.csv", NT_CSV, "", &error), &error);
    must(nt_integrator_run(integrator, 2e-3, 1e-3, NULL, NULL, &error), &error);
    must(nt_record_advance(record, integrator, &error), &error);
    assert_int_equal(nt_integrator_statistics(integrator)->fallbacks, 0);
    bytes result = {(double)(alive - before), (double)(peak - before)};
    must(nt_record_close(record, &error), &error);
    nt_integrator_destroy(integrator);
    destroy_run(own);
    assert_true(alive == before);
    return result;
}

/* Below 8 kB for each of so many more. */
static void check_growth(bytes few, bytes many, int more, const char *what)
{
    static const double most = 8e3;
    double kept = (many.kept - few.kept) / more, at_most = (many.peak - few.peak) / more;
    print_message("%.0f bytes per %s kept, %.0f at most\n", kept, what, at_most);
    assert_true(kept > 0);
    assert_true(at_most < most);
}

/* Whatever has to be found before the first step. So many bodies that what arenas hold ready
 * (256 kB each at most) is little. */
static void bytes_per_body(void **state)
{
    (void)state;
    enum { FEW = 1024, MANY = 4096 };
    for (given what = ALL; what <= NOTHING; what++) {
        write_chain(path, FEW, what);
        bytes few = measure();
        write_chain(path, MANY, what);
        check_growth(few, measure(), MANY - FEW, "body");
    }
}

/* Of a cable's segments as well, however many there are. */
static void bytes_per_segment(void **state)
{
    (void)state;
    enum { FEW = 400, MANY = 1600 };
    write_cable(path, FEW);
    bytes few = measure();
    write_cable(path, MANY);
    check_growth(few, measure(), MANY - FEW, "segment");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_per_body),
        cmocka_unit_test(bytes_per_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
