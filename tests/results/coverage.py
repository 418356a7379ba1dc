# SPDX-License-Identifier: GPL-2.0
"""Coverage: the line counters in a boot log, and the lines of the batched functions that no case reaches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from host.errors import Trouble
from results.markdown import figure, table
from trees.definitions import definitions

Counts = Mapping[str, Mapping[int, int]]    # how often each line ran, by file and line number

# The lines of lib/kernel/coverage.c.
GCDA = re.compile(r'^.*ptebatch: gcda (?:of (?P<path>.+), (?P<size>\d+) bytes|(?P<bytes>[0-9a-f]+)|end)\n', re.MULTILINE)


def counters(log: str) -> dict[str, bytes]:
    """The .gcda files in a boot log, by path; Trouble if one is incomplete."""
    found: dict[str, bytes] = {}
    sizes: dict[str, int] = {}
    path, ended = '', False
    for line in GCDA.finditer(log):
        if line['path']:
            path = line['path']
            found[path], sizes[path] = b'', int(line['size'])
        elif line['bytes']:
            found[path] = found.get(path, b'') + bytes.fromhex(line['bytes'])
        else:
            ended = True
    short = [path for path, content in found.items() if len(content) != sizes.get(path)]
    if not ended or short:
        raise Trouble(f'the boot log has no complete counters{" of " + short[0] if short else ""}',
                      'see the end of boot.log: the guest prints them when it shuts down')
    return found


def without_counters(log: str) -> str:
    """The boot log as of a kernel without counters."""
    return GCDA.sub('', log)


def read_counts(report: Path) -> Counts:
    """The counts in the JSON file of gcovr."""
    found: dict[str, dict[int, int]] = {}
    for file in json.loads(report.read_text())['files']:
        lines = found.setdefault(file['file'], {})
        for line in file['lines']:
            if not line.get('gcovr/noncode'):
                number = line['line_number']
                lines[number] = max(line['count'], lines.get(number, 0))
    return found


@dataclass(frozen=True)
class Function:
    """A function, and how often each of its lines ran; no lines if it was not compiled."""

    name: str       # file: function()
    source: Mapping[int, str]
    counts: Mapping[int, int]

    @property
    def file(self) -> str:
        return self.name.partition(':')[0]

    @property
    def reached(self) -> int:
        return sum(count > 0 for count in self.counts.values())

    def row(self) -> list[str]:
        return [self.name, str(len(self.counts)), str(self.reached), figure(100 * self.reached / len(self.counts), 0)]

    def not_reached(self) -> list[str]:
        """The lines that no case reaches, as file:line and source."""
        return [f'{self.file}:{number}:{self.source[number]}' for number, count in sorted(self.counts.items()) if not count]


def _lines(text: str, name: str) -> dict[int, str]:
    """The lines of all definitions of a function, by number."""
    found: dict[int, str] = {}
    for match in definitions(text, name):
        found |= enumerate(match[0].split('\n'), text.count('\n', 0, match.start()) + 1)
    return found


def functions(tree: Path, names: Iterable[str], counts: Counts) -> list[Function]:
    """The functions `names` in a kernel tree, with the counts of their lines."""
    found = []
    for name in names:
        file, _, function = name.removesuffix('()').partition(': ')
        path = tree / file
        source = _lines(path.read_text(errors='replace'), function) if path.is_file() else {}
        found.append(Function(name, source, {
            number: count for number, count in counts.get(file, {}).items() if number in source}))
    return found


def read_text(table: str) -> Iterator[tuple[str, int, int, list[str]]]:
    """What text() has of each function: its name, lines, lines that are reached, and those that are not."""
    for row in re.finditer(r'^\| (\S+: \S+\(\)) *\| *(\d+) \| *(\d+) \|', table, re.MULTILINE):
        missed = re.search(rf'^not reached in {re.escape(row[1])}\n\n((?:    .*\n?)*)', table, re.MULTILINE)
        yield row[1], int(row[2]), int(row[3]), [line.strip() for line in missed[1].splitlines()] if missed else []


def text(found: Sequence[Function]) -> str:
    """The table of all functions, and the lines that no case reaches."""
    measured = [function for function in found if function.counts]
    total = sum(len(function.counts) for function in measured)
    reached = sum(function.reached for function in measured)
    rows = [function.row() for function in measured]
    rows.append(['all', str(total), str(reached), figure(100 * reached / total if total else None, 0)])
    parts = [table(['function', 'lines', 'reached', '%'], rows)]
    parts += ['\n'.join([f'not reached in {function.name}', '', *(f'    {line}' for line in function.not_reached())])
              for function in measured if function.not_reached()]
    if absent := [function.name for function in found if not function.counts]:
        parts.append('\n'.join(['not in this kernel:', '', *(f'    {name}' for name in absent)]))
    return '\n\n'.join(parts)
