/* Two solvers that know nothing of each other share a stiff spring.
 *
 * One side is a bar on a ball joint, read from bar.yaml; its load comes in through three parameters
 * of the model. The other side is a mass in space, a system written by hand; its load is a field of
 * its own. The spring between the bar's tip and the mass belongs to neither: its force depends on
 * where both are at the *end* of a step. So each step is repeated: set the loads, step both sides,
 * look where they are, compute the force, roll both back, until the force stays the same.
 *
 * The state at a step's start belongs to the force found in the step before, so nothing there needs
 * nt_integrator_refresh, which is for loads that jump between steps.
 *
 * The outcome is compared with together.yaml, where one integrator sees everything, and with loose
 * coupling, where nothing is repeated and the force is always one step old. */
#include <math.h>
#include <nutate/nutate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double end_time = 0.5, step_size = 1e-3; /* s */
static const double stiffness = 2e5, damping = 20;    /* N/m, N s/m: as in together.yaml */
static const double rest_length = 0.499;              /* m */

/* Newton's iterations go to rounding, so that what is left is the coupling's. */
static const nt_option options[] = {{"tolerance_length", "1e-14"},
                                    {"tolerance_force", "1e-9"},
                                    {"tolerance_moment", "1e-9"},
                                    {"tolerance_relative", "1e-12"}};

/* The force between the sides is settled when it changes by less than this, N: a millionth of a
 * millionth of the largest force in the run (some kN). */
static const double settled = 1e-9;

/* ---- the mass, by hand: 0 = m x'' - m g - load ---------------------------------------------- */

typedef struct mass {
    double m, gravity[3], load[3]; /* kg, m/s^2, N */
} mass;

static nt_status evaluate_mass(void *self, const nt_point *at, const nt_terms *terms)
{
    const mass *p = self;
    double m = terms->parts & NT_MASS ? p->m : 0;
    for (int i = 0; terms->residual && i < 3; i++) {
        terms->residual[i] += m * at->vdot[i];
        if (terms->parts & NT_IMPLICIT)
            terms->residual[i] -= p->m * p->gravity[i] + p->load[i];
    }
    for (int i = 0; terms->matrix && i < 3; i++)
        nt_matrix_block(terms->matrix, 0)[4 * i] += terms->combination->mass * m;
    return NT_OK;
}

/* ---- a side: an integrator, how to load it and how to look at it ------------------------------
 */

typedef struct side {
    nt_integrator *integrator;
    void *saved;

    /* the mass */
    mass mass;
    nt_block block;
    nt_system system;

    /* a model */
    nt_model *model;
    nt_run *run;
    nt_quantity_info position, velocity;
} side;

static void load(side *s, const double force[3], double sign)
{
    double value[3] = {sign * force[0], sign * force[1], sign * force[2]};
    if (s->model) {
        const nt_system *system = nt_run_system(s->run);
        system->set_parameters(system->self, value); /* fx, fy, fz */
    } else {
        memcpy(s->mass.load, value, sizeof value);
    }
}

static nt_status look(const side *s, double x[3], double v[3], nt_error *error)
{
    nt_state now = nt_integrator_state(s->integrator);
    if (!s->model) {
        memcpy(x, now.q, 3 * sizeof *x);
        memcpy(v, now.v, 3 * sizeof *v);
        return NT_OK;
    }
    nt_status status = nt_run_sample(s->run, &s->position, &now, NULL, x, error);
    return status == NT_OK ? nt_run_sample(s->run, &s->velocity, &now, NULL, v, error) : status;
}

/* An integrator for a system at rest in `setup`, and room for its state. */
static nt_status open_side(side *s, const nt_system *system, const double *q, const double *v,
                           const double *memory, nt_error *error)
{
    nt_integrator_setup setup = {.system = system,
                                 .method = nt_method_find("generalized-alpha"),
                                 .options = options,
                                 .n_options = sizeof options / sizeof *options,
                                 .minimum_step = step_size / 4};
    nt_status status = nt_integrator_create(&s->integrator, &setup, error);
    if (status != NT_OK)
        return status;
    s->saved = malloc(nt_integrator_saved_size(s->integrator));
    if (!s->saved)
        return NT_NO_MEMORY;
    return nt_integrator_start(s->integrator, 0, q, v, memory, error);
}

