/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel threads that work on all mms, such as ksmd.
 */
#ifndef PTEBATCH_DAEMON_H
#define PTEBATCH_DAEMON_H

#include <linux/types.h>

void ptebatch_daemon_preempts(const char *name, bool preempts);

#endif /* PTEBATCH_DAEMON_H */
