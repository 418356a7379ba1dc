# SPDX-License-Identifier: GPL-2.0
"""The batched functions of the kernel: those that get batches, in callers.csv, and their helpers, in helpers.txt."""

from __future__ import annotations

import csv
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def functions() -> list[str]:
    """All batched functions as "file: function()", sorted by file."""
    with (FOLDER / 'callers.csv').open() as table:
        callers = [row['function'] for row in csv.DictReader(table)]
    helpers = [line for line in (FOLDER / 'helpers.txt').read_text().splitlines() if not line.startswith('#')]
    return sorted(callers + helpers)


def file(function: str) -> str:
    """The file of a function."""
    return function.partition(':')[0]


def sources() -> list[Path]:
    """The sources with these functions; a header is compiled with the sources that include it."""
    return sorted({Path(file(function)) for function in functions() if file(function).endswith('.c')})
