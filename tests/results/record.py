# SPDX-License-Identifier: GPL-2.0
"""bench.json: the figures of a bench run and their key. Reading a record checks it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from host import architecture
from host.errors import Trouble
from results.timing import FIGURES, Counted, Line, Timing, Unreadable

VERSION = 1
INSTRUCTIONS, NS = UNITS = ('instructions', 'ns')


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
        """Write the record as JSON, atomically."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + '.new')
        new.write_text(json.dumps({'version': VERSION, **asdict(self.key),
                                   'timings': [asdict(timing) for timing in self.timings],
                                   'counts': [asdict(counted) for counted in self.counts]}, indent=1) + '\n')
        new.replace(path)


def _object(value: Any, where: str, names: Iterable[str]) -> dict[str, Any]:
    """Check that the value is an object with exactly these members."""
    if not isinstance(value, dict):
        raise Unreadable(f'{where} is not an object')
    for name in names:
        if name not in value:
            raise Unreadable(f'{where} has no "{name}"')
    for name in value.keys() - set(names):
        raise Unreadable(f'{where} has an unexpected member "{name}"')
    return value


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise Unreadable(f'{where} is not a string')
    return value


def _integer(value: Any, where: str) -> int:
    if type(value) is not int:      # isinstance(True, int) holds, too
        raise Unreadable(f'{where} is not an integer')
    return value


def _number(value: Any, where: str) -> float:
    return value if type(value) is float and math.isfinite(value) else _integer(value, where)


def _what(value: Any, where: str) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Unreadable(f'{where} is not an object')
    return {_string(key, where): _string(word, f'{where}.{key}') for key, word in value.items()}


def _timing(value: Any, where: str) -> Timing:
    entry = _object(value, where, ('what', *FIGURES))
    return Timing(_what(entry['what'], f'{where}.what'), *(_integer(entry[name], f'{where}.{name}') for name in FIGURES))


def _counted(value: Any, where: str) -> Counted:
    entry = _object(value, where, ('what', 'per', 'figures'))
    figures = entry['figures']
    if not isinstance(figures, dict):
        raise Unreadable(f'{where}.figures is not an object')
    return Counted(_what(entry['what'], f'{where}.what'), _string(entry['per'], f'{where}.per'),
                   {_string(name, where): _number(figure, f'{where}.figures.{name}') for name, figure in figures.items()})


def _list(value: Any, name: str, read: Callable[[Any, str], T]) -> list[T]:
    if not isinstance(value, list):
        raise Unreadable(f'{name} is not a list')
    found: list[T] = []
    for index, item in enumerate(value):
        line = read(item, f'{name}[{index}]')
        try:
            line.check()
        except Unreadable as error:
            raise Unreadable(f'{name}[{index}] {error}') from error
        if any(line.what == other.what for other in found):
            raise Unreadable(f'{name}[{index}] is a duplicate')
        found.append(line)
    return found


def _key(value: dict[str, Any]) -> Key:
    texts = {field.name: _string(value[field.name], field.name) for field in fields(Key) if field.name != 'kernel'}
    if texts['arch'] not in architecture.ARCHES:
        raise Unreadable(f'arch is "{texts["arch"]}", expected one of {", ".join(architecture.ARCHES)}')
    if texts['unit'] not in UNITS:
        raise Unreadable(f'unit is "{texts["unit"]}", expected one of {", ".join(UNITS)}')
    return Key(kernel=None if value['kernel'] is None else _string(value['kernel'], 'kernel'), **texts)


def _record(text: str) -> Record:
    try:
        value = json.loads(text, parse_constant=lambda name: name)      # NaN becomes a string, which is not a number
    except (ValueError, RecursionError) as error:
        raise Unreadable(f'is not JSON ({error})') from error
    if not isinstance(value, dict) or 'version' not in value:
        raise Unreadable('has no "version"')
    if value['version'] != VERSION or type(value['version']) is not int:
        raise Unreadable(f'has version {value["version"]!r}, expected {VERSION}')
    _object(value, 'the record', ('version', *(field.name for field in fields(Key)), 'timings', 'counts'))
    record = Record(_key(value), _list(value['timings'], 'timings', _timing), _list(value['counts'], 'counts', _counted))
    if not record.timings:
        raise Unreadable('timings is empty')
    return record


def load(path: Path) -> Record:
    """Read a record; raise Trouble if the file is not a valid one."""
    try:
        text = path.read_text()
    except OSError as error:
        raise Trouble(f'{path} cannot be read: {error.strerror}', 'type the bench.json of a run of make bench') from error
    except UnicodeDecodeError as error:
        raise Trouble(f'{path}: not a usable record: is not text', 'record it again with make bench') from error
    try:
        return _record(text)
    except Unreadable as error:
        raise Trouble(f'{path}: not a usable record: {error}', 'record it again with make bench') from error
