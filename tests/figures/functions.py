# SPDX-License-Identifier: GPL-2.0
"""Where the instructions of a figure go, by function."""

from __future__ import annotations

from collections.abc import Mapping

from results.markdown import figure, table
from results.record import Record
from results.timing import Timing

# Functions below this share of the instructions are summed up.
LEAST = 0.005
OTHERS = 'others'
TWIN = 'ptebatch_twin_'


def _costs(timing: Timing | None) -> dict[str, float]:
    """The instructions of each function per page, call or area; those of a twin under the names of the kernel."""
    found: dict[str, float] = {}
    for name, count in timing.functions.items() if timing else ():
        name = name.removeprefix(TWIN)
        found[name] = found.get(name, 0) + timing.share(count) if timing else 0
    return found


def side_by_side(kernel: Mapping[str, float], twin: Mapping[str, float]) -> list[list[str]]:
    """A row for each function, the most expensive ones first, and the sum of the others."""
    larger = {name: max(kernel.get(name, 0), twin.get(name, 0)) for name in {**kernel, **twin}}
    least = LEAST * max(sum(kernel.values()), sum(twin.values()))
    shown = sorted((name for name, cost in larger.items() if cost >= least), key=lambda name: (-larger[name], name))
    rows = [(name, kernel.get(name, 0.0), twin.get(name, 0.0)) for name in shown]
    hidden = larger.keys() - {*shown}
    rows.append((OTHERS, sum(kernel.get(name, 0) for name in hidden), sum(twin.get(name, 0) for name in hidden)))
    rows.append(('all', sum(kernel.values()), sum(twin.values())))
    return [[name, figure(one), figure(other), f'{one - other:+.1f}'] for name, one, other in rows]


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
        rows = side_by_side(_costs(kernel), _costs(twin))
        header = [f'{name}: instructions {either.per}', 'kernel', 'one by one', 'difference']
        width = None if twin else 2
        parts.append(table(header[:width], [row[:width] for row in rows]))
    return '\n\n'.join(parts)
