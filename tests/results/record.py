# SPDX-License-Identifier: GPL-2.0
"""bench.json: the figures of a bench run and their key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TypeVar

from host.errors import Trouble
from results.timing import Counted, Line, Timing

VERSION = 1
INSTRUCTIONS, NS = ('instructions', 'ns')


@dataclass(frozen=True)
class Key:
    """The properties that two records must share for their figures to be comparable."""

    arch: str
    unit: str
    kernel: str | None      # None: the source cannot be identified
    compiler: str
    qemu: str
    benches: str            # digest of the benches and their configuration

    def versions(self) -> str:
        """The versions that a reader needs to reproduce the figures."""
        return '; '.join([self.kernel or 'a tree that is not a clean git checkout', self.compiler, self.qemu or 'no QEMU'])

    def differences(self, other: Key) -> list[str]:
        """The reasons why the figures of a record with the key `other` cannot be compared with this run."""
        found = [f'{field.name}: {recorded or "unknown"} in the record, {used or "unknown"} in this run' for field in fields(self)
                 if (used := getattr(self, field.name)) != (recorded := getattr(other, field.name))]
        if self.kernel is None and other.kernel is None:
            found.append('kernel: unknown in both')
        if self.unit == NS:
            found.append('unit: times vary from run to run, only instructions can be compared with a record')
        return found


T = TypeVar('T', bound=Line)


@dataclass(frozen=True)
class Record:
    """All figures of one run."""

    key: Key
    timings: list[Timing]
    counts: list[Counted]

    def timing(self, way: str = 'kernel', /, **what: object) -> Timing | None:
        """The timing with exactly these words, or None."""
        return self._find(self.timings, way, what)

    def counted(self, way: str = 'kernel', /, **what: object) -> Counted | None:
        """The event counts with exactly these words, or None."""
        return self._find(self.counts, way, what)

    @staticmethod
    def _find(lines: Iterable[T], way: str, what: dict[str, object]) -> T | None:
        wanted = {key: str(value) for key, value in what.items()}
        return next((line for line in lines if line.way == way
                     and {key: value for key, value in line.what.items() if key != 'way'} == wanted), None)

    def of_way(self, way: str) -> dict[str, Timing]:
        """All timings of the kernel, or of the twin, by name."""
        return {timing.name: timing for timing in self.timings if timing.way == way}

    def events(self, way: str) -> dict[str, float]:
        """All event counts of the kernel, or of the twin, by name."""
        return {name: value for counted in self.counts if counted.way == way
                for name, value in counted.named().items()}

    def save(self, path: Path) -> None:
        """Write the record as JSON, a timing a line, atomically."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + '.new')
        members = [f'"{name}": {json.dumps(value)}' for name, value in ({'version': VERSION} | asdict(self.key)).items()]
        members += [f'"timings": {_lines(self.timings)}', f'"counts": {_lines(self.counts)}']
        new.write_text('{' + ',\n'.join(members) + '}\n')
        new.replace(path)


def _lines(items: Sequence[Line]) -> str:
    return '[\n' + ',\n'.join(json.dumps(asdict(item)) for item in items) + ']'


def _record(text: str) -> Record:
    key = json.loads(text)
    version, timings, counts = (key.pop(name) for name in ('version', 'timings', 'counts'))
    if version != VERSION:
        raise ValueError(f'has version {version!r}, expected {VERSION}')
    # Older records lack the fields that have a default.
    return Record(Key(**key), [Timing(**timing) for timing in timings], [Counted(**counted) for counted in counts])


def load(path: Path) -> Record:
    """Read a record; raise Trouble if the file is not one."""
    try:
        return _record(path.read_text())
    except OSError as error:
        raise Trouble(f'{path} cannot be read: {error.strerror}', 'type the bench.json of a run of make bench') from error
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise Trouble(f'{path}: not a usable record: {type(error).__name__}: {error}', 'record it again with make bench') from error
