/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes in /sys/kernel, without sysfs being mounted: at boot it is not.
 */
#ifndef PTEBATCH_SYSFS_H
#define PTEBATCH_SYSFS_H

#include <linux/types.h>

/**
 * struct ptebatch_setting - an attribute that a suite changes
 * @name: its name
 * @value: value while the suite runs
 * @before: value before; "": not read yet
 */
struct ptebatch_setting {
	const char *name, *value;
	char before[16];
};

int ptebatch_sysfs_set(const char *folder, struct ptebatch_setting *settings,
		       unsigned int nr);
void ptebatch_sysfs_restore(const char *folder, const struct ptebatch_setting *settings,
			    unsigned int nr);
int ptebatch_sysfs_read(const char *folder, const char *name, char *text, size_t size);
int ptebatch_sysfs_write(const char *folder, const char *name, const char *text);
ssize_t ptebatch_sysfs_read_binary(const char *folder, const char *name, void *data,
				   loff_t at, size_t size);
ssize_t ptebatch_sysfs_write_binary(const char *folder, const char *name, void *data,
				    loff_t at, size_t size);

#endif /* PTEBATCH_SYSFS_H */
