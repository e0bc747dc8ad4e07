/* nutate static: where a model rests, alone or along a path of loads; and how that changes with
 * parameters (nutate sens --of static). */
#include "cli/analyses/static.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is asked -------------------------------------------------------------------------- */

/* NAME, or NAME=A..B, cut in place. */
static int read_range(char *text, nt_load_range *range)
{
    char *equals = strchr(text, '='), *end = NULL, *dots = equals ? strstr(equals, "..") : NULL;
    *range = (nt_load_range){text, (double)NAN, (double)NAN};
    if (!equals)
        return NT_EXIT_DONE;
    *equals = '\0';
    if (dots) {
        *dots = '\0';
        range->from = strtod(equals + 1, &end);
        if (end != equals + 1 && *end == '\0' && isfinite(range->from)) {
            range->to = strtod(dots + 2, &end);
            if (end != dots + 2 && *end == '\0' && isfinite(range->to) && *text)
                return NT_EXIT_DONE;
        }
    }
    nt_cli_say("--along: expected NAME or NAME=FROM..TO, got '%s=%s%s%s'", text, equals + 1,
               dots ? ".." : "", dots ? dots + 2 : "");
    return NT_EXIT_USAGE;
}

static int make_loading(nt_cli_static *a, const nt_cli_options *options)
{
    nt_error error = {0};
    int n = options->n_loads;
    a->ranges = calloc((size_t)n + 1, sizeof *a->ranges);
    if (!a->ranges)
        return nt_cli_no_memory();
    for (int i = 0; i < n; i++) {
        int read = read_range(options->loads[i], &a->ranges[i]);
        if (read != NT_EXIT_DONE)
            return read;
    }
    a->is_path = n > 0 || options->arc_length;
    if (!a->is_path && options->path_step > 0) {
        nt_cli_say("--path-step is of a path, which --along or --arc-length asks for");
        return NT_EXIT_USAGE;
    }
    nt_status status = nt_loading_create(&a->loading, a->plan.run, a->ranges, n, &error);
    if (status != NT_OK && status != NT_INVALID)
        return nt_cli_fail(a->plan.path, &error);
    if (status != NT_OK) {
        nt_cli_say("--along: %s", error.message);
        return NT_EXIT_USAGE;
    }
    return NT_EXIT_DONE;
}

static int static_make(nt_cli_static *a, const nt_cli_options *options)
{
    nt_error error = {0};
    a->plan.path = options->name;
    if (nt_model_read(&a->plan.model, options->name, options->settings, options->n_settings,
                      &error) != NT_OK ||
        nt_run_create(&a->plan.run, a->plan.model, &error) != NT_OK ||
        nt_run_set_threads(a->plan.run, options->threads > 0 ? options->threads : 1, &error) !=
            NT_OK)
        return nt_cli_fail(options->name, &error);
    nt_run_stop_when(a->plan.run, nt_cli_stop_computing, NULL);
    int status = nt_cli_check_solver(a->plan.run, options);
    if (status == NT_EXIT_DONE)
        status = make_loading(a, options);
    if (status != NT_EXIT_DONE)
        return status;
    const nt_system *system = nt_run_system(a->plan.run);
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    size_t rows = (size_t)system->nh + (size_t)system->nn;
    a->numbers = calloc(nq + nv + (size_t)system->n_memory + rows + 1, sizeof *a->numbers);
    if (!a->numbers)
        return nt_cli_no_memory();
    a->reactions = a->numbers + nq + nv + system->n_memory;
    double *q = a->numbers, *v = q + nq, *memory = v + nv;
    nt_static_setup setup = {0};
    nt_run_static_setup(a->plan.run, &setup, &error);
    setup.solver = options->solver;
    setup.set_load = nt_loading_apply;
    setup.context = a->loading;
    nt_run_initial(a->plan.run, q, v, memory);
    if (nt_static_create(&a->state, &setup, &error) != NT_OK ||
        nt_static_start(a->state, nt_model_simulation(a->plan.model)->start, q, v, memory,
                        &error) != NT_OK)
        return nt_cli_fail(options->name, &error);
    return NT_EXIT_DONE;
}

