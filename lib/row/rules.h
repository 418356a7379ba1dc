/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules as failures quote them: number and text, see mm/README.md.
 */
#ifndef PTEBATCH_RULES_H
#define PTEBATCH_RULES_H

#define PTEBATCH_RULE_TWIN		"rule 1 (same as one by one)"
#define PTEBATCH_RULE_END		"rule 3 (end of a batch)"
#define PTEBATCH_RULE_NEIGHBOURS	"rule 4 (neighbours)"
#define PTEBATCH_RULE_MODEL		"rules 5 and 6 (entries that the model allows)"
#define PTEBATCH_RULE_WRITABLE		"rule 5 (write permission)"
#define PTEBATCH_RULE_ACCOUNTING	"rule 7 (accounting)"
#define PTEBATCH_RULE_TLB		"rule 8 (TLB)"
#define PTEBATCH_RULE_RETURN		"rule 9 (return value)"
#define PTEBATCH_RULE_LOG		"rule 10 (kernel log)"
#define PTEBATCH_RULE_FAULTS		"rule 12 (write faults)"
#define PTEBATCH_RULE_HINTS		"rule 13 (NUMA hints)"
#define PTEBATCH_RULE_FILE		"rule 17 (file folios)"
#define PTEBATCH_RULE_LAZYFREE		"rule 18 (lazyfree folios)"
#define PTEBATCH_RULE_HALFWAY		"rule 20 (failure halfway)"
#define PTEBATCH_RULE_MLOCKED		"rule 21 (mlocked and shared folios)"
#define PTEBATCH_RULE_PROCESS		"rule 23 (process_madvise())"
#define PTEBATCH_RULE_PARTIAL		"rule 24 (partial folios)"
#define PTEBATCH_RULE_BLOCKS		"rule 25 (contpte blocks)"
#define PTEBATCH_RULE_UNFOLDING		"rule 26 (unfolding)"
#define PTEBATCH_RULE_GATHERED		"rule 27 (accessed and dirty)"
#define PTEBATCH_RULE_COST		"rule 28 (cost)"
#define PTEBATCH_RULE_PROTECTION	"rule 29 (page protection)"
#define PTEBATCH_RULE_NOTIFIERS		"rule 30 (MMU notifiers)"
#define PTEBATCH_RULE_LAZY_MMU		"rule 31 (lazy MMU mode)"
#define PTEBATCH_RULE_DIRTY		"rule 32 (dirty bit set by another CPU)"
#define PTEBATCH_RULE_PROMISE		"rule 33 (what user space was promised)"

#endif /* PTEBATCH_RULES_H */
