// SPDX-License-Identifier: GPL-2.0
/*
 * The attribute is found where sysfs has it, and asked as sysfs asks, and
 * debugfs is mounted for one write: nobody has mounted anything when the suites
 * run at boot.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/sched/mm.h>
#include <linux/sysfs.h>

#include "lru_gen.h"
#include "space.h"
#include "syscall.h"

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_SYSFS)

/* What it was set to, and is. */
static unsigned int before, now;

static struct kernfs_node *find_node(void)
{
	static const char * const path[] = { "mm", "lru_gen", "enabled" };
	struct kernfs_node *node = kernel_kobj->sd, *next;
	int i;

	kernfs_get(node);
	for (i = 0; node && i < ARRAY_SIZE(path); i++) {
		next = kernfs_find_and_get(node, path[i]);
		kernfs_put(node);
		node = next;
	}
	return node;
}

/* A page, as sysfs has for it. */
static int show(struct kobj_attribute *enabled, char *page, unsigned int *caps)
{
	ssize_t len = enabled->show(kernel_kobj, enabled, page);

	return len < 0 ? len : kstrtouint(strim(page), 0, caps);
}

static int change(unsigned int caps)
{
	struct kernfs_node *node = find_node();
	struct kobj_attribute *enabled;
	int err = -ENOMEM;
	ssize_t len;
	char *page;

	if (!node)
		return -ENOENT;
	enabled = container_of(node->priv, struct kobj_attribute, attr);
	page = (char *)get_zeroed_page(GFP_KERNEL);
	if (!page)
		goto out;
	err = show(enabled, page, &before);
	if (err)
		goto out;
	len = enabled->store(kernel_kobj, enabled, page,
			     sysfs_emit(page, "%u\n", caps));
	err = len < 0 ? len : show(enabled, page, &now);
out:
	free_page((unsigned long)page);
	kernfs_put(node);
	return err;
}

#else

static unsigned int before, now;

static int change(unsigned int caps)
{
	return 0;
}

#endif

/**
 * ptebatch_lru_gen_on() - have the multi-generational LRU, with all it has
 * @suite: a suite's suite_init
 *
 * Context: Process context, may sleep.
 * Return: 0, also where the kernel has none, or an error.
 */
int ptebatch_lru_gen_on(struct kunit_suite *suite)
{
	return change(UINT_MAX);
}

/**
 * ptebatch_lru_gen_off() - have the active and inactive lists
 * @suite: a suite's suite_init
 *
 * Context: Process context, may sleep.
 * Return: 0, also where the kernel has no other, or an error.
 */
int ptebatch_lru_gen_off(struct kunit_suite *suite)
{
	return change(0);
}

/**
 * ptebatch_lru_gen_as_before() - have what was before the suite
 * @suite: its suite_exit
 *
 * Context: Process context, may sleep.
 */
void ptebatch_lru_gen_as_before(struct kunit_suite *suite)
{
	change(before);
}

/**
 * ptebatch_lru_gen_missing() - why there are no generations
 *
 * Return: the reason, %NULL if there are.
 */
const char *ptebatch_lru_gen_missing(void)
{
	if (!IS_ENABLED(CONFIG_LRU_GEN))
		return "no generations without CONFIG_LRU_GEN";
	if (!now)
		return "the multi-generational LRU cannot be enabled without CONFIG_SYSFS";
	if (!mem_cgroup_disabled())
		return "memory cgroups have LRU lists of their own";
	return NULL;
}

/**
 * ptebatch_lru_gen_walk_missing() - why page tables are not walked
 *
 * Return: the reason, %NULL if they are.
 */
const char *ptebatch_lru_gen_walk_missing(void)
{
	if (!IS_ENABLED(CONFIG_LRU_GEN_WALKS_MMU) || !arch_has_hw_pte_young())
		return "no walks where the hardware does not set the accessed bit";
	if (!IS_ENABLED(CONFIG_DEBUG_FS))
		return "nobody can ask for a walk without CONFIG_DEBUG_FS";
	return ptebatch_lru_gen_missing();
}

#ifdef CONFIG_LRU_GEN

/**
 * ptebatch_lru_gen_of() - which generation a folio belongs to
 * @folio: the folio
 *
 * Return: its number, which is used again and again; -1 if it is on no list.
 */
int ptebatch_lru_gen_of(const struct folio *folio)
{
	return folio_lru_gen(folio);
}

/**
 * ptebatch_lru_gen_ago() - a generation of a folio's node
 * @folio: the folio
 * @ago: how many generations before the youngest
 *
 * Return: its number, see ptebatch_lru_gen_of().
 */
int ptebatch_lru_gen_ago(const struct folio *folio, unsigned int ago)
{
	const struct lruvec *lruvec = &folio_pgdat(folio)->__lruvec;

	return lru_gen_from_seq(READ_ONCE(lruvec->lrugen.max_seq) - ago);
}

#else

int ptebatch_lru_gen_of(const struct folio *folio)
{
	return -1;
}

int ptebatch_lru_gen_ago(const struct folio *folio, unsigned int ago)
{
	return -1;
}

#endif

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_DEBUG_FS)

/* A command to each node: age by one generation, skip nothing. */
static int say(char *text, size_t size)
{
	int nid, len = 0;

	for_each_node_state(nid, N_MEMORY)
		len += scnprintf(text + len, size - len, "+ 0 %d %lu 100 1\n", nid,
				 READ_ONCE(NODE_DATA(nid)->__lruvec.lrugen.max_seq));
	return len;
}

/* As a process writes: from its memory, which is not the one to be walked. */
static int write_from_user(struct file *file, const char *text, int len)
{
	struct mm_struct *mm = ptebatch_mm_alloc();
	unsigned long at;
	ssize_t done;
	loff_t pos = 0;

	if (!mm)
		return -ENOMEM;
	kthread_use_mm(mm);
	at = ptebatch_to_user(text, len);
	if (IS_ERR_VALUE(at))
		done = at;
	else
		done = file->f_op->write(file, (void __user *)at, len, &pos);
	kthread_unuse_mm(mm);
	mmput(mm);
	return done < 0 ? done : 0;
}

static int write_debugfs(struct vfsmount *mount, const char *text, int len)
{
	struct path path = {
		.mnt = mount,
		.dentry = debugfs_lookup("lru_gen", NULL),
	};
	struct file *file;
	int err;

	if (!path.dentry)
		return -ENOENT;
	file = dentry_open(&path, O_RDWR, current_cred());
	dput(path.dentry);
	if (IS_ERR(file))
		return PTR_ERR(file);
	err = write_from_user(file, text, len);
	__fput_sync(file);
	return err;
}

/**
 * ptebatch_lru_gen_walk() - have the page tables of an mm walked
 * @mm: the mm, for the first time; other mms are, too
 *
 * Afterwards each node has one generation more.
 *
 * Context: Process context of a kernel thread without an mm, may sleep.
 * Return: 0 or an error.
 */
int ptebatch_lru_gen_walk(struct mm_struct *mm)
{
	struct file_system_type *type = get_fs_type("debugfs");
	struct vfsmount *mount;
	char text[256];
	int err;

	if (!type)
		return -ENODEV;
	mount = kern_mount(type);
	module_put(type->owner);
	if (IS_ERR(mount))
		return PTR_ERR(mount);
	lru_gen_add_mm(mm);
	err = write_debugfs(mount, text, say(text, sizeof(text)));
	kern_unmount(mount);
	return err;
}

#else

int ptebatch_lru_gen_walk(struct mm_struct *mm)
{
	return -EOPNOTSUPP;
}

#endif
