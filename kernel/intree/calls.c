/* SPDX-License-Identifier: MIT */
/*
 * The kernel's side of system calls: descriptors, what is read from them, and what stands in queues
 * and in lists of marks. Records are taken apart twice, once as they stand in the queue and once as
 * read() gives them; what differs becomes part of what is observed (glue_odd).
 */
#include <linux/fanotify.h>
#include <linux/fsnotify_backend.h>
#include <linux/inotify.h>

#include "fs/notify/fanotify/fanotify.h"
#include "fs/notify/fdinfo.h"
#include "fs/notify/fsnotify.h"
#include "fs/notify/inotify/inotify.h"

#include "kernel/intree/bridge.h"
#include "kernel/intree/machine.h"

enum { FDS = BRIDGE_RECORDS + BRIDGE_GROUPS, BUFFER = 8192, FDINFO = 65536 };

extern const struct fsnotify_ops fanotify_fsnotify_ops;

long sys_fanotify_init(unsigned int flags, unsigned int event_f_flags);
long sys_fanotify_mark(int fanotify_fd, unsigned int flags, __u64 mask, int dfd,
		       const char *pathname);
long sys_inotify_init1(int flags);
long sys_inotify_add_watch(int fd, const char *pathname, u32 mask);
long sys_inotify_rm_watch(int fd, __s32 wd);
int sscanf(const char *text, const char *format, ...);

static struct file *open_files[FDS];
static int free_fds[FDS], free_count; /* a stack; the numbers mean nothing */

/* ---- descriptors ---- */

void calls_start(void)
{
	if (free_count == FDS)
		return;
	INTREE_REQUIRE(free_count == 0);
	while (free_count < FDS) {
		free_fds[free_count] = FDS - 1 - free_count;
		free_count++;
	}
}

int get_unused_fd_flags(unsigned int flags)
{
	(void)flags;
	return free_count ? free_fds[--free_count] : -EMFILE;
}

void put_unused_fd(unsigned int fd)
{
	INTREE_REQUIRE(!open_files[fd]);
	free_fds[free_count++] = (int)fd;
}

void fd_install(unsigned int fd, struct file *file)
{
	INTREE_REQUIRE(!open_files[fd]);
	open_files[fd] = file;
}

struct fd fdget(unsigned int fd)
{
	return (struct fd){fd < FDS ? open_files[fd] : NULL};
}

static struct file *file_new(fmode_t mode, unsigned int flags)
{
	struct file *file = kzalloc(sizeof(*file), GFP_KERNEL | __GFP_NOFAIL);

	file->f_mode = mode;
	file->f_flags = flags;
	return file;
}

/* Files that fanotify opens for its listener raise no events (O_RDONLY is all they are opened). */
struct file *dentry_open(const struct path *path, int flags, const void *cred)
{
	struct file *file = file_new(FMODE_READ | (flags & __FMODE_NONOTIFY ? FMODE_NONOTIFY : 0),
				     (unsigned int)flags);

	(void)cred;
	file->f_path = *path;
	file->f_inode = path->dentry->d_inode;
	path_get(path);
	return file;
}

int anon_inode_getfd(const char *name, const struct file_operations *operations, void *data,
		     int flags)
{
	int fd = get_unused_fd_flags(0);
	struct file *file;

	(void)name;
	if (fd < 0)
		return fd;
	file = file_new(FMODE_READ | FMODE_WRITE, (unsigned int)flags);
	file->f_op = operations;
	file->private_data = data;
	fd_install((unsigned int)fd, file);
	return fd;
}

void fput(struct file *file)
{
	if (file->f_op) {
		file->f_op->release(NULL, file);
	} else {
		fsnotify_close(file);
		path_put(&file->f_path);
	}
	kfree(file);
}

int close_fd(unsigned int fd)
{
	struct file *file = fdget(fd).file;

	if (!file)
		return -EBADF;
	open_files[fd] = NULL;
	put_unused_fd(fd);
	fput(file);
	return 0;
}

static int pidfd_release(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return 0;
}

static const struct file_operations pidfd_operations = {.release = pidfd_release};

/* A descriptor of a process, installed or, with `out`, to be installed by the caller. */
int intree_pidfd(struct pid *pid, struct file **out)
{
	int fd = get_unused_fd_flags(0);
	struct file *file;

	if (fd < 0)
		return fd;
	file = file_new(FMODE_READ, (unsigned int)pid->number);
	file->f_op = &pidfd_operations;
	if (out)
		*out = file;
	else
		fd_install((unsigned int)fd, file);
	return fd;
}

