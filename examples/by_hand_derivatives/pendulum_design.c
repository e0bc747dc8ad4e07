/* How the swing of a pendulum with a drag changes with its design: a system written by hand that
 * knows its derivative in two of three parameters and leaves the third to the library. */
#include <math.h>
#include <nutate/nutate.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH, GRAVITY, DRAG, PARAMETERS }; /* m, m/s^2, m/s */
static const char *const names[PARAMETERS] = {"length", "gravity", "drag"};

/* 0 = length vdot + gravity sin(q) + drag v */
static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const double *p = self;
    double l = terms->parts & NT_MASS ? p[LENGTH] : 0;
    double g = terms->parts & NT_IMPLICIT ? p[GRAVITY] : 0;
    double d = terms->parts & NT_IMPLICIT ? p[DRAG] : 0;
    const nt_combination *c = terms->combination;
    if (terms->residual)
        terms->residual[0] += l * at->vdot[0] + g * sin(at->q[0]) + d * at->v[0];
    if (terms->matrix)
        *nt_matrix_block(terms->matrix, 0) +=
            c->mass * l + c->damping * d + c->stiffness * g * cos(at->q[0]);
    return NT_OK;
}

static nt_status parameter_tangent(void *self, const nt_point *at, int k, const nt_terms *terms)
{
    (void)self;
    if (k == LENGTH)
        return NT_UNSUPPORTED; /* the library differences the residual */
    if (terms->residual && (terms->parts & NT_IMPLICIT))
        terms->residual[0] += k == GRAVITY ? sin(at->q[0]) : at->v[0];
    return NT_OK;
}

static nt_status set_parameters(void *self, const double *p)
{
    memcpy(self, p, PARAMETERS * sizeof *p);
    return NT_OK;
}
static void get_parameters(void *self, double *p) { memcpy(p, self, PARAMETERS * sizeof *p); }

/* The angle after two seconds, and with derivatives[] how it changes with every parameter. */
static nt_status swing(double p[PARAMETERS], double *angle, double *derivatives, nt_error *error)
{
    static const int all[PARAMETERS] = {LENGTH, GRAVITY, DRAG};
    nt_block block = {.kind = NT_RN, .nv = 1};
    nt_system system = {.self = p,
                        .evaluate = evaluate,
                        .n_parameters = PARAMETERS,
                        .parameter_names = names,
                        .set_parameters = set_parameters,
                        .get_parameters = get_parameters,
                        .parameter_tangent = parameter_tangent,
                        .capabilities =
                            NT_HAS_TANGENT | NT_HAS_PARAMETERS | NT_HAS_PARAMETER_TANGENT};
    nt_space_init(&system.space, &block, 1);
    nt_integrator_setup setup = {.system = &system, .method = nt_method_find("generalized-alpha")};
    nt_integrator *run = NULL;
    nt_sensitivity *sensitivity = NULL;
    double q = 1.5, v = 0; /* rad, rad/s, whatever the design */
    nt_status status = nt_integrator_create(&run, &setup, error);
    if (status == NT_OK && derivatives)
        status = nt_sensitivity_create(&sensitivity, run, all, PARAMETERS, error);
    if (status == NT_OK)
        status = nt_integrator_start(run, 0, &q, &v, NULL, error);
    if (status == NT_OK && derivatives)
        status = nt_sensitivity_start(sensitivity, error);
    if (status == NT_OK)
        status = nt_integrator_run(run, 2, 1e-3, NULL, NULL, error);
    if (status == NT_OK)
        *angle = nt_integrator_state(run).q[0];
    for (int k = 0; k < PARAMETERS && status == NT_OK && derivatives; k++)
        derivatives[k] = nt_sensitivity_state(sensitivity, k).q[0];
    nt_sensitivity_destroy(sensitivity);
    nt_integrator_destroy(run);
    return status;
}

int main(void)
{
    double p[PARAMETERS] = {1, 9.81, 0.2}, angle, derivatives[PARAMETERS], moved[2];
    nt_error error = {0};
    int wrong = 0;
    if (swing(p, &angle, derivatives, &error) == NT_OK)
        printf("angle after 2 s %9.6f rad\n", angle);
    for (int k = 0; k < PARAMETERS && error.status == NT_OK; k++) {
        double kept = p[k], step = 1e-4;
        for (int side = 0; side < 2 && error.status == NT_OK; side++) {
            p[k] = kept + (side ? step : -step);
            swing(p, &moved[side], NULL, &error);
        }
        p[k] = kept;
        double difference = (moved[1] - moved[0]) / (2 * step);
        printf("d/d(%s) %10.6f, by two more runs %10.6f\n", names[k], derivatives[k], difference);
        wrong += fabs(derivatives[k] - difference) > 1e-6 * fabs(difference);
    }
    fputs(error.message, stderr);
    return error.status != NT_OK || wrong > 0;
}
