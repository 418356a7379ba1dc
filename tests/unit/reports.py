# SPDX-License-Identifier: GPL-2.0
"""Runs whose results the tests of make report show: the KTAP output of suites, and the real kunit.py."""

from __future__ import annotations

from pathlib import Path

from results.record import Key, Record
from results.timing import Timing
from unit.machine import HALTED, Machine, print_log

NAME = '64K folio, second half shared: first half becomes writable'
# As of README.md, and one of each kind of brace, mark and limit.
ROWS = {
    'before': '{Rdyx*8 Rdy*8}', 'expected': '{Wdyx*8 !Rdy*8}', 'got': '{Wdyx*8 !Wdy*8}',
}
MARKED = {
    'before': '@500 {Wdyx*4 | Wdyx*12 |} -*496 [Wdyx] - Ns ; +{Rdu*8 .*8} ~1{Rdy*2} Rzy Rk (Rdy Ex) {.*2 Wy Wy=7 Wy*4}',
    'expected': '@500 {!Wdysx*4 | Wdyx*12 |} -*496 [Wdyx] - Ns ; +{Rdu*8 .*8} ~1{Rdy*2} Rzy Rk (Rdy Ex) {.*2 Wy Wy=7 Wy*4}',
    'got': '@500 {!Rdy*4 | Wdyx*12 |} -*496 [!?] - Ns ; +{Rdu*8 .*8} ~1{Rdy*2} Rzy Rk (Rdy Ex) {.*2 Wy Wy=7 Wy*4}',
}


def failure(case: str, function: str, wrong: str, rows: dict[str, str], *lines: str) -> str:
    """What a case prints that fails."""
    printed = [f'{label:<9}{picture}' for label, picture in rows.items()] + list(lines)
    return (f'    # {case}: EXPECTATION FAILED at mm/tests/ptebatch/lib/check/compare.c:125\n{function} {wrong}\n'
            + ''.join(f'    # {case}: {line}\n' for line in printed))


BY_RULES = failure('mprotect_row', 'mprotect_fixup()', 'leaves entries that the rules do not allow', ROWS,
                   'entries 8 to 15: expected Rdy, got Wdy')
BY_TWIN = failure('mprotect_row', 'mprotect_fixup()', 'leaves entries that its twin does not leave: rule 1', MARKED)


def ktap(*suites: tuple[str, str, list[tuple[str, str, str]]]) -> str:
    """KTAP of suites with one parameterized case each: names, and for each row its verdict, name and output."""
    text = f'KTAP version 1\n1..{len(suites)}\n'
    for number, (suite, case, rows) in enumerate(suites, 1):
        text += f'    KTAP version 1\n    # Subtest: {suite}\n    1..1\n        KTAP version 1\n        # Subtest: {case}\n'
        for place, (verdict, name, output) in enumerate(rows, 1):
            skip = f' # SKIP {output}' if verdict == 'skip' else ''
            text += ('' if skip else output) + f'        {"ok" if skip else verdict} {place} {name}{skip}\n'
        bad = 'not ' * any(verdict == 'not ok' for verdict, _, _ in rows)
        text += f'    {bad}ok 1 {case}\n{bad}ok {number} {suite}\n'
    return text


PASSING = ktap(('ptebatch_mprotect', 'mprotect_row', [('ok', NAME, ''), ('ok', 'second', ''), ('skip', 'third', 'no swap')]),
               ('ptebatch_rmap', 'rmap_row', [('ok', 'first', ''), ('ok', 'gone later', '')]))
FAILING = ktap(('ptebatch_mprotect', 'mprotect_row', [('not ok', NAME, BY_RULES), ('not ok', 'second', BY_TWIN),
                                                      ('skip', 'third', 'no swap')]),
               ('ptebatch_rmap', 'rmap_row', [('ok', 'first', ''), ('ok', 'new', '')]))


def run(machine: Machine, text: str, folder: Path) -> None:
    """The results of a run on um whose output is `text`, below `folder`."""
    machine.guest(print_log(text + HALTED))
    machine.run(O=str(folder))


def bench(cost: int) -> Record:
    """The figures of one bench, by function."""
    key = Key('um', 'instructions', 'linux 7.3', 'gcc 12', '', 'digest')
    return Record(key, [Timing({'table': 'mprotect', 'name': 'ro-rw', 'order': str(order), 'way': way}, 10, 1, 5, 0, each, each,
                               each, {'barriers': 3}, {'change_protection': each - 5, 'others': 5})
                        for order in (0, 4) for way, each in (('twin', 1000), ('kernel', cost + order))], [])


def compared(machine: Machine, folder: Path) -> None:
    """The results of make compare."""
    for side, text, cost in (('before', PASSING, 500), ('after', FAILING, 600)):
        run(machine, text, folder / side)
        bench(cost).save(folder / side / 'um/bench.json')
    (folder / 'compare.md').write_text('| um | before | after | ratio |\n')
