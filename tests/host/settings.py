# SPDX-License-Identifier: GPL-2.0
"""The settings of a run, from the variables of the Makefile."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from host import architecture
from host.errors import Trouble
from host.kinds import KINDS, Kind, refuse
from host import lists
from host.shard import Shard
from host import variants
from host.variants import Variant

PROJECT = Path(__file__).resolve().parents[2]
MIN_LIMIT = 10  # seconds
RELEASE = r'\d+\.\d+|rc'     # values of KERNEL=


def _number(env: Mapping[str, str], name: str, default: int, bits: int = 31) -> int:
    text = env.get(name) or str(default)
    if not (text.isascii() and text.isdecimal()) or int(text) == 0:
        raise Trouble(f'{name}={text}: expected a number above 0', f'for example {name}={default or 1}')
    if int(text) >> bits:
        raise Trouble(f'{name}={text}: expected a number below 2**{bits}', f'for example {name}={default or 1}')
    return int(text)


def path(env: Mapping[str, str], name: str) -> Path | None:
    """The file or folder that a variable names; None if the variable is empty."""
    if not env.get(name):
        return None
    found = Path(env[name]).expanduser().resolve()
    if not found.exists():
        raise Trouble(f'{name}={env[name]}: no such file or folder', f'type {name}= with an existing path')
    return found


def results(env: Mapping[str, str]) -> Path:
    """The folder that contains the results of all runs; each part of SHARD= has its own."""
    return Path(env.get('O') or PROJECT / 'build').expanduser().resolve().joinpath(*Shard.read(env).name)


def jobs(env: Mapping[str, str]) -> int:
    """The number of jobs of a build."""
    return _number(env, 'JOBS', len(os.sched_getaffinity(0)))


def given(env: Mapping[str, str]) -> frozenset[str]:
    """The names of the variables that are set."""
    return frozenset(name for name in lists.VARIABLES if env.get(name, '') not in ('', '0'))


def sample(env: Mapping[str, str]) -> tuple[int, int]:
    """The size of a sample, 0 without SAMPLE=, and the seed that draws it."""
    return _number(env, 'SAMPLE', 0) if env.get('SAMPLE') else 0, _number(env, 'SEED', 1, 64)


def rounds(env: Mapping[str, str]) -> int:
    """ROUNDS=, the number of random rows; 0: their default."""
    return _number(env, 'ROUNDS', 0, 32) if env.get('ROUNDS') else 0


@dataclass(frozen=True)
class Settings:
    """The variables of one run, checked before the run begins."""

    arch: architecture.Arch
    suites: str
    kind: Kind
    given: frozenset[str]   # the variables that are set
    ksrc: Path | None
    series: Path | None
    fixes: Path | None
    results: Path
    jobs: int
    timeout: int
    parameters: tuple[str, ...]     # of the suites, on the kernel command line
    cache: Path
    strict: bool = False    # failures count that belong to bugs for which there are fixes
    counting: bool = False  # the clock counts instructions
    coverage: tuple[Path, ...] = ()     # kernel sources, whose lines the kernel counts how often they run
    variants: tuple[Variant, ...] = ()  # to run one after the other, see each()
    variant: Variant | None = None      # the variant of this run
    config: tuple[str, ...] = ()    # options of the kernel's configuration, besides those of the kind
    release: str = ''       # version of Debian's kernel, or rc; empty: the newest supported one
    tree: str = ''          # the name of a tree for several series, one after the other; empty: a tree for each series
    shard: Shard = Shard()  # which part of the cases, mutants or patches

    @property
    def kernel(self) -> str:
        """The name of the kernel; variants may share a kernel."""
        variant = self.variant.name if self.variant and self.variant.config else ''
        config = hashlib.sha256('\0'.join(self.config).encode()).hexdigest()[:8] if self.config else ''
        return '-'.join(filter(None, (self.arch.name, self.kind.kernel, variant, config)))

    @property
    def name(self) -> str:
        """The name of the run on the console and in the results."""
        variant = self.variant.name if self.variant and self.variant != variants.VARIANTS[self.arch.name][0] else ''
        return '-'.join(filter(None, (self.arch.name, self.kind.kernel, variant)))

    @property
    def long(self) -> bool:
        """Whether an option makes cases take longer. Without, each takes less than 2 s."""
        return any('.seed=' not in parameter for parameter in self.parameters)

    @property
    def limit(self) -> int:
        """The seconds within which a case must end."""
        return self.timeout if self.kind.bench or self.coverage or self.long else max(MIN_LIMIT, self.timeout // 10)

    @property
    def sources(self) -> list[str]:
        """The variables that select kernel and CPU, as the user types them; without those that have their default."""
        paths = {'KSRC': self.ksrc, 'SERIES': self.series, 'FIXES': self.fixes}
        default = PROJECT / 'mm/series/fixes' if not self.ksrc and not self.release else None
        config = [f"KCONFIG_ADD='{' '.join(self.config)}'"] if self.config else []
        kind = [self.kind.typed] if self.kind.typed else []
        kind += [f'KERNEL={self.release}'] if self.release else []
        return config + kind + ([f'VARIANTS={self.variant.name}'] if self.variant else []) + [
            f'{name}={value or ""}' for name, value in paths.items() if value != (default if name == 'FIXES' else None)]

    def each(self) -> list[Settings]:
        """The settings of each run: one run per variant, or a single run without variants."""
        runs = [replace(self, variant=variant) for variant in self.variants]
        return [replace(run, results=self.results.parent / run.name) for run in runs] or [self]

    def of_kind(self, name: str, env: Mapping[str, str] = MappingProxyType({})) -> Settings:
        """The settings for another kind of run; Trouble if a variable does not apply to it."""
        kind = KINDS[name]
        for names in kind.refuses:
            refuse(self.given, names, kind.name)
        return replace(self, kind=kind, timeout=_number(env, 'TIMEOUT', kind.timeout) if kind.timeout else self.timeout)

    def for_bench(self, env: Mapping[str, str]) -> Settings:
        """The settings for the benches."""
        settings = self.of_kind('bench', env)
        if self.arch.suites_only:
            raise Trouble(f'ARCH={self.arch.name}: the benches are not supported', 'type ARCH=um, ARCH=x86_64 or ARCH=arm64')
        clock = env.get('CLOCK') or ('count' if self.arch.complete else 'native')
        if clock not in ('count', 'native'):
            raise Trouble(f'CLOCK={clock}: unknown clock', 'type CLOCK=count or CLOCK=native')
        if clock == 'count' and not self.arch.complete:
            raise Trouble(f'CLOCK=count: not supported with ARCH={self.arch.name}',
                          'type CLOCK=native, ARCH=x86_64 or ARCH=arm64')
        return replace(settings, suites=self.suites or 'ptebatch_*_bench', results=self.results / 'bench',
                       counting=clock == 'count')

    def for_coverage(self, sources: Sequence[Path]) -> Settings:
        """The settings for make coverage of these kernel sources."""
        if self.arch.name == 'arm64':
            raise Trouble('ARCH=arm64: not supported by make coverage', 'type ARCH=um or ARCH=x86_64')
        return replace(self.of_kind('coverage'), results=self.results / 'coverage', coverage=tuple(sources))

    def for_mutation(self, *words: str) -> Settings:
        """The settings for make mutation, which divides mutants, not cases."""
        name = '-'.join(['mutation', *words])
        return replace(self.of_kind('mutation'), results=self.results / name, tree='-'.join([name, *self.shard.name]),
                       parameters=())

    def with_benches(self) -> Settings:
        """The settings for mutants under the counting clock."""
        if not self.arch.complete:
            raise Trouble(f'BENCH=1: not supported with ARCH={self.arch.name}', 'type ARCH=x86_64 or ARCH=arm64')
        return replace(self.of_kind('mutation-bench'), counting=True)

    def for_selftests(self, env: Mapping[str, str]) -> Settings:
        """The settings for the kernel's own selftests."""
        if not self.arch.complete:
            raise Trouble(f'ARCH={self.arch.name}: the selftests are not supported', 'type ARCH=x86_64 or ARCH=arm64')
        return self.of_kind('selftests', env)

    @classmethod
    def read(cls, env: Mapping[str, str]) -> Settings:
        """Read and check the variables in the environment, where the Makefile puts them."""
        arch = architecture.find(env.get('ARCH') or 'um')
        # The kernel would take the first word only.
        if len(env.get('SUITES', '').split()) > 1:
            raise Trouble(f'SUITES={env["SUITES"]}: expected one pattern', 'type for example SUITES=ptebatch_m*')
        loadable = env.get('LOADABLE', '') not in ('', '0')
        if loadable and not arch.complete:
            raise Trouble(f'LOADABLE=1: not supported with ARCH={arch.name}', 'type ARCH=x86_64 or ARCH=arm64')
        exhaustive = env.get('EXHAUSTIVE', '') not in ('', '0')
        parameters = ('ptebatch_kunit.exhaustive=1',) if exhaustive else ()
        for name, bits in (('SEED', 64), ('ROUNDS', 32)):
            if env.get(name):
                parameters += (f'ptebatch_kunit.{name.lower()}={_number(env, name, 0, bits)}',)
        shard = Shard.read(env)
        if loadable and (parameters or shard.name):
            raise Trouble('EXHAUSTIVE=, SEED=, ROUNDS= and SHARD=: not supported with LOADABLE=1', 'leave LOADABLE= or the others out')
        kcsan = env.get('DEBUG', '') == 'kcsan'
        debug = env.get('DEBUG', '') not in ('', '0', 'kcsan')
        if kcsan and (loadable or arch.name != 'x86_64'):
            raise Trouble(f'DEBUG=kcsan: not supported with ARCH={arch.name}{" and LOADABLE=1" if loadable else ""}',
                          'type ARCH=x86_64, and no LOADABLE=')
        if debug and (loadable or not arch.complete):
            raise Trouble(f'DEBUG=1: not supported with {"LOADABLE=1" if loadable else f"ARCH={arch.name}"}', 'type ARCH=x86_64 or ARCH=arm64, and no LOADABLE=')
        config = tuple(env.get('KCONFIG_ADD', '').split())
        for option in config:
            if not re.fullmatch(r'CONFIG_\w+=\S+', option):
                raise Trouble(f'KCONFIG_ADD={option}: expected options of the configuration',
                              'type for example KCONFIG_ADD="CONFIG_XEN=y CONFIG_SWAP=n"')
        selected = variants.chosen(arch, env.get('VARIANTS', ''))
        if selected and (loadable or debug):
            raise Trouble('VARIANTS=: not supported with LOADABLE=1 or DEBUG=1', 'leave VARIANTS= or the others out')
        release = env.get('KERNEL', '')
        if release and env.get('KSRC'):
            raise Trouble('KERNEL= and KSRC=: one kernel expected', 'leave one of them out')
        if release and not re.fullmatch(RELEASE, release):
            raise Trouble(f'KERNEL={release}: expected a version', 'type for example KERNEL=7.2 or KERNEL=rc')
        kind = KINDS['loadable' if loadable else 'debug' if debug else 'kcsan' if kcsan else 'built in']
        cache = Path(env.get('XDG_CACHE_HOME') or Path.home() / '.cache').absolute() / 'ptebatch'
        return cls(
            arch=arch,
            suites=env.get('SUITES', ''),
            kind=kind,
            given=given(env),
            ksrc=path(env, 'KSRC'),
            series=path(env, 'SERIES'),
            fixes=path(env, 'FIXES'),
            results=results(env) / '-'.join(filter(None, (arch.name, kind.kernel))),
            jobs=jobs(env),
            timeout=_number(env, 'TIMEOUT', 1800 if exhaustive else kind.timeout),
            parameters=parameters,
            cache=cache,
            strict=env.get('STRICT', '') not in ('', '0'),
            variants=selected,
            config=config,
            release=release,
            tree='-'.join(shard.name),
            shard=shard,
        )
