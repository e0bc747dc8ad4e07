/* Cables of any number of segments between ends of any kind: their tangents at random places in
 * both frames, and lines that pull on one body, which have the same bits for any number of threads.
 */
#include "mechanism.h"
#include "random_point.h"

#include "system/problem.h"

/* ---- tangents ------------------------------------------------------------------------------- */

/* Bodies that move and turn, turn alone, move alone; a node of a line; the ground. Places of the
 * first and of the second end there: points have one alone. */
typedef struct end {
    const char *name, *at[2];
} end;
static const end ends[] = {
    {"a", {"[0.3, 0.1, -0.2]", "[0.8, 0, 0.4]"}},
    {"b", {"[0.3, 0.1, -0.2]", "[0.8, 0, 0.4]"}},
    {"c", {"[0.3, 0.1, -0.2]", "[0.8, 0, 0.4]"}},
    {"ground", {"[0.3, 0.1, 0.3]", "[0.8, 0, 0.4]"}},
    {"p", {"[0.9, 0.2, -0.3]", "[0.9, 0.2, -0.3]"}},
    {"other.node2", {"[0, 0, 0]", "[0, 0, 0]"}},
};
enum { ENDS = 6, FIRST_POINT = 4, ROOM = 1000 };

static const int segments[] = {1, 2, 3, 5};
enum { LENGTHS = 4 };

static const char cable_text[] =
    "nutate: 1\n"
    "gravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, -0.03, 0.01], center_of_mass: [0.1, -0.2, "
    "0.05],\n"
    "      position: [0.2, 0.4, -0.1], orientation: {rotation_vector: [0.3, -0.5, 0.2]}}\n"
    "  b: {mass: 1, inertia: [0.2, 0.4, 0.5], position: [0.9, -0.4, 0.3]}\n"
    "  c: {mass: 3, inertia: [0.4, 0.4, 0.2], center_of_mass: [0, 0, 0.3],\n"
    "      fixed_point: [0, 0, 0]}\n"
    "  p: {point: true, mass: 1.2, position: [0.9, 0.2, -0.3]}\n"
    "cables:\n"
    "  other: {between: [ground, ground], at: [[-1, 0, 0], [2, 0, 1]], length: 3, mass: 0.5,\n"
    "          stiffness: 40, elements: 3}\n"
    "  line: {between: [%s, %s], at: [%s, %s], length: 0.4, mass: 0.7, stiffness: 60, damping: "
    "0.05,\n"
    "         elements: %d, seabed: {height: \"0.2 + 0.3*line.x^2 - 0.2*line.x*line.y\",\n"
    "         stiffness: 30, damping: 4, friction: 0.4, speed: 0.5}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

/* The largest error of differences, with a step of 1e-6, beside that of rounding. */
static const double TANGENT = 1e-7;