int nt_cli_static_begin(nt_cli_static *a, const nt_cli_options *options)
{
    int status = nt_cli_places_choose_tables(&a->places, options);
    if (status == NT_EXIT_DONE)
        status = static_make(a, options);
    if (status == NT_EXIT_DONE)
        status = nt_cli_places_check(&a->places, &a->plan, options, NULL);
    return status == NT_EXIT_DONE ? nt_cli_places_probe(&a->places) : status;
}

void nt_cli_static_free(nt_cli_static *a)
{
    nt_record_close(a->record, NULL);
    nt_static_destroy(a->state);
    nt_loading_destroy(a->loading);
    nt_cli_places_free(&a->places);
    nt_cli_plan_free(&a->plan);
    free(a->ranges);
    free(a->numbers);
    free(a->provenance);
}

/* ---- the result ----------------------------------------------------------------------------- */

/* NAME=VALUE lines for NetCDF. */
static char *provenance(const nt_cli_static *a, const nt_cli_options *options, const char *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    fprintf(to, "model_file=%s\nhistory=nutate %s %s", nt_cli_base_name(a->plan.path), command,
            nt_cli_base_name(a->plan.path));
    for (int i = 0; i < options->n_parameters; i++)
        fprintf(to, " --param %s", options->parameters[i]);
    for (int i = 0; i < options->n_loads; i++) {
        fprintf(to, " --along %s", a->ranges[i].name);
        if (isfinite(a->ranges[i].to))
            fprintf(to, "=%.17g..%.17g", a->ranges[i].from, a->ranges[i].to);
    }
    fputs(options->arc_length ? " --arc-length" : "", to);
    if (options->path_step > 0)
        fprintf(to, " --path-step %.17g", options->path_step);
    nt_cli_put_settings(to, options);
    return nt_cli_finish_text(to, &text);
}

/* A path has the load first, and the last state under loads that none carries; a single state, its
 * records alone. */
int nt_cli_static_open(nt_cli_static *a, const nt_cli_options *options, const int *parameters,
                       int n)
{
    static const nt_result_column load = {"load", "1", "part of the loads of the path"};
    nt_error error = {0};
    a->provenance = provenance(a, options, n > 0 ? "sens --of static" : "static");
    if (!a->provenance)
        return nt_cli_no_memory();
    const nt_record_setup setup = {.run = a->plan.run,
                                   .files = a->places.files,
                                   .n_files = a->places.n,
                                   .provenance = a->provenance,
                                   .first = &load,
                                   .n_first = a->is_path || a->falls_short,
                                   .parameters = parameters,
                                   .n_parameters = n};
    if (a->places.n > 0 && nt_record_create(&a->record, &setup, &error) != NT_OK)
        return nt_cli_fail(a->plan.path, &error);
    return NT_EXIT_DONE;
}

nt_status nt_cli_static_row(nt_cli_static *a, const nt_state_rate *rates,
                            const double *reaction_rates, nt_error *error)
{
    nt_state state = nt_static_state(a->state);
    double load = nt_static_load(a->state);
    const nt_record_row row = {.first = &load,
                               .state = &state,
                               .reactions = a->reactions,
                               .rates = rates,
                               .reaction_rates = reaction_rates};
    nt_status status =
        nt_static_reactions(a->state, nt_run_length(a->plan.run), a->reactions, error);
    if (status == NT_OK && a->record)
        status = nt_record_put(a->record, &row, error);
    return status;
}

/* ---- the search ----------------------------------------------------------------------------- */

/* What a path went through. */
typedef struct seen {
    nt_cli_static *a;
    bool shows; /* progress */
    long points;
    nt_status status; /* of writing */
    nt_error error;
} seen;

