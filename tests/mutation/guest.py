# SPDX-License-Identifier: GPL-2.0
"""Run cases on one mutant in a guest: see lib/kernel/mutation.c."""

from __future__ import annotations

import os
import re
import select
import shlex
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from guests.guest import Guest
from guests.shares import PANIC
from guests.snapshot import Snapshot
from host.errors import Trouble
from host.settings import PROJECT
from host import tools
from mutation.record import CRASHED, KILLED, SURVIVED, TIMED_OUT
from results import reports

CASE = re.compile(r'ptebatch: case (\S+) (passed|failed) after (\d+) us')
REACHED = re.compile(r'ptebatch: reached from (\d+): ([0-9a-f]+)')
DONE = re.compile(r'ptebatch: mutant -?\d+ done')
BEGINS = re.compile(r'ptebatch: mutant \d+ begins')
# What a guest prints when a case begins, and after which it prints nothing that is needed: of all rows, or of the first
# that fails.
STEP = re.compile(rb'ptebatch: (?:mutant \d+ begins|case \S+ passed).*\n')
ENDED = re.compile(rb'ptebatch: (?:mutant \d+ done|case \S+ failed after \d+ us)|' + PANIC.encode() + rb'.*\n')
FAILS = re.compile('(?:EXPECTATION|ASSERTION) FAILED at')
FIRST = re.compile(ENDED.pattern + b'|' + FAILS.pattern.encode())
# A row of a case in KUnit's results.
ROW = re.compile(r'^ {8}not ok \d+ (.*)$', re.MULTILINE)
# kunit.py prints the command that starts the guest.
STARTED = re.compile(r'^Running tests with:\n\$ (.*)$', re.MULTILINE)
SELECTS = 'ptebatch_kunit.mutant='
UNCHANGED = f'{SELECTS}-1'
SEED = 'ptebatch_kunit.seed=1'
ROUNDS = 'ptebatch_kunit.rounds='
BOOTS = 3       # until one reaches the cases
LOG = 8 << 20   # bytes of output that are read
# KUnit's results are of level 6: only warnings, errors and the lines above go to the console, which takes time.
QUIET, LOUD = 'loglevel=6', 'loglevel=7'
# Seconds of a boot; how many times as long as before a case may take, and how many seconds more; seconds of all cases.
BOOT, SLOWER, MARGIN, ALL = 30, 4, 2, 600
# How many times as long when a mutant is run again: a busy machine must not pass for a mutant that hangs.
PATIENT = 5


@dataclass(frozen=True)
class Case:
    """A case: its number in the kernel, how long it takes, and the mutants that it reaches."""

    number: int
    name: str
    seconds: float
    reached: frozenset[int]


@dataclass(frozen=True)
class Ended:
    """The verdict on a mutant; `by` is the case that decides, `rows` those of its rows that fail."""

    verdict: str
    by: str = ''
    rows: Sequence[str] = ()


