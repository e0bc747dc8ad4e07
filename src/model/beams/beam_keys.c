/* The keys of a beam and of its sections. */
#include "model/beams/beam.h"

#define SECTION(name_, type_, field, bit_)                                                         \
    .name = name_, .type = type_, .offset = offsetof(nt_beam_section, field), .bit = bit_
#define KEY(name_, type_, field, bit_)                                                             \
    .name = name_, .type = type_, .offset = offsetof(nt_beam, field), .bit = bit_

/* as in nt_beam_shape, nt_beam_rule */
static const char *const shapes[] = {"circle", "tube",        "rectangle", "box",
                                     "I",      "thin_walled", NULL};
static const char *const rules[] = {"gauss", "gauss-lobatto", "sections", "trapezoidal", NULL};
static const char *const lines[] = {"straight", "spline", NULL};
static const char *const inertias[] = {"consistent", "lumped", NULL};

static const nt_key material_keys[] = {
    {SECTION("E", NT_KEY_NUMBER, material.E, NT_SECTION_E), .required = true, .unit = "Pa",
     .meaning = "Young's modulus, at most 1e20"},
    {SECTION("nu", NT_KEY_NUMBER, material.nu, NT_SECTION_NU), .required = true,
     .meaning = "Poisson's ratio"},
    {SECTION("density", NT_KEY_NUMBER, material.density, NT_SECTION_DENSITY), .required = true,
     .unit = "kg/m^3", .meaning = "of the material"},
    {0},
};

static const nt_key beam_section_keys[] = {
    {SECTION("at", NT_KEY_NUMBER, at, NT_SECTION_AT),
     .meaning = "station, 0..1 of the line's length; default 0. Between stations every entry is "
                "linear, beyond them it stays"},
    {SECTION("stiffness", NT_KEY_MATRIX, stiffness, NT_SECTION_STIFFNESS), .high = 6,
     .relative = true,
     .meaning =
         "forces N1 N2 N3 (N) and moments M1 M2 M3 (N m) by strains and curvatures, section "
         "axes, 1 along the line; at most 1e24 N by strains, by curvatures that times the square "
         "of the length"},
    {SECTION("mass", NT_KEY_MATRIX, mass, NT_SECTION_MASS), .high = 6, .relative = true,
     .meaning = "per length: momentum (kg/m) and angular momentum (kg m) by velocities and rates"},
    {SECTION("point", NT_KEY_NUMBERS, point, NT_SECTION_POINT), .low = 3, .high = 3, .unit = "m",
     .meaning = "the point of the section that stiffness and mass are given about, from the line; "
                "section axes, default 0"},
    {.name = "material",
     .type = NT_KEY_GROUP,
     .bit = NT_SECTION_MATERIAL,
     .group = material_keys,
     .needs = "shape",
     .meaning = "instead of matrices: what the section is made of"},
    {SECTION("shape", NT_KEY_CHOICE, shape, NT_SECTION_SHAPE), .choices = shapes,
     .needs = "material", .meaning = "and its figure"},
    {SECTION("radius", NT_KEY_NUMBER, radius, NT_SECTION_RADIUS), .unit = "m",
     .meaning = "outer one, of a circle or tube"},
    {SECTION("thickness", NT_KEY_NUMBER, thickness, NT_SECTION_THICKNESS), .unit = "m",
     .meaning = "of the wall of a tube, box or thin_walled"},
    {SECTION("width", NT_KEY_NUMBER, width, NT_SECTION_WIDTH), .unit = "m",
     .meaning = "over all of a rectangle, box or I, along axis 2"},
    {SECTION("height", NT_KEY_NUMBER, height, NT_SECTION_HEIGHT), .unit = "m",
     .meaning = "over all of a rectangle, box or I, along axis 3"},
    {SECTION("web", NT_KEY_NUMBER, web, NT_SECTION_WEB), .unit = "m",
     .meaning = "thickness of the web of an I, which is along axis 3"},
    {SECTION("flange", NT_KEY_NUMBER, flange, NT_SECTION_FLANGE), .unit = "m",
     .meaning = "thickness of the flanges of an I"},
    {SECTION("outline", NT_KEY_NUMBERS, outline, NT_SECTION_OUTLINE), .low = 4,
     .high = NT_MOST_OUTLINE, .up_to = true,
     .count_offset = offsetof(nt_beam_section, outline_count), .unit = "m",
     .meaning = "of thin_walled: corners of the middle line of the wall from the beam's line, "
                "[y, z, y, z, ...] along axes 2 and 3"},
    {SECTION("closed", NT_KEY_BOOLEAN, closed, NT_SECTION_CLOSED),
     .meaning = "of thin_walled: whether the last corner is joined to the first; default false"},
    {SECTION("prestress", NT_KEY_NUMBERS, prestress, NT_SECTION_PRESTRESS), .low = 6, .high = 6,
     .relative = true,
     .meaning = "forces N1 N2 N3 (N) and moments M1 M2 M3 (N m) in the given placement, about the "
                "line, such as strain it by less than one; default 0"},
    {0},
};