static int look_at_point(void *context, nt_static *state, double load, nt_static_event event)
{
    seen *s = context;
    (void)state;
    if (event == NT_STATIC_LIMIT && s->a->limits.n++ < NT_CLI_LIMITS)
        s->a->limits.loads[s->a->limits.n - 1] = load;
    if (event == NT_STATIC_BRANCH && s->a->branches.n++ < NT_CLI_LIMITS)
        s->a->branches.loads[s->a->branches.n - 1] = load;
    s->points++;
    if (s->shows) {
        fprintf(stderr, "\rpoint %ld  load %.6g\033[K", s->points, load);
        fflush(stderr);
    }
    s->status = nt_cli_static_row(s->a, NULL, NULL, &s->error);
    return s->status != NT_OK || nt_cli_stop_asked();
}

/* What can be held, as the model file would say it. */
static void suggest_holds(const nt_cli_static *a)
{
    const nt_system *system = nt_run_system(a->plan.run);
    int n = nt_static_free_count(a->state) - nt_static_rest_count(a->state);
    char list[600] = "";
    size_t used = 0;
    for (int i = 0; i < n && i < 6; i++) { /* "rotation of body top about z" */
        char name[160], kind[20], body[120];
        system->coordinate_name(system->self, nt_static_free_entry(a->state, i), name,
                                (int)sizeof name);
        if (sscanf(name, "%19s of body %119s", kind, body) == 2)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s.%s.%c",
                                     used > 0 ? ", " : "", body, kind, name[strlen(name) - 1]);
    }
    nt_cli_say("static: {hold: [%s]}%s in the model holds %s, static: {hold: [free]} whatever "
               "nothing else determines",
               list, n > 6 ? " and so on" : "", n == 1 ? "it" : "them");
}

/* Where a body is placed. */
static bool place_of(const nt_cli_static *a, const char *body, double x[3])
{
    const nt_system *system = nt_run_system(a->plan.run);
    char name[300];
    nt_quantity_info quantity;
    double *q = a->numbers, *v = q + system->space.nq;
    nt_state state = {.t = nt_model_simulation(a->plan.model)->start, .q = q, .v = v};
    double *zeros = calloc((size_t)(system->space.nv + system->nh + system->nn) + 1, sizeof *zeros);
    state.memory = v + system->space.nv;
    state.vdot = zeros, state.lambda = zeros + system->space.nv;
    state.mu = state.lambda + system->nh;
    snprintf(name, sizeof name, "%s.position", body);
    bool good = zeros && nt_model_quantity(a->plan.model, name, &quantity, NULL) == NT_OK &&
                nt_run_sample(a->plan.run, &quantity, &state, NULL, x, NULL) == NT_OK;
    free(zeros);
    return good;
}

static bool exists(const nt_cli_static *a, const char *body)
{
    for (int b = 1; b <= nt_model_count(a->plan.model).bodies; b++)
        if (strcmp(nt_model_body_name(a->plan.model, b), body) == 0)
            return true;
    return false;
}

/* One bearing: each ball's rotation, and the ground axis nearest to its way along the groove, from
 * the ball before to the one behind; its cage whole. */
static void put_bearing(const nt_cli_static *a, FILE *to, const char *bearing, int length)
{
    char ball[300], other[2][300];
    int n = 0;
    do
        snprintf(ball, sizeof ball, "%.*s.ball%d", length, bearing, ++n);
    while (exists(a, ball));
    n--;
    for (int i = 0; i < n; i++) {
        double from[3] = {0}, on[3] = {0};
        int axis = 0;
        snprintf(ball, sizeof ball, "%.*s.ball%d", length, bearing, i + 1);
        for (int k = 0; k < 2; k++)
            snprintf(other[k], sizeof other[k], "%.*s.ball%d", length, bearing,
                     (i + (k ? 1 : n - 1)) % n + 1);
        if (!place_of(a, other[0], from) || !place_of(a, other[1], on))
            continue;
        for (int k = 1; k < 3; k++)
            if (fabs(on[k] - from[k]) > fabs(on[axis] - from[axis]))
                axis = k;
        fprintf(to, "%s.rotation, %s.translation.%c, ", ball, ball, "xyz"[axis]);
    }
    snprintf(ball, sizeof ball, "%.*s.cage", length, bearing);
    if (exists(a, ball))
        fprintf(to, "%s.translation, %s.rotation, ", ball, ball);
}

