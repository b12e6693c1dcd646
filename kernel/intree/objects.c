/* SPDX-License-Identifier: MIT */
/*
 * The twins: the kernel's objects of the file system, one per object of the world, and the calls of
 * the tree's hooks (include/linux/fsnotify.h of the tree) on them.
 *
 * The initial tree is copied from a template at every reset. A later object gets its twin when it
 * is first used; a dentry, as soon as it has a place in a directory (machine_place_dentry).
 */
#include <linux/fsnotify.h>

#include "kernel/intree/bridge.h"
#include "kernel/intree/machine.h"
#include "tree_build.h"

static struct objects {
	struct inode inode[BRIDGE_INODES];
	struct dentry dentry[BRIDGE_DENTRIES];
} all;
static struct mount mounts[BRIDGE_MOUNTS];
static struct super_block sbs[BRIDGE_SBS];

/* Twins made so far; the rest of the arrays is left from earlier programs. */
static bool inode_made[BRIDGE_INODES], dentry_made[BRIDGE_DENTRIES];
unsigned twin_inodes;
static unsigned twin_dentries;
static int initial_inodes, initial_dentries;

/* ---- indices ---- */

unsigned char index_of_inode(const struct inode *inode)
{
	return (unsigned char)(inode - all.inode);
}

unsigned char index_of_dentry(const struct dentry *dentry)
{
	return (unsigned char)(dentry - all.dentry);
}

unsigned char index_of_mount(const struct mount *mount)
{
	return (unsigned char)(mount - mounts);
}

unsigned char index_of_sb(const struct super_block *sb)
{
	return (unsigned char)(sb - sbs);
}

struct mount *mount_twin(int mount)
{
	return &mounts[mount];
}

struct super_block *sb_twin(int sb)
{
	return &sbs[sb];
}

/* ---- making twins ---- */

static void make_inode(int index)
{
	static const umode_t modes[] = {
		[BRIDGE_FILE] = S_IFREG | 0644,	   [BRIDGE_DIR] = S_IFDIR | 0755,
		[BRIDGE_SYMLINK] = S_IFLNK | 0777, [BRIDGE_FIFO] = S_IFIFO | 0644,
		[BRIDGE_PIPE] = S_IFIFO | 0600,
	};
	struct bridge_inode_info info = bridge_inode(index);
	struct inode *inode = &all.inode[index];

	memset(inode, 0, sizeof(*inode));
	inode->i_mode = modes[info.kind];
	inode->i_sb = &sbs[info.sb];
	inode->i_ino = (unsigned long)index;
	inode->i_nlink = 1;
	inode->i_generation = 1;
	inode_made[index] = true;
	if ((unsigned)index >= twin_inodes)
		twin_inodes = (unsigned)index + 1;
}

struct inode *inode_twin(int index)
{
	if (unlikely(!inode_made[index]))
		make_inode(index);
	return &all.inode[index];
}

static void set_name(struct qstr *name, int id)
{
	const char *text = id == BRIDGE_NONE ? "" : bridge_name(id);

	name->name = (const unsigned char *)text;
	name->len = (u32)strlen(text);
	name->hash = full_name_hash(NULL, text, name->len);
}

static void leave_directory(struct dentry *dentry)
{
	list_del_init(&dentry->d_child);
	hlist_del_init(&dentry->d_sib);
}

static void enter_directory(struct dentry *dentry, const struct bridge_dentry_info *info)
{
	set_name(&dentry->d_name, info->name);
	if (info->parent == BRIDGE_NONE) {
		dentry->d_parent = dentry;
		return;
	}
	dentry->d_parent = dentry_twin(info->parent);
	list_add(&dentry->d_child, &dentry->d_parent->d_subdirs);
	hlist_add_head(&dentry->d_sib, &dentry->d_parent->d_children);
}

static void make_dentry(int index)
{
	struct bridge_dentry_info info = bridge_dentry(index);
	struct dentry *dentry = &all.dentry[index];

	memset(dentry, 0, sizeof(*dentry));
	dentry_made[index] = true;
	if ((unsigned)index >= twin_dentries)
		twin_dentries = (unsigned)index + 1;
	INIT_LIST_HEAD(&dentry->d_subdirs);
	INIT_LIST_HEAD(&dentry->d_child);
	dentry->d_inode = inode_twin(info.inode);
	dentry->d_sb = dentry->d_inode->i_sb;
	hlist_add_head(&dentry->d_u.d_alias, &dentry->d_inode->i_dentry);
	enter_directory(dentry, &info);
}

struct dentry *dentry_twin(int index)
{
	if (unlikely(!dentry_made[index]))
		make_dentry(index);
	return &all.dentry[index];
}

