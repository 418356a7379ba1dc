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

static struct kernfs_node *find_node(struct kernfs_node *from, const char *path)
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

/*
 * The length that show() or, if @store is set, store() returns, or an error.
 * @page: buffer of PAGE_SIZE bytes, as sysfs passes to show()
 */
static ssize_t call(const char *folder, const char *name, char *page, bool store)
{
	struct kernfs_node *dir = find_node(kernel_kobj->sd, folder);
	struct kernfs_node *node = dir ? find_node(dir, name) : NULL;
	struct kobj_attribute *attribute;
	ssize_t len = -ENOENT;

	if (node) {
		attribute = container_of(node->priv, struct kobj_attribute, attr);
		len = store ? attribute->store(dir->priv, attribute, page, strlen(page)) :
			      attribute->show(dir->priv, attribute, page);
	}
	kernfs_put(node);
	kernfs_put(dir);
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

#else

int ptebatch_sysfs_read(const char *folder, const char *name, char *text, size_t size)
{
	return -ENOENT;
}

int ptebatch_sysfs_write(const char *folder, const char *name, const char *text)
{
	return -ENOENT;
}

#endif
