/* Rotors of flexible blades: steps per second with a tangent made anew in every iteration and with
 * factors that turn with the blades.
 *
 *   rotors EXAMPLES          three blades of 6 nodes (5 points) that turn at 1 rad/s, and the rotor
 *                            of the 15 MW turbine (25 elements of order 2 a blade, lumped) of the
 *                            folder of examples, at 0.79 rad/s
 *   rotors EXAMPLES --check  a few steps: only that both end at the same place
 *
 * Processor time of the steps; reading the model and the start are not in it. The exit status is 1
 * where the two ways differ. */
#include "measure.h"

#include <math.h>
#include <nutate/nutate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 5 };

typedef struct rotor {
    const char *name, *path; /* NULL: the three blades */
    nt_model *model;
    int steps;
    double most; /* m, that the ways may differ by at the end */
} rotor;

typedef struct way {
    const rotor *of;
    const char *reuse;
    nt_run *run;
    nt_integrator *it;
    double tip[3];
    nt_error error;
} way;

static size_t three_blades(char *text, size_t room)
{
    size_t used = 0;
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    SAY("nutate: 1\ngravity: [0, 0, -9.81]\nbeams:\n");
    for (int k = 0; k < 3; k++) {
        double c = cos(2 * acos(-1) * k / 3), s = sin(2 * acos(-1) * k / 3);
        SAY("  blade%d:\n    points: [[%.17g, %.17g, 0], [%.17g, %.17g, 0]]\n", k + 1, 2 * c, 2 * s,
            12 * c, 12 * s);
        SAY("    normal: [%.17g, %.17g, 0]\n    velocity: [%.17g, %.17g, 0]\n", -s, c, -2 * s,
            2 * c);
        SAY("    angular_velocity: [0, 0, 1]\n    order: 5\n    inertia: lumped\n    sections:\n"
            "      - stiffness: [[1368.17e3, 0, 0, 0, 0, 0], [0, 88.56e3, 0, 0, 0, 0],\n"
            "          [0, 0, 38.78e3, 0, 0, 0], [0, 0, 0, 16.96e3, 17.61e3, -351],\n"
            "          [0, 0, 0, 17.61e3, 59.12e3, -370], [0, 0, 0, -351, -370, 141.47e3]]\n"
            "        mass: [8.538e-2, 8.538e-2, 8.538e-2, 1.4433e-2, 0.40972e-2, 1.0336e-2]\n");
    }
    SAY("joints:\n");
    for (int k = 1; k <= 3; k++)
        SAY("  hub%d: {type: revolute, between: [ground, blade%d.root], at: [0, 0, 0],\n"
            "         axis: [0, 0, 1], motion: t}\n",
            k, k);
    SAY("simulation: {duration: 100, step: 0.01}\n");
#undef SAY
    return used;
}

static bool open_rotor(rotor *r)
{
    static const nt_setting lumped[] = {{"speed", "0.79"},
                                        {"beams.blade1.inertia", "lumped"},
                                        {"beams.blade2.inertia", "lumped"},
                                        {"beams.blade3.inertia", "lumped"}};
    char text[8000];
    nt_error error = {0};
    nt_status status = r->path
                           ? nt_model_read(&r->model, r->path, lumped, 4, &error)
                           : nt_model_read_text(&r->model, text, three_blades(text, sizeof text),
                                                "blades", NULL, NULL, 0, &error);
    return require(status == NT_OK, "%s: %s", r->name, error.message);
}

static bool prepare(void *context)
{
    way *w = context;
    nt_integrator_destroy(w->it);
    nt_run_destroy(w->run);
    w->it = NULL;
    if (nt_run_create(&w->run, w->of->model, &w->error))
        return false;
    const nt_option options[] = {{"rho_inf", w->of->path ? "0.7" : "0.9"},
                                 {"reuse_tangent", w->reuse}};
    nt_integrator_setup setup = {.system = nt_run_system(w->run),
                                 .method = nt_method_find("generalized-alpha"),
                                 .options = options,
                                 .n_options = 2};
    return nt_integrator_create(&w->it, &setup, &w->error) == NT_OK &&
           nt_integrator_start(w->it, 0, NULL, NULL, NULL, &w->error) == NT_OK;
}

static bool integrate(void *context)
{
    way *w = context;
    nt_quantity_info info;
    if (nt_integrator_run(w->it, 0.01 * w->of->steps, 0.01, NULL, NULL, &w->error))
        return false;
    nt_state now = nt_integrator_state(w->it);
    return nt_model_quantity(w->of->model, "blade1.tip.position", &info, &w->error) == NT_OK &&
           nt_run_sample(w->run, &info, &now, NULL, w->tip, &w->error) == NT_OK;
}

static void measure(rotor *r, bool check)
{
    way ways[2] = {{.of = r, .reuse = "never"}, {.of = r, .reuse = "always"}};
    r->steps = check ? 50 : r->steps;
    if (!open_rotor(r))
        return;
    contestant c[2];
    for (int i = 0; i < 2; i++)
        c[i] = (contestant){ways[i].reuse, prepare, integrate, &ways[i]};
    contest result = compare(&c[0], &c[1], check ? 1 : TURNS, processor_seconds);
    if (require(result.ok, "%s: %s%s", r->name, ways[0].error.message, ways[1].error.message)) {
        double off = 0;
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(ways[0].tip[i] - ways[1].tip[i]));
        require(off <= r->most, "%s: tips differ by %g m", r->name, off);
        if (!check)
            printf("%-14s %12.0f %12.0f %10.2f %12ld %14.1e\n", r->name,
                   r->steps / result.seconds[0], r->steps / result.seconds[1], result.ratio,
                   nt_integrator_statistics(ways[1].it)->factorisations, off);
    }
    for (int i = 0; i < 2; i++) {
        nt_integrator_destroy(ways[i].it);
        nt_run_destroy(ways[i].run);
    }
    nt_model_destroy(r->model);
}

int main(int argc, char **argv)
{
    char path[4000];
    bool check = argc > 2 && strcmp(argv[2], "--check") == 0;
    if (argc < 2) {
        fprintf(stderr, "usage: rotors EXAMPLES [--check]\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/rotor_15mw/rotor_15mw.yaml", argv[1]);
    if (!check)
        printf("Rotors, steps per second  exact       turning     ratio  factors made  tips "
               "differ, m\n");
    rotor small = {.name = "three blades", .steps = 1000, .most = 1e-6};
    rotor large = {.name = "15 MW", .path = path, .steps = 200, .most = 1e-6};
    measure(&small, check);
    measure(&large, check);
    return failures() > 0;
}
