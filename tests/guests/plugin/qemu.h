/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of QEMU's interface for TCG plugins, version 1, that laps.c uses.
 * Debian's QEMU does not ship a header.
 */
#ifndef PTEBATCH_QEMU_H
#define PTEBATCH_QEMU_H

#include <stddef.h>

#include "events.h"

#define QEMU_EXPORT __attribute__((visibility("default")))

#define QEMU_PLUGIN_VERSION	1

/* qemu_plugin_cb_flags: the callback reads no registers. */
#define QEMU_NO_REGS	0

/* qemu_plugin_op: add to a counter, in the translated code. */
#define QEMU_ADD_U64	0

/* qemu_plugin_mem_rw; QEMU 7.2 counts stores as loads, and both as stores. */
#define QEMU_LOADS_AND_STORES	3

typedef u64 qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/**
 * struct qemu_info - the guest; the members that follow are not used
 * @target: architecture, for example "x86_64"
 */
struct qemu_info {
	const char *target;
};

typedef void (*qemu_translated_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_executed_t)(unsigned int cpu, void *data);
typedef void (*qemu_exit_t)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_translated_t translated);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_executed_t executed,
					    int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op,
						void *counter, u64 add);
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, int access, int op,
					  void *counter, u64 add);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_exit_t ended, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
u64 qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

#endif /* PTEBATCH_QEMU_H */
