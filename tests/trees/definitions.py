# SPDX-License-Identifier: GPL-2.0
"""Definitions of functions in a source of the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# The name of a function at the start of its definition.
DEFINED = re.compile(r'^(?:\w[^\n;(#]*?\b)?(\w+)\([^;{]*?\n\{\n', re.MULTILINE)


def names(source: str) -> Iterable[str]:
    """The functions of a source, each once, in the order of the text."""
    return dict.fromkeys(DEFINED.findall(source))


def bodies(source: str) -> Iterator[tuple[str, str]]:
    """The name and the body of each definition of a function."""
    for match in DEFINED.finditer(source):
        yield match[1], source[match.end():source.find('\n}', match.end())]


def definitions(source: str, name: str) -> Iterator[re.Match[str]]:
    """All definitions of a function in the kernel's style: from the type that it returns to the next line that is `}`."""
    head = rf'^(?:[a-z_][^\n;(){{}}#]*\n)?(?:\w[^\n;(]*\W)?{name}\([^;{{]*?\n{{\n.*?^}}'
    return re.finditer(head, source, re.MULTILINE | re.DOTALL)
