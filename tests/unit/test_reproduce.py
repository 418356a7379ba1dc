# SPDX-License-Identifier: GPL-2.0
"""`make reproduce`, with guests that only print a log."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from commands import reproduce
from unit.machine import Machine, print_log
from host.settings import PROJECT

BUGS = reproduce.of_architecture('x86_64')
PROGRAMS = [source.stem for source in reproduce.sources(BUGS)]
FIRST = PROGRAMS[0]


def log(**ends: str) -> str:
    """A boot log in which each program ends as given, or else reports that the kernel does not have the bug."""
    lines = []
    for name in PROGRAMS:
        end = ends.get(name.replace('-', '_'), 'exit 0: fine')
        lines += [f'ptebatch: begin {name}', f'ptebatch: end {name} {end}']
    return '\n'.join([*lines, 'ptebatch: done', 'reboot: Restarting system', ''])


def patch(machine: Machine, name: str) -> str:
    """A series that adds mm/NAME.c, by which the guest script identifies its kernel."""
    path = machine.tree.parent / f'{name}.patch'
    path.write_text(f'--- /dev/null\n+++ b/mm/{name}.c\n@@ -0,0 +1 @@\n+int {name};\n')
    return str(path)


def boot(machine: Machine, bare: str, fixed: str = log(), series: str = log(),
         **variables: str) -> subprocess.CompletedProcess[str]:
    machine.program('qemu-system-x86_64', f'if [ -e mm/series.c ]; then\n{print_log(series)}elif [ -e mm/fixed.c ]; then\n'
                                          f'{print_log(fixed)}else\n{print_log(bare)}fi\n')
    return machine.run('reproduce', **{'FIXES': patch(machine, 'fixed'), 'SERIES': patch(machine, 'series')} | variables)


def log_results() -> dict[str, reproduce.Result]:
    return reproduce.results(log())


def bug(text: str = '16 of 16 pages', program: str = FIRST) -> str:
    return log(**{program.replace('-', '_'): f'exit 1: {text}'})


def test_programs_have_keys_and_are_short() -> None:
    patches = [path.name[5:-6] for path in (PROJECT / 'mm/series').glob('*/*.patch')]
    for known in reproduce.known():
        assert known.bug and bool(known.program) != bool(known.reason)
        assert known.fix == 'none' or known.fix in patches, known
        assert not known.question or (PROJECT / known.question).exists()
        if known.program:
            assert (PROJECT / f'tests/reproducers/{known.program}.c').read_text().count('\n') < 80


def test_fixed_bug(machine: Machine) -> None:
    ended = boot(machine, bug())
    assert ended.returncode == 0, ended.stdout + ended.stderr
    [row] = [line for line in ended.stdout.splitlines() if f'| {FIRST} ' in line]
    assert [cell.strip() for cell in row.split('|')[3:-1]] == ['BUG: 16 of 16 pages', 'right: fine', 'right: fine']
    assert '| none: UML has no large folios' in ended.stdout
    assert (machine.out / 'reproduce/reproduce.md').read_text().strip() in ended.stdout
    [found] = [entry for entry in json.loads((machine.out / 'reproduce/reproduce.json').read_text())['bugs']
               if entry['program'] == FIRST]
    assert found['kernels']['without fixes'] == {'verdict': 'BUG', 'details': '16 of 16 pages'}
    counts = reproduce.counts(machine.out / 'reproduce/reproduce.json')
    assert (counts.passed, counts.failed, counts.skipped) == (len(PROGRAMS), 0, len(BUGS) - len(PROGRAMS))


@pytest.mark.parametrize(('fixed', 'message'), [
    (bug(), 'BUG: 16 of 16 pages'),
    (log(**{FIRST.replace('-', '_'): 'exit 2: no large folios'}), 'cannot tell: no large folios'),
    (log(**{FIRST.replace('-', '_'): 'exit 77: what'}), 'cannot tell: what'),
    (log(**{FIRST.replace('-', '_'): 'signal 9: '}), 'BUG: timed out'),
    (log(**{FIRST.replace('-', '_'): 'signal 11: '}), 'cannot tell: signal 11'),
    (f'ptebatch: begin {FIRST}\nBUG: kernel NULL pointer dereference\nKernel panic - not syncing: oops\n',
     'BUG: kernel log: BUG: kernel NULL pointer dereference'),
    (log().replace(f'begin {FIRST}\n', f'begin {FIRST}\n[1.0] WARNING: mm/rmap.c:1 at x\n'),
     'BUG: kernel log: [1.0] WARNING: mm/rmap.c:1 at x'),
    (f'ptebatch: begin {FIRST}\n', 'BUG: the guest hangs'),
    (log().replace(f'begin {FIRST}\n', 'begin another\n'), 'not run'),
])
def test_failing_verdicts(fixed: str, message: str) -> None:
    kernels = {'without fixes': reproduce.results(bug()), 'with fixes': reproduce.results(fixed)}
    assert f'{FIRST}, with fixes: {message}' in reproduce.wrong(BUGS, kernels)
    assert f'| {message} ' in reproduce.text(BUGS, kernels)


def test_a_question_to_the_list_is_no_bug_but_a_crash_is() -> None:
    [program] = [known.program for known in reproduce.known() if known.question]
    shown = reproduce.results(bug('it counts as 16', program))
    kernels = {'without fixes': shown, 'with fixes': shown, 'with series': shown}
    assert reproduce.wrong(BUGS, kernels) == []
    assert '| disputed: it counts as 16 ' in reproduce.text(BUGS, kernels)
    crashed = reproduce.results(f'ptebatch: begin {program}\nBUG: kernel NULL pointer dereference\n')
    assert reproduce.wrong(BUGS, {'with fixes': log_results() | crashed}) == [
        f'{program}, with fixes: BUG: kernel log: BUG: kernel NULL pointer dereference']


def test_unfixed_bug(machine: Machine) -> None:
    ended = boot(machine, bug(), bug())
    assert ended.returncode == 1
    assert f'[FAILED] {FIRST}, with fixes: BUG: 16 of 16 pages\n' in ended.stdout
    assert reproduce.counts(machine.out / 'reproduce/reproduce.json').failed == 1


def test_bug_of_the_series(machine: Machine) -> None:
    """Also if the program shows a bug without fixes: with them, each program must end well."""
    both = log(**{name.replace('-', '_'): 'exit 1: all' for name in PROGRAMS[:2]})
    ended = boot(machine, bug(program=PROGRAMS[1]), log(), both)
    assert ended.returncode == 1
    assert ended.stdout.count(', with fixes and series: BUG: all\n') == 2
    ended = boot(machine, bug(program=PROGRAMS[1]), series=both, FIXES='')
    assert f'[FAILED] {FIRST}, with series: BUG: all\n' in ended.stdout
    assert f'[FAILED] {PROGRAMS[1]}, with series' not in ended.stdout


def test_without_fixes_and_series_the_kernel_is_judged(machine: Machine) -> None:
    ended = boot(machine, bug(), FIXES='', SERIES='')
    assert ended.returncode == 1
    assert f'[FAILED] {FIRST}, without fixes: BUG: 16 of 16 pages\n' in ended.stdout
    assert '| with' not in ended.stdout.replace('| without fixes', '')
    assert boot(machine, log(), FIXES='', SERIES='').returncode == 0


def test_guest_without_program(machine: Machine) -> None:
    ended = boot(machine, 'Kernel panic - not syncing: No working init found.\n')
    assert ended.returncode == 2
    assert 'No working init found' in ended.stdout
    assert ended.stderr.startswith('ptebatch: the guest ran no reproducer; see ')
    assert not (machine.out / 'reproduce/reproduce.json').exists()


def test_programs_of_an_architecture() -> None:
    there = reproduce.of_architecture('riscv')
    assert [bug.program for bug in there if bug.program] == ['fork-lost-write', 'hugetlb-poison', 'touch-lost-write']
    assert f'| none: {FIRST} runs with ARCH=x86_64 ' in reproduce.text(there, {})
    assert 'none: hugetlb-poison runs with ARCH=riscv ' in reproduce.text(BUGS, {})


def test_no_results(tmp_path: Path) -> None:
    assert not reproduce.counts(tmp_path / 'reproduce.json').good
