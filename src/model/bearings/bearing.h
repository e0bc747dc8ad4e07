/* Ball bearings: one element over all contacts of balls, rings and cage.
 *
 * A bearing brings bodies of its own: its balls and its cage. Its element stands between the outer
 * ring's body (A) and the inner ring's (B) and has ports of all of them. */
#ifndef NUTATE_MODEL_BEARING_H
#define NUTATE_MODEL_BEARING_H

#include "model/bearings/sizes.h"
#include "model/contacts/contact.h"
#include "model/contacts/touch_values.h"

enum { NT_OUTER, NT_INNER, NT_POCKET, NT_BALL_CONTACTS }; /* of one ball */
enum { NT_MOST_BALLS = 64, NT_MOST_WAVES = 8, NT_MOST_FLAWS = 8 };

typedef struct nt_bearing_material {
    double E, nu, density; /* Pa; 1; kg/m^3 */
} nt_bearing_material;

/* Dents in a race, each at an angle from the place of ball 1 at the start, in the ring's axes. */
typedef struct nt_bearing_flaws {
    double angle[NT_MOST_FLAWS], width[NT_MOST_FLAWS], depth[NT_MOST_FLAWS]; /* rad; half, rad; m */
    int n_angles, n_widths, n_depths, pad; /* as many of each, or no angle: zero */
} nt_bearing_flaws;

/* sum of amplitude_k cos(order_k angle + phase_k), taken off the race; m */
typedef struct nt_bearing_waves {
    double order[NT_MOST_WAVES], amplitude[NT_MOST_WAVES], phase[NT_MOST_WAVES];
    int n_orders, n_amplitudes, n_phases, pad; /* as many of each, or no phase: zero */
} nt_bearing_waves;

typedef struct nt_bearing_race {
    double groove;    /* groove radius over ball diameter */
    double shoulder;  /* height over ball diameter */
    double stiffness; /* N/m^1.5, given; 0: that of Hertz */
    nt_bearing_flaws flaws;
    nt_bearing_waves waves;

    /* what follows */
    nt_surface surface;
    nt_touch_law law;
    v3 center,
        origin;    /* of the ring, of the skeleton, from the body's reference point; body axes */
    v3 axis, mark; /* unit vectors; mark: where ball 1 is at the start */
    double last_angle;      /* rad: a ball beyond has left the groove */
    double turn_of_last[2]; /* its cos, sin                         */
    double most_force;      /* N: a ball pressed further is no contact of smooth bodies; or inf */
    bool is_round;          /* no flaws, no waves                   */
} nt_bearing_race;

typedef struct nt_bearing {
    unsigned given;
    int rings[2]; /* bodies: outer, inner */
    int law, has_cage, pocket_shape, hertz;
    int n_balls, first_ball, cage; /* bodies; -1: no cage */
    int part, relation;            /* of restitution: nt_restitution_relation */
    const char *designation;
    const nt_bearing_size *size; /* NULL: explicit geometry */

    double balls, ball_diameter, pitch_diameter, clearance, contact_angle;
    nt_place_of_point at, points[2]; /* points, axes: of the inner ring, then of the outer */
    double axis[3], axes[2][3];
    nt_bearing_material material;
    double damping, friction, slip, curve[4];
    double restitution, restitution_speed;
    nt_lubricant oil;
    double rolling, rolling_slip;
    struct {
        double mass, inertia[3], clearance, E, nu, stiffness, damping, friction, slip;
    } of_cage;
    struct {
        double cage, irregularity; /* 1; m */
    } start;

    /* what follows */
    nt_bearing_race races[2]; /* NT_OUTER, NT_INNER */
    nt_surface pocket;
    nt_touch_law pocket_law;
    double most_pocket_force;       /* N, as that of the races */
    double turns[2][NT_MOST_BALLS]; /* cos, sin of the angles of the pockets, then as the last */
    double settled_angle;           /* rad, contact angle of the rings at the start */
} nt_bearing;

