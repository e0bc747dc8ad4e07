/* What every method claims: one row each, and one for each variant that claims something else. The
 * tests hold claims in both directions where a number can tell them apart, so that the table says
 * what is true and not only what is not false. */
#ifndef NUTATE_TESTS_METHOD_CLAIMS_H
#define NUTATE_TESTS_METHOD_CLAIMS_H

#include "problems.h"
#include "runs.h"

enum { /* what it needs and treats */
       TANGENT = 1,
       MOMENTA = 2,
       POSITION_FORCES = 4,
       VECTOR = 8,
       HOLONOMIC = 16,
       NONHOLONOMIC = 32,
       TOLERANCE = 64,  /* controls its error */
       BODY_ONLY = 128, /* works in the body frame only */
       OWN_STEPS = 256, /* orders are its own affair     */
       LINEAR = 512     /* multipliers must enter linearly */
};
enum { /* the same in groups */
       INDEX_3 = TANGENT | HOLONOMIC | NONHOLONOMIC,
       CONTROLLED = INDEX_3 | TOLERANCE,
       EXPLICIT = MOMENTA | BODY_ONLY
};

enum { /* what it keeps; see the tests below */
       SYMMETRIC = 1,
       MOMENTUM = 2,   /* of the slow top about the vertical, to rounding    */
       ENERGY = 4,     /* of the slow top, to rounding                       */
       NO_DRIFT = 8,   /* its energy's error is no larger after a long time  */
       POSITIONS = 16, /* constraints, to rounding                         */
       VELOCITIES = 32 /* their derivatives, to rounding                   */
};
enum { SYMPLECTIC = MOMENTUM | NO_DRIFT, LEVELS = POSITIONS | VELOCITIES };

/* Orders: of q and v, of multipliers (0: none claimed; the lowest of the problems), of both where
 * steps are alternately h/3 and 2h/3 (0: none claimed), of q between steps; and of q and v where
 * there are rotations, and where constraints leave no freedom, if that is another. An option makes
 * a variant, with a row of its own. */
typedef struct row {
    const char *method;
    nt_option option; /* name NULL: none */
    unsigned does, keeps;
    int order, forces, uneven, uneven_forces, between, rotations, determined;
    int finer; /* halvings more before orders show: terms of two orders cancel at larger steps */
} row;

