# SPDX-License-Identifier: GPL-2.0
"""What the suites use of the kernel, and how its definition differs between two kernel trees."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from host import tools

# Where the definitions are that the suites can use.
FOLDERS = ('include', 'mm', 'kernel', 'fs/proc', 'lib/kunit', 'arch/x86/include', 'arch/x86/mm', 'arch/arm64/include',
           'arch/arm64/mm', 'arch/um/include')
CTAGS = ('ctags', '-R', '-f', '-', '--languages=C', '--langmap=C:.c.h', '--c-kinds=+p', '--fields=+KSz', '--sort=no')
CALLABLE = ('function', 'prototype')
IDENTIFIER = re.compile(r'\b[A-Za-z_]\w{3,}\b')
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)

# The kinds and texts of the definitions of each name.
Definitions = Mapping[str, set[tuple[str, str]]]


def _types(signature: str) -> str:
    """A signature without the names of the parameters, which may change."""
    parameters = []
    for parameter in signature.strip('()').split(','):
        words = parameter.replace('*', ' * ').split()
        if len(words) > 1 and re.fullmatch(r'\w+(\[\w*\])?', words[-1]) and words[-2] not in ('struct', 'enum', 'unsigned'):
            words.pop()
        parameters.append(' '.join(words))
    return ', '.join(parameters)


def definitions(tree: Path) -> Definitions:
    """All definitions in a kernel tree."""
    found: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    folders = [folder for folder in FOLDERS if (tree / folder).is_dir()]
    for line in tools.run([*CTAGS, *folders], cwd=tree).splitlines():
        name, _, rest = line.partition('\t')
        fields = dict(field.split(':', 1) for field in rest.partition(';"\t')[2].split('\t') if ':' in field)
        kind = fields.get('kind', '')
        if kind in CALLABLE:
            found[name].add(('function', f'{fields.get("typeref", "").removeprefix("typename:")} ({_types(fields.get("signature", ""))})'))
        elif kind:
            found[name].add((kind, ''))
    return found


def places(project: Path) -> Mapping[str, list[str]]:
    """The places in lib/ and mm/ of all identifiers in code and strings, not in comments."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for folder in ('lib', 'mm'):
        for path in sorted((project / folder).rglob('*.[chS]')):
            text = COMMENT.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), path.read_text())
            for number, line in enumerate(text.splitlines(), 1):
                for name in IDENTIFIER.findall(line):
                    found[name].append(f'{path.relative_to(project)}:{number}')
    return found


@dataclass(frozen=True)
class Difference:
    """A name whose definition differs, what it was and is, and the places that use it."""

    name: str
    before: str
    after: str
    places: list[str]


def _text(found: set[tuple[str, str]]) -> str:
    return '; '.join(sorted({f'{kind} {text}'.strip() for kind, text in found}))


def differences(project: Path, before: Path, after: Path) -> Iterator[Difference]:
    """The names that the suites use and whose definition one tree lacks, or whose parameters differ."""
    was, now, used = definitions(before), definitions(after), places(project)
    for name in sorted(used.keys() & was.keys()):
        if name not in now:
            yield Difference(name, _text(was[name]), '', used[name])
            continue
        old = {text for kind, text in was[name] if kind == 'function'}
        new = {text for kind, text in now[name] if kind == 'function'}
        if old and new and not old & new:
            yield Difference(name, '; '.join(sorted(old)), '; '.join(sorted(new)), used[name])
