# SPDX-License-Identifier: GPL-2.0
"""Reading the results that kunit.py wrote."""

from __future__ import annotations

import json
import xml.etree.ElementTree
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    """How many cases ended how, by kunit.py's count."""

    passed: int = 0
    failed: int = 0
    crashed: int = 0
    skipped: int = 0
    errors: int = 0

    @classmethod
    def read(cls, path: Path) -> Counts:
        """From results.json; all zero if kunit.py did not come as far as that."""
        try:
            misc = json.loads(path.read_text())['misc']
        except (FileNotFoundError, json.JSONDecodeError, KeyError):
            return cls()
        return cls(**{field.name: misc[field.name] for field in fields(cls)})

    @property
    def good(self) -> bool:
        """Nothing wrong, and something right: a run of nothing proves nothing."""
        return self.passed > 0 and not (self.failed or self.crashed or self.errors)

    def __str__(self) -> str:
        return ', '.join(f'{n} {name}' for name, n in asdict(self).items()
                         if n or name in ('passed', 'failed', 'skipped'))


def skips(junit: Path) -> list[str]:
    """The reasons for which cases were skipped, each once, with how many."""
    reasons: dict[str, int] = {}
    try:
        for skipped in xml.etree.ElementTree.parse(junit).iter('skipped'):
            reason = skipped.text or 'no reason given'
            reasons[reason] = reasons.get(reason, 0) + 1
    except (FileNotFoundError, xml.etree.ElementTree.ParseError):
        pass
    return [f'skipped   {n}: {reason}' for reason, n in reasons.items()]
