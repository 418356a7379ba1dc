# SPDX-License-Identifier: GPL-2.0
"""The functions that decide what a batched function does: those that it calls, and that these call, in the files of mm/ with
batched functions."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from host.errors import Trouble
from host import exit_status
from host.settings import PROJECT
from project import batched
from trees.definitions import bodies

TABLE = PROJECT / 'tests/project/called.txt'
LEFT_OUT = PROJECT / 'tests/project/called_left_out.csv'    # those without mutants, each with the reason
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
WORD = re.compile(r'\b[A-Za-z_]\w*\b')

Read = Callable[[str], str]     # the content of a file of the kernel; empty if there is none


def _words(source: str) -> dict[str, set[str]]:
    """The words in the bodies of the functions of a source: what they call, and what they hand over to be called."""
    found: dict[str, set[str]] = {}
    for name, body in bodies(source):
        found.setdefault(name, set()).update(WORD.findall(COMMENT.sub('', body)))
    return found


@cache
def left_out() -> dict[str, str]:
    """Patterns of functions that are not about page table entries, or that no case can reach, with the reason."""
    with LEFT_OUT.open(newline='') as file:
        return {row['function']: row['reason'] for row in csv.DictReader(file)}


def everything(read: Read) -> list[str]:
    """The batched functions of a kernel and all that they call in their files, as "file: function()"."""
    # Not include/: there, all of mm/ has its helpers.
    words = {file: _words(read(file)) for file in sorted({batched.file(title) for title in batched.functions()})
             if file.startswith('mm/')}
    files: dict[str, list[str]] = {}
    for file, found in words.items():
        for name in found:
            files.setdefault(name, []).append(file)

    def calls(file: str, name: str) -> Iterator[tuple[str, str]]:
        for word in words.get(file, {}).get(name, ()):
            # A function of the same file, or of any other.
            yield from ((where, word) for where in files.get(word, ()) if where == file or file not in files[word])

    seen: set[tuple[str, str]] = set()
    new = {(batched.file(title), title.partition(': ')[2].removesuffix('()')) for title in batched.functions()}
    while new:
        seen |= new
        new = {call for function in new for call in calls(*function)} - seen
    return sorted(f'{file}: {name}()' for file, name in seen)


def _has_mutants(title: str) -> bool:
    return not any(fnmatch(title, pattern) for pattern in left_out())


def functions(read: Read) -> list[str]:
    """The batched functions of a kernel, and what they call, but for what is left out."""
    known = {*batched.functions()}
    return sorted(known | {title for title in everything(read) if _has_mutants(title)})


def differences(read: Read) -> list[str]:
    """How the tables differ from a kernel."""
    found, listed = {*everything(read)} - {*batched.functions()}, {*TABLE.read_text().splitlines()}
    return ([f'{title} is called by a batched function, but in no table: add it to {TABLE.name} or {LEFT_OUT.name}'
             for title in sorted(found - listed) if _has_mutants(title)] +
            [f'{title} is in {TABLE.name}, but is called by no batched function' for title in sorted(listed - found)] +
            [f'{title} is in {TABLE.name} and in {LEFT_OUT.name}' for title in sorted(listed) if not _has_mutants(title)] +
            [f'{pattern} is in {LEFT_OUT.name}, but matches nothing' for pattern in left_out()
             if not any(fnmatch(title, pattern) for title in found)])


def main(args: Sequence[str]) -> int:
    """Print how the tables differ from the functions in the user's tree."""
    if len(args) != 1 or not (tree := Path(args[0])).is_dir():
        raise Trouble('expected one kernel tree', 'type for example: python3 -m tests called ~/linux')
    report = differences(lambda file: (tree / file).read_text() if (tree / file).is_file() else '')
    print('\n'.join(report or ['all functions are in a table']))
    return exit_status.FAILED if report else exit_status.PASSED
