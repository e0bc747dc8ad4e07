/* Explicit Runge-Kutta-Munthe-Kaas methods: orders, error control, constraints, dense output,
 * restart, counts and sensitivities. Reference values: 34-digit Taylor series or two independent
 * formulations at 1e-12, but for exact solutions. */
#include "../model/mechanism.h"

#include "disk.h"
#include "papers/jay-negrut/problem.h"
#include "tests/read_run.h"

static const char *const methods[] = {"rkmk-dopri5", "rkmk-dop853"};
enum { DOPRI5, DOP853, METHODS };

/* ---- systems by hand ------------------------------------------------------------------------ */

/* A body about a fixed point, body frame: J W' + W x J W = weight R^T e3 x e3. */
typedef struct spinner {
    m3 J;
    double weight;
    nt_block block;
} spinner;

static nt_status spinner_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const spinner *p = self;
    const nt_combination *c = terms->combination;
    v3 W = v3_load(at->v), JW = m3_apply(p->J, W);
    v3 e3 = v3_of(0, 0, 1), up = m3_apply_transposed(quat_matrix(quat_load(at->q)), e3);
    if (terms->residual && (terms->parts & NT_MASS))
        v3_accumulate(terms->residual, m3_apply(p->J, v3_load(at->vdot)));
    if (terms->residual && (terms->parts & NT_GYROSCOPIC))
        v3_accumulate(terms->residual, v3_cross(W, JW));
    if (terms->residual && (terms->parts & NT_IMPLICIT))
        v3_accumulate(terms->residual, v3_scale(p->weight, v3_cross(e3, up)));
    if (!terms->matrix)
        return NT_OK;
    double *block = nt_matrix_block(terms->matrix, 0);
    if (terms->parts & NT_MASS)
        m3_accumulate(block, m3_scale(c->mass, p->J));
    if (terms->parts & NT_GYROSCOPIC)
        m3_accumulate(block, m3_scale(c->damping, m3_sub(m3_skew_multiply(W, p->J), m3_skew(JW))));
    if (terms->parts & NT_IMPLICIT)
        m3_accumulate(block, m3_scale(p->weight * c->stiffness, m3_skew_skew(e3, up)));
    return NT_OK;
}

static nt_system spinner_system(spinner *p)
{
    nt_system s = {.name = "spinner",
                   .frame = NT_BODY,
                   .capabilities = NT_HAS_TANGENT | NT_AFFINE | NT_POSITION_FORCES,
                   .self = p,
                   .evaluate = spinner_evaluate};
    p->block = (nt_block){.kind = NT_SO3};
    nt_space_init(&s.space, &p->block, 1);
    return s;
}

/* A planet in R^2: x'' = -x/|x|^3, on the circle (cos t, sin t). */
static nt_status planet_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self;
    const nt_combination *c = terms->combination;
    double x = at->q[0], y = at->q[1], r2 = x * x + y * y, r3 = r2 * sqrt(r2);
    if (terms->residual)
        for (int i = 0; i < 2; i++)
            terms->residual[i] += (terms->parts & NT_MASS ? at->vdot[i] : 0) +
                                  (terms->parts & NT_IMPLICIT ? at->q[i] / r3 : 0);
    if (!terms->matrix)
        return NT_OK;
    double *b = nt_matrix_block(terms->matrix, 0);
    for (int i = 0; i < 4; i++) {
        b[i] += terms->parts & NT_MASS ? c->mass * (i % 3 == 0) : 0;
        if (terms->parts & NT_IMPLICIT)
            b[i] +=
                c->stiffness * ((i % 3 == 0) / r3 - 3 * at->q[i / 2] * at->q[i % 2] / (r2 * r3));
    }
    return NT_OK;
}

/* ---- problems ------------------------------------------------------------------------------- */

/* A motion and where it must be at the end: numbers of a kind of its own. */
typedef struct problem {
    const char *name;
    nt_system system;
    double q[7], v[6], end;
    int n;
    double exact[7];
    void (*look)(const nt_state *state, double *out);
    double h[METHODS]; /* coarse steps in the range where the order shows */
    nt_block block;
    top top;
    spinner spinner;
    disk disk;
    jay_negrut both;
} problem;

