/* SPDX-License-Identifier: MIT */
/* Between the files of the kernel's side: memory.c, objects.c, calls.c. */
#ifndef INTREE_MACHINE_H
#define INTREE_MACHINE_H

struct machine_limits;
struct inode;
struct mount;
struct super_block;
struct dentry;

void memory_start(const struct machine_limits *limits);
void objects_start(void);
int objects_allocated(void);
void calls_start(void);

/* The index of a twin. */
unsigned char index_of_inode(const struct inode *inode);
unsigned char index_of_dentry(const struct dentry *dentry);
unsigned char index_of_mount(const struct mount *mount);
unsigned char index_of_sb(const struct super_block *sb);
struct inode *inode_twin(int inode);
struct dentry *dentry_twin(int dentry);
struct mount *mount_twin(int mount);
struct super_block *sb_twin(int sb);
/* What is cached on all of them. */
extern unsigned twin_inodes;

#endif