enum { /* bits of nt_bearing.given */
       NT_BEARING_AT,
       NT_BEARING_AXIS,
       NT_BEARING_POINTS,
       NT_BEARING_AXES,
       NT_BEARING_CLEARANCE,
       NT_BEARING_DAMPING,
       NT_BEARING_RESTITUTION,
       NT_BEARING_LUBRICANT,
       NT_BEARING_DESIGNATION,
       NT_BEARING_BALLS,
       NT_BEARING_BALL,
       NT_BEARING_PITCH,
       NT_BEARING_ANGLE,
       NT_BEARING_CURVE,
       NT_BEARING_CAGE,
       NT_BEARING_CAGE_STIFFNESS,
       NT_BEARING_CAGE_FRICTION,
       NT_BEARING_OUTER_STIFFNESS,
       NT_BEARING_INNER_STIFFNESS,
       NT_BEARING_OUTER_GROOVE,
       NT_BEARING_INNER_GROOVE,
       NT_BEARING_FRICTION,
       NT_BEARING_SLIP,
       NT_BEARING_OUTER_SHOULDER,
       NT_BEARING_INNER_SHOULDER,
       NT_BEARING_OIL_COEFFICIENT,
       NT_BEARING_OIL_STRESS,
       NT_BEARING_OIL_LIMIT,
       NT_BEARING_CAGE_DAMPING,
       NT_BEARING_CAGE_SLIP,
};

extern const nt_key nt_bearing_keys[];
extern const char *const nt_bearing_rings[2]; /* "outer", "inner" */

static inline const nt_bearing *nt_bearing_of(const nt_run *run, const nt_element *element)
{
    return nt_element_data(run, element);
}
static inline bool nt_bearing_gives(const nt_bearing *b, int bit) { return b->given >> bit & 1; }

/* Values of keys that the file leaves out, before they are read. */
void nt_bearing_defaults(void *data);

/* How many bodies a bearing brings: its balls, from its keys; 0 and words in why[size] where they
 * do not say. designation may be NULL, balls then counts. */
int nt_bearing_count(const char *designation, double balls, char *why, size_t size);

/* Callbacks of the type (bearing_numbers.c, bearing_start.c, bearing_vary.c, bearing_words.c). */
nt_status nt_bearing_own_bodies(nt_run *run, const nt_element *element, bool validate,
                                nt_error *error);
nt_status nt_bearing_prepare(nt_run *run, const nt_element *element, bool validate,
                             nt_error *error);
void nt_bearing_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to);
bool nt_bearing_remark(const nt_model *model, const nt_element *element, char *text, size_t size);
void nt_bearing_rests(const nt_element *element, const nt_view *view, unsigned char *lies);
nt_status nt_bearing_settle(nt_run *run, const nt_element *element);
bool nt_bearing_vary(const nt_element *element, const nt_view *view, const void *rates);
void nt_bearing_failure(const nt_element *element, const nt_view *view, char *text, int size);
void nt_bearing_warning(const nt_run *run, const nt_element *element, char *text, int size);
/* Stiffness of the races at the contact angle of the rings, all that follows from it. */
void nt_bearing_fill_races(nt_bearing *bearing, double angle);

/* ---- one contact (bearing.c) ------------------------------------------------------------------
 */

typedef struct nt_ball_touch {
    nt_touch_kind kind;
    const nt_surface *surface;
    const nt_touch_law *law;
    int body; /* of the surface */
    nt_touch_pose pose;
    v3 lift_gradient;
    nt_touch touch;
} nt_ball_touch;

/* The port of the translation of a ring, a ball or the cage; that of its rotation follows. */
int nt_bearing_port_of(const nt_bearing *bearing, int body);
/* Contact NT_OUTER, NT_INNER or NT_POCKET of a ball, counted from 0. */
nt_ball_touch nt_bearing_touch(const nt_element *element, const nt_view *view, int ball, int which);
/* From the edge of the ellipse of contact to the shoulder, rad along the groove; negative: the
 * shoulder cuts the ellipse off. A contact apart has no ellipse. 0 for pockets. */
double nt_bearing_shoulder_margin(const nt_bearing *bearing, const nt_ball_touch *touch);

/* ---- what balls and rings damp by themselves (bearing_damping.c) -------------------------------
 *
 * Added to their blocks of the matrix: D[6][6] of a ring at its ports; of `n` balls from `first`
 * on.
 */
struct nt_damping_lanes;
void nt_bearing_damp_ring(const nt_view *view, int port, int body, const double D[36]);
void nt_bearing_damp_balls(const nt_view *view, const nt_bearing *bearing, int first, int n,
                           const struct nt_damping_lanes *damping);

/* ---- chords of friction (bearing_chords.c) -----------------------------------------------------
 */

/* Of one ball between its races, 1/kg, of the motion along a surface. */
double nt_bearing_mobility(const nt_run *run, const nt_bearing *bearing);
/* D += c g o g, g = (w, r x w); entry k of D[6][6] at D[stride k]. */
void nt_bearing_add_chord(double *D, int stride, double c, v3 w, v3 r);
/* Adds what NT_OWN_CHORDS asks for, or its tangent; and, of the contact at ports view->pair of a
 * race and a ball, what numbers change in it. lighter: d ln(mobility). */
