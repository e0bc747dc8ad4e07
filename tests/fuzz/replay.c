/* Runs a fuzz target over files: each argument is a file or a folder of files. This is how the
 * corpus is tested with compilers that have no libFuzzer. */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    enum { LIMIT = 1 << 24 };
    FILE *file = fopen(path, "rb");
    uint8_t *data = file ? malloc(LIMIT) : NULL;
    if (data) {
        /* An exact copy, so that reading one byte too far is seen. */
        size_t size = fread(data, 1, LIMIT, file);
        uint8_t *exact = realloc(data, size ? size : 1);
        data = exact ? exact : data;
        LLVMFuzzerTestOneInput(data, size);
    } else
        perror(path);
    if (file)
        fclose(file);
    int done = data != NULL;
    free(data);
    return done;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            if (!replay_file(argv[i]))
                return 1;
            files++;
            continue;
        }
        for (struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (entry->d_name[0] == '.')
                continue;
            if (!replay_file(path))
                return 1;
            files++;
        }
        closedir(folder);
    }
    printf("%d files\n", files);
    return files == 0;
}
