# SPDX-License-Identifier: GPL-2.0
"""bench.json: the figures of a bench run and their key. Reading a record checks it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from host import architecture
from host.errors import Trouble
from results.timing import Counted, Line, Timing, Unreadable

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
        """Write the record as JSON, a timing a line, atomically."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + '.new')
        members = [f'"{name}": {json.dumps(value)}' for name, value in ({'version': VERSION} | asdict(self.key)).items()]
        members += [f'"timings": {_lines(self.timings)}', f'"counts": {_lines(self.counts)}']
        new.write_text('{' + ',\n'.join(members) + '}\n')
        new.replace(path)


def _lines(items: Sequence[Line]) -> str:
    return '[\n' + ',\n'.join(json.dumps(asdict(item)) for item in items) + ']'


def _object(value: Any, where: str, names: Iterable[str] | None = None, optional: Iterable[str] = ()) -> dict[str, Any]:
    """Check that the value is an object; if `names` are given, with exactly these members, except the optional ones."""
    if not isinstance(value, dict):
        raise Unreadable(f'{where} is not an object')
    for name in () if names is None else names:
        if name not in value and name not in optional:
            raise Unreadable(f'{where} has no "{name}"')
    for name in () if names is None else value.keys() - set(names):
        raise Unreadable(f'{where} has an unexpected member "{name}"')
    return value


def _value(kind: Any, value: Any, where: str) -> Any:
    """Check that the value is of a type, and return it: a data class, a dictionary, a list, text or a number."""
    if is_dataclass(kind):
        types = get_type_hints(kind)
        # Older records lack the fields that have a default.
        optional = {field.name for field in fields(kind) if field.default_factory is not MISSING}
        members = _object(value, where, types, optional)
        return kind(**{name: _value(types[name], members[name], f'{where}.{name}') for name in types if name in members})
    if get_origin(kind) is dict:
        return {_value(str, name, where): _value(get_args(kind)[1], member, f'{where}.{name}')
                for name, member in _object(value, where).items()}
    if get_origin(kind) is list:
        if not isinstance(value, list):
            raise Unreadable(f'{where} is not a list')
        return [_value(get_args(kind)[0], item, f'{where}[{index}]') for index, item in enumerate(value)]
    if str in (kind, *get_args(kind)):
        if (value is not None or kind is str) and (not isinstance(value, str) or not value.isprintable()):
            raise Unreadable(f'{where} is not a string')
    elif not (kind is float and type(value) is float and math.isfinite(value)) and type(value) is not int:
        raise Unreadable(f'{where} is not an integer')  # isinstance(True, int) holds, too
    return value


def _check(lines: Sequence[Line], where: str) -> None:
    for index, line in enumerate(lines):
        try:
            line.check()
        except Unreadable as error:
            raise Unreadable(f'{where}[{index}] {error}') from error
        if any(line.what == other.what for other in lines[:index]):
            raise Unreadable(f'{where}[{index}] is a duplicate')


def _record(text: str) -> Record:
    try:
        value = json.loads(text, parse_constant=lambda name: name)      # NaN becomes a string, which is not a number
    except (ValueError, RecursionError) as error:
        raise Unreadable(f'is not JSON ({error})') from error
    if not isinstance(value, dict) or 'version' not in value:
        raise Unreadable('has no "version"')
    if value['version'] != VERSION or type(value['version']) is not int:
        raise Unreadable(f'has version {value["version"]!r}, expected {VERSION}')
    names = [field.name for field in fields(Key)]
    _object(value, 'the record', ('version', *names, 'timings', 'counts'))
    record = Record(_value(Key, {name: value[name] for name in names}, 'the record'),
                    _value(list[Timing], value['timings'], 'timings'), _value(list[Counted], value['counts'], 'counts'))
    for name, allowed in (('arch', tuple(architecture.ARCHES)), ('unit', UNITS)):
        if value[name] not in allowed:
            raise Unreadable(f'{name} is "{value[name]}", expected one of {", ".join(allowed)}')
    _check(record.timings, 'timings')
    _check(record.counts, 'counts')
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
