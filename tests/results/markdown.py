# SPDX-License-Identifier: GPL-2.0
"""Tables in Markdown that are readable as they are."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """All cells of a column as wide as its widest; behind the columns of text, figures are set to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows)]

    def line(cells: Sequence[str]) -> str:
        return '| ' + ' | '.join(cell.ljust(width) if index < text_columns else cell.rjust(width)
                                 for index, (cell, width) in enumerate(zip(cells, widths))) + ' |'

    rules = ['-' * max(width, 3) if index < text_columns else '-' * max(width - 1, 3) + ':'
             for index, width in enumerate(widths)]
    widths = [len(rule) for rule in rules]
    return '\n'.join([line(header), '| ' + ' | '.join(rules) + ' |', *map(line, rows)])


def figure(value: float | None, digits: int = 1) -> str:
    """A cell with a figure, empty if there is none; digits that do not matter are left out."""
    if value is None:
        return ''
    return f'{value:.{digits}f}' if abs(value) < 10000 else f'{value:,.0f}'
