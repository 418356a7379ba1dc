# SPDX-License-Identifier: GPL-2.0
"""KTAP output that stops because a case crashes the guest, and the output of a further guest that continues it.

The further guest begins with the crashed case, which fails without being run: lib/kernel/resume.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from results.known import INDENT, RESULT, SUBTEST, each
from results.report import Case

PLAN = re.compile(r'^( *)1\.\.(\d+)$')
HEADER = r'^{0}KTAP version 1\n{0}# Subtest: {1}\n(?:{0}# module: .*\n)?(?:{0}1\.\.\d+\n)?'


@dataclass(frozen=True)
class Stop:
    """The place at which the output stops."""

    text: str                   # up to the last result, or the last header of a group
    groups: Sequence[str]       # that have begun: suite, and case with parameters
    done: Sequence[int]         # number of results: suites, cases of the suite, parameters of the case

    def after(self, cases: Sequence[Case]) -> str:
        """The parameter after= of lib/kernel/resume.c; `cases` are all suites and cases, empty if the last ones do not matter."""
        if len(self.groups) == 2:
            return f'{".".join(self.groups)}:{self.done[2] + 1}'
        suites = list(dict.fromkeys(case[0] for case in cases))
        if not self.groups:     # before the header of a suite, for example when its suite_init() runs
            suite, done = next(iter(suites[self.done[0]:]), ''), 0
        else:
            suite, done = self.groups[0], self.done[1]
        names = [name for of, name in cases if of == suite]
        # After its last case, for example when suite_exit() runs, it is the suite that crashes.
        return f'{suite}.{names[done]}:1' if done < len(names) else suite if names else ''


def stop(ktap: str) -> Stop | None:
    """Where the output stops; None if it is complete, or if no suite has begun."""
    groups: list[str] = []
    done, plan, at, end = [0], 0, 0, 0
    for line in ktap.splitlines(keepends=True):
        at += len(line)
        if found := SUBTEST.match(line):
            level = len(found[1]) // INDENT
            groups[level - 1:] = [found[2]]
            done[level:] = [0]
        elif found := RESULT.match(line):
            level = len(found[1]) // INDENT
            groups[level:] = []
            done[level + 1:] = []
            done += [0] * (level + 1 - len(done))
            done[level] += 1
        elif found := PLAN.match(line):
            plan = plan if found[1] else int(found[2])
        else:
            continue
        end = at
    return Stop(ktap[:end], tuple(groups), tuple(done)) if done[0] < plan else None


def crashed(before: Stop, case: Case, note: str) -> str:
    """The output with the failure of a case or parameter behind which nothing runs."""
    indent = ' ' * INDENT
    groups, text = len(before.groups), before.text
    if not groups:
        text += f'{indent}KTAP version 1\n{indent}# Subtest: {case[0]}\n'
    return _numbered(f'{text}{indent}# {case[1]}: {note}\n{indent * max(groups, 1)}not ok 0 {case[-1]}\n')


def without_suite(before: Stop, suite: str, cases: Sequence[Case], note: str) -> str:
    """The output with the failure of the suite that has begun, or begins next, and of its cases that did not end."""
    indent = ' ' * INDENT
    names = [name for of, name in cases if of == suite]
    text = before.text
    if not before.groups:
        text += f'{indent}KTAP version 1\n{indent}# Subtest: {suite}\n{indent}1..{len(names)}\n'
    text += f'{indent}# {suite}: {note}\n'
    text += ''.join(f'{indent}not ok 0 {name}\n' for name in names[before.done[1] if before.groups else 0:])
    return _numbered(f'{text}not ok 0 {suite}\n')


def has_results(ktap: str) -> bool:
    """Whether a case ended."""
    return next(each(ktap), None) is not None


def joined(before: Stop, ktap: str, note: str) -> tuple[str, Case]:
    """The output of both guests, and the first case of the further one: with a note, the case that crashed."""
    body = re.split(r'^1\.\.\d+\n', ktap, maxsplit=1, flags=re.MULTILINE)[-1]
    for level, name in enumerate(before.groups, 1):
        body = re.sub(HEADER.format(' ' * INDENT * level, re.escape(name)), '', body, count=1, flags=re.MULTILINE)
    # The statistics of what has begun in the first guest are those of the further one only.
    end = next((found.end() for found in re.finditer(r'^(?:not )?ok .*\n', body, re.MULTILINE)), len(body))
    names = '|'.join(['Totals', *(re.escape(name) for name in before.groups)])
    body = re.sub(rf'^ *# (?:{names}): pass:\d+ .*\n', '', body[:end], flags=re.MULTILINE) + body[end:]
    text = before.text
    if note:
        # If the case crashed after its last parameter, its own result is the first.
        body = re.sub(r'^( *)(?:not )?ok (\d+ .*?)(?: # SKIP\b.*)?$', r'\1not ok \2', body, count=1, flags=re.MULTILINE)
        text += f'    # {("case", *before.groups)[-1]}: {note}\n'
    case = next(case for case, _, _, end in each(text + body) if end > len(text))
    return _numbered(text + body), case


def _numbered(ktap: str) -> str:
    """The output with its results numbered on, in which a group fails if one of its results fails."""
    lines, done, failed = [], [0], [False]      # by level
    for line in ktap.splitlines():
        if found := RESULT.match(line):
            level = len(found[1]) // INDENT
            missing = level + 1 - len(done)
            done, failed = done + [0] * missing, failed + [False] * missing
            fails = found[2] == 'not ok' or any(failed[level + 1:])
            done[level:], failed[level:] = [done[level] + 1], [failed[level] or fails]
            line = re.sub(r'^( *)(?:not )?ok \d+', rf'\g<1>{"not ok" if fails else "ok"} {done[level]}', line)
        lines.append(line)
    return '\n'.join(lines) + '\n'
