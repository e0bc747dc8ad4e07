/* The whole library, and what holds in all its headers.
 *
 * Memory. What a `create`, `read` or `open` function makes belongs to the caller, who gives it to
 * the destroy or close function of the same name; that of NULL does nothing. Pointers that a
 * function returns, or writes into a struct, belong to the object that was asked and live as long
 * as it, unless a shorter time is said. Objects borrow the objects that they are made from, which
 * must live longer. Texts and arrays that are handed in are needed during the call only, unless
 * said.
 *
 * Errors. Functions that can fail return an nt_status. Most take an nt_error (which may be NULL)
 * and put what went wrong into words there; nt_status_text has words for the others. When a
 * create, read or open function fails, the pointer that it would have set is NULL. Other outputs of
 * a call that fails are undefined unless said. NULL where an object or an array is needed, a number
 * that its enumeration does not have, a negative count, the number of a thing that there is not,
 * and a time, length, step or tolerance that is not finite or not above zero where it must be, are
 * NT_INVALID with words that name it; functions without a status then do nothing and return 0,
 * NULL, "", -1 or NaN, whatever cannot be mistaken for an answer. Of functions on single rotations
 * and rigid motions (group.h) the compiler warns besides. Lengths of arrays cannot be checked: they
 * are the caller's responsibility.
 *
 * Units. SI throughout, angles in rad; shapes are written in brackets, q[nq]. nq, nv, nh, nn and
 * n_memory are those of the system (system.h).
 *
 * Threads. Each header says what may be called from which thread. No function keeps anything
 * outside of the objects that it is given, but the list of added element types (element.h).
 *
 * Versions. A program that was compiled with these headers works with every library of the same
 * NT_VERSION_MAJOR, NT_VERSION_MINOR and NT_INTERFACE.
 *   - Structs that the caller fills in and that can grow begin with `version`: nt_system,
 *     nt_integrator_setup, nt_state_rate, nt_static_setup, nt_static_path, nt_modes_setup,
 *     nt_campbell_setup, nt_linear_setup, nt_orbit_setup, nt_result_setup, nt_record_setup,
 *     nt_record_row, nt_report_setup and nt_sweep_setup. Set it to NT_INTERFACE. 0 stands for the
 *     version of the library in use: only where program and library are compiled together.
 *   - A new field is added at the end of such a struct, NT_INTERFACE then counts up, and zero in
 *     the field means that things are as they were before it. So programs need no change, but they
 *     are compiled again: a struct of another version, newer or older, may end before the fields
 *     that the library reads. It is refused with NT_INVALID, and nothing but `version` is read.
 *   - nt_element_type and nt_plugin carry NT_ELEMENT_VERSION in the same way (element.h).
 *   - What an nt_system points to and what its functions are given (nt_events, nt_momenta,
 *     nt_point, nt_terms, nt_combination, nt_instant) are those of the version in it.
 *   - Structs to which the library returns a pointer (nt_simulation, nt_statistics,
 *     nt_solver_statistics) may get new fields at the end. All other structs stay as they are.
 *   - Enumerations may get new values at the end: expect values that you do not know. Numbers of
 *     statuses are fixed for good (status.h). */
#ifndef NUTATE_NUTATE_H
#define NUTATE_NUTATE_H

#include <nutate/analysis.h>
#include <nutate/element.h>
#include <nutate/group.h>
#include <nutate/linalg.h>
#include <nutate/method.h>
#include <nutate/model.h>
#include <nutate/output.h>
#include <nutate/sensitivity.h>
#include <nutate/status.h>
#include <nutate/sweep.h>
#include <nutate/system.h>

#endif
