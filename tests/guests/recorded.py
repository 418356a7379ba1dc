# SPDX-License-Identifier: GPL-2.0
"""The records of make bench in tests/recorded: of which kernels they are, and whether they are of the present patches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from guests import identity
from host import architecture
from host.errors import Trouble
from host.settings import PROJECT
from results.record import load
from trees import series

HOME = PROJECT / 'tests/recorded'
OF_SERIES = PROJECT / 'mm/series'
# QEMU counts instructions on them.
ARCHES = ('x86_64', 'arm64')
REMEDY = 'type make record'


@dataclass(frozen=True)
class Kind:
    """A recorded kernel: the fetched one, without patches, with the fixes, or with one of our series."""

    name: str
    what: str
    variables: Mapping[str, str] = field(default_factory=dict)      # that select it

    def file(self, arch: str, home: Path) -> Path:
        """Its record in a folder like tests/recorded."""
        return home / arch / f'{self.name}.json'

    def digest(self) -> str:
        """The hash of its patches, empty without."""
        folder = self.variables['SERIES'] or self.variables['FIXES']
        return series.digest(series.read(Path(folder))) if folder else ''


BENCH = Kind('bench', 'the kernel with the fixes, with which make gate compares', {'FIXES': str(OF_SERIES / 'fixes'), 'SERIES': ''})
PLAIN = Kind('plain', 'the kernel without patches', {'FIXES': '', 'SERIES': ''})
SERIES = tuple(Kind(name, f'the kernel with {name} alone', {'FIXES': '', 'SERIES': str(OF_SERIES / name)})
               for name in ('unmap', 'mprotect', 'small-folios'))
KINDS = (BENCH, PLAIN, *SERIES)


def outdated(kind: Kind, arch: str, home: Path = HOME) -> str:
    """Why a record is not of the present patches and benches; empty if it is.

    Kernel, compiler and QEMU are those of the machine that made the record: make gate compares them.
    """
    file = kind.file(arch, home)
    name = f'{file.relative_to(home.parent.parent) if file.is_relative_to(home.parent.parent) else file}'
    if not file.exists():
        return f'{name}: missing, {kind.what}; {REMEDY}'
    try:
        key = load(file).key
    except Trouble as trouble:
        return str(trouble)
    recorded = (key.kernel or '').partition(', patches ')[2]
    for what, was, now in (('the patches', recorded, kind.digest()),
                           ('the benches', key.benches, identity.benches(architecture.find(arch)))):
        if was != now:
            return f'{name}: {what} were {was or "none"}, and are now {now or "none"}; {REMEDY}'
    return ''


def all_outdated(home: Path = HOME) -> list[str]:
    """All records that are not of the present patches and benches, one per line."""
    return [text for arch in ARCHES for kind in KINDS if (text := outdated(kind, arch, home))]
