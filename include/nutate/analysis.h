/* What can be said of a system without following a motion step by step: where it rests, how it
 * shakes about such a state, what is linear about it, which motions repeat.
 *
 * Threads. An analysis belongs to the thread of the run or system that it is made with. */
#ifndef NUTATE_ANALYSIS_H
#define NUTATE_ANALYSIS_H

#include <nutate/method.h>
#include <nutate/model.h>
#include <nutate/sensitivity.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- static states -------------------------------------------------------------------------- */

/* ---- modes and linear models ---------------------------------------------------------------- */

/* ---- periodic orbits ------------------------------------------------------------------------ */

#ifdef __cplusplus
}
#endif
#endif
