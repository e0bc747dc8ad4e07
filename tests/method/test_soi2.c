/* Generalized-alpha, stabilised index 2. */
#include "method/integrator.h"
#include "method/soi2.h"
#include "method/top.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "jay_negrut.h"
#include "runs.h"

int main(void)
{
    jay_negrut s;
    jay_negrut_init(&s);
    double difference;
    nt_error error;
    nt_point at = {.t = 0.3,
                   .q = (double[]){0.7, 0.2},
                   .v = (double[]){1.3, -0.4},
                   .vdot = (double[]){0.6, 2},
                   .lambda = (double[]){-3},
                   .mu = (double[]){1.7}};
    nt_system_check_tangent(&s.system, &at, 1e-6, &difference, &error);
    printf("tangent %g\n", difference);
    for (int correct = 1; correct >= 0; correct--)
        for (int n = 10; n <= 160; n *= 4) {
            nt_option option[] = {{"rho_inf", "0.2"},
                                  {"correction", correct ? "true" : "false"},
                                  {"tolerance_relative", "1e-13"},
                                  {"tolerance_length", "1e-13"},
                                  {"tolerance_force", "1e-12"}};
            nt_integrator_setup setup = setup_of(&s.system, option, 5);
            setup.method = nt_method_find("generalized-alpha-soi2");
            nt_integrator *it = begin(&setup, jay_negrut_y0, jay_negrut_z0);
            double h = 1.0 / n;
            for (int i = 0; i < n; i++) {
                if (nt_integrator_step(it, h / 3, &error) ||
                    nt_integrator_step(it, 2 * h / 3, &error))
                    printf("%s\n", error.message);
            }
            nt_state e = nt_integrator_state(it);
            double alpha = (0.2 - 1) / (0.2 + 1), ta = 1 + alpha * 2 * h / 3;
            nt_soi2_memory m = nt_soi2_memory_of(it->problem, it->stepper.now.method);
            double P, V;
            nt_integrator_drift(it, &P, &V);
            printf("%d %.4e %.4e %.4e %.4e %.4e vdot %.3e drift %g %g its %ld ev %ld\n", n,
                   hypot(e.q[0] - exp(1), e.q[1] - exp(-2)),
                   hypot(e.v[0] - exp(1), e.v[1] + 2 * exp(-2)),
                   hypot(m.a[0] - exp(ta), m.a[1] - 4 * exp(-2 * ta)), fabs(e.lambda[0] - exp(-1)),
                   fabs(e.mu[0] - exp(1)), hypot(e.vdot[0] - exp(1), e.vdot[1] - 4 * exp(-2)), P, V,
                   nt_integrator_statistics(it)->iterations,
                   nt_integrator_statistics(it)->evaluations);
            nt_integrator_destroy(it);
        }
    return 0;
}
