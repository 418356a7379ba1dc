#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""`make test`: the tools, the style, and the suites on all architectures. The last line counts them all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from commands import reproduce
from commands import run
from guests.guest import Guest
from host import architecture
from host.console import Console
from host.errors import Trouble
from host import lock
from host import packages
from host.settings import PROJECT, Settings, results
from host import tools
from results.record import load
from results.report import Counts, verdicts
from trees import shadow
from trees import source
from trees import twins

# On top of the fixes on arm64, without them on x86_64.
UNMAP = 'mm/series/unmap'
RUNS = ({'ARCH': 'um'}, {'ARCH': 'x86_64'}, {'ARCH': 'x86_64', 'LOADABLE': '1'},
        {'ARCH': 'x86_64', 'DEBUG': '1'}, {'ARCH': 'arm64'}, {'ARCH': 'arm64', 'VARIANTS': 'a57'},
        {'ARCH': 'arm64', 'SERIES': UNMAP}, {'ARCH': 'arm64', 'LOADABLE': '1'})
# Those with most of the kernel's options, and with the twin of contpte.c.
TWINS = ({'ARCH': 'x86_64', 'DEBUG': '1'}, {'ARCH': 'arm64'})
BENCHES, TIMES = ('x86_64', 'arm64'), 5
SHELL = ('.ci/run', 'tests/host/bootstrap', 'tests/guests/qemu/qemu-system-x86_64', 'tests/guests/selftests/init')

# Asks for an entry in MAINTAINERS, which a tree has and a file has not.
CHECKPATCH = ('--strict', '--no-tree', '--no-summary', '--show-types', '--terse', '--ignore=FILE_PATH_CHANGES')

# The person who sends a patch signs it off, and checks the hashes in a tree that has the history.
SENDERS = 'MISSING_SIGN_OFF,UNKNOWN_COMMIT_ID'

# Debian's sparse, 0.6.4, does not know this, and make then leaves it out with a warning.
SPARSE = 'sparse -D__typeof_unqual__=__typeof__'
# Nor does it know __builtin_strlen() in MODULE_LICENSE() and the like for a constant.
NOT_KNOWN = 'error: bad constant expression'


def c_files(*folders: str) -> list[str]:
    return sorted(str(path) for folder in folders for path in (PROJECT / folder).rglob('*.[chS]'))


