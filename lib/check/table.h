/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of the checks that run after each operation: the rule, the check
 * ptebatch_check_<name>(), and whether it requires a trial of a whole address
 * space. No include guard: the including file defines CHECK().
 */

CHECK(PTEBATCH_RULE_MODEL, model, false);
CHECK(PTEBATCH_RULE_RETURN, returned, false);
CHECK(PTEBATCH_RULE_NEIGHBOURS, neighbours, false);
CHECK(PTEBATCH_RULE_END, tables, true);
CHECK(PTEBATCH_RULE_TLB, flush, false);
CHECK(PTEBATCH_RULE_NOTIFIERS, announced, false);
CHECK(PTEBATCH_RULE_LAZY_MMU, lazy_mmu, false);
CHECK(PTEBATCH_RULE_PROTECTION, protection, false);
CHECK(PTEBATCH_RULE_BLOCKS, blocks, false);
CHECK(PTEBATCH_RULE_ACCOUNTING, accounting, true);
CHECK(PTEBATCH_RULE_ACCOUNTING, lists, true);
CHECK(PTEBATCH_RULE_ACCOUNTING, slots, true);
CHECK(PTEBATCH_RULE_ACCOUNTING, mlocked, true);
CHECK(PTEBATCH_RULE_ACCOUNTING, mapped, true);
CHECK(PTEBATCH_RULE_ACCOUNTING, deferred, true);
CHECK(PTEBATCH_RULE_ACCOUNTING, mm_ids, true);
CHECK(PTEBATCH_RULE_ACCOUNTING, watermark, true);
CHECK(PTEBATCH_RULE_ACCOUNTING, reverse_map, false);
CHECK(PTEBATCH_RULE_FILE, dirty, true);
CHECK(PTEBATCH_RULE_FILE, dirty_folio, true);
CHECK(PTEBATCH_RULE_TWIN, contents, true);
