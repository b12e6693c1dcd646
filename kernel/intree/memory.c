/* SPDX-License-Identifier: MIT */
/*
 * The machine under a tree: memory, work, complaints, given-out numbers, limits.
 *
 * Memory comes out of an arena from the top down and is used once per program: what is freed is
 * poisoned and stays so until the next program. Groups have a place of their own, because their
 * addresses order them: the older, the higher; the other way round when the program says so.
 */
#include <stdarg.h>

#include <linux/fsnotify_backend.h>

#include "core/poison.h"
#include "kernel/intree/bridge.h"
#include "kernel/intree/machine.h"

_Noreturn void abort(void);
int dprintf(int fd, const char *format, ...);
int vsnprintf(char *out, size_t size, const char *format, va_list args);

enum { ARENA = 1 << 22, BOOT = 1 << 12, SETTINGS = 16, CACHES = 16, FREED_BYTE = 0x6b };

/* In front of every allocation; as far from the last one as AddressSanitizer needs. */
struct header {
	size_t size;
	size_t alive;
};

static _Alignas(16) char arena[ARENA];
static _Alignas(16) struct fsnotify_group group_space[BRIDGE_GROUPS];
static bool group_freed[BRIDGE_GROUPS];
static size_t arena_at = ARENA;
static int groups_made, newest_first, allocated;
static unsigned asked; /* allocations that could have failed, in this program */
static struct work_struct *work_first, **work_last = &work_first;
static const struct ctl_table *setting[SETTINGS];
static unsigned settings;
static struct ucounts one_user = {.ns = &init_user_ns};

int intree_atomic, intree_starve;
unsigned int intree_sections, intree_visits;
struct user_namespace init_user_ns;
struct task_struct intree_task = {.pid = 1, .comm = "program"};
static struct pid pids[] = {{BRIDGE_PROCESS}, {BRIDGE_THREAD}, {BRIDGE_OTHER}};
struct workqueue_struct *system_unbound_wq, *system_wq;

void machine_caller(int thread, int process, int administrator)
{
	intree_task.thread = &pids[thread - BRIDGE_PROCESS];
	intree_task.process = &pids[process - BRIDGE_PROCESS];
	intree_task.administrator = administrator;
}

/* ---- complaints ---- */

void intree_die(const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dprintf(2, "%s:%d: kernel: %s\n", file, line, text);
	abort();
}

void seq_printf(struct seq_file *out, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(out->text + out->count, out->size - out->count, format, args);
	va_end(args);
	INTREE_REQUIRE(length >= 0);
	out->count = min(out->count + (size_t)length, out->size);
}

void seq_putc(struct seq_file *out, char c)
{
	seq_printf(out, "%c", c);
}

/* ---- memory ---- */

static void *group_alloc(void)
{
	int made = groups_made++;
	struct fsnotify_group *group;

	INTREE_REQUIRE(made < BRIDGE_GROUPS);
	group = &group_space[newest_first ? made : BRIDGE_GROUPS - 1 - made];
	core_unpoison(group, sizeof(*group));
	group_freed[group - group_space] = false;
	allocated++;
	return group;
}

static void group_free(struct fsnotify_group *group)
{
	size_t at = (size_t)(group - group_space);

	INTREE_REQUIRE(!group_freed[at]);
	group_freed[at] = true;
	memset(group, FREED_BYTE, sizeof(*group));
	core_poison(group, sizeof(*group));
	allocated--;
}

static void *arena_alloc(size_t size)
{
	size_t whole = ALIGN(size, 16) + 2 * sizeof(struct header);
	struct header *header;

	INTREE_REQUIRE(whole < arena_at);
	arena_at -= whole;
	header = (struct header *)(arena + arena_at);
	core_unpoison(header, sizeof(*header) + size);
	*header = (struct header){size, 1};
	core_poison(header, sizeof(*header));
	allocated++;
	return header + 1;
}

/* One in so many allocations, scattered: a group takes several, and some groups have to be made. */
static bool is_refused(void)
{
	return (++asked * 0x9e3779b1u >> 16) % (unsigned)intree_starve == 0;
}

void *intree_alloc(size_t size, gfp_t gfp)
{
	void *pointer;

	INTREE_REQUIRE(!(gfp & __GFP_DIRECT_RECLAIM) || intree_atomic == 0);
	if (intree_starve && !(gfp & __GFP_NOFAIL) && is_refused())
		return NULL;
	pointer = size == sizeof(struct fsnotify_group) ? group_alloc() : arena_alloc(size);
	if (gfp & __GFP_ZERO)
		memset(pointer, 0, size);
	return pointer;
}

void intree_free(const void *pointer)
{
	struct header *header;

	if (!pointer)
		return;
	if (pointer >= (void *)group_space && pointer < (void *)(group_space + BRIDGE_GROUPS)) {
		group_free((struct fsnotify_group *)pointer);
		return;
	}
	header = (struct header *)pointer - 1;
	core_unpoison(header, sizeof(*header));
	INTREE_REQUIRE(header->alive == 1);
	header->alive = 0;
	memset((void *)pointer, FREED_BYTE, header->size);
	core_poison(header, sizeof(*header) + header->size);
	allocated--;
}

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size)
{
	static struct kmem_cache cache[CACHES];
	static unsigned caches;

	INTREE_REQUIRE(caches < CACHES);
	cache[caches] = (struct kmem_cache){name, size};
	return &cache[caches++];
}

int machine_allocated(void)
{
	return allocated - objects_allocated();
}

