/* Where a mesh is too coarse for what it is to carry.
 *
 * Between two nodes the sum of quaternions is a chord through the sphere of rotations: of a turn by
 * theta it has the curvature 4 tan(theta/4) instead of theta, 8 % off at 2 rad, and beyond pi it is
 * another turn, the other way round. And the line between nodes is a polynomial through them, whose
 * direction must be that of the line itself, about. A given twist turns the section against the
 * ground without straining it; but where it bends more easily about one axis than about the other,
 * the curvature under a load goes round with it, and the element has a polynomial for that too. */
#include "model/beams/beam.h"

#include "model/forces/load.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Largest turn between neighbouring nodes, rad. */
static const double MOST_TURN = 2;

/* Smallest cosine between the line and its interpolation, 45 degrees; and length of this over that
 * of the line: a chord over 130 degrees of a circle. */
static const double LEAST_ALIGNED = 0.7, LEAST_LENGTH = 0.8;

/* Largest given twist per node, rad. A strip twisted by 30 rad bends 0.5 % too much or too little
 * at 1.25 rad, whatever the order, up to 8 % at 1.5 and 20 % at 1.9. */
static const double MOST_TWIST = 1.25;

bool nt_beam_is_carried(const nt_view *view, const nt_beam *b)
{
    const double *last = view->at->q + view->bodies[b->first_body].q + 3;
    for (int i = 1; i < b->n_nodes; i++) {
        const double *r = view->at->q + view->bodies[b->first_body + i].q + 3;
        double product = r[0] * last[0] + r[1] * last[1] + r[2] * last[2] + r[3] * last[3];
        if (fabs(product) < NT_BEAM_LEAST_PRODUCT)
            return false;
        last = r;
    }
    return true;
}

/* The angle of the rotation between two nodes. */
static double turn_between(m3 a, m3 b)
{
    m3 turn = m3_multiply(m3_transpose(a), b);
    double c = (turn.xx + turn.yy + turn.zz - 1) / 2;
    return acos(fmin(1, fmax(-1, c)));
}

void nt_beam_failure(const nt_element *e, const nt_view *view, char *text, int size)
{
    const nt_beam *b = nt_beam_of(view->run, e);
    const nt_motion *node = view->motion + b->first_body;
    int worst = 0;
    double most = 0;
    for (int i = 0; i + 1 < b->n_nodes; i++) {
        double turn = turn_between(node[i].R, node[i + 1].R);
        if (turn > most)
            most = turn, worst = i;
    }
    text[0] = '\0';
    if (most > 0.999 * MOST_TURN) /* as found with other roundings */
        snprintf(
            text, (size_t)size,
            "element %d turns by %.3g rad from %s to %s, more than %g: the mesh is too coarse, "
            "take more elements or a higher order",
            worst / b->p + 1, most, view->bodies[b->first_body + worst].name,
            view->bodies[b->first_body + worst + 1].name, MOST_TURN);
}

/* The stiffness of the section along an axis and about another one, row by row from its first
 * entry. */
static double stiffness_along(const double *C, v3 axis)
{
    m3 block = {C[0], C[1], C[2], C[6], C[7], C[8], C[12], C[13], C[14]};
    return v3_dot(axis, m3_apply(block, axis));
}

static double element_length(const nt_beam *b, int element)
{
    const nt_beam_elastic *at = nt_beam_elastic_at(b, element);
    double length = 0;
    for (int q = 0; q < b->n_rule[0]; q++)
        length += at[q].weight;
    return length;
}

/* Points beyond the order feel a shear that the polynomials cannot avoid where they bend: of an
 * element of length h that is GA h^2/(12 EI) times too stiff at order 1. The largest of them. */
static double find_locking(const nt_beam *b, int *element)
{
    double worst = 0;
    for (int i = 0; i < b->n_elements; i++) {
        const nt_beam_elastic *at = nt_beam_elastic_at(b, i);
        double length = element_length(b, i);
        for (int q = 0; q < b->n_rule[0]; q++) {
            v3 second = v3_of(at[q].axes.xy, at[q].axes.yy, at[q].axes.zy);
            v3 third = v3_of(at[q].axes.xz, at[q].axes.yz, at[q].axes.zz);
            const double *shear = at[q].C, *bending = at[q].C + 21;
            double ratio = fmax(stiffness_along(shear, second) / stiffness_along(bending, third),
                                stiffness_along(shear, third) / stiffness_along(bending, second));
            if (ratio * length * length / 12 > worst)
                worst = ratio * length * length / 12, *element = i;
        }
    }
    return worst;
}

/* Interpolated elements that are longer or shorter than the line, or beside it, by this part of all
 * of it: either moves deflections by up to a hundredth. */
static const double LINE_ERROR = 0.002;

