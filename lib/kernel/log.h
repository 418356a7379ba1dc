/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rule 10 (no kernel warning): find warnings and error reports in the kernel
 * log, see reports.h.
 */
#ifndef PTEBATCH_LOG_H
#define PTEBATCH_LOG_H

#include <kunit/test.h>
#include <linux/kmsg_dump.h>
#include <linux/seq_buf.h>

void ptebatch_warnings_begin(struct kmsg_dump_iter *log);
bool ptebatch_warnings_found(struct kmsg_dump_iter *log,
			     const char * const *expected, struct seq_buf *out);
void ptebatch_print_lines(struct kunit *test, struct seq_buf *out);

#endif /* PTEBATCH_LOG_H */
