/* What a run says on standard error: progress on a terminal, a summary at the end. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double nt_cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- progress ------------------------------------------------------------------------------- */

static const double between = 0.1; /* s, between two progress lines */

void nt_cli_progress_begin(nt_cli_progress *progress, const nt_cli_plan *plan, bool quiet)
{
    double now = nt_cli_clock();
    *progress = (nt_cli_progress){.on = !quiet && isatty(STDERR_FILENO),
                                  .begun = now,
                                  .shown = now,
                                  .start = nt_integrator_state(plan->integrator).t,
                                  .end = plan->end};
}

static void duration_text(double seconds, char *text, size_t size)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", ceil(seconds));
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

void nt_cli_progress_show(nt_cli_progress *progress, const nt_integrator *integrator)
{
    if (!progress->on)
        return;
    double now = nt_cli_clock();
    if (now - progress->shown < between)
        return;
    progress->shown = now;
    nt_state state = nt_integrator_state(integrator);
    const nt_statistics *statistics = nt_integrator_statistics(integrator);
    double done = (state.t - progress->start) / (progress->end - progress->start);
    char left[40] = "";
    if (done > 0)
        duration_text((now - progress->begun) * (1 - done) / done, left, sizeof left);
    fprintf(stderr,
            "\r%3.0f %%  t %.6g of %.6g s  step %.3g s  %.1f iterations per step  %s left\033[K",
            100 * done, state.t, progress->end, state.step,
            (double)statistics->iterations / (double)(statistics->steps ? statistics->steps : 1),
            left);
    fflush(stderr);
}

void nt_cli_progress_clear(const nt_cli_progress *progress)
{
    if (progress->on)
        fputs("\r\033[K", stderr);
}

/* ---- summary -------------------------------------------------------------------------------- */

enum { SHOWN = 3, COLUMNS = 16, ROOM = 256 };

/* Where the first few bodies are at the end: the recorded positions. */
static void show_positions(const nt_cli_plan *plan)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    nt_state state = nt_integrator_state(plan->integrator);
    int shown = 0, more = 0;
    for (int i = 0; i < simulation->n_record; i++) {
        static const char suffix[] = ".position";
        const char *name = simulation->record[i];
        size_t length = strlen(name), end = sizeof suffix - 1;
        nt_quantity_info quantity;
        double at[COLUMNS];
        if (length <= end || strcmp(name + length - end, suffix) != 0 ||
            nt_model_quantity(plan->model, name, &quantity, NULL) != NT_OK ||
            quantity.columns != 3 || quantity.needs_drift)
            continue;
        if (++shown > SHOWN) {
            more++;
            continue;
        }
        if (nt_run_sample(plan->run, &quantity, &state, NULL, at, NULL) == NT_OK)
            fprintf(stderr, "  %s  %.9g %.9g %.9g m\n", name, at[0], at[1], at[2]);
    }
    if (more > 0)
        fprintf(stderr, "  and %d more positions\n", more);
}

static void show_energy(const nt_cli_plan *plan, const nt_cli_account *account)
{
    const double *first = account->energy[0], *last = account->energy[1];
    double change = last[2] - first[2], work = last[3] - first[3];
    if (!account->has_energy)
        return;
    fprintf(stderr, "  energy  %.9g J", last[2]);
    if (plan->tracks_work)
        fprintf(stderr, ", changed by %.3g J, work of loads %.3g J: drift %.3g J\n", change, work,
                change - work);
    else if (nt_model_has_power(plan->model))
        fprintf(stderr, ", changed by %.3g J (work of loads: record energy.work)\n", change);
    else
        fprintf(stderr, ", drift %.3g J\n", change);
}

static void show_drift(const nt_cli_plan *plan)
{
    const nt_system *system = nt_run_system(plan->run);
    const nt_statistics *statistics = nt_integrator_statistics(plan->integrator);
    double position, velocity;
    if (system->nh + system->nn == 0 ||
        nt_integrator_drift(plan->integrator, &position, &velocity) != NT_OK)
        return;
    fprintf(stderr, "  constraint drift  positions %.2g (largest %.2g), velocities %.2g\n",
            position, fmax(position, statistics->position_drift), velocity);
}