/* How far the interpolated line of an element is from the line across it: summed along it. */
static double distance_beside(const nt_beam *b, int element)
{
    const double *station = nt_beam_array_in(b, b->stations);
    const nt_beam_elastic *at = nt_beam_elastic_at(b, element);
    const v3 *X = (const v3 *)nt_beam_array_in(b, b->nodes) + element * b->p;
    double middle = (station[element] + station[element + 1]) / 2 * nt_beam_length(b);
    double half = (station[element + 1] - station[element]) / 2 * nt_beam_length(b), sum = 0;
    for (int q = 0; q < b->n_rule[0]; q++) {
        const double *shape = nt_beam_shapes(b, element, 0, q);
        double s = middle + half * shape[NT_SHAPE_XI];
        m3 axes;
        v3 away = v3_scale(-1, nt_beam_line_at(b, nt_beam_piece(b, s), s, &axes));
        for (int i = 0; i <= b->p; i++)
            away = v3_axpy(shape[NT_SHAPE_N + i], X[i], away);
        away = v3_axpy(-v3_dot(away, at[q].tangent), at[q].tangent, away);
        sum += at[q].weight * v3_norm(away);
    }
    return sum;
}

/* Lengths may agree where the interpolation winds about the line, as one element of order 6 does
 * about a spline that goes round a circle. */
static bool remark_line(const nt_beam *b, char *text, size_t size)
{
    const double *station = nt_beam_array_in(b, b->stations);
    double off = 0, most = 0, beside = 0, farthest = 0, line = nt_beam_length(b);
    int element = 0, astray = 0;
    for (int i = 0; i < b->n_elements; i++) {
        double whole = (station[i + 1] - station[i]) * line, by = element_length(b, i) - whole;
        off += fabs(by);
        if (fabs(by) > fabs(most))
            most = by, element = i;
        double away = b->line ? distance_beside(b, i) : 0;
        beside += away;
        if (away > farthest * whole)
            farthest = away / whole, astray = i;
    }
    if (off > LINE_ERROR * line)
        snprintf(text, size,
                 "its mesh is coarse for the line: elements are off by %.2g %% of its length, "
                 "element %d, from %.4g to %.4g, is %.2g m too %s; expected more elements or a "
                 "higher order",
                 100 * off / line, element + 1, station[element], station[element + 1], fabs(most),
                 most > 0 ? "long" : "short");
    else if (beside > LINE_ERROR * line * line)
        snprintf(text, size,
                 "its mesh is coarse for the line: elements run beside it by %.2g %% of its "
                 "length in the mean, element %d, from %.4g to %.4g, by %.2g m; expected more "
                 "elements or a higher order",
                 100 * beside / line / line, astray + 1, station[astray], station[astray + 1],
                 farthest);
    return off > LINE_ERROR * line || beside > LINE_ERROR * line * line;
}

bool nt_beam_rule_remark(const nt_model *model, const nt_element *e, char *text, size_t size)
{
    const nt_beam *b = nt_model_data(model, e);
    double x[NT_MOST_POINTS], w[NT_MOST_POINTS], worst = 0;
    int n = b->n_rule[0], element = 0;
    if (b->p <= 2 && n > b->p && find_locking(b, &element) > NT_BEAM_RULE_ERROR) {
        char by[40] = "up to 25 %";
        if (b->p == 1)
            snprintf(by, sizeof by, "%.2g %%", 100 * find_locking(b, &element));
        snprintf(
            text, size,
            "%d points of its quadrature are many for order %d, at which shear is felt where "
            "it only bends: element %d is %s too stiff in bending; expected gauss with as many "
            "points as the order, or order 3",
            n, b->p, element + 1, by);
        return true;
    }
    for (int set = 0; set < b->n_sets; set++) {
        for (int q = 0; q < n; q++) {
            const double *at = nt_beam_shapes(b, set, 0, q);
            x[q] = at[NT_SHAPE_XI], w[q] = at[NT_SHAPE_WEIGHT];
        }
        double error = nt_flexibility_error(b->p, n, x, w);
        if (fabs(error) > fabs(worst))
            worst = error, element = set;
    }
    if (!(fabs(worst) > NT_BEAM_RULE_ERROR))
        return remark_line(b, text, size);
    char which[40] = "each element";
    if (b->n_sets > 1)
        snprintf(which, sizeof which, "element %d", element + 1);
    snprintf(text, size,
             "%d points of its quadrature are few for order %d: %s bends %.2g %% too %s under a "
             "moment that is uniform or falls linearly to nothing in it; expected gauss, or more "
             "quadrature_points",
             n, b->p, which, 100 * fabs(worst), worst > 0 ? "much" : "little");
    return true;
}

/* Masses at the ends of elements of order 1 have three times the moment of inertia about an
 * element's middle that they have spread along it: of a uniform line of n elements 2/n^2 of its own
 * are too much. Higher orders have it right. */
static const double MOMENT_ERROR = 1e-3;

static bool remark_moment(const nt_beam *b, char *text, size_t size)
{
    const double *station = nt_beam_array_in(b, b->stations);
    double over = 0;
    for (int i = 0; i < b->n_elements; i++)
        over += 2 * pow(station[i + 1] - station[i], 3);
    if (!b->inertia || b->p > 1 || over <= MOMENT_ERROR)
        return false;
    snprintf(text, size,
             "lumped inertia of order 1 makes the moment of inertia of a uniform line about its "
             "middle %.2g %% too large; expected order 2 or more, more elements, or consistent "
             "inertia",
             100 * over);
    return true;
}