const nt_key nt_beam_keys[] = {
    {KEY("points", NT_KEY_ARRAY, points, NT_BEAM_POINTS), .low = 3, .high = 3, .required = true,
     .unit = "m", .meaning = "the line, free of stress: points in ground axes"},
    {KEY("line", NT_KEY_CHOICE, line, NT_BEAM_LINE), .choices = lines,
     .meaning = "between the points: straight pieces (default), where elements end at corners, or "
                "a cubic spline"},
    {KEY("sections", NT_KEY_ARRAY, sections, NT_BEAM_SECTIONS), .low = 1,
     .high = sizeof(nt_beam_section) / sizeof(double), .group = beam_section_keys, .required = true,
     .meaning = "at stations that rise; one alone: the same everywhere"},
    {KEY("twist", NT_KEY_ARRAY, twist, NT_BEAM_TWIST), .low = 2, .high = 2, .unit = "rad",
     .meaning = "rows [station, angle] by which the section turns about axis 1; linear between"},
    {KEY("normal", NT_KEY_NUMBERS, normal, NT_BEAM_NORMAL), .low = 3, .high = 3, .relative = true,
     .meaning = "direction of section axis 2 at the begin, ground axes (what is along the line "
                "does not count); default: as the shortest rotation takes ground x to the line's "
                "first piece, so it takes ground y (along -x: half a turn about ground z). Carried "
                "along the line without torsion"},
    {KEY("order", NT_KEY_NUMBER, order, NT_BEAM_ORDER),
     .meaning = "of the polynomials of an element, 1 to 20; default 6 with one section, else 2"},
    {KEY("elements", NT_KEY_NUMBER, elements, NT_BEAM_ELEMENTS),
     .meaning = "so many of equal length, divided where the line has corners; default: from "
                "section to section"},
    {KEY("inertia", NT_KEY_CHOICE, inertia, NT_BEAM_INERTIA), .choices = inertias,
     .meaning =
         "consistent (default): of the motion between nodes too; lumped: of the nodes alone, "
         "which is faster, and refused where it is wrong by more than 1e-3"},
    {KEY("damping", NT_KEY_NUMBERS, damping, NT_BEAM_DAMPING), .low = 1, .high = 6,
     .count_offset = offsetof(nt_beam, damping_count), .relative = true, .unit = "s",
     .meaning = "damping over stiffness: one factor, or six of N1 N2 N3 M1 M2 M3, whose means go "
                "with entries that couple two; default 0"},
    {KEY("quadrature", NT_KEY_CHOICE, quadrature, NT_BEAM_QUADRATURE), .choices = rules,
     .meaning = "rule of integration of the strains; default gauss. sections: Gauss between the "
                "stations within an element, for long elements, of the inertia too"},
    {KEY("quadrature_points", NT_KEY_NUMBER, quadrature_points, NT_BEAM_QUADRATURE_POINTS),
     .meaning =
         "of that rule in an element (sections: in each part of it); default as many as the "
         "order (gauss), one more (gauss-lobatto), 2 (sections), or as bend an element right "
         "to 1e-3 (trapezoidal: 24 at order 2, 32 at order 8; 5 and 17 are 2.8 % and 1.2 % "
         "off); check says how far off given ones are, and what more points than the order "
         "stiffen at order 1 and 2"},
    {KEY("inertia_points", NT_KEY_NUMBER, inertia_points, NT_BEAM_INERTIA_POINTS),
     .meaning =
         "Gauss points of consistent inertia in an element, refused where they miss more than "
         "1e-3 of the mass; least order + 1, the default, in each part of an element that "
         "stations of sections cut"},
    {KEY("velocity", NT_KEY_NUMBERS, velocity, NT_BEAM_VELOCITY), .low = 3, .high = 3,
     .unit = "m/s", .meaning = "of the first point, ground axes, at the start; default 0"},
    {KEY("angular_velocity", NT_KEY_NUMBERS, angular_velocity, NT_BEAM_ANGULAR_VELOCITY), .low = 3,
     .high = 3, .unit = "rad/s",
     .meaning = "with which the whole beam turns at the start, ground axes; default 0"},
    {KEY("shape", NT_KEY_SHAPES, drawn, -1),
     .meaning = "what it is drawn as instead of a rod, given in ground axes before it bends: see "
                "the section shape"},
    {0},
};