void machine_place_dentry(int index)
{
	struct bridge_dentry_info info = bridge_dentry(index);
	struct dentry *dentry = dentry_twin(index);

	leave_directory(dentry);
	enter_directory(dentry, &info);
	spin_lock(&dentry->d_lock);
	fsnotify_update_flags(dentry);
	spin_unlock(&dentry->d_lock);
}

/* ---- reset ---- */

/* That a filesystem has them is all that is asked. */
static int encode_handle(struct inode *inode, __u32 *fh, int *length, struct inode *parent)
{
	(void)parent;
	return exportfs_encode_inode_fh(inode, (struct fid *)fh, length, NULL);
}

static struct dentry *decode_handle(struct super_block *sb, struct fid *fid, int length, int type)
{
	(void)sb, (void)fid, (void)length, (void)type;
	INTREE_DIE("%s", "nobody opens objects by their handles here");
}

static void make_mounts(void)
{
	static struct file_system_type type = {.name = "tree"};
	static const struct export_operations decodable = {
		.encode_fh = encode_handle,
		.fh_to_dentry = decode_handle,
	};

	static struct dentry nowhere = {.d_parent = &nowhere, .d_sb = &sbs[BRIDGE_SBS - 1]};

	memset(sbs, 0, sizeof(sbs));
	memset(mounts, 0, sizeof(mounts));
	for (int i = 0; i < BRIDGE_SBS; i++) {
		int root = bridge_root(i);

		sbs[i].s_type = &type;
		sbs[i].s_dev = (dev_t)i + 1;
		sbs[i].s_flags = SB_ACTIVE | (root == BRIDGE_NONE ? SB_NOUSER : 0);
		sbs[i].s_export_op = root == BRIDGE_NONE ? NULL : &decodable;
		sbs[i].s_user_ns = &init_user_ns;
		INIT_LIST_HEAD(&sbs[i].s_inodes);
		sbs[i].s_root = root == BRIDGE_NONE ? &nowhere : dentry_twin(root);
	}
	for (int i = 0; i < BRIDGE_MOUNTS; i++) {
		mounts[i].mnt_id = i + 1;
		mounts[i].mnt.mnt_sb = &sbs[bridge_mount_sb(i)];
		mounts[i].mnt.mnt_root = mounts[i].mnt.mnt_sb->s_root;
	}
}

/* What hangs on a superblock for as long as it lives (since 6.10). */
static void free_sbs(void)
{
#ifdef TREE_HAS_fsnotify_sb_free
	for (int i = 0; i < BRIDGE_SBS; i++) {
		if (sbs[i].s_fsnotify_info)
			fsnotify_sb_free(&sbs[i]);
		sbs[i].s_fsnotify_info = NULL;
	}
#endif
}

int objects_allocated(void)
{
	int count = 0;

#ifdef TREE_HAS_fsnotify_sb_free
	for (int i = 0; i < BRIDGE_SBS; i++)
		count += sbs[i].s_fsnotify_info != NULL;
#endif
	return count;
}

void objects_start(void)
{
	static struct objects initial;
	static struct mount initial_mounts[BRIDGE_MOUNTS];
	static struct super_block initial_sbs[BRIDGE_SBS];

	free_sbs();
	if (!initial_inodes) {
		make_mounts();
		initial_inodes = bridge_inodes();
		initial_dentries = bridge_dentries();
		for (int i = 0; i < initial_dentries; i++)
			dentry_twin(i);
		memcpy(initial_mounts, mounts, sizeof(mounts));
		memcpy(initial_sbs, sbs, sizeof(sbs));
		initial = all;
		return;
	}
	memset(inode_made + initial_inodes, 0, twin_inodes - (size_t)initial_inodes);
	memset(dentry_made + initial_dentries, 0, twin_dentries - (size_t)initial_dentries);
	twin_inodes = (unsigned)initial_inodes;
	twin_dentries = (unsigned)initial_dentries;
	memcpy(all.inode, initial.inode, (size_t)initial_inodes * sizeof(*all.inode));
	memcpy(all.dentry, initial.dentry, (size_t)initial_dentries * sizeof(*all.dentry));
	memcpy(mounts, initial_mounts, sizeof(mounts));
	memcpy(sbs, initial_sbs, sizeof(sbs));
}

/* ---- references, counted by the world ---- */

struct dentry *dget(struct dentry *dentry)
{
	if (dentry)
		bridge_use_dentry(index_of_dentry(dentry));
	return dentry;
}

struct dentry *dget_parent(struct dentry *dentry)
{
	return dget(dentry->d_parent);
}

void dput(struct dentry *dentry)
{
	if (dentry)
		bridge_leave_dentry(index_of_dentry(dentry));
}

