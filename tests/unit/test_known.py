# SPDX-License-Identifier: GPL-2.0
"""Failures that belong to known bugs of the tree: the record, its marks in the results, what is printed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

from commands import check
from commands import known as command
from commands import run
from host.console import Console
from host.errors import Trouble
from host import exit_status
from results import known
from results.known import SEVERAL, Known, Quiet
from results.report import CRASH, FAIL, PASS, SKIP, Case, Counts, failures, skips, verdicts
from trees import fixes
from trees.fixes import Fix
from trees.series import Patch
from unit.machine import HALTED, KTAP, Machine, print_log

# As kernels print it: rows that fail for a known bug and for another reason, a case that fails, and one that is skipped.
LOG = '''\
KTAP version 1
1..2
    KTAP version 1
    # Subtest: ptebatch_ksm
    # module: ptebatch_kunit
    1..2
        KTAP version 1
        # Subtest: merge_row
        ok 1 8 pages are zero: folio split
    # merge_row: EXPECTATION FAILED at mm/tests/ptebatch/lib/check/compare.c:126
ksmd leaves entries that the rules do not allow
WARNING: mm/ksm.c:1 at known
    # merge_row: entries 7 to 15: expected Wdyx, got Wdyx of another folio
        not ok 2 two pages are equal > 1: not merged
        not ok 3 two pages are equal > 1: not merged
        ok 4 memory tags: collapsed # SKIP no memory tags
    # merge_row: pass:1 fail:2 skip:1 total:4
    not ok 1 merge_row
    ok 2 second
# ptebatch_ksm: pass:1 fail:1 skip:0 total:2
# Totals: pass:2 fail:2 skip:1 total:5
not ok 1 ptebatch_ksm
    KTAP version 1
    # Subtest: ptebatch_rmap
    1..2
    # first: the other failure
    not ok 1 first
    # third: known, too
    not ok 2 third
not ok 2 ptebatch_rmap
'''
ROW: Case = ('ptebatch_ksm', 'merge_row', 'two pages are equal > 1: not merged')
OTHER: Case = ('ptebatch_rmap', 'first')
THIRD: Case = ('ptebatch_rmap', 'third')
BUGS = Known({ROW: '0002', THIRD: '0004'}, {'0002': 'mm: one', '0004': 'mm: two'})
ALL = Known({**BUGS.cases, OTHER: '0004'}, BUGS.titles)


@pytest.fixture(name='folder')
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(known, 'FOLDER', tmp_path / 'known')
    return tmp_path / 'known'


def parsed(kunit: Path, ktap: str, *args: str) -> subprocess.CompletedProcess[str]:
    """What the kernel's kunit.py says to KTAP."""
    return subprocess.run([sys.executable, kunit / 'tools/testing/kunit/kunit.py', 'parse', *args], input=ktap, text=True,
                          capture_output=True, check=False)


@pytest.fixture(name='results')
def _results(tmp_path: Path, kernel_source: Path) -> Path:
    """A folder with the results of LOG."""
    parsed(kernel_source, LOG, f'--json={tmp_path}/results.json', f'--junit={tmp_path}/results.junit.xml')
    (tmp_path / 'results.ktap').write_text(LOG)
    return tmp_path


def test_record(folder: Path) -> None:
    assert not known.load('um')
    known.save('um', {'0004': [THIRD], '0002': [THIRD, ROW]})
    assert known.load('um') == {'0002': [ROW, THIRD], '0004': [THIRD]}
    assert [path.name for path in folder.iterdir()] == ['um.json']


@pytest.mark.parametrize('text', ['', '{"0002":', '[]', '{"0002": 1}', '{"0002": [1]}', '\xff'])
def test_unreadable_record(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / 'um.json').write_bytes(text.encode('latin1'))
    with pytest.raises(Trouble, match='um.json: not a usable record: .*; record it again: type make known ARCH=um'):
        known.of('um', {'0002': 'mm: one'})


