/* Triangles of shapes. Surfaces of revolution come from a profile of straight pieces (r, z) with a
 * normal at both ends of each; everything is laid at its place by `at` and `turn`. */
#include "base/number.h"
#include "output/scene/stage.h"

#include <string.h>

enum { AROUND = 20, ARC = 5 }; /* pieces of a circle, of a quarter of it */

/* ---- points --------------------------------------------------------------------------------- */

typedef struct place {
    v3 at;
    m3 R;
    nt_part *part;
} place;

static unsigned add_corner(const place *p, v3 x, v3 normal)
{
    v3 at = v3_add(p->at, m3_apply(p->R, x)), n = m3_apply(p->R, normal);
    const float point[3] = {(float)at.x, (float)at.y, (float)at.z};
    const float out[3] = {(float)n.x, (float)n.y, (float)n.z};
    unsigned number = (unsigned)(p->part->points.used / sizeof point);
    nt_bytes_put(&p->part->points, point, sizeof point);
    nt_bytes_put(&p->part->normals, out, sizeof out);
    return number;
}

static void add_three(const place *p, unsigned a, unsigned b, unsigned c)
{
    const uint32_t corners[3] = {a, b, c};
    nt_bytes_put(&p->part->corners, corners, sizeof corners);
}

/* ---- surfaces of revolution ----------------------------------------------------------------- */

typedef struct rim {
    double r, z, nr, nz;
} rim;

/* Between two circles about z; outwards where the profile goes up on the outside. */
static void add_band(const place *p, rim a, rim b)
{
    unsigned first = 0;
    for (int i = 0; i <= AROUND; i++) {
        double angle = 2 * NT_PI * i / AROUND, c = cos(angle), s = sin(angle);
        unsigned low = add_corner(p, v3_of(a.r * c, a.r * s, a.z), v3_of(a.nr * c, a.nr * s, a.nz));
        add_corner(p, v3_of(b.r * c, b.r * s, b.z), v3_of(b.nr * c, b.nr * s, b.nz));
        if (i > 0 && a.r > 0)
            add_three(p, first, low, low + 1);
        if (i > 0 && b.r > 0)
            add_three(p, first, low + 1, first + 1);
        first = low;
    }
}

static void add_disk(const place *p, double inner, double outer, double z, bool up)
{
    rim a = {outer, z, 0, up ? 1 : -1}, b = {inner, z, 0, up ? 1 : -1};
    if (up)
        add_band(p, a, b);
    else
        add_band(p, b, a);
}

/* A quarter of a circle in the plane of the profile, from the equator to a pole or back. */
static void add_cap(const place *p, double radius, double z, bool up)
{
    for (int i = 0; i < ARC; i++) {
        double a = 0.5 * NT_PI * (up ? i : i - ARC) / ARC, b = a + 0.5 * NT_PI / ARC;
        bool pole = up && i == ARC - 1, foot = !up && i == 0;
        add_band(p, (rim){foot ? 0 : radius * cos(a), z + radius * sin(a), cos(a), sin(a)},
                 (rim){pole ? 0 : radius * cos(b), z + radius * sin(b), cos(b), sin(b)});
    }
}

static void add_side(const place *p, double r0, double z0, double r1, double z1)
{
    double dr = r1 - r0, dz = z1 - z0, length = sqrt(dr * dr + dz * dz);
    double nr = dz / length, nz = -dr / length;
    add_band(p, (rim){r0, z0, nr, nz}, (rim){r1, z1, nr, nz});
}

/* ---- forms ---------------------------------------------------------------------------------- */

static void add_box(const place *p, const double size[3])
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            double n[3] = {0}, u[3] = {0}, w[3] = {0};
            n[axis] = side;
            u[(axis + 1) % 3] = 0.5 * size[(axis + 1) % 3] * side; /* u x w along n */
            w[(axis + 2) % 3] = 0.5 * size[(axis + 2) % 3];
            v3 N = v3_load(n), U = v3_load(u), W = v3_load(w);
            v3 middle = v3_scale(0.5 * size[axis], N);
            unsigned a = add_corner(p, v3_sub(v3_sub(middle, U), W), N);
            add_corner(p, v3_sub(v3_add(middle, U), W), N);
            add_corner(p, v3_add(v3_add(middle, U), W), N);
            add_corner(p, v3_add(v3_sub(middle, U), W), N);
            add_three(p, a, a + 1, a + 2);
            add_three(p, a, a + 2, a + 3);
        }
}

