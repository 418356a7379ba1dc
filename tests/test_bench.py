# SPDX-License-Identifier: GPL-2.0
"""Benches and comparisons: what is read from a guest, and what is made of it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import bench
import compare
from conftest import HALTED, KTAP, Machine, says
from errors import Trouble
from report import Counts
from settings import Settings

KERNEL = 'bench name=unmap kind=swap order=4 way=kernel pages=512 laps=5 min=51200 median=51300 max=52000'
TWIN = 'bench name=unmap kind=swap order=4 way=twin pages=512 laps=5 min=102400 median=102400 max=102400'
COUNTS = 'counts name=unmap kind=swap order=4 way=kernel flushes=16 unfolds=1'


def ktap(*lines: str) -> str:
    """What a guest prints that has these lines to say."""
    return KTAP.replace('    ok 2', ''.join(f'    # second: {line}\n' for line in lines) + '    ok 2')


def test_a_line_is_read() -> None:
    timing, twin = bench.read(ktap(KERNEL, TWIN, COUNTS))
    assert (timing.name, timing.way, timing.per_page) == ('unmap, swap, order 4', 'kernel', 100.0)
    assert (twin.way, twin.per_page) == ('twin', 200.0)
    assert bench.table([timing, twin], 'ns').splitlines()[-1] == '| unmap, swap, order 4 | 100.0 | 200.0 | 2.00 |'
    assert bench.events(ktap(COUNTS, COUNTS.replace('way=kernel', 'way=twin').replace('16', '99'))) == {
        'unmap, swap, order 4: flushes a folio': '16', 'unmap, swap, order 4: unfolds a folio': '1'}


def test_bench(machine: Machine) -> None:
    machine.program('qemu-system-x86_64', 'echo "$@" >>"$0.args"\n' + says(ktap(KERNEL, TWIN) + HALTED))
    ended = machine.run('bench', ARCH='x86_64')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '| unmap, swap, order 4 | 100.0 | 200.0 | 2.00 |' in ended.stdout
    written = json.loads((machine.out / 'x86_64/bench.json').read_text())
    assert (written['unit'], written['timings'][0]['min']) == ('instructions', 51200)
    assert '2.00' in (machine.out / 'x86_64/bench.md').read_text()
    asked = (machine.bin / 'qemu-system-x86_64.args').read_text()
    assert '-icount shift=0,sleep=off' in asked and 'ptebatch_*_bench' in asked and '-accel kvm' not in asked


def test_a_bench_that_fails_gives_no_figures(machine: Machine) -> None:
    machine.program('qemu-system-x86_64', says(ktap(KERNEL).replace('    ok 2', '    not ok 2') + HALTED))
    ended = machine.run('bench', ARCH='x86_64')
    assert ended.returncode == 2
    assert 'the benches have not all come to their end' in ended.stderr
    assert not (machine.out / 'x86_64/bench.json').exists()


def test_suites_that_time_nothing(machine: Machine) -> None:
    machine.guest(says(KTAP + HALTED))
    ended = machine.run('bench', SUITES='ptebatch_fake')
    assert ended.returncode == 2
    assert 'SUITES=ptebatch_fake times nothing' in ended.stderr


@pytest.mark.parametrize(('variables', 'complaint'), [
    ({'ARCH': 'um', 'CLOCK': 'count'}, 'CLOCK=count does not work with ARCH=um'),
    ({'ARCH': 'arm64', 'CLOCK': 'sundial'}, 'CLOCK=sundial is no clock; give CLOCK=count or CLOCK=native'),
    ({'ARCH': 'arm64', 'LOADABLE': '1'}, 'LOADABLE=, DEBUG=, EXHAUSTIVE=, SEED= and ROUNDS= are not for benches'),
    ({'ARCH': 'arm64', 'SEED': '1'}, 'are not for benches'),
])
def test_refused(variables: dict[str, str], complaint: str) -> None:
    with pytest.raises(Trouble, match=complaint.replace('.', r'\.')):
        Settings.read(variables).for_bench(variables)


@pytest.mark.parametrize('text', ['2', 'x%', '-1%', '%', '1e9%'])
def test_no_tolerance(text: str) -> None:
    with pytest.raises(Trouble, match='is no share'):
        compare.tolerance({'TOLERANCE': text})
    assert compare.tolerance({}) == 1.02


def side(took: int, events: dict[str, str] | None = None) -> compare.Side:
    return compare.Side(Counts(passed=2), [bench.Timing.parse(KERNEL[6:].replace('51200', str(took)))], events or {})


def test_rows() -> None:
    lines, slower = compare.rows(side(102400, {'flushes': '16', 'same': '1'}), side(51200, {'flushes': '1', 'same': '1'}),
                                 'ns', 1.02)
    assert lines == ['| suites | 2 passed, 0 failed, 0 skipped | 2 passed, 0 failed, 0 skipped | |',
                     '| unmap, swap, order 4: ns a page | 200.0 | 100.0 | 2.00 |', '| flushes | 16 | 1 | |']
    assert slower == []
    assert compare.rows(side(51200), side(52224), 'ns', 1.02)[1] == []
    assert compare.rows(side(51200), side(52225), 'ns', 1.02)[1] == ['unmap, swap, order 4: 100.0 before, 102.0 after']


def compared(machine: Machine, tmp_path: Path, slow: str) -> subprocess.CompletedProcess[str]:
    """`make compare` where only the kernel with the series has a file new.c, and is as fast as said then."""
    series = tmp_path / 'new.patch'
    series.write_text('--- /dev/null\n+++ b/mm/new.c\n@@ -0,0 +1 @@\n+int new;\n')
    machine.program('qemu-system-x86_64', 'if test -e mm/new.c; then'
                    + '\n' + says(ktap(KERNEL.replace('51200', slow)) + HALTED) + 'else\n' + says(ktap(KERNEL) + HALTED) + 'fi\n')
    return machine.run('compare', ARCH='x86_64', SERIES=str(series))


def test_compare(machine: Machine, tmp_path: Path) -> None:
    ended = compared(machine, tmp_path, '25600')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '| unmap, swap, order 4: instructions a page | 100.0 | 50.0 | 2.00 |' in ended.stdout
    assert '50.0' in (machine.out / 'compare.md').read_text()


def test_compare_that_finds_it_slower(machine: Machine, tmp_path: Path) -> None:
    ended = compared(machine, tmp_path, '60000')
    assert ended.returncode == 3, ended.stdout + ended.stderr
    assert '[SLOWER] unmap, swap, order 4: 100.0 before, 117.2 after' in ended.stdout


def test_compare_without_a_series(machine: Machine) -> None:
    ended = machine.run('compare', ARCH='x86_64')
    assert ended.returncode == 2
    assert 'there is no series to compare with' in ended.stderr
