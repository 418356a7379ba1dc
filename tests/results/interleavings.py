# SPDX-License-Identifier: GPL-2.0
"""At how many points each pair of steps was interleaved: a matrix for each row, of a run of all pairs.

    # calls_random: interleaved points=21 first=migrate second=write 2 row=64K folio error=
    # calls_random: interleaved points=0 first=hole second=read 2 row=64K folio error=there is no file
"""

from __future__ import annotations

from results.facts import facts

LEGEND = ('Line n: the step that pauses, and the number of points at which step 1, 2, … ran meanwhile;\n'
          '0: the step that pauses reaches no point, -: impossible.\n')


def matrix(ktap: str) -> str:
    """The matrix of a run; empty if it was a sample."""
    numbers: dict[str, dict[str, dict[str, int | None]]] = {}
    reasons: dict[str, dict[str, None]] = {}
    for fact in facts(ktap, 'interleaved', 'points', 'first', 'second', 'row', 'error'):
        words = fact.words
        tried = numbers.setdefault(words['row'], {}).setdefault(words['first'], {})
        if words['error']:
            tried.setdefault(words['second'], None)
            reasons.setdefault(words['row'], {})[words['error']] = None
        else:
            tried[words['second']] = (tried.get(words['second']) or 0) + int(words['points'])
    parts = []
    for row, steps in numbers.items():
        lines = [f'{number:3} {first:<15}' + ''.join('     -' if points is None else f'{points:6}' for points in tried.values())
                 for number, (first, tried) in enumerate(steps.items(), 1)]
        parts.append('\n'.join([f'{row}:', *lines, *(f'    -: {reason}' for reason in reasons.get(row, {})), '']))
    return '\n'.join([LEGEND, *parts]) if parts else ''
