/* All model files of the examples. */
#ifndef NUTATE_TESTS_EACH_EXAMPLE_H
#define NUTATE_TESTS_EACH_EXAMPLE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A plan of a sweep is no model. */
static inline bool is_model_file(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".yaml") == 0 && strcmp(name, "plan.yaml") != 0;
}

/* Calls visit(to, path) for each model file in each folder of examples/; how many there are. */
static inline int for_each_example(void (*visit)(void *to, const char *path), void *to)
{
    int count = 0;
    DIR *examples = opendir(NUTATE_SOURCE_DIR "/examples");
    for (struct dirent *folder; examples && (folder = readdir(examples)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, NUTATE_SOURCE_DIR "/examples/%.200s", folder->d_name);
        DIR *files = folder->d_name[0] != '.' ? opendir(path) : NULL;
        for (struct dirent *file; files && (file = readdir(files)) != NULL;)
            if (is_model_file(file->d_name)) {
                snprintf(path, sizeof path, NUTATE_SOURCE_DIR "/examples/%.200s/%.200s",
                         folder->d_name, file->d_name);
                visit(to, path);
                count++;
            }
        if (files)
            closedir(files);
    }
    if (examples)
        closedir(examples);
    return count;
}

#endif
