# SPDX-License-Identifier: GPL-2.0
"""The rows of a table, each with its verdict, in a file: so that the parts of SHARD= can be put together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """A row; the first cells name it, and the number is its place in the whole table."""

    number: int
    cells: Sequence[str]
    good: bool


def save(path: Path, rows: Iterable[Row]) -> None:
    """Write rows to a file, in their order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(row)) for row in sorted(rows, key=lambda row: row.number)]
    path.write_text('[\n' + ',\n'.join(lines) + '\n]\n')


def load(path: Path) -> list[Row]:
    """Read a file of save()."""
    return [Row(**words) for words in json.loads(path.read_text())]
