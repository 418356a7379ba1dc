/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file of no file system, whose page cache the suites fill as they like.
 */
#ifndef PTEBATCH_FILE_H
#define PTEBATCH_FILE_H

#include <linux/fs.h>

struct file *ptebatch_file(void);

#endif /* PTEBATCH_FILE_H */