def test_record_that_cannot_be_read(folder: Path) -> None:
    (folder / 'um.json').mkdir(parents=True)
    with pytest.raises(Trouble, match='um.json cannot be read: Is a directory; .*type make known'):
        known.load('um')


def test_failures_of_a_tree(folder: Path) -> None:
    assert known.of('um', {'0002': 'mm: one'}) == Known({}, {'0002': 'mm: one'})
    known.save('um', {'0002': [ROW], '0004': [ROW, THIRD], SEVERAL: [OTHER]})
    assert folder.exists()
    assert not known.of('um', {}).cases
    assert known.of('um', {'0004': 'mm: two', '0009': ''}).cases == {ROW: '0004', THIRD: '0004'}
    both = known.of('um', BUGS.titles)
    assert both.cases == {ROW: '0002', THIRD: '0004', OTHER: SEVERAL} and both.titles[SEVERAL] == known.SEVERAL_TITLE


def test_lines() -> None:
    assert BUGS.lines({'0004': 1, '0002': 2}, {ROW: FAIL, THIRD: FAIL}) == [
        'known     0002: 2 cases, mm: one', 'known     0004: 1 case, mm: two']
    assert not BUGS.lines({}, {ROW: SKIP})
    assert BUGS.lines({}, {THIRD: PASS, OTHER: PASS}) == [
        'known     0004: 1 case passed although the fix is missing, the first: ptebatch_rmap: third']
    assert not Known({ROW: SEVERAL}).lines({}, {ROW: PASS})


def test_results_of_a_log() -> None:
    found = [(case, verdict) for case, verdict, _, _ in known.each(LOG)]
    assert found[1:5] == [(ROW, 'not ok'), (ROW, 'not ok'), (('ptebatch_ksm', 'merge_row', 'memory tags: collapsed'), 'ok'),
                          (('ptebatch_ksm', 'merge_row'), 'not ok')]
    assert found[-3:] == [(OTHER, 'not ok'), (THIRD, 'not ok'), (('ptebatch_rmap',), 'not ok')]
    texts = {case: LOG[begin:end] for case, _, begin, end in known.each(LOG)}
    assert texts[OTHER] == '    1..2\n    # first: the other failure\n    not ok 1 first\n'


def test_log_without_known_failures() -> None:
    text = known.without(LOG, BUGS)
    assert 'WARNING' not in text and 'not merged' not in text and 'known, too' not in text
    assert '# first: the other failure\n    not ok 1 first\n' in text
    assert known.without(LOG, Known()) == LOG


def test_warning_of_a_crash_stays() -> None:
    assert 'WARNING' in known.without(LOG[:LOG.index('        not ok 2')], BUGS)


def test_ktap() -> None:
    marked = known.mark_ktap(LOG, BUGS).splitlines()
    differing = [new for old, new in zip(LOG.splitlines(), marked, strict=True) if old != new]
    assert differing == ['        ok 2 two pages are equal > 1: not merged # XFAIL known 0002: mm: one',
                         '        ok 3 two pages are equal > 1: not merged # XFAIL known 0002: mm: one',
                         '    ok 1 merge_row', 'ok 1 ptebatch_ksm', '    ok 2 third # XFAIL known 0004: mm: two']
    assert known.mark_ktap(LOG, Known()) == LOG
    assert known.mark_ktap(known.mark_ktap(LOG, ALL), ALL) == known.mark_ktap(LOG, ALL)


def test_suite_that_fails_by_itself() -> None:
    """For example because its exit function found something."""
    ktap = KTAP.replace('\nok 1', '\nnot ok 1')
    assert known.mark_ktap(ktap, Known({('ptebatch_fake', 'first'): '0002'}, BUGS.titles)) == ktap


def test_kunit_reads_marked_ktap(kernel_source: Path) -> None:
    some, none = (parsed(kernel_source, known.mark_ktap(LOG, bugs)) for bugs in (BUGS, ALL))
    assert some.returncode and 'passed: 5, failed: 1, skipped: 1' in some.stdout
    assert not none.returncode and 'passed: 6, skipped: 1' in none.stdout and 'ERROR' not in none.stdout


