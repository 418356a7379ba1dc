# SPDX-License-Identifier: GPL-2.0
"""The functions that are changed: where they are in a source, their heads, and the names of their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trees.definitions import definitions as found_in

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.DOTALL)
# What a parameter may have beside its type and its name. The compiler knows all words, a parser of C without headers does not.
QUALIFIER = re.compile(r'\b(?:const|volatile|restrict|register|__user|__iomem|__rcu|__percpu|__force|__kernel|__bitwise|__nocast'
                       r'|__maybe_unused|__always_unused|__unused|__nonstring|(?:__attribute__|__counted_by)\s*\(\(?.*?\)\)?)(?!\w)')
# (*name)(...), (*const name)(...), (*name[2])(...)
POINTER = re.compile(r'\(\s*\*[\s*]*(\w+)\s*(?:\[[^]]*\]\s*)*\)\s*[(\[]')
# A type: struct name, words like unsigned long, or one name.
BUILT_IN = r'(?:unsigned|signed|long|short|int|char|float|double|_Bool|bool|void)'
PARAMETER = re.compile(rf'(?:(?:struct|union|enum)\s+\w+|{BUILT_IN}(?:\s+{BUILT_IN})*|(?!(?:struct|union|enum|{BUILT_IN})\b)\w+)[\s*]+'
                       rf'(?!{BUILT_IN}\b)([A-Za-z_]\w*)(?:\s*\[[^]]*\])*')
INLINE = re.compile(r'\b(inline|__always_inline|noinline\w*|static|__must_check|__weak|extern)\b *')


@dataclass(frozen=True)
class Function:
    """One definition of a function; `number` counts those of one name, which differ by preprocessor conditions."""

    file: str
    name: str
    number: int
    line: int       # of its first byte
    start: int
    text: str

    @property
    def title(self) -> str:
        return f'{self.file}: {self.name}()'

    @property
    def body(self) -> int:
        """The position of the brace after the head."""
        return self.text.index('\n{\n') + 1

    @property
    def result(self) -> str:
        """The type that it returns."""
        return ' '.join(INLINE.sub('', self.text[:self._name()]).split())

    def _name(self) -> int:
        match = re.search(rf'\b{self.name}\s*\(', self.text)
        assert match
        return match.start()

    def head(self, name: str) -> str:
        """The head of a copy of that name."""
        parameters = self.text[self._name() + len(self.name):self.body]
        return f'{self.result} {name}{parameters}'

    def arguments(self) -> list[str] | None:
        """The names of its parameters; None if no other function can hand them over: unnamed ones, `...`."""
        return arguments(self.text[self._name() + len(self.name):self.body])


def _split(text: str) -> Iterator[str]:
    """The parts of a list between commas that are not in brackets."""
    depth, part = 0, ''
    for character in text:
        depth += (character in '([{') - (character in ')]}')
        if character == ',' and not depth:
            yield part
            part = ''
        else:
            part += character
    yield part


def _argument(parameter: str) -> str | None:
    """The name of a parameter, None if it has none or is not understood."""
    plain = ' '.join(QUALIFIER.sub(' ', parameter).split())
    match = POINTER.search(plain) or PARAMETER.fullmatch(plain)
    return match[1] if match else None


def arguments(parameters: str) -> list[str] | None:
    """The names in a list of parameters with its brackets; None if one of them has no name."""
    inside = COMMENT.sub(' ', parameters).strip()
    end = next((index for index in range(len(inside)) if inside[:index + 1].count('(') == inside[:index + 1].count(')')), -1)
    inside = inside[1:end].strip()
    if inside in ('', 'void'):
        return []
    names = [_argument(parameter) for parameter in _split(inside)]
    return [name for name in names if name] if all(names) else None


def definitions(file: str, source: str, name: str) -> Iterator[Function]:
    """All definitions of a function in a file."""
    for number, match in enumerate(found_in(source, name)):
        yield Function(file, name, number, source.count('\n', 0, match.start()) + 1, match.start(), match[0])