/* Balls of bearings spin and run along their grooves, which nothing resists at rest: what holds
 * them, all of them, as the model file would say it. */
static bool suggest_balls(const nt_cli_static *a, const char *message)
{
    char *list = NULL;
    size_t size = 0;
    FILE *to = strstr(message, ".ball") ? open_memstream(&list, &size) : NULL;
    for (int b = 1; to && b <= nt_model_count(a->plan.model).bodies; b++) {
        const char *name = nt_model_body_name(a->plan.model, b), *end = strstr(name, ".ball1");
        if (end && strcmp(end, ".ball1") == 0)
            put_bearing(a, to, name, (int)(end - name));
    }
    bool some = to && fclose(to) == 0 && size > 2;
    if (some)
        nt_cli_say("balls of bearings spin and run along their grooves, which nothing resists at "
                   "rest; static: {hold: [%.*s]} in the model holds them, besides what else turns "
                   "freely, as the shaft, static: {hold: [free]} all of it",
                   (int)size - 2, list);
    free(list);
    return some;
}

static int refuse(const nt_cli_static *a, const nt_error *error)
{
    int status = nt_cli_fail(a->plan.path, error);
    int wandering = nt_static_free_count(a->state) - nt_static_rest_count(a->state);
    if (nt_model_simulation(a->plan.model)->hold_free) /* all that can be held is */
        return status;
    if ((error->status == NT_SINGULAR || error->status == NT_NOT_CONVERGED) &&
        suggest_balls(a, error->message))
        return wandering > 0 ? NT_EXIT_USAGE : status;
    if ((error->status == NT_SINGULAR || error->status == NT_NOT_CONVERGED) && wandering > 0) {
        suggest_holds(a);
        return NT_EXIT_USAGE;
    }
    return status;
}

/* Says why a path that found nothing could not begin, where the model refuses a value that a
 * parameter has there. Paths may begin at such values all the same: a mass of 0 is at rest. */
static int refuse_begin(const nt_cli_static *a, int n)
{
    for (int i = 0; i < n; i++) {
        double from = isnan(a->ranges[i].from) ? 0 : a->ranges[i].from;
        nt_error error = {0};
        if (nt_model_set(a->plan.run, a->ranges[i].name, from, &error) != NT_BAD_MODEL)
            continue;
        nt_cli_say("the path begins where %s is %g, which the model cannot have:",
                   a->ranges[i].name, from);
        return nt_cli_fail(a->plan.path, &error);
    }
    return NT_EXIT_DONE;
}

int nt_cli_static_find(nt_cli_static *a, const nt_cli_options *options)
{
    nt_error error = {0};
    seen s = {.a = a, .shows = !options->quiet && isatty(STDERR_FILENO)};
    nt_status status;
    if (a->is_path) {
        const nt_static_path path = {.from = 0,
                                     .to = 1,
                                     .arc_length = options->arc_length,
                                     .step = options->path_step,
                                     .observe = look_at_point,
                                     .context = &s};
        nt_cli_signals_in_order(true);
        status = nt_static_follow(a->state, &path, &error);
        nt_cli_signals_in_order(false);
        a->points = s.points;
        if (s.shows)
            fputs("\r\033[K", stderr);
        if (s.status != NT_OK)
            return nt_cli_fail(a->plan.path, &s.error);
    } else
        status = nt_static_solve(a->state, &error);
    a->falls_short = !a->is_path && status != NT_OK && nt_static_load(a->state) < 1;
    if (a->is_path && s.points == 0 && status != NT_OK && status != NT_INTERRUPTED) {
        int begin = refuse_begin(a, options->n_loads);
        if (begin != NT_EXIT_DONE)
            return begin;
    }
    return status == NT_OK ? NT_EXIT_DONE : refuse(a, &error);
}

