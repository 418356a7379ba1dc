# SPDX-License-Identifier: GPL-2.0
"""`make coverage`: run the suites in a kernel that counts how often each line of the batched functions runs.

Exit status: 0 measured; 1 a case failed; 2 could not run.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping, Set
from pathlib import Path

from commands import run
from guests.guest import Guest
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host import packages
from host.settings import Settings
from host import tools
from project import batched
from results import coverage
from results.coverage import Counts

CHECK_GCOV = 'see the lines above; gcov --version must be that of gcc'


def _gcovr(guest: Guest, gcda: Mapping[str, bytes], files: Set[str], report: Path, pages: Path) -> Counts:
    """Have gcovr read the counters and write its reports; return how often each line of the files ran."""
    measured = set()
    with tempfile.TemporaryDirectory() as folder:
        for path, content in gcda.items():
            # An object that was built in another tree has the path of that tree.
            name = Path(path.rpartition(f'/{guest.build_folder}/')[2])
            if str(name.with_suffix('.c')) in files:
                measured.add(str(name.with_suffix('.c')))
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_bytes(content)
                notes = name.with_suffix('.gcno')
                shutil.copy(guest.build_path / notes, Path(folder) / notes)
        # A file of the tree may be a link: gcovr compares the path that it leads to.
        filters = [f'--filter=(.*/)?{re.escape(file)}$' for file in sorted(files)]
        try:
            output = tools.run(['gcovr', '--root', guest.tree, '--object-directory', guest.build_path,
                                '--gcov-executable', f'{guest.arch.cross_compile}gcov', *filters,
                                '--json', report, '--html-details', pages / 'index.html', folder], cwd=guest.tree)
        except tools.Failed as failed:
            raise Trouble(f'gcovr cannot read the counters: {failed.last_line()}', CHECK_GCOV, failed.output) from failed
    counts = coverage.read_counts(report)
    # gcovr only warns if gcov cannot read a file.
    if lost := sorted(measured - counts.keys()):
        raise Trouble(f'gcovr reports no lines of {lost[0]}', CHECK_GCOV, output)
    return counts


class Coverage:
    """One run, and the files that it writes."""

    def __init__(self, settings: Settings, console: Console):
        self.console = console
        self.pages = settings.results
        self.table, self.report = self.pages.with_suffix('.md'), self.pages.with_suffix('.json')
        for path in (self.table, self.report, *self.pages.glob('*.html')):
            path.unlink(missing_ok=True)

    def measure(self, guest: Guest, passed: bool) -> None:
        """Read the counters of the guest, and print what its cases reach."""
        boot = self.pages / 'boot.log'
        log = boot.read_text(errors='replace')
        try:
            gcda = coverage.counters(log)
        except Trouble as trouble:
            if passed:
                raise
            self.console.say(f'[FAILED] nothing measured: {trouble}')
            return
        boot.write_text(coverage.without_counters(log))
        names = batched.functions()
        with self.console.step('gcovr'):
            counts = _gcovr(guest, gcda, {batched.file(name) for name in names}, self.report, self.pages)
        text = coverage.text(coverage.functions(guest.tree, names, counts))
        self.table.write_text(text + '\n')
        print(f'\n{text}\n')
        self.console.say(f'results   {tools.shown(self.pages.parent)}/: {self.table.name} {self.report.name} '
                         f'{self.pages.name}/index.html')


def main(env: Mapping[str, str]) -> int:
    """Run `make coverage`."""
    settings = Settings.read(env).for_coverage(batched.sources())
    lock.claim(settings.results)
    console = Console()
    packages.ensure([packages.GCOVR], console)
    outcome = run.judged(settings, console, Coverage(settings, console).measure)
    return exit_status.PASSED if outcome.passed else exit_status.FAILED
