# SPDX-License-Identifier: GPL-2.0
"""Read the results that kunit.py wrote."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

PASS, FAIL, SKIP = 'pass', 'fail', 'skip'
XFAIL = 'xfail'     # in JUnit, the type of "skipped" for a known failure
CRASH = 'a crash'   # the name of a case whose result is missing
OPTION = re.compile(r'CONFIG_\w+')
CAUSES = 8          # of skipped cases, in lines on the console
Case = tuple[str, ...]      # the names of suite and case, or of program and test
Verdicts = Mapping[Case, str]


@dataclass(frozen=True)
class Counts:
    """The number of cases by verdict, as counted by kunit.py."""

    passed: int = 0
    failed: int = 0
    crashed: int = 0
    skipped: int = 0
    errors: int = 0
    known: int = 0      # failures that belong to a known bug; kunit.py counts them as failed

    @classmethod
    def read(cls, path: Path) -> Counts:
        """Read results.json; all zero if kunit.py did not write it."""
        return cls.of(_results(path))

    @classmethod
    def of(cls, group: Mapping[str, Any]) -> Counts:
        """The counts of a group in results.json, for example a suite."""
        return cls(**{field.name: group['misc'][field.name] for field in fields(cls) if field.name in group['misc']})

    def without_known(self, known: int) -> Counts:
        """The counts in which known failures have a column of their own."""
        return replace(self, failed=self.failed - known, known=known)

    @property
    def good(self) -> bool:
        """No case failed but for known bugs, and at least one ran."""
        return self.passed + self.known > 0 and not (self.failed or self.crashed or self.errors)

    def short(self) -> str:
        """Passed / failed, crashed or with an error, and known failures / skipped."""
        known = f' + {self.known} known' if self.known else ''
        return f'{self.passed} / {self.failed + self.crashed + self.errors}{known} / {self.skipped}'

    def __str__(self) -> str:
        return ', '.join(f'{n} {name}' for name, n in asdict(self).items()
                         if n or name in ('passed', 'failed', 'skipped'))


NO_RESULTS: Mapping[str, Any] = {'misc': asdict(Counts()), 'sub_groups': [], 'test_cases': []}


def _results(path: Path) -> Mapping[str, Any]:
    """The content of results.json; no results if kunit.py did not write it."""
    try:
        content: Mapping[str, Any] = json.loads(path.read_text())
        return content if 'misc' in content else NO_RESULTS
    except (FileNotFoundError, json.JSONDecodeError):
        return NO_RESULTS


def suites(path: Path) -> dict[str, Counts]:
    """The counts of each suite in results.json."""
    return {group['name']: Counts.of(group) for group in _results(path)['sub_groups']}


def _cases(group: Mapping[str, Any], *above: str) -> Iterator[tuple[Case, Mapping[str, Any]]]:
    for case in group['test_cases']:
        yield (*above, case['name'] or CRASH), case
    for inner in group['sub_groups']:
        yield from _cases(inner, *above, inner['name'])


def verdicts(path: Path) -> Verdicts:
    """The verdict of each case in results.json: PASS, SKIP or FAIL; of cases with the same name, FAIL if one fails."""
    found: dict[Case, str] = {}
    for name, case in _cases(_results(path)):
        if found.get(name) != FAIL:
            found[name] = {'PASS': PASS, 'SKIP': SKIP}.get(case['status'], FAIL)
    return found


def known_bugs(path: Path) -> Mapping[Case, str]:
    """The bug of each known failure in results.json."""
    return {name: case['known'] for name, case in _cases(_results(path)) if 'known' in case}


def texts(junit: Path) -> dict[Case, str]:
    """The output of each case, or why it was skipped."""
    def walk(suite: xml.etree.ElementTree.Element, *above: str) -> Iterator[tuple[Case, str]]:
        for case in suite.iterfind('testcase'):
            parts = (case.findtext('skipped'), case.findtext('system-out'))
            yield (*above, case.get('name') or CRASH), '\n'.join(part for part in parts if part)
        for inner in suite.iterfind('testsuite'):
            yield from walk(inner, *above, inner.get('name', ''))
    found: dict[Case, str] = {}
    for name, text in walk(_read(junit)):
        found[name] = '\n'.join(filter(None, (found.get(name), text)))
    return found


def _read(junit: Path) -> xml.etree.ElementTree.Element:
    """The JUnit results; an empty test suite if kunit.py did not write them."""
    try:
        return xml.etree.ElementTree.parse(junit).getroot()
    except (FileNotFoundError, xml.etree.ElementTree.ParseError):
        return xml.etree.ElementTree.Element('testsuite')


def failures(junit: Path) -> list[str]:
    """The names of the cases that failed or crashed."""
    return [case.get('name') or CRASH for case in _read(junit).iter('testcase')
            if case.find('failure') is not None or case.find('error') is not None]


def skips(junit: Path) -> Counter[str]:
    """The number of skipped cases by reason, without known failures."""
    return Counter(skipped.text or 'no reason given' for skipped in _read(junit).iter('skipped')
                   if skipped.get('type') != XFAIL)


def skip_causes(reasons: Mapping[str, int]) -> list[str]:
    """At most CAUSES lines, the most frequent cause first: reasons with the same option of the kernel are one cause."""
    causes: dict[str, list[str]] = {}
    for reason in reasons:
        option = OPTION.search(reason)
        causes.setdefault(option[0] if option else reason, []).append(reason)
    # A cause with one reason is that reason.
    ranked = Counter({each[0] if len(each) == 1 else f'without {cause}': sum(reasons[reason] for reason in each)
                      for cause, each in causes.items()}).most_common()
    shown = ranked if len(ranked) <= CAUSES else ranked[:CAUSES - 1]
    if others := ranked[len(shown):]:
        shown.append((f'{len(others)} other causes', sum(times for _, times in others)))
    return [f'{times:,}: {cause}' for cause, times in shown]
