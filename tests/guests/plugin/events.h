/* SPDX-License-Identifier: GPL-2.0 */
/* The events that the counting clock does not see, recognised by the instruction. */
#ifndef PTEBATCH_EVENTS_H
#define PTEBATCH_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;

enum event { BARRIER, ATOMIC, TLB, NONE };

/**
 * x86_event() - the event of an instruction of x86_64
 * @code: its bytes
 * @size: number of bytes
 *
 * Return: BARRIER for a fence and for smp_mb(), which is "lock addl $0,-4(%rsp)";
 * ATOMIC for all others with a lock prefix, and xchg with memory; TLB for
 * invlpg, invpcid and a write to CR3; otherwise NONE.
 */
static enum event x86_event(const u8 *code, size_t size)
{
	/* Lock, repeat, segments, sizes of operands and addresses. */
	static const char prefixes[] = "\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67";
	static const u8 add_stack[] = { 0x83, 0x44, 0x24, 0xfc, 0x00 };
	const u8 *end = code + size;
	bool lock = false, prefix = false;
	unsigned int op, reg;
	bool memory;

	for (; code < end && *code && strchr(prefixes, *code); code++) {
		lock |= *code == 0xf0;
		prefix |= *code == 0xf2 || *code == 0xf3 || *code == 0x66;
	}
	if (lock && (size_t)(end - code) == sizeof(add_stack) &&
	    !memcmp(code, add_stack, sizeof(add_stack)))
		return BARRIER;
	if (lock)
		return ATOMIC;
	if (code < end && (*code & 0xf0) == 0x40)	/* REX */
		code++;
	if (end - code < 2)
		return NONE;
	op = *code++;
	if (op == 0x0f)
		op = op << 8 | *code++;
	if (op == 0x0f38 && code < end)
		op = op << 8 | *code++;
	if (code == end)
		return NONE;
	reg = *code >> 3 & 7;
	memory = *code >> 6 != 3;
	switch (op) {
	case 0x0fae:
		return !memory && reg >= 5 && !prefix ? BARRIER : NONE;
	case 0x86:
	case 0x87:
		return memory ? ATOMIC : NONE;
	case 0x0f01:
		return memory && reg == 7 ? TLB : NONE;
	case 0x0f22:
		return reg == 3 ? TLB : NONE;
	case 0x0f3882:
		return TLB;
	}
	return NONE;
}

/**
 * arm64_event() - the event of an instruction of arm64
 * @code: its bytes
 * @size: number of bytes
 *
 * Return: BARRIER for dmb, dsb and isb; ATOMIC for the instructions of LSE, and
 * for the store of a pair of exclusive accesses; TLB for tlbi; otherwise NONE.
 */
static enum event arm64_event(const u8 *code, size_t size)
{
	u32 insn;

	if (size != sizeof(insn))
		return NONE;
	insn = code[0] | code[1] << 8 | code[2] << 16 | (u32)code[3] << 24;
	if ((insn & 0xfffff01f) == 0xd503301f)
		return (insn >> 5 & 7) >= 4 && (insn >> 5 & 7) <= 6 ? BARRIER : NONE;
	if ((insn & 0xfff8e000) == 0xd5088000)
		return TLB;
	/* ldadd, ldclr, ldset, swp, …; but not ldapr */
	if ((insn & 0x3f200c00) == 0x38200000)
		return (insn & 0x3fbffc00) == 0x38bfc000 ? NONE : ATOMIC;
	if ((insn & 0x3fa07c00) == 0x08a07c00 || (insn & 0xbfa07c00) == 0x08207c00)
		return ATOMIC;	/* cas, casp */
	if ((insn & 0x3fe00000) == 0x08000000 || (insn & 0xbfe00000) == 0x88200000)
		return ATOMIC;	/* stxr, stxp */
	return NONE;
}

#endif /* PTEBATCH_EVENTS_H */
