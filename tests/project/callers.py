#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where a kernel handles entries in batches, and whether tests/project/callers.csv has it: python3 -m tests callers ~/linux"""

from __future__ import annotations

import csv
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from commands import run
from host.console import Console
from host.errors import Trouble
from host import packages
from host.settings import PROJECT
from host import tools

# All batches come from here: folio_pte_batch() returns what it returns.
BATCH = 'folio_pte_batch_flags'

TABLE = PROJECT / 'tests/project/callers.csv'


def _files(tree: Path, names: Iterable[str]) -> list[str]:
    """The sources with any of these words; links are not followed, neither here nor by cscope."""
    grep = ['grep', '-rlwF', '--include=*.[ch]', *(f'--regexp={name}' for name in names), '.']
    try:
        return tools.run(grep, cwd=tree).splitlines()
    except tools.Failed as failed:
        if failed.output:       # else there are none
            raise Trouble(f'{tree} cannot be searched: {failed.last_line()}', 'see to that') from failed
        return []


@dataclass(frozen=True)
class Call:
    """Of one function by another."""

    callee: str
    file: str
    function: str
    text: str

    def __str__(self) -> str:
        return f'{self.file}: {self.function}()'

    @property
    def returned(self) -> bool:
        """Is what the call returns only handed on?"""
        return re.match(rf'return {self.callee}\b', self.text) is not None


def _calls(tree: Path, names: Sequence[str]) -> Iterator[Call]:
    """All calls of these functions."""
    files = _files(tree, names)
    if not files:
        return
    with tempfile.TemporaryDirectory() as folder:
        cscope = ['cscope', '-k', '-f', f'{folder}/cscope.out']
        tools.run([*cscope, '-b', '-i', '-'], cwd=tree, stdin='\n'.join(files))
        for name in names:
            lines: set[tuple[str, str]] = set()
            for said in tools.run([*cscope, '-d', '-L', '-3', name], cwd=tree).splitlines():
                file, function, number, text = said.split(' ', 3)
                # The function comes first; annotations of it look like functions, too.
                if (file, number) not in lines:
                    lines.add((file, number))
                    yield Call(name, file, function, text)


def callers(tree: Path) -> set[str]:
    """All functions of a kernel tree that get a batch to handle.

    One that only returns it to others that call it is not among them; they are.
    """
    if not tree.is_dir():
        raise Trouble(f'{tree} is no folder', 'give a kernel tree')
    found: set[str] = set()
    helpers: dict[str, Call] = {}
    names = [BATCH]
    while names:
        calls = list(_calls(tree, names))
        found |= {str(call) for call in calls if not call.returned}
        # What nobody calls by its name, a pointer may lead to.
        found |= {str(helpers[name]) for name in {*names} & {*helpers} - {call.callee for call in calls}}
        new = {call.function: call for call in calls if call.returned and call.function not in helpers}
        helpers |= new
        names = sorted(new)
    if not found:
        raise Trouble(f'nothing in {tree} calls {BATCH}()', 'give a kernel tree')
    return found


@dataclass(frozen=True)
class Covered:
    """A line of the table: what covers a caller."""

    suites: list[str]
    rules: list[int]


def covered(table: str) -> dict[str, Covered]:
    """The callers of a table, as "file: function()"."""
    found = {}
    for row in csv.DictReader(table.splitlines()):
        rules: list[int] = []
        for words in row['rules'].split():
            first, _, last = words.partition('-')
            rules += range(int(first), int(last or first) + 1)
        found[row['function']] = Covered(row['suites'].split(), rules)
    return found


def differences(tree: Path, table: str) -> list[str]:
    """What is wrong with the table for that tree."""
    there, listed = callers(tree), covered(table).keys()
    return ([f'{caller} is not in the table' for caller in sorted(there - listed)] +
            [f'{caller} is in the table, but calls {BATCH}() no more' for caller in sorted(listed - there)])


def main(args: Sequence[str]) -> int:
    """Print how the tree of a user differs from the table."""
    if len(args) != 1:
        raise Trouble('there is nothing to search', 'give a kernel tree')
    packages.ensure([packages.CSCOPE], Console())
    said = differences(Path(args[0]), TABLE.read_text())
    print('\n'.join(said or ['all callers are covered']))
    return run.FAILED if said else run.PASSED


if __name__ == '__main__':
    sys.exit(run.ended(lambda: main(sys.argv[1:])))
