/* Pictures by gnuplot. Its scripts are files beside the experiments; they are copied to the data,
 * so that a picture can be changed and drawn again where it lies. */
#include "papers/papers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static nt_status fail(nt_error *error, const char *what, const char *name, const char *why)
{
    *error = (nt_error){.status = NT_IO};
    snprintf(error->message, sizeof error->message, "%s %.500s: %s", what, name, why);
    return NT_IO;
}

/* ---- where the papers are ----------------------------------------------------------------------
 */

static bool holds_papers(const char *folder)
{
    char path[PATH_SIZE + 32];
    struct stat status;
    snprintf(path, sizeof path, "%s/common/style.gp", folder);
    return stat(path, &status) == 0;
}

/* The folder of the running program, without its name. */
static bool program_folder(char path[PATH_SIZE])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

nt_status nt_papers_folder(char *path, size_t size, nt_error *error)
{
    static const char *const places[] = {"../share/nutate/papers", "share/nutate/papers"};
    char here[PATH_SIZE];
    const char *given = getenv("NUTATE_PAPERS");
    if (given && *given) {
        snprintf(path, size, "%s", given);
        if (holds_papers(path))
            return NT_OK;
        return fail(error, "the papers' files are not in", given, "so says NUTATE_PAPERS");
    }
    for (int i = 0; i < 2 && program_folder(here); i++) {
        snprintf(path, size, "%s/%s", here, places[i]);
        if (holds_papers(path))
            return NT_OK;
    }
    return fail(error, "the papers' files are not found in", path,
                "set NUTATE_PAPERS to their folder");
}

/* ---- scripts ----------------------------------------------------------------------------------
 */

static nt_status copy(const char *from, const char *to, nt_error *error)
{
    char buffer[PATH_SIZE];
    size_t size;
    FILE *in = fopen(from, "rb");
    if (!in)
        return fail(error, "cannot read", from, strerror(errno));
    FILE *out = fopen(to, "wb");
    bool ok = out;
    while (ok && (size = fread(buffer, 1, sizeof buffer, in)) > 0)
        ok = fwrite(buffer, 1, size, out) == size;
    ok = ok && !ferror(in);
    fclose(in);
    if (out)
        ok = fclose(out) == 0 && ok;
    return ok ? NT_OK : fail(error, "cannot write", to, strerror(errno));
}

static nt_status copy_script(const char *papers, const char *place, const char *name,
                             const char *folder, nt_error *error)
{
    char from[PATH_SIZE], to[PATH_SIZE];
    snprintf(from, sizeof from, "%s/%s/%s.gp", papers, place, name);
    snprintf(to, sizeof to, "%s/%s.gp", folder, name);
    return copy(from, to, error);
}

/* ---- gnuplot ----------------------------------------------------------------------------------
 */

enum { NOT_FOUND = 127, NO_FOLDER = 126 };

/* What a failed script has left of a picture. */
static void remove_picture(const char *folder, const char *name, const char *format)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, format);
    remove(path);
}

/* gnuplot -e "format = 'svg'" NAME.gp in the folder. Returns its exit status, -1 where it could not
 * be started or was killed. */
static int gnuplot(const char *folder, const char *name, const char *format)
{
    char script[256], setting[64];
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(setting, sizeof setting, "format = '%s'", format);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) != 0)
            _exit(NO_FOLDER);
        execlp("gnuplot", "gnuplot", "-e", setting, script, (char *)NULL);
        _exit(errno == ENOENT ? NOT_FOUND : NO_FOLDER);
    }
    int status;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

nt_status nt_papers_draw(const nt_experiment *experiment, const char *papers, const char *folder,
                         bool *missing, nt_error *error)
{
    static const char *const formats[] = {"svg", "png"};
    *missing = false;
    nt_status status = copy_script(papers, "common", "style", folder, error);
    if (status == NT_OK)
        status = copy_script(papers, experiment->paper, experiment->name, folder, error);
    for (int i = 0; status == NT_OK && !*missing && i < 2; i++) {
        int ended = gnuplot(folder, experiment->name, formats[i]);
        *missing = ended == NOT_FOUND;
        if (ended != 0 && !*missing) {
            remove_picture(folder, experiment->name, formats[i]);
            status = fail(error, "gnuplot failed to draw", experiment->name,
                          "its own message stands above");
        }
    }
    return status;
}