int machine_close(int fd)
{
	return close_fd((unsigned int)fd);
}

static struct fsnotify_group *group_of(int fd)
{
	INTREE_REQUIRE(fd >= 0 && fd < FDS && open_files[fd] && open_files[fd]->f_op);
	return open_files[fd]->private_data;
}

static bool is_fanotify(const struct fsnotify_group *group)
{
	return group->ops == &fanotify_fsnotify_ops;
}

/* ---- system calls ---- */

/* A path is said as its code; no code is a null pointer. */
static const char *path_name(unsigned path)
{
	return (const char *)(uintptr_t)(path + 1);
}

int machine_fanotify_init(unsigned flags)
{
	return (int)sys_fanotify_init(flags | FAN_NONBLOCK | FAN_CLOEXEC, O_RDONLY | O_LARGEFILE);
}

/* An open file is said by its descriptor, without a path. */
static int mark_descriptor(int fd, unsigned flags, unsigned mask, const struct path *path)
{
	struct file file = {.f_path = *path, .f_inode = path->dentry->d_inode};
	int own = get_unused_fd_flags(0), ret;

	INTREE_REQUIRE(own >= 0);
	fd_install((unsigned)own, &file);
	ret = (int)sys_fanotify_mark(fd, flags, mask, own, NULL);
	open_files[own] = NULL;
	put_unused_fd((unsigned)own);
	return ret;
}

int machine_fanotify_mark(int fd, unsigned flags, unsigned mask, unsigned path)
{
	int mount, dentry;

	if (!(flags & FAN_MARK_DONT_FOLLOW) && bridge_descriptor(path, &mount, &dentry)) {
		struct path open = {&mount_twin(mount)->mnt, dentry_twin(dentry)};

		return mark_descriptor(fd, flags, mask, &open);
	}
	return (int)sys_fanotify_mark(fd, flags, mask, AT_FDCWD, path_name(path));
}

int machine_inotify_init(void)
{
	return (int)sys_inotify_init1(O_NONBLOCK | O_CLOEXEC);
}

int machine_inotify_add_watch(int fd, unsigned path, unsigned mask)
{
	return (int)sys_inotify_add_watch(fd, path_name(path), mask);
}

int machine_inotify_rm_watch(int fd, int wd)
{
	return (int)sys_inotify_rm_watch(fd, wd);
}

/* ---- records as they stand in a queue ---- */

static const struct record blank = {
	.inode = BRIDGE_NONE,
	.dir = BRIDGE_NONE,
	.name = BRIDGE_NONE,
	.new_dir = BRIDGE_NONE,
	.new_name = BRIDGE_NONE,
	.dentry = BRIDGE_NONE,
	.mount = BRIDGE_NONE,
	.fd = -1,
};

static unsigned char handle_inode(const void *handle, size_t length)
{
	u32 word;

	if (length < sizeof(word))
		return BRIDGE_NONE;
	memcpy(&word, handle, sizeof(word));
	return (unsigned char)word;
}

static unsigned char fh_inode(struct fanotify_fh *fh)
{
	return handle_inode(fanotify_fh_buf(fh), fh->len);
}

static unsigned char name_id(const char *name, size_t length)
{
	return (unsigned char)bridge_name_id(name, (unsigned)length);
}

static void describe_path(const struct path *path, struct record *r)
{
	r->dentry = index_of_dentry(path->dentry);
	r->mount = index_of_mount(real_mount(path->mnt));
	r->inode = index_of_inode(path->dentry->d_inode);
}

static void describe_names(struct fanotify_info *info, struct record *r)
{
	if (info->dir_fh_totlen)
		r->dir = fh_inode(fanotify_info_dir_fh(info));
	if (info->name_len)
		r->name = name_id(fanotify_info_name(info), info->name_len);
	if (info->dir2_fh_totlen)
		r->new_dir = fh_inode(fanotify_info_dir2_fh(info));
	if (info->name2_len)
		r->new_name = name_id(fanotify_info_name2(info), info->name2_len);
	if (info->file_fh_totlen)
		r->inode = fh_inode(fanotify_info_file_fh(info));
}

