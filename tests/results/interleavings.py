# SPDX-License-Identifier: GPL-2.0
"""At how many points each pair of steps was interleaved: a matrix for each row, of a run of all pairs.

    # calls_random: interleaved points=21 first=migrate second=write 2 row=64K folio error=
    # calls_random: interleaved points=0 first=hole second=read 2 row=64K folio error=there is no file
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from results.facts import facts

LEGEND = ('Line n: the step that pauses, and the number of points at which step 1, 2, … ran meanwhile;\n'
          '0: the step that pauses reaches no point, -: impossible, nothing: not tried.\n')
WIDTH = 6
FILE = 'interleavings.txt'


def matrix(ktap: str) -> str:
    """The matrix of a run, or of its parts; empty if it was a sample."""
    numbers: dict[str, dict[str, dict[str, int | None]]] = {}
    reasons: dict[str, set[str]] = {}
    steps: set[str] = set()
    for fact in facts(ktap, 'interleaved', 'points', 'first', 'second', 'row', 'error'):
        words = fact.words
        steps |= {words['first'], words['second']}
        tried = numbers.setdefault(words['row'], {}).setdefault(words['first'], {})
        if words['error']:
            tried.setdefault(words['second'], None)
            reasons.setdefault(words['row'], set()).add(words['error'])
        else:
            tried[words['second']] = (tried.get(words['second']) or 0) + int(words['points'])
    if not numbers:
        return ''
    names = {name: number for number, name in enumerate(sorted(steps), 1)}
    parts = [LEGEND, ', '.join(f'{number} {name}' for name, number in names.items()) + '\n']
    for row, lines in sorted(numbers.items()):
        parts.append('\n'.join([f'{row}:', *(_line(number, name, lines[name], names) for name, number in names.items() if name in lines),
                                *(f'    -: {reason}' for reason in sorted(reasons.get(row, ()))), '']))
    return '\n'.join(parts)


def _line(number: int, first: str, tried: Mapping[str, int | None], names: Iterable[str]) -> str:
    cells = ('' if name not in tried else '-' if tried[name] is None else f'{tried[name]}' for name in names)
    return f'{number:3} {first:<15}{"".join(cell.rjust(WIDTH) for cell in cells)}'.rstrip()
