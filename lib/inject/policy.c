// SPDX-License-Identifier: GPL-2.0
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "../kernel/process.h"
#include "../space/pte.h"
#include "conditions.h"

static const char *policy_missing(const struct ptebatch_condition *condition)
{
	return IS_ENABLED(CONFIG_NUMA) ? NULL : "no memory policy without CONFIG_NUMA";
}

#ifdef CONFIG_NUMA

static void set_policy(const struct ptebatch_use *use, unsigned long entry,
		       struct mempolicy *policy)
{
	const struct ptebatch_place *place = use->trial->place;

	ptebatch_vma_lock(place->mm, place->start + entry * PAGE_SIZE)->vm_policy = policy;
	mmap_write_unlock(place->mm);
}

static void set_no_node(struct ptebatch_use *use, const unsigned long *args,
			struct pt_regs *regs)
{
	static struct mempolicy no_node = {
		.refcnt = ATOMIC_INIT(1), .mode = MPOL_BIND,
	};

	set_policy(use, 0, &no_node);
}

static void set_preferred(struct ptebatch_use *use, const unsigned long *args,
			  struct pt_regs *regs)
{
	static struct mempolicy preferred = {
		.refcnt = ATOMIC_INIT(1), .mode = MPOL_PREFERRED, .flags = MPOL_F_MOF,
	};

	preferred.nodes = nodemask_of_node(use->condition->value);
	set_policy(use, 0, &preferred);
}

static void reset_policy(struct ptebatch_use *use)
{
	set_policy(use, 0, NULL);
}

static void set_interleaved(struct ptebatch_use *use, const unsigned long *args,
			    struct pt_regs *regs)
{
	static struct mempolicy interleaved = {
		.refcnt = ATOMIC_INIT(1), .mode = MPOL_INTERLEAVE,
	};

	interleaved.nodes = node_states[N_MEMORY];
	set_policy(use, use->condition->value, &interleaved);
}

/* Which one of the nodes: by the offset of the folio's first page in the VMA, in folios. */
static unsigned int interleaved_node(const struct vm_area_struct *vma, unsigned long addr,
				     unsigned int order)
{
	unsigned long first = ALIGN_DOWN(addr, PAGE_SIZE << order);
	unsigned long folios = (vma->vm_pgoff >> order) +
			       ((first - vma->vm_start) >> (PAGE_SHIFT + order));
	unsigned int node = first_node(node_states[N_MEMORY]);

	for (folios %= num_node_state(N_MEMORY); folios; folios--)
		node = next_node(node, node_states[N_MEMORY]);
	return node;
}

static void expect_interleaved(struct ptebatch_use *use)
{
	const struct ptebatch_place *place = use->trial->place;
	unsigned long addr = place->start + use->condition->value * PAGE_SIZE;
	pmd_t *pmd = ptebatch_find_pmd(place->mm, addr);
	struct kunit *test = use->trial->test;
	const struct folio *folio;
	pte_t pte = __pte(0);

	set_policy(use, use->condition->value, NULL);
	if (pmd && !pmd_none(pmdp_get(pmd)))
		pte = ptep_get(pte_offset_kernel(pmd, addr));
	if (!pte_present(pte)) {
		KUNIT_FAIL(test, "entry %lu has no folio", use->condition->value);
		return;
	}
	folio = page_folio(pte_page(pte));
	mmap_read_lock(place->mm);
	KUNIT_EXPECT_EQ_MSG(test, folio_nid(folio),
			    interleaved_node(vma_lookup(place->mm, addr), addr, folio_order(folio)),
			    "node of the new folio of entry %lu", use->condition->value);
	mmap_read_unlock(place->mm);
}

#else
#define set_no_node	NULL
#define set_preferred	NULL
#define reset_policy	NULL
#define set_interleaved	NULL
#define expect_interleaved NULL
#endif

static const char *nodes_missing(const struct ptebatch_condition *condition)
{
	return policy_missing(condition) ?: num_node_state(N_MEMORY) > 1 ? NULL :
	       "no second node; boot with numa=fake=2";
}

const struct ptebatch_condition_type ptebatch_condition_no_memory_node = {
	.name = "the memory policy has no node", .missing = policy_missing,
	.occur = set_no_node, .end = reset_policy,
};

const struct ptebatch_condition_type ptebatch_condition_prefers_node = {
	.name = "the memory policy prefers a node", .missing = policy_missing,
	.occur = set_preferred, .end = reset_policy,
};

const struct ptebatch_condition_type ptebatch_condition_interleaves = {
	.name = "the memory policy interleaves the nodes", .missing = nodes_missing,
	.occur = set_interleaved, .end = expect_interleaved,
};
