/* SPDX-License-Identifier: MIT */
/* Poisoning of pool slots that are not in use: only under ASan, elsewhere nothing. */
#ifndef CORE_POISON_H
#define CORE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define CORE_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CORE_HAS_ASAN 1
#endif
#endif

#ifdef CORE_HAS_ASAN
#include <sanitizer/asan_interface.h>
#define core_poison(at, size)	ASAN_POISON_MEMORY_REGION(at, size)
#define core_unpoison(at, size) ASAN_UNPOISON_MEMORY_REGION(at, size)
#else
#define core_poison(at, size)	((void)(at), (void)(size))
#define core_unpoison(at, size) ((void)(at), (void)(size))
#endif

#endif
