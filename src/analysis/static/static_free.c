/* What moves freely: directions without stiffness are found one after the other, held, and named.
 */
#include "analysis/static/static.h"

#include "base/error.h"
#include "system/lies.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What turns is held by its angle, and named by it, unless places move by more than this times the
 * system's length per rad: against a load an angle bears the same moment wherever it is held. */
static const double FAR_OUT = 2;

/* The entry of v that a direction has most of: an axis of the body for rotations. */
int nt_static_leading_entry(const nt_static *s, const double *x)
{
    const nt_problem *p = s->problem;
    int best = 0;
    double most = -1;
    double *axes = s->increment;
    nt_space_change_frame(&p->space, p->frame, NT_BODY, s->q, x, axes);
    for (int i = 0; i < p->nv; i++) {
        double size = fabs(axes[i]) / (p->quantity[i] == NT_LENGTH ? FAR_OUT * p->length : 1);
        if (size > most * (1 + 1e-6)) { /* of equal ones the first */
            most = size;
            best = i;
        }
    }
    return best;
}

/* 1/s^2: what pushes less than this per inertia takes weeks to move anything; where nothing is
 * stiff by which rounding could be told it counts as nothing. */
static const double SLOWEST = 1e-12;

/* Directions without stiffness that stand last among the holds, and are looked at together. */
enum { MOST_TOGETHER = 8 };

typedef struct together {
    int n;
    double before[MOST_TOGETHER], force[MOST_TOGETHER]; /* on each of them  */
    double way;                                         /* of the last      */
} together;

/* The part of x[n] along a hold. */
static double along_hold(const nt_static *s, const nt_hold *hold, const double *x)
{
    double d[3], sum = 0;
    nt_static_hold_direction(s, hold, d);
    for (int i = 0; i < hold->width; i++)
        sum += d[i] * x[hold->first + i];
    return sum;
}

/* What the force on the direction held last changes by, once all else has followed `softest` so far
 * (rad, or lengths of the system), relative to what rounding makes of it; positive where it is
 * pushed back, negative where it is pushed away; NaN where nothing can follow so far. `of`, unless
 * NULL, is told the forces as they are. */
static double force_beside(nt_static *s, double reach, together *of)
{
    const nt_problem *p = s->problem;
    const nt_hold *held = &s->holds[s->n_holds - 1];
    double angle, length, most = 0, work = 0, before[3] = {0}, way[3] = {0};
    nt_static_keep(s, s->aside);
    if (nt_static_newton_near_by(s) != NT_OK) /* reactions that are guessed leave a rest */
        nt_static_go_back(s, s->aside);
    if (nt_static_evaluate(s, s->residual, false) != NT_OK) {
        nt_static_go_back(s, s->aside);
        return (double)NAN;
    }
    memcpy(before, s->residual + held->first, (size_t)held->width * sizeof *before);
    for (int k = 0; of && k < of->n; k++)
        of->before[k] = along_hold(s, held - of->n + 1 + k, s->residual);
    nt_static_go_back(s, s->aside);
    memset(s->step, 0, (size_t)p->n * sizeof *s->step);
    memcpy(s->step, s->softest, (size_t)p->nv * sizeof *s->step);
    nt_static_reach(s, s->step, &angle, &length);
    double share = reach / fmax(angle, length / p->length);
    for (int i = 0; i < p->nv; i++)
        s->step[i] *= share;
    memcpy(way, s->step + held->first, (size_t)held->width * sizeof *way);
    if (of)
        of->way = along_hold(s, held, s->step);
    /* what turns on straight ways is stretched, which stresses do not feel that follow linearly */
    nt_status status = nt_static_carry(s, s->step);
    nt_static_move(s, s->step, 1);
    if (status == NT_OK)
        status = nt_static_newton_near_by(s);
    if (status == NT_OK)
        status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_drag(s);
    for (int i = held->first; i < held->first + held->width; i++) {
        double size = p->quantity[i] == NT_LENGTH ? p->length : 1;
        double change = s->residual[i] - before[i - held->first];
        double stiffness = s->drag[i] + SLOWEST * s->mass[i];
        most = fmax(most, fabs(change) / (DBL_EPSILON * stiffness * size));
        work += change * way[i - held->first];
    }
    for (int k = 0; of && k < of->n; k++)
        of->force[k] = along_hold(s, held - of->n + 1 + k, s->residual) - of->before[k];
    nt_static_go_back(s, s->aside);
    return status == NT_OK ? copysign(most, work) : (double)NAN;
}