/* A sphere whose points and normals are stretched: n = (x/a^2, y/b^2, z/c^2). */
static void add_ellipsoid(const place *p, const double size[3])
{
    nt_part ball = {.body = 0};
    const place unit = {.R = m3_identity(), .part = &ball};
    add_cap(&unit, 1, 0, false);
    add_cap(&unit, 1, 0, true);
    const float *points = (const float *)(const void *)ball.points.at;
    size_t n = ball.points.used / (3 * sizeof(float));
    unsigned base = (unsigned)(p->part->points.used / (3 * sizeof(float)));
    for (size_t i = 0; i < n; i++) {
        const float *x = points + 3 * i;
        v3 at = v3_of((double)x[0], (double)x[1], (double)x[2]);
        v3 out = v3_of(at.x / size[0], at.y / size[1], at.z / size[2]);
        add_corner(p, v3_of(at.x * size[0], at.y * size[1], at.z * size[2]),
                   v3_scale(1 / v3_norm(out), out));
    }
    const uint32_t *corner = (const uint32_t *)(const void *)ball.corners.at;
    for (size_t i = 0; i < ball.corners.used / (3 * sizeof *corner); i++)
        add_three(p, base + corner[3 * i], base + corner[3 * i + 1], base + corner[3 * i + 2]);
    p->part->points.failed |= ball.points.failed || ball.corners.failed;
    nt_bytes_free(&ball.points);
    nt_bytes_free(&ball.normals);
    nt_bytes_free(&ball.corners);
}

/* ---- polygons ------------------------------------------------------------------------------- */

static double cross2(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool holds(const double *a, const double *b, const double *c, const double *x)
{
    return cross2(a, b, x) >= 0 && cross2(b, c, x) >= 0 && cross2(c, a, x) >= 0;
}

/* Cuts off ears: convex corners whose triangle holds no other corner. order[n]: the corners,
 * counterclockwise. A polygon that crosses itself is cut as far as that goes. */
static void add_ears(const place *p, const nt_figure *f, int *order, double z, bool up)
{
    unsigned base = (unsigned)(p->part->points.used / (3 * sizeof(float)));
    int n = f->n_outline;
    for (int i = 0; i < n; i++)
        add_corner(p, v3_of(f->outline[i][0], f->outline[i][1], z), v3_of(0, 0, up ? 1 : -1));
    for (int i = 0, tries = 0; n > 2 && tries < n; i = (i + 1) % n, tries++) {
        int a = order[(i + n - 1) % n], b = order[i], c = order[(i + 1) % n];
        bool ear = cross2(f->outline[a], f->outline[b], f->outline[c]) > 0;
        for (int k = 0; k < n && ear; k++)
            ear = order[k] == a || order[k] == b || order[k] == c ||
                  !holds(f->outline[a], f->outline[b], f->outline[c], f->outline[order[k]]);
        bool line = cross2(f->outline[a], f->outline[b], f->outline[c]) == 0;
        if (!ear && !line)
            continue;
        if (ear && up)
            add_three(p, base + (unsigned)a, base + (unsigned)b, base + (unsigned)c);
        else if (ear)
            add_three(p, base + (unsigned)a, base + (unsigned)c, base + (unsigned)b);
        memmove(order + i, order + i + 1, (size_t)(n - i - 1) * sizeof *order);
        n--;
        i = i > 0 ? i - 1 : n - 1;
        tries = -1;
    }
}

static void add_polygon(const place *p, const nt_figure *f)
{
    double half = 0.5 * fabs(f->size[0]), area = 0;
    nt_bytes order = {0};
    int n = f->n_outline;
    for (int i = 0; i < n; i++) {
        const double *a = f->outline[i], *b = f->outline[(i + 1) % n];
        area += a[0] * b[1] - a[1] * b[0];
    }
    for (int top = 0; top < 2; top++) {
        order.used = 0;
        for (int i = 0; i < n; i++) {
            int number = area > 0 ? i : n - 1 - i;
            nt_bytes_put(&order, &number, sizeof number);
        }
        if (!order.failed)
            add_ears(p, f, (int *)(void *)order.at, top ? half : -half, top);
    }
    p->part->points.failed |= order.failed;
    for (int i = 0; i < n; i++) {
        const double *a = f->outline[area > 0 ? i : (i + 1) % n];
        const double *b = f->outline[area > 0 ? (i + 1) % n : i];
        double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
        if (!(length > 0))
            continue;
        v3 out = v3_of(dy / length, -dx / length, 0);
        unsigned first = add_corner(p, v3_of(a[0], a[1], -half), out);
        add_corner(p, v3_of(b[0], b[1], -half), out);
        add_corner(p, v3_of(b[0], b[1], half), out);
        add_corner(p, v3_of(a[0], a[1], half), out);
        add_three(p, first, first + 1, first + 2);
        add_three(p, first, first + 2, first + 3);
    }
    nt_bytes_free(&order);
}

/* ---- meshes --------------------------------------------------------------------------------- */

/* Every triangle with corners of its own, so that edges stay edges. */
static void add_mesh(const place *p, const nt_mesh *mesh, double scale)
{
    for (int i = 0; i < mesh->n_triangles; i++) {
        v3 x[3];
        for (int k = 0; k < 3; k++) {
            const float *at = mesh->points[mesh->corners[i][k]];
            x[k] = v3_scale(scale, v3_of((double)at[0], (double)at[1], (double)at[2]));
        }
        v3 n = v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]));
        double length = v3_norm(n);
        if (!(length > 0))
            continue;
        n = v3_scale(1 / length, n);
        unsigned a = add_corner(p, x[0], n);
        add_corner(p, x[1], n);
        add_corner(p, x[2], n);
        add_three(p, a, a + 1, a + 2);
    }
}

