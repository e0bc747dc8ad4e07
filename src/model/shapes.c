/* Shapes: their keys in the model file. */
#include "model/shapes.h"

#include "model/bodies/euler.h"

#define FORM(name_, field_, sizes_, unit_, meaning_)                                               \
    {                                                                                              \
        .name = name_, .type = (sizes_) > 1 ? NT_KEY_FUNCTIONS : NT_KEY_FUNCTION,                  \
        .offset = offsetof(nt_shape_data, sizes) + 3 * (field_) * sizeof(const nt_expression *),   \
        .bit = field_, .high = sizes_, .unit = unit_, .meaning = meaning_                          \
    }
#define SHAPE(name_, type_, field_, bit_, ...)                                                     \
    NT_KEY(name_, type_, .offset = offsetof(nt_shape_data, field_), .bit = bit_, __VA_ARGS__)

static const nt_key turn_keys[] = {
    SHAPE("quaternion", NT_KEY_FUNCTIONS, quaternion, -1, .high = 4,
          .meaning = "[w, x, y, z], of any length but zero"),
    SHAPE("rotation_vector", NT_KEY_FUNCTIONS, rotation_vector, -1, .high = 3, .unit = "rad",
          .meaning = "a rotation vector"),
    SHAPE("axis", NT_KEY_FUNCTIONS, axis, -1, .high = 3, .needs = "angle",
          .meaning = "axis of the rotation by `angle`"),
    SHAPE("angle", NT_KEY_FUNCTION, angle, -1, .needs = "axis", .unit = "rad",
          .meaning = "angle about `axis`"),
    SHAPE("matrix", NT_KEY_ROWS, matrix, -1, .low = 3, .high = 3,
          .meaning = "a rotation matrix, shape to body, row by row"),
    SHAPE("angles", NT_KEY_FUNCTIONS, angles, -1, .high = 3, .needs = "sequence", .unit = "rad",
          .meaning = "Euler angles about axes of the shape in the order of `sequence`"),
    SHAPE("sequence", NT_KEY_CHOICE, sequence, -1, .choices = nt_euler_sequences, .needs = "angles",
          .meaning = "axes that `angles` are about"),
    {0},
};

const nt_key nt_shape_keys[] = {
    FORM("box", NT_FORM_BOX, 3, "m", "the whole sides along x, y, z"),
    FORM("sphere", NT_FORM_SPHERE, 1, "m", "the radius"),
    FORM("cylinder", NT_FORM_CYLINDER, 2, "m", "[radius, length]; round about z"),
    FORM(
        "capsule", NT_FORM_CAPSULE, 2, "m",
        "[radius, length]: a cylinder with a half sphere on each end, which its length leaves out"),
    FORM("cone", NT_FORM_CONE, 2, "m",
         "[radius, length]: the foot is half the length below `at`, the tip as far above, along z"),
    FORM("tube", NT_FORM_TUBE, 3, "m", "[outer radius, inner radius, length]; round about z"),
    FORM("ellipsoid", NT_FORM_ELLIPSOID, 3, "m", "the semi-axes along x, y, z"),
    SHAPE("polygon", NT_KEY_ROWS, outline, NT_FORM_POLYGON, .low = 2, .unit = "m",
          .meaning =
              "three or more corners [x, y], either way round, drawn out by `length` along z"),
    SHAPE("mesh", NT_KEY_TEXT, file, NT_FORM_MESH,
          .meaning = "a file of triangles, STL (binary or text) or OBJ, found relative to the "
                     "model's folder; at most 1000000 triangles"),
    SHAPE("length", NT_KEY_FUNCTION, length, -1, .needs = "polygon", .unit = "m",
          .meaning = "of a polygon, half of it on either side of `at`; default 1"),
    SHAPE("scale", NT_KEY_FUNCTION, scale, -1, .needs = "mesh", .unit = "m",
          .meaning = "length of the mesh's unit: 0.001 for millimetres; default 1"),
    SHAPE("at", NT_KEY_FUNCTIONS, at, -1, .high = 3, .unit = "m",
          .meaning =
              "its middle, of a mesh the origin: of a body from its origin, of a marker from "
              "its point, in body axes; of a beam in ground axes before it bends; default 0"),
    SHAPE("orientation", NT_KEY_GROUP, quaternion, -1, .group = turn_keys,
          .meaning = "of the shape from the body's axes; default: the same"),
    SHAPE("color", NT_KEY_COLOR, color, -1,
          .meaning = "a name such as red, \"#rrggbb\", or [red, green, blue] "
                     "from 0 to 1; default: one of its own for each body"),
    {0},
};

const char *const nt_shape_forms[] = {"box",  "sphere",    "cylinder", "capsule", "cone",
                                      "tube", "ellipsoid", "polygon",  "mesh",    NULL};
