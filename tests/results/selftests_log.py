# SPDX-License-Identifier: GPL-2.0
"""Read the verdicts of the kernel's own selftests from the log of their guest, and write them as KTAP."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from host.errors import Trouble
from results.report import FAIL, PASS, SKIP

SKIPPED = 4     # KSFT_SKIP, the exit status of a skipped kselftest program
KILLED = (124, 137)     # exit status of busybox's timeout

STAMP = re.compile(r'^(?:\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? )+')
PREFIX = 'ptebatch: '   # of lines that the guest's init prints
RESULT = re.compile(r'(ok|not ok) \d+(?: -)? ?(.*)$')
DIRECTIVE = re.compile(r'^(.*?)\s*# *(SKIP|XFAIL|XPASS|TODO|error)\b:? *(.*)$', re.IGNORECASE)
STREAM = re.compile(r'(not )?ok \d|1\.\.\d|K?TAP version')
PLAN = re.compile(r'1\.\.(\d+)')
# Kernel warnings and crashes, without the memory failures that a program injects.
DEFECT = re.compile(r'WARNING: |BUG: |Oops|Kernel panic|INFO: task .* blocked|INFO: rcu.*stall|kernel BUG at|Bad page')
NOTES = 3       # last lines of output in the note of a failed program

# The case for the program as a whole; also in tests/guests/selftests/programs.
WHOLE = 'the program'


@dataclass(frozen=True)
class Case:
    """One case of a program, or the program itself if it reports no cases."""

    name: str
    verdict: str
    note: str = ''      # the reason of a failure or a skip


@dataclass
class Program:
    """One command of the list, and its output."""

    command: str
    limit: int
    lines: list[str] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)    # kernel warnings while the program ran
    status: int | None = None   # None: the guest ended before the program did
    seconds: int = 0

    @property
    def name(self) -> str:
        """The program and its arguments, without the commands before it."""
        return self.command[self.command.find('./') + 2:] if './' in self.command else self.command

    @property
    def source(self) -> str:
        """The C file of the program without its suffix, or an empty string."""
        return re.sub(r'_(32|64)$', '', next((word for word in self.command.split() if word.startswith('./')), '')[2:])

    def cases(self) -> list[Case]:
        """The verdict on each case; a failure of the program as a whole is an additional case."""
        found = list(_cases(self.lines))
        plans = [int(match[1]) for line in self.lines if (match := PLAN.fullmatch(line.strip()))]
        error = ''
        if self.status is None:
            error = 'the guest ended before the program'
        elif self.status in KILLED and self.seconds >= self.limit - 1:
            error = f'killed after its {self.limit} s'
        elif self.status not in (0, SKIPPED) and not any(test.verdict == FAIL for test in found):
            error = f'exit status {self.status}'
        elif plans and len(found) < plans[0] and self.status == 0 and found:
            error = f'{len(found)} of {plans[0]} cases were reported'
        if error:
            output = [line.strip() for line in self.lines if line.strip() and not STREAM.match(line)]
            found.append(Case(WHOLE, FAIL, '; '.join([error, *output[-NOTES:]])))
        elif not found:
            skipped = self.status == SKIPPED
            output = [line.lstrip('# ').strip() for line in self.lines if line.strip()]
            found.append(Case(WHOLE, SKIP if skipped else PASS, output[-1] if skipped and output else ''))
        if self.defects:
            found.append(Case('the kernel log', FAIL, self.defects[0]))
        return _numbered(found)


def _cases(lines: Iterable[str]) -> Iterator[Case]:
    """The cases in a program's (K)TAP output; XFAIL is an expected failure and counts as passed."""
    for line in lines:
        if not (match := RESULT.match(line)):
            continue
        good, name, note, verdict = match[1] == 'ok', match[2].strip(), '', ''
        if directive := DIRECTIVE.match(name):
            name, word, note = directive[1].strip(), directive[2].upper(), directive[3].strip()
            verdict = {'SKIP': SKIP, 'TODO': SKIP, 'ERROR': FAIL}.get(word, '')
            # After the directive, kselftest.h prints the name, kselftest_harness.h the reason.
            if not name:
                name, note = note, ''
            elif word == 'XFAIL':
                note = f'expected to fail: {note}'
        yield Case(re.sub(r'\s+', ' ', name.lstrip('- ').replace('#', '')) or 'no name',
                   verdict or (PASS if good else FAIL), note)


def _numbered(tests: Iterable[Case]) -> list[Case]:
    """Number the cases that share a name, so that each can be compared."""
    seen: Counter[str] = Counter()
    found = []
    for test in tests:
        seen[test.name] += 1
        number = seen[test.name]
        found.append(test if number == 1 else Case(f'{test.name} ({number})', test.verdict, test.note))
    return found