static nt_run *read_line(const end *first, const end *second, int n)
{
    char text[2000];
    nt_run *run;
    nt_error error = {0};
    snprintf(text, sizeof text, cable_text, first->name, second->name, first->at[0], second->at[1],
             n);
    if (read_run_text(&run, text, strlen(text), "line", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    return run;
}

static void check_tangents(nt_run *run, unsigned seed, const char *what)
{
    double memory[ROOM];
    nt_error error = {0};
    for (int trial = 0; trial < 4; trial++) {
        nt_point at = random_point(run, &seed, memory);
        nt_frame frame = trial % 2 ? NT_BODY : NT_INERTIAL;
        nt_problem *problem;
        double off;
        assert_int_equal(nt_problem_create(&problem, nt_run_system(run), frame, &error), NT_OK);
        assert_int_equal(nt_problem_check_tangent(problem, &at, 1e-6, &off, &error), NT_OK);
        nt_problem_destroy(problem);
        if (!(off < TANGENT))
            fail_msg("%s: tangent is off by %.3g", what, off);
    }
}

/* Also where both ends are of one body; of a point they would be one place. */
static void tangents_between_any_ends(void **state)
{
    (void)state;
    for (int i = 0; i < ENDS * ENDS * LENGTHS; i++) {
        const end *first = &ends[i % ENDS], *second = &ends[i / ENDS % ENDS];
        int n = segments[i / ENDS / ENDS];
        char what[100];
        if (first == second && first >= &ends[FIRST_POINT])
            continue;
        nt_run *run = read_line(first, second, n);
        snprintf(what, sizeof what, "%d segments from %s to %s", n, first->name, second->name);
        check_tangents(run, 7u * (unsigned)i + 3, what);
        destroy_run(run);
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Lines that pull on one body and on each other, and lie on a bed in part. */
static const char moored[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  float: {mass: 2000, inertia: [900, 700, 800], position: [0.5, 0, 0], velocity: [0.4, 0, "
    "0]}\n"
    "  buoy: {mass: 100, inertia: [20, 20, 10], position: [12, 0, 1], velocity: [0, 1, 0]}\n"
    "cables:\n"
    "  one: {between: [ground, float], at: [[-30, 0, -10], [-1, 0, 0]], length: 33, mass: 5,\n"
    "        stiffness: 1e5, damping: 1e-2, elements: 60,\n"
    "        seabed: {height: -10, stiffness: 1e4, damping: 100, friction: 0.4}}\n"
    "  two: {between: [ground, float], at: [[20, 20, -10], [1, 1, 0]], length: 30, mass: 5,\n"
    "        stiffness: 1e5, damping: 1e-2, elements: 50,\n"
    "        seabed: {height: -10, stiffness: 1e4, damping: 100, friction: 0.4}}\n"
    "  between: {between: [float, buoy], at: [[1, 0, 0], [11.5, 0, 1]], length: 10, mass: 2,\n"
    "        stiffness: 1e5, damping: 1e-2, elements: 40}\n"
    "  side: {between: [two.node25, buoy], at: [[0, 0, 0], [12.5, 0, 1]], length: 9, mass: 1,\n"
    "        stiffness: 1e4, damping: 1e-2, elements: 30}\n"
    "  bight: {between: [float, float], at: [[1, 0, 0], [-1, 0, 0]], length: 4, mass: 2,\n"
    "        stiffness: 1e5, damping: 1e-2, elements: 40}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

/* q and v after some steps, in out[nq + nv]. */
static size_t move(const char *method, int threads, double *out)
{
    nt_run *run;
    nt_integrator *integrator;
    nt_error error = {0};
    if (read_run_text(&run, moored, strlen(moored), "moored", NULL, NULL, 0, &error) != NT_OK ||
        nt_run_set_threads(run, threads, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_integrator_setup setup = {.system = nt_run_system(run), .method = nt_method_find(method)};
    if (nt_integrator_create(&integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
        nt_integrator_run(integrator, 0.1, 1e-2, NULL, NULL, &error) != NT_OK)
        fail_msg("%s, %d threads: %s", method, threads, error.message);
    nt_state now = nt_integrator_state(integrator);
    const nt_space *space = &nt_run_system(run)->space;
    size_t nq = (size_t)space->nq, nv = (size_t)space->nv;
    assert_true(nq + nv <= 2 * ROOM);
    memcpy(out, now.q, nq * sizeof *out);
    memcpy(out + nq, now.v, nv * sizeof *out);
    nt_integrator_destroy(integrator);
    destroy_run(run);
    return nq + nv;
}

static void threads_give_the_same_bits(void **state)
{
    static const char *const methods[] = {"generalized-alpha", "theta", "semi-explicit-2"};
    double alone[2 * ROOM], together[2 * ROOM];
    (void)state;
    for (int i = 0; i < 3; i++) {
        size_t size = move(methods[i], 1, alone);
        for (int threads = 2; threads <= 5; threads++) {
            assert_int_equal(move(methods[i], threads, together), size);
            if (memcmp(alone, together, size * sizeof *alone) != 0)
                fail_msg("%s: %d threads give other bits than one", methods[i], threads);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_between_any_ends),
        cmocka_unit_test(threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
