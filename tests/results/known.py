# SPDX-License-Identifier: GPL-2.0
"""Cases that fail because the tree has a bug for which there is a fix: tests/recorded/known, written by make known."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Any

from host.errors import Trouble
from host.settings import PROJECT
from host import tools
from results.report import CRASH, FAIL, PASS, SKIP, XFAIL, Case, Verdicts
from trees.differences import Difference

FOLDER = PROJECT / 'tests/recorded/known'
# Cases that fail without all fixes, but with each of them left out alone.
SEVERAL = 'several'
SEVERAL_TITLE = 'more than one of these bugs'
SEPARATOR = ' > '   # of the names in the record
RANDOM = '_random'  # the end of the names of suites and cases with random rows

SUBTEST = re.compile(r'^( *)# Subtest: (.*)$')
RESULT = re.compile(r'^( *)(not ok|ok) \d+ (.*?)(?: # (?:SKIP|XFAIL)\b.*)?$')
INDENT = 4      # spaces of each level of KTAP

# The lines of kunit.py: the beginning and the end of a suite or of a parameterized case, and the verdict on a case.
STAMP = re.compile(r'^\[\d\d:\d\d:\d\d\] ')
BEGINS = re.compile(r'=+ (\S+)(?: \(\d+ subtests?\))?\s+=+')
ENDS = re.compile(r'=+ \[[A-Z ]+\] .* =+')
VERDICT = re.compile(r'\[([A-Z ]+)\](?: (.*))?')
BAD = ('FAILED', 'CRASHED', 'NO TESTS RUN', 'ERROR')
BOOT = '=' * 60     # kunit.py begins to read the output of a guest, or ends
SUMMARY = re.compile(r'Failures: ')


@dataclass(frozen=True)
class Known:
    """The cases that bugs of the tree make fail, with the number or name of the bug, and the title of each bug."""

    cases: Mapping[Case, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)   # of cases that may fail, their names joined by SEPARATOR

    def __bool__(self) -> bool:
        return bool(self.cases or self.patterns)

    def bug(self, case: Case) -> str | None:
        """The bug that makes the case fail; None if there is none."""
        name = SEPARATOR.join(case)
        return self.cases.get(case) or next((bug for pattern, bug in self.patterns.items() if fnmatchcase(name, pattern)), None)

    def lines(self, failed: Mapping[str, int], verdicts: Verdicts) -> list[str]:
        """A line for each bug of which recorded cases pass, then one for each that makes cases fail."""
        found = []
        # A case of several bugs may pass with some of them.
        passed = [(number, case) for case, number in self.cases.items() if verdicts.get(case) == PASS and number != SEVERAL]
        for number, times in sorted(Counter(number for number, _ in passed).items()):
            first = next(case for of, case in passed if of == number)
            found.append(f'known     {number}: {_cases(times)} passed although the fix is missing, the first: {": ".join(first)}')
        return [*found, *(f'known     {number}: {_cases(times)}, {self.titles[number]}' for number, times in sorted(failed.items()))]


def _cases(times: int) -> str:
    return f'{times} case{"s" * (times != 1)}'


def _path(arch: str) -> Path:
    return FOLDER / f'{arch}.json'


def load(arch: str) -> Mapping[str, Sequence[Case]]:
    """The record: for each fix, the cases that fail without it; Trouble if the file is not a record."""
    path = _path(arch)
    remedy = f'record it again: type make known ARCH={arch}'
    try:
        # Suite, case and row: only the name of a row may have the separator.
        return {number: [tuple(case.split(SEPARATOR, 2)) for case in cases]
                for number, cases in json.loads(path.read_text()).items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Trouble(f'{path} cannot be read: {error.strerror}', remedy) from error
    except (AttributeError, RecursionError, TypeError, ValueError) as error:
        raise Trouble(f'{path}: not a usable record: {type(error).__name__}: {error}', remedy) from error


def save(arch: str, record: Mapping[str, Sequence[Case]]) -> None:
    """Write the record, sorted."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    cases = {number: sorted(SEPARATOR.join(case) for case in record[number]) for number in sorted(record)}
    new = _path(arch).with_suffix('.new')
    new.write_text(json.dumps(cases, indent=1) + '\n')
    new.replace(_path(arch))


def outdated(arch: str, numbers: Sequence[str], bare: Verdicts) -> str:
    """The differences of the record from a run without any fix, and what to type; empty if there are none.

    Rows of random suites differ between runs: they are not compared.
    """
    record = load(arch)
    shown = tools.shown(_path(arch))
    remedy = f'type make known ARCH={arch}'
    if not record:
        return f'{shown} does not exist or is empty: {remedy}'
    cases = {case: number for number in sorted(record, reverse=True) for case in record[number]}
    lines = [f'missing   {number}: the record has no entry for this fix' for number in numbers if number not in record]
    lines += [f'stale     {number}: there is no such fix' for number in record if number not in (*numbers, SEVERAL)]
    failed = {case for case, verdict in bare.items() if verdict == FAIL and case[-1] != CRASH}
    verbs = {PASS: 'passes', SKIP: 'is skipped'}
    for case in sorted(case for case in failed ^ cases.keys() if not any(name.endswith(RANDOM) for name in case[:2])):
        lines.append(f'missing   {": ".join(case)} fails' if case in failed else
                     f'stale     {cases[case]}: {": ".join(case)} {verbs.get(bare.get(case, ""), "does not run")}')
    return '\n'.join([*lines, f'{shown} does not match the kernel without fixes: {remedy}']) if lines else ''