def test_json(results: Path) -> None:
    assert known.mark(results, BUGS) == {'0002': 2, '0004': 1}
    content = json.loads((results / 'results.json').read_text())
    ksm, rmap = content['sub_groups']
    assert [case.get('known') for case in ksm['sub_groups'][0]['test_cases']] == [None, '0002', '0002', None]
    assert [(case['status'], case.get('known')) for case in rmap['test_cases']] == [('FAIL', None), ('FAIL', '0004')]
    assert Counts.read(results / 'results.json') == Counts(passed=2, failed=1, skipped=1, known=3)
    assert [Counts.of(group).short() for group in (ksm, rmap)] == ['2 / 0 + 2 known / 1', '0 / 1 + 1 known / 0']
    assert verdicts(results / 'results.json')[ROW] == FAIL


def test_crash_is_not_known() -> None:
    case = {'name': ROW[2], 'status': 'ERROR'}
    assert not known.mark_json({'sub_groups': [], 'test_cases': [case], 'misc': {'failed': 0}}, BUGS, *ROW[:2])
    assert 'known' not in case


def test_junit(results: Path) -> None:
    known.mark(results, BUGS)
    root = xml.etree.ElementTree.parse(results / 'results.junit.xml').getroot()
    assert [(suite.get('name'), *(int(suite.get(key, '')) for key in ('tests', 'failures', 'skipped', 'errors')))
            for suite in root.iter('testsuite')] == [
        ('main', 7, 1, 4, 0), ('ptebatch_ksm', 5, 0, 3, 0), ('merge_row', 4, 0, 3, 0), ('ptebatch_rmap', 2, 1, 1, 0)]
    assert [case.text for case in root.iter('skipped') if case.get('type') == 'xfail'] == [
        'known 0002: mm: one', 'known 0002: mm: one', 'known 0004: mm: two']
    assert failures(results / 'results.junit.xml') == ['first']
    assert skips(results / 'results.junit.xml') == {'no memory tags': 1}


def test_results_that_kunit_did_not_finish(tmp_path: Path) -> None:
    assert not known.mark(tmp_path, BUGS)
    for name in ('results.json', 'results.junit.xml'):
        (tmp_path / name).write_text('{"misc"')
    assert not known.mark(tmp_path, BUGS)
    (tmp_path / 'results.json').write_text('{}')
    assert not known.mark(tmp_path, BUGS)


def quiet(output: str, bugs: Known) -> list[str]:
    said: list[str] = []
    passes = Quiet(bugs, said.append)
    for line in output.splitlines():
        passes(line.rstrip())
    passes.flush()
    return said


def test_known_failures_are_not_printed(kernel_source: Path) -> None:
    output = parsed(kernel_source, LOG).stdout
    said = '\n'.join(quiet(output, BUGS))
    for text in ('expected Wdyx', '[FAILED] two pages', 'known, too', '[FAILED] third', '[FAILED] merge_row'):
        assert text in output and text not in said
    for text in ('[PASSED] 8 pages', ' [KNOWN] merge_row ', ' [KNOWN] ptebatch_ksm ', '[SKIPPED] memory tags', '[PASSED] second',
                 '# first: the other failure', '[FAILED] first', ' [FAILED] ptebatch_rmap ', 'Testing complete'):
        assert text in said
    assert quiet(output, Known()) == [line.rstrip() for line in output.splitlines()]


def test_output_after_a_crash(kernel_source: Path) -> None:
    """A case without a result ends its suites: later ones still have their names."""
    first, second = LOG[:LOG.index('        not ok 3')], LOG[LOG.index('    KTAP version 1\n    # Subtest: ptebatch_rmap'):]
    cut = first.replace('        KTAP', '        1..4\n        KTAP')
    output = parsed(kernel_source, cut).stdout + parsed(kernel_source, 'KTAP version 1\n1..1\n' + second).stdout
    said = '\n'.join(quiet(output, BUGS))
    assert '[FAILED] two pages' not in said and '[CRASHED]' in said and ' [KNOWN] ' not in said
    assert '[FAILED] first' in said and 'known, too' not in said