static void describe_fanotify(struct fsnotify_event *queued, struct record *r)
{
	struct fanotify_event *event = FANOTIFY_E(queued);

	*r = blank;
	r->mask = event->mask;
	r->pid = event->pid ? (unsigned char)event->pid->number : 0;
	switch (event->type) {
	case FANOTIFY_EVENT_TYPE_PATH:
		r->kind = BRIDGE_PATH;
		describe_path(fanotify_event_path(event), r);
		break;
	case FANOTIFY_EVENT_TYPE_PATH_PERM:
		r->kind = BRIDGE_ASK;
		describe_path(fanotify_event_path(event), r);
		break;
	case FANOTIFY_EVENT_TYPE_FID:
		r->kind = BRIDGE_FID;
		r->inode = fh_inode(fanotify_event_object_fh(event));
		break;
	case FANOTIFY_EVENT_TYPE_FID_NAME:
		r->kind = BRIDGE_NAME;
		describe_names(fanotify_event_info(event), r);
		break;
	case FANOTIFY_EVENT_TYPE_OVERFLOW:
		r->kind = BRIDGE_LOST;
		r->wd = -1;
		break;
	default: INTREE_DIE("an event of type %d", event->type);
	}
}

static void describe_inotify(struct fsnotify_event *queued, struct record *r)
{
	const struct inotify_event_info *event = INOTIFY_E(queued);

	*r = blank;
	r->mask = event->mask;
	r->wd = event->wd;
	r->cookie = event->sync_cookie;
	r->kind = event->mask & FS_Q_OVERFLOW ? BRIDGE_LOST : BRIDGE_WATCH;
	if (event->name_len)
		r->name = name_id(event->name, (size_t)event->name_len);
}

unsigned machine_queue(int fd, struct record *out)
{
	struct fsnotify_group *group = group_of(fd);
	bool fanotify = is_fanotify(group);
	struct fsnotify_event *event;
	unsigned count = 0;

	list_for_each_entry(event, &group->notification_list, list)
	{
		INTREE_REQUIRE(count < BRIDGE_RECORDS);
		if (fanotify)
			describe_fanotify(event, &out[count++]);
		else
			describe_inotify(event, &out[count++]);
	}
	return count;
}

/* Draws a number, so that later ones can be counted from it. */
unsigned machine_cookie(void)
{
	return fsnotify_get_cookie();
}

/* ---- records as read() gives them ---- */

/* One information record behind the metadata of an event. */
struct info {
	unsigned char type, inode, name;
};

enum { INFOS = 3, NAME_DOT = 0xfe, NAME_ODD = 0xfd };

/* What fanotify(7) says has to stand behind the metadata of such a record. */
static unsigned expected_infos(const struct fsnotify_group *group, const struct record *r,
			       struct info *out)
{
	unsigned mode = group->fanotify_data.flags & FANOTIFY_FID_BITS, n = 0;

	if (r->kind == BRIDGE_NAME) {
		unsigned char type = r->name == BRIDGE_NONE ? FAN_EVENT_INFO_TYPE_DFID
							    : FAN_EVENT_INFO_TYPE_DFID_NAME;
		if (r->mask & FAN_RENAME)
			type = FAN_EVENT_INFO_TYPE_OLD_DFID_NAME;
		if (r->dir != BRIDGE_NONE)
			out[n++] = (struct info){type, r->dir, r->name};
		if (r->new_dir != BRIDGE_NONE)
			out[n++] = (struct info){FAN_EVENT_INFO_TYPE_NEW_DFID_NAME, r->new_dir,
						 r->new_name};
		if (r->inode != BRIDGE_NONE)
			out[n++] = (struct info){FAN_EVENT_INFO_TYPE_FID, r->inode, BRIDGE_NONE};
	} else if (r->kind == BRIDGE_FID) {
		struct info one = {FAN_EVENT_INFO_TYPE_FID, r->inode, BRIDGE_NONE};

		if ((mode & FAN_REPORT_NAME) && (r->mask & FAN_ONDIR))
			one = (struct info){FAN_EVENT_INFO_TYPE_DFID_NAME, r->inode, NAME_DOT};
		else if (mode != FAN_REPORT_FID &&
			 (r->mask & (ALL_FSNOTIFY_DIRENT_EVENTS | FAN_ONDIR)))
			one.type = FAN_EVENT_INFO_TYPE_DFID;
		out[n++] = one;
	}
	return n;
}

static struct info parse_info(const char *at)
{
	struct fanotify_event_info_fid head;
	struct file_handle handle;
	const char *bytes = at + sizeof(head) + sizeof(handle);
	struct info info = {.name = BRIDGE_NONE};

