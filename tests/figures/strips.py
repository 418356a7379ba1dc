# SPDX-License-Identifier: GPL-2.0
"""Pictures of page table entries as HTML: a strip of cells for each row, one above the other."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from results import pictures
from results.pictures import Band, Cell, Picture

# Kinds of entries that map or stand for a page; the zero page is no folio.
OF_FOLIO = 'WRNCMHDE'
CLASS = {'-': 'O', '?': 'Q'}
BRACES = {'{': 'f', '[': 'p', '(': 's'}


def _cell(cell: Cell) -> str:
    """An element for a cell: its text is that of the picture, its classes are what the style draws."""
    run = cell.run
    kind = run.entry[0]
    brace = BRACES.get(run.brace) or ('o' if kind in OF_FOLIO and 'z' not in run.entry else 'n')
    names = [CLASS.get(kind, kind), brace, *('a' * (cell.begins and brace != 'n')), *('z' * (cell.ends and brace != 'n')),
             *('x' * run.differs), *('w' * (cell.count > 1)),
             *('v' * (cell.first and ';' in run.limits)), *('l' * (cell.first and '|' in run.limits))]
    # The marks of small folios are those of each.
    before = (run.limits if cell.first else '') + (run.marks if cell.first or not run.brace else '') + (
        _dots(run.skips) if cell.first else '')
    after = _dots(run.rest) if cell.last else ''
    page = f'={run.page}' if run.page and cell.first else ''
    return (f'<b class="{" ".join(names)}"><em>{before}{"!" * run.differs}</em>{kind}<i>{run.entry[1:]}{page}</i>'
            + (f'<small>×{cell.count}</small>' if cell.count > 1 else '') + (f'<s>{after}</s>' if after else '') + '</b>')


def _dots(number: int) -> str:
    return '' if not number else '.' if number == 1 else f'.*{number}'


def _ruler(band: Band) -> str:
    """The numbers of entries above a band."""
    if band.whole:
        return f'<span>{band.at}–{band.end - 1}</span>'
    return ''.join(f'<span>{at if at % 4 == 0 or at == band.at else ""}</span>' for at in range(band.at, band.end))


def _blocks(band: Band, first: int, block: int) -> str:
    """The contpte block of a band, open where the band does not reach its ends."""
    if not block:
        return ''
    begin, end = first + band.at, first + band.end
    numbers = f'{begin // block}' if begin // block == (end - 1) // block else f'{begin // block}–{(end - 1) // block}'
    borders = 'a' * (begin % block == 0) + ' ' + 'z' * (end % block == 0)
    return f'<p class="cont {borders.strip()}"><span>contpte block{"s" * ("–" in numbers)} {numbers}</span></p>'


def strips(shown: Sequence[Picture], form: pictures.Format, twin: bool = False) -> str:
    """The pictures of a failure, one above the other."""
    parts = []
    for band in pictures.bands([picture.row for picture in shown]):
        rows = []
        for picture, cells in zip(shown, band.rows):
            end = picture.row.end if cells and cells[-1].at + cells[-1].count == picture.row.nr else ''
            label = escape(picture.label) + (' <small>twin</small>' if twin and picture.label == 'expected' else '')
            rows.append(f'<p class="row {escape(picture.label)}"><span>{label}</span>{"".join(map(_cell, cells))}'
                        + (f'<q>{end}</q>' if end else '') + ('<q>…</q>' if picture.row.cut and band.end >= picture.row.nr else '') + '</p>')
        parts.append(f'<div class="band{" whole" * band.whole}"><p class="ruler"><span></span>{_ruler(band)}</p>'
                     f'{_blocks(band, shown[0].row.first, form.block)}{"".join(rows)}</div>')
    text = '; '.join(f'{picture.label} {picture.text}' for picture in shown)
    return f'<div class="strips" role="img" aria-label="{escape(text)}">{"".join(parts)}</div>'
