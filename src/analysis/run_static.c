/* Static states of a model's run. */
#include "base/error.h"
#include "model/model.h"

#include <nutate/analysis.h>

nt_status nt_run_static_setup(nt_run *run, nt_static_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run setup", run, setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    const nt_simulation *simulation = &run->model->simulation;
    *setup = (nt_static_setup){.version = NT_INTERFACE,
                               .system = nt_run_system(run),
                               .held = simulation->held,
                               .n_held = simulation->n_held,
                               .hold_free = simulation->hold_free,
                               .damped = simulation->stable};
    return NT_OK;
}
