# SPDX-License-Identifier: GPL-2.0
"""Facts in the KTAP output of the suites: the name of a case or suite, the kind of fact, and words of key=value.

    # mprotect_random: random seed=7 rounds=100
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SUITE = re.compile(r' {4}# Subtest: (\S+)')
FACT = r' *# (\S+): {} (\S+=.*)'


@dataclass(frozen=True)
class Fact:
    """A fact that a case of a suite printed; `case` is the name of the suite if the suite itself printed it."""

    suite: str
    case: str
    text: str

    @property
    def words(self) -> dict[str, str]:
        return words(self.text)


def words(text: str) -> dict[str, str]:
    """The values by key; a value extends to the next key."""
    return {key: value for key, _, value in (word.partition('=') for word in re.split(r' (?=[\w-]+=)', text))}


def facts(ktap: str, kind: str, *keys: str) -> Iterator[Fact]:
    """All facts of this kind that have these keys: the end of a log may be cut off."""
    fact, suite = re.compile(FACT.format(kind)), ''
    for line in ktap.splitlines():
        if begun := SUITE.fullmatch(line):
            suite = begun[1]
        elif (found := fact.fullmatch(line)) and {*keys} <= words(found[2]).keys():
            yield Fact(suite, found[1], found[2])