def test_suite_without_cases(kernel_source: Path) -> None:
    empty = 'KTAP version 1\n1..2\n    KTAP version 1\n    # Subtest: ptebatch_empty\n    1..0\nok 1 ptebatch_empty\n'
    output = parsed(kernel_source, empty + LOG[LOG.index('    KTAP version 1\n    # Subtest: ptebatch_rmap'):]).stdout
    assert '[NO TESTS RUN] ptebatch_empty' in output
    assert 'known, too' not in '\n'.join(quiet(output, BUGS))


def test_summary_of_failures() -> None:
    assert quiet('[12:00:00] Failures: ptebatch_ksm', BUGS) == []
    assert quiet('[12:00:00] Failures: ptebatch_ksm', Known()) == ['[12:00:00] Failures: ptebatch_ksm']


def test_repaired_cases() -> None:
    crash: Case = ('ptebatch_ksm', CRASH)
    good = {ROW: PASS, OTHER: PASS, THIRD: SKIP, crash: PASS}
    assert command.repaired(good, {THIRD: FAIL, ('new', 'case'): FAIL, crash: FAIL, ROW: FAIL, OTHER: PASS}) == [ROW]


@pytest.mark.parametrize('name', ['KSRC', 'SERIES', 'FIXES', 'SUITES', 'DEBUG'])
def test_variables_of_make_known(name: str, tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=f'{name}= does not apply to make known; leave {name}= out'):
        command.main({name: '1', 'O': str(tmp_path)})


def _fix(number: str) -> Fix:
    text = f'--- a/mm/mprotect.c\n+++ b/mm/mprotect.c\n@@ -1,3 +1,4 @@\n one\n+{number}\n two\n three\n'
    return Fix(number, f'mm: {number}', Patch(number, text))


