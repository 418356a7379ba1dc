# SPDX-License-Identifier: GPL-2.0
"""Benches and comparisons: parsing of the guest's output, tables and verdicts."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from commands import compare
from commands.compare import Side
from unit.machine import HALTED, KTAP, Machine, ktap_with, print_log
from host.errors import Trouble
from host.settings import Settings
from results.record import Key, Record, load
from results.report import Counts
from results import timing

KERNEL = ('bench table=unmap name=unmap kind=swap order=4 way=kernel: '
          'pages=512 calls=32 laps=5 unit=ns own=52 min=51200 median=51300 max=52000')
TWIN = ('bench table=unmap name=unmap kind=swap order=4 way=twin: '
        'pages=512 calls=32 laps=5 unit=ns own=52 min=102400 median=102400 max=102400')
COUNTS = 'counts table=unmap name=unmap kind=swap order=4 way=kernel: per=folio flushes=16 unfolds=1'
KEY = Key('x86_64', 'instructions', 'linux-source-7.3 7.3.4-1', 'gcc 12', 'QEMU 7.2', 'd1ge57')


def test_parse_bench_lines() -> None:
    kernel, twin = timing.timings(ktap_with(KERNEL, TWIN, COUNTS))
    assert (kernel.name, kernel.way, kernel.per, kernel.cost) == ('unmap, swap, order 4', 'kernel', 'a page', 100.0)
    assert (twin.name, twin.way, twin.cost, twin.own) == (kernel.name, 'twin', 200.0, 52)
    counted, = timing.counts(ktap_with(KERNEL, COUNTS))
    assert counted.named() == {'unmap, swap, order 4: flushes a folio': 16, 'unmap, swap, order 4: unfolds a folio': 1}


@pytest.mark.parametrize(('what', 'name', 'per'), [
    ('table=mprotect name=ro-rw order=4 way=twin', 'mprotect ro-rw, order 4', 'a page'),
    ('table=mprotect name=ro-rw order=3', 'mprotect ro-rw, order 3', 'a page'),
    ('table=mprotect-size name=none-rw size=400 order=0 way=kernel', 'mprotect-size none-rw, 400 KiB, order 0', 'a call'),
    ('table=mprotect-fault name=write how=byte size=16 access=ro-rw', 'mprotect-fault write, byte, 16 KiB, ro-rw', 'an area'),
    ('table=madvise name=dontneed batch=0', 'madvise dontneed, batch 0', 'a page'),
])
def test_bench_names(what: str, name: str, per: str) -> None:
    line, = timing.timings(ktap_with(f'bench {what}: ' + KERNEL.split(': ')[1]))
    assert (line.name, line.per, line.cost) == (name, per, 100.0 if per == 'a page' else 1600.0)


@pytest.mark.parametrize('line', [
    KERNEL.replace(' min=51200', ''), KERNEL.replace('51200', 'x'), KERNEL.replace('pages=512', 'pages=0'),
    KERNEL.replace('min=51200', 'min=0'), KERNEL.replace('max=52000', 'max=5'), KERNEL.replace('way=kernel', 'way=no'),
    KERNEL.replace('kind=swap', 'swap'), KERNEL.replace(' name=unmap', ''), KERNEL[:40], COUNTS.replace('per=folio ', ''),
    COUNTS.split(' flushes')[0], COUNTS.replace('16', 'many'),
])
def test_malformed_lines(line: str) -> None:
    with pytest.raises(Trouble, match='unreadable line of a bench: "'):
        timing.timings(ktap_with(line))
        timing.counts(ktap_with(line))


def test_bench(machine: Machine) -> None:
    machine.program('qemu-system-x86_64', 'echo "$@" >>"$0.args"\n' + print_log(ktap_with(KERNEL, TWIN, COUNTS) + HALTED))
    ended = machine.run('bench', ARCH='x86_64')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '| unmap, swap, order 4 |              200.0 |  100.0 |  2.00 |' in ended.stdout
    written = json.loads((machine.out / 'x86_64/bench.json').read_text())
    assert (written['version'], written['unit'], written['timings'][0]['min']) == (1, 'instructions', 51200)
    assert written['kernel'] is None and 'gcc' in written['compiler'] and written['qemu']
    assert load(machine.out / 'x86_64/bench.json').counts[0].figures == {'flushes': 16, 'unfolds': 1}
    text = (machine.out / 'x86_64/bench.md').read_text()
    assert '| unmap, swap, order 4 |  100.0 |      200.0 |  2.00 |' in text
    assert '| unmap, swap, order 4: flushes a folio |     16 |            |' in text
    assert [path.name for path in (machine.out / 'x86_64/plots').iterdir()] == ['unmap-order.svg']
    assert 'bench.json, bench.md (all figures), plots: unmap-order.svg' in ended.stdout
    assert 'laps      no events, and no instructions by function: ' in ended.stdout      # the kernel has no functions
    assert not (machine.out / 'x86_64/functions.md').exists()
    args = (machine.bin / 'qemu-system-x86_64.args').read_text()
    assert '-icount shift=0,sleep=off' in args and 'ptebatch_*_bench' in args and '-accel kvm' not in args


def test_failed_bench_writes_no_record(machine: Machine) -> None:
    machine.program('qemu-system-x86_64', print_log(ktap_with(KERNEL).replace('    ok 2', '    not ok 2') + HALTED))
    ended = machine.run('bench', ARCH='x86_64')
    assert ended.returncode == 2
    assert 'a bench did not pass' in ended.stderr
    assert not (machine.out / 'x86_64/bench.json').exists()


def test_suites_without_timings(machine: Machine) -> None:
    machine.guest(print_log(KTAP + HALTED))
    ended = machine.run('bench', SUITES='ptebatch_fake')
    assert ended.returncode == 2
    assert 'SUITES=ptebatch_fake matches no bench' in ended.stderr


@pytest.mark.parametrize('text', ['2', 'x%', '-1%', '%', '1e9%'])
def test_invalid_tolerance(text: str) -> None:
    with pytest.raises(Trouble, match='expected a percentage'):
        compare.tolerance({'TOLERANCE': text})
    assert compare.tolerance({}) == 1.02


def record(*lines: str) -> Record:
    return Record(KEY, timing.timings(ktap_with(*lines)), timing.counts(ktap_with(*lines)))


def side(minimum: int) -> Side:
    return Side(record(KERNEL.replace('51200', str(minimum)).replace('51300', '200000').replace('52000', '200000')))


def cells(text: str) -> list[list[str]]:
    """The cells of a table, without its header."""
    lines = [line for line in text.splitlines() if line.startswith('|')]
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in lines[2:]]


def test_compare_table() -> None:
    same = COUNTS.replace('order=4', 'order=0')
    before = Side(record(KERNEL.replace('51200', '51100'), COUNTS, same), {'ptebatch_a': Counts(passed=2)})
    after = Side(record(KERNEL.replace('51200', '25550'), COUNTS.replace('16', '1'), same),
                 {'ptebatch_a': Counts(passed=1, failed=1, crashed=1), 'ptebatch_b': Counts(passed=1)})
    verdict = compare.compared(before, after, 1.02, 'series on the kernel without fixes')
    assert verdict.text.startswith(
        'x86_64: linux-source-7.3 7.3.4-1; gcc 12; QEMU 7.2; series on the kernel without fixes\n\n| x86_64 ')
    assert cells(verdict.text) == [
        ['ptebatch_a: passed / failed / skipped', '2 / 0 / 0', '1 / 2 / 0', ''],
        ['ptebatch_b: passed / failed / skipped', '', '1 / 0 / 0', ''],
        ['unmap, swap, order 4: instructions a page', '99.8', '49.9', '2.00'],
        ['unmap, swap, order 4: flushes a folio', '16', '1', '']]
    assert (verdict.slower, verdict.worse) == ([], [])


def test_slower_than_the_tolerance() -> None:
    assert compare.compared(side(51200), side(52224), 1.02, 'on the kernel without fixes').slower == []
    assert compare.compared(side(51200), side(52225), 1.02, 'on the kernel without fixes').slower == [
        'unmap, swap, order 4: 100.0 before, 102.0 after (+2.0 %)']


def test_slower_twin_is_ignored() -> None:
    slow = TWIN.replace('102400', '204800')
    before, after = Side(record(KERNEL, TWIN)), Side(record(KERNEL, slow))
    assert compare.compared(before, after, 1.02, 'on the kernel without fixes').slower == []


def test_bench_on_one_side_is_reported() -> None:
    other = KERNEL.replace('order=4', 'order=0')
    verdict = compare.compared(Side(record(KERNEL, COUNTS)), Side(record(other)), 1.02, 'on the kernel without fixes')
    assert cells(verdict.text) == [
        ['unmap, swap, order 4: instructions a page', '100.0', '', 'only before'],
        ['unmap, swap, order 0: instructions a page', '', '100.0', 'only after'],
        ['unmap, swap, order 4: flushes a folio', '16', '', ''],
        ['unmap, swap, order 4: unfolds a folio', '1', '', '']]
    assert verdict.slower == []


def test_two_kernels(tmp_path: Path) -> None:
    older = Settings.read({'ARCH': 'x86_64', 'KERNEL': '7.2', 'FIXES': str(tmp_path)})
    before, after, change = compare.pair(older, '7.3')
    assert (before.release, after.release, before.fixes, after.fixes) == ('7.2', '7.3', None, None)
    assert change == 'before: KERNEL=7.2, after: KERNEL=7.3'
    assert compare.pair(older, str(tmp_path))[1].ksrc == tmp_path
    for settings, to, message in ((older, '/nosuch', 'TO=/nosuch: neither a folder nor a version'), (older, '', 'SERIES= is not set'),
                                  (replace(older, series=tmp_path), '7.3', 'SERIES= and TO=')):
        with pytest.raises(Trouble, match=message):
            compare.pair(settings, to)


def compared(machine: Machine, slow: str) -> subprocess.CompletedProcess[str]:
    """Run `make compare`. The bench takes `slow` instructions if the series added mm/new.c, else 51200."""
    with_series = ktap_with(KERNEL.replace('51200', slow).replace('51300', '60000').replace('52000', '60000'))
    machine.program('qemu-system-x86_64', 'if test -e mm/new.c; then\n' + print_log(with_series + HALTED) + 'else\n'
                    + print_log(ktap_with(KERNEL) + HALTED) + 'fi\n')
    return machine.run('compare', ARCH='x86_64', SERIES=str(machine.new_file()), SELFTESTS='0')


def test_compare(machine: Machine) -> None:
    ended = compared(machine, '25600')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert cells((machine.out / 'compare.md').read_text()) == [
        ['ptebatch_fake: passed / failed / skipped', '2 / 0 / 0', '2 / 0 / 0', ''],
        ['unmap, swap, order 4: instructions a page', '100.0', '50.0', '2.00']]
    assert (machine.out / 'compare.md').read_text() in ended.stdout
    assert load(machine.out / 'after/x86_64/bench.json').timings[0].min == 25600


def test_compare_reports_slower_series(machine: Machine) -> None:
    ended = compared(machine, '60000')
    assert ended.returncode == 3, ended.stdout + ended.stderr
    assert '\n[SLOWER] unmap, swap, order 4: 100.0 before, 117.2 after (+17.2 %)\n' in ended.stdout


BENCH = print_log(ktap_with(KERNEL) + HALTED)
FIRST, SECOND = ('ptebatch_fake: first', 'ptebatch_fake: second')
SKIPPED = KTAP.replace('ok 2 second', 'ok 2 second # SKIP no THP here')
FAILED = KTAP.replace('    ok 2', '    not ok 2')
WARNED = KTAP + 'WARNING: CPU: {} PID: 1 at mm/memory.c:1\n'


@pytest.mark.parametrize(('before', 'after', 'status', 'worse', 'both'), [
    (FAILED, FAILED, 0, [], 1),
    (FAILED, KTAP, 0, [], 0),
    (FAILED, SKIPPED, 0, [], 0),
    (KTAP, FAILED, 1, [f'{SECOND}: pass before, fail after'], 0),
    (SKIPPED, FAILED, 1, [f'{SECOND}: skip before, fail after'], 0),
    (KTAP, SKIPPED, 1, [f'{SECOND}: pass before, skip after'], 0),
    (FAILED, FAILED.replace('ok 1 first', 'not ok 1 first', 1), 1, [f'{FIRST}: pass before, fail after'], 1),
    (KTAP.replace('1..2', '1..1').replace('    ok 2 second\n', ''), FAILED, 1, [f'{SECOND}: none before, fail after'], 0),
    (WARNED.format(0), WARNED.format(1), 0, [], 0),
    (KTAP, KTAP[:KTAP.index('    ok 2')] + 'Kernel panic - not syncing: oops\n', 1,
     ['the kernel panicked', 'kunit.py found errors in the KTAP output: 2',
      f'{SECOND}: pass before, none after', 'ptebatch_fake: a crash: none before, fail after'], 0),
    (KTAP, WARNED.format(1), 1, ['the kernel warned: WARNING: CPU: 1 PID: 1 at mm/memory.c:1'], 0),
])
def test_only_what_the_series_makes_worse_fails(machine: Machine, before: str, after: str, status: int, worse: list[str],
                                                both: int) -> None:
    machine.program('qemu-system-x86_64', f'case "$*" in *_bench*) {BENCH}exit ;; esac\nif test -e mm/new.c; then\n'
                                          f'{print_log(after + HALTED)}else\n{print_log(before + HALTED)}fi\n')
    ended = machine.run('compare', ARCH='x86_64', SERIES=str(machine.new_file()), SELFTESTS='0')
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert [line.removeprefix('[WORSE] ') for line in ended.stdout.splitlines() if line.startswith('[WORSE]')] == worse
    assert f' with another verdict, {both} fail on both kernels\n' in (machine.out / 'compare.md').read_text()


def test_compare_of_a_kernel_that_runs_no_case(machine: Machine) -> None:
    machine.program('qemu-system-x86_64', f'case "$*" in *_bench*) {BENCH}exit ;; esac\n{print_log(HALTED)}')
    ended = machine.run('compare', ARCH='x86_64', SERIES=str(machine.new_file()), SELFTESTS='0')
    assert ended.returncode == 2
    assert ended.stderr.startswith('ptebatch: no case ran; see ')
