# SPDX-License-Identifier: GPL-2.0
"""What a kernel tree does in another way than the cases expect: tests/recorded/known/differences.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from host.errors import Trouble
from host.settings import PROJECT

FILE = PROJECT / 'tests/recorded/known/differences.toml'


@dataclass(frozen=True)
class Difference:
    """A text of a file, and patterns of the cases that may fail in a kernel without it."""

    title: str
    file: str
    text: str
    cases: Sequence[str]
    fix: str = ''       # only in trees that lack this fix, too
    arch: str = ''      # only on this architecture


@cache
def known() -> Mapping[str, Difference]:
    """All differences by name."""
    try:
        return {name: Difference(**fields) for name, fields in tomllib.loads(FILE.read_text()).items()}
    except (OSError, TypeError, tomllib.TOMLDecodeError) as error:
        raise Trouble(f'{FILE}: {error}', 'check out the file again') from error


def of(arch: str, origin: Path, lacking: Mapping[str, str]) -> Mapping[str, Difference]:
    """The differences of a tree that lacks these fixes; what a series takes away is none, so that its failures count."""
    def has_text(each: Difference) -> bool:
        file = origin / each.file
        return file.is_file() and each.text in file.read_text(errors='replace')
    return {name: each for name, each in known().items()
            if each.arch in ('', arch) and (not each.fix or each.fix in lacking) and not has_text(each)}