def test_make_known(folder: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A fix without which another one does not apply is left out together with it; one bug may hide another."""
    hidden = ('ptebatch_rmap', 'hidden')
    left_out = {'0002': ['0002', '0004'], '0004': ['0004']}
    runs = {'all': {ROW: PASS, OTHER: PASS, THIRD: PASS, hidden: PASS},
            '0004': {ROW: PASS, OTHER: PASS, THIRD: FAIL, hidden: FAIL},
            '0002': {ROW: FAIL, OTHER: PASS, THIRD: FAIL, hidden: FAIL}, 'bare': {OTHER: FAIL, THIRD: FAIL, hidden: PASS}}
    monkeypatch.setattr(command, '_verdicts', lambda settings, folder, name, without: runs[name])
    monkeypatch.setattr(command, '_is_built', lambda *_: True)
    monkeypatch.setattr(fixes, 'without', lambda number, origin: left_out[number])
    found = command.record(machine.settings(), folder, [_fix('0002'), _fix('0004')])
    assert found == {'0002': [ROW], '0004': [THIRD], SEVERAL: [OTHER]}
    assert capsys.readouterr().out == ('um        0004: 2 cases, mm: 0004\num        0002: 1 case, mm: 0002\n'
                                       f'um        {SEVERAL}: 1 case, 1 more do not run, {known.SEVERAL_TITLE}\n')
    runs['all'][ROW] = FAIL
    with pytest.raises(Trouble, match='um, with all fixes: ptebatch_ksm: merge_row: .* fails; type make run ARCH=um'):
        command.record(machine.settings(), folder, [_fix('0002')])
    runs['all'] = {}
    with pytest.raises(Trouble, match='um, with all fixes: no case ran; type make run ARCH=um'):
        command.record(machine.settings(), folder, [_fix('0002')])


def test_record_of_the_kernel_without_fixes(folder: Path) -> None:
    remedy = f'{folder}/um.json does not match the kernel without fixes: type make known ARCH=um'
    assert known.outdated('um', ['0002'], {}).endswith('um.json does not exist or is empty: type make known ARCH=um')
    known.save('um', {'0002': [ROW, THIRD], SEVERAL: [OTHER]})
    bare = {ROW: FAIL, THIRD: FAIL, OTHER: FAIL, ('ptebatch_ksm', CRASH): FAIL, ('ptebatch_x_random', 'row'): FAIL,
            ('ptebatch_x', 'calls_random'): FAIL}
    assert not known.outdated('um', ['0002'], bare)
    assert known.outdated('um', ['0002'], {ROW: SKIP, OTHER: PASS, ('new', 'case'): FAIL}).splitlines() == [
        'missing   new: case fails', f'stale     0002: {": ".join(ROW)} is skipped',
        f'stale     {SEVERAL}: ptebatch_rmap: first passes', 'stale     0002: ptebatch_rmap: third does not run', remedy]
    assert known.outdated('um', ['0004'], bare).splitlines() == [
        'missing   0004: the record has no entry for this fix', 'stale     0002: there is no such fix', remedy]


def test_check_reads_the_bare_run(folder: Path, machine: Machine, results: Path) -> None:
    made = check.Check(machine.env())
    assert made.known_record('um') == 'the kernel without fixes ran no case'
    bare = made.folder / 'bare/um'
    bare.mkdir(parents=True)
    (results / 'results.json').rename(bare / 'results.json')
    known.save('um', {'0002': [ROW, THIRD], **{each.number: [] for each in fixes.known() if each.number != '0002'}})
    assert folder.exists()
    assert made.known_record('um').splitlines()[0] == 'missing   ptebatch_rmap: first fails'


# The case of the guest that fails, and what the record says of it.
FAILING = KTAP.replace('    ok 2 second', '    # second: the reason\nWARNING: in the case\n    not ok 2 second') \
              .replace('\nok 1 ', '\nnot ok 1 ')
SECOND: Case = ('ptebatch_fake', 'second')


@pytest.fixture(name='bugs')
def _bugs(folder: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine whose kernel lacks fix 0002, without which the second case fails, and a fix that is not found."""
    other = Fix('0005', 'mm: five', Patch('five', '--- a/mm/no.c\n+++ b/mm/no.c\n@@ -1 +1 @@\n-a\n+b\n'))
    monkeypatch.setattr(fixes, 'known', lambda: [_fix('0002'), other])
    monkeypatch.setenv('PATH', machine.env()['PATH'])
    machine.guest(print_log(FAILING + HALTED))
    known.save('um', {'0002': [SECOND], '0005': [('ptebatch_fake', 'x')]})
    assert folder.exists()
    return machine


def ran(machine: Machine, capsys: pytest.CaptureFixture[str], **variables: str) -> tuple[int, str]:
    status = run.run(machine.settings(**variables), Console())
    return status, capsys.readouterr().out


def test_known_failure_does_not_count(bugs: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    status, output = ran(bugs, capsys)
    assert status == exit_status.PASSED, output
    assert '\nknown     0002: 1 case, mm: 0002\n          FIXES=mm/series/fixes repairs them; STRICT=1 ' in output
    assert 'unknown   0005: neither the fix nor its reverse applies, failures of this bug count: mm: five\n' in output
    assert '\npassed    um: 1 passed, 0 failed, 0 skipped, 1 known; ' in output
    assert 'the reason' not in output and '\nfailed ' not in output and '\nskipped ' not in output
    ktap = (bugs.out / 'um/results.ktap').read_text()
    assert '\n    ok 2 second # XFAIL known 0002: mm: 0002\n' in ktap and '\nok 1 ptebatch_fake\n' in ktap
    assert (bugs.out / 'um/boot.log').read_text() == FAILING + HALTED


def test_strict(bugs: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    status, output = ran(bugs, capsys, STRICT='1')
    assert status == exit_status.FAILED
    assert 'the reason' in output and '\nfailed    second\n' in output and 'known ' not in output
    assert '\nFAILED    um: 1 passed, 1 failed, 0 skipped; ' in output
    assert (bugs.out / 'um/results.ktap').read_text() == FAILING


def test_only_known_failures_ran(bugs: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    known.save('um', {'0002': [SECOND, ('ptebatch_fake', 'first')]})
    bugs.guest(print_log(FAILING.replace('    ok 1', '    not ok 1') + HALTED))
    status, output = ran(bugs, capsys)
    assert status == exit_status.PASSED, output
    assert '\npassed    um: 0 passed, 0 failed, 0 skipped, 2 known; ' in output


@pytest.mark.parametrize(('log', 'message', 'warnings'), [
    (FAILING.replace('    ok 1', '    not ok 1'), '\nfailed    first\n', []),
    (FAILING.replace('    ok 1 first', 'WARNING: in another\n    ok 1 first'), '\n[FAILED] the kernel warned', ['in another']),
    (FAILING[:FAILING.index('    not ok 2')] + 'Kernel panic - not syncing: here\n', '\n[FAILED] the kernel panicked',
     ['in the case']),
], ids=['another case', 'a warning', 'a panic'])
def test_other_failures_count(bugs: Machine, capsys: pytest.CaptureFixture[str], log: str, message: str,
                              warnings: list[str]) -> None:
    bugs.guest(print_log(log + HALTED))
    status, output = ran(bugs, capsys)
    assert status == exit_status.FAILED
    assert message in output and re.findall('the kernel warned: WARNING: (.*)', output) == warnings


def test_known_case_passes(bugs: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    bugs.guest(print_log(KTAP + HALTED))
    status, output = ran(bugs, capsys)
    assert status == exit_status.PASSED
    assert '\nknown     0002: 1 case passed although the fix is missing, the first: ptebatch_fake: second\n' in output
    assert 'repairs them' not in output


def test_tree_with_the_fix(bugs: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    (bugs.tree / 'mm/mprotect.c').write_text('one\n0002\ntwo\nthree\n')
    status, output = ran(bugs, capsys)
    assert status == exit_status.FAILED and '\nfailed    second\n' in output and 'known     ' not in output


def test_unreadable_record_stops_before_the_build(bugs: Machine, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / 'um.json').write_text('x')
    with pytest.raises(Trouble, match='make known'):
        ran(bugs, capsys)
    assert '\nbuild ' not in capsys.readouterr().out


def test_needed_fix_is_applied(bugs: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(fixes, 'NEEDED', {'um': '0002'})
    status, output = ran(bugs, capsys)
    assert status == exit_status.FAILED
    assert 'applied   0002: the suites crash without it; STRICT=1 omits it\n' in output
    [tree] = (path for path in (bugs.cache / 'ptebatch/trees').iterdir() if path.is_dir())
    assert (tree / 'mm/mprotect.c').read_text() == 'one\n0002\ntwo\nthree\n'
    assert (bugs.tree / 'mm/mprotect.c').read_text() == 'one\ntwo\nthree\n'
    own = bugs.tree.parent / 'own.patch'
    own.write_text(_fix('0002').patch.text)
    assert 'applied ' not in ran(bugs, capsys, SERIES=str(own))[1]
    assert 'fixes     1 patches of' in ran(bugs, capsys, FIXES=str(own))[1]
    assert 'applied ' not in ran(bugs, capsys, STRICT='1')[1]


def test_module(bugs: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    """A known failure in all rounds of LOADABLE=1."""
    known.save('x86_64', {'0002': [SECOND]})
    rounds = ''.join(f'ptebatch: insertion {n}\n{FAILING}ptebatch: removal {n}\n' for n in (1, 2, 3))
    bugs.program('qemu-system-x86_64', print_log('KTAP version 1\n1..0\n' + rounds + 'reboot: Restarting system\n'))
    status, output = ran(bugs, capsys, ARCH='x86_64', LOADABLE='1')
    assert status == exit_status.PASSED, output
    assert '\npassed    x86_64-loadable: 1 passed, 0 failed, 0 skipped, 1 known; ' in output
    status, output = ran(bugs, capsys, ARCH='x86_64', LOADABLE='1', STRICT='1')
    assert status == exit_status.FAILED and 'a case failed in round 2' in output