@dataclass
class Log:
    """The boots of the guest: programs in order, errors outside of programs, and whether the last boot finished."""

    programs: list[Program] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    machine: str = ''
    ended: bool = False

    def add(self, boot: Log) -> None:
        """Add another boot, which ran the remaining programs."""
        self.programs += boot.programs
        self.errors += [line for line in boot.errors if line not in self.errors]
        self.machine = self.machine or boot.machine
        self.ended = boot.ended


def read(log: str) -> Log:
    """Read the programs and their output from the kernel log."""
    programs: list[Program] = []
    errors: list[str] = []
    machine, ended, open_ = '', False, False
    for raw in log.splitlines():
        line = STAMP.sub('', raw.rstrip('\r'))
        if not line.startswith(PREFIX):
            if DEFECT.search(line):
                if open_:
                    programs[-1].defects.append(line)
                else:
                    errors.append(line)
            continue
        line = line.removeprefix(PREFIX)
        word, _, rest = line.partition(' ')
        if word == 'run':
            limit, _, command = rest.partition(' ')
            programs.append(Program(command, int(limit)))
            open_ = True
        elif word == '|' and open_:
            programs[-1].lines.append(rest)
        elif word == 'end' and open_:
            status, seconds = rest.split()
            programs[-1].status, programs[-1].seconds = int(status), int(seconds)
            open_ = False
        elif word == 'nodes':
            machine = line
        elif line == 'the end':
            ended = True
        else:
            errors.append(line)
    return Log(programs, errors, machine, ended)


def ktap(programs: Iterable[Program]) -> str:
    """One KTAP stream for kunit.py, with one subtest per program."""
    programs = list(programs)
    lines = ['KTAP version 1', f'1..{len(programs)}']
    for number, program in enumerate(programs, 1):
        tests = program.cases()
        lines += ['    KTAP version 1', f'    # Subtest: {program.name}', f'    1..{len(tests)}']
        for position, test in enumerate(tests, 1):
            if test.verdict == FAIL and test.note:
                lines.append(f'    # {test.note}')
            lines.append(f'    {"not ok" if test.verdict == FAIL else "ok"} {position} {test.name}'
                         + (f' # SKIP {test.note}' if test.verdict == SKIP else ''))
        lines.append(f'    # {program.name}: {program.seconds} s')
        failed = any(test.verdict == FAIL for test in tests)
        skipped = all(test.verdict == SKIP for test in tests)
        lines.append(f'{"not ok" if failed else "ok"} {number} {program.name}' + (' # SKIP all of it' if skipped else ''))
    return '\n'.join(lines) + '\n'


@dataclass(frozen=True)
class List:
    """The file `programs` for one architecture."""

    commands: tuple[tuple[int, str], ...]
    not_run: Mapping[str, str]      # program: reason
    known: tuple[tuple[str, str, str], ...]     # patterns of program and case, and the reason

    def reason(self, program: str, test: str) -> str:
        """The reason of a known failure; empty for an unknown one."""
        return next((reason for programs, tests, reason in self.known
                     if fnmatchcase(program, programs) and fnmatchcase(test, tests)), '')


def for_guest(commands: Iterable[tuple[int, str]]) -> str:
    """The commands in the format that init reads."""
    return ''.join(f'{seconds}\t{command}\n' for seconds, command in commands)


def read_list(path: Path, arch: str) -> List:
    """Read the lines of the file that apply to this architecture."""
    commands: list[tuple[int, str]] = []
    not_run: dict[str, str] = {}
    known: list[tuple[str, str, str]] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        word, _, rest = line.strip().partition(' ')
        if not word or word.startswith('#'):
            continue
        where, _, rest = rest.partition(' ')
        what = rest.split(': ', 1 if word == 'not' else 2)
        if word == 'run' and where.isdecimal():
            if rest.startswith('only '):
                _, only, rest = rest.split(' ', 2)
                if only != arch:
                    continue
            commands.append((int(where), rest))
        elif word == 'not' and len(what) == 2:
            if where in (arch, 'all'):
                not_run[what[0]] = what[1]
        elif word == 'known' and len(what) == 3:
            if where in (arch, 'all'):
                known.append((what[0], what[1], what[2]))
        else:
            raise Trouble(f'{path}:{number}: cannot parse "{line}"',
                          'type for example "run 60 ./mremap_test"; the head of the file has the format')
    return List(tuple(commands), not_run, tuple(known))
