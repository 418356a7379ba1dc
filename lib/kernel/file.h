/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file without a file system. The suites fill its page cache themselves.
 */
#ifndef PTEBATCH_FILE_H
#define PTEBATCH_FILE_H

#include <linux/fs.h>

struct file *ptebatch_file(void);
bool ptebatch_file_dirtied(const struct folio *folio);

#endif /* PTEBATCH_FILE_H */
