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
from results.markdown import table
from results.report import Counts
from trees import series
from trees.series import Patch

HEADER = ['patch', 'arch', 'verdict', 'passed / failed / skipped']
VERDICTS = {exit_status.PASSED: 'passed', exit_status.FAILED: 'FAILED'}


def _steps(patches: Sequence[Patch], folder: Path) -> Iterator[Patch]:
    """Each patch, when the folder has the series up to it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, patch in enumerate(patches, 1):
        (folder / f'{number:04}.patch').write_text(patch.text, errors='surrogateescape')
        yield patch


def _row(settings: Settings, patch: Patch, log: Path) -> list[str]:
    """The table row of one patch; the output of the run is in the log."""
    status = run.logged(settings, log)
    if status not in VERDICTS:
        return [patch.name, settings.arch.name, f'DID NOT RUN: {log.read_text(errors="replace").splitlines()[-1]}', '']
    return [patch.name, settings.arch.name, VERDICTS[status], Counts.read(settings.results / 'results.json').short()]


def main(env: Mapping[str, str]) -> int:
    """Run the suites after each patch, and print and write a table; they must pass after each."""
    wanted = compare.each_arch(env)
    compare.need_series(wanted)
    refuse(given(env), ['VARIANTS'], 'make bisect')
    folder = results(env) / 'bisect'
    lock.claim(folder)
    rows = []
    for settings in wanted:
        assert settings.series
        patches = series.read(settings.series)
        run.say_left_out(settings, Console())
        own = folder / settings.arch.name
        # One tree for all steps: only what a patch changes is built.
        step = replace(settings, series=own / 'series', tree='bisect', results=own)
        for number, patch in enumerate(_steps(patches, own / 'series'), 1):
            log = own / f'{number:04}.log'
            rows.append(_row(step, patch, log))
            print(f'{rows[-1][2]:<10} {settings.arch.name}: {patch.name}; {rows[-1][3] or log}', flush=True)
    text = table(HEADER, rows, 4)
    (folder / 'bisect.md').write_text(text + '\n')
    print('\n' + text)
    return exit_status.PASSED if all(row[2] == VERDICTS[exit_status.PASSED] for row in rows) else exit_status.FAILED
