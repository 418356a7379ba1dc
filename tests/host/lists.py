# SPDX-License-Identifier: GPL-2.0
"""The lists of commands and variables in tests/, which the Makefile reads, too."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[1]


def _lines(name: str, columns: int) -> list[list[str]]:
    """The lines of a list, each split into columns; the last column is the rest of the line."""
    return [line.split(maxsplit=columns - 1) for line in (FOLDER / name).read_text().splitlines() if line[0] != '#']


# By command: its module, and what it does.
COMMANDS = {name: (module, text) for name, module, text in _lines('commands.txt', 3)}
# By variable: its meaning.
VARIABLES = {name.removesuffix('='): meaning for name, meaning in _lines('variables.txt', 2)}
