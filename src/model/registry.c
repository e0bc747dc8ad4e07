/* The registry of element types, in the order in which documentation lists them. */
#include "base/error.h"
#include "model/elements.h"
#include "model/model.h"
#include "model/parameters/parameter.h"

#include <string.h>

static const nt_element_type *const own_types[] = {
    &nt_joint_fixed,
    &nt_joint_spherical,
    &nt_joint_revolute,
    &nt_joint_prismatic,
    &nt_joint_cylindrical,
    &nt_joint_universal,
    &nt_joint_planar,
    &nt_joint_parallel,
    &nt_joint_inline,
    &nt_joint_distance,
    &nt_joint_rolling_disk,
    &nt_joint_rolling_sphere,
    &nt_joint_knife_edge,
    &nt_joint_screw,
    &nt_joint_gear,
    &nt_force_force,
    &nt_force_torque,
    &nt_force_distributed,
    &nt_force_line_force,
    &nt_force_rope,
    &nt_force_aerodynamic,
    &nt_force_spring,
    &nt_force_torsion_spring,
    &nt_force_joint_spring,
    &nt_force_bushing,
    &nt_force_joint_torque,
    &nt_force_joint_force,
    &nt_force_mass,
    &nt_contact_sphere_plane,
    &nt_contact_sphere_sphere,
    &nt_contact_sphere_cylinder,
    &nt_contact_sphere_torus,
    &nt_bearing_ball,
    &nt_beam_type,
    &nt_cable_type,
    &nt_state_type,
    &nt_block_transfer_function,
    &nt_block_state_space,
    &nt_block_pid,
};

enum { OWN_TYPES = sizeof own_types / sizeof own_types[0], MOST_ADDED = 64 };

const char *const nt_part_names[] = {"explicit", "implicit", NULL};

/* Types that programs add. */
static const nt_element_type *added_types[MOST_ADDED];
static int n_added;

int nt_element_type_count(void) { return OWN_TYPES + n_added; }

const nt_element_type *nt_element_type_at(int i)
{
    if (i < 0 || i >= OWN_TYPES + n_added)
        return NULL;
    return i < OWN_TYPES ? own_types[i] : added_types[i - OWN_TYPES];
}

/* Names are words of the model file: a letter, then letters, digits, _ and -. */
static bool is_type_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t letter = name ? strspn(name, letters) : 0;
    return letter > 0 && name[letter + strspn(name + letter, "abcdefghijklmnopqrstuvwxyz"
                                                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                             "0123456789_-")] == '\0';
}

/* The first thing that a type needs and does not have; NULL where it has all. */
static const char *lacking(const nt_element_type *type)
{
    bool section = type->section && type->section->open;
    bool rows = type->rows || type->rates;
    const struct {
        const char *words;
        bool given;
    } needs[] = {
        {"section, expected that of joints, forces or contacts", section},
        {"name, expected a letter and then letters, digits, _ or -", is_type_name(type->name)},
        {"summary", type->summary && type->summary[0]},
        {"keys", type->keys != NULL},
        {"size of data that begin with `given`", type->size >= sizeof(unsigned)},
        {"part, expected NT_EXPLICIT or NT_IMPLICIT",
         rows || type->part == NT_EXPLICIT || type->part == NT_IMPLICIT},
        {"prepare", type->prepare != NULL},
        {"declare", type->declare != NULL},
        {"evaluate", type->evaluate != NULL},
        {"row_quantity, which its rows need", !rows || type->row_quantity},
        {"row_name, which its rows need", !rows || type->row_name},
        {"momentum, which its inertia needs", !type->has_inertia || type->momentum},
        {"n_memory, expected 0 or more", type->n_memory >= 0},
        {"accept, which its memory needs", type->n_memory <= 0 || type->accept},
        {"coordinates, which `initial` is of", type->coordinates || !type->initial},
        {"stop_after and at_stop, of which it has one", !type->stop_after == !type->at_stop},
        {"settle, which its own bodies need", !type->own_bodies || type->settle},
    };
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (!needs[i].given)
            return needs[i].words;
    return NULL;
}

/* The first key that cannot be read into the data; NULL where all can. */
static const char *bad_key(const nt_key *keys, size_t size)
{
    for (const nt_key *key = keys; key->name; key++) {
        if (!key->name[0] || key->bit < 0 || key->bit > 31 || (int)key->type < NT_KEY_NUMBER ||
            (int)key->type > NT_KEY_BEAM || (key->type != NT_KEY_GROUP && key->offset >= size) ||
            (key->type == NT_KEY_CHOICE && !key->choices) ||
            (key->type == NT_KEY_GROUP && !key->group))
            return key->name;
        const char *inner =
            key->group && key->type == NT_KEY_GROUP ? bad_key(key->group, size) : NULL;
        if (inner)
            return inner;
    }
    return NULL;
}

