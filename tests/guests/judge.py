# SPDX-License-Identifier: GPL-2.0
"""Boot the kernel and give the verdict: on what kunit.py reports, and on how the boot ended."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from guests.guest import Guest
from guests import loadable
from host.console import Console
from host.errors import Trouble
from host import tools
from results.report import Counts, failures, skips

LAST_LINES = 20
NAMES = 20      # of failed cases, at the end again
PANIC = 'Kernel panic - not syncing'
TIMED_OUT = re.compile(r'^Command .* timed out after \d+ seconds$', re.MULTILINE)
SO_FAR = re.compile(r'# \w+: (so far \d+ of \d+ combinations)$', re.MULTILINE)
AGAIN = re.compile(r'# \w+: again by: (make run .*)$', re.MULTILINE)
# What lib/kernel/log.c looks for, but for what mm/workbench.c prints to be found.
WARNING = re.compile(
    r'^(?:\[[^]]*\] *)*((?:WARNING: |BUG:? |INFO: trying to register non-static key|INFO: lockdep is turned off|'
    r'Disabling lock debugging)(?!.*ptebatch tries).*)$', re.MULTILINE)
WARNINGS = 10   # that are shown
COMBINATIONS = re.compile(r'^ *# \w+: combinations (.*): (\d+) of (\d+)$', re.MULTILINE)
VERDICTS = ('results.ktap', 'results.json', 'results.junit.xml')
FILES = ('results.txt', *VERDICTS, 'boot.log')


class Judge:
    """One boot of one kernel, and where its results go."""

    def __init__(self, guest: Guest, console: Console):
        self.guest = guest
        self.console = console
        self.folder = guest.settings.results

    def _outputs(self) -> list[str]:
        return [f'--json={self.folder}/results.json', f'--junit={self.folder}/results.junit.xml']

    def _no_such_suite(self, initramfs: Path | None = None) -> Trouble:
        names = ', '.join(self.guest.suite_names(initramfs)) or 'none at all'
        return Trouble(f'SUITES={self.guest.settings.suites} matches no suite', f'there are: {names}')

    def _keep_log(self) -> str:
        if not self.guest.log.exists():
            raise Trouble('the kernel did not start', 'see the lines above')
        shutil.copyfile(self.guest.log, self.folder / 'boot.log')
        return self.guest.log.read_text(errors='replace')

    def _check_variant(self, log: str) -> None:
        """Another machine's results must not be taken for its."""
        variant = self.guest.variant
        wrong = '; '.join(variant.differences(log)) if variant else ''
        if variant and wrong:
            for name in VERDICTS:
                (self.folder / name).unlink(missing_ok=True)
            raise Trouble(f'the guest is not the variant {variant.name} ({wrong})',
                          f'see {tools.shown(self.folder)}/boot.log', '\n'.join(log.splitlines()[-LAST_LINES:]))

    def _came_to_its_end(self, heard: list[str], log: str) -> bool:
        """Or else show how far it came."""
        if TIMED_OUT.search('\n'.join(heard)):
            why = f'the guest was not done within {self.guest.settings.timeout} s (TIMEOUT=)'
        elif PANIC in log:
            why = 'the kernel panicked'
        else:
            return True
        so_far = SO_FAR.findall(log)
        self.console.say(f'[FAILED] {why}{", " + so_far[-1] if so_far else ""}; the last lines of its log:')
        for line in log.splitlines()[-LAST_LINES:]:
            self.console.say(f'    {line}')
        return False

    def _did_not_warn(self, log: str) -> bool:
        """Rule 10 for warnings between cases, and in cases without an address space."""
        warnings = WARNING.findall(log[log.find('KTAP version'):]) if 'KTAP version' in log else []
        for warning in dict.fromkeys(warnings[:WARNINGS]):
            self.console.say(f'[FAILED] the kernel warned: {warning}')
        return not warnings

    def _verdict(self, good: bool) -> bool:
        counts = Counts.read(self.folder / 'results.json')
        for drawn in re.findall(r'# \w+: (SEED=\d+ ROUNDS=\d+)$', self._ktap(), re.MULTILINE):
            self.console.say(f'random    {drawn}')
        for command in AGAIN.findall(self._ktap()):
            self.console.say(f'again by  {" ".join([command, *self.guest.settings.sources])}')
        for operation, tried, there_are in COMBINATIONS.findall(self._ktap()):
            self.console.say(f'tried     {tried} of {there_are} combinations {operation}')
        junit = self.folder / 'results.junit.xml'
        for reason, times in skips(junit).items():
            self.console.say(f'skipped   {times}: {reason}')
        for name in failures(junit)[:NAMES]:
            self.console.say(f'failed    {name}')
        good = good and counts.good
        if not counts.passed and not counts.failed:
            self.console.say('[FAILED] no case ran')
        there = [name for name in FILES if (self.folder / name).exists()]
        self.console.say(f'results   {tools.shown(self.folder)}/: {" ".join(there)}')
        self.console.say(f'{"passed" if good else "FAILED":<9} {self.guest.settings.name}: {counts}; '
                         f'{self.console.seconds():.1f} s in all')
        return good

    def _ktap(self) -> str:
        ktap = self.folder / 'results.ktap'
        return ktap.read_text(errors='replace') if ktap.exists() else ''

    def built_in(self) -> bool:
        """The kernel has the suites built in and runs them as it boots."""
        heard: list[str] = []

        def hear(line: str) -> None:
            heard.append(line)
            self.console.say(line)

        settings = self.guest.settings
        status = self.guest.boot(hear, *self._outputs(), kernel_args=settings.arch.suites_args + settings.parameters,
                                 suites=settings.suites)
        log = self._keep_log()
        self._check_variant(log)
        ended = self._came_to_its_end(heard, log)
        quiet = self._did_not_warn(log)
        if settings.suites and ended and re.search(r'KTAP version 1\n.*\b1\.\.0\n', log):
            raise self._no_such_suite()
        (self.folder / 'results.ktap').write_text(self.guest.ktap(log))
        return self._verdict(ended and quiet and status == 0)

    def as_module(self) -> bool:
        """The kernel inserts and removes the suites; all rounds must go well, and alike."""
        initramfs = loadable.make_initramfs(self.guest)
        heard: list[str] = []
        with self.console.step('boot', f'insert, run and remove ptebatch.ko, {loadable.ROUNDS} times'):
            self.guest.boot(heard.append, '--raw_output=all', initramfs=initramfs, suites=self.guest.settings.suites,
                            kernel_args=self.guest.arch.suites_args)
        log = self._keep_log()
        ended = self._came_to_its_end(heard, log)
        rounds = loadable.rounds(log)
        if self.guest.settings.suites and ended and rounds and 'KTAP version' not in rounds[0]:
            raise self._no_such_suite(initramfs)

        good = ended and len(rounds) == loadable.ROUNDS
        for part in rounds:
            first = part is rounds[0]
            status, said = self.guest.parse(part, self._outputs() if first else [])
            if first or status:
                for line in said.splitlines():
                    self.console.say(line)
            good = good and status == 0
        if rounds:
            (self.folder / 'results.ktap').write_text(self.guest.ktap(rounds[0]))
        complaints = loadable.complaints(log)
        if good and any(loadable.cases(part) != loadable.cases(rounds[0]) for part in rounds):
            complaints.append('a later round does not report the cases of the first')
        for complaint in complaints:
            self.console.say(f'[FAILED] {complaint}')
        return self._verdict(good and not complaints)
