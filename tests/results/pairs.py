# SPDX-License-Identifier: GPL-2.0
"""Which steps random programs have had one after the other: a matrix for each row of memory.

    # sequences_random: pairs tried=++-. after=write, shmem, order 0
    # sequences_random: pairs impossible=ksm, shmem, order 0: KSM merges private memory only
"""

from __future__ import annotations

from results.facts import facts

LEGEND = ('Column n is the step of line n, as the next step of a program: + tried, - not tried, . impossible.\n'
          'There is one child, so neither a second fork nor a second exit.\n')


def matrix(ktap: str) -> str:
    """The matrix of a run; empty if it had too few programs to have all pairs."""
    memory: dict[str, list[str]] = {}
    for fact in facts(ktap, 'pairs', 'tried', 'after'):
        step, _, row = fact.words['after'].partition(', ')
        lines = memory.setdefault(row, [])
        lines.append(f'{len(lines) + 1:3} {step:<15}{fact.words["tried"]}')
    reasons: dict[str, list[str]] = {}
    for fact in facts(ktap, 'pairs', 'impossible'):
        step, _, rest = fact.words['impossible'].partition(', ')
        row, _, reason = rest.rpartition(': ')
        reasons.setdefault(row, []).append(f'    {step}: {reason}')
    parts = ['\n'.join([f'{row}:', *lines, *reasons.get(row, []), '']) for row, lines in memory.items()]
    return '\n'.join([LEGEND, *parts]) if parts else ''
