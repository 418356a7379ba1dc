# SPDX-License-Identifier: GPL-2.0
"""`make bisect`: build the kernel and run the suites after each patch of SERIES=.

A series must not break the kernel in the middle: git bisect stops anywhere.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from commands import compare
from commands import run
from host.console import Console
from host.kinds import refuse
from host import exit_status
from host import lock
from host.settings import Settings, given, results
from host.shard import Shard
from results.markdown import table
from results.report import Counts
from results import rows as files
from results.rows import Row
from trees import series
from trees.series import Patch

FILE = 'bisect/bisect.json'    # in the folder of results
HEADER = ['patch', 'arch', 'verdict', 'passed / failed / skipped']
VERDICTS = {exit_status.PASSED: 'passed', exit_status.FAILED: 'FAILED'}


def _steps(patches: Sequence[Patch], folder: Path) -> Iterator[Patch]:
    """Each patch, when the folder has the series up to it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, patch in enumerate(patches, 1):
        (folder / f'{number:04}.patch').write_text(patch.text, errors='surrogateescape')
        yield patch


def _row(settings: Settings, patch: Patch, log: Path, number: int) -> Row:
    """The table row of one patch; the output of the run is in the log."""
    status = run.logged(settings, log)
    if status in VERDICTS:
        verdict, counts = VERDICTS[status], Counts.read(settings.results / 'results.json').short()
    else:
        verdict, counts = f'DID NOT RUN: {log.read_text(errors="replace").splitlines()[-1]}', ''
    return Row(number, [patch.name, settings.arch.name, verdict, counts], status == exit_status.PASSED)


def report(rows: Sequence[Row], folder: Path) -> int:
    """Write and print the table; return the exit status."""
    files.save(folder / FILE, rows)
    text = table(HEADER, [row.cells for row in rows], 4)
    (folder / FILE).with_suffix('.md').write_text(text + '\n')
    print('\n' + text)
    return exit_status.PASSED if all(row.good for row in rows) else exit_status.FAILED


def main(env: Mapping[str, str]) -> int:
    """Run the suites after each patch, and print and write a table; they must pass after each."""
    wanted = compare.each_arch(env)
    compare.need_series(wanted)
    refuse(given(env), ['VARIANTS'], 'make bisect')
    folder = results(env) / 'bisect'
    lock.claim(folder)
    rows: list[Row] = []
    before = 0      # patches of the architectures before
    for settings in wanted:
        assert settings.series
        patches = series.read(settings.series)
        run.say_left_out(settings, Console())
        own = folder / settings.arch.name
        # One tree for all steps: only what a patch changes is built. SHARD= divides the patches, not the cases.
        step = replace(settings, series=own / 'series', tree='-'.join(['bisect', *settings.shard.name]), results=own, shard=Shard())
        mine = settings.shard.of(range(1, len(patches) + 1))
        for number, patch in enumerate(_steps(patches, own / 'series'), 1):
            if number in mine:
                log = own / f'{number:04}.log'
                rows.append(_row(step, patch, log, before + number))
                _, _, verdict, counts = rows[-1].cells
                print(f'{verdict:<10} {settings.arch.name}: {patch.name}; {counts or log}', flush=True)
        before += len(patches)
    return report(rows, results(env))
