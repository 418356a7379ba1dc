# SPDX-License-Identifier: GPL-2.0
"""The key of a record: everything that bench figures depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

from host.architecture import Arch
from host.kinds import KINDS
from host.settings import PROJECT, Settings
from host import tools
from results.record import INSTRUCTIONS, NS, Key
from results.runs import Facts
from trees import series
from trees.shadow import Shadow
from trees import source


def kernel(tree: Shadow, own: bool) -> str | None:
    """The kernel source as text; `own`: the tree is KSRC=, not fetched. None if the source cannot be identified."""
    origin = source.commit(tree.origin) if own else f'{tree.origin.name} {source.version(tree.origin)}'
    if origin and tree.patches:
        return f'{origin}, patches {series.digest(tree.patches)}'
    return origin


def _sources(arch: Arch) -> Iterable[Path]:
    """The files that affect the figures: benches, stopwatch, kernel configuration, QEMU options."""
    yield PROJECT / 'kunitconfig'
    yield from sorted((PROJECT / 'tests/guests/arch').glob(f'{arch.name}.*'))
    for pattern in ('mm/*_bench.c', 'lib/run/bench.[ch]', 'lib/run/region.[ch]', 'lib/run/stopwatch.[ch]'):
        yield from sorted(PROJECT.glob(pattern))


def benches(arch: Arch, config: tuple[str, ...] = ()) -> str:
    """A digest of the files and the configuration that affect the figures of a kernel; `config`: KCONFIG_ADD=."""
    digest = hashlib.sha256(repr(KINDS['bench'].config + config).encode())
    for path in _sources(arch):
        digest.update(f'\0{path.relative_to(PROJECT)}\0'.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def facts(settings: Settings, tree: Shadow) -> Facts:
    """What a run tests, and with what."""
    versions = key(settings, tree)
    return Facts(
        name=settings.name,
        arch=settings.arch.name,
        variant=settings.variant.special if settings.variant else '',
        kernel=versions.kernel or f'{source.version(tree.origin)}, not a clean git checkout',
        patches=[patch.name for patch in tree.patches],
        compiler=versions.compiler,
        qemu=versions.qemu,
        suites=settings.suites,
        # make runs in the project.
        again=['make run', f'ARCH={settings.arch.name}', *(each.replace(f'{PROJECT}/', '') for each in settings.sources)],
        begun=datetime.now(timezone.utc).isoformat(timespec='seconds'),
    )


def key(settings: Settings, tree: Shadow) -> Key:
    """The key of figures measured with these settings on this tree."""
    return Key(
        arch=settings.arch.name,
        unit=INSTRUCTIONS if settings.counting else NS,
        kernel=kernel(tree, own=settings.ksrc is not None),
        compiler=tools.version(settings.arch.cross_compile + 'gcc'),
        qemu=tools.version(settings.arch.qemu) if settings.arch.emulated else '',
        benches=benches(settings.arch, settings.config),
    )
