/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes in /sys/kernel, without sysfs being mounted: at boot it is not.
 */
#ifndef PTEBATCH_SYSFS_H
#define PTEBATCH_SYSFS_H

#include <linux/types.h>

int ptebatch_sysfs_read(const char *folder, const char *name, char *text, size_t size);
int ptebatch_sysfs_write(const char *folder, const char *name, const char *text);

#endif /* PTEBATCH_SYSFS_H */
