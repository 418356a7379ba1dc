# SPDX-License-Identifier: GPL-2.0
"""`make selftests`: the list of programs, the guest's log, and the verdicts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from commands import selftests
from unit.machine import HALTED, Machine, ktap_with, print_log
from guests import selftests_build
from host.errors import Trouble
from results.changes import Change
from results.report import FAIL, PASS, SKIP, Verdicts, verdicts
from results import selftests_log
from results.selftests_log import Case, Program
from unit.test_bench import KERNEL

LOG = '''\
Linux version 7.3
ptebatch: nodes 0-1, CPUs 2, swap 524284 kB, memory 4000000 kB
ptebatch: run 60 ./one -a
ptebatch: | TAP version 13
ptebatch: | 1..3
ptebatch: | # [RUN] first
ptebatch: | ok 1 first
ptebatch: | ok 2 second # SKIP no THP here
ptebatch: | ok 3 # XFAIL third
ptebatch: end 0 7
ptebatch: run 60 ./two
ptebatch: | all is well
ptebatch: end 0 1
ptebatch: the end
'''
FAILING = LOG.replace('| ok 1 first', '| # read 5 of 6 pages\nptebatch: | not ok 1 first').replace('end 0 7', 'end 1 7')


def cases(*lines: str, status: int | None = 0, seconds: int = 1) -> list[Case]:
    return Program('./one', 60, list(lines), status=status, seconds=seconds).cases()


def test_cases_of_a_program() -> None:
    assert cases('1..6', 'ok 1 a', 'not ok 2 - b', 'ok 3 c # SKIP why', 'ok 4 # SKIP d', 'ok 5 # XFAIL e', 'ok 6 a') == [
        Case('a', PASS), Case('b', FAIL), Case('c', SKIP, 'why'), Case('d', SKIP), Case('e', PASS), Case('a (2)', PASS)]


@pytest.mark.parametrize(('lines', 'status', 'seconds', 'last'), [
    ((), 0, 1, Case('the program', PASS)),
    (('# no device',), 4, 1, Case('the program', SKIP, 'no device')),
    (('usage: one',), 2, 1, Case('the program', FAIL, 'exit status 2; usage: one')),
    (('1..2', 'ok 1 a'), 0, 1, Case('the program', FAIL, '1 of 2 cases were reported')),
    (('ok 1 a',), 139, 1, Case('the program', FAIL, 'exit status 139')),
    (('ok 1 a',), 137, 60, Case('the program', FAIL, 'killed after its 60 s')),
    (('ok 1 a',), None, 0, Case('the program', FAIL, 'the guest ended before the program')),
    (('not ok 1 a',), 1, 1, Case('a', FAIL)),
])
def test_program_as_a_case(lines: tuple[str, ...], status: int | None, seconds: int, last: Case) -> None:
    assert cases(*lines, status=status, seconds=seconds)[-1] == last


def test_kernel_warning_fails_the_running_program() -> None:
    log = selftests_log.read(LOG.replace('ptebatch: end 0 1', '[    1.5] WARNING: mm/rmap.c:1 at foo\nptebatch: end 0 1'))
    assert log.programs[0].cases()[-1].verdict == PASS
    assert log.programs[1].cases() == [Case('the program', PASS), Case('the kernel log', FAIL, 'WARNING: mm/rmap.c:1 at foo')]


def test_truncated_log_with_time_stamps() -> None:
    stamped = '\r\n'.join(f'[   12.345678] {line}' for line in LOG.splitlines()[:-3])
    log = selftests_log.read(stamped)
    assert (log.ended, log.machine[:9]) == (False, 'nodes 0-1')
    assert [program.status for program in log.programs] == [0, None]
    assert selftests_log.read(LOG).ended


def test_setup_failures_are_reported() -> None:
    assert selftests_log.read('ptebatch: cannot swapon /dev/ram0: no such file\n').errors == [
        'cannot swapon /dev/ram0: no such file']


def test_list(tmp_path: Path) -> None:
    path = tmp_path / 'programs'
    path.write_text('# comment\nrun 60 ./one -a\nrun 5 only arm64 ./two\nnot arm64 three: no such CPU: none\n'
                    'known all one*: first: the guest has no disk\n')
    listed = selftests_log.read_list(path, 'x86_64')
    assert (listed.commands, listed.not_run) == (((60, './one -a'),), {})
    assert selftests_log.for_guest(listed.commands) == '60\t./one -a\n'
    assert (listed.reason('one -a', 'first'), listed.reason('one', 'second')) == ('the guest has no disk', '')
    on_arm64 = selftests_log.read_list(path, 'arm64')
    assert (len(on_arm64.commands), on_arm64.not_run) == (2, {'three': 'no such CPU: none'})


@pytest.mark.parametrize('line', ['run ./one', 'run many ./one', 'not all three', 'known all one: why', 'walk 60 ./one'])
def test_invalid_line_of_list(tmp_path: Path, line: str) -> None:
    path = tmp_path / 'programs'
    path.write_text(f'\n{line}\n')
    with pytest.raises(Trouble, match=':2: cannot parse '):
        selftests_log.read_list(path, 'x86_64')


@pytest.mark.parametrize('arch', ['x86_64', 'arm64'])
def test_list_has_each_source_of_the_kernel(arch: str, kernel_source: Path) -> None:
    wanted = selftests_log.read_list(selftests.LIST, arch)
    sources = {path.stem for path in (kernel_source / selftests_build.HOME).glob('*.c')}
    runs = {Program(command, limit).source for limit, command in wanted.commands} & sources
    assert sources - runs == set(wanted.not_run) & sources
    assert not runs & set(wanted.not_run)
    assert len(runs) >= {'x86_64': 40, 'arm64': 30}[arch]


@pytest.mark.parametrize(('before', 'after', 'worse'), [
    (PASS, FAIL, True), (PASS, SKIP, True), (PASS, '', True), (SKIP, FAIL, True), (SKIP, '', True), ('', FAIL, True),
    (FAIL, PASS, False), (FAIL, SKIP, False), (FAIL, '', False), (SKIP, PASS, False), ('', PASS, False), (PASS, PASS, False),
])
def test_changes(before: str, after: str, worse: bool) -> None:
    assert Change('one: a', before, after).worse == worse
    assert not Change('one: a', before, after, known=True).worse


def test_figures_in_names_are_ignored() -> None:
    programs = selftests_log.List((), {}, ())
    before: Verdicts = {('one', 'faults 1, 3.5 %'): PASS, ('one', 'order 1'): PASS, ('one', 'order 2'): PASS}
    after: Verdicts = {('one', 'faults 20, 0.1 %'): PASS, ('one', 'order 3'): PASS, ('one', 'order 4'): PASS}
    changed = {change.name: change.worse for change in selftests.compared(before, after, programs) if change.changed}
    assert changed == {'one: order 1': True, 'one: order 2': True, 'one: order 3': False, 'one: order 4': False}
    [change] = selftests.compared({('one', 'faults 1'): PASS}, {('one', 'faults 2'): FAIL}, programs)
    assert change.worse and change.name == 'one: faults 1'


@pytest.mark.parametrize(('known', 'worse'), [((), 2), ((('one', selftests_log.WHOLE, 'a race'),), 0)])
def test_missing_tests_after_known_failure(known: tuple[tuple[str, str, str], ...], worse: int) -> None:
    before: Verdicts = {('one', 'last'): PASS}
    after: Verdicts = {('one', selftests_log.WHOLE): FAIL}
    changed = selftests.compared(before, after, selftests_log.List((), {}, known))
    assert len(changed) == 2 and sum(change.worse for change in changed) == worse


class Kernel:
    """A machine whose kernel tree has selftests, and whose guest prints a log."""

    def __init__(self, machine: Machine):
        self.machine = machine
        home = machine.tree / selftests_build.HOME
        home.mkdir(parents=True)
        (home / 'config').write_text('CONFIG_SWAP=y\nCONFIG_TEST_HMM=m\n')
        (home / 'Makefile').write_text('all:\n\ttouch $(OUTPUT)/one $(OUTPUT)/two\n')
        for name in ('one.c', 'two.c', 'new.c', 'cow.c'):
            (home / name).write_text('')
        self.home = home
        self.guest(LOG)

    def guest(self, log: str, with_series: str = '') -> None:
        """Let the guest print `log`, or `with_series` if a series added mm/new.c."""
        self.machine.program('qemu-system-x86_64', 'echo "$@" >>"$0.args"\nif test -e mm/new.c; then\n'
                             f'{print_log((with_series or log) + HALTED)}else\n{print_log(log + HALTED)}fi\n')

    def run(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.machine.run('selftests', **({'ARCH': 'x86_64'} | variables))


@pytest.fixture(name='kernel')
def _kernel(machine: Machine) -> Kernel:
    return Kernel(machine)


def test_passed(kernel: Kernel) -> None:
    ended = kernel.run()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '| one -a  |      2 |      0 |       1 |    7 |' in ended.stdout
    assert '| new.c   | new: add it to tests/guests/selftests/programs |' in ended.stdout
    assert '\nsources   2 of 4 run\n' in ended.stdout
    assert '\npassed    x86_64-selftests: 3 passed, 0 failed, 1 skipped' in ended.stdout
    folder = kernel.machine.out / 'x86_64'
    assert sorted(path.name for path in folder.iterdir()) == sorted(selftests.FILES)
    written = json.loads((folder / 'selftests.json').read_text())
    assert [group['name'] for group in written['sub_groups']] == ['one -a', 'two']
    assert verdicts(folder / 'selftests.json') == {
        ('one -a', 'first'): PASS, ('one -a', 'second'): SKIP, ('one -a', 'third'): PASS, ('two', 'the program'): PASS}
    args = (kernel.machine.bin / 'qemu-system-x86_64.args').read_text()
    assert '-smp 1' in args and '-initrd' in args and 'numa=fake=2' in args


def test_failed(kernel: Kernel) -> None:
    kernel.guest(FAILING)
    ended = kernel.run()
    assert ended.returncode == 1
    assert '\n[FAILED] one -a: first\n' in ended.stdout
    assert '<failure' in (kernel.machine.out / 'x86_64/selftests.junit.xml').read_text()


def test_known_failure_is_reported_and_ignored(kernel: Kernel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    known = tmp_path / 'programs'
    known.write_text('run 60 ./one -a\nrun 60 ./two\nknown x86_64 one*: first: the guest has no disk\n')
    monkeypatch.setattr(selftests, 'LIST', known)
    kernel.guest(FAILING)
    monkeypatch.setenv('PATH', kernel.machine.env()['PATH'])
    assert selftests.main(kernel.machine.env(ARCH='x86_64')) == 0
    text = (kernel.machine.out / 'x86_64/selftests.txt').read_text()
    assert '\nknown     one -a: first (the guest has no disk)\n' in text
    assert '1 failed, 1 skipped, 1 of the failures known' in text


def test_guest_is_booted_again_after_panic(kernel: Kernel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    programs = tmp_path / 'programs'
    programs.write_text('run 60 ./one -a\nrun 60 ./two\n')
    monkeypatch.setattr(selftests, 'LIST', programs)
    monkeypatch.setenv('PATH', kernel.machine.env()['PATH'])
    first = LOG[:LOG.index('ptebatch: end')] + 'Kernel panic - not syncing: dead\n'
    kernel.machine.program('qemu-system-x86_64', 'case "$*" in *-initrd*) ;; *) exit ;; esac\n'
                           f'if mkdir "$0.booted"; then\n{print_log(first)}else\n'
                           f'{print_log(LOG[LOG.index("ptebatch: run 60 ./two"):] + HALTED)}fi\n')
    assert selftests.main(kernel.machine.env(ARCH='x86_64')) == 1
    text = (kernel.machine.out / 'x86_64/selftests.txt').read_text()
    assert '[FAILED] one -a: the program: the guest ended before the program; # [RUN] first\n' in text
    assert '[FAILED] one -a: the kernel log: Kernel panic - not syncing: dead\n' in text
    assert '| two     |      1 |      0 |       0 |' in text


def test_hanging_guest(kernel: Kernel) -> None:
    kernel.machine.program('qemu-system-x86_64', print_log(LOG.replace('ptebatch: the end\n', '')) + 'exec sleep 60\n')
    ended = kernel.run(TIMEOUT='2')
    assert ended.returncode == 1
    assert 'the guest did not finish (TIMEOUT=2)' in ended.stdout


def test_guest_without_program(kernel: Kernel) -> None:
    kernel.guest('no root file system\n')
    ended = kernel.run()
    assert ended.returncode == 2
    assert 'no root file system' in ended.stdout
    assert ended.stderr.startswith('ptebatch: the guest ran no program; see ')


def test_build_failure(kernel: Kernel) -> None:
    (kernel.home / 'Makefile').write_text("all:\n\t@echo 'one.c:3: error: no such thing' >&2; exit 1\n")
    ended = kernel.run()
    assert ended.returncode == 2
    assert 'one.c:3: error: no such thing' in ended.stdout
    assert 'tools/testing/selftests/mm does not build for ARCH=x86_64; ' in ended.stderr


def test_user_tree_is_not_modified(kernel: Kernel) -> None:
    (kernel.home / 'local_config.mk').write_text('of the user\n')
    (kernel.home / 'Makefile').write_text('all:\n\techo of this build >local_config.mk\n\ttouch $(OUTPUT)/one\n')
    assert kernel.run().returncode == 0
    assert (kernel.home / 'local_config.mk').read_text() == 'of the user\n'


def compared(kernel: Kernel, after: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `make compare`. The selftests print `after` with the series, else LOG."""
    kernel.machine.program('qemu-system-x86_64', (
        f'case "$*" in *-initrd*) ;; *) {print_log(ktap_with(KERNEL) + HALTED)}exit ;; esac\necho >>"$0.selftests"\n'
        f'if test -e mm/new.c; then\n{print_log(after + HALTED)}else\n{print_log(LOG + HALTED)}fi\n'))
    return kernel.machine.run('compare', **({'ARCH': 'x86_64', 'SERIES': str(kernel.machine.new_file())} | variables))


def test_compare_lists_worse_cases(kernel: Kernel) -> None:
    ended = compared(kernel, FAILING.replace('ok 3 # XFAIL third', 'ok 3 third')
                     .replace('ok 2 second # SKIP no THP here', 'ok 2 second'))
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert '\n[WORSE] one -a: first: pass before, fail after\n' in ended.stdout
    assert ended.stdout.count('[WORSE]') == 1
    text = (kernel.machine.out / 'compare.md').read_text()
    assert '\n4 selftests before, 4 after, 2 with another verdict, 0 fail on both kernels\n' in text
    assert '| one -a: second | skip   | pass  |' in text


def test_compare_without_changes(kernel: Kernel) -> None:
    ended = compared(kernel, LOG)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ', 0 with another verdict, 0 fail on both kernels\n' in ended.stdout


def test_compare_without_selftests(kernel: Kernel) -> None:
    assert compared(kernel, FAILING, SELFTESTS='0').returncode == 0
    assert not (kernel.machine.bin / 'qemu-system-x86_64.selftests').exists()


def test_tree_without_selftests(machine: Machine) -> None:
    ended = machine.run('selftests', ARCH='x86_64')
    assert ended.returncode == 2
    assert 'has no tools/testing/selftests/mm; ' in ended.stderr
