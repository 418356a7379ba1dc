# SPDX-License-Identifier: GPL-2.0
"""`make mutants`: add each known bug, or those in the folders that SUITES= matches, and print the cases of these suites that catch it.

With a case in SUITES=, only by that one. ROUNDS= is the number of random rows.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from commands import run
from guests.guest import Guest
from host import architecture
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host import packages
from host.settings import PROJECT, Settings, results, rounds
from host.shard import Shard
from host import tools
from host import variants
from host import wheels
from mutation import catalog
from mutation import guest as guests
from mutation.kernel import Kernel, reader
from mutation.record import CAUGHT, KILLED, Record, Verdict
from mutation.weave import Copy
from results.report import failures
from results import rows as files
from results.rows import Row
from trees import series
from trees.shadow import Shadow

MUTANTS = PROJECT / 'tests/mutants'   # one folder per suite that catches them
SHOWN = 3
ROW = '| {:<40} | {:<6} | {} |'
FILE = 'mutants.json'   # in the folder of results
HEADER = '\n'.join([ROW.format('mutant', 'arch', 'caught by'), ROW.format('---', '---', '---')])


def key(mutant: Path, name: str) -> str:
    """The first word of a line like "# arch: um x86_64" above the diff; empty if there is none."""
    match = re.search(rf'^# {name}: (\S+)', mutant.read_text(errors='replace'), re.MULTILINE)
    return match[1] if match else ''


def title(mutant: Path) -> str:
    """The folder and the name of a mutant."""
    return str(mutant.relative_to(MUTANTS).with_suffix(''))


def _arches(mutant: Path) -> list[str]:
    """The architectures whose suites catch the mutant."""
    if match := re.search(r'^# arch: (.+)', mutant.read_text(errors='replace'), re.MULTILINE):
        return match[1].split()
    raise Trouble(f'{mutant}: the line "# arch:" is missing', 'add it above the diff, for example "# arch: um x86_64"')


def _arch(mutant: Path, wanted: str = '') -> str:
    return wanted or _arches(mutant)[0]


def _is_for(mutant: Path, arch: str) -> bool:
    """Of an architecture that no line names, those that are caught on all others that QEMU runs."""
    named = _arches(mutant)
    everywhere = all(name in named for name, each in architecture.ARCHES.items() if each.complete)
    return arch in named or everywhere and architecture.find(arch).suites_only and not _alone(mutant)


def _series(mutant: Path, folder: Path) -> Path:
    """The mutant; with a line "# series: mm/series/unmap", a folder with that series and the mutant on top."""
    series = key(mutant, 'series')
    if not series:
        return mutant
    patches = folder / 'series'
    shutil.rmtree(patches, ignore_errors=True)
    shutil.copytree(PROJECT / series, patches)
    shutil.copy(mutant, patches / f'9999-{mutant.name}')
    return patches


def _shown(names: Sequence[str]) -> str:
    return f'{len(names)}: ' + '; '.join(names[:SHOWN]) + ('; …' if len(names) > SHOWN else '')


def _settings(variables: Mapping[str, str]) -> Settings:
    """The settings of a run; a mutant names at most one variant."""
    return Settings.read(variables).each()[0]


def _try(mutant: Path, folder: Path, tree: str, env: Mapping[str, str]) -> tuple[bool, str]:
    """Whether the suites of the mutant's folder, or its benches, catch it, and the names of the cases that do."""
    # Of a slow mutant, the table of the benches that the key names must show it; a case that limits the cost may fail, too.
    arch, slower, event = _arch(mutant, env['ARCH']), key(mutant, 'slower'), key(mutant, 'event')
    folder.mkdir(parents=True, exist_ok=True)
    variables = {**env, 'ARCH': arch, 'SERIES': str(_series(mutant, folder)), 'O': str(folder),
                 'SUITES': key(mutant, 'suites') or _pattern(mutant, env['SUITES'])}
    if slower:
        status = tools.logged(tools.program('compare'), folder / 'output', SELFTESTS='0', **variables)
    else:
        settings = _settings(variables | {'VARIANTS': key(mutant, 'variant'), 'DEBUG': key(mutant, 'debug')})
        # One tree for all mutants: only what differs from the last one is built.
        status = run.logged(replace(settings, tree=tree), folder / 'output')
    output = (folder / 'output').read_text(errors='replace')
    if status == exit_status.PASSED:
        return False, 'NOT CAUGHT'
    if status not in ((exit_status.SLOWER, exit_status.FAILED) if slower else (exit_status.FAILED,)):
        return False, f'DID NOT RUN: {output.splitlines()[-1]}'
    if not slower:
        return True, _shown(failures(settings.results / 'results.junit.xml'))
    # A figure, or an event of a figure: "mprotect ro-rw, order 9, barriers a page".
    names = re.findall(rf'^\[SLOWER\] ({slower} [^:]*{f", {event} a " if event else ""}[^:]*)', output, re.MULTILINE)
    return bool(names), _shown(names) if names else f'NOT CAUGHT as {" ".join((slower, event))}'


