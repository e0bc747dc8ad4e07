/* The heavy top, written out: one body, nine unknowns.
 *
 * x centre of mass, u = R X from the pivot to it, Phi = u - x, lambda the reaction on the top:
 *
 *   m x'' - m g - lambda = 0,   J w' + w x J w + u x lambda = 0,   B = [-I, -u~],
 *
 *   [ s beta' m I                 0                  -I ] [ e_x       ]     [ s R_x ]
 *   [      0        s (turning tangent + lambda~ u~)  u~ ] [ e_theta   ] = - [ s R_w ]
 *   [     -I                   -u~                    0 ] [ s Dlambda ]     [ Phi   ]
 *
 * solved by Gaussian elimination with partial pivoting on the 9 x 9 matrix. */
#include "yardstick.h"

static const double MASS = 15, GRAVITY = -9.81;
static const v3 INERTIA = {0.234375, 0.46875, 0.234375}, ARM = {0, 1, 0};
static const v3 SPIN = {0, 150, -4.61538};

static struct {
    long steps, iterations;
    double t;
    v3 x, lambda;
    quat q;
    motion linear, angular;
} top;

/* ---- nine equations ------------------------------------------------------------------------- */

enum { N = 9 };

/* Every bound of the loops below is a constant once they are unrolled. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 9")
#endif

/* a[i][N] is the right-hand side and becomes the solution. False where it is singular. */
static bool solve(double a[N][N + 1])
{
    UNROLL
    for (int k = 0; k < N; k++) {
        int pivot = k;
        double most = fabs(a[k][k]);
        UNROLL
        for (int i = k + 1; i < N; i++)
            if (fabs(a[i][k]) > most)
                most = fabs(a[i][k]), pivot = i;
        if (most == 0)
            return false;
        if (pivot != k)
            for (int j = 0; j <= N; j++) {
                double swap = a[k][j];
                a[k][j] = a[pivot][j];
                a[pivot][j] = swap;
            }
        double inverse = 1 / a[k][k];
        UNROLL
        for (int i = k + 1; i < N; i++) {
            if (a[i][k] == 0)
                continue;
            double f = a[i][k] * inverse;
            for (int j = k + 1; j <= N; j++)
                a[i][j] -= f * a[k][j];
        }
        a[k][k] = inverse;
    }
    UNROLL
    for (int i = N - 1; i >= 0; i--) {
        double sum = a[i][N];
        for (int j = i + 1; j < N; j++)
            sum -= a[i][j] * a[j][N];
        a[i][N] = sum * a[i][i];
    }
    return true;
}

static void put(double a[N][N + 1], int i, int j, m3 b)
{
    a[i][j] = b.xx, a[i][j + 1] = b.xy, a[i][j + 2] = b.xz;
    a[i + 1][j] = b.yx, a[i + 1][j + 1] = b.yy, a[i + 1][j + 2] = b.yz;
    a[i + 2][j] = b.zx, a[i + 2][j + 1] = b.zy, a[i + 2][j + 2] = b.zz;
}

static void put_right(double a[N][N + 1], int i, v3 b)
{
    a[i][N] = b.x, a[i + 1][N] = b.y, a[i + 2][N] = b.z;
}

static v3 solution(double a[N][N + 1], int i) { return v3_of(a[i][N], a[i + 1][N], a[i + 2][N]); }

/* ---- start ---------------------------------------------------------------------------------- */

/* [M B^T; B 0] (x'', w', lambda): B v' = w x (w x u) */
void top_yardstick_start(void)
{
    v3 u = ARM, w = SPIN;
    top.steps = top.iterations = 0;
    top.t = 0;
    top.x = u;
    top.q = (quat){.w = 1};
    double a[N][N + 1] = {{0}};
    put(a, 0, 0, m3_diagonal(MASS, MASS, MASS));
    put(a, 3, 3, m3_diagonal(INERTIA.x, INERTIA.y, INERTIA.z));
    put(a, 0, 6, m3_diagonal(-1, -1, -1));
    put(a, 3, 6, m3_skew(u));
    put(a, 6, 0, m3_diagonal(-1, -1, -1));
    put(a, 6, 3, m3_skew(v3_neg(u)));
    put_right(a, 0, v3_of(0, 0, MASS * GRAVITY));
    put_right(a, 3, v3_neg(v3_cross(w, m3_apply(turned_inertia(m3_identity(), INERTIA), w))));
    put_right(a, 6, v3_neg(v3_cross(w, v3_cross(w, u))));
    solve(a);
    v3 linear = solution(a, 0), angular = solution(a, 3);
    top.linear = (motion){.v = v3_cross(w, u), .vdot = linear, .a = linear};
    top.angular = (motion){.v = w, .vdot = angular, .a = angular};
    top.lambda = solution(a, 6);
}

/* ---- one step ------------------------------------------------------------------------------- */

typedef struct point {
    trial linear, angular;
    v3 x, lambda, u;
    quat q;
    m3 J;
    v3 R_linear, R_angular, Phi; /* residuals */
    v3 diagonal;                 /* of the rotation's block over the scale */
} point;

