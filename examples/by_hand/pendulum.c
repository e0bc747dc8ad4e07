#include <math.h>
#include <nutate/nutate.h>
#include <stdio.h>

typedef struct pendulum {   /* 0 = length vdot + gravity sin(q) */
    double length, gravity; /* m, m/s^2 */
} pendulum;

static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const pendulum *p = self;
    double l = terms->parts & NT_MASS ? p->length : 0;
    double g = terms->parts & NT_IMPLICIT ? p->gravity : 0;
    const nt_combination *c = terms->combination;
    if (terms->residual)
        terms->residual[0] += l * at->vdot[0] + g * sin(at->q[0]);
    if (terms->matrix)
        *nt_matrix_block(terms->matrix, 0) += c->mass * l + c->stiffness * g * cos(at->q[0]);
    return NT_OK;
}

int main(void)
{
    pendulum p = {.length = 1, .gravity = 9.81};
    nt_block angle = {.kind = NT_RN, .nv = 1};
    nt_system system = {.self = &p, .evaluate = evaluate, .capabilities = NT_HAS_TANGENT};
    nt_space_init(&system.space, &angle, 1);
    nt_integrator_setup setup = {.system = &system, .method = nt_method_find("generalized-alpha")};
    nt_integrator *run;
    nt_error error = {0};
    double q = 1.5, v = 0, h = 1e-3; /* rad, rad/s, s */
    if (nt_integrator_create(&run, &setup, &error) == NT_OK)
        nt_integrator_start(run, 0, &q, &v, NULL, &error);
    for (double t = 0.2; error.status == NT_OK && t < 2.1; t += 0.2)
        if (nt_integrator_run(run, t, h, NULL, NULL, &error) == NT_OK)
            printf("%.1f s  %8.5f rad\n", t, nt_integrator_state(run).q[0]);
    nt_integrator_destroy(run);
    fputs(error.message, stderr);
    return error.status != NT_OK;
}
