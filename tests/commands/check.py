# SPDX-License-Identifier: GPL-2.0
"""`make test`: the tools, the style, and the suites on all architectures. The last line prints the totals."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from commands import orders
from commands import patches
from commands import reproduce
from commands import run
from guests.guest import Guest
from guests import recorded
from host import architecture
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host import packages
from host.settings import PROJECT, Settings, results
from host import tools
from host import wheels
from mutation import record as mutation
from results import known
from results.record import load
from results.report import PASS, Counts, verdicts
from trees import checkpatch
from trees import fixes
from trees import shadow
from trees import source
from trees import twins

# Tested on top of the fixes on arm64, and on the kernel without fixes on x86_64.
UNMAP = 'mm/series/unmap'
# Each kernel takes minutes to build: the module of arm64 is that of the kernel with our series.
RUNS = ({'ARCH': 'um'}, {'ARCH': 'x86_64'}, {'ARCH': 'x86_64', 'LOADABLE': '1'},
        {'ARCH': 'x86_64', 'DEBUG': '1'}, {'ARCH': 'arm64'}, {'ARCH': 'arm64', 'VARIANTS': 'a57'},
        {'ARCH': 'arm64', 'SERIES': UNMAP, 'LOADABLE': '1'})
# x86_64 with DEBUG=1 has most of the kernel's options; arm64 has the twin of contpte.c.
TWINS = ({'ARCH': 'x86_64', 'DEBUG': '1'}, {'ARCH': 'arm64'})
SAMPLE = '16'   # mutants
BENCHES, TIMES = ('x86_64', 'arm64'), 3
SHELL = ('.ci/run', 'tests/host/bootstrap', 'tests/guests/qemu/qemu-system-x86_64', 'tests/guests/selftests/init',
         'tests/ci/sources', 'tests/ci/slurm.sbatch', 'tests/ci/parallel', 'tests/ci/try')

# The lines of a failed check that are printed again at the end: kunit.py, pytest, our tools; without the banners of kunit.py.
ERROR = re.compile(r'^(?:\[[\d:]+\] )?((?:\[(?:FAILED|CRASHED|ERROR|WORSE)\]|FAILED|ERROR|failed|again by) .*)$', re.MULTILINE)
ERRORS = 5

# How much the clock and the plugin may differ in the instructions of a lap.
SAME_LAP = 0.002

# Debian's sparse 0.6.4 does not support __typeof_unqual__; make would then skip sparse with a warning.
SPARSE = 'sparse -D__typeof_unqual__=__typeof__'
# sparse 0.6.4 does not treat __builtin_strlen() as a constant, for example in MODULE_LICENSE().
FALSE_ERROR = 'error: bad constant expression'


def c_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (PROJECT / folder).rglob('*.[chS]'))


class Check:
    """One run of all checks, with the number of passed, failed and skipped ones."""

    def __init__(self, env: Mapping[str, str]):
        # All other variables are set by the checks themselves.
        self.env = {name: env[name] for name in ('KSRC', 'FIXES', 'O', 'JOBS', 'INSTALL', 'XDG_CACHE_HOME') if name in env}
        self.folder = results(env) / 'test'
        lock.claim(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.console = Console()
        self.counts: Counter[str] = Counter()
        self.failed: list[str] = []

    def _settings(self, variables: Mapping[str, str]) -> Settings:
        return Settings.read(self.env | variables)

    def run_check(self, name: str, note: str, work: Callable[[], str]) -> None:
        """Run one check, which passes if `work` returns no output."""
        try:
            with self.console.step(name, note):
                output = work()
        except (tools.Failed, Trouble) as error:
            output = getattr(error, 'output', None) or f'{getattr(error, "details", "")}\n{error}'
        self.counts['failed' if output else 'passed'] += 1
        if output:
            self._say_failed(f'{name} {note}', output)

    def _say_failed(self, check: str, output: str) -> None:
        """Print the output of a failed check; a summary of it follows at the end, which may be all that a CI shows."""
        output = output.strip()
        self.console.say(f'[FAILED] {check}\n{output}')
        errors = ERROR.findall(output)[:ERRORS] or output.splitlines()[-1:]
        self.failed.append('\n'.join([f'[FAILED] {check}', *(f'    {error}' for error in errors)]))

    def run_cases(self, name: str, note: str, command: list[str | Path], env: Mapping[str, str],
                  count: Callable[[], Counts]) -> None:
        """Run a program that counts its own cases."""
        log = self.folder / f'{note}.log'
        with self.console.step(name, note) as step:
            status = tools.logged(command, log, **env)
            counts = count()
            failed = counts.failed + counts.crashed + counts.errors
            if status and not failed or not status and not counts.good:
                failed += 1     # error without a failed case, or no case ran
            step.note = f'{note}: {counts}'
        self.counts.update(passed=counts.passed, failed=failed, skipped=counts.skipped)
        if failed:
            self._say_failed(f'{name} {note} (exit status {status})', log.read_text(errors='replace'))

    def tool_tests(self) -> None:
        """Run the unit tests of the tools."""
        junit = self.folder / 'pytest.xml'
        junit.unlink(missing_ok=True)

        def count() -> Counts:
            if not junit.exists():
                return Counts()
            suite = next(xml.etree.ElementTree.parse(junit).iter('testsuite'))
            tests, failed, errors, skipped = (int(suite.get(key) or 0) for key in ('tests', 'failures', 'errors', 'skipped'))
            return Counts(passed=tests - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped)

        settings = self._settings({})
        self.run_cases('tools', 'pytest',
                       ['pytest-3', '-q', '--tb=short', '-p', 'no:cacheprovider', '-n', str(settings.jobs),
                        f'--junitxml={junit}', PROJECT / 'tests/unit'],
                       {'XDG_CACHE_HOME': str(settings.cache.parent)}, count)

    def suites(self, variables: Mapping[str, str]) -> None:
        """Run `make run` with these variables."""
        series = variables.get('SERIES')
        folder = self.folder / Path(series).name if series else self.folder
        [settings] = self._settings(variables | {'O': str(folder)}).each()
        self.run_cases('suites', settings.name + (f'-{folder.name}' if series else ''), tools.program('run'),
                       self.env | variables | {'O': str(folder)}, lambda: Counts.read(settings.results / 'results.json'))

    def series_alone(self, arch: str) -> str:
        """Cases that pass on the kernel without fixes, but not with only our series: it must not depend on the fixes.

        A case with random rows that the bugs make fail may pass on either.
        """
        passed = []
        seed = str(random.randrange(1, 2**63))      # the same random rows in both runs: bugs make few of them fail
        for name, path in (('bare', ''), (f'{Path(UNMAP).name}-alone', UNMAP)):
            variables = {'ARCH': arch, 'FIXES': '', 'SERIES': path, 'SEED': seed, 'O': str(self.folder / name)}
            settings = self._settings(variables)
            log = self.folder / f'{arch}-{name}.log'
            tools.logged(tools.program('run'), log, **self.env | variables)
            case_verdicts = verdicts(settings.results / 'results.json')
            passed.append({': '.join(case) for case, verdict in case_verdicts.items() if verdict == PASS})
            if not passed[-1]:
                return f'{name}: no case passed\n{log.read_text(errors="replace")}'
        known_cases = {': '.join(case) for cases in known.load(arch).values() for case in cases}
        return '\n'.join(sorted(passed[0] - passed[1] - known_cases))

    def known_record(self, arch: str) -> str:
        """The differences of the record of known failures from the run of series_alone() on the kernel without fixes."""
        bare = verdicts(self._settings({'ARCH': arch, 'FIXES': '', 'O': str(self.folder / 'bare')}).results / 'results.json')
        return known.outdated(arch, [fix.number for fix in fixes.known()], bare) if bare else 'the kernel without fixes ran no case'

    def reproducers(self) -> None:
        """Run `make reproduce`; each reproducer counts as one case."""
        result = self.folder / 'reproduce/reproduce.json'
        self.run_cases('programs', 'reproduce', tools.program('reproduce'), self.env | {'O': str(self.folder)},
                       lambda: reproduce.counts(result))

    def mutation(self, arch: str) -> str:
        """Mutants of a sample that survive, but that the record calls caught."""
        # Not headers: a change of one rebuilds the whole kernel.
        files = sorted({file for verdict in mutation.load(mutation.recorded(arch))
                        if (file := verdict.function.partition(':')[0]).endswith('.c')})
        log = self.folder / f'{arch}-mutation.log'
        status = tools.logged(tools.program('mutation'), log, **self.env | {
            'ARCH': arch, 'O': str(self.folder), 'FILES': ' '.join(files), 'SAMPLE': SAMPLE})
        return f'exit status {status}\n{log.read_text(errors="replace")}' if status else ''

    def benches(self, arch: str) -> str:
        """Figures that differ between runs, laps that differ from the clock, and stopwatches that take more than 1 %."""
        folder = self.folder / 'bench'
        settings = self._settings({'ARCH': arch, 'O': str(folder)})
        log = folder / f'{arch}.log'
        log.parent.mkdir(exist_ok=True)
        errors: list[str] = []
        first = None
        for _ in range(TIMES):
            if status := tools.logged(tools.program('bench'), log, **self.env | {'ARCH': arch, 'O': str(folder)}):
                return f'exit status {status}\n{log.read_text(errors="replace")}'
            record = load(settings.results / 'bench.json')
            first = first or record
            errors += [f'{was.name}, {was.way}: {was} in the first run, {now} in a later one'
                       for was, now in zip(first.timings, record.timings, strict=True) if was != now]
            if first.counts != record.counts:
                errors.append('the event counts differ from those of the first run')
        assert first
        errors += [f'{timing.name}, {timing.way}: the stopwatch takes more than 1 %: {timing}'
                   for timing in first.timings if timing.own * 100 > timing.min]
        # The plugin counts an instruction that faults twice, and clocks have a resolution.
        errors += [f'{timing.name}, {timing.way}: the functions have {counted} instructions: {timing}'
                   for timing in first.timings
                   if abs((counted := sum(timing.functions.values())) - timing.min) > SAME_LAP * timing.min]
        return '\n'.join(errors)

    def _tree(self) -> Path:
        """The kernel tree under test."""
        return source.chosen(self._settings({}), self.console)

    def checkpatch(self) -> str:
        """The output of checkpatch.pl for the kernel code, and the C programs of tests/."""
        programs = [PROJECT / 'tests/guests' / name for name in ('init.c', 'reproduce_init.c')]
        return checkpatch.of_sources(self._tree(), [*c_files('lib', 'mm', 'tests/reproducers', 'tests/guests/plugin'), *programs],
                                     self._settings({}).jobs)

    def _on_fetched_kernel(self, command: str, **variables: str) -> str:
        """The output of a command on the fetched kernel, if it fails."""
        log = self.folder / f'{command}.log'
        env = {name: value for name, value in self.env.items() if name not in ('KSRC', 'FIXES')}
        status = tools.logged(tools.program(command), log, **env | {'O': str(self.folder)} | variables)
        return log.read_text(errors='replace') if status else ''

    def patches(self) -> str:
        """What make patches finds in the mails of mm/series, on the fetched kernel; and whether their page is up to date."""
        if output := self._on_fetched_kernel('patches'):
            return output
        page = self.folder / 'patches' / patches.PAGE
        if page.read_text() == (patches.HOME / patches.PAGE).read_text():
            return ''
        return f'mm/series/{patches.PAGE} is out of date: type make patches && cp build/patches/{patches.PAGE} mm/series/'

    def patch(self) -> str:
        """What make patch finds in the series of the suites for the fetched kernel."""
        return self._on_fetched_kernel('patch', FIXES=str(patches.HOME / 'fixes'))

    def orders(self) -> str:
        """What is wrong with the orders of our series on the fetched kernel; they are not compiled."""
        tree = source.fetched(self._settings({}).cache / 'source', self.console)
        return '\n'.join(orders.applied(tree)[1])

    def kernel_doc(self) -> str:
        """The warnings of the kernel's own reader of the comments in lib/ and mm/."""
        return tools.run([self._tree() / 'scripts/kernel-doc', '-none', *c_files('lib', 'mm')], cwd=PROJECT)

    def sparse(self) -> str:
        """The warnings of sparse and of the compiler with W=1 for our objects in the x86_64 build."""
        settings = self._settings({'ARCH': 'x86_64'})
        tree, _ = run.trees(settings, Console())
        with tree.locked(self.console):
            output = Guest(settings, tree.path).make('C=2', 'W=1', f'CHECK={SPARSE}', shadow.HOME + '/')
        if '  CHECK ' not in output:
            return f'make C=2 did not run sparse\n{output}'
        # Skip build steps, and the lines of kernel files that the twins include.
        steps = re.compile(r'\s+(CC|CHECK|AR|LD|OBJCOPY)\s|In file included from|.*: note: in included file')
        return '\n'.join(line for line in output.splitlines()
                         if shadow.HOME + '/' in line and not steps.match(line) and not line.endswith(FALSE_ERROR))

    def twins(self, variables: Mapping[str, str]) -> str:
        """Variables of the twins that no initcall sets up, in a build that one of RUNS made."""
        settings = self._settings(variables)
        tree, _ = run.trees(settings, Console())
        with tree.locked(self.console):
            guest = Guest(settings, tree.path)
            return twins.unexpected(guest.build_path, settings.arch.cross_compile + 'nm', guest.env())

    def everything(self) -> int:
        """Run all checks, the quick ones first."""
        needs = [need for variables in RUNS
                 for need in packages.for_run(architecture.find(variables['ARCH']), 'LOADABLE' in variables)]
        packages.ensure(dict.fromkeys([*packages.TEST, *needs]), self.console)
        for requirements in (wheels.MUTATION, wheels.TEST):
            wheels.ensure(self._settings({}).cache, self.console, requirements)
        self.run_check('style', 'shellcheck', lambda: tools.run(['shellcheck', *SHELL], cwd=PROJECT))
        self.run_check('style', 'mypy', lambda: re.sub(r'Success: .*', '', tools.run(
            ['mypy', '--strict', '--no-error-summary', '--explicit-package-bases', '--exclude', 'guests/arch',
             '--cache-dir', str(self.folder / 'mypy'), '.'],
            cwd=PROJECT / 'tests')).strip())
        self.tool_tests()
        self.run_check('style', 'checkpatch', self.checkpatch)
        self.run_check('style', 'kernel-doc', self.kernel_doc)
        self.run_check('records', 'of the present patches', lambda: '\n'.join(recorded.all_outdated()))
        self.run_check('patches', 'git am, checkpatch, recipients', self.patches)
        self.run_check('patches', 'the suites for a kernel tree: git am, checkpatch', self.patch)
        self.run_check('patches', 'all orders of the series apply', self.orders)
        for variables in RUNS:
            self.suites(variables)
        self.run_check('series', f'{UNMAP}, on the kernel without fixes', lambda: self.series_alone('x86_64'))
        if not known.load('x86_64'):
            self.counts['skipped'] += 1
            self.console.say('skipped   records: there is no record of known failures of x86_64; type make known')
        elif not self.env.get('KSRC'):  # the record is of the fetched kernel
            self.run_check('records', 'known failures, on the kernel without fixes', lambda: self.known_record('x86_64'))
        if architecture.find('x86_64').native:
            self.reproducers()
        self.run_check('mutation', f'{SAMPLE} mutants', lambda: self.mutation('x86_64'))
        self.run_check('style', 'sparse', self.sparse)
        for variables in TWINS:
            self.run_check('twins', variables['ARCH'], lambda: self.twins(variables))
        for arch in BENCHES:
            self.run_check('benches', f'{arch}, {TIMES} times', lambda: self.benches(arch))
        for failed in self.failed:
            self.console.say(failed)
        counts = self.counts
        print(f'{counts["passed"]} passed, {counts["failed"]} failed, {counts["skipped"]} skipped')
        return exit_status.FAILED if counts['failed'] else exit_status.PASSED


def main(env: Mapping[str, str]) -> int:
    """Run `make test`."""
    return Check(env).everything()