/* ---- the summary ---------------------------------------------------------------------------- */

static int show_stability(nt_cli_static *a)
{
    nt_stability s;
    nt_error error = {0};
    if (nt_model_count(a->plan.model).states > 0) {
        fputs("  states feed back: whether it is stable is for nutate modes to say\n", stderr);
        return NT_EXIT_DONE;
    }
    if (nt_static_stability(a->state, &s, &error) != NT_OK)
        return nt_cli_fail(a->plan.path, &error);
    if (!s.direction) {
        fputs("  nothing can move\n", stderr);
        return NT_EXIT_DONE;
    }
    double frequency = sqrt(fabs(s.rate)) / (2 * acos(-1.0));
    if (s.critical)
        fprintf(
            stderr,
            "  critical: its least stiffness is %.2g of that of its parts, next to rounding%s\n",
            s.softness,
            a->is_path ? ", which may hide its sign"
                       : "; what is said of it is how it is pushed about 0.02 or 0.2 (rad, or "
                         "lengths of the model) beside, not how nearer by");
    fprintf(stderr, "  %s; softest: %s", s.stable ? "stable" : "UNSTABLE", s.words);
    if (isfinite(s.rate) && !s.critical)
        fprintf(stderr, s.stable ? " (%.4g Hz)\n" : " (leaves at a rate of %.4g 1/s)\n",
                s.stable ? frequency : sqrt(fabs(s.rate)));
    else
        fputc('\n', stderr);
    if (s.stable || a->is_path)
        return NT_EXIT_DONE;
    if (nt_model_simulation(a->plan.model)->stable) {
        nt_cli_say("static: {stable: true} asks for a stable state, and none was found: a damped "
                   "motion without inertia ends at this one, which is not");
        return NT_EXIT_FAILED;
    }
    fputs("  the nearest state is taken; static: {stable: true} takes one that a damped motion "
          "reaches\n",
          stderr);
    return NT_EXIT_DONE;
}

/* What friction holds, the nearest to its limit first; of what is regularised, that it holds
 * nothing. */
enum { FRICTION_SHOWN = 6 };

static int nearest_to_limit(const void *a, const void *b)
{
    const nt_static_friction *x = a, *y = b;
    double p = x->holds * y->limit * x->force, q = y->holds * x->limit * y->force;
    if (x->holds != y->holds)
        return x->holds < y->holds ? -1 : 1;
    return p > q ? -1 : p < q ? 1 : strcmp(x->name, y->name);
}

static void show_held(const nt_static_friction *parts, int n)
{
    static const char *const words[] = {"touch nothing", "slip, with all of their friction",
                                        "stick"};
    int shown = 0;
    for (int i = 0; i < n; i++) {
        int of_its_kind = 0, kind = parts[i].holds;
        for (int k = 0; k < n; k++)
            of_its_kind += (int)parts[k].holds == kind;
        if (i == 0 || (int)parts[i - 1].holds != kind) {
            shown = 0;
            fprintf(stderr, "  friction: %d of %d %s:", of_its_kind, n, words[kind + 1]);
        }
        if (shown < FRICTION_SHOWN) {
            fprintf(stderr, "%s %s", shown > 0 ? "," : "", parts[i].name);
            if (kind == NT_DRY_STICKS && parts[i].limit > 0)
                fprintf(stderr, " (%.3g of what it can hold)", parts[i].force / parts[i].limit);
        }
        shown++;
        if (i + 1 == n || (int)parts[i + 1].holds != kind)
            fputs(shown > FRICTION_SHOWN ? " and others\n" : "\n", stderr);
    }
}

