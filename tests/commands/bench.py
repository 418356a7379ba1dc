# SPDX-License-Identifier: GPL-2.0
"""`make bench`: build the kernel without debug options, time the batched paths, write tables and plots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from commands import run
from figures import functions
from figures import tables
from guests import identity
from guests.laps import output
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host import packages
from host.packages import MATPLOTLIB, PYTHON
from host.settings import PROJECT, Settings
from host import tools
from results.record import Record
from results import laps
from results import timing


def measure(settings: Settings) -> Record:
    """Run the benches, which must all pass, and return their figures."""
    if run.run(settings, Console()) != exit_status.PASSED:
        raise Trouble('a bench did not pass', f'see {settings.results}/boot.log')
    ktap = (settings.results / 'results.ktap').read_text(errors='replace')
    timings = timing.timings(ktap, laps.read(output(settings.results)))
    if not timings:
        raise Trouble(f'SUITES={settings.suites} matches no bench', 'type for example SUITES=ptebatch_mprotect_bench')
    tree, _ = run.trees(settings, Console())
    return Record(identity.key(settings, tree), timings, timing.counts(ktap))


def plot(record: Path, into: Path, cache: Path) -> None:
    """Draw the plots in a separate process: the running interpreter may lack matplotlib."""
    try:
        # MPLCONFIGDIR keeps the font cache in our cache, and ignores the user's matplotlibrc.
        tools.run([PYTHON, str(PROJECT / 'tests'), 'plots', str(record), str(into)],
                  env=tools.environment(MPLCONFIGDIR=str(cache / 'matplotlib')))
    except tools.Failed as failed:
        raise Trouble(f'cannot draw the plots: {failed.last_line()}', 'see the lines above', failed.output) from failed


def main(env: Mapping[str, str]) -> int:
    """Run `make bench`."""
    settings = Settings.read(env).for_bench(env)
    lock.claim(settings.results)
    packages.ensure([MATPLOTLIB], Console())
    record = measure(settings)
    folder = settings.results.parent
    record.save(folder / 'bench.json')
    (folder / 'bench.md').write_text(tables.everything(record) + '\n')
    by_function = functions.everything(record)
    (folder / 'functions.md').unlink(missing_ok=True)
    if by_function:
        (folder / 'functions.md').write_text(by_function + '\n')
    plot(folder / 'bench.json', folder / 'plots', settings.cache)
    print('\n' + tables.tables([record]))
    names = ' '.join(path.name for path in sorted((folder / 'plots').glob('*.svg')))
    print(f'\nresults   {tools.shown(folder)}/: bench.json, bench.md (all figures), '
          f'{"functions.md, " * bool(by_function)}plots: {names}')
    return exit_status.PASSED
