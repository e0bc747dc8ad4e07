/* Files for other programs, from a stage. Inside of the output layer. */
#ifndef NUTATE_OUTPUT_PICTURES_H
#define NUTATE_OUTPUT_PICTURES_H

#include "output/scene/stage.h"

/* Write all frames. NT_IO with the path; NT_INVALID for more than the format holds. What was begun
 * is removed where it fails. */
nt_status nt_gltf_write(nt_stage *stage, const char *path, const char *title, nt_error *error);
nt_status nt_vtk_write(nt_stage *stage, const char *path, nt_error *error);

#endif
