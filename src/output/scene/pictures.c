/* Results as files for other programs. */
#include "output/scene/pictures.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Rows that are shown of a longer result, unless more are asked for: of VTK, which has a file for
 * each, fewer. */
static const long MOST_GLTF = 10001, MOST_VTK = 501;

static const char *title_of(nt_result *result)
{
    for (int i = 0; i < nt_result_attribute_count(result); i++) {
        nt_result_attribute a = nt_result_attribute_at(result, i);
        if (strcmp(a.name, "title") == 0 && a.length > 0)
            return a.value;
    }
    return "nutate";
}

nt_status nt_result_draw(nt_result *result, const char *path, nt_drawing_format format,
                         long most_rows, char *remark, size_t size, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "result path", result, path);
    NT_NEED_NUMBER(error, "format", format, NT_GLTF, NT_VTK);
    NT_NEED_COUNT(error, "most_rows", most_rows);
    nt_stage *stage;
    long most = most_rows > 0 ? most_rows : format == NT_GLTF ? MOST_GLTF : MOST_VTK;
    nt_status status = nt_stage_open(&stage, result, most, error);
    if (status == NT_OK)
        status = format == NT_GLTF ? nt_gltf_write(stage, path, title_of(result), error)
                                   : nt_vtk_write(stage, path, error);
    if (remark && size > 0)
        remark[0] = '\0';
    if (status == NT_OK && remark && size > 0) {
        if (stage->stride > 1)
            snprintf(remark, size, "every row number %ld of %ld", stage->stride,
                     nt_result_rows(result));
        size_t used = strlen(remark);
        if (stage->rebuilt)
            snprintf(remark + used, size - used,
                     "%sthe result does not say how it is drawn: shapes are made from its model",
                     used > 0 ? "; " : "");
    }
    nt_stage_close(stage);
    return nt_said(error, status);
}
