# SPDX-License-Identifier: GPL-2.0
"""Compare the functions of a kernel that get batches with tests/project/callers.csv: python3 -m tests callers ~/linux"""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import packages
from host.settings import PROJECT
from host import tools

# All batches come from this function; folio_pte_batch() returns its result.
BATCH = 'folio_pte_batch_flags'

TABLE = PROJECT / 'tests/project/callers.csv'
USAGE = 'type for example: python3 -m tests callers ~/linux'


def _files(tree: Path, names: Iterable[str]) -> list[str]:
    """The sources that contain any of these words. Neither grep nor cscope follows links."""
    grep = ['grep', '-rlwF', '--include=*.[ch]', *(f'--regexp={name}' for name in names), '.']
    try:
        return tools.run(grep, cwd=tree).splitlines()
    except tools.Failed as failed:
        if failed.output:       # without output: no file matches
            raise Trouble(f'{tree}: cannot search: {failed.last_line()}', 'check the permissions of its files') from failed
        return []


@dataclass(frozen=True)
class Call:
    """A call of `callee` by `function`; `text` is the line."""

    callee: str
    file: str
    function: str
    text: str

    def __str__(self) -> str:
        return f'{self.file}: {self.function}()'

    @property
    def returned(self) -> bool:
        """The function only returns the result of the call."""
        return re.match(rf'return {self.callee}\b', self.text) is not None


def _calls(tree: Path, names: Sequence[str]) -> Iterator[Call]:
    """All calls of the functions `names`."""
    files = _files(tree, names)
    if not files:
        return
    with tempfile.TemporaryDirectory() as folder:
        cscope = ['cscope', '-k', '-f', f'{folder}/cscope.out']
        tools.run([*cscope, '-b', '-i', '-'], cwd=tree, stdin='\n'.join(files))
        for name in names:
            lines: set[tuple[str, str]] = set()
            for line in tools.run([*cscope, '-d', '-L', '-3', name], cwd=tree).splitlines():
                file, function, number, text = line.split(' ', 3)
                # The first entry of a line is the function; cscope lists annotations as functions, too.
                if (file, number) not in lines:
                    lines.add((file, number))
                    yield Call(name, file, function, text)


def callers(tree: Path) -> set[str]:
    """All functions of a kernel tree that get a batch.

    A function that only returns the batch is a helper: its callers are listed instead.
    """
    if not tree.is_dir():
        raise Trouble(f'{tree}: not a folder', USAGE)
    found: set[str] = set()
    helpers: dict[str, Call] = {}
    names = [BATCH]
    while names:
        calls = list(_calls(tree, names))
        found |= {str(call) for call in calls if not call.returned}
        # A helper without calls by name may be called through a pointer.
        found |= {str(helpers[name]) for name in {*names} & {*helpers} - {call.callee for call in calls}}
        new = {call.function: call for call in calls if call.returned and call.function not in helpers}
        helpers |= new
        names = sorted(new)
    if not found:
        raise Trouble(f'{tree}: no call of {BATCH}() found', USAGE)
    return found


@dataclass(frozen=True)
class Covered:
    """A line of the table: the suites and rules that cover a caller."""

    suites: list[str]
    rules: list[int]


def covered(table: str) -> dict[str, Covered]:
    """The lines of a table by caller: "file: function()"."""
    found = {}
    for row in csv.DictReader(table.splitlines()):
        rules: list[int] = []
        for words in row['rules'].split():
            first, _, last = words.partition('-')
            rules += range(int(first), int(last or first) + 1)
        found[row['function']] = Covered(row['suites'].split(), rules)
    return found


def differences(tree: Path, table: str) -> list[str]:
    """How the table differs from the callers in a tree."""
    found, listed = callers(tree), covered(table).keys()
    return ([f'{caller} is not in the table' for caller in sorted(found - listed)] +
            [f'{caller} is in the table, but no longer calls {BATCH}()' for caller in sorted(listed - found)])


def main(args: Sequence[str]) -> int:
    """Print how the table differs from the callers in the user's tree."""
    if len(args) != 1:
        raise Trouble('expected one kernel tree', USAGE)
    packages.ensure([packages.CSCOPE], Console())
    report = differences(Path(args[0]), TABLE.read_text())
    print('\n'.join(report or ['all callers are covered']))
    return exit_status.FAILED if report else exit_status.PASSED
