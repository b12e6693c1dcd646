/* SPDX-License-Identifier: MIT */
/* Stands in front of every file of a tree (-include): the parts in their order. */
#ifndef INTREE_ENVIRONMENT_H
#define INTREE_ENVIRONMENT_H

/* How the kernel is configured. */
#define __KERNEL__			   1
#define CONFIG_FSNOTIFY			   1
#define CONFIG_INOTIFY_USER		   1
#define CONFIG_FANOTIFY			   1
#define CONFIG_FANOTIFY_ACCESS_PERMISSIONS 1
#define CONFIG_SYSCTL			   1
#define CONFIG_PROC_FS			   1
#define CONFIG_EXPORTFS			   1

#include "nothing.h"
#include "simple.h"
#include "custom.h"

#endif