static int show_friction(const nt_cli_static *a)
{
    char name[200];
    nt_error error = {0};
    int n = nt_static_friction_count(a->state), creeping = 0;
    nt_static_friction *parts = calloc((size_t)n + 1, sizeof *parts);
    if (!parts)
        return nt_cli_no_memory();
    for (int i = 0; i < n; i++)
        if (nt_static_friction_at(a->state, i, &parts[i], &error) != NT_OK) {
            free(parts);
            return nt_cli_fail(a->plan.path, &error);
        }
    qsort(parts, (size_t)n, sizeof *parts, nearest_to_limit);
    show_held(parts, n);
    free(parts);
    for (; nt_model_creeps(a->plan.model, creeping, name, sizeof name); creeping++)
        if (creeping < FRICTION_SHOWN)
            fprintf(stderr, "%s%s",
                    creeping == 0
                        ? "  friction that is regularised creeps, and holds nothing at rest "
                          "(law: set-valued sticks): "
                        : ", ",
                    name);
    if (creeping > 0)
        fputs(creeping > FRICTION_SHOWN ? " and others\n" : "\n", stderr);
    return NT_EXIT_DONE;
}

static int show_values(const nt_cli_static *a)
{
    enum { SHOWN = 6 };
    const nt_simulation *simulation = nt_model_simulation(a->plan.model);
    nt_state state = nt_static_state(a->state);
    int shown = 0;
    for (int i = 0; i < simulation->n_record && shown < SHOWN; i++) {
        nt_quantity_info quantity;
        double out[16];
        char name[128], unit[64], meaning[256];
        nt_error error = {0};
        if (nt_model_quantity(a->plan.model, simulation->record[i], &quantity, &error) != NT_OK ||
            nt_run_sample(a->plan.run, &quantity, &state, a->reactions, out, &error) != NT_OK)
            return nt_cli_fail(a->plan.path, &error);
        nt_model_quantity_column(a->plan.model, &quantity, 0, name, unit, meaning, 64);
        fprintf(stderr, "  %s ", simulation->record[i]);
        for (int k = 0; k < quantity.columns && k < 4; k++)
            fprintf(stderr, " %.9g", out[k]);
        fprintf(stderr, " %s\n", strcmp(unit, "1") == 0 ? "" : unit);
        shown++;
    }
    if (simulation->n_record > shown)
        fprintf(stderr, "  and %d more records\n", simulation->n_record - shown);
    return NT_EXIT_DONE;
}

/* What is held, and the loads that nothing else carries. */
static int show_holds(const nt_cli_static *a)
{
    enum { SHOWN = 6 };
    const nt_system *system = nt_run_system(a->plan.run);
    int n_free = nt_static_free_count(a->state) - nt_static_rest_count(a->state), carries = 0;
    int n = nt_static_held_count(a->state), asked = n - nt_static_free_count(a->state);
    nt_error error = {0};
    if (asked + n_free == 0)
        return NT_EXIT_DONE;
    fprintf(stderr, "  held: %d directions as asked for, %d that move freely\n", asked, n_free);
    int *entries = calloc((size_t)n + 1, sizeof *entries);
    double *forces = calloc((size_t)n + 1, sizeof *forces);
    if (!entries || !forces) {
        free(entries);
        free(forces);
        return nt_cli_no_memory();
    }
    nt_status status = nt_static_held_forces(a->state, entries, forces, &error);
    for (int k = 0; k < n && status == NT_OK; k++) {
        char name[160] = "";
        if (forces[k] == 0 || carries++ >= SHOWN)
            continue;
        system->coordinate_name(system->self, entries[k], name, (int)sizeof name);
        fprintf(stderr, "%s%s by %.6g %s",
                carries == 1 ? "  held against a load that nothing else carries: " : ", ", name,
                forces[k], strncmp(name, "rotation", 8) == 0 ? "N m" : "N");
    }
    if (carries > SHOWN)
        fprintf(stderr, " and %d more", carries - SHOWN);
    fputs(carries > 0 ? "\n" : "", stderr);
    free(entries);
    free(forces);
    return status == NT_OK ? NT_EXIT_DONE : nt_cli_fail(a->plan.path, &error);
}

