/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rule 10: a kernel that complains fails the case that made it complain.
 */
#ifndef PTEBATCH_WARNINGS_H
#define PTEBATCH_WARNINGS_H

#include <linux/kmsg_dump.h>
#include <linux/seq_buf.h>

void ptebatch_warnings_begin(struct kmsg_dump_iter *log);
bool ptebatch_warnings_found(struct kmsg_dump_iter *log, struct seq_buf *out);

#endif /* PTEBATCH_WARNINGS_H */
