/* Everything. */
#ifndef NUTATE_NUTATE_H
#define NUTATE_NUTATE_H

#include <nutate/element.h>
#include <nutate/group.h>
#include <nutate/linalg.h>
#include <nutate/method.h>
#include <nutate/model.h>
#include <nutate/output.h>
#include <nutate/sensitivity.h>
#include <nutate/status.h>
#include <nutate/system.h>

#endif
