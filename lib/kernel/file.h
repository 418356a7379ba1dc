/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file without a file system, of which the suites fill the page cache; writes to
 * any file; mounts of the kernel's own file systems.
 */
#ifndef PTEBATCH_FILE_H
#define PTEBATCH_FILE_H

#include <linux/fs.h>

struct file *ptebatch_file(void);
struct vfsmount;

int ptebatch_file_mount(const char *type, struct vfsmount **mount);
int ptebatch_file_write(struct file *file, const char *text, size_t bytes);
bool ptebatch_file_dirtied(const struct folio *folio);

#endif /* PTEBATCH_FILE_H */