void nt_figure_add(const nt_figure *f, nt_part *part)
{
    const place p = {.at = f->at, .R = quat_matrix(f->turn), .part = part};
    const double *s = f->size;
    double half = 0.5 * s[1];
    switch (f->form) {
    case NT_FORM_BOX:
        add_box(&p, s);
        break;
    case NT_FORM_SPHERE:
        add_cap(&p, s[0], 0, false);
        add_cap(&p, s[0], 0, true);
        break;
    case NT_FORM_CYLINDER:
        add_disk(&p, 0, s[0], -half, false);
        add_side(&p, s[0], -half, s[0], half);
        add_disk(&p, 0, s[0], half, true);
        break;
    case NT_FORM_CAPSULE:
        add_cap(&p, s[0], -half, false);
        add_side(&p, s[0], -half, s[0], half);
        add_cap(&p, s[0], half, true);
        break;
    case NT_FORM_CONE:
        add_disk(&p, 0, s[0], -half, false);
        add_side(&p, s[0], -half, 0, half);
        break;
    case NT_FORM_TUBE:
        add_disk(&p, s[1], s[0], -0.5 * s[2], false);
        add_side(&p, s[0], -0.5 * s[2], s[0], 0.5 * s[2]);
        add_disk(&p, s[1], s[0], 0.5 * s[2], true);
        if (s[1] > 0)
            add_side(&p, s[1], 0.5 * s[2], s[1], -0.5 * s[2]);
        break;
    case NT_FORM_ELLIPSOID:
        add_ellipsoid(&p, s);
        break;
    case NT_FORM_POLYGON:
        add_polygon(&p, f);
        break;
    case NT_FORM_MESH:
        add_mesh(&p, f->mesh, s[0]);
        break;
    case NT_FORMS:
        break;
    }
}

/* ---- coils and arrows ----------------------------------------------------------------------- */

void nt_coil_add(double radius, double wire, int turns, double length, nt_part *part)
{
    enum { STEPS = 14, SIDES = 6 };
    const place p = {.R = m3_identity(), .part = part};
    double rise = length / turns / (2 * NT_PI), slant = sqrt(radius * radius + rise * rise);
    unsigned before = 0;
    for (int i = 0; i <= turns * STEPS; i++) {
        double angle = 2 * NT_PI * i / STEPS, c = cos(angle), s = sin(angle);
        v3 out = v3_of(c, s, 0), middle = v3_of(radius * c, radius * s, length * i / turns / STEPS);
        v3 side = v3_scale(1 / slant, v3_of(rise * s, -rise * c, radius)); /* along x out */
        unsigned first = 0;
        for (int k = 0; k < SIDES; k++) {
            double turn = 2 * NT_PI * k / SIDES;
            v3 n = v3_axpy(sin(turn), side, v3_scale(cos(turn), out));
            unsigned number = add_corner(&p, v3_axpy(wire, n, middle), n);
            first = k == 0 ? number : first;
        }
        for (unsigned k = 0; k < SIDES && i > 0; k++) {
            unsigned next = (k + 1) % SIDES;
            add_three(&p, before + k, first + k, first + next);
            add_three(&p, before + k, first + next, before + next);
        }
        before = first;
    }
}

void nt_arrow_add(double radius, nt_part *part)
{
    const place p = {.R = m3_identity(), .part = part};
    add_disk(&p, 0, radius, 0, false);
    add_side(&p, radius, 0, radius, 0.75);
    add_disk(&p, radius, 2.5 * radius, 0.75, false);
    add_side(&p, 2.5 * radius, 0.75, 0, 1);
}
