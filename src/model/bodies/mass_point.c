/* Points among the bodies: which places and joints they can have. */
#include "model/bodies/mass_point.h"

#include "model/forces/load.h"

/* m: places no farther apart are one place, written twice. Far above rounding, below any drawing.
 */
static const double SAME_PLACE = 1e-9;

/* The point that the element acts on; NULL for none. */
static const nt_body *mass_point_of(const nt_model *model, const nt_element *element)
{
    const nt_body *a = &model->bodies[element->a], *b = &model->bodies[element->b];
    return a->point ? a : b->point ? b : NULL;
}

nt_status nt_mass_point_refuse(const nt_model *model, const nt_element *element, nt_error *error)
{
    const nt_body *point = mass_point_of(model, element);
    return point ? nt_load_refuse(model, element, error,
                                  "%s is a point, expected a body that can turn", point->name)
                 : NT_OK;
}

nt_status nt_mass_point_place(const nt_model *model, const nt_element *element, int body, v3 off,
                              double size, nt_error *error)
{
    const nt_body *b = &model->bodies[body];
    double distance = v3_norm(off);
    if (!b->point || distance <= SAME_PLACE * size)
        return NT_OK;
    return nt_load_refuse(model, element, error,
                          "its place is %g m off %s, which is a point, expected its own place",
                          distance, b->name);
}

nt_status nt_mass_point_rows(const nt_run *run, const nt_element *element, const nt_row_spec *specs,
                             int *n, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_body *point = mass_point_of(model, element);
    if (!point)
        return NT_OK;
    int places = 0;
    while (places < *n && specs[places].kind != NT_ROW_PERPENDICULAR)
        places++;
    bool coincide = specs[0].kind == NT_ROW_COINCIDE;
    bool cylindrical = element->type->rotates && element->type->slides;
    if ((coincide && places < *n) || cylindrical)
        return nt_load_refuse(model, element, error,
                              "%s is a point and has no rotation, expected a joint of type %s",
                              point->name, coincide ? "spherical" : "prismatic or inline");
    if (specs[0].kind == NT_ROW_ALONG && point == &model->bodies[element->a])
        return nt_load_refuse(model, element, error,
                              "its axis is one of %s, which is a point and has none, expected the "
                              "point as the second body",
                              point->name);
    *n = places;
    return NT_OK;
}