nt_status nt_element_type_add(const nt_element_type *type, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "type", type);
    if (type->version != NT_ELEMENT_VERSION)
        return nt_fail(error, NT_INVALID, "an element type of version %d, expected %d",
                       type->version, NT_ELEMENT_VERSION);
    const char *what = lacking(type), *name = is_type_name(type->name) ? type->name : "";
    if (what)
        return nt_fail(error, NT_INVALID, "element type '%s' lacks something: %s", name, what);
    if ((what = bad_key(type->keys, type->size)) != NULL)
        return nt_fail(error, NT_INVALID,
                       "element type '%s': key '%s' lacks something: expected a name, a type, a "
                       "bit from 0 to 31, an offset within the data, and choices or a "
                       "group where its type has them",
                       name, what);
    for (int i = 0; i < nt_element_type_count(); i++)
        if (strcmp(nt_element_type_at(i)->name, name) == 0)
            return nt_fail(error, NT_INVALID, "there is an element type %s already", name);
    if (n_added == MOST_ADDED)
        return nt_fail(error, NT_INVALID, "%d element types were added, no more are taken",
                       MOST_ADDED);
    added_types[n_added++] = type;
    return NT_OK;
}

static const char force_notes[] =
    "A force that depends on its own length, angle or displacement alone, besides parameters, has "
    "a potential energy, `NAME.energy`, which counts in `energy.potential`: springs of numbers, "
    "and "
    "springs, `line_force`, `joint_torque` and `joint_force` whose laws are expressions of "
    "`NAME.length`, `NAME.angle` or `NAME.displacement` (of a joint also those of the joint). It "
    "is the integral of the law, without damping, from the free length where that is a number, "
    "else from the given placement, where it is zero. What depends on rates, on t or on anything "
    "else besides does work, which `energy.work` sums up, and `NAME.energy` is zero.";

const nt_section nt_force_section = {
    .name = "forces", .word = "force", .open = true, .pushes = true, .notes = force_notes};

unsigned nt_element_part(const nt_element_type *type, const void *data)
{
    const unsigned *given = data;
    const nt_key *key = type->keys;
    while (key->name && key->bit != NT_BIT_PART)
        key++;
    if (!key->name)
        return type->part;
    int index = *(const int *)(const void *)((const char *)data + key->offset);
    return nt_part_of(*given & NT_GIVEN_PART, index, type->part);
}

int nt_element_joints(const nt_model *model, const nt_element *element, int joints[2])
{
    const char *data = nt_model_data(model, element);
    for (const nt_key *key = element->type->keys; key->name; key++) {
        bool one = key->type == NT_KEY_JOINT || key->type == NT_KEY_BEAM;
        int count = one ? 1 : key->type == NT_KEY_JOINTS ? 2 : 0;
        if (count > 0)
            memcpy(joints, data + key->offset, (size_t)count * sizeof *joints);
        if (count > 0)
            return count;
    }
    return 0;
}

const nt_route *nt_element_route(const nt_model *model, const nt_element *element)
{
    const char *data = nt_model_data(model, element);
    for (const nt_key *key = element->type->keys; key->name; key++)
        if (key->type == NT_KEY_ROUTE)
            return (const nt_route *)(const void *)(data + key->offset);
    return NULL;
}

/* A and B: `between` two bodies, or the first two keys of one body; with one alone, such as `on`, A
 * is the ground; along a `joint`, or the first of two, they are its bodies. */
void nt_element_bind(const nt_model *model, nt_element *element)
{
    const char *data = nt_model_data(model, element);
    int joints[2], bound = 0;
    element->a = element->b = 0;
    for (const nt_key *key = element->type->keys; key->name && bound < 2; key++) {
        const int *body = (const int *)(const void *)(data + key->offset);
        if (key->type == NT_KEY_BODIES)
            element->a = body[0], element->b = body[1], bound = 2;
        if (key->type == NT_KEY_BODY) /* the second of two stands for B */
            element->a = element->b, element->b = body[0], bound++;
    }
    const nt_route *route = nt_element_route(model, element);
    if (route && route->n > 0)
        element->a = route->body[0], element->b = route->body[route->n - 1];
    if (nt_element_joints(model, element, joints) > 0) { /* they come first and are bound */
        element->a = model->elements[joints[0]].a;
        element->b = model->elements[joints[0]].b;
    }
}

bool nt_element_rotates(const nt_model *model, const nt_element *element)
{
    nt_element bound = *element;
    const nt_body *bodies = model->origin->bodies;
    nt_element_bind(model, &bound);
    return element->type->rotates && !bodies[bound.a].point && !bodies[bound.b].point;
}
