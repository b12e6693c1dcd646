/* SPDX-License-Identifier: MIT */
/*
 * The special handling of FS_MODIFY before 5.18 (04e317ba72d0 took it away): a modify may have to
 * clear ignored masks whose owners never asked for it, so it is never stopped by the cached masks.
 */
#ifndef VANILLA_MODIFY_SPECIAL_H
#define VANILLA_MODIFY_SPECIAL_H

#include "core/world.h"

static inline bool modify_special_may_skip(uint32_t bits, uint32_t interest)
{
	return !(bits & FS_MODIFY) && !(bits & interest & FS_EVENTS);
}

#endif
