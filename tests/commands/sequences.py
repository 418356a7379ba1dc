# SPDX-License-Identifier: GPL-2.0
"""`make sequences`: random programs of ptebatch_sequences, a boot for each thousand, until one fails; goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from commands import compare
from commands import run
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host.settings import Settings

CASE = 'ptebatch_sequences.sequences_random'
PROGRAMS = 1000     # of a boot
ROUNDS = 20000
REFUSED = ('SUITES', 'LOADABLE', 'EXHAUSTIVE', 'SHARD', 'VARIANTS')
LINES = 40          # of a failure


def _wanted(env: Mapping[str, str], arch: str) -> dict[str, str]:
    """What distinguishes this command from others whose progress may be in the same folder."""
    return {'arch': arch, 'seed': env.get('SEED') or '1',
            **{name: env.get(name, '') for name in ('ROUNDS', 'KSRC', 'KERNEL', 'SERIES', 'FIXES', 'DEBUG', 'KCONFIG_ADD')}}


def _done(progress: Path, wanted: Mapping[str, str]) -> int:
    """The number of programs that passed before the command was stopped."""
    try:
        saved = json.loads(progress.read_text())
    except (FileNotFoundError, ValueError):
        return 0
    return int(saved['done']) if saved['of'] == wanted else 0


def _failure(log: str) -> list[str]:
    """The lines of a log from the first failure on."""
    lines = log.splitlines()
    first = next((at for at, line in enumerate(lines) if 'FAILED' in line or ' warned: ' in line), 0)
    return lines[first:first + LINES]


def run_programs(env: Mapping[str, str], settings: Settings) -> int:
    """The exit status of all programs on one architecture."""
    console = Console()
    first, rounds = int(env.get('SEED') or 1), int(env.get('ROUNDS') or ROUNDS)
    folder = settings.results / 'sequences'
    lock.claim(folder)
    progress, log = folder / 'progress.json', folder / 'run.log'
    wanted = _wanted(env, settings.arch.name)
    done = _done(progress, wanted)
    if done:
        console.say(f'goes on  {settings.name}: {done:,} of {rounds:,} programs have passed')
    while done < rounds:
        number = min(PROGRAMS, rounds - done)
        part = Settings.read({**env, 'ARCH': settings.arch.name, 'SUITES': CASE, 'SEED': str(first + done), 'ROUNDS': str(number)})
        status = run.logged(replace(part, results=folder / 'run'), log)
        if status == exit_status.COULD_NOT_RUN:
            raise Trouble(log.read_text(errors='replace').rstrip().splitlines()[-1], f'see {log}')
        if status:
            for line in _failure(log.read_text(errors='replace')):
                console.say(line)
            console.say(f'FAILED    {settings.name}: a program after {done:,} that have passed; see {folder / "run"}')
            return exit_status.FAILED
        done += number
        progress.parent.mkdir(parents=True, exist_ok=True)
        progress.write_text(json.dumps({'of': wanted, 'done': done}))
        console.say(f'programs  {settings.name}: {done:,} of {rounds:,} have passed; {console.seconds():.0f} s')
    progress.unlink(missing_ok=True)
    console.say(f'passed    {settings.name}: {rounds:,} programs, SEED={first}')
    return exit_status.PASSED


def main(env: Mapping[str, str]) -> int:
    """Run `make sequences`."""
    if given := [name for name in REFUSED if env.get(name)]:
        raise Trouble(f'{given[0]}= does not apply to make sequences', f'leave {given[0]}= out')
    wanted = compare.each_arch({**env, 'ARCH': env.get('ARCH') or 'x86_64'})
    return max(run_programs(env, settings) for settings in wanted)
