/* A result ready to be drawn by files for other programs: its scene as triangles and moving parts,
 * and its rows as poses. In the ground axes of the result, m, rad, s. Inside of the output layer.
 */
#ifndef NUTATE_OUTPUT_STAGE_H
#define NUTATE_OUTPUT_STAGE_H

#include "base/arena.h"
#include "input/document/document.h"
#include "model/shapes.h"
#include "output/format.h"

/* Triangles of one colour on a body. Without normals they are drawn flat. */
typedef struct nt_part {
    int body;                 /* 0: the ground */
    const char *color;        /* "#rrggbb" */
    nt_bytes points, normals; /* float[3] each */
    nt_bytes corners;         /* uint32_t[3] each */
} nt_part;

/* A shape with its numbers: form and size as in scene.h. */
typedef struct nt_figure {
    nt_form form;
    double size[3];
    v3 at;
    quat turn;
    const double (*outline)[2]; /* [n_outline] */
    int n_outline;
    const nt_mesh *mesh;
} nt_figure;

/* Add its triangles; memory that is out shows in the part's bytes. */
void nt_figure_add(const nt_figure *figure, nt_part *part);
/* A coil of wire along z from 0 to `length`. */
void nt_coil_add(double radius, double wire, int turns, double length, nt_part *part);
/* An arrow along z from 0 to 1, as thick as `radius`. */
void nt_arrow_add(double radius, nt_part *part);

/* A part from 0 to 1 along z that is laid between two points of bodies, or along a load. */
typedef struct nt_link {
    const char *name;
    nt_part part;
    int body[2];
    v3 at[2];
    int load; /* -1: between two points */
    bool torque;
    v3 along; /* where z went last */
    quat turn;
} nt_link;

/* Triangles, at rest in ground axes, whose points follow two of the bodies each. */
typedef struct nt_skin {
    const char *name;
    nt_part part;
    int n;
    const int *body;  /* [n] */
    const v3 *rest;   /* [n] */
    nt_bytes joints;  /* uint16_t[2] for each point: numbers among `body` */
    nt_bytes weights; /* float[2] */
} nt_skin;

/* A joint whose point of B goes along an axis of A: how far, over all rows, its drawing says. */
typedef struct nt_slide {
    const nt_node *draw;
    int body[2];
    v3 at[2], axis[2]; /* of A, then of B, body axes */
    double low, high;  /* m, from A's point along its axis; 0 is between them */
} nt_slide;

typedef struct nt_trail {
    const char *name;
    int body;
    v3 at;
    nt_bytes points; /* float[3] each, once surveyed */
} nt_trail;

typedef struct nt_pose {
    v3 x;
    quat q;
} nt_pose;

typedef struct nt_placed {
    v3 at;
    quat turn;
    double length; /* along z, the scale of the other two is 1 */
} nt_placed;

typedef struct nt_stage {
    nt_arena arena;
    nt_result *result;
    nt_document *scene;
    double length, size;
    v3 gravity;
    const char **bodies; /* [n_bodies] names, ground first */
    int n_bodies;
    nt_part *parts; /* [n_parts] */
    nt_link *links;
    nt_skin *skins;
    nt_trail *trails;
    nt_slide *slides;
    int n_parts, n_links, n_skins, n_trails, n_slides;
    int n_loads;
    bool rebuilt; /* the result has no scene: that of its model, or of its bodies' names alone */

    /* rows: every stride-th one and the last, those of rising time */
    long stride, n_frames;
    long *row_of;  /* [n_frames] owned */
    double start;  /* s, time of the first row */
    double lowest; /* m, against gravity, of bodies' origins */
    double most_force, most_torque;
    int array[4]; /* numbers of position, orientation, point, force; -1: none */

    /* those at hand */
    long n;
    double *time, *position, *orientation, *point, *force; /* [NT_STAGE_ROWS] of each, time's own */
    double *columns;                                       /* [columns] of one row */
} nt_stage;

enum { NT_STAGE_ROWS = 64 }; /* at hand, at most */

/* NT_INVALID where the result has no poses, with words; NT_NOT_FINITE for one that is no number.
 * most: rows to show, all or every k-th and the last. The result outlives it. */
nt_status nt_stage_open(nt_stage **stage, nt_result *result, long most, nt_error *error);
void nt_stage_close(nt_stage *stage);

/* Frames first, first + 1, ...: NT_STAGE_ROWS or what is left, stage->n of them. In their order
 * from 0 on, where links are placed. */
nt_status nt_stage_read(nt_stage *stage, long first, nt_error *error);
nt_pose nt_stage_pose(const nt_stage *stage, long k, int body);
v3 nt_pose_apply(nt_pose pose, v3 at);
nt_placed nt_stage_place(nt_stage *stage, long k, nt_link *link);

/* ---- inside (stage.c, stage_links.c, stage_frames.c) ----------------------------------------- */

/* Elements of the scene as parts, links, skins and slides; and, once all rows have been looked at,
 * the parts of the slides. */
nt_status nt_stage_add_elements(nt_stage *stage, const nt_node *elements, nt_error *error);
nt_status nt_stage_add_slides(nt_stage *stage, nt_error *error);
nt_part *nt_stage_part(nt_stage *stage, int body, const char *color);
/* A shape of the scene. NT_INVALID for one that is none. */
nt_status nt_stage_figure(nt_stage *stage, const nt_node *shape, nt_figure *figure,
                          nt_error *error);
nt_status nt_stage_broken(nt_error *error, const char *what);
double nt_node_number(const nt_node *node);
v3 nt_node_vector(const nt_node *list);
int nt_node_body(const nt_stage *stage, const nt_node *node);

/* Finds the arrays and looks at all rows. */
nt_status nt_stage_survey(nt_stage *stage, long most, nt_error *error);

#endif