def _alone(mutant: Path) -> bool:
    """The mutant needs a kernel of its own."""
    return any(key(mutant, name) for name in ('slower', 'alone', 'debug'))


def _pattern(mutant: Path, suites: str) -> str:
    """The cases that are to catch the mutant: all of its suites, or those that SUITES= names."""
    return f'ptebatch_{mutant.parent.name}*{"".join(suites.partition(".")[1:])}'


def _copies(mutants: Sequence[Path], tree: Shadow, read: catalog.Read, console: Console) -> Iterator[Copy]:
    """The functions that each mutant changes, numbered from 1 in the order of the mutants."""
    with console.step('patches') as step:
        before = tree.contents()
        for number, mutant in enumerate(mutants, 1):
            after = series.apply(series.read(mutant), tree.origin, before)
            changed = {name: content.decode() for name, content in after.items() if content and content.decode() != read(name)}
            yield from catalog.of_patch(number, changed, read)
            step.note = f'{number} of {len(mutants)}'
            step.progress()


def together(mutants: Sequence[Path], arch: str, on_top_of: str, tree: str, env: Mapping[str, str], console: Console
             ) -> tuple[Settings, Shadow, Shadow, list[Copy]]:
    """The settings and trees of a kernel with all of these mutants that only change functions, and its copies of functions."""
    # SUITES= chooses among the cases of the kernel later.
    settings = Settings.read({**env, 'ARCH': arch, 'SUITES': '', 'SERIES': str(PROJECT / on_top_of) if on_top_of else ''}).for_mutation()
    settings = replace(settings, results=results(env) / tree / arch, tree=tree)
    packages.ensure(packages.for_run(settings.arch, False), console)
    wheels.ensure(settings.cache, console)
    shadow, base = run.trees(settings, console)
    return settings, shadow, base, [*_copies(mutants, shadow, reader(shadow), console)]


def twice(judged: Callable[[int], tuple[Path, bool, str]], numbers: Sequence[int], jobs: int) -> Iterator[tuple[Path, bool, str]]:
    """Judge mutants side by side, and those that are not caught once more, one at a time.

    A mutant that two CPUs must show at once may survive beside another guest.
    """
    missed: list[int] = []
    with ThreadPoolExecutor(jobs) as pool:
        for number, row in zip(numbers, pool.map(judged, numbers)):
            if row[1]:
                yield row
            else:
                missed.append(number)
    yield from map(judged, missed)


def _in_one_kernel(mutants: Sequence[Path], arch: str, on_top_of: str, tree: str, env: Mapping[str, str]
                   ) -> Iterator[tuple[Path, bool, str]]:
    """Those mutants that only change functions, tried in one kernel that has all of them; see _try()."""
    console = Console()
    settings, shadow, base, copies = together(mutants, arch, on_top_of, tree, env, console)
    patterns = [_pattern(mutant, env['SUITES']) for mutant in mutants]
    kernel = Kernel(shadow, reader(shadow), copies, Guest(settings, shadow.path).build_path)
    with run.prepared(settings, shadow, base, console, f'.kunit-{arch}') as built:
        kernel.build(built, console)
        good = {copy.number for copy in kernel.copies} - kernel.broken
        for name in sorted({key(mutant, 'variant') for mutant in mutants}):
            guest = Guest(replace(settings, variant=next(iter(variants.chosen(settings.arch, name)), None)), shadow.path)
            guest.choose_accelerator(console)
            tried = [number for number in sorted(good) if key(mutants[number - 1], 'variant') == name]
            with console.step('cases', f'without mutants {name}'):
                cases, command = guests.explore(guest, lambda case: any(fnmatch(case, patterns[number - 1]) for number in tried),
                                                guests.without(env), rounds(env), rows=True)

            def judged(number: int) -> tuple[Path, bool, str]:
                mutant = mutants[number - 1]
                own = [case for case in cases if fnmatch(case.name, patterns[number - 1])]
                if not own:
                    return mutant, False, f'NO CASE with ARCH={arch}'
                ended = guests.judge(command, number, own)
                by = _shown(ended.rows) if ended.rows else f'{ended.by} {ended.verdict}'
                return mutant, ended.verdict in CAUGHT, by if ended.verdict in CAUGHT else 'NOT CAUGHT'

            yield from twice(judged, tried, settings.jobs)


