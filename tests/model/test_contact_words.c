/* Numbers of contacts that make no sense are refused where they stand in the file. */
#include "tests/model/mechanism.h"

/* The keys begin in line 4, column 17. */
static void refused(const char *keys, const char *place, const char *words)
{
    char text[1000];
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "bodies: {ball: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 2]}}\n"
             "contacts:\n"
             "  c: {radius: 1,%s, between: [ground, ball]}\n",
             keys);
    nt_run *run = NULL;
    nt_error error = {0};
    nt_status status = read_run_text(&run, text, strlen(text), "test", NULL, NULL, 0, &error);
    destroy_run(run);
    assert_int_equal(status, NT_BAD_MODEL);
    char found[40];
    snprintf(found, sizeof found, "%d:%d", error.line, error.column);
    if (strcmp(found, place) != 0 || !strstr(error.message, words))
        fail_msg("%s: '%s', expected %s: '%s'", found, error.message, place, words);
}

#define PLANE "type: sphere_plane, plane: {normal: [0, 0, 1]}, "

static void numbers_are_refused_where_they_stand(void **state)
{
    (void)state;
    refused(PLANE "stiffness: -1", "4:76", "stiffness is -1");
    refused(PLANE "stiffness: 1, exponent: 0.5", "4:89", "exponent is 0.5, expected at least 1");
    refused(PLANE "stiffness: 1, damping: -1", "4:88", "damping -1 is negative");
    refused(PLANE "stiffness: 1, damping: 1, restitution: {coefficient: 1, speed: 1}", "4:104",
            "both damping and restitution");
    refused(PLANE "stiffness: 1, restitution: {coefficient: 0, speed: 1}", "4:106",
            "coefficient of restitution is 0");
    refused(PLANE "stiffness: 1, restitution: {coefficient: 1, speed: 0}", "4:116",
            "speed of restitution is 0 m/s");
    refused(PLANE "stiffness: 1, friction: {coefficient: -1}", "4:103", "-1 is negative");
    refused(PLANE "stiffness: 1, friction: {coefficient: 1, slip: 0}", "4:112", "slip is 0 m/s");
    refused(PLANE "stiffness: 1, rolling: {resistance: -1}", "4:101", "resistance -1 m");
    refused(PLANE "stiffness: 1, rolling: {resistance: 1, slip: 0}", "4:110", "slip is 0 rad/s");
    refused(PLANE "stiffness: 1, traction: {law: coulomb}", "4:95", "coulomb needs `friction`");
    refused(PLANE "material: {E: -1, nu: 0.3}", "4:79", "material.E is -1");
    refused(PLANE "material: {E: 1e9, nu: 0.6}", "4:88", "material.nu is 0.6");
    refused(PLANE "material: {E: 1e9, nu: 0.3}, sphere_material: {E: 0, nu: 0.3}", "4:115",
            "sphere_material.E is 0");
    refused(PLANE "material: {E: 1e9, nu: 0.3}, traction: {law: film, viscosity: 0, "
                  "pressure_coefficient: 1e-8}",
            "4:127", "traction.viscosity is 0");
    refused("type: sphere_plane, plane: {normal: [0, 0, 0]}, stiffness: 1", "4:53",
            "normal of its plane has length zero");
    refused("type: sphere_cylinder, cylinder: {radius: 1, axis: [0, 0, 1], inside: true}, "
            "stiffness: 1",
            "4:15", "does not fit inside");
    refused("type: sphere_torus, torus: {radius: 1, tube: 0, axis: [0, 0, 1]}, stiffness: 1",
            "4:62", "radius is 0 m");
    refused("type: sphere_torus, torus: {radius: 1, tube: 2, axis: [0, 0, 1]}, stiffness: 1",
            "4:53", "more than its tube's 2 m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_refused_where_they_stand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