@dataclass(frozen=True)
class Command:
    """The command by which kunit.py starts a guest without a change, to repeat it: half of such a short run is kunit.py's own."""

    argv: Sequence[str]
    folder: Path
    env: Mapping[str, str]
    ended: re.Pattern[bytes]
    booted: Snapshot | None = None      # of QEMU's guests; UML boots in a tenth of a second

    def _argv(self, wanted: str) -> list[str]:
        return [word.replace(UNCHANGED, SELECTS + wanted) for word in self.argv]

    def _started(self, wanted: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
        if self.booted:
            return self.booted.copy(wanted)
        return subprocess.Popen(tools.supervised(self._argv(wanted)), cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def saved(self, files: Path) -> Command:
        """The same from a guest that has booted; `files` is the folder of what QEMU saves."""
        return replace(self, booted=Snapshot(self._argv('wait'), self.folder, self.env, files).saved())

    def run(self, mutant: int, cases: Sequence[Case], patience: int = 1) -> str:
        """The log of a guest that runs these cases on a mutant, up to the first that fails or takes too long."""
        # Of the boot, of each case, and of the end.
        limits = [BOOT, *(patience * (MARGIN + SLOWER * case.seconds) for case in cases), patience * MARGIN]
        log = bytearray()
        with self._started(','.join(map(str, (mutant, *(case.number for case in cases))))) as process:
            assert process.stdout
            steps, deadline, line = 0, time.monotonic() + limits[0], 0
            # A mutant may print without an end: output does not put the limit off, and no line is searched twice.
            while ((left := deadline - time.monotonic()) > 0 and len(log) < LOG and
                   select.select([process.stdout], [], [], left)[0]):
                log += (more := os.read(process.stdout.fileno(), 65536))
                if not more or self.ended.search(log, line):
                    break
                if found := len(STEP.findall(log, line)):
                    steps += found
                    deadline = time.monotonic() + limits[min(steps, len(limits) - 1)]
                line = log.rfind(b'\n') + 1
            process.terminate()     # not kill: the supervisor ends the guest
        return log.decode(errors='backslashreplace').replace('\r\n', '\n')


def _bits(first: int, digits: str) -> Iterable[int]:
    """The set bits of a bitmap that the kernel printed byte by byte; its words are little-endian."""
    for index, byte in enumerate(bytes.fromhex(digits)):
        yield from (first + 8 * index + bit for bit in range(8) if byte >> bit & 1)


def without(env: Mapping[str, str]) -> str:
    """The check, or the promise of the reference memory, that WITHOUT= leaves out."""
    name, checks = env.get('WITHOUT', ''), PROJECT / 'lib/check'
    names = re.findall(r'^CHECK\((\w+)\)', (checks / 'table.h').read_text(), re.MULTILINE)
    names += re.findall(r'"(promised_\w+)"', (checks / 'memory.c').read_text())
    if name and name not in names:
        raise Trouble(f'WITHOUT={name}: no check of lib/check/table.h, no promise of lib/check/memory.c',
                      f'type one of {", ".join(names)}')
    return name


def explore(guest: Guest, needed: Callable[[str], bool] = lambda name: True, without: str = '',
            rounds: int = 0, rows: bool = False) -> tuple[list[Case], Command]:
    """Run all cases on copies without a change; Trouble if one that is needed fails. `without` leaves out a check.

    `rounds` is the number of random rows, 0: the default.

    With `rows`, the guests of the command print all rows of a case, else they end at the first that fails.
    """
    lines: list[str] = []
    own = Guest(replace(guest.settings, timeout=ALL, suites='none'), guest.tree)
    own.accel = guest.accel
    parameters = [SEED, *([f'ptebatch_kunit.without={without}'] if without else []), *([f'{ROUNDS}{rounds}'] if rounds else [])]
    own.boot_suites(lines.append, '--raw_output=all', kernel_args=(*parameters, QUIET, UNCHANGED))
    log = '\n'.join(lines)
    started = STARTED.search(log)
    if PANIC in log or not DONE.search(log) or not started:
        raise Trouble('the kernel with copies of functions did not run all cases', 'see the lines above',
                      '\n'.join(log.splitlines()[-20:]))
    found: list[Case] = []
    for part in re.split(r'(?=ptebatch: case )', log)[1:]:
        match = CASE.match(part)
        assert match
        name, verdict, duration = match.groups()
        if verdict == 'failed' and needed(name):
            raise Trouble(f'{name} fails on the kernel without mutants', 'see make run', part)
        bits = (bit for line in REACHED.findall(part) for bit in _bits(int(line[0]), line[1]))
        found.append(Case(len(found), name, int(duration) / 1e6, frozenset(bits)))
    argv = [word.replace(QUIET, LOUD if rows else QUIET) for word in shlex.split(started[1])]
    command = Command(argv, guest.tree, own.env(), ENDED if rows else FIRST)
    return found, command.saved(guest.build_path) if guest.arch.emulated else command


def judge(command: Command, mutant: int, cases: Sequence[Case]) -> Ended:
    """Run these cases on a mutant until one fails; again, with more time, if one takes too long."""
    ended = _judge(command, mutant, cases)
    return _judge(command, mutant, cases, PATIENT) if ended.verdict == TIMED_OUT else ended


def _judge(command: Command, mutant: int, cases: Sequence[Case], patience: int = 1) -> Ended:
    log = ''
    for _ in range(BOOTS):
        log = command.run(mutant, cases, patience)
        if BEGINS.search(log):
            break
    else:
        raise Trouble(f'the guest of mutant {mutant} does not boot', 'see the lines above', '\n'.join(log.splitlines()[-20:]))
    ended = CASE.findall(log)
    running = cases[min(len(ended), len(cases) - 1)].name
    for name, verdict, _ in ended:
        if verdict == 'failed':
            return Ended(KILLED, name, ROW.findall(log))
    if PANIC in log:
        return Ended(CRASHED, running)
    if FAILS.search(log):
        return Ended(KILLED, running)
    if found := reports.found(log):
        return Ended(KILLED, f'{ended[-1][0] if ended else running}: {found[0]}')
    return Ended(SURVIVED) if DONE.search(log) else Ended(TIMED_OUT, running)
