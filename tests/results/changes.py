# SPDX-License-Identifier: GPL-2.0
"""The verdicts of all cases on two kernels, without and with a series."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from results.report import FAIL, PASS, SKIP, Case, Verdicts


@dataclass(frozen=True)
class Change:
    """A case and its verdicts on the two kernels; empty: the case did not run."""

    name: str
    before: str
    after: str
    known: bool = False     # fails on the unmodified kernel

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def worse(self) -> bool:
        """Also true if the case no longer runs or is now skipped: that may hide a failure."""
        order = (FAIL, '', SKIP, PASS)
        return not self.known and self.changed and (
            self.after == FAIL or self.before != FAIL and order.index(self.after) < order.index(self.before))

    def __str__(self) -> str:
        return f'{self.name}: {self.before or "none"} before, {self.after or "none"} after'


def _shape(text: str) -> str:
    """The text without its figures, which change from run to run."""
    return re.sub(r'0x[0-9a-f]+|\d+', 'N', text)


def same_case(then: Verdicts, now: Verdicts) -> dict[Case, Case]:
    """Map cases of `then` to cases of `now` whose names differ only in figures."""
    def shapes(cases: Verdicts, others: Verdicts) -> dict[Case, list[Case]]:
        found: dict[Case, list[Case]] = {}
        for case in cases.keys() - others.keys():
            found.setdefault((*case[:-1], _shape(case[-1])), []).append(case)
        return found
    gone, new = shapes(then, now), shapes(now, then)
    return {gone[shape][0]: new[shape][0] for shape in gone.keys() & new.keys() if len(gone[shape]) == len(new[shape]) == 1}


def changes(then: Verdicts, now: Verdicts, known: Callable[[Case, str], bool] = lambda case, after: False) -> list[Change]:
    """All cases of both kernels; `known` returns whether a case is known to get its verdict `after`."""
    same = same_case(then, now)
    found = []
    for case in dict.fromkeys([*then, *(case for case in now if case not in same.values())]):
        after = now.get(same.get(case, case), '')
        found.append(Change(': '.join(case), then.get(case, ''), after, known(case, after)))
    return found


def counted(found: Sequence[Change], what: str) -> str:
    """The numbers of cases by what changed."""
    before, after, changed, failed = (sum(map(test, found)) for test in (
        lambda change: change.before != '', lambda change: change.after != '', lambda change: change.changed,
        lambda change: change.before == change.after == FAIL))
    return f'{before} {what} before, {after} after, {changed} with another verdict, {failed} fail on both kernels'


def new_errors(then: Iterable[str], now: Iterable[str]) -> list[str]:
    """The errors of a run that the other run does not have, apart from their figures."""
    shapes = {_shape(error) for error in then}
    return [error for error in now if _shape(error) not in shapes]
