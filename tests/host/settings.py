# SPDX-License-Identifier: GPL-2.0
"""What the user asked for: the variables of the Makefile."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from host import architecture
from host.errors import Trouble
from host import variants
from host.variants import Variant

PROJECT = Path(__file__).resolve().parents[2]


def _number(env: Mapping[str, str], name: str, default: int, bits: int = 31) -> int:
    text = env.get(name) or str(default)
    if not (text.isascii() and text.isdecimal()) or int(text) == 0:
        raise Trouble(f'{name}={text} is no number above 0', f'give one, or leave {name}= out')
    if int(text) >> bits:
        raise Trouble(f'{name}={text} is too large', f'give a number below 2**{bits}, or leave {name}= out')
    return int(text)


def path(env: Mapping[str, str], name: str) -> Path | None:
    """An existing file or folder, or none given."""
    if not env.get(name):
        return None
    given = Path(env[name]).expanduser().resolve()
    if not given.exists():
        raise Trouble(f'{name}={env[name]} does not exist', 'give the path of what is there')
    return given


def results(env: Mapping[str, str]) -> Path:
    """The folder that all results go below."""
    return Path(env.get('O') or PROJECT / 'build').expanduser().resolve()


def jobs(env: Mapping[str, str]) -> int:
    """How many to build with at a time."""
    return _number(env, 'JOBS', len(os.sched_getaffinity(0)))


@dataclass(frozen=True)
class Settings:
    """One run's variables, checked as far as that goes without doing anything."""

    arch: architecture.Arch
    suites: str
    loadable: bool
    ksrc: Path | None
    series: Path | None
    fixes: Path | None
    results: Path
    jobs: int
    timeout: int
    parameters: tuple[str, ...]     # of the suites, as the kernel has them
    cache: Path
    debug: bool = False     # with all the checks that the kernel has
    bench: bool = False     # the benches, in a kernel without debug options
    counting: bool = False  # its clock counts instructions
    selftests: bool = False     # the kernel's own tools/testing/selftests/mm instead of the suites
    variants: tuple[Variant, ...] = ()  # one after the other
    variant: Variant | None = None      # the one of them that this is for

    @property
    def flavour(self) -> str:
        """Which kernel of an architecture it is."""
        if self.selftests:
            return 'selftests'
        return 'loadable' if self.loadable else 'bench' if self.bench else 'debug' if self.debug else ''

    @property
    def kernel(self) -> str:
        """The name of the kernel, which several variants may share."""
        own = self.variant.name if self.variant and self.variant.config else ''
        return '-'.join(filter(None, (self.arch.name, self.flavour, own)))

    @property
    def name(self) -> str:
        """Of what is run, as the user knows it."""
        own = self.variant.name if self.variant and self.variant != variants.VARIANTS[self.arch.name][0] else ''
        return '-'.join(filter(None, (self.arch.name, self.flavour, own)))

    @property
    def sources(self) -> list[str]:
        """What was given of the kernel and its machine, as it is given."""
        given = {'KSRC': self.ksrc, 'SERIES': self.series, 'FIXES': self.fixes}
        default = PROJECT / 'mm/series/fixes' if not self.ksrc else None
        return ([f'VARIANTS={self.variant.name}'] if self.variant else []) + [
            f'{name}={value or ""}' for name, value in given.items() if value != (default if name == 'FIXES' else None)]

    def each(self) -> list[Settings]:
        """For each run that was asked for: one, or one a variant."""
        runs = [replace(self, variant=variant) for variant in self.variants]
        return [replace(run, results=self.results.parent / run.name) for run in runs] or [self]

    def for_bench(self, env: Mapping[str, str]) -> Settings:
        """The same for the benches."""
        if self.loadable or self.debug or self.parameters or self.variants:
            raise Trouble('LOADABLE=, DEBUG=, VARIANTS=, EXHAUSTIVE=, SEED= and ROUNDS= are not for benches',
                          'leave them out')
        clock = env.get('CLOCK') or ('count' if self.arch.emulated else 'native')
        if clock not in ('count', 'native'):
            raise Trouble(f'CLOCK={clock} is no clock', 'give CLOCK=count or CLOCK=native')
        if clock == 'count' and not self.arch.emulated:
            raise Trouble(f'CLOCK=count does not work with ARCH={self.arch.name}',
                          'give CLOCK=native, ARCH=x86_64 or ARCH=arm64')
        return replace(self, suites=self.suites or 'ptebatch_*_bench', results=self.results / 'bench', bench=True,
                       counting=clock == 'count', timeout=_number(env, 'TIMEOUT', 600))

    def for_selftests(self, env: Mapping[str, str]) -> Settings:
        """The same for the kernel's own selftests."""
        if not self.arch.emulated:
            raise Trouble(f'ARCH={self.arch.name} cannot run the selftests', 'give ARCH=x86_64 or ARCH=arm64')
        if self.loadable or self.debug or self.parameters or self.variants or self.suites:
            raise Trouble('LOADABLE=, DEBUG=, VARIANTS=, SUITES=, EXHAUSTIVE=, SEED= and ROUNDS= are not for selftests',
                          'leave them out')
        return replace(self, selftests=True, timeout=_number(env, 'TIMEOUT', 3600))

    @classmethod
    def read(cls, env: Mapping[str, str]) -> Settings:
        """Check the variables in the environment, where the Makefile puts them."""
        chosen = architecture.find(env.get('ARCH') or 'um')
        loadable = env.get('LOADABLE', '') not in ('', '0')
        if loadable and not chosen.emulated:
            raise Trouble(f'LOADABLE=1 does not work with ARCH={chosen.name}', 'give ARCH=x86_64 or ARCH=arm64')
        exhaustive = env.get('EXHAUSTIVE', '') not in ('', '0')
        parameters = ('ptebatch.exhaustive=1',) if exhaustive else ()
        for name, bits in (('SEED', 64), ('ROUNDS', 32)):
            if env.get(name):
                parameters += (f'ptebatch.{name.lower()}={_number(env, name, 0, bits)}',)
        if loadable and parameters:
            raise Trouble('EXHAUSTIVE=, SEED= and ROUNDS= do not work with LOADABLE=1', 'leave either out')
        debug = env.get('DEBUG', '') not in ('', '0')
        if debug and (loadable or not chosen.emulated):
            raise Trouble('DEBUG=1 works neither with ARCH=um nor with LOADABLE=1', 'give ARCH=x86_64 or ARCH=arm64')
        several = variants.chosen(chosen, env.get('VARIANTS', ''))
        if several and (loadable or debug):
            raise Trouble('VARIANTS= works neither with LOADABLE=1 nor with DEBUG=1', 'leave either out')
        cache = Path(env.get('XDG_CACHE_HOME') or Path.home() / '.cache').absolute() / 'ptebatch'
        return cls(
            arch=chosen,
            suites=env.get('SUITES', ''),
            loadable=loadable,
            ksrc=path(env, 'KSRC'),
            series=path(env, 'SERIES'),
            fixes=path(env, 'FIXES'),
            results=results(env) / (chosen.name + ('-loadable' if loadable else '-debug' if debug else '')),
            jobs=jobs(env),
            timeout=_number(env, 'TIMEOUT', 1800 if exhaustive else 600 if debug or loadable else 300),
            parameters=parameters,
            cache=cache,
            debug=debug,
            variants=several,
        )
