# SPDX-License-Identifier: GPL-2.0
"""Pictures of page table entries, in the notation of lib/row/row.h, and where the output of a case has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

K = 1024
# A table of s390 has 256 entries of 8 bytes, one of powerpc with pages of 64K has 32.
TABLES = {('s390', 4 * K): 256, ('powerpc', 64 * K): 32}
BLOCKS = {4 * K: 16, 16 * K: 128, 64 * K: 32}   # CONT_PTES of arm64

NUMBER = r'(?:\d+|T(?:/\d+)?(?:-\d+)?)'
TOKEN = re.compile(rf'''\s*(?:
    (?P<limit>[|;]) |
    (?P<marks>~?\d*\+?)(?P<open>[{{[(]) |
    (?P<close>[]}})])(?:\*(?P<times>{NUMBER}))? |
    \.(?:\*(?P<dots>{NUMBER}))? |
    (?P<mark>~?\d*\+?)(?P<differs>!?)(?P<entry>[-WRNMSUPGHCDE?][a-z]*)(?:=(?P<page>{NUMBER}))?(?:\*(?P<count>{NUMBER}))?
)''', re.VERBOSE)
FIRST = re.compile(rf'\s*@(-?)({NUMBER})')
TABLES_OF_A_ROW = 3     # at most
CUT = ' ...'    # ptebatch_print_row() cuts off long pictures
# "%-9s" of ptebatch_print_row().
PRINTED = re.compile(r'^ *# \S+: (?P<label>[a-z ]{9})(?P<picture>\S.*)$')
# Entries that are drawn together; longer runs in which no picture changes are drawn as one cell.
BAND, LONG = 16, 64


@dataclass(frozen=True)
class Format:
    """The page tables of a kernel: entries of a table, and of a contpte block (0: none)."""

    table: int = 512
    block: int = 0

    @classmethod
    def of(cls, arch: str, page: int) -> Format:
        """The format of an architecture with pages of `page` bytes."""
        return cls(TABLES.get((arch, page), page // 8), BLOCKS.get(page, 0) if arch == 'arm64' else 0)

    def number(self, text: str | None, default: int = 1) -> int:
        """A number of a picture: 12, T, T/2, T/2-8."""
        if not text or not text.startswith('T'):
            return int(text or default)
        part, _, less = text[1:].removeprefix('/').partition('-')
        number = self.table // int(part or 1) - int(less or 0) if int(part or 1) else -1
        if number < 0:
            raise ValueError(f'not a number of entries: {text}')
        return number


@dataclass(frozen=True)
class Run:
    """Equal entries next to each other, as one token draws them."""

    at: int             # index in the row of the first entry
    count: int
    entry: str          # kind and flags
    brace: str = ''     # opening brace of the folio; empty: each entry is a small folio, or has none
    opens: bool = False     # the folio begins here
    closes: bool = False    # and ends here
    marks: str = ''     # before the folio
    skips: int = 0      # pages of the folio before these entries that the row does not map
    rest: int = 0       # and behind the last entry of the folio
    page: str = ''      # number of the first page, if it is not the next one
    differs: bool = False
    limits: str = ''    # "|" and ";" before these entries


@dataclass(frozen=True)
class Row:
    """A picture; `first` is the index in the page table of its first entry."""

    first: int
    runs: tuple[Run, ...]
    end: str = ''       # a limit behind the last entry
    cut: bool = False

    @property
    def nr(self) -> int:
        return self.runs[-1].at + self.runs[-1].count


class _Parser:
    """Reads one picture."""

    def __init__(self, form: Format) -> None:
        self.form = form
        self.runs: list[Run] = []
        self.nr = 0
        self.brace = self.marks = self.limits = ''
        self.opened = self.skips = 0    # index of the first run in the braces; pages since the last entry

    def _entries(self, token: re.Match[str]) -> None:
        count = self.form.number(token['count'])
        if not count:
            return
        first = bool(self.brace) and len(self.runs) == self.opened
        self.runs.append(Run(self.nr, count, token['entry'], self.brace, first, False, self.marks if first else token['mark'],
                             self.skips, 0, token['page'] or '', bool(token['differs']), self.limits))
        self.nr += count
        self.limits, self.skips = '', 0

    def _close(self, times: int) -> None:
        if not times:
            raise ValueError('0 folios')
        inside = self.runs[self.opened:]
        # One token stands for all entries of the page table.
        if self.brace == '[' and len(inside) == 1 and inside[0].count == 1:
            self.nr += self.form.table - 1
            inside = [replace(inside[0], count=self.form.table)]
        inside[-1] = replace(inside[-1], closes=True, rest=self.skips)
        width = self.nr - inside[0].at
        # A limit before the first folio is not repeated.
        again = [replace(inside[0], limits=''), *inside[1:]]
        self.runs[self.opened:] = inside + [replace(run, at=run.at + width * copy)
                                            for copy in range(1, times) for run in again]
        self.nr += width * (times - 1)
        self.brace, self.skips = '', 0

    def take(self, token: re.Match[str]) -> None:
        if token['limit']:
            self.limits += token['limit']
        elif token['open']:
            self.brace, self.marks, self.opened = token['open'], token['marks'], len(self.runs)
        elif token['close']:
            self._close(self.form.number(token['times']))
        elif token['entry']:
            self._entries(token)
        else:
            self.skips += self.form.number(token['dots'])


def parse(picture: str, form: Format = Format()) -> Row:
    """Read a picture; ValueError if it is not one."""
    cut = picture.endswith(CUT)
    text = picture.removesuffix(CUT).rpartition(' ')[0] if cut else picture.rstrip()
    parser, first, at = _Parser(form), 0, 0
    if begin := FIRST.match(text):
        first, at = form.number(begin[2]), begin.end()
        first = form.table - first if begin[1] else first
    while at < len(text):
        token = TOKEN.match(text, at)
        wrong = not token or bool(token['open'] and parser.brace) or bool(
            token['close'] and (not parser.brace or token['close'] != '}])'['{[('.index(parser.brace)]
                                or len(parser.runs) == parser.opened))
        if not token or wrong or token.end() == at:
            raise ValueError(f'not a picture: {picture}')
        parser.take(token)
        at = token.end()
    if not parser.runs or parser.brace and not cut or parser.nr > TABLES_OF_A_ROW * form.table:
        raise ValueError(f'not a picture: {picture}')
    return Row(first, tuple(parser.runs), parser.limits, cut)


@dataclass(frozen=True)
class Picture:
    """A row that a case printed, and what it is: before, expected, got."""

    label: str
    text: str
    row: Row


def _printed(line: str, form: Format) -> Picture | None:
    found = PRINTED.match(line)
    try:
        return Picture(found['label'].strip(), found['picture'], parse(found['picture'], form)) if found else None
    except ValueError:
        return None


def printed(text: str, form: Format) -> list[str | list[Picture]]:
    """The output of a case: lines, and in their place the pictures that were printed one after the other."""
    parts: list[str | list[Picture]] = []
    lines = [(line, _printed(line, form)) for line in text.splitlines()]
    for drawn, group in groupby(lines, key=lambda each: each[1] is not None):
        if drawn:
            parts.append([picture for _, picture in group if picture])
        else:
            parts += [line for line, _ in group]
    return parts


@dataclass(frozen=True)
class Cell:
    """What is drawn of a run: one entry, or several as one cell."""

    run: Run
    at: int
    count: int

    @property
    def begins(self) -> bool:
        """The left border of a folio."""
        return self.run.opens and self.at == self.run.at or not self.run.brace

    @property
    def ends(self) -> bool:
        """The right border of a folio."""
        return self.run.closes and self.last or not self.run.brace

    @property
    def first(self) -> bool:
        return self.at == self.run.at

    @property
    def last(self) -> bool:
        return self.at + self.count == self.run.at + self.run.count


@dataclass(frozen=True)
class Band:
    """The entries from @at to @end of several rows, one above the other; the cells of each row."""

    at: int
    end: int
    rows: tuple[tuple[Cell, ...], ...]
    whole: bool     # one cell for all entries


def _cells(row: Row, at: int, end: int, whole: bool) -> Iterator[Cell]:
    for run in row.runs:
        first, last = max(run.at, at), min(run.at + run.count, end)
        if first < last and whole:
            yield Cell(run, first, last - first)
        else:
            yield from (Cell(run, entry, 1) for entry in range(first, last))


def bands(rows: Sequence[Row]) -> list[Band]:
    """Rows that begin at the same entry, cut at the same places: where contpte blocks begin, and at long equal runs."""
    nr, first = max(row.nr for row in rows), rows[0].first
    cuts = [0, *(at for at in range(1, nr) if not (first + at) % BAND), nr]
    changes = sorted({run.at for row in rows for run in row.runs} | {row.nr for row in rows})
    found: list[tuple[int, int]] = []
    for begin, end in zip(cuts, cuts[1:]):
        # Bands in which nothing begins continue the one before.
        if found and not any(begin <= at < end for at in changes) and not any(found[-1][0] < at < begin for at in changes):
            found[-1] = found[-1][0], end
        else:
            found.append((begin, end))
    result = []
    for begin, end in found:
        whole = end - begin >= LONG
        parts = [(begin, end)] if whole else [(at, min(end, stop)) for at, stop in zip(cuts, cuts[1:]) if begin <= at < end]
        result += [Band(at, stop, tuple(tuple(_cells(row, at, stop, whole)) for row in rows), whole) for at, stop in parts]
    return result
