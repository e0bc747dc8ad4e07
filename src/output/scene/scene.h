/* The scene: what a result looks like, as a text of JSON that is stored beside the poses.
 *
 * A NetCDF result with poses has it as the attribute `scene`; the report's page, glTF and VTK are
 * all drawn from it and from the arrays of the result. Lengths in m, quaternions w x y z, colours
 * "#rrggbb". Version 1 is one object with these members, all of them always there:
 *
 *   scene      1
 *   length     of all that is drawn, at the start
 *   size       radius that suits drawings of joints: a fraction of `length`, less in a chain of
 *              short links
 *   gravity    [x, y, z], ground axes, m/s^2
 *   bodies     [BODY]: number 0 is the ground; body i > 0 has the pose of item i - 1 of the arrays
 *              `bodies.position` (of the origin, ground axes) and `bodies.orientation`
 *   markers    [{name, body, at}]: points of bodies
 *   elements   [ELEMENT]: joints, forces, contacts, bearings, beams in the order of the model
 *   trails     [{name, body, at}]: points whose paths are worth a line
 *   meshes     [{name, points, corners}]: base64 of 3 n numbers of 4 bytes (float) and of 3 m whole
 *              numbers of 4 bytes, lowest byte first: corners of triangles, outward by their order
 *
 * Places `at` and axes are of the body: from its origin, in its own axes.
 *
 *   BODY       {name, color, point, center, made, shapes}
 *     point      true: it has no rotation          center    its centre of mass
 *     made       true: the model gives no shape, `shapes` follow from inertia, joints and markers
 *     shapes     [SHAPE]
 *   SHAPE      {kind, size, at, orientation, color}: centred at `at`, round about its own z
 *     box        size [x, y, z], the whole sides
 *     sphere     [radius]
 *     cylinder   [radius, length]; of a capsule without its caps; of a cone to its tip at +z
 *     capsule    [radius, length]
 *     cone       [radius, length]
 *     tube       [outer radius, inner radius, length]
 *     ellipsoid  [x, y, z], the semi-axes
 *     polygon    [length] along z, and `outline` [[x, y], ...], either way round
 *     mesh       [scale], and `mesh`, its number in `meshes`
 *
 *   ELEMENT    {name, section, type, draw, points, size, load, rest, shapes}
 *     section    "joints", "forces", "contacts", "bearings", "beams"
 *     points     [{body, at, axis}]; the axis is a unit vector, or null
 *     size       [numbers], m, of beams; else []
 *     load       number of its item in the arrays `loads.point` and `loads.force` (time, load,
 *                vector): where a force acts and how large it is, ground axes, N; of a torque N m.
 *                null: it has none
 *     rest       of a beam the places of its points before it bends, ground axes; else []
 *     shapes     of a beam the SHAPEs of the file, in ground axes before it bends: their corners
 *                follow the points that they are nearest to; mostly []
 *     draw       what it is drawn as:
 *
 *       weld ball pin cross bush axes   at the points of A and B, which are in one place but for
 *                                       `axes`; the axes are those of the joint
 *       rail sleeve guide screw         B moves along the axis of A through the point of A
 *       piston                          as a rail: a cylinder on A, its rod pushes B
 *       plate                           the axis of A is its normal
 *       rod                             straight from point to point
 *       spring                          a coil from the first point to the second
 *       coil                            a spiral about the axis of A
 *       rope                            a line over all points
 *       force torque contact            an arrow: see load. Without load it is one of a joint
 *       beam                            a line through the origins of its points' bodies. These
 *                                       begin without rotation and turn with their section. size:
 *                                       [radius], or [width, height] along axes 2 and 3 of the
 *                                       section, or [] where it is not known; the axis of the
 *                                       first point is axis 2
 *       none                            nothing: solids of an element are shapes of its bodies
 *
 * A result of CSV, of `output: {poses: false}` or of an older version has no scene. */
#ifndef NUTATE_OUTPUT_SCENE_H
#define NUTATE_OUTPUT_SCENE_H

#include "base/arena.h"
#include "model/shapes.h"
#include "output/format.h"

enum { NT_SCENE_VERSION = 1, NT_SCENE_MESHES = 1000 };

/* The scene of a run at its present parameters, put behind what `out` holds. NT_NO_MEMORY. */
nt_status nt_scene_write(nt_run *run, nt_bytes *out, nt_error *error);

/* The scene that a result of an older version would have, from the text of its model. False where
 * that cannot be read; `text` may then hold a part. */
bool nt_scene_from_model(nt_result *result, nt_bytes *text);

/* Elements with arrows in the order of `load`, into elements[n_elements]; returns how many. */
int nt_scene_loads(const nt_model *model, int *elements);

/* ---- inside (scene.c, scene_sizes.c, scene_bodies.c) ----------------------------------------- */

/* A shape with its numbers. */
typedef struct nt_solid {
    nt_form form;
    double size[3];
    v3 at;
    quat turn;
    const char *color;     /* NULL: the body's                */
    const nt_shape *given; /* of a polygon, of a mesh; or NULL */
    struct nt_solid *next;
} nt_solid;

/* What is drawn of a model: all sketches, from the origins of bodies. */
typedef struct nt_sketches {
    nt_arena arena;
    nt_run *run;
    nt_sketch *sketch; /* [n] */
    int *element;      /* [n] whose it is */
    int n, room;
    double length, size;                  /* m, as in the text */
    const nt_mesh *mesh[NT_SCENE_MESHES]; /* [n_meshes] */
    int n_meshes;
    bool failed; /* memory was out */
} nt_sketches;

/* Which drawings are shapes of a body, and which are joints between two. */
bool nt_scene_is_solid(nt_drawing drawing);
bool nt_scene_is_joint(nt_drawing drawing);

/* Principal moments of a body about its centre of mass, kg m^2, in the order of the axes, which are
 * unit vectors of the body, right-handed. False where it has no mass or no inertia. */
bool nt_scene_moments(const nt_body *body, double moments[3], v3 axes[3]);

/* Measures what is drawn: `length` and `size`. */
void nt_scene_measure(nt_sketches *sketches);

/* The shapes of a body that has none in the file, NULL for none. */
nt_solid *nt_scene_made(nt_sketches *sketches, int body);

#endif
