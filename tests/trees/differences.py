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


def of(arch: str, origin: Path, overlay: Mapping[str, bytes | None], lacking: Mapping[str, str]) -> Mapping[str, Difference]:
    """The differences of a tree with the overlay's files, which lacks these fixes."""
    def content(file: str) -> str:
        changed = overlay[file] if file in overlay else (origin / file).read_bytes() if (origin / file).is_file() else None
        return (changed or b'').decode(errors='replace')
    return {name: each for name, each in known().items()
            if each.arch in ('', arch) and each.text not in content(each.file) and (not each.fix or each.fix in lacking)}
