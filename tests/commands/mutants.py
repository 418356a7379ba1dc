# SPDX-License-Identifier: GPL-2.0
"""`make mutants`: apply each known bug, or those in the folders that SUITES= matches, and print the cases of these suites that catch it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from commands import run
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host.settings import PROJECT, Settings, results
from host.shard import Shard
from host import tools
from results.report import failures

MUTANTS = PROJECT / 'tests/mutants'   # one folder per suite that catches them
SHOWN = 3
ROW = '| {:<40} | {:<6} | {} |'


def _key(mutant: Path, name: str) -> str:
    """The first word of a line like "# arch: um x86_64" above the diff; empty if there is none."""
    match = re.search(rf'^# {name}: (\S+)', mutant.read_text(errors='replace'), re.MULTILINE)
    return match[1] if match else ''


def _arch(mutant: Path) -> str:
    if arch := _key(mutant, 'arch'):
        return arch
    raise Trouble(f'{mutant}: the line "# arch:" is missing', 'add it above the diff, for example "# arch: um x86_64"')


def _series(mutant: Path, folder: Path) -> Path:
    """The mutant; with a line "# series: mm/series/unmap", a folder with that series and the mutant on top."""
    series = _key(mutant, 'series')
    if not series:
        return mutant
    patches = folder / 'series'
    shutil.rmtree(patches, ignore_errors=True)
    shutil.copytree(PROJECT / series, patches)
    shutil.copy(mutant, patches / f'9999-{mutant.name}')
    return patches


def _shown(names: list[str]) -> str:
    return f'{len(names)}: ' + '; '.join(names[:SHOWN]) + ('; …' if len(names) > SHOWN else '')


def _run(settings: Settings, tree: str, log: Path) -> int:
    """The exit status of one run in the one tree of all mutants: only what differs from the last one is rebuilt."""
    with log.open('w') as output, redirect_stdout(output):
        try:
            return run.run(replace(settings, tree=tree), Console())
        except Trouble as trouble:
            print(f'{trouble.details}\n{trouble}')
            return exit_status.COULD_NOT_RUN


def _settings(variables: Mapping[str, str]) -> Settings:
    """The settings of a run; a mutant names at most one variant."""
    return Settings.read(variables).each()[0]


def _try(mutant: Path, folder: Path, tree: str, env: Mapping[str, str]) -> tuple[bool, str]:
    """Whether the suites of the mutant's folder, or its benches, catch it, and the names of the cases that do."""
    # Of a slow mutant, the table of the benches that the key names must show it; a case that limits the cost may fail, too.
    arch, slower = _arch(mutant), _key(mutant, 'slower')
    folder.mkdir(parents=True, exist_ok=True)
    given = {name: env.get(name, '') for name in ('FIXES', 'KSRC', 'JOBS', 'INSTALL', 'XDG_CACHE_HOME')}
    variables = given | {'DEBUG': _key(mutant, 'debug'), 'ARCH': arch, 'SERIES': str(_series(mutant, folder)), 'O': str(folder)}
    if slower:
        status = tools.logged(tools.program('compare'), folder / 'output', SELFTESTS='0', **variables)
    else:
        settings = _settings(variables | {'SUITES': f'ptebatch_{mutant.parent.name}*', 'VARIANTS': _key(mutant, 'variant')})
        status = _run(settings, tree, folder / 'output')
    output = (folder / 'output').read_text(errors='replace')
    if status == exit_status.PASSED:
        return False, 'NOT CAUGHT'
    if status not in ((exit_status.SLOWER, exit_status.FAILED) if slower else (exit_status.FAILED,)):
        return False, f'DID NOT RUN: {output.splitlines()[-1]}'
    if not slower:
        return True, _shown(failures(settings.results / 'results.junit.xml'))
    names = re.findall(rf'^\[SLOWER\] ({slower} [^:]*)', output, re.MULTILINE)
    return bool(names), _shown(names) if names else f'NOT CAUGHT as {slower}'


def main(env: Mapping[str, str]) -> int:
    """Run the mutants and print them as a table; all must be caught."""
    suites = env.get('SUITES') or '*'
    mutants = sorted(path for path in MUTANTS.rglob('*.patch') if fnmatch(f'ptebatch_{path.parent.name}', suites))
    if not mutants:
        raise Trouble(f'SUITES={suites} matches no folder of tests/mutants',
                      f'type SUITES= and one of {", ".join(sorted(f"ptebatch_{path.name}" for path in MUTANTS.iterdir() if path.is_dir()))}')
    part = Shard.read(env)
    tree = '-'.join(['mutants', *part.name])
    lock.claim(results(env) / tree)
    caught = []
    print(ROW.format('mutant', 'arch', 'caught by'))
    print(ROW.format('---', '---', '---'))
    for mutant in part.of(mutants):
        name = str(mutant.relative_to(MUTANTS).with_suffix(''))
        good, by = _try(mutant, results(env) / 'mutants' / name, tree, env)
        caught.append(good)
        print(ROW.format(name, _arch(mutant), by), flush=True)
    print(f'{sum(caught)} of {len(caught)} caught')
    return exit_status.PASSED if all(caught) else exit_status.FAILED
