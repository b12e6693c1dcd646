/* SPDX-License-Identifier: MIT */
/*
 * The kernel's environment, part one: what does nothing here, because it has no meaning without
 * processors, an audit log, memory accounting or a static checker. Nothing in this file can change
 * what a program observes.
 */
#ifndef INTREE_NOTHING_H
#define INTREE_NOTHING_H

/* annotations */
#define __user
#define __rcu
#define __iomem
#define __force
#define __init
#define __exit
#define __read_mostly
#define __ro_after_init
#define __must_check
#define __randomize_layout
#define __releases(x)
#define __acquires(x)
#define __must_hold(x)
#define __counted_by(member)
#define __release(x) ((void)0)
#define __acquire(x) ((void)0)
#define __cold
#define asmlinkage
#define fallthrough		       __attribute__((__fallthrough__))
#define EXPORT_SYMBOL(name)	       struct intree_semicolon
#define EXPORT_SYMBOL_GPL(name)	       struct intree_semicolon
#define EXPORT_SYMBOL_NS_GPL(name, ns) struct intree_semicolon
#define MODULE_LICENSE(text)	       struct intree_semicolon

/* messages that are no complaint */
#define KERN_ERR	  ""
#define KERN_WARNING	  ""
#define KERN_INFO	  ""
#define pr_debug(...)	  ((void)0)
#define pr_info(...)	  ((void)0)
#define pr_warn_once(...) ((void)0)
#define add_taint(...)	  ((void)0)

/* scheduling, ordering and lock proofs: one thread */
#define cond_resched()			 ((void)0)
#define might_sleep()			 ((void)0)
#define smp_mb()			 ((void)0)
#define smp_rmb()			 ((void)0)
#define smp_wmb()			 ((void)0)
#define rcu_read_lock()			 ((void)0)
#define rcu_read_unlock()		 ((void)0)
#define rcu_read_lock_any_held()	 1
#define rcu_check_sparse(...)		 ((void)0)
#define ASSERT_EXCLUSIVE_ACCESS(...)	 ((void)0)
#define ASSERT_EXCLUSIVE_WRITER(...)	 ((void)0)
#define RCU_LOCKDEP_WARN(condition, ...) ((void)0)
#define lockdep_set_class(...)		 ((void)0)
#define lockdep_assert_once(...)	 ((void)0)
#define lockdep_assert_held(...)	 ((void)0)
#define mutex_destroy(lock)		 ((void)(lock))
#define wake_up(queue)			 ((void)(queue))
#define wake_up_var(variable)		 ((void)(variable))
#define wake_up_all(queue)		 ((void)(queue))
#define init_waitqueue_head(queue)	 ((void)((queue)->listeners = 0))
#define add_wait_queue(queue, entry)	 ((void)(queue))
#define remove_wait_queue(queue, entry)	 ((void)(queue))
#define DEFINE_WAIT_FUNC(name, function) int name __attribute__((__unused__)) = 0
#define poll_wait(file, queue, table)	 ((void)(queue))
#define idr_preload(gfp)		 ((void)0)
#define idr_preload_end()		 ((void)0)

/* accounting, audit, security modules, signals */
#define get_mem_cgroup_from_mm(mm) ((struct mem_cgroup *)0)
#define mem_cgroup_put(memcg)	   ((void)(memcg))
#define set_active_memcg(memcg)	   ((struct mem_cgroup *)0)
#define audit_inode_child(...)	   ((void)0)
#define audit_fanotify(...)	   ((void)0)
#define security_path_notify(...)  0
#define signal_pending(task)	   0
#define kill_fasync(...)	   ((void)0)
#define fasync_helper(...)	   0

#endif
