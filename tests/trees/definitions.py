# SPDX-License-Identifier: GPL-2.0
"""Definitions of functions in a source of the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator


def definitions(source: str, name: str) -> Iterator[re.Match[str]]:
    """All definitions of a function in the kernel's style: from the type that it returns to the next line that is `}`."""
    head = rf'^(?:[a-z_][^\n;(){{}}#]*\n)?(?:\w[^\n;(]*\W)?{name}\([^;{{]*?\n{{\n.*?^}}'
    return re.finditer(head, source, re.MULTILINE | re.DOTALL)
