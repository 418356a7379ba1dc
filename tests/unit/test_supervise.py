# SPDX-License-Identifier: GPL-2.0
"""When a command ends for any reason, its guest and its build end, too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from unit.machine import HALTED, KTAP, Machine, print_log
from host import lock
from host.settings import PROJECT
from host import tools

SECONDS = 30    # on a machine with any load; an idle one takes those of supervise.py
COMMAND = [str(word) for word in tools.program('run')]
MAKE = ['make', '-C', str(PROJECT), 'run']


def hanging(machine: Machine) -> str:
    """Shell code that ignores SIGTERM, starts a child and leaves its session, like UML."""
    pids = machine.tree.parent / 'pids'
    return f"""
[ "$1" ] && [ "$1" != left ] && exec setsid "$0" left
trap '' TERM
sleep 1000 &
echo $$ $! >{pids}
while :; do sleep 1; done
"""


def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Poll the condition and return whether it becomes true in time."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def alive(pid: int) -> bool:
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


def descendants(pid: int, *words: str) -> list[int]:
    """PIDs of the descendants of a process that have all these words in their command lines."""
    found = []
    for child in Path(f'/proc/{pid}/task/{pid}/children').read_text().split():
        command_line = Path(f'/proc/{child}/cmdline').read_text()
        found += [int(child)] if all(word in command_line for word in words) else []
        found += descendants(int(child), *words)
    return found


def _default_signals() -> None:
    """nohup and shells in the background ignore signals, and what they start would ignore them, too."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def started(machine: Machine, command: list[str], **variables: str) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """Start a command and wait until its guest or build hangs. Yields the command and the PIDs that must end with it."""
    file = machine.tree.parent / 'pids'
    pids = []
    with subprocess.Popen(command, env=machine.env(**variables), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=_default_signals) as process:
        try:
            assert until(lambda: file.exists() and file.read_text().endswith('\n'), 60)
            pids = [int(pid) for pid in file.read_text().split()]
            yield process, pids
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.terminate()


def have_ended(pids: list[int]) -> bool:
    assert len(pids) == 2
    return until(lambda: not any(map(alive, pids)), SECONDS)


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_signal_to_command(machine: Machine, number: signal.Signals) -> None:
    machine.guest(hanging(machine))
    with started(machine, COMMAND) as (command, guest):
        command.send_signal(number)
        assert have_ended(guest)
        assert command.wait() == (-number if number == signal.SIGKILL else 128 + number)


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
def test_signal_to_make(machine: Machine, number: signal.Signals) -> None:
    """SIGINT and SIGHUP do not end make, which expects the terminal to send them to the whole process group."""
    machine.guest(hanging(machine))
    with started(machine, MAKE) as (make, guest):
        make.send_signal(number)
        assert have_ended(guest)
        assert make.wait()


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_signal_to_process_group(machine: Machine, number: signal.Signals) -> None:
    machine.guest(hanging(machine))
    with started(machine, MAKE) as (make, guest):
        os.killpg(make.pid, number)
        assert have_ended(guest)


@pytest.mark.parametrize('words', [('sh', '-c', '-m tests run'), ('-m', 'tests', 'run'), ('supervise.py',),
                                   ('kunit.py', 'exec')])
def test_one_process_killed(machine: Machine, words: tuple[str, ...]) -> None:
    machine.guest(f'echo $$ $$ >{machine.tree.parent}/pids\nexec sleep 1000\n')
    with started(machine, MAKE) as (make, guest):
        os.kill(descendants(make.pid, *words)[-1 if words[0] == 'kunit.py' else 0], signal.SIGKILL)
        assert have_ended(guest)


@pytest.mark.parametrize('words', [('-m', 'tests', 'run'), ('python3',), ('supervise.py',), ('kunit.py', 'exec')])
def test_qemu_ends(machine: Machine, words: tuple[str, ...]) -> None:
    """QEMU ends even if several processes are killed at once."""
    machine.program('qemu-system-x86_64',
                    f'case "$*" in *-append*) echo $$ $$ >{machine.tree.parent}/pids; exec sleep 1000; esac\n')
    with started(machine, MAKE, ARCH='x86_64') as (make, guest):
        for pid in descendants(make.pid, *words):
            os.kill(pid, signal.SIGKILL)
        assert have_ended(guest)


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
def test_signal_during_build(machine: Machine, number: signal.Signals) -> None:
    makefile = (machine.tree / 'Makefile').read_text()
    (machine.tree / 'Makefile').write_text(makefile + f'\t@sh -c \'echo $$$$ $$PPID >{machine.tree.parent}/pids; sleep 1000\'\n')
    with started(machine, COMMAND) as (command, build):
        command.send_signal(number)
        assert have_ended(build)


def test_nested_command(machine: Machine) -> None:
    machine.guest(hanging(machine))
    with started(machine, [str(word) for word in tools.supervised(COMMAND)]) as (command, guest):
        command.kill()
        assert have_ended(guest)


def test_status_of_the_program() -> None:
    for script, status in (('exit 0', 0), ('exit 3', 3), ('kill -9 $$', 137)):
        assert subprocess.run(tools.supervised(['sh', '-c', script]), check=False).returncode == status
    assert subprocess.run(tools.supervised(['/no/such/program']), capture_output=True, check=False).returncode == 127


def test_children_of_an_ended_program_are_killed(tmp_path: Path) -> None:
    subprocess.run(tools.supervised(['sh', '-c', f'sleep 1000 & echo $! >{tmp_path}/pid']), check=True)
    assert not alive(int((tmp_path / 'pid').read_text()))


def test_parent_ended_before_the_start(tmp_path: Path) -> None:
    argv = tools.supervised(['touch', f'{tmp_path}/started'])
    argv[4] = '1'
    assert subprocess.run(argv, check=False).returncode == 128 + signal.SIGTERM
    assert not (tmp_path / 'started').exists()


def test_two_commands_with_the_same_results_folder(machine: Machine) -> None:
    machine.guest(hanging(machine))
    with started(machine, COMMAND) as (command, _):
        ended = machine.run()
        assert ended.returncode == 2
        assert ended.stderr == (f'ptebatch: another command (process {command.pid}) writes to {machine.out}/um; '
                                'wait until it ends, or type O=/other/folder\n')
    machine.guest(print_log(KTAP + HALTED))
    assert machine.run().returncode == 0


def test_folder_is_claimed_once(tmp_path: Path) -> None:
    claim = f'import pathlib; from host import lock; lock.claim(pathlib.Path("{tmp_path}/um"))'
    lock.claim(tmp_path / 'x86_64')
    lock.claim(tmp_path / 'x86_64')
    subprocess.run([sys.executable, '-c', claim], cwd=PROJECT / 'tests', check=True)
    lock.claim(tmp_path / 'um')
    with pytest.raises(tools.Failed):
        tools.run([sys.executable, '-c', claim], cwd=PROJECT / 'tests')
