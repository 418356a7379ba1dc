# SPDX-License-Identifier: GPL-2.0
"""A case that crashes or hangs the guest costs only itself: a further guest runs the cases behind it."""

from __future__ import annotations

import json

import pytest

from commands import run
from guests import shares
from guests.guest import Guest
from guests.judge import Judge
from host import settings
from host.console import Console
from host.settings import Settings
from results import stopped
from results.known import Known
from results.report import FAIL, PASS, Case, verdicts
from unit.machine import HALTED, KTAP, Machine, print_log

PANIC = 'Kernel panic - not syncing: Fatal exception\nthe last line\n'
PLAN = 'KTAP version 1\n1..2\n'
SUITE = '    KTAP version 1\n    # Subtest: ptebatch_a\n    # module: ptebatch_kunit\n    1..{}\n'
ROWS = '        KTAP version 1\n        # Subtest: rows\n'
OTHER = '''\
    KTAP version 1
    # Subtest: ptebatch_b
    # module: ptebatch_kunit
    1..1
    ok 1 only
ok {} ptebatch_b
'''
ALL = (f'{PLAN}{SUITE.format(3)}{ROWS}        ok 1 one\n        ok 2 two\n        ok 3 three\n    # rows: pass:3 fail:0 skip:0 total:3\n'
       f'    ok 1 rows\n    ok 2 first\n    ok 3 second\n# Totals: pass:5 fail:0 skip:0 total:5\nok 1 ptebatch_a\n{OTHER.format(2)}')
LIST = 'KTAP version 1\nptebatch_a\nptebatch_a.rows\nptebatch_a.first\nptebatch_a.second\nptebatch_b\nptebatch_b.only\n'
# The kernel, behind what crashed.
BEHIND = {
    'ptebatch_a.rows:1': f'{PLAN}{SUITE.format(3)}{ROWS}        not ok 1 one\n        ok 2 two\n        ok 3 three\n'
                         f'    not ok 1 rows\n    ok 2 first\n    ok 3 second\nnot ok 1 ptebatch_a\n{OTHER.format(2)}',
    'ptebatch_a.rows:2': f'{PLAN}{SUITE.format(3)}{ROWS}        not ok 2 two\n        ok 3 three\n'
                         '    # rows: pass:1 fail:1 skip:0 total:2\n    not ok 1 rows\n'
                         f'    ok 2 first\n    ok 3 second\n# Totals: pass:3 fail:1 skip:0 total:4\nnot ok 1 ptebatch_a\n{OTHER.format(2)}',
    'ptebatch_a.rows:4': f'{PLAN}{SUITE.format(3)}{ROWS}    ok 1 rows # SKIP\n    ok 2 first\n    ok 3 second\nok 1 ptebatch_a\n'
                         f'{OTHER.format(2)}',
    'ptebatch_a.first:1': f'{PLAN}{SUITE.format(2)}    not ok 1 first\n    ok 2 second\nnot ok 1 ptebatch_a\n{OTHER.format(2)}',
    'ptebatch_a': f'KTAP version 1\n1..1\n{OTHER.format(1)}',
    'ptebatch_b.only:1': f'KTAP version 1\n1..1\n{OTHER.format(1).replace("ok ", "not ok ")}',
}
LEAVES: list[Case] = [('ptebatch_a', 'rows', 'one'), ('ptebatch_a', 'rows', 'two'), ('ptebatch_a', 'rows', 'three'),
                      ('ptebatch_a', 'first'), ('ptebatch_a', 'second'), ('ptebatch_b', 'only')]


def guest(machine: Machine, first: str, behind: dict[str, str], end: str = '') -> None:
    """A guest that prints a log, then runs `end`; behind a crash, it prints what `behind` has."""
    further = ''.join(f'*"after={after} "*) {print_log(log)};;\n' for after, log in behind.items())
    machine.guest(f'case "$* " in *action=list*) {print_log(LIST)};;\n{further}*) {print_log(first)}{end} ;;\nesac\n')


def until(text: str) -> str:
    """The results before this text, then a panic."""
    return ALL[:ALL.index(text)] + PANIC


def results(machine: Machine) -> dict[Case, str]:
    return dict(verdicts(machine.out / 'um/results.json'))


def expected(*failing: Case) -> dict[Case, str]:
    return {case: FAIL if case in failing else PASS for case in LEAVES}


