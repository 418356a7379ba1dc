# SPDX-License-Identifier: GPL-2.0
"""Boot all suites in two guests side by side, each with a share of them, and in further ones behind a case that crashes."""

from __future__ import annotations

import os
import re
import select
import signal
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

from guests.guest import Guest
from host import supervise
from host.settings import Settings
from results import merged
from results import stopped
from results.report import Case

# KUnit takes one pattern. These two divide the suites by the second letter of their names, so that both shares take about
# as long on every architecture.
SHARES = ('ptebatch_?[ahms]*', 'ptebatch_?[!ahms]*')
# The options of kunit.py, the files that they name, and the functions that put those of several guests together.
FILES = (('--json', 'results.json', merged.results_json), ('--junit', 'results.junit.xml', merged.junit))

PANIC = 'Kernel panic - not syncing'
HUNG = f'{PANIC}: ptebatch: no case ended'   # lib/kernel/watchdog.c
TIMED_OUT = re.compile(r'^Command .* timed out after \d+ seconds$', re.MULTILINE)
# The first line of what kunit.py prints about results that are missing.
ERROR = re.compile(r'^\[[\d:]+\] \[ERROR\] ')
# The results of a further guest begin in the middle of a suite.
RENUMBERED = 'Expected test number'
FURTHER = 10    # guests, in addition to the one of a share
# The limit of this process is longer than that of the kernel, which prints all stacks; seconds until kunit.py is killed, too.
PATIENCE, KILL = 2, 10
NOTE = '{}: see boot.log'


@dataclass(frozen=True)
class Boot:
    """How a guest ended."""

    output: str         # of kunit.py
    log: str            # of the kernel
    ktap: str           # of the suites
    reason: str = ''    # why it did not end as it should, or not run all cases
    case: Case = ()     # that was running
    left: str = ''      # why no further guest runs the rest


def reason(output: str, log: str, settings: Settings) -> str:
    """Why the guest did not end as it should; empty if it did."""
    if TIMED_OUT.search(output):
        return f'the guest did not finish within {settings.timeout} s (TIMEOUT=)'
    if HUNG in log:
        return f'no case ended within {settings.limit} s'
    return 'the kernel panicked' if PANIC in log else ''


class _Share:
    """The suites of a guest, which take further guests if a case crashes."""

    def __init__(self, guest: Guest, say: Callable[[str], None], kernel_args: tuple[str, ...]):
        self.guest = guest
        self.say = say
        self.settings = guest.settings
        self.watched = self.settings.limit < self.settings.timeout
        self.kernel_args = (*kernel_args, *([f'ptebatch_kunit.limit={self.settings.limit}'] if self.watched else []))
        self.boots: list[Boot] = []
        self.ktap = ''      # of all boots
        self.status = 0     # of kunit.py
        self._cases: Sequence[Case] = ()

    @property
    def cases(self) -> Sequence[Case]:
        """All suites and cases of the share."""
        self._cases = self._cases or self.guest.cases(self.settings.suites)
        return self._cases

    def _boot(self, after: str) -> Generator[int, bool, tuple[Boot, list[str]]]:
        """Boot, `after` a case that crashed; return how it ended, and what kunit.py printed from the first error on."""
        kernel_args, suites = self.kernel_args, ''
        if after:
            kernel_args, suites = (*kernel_args, f'ptebatch_kunit.after={after}'), self.settings.suites or '*'
        output: list[str] = []
        tail: list[str] = []

        def shown(line: str) -> None:
            output.append(line)
            if tail or ERROR.match(line) and RENUMBERED not in line:
                tail.append(line)
            elif RENUMBERED not in line:
                self.say(line)

        limit, silent, rest = PATIENCE * self.settings.limit, '', b''
        with self.guest.started_suites(*_options(self.guest), kernel_args=kernel_args, suites=suites) as process:
            assert process.stdout
            heard = time.monotonic()
            while True:
                if (yield process.stdout.fileno()):
                    if not (read := os.read(process.stdout.fileno(), 65536)):
                        break
                    *lines, rest = (rest + read).split(b'\n')
                    for line in lines:
                        shown(line.decode(errors='backslashreplace').rstrip())
                    heard = time.monotonic()
                elif self.watched and time.monotonic() > heard + (KILL if silent else limit):
                    # kunit.py ends its guest and reports what it printed. If that does not help, the supervisor ends both.
                    process.send_signal(signal.SIGTERM if silent else supervise.INTERRUPT)
                    silent, heard = f'no case ended within {limit} s', time.monotonic()
        self.status = process.returncode or self.status
        log = self.guest.read_log('\n'.join(output))
        # The last line may be cut off.
        ktap = self.guest.ktap(log if log.endswith('\n') else log[:log.rfind('\n') + 1])
        text = '\n'.join(output)
        return Boot(text, log, ktap, silent or reason(text, log, self.settings)), tail

    def run(self) -> Generator[int, bool, None]:
        """Run all suites; yields the file descriptor to wait for, and is sent whether it is readable, at least every second."""
        after, note = '', ''
        before: stopped.Stop | None = None
        while True:
            boot, tail = yield from self._boot(after)
            begun = stopped.has_results(boot.ktap)
            if not before:
                self.ktap = boot.ktap
            elif begun:
                self.ktap, case = stopped.joined(before, boot.ktap, note)
                if note:
                    self._name(case)
            before = None if self.settings.kind.bench else stopped.stop(self.ktap)
            self.boots.append(replace(boot, reason=boot.reason or 'the guest ended') if before else boot)
            if not before:
                break
            note = NOTE.format(self.boots[-1].reason)
            # If a guest ends twice before its first result, it is not a case that crashes, but what precedes it.
            after = after.partition('.')[0] if '.' in after and not begun else before.after(
                self.cases if len(before.groups) < 2 else ())
            if not after:
                break
            tail = []
            if '.' not in after:
                self._name((after,))
                self.ktap, note = stopped.without_suite(before, after, self.cases, note), ''
                before = stopped.stop(self.ktap)
                if not before:
                    break
            if len(self.boots) > FURTHER:
                self._give_up(before, after, note)
                break
            self.say(f'further   guest with the cases behind {after}: {self.boots[-1].reason}')
        for line in tail:
            self.say(line)
        if len(self.boots) > 1 or self.boots[0].case:      # kunit.py has not seen the results as a whole
            self.status, _ = self.guest.parse(self.ktap, options(self.guest.boot_path))

    def _name(self, case: Case) -> None:
        """Name the case that was running when the last guest ended, and the one before if it ended twice."""
        self.boots = [each if each.case else replace(each, case=case) for each in self.boots]

    def _give_up(self, before: stopped.Stop, after: str, note: str) -> None:
        """Boot no further guest, which would know the name of a parameter."""
        self.boots[-1] = replace(self.boots[-1], left=f'{FURTHER} further guests ended early, too: no guest runs the cases behind '
                                                      f'{after}')
        if note:
            suite, case, number = re.split('[.:]', after)
            self._name((suite, case, f'param-{number}') if len(before.groups) == 2 else (suite, case))
            self.ktap = stopped.crashed(before, self.boots[-1].case, note)