def chosen(env: Mapping[str, str]) -> list[Path]:
    """The mutants in the folders of SUITES=."""
    suites, _, cases = env.get('SUITES', '').partition('.')
    suites = suites or '*'
    # A case does not show that a kernel is slower.
    mutants = sorted(path for path in MUTANTS.rglob('*.patch')
                     if fnmatch(f'ptebatch_{path.parent.name}', suites) and not (cases and key(path, 'slower')))
    if not mutants:
        raise Trouble(f'SUITES={suites} matches no folder of tests/mutants',
                      f'type SUITES= and one of {", ".join(sorted(f"ptebatch_{path.name}" for path in MUTANTS.iterdir() if path.is_dir()))}')
    return mutants


def passed_on(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that apply to the kernels of mutants."""
    names = ('ARCH', 'FIXES', 'KSRC', 'JOBS', 'WITHOUT', 'SUITES', 'ROUNDS', 'INSTALL', 'XDG_CACHE_HOME')
    return {name: env.get(name, '') for name in names} | {'O': str(results(env))}


def kernels(mutants: Sequence[Path], wanted: str = '') -> dict[tuple[str, str], list[Path]]:
    """Those that may share a kernel, by its architecture, the wanted one or each mutant's own, and the series that it has."""
    found: dict[tuple[str, str], list[Path]] = {}
    for mutant in mutants:
        if not _alone(mutant):
            found.setdefault((_arch(mutant, wanted), key(mutant, 'series')), []).append(mutant)
    return dict(sorted(found.items()))


def table(rows: Sequence[Row]) -> str:
    """The rows as a table."""
    return '\n'.join([HEADER, *(ROW.format(*row.cells) for row in rows)])


def report(rows: Sequence[Row], folder: Path) -> int:
    """Save the rows and print how many are caught; return the exit status."""
    files.save(folder / FILE, rows)
    caught = [row for row in rows if row.good]
    print(f'{len(caught)} of {len(rows)} caught')
    return exit_status.PASSED if len(caught) == len(rows) else exit_status.FAILED


def _identity(env: Mapping[str, str]) -> str:
    """What decides whether a mutant is caught, but for the mutant: the suites, the kernel, its guest and the fixes."""
    # A tree of one's own may change between two runs.
    parts = [env.get('WITHOUT', ''), env.get('SUITES', '').partition('.')[2], env.get('ROUNDS', ''), str(time.time_ns()) if env.get('KSRC') else '']
    # A folder, an mbox or a patch.
    parts += [series.digest(series.read(Path(env['FIXES'])))] if env.get('FIXES') else []
    files_of = [path for name in ('lib', 'mm', 'tests/guests') for path in sorted((PROJECT / name).rglob('*'))
                if path.suffix not in ('.md', '.pyc')]
    for path in [PROJECT / 'kunitconfig', PROJECT / 'tests/trees/source.py', *files_of]:
        parts += [str(path), path.read_text(errors='replace') if path.is_file() else '']
    return hashlib.sha256('\0'.join([*parts, str('FIXES' in env)]).encode()).hexdigest()[:16]


def _digest(mutant: Path, arch: str) -> str:
    """The key of a mutant in the record."""
    return f'{title(mutant)} {arch} {hashlib.sha256(mutant.read_bytes()).hexdigest()[:16]}'


def main(env: Mapping[str, str]) -> int:
    """Run the mutants and print them as a table; all must be caught. Those that an interrupted run caught are not run again."""
    wanted, without = env.get('ARCH', ''), guests.without(env)
    # A mutant with a kernel of its own runs all checks.
    mutants = [mutant for mutant in chosen(env) if not (without and _alone(mutant))]
    mutants = [mutant for mutant in mutants if not wanted or _is_for(mutant, wanted)]
    part = Shard.read(env)
    tree = '-'.join(['mutants', *part.name])
    lock.claim(results(env) / 'mutants')
    kept = Record(results(env) / 'mutants/verdicts.jsonl', _identity(env))
    left = [*part.of(mutants)]
    rows: list[Row] = []

    def say(mutant: Path, good: bool, by: str) -> None:
        left.remove(mutant)
        arch = _arch(mutant, wanted)
        if good and (name := _digest(mutant, arch)) not in kept.verdicts:
            kept.add(Verdict(name, '', 0, KILLED, by))
        rows.append(Row(mutants.index(mutant), [title(mutant), arch, by], good))
        print(ROW.format(*rows[-1].cells), flush=True)

    print(HEADER)
    for mutant in [*left]:
        if found := kept.verdicts.get(_digest(mutant, _arch(mutant, wanted))):
            say(mutant, True, found.by)
    for arch in sorted({_arch(mutant, wanted) for mutant in left}):
        packages.ensure(packages.for_run(architecture.find(arch), False), Console())
    for (arch, on_top_of), several in kernels(left, wanted).items():
        for outcome in _in_one_kernel(several, arch, on_top_of, tree, passed_on(env)):
            say(*outcome)
    for mutant in [*left]:
        say(mutant, *_try(mutant, results(env) / 'mutants' / title(mutant), tree, passed_on(env)))
    return report(rows, results(env) / (without and f'without-{without}'))