/* rad, or lengths of the system: how far beside a direction is looked at. */
static const double FAR = 0.2, NEAR = 0.02;

/* What rounding of the places of many nodes makes of that force, as it scatters about a smooth way:
 * by third differences of it, whose variance is 20 times its own. */
static double scatter_beside(nt_static *s, double reach)
{
    enum { LOOKS = 9, DIFFERENCES = LOOKS - 3 };
    double force[LOOKS], sum = 0;
    for (int i = 0; i < LOOKS; i++)
        force[i] = force_beside(s, reach * (1 + 0.01 * (i - LOOKS / 2)), NULL);
    for (int i = 0; i < DIFFERENCES; i++) {
        double third = force[i + 3] - 3 * force[i + 2] + 3 * force[i + 1] - force[i];
        sum += third * third;
    }
    double scatter = sqrt(sum / (20 * DIFFERENCES));
    return isnan(scatter) ? (double)INFINITY : scatter;
}

/* Whether the direction held last, without stiffness where it stands, is free: moved on, nothing
 * else pushes it back or away. Else it is critical, as a column under just the load that bends it:
 * what pushes grows with the third power of the way, or a higher one. A force that is far larger
 * than rounding at one distance and not there at a tenth of it is a stop at the end of a gap. */
typedef enum freedom { IS_FREE, IS_CRITICAL, NOT_KNOWN } freedom;

static freedom look_beside(nt_static *s, together *of)
{
    const double pushes = 10, stop = 1e5 * pushes;
    double far = force_beside(s, FAR, NULL), near = force_beside(s, NEAR, NULL);
    bool has_near = fabs(near) > pushes;
    bool has_far = fabs(far) > pushes && (isnan(near) || fabs(far) <= stop);
    if (isnan(far) && isnan(near))
        return NOT_KNOWN;
    has_near = has_near && fabs(near) > pushes * scatter_beside(s, NEAR);
    has_far = has_far && (has_near || fabs(far) > pushes * scatter_beside(s, FAR));
    if (!has_near && !has_far)
        return IS_FREE;
    bool away = (has_near ? near : far) < 0;
    if (of)
        force_beside(s, has_near ? NEAR : FAR, of);
    s->beside = away || s->beside == NT_PUSHED_AWAY ? NT_PUSHED_AWAY : NT_PUSHED_BACK;
    return IS_CRITICAL;
}

/* Moves what was held last to before the last n of what is held besides. What is held stands in
 * this order: what was asked for, the critical, the free that are not known to be so, the free. */
static void move_before(nt_static *s, int n)
{
    nt_hold last = s->holds[s->n_holds - 1], *to = &s->holds[s->n_holds - 1 - n];
    memmove(to + 1, to, (size_t)n * sizeof *to);
    *to = last;
}

/* Lets go of the n before the last that are known to be free. */
static nt_status let_others_go(nt_static *s, int known, int n, nt_error *error)
{
    nt_hold *first = &s->holds[s->n_holds - known];
    memmove(first - n, first, (size_t)known * sizeof *first);
    s->n_holds -= n;
    s->n_free = known;
    s->has_factors = false;
    return nt_static_take_solver(s, error);
}

/* The sums of the rows of |K|: sums[nv]. */
static void sum_rows(const nt_static *s, double *sums)
{
    const nt_pattern *pattern = s->pattern;
    memset(sums, 0, (size_t)s->problem->nv * sizeof *sums);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        int first = pattern->node_start[row], m = pattern->node_start[row + 1] - first;
        int n = pattern->node_start[column + 1] - pattern->node_start[column];
        const double *block = nt_matrix_block(s->derivative, slot);
        for (int i = 0; row < pattern->n_primary && i < m; i++)
            for (int j = 0; j < n; j++)
                sums[first + i] += fabs(block[i * n + j]);
    }
}

static bool is_held(const nt_static *s, int entry)
{
    for (int k = 0; k < s->n_holds; k++)
        if (s->holds[k].entry == entry)
            return true;
    return false;
}

/* Counts those that are held as free and may lie where they are. */
static void count_resting(nt_static *s)
{
    s->n_resting = 0;
    for (int i = s->n_holds - s->n_free; i < s->n_holds; i++)
        s->n_resting += s->problem->system->rests && s->lies[s->holds[i].entry] == NT_LIES;
}