static void equilibrium(point *p)
{
    p->x = v3_add(top.x, p->linear.increment);
    p->q = so3_compose(NT_INERTIAL, top.q, p->angular.increment);
    m3 R = quat_matrix(p->q);
    p->u = m3_apply(R, ARM);
    p->J = turned_inertia(R, INERTIA);
    p->R_linear = v3_sub(v3_scale(MASS, p->linear.vdot), p->lambda);
    p->R_linear.z -= MASS * GRAVITY;
    p->R_angular =
        v3_add(turning_residual(p->J, p->angular.v, p->angular.vdot), v3_cross(p->u, p->lambda));
    p->Phi = v3_sub(p->u, p->x);
}

static void assemble(const alpha *c, point *p, m3 T_inverse, double a[N][N + 1])
{
    double m = c->scale * c->beta_prime * MASS;
    m3 A = m3_add(turning_tangent(c, p->J, p->angular.v, p->angular.vdot, T_inverse),
                  m3_scale(c->scale, m3_skew_skew(p->lambda, p->u)));
    p->diagonal = v3_scale(1 / c->scale, v3_of(fabs(A.xx), fabs(A.yy), fabs(A.zz)));
    m3 zero = {0}, minus = m3_diagonal(-1, -1, -1), u = m3_skew(p->u);
    put(a, 0, 0, m3_diagonal(m, m, m));
    put(a, 0, 3, zero);
    put(a, 0, 6, minus);
    put(a, 3, 0, zero);
    put(a, 3, 3, A);
    put(a, 3, 6, u);
    put(a, 6, 0, minus);
    put(a, 6, 3, m3_scale(-1, u));
    put(a, 6, 6, zero);
    put_right(a, 0, v3_scale(-c->scale, p->R_linear));
    put_right(a, 3, v3_scale(-c->scale, p->R_angular));
    put_right(a, 6, v3_neg(p->Phi));
}

static force_sizes sizes_at(const alpha *c, const point *p)
{
    force_sizes f = {{0}, {0}};
    double m = c->beta_prime * MASS;
    v3 increment = p->linear.increment;
    v3 size = {fabs(p->x.x) + fabs(increment.x), fabs(p->x.y) + fabs(increment.y),
               fabs(p->x.z) + fabs(increment.z)};
    measure(&f, 0, c, v3_of(m, m, m), p->linear.vdot, size);
    measure(&f, 1, c, p->diagonal, p->angular.vdot, v3_of(1, 1, 1));
    f.force[0] = larger(f.force[0], largest(p->lambda));
    return f;
}

static double residual_ratio(const point *p, const double per[2])
{
    double worst = larger(largest(p->R_linear) * per[0], largest(p->R_angular) * per[1]);
    return larger(worst, largest(p->Phi) / TOLERANCE_POSITION);
}

static void keep(const alpha *c, const point *p)
{
    accept(c, &p->linear, &top.linear);
    accept(c, &p->angular, &top.angular);
    top.x = p->x, top.q = p->q, top.lambda = p->lambda;
}

static bool step(const alpha *c)
{
    point p = {.linear = predict(c, &top.linear),
               .angular = predict(c, &top.angular),
               .lambda = top.lambda};
    double per[2] = {0, 0};
    settling found = {0};
    for (int i = 0; i <= MOST_ITERATIONS; i++) {
        double a[N][N + 1];
        equilibrium(&p);
        if (i > 0 && ends(&found, residual_ratio(&p, per))) {
            keep(c, &p);
            return true;
        }
        m3 T_inverse = so3_frame_tangent_inverse(NT_INERTIAL, p.angular.increment);
        assemble(c, &p, T_inverse, a);
        if (i == 0) {
            force_sizes f = sizes_at(c, &p);
            per[0] = per_force(&f, 0), per[1] = per_force(&f, 1);
            set_tolerance(&p.linear);
            set_tolerance(&p.angular);
        }
        if (!solve(a))
            return false;
        top.iterations++;
        v3 e = solution(a, 0), turn = solution(a, 3);
        v3 Dlambda = v3_scale(1 / c->scale, solution(a, 6));
        double size = larger(correction_ratio(&p.linear, e), correction_ratio(&p.angular, turn));
        size = larger(size, largest(Dlambda) * per[0]);
        correct(c, &p.linear, e);
        correct(c, &p.angular, m3_apply(T_inverse, turn));
        p.lambda = v3_add(p.lambda, Dlambda);
        settle(&found, size);
    }
    return false;
}

bool top_yardstick_run(double h, long steps)
{
    alpha c = alpha_of(0.8, h);
    for (long k = 0; k < steps; k++) {
        if (!step(&c))
            return false;
        top.t += h;
        top.steps++;
    }
    return true;
}

yardstick_state top_yardstick_state(void)
{
    yardstick_state s = {.t = top.t, .steps = top.steps, .iterations = top.iterations};
    v3_store(s.tip, top.x);
    v3_store(s.lambda, top.lambda);
    return s;
}
