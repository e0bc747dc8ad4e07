/* A model from a file in a program: how far a heavy top falls in half a second, for three arms. */
#include <nutate/nutate.h>
#include <stdio.h>

/* The motion of a run at its present parameters, and the height of the top at t, m. */
static nt_status height_at(nt_run *run, double t, double *height, nt_error *error)
{
    nt_integrator_setup setup = {0};
    nt_integrator *integrator = NULL;
    nt_quantity_info position;
    double x[3] = {0};
    const nt_model *model = nt_run_model(run);
    const nt_simulation *simulation = nt_model_simulation(model);
    nt_status status = nt_run_setup(run, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_create(&integrator, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_start(integrator, simulation->start, NULL, NULL, NULL, error);
    if (status == NT_OK)
        status = nt_integrator_run(integrator, t, simulation->step, NULL, NULL, error);
    if (status == NT_OK)
        status = nt_model_quantity(model, "top.position", &position, error);
    if (status == NT_OK) {
        nt_state state = nt_integrator_state(integrator);
        status = nt_run_sample(run, &position, &state, NULL, x, error);
    }
    nt_integrator_destroy(integrator);
    *height = x[2];
    return status;
}

int main(int count, char **words)
{
    nt_model *model = NULL;
    nt_run *run = NULL;
    nt_error error = {0};
    char text[1200];
    nt_status status = nt_model_read(&model, count > 1 ? words[1] : NULL, NULL, 0, &error);
    if (status == NT_OK)
        status = nt_run_create(&run, model, &error);
    for (int i = 0; status == NT_OK && i < 3; i++) {
        double arm = 0.9 + 0.1 * i, height; /* m */
        status = nt_model_set(run, "arm", arm, &error);
        if (status == NT_OK)
            status = height_at(run, 0.5, &height, &error);
        if (status == NT_OK)
            printf("arm %.1f m  height %9.6f m\n", arm, height);
    }
    nt_run_destroy(run);
    nt_model_destroy(model);
    nt_error_text(&error, text, sizeof text);
    fputs(text, stderr);
    return status != NT_OK;
}