	memcpy(&head, at, sizeof(head));
	memcpy(&handle, at + sizeof(head), sizeof(handle));
	info.type = head.hdr.info_type;
	info.inode = handle_inode(bytes, handle.handle_bytes);
	if (info.type == FAN_EVENT_INFO_TYPE_FID || info.type == FAN_EVENT_INFO_TYPE_DFID)
		return info;
	bytes += handle.handle_bytes;
	info.name = strcmp(bytes, ".") ? name_id(bytes, strlen(bytes)) : NAME_DOT;
	if (info.name == BRIDGE_NONE)
		info.name = NAME_ODD;
	return info;
}

/* What is read otherwise than it was queued, as a number that says how. */
static unsigned odd(unsigned what, unsigned value)
{
	return (what << 24 ^ value * 0x9e3779b1u) | 1;
}

static unsigned check_infos(const struct fsnotify_group *group, const struct record *r,
			    const char *at, const char *end)
{
	struct info due[INFOS];
	unsigned dues = expected_infos(group, r, due), n = 0;
	struct fanotify_event_info_header head;

	for (; at < end; at += head.len, n++) {
		struct info info;

		memcpy(&head, at, sizeof(head));
		if (n == dues || !head.len)
			return odd(1, head.info_type);
		info = parse_info(at);
		if (info.type != due[n].type || info.inode != due[n].inode ||
		    info.name != due[n].name)
			return odd(2, (unsigned)info.type << 16 | (unsigned)info.inode << 8 |
					      info.name);
	}
	return n == dues ? 0 : odd(3, n);
}

static unsigned check_object(const struct record *r)
{
	struct file *file = fdget((unsigned)r->fd).file;

	if (!file || r->dentry == BRIDGE_NONE)
		return odd(4, r->dentry);
	if (index_of_dentry(file->f_path.dentry) != r->dentry ||
	    index_of_mount(real_mount(file->f_path.mnt)) != r->mount)
		return odd(5, index_of_dentry(file->f_path.dentry));
	return 0;
}

/* With PIDFD the last record is a descriptor of the process whose number was read; it is closed. */
static unsigned check_pidfd(const char *at, const struct record *r)
{
	struct fanotify_event_info_pidfd info;
	struct file *file;
	unsigned number;

	memcpy(&info, at, sizeof(info));
	if (info.hdr.info_type != FAN_EVENT_INFO_TYPE_PIDFD || info.hdr.len != sizeof(info))
		return odd(10, info.hdr.info_type);
	if (info.pidfd < 0)
		return r->kind == BRIDGE_LOST ? 0 : odd(11, (unsigned)info.pidfd);
	file = fdget((unsigned)info.pidfd).file;
	if (!file || file->f_op != &pidfd_operations)
		return odd(12, 0);
	number = file->f_flags;
	close_fd((unsigned)info.pidfd);
	return number == r->pid_read ? 0 : odd(13, number);
}

static size_t check_fanotify(const struct fsnotify_group *group, const char *at, struct record *r)
{
	struct fanotify_event_metadata event;
	unsigned strange = 0;
	const char *end;

	memcpy(&event, at, sizeof(event));
	end = at + event.event_len;
	r->fd = event.fd;
	r->pid_read = (unsigned char)event.pid;
	if (group->fanotify_data.flags & FAN_REPORT_PIDFD) {
		end -= sizeof(struct fanotify_event_info_pidfd);
		strange = check_pidfd(end, r);
	}
	if ((u32)event.mask != (r->mask & ~(u32)FS_EVENT_ON_CHILD))
		r->odd = odd(6, (u32)event.mask);
	else if (event.fd >= 0 || r->kind == BRIDGE_PATH || r->kind == BRIDGE_ASK)
		r->odd = check_object(r);
	else
		r->odd = check_infos(group, r, at + event.metadata_len, end);
	if (strange)
		r->odd = strange;
	return event.event_len;
}

static size_t check_inotify(const char *at, struct record *r)
{
	struct inotify_event event;
	const char *name = at + sizeof(event);
	const u32 shown = IN_ALL_EVENTS | IN_ISDIR | IN_UNMOUNT | IN_IGNORED | IN_Q_OVERFLOW;

	memcpy(&event, at, sizeof(event));
	if (event.mask != (r->mask & shown) || event.wd != r->wd || event.cookie != r->cookie)
		r->odd = odd(7, event.mask ^ (u32)event.wd << 16 ^ event.cookie);
	else if ((event.len ? name_id(name, strlen(name)) : BRIDGE_NONE) != r->name)
		r->odd = odd(8, event.len);
	return sizeof(event) + event.len;
}

