# SPDX-License-Identifier: GPL-2.0
"""Cases that fail because the tree has a bug for which there is a fix: tests/recorded/known, written by make known."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from host.settings import PROJECT
from results.report import FAIL, Case, Verdicts

FOLDER = PROJECT / 'tests/recorded/known'
# Cases that fail without all fixes, but with each of them left out alone.
SEVERAL = 'several'
SEVERAL_TITLE = 'more than one of these bugs'

SUBTEST = re.compile(r'^( *)# Subtest: (.*)$')
RESULT = re.compile(r'^( *)(not ok|ok) \d+ (.*?)(?: # (?:SKIP|XFAIL)\b.*)?$')
INDENT = 4      # spaces of each level of KTAP

# The lines of kunit.py: the beginning and the end of a suite or of a parameterized case, and the verdict on a case.
STAMP = re.compile(r'^\[\d\d:\d\d:\d\d\] ')
BEGINS = re.compile(r'=+ (\S+)(?: \(\d+ subtests?\))?\s+=+')
ENDS = re.compile(r'=+ \[[A-Z]+\] \S+ =+')
VERDICT = re.compile(r'\[([A-Z]+)\] (.*)')
SUMMARY = re.compile(r'Failures: ')


@dataclass(frozen=True)
class Known:
    """The cases that bugs of the tree make fail, with the number of the bug, and the title of each bug."""

    cases: Mapping[Case, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def failed(self, verdicts: Verdicts) -> Mapping[Case, str]:
        """The failures that belong to a bug, with its number."""
        return {case: self.cases[case] for case, verdict in verdicts.items() if verdict == FAIL and case in self.cases}

    def lines(self, verdicts: Verdicts) -> list[str]:
        """A line for each bug."""
        return [f'{number}: {times} case{"s" * (times != 1)}, {self.titles[number]}'
                for number, times in sorted(Counter(self.failed(verdicts).values()).items())]


def load(arch: str) -> Mapping[str, Sequence[Case]]:
    """The record: for each fix, the cases that fail without it."""
    path = FOLDER / f'{arch}.json'
    if not path.exists():
        return {}
    return {number: [tuple(case.split(' > ')) for case in cases] for number, cases in json.loads(path.read_text()).items()}


def save(arch: str, record: Mapping[str, Sequence[Case]]) -> None:
    """Write the record, sorted."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    cases = {number: sorted(' > '.join(case) for case in record[number]) for number in sorted(record)}
    (FOLDER / f'{arch}.json').write_text(json.dumps(cases, indent=1) + '\n')


def of(arch: str, lacking: Mapping[str, str]) -> Known:
    """The known failures of a tree that lacks these fixes: their titles by number."""
    record = load(arch)
    titles = dict(lacking)
    numbers = [number for number in sorted(record) if number in lacking]
    if len(numbers) > 1 and SEVERAL in record:
        numbers.append(SEVERAL)
        titles[SEVERAL] = SEVERAL_TITLE
    cases: dict[Case, str] = {}
    for number in numbers:
        for case in record[number]:
            cases.setdefault(case, number)
    return Known(cases, titles)


def each(log: str) -> Iterator[tuple[Case, str, int, int]]:
    """The results in a log: the case or group, its verdict, and where its text, which ends with the result, is."""
    names: dict[int, str] = {}
    at = begin = 0
    for line in log.splitlines(keepends=True):
        end = at + len(line)
        if found := SUBTEST.match(line.rstrip('\n')):
            names[len(found[1]) // INDENT] = found[2]
            begin = end
        elif found := RESULT.match(line.rstrip('\n')):
            level = len(found[1]) // INDENT
            yield (*(names.get(above, '') for above in range(1, level + 1)), found[3]), found[2], begin, end
            begin = end
        at = end


def without(log: str, cases: Mapping[Case, str]) -> str:
    """The log without the text of these failures."""
    text, last = [], 0
    for case, verdict, begin, end in each(log):
        if verdict == 'not ok' and case in cases:
            text.append(log[last:begin])
            last = end
    return ''.join([*text, log[last:]])


def mark_ktap(ktap: str, known: Known) -> str:
    """KTAP in which known failures are expected ones."""
    text, last = [], 0
    for case, verdict, _, end in each(ktap):
        if verdict == 'not ok' and case in known.cases:
            text.append(f'{ktap[last:end].rstrip()} # XFAIL known {known.cases[case]}\n')
            last = end
    return ''.join([*text, ktap[last:]])


def mark_json(content: dict[str, Any], known: Known, *above: str) -> dict[str, Any]:
    """A results.json in which each known failure has the number of its bug."""
    for case in content['test_cases']:
        if case['status'] not in ('PASS', 'SKIP') and (number := known.cases.get((*above, case['name']))):
            case['known'] = number
    for group in content['sub_groups']:
        mark_json(group, known, *above, group['name'])
    return content


def mark_junit(root: xml.etree.ElementTree.Element, known: Known, *above: str) -> int:
    """Turn known failures into skipped ones, as JUnit has no word for expected failures; return their number."""
    times = 0
    for suite in root.findall('testsuite'):
        times += mark_junit(suite, known, *above, suite.get('name', ''))
    for case in root.findall('testcase'):
        number = known.cases.get((*above, case.get('name', '')))
        failure = case.find('failure')
        if number and failure is not None:
            case.remove(failure)
            skipped = xml.etree.ElementTree.Element('skipped', type='xfail')
            skipped.text = f'known {number}: {known.titles[number]}'
            case.insert(0, skipped)
            times += 1
    for key, change in (('failures', -times), ('skipped', times)):
        root.set(key, str(int(root.get(key, '0')) + change))
    return times


def mark(folder: Path, known: Known) -> None:
    """Mark the known failures in the results of a folder."""
    if not known.cases:
        return
    for name in ('results.json', 'results.junit.xml', 'results.ktap'):
        path = folder / name
        if not path.exists():
            continue
        if name == 'results.json':
            content = json.loads(path.read_text())
            path.write_text(json.dumps(mark_json(content, known), indent=4) if 'test_cases' in content else path.read_text())
        elif name == 'results.ktap':
            path.write_text(mark_ktap(path.read_text(), known))
        else:
            tree = xml.etree.ElementTree.parse(path)
            mark_junit(tree.getroot(), known)
            tree.write(path, encoding='utf-8', xml_declaration=True)


class Quiet:
    """Passes the lines of kunit.py on, but for those of known failures."""

    def __init__(self, known: Known, say: Callable[[str], None]):
        self.known = known
        self.say = say
        self.groups: list[str] = []
        self.held: list[str] = []

    def flush(self) -> None:
        """Pass on what belongs to no known failure."""
        for line in self.held:
            self.say(line)
        self.held.clear()

    def __call__(self, line: str) -> None:
        text = STAMP.sub('', line)
        if self.known.cases and SUMMARY.match(text):
            return
        self.held.append(line)
        if ENDS.fullmatch(text):
            self.groups[-1:] = []
        elif found := BEGINS.fullmatch(text):
            self.groups.append(found[1])
        elif found := VERDICT.fullmatch(text):
            if found[1] == 'FAILED' and (*self.groups, found[2]) in self.known.cases:
                self.held.clear()
        elif self.groups:
            return
        self.flush()
