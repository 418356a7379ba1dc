# SPDX-License-Identifier: GPL-2.0
"""What the laps of benches execute: the plugin of QEMU, its output, and what the tables and the comparison make of it."""

from __future__ import annotations

import io
import shutil
import subprocess
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from commands import compare
from commands.compare import Side
from figures import functions
from figures import tables
from guests import laps as plugin
from guests.guest import Guest
from host.console import Console
from host.errors import Trouble
from results import laps
from results.record import Record
from results import timing
from unit.machine import Machine, ktap_with
from unit.test_bench import KERNEL, KEY, TWIN, cells, record

LAP = '''\
lap=7 barriers=0 atomics=1024 tlb-invalidations=2 instructions=51200 accesses=20480
change_pte_range.isra.0 40000
change_pte_range.cold 200
vm_normal_page 10985
tick_periodic 15
'''
EVENTS = {'barriers': 0, 'atomics': 1024, 'tlb-invalidations': 2, 'accesses': 20480}
FUNCTIONS = {'change_pte_range': 40200, 'vm_normal_page': 10985, 'others': 15}

# Machine code by its kind and its assembly.
X86 = {
    'barrier': {
        'lock addl $0,-4(%rsp)': 'f0834424fc00', 'mfence': '0faef0', 'lfence': '0faee8', 'sfence': '0faef8'},
    'atomic': {
        'lock incl (%rdi)': 'f0ff07', 'lock cmpxchg %rdx,(%rdi)': 'f0480fb117', 'lock btsq $3,(%rdi)': 'f0480fba2f03',
        'lock addl $1,-4(%rsp)': 'f0834424fc01', 'xchg %rax,(%rdi)': '488707', 'xchg %r8b,8(%rsi)': '44864608'},
    'tlb': {'invlpg (%rdi)': '0f013f', 'invpcid (%rsi),%rax': '660f388206', 'mov %rax,%cr3': '0f22d8'},
    'none': {
        'xchg %rax,%rbx': '4893', 'nop': '90', 'nopw 0(%rax,%rax)': '660f1f0400', 'mov %rax,%cr4': '0f22e0',
        'mov %cr3,%rax': '0f20d8', 'swapgs': '0f01f8', 'clflush (%rdi)': '0fae3f', 'fxsave64 (%rdi)': '480fae07',
        'clwb (%rdi)': '660fae37', 'cmpxchg %rdx,%gs:(%rdi)': '65480fb117', 'mov (%rdi),%rax': '488b07',
        'addl $0,-4(%rsp)': '834424fc00', 'rdtscp': '0f01f9', 'truncated': '0f38', 'nothing': ''},
}
ARM64 = {
    'barrier': {'dmb ish': 'bf3b03d5', 'dsb ishst': '9f3a03d5', 'dsb sy': '9f3f03d5', 'isb': 'df3f03d5'},
    'atomic': {
        'cas x0,x1,[x2]': '417ca0c8', 'casal w0,w1,[x2]': '41fce088', 'casp x0,x1,x2,x3,[x4]': '827c2048',
        'swpal x0,x1,[x2]': '4180e0f8', 'ldadd w0,w1,[x2]': '410020b8', 'ldaddal x0,x1,[x2]': '4100e0f8',
        'stset x0,[x2]': '5f3020f8', 'ldclral x0,x1,[x2]': '4110e0f8', 'ldumax x0,x1,[x2]': '416020f8',
        'stxr w0,x1,[x2]': '417c00c8', 'stlxr w0,w1,[x2]': '41fc0088', 'stxp w0,x1,x2,[x4]': '810820c8'},
    'tlb': {
        'tlbi vale1is,x0': 'a08308d5', 'tlbi vmalle1is': '1f8308d5', 'tlbi aside1is,x0': '408308d5',
        'tlbi rvae1is,x0': '208208d5'},
    'none': {
        'ldxr x0,[x1]': '207c5fc8', 'ldaxr x0,[x1]': '20fc5fc8', 'ldaxp x0,x2,[x1]': '20887fc8', 'clrex': '5f3f03d5',
        'sb': 'ff3003d5', 'ldar x0,[x1]': '20fcdfc8', 'stlr x0,[x1]': '20fc9fc8', 'ldapr x0,[x1]': '20c0bff8',
        'ldr x0,[x1,x2]': '206862f8', 'str x0,[x1,#-8]!': '208c1ff8', 'ldtr x0,[x1]': '200840f8', 'nop': '1f2003d5',
        'dc zva,x0': '20740bd5', 'ic ialluis': '1f7108d5', 'at s1e1r,x0': '007808d5', 'mrs x0,ttbr0_el1': '002038d5',
        'prfm pldl1keep,[x0]': '000080f9', 'yield': '3f2003d5', 'truncated': '1f20'},
}
# Reads lines of code in hexadecimal digits, and prints the kind of each.
CLASSIFY = '''\
#include <stdio.h>
#include "events.h"

int main(void)
{
	static const char *const names[] = { "barrier", "atomic", "tlb", "none" };
	char line[64];
	u8 code[16];
	unsigned int byte;
	size_t size;

	(void)x86_event;
	(void)arm64_event;
	while (fgets(line, sizeof(line), stdin)) {
		for (size = 0; sscanf(line + 2 * size, "%2x", &byte) == 1; size++)
			code[size] = byte;
		puts(names[EVENT(code, size)]);
	}
}
'''
# A kernel with nothing but functions.
STOPWATCH = 'void ptebatch_stopwatch_start(void) {}\nvoid ptebatch_stopwatch_stop(void) {}\n'


