/* A model and one run of it, read and destroyed together. */
#ifndef NUTATE_TESTS_READ_RUN_H
#define NUTATE_TESTS_READ_RUN_H

#include <nutate/model.h>
#include <stdlib.h>

/* A run only borrows its model, to read it: whose model is whose is kept here. */
enum { READ_RUNS = 64 };
static _Thread_local struct read_pair {
    nt_run *run;
    nt_model *model;
} read_runs[READ_RUNS];

static inline struct read_pair *read_pair_of(const nt_run *run)
{
    for (int i = 0; i < READ_RUNS; i++)
        if (read_runs[i].run == run)
            return &read_runs[i];
    abort(); /* more runs at once than there is room for, or a run of another thread */
}

static inline nt_status make_run(nt_run **run, nt_model *model, nt_status status, nt_error *error)
{
    *run = NULL;
    if (status == NT_OK && (status = nt_run_create(run, model, error)) != NT_OK)
        nt_model_destroy(model);
    if (status == NT_OK)
        *read_pair_of(NULL) = (struct read_pair){*run, model};
    return status;
}

static inline nt_status read_run(nt_run **run, const char *path, const nt_setting *settings, int n,
                                 nt_error *error)
{
    nt_model *model;
    return make_run(run, model, nt_model_read(&model, path, settings, n, error), error);
}

static inline nt_status read_run_text(nt_run **run, const char *text, size_t length,
                                      const char *name, const char *folder,
                                      const nt_setting *settings, int n, nt_error *error)
{
    nt_model *model;
    nt_status status = nt_model_read_text(&model, text, length, name, folder, settings, n, error);
    return make_run(run, model, status, error);
}

static inline void destroy_run(nt_run *run)
{
    if (!run)
        return;
    struct read_pair *pair = read_pair_of(run);
    nt_run_destroy(pair->run);
    nt_model_destroy(pair->model);
    *pair = (struct read_pair){NULL, NULL};
}

#endif