void path_get(const struct path *path)
{
	bridge_use_mount(index_of_mount(real_mount(path->mnt)));
	dget(path->dentry);
}

void path_put(const struct path *path)
{
	bridge_leave_mount(index_of_mount(real_mount(path->mnt)));
	dput(path->dentry);
}

void ihold(struct inode *inode)
{
	atomic_inc(&inode->i_count);
	bridge_pin_inode(index_of_inode(inode));
}

struct inode *igrab(struct inode *inode)
{
	ihold(inode);
	return inode;
}

void iput(struct inode *inode)
{
	if (!inode)
		return;
	INTREE_MAY_SLEEP();
	INTREE_REQUIRE(atomic_read(&inode->i_count) > 0);
	atomic_dec(&inode->i_count);
	bridge_unpin_inode(index_of_inode(inode));
}

void d_delete(struct dentry *dentry)
{
	INTREE_DIE("d_delete(%.16s): names are removed by the world", dentry->d_name.name);
}

bool d_unlinked(const struct dentry *dentry)
{
	return bridge_unlinked(index_of_dentry(dentry));
}

bool inode_is_open_for_write(const struct inode *inode)
{
	return bridge_written(index_of_inode(inode));
}

/* ---- lookup and identity ---- */

int user_path_at(int directory, const char *name, unsigned int flags, struct path *path)
{
	int mount, dentry;
	int error = bridge_lookup((unsigned)(uintptr_t)name - 1, !!(flags & LOOKUP_FOLLOW), &mount,
				  &dentry);

	(void)directory;
	if (error)
		return error;
	*path = (struct path){.mnt = &mounts[mount].mnt, .dentry = dentry_twin(dentry)};
	if ((flags & LOOKUP_DIRECTORY) && !d_is_dir(path->dentry))
		return -ENOTDIR;
	path_get(path);
	return 0;
}

int vfs_get_fsid(struct dentry *dentry, __kernel_fsid_t *fsid)
{
	int sb = index_of_sb(dentry->d_sb);

	fsid->val[0] = bridge_has_fsid(sb) ? sb + 1 : 0;
	fsid->val[1] = 0;
	return 0;
}

/* As tmpfs does it: three words, the number of the inode among them. In the filesystem that is not
 * the first there are two more, as in btrfs: too long to stand in a record itself. */
int exportfs_encode_inode_fh(struct inode *inode, struct fid *fid, int *length,
			     struct inode *parent)
{
	u32 *word = (u32 *)fid;
	int words = index_of_sb(inode->i_sb) ? 5 : 3;

	(void)parent;
	if (*length < words) {
		*length = words;
		return FILEID_INVALID;
	}
	memset(word, 0, (size_t)words * sizeof(*word));
	word[0] = (u32)inode->i_ino;
	word[1] = inode->i_generation;
	*length = words;
	return FILEID_INO32_GEN;
}

/* ---- the hooks: open files ---- */

static void file_of(const struct machine_file *from, struct file *file)
{
	*file = (struct file){
		.f_path = {&mounts[from->mount].mnt, dentry_twin(from->dentry)},
		.f_mode = (from->can_read ? FMODE_READ : 0) | (from->can_write ? FMODE_WRITE : 0) |
			  (from->path_only ? FMODE_PATH : 0) |
			  (fmode_t)from->memory * FMODE_NONOTIFY_PERM,
		.f_flags = from->program ? __FMODE_EXEC : 0,
	};
	file->f_inode = file->f_path.dentry->d_inode;
}

static int may_open(struct file *file)
{
#if defined(TREE_HAS_fsnotify_perm)
	return fsnotify_perm(file, MAY_OPEN);
#else
	return fsnotify_open_perm(file);
#endif
}

static int may_read(struct file *file)
{
#if defined(TREE_HAS_fsnotify_perm)
	return fsnotify_perm(file, MAY_READ);
#else
	return fsnotify_file_perm(file, MAY_READ);
#endif
}

int machine_file_event(const struct machine_file *from, enum machine_event event)
{
	struct file file;
	int error = 0;

	file_of(from, &file);
	switch (event) {
	case MACHINE_OPEN: fsnotify_open(&file); break;
	case MACHINE_ACCESS: fsnotify_access(&file); break;
	case MACHINE_MODIFY: fsnotify_modify(&file); break;
	case MACHINE_CLOSE: fsnotify_close(&file); break;
	case MACHINE_MAY_OPEN: error = may_open(&file); break;
	case MACHINE_MAY_READ: error = may_read(&file); break;
	}
	return error;
}

unsigned machine_file_mode(const struct machine_file *from)
{
	struct file file;

	file_of(from, &file);
#ifdef TREE_HAS_file_set_fsnotify_mode
	file_set_fsnotify_mode(&file);
#endif
	return (file.f_mode & (FMODE_NONOTIFY | FMODE_NONOTIFY_PERM)) / FMODE_NONOTIFY_PERM;
}

