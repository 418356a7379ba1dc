# SPDX-License-Identifier: GPL-2.0
"""Which parts of a command SHARD= completed, in a file beside their results, and from which commit."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from host.errors import Trouble
from host import lists
from host.settings import PROJECT, path, results
from host.shard import Shard
from trees import series
from trees import source

COMMANDS = ('run', 'bisect', 'mutants', 'mutation')
NAME = 'shard.json'
# Variables that do not change results, or only where they are.
OTHERS = ('O', 'SHARD', 'JOBS', 'INSTALL', 'TIMEOUT', 'FROM')


@dataclass(frozen=True)
class Part:
    """A part of a command that ended."""

    command: str
    variables: Mapping[str, str]    # those that are set
    number: int
    total: int
    commit: str     # of the project

    @property
    def typed(self) -> str:
        """The command, without SHARD=."""
        return ' '.join([f'make {self.command}', *(f'{name}={value}' for name, value in self.variables.items())])


def _commit() -> str:
    """The commit of the project; if there are changes, or it is no checkout, a digest of its files."""
    if commit := source.commit(PROJECT):
        return commit
    digest = hashlib.sha256()
    for folder in ('lib', 'mm', 'tests'):
        for file in sorted((PROJECT / folder).rglob('*')):
            if file.is_file() and '__pycache__' not in file.parts:
                digest.update(f'{file.relative_to(PROJECT)}\0'.encode() + file.read_bytes())
    return f'changed files {digest.hexdigest()[:12]}'


def _variables(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that are set; a series by its content, which may lie in another folder on each machine."""
    found = {name: env[name] for name in lists.VARIABLES if env.get(name) and name not in OTHERS}
    for name in ('SERIES', 'FIXES'):
        if (place := path(env, name)) and name in found:
            found[name] = f'{place.name}:{series.digest(series.read(place))}'
    return found


def read(folder: Path) -> list[Part]:
    """The parts that ended in a folder of results."""
    try:
        return [Part(**words) for words in json.loads((folder / NAME).read_text())]
    except FileNotFoundError:
        return []


def _save(folder: Path, parts: Iterable[Part]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f'{NAME}.new'
    new.write_text(json.dumps([asdict(part) for part in parts], indent=1) + '\n')
    new.replace(folder / NAME)


def begin(command: str, env: Mapping[str, str]) -> Part:
    """The part of a command that begins, which has not ended."""
    shard = Shard.read(env)
    if command not in COMMANDS:
        raise Trouble(f'SHARD= does not apply to make {command}', f'it divides the work of make {", ".join(COMMANDS)}')
    part = Part(command, _variables(env), shard.number, shard.total, _commit())
    folder = results(env)
    _save(folder, [other for other in read(folder) if other.typed != part.typed])
    return part


def end(part: Part, env: Mapping[str, str]) -> None:
    """Write down that the part has ended."""
    _save(results(env), [*read(results(env)), part])


def complete(folders: Sequence[Path]) -> list[tuple[str, list[Path]]]:
    """Each command that has parts in these folders, and its folders in order; Trouble if a part is missing or of another commit."""
    typed: dict[str, list[tuple[Part, Path]]] = defaultdict(list)
    for folder in folders:
        for part in read(folder):
            typed[part.typed].append((part, folder))
    if not typed:
        raise Trouble(f'no part of SHARD= ended in {", ".join(map(str, folders)) or "build/shard-*"}',
                      'type FROM= with the folders of all parts, for example FROM="build/shard-1-2 build/shard-2-2"')
    problems = []
    whole: dict[tuple[str, int], list[Path]] = {}
    for text, found in typed.items():
        found.sort(key=lambda one: one[0].number)
        totals = sorted({part.total for part, _ in found})
        if len(totals) > 1:
            problems.append(f'{text}: divided by {" and by ".join(map(str, totals))}')
        missing = {*range(1, totals[0] + 1)} - {part.number for part, _ in found}
        problems += [f'missing   {text} SHARD={number}/{totals[0]}' for number in sorted(missing)]
        if len({part.commit for part, _ in found}) > 1:
            problems += [f'commit    {text} SHARD={part.number}/{part.total}: {part.commit}' for part, _ in found]
        # Several runs of one command, for example of two architectures, have one folder for each part.
        whole[found[0][0].command, totals[0]] = [folder for _, folder in found]
    if problems:
        raise Trouble('the parts do not make a whole', 'run those that are missing, or of another commit, again', '\n'.join(problems))
    return [(command, parts) for (command, _), parts in whole.items()]