nt_status nt_static_hold_creeping(nt_static *s, nt_error *error)
{
    const nt_problem *p = s->problem;
    int before = s->n_holds;
    nt_point at = nt_static_point(s);
    if (!p->system->rests || !s->holds_free)
        return NT_OK;
    s->n_holds = s->n_asked;
    s->n_free = s->n_resting = 0;
    nt_status status = p->system->rests(p->system->self, &at, s->lies);
    if (status != NT_OK)
        return nt_fail(error, status, "static state: %s", nt_status_text(status));
    for (int i = 0; i < p->nv; i++)
        if (s->lies[i] == NT_CREEPS && !is_held(s, i))
            s->holds[s->n_holds++] = nt_static_hold(s, i);
    s->has_factors = false;
    return s->n_holds == before && before == s->n_asked ? NT_OK : nt_static_take_solver(s, error);
}

/* All at once, by the rows of K: each direction of a line that lies slack would else be looked for
 * by itself. */
nt_status nt_static_hold_resting(nt_static *s, nt_error *error)
{
    const nt_problem *p = s->problem;
    nt_point at = nt_static_point(s);
    int before = s->n_holds;
    nt_status status = nt_static_evaluate(s, s->residual, true);
    if (status != NT_OK || !p->system->rests)
        return status;
    status = p->system->rests(p->system->self, &at, s->lies);
    if (status == NT_OK)
        status = nt_static_find_drag(s);
    if (status != NT_OK)
        return status;
    sum_rows(s, s->vector[0]);
    for (int i = 0; i < p->nv; i++)
        if (s->lies[i] == NT_LIES && s->vector[0][i] <= NT_STATIC_FREE * s->drag[i] &&
            !is_held(s, i))
            s->holds[s->n_holds++] = nt_static_hold(s, i);
    if (s->n_holds == before)
        return NT_OK;
    s->n_free += s->n_holds - before;
    count_resting(s);
    s->has_factors = false;
    status = nt_static_take_solver(s, error);
    return status == NT_OK ? nt_static_evaluate(s, s->residual, true) : status;
}

bool nt_static_wanders(const nt_static *s) { return s->n_free > s->n_resting && !s->holds_free; }

/* One direction after the other, each judged where those before it are held. *critical and
 * *unknown: how many were held that are no more than that. */
static nt_status hold_all(nt_static *s, int *critical, int *unknown, nt_error *error)
{
    bool found = false;
    *critical = *unknown = 0;
    nt_status status = nt_static_find_free(s, &found);
    while (status == NT_OK && found && s->n_holds < s->problem->nv) {
        s->holds[s->n_holds++] = nt_static_hold(s, nt_static_leading_entry(s, s->softest));
        if (!nt_static_pattern_serves(s))
            status = nt_static_take_solver(s, error);
        freedom is = status == NT_OK ? look_beside(s, NULL) : IS_FREE;
        if (is == IS_CRITICAL) {
            move_before(s, s->n_free);
            ++*critical;
        } else {
            move_before(s, is == NOT_KNOWN ? s->n_free - *unknown : 0);
            s->n_free++;
            *unknown += is == NOT_KNOWN;
        }
        s->has_factors = false;
        if (status == NT_OK)
            status = nt_static_evaluate(s, s->residual, true);
        if (status == NT_OK)
            status = nt_static_find_free(s, &found);
    }
    return status;
}

/* x of n holds becomes what it is when the first `by` come last. */
static void rotate_holds(nt_hold *x, int n, int by)
{
    for (; by > 0; by--) {
        nt_hold first = x[0];
        memmove(x, x + 1, (size_t)(n - 1) * sizeof *x);
        x[n - 1] = first;
    }
}

/* Lets the hold that stands last go, and looks along what moves then, where it is held again. */
static freedom look_anew(nt_static *s, together *of, nt_error *error)
{
    bool found = false;
    s->n_holds--;
    s->has_factors = false;
    nt_status status = nt_static_take_solver(s, error);
    if (status == NT_OK)
        status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_free(s, &found);
    s->n_holds++;
    s->has_factors = false;
    nt_status held = nt_static_take_solver(s, error);
    return status == NT_OK && held == NT_OK && found ? look_beside(s, of) : NOT_KNOWN;
}

/* Works of directions that are this near to depending on one another, of 1, leave it open whether a
 * sum of them does any: what is pushed far moves on ways that are bent. */
static const double DEPEND = 0.1;

/* Whether the works w of n directions on one another, scaled to 1 of each on itself, have no sum
 * without work: by elimination with the largest pivot. */
