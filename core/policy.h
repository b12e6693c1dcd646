/* SPDX-License-Identifier: MIT */
/*
 * The policy contract: the decisions in which builds of the core may differ, and nothing else.
 * A build is the core compiled with one directory that holds "policy_build.h":
 *   vanilla/, optimized/ and core/workbench/ (every decision a run-time toggle).
 *
 * That file defines, as static inline functions:
 *
 *   bool policy_has(w, id)            is toggle TOGGLE_id on? A constant, except in the workbench.
 *   uint32_t policy_interest(w, m)    what mark m adds to its object's cached interest mask
 *   uint32_t policy_route(w, m)       the same for the internal routing word (usually 0)
 *   bool policy_may_skip(w, bits, interest, route)
 *                                     may the walk be skipped, given the union of the cached words?
 *   bool policy_skip_unmarked(w)      is the read-side section skipped when nothing is marked?
 *   bool policy_recalc_on_surv(w, m)  SURV_MODIFY was set for the first time on m: recalculate?
 *   uint32_t policy_parent_interest(w, c)
 *                                     the word by which a parent is interested in a child's event
 *   uint32_t policy_name_interest(w, c)
 *                                     the word by which an object asks for the child's name
 *   uint8_t policy_pipe_mode(w)       FILE_* bits that the files of a new pipe get
 *   uint32_t policy_pipe_flags(w)     visible flags that they get besides
 */
#ifndef CORE_POLICY_H
#define CORE_POLICY_H

#include "core/interest.h"
#include "core/toggles.h"
#include "core/world.h"

#include "policy_build.h"

#endif
