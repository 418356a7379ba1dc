# SPDX-License-Identifier: GPL-2.0
"""`make known`: leave out one fix after the other, and record the cases that fail without it in tests/recorded/known."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from commands import compare
from commands import run
from guests.guest import Guest
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host.settings import Settings, results
from results import known
from results.report import FAIL, PASS, Case, Verdicts, verdicts
from trees import fixes
from trees.fixes import Fix

# A crash has no name by which a later run could recognize it.
CRASH = 'a crash'


def _verdicts(settings: Settings, folder: Path, left_out: Sequence[str]) -> Verdicts:
    """The verdicts of a kernel with all fixes but some."""
    name = '-'.join(left_out) if len(left_out) == 1 else 'bare' if left_out else 'all'
    patches = folder / 'fixes'
    shutil.rmtree(patches, ignore_errors=True)
    patches.mkdir(parents=True)
    for fix in fixes.known():
        if fix.number not in left_out:
            shutil.copy(fixes.FOLDER / fix.patch.name, patches)
    # One tree for all kernels: only what a fix changes is built.
    single = replace(settings, fixes=patches if any(patches.iterdir()) else None, results=folder / name, tree='known')
    log = folder / f'{name}.log'
    status = run.logged(single, log)
    if status not in (exit_status.PASSED, exit_status.FAILED):
        raise Trouble(f'{settings.arch.name} without {name}: {log.read_text(errors="replace").splitlines()[-1]}', f'see {log}')
    return verdicts(single.results / 'results.json')


def _is_built(fix: Fix, settings: Settings) -> bool:
    """Whether the kernel of an architecture contains what a fix changes; a header counts unless it is of another one."""
    tree, _ = run.trees(replace(settings, tree='known'), Console())
    build = Guest(settings, tree.path).build_path
    other = tuple(f'arch/{name}/' for name in ('arm64', 'um', 'x86') if not settings.arch.name.startswith(name))
    return any((build / name).with_suffix('.o').exists() if name.endswith('.c') else not name.startswith(other)
               for name in fix.patch.touched)


def repaired(good: Verdicts, without: Verdicts) -> list[Case]:
    """The cases that pass with all fixes, and fail without some."""
    return sorted(case for case, verdict in without.items()
                  if verdict == FAIL and case[-1] != CRASH and good.get(case) == PASS)


def record(settings: Settings, folder: Path, wanted: Sequence[Fix]) -> Mapping[str, Sequence[Case]]:
    """For each fix, the cases that it repairs on an architecture."""
    good = _verdicts(settings, folder, [])
    bad = [case for case, verdict in good.items() if verdict == FAIL]
    if bad:
        raise Trouble(f'{settings.arch.name}: {": ".join(bad[0])} fails with all fixes', 'see make run')
    found: dict[str, Sequence[Case]] = {}
    for fix in wanted:
        built = _is_built(fix, settings)
        found[fix.number] = repaired(good, _verdicts(settings, folder, [fix.number])) if built else []
        print(f'{settings.arch.name:<9} {fix.number}: {len(found[fix.number])} cases, {fix.title}', flush=True)
    alone = {case for cases in found.values() for case in cases}
    needed = fixes.NEEDED.get(settings.arch.name)
    bare = _verdicts(settings, folder, [fix.number for fix in wanted if fix.number != needed])
    found[known.SEVERAL] = [case for case in repaired(good, bare) if case not in alone]
    print(f'{settings.arch.name:<9} {known.SEVERAL}: {len(found[known.SEVERAL])} cases', flush=True)
    return found


def main(env: Mapping[str, str]) -> int:
    """Run `make known`."""
    if any(env.get(name) for name in ('KSRC', 'SERIES', 'SUITES', 'VARIANTS')):
        raise Trouble('KSRC=, SERIES=, SUITES= and VARIANTS= do not apply to make known', 'leave them out')
    folder = results(env) / 'known'
    lock.claim(folder)
    wanted = compare.each_arch({**env, 'ARCH': env.get('ARCH') or 'um x86_64 arm64', 'STRICT': '1'})
    for settings in wanted:
        known.save(settings.arch.name, record(settings, folder / settings.arch.name, fixes.known()))
    return exit_status.PASSED
