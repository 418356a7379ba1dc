# SPDX-License-Identifier: GPL-2.0
"""`make selftests`: build tools/testing/selftests/mm of the tree under test and run it in a guest.

Exit status: 0 all passed, or failed as listed in tests/guests/selftests/programs; 1 another test failed; 2 could not run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from commands import run
from guests.guest import Guest
from guests.shares import TIMED_OUT
from guests import selftests_build
from host.console import Console, Step
from host.errors import Trouble
from host import exit_status
from host import packages
from host.settings import Settings
from host import tools
from results.changes import Change, changes
from results.markdown import table
from results.report import FAIL, PASS, SKIP, Case, Counts, Verdicts, verdicts
from results import selftests_log
from results.selftests_log import List, Log, Program
from trees.shadow import prune
from trees import sysroot

LIST = selftests_build.OWN / 'programs'
FILES = ('selftests.txt', 'selftests.ktap', 'selftests.json', 'selftests.junit.xml', 'selftests.log')
# One CPU under emulation: with more, QEMU 7.2 with -icount runs only the first busy one, and ksmd never runs while a
# test polls it. 4 GiB are for huge pages. `max` has protection keys and high addresses, which tests need; without erms,
# fsrm and rep_good, the x86 kernel clears memory without string instructions, which are slow under emulation.
MACHINE = {'x86_64': '-m 4096 -smp 1 -cpu max,-erms,-fsrm', 'arm64': '-m 4096 -smp 1 -cpu max,pauth-impdef=on'}
KVM = '-m 4096 -smp 2'
KERNEL_ARGS = {'x86_64': ('clearcpuid=rep_good',), 'arm64': ()}
# With -icount the guest's clock jumps while all CPUs are idle, which RCU would report as a stall.
COMMON_ARGS = ('printk.devkmsg=on', 'rdinit=/init', 'rcupdate.rcu_cpu_stall_suppress=1')
# 4 ns per guest instruction: a busy host causes no timeouts of tests.
EMULATED = '-icount shift=2,sleep=off -seed 1 -rtc base=2026-01-01,clock=vm'
LAST_LINES = 20


class Selftests:
    """One run of all programs, and its report."""

    def __init__(self, settings: Settings, console: Console):
        self.settings = settings
        self.console = console
        self.folder = settings.results
        self.list = selftests_log.read_list(LIST, settings.arch.name)
        self.unexpected: list[str] = []

    def _boots(self, guest: Guest, root: Path) -> Log:
        """Run all programs in one boot; after a panic, boot again and run the remaining ones."""
        commands, whole, seconds = self.list.commands, Log(), 0.0
        with self.console.step('boot', f'{len(commands)} programs') as step, \
             (self.folder / 'selftests.log').open('w') as kept:
            while not whole.ended:
                begun = len(whole.programs)
                initramfs = selftests_build.initramfs(guest, root, selftests_log.for_guest(commands[begun:]))
                text = self._boot(guest, initramfs, step, begun)
                kept.write(text)
                whole.add(selftests_log.read(text))
                seconds += guest.seconds
                if begun == len(whole.programs) or len(whole.programs) == len(commands) or TIMED_OUT.search(text):
                    break
        guest.seconds = seconds
        if not whole.programs:
            raise Trouble('the guest ran no program', f'see {tools.shown(self.folder)}/selftests.log',
                          '\n'.join(text.splitlines()[-LAST_LINES:]))
        return whole

    def _boot(self, guest: Guest, initramfs: Path, step: Step, begun: int) -> str:
        """Boot once; return the log, and the timeout line of kunit.py, if any."""
        output: list[str] = []

        def on_line(line: str) -> None:
            nonlocal begun
            output.append(line)
            if match := re.search(r'ptebatch: run \d+ (.*)', line):
                begun += 1
                program = match[1]
                step.progress(lambda: f'{begun} of {len(self.list.commands)}: {program}')
        machine = [KVM] if 'kvm' in guest.accel else [MACHINE[guest.arch.name], EMULATED]
        guest.boot(on_line, '--raw_output=all', *(f'--qemu_args={arg}' for arg in machine), initramfs=initramfs,
                   kernel_args=COMMON_ARGS + KERNEL_ARGS[guest.arch.name])
        log = guest.read_log('\n'.join(output[-LAST_LINES:]))
        timed_out = ''.join(f'{line}\n' for line in output if TIMED_OUT.match(line))
        return log + timed_out

    def _row(self, program: Program) -> list[str]:
        tests = program.cases()
        counts = [str(sum(test.verdict == verdict for test in tests)) for verdict in (PASS, FAIL, SKIP)]
        return [program.name, *counts, str(program.seconds)]

    def _failures(self, log: Log) -> list[str]:
        """One line per known failure; unexpected failures go to self.unexpected, which decides the exit status."""
        known = []
        for program in log.programs:
            for test in program.cases():
                if test.verdict == FAIL:
                    reason = self.list.reason(program.name, test.name)
                    line = f'{program.name}: {test.name}' + (f': {test.note}' if test.note else '')
                    if reason:
                        known.append(f'known     {line} ({reason})')
                    else:
                        self.unexpected.append(line)
        return known

    def _not_run(self, guest: Guest, log: Log) -> tuple[list[list[str]], int, int]:
        """Rows of the sources that did not run, with reasons; the number of sources that ran; their total."""
        ran = {program.source for program in log.programs if program.status is not None}
        sources = selftests_build.sources(guest)
        missing = [name for name in sources if name not in ran]
        listed = {Program(command, limit).source for limit, command in self.list.commands}
        rows = [[f'{name}.c', 'the guest ended before this program started' if name in listed else
                 self.list.not_run.get(name, 'new: add it to tests/guests/selftests/programs')] for name in missing]
        return rows, len(sources) - len(missing), len(sources)

    def _report(self, guest: Guest, log: Log) -> bool:
        ktap = selftests_log.ktap(log.programs)
        (self.folder / 'selftests.ktap').write_text(ktap)
        guest.parse(ktap, [f'--json={self.folder}/selftests.json', f'--junit={self.folder}/selftests.junit.xml'])
        counts = Counts.read(self.folder / 'selftests.json')
        say = self.console.say
        say(f'machine   {log.machine}')
        say('')
        summary = table(['program', 'passed', 'failed', 'skipped', 's'], [self._row(each) for each in log.programs])
        for line in summary.split('\n'):
            say(line)
        say('')
        rows, ran, total = self._not_run(guest, log)
        for line in table(['not run', 'reason'], rows, 2).split('\n') if rows else ():
            say(line)
        say('')
        for option in selftests_build.missing_options(guest):
            say(f'config    {option}: not available on this architecture or in this tree')
        for error in log.errors:
            say(f'guest     {error}')
        known = self._failures(log)
        for line in known:
            say(line)
        for line in self.unexpected:
            say(f'[FAILED] {line}')
        if not log.ended:
            say(f'[FAILED] the guest did not finish (TIMEOUT={self.settings.timeout}); the last lines of its log:')
            for line in (self.folder / 'selftests.log').read_text(errors='replace').splitlines()[-LAST_LINES:]:
                say(f'    {line}')
        say(f'sources   {ran} of {total} run')
        passed = log.ended and not self.unexpected and counts.passed > 0
        say(f'results   {tools.shown(self.folder)}/: {" ".join(name for name in FILES if (self.folder / name).exists())}')
        say(f'{"passed" if passed else "FAILED":<9} {self.settings.name}: {counts}, {len(known)} of the failures known; '
            f'guest {guest.seconds:.0f} s, {self.console.seconds():.0f} s in all')
        return passed

    def run(self) -> bool:
        """Build, boot and report; return whether all tests passed or are known to fail."""
        settings, console = self.settings, self.console
        with run.results_folder(self.folder, FILES, console):
            packages.ensure(packages.for_selftests(settings.arch), console)
            root = sysroot.find(settings.cache, settings.arch, console)
            tree, base = run.trees(settings, console)
            if not (tree.origin / selftests_build.HOME / 'config').is_file():
                raise Trouble(f'{tree.origin} has no {selftests_build.HOME}',
                              'type a complete kernel tree, for example KSRC=~/linux')
            run.say_patches(tree, base, settings, console)
            with run.prepared(settings, tree, base, console) as guest:
                with console.step('build') as step:
                    selftests_build.kernel(guest, step)
                with console.step('programs') as step:
                    selftests_build.programs(guest, root, step)
                guest.choose_accelerator(console)
                passed = self._report(guest, self._boots(guest, root))
            prune(settings.cache / 'trees')
        return passed


def compared(then: Verdicts, now: Verdicts, programs: List) -> list[Change]:
    """The tests with their verdicts on both kernels."""
    def known(test: Case, after: str) -> bool:
        program, name = test[0], test[-1]
        # After a known failure, a program may not run its remaining tests.
        whole = not after and now.get((program, selftests_log.WHOLE)) == FAIL and selftests_log.WHOLE
        return bool(programs.reason(program, name) or whole and programs.reason(program, whole))
    return changes(then, now, known)


def judged(settings: Settings) -> Verdicts:
    """Run all selftests; return the verdict of each test, known failures included."""
    Selftests(settings, Console()).run()
    return verdicts(settings.results / 'selftests.json')


def main(env: Mapping[str, str]) -> int:
    """Run `make selftests`."""
    settings = Settings.read({**env, 'ARCH': env.get('ARCH') or 'x86_64'}).for_selftests(env)
    return exit_status.PASSED if Selftests(settings, Console()).run() else exit_status.FAILED