/* The point at which a model is looked at: a marker or a body. */
static nt_status open_model(side *s, const char *folder, const char *file, const char *point,
                            const double force[3], nt_error *error)
{
    char path[1024], name[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    nt_status status = nt_model_read(&s->model, path, NULL, 0, error);
    if (status == NT_OK)
        status = nt_run_create(&s->run, s->model, error);
    if (status != NT_OK)
        return status;
    snprintf(name, sizeof name, "%s.position", point);
    status = nt_model_quantity(s->model, name, &s->position, error);
    snprintf(name, sizeof name, "%s.velocity", point);
    if (status != NT_OK ||
        (status = nt_model_quantity(s->model, name, &s->velocity, error)) != NT_OK)
        return status;
    if (force)
        load(s, force, 1);
    const nt_system *system = nt_run_system(s->run);
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    double *q = malloc((nq + nv + (size_t)system->n_memory) * sizeof *q);
    if (!q)
        return NT_NO_MEMORY;
    nt_run_initial(s->run, q, q + nq, q + nq + nv);
    status = open_side(s, system, q, q + nq, q + nq + nv, error);
    free(q);
    return status;
}

static nt_status open_mass(side *s, const double force[3], nt_error *error)
{
    static const double x[3] = {1, 0, -0.5}, v[3] = {0, 2, 0};
    s->mass = (mass){.m = 1, .gravity = {0, 0, -9.81}};
    s->block = (nt_block){.kind = NT_RN, .nv = 3};
    s->system = (nt_system){.name = "mass",
                            .capabilities = NT_HAS_TANGENT,
                            .self = &s->mass,
                            .evaluate = evaluate_mass};
    nt_space_init(&s->system.space, &s->block, 1);
    load(s, force, -1);
    return open_side(s, &s->system, x, v, NULL, error);
}

static void close_side(side *s)
{
    nt_integrator_destroy(s->integrator);
    nt_run_destroy(s->run);
    nt_model_destroy(s->model);
    free(s->saved);
}

/* ---- coupling ----------------------------------------------------------------------------------
 */

/* Force of the spring on the bar, from where both ends are and how they move; it pulls when long.
 */
static void spring(const double x1[3], const double v1[3], const double x2[3], const double v2[3],
                   double force[3])
{
    double d[3], length = 0, rate = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = x2[i] - x1[i];
        length += d[i] * d[i];
        rate += d[i] * (v2[i] - v1[i]);
    }
    length = sqrt(length);
    rate /= length;
    for (int i = 0; i < 3; i++)
        force[i] = (stiffness * (length - rest_length) + damping * rate) * d[i] / length;
}

static nt_status look_at_spring(const side *bar, const side *ball, double force[3], nt_error *error)
{
    double x1[3], v1[3], x2[3], v2[3];
    nt_status status = look(bar, x1, v1, error);
    if (status == NT_OK && (status = look(ball, x2, v2, error)) == NT_OK)
        spring(x1, v1, x2, v2, force);
    return status;
}

/* One step of both sides under the force at its end, found by repeating it at most `most` times.
 * force: that of the step before in, that of this step out. */
static nt_status coupled_step(side sides[2], double force[3], int most, long *repeated,
                              nt_error *error)
{
    nt_status status = NT_OK;
    for (int k = 0; k < 2; k++)
        nt_integrator_save(sides[k].integrator, sides[k].saved);
    for (int i = 1; i <= most; i++) {
        for (int k = 0; status == NT_OK && k < 2; k++) {
            load(&sides[k], force, k == 0 ? 1 : -1);
            status = nt_integrator_step(sides[k].integrator, step_size, error);
        }
        double next[3], change = 0;
        if (status != NT_OK ||
            (status = look_at_spring(&sides[0], &sides[1], next, error)) != NT_OK)
            return status;
        for (int j = 0; j < 3; j++) {
            change = fmax(change, fabs(next[j] - force[j]));
            force[j] = next[j];
        }
        ++*repeated;
        if (change <= settled || i == most)
            return NT_OK;
        for (int k = 0; status == NT_OK && k < 2; k++)
            status = nt_integrator_restore(sides[k].integrator, sides[k].saved,
                                           nt_integrator_saved_size(sides[k].integrator), error);
    }
    return status;
}

/* Where the mass is at the end. */
static nt_status run_coupled(const char *folder, int most, double x[3], double *mean,
                             nt_error *error)
{
    side sides[2] = {0};
    double v[3], force[3] = {0, 0, -stiffness * (0.5 - rest_length)};
    long steps = lround(end_time / step_size), repeated = 0;
    nt_status status = open_model(&sides[0], folder, "bar.yaml", "tip", force, error);
    if (status == NT_OK)
        status = open_mass(&sides[1], force, error);
    for (long i = 0; status == NT_OK && i < steps; i++)
        status = coupled_step(sides, force, most, &repeated, error);
    if (status == NT_OK)
        status = look(&sides[1], x, v, error);
    *mean = (double)repeated / (double)steps;
    close_side(&sides[0]);
    close_side(&sides[1]);
    return status;
}

static nt_status run_together(const char *folder, double x[3], nt_error *error)
{
    side whole = {0};
    double v[3];
    nt_status status = open_model(&whole, folder, "together.yaml", "mass", NULL, error);
    if (status == NT_OK)
        status = nt_integrator_run(whole.integrator, end_time, step_size, NULL, NULL, error);
    if (status == NT_OK)
        status = look(&whole, x, v, error);
    close_side(&whole);
    return status;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* coupling FOLDER: exits with 0 when the coupled run meets the monolithic one. */
int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    double together[3], coupled[3], loose[3], mean, one;
    nt_error error = {0};
    if (run_together(folder, together, &error) != NT_OK ||
        run_coupled(folder, 100, coupled, &mean, &error) != NT_OK) {
        fprintf(stderr, "coupling: %s\n", error.message);
        return 1;
    }
    double apart = distance(coupled, together);
    printf("mass at %g s, one integrator     %.12f %.12f %.12f m\n", end_time, together[0],
           together[1], together[2]);
    printf("two, %4.1f repetitions per step   %.12f %.12f %.12f m, %.1e m apart\n", mean,
           coupled[0], coupled[1], coupled[2], apart);
    nt_status status = run_coupled(folder, 1, loose, &one, &error);
    if (status != NT_OK)
        printf("two, no repetition: breaks down %s\n", error.message);
    /* 500 steps, each settled to 1e-9 N, leave far less than 1e-11 m. A force that is a step old
     * feeds energy into the spring until no step can be solved. */
    return apart < 1e-11 && status == NT_NOT_CONVERGED ? 0 : 1;
}
