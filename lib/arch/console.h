/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTEBATCH_ARCH_CONSOLE_H
#define PTEBATCH_ARCH_CONSOLE_H

#ifdef CONFIG_UML

#include <os.h>

/* UML drops console output while the pipe to the host is full, unless writes block. */
static inline void ptebatch_console_wait_for_host(void)
{
	os_set_fd_block(1, 1);
}

#else

static inline void ptebatch_console_wait_for_host(void)
{
}

#endif /* CONFIG_UML */

#endif /* PTEBATCH_ARCH_CONSOLE_H */