def _guests(guest: Guest) -> list[Guest]:
    """The guest, or one for each share of the suites."""
    settings = guest.settings
    if settings.jobs == 1 or settings.suites or settings.kind.bench or settings.coverage:
        return [guest]
    guests = [Guest(replace(settings, suites=suites), guest.tree) for suites in SHARES]
    for number, share in enumerate(guests):
        share.accel = guest.accel
        if number:
            share.boot_in(f'share-{number}')
    return guests


def options(folder: Path) -> list[str]:
    """The options by which kunit.py writes results to a folder."""
    return [f'{option}={folder / name}' for option, name, _ in FILES]


def _options(guest: Guest) -> list[str]:
    """The options for the results of a guest; those of its last boot are removed."""
    for _, name, _ in FILES:
        (guest.boot_path / name).unlink(missing_ok=True)
    return options(guest.boot_path)


def _run(shares: Sequence[_Share]) -> None:
    """Run all shares at a time."""
    with ExitStack() as stack:
        running = [stack.enter_context(closing(share.run())) for share in shares]
        waiting = {run: next(run) for run in running}
        while waiting:
            readable = select.select([*waiting.values()], [], [], 1)[0]
            for run, file in [*waiting.items()]:
                try:
                    waiting[run] = run.send(file in readable)
                except StopIteration:
                    del waiting[run]


def boot(guest: Guest, on_line: Callable[[str], None], folder: Path, kernel_args: tuple[str, ...]
         ) -> tuple[int, list[Boot], str]:
    """Boot the suites and write the results of all to a folder; return kunit.py's status, how each guest ended, and the KTAP.

    The lines of the second share follow those of the first.
    """
    later: list[str] = []
    shares = [_Share(share, later.append if number else on_line, kernel_args)
              for number, share in enumerate(_guests(guest))]
    begun = time.monotonic()
    _run(shares)
    for line in later:
        on_line(line)
    guest.seconds = time.monotonic() - begun
    for _, name, merge in FILES:
        if parts := [path.read_text() for share in shares if (path := share.guest.boot_path / name).exists()]:
            (folder / name).write_text(merged.together(merge, parts))
    return (next((share.status for share in shares if share.status), 0), [each for share in shares for each in share.boots],
            merged.together(merged.ktap, [share.ktap for share in shares]))
