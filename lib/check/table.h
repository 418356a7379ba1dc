/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks that run after each operation, in this order: ptebatch_check_<name>.
 * No include guard: the including file defines CHECK().
 */

CHECK(entries),
CHECK(writable),
CHECK(returned),
CHECK(neighbours),
CHECK(tables),
CHECK(tlb),
CHECK(announced),
CHECK(lazy_mmu),
CHECK(protection),
CHECK(blocks),
CHECK(accounting),
CHECK(lists),
CHECK(slots),
CHECK(mlocked),
CHECK(mapped),
CHECK(cached),
CHECK(deferred),
CHECK(mm_ids),
CHECK(watermark),
CHECK(vm_counts),
CHECK(reverse_map),
CHECK(dirty),
CHECK(dirty_folio),
CHECK(contents),
