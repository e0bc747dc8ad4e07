/* A plugin that says it was written for another version of element types. */
#include <nutate/nutate.h>

#include <stddef.h>

static const nt_element_type *const types[] = {NULL};

NT_API extern const nt_plugin nutate_plugin;
const nt_plugin nutate_plugin = {NT_ELEMENT_VERSION + 1, "old", types};