class Check:
    """The checks of this run, and how they ended."""

    def __init__(self, env: Mapping[str, str]):
        # Only where the kernel comes from and where results go is the user's to say here.
        self.env = {name: env[name] for name in ('KSRC', 'FIXES', 'O', 'JOBS', 'INSTALL', 'XDG_CACHE_HOME') if env.get(name)}
        self.folder = results(env) / 'test'
        lock.claim(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.console = Console()
        self.counts: Counter[str] = Counter()

    def _settings(self, variables: Mapping[str, str]) -> Settings:
        return Settings.read(self.env | variables)

    def one(self, name: str, note: str, work: Callable[[], str]) -> None:
        """A check that passes if it has nothing to say."""
        try:
            with self.console.step(name, note):
                said = work()
        except (tools.Failed, Trouble) as error:
            said = getattr(error, 'output', None) or f'{getattr(error, "details", "")}\n{error}'
        self.counts['failed' if said else 'passed'] += 1
        if said:
            self.console.say(f'[FAILED] {name}\n{said.strip()}')

    def many(self, name: str, note: str, command: list[str | Path], env: Mapping[str, str],
             count: Callable[[], Counts]) -> None:
        """A program that runs many cases and counts them."""
        log = self.folder / f'{note}.log'
        with self.console.step(name, note) as step:
            with log.open('w') as output:
                status = subprocess.run(tools.supervised(command), env=tools.environment(**env), cwd=PROJECT, stdin=subprocess.DEVNULL,
                                        stdout=output, stderr=subprocess.STDOUT, check=False).returncode
            counts = count()
            failed = counts.failed + counts.crashed + counts.errors
            if status and not failed or not status and not counts.good:
                failed += 1     # it ended badly, or did nothing
            step.note = f'{note}: {counts}'
        self.counts.update(passed=counts.passed, failed=failed, skipped=counts.skipped)
        if failed:
            self.console.say(f'[FAILED] {name} {note} (exit status {status})\n{log.read_text(errors="replace").strip()}')

    def tool_tests(self) -> None:
        """The tests of the tools themselves."""
        junit = self.folder / 'pytest.xml'
        junit.unlink(missing_ok=True)

        def count() -> Counts:
            if not junit.exists():
                return Counts()
            suite = next(xml.etree.ElementTree.parse(junit).iter('testsuite'))
            tests, failed, errors, skipped = (int(suite.get(key) or 0) for key in ('tests', 'failures', 'errors', 'skipped'))
            return Counts(passed=tests - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped)

        self.many('tools', 'pytest', ['pytest-3', '-q', '--tb=short', '-p', 'no:cacheprovider', f'--junitxml={junit}', 'tests/unit'],
                  {'XDG_CACHE_HOME': str(self._settings({}).cache.parent)}, count)

    def suites(self, variables: Mapping[str, str]) -> None:
        """`make run` of one architecture."""
        series = variables.get('SERIES')
        folder = self.folder / Path(series).name if series else self.folder
        [settings] = self._settings(variables | {'O': str(folder)}).each()
        self.many('suites', settings.name + (f'-{folder.name}' if series else ''), tools.program('run'),
                  self.env | variables | {'O': str(folder)}, lambda: Counts.read(settings.results / 'results.json'))

    def series_alone(self, arch: str) -> str:
        """The cases that our series fails and the kernel without fixes passes: a series has to be right by itself."""
        passed = []
        for name, path in (('bare', ''), (f'{Path(UNMAP).name}-alone', UNMAP)):
            variables = {'ARCH': arch, 'FIXES': '', 'SERIES': path, 'O': str(self.folder / name)}
            settings = self._settings(variables)
            log = self.folder / f'{arch}-{name}.log'
            with log.open('w') as output:
                subprocess.run(tools.program('run'), cwd=PROJECT, env=tools.environment(**self.env | variables),
                               stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False)
            ended = verdicts(settings.results / 'results.json')
            passed.append({case for case, verdict in ended.items() if verdict == 'PASS'})
            if not passed[-1]:
                return f'no case passed\n{log.read_text(errors="replace")}'
        return '\n'.join(sorted(passed[0] - passed[1]))

    def reproducers(self) -> None:
        """`make reproduce`: a case is a program on the kernels that must be right."""
        result = self.folder / 'reproduce/reproduce.json'
        self.many('programs', 'reproduce', tools.program('reproduce'), self.env | {'O': str(self.folder)},
                  lambda: reproduce.counts(result))

    def benches(self, arch: str) -> str:
        """How figures differ that shall be the same each time, and which timings are too short for the stopwatch."""
        folder = self.folder / 'bench'
        settings = self._settings({'ARCH': arch, 'O': str(folder)})
        log = folder / f'{arch}.log'
        log.parent.mkdir(exist_ok=True)
        said: list[str] = []
        first = None
        for _ in range(TIMES):
            with log.open('w') as output:
                status = subprocess.run(tools.supervised(tools.program('bench')), cwd=PROJECT, stdin=subprocess.DEVNULL,
                                        env=tools.environment(**self.env | {'ARCH': arch, 'O': str(folder)}), check=False,
                                        stdout=output, stderr=subprocess.STDOUT).returncode
            if status:
                return f'exit status {status}\n{log.read_text(errors="replace")}'
            record = load(settings.results / 'bench.json')
            first = first or record
            said += [f'{was.name}, {was.way}: {was} and then {now}'
                     for was, now in zip(first.timings, record.timings, strict=True) if was != now]
            if first.counts != record.counts:
                said.append('what is counted differs')
        assert first
        return '\n'.join(said + [f'{timing.name}, {timing.way}: the stopwatch takes more than 1 %: {timing}'
                                 for timing in first.timings if timing.own * 100 > timing.min])

    def checkpatch(self) -> str:
        """What the kernel's own style check says about the kernel code, and init."""
        settings = self._settings({})
        tree = settings.ksrc or source.fetched(settings.cache / 'source', self.console)
        checkpatch = [f'{tree}/scripts/checkpatch.pl', *CHECKPATCH]
        patches = sorted(str(patch) for patch in (PROJECT / 'mm/series').rglob('*.patch')
                         if not patch.is_symlink() and not patch.name.startswith('0000-'))
        # What git tracks where it runs it takes for a source file, not for a patch.
        return (tools.run([*checkpatch, f'--ignore={SENDERS}', *patches], cwd=Path('/')) +
                tools.run([*checkpatch, '-f', *c_files('lib', 'mm', 'tests/reproducers'), 'tests/guests/init.c',
                        'tests/guests/reproduce_init.c'], cwd=PROJECT))

    def sparse(self) -> str:
        """What sparse and the compiler's further warnings say about our objects in the x86_64 build."""
        settings = self._settings({'ARCH': 'x86_64'})
        tree, _ = run.trees(settings, Console())
        with tree.locked(self.console):
            said = Guest(settings, tree.path).make('C=2', 'W=1', f'CHECK={SPARSE}', shadow.HOME + '/')
        if '  CHECK ' not in said:
            return f'sparse was not run\n{said}'
        # What the twins include is the kernel's.
        steps = re.compile(r'\s+(CC|CHECK|AR|LD|OBJCOPY)\s|In file included from|.*: note: in included file')
        return '\n'.join(line for line in said.splitlines()
                         if shadow.HOME + '/' in line and not steps.match(line) and not line.endswith(NOT_KNOWN))

    def twins(self, variables: Mapping[str, str]) -> str:
        """Variables of the twins that no initcall sets up, in a build of RUNS."""
        settings = self._settings(variables)
        tree, _ = run.trees(settings, Console())
        with tree.locked(self.console):
            guest = Guest(settings, tree.path)
            return twins.unexpected(guest.build_path, settings.arch.cross_compile + 'nm', guest.env())

    def everything(self) -> int:
        """All checks, the quick ones first."""
        needs = [need for variables in RUNS
                 for need in packages.for_run(architecture.find(variables['ARCH']), 'LOADABLE' in variables)]
        packages.ensure(dict.fromkeys([*packages.TEST, *needs]), self.console)
        self.one('style', 'shellcheck', lambda: tools.run(['shellcheck', *SHELL], cwd=PROJECT))
        self.one('style', 'mypy', lambda: re.sub(r'Success: .*', '', tools.run(
            ['mypy', '--strict', '--no-error-summary', '--explicit-package-bases', '--exclude', 'guests/arch',
             '--cache-dir', str(self.folder / 'mypy'), '.'],
            cwd=PROJECT / 'tests')).strip())
        self.tool_tests()
        self.one('style', 'checkpatch', self.checkpatch)
        for variables in RUNS:
            self.suites(variables)
        self.one('series', f'{UNMAP}, on the kernel without fixes', lambda: self.series_alone('x86_64'))
        if architecture.find('x86_64').native:
            self.reproducers()
        self.one('style', 'sparse', self.sparse)
        for variables in TWINS:
            self.one('twins', variables['ARCH'], lambda: self.twins(variables))
        for arch in BENCHES:
            self.one('benches', f'{arch}, {TIMES} times', lambda: self.benches(arch))
        counts = self.counts
        print(f'{counts["passed"]} passed, {counts["failed"]} failed, {counts["skipped"]} skipped')
        return run.FAILED if counts['failed'] else run.PASSED


if __name__ == '__main__':
    sys.exit(run.ended(lambda: Check(os.environ).everything()))
