/* SPDX-License-Identifier: MIT */
/* Locks as objects with a state; what they check is in custom.h. */
#ifndef INTREE_LOCKS_H
#define INTREE_LOCKS_H

typedef struct {
	bool held;
} spinlock_t;

struct mutex {
	bool held;
};

typedef struct {
	int listeners;
} wait_queue_head_t;

struct srcu_struct {
	int readers;
};

struct lock_class_key {
	int unused;
};

#endif
