# SPDX-License-Identifier: GPL-2.0
"""The reports of the kernel that violate rule 10: lib/kernel/reports.h."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from host.settings import PROJECT

TABLE = PROJECT / 'lib/kernel/reports.h'
LINE = re.compile(r'^REPORT\("((?:[^"\\]|\\.)*)", "([^"]*)"\),$', re.MULTILINE)


@dataclass(frozen=True)
class Report:
    """The beginning of a line of the kernel log, "*" for what a conversion prints, and the files that print it, a glob."""

    pattern: str
    files: str

    @property
    def regex(self) -> str:
        """As matches() of lib/kernel/log.c: a "*" at the beginning matches no space."""
        first, *others = self.pattern.split('*')
        joints = [r'\S*?' if not first else '.*?', *['.*?'] * len(others)]
        return re.escape(first) + ''.join(joint + re.escape(text) for joint, text in zip(joints, others))


def parse(table: str) -> list[Report]:
    """The lines of a table."""
    return [Report(*found) for found in LINE.findall(table)]


@cache
def _lines() -> re.Pattern[str]:
    patterns = '|'.join(report.regex for report in parse(TABLE.read_text()))
    # Without what mm/workbench.c prints as a self-test.
    return re.compile(rf'^(?:\[[^]\n]*\] *)*?((?:{patterns})(?!.*ptebatch tries).*)$', re.MULTILINE)


def found(log: str) -> list[str]:
    """The reports in the log of a guest, without those that a case provoked and expected."""
    expected = set(re.findall(r'^(?:\[[^]\n]*\] *)*expected report: (.*)$', log, re.MULTILINE))
    return [line for line in _lines().findall(log) if line not in expected]
