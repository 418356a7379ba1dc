// SPDX-License-Identifier: GPL-2.0
/*
 * At boot sysfs is not mounted when the suites run: call show() and store() of
 * the attribute directly.
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "sysfs.h"

#ifdef CONFIG_SYSFS

/* The longest path, and the longest name of an attribute. */
#define PATH_SIZE	64

static struct kernfs_node *find_below(struct kernfs_node *from, const char *path)
{
	struct kernfs_node *node = from, *next;
	char copy[PATH_SIZE], *rest = copy;
	const char *name;

	if (strscpy(copy, path, sizeof(copy)) < 0)
		return NULL;
	kernfs_get(node);
	while (node && (name = strsep(&rest, "/"))) {
		next = kernfs_find_and_get(node, name);
		kernfs_put(node);
		node = next;
	}
	return node;
}

/**
 * struct found - an attribute and its folder, with a reference to both
 * @dir: folder, %NULL if there is none
 * @node: attribute, %NULL if there is none
 */
struct found {
	struct kernfs_node *dir;
	struct kernfs_node *node;
};

static struct found find(const char *folder, const char *name)
{
	struct found found = { .dir = find_below(kernel_kobj->sd, folder) };

	if (found.dir)
		found.node = find_below(found.dir, name);
	return found;
}

static void release(struct found found)
{
	kernfs_put(found.node);
	kernfs_put(found.dir);
}

/*
 * The length that show() or, if @store is set, store() returns, or an error.
 * @page: buffer of PAGE_SIZE bytes, as sysfs passes to show()
 */
static ssize_t call(const char *folder, const char *name, char *page, bool store)
{
	struct found found = find(folder, name);
	struct kobj_attribute *attribute;
	ssize_t len = -ENOENT;

	if (found.node) {
		attribute = container_of(found.node->priv, struct kobj_attribute, attr);
		len = store ? attribute->store(found.dir->priv, attribute, page, strlen(page)) :
			      attribute->show(found.dir->priv, attribute, page);
	}
	release(found);
	return len;
}

/* The same with read() and write() of a binary attribute. */
static ssize_t call_binary(const char *folder, const char *name, char *data, loff_t at,
			   size_t size, bool write)
{
	struct found found = find(folder, name);
	const struct bin_attribute *attribute;
	ssize_t len = -ENOENT;

	if (found.node) {
		attribute = found.node->priv;
		len = (write ? attribute->write : attribute->read)
			(NULL, found.dir->priv, attribute, data, at, size);
	}
	release(found);
	return len;
}

/**
 * ptebatch_sysfs_read() - read an attribute
 * @folder: path of its folder below /sys/kernel
 * @name: its name
 * @text: receives the text, without white space at its end
 * @size: size of @text, in bytes
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOENT if there is no such attribute, or another error.
 */
int ptebatch_sysfs_read(const char *folder, const char *name, char *text, size_t size)
{
	char *page = (char *)get_zeroed_page(GFP_KERNEL);
	ssize_t len;

	if (!page)
		return -ENOMEM;
	len = call(folder, name, page, false);
	if (len >= 0)
		len = strscpy(text, strim(page), size);
	free_page((unsigned long)page);
	return min(len, 0);
}

/**
 * ptebatch_sysfs_write() - write an attribute
 * @folder: path of its folder below /sys/kernel
 * @name: its name
 * @text: the text
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOENT if there is no such attribute, or another error.
 */
int ptebatch_sysfs_write(const char *folder, const char *name, const char *text)
{
	char *page = (char *)get_zeroed_page(GFP_KERNEL);
	ssize_t len;

	if (!page)
		return -ENOMEM;
	strscpy(page, text, PAGE_SIZE);
	len = call(folder, name, page, true);
	free_page((unsigned long)page);
	return min(len, 0);
}

/**
 * ptebatch_sysfs_set() - set attributes of a folder, for the time of a suite
 * @folder: path of the folder below /sys/kernel
 * @settings: the attributes; their values before are saved in them
 * @nr: number of attributes
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error; after an error, too, ptebatch_sysfs_restore() restores what
 *         was changed.
 */
int ptebatch_sysfs_set(const char *folder, struct ptebatch_setting *settings,
		       unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = ptebatch_sysfs_read(folder, settings[i].name, settings[i].before,
					  sizeof(settings[i].before));
	for (i = 0; i < nr && !err; i++)
		err = ptebatch_sysfs_write(folder, settings[i].name, settings[i].value);
	return err;
}

/**
 * ptebatch_sysfs_restore() - restore attributes to their values before a suite
 * @folder: path of the folder below /sys/kernel
 * @settings: the attributes, after ptebatch_sysfs_set()
 * @nr: number of attributes
 *
 * Context: Process context, may sleep.
 */
void ptebatch_sysfs_restore(const char *folder, const struct ptebatch_setting *settings,
			    unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (*settings[i].before)
			ptebatch_sysfs_write(folder, settings[i].name, settings[i].before);
}

/**
 * ptebatch_sysfs_read_binary() - read from a binary attribute
 * @folder: path of its folder below /sys/kernel
 * @name: its name
 * @data: receives the data
 * @at: offset in the attribute, in bytes
 * @size: size of @data, in bytes
 *
 * Context: Process context, may sleep.
 * Return: number of bytes, -ENOENT if there is no such attribute, or another
 *         error.
 */
ssize_t ptebatch_sysfs_read_binary(const char *folder, const char *name, void *data,
				   loff_t at, size_t size)
{
	return call_binary(folder, name, data, at, size, false);
}

/**
 * ptebatch_sysfs_write_binary() - write to a binary attribute
 * @folder: path of its folder below /sys/kernel
 * @name: its name
 * @data: the data
 * @at: offset in the attribute, in bytes
 * @size: size of @data, in bytes
 *
 * Context: Process context, may sleep.
 * Return: number of bytes, -ENOENT if there is no such attribute, or another
 *         error.
 */
ssize_t ptebatch_sysfs_write_binary(const char *folder, const char *name, void *data,
				    loff_t at, size_t size)
{
	return call_binary(folder, name, data, at, size, true);
}

#else

int ptebatch_sysfs_set(const char *folder, struct ptebatch_setting *settings,
		       unsigned int nr)
{
	return -ENOENT;
}

void ptebatch_sysfs_restore(const char *folder, const struct ptebatch_setting *settings,
			    unsigned int nr)
{
}

int ptebatch_sysfs_read(const char *folder, const char *name, char *text, size_t size)
{
	return -ENOENT;
}

int ptebatch_sysfs_write(const char *folder, const char *name, const char *text)
{
	return -ENOENT;
}

ssize_t ptebatch_sysfs_read_binary(const char *folder, const char *name, void *data,
				   loff_t at, size_t size)
{
	return -ENOENT;
}

ssize_t ptebatch_sysfs_write_binary(const char *folder, const char *name, void *data,
				    loff_t at, size_t size)
{
	return -ENOENT;
}

#endif