def of(arch: str, lacking: Mapping[str, str], others: Mapping[str, Difference] = MappingProxyType({})) -> Known:
    """The known failures of a tree that lacks these fixes, their titles by number, and differs from the newest kernel."""
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
    titles |= {name: each.title for name, each in others.items()}
    return Known(cases, titles, {pattern: name for name, each in others.items() for pattern in each.cases})


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


def without(log: str, known: Known) -> str:
    """The log without the text of known failures."""
    text, last = [], 0
    for case, verdict, begin, end in each(log):
        if verdict == 'not ok' and known.bug(case):
            text.append(log[last:begin])
            last = end
    return ''.join([*text, log[last:]])


def mark_ktap(ktap: str, known: Known) -> str:
    """KTAP in which known failures are expected ones.

    As in selftests, these are "ok": a reader of KTAP that does not know XFAIL, such as kunit.py, goes by that. So are the
    cases and suites that fail for no other reason.
    """
    text, last = [], 0
    rows: dict[Case, set[bool]] = {}    # of a case or suite: whether its failures are known
    for case, verdict, _, end in each(ktap):
        inside = rows.pop(case, set())
        if verdict != 'not ok':
            continue
        number = known.bug(case) if not inside else None
        expected = inside == {True} or number is not None
        rows.setdefault(case[:-1], set()).add(expected)
        if expected:
            begin = ktap.rfind('\n', 0, end - 1) + 1
            line = ktap[begin:end].rstrip().replace('not ok', 'ok', 1)
            text.append(f'{ktap[last:begin]}{line}'
                        + (f' # XFAIL known {number}: {known.titles[number]}\n' if number else '\n'))
            last = end
    return ''.join([*text, ktap[last:]])


def mark_json(content: dict[str, Any], known: Known, *above: str) -> Counter[str]:
    """Write the number of its bug into each known failure of a results.json, and count them by bug.

    Such a case still has the status FAIL; the totals count it as known instead of failed.
    """
    times: Counter[str] = Counter()
    for group in content['sub_groups']:
        times += mark_json(group, known, *above, group['name'])
    for case in content['test_cases']:
        if case['status'] == 'FAIL' and (number := known.bug((*above, case['name']))):
            case['known'] = number
            times[number] += 1
    content['misc']['failed'] -= times.total()
    content['misc']['known'] = times.total()
    return times


def mark_junit(root: xml.etree.ElementTree.Element, known: Known, *above: str) -> int:
    """Turn known failures into skipped ones, as JUnit has no word for expected failures; return their number."""
    times = 0
    for suite in root.findall('testsuite'):
        times += mark_junit(suite, known, *above, suite.get('name', ''))
    for case in root.findall('testcase'):
        number = known.bug((*above, case.get('name', '')))
        failure = case.find('failure')
        if number and failure is not None:
            failure.tag = 'skipped'
            failure.set('type', XFAIL)
            failure.text = f'known {number}: {known.titles[number]}'
            times += 1
    for key, change in (('failures', -times), ('skipped', times)):
        root.set(key, str(int(root.get(key, '0')) + change))
    return times


def mark(folder: Path, known: Known) -> Counter[str]:
    """Mark the known failures in the results of a folder; return their number by bug."""
    times: Counter[str] = Counter()
    if not known:
        return times
    ktap, results, junit = (folder / name for name in ('results.ktap', 'results.json', 'results.junit.xml'))
    if ktap.exists():
        ktap.write_text(mark_ktap(ktap.read_text(), known))
    # kunit.py did not write to its end what cannot be read.
    with suppress(FileNotFoundError, json.JSONDecodeError):
        content = json.loads(results.read_text())
        if 'misc' in content:
            times = mark_json(content, known)
            results.write_text(json.dumps(content, indent=4))
    with suppress(FileNotFoundError, xml.etree.ElementTree.ParseError):
        tree = xml.etree.ElementTree.parse(junit)
        mark_junit(tree.getroot(), known)
        tree.write(junit, encoding='utf-8', xml_declaration=True)
    return times


class Quiet:
    """Passes the lines of kunit.py on, but for those of known failures."""

    def __init__(self, known: Known, say: Callable[[str], None]):
        self.known = known
        self.say = say
        self.groups: list[str] = []
        self.failed: list[set[bool]] = []   # for each group: whether its failures are known
        self.held: list[str] = []

    def flush(self) -> None:
        """Pass on what belongs to no known failure."""
        for line in self.held:
            self.say(line)
        self.held.clear()

    def _is_known(self, name: str) -> bool:
        return self.known.bug((*self.groups, name)) is not None

    def _end(self) -> None:
        """A suite or case whose failures are all known is not shown as failed."""
        if self.failed[-1:] == [{True}]:
            self.held[-1] = self.held[-1].replace('[FAILED]', '[KNOWN]')
        self.groups[-1:] = self.failed[-1:] = []

    def __call__(self, line: str) -> None:
        text = STAMP.sub('', line)
        if self.known and SUMMARY.match(text):
            return
        self.held.append(line)
        if text == BOOT:
            self.groups, self.failed = [], []
        elif ENDS.fullmatch(text):
            self._end()
        elif found := BEGINS.fullmatch(text):
            self.groups.append(found[1])
            self.failed.append(set())
        elif found := VERDICT.fullmatch(text):
            known = found[1] == 'FAILED' and self._is_known(found[2])
            if found[1] in BAD:
                for failed in self.failed:
                    failed.add(known)
            if known:
                self.held.clear()
        elif self.groups:
            return
        self.flush()
