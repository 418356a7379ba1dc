# SPDX-License-Identifier: GPL-2.0
"""Markdown tables with aligned columns."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """A table: the first `text_columns` columns are aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows)]

    def line(cells: Sequence[str]) -> str:
        return '| ' + ' | '.join(cell.ljust(width) if index < text_columns else cell.rjust(width)
                                 for index, (cell, width) in enumerate(zip(cells, widths))) + ' |'

    rules = ['-' * max(width, 3) if index < text_columns else '-' * max(width - 1, 3) + ':'
             for index, width in enumerate(widths)]
    widths = [len(rule) for rule in rules]
    return '\n'.join([line(header), '| ' + ' | '.join(rules) + ' |', *map(line, rows)])


def figure(value: float | None, digits: int = 1) -> str:
    """The text of a cell, empty for None; no decimals from 10,000 on."""
    if value is None:
        return ''
    return f'{value:.{digits}f}' if abs(value) < 10000 else f'{value:,.0f}'
