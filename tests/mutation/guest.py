# SPDX-License-Identifier: GPL-2.0
"""Run cases on one mutant in a guest: see lib/kernel/mutation.c."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from guests.guest import Guest
from guests.judge import PANIC
from host.errors import Trouble
from mutation.record import CRASHED, KILLED, SURVIVED, TIMED_OUT
from results import reports

CASE = re.compile(r'ptebatch: case (\S+) (passed|failed) after (\d+) us')
REACHED = re.compile(r'ptebatch: reached from (\d+): ([0-9a-f]+)')
DONE = re.compile(r'ptebatch: mutant -?\d+ done')
# A row of a case in KUnit's results.
ROW = re.compile(r'^ {8}not ok \d+ (.*)$', re.MULTILINE)
SEED = 'ptebatch_kunit.seed=1'
# KUnit's results are of level 6: only warnings, errors and the lines above go to the console, which takes time.
QUIET, LOUD = 'loglevel=6', 'loglevel=7'
# Seconds: of a boot and the end of a guest, and how many times as long as before the cases may take; of all cases.
BOOT, SLOWER, ALL = 20, 4, 600


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


def _boot(guest: Guest, mutant: int, seconds: float, *args: str) -> str:
    """The log of a boot that runs cases on a mutant."""
    lines: list[str] = []
    own = Guest(replace(guest.settings, timeout=int(seconds) + 1, suites='none'), guest.tree)
    own.accel = guest.accel
    own.boot_suites(lines.append, '--raw_output=all', kernel_args=(SEED, f'ptebatch_kunit.mutant={mutant}', *args))
    return '\n'.join(lines)


def _bits(first: int, digits: str) -> Iterable[int]:
    """The set bits of a bitmap that the kernel printed byte by byte; its words are little-endian."""
    for index, byte in enumerate(bytes.fromhex(digits)):
        yield from (first + 8 * index + bit for bit in range(8) if byte >> bit & 1)


def explore(guest: Guest, needed: Callable[[str], bool] = lambda name: True) -> list[Case]:
    """Run all cases on copies without a change; Trouble if one that is needed fails."""
    log = _boot(guest, -1, ALL, QUIET)
    if PANIC in log or not DONE.search(log):
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
    return found


def judge(guest: Guest, mutant: int, cases: Sequence[Case], loglevel: str = QUIET) -> Ended:
    """Run these cases on a mutant until one fails."""
    limit = BOOT + SLOWER * sum(case.seconds for case in cases)
    log = _boot(guest, mutant, limit, loglevel, 'ptebatch_kunit.cases=' + ','.join(str(case.number) for case in cases))
    ended = CASE.findall(log)
    running = cases[min(len(ended), len(cases) - 1)].name
    for name, verdict, _ in ended:
        if verdict == 'failed':
            return Ended(KILLED, name, ROW.findall(log))
    if PANIC in log:
        return Ended(CRASHED, running)
    if found := reports.found(log):
        return Ended(KILLED, f'{ended[-1][0] if ended else running}: {found[0]}')
    return Ended(SURVIVED) if DONE.search(log) else Ended(TIMED_OUT, running)