/* ---- the hooks: names and attributes ---- */

void machine_change(int dentry, enum machine_change change)
{
	static const unsigned int valid[] = {
		[CHANGE_MODE] = ATTR_MODE | ATTR_CTIME,
		[CHANGE_SIZE] = ATTR_SIZE | ATTR_MTIME | ATTR_CTIME,
		[CHANGE_TIMES] = ATTR_ATIME | ATTR_MTIME | ATTR_CTIME,
		[CHANGE_ATIME] = ATTR_ATIME | ATTR_CTIME,
		[CHANGE_MTIME] = ATTR_MTIME | ATTR_CTIME,
	};

	if (change == CHANGE_XATTR)
		fsnotify_xattr(dentry_twin(dentry));
	else
		fsnotify_change(dentry_twin(dentry), valid[change]);
}

void machine_create(int index)
{
	struct dentry *dentry = dentry_twin(index);

	if (d_is_dir(dentry))
		fsnotify_mkdir(dentry->d_parent->d_inode, dentry);
	else
		fsnotify_create(dentry->d_parent->d_inode, dentry);
}

void machine_link(int index)
{
	struct dentry *dentry = dentry_twin(index);

	fsnotify_link(dentry->d_parent->d_inode, dentry->d_inode, dentry);
}

void machine_link_count(int inode)
{
	fsnotify_link_count(inode_twin(inode));
}

/* The dentry may be gone; the hook reads nothing of it but the name. */
void machine_delete(int dir, int name, int inode)
{
	struct dentry gone = {.d_parent = dentry_twin(dir)};

	set_name(&gone.d_name, name);
	fsnotify_delete(gone.d_parent->d_inode, inode_twin(inode), &gone);
}

void machine_move(int old_dir, int old_name, int new_dir, int moved, int overwritten)
{
	struct dentry *dentry = dentry_twin(moved);
	struct qstr name;

	set_name(&name, old_name);
	fsnotify_move(dentry_twin(old_dir)->d_inode, dentry_twin(new_dir)->d_inode, &name,
		      d_is_dir(dentry), overwritten == BRIDGE_NONE ? NULL : inode_twin(overwritten),
		      dentry);
}

/* ---- the hooks: objects that go ---- */

void machine_inode_remove(int inode)
{
	fsnotify_inoderemove(inode_twin(inode));
}

void machine_inode_delete(int inode)
{
	if (inode_made[inode])
		fsnotify_inode_delete(&all.inode[inode]);
}

void machine_mount_delete(int mount)
{
	fsnotify_vfsmount_delete(&mounts[mount].mnt);
}

void machine_sb_delete(int sb, const unsigned char *inodes, unsigned count)
{
	INIT_LIST_HEAD(&sbs[sb].s_inodes);
	for (unsigned i = 0; i < count; i++)
		list_add_tail(&inode_twin(inodes[i])->i_sb_list, &sbs[sb].s_inodes);
	sbs[sb].s_flags &= ~(unsigned long)SB_ACTIVE;
	fsnotify_sb_delete(&sbs[sb]);
}

/* ---- what is cached ---- */

static bool see(struct seen_connector *out, int kind, int object, const void *marks, u32 interest)
{
	if (marks)
		*out = (struct seen_connector){(unsigned char)kind, (unsigned char)object,
					       interest};
	return marks;
}

static const void *sb_marks(const struct super_block *sb)
{
#ifdef TREE_HAS_fsnotify_sb_info
	return sb->s_fsnotify_info ? sb->s_fsnotify_info->sb_marks : NULL;
#else
	return sb->s_fsnotify_marks;
#endif
}

unsigned machine_connectors(struct seen_connector *out)
{
	unsigned count = 0;

	for (unsigned i = 0; i < twin_inodes; i++)
		if (inode_made[i])
			count += see(&out[count], BRIDGE_INODE, (int)i,
				     all.inode[i].i_fsnotify_marks, all.inode[i].i_fsnotify_mask);
	for (int i = 0; i < BRIDGE_MOUNTS; i++)
		count += see(&out[count], BRIDGE_MOUNT, i, mounts[i].mnt_fsnotify_marks,
			     mounts[i].mnt_fsnotify_mask);
	for (int i = 0; i < BRIDGE_SBS; i++)
		count += see(&out[count], BRIDGE_SB, i, sb_marks(&sbs[i]), sbs[i].s_fsnotify_mask);
	return count;
}

void machine_reset(const struct machine_limits *limits)
{
	intree_run_work();
	objects_start();
	memory_start(limits);
	calls_start();
}