@pytest.mark.parametrize(('name', 'codes'), [('x86_event', X86), ('arm64_event', ARM64)])
def test_events_by_instruction(tmp_path: Path, name: str, codes: dict[str, dict[str, str]]) -> None:
    (tmp_path / 'classify.c').write_text(CLASSIFY)
    subprocess.run(['gcc', '-Wall', '-Wextra', '-Werror', '-fsanitize=address,undefined', f'-DEVENT={name}', '-I',
                    plugin.SOURCE.parent, '-o', tmp_path / 'classify', tmp_path / 'classify.c'], check=True)
    texts = {text: kind for kind, members in codes.items() for text in members}
    lines = '\n'.join(code for members in codes.values() for code in members.values()) + '\n'
    found = subprocess.run([tmp_path / 'classify'], input=lines, text=True, capture_output=True, check=True).stdout.splitlines()
    assert dict(zip(texts, found, strict=True)) == texts


def test_plugin_compiles_without_a_warning(tmp_path: Path) -> None:
    subprocess.run(['gcc', '-O2', '-Wall', '-Wextra', '-Werror', '-fPIC', '-shared', '-o', tmp_path / 'laps.so', plugin.SOURCE],
                   check=True)


def prepared(machine: Machine, kernel: str, clock: str = 'count') -> tuple[Guest, str]:
    """A guest with this kernel, and what prepare() printed."""
    settings = machine.settings(ARCH='x86_64').for_bench({'CLOCK': clock})
    guest = Guest(settings, machine.tree)
    guest.build_path.mkdir()
    settings.results.mkdir(parents=True)
    plugin.output(settings.results).write_text(LAP)
    subprocess.run(['gcc', '-xc', '-shared', '-fPIC', '-o', guest.build_path / 'vmlinux', '-'], input=kernel, text=True,
                   check=True)
    printed = io.StringIO()
    with redirect_stdout(printed):
        plugin.prepare(guest, Console())
    return guest, printed.getvalue()


needs_qemu = pytest.mark.skipif(not shutil.which('qemu-system-x86_64'), reason='no qemu-system-x86_64')


@needs_qemu
def test_qemu_loads_the_plugin(machine: Machine) -> None:
    guest, printed = prepared(machine, STOPWATCH)
    assert printed == ''
    assert guest.plugin.startswith(f'{guest.build_path}/ptebatch-laps.so,symbols=')
    assert laps.read(plugin.output(guest.settings.results)) == {}


