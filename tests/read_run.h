/* A model and one run of it, read and destroyed together. */
#ifndef NUTATE_TESTS_READ_RUN_H
#define NUTATE_TESTS_READ_RUN_H

#include <nutate/model.h>

static inline nt_status make_run(nt_run **run, nt_model *model, nt_status status, nt_error *error)
{
    *run = NULL;
    if (status == NT_OK && (status = nt_run_create(run, model, error)) != NT_OK)
        nt_model_destroy(model);
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
    /* a run borrows its model: the test that made both owns both */
    nt_model *model = (nt_model *)(size_t)nt_run_model(run);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

#endif
