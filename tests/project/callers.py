# SPDX-License-Identifier: GPL-2.0
"""Compare the functions of a kernel that handle several PTEs with the tables here: python3 -m tests callers ~/linux

A function handles several PTEs if its arguments are a PTE and a number of entries, if it is a folio_*_rmap_ptes(), or if it
calls such a function and decides the number. Of those in helpers.txt, the callers decide it: they handle several PTEs, too.
"""

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

TABLE = PROJECT / 'tests/project/callers.csv'           # those with suites
HELPERS = PROJECT / 'tests/project/helpers.txt'         # those whose callers decide the number
NOT_BATCHED = PROJECT / 'tests/project/not_batched.csv'  # the others, each with the reason
USAGE = 'type for example: python3 -m tests callers ~/linux'

# The argument that counts entries.
NUMBER = re.compile(r'\b(?:\w+_)?(?:nr|ncontig|len|order)(?:_\w+)?\s*[,)]')
# The function that returns a number of entries, and gets none.
HINT = 'pte_batch_hint'
# Architectures that the suites do not run on.
OTHER_ARCHITECTURES = re.compile(r'(\./)?arch/(?!arm64/|x86/|um/)')


def _files(tree: Path, words: Iterable[str]) -> list[str]:
    """The sources that contain any of these words. Neither grep nor cscope follows links."""
    grep = ['grep', '-rlwF', '--include=*.[ch]', *(f'--regexp={word}' for word in words), '.']
    try:
        return [file for file in tools.run(grep, cwd=tree).splitlines() if not OTHER_ARCHITECTURES.match(file)]
    except tools.Failed as failed:
        if failed.output:       # without output: no file matches
            raise Trouble(f'{tree}: cannot search: {failed.last_line()}', 'check the permissions of its files') from failed
        return []


def _title(file: str, function: str) -> str:
    return f'{file.removeprefix("./")}: {function}()'


def name(title: str) -> str:
    """The name of a function."""
    return title.rpartition(' ')[2].removesuffix('()')


def _defined(tree: Path) -> Iterator[tuple[str, bool]]:
    """All functions of the sources that mention PTEs, and whether the definition shows that one handles several."""
    files = _files(tree, ['pte_t'])
    if not files:
        return
    ctags = ['ctags', '-L', '-', '-f', '-', '--languages=C', '--langmap=C:.c.h', '--kinds-C=f', '--fields=S']
    for line in tools.run(ctags, cwd=tree, stdin='\n'.join(files)).splitlines():
        function, file, *_, signature = line.split('\t')
        several = re.search(r'\bpte_t\s*\*', signature) and NUMBER.search(signature)
        yield _title(file, function), function.endswith('_rmap_ptes') or several is not None


def _calling(tree: Path, names: Sequence[str]) -> Iterator[str]:
    """The functions that call any of `names`."""
    files = _files(tree, names)
    if not files:
        return
    with tempfile.TemporaryDirectory() as folder:
        cscope = ['cscope', '-k', '-f', f'{folder}/cscope.out']
        tools.run([*cscope, '-b', '-i', '-'], cwd=tree, stdin='\n'.join(files))
        for called in names:
            lines: set[tuple[str, str]] = set()
            for line in tools.run([*cscope, '-d', '-L', '-3', called], cwd=tree).splitlines():
                file, function, number, _ = line.split(' ', 3)
                # The first entry of a line is the function; cscope lists annotations as functions, too.
                if (file, number) not in lines:
                    lines.add((file, number))
                    yield _title(file, function)


@dataclass(frozen=True)
class Covered:
    """A line of the table: the suites and rules that cover a function."""

    suites: list[str]
    rules: list[int]


@dataclass(frozen=True)
class Tables:
    """What is known of functions: "file: function()"."""

    covered: dict[str, Covered]
    helpers: list[str]
    not_batched: dict[str, str]     # the reason

    def files(self) -> list[tuple[str, Iterable[str]]]:
        """The functions of each file."""
        return [(TABLE.name, self.covered), (HELPERS.name, self.helpers), (NOT_BATCHED.name, self.not_batched)]


def covered(table: str) -> dict[str, Covered]:
    """The lines of the table of functions with suites."""
    found = {}
    for row in csv.DictReader(table.splitlines()):
        rules: list[int] = []
        for words in row['rules'].split():
            first, _, last = words.partition('-')
            rules += range(int(first), int(last or first) + 1)
        found[row['function']] = Covered(row['suites'].split(), rules)
    return found


def helpers(lines: str) -> list[str]:
    """The functions in a list with comments."""
    return [line for line in lines.splitlines() if not line.startswith('#')]


def not_batched(table: str) -> dict[str, str]:
    """The reasons of the functions without a suite."""
    return {row['function']: row['reason'] for row in csv.DictReader(table.splitlines())}


def tables() -> Tables:
    """The tables of this project."""
    return Tables(covered(TABLE.read_text()), helpers(HELPERS.read_text()), not_batched(NOT_BATCHED.read_text()))


def functions(tree: Path, known: Tables) -> set[str]:
    """All functions of a kernel tree that handle several PTEs, and the helpers in it."""
    if not tree.is_dir():
        raise Trouble(f'{tree}: not a folder', USAGE)
    defined = dict(_defined(tree))
    found = {title for title, several in defined.items() if several}
    ends = {*known.covered, *known.not_batched}
    new, followed = {HINT, *map(name, found - ends)}, set[str]()
    while new:
        calling = {*_calling(tree, sorted(new))}
        found |= calling
        followed |= new
        new = {*map(name, calling.intersection(known.helpers))} - followed
    if not found:
        raise Trouble(f'{tree}: no function handles several PTEs', USAGE)
    return found | {title for title in known.helpers if title in defined}


def differences(tree: Path, known: Tables) -> list[str]:
    """How the tables differ from the functions of a tree."""
    found = functions(tree, known)
    listed = [title for _, titles in known.files() for title in titles]
    return ([f'{title} handles several PTEs, but is in no table' for title in sorted(found.difference(listed))] +
            [f'{title} is in {file}, but handles one PTE at a time, or does not exist'
             for file, titles in known.files() for title in sorted({*titles} - found)] +
            [f'{title} is in more than one table' for title in sorted({*listed}) if listed.count(title) > 1])


def main(args: Sequence[str]) -> int:
    """Print how the tables differ from the functions in the user's tree."""
    if len(args) != 1:
        raise Trouble('expected one kernel tree', USAGE)
    packages.ensure([packages.CSCOPE, packages.CTAGS], Console())
    report = differences(Path(args[0]), tables())
    print('\n'.join(report or ['all functions are covered']))
    return exit_status.FAILED if report else exit_status.PASSED