@needs_qemu
def test_kernel_without_the_stopwatch(machine: Machine) -> None:
    guest, printed = prepared(machine, 'void other(void) {}\n')
    assert guest.plugin == ''
    assert printed.startswith('laps      no events, and no instructions by function: ')


def test_qemu_without_plugins(machine: Machine) -> None:
    machine.program('qemu-system-x86_64', 'echo "qemu-system-x86_64: -plugin: invalid option" >&2; exit 1\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PATH', machine.env()['PATH'])
        guest, printed = prepared(machine, STOPWATCH)
    assert guest.plugin == ''
    assert printed == 'laps      no events, and no instructions by function: qemu-system-x86_64: -plugin: invalid option\n'
    assert not plugin.output(guest.settings.results).exists()


def test_native_clock_has_no_laps(machine: Machine) -> None:
    guest, printed = prepared(machine, STOPWATCH, 'native')
    assert (guest.plugin, printed) == ('', '')
    assert not plugin.output(guest.settings.results).exists()


def counted(*lines: str, text: str = LAP) -> Record:
    """A record whose laps 7 and 8 have been counted."""
    return Record(KEY, timing.timings(ktap_with(*lines), laps.parse(text, 'laps')), [])


KERNEL_LAP, TWIN_LAP = KERNEL + ' lap=7', TWIN + ' lap=8'
TWICE = LAP.replace('lap=7', 'lap=8').replace('40000', '90000').replace('change_pte', 'ptebatch_twin_change_pte')


def test_lap_of_a_timing() -> None:
    kernel, twin = counted(KERNEL_LAP, TWIN_LAP).timings
    assert (kernel.events, kernel.functions) == (EVENTS, FUNCTIONS)
    assert (kernel.event('atomics'), kernel.event('unknown')) == (2.0, None)
    assert (twin.events, twin.functions, twin.event('atomics')) == ({}, {}, None)
    other, = timing.timings(ktap_with(KERNEL), laps.parse(LAP, 'laps'))
    assert other.events == {}


@pytest.mark.parametrize('line', ['lap=x', 'instructions=1', 'change_pte_range', 'change_pte_range many', 'a b 1'])
def test_unreadable_laps(line: str) -> None:
    with pytest.raises(Trouble, match=f'laps:6: unreadable line "{line}"; run make bench again'):
        laps.parse(LAP + line + '\n', 'laps')


@pytest.mark.parametrize(('name', 'plain'), [
    ('f.isra.0', 'f'), ('f.constprop.0.isra.12', 'f'), ('f.part.0.cold', 'f'), ('f.cold', 'f'), ('f.partial', 'f.partial'),
    ('f', 'f')])
def test_names_without_suffixes(name: str, plain: str) -> None:
    assert laps.plain(name) == plain


def test_functions_side_by_side() -> None:
    assert cells(functions.everything(counted(KERNEL_LAP, TWIN_LAP, text=LAP + TWICE))) == [
        ['change_pte_range', '176.2', '78.5', '-97.7'], ['vm_normal_page', '21.5', '21.5', '+0.0'],
        ['others', '0.0', '0.0', '+0.0'], ['all', '197.7', '100.0', '-97.7']]
    assert cells(functions.everything(counted(KERNEL_LAP))) == [
        ['change_pte_range', '78.5'], ['vm_normal_page', '21.5'], ['others', '0.0'], ['all', '100.0']]
    assert functions.everything(counted(KERNEL, TWIN)) == ''


def test_events_beside_the_timings() -> None:
    listing = tables.everything(counted(KERNEL_LAP, TWIN_LAP, text=LAP + TWICE))
    rows = [row for row in cells(listing[listing.index('| instructions a page'):]) if row[0].startswith('unmap')]
    assert rows == [['unmap, swap, order 4', '100.0', '200.0', '2.00',
                     '0.00 / 0.00', '2.00 / 2.00', '0.00 / 0.00', '40.00 / 40.00']]


def changed(text: str, lines: tuple[str, ...] = (KERNEL_LAP,)) -> compare.Verdict:
    return compare.compared(Side(counted(KERNEL_LAP)), Side(counted(*lines, text=text)), 1.02, 'on the kernel without fixes')