static void look_position(const nt_state *state, double *out)
{
    memcpy(out, state->q, 3 * sizeof *out);
}
static void look_axis(const nt_state *state, double *out)
{
    v3_store(out, m3_apply(quat_matrix(quat_load(state->q)), v3_of(0, 0, 1)));
}
static void look_rates(const nt_state *state, double *out)
{
    memcpy(out, state->v, 3 * sizeof *out);
    out[3] = fabs(state->q[0]), out[4] = fabs(state->q[1]);
}
static void look_plane(const nt_state *state, double *out)
{
    memcpy(out, state->q, 2 * sizeof *out);
    memcpy(out + 2, state->v, 2 * sizeof *out);
}
static void look_multipliers(const nt_state *state, double *out)
{
    look_plane(state, out);
    out[4] = state->lambda[0], out[5] = state->mu[0];
}
static void look_top(const nt_state *state, double *out)
{
    memcpy(out, state->q, 3 * sizeof *out);
    for (int i = 0; i < 3; i++) /* N to the size of the rest */
        out[3 + i] = state->lambda[i] * 1e-3;
}

/* Constrained, on the rotation group, on a vector space; holonomic and nonholonomic constraints;
 * systems that are not affine. */
static problem *open_problems(int *count)
{
    static problem list[6];
    list[0] = (problem){.name = "heavy top",
                        .end = 0.1,
                        .n = 6,
                        .exact = {.421296658925402, .894571974345593, -.149164700561900,
                                  -.361056004787116, -.295393173011226, -.212267171855119},
                        .look = look_top,
                        .h = {1e-3, 4e-3}};
    list[0].top = heavy_top();
    list[0].system = top_system(&list[0].top, &list[0].block);
    memcpy(list[0].q, top_q0, sizeof top_q0);
    memcpy(list[0].v, top_v0, sizeof top_v0);
    list[1] = (problem){.name = "slow top",
                        .q = {cos(0.025), sin(0.025)},
                        .v = {0, 0, 5},
                        .end = 1,
                        .n = 3,
                        .exact = {.0462053286319, -.1751265184575, .9834611177566},
                        .look = look_axis,
                        .h = {0.05, 0.1},
                        .spinner = {.J = m3_diagonal(5, 5, 1), .weight = 20}};
    list[1].system = spinner_system(&list[1].spinner);
    list[2] = (problem){.name = "free body",
                        .q = {1},
                        .v = {1, 0.5, 0.8},
                        .end = 10,
                        .n = 5,
                        .exact = {.4719139528061542, 1.013556718268332, .6171717153956234,
                                  .7295978335235393, .03011763915844035},
                        .look = look_rates,
                        .h = {0.2, 0.5},
                        .spinner = {.J = m3_diagonal(1, 2, 3)}};
    list[2].system = spinner_system(&list[2].spinner);
    list[3] = (problem){.name = "planet",
                        .q = {1, 0},
                        .v = {0, 1},
                        .end = 4,
                        .n = 4,
                        .exact = {cos(4), sin(4), -sin(4), cos(4)},
                        .look = look_plane,
                        .h = {0.1, 0.4},
                        .block = {.kind = NT_RN, .nv = 2}};
    list[3].system = (nt_system){.name = "planet",
                                 .capabilities = NT_HAS_TANGENT | NT_AFFINE | NT_POSITION_FORCES,
                                 .evaluate = planet_evaluate};
    nt_space_init(&list[3].system.space, &list[3].block, 1);
    list[4] = (problem){.name = "rolling disk",
                        .q = {0, 0, 1, 0, 0, sqrt(0.5), sqrt(0.5)},
                        .end = 1,
                        .n = 3,
                        .exact = {2.777198908942, 3.235529398577, .692281875202},
                        .look = look_position,
                        .h = {0.02, 0.05},
                        .disk = {.m = 15, .r = 1, .A = 3.75, .C = 7.5, .gravity = 9.81}};
    disk_init(&list[4].disk);
    list[4].system = list[4].disk.system;
    disk_roll(&list[4].disk, list[4].q, v3_of(0, 15, 5), list[4].v);
    list[5] = (problem){.name = "Jay & Negrut",
                        .q = {1, 1},
                        .v = {1, -2},
                        .end = 1,
                        .n = 6,
                        .exact = {exp(1), exp(-2), exp(1), -2 * exp(-2), exp(-1), exp(1)},
                        .look = look_multipliers,
                        .h = {0.1, 0.2}};
    jay_negrut_init(&list[5].both);
    list[5].system = list[5].both.system;
    *count = 6;
    return list;
}