@pytest.mark.parametrize('before, after, case', [
    ('        ok 1 one', 'ptebatch_a.rows:1', ('ptebatch_a', 'rows', 'one')),
    ('        ok 2 two', 'ptebatch_a.rows:2', ('ptebatch_a', 'rows', 'two')),
    ('    ok 2 first', 'ptebatch_a.first:1', ('ptebatch_a', 'first')),
    ('    ok 1 only', 'ptebatch_b.only:1', ('ptebatch_b', 'only')),
    ('    KTAP version 1\n    # Subtest: ptebatch_b', 'ptebatch_b.only:1', ('ptebatch_b', 'only')),
])
def test_panic_costs_only_its_case(machine: Machine, before: str, after: str, case: Case) -> None:
    guest(machine, until(before), {after: BEHIND[after] + HALTED})
    ended = machine.run()
    assert ended.returncode == 1
    assert f'[FAILED] the kernel panicked in {": ".join(case)}; the last lines of its log:\n' in ended.stdout
    assert f'\nfurther   guest with the cases behind {after}: the kernel panicked\n' in ended.stdout
    assert f'\nfailed    {case[-1]}\n' in ended.stdout
    assert '\n    the last line\n' in ended.stdout and '[ERROR]' not in ended.stdout
    assert '\nFAILED    um: 5 passed, 1 failed, 0 skipped; ' in ended.stdout
    assert results(machine) == expected(case)
    ktap = (machine.out / 'um/results.ktap').read_text()
    assert ktap.count(f'ok {2 if case[-1] == "two" else 1} {case[-1]}\n') >= 1 or 'not ok 2 first' in ktap
    assert 'the kernel panicked: see boot.log' in ktap
    assert (machine.out / 'um/boot.log').read_text() == until(before) + BEHIND[after] + HALTED


def test_results_are_as_of_one_guest(machine: Machine) -> None:
    guest(machine, until('        ok 2 two'), {'ptebatch_a.rows:2': BEHIND['ptebatch_a.rows:2'] + HALTED})
    machine.run()
    note = '    # rows: the kernel panicked: see boot.log\n'
    assert (machine.out / 'um/results.ktap').read_text() == (
        ALL.replace('        ok 2 two', f'{note}        not ok 2 two').replace('ok 1 rows', 'not ok 1 rows')
        .replace('ok 1 ptebatch_a', 'not ok 1 ptebatch_a').replace('    # rows: pass:3 fail:0 skip:0 total:3\n', '')
        .replace('# Totals: pass:5 fail:0 skip:0 total:5\n', ''))
    junit = (machine.out / 'um/results.junit.xml').read_text()
    assert junit.count('<testcase ') == len(LEAVES) and junit.count('<failure') == 1


def test_panic_after_the_last_parameter(machine: Machine) -> None:
    guest(machine, until('    # rows: pass'), {'ptebatch_a.rows:4': BEHIND['ptebatch_a.rows:4'] + HALTED})
    ended = machine.run()
    assert ended.returncode == 1
    assert '[FAILED] the kernel panicked in ptebatch_a: rows; ' in ended.stdout
    assert results(machine) == expected()
    assert '    not ok 1 rows\n' in (machine.out / 'um/results.ktap').read_text()


def test_panics_of_two_guests(machine: Machine) -> None:
    again = BEHIND['ptebatch_a.rows:2']
    guest(machine, until('        ok 2 two'), {
        'ptebatch_a.rows:2': again[:again.index('    ok 2 first')] + PANIC,
        'ptebatch_a.first:1': BEHIND['ptebatch_a.first:1'] + HALTED})
    ended = machine.run()
    assert '[FAILED] the kernel panicked in ptebatch_a: rows: two; ' in ended.stdout
    assert '[FAILED] the kernel panicked in ptebatch_a: first; ' in ended.stdout
    assert results(machine) == expected(LEAVES[1], LEAVES[3])


@pytest.mark.parametrize('before', ['    KTAP version 1\n    # Subtest: ptebatch_a', '    ok 2 first'])
def test_suite_that_crashes_before_its_first_case(machine: Machine, before: str) -> None:
    after = 'ptebatch_a.rows:1' if 'KTAP' in before else 'ptebatch_a.first:1'
    guest(machine, until(before), {after: f'{PLAN}{PANIC}', 'ptebatch_a': BEHIND['ptebatch_a'] + HALTED})
    ended = machine.run()
    assert ended.returncode == 1
    assert ended.stdout.count('[FAILED] the kernel panicked in ptebatch_a; ') == 2
    found = results(machine)
    assert found.pop(('ptebatch_b', 'only')) == PASS
    assert {case for case, verdict in found.items() if verdict == FAIL} == {
        ('ptebatch_a', name) for name in ('rows', 'first', 'second') if name != 'rows' or after.endswith('rows:1')}