def test_more_events_are_slower() -> None:
    verdict = changed(LAP.replace('atomics=1024', 'atomics=1536').replace('tlb-invalidations=2', 'tlb-invalidations=3'))
    assert verdict.slower == ['unmap, swap, order 4, atomics a page: 2.00 before, 3.00 after',
                              'unmap, swap, order 4, tlb-invalidations a page: 0.00 before, 0.01 after']
    assert cells(verdict.text)[1:] == [['unmap, swap, order 4: atomics a page', '2.00', '3.00', ''],
                                       ['unmap, swap, order 4: tlb-invalidations a page', '0.00', '0.01', '']]


def test_fewer_events_are_not_slower() -> None:
    verdict = changed(LAP.replace('atomics=1024', 'atomics=512'))
    assert (verdict.slower, len(cells(verdict.text))) == ([], 2)


@pytest.mark.parametrize(('old', 'new'), [
    ('barriers=0', 'barriers=60'), ('atomics=1024', 'atomics=1084'), ('accesses=20480', 'accesses=21480')])
def test_events_of_a_timer_tick_are_ignored(old: str, new: str) -> None:
    assert len(cells(changed(LAP.replace(old, new)).text)) == 1
    more = new[:-1] + chr(ord(new[-1]) + 1)
    assert len(changed(LAP.replace(old, more)).slower) == 1


def test_events_on_one_side_only() -> None:
    with_events, without = Side(counted(KERNEL_LAP)), Side(record(KERNEL))
    for before, after, which in ((with_events, without, 'after'), (without, with_events, 'before')):
        verdict = compare.compared(before, after, 1.02, 'on the kernel without fixes')
        assert f'no events, and no instructions by function, of the kernel {which}: not compared\n' in verdict.text
        assert (verdict.slower, list(verdict.functions)) == ([], [])
    assert 'no events' not in compare.compared(without, without, 1.02, '').text + changed(LAP).text


def slower(functions_text: str, instructions: int) -> compare.Verdict:
    line = KERNEL_LAP.replace('51200', str(instructions)).replace('51300', '90000').replace('52000', '90000')
    return changed(LAP[:LAP.index('\n') + 1] + functions_text, (line,))


def test_functions_of_a_changed_figure() -> None:
    verdict = slower('change_pte_range 40200\nvm_normal_page 5985\ntick_periodic 15\nfolio_walk.part.0 10120\n', 56320)
    found, = verdict.functions
    assert found.startswith('| unmap, swap, order 4: instructions a page | before | after | difference |')
    assert cells(found) == [['folio_walk', '0.0', '19.8', '+19.8'], ['vm_normal_page', '21.5', '11.7', '-9.8'],
                            ['others', '78.5', '78.5', '+0.0'], ['all', '100.0', '110.0', '+10.0']]
    many = slower(''.join(f'f{number} {number * 1000}\n' for number in range(1, 20)), 62000)
    assert [row[0] for row in cells(many.functions[0])][-3:] == ['f13', 'others', 'all'] and len(cells(many.functions[0])) == 10


def test_figure_that_changed_little_is_not_explained() -> None:
    assert list(slower('change_pte_range 51400\n', 51400).functions) == []


def test_five_figures_are_printed_and_all_are_written(machine: Machine) -> None:
    verdicts = [compare.Verdict(f'{arch}\n', [], [], [f'| {arch} figure {number} |' for number in range(count)])
                for arch, count in (('x86_64', 7), ('arm64', 1))]
    printed = io.StringIO()
    machine.out.mkdir()
    with redirect_stdout(printed):
        assert compare.conclude(verdicts, 'compare.md', machine.env()) == 0
    assert (machine.out / 'compare.md').read_text().count('figure') == 8
    assert printed.getvalue().count('| x86_64 figure') == 5
    assert '| x86_64 figure 4 |\n\narm64\n\n| arm64 figure 0 |\n' in printed.getvalue()
    assert f'2 more figures changed: their functions are in {machine.out}/compare.md\n' in printed.getvalue()