static nt_integrator *start(const nt_system *system, int method, nt_frame frame, double tolerance,
                            const double *q, const double *v)
{
    nt_error error = {0};
    nt_integrator *it;
    nt_integrator_setup setup = {.system = system,
                                 .method = nt_method_find(methods[method]),
                                 .frame = frame,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (nt_integrator_create(&it, &setup, &error) != NT_OK ||
        nt_integrator_start(it, 0, q, v, NULL, &error) != NT_OK)
        fail_msg("%s: %s", methods[method], error.message);
    return it;
}

static void go(nt_integrator *it, double end, double h)
{
    nt_error error = {0};
    if (nt_integrator_run(it, end, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static double off_by(const problem *p, const nt_state *state)
{
    double value[7], worst = 0;
    p->look(state, value);
    for (int i = 0; i < p->n; i++)
        worst = fmax(worst, fabs(value[i] - p->exact[i]));
    return worst;
}

static double error_of(const problem *p, int method, nt_frame frame, double tolerance, double h)
{
    nt_integrator *it = start(&p->system, method, frame, tolerance, p->q, p->v);
    go(it, p->end, h);
    nt_state state = nt_integrator_state(it);
    double error = off_by(p, &state);
    nt_integrator_destroy(it);
    return error;
}

/* ---- orders --------------------------------------------------------------------------------- */

/* Between two steps in the range of each method: 5 and 8. Two steps differ from the limit by up to
 * 0.4; a motion whose leading error nearly vanishes shows up to one and a half orders more. */
static void orders_with_fixed_steps(void **unused)
{
    (void)unused;
    static const double order[METHODS] = {5, 8};
    int count;
    const problem *list = open_problems(&count);
    for (int i = 0; i < count; i++)
        for (int m = 0; m < METHODS; m++)
            for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
                double h = m == DOPRI5 ? list[i].h[m] / 2 : list[i].h[m];
                double coarse = error_of(&list[i], m, frame, 0, h);
                double fine = error_of(&list[i], m, frame, 0, h / 2), slope = log2(coarse / fine);
                if (!(slope > order[m] - 0.4 && slope < order[m] + 1.6) || !(fine < 5e-6))
                    fail_msg("%s, %s, frame %d: errors %.3g and %.3g, order %.2f", methods[m],
                             list[i].name, (int)frame, coarse, fine, slope);
            }
}

/* Errors at the end stay within forty tolerances over all these motions, and follow the tolerance
 * over four decades: 5(4) closely; 8(5,3) takes a dozen steps at 1e-6 and its two estimates of
 * different order are combined, so that the exponent is rough. */
static void errors_follow_the_tolerance(void **unused)
{
    (void)unused;
    static const double low[METHODS] = {0.9, 0.4}, high[METHODS] = {1.25, 1.5};
    int count;
    const problem *list = open_problems(&count);
    for (int i = 0; i < count; i++)
        for (int m = 0; m < METHODS; m++)
            for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
                double loose = error_of(&list[i], m, frame, 1e-6, 1e-3);
                double tight = error_of(&list[i], m, frame, 1e-10, 1e-3);
                double exponent = log10(loose / tight) / 4;
                if (!(exponent > low[m] && exponent < high[m]) || !(loose < 40e-6) ||
                    !(tight < 40e-10))
                    fail_msg("%s, %s, frame %d: errors %.3g and %.3g, exponent %.2f", methods[m],
                             list[i].name, (int)frame, loose, tight, exponent);
            }
}

/* ---- constraints ---------------------------------------------------------------------------- */

/* Largest misses, relative to the largest coordinate or velocity (1 m, 1 rad/s at least). */
typedef struct largest {
    nt_integrator *it;
    double position, velocity;
} largest;

static double scale_of(const double *x, int n)
{
    double most = 1;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static int watch_drift(void *context, const nt_integrator *it)
{
    largest *worst = context;
    double position = 1, velocity = 1;
    nt_integrator_drift(worst->it, &position, &velocity);
    nt_state state = nt_integrator_state(it);
    const nt_space *space = &nt_integrator_system(it)->space;
    worst->position = fmax(worst->position, position / scale_of(state.q, space->nq));
    worst->velocity = fmax(worst->velocity, velocity / scale_of(state.v, space->nv));
    return 0;
}

/* A row is met to sixteen roundings (3.6e-15) of the largest coordinate or velocity in the frame of
 * the method; seen from another frame a velocity may be larger by sqrt(3). Steps large enough that
 * the way back is far longer than that. */
static void constraints_hold_to_rounding(void **unused)
{
    (void)unused;
    int count;
    const problem *list = open_problems(&count);
    for (int i = 0; i < count; i++)
        for (int m = 0; m < METHODS && list[i].system.nh > 0; m++)
            for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
                nt_integrator *it = start(&list[i].system, m, frame, 0, list[i].q, list[i].v);
                largest worst = {.it = it};
                nt_error error = {0};
                double h = 2 * list[i].h[m];
                if (nt_integrator_run(it, 5 * list[i].end, h, watch_drift, &worst, &error) != NT_OK)
                    fail_msg("%s", error.message);
                if (!(worst.position <= 3.6e-15) || !(worst.velocity <= 6.2e-15))
                    fail_msg("%s, %s, frame %d: drift %.3g and %.3g", methods[m], list[i].name,
                             (int)frame, worst.position, worst.velocity);
                nt_integrator_destroy(it);
            }
}

/* ---- dense output --------------------------------------------------------------------------- */

/* Largest error inside the steps, against runs that end there with steps of a quarter. */
static double dense_error(const problem *p, int method, nt_frame frame, double h)
{
    static const double inside[] = {0.15, 0.5, 0.8};
    nt_integrator *it = start(&p->system, method, frame, 0, p->q, p->v);
    nt_integrator *exact = start(&p->system, DOP853, frame, 0, p->q, p->v);
    double worst = 0;
    for (int k = 0; k < 8; k++) {
        go(it, h * (k + 1), h);
        for (int j = 0; j < 3; j++) {
            nt_state state;
            double t = h * (k + inside[j]), here[7], there[7];
            go(exact, t, h / 4);
            nt_state reference = nt_integrator_state(exact);
            assert_int_equal(nt_integrator_dense(it, t, &state), NT_OK);
            p->look(&state, here);
            p->look(&reference, there);
            for (int i = 0; i < p->n; i++)
                worst = fmax(worst, fabs(here[i] - there[i]));
        }
    }
    nt_integrator_destroy(it);
    nt_integrator_destroy(exact);
    return worst;
}

/* Continuous extensions of order 4 and 7 have local errors of order 5 and 8, accelerations and
 * multipliers (of the two problems that look at them) with them. */
static void dense_output_has_its_order(void **unused)
{
    (void)unused;
    static const double order[METHODS] = {5, 8};
    int count;
    const problem *list = open_problems(&count);
    for (int i = 0; i < count; i++)
        for (int m = 0; m < METHODS; m++)
            for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
                double h = m == DOPRI5 ? list[i].h[m] / 2 : list[i].h[m];
                double coarse = dense_error(&list[i], m, frame, h);
                double fine = dense_error(&list[i], m, frame, h / 2), slope = log2(coarse / fine);
                if (!(slope > order[m] - 0.5 && slope < order[m] + 1.6))
                    fail_msg("%s, %s, frame %d: errors %.3g and %.3g, order %.2f", methods[m],
                             list[i].name, (int)frame, coarse, fine, slope);
            }
}

/* Steps so large that the way back to the constraints is about 1e-3 long: dense output meets the
 * states at both ends with value and rate, so close to them it differs by the distance squared. */
static void dense_output_joins_the_steps(void **unused)
{
    (void)unused;
    int count;
    const problem *top_problem = open_problems(&count);
    for (int m = 0; m < METHODS; m++) {
        double h = m == DOPRI5 ? 8e-3 : 1.6e-2, near = 1e-5 * h;
        nt_integrator *it =
            start(&top_problem->system, m, NT_BODY, 0, top_problem->q, top_problem->v);
        go(it, h, h);
        nt_state end = nt_integrator_state(it), state;
        double q[7], v[6];
        memcpy(q, end.q, sizeof q);
        memcpy(v, end.v, sizeof v);
        assert_int_equal(nt_integrator_dense(it, h - near, &state), NT_OK);
        for (int i = 0; i < 3; i++) /* |x''| near 1e5 m/s^2 in steps as coarse as these */
            CLOSE(state.q[i], q[i] - near * v[i], 1e5 * near * near);
        assert_int_equal(nt_integrator_dense(it, near, &state), NT_OK);
        for (int i = 0; i < 3; i++)
            CLOSE(state.q[i], top_q0[i] + near * top_v0[i], 1e5 * near * near);
        nt_integrator_destroy(it);
    }
}

/* ---- counts, restart, refusals -------------------------------------------------------------- */

/* Six and twelve evaluations a step, the end being the first stage of the next; three more where
 * 8(5,3) is asked for dense output, once a step; and one for the accelerations there. */
static void evaluations_are_counted(void **unused)
{
    (void)unused;
    static const long each[METHODS] = {6, 12}, dense[METHODS] = {1, 4};
    int count;
    problem *list = open_problems(&count);
    for (int m = 0; m < METHODS; m++) {
        list[0].top.evaluations = 0;
        nt_integrator *it = start(&list[0].system, m, NT_BODY, 0, list[0].q, list[0].v);
        go(it, 0.05, 1e-3);
        const nt_statistics *statistics = nt_integrator_statistics(it);
        assert_int_equal(statistics->steps, 50);
        assert_int_equal(statistics->evaluations, 50 * each[m]);
        assert_int_equal(statistics->factorisations, 50 * each[m]);
        nt_state state;
        long before = list[0].top.evaluations;
        assert_int_equal(nt_integrator_dense(it, 0.0494, &state), NT_OK);
        assert_int_equal(list[0].top.evaluations - before, dense[m]);
        assert_int_equal(nt_integrator_dense(it, 0.0497, &state), NT_OK);
        assert_int_equal(list[0].top.evaluations - before, dense[m] + 1);
        nt_integrator_destroy(it);
    }
}

/* The same bits after a restore, whatever the solver fell back to before (in the last problem it
 * does) and whatever dense output was asked for. */
static void restart_gives_the_same_bits(void **unused)
{
    (void)unused;
    int count;
    const problem *list = open_problems(&count);
    for (int i = 0; i < count; i++)
        for (int m = 0; m < METHODS; m++) {
            const nt_space *space = &list[i].system.space;
            double end = list[i].end, then[2][13];
            nt_integrator *it = start(&list[i].system, m, NT_INERTIAL, 1e-7, list[i].q, list[i].v);
            nt_state state, dense;
            nt_error error = {0};
            go(it, end / 2, 1e-3);
            void *bytes = malloc(nt_integrator_saved_size(it));
            assert_non_null(bytes);
            nt_integrator_save(it, bytes);
            for (int k = 0; k < 2; k++) {
                if (k == 1)
                    assert_int_equal(
                        nt_integrator_restore(it, bytes, nt_integrator_saved_size(it), &error),
                        NT_OK);
                state = nt_integrator_state(it);
                double q_then[7], t = state.t - 0.3 * state.step;
                assert_int_equal(nt_integrator_dense(it, t, &dense), NT_OK);
                memcpy(q_then, dense.q, (size_t)space->nq * sizeof *q_then);
                if (k == 1) /* and once more from the stages that are there now */
                    assert_int_equal(nt_integrator_dense(it, t, &dense), NT_OK);
                assert_memory_equal(q_then, dense.q, (size_t)space->nq * sizeof *q_then);
                go(it, end, 1e-3);
                state = nt_integrator_state(it);
                memcpy(then[k], state.q, (size_t)space->nq * sizeof(double));
                memcpy(then[k] + space->nq, state.v, (size_t)space->nv * sizeof(double));
            }
            assert_memory_equal(then[0], then[1], (size_t)(space->nq + space->nv) * sizeof(double));
            free(bytes);
            nt_integrator_destroy(it);
        }
}

/* A spin about a fixed axis has no error: steps stay below 3 rad all the same and none is rejected.
 * Equal steps that would turn the body by 2 pi and more are halved until they do not. */
static void steps_turn_less_than_once(void **unused)
{
    (void)unused;
    spinner p = {.J = m3_diagonal(1, 2, 3)};
    nt_system system = spinner_system(&p);
    const double q[4] = {1, 0, 0, 0}, v[3] = {0, 0, 100};
    for (int m = 0; m < METHODS; m++) {
        nt_integrator *it = start(&system, m, NT_BODY, 1e-8, q, v);
        go(it, 10, 1e-3);
        const nt_statistics *statistics = nt_integrator_statistics(it);
        assert_int_equal(statistics->rejected, 0);
        CLOSE(statistics->largest_step, 0.03, 1e-15);
        nt_state state = nt_integrator_state(it);
        CLOSE(fabs(state.q[0]), fabs(cos(500)), 1e-12);
        nt_integrator_destroy(it);
        it = start(&system, m, NT_BODY, 0, q, v);
        go(it, 1, 0.1);
        state = nt_integrator_state(it);
        CLOSE(fabs(state.q[0]), fabs(cos(50)), 1e-12);
        CLOSE(nt_integrator_statistics(it)->largest_step, 0.05, 1e-15);
        nt_integrator_destroy(it);
    }
}

/* ---- mechanisms ----------------------------------------------------------------------------- */

static mechanism open_model(const char *text, const char *path, int method, double tolerance)
{
    mechanism m = {0};
    nt_error error = {0};
    char name[1024];
    if (path)
        snprintf(name, sizeof name, NUTATE_SOURCE_DIR "/examples/%s", path);
    nt_status status =
        path ? read_run(&m.run, name, NULL, 0, &error)
             : read_run_text(&m.run, text, strlen(text), "test", NULL, NULL, 0, &error);
    if (status != NT_OK)
        fail_msg("%s", error.message);
    m.integrator = start(nt_run_system(m.run), method, NT_INERTIAL, tolerance, NULL, NULL);
    return m;
}

/* Redundant rows from the start (Bricard, one; the loops, five) and singular positions on the way
 * (all bars on a line, five times in ten seconds). */
static void mechanisms_at_tight_tolerance(void **unused)
{
    (void)unused;
    static const struct {
        const char *path, *name;
        double end, tolerance, exact[3], allowed;
        int n;
    } runs[] = {
        {"bricard/bricard.yaml",
         "p3.position",
         1,
         1e-10,
         {.5105014611872, -1.6491675993948, .1401231145532},
         1e-10,
         3},
        {"four_bar/four_bar.yaml",
         "top1.position",
         10,
         1e-8,
         {.328458111534, .944518538181},
         1e-6,
         2},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        mechanism m = open_model(NULL, runs[i].path, DOP853, runs[i].tolerance);
        double out[16], position, velocity;
        mechanism_run(&m, runs[i].end, 1e-3);
        mechanism_get(&m, runs[i].name, out);
        for (int k = 0; k < runs[i].n; k++)
            CLOSE(out[k], runs[i].exact[k], runs[i].allowed);
        assert_int_equal(nt_integrator_drift(m.integrator, &position, &velocity), NT_OK);
        assert_true(position < 1e-13 && velocity < 1e-12);
        mechanism_close(&m);
    }
}

/* Eight links with ball joints: the tip after a second. */
static void chain_of_eight(void **unused)
{
    (void)unused;
    char text[4096];
    int used = snprintf(text, sizeof text,
                        "nutate: 1\ngravity: [0, -9.81, 0]\n"
                        "parameters: {L: 0.25, along: 8.138020833e-6, across: 4.109700521e-4}\n"
                        "bodies:\n");
    for (int i = 1; i <= 8; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  link%d: {mass: 0.078125, inertia: [along, across, across], "
                         "position: [%d*L/2, 0, 0], angular_velocity: [5, 0, 0]}\n",
                         i, 2 * i - 1);
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "markers:\n  tip: {on: link8, at: [L/2, 0, 0]}\njoints:\n");
    for (int i = 1; i <= 8; i++) {
        char before[16] = "ground";
        if (i > 1)
            snprintf(before, sizeof before, "link%d", i - 1);
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  j%d: {type: spherical, between: [%s, link%d], at: [%d*L, 0, 0]}\n", i,
                         before, i, i - 1);
    }
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "simulation: {step: 1e-3, duration: 1}\n");
    static const double exact[3] = {-1.763415610870, -.928910798950, -9.646982648e-5};
    static const double tolerance[METHODS] = {1e-10, 1e-11};
    for (int method = 0; method < METHODS; method++) {
        mechanism m = open_model(text, NULL, method, tolerance[method]);
        double tip[16];
        mechanism_run(&m, 1, 1e-3);
        mechanism_get(&m, "tip.position", tip);
        for (int i = 0; i < 3; i++)
            CLOSE(tip[i], exact[i], 2e-9);
        mechanism_close(&m);
    }
}

