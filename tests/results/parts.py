# SPDX-License-Identifier: GPL-2.0
"""Put the results of the parts of SHARD= together, as if there were one.

All parts have the same cases, but skip those of the others: see lib/service/part.h.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar('T')
Element = xml.etree.ElementTree.Element

RESULT = re.compile(r'^( *)((?:not )?ok) \d+ (.*)\n', re.MULTILINE)
# How many cases one part ran.
TOTALS = re.compile(r'^ *# .*\bpass:\d+ fail:\d+ skip:\d+ total:\d+\n', re.MULTILINE)
SKIP = ' # SKIP'


def _numbered(names: Iterable[str]) -> list[tuple[str, int]]:
    """The names, each with the number of those before it that are the same."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        found.append((name, seen[name]))
        seen[name] += 1
    return found


def _each(parts: Iterable[Sequence[T]], name: Callable[[T], str]) -> Iterator[list[T]]:
    """What the parts have of each name, in the order of the longest: a part that was cut off lacks the last ones."""
    named = [dict(zip(_numbered(map(name, part)), part, strict=True)) for part in parts]
    for key in max(named, key=len):
        yield [part[key] for part in named if key in part]


def _worst(results: Sequence[T], failed: Callable[[T], bool], skipped: Callable[[T], bool]) -> T:
    """A failure in any part, or else the result of a part that did not skip the case."""
    return min(results, key=lambda result: (not failed(result), skipped(result)))


def _blocks(text: str) -> list[tuple[str, re.Match[str]]]:
    """Each result with the lines before it."""
    blocks, begin = [], 0
    for found in RESULT.finditer(text):
        blocks.append((text[begin:found.end()], found))
        begin = found.end()
    return blocks


def ktap(parts: Sequence[str]) -> str:
    """KTAP output."""
    def name(block: tuple[str, re.Match[str]]) -> str:
        return block[1][1] + block[1][3].partition(' # ')[0]

    blocks = [_blocks(TOTALS.sub('', part)) for part in parts]
    return ''.join(_worst(block, lambda one: one[1][2] != 'ok', lambda one: SKIP in one[1][3])[0]
                   for block in _each(blocks, name))


def _group(groups: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A group of results.json."""
    def status(case: dict[str, Any]) -> str:
        return str(case['status'])

    inner = [_group(group) for group in _each((group['sub_groups'] for group in groups), lambda group: str(group['name']))]
    cases = [_worst(case, lambda one: status(one) not in ('PASS', 'SKIP'), lambda one: status(one) == 'SKIP')
             for case in _each((group['test_cases'] for group in groups), lambda case: str(case['name']))]
    counts: Counter[str] = Counter()
    for case in cases:
        verdict = {'PASS': 'passed', 'SKIP': 'skipped', 'ERROR': 'crashed'}.get(status(case), 'failed')
        counts['known' if 'known' in case else verdict] += 1
        counts['tests'] += 1
    for group in inner:
        counts.update(group['misc'])
    misc = {key: counts[key] for key in groups[0]['misc']}
    if 'errors' in misc:    # of the parts themselves
        misc['errors'] = max(group['misc']['errors'] for group in groups)
    return groups[0] | {'sub_groups': inner, 'test_cases': cases, 'misc': misc}


def results_json(parts: Sequence[str]) -> str:
    """A results.json."""
    return json.dumps(_group([json.loads(part) for part in parts]), indent=4)


def _suite(suites: Sequence[Element]) -> Element:
    """A test suite of results.junit.xml."""
    def named(tag: str) -> Iterator[list[Element]]:
        return _each((suite.findall(tag) for suite in suites), lambda one: one.get('name', ''))

    inner = [_suite(suite) for suite in named('testsuite')]
    cases = [_worst(case, lambda one: one.find('failure') is not None or one.find('error') is not None,
                    lambda one: one.find('skipped') is not None) for case in named('testcase')]
    joined = Element('testsuite', {key: '0' if number.isdecimal() else number for key, number in suites[0].items()})
    joined.extend([*cases, *inner])
    counts = Counter({'tests': len(cases), 'failures': sum(case.find('failure') is not None for case in cases),
                      'skipped': sum(case.find('skipped') is not None for case in cases),
                      'errors': sum(case.find('error') is not None for case in cases)})
    for suite in inner:
        counts.update({key: int(number) for key, number in suite.items() if key in counts})
    for key, count in counts.items():
        joined.set(key, str(count))
    return joined


def junit(parts: Sequence[str]) -> str:
    """A results.junit.xml."""
    root = _suite([xml.etree.ElementTree.fromstring(part) for part in parts])
    return xml.etree.ElementTree.tostring(root, encoding='unicode', xml_declaration=True)
