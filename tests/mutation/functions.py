# SPDX-License-Identifier: GPL-2.0
"""The functions that are changed: where they are in a source, and their heads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mutation import operators
from trees.definitions import definitions as found_in

INLINE = re.compile(r'\b(inline|__always_inline|noinline\w*|static|__must_check|extern)\b *')


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

    def arguments(self) -> list[str]:
        """The names of its parameters."""
        head = operators.parse((self.text[:self.body] + '{}').encode())
        parameters = operators.find(head, 'parameter_list')
        found = []
        for parameter in parameters.named_children if parameters else []:
            name = operators.find(parameter, 'identifier')
            if name and name.text:
                found.append(name.text.decode())
        return found


def definitions(file: str, source: str, name: str) -> Iterator[Function]:
    """All definitions of a function in a file."""
    for number, match in enumerate(found_in(source, name)):
        yield Function(file, name, number, source.count('\n', 0, match.start()) + 1, match.start(), match[0])