/* ---- sensitivities -------------------------------------------------------------------------- */

static const char top_text[] = "nutate: 1\n"
                               "parameters: {m: 15, J: 0.46875, arm: 1, w: 150}\n"
                               "gravity: [0, 0, -9.81]\n"
                               "bodies:\n"
                               "  top:\n"
                               "    mass: m\n"
                               "    inertia: [0.234375, J, 0.234375]\n"
                               "    position: [0, arm, 0]\n"
                               "    angular_velocity: [0, w, -4.61538]\n"
                               "joints:\n"
                               "  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
                               "simulation: {duration: 0.1, step: 1e-3}\n";

/* x, v, reaction at `end` of a run with equal steps and parameter k moved; derivatives where asked
 * for. */
static void top_run(int method, nt_frame frame, int k, double offset, double h, double end,
                    double out[12], double derivative[12])
{
    nt_run *run;
    nt_sensitivity *sensitivity = NULL;
    nt_error error = {0};
    double p[4] = {15, 0.46875, 1, 150};
    p[k] += offset;
    assert_int_equal(read_run_text(&run, top_text, strlen(top_text), "top", NULL, NULL, 0, &error),
                     NT_OK);
    const nt_system *system = nt_run_system(run);
    assert_int_equal(system->set_parameters(system->self, p), NT_OK);
    nt_integrator *it = start(system, method, frame, 0, NULL, NULL);
    if (derivative && (nt_sensitivity_create(&sensitivity, it, &k, 1, &error) != NT_OK ||
                       nt_integrator_start(it, 0, NULL, NULL, NULL, &error) != NT_OK ||
                       nt_sensitivity_start(sensitivity, &error) != NT_OK))
        fail_msg("%s", error.message);
    go(it, end, h);
    nt_state state = nt_integrator_state(it);
    memcpy(out, state.q, 3 * sizeof *out);
    memcpy(out + 3, state.v, 6 * sizeof *out);
    memcpy(out + 9, state.lambda, 3 * sizeof *out);
    if (derivative) {
        nt_state_tangent d = nt_sensitivity_state(sensitivity, 0);
        memcpy(derivative, d.q, 3 * sizeof *out);
        memcpy(derivative + 3, d.v, 6 * sizeof *out);
        memcpy(derivative + 9, d.lambda, 3 * sizeof *out);
    }
    nt_sensitivity_destroy(sensitivity);
    nt_integrator_destroy(it);
    destroy_run(run);
}