static void show_loads(const char *words, const double *loads, int all)
{
    int n = all < NT_CLI_LIMITS ? all : NT_CLI_LIMITS;
    for (int i = 0; i < n; i++)
        fprintf(stderr, "%s%.9g%s", i == 0 ? words : ", ", loads[i],
                i + 1 < n ? ""
                : all > n ? " and more\n"
                          : "\n");
}

static void show_path(const nt_cli_static *a)
{
    fprintf(stderr, "  %ld points, the last one under %.9g of the load\n", a->points,
            nt_static_load(a->state));
    show_loads("  limits of the load: ", a->limits.loads, a->limits.n);
    show_loads("  branching points, where another path crosses the one that is followed: ",
               a->branches.loads, a->branches.n);
}

int nt_cli_static_summary(nt_cli_static *a, int status)
{
    const char *title = nt_model_title(a->plan.model);
    int n_resting = nt_static_rest_count(a->state);
    char warning[300];
    nt_state state = nt_static_state(a->state);
    if (nt_record_warning(a->record, NULL, &state, warning, sizeof warning) > 0)
        fprintf(stderr, "warning: %s\n", warning);
    for (int i = 0; nt_run_warning(a->plan.run, i, warning, sizeof warning) > 0; i++)
        fprintf(stderr, "warning: %s\n", warning);
    fprintf(stderr, "%s: static state%s\n",
            title && *title ? title : nt_cli_base_name(a->plan.path), a->is_path ? "s" : "");
    if (a->is_path)
        show_path(a);
    int shown = show_values(a);
    status = status == NT_EXIT_DONE ? shown : status;
    int holds = status == NT_EXIT_DONE ? show_holds(a) : NT_EXIT_DONE;
    status = status == NT_EXIT_DONE ? holds : status;
    nt_cli_say_lost_rows(nt_static_lost_rows(a->state), "how stiff the state is");
    if (n_resting > 0)
        fprintf(stderr, "  %d directions of slack lines are where nothing pushes them\n",
                n_resting);
    if (status == NT_EXIT_DONE)
        status = show_stability(a);
    shown = show_friction(a);
    status = status == NT_EXIT_DONE ? shown : status;
    long rows = a->record ? nt_record_rows(a->record) : 0;
    for (int i = 0; i < a->places.n; i++)
        if (strcmp(a->places.files[i].path, "-") != 0)
            fprintf(stderr, "%ld row%s in %s\n", rows, rows == 1 ? "" : "s",
                    a->places.files[i].path);
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

int nt_cli_static_state(const nt_cli_options *options)
{
    nt_cli_static a = {0};
    nt_error error = {0};
    int status = nt_cli_static_begin(&a, options);
    if (status == NT_EXIT_DONE && a.is_path)
        status = nt_cli_static_open(&a, options, NULL, 0);
    if (status != NT_EXIT_DONE)
        goto done;
    status = nt_cli_static_find(&a, options);
    if (!a.is_path && status != NT_EXIT_USAGE) {
        int opened = nt_cli_static_open(&a, options, NULL, 0);
        bool found = status == NT_EXIT_DONE || a.falls_short;
        if (opened == NT_EXIT_DONE && found && nt_cli_static_row(&a, NULL, NULL, &error) != NT_OK)
            opened = nt_cli_fail(options->name, &error);
        status = status == NT_EXIT_DONE || opened != NT_EXIT_DONE ? opened : status;
    }
    if (!options->quiet && (status == NT_EXIT_DONE || a.points > 0))
        status = nt_cli_static_summary(&a, status);
    if (nt_record_close(a.record, &error) != NT_OK && status == NT_EXIT_DONE)
        status = nt_cli_fail(options->name, &error);
    a.record = NULL;
done:
    nt_cli_static_free(&a);
    return status;
}