/* poll() has to say whether there is something, and FIONREAD how much; 0, or what is odd. */
static unsigned check_announced(struct file *file, unsigned queued, size_t *announced)
{
	bool readable = file->f_op->poll(file, NULL) & EPOLLIN;
	int bytes = -1;

	if (file->f_op->unlocked_ioctl(file, FIONREAD, (unsigned long)&bytes) != 0)
		return odd(9, 0);
	*announced = (size_t)bytes;
	return readable == (queued > 0) ? 0 : odd(9, 1);
}

/* Into a buffer that is too small goes nothing, and nothing is lost. */
static unsigned check_small_buffer(struct file *file, char *buffer, unsigned queued)
{
	ssize_t size = file->f_op->read(file, buffer, 1, NULL);

	return size == (queued ? -EINVAL : -EAGAIN) ? 0 : odd(10, (unsigned)size);
}

unsigned machine_read(int fd, struct record *out)
{
	static char buffer[BUFFER];
	struct fsnotify_group *group = group_of(fd);
	struct file *file = open_files[fd];
	unsigned queued = machine_queue(fd, out), count = 0;
	size_t at = 0, announced = 0;
	unsigned strange = check_announced(file, queued, &announced);
	ssize_t size;

	if (!strange)
		strange = check_small_buffer(file, buffer, queued);
	size = file->f_op->read(file, buffer, sizeof(buffer), NULL);
	if (size == -EAGAIN)
		return 0;
	if (size <= 0)
		INTREE_DIE("read() of a group: %ld", (long)size);
	while (at < (size_t)size) {
		INTREE_REQUIRE(count < queued);
		if (is_fanotify(group))
			at += check_fanotify(group, buffer + at, &out[count++]);
		else
			at += check_inotify(buffer + at, &out[count++]);
	}
	if (count == queued && announced != at)
		strange = odd(9, (unsigned)announced);
	if (strange)
		out[0].odd = strange;
	return count;
}

static ssize_t answer(struct file *file, const struct fanotify_response *response, size_t size)
{
	return file->f_op->write(file, (const char *)response, size, NULL);
}

unsigned machine_answer(int fd, int event_fd, int deny)
{
	const struct fanotify_response right = {event_fd, deny ? FAN_DENY : FAN_ALLOW},
				       none = {event_fd, 0}, nobody = {FAN_NOFD, FAN_ALLOW},
				       other = {FDS, FAN_ALLOW},
				       audited = {event_fd, FAN_ALLOW | FAN_AUDIT};
	const struct {
		const struct fanotify_response *response;
		size_t size;
		ssize_t due;
	} wrong[] = {
		{&none, sizeof(none), -EINVAL},	      {&nobody, sizeof(nobody), -EINVAL},
		{&other, sizeof(other), -ENOENT},     {&right, sizeof(right) - 1, -EINVAL},
		{&audited, sizeof(audited), -EINVAL}, {NULL, sizeof(right), -EFAULT},
	};
	struct file *file = open_files[fd];
	unsigned strange = 0;
	ssize_t size;

	for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++)
		if (answer(file, wrong[i].response, wrong[i].size) != wrong[i].due)
			strange = odd(11, i);
	size = answer(file, &right, sizeof(right));
	if (size != sizeof(right) && !strange)
		INTREE_DIE("write() of an answer: %ld", (long)size);
	return strange;
}

/* Whose queue is it? */
void intree_listen(const wait_queue_head_t *queue)
{
	for (int fd = 0; fd < FDS; fd++) {
		const char *group, *at = (const char *)queue;

		if (!open_files[fd] || !open_files[fd]->f_op)
			continue;
		group = open_files[fd]->private_data;
		if (at >= group && at < group + sizeof(struct fsnotify_group)) {
			bridge_listen(fd);
			return;
		}
	}
	INTREE_DIE("somebody waits for a group that nobody has open");
}

/* ---- marks ---- */