/* Sixth-order differences of whole runs, moved by 0.5 to 1.5 % of each parameter: truncation and
 * rounding below 1e-9. What linearise leaves out, the change of the projection's matrix, is below
 * that at these steps. */
static void sensitivities_equal_differences_of_runs(void **unused)
{
    (void)unused;
    static const double scale[4] = {15, 0.46875, 1, 150}, weight[3] = {.75, -.15, 1.0 / 60};
    static const double h[METHODS] = {5e-4, 2e-3};
    for (int m = 0; m < METHODS; m++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
            for (int k = 0; k < 4; k++) {
                double quotient[12] = {0}, moved[12], derivative[12], step = 0.002 * scale[k];
                for (int j = 1; j <= 3; j++)
                    for (int sign = -1; sign <= 1; sign += 2) {
                        top_run(m, frame, k, sign * j * step, h[m], 0.02, moved, NULL);
                        for (int i = 0; i < 12; i++)
                            quotient[i] += sign * weight[j - 1] / step * moved[i];
                    }
                top_run(m, frame, k, 0, h[m], 0.02, moved, derivative);
                double size[4] = {0}, off[4] = {0};
                for (int i = 0; i < 12; i++) {
                    size[i / 3] = fmax(size[i / 3], fabs(quotient[i]));
                    off[i / 3] = fmax(off[i / 3], fabs(derivative[i] - quotient[i]));
                }
                for (int part = 0; part < 4; part++)
                    if (!(off[part] <= 2e-9 * size[part]))
                        fail_msg("%s, frame %d, parameter %d, part %d: off by %.3g of %.3g",
                                 methods[m], (int)frame, k, part, off[part], size[part]);
            }
}

/* Exact sensitivities at t = 0.1 s: 34-digit Taylor series of the variational equations. */
static void sensitivities_are_of_the_same_order(void **unused)
{
    (void)unused;
    static const double exact[3] = {.0025536094044625, -.0001472450821071, .0063292842269713};
    static const double force[3] = {-2.8939588869155, -22.520709062818, -4.438442442078};
    static const double h[METHODS] = {1e-3, 4e-3}, order[METHODS] = {5, 8};
    for (int m = 0; m < METHODS; m++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
            double off[2] = {0}, out[12], derivative[12];
            for (int level = 0; level < 2; level++) {
                top_run(m, frame, 0, 0, h[m] / (1 << level), 0.1, out, derivative);
                for (int i = 0; i < 3; i++) {
                    off[level] = fmax(off[level], fabs(derivative[i] - exact[i]));
                    off[level] = fmax(off[level], fabs(derivative[9 + i] - force[i]) * 1e-2);
                }
            }
            CLOSE(log2(off[0] / off[1]), order[m], 0.6);
            assert_true(off[1] < 1e-7);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_with_fixed_steps),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(constraints_hold_to_rounding),
        cmocka_unit_test(dense_output_has_its_order),
        cmocka_unit_test(dense_output_joins_the_steps),
        cmocka_unit_test(evaluations_are_counted),
        cmocka_unit_test(restart_gives_the_same_bits),
        cmocka_unit_test(steps_turn_less_than_once),
        cmocka_unit_test(mechanisms_at_tight_tolerance),
        cmocka_unit_test(chain_of_eight),
        cmocka_unit_test(sensitivities_equal_differences_of_runs),
        cmocka_unit_test(sensitivities_are_of_the_same_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
