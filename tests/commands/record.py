# SPDX-License-Identifier: GPL-2.0
"""`make record`: measure the records of tests/recorded that are not of the present kernels, and write the pages from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from commands import bench
from commands import run
from figures import of_series
from figures import tables
from guests import identity
from guests import recorded
from guests.recorded import BENCH, KINDS, Kind
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host.kinds import refuse
from host import lock
from host import packages
from host.packages import MATPLOTLIB
from host.settings import PROJECT, Settings, given, results
from host import tools
from results.record import load

# They select another kernel, or a part of the benches.
REFUSED = ('KSRC', 'SERIES', 'SUITES', 'CLOCK', 'KCONFIG_ADD')
PAGES = {PROJECT / 'tests/recorded/README.md': tables.page, PROJECT / 'mm/series/figures.md': of_series.page}


def _settings(kind: Kind, arch: str, env: Mapping[str, str]) -> Settings:
    """The settings of a record."""
    settings = Settings.read({**env, 'ARCH': arch, **kind.variables})
    return replace(settings, results=results(env) / 'record' / kind.name / arch).for_bench(env)


def _bring_up_to_date(kind: Kind, arch: str, env: Mapping[str, str], console: Console) -> None:
    """Measure a record, unless it is of the present kernel, benches, compiler and QEMU."""
    settings = _settings(kind, arch, env)
    file = kind.file(arch, recorded.HOME)
    packages.ensure(packages.for_run(settings.arch, settings.kind.loadable), console)
    tree, _ = run.trees(settings, console)
    if file.exists():
        differences = identity.key(settings, tree).differences(load(file).key)
        if not differences:
            console.say(f'record    {tools.shown(file)}: up to date')
            return
        console.say(f'record    {tools.shown(file)}: {"; ".join(differences)}')
    bench.measure(settings).save(file)
    if kind == BENCH:
        bench.plot(file, file.parent, settings.cache)


def main(env: Mapping[str, str]) -> int:
    """Run `make record`."""
    for name in REFUSED:
        refuse(given(env), [name], 'make record')
    arches = (env.get('ARCH') or ' '.join(recorded.ARCHES)).split()
    for arch in arches:
        if arch not in recorded.ARCHES:
            raise Trouble(f'ARCH={arch}: make record needs a clock that counts', f'type {" or ".join(recorded.ARCHES)}')
    console = Console()
    lock.claim(results(env) / 'record')
    packages.ensure([MATPLOTLIB], console)
    for arch in arches:
        for kind in KINDS:
            _bring_up_to_date(kind, arch, env, console)
    for path, page in PAGES.items():
        path.write_text(page(recorded.HOME))
        console.say(f'page      {tools.shown(path)}')
    return exit_status.PASSED