static bool are_all_pushed(double w[MOST_TOGETHER][MOST_TOGETHER], int n)
{
    double least = 1;
    for (int done = 0; done < n; done++) {
        int r = done, c = done;
        for (int i = done; i < n; i++)
            for (int j = done; j < n; j++)
                if (fabs(w[i][j]) > fabs(w[r][c]))
                    r = i, c = j;
        for (int j = 0; j < n; j++) {
            double x = w[done][j];
            w[done][j] = w[r][j], w[r][j] = x;
        }
        for (int i = 0; i < n; i++) {
            double x = w[i][done];
            w[i][done] = w[i][c], w[i][c] = x;
        }
        least = fmin(least, fabs(w[done][done]));
        if (!(least > DEPEND))
            return false;
        for (int i = done + 1; i < n; i++)
            for (int j = n - 1; j >= done; j--)
                w[i][j] -= w[i][done] / w[done][done] * w[done][j];
    }
    return true;
}

/* The n that come before those known to be free are looked at once more, each where all others are
 * held: nothing can follow one beside another without stiffness, as where a column bends in two
 * planes. Where each is pushed a sum of them may yet be free, as of a beam that turns about its end
 * and hardly resists bending: *pushed only where none is. */
static nt_status look_together(nt_static *s, int n, int known, bool *pushed, nt_error *error)
{
    nt_hold *first = &s->holds[s->n_holds - known - n];
    double w[MOST_TOGETHER][MOST_TOGETHER], way[MOST_TOGETHER];
    nt_beside beside = s->beside;
    *pushed = n <= MOST_TOGETHER;
    if (!*pushed)
        return NT_OK;
    s->beside = NT_NOT_PUSHED;
    rotate_holds(first, n + known, n);
    first += known;
    for (int i = 0; i < n; i++) {
        together of = {.n = n};
        rotate_holds(first, n, 1);
        *pushed = *pushed && look_anew(s, &of, error) == IS_CRITICAL;
        way[i] = of.way;
        for (int k = 0; k < n; k++)
            w[i][(i + 1 + k) % n] = of.force[k];
    }
    rotate_holds(first - known, n + known, known);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i][j] *= way[j];
    double size[MOST_TOGETHER];
    for (int i = 0; i < n; i++)
        size[i] = sqrt(fabs(w[i][i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i][j] /= size[i] * size[j];
    *pushed = *pushed && are_all_pushed(w, n);
    if (!*pushed)
        s->beside = beside;
    s->has_factors = false;
    return nt_static_take_solver(s, error);
}

/* The critical are let go again. Nothing can follow a direction while another one that is found
 * later lets a load run: it is then judged anew where that one is held, as an arm that stands level
 * on a shaft that a motor turns: gravity moves it, where it stands without stiffness. */
static nt_status hold_one_by_one(nt_static *s, nt_error *error)
{
    int critical, unknown;
    s->beside = NT_NOT_PUSHED;
    memcpy(s->judged, s->q, (size_t)s->problem->nq * sizeof *s->judged);
    nt_status status = hold_all(s, &critical, &unknown, error);
    int known = s->n_free - unknown;
    if (status == NT_OK && unknown > 0 && known > 0) {
        status = let_others_go(s, known, critical + unknown, error);
        if (status == NT_OK)
            status = nt_static_evaluate(s, s->residual, true);
        if (status == NT_OK)
            status = hold_all(s, &critical, &unknown, error);
    }
    bool pushed = false;
    int open = critical + unknown;
    if (status == NT_OK && open > 1) {
        status = look_together(s, open, s->n_free - unknown, &pushed, error);
        if (pushed) {
            s->n_free -= unknown;
            critical = open;
        } else if (unknown == 0) { /* each is pushed, and yet it is not known of all */
            s->n_free++;
            critical--;
        }
    }
    if (critical == 0)
        return status;
    nt_status gone = let_others_go(s, s->n_free, critical, error);
    return status == NT_OK ? gone : status;
}

nt_status nt_static_hold_free(nt_static *s, nt_error *error)
{
    nt_status status = nt_static_hold_resting(s, error);
    if (status == NT_OK)
        status = hold_one_by_one(s, error);
    count_resting(s);
    return status;
}

/* Lets go of what was held for being free. */
nt_status nt_static_let_go(nt_static *s, nt_error *error)
{
    if (s->n_free == 0)
        return NT_OK;
    s->n_holds -= s->n_free;
    s->n_free = s->n_resting = 0;
    s->has_factors = false;
    return nt_static_take_solver(s, error);
}

/* The same, but for what a load moves: as nothing else carries that where it stands, nothing will
 * where more loads act. */
nt_status nt_static_let_unloaded_go(nt_static *s, nt_error *error)
{
    double *forces = s->increment;
    int first = s->n_holds - s->n_free, kept = first;
    if (s->n_free == 0)
        return NT_OK;
    nt_status status = nt_static_find_held_forces(s, forces);
    if (status != NT_OK)
        return nt_fail(error, status, "static state: %s", nt_status_text(status));
    for (int k = first; k < s->n_holds; k++)
        if (forces[k] != 0)
            s->holds[kept++] = s->holds[k];
    s->n_holds = kept;
    s->n_free = kept - first;
    count_resting(s);
    s->has_factors = false;
    return nt_static_take_solver(s, error);
}

/* What wanders comes first, then what may lie where it is. */
int nt_static_free_entry(const nt_static *s, int i)
{
    bool may_lie = s && s->problem->system->rests;
    for (int lies = 0; s && lies <= 1; lies++)
        for (int k = s->n_holds - s->n_free; k < s->n_holds; k++)
            if ((may_lie && s->lies[s->holds[k].entry] == NT_LIES) == lies && i-- == 0)
                return s->holds[k].entry;
    return -1;
}

void nt_static_name_free(const nt_static *s, char *text, int size)
{
    int used = 0, n = s->n_free - s->n_resting;
    for (int i = 0; i < n && used < size - 120; i++) {
        char name[100];
        nt_problem_coordinate_name(s->problem, nt_static_free_entry(s, i), name, sizeof name);
        used += snprintf(text + used, (size_t)(size - used), "%s%s", i > 0 ? ", " : "", name);
        if (i + 1 < n && used >= size - 120)
            snprintf(text + used, (size_t)(size - used), " and %d more", n - i - 1);
    }
}

/* What was held as free has no state of rest where it stands: `why` none was found, and what there
 * is to hold, unless that was asked for. */
nt_status nt_static_refuse_held(const nt_static *s, const nt_error *why, nt_error *error)
{
    char names[300] = "";
    if (s->holds_free)
        return nt_fail_at(error, why->status, why->file, why->line, why->column, "%s",
                          why->message);
    nt_static_name_free(s, names, sizeof names);
    return nt_fail_at(error, why->status, why->file, why->line, why->column,
                      "%s; nothing says where what moves freely rests: %s; expected it to be held",
                      why->message, names);
}

/* What rounding of stiffer parts hides of the stiffness of what is free, in words, where that may
 * matter beside the loads: more than this part of the largest within a rad or the length. */
static const double MATTERS = 1e-6;

static void say_hidden(const nt_static *s, char *text, int size)
{
    const nt_problem *p = s->problem;
    int entry = nt_static_free_entry(s, 0);
    double length = p->length, sum = 0; /* of a direction that moves all by a rad, or the length */
    double moment = s->load_size[NT_ANGLE] + s->load_size[NT_LENGTH] * length;
    text[0] = '\0';
    for (int i = 0; i < p->nv; i++)
        sum +=
            s->is_first[i] ? 0 : s->drag[i] * (p->quantity[i] == NT_LENGTH ? length * length : 1);
    if (entry < 0 || s->is_first[entry] || !(NT_STATIC_FREE * sum > MATTERS * moment))
        return;
    bool is_length = p->quantity[entry] == NT_LENGTH;
    snprintf(text, (size_t)size, "less than %.2g %s",
             NT_STATIC_FREE * sum / (is_length ? length * length : 1),
             is_length ? "N/m" : "N m/rad");
}

nt_status nt_static_refuse_free(nt_static *s, nt_status status, nt_error *error)
{
    char names[500] = "", hidden[100];
    nt_error place = {0};
    const nt_system *system = s->problem->system;
    nt_static_name_free(s, names, sizeof names);
    say_hidden(s, hidden, sizeof hidden);
    if (system->place)
        system->place(system->self, nt_static_free_entry(s, 0), &place);
    const char *them = s->n_free - s->n_resting == 1 ? "it" : "them";
    if (hidden[0])
        return nt_fail_at(error, status, place.file, place.line, place.column,
                          "no stiffness shows that says where it rests: %s; the system can move "
                          "freely, or is held by %s, which is lost in the rounding of stiffer "
                          "parts; expected %s to be held, or parts that are less stiff",
                          names, hidden, them);
    return nt_fail_at(error, status, place.file, place.line, place.column,
                      "the system can move freely, nothing says where it rests: %s; expected "
                      "%s to be held",
                      names, them);
}
