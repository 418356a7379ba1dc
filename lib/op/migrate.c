// SPDX-License-Identifier: GPL-2.0
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/swap.h>

#include "internal.h"

#include "migrate.h"

/**
 * ptebatch_isolate() - take a folio from the LRU lists
 * @folio: the folio, which another task may have freed meanwhile
 *
 * Context: Process context, may sleep.
 * Return: true if the folio is isolated; it has one more reference.
 */
bool ptebatch_isolate(struct folio *folio)
{
	bool isolated;

	if (!folio_try_get(folio))
		return false;
	isolated = folio_isolate_lru(folio);
	folio_put(folio);
	return isolated;
}

#ifdef CONFIG_MIGRATION

static long migrate(const struct ptebatch_op *op, struct ptebatch_space *space,
		    bool twin)
{
	struct folio *folio = space->folios[0];

	/* Migration entries hold no references; the folio stays locked. */
	folio_get(folio);
	folio_lock(folio);
	try_to_migrate(folio, 0);
	return folio_mapped(folio) ? -EBUSY : 0;
}

/* The folio is its own destination: nothing is copied. */
static long migrated(const struct ptebatch_op *op, struct ptebatch_space *space,
		     bool twin)
{
	struct folio *folio = space->folios[0];

	remove_migration_ptes(folio, folio, 0);
	folio_unlock(folio);
	folio_put(folio);
	return 0;
}

/* Leaves the folios locked, as migration entries require. */
static long migrate_all(const struct ptebatch_op *op, struct ptebatch_space *space,
			bool twin)
{
	unsigned int i;

	for (i = 0; i < space->row.nr_folios; i++) {
		if (!folio_test_locked(space->folios[i]))
			folio_lock(space->folios[i]);
		try_to_migrate(space->folios[i], op->arg);
	}
	return 0;
}

static long migrate_and_back(const struct ptebatch_op *op, struct ptebatch_space *space,
			     bool twin)
{
	unsigned int i;

	migrate_all(op, space, twin);
	for (i = 0; i < space->row.nr_folios; i++) {
		remove_migration_ptes(space->folios[i], space->folios[i], 0);
		folio_unlock(space->folios[i]);
	}
	return 0;
}

static struct folio *alloc_destination(struct folio *src, unsigned long private)
{
	return folio_alloc(GFP_KERNEL, folio_order(src));
}

/* Each folio to a new one. */
static long move_all(const struct ptebatch_op *op, struct ptebatch_space *space,
		     bool twin)
{
	LIST_HEAD(isolated);
	unsigned int i;
	long failed;

	for (i = 0; i < space->row.nr_folios; i++) {
		struct folio *folio = space->folios[i];

		if (!ptebatch_isolate(folio))
			continue;
		list_add_tail(&folio->lru, &isolated);
		node_stat_mod_folio(folio, NR_ISOLATED_ANON + folio_is_file_lru(folio),
				    folio_nr_pages(folio));
	}
	failed = migrate_pages(&isolated, alloc_destination, NULL, 0, MIGRATE_SYNC,
			       MR_SYSCALL, NULL);
	putback_movable_pages(&isolated);
	return failed;
}

static const char *migration_missing(void)
{
	return NULL;
}

#else

static long migrate(const struct ptebatch_op *op, struct ptebatch_space *space,
		    bool twin)
{
	return -EOPNOTSUPP;
}

static long migrated(const struct ptebatch_op *op, struct ptebatch_space *space,
		     bool twin)
{
	return -EOPNOTSUPP;
}

static long migrate_all(const struct ptebatch_op *op, struct ptebatch_space *space,
			bool twin)
{
	return -EOPNOTSUPP;
}

static long migrate_and_back(const struct ptebatch_op *op, struct ptebatch_space *space,
			     bool twin)
{
	return -EOPNOTSUPP;
}

static long move_all(const struct ptebatch_op *op, struct ptebatch_space *space,
		     bool twin)
{
	return -EOPNOTSUPP;
}

static const char *migration_missing(void)
{
	return "no migration without CONFIG_MIGRATION";
}

#endif

/* The folio of the first entry of the range, into small folios. */
static long split_first(const struct ptebatch_op *op, struct ptebatch_space *space,
			bool twin)
{
	const struct ptebatch_entry *entry = &space->row.entries[space->row.from];
	struct folio *folio;
	long err;

	if (!ptebatch_entry_normal(entry))
		return -ENOENT;
	folio = space->folios[entry->folio];
	if (!folio_test_large(folio))
		return -EINVAL;
	if (!folio_try_get(folio))
		return -EBUSY;
	folio_lock(folio);
	/* Another task may have split it. */
	err = folio_test_large(folio) ? split_folio(folio) : -EINVAL;
	folio_unlock(folio);
	folio_put(folio);
	return err;
}

static const char *split_missing(void)
{
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ? NULL :
	       "no split without CONFIG_TRANSPARENT_HUGEPAGE";
}

const struct ptebatch_op ptebatch_migrate = {
	.name = "migrate", .function = "try_to_migrate()", .call = migrate,
	.missing = migration_missing, .no_twin = true,
};

const struct ptebatch_op ptebatch_migrated = {
	.name = "migrated", .function = "remove_migration_ptes()",
	.call = migrated, .missing = migration_missing, .no_twin = true,
};

const struct ptebatch_op ptebatch_migrate_all = {
	.function = "try_to_migrate()", .call = migrate_all,
	.missing = migration_missing, .no_twin = true,
};

const struct ptebatch_op ptebatch_migrate_and_back = {
	.function = "remove_migration_ptes()", .call = migrate_and_back,
	.missing = migration_missing, .no_twin = true,
};

const struct ptebatch_op ptebatch_move_folios = {
	.name = "move folios", .function = "migrate_pages()", .call = move_all,
	.missing = migration_missing, .no_twin = true,
};

const struct ptebatch_op ptebatch_split = {
	.name = "split", .function = "split_folio()", .call = split_first,
	.missing = split_missing, .no_twin = true,
};
