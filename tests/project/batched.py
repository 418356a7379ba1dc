# SPDX-License-Identifier: GPL-2.0
"""The batched functions of the kernel, for all architectures: those with suites, in callers.csv, and their helpers."""

from __future__ import annotations

from pathlib import Path

from project import callers


def functions() -> list[str]:
    """All batched functions as "file: function()", sorted by file, except those of an architecture."""
    known = callers.tables()
    return sorted(title for title in [*known.covered, *known.helpers] if not title.startswith('arch/'))


def file(function: str) -> str:
    """The file of a function."""
    return function.partition(':')[0]


def sources() -> list[Path]:
    """The sources with these functions; a header is compiled with the sources that include it."""
    return sorted({Path(file(function)) for function in functions() if file(function).endswith('.c')})
