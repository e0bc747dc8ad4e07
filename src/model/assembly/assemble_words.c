/* Why a model has no consistent start, in words. */
#include "base/error.h"
#include "model/assembly/assembly.h"
#include "model/evaluate.h"
#include "model/joints/joint.h"

#include <math.h>

/* "joint j, position along x: off by 0.1 m" at the joint's place */
nt_status nt_assembly_contradiction(const nt_assembly *a, int row, bool velocity, const char *what,
                                    bool correctable, nt_error *error)
{
    const nt_run *run = a->run;
    const nt_element *e = nt_model_element_of_row(run->model, row);
    const char *unit = run->model->row_quantity[row] == NT_LENGTH ? "m/s" : "rad/s";
    double off = a->rows[row];
    if (!velocity)
        off = nt_model_row_gap(run->model, row, off, &unit);
    return nt_fail_at(error, NT_BAD_MODEL, run->model->file, e->place.line, e->place.column,
                      "joint %s cannot be satisfied by %s: %s is off by %.6g %s%s", e->name, what,
                      nt_model_row_name(run->model, e, row), off, unit,
                      correctable ? " (initial: {correct: true} moves what is given)" : "");
}

/* Factors contain sixth powers of the model's length: with 1e60 m or 1e-70 m they would overflow or
 * vanish. */
static const double FARTHEST = 1e50;

static bool is_out_of_range(const nt_run *run)
{
    double largest = 0;
    for (int i = 0; i < run->system.space.nq; i++)
        largest = fmax(largest, fabs(run->initial_q[i]));
    return run->length < 1e-50 || largest > FARTHEST;
}

/* Says that the equations of the start have no solution, at the place of the unknown where that
 * shows. */
nt_status nt_assembly_no_solution(const nt_assembly *a, nt_status status, const char *what,
                                  nt_error *error)
{
    nt_error place = {0};
    char name[160] = "";
    int unknown = status == NT_SINGULAR ? nt_solver_singular_unknown(a->factors->solver) : -1;
    for (int i = 0; status == NT_NOT_FINITE && i < a->problem->nc && unknown < 0; i++)
        unknown = isfinite(a->rows[i]) ? -1 : a->problem->nv + i;
    if (unknown >= 0) {
        nt_problem_equation_name(a->problem, unknown, name, sizeof name);
        a->run->system.place(a->run, unknown, &place);
    }
    return nt_fail_at(error, status, a->run->model->file, place.line, place.column,
                      "initial %s: %s%s%s%s", what, nt_status_text(status), *name ? ": " : "", name,
                      is_out_of_range(a->run) ? " (expected distances between 1e-50 and 1e50 m)"
                                              : "");
}

/* Says which element's equations have no value at the start, at its place. */
nt_status nt_assembly_no_value(const nt_assembly *a, nt_status status, const char *what,
                               nt_error *error)
{
    const nt_run *run = a->run;
    const nt_element *e = run->failed;
    if (status != NT_NOT_FINITE || !e)
        return nt_assembly_no_solution(a, status, what, error);
    double start = run->model->simulation.start, f[3] = {0};
    const nt_joint *joint = nt_element_as_joint(run, e);
    if (joint && joint->motion)
        nt_motion_jet(run, joint->motion, f);
    static const char *const derivative[] = {"value", "rate", "second derivative"};
    for (int i = 0; i < 3; i++)
        if (!isfinite(f[i]))
            return nt_fail_at(error, NT_BAD_MODEL, run->model->file, e->place.line, e->place.column,
                              "joint %s: the prescribed motion has no finite %s at the start, "
                              "t = %g s; expected a function with two derivatives",
                              e->name, derivative[i], start);
    char words[160] = "";
    nt_run_why(run, e, words, sizeof words);
    return nt_fail_at(error, NT_BAD_MODEL, run->model->file, e->place.line, e->place.column,
                      "%s %s has no value at the start, t = %g s: initial %s cannot be "
                      "found%s%s",
                      nt_element_word(e), e->name, start, what, *words ? ": " : "", words);
}

/* What places bodies of its own by a search may leave numbers behind that are none. So far away
 * that rounding of places is larger than the world nothing is known of forces between two of them.
 */
nt_status nt_assembly_refuse_places(const nt_assembly *a, nt_error *error)
{
    const nt_run *run = a->run;
    for (int k = 1; k < run->model->n_bodies; k++) {
        const nt_body *b = &run->bodies[k];
        int nq = (b->t_node >= 0 ? 3 : 0) + (b->r_node >= 0 ? 4 : 0);
        int nv = (b->t_node >= 0 ? 3 : 0) + (b->r_node >= 0 ? 3 : 0);
        bool finite = true;
        double most = 0;
        for (int i = 0; i < nq; i++) {
            finite = finite && isfinite(run->initial_q[b->q + i]);
            most = fmax(most, fabs(run->initial_q[b->q + i]));
        }
        for (int i = 0; i < nv; i++)
            finite = finite && isfinite(run->initial_v[b->v + i]);
        if (!finite)
            return nt_fail_at(error, NT_BAD_MODEL, run->model->file, b->place.line, b->place.column,
                              "body %s begins at no finite place or velocity: expected lengths, "
                              "masses and stiffnesses whose ratios can be computed with",
                              b->name);
        if (most > FARTHEST)
            return nt_fail_at(
                error, NT_NOT_FINITE, run->model->file, b->place.line, b->place.column,
                "body %s begins at %.3g m from the origin (expected distances between 1e-50 "
                "and 1e50 m)",
                b->name, most);
    }
    return NT_OK;
}