def test_suite_that_crashes_after_its_last_case(machine: Machine) -> None:
    guest(machine, until('# Totals'), {'ptebatch_a': BEHIND['ptebatch_a'] + HALTED})
    ended = machine.run()
    assert ended.returncode == 1
    assert '[FAILED] the kernel panicked in ptebatch_a; ' in ended.stdout
    assert results(machine) == expected()


@pytest.mark.parametrize('log', [PANIC, 'KTAP version 1\n' + PANIC, ALL + PANIC])
def test_no_further_guest(machine: Machine, log: str) -> None:
    """The kernel panics before the suites, or after them."""
    guest(machine, log, {})
    ended = machine.run()
    assert ended.returncode == 1
    assert '[FAILED] the kernel panicked; the last lines of its log:\n' in ended.stdout
    assert 'further ' not in ended.stdout


def judged(machine: Machine, **variables: str) -> tuple[int, str]:
    """The exit status and the output of a run in this process, so that its limits can be replaced."""
    log = machine.out.parent / 'log'
    return run.logged(Settings.read(machine.env(**variables)), log), log.read_text()


def test_limit_of_further_guests(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, 'FURTHER', 2)
    rows = f'{PLAN}{SUITE.format(3)}{ROWS}'
    guest(machine, rows + PANIC, {f'ptebatch_a.rows:{number}': f'{rows}        not ok {number} row {number}\n{PANIC}'
                                  for number in range(1, 10)})
    status, output = judged(machine)
    assert status == 1
    assert output.count('\nfurther ') == 2
    assert '[FAILED] the kernel panicked in ptebatch_a: rows: row 2; ' in output
    assert '[FAILED] the kernel panicked in ptebatch_a: rows: param-3; ' in output
    assert '[FAILED] 2 further guests ended early, too: no guest runs the cases behind ptebatch_a.rows:3\n' in output
    assert {('ptebatch_a', 'rows', name) for name in ('row 1', 'row 2', 'param-3')} <= results(machine).keys()


@pytest.mark.parametrize('end', ['exec sleep 1000', "trap '' TERM; while :; do sleep 1; done"])
def test_hang(machine: Machine, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """The guest neither prints nor ends; the second one ignores SIGTERM, too."""
    monkeypatch.setattr(settings, 'MIN_LIMIT', 1)
    monkeypatch.setattr(shares, 'KILL', 1)
    monkeypatch.setattr(shares, 'PATIENCE', 3)
    guest(machine, ALL[:ALL.index('        ok 2 two')], {'ptebatch_a.rows:2': BEHIND['ptebatch_a.rows:2'] + HALTED}, end)
    status, output = judged(machine, TIMEOUT='19')
    assert status == 1
    if 'trap' in end:       # kunit.py did not write its log
        assert '[FAILED] no case ended within 3 s' in output
        return
    assert '[FAILED] no case ended within 3 s in ptebatch_a: rows: two; ' in output
    assert results(machine) == expected(LEAVES[1])


def test_hang_that_the_kernel_notices(machine: Machine) -> None:
    hung = 'Kernel panic - not syncing: ptebatch: no case ended within 30 s, running rows:2\n'
    guest(machine, ALL[:ALL.index('        ok 2 two')] + hung, {'ptebatch_a.rows:2': BEHIND['ptebatch_a.rows:2'] + HALTED})
    assert '[FAILED] no case ended within 30 s in ptebatch_a: rows: two; ' in machine.run().stdout


def test_known_case_that_crashes_counts_once(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    guest(machine, until('        ok 2 two').replace(PANIC, 'BUG: here\n' + PANIC),
          {'ptebatch_a.rows:2': BEHIND['ptebatch_a.rows:2'] + HALTED})
    assert machine.run().returncode == 1
    single = Settings.read(machine.env())
    tree, _ = run.trees(single, Console())
    judge = Judge(Guest(single, tree.path), Console(), Known({LEAVES[1]: '0001'}, {'0001': 'a bug'}))
    assert judge.built_in()
    output = capsys.readouterr().out
    assert '\nknown     the kernel panicked in ptebatch_a: rows: two: 0001\n' in output
    assert '\nknown     0001: 1 case, a bug\n' in output
    assert '\npassed    um: 5 passed, 0 failed, 0 skipped, 1 known; ' in output
    assert json.loads((machine.out / 'um/results.json').read_text())['misc']['failed'] == 0


def test_stop() -> None:
    assert stopped.stop(ALL) is None
    assert stopped.stop(KTAP) is None
    assert stopped.stop('') is None
    found = stopped.stop(ALL[:ALL.index('    # rows: pass')] + 'noise\n')
    assert found and found.text.endswith('        ok 3 three\n')
    assert (found.groups, found.done) == (('ptebatch_a', 'rows'), (0, 0, 3))