void nt_bearing_push_chords(const nt_element *element, const nt_view *view);
void nt_bearing_vary_chords(const nt_element *element, const nt_view *view, int ball,
                            const nt_ball_touch *touch, const nt_touch_rates *rates,
                            double lighter);

/* ---- what friction ties together (bearing_ties.c) ----------------------------------------------
 */

/* Of a ring, for each direction in which it moves: its mobility, 1/kg or 1/(kg m^2), and sums over
 * contacts of c |u|^2 and c^2 |u|^2. */
enum { NT_TIES = 6 };
typedef struct nt_tie {
    v3 axes[3];
    int n, pad; /* 0: it does not move, or steps follow eigenvalues */
    double mobility[NT_TIES], first[NT_TIES], second[NT_TIES];
    double near; /* m/(N s): of the slope that all balls have at most, whether it matters */
} nt_tie;

typedef struct nt_ties {
    double of_ball;           /* 1/s, the largest rate of a ball between its races            */
    double slope2[NT_POCKET]; /* of the squares of slopes on each race, (N s/m)^2             */
    nt_tie of[NT_POCKET];
} nt_ties;

void nt_bearing_tie_begin(const nt_view *view, const nt_bearing *bearing, int which, v3 axis,
                          nt_tie *tie);
bool nt_bearing_tie_matters(const nt_tie *tie, double most_slope);
/* A ball at x that its race pushes with F, friction's slope across the sliding being c; along it
 * there is less where its coefficient does not grow (saturates). A ring has its reference point at
 * `ring`, the race its centre at the origin. */
void nt_bearing_tie_add(nt_tie *tie, const nt_bearing_race *race, bool saturates, v3 origin,
                        v3 ring, v3 x, v3 F, double c);
/* Of n balls from `first` on with these slopes on their races, N s/m, what the one with the largest
 * damps, into the element's nt_run_damping. */
void nt_bearing_tell_balls(const nt_element *element, const nt_view *view, int first, int n,
                           const double *outer, const double *inner, nt_ties *ties);
/* The same of a ball in its pocket, where steps may be too long for it: its friction's slope, N
 * s/m, and its indentation. */
void nt_bearing_tell_pocket(const nt_element *element, const nt_view *view, int ball, double slope,
                            double delta);
/* What rings damp, into the element's nt_run_damping; damps: methods take what each body damps by
 * itself implicitly. */
void nt_bearing_tell_ties(const nt_element *element, const nt_view *view, const nt_ties *ties,
                          bool damps);

/* ---- recorded quantities (bearing_values.c) ---------------------------------------------------
 *
 * Of a part of a bearing (nt_element_part_at): its cage (1), contact k of ball j, from 0 on
 * (NT_BEARING_PARTS + 3 j + k). */
enum { NT_BEARING_OF_CAGE = 1, NT_BEARING_PARTS };

/* "cage", "ball3.outer". */
int nt_bearing_part_at(const nt_model *model, const nt_element *element, int part, char *name,
                       size_t size);

struct nt_sampler;
#define NT_BEARING_QUANTITY(name)                                                                  \
    void name(const struct nt_sampler *sampler, int object, double *out)
NT_BEARING_QUANTITY(nt_ball_indentation);
NT_BEARING_QUANTITY(nt_ball_force);
NT_BEARING_QUANTITY(nt_ball_friction_force);
NT_BEARING_QUANTITY(nt_ball_sliding_speed);
NT_BEARING_QUANTITY(nt_ball_spin_speed);
NT_BEARING_QUANTITY(nt_ball_angle);
NT_BEARING_QUANTITY(nt_ball_semi_axes);
NT_BEARING_QUANTITY(nt_ball_pressure);
NT_BEARING_QUANTITY(nt_ball_film_thickness);
NT_BEARING_QUANTITY(nt_ball_power);
NT_BEARING_QUANTITY(nt_ball_margin);
NT_BEARING_QUANTITY(nt_cage_speed);
NT_BEARING_QUANTITY(nt_cage_slip);
NT_BEARING_QUANTITY(nt_cage_torque);
NT_BEARING_QUANTITY(nt_cage_power);
NT_BEARING_QUANTITY(nt_bearing_load);
NT_BEARING_QUANTITY(nt_bearing_torque);
NT_BEARING_QUANTITY(nt_bearing_power);
NT_BEARING_QUANTITY(nt_bearing_pressure);
NT_BEARING_QUANTITY(nt_bearing_ball_most);
NT_BEARING_QUANTITY(nt_bearing_film_thickness);
NT_BEARING_QUANTITY(nt_bearing_margin);

#endif
