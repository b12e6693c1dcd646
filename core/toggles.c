/* SPDX-License-Identifier: MIT */
/* The table of toggles: names, kinds and what each does (core/toggles.def). */
#include "core/toggles.h"

const struct toggle_info core_toggles[TOGGLE_COUNT] = {
#define TOGGLE(id, name, kind, what) [TOGGLE_##id] = {name, TOGGLE_##kind, what},
#include "core/toggles.def"
#undef TOGGLE
};