static unsigned char mark_flags(const struct fsnotify_mark *mark)
{
	unsigned flags = 0;

	if (mark->flags & FSNOTIFY_MARK_FLAG_IGNORED_SURV_MODIFY)
		flags |= BRIDGE_SURV;
	if (mark->flags & FSNOTIFY_MARK_FLAG_NO_IREF)
		flags |= BRIDGE_EVICTABLE;
	if (mark->flags & FSNOTIFY_MARK_FLAG_HAS_IGNORE_FLAGS)
		flags |= BRIDGE_IGNORE_FORM;
	if (mark->flags & FSNOTIFY_MARK_FLAG_EXCL_UNLINK)
		flags |= BRIDGE_EXCL_UNLINK;
	if (mark->flags & FSNOTIFY_MARK_FLAG_IN_ONESHOT)
		flags |= BRIDGE_ONESHOT;
	return (unsigned char)flags;
}

static void see_object(struct fsnotify_mark_connector *conn, struct seen_mark *out)
{
	switch (conn->type) {
	case FSNOTIFY_OBJ_TYPE_INODE:
		out->kind = BRIDGE_INODE;
		out->object = index_of_inode(fsnotify_conn_inode(conn));
		break;
	case FSNOTIFY_OBJ_TYPE_VFSMOUNT:
		out->kind = BRIDGE_MOUNT;
		out->object = index_of_mount(fsnotify_conn_mount(conn));
		break;
	case FSNOTIFY_OBJ_TYPE_SB:
		out->kind = BRIDGE_SB;
		out->object = index_of_sb(fsnotify_conn_sb(conn));
		break;
	default: INTREE_DIE("a mark of a group on an object of type %d", conn->type);
	}
}

unsigned machine_marks(int fd, struct seen_mark *out)
{
	struct fsnotify_group *group = group_of(fd);
	bool inotify = !is_fanotify(group);
	struct fsnotify_mark *mark;
	unsigned count = 0;

	list_for_each_entry(mark, &group->marks_list, g_list)
	{
		INTREE_REQUIRE(count < BRIDGE_MARKS && mark->connector);
		out[count] = (struct seen_mark){.mask = mark->mask,
						.ignored = mark->ignore_mask,
						.flags = mark_flags(mark)};
		if (inotify)
			out[count].wd = container_of(mark, struct inotify_inode_mark, fsn_mark)->wd;
		see_object(mark->connector, &out[count++]);
	}
	return count;
}

/* One line of fdinfo; false for the line about the group. */
static bool parse_fdinfo(const char *line, struct seen_mark *out)
{
	unsigned long object;
	unsigned flags, device;

	*out = (struct seen_mark){0};
	if (sscanf(line, "inotify wd:%x ino:%lx sdev:%x mask:%x ignored_mask:0 ",
		   (unsigned *)&out->wd, &object, &device, &out->mask) == 4) {
		out->object = (unsigned char)object;
		return true;
	}
	if (sscanf(line, "fanotify ino:%lx sdev:%x mflags:%x mask:%x ignored_mask:%x ", &object,
		   &device, &flags, &out->mask, &out->ignored) == 5)
		out->kind = BRIDGE_INODE;
	else if (sscanf(line, "fanotify mnt_id:%lx mflags:%x mask:%x ignored_mask:%x", &object,
			&flags, &out->mask, &out->ignored) == 4)
		out->kind = BRIDGE_MOUNT;
	else if (sscanf(line, "fanotify sdev:%lx mflags:%x mask:%x ignored_mask:%x", &object,
			&flags, &out->mask, &out->ignored) == 4)
		out->kind = BRIDGE_SB;
	else
		return false;
	/* mounts and devices are numbered from 1 */
	out->object = (unsigned char)(object - (out->kind != BRIDGE_INODE));
	out->flags = (unsigned char)((flags & FAN_MARK_IGNORED_SURV_MODIFY ? BRIDGE_SURV : 0) |
				     (flags & FAN_MARK_EVICTABLE ? BRIDGE_EVICTABLE : 0) |
				     (flags & FAN_MARK_IGNORE ? BRIDGE_IGNORE_FORM : 0));
	return true;
}

unsigned machine_fdinfo(int fd, struct seen_mark *out)
{
	static char text[FDINFO];
	struct seq_file into = {text, sizeof(text), 0};
	struct file *file = open_files[fd];
	unsigned count = 0;
	char *next;

	file->f_op->show_fdinfo(&into, file);
	INTREE_REQUIRE(into.count < sizeof(text));
	text[into.count] = '\0';
	for (char *line = text; *line; line = next) {
		next = strchr(line, '\n');
		INTREE_REQUIRE(next && count < BRIDGE_MARKS);
		next++;
		count += parse_fdinfo(line, &out[count]);
	}
	return count;
}
