# SPDX-License-Identifier: GPL-2.0
"""Put the results of several guests together, as if one had run all suites."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree
from collections.abc import Callable, Sequence

PLAN = re.compile(r'^1\.\.(\d+)\n', re.MULTILINE)
SUITE = re.compile(r'^((?:not )?ok )(\d+)', re.MULTILINE)


def together(merge: Callable[[Sequence[str]], str], parts: Sequence[str]) -> str:
    """Several parts, put together by a function of this file; a single one as it is, even if it is cut off."""
    return merge(parts) if len(parts) > 1 else parts[0]


def ktap(parts: Sequence[str]) -> str:
    """KTAP output with the suites of all parts, numbered on."""
    suites, text = 0, ''
    for part in parts:
        def later(found: re.Match[str], before: int = suites) -> str:
            return f'{found[1]}{int(found[2]) + before}'
        if plan := PLAN.search(part):
            text += SUITE.sub(later, part[plan.end():])
            suites += int(plan[1])
    return f'KTAP version 1\n1..{suites}\n{text}'


def results_json(parts: Sequence[str]) -> str:
    """A results.json of kunit.py with the suites of all parts."""
    first, *others = (json.loads(part) for part in parts)
    for other in others:
        for key in ('sub_groups', 'test_cases'):
            first[key] += other[key]
        for key, number in other['misc'].items():
            first['misc'][key] += number
    return json.dumps(first, indent=4)


def junit(parts: Sequence[str]) -> str:
    """A results.junit.xml of kunit.py with the suites of all parts."""
    first, *others = (xml.etree.ElementTree.fromstring(part) for part in parts)
    for other in others:
        first.extend(other)
        for key, number in other.items():
            if number.isdecimal():
                first.set(key, str(int(first.get(key, '0')) + int(number)))
    return xml.etree.ElementTree.tostring(first, encoding='unicode', xml_declaration=True)