/* Which quantity's error made variable steps as small as they are, most often first said. */
static void show_limits(const nt_cli_plan *plan, const nt_statistics *s)
{
    static const char *const kinds[] = {"position", "rotation", "velocity", "angular velocity"};
    long all = s->limited[0] + s->limited[1] + s->limited[2] + s->limited[3];
    if (all == 0)
        return;
    fprintf(stderr, "  steps limited by the error of");
    const char *comma = " ";
    for (int i = 0; i < 4; i++)
        if (s->limited[i] > 0) {
            fprintf(stderr, "%s%s (%.0f %%)", comma, kinds[i],
                    100 * (double)s->limited[i] / (double)all);
            comma = ", ";
        }
    const nt_system *system = nt_run_system(plan->run);
    char name[160];
    if (s->limiting_unknown >= 0 && system->coordinate_name) {
        system->coordinate_name(system->self, s->limiting_unknown, name, sizeof name);
        fprintf(stderr, "; in the last step: %s", name);
    }
    fputc('\n', stderr);
}

/* Whether steps were as long as they are stable or as a stiffness has them, and no error was asked
 * for. */
static bool goes_by_stability_alone(const nt_cli_plan *plan)
{
    bool chosen = false;
    for (int i = 0; i < 4; i++)
        if (plan->setup.tolerance[i] > 0)
            return false;
    for (int i = 0; i < plan->setup.n_options && plan->variable; i++)
        chosen |= strcmp(plan->setup.options[i].name, "steps") == 0;
    return chosen;
}

/* More steps than most motions take whose frequencies are seen. */
enum { MANY_STEPS = 50000 };

static void report_show_counts(const nt_cli_plan *plan, const nt_cli_account *account)
{
    const nt_statistics *s = nt_integrator_statistics(plan->integrator);
    int redundant = nt_integrator_redundant(plan->integrator, NULL, 0);
    int ended = nt_integrator_ended_by(plan->integrator);
    if (ended >= 0)
        fprintf(stderr, "  ended at t = %.9g s by event %s: %s\n",
                nt_integrator_state(plan->integrator).t, nt_model_event_name(plan->model, ended),
                nt_model_event_end(plan->model, ended));
    if (s->events > 0)
        fprintf(stderr, "  events %ld\n", s->events);
    if (account->events)
        nt_cli_events_summary(account->events, nt_integrator_state(plan->integrator).t);
    fprintf(stderr,
            "  steps %ld, rejected %ld, iterations %ld, factorisations %ld, evaluations %ld\n",
            s->steps, s->rejected, s->iterations, s->factorisations, s->evaluations);
    if (s->smallest_step < s->largest_step * (1 - 1e-6))
        fprintf(stderr, "  steps from %.3g to %.3g s%s\n", s->smallest_step, s->largest_step,
                goes_by_stability_alone(plan)
                    ? ": by stability, whatever their error; a tolerance bounds that too"
                    : "");
    show_limits(plan, s);
    if (s->fallbacks > 0)
        fprintf(stderr, "  linear solver fell back to pivoting %ld time%s: %ld solves made so\n",
                s->fallbacks, s->fallbacks == 1 ? "" : "s", s->pivoted);
    if (redundant > 0)
        fprintf(stderr, "  redundant equations %d (nutate check names them)\n", redundant);
    if (s->rank_changes > 0)
        fprintf(stderr, "  new choices of independent equations %ld\n", s->rank_changes);
    long steps = s->steps - account->steps_before;
    if (steps > MANY_STEPS && nt_cli_orders_are_open(plan))
        fputs("  so many steps may be those of high orders, which are unstable where something "
              "oscillates fast without damping: nutate check tries options: {max_order: 2}\n",
              stderr);
    fprintf(stderr, "  time %.3g s, %.3g us per step\n", account->seconds,
            1e6 * account->seconds / (double)(steps > 0 ? steps : 1));
}

/* Where the rows are, and what shows them. */
static void show_places(const nt_cli_places *places, long rows)
{
    int n = places->n - (places->data ? 1 : 0);
    for (int i = 0; i < n; i++) {
        const char *path = places->files[i].path;
        if (i == 0)
            fprintf(stderr, "%ld row%s in ", rows, rows == 1 ? "" : "s");
        else
            fputs(i + 1 < n ? ", " : " and ", stderr);
        fputs(strcmp(path, "-") == 0 ? "standard output" : path, stderr);
    }
    if (n > 0)
        fputs(places->elsewhere ? " here: the folder of the model cannot be written\n" : "\n",
              stderr);
    for (int i = 0; i < places->n_pages; i++)
        fprintf(stderr, "%s in %s", i == 0 ? "shown" : ",", places->pages[i]);
    if (places->n_pages > 0)
        fputs(places->data ? n > 0 ? "; poses are not kept: add -o FILE.nc for them\n"
                                   : "; full data are not kept: add -o FILE.nc for them\n"
                           : "\n",
              stderr);
}

