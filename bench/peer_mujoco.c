/* MuJoCo on the mechanisms of this benchmark: Runge-Kutta of order four, equal steps.
 *
 *   peer_mujoco N STEPS [H]    N links, 0: the heavy top, -1: the slow top; H in s, or 1 ms
 *
 * Prints seconds and the position at the end.
 *
 * Ball joints; their velocities are angular velocities in the child's axes. No geometry, so no
 * contacts; no armature, no damping. */
#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char head[] = "<mujoco><compiler boundmass='0' boundinertia='0'/>"
                           "<option timestep='0.001' integrator='RK4' gravity='%s'/><worldbody>";

static char *top_model(void)
{
    char *text = malloc(4096);
    if (!text)
        return NULL;
    int used = snprintf(text, 4096, head, "0 0 -9.81");
    snprintf(text + used, 4096 - (size_t)used,
             "<body><joint type='ball'/><inertial pos='0 1 0' mass='15' "
             "diaginertia='0.234375 0.46875 0.234375'/><site name='tip' pos='0 1 0'/></body>"
             "</worldbody></mujoco>");
    return text;
}

/* Krysl's: J = (5, 5, 1) about the fixed point, m g l = 20; the site is on its axis. */
static char *slow_top_model(void)
{
    char *text = malloc(4096);
    if (!text)
        return NULL;
    int used = snprintf(text, 4096, head, "0 0 -1");
    snprintf(text + used, 4096 - (size_t)used,
             "<body><joint type='ball'/><inertial pos='0 0 0.2' mass='100' diaginertia='1 1 1'/>"
             "<site name='tip' pos='0 0 1'/></body></worldbody></mujoco>");
    return text;
}

static char *chain_model(int n)
{
    size_t room = 4096 + 256 * (size_t)n, used;
    char *text = malloc(room);
    if (!text)
        return NULL;
    used = (size_t)snprintf(text, room, head, "0 -9.81 0");
    for (int j = 0; j < n; j++)
        used += (size_t)snprintf(
            text + used, room - used,
            "<body pos='%s 0 0'><joint type='ball'/><inertial pos='0.125 0 0' mass='0.078125' "
            "diaginertia='8.138020833e-6 4.109700521e-4 4.109700521e-4'/>",
            j > 0 ? "0.25" : "0");
    used += (size_t)snprintf(text + used, room - used, "<site name='tip' pos='0.25 0 0'/>");
    for (int j = 0; j < n; j++)
        used += (size_t)snprintf(text + used, room - used, "</body>");
    snprintf(text + used, room - used, "</worldbody></mujoco>");
    return text;
}

static mjModel *load(const char *text)
{
    mjVFS *files = malloc(sizeof *files);
    if (!files)
        return NULL;
    size_t length = strlen(text);
    char error[1000] = "";
    mjModel *model = NULL;
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, "model.xml", (int)length) == 0) {
        memcpy(files->filedata[0], text, length);
        model = mj_loadXML("model.xml", files, error, sizeof error);
    }
    if (!model)
        fprintf(stderr, "peer_mujoco: %s\n", error);
    mj_deleteVFS(files);
    free(files);
    return model;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int n = argc >= 3 && argc <= 4 ? atoi(argv[1]) : -2;
    long steps = argc >= 3 ? atol(argv[2]) : 0;
    double h = argc == 4 ? atof(argv[3]) : 1e-3;
    if (n < -1 || steps <= 0 || !(h > 0)) {
        fputs("usage: peer_mujoco N STEPS [H]\n", stderr);
        return 2;
    }
    char *text = n > 0 ? chain_model(n) : n == 0 ? top_model() : slow_top_model();
    mjModel *model = text ? load(text) : NULL;
    mjData *data = model ? mj_makeData(model) : NULL;
    if (!data)
        return 1;
    model->opt.timestep = h;
    if (n > 0)
        data->qvel[0] = 5;
    else if (n == 0)
        data->qvel[1] = 150, data->qvel[2] = -4.61538;
    else
        data->qpos[0] = cos(0.025), data->qpos[1] = sin(0.025), data->qvel[2] = 5;
    double begun = seconds();
    for (long i = 0; i < steps; i++)
        mj_step(model, data);
    double spent = seconds() - begun;
    mj_forward(model, data);
    printf("%.9g %.17g %.17g %.17g\n", spent, data->site_xpos[0], data->site_xpos[1],
           data->site_xpos[2]);
    mj_deleteData(data);
    mj_deleteModel(model);
    free(text);
    return 0;
}
