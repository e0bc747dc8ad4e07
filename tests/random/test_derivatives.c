/* Derivatives of random mechanisms by every method: `nutate sens --check` compares them with
 * differences of whole runs, and none may be wrong.
 *
 *   random_test_derivatives [NUMBER [FIRST-SEED]]
 *
 * The parameters scale gravity and the mass of the first body. Methods that cannot advance a
 * mechanism refuse it; so do mechanisms whose random joints contradict each other. */
#include "failures/command.h"
#include "random/mechanism.h"

#include <fcntl.h>
#include <nutate/method.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16, METHODS = 64 };

/* The model with its two parameters: `heavy` at the first mass, `g` at gravity. */
static bool write_with_parameters(const mechanism *m, const char *simulation)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size), *model = fopen("derivatives.yaml", "w");
    if (!to || !model)
        exit(99);
    mechanism_write(m, simulation, to);
    fclose(to);
    char *bodies = strstr(text, "\nbodies:"), *mass = bodies ? strstr(bodies, "mass: ") : NULL;
    if (mass) {
        size_t number = strcspn(mass + 6, ",}\n");
        fprintf(model,
                "nutate: 1\nparameters: {heavy: 1, g: 1}\n"
                "gravity: ['%.17g*g', '%.17g*g', '%.17g*g']\n",
                m->gravity.x, m->gravity.y, m->gravity.z);
        fprintf(model, "%.*s'%.*s*heavy'%s", (int)(mass + 6 - bodies - 1), bodies + 1, (int)number,
                mass + 6, mass + 6 + number);
    }
    fclose(model);
    free(text);
    return mass != NULL;
}

static void redirect(int stream, int *kept, const char *file)
{
    fflush(NULL);
    *kept = dup(stream);
    int to = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(to, stream);
    close(to);
}

static void restore(int stream, int kept)
{
    fflush(NULL);
    dup2(kept, stream);
    close(kept);
}

static int check(const char *method)
{
    char command[] = "nutate", sens[] = "sens", model[] = "derivatives.yaml", look[] = "--check",
         parameter[] = "--param", heavy[] = "heavy", g[] = "g", by[] = "--method", name[80];
    snprintf(name, sizeof name, "%s", method);
    char *arguments[] = {command,   sens, model, look, parameter, heavy,
                         parameter, g,    by,    name, NULL};
    int kept[2];
    redirect(1, &kept[0], "derivatives.out");
    redirect(2, &kept[1], "derivatives.said");
    int status = nutate_main(10, arguments);
    restore(1, kept[0]);
    restore(2, kept[1]);
    return status;
}

/* The lines that tell what is wrong. */
static void show(const char *file, const char *word)
{
    char line[1000];
    FILE *from = fopen(file, "r");
    for (int n = 0; from && n < 5 && fgets(line, sizeof line, from);)
        if (strstr(line, word))
            n++, printf("  %s", line);
    if (from)
        fclose(from);
}

static long right[METHODS], refused[METHODS], wrong;

/* Its bodies alone, or points in their places, held together by springs without dampers: for
 * methods that know no joints and no forces of velocities, or no rotations. */
typedef enum variant { WHOLE, LOOSE, POINTS } variant;
static const char *const variants[] = {"", ", loose bodies", ", points"};

static void let_loose(mechanism *m, bool points)
{
    int kept = 0;
    m->n_joints = 0;
    for (int i = 0; i < m->n_loads; i++) {
        load l = m->loads[i];
        if (l.type != SPRING)
            continue;
        l.damping[0] = 0;
        if (points && l.a > 0)
            l.at = m->bodies[l.a].position;
        if (points && l.b > 0)
            l.other = m->bodies[l.b].position;
        m->loads[kept++] = l;
    }
    m->n_loads = kept;
    for (int i = 1; points && i < m->n_bodies; i++)
        m->bodies[i].point = true;
}

static void check_seed(uint64_t seed, variant v)
{
    static mechanism m;
    mechanism_make(&m, seed);
    m.duration = fmin(m.duration, 0.05);
    if (v != WHOLE)
        let_loose(&m, v == POINTS);
    for (int i = 0; i < nt_method_count(); i++) {
        const char *name = nt_method_name(nt_method_at(i));
        if (!write_with_parameters(&m, "step: 1e-3"))
            continue;
        int status = check(name);
        right[i] += status == 0;
        refused[i] += status == 2;
        if (status == 0 || status == 2)
            continue;
        wrong++;
        printf("seed %llu%s, %s: status %d\n", (unsigned long long)seed, variants[v], name, status);
        show("derivatives.out", "WRONG");
        show("derivatives.said", "nutate");
    }
}

int main(int count, char **arguments)
{
    long number = count > 1 ? atol(arguments[1]) : 8, first = count > 2 ? atol(arguments[2]) : 1;
    for (long i = first; i < first + number; i++) {
        for (variant v = WHOLE; v <= POINTS; v++)
            check_seed((uint64_t)i, v);
        fflush(stdout);
    }
    bool all = true;
    for (int i = 0; i < nt_method_count(); i++) {
        printf("%s: %ld right, %ld refused\n", nt_method_name(nt_method_at(i)), right[i],
               refused[i]);
        all = all && 2 * right[i] >= number;
    }
    printf("seeds %ld to %ld: %ld wrong\n", first, first + number - 1, wrong);
    return wrong > 0 || !all;
}
