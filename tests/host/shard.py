# SPDX-License-Identifier: GPL-2.0
"""SHARD=i/n: the i-th of n parts of the work, so that several machines or processes share it; make merge joins the results."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from host.errors import Trouble

T = TypeVar('T')


@dataclass(frozen=True)
class Shard:
    """Part `number` of `total`, from 1."""

    number: int = 1
    total: int = 1

    @classmethod
    def read(cls, env: Mapping[str, str]) -> Shard:
        """Read and check SHARD=; without it, the whole."""
        text = env.get('SHARD') or '1/1'
        match = re.fullmatch(r'([1-9][0-9]{0,3})/([1-9][0-9]{0,3})', text, re.ASCII)
        if not match or int(match[1]) > int(match[2]):
            raise Trouble(f'SHARD={text}: expected the number of a part, a slash and the number of parts', 'for example SHARD=1/2')
        return cls(int(match[1]), int(match[2]))

    @property
    def name(self) -> list[str]:
        """A word that distinguishes the part from the others; none for the whole."""
        return [f'shard-{self.number}-{self.total}'] if self.total > 1 else []

    @property
    def parameters(self) -> tuple[str, ...]:
        """Those of the suites: see lib/service/part.c."""
        return (f'ptebatch_kunit.part={self.number}', f'ptebatch_kunit.parts={self.total}') if self.total > 1 else ()

    def of(self, items: Sequence[T]) -> Sequence[T]:
        """The items of this part: every n-th, so that parts take about the same time."""
        return items[self.number - 1::self.total]

    def has(self, name: str) -> bool:
        """Whether this part includes what has a name, also if a part does not know all names."""
        return zlib.crc32(name.encode()) % self.total == self.number - 1
