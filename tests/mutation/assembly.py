# SPDX-License-Identifier: GPL-2.0
"""Which copies of a function the compiler turns into the same code: equivalent mutants, and duplicates."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from host import tools

COMMAND = re.compile(r'^savedcmd_\S+ := (.*?) -o \S+ (\S+\.c)\b', re.MULTILINE)
# Each function in one piece.
WHOLE = ('-S', '-w', '-fno-reorder-blocks-and-partition')
# Also copies of static functions in headers that the source does not use.
UNUSED_TOO = '-fkeep-static-functions'
COPY = re.compile(r'^(\w+__m\w+):\n(.*?)^\t\.size\t\1,', re.MULTILINE | re.DOTALL)
STRING = re.compile(r'^(\.LC\d+):\n((?:\t\.(?:string|ascii|zero|quad|long|byte)\t.*\n)+)', re.MULTILINE)
LABEL = re.compile(r'\.L\w+')


def _normal(name: str, code: str, strings: Mapping[str, str]) -> str:
    """The code with its own name, labels and constants named by their order and content."""
    labels: dict[str, str] = {}

    def label(match: re.Match[str]) -> str:
        content = strings.get(match[0])
        return content if content is not None else labels.setdefault(match[0], f'.L{len(labels)}')
    code = re.sub(r'^\s*#.*\n', '', code, flags=re.MULTILINE)
    code = re.sub(rf'\b{name}\b', 'COPY', LABEL.sub(label, code))
    return re.sub(r'mutant/\d+/', '', code)


def digests(assembly: str) -> Iterator[tuple[str, str]]:
    """The name of each copy in an assembly file, and a digest of its code."""
    strings = {name: re.sub(r'mutant/\d+/', '', content) for name, content in STRING.findall(assembly)}
    for name, code in COPY.findall(assembly):
        yield name, hashlib.sha256(_normal(name, code, strings).encode()).hexdigest()


def users(assembly: str, symbols: Iterable[str]) -> Iterator[str]:
    """The names of the copies that use one of these symbols."""
    any_symbol = re.compile('|'.join(rf'\b{symbol}\b' for symbol in symbols))
    yield from (name for name, code in COPY.findall(assembly) if any_symbol.search(code))


def compiled(build: Path, object_file: str, output: Path, env: Mapping[str, str], *more: str) -> str:
    """The assembly of the source of an object file, by the command of the kernel's build and more options."""
    path = build / object_file
    found = COMMAND.search((path.parent / f'.{path.name}.cmd').read_text())
    if not found:
        raise tools.Failed(['gcc'], 1, f'{object_file}: no compiler command found')
    options = [option for option in shlex.split(found[1]) if not option.startswith('-Wp,-MMD') and option not in ('ccache', '-c')]
    tools.run([*options, *WHOLE, *more, '-o', str(output), found[2]], cwd=build, env=env)
    return output.read_text()
