# SPDX-License-Identifier: GPL-2.0
"""The verdicts in folders of results, one on a line and sorted: python3 -m tests verdicts build | diff other -"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from commands import bisect
from commands import mutants
from host import exit_status
from host.errors import Trouble
from mutation import record
from results import rows
from results.report import verdicts


def _lines(folder: Path) -> Iterator[str]:
    """Verdicts that do not depend on how long something took, or which of several cases was first."""
    for path in folder.glob('*/results.json'):
        yield from (f'{path.parent.name}: {": ".join(case)}: {verdict}' for case, verdict in verdicts(path).items())
    for path in folder.glob('*/mutation.json'):
        yield from (f'{path.parent.name}: {one.mutant}: {"caught" if one.caught else one.verdict}' for one in record.load(path))
    for file in (mutants.FILE, bisect.FILE):
        if (folder / file).exists():
            yield from (f'{Path(file).stem}: {row.cells[1]}: {row.cells[0]}: {"good" if row.good else "bad"}'
                        for row in rows.load(folder / file))


def main(args: list[str]) -> int:
    """Print the verdicts in the folders."""
    parser = argparse.ArgumentParser(prog='python3 -m tests verdicts', description=main.__doc__)
    parser.add_argument('folder', nargs='+', type=Path, help='what O= names, for example build')
    for folder in parser.parse_args(args).folder:
        lines = sorted(_lines(folder))
        if not lines:
            raise Trouble(f'{folder}: no results', 'type the folder that O= names, for example build')
        print('\n'.join(lines))
    return exit_status.PASSED