unsigned machine_sections(void)
{
	return intree_sections;
}

unsigned machine_visits(void)
{
	return intree_visits;
}

/* What the last program left behind was reported when everything was closed (glue_executor.c). */
static void memory_reset(void)
{
	allocated = objects_allocated();
	memset(one_user.count, 0, sizeof(one_user.count));
	core_poison(arena + arena_at, ARENA - arena_at);
	arena_at = ARENA;
	groups_made = 0;
	asked = 0;
}

/* ---- work ---- */

void intree_queue_work(struct work_struct *work)
{
	if (work->pending)
		return;
	work->pending = true;
	work->next = NULL;
	*work_last = work;
	work_last = &work->next;
}

void intree_run_work(void)
{
	INTREE_MAY_SLEEP();
	while (work_first) {
		struct work_struct *work = work_first;

		work_first = work->next;
		if (!work_first)
			work_last = &work_first;
		work->pending = false;
		work->func(work);
	}
}

void machine_run_work(void)
{
	intree_run_work();
}

/* ---- numbers that are given out ---- */

void idr_init(struct idr *idr)
{
	*idr = (struct idr){.entry = NULL};
}

/* The place of the first entry whose number is not less. */
static int idr_place(const struct idr *idr, int id)
{
	int at = 0;

	while (at < idr->count && idr->entry[at].id < id)
		at++;
	return at;
}

static bool idr_grow(struct idr *idr)
{
	int capacity = idr->capacity ? 2 * idr->capacity : 8;
	struct idr_entry *entry = intree_alloc((size_t)capacity * sizeof(*entry), GFP_NOWAIT);

	if (!entry)
		return false;
	if (idr->count)
		memcpy(entry, idr->entry, (size_t)idr->count * sizeof(*entry));
	intree_free(idr->entry);
	idr->entry = entry;
	idr->capacity = capacity;
	return true;
}

/* From the number after the last one upwards; programs do not get as far as the wrap. */
int idr_alloc_cyclic(struct idr *idr, void *pointer, int first, int end, gfp_t gfp)
{
	int id = max(idr->next, first), at = idr_place(idr, id);

	(void)gfp;
	INTREE_REQUIRE(end <= 0);
	while (at < idr->count && idr->entry[at].id == id)
		id++, at++;
	INTREE_REQUIRE(id < INT_MAX);
	if (idr->count == idr->capacity && !idr_grow(idr))
		return -ENOMEM;
	memmove(&idr->entry[at + 1], &idr->entry[at],
		(size_t)(idr->count - at) * sizeof(*idr->entry));
	idr->entry[at] = (struct idr_entry){id, pointer};
	idr->count++;
	idr->next = id + 1;
	return id;
}

void *idr_find(const struct idr *idr, unsigned long id)
{
	int at = id <= INT_MAX ? idr_place(idr, (int)id) : idr->count;

	return at < idr->count && idr->entry[at].id == (int)id ? idr->entry[at].pointer : NULL;
}

void *idr_remove(struct idr *idr, unsigned long id)
{
	void *pointer = idr_find(idr, id);
	int at;

	if (!pointer)
		return NULL;
	at = idr_place(idr, (int)id);
	idr->count--;
	memmove(&idr->entry[at], &idr->entry[at + 1],
		(size_t)(idr->count - at) * sizeof(*idr->entry));
	return pointer;
}

int idr_for_each(const struct idr *idr, int (*visit)(int id, void *pointer, void *data), void *data)
{
	int result = 0;

	for (int at = 0; at < idr->count && !result; at++)
		result = visit(idr->entry[at].id, idr->entry[at].pointer, data);
	return result;
}

void idr_destroy(struct idr *idr)
{
	intree_free(idr->entry);
	idr_init(idr);
}

/* ---- limits ---- */

struct ucounts *inc_ucount(struct user_namespace *ns, kuid_t uid, enum ucount_type type)
{
	(void)uid;
	if (one_user.count[type] >= ns->ucount_max[type])
		return NULL;
	one_user.count[type]++;
	return &one_user;
}

void dec_ucount(struct ucounts *ucounts, enum ucount_type type)
{
	INTREE_REQUIRE(ucounts == &one_user && ucounts->count[type] > 0);
	ucounts->count[type]--;
}

void intree_register_sysctl(const struct ctl_table *table, size_t entries)
{
	for (size_t i = 0; i < entries && table[i].procname; i++) {
		INTREE_REQUIRE(settings < SETTINGS);
		setting[settings++] = &table[i];
	}
}

static void set_all(const char *name, int value)
{
	bool found = false;

	for (unsigned i = 0; i < settings; i++) {
		if (strcmp(setting[i]->procname, name))
			continue;
		found = true;
		if (setting[i]->maxlen == sizeof(long))
			*(long *)setting[i]->data = value;
		else
			*(int *)setting[i]->data = value;
	}
	if (!found)
		INTREE_DIE("no setting %s", name);
}

static void set_limits(const struct machine_limits *limits)
{
	static struct machine_limits now = {.queue = -1};

	if (!memcmp(&now, limits, sizeof(now)))
		return;
	now = *limits;
	set_all("max_queued_events", limits->queue);
	set_all("max_user_groups", limits->groups);
	set_all("max_user_instances", limits->groups);
	set_all("max_user_marks", limits->marks);
	set_all("max_user_watches", limits->marks);
}

void memory_start(const struct machine_limits *limits)
{
	memory_reset();
	newest_first = limits->newest_first;
	intree_starve = limits->starve;
	set_limits(limits);
}
