# SPDX-License-Identifier: GPL-2.0
"""Boot the kernel and judge the run by the results of kunit.py, the end of the boot, and kernel warnings."""

from __future__ import annotations

import re
from pathlib import Path

from guests.guest import Guest
from guests import loadable
from guests import shares
from guests.shares import Boot
from host.console import Console
from host.errors import Trouble
from host import tools
from results import known
from results import interleavings, pairs
from results import reports
from results.facts import facts
from results.known import Known, Quiet
from results.runs import FACTS
from results.report import Counts, failures, skip_causes, skips, verdicts

LAST_LINES = 20
NAMES = 20      # failed cases that are listed at the end
WARNINGS = 10   # maximum that is printed
VERDICTS = ('results.ktap', 'results.json', 'results.junit.xml')
SKIPPED = 'skipped.txt'     # all reasons for skipped cases
PAIRS = 'pairs.txt'         # steps of random programs that followed one another
FILES = ('results.txt', *VERDICTS, SKIPPED, PAIRS, interleavings.FILE, 'boot.log', FACTS)


class Judge:
    """A run of the suites of one kernel, and the folder of its results."""

    def __init__(self, guest: Guest, console: Console, bugs: Known = Known()):
        self.guest = guest
        self.console = console
        self.bugs = bugs    # those that the tree is known to have
        self.folder = guest.settings.results
        self.ktap = ''      # of the run that is judged
        self.errors: list[str] = []     # outside of cases

    def _no_such_suite(self, initramfs: Path | None = None) -> Trouble:
        names = self.guest.suite_names(initramfs)
        return Trouble(f'SUITES={self.guest.settings.suites} matches no suite',
                       f'type SUITES= and one of {", ".join(names)}' if names else 'the kernel has no suites: check CONFIG_KUNIT')

    def _check_variant(self, log: str) -> None:
        """Raise Trouble, and delete the results, if the guest is not the requested variant."""
        variant = self.guest.variant
        wrong = '; '.join(variant.differences(log)) if variant else ''
        if variant and wrong:
            for name in VERDICTS:
                (self.folder / name).unlink(missing_ok=True)
            raise Trouble(f'the guest is not the variant {variant.name} ({wrong})',
                          f'see {tools.shown(self.folder)}/boot.log', '\n'.join(log.splitlines()[-LAST_LINES:]))

    def _error(self, text: str, note: str = '') -> None:
        self.errors.append(text)
        self.console.say(f'[FAILED] {text}{note}')

    def _finished(self, boot: Boot) -> bool:
        """Whether the boot ended without a timeout or a panic; if not, print the last lines of the log."""
        reason = boot.reason
        if not reason:
            return True
        for fact in [*facts(boot.ktap, 'combinations', 'tried', 'total')][-1:]:
            reason += ', so far {tried} of {total} combinations'.format(**fact.words)
        if boot.case:
            reason += f' in {": ".join(boot.case)}'
        if bug := self.bugs.bug(boot.case):
            self.console.say(f'known     {reason}: {bug}')
            return False
        self._error(reason, '; the last lines of its log:')
        for line in boot.log.splitlines()[-LAST_LINES:]:
            self.console.say(f'    {line}')
        if boot.left:
            self._error(boot.left)
        return False

    def _check_warnings(self, boot: Boot) -> None:
        """Check rule 10 (no kernel warnings) also between cases, and in cases without an address space."""
        log = boot.log
        if self.bugs.bug(boot.case):
            log = log[:max((end for *_, end in known.each(log)), default=0)]
        judged = known.without(log[log.find('KTAP version'):], self.bugs) if 'KTAP version' in log else ''
        warnings = reports.found(judged)
        for warning in dict.fromkeys(warnings[:WARNINGS]):
            self._error(f'the kernel warned: {warning}')

    def _verdict(self, status: int) -> bool:
        """Print the results of kunit.py, which exited with `status`."""
        counts = Counts.read(self.folder / 'results.json')
        cases = verdicts(self.folder / 'results.json')
        expected = known.mark(self.folder, self.bugs)
        for fact in facts(self.ktap, 'random', 'seed', 'rounds'):
            self.console.say('random    SEED={seed} ROUNDS={rounds}'.format(**fact.words))
        self._say_again(self.ktap)
        for fact in facts(self.ktap, 'combinations', 'tried', 'total', 'op'):
            self.console.say('tried     {tried} of {total} combinations {op}'.format(**fact.words))
        for fact in facts(self.ktap, 'pairs of steps', 'tried', 'total'):
            self.console.say('tried     {tried} of {total} pairs of steps'.format(**fact.words))
        for fact in facts(self.ktap, 'pauses', 'tried', 'finished'):
            self.console.say('tried     {tried} pauses; in {finished} the other step finished, otherwise it waited'.format(
                **fact.words))
        for name, text in ((PAIRS, pairs.matrix(self.ktap)), (interleavings.FILE, interleavings.matrix(self.ktap))):
            if text:
                (self.folder / name).write_text(text)
        junit = self.folder / 'results.junit.xml'
        if reasons := skips(junit):
            (self.folder / SKIPPED).write_text(''.join(f'{times:6,} {reason}\n' for reason, times in reasons.most_common()))
        for cause in skip_causes(reasons):
            self.console.say(f'skipped   {cause}')
        for line in self.bugs.lines(expected, cases):
            self.console.say(line)
        if expected:
            self.console.say('          FIXES=mm/series/fixes repairs them; STRICT=1 counts them as failed')
        for name in failures(junit)[:NAMES]:
            self.console.say(f'failed    {name}')
        # The cases of a few suites may all be in other parts.
        elsewhere = bool(self.guest.settings.shard.name and counts.skipped and counts == Counts(skipped=counts.skipped))
        if not counts.passed and not counts.failed and not elsewhere:
            self._error('no case ran')
        elif counts.errors or status and counts.good:
            self._error(f'kunit.py found errors in the KTAP output: {counts.errors}')
        counts = counts.without_known(expected.total())
        good = (counts.good or elsewhere) and not self.errors
        written = [name for name in FILES if (self.folder / name).exists()]
        self.console.say(f'results   {tools.shown(self.folder)}/: {" ".join(written)}')
        self.console.say(f'{"passed" if good else "FAILED":<9} {self.guest.settings.name}: {counts}; '
                         f'{self.console.seconds():.1f} s in all')
        return good

    def _say_again(self, ktap: str) -> None:
        """Print the commands that test the random rows that failed again."""
        settings = self.guest.settings
        for fact in facts(ktap, 'random failed', 'seed'):
            self.console.say(' '.join(['again by  make run', f'ARCH={settings.arch.name}', f'SUITES={fact.suite}.{fact.case}',
                                       f'SEED={fact.words["seed"]}', 'ROUNDS=1', *settings.sources]))

    def _keep(self, boot_log: str, ktap: str) -> None:
        self.ktap = ktap
        (self.folder / 'boot.log').write_text(boot_log)
        if ktap:
            (self.folder / 'results.ktap').write_text(ktap)

    def built_in(self) -> bool:
        """Boot a kernel with built-in suites, which run during boot."""
        settings = self.guest.settings
        quiet = Quiet(self.bugs, self.console.say)
        status, boots, ktap = shares.boot(self.guest, quiet, self.folder, settings.parameters + settings.shard.parameters)
        quiet.flush()
        self._keep(''.join(boot.log for boot in boots), ktap)
        self._check_variant(boots[0].log)
        finished = all([self._finished(boot) for boot in boots])
        for boot in boots:
            self._check_warnings(boot)
        if settings.suites and finished and re.search(r'KTAP version 1\n.*\b1\.\.0\n', boots[0].log):
            raise self._no_such_suite()
        return self._verdict(status)

    def as_module(self) -> bool:
        """Insert and remove the module several times; all rounds must pass and report the same cases."""
        initramfs = loadable.make_initramfs(self.guest)
        output: list[str] = []
        with self.console.step('boot', f'insert, run and remove ptebatch_kunit.ko, {loadable.ROUNDS} times'):
            self.guest.boot_suites(output.append, '--raw_output=all', initramfs=initramfs)
        log = self.guest.read_log()
        rounds = loadable.rounds(log)
        self._keep(log, self.guest.ktap(rounds[0]) if rounds else '')
        text = '\n'.join(output)
        finished = self._finished(Boot(text, log, self.ktap, shares.reason(text, log, self.guest.settings)))
        errors = loadable.errors(log)
        if self.guest.settings.suites and finished and rounds and not errors and 'KTAP version' not in rounds[0]:
            raise self._no_such_suite(initramfs)

        statuses = []
        for number, part in enumerate(rounds, 1):
            # The results of the first round are marked later; of the others, only the verdict counts.
            status, report = (self.guest.parse(part, shares.options(self.folder)) if number == 1 else
                              self.guest.parse(known.mark_ktap(part, self.bugs), []))
            statuses.append(status)
            if number == 1 or status:
                quiet = Quiet(self.bugs, self.console.say)
                for line in report.splitlines():
                    quiet(line)
                quiet.flush()
            if number > 1 and status:
                self._error(f'a case failed in round {number}')
                self._say_again(self.guest.ktap(part))
        for error in errors:
            self._error(error)
        if not self.errors and any(loadable.cases(part) != loadable.cases(rounds[0]) for part in rounds):
            self._error('a later round reports other cases than the first')
        return self._verdict(statuses[0] if statuses else 0)
