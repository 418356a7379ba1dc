# SPDX-License-Identifier: GPL-2.0
"""The functions that the instructions of a figure belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from results.laps import OTHERS
from results.markdown import figure, table
from results.record import Record
from results.timing import Timing

# Functions below this share of the instructions are summed up.
LEAST = 0.005
TWIN = 'ptebatch_twin_'
# A figure that changes by more than this share is explained, by this number of functions, and two lines for the others.
CHANGED = 0.005
LINES = 8
# Functions that change by less than this share of the largest change are summed up.
LEAST_CHANGE = 0.01


def costs(timing: Timing | None) -> dict[str, float]:
    """The instructions of each function per page, call or area; those of a twin under the names of the kernel."""
    found: dict[str, float] = {}
    for name, count in timing.functions.items() if timing else ():
        name = name.removeprefix(TWIN)
        found[name] = found.get(name, 0) + timing.share(count) if timing else 0
    return found


def _rows(shown: Sequence[str], first: Mapping[str, float], second: Mapping[str, float]) -> list[list[str]]:
    """A row for each of these functions, one for the others, and one for all; the last column is second minus first."""
    costs = {name: [each.get(name, 0.0) for each in (first, second)] for name in shown}
    costs[OTHERS] = [sum(cost for name, cost in each.items() if name not in shown) for each in (first, second)]
    costs['all'] = [sum(each.values()) for each in (first, second)]
    return [[name, figure(one), figure(other), '+' * (other >= one) + figure(other - one)]
            for name, (one, other) in costs.items()]


def side_by_side(twin: Mapping[str, float], kernel: Mapping[str, float]) -> list[list[str]]:
    """The rows of twin and kernel, the most expensive functions first."""
    larger = {name: max(kernel.get(name, 0), twin.get(name, 0)) for name in {**twin, **kernel} if name != OTHERS}
    least = LEAST * max(sum(kernel.values()), sum(twin.values()))
    return _rows(sorted((name for name, cost in larger.items() if cost >= least), key=lambda name: (-larger[name], name)),
                 twin, kernel)


def everything(record: Record) -> str:
    """The table of each figure whose functions were counted."""
    kernels, twins = record.of_way('kernel'), record.of_way('twin')
    parts = []
    for name in dict.fromkeys([*kernels, *twins]):
        kernel, twin = kernels.get(name), twins.get(name)
        either = kernel or twin
        assert either
        if not either.functions:
            continue
        rows = side_by_side(costs(twin), costs(kernel))
        header = [f'{name}: instructions {either.per}', 'one by one', 'kernel', 'difference']
        columns = (0, 1, 2, 3) if kernel and twin else (0, 2)
        parts.append(table([header[column] for column in columns], [[row[column] for column in columns] for row in rows]))
    return '\n\n'.join(parts)


def changes(before: Record, after: Record) -> list[str]:
    """A table for each figure of the kernel that changed, the largest change first: the functions that it comes from."""
    found = []
    now = after.of_way('kernel')
    for name, was in before.of_way('kernel').items():
        timing = now.get(name)
        if not timing or not timing.functions or not was.functions or abs(timing.cost / was.cost - 1) <= CHANGED:
            continue
        first, second = costs(was), costs(timing)
        difference = {function: abs(second.get(function, 0) - first.get(function, 0)) for function in {**first, **second}}
        shown = sorted((function for function in difference
                        if difference[function] > LEAST_CHANGE * max(difference.values()) and function != OTHERS),
                       key=lambda function: (-difference[function], function))
        header = [f'{name}: instructions {was.per}', 'before', 'after', 'difference']
        found.append((abs(timing.cost / was.cost - 1), table(header, _rows(shown[:LINES], first, second))))
    return [text for _, text in sorted(found, key=lambda item: -item[0])]
