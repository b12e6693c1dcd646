/* SPDX-License-Identifier: MIT */
/*
 * The kernel's environment, part three: what is changed for testing, and how.
 *
 *   complaints   what the kernel would only log (WARN, pr_warn, pr_err) ends the process with the
 *                place and the text, as BUG does: nothing a program can do may cause one
 *   locks        are asserts: taken twice, released without being held, sleeping with a spinlock
 *                held, waiting for readers that are still there
 *   memory       comes out of an arena that is used once per program and poisoned when freed, so
 *                that AddressSanitizer sees every use after free; a group that is older has the
 *                higher address, which is how equal priorities are ordered (memory.c); when a
 *                program is starved, some allocations fail, and what is logged then is no complaint
 *   work         waits until the program lets it run, or until somebody waits for it
 *   waiting      for a permission event's answer runs the listener; any other wait must be over
 *                before it begins
 *   settings     the sysctl tables are kept, so that a program's limits can be written into them
 *   initcalls    are constructors, system calls are functions named sys_NAME
 */
#ifndef INTREE_CUSTOM_H
#define INTREE_CUSTOM_H

extern int intree_starve; /* one in so many allocations fails; 0: none does */

/* ---- complaints ---- */

_Noreturn void intree_die(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define INTREE_DIE(...) intree_die(__FILE__, __LINE__, __VA_ARGS__)
#define INTREE_REQUIRE(condition)                                \
	do {                                                     \
		if (__builtin_expect(!(condition), 0))           \
			INTREE_DIE("%s", "not so: " #condition); \
	} while (0)

#define BUG()		  INTREE_DIE("%s", "BUG")
#define BUG_ON(condition) ((condition) ? INTREE_DIE("%s", "BUG: " #condition) : (void)0)
#define INTREE_WARN(condition, text)                     \
	({                                               \
		bool complain = (condition);             \
		if (__builtin_expect(complain, 0))       \
			INTREE_DIE("%s", "WARN: " text); \
		complain;                                \
	})
#define WARN_ON(condition)	  INTREE_WARN(condition, #condition)
#define WARN_ON_ONCE(condition)	  INTREE_WARN(condition, #condition)
#define WARN(condition, ...)	  INTREE_WARN(condition, #condition)
#define WARN_ONCE(condition, ...) INTREE_WARN(condition, #condition)
#define printk(...)		  INTREE_DIE("%s", "printk: " #__VA_ARGS__)
#define pr_err(...)		  INTREE_DIE("%s", "pr_err: " #__VA_ARGS__)
#define pr_err_ratelimited(...)	  INTREE_DIE("%s", "pr_err: " #__VA_ARGS__)
#define pr_warn(...)		  INTREE_DIE("%s", "pr_warn: " #__VA_ARGS__)
#define pr_warn_ratelimited(...) \
	(intree_starve ? (void)0 : INTREE_DIE("%s", "pr_warn: " #__VA_ARGS__))
#define panic(text) INTREE_DIE("%s", "panic: " text)

/* ---- locks ---- */

extern int intree_atomic; /* spinlocks held */

#define INTREE_MAY_SLEEP() INTREE_REQUIRE(intree_atomic == 0)

#define DEFINE_SPINLOCK(name) spinlock_t name = {false}
#define spin_lock_init(lock)  ((void)((lock)->held = false))
#define spin_lock(lock)                        \
	do {                                   \
		INTREE_REQUIRE(!(lock)->held); \
		(lock)->held = true;           \
		intree_atomic++;               \
	} while (0)
#define spin_unlock(lock)                     \
	do {                                  \
		INTREE_REQUIRE((lock)->held); \
		(lock)->held = false;         \
		intree_atomic--;              \
	} while (0)
#define spin_lock_nested(lock, level) spin_lock(lock)
#define spin_lock_irq(lock)	      spin_lock(lock)
#define spin_unlock_irq(lock)	      spin_unlock(lock)
#define assert_spin_locked(lock)      INTREE_REQUIRE((lock)->held)
#define spin_is_locked(lock)	      ((lock)->held)

#define DEFINE_MUTEX(name)    struct mutex name = {false}
#define mutex_init(lock)      ((void)((lock)->held = false))
#define mutex_is_locked(lock) ((lock)->held)
#define mutex_lock(lock)                       \
	do {                                   \
		INTREE_MAY_SLEEP();            \
		INTREE_REQUIRE(!(lock)->held); \
		(lock)->held = true;           \
	} while (0)
#define mutex_lock_nested(lock, level) mutex_lock(lock)
#define mutex_unlock(lock)                    \
	do {                                  \
		INTREE_REQUIRE((lock)->held); \
		(lock)->held = false;         \
	} while (0)

/* A count that went to nothing, or that is taken from nothing, is a use after free. */
typedef struct {
	int refs;
} refcount_t;

#define REFCOUNT_INIT(value) \
	{                    \
		(value)      \
	}
#define refcount_set(r, value) ((void)((r)->refs = (value)))
#define refcount_read(r)       ((r)->refs)

static inline void refcount_inc(refcount_t *r)
{
	INTREE_REQUIRE(r->refs > 0);
	r->refs++;
}

static inline bool refcount_inc_not_zero(refcount_t *r)
{
	if (!r->refs)
		return false;
	r->refs++;
	return true;
}

static inline bool refcount_dec_and_test(refcount_t *r)
{
	INTREE_REQUIRE(r->refs > 0);
	return --r->refs == 0;
}

static inline bool refcount_dec_and_lock(refcount_t *r, spinlock_t *lock)
{
	INTREE_REQUIRE(r->refs > 0);
	if (r->refs > 1) {
		r->refs--;
		return false;
	}
	spin_lock(lock);
	r->refs = 0;
	return true;
}

/* ---- read-side sections ---- */

extern unsigned int intree_sections; /* ever entered */
extern unsigned int intree_visits;   /* marks ever fetched from the list of an object */

static inline int srcu_read_lock(struct srcu_struct *srcu)
{
	intree_sections++;
	return srcu->readers++;
}

static inline void srcu_read_unlock(struct srcu_struct *srcu, int index)
{
	INTREE_REQUIRE(srcu->readers > 0 && index == srcu->readers - 1);
	srcu->readers--;
}

#define DEFINE_STATIC_SRCU(name)  static struct srcu_struct name
#define DEFINE_SRCU(name)	  struct srcu_struct name
#define init_srcu_struct(srcu)	  ((srcu)->readers = 0)
#define srcu_read_lock_held(srcu) ((srcu)->readers > 0)
#define INTREE_IS_MARK(pointer) \
	_Generic((pointer), struct hlist_node * : (pointer) != NULL, default : false)
#define srcu_dereference(pointer, srcu)                    \
	({                                                 \
		INTREE_REQUIRE(srcu_read_lock_held(srcu)); \
		intree_visits += INTREE_IS_MARK(pointer);  \
		(pointer);                                 \
	})
#define synchronize_srcu(srcu)                        \
	do {                                          \
		INTREE_MAY_SLEEP();                   \
		INTREE_REQUIRE((srcu)->readers == 0); \
	} while (0)

/* ---- memory ---- */

#define __GFP_DIRECT_RECLAIM 0x1u
#define __GFP_NOFAIL	     0x2u
#define __GFP_RETRY_MAYFAIL  0x4u
#define __GFP_ACCOUNT	     0x8u
#define __GFP_ZERO	     0x10u
#define __GFP_NOWARN	     0x20u
#define GFP_KERNEL	     __GFP_DIRECT_RECLAIM
#define GFP_NOFS	     __GFP_DIRECT_RECLAIM
#define GFP_KERNEL_ACCOUNT   (GFP_KERNEL | __GFP_ACCOUNT)
#define GFP_NOWAIT	     0u
#define GFP_ATOMIC	     0u

struct kmem_cache {
	const char *name;
	unsigned int size;
};

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size);
void *intree_alloc(size_t size, gfp_t gfp);
void intree_free(const void *pointer);
#define KMEM_CACHE(type, flags)		kmem_cache_create(#type, sizeof(struct type))
#define kmem_cache_alloc(cache, gfp)	intree_alloc((cache)->size, gfp)
#define kmem_cache_zalloc(cache, gfp)	intree_alloc((cache)->size, (gfp) | __GFP_ZERO)
#define kmem_cache_free(cache, pointer) intree_free(pointer)
#define kmalloc(size, gfp)		intree_alloc(size, gfp)
#define kzalloc(size, gfp)		intree_alloc(size, (gfp) | __GFP_ZERO)
#define kcalloc(count, size, gfp)	intree_alloc((size_t)(count) * (size), (gfp) | __GFP_ZERO)
#define kmalloc_array(count, size, gfp) intree_alloc((size_t)(count) * (size), gfp)
#define kvmalloc(size, gfp)		intree_alloc(size, gfp)
#define kvzalloc(size, gfp)		intree_alloc(size, (gfp) | __GFP_ZERO)
#define kfree(pointer)			intree_free(pointer)
#define kvfree(pointer)			intree_free(pointer)
#define kfree_rcu(pointer, member)	intree_free(pointer)

typedef struct {
	size_t size; /* of an element; 0: not initialised */
} mempool_t;

#define mempool_initialized(pool)		      ((pool)->size != 0)
#define mempool_init_kmalloc_pool(pool, least, bytes) ((pool)->size = (bytes), 0)
#define mempool_alloc(pool, gfp)		      intree_alloc((pool)->size, gfp)
#define mempool_free(pointer, pool)		      intree_free(pointer)
#define mempool_exit(pool)			      ((void)((pool)->size = 0))

/* ---- work ---- */

struct work_struct {
	void (*func)(struct work_struct *work);
	struct work_struct *next;
	bool pending;
};
struct delayed_work {
	struct work_struct work;
};
struct workqueue_struct;

void intree_queue_work(struct work_struct *work);
void intree_run_work(void);
#define DECLARE_WORK(name, function)	       struct work_struct name = {.func = (function)}
#define DECLARE_DELAYED_WORK(name, function)   struct delayed_work name = {.work.func = (function)}
#define INIT_WORK(item, function)	       ((void)(*(item) = (struct work_struct){.func = (function)}))
#define queue_work(queue, item)		       intree_queue_work(item)
#define schedule_work(item)		       intree_queue_work(item)
#define queue_delayed_work(queue, item, delay) intree_queue_work(&(item)->work)
#define schedule_delayed_work(item, delay)     intree_queue_work(&(item)->work)
#define flush_work(item)		       intree_run_work()
#define flush_delayed_work(item)	       intree_run_work()
#define flush_workqueue(queue)		       intree_run_work()

/* ---- waiting ---- */

/* The listener of the group that this queue belongs to reads and answers. */
void intree_listen(const wait_queue_head_t *queue);

#define INTREE_MUST_BE(condition)                                                 \
	do {                                                                      \
		INTREE_MAY_SLEEP();                                               \
		if (!(condition))                                                 \
			INTREE_DIE("%s", "would wait for ever for: " #condition); \
	} while (0)
#define INTREE_ASK(queue, condition)       \
	({                                 \
		INTREE_MAY_SLEEP();        \
		intree_listen(&(queue));   \
		INTREE_MUST_BE(condition); \
		0;                         \
	})
#define wait_event(queue, condition)		   INTREE_MUST_BE(condition)
#define wait_var_event(variable, condition)	   INTREE_MUST_BE(condition)
#define wait_event_killable(queue, condition)	   INTREE_ASK(queue, condition)
#define wait_event_interruptible(queue, condition) INTREE_ASK(queue, condition)
#define wait_event_state(queue, condition, state)  INTREE_ASK(queue, condition)
#define wait_woken(entry, mode, timeout)	   INTREE_DIE("%s", "read() would wait for ever")
#define woken_wake_function			   NULL

/* ---- settings, initcalls, system calls ---- */

void intree_register_sysctl(const struct ctl_table *table, size_t entries);
#define register_sysctl(path, table)	  intree_register_sysctl(table, ARRAY_SIZE(table))
#define register_sysctl_init(path, table) intree_register_sysctl(table, ARRAY_SIZE(table))

#define capable(what)	     ((what) != CAP_SYS_ADMIN || current->administrator)
#define ns_capable(ns, what) capable(what)

#define INTREE_INITCALL(function, order)                                             \
	__attribute__((constructor(order))) static void intree_init_##function(void) \
	{                                                                            \
		INTREE_REQUIRE(function() == 0);                                     \
	}                                                                            \
	struct intree_semicolon
#define core_initcall(function)	  INTREE_INITCALL(function, 201)
#define fs_initcall(function)	  INTREE_INITCALL(function, 205)
#define device_initcall(function) INTREE_INITCALL(function, 206)

#define SYSCALL_DEFINE0(name)			   long sys_##name(void)
#define SYSCALL_DEFINE1(name, ta, a)		   long sys_##name(ta a)
#define SYSCALL_DEFINE2(name, ta, a, tb, b)	   long sys_##name(ta a, tb b)
#define SYSCALL_DEFINE3(name, ta, a, tb, b, tc, c) long sys_##name(ta a, tb b, tc c)
#define SYSCALL_DEFINE5(name, ta, a, tb, b, tc, c, td, d, te, e) \
	long sys_##name(ta a, tb b, tc c, td d, te e)

#endif