char *nt_cli_account_text(const nt_cli_plan *plan, const nt_cli_account *account,
                          const char *problem)
{
    const nt_statistics *s = nt_integrator_statistics(plan->integrator);
    const double *first = account->energy[0], *last = account->energy[1];
    char *text = NULL, warning[300];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    if (problem)
        fprintf(to, "problem=%s\n", problem);
    if (nt_integrator_energy_warning(plan->integrator, warning, sizeof warning) > 0)
        fprintf(to, "warning=%s\n", warning);
    int ended = nt_integrator_ended_by(plan->integrator);
    if (ended >= 0)
        fprintf(to, "ended=%s: %s\n", nt_model_event_name(plan->model, ended),
                nt_model_event_end(plan->model, ended));
    fprintf(to, "variable=%d\nsteps=%ld\nrejected=%ld\niterations=%ld\nfactorisations=%ld\n",
            plan->variable, s->steps, s->rejected, s->iterations, s->factorisations);
    fprintf(to, "evaluations=%ld\nsmallest_step=%.17g\nlargest_step=%.17g\n", s->evaluations,
            s->smallest_step, s->largest_step);
    fprintf(to, "seconds=%.3g\nkept=%d\n", account->seconds, account->places->data ? 0 : 1);
    if (account->has_energy)
        fprintf(to, "energy=%.17g\nenergy_change=%.17g\n", last[2], last[2] - first[2]);
    if (account->has_energy && plan->tracks_work)
        fprintf(to, "work=%.17g\n", last[3] - first[3]);
    double position, velocity;
    if (nt_integrator_drift(plan->integrator, &position, &velocity) == NT_OK)
        fprintf(to, "position_drift=%.17g\nlargest_position_drift=%.17g\nvelocity_drift=%.17g\n",
                position, fmax(position, s->position_drift), velocity);
    nt_error rough = {0};
    int remarks = 0;
    if (account->rounding[0])
        fprintf(to, "remark%d=%s\n", ++remarks, account->rounding);
    if (nt_integrator_step_warning(plan->integrator, warning, sizeof warning) > 0)
        fprintf(to, "remark%d=%s\n", ++remarks, warning);
    for (int i = 0; nt_run_warning(plan->run, i, warning, sizeof warning) > 0; i++)
        fprintf(to, "remark%d=%s\n", ++remarks, warning);
    for (int i = 0; nt_model_rough_motion(plan->model, i, &rough); i++)
        fprintf(to, "remark%d=%s\n", ++remarks, rough.message);
    bool good = !ferror(to);
    if (fclose(to) != 0 || !good) {
        free(text);
        return NULL;
    }
    return text;
}

void nt_cli_summary(const nt_cli_plan *plan, const nt_cli_account *account)
{
    const char *title = nt_model_title(plan->model);
    char warning[300];
    if (account->rounding[0])
        fprintf(stderr, "warning: %s\n", account->rounding);
    if (nt_integrator_energy_warning(plan->integrator, warning, sizeof warning) > 0)
        fprintf(stderr, "warning: %s\n", warning);
    if (nt_integrator_step_warning(plan->integrator, warning, sizeof warning) > 0)
        fprintf(stderr, "warning: %s\n", warning);
    for (int i = 0; nt_run_warning(plan->run, i, warning, sizeof warning) > 0; i++)
        fprintf(stderr, "warning: %s\n", warning);
    nt_state state = nt_integrator_state(plan->integrator);
    fprintf(stderr, "%s: %s, %s frame, %s %.6g s, to t = %.9g s\n",
            title && *title ? title : plan->path, nt_method_name(plan->method),
            nt_cli_frame(plan->frame), plan->variable ? "variable steps, the first" : "step",
            plan->step, state.t);
    show_positions(plan);
    show_energy(plan, account);
    show_drift(plan);
    report_show_counts(plan, account);
    nt_error rough = {0};
    for (int i = 0; !plan->variable &&
                    nt_model_pulse(plan->model, plan->start, plan->end, plan->step, i, &rough);
         i++)
        fprintf(stderr, "  %s:%d:%d: %s\n", rough.file, rough.line, rough.column, rough.message);
    for (int i = 0; nt_model_rough_motion(plan->model, i, &rough); i++)
        fprintf(stderr, "  %s\n", rough.message);
    nt_cli_objectives_show(plan, account->sens, account->objectives);
    if (account->sens)
        nt_cli_sens_show(plan, account->sens);
    show_places(account->places, account->rows);
}