/* The shortest rotation from ground x to a direction that is nearly opposite turns the section by
 * twice the angle at which that direction leans, which may be rounding. Rad; below the second one
 * the direction counts as opposite, and the half turn is about ground z. */
static const double NEARLY_OPPOSITE = 0.01, OPPOSITE = 1.4e-6;

static bool remark_axes(const nt_beam *b, char *text, size_t size)
{
    m3 axes = ((const nt_beam_knot *)nt_beam_array_in(b, b->knots))->axes;
    double off = hypot(axes.yx, axes.zx);
    if (b->given >> NT_BEAM_NORMAL & 1 || axes.xx > 0 || off > NEARLY_OPPOSITE || off < OPPOSITE)
        return false;
    snprintf(text, size,
             "its line begins %.2g rad off the direction against ground x, where the way it leans "
             "decides its section axes: axis 2 is [%.3g, %.3g, %.3g] before twist; expected normal",
             off, axes.xy, axes.yy, axes.zy);
    return true;
}

bool nt_beam_remark(const nt_model *model, const nt_element *e, char *text, size_t size)
{
    const nt_beam *b = nt_model_data(model, e);
    if (remark_axes(b, text, size))
        return true;
    if (nt_beam_rule_remark(model, e, text, size) || remark_moment(b, text, size))
        return true;
    const nt_beam_section *sections =
        (const nt_beam_section *)(const void *)nt_array_in(b, &b->sections);
    for (int i = 0; i < b->sections.count; i++)
        if (nt_section_is_thick(&sections[i], text, size) ||
            (i > 0 && nt_sections_taper(&sections[i - 1], &sections[i], text, size)))
            return true;
    return false;
}

/* Shear over bending, GA h^2/EI, of an element of length h: of 1e15 the rounding of a rotation
 * makes a fifth of the shear force that goes with its bending. */
static const double MOST_SLENDER = 1e15;

/* The least element over the rounding of places so far from the origin. */
static const double LEAST_RESOLVED = 1000;

static nt_status check_slender(const nt_run *run, const nt_element *e, const nt_beam *b,
                               nt_error *error)
{
    int i = 0;
    double ratio = 12 * find_locking(b, &i), length = element_length(b, i);
    if (!(ratio <= MOST_SLENDER))
        return nt_load_refuse_key(run->model, e, "points", error,
                                  "element %d is %.3g m long, so slender that its bending is lost "
                                  "in the rounding of its shear; expected at most %.3g m, more "
                                  "elements, or more stiffness of moments",
                                  i + 1, length, length * sqrt(MOST_SLENDER / ratio));
    const v3 *X = nt_beam_array_in(b, b->nodes);
    for (i = 0; i < b->n_elements; i++) {
        double away = fmax(v3_norm(X[i * b->p]), v3_norm(X[(i + 1) * b->p]));
        if (!(LEAST_RESOLVED * DBL_EPSILON * away <= element_length(b, i)))
            return nt_load_refuse_key(run->model, e, "points", error,
                                      "element %d is %.3g m long at %.3g m from the origin, where "
                                      "places are known to %.2g m; expected it nearer",
                                      i + 1, element_length(b, i), away, DBL_EPSILON * away);
    }
    return NT_OK;
}

nt_status nt_beam_check_line(const nt_run *run, const nt_element *e, const nt_beam *b,
                             nt_error *error)
{
    const double *station = nt_beam_array_in(b, b->stations);
    nt_status status = check_slender(run, e, b, error);
    for (int i = 0; status == NT_OK && i < b->n_elements; i++) {
        double twist = nt_beam_twist_between(b, station[i], station[i + 1]);
        double length = 0, aligned = 1, whole = (station[i + 1] - station[i]) * nt_beam_length(b);
        for (int q = 0; q < b->n_rule[0]; q++) {
            const nt_beam_elastic *at = nt_beam_elastic_at(b, i) + q;
            v3 axis = v3_of(at->axes.xx, at->axes.yx, at->axes.zx);
            aligned = fmin(aligned, v3_dot(at->tangent, axis));
            length += at->weight;
        }
        if (twist > MOST_TWIST * b->p)
            return nt_load_refuse(run->model, e, error,
                                  "element %d, from %.4g to %.4g of its length, is too coarse for "
                                  "the twist: %.3g rad, where order %d carries %g at most; "
                                  "expected more elements or a higher order",
                                  i + 1, station[i], station[i + 1], twist, b->p,
                                  MOST_TWIST * b->p);
        if (aligned > LEAST_ALIGNED && length > LEAST_LENGTH * whole)
            continue;
        return nt_load_refuse(run->model, e, error,
                              "element %d, from %.4g to %.4g of its length, is too coarse for the "
                              "line: %.3g m long instead of %.3g m, up to %.3g degrees off its "
                              "direction; expected more elements or a higher order",
                              i + 1, station[i], station[i + 1], length, whole,
                              acos(fmin(1, aligned)) * 57.295779513082323);
    }
    return status;
}