static const row rows[] = {
    {"generalized-alpha", {0}, INDEX_3, POSITIONS, 2, 2, 0, 0, 2, 0, 0, 0},
    {"generalized-alpha",
     {"newmark", "0.5"},
     INDEX_3,
     SYMMETRIC | POSITIONS,
     2,
     0,
     0,
     0,
     2,
     0,
     0,
     0},
    {"generalized-alpha-linear", {0}, INDEX_3, POSITIONS, 2, 2, 0, 0, 2, 0, 0, 0},
    {"generalized-alpha-residual", {0}, INDEX_3, POSITIONS, 2, 1, 0, 0, 2, 1, 0, 0},
    {"generalized-alpha-soi2", {0}, CONTROLLED, LEVELS, 2, 2, 2, 2, 2, 0, 0, 0},
    {"lie-newmark", {0}, EXPLICIT, SYMPLECTIC | SYMMETRIC, 2, 0, 2, 0, 2, 0, 0, 0},
    {"lie-newmark-4",
     {0},
     EXPLICIT | POSITION_FORCES,
     SYMPLECTIC | SYMMETRIC,
     4,
     0,
     4,
     0,
     4,
     0,
     0,
     0},
    {"lie-newmark-6",
     {0},
     EXPLICIT | POSITION_FORCES,
     SYMPLECTIC | SYMMETRIC,
     6,
     0,
     6,
     0,
     4,
     0,
     0,
     0},
    {"lie-euler", {0}, EXPLICIT, SYMPLECTIC, 1, 0, 1, 0, 1, 0, 0, 0},
    {"lie-euler-adjoint", {0}, EXPLICIT, SYMPLECTIC, 1, 0, 1, 0, 1, 0, 0, 0},
    {"lie-midpoint", {0}, EXPLICIT | TANGENT, SYMPLECTIC | SYMMETRIC, 2, 0, 2, 0, 2, 0, 0, 0},
    {"simo-wong", {0}, EXPLICIT | TANGENT, MOMENTUM | NO_DRIFT | SYMMETRIC, 2, 0, 2, 0, 2, 0, 0, 0},
    {"simo-wong-explicit", {0}, EXPLICIT, MOMENTUM, 2, 0, 2, 0, 2, 0, 0, 0},
    {"akw",
     {0},
     EXPLICIT | TANGENT,
     MOMENTUM | ENERGY | NO_DRIFT | SYMMETRIC,
     2,
     0,
     2,
     0,
     2,
     0,
     0,
     0},
    {"stormer-verlet", {0}, TANGENT | VECTOR, SYMPLECTIC | SYMMETRIC, 2, 0, 2, 0, 2, 0, 0, 0},
    {"symplectic-euler", {0}, TANGENT | VECTOR, SYMPLECTIC, 1, 0, 1, 0, 1, 0, 0, 0},
    {"symplectic-euler", {"adjoint", "true"}, TANGENT | VECTOR, SYMPLECTIC, 1, 0, 1, 0, 1, 0, 0, 0},
    {"rkmk-dopri5", {0}, CONTROLLED, LEVELS, 5, 5, 5, 5, 5, 0, 0, 0},
    {"rkmk-dop853", {0}, CONTROLLED, LEVELS, 8, 8, 8, 8, 8, 0, 0, 0},
    {"semi-explicit", {0}, CONTROLLED, LEVELS, 1, 1, 1, 1, 1, 0, 2, 0},
    {"semi-explicit", {"beta", "0.5"}, CONTROLLED, LEVELS, 2, 1, 2, 1, 2, 1, 0, 0},
    {"semi-explicit-2", {0}, CONTROLLED, LEVELS, 2, 1, 2, 1, 2, 0, 0, 3},
    {"theta", {0}, CONTROLLED, LEVELS | SYMMETRIC, 2, 1, 2, 1, 2, 0, 0, 0},
    {"theta", {"theta", "1"}, CONTROLLED | LINEAR, LEVELS, 1, 1, 1, 1, 1, 0, 0, 0},
    {"bdf", {0}, CONTROLLED | OWN_STEPS, LEVELS, 0, 0, 0, 0, 0, 0, 0, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- runs ----------------------------------------------------------------------------------- */

static inline bool applies(const row *r, const problem *p)
{
    const nt_system *s = p->system;
    return !((r->does & MOMENTA) && !(s->capabilities & NT_HAS_MOMENTA)) &&
           !((r->does & VECTOR) && s->space.n_rotations > 0) &&
           !((r->does & LINEAR) && !(s->capabilities & NT_AFFINE)) &&
           !(s->nh > 0 && !(r->does & HOLONOMIC)) && !(s->nn > 0 && !(r->does & NONHOLONOMIC));
}

/* The frames to try: both where rotations and method have them. */
static inline nt_frame first_frame(const row *r)
{
    return r->does & BODY_ONLY ? NT_BODY : NT_INERTIAL;
}
static inline nt_frame last_frame(const row *r, const problem *p)
{
    return p->system->space.n_rotations > 0 ? NT_BODY : first_frame(r);
}

static inline nt_integrator_setup setup_for(const row *r, const problem *p, nt_frame frame)
{
    nt_integrator_setup setup = setup_of(p->system, &r->option, r->option.name ? 1 : 0);
    setup.method = nt_method_find(r->method);
    setup.frame = frame;
    return setup;
}

static inline nt_integrator *start(const row *r, const problem *p, nt_frame frame)
{
    nt_integrator_setup setup = setup_for(r, p, frame);
    return begin(&setup, p->q, p->v);
}

static inline const char *words(const row *r, const problem *p, nt_frame frame)
{
    static char text[200];
    snprintf(text, sizeof text, "%s%s%s%s%s on %s, %s frame", r->method,
             r->option.name ? " with " : "", r->option.name ? r->option.name : "",
             r->option.name ? " " : "", r->option.name ? r->option.value : "", p->name,
             frame == NT_BODY ? "body" : "inertial");
    return text;
}

typedef struct bytes {
    void *data;
    size_t size;
} bytes;

static inline bytes save(const nt_integrator *it)
{
    bytes b = {.size = nt_integrator_saved_size(it)};
    b.data = malloc(b.size);
    assert_non_null(b.data);
    nt_integrator_save(it, b.data);
    return b;
}

#endif
