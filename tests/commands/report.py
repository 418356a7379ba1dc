# SPDX-License-Identifier: GPL-2.0
"""`make report`: one page of what lies in the folder of results, build/report.html. It needs no kernel tree.

Exit status 0: written, whatever the results are. 2: there are no results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from commands import compare
from figures import page
from host.console import Console
from host import exit_status
from host import packages
from host import settings
from host import tools
from results import runs
from results.record import load
from results.report import suites, verdicts

MODULES = (packages.JINJA2, packages.MATPLOTLIB)


def _side(record: Path, folder: Path) -> compare.Side:
    results = folder / runs.RESULTS
    return compare.Side(load(record), suites(results), verdicts(results), runs.Facts.load(folder).errors)


def _sides(top: Path) -> Iterator[tuple[compare.Side, compare.Side]]:
    """The kernels that make compare or make gate compared, where their figures are there."""
    for after in sorted((top / runs.AFTER).glob('*/bench.json')):
        before = top / runs.BEFORE / after.parent.name
        found = [path for path in (before / 'bench.json', before / 'bench/baseline.json') if path.exists()]
        if found:
            yield _side(found[0], before), _side(after, after.parent)


def main(env: Mapping[str, str]) -> int:
    """Run `make report`."""
    top, against, factor = settings.results(env), settings.path(env, 'AGAINST'), compare.tolerance(env)
    packages.ensure(MODULES, Console())
    packages.go_on_with(MODULES, 'report')
    found = [compare.compared(before, after, factor, '') for before, after in _sides(top)]
    path = top / 'report.html'
    page.write(top, path, against, [line for verdict in found for line in verdict.worse],
               [line for verdict in found for line in verdict.slower])
    print(f'report    {tools.shown(path)}')
    return exit_status.PASSED
